//! Aggregates: keyed documents of an address, built from the messages that write them.

use std::sync::Arc;

use assay_spec::Rules;
use assay_spec::network::aggregate::{Aggregate, AggregateFilter, Record, Write};
use assay_spec::network::envelope::Envelope;
use assay_spec::network::message::MessageType;
use assay_spec::network::requirements::aggregates::{
    ADDRESS, CONTENT, CREATED, FIELDS, ITEM_HASH, JSON, JSON_UNKNOWN, KEY, LISTED, OWNER, PARTIAL,
    PER_ADDRESS, REWRITTEN, TIME, UNKNOWN,
};
use assay_spec::network::requirements::envelope::SIZE;
use imbl::OrdMap;
use serde_json::{Map, Value, json};

use super::authority::{self, Wish};
use super::call::Call;
use super::deviations::{ZERO_ADDRESS, change, without_last};
use super::hash::Hash;
use super::store::Number;
use super::{State, create, paging, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// The maximum size of one aggregate, in bytes of JSON.
pub(super) const AGGREGATE_BYTES: usize = 4 * 1024 * 1024;

/// The owner, in lower case, and the key.
type Name = (Arc<str>, Arc<str>);

/// The aggregates of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregates {
    by_name: OrdMap<Name, Arc<Kept>>,
    /// Sorted by the time of the last write and the number of the first.
    by_time: OrdMap<(i64, Number), Name>,
}

#[derive(Clone, Debug)]
struct Kept {
    aggregate: Aggregate,
    /// The first message that wrote it.
    first: Number,
    /// The time of the last write, in seconds.
    time: i64,
    /// The size of all writes. Replaced content is counted until the sum reaches the limit.
    bytes: usize,
}

impl Aggregates {
    /// The number of aggregates.
    pub(super) fn len(&self) -> usize {
        self.by_name.len()
    }

    fn find(&self, owner: &str, key: &str) -> Option<&Arc<Kept>> {
        self.by_name.get(&(owner.to_ascii_lowercase().into(), key.into()))
    }

    fn put(&mut self, name: Name, kept: Kept) {
        if let Some(before) = self.by_name.get(&name) {
            self.by_time.remove(&(before.time, before.first));
        }
        self.by_time.insert((kept.time, kept.first), name.clone());
        self.by_name.insert(name, Arc::new(kept));
    }

    /// All aggregates, the last written first.
    fn latest(&self) -> impl Iterator<Item = &Arc<Kept>> {
        self.by_time.values().rev().filter_map(|name| self.by_name.get(name))
    }

    /// The aggregates that a filter selects, the last written first.
    fn select(&self, filter: &AggregateFilter) -> Vec<&Arc<Kept>> {
        let wanted = |(owner, key): &Name| filter.matches(owner, key);
        let Some(owner) = &filter.address else {
            let names = self.by_time.values().rev().filter(|name| wanted(name));
            return names.filter_map(|name| self.by_name.get(name)).collect();
        };
        let owner: Arc<str> = owner.to_ascii_lowercase().into();
        let from = (owner.clone(), "".into());
        let own = self.by_name.range(from..).take_while(|((other, _), _)| *other == owner);
        let mut found: Vec<_> = own.filter(|(name, _)| wanted(name)).map(|(_, kept)| kept).collect();
        found.sort_by_key(|kept| std::cmp::Reverse((kept.time, kept.first)));
        found
    }

    /// The last written aggregate with that key, of any owner.
    fn latest_of(&self, key: &str) -> Option<&Arc<Kept>> {
        let name = self.by_time.values().rev().find(|(_, other)| **other == *key)?;
        self.by_name.get(name)
    }
}

/// Checks whether a write is accepted: the signer's authority and the resulting size.
pub(super) fn judge(
    state: &State,
    core: &mut Core,
    envelope: &Envelope,
    write: &Write,
) -> Result<(), Refusal> {
    let owner = write.address.as_deref().unwrap_or(&envelope.address);
    let wish =
        Wish { kind: MessageType::Aggregate, channel: &envelope.channel, aggregate_key: Some(&write.key) };
    let may = envelope.formless || authority::may(&state.primary.store, owner, &envelope.address, wish);
    core.require(&OWNER, may, || format!("{} may not write for {owner:.80}", envelope.address))?;
    let before = state.primary.derived.aggregates.find(owner, &write.key).map_or(0, |kept| kept.bytes);
    let bytes = before.saturating_add(size(&write.content));
    Ok(core.require(&SIZE, bytes <= AGGREGATE_BYTES, || format!("an aggregate of {bytes} bytes"))?)
}

/// Applies a valid AGGREGATE.
pub(super) fn apply(state: &mut State, core: &mut Core, number: Number, write: &Write) {
    let message = state.primary.store.message(number);
    let owner = write.address.as_deref().unwrap_or(&message.sender);
    let name: Name = (owner.to_ascii_lowercase().into(), write.key.as_str().into());
    let time = write.time.unwrap_or(message.timestamp);
    let before = state.primary.derived.aggregates.by_name.get(&name);
    let mut kept = before.map_or_else(
        || Kept { aggregate: Aggregate::new(owner, &write.key), first: number, time: i64::MIN, bytes: 0 },
        |kept| Kept::clone(kept),
    );
    let existing = before.map(|kept| kept.aggregate.record());
    if existing.as_ref().is_some_and(|record| is_ignored(core, record, write)) {
        return;
    }
    if core.varies(variations::AGGREGATE_REPLACED)
        && let Some(record) = existing
    {
        if (record.time, record.item_hash.as_str()) > (time, &*message.item_hash) {
            return;
        }
        kept = Kept { aggregate: Aggregate::new(owner, &write.key), bytes: 0, ..kept };
    }
    kept.aggregate.merge(&write.content, time, &message.item_hash);
    kept.time = kept.time.max(time);
    kept.bytes += size(&write.content);
    if kept.bytes > AGGREGATE_BYTES / 2 {
        kept.bytes = size(&kept.aggregate.record().content);
    }
    state.primary.derived.aggregates.put(name, kept);
}

/// The deviations that ignore a write: of the whole content, or of a part.
fn is_ignored(core: &mut Core, record: &Record, write: &Write) -> bool {
    let whole = record.content.keys().all(|name| write.content.contains_key(name));
    let rule = if whole { &REWRITTEN } else { &PARTIAL };
    core.effect(rule, false, |_, _| true)
}

/// Handles a write.
pub(super) fn create(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    create::plainly(state, core, call, MessageType::Aggregate, &CREATED)
}

/// Reads one aggregate.
pub(super) fn read(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let (address, key) = (call.capture(0), call.capture(1));
    let aggregates = &state.seen(core, call.site).derived.aggregates;
    let mut found = aggregates.find(address, key).map(|kept| kept.aggregate.record());
    if core.violated(&PER_ADDRESS).is_some()
        && let Some(latest) = aggregates.latest_of(key)
    {
        found = Some(Record { address: address.to_owned(), ..latest.aggregate.record() });
    }
    let record = match found {
        Some(record) => record,
        None => unknown(core, address, key)?,
    };
    let record = falsified(core, record);
    Ok(core.json(200, record))
}

/// The response for an aggregate that was never written.
fn unknown(core: &mut Core, address: &str, key: &str) -> Result<Record, Refusal> {
    let deviation = core.violated(&UNKNOWN).is_some();
    if !deviation && !core.varies(variations::AGGREGATE_EMPTY) {
        return Err(Refusal::new(&UNKNOWN, format!("{address:.80} has no aggregate {key:.80}")));
    }
    let content = if deviation { Map::from_iter([("default".to_owned(), json!(true))]) } else { Map::new() };
    Ok(Record {
        key: key.to_owned(),
        address: address.to_owned(),
        content,
        time: core.now().seconds(),
        item_hash: String::new(),
    })
}

/// A record as clients see it.
fn shown(core: &Core, mut record: Record) -> Value {
    if let Some(hash) = Hash::parse(&record.item_hash) {
        record.item_hash = hash.text(core);
    }
    json!(record)
}

/// The record of a single aggregate, changed by the deviations.
fn falsified(core: &mut Core, record: Record) -> Value {
    let mut shown = shown(core, record);
    change(core, &KEY, &mut shown["key"], |key, _| json!(format!("{}-", key.as_str().unwrap_or_default())));
    change(core, &ADDRESS, &mut shown["address"], |_, _| json!(ZERO_ADDRESS));
    change(core, &CONTENT, &mut shown["content"], |content, _| with_nested_cut(content));
    change(core, &TIME, &mut shown["time"], |time, _| json!(time.to_string()));
    change(core, &ITEM_HASH, &mut shown["item_hash"], |_, _| json!(""));
    shown
}

/// Removes the last member of a nested object.
fn with_nested_cut(mut content: Value) -> Value {
    let mut members = content.as_object_mut().into_iter().flat_map(Map::values_mut);
    if let Some(nested) = members.find(|value| value.is_object()) {
        *nested = without_last(nested.take());
    }
    content
}

/// Lists aggregates in pages.
pub(super) fn list(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let page = paging::read(core, &state.limits, &call.params)?;
    if call.params.text("content.fields").is_some() && core.violated(&FIELDS).is_some() {
        return Err(Refusal::new(&FIELDS, "`content.fields` is rejected"));
    }
    let filter = AggregateFilter::of_list(&call.params, core);
    let aggregates = &state.seen(core, call.site).derived.aggregates;
    // Without a filter, only the elements of the page are read.
    let whole = filter.address.is_none() && filter.keys.is_none();
    let found = if whole { Vec::new() } else { aggregates.select(&filter) };
    let total = if whole { aggregates.len() } else { found.len() } as u64;
    let range = paging::range(core, page, total)?;
    let (from, count) = (range.start as usize, (range.end - range.start) as usize);
    let on_page: Vec<&Arc<Kept>> = if whole {
        aggregates.latest().skip(from).take(count).collect()
    } else {
        found[from..from + count].to_vec()
    };
    let records = on_page.iter().map(|kept| kept.aggregate.record().with_fields(filter.fields.as_ref()));
    let items: Vec<Value> = records.map(|record| shown(core, record)).collect();
    let name = core.effect(&LISTED, "aggregates", |_, _| "items");
    let list = paging::list(core, name, items, page, total);
    Ok(core.json(200, list))
}

/// Reads the aggregates of an address: an object by key, or a list under that variation.
pub(super) fn of_address(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let address = call.capture(0);
    let (filter, limit) = AggregateFilter::of_address(address, &call.params, core)?;
    let aggregates = &state.seen(core, call.site).derived.aggregates;
    let limit = usize::try_from(limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let found = aggregates.select(&filter).into_iter().take(limit);
    let mut records: Vec<Record> = found.map(|kept| kept.aggregate.record()).collect();
    let unfiltered = AggregateFilter { address: Some(address.to_owned()), ..AggregateFilter::default() };
    if records.is_empty() && aggregates.select(&unfiltered).is_empty() {
        if core.violated(&JSON_UNKNOWN).is_some() {
            records.push(unknown_of(core, address));
        } else if !core.varies(variations::AGGREGATES_EMPTY) {
            return Err(Refusal::new(&JSON_UNKNOWN, format!("{address:.80} wrote nothing")));
        }
    }
    for record in &mut records {
        let content = std::mem::take(&mut record.content);
        record.content = core.effect(&JSON, content, |_, _| Map::new());
    }
    if core.varies(variations::AGGREGATES_LIST) {
        let items: Vec<Value> = records.into_iter().map(|record| shown(core, record)).collect();
        return Ok(core.json(200, json!({ "aggregates": items })));
    }
    let data: Map<String, Value> =
        records.into_iter().map(|record| (record.key, Value::Object(record.content))).collect();
    Ok(core.json(200, json!({ "address": address, "data": data })))
}

fn unknown_of(core: &Core, address: &str) -> Record {
    Record {
        key: "default".to_owned(),
        address: address.to_owned(),
        content: Map::from_iter([("default".to_owned(), json!(true))]),
        time: core.now().seconds(),
        item_hash: String::new(),
    }
}

fn size(content: &Map<String, Value>) -> usize {
    serde_json::to_vec(content).map_or(0, |text| text.len())
}
