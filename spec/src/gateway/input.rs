//! Bad input that the documents leave to the server, except that it must not cause an internal error.

use super::body::Scan;
use super::limits;
use super::mistakes::input::{
    DEEP, EMPTY, HUGE_NUMBER, IMAGE_DATA, LARGE, NOT_UTF8, SURROGATE, UNKNOWN_ROLE,
};
use super::requirements::chat;
use crate::Id;
use crate::rules::{Mistake, Reading};

/// A row of bad input that must not cause an internal error.
pub type Oddity = &'static Mistake<Reading<(), ()>>;

/// The rows of bad input that apply to a body, in order. `refused` is the row that rejected it, if any.
///
/// These rows reject nothing themselves: the body gets the same response as without them.
pub fn oddities(body: &[u8], refused: Option<Id>) -> Vec<Oddity> {
    let scan = Scan::read(body);
    let refused_by = |row: Id| refused == Some(row);
    let met: [(Oddity, bool); 8] = [
        (&NOT_UTF8, std::str::from_utf8(body).is_err()),
        (&EMPTY, matches!(body.trim_ascii(), b"" | b"{}" | b"null")),
        (&SURROGATE, has_odd_escape(body)),
        (&DEEP, scan.depth > limits::DEPTH.usize()),
        (&LARGE, body.len() >= limits::LARGE.usize()),
        (&UNKNOWN_ROLE, refused_by(&chat::ROLE_KNOWN)),
        (&IMAGE_DATA, refused_by(&chat::IMAGE_DATA)),
        (&HUGE_NUMBER, scan.huge_number),
    ];
    met.into_iter().filter_map(|(row, met)| met.then_some(row)).collect()
}

/// Whether a string of a JSON text has an escape that is half of a surrogate pair, or the character zero.
fn has_odd_escape(body: &[u8]) -> bool {
    let unit = |at: usize| {
        let escape = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(str::from_utf8(escape).ok()?, 16).ok()
    };
    let mut at = 0;
    while at < body.len() {
        at += match (body[at], unit(at)) {
            (b'\\', Some(0xd800..=0xdbff)) => match unit(at + 6) {
                Some(0xdc00..=0xdfff) => 12,
                _ => return true,
            },
            (b'\\', Some(0 | 0xdc00..=0xdfff)) => return true,
            (b'\\', _) => 2,
            _ => 1,
        };
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_bad_input_has_its_own_row() {
        let rows = |body: &[u8], refused| -> Vec<String> {
            oddities(body, refused).iter().map(|row| row.name.to_owned()).collect()
        };
        assert!(rows(b"{\"model\":\"m\",\"messages\":[]}", Some(&chat::MODEL)).is_empty());
        assert_eq!(rows(b"{\"a\":\"\xff\"}", Some(&chat::BODY)), ["NOT_UTF8"]);
        for body in [&b""[..], b" ", b"{}", b"null\n"] {
            assert_eq!(rows(body, None), ["EMPTY"]);
        }
        for odd in [r#"["\ud83d"]"#, r#"["\uDe00"]"#, r#"["\ud83d\ud83d\ude00"]"#, r#"["\u0000"]"#] {
            assert_eq!(rows(odd.as_bytes(), None), ["SURROGATE"], "{odd}");
        }
        assert!(rows(br#"["\ud83d\ude00", "\\ud83d", "\u00fc"]"#, None).is_empty());
        assert_eq!(rows("[".repeat(101).as_bytes(), None), ["DEEP"]);
        assert_eq!(rows(&vec![b' '; limits::LARGE.usize()], None), ["EMPTY", "LARGE"]);
        assert_eq!(rows(b"[]", Some(&chat::ROLE_KNOWN)), ["UNKNOWN_ROLE"]);
        assert_eq!(rows(b"[]", Some(&chat::IMAGE_DATA)), ["IMAGE_DATA"]);
        assert_eq!(rows(b"[1e400]", None), ["HUGE_NUMBER"]);
    }
}
