//! The key E, derived from a wallet's signature over the derivation message (document 2, "Deriving E").

use zeroize::Zeroizing;

use crate::crypto::address::Address;
use crate::crypto::eip191;
use crate::crypto::keccak::keccak256;
use crate::crypto::secp256k1::{self, PublicKey, SigningKey};
use crate::crypto::text::prefixed_hex;
use crate::hosting::mistakes::key_e::{
    BYTES, FINAL_NEWLINE, LINES, PRIVATE, PUBLIC, RANGE, SIGNATURE, STABLE,
};
use crate::hosting::requirements::key_e::{TITLE, VERSION, WALLET};
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
    let text = rules.read(&FINAL_NEWLINE, text, |text| {
        if text.ends_with('\n') { Err("the last line is followed by a newline".to_owned()) } else { Ok(text) }
    })?;
    let [title, _, _, _, _, stated, version] = rules.read(&LINES, text, lines)?;
    rules.require(&TITLE, title == dialect.derivation_title, || format!("the title is {title:.80?}"))?;
    let wallet = stated.strip_prefix(WALLET_PREFIX).and_then(Address::parse_checksummed);
    rules.require(&WALLET, wallet.is_some(), || format!("the wallet's line is {stated:.80?}"))?;
    rules.require(&VERSION, version == VERSION_LINE, || format!("the last line is {version:.80?}"))?;
    Ok(wallet)
}

/// The seven lines of a derivation message. No line is empty.
fn lines(text: &str) -> Result<[&str; LINES_COUNT], String> {
    let lines: Vec<&str> = text.split('\n').collect();
    if let Some(at) = lines.iter().position(|line| line.is_empty() || line.ends_with('\r')) {
        return Err(format!("line {} is empty or ends in a carriage return", at + 1));
    }
    let whole = lines.as_slice().try_into().ok().filter(|_| text.len() <= TEXT_BYTES);
    whole.ok_or_else(|| format!("the message has {} lines and {} bytes", lines.len(), text.len()))
}

/// The number of signed bytes of a message: its UTF-8 length, in which a dash counts three.
pub fn byte_length(message: &str, rules: &mut dyn Rules) -> usize {
    rules.derive(&BYTES, message, str::len)
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
    let signature = rules.keep(&STABLE, secp256k1::sign(wallet, &digest));
    of_signature(&signature.to_bytes(), rules)
}

/// Derives E from the wallet's signature.
///
/// The bytes are hashed unchanged: a wallet that writes v as 0 or 1 derives another E, and its owner can decrypt
/// nothing.
pub fn of_signature(signature: &[u8; 65], rules: &mut dyn Rules) -> Result<KeyE, Refused> {
    let signature = rules.keep(&SIGNATURE, Zeroizing::new(*signature));
    let secret = Zeroizing::new(rules.derive(&PRIVATE, signature.as_slice(), keccak256));
    let (secret, key) = private_key(secret, rules)?;
    let public = secp256k1::public_key(&key);
    let public_text = rules.derive(&PUBLIC, &public[..], prefixed_hex);
    Ok(KeyE { signature, secret, key, public, public_text })
}

/// The private key from a digest. About one digest in 2^128 is not a scalar.
pub fn private_key(
    secret: Zeroizing<[u8; 32]>,
    rules: &mut dyn Rules,
) -> Result<(Zeroizing<[u8; 32]>, SigningKey), Refused> {
    match secp256k1::key_from_secret(&secret) {
        Some(key) => Ok((secret, key)),
        None => rules.refuse(&RANGE, &secret, "the digest is zero or not below the curve's order"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::secp256k1::key_from_secret;
    use crate::crypto::text::{hex, parse_hex};
    use crate::hosting::requirements::key_e::RANGE;
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
        let rules: [Id; 4] = [&BYTES, &SIGNATURE, &PRIVATE, &PUBLIC];
        for rule in rules {
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
