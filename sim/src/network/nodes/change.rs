//! Changes to a node through the control API.

use std::sync::Arc;

use assay_spec::instant::HOUR;
use assay_spec::network::metrics::FEATURES;
use serde_json::Value;

use super::node::{CURRENT, Node, NodeKind};
use crate::network::sites;
use crate::network::state::State;
use crate::shape::{Millis, Name, Names, Whole, record};

/// The version of an outdated node.
const OLD: &str = "2.1.0";

/// The longest string of a node, in bytes.
const TEXT_BYTES: usize = 1024;

record! {
    /// The arguments of the action.
    pub(in crate::network) struct Change {
        /// The site of the node.
        site: Name<NodeSite>,
        /// Whether it is reachable.
        up: Option<bool>,
        /// How late it answers.
        slow_ms: Option<Millis<HOUR>>,
        /// Whether it has an IPv6 address.
        ipv6: Option<bool>,
        /// Whether its diagnostic machine runs.
        machine: Option<bool>,
        /// Its version: `current`, `old` or another string.
        version: Option<String>,
        /// Its address, as records show it.
        url: Option<String>,
        /// The number of its network.
        asn: Option<Whole<0, { u32::MAX as u64 }>>,
        /// The name of its network.
        as_name: Option<String>,
        /// What its machine can do.
        features: Option<Vec<Name<Feature>>>,
    }
}

/// The sites of nodes.
struct NodeSite;

impl Names for NodeSite {
    const WHAT: &'static str = "node";

    fn known() -> Vec<&'static str> {
        sites::OF_NODES.iter().map(|site| site.name).collect()
    }
}

/// What a machine can do.
struct Feature;

impl Names for Feature {
    const WHAT: &'static str = "feature";

    fn known() -> Vec<&'static str> {
        FEATURES.to_vec()
    }
}

/// Changes a node and returns its new view. If one value is invalid, nothing changes.
pub(in crate::network) fn perform(state: &mut State, change: Change) -> Result<Value, String> {
    let number = state.nodes.iter().position(|node| node.site.name == change.site.0);
    let number = number.expect("each of these sites has a node");
    change.check(state.nodes.at(number))?;
    let node = &mut Arc::make_mut(&mut state.nodes.0)[number];
    change.apply(node);
    Ok(node.view())
}

impl Change {
    fn check(&self, node: &Node) -> Result<(), String> {
        let of_machines = self.machine.is_some() || self.features.is_some();
        if of_machines && node.kind == NodeKind::Core {
            return Err(format!("{} is a core node: it has no machine and no features", node.site.name));
        }
        let texts = [("version", &self.version), ("url", &self.url), ("as_name", &self.as_name)];
        for (name, text) in texts {
            if text.as_ref().is_some_and(|text| text.len() > TEXT_BYTES) {
                return Err(format!("{name} is longer than {TEXT_BYTES} bytes"));
            }
        }
        Ok(())
    }

    fn apply(self, node: &mut Node) {
        let word = |version: String| match version.as_str() {
            "current" => CURRENT.into(),
            "old" => OLD.into(),
            _ => version.into(),
        };
        let Change { site: _, up, slow_ms, ipv6, machine, version, url, asn, as_name, features } = self;
        change(&mut node.up, up);
        change(&mut node.slow_ms, slow_ms.map(|Millis(ms)| ms));
        change(&mut node.ipv6, ipv6);
        change(&mut node.machine, machine);
        change(&mut node.version, version.map(word));
        change(&mut node.url, url.map(Into::into));
        change(&mut node.asn, asn.map(|Whole(asn)| asn as u32));
        change(&mut node.as_name, as_name.map(Into::into));
        let features = features.map(|all| all.iter().map(|feature| feature.0.to_owned()).collect());
        change(&mut node.features, features);
    }
}

fn change<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}
