//! Base64 as envelopes write and read it, rule by rule.

use crate::crypto::base64::{self, Fault, Padding};
use crate::hosting::mistakes::base64::{ALPHABET, LENGTH, PADDING, TRAILING_BITS, WRITTEN};
use crate::{Refused, Rules};

/// Writes base64: standard alphabet, padded.
pub fn write(bytes: &[u8], rules: &mut dyn Rules) -> String {
    rules.keep(&WRITTEN, base64::encode(bytes))
}

/// Reads base64. `place` names the member in error messages.
pub fn read(text: &str, padding: Padding, place: &str, rules: &mut dyn Rules) -> Result<Vec<u8>, Refused> {
    base64::decode(text, padding).or_else(|fault| {
        let rule = match fault {
            Fault::Alphabet(_) => &ALPHABET,
            Fault::Length(_) => &LENGTH,
            Fault::Padding { .. } => &PADDING,
            Fault::TrailingBits => &TRAILING_BITS,
        };
        rules.refuse(rule, text, format!("{place}: {fault}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Id, Strict, Without};

    #[test]
    fn each_fault_breaks_one_rule_only() {
        let cases: [(Id, &str, &[u8]); 7] = [
            (&ALPHABET, "_-8=", &[0xff, 0xef]),
            (&ALPHABET, "AA\nAA", &[0, 0, 0]),
            (&ALPHABET, " AAAA", &[0, 0, 0]),
            (&LENGTH, "AAAAA", &[0, 0, 0]),
            (&PADDING, "AA", &[0]),
            (&PADDING, "AAA==", &[0, 0]),
            (&TRAILING_BITS, "AB==", &[0]),
        ];
        for (rule, text, bytes) in cases {
            assert_eq!(read(text, Padding::Required, "ct", &mut Strict).unwrap_err().rule, rule, "{text}");
            let violated = read(text, Padding::Required, "ct", &mut Without(rule));
            assert_eq!(violated.as_deref(), Ok(bytes), "{text} without {rule}");
        }
        assert_eq!(read("AA", Padding::Optional, "ct", &mut Strict), Ok(vec![0]));
    }

    #[test]
    fn written_base64_is_padded() {
        assert_eq!(write(&[0], &mut Strict), "AA==");
        assert_eq!(write(&[0], &mut Without(&WRITTEN)), "AA");
    }
}
