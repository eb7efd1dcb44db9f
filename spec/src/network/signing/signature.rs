//! One signature over one message, rule by rule.

use crate::crypto::address::Address;
use crate::crypto::eip191::PREFIX as PREFIX_WORDS;
use crate::crypto::keccak::keccak256;
use crate::crypto::secp256k1::{self, PublicKey, Signature, SigningKey};
use crate::crypto::text::{parse_hex, parse_prefixed_hex, prefixed_hex};
use crate::network::mistakes::signing::{
    ADDRESS, KECCAK, LENGTH, PREFIX, PUBLIC_KEY, SECRET_KEY, SIGNATURE_LENGTH, SIGNATURE_SCALARS,
    SIGNATURE_TEXT, SIGNATURE_V,
};
use crate::network::requirements::signing::{LOW_S, SIGNER};
use crate::{Refused, Rules, Strict};

/// The Keccak-256 of `bytes`.
pub fn keccak(bytes: &[u8], rules: &mut dyn Rules) -> [u8; 32] {
    rules.derive(&KECCAK, bytes, keccak256)
}

/// The digest that a wallet signs for `message`.
pub fn digest(message: &[u8], rules: &mut dyn Rules) -> [u8; 32] {
    let length = rules.derive(&LENGTH, message, <[u8]>::len);
    let prefix = rules.derive(&PREFIX, length, |length| format!("{PREFIX_WORDS}{length}"));
    let mut bytes = prefix.into_bytes();
    bytes.extend_from_slice(message);
    keccak(&bytes, rules)
}

/// Signs a message; the signature is `0x` and 130 digits.
pub fn sign_text(key: &SigningKey, message: &[u8]) -> String {
    prefixed_hex(&secp256k1::sign(key, &digest(message, &mut Strict)).to_bytes())
}

/// Reads a private key: 32 bytes, not zero and below the curve's order.
pub fn parse_secret_key(bytes: &[u8], rules: &mut dyn Rules) -> Result<SigningKey, Refused> {
    rules.read(&SECRET_KEY, bytes, |bytes| {
        let key = bytes.try_into().ok().and_then(|secret| secp256k1::key_from_secret(&secret));
        key.ok_or_else(|| format!("{} bytes that are not a private key", bytes.len()))
    })
}

/// Reads a signature: `0x` and 130 digits, or the digits alone.
pub fn parse_signature(text: &str, rules: &mut dyn Rules) -> Result<Signature, Refused> {
    let bytes = rules.read(&SIGNATURE_TEXT, text, |text| {
        parse_hex(text.strip_prefix("0x").unwrap_or(text))
            .ok_or_else(|| format!("not a hexadecimal string: {text:.140}"))
    })?;
    from_bytes(&bytes, rules)
}

/// Reads a signature's bytes: r, s and v; a v of 0 or 1 is read as 27 or 28.
fn from_bytes(bytes: &[u8], rules: &mut dyn Rules) -> Result<Signature, Refused> {
    let bytes = rules.read(&SIGNATURE_LENGTH, bytes, |bytes| {
        bytes.try_into().map_err(|_| format!("{} bytes instead of 65", bytes.len()))
    })?;
    let mut signature = Signature::from_bytes(&bytes);
    signature.v = rules.read(&SIGNATURE_V, signature.v, |v| match v {
        0 | 27 => Ok(27),
        1 | 28 => Ok(28),
        other => Err(format!("v is {other}, not 27 or 28")),
    })?;
    Ok(signature)
}

/// The address whose key signed `message`.
pub fn recover(message: &[u8], signature: &str, rules: &mut dyn Rules) -> Result<Address, Refused> {
    let digest = digest(message, rules);
    recover_digest(&digest, signature, None, rules)
}

/// Checks that the key of the address `stated` signed `message`.
pub fn verify(
    message: &[u8],
    signature: &str,
    stated: &str,
    rules: &mut dyn Rules,
) -> Result<Address, Refused> {
    let digest = digest(message, rules);
    recover_digest(&digest, signature, Some(stated), rules)
}

/// The address of a public key.
pub fn address_of(key: &PublicKey, rules: &mut dyn Rules) -> Address {
    let hashed = rules.derive(&ADDRESS, key, |key| &key[1..]);
    Address::from_digest(keccak(hashed, rules))
}

/// Reads a public key: `0x04` and 128 digits, a point on the curve.
pub fn parse_public_key(text: &str, rules: &mut dyn Rules) -> Result<PublicKey, Refused> {
    rules.read(&PUBLIC_KEY, text, |text| {
        parse_prefixed_hex(text)
            .and_then(|bytes| secp256k1::parse_public_key(&bytes))
            .ok_or_else(|| format!("not a public key: {text:.140}"))
    })
}

pub(super) fn recover_digest(
    digest: &[u8; 32],
    signature: &str,
    stated: Option<&str>,
    rules: &mut dyn Rules,
) -> Result<Address, Refused> {
    let signature = parse_signature(signature, rules)?;
    let Some(key) = signature.recover(digest) else {
        return rules.refuse(&SIGNATURE_SCALARS, stated, "no public key can be recovered");
    };
    rules.require(&LOW_S, signature.has_low_s(), || "s is the higher of its two values".to_owned())?;
    let signer = address_of(&key, rules);
    if let Some(stated) = stated {
        rules.require(&SIGNER, Address::parse(stated) == Some(signer), || {
            format!("the signer is {signer}, but {stated:.60} is stated")
        })?;
    }
    Ok(signer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::secp256k1::{key_from_secret, public_key};
    use crate::{Id, Without};

    const SIGNED: &str = "0xf186a035b50de31ac4d913b550ae6fe2fe9e7225c635f108c71e9135de228a2a567dd55d0a4d2115d30c9226903b0feef967ae4d2daf2c07c7fb70676600c15d1b";
    const SIGNER_TEXT: &str = "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1";

    fn key() -> SigningKey {
        key_from_secret(&[1; 32]).unwrap()
    }

    #[test]
    fn wallet_signature_is_written_and_read() {
        assert_eq!(sign_text(&key(), b"hello"), SIGNED);
        for text in [SIGNED.to_owned(), SIGNED[2..].to_uppercase(), SIGNED.replace("5d1b", "5d00")] {
            let signer = verify(b"hello", &text, &SIGNER_TEXT.to_lowercase(), &mut Strict).unwrap();
            assert_eq!(signer.to_string(), SIGNER_TEXT);
        }
    }

    #[test]
    fn each_fault_breaks_one_rule_only() {
        let cases: [(Id, String); 7] = [
            (&SIGNATURE_TEXT, format!(" {SIGNED}")),
            (&SIGNATURE_TEXT, format!("0X{}", &SIGNED[2..])),
            (&SIGNATURE_LENGTH, format!("{SIGNED}00")),
            (&SIGNATURE_LENGTH, SIGNED[..130].to_owned()),
            (&SIGNATURE_V, SIGNED.replace("5d1b", "5d1d")),
            (&SIGNATURE_SCALARS, format!("0x{}{}", "00".repeat(32), &SIGNED[66..])),
            (
                &LOW_S,
                format!(
                    "{}{}",
                    &SIGNED[..66],
                    "a9822aa2f5b2deea2cf36dd96fc4f00fc1472e9981997433f7d6ee256a357fe41c"
                ),
            ),
        ];
        for (rule, text) in cases {
            assert_eq!(verify(b"hello", &text, SIGNER_TEXT, &mut Strict).unwrap_err().rule, rule, "{text}");
            assert!(
                verify(b"hello", &text, SIGNER_TEXT, &mut Without(rule)).is_ok(),
                "{text} without {rule}"
            );
        }
        let other = Address([7; 20]).to_string();
        for stated in [other.as_str(), "", "no address"] {
            assert_eq!(verify(b"hello", SIGNED, stated, &mut Strict).unwrap_err().rule, &SIGNER);
            assert!(verify(b"hello", SIGNED, stated, &mut Without(&SIGNER)).is_ok());
        }
    }

    #[test]
    fn each_violated_step_changes_the_digest() {
        let message = "\u{2014}".as_bytes();
        let conforming = digest(message, &mut Strict);
        for rule in [KECCAK.rule, PREFIX.rule, LENGTH.rule] {
            assert_ne!(digest(message, &mut Without(rule)), conforming, "{rule}");
        }
        assert_eq!(digest(b"ascii", &mut Without(&LENGTH)), digest(b"ascii", &mut Strict));
    }

    #[test]
    fn only_32_byte_scalars_are_private_keys() {
        assert!(parse_secret_key(&[1; 32], &mut Strict).is_ok());
        for bad in [&[1; 31][..], &[1; 33], &[0; 32], &[0xff; 32], &[]] {
            assert_eq!(parse_secret_key(bad, &mut Strict).unwrap_err().rule, SECRET_KEY.rule);
            assert!(parse_secret_key(bad, &mut Without(&SECRET_KEY)).is_ok());
        }
    }

    #[test]
    fn public_key_has_exactly_one_form() {
        let conforming = public_key(&key());
        let text = prefixed_hex(&conforming);
        assert_eq!(parse_public_key(&text, &mut Strict), Ok(conforming));
        assert_eq!(address_of(&conforming, &mut Strict).to_string(), SIGNER_TEXT);
        assert_ne!(address_of(&conforming, &mut Without(&ADDRESS)).to_string(), SIGNER_TEXT);
        let compressed = format!("0x02{}", &text[4..68]);
        let mut off = text.clone();
        off.replace_range(131..132, if text.ends_with('0') { "1" } else { "0" });
        let bare = format!("0x{}", &text[4..]);
        for bad in [&compressed, &off, &bare, &text[2..], "", "0x04", "0x"] {
            assert_eq!(parse_public_key(bad, &mut Strict).unwrap_err().rule, PUBLIC_KEY.rule, "{bad}");
            assert!(parse_public_key(bad, &mut Without(&PUBLIC_KEY)).is_ok(), "{bad}");
        }
        assert_eq!(parse_public_key(&bare, &mut Without(&PUBLIC_KEY)), Ok(conforming));
    }
}
