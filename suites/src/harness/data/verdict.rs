//! Verdicts.

use assay_spec::Id;
use assay_spec::requirement::Level;

/// The result of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The requirement holds.
    #[default]
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

    /// What it means that this requirement is violated.
    pub fn failed(requirement: Id) -> Verdict {
        if requirement.level == Level::Should { Verdict::Warn } else { Verdict::Fail }
    }

    /// The verdict with this name.
    pub fn named(name: &str) -> Option<Verdict> {
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    }

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
