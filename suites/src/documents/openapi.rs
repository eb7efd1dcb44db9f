//! A service as `OpenAPI` 3.1: a function of the endpoints' declarations and of its sites' base URLs.

mod schema;

use std::collections::BTreeMap;

use assay_spec::Service;
use assay_spec::endpoint::{Auth, Endpoint, OF_HTTP};
use assay_spec::shape::{Body, Field, Reply};
use serde_json::{Map, Value, json};

use assay_spec::catalogue::{self, site};
use schema::{body, content, for_kind};

/// What a service's document says besides the declarations.
#[derive(Clone, Copy, Debug)]
pub struct Notes {
    /// More about the service, as the end of a paragraph; empty if there is nothing.
    pub about: &'static str,
    /// What a status means where the usual sentence does not say it.
    pub meanings: &'static [(u16, &'static str)],
}

/// The document of a service whose sites have these base URLs (site name to URL). The URL of any other site is a
/// variable, or, for the service's first site, relative to the document.
pub fn describe(service: Service, notes: &Notes, urls: &BTreeMap<String, String>) -> Value {
    let endpoints: Vec<&Endpoint> = catalogue::endpoints_of(service).collect();
    let endpoints = endpoints.as_slice();
    let mut paths = Map::new();
    for endpoint in endpoints {
        let item = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        item[endpoint.method.to_ascii_lowercase()] = operation(endpoint, notes, urls);
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": format!("{service}, as document {} has it", service.document()),
            "version": env!("CARGO_PKG_VERSION"),
            "description": about(notes),

        },
        "servers": [{ "url": urls.get(service.name()).map_or("/", |url| url.as_str()) }],
        "tags": tags(endpoints),
        "paths": paths,
        "components": {
            "responses": {
                "OfHttp": {
                    "description": "Not stated by the documents: any server or proxy may reject a request for its \
                                    HTTP form.",
                },
            },
        },
    });
    let schemes = schemes(endpoints);
    if !schemes.is_empty() {
        document["components"]["securitySchemes"] = Value::Object(schemes);
    }
    document
}

/// The names of the sites that offer a service's endpoints, its first site first.
pub fn sites(service: Service) -> Vec<&'static str> {
    let mut names = vec![service.name()];
    for endpoint in catalogue::endpoints_of(service) {
        if !names.contains(&site(endpoint)) {
            names.push(site(endpoint));
        }
    }
    names
}

/// The documented status codes and ranges of an endpoint, as the document writes them, those of HTTP itself apart.
pub fn statuses(endpoint: &Endpoint) -> Vec<String> {
    let listed = endpoint.statuses.iter().chain(endpoint.shape.open);
    let mut all: Vec<String> = listed.map(u16::to_string).collect();
    all.sort_unstable();
    if all.is_empty() {
        // Nothing is shown, so that no success and no refusal is unforeseen.
        all = vec!["2XX".to_owned(), "4XX".to_owned()];
    }
    all
}

fn about(notes: &Notes) -> String {
    let more = notes.about;
    format!(
        "Made from the declarations that the checks rest on. A status that is not listed is one that the documents do \
         not foresee.{more}"
    )
}

fn tags(endpoints: &[&Endpoint]) -> Value {
    let mut names: Vec<&str> = Vec::new();
    for endpoint in endpoints {
        if !names.contains(&endpoint.shape.group) {
            names.push(endpoint.shape.group);
        }
    }
    names.iter().map(|name| json!({ "name": name })).collect()
}

fn operation(endpoint: &'static Endpoint, words: &Notes, urls: &BTreeMap<String, String>) -> Value {
    let shape = &endpoint.shape;
    let mut operation = json!({
        "operationId": endpoint.name,
        "summary": endpoint.summary(),
        "tags": [shape.group],
        "x-source": endpoint.source,
    });
    let notes = [endpoint.more(), shape.note, signed(endpoint.auth)];
    let notes: Vec<&str> = notes.into_iter().filter(|note| !note.is_empty()).collect();
    if !notes.is_empty() {
        operation["description"] = json!(notes.join("\n\n"));
    }
    let place = site(endpoint);
    if place != endpoint.service.name() {
        operation["servers"] = if let Some(url) = urls.get(place) {
            json!([{ "url": url }])
        } else {
            let default = format!("https://{place}.example");
            json!([{ "url": "{base}", "variables": { "base": { "default": default } } }])
        };
    }
    let security = security(endpoint.auth);
    if !security.is_empty() {
        operation["security"] = json!(security.iter().map(|name| json!({ *name: [] })).collect::<Vec<_>>());
    }
    let parameters = parameters(endpoint);
    if !parameters.is_empty() {
        operation["parameters"] = json!(parameters);
    }
    if let Some(body) = body(&shape.body) {
        operation["requestBody"] = body;
    }
    operation["responses"] = responses(endpoint, words);
    operation
}

/// What a caller signs in a body, where no security scheme can say so.
fn signed(auth: Auth) -> &'static str {
    match auth {
        Auth::Envelope => "The body carries the signature of its own message by `address`.",
        Auth::FileSignature => "The form carries the signature of the file's hash by `address`.",
        Auth::None | Auth::Bearer | Auth::BearerOrPayment | Auth::VfKey => "",
    }
}

const KEY: &str = "key";
const PAYMENT: &str = "payment";
const VF_KEY: &str = "vfKey";

fn security(auth: Auth) -> &'static [&'static str] {
    match auth {
        Auth::None | Auth::Envelope | Auth::FileSignature => &[],
        Auth::Bearer => &[KEY],
        Auth::BearerOrPayment => &[KEY, PAYMENT],
        Auth::VfKey => &[VF_KEY],
    }
}

fn schemes(endpoints: &[&Endpoint]) -> Map<String, Value> {
    let mut schemes = Map::new();
    for name in endpoints.iter().flat_map(|endpoint| security(endpoint.auth)) {
        let scheme = match *name {
            KEY => json!({ "type": "http", "scheme": "bearer", "description": "An API key." }),
            PAYMENT => json!({
                "type": "apiKey", "in": "header", "name": "X-PAYMENT",
                "description": "A payment for this one request, where the service takes them; how it is signed is \
                                not shown.",
            }),
            _ => json!({
                "type": "apiKey", "in": "header", "name": "Authorization",
                "description": "`VfKey <message>.<signature>`: the envelope's message and its ed25519 signature by \
                                the domain's publishing key, both base64url without padding.",
            }),
        };
        schemes.insert((*name).to_owned(), scheme);
    }
    schemes
}

fn parameters(endpoint: &Endpoint) -> Vec<Value> {
    let shape = &endpoint.shape;
    let captures = endpoint.captures().map(|name| {
        let known = shape.path.iter().find(|field| field.name == name);
        let schema =
            known.map_or_else(|| json!({ "type": "string", "minLength": 1 }), |field| for_kind(&field.kind));
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    });
    let query = shape.query.iter().map(|field| parameter("query", field));
    let headers = shape.headers.iter().map(|field| parameter("header", field));
    captures.chain(query).chain(headers).collect()
}

fn parameter(place: &str, field: &Field) -> Value {
    use assay_spec::shape::ShapeKind;

    let mut parameter = json!({ "name": field.name, "in": place, "required": field.required });
    match field.kind {
        // An object in a query is JSON.
        ShapeKind::Object(_) => parameter["content"] = content(&["application/json"], &for_kind(&field.kind)),
        ShapeKind::Commas => {
            parameter["style"] = json!("form");
            parameter["explode"] = json!(false);
            parameter["schema"] = json!({ "type": "array", "items": { "type": "string" } });
        }
        _ => parameter["schema"] = for_kind(&field.kind),
    }
    parameter
}

fn responses(endpoint: &'static Endpoint, notes: &Notes) -> Value {
    let mut responses = Map::new();
    for code in statuses(endpoint) {
        let status = code.parse::<u16>().ok();
        let response = status.map_or_else(
            || json!({ "description": "Nothing is shown of this endpoint." }),
            |status| response(endpoint, notes, status),
        );
        responses.insert(code, response);
    }
    let carries = !matches!(endpoint.shape.body, Body::None);
    for status in OF_HTTP {
        let of_bodies = matches!(status, 411 | 413 | 415);
        if (carries || !of_bodies) && !endpoint.foresees(*status) {
            responses.insert(status.to_string(), json!({ "$ref": "#/components/responses/OfHttp" }));
        }
    }
    Value::Object(responses)
}

fn response(endpoint: &'static Endpoint, notes: &Notes, status: u16) -> Value {
    let is_open = endpoint.shape.open.contains(&status);
    let mut description = meaning(notes, status).to_owned();
    if is_open {
        description.push_str(" The documents leave this open.");
    }
    let mut response = json!({ "description": description });
    if (200..300).contains(&status) {
        let schema = match &endpoint.shape.reply {
            Reply::Json(kind) | Reply::JsonOrEvents(kind, _) => for_kind(kind),
            Reply::Html | Reply::Text(_) => json!({ "type": "string" }),
            Reply::Bytes | Reply::Open(_) => json!({}),
        };
        let types = endpoint.shape.reply.types();
        if !types.is_empty() {
            response["content"] = content(types, &schema);
        }
    } else if let Some((kind, schema)) = schema::refusal(endpoint, status).filter(|_| !is_open) {
        response["content"] = content(&[kind], &schema);
    }
    let headers = schema::headers(endpoint, status);
    if !headers.is_empty() {
        response["headers"] = Value::Object(headers);
    }
    response
}

/// What a status means, in a sentence.
fn meaning(notes: &Notes, status: u16) -> &'static str {
    let own = notes.meanings.iter().find(|(known, _)| *known == status);
    own.map_or_else(|| usual(status), |(_, meaning)| meaning)
}

fn usual(status: u16) -> &'static str {
    match status {
        200 => "Success.",
        400 => "The request is malformed.",
        401 => "No valid key, or no valid signature.",
        402 => "A payment is asked for.",
        403 => "Not allowed.",
        404 => "Not found.",
        409 => "The state does not allow it.",
        410 => "Gone.",
        413 => "Too large.",
        422 => "A value is not valid.",
        429 => "Too many requests; wait.",
        500 => "The service failed.",
        502 => "The path to the chain failed.",
        503 => "Not at this moment, or not at this node.",
        504 => "What it needs did not answer.",
        _ => "As the documents have it.",
    }
}
