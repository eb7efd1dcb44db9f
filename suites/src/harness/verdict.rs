//! Verdicts and their evidence.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::Id;
use assay_spec::machine::Transition;

use crate::harness::conclusion::conclude;
use crate::harness::control::Offer;
use crate::harness::coverage::Coverage;
use crate::harness::recording::Call;
use crate::harness::suite::Suites;
use crate::http::exchange::{Broken, Exchange};
use crate::http::hiding::Disguise;
use crate::profile::Gate;

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The requirement holds.
    Pass,
    /// The requirement is violated.
    Fail,
    /// A SHOULD is violated.
    Warn,
    /// The target does not offer the feature.
    NotApplicable,
    /// A fixture or control that the check needs is missing.
    NotTestable,
    /// The valid counterpart or a precondition did not hold, so there is no result.
    Inconclusive,
    /// Violated, and listed in the baseline.
    KnownFailure,
    /// The check passes, but the baseline lists a failure.
    UnexpectedPass,
    /// Repetitions gave different verdicts.
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

    /// Whether the check said whether the requirement holds.
    pub const fn is_result(self) -> bool {
        matches!(self, Verdict::Pass | Verdict::Warn | Verdict::KnownFailure)
            || (self.is_bad() && !matches!(self, Verdict::Inconclusive))
    }

    /// Whether a target with this verdict does not conform.
    pub const fn is_bad(self) -> bool {
        matches!(self, Verdict::Fail | Verdict::Inconclusive | Verdict::UnexpectedPass | Verdict::Unstable)
    }

    /// Whether a reader must look at it: it is neither a pass nor untested.
    pub const fn needs_attention(self) -> bool {
        !matches!(self, Verdict::Pass | Verdict::NotTestable | Verdict::NotApplicable)
    }

    /// Its place among verdicts, the most severe first.
    pub const fn severity(self) -> u8 {
        match self {
            Verdict::Fail => 0,
            Verdict::Unstable => 1,
            Verdict::UnexpectedPass => 2,
            Verdict::Inconclusive => 3,
            Verdict::Error => 4,
            Verdict::Warn => 5,
            Verdict::KnownFailure => 6,
            Verdict::Pass => 7,
            Verdict::NotTestable => 8,
            Verdict::NotApplicable => 9,
        }
    }
}

/// The outcome of one check.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The requirement that the check tests; its id is the check's id.
    pub requirement: Id,
    /// The fact that the check shows, such as `second_prepare_is_refused`.
    pub fact: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// Why the verdict is not a pass; empty for a pass.
    pub reason: String,
    /// The verdict at each place, if it ran at several.
    pub cells: Vec<AtPlace>,
    /// Observations where the documents allow several behaviours.
    pub notes: Vec<String>,
    /// The failed expectation.
    pub failure: Option<Failure>,
    /// Every exchange of the check, in order.
    pub exchanges: Vec<Exchange>,
    /// The target's own reasons for its rejections, if it offers them.
    pub why: Vec<String>,
    /// Commands that repeat the last exchange, or the check.
    pub repeat: Vec<String>,
    /// Recorded inputs besides the exchanges.
    pub calls: Vec<Call>,
    /// Base URLs by site, if the check ran in its own world.
    pub sites: BTreeMap<String, String>,
    /// Replacements for secrets whose form is judged.
    pub disguises: Vec<Disguise>,
    /// Its seed, if different from the run's, as in a merged run.
    pub seed: Option<u64>,
    /// Duration in milliseconds; `None` if meaningless, as in the embedded simulator.
    pub elapsed_ms: Option<u64>,
    /// How many responses of the run, to any check, were judged by a declaration that the requirement owns.
    pub answers: usize,
    /// A response to another check broke what the requirement owns; the verdict says so, and the failure names the
    /// response, the last of the exchanges.
    pub is_ambient: bool,
}

impl Outcome {
    /// Whether it is only the verdict about a response to another check: its own check did not run.
    pub fn is_without_check(&self) -> bool {
        self.is_ambient && self.exchanges.len() == 1
    }

    /// An outcome without exchanges.
    pub fn new(requirement: Id, fact: &'static str, verdict: Verdict, reason: String) -> Outcome {
        Outcome {
            requirement,
            fact,
            verdict,
            reason,
            cells: Vec::new(),
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
            answers: 0,
            is_ambient: false,
        }
    }
}

/// The verdict of a check at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtPlace {
    /// The place, such as `prepare transfer`.
    pub at: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is not a pass; empty for a pass.
    pub reason: String,
}

/// An expectation that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The place: `status`, `header retry-after`, a JSON pointer such as `/error`.
    pub place: String,
    /// The wanted value, or a description of it.
    pub want: String,
    /// The received value.
    pub got: String,
    /// The index of the exchange among the outcome's exchanges.
    pub exchange: Option<usize>,
}

/// A whole run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The services.
    pub suites: Suites,
    /// The target: base URLs, or `embedded simulator`.
    pub target: String,
    /// The seed of all random values.
    pub seed: u64,
    /// When it began, in UTC; `None` for the embedded simulator, whose runs are equal.
    pub began: Option<String>,
    /// The outcomes, in the order of the requirements.
    pub outcomes: Vec<Outcome>,
    /// Every declared transition, and whether the run fired it; empty if the target does not report transitions.
    pub transitions: Vec<(&'static Transition, bool)>,
    /// Coverage of every documented endpoint of the services that ran; it does not affect verdicts.
    pub endpoints: Vec<Coverage>,
    /// Remarks about the whole run: retried connections, limits, omissions.
    pub remarks: Vec<String>,
    /// Reasons other than verdicts why it does not conform, such as a stale baseline.
    pub objections: Vec<String>,
    /// What it sent, without calls of the control API.
    pub sent: Sent,
    /// Not every check ran: the run was stopped, or a part is missing.
    pub is_partial: bool,
    /// The selection has every check of its services. Only such a run can conform.
    pub is_whole: bool,
    /// No check that writes could run.
    pub read_only: bool,
    /// The minimum coverage.
    pub gate: Gate,
    /// A digest of the ids of the selected checks; the run may contain a part of them. Empty without a selection.
    pub selection: String,
    /// The shards of the selection in this run, if it is not whole.
    pub shards: Option<Shards>,
    /// The conditions of its verdicts.
    pub conditions: Conditions,
}

/// A subset of shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shards {
    /// The total number of shards.
    pub of: usize,
    /// The numbers of the present shards, from 1.
    pub present: BTreeSet<usize>,
}

impl Shards {
    /// The numbers of the missing shards.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        (1..=self.of).filter(|number| !self.present.contains(number))
    }
}

/// What checks sent, to compare with their declared cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Requests.
    pub requests: u64,
    /// The requests among them that write.
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

/// The conditions of verdicts besides exchanges; enough to judge again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// The target was the simulator in this process.
    pub is_embedded: bool,
    /// The profile without secrets, as TOML; empty without a profile.
    pub profile: String,
    /// What the target's control API offered; `None` without one.
    pub offer: Option<Offer>,
    /// Base URLs by site.
    pub sites: BTreeMap<String, String>,
    /// By site: the header that it takes the client's address from.
    pub forwarding: BTreeMap<String, String>,
    /// Entries of the profile that the target did not confirm: by key, why the checks that rest on them were skipped.
    pub wrong: BTreeMap<String, String>,
}

impl Run {
    /// A run without outcomes.
    pub fn new(suites: Suites) -> Run {
        Run {
            suites,
            target: String::new(),
            seed: 0,
            began: None,
            outcomes: Vec::new(),
            transitions: Vec::new(),
            endpoints: Vec::new(),
            remarks: Vec::new(),
            objections: Vec::new(),
            sent: Sent::default(),
            is_partial: false,
            is_whole: false,
            read_only: false,
            gate: Gate::default(),
            selection: String::new(),
            shards: None,
            conditions: Conditions::default(),
        }
    }
}

impl Run {
    /// The number of outcomes with that verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.verdict == verdict).count()
    }

    /// Whether the run sent requests and no server ever answered one.
    pub fn is_unanswered(&self) -> bool {
        let mut exchanges = self.outcomes.iter().flat_map(|outcome| &outcome.exchanges).peekable();
        let is_silent = |exchange: &Exchange| match &exchange.response {
            Err(broken) => broken.is_silence() || matches!(broken, Broken::Unreachable(_) | Broken::Held),
            Ok(_) => false,
        };
        exchanges.peek().is_some() && exchanges.all(is_silent)
    }

    /// The exit code of its result.
    pub fn exit_code(&self) -> u8 {
        conclude(self).0.exit_code()
    }

    /// The result in words, and why.
    pub fn ending(&self) -> String {
        let (conclusion, why) = conclude(self);
        let words = conclusion.words();
        if why.is_empty() { words.to_owned() } else { format!("{words}: {}", why.join("; ")) }
    }
}
