//! `record.verify`: a record's signature, the signature's form, and the signer.

use assay_spec::crypto::keccak::sha3_256;
use assay_spec::crypto::text::{hex, prefixed_hex};
use assay_spec::network::requirements::signing as rows;
use assay_spec::network::signing::{canonical, record_digest, sign_record};
use assay_spec::{Id, Strict, Without};
use serde_json::{Value, json};

use super::types::{Sample, samples};
use super::world::{NO_COORDINATE, ORDER, ZERO, address, bare, mirrored, personal, wallet};
use crate::case::Case;
use crate::generate::group::{Group, set, splice};

const S: &str = "/in/signature";
const M: &str = "/in/message_json";
static SHOWN: &[Id] = &[
    &rows::SIGNATURE_TEXT,
    &rows::SIGNATURE_LENGTH,
    &rows::SIGNATURE_V,
    &rows::SIGNATURE_SCALARS,
    &rows::SIGNER,
];

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g = Group::new("network/record-verify", "record.verify", "src/generate/network/record.rs", SHOWN);
    accepts(&mut g);
    forms(&mut g);
    scalars(&mut g);
    signers(&mut g);
    g.cases
}

fn message(content: &str) -> String {
    let sender = address("wallet");
    format!(
        r#"{{"chain":"ETH","sender":"{sender}","type":"AGGREGATE","channel":"SVC","timestamp":1700000000,"content":{{"address":"{sender}","key":"profile","content":{content},"time":1700000000}}}}"#
    )
}

fn signed(message: &str) -> String {
    sign_record(&wallet("wallet"), message, &mut Strict).expect("a record")
}

fn input(message: &str) -> Value {
    json!({"message_json": message, "signature": signed(message), "sender": address("wallet")})
}

/// A message whose signature has this v.
fn signed_with(v: &str) -> String {
    let mut messages = (0..).map(|n| message(&format!(r#"{{"n":{n}}}"#)));
    messages.find(|message| signed(message).ends_with(v)).expect("one message in two has this v")
}

fn accepts(g: &mut Group) {
    let post = format!(
        r#"{{"content":{{"time":1,"content":{{"b":1,"a":2}},"ref":"r","type":"amend","address":"{}"}},"channel":"SVC","type":"POST"}}"#,
        address("wallet")
    );
    for (name, message, why) in [
        ("plain", signed_with("1b"), "A record with its wallet's signature, whose v is 27."),
        ("v-28", signed_with("1c"), "A record with a signature whose v is 28."),
        ("post", post, "A record received in another order, with type and ref and without key."),
        (
            "nested-unsorted",
            message(r#"{"z":{"y":1,"b":2},"a":3}"#),
            "The signature covers nested keys in the received order.",
        ),
        (
            "non-ascii",
            message("{\"name\":\"caf\u{e9} \u{2014}\"}"),
            "The signature covers non-ASCII characters as raw UTF-8.",
        ),
    ] {
        g.accept(name, input(&message), why);
    }
    for Sample { name, message, reading, .. } in samples() {
        let message = message.replace("\"A\"", &format!("\"{}\"", address("wallet")));
        g.accept(&name, input(&message), "A signed record of this type.").reading =
            reading.map(str::to_owned);
    }
    let delegated = message(r#"{"n":0}"#).replace(
        &format!(r#"{{"address":"{}""#, address("wallet")),
        &format!(r#"{{"address":"{}""#, address("other wallet")),
    );
    let why =
        "The record is written for another owner. Verifying the signature does not check that authorization.";
    g.accept("address-other", input(&delegated), why);
    let mut lower = g.input("plain").clone();
    lower["sender"] = address("wallet").to_lowercase().into();
    g.accept("sender-lower-case", lower, "Addresses are compared without regard to case.");
    let plain = g.input("plain")[S.trim_start_matches("/in/")].as_str().unwrap_or_default().to_owned();
    for (name, signature, why, reading) in [
        ("no-prefix", plain[2..].to_owned(), "The signature may lack 0x.", "A-049/without-prefix"),
        (
            "upper-case",
            format!("0x{}", plain[2..].to_uppercase()),
            "The signature may have uppercase hex digits.",
            "A-049/either-case",
        ),
        ("v-0", format!("{}00", &plain[..130]), "A v of 0 is read as 27.", "A-047/both-v"),
    ] {
        let mut input = g.input("plain").clone();
        input["signature"] = signature.into();
        g.accept(name, input, why).read_as(reading);
    }
    let mut one = g.input("v-28").clone();
    one["signature"] = format!("{}01", &signed(&signed_with("1c"))[..130]).into();
    g.accept("v-1", one, "A v of 1 is read as 28.").read_as("A-047/both-v");
}

fn forms(g: &mut Group) {
    let row = &rows::SIGNATURE_TEXT;
    for (name, edit, why) in [
        ("space", splice(S, 0, "", " "), "White space is not trimmed."),
        ("newline", splice(S, 132, "", "\n"), "White space is not trimmed."),
        ("prefix-upper-case", splice(S, 1, "x", "X"), "The x of 0x is lowercase."),
        ("prefix-twice", splice(S, 0, "", "0x"), "0x appears once."),
        ("odd", splice(S, 132, "", "0"), "Each byte has two hex digits."),
        ("no-digit", splice(S, 66, "", "g"), "g is not a hex digit."),
        ("colon", splice(S, 66, "", ":"), "Hex digits have no separators."),
    ] {
        g.reject(name, "plain", [edit], row, why);
    }
    let row = &rows::SIGNATURE_LENGTH;
    g.reject("length-64", "plain", [splice(S, 130, "1b", "")], row, "v is missing.");
    g.reject("length-66", "plain", [splice(S, 132, "", "00")], row, "Nothing follows v.");
    for (name, to, why) in [
        ("v-3", "03", "The recovery identifiers 2 and 3 are not used."),
        ("v-25", "19", "v is below 27."),
        ("v-29", "1d", "v is above 28."),
        ("v-37", "25", "A v that includes a chain id belongs to a transaction, not to a message."),
    ] {
        g.reject(name, "plain", [splice(S, 130, "1b", to)], &rows::SIGNATURE_V, why);
    }
}

fn scalars(g: &mut Group) {
    let text = g.input("plain")["signature"].as_str().unwrap_or_default().to_owned();
    let (r, s) = (&text[2..66], &text[66..130]);
    for (name, at, from, to, why) in [
        ("r-zero", 2, r, ZERO, "r must not be zero."),
        ("s-zero", 66, s, ZERO, "s must not be zero."),
        ("r-order", 2, r, ORDER, "r must be below the group order."),
        ("s-order", 66, s, ORDER, "s must be below the group order."),
        ("r-no-coordinate", 2, r, NO_COORDINATE, "No point of the curve has r as its x coordinate."),
    ] {
        g.reject(name, "plain", [splice(S, at, from, to)], &rows::SIGNATURE_SCALARS, why);
    }
    let bytes =
        crate::bytes::parse_hex(&text[2..]).and_then(|bytes| bytes.try_into().ok()).expect("65 bytes");
    let high = hex(&mirrored(bytes)[32..]);
    g.reject(
        "high-s",
        "plain",
        [splice(S, 66, &text[66..], high)],
        &rows::LOW_S,
        "The high s has the same signer. It is rejected so that a message has only one signature.",
    )
    .read_as("A-047/low-s");
}

fn signers(g: &mut Group) {
    let plain = g.input("plain")["message_json"].as_str().unwrap_or_default().to_owned();
    let text = g.input("plain")["signature"].as_str().unwrap_or_default().to_owned();
    let canonical = canonical(&plain, &mut Strict).expect("a record");
    let digest = record_digest(&canonical, &mut Strict);
    let without = |row: Id| sign_record(&wallet("wallet"), &plain, &mut Without(row)).expect("a record");
    let of = |message: &[u8]| prefixed_hex(&personal("wallet", message));
    for (name, signature, why) in [
        (
            "digest-as-prefixed-text",
            of(prefixed_hex(&digest).as_bytes()),
            "The 32 bytes of the digest are signed, not their 66 characters as a hex string.",
        ),
        (
            "digest-as-text",
            of(hex(&digest).as_bytes()),
            "The 32 bytes of the digest are signed, not their 64 hex digits.",
        ),
        (
            "no-personal-prefix",
            prefixed_hex(&bare("wallet", &digest)),
            "The digest is signed with the EIP-191 prefix.",
        ),
        ("sha3", of(&sha3_256(canonical.as_bytes())), "The digest is Keccak-256, not SHA3-256."),
        ("canonical-text", of(canonical.as_bytes()), "The digest is signed, not the canonical JSON itself."),
        (
            "received-text",
            of(plain.as_bytes()),
            "The canonical JSON is signed, not the received JSON as in general request signing.",
        ),
        (
            "all-members",
            without(&rows::RECORD_MEMBERS),
            "The signature covers members that are not part of the canonical JSON.",
        ),
        ("nulls", without(&rows::RECORD_OPTIONAL), "The signature covers null for absent members."),
        ("spaces", without(&rows::RECORD_COMPACT), "The signature covers white space between tokens."),
        (
            "another-key",
            sign_record(&wallet("other wallet"), &plain, &mut Strict).expect("a record"),
            "Another wallet signed.",
        ),
        ("v-of-the-other", format!("{}1c", &text[..130]), "The other v recovers a different key."),
    ] {
        g.reject(name, "plain", [set(S, text.as_str(), signature)], &rows::SIGNER, why);
    }
    for (name, base, row, why) in [
        (
            "nested-sorted",
            "nested-unsorted",
            &rows::RECORD_NESTED,
            "The signature covers sorted nested keys.",
        ),
        (
            "order-received",
            "post",
            &rows::RECORD_ORDER,
            "The signature covers the received order instead of the documented one.",
        ),
    ] {
        let message = g.input(base)["message_json"].as_str().unwrap_or_default().to_owned();
        let wrong = sign_record(&wallet("wallet"), &message, &mut Without(row)).expect("a record");
        g.reject(name, base, [set(S, signed(&message), wrong)], &rows::SIGNER, why);
    }
    for (name, to, why) in [
        ("sender-other", address("other wallet"), "The sender is another address."),
        ("sender-empty", String::new(), "An empty string is not a sender."),
        ("sender-no-prefix", address("wallet")[2..].to_owned(), "An address starts with 0x."),
        ("sender-digit-less", address("wallet")[..41].to_owned(), "An address has 40 digits."),
    ] {
        g.reject(name, "plain", [set("/in/sender", address("wallet"), to)], &rows::SIGNER, why);
    }
    for (name, old, new, why) in [
        ("other-channel", "SVC", "SVD", "The channel is signed."),
        ("other-type", "AGGREGATE", "POST", "The type is signed."),
        ("other-key", "profile", "Profile", "The key is signed."),
        ("other-content", "\"n\":", "\"m\":", "The inner content is signed."),
        ("other-time", "\"time\":1", "\"time\":2", "The content's time is signed."),
    ] {
        let edit = g.change("plain", M, old, new);
        g.reject(name, "plain", [edit], &rows::SIGNER, why);
    }
}
