//! Sealed data opens, changed data does not, and another library reads and writes the same format.

use assay_spec::crypto::aead::{self, Nonce};
use assay_spec::crypto::base64::{Padding, decode, encode};
use assay_spec::crypto::ecies::NonceLength;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret, public_key};
use assay_spec::hosting::envelope::{self, Keys, Outcome, Reader, Recipients, Secrets};
use assay_spec::hosting::wrapping::{Ephemeral, unwrap, wrap};
use assay_spec::hosting::{bundle, requirements};
use assay_spec::{Dialect, Strict};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Nearly every 32 bytes are a valid scalar; a zero first byte makes sure.
fn secrets() -> impl Strategy<Value = [u8; 32]> {
    any::<[u8; 32]>().prop_map(|mut secret| {
        (secret[0], secret[31]) = (0, secret[31] | 1);
        secret
    })
}

fn key(secret: &[u8; 32]) -> SigningKey {
    key_from_secret(secret).expect("below the order and not zero")
}

/// A secret, a nonce, and whether only 12 bytes of it are used.
type Drawn = ([u8; 32], [u8; 16], bool);

fn ephemerals() -> impl Strategy<Value = Drawn> {
    (secrets(), any::<[u8; 16]>(), any::<bool>())
}

fn ephemeral((secret, nonce, short): Drawn) -> Ephemeral {
    let nonce = Nonce::from_slice(if short { &nonce[..12] } else { &nonce });
    Ephemeral { key: key(&secret), nonce: nonce.expect("12 or 16 bytes") }
}

fn members() -> impl Strategy<Value = Value> {
    proptest::collection::btree_map("[a-z]{1,6}", "\\PC{0,20}", 0..5).prop_map(|members| json!(members))
}

/// Copies of an envelope: each member that opening `deks.user` reads, with one bit changed.
fn changed(sealed: &Value, at: prop::sample::Index, names: &[&str]) -> Vec<Value> {
    let flip = |name: &&str| {
        let mut envelope = sealed.clone();
        let member = envelope.pointer_mut(name).expect("a member");
        let mut bytes = decode(member.as_str().expect("a string"), Padding::Required).expect("base64");
        let at = at.index(bytes.len() * 8);
        bytes[at / 8] ^= 1 << (at % 8);
        *member = encode(&bytes).into();
        envelope
    };
    names.iter().map(flip).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn envelopes_open_by_both_keys_and_not_when_changed(
        wallet in secrets(),
        e in secrets(),
        user in ephemerals(),
        encryption in ephemerals(),
        dek in any::<[u8; 32]>(),
        iv in any::<[u8; 12]>(),
        plaintext in members(),
        at in any::<prop::sample::Index>(),
    ) {
        prop_assume!(wallet != e);
        let (wallet, e) = (key(&wallet), key(&e));
        let recipients = Recipients { user: public_key(&wallet), encryption: public_key(&e) };
        let drawn =
            Secrets { dek: dek.into(), iv, user: ephemeral(user), encryption: ephemeral(encryption) };
        let text = plaintext.to_string();
        let sealed = envelope::seal(text.as_bytes(), &recipients, &drawn, &mut Strict).expect("points");
        prop_assert_eq!(envelope::check_written(&sealed.envelope, &mut Strict), Ok(()));

        let by_wallet = Keys { wallet: Some(wallet), encryption: None };
        let by_e = Keys { wallet: None, encryption: Some(e) };
        for keys in [&by_wallet, &by_e] {
            for reader in [Reader::backend(), Reader::recovery()] {
                let outcome = envelope::open(&sealed.envelope, reader, keys, &mut Strict);
                let Ok(Outcome::Opened(opened)) = outcome else { panic!("{outcome:?}") };
                prop_assert_eq!(opened.text.as_str(), &text);
                prop_assert_eq!(&opened.plaintext, &plaintext);
            }
        }
        for (keys, used) in [(&by_wallet, "/deks/user"), (&by_e, "/deks/encryption")] {
            for bad in changed(&sealed.envelope, at, &["/ct", "/iv", "/tag", used]) {
                prop_assert!(envelope::open(&bad, Reader::recovery(), keys, &mut Strict).is_err());
            }
        }
        // The other recipient's part is not checked.
        for bad in changed(&sealed.envelope, at, &["/deks/encryption"]) {
            prop_assert!(envelope::open(&bad, Reader::recovery(), &by_wallet, &mut Strict).is_ok());
        }
    }

    #[test]
    fn bundles_open_by_both_keys_and_not_when_changed(
        vm_secret in secrets(),
        e in secrets(),
        vm in ephemerals(),
        encryption in ephemerals(),
        dek in any::<[u8; 32]>(),
        iv in any::<[u8; 12]>(),
        at in any::<prop::sample::Index>(),
    ) {
        prop_assume!(vm_secret != e);
        let (machine, e) = (key(&vm_secret), key(&e));
        let recipients = bundle::Recipients { vm: public_key(&machine), encryption: public_key(&e) };
        let (vm, encryption) = (ephemeral(vm), ephemeral(encryption));
        let drawn = bundle::Secrets { dek: dek.into(), iv, vm, encryption };
        let dialect = Dialect::default();
        // A tarball in a compression that is not supported: any bytes after the magic number.
        let tarball = [b"BZh", &dek[..]].concat();
        let sealed = bundle::seal(&dialect, &tarball, &recipients, &drawn, &mut Strict).expect("points");
        let envelope: Value = serde_json::from_slice(&sealed.file).expect("JSON");
        for (key, used) in [
            (bundle::Key::Vm(&machine), "/deks/vm"),
            (bundle::Key::Encryption(&e), "/deks/encryption"),
        ] {
            let opened = bundle::open(&dialect, &sealed.file, &sealed.hash, key, &mut Strict).expect("opens");
            prop_assert_eq!(&*opened.tarball, &tarball);
            for bad in changed(&envelope, at, &["/ct", "/iv", "/tag", used]) {
                let file = bad.to_string().into_bytes();
                let by_hash = bundle::open(&dialect, &file, &sealed.hash, key, &mut Strict).unwrap_err();
                prop_assert_eq!(by_hash.rule, &requirements::bundle::HASH);
                prop_assert!(bundle::open(&dialect, &file, &bundle::hash(&file), key, &mut Strict).is_err());
            }
        }
    }

    #[test]
    fn another_library_is_compatible(
        secret in secrets(),
        other in secrets(),
        nonce in any::<[u8; 16]>(),
        text in proptest::collection::vec(any::<u8>(), 0..80),
    ) {
        let key = key(&secret);
        let public = public_key(&key);
        let drawn = Ephemeral { key: key_from_secret(&other).expect("a scalar"), nonce: Nonce::Sixteen(nonce) };
        let ours = wrap(&public, &drawn, &text, &mut Strict).expect("a point").bytes;
        prop_assert_eq!(&ecies::decrypt(&secret, &ours).expect("our data opens with their library"), &text);
        let theirs = ecies::encrypt(&public, &text).expect("a point");
        let read = unwrap(&key, &theirs, NonceLength::Sixteen, &mut Strict).expect("their data opens with ours");
        prop_assert_eq!(&*read.plaintext, &text);
    }

    #[test]
    fn any_changed_bit_of_a_wrapped_key_is_rejected(
        secret in secrets(),
        drawn in ephemerals(),
        text in proptest::collection::vec(any::<u8>(), 0..40),
        at in any::<prop::sample::Index>(),
    ) {
        let (key, drawn) = (key(&secret), ephemeral(drawn));
        let layout = if drawn.nonce.as_bytes().len() == 12 { NonceLength::Twelve } else { NonceLength::Sixteen };
        let mut wrapped = wrap(&public_key(&key), &drawn, &text, &mut Strict).expect("a point").bytes;
        prop_assert!(unwrap(&key, &wrapped, layout, &mut Strict).is_ok());
        let at = at.index(wrapped.len() * 8);
        wrapped[at / 8] ^= 1 << (at % 8);
        prop_assert!(unwrap(&key, &wrapped, layout, &mut Strict).is_err());
    }

    #[test]
    fn no_json_makes_a_reader_panic(
        v in -1_i64..6,
        texts in proptest::collection::vec("[A-Za-z0-9+/=]{0,180}", 5),
        drop in 0_usize..7,
    ) {
        let mut envelope = json!({
            "v": v, "alg": "aes-256-gcm", "ct": texts[0], "iv": texts[1], "tag": texts[2],
            "deks": {"user": texts[3], "encryption": texts[4]},
        });
        let members = envelope.as_object_mut().expect("an object");
        if let Some(name) = members.keys().nth(drop).cloned() {
            members.shift_remove(&name);
        }
        let keys = Keys { wallet: Some(key(&[1; 32])), encryption: Some(key(&[2; 32])) };
        let _ = envelope::open(&envelope, Reader::recovery(), &keys, &mut Strict);
        let _ = envelope::check_written(&envelope, &mut Strict);
        let _ = bundle::parse(&Dialect::default(), envelope.to_string().as_bytes(), &mut Strict);
    }
}

/// The layers agree on the cipher: the envelope's ciphertext is what the cipher alone gives for its members.
#[test]
fn members_match_the_cipher_output() {
    let drawn = |fill: u8| Ephemeral { key: key(&[fill; 32]), nonce: Nonce::Sixteen([fill; 16]) };
    let recipients = Recipients { user: public_key(&key(&[1; 32])), encryption: public_key(&key(&[2; 32])) };
    let secrets = Secrets { dek: [9; 32].into(), iv: [8; 12], user: drawn(5), encryption: drawn(6) };
    let sealed = envelope::seal(b"{}", &recipients, &secrets, &mut Strict).expect("points");
    let (ciphertext, tag) = aead::seal(&[9; 32], Nonce::Twelve([8; 12]), &[], b"{}");
    assert_eq!(sealed.envelope["ct"], encode(&ciphertext));
    assert_eq!(sealed.envelope["tag"], encode(&tag));
    let names: Vec<&String> = sealed.envelope.as_object().expect("an object").keys().collect();
    assert_eq!(names, ["v", "alg", "ct", "iv", "tag", "deks"]);
}
