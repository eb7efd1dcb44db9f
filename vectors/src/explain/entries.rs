//! The entries of a folder, one per line.

use assay_spec::cid::Content;
use serde_json::Value;

use super::line::{Page, Tone};
use crate::bytes::Recipe;

/// Contents up to this many bytes are shown as text, if they are text.
const SHOWN: usize = 40;

/// The entries; those that differ from the base's are marked.
pub(super) fn list(page: &mut Page, entries: &[Value], before: Option<&Value>) {
    page.plain(&format!("  entries: {}", entries.len()));
    for (n, entry) in entries.iter().enumerate() {
        let same = before.is_none_or(|before| before[n] == *entry);
        let on = page.line();
        on.push(Tone::Plain, "    ");
        on.push(if same { Tone::Plain } else { Tone::Changed }, &line(entry));
    }
    let was = before.and_then(Value::as_array).map_or(0, Vec::len);
    if was > entries.len() {
        page.line().push(Tone::Changed, &format!("    {} fewer", was - entries.len()));
    }
}

fn line(entry: &Value) -> String {
    let text = |name: &str| entry[name].as_str();
    match (text("path"), text("link"), text("directory")) {
        (Some(path), Some(target), _) => format!("{path:?} -> {target:?}"),
        (_, _, Some(path)) => format!("{path:?}: an empty directory"),
        (Some(path), ..) => format!("{path:?}: {}", contents(&entry["content"])),
        _ => {
            let (text, count) = (&entry["numbered"][0], entry["numbered"][1].as_u64().unwrap_or_default());
            let last = count.saturating_sub(1);
            format!("{text} and a number from 0 to {last}: {} each", contents(&entry["content"]))
        }
    }
}

fn contents(content: &Value) -> String {
    let Ok(recipe) = Recipe::read("content", content) else { return content.to_string() };
    let length = match recipe.size() {
        1 => "1 byte".to_owned(),
        more => format!("{more} bytes"),
    };
    match recipe.as_bytes().map(std::str::from_utf8) {
        Some(Ok(text)) if (1..=SHOWN).contains(&text.len()) => format!("{length}, {text:?}"),
        Some(_) => length,
        None => format!("{length}, {}", super::rule(content).unwrap_or_default()),
    }
}
