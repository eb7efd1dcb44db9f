//! Recovering an owner's history of deployments with two signed messages each, compared with the signatures alone, and with all
//! operations with keys.

use std::hint::black_box;
use std::thread;

use assay_spec::crypto::address::Address;
use assay_spec::crypto::aead::Nonce;
use assay_spec::crypto::ecies::NonceLength;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret, public_key, sign};
use assay_spec::crypto::text::{prefixed_hex, sha256_hex};
use assay_spec::hosting::deployment::{self, Deployment, Plaintext, Public, Status};
use assay_spec::hosting::envelope::{self, Keys, Recipients, Role, Secrets};
use assay_spec::hosting::recovery::{Reader, Recovery};
use assay_spec::hosting::security::{Authorization, EncryptionKey, Security};
use assay_spec::hosting::wrapping::{self, Ephemeral};
use assay_spec::hosting::{identifier, record, security};
use assay_spec::{Dialect, Strict};
use serde_json::{Map, Value, json};

use super::{Effort, compare, print_head, print_row, seconds_each};

const START: i64 = 1_770_000_000;
const ISO: &str = "2026-02-02T02:40:00Z";
const WALLET: u8 = 1;
const DELEGATE: u8 = 2;
const ENCRYPTION: u8 = 3;

fn key(fill: u8) -> SigningKey {
    key_from_secret(&[fill; 32]).expect("a scalar")
}

fn address(fill: u8) -> Address {
    Address::from_key(&key(fill))
}

/// A message as a node returns it, and its hash.
fn message(signer: u8, kind: &str, content: &Value) -> (String, String) {
    let hash = sha256_hex(content.to_string().as_bytes());
    let mut message = json!({
        "item_hash": hash, "chain": "ETH", "sender": address(signer).to_string(), "type": kind,
        "channel": Dialect::default().records_channel, "timestamp": content["time"], "content": content,
    });
    message["signature"] =
        record::sign(&key(signer), &message.to_string(), &mut Strict).expect("a canonical message").into();
    (message.to_string(), hash)
}

/// The encrypted part of every record. It can be shared: only reading is measured, and each record is opened
/// separately.
fn sealed() -> Map<String, Value> {
    let ephemeral = |fill| Ephemeral { key: key(fill), nonce: Nonce::Sixteen([fill; 16]) };
    let recipients = Recipients { user: public_key(&key(WALLET)), encryption: public_key(&key(ENCRYPTION)) };
    let secrets = Secrets { dek: [9; 32].into(), iv: [8; 12], user: ephemeral(5), encryption: ephemeral(6) };
    let plaintext = Plaintext::default().to_json().to_string();
    let sealed = envelope::seal(plaintext.as_bytes(), &recipients, &secrets, &mut Strict).expect("points");
    sealed.envelope.as_object().expect("an object").clone()
}

/// The owner's `security` record, and both records of every deployment.
pub fn history(deployments: u64) -> Vec<String> {
    let (dialect, owner) = (Dialect::default(), address(WALLET).to_string());
    let held = Security {
        authorizations: vec![Authorization::delegate(&dialect, address(DELEGATE))],
        encryption_key: Some(EncryptionKey {
            pubkey: prefixed_hex(&public_key(&key(ENCRYPTION))),
            registered_at: ISO.to_owned(),
        }),
    };
    let mut messages = vec![message(WALLET, "AGGREGATE", &security::content(&owner, &held, START)).0];
    let encrypted = sealed();
    for n in 0..deployments {
        let time = START + 2 * n as i64;
        let [_, _, _, _, _, a, b, c] = n.to_be_bytes();
        let created = Deployment {
            deployment_id: identifier::deployment([a, b, c, 0, 0, 0, 0, 0, 0]),
            project_id: identifier::project([0; 9]),
            schema: Some(deployment::SCHEMA),
            public: Public {
                status: Status::Queued,
                store_ref: None,
                url: None,
                run_id: Some(n.into()),
                run_attempt: Some(1.into()),
                created_at: ISO.to_owned(),
                finished_at: None,
                bundle_hash: None,
                cid: None,
            },
            encrypted: Some(encrypted.clone()),
        };
        let creation = deployment::creation(&dialect, &owner, &created, time);
        let (text, hash) = message(DELEGATE, "POST", &creation);
        messages.push(text);
        let store = sha256_hex(&n.to_be_bytes());
        let ended = deployment::terminal_of(&created, Some(&store), None, ISO, encrypted.clone());
        messages.push(message(DELEGATE, "POST", &deployment::amend(&owner, &hash, &ended, time + 1)).0);
    }
    messages
}

/// Recovers them. Every STORE is live.
pub fn recover(messages: &[String], keys: &Keys) -> Recovery {
    let mut reader = Reader::new(address(WALLET), Dialect::default(), Role::RecoveryTool, 1);
    for message in messages {
        reader.message(message, &mut Strict);
    }
    loop {
        let needs = reader.needs(&mut Strict);
        if needs.is_empty() {
            return reader.finish(keys, &mut Strict);
        }
        for lookup in needs {
            let body = json!({
                "status": "processed", "item_hash": lookup.hash,
                "message": {"type": "STORE", "content": {"item_hash": lookup.hash}},
            });
            reader.answer(&lookup, 200, Some(&body), &mut Strict);
        }
    }
}

/// The key of the wallet.
pub fn wallet() -> Keys {
    Keys { wallet: Some(key(WALLET)), ..Keys::default() }
}

/// Recovers the signer of this many messages, and nothing else; returns how many have one.
pub fn recover_signers(messages: usize) -> usize {
    let signed = sign(&key(DELEGATE), &[7; 32]);
    (0..messages).filter(|_| black_box(signed).recover(&[7; 32]).is_some()).count()
}

/// The operations with keys that this many deployments need, on all cores: two signers, and one wrapped key.
fn use_keys(deployments: usize) {
    let reader = key(WALLET);
    let ephemeral = Ephemeral { key: key(5), nonce: Nonce::Sixteen([5; 16]) };
    let wrapped =
        wrapping::wrap(&public_key(&reader), &ephemeral, &[9; 32], &mut Strict).expect("a point").bytes;
    let open = || wrapping::unwrap(&reader, black_box(&wrapped), NonceLength::Sixteen, &mut Strict).is_ok();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let each = deployments.div_ceil(cores);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                assert_eq!(recover_signers(2 * each), 2 * each);
                assert!((0..each).all(|_| open()));
            });
        }
    });
}

/// Prints the ratios.
pub fn print(effort: Effort) {
    let deployments = 1_000;
    println!("\nRecovery of {deployments} deployments\n");
    print_head();
    let (messages, wallet) = (history(deployments), wallet());
    let signers = || assert_eq!(recover_signers(messages.len()), messages.len());
    let [to_signatures, to_keys] = compare(
        effort.rounds(),
        &mut || seconds_each(1, || drop(recover(&messages, &wallet))),
        [&mut || seconds_each(1, signers), &mut || seconds_each(1, || use_keys(deployments as usize))],
    );
    print_row("recovery of an owner's history", "its signatures alone, on one core", &to_signatures);
    print_row("recovery of an owner's history", "its operations with keys, on all cores", &to_keys);
}
