//! Contents and folders that cannot be read, or differ from what they declare.

use assay_spec::Strict;
use assay_spec::cid::{
    Blocks, Cid, CidError, Content, Discard, Fault, Followed, Item, Layout, NodeKind, Summary, Tree, of_file,
    of_folder,
};

/// Chunks of ten bytes.
fn layout() -> Layout {
    Layout { chunk_bytes: 10, ..Layout::default() }
}

/// Zeros with a declared length that may be wrong. Some bytes may be unreadable.
struct Says {
    len: u64,
    has: u64,
    lost: Vec<u64>,
}

impl Content for Says {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, String> {
        let count = self.has.saturating_sub(offset).min(buffer.len() as u64);
        match self.lost.iter().find(|lost| (offset..offset + count).contains(lost)) {
            Some(lost) => Err(format!("byte {lost} is lost")),
            None => Ok(count as usize),
        }
    }
}

fn read(len: u64, has: u64, lost: &[u64]) -> Result<Summary, CidError> {
    of_file(&Says { len, has, lost: lost.to_vec() }, &layout(), &Discard)
}

#[test]
fn content_of_another_length_than_declared_is_rejected() {
    for (len, has) in
        [(99, 98), (99, 100), (99, 109), (99, 20), (90, 91), (90, 89), (11, 12), (10, 11), (0, 11)]
    {
        let wanted = CidError::At { path: ".".to_owned(), fault: Fault::Length { expected: len } };
        assert_eq!(read(len, has, &[]), Err(wanted), "{len} {has}");
    }
    // Content that fits into one chunk is read at once, and its real length counts.
    for (len, has) in [(99, 99), (90, 90), (11, 11), (10, 10), (9, 10), (11, 10), (5, 0), (0, 0)] {
        assert_eq!(read(len, has, &[]).map(|summary| summary.bytes), Ok(has), "{len} {has}");
    }
}

#[test]
fn the_first_unreadable_byte_is_reported() {
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let error = pool.install(|| read(100_000, 100_000, &[99_999, 4_567, 81_000])).unwrap_err();
        assert_eq!(error.to_string(), ".: byte 4567 is lost");
    }
}

/// Accepts some blocks, then no more.
struct Full(u64);

impl Blocks for Full {
    fn put(&self, cid: &Cid, block: Vec<u8>) -> Result<(), String> {
        assert!(!block.is_empty());
        if cid.codec() == self.0 { Err("it is full".to_owned()) } else { Ok(()) }
    }
}

#[test]
fn failed_block_write_is_an_error() {
    let content = vec![1; 1000];
    for codec in [0x55, 0x70] {
        let error = of_file(&content.as_slice(), &layout(), &Full(codec)).unwrap_err();
        assert_eq!(error, CidError::Blocks("it is full".to_owned()));
    }
}

/// A folder of numbered files, some of which cannot be read.
struct Broken;

impl Tree for Broken {
    type File = &'static [u8];
    type Folder = String;

    fn list(&self, folder: &String) -> Result<Vec<Item>, String> {
        if folder.ends_with("d7/") {
            return Err("not listed".to_owned());
        }
        let file = |n| Item { name: format!("f{n:04}").into(), kind: NodeKind::File };
        let folders = ["d3", "d7"].map(|name| Item { name: name.into(), kind: NodeKind::Folder });
        let deep = if folder.is_empty() { &folders[..] } else { &[] };
        Ok((0..1500).rev().map(file).chain(deep.iter().cloned()).collect())
    }

    fn enter(&self, folder: &String, name: &str) -> Result<String, String> {
        Ok(format!("{folder}{name}/"))
    }

    fn follow(&self, _: &String, _: &str) -> Result<Followed<String>, String> {
        Ok(Followed::Nothing)
    }

    fn open(&self, folder: &String, name: &str) -> Result<&'static [u8], String> {
        match (folder.as_str(), &name[3..]) {
            ("d3/", "99" | "77") => Err(format!("{name} is broken")),
            _ => Ok(b"fine"),
        }
    }

    fn is_same(&self, one: &String, other: &String) -> Result<bool, String> {
        Ok(one == other)
    }
}

#[test]
fn the_first_error_in_walk_order_is_reported() {
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let layout = Layout::default();
        for _ in 0..5 {
            let build = || of_folder(&Broken, String::new(), &layout, &mut Strict, &Discard);
            let error = pool.install(build).unwrap_err();
            assert_eq!(error.to_string(), "d3/f0077: f0077 is broken");
        }
    }
}
