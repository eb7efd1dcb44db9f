//! Verdicts, and everything a reader needs to believe one.

use assay_spec::Id;
use assay_spec::machine::Transition;

use crate::endpoints::Coverage;
use crate::exchange::Exchange;

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
    /// The positive twin or a precondition did not hold, so the check says nothing.
    Inconclusive,
    /// Broken, and the baseline knows.
    KnownFailure,
    /// The baseline expects a failure that is gone.
    UnexpectedPass,
    /// The harness or the transport failed.
    Error,
}

impl Verdict {
    /// Every verdict, in the order of reports.
    pub const ALL: [Verdict; 9] = [
        Verdict::Pass,
        Verdict::Fail,
        Verdict::Warn,
        Verdict::NotApplicable,
        Verdict::NotTestable,
        Verdict::Inconclusive,
        Verdict::KnownFailure,
        Verdict::UnexpectedPass,
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
            Verdict::Error => "error",
        }
    }

    /// Whether a target with this verdict does not conform.
    pub const fn is_bad(self) -> bool {
        matches!(self, Verdict::Fail | Verdict::Inconclusive | Verdict::UnexpectedPass)
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
#[derive(Clone, Debug)]
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
}

impl Run {
    /// How many outcomes have that verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.verdict == verdict).count()
    }

    /// The exit code: 0 conforming, 1 not, 4 the harness failed. A run in which nothing was checked does not conform.
    pub fn exit_code(&self) -> u8 {
        let checked =
            self.count(Verdict::Pass) + self.count(Verdict::Warn) + self.count(Verdict::KnownFailure);
        if self.outcomes.iter().any(|outcome| outcome.verdict.is_bad()) {
            1
        } else if self.count(Verdict::Error) > 0 {
            4
        } else {
            u8::from(checked == 0)
        }
    }
}
