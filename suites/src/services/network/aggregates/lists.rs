//! Which aggregates are listed, and which are returned for an address.

use assay_spec::network::aggregate::LIST;
use assay_spec::network::places::AGGREGATES;
use assay_spec::network::requirements::aggregates as rows;
use serde_json::Value;

use super::super::caller::{Caller, caller};
use super::super::paging::{Corpus, corpus};
use super::super::replies::{expect_absent_or, found, holds_text, is_address, until};
use super::super::scene::{List, list, polled};
use super::super::wire::{Call, path_with};
use super::{Written, any, counted, key, of_address, written};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::probe::{Answer, Probe};

/// The first page of a hundred aggregates that a query selects. An aggregate with this key must be among them: every other rule
/// holds for an empty list.
async fn select<'p>(probe: &'p Probe<'_>, query: &[(&str, &str)], key: &str) -> Result<List<'p>, Stop> {
    let has_it = |list: &List<'_>| list.strings("key").iter().any(|one| one == key);
    let selected = select_until(probe, query, has_it).await?;
    let got = selected.strings("key").join(", ");
    selected.answer.expect(has_it(&selected), "/aggregates/*/key", key, got)?;
    Ok(selected)
}

/// As [`select`], read again at a shared target until it `is_whole`.
async fn select_until<'p>(
    probe: &'p Probe<'_>,
    query: &[(&str, &str)],
    is_whole: impl Fn(&List<'_>) -> bool,
) -> Result<List<'p>, Stop> {
    let page = probe.settings.network().first_page.to_string();
    let query = [query, &[("page", page.as_str()), ("limit", "100")]].concat();
    let path = path_with("/aggregates", &query);
    polled(probe, async || list(probe, &LIST, &path, "aggregates").await, is_whole).await
}

/// What each endpoint returns of an aggregate: alone, and in its owner's list. The pointer is that of its record.
pub(super) async fn shown<'p>(
    probe: &'p Probe<'_>,
    written: &Written,
) -> Result<Vec<(Answer<'p>, String)>, Stop> {
    let is_it = |item: &Value| item["content"]["label"] == *written.label;
    shown_as(probe, &written.owner, &written.key, is_it).await
}

/// As [`shown`]. A list without an element that `is_it` is left out: which elements it has is the subject of other checks.
pub(super) async fn shown_as<'p>(
    probe: &'p Probe<'_>,
    owner: &Caller,
    key: &str,
    is_it: impl Fn(&Value) -> bool,
) -> Result<Vec<(Answer<'p>, String)>, Stop> {
    let mut all = vec![(counted(probe, owner, key).await?, String::new())];
    if probe.settings.network().offers(&LIST) {
        let page = probe.settings.network().first_page.to_string();
        let query = [("address", owner.address.as_str()), ("page", page.as_str())];
        let answer = found(probe, Call::get(&LIST, &path_with("/aggregates", &query))).await?;
        let items = answer.json()["aggregates"].as_array().cloned().unwrap_or_default();
        all.extend(items.iter().position(is_it).map(|at| (answer, format!("/aggregates/{at}"))));
    }
    Ok(all)
}

/// Writes an aggregate and lists its owner's aggregates. `aggregates` must be an array.
#[shows(rows::LISTED)]
async fn aggregates_are_listed_under_their_name(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    let page = probe.settings.network().first_page.to_string();
    let query = [("address", written.owner.address.as_str()), ("page", page.as_str())];
    let answer = found(probe, Call::get(&LIST, &path_with("/aggregates", &query))).await?;
    answer.expect_json("/aggregates", "an array", Value::is_array).map(drop)
}

/// Writes an aggregate for each of two owners and lists with `address` set to each. Its aggregate must be listed, and no
/// other's.
#[shows(rows::BY_ADDRESS)]
async fn the_address_selects_aggregates(probe: &Probe<'_>) -> Checked {
    let (one, other) = (any(probe).await?, any(probe).await?);
    for written in [&one, &other] {
        let owner = &written.owner.address;
        found(probe, written.call()).await?;
        let selected = select(probe, &[("address", owner)], &written.key).await?;
        selected.expect_each(&format!("address {owner}"), |item| is_address(&item["address"], owner))?;
    }
    Ok(())
}

/// Writes two keys of one owner that differ by letter case alone, reads the first again, and lists with `key` set to each. It alone must
/// be returned and listed.
#[shows(rows::BY_KEY)]
async fn the_key_selects_aggregates(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let name = key(probe);
    let (one, other) = (format!("{name}-a"), format!("{name}-A"));
    let mut reads = Vec::new();
    for key in [&one, &other] {
        let call = written(probe, &owner, key).await?.call();
        reads.push((call.clone(), found(probe, call).await?.json()["content"].clone()));
    }
    let (call, content) = reads.swap_remove(0);
    let want = format!("{content}, as before the other key was written");
    found(probe, call).await?.expect_json("/content", &want, |again| *again == content)?;
    for key in [&one, &other] {
        let selected = select(probe, &[("address", &owner.address), ("key", key)], key).await?;
        selected.expect_each(&format!("key {key}"), |item| item["key"] == key.as_str())?;
    }
    Ok(())
}

/// Writes three keys of one owner and lists with `keys` set to two of them. Both must be listed, and every element must have
/// one of the two.
#[shows(rows::BY_KEYS)]
async fn keys_select_aggregates(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let keys = [key(probe), key(probe), key(probe)];
    for key in &keys {
        found(probe, written(probe, &owner, key).await?.call()).await?;
    }
    let wanted = [&keys[0], &keys[2]];
    let query = [("address", owner.address.as_str()), ("keys", &format!("{},{}", wanted[0], wanted[1]))];
    let has = |list: &List<'_>, key: &String| list.strings("key").contains(key);
    let selected = select_until(probe, &query, |list| wanted.iter().all(|key| has(list, key))).await?;
    let want = format!("one of the keys {} and {}", wanted[0], wanted[1]);
    selected.expect_each(&want, |item| wanted.iter().any(|key| item["key"] == key.as_str()))?;
    for key in wanted {
        let got = selected.strings("key").join(", ");
        selected.answer.expect(has(&selected, key), "/aggregates/*/key", key.as_str(), got)?;
    }
    Ok(())
}

/// Lists with the filter `content.fields`. The answer must be 200; what it selects is left open.
#[shows(rows::FIELDS)]
async fn content_fields_filter_is_accepted(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    let owner = &written.owner.address;
    select_until(probe, &[("address", owner)], |list| !list.items.is_empty()).await?;
    let query = [("address", owner.as_str()), ("content.fields", "label")];
    Call::get(&LIST, &path_with("/aggregates", &query)).send(probe).await?.expect_status(&[200])
}

/// Reads the aggregates of an address until they hold all of these labels. If they never do, the check is inconclusive.
async fn whole<'p>(probe: &'p Probe<'_>, call: Call, labels: &[&str]) -> Result<Answer<'p>, Stop> {
    let is_whole = |answer: &Answer<'_>| {
        let body = answer.json();
        answer.status() == 200 && labels.iter().all(|label| holds_text(&body, label))
    };
    let answer = until(probe, call, is_whole).await?;
    probe.given(is_whole(&answer), "the answer does not hold everything that the address wrote")?;
    Ok(answer)
}

/// Writes an aggregate and reads `/aggregates/{address}.json`. The body must contain the string that was written. Reads 23 or more
/// aggregates of an address with the limit 100. The body must contain the key of each.
#[shows(rows::JSON)]
async fn an_address_returns_what_it_wrote(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    found(probe, written.call()).await?;
    let has_it = |answer: &Answer<'_>| holds_text(&answer.json(), &written.label);
    let answer = until(probe, of_address(&written.owner.address, &[]), has_it).await?;
    answer.given_status(&[200])?;
    let want = format!("the string {} anywhere in the body", written.label);
    answer.expect(has_it(&answer), "body", want, answer.response.text())?;
    if !probe.settings.network().offers(&LIST) {
        return Ok(());
    }
    let Corpus { filters, ids, .. } = corpus(probe, AGGREGATES[0]).await?;
    let address = filters.iter().find(|(name, _)| name == "address").map(|(_, address)| address.as_str());
    let call = of_address(address.unwrap_or_default(), &[("limit", "100")]);
    let absent = |answer: &Answer<'_>| {
        let body = answer.response.text();
        ids.iter().find(|key| !body.contains(key.as_str())).cloned()
    };
    let answer = until(probe, call, |answer| absent(answer).is_none()).await?;
    answer.given_status(&[200])?;
    let got = absent(&answer).map_or_else(String::new, |key| format!("no key {key}"));
    answer.expect(got.is_empty(), "body", format!("the keys of all {} aggregates", ids.len()), got)
}

/// Writes four keys of one address and reads `/aggregates/{address}.json` with `keys` set to all but the second. The body
/// must contain what was written under these, and not what was written under the second.
#[shows(rows::JSON_KEYS)]
async fn keys_select_among_the_aggregates_of_an_address(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let mut all = Vec::new();
    for _ in 0..4 {
        all.push(written(probe, &owner, &key(probe)).await?);
    }
    let labels: Vec<&str> = all.iter().map(|written| written.label.as_str()).collect();
    whole(probe, of_address(&owner.address, &[]), &labels).await?;
    let keys = [&*all[0].key, &all[2].key, &all[3].key].join(",");
    let (wanted, other) = ([labels[0], labels[2], labels[3]], labels[1]);
    let is_whole = |answer: &Answer<'_>| wanted.iter().all(|label| holds_text(&answer.json(), label));
    let selected = until(probe, of_address(&owner.address, &[("keys", &keys)]), is_whole).await?;
    selected.expect_status(&[200])?;
    let want = format!("the values of the keys {keys}");
    selected.expect(is_whole(&selected), "body", want, selected.response.text())?;
    let want = format!("no value of the key {}", all[1].key);
    selected.expect(!holds_text(&selected.json(), other), "body", want, selected.response.text())
}

/// Writes two keys of one address and reads `/aggregates/{address}.json` with `limit=1`. The body must contain at most
/// one of them.
#[shows(rows::JSON_LIMIT)]
async fn a_limit_bounds_the_aggregates_of_an_address(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let (one, other) =
        (written(probe, &owner, &key(probe)).await?, written(probe, &owner, &key(probe)).await?);
    whole(probe, of_address(&owner.address, &[]), &[&one.label, &other.label]).await?;
    let bounded = found(probe, of_address(&owner.address, &[("limit", "1")])).await?;
    let body = bounded.json();
    let count = [&one, &other].iter().filter(|written| holds_text(&body, &written.label)).count();
    bounded.expect(count <= 1, "body", "at most one of two aggregates", bounded.response.text())
}

/// Reads `/aggregates/{address}.json` of an address that wrote (200), then of a new address. The second answer must be
/// 404, or hold no aggregates.
#[rejects(rows::JSON_UNKNOWN)]
async fn an_address_that_wrote_nothing_has_no_aggregates(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    found(probe, written.call()).await?;
    let answer =
        until(probe, of_address(&written.owner.address, &[]), |answer| answer.status() == 200).await?;
    answer.counterpart_status(&[200])?;
    let answer = of_address(&caller(probe).address, &[]).attempt(probe).await?;
    expect_absent_or(&answer, "an answer without aggregates", |body| match body {
        Value::Array(items) => items.is_empty(),
        // Members that are neither a list nor an object cannot hold aggregates. Of a list under another name than the known
        // ones, only the objects can be aggregates.
        Value::Object(members) => members.iter().all(|(name, value)| match value {
            Value::Array(items) if ["data", "aggregates"].contains(&name.as_str()) => items.is_empty(),
            Value::Array(items) => !items.iter().any(Value::is_object),
            Value::Object(inner) => inner.is_empty() || name == "pagination",
            _ => true,
        }),
        _ => false,
    })
}
