//! A whole run: its outcomes, and the conditions of its verdicts.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::machine::Transition;

use super::cost::Depth;
use super::outcome::Outcome;
use super::verdict::Verdict;
use crate::harness::control::Offer;
use crate::harness::coverage::Coverage;
use crate::harness::suite::Suites;
use crate::http::exchange::{Broken, Exchange};
use crate::profile::Gate;

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

/// What checks sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Requests.
    pub requests: u64,
    /// The requests among them that write.
    pub writes: u64,
    /// Their heads and bodies, in bytes.
    pub bytes: u64,
    /// Accepted prepares, which count against a domain's day.
    pub publishes: u64,
    /// Uploads, which count against an address's hour.
    pub drops: u64,
}

impl std::iter::Sum for Sent {
    fn sum<I: Iterator<Item = Sent>>(all: I) -> Sent {
        all.fold(Sent::default(), |sum, one| Sent {
            requests: sum.requests + one.requests,
            writes: sum.writes + one.writes,
            bytes: sum.bytes + one.bytes,
            publishes: sum.publishes + one.publishes,
            drops: sum.drops + one.drops,
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
    /// Which values the checks sent in place of valid ones.
    pub depth: Depth,
}

impl Conditions {
    /// Which checks saw each other's resources.
    pub fn worlds(&self) -> Worlds {
        let has_forks = self.offer.as_ref().is_some_and(|offer| offer.forks);
        if self.is_embedded || has_forks { Worlds::Own } else { Worlds::Shared }
    }
}

/// Which checks see each other's resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worlds {
    /// Each check has a world of its own.
    Own,
    /// All checks share the target.
    Shared,
}

impl Worlds {
    /// The world of the check with this number.
    pub(crate) const fn world_of(self, outcome: usize) -> usize {
        match self {
            Worlds::Own => outcome,
            Worlds::Shared => 0,
        }
    }
}

impl Run {
    /// Whether another run may be merged with it, or continue it: both need every exchange.
    pub fn is_unfinished(&self) -> bool {
        self.is_partial || self.shards.is_some() || self.outcomes.iter().any(Outcome::is_repeated)
    }

    /// How many checks lack their exchanges, because a report leaves them out.
    pub fn left_out(&self) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.left_out > 0).count()
    }

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
}
