//! CAR version 1: a root and blocks in one file.

use std::collections::BTreeSet;
use std::io::{Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use cid::Cid;

use super::Blocks;

/// The header's bytes before and behind the root: its length, then in CBOR a map of `roots`, a list with one
/// identifier (tag 42; 37 bytes, the first of which is 0), and `version`, which is 1.
const BEFORE_ROOT: &[u8] = b"\x3a\xa2\x65roots\x81\xd8\x2a\x58\x25\x00";
const BEHIND_ROOT: &[u8] = b"\x67version\x01";
/// Bytes of a version 1 identifier with a SHA-256 digest.
const ROOT_BYTES: usize = 36;

/// Writes blocks as they come, each once, and the root's name into the header at the end.
///
/// Nothing is held but the digests of the blocks that were written. Whoever wants speed gives a buffered writer.
#[derive(Debug)]
pub struct CarWriter<W> {
    state: Mutex<State<W>>,
}

#[derive(Debug)]
struct State<W> {
    to: W,
    written: BTreeSet<Cid>,
}

impl<W: Write + Seek> CarWriter<W> {
    /// Begins a file, at the writer's start.
    pub fn new(mut to: W) -> std::io::Result<CarWriter<W>> {
        to.write_all(BEFORE_ROOT)?;
        to.write_all(&[0; ROOT_BYTES])?;
        to.write_all(BEHIND_ROOT)?;
        Ok(CarWriter { state: Mutex::new(State { to, written: BTreeSet::new() }) })
    }

    /// Ends the file. The root is named in version 1, whatever its version.
    pub fn finish(self, root: &Cid) -> std::io::Result<W> {
        let root = Cid::new_v1(root.codec(), *root.hash()).to_bytes();
        assert_eq!(root.len(), ROOT_BYTES, "roots have SHA-256 digests");
        let State { mut to, .. } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        to.seek(SeekFrom::Start(BEFORE_ROOT.len() as u64))?;
        to.write_all(&root)?;
        to.seek(SeekFrom::End(0))?;
        to.flush()?;
        Ok(to)
    }
}

impl<W: Write + Send> Blocks for CarWriter<W> {
    fn put(&self, cid: &Cid, block: Vec<u8>) -> Result<(), String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.written.insert(*cid) {
            return Ok(());
        }
        state.section(cid, &block).map_err(|error| error.to_string())
    }
}

impl<W: Write> State<W> {
    fn section(&mut self, cid: &Cid, block: &[u8]) -> std::io::Result<()> {
        let cid = cid.to_bytes();
        let mut length = (cid.len() + block.len()) as u64;
        let mut prefix = Vec::with_capacity(10 + cid.len());
        while length >= 0x80 {
            prefix.push(length as u8 | 0x80);
            length >>= 7;
        }
        prefix.push(length as u8);
        prefix.extend(cid);
        self.to.write_all(&prefix)?;
        self.to.write_all(block)
    }
}
