//! Sample sites to upload.

use std::collections::BTreeMap;

use assay_spec::Strict;
use assay_spec::cid::{self, Cid, Entry as CidEntry, Layout};
use assay_spec::crypto::text;
use assay_spec::drop::values::NAMES;
use assay_spec::drop::zip::write::Entry;
use assay_spec::value::ValueKind;
use serde_json::Value;

use super::archive::{compressed, directory, file, zip};
use crate::harness::check::Stop;
use crate::harness::probe::Probe;

/// A site: its files by path, and its empty directories.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) empty: Vec<String>,
}

/// The bytes of a chunk in the documented layout.
const CHUNK: usize = 262_144;
/// The page at the root.
pub(crate) const INDEX: &str = "index.html";
/// The files of [`Sample::plain`] in folders: one with every byte value, one without bytes, and one whose name must be escaped in
/// a URL.
pub(crate) const NESTED: [&str; 3] =
    ["assets/data/bytes.bin", "assets/empty.txt", "assets/a name & caf\u{e9}.txt"];
/// A file of [`Sample::rich`] that has several chunks.
const LARGE: &str = "several-chunks.bin";
/// A file of [`Sample::rich`] with a name of characters that mean something in a URL, and in both forms of an accent.
const SYMBOLS: &str = "letters/100%25 + #1? caf\u{e9} cafe\u{301}.txt";
/// Files of [`Sample::rich`] that some servers accept and do not serve.
pub(crate) const TELLING: [&str; 6] =
    [LARGE, SYMBOLS, ".hidden", ".well-known/a.txt", "CNAME", "bytes/lines.html"];
/// Names that ordinary sites have, besides those of [`NAMES`], and that some servers leave out, change or order in another way.
const ORDINARY: [&str; 17] = [
    ".DS_Store",
    ".git/HEAD",
    "__MACOSX/._index.html",
    "node_modules/a/index.js",
    "_next/static/a.js",
    "_headers",
    "_redirects",
    "CNAME",
    ".well-known/a.txt",
    "letters/[slug].js",
    "letters/a;b.txt",
    "letters/a,b&c='d'.txt",
    SYMBOLS,
    "letters/composed-caf\u{e9}.txt",
    "letters/decomposed-cafe\u{301}.txt",
    // UTF-16 orders these two in another way than their bytes.
    "letters/\u{ff5e}.txt",
    "letters/\u{1f680}.txt",
];
/// A path of more than 100 bytes through ten folders.
const DEEP: &str = "one/two/three/four/five/six/seven/eight/nine/ten/a-file-whose-name-is-rather-long-but-not-too-long-for-a-file.txt";

impl Sample {
    /// A page that was not uploaded before.
    pub(crate) fn page(probe: &Probe<'_>) -> Sample {
        Sample::labelled(&Sample::label(probe))
    }

    /// The same label each time in a run.
    pub(crate) fn label_of_the_run(probe: &Probe<'_>) -> [u8; 32] {
        let mut label = [0; 32];
        label[..8].copy_from_slice(&probe.settings.seed.to_be_bytes());
        label
    }

    /// A label that was not used before.
    pub(crate) fn label(probe: &Probe<'_>) -> [u8; 32] {
        probe.draw("page")
    }

    fn labelled(label: &[u8; 32]) -> Sample {
        let label = text::hex(&label[..8]);
        let page = format!("<!doctype html>\n<title>{label}</title>\n<p>A page of a conformance check.\n");
        Sample::default().with(INDEX, page)
    }

    /// A page with this label, and the files [`NESTED`].
    pub(crate) fn plain(label: &[u8; 32]) -> Sample {
        let [bytes, empty, escaped] = NESTED;
        let every_byte: Vec<u8> = (0..=255).chain(*label).collect();
        Sample::labelled(label).with(bytes, every_byte).with(empty, "").with(escaped, "a file\n")
    }

    /// A site whose CID differs between layouts: files of several chunks, of exactly one and two, and without bytes; dotfiles;
    /// ordinary names; nested empty directories.
    pub(crate) fn rich(label: &[u8; 32]) -> Sample {
        Sample::labelled(label).enriched()
    }

    /// Adds the files and directories of [`Sample::rich`].
    #[must_use]
    pub(crate) fn enriched(self) -> Sample {
        let mut sample = self
            .with(LARGE, repetitive(1_200_000))
            .with("one-chunk.txt", "one chunk\n")
            .with("exactly-one-chunk.bin", repetitive(CHUNK))
            .with("exactly-two-chunks.bin", repetitive(2 * CHUNK))
            .with("empty.txt", "")
            .with(DEEP, "a file\n")
            .with(".hidden", "a dotfile\n")
            .with("assets/.hidden", "another dotfile\n");
        // Bytes that a server may take for an error of an editor, and two files with equal bytes.
        for (path, content) in [
            ("bytes/lines.html", &b"<p>one</p>\r\n<p>two</p>\r\n"[..]),
            ("bytes/mark.css", b"\xef\xbb\xbfa { top: 0 }\n"),
            ("bytes/latin-1.txt", b"caf\xe9\n"),
            ("bytes/blanks.json", b"{ \"a\" : 1 }\n\n"),
            ("equal/one.txt", b"equal\n"),
            ("equal/two.txt", b"equal\n"),
        ] {
            sample.files.insert(path.to_owned(), content.to_vec());
        }
        sample.files.extend(ORDINARY.map(|path| (path.to_owned(), path.into())));
        sample.files.extend(names(|name| name.may_be_rejected.is_empty()));
        sample.empty = vec!["nothing".to_owned(), "nothing/here".to_owned()];
        sample
    }

    /// Adds files with names that a server may reject.
    #[must_use]
    pub(crate) fn with_names_that_may_be_rejected(mut self) -> Sample {
        self.files.extend(names(|name| !name.may_be_rejected.is_empty()));
        self
    }

    /// Adds a file.
    #[must_use]
    pub(crate) fn with(mut self, path: &str, content: impl Into<Vec<u8>>) -> Sample {
        self.files.insert(path.to_owned(), content.into());
        self
    }

    /// The zip's entries, with compressed files.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let files = self.files.iter().map(|(path, content)| compressed(path, content));
        let empty = self.empty.iter().map(|path| directory(path));
        files.chain(empty).collect()
    }

    /// The zip's entries in another order, the small ones uncompressed: large ones would be megabytes.
    pub(crate) fn reordered(&self) -> Vec<Entry> {
        let entry = |path, content: &Vec<u8>| {
            if content.len() < CHUNK { file(path, content) } else { compressed(path, content) }
        };
        let files = self.files.iter().map(|(path, content)| entry(path, content));
        let mut entries: Vec<Entry> = files.chain(self.empty.iter().map(|path| directory(path))).collect();
        entries.reverse();
        entries
    }

    /// The zip.
    pub(crate) fn zip(&self) -> Vec<u8> {
        zip(&self.entries())
    }

    /// The CID of these files in a layout.
    pub(crate) fn cid(&self, layout: &Layout) -> Result<Cid, Stop> {
        let files = self.files.iter().map(|(path, content)| (path.clone(), CidEntry::File(content)));
        let empty = self.empty.iter().map(|path| (path.clone(), CidEntry::Directory));
        let summary = cid::of_entries(&files.chain(empty).collect(), layout, &mut Strict, &cid::Discard);
        summary.map(|summary| summary.cid).map_err(|e| Stop::Error(e.to_string()))
    }
}

/// A file for each of these names. Its content is its name.
fn names(is_wanted: impl Fn(&ValueKind) -> bool) -> impl Iterator<Item = (String, Vec<u8>)> {
    NAMES.iter().filter(move |name| is_wanted(name)).filter_map(|name| {
        let path = name.instead_of(&Value::Null)?.as_str()?.to_owned();
        Some((path.clone(), path.into()))
    })
}

/// Bytes without equal chunks that compress to about a twelfth, so that a zip of them does not look like a zip bomb.
pub(crate) fn repetitive(length: usize) -> Vec<u8> {
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    let mut out = Vec::with_capacity(length + 1024);
    while out.len() < length {
        let fresh: Vec<u8> = (0..8).flat_map(|_| noise.next().to_le_bytes()).collect();
        (0..16).for_each(|_| out.extend_from_slice(&fresh));
    }
    out.truncate(length);
    out
}

/// Bytes that do not compress.
pub(crate) fn noise(length: usize) -> Vec<u8> {
    let mut noise = Noise(0x2545_f491_4f6c_dd1d);
    let mut out: Vec<u8> =
        std::iter::repeat_with(|| noise.next().to_le_bytes()).take(length / 8 + 1).flatten().collect();
    out.truncate(length);
    out
}

/// A fast random number generator of low quality (xorshift).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_contents_have_the_requested_length_and_compression() {
        for length in [0, 1, 1023, 1024, 300_000] {
            assert_eq!((repetitive(length).len(), noise(length).len()), (length, length));
        }
        let packed = |content: Vec<u8>| zip(&[compressed("a", content)]).len();
        let twelfth = packed(repetitive(1_000_000));
        assert!((50_000..120_000).contains(&twelfth), "{twelfth}");
        assert!(packed(noise(1_000_000)) > 999_000);
        let content = repetitive(1 << 20);
        let chunks: std::collections::BTreeSet<&[u8]> = content.chunks(262_144).collect();
        assert_eq!(chunks.len(), 4);
    }

    #[test]
    fn the_noise_has_no_short_period() {
        let content = noise(80_000);
        let words: std::collections::BTreeSet<&[u8]> = content.chunks(8).collect();
        assert_eq!(words.len(), 10_000);
    }
}
