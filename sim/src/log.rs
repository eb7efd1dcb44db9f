//! The refusal log: each refusal names its requirement and what was seen. The response itself says only what the
//! documents allow.

use assay_spec::{Instant, Refused};
use imbl::Vector;
use serde::Serialize;

use crate::exchange::ExchangeId;

/// How many refusals the log keeps.
pub const KEPT: usize = 256;
/// The maximum length of a reason, in characters; what was seen may be megabytes long.
pub const WHY: usize = 500;

/// One refusal.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// When.
    pub at: Instant,
    /// The exchange that was rejected.
    pub exchange: ExchangeId,
    /// The requirement that was violated.
    pub requirement: String,
    /// What was seen.
    pub why: String,
    /// The rule is switched off, so the request was accepted all the same.
    pub accepted: bool,
}

/// The latest refusals.
#[derive(Clone, Debug, Default)]
pub struct Log(Vector<Line>);

impl Log {
    /// Records a refusal, or what would have been one.
    pub fn note(&mut self, at: Instant, exchange: ExchangeId, refused: &Refused, accepted: bool) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        let (requirement, why) = (refused.rule.to_string(), cut(&refused.why));
        self.0.push_back(Line { at, exchange, requirement, why, accepted });
    }

    /// The refusals, oldest first.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.0.iter()
    }
}

pub(crate) fn cut(why: &str) -> String {
    match why.char_indices().nth(WHY) {
        Some((end, _)) => format!("{}…", &why[..end]),
        None => why.to_owned(),
    }
}
