//! `address.from_public_key`: the form of a public key, and the address derived from it.

use assay_spec::Id;
use assay_spec::crypto::secp256k1::public_key;
use assay_spec::crypto::text::prefixed_hex;
use assay_spec::network::requirements::signing as rows;
use serde_json::json;

use super::world::wallet;
use crate::case::Case;
use crate::generate::group::{Group, set, splice};

const P: &str = "/in/public_key";
static SHOWN: &[Id] = &[&rows::PUBLIC_KEY];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/network/address.rs";
    let mut g = Group::new("network/address", "address.from_public_key", source, SHOWN);
    let key = |name: &str| prefixed_hex(&public_key(&wallet(name)));
    for (name, of, why) in [
        ("wallet", "wallet", "The address is the last 20 bytes of the digest, with the EIP-55 checksum."),
        ("other-wallet", "other wallet", "Another key has another address."),
        ("session-key", "session key", "A session key has an ordinary address."),
    ] {
        g.accept(name, json!({"public_key": key(of)}), why);
    }
    let wallet = key("wallet");
    let upper = format!("0x{}", wallet[2..].to_uppercase());
    g.accept("upper-case", json!({"public_key": upper}), "Hex digits may be uppercase.");

    let sign = |to: &str| splice(P, 2, "04", to);
    let parity = u8::from_str_radix(&wallet[131..], 16).expect("a digit") & 1;
    let compressed = format!("0x0{}{}", 2 + parity, &wallet[4..68]);
    let last = if wallet.ends_with('0') { "1" } else { "0" };
    for (name, edit, why) in [
        ("no-prefix", splice(P, 0, "0x", ""), "The key starts with 0x."),
        ("prefix-upper-case", splice(P, 1, "x", "X"), "The x of 0x is lowercase."),
        ("no-first-byte", sign(""), "04 follows 0x."),
        (
            "hybrid",
            sign(&format!("0{}", 6 + parity)),
            "The hybrid form, which begins with 06 or 07, is rejected.",
        ),
        (
            "compressed",
            set(P, wallet.as_str(), compressed),
            "The compressed form, which has one coordinate, is rejected.",
        ),
        ("compressed-mark", sign("02"), "The first byte of the compressed form precedes two coordinates."),
        ("off-curve", splice(P, 131, &wallet[131..], last), "The coordinates are not a point of the curve."),
        ("digit-less", splice(P, 131, &wallet[131..], ""), "The coordinates have 127 digits instead of 128."),
        ("byte-less", splice(P, 130, &wallet[130..], ""), "The coordinates have 126 digits instead of 128."),
        ("byte-more", splice(P, 132, "", "00"), "Nothing follows the coordinates."),
        ("no-digit", splice(P, 131, &wallet[131..], "g"), "g is not a hex digit."),
        ("space", splice(P, 0, "", " "), "White space is not trimmed."),
        ("empty", set(P, wallet.as_str(), ""), "An empty string is not a key."),
    ] {
        g.reject(name, "wallet", [edit], &rows::PUBLIC_KEY, why);
    }
    g.cases
}
