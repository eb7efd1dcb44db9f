//! `GET /info/public.json`: information about a node. The document does not show the body; this one is the
//! simulator's choice.

use assay_spec::network::requirements::info::PUBLIC;
use serde::Serialize;
use serde_json::Value;

use crate::core::Core;
use crate::exchange::Reply;
use crate::network::call::Call;
use crate::network::state::State;
use crate::refusal::Refusal;
use crate::seam::Answer;

/// The public information of a node.
#[derive(Clone, Debug, Serialize)]
pub(in crate::network) struct Information {
    /// Its hash, in hex.
    node_id: String,
    /// The version of its software.
    pub(in crate::network) version: String,
    /// Its address.
    url: String,
}

/// Returns the public information of a node.
pub(in crate::network) fn public(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let Some(node) = state.nodes.at_site(call.site) else {
        return Err(Refusal::new(&PUBLIC, "there is no node at this site"));
    };
    let [node_id, version, url] = [&node.id, &node.version, &node.url].map(ToString::to_string);
    Ok(core.reply(Answer::json(200, Information { node_id, version, url })))
}

/// The version in a node's information.
pub(in crate::network) fn version(body: &Value) -> Option<&str> {
    let listed = || body.as_array()?.iter().find(|part| part["name"] == "version")?["value"].as_str();
    body.get("version").and_then(Value::as_str).or_else(listed)
}
