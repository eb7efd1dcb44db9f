//! Envelopes: data encrypted under its own key, and that key wrapped for every recipient.

use assay_spec::crypto::aead::{self, Nonce};
use assay_spec::crypto::secp256k1::{PublicKey, key_from_secret};
use assay_spec::crypto::text::base64;
use assay_spec::hosting::requirements::{bundle, envelope, history};
use assay_spec::hosting::wrapping::{Ephemeral, wrap};
use assay_spec::{Rules, Strict};
use serde_json::{Map, Value, json};

use super::deviate::{MemberDeviations, Wrong, deviate, put};
use crate::core::Core;
use crate::hosting::accounts::{Accounts, Owner};
use crate::hosting::keys::{self, Secret};

/// Deviations of an envelope.
const ENVELOPE: MemberDeviations = &[
    (&envelope::FORM, Wrong::Put("/v", "\"3\"")),
    (&envelope::VERSION, Wrong::Put("/v", "2")),
    (&envelope::ALGORITHM, Wrong::Put("/alg", "\"aes-256-cbc\"")),
    (&envelope::CIPHERTEXT, Wrong::Put("/ct", "\"not~base64\"")),
    (&envelope::IV, Wrong::Put("/iv", "\"AAAAAAAAAAAAAAAAAAAAAA==\"")),
    (&envelope::TAG, Wrong::Put("/tag", "\"AAAAAAAAAAAAAAAA\"")),
    (&envelope::USER, Wrong::Put("/deks/user", "\"not~base64\"")),
    (&envelope::ENCRYPTION, Wrong::Put("/deks/encryption", "\"not~base64\"")),
    (
        &envelope::NO_OTHERS,
        Wrong::Do(|envelope| put(envelope, "/deks/backend", envelope["deks"]["user"].clone())),
    ),
];

/// Deviations of a bundle.
const BUNDLE: MemberDeviations = &[
    (&bundle::VERSION, Wrong::Put("/v", "2")),
    (&bundle::KIND, Wrong::Put("/kind", "\"bundle\"")),
    (&bundle::ALGORITHM, Wrong::Put("/alg", "\"aes-256-cbc\"")),
    (&bundle::CIPHERTEXT, Wrong::Put("/ct", "\"not~base64\"")),
    (&bundle::IV, Wrong::Put("/iv", "\"AAAAAAAAAAAAAAAAAAAAAA==\"")),
    (&bundle::TAG, Wrong::Put("/tag", "\"AAAAAAAAAAAAAAAA\"")),
    (&bundle::VM, Wrong::Put("/deks/vm", "\"not~base64\"")),
    (&bundle::ENCRYPTION, Wrong::Put("/deks/encryption", "\"not~base64\"")),
    (
        &bundle::TWO_RECIPIENTS,
        Wrong::Do(|bundle| put(bundle, "/deks/user", bundle["deks"]["encryption"].clone())),
    ),
    (&bundle::FORM, Wrong::Put("/deks", "[]")),
];

/// The envelope of `plaintext` for an owner.
pub(super) fn envelope(core: &mut Core, accounts: &mut Accounts, owner: &Owner, plaintext: &Value) -> Value {
    let user = meant(core, owner.wallet.public(), &envelope::WALLET_OPENS);
    let encryption = meant(core, owner.encryption.public(), &envelope::KEY_E_OPENS);
    let recipients = [("user", user), ("encryption", encryption)];
    let n = accounts.next();
    let [key_n, iv_n] = [&history::FRESH_KEY, &history::FRESH_IV].map(|rule| core.effect(rule, n, |_, _| 0));
    let sealed = seal(core, [key_n, iv_n, n], plaintext.to_string().as_bytes(), &recipients);
    let mut envelope = json!({ "v": 3, "alg": "aes-256-gcm" });
    extend(&mut envelope, sealed);
    deviate(core, envelope, ENVELOPE)
}

/// An envelope of an earlier version: 1 with `deks.session`, 2 with `deks.backend`.
pub(super) fn earlier(
    core: &Core,
    accounts: &mut Accounts,
    owner: &Owner,
    version: u8,
    plaintext: &Value,
) -> Value {
    let n = accounts.next();
    let (user, encryption) = (owner.wallet.public(), owner.encryption.public());
    let browser = Secret::draw(core, "browser", n).public();
    let backend = Secret::draw(core, "backend", 0).public();
    let recipients = match version {
        1 => vec![("user", user), ("session", browser)],
        _ => vec![("user", user), ("encryption", encryption), ("backend", backend)],
    };
    let sealed = seal(core, [n, n, n], plaintext.to_string().as_bytes(), &recipients);
    let mut envelope = json!({ "v": version, "alg": "aes-256-gcm" });
    extend(&mut envelope, sealed);
    envelope
}

/// The bundle of `tarball` for a machine and its owner.
pub(super) fn bundle(
    core: &mut Core,
    accounts: &mut Accounts,
    owner: &Owner,
    machine: PublicKey,
    tarball: &[u8],
) -> Value {
    let n = accounts.next();
    let encryption = meant(core, owner.encryption.public(), &bundle::KEY_E_OPENS);
    let sealed = seal(core, [n, n, n], tarball, &[("vm", machine), ("encryption", encryption)]);
    let mut bundle = json!({ "v": 1, "kind": core.dialect.bundle_kind, "alg": "aes-256-gcm" });
    extend(&mut bundle, sealed);
    deviate(core, bundle, BUNDLE)
}

/// The recipient's key, or an unrelated key where the rule is violated.
fn meant(core: &mut Core, key: PublicKey, rule: assay_spec::Id) -> PublicKey {
    let stranger = keys::stranger(core).public();
    core.effect(rule, key, |_, _| stranger)
}

/// The members `ct`, `iv`, `tag` and `deks`, from the draws with these numbers.
fn seal(
    core: &Core,
    [key_n, iv_n, n]: [u64; 3],
    text: &[u8],
    recipients: &[(&str, PublicKey)],
) -> Map<String, Value> {
    let key = core.rng.draw("hosting.dek", b"", key_n);
    let iv = core.rng.draw("hosting.iv", b"", iv_n);
    let iv: [u8; 12] = std::array::from_fn(|at| iv[at]);
    let (ct, tag) = aead::seal(&key, Nonce::Twelve(iv), &[], text);
    let deks: Map<String, Value> = recipients
        .iter()
        .map(|(name, public)| {
            let wrapped = wrap(public, &ephemeral(core, name, n), &key, &mut Strict);
            let wrapped = wrapped.expect("a recipient's key is a point on the curve");
            ((*name).to_owned(), Value::from(base64(&wrapped.bytes)))
        })
        .collect();
    let texts = [("ct", base64(&ct)), ("iv", base64(&iv)), ("tag", base64(&tag))];
    let mut sealed: Map<String, Value> =
        texts.into_iter().map(|(name, text)| (name.to_owned(), Value::from(text))).collect();
    sealed.insert("deks".to_owned(), deks.into());
    sealed
}

fn ephemeral(core: &Core, name: &str, n: u64) -> Ephemeral {
    let mut draws = (0..).map(|again: u64| {
        core.rng.draw("hosting.ephemeral", &[name.as_bytes(), &again.to_be_bytes()].concat(), n)
    });
    let key = draws.find_map(|secret| key_from_secret(&secret)).expect("nearly every draw is a valid key");
    let nonce = core.rng.draw("hosting.nonce", name.as_bytes(), n);
    Ephemeral { key, nonce: Nonce::Sixteen(std::array::from_fn(|at| nonce[at])) }
}

fn extend(piece: &mut Value, members: Map<String, Value>) {
    if let Value::Object(all) = piece {
        all.extend(members);
    }
}
