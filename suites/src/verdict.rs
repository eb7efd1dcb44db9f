//! Verdicts, and everything a reader needs to believe one.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::Id;
use assay_spec::machine::Transition;

use crate::control::Offer;
use crate::endpoints::Coverage;
use crate::exchange::Exchange;
use crate::recording::Call;
use crate::redact::Disguise;

/// What a check says about a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The requirement was seen to hold.
    Pass,
    /// It was seen to be broken.
    Fail,
    /// A SHOULD was seen to be broken.
    Warn,
    /// The target does not claim the capability.
    NotApplicable,
    /// The target lacks a fixture or a control that the check needs.
    NotTestable,
    /// The valid counterpart or a precondition did not hold, so the check says nothing.
    Inconclusive,
    /// Broken, and the baseline knows.
    KnownFailure,
    /// The baseline expects a failure that is gone.
    UnexpectedPass,
    /// It held at one time and not at another.
    Unstable,
    /// The harness or the transport failed.
    Error,
}

impl Verdict {
    /// Every verdict, in the order of reports.
    pub const ALL: [Verdict; 10] = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::Warn,
        Verdict::NotApplicable,
        Verdict::NotTestable,
        Verdict::Inconclusive,
        Verdict::KnownFailure,
        Verdict::UnexpectedPass,
        Verdict::Unstable,
        Verdict::Error,
    ];

    /// The verdict's name in every report.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::Warn => "warn",
            Verdict::NotApplicable => "not-applicable",
            Verdict::NotTestable => "not-testable",
            Verdict::Inconclusive => "inconclusive",
            Verdict::KnownFailure => "known-failure",
            Verdict::UnexpectedPass => "unexpected-pass",
            Verdict::Unstable => "unstable",
            Verdict::Error => "error",
        }
    }

    /// Whether a target with this verdict does not conform.
    pub const fn is_bad(self) -> bool {
        matches!(self, Verdict::Fail | Verdict::Inconclusive | Verdict::UnexpectedPass | Verdict::Unstable)
    }
}

/// What one check found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The requirement that the check covers; its id is the check's id.
    pub requirement: Id,
    /// The fact that the check shows, such as `second_prepare_is_refused`.
    pub fact: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// Why the verdict is not a pass; empty for a pass.
    pub reason: String,
    /// What was met where the documents allow several answers.
    pub notes: Vec<String>,
    /// What was wanted and what came.
    pub failure: Option<Failure>,
    /// Every exchange of the check, in order.
    pub exchanges: Vec<Exchange>,
    /// The target's own account of its refusals, where it offers one.
    pub why: Vec<String>,
    /// A command that repeats the last exchange, or the check.
    pub repeat: Vec<String>,
    /// What the check was told beside its exchanges.
    pub calls: Vec<Call>,
    /// Base URLs by site, where the check ran at a place of its own.
    pub sites: BTreeMap<String, String>,
    /// What stands for secrets whose form is judged.
    pub disguises: Vec<Disguise>,
    /// The seed of what it drew, where that is not the run's, as in a run put together out of parts.
    pub seed: Option<u64>,
    /// How long it took, in milliseconds; `None` where that says nothing, as in the embedded simulator.
    pub elapsed_ms: Option<u64>,
}

impl Outcome {
    /// An outcome without exchanges.
    pub fn new(requirement: Id, fact: &'static str, verdict: Verdict, reason: String) -> Outcome {
        Outcome {
            requirement,
            fact,
            verdict,
            reason,
            notes: Vec::new(),
            failure: None,
            exchanges: Vec::new(),
            why: Vec::new(),
            repeat: Vec::new(),
            calls: Vec::new(),
            sites: BTreeMap::new(),
            disguises: Vec::new(),
            seed: None,
            elapsed_ms: None,
        }
    }
}

/// An expectation that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What was looked at: `status`, `header retry-after`, a JSON pointer such as `/error`.
    pub place: String,
    /// What was wanted, in words or as a value.
    pub want: String,
    /// What came.
    pub got: String,
    /// The index of the exchange among the outcome's exchanges.
    pub exchange: Option<usize>,
}

/// A whole run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What was tested: the base URLs, or `embedded simulator`.
    pub target: String,
    /// The seed of everything the run draws.
    pub seed: u64,
    /// The outcomes, in the order of the requirements.
    pub outcomes: Vec<Outcome>,
    /// Every declared transition, and whether the run made it; empty where the target does not tell.
    pub transitions: Vec<(&'static Transition, bool)>,
    /// What was seen of every documented endpoint of the services that ran; no verdict hangs on it.
    pub endpoints: Vec<Coverage>,
    /// What a reader should know of the run as a whole: retried connections, limits, what was left out.
    pub remarks: Vec<String>,
    /// Why it does not conform besides its verdicts, such as a baseline that is no longer true.
    pub objections: Vec<String>,
    /// What it sent, the control API's calls aside.
    pub sent: Sent,
    /// Not every check had its turn: it was stopped, or a part is missing.
    pub is_partial: bool,
    /// A digest of the ids of the checks that were chosen, of which the run may hold some; empty where nobody chose.
    pub selection: String,
    /// Which shards of that choice it holds, where it is not the whole.
    pub shards: Option<Shards>,
    /// Under which conditions it was judged.
    pub conditions: Conditions,
}

/// Some shards of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shards {
    /// How many there are.
    pub of: usize,
    /// The numbers of those that are there, from 1.
    pub present: BTreeSet<usize>,
}

impl Shards {
    /// The numbers of those that are not there.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        (1..=self.of).filter(|number| !self.present.contains(number))
    }
}

/// What checks have sent, to be held against what they say that they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Requests.
    pub requests: u64,
    /// Those of them that asked an endpoint to write.
    pub writes: u64,
    /// Their heads and bodies, in bytes.
    pub bytes: u64,
}

impl std::iter::Sum for Sent {
    fn sum<I: Iterator<Item = Sent>>(all: I) -> Sent {
        all.fold(Sent::default(), |sum, one| Sent {
            requests: sum.requests + one.requests,
            writes: sum.writes + one.writes,
            bytes: sum.bytes + one.bytes,
        })
    }
}

/// What verdicts rest on beside exchanges; enough to judge again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// The target was the simulator in this process.
    pub is_embedded: bool,
    /// The profile without secrets, as TOML; empty where there was none.
    pub profile: String,
    /// What the target's control API offered; `None` where it had none.
    pub offer: Option<Offer>,
    /// Base URLs by site.
    pub sites: BTreeMap<String, String>,
    /// By site: the header in which it believes the client's address.
    pub forwarding: BTreeMap<String, String>,
}

impl Run {
    /// How many outcomes have that verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.verdict == verdict).count()
    }

    /// A shard that none of the chosen checks belongs to: it has nothing to fail at.
    fn is_empty_shard(&self) -> bool {
        self.shards.is_some() && self.outcomes.is_empty()
    }

    /// The exit code: 0 conforming, 1 not, 4 the harness failed. A run in which nothing was checked, that was stopped or
    /// to which there is an objection does not conform; a shard without checks is no failure.
    pub fn exit_code(&self) -> u8 {
        let checked =
            self.count(Verdict::Pass) + self.count(Verdict::Warn) + self.count(Verdict::KnownFailure);
        let is_bad = |outcome: &Outcome| outcome.verdict.is_bad();
        if self.is_partial || !self.objections.is_empty() || self.outcomes.iter().any(is_bad) {
            1
        } else if self.count(Verdict::Error) > 0 {
            4
        } else {
            u8::from(checked == 0 && !self.is_empty_shard())
        }
    }

    /// How it ended, in words: that it conforms, or not and why where no verdict says so.
    pub fn ending(&self) -> &'static str {
        match self.exit_code() {
            0 if self.is_empty_shard() => "no check belongs to this shard",
            0 => "conforms",
            4 => "the harness failed",
            _ if self.outcomes.iter().any(|outcome| outcome.verdict.is_bad()) => "does not conform",
            _ if self.is_partial => "does not conform: not every check had its turn",
            _ if !self.objections.is_empty() => "does not conform: the baseline is not true of it",
            _ => "does not conform: nothing was checked",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;

    #[test]
    fn a_shard_without_checks_is_no_failure_and_a_run_without_any_is() {
        let shard = Run { shards: Some(Shards { of: 6, present: [2].into() }), ..Run::default() };
        assert_eq!((shard.exit_code(), shard.ending()), (0, "no check belongs to this shard"));
        let whole = Run::default();
        assert_eq!((whole.exit_code(), whole.ending()), (1, "does not conform: nothing was checked"));
        assert_eq!(Run { is_partial: true, ..shard.clone() }.exit_code(), 1);
        assert_eq!(Run { objections: vec!["rot".to_owned()], ..shard.clone() }.exit_code(), 1);
        // What has checks of which none says anything is as silent as a whole run is.
        let one = check::all()[0];
        let silent = Outcome::new(one.requirement, one.fact, Verdict::NotTestable, "a key".to_owned());
        assert_eq!(Run { outcomes: vec![silent], ..shard }.exit_code(), 1);
    }
}
