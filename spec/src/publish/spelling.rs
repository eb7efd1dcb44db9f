//! Spellings of a JSON body that mean the same (document 3, "Exchange (both endpoints)").

use serde_json::{Map, Value};

/// The members are in another order: the one that the document names first is not the first.
pub const ORDER: &str = "order";
/// White space is between the tokens.
pub const WHITE_SPACE: &str = "white-space";
/// Characters are escaped that need not be.
pub const ESCAPES: &str = "escapes";

/// The member that the document names first, of each endpoint.
const FIRST: [&str; 2] = ["domain", "prepareId"];

/// What is unusual in the spelling of a body with these members.
pub fn found_in(body: &[u8], members: &Map<String, Value>) -> Vec<&'static str> {
    let first = members.keys().next().map(String::as_str);
    let is_reordered = FIRST.iter().any(|name| members.contains_key(*name) && first != Some(*name));
    let (mut in_string, mut has_blanks, mut has_escapes) = (false, false, false);
    let mut bytes = body.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' => {
                has_escapes |= is_needless(&body[at + 1..]);
                bytes.next();
            }
            _ => has_blanks |= !in_string && byte.is_ascii_whitespace(),
        }
    }
    [(is_reordered, ORDER), (has_blanks, WHITE_SPACE), (has_escapes, ESCAPES)]
        .into_iter()
        .filter_map(|(is_so, spelling)| is_so.then_some(spelling))
        .collect()
}

/// Whether the character of an escape need not be escaped. `rest` follows the backslash.
fn is_needless(rest: &[u8]) -> bool {
    let hex = || rest.get(1..5).and_then(|hex| std::str::from_utf8(hex).ok());
    match rest.first() {
        Some(b'/') => true,
        Some(b'u') => {
            let unit = hex().and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or_default();
            unit >= 0x20 && ![0x22, 0x5c].contains(&unit)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_spelling_is_recognized() {
        let found = |body: &str| {
            let members = serde_json::from_str(body).expect("an object");
            found_in(body.as_bytes(), &members)
        };
        assert_eq!(found(r#"{"domain":"a b\"\\\u0001","cid":"c"}"#), [""; 0]);
        assert_eq!(found(r#"{"cid":"c","domain":"a"}"#), [ORDER]);
        assert_eq!(found(r#"{"signature":"c","prepareId":"a"}"#), [ORDER]);
        assert_eq!(found(r#"{"domain": "a"}"#), [WHITE_SPACE]);
        for escaped in [r#"{"domain":"a\/b"}"#, r#"{"\u0064omain":"a"}"#] {
            assert_eq!(found(escaped), [ESCAPES], "{escaped}");
        }
        assert_eq!(found("{ \"cid\":\"\\u00e9\",\"domain\":\"a\"}"), [ORDER, WHITE_SPACE, ESCAPES]);
    }
}
