//! Envelopes: data encrypted under its own key, and that key wrapped for every recipient.

use assay_spec::Strict;
use assay_spec::crypto::aead::{self, Nonce};
use assay_spec::crypto::secp256k1::{PublicKey, key_from_secret};
use assay_spec::crypto::text::base64;
use assay_spec::hosting::wrapping::{Ephemeral, wrap};
use serde_json::{Map, Value, json};

use crate::core::Core;
use crate::hosting::accounts::{Accounts, Owner};
use crate::hosting::keys::{self, Secret};

/// An envelope.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct Envelope(pub(in crate::hosting) Value);

/// A bundle.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct Bundle(pub(in crate::hosting) Value);

/// What an envelope is sealed with.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct EnvelopeKeys {
    /// The owner's wallet.
    pub(in crate::hosting) user: PublicKey,
    /// The owner's encryption key.
    pub(in crate::hosting) encryption: PublicKey,
    /// A key that the owner does not have.
    pub(in crate::hosting) stranger: PublicKey,
    /// The numbers of the draws of key and IV.
    pub(in crate::hosting) key_n: u64,
    /// See `key_n`.
    pub(in crate::hosting) iv_n: u64,
}

/// Who can open a bundle besides the machine.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct BundleKeys {
    /// The owner's encryption key.
    pub(in crate::hosting) encryption: PublicKey,
    /// A key that the owner does not have.
    pub(in crate::hosting) stranger: PublicKey,
}

/// The envelope of `plaintext` for an owner.
pub(super) fn envelope(core: &mut Core, accounts: &mut Accounts, owner: &Owner, plaintext: &Value) -> Value {
    let n = accounts.next();
    let keys = core.step(EnvelopeKeys {
        user: owner.wallet.public(),
        encryption: owner.encryption.public(),
        stranger: keys::stranger(core).public(),
        key_n: n,
        iv_n: n,
    });
    let recipients = [("user", keys.user), ("encryption", keys.encryption)];
    let sealed = seal(core, [keys.key_n, keys.iv_n, n], plaintext.to_string().as_bytes(), &recipients);
    let mut envelope = json!({ "v": 3, "alg": "aes-256-gcm" });
    extend(&mut envelope, sealed);
    core.step(Envelope(envelope)).0
}

/// An envelope of an earlier version: 1 with `deks.session`, 2 with `deks.backend`.
pub(in crate::hosting) fn earlier(
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
    let keys = core
        .step(BundleKeys { encryption: owner.encryption.public(), stranger: keys::stranger(core).public() });
    let sealed = seal(core, [n, n, n], tarball, &[("vm", machine), ("encryption", keys.encryption)]);
    let mut bundle = json!({ "v": 1, "kind": core.dialect.bundle_kind, "alg": "aes-256-gcm" });
    extend(&mut bundle, sealed);
    core.step(Bundle(bundle)).0
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
