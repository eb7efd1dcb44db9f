//! A refusal. The table of each service decides its response.

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
