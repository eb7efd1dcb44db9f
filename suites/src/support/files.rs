//! The files that commands read and write.
//!
//! Reading has a limit. Writing replaces a regular file as a whole; everything else is written in place.

use std::fmt::Display;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The maximum size in bytes of a profile, a scenario, a baseline, or a list of names.
pub const CONFIGURATION_BYTES: u64 = MIB;
/// The maximum size in bytes of a file with a secret, including a private key (PEM).
pub const SECRET_BYTES: u64 = 64 << 10;
/// The maximum size in bytes of a file with certificates (PEM).
pub const CERTIFICATE_BYTES: u64 = 8 * MIB;
/// The maximum size in bytes of a document with requirements.
pub const DOCUMENT_BYTES: u64 = 16 * MIB;
/// The maximum size in bytes of a report (JSON): twice the bodies that a run keeps.
pub const REPORT_BYTES: u64 = 1024 * MIB;
const MIB: u64 = 1 << 20;

/// Links that are followed to find the target of a dangling link.
const MOST_LINKS: usize = 40;

/// Checks that a program can be started: a file at the path, or in a folder of `PATH`. The error says what is missing.
pub fn startable(program: &str) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("cannot start {program:?}: {why}"));
    let path = Path::new(program);
    if path.components().count() > 1 {
        return match path.metadata() {
            Ok(found) if is_program(&found) => Ok(()),
            Ok(found) if found.is_file() => wrong("it is not executable; chmod +x makes it so"),
            Ok(_) => wrong("not a file"),
            Err(e) if e.kind() == ErrorKind::NotFound => wrong("no such file"),
            Err(e) => wrong(&e.to_string()),
        };
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&folders)
        .any(|folder| folder.join(path).metadata().is_ok_and(|found| is_program(&found)))
    {
        return Ok(());
    }
    let hint = if path.is_file() {
        format!("; for the file in this folder write ./{program}")
    } else {
        String::new()
    };
    wrong(&format!("no folder of PATH has it{hint}"))
}

/// Whether a file can be executed by its mode.
fn is_program(found: &Metadata) -> bool {
    #[cfg(unix)]
    let is_executable = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let is_executable = true;
    found.is_file() && is_executable
}

/// A file that cannot be read. The reason says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct Unreadable {
    /// The path as given.
    pub path: PathBuf,
    /// The reason.
    pub why: String,
}

/// Reads a regular file of at most `limit` bytes, or an open descriptor of this process such as `/dev/stdin`. `what`
/// names the content in errors, such as `a profile`.
pub fn read_limited(path: &Path, what: &str, limit: u64) -> Result<Vec<u8>, Unreadable> {
    let wrong = |why: String| Unreadable { path: path.to_owned(), why };
    let too_long = |length: &dyn Display| {
        let (limit, what) = (size(limit), what);
        wrong(format!("the file has {length} bytes, but {what} has at most {limit}; give the path of {what}"))
    };
    let (file, known) = open(path).map_err(|e| wrong(e.to_string()))?;
    if !known.is_file() && !is_descriptor(path) {
        return Err(wrong(format!("{what} must be a regular file; this path is {}", kind(&known))));
    }
    if known.len() > limit {
        return Err(too_long(&known.len()));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| wrong(e.to_string()))?;
    if bytes.len() as u64 > limit { Err(too_long(&format!("more than {limit}"))) } else { Ok(bytes) }
}

/// As [`read_limited`], for a file in UTF-8.
pub fn read_text(path: &Path, what: &str, limit: u64) -> Result<String, Unreadable> {
    String::from_utf8(read_limited(path, what, limit)?)
        .map_err(|_| Unreadable { path: path.to_owned(), why: format!("{what} must be valid UTF-8") })
}

/// Opens a file for reading, with its metadata. A pipe without a writer does not block, unless it is an open
/// descriptor of this process.
pub fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    if !is_descriptor(path) {
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits() as i32);
    }
    let file = options.open(path)?;
    let known = file.metadata()?;
    Ok((file, known))
}

/// Writes a file; see [`write_with`].
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_with(path, Mode::Kept, |file| file.write_all(bytes))
}

/// Writes a file that only its owner can read; see [`write_with`].
pub fn write_secret(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_with(path, Mode::Private, |file| file.write_all(bytes))
}

/// The permissions of a written file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Those of the file that is replaced; the default for a new file.
    Kept,
    /// Only the owner can read and write the file.
    Private,
}

/// Writes a file with the content that `fill` writes into a temporary file.
///
/// A regular file is replaced when the content is complete; on failure the previous file stays. A device, a pipe or an
/// open descriptor is written in place. A symbolic link stays; its target is written.
pub fn write_with<T, E: From<io::Error>>(
    path: &Path,
    mode: Mode,
    fill: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let target = target(path);
    if is_special(path) {
        return in_place(path, fill);
    }
    let part = match Part::create(&target, mode) {
        Ok(part) => part,
        // A file in another user's folder can be written but not replaced.
        Err(e) if is_irreplaceable(&e) && target.exists() => return in_place(&target, fill),
        Err(e) => return Err(e.into()),
    };
    let mut file = part.file()?;
    let done = fill(&mut file)?;
    match fs::rename(&part.0, &target) {
        // A mounted file can be written but not replaced.
        Err(e) if is_irreplaceable(&e) => copy(file, &target)?,
        done => done?,
    }
    Ok(done)
}

/// Whether a path is a device, a pipe or an open file descriptor: it is written in place.
pub fn is_special(path: &Path) -> bool {
    is_descriptor(path) || path.metadata().is_ok_and(|known| !known.is_file())
}

/// Whether a path names the standard output of this process.
pub fn is_output(path: &Path) -> bool {
    ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|output| path == Path::new(output))
}

/// Whether a path names an open descriptor of this process.
fn is_descriptor(path: &Path) -> bool {
    ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd"]
        .iter()
        .any(|open| path.starts_with(open))
}

/// The temporary file beside a target. It is removed unless it was renamed.
struct Part(PathBuf);

impl Part {
    fn create(target: &Path, mode: Mode) -> io::Result<Part> {
        let mut name = std::ffi::OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(".part");
        let path = target.with_file_name(name);
        // A part of an earlier process, or a link that would lead elsewhere.
        match fs::remove_file(&path) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if mode == Mode::Private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        options.open(&path)?;
        let part = Part(path);
        if let (Mode::Kept, Ok(known)) = (mode, target.metadata()) {
            fs::set_permissions(&part.0, known.permissions())?;
        }
        Ok(part)
    }

    fn file(&self) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open(&self.0)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // After the rename there is no such file.
        let _ = fs::remove_file(&self.0);
    }
}

/// Writes a complete temporary file first, because not every target can be sought.
fn in_place<T, E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let mut file = tempfile::tempfile()?;
    let done = fill(&mut file)?;
    copy(file, path)?;
    Ok(done)
}

/// Copies the whole content of a file into another one.
fn copy(mut from: File, path: &Path) -> io::Result<()> {
    from.rewind()?;
    if is_output(path) {
        let mut out = io::stdout().lock();
        return io::copy(&mut from, &mut out).and_then(|_| out.flush());
    }
    let is_file = !is_special(path);
    let mut to = OpenOptions::new().write(true).append(!is_file).truncate(is_file).open(path)?;
    io::copy(&mut from, &mut to).map(|_| ())
}

fn is_irreplaceable(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::ResourceBusy
    )
}

/// The file that a path leads to, even if it does not exist yet.
fn target(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => break,
        }
    }
    path
}

fn kind(known: &Metadata) -> &'static str {
    if known.is_dir() { "a folder" } else { "a device, a pipe or a socket" }
}

fn size(bytes: u64) -> String {
    if bytes.is_multiple_of(MIB) { format!("{} MiB", bytes / MIB) } else { format!("{} KiB", bytes >> 10) }
}
