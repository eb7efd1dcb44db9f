//! The bytes of a file, read in pieces.

/// The bytes of one file. Pieces are read from several threads at once.
#[expect(clippy::len_without_is_empty, reason = "an empty file is a file like others")]
pub trait Content: Sync {
    /// Length in bytes, as it was when the file was opened.
    fn len(&self) -> u64;

    /// Reads bytes from `offset` on into `buffer` and tells how many; 0 only where the content ends. Fewer than
    /// asked for may come at any time. The error's text says what went wrong.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, String>;

    /// The whole content, where it lies in memory anyway.
    fn as_bytes(&self) -> Option<&[u8]> {
        None
    }
}

impl Content for &[u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, String> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
}
