//! Zips with two readings, and zips that extract elsewhere. No sentence says what a server does with them beyond paths
//! that leave the root, so all of these are observed.

use assay_spec::drop::requirements::zip as rows;
use assay_spec::drop::zip::write::{End, Entry, Zip, extra};
use serde_json::json;

use super::{PAGE, altered, hex_text, site, stored};
use crate::case::{Case, Edit};
use crate::generate::drop::zip::archive;
use crate::generate::group::{Group, splice};

/// The reading by which a zip has one reading or is rejected.
const ONE: &str = "A-138/one-reading";
/// The reading by which a link inside the root is followed.
const FOLLOWED: &str = "A-106/followed";
/// The reading by which names are bytes.
const BYTES: &str = "A-140/names-are-bytes";

pub(super) fn cases(g: &mut Group) {
    names(g);
    pairs(g);
    links(g);
    headers(g);
    places(g);
    ends(g);
    data(g);
}

fn name(n: usize, name: &[u8]) -> impl FnOnce(&mut Vec<Entry>) {
    move |entries| entries[n] = entries[n].clone().both(|header| header.name = name.to_vec())
}

/// Adds a rejected form of the site: its entries altered.
fn odd<'g>(g: &'g mut Group, id: &str, why: &str, alter: impl FnOnce(&mut Vec<Entry>)) -> &'g mut Case {
    let case = altered(g, id, ("stored", site()), &rows::FAITHFUL, why, alter);
    case.read_as(ONE);
    case
}

fn names(g: &mut Group) {
    let long = [b"ab/".to_vec(), b"cd".repeat(128)].concat();
    let odd_names: [(&str, &[u8], &str); 14] = [
        ("name-dot", b"ab/./c.txt", "A segment of one dot."),
        ("name-empty-segment", b"ab//c.txt", "An empty segment."),
        ("name-inner-dots", b"ab/../c.txt", "Two dots that stay inside the root."),
        ("name-backslash", b"ab\\c.txt", "A backslash separates folders on some systems."),
        (
            "name-backslash-dots",
            b"..\\..\\c.txt",
            "A path that leaves the root where a backslash separates folders.",
        ),
        ("name-drive", b"C:/c.txt", "A drive letter."),
        ("name-drive-relative", b"C:c.txt", "A drive letter without a root."),
        ("name-share", b"\\\\host\\share\\c.txt", "A network share."),
        ("name-newline", b"ab/c\n.txt", "A newline in a name."),
        ("name-escape", b"ab/\x1b[2J.txt", "A control sequence of a terminal in a name."),
        ("name-delete", b"ab/c\x7f.txt", "U+007F in a name."),
        ("name-not-utf8", b"ab/c\xff.txt", "A name that is not UTF-8."),
        ("name-overlong", b"ab/\xc0\xaec.txt", "An overlong form of a dot."),
        ("name-segment-256", &long, "A segment of 256 bytes."),
    ];
    for (id, written, why) in odd_names {
        odd(g, id, why, name(2, written));
    }
}

/// Two entries with one place.
fn pairs(g: &mut Group) {
    odd(
        g,
        "twice",
        "Two entries have one name. Programs extract the first or the last.",
        name(2, b"css/site.css"),
    );
    odd(g, "twice-index", "Two pages are the root's index.html.", name(2, b"index.html"));
    odd(g, "file-and-folder", "A path is a file and a folder.", name(2, b"css/site.css/c.txt"));
    odd(g, "file-and-directory", "A path is a file and a directory.", name(2, b"index.html/c.txt"));
    let files = |first: &str, second: &str| {
        vec![stored("index.html", PAGE), stored(first, b"1\n"), stored(second, b"2\n")]
    };
    for (id, first, second, why) in [
        ("pair-case", "A.txt", "a.txt", "Names that differ in case are two files."),
        (
            "pair-forms",
            "caf\u{e9}.txt",
            "cafe\u{301}.txt",
            "Names that differ in their normal form are two files.",
        ),
        ("pair-blank", "a.txt", "a.txt ", "A blank at the end is part of a name."),
        ("pair-dot", "a.txt", "a.txt.", "A dot at the end is part of a name."),
    ] {
        g.accept(id, super::input(&files(first, second)), why).read_as(BYTES);
    }
}

fn linked(path: &str, target: &str) -> Vec<Entry> {
    let mut entries = site();
    let link = Entry::link(path, target)
        .both(|header| header.modified = entries[0].central.as_ref().map_or([0; 2], |of| of.modified));
    entries.push(link);
    entries
}

fn links(g: &mut Group) {
    for (id, path, target, why) in [
        ("link", "ab/d.txt", "c.txt", "A link to a file of its folder is that file."),
        ("link-up", "ab/d.css", "../css/site.css", "A link may go up inside the root."),
        ("link-folder", "de", "ab", "A link to a folder is that folder."),
    ] {
        g.accept(id, super::input(&linked(path, target)), why).read_as(FOLLOWED);
    }
    for (id, target, why) in [
        ("link-outside", "../../.txt", "A link leads out of the root."),
        ("link-absolute", "/c.txt", "A link is absolute."),
        ("link-dangling", "x.txt", "A link leads to nothing."),
        ("link-itself", "d.txt", "A link leads to itself."),
    ] {
        let before = linked("ab/d.txt", "c.txt");
        altered(g, id, ("link", before), &rows::FAITHFUL, why, |entries| {
            *entries = linked("ab/d.txt", target);
        })
        .read_as(ONE);
    }
}

/// Headers that need more than a simple reader has, or contradict each other.
fn headers(g: &mut Group) {
    type Change = fn(Entry) -> Entry;
    let of =
        |n: usize, change: Change| move |entries: &mut Vec<Entry>| entries[n] = change(entries[n].clone());
    let changes: [(&str, Change, &str); 17] = [
        ("encrypted", |one| one.both(|header| header.flags |= 1), "The flag of encryption."),
        (
            "encrypted-strong",
            |one| one.both(|header| header.flags |= 1 << 6),
            "The flag of strong encryption.",
        ),
        ("directory-masked", |one| one.both(|header| header.flags |= 1 << 13), "The flag of masked headers."),
        ("method-bzip2", |one| one.both(|header| header.method = 12), "The method is bzip2."),
        ("method-unknown", |one| one.both(|header| header.method = 77), "The method is unknown."),
        (
            "local-name",
            |one| one.local(|header| header.name = b"ab/d.txt".to_vec()),
            "The two headers have different names.",
        ),
        (
            "local-method",
            |one| one.local(|header| header.method = 8),
            "The two headers have different methods.",
        ),
        ("local-size", |one| one.local(|header| header.size += 1), "The two headers have different sizes."),
        (
            "local-compressed",
            |one| one.local(|header| header.compressed -= 1),
            "The two headers have different lengths of the data.",
        ),
        ("local-crc", |one| one.local(|header| header.crc ^= 1), "The two headers have different checksums."),
        (
            "local-flags",
            |one| one.local(|header| header.flags |= 1),
            "Only the local header has the flag of encryption.",
        ),
        ("crc", |one| one.both(|header| header.crc ^= 1), "The checksum is wrong."),
        (
            "size-less",
            |one| one.both(|header| header.size -= 1),
            "The headers declare a byte less than the data has.",
        ),
        ("device", |one| one.mode(0o020_666), "The mode is that of a device."),
        (
            "mode-directory",
            |one| one.mode(0o040_755),
            "The mode is that of a directory, the name that of a file.",
        ),
        ("disk", |one| one.central(|header| header.disk = 1), "The entry is on another disk."),
        ("second-name", second_name, "An extra field has another name."),
    ];
    for (id, change, why) in changes {
        odd(g, id, why, of(2, change));
    }
}

/// The extra field of Info-ZIP for a Unicode path, with another name.
fn second_name(entry: Entry) -> Entry {
    let field = [&[1, 0, 0, 0, 0][..], b"ab/d.txt"].concat();
    entry.both(|header| header.extra = extra(0x7075, &field))
}

/// Entries that are not where they should be.
fn places(g: &mut Group) {
    odd(g, "before", "Bytes before the first entry.", |entries| entries[0].gap = b"#!/bin/sh\n".to_vec());
    odd(g, "between", "Bytes between two entries.", |entries| entries[1].gap = b"gap".to_vec());
    odd(g, "offset", "The directory has the wrong place of an entry.", |entries| {
        entries[2] = entries[2].clone().central(|header| header.offset = Some(1));
    });
    odd(g, "descriptor-wrong", "A data descriptor has another checksum.", |entries| {
        entries[2] = entries[2].clone().streamed(true, false);
        entries[2].descriptor[4] ^= 1;
    });
}

/// End records that contradict the zip, or that are found only by some readers.
fn ends(g: &mut Group) {
    type Change = fn(&mut End);
    let changes: [(&str, Change, &str); 8] = [
        (
            "end-entries-less",
            |end| (end.entries, end.entries_here) = (2, 2),
            "The end record counts an entry less.",
        ),
        (
            "end-entries-more",
            |end| (end.entries, end.entries_here) = (4, 4),
            "The end record counts an entry more.",
        ),
        ("end-entries-here", |end| end.entries_here = 2, "The end record counts fewer entries on its disk."),
        ("end-disk", |end| end.disk = 1, "The end record is on another disk."),
        ("end-size", |end| end.size -= 1, "The end record has another size of the directory."),
        ("end-offset", |end| end.offset += 1, "The end record has another place of the directory."),
        (
            "end-comment-length",
            |end| end.comment_length = Some(3),
            "The comment is shorter than its length says.",
        ),
        ("after", |end| end.after = b"after".to_vec(), "Bytes after the end record."),
    ];
    for (id, change, why) in changes {
        let zip = Zip::with_entries(site());
        let (before, after) = (zip.bytes(), zip.bytes_with(change));
        g.reject(id, "stored", whole(&before, &after), &rows::FAITHFUL, why).read_as(ONE);
    }
    let zip = Zip::with_entries(site());
    let wide = zip.bytes_with(End::widen);
    g.accept(
        "end-wide",
        json!({"zip": {"hex": hex_text(&wide)}}),
        "A 64-bit end record that a small zip does not need.",
    )
    .read_as("A-138/wide-end");
    let commented = zip.bytes_with(|end| end.comment = b"a comment".to_vec());
    g.accept("end-comment", json!({"zip": {"hex": hex_text(&commented)}}), "A comment.");
}

/// The one edit that turns a short zip into another.
fn whole(before: &[u8], after: &[u8]) -> Vec<Edit> {
    let front = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let shorter = before.len().min(after.len()) - front;
    let back = before.iter().rev().zip(after.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
    let old = hex_text(&before[front..before.len() - back]);
    vec![splice("/in/zip", front, old, hex_text(&after[front..after.len() - back]))]
}

/// Deflated data with more or less than the content.
fn data(g: &mut Group) {
    let stream = crate::bytes::parse_hex("4bcecf2d284a2d2e4e4d5148c6c6e40200").expect("hex");
    let text = b"compressed compressed compressed\n";
    let files = |data: Vec<u8>| vec![stored("index.html", PAGE), super::deflated("a.txt", text, data)];
    let cut = stream[..stream.len() - 1].to_vec();
    let more = [&stream[..], b"\0"].concat();
    for (id, data, why) in [
        ("deflate-cut", cut, "The compressed data is cut off."),
        ("deflate-more", more, "Bytes follow the compressed data inside the entry."),
        ("deflate-broken", [&[0xff], &stream[1..]].concat(), "The compressed data is not deflate."),
    ] {
        let before = archive(&files(stream.clone()));
        let edits = crate::generate::drop::zip::edits(&before, &archive(&files(data)));
        g.reject(id, "deflated", edits, &rows::FAITHFUL, why).read_as(ONE);
    }
}
