//! Properties of every tree.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::unpack::Car;
use assay_spec::Strict;
use assay_spec::cid::{
    CarWriter, Content, Discard, Entry, Followed, Item, Kept, Layout, NodeKind, Summary, Tree, of_entries,
    of_file, of_folder,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

type Files = BTreeMap<String, Vec<u8>>;

/// Small chunks, nodes and directories, so that small content gives every shape.
fn small() -> Layout {
    Layout { chunk_bytes: 7, width: 3, shard_above_bytes: Some(200), ..Layout::default() }
}

fn trees() -> impl Strategy<Value = Files> {
    let segment = prop_oneof!["[a-d]", "[a-d]", "[.]?[a-z\u{e9}\u{301} ]{1,12}x"];
    // A file ends in a dot and a letter; no folder does.
    let path = (vec(segment, 0..4), "[a-z0-9]{0,30}[.][a-z]")
        .prop_map(|(folders, name)| folders.into_iter().chain([name]).collect::<Vec<_>>().join("/"));
    btree_map(path, vec(any::<u8>(), 0..200), 0..40)
}

fn entries(files: &Files) -> BTreeMap<String, Entry<'_>> {
    files.iter().map(|(path, content)| (path.clone(), Entry::File(content))).collect()
}

fn summary(files: &Files) -> Summary {
    of_entries(&entries(files), &small(), &mut Strict, &Discard).expect("a folder")
}

fn car(files: &Files) -> (Summary, Vec<u8>) {
    let writer = CarWriter::new(Cursor::new(Vec::new())).expect("room for a header");
    let summary = of_entries(&entries(files), &small(), &mut Strict, &writer).expect("a folder");
    (summary.clone(), writer.finish(&summary.cid).expect("room for the root").into_inner())
}

/// Files by folder, listed in an order that depends on `turn`, and read a few bytes at a time.
struct Shuffled<'a> {
    files: &'a Files,
    turn: usize,
    cut: u64,
}

struct Cut<'a>(&'a [u8], u64, AtomicU64);

impl Content for Cut<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, String> {
        let most = 1 + self.2.fetch_add(1, Ordering::Relaxed) % self.1;
        let most = buffer.len().min(most as usize);
        self.0.read_at(offset, &mut buffer[..most])
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        None
    }
}

impl<'a> Tree for Shuffled<'a> {
    type File = Cut<'a>;
    type Folder = String;

    fn list(&self, folder: &String) -> Result<Vec<Item>, String> {
        let below = self.files.keys().filter_map(|path| path.strip_prefix(folder.as_str()));
        let mut items: Vec<Item> = below
            .map(|rest| match rest.split_once('/') {
                Some((name, _)) => Item { name: name.into(), kind: NodeKind::Folder },
                None => Item { name: rest.into(), kind: NodeKind::File },
            })
            .collect();
        items.dedup();
        let count = items.len().max(1);
        items.rotate_left(self.turn % count);
        if self.turn.is_multiple_of(2) {
            items.reverse();
        }
        Ok(items)
    }

    fn enter(&self, folder: &String, name: &str) -> Result<String, String> {
        Ok(format!("{folder}{name}/"))
    }

    fn follow(&self, _: &String, _: &str) -> Result<Followed<String>, String> {
        Err("there are no links".to_owned())
    }

    fn open(&self, folder: &String, name: &str) -> Result<Cut<'a>, String> {
        let content = self.files.get(&format!("{folder}{name}")).ok_or("no such file")?;
        Ok(Cut(content, self.cut, AtomicU64::new(self.turn as u64)))
    }

    fn is_same(&self, one: &String, other: &String) -> Result<bool, String> {
        Ok(one == other)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn identifier_does_not_depend_on_order_threads_or_read_sizes(files in trees(), turn in 0usize..9, cut in 1u64..9) {
        let wanted = summary(&files);
        let (kept, bytes) = car(&files);
        prop_assert_eq!(&kept, &wanted);
        let tree = Shuffled { files: &files, turn, cut };
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| of_folder(&tree, String::new(), &small(), &mut Strict, &Discard));
            prop_assert_eq!(&again.unwrap(), &wanted);
            prop_assert_eq!(&pool.install(|| car(&files)).1, &bytes);
        }
    }

    #[test]
    fn car_contains_the_files(files in trees()) {
        let (summary, bytes) = car(&files);
        let car = Car::read(&bytes);
        prop_assert_eq!(summary.cid.to_bytes(), car.root);
        let mut rebuilt = car.files();
        rebuilt.retain(|path, _| !path.ends_with('/'));
        prop_assert_eq!(&rebuilt, &files);
        // The root is last, and there is no other block.
        prop_assert_eq!(car.blocks.last().unwrap().0, car.root);
        let kept = Kept::default();
        of_entries(&entries(&files), &small(), &mut Strict, &kept).unwrap();
        let kept: Vec<Vec<u8>> = kept.into_blocks().into_values().collect();
        let mut blocks: Vec<Vec<u8>> = car.blocks.into_iter().map(|(_, block)| block).collect();
        prop_assert_eq!(kept.len(), blocks.len());
        blocks.retain(|block| !kept.contains(block));
        prop_assert!(blocks.is_empty());
    }

    #[test]
    fn each_byte_and_name_changes_the_cid(files in trees(), which in any::<prop::sample::Index>(), bit in 0u8..8) {
        prop_assume!(!files.is_empty());
        let before = summary(&files).cid;
        let path = which.get(&files.keys().cloned().collect::<Vec<_>>()).clone();
        let mut changed = files.clone();
        let content = changed.get_mut(&path).unwrap();
        match content.len() {
            0 => content.push(bit),
            len => content[which.index(len)] ^= 1 << bit,
        }
        prop_assert_ne!(summary(&changed).cid, before);
        let mut renamed = files.clone();
        let content = renamed.remove(&path).unwrap();
        renamed.insert(format!("{path}+"), content.clone());
        prop_assert_ne!(summary(&renamed).cid, before);
        let mut longer = files.clone();
        longer.insert(path, [content, vec![0]].concat());
        prop_assert_ne!(summary(&longer).cid, before);
    }

    #[test]
    fn file_identifier_does_not_depend_on_read_sizes(content in vec(any::<u8>(), 0..2000), cut in 1u64..50) {
        let whole = of_file(&content.as_slice(), &small(), &Discard).unwrap();
        let cut = of_file(&Cut(&content, cut, AtomicU64::new(0)), &small(), &Discard).unwrap();
        prop_assert_eq!(whole, cut);
    }
}
