//! Account addresses: the last 20 bytes of a public key's Keccak-256, printed with the checksum of EIP-55.

use std::fmt;

use crate::crypto::keccak::keccak256;
use crate::crypto::secp256k1::{PublicKey, SigningKey, public_key};
use crate::crypto::text::{hex, parse_prefixed_hex};

/// An address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub [u8; 20]);

impl Address {
    /// The address of an uncompressed public key.
    pub fn from_public_key(key: &PublicKey) -> Address {
        Self::from_digest(keccak256(&key[1..]))
    }

    /// The address of a key pair.
    pub fn from_key(key: &SigningKey) -> Address {
        Self::from_public_key(&public_key(key))
    }

    /// The last 20 bytes of a digest.
    pub fn from_digest(digest: [u8; 32]) -> Address {
        let mut address = [0; 20];
        address.copy_from_slice(&digest[12..]);
        Address(address)
    }

    /// Parses `0x` and 40 digits of either case. Does not check the checksum.
    pub fn parse(text: &str) -> Option<Address> {
        parse_prefixed_hex(text)?.try_into().ok().map(Address)
    }

    /// Parses an address with a correct checksum.
    pub fn parse_checksummed(text: &str) -> Option<Address> {
        Self::parse(text).filter(|address| address.to_string() == text)
    }
}

/// `0x` and 40 digits, with the cases of EIP-55.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = hex(&self.0);
        let checksum = hex(&keccak256(digits.as_bytes()));
        f.write_str("0x")?;
        for (digit, check) in digits.chars().zip(checksum.chars()) {
            let digit = if check >= '8' { digit.to_ascii_uppercase() } else { digit };
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::secp256k1::key_from_secret;

    /// The example addresses of EIP-55.
    #[test]
    fn checksums_match_the_standard() {
        for text in [
            "0x52908400098527886E0F7030069857D2E4169EE7",
            "0xde709f2102306220921060314715629080e2fb77",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
            "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
            "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
        ] {
            assert_eq!(Address::parse_checksummed(text).unwrap().to_string(), text);
            assert_eq!(Address::parse(&text.to_lowercase()).unwrap().to_string(), text);
        }
        assert_eq!(Address::parse_checksummed("0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), None);
    }

    #[test]
    fn strings_that_are_not_addresses() {
        for bad in [
            "",
            "0x",
            "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAedA",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg",
            " 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        ] {
            assert_eq!(Address::parse(bad), None, "{bad}");
        }
    }

    /// Addresses printed by eth-account 0.14.0 and ethers 6.
    #[test]
    fn addresses_match_other_libraries() {
        let one = std::array::from_fn(|n| u8::from(n == 31));
        for (secret, address) in [
            ([1; 32], "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1"),
            (one, "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"),
        ] {
            assert_eq!(Address::from_key(&key_from_secret(&secret).unwrap()).to_string(), address);
        }
    }
}
