//! Writes to an aggregate, and what is read of it afterwards.

use assay_spec::network::requirements::aggregates as rows;
use serde_json::{Value, json};

use super::super::caller::caller;
use super::super::replies::{expect_absent_or, expect_created, found, is_address, is_seconds, until};
use super::super::{ACCEPTED, REJECTED, created, holds};
use super::{aggregate_call, any, key, label, write, written};
use crate::check::{Check, Checked, Stop};
use crate::probe::{Answer, Probe};
use crate::profile::AggregateWrite;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::CREATED, a_write_is_answered_by_its_hash).costs(1, 0, 0).writes(1),
    refuses!(rows::CREATE_KEY, a_write_without_a_key_is_refused).costs(3, 0, 0).writes(3),
    refuses!(rows::CREATE_ADDRESS, a_write_for_no_address_is_refused).costs(3, 0, 0).writes(3),
    refuses!(rows::CREATE_CONTENT, a_write_of_no_object_is_refused).costs(4, 0, 0).writes(4),
    shows!(rows::KEY, an_aggregate_has_its_key).costs(2, 0, 0).writes(1),
    shows!(rows::ADDRESS, an_aggregate_has_its_owner).costs(2, 0, 0).writes(1),
    shows!(rows::CONTENT, an_aggregate_holds_what_was_written).costs(2, 0, 0).writes(1),
    shows!(rows::TIME, the_time_of_an_aggregate_is_in_seconds).costs(2, 0, 0).writes(1),
    shows!(rows::ITEM_HASH, an_aggregate_names_the_message_that_wrote_it).costs(2, 0, 0).writes(1),
    shows!(rows::PER_ADDRESS, a_key_is_another_aggregate_for_another_address).costs(4, 0, 0).writes(2),
    shows!(rows::REWRITTEN, the_whole_written_again_takes_the_place_of_the_first).costs(4, 0, 0).writes(2),
    shows!(rows::PARTIAL, a_part_written_later_is_merged_or_takes_the_place_of_the_whole)
        .costs(4, 0, 0)
        .writes(2),
    refuses!(rows::UNKNOWN, an_aggregate_that_nobody_wrote_is_not_found).costs(3, 0, 0).writes(1),
];

async fn a_write_is_answered_by_its_hash(probe: &Probe<'_>) -> Checked {
    let draft = write(probe, &caller(probe), &key(probe), json!({ "a": 1 }), 0).await?;
    expect_created(&draft.send(probe).await?)
}

/// Each value in the place of a member of the content is refused, and a good write is not.
async fn refused(probe: &Probe<'_>, member: &str, values: &[Option<Value>]) -> Checked {
    let good = write(probe, &caller(probe), &key(probe), json!({ "a": 1 }), 0).await?;
    good.send(probe).await?.counterpart_status(ACCEPTED)?;
    for value in values {
        let mut bad = write(probe, &caller(probe), &key(probe), json!({ "a": 1 }), 0).await?;
        match value {
            Some(value) => bad.message["content"][member] = value.clone(),
            None => drop(bad.message["content"].as_object_mut().and_then(|all| all.shift_remove(member))),
        }
        bad.ask(probe).await?.expect_status(REJECTED)?;
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
    let answer = found(probe, aggregate_call(&owner.address, &key)).await?;
    answer.expect_json("/content", &members.to_string(), |content| holds(content, &members)).map(drop)
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
    let answer = found(probe, aggregate_call(&owner.address, &key)).await?;
    probe.given(holds(&answer.json()["content"], first), "the first write is not read as it was written")?;
    created(probe, write(probe, &owner, &key, second.clone(), 0).await?).await?;
    let is_new = |answer: &Answer<'_>| answer.status() == 200 && !holds(&answer.json()["content"], first);
    let answer = until(probe, aggregate_call(&owner.address, &key), is_new).await?;
    answer.given_status(&[200])?;
    Ok(answer)
}

async fn the_whole_written_again_takes_the_place_of_the_first(probe: &Probe<'_>) -> Checked {
    let (first, second) = (json!({ "a": 1, "b": "one" }), json!({ "a": 2, "b": "two" }));
    let answer = twice(probe, &first, &second).await?;
    answer.expect_json("/content", &second.to_string(), |content| holds(content, &second)).map(drop)
}

async fn a_part_written_later_is_merged_or_takes_the_place_of_the_whole(probe: &Probe<'_>) -> Checked {
    let (first, second) = (json!({ "a": 1, "b": "one" }), json!({ "b": "two" }));
    let merged = json!({ "a": 1, "b": "two" });
    let answer = twice(probe, &first, &second).await?;
    let want = format!("{merged} or {second}");
    let is_replaced = |content: &Value| holds(content, &second) && content.get("a").is_none();
    let is_either = |content: &Value| holds(content, &merged) || is_replaced(content);
    let content = answer.expect_json("/content", &want, is_either)?;
    let (met, word) = if is_replaced(&content) {
        (AggregateWrite::Replaced, "replaced")
    } else {
        (AggregateWrite::Merged, "merged")
    };
    if probe.settings.network.aggregate_write != Some(met) {
        probe.note(format!("aggregate_write is `{word}`: what some members do that are written later"));
    }
    Ok(())
}

async fn an_aggregate_that_nobody_wrote_is_not_found(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    until(probe, written.call(), |answer| answer.status() == 200).await?.counterpart_status(&[200])?;
    let answer = aggregate_call(&written.owner.address, &key(probe)).ask(probe).await?;
    expect_absent_or(&answer, "no content", |body| is_empty(&body["content"]))
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty)
}
