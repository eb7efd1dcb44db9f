//! `assay cid` over files and folders on disk.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::unpack::Car;
use assay_spec::cid::Cid;
use tempfile::{TempDir, tempdir};

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempdir().expect("a new folder"))
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("site")
    }

    fn file(self, path: &str, content: impl AsRef<[u8]>) -> Folder {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("it is made");
        fs::write(path, content).expect("it is made");
        self
    }

    fn link(self, path: &str, target: &str) -> Folder {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("it is made");
        symlink(target, path).expect("it is made");
        self
    }

    fn folder(self, path: &str) -> Folder {
        fs::create_dir_all(self.path().join(path)).expect("it is made");
        self
    }

    fn cid(&self) -> String {
        cid(&self.path())
    }

    fn error(&self) -> String {
        error(&assay(&[self.path().as_os_str()]))
    }
}

fn assay(arguments: &[&OsStr]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_assay")).arg("cid").args(arguments).output().expect("the command starts")
}

/// The identifier that is printed, alone.
fn cid(path: &Path) -> String {
    printed(&assay(&[path.as_os_str()]))
}

fn printed(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && err.is_empty(), "{err}");
    out.strip_suffix('\n').expect("one line").to_owned()
}

/// What is said of bad content.
fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Holds what is said of a path in the folder.
fn said(folder: &Folder, path: &str, what: &str) {
    assert_eq!(folder.error(), format!("assay: {}/{path}: {what}\n", folder.path().display()));
}

/// Holds what is said of the folder.
fn refused(folder: &Folder, what: &str) {
    assert_eq!(folder.error(), format!("assay: {}: {what}\n", folder.path().display()));
}

#[test]
fn files_and_folders_have_the_known_identifiers() {
    let site = Folder::new()
        .file("index.html", "<h1>hi</h1>\n")
        .file("css/a.css", "a{}")
        .file("css/deep/b.css", "")
        .file(".well-known/x", "x")
        .file("\u{e9}.txt", "nfc")
        .file("e\u{301}.txt", "nfd")
        .file("big.bin", (0..300_000u32).map(|n| (n + (n >> 8) + (n >> 16)) as u8).collect::<Vec<_>>())
        .folder("nothing/in/here");
    // As npm `ipfs-unixfs-importer` 17.1.1 has it without the empty folders.
    assert_eq!(site.cid(), "bafybeibk6zfk62pj4fl7bruegsvlfjlqs6c3rtnknrqju7afvwkmjvi2xy");
    let empty = cid(&site.path().join("css/deep/b.css"));
    assert_eq!(empty, "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku");
    let nothing = cid(&site.path().join("nothing"));
    assert_eq!(nothing, "bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let site = (0..700).fold(Folder::new(), |site, n| site.file(&format!("{}/{n}", n % 30), n.to_string()));
    let wanted = site.cid();
    for threads in ["1", "2", "7"] {
        let output = assay(&[site.path().as_os_str(), OsStr::new("--threads"), OsStr::new(threads)]);
        assert_eq!(printed(&output), wanted);
    }
}

#[test]
fn the_estimate_decides_between_the_bounds() {
    let names = (0..3700).map(|n| format!("{n:028}"));
    let site = names.fold(Folder::new(), |site, name| site.file(&name, ""));
    let estimated =
        |by: &str| printed(&assay(&[site.path().as_os_str(), OsStr::new("--estimate"), OsStr::new(by)]));
    assert_eq!(estimated("links"), site.cid());
    assert_ne!(estimated("block"), site.cid());
}

#[test]
fn links_are_followed() {
    let plain = Folder::new().file("a/b", "b").file("to-a/b", "b").file("to-b", "b").file("out", "o");
    let linked = Folder::new().file("a/b", "b").link("to-a", "a").link("to-b", "to-a/b");
    fs::write(linked.0.path().join("outside"), "o").unwrap();
    let linked = linked.link("out", "../outside");
    assert_eq!(linked.cid(), plain.cid());
    // The path itself may be one.
    symlink("site", linked.0.path().join("here")).unwrap();
    assert_eq!(cid(&linked.0.path().join("here")), plain.cid());
    symlink("site/to-b", linked.0.path().join("file")).unwrap();
    assert_eq!(cid(&linked.0.path().join("file")), cid(&plain.path().join("to-b")));
}

#[test]
fn links_to_nothing_are_refused() {
    for target in ["gone", "a/b", "/nonexistent-by-name"] {
        let site = Folder::new().file("a", "a").link("d/link", target).link("d/to", "link");
        refused(&site, "drop.cid.dangling: d/link: the link leads to nothing");
    }
    let site = Folder::new().link("link", "gone");
    let error = error(&assay(&[site.path().join("link").as_os_str()]));
    assert!(error.contains("site/link: drop.cid.dangling"), "{error}");
}

#[test]
fn links_without_end_are_refused() {
    let site = Folder::new().file("a", "a").link("y", "z").link("z", "y");
    refused(&site, "drop.cid.loop: y: the link leads to links without end");
    let site = Folder::new().file("a", "a").link("d/e/up", "../../d");
    refused(&site, "drop.cid.loop: d/e/up: the link leads to a folder that it stands in");
    let site = Folder::new().link("x/to-y", "../y").link("y/to-x", "../x");
    refused(&site, "drop.cid.loop: x/to-y/to-x: the link leads to a folder that it stands in");
    let site = Folder::new().link("me", "me");
    let error = error(&assay(&[site.path().join("me").as_os_str()]));
    assert!(error.contains("site/me: drop.cid.loop"), "{error}");
}

#[test]
fn special_files_are_refused() {
    let site = Folder::new().file("a", "a");
    let made = Command::new("mkfifo").arg(site.path().join("pipe")).status().unwrap();
    assert!(made.success());
    said(&site, "pipe", "a pipe is neither a file nor a folder");
    let site = Folder::new().file("a", "a");
    let _listener = std::os::unix::net::UnixListener::bind(site.path().join("s")).unwrap();
    said(&site, "s", "a socket is neither a file nor a folder");
    let site = Folder::new().link("d/null", "/dev/null");
    said(&site, "d/null", "a device is neither a file nor a folder");
}

#[test]
fn names_that_are_not_utf_8_are_refused() {
    let site = Folder::new().file("d/a", "a");
    fs::write(site.path().join("d").join(OsStr::from_bytes(b"caf\xe9")), "").unwrap();
    said(&site, "d/caf\\xe9", "the name is not UTF-8");
}

#[test]
fn what_is_not_there_is_told() {
    let site = Folder::new();
    refused(&site, "no such file or folder");
}

/// Root may read everything; so the files are such that nobody can read.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_read_is_told() {
    let site = Folder::new().file("a", "a").link("d/memory", "/proc/self/mem").link("e", "/proc/self/mem");
    said(&site, "d/memory", "Input/output error (os error 5)");
}

/// Files of the kernel say that they are empty, and are not.
#[cfg(target_os = "linux")]
#[test]
fn a_file_is_what_can_be_read_of_it() {
    let kernel = fs::read("/proc/sys/kernel/ostype").unwrap();
    assert!(!kernel.is_empty());
    let site = Folder::new().link("ostype", "/proc/sys/kernel/ostype");
    assert_eq!(site.cid(), Folder::new().file("ostype", kernel).cid());
}

#[test]
fn a_car_rebuilds_the_folder() {
    let large: Vec<u8> = (0..20u32 << 20).map(|n| (n.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
    let site = (0..200).fold(Folder::new(), |site, n| site.file(&format!("n/{n}"), n.to_string()));
    let site =
        site.file("large", &large).file("d/again", &large[..3_000_000]).file(".dot", "").folder("empty");
    let site = site.link("to-d", "d");
    let car = site.0.path().join("site.car");
    let with = |threads: &str| {
        let options = ["--car", car.to_str().unwrap(), "--threads", threads].map(OsStr::new);
        let output = assay(&[&[site.path().as_os_str()], &options[..]].concat());
        (printed(&output), fs::read(&car).unwrap())
    };
    let (cid, bytes) = with("2");
    assert_eq!(cid, site.cid());
    let read = Car::read(&bytes);
    assert_eq!(Cid::try_from(&read.root[..]).unwrap().to_string(), cid);
    let mut files = read.files();
    let folders: Vec<String> =
        files.extract_if(.., |path, _| path.ends_with('/')).map(|(path, _)| path).collect();
    assert_eq!(folders, ["d/", "n/", "to-d/"]);
    assert_eq!(files.len(), 204);
    for (path, content) in files {
        assert!(fs::read(site.path().join(&path)).unwrap() == content, "{path}");
    }
    assert!(with("1").1 == bytes && with("5").1 == bytes);
    let left: Vec<_> = fs::read_dir(site.0.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_car_is_whole_or_as_it_was() {
    let site = Folder::new().file("a", "a").link("z", "gone");
    let car = site.0.path().join("site.car");
    fs::write(&car, "before").unwrap();
    error(&assay(&[site.path().as_os_str(), OsStr::new("--car"), car.as_os_str()]));
    assert_eq!(fs::read(&car).unwrap(), b"before");
    assert_eq!(fs::read_dir(site.0.path()).unwrap().count(), 2);
}

#[test]
fn a_car_stands_outside_of_what_it_holds() {
    let site = Folder::new().file("a", "a").folder("d");
    for (path, car) in [("", "site.car"), ("", "d/site.car"), ("a", "a"), ("", "../site")] {
        let (path, car) = (site.path().join(path), site.path().join(car));
        let error = error(&assay(&[path.as_os_str(), OsStr::new("--car"), car.as_os_str()]));
        assert!(error.contains(": the CAR would be inside "), "{error}");
    }
    assert_eq!(fs::read(site.path().join("a")).unwrap(), b"a");
}
