//! Events of contracts.

use assay_spec::network::requirements::indexer as rows;
use assay_spec::{Id, Place};
use serde_json::Value;

use super::super::given;
use super::super::replies::{expect_rejected_or, found, is_address};
use super::super::scene::another;
use super::{OF_EVENTS, OF_TRANSACTIONS, expect_integers, expect_members, first_text, network};
use crate::harness::check::{Checked, rejects, shows};
use crate::harness::probe::Probe;

/// The rows about single filters.
const SELECTING: &[Id] = &[
    &rows::EVENT,
    &rows::CONTRACT,
    &rows::EVENT_NAME,
    &rows::EVENT_BLOCKS,
    &rows::EVENT_TIMES,
    &rows::TRANSACTION,
    &rows::ADDRESS,
    &rows::SENT_OR_RECEIVED,
    &rows::FROM,
    &rows::TO,
    &rows::TRANSACTION_BLOCKS,
    &rows::TRANSACTION_TIMES,
];

/// Lists the events of an indexed network. `events` must be an array.
#[shows(rows::EVENTS)]
async fn events_are_listed_under_their_name(probe: &Probe<'_>) -> Checked {
    let network = network(probe).await?;
    let answer = found(probe, OF_EVENTS.call(probe, &network, &[])).await?;
    answer.expect_json("/events", "an array", Value::is_array).map(drop)
}

/// Lists events. Each must have the strings `transaction_hash`, `contract` and `event_name` and the integers
/// `block_number`, `log_index` and `timestamp`.
#[shows(rows::EVENT)]
async fn an_event_has_its_members(probe: &Probe<'_>) -> Checked {
    let listed = OF_EVENTS.some(probe, &network(probe).await?, &[]).await?;
    let strings = ["transaction_hash", "contract", "event_name"];
    expect_members(&listed, &strings, &["block_number", "log_index", "timestamp"])
}

/// A number within 2^53, with or without a fraction: every JSON parser reads such an integer exactly.
fn is_small(number: &serde_json::Number) -> bool {
    const EXACT: f64 = (1_u64 << 53) as f64;
    number.as_f64().is_some_and(|number| number.abs() <= EXACT)
}

fn all_small(value: &Value) -> bool {
    match value {
        Value::Number(number) => is_small(number),
        Value::Array(items) => items.iter().all(all_small),
        Value::Object(members) => members.values().all(all_small),
        _ => true,
    }
}

/// Lists events. `args` of each must be an object whose numbers lie within 2^53; larger ones must be strings.
#[shows(rows::ARGS)]
async fn large_numbers_in_arguments_are_strings(probe: &Probe<'_>) -> Checked {
    let listed = OF_EVENTS.some(probe, &network(probe).await?, &[]).await?;
    listed.expect_each("args as an object whose numbers are within 2^53 or strings", |event| {
        event["args"].is_object() && all_small(&event["args"])
    })
}

/// Lists events, also with `contract` set to a known contract, and the second page of one event. Its known events must be listed, and
/// no others.
#[shows(rows::CONTRACT)]
async fn the_contract_selects_events(probe: &Probe<'_>) -> Checked {
    let network = network(probe).await?;
    let listed = OF_EVENTS.some(probe, &network, &[]).await?;
    let contract = match given(probe, "indexer_contract", |given| &given.indexer_contract)? {
        Some(contract) => contract.clone(),
        None => first_text(probe, &listed, "contract")?,
    };
    let (filters, want) = ([("contract", contract.as_str())], format!("contract {contract}"));
    let is_wanted = |event: &Value| is_address(&event["contract"], &contract);
    let known: Vec<&Value> = listed.items.iter().filter(|event| is_wanted(event)).collect();
    OF_EVENTS.select(probe, &network, &filters, &known, &want, is_wanted).await?;
    OF_EVENTS.expect_on_second_page(probe, &network, &filters, &want, is_wanted).await
}

/// Lists events with `event_name` set to the name of the first, and the second page of one event. Every element must have that name.
#[shows(rows::EVENT_NAME)]
async fn the_name_selects_events(probe: &Probe<'_>) -> Checked {
    let network = network(probe).await?;
    let listed = OF_EVENTS.some(probe, &network, &[]).await?;
    let name = first_text(probe, &listed, "event_name")?;
    let (filters, want) = ([("event_name", name.as_str())], format!("event_name {name}"));
    let is_wanted = |event: &Value| event["event_name"] == *name;
    OF_EVENTS.select(probe, &network, &filters, &[&listed.items[0]], &want, is_wanted).await?;
    OF_EVENTS.expect_on_second_page(probe, &network, &filters, &want, is_wanted).await
}

/// Lists events with `from_block` and `to_block` inside the listed range. Every element must lie between them.
#[shows(rows::EVENT_BLOCKS)]
async fn blocks_select_events(probe: &Probe<'_>) -> Checked {
    OF_EVENTS.expect_between(probe, "block_number", ["from_block", "to_block"]).await
}

/// Lists events with `from_timestamp` and `to_timestamp` inside the listed range. Every element must lie between them.
#[shows(rows::EVENT_TIMES)]
async fn times_select_events(probe: &Probe<'_>) -> Checked {
    OF_EVENTS.expect_between(probe, "timestamp", ["from_timestamp", "to_timestamp"]).await
}

/// Lists events, or transactions, with every pair of filters, each with the values of one listed element. Every element must
/// match both, and those of the whole list that match both must be listed.
#[shows(rows::ALL_OF, after = SELECTING)]
async fn filters_of_indexed_data_combine(probe: &Probe<'_>, place: Place) -> Checked {
    match place.endpoint {
        "events" => OF_EVENTS.expect_pairs(probe, &["contract", "event_name"]).await,
        _ => OF_TRANSACTIONS.expect_pairs(probe, &["from", "to", "address"]).await,
    }
}

/// Lists events and transactions with bounds that are not integers. Each must be rejected or ignored; a list with
/// integers returns 200.
#[rejects(rows::INTEGERS)]
async fn bound_that_is_not_an_integer_is_rejected(probe: &Probe<'_>) -> Checked {
    for kind in [OF_EVENTS, OF_TRANSACTIONS] {
        expect_integers(probe, kind).await?;
    }
    Ok(())
}

/// Lists the events and the transactions of an indexed network (200), then of an unknown one. The second must be
/// rejected, or list nothing.
#[rejects(rows::UNKNOWN_NETWORK)]
async fn unknown_network_has_no_events(probe: &Probe<'_>) -> Checked {
    let network = network(probe).await?;
    let strange = format!("{}-assay", another(&network));
    for list in [OF_EVENTS, OF_TRANSACTIONS] {
        if !probe.settings.network().offers(list.endpoint) {
            continue;
        }
        list.call(probe, &network, &[]).send(probe).await?.counterpart_status(&[200])?;
        let answer = list.call(probe, &strange, &[]).attempt(probe).await?;
        let is_empty = |body: &Value| body[list.name].as_array().is_some_and(Vec::is_empty);
        expect_rejected_or(&answer, &format!("no {}", list.name), is_empty)?;
    }
    Ok(())
}
