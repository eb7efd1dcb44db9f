//! `drop.inspect_zip`: zips that may be dropped, and those that the document refuses.

use assay_spec::Id;
use assay_spec::drop::requirements::zip as rows;
use serde_json::{Value, json};

use super::group::{Group, set};
use super::zip::{Entry, Piece, archive, edits, recipe};
use crate::bytes::hex;
use crate::case::Case;

/// A megabyte is read as 1,000,000 bytes.
const DECIMAL: &str = "A-094/decimal";

const PAGE: &[u8] = b"<!doctype html><title>site</title><link rel=\"stylesheet\" href=\"css/site.css\">\n";

pub(super) fn cases() -> Vec<Case> {
    let mut g = Group::new("drop/inspect-zip", "drop.inspect_zip", "src/generate/inspect_zip.rs", rows::ALL);
    accepts(&mut g);
    foreign(&mut g);
    form(&mut g);
    paths(&mut g);
    limits(&mut g);
    g.cases
}

fn input(entries: &[Entry]) -> Value {
    json!({"zip": recipe(&archive(entries))})
}

/// A page and two more files.
fn site() -> Vec<Entry> {
    vec![
        Entry::stored("index.html", PAGE),
        Entry::stored("css/site.css", b"body{margin:0}\n"),
        Entry::stored("ab/c.txt", b"text\n"),
    ]
}

/// The base with its entries altered.
fn altered<'g>(
    g: &'g mut Group,
    name: &str,
    base: (&str, Vec<Entry>),
    row: Id,
    why: &str,
    alter: impl FnOnce(&mut Vec<Entry>),
) -> &'g mut Case {
    let (base, before) = base;
    let mut after = before.clone();
    alter(&mut after);
    g.reject(name, base, edits(&archive(&before), &archive(&after)), row, why)
}

fn accepts(g: &mut Group) {
    g.accept("stored", input(&site()), "Three files, stored.");
    let mut reversed = site();
    reversed.reverse();
    g.accept("stored-reversed", input(&reversed), "Another order, the same identifier.");
    let text = b"compressed compressed compressed\n";
    // Written by zlib.
    let deflated = crate::bytes::parse_hex("4bcecf2d284a2d2e4e4d5148c6c6e40200").expect("hex");
    let files = |entry: Entry| vec![Entry::stored("index.html", PAGE), entry];
    for (name, entry, why) in [
        ("deflated", Entry::deflated("a.txt", text, deflated.clone()), "A deflated file."),
        ("not-deflated", Entry::stored("a.txt", text), "The same file stored: the same identifier."),
        (
            "descriptor",
            Entry::deflated("a.txt", text, deflated.clone()).described(),
            "Its sizes stand behind its data.",
        ),
        (
            "wide",
            Entry::deflated("a.txt", text, deflated).wide(),
            "Its sizes stand in the 64-bit extra fields.",
        ),
        (
            "dotfile",
            Entry::stored(".well-known/security.txt", b"contact\n"),
            "A dotfile is a file like others.",
        ),
        ("directory", Entry::stored("ab/", b""), "A directory without files is no file, and left out."),
        ("directory-named", Entry::stored("a/b/c.txt", b"1"), "Directories need no entries of their own."),
        ("unicode", Entry::stored("caf\u{e9}/\u{1f600}.txt", b"1"), "Names are UTF-8, and the flag says so."),
        ("empty-file", Entry::stored("a.txt", b""), "An empty file."),
    ] {
        g.accept(name, input(&files(entry)), why);
    }
}

/// What other people's programs write of one and the same folder.
fn foreign(g: &mut Group) {
    for (name, zip, why) in [
        ("by-python", &include_bytes!("foreign/python.zip")[..], "Written by Python 3.11's zipfile."),
        (
            "by-infozip",
            include_bytes!("foreign/infozip.zip"),
            "Written by Info-ZIP 3.0, with directories and Unix times.",
        ),
        (
            "by-infozip-streamed",
            include_bytes!("foreign/infozip-streamed.zip"),
            "Written by Info-ZIP 3.0 into a pipe: descriptors behind the data.",
        ),
        ("by-7zip", include_bytes!("foreign/7z.zip"), "Written by 7-Zip 26.02."),
        ("by-jar", include_bytes!("foreign/jar.zip"), "Written by the jar of Java 17, with descriptors."),
    ] {
        g.accept(name, json!({"zip": hex(zip)}), why);
    }
}

fn form(g: &mut Group) {
    let zip = g.input("stored")["zip"].clone();
    for (name, new, why) in [
        ("form-empty", json!({"hex": ""}), "No byte is no zip."),
        ("form-page", json!({"utf8": "<!doctype html>\n"}), "A page is no zip."),
    ] {
        g.reject(name, "stored", [set("/in/zip", zip.clone(), new)], &rows::FORM, why);
    }
    for (name, place, why) in [
        ("form-end-record", "PK\u{5}\u{6}", "Without an end record there is no directory."),
        ("form-directory", "PK\u{1}\u{2}", "The directory is no directory."),
    ] {
        let edit = g.change("stored", "/in/zip", place, &place.replace('P', "p"));
        g.reject(name, "stored", [edit], &rows::FORM, why);
    }
    let whole = crate::edit::content(&zip).expect("bytes");
    let cut = super::group::splice("/in/zip", whole.len() - 8, hex_text(&whole[whole.len() - 8..]), "");
    g.reject("form-cut", "stored", [cut], &rows::FORM, "The end record breaks off.");
}

fn hex_text(bytes: &[u8]) -> String {
    assay_spec::crypto::text::hex(bytes)
}

fn paths(g: &mut Group) {
    let named =
        |n: usize, name: &'static str| move |entries: &mut Vec<Entry>| name.clone_into(&mut entries[n].name);
    let base = || ("stored", site());
    let climbs = "A path that climbs out of the root.";
    altered(g, "traversal", base(), &rows::TRAVERSAL, climbs, named(2, "../c.txt"));
    altered(
        g,
        "traversal-alone",
        base(),
        &rows::TRAVERSAL,
        "Out of the root, and nothing else.",
        named(2, ".."),
    );
    altered(
        g,
        "traversal-from-folder",
        base(),
        &rows::TRAVERSAL,
        "It goes down first, and then up twice.",
        named(1, "css/../../site.css"),
    );
    altered(
        g,
        "traversal-and-back",
        base(),
        &rows::TRAVERSAL,
        "What lies outside, nobody knows; not even if it looks like the way back.",
        named(2, "../ab/c.txt"),
    );
    altered(g, "absolute", base(), &rows::ABSOLUTE, "An absolute path.", named(2, "/bc.txt"));
    altered(
        g,
        "absolute-folder",
        base(),
        &rows::ABSOLUTE,
        "An absolute path into a folder.",
        named(2, "/ab/c.txt"),
    );

    let root = &rows::ROOT_INDEX;
    altered(g, "index-missing", base(), root, "Another page is no index.html.", named(0, "start.html"));
    altered(
        g,
        "index-in-folder",
        base(),
        root,
        "In a folder it is not at the root.",
        named(0, "site/index.html"),
    );
}

fn limits(g: &mut Group) {
    let page = || Entry::stored("index.html", PAGE);
    let whole = |count: usize| vec![page(), Entry::stored_run("run.txt", b'a', count)];
    let around: usize = archive(&whole(1)).iter().map(Piece::len).sum::<usize>() - 1;
    let most = 10_000_000 - around;
    g.accept("size", input(&whole(most)), "A zip of 10,000,000 bytes.");
    let (mib, mb) = ("More than ten megabytes, whichever are meant.", "One byte more than ten million.");
    for (name, more, why) in [("size-mebibytes", (10 << 20) - 10_000_000 + 1, mib), ("size-above", 1, mb)] {
        let case = altered(g, name, ("size", whole(most)), &rows::SIZE, why, |entries| {
            *entries = whole(most + more)
        });
        if more == 1 {
            case.read_as(DECIMAL);
        }
    }

    let (most, mebibytes) = (40_000_000 - PAGE.len(), 40 << 20);
    let zeros = |count: usize| vec![page(), Entry::zeros("zeros.bin", count)];
    g.accept("extracted", input(&zeros(most)), "Files of 40,000,000 bytes together.");
    let base = || ("extracted", zeros(most));
    let rule = &rows::EXTRACTED_SIZE;
    altered(
        g,
        "extracted-mebibytes",
        base(),
        rule,
        "More than forty megabytes, whichever are meant.",
        |entries| {
            *entries = zeros(mebibytes + 1 - PAGE.len());
        },
    );
    altered(g, "extracted-above", base(), rule, "One byte more than forty million.", |entries| {
        *entries = zeros(most + 1);
    })
    .read_as(DECIMAL);
    altered(
        g,
        "counted",
        base(),
        &rows::COUNTED,
        "The headers tell what is allowed, the data has more.",
        |entries| {
            entries[1] = Entry::zeros("zeros.bin", mebibytes).declared_as(&entries[1]);
        },
    );
    g.accept("zeros", input(&zeros(1_000_000)), "A million zeros in a thousand bytes are no harm.");
    let little = "The headers tell of a million bytes, the data has forty million.";
    altered(g, "counted-bomb", ("zeros", zeros(1_000_000)), &rows::COUNTED, little, |entries| {
        entries[1] = Entry::zeros("zeros.bin", mebibytes).declared_as(&entries[1]);
    });

    let many = |count: usize| {
        let digit = |n: usize| char::from_digit(n as u32, 36).expect("below 36");
        let name = |n: usize| [digit(n / 36), digit(n % 36)].iter().collect::<String>();
        let others = (1..count).map(|n| Entry::stored(&name(n), b""));
        [page()].into_iter().chain(others).collect::<Vec<_>>()
    };
    g.accept("files", input(&many(1000)), "A thousand files.");
    altered(g, "files-1001", ("files", many(1000)), &rows::FILES, "One file more.", |entries| {
        *entries = many(1001);
    });
}
