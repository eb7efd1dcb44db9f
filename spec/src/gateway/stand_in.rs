//! Stand-ins for what the document does not show: how an item hash is resolved, and how an enclave is attested.
//!
//! No target is judged by this. A reference server serves these paths, and its clients use them:
//! `GET /stand-in/v1/resolve/{item_hash}` at the gateway returns `{"address": "https://…"}`, and
//! `GET /stand-in/v1/attestation?nonce={hex}` at that address returns
//! `{"item_hash", "nonce", "certificate_sha256", "signature"}`: a statement about the deployment that runs there and
//! the certificate of its connections, signed by an authority whose public key the client has.

use ed25519_dalek::SigningKey;
use serde_json::{Value, json};

use crate::crypto::{ed25519, text};

/// The gateway's path to resolve item hashes; the hash follows.
pub const RESOLVE: &str = "/stand-in/v1/resolve/";
/// The path where an enclave attests itself. The query has the client's nonce.
pub const ATTESTATION: &str = "/stand-in/v1/attestation";
/// Signed together with the statement, so that the signature fits no other purpose.
const PURPOSE: &str = "assay stand-in attestation v1";

/// What an attestation states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The item hash of the deployment that runs.
    pub item_hash: String,
    /// The client's nonce, hex.
    pub nonce: String,
    /// The SHA-256 of the certificate (DER) of the enclave's connections.
    pub certificate_sha256: [u8; 32],
}

/// Why an attestation is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unverified {
    /// A member is missing or has the wrong form.
    #[error("the attestation has no valid {0}")]
    Form(&'static str),
    /// It is about another deployment.
    #[error("the attestation is for another deployment")]
    Measurement,
    /// It is for another nonce.
    #[error("the attestation is for another nonce")]
    Nonce,
    /// It is for another certificate than the connection's.
    #[error("the attestation is for another certificate")]
    Certificate,
    /// The authority did not sign it.
    #[error("the signature is not the authority's")]
    Signature,
}

impl Statement {
    /// The attestation, signed.
    pub fn attest(&self, key: &SigningKey) -> Value {
        json!({
            "item_hash": self.item_hash,
            "nonce": self.nonce,
            "certificate_sha256": text::hex(&self.certificate_sha256),
            "signature": text::hex(&ed25519::sign(key, self.signed().as_bytes())),
        })
    }

    /// Checks that an attestation states exactly this, and that the authority with this public key signed it.
    pub fn verify(&self, attestation: &Value, authority: &[u8; 32]) -> Result<(), Unverified> {
        let member = |name| attestation[name].as_str().ok_or(Unverified::Form(name));
        let certificate = text::parse_hex(member("certificate_sha256")?);
        let certificate = certificate.and_then(|bytes| bytes.try_into().ok());
        let signature = text::parse_hex(member("signature")?).and_then(|bytes| bytes.try_into().ok());
        let stated = Statement {
            item_hash: member("item_hash")?.to_owned(),
            nonce: member("nonce")?.to_owned(),
            certificate_sha256: certificate.ok_or(Unverified::Form("certificate_sha256"))?,
        };
        let signature: [u8; 64] = signature.ok_or(Unverified::Form("signature"))?;
        if !ed25519::verifies(authority, stated.signed().as_bytes(), &signature) {
            return Err(Unverified::Signature);
        }
        let holds = [
            (stated.item_hash == self.item_hash, Unverified::Measurement),
            (stated.nonce == self.nonce, Unverified::Nonce),
            (stated.certificate_sha256 == self.certificate_sha256, Unverified::Certificate),
        ];
        holds.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, why)| Err(why))
    }

    /// The signed string. No member contains a line end, because the signer wrote each of them.
    fn signed(&self) -> String {
        let Statement { item_hash, nonce, certificate_sha256 } = self;
        format!("{PURPOSE}\n{item_hash}\n{nonce}\n{}\n", text::hex(certificate_sha256))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attestation_is_valid_only_for_its_own_statement() {
        let key = ed25519::key_from_seed([7; 32]);
        let authority = key.verifying_key().to_bytes();
        let asked = Statement { item_hash: "ab".into(), nonce: "01".into(), certificate_sha256: [9; 32] };
        assert_eq!(asked.verify(&asked.attest(&key), &authority), Ok(()));
        let other = |change: fn(&mut Statement)| {
            let mut stated = asked.clone();
            change(&mut stated);
            asked.verify(&stated.attest(&key), &authority)
        };
        assert_eq!(other(|stated| stated.item_hash.push('0')), Err(Unverified::Measurement));
        assert_eq!(other(|stated| stated.nonce.push('0')), Err(Unverified::Nonce));
        assert_eq!(other(|stated| stated.certificate_sha256[0] = 0), Err(Unverified::Certificate));
        let forged = asked.attest(&ed25519::key_from_seed([8; 32]));
        assert_eq!(asked.verify(&forged, &authority), Err(Unverified::Signature));
        for member in ["item_hash", "nonce", "certificate_sha256", "signature"] {
            for wrong in [Value::Null, json!(1), json!("")] {
                let mut altered = asked.attest(&key);
                altered[member] = wrong;
                assert!(asked.verify(&altered, &authority).is_err(), "{altered}");
            }
        }
        assert!(asked.verify(&Value::Null, &authority).is_err());
    }
}
