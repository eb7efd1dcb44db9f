//! Folders given as a map: links, omitted entries, rejected entries, and the rules for them.

use std::collections::BTreeMap;

use assay_spec::cid::{CidError, Discard, Entry, Estimate, Fault, Kept, Layout, Summary, of_entries};
use assay_spec::drop::requirements::cid as rows;
use assay_spec::{Id, Rules, Strict, Without};

fn built(entries: &[(&str, Entry<'_>)], rules: &mut dyn Rules) -> Result<Summary, CidError> {
    let entries = entries.iter().map(|(path, entry)| ((*path).to_owned(), *entry)).collect();
    let layout = Layout::with_rules(Estimate::Links, rules);
    of_entries(&entries, &layout, rules, &Discard)
}

fn cid(entries: &[(&str, Entry<'_>)]) -> String {
    built(entries, &mut Strict).expect("a folder").cid.to_string()
}

fn refusal(entries: &[(&str, Entry<'_>)]) -> (Id, String) {
    match built(entries, &mut Strict) {
        Err(CidError::Refused(refused)) => (refused.rule, refused.why),
        other => panic!("not rejected: {other:?}"),
    }
}

const A: Entry<'_> = Entry::File(b"a");
const B: Entry<'_> = Entry::File(b"b");
use Entry::{Directory, Link};

#[test]
fn links_are_followed() {
    assert_eq!(cid(&[("a", A), ("to-a", Link("a"))]), cid(&[("a", A), ("to-a", A)]));
    let site = [("a", A), ("d/b", B), ("d/up", Link("../a"))];
    let plain = [("a", A), ("d/b", B), ("d/up", A)];
    assert_eq!(cid(&site), cid(&plain));
    let with = |link| [&site[..], &[("e/to-d", Link(link))]].concat();
    let wanted = cid(&[&plain[..], &[("e/to-d/b", B), ("e/to-d/up", A)]].concat());
    for same in ["../d", "../d/", "..//./d", "../d/../d", "../e/../d"] {
        assert_eq!(cid(&with(same)), wanted, "{same}");
    }
}

#[test]
fn links_through_links_are_followed() {
    let links = [("d/b", B), ("e", Link("d")), ("f", Link("e/b")), ("g", Link("f"))];
    assert_eq!(cid(&links), cid(&[("d/b", B), ("e/b", B), ("f", B), ("g", B)]));
    // `..` is the parent of the link's target, not of the link.
    let links = [("d/c/b", B), ("x/l", Link("../d/c")), ("y", Link("x/l/../c/b"))];
    assert_eq!(cid(&links), cid(&[("d/c/b", B), ("x/l/b", B), ("y", B)]));
}

#[test]
fn link_to_nothing_is_rejected() {
    let lost = ["gone", "", "/a", "../a", "../../a", "a/b", "a/", "d/../gone", "d/gone/../../a"];
    for target in lost {
        let entries = [("a", A), ("d/b", B), ("z", Link(target))];
        assert_eq!(
            refusal(&entries),
            (&rows::DANGLING, "z: the link leads to nothing".to_owned()),
            "{target}"
        );
        assert_eq!(
            built(&entries, &mut Without(&rows::DANGLING)).unwrap().cid.to_string(),
            cid(&entries[..2]),
            "{target}"
        );
    }
}

#[test]
fn link_loops_are_rejected() {
    let endless: [&[(&str, Entry<'_>)]; 5] = [
        &[("a", A), ("z", Link("z"))],
        &[("a", A), ("z/x", Link("y")), ("z/y", Link("../z/x"))],
        &[("a", A), ("z", Link("z/z"))],
        &[("a", A), ("z/up", Link(".."))],
        &[("a", A), ("z/here", Link("."))],
    ];
    for entries in endless {
        assert_eq!(refusal(entries).0, &rows::LOOP, "{entries:?}");
    }
    let mutual = [("a", A), ("y", Link("z")), ("z", Link("y"))];
    assert_eq!(refusal(&mutual), (&rows::LOOP, "y: the link is part of a loop".to_owned()));
    let left_out = built(&mutual, &mut Without(&rows::LOOP)).unwrap();
    assert_eq!(left_out.cid.to_string(), cid(&[("a", A)]));
}

#[test]
fn folders_that_contain_each_other_are_rejected() {
    let entries = [("x/a", A), ("x/to-y", Link("../y")), ("y/b", B), ("y/to-x", Link("../x"))];
    let why = "x/to-y/to-x: the link leads to a folder that contains it".to_owned();
    assert_eq!(refusal(&entries), (&rows::LOOP, why));
    let left_out = built(&entries, &mut Without(&rows::LOOP)).unwrap();
    assert_eq!(left_out.cid.to_string(), cid(&[("x/a", A), ("x/to-y/b", B), ("y/b", B), ("y/to-x/a", A)]));
}

#[test]
fn links_that_multiply_the_content_are_rejected() {
    // Each folder has the next one twice: 2^30 files.
    let mut entries = BTreeMap::new();
    for n in 0..30 {
        for name in ["l", "r"] {
            entries.insert(format!("d{n:02}/{name}"), Entry::Directory);
        }
    }
    let targets: Vec<String> = (1..=30).map(|n| format!("../d{n:02}")).collect();
    for (n, target) in targets.iter().enumerate() {
        for name in ["l", "r"] {
            entries.insert(format!("d{n:02}/{name}"), Link(target));
        }
    }
    entries.insert("d30/a".to_owned(), A);
    let error = of_entries(&entries, &Layout::default(), &mut Strict, &Discard).unwrap_err();
    assert!(matches!(error, CidError::At { fault: Fault::Unreadable(_), .. }), "{error}");
    // The same without folders: many links to one large file.
    let large = vec![7; 8 << 20];
    let mut entries: BTreeMap<String, Entry<'_>> =
        (0..129).map(|n| (format!("link-{n:03}"), Link("large"))).collect();
    entries.insert("large".to_owned(), Entry::File(&large));
    let error = of_entries(&entries, &Layout::default(), &mut Strict, &Discard).unwrap_err();
    let CidError::At { path, fault: Fault::Unreadable(_) } = error else { panic!("{error}") };
    assert_eq!(path, "link-128");
}

#[test]
fn empty_directories_are_omitted() {
    let site = [("a", A), ("d/b", B)];
    let more = [("e", Directory), ("f/g/h", Directory), ("d/i", Directory), ("l", Link("f"))];
    assert_eq!(cid(&[&site[..], &more].concat()), cid(&site));
    assert_eq!(cid(&[("e", Directory)]), cid(&[]));
    let kept = built(&[("a", A), ("e", Directory)], &mut Without(&rows::EMPTY_DIRECTORIES)).unwrap();
    assert_ne!(kept.cid.to_string(), cid(&[("a", A)]));
}

#[test]
fn folder_with_only_omitted_links_is_empty() {
    let entries = [("a", A), ("d/gone", Link("x"))];
    let left_out = built(&entries, &mut Without(&rows::DANGLING)).unwrap();
    assert_eq!(left_out.cid.to_string(), cid(&[("a", A)]));
}

#[test]
fn each_layout_rule_changes_the_identifier() {
    let long = vec![1; 2_000_000];
    let names: Vec<String> = (0..5000).map(|n| format!("many/{n:024}")).collect();
    let larger = vec![1; 175 * (1 << 18)];
    let site: Vec<(&str, Entry<'_>)> =
        [(".dot", A), ("a", A), ("d", Directory), ("link", Link("a")), ("long", Entry::File(&long))]
            .into_iter()
            .chain(names.iter().map(|name| (name.as_str(), B)))
            .chain([("larger", Entry::File(&larger))])
            .collect();
    let conforming = built(&site, &mut Strict).unwrap();
    let mut seen = BTreeMap::from([(conforming.cid.to_string(), "conforming".to_owned())]);
    for rule in [
        &rows::VERSION,
        &rows::NOT_WRAPPED,
        &rows::RAW_LEAVES,
        &rows::CHUNKS,
        &rows::BALANCED,
        &rows::SHARDED,
        &rows::DOTFILES,
        &rows::EMPTY_DIRECTORIES,
        &rows::SYMLINKS,
    ] {
        let violated = built(&site, &mut Without(rule)).unwrap().cid.to_string();
        let other = seen.insert(violated, rule.to_string());
        assert_eq!(other, None, "{rule} gives the same identifier as another rule");
    }
    let text = built(&site, &mut Without(&rows::VERSION)).unwrap().cid.to_string();
    assert!(text.starts_with("Qm") && text.len() == 46, "{text}");
}

#[test]
fn omitted_links_are_not_checked() {
    let entries = [("a", A), ("z", Link("gone")), ("y", Link("y"))];
    let left_out = built(&entries, &mut Without(&rows::SYMLINKS)).unwrap();
    assert_eq!(left_out.cid.to_string(), cid(&[("a", A)]));
}

#[test]
fn summary_counts_files_bytes_and_blocks() {
    let long = vec![1; 262_145];
    let entries = [("a", A), ("b", Link("a")), ("d/long", Entry::File(&long)), ("e", Directory)];
    let summary = built(&entries, &mut Strict).unwrap();
    // Twice "a", two chunks and their root, `d`, the root.
    assert_eq!((summary.files, summary.bytes, summary.blocks), (3, 262_147, 7));
}

#[test]
fn invalid_paths_are_rejected() {
    for (entries, path, why) in [
        (&[("a", A), ("a/b", B)][..], "a/b", "the path leads through something that is not a folder"),
        (&[("a/b", B), ("a//", A)], "a//", "the path has an empty segment"),
        (&[("", A)], "", "the path has an empty segment"),
        (&[("/a", A)], "/a", "the path has an empty segment"),
        (&[("a/", Directory)], "a/", "the path has an empty segment"),
        (&[("a/../b", A)], "a/../b", "the path has a . or .. segment"),
        (&[("./a", A)], "./a", "the path has a . or .. segment"),
        (&[("a\0", A)], "a\0", "the path has a NUL"),
        (&[("l", Link("d")), ("l/x", A)], "l/x", "the path leads through something that is not a folder"),
    ] {
        let wanted = CidError::At {
            path: if path.is_empty() { "." } else { path }.to_owned(),
            fault: Fault::Path(why),
        };
        assert_eq!(built(entries, &mut Strict), Err(wanted), "{entries:?}");
    }
}

#[test]
fn both_sides_of_the_path_limit() {
    let deep = |segments: usize| vec!["d"; segments].join("/");
    let long = |bytes: usize| format!("{}/{}", "d".repeat(2000), "f".repeat(bytes - 2001));
    for path in [deep(256), long(4096)] {
        assert!(built(&[(&path, A)], &mut Strict).is_ok());
    }
    for path in [deep(257), long(4097)] {
        let wanted = CidError::At { path: path.clone(), fault: Fault::Path("the path is too long") };
        assert_eq!(built(&[(&path, A)], &mut Strict), Err(wanted));
    }
}

#[test]
fn blocks_do_not_depend_on_the_content_size() {
    // More than fits in memory at once, in one file and in many.
    let large: Vec<u8> = (0..40u32 << 20).map(|n| (n.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
    let mut entries: BTreeMap<String, Entry<'_>> = (0..600)
        .map(|n| (format!("part-{n:03}"), Entry::File(&large[n * 69_000..(n + 1) * 69_000])))
        .collect();
    entries.insert("d/large".to_owned(), Entry::File(&large));
    entries.insert("z".to_owned(), A);
    let layout = Layout::default();
    let (kept, one) = (Kept::default(), rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap());
    let summary = of_entries(&entries, &layout, &mut Strict, &kept).unwrap();
    assert_eq!(one.install(|| of_entries(&entries, &layout, &mut Strict, &Discard)).unwrap(), summary);
    let blocks = kept.into_blocks();
    assert!(blocks.contains_key(&summary.cid));
    // 160 + 600 + 1 leaves; above them a node, `d` and the root.
    assert_eq!((blocks.len() as u64, summary.blocks), (764, 764));
}
