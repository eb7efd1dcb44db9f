//! The closed schema and the reader: a finding for everything that either of them rejects.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use boon::{Compiler, SchemaIndex, Schemas, ValidationError};
use serde_json::Value;

use super::sheet::Sheet;
use super::{Finding, Lint};
use crate::case::Case;
use crate::data::SCHEMA;

pub(super) fn lint(sheet: &Sheet) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, value) in &sheet.values {
        let mut faults = faults(value);
        for (n, case) in value.as_array().into_iter().flatten().enumerate() {
            if let Err(e) = serde_json::from_value::<Case>(case.clone()) {
                faults.entry(Some(n)).or_insert_with(|| e.to_string());
            }
        }
        findings.extend(faults.into_iter().map(|(n, what)| {
            let id = n.and_then(|n| value[n]["id"].as_str());
            let place = id.map_or_else(|| (*path).to_owned(), |id| format!("{path}: {id}"));
            Lint::Schema.at(place, what)
        }));
    }
    findings
}

/// For each case that violates the schema, the deepest fault; without a case number, the fault of the file.
fn faults(value: &Value) -> BTreeMap<Option<usize>, String> {
    let (schemas, index) = &*COMPILED;
    let mut deepest: BTreeMap<Option<usize>, (usize, String)> = BTreeMap::new();
    if let Err(error) = schemas.validate(value, *index) {
        leaves(&error, &mut |leaf| {
            let pointer = leaf.instance_location.to_string();
            let mut path = pointer.split('/').skip(1);
            let n = path.next().and_then(|n| n.parse().ok());
            let depth = path.clone().count();
            let inside = path.fold(String::new(), |inside, member| inside + "/" + member);
            let what =
                if inside.is_empty() { leaf.kind.to_string() } else { format!("{inside}: {}", leaf.kind) };
            let known = deepest.entry(n).or_insert_with(|| (depth, what.clone()));
            if depth > known.0 {
                *known = (depth, what);
            }
        });
    }
    deepest.into_iter().map(|(n, (_, what))| (n, what)).collect()
}

fn leaves(error: &ValidationError<'_, '_>, note: &mut impl FnMut(&ValidationError<'_, '_>)) {
    if error.causes.is_empty() {
        note(error);
    }
    for cause in &error.causes {
        leaves(cause, note);
    }
}

static COMPILED: LazyLock<(Schemas, SchemaIndex)> = LazyLock::new(|| {
    const NAME: &str = "assay:///case.schema.json";
    let schema = serde_json::from_str(SCHEMA).expect("the embedded schema is JSON");
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource(NAME, schema).expect("its name is a URL");
    let index = compiler.compile(NAME, &mut schemas).expect("the embedded schema is a schema");
    (schemas, index)
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::operations;

    #[test]
    fn schema_lists_exactly_the_known_operations() {
        let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
        let case = &schema["$defs"]["case"];
        let named: Vec<&str> = case["properties"]["op"]["enum"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(named, operations());
        let rules = case["allOf"].as_array().expect("a list");
        let ruled: Vec<&str> =
            rules.iter().filter_map(|rule| rule["if"]["properties"]["op"]["const"].as_str()).collect();
        assert_eq!(ruled, operations());
        for rule in rules {
            let then = &rule["then"]["properties"];
            for object in [&then["in"], &then["expect"]["properties"]["ok"]] {
                assert_eq!(object["additionalProperties"], false, "{rule}");
            }
        }
    }

    /// The schema must be as strict as the reader, for programs that use the schema alone.
    #[test]
    fn schema_and_reader_agree_on_altered_cases() {
        let cases = crate::all();
        let reject = cases.iter().find(|case| case.is_reject()).expect("there is one");
        let accept = cases.iter().find(|case| !case.is_reject()).expect("there is one");
        for case in [reject, accept] {
            let whole = serde_json::to_value(case).expect("JSON");
            let mut altered = vec![(whole.clone(), true)];
            for member in whole.as_object().expect("an object").keys() {
                let mut less = whole.clone();
                less.as_object_mut().expect("an object").shift_remove(member);
                altered.push((less, false));
                let mut other = whole.clone();
                other[member] = 7.into();
                altered.push((other, false));
            }
            for inner in ["/expect", "/provenance", "/steps/0", "/edit/0"] {
                let mut more = whole.clone();
                if let Some(object) = more.pointer_mut(inner).and_then(Value::as_object_mut) {
                    object.insert("besides".to_owned(), 1.into());
                    altered.push((more, false));
                }
            }
            for (altered, good) in altered {
                let is_read = serde_json::from_value::<Case>(altered.clone()).is_ok();
                let is_valid = faults(&Value::Array(vec![altered.clone()])).is_empty();
                assert_eq!(is_valid, good, "{altered}");
                assert!(is_read || !is_valid, "the schema accepts what the reader rejects: {altered}");
            }
        }
    }
}
