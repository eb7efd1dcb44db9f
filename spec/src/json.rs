//! JSON whose bytes matter: compact strings, and objects without duplicate keys.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The largest integer that every JSON parser keeps exactly: 2^53 - 1.
pub const MAX_INTEGER: i64 = (1 << 53) - 1;

/// Why parsing failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is not valid JSON.
    #[error("{0}")]
    Syntax(String),
    /// An object has a duplicate key.
    #[error("the key {0:?} appears twice in one object")]
    Duplicate(String),
}

/// Removes the whitespace between tokens. Numbers, escapes and the order of keys stay the same. `text` must be valid
/// JSON.
pub fn compact(text: &str) -> String {
    let mut compact = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if !in_string && matches!(c, ' ' | '\t' | '\n' | '\r') {
            continue;
        }
        compact.push(c);
        if in_string {
            in_string = escaped || c != '"';
            escaped = c == '\\' && !escaped;
        } else {
            in_string = c == '"';
        }
    }
    compact
}

/// Parses JSON. An integer with a zero fraction or an exponent becomes an integer.
pub fn parse(text: &[u8]) -> serde_json::Result<Value> {
    let mut value = serde_json::from_slice(text)?;
    simplify(&mut value);
    Ok(value)
}

fn simplify(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Object(members) => members.values_mut().for_each(simplify),
        Value::Number(number) if number.is_f64() => {
            if let Some(integer) = integer(value) {
                *value = integer.into();
            }
        }
        _ => {}
    }
}

/// Parses JSON in which no object, at any depth, has a duplicate key. An integer with a zero fraction or an exponent
/// becomes an integer, as in [`parse`]. `serde_json` limits the nesting depth.
pub fn parse_unique(text: &str) -> Result<Value, Fault> {
    let mut duplicate = None;
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = Unique(&mut duplicate).deserialize(&mut reader).and_then(|value| {
        reader.end()?;
        Ok(value)
    });
    match (read, duplicate) {
        (Ok(value), None) => Ok(value),
        (_, Some(key)) => Err(Fault::Duplicate(key)),
        (Err(e), None) => Err(Fault::Syntax(e.to_string())),
    }
}

/// Whether `found` holds all that was sent. Members that a server adds to objects are ignored.
pub fn holds(found: &Value, sent: &Value) -> bool {
    match (found, sent) {
        (Value::Object(found), Value::Object(sent)) => {
            sent.iter().all(|(name, sent)| found.get(name).is_some_and(|found| holds(found, sent)))
        }
        (Value::Array(found), Value::Array(sent)) => {
            found.len() == sent.len() && found.iter().zip(sent).all(|(found, sent)| holds(found, sent))
        }
        _ => found == sent,
    }
}

/// As [`holds`], with the members of each object in the order in which they were sent: hashes and signatures cover the order.
pub fn holds_in_order(found: &Value, sent: &Value) -> bool {
    holds(found, sent)
        && match (found, sent) {
            (Value::Object(found), Value::Object(sent)) => {
                let mut names = found.keys();
                sent.keys().all(|name| names.any(|found| found == name))
                    && sent.iter().all(|(name, sent)| holds_in_order(&found[name], sent))
            }
            (Value::Array(found), Value::Array(sent)) => {
                found.iter().zip(sent).all(|(found, sent)| holds_in_order(found, sent))
            }
            _ => true,
        }
}

/// A member in a reason: its JSON, or `missing`.
pub fn shown(member: Option<&Value>) -> String {
    member.map_or_else(|| "missing".to_owned(), Value::to_string)
}

/// The integer that a value is, in any notation: `7`, `7.0`, `7e0`. Beyond 2^53 a fraction or an exponent is inexact, so
/// there it is not an integer.
pub fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_f64().and_then(whole))
}

/// Whether a value is an integer of any size, in any notation.
pub fn is_integer(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn whole(value: f64) -> Option<i64> {
    (value.fract() == 0.0 && value.abs() <= GREATEST).then_some(value as i64)
}

/// [`MAX_INTEGER`].
const GREATEST: f64 = 9_007_199_254_740_991.0;
/// Common serializers write smaller fractions in different notations.
const SMALLEST: f64 = 0.0001;

/// The first number in `value` that common serializers write differently: an integer that is not between -(2^53 - 1) and
/// 2^53 - 1, or a fraction below 0.0001. All of them write other fractions in their shortest form.
pub fn odd_number(value: &Value) -> Option<&serde_json::Number> {
    match value {
        Value::Number(number) => {
            let is_whole = number.as_i64().is_some_and(|n| (-MAX_INTEGER..=MAX_INTEGER).contains(&n));
            let is_fraction =
                number.is_f64() && number.as_f64().is_some_and(|n| (SMALLEST..GREATEST).contains(&n.abs()));
            (!is_whole && !is_fraction).then_some(number)
        }
        Value::Array(items) => items.iter().find_map(odd_number),
        Value::Object(members) => members.values().find_map(odd_number),
        _ => None,
    }
}

/// Parses a value and stores the first duplicate key in the referenced option.
struct Unique<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(whole(value).map_or_else(|| value.into(), Value::from))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(Unique(&mut *self.0))? {
            array.push(item);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(Unique(&mut *self.0))?;
            if object.insert(key.clone(), value).is_some() {
                let why = A::Error::custom("duplicate key");
                self.0.get_or_insert(key);
                return Err(why);
            }
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_shown_as_sent() {
        let body = json!({ "cid": null, "op": "pub" });
        assert_eq!(["cid", "op", "domain"].map(|name| shown(body.get(name))), ["null", "\"pub\"", "missing"]);
    }

    #[test]
    fn only_whitespace_between_tokens_is_removed() {
        let text = "{ \"a\\\" b\\\\\" :\t[1.50, \"x  y\\\\\" ,\n1e5 ] }\r\n";
        assert_eq!(compact(text), "{\"a\\\" b\\\\\":[1.50,\"x  y\\\\\",1e5]}");
    }

    #[test]
    fn duplicate_key_is_named() {
        let fault = |text| parse_unique(text).unwrap_err();
        assert_eq!(fault(r#"{"a":1,"b":{"c":[{"d":1,"d":2}]}}"#), Fault::Duplicate("d".into()));
        assert_eq!(fault(r#"{"a":1,"a":1}"#), Fault::Duplicate("a".into()));
        for bad in ["", "{", "{}x", "[1,]", "{\"a\" 1}", "nul", &"[".repeat(100_000)] {
            assert!(matches!(fault(bad), Fault::Syntax(_)), "{bad:.20}");
        }
    }

    #[test]
    fn odd_numbers_are_found_at_any_depth() {
        assert_eq!(odd_number(&json!({"a": [1, {"b": MAX_INTEGER, "c": -MAX_INTEGER}]})), None);
        assert_eq!(odd_number(&json!([1.5, -0.0001, 4_503_599_627_370_495.5])), None);
        for odd in
            [json!([0.00009]), json!({"a": MAX_INTEGER + 1}), json!({"a": {"b": 1e300}}), json!(u64::MAX)]
        {
            assert!(odd_number(&odd).is_some(), "{odd}");
        }
    }

    #[test]
    fn integer_may_have_any_notation() {
        for (text, is) in [("7.0", "7"), ("7e2", "700"), ("-0", "0"), ("-0.0", "0"), ("1.50", "1.5")] {
            assert_eq!(parse_unique(text).unwrap().to_string(), is, "{text}");
            let inside = format!(r#"{{"a":[{text}]}}"#);
            assert_eq!(parse(inside.as_bytes()).unwrap().to_string(), inside.replace(text, is));
        }
        assert_eq!(
            ["1", "1.0", "1e0"].map(|text| integer(&serde_json::from_str(text).unwrap())),
            [Some(1); 3]
        );
        for value in [json!(1.5), json!(9_007_199_254_740_992.0), json!("1"), json!(u64::MAX), json!(null)] {
            assert_eq!(integer(&value), None, "{value}");
            assert_eq!(is_integer(&value), value.is_number() && value != 1.5, "{value}");
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,8}".prop_map(Value::from),
            "[\"\\\\ \t\n]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[ -~]{0,6}", inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_parse_as_in_serde_json(value in values()) {
            prop_assert_eq!(parse_unique(&value.to_string()), Ok(value));
        }

        #[test]
        fn compact_reverts_pretty_printing(value in values()) {
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(compact(&pretty), value.to_string());
        }
    }

    #[test]
    fn added_object_members_are_ignored() {
        let sent = json!({ "a": [1, { "b": null }], "c": "d" });
        for (found, holds_it) in [
            (sent.clone(), true),
            (json!({ "c": "d", "more": 1, "a": [1, { "b": null, "more": [] }] }), true),
            (json!({ "a": [1, { "b": null }] }), false),
            (json!({ "a": [1, { "b": null }, 2], "c": "d" }), false),
            (json!({ "a": [1, {}], "c": "d" }), false),
            (json!([]), false),
        ] {
            assert_eq!(holds(&found, &sent), holds_it, "{found}");
        }
    }
}
