//! Reads a copy of the collection from a folder or a packed tar. Nothing in it is trusted.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Collection, DATA};

/// The maximum size of one file.
pub const FILE_LIMIT: u64 = 64 << 20;
/// The maximum size of all files together.
const TOTAL_LIMIT: u64 = 512 << 20;
/// The maximum number of files.
const COUNT_LIMIT: usize = 10_000;
/// The maximum depth of folders.
const DEPTH_LIMIT: usize = 6;

/// The files next to the data.
const BESIDES: &[&str] = &[
    "divergences.json",
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "PROTOCOL.md",
    "rules.json",
    "readings.json",
    "behaviours.json",
    "SHA256SUMS",
];

/// The folders into which the witnesses install their libraries.
const INSTALLED: &[&str] = &["environment", "node_modules", "__pycache__"];

/// The folders next to the data.
const FOLDERS: &[&str] = &["schema/", "examples/", "witness/"];

/// Why a copy cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// An I/O error.
    #[error("{}: {why}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        why: io::Error,
    },
    /// It exceeds a limit.
    #[error("{}: {what}", path.display())]
    TooMuch {
        /// The file or folder.
        path: PathBuf,
        /// The limit that it exceeds.
        what: &'static str,
    },
    /// It is a device, a pipe or a socket.
    #[error("{}: a collection is a folder or a tar in a regular file", .0.display())]
    Special(PathBuf),
    /// It is not a collection.
    #[error("{}: not a collection: data/manifest.json, manifest.json and cases are missing", .0.display())]
    None(PathBuf),
}

impl Collection {
    /// Reads a copy: a folder that contains `data`, the folder `data` itself, the folder in which a tar was unpacked,
    /// or the tar.
    pub fn read(path: &Path) -> Result<Collection, Unreadable> {
        let about = fs::metadata(path).map_err(|why| io_error(path, why))?;
        let mut reading = Reading::default();
        if about.is_dir() {
            reading.folder(path)?;
        } else if about.is_file() {
            reading.tar(path)?;
        } else {
            return Err(Unreadable::Special(path.to_owned()));
        }
        Ok(reading.found)
    }
}

#[derive(Default)]
struct Reading {
    found: Collection,
    total: u64,
    count: usize,
}

impl Reading {
    fn folder(&mut self, root: &Path) -> Result<(), Unreadable> {
        if root.join("data").is_dir() {
            self.below(&root.join("data"), DATA, 0)?;
            for name in FOLDERS {
                if root.join(name).is_dir() {
                    self.below(&root.join(name), name, 0)?;
                }
            }
            for name in BESIDES {
                let path = root.join(name);
                if path.is_file() {
                    self.file(&path, name)?;
                }
            }
            return Ok(());
        }
        let is_data = root.join("manifest.json").is_file()
            || assay_spec::Service::ALL.iter().any(|service| root.join(service.name()).is_dir());
        if is_data {
            return self.below(root, DATA, 0);
        }
        // An unpacked tar is a single folder.
        let inside: Vec<PathBuf> =
            list(root)?.into_iter().filter(|path| path.join("data").is_dir()).collect();
        match inside.as_slice() {
            [only] => self.folder(only),
            _ => Err(Unreadable::None(root.to_owned())),
        }
    }

    fn below(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), Unreadable> {
        if depth > DEPTH_LIMIT {
            return Err(too_much(folder, "the folders are nested too deeply"));
        }
        for path in list(folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // A symbolic link is never a file of a collection, whatever its target.
            let about = fs::symlink_metadata(&path).map_err(|why| io_error(&path, why))?;
            if about.is_dir() && !INSTALLED.contains(&name.as_str()) {
                self.below(&path, &format!("{prefix}{name}/"), depth + 1)?;
            } else if about.is_file() && !name.starts_with('.') {
                self.file(&path, &format!("{prefix}{name}"))?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, name: &str) -> Result<(), Unreadable> {
        let file = File::open(path).map_err(|why| io_error(path, why))?;
        self.bytes(path, name, file)
    }

    fn tar(&mut self, path: &Path) -> Result<(), Unreadable> {
        let failed = |why| io_error(path, why);
        let file = File::open(path).map_err(failed)?;
        let mut archive = tar::Archive::new(file.take(2 * TOTAL_LIMIT));
        for entry in archive.entries().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            // Everything is in one folder, whatever its name.
            let Some((_, name)) = name.split_once('/') else { continue };
            let known = BESIDES.contains(&name)
                || name.starts_with(DATA)
                || FOLDERS.iter().any(|folder| name.starts_with(folder));
            if known {
                self.bytes(path, name, entry)?;
            }
        }
        if self.count == 0 { Err(Unreadable::None(path.to_owned())) } else { Ok(()) }
    }

    fn bytes(&mut self, path: &Path, name: &str, from: impl Read) -> Result<(), Unreadable> {
        let mut bytes = Vec::new();
        from.take(FILE_LIMIT + 1).read_to_end(&mut bytes).map_err(|why| io_error(path, why))?;
        self.total += bytes.len() as u64;
        self.count += 1;
        if bytes.len() as u64 > FILE_LIMIT {
            return Err(too_much(path, "a file is longer than 64 MiB"));
        }
        if self.total > TOTAL_LIMIT || self.count > COUNT_LIMIT {
            return Err(too_much(path, "more than 512 MiB or 10,000 files"));
        }
        self.found.put(name, bytes);
        Ok(())
    }
}

/// The entries of a folder, sorted.
fn list(folder: &Path) -> Result<Vec<PathBuf>, Unreadable> {
    let failed = |why| io_error(folder, why);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
        if paths.len() > COUNT_LIMIT {
            return Err(too_much(folder, "more than 10,000 files"));
        }
    }
    paths.sort();
    Ok(paths)
}

fn io_error(path: &Path, why: io::Error) -> Unreadable {
    Unreadable::Io { path: path.to_owned(), why }
}

fn too_much(path: &Path, what: &'static str) -> Unreadable {
    Unreadable::TooMuch { path: path.to_owned(), what }
}
