//! Faults: conditions that the documents foresee, activated with exact triggers, with receipts of each activation.

use std::collections::BTreeMap;

use assay_spec::{Instant, names};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use crate::shape::{self, Moment, Record, Shape, inside, record};

/// A kind of fault that a service offers.
#[derive(Clone, Copy, Debug)]
pub struct FaultKind {
    /// Its name, such as `publish.standby`.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The conditions that `where` may have.
    pub keys: &'static [Key],
}

/// A condition that `where` may have.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// The values that occur; none if they cannot be listed.
    pub values: fn() -> Vec<&'static str>,
    /// Whether a world can have more of them, such as models of its own.
    pub has_more: bool,
}

impl Key {
    /// A condition with any value, such as the name of a domain.
    pub const fn any(name: &'static str) -> Key {
        Key { name, values: Vec::new, has_more: false }
    }

    /// A condition whose values are known.
    pub const fn one_of(name: &'static str, values: fn() -> Vec<&'static str>) -> Key {
        Key { name, values, has_more: false }
    }

    /// A condition with these values, and with those that a world has added.
    pub const fn some_of(name: &'static str, values: fn() -> Vec<&'static str>) -> Key {
        Key { name, values, has_more: true }
    }

    /// Whether it can have this value on an occasion.
    pub(crate) fn may_be(&self, name: &str, value: &str) -> bool {
        let values = (self.values)();
        self.name == name && (values.is_empty() || self.has_more || values.contains(&value))
    }

    fn schema(&self) -> Value {
        let values = (self.values)();
        match (values.is_empty(), self.has_more) {
            (true, _) => String::schema(),
            (false, true) => json!({ "anyOf": [{ "enum": values }, { "type": "string" }] }),
            (false, false) => json!({ "enum": values }),
        }
    }
}

impl FaultKind {
    /// What it does, and the conditions that `where` may have.
    pub fn described(&self) -> String {
        let places = self.keys.iter().map(|key| key.name).collect::<Vec<_>>().join(", ");
        if places.is_empty() { self.about.to_owned() } else { format!("{}; where: {places}", self.about) }
    }

    /// A fault of this kind as a JSON Schema; `is_active` if every member is there, as in responses.
    fn schema(&self, is_active: bool) -> Value {
        let mut schema = shape::object(Fault::FIELDS);
        let keys: Map<String, Value> =
            self.keys.iter().map(|key| (key.name.to_owned(), key.schema())).collect();
        let members = &mut schema["properties"];
        members["fault"] = json!({ "const": self.name, "description": self.described() });
        members["where"]["properties"] = Value::Object(keys);
        members["where"]["additionalProperties"] = json!(false);
        if is_active {
            for name in ["from", "until"] {
                members[name] = json!({ "type": ["integer", "null"] });
            }
            schema["required"] = Fault::FIELDS.iter().map(|field| field.name).collect();
        } else if self.name == HOLD.name {
            for name in ["nth", "times", "from", "until"] {
                members[name] = json!({ "type": "null" });
            }
        }
        schema
    }
}

/// A fault as a JSON Schema: one of these kinds. In responses every member is there.
pub(crate) fn schema(kinds: &[FaultKind], is_active: bool) -> Value {
    json!({ "anyOf": kinds.iter().map(|kind| kind.schema(is_active)).collect::<Vec<_>>() })
}

/// While this fault is set, time does not jump for waiting requests.
pub const HOLD: FaultKind =
    FaultKind { name: "hold", about: "time does not jump ahead for waiting requests", keys: &[] };

record! {
    /// An active fault. A condition that is absent always holds.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
    pub struct Fault {
        /// The kind's name.
        pub fault: String,
        /// Conditions on the occasion, such as `{"endpoint": "prepare", "domain": "a.example"}`.
        #[serde(rename = "where")]
        pub place as "where": BTreeMap<String, String> = BTreeMap::new(),
        /// The first occasion to which it applies, counted from 1.
        pub nth: Option<u64>,
        /// The number of occasions to which it applies.
        pub times: Option<u64>,
        /// When it begins to apply.
        pub from: Option<Moment>,
        /// When it no longer applies.
        pub until: Option<Moment>,
        /// Matching occasions so far.
        pub matched: u64 = 0,
        /// When it applied: the latest 64 times.
        pub receipts: Vec<Instant> = Vec::new(),
    }
}

impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        Fault::read(&Value::deserialize(input)?, "fault").map_err(D::Error::custom)
    }
}

/// The maximum number of receipts kept per fault.
pub const RECEIPTS: usize = 64;

impl Fault {
    /// Checks its name and its conditions. The error names the place and what is known. `more` are the values that a world has
    /// added for a condition.
    pub fn check(
        &self,
        kinds: &[FaultKind],
        more: impl Fn(&FaultKind, &str) -> Vec<String>,
        at: &str,
    ) -> Result<(), String> {
        let known = || kinds.iter().map(|kind| kind.name);
        let kind = kinds.iter().find(|kind| kind.name == self.fault);
        let kind = kind.ok_or_else(|| shape::unknown(&inside(at, "fault"), "fault", &self.fault, known()))?;
        let place = inside(at, "where");
        for (name, value) in &self.place {
            let keys = || kind.keys.iter().map(|key| key.name);
            let key = kind.keys.iter().find(|key| key.name == name).ok_or_else(|| {
                let near = names::unknown(name, keys());
                let near = if kind.keys.is_empty() { "; it takes none".to_owned() } else { near };
                format!("{}: unknown key of fault {}{near}", inside(&place, name), kind.name)
            })?;
            let values = (key.values)();
            let more = if key.has_more { more(kind, name) } else { Vec::new() };
            let is_known = if key.has_more {
                values.iter().any(|known| known == value) || more.contains(value)
            } else {
                key.may_be(name, value)
            };
            if !is_known {
                let more = more.iter().map(String::as_str).filter(|more| !values.contains(more));
                let known = values.iter().copied().chain(more);
                return Err(shape::unknown(&inside(&place, name), "value", value, known));
            }
        }
        if kind.name == HOLD.name && !self.is_plain() {
            return Err(format!(
                "{at}: the fault \"hold\" takes no conditions; it holds until it is removed"
            ));
        }
        Ok(())
    }

    /// Whether it has no conditions.
    fn is_plain(&self) -> bool {
        self.place.is_empty()
            && [self.nth, self.times].iter().all(Option::is_none)
            && self.from.or(self.until).is_none()
    }

    /// The fault, if it is set now: what it says of the time is the time itself.
    #[must_use]
    pub fn set_at(self, now: Instant) -> Fault {
        let (from, until) = (self.from.map(|from| from.from(now)), self.until.map(|until| until.from(now)));
        Fault { from, until, ..self }
    }

    /// Whether its time has come and has not passed.
    pub fn is_due(&self, now: Instant) -> bool {
        self.from.is_none_or(|from| from.has_come(now)) && self.until.is_none_or(|until| !until.has_come(now))
    }

    /// Whether it applies on this occasion. Counts the occasion and adds a receipt.
    fn strikes(&mut self, name: &str, occasion: &[(&str, &str)], now: Instant) -> bool {
        let here = self.fault == name
            && self.place.iter().all(|(key, value)| occasion.iter().any(|(k, v)| k == key && v == value))
            && self.is_due(now);
        if !here {
            return false;
        }
        self.matched += 1;
        let first = self.nth.unwrap_or(1);
        let last = self.times.map_or(u64::MAX, |times| first.saturating_add(times).saturating_sub(1));
        let strikes = (first..=last).contains(&self.matched);
        if strikes {
            if self.receipts.len() == RECEIPTS {
                self.receipts.remove(0);
            }
            self.receipts.push(now);
        }
        strikes
    }
}

/// The faults of a world, in the order they were set.
#[derive(Clone, Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Replaces all faults.
    pub fn set(&mut self, faults: Vec<Fault>) {
        self.0 = faults;
    }

    /// The faults with their receipts.
    pub fn list(&self) -> &[Fault] {
        &self.0
    }

    /// Whether a fault with that name is set.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|fault| fault.fault == name)
    }

    /// Whether a fault of that kind applies on this occasion. Every matching fault counts the occasion.
    pub fn strike(&mut self, kind: FaultKind, occasion: &[(&str, &str)], now: Instant) -> bool {
        // Not `any`: it would stop at the first match, and the other faults would not count the occasion.
        let strikes: Vec<bool> =
            self.0.iter_mut().map(|fault| fault.strikes(kind.name, occasion, now)).collect();
        strikes.contains(&true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triggers_are_exact_and_leave_receipts() {
        let fault: Fault = serde_json::from_value(serde_json::json!({
            "fault": "x", "where": {"endpoint": "a"}, "nth": 2, "times": 2, "until": 100
        }))
        .expect("a fault");
        let mut faults = Faults::default();
        faults.set(vec![fault]);
        let mut strike = |name, endpoint, now| {
            const KEYS: &[Key] = &[Key::any("endpoint")];
            let kind = FaultKind { name, about: "", keys: KEYS };
            faults.strike(kind, &[("endpoint", endpoint)], Instant(now))
        };
        let struck = [
            strike("x", "a", 1),
            strike("y", "a", 2),
            strike("x", "b", 3),
            strike("x", "a", 4),
            strike("x", "a", 5),
            strike("x", "a", 6),
            strike("x", "a", 100),
        ];
        assert_eq!(struck, [false, false, false, true, true, false, false]);
        assert_eq!(faults.list()[0].receipts, [Instant(4), Instant(5)]);
    }
}
