//! Published builders of content identifiers.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use aleph_cid::folder_hash::hash_folder_root;
use aleph_cid::verify::Hasher;
use aleph_cid::{UploadFolderOptions, collect_folder_files};
use rust_unixfs::dir::builder::BufferingTreeBuilder;
use rust_unixfs::file::adder::FileAdder;

use crate::ratios::cid::{Builder, CHUNK_BYTES, names};

/// A builder's name, and the identifier that it gives a file or folder.
type Peer = (&'static str, Builder);

/// Every peer.
pub const ALL: [Peer; 2] = [("aleph_cid", aleph), ("rust_unixfs", unixfs)];

fn aleph(path: &Path) -> String {
    if path.is_dir() { aleph_folder(path) } else { aleph_file(path) }
}

fn unixfs(path: &Path) -> String {
    if path.is_dir() { unixfs_folder(path) } else { unixfs_file(path) }
}

fn aleph_file(path: &Path) -> String {
    let (mut file, mut buffer) = (File::open(path).expect("a file"), vec![0; CHUNK_BYTES]);
    let mut hasher = Hasher::for_ipfs_v1_raw_leaves();
    loop {
        match file.read(&mut buffer).expect("bytes") {
            0 => return hasher.finalize().to_string(),
            count => hasher.update(&buffer[..count]),
        }
    }
}

fn aleph_folder(path: &Path) -> String {
    let entries = collect_folder_files(path, true).expect("files");
    hash_folder_root(&entries, &UploadFolderOptions::default()).expect("content").to_string()
}

fn unixfs_file(path: &Path) -> String {
    unixfs_content(path, &mut vec![0; CHUNK_BYTES]).0.to_string()
}

fn unixfs_folder(path: &Path) -> String {
    let (mut tree, mut buffer) = (BufferingTreeBuilder::default(), vec![0; CHUNK_BYTES]);
    for name in names(path) {
        let (cid, total) = unixfs_content(&path.join(&name), &mut buffer);
        tree.put_link(&format!("root/{name}"), cid, total).expect("a new path");
    }
    let (mut nodes, mut root) = (tree.build(), String::new());
    while let Some(node) = nodes.next_borrowed() {
        root = node.expect("a node").cid.to_string();
    }
    root
}

/// The identifier and the cumulative size. The size of content in more than one block is not needed.
fn unixfs_content(path: &Path, buffer: &mut [u8]) -> (cid::Cid, u64) {
    let mut file = File::open(path).expect("a file");
    let mut adder = FileAdder::default();
    let mut filled = 0;
    loop {
        let count = file.read(&mut buffer[filled..]).expect("bytes");
        filled += count;
        if filled == buffer.len() || count == 0 {
            let mut rest = &buffer[..filled];
            while !rest.is_empty() {
                let (blocks, taken) = adder.push(rest);
                drop(blocks);
                rest = &rest[taken..];
            }
            if count == 0 {
                break;
            }
            filled = 0;
        }
    }
    let (cid, block) = adder.finish().last().expect("a root");
    (cid, block.len() as u64)
}
