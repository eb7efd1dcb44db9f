//! The lifecycle of files and of the messages that keep them: payment, removal, FORGET, to the millisecond.

use assay_sim::network::sites::{ALTERNATIVE, MIRROR, PRIMARY};
use assay_spec::instant::{HOUR, MINUTE};
use serde_json::{Value, json};

use crate::common::drop::get;
use crate::common::net::{MESSAGES, STORAGE, Uploaded, Wallet, message, refused};
use crate::common::{Driver, body_of, show};

fn world() -> (Driver, Wallet) {
    (Driver::unhurried(1), Wallet::new(1))
}

fn broke(driver: &mut Driver, wallet: &Wallet) {
    driver.perform("network.balance", &json!({ "address": wallet.address, "credits": 0 }));
}

fn file_of(driver: &mut Driver, hash: &str) -> (u16, Vec<u8>, String) {
    let reply = driver.net(&get(&format!("/api/v0/storage/{hash}")));
    let content_type = reply.headers["content-type"].to_str().expect("text").to_owned();
    (reply.status, reply.body.to_vec(), content_type)
}

#[test]
fn a_file_is_returned_under_both_of_its_hashes() {
    let (mut driver, wallet) = world();
    for (content_type, bytes) in
        [("text/html; charset=utf-8", &b"<p>"[..]), ("x/y", b""), ("text/plain", &[0xff].repeat(300_000))]
    {
        let reply = driver.net(&wallet.upload(bytes, content_type));
        assert_eq!(reply.status, 200, "{}", show(&reply));
        assert_eq!(body_of(&reply)["status"], "success");
        let hash = body_of(&reply)["item_hash"].as_str().expect("a hash").to_owned();
        let answer = driver.wrapper(&hash);
        let content = &answer["message"]["content"];
        assert_eq!((&answer["message"]["type"], &content["size"]), (&json!("STORE"), &json!(bytes.len())));
        for name in [&hash, content["item_hash"].as_str().expect("a file")] {
            assert_eq!(file_of(&mut driver, name), (200, bytes.to_vec(), content_type.to_owned()));
            let raw = driver.net(&get(&format!("/api/v0/storage/raw/{name}")));
            assert_eq!((raw.status, &raw.body[..]), (200, bytes));
        }
    }
    for path in
        ["/api/v0/storage/raw/none", "/api/v0/storage/..%2f..%2fetc%2fpasswd", "/api/v0/storage/%2e%2e"]
    {
        assert_eq!(refused(&driver.net(&get(path))), 404);
    }
}

#[test]
fn file_cids_equal_those_of_other_tools() {
    let (mut driver, wallet) = world();
    // `ipfs add --cid-version 1 --only-hash`
    let one = driver.store_file(&wallet, b"hello\n");
    assert_eq!(one.cid, "bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am");
    let empty = driver.store_file(&wallet, b"");
    assert_eq!(empty.cid, "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku");
}

#[test]
fn form_fields_of_an_upload_appear_in_its_message() {
    let (mut driver, wallet) = world();
    let form = wallet.form(b"f", "a/b").field("channel", b"MINE").field("tags", b"x, y,,").call_to(STORAGE);
    let hash = body_of(&driver.net(&form))["item_hash"].as_str().expect("a hash").to_owned();
    let record = driver.wrapper(&hash)["message"].clone();
    assert_eq!((&record["channel"], &record["sender"]), (&json!("MINE"), &json!(wallet.address)));
    assert_eq!(record["content"]["tags"], json!(["x", "y"]));
    assert_eq!(driver.hashes_of(&format!("{MESSAGES}?tags=y"), 20), [hash]);
    let plain = driver.store_file(&wallet, b"g");
    assert_eq!(driver.wrapper(&plain.hash)["message"]["channel"], "SVC");
}

#[test]
fn signature_of_another_file_is_rejected_and_stores_nothing() {
    let (mut driver, wallet) = world();
    let mut other = wallet.upload(b"other", "text/plain");
    let at = other.body.windows(5).position(|part| part == b"other").expect("the file");
    other.body[at] = b'O';
    assert_eq!(refused(&driver.net(&other)), 403);
    let unsigned = crate::common::drop::Form::default()
        .field("file", b"f")
        .field("address", wallet.address.as_bytes())
        .call_to(STORAGE);
    assert_eq!(refused(&driver.net(&unsigned)), 401);
    assert_eq!((&driver.network()["messages"], &driver.network()["files"]), (&json!(0), &json!(0)));
}

#[test]
fn a_store_is_removed_exactly_when_the_grace_period_ends() {
    let (mut driver, wallet) = world();
    let Uploaded { hash, cid } = driver.store_file(&wallet, b"file");
    broke(&mut driver, &wallet);
    driver.advance(HOUR - 1);
    assert_eq!(driver.status_of(&hash), "processed");
    driver.advance(1);
    let removing = driver.wrapper(&hash);
    assert_eq!(removing["status"], "removing");
    assert_eq!(removing["message"]["content"]["item_hash"], cid, "it is complete");
    driver.advance(24 * HOUR - 1);
    assert_eq!((driver.status_of(&hash).as_str(), driver.file_status(PRIMARY, &cid)), ("removing", 200));
    driver.advance(1);
    let removed = driver.wrapper(&hash);
    assert_eq!(removed["status"], "removed");
    let expected = json!([driver.now().seconds(), 4, "balance"]);
    assert_eq!(json!([removed["removed_at"], removed["size"], removed["reason"]]), expected);
    assert_eq!((driver.file_status(PRIMARY, &cid), driver.file_status(MIRROR, &hash)), (404, 404));
    assert_eq!(driver.network()["files"], 0);
    driver.apply_variations(&["network.gone"]);
    assert_eq!(refused(&driver.net(&get(&format!("{MESSAGES}/{hash}")))), 410);
    driver.apply_variations(&["network.removed-nested"]);
    assert_eq!(driver.wrapper(&hash)["message"]["size"], 4);
}

#[test]
fn paying_in_time_keeps_the_file() {
    let (mut driver, wallet) = world();
    let one = driver.store_file(&wallet, b"one");
    let two = driver.store_file(&wallet, b"two");
    // Two files cost two credits per hour, so this is enough for two hours.
    driver.perform("network.balance", &json!({ "address": wallet.address.to_lowercase(), "credits": 5 }));
    driver.advance(3 * HOUR - 1);
    assert_eq!(driver.network()["balances"][wallet.address.to_lowercase()], 1);
    assert_eq!(driver.status_of(&one.hash), "processed");
    driver.advance(1);
    assert_eq!(driver.status_of(&two.hash), "removing");
    driver.advance(HOUR);
    driver.perform("network.balance", &json!({ "address": wallet.address, "credits": 1 }));
    assert_eq!(driver.status_of(&one.hash), "removing", "one credit does not pay for two files");
    driver.perform("network.balance", &json!({ "address": wallet.address, "credits": null }));
    assert_eq!(driver.status_of(&one.hash), "processed");
    driver.advance(48 * HOUR);
    assert_eq!(
        (driver.status_of(&two.hash).as_str(), driver.file_status(PRIMARY, &two.cid)),
        ("processed", 200)
    );
    // The first grace period is forgotten, and a second one lasts as long.
    driver.perform("network.reclaim", &json!({ "hash": one.hash }));
    driver.advance(24 * HOUR - 1);
    assert_eq!(driver.status_of(&one.hash), "removing");
    driver.advance(1);
    assert_eq!(driver.status_of(&one.hash), "removed");
}

#[test]
fn only_live_files_are_paid_for() {
    let (mut driver, wallet) = world();
    let files = [b"one", b"two", b"six"].map(|bytes| driver.store_file(&wallet, bytes).hash);
    driver.forget(&wallet, &[&files[0]]);
    driver.perform("network.reclaim", &json!({ "hash": files[1] }));
    driver.advance(24 * HOUR);
    driver.perform("network.reclaim", &json!({ "hash": files[2] }));
    assert_eq!(files.each_ref().map(|hash| driver.status_of(hash)), ["forgotten", "removed", "removing"]);
    driver.perform("network.balance", &json!({ "address": wallet.address, "credits": 1 }));
    assert_eq!(files.each_ref().map(|hash| driver.status_of(hash)), ["forgotten", "removed", "processed"]);
    driver.advance(HOUR);
    assert_eq!(driver.network()["balances"][wallet.address.to_lowercase()], 0);
}

#[test]
fn a_sender_without_authority_cannot_make_another_address_pay() {
    let (mut driver, wallet) = world();
    let own = driver.store_file(&wallet, b"file");
    let content = json!({ "address": wallet.address, "item_hash": own.cid });
    let sent = message(&driver, "STORE", &content);
    let foreign = driver.take_message(&Wallet::new(2), &sent);
    broke(&mut driver, &wallet);
    driver.advance(HOUR);
    assert_eq!(
        (driver.status_of(&own.hash), driver.status_of(&foreign)),
        ("removing".into(), "processed".into())
    );
}

#[test]
fn a_file_stays_while_another_message_keeps_it() {
    let (mut driver, wallet) = world();
    let other = Wallet::new(2);
    let first = driver.store_file(&wallet, b"shared");
    let second = driver.store_file(&other, b"shared");
    assert_eq!(first.cid, second.cid);
    driver.forget(&wallet, &[&first.hash]);
    driver.advance(49 * HOUR);
    assert_eq!(
        (driver.status_of(&first.hash).as_str(), driver.file_status(PRIMARY, &second.cid)),
        ("forgotten", 200)
    );
    driver.perform("network.reclaim", &json!({ "hash": second.hash }));
    driver.advance(24 * HOUR);
    assert_eq!(driver.file_status(PRIMARY, &second.cid), 404);
}

#[test]
fn forgotten_bytes_leave_every_node_after_one_to_two_days() {
    let (mut driver, wallet) = world();
    let nodes = [PRIMARY, ALTERNATIVE, MIRROR];
    let files: Vec<Uploaded> =
        (0..20).map(|n| driver.store_file(&wallet, format!("file {n}").as_bytes())).collect();
    let hashes: Vec<&str> = files.iter().map(|file| file.hash.as_str()).collect();
    driver.forget(&wallet, &hashes);
    driver.advance(24 * HOUR - 1);
    let there = |driver: &mut Driver| -> usize {
        let all = files.iter().flat_map(|file| nodes.map(|node| (node, file.cid.clone())));
        all.filter(|(node, cid)| driver.file_status(*node, cid) == 200).count()
    };
    assert_eq!(there(&mut driver), 60, "no file left early");
    driver.advance(12 * HOUR + 1);
    let half = there(&mut driver);
    assert!((10..50).contains(&half), "{half} of 60 at half time");
    driver.advance(12 * HOUR + 1);
    assert_eq!(there(&mut driver), 0, "no file is left");
    assert_eq!(driver.network()["files"], 0);
    assert_eq!(driver.status_of(hashes[0]), "forgotten");
}

#[test]
fn a_file_that_is_uploaded_again_stays() {
    let (mut driver, wallet) = world();
    let first = driver.store_file(&wallet, b"again");
    driver.forget(&wallet, &[&first.hash]);
    driver.advance(12 * HOUR);
    let second = driver.store_file(&wallet, b"again");
    assert_eq!(second.cid, first.cid);
    assert_ne!(second.hash, first.hash);
    driver.advance(72 * HOUR);
    assert_eq!(driver.file_status(PRIMARY, &second.cid), 200);
}

#[test]
fn a_forgotten_message_is_returned_without_its_content() {
    let (mut driver, wallet) = world();
    let file = driver.store_file(&wallet, b"file");
    let note = json!({ "type": "note", "storeRef": file.hash });
    let sent = message(&driver, "POST", &note);
    let post = driver.take_message(&wallet, &sent);
    let forget = driver.forget(&wallet, &[&file.hash, &file.hash]);
    let answer = driver.wrapper(&file.hash);
    assert_eq!((&answer["status"], &answer["message"]["content"]), (&json!("forgotten"), &Value::Null));
    assert_eq!(answer["message"]["sender"], wallet.address);
    assert_eq!(driver.status_of(&forget), "processed");
    assert_eq!(driver.wrapper(&post)["message"]["content"], note, "a POST stays readable");
    assert_eq!(driver.hashes_of(MESSAGES, 20).len(), 3, "no message is removed from the lists");
    driver.apply_variations(&["network.stripped-empty"]);
    assert_eq!(driver.wrapper(&file.hash)["message"]["content"], json!({}));
}

#[test]
fn one_invalid_target_fails_the_batch_after_all_retries() {
    let (mut driver, wallet) = world();
    let good = driver.store_file(&wallet, b"good");
    let removing = driver.store_file(&wallet, b"removing");
    let removed = driver.store_file(&wallet, b"removed");
    driver.perform("network.reclaim", &json!({ "hash": removed.hash }));
    driver.advance(24 * HOUR);
    driver.perform("network.reclaim", &json!({ "hash": removing.hash }));
    let no_file = message(&driver, "STORE", &json!({ "address": wallet.address, "item_hash": "bafynone" }));
    let rejected = driver.take_message(&wallet, &no_file);
    assert_eq!(driver.status_of(&rejected), "rejected");
    let unknown = "0".repeat(64);
    for bad in [&unknown, &removed.hash, &rejected, "no hash at all"] {
        let forget = driver.forget(&wallet, &[&good.hash, bad, &removing.hash]);
        driver.advance(5 * 10 * MINUTE - 1);
        assert_eq!(driver.status_of(&forget), "pending", "{bad}");
        driver.advance(1);
        assert_eq!(driver.status_of(&forget), "rejected", "{bad}");
        assert_eq!(
            (driver.status_of(&good.hash), driver.status_of(&removing.hash)),
            ("processed".into(), "removing".into())
        );
    }
    driver.forget(&wallet, &[&good.hash, &removing.hash]);
    assert_eq!(
        (driver.status_of(&good.hash), driver.status_of(&removing.hash)),
        ("forgotten".into(), "forgotten".into())
    );
    // An already forgotten target is accepted, and removal no longer affects it.
    let forget = driver.forget(&wallet, &[&good.hash]);
    driver.advance(24 * HOUR);
    assert_eq!(
        (driver.status_of(&forget), driver.status_of(&removing.hash)),
        ("processed".into(), "forgotten".into())
    );
}

#[test]
fn a_batch_is_applied_at_the_first_retry_with_valid_targets() {
    let (mut driver, wallet) = world();
    let good = driver.store_file(&wallet, b"good");
    driver.set_faults(&json!([{ "fault": "network.processing-held", "where": { "type": "STORE" } }]));
    let held = driver.store_file(&wallet, b"held");
    assert_eq!(driver.status_of(&held.hash), "pending");
    let forget = driver.forget(&wallet, &[&good.hash, &held.hash]);
    driver.advance(3 * 10 * MINUTE);
    assert_eq!(
        (driver.status_of(&forget), driver.status_of(&good.hash)),
        ("pending".into(), "processed".into())
    );
    driver.set_faults(&json!([]));
    assert_eq!(driver.status_of(&held.hash), "processed");
    driver.advance(10 * MINUTE - 1);
    assert_eq!(driver.status_of(&good.hash), "processed");
    driver.advance(1);
    for hash in [&good.hash, &held.hash] {
        assert_eq!(driver.status_of(hash), "forgotten");
    }
    assert_eq!(driver.status_of(&forget), "processed");
}

#[test]
fn only_owners_and_authorized_signers_may_forget() {
    let (mut driver, wallet) = world();
    let (stranger, delegate) = (Wallet::new(2), Wallet::new(3));
    let file = driver.store_file(&wallet, b"file");
    let note = message(&driver, "POST", &json!({ "n": 1 }));
    let post = driver.take_message(&stranger, &note);
    for hashes in [&[file.hash.as_str()][..], &[&post], &[&file.hash, &post]] {
        let forget = driver.forget(&stranger, hashes);
        assert_eq!(driver.status_of(&forget), "rejected");
    }
    let in_name_of_wallet = |driver: &mut Driver| {
        let time = driver.now().seconds();
        let content = json!({ "address": wallet.address, "hashes": [file.hash], "time": time });
        let sent = message(driver, "FORGET", &content);
        let hash = driver.take_message(&delegate, &sent);
        driver.advance(1000);
        driver.status_of(&hash)
    };
    assert_eq!(in_name_of_wallet(&mut driver), "rejected");
    let authorize = |driver: &mut Driver, types: Value| {
        let entry =
            json!({ "address": delegate.address.to_lowercase(), "types": types, "channels": ["TEST"] });
        let content = json!({
            "address": wallet.address, "key": "security", "content": { "authorizations": [entry] },
            "time": driver.now().seconds(),
        });
        let sent = message(driver, "AGGREGATE", &content);
        driver.take_message(&wallet, &sent);
    };
    authorize(&mut driver, json!(["POST", "AGGREGATE"]));
    assert_eq!(in_name_of_wallet(&mut driver), "rejected", "a session key may not forget");
    authorize(&mut driver, json!(["POST", "FORGET"]));
    assert_eq!(in_name_of_wallet(&mut driver), "processed");
    assert_eq!(driver.status_of(&file.hash), "forgotten");
}

#[test]
fn messages_are_validated_after_the_configured_delay() {
    let (mut driver, wallet) = world();
    driver.set_network_limits(&json!({ "processing_ms": 500 }));
    let file = driver.store_file(&wallet, b"file");
    driver.set_faults(&json!([{ "fault": "network.invalid", "where": { "address": Wallet::new(2).address.to_lowercase() } }]));
    let bad = driver.store_file(&Wallet::new(2), b"bad");
    driver.advance(499);
    assert_eq!(
        (driver.status_of(&file.hash), driver.status_of(&bad.hash)),
        ("pending".into(), "pending".into())
    );
    driver.advance(1);
    assert_eq!(
        (driver.status_of(&file.hash), driver.status_of(&bad.hash)),
        ("processed".into(), "rejected".into())
    );
    driver.advance(48 * HOUR);
    assert_eq!((driver.file_status(PRIMARY, &file.cid), driver.file_status(PRIMARY, &bad.cid)), (200, 404));
}

#[test]
fn errors_of_actions_name_the_invalid_argument() {
    let (mut driver, wallet) = world();
    let file = driver.store_file(&wallet, b"file");
    let mut action =
        |name: &str, arguments: Value| driver.world.perform(&format!("network.{name}"), &arguments);
    for (name, arguments, named) in [
        ("nonsense", json!({}), "nonsense"),
        ("balance", json!({ "address": "0x1", "credits": -1 }), "credits"),
        ("balance", json!({ "credits": 1 }), "address"),
        ("reclaim", json!({ "hash": "x" }), "x"),
        ("lag", json!({ "ms": -1 }), "ms"),
        ("lag", json!({ "ms": i64::MAX }), "ms"),
        ("lag", json!([]), "arguments"),
        ("message", json!({ "hash": 1 }), "hash"),
    ] {
        let why = action(name, arguments).expect_err(name);
        assert!(why.contains(named), "{name}: {why}");
    }
    action("reclaim", json!({ "hash": file.hash })).expect("a processed STORE");
    action("reclaim", json!({ "hash": file.hash })).expect_err("it is already removing");
    let (known, _) = action("message", json!({ "hash": file.hash })).expect("a message");
    assert_eq!((&known["status"], &known["file"]), (&json!("removing"), &json!(file.cid)));
}
