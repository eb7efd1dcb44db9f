//! Writes JSON bodies in other spellings, independently of how they are recognized.

use assay_spec::spelling::{ESCAPES, ORDER, WHITE_SPACE};
use assay_spec::value::ValueKind;
use serde_json::Value;

/// Every spelling at once.
pub(crate) const ALL: &[&str] = &[ORDER, WHITE_SPACE, ESCAPES];

/// A JSON value in these spellings: members in reverse order, white space, escapes that need not be. The value of the member `kept`
/// is written as it is signed.
pub(crate) fn respelled(value: &Value, spellings: &[&str], kept: &str) -> String {
    let has = |name: &str| spellings.contains(&name);
    let string = |text: &str| if has(ESCAPES) { escaped(text) } else { Value::from(text).to_string() };
    let [before, colon, comma, after] =
        if has(WHITE_SPACE) { ["\r\n\t", " : ", " ,\n  ", "\n"] } else { ["", ":", ",", ""] };
    let (open, close, inside) = match value {
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                let value = if name == kept { value.to_string() } else { respelled(value, spellings, kept) };
                format!("{}{colon}{value}", string(name))
            };
            let mut members: Vec<String> = members.iter().map(member).collect();
            if has(ORDER) {
                members.reverse();
            }
            ('{', '}', members)
        }
        Value::Array(items) => {
            ('[', ']', items.iter().map(|item| respelled(item, spellings, kept)).collect())
        }
        Value::String(text) => return string(text),
        other => return other.to_string(),
    };
    format!("{open}{before}{}{after}{close}{after}", inside.join(comma))
}

/// A body in the spelling of this kind.
pub(crate) fn spelled_as(value: &Value, kind: &ValueKind, kept: &str) -> String {
    let names = kind.instead_of(&Value::Null).unwrap_or_default();
    let names: Vec<&str> = names.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    respelled(value, &names, kept)
}

/// A string with escapes that need not be: of its first letter, of each slash and of each letter beyond ASCII.
fn escaped(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().filter(char::is_ascii_alphabetic);
    let rest = if first.is_some() { letters.as_str() } else { text };
    let first = first.map_or_else(String::new, |letter| format!("\\u{:04x}", u32::from(letter)));
    let rest = Value::from(rest).to_string().replace('/', "\\/");
    let ascii = rest.encode_utf16().map(|unit| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii() => char::from(byte).to_string(),
        _ => format!("\\u{unit:04x}"),
    });
    format!("\"{first}{}", &ascii.collect::<String>()[1..])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_spelling_has_the_same_value() {
        let value = json!({ "model": "a/b", "n": [1, true, "", "\u{1f30a}\"", {}], "signed": { "a": "/" } });
        let plain = value.to_string();
        for spellings in [&[][..], &[ORDER], &[WHITE_SPACE], &[ESCAPES], ALL] {
            let other = respelled(&value, spellings, "signed");
            assert_eq!(serde_json::from_str::<Value>(&other).expect("JSON"), value);
            assert!(other.contains(r#"{"a":"/"}"#), "{other}");
            assert_eq!(other == plain, spellings.is_empty(), "{other}");
        }
        let other = respelled(&value, ALL, "");
        assert!(
            other.contains("\"\\u006dodel\" : \"\\u0061\\/b\"") && other.contains("\\ud83c\\udf0a"),
            "{other}"
        );
        assert!(other.is_ascii(), "{other}");
    }
}
