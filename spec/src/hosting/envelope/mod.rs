//! Encrypted envelopes (document 2, "Stored records written by the hosting application" and "Decryption of an
//! envelope"): `v`, `alg`, `ct`, `iv`, `tag` and the key wrapped in `deks`.
//!
//! Versions 1 and 2 are old. A backend skips them; a recovery tool opens them with the wallet's key. A deleted
//! project's envelope has empty strings and is never passed to this module.

mod form;
mod open;
mod seal;

pub(super) use form::parse_json;
pub use form::{check_written, parse};
pub use open::{Keys, Note, Opened, Outcome, Reader, Recipient, Role, open};
pub(super) use seal::wrap;
pub use seal::{Recipients, Sealed, Secrets, seal};

use super::requirements::envelope as rows;
use super::sealed::Rows;

/// The version that is written.
pub const VERSION: i64 = 3;
/// The warning of a backend that skips an older envelope.
pub const LEGACY_ENVELOPE_SKIPPED: &str = "LEGACY_ENVELOPE_SKIPPED";
/// The longest envelope, in bytes: the project's own limit.
pub const TEXT_BYTES: usize = 8 * 1024 * 1024;

const ROWS: Rows = Rows {
    algorithm: &rows::ALGORITHM,
    ciphertext: &rows::CIPHERTEXT,
    iv: &rows::IV,
    tag: &rows::TAG,
    additional_data: Some(&rows::ADDITIONAL_DATA),
};

#[cfg(test)]
mod tests;
