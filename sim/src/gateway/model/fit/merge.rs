//! Merges several schemas that all apply into one.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::resolve;

/// The maximum length of a chain of references.
const CHAIN: usize = 16;
/// The maximum number of branches of one schema.
const BRANCHES: usize = 64;

/// The schema without `$ref` and `allOf` at its top; `None` if it has neither.
pub(super) fn flat(root: &Value, members: &Map<String, Value>) -> Option<Value> {
    if !members.contains_key("$ref") && !members.get("allOf").is_some_and(Value::is_array) {
        return None;
    }
    let mut rest: Map<String, Value> = members.clone();
    // References are looked up in the whole schema, so no part has to carry these.
    for definitions in ["$defs", "definitions"] {
        rest.shift_remove(definitions);
    }
    let mut whole = Cow::Owned(Value::Bool(true));
    if let Some(reference) = rest.shift_remove("$ref") {
        let named = reference.as_str().and_then(|reference| follow(root, reference));
        // External schemas are not fetched, so nothing is known about them.
        whole = Cow::Borrowed(named.unwrap_or(&Value::Bool(true)));
    }
    if let Some(Value::Array(parts)) = rest.shift_remove("allOf") {
        for part in &parts {
            whole = Cow::Owned(both(&whole, part));
        }
    }
    Some(both(&whole, &Value::Object(rest)))
}

/// A schema whose values fit both, as far as one schema can say that.
pub(super) fn both(a: &Value, b: &Value) -> Value {
    let (a, b) = match (a, b) {
        (Value::Bool(false), _) | (_, Value::Bool(false)) => return Value::Bool(false),
        (Value::Object(a), Value::Object(b)) => (a, b),
        (Value::Object(_), _) => return a.clone(),
        _ => return b.clone(),
    };
    let mut merged = a.clone();
    for (key, value) in b {
        match merged.get_mut(key) {
            None => {
                merged.insert(key.clone(), value.clone());
            }
            Some(old) => *old = word(key, old, value).unwrap_or_else(|| value.clone()),
        }
    }
    Value::Object(merged)
}

/// The value of a keyword when both apply; `None` if one value cannot say that.
fn word(key: &str, a: &Value, b: &Value) -> Option<Value> {
    if a == b {
        return Some(a.clone());
    }
    let list = || Some((a.as_array()?, b.as_array()?));
    match key {
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
            Some(if a.as_f64()? >= b.as_f64()? { a.clone() } else { b.clone() })
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            Some(if a.as_f64()? <= b.as_f64()? { a.clone() } else { b.clone() })
        }
        "multipleOf" => {
            let (x, y) = (a.as_f64()?, b.as_f64()?);
            Some(if x % y == 0.0 {
                a.clone()
            } else if y % x == 0.0 {
                b.clone()
            } else {
                Value::from(x * y)
            })
        }
        "required" | "allOf" => list().map(|(a, b)| Value::Array([a.as_slice(), b].concat())),
        "properties" => {
            let mut merged = a.as_object()?.clone();
            for (name, schema) in b.as_object()? {
                let schema = merged.get(name).map_or_else(|| schema.clone(), |old| both(old, schema));
                merged.insert(name.clone(), schema);
            }
            Some(Value::Object(merged))
        }
        "enum" => list().map(|(a, b)| a.iter().filter(|value| b.contains(value)).cloned().collect()),
        "type" => Some(types(a, b)),
        "items" | "additionalProperties" | "contains" if !a.is_array() && !b.is_array() => Some(both(a, b)),
        "uniqueItems" => Some(Value::Bool(true)),
        // One branch of each: exactly one pair fits if exactly one of each does.
        "anyOf" | "oneOf" => {
            let (a, b) = list()?;
            let pairs = a.iter().flat_map(|a| b.iter().map(move |b| json!({ "allOf": [a, b] })));
            Some(pairs.take(BRANCHES).collect())
        }
        "not" => Some(json!({ "anyOf": [a, b] })),
        _ => None,
    }
}

fn types(a: &Value, b: &Value) -> Value {
    let list = |types: &Value| match types {
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    let (a, b) = (list(a), list(b));
    let has = |types: &[Value], name: &str| types.iter().any(|known| known == name);
    let common = a.iter().filter(|name| b.contains(name)).cloned();
    let mut common: Vec<Value> = common.collect();
    // Every integer is a number.
    let narrowed = has(&a, "integer") && has(&b, "number") || has(&b, "integer") && has(&a, "number");
    if narrowed && !has(&common, "integer") && !has(&common, "number") {
        common.push("integer".into());
    }
    if let [one] = common.as_slice() { one.clone() } else { Value::Array(common) }
}

fn follow<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let mut schema = resolve(root, reference)?;
    for _ in 0..CHAIN {
        let Some(members) = schema.as_object() else { return Some(schema) };
        match members.get("$ref").and_then(Value::as_str) {
            Some(next) if members.len() == 1 => schema = resolve(root, next)?,
            _ => return Some(schema),
        }
    }
    Some(&Value::Bool(false))
}
