//! What the measurement program probes besides the API: a core node's own measurements, and a compute node's
//! login, diagnostic machine and status checks. The document does not show the bodies; these are the
//! simulator's choice.

use std::net::IpAddr;

use assay_spec::Refused;
use assay_spec::network::mistakes::probes::{METRICS, STATUS_CHECK, VM};
use assay_spec::network::requirements::probes::LOGIN;
use assay_spec::rules::{Mistake, Reading};
use http::HeaderValue;
use serde_json::{Value, json};

use super::node::{CHECKS, Node};
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::measure::probers::is_prober;
use crate::network::state::State;
use crate::network::{refusal, sites};
use crate::refusal::Refusal;
use crate::seam::steps;

/// How many blocks a lagging node is behind.
const BLOCKS_BEHIND: u64 = 5;

/// A core node's own measurements.
pub(in crate::network) fn metrics(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    accept_all(core, call, &METRICS)?;
    let behind = u64::from(call.site == sites::MIRROR && state.mirror.lags());
    let moment = core.now().0.unsigned_abs();
    let fresh = core.rng.draw("network.fresh-blocks", call.site.name.as_bytes(), moment)[0] % 3;
    let body = json!({
        "txs_total": behind,
        "pending_messages": state.held.len() + state.validating + state.batches.len(),
        "eth_height_remaining": u64::from(fresh) + BLOCKS_BEHIND * behind,
    });
    Ok(core.json(200, body))
}

/// A compute node's login. It always rejects; there are no credentials.
pub(in crate::network) fn login(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let node = node(state, call)?;
    let reply = LogIn::run(core, call);
    Ok(signed(reply, node))
}

steps! {
    LogIn(call: &Call<'_>) -> Reply = log_in;
}

/// The response to a login without credentials.
pub(in crate::network) fn log_in(core: &mut Core, _: &Call<'_>) -> Reply {
    let realm = HeaderValue::from_static("Basic realm=\"node\"");
    let error = refusal::error(core, &LOGIN, 401, "log in first");
    core.reply(error).header("www-authenticate", realm)
}

/// A machine on a compute node.
pub(in crate::network) fn machine(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let node = node(state, call)?;
    if !call.capture(0).eq_ignore_ascii_case(&node.machine_id) {
        return Err(Refusal::new(&VM, format!("no machine {:.80}", call.capture(0))));
    }
    accept_all(core, call, &VM)?;
    let reply = if node.machine {
        core.json(200, json!({ "machine": *node.machine_id, "works": true }))
    } else {
        core.text(503, "the machine does not run")
    };
    Ok(signed(reply, node))
}

/// A status check of a compute node.
pub(in crate::network) fn check(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let node = node(state, call)?;
    let name = call.capture(0);
    if !CHECKS.contains(&name) {
        return Err(Refusal::new(&STATUS_CHECK, format!("no check {name:.80}")));
    }
    accept_all(core, call, &STATUS_CHECK)?;
    let reply = core.json(200, json!({ "check": name, "works": true, "features": *node.features }));
    Ok(signed(reply, node))
}

/// The `features` in the response to a status check.
pub(in crate::network) fn features(body: &Value) -> Option<Vec<String>> {
    let texts = body.get("features")?.as_array()?.iter();
    texts.map(|feature| feature.as_str().map(str::to_owned)).collect()
}

/// The version in the `Server` header of a response.
pub(in crate::network) fn version(reply: &Reply) -> Option<&str> {
    let server = reply.headers.get(http::header::SERVER)?.to_str().ok()?;
    server.split_once('/').map(|(_, version)| version)
}

fn node<'a>(state: &'a State, call: &Call<'_>) -> Result<&'a Node, Refusal> {
    state.nodes.at_site(call.site).ok_or_else(|| Refusal::new(&LOGIN, "there is no node at this site"))
}

/// Compute nodes report their version in each response; core nodes in their public information.
fn signed(reply: Reply, node: &Node) -> Reply {
    match HeaderValue::try_from(format!("node/{}", node.version)) {
        Ok(version) => reply.header("server", version),
        Err(_) => reply,
    }
}

/// Every client is answered, not only the measurement program.
fn accept_all(
    core: &mut Core,
    call: &Call<'_>,
    rule: &Mistake<Reading<Option<IpAddr>, ()>>,
) -> Result<(), Refused> {
    let stranger = Some(call.peer).filter(|peer| !is_prober(*peer));
    core.accept(rule, stranger)
}
