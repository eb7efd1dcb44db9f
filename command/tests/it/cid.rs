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
        fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        fs::write(path, content).expect("created");
        self
    }

    fn link(self, path: &str, target: &str) -> Folder {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        symlink(target, path).expect("created");
        self
    }

    fn folder(self, path: &str) -> Folder {
        fs::create_dir_all(self.path().join(path)).expect("created");
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

/// The CID that the command prints, and nothing else.
fn cid(path: &Path) -> String {
    printed(&assay(&[path.as_os_str()]))
}

fn printed(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && err.is_empty(), "{err}");
    out.strip_suffix('\n').expect("one line").to_owned()
}

/// The error message for invalid content.
fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Asserts the error message for a path in the folder.
fn assert_path_error(folder: &Folder, path: &str, what: &str) {
    assert_eq!(folder.error(), format!("assay: {}/{path}: {what}\n", folder.path().display()));
}

/// Asserts the error message for the folder.
fn assert_folder_error(folder: &Folder, what: &str) {
    assert_eq!(folder.error(), format!("assay: {}: {what}\n", folder.path().display()));
}

#[test]
fn files_and_folders_have_known_cids() {
    let site = Folder::new()
        .file("index.html", "<h1>hi</h1>\n")
        .file("css/a.css", "a{}")
        .file("css/deep/b.css", "")
        .file(".well-known/x", "x")
        .file("\u{e9}.txt", "nfc")
        .file("e\u{301}.txt", "nfd")
        .file("big.bin", (0..300_000u32).map(|n| (n + (n >> 8) + (n >> 16)) as u8).collect::<Vec<_>>())
        .folder("nothing/in/here");
    // From npm `ipfs-unixfs-importer` 17.1.1, without the empty folders.
    assert_eq!(site.cid(), "bafybeibk6zfk62pj4fl7bruegsvlfjlqs6c3rtnknrqju7afvwkmjvi2xy");
    let empty = cid(&site.path().join("css/deep/b.css"));
    assert_eq!(empty, "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku");
    let nothing = cid(&site.path().join("nothing"));
    assert_eq!(nothing, "bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354");
}

#[test]
fn cid_does_not_depend_on_the_number_of_threads() {
    let site = (0..700).fold(Folder::new(), |site, n| site.file(&format!("{}/{n}", n % 30), n.to_string()));
    let wanted = site.cid();
    for threads in ["1", "2", "7"] {
        let output = assay(&[site.path().as_os_str(), OsStr::new("--threads"), OsStr::new(threads)]);
        assert_eq!(printed(&output), wanted);
    }
}

#[test]
fn estimate_decides_between_the_bounds() {
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
    // The path itself may be a link.
    symlink("site", linked.0.path().join("here")).unwrap();
    assert_eq!(cid(&linked.0.path().join("here")), plain.cid());
    symlink("site/to-b", linked.0.path().join("file")).unwrap();
    assert_eq!(cid(&linked.0.path().join("file")), cid(&plain.path().join("to-b")));
}

#[test]
fn dangling_links_are_rejected() {
    for target in ["gone", "a/b", "/nonexistent-by-name"] {
        let site = Folder::new().file("a", "a").link("d/link", target).link("d/to", "link");
        assert_folder_error(&site, "drop.cid.dangling: d/link: the link leads to nothing");
    }
    let site = Folder::new().link("link", "gone");
    let error = error(&assay(&[site.path().join("link").as_os_str()]));
    assert!(error.contains("site/link: drop.cid.dangling"), "{error}");
}

#[test]
fn link_loops_are_rejected() {
    let site = Folder::new().file("a", "a").link("y", "z").link("z", "y");
    assert_folder_error(&site, "drop.cid.loop: y: the link is part of a loop");
    let site = Folder::new().file("a", "a").link("d/e/up", "../../d");
    assert_folder_error(&site, "drop.cid.loop: d/e/up: the link leads to a folder that contains it");
    let site = Folder::new().link("x/to-y", "../y").link("y/to-x", "../x");
    assert_folder_error(&site, "drop.cid.loop: x/to-y/to-x: the link leads to a folder that contains it");
    let site = Folder::new().link("me", "me");
    let error = error(&assay(&[site.path().join("me").as_os_str()]));
    assert!(error.contains("site/me: drop.cid.loop"), "{error}");
}

#[test]
fn special_files_are_rejected() {
    let site = Folder::new().file("a", "a");
    let made = Command::new("mkfifo").arg(site.path().join("pipe")).status().unwrap();
    assert!(made.success());
    assert_path_error(&site, "pipe", "a pipe is neither a file nor a folder");
    let site = Folder::new().file("a", "a");
    let _listener = std::os::unix::net::UnixListener::bind(site.path().join("s")).unwrap();
    assert_path_error(&site, "s", "a socket is neither a file nor a folder");
    let site = Folder::new().link("d/null", "/dev/null");
    assert_path_error(&site, "d/null", "a device is neither a file nor a folder");
}

#[test]
fn names_that_are_not_utf_8_are_rejected() {
    let site = Folder::new().file("d/a", "a");
    fs::write(site.path().join("d").join(OsStr::from_bytes(b"caf\xe9")), "").unwrap();
    assert_path_error(&site, "d/caf\\xe9", "the name is not UTF-8");
}

#[test]
fn missing_folder_is_reported() {
    let site = Folder::new();
    assert_folder_error(&site, "no such file or folder");
}

/// Root may read everything, so this uses files that even root cannot read.
#[cfg(target_os = "linux")]
#[test]
fn unreadable_file_is_reported() {
    let site = Folder::new().file("a", "a").link("d/memory", "/proc/self/mem").link("e", "/proc/self/mem");
    assert_path_error(&site, "d/memory", "Input/output error (os error 5)");
}

/// Kernel files report size 0 but have content.
#[cfg(target_os = "linux")]
#[test]
fn file_content_counts_not_its_reported_size() {
    let kernel = fs::read("/proc/sys/kernel/ostype").unwrap();
    assert!(!kernel.is_empty());
    let site = Folder::new().link("ostype", "/proc/sys/kernel/ostype");
    assert_eq!(site.cid(), Folder::new().file("ostype", kernel).cid());
}

#[test]
fn car_rebuilds_the_folder() {
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
fn failed_run_leaves_the_old_car() {
    let site = Folder::new().file("a", "a").link("z", "gone");
    let car = site.0.path().join("site.car");
    fs::write(&car, "before").unwrap();
    error(&assay(&[site.path().as_os_str(), OsStr::new("--car"), car.as_os_str()]));
    assert_eq!(fs::read(&car).unwrap(), b"before");
    assert_eq!(fs::read_dir(site.0.path()).unwrap().count(), 2);
}

#[test]
fn car_inside_its_content_is_rejected() {
    let site = Folder::new().file("a", "a").folder("d");
    for (path, car) in [("", "site.car"), ("", "d/site.car"), ("a", "a"), ("", "../site")] {
        let (path, car) = (site.path().join(path), site.path().join(car));
        let error = error(&assay(&[path.as_os_str(), OsStr::new("--car"), car.as_os_str()]));
        assert!(error.contains(": the CAR would be inside "), "{error}");
    }
    assert_eq!(fs::read(site.path().join("a")).unwrap(), b"a");
}
