//! Pages: how many elements each holds, `pagination` beside them, and that paging shows each element once.

use std::time::Duration;

use assay_spec::network::limits::{PAGE_DEFAULT, PAGE_MAXIMUM};
use assay_spec::network::requirements::{listing, paging as rows};
use assay_spec::network::{aggregate, instance, query};
use serde_json::Value;

use super::caller::{Caller, caller};
use super::wire::{Call, path_with};
use super::{List, given, list, list_of, posted, texts};
use crate::check::{Check, Checked, Stop};
use crate::probe::{Answer, Probe};
use crate::shows;

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::NAMED, a_list_has_pagination_beside_it).costs(25, 0, 0).elsewhere(MOST).writes(23),
    shows!(rows::INTEGERS, pagination_is_four_integers).costs(25, 0, 0).elsewhere(MOST).writes(23),
    shows!(rows::DEFAULT_LIMIT, a_page_holds_20_elements_by_default)
        .costs(25, 0, 0)
        .elsewhere(MOST)
        .writes(23),
    shows!(rows::LIMIT, a_page_holds_as_many_as_asked_for).costs(29, 0, 0).elsewhere(MOST).writes(23),
    shows!(rows::MAXIMUM, no_page_holds_more_than_100)
        .costs(107, 0, 0)
        .elsewhere(108)
        .writes(101)
        .or_given("[network.fixtures] large_list", |settings| settings.network.given.large_list.is_some())
        .after(const { &[&rows::FIRST_PAGE] }),
    shows!(rows::PER_PAGE, per_page_is_never_below_what_is_returned)
        .costs(27, 0, 0)
        .elsewhere(MOST)
        .writes(23),
    shows!(rows::PAGE, the_page_is_the_one_asked_for).costs(26, 0, 0).elsewhere(MOST).writes(23),
    shows!(rows::TOTAL, total_counts_all_pages).costs(26, 0, 0).elsewhere(MOST).writes(23),
    shows!(rows::TOTAL_PAGES, total_pages_counts_pages_with_elements)
        .costs(28, 0, 0)
        .elsewhere(MOST)
        .writes(23)
        .after(const { &[&rows::LIMIT] }),
    shows!(rows::FIRST_PAGE, without_a_page_the_first_is_returned).costs(26, 0, 0).elsewhere(MOST).writes(23),
    shows!(rows::PAGES, paging_through_shows_each_element_once)
        .costs(30, 0, 0)
        .elsewhere(MOST)
        .writes(23)
        .after(const { &[&rows::LIMIT, &rows::TOTAL, &listing::ADDRESSES] }),
    shows!(rows::PAST_END, page_after_the_last_is_empty).costs(27, 0, 0).elsewhere(MOST).writes(23),
    shows!(rows::ODD_VALUES, odd_pages_and_limits_are_handled)
        .costs(38, 0, 0)
        .elsewhere(MOST + 13)
        .writes(23),
];

/// Messages of the sender whose pages are read: three pages of seven and a part, and more than one page of twenty.
const SENT: usize = 23;
/// What a check costs that sends them and reads some pages.
const MOST: u32 = 23 + 9;

/// Messages of one sender.
#[derive(Clone)]
pub(crate) struct Corpus {
    sender: Caller,
    hashes: Vec<String>,
}

/// No key in any output.
impl std::fmt::Debug for Corpus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Corpus of {} ({})", self.sender.address, self.hashes.len())
    }
}

/// The messages of one sender: the check's own in its own world, else those of the whole run.
async fn corpus(probe: &Probe<'_>) -> Result<Corpus, Stop> {
    if probe.owns_time() {
        return send(probe, SENT).await;
    }
    let mut kept = probe.settings.network.corpus.lock().await;
    if let Some(corpus) = kept.as_ref() {
        return Ok(corpus.clone());
    }
    let corpus = send(probe, SENT).await?;
    *kept = Some(corpus.clone());
    Ok(corpus)
}

async fn send(probe: &Probe<'_>, count: usize) -> Result<Corpus, Stop> {
    let sender = caller(probe);
    let mut hashes = Vec::new();
    for _ in 0..count {
        hashes.push(posted(probe, &sender).await?.hash);
    }
    if probe.owns_time() {
        // The requests may count against the rate limit of the next ones.
        probe.advance(Duration::from_mins(2)).await?;
    }
    // A page holds at most a hundred.
    let latest: Vec<&str> = hashes.iter().rev().take(100).map(String::as_str).collect();
    list_of(probe, &sender, &latest).await?;
    Ok(Corpus { sender, hashes })
}

/// Reads a page of their list.
async fn page<'p>(probe: &'p Probe<'_>, corpus: &Corpus, query: &[(&str, &str)]) -> Result<List<'p>, Stop> {
    list(probe, &query::LIST, &path(corpus, query), "messages").await
}

fn path(corpus: &Corpus, query: &[(&str, &str)]) -> String {
    path_with("/messages", &[&[("addresses", corpus.sender.address.as_str())], query].concat())
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
    list.answer.expect(got == want, "elements of /messages", want.to_string(), got.to_string())
}

/// Lists a sender with 23 messages. `pagination` must be an object beside the list.
async fn a_list_has_pagination_beside_it(probe: &Probe<'_>) -> Checked {
    let listed = page(probe, &corpus(probe).await?, &[]).await?;
    listed.answer.expect_json("/pagination", "an object", Value::is_object).map(drop)
}

/// Lists a sender with 23 messages. `total`, `page`, `per_page` and `total_pages` in `pagination` must be integers.
async fn pagination_is_four_integers(probe: &Probe<'_>) -> Checked {
    let listed = page(probe, &corpus(probe).await?, &[]).await?;
    let is_there = listed.answer.json()["pagination"].is_object();
    probe.given(is_there, "the answer has no object `pagination`")?;
    for member in ["total", "page", "per_page", "total_pages"] {
        listed.answer.expect_json(&format!("/pagination/{member}"), "an integer", |number| {
            number.is_i64() || number.is_u64()
        })?;
    }
    Ok(())
}

/// Reads the first page of 23 messages without `limit`. It must hold 20 elements.
async fn a_page_holds_20_elements_by_default(probe: &Probe<'_>) -> Checked {
    let corpus = corpus(probe).await?;
    let first = probe.settings.network.first_page.to_string();
    let listed = page(probe, &corpus, &[("page", &first)]).await?;
    let got = listed.items.len();
    let want = format!("{}: the limit is {}", PAGE_DEFAULT.value, PAGE_DEFAULT.words());
    listed.answer.expect(got == PAGE_DEFAULT.usize(), "elements of /messages", want, got.to_string())
}

/// Reads pages of 23 messages with the limits 1, 7, 22 and 100. Each must hold as many elements as asked for, the last
/// page the rest.
async fn a_page_holds_as_many_as_asked_for(probe: &Probe<'_>) -> Checked {
    let corpus = corpus(probe).await?;
    let first = probe.settings.network.first_page;
    for (limit, number, want) in [(1, 0, 1), (7, 0, 7), (7, 3, SENT - 21), (22, 0, 22), (100, 0, SENT)] {
        let (limit, number) = (limit.to_string(), (first + number).to_string());
        let listed = page(probe, &corpus, &[("limit", &limit), ("page", &number)]).await?;
        expect_length(&listed, want)?;
    }
    Ok(())
}

/// Lists more than 100 messages with the limits 99 and 100, which must return as many, and with the limits 101 and 1000000. Each answer
/// must hold at most 100 elements, or be 400.
async fn no_page_holds_more_than_100(probe: &Probe<'_>) -> Checked {
    // If the unfiltered list holds enough, nothing needs to be sent.
    let most = PAGE_MAXIMUM.inside.to_string();
    let mut path = path_with("/messages", &[("limit", &most)]);
    let mut whole = list(probe, &query::LIST, &path, "messages").await?;
    let total = whole.answer.json()["pagination"]["total"].as_i64();
    let mut filters = Vec::new();
    if let Some(address) = given(probe, "large_list", |given| &given.large_list)? {
        filters = vec![("addresses", address.clone())];
    } else if total.is_none_or(|total| total <= PAGE_MAXIMUM.outside) {
        filters = vec![("addresses", send(probe, PAGE_MAXIMUM.outside as usize).await?.sender.address)];
    }
    if let Some((_, address)) = filters.first() {
        path = path_with("/messages", &[("limit", &most), ("addresses", address)]);
        whole = list(probe, &query::LIST, &path, "messages").await?;
    }
    let filtered = |limit: &str| {
        let filters = filters.iter().map(|(name, value)| (*name, value.as_str()));
        path_with("/messages", &filters.chain([("limit", limit)]).collect::<Vec<_>>())
    };
    let below = PAGE_MAXIMUM.inside - 1;
    let fewer = list(probe, &query::LIST, &filtered(&below.to_string()), "messages").await?;
    for (listed, limit) in [(&fewer, below), (&whole, PAGE_MAXIMUM.inside)] {
        let got = listed.items.len() as i64;
        let place = format!("elements of a page with limit={limit}");
        let want = format!("{limit}: the limit is {}", PAGE_MAXIMUM.words());
        listed.answer.expect(got >= limit, &place, want, got.to_string())?;
    }
    for limit in [&PAGE_MAXIMUM.outside.to_string(), "1000000"] {
        let answer = Call::get(&query::LIST, &filtered(limit)).send(probe).await?;
        answer.expect_status(&[200, 400])?;
        let count = answer.json()["messages"].as_array().map(Vec::len);
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

/// Reads pages of 23 messages without a limit and with the limits 7 and 100. `per_page` must not be less than the
/// number of elements.
async fn per_page_is_never_below_what_is_returned(probe: &Probe<'_>) -> Checked {
    let corpus = corpus(probe).await?;
    for query in [&[][..], &[("limit", "7")], &[("limit", "100")]] {
        let listed = page(probe, &corpus, query).await?;
        let (got, returned) = (counted(probe, &listed.answer, "per_page")?, listed.items.len());
        let want = format!("{returned} or more");
        listed.answer.expect(got >= returned as u64, "/pagination/per_page", want, got.to_string())?;
    }
    Ok(())
}

/// Reads the first and the third page of 23 messages, seven a page. `pagination.page` must be the page that was asked
/// for.
async fn the_page_is_the_one_asked_for(probe: &Probe<'_>) -> Checked {
    let corpus = corpus(probe).await?;
    let first = probe.settings.network.first_page;
    for number in [first, first + 2] {
        let listed = page(probe, &corpus, &[("limit", "7"), ("page", &number.to_string())]).await?;
        expect_count(probe, &listed.answer, "page", number)?;
    }
    Ok(())
}

/// Reads pages of 23 messages with the limits 7 and 100. `total` must be 23 in both.
async fn total_counts_all_pages(probe: &Probe<'_>) -> Checked {
    let corpus = corpus(probe).await?;
    let first = probe.settings.network.first_page;
    for query in [&[("limit", "7"), ("page", &*first.to_string())][..], &[("limit", "100")]] {
        let listed = page(probe, &corpus, query).await?;
        expect_count(probe, &listed.answer, "total", SENT as u64)?;
    }
    Ok(())
}

/// Reads pages of 23 messages with the limits 1, 7, 23 and 100. `total_pages` must be the number of pages that hold
/// elements.
async fn total_pages_counts_pages_with_elements(probe: &Probe<'_>) -> Checked {
    let corpus = corpus(probe).await?;
    for limit in [1, 7, 23, 100] {
        let listed = page(probe, &corpus, &[("limit", &limit.to_string())]).await?;
        expect_count(probe, &listed.answer, "total_pages", (SENT as u64).div_ceil(limit))?;
    }
    Ok(())
}

/// Reads 23 messages on one page, once with the first page and once without `page`. Both must hold the same elements.
async fn without_a_page_the_first_is_returned(probe: &Probe<'_>) -> Checked {
    let corpus = corpus(probe).await?;
    let first = probe.settings.network.first_page.to_string();
    let sorted = |list: &List<'_>| {
        let mut hashes = list.texts("item_hash");
        hashes.sort();
        hashes
    };
    let asked = sorted(&page(probe, &corpus, &[("limit", "100"), ("page", &first)]).await?);
    let listed = page(probe, &corpus, &[("limit", "100")]).await?;
    let found = sorted(&listed);
    let want = format!("those of page {first}: {}", asked.join(", "));
    listed.answer.expect(found == asked, "elements without `page`", want, found.join(", "))
}

/// Reads all pages of 23 messages with the limits 7 and 20. Each message must appear exactly once.
async fn paging_through_shows_each_element_once(probe: &Probe<'_>) -> Checked {
    let corpus = corpus(probe).await?;
    let first = probe.settings.network.first_page;
    for limit in [7, 20] {
        let mut found = Vec::new();
        let mut last = None;
        for number in 0..SENT.div_ceil(limit) as u64 {
            let query = [("limit", limit.to_string()), ("page", (first + number).to_string())];
            let query: Vec<(&str, &str)> =
                query.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let listed = page(probe, &corpus, &query).await?;
            found.extend(texts(&listed.items, "item_hash"));
            last = Some(listed);
        }
        let mut wanted = corpus.hashes.clone();
        wanted.sort();
        found.sort();
        let twice = found.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone());
        let missing = wanted.iter().find(|hash| !found.contains(hash));
        let got = match (&twice, missing) {
            (Some(hash), _) => format!("{hash} twice"),
            (None, Some(hash)) => format!("{hash} never"),
            (None, None) => format!("{} elements", found.len()),
        };
        let want = format!("each of the {SENT} once");
        let listed = last.ok_or_else(|| Stop::Error("no page was asked for".to_owned()))?;
        let place = format!("elements of all pages of {limit}");
        listed.answer.expect(found == wanted, &place, want, got)?;
    }
    Ok(())
}

/// Reads two pages after the last page of 23 messages. Each answer must be 200, 400 or 404, and hold no elements.
async fn page_after_the_last_is_empty(probe: &Probe<'_>) -> Checked {
    let corpus = corpus(probe).await?;
    let first = probe.settings.network.first_page;
    let some = page(probe, &corpus, &[("limit", "20"), ("page", &first.to_string())]).await?;
    probe.found(!some.items.is_empty(), "the first page is empty as well")?;
    for number in [first + 2, first + 1_000_000] {
        let path = path(&corpus, &[("limit", "20"), ("page", &number.to_string())]);
        let answer = Call::get(&query::LIST, &path).attempt(probe).await?;
        // A list or a rejection, both without elements.
        answer.expect_status(&[200, 400, 404])?;
        let count = answer.json()["messages"].as_array().map_or(0, Vec::len);
        answer.expect(count == 0, &format!("elements of page {number}"), "none", count.to_string())?;
        probe.note(format!("a page after the last returns {}", answer.status()));
    }
    Ok(())
}

/// Lists with values of `page` and `limit` that are zero, negative, not numbers or too large. Each answer must be a
/// list, 400 or 404.
async fn odd_pages_and_limits_are_handled(probe: &Probe<'_>) -> Checked {
    let corpus = corpus(probe).await?;
    page(probe, &corpus, &[("limit", "7")]).await?;
    let zero_is_a_page = probe.settings.network.first_page == 0;
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
        let answer = Call::get(&query::LIST, &path(&corpus, &[(name, value)])).attempt(probe).await?;
        let status = answer.status();
        let is_list = status == 200 && answer.json()["messages"].is_array();
        let got = if status == 200 { "200 without a list".to_owned() } else { status.to_string() };
        let place = format!("answer to {name}={value}");
        answer.expect(is_list || [400, 404].contains(&status), &place, "a list, or 400 or 404", got)?;
        probe.note(format!("{name}={value} returns {status}"));
    }
    odd_pages_of_other_lists(probe).await
}

/// The other lists take the same two parameters.
async fn odd_pages_of_other_lists(probe: &Probe<'_>) -> Checked {
    for (endpoint, path, items) in
        [(&aggregate::LIST, "/aggregates", "aggregates"), (&instance::LIST, "/instances", "instances")]
    {
        if !probe.settings.network.offers(endpoint) {
            continue;
        }
        for (name, value) in [("page", "x"), ("limit", "-1")] {
            let answer = Call::get(endpoint, &path_with(path, &[(name, value)])).attempt(probe).await?;
            let status = answer.status();
            let is_handled =
                (status == 200 && answer.json()[items].is_array()) || [400, 404].contains(&status);
            let place = format!("answer to {name}={value} at {path}");
            answer.expect(is_handled, &place, "a list, or 400 or 404", status.to_string())?;
        }
    }
    Ok(())
}
