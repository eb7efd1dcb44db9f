//! `GET /core/{node_hash}/metrics` and `GET /compute/{node_hash}/metrics`: a node's records of the last two weeks.
//!
//! The document does not show the container of the records: an array here, or an object around it.

use assay_spec::instant::DAY;
use assay_spec::network::metrics::{COMPUTE_LATENCIES, CORE_COUNTS, CORE_LATENCIES, seconds};
use assay_spec::network::requirements::metrics::{
    ALTERNATIVE, AS_NAME, ASN, COMPUTE, COMPUTE_LATENCIES as COMPUTE_LATENCIES_ROW, CORE,
    CORE_COUNTS as CORE_COUNTS_ROW, CORE_LATENCIES as CORE_LATENCIES_ROW, EXPECTED_STATUS, FAILED_ABSENT,
    FAILED_STATUS, FEATURES, MEASURED_AT, NO_IPV6, NODE_ID, RETAINED, RETENTION, UNKNOWN, URL, VERSION,
};
use assay_spec::{Id, Instant, Rules};
use serde_json::{Value, json};

use super::call::Call;
use super::measure::{Failed, Measured};
use super::nodes::NodeKind;
use super::{State, sites, variations};
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// The ping latency that a deviation invents, in seconds.
const IMAGINED_PING_S: f64 = 0.021;

/// The records of a core node.
pub(super) fn core(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    metrics(state, core, call, NodeKind::Core)
}

/// The records of a compute node.
pub(super) fn compute(state: &mut State, core: &mut Core, call: &Call<'_>) -> Result<Reply, Refusal> {
    metrics(state, core, call, NodeKind::Compute)
}

fn metrics(state: &State, core: &mut Core, call: &Call<'_>, kind: NodeKind) -> Result<Reply, Refusal> {
    let elsewhere = call.site == sites::ALTERNATIVE && core.violated(&ALTERNATIVE).is_some();
    if elsewhere {
        return Err(Refusal::new(&UNKNOWN, "the alternative address has no metrics"));
    }
    let records = match find(state, core, kind, call.capture(0)) {
        Some(number) => records(state, core, number),
        None if core.varies(variations::METRICS_UNKNOWN_EMPTY) => Vec::new(),
        None => {
            return Err(Refusal::new(&UNKNOWN, format!("{:.80} is not a {kind:?} node", call.capture(0))));
        }
    };
    let wrapped = core.varies(variations::METRICS_OBJECT);
    Ok(core.json(200, if wrapped { json!({ "metrics": records }) } else { json!(records) }))
}

/// The number of the node whose records are returned.
fn find(state: &State, core: &mut Core, kind: NodeKind, id: &str) -> Option<usize> {
    let of_kind = |kind| state.nodes.iter().position(move |node| node.kind == kind);
    let Some(number) = state.nodes.find(kind, id) else {
        return core.effect(&UNKNOWN, None, |_, _| of_kind(kind));
    };
    let rule = if kind == NodeKind::Core { &CORE } else { &COMPUTE };
    // The last or the first node of the kind, whichever is another.
    core.effect(rule, Some(number), |number, _| {
        let mut others = (0..state.nodes.len()).filter(|other| state.nodes.at(*other).kind == kind);
        others.find(|other| Some(*other) != number)
    })
}

/// The records of a node, oldest first.
fn records(state: &State, core: &mut Core, number: usize) -> Vec<Value> {
    let now = core.now();
    let young = core.effect(&RETAINED, false, |_, _| true);
    let old = core.effect(&RETENTION, false, |_, _| true);
    let served = |at: Instant| {
        (old || now - at <= state.limits.metrics_retention_ms) && !(young && now - at > 7 * DAY)
    };
    let kept: Vec<_> = state.measure.records(number).filter(|one| served(one.at)).cloned().collect();
    let mut shown: Vec<Value> = kept.iter().map(|one| record(core, one)).collect();
    if core.varies(variations::METRICS_NEWEST_FIRST) {
        shown.reverse();
    }
    shown
}

/// One record as returned.
fn record(core: &mut Core, measured: &Measured) -> Value {
    let mut record = measured.record.written();
    common(core, &mut record);
    match measured.record.kind() {
        NodeKind::Core => {
            numbers(core, &mut record, &CORE_LATENCIES, &CORE_LATENCIES_ROW);
            numbers(core, &mut record, &CORE_COUNTS, &CORE_COUNTS_ROW);
        }
        NodeKind::Compute => {
            numbers(core, &mut record, &COMPUTE_LATENCIES, &COMPUTE_LATENCIES_ROW);
            if let Some(features) = record.get_mut("features") {
                let conforming = features.take();
                *features = core.effect(&FEATURES, conforming, |_, _| json!("sev,sev_es"));
            }
            if core.violated(&EXPECTED_STATUS).is_some() {
                remove(&mut record, &["base_latency", "base_latency_ipv4"]);
            }
        }
    }
    for (name, failed) in &measured.failed {
        let (rule, shown) = match failed {
            Failed::NoIpv6 => (&NO_IPV6, json!(IMAGINED_PING_S)),
            Failed::Unanswered => (&FAILED_ABSENT, Value::Null),
            Failed::Status(after_ms) => (&FAILED_STATUS, json!(seconds(*after_ms))),
        };
        if core.violated(rule).is_some() {
            record[*name] = shown;
        }
    }
    record
}

/// How a violated rule, in its variant, changes a conforming value.
type Edit = fn(&Value, &'static str) -> Value;

/// Fields of every record.
fn common(core: &mut Core, record: &mut Value) {
    let deviations: [(Id, &str, Edit); 6] = [
        (&MEASURED_AT, "measured_at", |at, variant| match variant {
            "text" => json!(at.to_string()),
            _ => json!(at.as_f64().unwrap_or_default() * 1000.0),
        }),
        (&NODE_ID, "node_id", |id, _| json!(format!("node-{}", id.as_str().unwrap_or_default()))),
        (&URL, "url", |_, _| Value::Null),
        (&ASN, "asn", |asn, _| json!(format!("AS{asn}"))),
        (&AS_NAME, "as_name", |name, _| json!([name])),
        (&VERSION, "version", |version, _| json!({ "name": version })),
    ];
    for (rule, name, deviation) in deviations {
        let Some(conforming) = record.get(name) else { continue };
        if let Some(variant) = core.violated(rule) {
            record[name] = deviation(conforming, variant);
        }
    }
}

/// Numeric fields of a record.
fn numbers(core: &mut Core, record: &mut Value, names: &[&str], rule: Id) {
    let Some(variant) = core.violated(rule) else { return };
    for name in names {
        let Some(conforming) = record.get(*name) else { continue };
        record[*name] = match variant {
            "negative" => json!(-1.0 - conforming.as_f64().unwrap_or_default()),
            "fraction" => json!(conforming.as_f64().unwrap_or_default() + 0.5),
            _ => json!(conforming.to_string()),
        };
    }
}

fn remove(record: &mut Value, names: &[&str]) {
    if let Some(members) = record.as_object_mut() {
        members.retain(|name, _| !names.contains(&name.as_str()));
    }
}
