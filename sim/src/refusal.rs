//! A refusal. Its row names the status; the service gives it a body.

use assay_spec::{Id, Refused};

/// A refusal.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The requirement, and what was seen; the latter only goes to the log.
    pub(crate) refused: Refused,
    /// When to retry, in seconds, if retrying helps.
    pub(crate) retry_after_s: Option<i64>,
}

impl Refusal {
    /// A refusal by a requirement.
    pub(crate) fn new(rule: Id, why: impl Into<String>) -> Refusal {
        Refused { rule, why: why.into() }.into()
    }

    /// The status that the row names; `of_others` has those of rows that only a deviation lets reject.
    pub(crate) fn status(&self, of_others: impl FnOnce(Id) -> u16) -> u16 {
        let rule = self.refused.rule;
        rule.rejection.map_or_else(|| of_others(rule), |rejection| rejection.usual)
    }

    /// A refusal that no longer applies after `wait_ms`.
    pub(crate) fn for_now(rule: Id, why: impl Into<String>, wait_ms: i64) -> Refusal {
        let retry_after_s = Some(wait_ms.max(0).saturating_add(999) / 1000);
        Refusal { retry_after_s, ..Refusal::new(rule, why) }
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        Refusal { refused, retry_after_s: None }
    }
}
