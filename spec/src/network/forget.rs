//! FORGET: deletes stored files, all of a batch or none (document 2, "Reading the STORE message").

use serde_json::{Map, Value};

use crate::network::members::read_member;
use crate::network::mistakes::forget::HASHES;
use crate::network::store::Status;
use crate::{Refused, Rules};

/// The hashes to forget, without duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets(pub Vec<String>);

impl Targets {
    /// Reads a FORGET's content. A list without hashes is rejected.
    pub fn parse(content: &Map<String, Value>, rules: &mut dyn Rules) -> Result<Targets, Refused> {
        let sent = read_member(&HASHES, "hashes", content, strings, rules)?;
        let mut hashes: Vec<String> = Vec::new();
        for hash in sent {
            if !hashes.iter().any(|known| known == hash) {
                hashes.push(hash.to_owned());
            }
        }
        Ok(Targets(hashes))
    }
}

/// The strings of an array, if it has only strings and is not empty.
fn strings(sent: Option<&Value>) -> Option<Vec<&str>> {
    let strings: Option<Vec<&str>> = sent?.as_array()?.iter().map(Value::as_str).collect();
    strings.filter(|strings| !strings.is_empty())
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
pub fn judge(targets: &[Target]) -> Verdict {
    let is_valid = |target: &Target| {
        matches!(target, Target::Store(Status::Processed | Status::Removing | Status::Forgotten))
    };
    match () {
        () if targets.contains(&Target::Foreign) => Verdict::Reject,
        () if targets.iter().all(is_valid) => Verdict::Apply,
        () => Verdict::Retry,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::Strict;

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
            assert_eq!(parse(bad).unwrap_err().rule, HASHES.rule);
        }
    }

    #[test]
    fn each_invalid_target_fails_the_batch() {
        let good = Target::Store(Status::Processed);
        assert_eq!(
            judge(&[good, Target::Store(Status::Removing), Target::Store(Status::Forgotten)]),
            Verdict::Apply
        );
        let invalid = [Status::Removed, Status::Pending, Status::Rejected].map(Target::Store);
        for target in invalid.into_iter().chain([Target::Missing]) {
            assert_eq!(judge(&[good, target]), Verdict::Retry, "{target:?}");
        }
        assert_eq!(judge(&[good, Target::Foreign]), Verdict::Reject);
    }

    proptest! {
        #[test]
        fn the_order_of_targets_does_not_matter(mut targets in proptest::collection::vec(0..8_usize, 0..6)) {
            let all = [Target::Missing, Target::Foreign];
            let of = |n: &usize| all.get(*n).copied().unwrap_or_else(|| Target::Store(Status::ALL[n - 2]));
            let forward = judge(&targets.iter().map(of).collect::<Vec<_>>());
            targets.reverse();
            let backward = judge(&targets.iter().map(of).collect::<Vec<_>>());
            prop_assert_eq!(forward, backward);
        }
    }
}
