//! The list of messages: each filter lists only what it selects, and everything that it selects of what a check sent.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use assay_spec::network::query;
use assay_spec::network::requirements::{listing as rows, paging};
use assay_spec::network::storage::STORE;
use serde_json::{Value, json};

use super::caller::{Caller, caller};
use super::creations::of_other_types;
use super::info::PAGE;
use super::scene::{
    Created, List, aggregate, confirmations, created, duplicate, early_and_late, expect_as_sent,
    fresh_channel, list, list_of, listing, of_several_types, post_draft, posted, rich_channel,
};
use super::upload::stored;
use super::wire::{Call, Draft, path_with};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;

/// Messages under these filters, at most a hundred.
async fn select<'p>(probe: &'p Probe<'_>, filters: &[(&str, &str)]) -> Result<List<'p>, Stop> {
    let first = probe.settings.network().first_page.to_string();
    let query = [filters, &[("page", first.as_str()), ("limit", "100")]].concat();
    list(probe, &query::LIST, &path_with("/messages", &query), "messages").await
}

/// As [`select`], with these messages.
async fn found<'p>(
    probe: &'p Probe<'_>,
    filters: &[(&str, &str)],
    hashes: &[&str],
) -> Result<List<'p>, Stop> {
    listing(probe, filters, hashes, async || select(probe, filters).await, |item| &item["item_hash"]).await
}

/// Whether a record's member is one of these strings. The letter case of a sender is ignored.
fn is_one_of(item: &Value, member: &str, strings: &[&str]) -> bool {
    item[member].as_str().is_some_and(|found| {
        strings.iter().any(
            |text| {
                if member == "sender" { found.eq_ignore_ascii_case(text) } else { found == *text }
            },
        )
    })
}

/// Lists all messages, then those of one sender. `messages` must be an array, and the sender's elements records with the
/// strings `item_hash`, `sender`, `type` and `channel`. Other senders' elements are not judged.
#[shows(rows::LISTED)]
async fn the_list_is_an_array_of_records(probe: &Probe<'_>) -> Checked {
    let sent = posted(probe, &caller(probe)).await?;
    let path = path_with("/messages", &[("limit", "100")]);
    let answer = Call::get(&query::LIST, &path).send(probe).await?;
    answer.expect_status(&[200])?;
    answer.expect_json("/messages", "an array", Value::is_array)?;
    let is_record = |item: &Value| {
        ["item_hash", "sender", "type", "channel"].iter().all(|member| item[*member].is_string())
    };
    let path = path_with("/messages", &[("addresses", &sent.draft.caller.address)]);
    let answer = Call::get(&query::LIST, &path).send(probe).await?;
    answer.expect_json("/messages", "an array of records", |items| {
        items.as_array().is_some_and(|items| items.iter().all(is_record))
    })?;
    Ok(())
}

/// Sends a POST and lists its sender's messages, in a world of its own also after it was confirmed. The list must contain its hash.
#[shows(rows::FINDS)]
async fn a_message_is_in_its_senders_list(probe: &Probe<'_>) -> Checked {
    let sent = posted(probe, &caller(probe)).await?;
    early_and_late(probe, async || {
        let listed = list_of(probe, &sent.draft.caller, &[&sent.hash]).await?;
        let hashes = listed.strings("item_hash");
        let place = "/messages/*/item_hash";
        listed.answer.expect(hashes.contains(&sent.hash), place, &sent.hash, hashes.join(", "))
    })
    .await
}

/// Sends two POSTs and lists with `hashes` set to the first. It alone must be listed.
#[shows(rows::HASHES)]
async fn hashes_select(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    let (first, second) = (posted(probe, &sender).await?.hash, posted(probe, &sender).await?.hash);
    list_of(probe, &sender, &[&first, &second]).await?;
    let listed = found(probe, &[("hashes", &first)], &[&first]).await?;
    listed.expect_each(&format!("item_hash {first}"), |item| is_one_of(item, "item_hash", &[&first]))
}

/// Sends two POSTs from each of two senders and lists with `addresses` set to each sender. Both must be listed, and no other's.
#[shows(rows::ADDRESSES)]
async fn addresses_select(probe: &Probe<'_>) -> Checked {
    let (one, other) = (caller(probe), caller(probe));
    // Two of each: another check reads a list of one.
    let mut hashes = Vec::new();
    for sender in [&one, &one, &other, &other] {
        hashes.push(posted(probe, sender).await?.hash);
    }
    for (sender, own) in [&one, &other].into_iter().zip(hashes.chunks(2)) {
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let listed = found(probe, &[("addresses", &sender.address)], &own).await?;
        let want = format!("sender {}", sender.address);
        listed.expect_each(&want, |item| is_one_of(item, "sender", &[&sender.address]))?;
    }
    Ok(())
}

/// Sends POSTs on four channels, of which one differs from the first by letter case and one begins with it, and lists with
/// `channels` set to the first. Its message must be listed, and none of another channel.
#[shows(rows::CHANNELS)]
async fn channels_select(probe: &Probe<'_>) -> Checked {
    let (one, other) = (fresh_channel(probe), fresh_channel(probe));
    let mut hashes = Vec::new();
    let sender = caller(probe);
    for channel in [&one, &other, &one.to_ascii_lowercase(), &format!("{one}-2")] {
        hashes.push(created(probe, on(probe, &sender, channel).await?).await?.hash);
    }
    list_of(probe, &sender, &hashes.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    let listed = found(probe, &[("channels", &one)], &[&hashes[0]]).await?;
    listed.expect_each(&format!("channel {one}"), |item| is_one_of(item, "channel", &[&one]))
}

/// A POST on a channel.
async fn on(probe: &Probe<'_>, sender: &Caller, channel: &str) -> Result<Draft, Stop> {
    Ok(post_draft(probe, sender).await?.with("channel", Some(json!(channel))))
}

/// Sends a POST and an AGGREGATE, in a world of its own messages of all types, and lists with `types` set to each. The messages of the
/// type must be listed, and no others.
#[shows(rows::TYPES, after(rows::FINDS))]
async fn types_select(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    let post = posted(probe, &sender).await?.hash;
    let write = created(probe, aggregate(probe, &sender).await?).await?.hash;
    let mut asked = BTreeSet::new();
    expect_each_type(probe, &sender, &[&post, &write], &mut asked).await?;
    if !probe.owns_time() {
        return Ok(());
    }
    let sent = of_several_types(probe, &sender).await?;
    let sent: Vec<&str> = sent.iter().map(|one| one.hash.as_str()).collect();
    expect_each_type(probe, &sender, &sent, &mut asked).await?;
    for Created { hash, draft } in of_other_types(probe).await? {
        expect_each_type(probe, &draft.caller, &[&hash], &mut asked).await?;
    }
    Ok(())
}

/// Lists the messages of a sender with `types` set to each type that they have and that was not asked for before. Expects each
/// message in the list of its type.
async fn expect_each_type(
    probe: &Probe<'_>,
    sender: &Caller,
    hashes: &[&str],
    asked: &mut BTreeSet<String>,
) -> Checked {
    let mut own: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let List { items, .. } = list_of(probe, sender, hashes).await?;
    let is_whole = hashes.iter().all(|hash| items.iter().any(|message| message["item_hash"] == **hash));
    probe.given(is_whole, "a message is not in its sender's list; another check judges that")?;
    for message in items {
        if let (Some(kind), Some(hash)) = (message["type"].as_str(), message["item_hash"].as_str()) {
            own.entry(kind.to_owned()).or_default().push(hash.to_owned());
        }
    }
    for (kind, hashes) in own.into_iter().filter(|(kind, _)| asked.insert(kind.clone())) {
        let hashes: Vec<&str> = hashes.iter().map(String::as_str).collect();
        let filters = [("types", kind.as_str()), ("addresses", &sender.address)];
        let listed = found(probe, &filters, &hashes).await?;
        listed.expect_each(&format!("type {kind}"), |item| is_one_of(item, "type", &[&kind]))?;
    }
    Ok(())
}

/// Sends messages of several types from one sender, and a POST from another, and lists with two values in `hashes`, `addresses` and
/// `channels`, of which one has characters that a query escapes, and with all types in `types`. Each list must contain messages of all values.
#[shows(rows::ANY_OF, after(rows::HASHES, rows::ADDRESSES, rows::CHANNELS, rows::TYPES))]
async fn values_of_a_filter_are_alternatives(probe: &Probe<'_>) -> Checked {
    let senders = [caller(probe), caller(probe)];
    let channels = [rich_channel(probe), fresh_channel(probe)];
    let mut each = Vec::new();
    for (sender, channel) in senders.iter().zip(&channels) {
        each.push(created(probe, on(probe, sender, channel).await?).await?.hash);
    }
    let several = of_several_types(probe, &senders[0]).await?;
    let mut of_one: Vec<String> = several.iter().map(|sent| sent.hash.clone()).collect();
    let mut types = "AGGREGATE,PROGRAM,FORGET,POST".to_owned();
    if probe.settings.network().offers(&STORE) {
        of_one.push(stored(probe, &senders[0]).await?.hash);
        types.push_str(",STORE");
    }
    list_of(probe, &senders[0], &of_one.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    list_of(probe, &senders[1], &[&each[1]]).await?;
    let addresses = senders.map(|sender| sender.address);
    for (filters, wanted) in [
        (vec![("hashes", each.join(","))], &each),
        (vec![("addresses", addresses.join(","))], &each),
        (vec![("channels", channels.join(","))], &each),
        (vec![("types", types), ("addresses", addresses[0].clone())], &of_one),
    ] {
        let filters: Vec<(&str, &str)> =
            filters.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let listed = select(probe, &filters).await?;
        let found = listed.strings("item_hash");
        for hash in wanted {
            let place = format!("messages of {}={}", filters[0].0, filters[0].1);
            listed.answer.expect(found.contains(hash), &place, hash, found.join(", "))?;
        }
    }
    Ok(())
}

/// Sends a POST, another with the same content, an AGGREGATE, a PROGRAM, a STORE and a FORGET of one sender and lists them, in a world
/// of its own also messages of the other types, and all of them again after they were confirmed. Each must be listed as it was sent,
/// there with its confirmations.
#[shows(rows::AS_SENT, after(rows::FINDS, rows::ADDRESSES, paging::FIRST_PAGE))]
async fn messages_are_listed_as_they_were_sent(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    let mut sent = of_several_types(probe, &sender).await?;
    sent.push(duplicate(probe, &sent[0]).await?);
    let others = of_other_types(probe).await?;
    let hashes: Vec<&str> = sent.iter().map(|one| one.hash.as_str()).collect();
    early_and_late(probe, async || {
        let known = confirmations(probe, &sent).await?;
        expect_as_sent(&list_of(probe, &sender, &hashes).await?, &sent, &known)?;
        for one in &others {
            let listed = list_of(probe, &one.draft.caller, &[&one.hash]).await?;
            expect_as_sent(&listed, slice::from_ref(one), &[])?;
        }
        Ok(())
    })
    .await
}

/// Sends 24 messages of three senders on three channels and reads them page by page with pairs of filters, three and all
/// four. Each must list exactly the messages that match all its filters, each once.
#[shows(
    rows::ALL_OF,
    after(
        rows::HASHES,
        rows::ADDRESSES,
        rows::CHANNELS,
        rows::TYPES,
        rows::ANY_OF,
        rows::FINDS,
        paging::LIMIT,
        paging::FIRST_PAGE,
        paging::PAGES,
        paging::PAST_END,
    )
)]
async fn filters_combine_on_every_page(probe: &Probe<'_>) -> Checked {
    const SENT: usize = 24;
    let senders = [caller(probe), caller(probe), caller(probe)];
    let channels = [fresh_channel(probe), fresh_channel(probe), fresh_channel(probe)];
    let draws: Vec<[u8; 32]> = (0..SENT as u64).map(|n| probe.choose("corpus", n)).collect();
    let mut sent: Vec<(String, Draft)> = Vec::new();
    for draw in &draws {
        let sender = &senders[usize::from(draw[0]) % 3];
        let draft = match draw[1] % 2 {
            0 => post_draft(probe, sender).await?,
            _ => aggregate(probe, sender).await?,
        };
        let draft = draft.with("channel", Some(json!(channels[usize::from(draw[2]) % 3])));
        sent.push((created(probe, draft.clone()).await?.hash, draft));
    }
    for sender in &senders {
        let own = sent.iter().filter(|(_, draft)| draft.caller.address == sender.address);
        list_of(probe, sender, &own.map(|(hash, _)| hash.as_str()).collect::<Vec<_>>()).await?;
    }
    for combination in COMBINATIONS {
        let wanted = Wanted::choose(combination, &senders, &channels, &sent);
        let expected: BTreeSet<&String> =
            sent.iter().filter(|(hash, draft)| wanted.matches(hash, draft)).map(|(hash, _)| hash).collect();
        let (listed, mut found) = pages(probe, &wanted.query()).await?;
        let count = found.len();
        found.sort();
        found.dedup();
        let place = format!("messages of {:?}", wanted.query());
        let (want, got) = (format!("{expected:?}"), format!("{found:?}"));
        listed.answer.expect(found.iter().collect::<BTreeSet<_>>() == expected, &place, want, got)?;
        let once = format!("each of the {} once", found.len());
        listed.answer.expect(count == found.len(), &place, once, format!("{count} elements"))?;
    }
    Ok(())
}

/// Reads all pages of a selection, seven elements a page. Returns the last page and all hashes.
async fn pages<'p>(
    probe: &'p Probe<'_>,
    filters: &[(&str, String)],
) -> Result<(List<'p>, Vec<String>), Stop> {
    let mut found = Vec::new();
    let mut page = probe.settings.network().first_page;
    loop {
        let number = page.to_string();
        let mut query: Vec<(&str, &str)> =
            filters.iter().map(|(name, value)| (*name, value.as_str())).collect();
        query.extend([("page", number.as_str()), ("limit", "7")]);
        let list = list(probe, &query::LIST, &path_with("/messages", &query), "messages").await?;
        found.extend(list.strings("item_hash"));
        page += 1;
        // A page with fewer elements than asked for is the last.
        if list.items.len() < 7 || found.len() > 100 {
            return Ok((list, found));
        }
    }
}

/// Which filters are combined: `hashes`, `addresses`, `channels` and `types`. One of the first two is always named, so that no
/// message of another run is listed.
const COMBINATIONS: [[bool; 4]; 7] = [
    [true, true, false, false],
    [true, false, true, false],
    [true, false, false, true],
    [false, true, true, false],
    [false, true, false, true],
    [false, true, true, true],
    [true, true, true, true],
];

/// A combination of filters.
struct Wanted {
    senders: Option<Vec<String>>,
    channels: Option<Vec<String>>,
    kind: Option<&'static str>,
    hashes: Option<Vec<String>>,
}

impl Wanted {
    /// Each filter selects a part of what was sent: two of the senders or channels, one type, three quarters of the hashes.
    fn choose(
        [hashes, addresses, channels, types]: [bool; 4],
        senders: &[Caller; 3],
        own: &[String; 3],
        sent: &[(String, Draft)],
    ) -> Wanted {
        let three_quarters = sent.iter().enumerate().filter(|(n, _)| n % 4 > 0);
        Wanted {
            senders: addresses.then(|| senders[..2].iter().map(|sender| sender.address.clone()).collect()),
            channels: channels.then(|| own[1..].to_vec()),
            kind: types.then_some("POST"),
            hashes: hashes.then(|| three_quarters.map(|(_, (hash, _))| hash.clone()).collect()),
        }
    }

    fn query(&self) -> Vec<(&'static str, String)> {
        let mut query = Vec::new();
        query.extend(self.kind.map(|kind| ("types", kind.to_owned())));
        query.extend(self.channels.as_ref().map(|channels| ("channels", channels.join(","))));
        query.extend(self.hashes.as_ref().map(|hashes| ("hashes", hashes.join(","))));
        query.extend(self.senders.as_ref().map(|senders| ("addresses", senders.join(","))));
        query
    }

    fn matches(&self, hash: &str, draft: &Draft) -> bool {
        let text = |member: &str| draft.message[member].as_str().unwrap_or_default();
        let holds = |values: &Option<Vec<String>>, text: &str| {
            values.as_ref().is_none_or(|values| values.iter().any(|value| value == text))
        };
        holds(&self.senders, &draft.caller.address)
            && holds(&self.channels, text("channel"))
            && holds(&self.hashes, hash)
            && self.kind.is_none_or(|kind| kind == text("type"))
    }
}

/// Lists with the filter `tags`. The answer must be 200; what it lists is left open.
#[shows(rows::TAGS)]
async fn tags_filter_is_accepted(probe: &Probe<'_>) -> Checked {
    expect_accepted(probe, "tags", "assay,check").await
}

/// Lists with the filter `content.keys`. The answer must be 200; what it lists is left open.
#[shows(rows::CONTENT_KEYS)]
async fn content_keys_filter_is_accepted(probe: &Probe<'_>) -> Checked {
    expect_accepted(probe, "content.keys", "content.title").await
}

async fn expect_accepted(probe: &Probe<'_>, name: &str, value: &str) -> Checked {
    let sender = caller(probe);
    posted(probe, &sender).await?;
    let query = [("addresses", sender.address.as_str()), (name, value)];
    let answer = Call::get(&query::LIST, &path_with("/messages", &query)).send(probe).await?;
    answer.expect_accepted(&[200], PAGE)
}
