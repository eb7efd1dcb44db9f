//! `eip191.sign` and `eip191.recover`: what a wallet signs, and both sides of every bound of a signature.

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
static KEYS: &[Id] = &[&rows::SECRET_KEY];
static SIGNATURES: &[Id] = &[&rows::SIGNATURE_LENGTH, &rows::SIGNATURE_V, &rows::SIGNATURE_SCALARS];

/// Messages, with their names and what they show.
fn messages() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("hello", json!({"utf8": "hello"}), "A text; its length is one digit."),
        ("nothing", json!({"utf8": ""}), "The length of nothing is 0."),
        (
            "em-dash",
            json!({"utf8": "key \u{2014} title"}),
            "The length counts bytes: an em dash has three of them.",
        ),
        ("emoji", json!({"utf8": "\u{1f600}"}), "One character, two units of UTF-16, four bytes."),
        ("thirty-two", hex(&bytes("a digest")), "Thirty-two bytes are not written as hexadecimal text."),
        (
            "digest-as-text",
            json!({"utf8": prefixed_hex(&bytes("a digest"))}),
            "The hexadecimal text of the same bytes is another message, of 66 bytes.",
        ),
        ("not-utf8", json!({"hex": "fffe00"}), "Any bytes may be signed, zeros among them."),
        ("nine", json!({"repeat": ["78", 9]}), "The longest message whose length is one digit."),
        ("ten", json!({"repeat": ["78", 10]}), "The length has no digit in front that it does not need."),
        ("hundred", json!({"repeat": ["78", 100]}), "Three digits."),
        ("line-feed", json!({"utf8": "a\nb\r\n"}), "Line ends stay as they are."),
        ("digits", json!({"utf8": "5hello"}), "Digits in front of a message are a part of it."),
        ("long", json!({"prng": [SEED, 5000]}), "A message of many blocks."),
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
    g.accept("key-one", input(json!({"hex": one}), &hello), "The least key.");
    g.accept("key-last", input(json!({"hex": last}), &hello), "The greatest key: the order less one.");
    for case in &mut g.cases {
        // Another nonce makes another signature that is as good.
        case.read_as("A-047/rfc6979");
    }

    let key = digits(&secret("wallet"));
    let whole = |to: &str| [set(KEY, json!({"hex": key}), json!({"hex": to}))];
    let (row, length) = (&rows::SECRET_KEY, "A key has 32 bytes.");
    g.reject("key-31", "hello", [splice(KEY, 31, &key[62..], "")], row, length);
    g.reject("key-33", "hello", [splice(KEY, 32, "", "00")], row, length);
    g.reject("key-33-in-front", "hello", [splice(KEY, 0, "", "00")], row, length);
    g.reject("key-empty", "hello", whole(""), row, length);
    g.reject("key-zero", "hello", whole(ZERO), row, "Zero is no key.");
    g.reject("key-order", "key-last", [splice(KEY, 31, "40", "41")], row, "Nor is the order.");
    g.reject("key-ones", "hello", whole(&"f".repeat(64)), row, "Nothing above the order is reduced by it.");
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
        g.accept(written, input(&message, &signature), "One of the two forms in which v is written.");
        signature[64] -= 27;
        let why = "Readers take 0 and 1 for 27 and 28.";
        g.accept(bare, input(&message, &signature), why).read_as("A-047/both-v");
    }
    let (message, mut signature) = signed_with(27);
    signature[64] = 28;
    g.accept("other-v", input(&message, &signature), "The other v recovers another key; nobody is refused.");
    let hello = personal("wallet", b"hello");
    g.accept(
        "other-message",
        input(&json!({"utf8": "Hello"}), &hello),
        "Another message recovers another key: whoever verifies must compare.",
    );
    assert_ne!(g.cases.last().map(|case| &case.expect), g.cases.first().map(|case| &case.expect));
    assert!(format!("{:?}", g.cases[0].expect).contains(&address("wallet")));
    refused(&mut g, &hello);
    g.cases
}

fn refused(g: &mut Group, hello: &[u8; 65]) {
    let (r, s, v) = (digits(&hello[..32]), digits(&hello[32..64]), digits(&hello[64..]));
    let row = &rows::SIGNATURE_LENGTH;
    g.reject("length-64", "hello", [splice(SIGNATURE, 64, v.as_str(), "")], row, "v is missing.");
    g.reject("length-66", "hello", [splice(SIGNATURE, 65, "", "00")], row, "Nothing follows v.");
    let twice = format!("00{v}");
    g.reject("v-two-bytes", "hello", [splice(SIGNATURE, 64, v.as_str(), twice)], row, "v is one byte.");
    for (name, to, why) in [
        ("v-2", "02", "The recovery identifiers 2 and 3 are not written."),
        ("v-26", "1a", "One less than 27."),
        ("v-29", "1d", "One more than 28."),
        ("v-37", "25", "The v of a transaction with its chain's number is no message's."),
        ("v-255", "ff", "The greatest byte."),
    ] {
        g.reject(name, "hello", [splice(SIGNATURE, 64, v.as_str(), to)], &rows::SIGNATURE_V, why);
    }
    let row = &rows::SIGNATURE_SCALARS;
    for (name, at, from, to, why) in [
        ("r-zero", 0, &r, ZERO, "r is not zero."),
        ("s-zero", 32, &s, ZERO, "s is not zero."),
        ("r-order", 0, &r, ORDER, "r is below the order."),
        ("s-order", 32, &s, ORDER, "s is below the order."),
        ("r-no-coordinate", 0, &r, NO_COORDINATE, "No point of the curve has that first coordinate."),
    ] {
        g.reject(name, "hello", [splice(SIGNATURE, at, from.as_str(), to)], row, why);
    }
    let high = digits(&mirrored(*hello)[32..]);
    g.reject(
        "high-s",
        "hello",
        [splice(SIGNATURE, 32, format!("{s}{v}"), high)],
        &rows::LOW_S,
        "The higher s recovers the same key; with one value alone a message has one signature.",
    )
    .read_as("A-047/low-s");
}

/// A message whose signature has that v.
fn signed_with(v: u8) -> (Value, [u8; 65]) {
    let signed =
        (0..).map(|n| format!("message {n}")).map(|text| (personal("wallet", text.as_bytes()), text));
    let (signature, text) = signed.into_iter().find(|(signature, _)| signature[64] == v).expect("one of two");
    (json!({"utf8": text}), signature)
}
