//! `eip191.sign` and `eip191.recover`: the messages that a wallet signs, and both sides of every bound of a signature.

use assay_spec::Id;
use assay_spec::crypto::text::{hex as digits, prefixed_hex};
use assay_spec::network::requirements::signing as rows;
use serde_json::{Value, json};

use super::world::{NO_COORDINATE, ORDER, ZERO, address, mirrored, personal};
use crate::bytes::hex;
use crate::case::Case;
use crate::generate::group::{Group, set, splice};
use crate::generate::keys::{SEED, bytes, secret};

const SOURCE: &str = "src/generate/network/personal.rs";
const KEY: &str = "/in/private_key";
const SIGNATURE: &str = "/in/signature";
/// The group order and one.
const ABOVE: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364142";
/// The group order minus one.
const LAST: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140";
/// Half the group order, rounded down: the greatest low s.
const HALF: &str = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";
/// The least high s.
const ABOVE_HALF: &str = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1";
const ONES: &str = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
static KEYS: &[Id] = &[&rows::SECRET_KEY];
static SIGNATURES: &[Id] = &[&rows::SIGNATURE_LENGTH, &rows::SIGNATURE_V, &rows::SIGNATURE_SCALARS];

/// Messages with their names and reasons.
fn messages() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("hello", json!({"utf8": "hello"}), "The length of a short message has one digit."),
        ("nothing", json!({"utf8": ""}), "The length of an empty message is 0."),
        ("em-dash", json!({"utf8": "key \u{2014} title"}), "The length counts bytes: an em dash has three."),
        (
            "emoji",
            json!({"utf8": "\u{1f600}"}),
            "The length counts bytes: one emoji is four bytes, not two UTF-16 units or one character.",
        ),
        (
            "thirty-two",
            hex(&bytes("a digest")),
            "A message of 32 bytes is signed as bytes, not as a hex string.",
        ),
        (
            "digest-as-text",
            json!({"utf8": prefixed_hex(&bytes("a digest"))}),
            "The hex string of the same bytes is a different message, of 66 bytes.",
        ),
        ("not-utf8", json!({"hex": "fffe00"}), "Any bytes may be signed, including zeros."),
        ("nine", json!({"repeat": ["78", 9]}), "The longest message whose length has one digit."),
        ("ten", json!({"repeat": ["78", 10]}), "The length has two digits and no leading zero."),
        ("hundred", json!({"repeat": ["78", 100]}), "The length has three digits."),
        ("line-feed", json!({"utf8": "a\nb\r\n"}), "Line ends are kept."),
        ("digits", json!({"utf8": "5hello"}), "Digits at the start of a message are part of it."),
        ("long", json!({"prng": [SEED, 5000]}), "The message fills many blocks of the hash."),
    ]
}

fn bytes_of(message: &Value) -> Vec<u8> {
    crate::bytes::read("message", message).expect("a recipe")
}

pub(in crate::generate) fn sign_cases() -> Vec<Case> {
    let mut g = Group::new("network/eip191-sign", "eip191.sign", SOURCE, KEYS);
    let input = |key: Value, message: &Value| json!({"private_key": key, "message": message});
    let hello = json!({"utf8": "hello"});
    for (name, message, why) in messages() {
        g.accept(name, input(hex(&secret("wallet")), &message), why);
    }
    let last = format!("{}40", &ORDER[..62]);
    let one = format!("{}1", &ZERO[..63]);
    g.accept("key-one", input(json!({"hex": one}), &hello), "1 is the smallest key.");
    g.accept("key-last", input(json!({"hex": last}), &hello), "The order minus one is the greatest key.");
    for case in &mut g.cases {
        // Another nonce gives another valid signature.
        case.read_as("A-047/rfc6979");
    }

    let key = digits(&secret("wallet"));
    let whole = |to: &str| [set(KEY, json!({"hex": key}), json!({"hex": to}))];
    let (row, length) = (&rows::SECRET_KEY, "A key has 32 bytes.");
    g.reject("key-31", "hello", [splice(KEY, 31, &key[62..], "")], row, length);
    g.reject("key-33", "hello", [splice(KEY, 32, "", "00")], row, length);
    g.reject("key-33-in-front", "hello", [splice(KEY, 0, "", "00")], row, length);
    g.reject("key-empty", "hello", whole(""), row, length);
    g.reject("key-zero", "hello", whole(ZERO), row, "Zero is not a valid key.");
    g.reject(
        "key-order",
        "key-last",
        [splice(KEY, 31, "40", "41")],
        row,
        "The group order is not a valid key.",
    );
    g.reject(
        "key-ones",
        "hello",
        whole(&"f".repeat(64)),
        row,
        "A key above the group order is rejected, not reduced.",
    );
    g.cases
}

pub(in crate::generate) fn recover_cases() -> Vec<Case> {
    let mut g = Group::new("network/eip191-recover", "eip191.recover", SOURCE, SIGNATURES);
    let input = |message: &Value, signature: &[u8]| json!({"message": message, "signature": hex(signature)});
    for (name, message, why) in messages() {
        g.accept(name, input(&message, &personal("wallet", &bytes_of(&message))), why);
    }
    let forms = [(27, "v-27", "v-0"), (28, "v-28", "v-1")];
    for (v, written, bare) in forms {
        let (message, mut signature) = signed_with(v);
        g.accept(written, input(&message, &signature), "v is 27 or 28.");
        signature[64] -= 27;
        let why = "Readers accept 0 and 1 as 27 and 28.";
        g.accept(bare, input(&message, &signature), why).read_as("A-047/both-v");
    }
    let (message, mut signature) = signed_with(27);
    signature[64] = 28;
    g.accept(
        "other-v",
        input(&message, &signature),
        "The other v recovers a different key. Recovery does not reject it.",
    );
    let hello = personal("wallet", b"hello");
    g.accept(
        "other-message",
        input(&json!({"utf8": "Hello"}), &hello),
        "Another message recovers a different key, so a verifier must compare the key.",
    );
    assert_ne!(g.cases.last().map(|case| &case.expect), g.cases.first().map(|case| &case.expect));
    assert!(format!("{:?}", g.cases[0].expect).contains(&address("wallet")));
    edges(&mut g, &hello);
    rejects(&mut g, &hello);
    g.cases
}

/// Signatures at the edges that recover some key.
fn edges(g: &mut Group, hello: &[u8; 65]) {
    for (name, at, value, why) in [
        ("s-one", 32, "01", "s is 1."),
        ("s-half", 32, HALF, "s is the greatest number that is not above half the group order."),
        ("r-one", 0, "01", "r is 1, the least x coordinate of the curve."),
    ] {
        let mut signature = *hello;
        let value = crate::bytes::parse_hex(&format!("{value:0>64}")).expect("hex");
        signature[at..at + 32].copy_from_slice(&value);
        g.accept(name, json!({"message": {"utf8": "hello"}, "signature": hex(&signature)}), why);
    }
}

fn rejects(g: &mut Group, hello: &[u8; 65]) {
    let (r, s, v) = (digits(&hello[..32]), digits(&hello[32..64]), digits(&hello[64..]));
    let row = &rows::SIGNATURE_LENGTH;
    g.reject("length-64", "hello", [splice(SIGNATURE, 64, v.as_str(), "")], row, "v is missing.");
    g.reject("length-66", "hello", [splice(SIGNATURE, 65, "", "00")], row, "Nothing follows v.");
    let twice = format!("00{v}");
    g.reject("v-two-bytes", "hello", [splice(SIGNATURE, 64, v.as_str(), twice)], row, "v is one byte.");
    for (name, to, why) in [
        ("v-2", "02", "The recovery identifiers 2 and 3 are not used."),
        ("v-26", "1a", "v is one below 27."),
        ("v-29", "1d", "v is one above 28."),
        ("v-37", "25", "A v that includes a chain id belongs to a transaction, not to a message."),
        ("v-255", "ff", "255 is the greatest byte and not a valid v."),
    ] {
        g.reject(name, "hello", [splice(SIGNATURE, 64, v.as_str(), to)], &rows::SIGNATURE_V, why);
    }
    let row = &rows::SIGNATURE_SCALARS;
    for (name, at, from, to, why) in [
        ("r-zero", 0, &r, ZERO, "r must not be zero."),
        ("s-zero", 32, &s, ZERO, "s must not be zero."),
        ("r-order", 0, &r, ORDER, "r must be below the group order."),
        ("s-order", 32, &s, ORDER, "s must be below the group order."),
        ("r-above-order", 0, &r, ABOVE, "r must not be one above the group order."),
        ("s-above-order", 32, &s, ABOVE, "s must not be one above the group order."),
        ("r-ones", 0, &r, ONES, "r must not be the greatest number of 32 bytes."),
        ("s-ones", 32, &s, ONES, "s must not be the greatest number of 32 bytes."),
        ("r-no-coordinate", 0, &r, NO_COORDINATE, "No point of the curve has r as its x coordinate."),
    ] {
        g.reject(name, "hello", [splice(SIGNATURE, at, from.as_str(), to)], row, why);
    }
    let high = digits(&mirrored(*hello)[32..]);
    g.reject(
        "high-s",
        "hello",
        [splice(SIGNATURE, 32, format!("{s}{v}"), high)],
        &rows::LOW_S,
        "The high s recovers the same key. It is rejected so that a message has only one signature.",
    )
    .read_as("A-047/low-s");
    for (name, value, why) in [
        ("s-above-half", ABOVE_HALF, "s is the least number above half the group order."),
        ("s-last", LAST, "s is the group order minus one."),
    ] {
        let edit = [splice(SIGNATURE, 32, s.as_str(), value)];
        g.reject(name, "hello", edit, &rows::LOW_S, why).read_as("A-047/low-s");
    }
}

/// A message whose signature has this v.
fn signed_with(v: u8) -> (Value, [u8; 65]) {
    let signed =
        (0..).map(|n| format!("message {n}")).map(|text| (personal("wallet", text.as_bytes()), text));
    let (signature, text) =
        signed.into_iter().find(|(signature, _)| signature[64] == v).expect("one message in two has this v");
    (json!({"utf8": text}), signature)
}
