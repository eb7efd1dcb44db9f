//! The release: one tar, with the same bytes on every machine and at every time.

use assay_spec::crypto::text::sha256_hex;

use crate::collection::Collection;

/// The folder in the tar.
pub const FOLDER: &str = concat!("assay-vectors-", env!("CARGO_PKG_VERSION"));

/// A collection as a tar: sorted, without times and owners, with the SHA-256 of every file in `SHA256SUMS`.
pub fn pack(collection: &Collection) -> Vec<u8> {
    let mut whole = collection.clone();
    whole.take(SUMS);
    let sums: Vec<String> = whole.files().map(|(path, bytes)| sum_line(bytes, path)).collect();
    whole.put(SUMS, sums.concat());
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in whole.files() {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_mode(0o644);
        header.set_size(bytes.len() as u64);
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        let path = format!("{FOLDER}/{path}");
        builder
            .append_data(&mut header, path, bytes)
            .expect("writing to memory does not fail, and the paths are short");
    }
    builder.into_inner().expect("writing to memory does not fail")
}

/// The line of a file for `sha256sum -c`.
pub fn sum_line(bytes: &[u8], name: &str) -> String {
    format!("{}  {name}\n", sha256_hex(bytes))
}

const SUMS: &str = "SHA256SUMS";

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn packing_is_deterministic_and_independent_of_the_machine() {
        let packed = pack(&Collection::embedded());
        assert_eq!(packed, pack(&Collection::embedded()));
        let mut archive = tar::Archive::new(packed.as_slice());
        let mut paths = Vec::new();
        for entry in archive.entries().expect("a tar") {
            let mut entry = entry.expect("an entry");
            let header = entry.header().clone();
            assert_eq!(header.mtime().ok(), Some(0));
            assert_eq!(
                (header.uid().ok(), header.gid().ok(), header.mode().ok()),
                (Some(0), Some(0), Some(0o644))
            );
            assert!(header.username_bytes().is_none_or(<[u8]>::is_empty));
            let path = String::from_utf8(entry.path_bytes().into_owned()).expect("UTF-8");
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("its bytes");
            paths.push(path);
        }
        assert!(paths.is_sorted());
        let own: Vec<&str> = paths.iter().filter_map(|path| path.strip_prefix(FOLDER)).collect();
        assert_eq!(own.len(), paths.len());
        for part in [
            "LICENSE",
            "README.md",
            "SHA256SUMS",
            "data/manifest.json",
            "data/witnesses.json",
            "divergences.json",
            "schema/case.schema.json",
            "data/publish/exchange/prepare.json",
        ] {
            assert!(own.contains(&format!("/{part}").as_str()), "{part}");
        }
    }

    #[test]
    fn checksums_match_the_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("vectors.tar");
        std::fs::write(&path, pack(&Collection::embedded())).expect("written");
        let mut read = Collection::read(&path).expect("a collection");
        let sums = String::from_utf8(read.take(SUMS).expect("it exists")).expect("UTF-8");
        let line = |(path, bytes): (&str, &[u8])| format!("{}  {path}", sha256_hex(bytes));
        assert_eq!(
            sums.lines().map(str::to_owned).collect::<Vec<_>>(),
            read.files().map(line).collect::<Vec<_>>()
        );
        assert_eq!(read, Collection::embedded());
    }
}
