//! The end record, its 64-bit counterparts, and the position of the central directory.
//!
//! The record ends the file: nothing follows its comment. The directory is right before the end records.

use super::central::Header;
use super::fields::{u16_at, u32_at, u64_at};

const SIGNATURE: u32 = 0x0605_4b50;
const SIZE: usize = 22;
const LOCATOR_SIGNATURE: u32 = 0x0706_4b50;
const LOCATOR_SIZE: usize = 20;
const WIDE_SIGNATURE: u32 = 0x0606_4b50;
const WIDE_SIZE: usize = 56;
/// Signature and size field of the 64-bit record. Its size does not include them.
const WIDE_LEAD: u64 = 12;
const LONGEST_COMMENT: usize = 65_535;

/// The central directory.
pub(super) struct Directory<'a> {
    /// The start of the directory: the end of the entries' data.
    pub(super) start: usize,
    /// How far offsets must be shifted to fit the file; 0 unless there is a fault.
    pub(super) shift: u64,
    /// The first false statement of the end records.
    pub(super) fault: Option<String>,
    /// Whether the zip has a comment.
    pub(super) has_comment: bool,
    /// Whether it has the 64-bit end record.
    pub(super) is_wide: bool,
    headers: &'a [u8],
}

/// What the end records say about the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Said {
    disk: u64,
    directory_disk: u64,
    entries_here: u64,
    entries: u64,
    size: u64,
    offset: u64,
}

impl<'a> Directory<'a> {
    /// Finds the directory and walks through its headers. The error says why this is not a zip.
    pub(super) fn find(zip: &'a [u8]) -> Result<Self, String> {
        let at = last_end_record(zip).ok_or("no end-of-central-directory record")?;
        let mut faults = Faults::default();
        end_of_file(zip, at, &mut faults);

        let narrow = Said::narrow(zip, at).ok_or("the end record is truncated")?;
        let (said, end) = wide(zip, at, narrow, &mut faults);
        if said.disk != 0 || said.directory_disk != 0 || said.entries_here != said.entries {
            faults.note("the zip spans several disks".to_owned());
        }
        let Said { size, offset, .. } = said;
        let fits = offset.checked_add(size) == Some(end as u64);
        if !fits {
            faults.note(format!("a directory of {size} bytes at {offset} does not end at {end}"));
        }

        // If the directory is not at its declared place, look for it where a careless reader would.
        let before_end = end - (size as usize).min(end);
        let starts = [usize::try_from(offset).map_or(end, |offset| offset.min(end)), before_end];
        let walks = starts.map(|start| walk(&zip[start..end]).map(|count| (start, count)));
        let broken = walks[0].clone().err().filter(|_| fits);
        let found = walks.into_iter().flatten().max_by_key(|(_, count)| *count);
        if let (None, Some(broken)) = (found, broken) {
            return Err(broken);
        }
        let (start, count) = found.unwrap_or((end, 0));
        if count != said.entries {
            faults.note(format!("{count} entries, but {} are declared", said.entries));
        }
        let shift = (start as u64).wrapping_sub(offset);
        let has_comment = u16_at(zip, at + 20).is_some_and(|length| length > 0);
        Ok(Self { start, shift, fault: faults.0, has_comment, is_wide: end < at, headers: &zip[start..end] })
    }

    /// The headers, in order.
    pub(super) fn headers(&self) -> impl Iterator<Item = Header<'a>> + use<'a> {
        let mut rest = self.headers;
        std::iter::from_fn(move || {
            let (header, length) = Header::read(rest)?;
            rest = &rest[length..];
            Some(header)
        })
    }
}

impl Said {
    fn narrow(zip: &[u8], at: usize) -> Option<Self> {
        Some(Self {
            disk: u16_at(zip, at + 4)?.into(),
            directory_disk: u16_at(zip, at + 6)?.into(),
            entries_here: u16_at(zip, at + 8)?.into(),
            entries: u16_at(zip, at + 10)?.into(),
            size: u32_at(zip, at + 12)?.into(),
            offset: u32_at(zip, at + 16)?.into(),
        })
    }

    fn wide(record: &[u8]) -> Option<Self> {
        Some(Self {
            disk: u32_at(record, 16)?.into(),
            directory_disk: u32_at(record, 20)?.into(),
            entries_here: u64_at(record, 24)?,
            entries: u64_at(record, 32)?,
            size: u64_at(record, 40)?,
            offset: u64_at(record, 48)?,
        })
    }

    /// Whether the narrow record agrees, or refers to the wide record.
    fn agrees(&self, narrow: &Said) -> bool {
        let same = |narrow: u64, wide: u64, full: u64| narrow == wide || narrow == full;
        let (short, long) = (u64::from(u16::MAX), u64::from(u32::MAX));
        same(narrow.disk, self.disk, short)
            && same(narrow.directory_disk, self.directory_disk, short)
            && same(narrow.entries_here, self.entries_here, short)
            && same(narrow.entries, self.entries, short)
            && same(narrow.size, self.size, long)
            && same(narrow.offset, self.offset, long)
    }
}

/// The first fault found.
#[derive(Default)]
struct Faults(Option<String>);

impl Faults {
    fn note(&mut self, fault: String) {
        self.0.get_or_insert(fault);
    }
}

/// The last position where an end record can begin.
fn last_end_record(zip: &[u8]) -> Option<usize> {
    candidates(zip).next()
}

fn candidates(zip: &[u8]) -> impl Iterator<Item = usize> {
    let last = zip.len().checked_sub(SIZE);
    let first = zip.len().saturating_sub(SIZE + LONGEST_COMMENT);
    last.into_iter()
        .flat_map(move |last| (first..=last).rev())
        .filter(|at| u32_at(zip, *at) == Some(SIGNATURE))
}

/// Checks that the comment reaches the end of the file, and that no other end record does the same.
fn end_of_file(zip: &[u8], at: usize, faults: &mut Faults) {
    let comment_end = |at: usize| at + SIZE + usize::from(u16_at(zip, at + 20).unwrap_or_default());
    match comment_end(at).cmp(&zip.len()) {
        std::cmp::Ordering::Less => {
            faults.note(format!("{} bytes after the end record", zip.len() - comment_end(at)));
        }
        std::cmp::Ordering::Greater => faults.note("the comment is truncated".to_owned()),
        std::cmp::Ordering::Equal => {}
    }
    if candidates(zip).skip(1).any(|at| comment_end(at) == zip.len()) {
        faults.note("two end records".to_owned());
    }
}

/// The end records combined, and where the first of them begins.
fn wide(zip: &[u8], at: usize, narrow: Said, faults: &mut Faults) -> (Said, usize) {
    let locator = at.checked_sub(LOCATOR_SIZE).filter(|at| u32_at(zip, *at) == Some(LOCATOR_SIGNATURE));
    let Some(locator) = locator else { return (narrow, at) };
    let disks = (u32_at(zip, locator + 4), u32_at(zip, locator + 16));
    if !matches!(disks, (Some(0), Some(0 | 1))) {
        faults.note("the locator names another disk".to_owned());
    }

    let start = locator.checked_sub(WIDE_SIZE).filter(|start| u32_at(zip, *start) == Some(WIDE_SIGNATURE));
    let offset = u64_at(zip, locator + 8).unwrap_or_default();
    if start.map(|start| start as u64) != Some(offset) {
        faults.note(format!("no 64-bit end record at {offset}"));
    }
    let Some((start, said)) = start.and_then(|start| Some((start, Said::wide(&zip[start..])?))) else {
        return (narrow, locator);
    };
    if u64_at(zip, start + 4) != Some(WIDE_SIZE as u64 - WIDE_LEAD) {
        faults.note("the 64-bit end record has the wrong size".to_owned());
    }
    if !said.agrees(&narrow) {
        faults.note("the end records contradict each other".to_owned());
    }
    (said, start)
}

/// Counts the headers in the directory.
fn walk(headers: &[u8]) -> Result<u64, String> {
    let (mut at, mut count) = (0, 0);
    while at < headers.len() {
        let Some((_, length)) = Header::read(&headers[at..]) else {
            return Err(format!("the central directory is truncated at entry {count}, byte {at}"));
        };
        at += length;
        count += 1;
    }
    Ok(count)
}
