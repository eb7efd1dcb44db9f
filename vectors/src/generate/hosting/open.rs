//! `envelope.open`: every version, two readers, and whatever can be wrong with an envelope.

use assay_spec::crypto::aead::{Key, Nonce, seal};
use assay_spec::crypto::secp256k1::public_key;
use assay_spec::crypto::text::{base64, parse_base64};
use assay_spec::hosting::requirements::{base64 as base64_rows, ecies, envelope as rows, records};
use assay_spec::hosting::wrapping::{Ephemeral, wrap};
use assay_spec::network::requirements::signing::SECRET_KEY;
use assay_spec::{Id, Strict};
use serde_json::{Value, json};

use super::envelope::{PROJECT, input as sealing, plaintexts};
use super::world::{E, foreign, foreign_dek, key, random, secret};
use crate::case::{Case, Edit};
use crate::generate::group::{Group, set};
use crate::op::{Answer, answer};

static SHOWN: &[Id] = &[&rows::KEY_LENGTH, &rows::AUTHENTIC, &rows::UTF8, &rows::JSON];

/// The draw of the envelope that most rejects are made from.
const DRAW: &str = "open";

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/hosting/open.rs";
    let mut g = Group::new("hosting/envelope-open", "envelope.open", source, SHOWN);
    accepts(&mut g);
    versions(&mut g);
    libraries(&mut g);
    form(&mut g);
    lengths(&mut g);
    cipher(&mut g);
    recipients(&mut g);
    plaintext(&mut g);
    encodings(&mut g);
    g.cases
}

/// What one reader has at hand.
fn opening(envelope: &Value, dek: &str, role: &str) -> Value {
    let own = if dek == "user" { "wallet" } else { E };
    json!({"envelope": envelope, "private_key": secret(own), "dek": dek, "role": role})
}

fn envelope(draw: &str, plaintext: &str) -> Value {
    sealed(&sealing(draw, plaintext))
}

fn sealed(input: &Value) -> Value {
    match answer("envelope.seal", input, &mut Strict) {
        Answer::Ok(ok) => ok["envelope"].clone(),
        other => panic!("nothing is sealed: {other:?}"),
    }
}

fn accepts(g: &mut Group) {
    let own = envelope(DRAW, PROJECT);
    for (name, dek, role, why) in [
        ("user-recovery", "user", "recovery", "A recovery tool, with the wallet's key."),
        ("encryption-recovery", "encryption", "recovery", "A recovery tool, with E."),
        ("encryption-backend", "encryption", "backend", "The backend, with E."),
        ("user-backend", "user", "backend", "The wallet's key opens for the backend as well."),
    ] {
        g.accept(name, opening(&own, dek, role), why);
    }
    for (name, plaintext, why) in plaintexts().into_iter().skip(1) {
        g.accept(name, opening(&envelope(name, &plaintext), "user", "recovery"), why);
    }
    for (name, plaintext, why) in [
        ("array", "[1]", "Any JSON is opened; what it says is another matter."),
        ("null", "null", "Even null."),
    ] {
        g.accept(name, opening(&envelope(name, plaintext), "encryption", "recovery"), why);
    }
    let mut turned = json!({"deks": {"encryption": own["deks"]["encryption"], "user": own["deks"]["user"]}});
    for name in ["tag", "iv", "ct", "alg", "v"] {
        turned[name] = own[name].clone();
    }
    g.accept("other-order", opening(&turned, "encryption", "backend"), "Members in another order.");
    let mut more = own.clone();
    more["note"] = "more".into();
    g.accept("more-members", opening(&more, "user", "recovery"), "A member that nobody knows does no harm.");
    let mut sealing = sealing("zeros", "{}");
    (sealing["iv"], sealing["dek"]) = (crate::bytes::hex(&[0; 12]), crate::bytes::hex(&ends_in_zero()));
    g.accept(
        "zeros",
        opening(&self::sealed(&sealing), "user", "recovery"),
        "An IV of zeros, a key that ends in one.",
    );
}

fn ends_in_zero() -> [u8; 32] {
    let mut dek = crate::generate::keys::bytes("dek that ends in zero");
    dek[31] = 0;
    dek
}

fn versions(g: &mut Group) {
    let own = envelope(DRAW, PROJECT);
    let more = |name: &str| wrapped(&random(&format!("dek {DRAW}"), 32), name, name);
    let mut first = own.clone();
    first["v"] = 1.into();
    first["deks"] =
        json!({"user": own["deks"]["user"], "session": more("session key"), "backend": more("backend")});
    let mut second = own.clone();
    second["v"] = 2.into();
    second["deks"] = json!({"user": own["deks"]["user"], "backend": more("backend")});
    for (version, envelope) in [(1, &first), (2, &second)] {
        let why = format!("Version {version} is read by a recovery tool with the wallet's key.");
        g.accept(&format!("version-{version}-recovery"), opening(envelope, "user", "recovery"), &why);
        let why = format!("The backend leaves version {version} alone, and warns.");
        g.accept(&format!("version-{version}-backend"), opening(envelope, "user", "backend"), &why);
    }
    let input = opening(&second, "encryption", "backend");
    g.accept("version-2-backend-e", input, "Before it looks for its own key.");
    let mut extra = own.clone();
    extra["deks"]["backend"] = more("backend");
    let why = "Another recipient beside the two does no harm to a reader.";
    g.accept("more-recipients", opening(&extra, "encryption", "backend"), why).read_as("A-053/extra-ignored");
    let mut alone = own.clone();
    alone["deks"] = json!({"user": own["deks"]["user"]});
    let why = "Without E's the wallet's is enough.";
    g.accept("user-alone", opening(&alone, "user", "recovery"), why).read_as("A-053/user-alone");

    let edit = set("/in/envelope/v", 3, 4);
    let why = "A version after the last known is refused, and not skipped.";
    g.reject("version-4", "user-recovery", [edit], &rows::NEWER, why).read_as("A-053/newer-refused");
    let edit = set("/in/envelope/v", 3, 4);
    g.reject("version-4-backend", "encryption-backend", [edit], &rows::NEWER, "By the backend too.")
        .read_as("A-053/newer-refused");
    let turn = [set("/in/private_key", secret("wallet"), secret(E)), set("/in/dek", "user", "encryption")];
    let why = "Version 2 has no wrapped key for E.";
    g.reject("version-2-by-e", "version-2-recovery", turn, &rows::ENCRYPTION, why);
}

/// Envelopes whose keys were wrapped by other people's libraries.
fn libraries(g: &mut Group) {
    for library in foreign() {
        let iv: [u8; 12] = random(&format!("iv {}", library.source), 12).try_into().expect("12 bytes");
        let (ct, tag) = seal(&foreign_dek(), Nonce::Twelve(iv), &[], PROJECT.as_bytes());
        let envelope = json!({
            "v": 3, "alg": "aes-256-gcm", "ct": base64(&ct), "iv": base64(&iv), "tag": base64(&tag),
            "deks": {
                "user": base64(&library.text("nonce-12").bytes()),
                "encryption": base64(&library.text("key-of-32-bytes").bytes()),
            },
        });
        let name = format!("by-{}", library.library());
        let why = format!("The key was wrapped by {}.", library.source);
        g.accept(&name, opening(&envelope, "encryption", "backend"), &why);
        let why = format!("By {} with a nonce of 12 bytes, which the length tells.", library.source);
        g.accept(&format!("{name}-nonce-12"), opening(&envelope, "user", "recovery"), &why)
            .read_as("A-051/nonce-12");
    }
}

fn form(g: &mut Group) {
    let own = envelope(DRAW, PROJECT);
    for (name, path, new, row, why) in [
        (
            "envelope-text",
            "/in/envelope",
            json!(own.to_string()),
            &rows::FORM,
            "JSON within a text is no object.",
        ),
        ("version-text", "/in/envelope/v", json!("3"), &rows::FORM, "A version is a number."),
        (
            "version-missing",
            "/in/envelope/v",
            Value::Null,
            &rows::FORM,
            "Without a version nobody knows how to read.",
        ),
        ("version-true", "/in/envelope/v", json!(true), &rows::FORM, "true is no number."),
        (
            "algorithm-upper-case",
            "/in/envelope/alg",
            json!("AES-256-GCM"),
            &rows::ALGORITHM,
            "The name of the cipher is lower case.",
        ),
        ("algorithm-other", "/in/envelope/alg", json!("aes-128-gcm"), &rows::ALGORITHM, "Another cipher."),
        ("algorithm-missing", "/in/envelope/alg", Value::Null, &rows::ALGORITHM, "It is named."),
        ("ct-array", "/in/envelope/ct", list(&own["ct"]), &rows::CIPHERTEXT, "A list of bytes is no base64."),
        ("iv-array", "/in/envelope/iv", list(&own["iv"]), &rows::IV, "A list of bytes is no base64."),
        ("tag-array", "/in/envelope/tag", list(&own["tag"]), &rows::TAG, "A list of bytes is no base64."),
        ("user-array", "/in/envelope/deks/user", list(&own["deks"]["user"]), &rows::USER, "Nor is one here."),
    ] {
        let old = json!({"in": {"envelope": own}}).pointer(path).cloned().unwrap_or_default();
        g.reject(name, "user-recovery", [set(path, old, new)], row, why);
    }
    let mut flat = own.clone();
    let deks = flat.as_object_mut().and_then(|members| members.shift_remove("deks")).unwrap_or_default();
    flat["user"] = deks["user"].clone();
    flat["encryption"] = deks["encryption"].clone();
    let edit = set("/in/envelope", own, flat);
    g.reject("deks-missing", "user-recovery", [edit], &rows::FORM, "The wrapped keys stand in deks.");
}

/// A case's name, its base, the member that is changed, how, the row that refuses, and why.
type Change = (&'static str, &'static str, &'static str, fn(&mut Vec<u8>), Id, &'static str);

fn changed(g: &mut Group, changes: Vec<Change>) {
    for (name, base, member, change, row, why) in changes {
        let old = g.input(base)["envelope"][member].clone();
        let mut bytes = parse_base64(old.as_str().unwrap_or_default()).unwrap_or_default();
        change(&mut bytes);
        let edit = set(&format!("/in/envelope/{member}"), old, base64(&bytes));
        g.reject(name, base, [edit], row, why);
    }
}

fn lengths(g: &mut Group) {
    let changes: Vec<Change> = vec![
        ("iv-13", "user-recovery", "iv", |iv: &mut Vec<u8>| iv.push(0), &rows::IV, "13 bytes are no IV."),
        ("iv-11", "zeros", "iv", |iv: &mut Vec<u8>| iv.truncate(11), &rows::IV, "11 bytes are no IV."),
        ("iv-empty", "zeros", "iv", |iv: &mut Vec<u8>| iv.clear(), &rows::IV, "Nothing is no IV."),
        (
            "tag-15",
            "user-recovery",
            "tag",
            |tag: &mut Vec<u8>| tag.truncate(15),
            &rows::TAG,
            "15 bytes of the tag are too few.",
        ),
        (
            "tag-12",
            "user-recovery",
            "tag",
            |tag: &mut Vec<u8>| tag.truncate(12),
            &rows::TAG,
            "12 are a short tag of the cipher, and too few as well.",
        ),
        (
            "tag-empty",
            "user-recovery",
            "tag",
            |tag: &mut Vec<u8>| tag.clear(),
            &rows::TAG,
            "Without a tag nothing is authentic.",
        ),
        (
            "tag-17",
            "user-recovery",
            "tag",
            |tag: &mut Vec<u8>| tag.push(0),
            &rows::TAG,
            "17 bytes are one too many.",
        ),
    ];
    changed(g, changes);
}

fn cipher(g: &mut Group) {
    let changes: Vec<Change> = vec![
        (
            "ct-changed",
            "user-recovery",
            "ct",
            |ct: &mut Vec<u8>| ct[0] ^= 1,
            &rows::AUTHENTIC,
            "The ciphertext's first byte.",
        ),
        (
            "ct-changed-at-the-end",
            "encryption-backend",
            "ct",
            |ct: &mut Vec<u8>| *ct.last_mut().expect("bytes") ^= 0x80,
            &rows::AUTHENTIC,
            "Its last byte.",
        ),
        (
            "ct-shorter",
            "user-recovery",
            "ct",
            |ct: &mut Vec<u8>| ct.truncate(ct.len() - 1),
            &rows::AUTHENTIC,
            "A byte less.",
        ),
        ("ct-longer", "user-recovery", "ct", |ct: &mut Vec<u8>| ct.push(0), &rows::AUTHENTIC, "A byte more."),
        (
            "ct-empty",
            "user-recovery",
            "ct",
            |ct: &mut Vec<u8>| ct.clear(),
            &rows::AUTHENTIC,
            "Nothing is left of it.",
        ),
        (
            "iv-changed",
            "user-recovery",
            "iv",
            |iv: &mut Vec<u8>| iv[11] ^= 1,
            &rows::AUTHENTIC,
            "The IV's last byte.",
        ),
        (
            "tag-changed",
            "user-recovery",
            "tag",
            |tag: &mut Vec<u8>| tag[0] ^= 1,
            &rows::AUTHENTIC,
            "The tag's first byte.",
        ),
        (
            "tag-changed-at-the-end",
            "user-recovery",
            "tag",
            |tag: &mut Vec<u8>| tag[15] ^= 1,
            &rows::AUTHENTIC,
            "Its last byte.",
        ),
    ];
    changed(g, changes);
    let (own, other) = (envelope(DRAW, PROJECT), envelope("long", "{}"));
    for (name, path, why) in [
        ("iv-of-another", "/iv", "Another envelope's IV."),
        ("tag-of-another", "/tag", "Another envelope's tag."),
        ("user-of-another", "/deks/user", "Another envelope's key, wrapped for the same wallet."),
    ] {
        let place = |envelope: &Value| envelope.pointer(path).cloned().unwrap_or_default();
        let edit = set(&format!("/in/envelope{path}"), place(&own), place(&other));
        g.reject(name, "user-recovery", [edit], &rows::AUTHENTIC, why);
    }
}

fn recipients(g: &mut Group) {
    let own = envelope(DRAW, PROJECT);
    for (name, base, row, deks, why) in [
        (
            "user-missing",
            "user-recovery",
            &rows::USER,
            json!({"User": own["deks"]["user"], "encryption": own["deks"]["encryption"]}),
            "The wallet's key is wrapped under its own name.",
        ),
        (
            "encryption-missing",
            "encryption-backend",
            &rows::ENCRYPTION,
            json!({"user": own["deks"]["user"], "e": own["deks"]["encryption"]}),
            "So is E's.",
        ),
    ] {
        let edit = set("/in/envelope/deks", own["deks"].clone(), deks);
        g.reject(name, base, [edit], row, why);
    }
    // The wrapped key's own faults; what opens nothing without its rule is shown by `ecies.decrypt`.
    let mut changed = |name: &str, at: usize, to: &dyn Fn(u8) -> u8, row: Id, why: &str| {
        let old = own["deks"]["user"].clone();
        let mut bytes = parse_base64(old.as_str().unwrap_or_default()).unwrap_or_default();
        bytes[at] = to(bytes[at]);
        let edit = set("/in/envelope/deks/user", old, base64(&bytes));
        g.reject(name, "user-recovery", [edit], row, why);
    };
    let odd = parse_base64(own["deks"]["user"].as_str().unwrap_or_default()).map_or(0, |bytes| bytes[64] & 1);
    changed(
        "user-hybrid",
        0,
        &|_| 6 + odd,
        &ecies::EPHEMERAL_PREFIX,
        "The ephemeral key is uncompressed, and not hybrid.",
    );
    changed(
        "user-tag-changed",
        81,
        &|byte| byte ^ 1,
        &ecies::AUTHENTIC,
        "The wrapped key is authenticated by itself.",
    );

    for (name, base, dek, why) in [
        (
            "key-33",
            "user-recovery",
            [random(&format!("dek {DRAW}"), 32), vec![0]].concat(),
            "A key of 33 bytes.",
        ),
        (
            "key-31",
            "zeros",
            ends_in_zero()[..31].to_vec(),
            "A key of 31 bytes, even where a zero is missing.",
        ),
    ] {
        let old = g.input(base)["envelope"]["deks"]["user"].clone();
        let edit = set("/in/envelope/deks/user", old, wrapped(&dek, "wallet", name));
        g.reject(name, base, [edit], &rows::KEY_LENGTH, why);
    }
    let old = secret("wallet");
    let long = json!({"hex": format!("{}00", old["hex"].as_str().unwrap_or_default())});
    let edit = set("/in/private_key", old, long);
    g.reject("private-key-33", "user-recovery", [edit], &SECRET_KEY, "A private key has 32 bytes.");
}

/// What an envelope holds, sealed with the keys of the base so that nothing else is wrong.
fn plaintext(g: &mut Group) {
    for (name, text, row, why) in [
        ("utf8-byte", &b"{\"a\":\"\xff\"}"[..], &rows::UTF8 as Id, "ff is no UTF-8."),
        ("utf8-latin", b"{\"a\":\"caf\xe9\"}", &rows::UTF8, "Another encoding's letter."),
        (
            "utf8-surrogate",
            b"{\"a\":\"\xed\xa0\x80\"}",
            &rows::UTF8,
            "Half of a pair of surrogates has no UTF-8.",
        ),
        ("utf8-overlong", b"{\"a\":\"\xc0\xaf\"}", &rows::UTF8, "A slash in two bytes."),
        ("json-text", b"site", &rows::JSON, "A word is no JSON."),
        ("json-empty", b"", &rows::JSON, "Nor is nothing."),
        ("json-mark", b"\xef\xbb\xbf{}", &rows::JSON, "Nor is what begins with a mark of its order."),
        ("json-comma", b"{\"a\":1,}", &rows::JSON, "A comma too many."),
        ("json-two", b"{}{}", &rows::JSON, "Two values are none."),
        ("json-quotes", b"{'a':1}", &rows::JSON, "Quotation marks are double."),
        ("json-nan", b"{\"a\":NaN}", &rows::JSON, "NaN is none."),
        ("json-cut", b"{\"a\":", &rows::JSON, "Half of an object is none."),
    ] {
        g.reject(name, "user-recovery", sealed_anew(g, text), row, why);
    }
    for (name, text, row, why, reading) in [
        (
            "key-twice",
            &b"{\"a\":1,\"a\":2}"[..],
            &records::DUPLICATES as Id,
            "A key that stands twice.",
            "A-048/no-duplicates",
        ),
        (
            "key-twice-escaped",
            b"{\"a\":1,\"\\u0061\":2}",
            &records::DUPLICATES,
            "The same key in other characters.",
            "A-048/no-duplicates",
        ),
        (
            "number-large",
            b"{\"a\":9007199254740993}",
            &records::NUMBERS,
            "An integer that some readers round.",
            "A-048/integers",
        ),
        ("number-fraction", b"{\"a\":1.5}", &records::NUMBERS, "A fraction.", "A-048/integers"),
        (
            "number-exponent",
            b"{\"a\":1e2}",
            &records::NUMBERS,
            "An integer in another form.",
            "A-048/integers",
        ),
    ] {
        g.reject(name, "user-recovery", sealed_anew(g, text), row, why).read_as(reading);
    }
}

fn sealed_anew(g: &Group, text: &[u8]) -> Vec<Edit> {
    let envelope = &g.input("user-recovery")["envelope"];
    let iv = parse_base64(envelope["iv"].as_str().unwrap_or_default()).unwrap_or_default();
    let dek: Key = Key::new(random(&format!("dek {DRAW}"), 32).try_into().expect("32 bytes"));
    let (ct, tag) = seal(&dek, Nonce::from_slice(&iv).expect("12 bytes"), &[], text);
    vec![
        set("/in/envelope/ct", envelope["ct"].clone(), base64(&ct)),
        set("/in/envelope/tag", envelope["tag"].clone(), base64(&tag)),
    ]
}

/// The members' base64; every fault of a text is shown by `base64.decode`.
fn encodings(g: &mut Group) {
    let own = envelope(DRAW, PROJECT);
    let text = |path: &str| own.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let url = |path: &str| text(path).replace('+', "-").replace('/', "_");
    let url_place = ["/ct", "/deks/user", "/tag", "/iv"].into_iter().find(|path| url(path) != text(path));
    let url_place = url_place.expect("some text has one of the two characters");
    for (name, path, new, row, why) in [
        ("url-alphabet", url_place, url(url_place), &base64_rows::ALPHABET as Id, "The other alphabet."),
        (
            "ct-lines",
            "/ct",
            format!("{}\n{}", &text("/ct")[..64], &text("/ct")[64..]),
            &base64_rows::ALPHABET,
            "Lines as mail has them.",
        ),
        ("iv-space", "/iv", format!("{} ", text("/iv")), &base64_rows::ALPHABET, "A blank behind."),
        (
            "user-left-over",
            "/deks/user",
            format!("{}A", text("/deks/user")),
            &base64_rows::LENGTH,
            "A character too many.",
        ),
        (
            "tag-padding",
            "/tag",
            text("/tag").trim_end_matches('=').to_owned(),
            &base64_rows::PADDING,
            "A tag without padding.",
        ),
        (
            "tag-spare-bits",
            "/tag",
            spare_bit(&text("/tag")),
            &base64_rows::TRAILING_BITS,
            "Four bits behind the tag hold nothing.",
        ),
    ] {
        let edit = set(&format!("/in/envelope{path}"), text(path), new);
        let case = g.reject(name, "user-recovery", [edit], row, why);
        if name == "tag-padding" {
            case.read_as("A-052/padding-required");
        } else if name == "tag-spare-bits" {
            case.read_as("A-052/trailing-bits-zero");
        }
    }
}

/// Sixteen bytes, whose last character's lowest bit is set.
fn spare_bit(text: &str) -> String {
    let (head, last) = text.trim_end_matches('=').split_at(21);
    let next = char::from(last.as_bytes()[0] + 1);
    format!("{head}{next}==")
}

/// A key wrapped for somebody.
fn wrapped(dek: &[u8], to: &str, draw: &str) -> Value {
    let nonce = random(&format!("nonce {draw}"), 16).try_into().expect("16 bytes");
    let ephemeral = Ephemeral { key: key(&format!("ephemeral {draw}")), nonce: Nonce::Sixteen(nonce) };
    let wrapped = wrap(&public_key(&key(to)), &ephemeral, dek, &mut Strict).expect("a point");
    base64(&wrapped.bytes).into()
}

fn list(text: &Value) -> Value {
    parse_base64(text.as_str().unwrap_or_default()).unwrap_or_default().into()
}
