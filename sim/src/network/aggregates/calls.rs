//! The endpoints of aggregates.

use std::sync::Arc;

use assay_spec::network::aggregate::{AggregateFilter, LIST, Record};
use assay_spec::network::mistakes::aggregates::FIELDS;
use assay_spec::network::params::Params;
use assay_spec::network::requirements::aggregates::{CONTENT, JSON_UNKNOWN, UNKNOWN};
use serde_json::{Map, Value, json};

use super::kept::{Aggregates, Kept};
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::hash::Hash;
use crate::network::paging::{self, ReadPage};
use crate::network::state::State;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body, steps};

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

/// Reads one aggregate.
pub(in crate::network) fn read(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let aggregates = state.seen(core, call.site).derived.aggregates;
    let record = FindAggregate::run(core, &aggregates, call.capture(0), call.capture(1))?;
    let mut record = shown(core, record);
    let mut content = Value::Object(std::mem::take(&mut record.content));
    core.keep_each(&CONTENT, &mut content);
    if let Value::Object(content) = content {
        record.content = content;
    }
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
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let page = ReadPage::run(core, &state.limits, &call.params)?;
    core.accept(&FIELDS, &call.params)?;
    let (params, filter) = (call.params.clone(), AggregateFilter::of_list(&call.params));
    let AggregateQuery { filter, .. } = core.step(AggregateQuery { params, filter });
    let aggregates = state.seen(core, call.site).derived.aggregates;
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
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let address = call.capture(0).to_owned();
    let (filter, limit) = AggregateFilter::of_address(&address, &call.params)?;
    let query = core.step(AddressQuery { address: address.clone(), filter, limit });
    let aggregates = state.seen(core, call.site).derived.aggregates;
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
