//! A malformed record is noted and does not affect the others.

use assay_spec::Strict;
use assay_spec::hosting::record::{Record, listed};
use assay_spec::hosting::recovery::resolve;
use assay_spec::{Dialect, crypto::text::prefixed_hex};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::app::{App, DELEGATE, WALLET, address, key, recover, signed};

fn absent(_: &str, _: usize) -> (u16, Value) {
    (404, Value::Null)
}

#[test]
fn malformed_record_is_noted_and_the_others_are_read() {
    let mut app = App::new();
    let id = app.project(WALLET, "p");
    app.deploy(&id);
    let conforming = recover(&app.messages, 1, absent);
    let content = |body: Value| json!({"address": address(WALLET), "type": "svc-cloud-deployment", "content": body, "time": 9});
    let good = serde_json::from_str::<Value>(&app.messages[2]).unwrap()["content"]["content"].clone();
    let with = |pointer: &str, wrong: Value| {
        let mut body = good.clone();
        *body.pointer_mut(pointer).unwrap() = wrong;
        signed(DELEGATE, "POST", &content(body))
    };
    let bad = [
        with("/schemaVersion", 5.into()),
        with("/deploymentId", "deploy_".into()),
        with("/public/status", "x".repeat(70_000).into()),
        with("/public/createdAt", "soon".into()),
        signed(DELEGATE, "POST", &content(json!([1]))),
        app.messages[2].replace("\"runAttempt\":1", "\"runAttempt\":1,\"runAttempt\":2"),
        app.messages[2].replace("\"runAttempt\":1", "\"runAttempt\":9007199254740993"),
        app.messages[2].replace("\"runAttempt\":1", "\"runAttempt\":1e400"),
        app.messages[2][..200].to_owned(),
        signed(
            WALLET,
            "AGGREGATE",
            &json!({"address": address(WALLET), "key": "projects", "content": 7, "time": 9}),
        ),
        signed(
            WALLET,
            "AGGREGATE",
            &json!({"address": address(WALLET), "key": "projects", "content": {(id.clone()): 7}, "time": i64::MAX / 4096}),
        ),
    ];
    for text in bad {
        let all: Vec<&String> = app.messages.iter().chain([&text]).collect();
        let mut spoilt = recover(all, 1, absent);
        assert_eq!(spoilt.notes.len(), conforming.notes.len() + 1, "{text:.300} {:?}", spoilt.notes);
        let note = spoilt.notes.iter().find(|note| note.note.starts_with("malformed-")).expect("a note");
        assert!(!note.rule.is_empty() && !note.item_hash.is_empty(), "{note:?}");
        spoilt.notes.clone_from(&conforming.notes);
        assert_eq!(spoilt, conforming, "{text:.300}");
    }
}

#[test]
fn no_key_is_part_of_the_outcome() {
    let mut app = App::new();
    app.project(WALLET, "p");
    let shown =
        format!("{:?}{}", recover(&app.messages, 1, absent), json!(recover(&app.messages, 1, absent)));
    let secret = prefixed_hex(&key(WALLET).to_bytes());
    assert!(!shown.contains(&secret[2..]) && shown.contains("\"name\":\"p\""));
}

#[test]
fn a_chain_is_resolved_with_and_without_senders() {
    let mut app = App::new();
    let id = app.project(WALLET, "p");
    let (creation, created) = app.deploy(&id);
    let leaf = app.finish((&creation, &created), Some("s"), 1_900_000_000);
    let stranger: Value = serde_json::from_str(app.messages.last().unwrap()).unwrap();
    let mut content = stranger["content"].clone();
    content["time"] = 2_000_000_000.into();
    app.messages.push(signed(9, "POST", &content));
    let records: Vec<Record> =
        app.messages.iter().map(|text| Record::parse(text, &mut Strict).unwrap()).collect();
    let delegate = assay_spec::crypto::address::Address::from_key(&key(DELEGATE));
    let dialect = Dialect::default();
    let resolved = resolve(&creation, &records, Some(&[delegate]), &dialect, &mut Strict).unwrap();
    assert_eq!((resolved.leaf, resolved.store_ref.as_deref()), (leaf.clone(), Some("s")));
    assert_ne!(resolve(&creation, &records, None, &dialect, &mut Strict).unwrap().leaf, leaf);
    assert!(resolve("none", &records, None, &dialect, &mut Strict).is_err());
}

proptest! {
    #[test]
    fn no_string_panics(text in "[{}\\[\\]\":,a-d0-9 ]{0,60}") {
        let _ = Record::parse(&text, &mut Strict);
        let _ = listed(&text);
        let _ = recover([&text], 1, absent);
    }
}
