//! Same seed, epoch and inputs give the same bytes: in one process, after a restore, and in any other process.

use std::collections::BTreeSet;
use std::process::Command;

use crate::common::{Call, Client, Driver, PREPARE};
use assay_sim::journal::{Entry, Event};
use assay_sim::{Input, World};
use assay_spec::{Dialect, Instant};
use bytes::Bytes;
use serde_json::json;
use sha2::{Digest, Sha256};

/// The prefix of a fingerprint in a child's output.
const MARK: &str = "fingerprint=";

#[test]
fn same_seed_and_inputs_give_the_same_fingerprint() {
    let run = || {
        let mut driver = Driver::new(7);
        play(&mut driver);
        let journal = &driver.world.core.journal;
        (journal.fingerprint(), journal.count(), serde_json::to_string(&driver.view()).expect("JSON"))
    };
    assert_eq!(run(), run());
}

#[test]
fn another_seed_epoch_or_byte_gives_another_fingerprint() {
    let run = |seed, epoch_ms, call: &Call| {
        let mut driver = Driver::new(seed);
        driver.world = World::new(seed, Instant(driver.now().0 + epoch_ms), Dialect::default());
        play(&mut driver);
        driver.start(call);
        driver.world.core.journal.fingerprint()
    };
    let header = |value: &[u8]| vec![("x-any", value.to_vec())];
    let call = Call::new("POST", PREPARE, header(b"a"), b"{}".to_vec());
    let first = run(7, 0, &call);
    assert_eq!(first, run(7, 0, &call));
    let others = [
        run(8, 0, &call),
        run(7, 1, &call),
        run(7, 0, &Call { body: b"{} ".to_vec(), ..call.clone() }),
        run(7, 0, &Call { headers: header(b"b"), ..call.clone() }),
        run(7, 0, &Call { target: format!("{PREPARE}?"), ..call.clone() }),
        run(7, 0, &Call { method: "PUT".to_owned(), ..call.clone() }),
    ];
    for (n, other) in others.iter().enumerate() {
        assert_ne!(*other, first, "change {n}");
    }
}

#[test]
fn body_chunks_and_ticks_are_part_of_the_journal() {
    let run = |pieces: &[&'static [u8]], ticks: &[i64]| {
        let mut driver = Driver::new(7);
        let exchange =
            driver.begin(assay_sim::publish::SITES[0], &Call::new("POST", "/", Vec::new(), Vec::new()));
        for piece in pieces {
            driver.input(Input::Body(exchange, Bytes::from_static(piece)));
        }
        driver.input(Input::End(exchange));
        for ms in ticks {
            driver.advance(*ms);
        }
        driver.world.core.journal.fingerprint()
    };
    let whole = run(&[b"ab"], &[2]);
    assert_eq!(whole, run(&[b"ab"], &[2]));
    assert_ne!(whole, run(&[b"a", b"b"], &[2]));
    assert_ne!(whole, run(&[b"ab"], &[1, 1]));
}

#[test]
fn restored_world_continues_like_the_first() {
    let mut first = Driver::new(7);
    play(&mut first);
    // In the middle: a submit waits.
    let carol = Client::new(3, "c.example");
    first.bind(&carol);
    let prepared = first.prepare(&carol);
    first.start(&carol.submit(&prepared, None, first.now()));
    let snapshot = first.clone();

    play(&mut first);
    let mut second = snapshot.clone();
    let elsewhere = snapshot.world.core.journal.fingerprint();
    play(&mut second);
    assert_eq!(first.world.core.journal.fingerprint(), second.world.core.journal.fingerprint());
    assert_eq!(first.view(), second.view());
    assert_eq!(snapshot.world.core.journal.fingerprint(), elsewhere, "later inputs do not change the copy");
    assert_ne!(first.now(), snapshot.now());
}

#[test]
fn other_processes_in_other_places_agree() {
    let mut driver = Driver::new(7);
    play(&mut driver);
    let here = driver.world.core.journal.fingerprint();
    let places = [("Pacific/Kiritimati", "tr_TR.UTF-8", "/", "1"), ("America/St_Johns", "C", "/tmp", "4")];
    for (zone, language, folder, threads) in places {
        let output = Command::new(std::env::current_exe().expect("a test knows its program"))
            .args(["--exact", "determinism::a_child_prints_its_fingerprint", "--ignored", "--nocapture"])
            .current_dir(folder)
            .envs([("TZ", zone), ("LANG", language), ("LC_ALL", language), ("RUST_TEST_THREADS", threads)])
            .output()
            .expect("this program starts again");
        let said = String::from_utf8(output.stdout).expect("UTF-8");
        let there = said.split_once(MARK).and_then(|(_, rest)| rest.get(..64));
        assert_eq!(there, Some(here.as_str()), "in {zone}: {said}");
    }
}

#[test]
#[ignore = "run by `other_processes_in_other_places_agree` in separate processes"]
fn a_child_prints_its_fingerprint() {
    let mut driver = Driver::new(7);
    play(&mut driver);
    println!("{MARK}{}", driver.world.core.journal.fingerprint());
}

/// A bit of everything: valid and invalid calls of two domains, faults, a transfer, time.
fn play(driver: &mut Driver) {
    let (alice, bob) = (Client::new(1, "a.example"), Client::new(2, "b.example"));
    driver.bind(&alice);
    driver.bind(&bob);
    driver.set_faults(&json!([{ "fault": "publish.transaction-lost", "where": { "domain": "b.example" } }]));
    for client in [&alice, &bob] {
        let prepared = driver.prepare(client);
        driver.send(&client.publish(driver.now()));
        driver.send(&client.submit_signed(&prepared.id, "AA==", None, driver.now()));
        driver.submit(client, &prepared, None);
    }
    let heir = Client::new(4, "a.example");
    let transfer = driver.send(&alice.transfer(&heir, driver.now()));
    driver.submit(&alice, &crate::common::Prepared::read(&transfer), None);
    let accept = driver.prepare_of(&heir, &json!({ "op": "accept" }));
    driver.submit(&heir, &accept, Some("accept"));
    driver.perform("publish.confirm-transfer", &json!({ "domain": "a.example" }));
    driver.send(&alice.publish(driver.now()));
    driver.rpc("getLatestBlockhash", &json!([]));
    driver.advance(3_600_000);
}

/// The fingerprint, computed again from the entries: SHA-256 over time, exchange and each part with its length.
#[test]
fn fingerprint_is_the_hash_of_the_entries() {
    let mut driver = Driver::new(7);
    let client = Client::new(1, "a.example");
    driver.bind(&client);
    let prepared = driver.prepare(&client);
    driver.submit(&client, &prepared, None);
    driver.rpc("getHealth", &json!([]));
    let long = vec![b'x'; 9_000];
    driver.start(&Call::new("POST", PREPARE, vec![("x-any", vec![0xe9]), ("x-any", b"b".to_vec())], long));
    let journal = &driver.world.core.journal;
    let entries: Vec<Entry> = journal.entries().map(|(_, entry)| entry).collect();
    assert_eq!(entries.len() as u64, journal.count(), "nothing has left the ring");
    let mut hash = Sha256::new();
    for Entry { at, exchange, event, .. } in &entries {
        hash.update(at.0.to_be_bytes());
        hash.update(exchange.to_be_bytes());
        for part in parts(event) {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
    }
    assert_eq!(assay_spec::crypto::text::hex(&hash.finalize()), journal.fingerprint());
    let kinds: BTreeSet<Vec<u8>> = entries.iter().map(|entry| parts(&entry.event).swap_remove(0)).collect();
    assert!(kinds.len() > 6, "events of many kinds: {kinds:?}");
}

fn parts(event: &Event) -> Vec<Vec<u8>> {
    let text = |text: &str| text.as_bytes().to_vec();
    let pairs = |headers: &http::HeaderMap| -> Vec<Vec<u8>> {
        headers.iter().flat_map(|(name, value)| [text(name.as_str()), value.as_bytes().to_vec()]).collect()
    };
    match event {
        Event::Head(line, headers) => [vec![text("head"), text(line)], pairs(headers)].concat(),
        Event::ReplyHead(status, headers) => {
            [vec![text("reply"), status.to_be_bytes().to_vec()], pairs(headers)].concat()
        }
        Event::Body(bytes) => vec![text("body"), bytes.to_vec()],
        Event::Frame(bytes) => vec![text("frame"), bytes.to_vec()],
        Event::Control(what) => vec![text("control"), text(what)],
        Event::End => vec![text("end")],
        Event::Abort => vec![text("abort")],
        Event::Tick => vec![text("tick")],
        Event::ReplyEnd => vec![text("reply-end")],
        Event::Cut => vec![text("cut")],
        Event::Outgoing(..) | Event::Incoming(..) => unreachable!("this script sends no requests of its own"),
    }
}
