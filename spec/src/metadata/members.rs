//! Parses the members of a document, each with its own rule. Absent and null are the same.

use serde_json::{Map, Value};

use super::mistakes::default_value;
use crate::{Id, Refused, Rules};

/// Parses a value; `None` if it has another type.
type Read<T> = fn(&Value) -> Option<T>;

/// A required member.
pub(super) fn required<T: Default>(
    document: &Value,
    name: &str,
    rule: Id,
    read: Read<T>,
    rules: &mut dyn Rules,
) -> Result<T, Refused> {
    match optional(document, name, rule, read, rules)? {
        Some(value) => Ok(value),
        None => rules.refuse(&default_value(rule), (), format!("{name} is missing")),
    }
}

/// An optional member. A value of another type is rejected.
pub(super) fn optional<T>(
    document: &Value,
    name: &str,
    rule: Id,
    read: Read<T>,
    rules: &mut dyn Rules,
) -> Result<Option<T>, Refused> {
    let Some(value) = document.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let value = read(value);
    rules.require(rule, value.is_some(), || format!("{name} has the wrong type"))?;
    Ok(value)
}

/// The objects of a list, each parsed by `of`.
pub(super) fn list<T>(
    document: &Value,
    name: &str,
    rule: Id,
    of: fn(&Value, &mut dyn Rules) -> Result<T, Refused>,
    rules: &mut dyn Rules,
) -> Result<Option<Vec<T>>, Refused> {
    let Some(items) = optional(document, name, rule, objects, rules)? else { return Ok(None) };
    items.iter().map(|item| of(item, rules)).collect::<Result<_, _>>().map(Some)
}

pub(super) fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

pub(super) fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(text).collect()
}

pub(super) fn boolean(value: &Value) -> Option<bool> {
    value.as_bool()
}

pub(super) fn object(value: &Value) -> Option<Map<String, Value>> {
    value.as_object().cloned()
}

/// An array of objects, not parsed further.
pub(super) fn objects(value: &Value) -> Option<Vec<Value>> {
    let items = value.as_array()?;
    items.iter().all(Value::is_object).then(|| items.clone())
}
