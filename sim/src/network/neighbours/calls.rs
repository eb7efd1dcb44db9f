//! The services beside the network: scheduler, status, credit. The document names their paths only; requests
//! and responses are the simulator's choice.

use std::sync::Arc;

use assay_spec::network::message::MessageType;
use assay_spec::network::paging::{Page, Sizes};
use assay_spec::network::query::MessageFilter;
use assay_spec::network::requirements::neighbours::{CREDIT, SCHEDULER};
use assay_spec::{Instant, Strict};
use imbl::Vector;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::core::Core;
use crate::exchange::{Reply, Site};
use crate::network::call::Call;
use crate::network::hash::Hash;
use crate::network::messages::payment;
use crate::network::nodes::node::{Node, NodeKind};
use crate::network::state::State;
use crate::network::{actions, sites};
use crate::refusal::Refusal;
use crate::seam::{Answer, Body};

/// The number of machines that a plan shows.
const PLANNED: u64 = 1_000;
/// The number of purchases that are kept.
const PURCHASES: usize = 100_000;
/// The maximum number of tokens per purchase.
const TOKENS: u64 = 1_000_000_000;

/// A purchase of credits.
#[derive(Clone, Debug)]
struct Purchase {
    number: u64,
    address: Arc<str>,
    tokens: u64,
    credits: u64,
    at: Instant,
}

/// The state of these services. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Neighbours {
    bought: u64,
    /// The latest purchases, oldest first.
    purchases: Vector<Purchase>,
}

/// `GET /plan`: the machines of each compute node.
#[expect(clippy::unnecessary_wraps, reason = "handlers have one form")]
pub(in crate::network) fn plan(state: &mut State, core: &mut Core, _: &Call<'_>) -> Result<Reply, Refusal> {
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
        machines.into_iter().map(|hash| (place(state, core, hash).site, hash.text(core))).collect();
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
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let store = &state.primary.store;
    let number = store.find_text(call.capture(0));
    let machine =
        number.map(|number| store.stored(number)).filter(|stored| stored.kind() == MessageType::Instance);
    let Some(machine) = machine else {
        return Err(Refusal::new(&SCHEDULER, format!("no machine {:.80}", call.capture(0))));
    };
    let node = place(state, core, machine.hash());
    let body = json!({ "vm_hash": machine.hash().text(core), "node_id": *node.id, "url": *node.url });
    Ok(core.json(200, body))
}

/// `GET /nodes`: the compute nodes.
#[expect(clippy::unnecessary_wraps, reason = "handlers have one form")]
pub(in crate::network) fn nodes(state: &mut State, core: &mut Core, _: &Call<'_>) -> Result<Reply, Refusal> {
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

/// `GET /api/services`: the health of every site except the status service itself.
#[expect(clippy::unnecessary_wraps, reason = "handlers have one form")]
pub(in crate::network) fn services(
    state: &mut State,
    core: &mut Core,
    _: &Call<'_>,
) -> Result<Reply, Refusal> {
    let others = sites::ALL.iter().filter(|site| **site != sites::STATUS);
    let services = others.map(|site| {
        let node = state.nodes.at_site(*site);
        let status = match node {
            Some(node) if !node.up => "down",
            Some(node) if node.slow_ms > 0 => "slow",
            _ => "up",
        };
        json!({ "name": site.name, "status": status })
    });
    let services: Vec<Value> = services.collect();
    Ok(answer(core, "services", &services, None))
}

/// `GET /payment`: purchases of credits in pages, newest first, optionally of one `address`.
pub(in crate::network) fn payment(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let page = Page::parse(&call.params, Sizes::default(), &mut Strict)?;
    let buyer = call.params.text("address");
    let of_buyer =
        |purchase: &&Purchase| buyer.is_none_or(|buyer| purchase.address.eq_ignore_ascii_case(buyer));
    let wanted: Vec<&Purchase> = state.neighbours.purchases.iter().rev().filter(of_buyer).collect();
    let range = page.range(wanted.len() as u64);
    let shown = |purchase: &&Purchase| {
        let Purchase { number, address, tokens, credits, at } = purchase;
        json!({
            "payment_id": number,
            "address": **address,
            "tokens": tokens.to_string(),
            "credits": credits,
            "created_at": at.seconds(),
        })
    };
    let payments: Vec<Value> = wanted[range.start as usize..range.end as usize].iter().map(shown).collect();
    let pagination = json!(page.pagination(wanted.len() as u64));
    Ok(answer(core, "payments", &payments, Some(pagination)))
}

/// `GET /estimation/token-to-credit`: the value of `tokens`, a whole number, in credits.
pub(in crate::network) fn estimation(
    state: &mut State,
    core: &mut Core,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let text = call.params.text("tokens").unwrap_or_default();
    let tokens = text.parse::<u64>().ok().filter(|tokens| *tokens <= TOKENS);
    let tokens =
        tokens.ok_or_else(|| Refusal::new(&CREDIT, format!("tokens is {text:.40?}, not a whole number")))?;
    let credits = worth(state, tokens);
    Ok(core.json(200, json!({ "tokens": tokens.to_string(), "credits": credits })))
}

/// Buys credits.
pub(in crate::network) fn perform(
    state: &mut State,
    core: &mut Core,
    arguments: &Value,
) -> Result<Value, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wanted {
        address: String,
        tokens: u64,
    }
    let Wanted { address, tokens } = actions::read("purchase", arguments)?;
    if tokens == 0 || tokens > TOKENS {
        return Err(format!("tokens is {tokens}; it must be between 1 and {TOKENS}"));
    }
    let credits = worth(state, tokens);
    let neighbours = &mut state.neighbours;
    neighbours.bought += 1;
    if neighbours.purchases.len() == PURCHASES {
        neighbours.purchases.pop_front();
    }
    let number = neighbours.bought;
    let at = core.now();
    neighbours.purchases.push_back(Purchase {
        number,
        address: address.as_str().into(),
        tokens,
        credits,
        at,
    });
    let owner = address.to_ascii_lowercase();
    if let Some(balance) = state.balances.get(owner.as_str()) {
        let more = balance.saturating_add_unsigned(credits);
        payment::set_balance(state, core, &owner, Some(more));
    }
    Ok(json!({ "payment_id": number, "credits": credits }))
}

fn worth(state: &State, tokens: u64) -> u64 {
    tokens.saturating_mul(state.limits.credits_per_token)
}

/// The compute node of a machine.
fn place<'a>(state: &'a State, core: &Core, machine: Hash) -> &'a Node {
    let count = compute(state).count();
    let draw = core.rng.draw("network.allocation", &machine.0, 0);
    let at = usize::from(draw[0]) % count.max(1);
    compute(state).nth(at).unwrap_or(state.nodes.at(0))
}

fn compute(state: &State) -> impl Iterator<Item = &Node> {
    state.nodes.iter().filter(|node| node.kind == NodeKind::Compute)
}

/// A list, as the reply knows it.
#[derive(Clone, Debug)]
pub(in crate::network) struct Named(pub(in crate::network) &'static str);

/// A list as a named member.
fn answer(core: &mut Core, name: &'static str, items: &[Value], pagination: Option<Value>) -> Reply {
    let mut body = json!({ name: items });
    if let Some(pagination) = pagination {
        body["pagination"] = pagination;
    }
    core.reply(Answer::new(Named(name), 200, Body::Json(body)))
}
