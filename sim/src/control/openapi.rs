//! The OpenAPI document of the control API.

use std::sync::LazyLock;

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde_json::{Map, Value, json};

use super::PREFIX;
use super::paths::{self, Endpoint};

/// The document. It is the same in every world.
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(build);
    &DOCUMENT
}

pub(super) async fn serve() -> impl IntoResponse {
    static TEXT: LazyLock<String> = LazyLock::new(|| document().to_string());
    ([(CONTENT_TYPE, "application/json")], TEXT.as_str())
}

fn build() -> Value {
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    let all = paths::all();
    for is_in_fork in [false, true] {
        for endpoint in all.iter().filter(|endpoint| endpoint.is_of_world || !is_in_fork) {
            let world = if is_in_fork { "worlds/{world}/" } else { "" };
            let path = format!("/{world}{}", endpoint.path);
            let item = paths.entry(path).or_insert_with(|| json!({}));
            item[endpoint.method.to_lowercase()] = operation(endpoint, is_in_fork, &mut schemas);
        }
    }
    schemas.insert(
        "Error".to_owned(),
        json!({
            "type": "object",
            "properties": { "error": { "type": "string", "description": "What is wrong, and where." } },
            "required": ["error"],
            "additionalProperties": false,
        }),
    );
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Control API of the simulator",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Time, faults, worlds and the state of a world. It is not a part of the documents. Each path of a \
                world is also under `worlds/{world}`, for the world that `fork` has made.",
        },
        "servers": [{ "url": PREFIX }],
        "security": [{}, { "token": [] }],
        "tags": [
            { "name": "world", "description": "The first world, and what all worlds share." },
            { "name": "forked world", "description": "A world that `fork` has made." },
        ],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "The token of --token-file, if the simulator has one.",
            } },
        },
    })
}

/// The name of an operation: `setFaults`, `setFaultsOfFork`.
fn name_of(endpoint: &Endpoint, is_in_fork: bool) -> String {
    let words = endpoint.path.split(['/', '.']).filter(|word| !word.starts_with('{'));
    let verb = match endpoint.method {
        "GET" => "get",
        "DELETE" => "delete",
        "PUT" => "set",
        _ => "post",
    };
    let mut name = verb.to_owned();
    for word in words {
        name.push_str(&word[..1].to_uppercase());
        name.push_str(&word[1..]);
    }
    if is_in_fork {
        name.push_str("OfFork");
    }
    name
}

/// A schema that both worlds use is a component with that name.
fn shared(schemas: &mut Map<String, Value>, endpoint: &Endpoint, what: &str, schema: Value) -> Value {
    let name = format!("{}{what}", name_of(endpoint, false));
    let name = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
    schemas.insert(name.clone(), schema);
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn operation(endpoint: &Endpoint, is_in_fork: bool, schemas: &mut Map<String, Value>) -> Value {
    let mut parameters: Vec<Value> = Vec::new();
    if is_in_fork || endpoint.path.contains("{world}") {
        parameters.push(json!({
            "name": "world",
            "in": "path",
            "required": true,
            "description": "The name of a forked world, as `fork` and `info` return it.",
            "schema": { "type": "string", "minLength": 1 },
        }));
    }
    parameters.extend(endpoint.query.iter().map(|field| {
        let mut schema = (field.schema)();
        // A query has no null: the parameter is absent.
        if !field.is_needed
            && let Some(forms) = schema["anyOf"].as_array()
        {
            schema = forms[0].clone();
        }
        json!({
            "name": field.name,
            "in": "query",
            "required": field.is_needed,
            "description": field.about(),
            "schema": schema,
        })
    }));
    let mut responses = Map::new();
    let (media_type, schema) = endpoint.answer;
    let schema = shared(schemas, endpoint, "Response", schema());
    let content = Map::from_iter([(media_type.to_owned(), json!({ "schema": schema }))]);
    responses.insert("200".to_owned(), json!({ "description": "Done.", "content": content }));
    for status in endpoint.statuses(is_in_fork) {
        let error = json!({ "schema": { "$ref": "#/components/schemas/Error" } });
        let error = json!({ "description": meaning(status), "content": { "application/json": error } });
        responses.insert(status.to_string(), error);
    }
    let mut operation = json!({
        "operationId": name_of(endpoint, is_in_fork),
        "summary": endpoint.about,
        "tags": [if is_in_fork || endpoint.path.contains("{world}") { "forked world" } else { "world" }],
        "parameters": parameters,
    });
    if let Some(body) = endpoint.body {
        let schema = shared(schemas, endpoint, "Body", (body.schema)());
        let content = json!({ "application/json": { "schema": schema } });
        operation["requestBody"] = json!({ "required": body.is_needed, "content": content });
    }
    operation["responses"] = Value::Object(responses);
    operation
}

/// What the status of an error means.
pub fn meaning(status: u16) -> &'static str {
    match status {
        400 => "Something in the body or in the query is wrong; the error says what and where.",
        401 => "The simulator has a token, and the request does not present it.",
        403 => "The request names a host that is not allowed, or comes from a page of another origin.",
        404 => "No world has this name.",
        408 => {
            "The body was too slow, what is waited for did not happen, or time did not get as far as wanted."
        }
        413 => "The body is longer than 2 MiB.",
        415 => "The body has no Content-Type: application/json.",
        500 => "The sites of the world cannot listen.",
        503 => "Other bodies use all the memory for bodies.",
        _ => "It failed.",
    }
}
