//! 64-bit numbers, needed or not.

use crate::zip::accepted;
use crate::zip::structure::{conforming, refused_end, refused_entry, refused_only};
use assay_spec::drop::zip::write::{End, Entry, FULL, Header, WideEnd, Zip, extra};

#[track_caller]
fn refused_wide(words: &str, change: impl FnOnce(&mut WideEnd)) {
    refused_only(words, &conforming().bytes_with(|end| end.widen_with(change)));
}

#[test]
fn wide_numbers_are_accepted() {
    let mut zip = conforming();
    for entry in &mut zip.entries {
        *entry = entry.clone().both(Header::widen);
    }
    assert_eq!(accepted(&zip.bytes()), accepted(&conforming().bytes()));
    assert_eq!(accepted(&zip.bytes_with(End::widen)), accepted(&conforming().bytes()));
    let offset = Entry::stored("b", "b").central(|header| {
        let at = Zip::site([]).bytes().len() - 22 - 56;
        header.offset = Some(at as u32);
        header.widen();
    });
    accepted(&Zip::site([offset]).bytes());
    // The short record may have the same numbers as the wide one.
    accepted(&conforming().bytes_with(|end| {
        let short = end.clone();
        end.widen();
        *end = End { wide: end.wide.clone(), ..short };
    }));
}

#[test]
fn wrong_wide_records_are_rejected() {
    refused_wide("the wrong size", |wide| wide.record_size = 45);
    refused_wide("the wrong size", |wide| wide.record_size = u64::MAX);
    refused_wide("the end records contradict each other", |wide| wide.disk = 1);
    refused_wide("the end records contradict each other", |wide| wide.directory_disk = 1);
    refused_wide("spans several disks", |wide| wide.entries_here = 2);
    refused_wide("3 entries, but 4294967296 are declared", |wide| {
        (wide.entries, wide.entries_here) = (1 << 32, 1 << 32);
    });
    refused_wide("does not end at", |wide| wide.size = u64::MAX);
    refused_wide("does not end at", |wide| wide.offset = u64::MAX);
    refused_wide("does not end at", |wide| wide.offset += 1);
    refused_wide("no 64-bit end record at", |wide| wide.record_offset += 1);
    refused_wide("no 64-bit end record at", |wide| wide.record_offset = u64::MAX);
    refused_wide("names another disk", |wide| wide.locator_disk = 1);
    refused_wide("names another disk", |wide| wide.disks = 2);
    refused_end("the end records contradict each other", |end| {
        end.widen();
        (end.entries, end.entries_here) = (4, 4);
    });
    refused_end("the end records contradict each other", |end| {
        end.widen();
        end.offset = 7;
    });
    refused_end("does not end at", |end| end.size = FULL);
}

#[test]
fn malformed_wide_fields_are_rejected() {
    refused_entry(
        "a 64-bit number is missing",
        Entry::stored("b", "b").central(|header| header.compressed = FULL),
    );
    let short = extra(1, &[0; 7]);
    refused_entry(
        "a 64-bit number is missing",
        Entry::stored("b", "").central(|header| {
            (header.compressed, header.extra) = (FULL, short.clone());
        }),
    );
    refused_entry(
        "the extra fields are malformed",
        Entry::stored("b", "").central(|header| {
            header.extra = [extra(1, &[0; 8]), extra(1, &[0; 8])].concat();
        }),
    );
    refused_entry(
        "the extra fields are malformed",
        Entry::stored("b", "").central(|header| {
            header.extra = vec![0, 0, 9, 0, 1];
        }),
    );
    refused_entry(
        "of its local header are malformed",
        Entry::stored("b", "b").local(|header| header.size = FULL),
    );
    let deviating = |header: &mut Header| {
        header.widen();
        header.extra[4] ^= 1;
    };
    refused_entry("different sizes", Entry::stored("b", "b").local(deviating));
    accepted(&Zip::site([Entry::stored("b", "b").both(|header| header.extra = vec![0; 3])]).bytes());
    accepted(&Zip::site([Entry::stored("b", "b").both(|header| header.extra = extra(1, &[]))]).bytes());
}
