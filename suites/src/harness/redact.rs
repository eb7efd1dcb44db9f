//! Redacts secrets from outcomes: those of the profile, and those that the checks of a run have learned. A target may
//! repeat one in an exchange of another check.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use crate::harness::data::{Failure, Outcome};
use crate::harness::recording::{Call, Input, Json};
use crate::http::exchange::{Broken, Exchange};
use crate::http::hiding::Hidden;

/// Redacts everything that an outcome shows.
pub fn redact(hidden: &Hidden, outcome: &mut Outcome) {
    if hidden.is_empty() {
        return;
    }
    outcome.disguises.extend(hidden.disguises().iter().cloned());
    redact_contents(hidden, outcome);
}

/// Redacts what an outcome contains; returns whether there was a secret.
fn redact_contents(hidden: &Hidden, outcome: &mut Outcome) -> bool {
    let mut found = false;
    for call in &mut outcome.calls {
        found |= redact_call(hidden, call);
    }
    let why = outcome.why.iter_mut().map(|account| &mut account.words);
    let texts = outcome.notes.iter_mut().chain(why).chain(&mut outcome.repeat);
    let texts = texts.chain([&mut outcome.reason.said]).chain(outcome.sites.values_mut());
    texts.for_each(|text| found |= hidden.redact_string(text));
    let mut redact_failure = |failure: &mut Failure| {
        let Failure { place, want, got, .. } = failure;
        for text in [place, want, got] {
            found |= hidden.redact_string(text);
        }
    };
    outcome.failure.iter_mut().for_each(&mut redact_failure);
    outcome.cells.iter_mut().flat_map(|cell| &mut cell.failure).for_each(redact_failure);
    outcome.cells.iter_mut().for_each(|cell| found |= hidden.redact_string(&mut cell.reason.said));
    for Exchange { base, request, response, .. } in &mut outcome.exchanges {
        found |= hidden.redact_string(base) | hidden.redact_string(&mut request.target);
        found |= hidden.redact_bytes(&mut request.body);
        request.headers.iter_mut().for_each(|(_, value)| found |= hidden.redact_bytes(value));
        match response {
            Ok(response) => {
                found |= hidden.redact_bytes(&mut response.body);
                for (name, value) in &mut response.headers {
                    found |= hidden.redact_string(name) | hidden.redact_bytes(value);
                }
            }
            Err(
                Broken::Nonsense(text)
                | Broken::Closed(text)
                | Broken::Tls(text)
                | Broken::Inexpressible(text)
                | Broken::Unreachable(text)
                | Broken::Gone(text)
                | Broken::Limit(text)
                | Broken::Harness(text),
            ) => found |= hidden.redact_string(text),
            Err(Broken::TimedOut(_) | Broken::Unfinished { .. } | Broken::Held) => {}
        }
    }
    found
}

fn redact_call(hidden: &Hidden, call: &mut Call) -> bool {
    let mut found = match &mut call.answer {
        Ok(json) => {
            let mut value = json.value();
            let found = hidden.redact_value(&mut value);
            if found {
                *json = Json::from(&value);
            }
            found
        }
        Err(error) => hidden.redact_string(error.text_mut()),
    };
    if let Input::Control { path, body, .. } = &mut call.asked {
        found |= hidden.redact_string(path);
        if let Some(body) = body {
            found |= hidden.redact_value(body);
        }
    }
    found
}

/// The learned secrets of a run: all their forms and parts of 12 characters or more. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Learned(Arc<RwLock<Hidden>>);

impl Learned {
    /// Adds what a check has learned.
    pub(crate) fn learn(&self, hidden: &Hidden) {
        if !self.known().has_forms_of(hidden) {
            self.0.write().unwrap_or_else(PoisonError::into_inner).absorb(hidden);
        }
    }

    /// The number of forms so far.
    pub(crate) fn count(&self) -> usize {
        self.known().forms()
    }

    /// Redacts an outcome of any check of the run; returns whether there was a secret.
    pub fn redact(&self, outcome: &mut Outcome) -> bool {
        let found = !self.known().is_empty() && redact_contents(&self.known(), outcome);
        if found {
            self.disguise(outcome);
        }
        found
    }

    /// Redacts an outcome again at the end of a run, when all secrets are known. `had` says whether it had one before. The result
    /// does not depend on the order in which the checks ended.
    pub(crate) fn redact_again(&self, outcome: &mut Outcome, had: bool) {
        if !self.redact(outcome) && had {
            self.disguise(outcome);
        }
    }

    /// Gives an outcome that had a secret the replacements of all, sorted.
    fn disguise(&self, outcome: &mut Outcome) {
        outcome.disguises.extend(self.known().disguises().iter().cloned());
        outcome.disguises.sort();
        outcome.disguises.dedup();
    }

    /// Redacts a string.
    pub(crate) fn redact_text(&self, text: &mut String) {
        self.known().redact_text(text);
    }

    fn known(&self) -> RwLockReadGuard<'_, Hidden> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::data::Verdict;
    use crate::services;

    /// An outcome with one secret, redacted as the checks that learned these ended, before and after its own end.
    fn redacted(before: &[&Hidden], after: &[&Hidden]) -> (Vec<String>, Vec<String>) {
        let (check, learned) = (services::checks()[0], Learned::default());
        let mut outcome = Outcome::new(check.requirement, check.fact, Verdict::Pass, String::new());
        outcome.notes.push("the first-secret-0123456789 of a drop".to_owned());
        for hidden in before {
            learned.learn(hidden);
        }
        let had = learned.redact(&mut outcome);
        for hidden in after {
            learned.learn(hidden);
        }
        learned.redact_again(&mut outcome, had);
        (outcome.notes, outcome.disguises.into_iter().map(|disguise| disguise.name).collect())
    }

    #[test]
    fn an_outcome_does_not_depend_on_the_order_in_which_checks_end() {
        let hidden = |name: &str, value: &str| {
            let mut hidden = Hidden::default();
            hidden.disguise(name, value, &[7; 32]);
            hidden
        };
        let first = &hidden("first", "first-secret-0123456789");
        let second = &hidden("second", "another-secret-9876543210");
        let wanted = redacted(&[first, second], &[]);
        assert_eq!(wanted.1, ["first", "second"]);
        assert!(!wanted.0[0].contains("first-secret"), "{wanted:?}");
        for (before, after) in
            [(vec![second, first], vec![]), (vec![first], vec![second]), (vec![second], vec![first])]
        {
            assert_eq!(redacted(&before, &after), wanted);
        }
        assert_eq!(redacted(&[], &[second, first]), wanted);
    }
}
