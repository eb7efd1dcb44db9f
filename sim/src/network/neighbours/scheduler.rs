//! The scheduler: where machines run.

use assay_spec::network::message::MessageType;
use assay_spec::network::query::MessageFilter;
use assay_spec::network::requirements::neighbours::SCHEDULER;
use serde_json::{Value, json};

use super::answer::answer;
use crate::core::Core;
use crate::exchange::{Reply, Site};
use crate::network::call::Call;
use crate::network::hash::Hash;
use crate::network::nodes::node::{Node, NodeKind};
use crate::network::state::State;
use crate::refusal::Refusal;

/// The number of machines that a plan shows.
const PLANNED: u64 = 1_000;

/// `GET /plan`: the machines of each compute node.
#[expect(clippy::unnecessary_wraps, reason = "handlers have one form")]
pub(in crate::network) fn plan(core: &mut Core, state: &mut State, _: &Call<'_>) -> Result<Reply, Refusal> {
    let filter = MessageFilter {
        types: Some(vec![MessageType::Instance.name().to_owned()]),
        ..MessageFilter::default()
    };
    let store = &state.primary.store;
    let selection = store.select(&filter);
    let machines: Vec<Hash> = selection
        .at(0..selection.total().min(PLANNED))
        .into_iter()
        .map(|number| store.stored(number).hash())
        .collect();
    let machines: Vec<(Site, String)> =
        machines.into_iter().map(|hash| (place(core, state, hash).site, hash.text(core))).collect();
    let planned = |node: &Node| {
        let here = machines.iter().filter(|(site, _)| *site == node.site);
        let hashes: Vec<&String> = here.map(|(_, hash)| hash).collect();
        json!({ "node_id": *node.id, "url": *node.url, "machines": hashes })
    };
    let plan: Vec<Value> = compute(state).map(planned).collect();
    Ok(answer(core, "plan", &plan, None))
}

/// `GET /allocation/{vm_hash}`: the node of a machine.
pub(in crate::network) fn allocation(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let store = &state.primary.store;
    let number = store.find_text(call.capture(0));
    let machine =
        number.map(|number| store.stored(number)).filter(|stored| stored.kind() == MessageType::Instance);
    let Some(machine) = machine else {
        return Err(Refusal::new(&SCHEDULER, format!("no machine {:.80}", call.capture(0))));
    };
    let node = place(core, state, machine.hash());
    let body = json!({ "vm_hash": machine.hash().text(core), "node_id": *node.id, "url": *node.url });
    Ok(core.json(200, body))
}

/// `GET /nodes`: the compute nodes.
#[expect(clippy::unnecessary_wraps, reason = "handlers have one form")]
pub(in crate::network) fn nodes(core: &mut Core, state: &mut State, _: &Call<'_>) -> Result<Reply, Refusal> {
    let shown = |node: &Node| {
        json!({
            "node_id": *node.id,
            "url": *node.url,
            "version": *node.version,
            "ipv6": node.ipv6,
            "features": *node.features,
        })
    };
    let nodes: Vec<Value> = compute(state).map(shown).collect();
    Ok(answer(core, "nodes", &nodes, None))
}

/// The compute node of a machine.
fn place<'a>(core: &Core, state: &'a State, machine: Hash) -> &'a Node {
    let count = compute(state).count();
    let draw = core.rng.draw("network.allocation", &machine.0, 0);
    let at = usize::from(draw[0]) % count.max(1);
    compute(state).nth(at).unwrap_or(state.nodes.at(0))
}

fn compute(state: &State) -> impl Iterator<Item = &Node> {
    state.nodes.iter().filter(|node| node.kind == NodeKind::Compute)
}
