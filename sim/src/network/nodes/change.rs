//! Changes to a node through the control API.

use std::sync::Arc;

use assay_spec::network::metrics::FEATURES;
use serde::Deserialize;
use serde_json::Value;

use super::node::{CURRENT, Node, NodeKind};
use crate::network::state::State;

/// The version of an outdated node.
const OLD: &str = "2.1.0";

/// The maximum delay of a slow node, in milliseconds.
const SLOW_MS: i64 = 3_600_000;
/// The longest string of a node, in bytes.
const TEXT_BYTES: usize = 1024;

/// The arguments of the action.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::network) struct Change {
    site: String,
    up: Option<bool>,
    slow_ms: Option<i64>,
    ipv6: Option<bool>,
    machine: Option<bool>,
    version: Option<String>,
    url: Option<String>,
    asn: Option<u32>,
    as_name: Option<String>,
    features: Option<Vec<String>>,
}

/// Changes a node and returns its new view. If one value is invalid, nothing changes.
pub(in crate::network) fn perform(state: &mut State, change: Change) -> Result<Value, String> {
    let known = || state.nodes.iter().map(|node| node.site.name).collect::<Vec<_>>();
    let number = state.nodes.iter().position(|node| node.site.name == change.site);
    let number =
        number.ok_or_else(|| format!("there is no node at {:.60?}; known: {:?}", change.site, known()))?;
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
        if let Some(slow_ms) = self.slow_ms.filter(|ms| !(0..=SLOW_MS).contains(ms)) {
            return Err(format!("slow_ms is {slow_ms}; it must be between 0 and {SLOW_MS}"));
        }
        let texts = [("version", &self.version), ("url", &self.url), ("as_name", &self.as_name)];
        for (name, text) in texts {
            if text.as_ref().is_some_and(|text| text.len() > TEXT_BYTES) {
                return Err(format!("{name} is longer than {TEXT_BYTES} bytes"));
            }
        }
        let known = |feature: &String| FEATURES.contains(&feature.as_str());
        match self.features.iter().flatten().find(|feature| !known(feature)) {
            Some(strange) => Err(format!("unknown feature {strange:.60?}; known: {FEATURES:?}")),
            None => Ok(()),
        }
    }

    fn apply(self, node: &mut Node) {
        let word = |version: String| match version.as_str() {
            "current" => CURRENT.into(),
            "old" => OLD.into(),
            _ => version.into(),
        };
        let Change { site: _, up, slow_ms, ipv6, machine, version, url, asn, as_name, features } = self;
        change(&mut node.up, up);
        change(&mut node.slow_ms, slow_ms);
        change(&mut node.ipv6, ipv6);
        change(&mut node.machine, machine);
        change(&mut node.version, version.map(word));
        change(&mut node.url, url.map(Into::into));
        change(&mut node.asn, asn);
        change(&mut node.as_name, as_name.map(Into::into));
        change(&mut node.features, features.map(Into::into));
    }
}

fn change<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}
