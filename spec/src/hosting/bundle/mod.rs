//! Encrypted bundles (document 2, "Instance deployments" and "`BundleEnvelope`"): a tarball encrypted with a key that
//! is wrapped for the virtual machine and for E, pinned as one file.
//!
//! The record's `bundleHash` is over the pinned file and is compared before any key is used.

mod form;
mod open;
mod seal;
mod tarball;

pub use form::{Envelope, check_hash, hash, parse};
pub use open::{Contents, Key, Opened, inspect, open};
pub use seal::{Recipients, Sealed, Secrets, seal};
pub use tarball::{Found, MANIFEST, find_manifest};

use super::requirements::bundle as rows;
use super::sealed::Rows;

/// The version that is written and accepted.
pub const VERSION: i64 = 1;

const ROWS: Rows = Rows {
    algorithm: &rows::ALGORITHM,
    ciphertext: &rows::CIPHERTEXT,
    iv: &rows::IV,
    tag: &rows::TAG,
    additional_data: None,
};

#[cfg(test)]
mod tests;
