//! One message and its record: what is read is what was sent.

use std::slice;
use std::time::Duration;

use assay_spec::Place;
use assay_spec::json::{holds_in_order, is_integer};
use assay_spec::network::message;
use assay_spec::network::requirements::{flat, info, listing, messages as rows};
use assay_spec::network::storage::STORE;
use serde_json::{Value, json};

use super::caller::{Procedure, caller};
use super::creations::{Creation, hashes, of_other_types};
use super::flat::flat_of;
use super::scene::{
    Created, List, aggregate, another, confirmed, content_shown, created, expect_as_sent, forgotten,
    fresh_channel, list_of, look, once_settled, polled, post_content, post_draft, posted, read, rich,
};
use super::upload::stored;
use super::wire::{Call, Draft, now, pass, path_with};
use super::{ACCEPTED, CREATED};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::probe::{Answer, CONTENT, Probe};

/// Sends a rich message and reads it. If either fails, the check is inconclusive.
async fn sent_and_read<'p>(probe: &'p Probe<'_>) -> Result<(Created, Answer<'p>), Stop> {
    let created = created(probe, rich(probe, &caller(probe)).await?).await?;
    let answer = read(probe, &created.hash).await?;
    Ok((created, answer))
}

/// Judges the record of a message, and in a world of its own once more after the message was confirmed.
async fn record_early_and_late(
    probe: &Probe<'_>,
    hash: &str,
    first: Answer<'_>,
    judge: impl Fn(&Answer<'_>) -> Checked,
) -> Checked {
    judge(&first)?;
    if confirmed(probe).await? { judge(&read(probe, hash).await?) } else { Ok(()) }
}

/// Expects a member of the record to be what the message held.
async fn as_sent(probe: &Probe<'_>, member: &str) -> Checked {
    let (created, answer) = sent_and_read(probe).await?;
    let sent = &created.draft.message[member];
    record_early_and_late(probe, &created.hash, answer, |answer| {
        answer.expect_json(&format!("/message/{member}"), &sent.to_string(), |found| found == sent).map(drop)
    })
    .await
}

/// Sends a POST and an AGGREGATE to `POST /messages`. Both must be accepted.
#[shows(rows::TYPE_FREE, after(info::PREFIX))]
async fn post_and_aggregate_are_both_accepted(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe);
    post_draft(probe, &caller).await?.send(probe).await?.expect_accepted(ACCEPTED, CREATED)?;
    aggregate(probe, &caller).await?.send(probe).await?.expect_accepted(ACCEPTED, CREATED)
}

/// Sends a POST and reads it at `/messages/{hash}`. The answer must be 200.
#[shows(rows::FOUND)]
async fn a_message_is_found_by_its_hash(probe: &Probe<'_>) -> Checked {
    let hash = posted(probe, &caller(probe)).await?.hash;
    look(probe, &hash).await?.expect_accepted(&[200], CONTENT)
}

/// Sends a POST and reads it by its hash. The answer must hold the record in `message`, and beside it the strings
/// `status` and `item_hash`.
#[shows(rows::WRAPPER)]
async fn record_is_inside_message(probe: &Probe<'_>) -> Checked {
    let hash = posted(probe, &caller(probe)).await?.hash;
    let answer = look(probe, &hash).await?;
    answer.given_status(&[200])?;
    answer.expect_json("/message", "the record", |record| record["sender"].is_string())?;
    answer.expect_json("/status", "a string", Value::is_string)?;
    answer.expect_json("/item_hash", "a string", Value::is_string).map(drop)
}

/// Sends a POST and reads it by its hash. `item_hash` beside `message` must be that hash.
#[shows(rows::WRAPPER_HASH)]
async fn the_wrapper_holds_the_hash_asked_for(probe: &Probe<'_>) -> Checked {
    let (created, answer) = sent_and_read(probe).await?;
    answer.expect_json("/item_hash", &created.hash, |hash| *hash == *created.hash).map(drop)
}

/// Sends a POST and reads it by its hash. `message.item_hash` must be the hash that the creation returned.
#[shows(rows::ITEM_HASH)]
async fn record_holds_the_hash_that_was_returned(probe: &Probe<'_>) -> Checked {
    let (created, answer) = sent_and_read(probe).await?;
    answer.expect_json("/message/item_hash", &created.hash, |hash| *hash == *created.hash).map(drop)
}

/// Sends a POST and reads it by its hash. `message.chain` must be what was sent.
#[shows(rows::CHAIN)]
async fn the_chain_is_what_was_sent(probe: &Probe<'_>) -> Checked {
    as_sent(probe, "chain").await
}

/// Sends a POST and reads it by its hash. `message.sender` must be the envelope's `address`; letter case is ignored,
/// since it is only a checksum.
#[shows(rows::SENDER)]
async fn the_sender_is_the_envelopes_address(probe: &Probe<'_>) -> Checked {
    let (created, answer) = sent_and_read(probe).await?;
    let address = &created.draft.caller.address;
    let is_sender = |sender: &Value| sender.as_str().is_some_and(|text| text.eq_ignore_ascii_case(address));
    answer.expect_json("/message/sender", address, is_sender).map(drop)
}

/// Sends a POST and an AGGREGATE and reads both by their hashes. `message.type` of each must be what was sent.
#[shows(rows::TYPE)]
async fn the_type_is_what_was_sent(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe);
    for draft in [post_draft(probe, &caller).await?, aggregate(probe, &caller).await?] {
        let created = created(probe, draft).await?;
        let answer = read(probe, &created.hash).await?;
        let sent = &created.draft.message["type"];
        answer.expect_json("/message/type", &sent.to_string(), |kind| kind == sent)?;
    }
    Ok(())
}

/// Sends POSTs on two new channels, one with blanks, letters beyond ASCII, `.` and `_`, and reads them by their hashes.
/// `message.channel` must be what was sent.
#[shows(rows::CHANNEL)]
async fn the_channel_is_what_was_sent(probe: &Probe<'_>) -> Checked {
    as_sent(probe, "channel").await?;
    let channel = format!("{} caf\u{e9}_x.y", fresh_channel(probe));
    let draft = rich(probe, &caller(probe)).await?.with("channel", Some(json!(channel)));
    let answer = draft.send(probe).await?;
    answer.expect_accepted(ACCEPTED, CREATED)?;
    let hash = answer.json()["item_hash"].as_str().unwrap_or_default().to_owned();
    let want = json!(channel);
    read(probe, &hash).await?.expect_json("/message/channel", &channel, |found| *found == want).map(drop)
}

/// Sends a message without `channel` and reads it by its hash. `message.channel` must be the default channel. A target
/// that rejects the message is not judged.
#[shows(rows::CHANNEL_DEFAULT, after(rows::CHANNEL))]
async fn message_without_a_channel_is_on_the_default_channel(probe: &Probe<'_>, place: Place) -> Checked {
    let creation = Creation::at(probe, place).await?;
    let mut draft = creation.draft(probe).await?.with("channel", None);
    // The canonical JSON needs a channel.
    draft.procedure = Procedure::General;
    let answer = draft.send(probe).await?;
    if !ACCEPTED.contains(&answer.status()) {
        creation.draft(probe).await?.send(probe).await?.given_status(ACCEPTED)?;
        let why = format!("the target rejects a message without a channel ({})", answer.status());
        return Err(Stop::NotApplicable(why));
    }
    let channel = &probe.settings.dialect.channel;
    for hash in hashes(probe, &answer, &draft.caller).await? {
        let answer = read(probe, &hash).await?;
        if answer.json()["status"] == "rejected" {
            let why = "the target rejects a message without a channel later".to_owned();
            return Err(Stop::NotApplicable(why));
        }
        answer.expect_json("/message/channel", channel, |found| *found == **channel)?;
    }
    Ok(())
}

/// Sends a POST dated seven seconds ago and reads it by its hash. `message.timestamp` must be what was sent.
#[shows(rows::TIMESTAMP)]
async fn the_timestamp_is_what_was_sent(probe: &Probe<'_>) -> Checked {
    as_sent(probe, "timestamp").await
}

/// Sends a POST and reads it by its hash. `status` should not be `success`, which says that a create call was accepted. Each other
/// message that a run reads is held to it.
#[shows(rows::WRAPPER_STATUS)]
async fn status_is_that_of_the_message(probe: &Probe<'_>) -> Checked {
    let (_, answer) = sent_and_read(probe).await?;
    answer.given(answer.json()["status"].is_string(), "`status` is not a string")?;
    let want = "the status of a message, such as `processed`";
    answer.expect_json("/status", want, |status| status != "success").map(drop)
}

/// Sends a POST whose content has every type of JSON and reads it by its hash, in a world of its own also after it was confirmed.
/// `message.content` must hold all that was sent; more members are allowed. In a world of its own that holds for messages of the
/// types with an endpoint of their own too. If the message is rejected, it is sent without a null
/// character, which a server may reject; that must be accepted where an ordinary POST is.
#[shows(rows::CONTENT, after(listing::ADDRESSES, listing::FINDS))]
async fn the_content_is_what_was_sent(probe: &Probe<'_>) -> Checked {
    let plain = rich(probe, &caller(probe)).await?;
    let mut content = plain.message["content"].clone();
    content["content"]["null character"] = json!("a\0b");
    let mut draft = plain.clone().with("content", Some(content));
    let mut answer = draft.send(probe).await?;
    let mut kept = answer.json()["item_hash"].as_str().map(str::to_owned);
    let mut is_rejected = !ACCEPTED.contains(&answer.status());
    if let Some(hash) = kept.as_deref().filter(|_| !is_rejected) {
        is_rejected = look(probe, hash).await?.json()["status"] == "rejected";
    }
    if is_rejected {
        probe.note("a message with a null character is rejected");
        draft = plain;
        answer = draft.send(probe).await?;
        kept = answer.json()["item_hash"].as_str().map(str::to_owned);
    }
    if !ACCEPTED.contains(&answer.status()) {
        posted(probe, &caller(probe)).await?;
    }
    answer.expect_accepted(ACCEPTED, CREATED)?;
    for Created { hash, draft } in of_other_types(probe).await? {
        let sent = content_shown(&draft);
        let answer = read(probe, &hash).await?;
        answer.expect_json("/message/content", &sent.to_string(), |found| holds_in_order(found, &sent))?;
    }
    let hash = kept.unwrap_or_default();
    let first = read(probe, &hash).await?;
    let sent = &draft.message["content"];
    record_early_and_late(probe, &hash, first, |answer| {
        answer
            .expect_json("/message/content", &sent.to_string(), |found| holds_in_order(found, sent))
            .map(drop)
    })
    .await
}

/// Sends a POST, an amend of it, and a FORGET of a file of the same sender, and lets two weeks pass in a world of its own. The POST must
/// be as it was sent where it is read by its hash and in both lists.
#[shows(rows::UNCHANGED, after(rows::CONTENT, rows::FOUND, listing::AS_SENT, flat::AS_SENT))]
async fn a_message_stays_as_it_was_sent(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    let post = created(probe, rich(probe, &sender).await?).await?;
    let mut content = post_content(&sender, now(probe).await?.seconds(), &json!({ "title": "amended" }));
    content["type"] = json!("amend");
    content["ref"] = json!(post.hash);
    let amend = Draft::new(probe, &sender, "POST", content).await?;
    let amend = created(probe, amend).await?;
    read(probe, &amend.hash).await?;
    if probe.settings.network().offers(&STORE) {
        let file = stored(probe, &sender).await?.hash;
        read(probe, &file).await?;
        forgotten(probe, &sender, &[&file]).await?;
        once_settled(probe, &file, "forgotten").await?;
    }
    if probe.owns_time() {
        pass(probe, Duration::from_hours(24 * 14)).await?;
    }
    let sent = &post.draft.message["content"];
    let answer = look(probe, &post.hash).await?;
    answer.expect_json("/message/content", &sent.to_string(), |found| holds_in_order(found, sent))?;
    let all = slice::from_ref(&post);
    expect_as_sent(&list_of(probe, &sender, &[&post.hash]).await?, all, &[])?;
    expect_as_sent(&flat_of(probe, &sender, all).await?, all, &[])
}

/// Sends a POST and reads it by its hash, in a world of its own also after it was confirmed. `message.signature` must be what was
/// sent.
#[shows(rows::SIGNATURE)]
async fn the_signature_is_what_was_sent(probe: &Probe<'_>) -> Checked {
    let (created, answer) = sent_and_read(probe).await?;
    let signature = created.draft.signature();
    record_early_and_late(probe, &created.hash, answer, |answer| {
        answer.expect_json("/message/signature", &signature, |found| *found == *signature).map(drop)
    })
    .await
}

/// Sends a POST and reads it by its hash. `message.confirmations` must be an array, empty or of objects with the string
/// `chain`, the integer `height` and the string `hash`.
#[shows(rows::CONFIRMATIONS)]
async fn confirmations_name_chain_height_and_hash(probe: &Probe<'_>) -> Checked {
    let hash = posted(probe, &caller(probe)).await?.hash;
    confirmed(probe).await?;
    let answer = read(probe, &hash).await?;
    let is_block = |block: &Value| {
        block["chain"].is_string() && is_integer(&block["height"]) && block["hash"].is_string()
    };
    let want = "an array of objects with chain (a string), height (an integer) and hash (a string)";
    let found = answer.expect_json("/message/confirmations", want, |blocks| {
        blocks.as_array().is_some_and(|blocks| blocks.iter().all(is_block))
    })?;
    probe.note(format!("{} confirmations", found.as_array().map_or(0, Vec::len)));
    Ok(())
}

/// Sends the same message twice. The sender's list must not contain one hash twice. How a hash is made is not shown: a
/// note says if the second answer, where it is accepted, returns another hash.
#[shows(rows::SAME_TWICE)]
async fn the_same_message_twice_is_one_message(probe: &Probe<'_>, place: Place) -> Checked {
    let creation = Creation::at(probe, place).await?;
    let draft = creation.draft(probe).await?;
    let first = draft.send(probe).await?;
    first.given_accepted(ACCEPTED, creation.evidence())?;
    let second = draft.send(probe).await?;
    if !ACCEPTED.contains(&second.status()) {
        probe.note(format!("the same message again returns {}", second.status()));
    } else if second.json()["item_hash"] != first.json()["item_hash"] {
        probe.note("the same message again has another hash");
    }
    let known = first.json()["item_hash"].as_str().map(str::to_owned);
    let filter: Vec<&str> = known.iter().map(String::as_str).collect();
    let is_there = |listed: &List<'_>| {
        let hashes = listed.strings("item_hash");
        known.as_ref().is_none_or(|hash| hashes.contains(hash)) && !hashes.is_empty()
    };
    let listed = polled(probe, async || list_of(probe, &draft.caller, &filter).await, is_there).await?;
    let mut hashes = listed.strings("item_hash");
    probe.given(is_there(&listed), "the message is not in its sender's list; another check judges that")?;
    hashes.sort();
    let twice = hashes.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone());
    let got = twice.clone().map_or_else(String::new, |hash| format!("{hash} twice"));
    listed.answer.expect(twice.is_none(), "/messages/*/item_hash", "each hash once", got)
}

/// Reads a message that was sent (200), then a hash that differs in its last character. The second answer must be 404.
#[rejects(rows::UNKNOWN)]
async fn an_unknown_hash_is_not_found(probe: &Probe<'_>) -> Checked {
    let hash = posted(probe, &caller(probe)).await?.hash;
    look(probe, &hash).await?.counterpart_status(&[200])?;
    let path = path_with(&format!("/messages/{}", another(&hash)), &[]);
    Call::get(&message::READ, &path).attempt(probe).await?.expect_refused()
}
