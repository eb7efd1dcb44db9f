//! Where a witness's library alone differs from the cases' expectations, and why.

use serde::{Deserialize, Serialize};

use crate::case::{Case, Expect};
use crate::data;

/// Cases on which one library differs, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Divergence {
    /// The program that runs the library over the cases.
    pub witness: String,
    /// The library.
    pub library: String,
    /// Its locked version.
    pub version: String,
    /// The operation.
    pub operation: String,
    /// How the library differs.
    pub says: Says,
    /// Why this is not a fault of the cases.
    pub reason: String,
    /// The cases.
    pub cases: Vec<String>,
}

/// How a library differs from the expectation of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Says {
    /// It accepts an input that must be rejected.
    Accept,
    /// It rejects an input that must be accepted.
    Reject,
    /// It returns another result.
    Other,
}

impl Says {
    /// The difference as the end of a sentence: the library …
    pub const fn text(self) -> &'static str {
        match self {
            Says::Accept => "accepts it",
            Says::Reject => "rejects it",
            Says::Other => "returns another result",
        }
    }

    /// Whether this differs from the case's expectation.
    pub const fn differs(self, case: &Case) -> bool {
        matches!(case.expect, Expect::Reject { .. }) == matches!(self, Says::Accept)
    }
}

/// All recorded divergences.
pub fn divergences() -> Vec<Divergence> {
    serde_json::from_str(data::DIVERGENCES).expect("the embedded divergences are well formed")
}
