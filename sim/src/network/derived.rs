//! What a node makes of its messages besides keeping them: aggregates and instances. A clone is cheap.

use std::sync::Arc;

use assay_spec::{Gate, Id};
use imbl::OrdSet;
use serde_json::{Value, json};

use super::aggregates::Aggregates;
use super::create::{self, Created};
use super::instances::Instances;
use crate::core::Core;
use crate::world::Reply;

/// What follows from the messages of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct Derived {
    /// Keyed documents.
    pub(super) aggregates: Aggregates,
    /// Virtual machines.
    pub(super) instances: Instances,
    /// Hashes of content that is pinned.
    pub(super) pins: OrdSet<Arc<str>>,
}

/// A member of an answer: as it is, or, where its rule has lapsed, as the lie has it.
pub(super) fn falsify(
    core: &mut Core,
    shown: &mut Value,
    name: &str,
    rule: Id,
    lie: impl FnOnce(&Value) -> Value,
) {
    let honest = shown[name].take();
    shown[name] = core.effect(rule, honest, |honest, _| lie(&honest));
}

/// The answer to a creating call with an endpoint of its own. `rule` is what the document says of it.
pub(super) fn created(core: &mut Core, rule: Id, created: &Created, more: &[(&str, Value)]) -> Reply {
    let mut body = json!({ "item_hash": created.hash.text(core) });
    for (name, value) in more {
        body[*name] = value.clone();
    }
    body["status"] = json!("success");
    let body = core.effect(rule, body, |mut body, variant| {
        match variant {
            "" => body["status"] = json!("accepted"),
            "hash" => body["item_hash"] = json!(""),
            // The other lies of such a row are told elsewhere.
            _ => {}
        }
        body
    });
    let status = create::success(core);
    core.json(status, body)
}
