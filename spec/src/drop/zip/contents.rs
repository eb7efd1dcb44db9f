//! The contents of the entries, counted and checked during extraction.

use std::sync::Arc;

use super::central::{DEFLATED, Entry, EntryKind};
use super::inflate::{Inflated, Inflater, Stop};
use super::path::MOST_PATH;
use crate::drop::mistakes::zip::COUNTED;
use crate::drop::requirements::zip::FAITHFUL;
use crate::{Refused, Rules};

/// The content of an entry.
pub(super) enum Content {
    File(Arc<[u8]>),
    /// The target of a link; `None` if it is not UTF-8.
    Link(Option<String>),
    Nothing,
}

/// Extracts contents, and counts them.
pub(super) struct Contents {
    inflater: Inflater,
    /// The maximum number of bytes of files, whatever the headers say.
    most: u64,
    counted: u64,
}

impl Contents {
    pub(super) fn new(most: u64) -> Self {
        Self { inflater: Inflater::new(), most, counted: 0 }
    }

    /// The content of the next entry. Keeps at most the declared size.
    pub(super) fn read(
        &mut self,
        entry: &Entry<'_>,
        data: &[u8],
        rules: &mut dyn Rules,
    ) -> Result<Content, Refused> {
        // Memory is allocated before the stream is read, so the declared size is limited by the kind of entry.
        let most = match entry.kind {
            EntryKind::File => self.most - self.counted,
            EntryKind::Directory => 0,
            EntryKind::Link => MOST_PATH as u64,
        };
        let declared = entry.header.size;
        let kept = declared.min(most);
        let (bytes, real) = self.take(entry, data, kept, most);
        if entry.kind == EntryKind::File {
            self.counted += bytes.len() as u64;
            if real.size > most {
                let why = entry.why(&format!("more than the {most} bytes left"));
                return rules.refuse(&COUNTED, &bytes, why).map(Content::File);
            }
        }
        let fault = fault(entry, &bytes, real, most);
        rules.require(&FAITHFUL, fault.is_none(), || entry.why(fault.as_deref().unwrap_or_default()))?;
        Ok(match entry.kind {
            EntryKind::File => Content::File(bytes),
            EntryKind::Directory => Content::Nothing,
            EntryKind::Link => Content::Link(std::str::from_utf8(&bytes).ok().map(str::to_owned)),
        })
    }

    /// The first `kept` bytes, and the real size, counted up to one more than `most`.
    fn take(&mut self, entry: &Entry<'_>, data: &[u8], kept: u64, most: u64) -> (Arc<[u8]>, Inflated) {
        if entry.header.method == DEFLATED {
            return self.inflate(data, kept as usize, most);
        }
        let stop = Stop::End;
        let kept = data.len().min(kept as usize);
        (Arc::from(&data[..kept]), Inflated { size: data.len() as u64, stop })
    }

    fn inflate(&mut self, data: &[u8], kept: usize, most: u64) -> (Arc<[u8]>, Inflated) {
        // Collected from an iterator of known length, so that the bytes are in memory only once.
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, kept).collect();
        let out = Arc::get_mut(&mut bytes).expect("the buffer has one owner");
        let mut real = self.inflater.fill(data, out);
        if real.stop == Stop::More {
            real = self.inflater.count(data, most);
        }
        let bytes = match usize::try_from(real.size) {
            Ok(size) if size < kept => Arc::from(&bytes[..size]),
            _ => bytes,
        };
        (bytes, real)
    }
}

/// How the content differs from what the directory declares.
fn fault(entry: &Entry<'_>, bytes: &[u8], real: Inflated, most: u64) -> Option<String> {
    let declared = entry.header.size;
    match real.stop {
        Stop::Broken => return Some("the deflate stream is incomplete or invalid".to_owned()),
        Stop::Blocks => return Some("too many deflate blocks".to_owned()),
        Stop::InputLeft => return Some("there are bytes after the deflate stream".to_owned()),
        Stop::End | Stop::More => {}
    }
    if real.size > most {
        return Some(format!("more than {most} bytes"));
    }
    if real.size != declared {
        return Some(format!("{} bytes, but {declared} are declared", real.size));
    }
    let crc = crc32fast::hash(bytes);
    (crc != entry.header.crc).then(|| format!("CRC-32 {crc:08x}, but {:08x} is declared", entry.header.crc))
}
