//! The key E, derived from a wallet's signature over the derivation message (document 2, "Deriving E").

use zeroize::Zeroizing;

use crate::crypto::address::Address;
use crate::crypto::eip191;
use crate::crypto::keccak::{keccak256, sha3_256};
use crate::crypto::secp256k1::{self, PublicKey, SigningKey};
use crate::crypto::text::prefixed_hex;
use crate::hosting::requirements::key_e::{
    BYTES, FINAL_NEWLINE, LINES, PRIVATE, PUBLIC, RANGE, SIGNATURE, STABLE, TITLE, VERSION, WALLET,
};
use crate::{Dialect, Refused, Rules};

/// Number of lines in the derivation message.
pub const LINES_COUNT: usize = 7;
/// The prefix of the wallet's line.
pub const WALLET_PREFIX: &str = "Wallet: ";
/// The last line.
pub const VERSION_LINE: &str = "Version: 1";
/// The longest message that is checked, in bytes: the project's own limit.
pub const TEXT_BYTES: usize = 16 * 1024;

/// The two sentences of the derivation message, two lines each. The document only paraphrases them. To derive a real
/// E, take the exact sentences from the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentences {
    /// The purpose of the signature.
    pub purpose: [String; 2],
    /// What the signature does not authorize.
    pub assurance: [String; 2],
}

/// The project's own wording. It is **not** the application's: an E derived from it is not a real user's key.
impl Default for Sentences {
    fn default() -> Self {
        Sentences {
            purpose: [
                "Signing this text makes a key of your own, with which".into(),
                "this browser can read the history of your deployments.".into(),
            ],
            assurance: [
                "Nothing is bought, paid or sent by it: signing costs".into(),
                "nothing and does no harm.".into(),
            ],
        }
    }
}

impl Sentences {
    /// From four lines of a profile; `None` if a line is empty or holds a line break.
    pub fn from_lines(lines: [&str; 4]) -> Option<Sentences> {
        let good = lines.iter().all(|line| !line.is_empty() && !line.contains(['\n', '\r']));
        let [a, b, c, d] = lines.map(str::to_owned);
        good.then_some(Sentences { purpose: [a, b], assurance: [c, d] })
    }
}

/// The derivation message for a wallet.
pub fn message(dialect: &Dialect, sentences: &Sentences, wallet: Address) -> String {
    let ([purpose, its_end], [assurance, the_end]) = (&sentences.purpose, &sentences.assurance);
    let title = &dialect.derivation_title;
    [title, purpose, its_end, assurance, the_end, &format!("{WALLET_PREFIX}{wallet}"), VERSION_LINE]
        .join("\n")
}

/// Checks that a string is a derivation message, except for the two sentences. Returns the wallet that it names.
pub fn check(dialect: &Dialect, text: &str, rules: &mut dyn Rules) -> Result<Option<Address>, Refused> {
    rules.require(&FINAL_NEWLINE, !text.ends_with('\n'), || {
        "the last line is followed by a newline".to_owned()
    })?;
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
    let odd = lines.iter().position(|line| line.is_empty() || line.ends_with('\r'));
    let whole = lines.len() == LINES_COUNT && odd.is_none() && text.len() <= TEXT_BYTES;
    rules.require(&LINES, whole, || match odd {
        Some(at) => format!("line {} is empty or ends in a carriage return", at + 1),
        None => format!("the message has {} lines and {} bytes", lines.len(), text.len()),
    })?;
    let (first, last) = (lines.first().copied().unwrap_or(""), lines.last().copied().unwrap_or(""));
    // Lenient: the title is the first line and the wallet and version are the last two, whatever the number of lines.
    let bare = |line: &str| line.trim_end_matches('\r').to_owned();
    rules
        .require(&TITLE, bare(first) == dialect.derivation_title, || format!("the title is {first:.80?}"))?;
    let stated = lines.iter().rev().nth(1).copied().unwrap_or("");
    let wallet = bare(stated).strip_prefix(WALLET_PREFIX).and_then(Address::parse_checksummed);
    rules.require(&WALLET, wallet.is_some(), || format!("the wallet's line is {stated:.80?}"))?;
    rules.require(&VERSION, bare(last) == VERSION_LINE, || format!("the last line is {last:.80?}"))?;
    Ok(wallet)
}

/// The number of signed bytes of a message: its UTF-8 length, in which a dash counts three.
pub fn byte_length(message: &str, rules: &mut dyn Rules) -> usize {
    rules.effect(&BYTES, message.len(), |_, _| message.chars().count())
}

/// The digest that the wallet signs.
pub fn digest(message: &str, rules: &mut dyn Rules) -> [u8; 32] {
    let length = byte_length(message, rules);
    keccak256(format!("{}{length}{message}", eip191::PREFIX).as_bytes())
}

/// E, and the intermediate values. It prints nothing: the signature is as secret as the key.
pub struct KeyE {
    /// The 65 bytes of the signature: r, s and v of 27 or 28.
    pub signature: Zeroizing<[u8; 65]>,
    /// Their Keccak-256: the private key.
    pub secret: Zeroizing<[u8; 32]>,
    /// The private key, ready for use.
    pub key: SigningKey,
    /// The public key: 65 bytes.
    pub public: PublicKey,
    /// The public key as the security aggregate writes it.
    pub public_text: String,
}

/// Derives E from the wallet's key.
pub fn of_wallet(wallet: &SigningKey, message: &str, rules: &mut dyn Rules) -> Result<KeyE, Refused> {
    let digest = digest(message, rules);
    // A wallet with random nonces gives another signature every time; the mirrored signature has the same effect.
    let signature = rules.effect(&STABLE, secp256k1::sign(wallet, &digest), |own, _| own.mirrored());
    of_signature(&signature.to_bytes(), rules)
}

/// Derives E from the wallet's signature.
///
/// The bytes are hashed unchanged: a wallet that writes v as 0 or 1 derives another E, and its owner can decrypt
/// nothing.
pub fn of_signature(signature: &[u8; 65], rules: &mut dyn Rules) -> Result<KeyE, Refused> {
    let signature = rules.effect(&SIGNATURE, Zeroizing::new(*signature), |mut bytes, _| {
        bytes[64] = bytes[64].wrapping_sub(27);
        bytes
    });
    let conforming = Zeroizing::new(keccak256(signature.as_slice()));
    let secret = rules.effect(&PRIVATE, conforming, |_, _| Zeroizing::new(sha3_256(signature.as_slice())));
    let (secret, key) = private_key(secret, rules)?;
    let public = secp256k1::public_key(&key);
    let public_text = rules.effect(&PUBLIC, prefixed_hex(&public), |_, _| prefixed_hex(&public[1..]));
    Ok(KeyE { signature, secret, key, public, public_text })
}

/// The private key from a digest. About one digest in 2^128 is not a scalar.
pub fn private_key(
    secret: Zeroizing<[u8; 32]>,
    rules: &mut dyn Rules,
) -> Result<(Zeroizing<[u8; 32]>, SigningKey), Refused> {
    let key = secp256k1::key_from_secret(&secret);
    rules
        .require(&RANGE, key.is_some(), || "the digest is zero or not below the curve's order".to_owned())?;
    match key {
        Some(key) => Ok((secret, key)),
        // Lenient: the digest is hashed once more.
        None => private_key(Zeroizing::new(keccak256(secret.as_slice())), rules),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::secp256k1::key_from_secret;
    use crate::crypto::text::{hex, parse_hex};
    use crate::{Id, Strict, Without};

    fn wallet() -> SigningKey {
        key_from_secret(&[1; 32]).expect("a scalar")
    }

    fn text() -> String {
        message(&Dialect::default(), &Sentences::default(), Address::from_key(&wallet()))
    }

    #[test]
    fn message_has_exactly_seven_lines() {
        let text = text();
        let lines: Vec<&str> = text.split('\n').collect();
        assert_eq!(lines.len(), LINES_COUNT);
        assert_eq!((lines[0].chars().count(), lines[0].len()), (26, 28));
        assert_eq!(lines[5], "Wallet: 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1");
        assert_eq!(lines[6], "Version: 1");
        assert_eq!(byte_length(&text, &mut Strict), text.chars().count() + 2);
        assert_eq!(check(&Dialect::default(), &text, &mut Strict), Ok(Some(Address::from_key(&wallet()))));
    }

    #[test]
    fn each_fault_breaks_one_rule_only() {
        let good = text();
        let address = Address::from_key(&wallet()).to_string();
        let cases: [(Id, String); 14] = [
            (&FINAL_NEWLINE, format!("{good}\n")),
            (&LINES, good.replacen('\n', "\n\n", 1)),
            (&LINES, good.replace('\n', "\r\n")),
            (&LINES, good.replacen("\nthis", " this", 1)),
            (&LINES, good.replacen('\n', "\nmore\n", 1)),
            (&TITLE, good.replace('\u{2014}', "-")),
            (&TITLE, good.replace('\u{2014}', "\u{2013}")),
            (&TITLE, format!(" {good}")),
            (&WALLET, good.replace(&address, &address.to_lowercase())),
            (&WALLET, good.replace(&address, &address[2..])),
            (&WALLET, good.replace("Wallet: ", "Wallet:")),
            (&VERSION, good.replace("Version: 1", "Version: 2")),
            (&VERSION, format!("{good} ")),
            (&VERSION, good.replace("Version", "version")),
        ];
        for (rule, text) in cases {
            assert_eq!(check(&Dialect::default(), &text, &mut Strict).unwrap_err().rule, rule, "{text:?}");
            assert!(check(&Dialect::default(), &text, &mut Without(rule)).is_ok(), "{text:?} without {rule}");
        }
    }

    #[test]
    fn short_and_long_messages_are_rejected_without_panic() {
        for text in ["", "\n", "\n\n\n\n\n\n\n", "a", &"x\n".repeat(20_000)] {
            assert!(check(&Dialect::default(), text, &mut Strict).is_err());
        }
    }

    #[test]
    fn sentences_are_four_lines() {
        assert!(Sentences::from_lines(["a", "b", "c", "d"]).is_some());
        assert!(Sentences::from_lines(["a", "", "c", "d"]).is_none());
        assert!(Sentences::from_lines(["a", "b\n", "c", "d"]).is_none());
    }

    #[test]
    fn one_wallet_has_one_key_and_each_violated_step_changes_it() {
        let conforming = of_wallet(&wallet(), &text(), &mut Strict).unwrap();
        let again = of_wallet(&wallet(), &text(), &mut Strict).unwrap();
        assert_eq!(conforming.public_text, again.public_text);
        assert_eq!(conforming.public_text.len(), 132);
        assert!(conforming.public_text.starts_with("0x04"));
        assert_eq!(*conforming.secret, keccak256(conforming.signature.as_slice()));
        for rule in [&BYTES, &SIGNATURE, &PRIVATE, &PUBLIC] {
            let other = of_wallet(&wallet(), &text(), &mut Without(rule)).unwrap();
            assert_ne!(other.public_text, conforming.public_text, "{rule}");
        }
    }

    /// The signature over the first 26 characters is the one in other libraries' EIP-191 tests.
    #[test]
    fn length_is_counted_in_bytes() {
        let title = Dialect::default().derivation_title;
        let signed = of_wallet(&wallet(), &title, &mut Strict).unwrap();
        assert_eq!(
            hex(signed.signature.as_slice()),
            "5f9972c1c24afaa155b6bf54f832d94f937e7e5f1029bd955f00912172488eb41dfd614fd4118f21dbaa3414c2a390349434da211355082c4bb27370cf2573801c"
        );
    }

    #[test]
    fn other_form_of_v_gives_another_key() {
        let conforming = of_wallet(&wallet(), &text(), &mut Strict).unwrap();
        let mut bare = *conforming.signature;
        bare[64] -= 27;
        let other = of_signature(&bare, &mut Strict).unwrap();
        assert_ne!(other.public, conforming.public);
    }

    #[test]
    fn digests_out_of_range_are_rejected() {
        let order = parse_hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141").unwrap();
        let order: [u8; 32] = order.try_into().unwrap();
        for bad in [[0; 32], order, [0xff; 32]] {
            let refused = private_key(Zeroizing::new(bad), &mut Strict).map(|_| ()).unwrap_err();
            assert_eq!(refused.rule, &RANGE);
            assert!(private_key(Zeroizing::new(bad), &mut Without(&RANGE)).is_ok());
        }
    }
}
