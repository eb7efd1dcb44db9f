//! `request.verify`: a request whose serialized JSON is signed.

use assay_spec::Id;
use assay_spec::crypto::keccak::keccak256;
use assay_spec::crypto::text::{hex, prefixed_hex};
use assay_spec::network::requirements::signing as rows;
use serde_json::{Value, json};

use super::world::{ZERO, address, bare, mirrored, personal};
use crate::case::{Case, Edit};
use crate::generate::group::{Group, set, splice};

const M: &str = "/in/message_json";
const S: &str = "/in/signature";
const PLAIN: &str = r#"{"name":"svc","size":5,"timestamp":1700000000,"nonce":"8f14e45f"}"#;
static SHOWN: &[Id] = &[
    &rows::SIGNATURE_TEXT,
    &rows::SIGNATURE_LENGTH,
    &rows::SIGNATURE_V,
    &rows::SIGNATURE_SCALARS,
    &rows::SIGNER,
    &rows::REQUEST_FORM,
    &rows::REQUEST_TIMESTAMP,
    &rows::REQUEST_NONCE,
];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g =
        Group::new("network/request-verify", "request.verify", "src/generate/network/request.rs", SHOWN);
    for (name, text, why) in [
        ("plain", PLAIN, "Data, timestamp and nonce are signed as serialized."),
        (
            "alone",
            r#"{"nonce":"n","timestamp":0}"#,
            "A request may have no data. The caller chooses the order of members.",
        ),
        (
            "white-space",
            "{ \"timestamp\": 1,\n  \"nonce\": \"n\" }\n",
            "White space is signed like the rest.",
        ),
        ("sorted", r#"{"a":1,"nonce":"n","timestamp":1}"#, "The keys happen to be sorted."),
        (
            "non-ascii",
            "{\"name\":\"\u{2014}\",\"timestamp\":1,\"nonce\":\"\u{e9}\"}",
            "The length in the prefix counts bytes.",
        ),
        (
            "emoji",
            "{\"name\":\"\u{1f600}\",\"timestamp\":1,\"nonce\":\"n\"}",
            "The length counts four bytes for an emoji, not two UTF-16 units or one character.",
        ),
        ("escapes", r#"{"name":"\u2014\/","timestamp":1,"nonce":"n"}"#, "Escapes are signed as written."),
        (
            "nested",
            r#"{"data":{"nonce":"","timestamp":"x"},"timestamp":1,"nonce":"n"}"#,
            "Timestamp and nonce are top-level members. Nested members of these names do not count.",
        ),
    ] {
        g.accept(name, input(text), why);
    }
    let mut lower = input(PLAIN);
    lower["address"] = address("wallet").to_lowercase().into();
    g.accept("address-lower-case", lower, "Addresses are compared without regard to case.");

    let text = signed(PLAIN);
    let v = if text.ends_with("1b") { "00" } else { "01" };
    for (name, signature, why, reading) in [
        ("no-prefix", text[2..].to_owned(), "The signature may lack 0x.", "A-049/without-prefix"),
        ("v-bare", format!("{}{v}", &text[..130]), "A v of 0 or 1 is read as 27 or 28.", "A-047/both-v"),
    ] {
        let mut input = input(PLAIN);
        input["signature"] = signature.into();
        g.accept(name, input, why).read_as(reading);
    }

    for (name, text, why) in [
        ("no-json", "timestamp=1&nonce=n", "The request is not JSON."),
        ("array", r#"["timestamp",1,"nonce","n"]"#, "An array is not an object."),
        ("text", r#""timestamp""#, "A string is not an object."),
        ("null", "null", "Null is not an object."),
        ("nothing", "", "An empty string is not JSON."),
    ] {
        g.reject(name, "plain", signed_anew(text), &rows::REQUEST_FORM, why);
    }
    let stamped = |value: &str| PLAIN.replace("1700000000", value);
    for (name, text, why) in [
        ("timestamp-missing", PLAIN.replace("\"timestamp\":1700000000,", ""), "timestamp is required."),
        ("timestamp-other-case", PLAIN.replace("timestamp", "Timestamp"), "Member names are case-sensitive."),
        ("timestamp-text", stamped("\"1700000000\""), "timestamp is a number, not a string."),
        ("timestamp-fraction", stamped("1700000000.5"), "timestamp is in whole seconds."),
        ("timestamp-null", stamped("null"), "Null is not a timestamp."),
    ] {
        g.reject(name, "plain", signed_anew(&text), &rows::REQUEST_TIMESTAMP, why);
    }
    let nonce = |value: &str| PLAIN.replace("\"8f14e45f\"", value);
    for (name, text, why) in [
        ("nonce-missing", PLAIN.replace(",\"nonce\":\"8f14e45f\"", ""), "nonce is required."),
        ("nonce-empty", nonce("\"\""), "nonce is not empty."),
        ("nonce-number", nonce("7"), "nonce is a string, not a number."),
        ("nonce-null", nonce("null"), "Null is not a nonce."),
    ] {
        g.reject(name, "plain", signed_anew(&text), &rows::REQUEST_NONCE, why);
    }
    signatures(&mut g);
    g.cases
}

fn signed(text: &str) -> String {
    prefixed_hex(&personal("wallet", text.as_bytes()))
}

fn input(text: &str) -> Value {
    json!({"message_json": text, "signature": signed(text), "address": address("wallet")})
}

/// Another request with its own valid signature, so that nothing else is wrong.
fn signed_anew(text: &str) -> Vec<Edit> {
    vec![set(M, PLAIN, text), set(S, signed(PLAIN), signed(text))]
}

fn signatures(g: &mut Group) {
    let text = signed(PLAIN);
    let v = &text[130..];
    let space = [splice(S, 0, "", " ")];
    g.reject("signature-space", "plain", space, &rows::SIGNATURE_TEXT, "White space is not trimmed.");
    let long = [splice(S, 132, "", "00")];
    g.reject("signature-66", "plain", long, &rows::SIGNATURE_LENGTH, "A signature has 65 bytes.");
    // The same parity as the original v.
    let other = if v == "1b" { "1d" } else { "1e" };
    g.reject("signature-v", "plain", [splice(S, 130, v, other)], &rows::SIGNATURE_V, "v is 27 or 28.");
    let zero = [splice(S, 66, &text[66..130], ZERO)];
    g.reject("signature-s-zero", "plain", zero, &rows::SIGNATURE_SCALARS, "s must not be zero.");
    let bytes =
        crate::bytes::parse_hex(&text[2..]).and_then(|bytes| bytes.try_into().ok()).expect("65 bytes");
    let high = [splice(S, 66, &text[66..], hex(&mirrored(bytes)[32..]))];
    g.reject(
        "signature-high-s",
        "plain",
        high,
        &rows::LOW_S,
        "The high s has the same signer. It is rejected so that a message has only one signature.",
    )
    .read_as("A-047/low-s");
    let stranger = prefixed_hex(&personal("other wallet", PLAIN.as_bytes()));
    let raw = prefixed_hex(&bare("wallet", &keccak256(PLAIN.as_bytes())));
    let sorted = r#"{"name":"svc","nonce":"8f14e45f","size":5,"timestamp":1700000000}"#;
    for (name, edit, why) in [
        ("another-key", set(S, text.as_str(), stranger), "Another wallet signed."),
        (
            "signed-as-digest",
            set(S, text.as_str(), prefixed_hex(&personal("wallet", &keccak256(PLAIN.as_bytes())))),
            "The JSON itself is signed, not its digest as for records.",
        ),
        ("no-personal-prefix", set(S, text.as_str(), raw), "The JSON is signed with the EIP-191 prefix."),
        (
            "signed-sorted",
            set(S, text.as_str(), signed(sorted)),
            "The signature covers sorted keys instead of the JSON as sent.",
        ),
        (
            "other-address",
            set("/in/address", address("wallet"), address("other wallet")),
            "The request names another address.",
        ),
        ("no-address", set("/in/address", address("wallet"), "wallet"), "A name is not an address."),
        ("other-data", g.change("plain", M, "svc", "svd"), "The data is signed."),
        ("other-timestamp", g.change("plain", M, "1700", "1701"), "The timestamp is signed."),
        ("other-nonce", g.change("plain", M, "8f14", "8f15"), "The nonce is signed."),
        ("more-space", g.change("plain", M, ":", ": "), "White space is signed."),
    ] {
        g.reject(name, "plain", [edit], &rows::SIGNER, why);
    }
}
