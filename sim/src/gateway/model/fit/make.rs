//! Makes a value for a schema.

use serde_json::{Map, Number, Value};

use super::{Budget, check, count, merge, nodes, number, text};
use crate::gateway::model::dice::Dice;

/// From this depth on only required parts are made.
const SHALLOW: usize = 4;
/// The maximum depth.
const DEEP: usize = 24;
/// How often a draw is repeated if its result does not fit.
const AGAIN: usize = 4;
/// The maximum number of items of an array, or members of an object.
const ITEMS: usize = 64;
/// The largest integer that every JSON reader preserves.
const SAFE: f64 = 9_007_199_254_740_991.0;

/// Makes one value.
pub(super) struct Maker<'a> {
    pub(super) dice: &'a mut Dice,
    root: &'a Value,
    pub(super) words: &'a [&'a str],
    pub(super) budget: &'a Budget,
}

impl<'a> Maker<'a> {
    /// `root` is the schema in which references are looked up; `words` are the words to use.
    pub(super) fn new(dice: &'a mut Dice, root: &'a Value, words: &'a [&'a str], budget: &'a Budget) -> Self {
        Maker { dice, root, words, budget }
    }

    /// A value for this schema at this depth; `None` if none was found.
    pub(super) fn make(&mut self, schema: &Value, depth: usize) -> Option<Value> {
        if depth > DEEP || !self.budget.spend(1) {
            return None;
        }
        let members = match schema {
            Value::Bool(false) => return None,
            Value::Object(members) => members,
            _ => return Some(Value::from(self.word())),
        };
        if let Some(merged) = merge::flat(self.root, members) {
            // Copying costs budget.
            return self.budget.spend(nodes(&merged)).then(|| self.make(&merged, depth + 1))?;
        }
        if let Some(unwanted) = members.get("not") {
            let mut rest = members.clone();
            rest.shift_remove("not");
            let rest = Value::Object(rest);
            return (0..2 * AGAIN).find_map(|_| {
                let value = self.make(&rest, depth + 1)?;
                (!self.fits(unwanted, &value)).then_some(value)
            });
        }
        for branches in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = members.get(branches) {
                return self.branch(members, branches, depth);
            }
        }
        if let Some(value) = members.get("const") {
            return Some(value.clone());
        }
        if let Some(Value::Array(values)) = members.get("enum") {
            let fits = |value: &&Value| self.fits(schema, value);
            let values: Vec<&Value> = values.iter().filter(fits).collect();
            return values.get(self.dice.below(values.len())).copied().cloned();
        }
        if let Some(value) = self.given(schema, members) {
            return Some(value);
        }
        match self.kind(members) {
            "object" => self.object(members, depth),
            "array" => self.array(members, depth),
            "integer" => self.number(members, true),
            "number" => self.number(members, false),
            "boolean" => Some(Value::Bool(self.dice.below(2) == 0)),
            "null" => Some(Value::Null),
            _ => text::make(self, members).map(Value::from),
        }
    }

    /// A word of the question.
    pub(super) fn word(&mut self) -> String {
        let word = self.words.get(self.dice.below(self.words.len()));
        word.map_or_else(|| "anything".to_owned(), |word| (*word).to_owned())
    }

    fn fits(&self, schema: &Value, value: &Value) -> bool {
        check::fits(self.budget, self.root, schema, value)
    }

    /// An example from the schema itself, if it fits.
    fn given(&mut self, schema: &Value, members: &Map<String, Value>) -> Option<Value> {
        let examples = members.get("examples").and_then(Value::as_array).into_iter().flatten();
        let given = examples.chain(members.get("default"));
        let given: Vec<&Value> = given.filter(|value| self.fits(schema, value)).collect();
        given.get(self.dice.below(given.len())).copied().cloned()
    }

    /// The rest of the schema holds besides its branches. Branches are tried in order from a random one; deep down,
    /// from the one that is least nested.
    fn branch(&mut self, members: &Map<String, Value>, branches: &[Value], depth: usize) -> Option<Value> {
        let mut order: Vec<usize> = (0..branches.len()).collect();
        if depth > SHALLOW {
            order.sort_by_key(|n| weight(&branches[*n]));
        } else if !order.is_empty() {
            let first = self.dice.below(order.len());
            order.rotate_left(first);
        }
        let whole = Value::Object(members.clone());
        let mut rest = members.clone();
        let key = if members.get("anyOf").and_then(Value::as_array).is_some() { "anyOf" } else { "oneOf" };
        rest.shift_remove(key);
        let rest = Value::Object(rest);
        // Another draw may fit.
        order.iter().cycle().take(AGAIN * order.len()).find_map(|n| {
            let both = merge::both(&rest, &branches[*n]);
            let value = self.budget.spend(nodes(&both)).then(|| self.make(&both, depth + 1))??;
            self.fits(&whole, &value).then_some(value)
        })
    }

    /// The type: one of those named, otherwise the one that the other keywords suggest.
    fn kind<'b>(&mut self, members: &'b Map<String, Value>) -> &'b str {
        match members.get("type") {
            Some(Value::String(kind)) => return kind,
            Some(Value::Array(kinds)) => {
                let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
                // An unsuitable value is better than none.
                let something: Vec<&str> = kinds.iter().copied().filter(|kind| *kind != "null").collect();
                return something.get(self.dice.below(something.len())).copied().unwrap_or("null");
            }
            _ => {}
        }
        let has = |keys: &[&str]| keys.iter().any(|key| members.contains_key(*key));
        if has(&["properties", "required", "additionalProperties", "minProperties"]) {
            "object"
        } else if has(&["items", "prefixItems", "minItems", "contains"]) {
            "array"
        } else if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
            "number"
        } else {
            "string"
        }
    }

    fn object(&mut self, members: &Map<String, Value>, depth: usize) -> Option<Value> {
        let none = Map::new();
        let properties = members.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required = members.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: Vec<&str> = required.filter_map(Value::as_str).collect();
        let least = count(members, "minProperties").unwrap_or_default();
        let most = count(members, "maxProperties").unwrap_or(ITEMS);
        let any = Value::Bool(true);
        let further = members.get("additionalProperties").unwrap_or(&any);
        let mut made = Map::new();
        for name in &required {
            if !made.contains_key(*name) {
                let value = self.make(properties.get(*name).unwrap_or(further), depth + 1)?;
                made.insert((*name).to_owned(), value);
            }
        }
        for (name, schema) in properties {
            let is_welcome = depth < SHALLOW && made.len() < most.min(ITEMS) && self.dice.below(4) > 0;
            if (is_welcome || made.len() < least)
                && !made.contains_key(name)
                && let Some(value) = self.make(schema, depth + 1)
            {
                made.insert(name.clone(), value);
            }
        }
        if least > ITEMS || made.len() > most {
            return None;
        }
        for n in 1.. {
            if made.len() >= least {
                break;
            }
            let name = format!("{}_{n}", text::plain(&self.word()));
            let value = self.make(further, depth + 1)?;
            made.entry(name).or_insert(value);
        }
        // In the order of the schema, as models write them.
        let place = |name: &str| properties.keys().position(|known| known == name).unwrap_or(usize::MAX);
        let mut made: Vec<(String, Value)> = made.into_iter().collect();
        made.sort_by_key(|(name, _)| place(name));
        Some(Value::Object(made.into_iter().collect()))
    }

    fn array(&mut self, members: &Map<String, Value>, depth: usize) -> Option<Value> {
        let least = count(members, "minItems").unwrap_or_default();
        let most = number(members, "maxItems").map_or(ITEMS, |most| most.max(0.0) as usize);
        let welcome = if depth < SHALLOW { 1 + self.dice.below(2) } else { 0 };
        let length = least.max(welcome).min(most);
        if least > ITEMS.min(most) {
            return None;
        }
        let none = Vec::new();
        let first = members.get("prefixItems").or_else(|| members.get("items")).and_then(Value::as_array);
        let first = first.unwrap_or(&none);
        let any = Value::Bool(true);
        let rest = members
            .get("items")
            .filter(|rest| !rest.is_array())
            .or_else(|| members.get("additionalItems"))
            .unwrap_or(&any);
        let contained = members.get("contains");
        let is_unique = members.get("uniqueItems") == Some(&Value::Bool(true));
        let mut items: Vec<Value> = Vec::new();
        for n in 0..length.max(usize::from(contained.is_some())) {
            let schema = first.get(n).unwrap_or(rest);
            let schema = match contained {
                Some(contained) if n == 0 => merge::both(schema, contained),
                _ => schema.clone(),
            };
            let made = (0..3 * AGAIN).find_map(|_| {
                let item = self.make(&schema, depth + 1)?;
                (!is_unique || !items.iter().any(|other| check::equal(other, &item))).then_some(item)
            });
            match made {
                Some(item) => items.push(item),
                None if items.len() >= least => break,
                None => return None,
            }
        }
        Some(Value::Array(items))
    }

    fn number(&mut self, members: &Map<String, Value>, is_integer: bool) -> Option<Value> {
        let step = number(members, "multipleOf").filter(|step| *step > 0.0);
        let step = match (step, is_integer) {
            (None, true) => 1.0,
            (None, false) => 0.5,
            (Some(step), true) if step.fract() != 0.0 => {
                (1..=1_000).map(|times| step * f64::from(times)).find(|product| product.fract() == 0.0)?
            }
            (Some(step), _) => step,
        };
        let given = |key| number(members, key);
        let least = given("minimum").into_iter().chain(given("exclusiveMinimum")).reduce(f64::max);
        let most = given("maximum").into_iter().chain(given("exclusiveMaximum")).reduce(f64::min);
        let holds = |value: f64| {
            given("minimum").is_none_or(|bound| value >= bound)
                && given("exclusiveMinimum").is_none_or(|bound| value > bound)
                && given("maximum").is_none_or(|bound| value <= bound)
                && given("exclusiveMaximum").is_none_or(|bound| value < bound)
                && (!is_integer || value.abs() <= SAFE)
        };
        // Upwards from the lower bound, downwards from the upper bound, or around zero.
        let (start, towards) = match (least, most) {
            (Some(least), _) => ((least / step).ceil(), 1.0),
            (None, Some(most)) => ((most / step).floor(), -1.0),
            (None, None) => (0.0, 1.0),
        };
        let drawn = self.dice.below(20) as f64;
        let steps = [drawn, drawn % 3.0, 0.0, 1.0].map(|n| (start + towards * n) * step);
        let found = steps.into_iter().find(|value| holds(*value));
        if let Some(value) = found {
            return written(value, is_integer);
        }
        // The bounds are closer together than one step.
        let (least, most) = (least?, most?);
        let middle = f64::midpoint(least, most);
        (!is_integer && !members.contains_key("multipleOf") && holds(middle))
            .then(|| written(middle, false))?
    }
}

fn written(value: f64, is_integer: bool) -> Option<Value> {
    if value.fract() == 0.0 && value.abs() <= SAFE {
        return Some(Value::from(value as i64));
    }
    if is_integer { None } else { Number::from_f64(value).map(Value::Number) }
}

/// How deep a branch is likely to lead.
fn weight(schema: &Value) -> usize {
    let Some(members) = schema.as_object() else { return 0 };
    let leads = |key: &str| members.contains_key(key);
    if leads("$ref") {
        3
    } else if leads("properties") || leads("allOf") || leads("anyOf") || leads("oneOf") {
        2
    } else {
        usize::from(leads("items"))
    }
}
