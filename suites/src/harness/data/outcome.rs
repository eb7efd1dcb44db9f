//! Outcomes: verdicts with their evidence.

use std::collections::BTreeMap;
use std::fmt;

use assay_spec::Id;

use super::reason::{Failure, Reason, RestsOn, Why};
use super::verdict::Verdict;
use crate::harness::recording::Call;
use crate::http::exchange::Exchange;
use crate::http::hiding::Disguise;

/// The outcome of one check.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The requirement that the check tests; its id is the check's id.
    pub requirement: Id,
    /// The fact that the check shows, such as `second_prepare_is_refused`.
    pub fact: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// Why the verdict is not a pass.
    pub reason: Reason,
    /// What an inconclusive outcome rests on, or what a failed precondition lacks.
    pub rests_on: Option<RestsOn>,
    /// The verdict at each place, if it ran at several.
    pub cells: Vec<AtPlace>,
    /// Observations where the documents allow several behaviours.
    pub notes: Vec<String>,
    /// The expectation or precondition that did not hold.
    pub failure: Option<Failure>,
    /// Readings of the documents under which the same responses pass, and which the profile does not declare.
    pub readings: Vec<OtherReading>,
    /// Every exchange of the check, in order.
    pub exchanges: Vec<Exchange>,
    /// The target's own reasons for its rejections, if it offers them; for a client, what is known of its run.
    pub why: Vec<Account>,
    /// Commands that repeat the last exchange, or the check.
    pub repeat: Vec<String>,
    /// Recorded inputs besides the exchanges.
    pub calls: Vec<Call>,
    /// Base URLs by site, if the check ran in its own world.
    pub sites: BTreeMap<String, String>,
    /// Replacements for secrets whose form is judged.
    pub disguises: Vec<Disguise>,
    /// The values that the check drew, in hex, and what they are for: reports of causes show that instead.
    pub roles: BTreeMap<String, String>,
    /// Its seed, if different from the run's, as in a merged run.
    pub seed: Option<u64>,
    /// Duration in milliseconds; `None` if meaningless, as in the embedded simulator.
    pub elapsed_ms: Option<u64>,
    /// How many responses of the run, to any check, were judged by a declaration that the requirement owns.
    pub answers: usize,
    /// A response to the check of this row broke what the requirement owns; the verdict says so, and the failure names the
    /// response, the last of the exchanges.
    pub seen_by: Option<Id>,
    /// How many of the exchanges, the last ones, show that: the response, and before it another one that it contradicts.
    pub seen_in: usize,
    /// Long response bodies were dropped, because the run has too many of them.
    pub is_cut: bool,
    /// How many exchanges the report that it was read from leaves out, with the other inputs: the check passed.
    pub left_out: usize,
}

impl Outcome {
    /// Whether a target with this outcome does not conform. An inconclusive check whose reason shows nothing about the target
    /// counts as not tested.
    pub fn is_red(&self) -> bool {
        let shows_nothing = self.verdict == Verdict::Inconclusive && self.reason.why.shows_nothing();
        self.verdict.is_bad() && !shows_nothing
    }

    /// Whether it is only the verdict about a response to another check: its own check did not run.
    pub fn is_without_check(&self) -> bool {
        self.seen_by.is_some() && self.own_exchanges() == 0
    }

    /// Whether a continued run repeats the check: it ended with an error of the harness, or the target stopped answering.
    pub fn is_repeated(&self) -> bool {
        self.verdict == Verdict::Error || self.reason.why == Why::Silent
    }

    /// The row that it rests on.
    pub fn owner(&self) -> Option<Id> {
        self.rests_on.as_ref().and_then(RestsOn::owner)
    }

    /// The number of the check's own exchanges.
    pub fn own_exchanges(&self) -> usize {
        self.exchanges.len() - self.seen_in
    }

    /// An outcome without exchanges.
    pub fn new(requirement: Id, fact: &'static str, verdict: Verdict, reason: impl Into<Reason>) -> Outcome {
        Outcome {
            requirement,
            fact,
            verdict,
            reason: reason.into(),
            rests_on: None,
            cells: Vec::new(),
            notes: Vec::new(),
            failure: None,
            readings: Vec::new(),
            exchanges: Vec::new(),
            why: Vec::new(),
            repeat: Vec::new(),
            calls: Vec::new(),
            sites: BTreeMap::new(),
            disguises: Vec::new(),
            roles: BTreeMap::new(),
            seed: None,
            elapsed_ms: None,
            answers: 0,
            seen_by: None,
            seen_in: 0,
            is_cut: false,
            left_out: 0,
        }
    }
}

/// A reading that a profile can declare: its key and its value, as TOML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherReading {
    /// The whole key, such as `gateway.readings.gateway_422_detail`.
    pub key: String,
    /// The value.
    pub value: String,
}

/// The line of the profile: `[gateway.readings] gateway_422_detail = "array"`.
impl fmt::Display for OtherReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (table, name) = self.key.rsplit_once('.').unwrap_or(("", &self.key));
        write!(f, "[{table}] {name} = {}", self.value)
    }
}

/// What a target or the run of a client says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The number of the exchange, as the target counts.
    pub exchange: Option<u64>,
    /// The row that the target names.
    pub row: Option<Id>,
    /// In the target's words.
    pub words: String,
    /// The target names the row but accepted the request.
    pub is_accepted: bool,
}

/// The verdict of a check at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtPlace {
    /// The place, such as `prepare transfer`.
    pub at: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it is not a pass.
    pub reason: Reason,
    /// The expectation or precondition that did not hold there.
    pub failure: Option<Failure>,
}
