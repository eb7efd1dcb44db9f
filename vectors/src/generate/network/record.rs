//! `record.verify`: a record's signature, its form and its signer.

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
    taken(&mut g);
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

/// A message whose signature has that v.
fn signed_with(v: &str) -> String {
    let texts = (0..).map(|n| message(&format!(r#"{{"n":{n}}}"#)));
    texts.into_iter().find(|text| signed(text).ends_with(v)).expect("one of two")
}

fn taken(g: &mut Group) {
    let post = format!(
        r#"{{"content":{{"time":1,"content":{{"b":1,"a":2}},"ref":"r","type":"amend","address":"{}"}},"channel":"SVC","type":"POST"}}"#,
        address("wallet")
    );
    for (name, message, why) in [
        ("plain", signed_with("1b"), "A record and its wallet's signature; its v is 27."),
        ("v-28", signed_with("1c"), "A signature whose v is 28."),
        ("post", post, "Received in another order, with type and ref and no key."),
        ("nested-unsorted", message(r#"{"z":{"y":1,"b":2},"a":3}"#), "Verified over the order received."),
        ("non-ascii", message("{\"name\":\"caf\u{e9} \u{2014}\"}"), "Hashed as raw UTF-8."),
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
    let why = "Written for another owner: whether the signer may do so is not the signature's matter.";
    g.accept("address-other", input(&delegated), why);
    let mut lower = g.input("plain").clone();
    lower["sender"] = address("wallet").to_lowercase().into();
    g.accept("sender-lower-case", lower, "An address is the same without the cases of its checksum.");
    let plain = g.input("plain")[S.trim_start_matches("/in/")].as_str().unwrap_or_default().to_owned();
    for (name, signature, why, reading) in [
        ("no-prefix", plain[2..].to_owned(), "Digits without 0x.", "A-049/without-prefix"),
        (
            "upper-case",
            format!("0x{}", plain[2..].to_uppercase()),
            "Digits of the upper case.",
            "A-049/either-case",
        ),
        ("v-0", format!("{}00", &plain[..130]), "0 is read as 27.", "A-047/both-v"),
    ] {
        let mut input = g.input("plain").clone();
        input["signature"] = signature.into();
        g.accept(name, input, why).read_as(reading);
    }
    let mut one = g.input("v-28").clone();
    one["signature"] = format!("{}01", &signed(&signed_with("1c"))[..130]).into();
    g.accept("v-1", one, "1 is read as 28.").read_as("A-047/both-v");
}

fn forms(g: &mut Group) {
    let row = &rows::SIGNATURE_TEXT;
    for (name, edit, why) in [
        ("space", splice(S, 0, "", " "), "Nobody trims it."),
        ("newline", splice(S, 132, "", "\n"), "Nobody trims it."),
        ("prefix-upper-case", splice(S, 1, "x", "X"), "0x is lower case."),
        ("prefix-twice", splice(S, 0, "", "0x"), "0x stands once."),
        ("odd", splice(S, 132, "", "0"), "A byte has two digits."),
        ("no-digit", splice(S, 66, "", "g"), "g is no digit."),
        ("colon", splice(S, 66, "", ":"), "Nothing stands between the digits."),
    ] {
        g.reject(name, "plain", [edit], row, why);
    }
    let row = &rows::SIGNATURE_LENGTH;
    g.reject("length-64", "plain", [splice(S, 130, "1b", "")], row, "v is missing.");
    g.reject("length-66", "plain", [splice(S, 132, "", "00")], row, "Nothing follows v.");
    for (name, to, why) in [
        ("v-3", "03", "The recovery identifiers 2 and 3 are not written."),
        ("v-25", "19", "Below 27."),
        ("v-29", "1d", "Above 28."),
        ("v-37", "25", "The v of a transaction with its chain's number."),
    ] {
        g.reject(name, "plain", [splice(S, 130, "1b", to)], &rows::SIGNATURE_V, why);
    }
}

fn scalars(g: &mut Group) {
    let text = g.input("plain")["signature"].as_str().unwrap_or_default().to_owned();
    let (r, s) = (&text[2..66], &text[66..130]);
    for (name, at, from, to, why) in [
        ("r-zero", 2, r, ZERO, "r is not zero."),
        ("s-zero", 66, s, ZERO, "s is not zero."),
        ("r-order", 2, r, ORDER, "r is below the order."),
        ("s-order", 66, s, ORDER, "s is below the order."),
        ("r-no-coordinate", 2, r, NO_COORDINATE, "No point of the curve has that first coordinate."),
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
        "The higher s is the same signer's; with one value alone a message has one signature.",
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
            "The 32 bytes are signed, not their 66 characters.",
        ),
        ("digest-as-text", of(hex(&digest).as_bytes()), "Nor their 64 digits without 0x."),
        (
            "no-personal-prefix",
            prefixed_hex(&bare("wallet", &digest)),
            "The digest is signed behind the prefix.",
        ),
        ("sha3", of(&sha3_256(canonical.as_bytes())), "The digest is Keccak-256, not SHA3-256."),
        ("canonical-text", of(canonical.as_bytes()), "The digest is signed, not the canonical JSON itself."),
        ("received-text", of(plain.as_bytes()), "General request signing is another scheme."),
        ("all-members", without(&rows::RECORD_MEMBERS), "Signed over members that are no part of it."),
        ("nulls", without(&rows::RECORD_OPTIONAL), "Signed with null for what is absent."),
        ("spaces", without(&rows::RECORD_COMPACT), "Signed with white space between the tokens."),
        (
            "another-key",
            sign_record(&wallet("other wallet"), &plain, &mut Strict).expect("a record"),
            "Another wallet's signature.",
        ),
        ("v-of-the-other", format!("{}1c", &text[..130]), "The other v recovers another key."),
    ] {
        g.reject(name, "plain", [set(S, text.as_str(), signature)], &rows::SIGNER, why);
    }
    for (name, base, row, why) in [
        (
            "nested-sorted",
            "nested-unsorted",
            &rows::RECORD_NESTED,
            "Signed over nested keys that were sorted.",
        ),
        ("order-received", "post", &rows::RECORD_ORDER, "Signed over the order received."),
    ] {
        let message = g.input(base)["message_json"].as_str().unwrap_or_default().to_owned();
        let wrong = sign_record(&wallet("wallet"), &message, &mut Without(row)).expect("a record");
        g.reject(name, base, [set(S, signed(&message), wrong)], &rows::SIGNER, why);
    }
    for (name, to, why) in [
        ("sender-other", address("other wallet"), "Another sender."),
        ("sender-empty", String::new(), "Nobody is no sender."),
        ("sender-no-prefix", address("wallet")[2..].to_owned(), "An address begins with 0x."),
        ("sender-digit-less", address("wallet")[..41].to_owned(), "An address has 40 digits."),
    ] {
        g.reject(name, "plain", [set("/in/sender", address("wallet"), to)], &rows::SIGNER, why);
    }
    for (name, old, new, why) in [
        ("other-channel", "SVC", "SVD", "The channel is signed."),
        ("other-type", "AGGREGATE", "POST", "So is the type."),
        ("other-key", "profile", "Profile", "So is the key."),
        ("other-content", "\"n\":", "\"m\":", "So is the content."),
        ("other-time", "\"time\":1", "\"time\":2", "So is the content's time."),
    ] {
        let edit = g.change("plain", M, old, new);
        g.reject(name, "plain", [edit], &rows::SIGNER, why);
    }
}
