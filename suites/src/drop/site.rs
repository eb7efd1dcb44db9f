//! The site at the returned URL, and its end.

use std::time::Duration;

use assay_spec::drop::requirements::{response, site as rows};
use serde_json::json;
use url::Url;

use super::samples::{INDEX, NESTED};
use super::{Dropped, Which, fresh, ordinary, patient, taken};
use crate::check::{Check, Checked, Need, Stop};
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::LIVE, the_url_shows_the_page).drops(2, 1).writes(1),
    shows!(rows::NESTED, files_in_folders_are_served_below).drops(3, 1).writes(1),
    shows!(rows::SEPARATE, another_upload_changes_nothing_of_the_first)
        .drops(4, 2)
        .writes(2)
        .after(const { &[&response::DROP_ID] }),
    refuses!(rows::REMOVED, after_four_hours_the_site_is_gone).drops(4, 1).writes(1).needs(&[Need::Clock]),
    shows!(rows::CLAIMED_STAYS, a_claimed_site_stays)
        .drops(3, 1)
        .writes(1)
        .needs(&[Need::Clock, Need::Actions]),
];

/// A step before the deadline, and one behind it.
const BEFORE: Duration = Duration::from_mins(230);
const ACROSS: Duration = Duration::from_mins(20);

/// The page at a URL, which must stand there for the check to say anything; answers where redirects led.
pub(super) async fn index(probe: &Probe<'_>, url: &str, page: &[u8]) -> Result<Url, Stop> {
    let found = probe.fetch(url, patient()).await?;
    found.answer.given_status(&[200])?;
    probe.given(found.answer.response.body == page, "the URL shows another page than was uploaded")?;
    Ok(found.url)
}

/// The URL of a path below a site's root.
pub(super) fn below(root: &Url, path: &str) -> String {
    let mut url = root.clone();
    url.set_query(None);
    url.set_fragment(None);
    format!("{}/{path}", url.as_str().trim_end_matches('/'))
}

/// Expects these bytes as what was uploaded.
fn expect_bytes(answer: &Answer<'_>, wanted: &[u8]) -> Checked {
    answer.expect_status(&[200])?;
    let body = &answer.response.body;
    let got = format!("{} bytes: {}", body.len(), answer.response.text());
    answer.expect(body == wanted, "body", format!("the {} bytes that were uploaded", wanted.len()), got)
}

async fn the_url_shows_the_page(probe: &Probe<'_>) -> Checked {
    let dropped = ordinary(probe).await?;
    let found = probe.fetch(&dropped.text("url"), patient()).await?;
    expect_bytes(&found.answer, &dropped.sample.files[INDEX])
}

async fn files_in_folders_are_served_below(probe: &Probe<'_>) -> Checked {
    let dropped = ordinary(probe).await?;
    let root = probe.fetch(&dropped.text("url"), patient()).await?;
    root.answer.given_status(&[200])?;
    let nested = probe.fetch(&below(&root.url, NESTED), patient()).await?;
    expect_bytes(&nested.answer, &dropped.sample.files[NESTED])
}

async fn another_upload_changes_nothing_of_the_first(probe: &Probe<'_>) -> Checked {
    let first = ordinary(probe).await?;
    let second = taken(probe, Which::Second).await?;
    let (one, other) = (first.text("url"), second.text("url"));
    index(probe, &other, &second.sample.files[INDEX]).await?;
    second.answer.expect(one != other, "/url", "another URL for every drop", other)?;
    let found = probe.fetch(&one, patient()).await?;
    expect_bytes(&found.answer, &first.sample.files[INDEX])
}

/// A drop of this check alone, whose page is there.
async fn live<'p>(probe: &'p Probe<'_>) -> Result<Dropped<'p>, Stop> {
    let dropped = fresh(probe, Which::Plain).await?;
    dropped.answer.given_status(super::ACCEPTED)?;
    index(probe, &dropped.text("url"), &dropped.sample.files[INDEX]).await?;
    Ok(dropped)
}

async fn after_four_hours_the_site_is_gone(probe: &Probe<'_>) -> Checked {
    let url = live(probe).await?.text("url");
    probe.counterpart(true, "the site was there")?;
    probe.advance(BEFORE).await?;
    let early = probe.fetch(&url, patient()).await?.answer;
    early.expect(
        early.status() == 200,
        "status 10 minutes before the deadline",
        "200",
        early.status().to_string(),
    )?;
    probe.advance(ACROSS).await?;
    let late = probe.fetch(&url, patient()).await?.answer;
    late.expect(late.status() != 200, "status 10 minutes after the deadline", "not 200", "200")
}

async fn a_claimed_site_stays(probe: &Probe<'_>) -> Checked {
    let dropped = live(probe).await?;
    let token = dropped.text("claimToken");
    // A token that claims nothing is judged elsewhere.
    let claimed = probe.control()?.perform("drop.claim", json!({ "token": token })).await;
    claimed.map_err(|why| Stop::Inconclusive(format!("the drop could not be claimed: {why}")))?;
    probe.advance(BEFORE + ACROSS).await?;
    let found = probe.fetch(&dropped.text("url"), patient()).await?;
    expect_bytes(&found.answer, &dropped.sample.files[INDEX])
}
