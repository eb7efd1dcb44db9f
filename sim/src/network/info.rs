//! `GET /info/public.json`: information about a node. The document does not show the body; this one is the
//! simulator's choice.

use assay_spec::Rules;
use assay_spec::network::requirements::info::PUBLIC;
use serde_json::{Value, json};

use super::call::Call;
use super::{State, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// Returns the public information of a node.
pub(super) fn public(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    let Some(node) = state.nodes.at_site(call.site) else {
        return Err(Refusal::new(&PUBLIC, "there is no node at this site"));
    };
    if core.violated(&PUBLIC).is_some() {
        return Ok(Reply::new(200, "text/html", format!("<p>{}</p>", node.version)));
    }
    let body = json!({ "node_id": *node.id, "version": *node.version, "url": *node.url });
    Ok(if core.varies(variations::INFO_LIST) {
        let parts = body.as_object().into_iter().flatten();
        let parts = parts.map(|(name, value)| json!({ "name": name, "value": value })).collect();
        core.json(200, parts)
    } else {
        core.json(200, body)
    })
}

/// The version in a node's information.
pub(super) fn version(body: &Value) -> Option<&str> {
    let listed = || body.as_array()?.iter().find(|part| part["name"] == "version")?["value"].as_str();
    body.get("version").and_then(Value::as_str).or_else(listed)
}
