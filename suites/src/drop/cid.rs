//! The content identifier: that of exactly the uploaded files, laid out as the document says.
//!
//! Each property is read off one upload that tells layouts apart: the identifier is the documented one, or that of a
//! layout which differs in this property alone, or it says nothing about the property.

use assay_spec::cid::{Cid, Layout};
use assay_spec::drop::requirements::cid as rows;

use super::archive::zip;
use super::samples::Sample;
use super::{ACCEPTED, Dropped, Which, taken, upload};
use crate::check::{Check, Checked, Stop};
use crate::probe::{Answer, Probe};
use crate::shows;

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::OF_THE_FILES, the_identifier_is_that_of_the_files).drops(2, 2).writes(2).sends(1_417_000),
    shows!(rows::VERSION, the_identifier_is_a_cidv1).drops(1, 1).writes(1).sends(95_000),
    shows!(rows::NOT_WRAPPED, no_directory_is_put_around_the_site).drops(1, 1).writes(1).sends(95_000),
    shows!(rows::RAW_LEAVES, leaves_are_raw_blocks).drops(1, 1).writes(1).sends(95_000),
    shows!(rows::CHUNKS, files_are_cut_into_chunks_of_262144_bytes).drops(1, 1).writes(1).sends(95_000),
    shows!(rows::SHARDED, a_folder_is_sharded_once_it_would_exceed_262144_bytes)
        .drops(2, 2)
        .writes(2)
        .sends(1_157_000),
    shows!(rows::DOTFILES, dotfiles_are_included).drops(1, 1).writes(1).sends(95_000),
    shows!(rows::EMPTY_DIRECTORIES, empty_directories_are_left_out).drops(1, 1).writes(1).sends(95_000),
];

/// Other sizes of a chunk that importers use.
const OTHER_CHUNKS: [usize; 5] = [1 << 20, 1 << 19, 1 << 17, 1 << 21, 1_000_000];
/// Names that a directory around the site may give it: that of the file that was sent, and customary ones.
const WRAPPED_AS: [&str; 14] = [
    "site", "site.zip", "artifact", "folder", "public", "dist", "drop", "upload", "www", "html", "root",
    "build", "out", "content",
];

/// The identifier of an answer, if it is one in any base.
pub(super) fn read(answer: &Answer<'_>) -> Option<Cid> {
    answer.json()["cid"].as_str().and_then(|text| text.parse().ok())
}

/// A layout that differs in one property, and how a person would say so.
type Wrong = (String, Layout);

/// The documented layout under the target's estimate of a folder's size.
fn documented(probe: &Probe<'_>) -> Layout {
    Layout { estimate: probe.settings.drop.estimate, ..Layout::default() }
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
    // What the target names may be no name at all.
    let is_name =
        |name: &&str| !matches!(*name, "" | "." | "..") && name.len() <= 255 && !name.contains(['/', '\0']);
    let other = |name: &str| {
        let about = format!("a directory around the site, in which it is {name:?}");
        (about, Layout { wrapped_as: Some(name.to_owned()), ..conforming.clone() })
    };
    WRAPPED_AS.into_iter().chain(own).filter(is_name).map(other).collect()
}

fn unixfs_leaves(conforming: &Layout) -> Vec<Wrong> {
    vec![("leaves that are UnixFS nodes".to_owned(), Layout { raw_leaves: false, ..conforming.clone() })]
}

fn without_dotfiles(conforming: &Layout) -> Vec<Wrong> {
    vec![("dotfiles left out".to_owned(), Layout { dotfiles: false, ..conforming.clone() })]
}

fn with_empty_directories(conforming: &Layout) -> Vec<Wrong> {
    vec![("empty directories kept".to_owned(), Layout { empty_directories: true, ..conforming.clone() })]
}

/// Judges one property: the documented identifier holds, one of the wrong ones fails, and any other says nothing.
fn judge(probe: &Probe<'_>, answer: &Answer<'_>, sample: &Sample, wrong: &[Wrong]) -> Checked {
    let layout = documented(probe);
    let wanted = sample.cid(&layout)?;
    let got = read(answer);
    let met = found(sample, wrong, got)?;
    let shown = answer.json()["cid"].to_string();
    let got_text = met.as_ref().map_or_else(|| shown.clone(), |about| format!("{shown}, that of {about}"));
    if met.is_some() || got == Some(wanted) {
        return answer.expect(met.is_none(), "/cid", format!("\"{wanted}\""), got_text);
    }
    let why = "the identifier is neither the documented one nor that of a layout that differs in this alone";
    probe.given(false, format!("{why}: {shown}"))
}

/// The first of the wrong layouts that the identifier comes from.
fn found(sample: &Sample, wrong: &[Wrong], got: Option<Cid>) -> Result<Option<String>, Stop> {
    for (about, layout) in wrong {
        if got.is_some() && got == Some(sample.cid(layout)?) {
            return Ok(Some(about.clone()));
        }
    }
    Ok(None)
}

/// One property of the upload that tells layouts apart.
async fn property(probe: &Probe<'_>, wrong: fn(&Layout) -> Vec<Wrong>) -> Checked {
    let Dropped { answer, sample, .. } = taken(probe, Which::Rich).await?;
    judge(probe, &answer, &sample, &wrong(&documented(probe)))
}

async fn the_identifier_is_that_of_the_files(probe: &Probe<'_>) -> Checked {
    let Dropped { answer, sample, .. } = taken(probe, Which::Rich).await?;
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
            return probe.given(false, format!("the identifier is that of the files, but with {about}"));
        }
    }
    let shown = answer.json()["cid"].to_string();
    if got == Some(wanted) && shown != format!("\"{wanted}\"") {
        probe.note("the identifier is written in another base than base32");
    }
    answer.expect(got == Some(wanted), "/cid", format!("\"{wanted}\""), shown)?;

    let mut other = sample.stored();
    other.reverse();
    let again = upload(probe, &zip(&other)).await?;
    again.given_status(ACCEPTED)?;
    let shown = again.json()["cid"].to_string();
    let want = format!("\"{wanted}\" for the same files in another order and compression");
    again.expect(read(&again) == Some(wanted), "/cid", want, shown)
}

/// The same digest as the wanted one's, in the form without a version.
fn is_version_0_of(got: Option<Cid>, wanted: &Cid) -> bool {
    got.is_some_and(|got| got.version() != wanted.version() && got.hash() == wanted.hash())
}

async fn the_identifier_is_a_cidv1(probe: &Probe<'_>) -> Checked {
    let Dropped { answer, .. } = taken(probe, Which::Rich).await?;
    let got = read(&answer);
    let shown = answer.json()["cid"].to_string();
    answer.expect(got.is_some_and(|got| u64::from(got.version()) == 1), "/cid", "a CIDv1", shown)
}

async fn no_directory_is_put_around_the_site(probe: &Probe<'_>) -> Checked {
    let Dropped { answer, sample, .. } = taken(probe, Which::Rich).await?;
    let wrong = wrapped(&documented(probe), &answer);
    judge(probe, &answer, &sample, &wrong)
}

async fn leaves_are_raw_blocks(probe: &Probe<'_>) -> Checked {
    property(probe, unixfs_leaves).await
}

async fn files_are_cut_into_chunks_of_262144_bytes(probe: &Probe<'_>) -> Checked {
    property(probe, chunks).await
}

async fn dotfiles_are_included(probe: &Probe<'_>) -> Checked {
    property(probe, without_dotfiles).await
}

async fn empty_directories_are_left_out(probe: &Probe<'_>) -> Checked {
    property(probe, with_empty_directories).await
}

async fn a_folder_is_sharded_once_it_would_exceed_262144_bytes(probe: &Probe<'_>) -> Checked {
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

/// Files of a folder that is below the limit by either estimate, and of one that is above it.
const BELOW: usize = 860;
const ABOVE: usize = 985;

/// The site with a folder of so many files, whose names have 240 bytes: an entry counts these and 36, or some more.
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
    fn one_upload_tells_every_layout_from_every_other() {
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
    fn the_two_folders_stand_on_either_side_of_the_limit_by_either_estimate() {
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
