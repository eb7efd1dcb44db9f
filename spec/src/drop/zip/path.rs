//! The path of an entry: relative, with plain segments, not normalized.

use std::borrow::Cow;

use serde_json::json;

use super::fields::shown;
use crate::drop::mistakes::zip::{ABSOLUTE, PLAIN, TRAVERSAL, UTF_8};
use crate::{Refused, Rules};

/// The maximum length of a path, in bytes.
pub(super) const MOST_PATH: usize = 4096;
/// The maximum length of a segment, in bytes.
pub(super) const MOST_SEGMENT: usize = 255;

/// Reads the name of an entry: a path within the root, without a trailing slash. A `..` that does not leave the root is not a traversal: `FAITHFUL` rejects it, like
/// everything that would need normalizing.
pub(super) fn judge(name: &[u8], rules: &mut dyn Rules) -> Result<String, Refused> {
    let because = |why: &str| format!("{}: {why}", shown(name));
    let text = rules.read(&UTF_8, name, |name| {
        std::str::from_utf8(name).map(Cow::from).map_err(|_| because("not UTF-8"))
    })?;
    let values = || (Some(json!(text)), None);
    let relative = rules.read_value(&ABSOLUTE, &*text, values, |text| {
        if text.starts_with('/') { Err(because("the path is absolute")) } else { Ok(text.into()) }
    })?;
    let inside = rules.read_value(&TRAVERSAL, &*relative, values, |path| {
        if climbs_out(path) { Err(because("the path leads out of the root")) } else { Ok(path.into()) }
    })?;
    rules.read(&PLAIN, &*inside, |path| match fault(path) {
        Some(fault) => Err(because(fault)),
        None => Ok(path.strip_suffix('/').unwrap_or(path).to_owned()),
    })
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
pub(in crate::drop) fn climbs_out(path: &str) -> bool {
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
