//! Signatures (document 2, "Authentication"): which bytes are signed, and by which key.
//!
//! The document has two schemes. A *request* is signed over its own JSON text. A *record* is signed over the digest
//! of its canonical JSON. Which scheme a call requires is not shown; [`check`] accepts either.

mod canonical;
mod request;
mod signature;

pub use canonical::{canonical, record_digest, sign_record, verify_record};
pub use request::{request_text, sign_file, sign_request, verify_file, verify_request};
pub use signature::{
    address_of, digest, keccak, parse_public_key, parse_secret_key, parse_signature, recover, sign_text,
    verify,
};

use crate::crypto::address::Address;
use crate::json;
use crate::network::envelope::Envelope;
use crate::network::mistakes::signing::{GENERAL_TAKEN, RECORD_TAKEN};
use crate::network::requirements::signing::VERIFIED;
use crate::{Refused, Rules, Strict};

/// The bytes that a signature covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scheme {
    /// The message text as received.
    Request,
    /// The message text without white space.
    Compact,
    /// The digest of the canonical JSON.
    Record,
}

/// The scheme in which `signature` is a signature of `address` over `message`, an envelope's message text.
pub fn matching(message: &str, signature: &str, address: &str) -> Option<Scheme> {
    let signer = Address::parse(address)?;
    let of_text = |text: &str| recover(text.as_bytes(), signature, &mut Strict) == Ok(signer);
    if of_text(message) {
        return Some(Scheme::Request);
    }
    let compact = json::compact(message);
    if compact != message && of_text(&compact) {
        return Some(Scheme::Compact);
    }
    verify_record(message, signature, address, &mut Strict).is_ok().then_some(Scheme::Record)
}

/// Verifies an envelope with whichever scheme matches.
pub fn check(envelope: &Envelope, rules: &mut dyn Rules) -> Result<Option<Scheme>, Refused> {
    let scheme = matching(&envelope.text, &envelope.signature, &envelope.address);
    rules.require(&VERIFIED, scheme.is_some(), || {
        format!("the signature is not one of {}", envelope.address)
    })?;
    rules.accept(&GENERAL_TAKEN, (scheme, envelope.text.as_str()))?;
    rules.accept(&RECORD_TAKEN, scheme)?;
    Ok(scheme)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::crypto::secp256k1::{SigningKey, key_from_secret};
    use crate::network::envelope::{body, message_text};
    use crate::{Dialect, Instant, Without};

    fn key() -> SigningKey {
        key_from_secret(&[1; 32]).unwrap()
    }

    fn envelope(message: &str, signature: &str) -> Envelope {
        let body = body(message, signature, &Address::from_key(&key()).to_string());
        Envelope::parse(&Dialect::default(), body.as_bytes(), None, Instant(10_000), &mut Strict).unwrap()
    }

    fn aggregate(nonce: Option<&str>) -> String {
        let content = json!({"key": "k", "address": "0x1", "content": {"b": 1, "a": 2}, "time": 10});
        message_text("ETH", Some("SVC"), "AGGREGATE", 10, &content, nonce)
    }

    #[test]
    fn either_scheme_is_accepted() {
        let text = aggregate(Some("n1"));
        let signature = sign_request(&key(), &text);
        assert_eq!(check(&envelope(&text, &signature), &mut Strict), Ok(Some(Scheme::Request)));
        let pretty = text.replace(':', " : ");
        assert_eq!(check(&envelope(&pretty, &signature), &mut Strict), Ok(Some(Scheme::Compact)));
        let signature = sign_record(&key(), &text, &mut Strict).unwrap();
        assert_eq!(check(&envelope(&pretty, &signature), &mut Strict), Ok(Some(Scheme::Record)));
    }

    #[test]
    fn signature_of_another_key_matches_no_scheme() {
        let text = aggregate(None);
        let other = key_from_secret(&[2; 32]).unwrap();
        for signature in [
            sign_request(&other, &text),
            sign_record(&other, &text, &mut Strict).unwrap(),
            sign_request(&key(), &format!("{text} ")),
            String::new(),
            "0x".to_owned(),
        ] {
            let envelope = envelope(&text, &signature);
            assert_eq!(check(&envelope, &mut Strict).unwrap_err().rule, &VERIFIED);
            assert_eq!(check(&envelope, &mut Without(&VERIFIED)), Ok(None));
        }
    }

    #[test]
    fn rejected_scheme_rejects_only_its_own_messages() {
        let text = aggregate(Some("n1"));
        let general = envelope(&text, &sign_request(&key(), &text));
        assert_eq!(check(&general, &mut Without(&GENERAL_TAKEN)).unwrap_err().rule, GENERAL_TAKEN.rule);
        assert!(check(&general, &mut Without(&RECORD_TAKEN)).is_ok());
        let record = envelope(&text, &sign_record(&key(), &text, &mut Strict).unwrap());
        assert_eq!(check(&record, &mut Without(&RECORD_TAKEN)).unwrap_err().rule, RECORD_TAKEN.rule);
        let plain = aggregate(None);
        let plain = envelope(&plain, &sign_request(&key(), &plain));
        assert!(check(&plain, &mut Without(&GENERAL_TAKEN)).is_ok());
    }
}
