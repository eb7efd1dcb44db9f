//! `bundle.seal` and `bundle.open`: an encrypted tarball for a virtual machine, pinned as one file.

use assay_spec::crypto::aead::{Nonce, seal};
use assay_spec::crypto::secp256k1::public_key;
use assay_spec::crypto::text::{base64, parse_base64, sha256_hex};
use assay_spec::hosting::requirements::{base64 as base64_rows, bundle as rows, ecies, records};
use assay_spec::hosting::wrapping::{Ephemeral, wrap};
use assay_spec::network::requirements::signing::SECRET_KEY;
use assay_spec::{Id, Strict};
use serde_json::{Value, json};

use super::world::{E, foreign, foreign_dek, key, public, random, recipient, secret};
use crate::bytes::hex;
use crate::case::{Case, Edit};
use crate::generate::group::{Group, set, splice};
use crate::op::{Answer, answer};

const SOURCE: &str = "src/generate/hosting/bundle.rs";
const DRAW: &str = "bundle";
const VM: &str = "virtual machine";
const B: &str = "/in/bundle";
static SEALING: &[Id] = &[&rows::KEY_LENGTH, &ecies::RECIPIENT];
static OPENING: &[Id] = &[&rows::KEY_LENGTH, &rows::AUTHENTIC, &rows::HASH, &rows::HASH_FORM];

/// Two files, packed by GNU tar 1.34 and gzip 1.12, in the GNU format and in the pax format.
const BY_GNU: [(&str, &[u8]); 2] = [
    ("by-gnu-tar", include_bytes!("../foreign/gnu.tar.gz")),
    ("by-gnu-tar-pax", include_bytes!("../foreign/gnu-pax.tar.gz")),
];

pub(in crate::generate) fn seal_cases() -> Vec<Case> {
    let mut g = Group::new("hosting/bundle-seal", "bundle.seal", SOURCE, SEALING);
    g.accept("manifest", sealing(DRAW, &tarball()), "A tarball that contains only a manifest.");
    for (name, tarball) in BY_GNU {
        g.accept(name, sealing(name, tarball), "A compressed tarball.").read_as("A-057/gzip");
    }
    let dek = g.input("manifest")["dek"]["hex"].as_str().unwrap_or_default().to_owned();
    let (short, long) = (splice("/in/dek", 31, &dek[62..], ""), splice("/in/dek", 32, "", "00"));
    g.reject("dek-31", "manifest", [short], &rows::KEY_LENGTH, "A data encryption key has 32 bytes, not 31.");
    g.reject("dek-33", "manifest", [long], &rows::KEY_LENGTH, "A data encryption key has 32 bytes, not 33.");
    g.reject(
        "iv-16",
        "manifest",
        [splice("/in/iv", 12, "", "00000000")],
        &rows::IV,
        "An IV has 12 bytes, not 16.",
    );
    for (member, to) in [("vm", VM), ("encryption", E)] {
        let (path, key) = (format!("/in/deks/{member}/public_key"), public(to));
        let digit = if key.ends_with('0') { "1" } else { "0" };
        let off = splice(&path, 131, &key[131..], digit);
        g.reject(
            &format!("{member}-off-curve"),
            "manifest",
            [off],
            &ecies::RECIPIENT,
            "A recipient's key is a point of the curve.",
        );
    }
    g.cases
}

pub(in crate::generate) fn open_cases() -> Vec<Case> {
    let mut g = Group::new("hosting/bundle-open", "bundle.open", SOURCE, OPENING);
    accepts(&mut g);
    hashes(&mut g);
    form(&mut g);
    cipher(&mut g);
    contents(&mut g);
    g.cases
}

fn sealing(draw: &str, tarball: &[u8]) -> Value {
    json!({
        "tarball": hex(tarball),
        "dek": hex(&random(&format!("dek {draw}"), 32)),
        "iv": hex(&random(&format!("iv {draw}"), 12)),
        "deks": {"vm": recipient(VM, draw), "encryption": recipient(E, draw)},
    })
}

/// The envelope of a tarball, which is pinned as a file.
fn sealed(draw: &str, tarball: &[u8]) -> Value {
    match answer("bundle.seal", &sealing(draw, tarball), &mut Strict) {
        Answer::Ok(ok) => ok["bundle"].clone(),
        other => panic!("the bundle is not sealed: {other:?}"),
    }
}

fn opening(file: &str, dek: &str) -> Value {
    let own = if dek == "vm" { VM } else { E };
    let hash = sha256_hex(file.as_bytes());
    json!({"bundle": {"utf8": file}, "bundle_hash": hash, "private_key": secret(own), "dek": dek})
}

fn accepts(g: &mut Group) {
    let own = sealed(DRAW, &tarball());
    let file = own.to_string();
    g.accept("vm", opening(&file, "vm"), "The virtual machine opens the bundle with its key.");
    g.accept("encryption", opening(&file, "encryption"), "The owner opens the bundle with E.");
    let mut unchecked = opening(&file, "vm");
    unchecked["bundle_hash"] = Value::Null;
    g.accept("unchecked", unchecked, "Without a stated hash none is compared.");
    let mut upper = opening(&file, "vm");
    upper["bundle_hash"] = sha256_hex(file.as_bytes()).to_uppercase().into();
    g.accept("hash-upper-case", upper, "The hash may have uppercase hex digits.");
    let pretty = serde_json::to_string_pretty(&own).expect("a value");
    g.accept(
        "white-space",
        opening(&pretty, "vm"),
        "The hash covers the file as pinned, including white space.",
    );
    let mut more = own.clone();
    more["note"] = "more".into();
    g.accept("more-members", opening(&more.to_string(), "vm"), "An unknown member is ignored.");
    for (name, tarball) in BY_GNU {
        g.accept(name, opening(&sealed(name, tarball).to_string(), "vm"), "A compressed tarball.")
            .read_as("A-057/gzip");
    }
    for library in foreign() {
        let iv: [u8; 12] = random(&format!("iv bundle {}", library.source), 12).try_into().expect("12 bytes");
        let (ct, tag) = seal(&foreign_dek(), Nonce::Twelve(iv), &[], &tarball());
        let file = json!({
            "v": 1, "kind": "svc-bundle", "alg": "aes-256-gcm",
            "ct": base64(&ct), "iv": base64(&iv), "tag": base64(&tag),
            "deks": {
                "vm": wrapped(&foreign_dek(), VM, &library.source),
                "encryption": base64(&library.text("key-of-32-bytes").bytes()),
            },
        });
        let why = format!("E's key was wrapped by {}.", library.source);
        g.accept(&format!("by-{}", library.library()), opening(&file.to_string(), "encryption"), &why);
    }
}

fn hashes(g: &mut Group) {
    let own = sealed(DRAW, &tarball());
    let file = own.to_string();
    let hash = sha256_hex(file.as_bytes());
    let ct = parse_base64(own["ct"].as_str().unwrap_or_default()).unwrap_or_default();
    let pretty = serde_json::to_string_pretty(&own).expect("a value");
    for (name, new, row, why) in [
        (
            "hash-of-ct",
            sha256_hex(&ct),
            &rows::HASH,
            "The stated hash is the hash of the ciphertext, not of the file.",
        ),
        (
            "hash-of-ct-text",
            sha256_hex(own["ct"].as_str().unwrap_or_default().as_bytes()),
            &rows::HASH,
            "The stated hash is the hash of the ciphertext's base64, not of the file.",
        ),
        (
            "hash-of-tarball",
            sha256_hex(&tarball()),
            &rows::HASH,
            "The stated hash is the hash of the tarball, not of the file.",
        ),
        (
            "hash-of-pretty",
            sha256_hex(pretty.as_bytes()),
            &rows::HASH,
            "The stated hash is the hash of the same JSON with white space.",
        ),
        ("hash-of-nothing", sha256_hex(b""), &rows::HASH, "The stated hash is the hash of an empty file."),
        ("hash-prefix", format!("0x{hash}"), &rows::HASH_FORM, "The hash has no 0x prefix."),
        ("hash-newline", format!("{hash}\n"), &rows::HASH_FORM, "No newline follows the hash."),
        ("hash-space", format!(" {hash}"), &rows::HASH_FORM, "No space precedes the hash."),
    ] {
        g.reject(name, "vm", [set("/in/bundle_hash", hash.as_str(), new)], row, why);
    }
    let edit = g.append("vm", B, "0a");
    g.reject("file-newline", "vm", [edit], &rows::HASH, "An added newline changes the file's hash.");
    let edit = g.change("vm", B, "\"v\":1", "\"v\" :1");
    g.reject("file-space", "vm", [edit], &rows::HASH, "An added space changes the file's hash.");
    let edit = set("/in/bundle_hash", hash.as_str(), sha256_hex(&ct));
    g.reject("hash-of-ct-by-e", "encryption", [edit], &rows::HASH, "The owner compares the hash too.");
}

fn form(g: &mut Group) {
    for (name, old, new, row, why) in [
        (
            "version-3",
            "\"v\":1",
            "\"v\":3",
            &rows::VERSION as Id,
            "A bundle's version is 1, not 3 like an envelope's.",
        ),
        ("version-text", "\"v\":1", "\"v\":\"1\"", &rows::VERSION, "The version is a number."),
        ("version-missing", "\"v\":1,", "", &rows::VERSION, "The version is required."),
        ("kind-other", "svc-bundle", "svc-envelope", &rows::KIND, "The kind is another one."),
        ("kind-upper-case", "svc-bundle", "SVC-bundle", &rows::KIND, "The kind is lowercase."),
        ("kind-missing", "\"kind\":\"svc-bundle\",", "", &rows::KIND, "The kind is required."),
        (
            "algorithm-other",
            "aes-256-gcm",
            "aes-256-cbc",
            &rows::ALGORITHM,
            "The algorithm is another cipher.",
        ),
        ("algorithm-missing", "\"alg\":\"aes-256-gcm\",", "", &rows::ALGORITHM, "The algorithm is required."),
        (
            "vm-renamed",
            "\"vm\":",
            "\"machine\":",
            &rows::VM,
            "The key wrapped for the machine is in deks.vm.",
        ),
        (
            "third-recipient",
            "\"deks\":{",
            "\"deks\":{\"user\":\"AAAA\",",
            &rows::TWO_RECIPIENTS,
            "A bundle has exactly two recipients. The wallet is not one of them.",
        ),
        (
            "iv-space",
            "\"iv\":\"",
            "\"iv\":\" ",
            &base64_rows::ALPHABET,
            "White space is not in the alphabet.",
        ),
    ] {
        let edit = g.change("unchecked", B, old, new);
        g.reject(name, "unchecked", [edit], row, why);
    }
    let edit = g.change("unchecked", B, "\"v\":1", "\"v\":1,\"v\":1");
    let why = "A key appears twice.";
    g.reject("key-twice", "unchecked", [edit], &records::DUPLICATES, why).read_as("A-048/no-duplicates");
    let edit = g.change("unchecked", B, "\"v\":1", "\"v\":1,\"n\":9007199254740993");
    let why = "Some parsers round this integer.";
    g.reject("number-large", "unchecked", [edit], &records::NUMBERS, why).read_as("A-048/integers");
    let file = text(g);
    let quoted = Value::from(file.as_str()).to_string();
    let edit = set(B, json!({"utf8": file}), json!({"utf8": quoted}));
    g.reject("file-text", "unchecked", [edit], &rows::FORM, "A string that contains JSON is not an object.");
    let edit = g.change("more-members", B, "more\"", "?\"");
    let hash = set("/in/bundle_hash", g.input("more-members")["bundle_hash"].clone(), Value::Null);
    let broken = Edit { new: json!({"hex": "ff22"}), ..edit };
    g.reject(
        "file-no-utf8",
        "more-members",
        [broken, hash],
        &rows::FORM,
        "A file that is not UTF-8 is not JSON.",
    );
}

fn cipher(g: &mut Group) {
    let own: Value = serde_json::from_str(&text(g)).expect("JSON");
    let of = |path: &str| own.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let bytes = |path: &str| parse_base64(&of(path)).unwrap_or_default();
    let flip = |path: &str, at: usize| {
        let mut bytes = bytes(path);
        bytes[at] ^= 1;
        base64(&bytes)
    };
    let longer = |path: &str| base64(&[&bytes(path)[..], &[0]].concat());
    let dek = random(&format!("dek {DRAW}"), 32);
    let long = wrapped(&[&dek[..], &[0]].concat(), VM, "key of 33 bytes");
    for (name, path, new, row, why) in [
        ("iv-13", "/iv", longer("/iv"), &rows::IV as Id, "An IV has 12 bytes, not 13."),
        ("tag-15", "/tag", base64(&bytes("/tag")[..15]), &rows::TAG, "A tag has 16 bytes, not 15."),
        ("tag-17", "/tag", longer("/tag"), &rows::TAG, "A tag has 16 bytes, not 17."),
        ("ct-changed", "/ct", flip("/ct", 0), &rows::AUTHENTIC, "The ciphertext's first byte is changed."),
        (
            "ct-changed-at-the-end",
            "/ct",
            flip("/ct", bytes("/ct").len() - 1),
            &rows::AUTHENTIC,
            "The ciphertext's last byte is changed.",
        ),
        ("iv-changed", "/iv", flip("/iv", 0), &rows::AUTHENTIC, "The IV's first byte is changed."),
        ("tag-changed", "/tag", flip("/tag", 15), &rows::AUTHENTIC, "The tag's last byte is changed."),
        ("key-33", "/deks/vm", long, &rows::KEY_LENGTH, "An unwrapped key has 32 bytes, not 33."),
        (
            "vm-tag-changed",
            "/deks/vm",
            flip("/deks/vm", 81),
            &ecies::AUTHENTIC,
            "The wrapped key has its own authentication tag.",
        ),
    ] {
        let edit = g.change("unchecked", B, &of(path), &new);
        g.reject(name, "unchecked", [edit], row, why);
    }
    let old = secret(VM);
    let long = json!({"hex": format!("{}00", old["hex"].as_str().unwrap_or_default())});
    let edit = set("/in/private_key", old, long);
    g.reject("private-key-33", "vm", [edit], &SECRET_KEY, "A private key has 32 bytes.");
}

fn contents(g: &mut Group) {
    let file = text(g);
    for (name, tarball, why) in [
        ("tarball-text", b"{\"framework\":\"node\"}".to_vec(), "A bare manifest is not a tarball."),
        ("tarball-without-manifest", tar("server.js", b"1"), "A tarball contains manifest.json."),
        (
            "tarball-other-folder",
            tar("app/manifest.json", b"{}"),
            "manifest.json is at the root of the tarball.",
        ),
        ("tarball-empty", Vec::new(), "An empty file is not a tarball."),
    ] {
        let new = sealed(DRAW, &tarball).to_string();
        let edit = set(B, json!({"utf8": file}), json!({"utf8": new}));
        g.reject(name, "unchecked", [edit], &rows::TARBALL, why);
    }
}

/// The file that is the base of most rejects.
fn text(g: &Group) -> String {
    g.input("unchecked")["bundle"]["utf8"].as_str().unwrap_or_default().to_owned()
}

fn tarball() -> Vec<u8> {
    tar("manifest.json", br#"{"framework":"node","command":"node server.js"}"#)
}

/// A tarball of one file in the ustar format.
fn tar(name: &str, content: &[u8]) -> Vec<u8> {
    const BLOCK: usize = 512;
    let mut tar = vec![0; BLOCK];
    tar[..name.len()].copy_from_slice(name.as_bytes());
    tar[100..107].copy_from_slice(b"0000644");
    tar[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
    tar[136..147].copy_from_slice(b"14524731400");
    tar[148..156].fill(b' ');
    tar[156] = b'0';
    tar[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u64 = tar.iter().map(|byte| u64::from(*byte)).sum();
    tar[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    tar.extend_from_slice(content);
    tar.resize(tar.len().next_multiple_of(BLOCK) + 2 * BLOCK, 0);
    tar
}

/// A key wrapped for `to`.
fn wrapped(dek: &[u8], to: &str, draw: &str) -> String {
    let nonce = random(&format!("nonce {draw}"), 16).try_into().expect("16 bytes");
    let ephemeral = Ephemeral { key: key(&format!("ephemeral {draw}")), nonce: Nonce::Sixteen(nonce) };
    let wrapped = wrap(&public_key(&key(to)), &ephemeral, dek, &mut Strict).expect("a point");
    base64(&wrapped.bytes)
}
