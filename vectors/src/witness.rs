//! Who confirmed the data: programs over other people's libraries, in other languages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data;

/// One run of a witness over one operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// The program, by its folder; behind a slash, where it holds several implementations against the cases, which.
    pub witness: String,
    /// The operation.
    pub op: String,
    /// The file of cases and its hash at that time.
    pub file: String,
    /// The file's SHA-256.
    pub sha256: String,
    /// How many accepts it confirmed.
    pub accepts: usize,
    /// How many rejects it confirmed.
    pub rejects: usize,
    /// The cases that it cannot express, each with the reason.
    pub skipped: BTreeMap<String, String>,
    /// The libraries, with their versions.
    pub libraries: Vec<String>,
}

impl Witness {
    /// Whether it cannot express the case.
    pub fn skips(&self, id: &str) -> bool {
        self.skipped.contains_key(id)
    }
}

/// Every run on record.
pub fn witnesses() -> Vec<Witness> {
    serde_json::from_str(data::WITNESSES).expect("the embedded record of witnesses is well formed")
}
