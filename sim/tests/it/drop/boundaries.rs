//! Exact sizes, counts and times: the last that is accepted, the first that is rejected.

use assay_sim::Input;
use assay_sim::drop::SITE;
use assay_spec::drop::zip::write::Entry;
use bytes::Bytes;
use serde_json::{Value, json};

use crate::common::drop::{Dropped, Form, upload};
use crate::common::zip;
use crate::common::{Driver, show};

const HOUR: i64 = 3_600_000;

#[test]
fn zip_may_have_ten_million_bytes() {
    for (length, status) in [(10_000_000, 200), (10_000_001, 413)] {
        let mut driver = Driver::new(1);
        let reply = driver.exchange(&upload(&zip::of_length(length)));
        assert_eq!(reply.status, status, "{length} bytes: {}", show(&reply));
        assert_eq!(driver.drops()["stored_bytes"] == 0, status != 200);
    }
}

#[test]
fn other_fields_do_not_count_for_the_zip_size() {
    // The last body that is read to its end, and the first that is not, whatever they contain.
    let form = |pad: usize| {
        Form::default().field("note", &vec![b'n'; pad]).artifact(&zip::of_length(10_000_000)).call()
    };
    let frame = form(0).body.len();
    for (length, status) in [(20_065_536, 200), (20_065_537, 413)] {
        let mut driver = Driver::new(1);
        let call = form(length - frame);
        assert_eq!(call.body.len(), length);
        assert_eq!(driver.exchange(&call).status, status, "{length} bytes");
    }
}

#[test]
fn oversized_body_is_answered_at_its_first_excess_byte() {
    let mut driver = Driver::new(1);
    let exchange = driver.open(&upload(b""));
    let feed = |driver: &mut Driver, length: usize| {
        driver.input(Input::Body(exchange, Bytes::from(vec![b'x'; length])));
        driver.reply(exchange).map(|reply| reply.status)
    };
    assert_eq!(feed(&mut driver, 20_065_535), None);
    assert_eq!(feed(&mut driver, 1), None);
    assert_eq!(feed(&mut driver, 1), Some(413));
    assert_eq!((driver.world.receiving(), driver.drops()["uploads"].clone()), (0, json!(0)));
    assert_eq!(feed(&mut driver, 1), None, "later bytes are ignored");
}

#[test]
fn files_may_have_forty_million_bytes_together() {
    let part = vec![0; 19_999_998];
    let part = [Entry::deflated("a.bin", &part), Entry::deflated("b/b.bin", &part)];
    for (page, status) in [("1234", 200), ("12345", 413)] {
        let mut driver = Driver::new(1);
        let mut entries = part.to_vec();
        entries.push(Entry::deflated("index.html", page.as_bytes()));
        let reply = driver.exchange(&upload(&zip::write(&entries)));
        assert_eq!(reply.status, status, "{}", show(&reply));
        let stored = if status == 200 { 40_000_000 } else { 0 };
        assert_eq!(driver.drops()["stored_bytes"], stored);
    }
}

#[test]
fn zip_may_have_a_thousand_files_and_any_directories() {
    let directories: Vec<Entry> = (0..50).map(|n| Entry::directory(&format!("d{n}"))).collect();
    for (count, status) in [(1000, 200), (1001, 413)] {
        let mut driver = Driver::new(1);
        let mut entries = vec![Entry::stored("index.html", b"")];
        entries.extend((1..count).map(|n| Entry::stored(format!("f{n}"), b"x")));
        entries.extend_from_slice(&directories);
        let reply = driver.exchange(&upload(&zip::write(&entries)));
        assert_eq!(reply.status, status, "{count} files: {}", show(&reply));
    }
}

#[test]
fn file_behind_links_counts_once_per_path() {
    let limits = json!({ "files": 2, "extracted_bytes": 200 });
    for (size, links, status) in [(100, 1, 200), (101, 1, 413), (10, 2, 413)] {
        let mut driver = Driver::new(1);
        driver.set_drop_limits(&limits);
        let mut entries = vec![Entry::stored("index.html", vec![b'x'; size])];
        entries.extend((0..links).map(|n| Entry::link(format!("l{n}"), "index.html")));
        let reply = driver.exchange(&upload(&zip::write(&entries)));
        assert_eq!(reply.status, status, "{size} bytes, {links} links: {}", show(&reply));
    }
}

#[test]
fn valid_source_is_kept_and_invalid_source_is_ignored() {
    let zip = zip::from_files(&[("index.html", b"<p>")]);
    let (last, first) = ("x".repeat(64), "x".repeat(65));
    let kept = ["a", " ", "AZaz09 _.:/@-", "codehost:owner/site@v1.2", last.as_str(), ""];
    let ignored =
        [first.as_str(), "<script>", "a,b", "a\tb", "a\nb", "a\0", "caf\u{e9}", "a\u{a0}b", "a;b", "%41"];
    let seen = |value: &[u8]| {
        let mut driver = Driver::new(1);
        let dropped = driver.drop_form(&Form::default().field("source", value).artifact(&zip).call());
        driver.drops()["drops"][&dropped.id]["source"].clone()
    };
    for source in kept {
        assert_eq!(seen(source.as_bytes()), source, "{source:?}");
    }
    for source in ignored {
        assert_eq!(seen(source.as_bytes()), Value::Null, "{source:?}");
    }
    assert_eq!(seen(b"caf\xe9"), Value::Null, "invalid UTF-8");
}

#[test]
fn first_of_two_sources_counts() {
    let zip = zip::from_files(&[("index.html", b"<p>")]);
    let mut driver = Driver::new(1);
    for (form, kept) in [
        (Form::default().field("source", b"a").artifact(&zip).field("source", b"b"), json!("a")),
        (Form::default().artifact(&zip).field("source", b"b"), json!("b")),
        (Form::default().artifact(&zip).field("source", b"<").field("source", b"b"), Value::Null),
        (Form::default().artifact(&zip), Value::Null),
    ] {
        let dropped = driver.drop_form(&form.call());
        assert_eq!(driver.drops()["drops"][&dropped.id]["source"], kept);
    }
}

#[test]
fn drop_is_live_until_one_millisecond_before_its_deadline() {
    for (variations, gone) in [(vec![], 404), (vec!["drop.gone".to_owned()], 410)] {
        let mut driver = Driver::new(1);
        driver.world.set_variations(&variations).expect("a known variation");
        driver.advance(12_345);
        let dropped = driver.drop_page();
        assert_eq!(dropped.expires_at, driver.now() + 4 * HOUR);
        driver.advance(4 * HOUR - 1);
        assert_eq!(driver.look(dropped.path()).status, 200);
        driver.advance(1);
        assert_eq!(driver.look(dropped.path()).status, gone);
        assert_eq!(driver.look(&dropped.below("nothing")).status, gone);
        assert_eq!(driver.drops()["drops"][&dropped.id]["state"], "removed");
        assert_eq!(driver.drops()["stored_bytes"], 0);

        // A day later the drop is forgotten.
        driver.advance(24 * HOUR - 1);
        assert_eq!(driver.look(dropped.path()).status, gone);
        driver.advance(1);
        assert_eq!(driver.look(dropped.path()).status, 404);
        assert_eq!(driver.drops()["drops"], json!({}));
    }
}

#[test]
fn long_time_step_removes_each_drop_at_its_own_deadline() {
    let mut driver = Driver::new(1);
    let first = driver.drop_page();
    driver.advance(1);
    let second = driver.drop_page();
    driver.advance(4 * HOUR - 1);
    let statuses = [&first, &second].map(|dropped| driver.look(dropped.path()).status);
    assert_eq!(statuses, [404, 200]);
    driver.advance(365 * 24 * HOUR);
    assert_eq!(driver.look(second.path()).status, 404);
    assert_eq!(driver.drops(), json!({ "uploads": 0, "drops": {}, "stored_bytes": 0 }));
    assert_eq!(driver.world.core.clock.next_due(), None, "no timers are left");
}

#[test]
fn slow_upload_expires_four_hours_after_its_end() {
    let mut driver = Driver::new(1);
    let call = upload(&zip::from_files(&[("index.html", b"<p>")]));
    let exchange = driver.begin(SITE, &call);
    driver.advance(HOUR);
    driver.input(Input::Body(exchange, Bytes::from(call.body)));
    driver.input(Input::End(exchange));
    let reply = driver.reply(exchange).expect("an answer");
    let dropped = Dropped::read(&reply);
    assert_eq!(dropped.expires_at, driver.now() + 4 * HOUR);
}

#[test]
fn extreme_limits_do_not_panic() {
    let most = json!({
        "zip_bytes": usize::MAX, "extracted_bytes": 40_000_000u64, "files": usize::MAX,
        "claim_window_ms": i64::MAX, "hour_ms": i64::MAX, "day_ms": i64::MAX,
        "drops_per_hour": u32::MAX, "drops_per_day": u32::MAX, "uploads": usize::MAX,
        "daily_budget": usize::MAX, "stored_bytes": u64::MAX,
    });
    let least = json!({ "hour_ms": 0, "day_ms": 0, "claim_window_ms": 0 });
    for (limits, status) in [
        (most, 200),
        (least, 200),
        (json!({ "drops_per_hour": 0 }), 429),
        (json!({ "drops_per_day": 0, "day_ms": i64::MAX }), 429),
        (json!({ "uploads": 0 }), 503),
        (json!({ "daily_budget": 0 }), 503),
        (json!({ "stored_bytes": 0 }), 503),
        (json!({ "files": 0 }), 413),
        (json!({ "zip_bytes": 0 }), 413),
        (json!({ "extracted_bytes": 0 }), 413),
    ] {
        let mut driver = Driver::new(1);
        driver.world.set_variations(&["drop.retry-after".to_owned()]).expect("a known variation");
        driver.set_drop_limits(&limits);
        for _ in 0..2 {
            let reply = driver.exchange(&upload(&zip::from_files(&[("index.html", b"<p>")])));
            assert_eq!(reply.status, status, "{limits}: {}", show(&reply));
        }
        driver.advance(48 * HOUR);
    }
}
