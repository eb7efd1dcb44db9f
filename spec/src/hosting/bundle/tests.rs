use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::tarball::tests::tar;
use super::*;
use crate::crypto::aead::Nonce;
use crate::crypto::base64::{Padding, decode, encode};
use crate::crypto::secp256k1::{SigningKey, key_from_secret, public_key};
use crate::crypto::text::sha256_hex;
use crate::hosting::requirements::{base64 as base64_rows, ecies as ecies_rows, records};
use crate::hosting::wrapping::Ephemeral;
use crate::{Dialect, Id, Rules, Strict, Without};

fn key(fill: u8) -> SigningKey {
    key_from_secret(&[fill; 32]).expect("a scalar")
}

fn tarball() -> Vec<u8> {
    tar(&[("app/main.js", b"1"), ("manifest.json", b"{\"framework\":\"x\"}")])
}

fn seal_with(tarball: &[u8], rules: &mut dyn Rules) -> Sealed {
    let ephemeral = |fill| Ephemeral { key: key(fill), nonce: Nonce::Sixteen([fill; 16]) };
    let secrets =
        Secrets { dek: Zeroizing::new([9; 32]), iv: [8; 12], vm: ephemeral(5), encryption: ephemeral(6) };
    let recipients = Recipients { vm: public_key(&key(1)), encryption: public_key(&key(2)) };
    seal(&Dialect::default(), tarball, &recipients, &secrets, rules).expect("points of the curve")
}

fn envelope() -> Value {
    serde_json::from_slice(&seal_with(&tarball(), &mut Strict).file).expect("JSON")
}

fn with(at: &str, value: impl Into<Value>) -> Vec<u8> {
    let mut envelope = envelope();
    let (parent, name) = at.rsplit_once('/').expect("a pointer");
    envelope.pointer_mut(parent).expect("an object")[name] = value.into();
    envelope.to_string().into_bytes()
}

fn bytes(at: &str) -> Vec<u8> {
    decode(envelope().pointer(at).and_then(Value::as_str).expect("a string"), Padding::Required)
        .expect("base64")
}

/// Opens a file with its own hash as the recorded one.
fn read(file: &[u8], rules: &mut dyn Rules) -> Result<Opened, Id> {
    let vm = key(1);
    open(&Dialect::default(), file, &hash(file), Key::Vm(&vm), rules).map_err(|refused| refused.rule)
}

#[test]
fn both_keys_decrypt_a_sealed_bundle() {
    let sealed = seal_with(&tarball(), &mut Strict);
    let (vm, encryption) = (key(1), key(2));
    for key in [Key::Vm(&vm), Key::Encryption(&encryption)] {
        let opened = open(&Dialect::default(), &sealed.file, &sealed.hash, key, &mut Strict).unwrap();
        assert_eq!(*opened.tarball, tarball());
        assert!(opened.contents == Contents::Manifest(json!({"framework": "x"})));
        assert_eq!(*opened.dek, [9; 32]);
    }
    for key in [Key::Vm(&encryption), Key::Encryption(&vm)] {
        let refused = open(&Dialect::default(), &sealed.file, &sealed.hash, key, &mut Strict).unwrap_err();
        assert_eq!(refused.rule, &ecies_rows::AUTHENTIC);
    }
}

/// Rules that record which rules were consulted.
#[derive(Default)]
struct Consulted(Vec<Id>);

impl Rules for Consulted {
    fn violated(&mut self, rule: Id) -> Option<&'static str> {
        self.0.push(rule);
        None
    }
}

#[test]
fn hash_covers_the_pinned_file_and_is_checked_first() {
    let sealed = seal_with(&tarball(), &mut Strict);
    assert_eq!(sealed.hash, sha256_hex(&sealed.file));
    let vm = key(1);
    let (of_ct, of_tarball) = (sha256_hex(&bytes("/ct")), sha256_hex(&tarball()));
    for (rule, stated) in [
        (&rows::HASH, of_ct),
        (&rows::HASH, of_tarball),
        (&rows::HASH_FORM, String::new()),
        (&rows::HASH_FORM, format!("0x{}", sealed.hash)),
        (&rows::HASH_FORM, format!("{}\n", sealed.hash)),
    ] {
        let mut asked = Consulted::default();
        let refused = open(&Dialect::default(), &sealed.file, &stated, Key::Vm(&vm), &mut asked).unwrap_err();
        assert_eq!(refused.rule, rule);
        assert!(asked.0.iter().all(|rule| [&rows::HASH as Id, &rows::HASH_FORM].contains(rule)));
        let violated = open(&Dialect::default(), &sealed.file, &stated, Key::Vm(&vm), &mut Without(rule));
        assert!(violated.is_ok() || stated.is_empty(), "{stated}");
    }
    // One additional blank makes another file.
    let spaced = [&sealed.file[..], b" "].concat();
    assert_eq!(check_hash(&spaced, &sealed.hash, &mut Strict).unwrap_err().rule, &rows::HASH);
    assert_eq!(check_hash(&sealed.file, &sealed.hash.to_uppercase(), &mut Strict), Ok(()));
}

#[test]
fn each_fault_breaks_one_rule_only() {
    let renamed = |from: &str, to: &str| {
        let mut envelope = envelope();
        let deks = envelope["deks"].as_object_mut().expect("an object");
        let wrapped = deks.shift_remove(from).expect("a member");
        deks.insert(to.to_owned(), wrapped);
        envelope.to_string().into_bytes()
    };
    let changed = |at: &str| {
        let mut bytes = bytes(at);
        bytes[0] ^= 1;
        with(at, encode(&bytes))
    };
    let text = String::from_utf8(seal_with(&tarball(), &mut Strict).file).expect("UTF-8");
    let cases: Vec<(Id, Vec<u8>)> = vec![
        (&rows::FORM, Value::from(text.as_str()).to_string().into_bytes()),
        (&rows::FORM, with("/more", "?").into_iter().map(|b| if b == b'?' { 0xff } else { b }).collect()),
        (&rows::VERSION, with("/v", 3)),
        (&rows::VERSION, with("/v", "1")),
        (&rows::KIND, with("/kind", "svc-bundles")),
        (&rows::KIND, with("/kind", Value::Null)),
        (&rows::ALGORITHM, with("/alg", "aes-128-gcm")),
        (&rows::CIPHERTEXT, with("/ct", bytes("/ct"))),
        (&rows::IV, with("/iv", encode(&[&bytes("/iv")[..], &[0]].concat()))),
        (&rows::TAG, with("/tag", encode(&bytes("/tag")[..15]))),
        (&rows::VM, renamed("vm", "machine")),
        (&rows::VM, with("/deks/vm", bytes("/deks/vm"))),
        (&rows::ENCRYPTION, renamed("encryption", "user")),
        (&rows::TWO_RECIPIENTS, with("/deks/user", "")),
        (&rows::AUTHENTIC, changed("/ct")),
        (&rows::AUTHENTIC, changed("/iv")),
        (&rows::AUTHENTIC, changed("/tag")),
        (&rows::TARBALL, seal_with(b"text", &mut Strict).file),
        (&rows::TARBALL, seal_with(&tar(&[("a", b"")]), &mut Strict).file),
        (&records::DUPLICATES, text.replacen("\"v\":1", "\"v\":1,\"v\":1", 1).into_bytes()),
        (&records::NUMBERS, with("/more", 0.00001)),
        (&base64_rows::ALPHABET, with("/iv", format!(" {}", encode(&bytes("/iv"))))),
    ];
    for (rule, file) in cases {
        let shown = String::from_utf8_lossy(&file[..file.len().min(200)]).into_owned();
        assert_eq!(read(&file, &mut Strict).unwrap_err(), rule, "{shown}");
        let violated = read(&file, &mut Without(rule));
        assert!(violated.is_ok(), "{shown} without {rule}: {violated:?}");
    }
}

#[test]
fn additional_members_are_accepted() {
    assert!(read(&with("/more", true), &mut Strict).is_ok());
}

#[test]
fn writer_faults_are_detected() {
    let deviating = seal_with(&tarball(), &mut Without(&rows::VM_OPENS));
    assert!(read(&deviating.file, &mut Strict).is_err());
    let (e, deviating) = (key(2), seal_with(&tarball(), &mut Without(&rows::KEY_E_OPENS)));
    assert!(
        open(&Dialect::default(), &deviating.file, &deviating.hash, Key::Encryption(&e), &mut Strict)
            .is_err()
    );
    assert!(read(&deviating.file, &mut Strict).is_ok());
}
