//! Zips that would exhaust a careless reader's time or memory.

use assay_spec::drop::requirements::zip::{COUNTED, EXTRACTED_SIZE, FAITHFUL, FILES};
use assay_spec::drop::zip::{Limits, MOST_BLOCKS, inspect};
use assay_spec::{Id, Strict};
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, compress_to_output, create_comp_flags_from_zip_params,
};

use super::{accepted, refused};
use assay_spec::drop::zip::write::{Entry, FULL, Zip, extra};

#[track_caller]
fn refused_by(rule: Id, zip: &[u8]) {
    assert!(zip.len() <= 10_000_000, "{} bytes", zip.len());
    let refused = inspect(zip, &Limits::default(), &mut Strict).expect_err("a bomb");
    assert_eq!(refused.rule, rule, "{refused}");
}

/// A deflate stream of zeros, almost ten million bytes long, and its inflated size.
fn longest_stream() -> (Vec<u8>, u64) {
    const PART: usize = 40_000_000;
    let mut compressor = CompressorOxide::new(create_comp_flags_from_zip_params(9, -15, 0));
    let mut part = Vec::new();
    let zeros = vec![0; PART];
    let (_, read) = compress_to_output(&mut compressor, &zeros, TDEFLFlush::Full, |out| {
        part.extend(out);
        true
    });
    assert_eq!(read, PART);
    let parts = 9_990_000 / part.len();
    let mut stream = part.repeat(parts);
    stream.extend([3, 0]);
    (stream, (parts * PART) as u64)
}

/// Bits of a deflate stream, lowest bit first.
#[derive(Default)]
struct Bits(Vec<u8>, usize);

impl Bits {
    fn put(&mut self, bits: &[u8]) {
        for bit in bits {
            if self.1.is_multiple_of(8) {
                self.0.push(0);
            }
            *self.0.last_mut().expect("just pushed") |= bit << (self.1 % 8);
            self.1 += 1;
        }
    }
}

/// A deflate stream of this many empty blocks with the fixed codes, including the last one.
fn empty_blocks(count: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    for at in 1..=count {
        bits.put(&[u8::from(at == count), 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
    bits.0
}

#[test]
fn ten_gigabyte_stream_is_rejected() {
    let (stream, size) = longest_stream();
    let conforming = Entry::inflating("a", b"", stream).both(|header| {
        header.size = FULL;
        header.extra = extra(1, &size.to_le_bytes());
    });
    refused_by(&EXTRACTED_SIZE, &Zip::site([conforming.clone()]).bytes());
    for claim in [0, 1, 39_999_995] {
        let understated = conforming.clone().both(|header| (header.size, header.extra) = (claim, Vec::new()));
        refused_by(&COUNTED, &Zip::site([understated]).bytes());
    }
}

#[test]
fn stream_of_empty_blocks_is_rejected() {
    let stream = |count| Zip::site([Entry::inflating("a", b"", empty_blocks(count))]).bytes();
    accepted(&stream(MOST_BLOCKS as usize));
    refused(&FAITHFUL, "too many deflate blocks", &stream(MOST_BLOCKS as usize + 1));
    refused_by(&FAITHFUL, &stream(7_990_000));
    // All entries share the limit.
    let half = |name: &str| Entry::inflating(name, b"", empty_blocks(MOST_BLOCKS as usize / 2 + 2));
    refused(&FAITHFUL, "\"b\": too many deflate blocks", &Zip::site([half("a"), half("b")]).bytes());
}

#[test]
fn entries_that_quote_each_other_are_rejected() {
    // Each stream is a stored block that quotes the next local header, and continues as that entry's own stream.
    let (count, mut content, mut stream) = (250, vec![0; 100_000], Vec::new());
    stream.extend(Entry::deflated("", &content).data);
    let (mut entries, mut written) = (Vec::new(), Vec::new());
    for at in (0..count).rev() {
        let name = if at == 0 { "index.html".to_owned() } else { format!("{at}") };
        let entry = Entry::inflating(&name, &content, stream.clone());
        let alone = Zip::with_entries([entry.clone()]).bytes();
        let local = alone[..30 + name.len()].to_vec();
        let length = (local.len() as u16).to_le_bytes();
        let quote = [&[0][..], &length, &length.map(|byte| !byte), &local].concat();
        written = [local.clone(), stream.clone()].concat();
        content = [local, content].concat();
        stream = [quote, stream].concat();
        entries.push((entry, stream.len()));
    }
    entries.reverse();
    let all = written.len();
    let entries = entries.into_iter().enumerate().map(|(at, (entry, left))| {
        // The data after each entry's own header ends at the same place for all entries.
        let header = 30 + entry.central.as_ref().expect("it has a central header").name.len();
        let start = all - (left - 5 - header) - header;
        let entry = entry.central(|central| central.offset = Some(start as u32));
        let (local, data) = (None, if at == 0 { written.clone() } else { Vec::new() });
        Entry { local, data, ..entry }
    });
    let bytes = Zip::with_entries(entries).bytes();
    assert!(bytes.len() < 42_000, "{} bytes", bytes.len());
    let extracted = refused(&FAITHFUL, "within the entry that ends at", &bytes);
    assert_eq!(extracted.files.len(), count);
    assert!(extracted.bytes > 25_000_000);
}

#[test]
fn a_hundred_thousand_entries_are_rejected() {
    let names =
        |suffix: &'static str| (0..100_000).map(move |at| Entry::stored(format!("{at:x}{suffix}"), ""));
    refused_by(&FILES, &Zip::with_entries(names("").map(|entry| Entry { local: None, ..entry })).bytes());
    refused_by(&FAITHFUL, &Zip::with_entries(names("/").map(|entry| Entry { local: None, ..entry })).bytes());
    refused_by(
        &FILES,
        &Zip::with_entries((0..90_000).map(|at| Entry::stored(format!("{at:x}"), ""))).bytes(),
    );
}

#[test]
fn claim_of_four_billion_entries_is_rejected() {
    let zip = Zip::site([]);
    let claim = zip.bytes_with(|end| {
        end.widen_with(|wide| (wide.entries, wide.entries_here) = (1 << 32, 1 << 32));
    });
    refused_by(&FAITHFUL, &claim);
    refused_by(&FAITHFUL, &zip.bytes_with(|end| (end.entries, end.entries_here) = (u16::MAX, u16::MAX)));
}

#[test]
fn longest_names_are_handled() {
    // Ten million bytes of nested directories.
    let entries = (0..1180).map(|at| Entry::stored(format!("{at}/{}", "a/".repeat(2040)), ""));
    refused_by(&FAITHFUL, &Zip::with_entries(entries).bytes());
    let entries = (0..1180).map(|at| Entry::stored(format!("{}{at}/", "a/".repeat(2040)), ""));
    assert_eq!(accepted(&Zip::site(entries).bytes()).directories.len(), 1180);
}
