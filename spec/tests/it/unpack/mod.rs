//! Reads CARs and the files in them. Shares no code with the builder, so that it can find the builder's errors.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

/// An identifier: version 1, the codec, SHA-256, 32 bytes.
pub(crate) type Name = [u8; 36];

/// The content of a CAR.
pub(crate) struct Car {
    /// The root.
    pub(crate) root: Name,
    /// Identifiers and blocks, in the order of the file.
    pub(crate) blocks: Vec<(Name, Vec<u8>)>,
}

impl Car {
    /// Reads a CAR. Every block must hash to its identifier and appear once.
    pub(crate) fn read(mut bytes: &[u8]) -> Car {
        let header = prefixed(&mut bytes);
        let root = header.strip_prefix(b"\xa2\x65roots\x81\xd8\x2a\x58\x25\x00").expect("one root");
        let root = root.strip_suffix(b"\x67version\x01").expect("version 1");
        let mut blocks: Vec<(Name, Vec<u8>)> = Vec::new();
        while !bytes.is_empty() {
            let section = prefixed(&mut bytes);
            let (name, block) = section.split_at(36);
            assert_eq!(name[0], 1, "version");
            assert_eq!(name[2..4], [0x12, 32], "SHA-256");
            assert_eq!(name[4..], Sha256::digest(block)[..], "a block does not match its identifier");
            let name = name.try_into().expect("36 bytes");
            assert!(blocks.iter().all(|(other, _)| *other != name), "a block appears twice");
            blocks.push((name, block.to_vec()));
        }
        Car { root: root.try_into().expect("36 bytes"), blocks }
    }

    /// The files below the root, by path. A root that is a file has the path "". Directories end in a slash.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        self.put_files(&self.root, "", &mut files);
        files
    }

    fn put_files(&self, name: &Name, path: &str, files: &mut BTreeMap<String, Vec<u8>>) {
        let directory = (name[1] == 0x70).then(|| self.node(name)).filter(|node| node.kind != 2);
        let Some(directory) = directory else {
            let content = self.content(name);
            files.insert(path.to_owned(), content);
            return;
        };
        if !path.is_empty() {
            files.insert(format!("{path}/"), Vec::new());
        }
        for (entry, name) in self.entries(&directory) {
            let path = if path.is_empty() { entry } else { format!("{path}/{entry}") };
            self.put_files(&name, &path, files);
        }
    }

    /// Entries of a directory, and of its shards.
    fn entries(&self, directory: &UnixFs) -> Vec<(String, Name)> {
        assert!(directory.links.is_sorted_by(|a, b| a.0 < b.0), "links must be sorted");
        if directory.kind == 1 {
            return directory.links.clone();
        }
        assert_eq!(directory.kind, 5, "must be a directory or a shard");
        assert_eq!(directory.hash_and_fanout, (0x22, 256));
        assert_ne!(directory.data.first(), Some(&0), "no leading zero byte");
        let is_set = |place: usize| {
            let from_end = directory.data.len().checked_sub(place / 8 + 1);
            from_end.is_some_and(|at| directory.data[at] & 1 << (place % 8) != 0)
        };
        let places: Vec<String> =
            (0..256).filter(|&place| is_set(place)).map(|place| format!("{place:02X}")).collect();
        assert!(directory.links.iter().map(|(name, _)| &name[..2]).eq(&places), "a bit for each link");
        let mut entries = Vec::new();
        for (name, target) in &directory.links {
            match &name[2..] {
                "" => entries.extend(self.entries(&self.node(target))),
                entry => entries.push((entry.to_owned(), *target)),
            }
        }
        entries
    }

    fn content(&self, name: &Name) -> Vec<u8> {
        if name[1] == 0x55 {
            return self.block(name).to_vec();
        }
        let node = self.node(name);
        let mut content = node.data;
        for ((_, child), bytes) in node.links.iter().zip(&node.block_bytes) {
            let part = self.content(child);
            assert_eq!(part.len() as u64, *bytes, "must have the length that its parent declares");
            content.extend(part);
        }
        assert_eq!(node.links.len(), node.block_bytes.len());
        assert_eq!(content.len() as u64, node.file_bytes);
        content
    }

    fn block(&self, name: &Name) -> &[u8] {
        let found = self.blocks.iter().find(|(other, _)| other == name);
        &found.expect("every linked block exists").1
    }

    fn node(&self, name: &Name) -> UnixFs {
        let (mut node, mut message) = (UnixFs::default(), &b""[..]);
        let mut has_data = false;
        for (field, value) in fields(self.block(name)) {
            match (field, value) {
                (2, Value::Bytes(link)) => {
                    assert!(!has_data, "links must come before the data");
                    let link = fields(link);
                    let [(1, Value::Bytes(target)), (2, Value::Bytes(name)), (3, Value::Number(total))] =
                        link[..]
                    else {
                        panic!("a link has a target, a name and a size: {link:?}");
                    };
                    let target: Name = target.try_into().expect("36 bytes");
                    assert_eq!(total, self.total(&target), "must be the total size of its target");
                    node.links.push((String::from_utf8(name.to_vec()).expect("UTF-8"), target));
                }
                (1, Value::Bytes(data)) => (message, has_data) = (data, true),
                other => panic!("unknown field of a node: {other:?}"),
            }
        }
        for field in fields(message) {
            match field {
                (1, Value::Number(kind)) => node.kind = kind,
                (2, Value::Bytes(data)) => node.data = data.to_vec(),
                (3, Value::Number(bytes)) => node.file_bytes = bytes,
                (4, Value::Number(bytes)) => node.block_bytes.push(bytes),
                (5, Value::Number(hash)) => node.hash_and_fanout.0 = hash,
                (6, Value::Number(fanout)) => node.hash_and_fanout.1 = fanout,
                other => panic!("unknown field of a message: {other:?}"),
            }
        }
        node
    }

    /// Bytes of a block and of all blocks below it.
    fn total(&self, name: &Name) -> u64 {
        let block = self.block(name);
        let links = if name[1] == 0x70 { fields(block) } else { Vec::new() };
        let below: u64 = links
            .iter()
            .filter_map(|link| match link {
                (2, Value::Bytes(link)) => fields(link).iter().find_map(|field| match field {
                    (3, Value::Number(bytes)) => Some(*bytes),
                    _ => None,
                }),
                _ => None,
            })
            .sum();
        block.len() as u64 + below
    }
}

#[derive(Default)]
struct UnixFs {
    kind: u64,
    data: Vec<u8>,
    file_bytes: u64,
    block_bytes: Vec<u64>,
    hash_and_fanout: (u64, u64),
    links: Vec<(String, Name)>,
}

#[derive(Clone, Copy, Debug)]
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a protobuf message, in order.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Value<'_>)> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = number(&mut bytes);
        let value = match tag & 7 {
            0 => Value::Number(number(&mut bytes)),
            2 => Value::Bytes(prefixed(&mut bytes)),
            wire => panic!("unknown wire type: {wire}"),
        };
        fields.push((tag >> 3, value));
    }
    fields
}

/// Length-prefixed bytes.
fn prefixed<'a>(bytes: &mut &'a [u8]) -> &'a [u8] {
    let length = number(bytes) as usize;
    let (head, tail) = bytes.split_at(length);
    *bytes = tail;
    head
}

fn number(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
    }
    panic!("a number of more than 64 bits");
}
