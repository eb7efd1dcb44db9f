//! `drop.inspect_zip`: zips that the drop accepts, and zips that it rejects.

mod danger;

use assay_spec::Id;
use assay_spec::drop::requirements::zip as rows;
use assay_spec::drop::zip::write::{Entry, Zip};
use serde_json::{Value, json};

use super::zip::{archive, deflated, edits, recipe, stored, wide, zeros};
use crate::bytes::hex;
use crate::case::Case;
use crate::generate::group::{Group, set};

/// The reading by which a megabyte is 1,000,000 bytes.
const DECIMAL: &str = "A-094/decimal";

const PAGE: &[u8] = b"<!doctype html><title>site</title><link rel=\"stylesheet\" href=\"css/site.css\">\n";

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g =
        Group::new("drop/inspect-zip", "drop.inspect_zip", "src/generate/drop/inspect_zip.rs", rows::ALL);
    accepts(&mut g);
    foreign(&mut g);
    form(&mut g);
    paths(&mut g);
    limits(&mut g);
    danger::cases(&mut g);
    g.cases
}

fn input(entries: &[Entry]) -> Value {
    json!({"zip": recipe(&archive(entries))})
}

/// A page and two other files.
fn site() -> Vec<Entry> {
    vec![
        stored("index.html", PAGE),
        stored("css/site.css", b"body{margin:0}\n"),
        stored("ab/c.txt", b"text\n"),
    ]
}

/// Adds a rejected case: the base with altered entries.
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
    g.accept("stored", input(&site()), "Three stored files.");
    let mut reversed = site();
    reversed.reverse();
    g.accept("stored-reversed", input(&reversed), "The order of the entries does not change the identifier.");
    let text = b"compressed compressed compressed\n";
    // Written by zlib.
    let stream = crate::bytes::parse_hex("4bcecf2d284a2d2e4e4d5148c6c6e40200").expect("hex");
    let files = |entry: Entry| vec![stored("index.html", PAGE), entry];
    for (name, entry, why) in [
        ("deflated", deflated("a.txt", text, stream.clone()), "A deflated file."),
        ("not-deflated", stored("a.txt", text), "The same file, stored. It has the same identifier."),
        (
            "descriptor",
            deflated("a.txt", text, stream.clone()).streamed(true, false),
            "The file's sizes are in a data descriptor after its data.",
        ),
        ("wide", wide(deflated("a.txt", text, stream)), "The file's sizes are in the 64-bit extra fields."),
        ("dotfile", stored(".well-known/security.txt", b"contact\n"), "A dotfile is an ordinary file."),
        ("directory", stored("ab/", b""), "A directory without files is left out."),
        ("directory-named", stored("a/b/c.txt", b"1"), "A directory does not need an entry of its own."),
        ("unicode", stored("caf\u{e9}/\u{1f600}.txt", b"1"), "A name is UTF-8 and has the UTF-8 flag."),
        ("empty-file", stored("a.txt", b""), "An empty file."),
    ] {
        g.accept(name, input(&files(entry)), why);
    }
}

/// The same folder, zipped by other programs.
fn foreign(g: &mut Group) {
    for (name, zip, why) in [
        ("by-python", &include_bytes!("../foreign/python.zip")[..], "Written by Python 3.11's zipfile."),
        (
            "by-infozip",
            include_bytes!("../foreign/infozip.zip"),
            "Written by Info-ZIP 3.0, with directory entries and Unix times.",
        ),
        (
            "by-infozip-streamed",
            include_bytes!("../foreign/infozip-streamed.zip"),
            "Written by Info-ZIP 3.0 into a pipe, with data descriptors.",
        ),
        ("by-7zip", include_bytes!("../foreign/7z.zip"), "Written by 7-Zip 26.02."),
        (
            "by-jar",
            include_bytes!("../foreign/jar.zip"),
            "Written by the jar tool of Java 17, with data descriptors.",
        ),
    ] {
        g.accept(name, json!({"zip": hex(zip)}), why);
    }
}

fn form(g: &mut Group) {
    let zip = g.input("stored")["zip"].clone();
    for (name, new, why) in [
        ("form-empty", json!({"hex": ""}), "An empty file is not a zip."),
        ("form-page", json!({"utf8": "<!doctype html>\n"}), "An HTML page is not a zip."),
    ] {
        g.reject(name, "stored", [set("/in/zip", zip.clone(), new)], &rows::FORM, why);
    }
    for (name, place, why) in [
        ("form-end-record", "PK\u{5}\u{6}", "A zip without an end record has no central directory."),
        ("form-directory", "PK\u{1}\u{2}", "The central directory has the wrong signature."),
    ] {
        let edit = g.change("stored", "/in/zip", place, &place.replace('P', "p"));
        g.reject(name, "stored", [edit], &rows::FORM, why);
    }
    let whole = crate::edit::content(&zip).expect("bytes");
    let cut =
        crate::generate::group::splice("/in/zip", whole.len() - 8, hex_text(&whole[whole.len() - 8..]), "");
    g.reject("form-cut", "stored", [cut], &rows::FORM, "The end record is cut off.");
}

fn hex_text(bytes: &[u8]) -> String {
    assay_spec::crypto::text::hex(bytes)
}

fn paths(g: &mut Group) {
    let named = |n: usize, name: &'static str| {
        move |entries: &mut Vec<Entry>| {
            entries[n] = entries[n].clone().both(|header| header.name = name.into());
        }
    };
    let base = || ("stored", site());
    let climbs = "A path leaves the root.";
    altered(g, "traversal", base(), &rows::TRAVERSAL, climbs, named(2, "../c.txt"));
    altered(
        g,
        "traversal-alone",
        base(),
        &rows::TRAVERSAL,
        "A path consists of nothing but two dots.",
        named(2, ".."),
    );
    altered(
        g,
        "traversal-from-folder",
        base(),
        &rows::TRAVERSAL,
        "A path goes down one level and then up two.",
        named(1, "css/../../site.css"),
    );
    altered(
        g,
        "traversal-and-back",
        base(),
        &rows::TRAVERSAL,
        "A path that leaves the root is rejected, even if it seems to come back.",
        named(2, "../ab/c.txt"),
    );
    altered(g, "absolute", base(), &rows::ABSOLUTE, "A path is absolute.", named(2, "/bc.txt"));
    altered(
        g,
        "absolute-folder",
        base(),
        &rows::ABSOLUTE,
        "A path into a folder is absolute.",
        named(2, "/ab/c.txt"),
    );

    let root = &rows::ROOT_INDEX;
    altered(
        g,
        "index-missing",
        base(),
        root,
        "The root has another page but no index.html.",
        named(0, "start.html"),
    );
    altered(
        g,
        "index-in-folder",
        base(),
        root,
        "index.html is in a folder, not at the root.",
        named(0, "site/index.html"),
    );
}

fn limits(g: &mut Group) {
    let page = || stored("index.html", PAGE);
    let whole = |count: usize| vec![page(), stored("run.txt", vec![b'a'; count])];
    let around = Zip::with_entries(whole(1)).bytes().len() - 1;
    let most = 10_000_000 - around;
    g.accept("size", input(&whole(most)), "A zip of 10,000,000 bytes.");
    let (mib, mb) = (
        "The zip has more than 10 MB, with a megabyte of 1,000,000 or of 1,048,576 bytes.",
        "The zip has 10,000,001 bytes.",
    );
    for (name, more, why) in [("size-mebibytes", (10 << 20) - 10_000_000 + 1, mib), ("size-above", 1, mb)] {
        let case = altered(g, name, ("size", whole(most)), &rows::SIZE, why, |entries| {
            *entries = whole(most + more);
        });
        if more == 1 {
            case.read_as(DECIMAL);
        }
    }

    let (most, mebibytes) = (40_000_000 - PAGE.len(), 40 << 20);
    let filled = |count: usize| vec![page(), zeros("zeros.bin", count)];
    // The headers declare what the headers of another entry declare.
    let more_than_declared = |entries: &mut Vec<Entry>| {
        let declared = entries[1].central.clone().expect("it is in the directory");
        entries[1] = zeros("zeros.bin", mebibytes)
            .both(|header| (header.size, header.crc) = (declared.size, declared.crc));
    };
    g.accept("extracted", input(&filled(most)), "The extracted files have 40,000,000 bytes in total.");
    let base = || ("extracted", filled(most));
    let rule = &rows::EXTRACTED_SIZE;
    altered(
        g,
        "extracted-mebibytes",
        base(),
        rule,
        "The files have more than 40 MB, with a megabyte of 1,000,000 or of 1,048,576 bytes.",
        |entries| {
            *entries = filled(mebibytes + 1 - PAGE.len());
        },
    );
    altered(g, "extracted-above", base(), rule, "The extracted files have 40,000,001 bytes.", |entries| {
        *entries = filled(most + 1);
    })
    .read_as(DECIMAL);
    altered(
        g,
        "counted",
        base(),
        &rows::COUNTED,
        "The headers declare an allowed size, but the data is larger.",
        more_than_declared,
    );
    g.accept(
        "zeros",
        input(&filled(1_000_000)),
        "A high compression ratio is allowed: a million zeros in about a thousand bytes.",
    );
    let little = "The headers declare a million bytes, but the data has about 42 million.";
    altered(g, "counted-bomb", ("zeros", filled(1_000_000)), &rows::COUNTED, little, more_than_declared);

    let many = |count: usize| {
        let digit = |n: usize| char::from_digit(n as u32, 36).expect("below 36");
        let name = |n: usize| [digit(n / 36), digit(n % 36)].iter().collect::<String>();
        let others = (1..count).map(|n| stored(&name(n), b""));
        [page()].into_iter().chain(others).collect::<Vec<_>>()
    };
    g.accept("files", input(&many(1000)), "1000 files.");
    altered(
        g,
        "files-1001",
        ("files", many(1000)),
        &rows::FILES,
        "1001 files are one more than allowed.",
        |entries| {
            *entries = many(1001);
        },
    );
}
