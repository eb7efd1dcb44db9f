//! Reads envelopes, and opens them if the run has the owner's key.

use assay_spec::crypto::aead::{self, Nonce};
use assay_spec::crypto::ecies::{self, NonceLength};
use assay_spec::crypto::secp256k1::SigningKey;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use zeroize::Zeroizing;

use super::found::Found;
use super::judge::{Form, expect, some};
use super::message::{Message, MessageKind};
use crate::harness::check::{Checked, Stop};
use crate::harness::probe::Probe;

/// An envelope, and its place in a message.
#[derive(Clone)]
pub(super) struct Sealed<'a> {
    pub(super) message: &'a Message,
    pub(super) place: String,
    pub(super) value: &'a Value,
}

/// An opened envelope.
pub(super) struct Opened {
    hash: String,
    place: String,
    /// The key that opened it.
    pub(super) dek: Zeroizing<[u8; 32]>,
    /// The plaintext.
    pub(super) plaintext: Zeroizing<Vec<u8>>,
}

/// The envelopes in records of these kinds, without duplicates and without those of deleted projects, which are empty.
pub(super) fn envelopes<'a>(found: &'a Found, kinds: &[MessageKind]) -> Vec<Sealed<'a>> {
    let mut sealed: Vec<Sealed<'a>> = Vec::new();
    let mut add = |message: &'a Message, place: String, value: Option<&'a Value>| {
        if let Some(value) = value.filter(|value| value.is_object())
            && !sealed.iter().any(|known| known.value == value)
        {
            sealed.push(Sealed { message, place, value });
        }
    };
    for message in kinds.iter().flat_map(|kind| found.of_kind(*kind)) {
        if message.kind == MessageKind::Projects {
            for (id, entry) in message.entries() {
                let is_living = entry.get("public").is_some_and(|public| public["deleted"] == false);
                let value = entry.get("encrypted").filter(|_| is_living);
                add(message, format!("/content/content/{id}/encrypted"), value);
            }
        } else {
            add(message, "/content/content/encrypted".to_owned(), message.body().get("encrypted"));
        }
    }
    sealed
}

/// Decodes padded base64 whose unused bits are zero.
pub(super) fn bytes(value: &Value) -> Option<Vec<u8>> {
    STANDARD.decode(value.as_str()?).ok()
}

/// As [`bytes`], for exactly `N` bytes.
pub(super) fn sized<const N: usize>(value: &Value) -> Option<[u8; N]> {
    bytes(value)?.try_into().ok()
}

/// Unwraps a data key with another key.
pub(super) fn unwrap(probe: &Probe<'_>, key: &SigningKey, wrapped: &Value) -> Option<Zeroizing<[u8; 32]>> {
    let nonce = match probe.settings.hosting().readings.ecies_nonce_len {
        12 => NonceLength::Twelve,
        _ => NonceLength::Sixteen,
    };
    let opened = ecies::decrypt(key, &bytes(wrapped)?, nonce).ok()?;
    let dek: [u8; 32] = opened.as_slice().try_into().ok()?;
    Some(Zeroizing::new(dek))
}

/// Decrypts `ct` with `iv`, `tag` and a key; `None` if one of them is malformed.
pub(super) fn open(envelope: &Value, dek: &[u8; 32]) -> Option<Zeroizing<Vec<u8>>> {
    let iv = sized::<12>(&envelope["iv"])?;
    let tag = sized::<16>(&envelope["tag"])?;
    aead::open(dek, Nonce::Twelve(iv), &[], &bytes(&envelope["ct"])?, &tag)
}

/// Whether an envelope is well-formed apart from its wrapped keys, so that a valid key opens it.
pub(super) fn is_formed(envelope: &Value) -> bool {
    sized::<12>(&envelope["iv"]).is_some()
        && sized::<16>(&envelope["tag"]).is_some()
        && bytes(&envelope["ct"]).is_some()
}

/// The owner's key. Without it, the check is not testable.
pub(super) fn wallet(found: &Found) -> Result<&SigningKey, Stop> {
    let needs = "needs the owner's key ([hosting] wallet_key) to open envelopes";
    found.wallet.as_ref().ok_or_else(|| Stop::NotTestable(needs.to_owned()))
}

/// Opens the envelopes in records of these kinds. Other checks judge those that do not open.
pub(super) fn opened(probe: &Probe<'_>, found: &Found, kinds: &[MessageKind]) -> Result<Vec<Opened>, Stop> {
    let wallet = wallet(found)?;
    let key_e = super::key_e::derived(probe, found);
    let envelopes = envelopes(found, kinds);
    some(found, envelopes.len(), "envelope")?;
    let opened: Vec<Opened> = envelopes
        .iter()
        .filter_map(|sealed| {
            let deks = &sealed.value["deks"];
            let by_e = || key_e.as_ref().and_then(|key| unwrap(probe, key, &deks["encryption"]));
            let tried = [unwrap(probe, wallet, &deks["user"]), by_e()];
            let (dek, plaintext) = tried
                .into_iter()
                .flatten()
                .find_map(|dek| open(sealed.value, &dek).map(|text| (dek, text)))?;
            let (hash, place) = (sealed.message.hash().to_owned(), sealed.place.clone());
            Some(Opened { hash, place, dek, plaintext })
        })
        .collect();
    probe.given(!opened.is_empty(), "no envelope opens with the owner's keys")?;
    Ok(opened)
}

impl Opened {
    /// The message that holds it.
    pub(super) fn message<'a>(&self, found: &'a Found) -> Option<&'a Message> {
        found.messages.iter().find(|one| one.hash() == self.hash)
    }

    /// Its place in the message.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.plaintext).ok()
    }
}

pub(super) const BASE64: Form = Form::new("base64", |value| value.and_then(bytes).is_some());
pub(super) const IV: Form = Form::new("base64 of 12 bytes", |value| value.and_then(sized::<12>).is_some());
pub(super) const TAG: Form = Form::new("base64 of 16 bytes", |value| value.and_then(sized::<16>).is_some());

/// Expects every plaintext to be a JSON object. The plaintext is not shown.
pub(super) fn objects(probe: &Probe<'_>, found: &Found, opened: &[Opened]) -> Checked {
    for one in opened {
        let holds = one.json().is_some_and(|value| value.is_object());
        let Some(message) = one.message(found) else { continue };
        let got = if std::str::from_utf8(&one.plaintext).is_ok() { "other UTF-8" } else { "not UTF-8" };
        expect(probe, found, message, holds, &one.place, "a JSON object inside", got)?;
    }
    Ok(())
}

/// Judges a member of every plaintext that is an object. Only the type of a private value is shown.
pub(super) fn members(
    probe: &Probe<'_>,
    found: &Found,
    opened: &[Opened],
    member: &str,
    want: &str,
    holds: impl Fn(Option<&Value>) -> bool,
) -> Checked {
    let mut count = 0;
    for one in opened {
        let (Some(Value::Object(members)), Some(message)) = (one.json(), one.message(found)) else {
            continue;
        };
        count += 1;
        let value = members.get(member);
        let place = format!("{member} inside {}", one.place);
        expect(probe, found, message, holds(value), &place, want, kind(value))?;
    }
    some(found, count, "envelope that holds an object")
}

fn kind(value: Option<&Value>) -> &'static str {
    match value {
        None => "missing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "another string",
        Some(Value::Array(_)) => "an array",
        Some(Value::Object(_)) => "an object",
    }
}
