//! Aggregates: keyed documents of an address, built from the messages that write them.

use std::sync::Arc;

use assay_spec::network::aggregate::{Aggregate, AggregateFilter, LIST, Record, Write};
use assay_spec::network::envelope::Envelope;
use assay_spec::network::message::MessageType;
use assay_spec::network::params::Params;
use assay_spec::network::requirements::aggregates::{
    DELEGATE, DELEGATE_LIMITS, DELEGATE_REVOKED, FIELDS, JSON_UNKNOWN, OWNER, UNKNOWN,
};
use assay_spec::network::requirements::envelope::SIZE;
use imbl::OrdMap;
use serde_json::{Map, Value, json};

use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::hash::Hash;
use crate::network::messages::authority::{Authority, Wish};
use crate::network::mirror::Seen;
use crate::network::paging::{self, ReadPage};
use crate::network::state::State;
use crate::network::store::Number;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body, steps};

/// The maximum size of one aggregate, in bytes of JSON.
pub(in crate::network) const AGGREGATE_BYTES: usize = 4 * 1024 * 1024;

/// The owner, in lower case, and the key.
type Name = (Arc<str>, Arc<str>);

/// The aggregates of a node.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Aggregates {
    by_name: OrdMap<Name, Arc<Kept>>,
    /// Sorted by the time of the last write and the number of the first.
    by_time: OrdMap<(i64, Number), Name>,
}

/// An aggregate, as it is kept.
#[derive(Clone, Debug)]
pub(in crate::network) struct Kept {
    pub(in crate::network) aggregate: Aggregate,
    /// The first message that wrote it.
    pub(in crate::network) first: Number,
    /// The time of the last write, in seconds.
    pub(in crate::network) time: i64,
    /// The size of all writes. Replaced content is counted until the sum reaches the limit.
    pub(in crate::network) bytes: usize,
}

/// The message of a write.
#[derive(Debug)]
pub(in crate::network) struct Writing<'a> {
    /// Its number.
    pub(in crate::network) number: Number,
    /// Its hash.
    pub(in crate::network) item_hash: &'a Arc<str>,
    /// The time of the write, in seconds.
    pub(in crate::network) time: i64,
    /// The owner of the aggregate.
    pub(in crate::network) owner: &'a str,
}

/// A query of `GET /aggregates`.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct AggregateQuery {
    /// Its parameters.
    pub(in crate::network) params: Params,
    /// Its filters.
    pub(in crate::network) filter: AggregateFilter,
}

/// A query of `GET /aggregates/{address}.json`.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct AddressQuery {
    /// The address.
    pub(in crate::network) address: String,
    /// Its filters.
    pub(in crate::network) filter: AggregateFilter,
    /// How many aggregates it returns.
    pub(in crate::network) limit: Option<u64>,
}

/// The aggregates of an address, as clients see them.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct OfAddress(pub(in crate::network) Vec<Record>);

impl Aggregates {
    /// The number of aggregates.
    pub(in crate::network) fn len(&self) -> usize {
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
    pub(in crate::network) fn latest_of(&self, key: &str) -> Option<&Arc<Kept>> {
        let name = self.by_time.values().rev().find(|(_, other)| **other == *key)?;
        self.by_name.get(name)
    }
}

/// Checks whether a write is accepted: the signer's authority and the resulting size.
pub(in crate::network) fn judge(
    state: &State,
    core: &mut Core,
    envelope: &Envelope,
    write: &Write,
) -> Result<(), Refusal> {
    let owner = write.address.as_deref().unwrap_or(&envelope.address);
    let wish =
        Wish { kind: MessageType::Aggregate, channel: &envelope.channel, aggregate_key: Some(&write.key) };
    let authority = Authority::find(&state.primary.store, owner, &envelope.address, wish);
    let why = || format!("{} may not write for {owner:.80}: {authority:?}", envelope.address);
    match authority {
        Authority::Own => {}
        Authority::Allowed => core.forbid(&DELEGATE, false, why)?,
        Authority::Beyond => core.require(&DELEGATE_LIMITS, false, why)?,
        Authority::Revoked => core.require(&DELEGATE_REVOKED, false, why)?,
        Authority::Stranger => core.require(&OWNER, false, why)?,
    }
    let before = state.primary.derived.aggregates.find(owner, &write.key).map_or(0, |kept| kept.bytes);
    let bytes = before.saturating_add(size(&write.content));
    Ok(core.require(&SIZE, bytes <= AGGREGATE_BYTES, || format!("an aggregate of {bytes} bytes"))?)
}

/// Applies a valid AGGREGATE.
pub(in crate::network) fn apply(state: &mut State, core: &mut Core, number: Number, write: &Write) {
    let message = state.primary.store.message(number);
    let owner = write.address.as_deref().unwrap_or(&message.sender);
    let name: Name = (owner.to_ascii_lowercase().into(), write.key.as_str().into());
    let time = write.time.unwrap_or(message.timestamp);
    let writing = Writing { number, item_hash: &message.item_hash, time, owner };
    let before = state.primary.derived.aggregates.by_name.get(&name).map(|kept| Kept::clone(kept));
    let kept = WriteAggregate::run(core, before, &writing, write);
    state.primary.derived.aggregates.put(name, kept);
}

steps! {
    WriteAggregate(before: Option<Kept>, writing: &Writing<'_>, write: &Write) -> Kept = written;
}

/// The aggregate after a write.
pub(in crate::network) fn written(
    _: &mut Core,
    before: Option<Kept>,
    writing: &Writing<'_>,
    write: &Write,
) -> Kept {
    let Writing { number, item_hash, time, owner } = *writing;
    let new =
        || Kept { aggregate: Aggregate::new(owner, &write.key), first: number, time: i64::MIN, bytes: 0 };
    let mut kept = before.unwrap_or_else(new);
    kept.aggregate.merge(&write.content, time, item_hash);
    kept.time = kept.time.max(time);
    kept.bytes += size(&write.content);
    if kept.bytes > AGGREGATE_BYTES / 2 {
        kept.bytes = size(&kept.aggregate.record().content);
    }
    kept
}

/// Reads one aggregate.
pub(in crate::network) fn read(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let aggregates = Seen::run(core, state, call.site).derived.aggregates;
    let record = FindAggregate::run(core, &aggregates, call.capture(0), call.capture(1))?;
    let record = shown(core, record);
    Ok(core.reply(Answer::json(200, record)))
}

steps! {
    FindAggregate(aggregates: &Aggregates, address: &str, key: &str) -> Result<Record, Refusal> = find;
}

/// The record of an aggregate.
pub(in crate::network) fn find(
    _: &mut Core,
    aggregates: &Aggregates,
    address: &str,
    key: &str,
) -> Result<Record, Refusal> {
    let found = aggregates.find(address, key).map(|kept| kept.aggregate.record());
    found.ok_or_else(|| Refusal::new(&UNKNOWN, format!("{address:.80} has no aggregate {key:.80}")))
}

/// A record as clients see it.
fn shown(core: &mut Core, mut record: Record) -> Record {
    if let Some(hash) = Hash::parse(&record.item_hash) {
        record.item_hash = hash.text(core);
    }
    record
}

/// Lists aggregates in pages.
pub(in crate::network) fn list(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let page = ReadPage::run(core, &state.limits, &call.params)?;
    let no_fields = call.params.text("content.fields").is_none();
    core.forbid(&FIELDS, no_fields, || "`content.fields` is given".to_owned())?;
    let (params, filter) = (call.params.clone(), AggregateFilter::of_list(&call.params));
    let AggregateQuery { filter, .. } = core.step(AggregateQuery { params, filter });
    let aggregates = Seen::run(core, state, call.site).derived.aggregates;
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
    let items: Vec<Value> = records.map(|record| json!(shown(core, record))).collect();
    Ok(paging::list(core, &LIST, "aggregates", items, page, total))
}

/// Reads the aggregates of an address: an object by key.
pub(in crate::network) fn of_address(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let address = call.capture(0).to_owned();
    let (filter, limit) = AggregateFilter::of_address(&address, &call.params)?;
    let query = core.step(AddressQuery { address: address.clone(), filter, limit });
    let aggregates = Seen::run(core, state, call.site).derived.aggregates;
    let records = FindOfAddress::run(core, &aggregates, &query)?;
    let records = records.into_iter().map(|record| shown(core, record)).collect();
    let found = core.step(OfAddress(records));
    let data: Map<String, Value> =
        found.0.iter().map(|record| (record.key.clone(), Value::Object(record.content.clone()))).collect();
    let body = json!({ "address": address, "data": data });
    Ok(core.reply(Answer::new(found, 200, Body::Json(body))))
}

steps! {
    FindOfAddress(aggregates: &Aggregates, query: &AddressQuery) -> Result<Vec<Record>, Refusal>
        = find_of_address;
}

/// The aggregates of an address that a query selects.
pub(in crate::network) fn find_of_address(
    _: &mut Core,
    aggregates: &Aggregates,
    query: &AddressQuery,
) -> Result<Vec<Record>, Refusal> {
    let AddressQuery { address, filter, limit } = query;
    let limit = usize::try_from(limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let found = aggregates.select(filter).into_iter().take(limit);
    let records: Vec<Record> = found.map(|kept| kept.aggregate.record()).collect();
    let unfiltered = AggregateFilter { address: Some(address.clone()), ..AggregateFilter::default() };
    if records.is_empty() && aggregates.select(&unfiltered).is_empty() {
        return Err(Refusal::new(&JSON_UNKNOWN, format!("{address:.80} wrote nothing")));
    }
    Ok(records)
}

/// The size of a content, in bytes of JSON.
pub(in crate::network) fn size(content: &Map<String, Value>) -> usize {
    serde_json::to_vec(content).map_or(0, |text| text.len())
}
