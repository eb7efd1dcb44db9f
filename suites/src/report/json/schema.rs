//! The JSON Schema of a report, derived from its members.

use assay_spec::Service;
use assay_spec::requirement::Level;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::wire::Report;
use crate::harness::coverage::Seen;
use crate::harness::data::{Part, Verdict, Why};
use crate::harness::judge::conclusion::Conclusion;

/// A whole number in a string.
pub(super) const DECIMAL: &str = "^[0-9]+$";
/// A SHA-256 digest in hexadecimal.
pub(super) const DIGEST: &str = "^[0-9a-f]{64}$";

/// The JSON Schema of a report (draft 2020-12).
pub fn schema() -> Value {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Report>()
        .to_value()
}

pub(super) fn digest() -> Value {
    json!({ "pattern": DIGEST })
}

pub(super) fn exit_code(_: &mut SchemaGenerator) -> Schema {
    let codes: std::collections::BTreeSet<u8> = Conclusion::ALL.iter().map(|end| end.exit_code()).collect();
    json_schema!({ "enum": codes })
}

pub(super) fn result(_: &mut SchemaGenerator) -> Schema {
    names(Conclusion::ALL.iter().map(|end| end.name()))
}

pub(super) fn service(_: &mut SchemaGenerator) -> Schema {
    names(Service::ALL.iter().map(|service| service.name()))
}

pub(super) fn level(_: &mut SchemaGenerator) -> Schema {
    names([Level::Must, Level::Should, Level::May].iter().map(|level| level.name()))
}

pub(super) fn verdict(_: &mut SchemaGenerator) -> Schema {
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
pub(super) fn counts(_: &mut SchemaGenerator) -> Schema {
    let verdicts: Vec<&str> = Verdict::ALL.iter().map(|verdict| verdict.name()).collect();
    json_schema!({
        "type": "object",
        "propertyNames": { "enum": verdicts },
        "additionalProperties": { "type": "integer", "minimum": 0 },
        "required": verdicts,
    })
}

fn names(names: impl Iterator<Item = &'static str>) -> Schema {
    json_schema!({ "enum": names.collect::<Vec<_>>() })
}
