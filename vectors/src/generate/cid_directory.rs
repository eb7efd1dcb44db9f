//! `cid.directory`: names, links, empty directories, and both sides of the size above which a directory is sharded.

mod sharded;

use assay_spec::drop::requirements::cid as rows;
use serde_json::{Value, json};

use super::group::{Group, set};
use crate::case::Case;

/// An empty directory at the top is read as one all the same.
const EMPTY_TOP: &str = "A-107/empty-directory";

pub(super) fn cases() -> Vec<Case> {
    let mut g = Group::new("drop/cid-directory", "cid.directory", "src/generate/cid_directory.rs", rows::ALL);
    names(&mut g);
    contents(&mut g);
    empty(&mut g);
    links(&mut g);
    dangling(&mut g);
    endless(&mut g);
    sharded::cases(&mut g);
    g.cases
}

/// A file of a text.
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
        ("one-file", vec![file("index.html", "page")], "One file; no directory stands around the folder."),
        (
            "order",
            vec![file("b", "1"), file("B", "2"), file("a", "3"), file("ab", "4"), file("a0", "5")],
            "Entries stand in the order of their names' bytes, however they come.",
        ),
        (
            "order-of-paths",
            vec![file("a/x", "1"), file("a-b", "2"), file("a.b", "3")],
            "Names are sorted, not paths: a comes before a-b, although a/x would come after it.",
        ),
        (
            "order-of-bytes",
            vec![file("\u{1f600}", "1"), file("\u{ff5e}", "2"), file("z", "3")],
            "By their UTF-8 bytes: in UTF-16 the first two would change places.",
        ),
        ("nfc", vec![file(nfc, "page")], "A composed letter: the name is its bytes."),
        (
            "nfd",
            vec![file(nfd, "page")],
            "The same letter decomposed is another name, and another identifier.",
        ),
        ("nfc-and-nfd", vec![file(nfc, "1"), file(nfd, "2")], "Both names may stand side by side."),
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
            "A name of 255 bytes; its length takes two bytes.",
        ),
    ] {
        g.accept(name, input(entries), why);
    }
}

fn contents(g: &mut Group) {
    let noise = |length: usize| json!({"prng": [super::keys::SEED, length]});
    for (name, entries, why) in [
        ("empty-file", vec![file("index.html", "page"), file("nothing", "")], "An empty file is a file."),
        (
            "nested",
            vec![file("index.html", "1"), file("a/index.html", "2"), file("a/b/c/d.txt", "3")],
            "Folders in folders, named or not.",
        ),
        (
            "dotfiles",
            vec![file("index.html", "1"), file(".htaccess", "2"), file(".well-known/security.txt", "3")],
            "Files and folders whose name begins with a dot are included.",
        ),
        ("dotfile-alone", vec![file(".nojekyll", "")], "Also where there is nothing else."),
        (
            "same-content",
            vec![file("a", "same"), file("b", "same"), file("c/a", "same")],
            "Files with the same bytes count each for itself.",
        ),
        (
            "chunked",
            vec![file("index.html", "page"), json!({"path": "movie.bin", "content": noise(262_145)})],
            "A link to a file of two chunks tells the size of all blocks below it.",
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
            "A directory that holds nothing but empty ones is empty itself.",
        ),
        (
            "link-to-empty-directory",
            vec![page(), directory("empty"), link("also-empty", "empty")],
            "Behind a link it is left out as well.",
        ),
    ] {
        g.accept(name, input(entries), why);
    }
    g.accept("nothing", input([]), "A folder without entries is a directory without links.")
        .read_as(EMPTY_TOP);
    g.accept("nothing-but-empty", input([directory("a/b")]), "So is one that holds only empty directories.")
        .read_as(EMPTY_TOP);
}

fn links(g: &mut Group) {
    let page = || file("index.html", "page");
    for (name, entries, why) in [
        ("link-to-file", vec![page(), link("home.html", "index.html")], "A link is the file it leads to."),
        (
            "link-to-directory",
            vec![page(), file("a/x", "1"), file("a/b/y", "2"), link("z", "a")],
            "Or the folder, with everything in it.",
        ),
        (
            "link-through-links",
            vec![page(), link("one", "two"), link("two", "three"), link("three", "index.html")],
            "A link may lead to another link.",
        ),
        (
            "link-from-folder",
            vec![page(), file("a/x", "1"), link("b/c/up", "../../a/x"), link("b/here", "./c/up")],
            "A target is relative to the folder that the link stands in.",
        ),
        (
            "link-through-directory-link",
            vec![page(), file("real/x", "1"), link("short", "real"), link("x", "short/x")],
            "The way to a target may lead through links.",
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
            "A folder may come up as often as links lead to it, as long as it does not come up in itself.",
        ),
        (
            "dotfile-link",
            vec![page(), file(".env", "1"), link("env", ".env"), link(".index", "index.html")],
            "Dotfiles and links, both ways.",
        ),
    ] {
        g.accept(name, input(entries), why);
    }
}

fn dangling(g: &mut Group) {
    for (name, base, path, old, new, why) in [
        ("dangling", "link-to-file", "1/link", "index.html", "missing.html", "There is no such file."),
        ("dangling-case", "link-to-file", "1/link", "index.html", "Index.html", "Names are their bytes."),
        ("dangling-directory", "link-to-directory", "3/link", "a", "missing", "There is no such folder."),
        (
            "dangling-through-links",
            "link-through-links",
            "3/link",
            "index.html",
            "missing.html",
            "The last link dangles.",
        ),
        (
            "dangling-in-folder",
            "link-from-folder",
            "2/link",
            "../../a/x",
            "../a/x",
            "It stands one folder deeper.",
        ),
        (
            "dangling-below-file",
            "link-through-directory-link",
            "3/link",
            "short/x",
            "index.html/x",
            "There is nothing below a file.",
        ),
    ] {
        g.reject(name, base, [set(&format!("/in/entries/{path}"), old, new)], &rows::DANGLING, why);
    }
    g.reject(
        "dangling-file-renamed",
        "link-to-file",
        [set("/in/entries/0/path", "index.html", "start.html")],
        &rows::DANGLING,
        "The file is there, under another name.",
    );
}

fn endless(g: &mut Group) {
    for (name, base, path, old, new, why) in [
        ("loop-self", "link-to-file", "1/link", "index.html", "home.html", "A link to itself."),
        ("loop-mutual", "link-through-links", "3/link", "index.html", "one", "Three links in a circle."),
        (
            "loop-own-folder",
            "link-to-directory",
            "3/link",
            "a",
            ".",
            "A link to the folder that it stands in.",
        ),
        ("loop-ancestor", "link-from-folder", "2/link", "../../a/x", "..", "A link to a folder around it."),
        ("loop-top", "link-from-folder", "2/link", "../../a/x", "../..", "A link to the top folder."),
        (
            "loop-through-folders",
            "links-side-by-side",
            "2/link",
            "../a",
            "../c",
            "Two folders with a link to each other: neither has an end.",
        ),
    ] {
        g.reject(name, base, [set(&format!("/in/entries/{path}"), old, new)], &rows::LOOP, why);
    }
}
