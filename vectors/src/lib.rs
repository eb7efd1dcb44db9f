#![doc = include_str!("../README.md")]
//!
//! Rule of this layer: one case, one reason. Every reject is an accepted case with one visible edit. Every accept
//! carries its intermediate values. [`lint`] proves that each reject is rejected by the rule that it names and by no
//! other.

pub mod behaviour;
pub mod bytes;
pub mod case;
pub mod collection;
mod data;
pub mod divergence;
pub mod drift;
pub mod edit;
pub mod exchange;
pub mod explain;
pub mod generate;
pub mod lint;
pub mod manifest;
pub mod op;
pub mod pack;
pub mod reading;
pub mod run;
pub mod shim;
mod steps;
pub mod wire;
pub mod witness;

use std::collections::BTreeSet;
use std::sync::LazyLock;

pub use case::{Case, Expect};
pub use collection::Collection;
pub use data::SCHEMA;
pub use manifest::Manifest;

/// Every case, in the order of files and of cases in a file.
pub fn cases() -> Vec<Case> {
    all().to_vec()
}

/// Every case, parsed once.
pub(crate) fn all() -> &'static [Case] {
    static ALL: LazyLock<Vec<Case>> = LazyLock::new(|| {
        let parse =
            |file: &generate::File| case::parse(file.text).unwrap_or_else(|e| panic!("{}: {e}", file.path));
        generate::FILES.iter().flat_map(parse).collect()
    });
    &ALL
}

/// The manifest of the data.
pub fn manifest() -> Manifest {
    serde_json::from_str(data::MANIFEST).expect("the embedded manifest is well formed")
}

/// The version of the collection.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The SHA-256 of the manifest, which has the hash of every file.
pub fn digest() -> String {
    assay_spec::crypto::text::sha256_hex(data::MANIFEST.as_bytes())
}

/// The readings that the reference follows and on which some cases rest.
pub fn readings() -> BTreeSet<String> {
    all().iter().filter_map(|case| case.reading.clone()).collect()
}
