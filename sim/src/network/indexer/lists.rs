//! Indexed chain data: events and transactions of a few chains, generated from the world's seed.

use assay_spec::network::indexer::{EVENTS, EventFilter, TRANSACTIONS, TransactionFilter};
use assay_spec::network::params::Params;
use assay_spec::network::requirements::indexer::UNKNOWN_NETWORK;

use super::chain::Chain;
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::paging::{self, ReadPage};
use crate::network::state::State;
use crate::refusal::Refusal;
use crate::seam::steps;

/// The parameters of a query.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct IndexerQuery(pub(in crate::network) Params);

/// Lists events in pages.
pub(in crate::network) fn events(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let page = ReadPage::run(core, &state.limits, &call.params)?;
    let IndexerQuery(params) = core.step(IndexerQuery(call.params.clone()));
    let filter = core.step(EventFilter::parse(&params)?);
    let chain = FindChain::run(core, state, call.capture(0))?;
    let found: Vec<_> = chain.events().filter(|event| filter.matches(event)).collect();
    paging::page(core, &EVENTS, "events", page, &found)
}

/// Lists transactions in pages.
pub(in crate::network) fn transactions(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let page = ReadPage::run(core, &state.limits, &call.params)?;
    let IndexerQuery(params) = core.step(IndexerQuery(call.params.clone()));
    let filter = core.step(TransactionFilter::parse(&params)?);
    let chain = FindChain::run(core, state, call.capture(0))?;
    let found: Vec<_> = chain.transactions().filter(|one| filter.matches(one)).collect();
    paging::page(core, &TRANSACTIONS, "transactions", page, &found)
}

steps! {
    FindChain(state: &State, network: &str) -> Result<Chain, Refusal> = chain;
}

/// The chain of that name.
pub(in crate::network) fn chain(_: &mut Core, state: &State, network: &str) -> Result<Chain, Refusal> {
    let chain = state.chains.for_network(network);
    chain.ok_or_else(|| Refusal::new(&UNKNOWN_NETWORK, format!("the network {network:.80} is not indexed")))
}
