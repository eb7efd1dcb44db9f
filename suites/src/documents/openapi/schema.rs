//! Converts shapes to JSON Schema.

use assay_spec::endpoint::Endpoint;
use assay_spec::reply::{Header, HeaderRule};
use assay_spec::shape::{Body, Field, Form, Reply, ShapeKind};
use serde_json::{Map, Value, json};

/// The schema of a kind of value.
pub(super) fn for_kind(kind: &ShapeKind) -> Value {
    match kind {
        ShapeKind::Open(_) => json!({}),
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
        ShapeKind::Duration => json!({ "type": "number", "minimum": 0, "description": "Seconds." }),
        ShapeKind::Epoch => json!({ "type": "number", "description": "Seconds since the epoch." }),
        ShapeKind::Seconds => json!({ "type": "integer", "description": "Seconds since the epoch." }),
        ShapeKind::Milliseconds => {
            json!({ "type": "integer", "description": "Milliseconds since the epoch." })
        }
        ShapeKind::Form(form) => for_form(*form),
        ShapeKind::Listed(items) => {
            let list = json!({ "type": "array", "items": for_kind(items) });
            json!({ "anyOf": [list, { "type": "object" }] })
        }
        ShapeKind::Case(case) => {
            let mut schema = object(case.otherwise);
            let word = json!({ case.member: { "enum": case.words } });
            schema["if"] = json!({ "properties": word, "required": [case.member] });
            schema["then"] = object(case.then);
            schema
        }
        ShapeKind::Array(items) => json!({ "type": "array", "items": for_kind(items) }),
        ShapeKind::Map(values) => json!({ "type": "object", "additionalProperties": for_kind(values) }),
        ShapeKind::Object(members) => object(members),
        ShapeKind::Either(kinds) => json!({ "anyOf": kinds.iter().map(for_kind).collect::<Vec<_>>() }),
        ShapeKind::File => json!({ "type": "string", "format": "binary" }),
    }
}

fn for_form(form: Form) -> Value {
    match form {
        Form::NotEmpty => json!({ "type": "string", "minLength": 1 }),
        Form::Uuid => json!({ "type": "string", "format": "uuid" }),
        Form::Base64 => json!({ "type": "string", "contentEncoding": "base64" }),
        Form::Base58 => json!({ "type": "string", "pattern": "^[1-9A-HJ-NP-Za-km-z]+$" }),
        Form::Hex => json!({ "type": "string", "pattern": "^(0x)?[0-9a-fA-F]+$" }),
        Form::Url => json!({ "type": "string", "format": "uri" }),
        Form::Ipv6 => json!({ "type": "string", "format": "ipv6" }),
        Form::CidV1 => json!({ "type": "string", "description": "A content identifier of version 1." }),
        Form::Prefixed(prefix) => json!({ "type": "string", "pattern": format!("^{prefix}.") }),
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
pub(super) fn refusal(endpoint: &'static Endpoint, status: u16) -> Option<(&'static str, Value)> {
    let body = endpoint.expected(status)?.body;
    let schema = match body {
        Reply::Json(kind) => for_kind(kind),
        Reply::Text(text) => json!({ "type": "string", "examples": [text] }),
        Reply::Open(_) | Reply::JsonOrEvents(..) | Reply::Html | Reply::Bytes => return None,
    };
    Some((body.types().first()?, schema))
}

/// The headers of a response.
pub(super) fn headers(endpoint: &'static Endpoint, status: u16) -> Map<String, Value> {
    let of_status = endpoint.expected(status).map_or(&[][..], |expected| expected.headers);
    let header = |header: &Header| {
        let (schema, required) = match header.rule {
            // What should be so is not in a schema; a media type is the key of its content.
            HeaderRule::Absent | HeaderRule::AtMost(_) | HeaderRule::MediaType(_) => return None,
            HeaderRule::Seconds => (json!({ "type": "integer", "minimum": 0 }), true),
            HeaderRule::When => (json!({ "type": "string" }), true),
            HeaderRule::WhenPresent => (json!({ "type": "string" }), false),
        };
        Some((header.name.to_owned(), json!({ "required": required, "schema": schema })))
    };
    endpoint.shape.answers.iter().chain(of_status).filter_map(header).collect()
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

fn for_field(field: &Field) -> Value {
    let mut schema = for_kind(&field.kind);
    if field.nullable {
        match schema.get("type").and_then(Value::as_str).map(str::to_owned) {
            Some(kind) if schema.get("enum").is_none() => schema["type"] = json!([kind, "null"]),
            _ => schema = json!({ "anyOf": [schema, { "type": "null" }] }),
        }
    }
    schema
}

fn object(fields: &[Field]) -> Value {
    let all: Vec<(&str, Value)> = fields.iter().map(|field| (field.name, for_field(field))).collect();
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
