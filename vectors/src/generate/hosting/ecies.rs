//! `ecies.encrypt` and `ecies.decrypt`: encryption for one recipient.

use assay_spec::Id;
use assay_spec::crypto::aead::{Nonce, seal};
use assay_spec::crypto::ecies::{Parts, derive_key, join, key_material, shared_point};
use assay_spec::crypto::secp256k1::{parse_public_key, public_key};
use assay_spec::crypto::text::prefixed_hex;
use assay_spec::hosting::requirements::ecies as rows;
use assay_spec::network::requirements::signing::SECRET_KEY;
use serde_json::{Value, json};

use super::counter::wrapping_nonce;
use super::world::{E, foreign, key, public, random, secret};
use crate::bytes::{hex, parse_hex};
use crate::case::{Case, Edit, Expect};
use crate::generate::group::{Group, set, splice};
use crate::generate::keys;

const SOURCE: &str = "src/generate/hosting/ecies.rs";
static ENCRYPTING: &[Id] = &[&rows::RECIPIENT];
static DECRYPTING: &[Id] =
    &[&rows::LENGTH, &rows::EPHEMERAL_PREFIX, &rows::EPHEMERAL_POINT, &rows::AUTHENTIC];

/// The inputs of `ecies.encrypt`, each with its name and reason.
fn inputs() -> Vec<(&'static str, Value, &'static str)> {
    let dek = random("dek", 32);
    let input = |to: &str, draw: &str, nonce: usize, plaintext: &[u8]| {
        json!({
            "public_key": public(to),
            "ephemeral_private_key": secret(&format!("ephemeral {draw}")),
            "nonce": hex(&random(&format!("nonce {draw}"), nonce)),
            "plaintext": hex(plaintext),
        })
    };
    vec![
        ("key", input("wallet", "key", 16, &dek), "A wrapped 32-byte key has 129 bytes."),
        ("for-e", input(E, "for e", 16, &dek), "A 32-byte key is wrapped for E."),
        (
            "empty",
            input("wallet", "empty", 16, b""),
            "An empty plaintext gives 97 bytes: ephemeral key, nonce and tag.",
        ),
        ("one-byte", input("wallet", "one byte", 16, b"x"), "One byte of plaintext adds one byte."),
        (
            "text",
            input("wallet", "text", 16, "caf\u{e9} \u{2014} \u{1f511}".as_bytes()),
            "The plaintext is non-ASCII UTF-8.",
        ),
        (
            "zeros",
            input("wallet", "zeros", 16, &[0; 48]),
            "The plaintext is three cipher blocks of zero bytes.",
        ),
        (
            "leading-zero",
            input("wallet", &leading_zero("wallet"), 16, &dek),
            "The shared point's x coordinate begins with a zero byte, which is kept.",
        ),
        (
            "leading-zero-ephemeral",
            input("wallet", &leading_zero_ephemeral(), 16, &dek),
            "The ephemeral key's x coordinate begins with a zero byte, which is kept.",
        ),
        (
            "leading-zero-second",
            input("wallet", &leading_zero_second("wallet"), 16, &dek),
            "The shared point's y coordinate begins with a zero byte, which is kept.",
        ),
        (
            "counter-wraps",
            counter_wraps(input("wallet", "counter", 16, &[0; 48])),
            "The cipher's counter starts at its greatest value and wraps within its four bytes.",
        ),
    ]
}

pub(in crate::generate) fn encrypt_cases() -> Vec<Case> {
    let mut g = Group::new("hosting/ecies-encrypt", "ecies.encrypt", SOURCE, ENCRYPTING);
    for (name, input, why) in inputs() {
        g.accept(name, input, why);
    }
    let mut twelve = inputs().remove(0).1;
    twelve["nonce"] = hex(&random("nonce twelve", 12));
    let why = "A nonce of 12 bytes is an option of the libraries. The result has 125 bytes.";
    g.accept("nonce-12", twelve, why).read_as("A-051/nonce-12");
    let mut upper = inputs().remove(0).1;
    upper["public_key"] = format!("0x{}", public("wallet")[2..].to_uppercase()).into();
    g.accept("upper-case", upper, "Hex digits may be uppercase.");

    let wallet = public("wallet");
    let parity = wallet.ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']);
    let compressed = format!("0x0{}{}", 2 + u8::from(parity), &wallet[4..68]);
    let hybrid = format!("0x0{}{}", 6 + u8::from(parity), &wallet[4..]);
    let zero = format!("0x04{}", "0".repeat(128));
    for (name, new, why) in [
        ("recipient-compressed", compressed, "A recipient's key is uncompressed."),
        ("recipient-hybrid", hybrid, "A recipient's key is not in the hybrid form."),
        ("recipient-off-curve", off_curve(&wallet), "A recipient's key is a point of the curve."),
        ("recipient-infinity", zero, "The point at infinity is not a valid key."),
        (
            "recipient-large-coordinate",
            format!("0x04{}{}", "f".repeat(64), &wallet[68..]),
            "A coordinate must be below the field prime.",
        ),
        ("recipient-no-prefix", wallet[2..].to_owned(), "A recipient's key starts with 0x."),
        ("recipient-short", wallet[..130].to_owned(), "A recipient's key has 65 bytes, not 64."),
        ("recipient-long", format!("{wallet}00"), "A recipient's key has 65 bytes, not 66."),
        ("recipient-empty", String::new(), "An empty string is not a key."),
    ] {
        g.reject(name, "key", [set("/in/public_key", wallet.as_str(), new)], &rows::RECIPIENT, why);
    }
    let old = g.input("key")["ephemeral_private_key"].clone();
    for (name, new, why) in [
        ("ephemeral-zero", hex(&[0; 32]), "Zero is not a valid private key."),
        ("ephemeral-31", hex(&keys::secret("ephemeral key")[..31]), "A private key has 32 bytes, not 31."),
    ] {
        let edit = set("/in/ephemeral_private_key", old.clone(), new);
        g.reject(name, "key", [edit], &SECRET_KEY, why);
    }
    g.cases
}

pub(in crate::generate) fn decrypt_cases() -> Vec<Case> {
    let made = encrypt_cases();
    let mut g = Group::new("hosting/ecies-decrypt", "ecies.decrypt", SOURCE, DECRYPTING);
    for (name, input, why) in inputs() {
        let to = if input["public_key"] == public(E) { E } else { "wallet" };
        g.accept(name, json!({"private_key": secret(to), "ciphertext": ciphertext(&made, name)}), why);
    }
    let twelve = json!({"private_key": secret("wallet"), "ciphertext": ciphertext(&made, "nonce-12"), "nonce_length": 12});
    g.accept("nonce-12", twelve, "A nonce of 12 bytes, as nonce_length says.").read_as("A-051/nonce-12");
    for (name, ephemeral, why) in [
        ("ephemeral-least", LEAST, "The ephemeral key with the smallest x coordinate, 1."),
        (
            "ephemeral-greatest",
            GREATEST,
            "The ephemeral key with the greatest x coordinate, three below the field prime.",
        ),
    ] {
        let sealed = sealed_with_unknown_key(ephemeral, name, &random("dek", 32));
        g.accept(name, json!({"private_key": secret("wallet"), "ciphertext": hex(&sealed)}), why);
    }
    for library in foreign() {
        for text in &library.cases {
            let name = format!("by-{}-{}", library.library(), text.name);
            let mut input = json!({"private_key": secret(&text.key), "ciphertext": hex(&text.bytes())});
            let why = format!("Encrypted by {}.", library.source);
            if text.nonce == 12 {
                input["nonce_length"] = 12.into();
                g.accept(&name, input, &why).read_as("A-051/nonce-12");
            } else {
                g.accept(&name, input, &why);
            }
        }
    }
    lengths(&mut g);
    ephemeral_keys(&mut g);
    changed(&mut g);
    let old = secret("wallet");
    let wrong = set("/in/private_key", old.clone(), secret(E));
    g.reject("another-key", "key", [wrong], &rows::AUTHENTIC, "The ciphertext is for another recipient.");
    let long = json!({"hex": format!("{}00", old["hex"].as_str().unwrap_or_default())});
    g.reject(
        "private-key-33",
        "key",
        [set("/in/private_key", old, long)],
        &SECRET_KEY,
        "A key has 32 bytes.",
    );
    g.cases
}

/// Inputs that end before the ciphertext begins, or inside it.
fn lengths(g: &mut Group) {
    for length in [0, 1, 33, 64, 65, 66, 80, 81, 96] {
        let edit = cut(g, "empty", length);
        let why = format!("A length of {length} is too short for ephemeral key, nonce and tag.");
        g.reject(&format!("length-{length}"), "empty", [edit], &rows::LENGTH, &why);
    }
    let edit = cut(g, "nonce-12", 92);
    let why = "With a nonce of 12 bytes, ephemeral key, nonce and tag take 93 bytes.";
    g.reject("nonce-12-length-92", "nonce-12", [edit], &rows::LENGTH, why).read_as("A-051/nonce-12");
    for length in [97, 128] {
        let edit = cut(g, "key", length);
        let why = format!("{length} bytes are long enough for the layout, but the ciphertext is cut off.");
        g.reject(&format!("cut-{length}"), "key", [edit], &rows::AUTHENTIC, &why);
    }
}

fn ephemeral_keys(g: &mut Group) {
    const C: &str = "/in/ciphertext";
    let whole = digits(g, "key");
    let key = &whole[..130];
    let odd = u8::from_str_radix(&key[129..], 16).expect("a digit") & 1;
    let compressed = format!("0{}{}{}", 2 + odd, &key[2..66], &whole[130..]);
    let edit = set(C, json!({"hex": whole.clone()}), json!({"hex": compressed}));
    let why = "A compressed ephemeral key is an option of the libraries and not part of the layout.";
    g.reject("ephemeral-compressed", "key", [edit], &rows::EPHEMERAL_PREFIX, why);
    for (name, mark, why) in [
        (
            "ephemeral-hybrid",
            format!("0{}", 6 + odd),
            "The ephemeral key is in the hybrid form with the right parity.",
        ),
        (
            "ephemeral-hybrid-other",
            format!("0{}", 7 - odd),
            "The ephemeral key is in the hybrid form with the wrong parity.",
        ),
        (
            "ephemeral-mark-00",
            "00".to_owned(),
            "The first byte of the point at infinity precedes two coordinates.",
        ),
        (
            "ephemeral-mark-02",
            "02".to_owned(),
            "The first byte of a compressed point precedes two coordinates.",
        ),
        ("ephemeral-mark-05", "05".to_owned(), "05 is not the first byte of any point format."),
    ] {
        g.reject(name, "key", [splice(C, 0, "04", mark)], &rows::EPHEMERAL_PREFIX, why);
    }
    let last = if key.ends_with('0') { "01" } else { "00" };
    for (name, edit, why) in [
        (
            "ephemeral-off-curve",
            splice(C, 64, &key[128..], last),
            "The ephemeral key is not a point of the curve.",
        ),
        (
            "ephemeral-infinity",
            splice(C, 1, &key[2..], "0".repeat(128)),
            "All coordinates are zero. The point at infinity is not a valid key.",
        ),
        (
            "ephemeral-x-too-large",
            splice(C, 1, &key[2..66], "f".repeat(64)),
            "A coordinate must be below the field prime.",
        ),
        (
            "ephemeral-swapped",
            splice(C, 1, &key[2..], format!("{}{}", &key[66..], &key[2..66])),
            "The coordinates of the ephemeral key are swapped.",
        ),
    ] {
        g.reject(name, "key", [edit], &rows::EPHEMERAL_POINT, why);
    }
}

fn changed(g: &mut Group) {
    const C: &str = "/in/ciphertext";
    let whole = digits(g, "key");
    let (nonce, tag, text) = (&whole[130..162], &whole[162..194], &whole[194..]);
    let other = prefixed_hex(&public_key(&self::key("stranger")))[2..].to_owned();
    let of = |parts: [&str; 4]| set(C, json!({"hex": whole.clone()}), json!({"hex": parts.concat()}));
    let flip = |at: usize| {
        let digit = u8::from_str_radix(&whole[2 * at..2 * at + 2], 16).expect("hex");
        splice(C, at, &whole[2 * at..2 * at + 2], format!("{:02x}", digit ^ 1))
    };
    let edits: Vec<(&str, Edit, &str)> = vec![
        ("nonce-changed", flip(65), "A bit of the nonce's first byte is flipped."),
        ("tag-changed", flip(81), "A bit of the tag's first byte is flipped."),
        (
            "tag-changed-at-the-end",
            flip(96),
            "A bit of the tag's last byte is flipped. All 16 bytes are compared.",
        ),
        ("ciphertext-changed", flip(97), "A bit of the ciphertext's first byte is flipped."),
        ("ciphertext-changed-at-the-end", flip(128), "A bit of the ciphertext's last byte is flipped."),
        ("ciphertext-longer", splice(C, 129, "", "00"), "The ciphertext has one more byte."),
        ("another-ephemeral", splice(C, 0, &whole[..130], other), "The ephemeral key is another one."),
        ("tag-before-nonce", of([&whole[..130], tag, nonce, text]), "The nonce comes before the tag."),
        ("tag-at-the-end", of([&whole[..130], nonce, text, tag]), "The tag comes before the ciphertext."),
    ];
    for (name, edit, why) in edits {
        g.reject(name, "key", [edit], &rows::AUTHENTIC, why);
    }
    let twelve = set("/in/nonce_length", Value::Null, 12);
    let why = "The layout has a nonce of 16 bytes but is read with 12.";
    g.reject("read-with-12", "key", [twelve], &rows::AUTHENTIC, why).read_as("A-051/nonce-12");
    let sixteen = set("/in/nonce_length", 12, 16);
    let why = "The layout has a nonce of 12 bytes but is read with 16.";
    g.reject("read-with-16", "nonce-12", [sixteen], &rows::AUTHENTIC, why).read_as("A-051/nonce-16");
}

/// The output of `ecies.encrypt` in a case.
fn ciphertext(cases: &[Case], name: &str) -> Value {
    let case =
        cases.iter().find(|case| case.id.rsplit('/').next() == Some(name)).expect("the case was added");
    match &case.expect {
        Expect::Accept { ok } => ok["ciphertext"].clone(),
        Expect::Reject { .. } => panic!("{name} is a reject"),
    }
}

fn digits(g: &Group, base: &str) -> String {
    g.input(base)["ciphertext"]["hex"].as_str().unwrap_or_default().to_owned()
}

fn cut(g: &Group, base: &str, length: usize) -> Edit {
    let whole = digits(g, base);
    splice("/in/ciphertext", length, &whole[2 * length..], "")
}

/// The same key with its last digit changed, so that it is not a point of the curve.
fn off_curve(key: &str) -> String {
    let last = if key.ends_with('0') { '1' } else { '0' };
    let changed = format!("{}{last}", &key[..key.len() - 1]);
    let bytes = parse_hex(&changed[2..]).expect("hex");
    assert!(parse_public_key(&bytes).is_none(), "the changed key is a point by chance");
    changed
}

/// The name of an ephemeral key whose shared point with `to` has an x coordinate that begins with a zero byte.
fn leading_zero(to: &str) -> String {
    let public = public_key(&key(to));
    let begins = |name: &str| {
        shared_point(&key(&format!("ephemeral {name}")), &public).is_some_and(|point| point[1] == 0)
    };
    (0..100_000).map(|n| format!("zero {n}")).find(|name| begins(name)).expect("one in 256 does")
}

/// The same for the y coordinate.
fn leading_zero_second(to: &str) -> String {
    let public = public_key(&key(to));
    let begins = |name: &str| {
        shared_point(&key(&format!("ephemeral {name}")), &public).is_some_and(|point| point[33] == 0)
    };
    (0..100_000).map(|n| format!("second zero {n}")).find(|name| begins(name)).expect("one in 256 does")
}

/// The same input with a nonce that makes the counter wrap.
fn counter_wraps(mut input: Value) -> Value {
    let (ephemeral, recipient) = (key("ephemeral counter"), public_key(&key("wallet")));
    let shared = shared_point(&ephemeral, &recipient).expect("the shared point exists");
    let derived = derive_key(&key_material(&public_key(&ephemeral), &shared));
    let block = random("counter block", 16).try_into().expect("16 bytes");
    input["nonce"] = hex(&wrapping_nonce(&derived, block));
    input
}

/// Public keys whose private keys are unknown.
const LEAST: &str = "040000000000000000000000000000000000000000000000000000000000000001\
    4218f20ae6c646b363db68605822fb14264ca8d2587fdd6fbc750d587e76a7ee";
const GREATEST: &str = "04fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2c\
    0e994b14ea72f8c3eb95c71ef692575e775058332d7e52d0995cf8038871b67d";

/// Encrypts for the wallet with an ephemeral key of which only the public half is known. The shared point is computed
/// with the wallet's private key.
fn sealed_with_unknown_key(ephemeral: &str, draw: &str, plaintext: &[u8]) -> Vec<u8> {
    let ephemeral: [u8; 65] = parse_hex(ephemeral).and_then(|key| key.try_into().ok()).expect("65 bytes");
    let shared = shared_point(&key("wallet"), &ephemeral).expect("the shared point exists");
    let derived = derive_key(&key_material(&ephemeral, &shared));
    let nonce = Nonce::from_slice(&random(&format!("nonce {draw}"), 16)).expect("16 bytes");
    let (ciphertext, tag) = seal(&derived, nonce, &[], plaintext);
    join(&Parts { ephemeral: &ephemeral, nonce, tag: &tag, ciphertext: &ciphertext })
}

/// The name of an ephemeral key whose own x coordinate begins with a zero byte.
fn leading_zero_ephemeral() -> String {
    let begins = |name: &str| public_key(&key(&format!("ephemeral {name}")))[1] == 0;
    (0..100_000).map(|n| format!("zero {n}")).find(|name| begins(name)).expect("one in 256 does")
}
