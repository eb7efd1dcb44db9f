//! Checks of the uploaded zip: unsafe contents and size limits.

use std::sync::LazyLock;

use assay_spec::cid::Layout;
use assay_spec::drop::limits::{EXTRACTED, FILES, ZIP};
use assay_spec::drop::requirements::zip as rows;
use assay_spec::drop::zip::write::Entry;
use assay_spec::limit::Limit;
use serde_json::Value;

use super::archive::{compressed, directory, file, link, zip};
use super::samples::{INDEX, Sample, noise, repetitive};
use super::site::{fetched_file, index};
use super::{ACCEPTED, cid, counterpart, upload};
use crate::harness::boundary::{expect_beyond, expect_inside};
use crate::harness::check::{Checked, rejects};
use crate::harness::data::{At, Want};
use crate::harness::probe::Probe;

/// A limit inside the zip may return 413 (too large) or 400 (unsafe).
const INSIDE: &[u16] = &[413, 400];
const MB: usize = 1_000_000;

/// The entries of a small site.
fn page(probe: &Probe<'_>) -> Vec<Entry> {
    Sample::page(probe).entries()
}

/// Uploads a valid zip, and what `made` makes of each wrong value. Each must return 400. Where the run does not own the world,
/// only the likely ones: an address has few drops.
async fn each_is_rejected(probe: &Probe<'_>, what: &str, made: impl Fn(&str) -> Vec<u8>) -> Checked {
    counterpart(probe).await?;
    for wrong in probe.wrong_values().filter(|wrong| probe.owns_time() || !wrong.is_beyond_quick) {
        let value = wrong.instead_of(&Value::Null).unwrap_or_default();
        let answer = upload(probe, &made(value.as_str().unwrap_or_default())).await?;
        answer.expect_refused_value(what, wrong)?;
    }
    Ok(())
}

/// Uploads valid zips with one more entry of each unsafe name. Each must return 400.
async fn each_name_is_unsafe(probe: &Probe<'_>) -> Checked {
    let page = page(probe);
    each_is_rejected(probe, "an entry's name", |name| {
        let bad =
            if name.ends_with('/') { directory(name.trim_end_matches('/')) } else { file(name, "bad\n") };
        zip(&[page.clone(), vec![bad]].concat())
    })
    .await
}

/// Uploads an HTML file, nothing, words and parts of a zip as `artifact`. Each must return 400.
#[rejects(rows::FORM)]
async fn artifact_that_is_not_a_zip_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_rejected(probe, "artifact", |text| text.as_bytes().to_vec()).await
}

/// Uploads zips with an entry whose name leads out of the root, directly or through a folder. Each must return 400.
#[rejects(rows::TRAVERSAL)]
async fn path_outside_the_root_is_rejected(probe: &Probe<'_>) -> Checked {
    each_name_is_unsafe(probe).await
}

/// Uploads zips with an entry whose name begins with a slash. Each must return 400.
#[rejects(rows::ABSOLUTE)]
async fn absolute_path_is_rejected(probe: &Probe<'_>) -> Checked {
    each_name_is_unsafe(probe).await
}

/// Uploads a zip with a symbolic link to its page. It must return 400, or the link must be served with its target's
/// content.
#[rejects(rows::SYMLINK)]
async fn symbolic_link_is_followed_or_rejected(probe: &Probe<'_>) -> Checked {
    const ALIAS: &str = "alias.html";
    counterpart(probe).await?;
    let left_out = Sample::page(probe);
    let page = left_out.files[INDEX].clone();
    let mut entries = left_out.entries();
    entries.push(link(ALIAS, INDEX));
    let answer = upload(probe, &zip(&entries)).await?;
    let status = answer.status();
    answer.expect(
        ACCEPTED.contains(&status) || status == 400,
        At::status(),
        "200, 201 or 400",
        status.to_string(),
    )?;
    if status == 400 {
        probe.note("a symbolic link inside the zip is rejected");
        return Ok(());
    }
    if let Some(got) = cid::read(&answer) {
        let without = left_out.cid(&Layout::default())?;
        answer.expect(
            got != without,
            "/cid",
            "a CID that includes the link's target",
            "the CID of the other files only",
        )?;
    }
    let url = answer.json()["url"].as_str().unwrap_or_default().to_owned();
    let root = index(probe, &url, &page).await?;
    let alias = fetched_file(probe, &url, &root, ALIAS, &page).await?;
    alias.expect(
        alias.status() == 200,
        At::status_named("status of the link"),
        Want::one_of(&[200]),
        alias.status().to_string(),
    )?;
    alias.expect(
        alias.response.body == page,
        "body of the link",
        "the body of its target",
        alias.response.text(),
    )?;
    probe.note("a symbolic link inside the zip is followed");
    Ok(())
}

/// Uploads zips whose page is in a folder or has another name. Each must return 400; one in upper case is only noted.
#[rejects(rows::ROOT_INDEX)]
async fn zip_without_root_index_is_rejected(probe: &Probe<'_>) -> Checked {
    let page = Sample::page(probe).files[INDEX].clone();
    let site = Sample::default().with("site/style.css", "p {}\n");
    each_is_rejected(probe, "the page's name", |name| site.clone().with(name, page.clone()).zip()).await
}

/// Uploads a zip that is just inside a limit, which must be accepted, and one that is just beyond, which must be rejected.
/// `zip` is made for an amount.
async fn both_sides<Z: AsRef<[u8]>>(
    probe: &Probe<'_>,
    limit: &Limit,
    zip: impl Fn(i64) -> Z,
    refusal: &[u16],
) -> Checked {
    let what = |amount: i64| format!("a zip ({}: {})", limit.counts, limit.unit.amount(amount));
    counterpart(probe).await?;
    let answer = upload(probe, zip(limit.inside).as_ref()).await?;
    expect_inside(&answer, limit, &what(limit.inside), refusal)?;
    answer.given_status(ACCEPTED)?;
    let answer = upload(probe, zip(limit.outside).as_ref()).await?;
    expect_beyond(&answer, limit, &what(limit.outside), refusal)
}

/// Uploads a zip of 9,500,000 bytes, which must be accepted, and one of 11 MiB, which must return 413. Between them the
/// readings of a megabyte, and of what counts, differ.
#[rejects(rows::SIZE)]
async fn zip_over_10_mb_is_rejected(probe: &Probe<'_>) -> Checked {
    // Made in each run of the check: what is kept would be a large part of a run's memory.
    both_sides(probe, &ZIP, |length| stored(length as usize), &[413]).await
}

/// A zip of exactly `length` bytes, with two files.
fn stored(length: usize) -> Vec<u8> {
    let with = |noise_bytes| zip(&[file(INDEX, PAGE), file("noise.bin", noise(noise_bytes))]);
    with(length - with(0).len())
}

/// Uploads zips whose files have 40,000,000 bytes in total and 43,000,000. The first must be accepted, the second must
/// return 413 or 400. Between them the readings of a megabyte differ.
#[rejects(rows::EXTRACTED_SIZE)]
async fn extracted_size_over_40_mb_is_rejected(probe: &Probe<'_>) -> Checked {
    static SIDES: LazyLock<[Vec<u8>; 2]> =
        LazyLock::new(|| [EXTRACTED.inside, EXTRACTED.outside].map(|length| deflated(length as usize)));
    let [inside, outside] = &*SIDES;
    let zip = |length| if length == EXTRACTED.inside { inside } else { outside };
    both_sides(probe, &EXTRACTED, zip, INSIDE).await
}

/// Uploads a zip of 44 MB extracted size whose headers claim 1 MB. It must return 413 or 400.
#[rejects(rows::COUNTED)]
async fn extracted_size_is_counted_not_read_from_headers(probe: &Probe<'_>) -> Checked {
    // One file alone exceeds the limit, so only counting its extracted bytes finds it.
    static WRONG_SIZES: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let false_size = compressed("liar.bin", repetitive(44 * MB)).both(|header| header.size = MB as u32);
        zip(&[file(INDEX, PAGE), false_size])
    });
    counterpart(probe).await?;
    upload(probe, &WRONG_SIZES).await?.expect_status(INSIDE)
}

/// A zip with a page and four files, of `length` bytes in total.
fn deflated(length: usize) -> Vec<u8> {
    let left = length - PAGE.len();
    let (size, more) = (left / 4, left % 4);
    let longest = repetitive(size + more);
    let parts = (1..=4).map(|n| {
        let content = if n == 1 { &longest[..] } else { &longest[..size] };
        compressed(&format!("part-{n}.bin"), content)
    });
    zip(&std::iter::once(file(INDEX, PAGE)).chain(parts).collect::<Vec<_>>())
}

const PAGE: &str = "<!doctype html>\n<title>large</title>\n";

/// Uploads zips of 999, 1000 and 1001 files. The first two must be accepted, the third must return 413 or 400.
#[rejects(rows::FILES)]
async fn more_than_1000_files_are_rejected(probe: &Probe<'_>) -> Checked {
    let page = page(probe);
    let many = |count: i64| {
        let files = (page.len() as i64..count).map(|n| file(&format!("{n:04}.txt"), format!("{n}\n")));
        zip(&page.iter().cloned().chain(files).collect::<Vec<_>>())
    };
    let below = upload(probe, &many(FILES.inside - 1)).await?;
    expect_inside(&below, &FILES, "a zip with a file less", INSIDE)?;
    both_sides(probe, &FILES, many, INSIDE).await
}
