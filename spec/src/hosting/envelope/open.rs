//! Decrypts an envelope.

use std::fmt;

use serde_json::Value;
use zeroize::Zeroizing;

use super::form::{self, Form};
use super::{ROWS, TEXT_BYTES, VERSION, rows};
use crate::crypto::aead::Key;
use crate::crypto::base64::Padding;
use crate::crypto::secp256k1::SigningKey;
use crate::hosting::mistakes::envelope::{
    AUTHENTIC, EITHER_KEY, OTHER_NAME, READ_ANYWAY, SKIPPED, UTF8, WITHOUT_ENCRYPTION,
};
use crate::hosting::sealed;
use crate::hosting::wrapping::Agreement;
use crate::{Refused, Rules};

/// The kind of reader: the two treat older envelopes in opposite ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The application's backend, which skips versions before 3.
    Backend,
    /// The owner's recovery tool, which opens every version with the wallet's key.
    RecoveryTool,
}

/// How to read envelopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    /// The kind of reader.
    pub role: Role,
    /// Whether base64 must be padded.
    pub padding: Padding,
}

impl Reader {
    /// The backend, strict about padding.
    pub const fn backend() -> Reader {
        Reader { role: Role::Backend, padding: Padding::Required }
    }

    /// The recovery tool, strict about padding.
    pub const fn recovery() -> Reader {
        Reader { role: Role::RecoveryTool, padding: Padding::Required }
    }
}

/// The available private keys. They are wiped when dropped, and print nothing.
#[derive(Clone, Default)]
pub struct Keys {
    /// The wallet's key.
    pub wallet: Option<SigningKey>,
    /// E.
    pub encryption: Option<SigningKey>,
}

/// The recipient whose wrapped key was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Recipient {
    /// `deks.user`.
    User,
    /// `deks.encryption`.
    Encryption,
}

impl Recipient {
    /// The name of the member in `deks`.
    pub const fn name(self) -> &'static str {
        match self {
            Recipient::User => "user",
            Recipient::Encryption => "encryption",
        }
    }
}

/// An observation that does not stop the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Note {
    /// A version 3 envelope lacks `deks.encryption`.
    WithoutEncryption,
    /// `deks` has a recipient that is not one of the version's own.
    MoreRecipients,
}

impl Note {
    /// The note's name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Note::WithoutEncryption => "envelope-without-encryption",
            Note::MoreRecipients => "envelope-more-recipients",
        }
    }
}

/// The outcome for a well-formed envelope.
#[derive(Debug)]
pub enum Outcome {
    /// It was decrypted.
    Opened(Box<Opened>),
    /// A backend skipped it; the warning is [`super::LEGACY_ENVELOPE_SKIPPED`].
    Skipped {
        /// Its version.
        version: i64,
    },
    /// None of the available keys is a recipient's.
    Closed {
        /// Its version.
        version: i64,
    },
}

/// A decrypted envelope.
pub struct Opened {
    /// Its version.
    pub version: i64,
    /// The recipient whose key decrypted it.
    pub recipient: Recipient,
    /// The derivation of the wrapping key.
    pub agreement: Option<Agreement>,
    /// The envelope's own key.
    pub dek: Key,
    /// The plaintext, byte for byte.
    pub text: Zeroizing<String>,
    /// The plaintext as JSON.
    pub plaintext: Value,
    /// The notes.
    pub notes: Vec<Note>,
}

/// Prints neither keys nor plaintext.
impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened")
            .field("version", &self.version)
            .field("recipient", &self.recipient)
            .field("bytes", &self.text.len())
            .field("notes", &self.notes)
            .finish_non_exhaustive()
    }
}

/// Decrypts an envelope with one of the available keys.
pub fn open(
    envelope: &Value,
    reader: Reader,
    keys: &Keys,
    rules: &mut dyn Rules,
) -> Result<Outcome, Refused> {
    let form = form::read(envelope, rules)?;
    let version = form.version;
    rules.require(&rows::NEWER, version <= VERSION, || {
        format!("v is {version}, the newest known version is {VERSION}")
    })?;
    if version < VERSION && skips(reader.role, rules) {
        return Ok(Outcome::Skipped { version });
    }
    let Some((recipient, key)) = choose(&form, keys) else {
        return Ok(Outcome::Closed { version });
    };
    let text = sealed::read(&form.members, &ROWS, TEXT_BYTES, reader.padding, rules)?;
    let (dek, agreement) = unwrap_key(&form, recipient, key, reader.padding, rules)?;
    let (text, plaintext) = match sealed::open(&text, &dek, &ROWS, rules)? {
        Some(bytes) => json(&bytes, rules)?,
        None => rules.refuse(&AUTHENTIC, (&text, &dek), "the authentication tag does not match")?,
    };
    let notes = notes(&form, rules);
    Ok(Outcome::Opened(Box::new(Opened { version, recipient, agreement, dek, text, plaintext, notes })))
}

fn skips(role: Role, rules: &mut dyn Rules) -> bool {
    match role {
        Role::Backend => rules.keep(&SKIPPED, true),
        Role::RecoveryTool => rules.keep(&READ_ANYWAY, false),
    }
}

/// The wallet's key opens every version that has `deks.user`; E opens those that have `deks.encryption`.
fn choose<'a>(form: &Form, keys: &'a Keys) -> Option<(Recipient, &'a SigningKey)> {
    let user = keys.wallet.as_ref().map(|key| (Recipient::User, key));
    let encryption = keys.encryption.as_ref().map(|key| (Recipient::Encryption, key));
    let has = |recipient: Recipient| form.deks.contains_key(recipient.name());
    let present = |found: &(Recipient, &SigningKey)| has(found.0);
    let first = user.filter(present).or(encryption.filter(present));
    // A required recipient is missing: parsing its wrapped key reports it.
    let missing = || if form.version >= VERSION { user.or(encryption) } else { user };
    first.or_else(missing)
}

fn unwrap_key(
    form: &Form,
    recipient: Recipient,
    key: &SigningKey,
    padding: Padding,
    rules: &mut dyn Rules,
) -> Result<(Key, Option<Agreement>), Refused> {
    let member = if form.version < VERSION { recipient } else { rules.keep(&EITHER_KEY, recipient) };
    let rule = match member {
        Recipient::User => &rows::USER,
        Recipient::Encryption => &rows::ENCRYPTION,
    };
    let place = format!("deks.{}", member.name());
    let wrapped = match form.deks.get(member.name()) {
        None => rules.refuse(&OTHER_NAME.under(rule), (&form.deks, key), format!("{place} is missing"))?,
        value => sealed::bytes(value, &place, rule, TEXT_BYTES, padding, rules)?,
    };
    sealed::unwrap_key(key, &wrapped, &rows::KEY_LENGTH, rules)
}

fn json(bytes: &[u8], rules: &mut dyn Rules) -> Result<(Zeroizing<String>, Value), Refused> {
    let text = rules.read(&UTF8, bytes, |bytes| match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Zeroizing::new(text.to_owned())),
        Err(e) => Err(format!("the plaintext is not UTF-8 at byte {}", e.valid_up_to())),
    })?;
    let value = form::parse_json(&text, TEXT_BYTES, &rows::JSON, rules)?;
    Ok((text, value))
}

fn notes(form: &Form, rules: &mut dyn Rules) -> Vec<Note> {
    let mut notes = Vec::new();
    let lacks = form.version >= VERSION && !form.deks.contains_key(Recipient::Encryption.name());
    if rules.keep(&WITHOUT_ENCRYPTION, lacks) {
        notes.push(Note::WithoutEncryption);
    }
    let own: &[&str] = match form.version {
        ..=1 => &["user", "encryption", "session", "backend"],
        2 => &["user", "encryption", "backend"],
        _ => &["user", "encryption"],
    };
    if form.deks.keys().any(|name| !own.contains(&name.as_str())) {
        notes.push(Note::MoreRecipients);
    }
    notes
}
