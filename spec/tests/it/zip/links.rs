//! Links: followed within the zip, otherwise rejected.

use assay_spec::drop::requirements::zip::{EXTRACTED_SIZE, FAITHFUL, FILES, SYMLINK};
use assay_spec::drop::zip::{Limits, inspect};
use assay_spec::{Strict, Without};

use super::{accepted, content, paths, refused, refused_within};
use assay_spec::drop::zip::write::{Entry, Zip};

#[track_caller]
fn refused_links(words: &str, links: &[(&str, &str)]) {
    let entries = links.iter().map(|(name, target)| Entry::link(name, target));
    let zip = Zip::site(entries.chain([Entry::stored("d/f", "f"), Entry::stored("d/e/", "")])).bytes();
    let extracted = refused(&FAITHFUL, words, &zip);
    assert!(paths(&extracted).contains(&"d/f"));
}

#[test]
fn link_shows_its_target() {
    let zip = Zip::with_entries([
        Entry::stored("site/page.html", "page"),
        Entry::stored("site/css/a", "a"),
        Entry::link("index.html", "site/page.html"),
        Entry::link("all", "site"),
        Entry::link("site/css/up", "../page.html"),
        Entry::link("deep", "./all//css/../css/."),
        Entry::link("again", "index.html"),
    ]);
    let site = accepted(&zip.bytes());
    let expected = [
        "again",
        "all/css/a",
        "all/css/up",
        "all/page.html",
        "deep/a",
        "deep/up",
        "index.html",
        "site/css/a",
        "site/css/up",
        "site/page.html",
    ];
    assert_eq!(paths(&site), expected);
    assert_eq!(site.bytes, 3 + 4 * 7);
    for page in ["again", "all/css/up", "deep/up", "index.html"] {
        assert_eq!(content(&site, page), b"page");
    }
}

#[test]
fn violated_rule_omits_links() {
    let zip = Zip::site([Entry::link("a", "index.html"), Entry::link("b", "nowhere")]).bytes();
    let extracted = inspect(&zip, &Limits::default(), &mut Without(&SYMLINK)).expect("links are not checked");
    assert_eq!(paths(&extracted), ["index.html"]);
}

#[test]
fn deflated_target_is_accepted() {
    let site = accepted(&Zip::site([Entry::deflated("a", "index.html").mode(0o120_777)]).bytes());
    assert_eq!(content(&site, "a"), b"hello");
}

#[test]
fn directories_behind_links_are_not_listed() {
    let zip = Zip::site([Entry::stored("d/", ""), Entry::stored("d/e/", ""), Entry::link("l", "d")]);
    assert_eq!(Vec::from_iter(&accepted(&zip.bytes()).directories), ["d", "d/e"]);
}

#[test]
fn dangling_links_are_rejected() {
    refused_links("the link dangles", &[("a", "nowhere")]);
    refused_links("the link dangles", &[("a", "d/nowhere")]);
    refused_links("the link dangles", &[("a", "d/f/")]);
    refused_links("the link dangles", &[("a", "d/f/.")]);
    refused_links("the link dangles", &[("a", "d/f/..")]);
    refused_links("the link dangles", &[("a", "index.html/../d/f")]);
    refused_links("the link has an invalid target path", &[("a", "")]);
    refused_links("the link has an invalid target path", &[("a", "d\0")]);
    let not_text = Zip::site([Entry::link("a", b"\xff")]).bytes();
    refused(&FAITHFUL, "the link has a target that is not UTF-8", &not_text);
}

#[test]
fn links_out_of_the_root_are_rejected() {
    refused_links("leads out of the root", &[("a", "..")]);
    refused_links("leads out of the root", &[("a", "/etc/passwd")]);
    refused_links("leads out of the root", &[("a", "../index.html")]);
    refused_links("leads out of the root", &[("d/a", "../../site/index.html")]);
    refused_links("leads out of the root", &[("a", "d/e/../../../x")]);
    refused_links("leads out of the root", &[("a", "b/.."), ("b", "d/..")]);
}

#[test]
fn link_loops_are_rejected() {
    refused_links("through too many links", &[("a", "a")]);
    refused_links("through too many links", &[("a", "b"), ("b", "a")]);
    refused_links("leads into itself", &[("a", ".")]);
    refused_links("leads into itself", &[("d/a", "..")]);
    refused_links("leads into itself", &[("d/a", "../d")]);
    refused_links("leads into itself", &[("d/a", "../b"), ("b", "d")]);
    // Two directories that contain each other through links.
    let zip = Zip::site([Entry::link("x/y", "../z"), Entry::link("z/y", "../x")]).bytes();
    refused(&FAITHFUL, "leads into itself", &zip);
}

#[test]
fn chain_of_links_is_limited() {
    let chain = |links: usize| {
        let link = |at: usize| Entry::link(format!("{at}"), format!("{}", at - 1));
        Zip::site((1..=links).map(link).chain([Entry::stored("0", "end")])).bytes()
    };
    assert_eq!(content(&accepted(&chain(40)), "40"), b"end");
    refused(&FAITHFUL, "through too many links", &chain(41));
}

#[test]
fn entry_below_a_link_is_rejected() {
    let zip = Zip::site([Entry::stored("d/", ""), Entry::link("l", "d"), Entry::stored("l/f", "f")]).bytes();
    refused(&FAITHFUL, "is a file where this entry needs a directory", &zip);
    let zip = Zip::site([Entry::stored("l/f", "f"), Entry::link("l", "d")]).bytes();
    refused(&FAITHFUL, "another entry has the same path", &zip);
}

#[test]
fn files_behind_links_count() {
    let limits = Limits { files: 6, extracted_bytes: 17, ..Limits::default() };
    let files = || [Entry::stored("d/a", "12"), Entry::stored("d/b", "34")];
    let with = |links: Vec<Entry>| Zip::site(files().into_iter().chain(links)).bytes();
    let link = |name: &str| Entry::link(name, "d");
    assert_eq!(inspect(&with(vec![link("l")]), &limits, &mut Strict).expect("5 files, 13 bytes").bytes, 13);
    let roomy = Limits { extracted_bytes: 1000, ..limits.clone() };
    let extracted = refused_within(&roomy, &FILES, "7 files, at most 6", &with(vec![link("l"), link("m")]));
    assert_eq!(extracted.files.len(), 7);
    let roomy = Limits { files: 1000, ..limits };
    inspect(&with(vec![link("l"), link("m")]), &roomy, &mut Strict).expect("17 bytes");
    let links = vec![link("l"), link("m"), Entry::link("n", "d/a")];
    refused_within(&roomy, &EXTRACTED_SIZE, "19 bytes of files, at most 17", &with(links));
}

#[test]
fn target_length_is_limited() {
    let long = |slashes: usize| format!("d{}f", "/".repeat(slashes));
    let with = |target: String| Zip::site([Entry::stored("d/f", "f"), Entry::link("l", target)]).bytes();
    assert_eq!(content(&accepted(&with(long(4094))), "l"), b"f");
    refused(&FAITHFUL, "more than 4096 bytes", &with(long(4095)));
    // As many bytes as are read at once, to hide that there are more.
    let hidden = Entry::deflated("l", vec![b'x'; 1 << 20]).mode(0o120_777);
    let hidden = hidden.both(|header| {
        (header.size, header.crc) = (1 << 16, crc32fast::hash(&[b'x'; 4096]));
    });
    refused(&FAITHFUL, "more than 4096 bytes", &Zip::site([hidden]).bytes());
}

#[test]
fn length_of_paths_through_links_is_limited() {
    let segment = "s".repeat(255);
    let name = |segments: usize| vec![segment.as_str(); segments].join("/");
    let zip = |at: usize| {
        let file = format!("d/{}/f", name(8));
        Zip::site([
            Entry::stored(file, "f"),
            Entry::link(format!("{}/l", name(at)), format!("{}d", "../".repeat(at))),
        ])
    };
    accepted(&zip(7).bytes());
    refused(&FAITHFUL, "makes a path of more than 4096 bytes", &zip(8).bytes());
}

#[test]
fn links_that_multiply_are_rejected() {
    // Each level shows the next one twice: 2^30 directories, and no file in any of them.
    let level = |at: usize| {
        let next = format!("../{}", at + 1);
        [Entry::link(format!("{at}/x"), &next), Entry::link(format!("{at}/y"), &next)]
    };
    let levels = || (0..30).flat_map(level).chain([Entry::stored("30/", "")]);
    refused(&FAITHFUL, "comes after too many steps", &Zip::site(levels()).bytes());
    let with_a_file = Zip::site(levels().chain([Entry::stored("30/f", "")]));
    let refusal = inspect(&with_a_file.bytes(), &Limits::default(), &mut Strict).expect_err("2^31 files");
    assert_eq!(refusal.rule, &FILES);
}
