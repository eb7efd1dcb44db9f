//! Keyed documents of an address: what a write says, what is read, and which of them are listed.

use assay_spec::network::aggregate::{CREATE, LIST, OF_ADDRESS, READ};
use assay_spec::network::requirements::aggregates as rows;
use serde_json::{Value, json};

use super::caller::{Caller, caller};
use super::replies::{expect_absent_or, expect_created, found, holds_text, is_address, is_seconds, until};
use super::wire::{Call, Draft, path_with};
use super::{Created, List, REFUSED, TAKEN, created, list};
use crate::check::{Check, Checked, Stop};
use crate::probe::{Answer, Probe};
use crate::profile::AggregateWrite;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::CREATED, a_write_is_answered_by_its_hash).costs(1, 0, 0),
    refuses!(rows::CREATE_KEY, a_write_without_a_key_is_refused).costs(3, 0, 0),
    refuses!(rows::CREATE_ADDRESS, a_write_for_no_address_is_refused).costs(3, 0, 0),
    refuses!(rows::CREATE_CONTENT, a_write_of_no_object_is_refused).costs(4, 0, 0),
    shows!(rows::KEY, an_aggregate_has_its_key).costs(2, 0, 0),
    shows!(rows::ADDRESS, an_aggregate_has_its_owner).costs(2, 0, 0),
    shows!(rows::CONTENT, an_aggregate_holds_what_was_written).costs(2, 0, 0),
    shows!(rows::TIME, the_time_of_an_aggregate_is_in_seconds).costs(2, 0, 0),
    shows!(rows::ITEM_HASH, an_aggregate_names_the_message_that_wrote_it).costs(2, 0, 0),
    shows!(rows::PER_ADDRESS, a_key_is_another_aggregate_for_another_address).costs(4, 0, 0),
    shows!(rows::REWRITTEN, the_whole_written_again_takes_the_place_of_the_first).costs(4, 0, 0),
    shows!(rows::PARTIAL, a_part_written_later_is_merged_or_takes_the_place_of_the_whole).costs(4, 0, 0),
    refuses!(rows::UNKNOWN, an_aggregate_that_nobody_wrote_is_not_found).costs(3, 0, 0),
    shows!(rows::LISTED, aggregates_are_listed_under_their_name).costs(2, 0, 0),
    shows!(rows::BY_ADDRESS, the_address_selects_aggregates).costs(4, 0, 0),
    shows!(rows::BY_KEY, the_key_selects_aggregates).costs(4, 0, 0),
    shows!(rows::BY_KEYS, keys_select_aggregates).costs(5, 0, 0),
    shows!(rows::FIELDS, content_fields_are_taken).costs(3, 0, 0),
    shows!(rows::JSON, an_address_returns_what_it_wrote).costs(2, 0, 0),
    shows!(rows::JSON_KEYS, keys_select_among_the_aggregates_of_an_address).costs(4, 0, 0),
    shows!(rows::JSON_LIMIT, a_limit_bounds_the_aggregates_of_an_address).costs(4, 0, 0),
    refuses!(rows::JSON_UNKNOWN, an_address_that_wrote_nothing_has_no_aggregates).costs(3, 0, 0),
];

/// A key that nobody has used before.
fn key(probe: &Probe<'_>) -> String {
    format!("check-{}", label(probe))
}

/// A text that nobody has written before.
fn label(probe: &Probe<'_>) -> String {
    assay_spec::crypto::text::hex(&probe.draw("aggregate")[..8])
}

/// A write of so many seconds ago.
async fn write(
    probe: &Probe<'_>,
    owner: &Caller,
    key: &str,
    members: Value,
    seconds_ago: i64,
) -> Result<Draft, Stop> {
    let then = probe.now().await? + -1000 * seconds_ago;
    let content = json!({ "address": owner.address, "key": key, "content": members, "time": then.seconds() });
    Ok(Draft::dated(probe, owner, "AGGREGATE", content, then).to(&CREATE, "POST", "/aggregates"))
}

/// An aggregate that was written for the check to say anything.
struct Written<'p> {
    created: Created<'p>,
    owner: Caller,
    key: String,
    label: String,
}

/// An aggregate of `owner` with a label of its own.
async fn written<'p>(probe: &'p Probe<'_>, owner: &Caller, key: &str) -> Result<Written<'p>, Stop> {
    let label = label(probe);
    let draft = write(probe, owner, key, json!({ "title": "a check", "label": label }), 0).await?;
    let created = created(probe, draft).await?;
    Ok(Written { created, owner: owner.clone(), key: key.to_owned(), label })
}

/// An aggregate of somebody new.
async fn any<'p>(probe: &'p Probe<'_>) -> Result<Written<'p>, Stop> {
    written(probe, &caller(probe), &key(probe)).await
}

impl Written<'_> {
    fn call(&self) -> Call {
        one(&self.owner.address, &self.key)
    }
}

fn one(address: &str, key: &str) -> Call {
    Call::get(&READ, &format!("/aggregates/{address}/{key}"))
}

fn of_address(address: &str, query: &[(&str, &str)]) -> Call {
    Call::get(&OF_ADDRESS, &path_with(&format!("/aggregates/{address}.json"), query))
}

async fn a_write_is_answered_by_its_hash(probe: &Probe<'_>) -> Checked {
    let draft = write(probe, &caller(probe), &key(probe), json!({ "a": 1 }), 0).await?;
    expect_created(&draft.send(probe).await?)
}

/// Each value in the place of a member of the content is refused, and a good write is not.
async fn refused(probe: &Probe<'_>, member: &str, values: &[Option<Value>]) -> Checked {
    let good = write(probe, &caller(probe), &key(probe), json!({ "a": 1 }), 0).await?;
    good.send(probe).await?.twin_status(TAKEN)?;
    for value in values {
        let mut bad = write(probe, &caller(probe), &key(probe), json!({ "a": 1 }), 0).await?;
        match value {
            Some(value) => bad.message["content"][member] = value.clone(),
            None => drop(bad.message["content"].as_object_mut().and_then(|all| all.shift_remove(member))),
        }
        bad.ask(probe).await?.expect_status(REFUSED)?;
    }
    Ok(())
}

async fn a_write_without_a_key_is_refused(probe: &Probe<'_>) -> Checked {
    refused(probe, "key", &[None, Some(json!(7))]).await
}

/// Whether a write may do without an address is left open.
async fn a_write_for_no_address_is_refused(probe: &Probe<'_>) -> Checked {
    refused(probe, "address", &[Some(json!(7)), Some(json!(["0x01"]))]).await
}

async fn a_write_of_no_object_is_refused(probe: &Probe<'_>) -> Checked {
    refused(probe, "content", &[None, Some(json!("{}")), Some(json!(["a"]))]).await
}

async fn an_aggregate_has_its_key(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    let answer = found(probe, written.call()).await?;
    answer.expect_json("/key", &written.key, |key| key == written.key.as_str()).map(drop)
}

async fn an_aggregate_has_its_owner(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    let answer = found(probe, written.call()).await?;
    let owner = &written.owner.address;
    answer.expect_json("/address", owner, |address| is_address(address, owner)).map(drop)
}

async fn an_aggregate_holds_what_was_written(probe: &Probe<'_>) -> Checked {
    let (owner, key) = (caller(probe), key(probe));
    let members = json!({
        "label": label(probe), "number": 42, "none": null, "list": [1, "two", { "three": 3 }],
        "nested": { "b": true, "a": "\u{e9}\u{1f980}" },
    });
    created(probe, write(probe, &owner, &key, members.clone(), 0).await?).await?;
    let answer = found(probe, one(&owner.address, &key)).await?;
    answer.expect_json("/content", &members.to_string(), |content| *content == members).map(drop)
}

async fn the_time_of_an_aggregate_is_in_seconds(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    let answer = found(probe, written.call()).await?;
    answer.expect_json("/time", "an integer, in seconds", is_seconds).map(drop)
}

async fn an_aggregate_names_the_message_that_wrote_it(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    let answer = found(probe, written.call()).await?;
    let hash = &written.created.hash;
    answer.expect_json("/item_hash", hash, |found| found == hash.as_str()).map(drop)
}

async fn a_key_is_another_aggregate_for_another_address(probe: &Probe<'_>) -> Checked {
    let key = key(probe);
    let first = written(probe, &caller(probe), &key).await?;
    let second = written(probe, &caller(probe), &key).await?;
    for written in [&first, &second] {
        let answer = found(probe, written.call()).await?;
        answer.expect_json("/content/label", &written.label, |label| label == written.label.as_str())?;
    }
    Ok(())
}

/// What is read of an aggregate once `first` was written and `second` half a minute later.
async fn twice<'p>(probe: &'p Probe<'_>, first: &Value, second: &Value) -> Result<Answer<'p>, Stop> {
    let (owner, key) = (caller(probe), key(probe));
    created(probe, write(probe, &owner, &key, first.clone(), 30).await?).await?;
    let answer = found(probe, one(&owner.address, &key)).await?;
    probe.given(answer.json()["content"] == *first, "the first write is not read as it was written")?;
    created(probe, write(probe, &owner, &key, second.clone(), 0).await?).await?;
    let is_new = |answer: &Answer<'_>| answer.status() == 200 && answer.json()["content"] != *first;
    let answer = until(probe, one(&owner.address, &key), is_new).await?;
    answer.given_status(&[200])?;
    Ok(answer)
}

async fn the_whole_written_again_takes_the_place_of_the_first(probe: &Probe<'_>) -> Checked {
    let (first, second) = (json!({ "a": 1, "b": "one" }), json!({ "a": 2, "b": "two" }));
    let answer = twice(probe, &first, &second).await?;
    answer.expect_json("/content", &second.to_string(), |content| *content == second).map(drop)
}

async fn a_part_written_later_is_merged_or_takes_the_place_of_the_whole(probe: &Probe<'_>) -> Checked {
    let (first, second) = (json!({ "a": 1, "b": "one" }), json!({ "b": "two" }));
    let merged = json!({ "a": 1, "b": "two" });
    let answer = twice(probe, &first, &second).await?;
    let want = format!("{merged} or {second}");
    let content =
        answer.expect_json("/content", &want, |content| *content == merged || *content == second)?;
    let (met, word) = match content == merged {
        true => (AggregateWrite::Merged, "merged"),
        false => (AggregateWrite::Replaced, "replaced"),
    };
    if probe.settings.network.aggregate_write != Some(met) {
        probe.note(format!("aggregate_write is `{word}`: what some members do that are written later"));
    }
    Ok(())
}

async fn an_aggregate_that_nobody_wrote_is_not_found(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    until(probe, written.call(), |answer| answer.status() == 200).await?.twin_status(&[200])?;
    let answer = one(&written.owner.address, &key(probe)).ask(probe).await?;
    expect_absent_or(&answer, "no content", |body| is_empty(&body["content"]))
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty)
}

/// The first page of a hundred aggregates that a query selects.
async fn select<'p>(probe: &'p Probe<'_>, query: &[(&str, &str)]) -> Result<List<'p>, Stop> {
    let page = probe.settings.network.first_page.to_string();
    let query = [query, &[("page", page.as_str()), ("limit", "100")]].concat();
    let selected = list(probe, &LIST, &path_with("/aggregates", &query), "aggregates").await?;
    probe.given(
        !selected.items.is_empty(),
        "the list is empty, though something was written that belongs there",
    )?;
    Ok(selected)
}

async fn aggregates_are_listed_under_their_name(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    let page = probe.settings.network.first_page.to_string();
    let query = [("address", written.owner.address.as_str()), ("page", page.as_str())];
    let answer = found(probe, Call::get(&LIST, &path_with("/aggregates", &query))).await?;
    answer.expect_json("/aggregates", "an array", Value::is_array).map(drop)
}

async fn the_address_selects_aggregates(probe: &Probe<'_>) -> Checked {
    let (one, other) = (any(probe).await?, any(probe).await?);
    for owner in [&one.owner.address, &other.owner.address] {
        found(probe, of_first(&one, &other, owner)).await?;
        let selected = select(probe, &[("address", owner)]).await?;
        selected.expect_each(&format!("address {owner}"), |item| is_address(&item["address"], owner))?;
    }
    Ok(())
}

/// The one of two aggregates that is that owner's.
fn of_first(one: &Written<'_>, other: &Written<'_>, owner: &str) -> Call {
    if one.owner.address == owner { one.call() } else { other.call() }
}

async fn the_key_selects_aggregates(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let (one, other) = (key(probe), key(probe));
    for key in [&one, &other] {
        found(probe, written(probe, &owner, key).await?.call()).await?;
    }
    for key in [&one, &other] {
        let selected = select(probe, &[("address", &owner.address), ("key", key)]).await?;
        selected.expect_each(&format!("key {key}"), |item| item["key"] == key.as_str())?;
    }
    Ok(())
}

async fn keys_select_aggregates(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let keys = [key(probe), key(probe), key(probe)];
    for key in &keys {
        found(probe, written(probe, &owner, key).await?.call()).await?;
    }
    let wanted = format!("{},{}", keys[0], keys[2]);
    let selected = select(probe, &[("address", &owner.address), ("keys", &wanted)]).await?;
    selected.expect_each(&format!("one of the keys {wanted}"), |item| {
        item["key"] == keys[0].as_str() || item["key"] == keys[2].as_str()
    })
}

/// What it selects is not shown.
async fn content_fields_are_taken(probe: &Probe<'_>) -> Checked {
    let owner = any(probe).await?.owner.address;
    select(probe, &[("address", &owner)]).await?;
    let query = [("address", owner.as_str()), ("content.fields", "label")];
    Call::get(&LIST, &path_with("/aggregates", &query)).send(probe).await?.expect_status(&[200])
}

/// The aggregates of an address, once all of these labels are among them: without them the check says nothing.
async fn whole<'p>(probe: &'p Probe<'_>, call: Call, labels: &[&str]) -> Result<Answer<'p>, Stop> {
    let is_whole = |answer: &Answer<'_>| {
        let body = answer.json();
        answer.status() == 200 && labels.iter().all(|label| holds_text(&body, label))
    };
    let answer = until(probe, call, is_whole).await?;
    probe.given(is_whole(&answer), "the answer for the address does not hold all that it wrote")?;
    Ok(answer)
}

async fn an_address_returns_what_it_wrote(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    found(probe, written.call()).await?;
    let has_it = |answer: &Answer<'_>| holds_text(&answer.json(), &written.label);
    let answer = until(probe, of_address(&written.owner.address, &[]), has_it).await?;
    answer.given_status(&[200])?;
    let want = format!("the text {} somewhere in it", written.label);
    answer.expect(has_it(&answer), "body", want, answer.response.text())
}

async fn keys_select_among_the_aggregates_of_an_address(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let (one, other) =
        (written(probe, &owner, &key(probe)).await?, written(probe, &owner, &key(probe)).await?);
    whole(probe, of_address(&owner.address, &[]), &[&one.label, &other.label]).await?;
    let selected = whole(probe, of_address(&owner.address, &[("keys", &one.key)]), &[&one.label]).await?;
    let want = format!("nothing of the key {}", other.key);
    let has_other = holds_text(&selected.json(), &other.label);
    selected.expect(!has_other, "body", want, selected.response.text())
}

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

async fn an_address_that_wrote_nothing_has_no_aggregates(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    found(probe, written.call()).await?;
    let answer =
        until(probe, of_address(&written.owner.address, &[]), |answer| answer.status() == 200).await?;
    answer.twin_status(&[200])?;
    let answer = of_address(&caller(probe).address, &[]).ask(probe).await?;
    expect_absent_or(&answer, "an answer without aggregates", |body| match body {
        Value::Array(items) => items.is_empty(),
        // Besides what is no list and no object of aggregates.
        Value::Object(members) => members.iter().all(|(name, value)| match value {
            Value::Array(items) => items.is_empty(),
            Value::Object(inner) => inner.is_empty() || name == "pagination",
            _ => true,
        }),
        _ => false,
    })
}
