//! What checks of several chapters send and read: messages, their records, lists, and removals.

use std::time::Duration;

use assay_spec::crypto::text::hex;
use assay_spec::endpoint::Endpoint;
use assay_spec::json::holds_in_order;
use assay_spec::network::limits::BYTES_LEAVE_LATEST;
use assay_spec::network::storage::STORE;
use assay_spec::network::{message, query};
use serde_json::{Value, json};

use super::caller::{self, Caller};
use super::replies::is_address;
use super::upload::stored;
use super::wire::{Call, Draft, now, pass, path_with};
use super::{ACCEPTED, CREATED, POST_TYPE, programs};
use crate::harness::boundary::ms;
use crate::harness::check::{Checked, Stop};
use crate::harness::probe::{Answer, Probe};

/// A message that was accepted.
pub(crate) struct Created {
    /// The hash that the target returned.
    pub(crate) hash: String,
    /// What was sent.
    pub(crate) draft: Draft,
}

/// The content of a POST: its document and the members around it.
pub(crate) fn post_content(caller: &Caller, time: i64, document: &Value) -> Value {
    json!({ "address": caller.address, "type": POST_TYPE, "content": document, "time": time })
}

/// A new POST of `caller`.
pub(crate) async fn post_draft(probe: &Probe<'_>, caller: &Caller) -> Result<Draft, Stop> {
    let now = now(probe).await?;
    let label = hex(&probe.draw("document")[..8]);
    let content = post_content(caller, now.seconds(), &json!({ "title": "a check", "label": label }));
    Ok(Draft::dated(probe, caller, "POST", content, now))
}

/// Sends a message. If it is not accepted, the check is inconclusive.
pub(crate) async fn created(probe: &Probe<'_>, draft: Draft) -> Result<Created, Stop> {
    let answer = draft.send(probe).await?;
    answer.given_accepted(ACCEPTED, CREATED)?;
    let hash = answer.json()["item_hash"].as_str().unwrap_or_default().to_owned();
    Ok(Created { hash, draft })
}

/// Sends an ordinary POST of `caller`. If it is not accepted, the check is inconclusive.
pub(crate) async fn posted(probe: &Probe<'_>, caller: &Caller) -> Result<Created, Stop> {
    created(probe, post_draft(probe, caller).await?).await
}

/// Sends an ordinary POST of a new sender: the valid counterpart of a rejected message.
pub(crate) async fn counterpart(probe: &Probe<'_>) -> Result<(), Stop> {
    post_draft(probe, &caller::caller(probe)).await?.counterpart(probe).await
}

/// Reads a message, whatever the answer is. At a shared target it is read again while it is missing or pending.
pub(crate) async fn look<'p>(probe: &'p Probe<'_>, hash: &str) -> Result<Answer<'p>, Stop> {
    let call = Call::get(&message::READ, &format!("/messages/{hash}"));
    let is_there = |answer: &Answer<'_>| answer.status() == 200 && answer.json()["status"] != "pending";
    polled(probe, async || call.clone().send(probe).await, is_there).await
}

/// Reads a message until its status is `wanted`, and returns the answer as it is then.
pub(crate) async fn look_until<'p>(
    probe: &'p Probe<'_>,
    hash: &str,
    wanted: &str,
) -> Result<Answer<'p>, Stop> {
    let is_so = |answer: &Answer<'_>| answer.json()["status"] == wanted || answer.status() == 410;
    let call = Call::get(&message::READ, &format!("/messages/{hash}"));
    polled(probe, async || call.clone().send(probe).await, is_so).await
}

/// Reads a message. If the answer has no record in `message`, the check is inconclusive.
pub(crate) async fn read<'p>(probe: &'p Probe<'_>, hash: &str) -> Result<Answer<'p>, Stop> {
    let answer = look(probe, hash).await?;
    answer.given_status(&[200])?;
    probe.given(answer.json()["message"].is_object(), "the answer has no object `message`")?;
    Ok(answer)
}

/// A list that was returned.
pub(crate) struct List<'p> {
    pub(crate) answer: Answer<'p>,
    pub(crate) items: Vec<Value>,
}

impl List<'_> {
    /// The string member of each element; empty where it is missing or not a string.
    pub(crate) fn strings(&self, member: &str) -> Vec<String> {
        strings(&self.items, member)
    }

    /// Expects every element to satisfy `holds`.
    pub(crate) fn expect_each(&self, want: &str, holds: impl Fn(&Value) -> bool) -> Result<(), Stop> {
        let odd = self.items.iter().position(|item| !holds(item));
        let place = odd.map_or_else(|| "elements".to_owned(), |at| format!("element {at}"));
        let got = odd.map_or_else(String::new, |at| self.items[at].to_string());
        self.answer.expect(odd.is_none(), &place, want, got)
    }
}

/// The string member of each element; empty where it is missing or not a string.
pub(crate) fn strings(items: &[Value], member: &str) -> Vec<String> {
    items.iter().map(|item| item[member].as_str().unwrap_or_default().to_owned()).collect()
}

/// Reads a page of the list `name`. If the answer is not a list, the check is inconclusive.
pub(crate) async fn list<'p>(
    probe: &'p Probe<'_>,
    endpoint: &'static Endpoint,
    path: &str,
    name: &str,
) -> Result<List<'p>, Stop> {
    let answer = Call::get(endpoint, path).send(probe).await?;
    answer.given_status(&[200])?;
    let items = answer.json()[name].as_array().cloned();
    probe.given(items.is_some(), format!("the answer has no array `{name}`"))?;
    Ok(List { answer, items: items.unwrap_or_default() })
}

/// The latest hundred messages of a sender. At a shared target they are read again until all of `hashes` are among
/// them.
pub(crate) async fn list_of<'p>(
    probe: &'p Probe<'_>,
    sender: &Caller,
    hashes: &[&str],
) -> Result<List<'p>, Stop> {
    let first = probe.settings.network().first_page.to_string();
    let query = [("addresses", sender.address.as_str()), ("page", &first), ("limit", "100")];
    let path = path_with("/messages", &query);
    let is_whole = |list: &List<'_>| {
        let listed = list.strings("item_hash");
        hashes.iter().all(|hash| listed.iter().any(|one| one == hash))
    };
    polled(probe, async || list(probe, &query::LIST, &path, "messages").await, is_whole).await
}

/// Reads a list under filters, at a shared target again until these messages are listed. They must be: every other rule holds
/// for an empty list. `hash_of` finds the hash of an element.
pub(super) async fn listing<'p>(
    probe: &'p Probe<'_>,
    filters: &[(&str, &str)],
    hashes: &[&str],
    read: impl AsyncFn() -> Result<List<'p>, Stop>,
    hash_of: impl Fn(&Value) -> &Value,
) -> Result<List<'p>, Stop> {
    let lost = |list: &List<'_>| {
        let is_listed = |hash: &str| list.items.iter().any(|item| hash_of(item) == hash);
        hashes.iter().find(|hash| !is_listed(hash)).copied()
    };
    let list = polled(probe, read, |list| lost(list).is_none()).await?;
    let (name, value) = filters[0];
    let got: Vec<&str> = list.items.iter().filter_map(|item| hash_of(item).as_str()).collect();
    let at = format!("messages of {name}={value}");
    list.answer.expect(lost(&list).is_none(), &at, lost(&list).unwrap_or_default(), got.join(", "))?;
    Ok(list)
}

/// Reads something until it `is_ready`, and returns it as it is then. A shared node may still be processing what was
/// written, for as long as the profile says.
pub(crate) async fn polled<T>(
    probe: &Probe<'_>,
    read: impl AsyncFn() -> Result<T, Stop>,
    is_ready: impl Fn(&T) -> bool,
) -> Result<T, Stop> {
    probe.polled(probe.settings.network().process_seconds, read, is_ready).await
}

/// An object with every type of JSON and with what ordinary records contain.
pub(super) fn document(probe: &Probe<'_>) -> Value {
    json!({
        "text": "\u{e9}\u{1f980} \"quoted\" \\ /", "number": 42, "negative": -7, "flag": true, "nothing": null,
        "list": [1, "two", { "three": 3 }], "nested": { "b": true, "a": "\u{e9}\u{1f980}" }, "empty": {}, "z": 1,
        "a": 2, "no text": "", "no elements": [], "blanks": " at both ends ", "decomposed": "cafe\u{301}",
        "fraction": 1.25, "date": "2026-01-02T03:04:05.000Z", "dotted.name": { "$ref": "#/a" },
        "long": "long ".repeat(1_000), "digits": "7", "markup": "<&>", "_underscore": 1, "constructor": 1,
        "lines": "one\r\ntwo\n", "cafe\u{301}": 1, "deep": [[[[[[[[[[[[1]]]]]]]]]]]],
        "label": hex(&probe.draw("document")[..8]),
    })
}

/// A message with a [`document`] on a new channel, some seconds old.
pub(super) async fn rich(probe: &Probe<'_>, sender: &Caller) -> Result<Draft, Stop> {
    let now = now(probe).await? + -7_000;
    let content = post_content(sender, now.seconds(), &document(probe));
    let draft = Draft::dated(probe, sender, "POST", content, now);
    Ok(draft.with("channel", Some(json!(fresh_channel(probe)))))
}

/// A new channel, with letters of both cases.
pub(super) fn fresh_channel(probe: &Probe<'_>) -> String {
    format!("ASSAY-check-{}", hex(&probe.draw("channel")[..6]))
}

/// A new channel with characters that a query escapes.
pub(super) fn rich_channel(probe: &Probe<'_>) -> String {
    format!("{} 1+1 caf\u{e9} 100%25&=", fresh_channel(probe))
}

/// Sends a POST, an AGGREGATE and a PROGRAM, and, if the target offers uploads, uploads a file and sends a FORGET of it.
/// Returns the messages that were sent.
pub(super) async fn of_several_types(probe: &Probe<'_>, sender: &Caller) -> Result<Vec<Created>, Stop> {
    let program = Draft::new(probe, sender, "PROGRAM", programs::content(probe)).await?;
    let mut sent = vec![
        created(probe, rich(probe, sender).await?).await?,
        created(probe, aggregate(probe, sender).await?).await?,
        created(probe, program).await?,
    ];
    if probe.settings.network().offers(&STORE) {
        let file = stored(probe, sender).await?.hash;
        // A FORGET of a message that is still pending may be rejected.
        if probe.owns_time() {
            look(probe, &file).await?;
        }
        sent.push(forgotten(probe, sender, &[&file]).await?);
    }
    Ok(sent)
}

/// Sends a message with the content of another, a second later. Both are messages of their own.
pub(super) async fn duplicate(probe: &Probe<'_>, of: &Created) -> Result<Created, Stop> {
    let later = of.draft.message["timestamp"].as_i64().map(|time| time + 1);
    created(probe, of.draft.clone().with("timestamp", Some(json!(later)))).await
}

/// In a world of its own, the confirmations that messages have where they are read alone. Another message may be confirmed between
/// two requests at a shared target.
pub(super) async fn confirmations(probe: &Probe<'_>, sent: &[Created]) -> Result<Vec<Value>, Stop> {
    let mut known = Vec::new();
    for one in sent.iter().filter(|_| probe.owns_time()) {
        known.push(read(probe, &one.hash).await?.json()["message"]["confirmations"].clone());
    }
    Ok(known)
}

/// The content of a message as its record shows it: a server may keep the secret of a registration to itself.
pub(super) fn content_shown(draft: &Draft) -> Value {
    let mut content = draft.message["content"].clone();
    if let Some(members) = content.as_object_mut().filter(|_| draft.message["type"] == "WEBHOOK") {
        members.shift_remove("secret");
    }
    content
}

/// Expects the records of a list to be as the messages were sent, with the confirmations that are known of them.
pub(super) fn expect_as_sent(listed: &List<'_>, sent: &[Created], confirmations: &[Value]) -> Checked {
    let known = confirmations.iter().map(Some).chain(std::iter::repeat(None));
    for (Created { hash, draft }, known) in sent.iter().zip(known) {
        let record = listed.items.iter().find(|item| item["item_hash"] == **hash);
        let kind = &draft.message["type"];
        listed.answer.expect(
            record.is_some(),
            "messages",
            format!("{hash}, a message of type {kind}"),
            "others",
        )?;
        let Some(record) = record else { return Ok(()) };
        let sender = &record["sender"];
        let is_own = is_address(sender, &draft.caller.address);
        let place = format!("sender of {hash}");
        listed.answer.expect(is_own, &place, &draft.caller.address, sender.to_string())?;
        let mut message = draft.message.clone();
        message["content"] = content_shown(draft);
        message["signature"] = json!(draft.signature());
        for (member, sent) in message.as_object().into_iter().flatten() {
            let found = &record[member];
            let place = format!("{member} of {hash}");
            listed.answer.expect(holds_in_order(found, sent), &place, sent.to_string(), found.to_string())?;
        }
        let shown = &record["confirmations"];
        for block in known.and_then(Value::as_array).into_iter().flatten() {
            let is_shown =
                shown.as_array().is_some_and(|blocks| blocks.iter().any(|one| one["hash"] == block["hash"]));
            let place = format!("confirmations of {hash}");
            listed.answer.expect(is_shown, &place, block.to_string(), shown.to_string())?;
        }
    }
    Ok(())
}

/// A write to a new aggregate of `caller`.
pub(super) async fn aggregate(probe: &Probe<'_>, caller: &Caller) -> Result<Draft, Stop> {
    let now = now(probe).await?;
    let key = format!("check-{}", hex(&probe.draw("aggregate-key")[..6]));
    let content = json!({
        "address": caller.address, "key": key, "content": { "a": 1 }, "time": now.seconds(),
    });
    Ok(Draft::dated(probe, caller, "AGGREGATE", content, now))
}

/// Judges something, and in a world of its own once more after the messages of before were confirmed.
pub(super) async fn early_and_late(probe: &Probe<'_>, judge: impl AsyncFn() -> Checked) -> Checked {
    judge().await?;
    if confirmed(probe).await? { judge().await } else { Ok(()) }
}

/// In a world of its own, lets the messages of before be confirmed. Returns whether.
pub(super) async fn confirmed(probe: &Probe<'_>) -> Result<bool, Stop> {
    if probe.owns_time() {
        probe.advance(CONFIRMED).await?;
    }
    Ok(probe.owns_time())
}

/// Confirmations take some minutes.
const CONFIRMED: Duration = Duration::from_mins(10);

/// An unknown hash of the same form: its last character is changed.
pub(super) fn another(hash: &str) -> String {
    let mut chars: Vec<char> = hash.chars().collect();
    let last = chars.pop().unwrap_or('0');
    // A character of the hash itself, so that it fits any alphabet.
    chars.push(chars.iter().copied().rev().find(|c| *c != last).unwrap_or(if last == '1' {
        '2'
    } else {
        '1'
    }));
    chars.into_iter().collect()
}

/// A FORGET of `owner`.
pub(super) async fn forget(probe: &Probe<'_>, owner: &Caller, hashes: &Value) -> Result<Draft, Stop> {
    let now = now(probe).await?;
    let content = json!({ "address": owner.address, "hashes": hashes, "time": now.seconds() });
    Ok(Draft::dated(probe, owner, "FORGET", content, now))
}

/// Sends a FORGET. If it is not accepted, the check is inconclusive. At a shared node it waits until the first target
/// is no longer `processed`.
pub(super) async fn forgotten(probe: &Probe<'_>, owner: &Caller, hashes: &[&str]) -> Result<Created, Stop> {
    let accepted = created(probe, forget(probe, owner, &json!(hashes)).await?).await?;
    if let Some(first) = hashes.first().filter(|_| !probe.owns_time()) {
        polled(probe, async || look(probe, first).await, |answer| status(answer) != "processed").await?;
    }
    Ok(accepted)
}

/// How long a FORGET may take until it is applied or rejected.
pub(super) fn settling(probe: &Probe<'_>) -> Duration {
    Duration::from_secs(probe.settings.network().forget_settle_seconds)
}

/// `status` in the answer for a message; empty where it is missing.
pub(super) fn status(answer: &Answer<'_>) -> String {
    answer.json()["status"].as_str().unwrap_or_default().to_owned()
}

/// Reads a message whose status should be `wanted`. If it is another for some seconds, the FORGET may have met a target that
/// was still pending, and is retried: the message is read again after the settling time.
pub(super) async fn once_settled<'p>(
    probe: &'p Probe<'_>,
    hash: &str,
    wanted: &str,
) -> Result<Answer<'p>, Stop> {
    let answer = look_until(probe, hash, wanted).await?;
    if status(&answer) == wanted || !probe.owns_time() {
        return Ok(answer);
    }
    pass(probe, settling(probe)).await?;
    look_until(probe, hash, wanted).await
}

/// All nodes delete the bytes within about two days.
pub(super) static TWO_DAYS: Duration = ms(BYTES_LEAVE_LATEST.outside);
/// How long it takes until the network notices that an owner has no credits: a bit more than an hour.
const AN_HOUR: Duration = Duration::from_mins(65);

/// Lets the owner's credits run out.
pub(super) async fn run_out(probe: &Probe<'_>, owner: &Caller) -> Checked {
    probe.perform("network.balance", json!({ "address": owner.address, "credits": 0 })).await?;
    pass(probe, AN_HOUR).await
}

/// Lets the owner's credits run out, and waits until the network has removed the files.
pub(super) async fn reclaimed(probe: &Probe<'_>, owner: &Caller) -> Checked {
    run_out(probe, owner).await?;
    pass(probe, TWO_DAYS).await
}

#[cfg(test)]
mod tests {
    use super::another;

    #[test]
    fn another_hash_differs_and_has_the_same_length() {
        for hash in ["ab", "aa", "", "1", "00ff", "QmZZ"] {
            assert_ne!(another(hash), hash);
            assert_eq!(another(hash).len(), hash.len().max(1));
        }
    }
}
