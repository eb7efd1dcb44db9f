//! Random bytes, and every deviation and variation: always an answer, never a panic.
//!
//! `PROPTEST_CASES` and `PROPTEST_RNG_SEED` select more and other cases.

use assay_spec::drop::zip::write::Entry;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::common::drop::{DOCUMENTED, FORM, Form, page, post, upload};
use crate::common::zip;
use crate::common::{Call, Driver, show};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_bytes_are_answered(
        content_type in prop_oneof![Just(FORM.to_owned()), "[ -~]{0,60}", "multipart/form-data;[ -~]{0,30}"],
        body in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..2000),
            prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40).prop_map(|pieces| pieces.concat()),
        ],
    ) {
        answered(&post(&content_type, body))?;
    }

    #[test]
    fn valid_form_with_some_bytes_changed_is_answered(
        edits in prop::collection::vec((any::<Index>(), any::<u8>(), 0..3u8), 1..6),
    ) {
        let entries = [
            Entry::deflated("index.html", b"<p>hello, hello, hello"),
            Entry::link("a/link", "../index.html"),
            Entry::directory("empty"),
        ];
        let mut body = Form::default().field("source", b"me").artifact(&zip::write(&entries)).bytes();
        for (at, byte, how) in edits {
            let at = at.index(body.len());
            match how {
                0 => body[at] = byte,
                1 => body.insert(at, byte),
                _ => drop(body.remove(at)),
            }
        }
        answered(&post(FORM, body))?;
    }

    #[test]
    fn any_target_is_answered(target in prop_oneof!["/live/[ -~]{0,20}", "[/%.a-f0-9]{0,30}", any::<String>()], inside: bool) {
        let mut driver = Driver::new(1);
        let dropped = driver.drop_zip(&zip::from_files(&[("index.html", b"page"), ("a/b.txt", b"file")]));
        let target = if inside { dropped.below(&target) } else { target };
        let reply = driver.look(&target);
        let known = match reply.status {
            200 => reply.body == "page" || reply.body == "file",
            301 => reply.headers["location"].to_str().is_ok_and(|to| to.starts_with(dropped.path()) && to.ends_with('/')),
            405 => target.starts_with("/api/drop"),
            status => status == 404,
        };
        prop_assert!(known, "{target:?}: {}", show(&reply));
    }
}

#[test]
fn no_deviation_or_variation_causes_a_panic() {
    let files = |count: usize| (0..count).map(|n| Entry::stored(format!("f{n}"), b"x")).collect::<Vec<_>>();
    let index = || Entry::stored("index.html", b"<p>");
    let odd = |entry: Entry| upload(&zip::write(&[index(), entry]));
    let calls = [
        upload(&page("")),
        Form::default().field("source", b"good").artifact(&page("")).call(),
        Form::default().field("source", b"<bad>").artifact(&page("")).call(),
        Form::default().field("source", b"alone").call(),
        post("text/plain", b"no form".to_vec()),
        upload(b""),
        upload(b"no zip at all"),
        upload(&page("")[..40]),
        upload(&zip::write(&[])),
        upload(&zip::write(&files(1001))),
        odd(Entry::stored("../../up", b"")),
        odd(Entry::stored("/index.html", b"")),
        odd(Entry::stored("//", b"")),
        odd(Entry::stored("a/../../index.html", b"")),
        odd(Entry::link("link", "index.html")),
        odd(Entry::link("index.html/x", "..")),
        odd(Entry::link("loop", "loop")),
        odd(Entry::link("dir", ".")),
        odd(Entry::directory("empty")),
        odd(Entry::stored("wrong-size", b"").both(|header| header.size = 40_000_001)),
        odd(Entry::deflated("bomb", vec![0; 100_000]).both(|header| header.size = 1)),
        upload(&zip::overlapping(&files(3))),
        upload(&vec![b'x'; 10_000_001]),
    ];
    let deviations = assay_sim::world::deviations().iter().map(ToString::to_string).collect::<Vec<_>>();
    let variations =
        assay_sim::world::variations().iter().map(|variation| variation.name.to_owned()).collect::<Vec<_>>();
    let deviations =
        deviations.into_iter().filter(|name| name.starts_with("drop.")).map(|name| (vec![name], Vec::new()));
    for (deviations, variations) in deviations.chain([(Vec::new(), variations)]) {
        let mut driver = Driver::new(1);
        driver.world.set_deviations(&deviations).expect("known deviations");
        driver.world.set_variations(&variations).expect("known variations");
        let mut claimed = 0;
        for (n, call) in calls.iter().enumerate() {
            driver.peer = [10, 0, 0, n as u8].into();
            let status = driver.exchange(call).status;
            assert!((200..600).contains(&status), "{deviations:?}: {status}");
            let roots: Vec<String> = driver.drops()["drops"]
                .as_object()
                .into_iter()
                .flatten()
                .filter_map(|(_, drop)| drop["root"].as_str().map(str::to_owned))
                .collect();
            for target in roots
                .iter()
                .flat_map(|root| ["", "/", "/link", "/dir/dir", "/empty"].map(|path| format!("{root}{path}")))
            {
                driver.look(&target);
            }
            let body = driver.exchange(&upload(&page("claimed"))).body;
            let answer: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
            claimed += usize::from(driver.claim(answer["claimToken"].as_str().unwrap_or_default()).is_ok());
            driver.advance(3_600_000);
        }
        driver.advance(48 * 3_600_000);
        assert!(claimed > 0 || !deviations.is_empty(), "some claims succeed");
    }
}

/// Pieces of forms and zips.
const PIECES: [&[u8]; 12] = [
    b"--assay",
    b"--",
    b"\r\n",
    b"\r\n\r\n",
    b"content-disposition: form-data; name=\"artifact\"",
    b"content-disposition: form-data; name=source",
    b"; filename=\"",
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"\0\0\xff\xff",
    b"index.html",
];

pub(crate) fn config() -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig { failure_persistence: None, ..asked }
}

/// The answer is documented, and only accepted uploads are kept.
fn answered(call: &Call) -> Result<(), TestCaseError> {
    let mut driver = Driver::new(1);
    let before = driver.drops();
    let reply = driver.exchange(call);
    prop_assert!(DOCUMENTED.contains(&reply.status), "{}", show(&reply));
    prop_assert_eq!(driver.drops() == before, reply.status != 200);
    prop_assert_eq!(driver.drops()["uploads"].clone(), 0);
    Ok(())
}
