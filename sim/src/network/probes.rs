//! What the measurement program probes besides the API: a core node's own measurements, and a compute node's login,
//! diagnostic machine and status checks. Bodies are not shown and this simulator's own.

use assay_spec::Gate;
use assay_spec::network::requirements::probes::{LOGIN, METRICS, STATUS_CHECK, VM};
use assay_spec::{Id, network::probes as spec};
use http::HeaderValue;
use serde_json::{Value, json};

use super::call::Call;
use super::nodes::Node;
use super::refusal::{self, Refusal};
use super::{State, measure, sites};
use crate::core::Core;
use crate::world::Reply;

/// The status checks that compute nodes have.
pub(super) const CHECKS: [&str; 3] = ["full", "machines", "storage"];

/// Answers what a probe asks.
pub(super) fn handle(state: &State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let Some(node) = state.nodes.at_site(call.site) else {
        return Err(Refusal::new(&METRICS, "no node is here"));
    };
    let reply = match call.endpoint.name {
        name if name == spec::METRICS.name => metrics(state, core, call),
        name if name == spec::LOGIN.name => login(core, call),
        name if name == spec::VM.name => machine(core, call, node),
        _ => check(core, call, node),
    };
    // Compute nodes tell their version in each answer; core nodes in their information.
    let version = HeaderValue::try_from(format!("node/{}", node.version));
    Ok(match version {
        Ok(version) if !super::call::is_api(call.site) => reply.header("server", version),
        _ => reply,
    })
}

/// Whether the node is dishonest here. It is not to the measurement program: what that sees has rows of its own.
fn lies(core: &mut Core, call: &Call<'_>, rule: Id) -> bool {
    core.lapse(rule).is_some() && !measure::is_prober(call.peer)
}

fn metrics(state: &State, core: &mut Core, call: &Call<'_>) -> Reply {
    if lies(core, call, &METRICS) {
        return refusal::error(core, 404, "not found");
    }
    let behind = call.site == sites::MIRROR && state.mirror.lags();
    let blocks = core.rng.draw("network.blocks", call.site.name.as_bytes(), core.now().0.unsigned_abs())[0] % 3;
    let body = json!({
        "txs_total": u64::from(behind),
        "pending_messages": state.pending(call.site),
        "eth_height_remaining": u64::from(blocks) + 5 * u64::from(behind),
    });
    core.json(200, body)
}

fn login(core: &mut Core, call: &Call<'_>) -> Reply {
    if lies(core, call, &LOGIN) {
        return core.json(200, json!({ "logged_in": true }));
    }
    let realm = HeaderValue::from_static("Basic realm=\"node\"");
    refusal::error(core, 401, "log in first").header("www-authenticate", realm)
}

fn machine(core: &mut Core, call: &Call<'_>, node: &Node) -> Reply {
    let known = call.capture(0).eq_ignore_ascii_case(&node.machine_id);
    match known && !lies(core, call, &VM) {
        false => refusal::error(core, 404, "no such machine"),
        true if node.machine => core.json(200, json!({ "machine": *node.machine_id, "works": true })),
        true => core.text(503, "the machine does not run"),
    }
}

fn check(core: &mut Core, call: &Call<'_>, node: &Node) -> Reply {
    let name = call.capture(0);
    match CHECKS.contains(&name) && !lies(core, call, &STATUS_CHECK) {
        true => core.json(200, json!({ "check": name, "works": true, "features": *node.features })),
        false => refusal::error(core, 404, "no such check"),
    }
}

/// `features` of the answer to a status check.
pub(super) fn features(body: &Value) -> Option<Vec<String>> {
    let texts = body.get("features")?.as_array()?.iter();
    texts.map(|feature| feature.as_str().map(str::to_owned)).collect()
}
