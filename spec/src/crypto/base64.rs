//! Standard base64 with a named fault for each error.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

pub use crate::crypto::text::base64 as encode;

/// Decodes leniently. The string is filtered first.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Whether a string must be padded with `=` to a multiple of four characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Padding {
    /// It must.
    #[default]
    Required,
    /// All of it may be missing, but not a part.
    Optional,
}

/// Why a string is not valid base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Fault {
    /// A character outside the alphabet, including whitespace and `=` within the string.
    #[error("the character at {0} is not in the base64 alphabet")]
    Alphabet(usize),
    /// One character too many.
    #[error("{0} characters: the last one encodes no byte")]
    Length(usize),
    /// Too few or too many `=` at the end.
    #[error("{found} padding characters instead of {wanted}")]
    Padding {
        /// How many there are.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// An unused bit is set.
    #[error("the last character sets unused bits")]
    TrailingBits,
}

/// Decodes standard base64.
pub fn decode(text: &str, padding: Padding) -> Result<Vec<u8>, Fault> {
    match fault(text, padding) {
        Some(fault) => Err(fault),
        None => Ok(decode_lossy(text)),
    }
}

/// The first fault of a string, in the order of [`Fault`].
pub fn fault(text: &str, padding: Padding) -> Option<Fault> {
    let digits = text.trim_end_matches('=');
    if let Some(at) = digits.bytes().position(|byte| digit(byte).is_none()) {
        return Some(Fault::Alphabet(at));
    }
    let (found, wanted) = (text.len() - digits.len(), (4 - digits.len() % 4) % 4);
    if wanted == 3 {
        return Some(Fault::Length(digits.len()));
    }
    if found != wanted && !(padding == Padding::Optional && found == 0) {
        return Some(Fault::Padding { found, wanted });
    }
    let spare = [0, 0b1111, 0b11][if wanted == 0 { 0 } else { 3 - wanted }];
    let last = digits.bytes().last().and_then(digit).unwrap_or_default();
    (last & spare != 0).then_some(Fault::TrailingBits)
}

/// Decodes what it can: accepts both alphabets, and ignores other characters, padding and unused bits.
pub fn decode_lossy(text: &str) -> Vec<u8> {
    let mut digits: Vec<u8> = text
        .bytes()
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .filter(|byte| digit(*byte).is_some())
        .collect();
    if digits.len() % 4 == 1 {
        digits.pop();
    }
    LENIENT.decode(digits).expect("only digits of the alphabet, and none too many")
}

/// The six bits of a digit.
const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_fault_is_named() {
        let cases = [
            ("+_==", Fault::Alphabet(1)),
            ("AA A", Fault::Alphabet(2)),
            ("AAAA\n", Fault::Alphabet(4)),
            ("AA==AA==", Fault::Alphabet(2)),
            ("\u{e9}", Fault::Alphabet(0)),
            ("A", Fault::Length(1)),
            ("AAAAA===", Fault::Length(5)),
            ("AA", Fault::Padding { found: 0, wanted: 2 }),
            ("AA=", Fault::Padding { found: 1, wanted: 2 }),
            ("AAA==", Fault::Padding { found: 2, wanted: 1 }),
            ("AAAA=", Fault::Padding { found: 1, wanted: 0 }),
            ("====", Fault::Padding { found: 4, wanted: 0 }),
            ("AB==", Fault::TrailingBits),
            ("AAB=", Fault::TrailingBits),
        ];
        for (text, fault) in cases {
            assert_eq!(decode(text, Padding::Required), Err(fault), "{text}");
        }
    }

    #[test]
    fn optional_padding_is_complete_or_absent() {
        for (text, bytes) in [("AA", 1), ("AAA", 2), ("AAAA", 3), ("AA==", 1), ("", 0)] {
            assert_eq!(decode(text, Padding::Optional), Ok(vec![0; bytes]), "{text}");
        }
        assert!(decode("AA=", Padding::Optional).is_err());
    }

    proptest! {
        #[test]
        fn the_library_decodes_the_same(text in "[A-Da-d0-9+/=_ ]{0,12}") {
            let read = crate::crypto::text::parse_base64(&text);
            prop_assert_eq!(decode(&text, Padding::Required).ok(), read);
        }

        #[test]
        fn encoded_bytes_decode(bytes in proptest::collection::vec(any::<u8>(), 0..50)) {
            let text = encode(&bytes);
            prop_assert_eq!(decode(&text, Padding::Required), Ok(bytes.clone()));
            prop_assert_eq!(decode(text.trim_end_matches('='), Padding::Optional), Ok(bytes.clone()));
            let foreign = text.replace('+', "-").replace('/', "_");
            prop_assert_eq!(decode_lossy(&foreign), bytes);
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,20}") {
            let _ = decode(&text, Padding::Optional);
            let _ = decode_lossy(&text);
        }
    }
}
