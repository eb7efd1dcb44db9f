//! Faults: conditions that the documents foresee, activated with exact triggers, with receipts of each activation.

use std::collections::BTreeMap;

use assay_spec::Instant;
use assay_spec::names::did_you_mean;
use serde::{Deserialize, Serialize};

/// A kind of fault that a service offers.
#[derive(Clone, Copy, Debug)]
pub struct FaultKind {
    /// Its name, such as `publish.standby`.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The conditions that `where` may have.
    pub keys: &'static [&'static str],
}

impl FaultKind {
    /// What it does, and the conditions that `where` may have.
    pub fn described(&self) -> String {
        let places = self.keys.join(", ");
        if places.is_empty() { self.about.to_owned() } else { format!("{}; where: {places}", self.about) }
    }
}

/// While this fault is set, time does not jump for waiting requests.
pub const HOLD: FaultKind =
    FaultKind { name: "hold", about: "time does not jump ahead for waiting requests", keys: &[] };

/// An active fault. A condition that is absent always holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The kind's name.
    pub fault: String,
    /// Conditions on the occasion, such as `{"endpoint": "prepare", "domain": "a.example"}`.
    #[serde(default, rename = "where")]
    pub place: BTreeMap<String, String>,
    /// The first occasion to which it applies, counted from 1.
    #[serde(default)]
    pub nth: Option<u64>,
    /// The number of occasions to which it applies.
    #[serde(default)]
    pub times: Option<u64>,
    /// When it begins to apply, in milliseconds.
    #[serde(default)]
    pub from: Option<Instant>,
    /// When it no longer applies, in milliseconds.
    #[serde(default)]
    pub until: Option<Instant>,
    /// Matching occasions so far.
    #[serde(default)]
    pub matched: u64,
    /// When it applied: the latest [`RECEIPTS`] times.
    #[serde(default)]
    pub receipts: Vec<Instant>,
}

/// The maximum number of receipts kept per fault.
pub const RECEIPTS: usize = 64;

impl Fault {
    /// Checks its name and its conditions. The error names what is known.
    pub fn check(&self, kinds: &[FaultKind]) -> Result<(), String> {
        let Some(kind) = kinds.iter().find(|kind| kind.name == self.fault) else {
            let near = did_you_mean(&self.fault, kinds.iter().map(|kind| kind.name));
            return Err(format!("unknown fault {:?}{near}", self.fault));
        };
        let Some(key) = self.place.keys().find(|key| !kind.keys.contains(&key.as_str())) else {
            return Ok(());
        };
        let known = match kind.keys {
            [] => "it takes none".to_owned(),
            keys => format!("it has: {}", keys.join(", ")),
        };
        Err(format!("unknown key {key:?} in `where` of fault {}; {known}", kind.name))
    }

    /// Whether it has no conditions.
    pub fn is_plain(&self) -> bool {
        self.place.is_empty()
            && [self.nth, self.times].iter().all(Option::is_none)
            && self.from.or(self.until).is_none()
    }

    /// Whether it applies on this occasion. Counts the occasion and adds a receipt.
    fn strikes(&mut self, name: &str, occasion: &[(&str, &str)], now: Instant) -> bool {
        let here = self.fault == name
            && self.place.iter().all(|(key, value)| occasion.iter().any(|(k, v)| k == key && v == value))
            && self.from.is_none_or(|from| now >= from)
            && self.until.is_none_or(|until| now < until);
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
            let kind = FaultKind { name, about: "", keys: &["endpoint"] };
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
