//! `request.verify`: a request that is signed as its JSON text.

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
        ("plain", PLAIN, "Data, timestamp and nonce, signed as they stand."),
        ("alone", r#"{"nonce":"n","timestamp":0}"#, "No data; the order of members is the caller's."),
        (
            "white-space",
            "{ \"timestamp\": 1,\n  \"nonce\": \"n\" }\n",
            "White space is signed with the rest.",
        ),
        ("sorted", r#"{"a":1,"nonce":"n","timestamp":1}"#, "Keys that happen to be sorted."),
        (
            "non-ascii",
            "{\"name\":\"\u{2014}\",\"timestamp\":1,\"nonce\":\"\u{e9}\"}",
            "The length counts bytes.",
        ),
        (
            "emoji",
            "{\"name\":\"\u{1f600}\",\"timestamp\":1,\"nonce\":\"n\"}",
            "Four bytes, where others count two units or one character.",
        ),
        (
            "escapes",
            r#"{"name":"\u2014\/","timestamp":1,"nonce":"n"}"#,
            "Escapes are signed as they are written.",
        ),
        (
            "nested",
            r#"{"data":{"nonce":"","timestamp":"x"},"timestamp":1,"nonce":"n"}"#,
            "Timestamp and nonce are the message's own, whatever its data holds.",
        ),
    ] {
        g.accept(name, input(text), why);
    }
    let mut lower = input(PLAIN);
    lower["address"] = address("wallet").to_lowercase().into();
    g.accept("address-lower-case", lower, "An address is the same without the cases of its checksum.");

    let text = signed(PLAIN);
    let v = if text.ends_with("1b") { "00" } else { "01" };
    for (name, signature, why, reading) in [
        ("no-prefix", text[2..].to_owned(), "Digits without 0x.", "A-049/without-prefix"),
        ("v-bare", format!("{}{v}", &text[..130]), "0 and 1 are read as 27 and 28.", "A-047/both-v"),
    ] {
        let mut input = input(PLAIN);
        input["signature"] = signature.into();
        g.accept(name, input, why).read_as(reading);
    }

    for (name, text, why) in [
        ("no-json", "timestamp=1&nonce=n", "It is no JSON text."),
        ("array", r#"["timestamp",1,"nonce","n"]"#, "An array is no object."),
        ("text", r#""timestamp""#, "A text is no object."),
        ("null", "null", "null is no object."),
        ("nothing", "", "Nothing is no JSON text."),
    ] {
        g.reject(name, "plain", signed_anew(text), &rows::REQUEST_FORM, why);
    }
    let stamped = |value: &str| PLAIN.replace("1700000000", value);
    for (name, text, why) in [
        ("timestamp-missing", PLAIN.replace("\"timestamp\":1700000000,", ""), "A timestamp."),
        ("timestamp-other-case", PLAIN.replace("timestamp", "Timestamp"), "By that name."),
        ("timestamp-text", stamped("\"1700000000\""), "A number, not a text."),
        ("timestamp-fraction", stamped("1700000000.5"), "Whole seconds."),
        ("timestamp-null", stamped("null"), "null is no timestamp."),
    ] {
        g.reject(name, "plain", signed_anew(&text), &rows::REQUEST_TIMESTAMP, why);
    }
    let nonce = |value: &str| PLAIN.replace("\"8f14e45f\"", value);
    for (name, text, why) in [
        ("nonce-missing", PLAIN.replace(",\"nonce\":\"8f14e45f\"", ""), "A nonce."),
        ("nonce-empty", nonce("\"\""), "A text that is not empty."),
        ("nonce-number", nonce("7"), "A text, not a number."),
        ("nonce-null", nonce("null"), "null is no nonce."),
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

/// Another text, and its own signature, so that nothing else is wrong.
fn signed_anew(text: &str) -> Vec<Edit> {
    vec![set(M, PLAIN, text), set(S, signed(PLAIN), signed(text))]
}

fn signatures(g: &mut Group) {
    let text = signed(PLAIN);
    let v = &text[130..];
    let space = [splice(S, 0, "", " ")];
    g.reject("signature-space", "plain", space, &rows::SIGNATURE_TEXT, "Nobody trims it.");
    let long = [splice(S, 132, "", "00")];
    g.reject("signature-66", "plain", long, &rows::SIGNATURE_LENGTH, "65 bytes.");
    // Of the same parity as the one that was signed with.
    let other = if v == "1b" { "1d" } else { "1e" };
    g.reject("signature-v", "plain", [splice(S, 130, v, other)], &rows::SIGNATURE_V, "27 or 28.");
    let zero = [splice(S, 66, &text[66..130], ZERO)];
    g.reject("signature-s-zero", "plain", zero, &rows::SIGNATURE_SCALARS, "s is not zero.");
    let bytes =
        crate::bytes::parse_hex(&text[2..]).and_then(|bytes| bytes.try_into().ok()).expect("65 bytes");
    let high = [splice(S, 66, &text[66..], hex(&mirrored(bytes)[32..]))];
    g.reject("signature-high-s", "plain", high, &rows::LOW_S, "The higher s is the same signer's.")
        .read_as("A-047/low-s");
    let stranger = prefixed_hex(&personal("other wallet", PLAIN.as_bytes()));
    let raw = prefixed_hex(&bare("wallet", &keccak256(PLAIN.as_bytes())));
    let sorted = r#"{"name":"svc","nonce":"8f14e45f","size":5,"timestamp":1700000000}"#;
    for (name, edit, why) in [
        ("another-key", set(S, text.as_str(), stranger), "Another wallet's signature."),
        (
            "signed-as-digest",
            set(S, text.as_str(), prefixed_hex(&personal("wallet", &keccak256(PLAIN.as_bytes())))),
            "The text is signed, not its digest, which is how records are signed.",
        ),
        ("no-personal-prefix", set(S, text.as_str(), raw), "The text is signed behind the prefix."),
        ("signed-sorted", set(S, text.as_str(), signed(sorted)), "Signed over sorted keys."),
        ("other-address", set("/in/address", address("wallet"), address("other wallet")), "Another address."),
        ("no-address", set("/in/address", address("wallet"), "wallet"), "A name is no address."),
        ("other-data", g.change("plain", M, "svc", "svd"), "The data is signed."),
        ("other-timestamp", g.change("plain", M, "1700", "1701"), "So is the timestamp."),
        ("other-nonce", g.change("plain", M, "8f14", "8f15"), "So is the nonce."),
        ("more-space", g.change("plain", M, ":", ": "), "So is every blank."),
    ] {
        g.reject(name, "plain", [edit], &rows::SIGNER, why);
    }
}
