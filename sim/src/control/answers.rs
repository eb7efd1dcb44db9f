//! The responses of the control API as JSON Schemas.

use assay_spec::{Instant, Service, catalogue};
use serde_json::{Map, Value, json};

use super::bodies::limits_schema;
use crate::fault;
use crate::serve::ClockMode;
use crate::shape::{Shape, Word};
use crate::world;

/// An object with exactly these members; a `?` at the end of a name is an optional one.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let name = |name: &str| name.trim_end_matches('?').to_owned();
    let needed: Vec<String> =
        members.iter().filter(|(member, _)| !member.ends_with('?')).map(|(member, _)| name(member)).collect();
    let properties: Map<String, Value> =
        members.into_iter().map(|(member, schema)| (name(member), schema)).collect();
    json!({ "type": "object", "properties": properties, "required": needed, "additionalProperties": false })
}

fn list(items: Value) -> Value {
    let mut list = json!({ "type": "array" });
    list["items"] = items;
    list
}

fn text() -> Value {
    String::schema()
}

fn flag() -> Value {
    bool::schema()
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn or_null(mut schema: Value) -> Value {
    schema["type"] = json!([schema["type"].take(), "null"]);
    schema
}

/// An object from these names to what the schema says.
fn named<'n>(names: impl Iterator<Item = &'n str>, schema: &Value) -> Value {
    let properties: Map<String, Value> = names.map(|name| (name.to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn sites() -> Value {
    let sites = world::sites();
    named(sites.iter().map(|site| site.name), &json!({ "type": "string", "format": "uri" }))
}

pub(super) fn nothing() -> Value {
    object([])
}

pub(super) fn scheduled() -> Value {
    list(object([
        ("number", count()),
        ("at", Instant::schema()),
        ("action", text()),
        ("outcome", json!({ "enum": ["performed", "failed", "waiting"] })),
        ("why", or_null(text())),
    ]))
}

pub(super) fn anything() -> Value {
    json!({ "type": ["object", "array"] })
}

pub(super) fn info() -> Value {
    let (faults, actions, variations) = (world::faults(), world::actions(), world::variations());
    let strings = json!({ "type": "object", "additionalProperties": text() });
    object([
        ("name", json!({ "const": "assay-sim" })),
        ("version", text()),
        ("protocol", json!({ "const": 1 })),
        ("seed", count()),
        ("now", Instant::schema()),
        ("time", json!({ "const": "T3" })),
        ("forks", flag()),
        ("worlds", list(text())),
        ("sites", sites()),
        ("faults", named(faults.iter().map(|kind| kind.name), &text())),
        ("actions", named(actions.iter().map(|(name, _)| name.as_str()), &text())),
        ("variations", named(variations.iter().map(|one| one.name), &text())),
        ("deviations", strings),
    ])
}

pub(super) fn clock() -> Value {
    let modes: Vec<&str> = ClockMode::WORDS.iter().map(|(word, _)| *word).collect();
    object([("now", Instant::schema()), ("mode", json!({ "enum": modes })), ("fired", count())])
}

pub(super) fn faults() -> Value {
    list(fault::schema(&world::faults(), true))
}

pub(super) fn deviations() -> Value {
    let at = object([("endpoint?", text()), ("op?", text()), ("state?", text()), ("value?", text())]);
    list(json!({ "anyOf": [text(), object([("id", text()), ("at", at)])] }))
}

pub(super) fn limits() -> Value {
    limits_schema(true)
}

pub(super) fn state() -> Value {
    let mut state = named(Service::ALL.iter().map(|service| service.name()), &json!({ "type": "object" }));
    state["minProperties"] = json!(1);
    state
}

pub(super) fn log() -> Value {
    list(object([
        ("at", Instant::schema()),
        ("exchange", count()),
        ("requirement", text()),
        ("why", text()),
        ("accepted", flag()),
    ]))
}

pub(super) fn coverage() -> Value {
    let names = || list(text());
    object([
        ("consulted", names()),
        ("rejected", names()),
        ("variations", names()),
        ("transitions", names()),
        ("changes?", names()),
    ])
}

pub(super) fn journal() -> Value {
    let entry = object([("number", count()), ("entry", json!({ "type": "object" }))]);
    object([("fingerprint", text()), ("count", count()), ("entries", list(entry))])
}

pub(super) fn requests() -> Value {
    let body = object([
        ("bytes", count()),
        ("text?", text()),
        ("hex?", text()),
        ("secret?", json!({ "const": true })),
        ("cut?", json!({ "const": true })),
    ]);
    let header = json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 });
    let part = || object([("headers", list(header.clone())), ("body", body.clone())]);
    let why = object([("requirement", text()), ("why", text()), ("accepted", flag())]);
    let site: Vec<&str> = world::sites().iter().map(|site| site.name).collect();
    let received = object([
        ("exchange", count()),
        ("at", Instant::schema()),
        ("ms", json!({ "type": "integer" })),
        ("site", json!({ "enum": site })),
        ("peer", text()),
        ("method", text()),
        ("target", text()),
        ("status", or_null(count())),
        ("ended", json!({ "enum": ["whole", "cut", "left", null] })),
        ("request", part()),
        ("response", part()),
        ("why", list(why)),
    ]);
    object([("count", count()), ("kept", count()), ("requests", list(received))])
}

pub(super) fn machines() -> Value {
    let transition = object([("from", text()), ("event", text()), ("to", text()), ("made", flag())]);
    named(catalogue::machines().map(|machine| machine.name), &list(transition))
}

pub(super) fn waiting() -> Value {
    object([("at_least", count())])
}

pub(super) fn snapshot() -> Value {
    object([("snapshot", text())])
}

pub(super) fn world() -> Value {
    object([("world", text()), ("path", text()), ("sites", sites())])
}
