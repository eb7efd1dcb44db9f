//! The JSON Schema of a report, derived from its members.

use assay_spec::Service;
use assay_spec::requirement::Level;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::wire::Report;
use crate::harness::coverage::Seen;
use crate::harness::data::{Part, Verdict, Why};
use crate::harness::judge::conclusion::Conclusion;

/// A whole number in a string.
pub(in crate::report) const DECIMAL: &str = "^[0-9]+$";
/// A SHA-256 digest in hexadecimal.
pub(super) const DIGEST: &str = "^[0-9a-f]{64}$";

/// The JSON Schema of a report (draft 2020-12).
pub fn schema() -> Value {
    schema_of::<Report>()
}

/// The JSON Schema of what is written of a type (draft 2020-12).
pub fn schema_of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>().to_value()
}

pub(super) fn digest() -> Value {
    json!({ "pattern": DIGEST })
}

pub(super) fn exit_code(_: &mut SchemaGenerator) -> Schema {
    let codes: std::collections::BTreeSet<u8> = Conclusion::ALL.iter().map(|end| end.exit_code()).collect();
    json_schema!({ "enum": codes })
}

pub(in crate::report) fn result(_: &mut SchemaGenerator) -> Schema {
    names(Conclusion::ALL.iter().map(|end| end.name()))
}

pub(in crate::report) fn service(_: &mut SchemaGenerator) -> Schema {
    names(Service::ALL.iter().map(|service| service.name()))
}

pub(in crate::report) fn level(_: &mut SchemaGenerator) -> Schema {
    names([Level::Must, Level::Should, Level::May].iter().map(|level| level.name()))
}

pub(in crate::report) fn verdict(_: &mut SchemaGenerator) -> Schema {
    names(Verdict::ALL.iter().map(|verdict| verdict.name()))
}

pub(super) fn why(_: &mut SchemaGenerator) -> Schema {
    names(Why::ALL.iter().map(|why| why.name()))
}

pub(super) fn part(_: &mut SchemaGenerator) -> Schema {
    names(Part::ALL.iter().map(|part| part.name()))
}

pub(super) fn seen(_: &mut SchemaGenerator) -> Schema {
    names(Seen::ALL.iter().map(|seen| seen.name()))
}

/// A count for each verdict.
pub(in crate::report) fn counts(_: &mut SchemaGenerator) -> Schema {
    let verdicts: Vec<&str> = Verdict::ALL.iter().map(|verdict| verdict.name()).collect();
    json_schema!({
        "type": "object",
        "propertyNames": { "enum": verdicts },
        "additionalProperties": { "type": "integer", "minimum": 0 },
        "required": verdicts,
    })
}

/// A count for each verdict that has one.
pub(in crate::report) fn some_counts(_: &mut SchemaGenerator) -> Schema {
    numbers(Verdict::ALL.iter().map(|verdict| verdict.name()))
}

/// A list of verdicts, each of which may be null.
pub(in crate::report) fn verdicts(_: &mut SchemaGenerator) -> Schema {
    let names = Verdict::ALL.iter().map(|verdict| Value::from(verdict.name()));
    json_schema!({ "type": "array", "items": { "enum": names.chain([Value::Null]).collect::<Vec<_>>() } })
}

/// A count for each service that has one.
pub(in crate::report) fn by_service(_: &mut SchemaGenerator) -> Schema {
    numbers(Service::ALL.iter().map(|service| service.name()))
}

fn numbers(names: impl Iterator<Item = &'static str>) -> Schema {
    json_schema!({
        "type": "object",
        "propertyNames": { "enum": names.collect::<Vec<_>>() },
        "additionalProperties": { "type": "integer", "minimum": 1 },
    })
}

fn names(names: impl Iterator<Item = &'static str>) -> Schema {
    json_schema!({ "enum": names.collect::<Vec<_>>() })
}
