//! The flat list of messages: its elements are records, and each filter lists only what it selects.

use std::slice;

use assay_spec::hosting::record::listed;
use assay_spec::json;
use assay_spec::network::query;
use assay_spec::network::requirements::{flat as rows, listing, paging};
use serde_json::{Value, json};

use super::caller::{Caller, caller};
use super::creations::of_other_types;
use super::scene::{
    Created, List, confirmations, created, duplicate, early_and_late, expect_as_sent, fresh_channel, list_of,
    listing, of_several_types, polled, post_content, posted, rich_channel,
};
use super::wire::{Call, Draft, now, path_with};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;

/// Reads the flat list: an array, or an object with one array. If it is neither, the check is inconclusive.
async fn flat<'p>(probe: &'p Probe<'_>, filters: &[(&str, &str)]) -> Result<List<'p>, Stop> {
    let answer = Call::get(&query::FLAT, &path_with("/messages.json", filters)).send(probe).await?;
    answer.given_status(&[200])?;
    let text = answer.response.text();
    let items = listed(&text).ok().map(|items| {
        items.iter().filter_map(|item| json::parse(item.get().as_bytes()).ok()).collect::<Vec<Value>>()
    });
    let items = probe.given_some(items, "the answer is neither an array nor an object with one array")?;
    Ok(List { answer, items })
}

/// The record of an element: itself, or its `message`. Another check rejects the wrapper.
fn record(item: &Value) -> &Value {
    item.get("message").filter(|inner| inner.is_object()).unwrap_or(item)
}

/// As [`flat`], with these messages.
async fn found<'p>(
    probe: &'p Probe<'_>,
    filters: &[(&str, &str)],
    hashes: &[&str],
) -> Result<List<'p>, Stop> {
    listing(probe, filters, hashes, async || flat(probe, filters).await, |item| &record(item)["item_hash"])
        .await
}

/// As [`flat`], with at least one element. At a shared target the list is read again while it is empty.
async fn some<'p>(probe: &'p Probe<'_>, filters: &[(&str, &str)]) -> Result<List<'p>, Stop> {
    let list = polled(probe, async || flat(probe, filters).await, |list| !list.items.is_empty()).await?;
    probe
        .given(!list.items.is_empty(), "the list is empty, although a message was sent that belongs in it")?;
    Ok(list)
}

/// Sends a POST of a content type on a channel, dated `seconds_ago`.
async fn sent(
    probe: &Probe<'_>,
    sender: &Caller,
    seconds_ago: i64,
    kind: &str,
    channel: &str,
) -> Result<Created, Stop> {
    let then = now(probe).await? + -1000 * seconds_ago;
    let mut content = post_content(sender, then.seconds(), &json!({ "title": "a check" }));
    content["type"] = json!(kind);
    let draft = Draft::dated(probe, sender, "POST", content, then);
    created(probe, draft.with("channel", Some(json!(channel)))).await
}

/// Sends two POSTs and lists their sender at `/messages.json`. Each element must have `sender`, `type`, `channel` and
/// `content` at its top, without a `message` around them.
#[shows(rows::FLAT)]
async fn elements_are_records_without_a_wrapper(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    for _ in 0..2 {
        posted(probe, &sender).await?;
    }
    let filters = [("addresses", sender.address.as_str())];
    let answer = Call::get(&query::FLAT, &path_with("/messages.json", &filters)).send(probe).await?;
    answer.expect_status(&[200])?;
    let listed = some(probe, &filters).await?;
    listed.expect_each("sender, type, channel and content at the top, no message around them", |item| {
        let has_strings = ["sender", "type", "channel"].iter().all(|member| item[*member].is_string());
        has_strings && item["content"].is_object() && !item["message"].is_object()
    })
}

/// Sends a POST and lists its sender at `/messages.json`, in a world of its own also after it was confirmed. The list must contain
/// its hash.
#[shows(rows::FINDS, after(paging::FIRST_PAGE))]
async fn a_message_is_in_its_senders_flat_list(probe: &Probe<'_>) -> Checked {
    let sent = posted(probe, &caller(probe)).await?;
    let hashes = |list: &List<'_>| -> Vec<String> {
        let hashes = list.items.iter().filter_map(|item| record(item)["item_hash"].as_str());
        hashes.map(str::to_owned).collect()
    };
    let filters = [("addresses", sent.draft.caller.address.as_str())];
    let is_listed = |list: &List<'_>| hashes(list).contains(&sent.hash);
    early_and_late(probe, async || {
        let listed = polled(probe, async || flat(probe, &filters).await, is_listed).await?;
        let found = hashes(&listed);
        listed.answer.expect(
            found.contains(&sent.hash),
            "hashes of the elements",
            &sent.hash,
            found.join(", "),
        )
    })
    .await
}

/// Sends a POST, another with the same content, an AGGREGATE, a PROGRAM, a STORE and a FORGET of one sender and lists them at
/// `/messages.json`, in a world of its own also messages of the other types, and all of them again after they were confirmed. Each must
/// be listed as it was sent, there with its confirmations.
#[shows(rows::AS_SENT, after(rows::FINDS, rows::ADDRESSES, listing::ADDRESSES, paging::FIRST_PAGE))]
async fn messages_are_in_the_flat_list_as_they_were_sent(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    let mut sent = of_several_types(probe, &sender).await?;
    sent.push(duplicate(probe, &sent[0]).await?);
    let others = of_other_types(probe).await?;
    early_and_late(probe, async || {
        let known = confirmations(probe, &sent).await?;
        expect_as_sent(&flat_of(probe, &sender, &sent).await?, &sent, &known)?;
        for one in &others {
            let one = slice::from_ref(one);
            expect_as_sent(&flat_of(probe, &one[0].draft.caller, one).await?, one, &[])?;
        }
        Ok(())
    })
    .await
}

/// The records of a sender's flat list, as soon as it has these messages.
pub(super) async fn flat_of<'p>(
    probe: &'p Probe<'_>,
    sender: &Caller,
    sent: &[Created],
) -> Result<List<'p>, Stop> {
    let is_whole = |list: &List<'_>| {
        sent.iter().all(|one| list.items.iter().any(|item| record(item)["item_hash"] == *one.hash))
    };
    let filters = [("addresses", sender.address.as_str())];
    let List { answer, items } = polled(probe, async || flat(probe, &filters).await, is_whole).await?;
    Ok(List { answer, items: items.iter().map(|item| record(item).clone()).collect() })
}

/// Sends two POSTs from each of two senders and lists `/messages.json` with `addresses` set to each sender. Both must be listed, and
/// no other's.
#[shows(rows::ADDRESSES, after(paging::FIRST_PAGE))]
async fn addresses_select_in_the_flat_list(probe: &Probe<'_>) -> Checked {
    let (one, other) = (caller(probe), caller(probe));
    // Two of each: another check reads a list of one.
    let mut hashes = Vec::new();
    for sender in [&one, &one, &other, &other] {
        hashes.push(posted(probe, sender).await?.hash);
    }
    for (sender, own) in [&one, &other].into_iter().zip(hashes.chunks(2)) {
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let listed = found(probe, &[("addresses", &sender.address)], &own).await?;
        listed.expect_each(&format!("sender {}", sender.address), |item| {
            let found = record(item)["sender"].as_str();
            found.is_some_and(|found| found.eq_ignore_ascii_case(&sender.address))
        })?;
    }
    Ok(())
}

/// Sends POSTs on two channels and lists `/messages.json` with `channels` set to each. Its message must be listed, and
/// none of another channel.
#[shows(rows::CHANNELS, after(paging::FIRST_PAGE))]
async fn channels_select_in_the_flat_list(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    let (one, other) = (fresh_channel(probe), fresh_channel(probe));
    let mut hashes = Vec::new();
    for channel in [&one, &other] {
        hashes.push(sent(probe, &sender, 0, "assay-check", channel).await?.hash);
    }
    for (channel, hash) in [&one, &other].into_iter().zip(&hashes) {
        let listed = found(probe, &[("channels", channel)], &[hash]).await?;
        listed.expect_each(&format!("channel {channel}"), |item| record(item)["channel"] == **channel)?;
    }
    Ok(())
}

/// Sends POSTs of two content types and lists `/messages.json` with `content_types` set to each, and to both. Their messages must be
/// listed, and none of another type.
#[shows(rows::CONTENT_TYPES, after(paging::FIRST_PAGE))]
async fn content_types_select_in_the_flat_list(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    let label = assay_spec::crypto::text::hex(&probe.draw("content-type")[..6]);
    // A type is any string that is not empty.
    let [one, other] = ["one", "_other. caf\u{e9}"].map(|name| format!("assay-check-{name}-{label}"));
    let channel = fresh_channel(probe);
    let mut hashes = Vec::new();
    for kind in [&one, &other] {
        hashes.push(sent(probe, &sender, 0, kind, &channel).await?.hash);
    }
    for (kind, hash) in [&one, &other].into_iter().zip(&hashes) {
        let listed = found(probe, &[("content_types", kind)], &[hash]).await?;
        listed
            .expect_each(&format!("content.type {kind}"), |item| record(item)["content"]["type"] == **kind)?;
    }
    // The parameter names several types.
    let hashes: Vec<&str> = hashes.iter().map(String::as_str).collect();
    let listed = found(probe, &[("content_types", &format!("{one},{other}"))], &hashes).await?;
    listed.expect_each("one of the two content types", |item| {
        [&one, &other].iter().any(|kind| record(item)["content"]["type"] == ***kind)
    })
}

/// Sends a message of 40 seconds ago and one of now, and lists `/messages.json` with `startDate` halfway between. The
/// later one must be listed, and no element may be earlier.
#[shows(rows::START_DATE, after(rows::FINDS))]
async fn nothing_before_the_start_is_listed(probe: &Probe<'_>) -> Checked {
    let Dated { sender, middle, new, .. } = old_and_new(probe).await?;
    let start = middle.to_string();
    let listed = found(probe, &[("startDate", &start), ("addresses", &sender.address)], &[&new]).await?;
    listed.expect_each(&format!("timestamp {start} or later"), |item| {
        record(item)["timestamp"].as_i64().is_some_and(|time| time >= middle)
    })
}

/// Sends a message of 40 seconds ago and one of now, and lists `/messages.json` with `endDate` halfway between. The earlier
/// one must be listed, and no element may be later.
#[shows(rows::END_DATE, after(rows::FINDS))]
async fn nothing_after_the_end_is_listed(probe: &Probe<'_>) -> Checked {
    let Dated { sender, middle, old, .. } = old_and_new(probe).await?;
    let end = middle.to_string();
    let listed = found(probe, &[("endDate", &end), ("addresses", &sender.address)], &[&old]).await?;
    listed.expect_each(&format!("timestamp {end} or earlier"), |item| {
        record(item)["timestamp"].as_i64().is_some_and(|time| time <= middle)
    })
}

/// The filters, each with a message that it alone leaves out.
const FILTERS: [&str; 5] = ["addresses", "channels", "content_types", "startDate", "endDate"];

/// Whether a set of filters, as bits, names a sender or a channel, so that no message of another run is listed.
fn is_own(filters: u8) -> bool {
    filters & 0b11 != 0
}

/// Sends a message, and for each of the five filters one that differs in what the filter selects: the sender, the channel, the content type
/// `amend`, an earlier and a later time. Lists `/messages.json` with all filters, with all but one, and in a world of its own with pairs of them. Each must
/// list exactly the messages that match all its filters. With two addresses and two channels, all must be listed.
#[shows(
    rows::ALL_OF,
    after(
        rows::ADDRESSES,
        rows::CHANNELS,
        rows::CONTENT_TYPES,
        rows::START_DATE,
        rows::END_DATE,
        rows::FINDS,
    )
)]
async fn filters_combine_in_the_flat_list(probe: &Probe<'_>) -> Checked {
    const HOUR: i64 = 3600;
    let senders = [caller(probe), caller(probe)];
    let channels = [rich_channel(probe), fresh_channel(probe)];
    let mut originals = Vec::new();
    for sender in &senders {
        originals.push(sent(probe, sender, HOUR, "assay-check", &channels[0]).await?.hash);
    }
    let hour_ago = now(probe).await?.seconds() - HOUR;
    let amend = async |sender: usize, channel: usize, hours_ago: i64| {
        let then = now(probe).await? + -1000 * HOUR * hours_ago;
        let mut content = post_content(&senders[sender], then.seconds(), &json!({ "title": "a check" }));
        content["type"] = json!("amend");
        content["ref"] = json!(originals[sender]);
        let draft = Draft::dated(probe, &senders[sender], "POST", content, then);
        created(probe, draft.with("channel", Some(json!(channels[channel])))).await
    };
    // Which filters leave each message out, as bits.
    let mut all = vec![(originals[0].clone(), 0b100), (originals[1].clone(), 0b101)];
    for (left_out, sender, channel, hours_ago) in
        [(0, 0, 0, 1), (0b1, 1, 0, 1), (0b10, 0, 1, 1), (0b1000, 0, 0, 2), (0b1_0000, 0, 0, 0)]
    {
        all.push((amend(sender, channel, hours_ago).await?.hash, left_out));
    }
    for (n, sender) in senders.iter().enumerate() {
        let own: Vec<&str> =
            all.iter().filter(|(_, out)| usize::from(out & 1) == n).map(|(hash, _)| hash.as_str()).collect();
        list_of(probe, sender, &own).await?;
    }
    let values = [
        senders[0].address.clone(),
        channels[0].clone(),
        "amend".to_owned(),
        (hour_ago - HOUR / 2).to_string(),
        (hour_ago + HOUR / 2).to_string(),
    ];
    let is_sent = |filters: &u8| {
        let count = filters.count_ones();
        is_own(*filters) && (count >= 4 || probe.owns_time() && count == 2)
    };
    for filters in (1..1u8 << FILTERS.len()).filter(is_sent) {
        let named = |at: &usize| filters & (1 << at) != 0;
        let query: Vec<(&str, &str)> =
            (0..FILTERS.len()).filter(named).map(|at| (FILTERS[at], values[at].as_str())).collect();
        let found = |list: &List<'_>| -> Vec<&String> {
            let is_listed = |hash: &String| list.items.iter().any(|item| record(item)["item_hash"] == **hash);
            all.iter().map(|(hash, _)| hash).filter(|hash| is_listed(hash)).collect()
        };
        let wanted: Vec<&String> =
            all.iter().filter(|(_, out)| out & filters == 0).map(|(hash, _)| hash).collect();
        let is_whole = |list: &List<'_>| found(list) == wanted;
        let listed = polled(probe, async || flat(probe, &query).await, is_whole).await?;
        let place = format!("messages of {query:?}");
        listed.answer.expect(
            is_whole(&listed),
            &place,
            format!("{wanted:?}"),
            format!("{:?}", found(&listed)),
        )?;
    }
    let several = [senders.map(|sender| sender.address).join(","), channels.join(",")];
    let query: Vec<(&str, &str)> = FILTERS.into_iter().zip(several.iter().map(String::as_str)).collect();
    let has_all = |list: &List<'_>| missing(list, &all).is_empty();
    let listed = polled(probe, async || flat(probe, &query).await, has_all).await?;
    let want = "the messages of all values";
    listed.answer.expect(
        has_all(&listed),
        &format!("messages of {query:?}"),
        want,
        format!("without {}", missing(&listed, &all).join(", ")),
    )
}

/// The messages that a list lacks.
fn missing<'a>(list: &List<'_>, all: &'a [(String, u8)]) -> Vec<&'a str> {
    let is_listed = |hash: &str| list.items.iter().any(|item| record(item)["item_hash"] == hash);
    all.iter().map(|(hash, _)| hash.as_str()).filter(|hash| !is_listed(hash)).collect()
}

/// A sender with a message of an hour ago and one of now.
struct Dated {
    sender: Caller,
    /// The hashes of the two.
    old: String,
    new: String,
    /// The time halfway between, in seconds. No message is near it, so it does not matter whether a bound is inclusive.
    middle: i64,
}

/// How far the times of two messages are apart, in seconds. A bound of whole minutes or hours loses one of them.
const APART: i64 = 40;

async fn old_and_new(probe: &Probe<'_>) -> Result<Dated, Stop> {
    let (sender, channel) = (caller(probe), fresh_channel(probe));
    let old = sent(probe, &sender, APART, "assay-check", &channel).await?;
    let new = sent(probe, &sender, 0, "assay-check", &channel).await?;
    list_of(probe, &sender, &[&old.hash, &new.hash]).await?;
    let time = |created: &Created| created.draft.message["timestamp"].as_i64().unwrap_or_default();
    let middle = i64::midpoint(time(&old), time(&new));
    Ok(Dated { sender, middle, old: old.hash, new: new.hash })
}
