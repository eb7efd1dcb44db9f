//! General request signing: a JSON text with data, a timestamp and a nonce, signed byte for byte.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::signature::{sign_text, verify};
use crate::crypto::address::Address;
use crate::crypto::secp256k1::SigningKey;
use crate::crypto::text::sha256_hex;
use crate::json;
use crate::network::mistakes::signing::{REQUEST_FORM, REQUEST_TEXT};
use crate::network::requirements::signing::{REQUEST_NONCE, REQUEST_TIMESTAMP};
use crate::network::requirements::storage;
use crate::{Refused, Rules};

/// The request text to sign: the members of the data, then `timestamp` in seconds, then `nonce`.
pub fn request_text(data: &Map<String, Value>, timestamp: i64, nonce: &str) -> String {
    let mut message = data.clone();
    message.shift_remove("timestamp");
    message.shift_remove("nonce");
    message.insert("timestamp".to_owned(), timestamp.into());
    message.insert("nonce".to_owned(), nonce.into());
    Value::Object(message).to_string()
}

/// Signs a request's text.
pub fn sign_request(key: &SigningKey, text: &str) -> String {
    sign_text(key, text.as_bytes())
}

/// Verifies a signed request against the signer's address.
pub fn verify_request(
    text: &str,
    signature: &str,
    address: &str,
    rules: &mut dyn Rules,
) -> Result<Address, Refused> {
    match serde_json::from_str(text) {
        Ok(message) => check_members(&message, rules)?,
        Err(e) => rules.refuse(&REQUEST_FORM, text, format!("the request is not a JSON object: {e}"))?,
    }
    let signed = rules.derive(&REQUEST_TEXT, text, Cow::Borrowed);
    verify(signed.as_bytes(), signature, address, rules)
}

fn check_members(message: &Map<String, Value>, rules: &mut dyn Rules) -> Result<(), Refused> {
    let timestamp = message.get("timestamp");
    rules.require(&REQUEST_TIMESTAMP, timestamp.and_then(json::integer).is_some(), || {
        format!("timestamp is {timestamp:?}")
    })?;
    let nonce = message.get("nonce");
    let given = nonce.and_then(Value::as_str).is_some_and(|nonce| !nonce.is_empty());
    rules.require(&REQUEST_NONCE, given, || format!("nonce is {nonce:?}"))
}

/// Signs a file for its upload: the hexadecimal SHA-256 of its bytes, as a string.
pub fn sign_file(key: &SigningKey, file: &[u8]) -> String {
    sign_text(key, sha256_hex(file).as_bytes())
}

/// Verifies the signature of an upload.
pub fn verify_file(
    file: &[u8],
    signature: &str,
    address: &str,
    rules: &mut dyn Rules,
) -> Result<(), Refused> {
    let verified = verify(sha256_hex(file).as_bytes(), signature, address, &mut crate::Strict);
    rules.require(&storage::SIGNATURE, verified.is_ok(), || {
        format!("the signature is not one of {address:.60} over this file")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::crypto::secp256k1::key_from_secret;
    use crate::{Id, Strict, Without};

    fn key() -> SigningKey {
        key_from_secret(&[1; 32]).unwrap()
    }

    fn signed(text: &str, rules: &mut dyn Rules) -> Result<Address, Refused> {
        verify_request(text, &sign_request(&key(), text), &Address::from_key(&key()).to_string(), rules)
    }

    #[test]
    fn request_signature_covers_its_exact_text() {
        let data = json!({"b": 1, "timestamp": 0, "a": "\u{e9}"});
        let text = request_text(data.as_object().unwrap(), 1_700_000_000, "n1");
        assert_eq!(text, "{\"b\":1,\"a\":\"\u{e9}\",\"timestamp\":1700000000,\"nonce\":\"n1\"}");
        assert!(signed(&text, &mut Strict).is_ok());
        let pretty = "{ \"nonce\": \"x\", \"timestamp\": 1 }";
        assert!(signed(pretty, &mut Strict).is_ok());
        assert!(signed(pretty, &mut Without(&REQUEST_TEXT)).is_err());
    }

    #[test]
    fn each_fault_breaks_one_rule_only() {
        let cases: [(Id, &str); 9] = [
            (&REQUEST_FORM, "hello"),
            (&REQUEST_FORM, "[]"),
            (&REQUEST_FORM, ""),
            (&REQUEST_TIMESTAMP, r#"{"nonce":"n"}"#),
            (&REQUEST_TIMESTAMP, r#"{"nonce":"n","timestamp":1.5}"#),
            (&REQUEST_TIMESTAMP, r#"{"nonce":"n","timestamp":"1"}"#),
            (&REQUEST_NONCE, r#"{"timestamp":1}"#),
            (&REQUEST_NONCE, r#"{"timestamp":1,"nonce":""}"#),
            (&REQUEST_NONCE, r#"{"timestamp":1,"nonce":7}"#),
        ];
        for (rule, text) in cases {
            assert_eq!(signed(text, &mut Strict).expect_err(text).rule, rule, "{text}");
            assert!(signed(text, &mut Without(rule)).is_ok(), "{text} without {rule}");
        }
    }

    #[test]
    fn file_signature_covers_the_file_hash() {
        let address = Address::from_key(&key()).to_string();
        let signature = sign_file(&key(), b"file");
        assert!(verify_file(b"file", &signature, &address, &mut Strict).is_ok());
        let refused = verify_file(b"fil", &signature, &address, &mut Strict).unwrap_err();
        assert_eq!(refused.rule, &storage::SIGNATURE);
        assert!(verify_file(b"fil", &signature, &address, &mut Without(&storage::SIGNATURE)).is_ok());
    }
}
