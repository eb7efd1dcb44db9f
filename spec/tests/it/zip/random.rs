//! Zips made of random bytes, and conforming zips with a few bytes changed.

use assay_spec::drop::requirements::zip;
use assay_spec::drop::zip::{Extracted, Limits, inspect};
use assay_spec::{Strict, Without};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::zip::accepted;
use assay_spec::drop::zip::write::{End, Entry, Header, Zip};

/// So small that random bytes reach every limit.
fn limits() -> Limits {
    Limits { zip_bytes: 4000, extracted_bytes: 500, files: 6 }
}

/// For any input, the output keeps its promises, with every rule enforced and with any one rule violated.
fn keeps_its_promises(bytes: &[u8]) -> Option<Extracted> {
    let strict = inspect(bytes, &limits(), &mut Strict);
    for row in zip::ALL {
        if let Ok(extracted) = inspect(bytes, &limits(), &mut Without(row)) {
            sound(&extracted, &limits());
        }
    }
    assert_eq!(strict, inspect(bytes, &limits(), &mut Strict));
    let extracted = strict.ok()?;
    sound(&extracted, &limits());
    assert!(extracted.bytes <= limits().extracted_bytes && extracted.files.len() <= limits().files);
    assert!(extracted.files.contains_key("index.html"));
    Some(extracted)
}

fn sound(extracted: &Extracted, limits: &Limits) {
    let sum: usize = extracted.files.values().map(|content| content.len()).sum();
    assert_eq!(extracted.bytes, sum as u64);
    // A violated limit is four times as high. Bytes that are not a zip may be as large as a zip.
    assert!(sum <= limits.zip_bytes.max(4 * limits.extracted_bytes as usize), "{sum} bytes");
    for path in extracted.files.keys().chain(&extracted.directories) {
        assert!(path.split('/').all(|segment| !["", ".", ".."].contains(&segment)), "{path:?}");
    }
    for path in extracted.files.keys() {
        let below = format!("{path}/");
        assert!(
            !extracted.files.range(below.clone()..).next().is_some_and(|(next, _)| next.starts_with(&below))
        );
    }
}

/// A conforming zip of every kind of entry.
fn conforming(links: bool) -> Zip {
    let mut entries = vec![
        Entry::deflated("d/site.css", "body {}".repeat(9)),
        Entry::stored("d/e/", "").mode(0o040_755),
        Entry::stored("d/\u{e9}", "accent").streamed(true, false).both(|header| header.flags |= 1 << 11),
        Entry::deflated("w", "wide").both(Header::widen),
    ];
    if links {
        entries.extend([Entry::link("l", "d"), Entry::link("d/m", "../w")]);
    }
    Zip::site(entries)
}

/// A second reader extracts the same files from an accepted zip.
fn another_reader_agrees(bytes: &[u8], extracted: &Extracted) {
    let archive = rawzip::ZipArchive::from_slice(bytes).expect("a zip");
    let mut files = 0;
    for header in archive.entries() {
        let header = header.expect("a header");
        let name = std::str::from_utf8(header.file_path().as_ref()).expect("UTF-8").to_owned();
        if header.is_dir() {
            assert!(extracted.directories.contains(name.trim_end_matches('/')), "{name:?}");
            continue;
        }
        files += 1;
        let entry = archive.get_entry(header.wayfinder()).expect("an entry");
        let content = match header.compression_method() {
            rawzip::CompressionMethod::STORE => entry.data().to_vec(),
            _ => miniz_oxide::inflate::decompress_to_vec(entry.data()).expect("a deflate stream"),
        };
        assert_eq!(extracted.files.get(&name).map(|content| content.to_vec()), Some(content), "{name:?}");
    }
    assert_eq!(files, extracted.files.len());
}

#[test]
fn another_reader_agrees_on_conforming_zips() {
    for zip in [conforming(false).bytes(), conforming(false).bytes_with(End::widen)] {
        another_reader_agrees(&zip, &accepted(&zip));
    }
}

#[test]
fn one_changed_byte_has_no_effect_or_is_rejected() {
    for original in [conforming(false).bytes(), conforming(false).bytes_with(End::widen)] {
        let conforming = accepted(&original);
        let mut bytes = original.clone();
        for at in 0..bytes.len() {
            for change in 1..=255 {
                bytes[at] = original[at] ^ change;
                if let Ok(extracted) = inspect(&bytes, &limits(), &mut Strict) {
                    assert_eq!(extracted, conforming, "byte {at} changed by {change:#04x}");
                }
            }
            bytes[at] = original[at];
        }
    }
}

#[test]
fn truncated_zip_is_rejected() {
    let bytes = conforming(true).bytes();
    for at in 0..bytes.len() {
        assert_eq!(inspect(&bytes[..at], &limits(), &mut Strict).expect_err("cut").rule, &zip::FORM);
        if at > 0 {
            inspect(&bytes[at..], &limits(), &mut Strict).expect_err("cut");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_do_not_panic(bytes in vec(any::<u8>(), 0..600)) {
        keeps_its_promises(&bytes);
    }

    #[test]
    fn random_bytes_before_an_end_record_do_not_panic(
        mut bytes in vec(any::<u8>(), 0..200),
        numbers in vec(0_u8..100, 16),
        comment in vec(any::<u8>(), 0..4),
    ) {
        bytes.extend(b"PK\x05\x06");
        bytes.extend(numbers);
        bytes.extend([comment.len() as u8, 0]);
        bytes.extend(comment);
        keeps_its_promises(&bytes);
    }

    #[test]
    fn changed_bytes_do_not_panic(
        wide in any::<bool>(),
        links in any::<bool>(),
        changes in vec((any::<Index>(), prop_oneof![any::<u8>(), Just(0), Just(255), Just(b'/')]), 1..6),
    ) {
        let mut bytes = if wide { conforming(links).bytes_with(End::widen) } else { conforming(links).bytes() };
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(extracted) = keeps_its_promises(&bytes) && !links {
            another_reader_agrees(&bytes, &extracted);
        }
    }

    #[test]
    fn moved_parts_do_not_panic(parts in vec((any::<Index>(), any::<Index>()), 1..4)) {
        let bytes = conforming(true).bytes();
        let part = |(one, other): (Index, Index)| {
            let (one, other) = (one.index(bytes.len()), other.index(bytes.len()));
            &bytes[one.min(other)..one.max(other)]
        };
        let mixed: Vec<u8> = parts.into_iter().flat_map(part).chain(&bytes[bytes.len() - 22..]).copied().collect();
        keeps_its_promises(&mixed);
    }

    #[test]
    fn random_streams_do_not_panic(stream in vec(any::<u8>(), 0..300), kind in 0_u8..8, size in 0_u32..700) {
        // The first three bits select the kind of block.
        let stream = [&[kind][..], &stream].concat();
        let entry = Entry::inflating("a", b"", stream).both(|header| header.size = size);
        keeps_its_promises(&Zip::site([entry]).bytes());
    }

    #[test]
    fn written_files_come_back(files in proptest::collection::btree_map("[a-z]{1,3}", vec(any::<u8>(), 0..90), 0..5)) {
        let entries = files.iter().enumerate().map(|(at, (name, content))| match at % 3 {
            0 => Entry::stored(name, content),
            1 => Entry::deflated(name, content),
            _ => Entry::deflated(name, content).streamed(false, true),
        });
        let zip = Zip::site(entries).bytes();
        let extracted = keeps_its_promises(&zip).expect("a conforming zip");
        another_reader_agrees(&zip, &extracted);
        prop_assert_eq!(extracted.files.len(), files.len() + 1);
        for (name, content) in &files {
            prop_assert_eq!(&extracted.files[name][..], &content[..]);
        }
    }
}
