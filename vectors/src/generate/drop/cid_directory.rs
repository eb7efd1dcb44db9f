//! `cid.directory`: names, links, empty directories, and both sides of the size above which a directory is sharded.

mod sharded;

use assay_spec::drop::requirements::cid as rows;
use serde_json::{Value, json};

use crate::case::Case;
use crate::generate::group::{Group, set};

/// The reading by which an empty top directory is a directory without links.
const EMPTY_TOP: &str = "A-107/empty-directory";

pub(in crate::generate) fn cases() -> Vec<Case> {
    let mut g =
        Group::new("drop/cid-directory", "cid.directory", "src/generate/drop/cid_directory.rs", rows::ALL);
    names(&mut g);
    contents(&mut g);
    empty(&mut g);
    links(&mut g);
    dangling(&mut g);
    endless(&mut g);
    sharded::cases(&mut g);
    g.cases
}

/// A file with UTF-8 content.
fn file(path: &str, text: &str) -> Value {
    json!({"path": path, "content": {"utf8": text}})
}

fn link(path: &str, target: &str) -> Value {
    json!({"path": path, "link": target})
}

fn directory(path: &str) -> Value {
    json!({"directory": path})
}

fn input(entries: impl IntoIterator<Item = Value>) -> Value {
    json!({"entries": entries.into_iter().collect::<Vec<_>>()})
}

fn names(g: &mut Group) {
    let (nfc, nfd) = ("caf\u{e9}.html", "cafe\u{301}.html");
    for (name, entries, why) in [
        ("one-file", vec![file("index.html", "page")], "One file. The folder has no wrapping directory."),
        (
            "order",
            vec![file("b", "1"), file("B", "2"), file("a", "3"), file("ab", "4"), file("a0", "5")],
            "Entries are sorted by the bytes of their names, whatever the input's order.",
        ),
        (
            "order-of-paths",
            vec![file("a/x", "1"), file("a-b", "2"), file("a.b", "3")],
            "Names are sorted, not paths: a sorts before a-b, although a/x sorts after it.",
        ),
        (
            "order-of-bytes",
            vec![file("\u{1f600}", "1"), file("\u{ff5e}", "2"), file("z", "3")],
            "Names are sorted by their UTF-8 bytes. In UTF-16 order the first two would swap.",
        ),
        ("nfc", vec![file(nfc, "page")], "A name with a composed letter is used byte by byte."),
        (
            "nfd",
            vec![file(nfd, "page")],
            "The same letter decomposed gives a different name and a different identifier.",
        ),
        (
            "nfc-and-nfd",
            vec![file(nfc, "1"), file(nfd, "2")],
            "The composed and the decomposed name may appear in one directory.",
        ),
        (
            "odd-names",
            vec![
                file("a b", "1"),
                file("%41", "2"),
                file("\"'", "3"),
                file("\\", "4"),
                file("\n", "5"),
                file("~", "6"),
            ],
            "Names are not escaped, decoded or trimmed.",
        ),
        (
            "long-name",
            vec![file(&"n".repeat(255), "page")],
            "A name of 255 bytes. Its encoded length takes two bytes.",
        ),
    ] {
        g.accept(name, input(entries), why);
    }
}

fn contents(g: &mut Group) {
    let noise = |length: usize| json!({"prng": [crate::generate::keys::SEED, length]});
    for (name, entries, why) in [
        ("empty-file", vec![file("index.html", "page"), file("nothing", "")], "An empty file is a file."),
        (
            "nested",
            vec![file("index.html", "1"), file("a/index.html", "2"), file("a/b/c/d.txt", "3")],
            "Folders inside folders, with or without a directory entry of their own.",
        ),
        (
            "dotfiles",
            vec![file("index.html", "1"), file(".htaccess", "2"), file(".well-known/security.txt", "3")],
            "Files and folders whose name begins with a dot are included.",
        ),
        (
            "dotfile-alone",
            vec![file(".nojekyll", "")],
            "A dotfile is included even when it is the only file.",
        ),
        (
            "same-content",
            vec![file("a", "same"), file("b", "same"), file("c/a", "same")],
            "Files with equal content each get their own link and size.",
        ),
        (
            "chunked",
            vec![file("index.html", "page"), json!({"path": "movie.bin", "content": noise(262_145)})],
            "The link to a file of two chunks carries the total size of the blocks below it.",
        ),
    ] {
        g.accept(name, input(entries), why);
    }
}

fn empty(g: &mut Group) {
    let page = || file("index.html", "page");
    for (name, entries, why) in [
        ("empty-directory", vec![page(), directory("empty")], "An empty directory is left out."),
        (
            "empty-directories-nested",
            vec![page(), directory("a/b/c"), directory("a/d"), file("e/f", "1"), directory("e/g")],
            "A directory that contains only empty directories is empty and left out.",
        ),
        (
            "link-to-empty-directory",
            vec![page(), directory("empty"), link("also-empty", "empty")],
            "A link to an empty directory is left out too.",
        ),
    ] {
        g.accept(name, input(entries), why);
    }
    g.accept("nothing", input([]), "A folder without entries is a directory without links.")
        .read_as(EMPTY_TOP);
    g.accept(
        "nothing-but-empty",
        input([directory("a/b")]),
        "A folder that contains only empty directories is a directory without links.",
    )
    .read_as(EMPTY_TOP);
}

fn links(g: &mut Group) {
    let page = || file("index.html", "page");
    for (name, entries, why) in [
        (
            "link-to-file",
            vec![page(), link("home.html", "index.html")],
            "A link is replaced by the file it points to.",
        ),
        (
            "link-to-directory",
            vec![page(), file("a/x", "1"), file("a/b/y", "2"), link("z", "a")],
            "A link to a folder is replaced by the folder with all its contents.",
        ),
        (
            "link-through-links",
            vec![page(), link("one", "two"), link("two", "three"), link("three", "index.html")],
            "A link may point to another link.",
        ),
        (
            "link-from-folder",
            vec![page(), file("a/x", "1"), link("b/c/up", "../../a/x"), link("b/here", "./c/up")],
            "A target is relative to the folder that contains the link.",
        ),
        (
            "link-through-directory-link",
            vec![page(), file("real/x", "1"), link("short", "real"), link("x", "short/x")],
            "The path of a target may pass through links.",
        ),
        (
            "links-side-by-side",
            vec![
                page(),
                file("a/x", "1"),
                link("b/to-a", "../a"),
                link("c/to-b", "../b"),
                link("c/to-a", "../a"),
            ],
            "A folder may appear once per link to it, as long as it does not contain itself.",
        ),
        (
            "dotfile-link",
            vec![page(), file(".env", "1"), link("env", ".env"), link(".index", "index.html")],
            "A link may point to a dotfile and may be one itself.",
        ),
    ] {
        g.accept(name, input(entries), why);
    }
}

fn dangling(g: &mut Group) {
    for (name, base, path, old, new, why) in [
        (
            "dangling",
            "link-to-file",
            "1/link",
            "index.html",
            "missing.html",
            "The target file does not exist.",
        ),
        (
            "dangling-case",
            "link-to-file",
            "1/link",
            "index.html",
            "Index.html",
            "The target differs from the file's name in case. Names are compared byte by byte.",
        ),
        (
            "dangling-directory",
            "link-to-directory",
            "3/link",
            "a",
            "missing",
            "The target folder does not exist.",
        ),
        (
            "dangling-through-links",
            "link-through-links",
            "3/link",
            "index.html",
            "missing.html",
            "The last link of a chain dangles.",
        ),
        (
            "dangling-in-folder",
            "link-from-folder",
            "2/link",
            "../../a/x",
            "../a/x",
            "The target exists, but one folder further up.",
        ),
        (
            "dangling-below-file",
            "link-through-directory-link",
            "3/link",
            "short/x",
            "index.html/x",
            "The target path continues below a file.",
        ),
    ] {
        g.reject(name, base, [set(&format!("/in/entries/{path}"), old, new)], &rows::DANGLING, why);
    }
    g.reject(
        "dangling-file-renamed",
        "link-to-file",
        [set("/in/entries/0/path", "index.html", "start.html")],
        &rows::DANGLING,
        "The target file has another name.",
    );
}

fn endless(g: &mut Group) {
    for (name, base, path, old, new, why) in [
        ("loop-self", "link-to-file", "1/link", "index.html", "home.html", "A link points to itself."),
        (
            "loop-mutual",
            "link-through-links",
            "3/link",
            "index.html",
            "one",
            "Three links point to each other in a circle.",
        ),
        (
            "loop-own-folder",
            "link-to-directory",
            "3/link",
            "a",
            ".",
            "A link points to the folder that contains it.",
        ),
        (
            "loop-ancestor",
            "link-from-folder",
            "2/link",
            "../../a/x",
            "..",
            "A link points to an ancestor folder.",
        ),
        ("loop-top", "link-from-folder", "2/link", "../../a/x", "../..", "A link points to the top folder."),
        (
            "loop-through-folders",
            "links-side-by-side",
            "2/link",
            "../a",
            "../c",
            "Two folders each contain a link to the other, so both are endless.",
        ),
    ] {
        g.reject(name, base, [set(&format!("/in/entries/{path}"), old, new)], &rows::LOOP, why);
    }
}
