//! A seed history: every kind of record, each valid under the rules for records.

use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::{SigningKey, key_from_secret};
use assay_spec::crypto::text::{parse_prefixed_hex, sha256_hex};
use assay_spec::hosting::envelope::{self, Keys, Outcome, Reader};
use assay_spec::hosting::key_e::{self, Sentences};
use assay_spec::hosting::{bundle, project};
use assay_spec::{Dialect, Strict};
use serde_json::{Value, json};

use crate::common::drop::get;
use crate::hosting::actor::{Actor, is_signed, text};

fn key(value: &Value) -> SigningKey {
    let bytes = parse_prefixed_hex(&text(value)).expect("hexadecimal");
    key_from_secret(&bytes.try_into().expect("32 bytes")).expect("a key")
}

fn seeded() -> (Actor, Value) {
    let mut actor = Actor::new(1);
    let seed_history = actor.perform("seed-history", &json!({}));
    (actor, seed_history)
}

#[test]
fn every_record_is_written_and_accepted() {
    let (mut actor, seed_history) = seeded();
    actor.assert_settled();
    let kinds: Vec<String> =
        actor.statuses().into_iter().map(|(kind, status)| format!("{kind} {status}")).collect();
    let count = |wanted: &str| kinds.iter().filter(|kind| *kind == wanted).count();
    let expected = [
        ("security processed", 1),
        ("projects processed", 8),
        ("instance processed", 2),
        ("claim processed", 3),
        ("creation processed", 8),
        ("terminal processed", 8),
        ("store processed", 3),
        ("store forgotten", 2),
        ("store removed", 1),
        ("legacy processed", 2),
        ("forget processed", 1),
    ];
    for (kind, times) in expected {
        assert_eq!(count(kind), times, "{kind}: {kinds:?}");
    }
    assert_eq!(kinds.len(), expected.iter().map(|(_, times)| times).sum::<usize>());
    assert_eq!(seed_history["deployments"].as_array().map(Vec::len), Some(8));
}

#[test]
fn every_record_is_signed_by_its_sender_over_the_canonical_json() {
    let (mut actor, seed_history) = seeded();
    for kind in ["security", "projects", "creation", "terminal", "legacy", "claim", "forget"] {
        let shown = actor.shown(kind);
        assert!(!shown.is_empty(), "{kind}");
        for message in shown {
            assert!(is_signed(&message), "{kind}: {message}");
            assert_eq!(message["channel"], "SVC_CHANNEL_V1");
            let sender = match kind {
                "creation" | "terminal" | "legacy" | "forget" => vec![&seed_history["delegate"]],
                "security" => vec![&seed_history["owner"]],
                "projects" => vec![&seed_history["owner"], &seed_history["session"]],
                _ => vec![&message["content"]["address"]],
            };
            assert!(sender.contains(&&message["sender"]), "{kind}: {message}");
            assert_eq!(message["content"]["time"], message["timestamp"]);
        }
    }
    let senders: Vec<Value> = actor.shown("projects").into_iter().map(|one| one["sender"].clone()).collect();
    assert_eq!(senders.iter().filter(|sender| **sender == seed_history["session"]).count(), 1);
}

#[test]
fn the_map_is_complete_and_contains_the_tombstone() {
    let (mut actor, seed_history) = seeded();
    let map = actor.aggregate(&text(&seed_history["owner"]), "projects");
    let ids: Vec<String> = seed_history["projects"].as_array().expect("ids").iter().map(text).collect();
    assert_eq!(map.as_object().map(serde_json::Map::len), Some(4));
    for id in &ids {
        project::judge_entry(id, &map[id], &mut Strict).expect("a valid entry");
    }
    let [first, second, third, fourth] = &ids[..] else { panic!("four projects") };
    assert_eq!(map[third]["public"]["deleted"], true);
    assert_eq!(map[fourth]["public"]["deleted"], true);
    assert_eq!(
        map[third]["encrypted"],
        json!({ "v": "", "alg": "", "ct": "", "iv": "", "tag": "", "deks": { "user": "", "encryption": "" } })
    );
    assert_eq!(map[second]["public"]["deployTarget"], "instance");
    let maps = actor.shown("projects");
    let sizes: Vec<usize> = maps
        .iter()
        .filter_map(|one| one["content"]["content"].as_object())
        .map(serde_json::Map::len)
        .collect();
    assert_eq!(sizes, [1, 2, 3, 3, 3, 3, 4, 4]);
    let times: Vec<i64> = maps.iter().filter_map(|one| one["content"]["time"].as_i64()).collect();
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    assert!(map[first]["public"]["updatedAt"].as_str() > map[first]["public"]["createdAt"].as_str());
}

#[test]
fn the_wallet_and_the_derived_key_decrypt_everything_that_is_not_deleted() {
    let (mut actor, seed_history) = seeded();
    let wallet = key(&seed_history["wallet_key"]);
    let owner = Address::from_key(&wallet);
    let derived = key_e::of_wallet(
        &wallet,
        &key_e::message(&Dialect::default(), &Sentences::default(), owner),
        &mut Strict,
    );
    let derived = derived.expect("a key");
    let security = actor.aggregate(&text(&seed_history["owner"]), "security");
    assert_eq!(security["encryptionKey"]["pubkey"], derived.public_text);
    let both = [
        Keys { wallet: Some(wallet), encryption: None },
        Keys { wallet: None, encryption: Some(derived.key.clone()) },
    ];
    let mut envelopes: Vec<Value> = Vec::new();
    for kind in ["creation", "terminal"] {
        envelopes
            .extend(actor.shown(kind).into_iter().map(|one| one["content"]["content"]["encrypted"].clone()));
    }
    let map = actor.aggregate(&text(&seed_history["owner"]), "projects");
    envelopes.extend(
        map.as_object()
            .expect("a map")
            .values()
            .filter(|one| one["public"]["deleted"] == false)
            .map(|one| one["encrypted"].clone()),
    );
    assert_eq!(envelopes.len(), 18);
    for one in &envelopes {
        envelope::check_written(one, &mut Strict).expect("a valid envelope");
        for keys in &both {
            let opened = envelope::open(one, Reader::recovery(), keys, &mut Strict).expect("an envelope");
            assert!(matches!(opened, Outcome::Opened(_)), "{one}");
        }
    }
    let mut ivs: Vec<&Value> = envelopes.iter().map(|one| &one["iv"]).collect();
    ivs.sort_by_key(ToString::to_string);
    ivs.dedup();
    assert_eq!(ivs.len(), envelopes.len(), "no IV is used twice");
    let versions: Vec<Value> = actor
        .shown("legacy")
        .into_iter()
        .map(|one| one["content"]["content"]["encrypted"]["v"].clone())
        .collect();
    assert_eq!(versions, [json!(2), json!(1)]);
}

#[test]
fn each_machine_decrypts_the_bundles_of_its_time() {
    let (mut actor, seed_history) = seeded();
    let records = actor.records();
    let machines = records["machines"].as_array().expect("machines").clone();
    let terminal = actor.shown("terminal");
    let bundles: Vec<&Value> = terminal
        .iter()
        .map(|one| &one["content"]["content"]["public"])
        .filter(|public| public["bundleHash"].is_string())
        .collect();
    assert_eq!(bundles.len(), 2);
    for (public, machine) in bundles.into_iter().zip(seed_history["machines"].as_array().expect("two")) {
        let store = actor.driver.wrapper(&text(&public["storeRef"]));
        let cid = text(&store["message"]["content"]["item_hash"]);
        let file = actor.driver.net(&get(&format!("/api/v0/storage/raw/{cid}"))).body;
        assert_eq!(sha256_hex(&file), text(&public["bundleHash"]));
        let known = machines.iter().find(|one| one["address"] == *machine).expect("a machine");
        let opened = bundle::open(
            &Dialect::default(),
            &file,
            &text(&public["bundleHash"]),
            bundle::Key::Vm(&key(&known["key"])),
            &mut Strict,
        );
        assert!(opened.is_ok());
        let claims = actor.shown("claim");
        let claim = claims.iter().find(|one| one["sender"] == *machine).expect("a claim");
        assert_eq!(claim["content"]["content"]["instanceHash"], known["instance"]);
    }
}

#[test]
fn a_seed_history_is_written_once_per_key() {
    let (mut actor, seed_history) = seeded();
    let written = actor.view()["written"].clone();
    assert_eq!(actor.perform("seed-history", &json!({})), seed_history);
    assert_eq!(actor.view()["written"], written);
    let key = format!("0x{}", "07".repeat(32));
    let other = actor.perform("seed-history", &json!({ "wallet_key": key }));
    assert_eq!(other["wallet_key"], key);
    assert_ne!(other["owner"], seed_history["owner"]);
    assert!(
        actor.try_perform("seed-history", &json!({ "wallet_key": key })).is_err(),
        "it already has a history"
    );
    actor.assert_settled();
}

#[test]
fn the_application_is_not_rate_limited() {
    let mut actor = Actor { driver: crate::common::Driver::new(1) };
    let narrow = json!({ "general_per_window": 1, "authenticated_per_window": 1 });
    actor.driver.set_network_limits(&narrow);
    actor.perform("seed-history", &json!({}));
    actor.assert_settled();
}
