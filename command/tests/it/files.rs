//! Limits of files that commands read, and special files that commands write.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::DEAD_URL;

fn assay(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_assay")).args(arguments).current_dir(folder).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with a site, and the CAR of that site.
fn site() -> (TempDir, Vec<u8>) {
    let folder = tempdir().expect("a folder");
    fs::create_dir(folder.path().join("site")).expect("made");
    fs::write(folder.path().join("site/a"), "a").expect("written");
    let car = car(folder.path(), "plain.car");
    assert!(car.status.success(), "{car:?}");
    let bytes = fs::read(folder.path().join("plain.car")).expect("a CAR");
    (folder, bytes)
}

fn car(folder: &Path, to: &str) -> Output {
    assay(folder, &["cid", "site", "--car", to])
}

fn fifo(path: PathBuf) -> PathBuf {
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
    path
}

#[test]
fn a_car_is_written_through_links() {
    let (folder, bytes) = site();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("elsewhere")).expect("made");
    fs::write(at("elsewhere/old.car"), "before").expect("written");
    for (link, to) in [("old", "elsewhere/old.car"), ("new", "elsewhere/new.car"), ("chain", "new")] {
        symlink(to, at(link)).expect("linked");
        assert!(car(folder.path(), link).status.success());
        assert_eq!(fs::read_link(at(link)).expect("still a link"), Path::new(to));
        assert_eq!(fs::read(at(to)).expect("a CAR"), bytes, "{link}");
    }
    assert_eq!(fs::read_dir(at("elsewhere")).expect("a folder").count(), 2, "no part is left");
}

#[test]
fn a_car_is_written_into_pipes_and_standard_output() {
    let (folder, bytes) = site();
    let pipe = fifo(folder.path().join("pipe"));
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut read = Vec::new();
            fs::File::open(pipe).and_then(|mut file| file.read_to_end(&mut read)).expect("read");
            read
        }
    });
    assert!(car(folder.path(), "pipe").status.success());
    assert_eq!(reader.join().expect("no panic"), bytes);
    assert!(pipe.symlink_metadata().expect("it exists").file_type().is_fifo());

    let printed = car(folder.path(), "/dev/stdout");
    assert!(printed.status.success() && printed.stdout == bytes, "the CAR alone");
    assert!(text(&printed.stderr).starts_with("baf"), "the identifier: {}", text(&printed.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn a_car_does_not_replace_devices() {
    let (folder, _) = site();
    for (link, device, code) in [("null", "/dev/null", 0), ("full", "/dev/full", 4)] {
        symlink(device, folder.path().join(link)).expect("linked");
        let output = car(folder.path(), link);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(code == 0 || text(&output.stderr).contains("full: No space left on device"), "{output:?}");
        assert_eq!(fs::read_link(folder.path().join(link)).expect("still a link"), Path::new(device));
        assert!(fs::metadata(device).expect("it exists").file_type().is_char_device());
    }
}

/// The commands that read a file, by what they read. `FILE` is the file.
const READERS: [(&str, u64, &[&str]); 14] = [
    ("a profile", 1 << 20, &["run", "--profile", "FILE"]),
    ("a profile", 1 << 20, &["doctor", "--profile", "FILE"]),
    ("a baseline", 1 << 20, &["run", "--baseline", "FILE"]),
    ("a report", 1 << 30, &["run", "--only-new", "FILE"]),
    ("a report", 1 << 30, &["run", "--resume", "FILE"]),
    ("a report", 1 << 30, &["diff", "FILE", "FILE"]),
    ("a report", 1 << 30, &["merge", "FILE"]),
    ("a report", 1 << 30, &["judge", "FILE"]),
    ("a report", 1 << 30, &["replay", "FILE", "metadata.root.html"]),
    ("a file of certificates", 8 << 20, &["run", "--network-url", DEAD_URL, "--ca-file", "FILE"]),
    ("a secret", 64 << 10, &["run", "--profile", "secret.toml"]),
    ("a secret", 64 << 10, &["sim", "--token-file", "FILE"]),
    ("a list of names", 1 << 20, &["vectors", "run", "--map", "FILE", "--", "true"]),
    ("a document", 16 << 20, &["requirements", "--against", "documents"]),
];

#[test]
fn every_file_that_is_read_is_regular_and_has_a_limit() {
    let folder = tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let profile = format!("control_token = {{ file = \"FILE\" }}\n[metadata]\nurl = {DEAD_URL:?}\n");
    fs::write(at("secret.toml"), profile).expect("written");
    fs::create_dir(at("documents")).expect("made");
    symlink("../FILE", at("documents/document-1")).expect("linked");
    let special = [fifo(at("pipe")), PathBuf::from("/dev/zero"), at("documents")];
    for (what, limit, arguments) in READERS {
        let fails = |words: &str| {
            let output = assay(folder.path(), arguments);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
            let named = ["FILE", "document-1"].iter().any(|name| said.contains(name));
            assert!(said.contains(words) && said.contains(what) && named, "{arguments:?}: {said}");
        };
        for path in special.iter().filter(|path| cfg!(target_os = "linux") || !path.starts_with("/dev")) {
            symlink(path, at("FILE")).expect("linked");
            fails("must be a regular file");
            fs::remove_file(at("FILE")).expect("removed");
        }
        // A sparse file takes no room on the disk.
        fs::File::create(at("FILE")).and_then(|file| file.set_len(limit + 1)).expect("made");
        fails(&format!("the file has {} bytes", limit + 1));
        fs::remove_file(at("FILE")).expect("removed");
    }
}

#[test]
fn files_may_come_from_standard_input() {
    let folder = tempdir().expect("a folder");
    let mut child = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(["run", "metadata.root", "--baseline", "/dev/stdin"])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("its pipe");
    std::io::Write::write_all(&mut input, b"[[known]]\nrequirement = \"a.b\"\nreason = \"\"\n")
        .expect("read");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert!(text(&output.stderr).contains("/dev/stdin:1: the entry a.b needs a reason"), "{output:?}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn no_path_that_a_report_names_is_opened() {
    let folder = tempdir().expect("a folder");
    let run = assay(folder.path(), &["run", "metadata.root", "--json", "out.json", "--json-full"]);
    assert!(run.status.success(), "{run:?}");
    let report = fs::read_to_string(folder.path().join("out.json")).expect("a report");
    // If the file were read, the commands would say that it is not a key, or not a certificate.
    fs::write(folder.path().join("bad"), "abcdef").expect("written");
    let path = format!("{:?}", folder.path().join("bad").display().to_string());
    for (key, profile) in [
        ("publish.key", format!("[publish]\nurl = {DEAD_URL:?}\nkey = {{ file = {path} }}\n")),
        ("hosting.wallet_key", format!("[hosting]\nwallet_key = {{ file = {path} }}\n")),
        ("ca_file", format!("ca_file = {path}\n[metadata]\nurl = {DEAD_URL:?}\n")),
        ("client_certificate", format!("client_certificate = {path}\n[metadata]\nurl = {DEAD_URL:?}\n")),
        ("headers.X", format!("[headers]\nX = {{ env = \"PATH\" }}\n[metadata]\nurl = {DEAD_URL:?}\n")),
    ] {
        let mut report: Value = serde_json::from_str(&report).expect("JSON");
        report["conditions"]["profile"] = profile.into();
        fs::write(folder.path().join("hostile.json"), report.to_string()).expect("written");
        let output = |arguments: &[&str]| {
            let output = assay(folder.path(), arguments);
            (output.status.code(), text(&output.stdout) + &text(&output.stderr))
        };
        let (code, said) = output(&["judge", "hostile.json"]);
        assert!(code == Some(0) && said.contains("0 different"), "{key}: {said}");
        let (code, said) = output(&["merge", "hostile.json"]);
        assert_eq!(code, Some(0), "{key}: {said}");
        let (code, said) = output(&["diff", "out.json", "hostile.json"]);
        assert_eq!(code, Some(0), "{key}: {said}");
        report["conditions"]["is_embedded"] = false.into();
        fs::write(folder.path().join("hostile.json"), report.to_string()).expect("written");
        let (code, said) = output(&["replay", "hostile.json", "metadata.root.html"]);
        assert_eq!(code, Some(2), "{key}: {said}");
        assert!(said.contains(key) && said.contains("give --profile"), "{key}: {said}");
    }
}
