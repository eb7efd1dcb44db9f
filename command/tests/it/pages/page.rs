//! A page: its blocks of code and its sections.

use std::path::{Path, PathBuf};

/// One Markdown file.
pub(super) struct Page {
    /// Its path in the repository, such as `docs/ci.md`.
    pub(super) name: String,
    pub(super) text: String,
}

/// A block of code between two fences.
pub(super) struct Block<'p> {
    /// The line of its first fence, from 1.
    pub(super) line: usize,
    /// The first word of its info string, such as `sh`.
    pub(super) kind: &'p str,
    /// The rest of the info string, such as `no-run: it takes minutes`.
    pub(super) rest: &'p str,
    pub(super) body: Vec<&'p str>,
}

impl Page {
    /// The README and every page in `docs/`, sorted by name.
    pub(super) fn all() -> Vec<Page> {
        let root = root();
        let mut files = vec![root.join("README.md")];
        let mut folders = vec![root.join("docs")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push(path);
                }
            }
        }
        files.sort();
        let page = |path: &PathBuf| Page {
            name: path.strip_prefix(&root).expect("a file of the repository").display().to_string(),
            text: std::fs::read_to_string(path).expect("a page"),
        };
        files.iter().map(page).collect()
    }

    /// The page with this name.
    pub(super) fn named(name: &str) -> Page {
        let found = Page::all().into_iter().find(|page| page.name == name);
        found.unwrap_or_else(|| panic!("{name} is missing"))
    }

    pub(super) fn blocks(&self) -> Vec<Block<'_>> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (number, line) in self.text.lines().enumerate() {
            match (line.strip_prefix("```"), &mut open) {
                (Some(info), None) => {
                    let (kind, rest) = info.split_once(' ').unwrap_or((info, ""));
                    open = Some(Block { line: number + 1, kind, rest, body: Vec::new() });
                }
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (None, Some(block)) => block.body.push(line),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: the last block has no end", self.name);
        blocks
    }

    /// The lines outside of blocks, with their numbers from 1.
    pub(super) fn prose(&self) -> Vec<(usize, &str)> {
        let mut inside = false;
        let is_prose = |(_, line): &(usize, &str)| {
            let fence = line.starts_with("```");
            inside ^= fence;
            !inside && !fence
        };
        self.text.lines().enumerate().map(|(number, line)| (number + 1, line)).filter(is_prose).collect()
    }

    /// The anchors that a browser gives to the headings.
    pub(super) fn anchors(&self) -> Vec<String> {
        let headings = self.prose().into_iter().filter(|(_, line)| line.starts_with('#'));
        headings.map(|(_, line)| anchor(line.trim_start_matches('#').trim())).collect()
    }
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The folder of the repository.
pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository")
}
