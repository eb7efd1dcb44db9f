//! Values of another type than a table of the document gives. No sentence demands that they are rejected at once.

use assay_spec::Id;
use assay_spec::network::ENDPOINTS;
use assay_spec::network::message::MessageType;
use assay_spec::network::requirements::{
    aggregates, envelope, forget, instances, pins, programs, vrf, webhooks,
};
use assay_spec::shape::{Body, Field, ShapeKind};
use serde_json::{Map, Value};

use crate::core::Core;

/// The rules about types that a table alone gives.
pub(in crate::network) static RULES: &[Id] = &[
    &envelope::CHAIN,
    &envelope::CHANNEL,
    &envelope::TYPE_KNOWN,
    &aggregates::CREATE_KEY,
    &aggregates::CREATE_ADDRESS,
    &aggregates::CREATE_CONTENT,
    &programs::RUNTIME,
    &programs::MEMORY,
    &programs::TIMEOUT,
    &programs::VARIABLES,
    &instances::CREATE_NUMBERS,
    &instances::CREATE_TEXTS,
    &instances::CREATE_FIREWALL,
    &instances::ACTION,
    &pins::HASH_REQUIRED,
    &webhooks::URL,
    &webhooks::EVENTS,
    &webhooks::SECRET,
    &forget::HASHES,
    &vrf::GENERATE_FIELDS,
];

/// Members that a table describes, as the node reads them.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Sent {
    /// The table.
    pub(in crate::network) fields: &'static [Field],
    /// The members, as sent.
    pub(in crate::network) members: Map<String, Value>,
}

/// The content of a message, as the node reads it.
pub(in crate::network) fn read(
    core: &mut Core,
    kind: MessageType,
    content: Map<String, Value>,
) -> Map<String, Value> {
    let fields = ENDPOINTS.iter().find_map(|endpoint| match endpoint.shape.body {
        Body::Envelope { kind: Some(name), content } if name == kind.name() => Some(content),
        _ => None,
    });
    match fields {
        Some(fields) => members(core, fields, content),
        // Only `POST /messages` accepts a FORGET.
        None if kind == MessageType::Forget => members(core, FORGET, content),
        None => content,
    }
}

/// The content of a FORGET.
const FORGET: &[Field] = &[assay_spec::shape::must("hashes", ShapeKind::Array(&ShapeKind::Text))];

/// The members of a body or a content, as the node reads them.
pub(in crate::network) fn members(
    core: &mut Core,
    fields: &'static [Field],
    members: Map<String, Value>,
) -> Map<String, Value> {
    core.step(Sent { fields, members }).members
}
