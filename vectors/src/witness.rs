//! The witnesses that confirmed the data: programs in other languages that use third-party libraries.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data;

/// One run of a witness over one operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// The program, by its folder; after a slash, the implementation if the program tests several.
    pub witness: String,
    /// The operation.
    pub op: String,
    /// The case file.
    pub file: String,
    /// The file's SHA-256.
    pub sha256: String,
    /// The number of confirmed accepts.
    pub accepts: usize,
    /// The number of confirmed rejects.
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

/// All recorded runs.
pub fn witnesses() -> Vec<Witness> {
    serde_json::from_str(data::WITNESSES).expect("the embedded record of witnesses is well formed")
}
