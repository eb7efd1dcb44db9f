//! A collection of case files: the embedded one, or a copy in a folder or a tar.

mod read;
mod tables;

use std::collections::BTreeMap;

use crate::{data, generate};

pub use read::{FILE_LIMIT, Unreadable};

/// The folder of the cases.
pub const DATA: &str = "data/";

/// The files of a collection by path, for example `data/publish/domain.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collection {
    files: BTreeMap<String, Vec<u8>>,
}

impl Collection {
    /// The collection embedded in this program.
    pub fn embedded() -> Collection {
        let cases = generate::FILES.iter().map(|file| (file.path, file.text));
        let data = cases.chain(data::EXCHANGES.iter().copied());
        let data = data.map(|(path, text)| (format!("{DATA}{path}"), text));
        let besides = [
            ("data/manifest.json", data::MANIFEST),
            ("data/witnesses.json", data::WITNESSES),
            ("divergences.json", data::DIVERGENCES),
            ("schema/case.schema.json", data::SCHEMA),
        ];
        let besides = besides.into_iter().chain(data::BESIDE.iter().copied());
        let besides = besides.map(|(path, text)| (path.to_owned(), text));
        let bytes = |(path, text): (String, &str)| (path, text.as_bytes().to_vec());
        let tables = tables::tables().map(|(path, text)| (path.to_owned(), text.into_bytes()));
        Collection { files: data.chain(besides).map(bytes).chain(tables).collect() }
    }

    /// A file's bytes.
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// Every file, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// Adds or replaces a file.
    pub fn put(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.to_owned(), bytes.into());
    }

    /// Removes a file.
    pub fn take(&mut self, path: &str) -> Option<Vec<u8>> {
        self.files.remove(path)
    }
}

/// Whether the file explains the cases: a copy may lack it.
pub fn is_beside(path: &str) -> bool {
    const DATA_FILES: [&str; 2] = ["divergences.json", "schema/case.schema.json"];
    !path.starts_with(DATA) && !DATA_FILES.contains(&path)
}

/// Whether the file holds cases: `data/<service>/<group>.json`.
pub fn holds_cases(path: &str) -> bool {
    let inside = path.strip_prefix(DATA).and_then(|path| path.strip_suffix(".json"));
    inside.is_some_and(|place| place.matches('/').count() == 1)
}
