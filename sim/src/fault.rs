//! Faults: conditions that the documents foresee, switched on with exact triggers, and receipts of when they struck.

use std::collections::BTreeMap;

use assay_spec::Instant;
use serde::{Deserialize, Serialize};

/// A kind of fault that a service offers.
#[derive(Clone, Copy, Debug)]
pub struct FaultKind {
    /// Its name, such as `publish.standby`.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// Requests that wait stay waiting while this fault is set: time does not jump for them.
pub const HOLD: FaultKind = FaultKind { name: "hold", about: "time does not jump for requests that wait" };

/// A fault that is set. Absent conditions always hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The kind's name.
    pub fault: String,
    /// What the occasion must look like, such as `{"endpoint": "prepare", "domain": "a.example"}`.
    #[serde(default, rename = "where")]
    pub place: BTreeMap<String, String>,
    /// The first occasion that it strikes, counted from 1.
    #[serde(default)]
    pub nth: Option<u64>,
    /// How many occasions it strikes.
    #[serde(default)]
    pub times: Option<u64>,
    /// The first moment at which it strikes, in milliseconds.
    #[serde(default)]
    pub from: Option<Instant>,
    /// The first moment at which it no longer strikes.
    #[serde(default)]
    pub until: Option<Instant>,
    /// Occasions seen so far.
    #[serde(default)]
    pub matched: u64,
    /// When it struck, the latest [`RECEIPTS`] of them.
    #[serde(default)]
    pub receipts: Vec<Instant>,
}

/// How many receipts a fault keeps.
pub const RECEIPTS: usize = 64;

impl Fault {
    /// Whether it is set without any condition.
    pub fn is_plain(&self) -> bool {
        self.place.is_empty()
            && [self.nth, self.times].iter().all(Option::is_none)
            && self.from.or(self.until).is_none()
    }

    /// Whether it strikes on this occasion; counts the occasion and signs the receipt.
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

/// The faults of a world, in the order in which they were set.
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

    /// Whether a fault of that name is set at all.
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|fault| fault.fault == name)
    }

    /// Whether a fault of that name strikes on this occasion. Every fault that matches counts it.
    pub fn strike(&mut self, name: &str, occasion: &[(&str, &str)], now: Instant) -> bool {
        // Not `any`: it would stop at the first, and the others would not have counted the occasion.
        let strikes: Vec<bool> = self.0.iter_mut().map(|fault| fault.strikes(name, occasion, now)).collect();
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
        let mut strike = |name, endpoint, now| faults.strike(name, &[("endpoint", endpoint)], Instant(now));
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
