//! Which of several errors in an upload is reported. The document leaves the order open; it is pinned here, so that a
//! change is a decision.

use assay_sim::drop::SITE;
use assay_spec::drop::zip::write::Entry;
use serde_json::json;

use crate::common::drop::{Form, page, post, upload};
use crate::common::zip;
use crate::common::{Call, Driver};

/// A world in which these conditions hold before a body is read.
fn spoilt(what: &[&str]) -> Driver {
    let mut driver = Driver::new(1);
    if what.contains(&"daily") {
        driver.drop_page();
        driver.advance(3_600_000);
    }
    if what.contains(&"hourly") {
        driver.drop_page();
    }
    if what.contains(&"upload") {
        driver.open(&upload(b""));
    }
    if what.contains(&"paused") {
        driver.set_faults(&json!([{ "fault": "drop.disabled" }]));
    }
    driver.set_drop_limits(
        &json!({ "drops_per_hour": 1, "drops_per_day": if what.contains(&"daily") { 1 } else { 9 } }),
    );
    driver
}

#[test]
fn pause_precedes_open_upload_then_hour_then_day() {
    for (what, status, rule) in [
        (&["paused", "upload", "hourly", "daily"][..], 503, "drop.upload.paused"),
        (&["upload", "hourly", "daily"], 429, "drop.limits.one-upload"),
        (&["hourly", "daily"], 429, "drop.limits.hourly"),
        (&["upload"], 429, "drop.limits.one-upload"),
        (&["hourly"], 429, "drop.limits.hourly"),
        (&["daily"], 429, "drop.limits.daily"),
    ] {
        let mut driver = spoilt(what);
        let exchange = driver.begin(SITE, &post("text/plain", Vec::new()));
        let reply = driver.reply(exchange).expect("an answer before the body");
        assert_eq!((reply.status, driver.refused_by()), (status, rule), "{what:?}");
    }
    assert_eq!(spoilt(&[]).exchange(&post("text/plain", Vec::new())).status, 400, "none of the conditions");
}

#[test]
fn first_cause_of_a_pause_is_logged() {
    let mut driver = Driver::new(1);
    for (limits, cause) in [
        (json!({ "uploads": 0, "daily_budget": 0 }), "busy"),
        (json!({ "uploads": 1, "daily_budget": 0 }), "budget"),
        (json!({ "uploads": 1, "daily_budget": 1 }), "disabled"),
    ] {
        driver.set_faults(&json!([{ "fault": "drop.disabled" }]));
        driver.set_drop_limits(&limits);
        assert_eq!(driver.post_zip(&page("")), 503);
        let line = driver.world.core.log.lines().last().expect("a line").clone();
        assert_eq!(line.why, format!("drops are paused: {cause}"));
    }
}

#[test]
fn first_error_of_an_upload_is_reported() {
    let long = vec![b'x'; 20_065_537];
    let many: Vec<Entry> = (0..1001).map(|n| Entry::stored(format!("f{n}"), b"")).collect();
    let with = |entries: &[Entry], more: Entry| [entries, &[more]].concat();
    let huge = Entry::stored("huge", b"").both(|header| header.size = 40_000_001);
    let wrong_size = Entry::stored("f", b"").both(|header| header.size = 39_999_998);
    let outside = Entry::stored("../x", b"");
    let cases: Vec<(&str, Call, u16, &str)> = vec![
        ("too long, and not a form", post("text/plain", long.clone()), 413, "drop.zip.size"),
        ("not a form", post("text/plain", vec![b'x'; 20_065_536]), 400, "drop.upload.artifact-required"),
        (
            "no artifact, and an invalid source",
            Form::default().field("source", b"<").call(),
            400,
            "drop.upload.artifact-required",
        ),
        ("too large, and not a zip", upload(&vec![b'x'; 10_000_001]), 413, "drop.zip.size"),
        ("not a zip", upload(&vec![b'x'; 10_000_000]), 400, "drop.zip.form"),
        (
            "a path outside, and too many files",
            zipped(&with(&many, outside.clone())),
            400,
            "drop.zip.traversal",
        ),
        ("too many files, and no page", zipped(&many), 413, "drop.zip.files"),
        ("too many files, too many bytes", zipped(&with(&many, huge.clone())), 413, "drop.zip.files"),
        ("too many bytes, and no page", zipped(std::slice::from_ref(&huge)), 413, "drop.zip.extracted-size"),
        ("too many bytes, and a path outside", zipped(&[huge, outside]), 400, "drop.zip.traversal"),
        ("wrong sizes, and no page", zipped(&[wrong_size]), 400, "drop.zip.faithful"),
        ("no page", zipped(&[Entry::stored("a", b"")]), 400, "drop.zip.root-index"),
    ];
    for (name, call, status, rule) in cases {
        let mut driver = Driver::new(1);
        driver.set_faults(&json!([{ "fault": "drop.publish-fails" }]));
        assert_eq!(driver.exchange(&call).status, status, "{name}");
        assert_eq!(driver.refused_by(), rule, "{name}");
        assert!(driver.world.core.faults.list()[0].receipts.is_empty(), "{name}: nothing was published");
        assert_eq!(driver.exchange(&upload(&page(""))).status, 500, "a valid upload reaches publishing");
    }
}

fn zipped(entries: &[Entry]) -> Call {
    upload(&zip::write(entries))
}
