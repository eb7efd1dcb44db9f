//! Makes values that fit a JSON Schema.
//!
//! It supports the types, `const`, `enum`, the bounds of numbers, strings, arrays and objects, `format`, `pattern`,
//! `allOf`, `anyOf`, `oneOf`, `not` and references inside the schema. A schema that nothing fits, that asks for more
//! than a few kilobytes, or that refers to itself endlessly gets a value that does not fit: no input must stop the
//! model.

mod check;
mod make;
mod merge;
mod text;

use std::cell::Cell;

use serde_json::{Map, Value};

use self::make::Maker;
use super::dice::Dice;

/// How many values are tried; the last one is used in any case.
const TRIES: usize = 6;
/// How many schemas are followed, inspected or copied for one value.
const BUDGET: usize = 50_000;
/// The maximum number of values in a schema.
const LARGEST: usize = 20_000;
/// The maximum number of words used.
const WORDS: usize = 256;

/// Arguments of a call: an object. Strings use the words of the question.
pub(super) fn arguments(dice: &mut Dice, schema: &Value, said: &str) -> Value {
    // Arguments are an object even if the schema leaves that open.
    let is_open = schema.as_object().is_none_or(|members| {
        !["type", "$ref", "allOf", "anyOf", "oneOf", "const", "enum"]
            .iter()
            .any(|key| members.contains_key(*key))
    });
    let mut schema = if schema.is_object() { schema.clone() } else { Value::Object(Map::new()) };
    if is_open && let Some(members) = schema.as_object_mut() {
        members.insert("type".to_owned(), "object".into());
    }
    let value = value(dice, &schema, said);
    if value.is_object() { value } else { Value::Object(Map::new()) }
}

/// A value that fits the schema.
pub(super) fn value(dice: &mut Dice, schema: &Value, said: &str) -> Value {
    let mut words = super::talk::words(said);
    words.truncate(WORDS);
    // Questions are mostly about names.
    let names: Vec<&str> =
        words.iter().skip(1).copied().filter(|word| word.starts_with(char::is_uppercase)).collect();
    let words = if names.is_empty() { words } else { names };
    let budget = Budget(Cell::new(BUDGET));
    let mut last = Value::Null;
    if nodes(schema) > LARGEST {
        return last;
    }
    for _ in 0..TRIES {
        let mut maker = Maker::new(dice, schema, &words, &budget);
        if let Some(value) = maker.make(schema, 0) {
            if check::fits(&budget, schema, schema, &value) {
                return value;
            }
            last = value;
        }
    }
    last
}

/// The remaining work for one value: no schema, however nested, may take long.
struct Budget(Cell<usize>);

impl Budget {
    /// Spends `amount`; returns false if not enough is left.
    fn spend(&self, cost: usize) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(cost));
        left >= cost
    }
}

/// The part of a schema that a reference inside it names.
fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    let pointer = percent_encoding::percent_decode_str(pointer).decode_utf8().ok()?;
    root.pointer(&pointer)
}

/// The number of values inside this one, including itself.
fn nodes(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + members.values().map(nodes).sum::<usize>(),
        Value::Array(items) => 1 + items.iter().map(nodes).sum::<usize>(),
        _ => 1,
    }
}

/// The number under this key.
fn number(schema: &Map<String, Value>, key: &str) -> Option<f64> {
    schema.get(key).and_then(Value::as_f64)
}

/// The count under this key; a count may be written as `2.0`.
fn count(schema: &Map<String, Value>, key: &str) -> Option<usize> {
    let number = number(schema, key).filter(|number| *number >= 0.0)?;
    Some(number.ceil() as usize)
}
