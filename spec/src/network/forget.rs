//! FORGET: deletes stored files, all of a batch or none (document 2, "Reading the STORE message").

use serde_json::{Map, Value};

use crate::network::content::shown;
use crate::network::requirements::forget::{
    ALL_OR_NOTHING, HASHES, PENDING_FAILS, REJECTED_FAILS, REMOVED_FAILS, REMOVING_TARGET,
};
use crate::network::store::Status;
use crate::{Refused, Rules};

/// The hashes to forget, without duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets(pub Vec<String>);

impl Targets {
    /// Reads a FORGET's content. A list without hashes is rejected.
    pub fn parse(content: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Targets, Refused> {
        let given = content.get("hashes").and_then(Value::as_array);
        let texts: Option<Vec<&str>> = given.and_then(|given| given.iter().map(Value::as_str).collect());
        let texts = texts.filter(|texts| !texts.is_empty());
        rules.require(&HASHES, texts.is_some(), || shown(content, "hashes"))?;
        let mut hashes: Vec<String> = Vec::new();
        for text in texts.unwrap_or_default() {
            if !hashes.iter().any(|hash| hash == text) {
                hashes.push(text.to_owned());
            }
        }
        Ok(Targets(hashes))
    }
}

/// What a node finds under a target's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// No message.
    Missing,
    /// A STORE message.
    Store(Status),
    /// A message of another type, or of another owner.
    Foreign,
}

/// The decision about a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every target is valid.
    Apply,
    /// A target is not valid now.
    Retry,
    /// The sender may never forget one of the targets.
    Reject,
}

/// Judges a batch. A target that is already forgotten is valid.
pub fn judge(targets: &[Target], rules: &mut dyn Rules) -> Verdict {
    if targets.contains(&Target::Foreign) {
        return Verdict::Reject;
    }
    let mut holds = true;
    for target in targets {
        holds &= match target {
            Target::Store(Status::Processed | Status::Forgotten) => true,
            Target::Store(Status::Removing) => rules.effect(&REMOVING_TARGET, true, |_, _| false),
            Target::Store(Status::Removed) => rules.effect(&REMOVED_FAILS, false, |_, _| true),
            Target::Store(Status::Pending) => rules.effect(&PENDING_FAILS, false, |_, _| true),
            Target::Store(Status::Rejected) => rules.effect(&REJECTED_FAILS, false, |_, _| true),
            Target::Missing => rules.effect(&ALL_OR_NOTHING, false, |_, _| true),
            Target::Foreign => false,
        };
    }
    if holds { Verdict::Apply } else { Verdict::Retry }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{Strict, Without};

    #[test]
    fn hashes_are_strings_without_duplicates() {
        let parse = |content: Value| Targets::parse(content.as_object().unwrap(), &mut Strict);
        assert_eq!(parse(json!({"hashes": ["a", "b", "a"]})).unwrap().0, ["a", "b"]);
        for bad in [
            json!({}),
            json!({"hashes": []}),
            json!({"hashes": "a"}),
            json!({"hashes": ["a", 1]}),
            json!({"hashes": {}}),
        ] {
            assert_eq!(parse(bad).unwrap_err().rule, &HASHES);
        }
    }

    #[test]
    fn each_invalid_target_fails_the_batch_by_its_own_rule() {
        let good = Target::Store(Status::Processed);
        assert_eq!(
            judge(&[good, Target::Store(Status::Removing), Target::Store(Status::Forgotten)], &mut Strict),
            Verdict::Apply
        );
        for (rule, target) in [
            (&ALL_OR_NOTHING, Target::Missing),
            (&REMOVED_FAILS, Target::Store(Status::Removed)),
            (&PENDING_FAILS, Target::Store(Status::Pending)),
            (&REJECTED_FAILS, Target::Store(Status::Rejected)),
        ] {
            assert_eq!(judge(&[good, target], &mut Strict), Verdict::Retry, "{target:?}");
            assert_eq!(judge(&[good, target], &mut Without(rule)), Verdict::Apply, "{target:?}");
        }
        assert_eq!(judge(&[good, Target::Foreign], &mut Strict), Verdict::Reject);
    }

    proptest! {
        #[test]
        fn the_order_of_targets_does_not_matter(mut targets in proptest::collection::vec(0..8_usize, 0..6)) {
            let all = [Target::Missing, Target::Foreign];
            let of = |n: &usize| all.get(*n).copied().unwrap_or_else(|| Target::Store(Status::ALL[n - 2]));
            let forward = judge(&targets.iter().map(of).collect::<Vec<_>>(), &mut Strict);
            targets.reverse();
            let backward = judge(&targets.iter().map(of).collect::<Vec<_>>(), &mut Strict);
            prop_assert_eq!(forward, backward);
        }
    }
}
