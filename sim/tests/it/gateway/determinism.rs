//! Same seed, epoch and inputs give the same bytes; a copy made during a stream continues like the first.

use assay_sim::gateway::{ENCLAVE, GATEWAY, SERVERS};
use assay_sim::{Input, Reply};
use serde_json::json;

use crate::common::Driver;
use crate::gateway::model::{families, get, post, said};

#[test]
fn same_seed_and_inputs_give_the_same_bytes() {
    let run = |seed| {
        let mut driver = Driver::new(seed);
        let replies = play(&mut driver);
        (driver.world.core.journal.fingerprint(), replies, driver.gateway().to_string())
    };
    let [first, second, other] = [run(7), run(7), run(8)];
    assert_eq!(first.0, second.0);
    assert_eq!(bytes(&first.1), bytes(&second.1));
    assert_eq!(first.2, second.2);
    assert_ne!(first.0, other.0);
}

#[test]
fn another_seed_gives_other_keys_and_another_enclave() {
    let [one, other] = [1, 2].map(|seed| Driver::new(seed).gateway());
    assert_ne!(one["keys"]["valid"], other["keys"]["valid"]);
    assert_ne!(one["enclave"]["item_hash"], other["enclave"]["item_hash"]);
    assert_ne!(one["enclave"]["authority"], other["enclave"]["authority"]);
}

#[test]
fn copy_made_during_a_stream_continues_like_the_first() {
    let mut first = Driver::new(7);
    let exchange = first.stream(GATEWAY, "assay-chat");
    first.advance(23);
    let mut second = first.clone();
    let finish = |driver: &mut Driver| {
        let reply = driver.wait(exchange);
        (said(&reply.body), reply.body, driver.world.core.journal.fingerprint())
    };
    let ended = finish(&mut first);
    assert_eq!(second.gateway()["streams"], 1, "the first world does not affect the second");
    assert_eq!(finish(&mut second), ended);
}

#[test]
fn abandoned_copy_has_no_streams_and_the_original_continues() {
    let mut original = Driver::new(7);
    let exchange = original.stream(GATEWAY, "assay-chat");
    original.advance(12);
    let mut copy = original.clone();
    copy.world.abandon();
    assert_eq!(copy.gateway()["streams"], 0);
    copy.advance(10_000);
    assert!(copy.reply(exchange).is_none());
    assert_eq!(copy.chat("assay-chat").status, 200);
    assert_eq!(original.wait(exchange).status, 200);
}

#[test]
fn fault_that_never_applies_changes_no_byte() {
    let run = |faults| {
        let mut driver = Driver::new(7);
        driver.set_faults(&faults);
        bytes(&play(&mut driver))
    };
    let far = json!([{ "fault": "gateway.server-down", "from": i64::MAX }]);
    assert_eq!(run(json!([])), run(far));
}

/// A bit of everything.
fn play(driver: &mut Driver) -> Vec<Reply> {
    let key = driver.key("valid");
    let mut replies = Vec::new();
    for model in ["assay-chat", "assay-text", "assay-draw", "assay-sealed", "nobody"] {
        for (path, mut body) in families(model) {
            replies.push(driver.request(&post(path, Some(&key), &body)));
            body["stream"] = json!(true);
            replies.push(driver.request(&post(path, Some(&key), &body)));
            replies.push(driver.request(&post(path, None, &body)));
        }
    }
    let aborted = driver.stream(GATEWAY, "assay-chat");
    let direct = driver.stream(SERVERS[0], "assay-chat");
    driver.advance(17);
    driver.input(Input::Abort(aborted));
    driver.perform("gateway.server", &json!({ "site": "server-a", "up": false }));
    assert!(driver.cut.contains(&direct));
    for path in ["/v1/models", "/svc/models", "/svc/auth/check", "/nowhere"] {
        replies.push(driver.request(&get(path, Some(&key))));
    }
    driver.perform("gateway.reboot", &json!({}));
    let nonce = "/stand-in/v1/attestation?nonce=00112233445566778899";
    replies.push(driver.ask_at(ENCLAVE, &get(nonce, None)));
    driver.advance(60_000);
    replies
}

fn bytes(replies: &[Reply]) -> Vec<u8> {
    replies.iter().flat_map(|reply| [reply.status.to_string().as_bytes(), &reply.body].concat()).collect()
}
