//! Contents that differ from what the headers declare.

use super::{accepted, content};
use crate::zip::structure::refused_entry;
use assay_spec::drop::zip::write::{Entry, Zip};

#[test]
fn wrong_checksum_or_size_is_rejected() {
    for entry in [Entry::stored("b", "content"), Entry::deflated("b", "content")] {
        refused_entry("CRC-32", entry.clone().both(|header| header.crc ^= 1));
        refused_entry("7 bytes, but 6 are declared", entry.clone().both(|header| header.size = 6));
        refused_entry("7 bytes, but 8 are declared", entry.clone().both(|header| header.size = 8));
        refused_entry("7 bytes, but 0 are declared", entry.both(|header| header.size = 0));
    }
}

#[test]
fn deflate_stream_must_fill_its_entry() {
    let stream = Entry::deflated("b", "content").data;
    accepted(&Zip::site([Entry::inflating("b", b"content", stream.clone())]).bytes());
    let longer = [&stream[..], b"x"].concat();
    refused_entry("bytes after the deflate stream", Entry::inflating("b", b"content", longer));
    let shorter = stream[..stream.len() - 1].to_vec();
    refused_entry("the deflate stream is incomplete or invalid", Entry::inflating("b", b"content", shorter));
    refused_entry("the deflate stream is incomplete or invalid", Entry::inflating("b", b"", Vec::new()));
    refused_entry(
        "the deflate stream is incomplete or invalid",
        Entry::inflating("b", b"content", vec![0xff; 9]),
    );
    // A match that begins before the data.
    refused_entry(
        "the deflate stream is incomplete or invalid",
        Entry::inflating("b", b"aaa", vec![0x03, 0x02, 0x00]),
    );
}

#[test]
fn directory_with_content_is_rejected() {
    refused_entry("more than 0 bytes", Entry::stored("d/", "x"));
    refused_entry("more than 0 bytes", Entry::deflated("d/", "x"));
    accepted(&Zip::site([Entry::deflated("d/", "")]).bytes());
}

#[test]
fn names_and_modes_must_agree() {
    let entry = |name| Entry::stored(name, "");
    for (name, mode) in [("f", 0o100_644), ("f", 0o644), ("d/", 0o040_755), ("d/", 0o755), ("f", 0)] {
        accepted(&Zip::site([entry(name).mode(mode)]).bytes());
    }
    refused_entry("its mode says Directory", entry("f").mode(0o040_755));
    refused_entry("its mode says Directory", entry("f").central(|header| header.attributes = 0x10));
    refused_entry("its mode says File", entry("d/").mode(0o100_644));
    refused_entry("its mode says Link", entry("d/").mode(0o120_777));
    for (kind, mode) in [("0o1", 0o010_644), ("0o2", 0o020_644), ("0o6", 0o060_644), ("0o14", 0o140_644)] {
        refused_entry(&format!("a special file of type {kind}"), entry("f").mode(mode));
    }
    accepted(&Zip::site([entry("d/").central(|header| header.attributes = 0x10)]).bytes());
}

#[test]
fn empty_files_are_accepted_stored_and_deflated() {
    let zip = Zip::site([Entry::stored("a", ""), Entry::deflated("b", "")]).bytes();
    let site = accepted(&zip);
    assert_eq!((content(&site, "a"), content(&site, "b")), (&b""[..], &b""[..]));
}
