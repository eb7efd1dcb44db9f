//! Message hashes: 32 bytes, and their string forms.

use std::fmt;

use assay_spec::crypto::text::{hex, parse_hex};

use crate::core::Core;

/// The hash of a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::network) struct Hash(pub(in crate::network) [u8; 32]);

/// The multihash prefix: function and length of a SHA-256.
const MULTIHASH: [u8; 2] = [0x12, 0x20];

impl Hash {
    /// Parses either string form: 64 lower-case hex digits, or the base58 of a multihash.
    pub(in crate::network) fn parse(text: &str) -> Option<Hash> {
        let bytes = match text.len() {
            64 => parse_hex(text).filter(|bytes| hex(bytes) == text)?,
            46 => bs58::decode(text).into_vec().ok()?.strip_prefix(&MULTIHASH)?.to_vec(),
            _ => return None,
        };
        bytes.try_into().ok().map(Hash)
    }

    /// The 64 hex digits.
    pub(in crate::network) fn hex(self) -> String {
        hex(&self.0)
    }

    /// The base58 of the multihash.
    pub(in crate::network) fn base58(self) -> String {
        bs58::encode([&MULTIHASH[..], &self.0].concat()).into_string()
    }

    /// The string form that clients see.
    pub(in crate::network) fn text(self, core: &mut Core) -> String {
        core.step(HashText { hash: self, text: self.hex() }).text
    }
}

/// The string form of a hash.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct HashText {
    /// The hash.
    pub(in crate::network) hash: Hash,
    /// Its string form.
    pub(in crate::network) text: String,
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_and_others_are_not() {
        let hash = Hash([7; 32]);
        let base58 = hash.base58();
        assert!(base58.starts_with("Qm"));
        for text in [hash.hex(), base58] {
            assert_eq!(Hash::parse(&text), Some(hash));
        }
        for bad in
            ["", "07", &"0A".repeat(32), &"0g".repeat(32), &"../".repeat(20), &"Rm".repeat(23), "\u{e9}"]
        {
            assert_eq!(Hash::parse(bad), None, "{bad}");
        }
    }
}
