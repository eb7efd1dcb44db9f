//! Encrypted envelopes: their form, and the keys that open them.

use assay_spec::Instant;
use assay_spec::hosting::requirements::{deployments, envelope as rows, projects, security};
use serde_json::Value;

use super::found::{Found, SEALED, found};
use super::judge::{Form, Seen, each, exactly, expect, is_object, moment, number, some};
use super::message::MessageKind;
use super::sealed::{BASE64, IV, Sealed, TAG, bytes, envelopes, is_formed, open, unwrap, wallet};
use crate::harness::check::{Checked, shows};
use crate::harness::probe::Probe;

members! {
    /// Reads every envelope. `v` must be 3, except in a record from before `new_since`.
    VERSION envelopes_have_version_3: every("/v"), number(3), FORM;
    /// Reads every envelope. `alg` must be `aes-256-gcm`.
    ALGORITHM envelopes_name_their_cipher: every("/alg"), exactly("aes-256-gcm"), FORM;
    /// Reads every envelope. `ct` must be base64.
    CIPHERTEXT ciphertexts_are_base64: every("/ct"), BASE64, FORM;
    /// Reads every envelope. `iv` must be base64 of 12 bytes.
    IV ivs_have_12_bytes: every("/iv"), IV, FORM;
    /// Reads every envelope. `tag` must be base64 of 16 bytes.
    TAG tags_have_16_bytes: every("/tag"), TAG, FORM;
    /// Reads every envelope. `deks` must have neither `backend` nor `session`.
    NO_OTHERS envelopes_have_no_other_recipients:
        every("/deks"), Form::new("neither backend nor session", has_no_others), FORM;
}

const FORM: &[assay_spec::Id] = rests!(rows::FORM, projects::ENCRYPTED, deployments::ENCRYPTED);

/// Every envelope, but those of versions 1 and 2 that are not new: a reader takes them as documented. The entry of a project is
/// as new as its `updatedAt`, since a later write of the map repeats it.
fn all(found: &Found) -> Vec<Sealed<'_>> {
    let mut all = envelopes(found, SEALED);
    all.retain(|sealed| {
        let updated = format!("{}/public/updatedAt", sealed.place.trim_end_matches("/encrypted"));
        let updated = sealed.message.value.pointer(&updated).and_then(Value::as_str).and_then(moment);
        let time = updated.map(Instant::seconds).filter(|_| sealed.message.kind == MessageKind::Projects);
        !matches!(sealed.value["v"].as_u64(), Some(1 | 2)) || found.is_new(time.or(sealed.message.time()))
    });
    all
}

/// Judges a member of every envelope.
async fn every(
    probe: &Probe<'_>,
    pointer: &str,
    want: &str,
    holds: impl Fn(Option<&Value>) -> bool,
) -> Checked {
    let found = found(probe).await?;
    let seen = all(&found).into_iter().map(|Sealed { message, place, value }| Seen {
        message,
        place: format!("{place}{pointer}"),
        value: value.pointer(pointer),
    });
    each(probe, &found, "envelope", seen, want, holds)
}

/// Reads every envelope. `v` must be an integer and `deks` an object.
#[shows(rows::FORM, after = rests!(projects::ENCRYPTED, deployments::ENCRYPTED))]
async fn envelopes_have_a_version_and_keys(probe: &Probe<'_>) -> Checked {
    every(probe, "/v", "an integer", |v| v.is_some_and(Value::is_u64)).await?;
    every(probe, "/deks", "an object", is_object).await
}

/// A key of 32 bytes wrapped with a nonce of the declared length.
pub(super) fn is_wrapped(probe: &Probe<'_>) -> impl Fn(Option<&Value>) -> bool + use<> {
    let length = 65 + probe.settings.hosting().readings.ecies_nonce_len + 16 + 32;
    move |value| value.and_then(bytes).is_some_and(|bytes| bytes.len() == length)
}

/// Reads every envelope. `deks.user` must be base64 with the length of a wrapped key.
#[shows(rows::USER, after = FORM)]
async fn envelopes_have_a_key_for_the_wallet(probe: &Probe<'_>) -> Checked {
    every(probe, "/deks/user", "a wrapped key in base64", is_wrapped(probe)).await
}

/// Reads every envelope. `deks.encryption` must be base64 with the length of a wrapped key.
#[shows(rows::ENCRYPTION, after = FORM)]
async fn envelopes_have_a_key_for_e(probe: &Probe<'_>) -> Checked {
    every(probe, "/deks/encryption", "a wrapped key in base64", is_wrapped(probe)).await
}

/// Neither `backend` nor `session`.
fn has_no_others(deks: Option<&Value>) -> bool {
    deks.is_some_and(|deks| deks.get("backend").is_none() && deks.get("session").is_none())
}

/// Expects a key to open every well-formed envelope.
fn expect_opens(
    probe: &Probe<'_>,
    found: &Found,
    key: &assay_spec::crypto::secp256k1::SigningKey,
    member: &str,
) -> Checked {
    let is_wrapped = is_wrapped(probe);
    let mut count = 0;
    for Sealed { message, place, value } in all(found) {
        let wrapped = &value["deks"][member];
        if !is_formed(value) || !is_wrapped(Some(wrapped)) {
            continue;
        }
        count += 1;
        let place = format!("{place}/deks/{member}");
        let dek = unwrap(probe, key, wrapped);
        let got = if dek.is_some() {
            "a key that does not open the envelope"
        } else {
            "a key that does not unwrap"
        };
        let is_open = dek.is_some_and(|dek| open(value, &dek).is_some());
        expect(probe, found, message, is_open, &place, "a key that opens the envelope", got)?;
    }
    some(found, count, "well-formed envelope")
}

/// Opens every well-formed envelope with the owner's wallet key. `deks.user` must unwrap to a key that decrypts it.
#[shows(rows::WALLET_OPENS, after = rests!(rows::FORM, rows::CIPHERTEXT, rows::IV, rows::TAG, rows::USER))]
async fn the_wallet_opens_every_envelope(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    expect_opens(probe, &found, wallet(&found)?, "user")
}

/// Opens every well-formed envelope with E, the owner's derived key. `deks.encryption` must unwrap to a key that
/// decrypts it.
#[shows(
    rows::KEY_E_OPENS,
    after = rests!(
        rows::FORM, rows::CIPHERTEXT, rows::IV, rows::TAG, rows::ENCRYPTION, security::ENCRYPTION_IS_E,
    ),
)]
async fn e_opens_every_envelope(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let key = super::key_e::needed(probe, &found)?;
    expect_opens(probe, &found, &key, "encryption")
}
