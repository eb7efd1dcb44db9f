//! Records that contradict each other, and bytes that belong to no record.

use assay_spec::drop::requirements::zip::FAITHFUL;

use super::{accepted, content, judge, paths, refused};
use assay_spec::drop::zip::write::{DESCRIPTOR, End, Entry, FULL, Header, Zip};

pub(crate) fn conforming() -> Zip {
    Zip::site([Entry::deflated("css/site.css", "body {}".repeat(30)), Entry::stored("a", "a")])
}

/// Asserts that the zip is rejected with these words, and fully extracted if the rule is violated.
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
fn comment_must_end_the_zip() {
    accepted(&conforming().bytes_with(|end| end.comment = vec![b'c'; 65_535]));
    refused_end("1 bytes after the end record", |end| end.after = b"\n".to_vec());
    refused_end("70 bytes after the end record", |end| end.after = vec![0; 70]);
    refused_end("the comment is truncated", |end| end.comment_length = Some(1));
    let inner = Zip::default().bytes();
    let two = conforming().bytes_with(|end| end.comment = inner);
    let refused = judge(&two).expect_err("the last one declares no entries");
    assert_eq!((refused.rule, &refused.why[..]), (&FAITHFUL, "two end records"));
    accepted(&Zip::site([Entry::stored("inner.zip", Zip::site([]).bytes())]).bytes());
}

#[test]
fn multi_disk_zip_is_rejected() {
    refused_end("spans several disks", |end| end.disk = 1);
    refused_end("spans several disks", |end| end.directory_disk = 1);
    refused_end("spans several disks", |end| end.entries_here = 2);
    refused_entry("on disk 1", Entry::stored("a", "").central(|header| header.disk = 1));
}

#[test]
fn wrong_end_record_is_rejected() {
    refused_end("3 entries, but 4 are declared", |end| (end.entries, end.entries_here) = (4, 4));
    refused_end("3 entries, but 0 are declared", |end| (end.entries, end.entries_here) = (0, 0));
    refused_end("does not end at", |end| end.size += 1);
    refused_end("does not end at", |end| end.size = 0);
    refused_end("does not end at", |end| end.offset += 1);
    refused_end("does not end at", |end| end.offset = 0);
    refused_end("does not end at", |end| end.offset = FULL);
}

#[test]
fn extra_bytes_around_entries_are_rejected() {
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
    let extracted = refused(&FAITHFUL, "bytes before it belong to no entry", &zip.bytes());
    assert_eq!(paths(&extracted), ["a", "index.html"]);
    // Offsets that do not count the prepended bytes.
    let moved = [b"MZ".to_vec(), conforming().bytes()].concat();
    refused_only("does not end at", &moved);
}

#[test]
fn both_headers_of_an_entry_must_agree() {
    let entry = || Entry::deflated("b", "bbbbbbbbbb");
    refused_entry("has a different name", entry().local(|header| header.name = b"c".to_vec()));
    refused_entry("has a different name", entry().local(|header| header.name = b"../b".to_vec()));
    refused_entry("different flags or a different method", entry().local(|header| header.method = 0));
    refused_entry("different flags or a different method", entry().local(|header| header.flags = 1 << 11));
    refused_entry("different sizes or a different CRC-32", entry().local(|header| header.crc += 1));
    refused_entry("different sizes or a different CRC-32", entry().local(|header| header.size += 1));
    refused_entry("different sizes or a different CRC-32", entry().local(|header| header.compressed = 0));
    refused_entry("no local header", entry().central(|header| header.offset = Some(1)));
    refused_entry("no local header", entry().central(|header| header.offset = Some(FULL - 1)));
}

#[test]
fn overlapping_entries_are_rejected() {
    let shared = |name: &str| Entry { local: None, data: Vec::new(), ..Entry::stored(name, "hello") };
    let copy = shared("index2.html").central(|header| header.offset = Some(0));
    let extracted = refused(&FAITHFUL, "has a different name", &Zip::site([copy]).bytes());
    assert_eq!(content(&extracted, "index2.html"), b"hello");

    // One entry's data contains the whole other entry.
    let inner = Zip::with_entries([Entry::stored("b", "inner")]).bytes();
    let inner = &inner[..inner.windows(4).position(|window| window == b"PK\x01\x02").expect("a directory")];
    let outer = Entry::stored("a", inner);
    let page = Zip::site([]).bytes();
    let at = page.windows(4).position(|window| window == b"PK\x01\x02").expect("a directory");
    let hidden = Entry { local: None, data: Vec::new(), ..Entry::stored("b", "inner") };
    let hidden = hidden.central(|header| header.offset = Some(at as u32 + 31));
    let extracted = refused(&FAITHFUL, "within the entry that ends at", &Zip::site([outer, hidden]).bytes());
    assert_eq!(content(&extracted, "b"), b"inner");

    let reaching = Entry::stored("c", "c").both(|header| (header.compressed, header.size) = (90, 90));
    refused_entry("overlaps the directory", reaching);
}

#[test]
fn wrong_descriptor_is_rejected() {
    for signed in [false, true] {
        for wide in [false, true] {
            let streamed = |entry: Entry| entry.streamed(signed, wide);
            let zip = conforming().entries.into_iter().map(streamed);
            assert_eq!(accepted(&Zip::with_entries(zip).bytes()), accepted(&conforming().bytes()));
            let change = |at: usize| {
                let mut entry = streamed(Entry::deflated("b", "bbb"));
                let at = entry.descriptor.len() - 1 - at;
                entry.descriptor[at] ^= 1;
                entry
            };
            let numbers = if wide { [0, 8, 16] } else { [0, 4, 8] };
            for at in numbers {
                refused_entry("its data descriptor is not between", change(at));
            }
        }
    }
    let entry = || Entry::deflated("b", "bbb").streamed(true, false);
    refused_entry("its data descriptor is not", Entry { descriptor: Vec::new(), ..entry() });
    let mut unsigned = entry();
    unsigned.descriptor[0] = b'Q';
    refused_entry("its data descriptor is not", unsigned);
    // Known numbers may also be in the local header, if they are right.
    let known = entry().central.expect("it has a central header");
    let tell = |header: &mut Header| {
        (header.crc, header.compressed, header.size) = (known.crc, known.compressed, known.size);
    };
    accepted(&Zip::site([entry().local(tell)]).bytes());
    accepted(&Zip::site([entry().local(|header| header.size = known.size)]).bytes());
    refused_entry("different sizes", entry().local(|header| header.crc = 1));
    refused_entry("different sizes", entry().local(tell).local(|header| header.size += 1));
    refused_entry("different flags", entry().local(|header| header.flags &= !DESCRIPTOR));
}

#[test]
fn unknown_flags_and_methods_are_rejected() {
    for bit in [0, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15] {
        refused_entry("unsupported flags", Entry::stored("b", "b").both(|header| header.flags = 1 << bit));
    }
    for bit in [1, 2, 11] {
        let zip = Zip::site([Entry::deflated("b", "b").both(|header| header.flags = 1 << bit)]);
        accepted(&zip.bytes());
    }
    for method in [1, 6, 9, 12, 14, 93, 95, 99, u16::MAX] {
        let words = format!("unsupported compression method {method}");
        refused_entry(&words, Entry::stored("b", "b").both(|header| header.method = method));
    }
}
