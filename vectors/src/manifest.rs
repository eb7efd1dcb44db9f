//! The manifest: the contents of the data, and the hash of every file.

use std::collections::BTreeMap;

use assay_spec::crypto::text::sha256_hex;
use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::data;

/// The format version of manifest and cases.
pub const VERSION: u32 = 2;

/// The contents of the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The format version of manifest and cases.
    pub version: u32,
    /// The version of the collection.
    pub collection: String,
    /// The SHA-256 of every file, by its path below `data`.
    pub files: BTreeMap<String, String>,
    /// The case counts of each operation.
    pub operations: BTreeMap<String, Count>,
}

/// The case counts of one operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// Accepted inputs.
    pub accept: usize,
    /// Rejected inputs.
    pub reject: usize,
}

impl Manifest {
    /// The manifest of generated files with their cases, and of the exchanges written by hand.
    pub(crate) fn from_files(files: &[(&str, Vec<u8>)], cases: &[&Case]) -> Manifest {
        let generated = files.iter().map(|(path, bytes)| ((*path).to_owned(), sha256_hex(bytes)));
        let by_hand =
            data::EXCHANGES.iter().map(|(path, text)| ((*path).to_owned(), sha256_hex(text.as_bytes())));
        let mut operations: BTreeMap<String, Count> = BTreeMap::new();
        for case in cases {
            let count = operations.entry(case.op.clone()).or_default();
            *(if case.is_reject() { &mut count.reject } else { &mut count.accept }) += 1;
        }
        Manifest {
            version: VERSION,
            collection: crate::VERSION.to_owned(),
            files: generated.chain(by_hand).collect(),
            operations,
        }
    }
}

impl Count {
    /// The number of all cases.
    pub fn total(self) -> usize {
        self.accept + self.reject
    }
}
