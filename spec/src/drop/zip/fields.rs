//! Little-endian numbers at given offsets of a byte slice; `None` past the end.

/// The two bytes at `at`.
pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    array_at(bytes, at).map(u16::from_le_bytes)
}

/// The four bytes at `at`.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array_at(bytes, at).map(u32::from_le_bytes)
}

/// The eight bytes at `at`.
pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    array_at(bytes, at).map(u64::from_le_bytes)
}

/// `length` bytes from `at`.
pub(super) fn slice_at(bytes: &[u8], at: usize, length: usize) -> Option<&[u8]> {
    bytes.get(at..at.checked_add(length)?)
}

/// A name for a log line: escaped, and truncated if it is long.
pub(super) fn shown(name: &[u8]) -> String {
    const MOST: usize = 100;
    match name.get(..MOST) {
        Some(start) => format!("{:?}… ({} bytes)", String::from_utf8_lossy(start), name.len()),
        None => format!("{:?}", String::from_utf8_lossy(name)),
    }
}

/// The first extra field with `id`, and whether the fields are well formed with at most one such field.
///
/// Up to three bytes after the last field are padding.
pub(super) fn extra_field(mut extra: &[u8], id: u16) -> (Option<&[u8]>, bool) {
    let mut found = None;
    while extra.len() >= 4 {
        let (Some(field_id), Some(length)) = (u16_at(extra, 0), u16_at(extra, 2)) else { break };
        let end = 4 + usize::from(length);
        let Some(field) = extra.get(4..end) else { return (found, false) };
        if field_id == id && found.replace(field).is_some() {
            return (found, false);
        }
        extra = &extra[end..];
    }
    (found, true)
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}
