//! Checks of the content identifier: it must be the CID of exactly the uploaded files in the documented layout.
//!
//! Each check uploads a site whose CID differs between layouts. The documented CID passes. The CID of a layout that
//! differs only in the checked property fails. Any other CID is inconclusive.

use assay_spec::cid::{Cid, Layout};
use assay_spec::drop::requirements::cid as rows;
use serde_json::Value;

use super::archive::zip;
use super::samples::Sample;
use super::upload::next_hour;
use super::{ACCEPTED, Dropped, REJECTED_NAMES, Which, accepted, dropped, ordinary, upload};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::{Answer, Probe};

/// Other chunk sizes that importers use.
const OTHER_CHUNKS: [usize; 5] = [1 << 20, 1 << 19, 1 << 17, 1 << 21, 1_000_000];
/// Names that the site may have in a wrapping directory: the uploaded file's name and common names.
const WRAPPED_AS: [&str; 14] = [
    "site", "site.zip", "artifact", "folder", "public", "dist", "drop", "upload", "www", "html", "root",
    "build", "out", "content",
];

/// The CID in a response, in any base.
pub(super) fn read(answer: &Answer<'_>) -> Option<Cid> {
    answer.json()["cid"].as_str().and_then(|text| text.parse().ok())
}

/// Whether the CID is that of a site's files.
pub(super) fn is_of(probe: &Probe<'_>, answer: &Answer<'_>, sample: &Sample) -> Result<bool, Stop> {
    Ok(read(answer) == Some(sample.cid(&documented(probe))?))
}

/// Expects the CID of a site's files. `what` says what is special about them, such as `a zip with descriptors`.
pub(super) fn expect_of(probe: &Probe<'_>, answer: &Answer<'_>, sample: &Sample, what: &str) -> Checked {
    let (wanted, shown) = (sample.cid(&documented(probe))?, answer.json()["cid"].to_string());
    let want = format!("\"{wanted}\" for {what}");
    answer.expect(is_of(probe, answer, sample)?, "/cid", want, shown)
}

/// A layout that differs in one property, with a description.
type Wrong = (String, Layout);

/// The documented layout, with the target's estimate of a folder's size.
fn documented(probe: &Probe<'_>) -> Layout {
    Layout { estimate: probe.settings.drop().estimate, ..Layout::default() }
}

fn chunks(conforming: &Layout) -> Vec<Wrong> {
    let other = |chunk_bytes| {
        (format!("chunks of {chunk_bytes} bytes"), Layout { chunk_bytes, ..conforming.clone() })
    };
    OTHER_CHUNKS.map(other).to_vec()
}

fn wrapped(conforming: &Layout, answer: &Answer<'_>) -> Vec<Wrong> {
    let body = answer.json();
    let [id, url] = ["dropId", "url"].map(|member| body[member].as_str().unwrap_or_default());
    let place = url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let own = [id, id.trim_start_matches("drop_"), place];
    // The target's strings may not be valid names.
    let is_name =
        |name: &&str| !matches!(*name, "" | "." | "..") && name.len() <= 255 && !name.contains(['/', '\0']);
    let other = |name: &str| {
        let about = format!("a wrapping directory in which the site is named {name:?}");
        (about, Layout { wrapped_as: Some(name.to_owned()), ..conforming.clone() })
    };
    WRAPPED_AS.into_iter().chain(own).filter(is_name).map(other).collect()
}

fn unixfs_leaves(conforming: &Layout) -> Vec<Wrong> {
    vec![("UnixFS leaves".to_owned(), Layout { raw_leaves: false, ..conforming.clone() })]
}

fn without_dotfiles(conforming: &Layout) -> Vec<Wrong> {
    vec![("dotfiles left out".to_owned(), Layout { dotfiles: false, ..conforming.clone() })]
}

fn with_empty_directories(conforming: &Layout) -> Vec<Wrong> {
    vec![("empty directories kept".to_owned(), Layout { empty_directories: true, ..conforming.clone() })]
}

/// Judges one property: the documented CID passes, that of a wrong layout fails, any other is inconclusive.
fn judge(probe: &Probe<'_>, answer: &Answer<'_>, sample: &Sample, wrong: &[Wrong]) -> Checked {
    let layout = documented(probe);
    let wanted = sample.cid(&layout)?;
    let got = read(answer);
    let met = found(sample, wrong, got)?;
    let shown = answer.json()["cid"].to_string();
    let got_text =
        met.as_ref().map_or_else(|| shown.clone(), |about| format!("{shown}, the CID with {about}"));
    if met.is_some() || got == Some(wanted) {
        return answer.expect(met.is_none(), "/cid", format!("\"{wanted}\""), got_text);
    }
    let why = "the CID is neither the documented one nor that of a layout that differs only in this property";
    probe.given(false, format!("{why}: {shown}"))
}

/// The first wrong layout that gives this CID.
fn found(sample: &Sample, wrong: &[Wrong], got: Option<Cid>) -> Result<Option<String>, Stop> {
    for (about, layout) in wrong {
        if got.is_some() && got == Some(sample.cid(layout)?) {
            return Ok(Some(about.clone()));
        }
    }
    Ok(None)
}

/// Uploads the rich site and judges one property of its CID.
async fn property(probe: &Probe<'_>, wrong: fn(&Layout) -> Vec<Wrong>) -> Checked {
    let Dropped { answer, sample, .. } = accepted(probe, Which::Rich).await?;
    judge(probe, &answer, &sample, &wrong(&documented(probe)))
}

/// Uploads a site with uncommon names of files. In a world of its own, also the same files in another order and with small ones
/// uncompressed, and each name alone; on a shared target the site itself has that order. `cid` must be the CID of the files each time.
/// Names with blanks at their ends, names that differ by letter case and long paths may be rejected.
#[shows(rows::OF_THE_FILES, uses_up)]
async fn cid_is_that_of_the_files(probe: &Probe<'_>) -> Checked {
    let rich = dropped(probe, Which::Rich).await?;
    let names_rejected = rich.rejected_with(REJECTED_NAMES);
    let Dropped { answer, sample, .. } = rich;
    if answer.status() == 400 {
        // The same server accepts a page.
        ordinary(probe).await?;
        answer.expect_status(ACCEPTED)?;
    }
    answer.given_status(ACCEPTED)?;
    if let Some(status) = names_rejected {
        probe.note(format!("names that a server may reject are rejected ({status})"));
    }
    let layout = documented(probe);
    let wanted = sample.cid(&layout)?;
    let got = read(&answer);
    if got != Some(wanted) {
        let elsewhere = [
            wrapped(&layout, &answer),
            unixfs_leaves(&layout),
            chunks(&layout),
            without_dotfiles(&layout),
            with_empty_directories(&layout),
        ];
        let met = found(&sample, &elsewhere.concat(), got)?;
        let met = met.or_else(|| is_version_0_of(got, &wanted).then(|| "version 0".to_owned()));
        if let Some(about) = met {
            return probe.given(false, format!("the CID is that of the files, but with {about}"));
        }
    }
    let shown = answer.json()["cid"].to_string();
    if got == Some(wanted) && shown != format!("\"{wanted}\"") {
        probe.note("the CID is not written in base32");
    }
    answer.expect(got == Some(wanted), "/cid", format!("\"{wanted}\""), shown)?;

    if !probe.owns_time() {
        return Ok(());
    }
    let again = upload(probe, &zip(&sample.reordered())).await?;
    again.given_status(ACCEPTED)?;
    let shown = again.json()["cid"].to_string();
    let want = format!("\"{wanted}\" for the same files in another order, the small ones uncompressed");
    again.expect(read(&again) == Some(wanted), "/cid", want, shown)?;
    for (n, name) in probe.uncommon_values().enumerate() {
        next_hour(probe, n).await?;
        let path = name.instead_of(&Value::Null).unwrap_or_default();
        let sample = Sample::page(probe).with(path.as_str().unwrap_or_default(), "a file\n");
        let answer = upload(probe, &sample.zip()).await?;
        if answer.is_rejected_as_it_may("a file's name", name) {
            continue;
        }
        answer.expect_not_malformed("a file's name", name)?;
        answer.given_status(ACCEPTED)?;
        expect_of(probe, &answer, &sample, &format!("a name with {}", name.name))?;
    }
    Ok(())
}

/// Whether `got` is the `CIDv0` form of `wanted`: the same digest with another version.
fn is_version_0_of(got: Option<Cid>, wanted: &Cid) -> bool {
    got.is_some_and(|got| got.version() != wanted.version() && got.hash() == wanted.hash())
}

/// Uploads a site. `cid` must be a `CIDv1`.
#[shows(rows::VERSION)]
async fn cid_is_a_cidv1(probe: &Probe<'_>) -> Checked {
    let Dropped { answer, .. } = accepted(probe, Which::Rich).await?;
    let got = read(&answer);
    let shown = answer.json()["cid"].to_string();
    answer.expect(got.is_some_and(|got| u64::from(got.version()) == 1), "/cid", "a CIDv1", shown)
}

/// Uploads a site. `cid` must not be that of a directory around the site.
#[shows(rows::NOT_WRAPPED)]
async fn site_is_not_wrapped_in_a_directory(probe: &Probe<'_>) -> Checked {
    let Dropped { answer, sample, .. } = accepted(probe, Which::Rich).await?;
    let wrong = wrapped(&documented(probe), &answer);
    judge(probe, &answer, &sample, &wrong)
}

/// Uploads a site. `cid` must be that of raw leaves, not of `UnixFS` leaves.
#[shows(rows::RAW_LEAVES)]
async fn leaves_are_raw(probe: &Probe<'_>) -> Checked {
    property(probe, unixfs_leaves).await
}

/// Uploads a site with a file of several chunks. `cid` must be that of 262144-byte chunks.
#[shows(rows::CHUNKS)]
async fn chunks_have_262144_bytes(probe: &Probe<'_>) -> Checked {
    property(probe, chunks).await
}

/// Uploads a site with dotfiles. `cid` must include them.
#[shows(rows::DOTFILES)]
async fn dotfiles_are_included(probe: &Probe<'_>) -> Checked {
    property(probe, without_dotfiles).await
}

/// Uploads a site with empty directories. `cid` must not include them.
#[shows(rows::EMPTY_DIRECTORIES)]
async fn empty_directories_are_left_out(probe: &Probe<'_>) -> Checked {
    property(probe, with_empty_directories).await
}

/// Uploads one folder below 262144 bytes and one above. `cid` must be that of an unsharded and of a sharded folder.
#[shows(rows::SHARDED)]
async fn folder_over_262144_bytes_is_sharded(probe: &Probe<'_>) -> Checked {
    let conforming = documented(probe);
    for (count, about, shard_above_bytes) in [
        (BELOW, "a folder that is sharded too early", Some(131_072)),
        (ABOVE, "a folder that is never sharded", None),
    ] {
        let sample = with_many(Sample::page(probe), count);
        let answer = upload(probe, &sample.zip()).await?;
        answer.given_status(ACCEPTED)?;
        let wrong = [(about.to_owned(), Layout { shard_above_bytes, ..conforming.clone() })];
        judge(probe, &answer, &sample, &wrong)?;
    }
    Ok(())
}

/// The file counts of a folder below the limit and of one above it, with either estimate.
const BELOW: usize = 860;
const ABOVE: usize = 985;

/// Adds a folder of `count` files with names of 240 bytes. Each entry counts 276 bytes or slightly more.
fn with_many(site: Sample, count: usize) -> Sample {
    (0..count).fold(site, |site, n| site.with(&format!("many/{n:0>240}"), "x"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use assay_spec::cid::Estimate;

    use super::*;

    fn cid(sample: &Sample, layout: &Layout) -> Cid {
        sample.cid(layout).expect("a folder without links")
    }

    #[test]
    fn one_site_has_a_different_cid_in_every_layout() {
        let sample = Sample::default().with("index.html", "page").enriched();
        let conforming = Layout::default();
        let wrong = [
            chunks(&conforming),
            unixfs_leaves(&conforming),
            without_dotfiles(&conforming),
            with_empty_directories(&conforming),
            vec![(String::new(), Layout { wrapped_as: Some("site".to_owned()), ..conforming.clone() })],
        ]
        .concat();
        let layouts: Vec<&Layout> = wrong.iter().map(|(_, layout)| layout).chain([&conforming]).collect();
        let cids: BTreeSet<Cid> = layouts.iter().map(|layout| cid(&sample, layout)).collect();
        assert_eq!(cids.len(), layouts.len());
    }

    #[test]
    fn the_two_folders_are_below_and_above_the_limit_with_either_estimate() {
        let page = || Sample::default().with("index.html", "page");
        let layout =
            |estimate, shard_above_bytes| Layout { estimate, shard_above_bytes, ..Layout::default() };
        let limit = Layout::default().shard_above_bytes;
        for estimate in [Estimate::Links, Estimate::Block] {
            let below = with_many(page(), BELOW);
            assert_eq!(cid(&below, &layout(estimate, limit)), cid(&below, &layout(estimate, None)));
            assert_ne!(cid(&below, &layout(estimate, limit)), cid(&below, &layout(estimate, Some(131_072))));
            let above = with_many(page(), ABOVE);
            assert_ne!(cid(&above, &layout(estimate, limit)), cid(&above, &layout(estimate, None)));
        }
    }
}
