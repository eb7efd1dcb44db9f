//! Members of a document, each under the rule that speaks of it. Absent and null are the same.

use serde_json::{Map, Value};

use crate::{Id, Refused, Rules};

/// What a reader makes of a value; nothing where it is of another type.
type Read<T> = fn(&Value) -> Option<T>;

/// A member that must be there.
pub(super) fn required<T: Default>(
    document: &Value,
    name: &str,
    rule: Id,
    read: Read<T>,
    rules: &mut impl Rules,
) -> Result<T, Refused> {
    optional(document, name, rule, read, rules)?
        .map_or_else(|| rules.parse(rule, || Err(format!("{name} is not there")), || Ok(T::default())), Ok)
}

/// A member that may be there; one of another type is refused.
pub(super) fn optional<T>(
    document: &Value,
    name: &str,
    rule: Id,
    read: Read<T>,
    rules: &mut impl Rules,
) -> Result<Option<T>, Refused> {
    let Some(value) = document.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let strict = || read(value).map(Some).ok_or_else(|| format!("{name} is of another type"));
    // A value that is good is read all the same: what stands in it has rules of its own.
    rules.parse(rule, strict, || Ok(read(value)))
}

/// The objects of a list, each read by `of`.
pub(super) fn list<T, G: Rules>(
    document: &Value,
    name: &str,
    rule: Id,
    of: fn(&Value, &mut G) -> Result<T, Refused>,
    rules: &mut G,
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

/// An array of objects, as they are.
pub(super) fn objects(value: &Value) -> Option<Vec<Value>> {
    let items = value.as_array()?;
    items.iter().all(Value::is_object).then(|| items.clone())
}
