//! The bytes of a file, read in pieces.

/// The bytes of one file. Several threads read pieces at the same time.
#[expect(clippy::len_without_is_empty, reason = "an empty file is a normal file")]
pub trait Content: Sync {
    /// Length in bytes. The builder may skip this call for content of one chunk, which ends where reading ends. Content
    /// with another length than this is an error.
    fn len(&self) -> u64;

    /// Reads bytes from `offset` into `buffer` and returns how many. 0 means the end of the content. It may return
    /// fewer than requested at any time. The error says what went wrong.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, String>;

    /// The whole content, if it is in memory anyway.
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
