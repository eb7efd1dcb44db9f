//! CAR version 1: a root and blocks in one file.

use std::collections::BTreeSet;
use std::io::{Error, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use cid::Cid;

use super::Blocks;

/// The header's bytes before and after the root: its length, then in CBOR a map with `roots`, a list with one
/// identifier (tag 42; 37 bytes, the first of which is 0), and `version`, which is 1.
const BEFORE_ROOT: &[u8] = b"\x3a\xa2\x65roots\x81\xd8\x2a\x58\x25\x00";
const BEHIND_ROOT: &[u8] = b"\x67version\x01";
/// Length in bytes of a version 1 identifier with a SHA-256 digest.
const NAME_BYTES: usize = 36;

/// Writes blocks as they arrive, each once, and the root's identifier into the header at the end.
///
/// Keeps only the digests of the written blocks in memory. For speed, pass a buffered writer.
#[derive(Debug)]
pub struct CarWriter<W> {
    state: Mutex<State<W>>,
}

#[derive(Debug)]
struct State<W> {
    to: W,
    /// Identifiers of the written blocks.
    written: BTreeSet<[u8; NAME_BYTES]>,
}

impl<W: Write + Seek> CarWriter<W> {
    /// Starts a file at the writer's start.
    pub fn new(mut to: W) -> std::io::Result<CarWriter<W>> {
        to.write_all(BEFORE_ROOT)?;
        to.write_all(&[0; NAME_BYTES])?;
        to.write_all(BEHIND_ROOT)?;
        Ok(CarWriter { state: Mutex::new(State { to, written: BTreeSet::new() }) })
    }

    /// Finishes the file. The root is written as a version 1 identifier, whatever its version.
    pub fn finish(self, root: &Cid) -> std::io::Result<W> {
        let root = name(&Cid::new_v1(root.codec(), *root.hash())).map_err(Error::other)?;
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
        let name = name(cid)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.written.insert(name) {
            return Ok(());
        }
        state.section(&name, &block).map_err(|error| error.to_string())
    }
}

impl<W: Write> State<W> {
    /// Writes a block: the length of identifier and block, the identifier, the block.
    fn section(&mut self, name: &[u8], block: &[u8]) -> std::io::Result<()> {
        let mut length = (name.len() + block.len()) as u64;
        let mut prefix = Vec::with_capacity(10 + name.len());
        while length >= 0x80 {
            prefix.push(length as u8 | 0x80);
            length >>= 7;
        }
        prefix.push(length as u8);
        prefix.extend_from_slice(name);
        self.to.write_all(&prefix)?;
        self.to.write_all(block)
    }
}

fn name(cid: &Cid) -> Result<[u8; NAME_BYTES], String> {
    cid.to_bytes().try_into().map_err(|_| format!("{cid} is not a version 1 identifier with SHA-256"))
}
