use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::*;
use crate::crypto::aead::{self, Nonce};
use crate::crypto::base64::{Padding, decode, encode};
use crate::crypto::ecies::{NonceLength, encrypt};
use crate::crypto::secp256k1::{SigningKey, key_from_secret, public_key};
use crate::hosting::requirements::{base64 as base64_rows, ecies as ecies_rows, records};
use crate::hosting::wrapping::Ephemeral;
use crate::{Id, Rules, Strict, Without};

const TEXT: &str = "{\"name\":\"caf\u{e9}\",\"n\":7}";

fn key(fill: u8) -> SigningKey {
    key_from_secret(&[fill; 32]).expect("a scalar")
}

fn keys(wallet: bool, encryption: bool) -> Keys {
    Keys { wallet: wallet.then(|| key(1)), encryption: encryption.then(|| key(2)) }
}

fn secrets() -> Secrets {
    let ephemeral = |fill| Ephemeral { key: key(fill), nonce: Nonce::Sixteen([fill; 16]) };
    Secrets { dek: Zeroizing::new([9; 32]), iv: [8; 12], user: ephemeral(5), encryption: ephemeral(6) }
}

fn seal_with(text: &[u8], rules: &mut dyn Rules) -> Value {
    let recipients = Recipients { user: public_key(&key(1)), encryption: public_key(&key(2)) };
    seal(text, &recipients, &secrets(), rules).map(|sealed| sealed.envelope).expect("points of the curve")
}

fn sealed() -> Value {
    seal_with(TEXT.as_bytes(), &mut Strict)
}

/// The same envelope with one member set.
fn with(at: &str, value: impl Into<Value>) -> Value {
    let mut envelope = sealed();
    let (parent, name) = at.rsplit_once('/').expect("a pointer");
    envelope.pointer_mut(parent).expect("an object")[name] = value.into();
    envelope
}

fn without(mut envelope: Value, at: &str) -> Value {
    let (parent, name) = at.rsplit_once('/').expect("a pointer");
    envelope.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object").shift_remove(name);
    envelope
}

fn text(at: &str) -> String {
    sealed().pointer(at).and_then(Value::as_str).expect("a string").to_owned()
}

fn wrapped_for(fill: u8, dek: &[u8], nonce: Nonce) -> String {
    encode(&encrypt(&public_key(&key(fill)), &key(5), nonce, dek).expect("a point"))
}

fn opened(envelope: &Value, reader: Reader, keys: &Keys, rules: &mut dyn Rules) -> Result<Outcome, Id> {
    open(envelope, reader, keys, rules).map_err(|refused| refused.rule)
}

fn plaintext(outcome: Result<Outcome, Id>) -> Option<String> {
    match outcome {
        Ok(Outcome::Opened(opened)) => Some(opened.text.to_string()),
        _ => None,
    }
}

#[test]
fn both_keys_decrypt_a_sealed_envelope() {
    for (wallet, encryption, recipient) in
        [(true, false, Recipient::User), (false, true, Recipient::Encryption), (true, true, Recipient::User)]
    {
        for reader in [Reader::backend(), Reader::recovery()] {
            let outcome = opened(&sealed(), reader, &keys(wallet, encryption), &mut Strict);
            let Ok(Outcome::Opened(opened)) = outcome else { panic!("{outcome:?}") };
            assert_eq!((opened.recipient, opened.version), (recipient, 3));
            assert_eq!(opened.text.as_str(), TEXT);
            assert_eq!(opened.plaintext, json!({"name": "caf\u{e9}", "n": 7}));
            assert_eq!(opened.dek, secrets().dek);
            assert!(opened.notes.is_empty() && opened.agreement.is_some());
            assert!(!format!("{opened:?}").contains("caf"));
        }
    }
    let none = opened(&sealed(), Reader::recovery(), &Keys::default(), &mut Strict);
    assert!(matches!(none, Ok(Outcome::Closed { version: 3 })));
    assert_eq!(check_written(&sealed(), &mut Strict), Ok(()));
}

#[test]
fn wrapped_key_with_a_12_byte_nonce_is_read() {
    let envelope = with("/deks/user", wrapped_for(1, &[9; 32], Nonce::Twelve([4; 12])));
    assert_eq!(decode(&text("/deks/user"), Padding::Required).map(|b| b.len()), Ok(129));
    assert!(plaintext(opened(&envelope, Reader::backend(), &keys(true, false), &mut Strict)).is_some());
    assert_eq!(NonceLength::of_length(125, 32), NonceLength::Twelve);
    assert_eq!(check_written(&envelope, &mut Strict), Ok(()));
}

/// Version 1 has `deks.session`, version 2 has `deks.backend` beside the two.
fn legacy(version: i64) -> Value {
    let mut envelope = with("/v", version);
    if version == 1 {
        envelope["deks"]["session"] = envelope["deks"]["encryption"].clone();
        envelope = without(envelope, "/deks/encryption");
    } else {
        envelope["deks"]["backend"] = envelope["deks"]["user"].clone();
    }
    envelope
}

#[test]
fn older_versions_are_skipped_by_the_backend_and_opened_by_the_tool() {
    for version in [1, 2] {
        let envelope = legacy(version);
        let skipped = opened(&envelope, Reader::backend(), &keys(true, true), &mut Strict);
        assert!(matches!(skipped, Ok(Outcome::Skipped { version: v }) if v == version));
        let violated = opened(&envelope, Reader::backend(), &keys(true, true), &mut Without(&rows::SKIPPED));
        assert_eq!(plaintext(violated).as_deref(), Some(TEXT));

        let found = opened(&envelope, Reader::recovery(), &keys(true, true), &mut Strict);
        let Ok(Outcome::Opened(found)) = found else { panic!("{found:?}") };
        assert_eq!((found.recipient, found.version), (Recipient::User, version));
        assert_eq!(found.notes, []);
        let violated =
            opened(&envelope, Reader::recovery(), &keys(true, true), &mut Without(&rows::READ_ANYWAY));
        assert!(matches!(violated, Ok(Outcome::Skipped { .. })));
    }
    // E was not a recipient of version 1.
    let closed = opened(&legacy(1), Reader::recovery(), &keys(false, true), &mut Strict);
    assert!(matches!(closed, Ok(Outcome::Closed { version: 1 })));
    let second = opened(&legacy(2), Reader::recovery(), &keys(false, true), &mut Strict);
    assert_eq!(plaintext(second).as_deref(), Some(TEXT));
}

#[test]
fn additional_members_are_accepted_and_noted_in_deks() {
    let more = with("/more", json!({"a": 1}));
    assert!(plaintext(opened(&more, Reader::backend(), &keys(true, false), &mut Strict)).is_some());
    let other = with("/deks/backend", "");
    let Ok(Outcome::Opened(found)) = opened(&other, Reader::backend(), &keys(true, false), &mut Strict)
    else {
        panic!("closed")
    };
    assert_eq!(found.notes, [Note::MoreRecipients]);
    assert_eq!(check_written(&other, &mut Strict).unwrap_err().rule, &rows::NO_OTHERS);
}

#[test]
fn wallet_opens_an_envelope_without_the_mandatory_key() {
    let envelope = without(sealed(), "/deks/encryption");
    let Ok(Outcome::Opened(found)) = opened(&envelope, Reader::backend(), &keys(true, true), &mut Strict)
    else {
        panic!("closed")
    };
    assert_eq!(found.notes, [Note::WithoutEncryption]);
    assert_eq!(found.notes[0].name(), "envelope-without-encryption");
    assert_eq!(check_written(&envelope, &mut Strict).unwrap_err().rule, &rows::ENCRYPTION);
    let by_e = opened(&envelope, Reader::backend(), &keys(false, true), &mut Strict);
    assert_eq!(by_e.unwrap_err(), &rows::ENCRYPTION);
}

#[test]
fn each_fault_breaks_one_rule_only() {
    let bytes = |at: &str| decode(&text(at), Padding::Required).expect("base64");
    let list = |at: &str| Value::from(bytes(at));
    let changed = |at: &str| {
        let mut bytes = bytes(at);
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        encode(&bytes)
    };
    let long_iv = {
        let nonce = Nonce::Sixteen([3; 16]);
        let (ct, tag) = aead::seal(&[9; 32], nonce, &[], TEXT.as_bytes());
        let mut envelope = with("/iv", encode(nonce.as_bytes()));
        envelope["ct"] = encode(&ct).into();
        envelope["tag"] = encode(&tag).into();
        envelope
    };
    let renamed = {
        let mut envelope = with("/deks/User", text("/deks/user"));
        envelope = without(envelope, "/deks/user");
        without(envelope, "/deks/encryption")
    };
    let flat = {
        let mut envelope = with("/user", text("/deks/user"));
        envelope["encryption"] = text("/deks/encryption").into();
        without(envelope, "/deks")
    };
    let cases: Vec<(Id, Value)> = vec![
        (&rows::FORM, Value::from(sealed().to_string())),
        (&rows::FORM, with("/v", "3")),
        (&rows::FORM, with("/v", 3.5)),
        (&rows::FORM, without(sealed(), "/v")),
        (&rows::FORM, flat),
        (&rows::NEWER, with("/v", 4)),
        (&rows::NEWER, with("/v", i64::MAX)),
        (&rows::ALGORITHM, with("/alg", "AES-256-GCM")),
        (&rows::ALGORITHM, with("/alg", Value::Null)),
        (&rows::ALGORITHM, without(sealed(), "/alg")),
        (&rows::CIPHERTEXT, with("/ct", list("/ct"))),
        (&rows::IV, with("/iv", list("/iv"))),
        (&rows::IV, with("/iv", encode(&[&bytes("/iv")[..], &[0]].concat()))),
        (&rows::IV, long_iv),
        (&rows::TAG, with("/tag", list("/tag"))),
        (&rows::TAG, with("/tag", encode(&bytes("/tag")[..12]))),
        (&rows::TAG, with("/tag", encode(&[&bytes("/tag")[..], &[0]].concat()))),
        (&rows::USER, with("/deks/user", list("/deks/user"))),
        (&rows::USER, renamed),
        (&rows::KEY_LENGTH, with("/deks/user", wrapped_for(1, &[9; 33], Nonce::Sixteen([5; 16])))),
        (&rows::AUTHENTIC, with("/tag", changed("/tag"))),
        (&rows::AUTHENTIC, with("/ct", changed("/ct"))),
        (&rows::AUTHENTIC, with("/iv", changed("/iv"))),
        (&rows::UTF8, seal_with(b"{\"a\":\"\xff\"}", &mut Strict)),
        (&rows::JSON, seal_with(b"", &mut Strict)),
        (&rows::JSON, seal_with(b"{\"a\":1", &mut Strict)),
        (&rows::JSON, seal_with(b"\xef\xbb\xbf{}", &mut Strict)),
        (&records::DUPLICATES, seal_with(b"{\"a\":1,\"a\":2}", &mut Strict)),
        (&records::NUMBERS, seal_with(b"{\"a\":9007199254740992}", &mut Strict)),
        (&base64_rows::ALPHABET, with("/ct", format!("{}\n", text("/ct")))),
        (&base64_rows::PADDING, with("/tag", text("/tag").trim_end_matches('='))),
        (&base64_rows::LENGTH, with("/iv", format!("{}A", text("/iv")))),
        (&ecies_rows::AUTHENTIC, {
            let mut wrapped = bytes("/deks/user");
            wrapped[81] ^= 1;
            with("/deks/user", encode(&wrapped))
        }),
    ];
    for (rule, envelope) in cases {
        let strict = opened(&envelope, Reader::recovery(), &keys(true, false), &mut Strict);
        assert_eq!(strict.unwrap_err(), rule, "{envelope}");
        let violated = opened(&envelope, Reader::recovery(), &keys(true, false), &mut Without(rule));
        assert!(matches!(violated, Ok(Outcome::Opened(_))), "{envelope} without {rule}: {violated:?}");
    }
}

#[test]
fn other_keys_decrypt_nothing() {
    let other = Keys { wallet: Some(key(3)), encryption: None };
    let refused = opened(&sealed(), Reader::recovery(), &other, &mut Strict).unwrap_err();
    assert_eq!(refused, &ecies_rows::AUTHENTIC);
    let swapped = Keys { wallet: Some(key(2)), encryption: None };
    assert!(opened(&sealed(), Reader::recovery(), &swapped, &mut Strict).is_err());
    for keys in [keys(true, false), keys(false, true)] {
        let violated = opened(&sealed(), Reader::backend(), &keys, &mut Without(&rows::EITHER_KEY));
        assert_eq!(violated.unwrap_err(), &ecies_rows::AUTHENTIC);
    }
}

#[test]
fn size_is_limited_and_duplicate_keys_are_rejected() {
    let parsed = |text: &str, rule: Id| {
        assert_eq!(parse(text, &mut Strict).unwrap_err().rule, rule, "{text:.40}");
    };
    assert_eq!(parse(&sealed().to_string(), &mut Strict), Ok(sealed()));
    parsed("", &rows::FORM);
    parsed("{\"v\":3,\"v\":2}", &records::DUPLICATES);
    parsed("{\"v\":18446744073709551615}", &records::NUMBERS);
    parsed(&"[".repeat(100_000), &rows::FORM);
    parsed(&" ".repeat(TEXT_BYTES + 1), &records::SIZE);
    let long = with("/ct", "A".repeat(TEXT_BYTES + 4));
    let refused = opened(&long, Reader::recovery(), &keys(true, false), &mut Strict).unwrap_err();
    assert_eq!(refused, &records::SIZE);
    for odd in [
        Value::Null,
        json!([]),
        json!(3),
        json!({}),
        json!({"v": 3, "deks": {}}),
        json!({"v": -1, "deks": []}),
    ] {
        assert!(opened(&odd, Reader::recovery(), &keys(true, true), &mut Strict).is_err(), "{odd}");
    }
}

#[test]
fn writer_faults_are_detected() {
    for rule in [&rows::NO_OTHERS, &rows::WALLET_OPENS, &rows::KEY_E_OPENS, &rows::ADDITIONAL_DATA] {
        assert_ne!(seal_with(TEXT.as_bytes(), &mut Without(rule)), sealed(), "{rule}");
    }
    let deviating = seal_with(TEXT.as_bytes(), &mut Without(&rows::WALLET_OPENS));
    assert!(opened(&deviating, Reader::backend(), &keys(true, false), &mut Strict).is_err());
    assert!(opened(&deviating, Reader::backend(), &keys(false, true), &mut Strict).is_ok());
    for (rule, envelope) in [
        (&rows::VERSION, with("/v", 2)),
        (&rows::USER, with("/deks/user", "AAAA")),
        (&rows::ENCRYPTION, with("/deks/encryption", Value::Null)),
        (&rows::NO_OTHERS, with("/deks/session", "AAAA")),
    ] {
        assert_eq!(check_written(&envelope, &mut Strict).unwrap_err().rule, rule);
        assert_eq!(check_written(&envelope, &mut Without(rule)), Ok(()));
    }
}
