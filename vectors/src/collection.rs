//! A collection as a value: the embedded one, or somebody's copy in a folder or a tar.

mod read;

use std::collections::BTreeMap;

use crate::data;

pub use read::{FILE_LIMIT, Unreadable};

/// Where the cases stand.
pub const DATA: &str = "data/";

/// The files of a collection by their paths, `data/publish/domain.json` and the like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collection {
    files: BTreeMap<String, Vec<u8>>,
}

impl Collection {
    /// The collection that this program was built with.
    pub fn embedded() -> Collection {
        let data = data::FILES.iter().chain(data::EXCHANGES);
        let data = data.map(|(path, text)| (format!("{DATA}{path}"), *text));
        let besides = [
            ("data/manifest.json", data::MANIFEST),
            ("data/witnesses.json", data::WITNESSES),
            ("divergences.json", data::DIVERGENCES),
            ("schema/case.schema.json", data::SCHEMA),
            ("LICENSE", data::LICENCE),
            ("README.md", data::README),
        ];
        let besides = besides.map(|(path, text)| (path.to_owned(), text));
        let bytes = |(path, text): (String, &str)| (path, text.as_bytes().to_vec());
        Collection { files: data.chain(besides).map(bytes).collect() }
    }

    /// A file's bytes.
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// Every file, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// Puts a file in, in place of one that stood there.
    pub fn put(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.to_owned(), bytes.into());
    }

    /// Takes a file out.
    pub fn take(&mut self, path: &str) -> Option<Vec<u8>> {
        self.files.remove(path)
    }
}

/// Whether cases stand in the file: `data/<service>/<group>.json`.
pub fn holds_cases(path: &str) -> bool {
    let inside = path.strip_prefix(DATA).and_then(|path| path.strip_suffix(".json"));
    inside.is_some_and(|place| place.matches('/').count() == 1)
}
