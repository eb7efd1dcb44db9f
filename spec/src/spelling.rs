//! Spellings of a JSON body that mean the same (document 3, "Exchange (both endpoints)").

use memchr::memchr2;
use serde_json::{Value, json};

use crate::rules::Mistake;
use crate::value::{ValueKind, strings};
use crate::{Refused, Rules};

/// The members are in another order: the one that the document names first is not the first.
pub const ORDER: &str = "order";
/// White space is between the tokens.
pub const WHITE_SPACE: &str = "white-space";
/// Characters are escaped that need not be.
pub const ESCAPES: &str = "escapes";

/// The member that the documents name first, of each body.
const FIRST: [&str; 5] = ["model", "message", "seed", "domain", "prepareId"];

/// A spelling of a body, by its name.
macro_rules! spelling {
    ($name:expr) => {
        ValueKind::text(
            $name,
            |_| Some(json!([$name])),
            |sent| sent.and_then(Value::as_array).is_some_and(|found| found.contains(&json!($name))),
        )
        .beyond_quick()
    };
}

/// Spellings of a body that mean the same. The first value has them all.
pub const SPELLINGS: &[ValueKind] = &[
    strings!(one "mixed", json!([ORDER, WHITE_SPACE, ESCAPES])),
    spelling!(ORDER),
    spelling!(WHITE_SPACE),
    spelling!(ESCAPES),
];

/// The mistake of a program that rejects bodies in some spellings.
type Spelled = Mistake<fn(&[&'static str]) -> Result<(), String>>;

/// Takes a body with the names of these members in any spelling, unless the rule is violated.
pub fn accept<'a>(
    rule: &Spelled,
    body: &[u8],
    names: impl Iterator<Item = &'a String>,
    rules: &mut dyn Rules,
) -> Result<(), Refused> {
    let found = found_in(body, names);
    if found.is_empty() {
        return Ok(());
    }
    rules.accept_value(rule.rule, &json!(found), None)?;
    rules.accept(rule, &found)
}

/// The mistake of a program that finds members with a pattern, not with a parser.
pub(crate) fn refuse_blanks(spelled: &[&'static str]) -> Result<(), String> {
    if spelled.contains(&WHITE_SPACE) { Err("there is white space".to_owned()) } else { Ok(()) }
}

/// What is unusual in the spelling of a body with the names of these members, in any order.
fn found_in<'a>(body: &[u8], mut names: impl Iterator<Item = &'a String>) -> Vec<&'static str> {
    let (mut has_blanks, mut has_escapes, mut first, mut at) = (false, false, None, 0);
    while let Some(&byte) = body.get(at) {
        at += 1;
        if byte != b'"' {
            has_blanks |= byte.is_ascii_whitespace();
            continue;
        }
        let start = at - 1;
        while let Some(found) = body.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
            at += found + 1;
            if body[at - 1] == b'"' {
                break;
            }
            has_escapes |= is_needless(&body[at..]);
            at += 1;
        }
        first = first.or_else(|| serde_json::from_slice(&body[start..at]).ok());
    }
    let first: String = first.unwrap_or_default();
    let is_named = |name: &str| FIRST.contains(&name);
    let is_reordered = !is_named(&first) && names.any(|name| is_named(name));
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
    use serde_json::Map;

    use super::*;

    #[test]
    fn each_spelling_is_recognized() {
        let found = |body: &str| {
            let members: Map<String, Value> = serde_json::from_str(body).expect("an object");
            let names: std::collections::BTreeSet<&String> = members.keys().collect();
            found_in(body.as_bytes(), names.into_iter())
        };
        assert_eq!(found(r#"{"domain":"a b\"\\\u0001","cid":"c"}"#), [""; 0]);
        assert_eq!(found(r#"{"cid":"c","domain":"a"}"#), [ORDER]);
        assert_eq!(found(r#"{"signature":"c","prepareId":"a"}"#), [ORDER]);
        assert_eq!(found(r#"{"model":"c","messages":["a"]}"#), [""; 0]);
        assert_eq!(found(r#"{"max":1,"seed":"a"}"#), [ORDER]);
        assert_eq!(found(r#"{"domain": "a"}"#), [WHITE_SPACE]);
        for escaped in [r#"{"domain":"a\/b"}"#, r#"{"\u0064omain":"a"}"#] {
            assert_eq!(found(escaped), [ESCAPES], "{escaped}");
        }
        assert_eq!(found("{ \"cid\":\"\\u00e9\",\"domain\":\"a\"}"), [ORDER, WHITE_SPACE, ESCAPES]);
    }
}
