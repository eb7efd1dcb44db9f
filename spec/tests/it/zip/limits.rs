//! Both sides of every limit, and the limits that apply when their rules are violated.

use assay_spec::drop::requirements::zip::{COUNTED, EXTRACTED_SIZE, FAITHFUL, FILES, SIZE};
use assay_spec::drop::zip::{Limits, MOST_NODES, inspect};

use super::{accepted, content, judge, refused, refused_within};
use assay_spec::drop::zip::write::{Entry, Zip};

/// A zip of exactly this size.
fn zip_of(size: usize) -> Vec<u8> {
    let around = Zip::site([Entry::stored("fill", "")]).bytes().len();
    Zip::site([Entry::stored("fill", vec![7; size - around])]).bytes()
}

fn extracting(bytes: usize) -> Vec<u8> {
    Zip::site([Entry::deflated("zeros", vec![0; bytes - 5])]).bytes()
}

fn files(count: usize) -> Vec<u8> {
    Zip::site((1..count).map(|at| Entry::stored(format!("{at}"), ""))).bytes()
}

#[test]
fn documented_limits_are_the_default() {
    let limits = Limits::default();
    assert_eq!((limits.zip_bytes, limits.extracted_bytes, limits.files), (10_000_000, 40_000_000, 1000));
    let text = serde_json::to_string(&limits).expect("plain numbers");
    assert_eq!(serde_json::from_str::<Limits>(&text).expect("just written"), limits);
}

#[test]
fn zip_size_is_limited() {
    let most = zip_of(10_000_000);
    assert_eq!(most.len(), 10_000_000);
    accepted(&most);
    refused(&SIZE, "10000001 bytes, at most 10000000", &zip_of(10_000_001));
    assert_eq!(judge(&vec![0; 10_000_001]).expect_err("too large").rule, &SIZE);
}

#[test]
fn extracted_size_is_limited() {
    assert_eq!(accepted(&extracting(40_000_000)).bytes, 40_000_000);
    let extracted = refused(&EXTRACTED_SIZE, "40000001 bytes of files", &extracting(40_000_001));
    assert_eq!(extracted.bytes, 40_000_001);
}

#[test]
fn extracted_size_is_the_sum_of_all_files() {
    let limits = Limits { extracted_bytes: 14, ..Limits::default() };
    let most = [Entry::stored("a", "1234"), Entry::deflated("b", "12345")];
    inspect(&Zip::site(most.clone()).bytes(), &limits, &mut assay_spec::Strict).expect("5 + 4 + 5");
    let over = Zip::site(most.into_iter().chain([Entry::stored("c", "1")])).bytes();
    refused_within(&limits, &EXTRACTED_SIZE, "15 bytes of files, at most 14", &over);
}

#[test]
fn number_of_files_is_limited() {
    assert_eq!(accepted(&files(1000)).files.len(), 1000);
    assert_eq!(refused(&FILES, "1001 files, at most 1000", &files(1001)).files.len(), 1001);
}

#[test]
fn directories_do_not_count_as_files() {
    let directories = (0..2000).map(|at| Entry::stored(format!("{at}/"), ""));
    let files = (1..1000).map(|at| Entry::stored(format!("{at}/x"), ""));
    let site = accepted(&Zip::site(directories.chain(files)).bytes());
    assert_eq!((site.files.len(), site.directories.len()), (1000, 2000));
}

#[test]
fn number_of_paths_is_limited() {
    let directories = |count: usize| Zip::site((0..count).map(|at| Entry::stored(format!("{at}/"), "")));
    accepted(&directories(MOST_NODES - 1).bytes());
    let extracted = refused(&FAITHFUL, "20001 entries, more than 20000", &directories(MOST_NODES).bytes());
    assert_eq!(extracted.directories.len(), MOST_NODES - 1);

    let deep = |depth: usize| {
        let path = |at: usize| format!("{}x", format!("{at}/").repeat(depth));
        Zip::site((100..600).map(|at| Entry::stored(path(at), ""))).bytes()
    };
    accepted(&deep(38));
    refused(&FAITHFUL, "too many paths", &deep(40));
}

#[test]
fn size_is_counted_whatever_is_declared() {
    let limits = Limits { extracted_bytes: 1000, ..Limits::default() };
    let says = |real: usize, size: u32| {
        let entry = Entry::deflated("zeros", vec![0; real]).both(|header| header.size = size);
        Zip::site([entry]).bytes()
    };
    let extracted = refused_within(&limits, &COUNTED, "more than the 995 bytes left", &says(996, 10));
    assert_eq!(content(&extracted, "zeros"), [0; 10]);
    refused_within(&limits, &COUNTED, "", &says(1_000_000, 0));
    refused_within(&limits, &FAITHFUL, "995 bytes, but 10 are declared", &says(995, 10));
    refused_within(&limits, &FAITHFUL, "10 bytes, but 995 are declared", &says(10, 995));
    refused_within(&limits, &EXTRACTED_SIZE, "1001 bytes of files", &says(996, 996));
    // The files that are already extracted leave less.
    let first = Entry::stored("first", vec![1; 900]);
    let second = Entry::deflated("zeros", vec![0; 96]).both(|header| header.size = 10);
    refused_within(&limits, &COUNTED, "more than the 95 bytes left", &Zip::site([first, second]).bytes());
}

#[test]
fn stored_entry_is_counted_too() {
    let limits = Limits { extracted_bytes: 100, ..Limits::default() };
    let understated = Entry::stored("a", vec![1; 200]).both(|header| header.size = 10);
    let extracted =
        refused_within(&limits, &COUNTED, "more than the 95 bytes left", &Zip::site([understated]).bytes());
    assert_eq!(content(&extracted, "a"), [1; 10]);
}
