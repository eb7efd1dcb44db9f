//! String forms of bytes: base64url, base64, hex.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

/// base64url without padding.
pub fn base64url(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes base64url: no padding, no other alphabet, no unused bits set.
pub fn parse_base64url(text: &str) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(text).ok()
}

/// Standard base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

/// Decodes standard base64: padded, no other alphabet, no unused bits set.
pub fn parse_base64(text: &str) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(text).ok()
}

/// Lowercase hex.
pub fn hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}

/// Lowercase hex of the SHA-256 of `bytes`.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Decodes hex of either case.
pub fn parse_hex(text: &str) -> Option<Vec<u8>> {
    base16ct::mixed::decode_vec(text).ok()
}

/// Lowercase hex after `0x`.
pub fn prefixed_hex(bytes: &[u8]) -> String {
    format!("0x{}", hex(bytes))
}

/// Decodes hex of either case after `0x`.
pub fn parse_prefixed_hex(text: &str) -> Option<Vec<u8>> {
    parse_hex(text.strip_prefix("0x")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_needs_its_prefix_and_whole_bytes() {
        assert_eq!(prefixed_hex(&[0, 0xab]), "0x00ab");
        assert_eq!(parse_prefixed_hex("0x00aB"), Some(vec![0, 0xab]));
        assert_eq!(parse_prefixed_hex("0x"), Some(Vec::new()));
        for bad in ["00ab", "0X00ab", "0x0", "0xzz", "0x 0", "x00"] {
            assert_eq!(parse_prefixed_hex(bad), None, "{bad}");
        }
    }
}
