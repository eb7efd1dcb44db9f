//! Hostile uploads: a documented answer, nothing stored, the slot free, and the next good upload taken.

use std::collections::BTreeSet;

use assay_sim::Input;
use assay_sim::journal::{Event, KEPT_BYTES};
use bytes::Bytes;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::RngSeed;
use serde_json::json;

use crate::common::drop::{FORM, Form, get, page, post, upload};
use crate::common::zip::{self, Entry};
use crate::common::{Call, Driver, show};

/// What an upload may be answered.
const DOCUMENTED: [u16; 6] = [200, 400, 413, 429, 500, 503];

#[test]
fn what_is_no_form_has_no_artifact() {
    let good = Form::default().artifact(&page("")).bytes();
    for content_type in [
        "",
        "text/plain",
        "multipart/form-data",
        "multipart/form-data;",
        "multipart/form-data; boundary",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=other",
        "multipart/form-data; boundary=ASSAY",
        "multipart/form-data boundary=assay",
        "multipart/mixed; boundary=assay",
        "application/x-www-form-urlencoded; boundary=assay",
        "multipart/form-data; boundary=\"assay",
        "multipart/form-data; limit=assay",
    ] {
        expect(content_type, &post(content_type, good.clone()), 400);
    }
    let mut bytes = post(FORM, good.clone());
    bytes.headers[0].1 = b"multipart/form-data; boundary=assay\xff".to_vec();
    expect("bytes beyond ASCII", &bytes, 400);
    bytes.headers.clear();
    expect("no content type", &bytes, 400);
    for (name, body) in [
        ("nothing", Vec::new()),
        ("no boundary", page("")),
        ("a boundary alone", b"--assay".to_vec()),
        ("an end alone", b"--assay--".to_vec()),
        ("a part without a head", b"--assay\r\n\r\n--assay--\r\n".to_vec()),
        ("a line feed alone", String::from_utf8_lossy(&good).replace("\r\n", "\n").into_bytes()),
        ("a boundary that goes on", [b"--assayx", &good[7..]].concat()),
        ("zeros", vec![0; 100_000]),
        ("dashes", vec![b'-'; 100_000]),
        ("line ends", b"\r\n".repeat(50_000)),
        ("boundaries", b"--assay\r\n".repeat(10_000)),
        ("heads", b"--assay\r\na: b\r\n".repeat(10_000)),
    ] {
        expect(name, &post(FORM, body), 400);
    }
}

#[test]
fn a_form_that_is_cut_off_anywhere_publishes_nothing() {
    let good = Form::default().field("source", b"a").artifact(&page("x")).bytes();
    // The last two bytes, and the line end behind them, are the preamble of nothing.
    let complete = good.len() - 2;
    for length in 0..=good.len() {
        let mut driver = Driver::new(1);
        let reply = driver.ask(&post(FORM, good[..length].to_vec()));
        assert_eq!(reply.status, if length < complete { 400 } else { 200 }, "{length} of {}", good.len());
    }
}

#[test]
fn the_artifact_is_the_first_field_of_that_name_and_must_be_a_zip() {
    let zip = page("");
    let field = |name: &str| Form::default().field(name, &zip).call();
    for name in ["", "Artifact", "artifact ", "artifacts", "artifact[]", "file", "source"] {
        expect(name, &field(name), 400);
    }
    expect("an empty one", &upload(b""), 400);
    expect("an empty one before a good one", &Form::default().artifact(b"").artifact(&zip).call(), 400);
    expect("text", &upload(b"hello"), 400);
    expect("a part without a name", &Form::default().part("content-type: application/zip", &zip).call(), 400);
    expect(
        "a name in another header",
        &Form::default().part("x: form-data; name=\"artifact\"", &zip).call(),
        400,
    );
    for (name, call) in [
        ("two artifacts", Form::default().artifact(&zip).artifact(b"no zip").call()),
        ("no file name", Form::default().field("artifact", &zip).call()),
        (
            "a name without quotes",
            Form::default().part("Content-Disposition: form-data; name=artifact", &zip).call(),
        ),
        ("other fields", Form::default().field("x", b"").field("artifact2", b"y").artifact(&zip).call()),
        (
            "a quoted boundary",
            post("Multipart/Form-Data; charset=utf-8; boundary=\"assay\"", upload(&zip).body),
        ),
        ("something around it", post(FORM, [b"before\r\n", &upload(&zip).body[..], b"after"].concat())),
        ("a query", Call { target: "/api/drop?artifact=x".to_owned(), ..upload(&zip) }),
    ] {
        let reply = Driver::new(1).ask(&call);
        assert_eq!(reply.status, 200, "{name}: {}", show(&reply));
    }
}

#[test]
fn forms_of_many_parts_and_long_heads_are_read_or_refused() {
    let zip = page("");
    let many = |count: usize| (0..count).fold(Form::default(), |form, n| form.field(&format!("f{n}"), b"x"));
    let taken = Driver::new(1).ask(&many(999).artifact(&zip).call());
    assert_eq!(taken.status, 200, "{}", show(&taken));
    expect("more parts than any form has", &many(1000).artifact(&zip).call(), 400);
    let empty = b"--assay\r\n\r\n\r\n\r\n".repeat(1_000_000);
    expect("a million parts", &post(FORM, empty), 400);
    let long = |length: usize| format!("content-disposition: form-data; name=\"{}\"", "n".repeat(length));
    expect("a name of a megabyte, and no artifact", &Form::default().part(&long(1 << 20), b"").call(), 400);
    let heads = "x: y\r\n".repeat(1000);
    expect("a thousand headers", &Form::default().part(&format!("{heads}a: b"), &zip).call(), 400);
    let quotes = format!("content-disposition: form-data; name=\"{}", "\\\"".repeat(500_000));
    expect("a quote that never ends", &Form::default().part(&quotes, &zip).call(), 400);
    let names = format!("content-disposition: form-data; {}", "xname".repeat(500_000));
    expect("names that are none", &Form::default().part(&names, &zip).call(), 400);
    let boundary = "b".repeat(1 << 20);
    expect("a boundary of a megabyte", &post(&format!("multipart/form-data; boundary={boundary}"), zip), 400);
}

#[test]
fn a_hundred_megabytes_are_answered_after_twenty() {
    let mut driver = Driver::new(1);
    let exchange = driver.open(&upload(b""));
    let frame = Bytes::from(vec![b'x'; 1 << 16]);
    let mut answered = None;
    for n in 1..=1600 {
        driver.input(Input::Body(exchange, frame.clone()));
        answered = answered.or(driver.reply(exchange).map(|reply| (n, reply.status)));
    }
    assert_eq!(answered, Some((307, 413)), "20,065,536 bytes are 306.2 frames");
    assert_eq!(
        driver.world.core.journal.count(),
        1 + 307 + 3,
        "what comes after the answer is not even noted"
    );
    driver.input(Input::End(exchange));
    assert_eq!((driver.world.receiving(), driver.world.waiting()), (0, 0));
    driver.drop_page();
}

#[test]
fn large_heads_and_bodies_leave_little_in_the_journal() {
    let mut driver = Driver::new(1);
    let mut call = upload(&zip::of_length(10_000_001));
    call.headers.push(("x-pad", vec![b'x'; 1_000_000]));
    for _ in 0..10 {
        assert_eq!(driver.ask(&call).status, 413);
        (0..5).for_each(|_| drop(driver.ask(&Call { headers: call.headers.clone(), ..get("/") })));
    }
    let size = |event: &Event| match event {
        Event::Body(bytes) | Event::Frame(bytes) => bytes.len(),
        Event::Head(_, headers) => headers.values().map(http::HeaderValue::len).sum(),
        _ => 0,
    };
    let journal = &driver.world.core.journal;
    let held: usize = journal.entries().map(|(_, entry)| size(&entry.event)).sum();
    assert!((KEPT_BYTES - 11_000_000..=KEPT_BYTES).contains(&held), "{held}");
    let (first, kept) = (journal.entries().next().map(|(number, _)| number), journal.entries().count());
    assert_eq!(first, Some(journal.count() - kept as u64), "the latest are kept");
}

#[test]
fn what_is_seen_is_cut_before_it_is_logged() {
    let mut driver = Driver::new(1);
    let name = "\u{e9}".repeat(1_000_000);
    let cut_off = Form::default().field(&name, &[]).bytes();
    assert_eq!(driver.ask(&post(FORM, cut_off[..cut_off.len() - 10].to_vec())).status, 400);
    let why = driver.world.core.log.lines().last().expect("a line").why.clone();
    assert!(why.contains("\u{e9}\u{e9}") && why.chars().count() <= 501, "{}", why.len());
}

#[test]
fn nothing_that_is_switched_off_or_taken_makes_it_panic() {
    let files = |count: usize| (0..count).map(|n| Entry::stored(&format!("f{n}"), b"x")).collect::<Vec<_>>();
    let index = || Entry::stored("index.html", b"<p>");
    let odd = |entry: Entry| upload(&zip::write(&[index(), entry]));
    let calls = [
        upload(&page("")),
        Form::default().field("source", b"good").artifact(&page("")).call(),
        Form::default().field("source", b"<bad>").artifact(&page("")).call(),
        Form::default().field("source", b"alone").call(),
        post("text/plain", b"no form".to_vec()),
        upload(b""),
        upload(b"no zip at all"),
        upload(&page("")[..40]),
        upload(&zip::write(&[])),
        upload(&zip::write(&files(1001))),
        odd(Entry::stored("../../up", b"")),
        odd(Entry::stored("/index.html", b"")),
        odd(Entry::stored("//", b"")),
        odd(Entry::stored("a/../../index.html", b"")),
        odd(Entry::link("link", "index.html")),
        odd(Entry::link("index.html/x", "..")),
        odd(Entry::link("loop", "loop")),
        odd(Entry::link("dir", ".")),
        odd(Entry::directory("empty")),
        odd(Entry { size: 40_000_001, ..Entry::stored("liar", b"") }),
        odd(Entry { size: 1, ..Entry::deflated("bomb", &[0; 100_000]) }),
        upload(&zip::overlapping(&files(3))),
        upload(&vec![b'x'; 10_000_001]),
    ];
    let deviations = assay_sim::world::deviations().iter().map(ToString::to_string).collect::<Vec<_>>();
    let liberties =
        assay_sim::world::liberties().iter().map(|liberty| liberty.name.to_owned()).collect::<Vec<_>>();
    let lies =
        deviations.into_iter().filter(|name| name.starts_with("drop.")).map(|name| (vec![name], Vec::new()));
    for (lies, liberties) in lies.chain([(Vec::new(), liberties)]) {
        let mut driver = Driver::new(1);
        driver.world.set_deviations(&lies).expect("known deviations");
        driver.world.set_liberties(&liberties).expect("known liberties");
        let mut claimed = 0;
        for (n, call) in calls.iter().enumerate() {
            driver.peer = [10, 0, 0, n as u8].into();
            let status = driver.ask(call).status;
            assert!((200..600).contains(&status), "{lies:?}: {status}");
            let roots: Vec<String> = driver.drops()["drops"]
                .as_object()
                .into_iter()
                .flatten()
                .filter_map(|(_, drop)| drop["root"].as_str().map(str::to_owned))
                .collect();
            for target in roots
                .iter()
                .flat_map(|root| ["", "/", "/link", "/dir/dir", "/empty"].map(|path| format!("{root}{path}")))
            {
                driver.look(&target);
            }
            let body = driver.ask(&upload(&page("claimed"))).body;
            let answer: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
            claimed += usize::from(driver.claim(answer["claimToken"].as_str().unwrap_or_default()).is_ok());
            driver.advance(3_600_000);
        }
        driver.advance(48 * 3_600_000);
        assert!(claimed > 0 || !lies.is_empty(), "claims are met");
    }
}

#[test]
fn bombs_of_forty_two_kilobytes_are_refused() {
    let zeros = vec![0; 42_000_000];
    let big = Entry::deflated("index.html", &zeros);
    let declared = |size| zip::write(&[Entry { size, ..big.clone() }]);
    let crc = |content: &[u8]| crc32fast::hash(content);
    let bombs = [
        ("its size told", declared(42_000_000), 413, "drop.zip.extracted-size"),
        ("told as the largest that is allowed", declared(40_000_000), 413, "drop.zip.counted"),
        ("told as a hundred bytes", declared(100), 413, "drop.zip.counted"),
        ("told as nothing", declared(0), 413, "drop.zip.counted"),
        ("told as four gigabytes", declared(u32::MAX - 1), 413, "drop.zip.extracted-size"),
        (
            "one more byte than told",
            {
                let entry = Entry::deflated("index.html", b"ab");
                zip::write(&[Entry { size: 1, crc: crc(b"a"), ..entry }])
            },
            400,
            "drop.zip.faithful",
        ),
        (
            "in a directory",
            zip::write(&[Entry { name: b"d/".to_vec(), ..big.clone() }]),
            400,
            "drop.zip.faithful",
        ),
        ("in a link", zip::write(&[Entry { mode: 0o120_777, ..big.clone() }]), 400, "drop.zip.faithful"),
        (
            "entries over the same data",
            {
                let half = Entry::deflated("a", &zeros[..30_000_000]);
                zip::overlapping(&vec![half; 100])
            },
            400,
            "drop.zip.faithful",
        ),
        (
            "small entries over the same data",
            zip::overlapping(&vec![Entry::stored("index.html", b"x"); 500]),
            400,
            "drop.zip.faithful",
        ),
        (
            "a link to a link to a link",
            {
                let links = (0..12).flat_map(|n| {
                    ["a", "b"].map(|name| Entry::link(&format!("d{n}/{name}"), &format!("../d{}", n + 1)))
                });
                let last = [Entry::stored("d12/x", &[b'x'; 10_000]), Entry::stored("index.html", b"")];
                zip::write(&links.chain(last).collect::<Vec<_>>())
            },
            413,
            "drop.zip.files",
        ),
    ];
    for (name, bomb, status, rule) in bombs {
        assert!(bomb.len() < 60_000, "{name}: {} bytes", bomb.len());
        let driver = expect(name, &upload(&bomb), status);
        assert_eq!(driver.refused_by(), rule, "{name}");
    }
    let inner = zip::of(&[("index.html", b""), ("bomb.zip", &declared(42_000_000))]);
    assert_eq!(Driver::new(1).post_zip(&inner), 200, "nobody opens a zip inside of a zip");
}

#[test]
fn a_hundred_thousand_entries_are_refused() {
    let entries = |of: fn(&str) -> Entry| -> Vec<u8> {
        let entries: Vec<Entry> = (0..100_000).map(|n| of(&format!("{n:05}"))).collect();
        zip::write(&entries)
    };
    for (name, zip, status) in [
        ("files", entries(|name| Entry::stored(name, b"")), 413),
        ("directories", entries(Entry::directory), 400),
        ("the same name", entries(|_| Entry::stored("index.html", b"")), 413),
        ("links", entries(|name| Entry::link(name, "")), 400),
    ] {
        assert!(zip.len() <= 10_000_000, "{name}: {} bytes", zip.len());
        expect(name, &upload(&zip), status);
    }
}

#[test]
fn a_body_in_a_thousand_frames_over_hours_is_a_body_too() {
    let zip = zip::of(&[("index.html", &b"slow".repeat(5_000))]);
    let call = upload(&zip);
    let mut driver = Driver::new(1);
    let exchange = driver.open(&call);
    for frame in call.body.chunks(call.body.len() / 1000) {
        driver.input(Input::Body(exchange, Bytes::copy_from_slice(frame)));
        driver.advance(20_000);
    }
    driver.input(Input::End(exchange));
    assert_eq!(driver.reply(exchange).map(|reply| reply.status), Some(200));
}

#[test]
fn exchanges_that_never_were_or_are_over_change_nothing() {
    let mut driver = Driver::new(1);
    driver.drop_page();
    let over = driver.world.next_exchange() - 1;
    let before = driver.drops();
    for exchange in [0, over, 99, u64::MAX] {
        for input in
            [Input::Body(exchange, Bytes::from_static(b"x")), Input::End(exchange), Input::Abort(exchange)]
        {
            driver.input(input);
        }
    }
    assert_eq!(driver.drops(), before);
}

#[test]
fn no_answer_lets_another_origin_read_it_and_no_key_is_looked_at() {
    let mut driver = Driver::new(1);
    let mut seen = BTreeSet::new();
    let mut ask = |driver: &mut Driver, call: &Call| {
        let mut call = call.clone();
        call.headers.push(("origin", b"https://elsewhere.example".to_vec()));
        call.headers.push(("authorization", b"Bearer x".to_vec()));
        call.headers.push(("access-control-request-method", b"POST".to_vec()));
        let reply = driver.ask(&call);
        let cross = reply.headers.keys().find(|name| name.as_str().starts_with("access-control"));
        assert_eq!(cross, None, "{}", show(&reply));
        seen.insert(reply.status);
        reply
    };
    let good = upload(&page(""));
    ask(&mut driver, &good);
    ask(&mut driver, &upload(b""));
    ask(&mut driver, &upload(&zip::of_length(10_000_001)));
    ask(&mut driver, &Call { method: "OPTIONS".to_owned(), ..get("/api/drop") });
    ask(&mut driver, &get("/nothing"));
    driver.set_faults(&json!([{ "fault": "drop.publish-fails", "times": 1 }]));
    ask(&mut driver, &good);
    let open = driver.open(&good);
    ask(&mut driver, &good);
    driver.input(Input::Abort(open));
    driver.set_faults(&json!([{ "fault": "drop.disabled", "times": 1 }]));
    ask(&mut driver, &good);
    assert_eq!(seen, BTreeSet::from([200, 400, 404, 405, 413, 429, 500, 503]));
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_bytes_are_answered(
        content_type in prop_oneof![Just(FORM.to_owned()), "[ -~]{0,60}", "multipart/form-data;[ -~]{0,30}"],
        body in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..2000),
            prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40).prop_map(|pieces| pieces.concat()),
        ],
    ) {
        answered(&post(&content_type, body))?;
    }

    #[test]
    fn a_good_form_with_some_bytes_changed_is_answered(
        edits in prop::collection::vec((any::<Index>(), any::<u8>(), 0..3u8), 1..6),
    ) {
        let entries = [
            Entry::deflated("index.html", b"<p>hello, hello, hello"),
            Entry::link("a/link", "../index.html"),
            Entry::directory("empty"),
        ];
        let mut body = Form::default().field("source", b"me").artifact(&zip::write(&entries)).bytes();
        for (at, byte, how) in edits {
            let at = at.index(body.len());
            match how {
                0 => body[at] = byte,
                1 => body.insert(at, byte),
                _ => drop(body.remove(at)),
            }
        }
        answered(&post(FORM, body))?;
    }

    #[test]
    fn any_target_is_answered(target in prop_oneof!["/live/[ -~]{0,20}", "[/%.a-f0-9]{0,30}", any::<String>()], inside: bool) {
        let mut driver = Driver::new(1);
        let dropped = driver.drop_zip(&zip::of(&[("index.html", b"page"), ("a/b.txt", b"file")]));
        let target = if inside { dropped.below(&target) } else { target };
        let reply = driver.look(&target);
        let known = match reply.status {
            200 => reply.body == "page" || reply.body == "file",
            301 => reply.headers["location"].to_str().is_ok_and(|to| to.starts_with(dropped.path()) && to.ends_with('/')),
            405 => target.starts_with("/api/drop"),
            status => status == 404,
        };
        prop_assert!(known, "{target:?}: {}", show(&reply));
    }
}

/// Pieces of forms and zips.
const PIECES: [&[u8]; 12] = [
    b"--assay",
    b"--",
    b"\r\n",
    b"\r\n\r\n",
    b"content-disposition: form-data; name=\"artifact\"",
    b"content-disposition: form-data; name=source",
    b"; filename=\"",
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"\0\0\xff\xff",
    b"index.html",
];

/// The same cases on every run, unless the environment asks for others.
fn config() -> ProptestConfig {
    let asked = ProptestConfig::default();
    let rng_seed = if asked.rng_seed == RngSeed::Random { RngSeed::Fixed(1) } else { asked.rng_seed };
    ProptestConfig { rng_seed, failure_persistence: None, ..asked }
}

/// The answer is documented, and only what was taken is kept.
fn answered(call: &Call) -> Result<(), TestCaseError> {
    let mut driver = Driver::new(1);
    let before = driver.drops();
    let reply = driver.ask(call);
    prop_assert!(DOCUMENTED.contains(&reply.status), "{}", show(&reply));
    prop_assert_eq!(driver.drops() == before, reply.status != 200);
    prop_assert_eq!(driver.drops()["uploads"].clone(), 0);
    Ok(())
}

/// The answer has that status and its form, nothing has changed, and a good upload still works.
fn expect(name: &str, call: &Call, status: u16) -> Driver {
    let mut driver = Driver::new(1);
    let before = driver.drops();
    let reply = driver.ask(call);
    assert_eq!(reply.status, status, "{name}: {}", show(&reply));
    assert!(DOCUMENTED.contains(&status) && crate::common::body_of(&reply)["error"].is_string(), "{name}");
    assert_eq!(driver.drops(), before, "{name} changed something");
    assert_eq!(driver.clone().post_zip(&page("")), 200, "after {name}");
    driver
}
