//! Records that contradict each other, and bytes that belong to nothing.

use assay_spec::drop::requirements::zip::FAITHFUL;

use super::{accepted, content, judge, paths, refused};
use crate::zip::writer::{DESCRIPTOR, End, Entry, FULL, Header, Zip};

pub(crate) fn conforming() -> Zip {
    Zip::site([Entry::deflated("css/site.css", "body {}".repeat(30)), Entry::stored("a", "a")])
}

/// Refused for these words, and taken whole when that does not matter.
#[track_caller]
pub(crate) fn refused_only(words: &str, zip: &[u8]) {
    assert_eq!(paths(&refused(&FAITHFUL, words, zip)), ["a", "css/site.css", "index.html"]);
}

#[track_caller]
pub(crate) fn refused_end(words: &str, change: impl FnOnce(&mut End)) {
    refused_only(words, &conforming().bytes_with(change));
}

#[track_caller]
pub(crate) fn refused_entry(words: &str, entry: Entry) {
    refused(&FAITHFUL, words, &Zip::site([entry]).bytes());
}

#[test]
fn a_comment_ends_the_zip() {
    accepted(&conforming().bytes_with(|end| end.comment = vec![b'c'; 65_535]));
    refused_end("1 bytes behind the end", |end| end.after = b"\n".to_vec());
    refused_end("70 bytes behind the end", |end| end.after = vec![0; 70]);
    refused_end("the comment breaks off", |end| end.comment_length = Some(1));
    let inner = Zip::default().bytes();
    let two = conforming().bytes_with(|end| end.comment = inner);
    let refused = judge(&two).expect_err("the last one tells of no entries");
    assert_eq!((refused.rule, &refused.why[..]), (&FAITHFUL, "two end records"));
    accepted(&Zip::site([Entry::stored("inner.zip", Zip::site([]).bytes())]).bytes());
}

#[test]
fn a_zip_is_one_file() {
    refused_end("one of several", |end| end.disk = 1);
    refused_end("one of several", |end| end.directory_disk = 1);
    refused_end("one of several", |end| end.entries_here = 2);
    refused_entry("on disk 1", Entry::stored("a", "").central(|header| header.disk = 1));
}

#[test]
fn the_end_record_tells_the_truth() {
    refused_end("3 entries where 4 are declared", |end| (end.entries, end.entries_here) = (4, 4));
    refused_end("3 entries where 0 are declared", |end| (end.entries, end.entries_here) = (0, 0));
    refused_end("does not end at", |end| end.size += 1);
    refused_end("does not end at", |end| end.size = 0);
    refused_end("does not end at", |end| end.offset += 1);
    refused_end("does not end at", |end| end.offset = 0);
    refused_end("does not end at", |end| end.offset = FULL);
}

#[test]
fn nothing_stands_before_between_or_behind_the_entries() {
    let mut zip = conforming();
    zip.entries[0].gap = b"#!/bin/sh\n".to_vec();
    refused_only("10 bytes before it belong to no entry", &zip.bytes());
    let mut zip = conforming();
    zip.entries[1].gap = b"x".to_vec();
    refused_only("\"css/site.css\": 1 bytes before it", &zip.bytes());
    let mut zip = conforming();
    zip.gap = b"behind".to_vec();
    refused_only("6 bytes before the directory", &zip.bytes());
    let mut zip = conforming();
    zip.entries[1].central = None;
    let taken = refused(&FAITHFUL, "bytes before it belong to no entry", &zip.bytes());
    assert_eq!(paths(&taken), ["a", "index.html"]);
    // Offsets that do not count what was put before.
    let moved = [b"MZ".to_vec(), conforming().bytes()].concat();
    refused_only("does not end at", &moved);
}

#[test]
fn both_headers_of_an_entry_agree() {
    let entry = || Entry::deflated("b", "bbbbbbbbbb");
    refused_entry("has another name", entry().local(|header| header.name = b"c".to_vec()));
    refused_entry("has another name", entry().local(|header| header.name = b"../b".to_vec()));
    refused_entry("other flags or another method", entry().local(|header| header.method = 0));
    refused_entry("other flags or another method", entry().local(|header| header.flags = 1 << 11));
    refused_entry("other sizes or another CRC-32", entry().local(|header| header.crc += 1));
    refused_entry("other sizes or another CRC-32", entry().local(|header| header.size += 1));
    refused_entry("other sizes or another CRC-32", entry().local(|header| header.compressed = 0));
    refused_entry("no local header", entry().central(|header| header.offset = Some(1)));
    refused_entry("no local header", entry().central(|header| header.offset = Some(FULL - 1)));
}

#[test]
fn entries_do_not_overlap() {
    let shared = |name: &str| Entry { local: None, data: Vec::new(), ..Entry::stored(name, "hello") };
    let copy = shared("index2.html").central(|header| header.offset = Some(0));
    let taken = refused(&FAITHFUL, "has another name", &Zip::site([copy]).bytes());
    assert_eq!(content(&taken, "index2.html"), b"hello");

    // One entry's data holds the other one whole.
    let inner = Zip::of([Entry::stored("b", "inner")]).bytes();
    let inner = &inner[..inner.windows(4).position(|window| window == b"PK\x01\x02").expect("a directory")];
    let outer = Entry::stored("a", inner);
    let page = Zip::site([]).bytes();
    let at = page.windows(4).position(|window| window == b"PK\x01\x02").expect("a directory");
    let hidden = Entry { local: None, data: Vec::new(), ..Entry::stored("b", "inner") };
    let hidden = hidden.central(|header| header.offset = Some(at as u32 + 31));
    let taken = refused(&FAITHFUL, "within the entry that ends at", &Zip::site([outer, hidden]).bytes());
    assert_eq!(content(&taken, "b"), b"inner");

    let reaching = Entry::stored("c", "c").both(|header| (header.compressed, header.size) = (90, 90));
    refused_entry("reaches into the directory", reaching);
}

#[test]
fn descriptors_follow_the_data_and_tell_the_truth() {
    for signed in [false, true] {
        for wide in [false, true] {
            let streamed = |entry: Entry| entry.streamed(signed, wide);
            let zip = conforming().entries.into_iter().map(streamed);
            assert_eq!(accepted(&Zip::of(zip).bytes()), accepted(&conforming().bytes()));
            let change = |at: usize| {
                let mut entry = streamed(Entry::deflated("b", "bbb"));
                let at = entry.descriptor.len() - 1 - at;
                entry.descriptor[at] ^= 1;
                entry
            };
            let numbers = if wide { [0, 8, 16] } else { [0, 4, 8] };
            for at in numbers {
                refused_entry("no data descriptor of it", change(at));
            }
        }
    }
    let entry = || Entry::deflated("b", "bbb").streamed(true, false);
    refused_entry("no data descriptor", Entry { descriptor: Vec::new(), ..entry() });
    let mut unsigned = entry();
    unsigned.descriptor[0] = b'Q';
    refused_entry("no data descriptor", unsigned);
    // The numbers that are known may stand in the local header as well, if they are right.
    let known = entry().central.expect("the directory knows it");
    let tell = |header: &mut Header| {
        (header.crc, header.compressed, header.size) = (known.crc, known.compressed, known.size);
    };
    accepted(&Zip::site([entry().local(tell)]).bytes());
    accepted(&Zip::site([entry().local(|header| header.size = known.size)]).bytes());
    refused_entry("other sizes", entry().local(|header| header.crc = 1));
    refused_entry("other sizes", entry().local(tell).local(|header| header.size += 1));
    refused_entry("other flags", entry().local(|header| header.flags &= !DESCRIPTOR));
}

#[test]
fn flags_and_methods_that_we_do_not_know_are_refused() {
    for bit in [0, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15] {
        refused_entry("encrypted, or flags", Entry::stored("b", "b").both(|header| header.flags = 1 << bit));
    }
    for bit in [1, 2, 11] {
        let zip = Zip::site([Entry::deflated("b", "b").both(|header| header.flags = 1 << bit)]);
        accepted(&zip.bytes());
    }
    for method in [1, 6, 9, 12, 14, 93, 95, 99, u16::MAX] {
        let words = format!("compression method {method}");
        refused_entry(&words, Entry::stored("b", "b").both(|header| header.method = method));
    }
}
