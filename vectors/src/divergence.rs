//! Where a witness's library by itself says something else than the cases expect, and why.

use serde::{Deserialize, Serialize};

use crate::case::{Case, Expect};
use crate::data;

/// Cases on which one library differs, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Divergence {
    /// The program that holds the library against the cases.
    pub witness: String,
    /// The library.
    pub library: String,
    /// Its version, as it is locked.
    pub version: String,
    /// The operation.
    pub operation: String,
    /// What it says.
    pub says: Says,
    /// Why that is no fault of the cases.
    pub reason: String,
    /// The cases.
    pub cases: Vec<String>,
}

/// What a library says, where a case expects something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Says {
    /// It takes what is refused.
    Accept,
    /// It refuses what is taken.
    Reject,
    /// It gives another answer.
    Other,
}

impl Says {
    /// In a sentence: the library …
    pub const fn text(self) -> &'static str {
        match self {
            Says::Accept => "takes it",
            Says::Reject => "refuses it",
            Says::Other => "gives another answer",
        }
    }

    /// Whether that differs from what the case expects.
    pub const fn differs(self, case: &Case) -> bool {
        matches!(case.expect, Expect::Reject { .. }) == matches!(self, Says::Accept)
    }
}

/// Every divergence on record.
pub fn divergences() -> Vec<Divergence> {
    serde_json::from_str(data::DIVERGENCES).expect("the embedded divergences are well formed")
}
