//! The tables of a release that explain its cases: the protocol, the rules, the readings and the behaviours.

use std::collections::BTreeSet;

use assay_spec::catalogue;
use serde_json::{Value, json};

use crate::behaviour::BEHAVIOURS;
use crate::case::{Expect, canonical};
use crate::reading::READINGS;
use crate::{all, data};

/// Each table with its path.
pub(super) fn tables() -> impl Iterator<Item = (&'static str, String)> {
    let protocol = data::PROTOCOL.split("\n## Where to go on").next().unwrap_or_default();
    [
        ("PROTOCOL.md", format!("{}\n", protocol.trim_end())),
        ("rules.json", canonical(&rules())),
        ("readings.json", canonical(&readings())),
        ("behaviours.json", canonical(&behaviours())),
    ]
    .into_iter()
}

/// The rules that reject cases name, each with its requirements.
fn rules() -> Value {
    let named: BTreeSet<&str> = all()
        .iter()
        .filter_map(|case| match &case.expect {
            Expect::Reject { rule, .. } => Some(rule.as_str()),
            Expect::Accept { .. } => None,
        })
        .collect();
    let requirements = |rule: &str| -> Vec<Value> {
        let rows = catalogue::requirements_of_rule(rule);
        rows.map(|row| {
            let (id, statement) = (row.to_string(), row.statement());
            json!({"id": id, "statement": statement, "level": row.level.name(), "source": row.source()})
        })
        .collect()
    };
    named.into_iter().map(|rule| json!({"rule": rule, "requirements": requirements(rule)})).collect()
}

fn readings() -> Value {
    let of = |name: &str| -> Vec<&str> {
        let cases = all().iter().filter(|case| case.reading.as_deref() == Some(name));
        cases.map(|case| case.id.as_str()).collect()
    };
    let reading = |reading: &crate::reading::Reading| {
        let source = catalogue::requirement(reading.requirement).map(assay_spec::Requirement::source);
        json!({
            "reading": reading.name,
            "meaning": reading.meaning,
            "otherwise": reading.other,
            "requirement": reading.requirement,
            "source": source,
            "cases": of(reading.name),
        })
    };
    READINGS.iter().map(reading).collect()
}

fn behaviours() -> Value {
    BEHAVIOURS.iter().map(|each| json!({"input": each.input, "cases": each.cases})).collect()
}
