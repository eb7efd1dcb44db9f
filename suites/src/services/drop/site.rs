//! Checks of the site at the returned URL, and of its removal.

use assay_spec::drop::limits::CLAIM_WINDOW;
use assay_spec::drop::rejections;
use assay_spec::drop::requirements::{response, site as rows};
use assay_spec::instant::HOUR;
use assay_spec::limit::Unit;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;
use url::Url;

use super::samples::{INDEX, NESTED, TELLING};
use super::{Dropped, Which, accepted, fresh, ordinary, patient, upload};
use crate::harness::boundary::{Edges, Start, edges, expect, expect_inside, ms};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::Want;
use crate::harness::probe::{Answer, Fetched, Probe};

/// What must be escaped in a path.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Fetches a URL of a new site. At a shared target it is fetched again until it returns these bytes, for as long as the
/// profile says that a site takes until it is live.
async fn fetched<'p>(probe: &'p Probe<'_>, url: &str, bytes: &[u8]) -> Result<Fetched<'p>, Stop> {
    // A redirect that cannot be followed does not become a page by waiting.
    let is_settled = |found: &Fetched<'_>| match found.answer.status() {
        200 => found.answer.response.body == bytes,
        status => (300..400).contains(&status),
    };
    let most = probe.settings.drop().live_seconds;
    probe.polled(most, async || probe.fetch(url, patient()).await, is_settled).await
}

/// Fetches the page at a URL and returns the URL after redirects. A different page makes the check inconclusive.
pub(super) async fn index(probe: &Probe<'_>, url: &str, page: &[u8]) -> Result<Url, Stop> {
    let found = fetched(probe, url, page).await?;
    found.answer.given_status(&[200])?;
    probe.given(
        found.answer.response.body == page,
        "the URL returns a different page than the uploaded one",
    )?;
    Ok(found.url)
}

/// The URLs where a file of the site may be: below its `url` taken as a folder, beside the page that `url` leads to, or below
/// that page.
fn candidates(url: &str, page: &Url, path: &str) -> Vec<String> {
    let path = &utf8_percent_encode(path, ESCAPED).to_string();
    let below = |root: &Url| {
        let mut url = root.clone();
        url.set_query(None);
        url.set_fragment(None);
        format!("{}/{path}", url.as_str().trim_end_matches('/'))
    };
    let beside = page.join(path).map(String::from);
    let mut found: Vec<String> = Vec::new();
    for candidate in Url::parse(url).iter().map(below).chain(beside).chain([below(page)]) {
        if !found.contains(&candidate) {
            found.push(candidate);
        }
    }
    found
}

/// Fetches a file of a site whose `url` leads to `page`: the first response with these bytes, otherwise that of the first
/// place where it may be.
pub(super) async fn fetched_file<'p>(
    probe: &'p Probe<'_>,
    url: &str,
    page: &Url,
    path: &str,
    bytes: &[u8],
) -> Result<Answer<'p>, Stop> {
    let candidates = candidates(url, page, path);
    let is_file = |found: &Answer<'_>| found.status() == 200 && found.response.body == bytes;
    let read = async || {
        let mut first = None;
        for candidate in &candidates {
            let answer = probe.fetch(candidate, patient()).await?.answer;
            if is_file(&answer) {
                return Ok(answer);
            }
            first.get_or_insert(answer);
        }
        first.ok_or_else(|| Stop::Inconclusive(format!("not an absolute URL: {url:?}")))
    };
    probe.polled(probe.settings.drop().live_seconds, read, is_file).await
}

/// Expects a 200 response with exactly the uploaded bytes.
fn expect_bytes(answer: &Answer<'_>, wanted: &[u8]) -> Checked {
    answer.expect_status(&[200])?;
    let body = &answer.response.body;
    let got = format!("{} bytes: {}", body.len(), answer.response.text());
    answer.expect(body == wanted, "body", format!("the {} uploaded bytes", wanted.len()), got)
}

/// Uploads a site and fetches its `url`. It must return 200 with the uploaded `index.html`.
#[shows(rows::LIVE)]
async fn url_returns_the_page(probe: &Probe<'_>) -> Checked {
    let dropped = ordinary(probe).await?;
    let page = &dropped.sample.files[INDEX];
    expect_bytes(&fetched(probe, &dropped.text("url"), page).await?.answer, page)
}

/// Uploads sites and fetches their files below `url`, or beside the page that `url` leads to: in folders one with every byte value, one
/// without bytes and one whose name must be escaped, one of several chunks, dotfiles, and one whose name has characters that mean
/// something in a URL; in a world of its own all files. Each must return 200 with the uploaded bytes.
#[shows(rows::NESTED)]
async fn nested_files_are_served(probe: &Probe<'_>) -> Checked {
    expect_files(probe, &ordinary(probe).await?, &NESTED).await?;
    let rich = accepted(probe, Which::Rich).await?;
    let all = rich.sample.files.keys().map(String::as_str).filter(|path| *path != INDEX);
    let paths: Vec<&str> = all.filter(|path| probe.owns_time() || TELLING.contains(path)).collect();
    expect_files(probe, &rich, &paths).await
}

/// Expects that files of a site are served.
async fn expect_files(probe: &Probe<'_>, dropped: &Dropped<'_>, paths: &[&str]) -> Checked {
    let url = dropped.text("url");
    let root = fetched(probe, &url, &dropped.sample.files[INDEX]).await?;
    root.answer.given_status(&[200])?;
    for path in paths {
        let file = &dropped.sample.files[*path];
        expect_bytes(&fetched_file(probe, &url, &root.url, path, file).await?, file)?;
    }
    Ok(())
}

/// Uploads two sites, and the first once more, in a world of its own after an hour. Their URLs must differ, and the first URL must
/// still return the first page. In a world of its own, what was uploaded twice must still be live after the first of the two is
/// removed.
#[shows(rows::SEPARATE, after(response::DROP_ID))]
async fn second_upload_does_not_change_the_first(probe: &Probe<'_>) -> Checked {
    let first = ordinary(probe).await?;
    let second = accepted(probe, Which::Second).await?;
    let (one, other) = (first.text("url"), second.text("url"));
    let page = &first.sample.files[INDEX];
    if !probe.owns_time() {
        // The second upload has the files of the first. A third would make the check heavy: the pages are also read after it.
        index(probe, &other, page).await?;
        second.answer.expect(one != other, "/url", "a new URL for the same files", other)?;
        return expect_bytes(&fetched(probe, &one, page).await?.answer, page);
    }
    index(probe, &other, &second.sample.files[INDEX]).await?;
    second.answer.expect(one != other, "/url", "a new URL for each drop", other)?;
    probe.advance(ms(HOUR)).await?;
    let again = upload(probe, &first.sample.zip()).await?;
    again.given_status(super::ACCEPTED)?;
    let url = again.json()["url"].as_str().unwrap_or_default().to_owned();
    again.expect(one != url, "/url", "a new URL for the same files", &url)?;
    let deadline = first.answer.json()["expiresAt"].clone();
    let want = format!("another deadline than {deadline}, that of the first upload");
    again.expect_json("/expiresAt", &want, |own| *own != deadline)?;
    expect_bytes(&fetched(probe, &one, page).await?.answer, page)?;
    probe.advance(ms(CLAIM_WINDOW.outside - HOUR)).await?;
    expect_bytes(&fetched(probe, &url, page).await?.answer, page)
}

/// Uploads a drop that no other check shares. Its page must be live.
async fn live<'p>(probe: &'p Probe<'_>) -> Result<Dropped<'p>, Stop> {
    let dropped = fresh(probe, Which::Plain).await?;
    dropped.answer.given_status(super::ACCEPTED)?;
    index(probe, &dropped.text("url"), &dropped.sample.files[INDEX]).await?;
    Ok(dropped)
}

/// Uploads a site without claiming it. It must return 200 before 4 hours have passed. Ten minutes after, no response may show its
/// page, at its root or by name, or another of its files. In a world of its own the site is asked for until the last millisecond,
/// elsewhere until ten minutes before.
#[rejects(rows::REMOVED, needs(Clock))]
async fn unclaimed_site_is_removed_after_4_hours(probe: &Probe<'_>) -> Checked {
    let Edges { inside, outside } = edges(probe, &CLAIM_WINDOW);
    let what =
        |after: i64| format!("a request for the site {} after its upload", Unit::Millisecond.amount(after));
    let start = Start::now(probe).await?;
    let dropped = live(probe).await?;
    let url = dropped.text("url");
    probe.counterpart(true, "the site was not live")?;
    start.until(probe, inside).await?;
    let Fetched { answer: early, url: root } = probe.fetch(&url, patient()).await?;
    expect_inside(&early, &CLAIM_WINDOW, &what(inside), rejections::REMOVED.statuses)?;
    early.given_status(&[200])?;
    if probe.owns_time() {
        // What was served before may be kept longer than the page.
        fetched_file(probe, &url, &root, NESTED[0], &dropped.sample.files[NESTED[0]]).await?;
    }
    start.until(probe, outside).await?;
    let late = probe.fetch(&url, patient()).await?.answer;
    // What was removed may lead to a page that says so.
    let is_shown = late.status() == 200 && late.response.body == dropped.sample.files[INDEX];
    let want = Want::none_of(&[200]).said("not 200 with the page");
    expect(&late, !is_shown, &CLAIM_WINDOW, &what(outside), "accepted", want)?;
    for path in [INDEX, NESTED[0]] {
        let file = &dropped.sample.files[path];
        for candidate in candidates(&url, &root, path) {
            let late = probe.fetch(&candidate, patient()).await?.answer;
            let is_shown = late.status() == 200 && late.response.body == *file;
            let want = Want::none_of(&[200]).said("not 200 with the file");
            expect(&late, !is_shown, &CLAIM_WINDOW, &what(outside), "accepted", want)?;
        }
    }
    Ok(())
}

/// Uploads a site, claims it and moves the clock past 4 hours. It must still return the page.
#[shows(rows::CLAIMED_STAYS, needs(Clock, Actions))]
async fn claimed_site_stays(probe: &Probe<'_>) -> Checked {
    let dropped = live(probe).await?;
    let token = dropped.text("claimToken");
    // Another check judges a token that cannot claim.
    let claimed = probe.control()?.perform("drop.claim", json!({ "token": token })).await;
    claimed.map_err(|why| Stop::Inconclusive(format!("the drop could not be claimed: {why}")))?;
    probe.advance(ms(CLAIM_WINDOW.outside)).await?;
    let found = fetched(probe, &dropped.text("url"), &dropped.sample.files[INDEX]).await?;
    expect_bytes(&found.answer, &dropped.sample.files[INDEX])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::harness::environment::Environment;
    use crate::harness::pace::Pace;
    use crate::harness::recording::{Recorder, Recording};
    use crate::http::exchange::{Exchange, Request, Response};
    use crate::services;

    #[test]
    fn file_is_below_the_url_or_beside_its_page() {
        let at = |url: &str, page: &str| candidates(url, &Url::parse(page).expect("a URL"), "a/b");
        let (folder, page) = ("http://a.example/s/", "http://a.example/s/index.html");
        assert_eq!(at(folder, folder), ["http://a.example/s/a/b"]);
        assert_eq!(at(folder, page), ["http://a.example/s/a/b", "http://a.example/s/index.html/a/b"]);
        let (file, elsewhere) = ("http://a.example/s", "http://b.example/t?x#y");
        let beside = ["http://a.example/s/a/b", "http://b.example/a/b", "http://b.example/t/a/b"];
        assert_eq!(at(file, elsewhere), beside);
    }

    #[tokio::test]
    async fn new_site_is_fetched_until_it_is_live() {
        let (page, pace) = (b"<p>live</p>", Pace::default());
        let mut settings = services::settings();
        settings.fixtures.get_mut::<crate::services::drop::Fixtures>().live_seconds = 3;
        for (responses, is_live) in [
            (vec![(404, &b""[..]), (200, b"soon"), (200, page)], true),
            (vec![(200, page)], true),
            (vec![(404, b""), (404, b""), (404, b"")], false),
            (vec![(200, b"soon"), (200, b"soon"), (200, b"soon")], false),
        ] {
            let count = responses.len();
            let exchanges = responses.into_iter().map(|(status, body)| Exchange {
                site: String::new(),
                base: "http://a.example".to_owned(),
                request: Request::new("GET", "/live/"),
                cut: None,
                slot: None,
                response: Ok(Response { status, headers: Vec::new(), body: body.to_vec().into() }),
            });
            let recording = Recording { exchanges: exchanges.collect(), calls: Vec::new() };
            let environment = Environment::nowhere(false, Recorder::playing(recording, Arc::default()));
            let probe = Probe::new(services::checks()[0], &settings, environment, &pace);
            let found =
                fetched(&probe, "http://a.example/live/", page).await.map_err(|_| ()).expect("an answer");
            assert_eq!(expect_bytes(&found.answer, page).is_ok(), is_live);
            assert_eq!(probe.finish().exchanges.len(), count, "fetched until live, or three times");
        }
    }
}
