//! Limits per address: windows to the millisecond, which addresses are one caller, and one upload at a time.

use std::collections::BTreeSet;

use assay_sim::{ExchangeId, Input, Reply};
use bytes::Bytes;
use serde_json::json;

use crate::common::drop::{Dropped, page, post, upload};
use crate::common::{Driver, show, zip};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

#[test]
fn drop_11_of_a_rolling_hour_waits_for_the_first_to_leave() {
    let mut driver = with_retry_after();
    let first = driver.now();
    driver.drop_page();
    driver.advance(60_000);
    (1..10).for_each(|_| drop(driver.drop_page()));
    assert_eq!(refusal(&mut driver), ("drop.limits.hourly", "3540".to_owned()));
    let mut elsewhere = driver.clone();
    elsewhere.at("10.0.0.1").drop_page();

    driver.advance(first + HOUR - driver.now() - 1);
    assert_eq!(
        refusal(&mut driver),
        ("drop.limits.hourly", "1".to_owned()),
        "a partial second is rounded up"
    );
    driver.advance(1);
    driver.drop_page();
    assert_eq!(
        refusal(&mut driver),
        ("drop.limits.hourly", "60".to_owned()),
        "rejected uploads do not count"
    );
    driver.advance(59_999);
    assert_eq!(driver.post_zip(&page("")), 429);
    driver.advance(1);
    (0..9).for_each(|_| drop(driver.drop_page()));
    assert_eq!(refusal(&mut driver), ("drop.limits.hourly", "3540".to_owned()));
}

#[test]
fn drop_21_of_a_rolling_day_waits_for_the_first_to_leave() {
    let mut driver = with_retry_after();
    let first = driver.now();
    driver.drop_page();
    driver.advance(1);
    (1..10).for_each(|_| drop(driver.drop_page()));
    driver.advance(HOUR);
    (0..10).for_each(|_| drop(driver.drop_page()));
    assert_eq!(refusal(&mut driver), ("drop.limits.hourly", "3600".to_owned()), "both limits are reached");
    driver.advance(HOUR);
    assert_eq!(refusal(&mut driver), ("drop.limits.daily", "79200".to_owned()));

    driver.advance(first + DAY - driver.now() - 1);
    assert_eq!(refusal(&mut driver), ("drop.limits.daily", "1".to_owned()));
    driver.advance(1);
    driver.drop_page();
    assert_eq!(
        refusal(&mut driver),
        ("drop.limits.daily", "1".to_owned()),
        "the next one is a millisecond later"
    );
    driver.advance(1);
    (0..9).for_each(|_| drop(driver.drop_page()));
    assert_eq!(driver.post_zip(&page("")), 429);
}

#[test]
fn uploads_that_publish_nothing_do_not_count() {
    let mut driver = Driver::new(1);
    for _ in 0..12 {
        assert_eq!(driver.post_zip(b"no zip"), 400);
        assert_eq!(driver.exchange(&post("text/plain", Vec::new())).status, 400);
        let aborted = driver.open(&upload(b""));
        driver.input(Input::Abort(aborted));
    }
    driver.set_faults(&json!([{ "fault": "drop.publish-fails", "times": 12 }]));
    for _ in 0..12 {
        assert_eq!(driver.post_zip(&page("")), 500);
    }
    (0..10).for_each(|_| drop(driver.drop_page()));
    assert_eq!(driver.post_zip(&page("")), 429);
}

#[test]
fn removed_and_claimed_drops_still_count_for_their_day() {
    let mut driver = Driver::new(1);
    driver.set_drop_limits(&json!({ "drops_per_day": 2 }));
    let claimed = driver.drop_page();
    driver.claim(&claimed.token).expect("in time");
    driver.drop_page();
    driver.advance(5 * HOUR);
    assert_eq!(driver.post_zip(&page("")), 429);
}

/// Two addresses, and whether they are one caller.
const PAIRS: &[(&str, &str, bool)] = &[
    ("10.0.0.1", "10.0.0.1", true),
    ("10.0.0.1", "10.0.0.2", false),
    ("10.0.0.1", "::ffff:10.0.0.1", true),
    ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false),
    ("::ffff:10.0.0.1", "::1", false),
    ("10.0.0.1", "::10.0.0.1", false),
    ("2001:db8::", "2001:db8::ffff:ffff:ffff:ffff", true),
    ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::", true),
    ("2001:db8::ffff:ffff:ffff:ffff", "2001:db8:0:1::", false),
    ("2001:db8:1:2::", "2001:db8:1:3::", false),
    ("2001:db8:1:2::", "2001:db9:1:2::", false),
];

#[test]
fn ipv6_counts_by_64_bits_and_mapped_ipv4_as_ipv4() {
    for (one, other, same) in PAIRS {
        let expected = if *same { 429 } else { 200 };
        let mut driver = Driver::new(1);
        (0..10).for_each(|_| drop(driver.at(one).drop_page()));
        assert_eq!(driver.at(other).post_zip(&page("")), expected, "drops of {one} and {other}");

        let mut driver = Driver::new(1);
        driver.at(one).open(&upload(b""));
        assert_eq!(driver.at(other).post_zip(&page("")), expected, "uploads of {one} and {other}");
    }
}

#[test]
fn second_upload_is_rejected_at_its_head_and_the_first_continues() {
    let mut driver = Driver::new(1);
    let call = upload(&page("first"));
    let (half, rest) = call.body.split_at(call.body.len() / 2);
    let first = driver.open(&call);
    driver.input(Input::Body(first, Bytes::copy_from_slice(half)));
    let before = driver.drops();
    assert_eq!(before["uploads"], 1);

    let second = driver.open(&call);
    let refused = driver.reply(second).expect("an answer before the body");
    assert_eq!((refused.status, driver.refused_by()), (429, "drop.limits.one-upload"));
    driver.input(Input::Body(second, Bytes::from(call.body.clone())));
    driver.input(Input::End(second));
    driver.input(Input::Abort(second));
    assert!(driver.reply(second).is_none());
    assert_eq!(driver.drops(), before);

    let dropped = finish(&mut driver, first, rest);
    assert_eq!(driver.look(dropped.path()).body, "first");
    assert_eq!(driver.drops()["uploads"], 0);
}

#[test]
fn sites_are_served_during_an_upload() {
    let mut driver = Driver::new(1);
    let dropped = driver.drop_page();
    let exchange = driver.open(&upload(b""));
    assert_eq!(driver.look(dropped.path()).status, 200);
    assert_eq!(driver.look("/api/drop").status, 405);
    assert_eq!(driver.drops()["uploads"], 1);
    driver.input(Input::Abort(exchange));
}

#[test]
fn slot_is_free_after_every_end_of_an_upload() {
    let mut driver = Driver::new(1);
    let free = |driver: &mut Driver, how: &str| {
        assert_eq!(driver.drops()["uploads"], 0, "after {how}");
        assert_eq!(driver.drops()["drops"].as_object().map(serde_json::Map::len), Some(1), "after {how}");
        assert_eq!(driver.clone().post_zip(&page("")), 200, "after {how}");
    };
    driver.drop_page();
    free(&mut driver, "success");
    assert_eq!(driver.post_zip(b"no zip"), 400);
    free(&mut driver, "refusal");
    assert_eq!(driver.post_zip(&zip::of_length(10_000_001)), 413);
    free(&mut driver, "refusal for its size");
    let exchange = driver.open(&upload(b""));
    driver.input(Input::Body(exchange, Bytes::from(vec![b'x'; 20_065_537])));
    assert_eq!(driver.reply(exchange).map(|reply| reply.status), Some(413));
    free(&mut driver, "refusal in the middle of its body");
    driver.set_faults(&json!([{ "fault": "drop.publish-fails", "times": 1 }]));
    assert_eq!(driver.post_zip(&page("")), 500);
    free(&mut driver, "failure");
    let call = upload(&page(""));
    for sent in [0, 1, call.body.len() - 1, call.body.len()] {
        let exchange = driver.open(&call);
        driver.input(Input::Body(exchange, Bytes::copy_from_slice(&call.body[..sent])));
        assert_eq!(driver.drops()["uploads"], 1);
        driver.input(Input::Abort(exchange));
        free(&mut driver, "abort");
    }
}

#[test]
fn two_addresses_upload_at_once_and_each_gets_its_own_drop() {
    let mut driver = Driver::new(1);
    let calls = [upload(&page("one")), upload(&page("two"))];
    let open =
        [("10.0.0.1", &calls[0]), ("10.0.0.2", &calls[1])].map(|(peer, call)| driver.at(peer).open(call));
    assert_eq!(driver.drops()["uploads"], 2);
    // Alternating, one byte at a time.
    let longest = calls[0].body.len().max(calls[1].body.len());
    for at in 0..longest {
        for (exchange, call) in open.iter().zip(&calls) {
            if let Some(byte) = call.body.get(at) {
                driver.input(Input::Body(*exchange, Bytes::copy_from_slice(&[*byte])));
            }
        }
    }
    let second = finish(&mut driver, open[1], b"");
    let first = finish(&mut driver, open[0], b"");
    assert_eq!(driver.look(first.path()).body, "one");
    assert_eq!(driver.look(second.path()).body, "two");
    assert!(first.id != second.id && first.token != second.token && first.cid != second.cid);
}

#[test]
fn every_drop_is_a_separate_site() {
    let mut driver = Driver::new(1);
    let drops: Vec<Dropped> = (0..10).map(|_| driver.drop_page()).collect();
    let parts = |part: fn(&Dropped) -> &String| drops.iter().map(part).collect::<BTreeSet<_>>().len();
    let different = [parts(|d| &d.id), parts(|d| &d.token), parts(|d| &d.url), parts(|d| &d.claim_url)];
    assert_eq!(different, [10; 4]);
    assert!(drops.iter().all(|dropped| dropped.cid == drops[0].cid), "equal files have equal identifiers");
}

/// A world that sends `Retry-After` to rejected callers.
fn with_retry_after() -> Driver {
    let mut driver = Driver::new(1);
    driver.world.set_variations(&["drop.retry-after".to_owned()]).expect("a known variation");
    driver
}

/// The requirement that rejects the next upload, and its `Retry-After`.
fn refusal(driver: &mut Driver) -> (&str, String) {
    let reply: Reply = driver.exchange(&upload(&page("")));
    assert_eq!(reply.status, 429, "{}", show(&reply));
    let wait = reply.headers["retry-after"].to_str().expect("seconds").to_owned();
    (driver.refused_by(), wait)
}

/// Sends the rest of an upload that must be accepted.
fn finish(driver: &mut Driver, exchange: ExchangeId, rest: &[u8]) -> Dropped {
    driver.input(Input::Body(exchange, Bytes::copy_from_slice(rest)));
    driver.input(Input::End(exchange));
    Dropped::read(&driver.reply(exchange).expect("an answer"))
}
