//! Where the data of each entry is: the local headers and data must fill the zip without a gap.

use super::central::{DESCRIPTOR, Entry, WIDE_FIELD, widen};
use super::end::Directory;
use super::fields::{extra_field, slice_at, u16_at, u32_at, u64_at};
use crate::drop::requirements::zip::FAITHFUL;
use crate::{Refused, Rules};

const SIGNATURE: u32 = 0x0403_4b50;
const SIZE: usize = 30;
pub(super) const DESCRIPTOR_SIGNATURE: u32 = 0x0807_4b50;

/// The compressed data of each entry, in the directory's order.
///
/// The entries begin at the first byte of the zip and end at the directory. Between the data of an entry and the next
/// header there is only its data descriptor, if it has one. So no two entries overlap.
pub(super) fn locate<'a>(
    zip: &'a [u8],
    directory: &Directory<'_>,
    entries: &[Entry<'_>],
    rules: &mut dyn Rules,
) -> Result<Vec<&'a [u8]>, Refused> {
    let body = &zip[..directory.start];
    let places: Vec<Position> =
        entries.iter().map(|entry| Position::locate(body, entry, directory.shift)).collect();
    for (entry, place) in entries.iter().zip(&places) {
        rules.require(&FAITHFUL, place.fault.is_none(), || entry.why(place.fault.unwrap_or_default()))?;
    }

    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|index| places[*index].start);
    let mut at = 0;
    for (position, index) in order.iter().enumerate() {
        let (entry, place) = (&entries[*index], &places[*index]);
        rules.require(&FAITHFUL, place.start == at, || entry.why(&misplaced(place.start, at)))?;
        let next = order.get(position + 1).map_or(body.len(), |next| places[*next].start);
        let end = place.end();
        at = end;
        if entry.header.flags & DESCRIPTOR != 0 {
            let descriptor = body.get(end..next).unwrap_or_default();
            rules.require(&FAITHFUL, describes(descriptor, entry), || {
                entry.why(&format!("its data descriptor is not between {end} and {next}"))
            })?;
            at = next.max(end);
        }
    }
    let rest = body.len().abs_diff(at);
    rules
        .require(&FAITHFUL, rest == 0, || format!("{rest} bytes before the directory belong to no entry"))?;
    Ok(places.into_iter().map(|place| place.data).collect())
}

/// The position of an entry.
struct Position<'a> {
    /// The local header's first byte.
    start: usize,
    /// The data's first byte.
    data_start: usize,
    data: &'a [u8],
    fault: Option<&'static str>,
}

impl<'a> Position<'a> {
    fn locate(body: &'a [u8], entry: &Entry<'_>, shift: u64) -> Self {
        let start = entry.header.offset.wrapping_add(shift);
        let start = usize::try_from(start).map_or(body.len(), |start| start.min(body.len()));
        let Some((data_start, mut fault)) = local_header(&body[start..], entry) else {
            let fault = Some("there is no local header at the offset that the directory gives");
            return Self { start, data_start: start, data: &[], fault };
        };
        let data_start = start + data_start;
        let length = usize::try_from(entry.header.compressed).unwrap_or(usize::MAX);
        let data = slice_at(body, data_start, length).unwrap_or_else(|| {
            fault = fault.or(Some("its data overlaps the directory"));
            &body[data_start..]
        });
        Self { start, data_start, data, fault }
    }

    fn end(&self) -> usize {
        self.data_start + self.data.len()
    }
}

/// The length of the local header, and how it contradicts the directory.
fn local_header(bytes: &[u8], entry: &Entry<'_>) -> Option<(usize, Option<&'static str>)> {
    if u32_at(bytes, 0)? != SIGNATURE {
        return None;
    }
    let (name, extra) = (usize::from(u16_at(bytes, 26)?), usize::from(u16_at(bytes, 28)?));
    let length = SIZE + name + extra;
    let extra = slice_at(bytes, SIZE + name, extra)?;
    let central = &entry.header;
    let (flags, crc) = (u16_at(bytes, 6)?, u32_at(bytes, 14)?);
    let (mut compressed, mut size) = (u64::from(u32_at(bytes, 18)?), u64::from(u32_at(bytes, 22)?));
    let (wide, sound) = extra_field(extra, WIDE_FIELD);
    let widened = widen([&mut size, &mut compressed], wide.unwrap_or_default());

    // If a descriptor follows, the writer may leave unknown values empty.
    let may_wait = flags & DESCRIPTOR != 0;
    let agrees_with = |number: u64, known: u64| number == known || (may_wait && number == 0);
    let agrees = agrees_with(crc.into(), central.crc.into())
        && agrees_with(compressed, central.compressed)
        && agrees_with(size, central.size);
    let fault = if slice_at(bytes, SIZE, name)? != central.name {
        Some("its local header has a different name")
    } else if flags != central.flags || u16_at(bytes, 8)? != central.method {
        Some("its local header has different flags or a different method")
    } else if !sound || widened.is_err() {
        Some("the extra fields of its local header are malformed")
    } else {
        (!agrees).then_some("its local header has different sizes or a different CRC-32")
    };
    Some((length, fault))
}

/// Whether these bytes are the entry's data descriptor, with or without a signature, with short or long sizes.
fn describes(bytes: &[u8], entry: &Entry<'_>) -> bool {
    let lead = if matches!(bytes.len(), 16 | 24) { 4 } else { 0 };
    let sizes = match bytes.len() {
        12 | 16 => u32_at(bytes, lead + 4).map(u64::from).zip(u32_at(bytes, lead + 8).map(u64::from)),
        20 | 24 => u64_at(bytes, lead + 4).zip(u64_at(bytes, lead + 12)),
        _ => None,
    };
    (lead == 0 || u32_at(bytes, 0) == Some(DESCRIPTOR_SIGNATURE))
        && u32_at(bytes, lead) == Some(entry.header.crc)
        && sizes == Some((entry.header.compressed, entry.header.size))
}

fn misplaced(start: usize, end: usize) -> String {
    if start < end {
        format!("begins at {start}, within the entry that ends at {end}")
    } else {
        format!("{} bytes before it belong to no entry", start - end)
    }
}
