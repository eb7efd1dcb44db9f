//! Events of contracts.

use assay_spec::network::requirements::indexer as rows;
use serde_json::Value;

use super::super::messages::another;
use super::super::replies::{expect_refused_or, found, is_address};
use super::{OF_EVENTS, OF_TRANSACTIONS, expect_integers, expect_members, first_text, network};
use crate::check::{Check, Checked};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::EVENTS, events_are_listed_under_their_name).costs(1, 0, 0),
    shows!(rows::EVENT, an_event_has_its_members).costs(1, 0, 0),
    shows!(rows::ARGS, large_numbers_in_arguments_are_texts).costs(1, 0, 0),
    shows!(rows::CONTRACT, the_contract_selects_events).costs(2, 0, 0),
    shows!(rows::EVENT_NAME, the_name_selects_events).costs(2, 0, 0),
    shows!(rows::EVENT_BLOCKS, blocks_select_events).costs(2, 0, 0),
    shows!(rows::EVENT_TIMES, times_select_events).costs(2, 0, 0),
    refuses!(rows::INTEGERS, a_bound_that_is_no_integer_is_refused).costs(10, 0, 0),
    refuses!(rows::UNKNOWN_NETWORK, a_network_that_nobody_indexes_has_no_events).costs(2, 0, 0),
];

async fn events_are_listed_under_their_name(probe: &Probe<'_>) -> Checked {
    let network = network(probe).await?;
    let answer = found(probe, OF_EVENTS.call(probe, &network, &[])).await?;
    answer.expect_json("/events", "an array", Value::is_array).map(drop)
}

async fn an_event_has_its_members(probe: &Probe<'_>) -> Checked {
    let listed = OF_EVENTS.some(probe, &network(probe).await?, &[]).await?;
    let texts = ["transaction_hash", "contract", "event_name"];
    expect_members(&listed, &texts, &["block_number", "log_index", "timestamp"])
}

/// A number that every reader of JSON reads alike.
fn is_small(number: &serde_json::Number) -> bool {
    const EXACT: i64 = 1 << 53;
    number.as_i64().is_some_and(|number| (-EXACT..=EXACT).contains(&number))
}

fn all_small(value: &Value) -> bool {
    match value {
        Value::Number(number) => is_small(number),
        Value::Array(items) => items.iter().all(all_small),
        Value::Object(members) => members.values().all(all_small),
        _ => true,
    }
}

async fn large_numbers_in_arguments_are_texts(probe: &Probe<'_>) -> Checked {
    let listed = OF_EVENTS.some(probe, &network(probe).await?, &[]).await?;
    listed.expect_each("args as an object, its numbers within 2^53 or as texts", |event| {
        event["args"].is_object() && all_small(&event["args"])
    })
}

async fn the_contract_selects_events(probe: &Probe<'_>) -> Checked {
    let network = network(probe).await?;
    let contract = match &probe.settings.network.given.indexer_contract {
        Some(contract) => contract.clone(),
        None => first_text(probe, &OF_EVENTS.some(probe, &network, &[]).await?, "contract")?,
    };
    let selected = OF_EVENTS.some(probe, &network, &[("contract", &contract)]).await?;
    selected.expect_each(&format!("contract {contract}"), |event| is_address(&event["contract"], &contract))
}

async fn the_name_selects_events(probe: &Probe<'_>) -> Checked {
    let network = network(probe).await?;
    let name = first_text(probe, &OF_EVENTS.some(probe, &network, &[]).await?, "event_name")?;
    let selected = OF_EVENTS.some(probe, &network, &[("event_name", &name)]).await?;
    selected.expect_each(&format!("event_name {name}"), |event| event["event_name"] == name.as_str())
}

async fn blocks_select_events(probe: &Probe<'_>) -> Checked {
    OF_EVENTS.expect_between(probe, "block_number", ["from_block", "to_block"]).await
}

async fn times_select_events(probe: &Probe<'_>) -> Checked {
    OF_EVENTS.expect_between(probe, "timestamp", ["from_timestamp", "to_timestamp"]).await
}

async fn a_bound_that_is_no_integer_is_refused(probe: &Probe<'_>) -> Checked {
    for kind in [OF_EVENTS, OF_TRANSACTIONS] {
        expect_integers(probe, kind).await?;
    }
    Ok(())
}

async fn a_network_that_nobody_indexes_has_no_events(probe: &Probe<'_>) -> Checked {
    let network = network(probe).await?;
    OF_EVENTS.call(probe, &network, &[]).send(probe).await?.counterpart_status(&[200])?;
    let strange = format!("{}-assay", another(&network));
    let answer = OF_EVENTS.call(probe, &strange, &[]).ask(probe).await?;
    expect_refused_or(&answer, "no events", |body| body["events"].as_array().is_some_and(Vec::is_empty))
}
