//! Two lineages of every primitive: otherwise a fault that both witnesses inherit from one library would confirm
//! itself.

use std::collections::BTreeMap;

use assay_vectors::{manifest, witness};

/// By operation and primitive: the implementation behind either witness and, in parentheses, the library that
/// contains it.
type Lineages = BTreeMap<String, BTreeMap<String, Lineage>>;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Lineage {
    python: String,
    node: String,
}

#[test]
fn every_primitive_has_two_lineages() {
    let lineages: Lineages =
        serde_json::from_str(include_str!("../../witness/lineages.json")).expect("the table is well formed");
    let witnesses = witness::witnesses();
    let mut faults = Vec::new();
    for op in manifest().operations.keys() {
        let Some(primitives) = lineages.get(op).filter(|primitives| !primitives.is_empty()) else {
            faults.push(format!("{op} has no lineages"));
            continue;
        };
        for (primitive, Lineage { python, node }) in primitives {
            let [first, second] = [python, node].map(|text| text.split_once(" (").unwrap_or_default());
            if first.0 == second.0 {
                faults.push(format!("{op}: {primitive} uses {} in both", first.0));
            }
            for (program, (_, library)) in [("python", first), ("node", second)] {
                let library = library.trim_end_matches(')');
                let brings = witnesses.iter().any(|each| {
                    let own = each.op == *op && each.witness.split('/').next() == Some(program);
                    let names =
                        |full: &String| full.rsplit_once(' ').is_some_and(|(name, _)| name == library);
                    own && each.libraries.iter().any(names)
                });
                if !brings {
                    faults.push(format!("{op}: no run of {program} lists {library:?} for {primitive}"));
                }
            }
        }
    }
    let known = manifest().operations;
    faults.extend(
        lineages.keys().filter(|op| !known.contains_key(*op)).map(|op| format!("{op} is not an operation")),
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
