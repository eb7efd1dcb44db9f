//! Writes to an aggregate, and reading it afterwards.

use std::time::Duration;

use assay_spec::Place;
use assay_spec::json::holds;
use assay_spec::network::aggregate::OF_ADDRESS;
use assay_spec::network::requirements::{aggregates as rows, messages};
use serde_json::{Value, json};

use super::super::ACCEPTED;
use super::super::caller::{Caller, caller};
use super::super::replies::{
    expect_absent_or, expect_created, expect_recent, expect_typed, expect_uncommon, found, holds_text,
    is_address, is_text, until,
};
use super::super::scene::{created, document, fresh_channel, polled};
use super::super::wire::Draft;
use super::lists::{shown, shown_as};
use super::{aggregate_call, any, key, label, odd_key, of_address, write, written};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::probe::{Answer, Probe};
use crate::profile::AggregateWrite;

/// Writes an aggregate, and one without members. The answer must have the `item_hash` of the message, and `status` `success`.
#[shows(rows::CREATED)]
async fn write_returns_its_hash(probe: &Probe<'_>) -> Checked {
    let draft = async || write(probe, &caller(probe), &key(probe), json!({ "a": 1 }), 0).await;
    expect_created(probe, &draft().await?).await?;
    expect_uncommon(probe, draft).await
}

/// Expects that a write with a wrong value of a member is not processed, and that a valid one is accepted.
async fn expect_member(probe: &Probe<'_>, member: &str) -> Checked {
    let draft = async || write(probe, &caller(probe), &key(probe), json!({ "a": 1 }), 0).await;
    expect_typed(probe, draft, &[member]).await
}

/// Writes aggregates whose `key` is missing or of another type. None may be processed: it is rejected at once or later. A
/// number may be read as a string. A valid write is accepted.
#[rejects(rows::CREATE_KEY)]
async fn write_without_a_key_is_rejected(probe: &Probe<'_>) -> Checked {
    expect_member(probe, "key").await
}

/// Writes aggregates whose `address` is of another type. None may be processed: it is rejected at once or later. A valid write
/// is accepted. Whether `address` may be missing is left open.
#[rejects(rows::CREATE_ADDRESS)]
async fn write_with_an_invalid_address_is_rejected(probe: &Probe<'_>) -> Checked {
    expect_member(probe, "address").await
}

/// Writes aggregates whose `content` is of another type. None may be processed: it is rejected at once or later. A valid write
/// is accepted.
#[rejects(rows::CREATE_CONTENT)]
async fn write_of_content_that_is_not_an_object_is_rejected(probe: &Probe<'_>) -> Checked {
    expect_member(probe, "content").await
}

/// Writes an aggregate whose key has blanks, letters beyond ASCII, `.`, `+` and `_`, and reads it alone and in the list. The write and
/// the read must be accepted, and `key` must be the one that was written.
#[shows(rows::KEY)]
async fn an_aggregate_has_its_key(probe: &Probe<'_>) -> Checked {
    let (owner, key, label) = (caller(probe), odd_key(probe), label(probe));
    // Without a plain one nothing is shown about keys.
    found(probe, any(probe).await?.call()).await?;
    let draft = write(probe, &owner, &key, json!({ "label": label }), 0).await?;
    draft.send(probe).await?.expect_status(ACCEPTED)?;
    let answer = until(probe, aggregate_call(&owner.address, &key), |answer| answer.status() == 200).await?;
    answer.expect_status(&[200])?;
    for (answer, at) in shown_as(probe, &owner, &key, |item| item["content"]["label"] == *label).await? {
        answer.expect_json(&format!("{at}/key"), &key, |shown| shown == key.as_str())?;
    }
    Ok(())
}

/// Writes an aggregate, and reads it alone and in the list. `address` must be its owner's.
#[shows(rows::ADDRESS)]
async fn an_aggregate_has_its_owner(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    let owner = &written.owner.address;
    for (answer, at) in shown(probe, &written).await? {
        answer.expect_json(&format!("{at}/address"), owner, |address| is_address(address, owner))?;
    }
    Ok(())
}

/// Writes an aggregate with every type of JSON, and reads it alone and in the list. `content` must hold all that was written;
/// more members are allowed.
#[shows(rows::CONTENT)]
async fn an_aggregate_holds_what_was_written(probe: &Probe<'_>) -> Checked {
    let (owner, key) = (caller(probe), key(probe));
    let members = document(probe);
    created(probe, write(probe, &owner, &key, members.clone(), 0).await?).await?;
    let is_it = |item: &Value| item["key"] == *key;
    for (answer, at) in shown_as(probe, &owner, &key, is_it).await? {
        answer.expect_json(&format!("{at}/content"), &members.to_string(), |shown| holds(shown, &members))?;
    }
    Ok(())
}

/// Writes an aggregate, and reads it alone and in the list. `time` must be an integer of seconds, at most an hour from the target's
/// clock, and in a world of its own the same ten minutes later.
#[shows(rows::TIME)]
async fn the_time_of_an_aggregate_is_in_seconds(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    for (answer, at) in shown(probe, &written).await? {
        expect_recent(probe, &answer, &format!("{at}/time")).await?;
    }
    if probe.owns_time() {
        let time = found(probe, written.call()).await?.json()["time"].clone();
        probe.advance(Duration::from_mins(10)).await?;
        let later = found(probe, written.call()).await?;
        later.expect_json("/time", &format!("{time}, as ten minutes before"), |found| *found == time)?;
    }
    Ok(())
}

/// Writes an aggregate and reads it. `item_hash` must be a string that is not empty. Which of several writes it names is not shown.
#[shows(rows::ITEM_HASH)]
async fn an_aggregate_names_a_message(probe: &Probe<'_>) -> Checked {
    let answer = found(probe, any(probe).await?.call()).await?;
    answer.expect_json("/item_hash", "a string that is not empty", is_text).map(drop)
}

/// Writes an aggregate once, then another of the same owner, and reads the first alone and in the list. `item_hash` should be the hash of
/// its write.
#[shows(rows::NAMES_WRITE, after(rows::ITEM_HASH))]
async fn an_aggregate_names_the_message_that_wrote_it(probe: &Probe<'_>) -> Checked {
    let first = any(probe).await?;
    written(probe, &first.owner, &key(probe)).await?;
    for (answer, at) in shown(probe, &first).await? {
        let hash = &first.created.hash;
        answer.expect_json(&format!("{at}/item_hash"), hash, |found| *found == **hash)?;
    }
    Ok(())
}

/// Writes the same key for two addresses and reads both. Each must hold what its own address wrote.
#[shows(rows::PER_ADDRESS)]
async fn same_key_of_two_addresses_is_two_aggregates(probe: &Probe<'_>) -> Checked {
    let key = key(probe);
    let first = written(probe, &caller(probe), &key).await?;
    let second = written(probe, &caller(probe), &key).await?;
    for written in [&first, &second] {
        let answer = found(probe, written.call()).await?;
        answer.expect_json("/content/label", &written.label, |label| label == written.label.as_str())?;
    }
    Ok(())
}

/// Writes `first` and half a minute later `second`, and reads the aggregate. Reads the lists between the two writes, as clients do.
async fn twice<'p>(
    probe: &'p Probe<'_>,
    (owner, key): (&Caller, &str),
    first: &Value,
    second: &Value,
) -> Result<Answer<'p>, Stop> {
    created(probe, write(probe, owner, key, first.clone(), 30).await?).await?;
    let all = shown_as(probe, owner, key, |item| item["key"] == *key).await?;
    probe.given(
        holds(&all[0].0.json()["content"], first),
        "the first write was not returned as it was written",
    )?;
    if probe.settings.network().offers(&OF_ADDRESS) {
        of_address(&owner.address, &[]).send(probe).await?;
    }
    created(probe, write(probe, owner, key, second.clone(), 0).await?).await?;
    let is_new = |answer: &Answer<'_>| answer.status() == 200 && !holds(&answer.json()["content"], first);
    let answer = until(probe, aggregate_call(&owner.address, key), is_new).await?;
    answer.given_status(&[200])?;
    Ok(answer)
}

/// Writes an aggregate twice, with the same members and new values. The new values must be read alone, in the list and among the
/// aggregates of the address, where the old ones were read before. The list must have the `item_hash` that is read alone.
#[shows(rows::REWRITTEN, after(rows::JSON))]
async fn second_write_of_all_members_replaces_the_first(probe: &Probe<'_>) -> Checked {
    let (owner, key) = (caller(probe), key(probe));
    let (old, new) = (label(probe), label(probe));
    let (first, second) = (json!({ "a": 1, "b": old }), json!({ "a": 2, "b": new }));
    let answer = twice(probe, (&owner, &key), &first, &second).await?;
    answer.expect_json("/content", &second.to_string(), |content| holds(content, &second))?;
    let is_it = |item: &Value| item["key"] == *key;
    let shows_it = |(answer, at): &(Answer<'_>, String)| {
        answer.json().pointer(&format!("{at}/content")).is_some_and(|content| holds(content, &second))
    };
    let is_new = |all: &Vec<(Answer<'_>, String)>| all.iter().all(shows_it);
    let all = polled(probe, async || shown_as(probe, &owner, &key, is_it).await, is_new).await?;
    let hash = all[0].0.json()["item_hash"].clone();
    for (answer, at) in all {
        answer
            .expect_json(&format!("{at}/content"), &second.to_string(), |content| holds(content, &second))?;
        // An empty hash belongs to its own row.
        if is_text(&hash) {
            let want = format!("{hash}, as where it is read alone");
            answer.expect_json(&format!("{at}/item_hash"), &want, |shown| *shown == hash)?;
        }
    }
    if !probe.settings.network().offers(&OF_ADDRESS) {
        return Ok(());
    }
    let is_new = |answer: &Answer<'_>| {
        let body = answer.json();
        holds_text(&body, &new) && !holds_text(&body, &old)
    };
    let answer = until(probe, of_address(&owner.address, &[]), is_new).await?;
    answer.given_status(&[200])?;
    let want = format!("the string {new} that was written last, and not {old}");
    answer.expect(is_new(&answer), "body", want, answer.response.text())
}

/// Writes two members of an aggregate, then one of them again. The answer must be either both members merged or the
/// second write alone.
#[shows(rows::PARTIAL)]
async fn later_write_of_some_members_merges_or_replaces(probe: &Probe<'_>) -> Checked {
    let (first, second) = (json!({ "a": 1, "b": "one" }), json!({ "b": "two" }));
    let merged = json!({ "a": 1, "b": "two" });
    let answer = twice(probe, (&caller(probe), &key(probe)), &first, &second).await?;
    let want = format!("{merged} or {second}");
    let is_replaced = |content: &Value| holds(content, &second) && content.get("a").is_none();
    let is_either = |content: &Value| holds(content, &merged) || is_replaced(content);
    let content = answer.expect_json("/content", &want, is_either)?;
    let (met, word) = if is_replaced(&content) {
        (AggregateWrite::Replaced, "replaced")
    } else {
        (AggregateWrite::Merged, "merged")
    };
    if probe.settings.network().aggregate_write != Some(met) {
        probe.note(format!("the target's aggregate_write is `{word}`: declare it in [network.readings]"));
    }
    Ok(())
}

/// The check applies to targets that apply the authorizations of `security`.
fn expect_enforcing(probe: &Probe<'_>) -> Checked {
    if probe.settings.network().enforces_security {
        return Ok(());
    }
    let why = "the target's profile does not set enforces_security ([network.readings])";
    Err(Stop::NotApplicable(why.to_owned()))
}

/// An owner, and signers that may write on its behalf.
struct Delegation {
    owner: Caller,
    signer: Caller,
    key: String,
}

impl Delegation {
    fn new(probe: &Probe<'_>) -> Delegation {
        Delegation { owner: caller(probe), signer: caller(probe), key: key(probe) }
    }

    /// The authorization of a signer for messages of one type under the key, on the default channel.
    fn entry(&self, probe: &Probe<'_>, signer: &Caller, kind: &str) -> Value {
        json!({
            "address": signer.address, "types": [kind], "channels": [probe.settings.dialect.channel],
            "aggregate_keys": [self.key], "post_types": [],
        })
    }

    /// The owner writes `security` with these authorizations.
    async fn authorize(&self, probe: &Probe<'_>, entries: &[Value], seconds_ago: i64) -> Checked {
        let members = json!({ "authorizations": entries });
        let draft = write(probe, &self.owner, "security", members, seconds_ago).await?;
        created(probe, draft).await.map(drop)
    }

    /// A write by a signer to a key of the owner.
    async fn write(
        &self,
        probe: &Probe<'_>,
        signer: &Caller,
        key: &str,
        label: &str,
        seconds_ago: i64,
    ) -> Result<Draft, Stop> {
        let draft = write(probe, signer, key, json!({ "label": label }), seconds_ago).await?;
        let draft = draft.inside("address", Some(json!(self.owner.address)));
        Ok(draft.with("channel", Some(json!(probe.settings.dialect.channel))))
    }

    /// Whether the aggregate under a key has a label.
    async fn holds(&self, probe: &Probe<'_>, key: &str, label: &str) -> Result<bool, Stop> {
        let call = || aggregate_call(&self.owner.address, key);
        let is_there = |answer: &Answer<'_>| answer.json()["content"]["label"] == *label;
        Ok(is_there(&until(probe, call(), is_there).await?))
    }

    /// The signer writes its key: the counterpart of a write that must not count.
    async fn counterpart(&self, probe: &Probe<'_>, place: Place, seconds_ago: i64) -> Result<String, Stop> {
        let label = label(probe);
        let draft = self.write(probe, &self.signer, &self.key, &label, seconds_ago).await?;
        sent_once_listed(probe, &draft.at(place)).await?.counterpart_status(ACCEPTED)?;
        let is_there = self.holds(probe, &self.key, &label).await?;
        probe.counterpart(is_there, "the write of a listed signer does not count")?;
        Ok(label)
    }

    /// Expects a write not to change the aggregate under its key.
    async fn expect_without_effect(&self, probe: &Probe<'_>, draft: Draft, what: &str) -> Checked {
        let content = draft.message["content"].clone();
        let (key, label) = (content["key"].as_str(), &content["content"]["label"]);
        let status = draft.attempt(probe).await?.status();
        probe.note(format!("{what} returns {status}"));
        let call = aggregate_call(&self.owner.address, key.unwrap_or_default());
        let after = call.attempt(probe).await?;
        let found = after.json()["content"]["label"].clone();
        after.expect(found != *label, "/content/label", format!("not {label}: {what}"), found.to_string())
    }
}

/// Sends a write of a signer until the `security` that lists it has been processed.
async fn sent_once_listed<'p>(probe: &'p Probe<'_>, draft: &Draft) -> Result<Answer<'p>, Stop> {
    polled(probe, async || draft.send(probe).await, |answer| ACCEPTED.contains(&answer.status())).await
}

/// An owner lists a signer in `security`, and the signer writes an aggregate under a key of its authorization for the owner.
/// The aggregate must hold what it wrote. Runs where the profile sets `enforces_security`.
#[shows(rows::DELEGATE, after(messages::TYPE_FREE))]
async fn write_of_a_listed_signer_counts(probe: &Probe<'_>, place: Place) -> Checked {
    expect_enforcing(probe)?;
    let delegation = Delegation::new(probe);
    let entry = delegation.entry(probe, &delegation.signer, "AGGREGATE");
    delegation.authorize(probe, &[entry], 60).await?;
    let label = label(probe);
    let draft = delegation.write(probe, &delegation.signer, &delegation.key, &label, 0).await?.at(place);
    sent_once_listed(probe, &draft).await?.expect_status(ACCEPTED)?;
    let call = || aggregate_call(&delegation.owner.address, &delegation.key);
    let after = until(probe, call(), |answer| answer.json()["content"]["label"] == *label).await?;
    after.expect_json("/content/label", &label, |found| *found == *label).map(drop)
}

/// An owner lists two signers, one for AGGREGATE messages and one for POST messages, under one key on the default channel.
/// The first writes a longer and a shorter key, the key on another channel, and `security`; the second writes the key. None
/// may change an aggregate. Runs where the profile sets `enforces_security`.
#[rejects(rows::DELEGATE_LIMITS, after(rows::DELEGATE))]
async fn write_beyond_an_authorization_changes_nothing(probe: &Probe<'_>, place: Place) -> Checked {
    expect_enforcing(probe)?;
    let delegation = Delegation::new(probe);
    let other = caller(probe);
    let entries = [(&delegation.signer, "AGGREGATE"), (&other, "POST")];
    let entries = entries.map(|(signer, kind)| delegation.entry(probe, signer, kind));
    delegation.authorize(probe, &entries, 60).await?;
    delegation.counterpart(probe, place, 30).await?;
    let (key, longer) = (delegation.key.as_str(), format!("{}-2", delegation.key));
    let shorter = &key[..key.len() - 1];
    for (signer, key, channel, what) in [
        (&delegation.signer, longer.as_str(), None, "a write to a key that only begins with the listed one"),
        (&delegation.signer, shorter, None, "a write to a key that the listed one begins with"),
        (&delegation.signer, "security", None, "a write to `security`"),
        (&delegation.signer, key, Some(fresh_channel(probe)), "a write on a channel that is not listed"),
        (&other, key, None, "a write of a signer for other types"),
    ] {
        let mut draft = delegation.write(probe, signer, key, &label(probe), 0).await?.at(place);
        if let Some(channel) = channel {
            draft = draft.with("channel", Some(json!(channel)));
        }
        delegation.expect_without_effect(probe, draft, what).await?;
    }
    Ok(())
}

/// An owner lists a signer in `security`, and later writes `security` without it. A write of the signer from then on must not
/// change the aggregate. Runs where the profile sets `enforces_security`.
#[rejects(rows::DELEGATE_REVOKED, after(rows::DELEGATE))]
async fn write_of_a_former_signer_changes_nothing(probe: &Probe<'_>, place: Place) -> Checked {
    expect_enforcing(probe)?;
    let delegation = Delegation::new(probe);
    let entry = delegation.entry(probe, &delegation.signer, "AGGREGATE");
    delegation.authorize(probe, &[entry], 60).await?;
    delegation.counterpart(probe, place, 45).await?;
    delegation.authorize(probe, &[], 30).await?;
    let is_empty = |answer: &Answer<'_>| {
        answer.json()["content"]["authorizations"].as_array().is_some_and(Vec::is_empty)
    };
    let revoked = until(probe, aggregate_call(&delegation.owner.address, "security"), is_empty).await?;
    revoked.given(is_empty(&revoked), "`security` still lists the signer")?;
    let draft =
        delegation.write(probe, &delegation.signer, &delegation.key, &label(probe), 0).await?.at(place);
    delegation.expect_without_effect(probe, draft, "a write of a former signer").await
}

/// Writes an aggregate, and has a stranger write the same key for the owner's address. The owner's aggregate must hold what
/// the owner wrote. Runs where the profile sets `enforces_security`.
#[rejects(rows::OWNER)]
async fn write_of_a_stranger_changes_nothing(probe: &Probe<'_>, place: Place) -> Checked {
    expect_enforcing(probe)?;
    let (owner, key, own) = (caller(probe), key(probe), label(probe));
    let members = json!({ "title": "a check", "label": own });
    // The stranger's write is newer, so that it would win.
    created(probe, write(probe, &owner, &key, members, 30).await?).await?;
    let call = || aggregate_call(&owner.address, &key);
    let is_own = |body: &Value| body["content"]["label"] == own.as_str();
    let before = until(probe, call(), |answer| is_own(&answer.json())).await?;
    probe.counterpart(is_own(&before.json()), "the owner's write was not returned as it was written")?;
    let members = json!({ "title": "a stranger", "label": label(probe) });
    let strange = write(probe, &caller(probe), &key, members, 0).await?;
    let strange = strange.inside("address", Some(json!(owner.address))).at(place);
    let status = strange.attempt(probe).await?.status();
    probe.note(format!("a stranger's write for another address returns {status}"));
    let after = found(probe, call()).await?;
    after.expect_json("/content/label", &own, |label| *label == *own).map(drop)
}

/// Reads an aggregate that was written (200), then an unused key of the same address. The second answer must be 404, or
/// have no content.
#[rejects(rows::UNKNOWN)]
async fn unwritten_aggregate_is_not_found(probe: &Probe<'_>) -> Checked {
    let written = any(probe).await?;
    until(probe, written.call(), |answer| answer.status() == 200).await?.counterpart_status(&[200])?;
    let answer = aggregate_call(&written.owner.address, &key(probe)).attempt(probe).await?;
    expect_absent_or(&answer, "no content", |body| is_empty(&body["content"]))
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty)
}
