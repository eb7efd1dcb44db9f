//! Files and folders on disk, as input for content identifiers.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use assay_spec::cid::{
    Blocks, CidError, Content, Fault, Followed, Item, Layout, NodeKind, Summary, Tree, of_file, of_folder,
};
use assay_spec::drop::requirements::cid::{DANGLING, LOOP};
use assay_spec::{Refused, Rules};

/// The identifier of the file or folder at `path`, which may be a symbolic link. Paths in errors are relative to
/// `path`. `read_bytes` counts the bytes read so far.
pub fn of_path(
    path: &Path,
    layout: &Layout,
    rules: &mut dyn Rules,
    blocks: &impl Blocks,
    read_bytes: &AtomicU64,
) -> Result<Summary, CidError> {
    let disk = Disk { read_bytes, handles: Arc::new(()) };
    let at = |fault| CidError::At { path: ".".to_owned(), fault };
    let refused = |rule, why: &str| CidError::Refused(Refused { rule, why: format!(".: {why}") });
    match followed(path).map_err(|error| at(Fault::Unreadable(error.to_string())))? {
        Followed::File => {
            let file = reading().open(path).map_err(|error| at(Fault::Unreadable(error.to_string())))?;
            of_file(&OnDisk { file, read_bytes }, layout, blocks)
        }
        Followed::Folder(folder) => of_folder(&disk, folder, layout, rules, blocks),
        Followed::Special(what) => Err(at(Fault::Special(what))),
        Followed::Endless => Err(refused(&LOOP, "the symbolic link is part of a cycle")),
        Followed::Nothing if path.is_symlink() => {
            Err(refused(&DANGLING, "the target of the symbolic link does not exist"))
        }
        Followed::Nothing => Err(at(Fault::Unreadable("no such file or folder".to_owned()))),
    }
}

/// The file system.
#[derive(Debug)]
struct Disk<'a> {
    read_bytes: &'a AtomicU64,
    /// The reference count limits open handles: one here, one for each folder handle.
    handles: Arc<()>,
}

/// Folders with this many entries get a handle, which makes opening their files faster.
const LARGE: usize = 64;
/// The maximum number of open handles.
const HANDLES: usize = 32;

/// A folder.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    handle: OnceLock<(File, Arc<()>)>,
}

impl Folder {
    fn new(path: PathBuf) -> Folder {
        Folder { path, handle: OnceLock::new() }
    }
}

impl<'a> Tree for Disk<'a> {
    type File = OnDisk<'a>;
    type Folder = Folder;

    fn list(&self, folder: &Folder) -> Result<Vec<Item>, String> {
        let entries = fs::read_dir(&folder.path).and_then(|entries| entries.map(item).collect());
        let entries: Vec<Item> = entries.map_err(text)?;
        if cfg!(unix) && entries.len() >= LARGE && Arc::strong_count(&self.handles) <= HANDLES {
            // Without a handle, files are opened by path.
            let handle = File::open(&folder.path).map(|file| (file, Arc::clone(&self.handles)));
            let _ = handle.map(|handle| folder.handle.set(handle));
        }
        Ok(entries)
    }

    fn enter(&self, folder: &Folder, name: &str) -> Result<Folder, String> {
        Ok(Folder::new(folder.path.join(name)))
    }

    fn follow(&self, folder: &Folder, name: &str) -> Result<Followed<Folder>, String> {
        followed(&folder.path.join(name)).map_err(text)
    }

    fn open(&self, folder: &Folder, name: &str) -> Result<OnDisk<'a>, String> {
        let file = match folder.handle.get() {
            #[cfg(unix)]
            Some((handle, _)) => rustix::fs::openat(handle, name, flags(), rustix::fs::Mode::empty())
                .map(File::from)
                .map_err(io::Error::from),
            _ => reading().open(folder.path.join(name)),
        };
        Ok(OnDisk { file: file.map_err(text)?, read_bytes: self.read_bytes })
    }

    fn is_same(&self, one: &Folder, other: &Folder) -> Result<bool, String> {
        #[cfg(unix)]
        let identity = |path: &Path| {
            use std::os::unix::fs::MetadataExt;
            fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let identity = |path: &Path| fs::canonicalize(path);
        Ok(identity(&one.path).map_err(text)? == identity(&other.path).map_err(text)?)
    }
}

/// An opened file. It was a regular file before; if something replaced it, reading at an offset fails or the length
/// differs.
#[derive(Debug)]
struct OnDisk<'a> {
    file: File,
    read_bytes: &'a AtomicU64,
}

impl Content for OnDisk<'_> {
    fn len(&self) -> u64 {
        // A missing length is a wrong one; reading reports that.
        self.file.metadata().map_or(0, |metadata| metadata.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, String> {
        loop {
            #[cfg(unix)]
            let read = std::os::unix::fs::FileExt::read_at(&self.file, buffer, offset);
            #[cfg(windows)]
            let read = std::os::windows::fs::FileExt::seek_read(&self.file, buffer, offset);
            match read {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(text(error)),
                Ok(0) => return Ok(0),
                Ok(count) => {
                    self.read_bytes.fetch_add(count as u64, Ordering::Relaxed);
                    return Ok(count);
                }
            }
        }
    }
}

/// How files are opened: without blocking, in case a pipe has replaced the file.
fn reading() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags().bits() as i32);
    options
}

#[cfg(unix)]
fn flags() -> rustix::fs::OFlags {
    use rustix::fs::OFlags;
    OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK
}

fn item(entry: io::Result<fs::DirEntry>) -> io::Result<Item> {
    let entry = entry?;
    let kind = entry.file_type()?;
    let kind = match kind {
        _ if kind.is_file() => NodeKind::File,
        _ if kind.is_dir() => NodeKind::Folder,
        _ if kind.is_symlink() => NodeKind::Link,
        _ => NodeKind::Special(special(kind)),
    };
    Ok(Item { name: entry.file_name().into_encoded_bytes(), kind })
}

/// What a path resolves to.
fn followed(path: &Path) -> io::Result<Followed<Folder>> {
    let kind = match fs::metadata(path) {
        Ok(metadata) => metadata.file_type(),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Followed::Nothing);
        }
        #[cfg(unix)]
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            return Ok(Followed::Endless);
        }
        Err(error) => return Err(error),
    };
    Ok(match kind {
        _ if kind.is_file() => Followed::File,
        _ if kind.is_dir() => Followed::Folder(Folder::new(path.to_path_buf())),
        _ => Followed::Special(special(kind)),
    })
}

#[cfg(unix)]
fn special(kind: fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        _ if kind.is_fifo() => "a pipe",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn special(_: fs::FileType) -> &'static str {
    "a special file"
}

#[expect(clippy::needless_pass_by_value, reason = "used in `map_err`")]
fn text(error: io::Error) -> String {
    error.to_string()
}
