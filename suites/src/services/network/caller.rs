//! Senders: new keys, and signatures by both documented procedures.

use assay_spec::crypto::address::Address;
use assay_spec::crypto::keccak::keccak256;
use assay_spec::crypto::secp256k1::{self, SigningKey, key_from_secret};
use assay_spec::crypto::text::prefixed_hex;
use serde_json::{Map, Value};

use crate::harness::probe::{Probe, wall_clock};

/// A sender: an address and a key that signs.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) key: SigningKey,
    /// The address in its checksum form.
    pub(crate) address: String,
}

/// What a signature covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Procedure {
    /// The string of the message.
    General,
    /// The digest of the canonical JSON.
    Record,
}

/// A new sender.
pub(crate) fn caller(probe: &Probe<'_>) -> Caller {
    // All but a few of 2^128 draws are a key.
    loop {
        if let Some(caller) = drawn(probe, probe.draw("network-key")) {
            return caller;
        }
    }
}

/// The sender that all checks of a run share.
pub(super) fn common(probe: &Probe<'_>) -> Caller {
    drawn(probe, probe.draw_for_all("network-common-key")).unwrap_or_else(|| caller(probe))
}

/// The sender of drawn bytes, if they are a key.
fn drawn(probe: &Probe<'_>, mut secret: [u8; 32]) -> Option<Caller> {
    secret.iter_mut().zip(began(probe).to_be_bytes()).for_each(|(byte, began)| *byte ^= began);
    key_from_secret(&secret).map(Caller::new)
}

/// When the run began. A shared node keeps what earlier runs have written, so a run with the same seed needs other senders.
fn began(probe: &Probe<'_>) -> u64 {
    if probe.owns_time() {
        return 0;
    }
    let began = &probe.settings.network().began;
    let began = || Ok(Value::from(*began.get_or_init(|| wall_clock().0.unsigned_abs())));
    probe.share("network.began", began).ok().and_then(|began| began.as_u64()).unwrap_or_default()
}

impl Caller {
    /// The sender of a key.
    pub(crate) fn new(key: SigningKey) -> Caller {
        Caller { address: Address::from_key(&key).to_string(), key }
    }

    /// The same address with another sender's key.
    pub(crate) fn with_key_of(&self, other: &Caller) -> Caller {
        Caller { key: other.key.clone(), address: self.address.clone() }
    }

    /// The signature of a message, which is given as the string that will be sent.
    pub(crate) fn sign(&self, procedure: Procedure, message: &str) -> String {
        match procedure {
            Procedure::General => self.sign_bytes(message.as_bytes()),
            Procedure::Record => self.sign_bytes(&keccak256(canonical(message).as_bytes())),
        }
    }

    /// The wallet signature (EIP-191) over bytes.
    pub(crate) fn sign_bytes(&self, bytes: &[u8]) -> String {
        let mut signed = b"\x19Ethereum Signed Message:\n".to_vec();
        signed.extend_from_slice(bytes.len().to_string().as_bytes());
        signed.extend_from_slice(bytes);
        prefixed_hex(&secp256k1::sign(&self.key, &keccak256(&signed)).to_bytes())
    }
}

/// The canonical JSON of a message: the members that the document names, in its order, where they are present. The
/// document does not describe FORGET; here it has `hashes` instead of `content`.
fn canonical(message: &str) -> String {
    let message: Value = serde_json::from_str(message).unwrap_or_default();
    let part = |members: &Value, names: &[&str]| -> Map<String, Value> {
        let named = names.iter().filter_map(|name| Some((*name, members.get(*name)?)));
        named.map(|(name, value)| (name.to_owned(), value.clone())).collect()
    };
    let mut record = part(&message, &["type", "channel", "content"]);
    if let Some(content) = record.get_mut("content").filter(|content| content.is_object()) {
        let body = if content.get("content").is_some() { "content" } else { "hashes" };
        *content = part(content, &["address", "key", "type", "ref", body, "time"]).into();
    }
    Value::Object(record).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller() -> Caller {
        Caller::new(key_from_secret(&[1; 32]).expect("a key"))
    }

    #[test]
    fn strings_are_signed_as_wallets_sign_them() {
        // Confirmed by eth-account 0.14.0 and ethers 6.
        let known = "0xf186a035b50de31ac4d913b550ae6fe2fe9e7225c635f108c71e9135de228a2a567dd55d0a4d2115d30c9226903b0feef967ae4d2daf2c07c7fb70676600c15d1b";
        assert_eq!(caller().sign_bytes(b"hello"), known);
        assert_eq!(caller().address, "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1");
        assert_eq!(caller().sign(Procedure::General, "hello"), known);
    }

    #[test]
    fn canonical_json_has_the_named_members_in_order() {
        let message = r#"{"chain":"ETH","content":{"time":5,"content":{"b":1,"a":2},"more":1,"key":"k","address":"0x1"},"channel":"C","type":"AGGREGATE","timestamp":5}"#;
        assert_eq!(
            canonical(message),
            r#"{"type":"AGGREGATE","channel":"C","content":{"address":"0x1","key":"k","content":{"b":1,"a":2},"time":5}}"#
        );
        let forget = r#"{"type":"FORGET","channel":"C","content":{"hashes":["h"],"time":5,"address":"0x1"}}"#;
        assert_eq!(
            canonical(forget),
            r#"{"type":"FORGET","channel":"C","content":{"address":"0x1","hashes":["h"],"time":5}}"#
        );
        assert_eq!(canonical("[]"), "{}");
    }
}
