//! The path of an entry: relative, with plain segments, not normalized.

use serde_json::json;

use super::fields::shown;
use crate::drop::requirements::zip::{ABSOLUTE, FAITHFUL, TRAVERSAL};
use crate::{Refused, Rules};

/// The maximum length of a path, in bytes.
pub(super) const MOST_PATH: usize = 4096;
/// The maximum length of a segment, in bytes.
pub(super) const MOST_SEGMENT: usize = 255;

/// A path within the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// Without leading and trailing slashes. Empty for the root itself, which is only possible if a rule is violated.
    pub(super) text: String,
    /// A violated rule has changed the path from what the name says. It then replaces an existing entry at that path.
    pub(super) altered: bool,
}

/// Checks the name of an entry.
///
/// While `ABSOLUTE` is violated, leading slashes are dropped. While `TRAVERSAL` is violated, `..` goes up as far as the
/// root. A `..` that does not leave the root is not a traversal: `FAITHFUL` rejects it, like everything that would need
/// normalizing.
pub(super) fn judge(name: &[u8], rules: &mut dyn Rules) -> Result<Path, Refused> {
    let text = rules.parse(
        &FAITHFUL,
        || String::from_utf8(name.to_vec()).map_err(|_| format!("{}: not UTF-8", shown(name))),
        || Ok(String::from_utf8_lossy(name).into_owned()),
    )?;
    let named = json!(text);
    let is_relative = !text.starts_with('/');
    rules.require_value(&ABSOLUTE, Some(&named), None, is_relative, || {
        format!("{}: the path is absolute", shown(name))
    })?;
    let relative = text.trim_start_matches('/');
    rules.require_value(&TRAVERSAL, Some(&named), None, !climbs_out(relative), || {
        format!("{}: the path leads out of the root", shown(name))
    })?;

    let altered = relative.len() != text.len() || climbs_out(relative);
    if altered {
        return Ok(Path { text: resolve(relative), altered });
    }
    let fault = fault(relative);
    rules
        .require(&FAITHFUL, fault.is_none(), || format!("{}: {}", shown(name), fault.unwrap_or_default()))?;
    Ok(Path { text: resolve(relative), altered })
}

/// Why a relative name is not a usable path, if so.
fn fault(name: &str) -> Option<&'static str> {
    let path = name.strip_suffix('/').unwrap_or(name);
    let drive = name.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && name[1..].starts_with(':');
    if path.len() > MOST_PATH {
        Some("the path has more than 4096 bytes")
    } else if path.split('/').any(|segment| segment.len() > MOST_SEGMENT) {
        Some("a segment has more than 255 bytes")
    } else if path.split('/').any(|segment| ["", ".", ".."].contains(&segment)) {
        Some("the path has an empty, . or .. segment")
    } else if name.contains('\\') {
        Some("the path has a backslash")
    } else if name.contains(char::is_control) {
        Some("the path has a control character")
    } else {
        drive.then_some("the path has a drive letter")
    }
}

/// Whether any prefix of the path is above the root.
fn climbs_out(path: &str) -> bool {
    let mut depth = 0_u32;
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

/// The path with empty, `.` and `..` segments resolved, clamped at the root.
fn resolve(path: &str) -> String {
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            _ => segments.push(segment),
        }
    }
    segments.join("/")
}
