//! Hostile uploads: a documented response, nothing stored, the slot free, and the next valid upload accepted.

use assay_sim::Input;
use assay_sim::journal::{Event, KEPT_BYTES};
use assay_spec::drop::zip::write::Entry;
use bytes::Bytes;

use crate::common::drop::{FORM, Form, expect, get, post, upload};
use crate::common::zip;
use crate::common::{Call, Driver};

#[test]
fn hundred_megabytes_are_answered_after_twenty() {
    let mut driver = Driver::new(1);
    let exchange = driver.open(&upload(b""));
    let frame = Bytes::from(vec![b'x'; 1 << 16]);
    let mut answered = None;
    for n in 1..=1600 {
        driver.input(Input::Body(exchange, frame.clone()));
        answered = answered.or(driver.reply(exchange).map(|reply| (n, reply.status)));
    }
    assert_eq!(answered, Some((307, 413)), "20,065,536 bytes are 306.2 frames");
    assert_eq!(driver.world.core.journal.count(), 1 + 307 + 3, "input after the answer is not recorded");
    driver.input(Input::End(exchange));
    assert_eq!((driver.world.receiving(), driver.world.waiting()), (0, 0));
    driver.drop_page();
}

#[test]
fn journal_of_large_heads_and_bodies_is_bounded() {
    let mut driver = Driver::new(1);
    let mut call = upload(&zip::of_length(10_000_001));
    call.headers.push(("x-pad", vec![b'x'; 1_000_000]));
    for _ in 0..10 {
        assert_eq!(driver.exchange(&call).status, 413);
        (0..5).for_each(|_| drop(driver.exchange(&Call { headers: call.headers.clone(), ..get("/") })));
    }
    let size = |event: &Event| match event {
        Event::Body(bytes) | Event::Frame(bytes) => bytes.len(),
        Event::Head(_, headers) => headers.values().map(http::HeaderValue::len).sum(),
        _ => 0,
    };
    let journal = &driver.world.core.journal;
    let held: usize = journal.entries().map(|(_, entry)| size(&entry.event)).sum();
    assert!((KEPT_BYTES / 2..=KEPT_BYTES).contains(&held), "{held}");
    let (first, kept) = (journal.entries().next().map(|(number, _)| number), journal.entries().count());
    assert_eq!(first, Some(journal.count() - kept as u64), "the latest entries are kept");
}

#[test]
fn reasons_are_cut_before_they_are_logged() {
    let mut driver = Driver::new(1);
    let name = "\u{e9}".repeat(1_000_000);
    let cut_off = Form::default().field(&name, &[]).bytes();
    assert_eq!(driver.exchange(&post(FORM, cut_off[..cut_off.len() - 10].to_vec())).status, 400);
    let why = driver.world.core.log.lines().last().expect("a line").why.clone();
    assert!(why.contains("\u{e9}\u{e9}") && why.chars().count() <= 501, "{}", why.len());
}

#[test]
fn zip_bombs_of_42_kilobytes_are_rejected() {
    let zeros = vec![0; 42_000_000];
    let big = Entry::deflated("index.html", &zeros);
    let declared = |size| zip::write(&[big.clone().both(|header| header.size = size)]);
    let crc = |content: &[u8]| crc32fast::hash(content);
    let bombs = [
        ("its true size declared", declared(42_000_000), 413, "drop.zip.extracted-size"),
        ("the largest allowed size declared", declared(40_000_000), 413, "drop.zip.counted"),
        ("a hundred bytes declared", declared(100), 413, "drop.zip.counted"),
        ("zero bytes declared", declared(0), 413, "drop.zip.counted"),
        ("four gigabytes declared", declared(u32::MAX - 1), 413, "drop.zip.extracted-size"),
        (
            "one more byte than declared",
            {
                let entry = Entry::deflated("index.html", b"ab");
                zip::write(&[entry.both(|header| (header.size, header.crc) = (1, crc(b"a")))])
            },
            400,
            "drop.zip.faithful",
        ),
        (
            "in a directory",
            zip::write(&[big.clone().both(|header| header.name = b"d/".to_vec())]),
            400,
            "drop.zip.faithful",
        ),
        ("in a link", zip::write(&[big.clone().mode(0o120_777)]), 400, "drop.zip.faithful"),
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
                    ["a", "b"].map(|name| Entry::link(format!("d{n}/{name}"), format!("../d{}", n + 1)))
                });
                let last = [Entry::stored("d12/x", [b'x'; 10_000]), Entry::stored("index.html", b"")];
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
    let inner = zip::from_files(&[("index.html", b""), ("bomb.zip", &declared(42_000_000))]);
    assert_eq!(Driver::new(1).post_zip(&inner), 200, "a zip inside a zip is not opened");
}

#[test]
fn hundred_thousand_entries_are_rejected() {
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
fn body_may_arrive_in_a_thousand_frames_over_hours() {
    let zip = zip::from_files(&[("index.html", &b"slow".repeat(5_000))]);
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
fn unknown_and_finished_exchanges_change_nothing() {
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
