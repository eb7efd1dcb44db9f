//! The zip: what it must not be, and how large it may be.

use std::sync::LazyLock;

use assay_spec::cid::Layout;
use assay_spec::drop::requirements::zip as rows;

use super::archive::{Entry, zip};
use super::samples::{INDEX, Sample, noise, repetitive};
use super::site::{below, index};
use super::{ACCEPTED, cid, counterpart, patient, upload};
use crate::check::{Check, Checked};
use crate::probe::Probe;
use crate::refuses;

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::FORM, what_is_no_zip_is_refused).drops(2, 2).writes(2),
    refuses!(rows::TRAVERSAL, a_path_out_of_the_root_is_refused).drops(2, 2).writes(2),
    refuses!(rows::ABSOLUTE, an_absolute_path_is_refused).drops(2, 2).writes(2),
    refuses!(rows::SYMLINK, a_link_inside_is_followed_or_refused).drops(4, 2).writes(2),
    refuses!(rows::ROOT_INDEX, a_zip_without_a_page_at_its_root_is_refused).drops(2, 2).writes(2),
    refuses!(rows::SIZE, a_zip_over_10_mb_is_too_large).drops(3, 3).writes(3).sends(23_031_000),
    refuses!(rows::EXTRACTED_SIZE, files_over_40_mb_are_too_large).drops(3, 3).writes(3).sends(6_393_000),
    refuses!(rows::COUNTED, a_zip_with_wrong_sizes_is_counted).drops(2, 2).writes(2).sends(3_430_000),
    refuses!(rows::FILES, more_than_1000_files_are_too_many).drops(3, 3).writes(3).sends(213_000),
];

/// What is too large inside a zip is too large, or unsafe.
const INSIDE: &[u16] = &[413, 400];
const MB: usize = 1_000_000;

/// The entry that a site begins with.
fn page(probe: &Probe<'_>) -> Vec<Entry> {
    Sample::page(probe).entries()
}

/// A zip that is a good one but for its last entry is unsafe.
async fn is_unsafe(probe: &Probe<'_>, bad: Entry) -> Checked {
    counterpart(probe).await?;
    let mut entries = page(probe);
    entries.push(bad);
    upload(probe, &zip(&entries)).await?.expect_status(&[400])
}

async fn what_is_no_zip_is_refused(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    upload(probe, b"<!doctype html>\n<title>no zip</title>\n").await?.expect_status(&[400])
}

async fn a_path_out_of_the_root_is_refused(probe: &Probe<'_>) -> Checked {
    is_unsafe(probe, Entry::file("../outside.txt", "outside\n")).await
}

async fn an_absolute_path_is_refused(probe: &Probe<'_>) -> Checked {
    is_unsafe(probe, Entry::file("/absolute.txt", "absolute\n")).await
}

async fn a_link_inside_is_followed_or_refused(probe: &Probe<'_>) -> Checked {
    const ALIAS: &str = "alias.html";
    counterpart(probe).await?;
    let left_out = Sample::page(probe);
    let page = left_out.files[INDEX].clone();
    let mut entries = left_out.entries();
    entries.push(Entry::link(ALIAS, INDEX));
    let answer = upload(probe, &zip(&entries)).await?;
    let status = answer.status();
    answer.expect(
        ACCEPTED.contains(&status) || status == 400,
        "status",
        "200, 201 or 400",
        status.to_string(),
    )?;
    if status == 400 {
        probe.note("a symbolic link inside the zip is refused");
        return Ok(());
    }
    if let Some(got) = cid::read(&answer) {
        let without = left_out.cid(&Layout::default())?;
        answer.expect(
            got != without,
            "/cid",
            "an identifier of the link's target too",
            "that of the other files",
        )?;
    }
    let url = answer.json()["url"].as_str().unwrap_or_default().to_owned();
    let root = index(probe, &url, &page).await?;
    let alias = probe.fetch(&below(&root, ALIAS), patient()).await?.answer;
    alias.expect(alias.status() == 200, "status of the link", "200", alias.status().to_string())?;
    alias.expect(
        alias.response.body == page,
        "body of the link",
        "that of its target",
        alias.response.text(),
    )?;
    probe.note("a symbolic link inside the zip is followed");
    Ok(())
}

async fn a_zip_without_a_page_at_its_root_is_refused(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let page = Sample::page(probe).files[INDEX].clone();
    let nested = Sample::default().with("site/index.html", page).with("site/style.css", "p {}\n");
    upload(probe, &nested.zip()).await?.expect_status(&[400])
}

/// A zip that is still small enough, and one that is too large; an ordinary one is their counterpart.
async fn both_sides(probe: &Probe<'_>, fits: &[u8], too_large: &[u8], refusal: &[u16]) -> Checked {
    counterpart(probe).await?;
    let answer = upload(probe, fits).await?;
    let status = answer.status();
    answer.expect(ACCEPTED.contains(&status), "status below the limit", "200 or 201", status.to_string())?;
    upload(probe, too_large).await?.expect_status(refusal)
}

async fn a_zip_over_10_mb_is_too_large(probe: &Probe<'_>) -> Checked {
    // Between 10,000,000 and 10 MiB both readings of a megabyte hold.
    static FITS: LazyLock<Vec<u8>> = LazyLock::new(|| stored(9_400_000));
    static TOO_LARGE: LazyLock<Vec<u8>> = LazyLock::new(|| stored(11 << 20));
    both_sides(probe, &FITS, &TOO_LARGE, &[413]).await
}

/// A zip of so many bytes and a few more, with two files.
fn stored(length: usize) -> Vec<u8> {
    zip(&[Entry::file(INDEX, PAGE), Entry::file("noise.bin", noise(length))])
}

async fn files_over_40_mb_are_too_large(probe: &Probe<'_>) -> Checked {
    static FITS: LazyLock<Vec<u8>> = LazyLock::new(|| deflated(38 * MB));
    static TOO_LARGE: LazyLock<Vec<u8>> = LazyLock::new(|| deflated(44 * MB));
    both_sides(probe, &FITS, &TOO_LARGE, INSIDE).await
}

async fn a_zip_with_wrong_sizes_is_counted(probe: &Probe<'_>) -> Checked {
    // One file is over the limit by itself, so that no count but that of its bytes finds it.
    static WRONG_SIZES: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let liar = Entry::file("liar.bin", repetitive(44 * MB)).deflated().claiming(MB as u32);
        zip(&[Entry::file(INDEX, PAGE), liar])
    });
    counterpart(probe).await?;
    upload(probe, &WRONG_SIZES).await?.expect_status(INSIDE)
}

/// A zip whose files have so many bytes: a page and four others.
fn deflated(length: usize) -> Vec<u8> {
    let part = repetitive(length / 4);
    let parts = (1..=4).map(|n| Entry::file(&format!("part-{n}.bin"), part.clone()).deflated());
    zip(&std::iter::once(Entry::file(INDEX, PAGE)).chain(parts).collect::<Vec<_>>())
}

const PAGE: &str = "<!doctype html>\n<title>large</title>\n";

async fn more_than_1000_files_are_too_many(probe: &Probe<'_>) -> Checked {
    let many = |count: usize| {
        let files = (1..count).map(|n| Entry::file(&format!("{n:04}.txt"), format!("{n}\n")));
        zip(&page(probe).into_iter().chain(files).collect::<Vec<_>>())
    };
    both_sides(probe, &many(985), &many(1010), INSIDE).await
}
