//! Pages: how many elements each holds, `pagination` beside them, and that paging shows each element once.

use std::time::Duration;

use assay_spec::Place;
use assay_spec::endpoint::Endpoint;
use assay_spec::json::is_integer;
use assay_spec::network::CORE;
use assay_spec::network::limits::{PAGE_DEFAULT, PAGE_MAXIMUM};
use assay_spec::network::places::{AGGREGATES, INDEXER, MESSAGES};
use assay_spec::network::requirements::{instances as instance_rows, listing, paging as rows};
use serde_json::{Value, json};

use super::caller::caller;
use super::scene::{List, created, polled, posted};
use super::wire::{Call, path_with};
use super::{ACCEPTED, given, indexer, instances, scene};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::{Answer, Probe};

/// How many elements a check writes whose pages it reads: three pages of seven and a part, and more than one page of
/// twenty.
const SENT: usize = 23;
/// The lists that are read on a shared target: their elements cost nothing there, or exist.
const SHARED: &[Place] = &[MESSAGES[0], AGGREGATES[0], INDEXER[0], INDEXER[1]];

/// Elements of a list that a query selects: at least [`SENT`], and less than a page can hold.
pub(super) struct Corpus {
    place: Place,
    path: String,
    /// What selects the elements.
    pub(super) filters: Vec<(String, String)>,
    pub(super) ids: Vec<String>,
}

impl Corpus {
    /// The name of the array.
    fn name(&self) -> &'static str {
        self.place.endpoint
    }

    fn endpoint(&self) -> &'static Endpoint {
        endpoint(self.place)
    }

    fn path(&self, query: &[(&str, &str)]) -> String {
        let filters = self.filters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        path_with(&self.path, &filters.chain(query.iter().copied()).collect::<Vec<_>>())
    }

    /// What tells an element from the others.
    fn id(&self, item: &Value) -> String {
        let text = |member: &str| item[member].as_str().unwrap_or_default().to_owned();
        match self.name() {
            "messages" => text("item_hash"),
            "aggregates" => text("key"),
            "instances" => text("instance_id"),
            "events" => format!("{} {}", text("transaction_hash"), item["log_index"]),
            _ => text("hash"),
        }
    }

    fn ids(&self, list: &List<'_>) -> Vec<String> {
        list.items.iter().map(|item| self.id(item)).collect()
    }
}

fn endpoint(place: Place) -> &'static Endpoint {
    let known = CORE.iter().find(|endpoint| endpoint.name == place.endpoint);
    known.expect("a list is at an endpoint of a core node")
}

/// The elements of a list: the check's own in its own world, else those of the whole run.
pub(super) async fn corpus(probe: &Probe<'_>, place: Place) -> Result<Corpus, Stop> {
    if probe.owns_time() {
        return write(probe, place, SENT).await;
    }
    let mut kept = probe.settings.network().corpora.lock().await;
    // Which check of a run writes them is recorded, so that its report can be judged again.
    let shared = || Ok(kept.get(place.endpoint).cloned().unwrap_or_default());
    let shared = probe.share(&format!("network.corpus.{}", place.endpoint), shared).unwrap_or_default();
    if let Ok((filters, ids)) = serde_json::from_value(shared) {
        return Ok(Corpus { filters, ids, ..everything(probe, place).await? });
    }
    let corpus = write(probe, place, SENT).await?;
    kept.insert(place.endpoint, json!((&corpus.filters, &corpus.ids)));
    Ok(corpus)
}

/// Writes this many elements, or finds them in a list that no request writes.
async fn write(probe: &Probe<'_>, place: Place, count: usize) -> Result<Corpus, Stop> {
    let (sender, mut ids) = (caller(probe), Vec::new());
    let mut corpus = everything(probe, place).await?;
    let name = if corpus.name() == "messages" { "addresses" } else { "address" };
    corpus.filters = vec![(name.to_owned(), sender.address.clone())];
    for _ in 0..count {
        ids.push(match corpus.name() {
            "messages" => posted(probe, &sender).await?.hash,
            "aggregates" => {
                let sent = created(probe, scene::aggregate(probe, &sender).await?).await?;
                sent.draft.message["content"]["key"].as_str().unwrap_or_default().to_owned()
            }
            "instances" => {
                let answer = instances::wanted(probe, &sender).await?.send(probe).await?;
                answer.given_status(ACCEPTED)?;
                answer.json()["instance_id"].as_str().unwrap_or_default().to_owned()
            }
            _ => break,
        });
    }
    if ids.is_empty() {
        return indexed(probe, corpus).await;
    }
    if probe.owns_time() {
        // The requests may count against the rate limit of the next ones.
        probe.advance(Duration::from_mins(2)).await?;
    }
    // A page holds at most a hundred.
    let latest: Vec<&String> = ids.iter().rev().take(100).collect();
    let is_whole = |listed: &Vec<String>| latest.iter().all(|id| listed.contains(id));
    let listed = async || page(probe, &corpus, &[("limit", "100")]).await.map(|page| corpus.ids(&page));
    polled(probe, listed, is_whole).await?;
    corpus.ids = ids;
    Ok(corpus)
}

/// The elements of some blocks of a list of indexed chain data.
async fn indexed(probe: &Probe<'_>, mut corpus: Corpus) -> Result<Corpus, Stop> {
    let first = probe.settings.network().first_page.to_string();
    let whole = [("limit", "100"), ("page", first.as_str())];
    corpus.filters.clear();
    let mut listed = page(probe, &corpus, &whole).await?;
    let mut blocks: Vec<i64> = listed.items.iter().filter_map(|item| item["block_number"].as_i64()).collect();
    blocks.sort_unstable();
    // New blocks may come while the pages are read. Whether the bounds are inside is open, so the list is read with them.
    if blocks.len() == 100 {
        let [from, to] = [blocks[30], blocks[70]].map(|block| block.to_string());
        corpus.filters = vec![("from_block".to_owned(), from), ("to_block".to_owned(), to)];
        listed = page(probe, &corpus, &whole).await?;
    } else if let Some(to) = blocks.get(blocks.len() * 4 / 5) {
        corpus.filters = vec![("to_block".to_owned(), to.to_string())];
        listed = page(probe, &corpus, &whole).await?;
    }
    corpus.ids = corpus.ids(&listed);
    let count = corpus.ids.len();
    if !(SENT..100).contains(&count) {
        let why = format!("needs a network with {SENT} to 99 {}; this one shows {count}", corpus.name());
        return Err(Stop::NotTestable(why));
    }
    probe.given(corpus.ids.iter().all(|id| !id.trim().is_empty()), "elements have no identifier")?;
    Ok(corpus)
}

/// Reads a page of their list.
async fn page<'p>(probe: &'p Probe<'_>, corpus: &Corpus, query: &[(&str, &str)]) -> Result<List<'p>, Stop> {
    let answer = Call::get(corpus.endpoint(), &corpus.path(query)).send(probe).await?;
    answer.given_status(&[200])?;
    let items = answer.json()[corpus.name()].as_array().cloned();
    probe.given(items.is_some(), format!("the answer has no array `{}`", corpus.name()))?;
    Ok(List { answer, items: items.unwrap_or_default() })
}

/// An integer of a list's pagination. If it is not one, the check is inconclusive.
fn counted(probe: &Probe<'_>, answer: &Answer<'_>, member: &str) -> Result<u64, Stop> {
    let number = answer.json()["pagination"][member].as_u64();
    probe.given(number.is_some(), format!("/pagination/{member} is not an integer"))?;
    Ok(number.unwrap_or_default())
}

/// Expects a member of the pagination to be a number.
fn expect_count(probe: &Probe<'_>, answer: &Answer<'_>, member: &str, want: u64) -> Checked {
    let got = counted(probe, answer, member)?;
    answer.expect(got == want, &format!("/pagination/{member}"), want.to_string(), got.to_string())
}

/// Expects a list to hold a number of elements.
fn expect_length(list: &List<'_>, want: usize) -> Checked {
    let got = list.items.len();
    list.answer.expect(got == want, "elements", want.to_string(), got.to_string())
}

/// Reads a page of each list with 23 elements or more. `pagination` must be an object beside the list.
#[shows(rows::NAMED, elsewhere_at = SHARED)]
async fn a_list_has_pagination_beside_it(probe: &Probe<'_>, place: Place) -> Checked {
    let listed = page(probe, &corpus(probe, place).await?, &[]).await?;
    listed.answer.expect_json("/pagination", "an object", Value::is_object).map(drop)
}

/// Reads a page of each list with 23 elements or more. `total`, `page`, `per_page` and `total_pages` in `pagination`
/// must be integers.
#[shows(rows::INTEGERS, elsewhere_at = SHARED)]
async fn pagination_is_four_integers(probe: &Probe<'_>, place: Place) -> Checked {
    let listed = page(probe, &corpus(probe, place).await?, &[]).await?;
    let is_there = listed.answer.json()["pagination"].is_object();
    probe.given(is_there, "the answer has no object `pagination`")?;
    for member in ["total", "page", "per_page", "total_pages"] {
        listed.answer.expect_json(&format!("/pagination/{member}"), "an integer", is_integer)?;
    }
    Ok(())
}

/// Reads the first page of 23 elements of each list without `limit`. It must hold 20 elements.
#[shows(rows::DEFAULT_LIMIT, elsewhere_at = SHARED)]
async fn a_page_holds_20_elements_by_default(probe: &Probe<'_>, place: Place) -> Checked {
    let corpus = corpus(probe, place).await?;
    let first = probe.settings.network().first_page.to_string();
    let listed = page(probe, &corpus, &[("page", &first)]).await?;
    let got = listed.items.len();
    let want = format!("{}: the limit is {}", PAGE_DEFAULT.value, PAGE_DEFAULT.words());
    listed.answer.expect(got == PAGE_DEFAULT.usize(), "elements", want, got.to_string())
}

/// Reads pages of 23 elements of each list with the limits 1, 7, 22 and 100. Each must hold as many elements as asked
/// for, the last page the rest. Of indexed data a page with the limit 1 is read first.
#[shows(rows::LIMIT, elsewhere_at = SHARED, after(listing::ADDRESSES))]
async fn a_page_holds_as_many_as_asked_for(probe: &Probe<'_>, place: Place) -> Checked {
    if INDEXER.contains(&place) {
        let listed = page(probe, &everything(probe, place).await?, &[("limit", "1")]).await?;
        let got = listed.items.len();
        listed.answer.expect(got <= 1, "elements of a page with limit=1", "one", got.to_string())?;
    }
    let corpus = corpus(probe, place).await?;
    let first = probe.settings.network().first_page;
    let count = corpus.ids.len();
    let last = (count - 21).min(7);
    for (limit, number, want) in [(1, 0, 1), (7, 0, 7), (7, 3, last), (22, 0, 22), (100, 0, count)] {
        let (limit, number) = (limit.to_string(), (first + number).to_string());
        let listed = page(probe, &corpus, &[("limit", &limit), ("page", &number)]).await?;
        expect_length(&listed, want)?;
    }
    Ok(())
}

/// A list without filters.
async fn everything(probe: &Probe<'_>, place: Place) -> Result<Corpus, Stop> {
    if INDEXER.contains(&place) {
        let path = indexer::path(probe, place.endpoint).await?;
        return Ok(Corpus { place, path, filters: Vec::new(), ids: Vec::new() });
    }
    let path = endpoint(place).path.strip_prefix("/api/v0").unwrap_or_default().to_owned();
    Ok(Corpus { place, path, filters: Vec::new(), ids: Vec::new() })
}

/// Lists more than 100 elements with the limits 99 and 100, which must return as many, and with the limits 101, 1000000 and 0. Each answer must hold at most 100 elements, or be 400.
#[shows(
    rows::MAXIMUM,
    elsewhere_at = SHARED,
    or_given("[network.fixtures] large_list", |settings| settings.network().given.large_list.is_some()),
    after(rows::FIRST_PAGE),
)]
async fn no_page_holds_more_than_100(probe: &Probe<'_>, place: Place) -> Checked {
    // If the unfiltered list holds enough, nothing needs to be written.
    let most = PAGE_MAXIMUM.inside.to_string();
    let mut corpus = everything(probe, place).await?;
    let mut whole = page(probe, &corpus, &[("limit", &most)]).await?;
    let total = whole.answer.json()["pagination"]["total"].as_i64();
    let given = given(probe, "large_list", |given| &given.large_list)?;
    if let Some(address) = given.filter(|_| corpus.name() == "messages") {
        corpus.filters = vec![("addresses".to_owned(), address.clone())];
        whole = page(probe, &corpus, &[("limit", &most)]).await?;
    } else if total.is_none_or(|total| total <= PAGE_MAXIMUM.outside) {
        let is_written = probe.owns_time() && !INDEXER.contains(&place) || corpus.name() == "messages";
        if !is_written {
            let why = format!("needs a list with more than {} {}", PAGE_MAXIMUM.outside, corpus.name());
            return Err(Stop::NotTestable(why));
        }
        corpus = write(probe, place, PAGE_MAXIMUM.outside as usize).await?;
        whole = page(probe, &corpus, &[("limit", &most)]).await?;
    }
    let below = PAGE_MAXIMUM.inside - 1;
    let fewer = page(probe, &corpus, &[("limit", &below.to_string())]).await?;
    for (listed, limit) in [(&fewer, below), (&whole, PAGE_MAXIMUM.inside)] {
        let got = listed.items.len() as i64;
        let place = format!("elements of a page with limit={limit}");
        let want = format!("{limit}: the limit is {}", PAGE_MAXIMUM.words());
        listed.answer.expect(got >= limit, &place, want, got.to_string())?;
    }
    for limit in [&PAGE_MAXIMUM.outside.to_string(), "1000000", "0"] {
        let answer = Call::get(corpus.endpoint(), &corpus.path(&[("limit", limit)])).send(probe).await?;
        // Another check judges how odd limits are rejected.
        if limit != "0" {
            answer.expect_status(&[200, 400])?;
        }
        let count = answer.json()[corpus.name()].as_array().map(Vec::len);
        let what = count.map_or_else(|| "rejected".to_owned(), |count| format!("cut to {count}"));
        probe.note(format!("a limit of {limit} is {what}"));
        let place = format!("elements of a page with limit={limit}");
        let got = count.unwrap_or_default();
        let is_within = got < PAGE_MAXIMUM.outside as usize;
        let want = format!("{most} or fewer, or status 400: the limit is {}", PAGE_MAXIMUM.words());
        answer.expect(is_within, &place, want, got.to_string())?;
    }
    Ok(())
}

/// Reads pages of 23 elements of each list without a limit and with the limits 7 and 100. `per_page` must not be less
/// than the number of elements.
#[shows(rows::PER_PAGE, elsewhere_at = SHARED)]
async fn per_page_is_never_below_what_is_returned(probe: &Probe<'_>, place: Place) -> Checked {
    let corpus = corpus(probe, place).await?;
    for query in [&[][..], &[("limit", "7")], &[("limit", "100")]] {
        let listed = page(probe, &corpus, query).await?;
        let (got, returned) = (counted(probe, &listed.answer, "per_page")?, listed.items.len());
        let want = format!("{returned} or more");
        listed.answer.expect(got >= returned as u64, "/pagination/per_page", want, got.to_string())?;
    }
    Ok(())
}

/// Reads the first and the third page of 23 elements of each list, seven a page. `pagination.page` must be the page
/// that was asked for.
#[shows(rows::PAGE, elsewhere_at = SHARED)]
async fn the_page_is_the_one_asked_for(probe: &Probe<'_>, place: Place) -> Checked {
    let corpus = corpus(probe, place).await?;
    let first = probe.settings.network().first_page;
    for number in [first, first + 2] {
        let listed = page(probe, &corpus, &[("limit", "7"), ("page", &number.to_string())]).await?;
        expect_count(probe, &listed.answer, "page", number)?;
    }
    Ok(())
}

/// Reads pages of 23 elements of each list with the limits 7 and 100. `total` must be 23 in both.
#[shows(rows::TOTAL, elsewhere_at = SHARED, after(listing::ADDRESSES))]
async fn total_counts_all_pages(probe: &Probe<'_>, place: Place) -> Checked {
    let corpus = corpus(probe, place).await?;
    let first = probe.settings.network().first_page;
    for query in [&[("limit", "7"), ("page", &*first.to_string())][..], &[("limit", "100")]] {
        let listed = page(probe, &corpus, query).await?;
        expect_count(probe, &listed.answer, "total", corpus.ids.len() as u64)?;
    }
    Ok(())
}

/// Reads pages of 23 elements of each list with the limits 1, 7, 23 and 100. `total_pages` must be the number of
/// pages that hold elements.
#[shows(rows::TOTAL_PAGES, elsewhere_at = SHARED, after(rows::LIMIT))]
async fn total_pages_counts_pages_with_elements(probe: &Probe<'_>, place: Place) -> Checked {
    let corpus = corpus(probe, place).await?;
    for limit in [1, 7, 23, 100] {
        let listed = page(probe, &corpus, &[("limit", &limit.to_string())]).await?;
        expect_count(probe, &listed.answer, "total_pages", (corpus.ids.len() as u64).div_ceil(limit))?;
    }
    Ok(())
}

/// Reads 23 elements of each list on one page, once with the first page and once without `page`. Both must hold the
/// same elements.
#[shows(rows::FIRST_PAGE, elsewhere_at = SHARED)]
async fn without_a_page_the_first_is_returned(probe: &Probe<'_>, place: Place) -> Checked {
    let corpus = corpus(probe, place).await?;
    let first = probe.settings.network().first_page.to_string();
    let sorted = |list: &List<'_>| {
        let mut ids = corpus.ids(list);
        ids.sort();
        ids
    };
    let asked = sorted(&page(probe, &corpus, &[("limit", "100"), ("page", &first)]).await?);
    let listed = page(probe, &corpus, &[("limit", "100")]).await?;
    let found = sorted(&listed);
    let want = format!("those of page {first}: {}", asked.join(", "));
    listed.answer.expect(found == asked, "elements without `page`", want, found.join(", "))
}

/// Reads all pages of 23 elements of each list with the limit 7, and without a limit. Each message must appear exactly once.
#[shows(
    rows::PAGES,
    elsewhere_at = SHARED,
    after(rows::LIMIT, rows::DEFAULT_LIMIT, rows::TOTAL, listing::ADDRESSES, instance_rows::CREATED_ID),
)]
async fn paging_through_shows_each_element_once(probe: &Probe<'_>, place: Place) -> Checked {
    let corpus = corpus(probe, place).await?;
    let first = probe.settings.network().first_page;
    for (limit, is_named) in [(7, true), (PAGE_DEFAULT.usize(), false)] {
        let mut found = Vec::new();
        let mut last = None;
        for number in 0..corpus.ids.len().div_ceil(limit) as u64 {
            let (limit, number) = (limit.to_string(), (first + number).to_string());
            let query = [("page", number.as_str()), ("limit", limit.as_str())];
            let query = if is_named { &query[..] } else { &query[..1] };
            let listed = page(probe, &corpus, query).await?;
            found.extend(corpus.ids(&listed));
            last = Some(listed);
        }
        let mut wanted = corpus.ids.clone();
        wanted.sort();
        found.sort();
        let twice = found.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone());
        let missing = wanted.iter().find(|hash| !found.contains(hash));
        let got = match (&twice, missing) {
            (Some(hash), _) => format!("{hash} twice"),
            (None, Some(hash)) => format!("{hash} never"),
            (None, None) => format!("{} elements", found.len()),
        };
        let want = format!("each of the {} once", wanted.len());
        let listed = last.ok_or_else(|| Stop::Error("no page was asked for".to_owned()))?;
        let place = format!("elements of all pages of {limit}");
        listed.answer.expect(found == wanted, &place, want, got)?;
    }
    Ok(())
}

/// Reads two pages after the last page of 23 elements of each list. Each answer must be 200, 400 or 404, and hold no
/// elements.
#[shows(rows::PAST_END, elsewhere_at = SHARED, after(listing::ADDRESSES))]
async fn page_after_the_last_is_empty(probe: &Probe<'_>, place: Place) -> Checked {
    let corpus = corpus(probe, place).await?;
    let first = probe.settings.network().first_page;
    let some = page(probe, &corpus, &[("limit", "20"), ("page", &first.to_string())]).await?;
    probe.found(!some.items.is_empty(), "the first page is empty as well")?;
    for number in [first + corpus.ids.len().div_ceil(20) as u64, first + 1_000_000] {
        let path = corpus.path(&[("limit", "20"), ("page", &number.to_string())]);
        let answer = Call::get(corpus.endpoint(), &path).attempt(probe).await?;
        // A list or a rejection, both without elements.
        answer.expect_status(&[200, 400, 404])?;
        let count = answer.json()[corpus.name()].as_array().map_or(0, Vec::len);
        answer.expect(count == 0, &format!("elements of page {number}"), "none", count.to_string())?;
        probe.note(format!("a page after the last returns {}", answer.status()));
    }
    Ok(())
}

/// Lists with values of `page` and `limit` that are zero, negative, not numbers or too large. Each answer must be a
/// list, 400 or 404.
#[shows(rows::ODD_VALUES, elsewhere_at = SHARED)]
async fn odd_pages_and_limits_are_handled(probe: &Probe<'_>, place: Place) -> Checked {
    let corpus = corpus(probe, place).await?;
    page(probe, &corpus, &[("limit", "7")]).await?;
    let zero_is_a_page = probe.settings.network().first_page == 0;
    for (name, value) in [
        ("page", "0"),
        ("page", "-1"),
        ("page", "x"),
        ("page", "1.5"),
        ("page", "99999999999999999999"),
        ("limit", "0"),
        ("limit", "-1"),
        ("limit", "x"),
        ("limit", "99999999999999999999"),
    ] {
        if zero_is_a_page && (name, value) == ("page", "0") {
            continue;
        }
        let answer = Call::get(corpus.endpoint(), &corpus.path(&[(name, value)])).attempt(probe).await?;
        let status = answer.status();
        let is_list = status == 200 && answer.json()[corpus.name()].is_array();
        let got = if status == 200 { "200 without a list".to_owned() } else { status.to_string() };
        let place = format!("answer to {name}={value}");
        answer.expect(is_list || [400, 404].contains(&status), &place, "a list, or 400 or 404", got)?;
        probe.note(format!("{name}={value} returns {status}"));
    }
    Ok(())
}
