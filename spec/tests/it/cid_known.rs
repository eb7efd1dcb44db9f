//! Identifiers that another implementation computed: npm `ipfs-unixfs-importer` 17.1.1 with the document's parameters.

use std::collections::BTreeMap;

use assay_spec::Strict;
use assay_spec::cid::{CidError, Content, Discard, Entry, Estimate, Fault, Layout, of_entries, of_file};

/// Bytes that are generated when they are read.
struct Pattern(u64);

fn byte(n: u64) -> u8 {
    (n + (n >> 8) + (n >> 16)) as u8
}

impl Content for Pattern {
    fn len(&self) -> u64 {
        self.0
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, String> {
        let count = self.0.saturating_sub(offset).min(buffer.len() as u64);
        (offset..offset + count).zip(buffer).for_each(|(n, place)| *place = byte(n));
        Ok(count as usize)
    }
}

#[derive(Default)]
struct Folder(Vec<(String, Vec<u8>)>);

impl Folder {
    fn with(mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) -> Folder {
        self.0.push((name.into(), content.into()));
        self
    }

    /// Empty files with names of 28 digits.
    fn numbered(count: usize) -> Folder {
        Folder((0..count).map(|n| (format!("{n:028}"), Vec::new())).collect())
    }

    fn summary(&self, layout: &Layout) -> Result<String, CidError> {
        let entries: BTreeMap<String, Entry<'_>> =
            self.0.iter().map(|(name, content)| (name.clone(), Entry::File(content))).collect();
        of_entries(&entries, layout, &mut Strict, &Discard).map(|summary| summary.cid.to_string())
    }

    fn cid(&self, estimate: Estimate) -> String {
        self.summary(&Layout { estimate, ..Layout::default() }).expect("a plain folder")
    }
}

#[test]
fn files_of_every_shape() {
    for (len, cid) in [
        (0, "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"),
        (1, "bafkreidogqfzz75tpkmjzjke425xqcrmpcib2p5tg44hnbirumdbpl5adu"),
        (262_143, "bafkreihlwrsgemtpedjpnb2xqmbcfkp3w7s54xu7aijdqmyopqkcoxu37q"),
        (262_144, "bafkreicgdesc6dej6kdabdzuz2ye34vfmkvidleicdovnajo4n75nb5fce"),
        (262_145, "bafybeiah2lfy3xpmqodq7adc4c7zzia3nimzgouz7f6wlarch6c73uzh3i"),
        (174 * 262_144, "bafybeie7vfagfcbyj7le4sng6xcyxmm76wsbcd775woqhm25pjg4lwmrd4"),
        (174 * 262_144 + 1, "bafybeifnbqmdol26iicnyjk4flgttxg7d22f4kobxaw3wae27xurcqh3n4"),
        (400 * 262_144 + 17, "bafybeice3se7igleafkcyflifsspeisaxyiueuculqcjlxzzlbfhdruicm"),
    ] {
        let summary = of_file(&Pattern(len), &Layout::default(), &Discard).unwrap();
        assert_eq!(summary.cid.to_string(), cid, "{len} bytes");
        assert_eq!((summary.files, summary.bytes), (1, len));
    }
}

#[test]
fn leaves_as_file_nodes() {
    let layout = Layout { raw_leaves: false, ..Layout::default() };
    for (len, cid) in [
        (0, "bafybeif7ztnhq65lumvvtr4ekcwd2ifwgm3awq4zfr3srh462rwyinlb4y"),
        (1, "bafybeibyqyrkx66boqbutl5oktknecxgnl43cipcls3knonfmi727rdtnu"),
        (262_145, "bafybeiecqlytdekiq75awc7wit5l3bwgo5wdqhyjs73qhmgiaqwhs3oj44"),
    ] {
        let summary = of_file(&Pattern(len), &layout, &Discard).unwrap();
        assert_eq!(summary.cid.to_string(), cid, "{len} bytes");
    }
}

#[test]
fn a_small_site() {
    let big: Vec<u8> = (0..300_000).map(byte).collect();
    let site = Folder::default()
        .with("index.html", "<h1>hi</h1>\n")
        .with("css/a.css", "a{}")
        .with("css/deep/b.css", "")
        .with(".well-known/x", "x")
        .with("\u{e9}.txt", "nfc")
        .with("e\u{301}.txt", "nfd")
        .with("big.bin", big);
    let cid = site.cid(Estimate::Links);
    assert_eq!(cid, "bafybeibk6zfk62pj4fl7bruegsvlfjlqs6c3rtnknrqju7afvwkmjvi2xy");
}

#[test]
fn an_empty_folder() {
    let cid = Folder::default().cid(Estimate::Links);
    assert_eq!(cid, "bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354");
}

#[test]
fn both_sides_of_the_links_estimate() {
    // An entry counts as 28 + 36 bytes: 4096 of them are 262144.
    let at = Folder::numbered(4096).cid(Estimate::Links);
    assert_eq!(at, "bafybeid7kf3npstt74xdu7mzfz5kwamfmdsb7iywuixykz7akhdv3ntya4");
    let above = Folder::numbered(4095).with("x".repeat(29), "").cid(Estimate::Links);
    assert_eq!(above, "bafybeicxxggd2hxnvnbfkueh63sd6cfh6hutzeuynp2zfa43f5uuvd4wiu");
}

#[test]
fn both_sides_of_the_block_estimate() {
    // A link takes 72 bytes, the last one 132 or 133, the directory 4: 262144, or one more.
    let folder = |last: usize| Folder::numbered(3639).with("x".repeat(last), "");
    assert_eq!(
        folder(87).cid(Estimate::Block),
        "bafybeifpevnsk6e7xov3iqpyggy54kzqblpj23ei5gui6udnrvlbu74bd4"
    );
    assert_eq!(folder(87).cid(Estimate::Links), folder(87).cid(Estimate::Block));
    assert_eq!(
        folder(88).cid(Estimate::Block),
        "bafybeigdguritzt3verobp7ezzk4n3z5a2bkc6se4lb2mvltlaei3pzfxy"
    );
    assert_eq!(
        folder(88).cid(Estimate::Links),
        "bafybeicxevbgy7c67ye4dyifiap5wzleduqaayevaicslpno26vfxr2qcq"
    );
}

#[test]
fn folders_with_thousands_of_files() {
    for estimate in [Estimate::Links, Estimate::Block] {
        let three = Folder((0..3000).map(|n| (format!("{n:028}"), n.to_string().into_bytes())).collect());
        assert_eq!(three.cid(estimate), "bafybeibjpcluziozeu4bo2wufjeiylx3u5l6hkri3qo76nk2huyy46masa");
        let file = |folder: &str, n: u32| (format!("{folder}file-{n:024}"), n.to_string().into_bytes());
        let five = Folder((0..5000).map(|n| file("", n)).collect());
        assert_eq!(five.cid(estimate), "bafybeiaemcxmq5ogdsqz5vmtebcgi3joa4ns6ilzev3l5aeh6bhngxbzmu");
        let below = Folder((0..5000).map(|n| file("d/", n)).collect()).with("a", "a");
        assert_eq!(below.cid(estimate), "bafybeids4ps2r5yu43apnmaq2drmo3pawznk5nmgpp7laexeoavmlip7c4");
    }
}

/// Names whose hashes share six bytes; those of the first two share seven.
const CHAIN: [&str; 3] = ["1M2xYzjIO5XoaABm", "MPt2-nqCUtka9Ufo", "x6buUyY1J4WoevRY"];

#[test]
fn names_with_equal_hash_prefixes_make_a_chain_of_shards() {
    let chain = |folder: Folder| CHAIN.iter().fold(folder, |folder, name| folder.with(*name, *name));
    let among_others = chain(Folder::numbered(4096)).cid(Estimate::Links);
    assert_eq!(among_others, "bafybeigda5hynqkka4ivvyovylzoo7yfi2ecohccmex3kuw2cg32spi2m4");
    let alone = |limit| {
        let layout = Layout { shard_above_bytes: Some(limit), ..Layout::default() };
        chain(Folder::default()).summary(&layout).unwrap()
    };
    // Three names of 16 bytes: 156.
    assert_eq!(alone(155), "bafybeiaxukbpwuf7lx4rnopgqsjplyxntshy7p7nifkafxlssd34s7ahuu");
    assert_eq!(alone(156), "bafybeifmo5mrnob22n6ixkhsje3vhnbkagccwk3z6ay2lptbctx55qbe2e");
}

#[test]
fn names_with_equal_hashes_are_rejected() {
    let colliding = ["1M2xYzjIO5XoaABm", "qxmNI7_q0tB44vFH"];
    let folder =
        colliding.iter().fold(Folder::default(), |folder, name| folder.with(format!("d/{name}"), ""));
    assert!(folder.summary(&Layout::default()).is_ok());
    let error = folder.summary(&Layout { shard_above_bytes: Some(0), ..Layout::default() }).unwrap_err();
    let fault = Fault::Collision(colliding[0].to_owned(), colliding[1].to_owned());
    assert_eq!(error, CidError::At { path: "d".to_owned(), fault });
}
