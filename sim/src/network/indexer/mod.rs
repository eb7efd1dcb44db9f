//! Indexed chain data: events and transactions of a few chains, generated from the world's seed.

mod chain;

use assay_spec::network::indexer::{Event, EventFilter, Transaction, TransactionFilter};
use assay_spec::network::params::Params;
use assay_spec::network::requirements::indexer::{
    AMOUNTS, ARGS, EVENT, EVENTS, INTEGERS, TRANSACTION, TRANSACTIONS, UNKNOWN_NETWORK,
};
use assay_spec::{Refused, Rules};
use serde_json::{Value, json};

use super::call::Call;
use super::{State, paging, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

use chain::Chain;
pub(super) use chain::Chains;
pub(super) use chain::NETWORKS;

/// Lists events in pages.
pub(super) fn events(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let page = paging::read(core, &state.limits, &call.params)?;
    let filter = filter(core, &call.params, EventFilter::parse)?;
    let name = core.effect(&EVENTS, "events", |_, _| "logs");
    let chain = chain(state, core, call.capture(0))?;
    let found: Vec<&Event> = chain.events().filter(|event| filter.matches(event)).collect();
    paging::page(core, name, page, &found, |core, event| shown_event(core, event))
}

/// Lists transactions in pages.
pub(super) fn transactions(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let page = paging::read(core, &state.limits, &call.params)?;
    let filter = filter(core, &call.params, TransactionFilter::parse)?;
    let name = core.effect(&TRANSACTIONS, "transactions", |_, _| "txs");
    let chain = chain(state, core, call.capture(0))?;
    let found: Vec<&Transaction> = chain.transactions().filter(|one| filter.matches(one)).collect();
    paging::page(core, name, page, &found, |core, one| shown_transaction(core, one))
}

/// The filter of a query. Under the variation, bounds that are not integers are ignored.
fn filter<T>(
    core: &mut Core,
    params: &Params,
    parse: fn(&Params, &mut dyn Rules) -> Result<T, Refused>,
) -> Result<T, Refused> {
    const BOUNDS: &[&str] = &["from_block", "to_block", "from_timestamp", "to_timestamp"];
    match parse(params, core) {
        Err(Refused { rule, .. }) if rule == &INTEGERS && core.varies(variations::BOUNDS_IGNORED) => {
            parse(&params.clone().without(BOUNDS), core)
        }
        parsed => parsed,
    }
}

/// The chain of that name. An unknown one is 404, or empty under a variation, or another chain under a
/// deviation.
fn chain(state: &State, core: &mut Core, network: &str) -> Result<Chain, Refusal> {
    if let Some(chain) = state.chains.for_network(network) {
        return Ok(chain);
    }
    if core.violated(&UNKNOWN_NETWORK).is_some() {
        return Ok(state.chains.for_network(NETWORKS[0]).expect("the first network is indexed"));
    }
    if core.varies(variations::INDEXER_EMPTY) {
        return Ok(Chain::default());
    }
    Err(Refusal::new(&UNKNOWN_NETWORK, format!("the network {network:.80} is not indexed")))
}

fn shown_event(core: &mut Core, event: &Event) -> Value {
    let mut shown = json!(event);
    if core.varies(variations::INDEXER_LOWER) {
        lower(&mut shown, &["contract"]);
    }
    match core.violated(&EVENT) {
        Some("name") => shown["event_name"] = Value::Null,
        Some(_) => shown["block_number"] = json!(event.block_number.to_string()),
        None => {}
    }
    match core.violated(&ARGS) {
        Some("text") => shown["args"] = json!(shown["args"].to_string()),
        Some(_) => shown["args"] = as_numbers(&shown["args"]),
        None => {}
    }
    shown
}

fn shown_transaction(core: &mut Core, transaction: &Transaction) -> Value {
    let mut shown = json!(transaction);
    if core.varies(variations::INDEXER_LOWER) {
        lower(&mut shown, &["from", "to"]);
    }
    match core.violated(&TRANSACTION) {
        Some("hash") => shown["hash"] = Value::Null,
        Some(_) => shown["gas"] = json!(transaction.gas.to_string()),
        None => {}
    }
    match core.violated(&AMOUNTS) {
        Some("price") => shown["gas_price"] = number(&shown["gas_price"]),
        Some(_) => shown["value"] = number(&shown["value"]),
        None => {}
    }
    shown
}

/// Sets addresses to lower case.
fn lower(shown: &mut Value, names: &[&str]) {
    for name in names {
        shown[*name] = json!(shown[*name].as_str().unwrap_or_default().to_lowercase());
    }
}

/// The arguments with large numbers as JSON numbers.
fn as_numbers(args: &Value) -> Value {
    let Some(members) = args.as_object() else { return args.clone() };
    let large = |value: &Value| value.as_str().is_some_and(|text| text.parse::<f64>().is_ok());
    let member = |(name, value): (&String, &Value)| {
        (name.clone(), if large(value) { number(value) } else { value.clone() })
    };
    Value::Object(members.iter().map(member).collect())
}

/// The JSON number in a string.
fn number(text: &Value) -> Value {
    json!(text.as_str().and_then(|text| text.parse::<f64>().ok()))
}
