//! Converts shapes to JSON Schema.

use assay_spec::Service;
use assay_spec::endpoint::Endpoint;
use assay_spec::network::CORE;
use assay_spec::shape::{Body, Field, ShapeKind};
use serde_json::{Map, Value, json};

/// The schema of a kind of value.
pub(super) fn for_kind(kind: &ShapeKind) -> Value {
    match kind {
        ShapeKind::Any => json!({}),
        ShapeKind::Null => json!({ "type": "null" }),
        ShapeKind::Text => json!({ "type": "string" }),
        ShapeKind::Commas => json!({ "type": "string", "description": "Strings separated by commas." }),
        ShapeKind::OneOf([only]) => json!({ "const": only }),
        ShapeKind::OneOf(strings) => json!({ "enum": strings }),
        ShapeKind::Boolean => json!({ "type": "boolean" }),
        ShapeKind::Integer => json!({ "type": "integer" }),
        ShapeKind::Within { least, most, otherwise } => {
            let mut schema = json!({ "type": "integer", "minimum": least });
            for (name, bound) in [("maximum", most), ("default", otherwise)] {
                if let Some(bound) = bound {
                    schema[name] = json!(bound);
                }
            }
            schema
        }
        ShapeKind::Array(items) => json!({ "type": "array", "items": for_kind(items) }),
        ShapeKind::Map(values) => json!({ "type": "object", "additionalProperties": for_kind(values) }),
        ShapeKind::Object(members) => object(members),
        ShapeKind::Either(kinds) => json!({ "anyOf": kinds.iter().map(for_kind).collect::<Vec<_>>() }),
        ShapeKind::File => json!({ "type": "string", "format": "binary" }),
    }
}

/// The description of a request body, if there is one.
pub(super) fn body(body: &Body) -> Option<Value> {
    let (kind, schema, required) = match body {
        Body::None => return None,
        Body::Json(members) => ("application/json", object(members), true),
        Body::OptionalJson(members) => ("application/json", object(members), false),
        Body::Envelope { kind, content } => ("application/json", envelope(*kind, content), true),
        Body::Form(parts) => ("multipart/form-data", object(parts), true),
    };
    Some(json!({ "required": required, "content": content(&[kind], &schema) }))
}

/// Content of these types. An event stream has no schema, since its events differ from the whole reply.
pub(super) fn content(types: &[&str], schema: &Value) -> Value {
    let of_type = |kind: &&str| {
        let schema = if *kind == "text/event-stream" { json!({}) } else { schema.clone() };
        ((*kind).to_owned(), json!({ "schema": schema }))
    };
    Value::Object(types.iter().map(of_type).collect())
}

/// The content type and the schema of an error, where the documents show them.
pub(super) fn refusal(endpoint: &Endpoint, status: u16) -> Option<(&'static str, Value)> {
    let json_type = "application/json";
    let text = json!({ "type": "string" });
    match (endpoint.service, status) {
        (Service::Gateway, _) => Some((json_type, members(&[("detail", text)], &["detail"]))),
        (Service::Metadata, 422) => {
            let place = json!({ "type": "array", "items": { "type": ["string", "integer"] } });
            let error = [("loc", place), ("msg", text.clone()), ("type", text)];
            let errors = json!({ "type": "array", "items": members(&error, &["loc", "msg", "type"]) });
            Some((json_type, members(&[("detail", errors)], &[])))
        }
        (Service::Network, _) if CORE.iter().any(|core| std::ptr::eq(*core, endpoint)) => {
            let error = [("error", text.clone()), ("status", json!({ "const": "error" })), ("code", text)];
            Some((json_type, members(&error, &["error", "status", "code"])))
        }
        (Service::Publish, 404 | 413) => Some(("text/plain", text)),
        (Service::Publish, _) => {
            let error = [("error", text.clone()), ("cause", text.clone()), ("reason", text)];
            Some((json_type, members(&error, &["error"])))
        }
        (Service::Metadata | Service::Network | Service::Hosting | Service::Drop, _) => None,
    }
}

/// The request envelope of the creating endpoints. `channel` has a default.
fn envelope(kind: Option<&str>, content: &[Field]) -> Value {
    let text = || json!({ "type": "string" });
    let kind = kind.map_or_else(text, |kind| json!({ "const": kind }));
    let message = members(
        &[
            ("chain", text()),
            ("channel", text()),
            ("type", kind),
            ("timestamp", json!({ "type": "integer", "description": "Seconds since the epoch." })),
            ("content", object(content)),
        ],
        &["chain", "type", "timestamp", "content"],
    );
    let outer = [("message", message), ("signature", text()), ("address", text())];
    members(&outer, &["message", "signature", "address"])
}

fn object(fields: &[Field]) -> Value {
    let all: Vec<(&str, Value)> = fields.iter().map(|field| (field.name, for_kind(&field.kind))).collect();
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    members(&all, &required)
}

fn members(all: &[(&str, Value)], required: &[&str]) -> Value {
    let mut schema = json!({ "type": "object" });
    if !all.is_empty() {
        let properties: Map<String, Value> =
            all.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
        schema["properties"] = Value::Object(properties);
    }
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}
