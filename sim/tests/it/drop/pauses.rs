//! Pauses and failures: each cause by its fault and by its limit, what continues meanwhile, and the retry.

use assay_sim::Input;
use assay_sim::clock::EPOCH;
use bytes::Bytes;
use serde_json::{Value, json};

use crate::common::drop::{Dropped, get, page, upload};
use crate::common::{Driver, body_of};

const T: i64 = EPOCH.0;
const HOUR: i64 = 3_600_000;

#[test]
fn each_cause_pauses_uploads_and_nothing_else() {
    for fault in [
        json!({ "fault": "drop.busy", "times": 2 }),
        json!({ "fault": "drop.budget", "times": 2 }),
        json!({ "fault": "drop.disabled", "times": 2 }),
    ] {
        let mut driver = Driver::new(1);
        let dropped = driver.drop_page();
        let call = upload(&page("late"));
        let open = driver.at("10.0.0.2").open(&call);
        driver.set_faults(&json!([fault]));

        let reply = driver.at("10.0.0.3").exchange(&call);
        assert_eq!((reply.status, body_of(&reply)), (503, json!({ "error": "drops are paused" })));
        assert!(!reply.headers.contains_key("retry-after"));
        assert_eq!(driver.look(dropped.path()).status, 200, "sites are served");
        assert_eq!(driver.exchange(&get("/api/drop")).status, 405);
        driver.claim(&dropped.token).expect("claims are accepted");
        driver.input(Input::Body(open, Bytes::from(call.body.clone())));
        driver.input(Input::End(open));
        assert_eq!(driver.reply(open).map(|reply| reply.status), Some(200), "uploads in progress continue");

        driver.advance(10);
        assert_eq!(driver.exchange(&call).status, 503);
        driver.drop_page();
        assert_eq!(receipts(&driver), [T, T + 10], "only uploads are occasions");
        assert_eq!(driver.world.core.faults.list()[0].matched, 3);
    }
}

#[test]
fn pause_lasts_from_one_time_until_another() {
    let mut driver = Driver::new(1);
    driver.set_faults(&json!([{ "fault": "drop.budget", "from": T + 10, "until": T + 30 }]));
    let statuses = [(); 5].map(|()| {
        let status = driver.post_zip(&page(""));
        driver.advance(10);
        status
    });
    assert_eq!(statuses, [200, 503, 503, 200, 200]);
}

#[test]
fn paused_upload_gets_retry_after_under_that_variation() {
    let mut driver = Driver::new(1);
    driver.world.set_variations(&["drop.retry-after".to_owned()]).expect("a known variation");
    driver.set_faults(&json!([{ "fault": "drop.disabled" }]));
    assert_eq!(driver.exchange(&upload(&page(""))).headers["retry-after"], "60");
}

#[test]
fn service_is_busy_with_too_many_uploads_in_progress() {
    let mut driver = Driver::new(1);
    driver.set_drop_limits(&json!({ "uploads": 2 }));
    let first = driver.at("10.0.0.1").open(&upload(b""));
    assert_eq!(driver.at("10.0.0.3").post_zip(&page("")), 200, "the second of two");
    driver.at("10.0.0.2").open(&upload(b""));
    assert_eq!(driver.at("10.0.0.3").post_zip(&page("")), 503);
    assert_eq!(
        driver.at("10.0.0.1").post_zip(&page("")),
        503,
        "a pause comes before the caller's own limits"
    );
    driver.input(Input::Abort(first));
    assert_eq!(driver.at("10.0.0.3").post_zip(&page("")), 200);
}

#[test]
fn budget_of_a_rolling_day_is_shared_by_all_addresses() {
    let mut driver = Driver::new(1);
    driver.set_drop_limits(&json!({ "daily_budget": 2 }));
    driver.at("10.0.0.1").drop_page();
    driver.advance(1);
    driver.at("10.0.0.2").drop_page();
    assert_eq!(driver.at("10.0.0.3").post_zip(b"whatever it is"), 503);
    driver.advance(24 * HOUR - 2);
    assert_eq!(driver.post_zip(&page("")), 503);
    driver.advance(1);
    driver.drop_page();
    assert_eq!(driver.post_zip(&page("")), 503, "the second is still within the day");
    driver.advance(1);
    driver.drop_page();
}

#[test]
fn stored_bytes_are_bounded_and_freed_on_removal() {
    let mut driver = Driver::new(1);
    // Enough space for three of the largest sites.
    driver.set_drop_limits(&json!({ "extracted_bytes": 10, "stored_bytes": 30 }));
    let ten = page("0123456789");
    let first = driver.drop_zip(&ten);
    driver.advance(1);
    driver.drop_zip(&ten);
    driver.claim(&first.token).expect("in time");
    driver.drop_zip(&page("1"));
    assert_eq!(driver.drops()["stored_bytes"], 21);
    assert_eq!(driver.post_zip(&page("")), 503, "a site of ten bytes would not fit");
    driver.advance(4 * HOUR - 1);
    assert_eq!(driver.post_zip(&page("")), 503);
    driver.advance(1);
    assert_eq!(driver.drops()["stored_bytes"], 10, "the claimed one stays");
    driver.drop_zip(&ten);
    driver.drop_zip(&ten);
    assert_eq!(driver.post_zip(&page("")), 503);
    driver.advance(48 * HOUR);
    assert_eq!(driver.drops()["stored_bytes"], 10, "forgetting them frees nothing twice");
}

#[test]
fn failed_upload_can_be_sent_again_unchanged() {
    let mut driver = Driver::new(1);
    driver.set_faults(&json!([{ "fault": "drop.publish-fails", "nth": 2, "times": 2 }]));
    let call = upload(&page("again"));
    let before = driver.drop_form(&call);
    let state = driver.drops();
    for _ in 0..2 {
        driver.advance(5);
        let reply = driver.exchange(&call);
        assert_eq!(
            (reply.status, body_of(&reply)),
            (500, json!({ "error": "publishing failed; try again" }))
        );
        assert_eq!(driver.drops(), state, "nothing is kept, no slot is held");
        assert_eq!(driver.refused_by(), "drop.upload.publish-failed");
    }
    let after: Dropped = driver.drop_form(&call);
    assert_eq!(after.cid, before.cid);
    assert!(after.url != before.url && after.id != before.id);
    assert_eq!(driver.look(after.path()).body, "again");
    assert_eq!(receipts(&driver), [T + 5, T + 10]);
}

#[test]
fn drops_only_move_along_their_table() {
    let mut driver = Driver::new(1);
    let claimed = driver.drop_page();
    driver.claim(&claimed.token).expect("in time");
    driver.drop_page();
    driver.post_zip(b"no zip");
    let aborted = driver.open(&upload(b""));
    driver.input(Input::Abort(aborted));
    driver.set_faults(&json!([{ "fault": "drop.publish-fails" }]));
    driver.post_zip(&page(""));
    driver.advance(4 * HOUR);
    let mut made: Vec<String> = driver.world.core.transitions().map(ToString::to_string).collect();
    let table = assay_spec::drop::machines::DROP.transitions;
    let mut all: Vec<String> = table.iter().map(ToString::to_string).collect();
    made.sort();
    all.sort();
    assert_eq!(made, all);
    assert_eq!(driver.drops()["drops"][&claimed.id]["state"], Value::from("owned-project"));
}

fn receipts(driver: &Driver) -> Vec<i64> {
    driver.world.core.faults.list()[0].receipts.iter().map(|moment| moment.0).collect()
}
