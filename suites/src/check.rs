//! A check: one requirement, one fact, what it needs and what it costs the target.

use std::pin::Pin;

use assay_spec::Id;

use crate::probe::Probe;
use crate::verdict::Failure;

/// Why a check ended before its end.
#[derive(Clone, Debug)]
pub enum Stop {
    /// An expectation did not hold.
    Fail(Failure),
    /// A twin or a precondition did not hold.
    Inconclusive(String),
    /// The target does not claim what the check is about.
    NotApplicable(String),
    /// The target lacks what the check needs.
    NotTestable(String),
    /// The harness or the transport failed.
    Error(String),
}

/// How a check ends.
pub type Checked = Result<(), Stop>;

/// A check's body.
pub type Run = for<'a> fn(&'a Probe) -> Pin<Box<dyn Future<Output = Checked> + 'a>>;

/// What a check needs of a target besides its URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Time that can be moved (level T2).
    Clock,
    /// Faults that can be set.
    Faults,
    /// Operator's acts, such as a binding in a given state.
    Acts,
    /// A world of its own, since the check uses up a limit.
    Isolation,
    /// The chain's public interface.
    Chain,
    /// Client addresses that a check can choose.
    Addresses,
}

impl Need {
    /// What is missing where it is not met.
    pub const fn missing(self) -> &'static str {
        match self {
            Need::Clock => "a control API that moves time (level T2)",
            Need::Faults => "a control API that sets faults",
            Need::Acts => "a control API with operator's acts",
            Need::Isolation => "a control API that forks worlds, since the check uses up a limit",
            Need::Chain => "the chain's URL",
            Need::Addresses => {
                "client addresses: a forwarding_header in the service's table, or the embedded target"
            }
        }
    }
}

/// What a check costs the target, at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Requests to the service.
    pub requests: u32,
    /// Prepares that count against a domain's day.
    pub publishes: u32,
    /// Domains that are used up.
    pub domains: u32,
    /// Uploads that count against an address' hour.
    pub drops: u32,
}

/// A check as a value.
#[derive(Clone, Copy)]
pub struct Check {
    /// The requirement that it covers; its id is the check's id.
    pub requirement: Id,
    /// The fact that it shows.
    pub fact: &'static str,
    /// It shows a refusal, so it must also show a positive twin.
    pub negative: bool,
    /// What it needs.
    pub needs: &'static [Need],
    /// Checks whose failure makes this one say nothing.
    pub after: &'static [Id],
    /// What it costs.
    pub cost: Cost,
    /// Its body.
    pub run: Run,
}

impl Check {
    /// A check of `requirement` without needs and costs.
    pub const fn new(requirement: Id, fact: &'static str, negative: bool, run: Run) -> Check {
        let cost = Cost { requests: 0, publishes: 0, domains: 0, drops: 0 };
        Check { requirement, fact, negative, needs: &[], after: &[], cost, run }
    }

    /// With these needs.
    #[must_use]
    pub const fn needs(mut self, needs: &'static [Need]) -> Check {
        self.needs = needs;
        self
    }

    /// Saying nothing where these fail.
    #[must_use]
    pub const fn after(mut self, after: &'static [Id]) -> Check {
        self.after = after;
        self
    }

    /// Costing this many requests, publishes and domains.
    #[must_use]
    pub const fn costs(mut self, requests: u32, publishes: u32, domains: u32) -> Check {
        self.cost = Cost { requests, publishes, domains, drops: self.cost.drops };
        self
    }

    /// Costing this many requests, of which some are uploads.
    #[must_use]
    pub const fn drops(mut self, requests: u32, drops: u32) -> Check {
        self.cost = Cost { requests, publishes: 0, domains: 0, drops };
        self
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.requirement, self.fact)
    }
}

/// A check that something is granted: `shows!(ROW, fact)`.
#[macro_export]
macro_rules! shows {
    ($row:expr, $fact:ident) => {
        $crate::check::Check::new(&$row, stringify!($fact), false, |probe| Box::pin($fact(probe)))
    };
}

/// A check that something is refused, which needs a positive twin: `refuses!(ROW, fact)`.
#[macro_export]
macro_rules! refuses {
    ($row:expr, $fact:ident) => {
        $crate::check::Check::new(&$row, stringify!($fact), true, |probe| Box::pin($fact(probe)))
    };
}

macro_rules! declare {
    ($(($module:ident $variant:ident $document:literal))*) => {
        /// Every check, in the order of the requirements.
        pub fn all() -> Vec<&'static Check> {
            let mut checks: Vec<&'static Check> =
                [$($crate::$module::CHECKS),*].concat().into_iter().flatten().collect();
            checks.sort_by_key(|check| check.requirement.key);
            checks
        }
    };
}

assay_spec::for_each_service!(declare);
