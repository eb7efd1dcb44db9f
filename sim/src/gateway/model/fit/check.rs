//! Checks whether a value fits a schema, by the supported keywords. Unknown keywords always hold.

use serde_json::{Map, Value};

use super::{Budget, count, number, resolve, text};

/// Whether `value` fits `schema`, with references looked up in `root`. False if the budget ends first.
pub(super) fn fits(budget: &Budget, root: &Value, schema: &Value, value: &Value) -> bool {
    // A schema that only refers to itself spends the budget one level at a time; the stack must not overflow first.
    const DEEP: usize = 200;
    Check { budget, root }.holds(schema, value, DEEP)
}

/// Whether two values are equal in JSON Schema: numbers by value.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => x == y || x.as_f64() == y.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

struct Check<'a> {
    budget: &'a Budget,
    root: &'a Value,
}

impl Check<'_> {
    fn holds(&self, schema: &Value, value: &Value, deep: usize) -> bool {
        let Some(deep) = deep.checked_sub(1).filter(|_| self.budget.spend(1)) else { return false };
        let members = match schema {
            Value::Bool(holds) => return *holds,
            Value::Object(members) => members,
            _ => return true,
        };
        Self::has_type(members, value)
            && self.has_parts(members, value, deep)
            && members.get("const").is_none_or(|only| equal(only, value))
            && list(members, "enum").is_none_or(|values| values.iter().any(|known| equal(known, value)))
            && match value {
                Value::Object(object) => self.object(members, object, deep),
                Value::Array(items) => self.array(members, items, deep),
                Value::String(text) => text::fits(members, text),
                Value::Number(_) => number_fits(members, value.as_f64().unwrap_or_default()),
                _ => true,
            }
    }

    fn has_type(members: &Map<String, Value>, value: &Value) -> bool {
        let is = |kind: &Value| match kind.as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("null") => value.is_null(),
            Some("number") => value.is_number(),
            Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            _ => false,
        };
        match members.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().any(is),
            Some(kind) => is(kind),
            None => true,
        }
    }

    fn has_parts(&self, members: &Map<String, Value>, value: &Value, deep: usize) -> bool {
        let holds = |schema: &Value| self.holds(schema, value, deep);
        let reference = members.get("$ref").and_then(Value::as_str);
        // External schemas are unknown.
        reference.and_then(|reference| resolve(self.root, reference)).is_none_or(holds)
            && list(members, "allOf").is_none_or(|parts| parts.iter().all(holds))
            && list(members, "anyOf").is_none_or(|parts| parts.iter().any(holds))
            && list(members, "oneOf")
                .is_none_or(|parts| parts.iter().filter(|part| holds(part)).take(2).count() == 1)
            && members.get("not").is_none_or(|part| !holds(part))
    }

    fn object(&self, members: &Map<String, Value>, object: &Map<String, Value>, deep: usize) -> bool {
        let none = Map::new();
        let properties = members.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let further =
            members.get("additionalProperties").filter(|_| !members.contains_key("patternProperties"));
        let required = list(members, "required").into_iter().flatten().filter_map(Value::as_str);
        let holds = |(name, value): (&String, &Value)| {
            properties.get(name).or(further).is_none_or(|schema| self.holds(schema, value, deep))
        };
        required.into_iter().all(|name| object.contains_key(name))
            && count(members, "minProperties").is_none_or(|least| object.len() >= least)
            && number(members, "maxProperties").is_none_or(|most| object.len() as f64 <= most)
            && object.iter().all(holds)
    }

    fn array(&self, members: &Map<String, Value>, items: &[Value], deep: usize) -> bool {
        let none = Vec::new();
        let first = list(members, "prefixItems").or_else(|| list(members, "items")).unwrap_or(&none);
        let rest =
            members.get("items").filter(|rest| !rest.is_array()).or_else(|| members.get("additionalItems"));
        let holds = |(n, item): (usize, &Value)| {
            first.get(n).or(rest).is_none_or(|schema| self.holds(schema, item, deep))
        };
        let is_unique = || items.iter().enumerate().all(|(n, a)| !items[..n].iter().any(|b| equal(a, b)));
        count(members, "minItems").is_none_or(|least| items.len() >= least)
            && number(members, "maxItems").is_none_or(|most| items.len() as f64 <= most)
            && items.iter().enumerate().all(holds)
            && (members.get("uniqueItems") != Some(&Value::Bool(true)) || is_unique())
            && members
                .get("contains")
                .is_none_or(|part| items.iter().any(|item| self.holds(part, item, deep)))
    }
}

fn number_fits(members: &Map<String, Value>, value: f64) -> bool {
    let bound = |key| number(members, key);
    bound("minimum").is_none_or(|least| value >= least)
        && bound("exclusiveMinimum").is_none_or(|least| value > least)
        && bound("maximum").is_none_or(|most| value <= most)
        && bound("exclusiveMaximum").is_none_or(|most| value < most)
        && bound("multipleOf").is_none_or(|step| step == 0.0 || (value / step).fract() == 0.0)
}

fn list<'a>(members: &'a Map<String, Value>, key: &str) -> Option<&'a Vec<Value>> {
    members.get(key).and_then(Value::as_array)
}
