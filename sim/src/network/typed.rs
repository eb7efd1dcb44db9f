//! Values of another type than a table of the document gives. No sentence demands that they are rejected at once.

use assay_spec::Id;
use assay_spec::network::ENDPOINTS;
use assay_spec::network::message::MessageType;
use assay_spec::network::requirements::{
    aggregates, envelope, forget, instances, pins, programs, vrf, webhooks,
};
use assay_spec::shape::{Body, Field, ShapeKind};
use serde_json::{Map, Value, json};

use super::variations;
use crate::core::Core;

/// The rules about types that a table alone gives.
pub(super) static RULES: &[Id] = &[
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

/// The content of a message as the node reads it: as sent, or, under the variation, with each value as the type that
/// the table gives.
pub(super) fn read(core: &Core, kind: MessageType, content: Map<String, Value>) -> Map<String, Value> {
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

/// The members of a body or a content, read as [`read`] does.
pub(super) fn members(core: &Core, fields: &[Field], mut sent: Map<String, Value>) -> Map<String, Value> {
    if core.varies(variations::TYPES_READ) {
        for field in fields {
            if let Some(value) = sent.get_mut(field.name) {
                *value = as_type(field.kind, value.take());
            }
        }
    }
    sent
}

fn as_type(kind: ShapeKind, value: Value) -> Value {
    match (kind, value) {
        (ShapeKind::Text, Value::Number(number)) => json!(number.to_string()),
        (ShapeKind::Integer, Value::String(text)) => {
            text.parse::<i64>().map_or(json!(text), |number| json!(number))
        }
        (ShapeKind::Integer, Value::Number(number)) => {
            number.as_f64().filter(|_| number.is_f64()).map_or(json!(number), |number| json!(number as i64))
        }
        (ShapeKind::Array(inner), Value::Array(items)) => {
            items.into_iter().map(|item| as_type(*inner, item)).collect()
        }
        (ShapeKind::Map(inner), Value::Object(members)) => {
            Value::Object(members.into_iter().map(|(name, value)| (name, as_type(*inner, value))).collect())
        }
        (ShapeKind::Object(fields), Value::Object(mut members)) => {
            for field in fields {
                if let Some(value) = members.get_mut(field.name) {
                    *value = as_type(field.kind, value.take());
                }
            }
            Value::Object(members)
        }
        (_, value) => value,
    }
}
