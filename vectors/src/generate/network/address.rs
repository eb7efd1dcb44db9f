//! `address.from_public_key`: the form of a public key, and the address that comes of it.

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
        ("wallet", "wallet", "The last 20 bytes of the digest, with the checksum of EIP-55."),
        ("other-wallet", "other wallet", "Another key, another address."),
        ("session-key", "session key", "A session key has an address like any other."),
    ] {
        g.accept(name, json!({"public_key": key(of)}), why);
    }
    let wallet = key("wallet");
    let upper = format!("0x{}", wallet[2..].to_uppercase());
    g.accept("upper-case", json!({"public_key": upper}), "Digits of either case.");

    let sign = |to: &str| splice(P, 2, "04", to);
    let parity = u8::from_str_radix(&wallet[131..], 16).expect("a digit") & 1;
    let compressed = format!("0x0{}{}", 2 + parity, &wallet[4..68]);
    let last = if wallet.ends_with('0') { "1" } else { "0" };
    for (name, edit, why) in [
        ("no-prefix", splice(P, 0, "0x", ""), "0x is a part of the form."),
        ("prefix-upper-case", splice(P, 1, "x", "X"), "0x is lower case."),
        ("no-first-byte", sign(""), "04 is a part of the form."),
        ("hybrid", sign(&format!("0{}", 6 + parity)), "The hybrid form begins with 06 or 07."),
        ("compressed", set(P, wallet.as_str(), compressed), "The compressed form has one coordinate."),
        ("compressed-mark", sign("02"), "A mark of the compressed form before two coordinates."),
        ("off-curve", splice(P, 131, &wallet[131..], last), "The two coordinates are of no point."),
        ("digit-less", splice(P, 131, &wallet[131..], ""), "128 digits, not 127."),
        ("byte-less", splice(P, 130, &wallet[130..], ""), "128 digits, not 126."),
        ("byte-more", splice(P, 132, "", "00"), "Nothing follows them."),
        ("no-digit", splice(P, 131, &wallet[131..], "g"), "g is no digit."),
        ("space", splice(P, 0, "", " "), "Nobody trims it."),
        ("empty", set(P, wallet.as_str(), ""), "Nothing is no key."),
    ] {
        g.reject(name, "wallet", [edit], &rows::PUBLIC_KEY, why);
    }
    g.cases
}
