//! Decrypts a bundle.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;
use zeroize::Zeroizing;

use super::form::{Envelope, check_hash, parse};
use super::tarball::{Found, find_manifest};
use super::{ROWS, rows};
use crate::crypto::aead;
use crate::crypto::secp256k1::SigningKey;
use crate::hosting::mistakes::bundle::{AUTHENTIC, TARBALL};
use crate::hosting::mistakes::envelope::OTHER_NAME;
use crate::hosting::sealed;
use crate::hosting::wrapping::Agreement;
use crate::{Dialect, Refused, Rules};

/// One of the two keys that decrypt a bundle.
#[derive(Clone, Copy)]
pub enum Key<'a> {
    /// The virtual machine's key.
    Vm(&'a SigningKey),
    /// E.
    Encryption(&'a SigningKey),
}

/// The decrypted contents.
#[derive(Clone, PartialEq, Eq)]
pub enum Contents {
    /// A tarball with this manifest. The names of its members (framework, runtime version, start command,
    /// environment) are left open.
    Manifest(Value),
    /// A tarball whose manifest is not JSON.
    Formless,
    /// A compression that is not supported here.
    Unread(&'static str),
    /// Nothing known; only when a rule is violated.
    Unknown,
}

/// A decrypted bundle.
pub struct Opened {
    /// The derivation of the wrapping key.
    pub agreement: Option<Agreement>,
    /// The bundle's own key.
    pub dek: aead::Key,
    /// The tarball, byte for byte.
    pub tarball: Zeroizing<Vec<u8>>,
    /// Its contents.
    pub contents: Contents,
}

/// Prints neither keys nor contents.
impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("bytes", &self.tarball.len()).finish_non_exhaustive()
    }
}

/// Decrypts the pinned file; its hash is compared with the recorded one first.
pub fn open(
    dialect: &Dialect,
    file: &[u8],
    stated_hash: &str,
    key: Key<'_>,
    rules: &mut dyn Rules,
) -> Result<Opened, Refused> {
    check_hash(file, stated_hash, rules)?;
    let envelope = parse(dialect, file, rules)?;
    let (dek, agreement) = unwrap_key(&envelope, key, rules)?;
    let (tarball, contents) = match sealed::open(&envelope.text, &dek, &ROWS, rules)? {
        Some(tarball) => {
            let contents = inspect(&tarball, rules)?;
            (tarball, contents)
        }
        None => rules.refuse(&AUTHENTIC, (&envelope.text, &dek), "the authentication tag does not match")?,
    };
    Ok(Opened { agreement, dek, tarball, contents })
}

/// Looks for the manifest.
pub fn inspect(tarball: &[u8], rules: &mut dyn Rules) -> Result<Contents, Refused> {
    rules.read(&TARBALL, tarball, |tarball| match find_manifest(tarball)? {
        Found::Manifest(bytes) => {
            let value = serde_json::from_slice::<Value>(&bytes).ok().filter(Value::is_object);
            Ok(value.map_or(Contents::Formless, Contents::Manifest))
        }
        Found::Unread(compression) => Ok(Contents::Unread(compression)),
    })
}

fn unwrap_key(
    envelope: &Envelope,
    key: Key<'_>,
    rules: &mut dyn Rules,
) -> Result<(aead::Key, Option<Agreement>), Refused> {
    let (name, wrapped, key, rule) = match key {
        Key::Vm(key) => ("vm", &envelope.vm, key, &rows::VM),
        Key::Encryption(key) => ("encryption", &envelope.encryption, key, &rows::ENCRYPTION),
    };
    let wrapped = match wrapped {
        Some(wrapped) => Cow::Borrowed(wrapped),
        None => Cow::Owned(rules.refuse(
            &OTHER_NAME.under(rule),
            (&envelope.deks, key),
            format!("deks.{name} is missing"),
        )?),
    };
    sealed::unwrap_key(key, &wrapped, &rows::KEY_LENGTH, rules)
}
