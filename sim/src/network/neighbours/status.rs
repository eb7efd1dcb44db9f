//! The status service.

use serde_json::{Value, json};

use super::answer::answer;
use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::sites;
use crate::network::state::State;
use crate::refusal::Refusal;

/// `GET /api/services`: the health of every site except the status service itself.
#[expect(clippy::unnecessary_wraps, reason = "handlers have one form")]
pub(in crate::network) fn services(
    core: &mut Core,
    state: &mut State,
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
