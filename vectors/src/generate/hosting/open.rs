//! `envelope.open`: every version, both kinds of readers, and every kind of invalid envelope.

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

/// The draw of the envelope that is the base of most rejects.
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

/// The input of one reader.
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
        other => panic!("the envelope is not sealed: {other:?}"),
    }
}

fn accepts(g: &mut Group) {
    let own = envelope(DRAW, PROJECT);
    for (name, dek, role, why) in [
        ("user-recovery", "user", "recovery", "A recovery tool opens the envelope with the wallet's key."),
        ("encryption-recovery", "encryption", "recovery", "A recovery tool opens the envelope with E."),
        ("encryption-backend", "encryption", "backend", "The backend opens the envelope with E."),
        ("user-backend", "user", "backend", "The backend can open the envelope with the wallet's key too."),
    ] {
        g.accept(name, opening(&own, dek, role), why);
    }
    for (name, plaintext, why) in plaintexts().into_iter().skip(1) {
        g.accept(name, opening(&envelope(name, &plaintext), "user", "recovery"), why);
    }
    for (name, plaintext, why) in [
        ("array", "[1]", "The plaintext may be any JSON. Opening does not check its members."),
        ("null", "null", "The plaintext may be null."),
    ] {
        g.accept(name, opening(&envelope(name, plaintext), "encryption", "recovery"), why);
    }
    let mut turned = json!({"deks": {"encryption": own["deks"]["encryption"], "user": own["deks"]["user"]}});
    for name in ["tag", "iv", "ct", "alg", "v"] {
        turned[name] = own[name].clone();
    }
    g.accept(
        "other-order",
        opening(&turned, "encryption", "backend"),
        "The envelope's members are in another order.",
    );
    let mut more = own.clone();
    more["note"] = "more".into();
    for (name, text, why) in [
        ("plaintext-fraction", "{\"a\":1.5}", "A fraction is a number like any other."),
        ("plaintext-exponent", "{\"a\":1e2}", "An integer may have an exponent."),
    ] {
        g.accept(name, opening(&envelope(name, text), "user", "recovery"), why)
            .read_as("A-048/shortest-numbers");
    }
    g.accept("more-members", opening(&more, "user", "recovery"), "An unknown member is ignored.");
    let mut sealing = sealing("zeros", "{}");
    (sealing["iv"], sealing["dek"]) = (crate::bytes::hex(&[0; 12]), crate::bytes::hex(&ends_in_zero()));
    g.accept(
        "zeros",
        opening(&self::sealed(&sealing), "user", "recovery"),
        "The IV is all zeros, and the key ends with a zero byte.",
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
        let why = format!("A recovery tool reads version {version} with the wallet's key.");
        g.accept(&format!("version-{version}-recovery"), opening(envelope, "user", "recovery"), &why);
        let why = format!("The backend skips version {version} and warns.");
        g.accept(&format!("version-{version}-backend"), opening(envelope, "user", "backend"), &why);
    }
    let input = opening(&second, "encryption", "backend");
    g.accept("version-2-backend-e", input, "The backend skips an old version before it looks for its key.");
    let mut extra = own.clone();
    extra["deks"]["backend"] = more("backend");
    let why = "A reader ignores recipients besides the two.";
    g.accept("more-recipients", opening(&extra, "encryption", "backend"), why).read_as("A-053/extra-ignored");
    let mut alone = own.clone();
    alone["deks"] = json!({"user": own["deks"]["user"]});
    let why = "The wallet's wrapped key is enough if E's is missing.";
    g.accept("user-alone", opening(&alone, "user", "recovery"), why).read_as("A-053/user-alone");

    let edit = set("/in/envelope/v", 3, 4);
    let why = "A version newer than the last known one is rejected, not skipped.";
    g.reject("version-4", "user-recovery", [edit], &rows::NEWER, why).read_as("A-053/newer-refused");
    let edit = set("/in/envelope/v", 3, 4);
    g.reject(
        "version-4-backend",
        "encryption-backend",
        [edit],
        &rows::NEWER,
        "The backend rejects a newer version too.",
    )
    .read_as("A-053/newer-refused");
    let turn = [set("/in/private_key", secret("wallet"), secret(E)), set("/in/dek", "user", "encryption")];
    let why = "Version 2 has no wrapped key for E.";
    g.reject("version-2-by-e", "version-2-recovery", turn, &rows::ENCRYPTION, why);
}

/// Envelopes whose keys were wrapped by third-party libraries.
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
        let why = format!(
            "The key was wrapped by {} with a nonce of 12 bytes. Its length shows this.",
            library.source
        );
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
            "A string that contains JSON is not an object.",
        ),
        ("version-text", "/in/envelope/v", json!("3"), &rows::FORM, "The version is a number."),
        ("version-missing", "/in/envelope/v", Value::Null, &rows::FORM, "The version is required."),
        (
            "version-true",
            "/in/envelope/v",
            json!(true),
            &rows::FORM,
            "The version is a number, not a boolean.",
        ),
        (
            "algorithm-upper-case",
            "/in/envelope/alg",
            json!("AES-256-GCM"),
            &rows::ALGORITHM,
            "The algorithm's name is lowercase.",
        ),
        (
            "algorithm-other",
            "/in/envelope/alg",
            json!("aes-128-gcm"),
            &rows::ALGORITHM,
            "The algorithm is another cipher.",
        ),
        (
            "algorithm-missing",
            "/in/envelope/alg",
            Value::Null,
            &rows::ALGORITHM,
            "The algorithm is required.",
        ),
        (
            "ct-array",
            "/in/envelope/ct",
            list(&own["ct"]),
            &rows::CIPHERTEXT,
            "An array of bytes is not base64.",
        ),
        ("iv-array", "/in/envelope/iv", list(&own["iv"]), &rows::IV, "An array of bytes is not base64."),
        ("tag-array", "/in/envelope/tag", list(&own["tag"]), &rows::TAG, "An array of bytes is not base64."),
        (
            "user-array",
            "/in/envelope/deks/user",
            list(&own["deks"]["user"]),
            &rows::USER,
            "A wrapped key is base64, not an array of bytes.",
        ),
    ] {
        let old = json!({"in": {"envelope": own}}).pointer(path).cloned().unwrap_or_default();
        g.reject(name, "user-recovery", [set(path, old, new)], row, why);
    }
    let mut flat = own.clone();
    let deks = flat.as_object_mut().and_then(|members| members.shift_remove("deks")).unwrap_or_default();
    flat["user"] = deks["user"].clone();
    flat["encryption"] = deks["encryption"].clone();
    let edit = set("/in/envelope", own, flat);
    g.reject("deks-missing", "user-recovery", [edit], &rows::FORM, "The wrapped keys are inside deks.");
}

/// A case's name, its base, the changed member, the change, the row that rejects, and why.
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
        (
            "iv-13",
            "user-recovery",
            "iv",
            |iv: &mut Vec<u8>| iv.push(0),
            &rows::IV,
            "An IV has 12 bytes, not 13.",
        ),
        (
            "iv-11",
            "zeros",
            "iv",
            |iv: &mut Vec<u8>| iv.truncate(11),
            &rows::IV,
            "An IV has 12 bytes, not 11.",
        ),
        ("iv-empty", "zeros", "iv", |iv: &mut Vec<u8>| iv.clear(), &rows::IV, "An IV is not empty."),
        (
            "tag-15",
            "user-recovery",
            "tag",
            |tag: &mut Vec<u8>| tag.truncate(15),
            &rows::TAG,
            "A tag has 16 bytes, not 15.",
        ),
        (
            "tag-12",
            "user-recovery",
            "tag",
            |tag: &mut Vec<u8>| tag.truncate(12),
            &rows::TAG,
            "A tag has 16 bytes. The cipher's short form with 12 bytes is not allowed.",
        ),
        (
            "tag-empty",
            "user-recovery",
            "tag",
            |tag: &mut Vec<u8>| tag.clear(),
            &rows::TAG,
            "A tag is not empty.",
        ),
        (
            "tag-17",
            "user-recovery",
            "tag",
            |tag: &mut Vec<u8>| tag.push(0),
            &rows::TAG,
            "A tag has 16 bytes, not 17.",
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
            "The ciphertext's first byte is changed.",
        ),
        (
            "ct-changed-at-the-end",
            "encryption-backend",
            "ct",
            |ct: &mut Vec<u8>| *ct.last_mut().expect("bytes") ^= 0x80,
            &rows::AUTHENTIC,
            "The ciphertext's last byte is changed.",
        ),
        (
            "ct-shorter",
            "user-recovery",
            "ct",
            |ct: &mut Vec<u8>| ct.truncate(ct.len() - 1),
            &rows::AUTHENTIC,
            "The ciphertext is one byte shorter.",
        ),
        (
            "ct-longer",
            "user-recovery",
            "ct",
            |ct: &mut Vec<u8>| ct.push(0),
            &rows::AUTHENTIC,
            "The ciphertext is one byte longer.",
        ),
        (
            "ct-empty",
            "user-recovery",
            "ct",
            |ct: &mut Vec<u8>| ct.clear(),
            &rows::AUTHENTIC,
            "The ciphertext is empty.",
        ),
        (
            "iv-changed",
            "user-recovery",
            "iv",
            |iv: &mut Vec<u8>| iv[11] ^= 1,
            &rows::AUTHENTIC,
            "The IV's last byte is changed.",
        ),
        (
            "tag-changed",
            "user-recovery",
            "tag",
            |tag: &mut Vec<u8>| tag[0] ^= 1,
            &rows::AUTHENTIC,
            "The tag's first byte is changed.",
        ),
        (
            "tag-changed-at-the-end",
            "user-recovery",
            "tag",
            |tag: &mut Vec<u8>| tag[15] ^= 1,
            &rows::AUTHENTIC,
            "The tag's last byte is changed.",
        ),
    ];
    changed(g, changes);
    let (own, other) = (envelope(DRAW, PROJECT), envelope("long", "{}"));
    for (name, path, why) in [
        ("iv-of-another", "/iv", "The IV is from another envelope."),
        ("tag-of-another", "/tag", "The tag is from another envelope."),
        ("user-of-another", "/deks/user", "The wrapped key is from another envelope for the same wallet."),
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
            "The key wrapped for the wallet is in deks.user.",
        ),
        (
            "encryption-missing",
            "encryption-backend",
            &rows::ENCRYPTION,
            json!({"user": own["deks"]["user"], "e": own["deks"]["encryption"]}),
            "The key wrapped for E is in deks.encryption.",
        ),
    ] {
        let edit = set("/in/envelope/deks", own["deks"].clone(), deks);
        g.reject(name, base, [edit], row, why);
    }
    // Faults of the wrapped key. `ecies.decrypt` covers the faults that fail to open even without their rule.
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
        "The ephemeral key is uncompressed, not hybrid.",
    );
    changed(
        "user-tag-changed",
        81,
        &|byte| byte ^ 1,
        &ecies::AUTHENTIC,
        "The wrapped key has its own authentication tag.",
    );

    for (name, base, dek, why) in [
        (
            "key-33",
            "user-recovery",
            [random(&format!("dek {DRAW}"), 32), vec![0]].concat(),
            "An unwrapped key has 32 bytes, not 33.",
        ),
        (
            "key-31",
            "zeros",
            ends_in_zero()[..31].to_vec(),
            "An unwrapped key has 32 bytes. A key of 31 bytes is not padded with a zero.",
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

/// Invalid plaintexts, sealed with the keys of the base so that nothing else is wrong.
fn plaintext(g: &mut Group) {
    for (name, text, row, why) in [
        ("utf8-byte", &b"{\"a\":\"\xff\"}"[..], &rows::UTF8 as Id, "The byte ff is not valid UTF-8."),
        ("utf8-latin", b"{\"a\":\"caf\xe9\"}", &rows::UTF8, "A Latin-1 byte is not valid UTF-8."),
        (
            "utf8-surrogate",
            b"{\"a\":\"\xed\xa0\x80\"}",
            &rows::UTF8,
            "An encoded surrogate is not valid UTF-8.",
        ),
        ("utf8-overlong", b"{\"a\":\"\xc0\xaf\"}", &rows::UTF8, "An overlong form is not valid UTF-8."),
        ("json-text", b"site", &rows::JSON, "A bare word is not JSON."),
        ("json-empty", b"", &rows::JSON, "An empty string is not JSON."),
        ("json-mark", b"\xef\xbb\xbf{}", &rows::JSON, "A byte order mark is not part of JSON."),
        ("json-comma", b"{\"a\":1,}", &rows::JSON, "JSON has no trailing comma."),
        ("json-two", b"{}{}", &rows::JSON, "Two values are not one JSON value."),
        ("json-quotes", b"{'a':1}", &rows::JSON, "JSON strings have double quotes."),
        ("json-nan", b"{\"a\":NaN}", &rows::JSON, "JSON has no NaN."),
        ("json-cut", b"{\"a\":", &rows::JSON, "A truncated object is not JSON."),
    ] {
        g.reject(name, "user-recovery", sealed_anew(g, text), row, why);
    }
    for (name, text, row, why, reading) in [
        (
            "key-twice",
            &b"{\"a\":1,\"a\":2}"[..],
            &records::DUPLICATES as Id,
            "A key appears twice.",
            "A-048/no-duplicates",
        ),
        (
            "key-twice-escaped",
            b"{\"a\":1,\"\\u0061\":2}",
            &records::DUPLICATES,
            "A key appears twice, once escaped.",
            "A-048/no-duplicates",
        ),
        (
            "number-large",
            b"{\"a\":9007199254740993}",
            &records::NUMBERS,
            "Some parsers round this integer.",
            "A-048/integers",
        ),
        (
            "number-small-fraction",
            b"{\"a\":0.00001}",
            &records::NUMBERS,
            "Some serializers write a fraction below 0.0001 with an exponent.",
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

/// Invalid base64 in the members. `base64.decode` covers every fault.
fn encodings(g: &mut Group) {
    let own = envelope(DRAW, PROJECT);
    let text = |path: &str| own.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let url = |path: &str| text(path).replace('+', "-").replace('/', "_");
    let url_place = ["/ct", "/deks/user", "/tag", "/iv"].into_iter().find(|path| url(path) != text(path));
    let url_place = url_place.expect("a member has one of the two characters");
    for (name, path, new, row, why) in [
        (
            "url-alphabet",
            url_place,
            url(url_place),
            &base64_rows::ALPHABET as Id,
            "The alphabet is standard base64, not base64url.",
        ),
        (
            "ct-lines",
            "/ct",
            format!("{}\n{}", &text("/ct")[..64], &text("/ct")[64..]),
            &base64_rows::ALPHABET,
            "Base64 is not wrapped into lines.",
        ),
        (
            "iv-space",
            "/iv",
            format!("{} ", text("/iv")),
            &base64_rows::ALPHABET,
            "White space is not trimmed.",
        ),
        (
            "user-left-over",
            "/deks/user",
            format!("{}A", text("/deks/user")),
            &base64_rows::LENGTH,
            "One extra character holds six bits, too few for a byte.",
        ),
        (
            "tag-padding",
            "/tag",
            text("/tag").trim_end_matches('=').to_owned(),
            &base64_rows::PADDING,
            "Padding is required.",
        ),
        (
            "tag-spare-bits",
            "/tag",
            spare_bit(&text("/tag")),
            &base64_rows::TRAILING_BITS,
            "The four unused bits after the tag are zero.",
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

/// The base64 of sixteen bytes with the lowest bit of its last character set.
fn spare_bit(text: &str) -> String {
    let (head, last) = text.trim_end_matches('=').split_at(21);
    let next = char::from(last.as_bytes()[0] + 1);
    format!("{head}{next}==")
}

/// A key wrapped for `to`.
fn wrapped(dek: &[u8], to: &str, draw: &str) -> Value {
    let nonce = random(&format!("nonce {draw}"), 16).try_into().expect("16 bytes");
    let ephemeral = Ephemeral { key: key(&format!("ephemeral {draw}")), nonce: Nonce::Sixteen(nonce) };
    let wrapped = wrap(&public_key(&key(to)), &ephemeral, dek, &mut Strict).expect("a point");
    base64(&wrapped.bytes).into()
}

fn list(text: &Value) -> Value {
    parse_base64(text.as_str().unwrap_or_default()).unwrap_or_default().into()
}
