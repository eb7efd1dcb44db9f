//! What a failed measurement leaves in a record, and how long records are served.

use assay_spec::limit::Unit;
use assay_spec::network::limits::METRICS_RETENTION;
use assay_spec::network::metrics::{COMPUTE_LATENCIES, CORE_COUNTS, CORE_LATENCIES};
use assay_spec::network::probes::{LOGIN, METRICS, STATUS_CHECK};
use assay_spec::network::requirements::metrics as rows;
use assay_spec::network::{aggregate, info, storage};
use assay_spec::{Id, Instant, Place};
use serde_json::{Value, json};

use super::super::measurement::{self, Measured};
use super::super::replies::is_epoch;
use super::super::scene::List;
use super::super::wire::{MIRROR, PRIMARY, now};
use super::{KINDS, NodeKind, list, measured, present, some};
use crate::harness::boundary::ms;
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;

/// The rows that tell a node's records from others, and old ones from new ones.
const RECORDS: &[Id] = &[&rows::CORE, &rows::COMPUTE, &rows::MEASURED_AT];

/// The field that shows a healthy node: its diagnostic machine answered.
const HEALTHY: &str = "diagnostic_vm_latency";

/// Reads the records of a compute node whose diagnostic machine has answered. One must have `base_latency`: a single probe may
/// fail.
#[shows(rows::EXPECTED_STATUS)]
async fn a_healthy_compute_node_has_a_base_latency(probe: &Probe<'_>) -> Checked {
    let nodes = measured(probe).await?;
    let List { answer, mut items } = some(probe, NodeKind::Compute, nodes.hash(NodeKind::Compute)?).await?;
    items.retain(|record| present(record, HEALTHY).is_some());
    probe.found(!items.is_empty(), format!("no record has {HEALTHY}, so no node is healthy"))?;
    let healthy = List { answer, items };
    let is_there = healthy.items.iter().any(|record| present(record, "base_latency").is_some());
    let got = healthy.items.first().map_or_else(String::new, Value::to_string);
    healthy.answer.expect(is_there, "records", "one with base_latency", got)
}

/// The fields of the tests of a node.
fn tests(kind: NodeKind) -> Vec<&'static str> {
    match kind {
        NodeKind::Core => CORE_LATENCIES.into_iter().chain(CORE_COUNTS).collect(),
        NodeKind::Compute => COMPUTE_LATENCIES.to_vec(),
    }
}

/// Measures nodes. The records of a healthy one must have the field of every test: each field in one of them, because a single test
/// may fail.
#[shows(
    rows::COMPLETE,
    needs(Clock, Actions),
    after(rows::CORE, rows::COMPUTE, rows::MEASURED_AT, rows::EXPECTED_STATUS)
)]
async fn a_healthy_node_has_the_field_of_every_test(probe: &Probe<'_>, place: Place) -> Checked {
    let kind = NodeKind::at(place);
    let (_, healthy) = changed(probe, kind, json!({ "up": false })).await?;
    for name in tests(kind) {
        let is_there = healthy.items.iter().any(|record| present(record, name).is_some());
        let got = healthy.items.first().map_or_else(String::new, Value::to_string);
        healthy.answer.expect(is_there, "records", format!("one with {name}"), got)?;
    }
    Ok(())
}

/// Of each kind a node that a check changes, and one that stays healthy.
fn nodes(kind: NodeKind) -> [&'static str; 2] {
    match kind {
        NodeKind::Core => [MIRROR, PRIMARY],
        NodeKind::Compute => ["compute-1", "compute-2"],
    }
}

/// Changes the first of two nodes and measures. Returns its records from then on and those of the other, which is healthy.
async fn changed<'p>(
    probe: &'p Probe<'_>,
    kind: NodeKind,
    mut change: Value,
) -> Result<(List<'p>, List<'p>), Stop> {
    change["site"] = json!(nodes(kind)[0]);
    probe.perform("network.node", change).await?;
    compared(probe, kind).await
}

/// Measures. Returns the records of both nodes from then on.
async fn compared<'p>(probe: &'p Probe<'_>, kind: NodeKind) -> Result<(List<'p>, List<'p>), Stop> {
    let begun = now(probe).await?.seconds();
    let [bad, good] = nodes(kind);
    // If a measurement is in progress, it may have tested a node before the change.
    let Measured { nodes, .. } = measurement::measured(probe, 2).await?;
    let id = |site: &str| {
        let node = nodes.iter().find(|node| node["site"] == site);
        node.and_then(|node| node["node_id"].as_str()).unwrap_or_default().to_owned()
    };
    let mut bad = some(probe, kind, &id(bad)).await?;
    let mut good = some(probe, kind, &id(good)).await?;
    for records in [&mut bad, &mut good] {
        records.items.retain(|record| record["measured_at"].as_f64().is_none_or(|at| at >= begun as f64));
        probe.given(!records.items.is_empty(), "a node has no record of the measurement")?;
    }
    Ok((bad, good))
}

/// Expects no record of the changed node to have any of these members. Every record of the healthy node must have one.
fn expect_absent(probe: &Probe<'_>, (bad, good): &(List<'_>, List<'_>), members: &[&str]) -> Checked {
    let has_any = |record: &Value| members.iter().any(|name| present(record, name).is_some());
    probe.given(good.items.iter().all(has_any), "a record of the healthy node has none of these fields")?;
    bad.expect_each(&format!("no {}", members.join(", no ")), |record| {
        members.iter().all(|name| record.get(*name).is_none())
    })
}

/// Reads the metrics of a node of each kind that is down; where the profile names the nodes, of those nodes. A test that
/// got no answer must leave its field out, not null.
#[shows(rows::FAILED_ABSENT, after = RECORDS)]
async fn a_test_without_an_answer_leaves_no_field(probe: &Probe<'_>, place: Place) -> Checked {
    let kind = NodeKind::at(place);
    let fields = tests(kind);
    let given = &probe.settings.network().given;
    if given.core_node.is_none() && given.compute_node.is_none() {
        let records = changed(probe, kind, json!({ "up": false })).await?;
        return expect_absent(probe, &records, &fields);
    }
    // The profile's nodes cannot be switched off; the check reads measurements that failed on their own.
    let nodes = measured(probe).await?;
    let records = list(probe, kind, nodes.hash(kind)?).await?;
    let failed = |record: &Value| fields.iter().any(|name| present(record, name).is_none());
    let has_failed = records.items.iter().any(failed);
    records.expect_each("no field of a failed test as null", |record| {
        fields.iter().all(|name| record.get(*name).is_none_or(|value| !value.is_null()))
    })?;
    probe.found(has_failed, "no record shows a failed test")
}

/// The tests that one endpoint alone can fail: the endpoint, and the fields.
const ALONE: &[(NodeKind, &str, &[&str])] = &[
    (NodeKind::Core, info::PUBLIC.name, &["base_latency"]),
    (NodeKind::Core, METRICS.name, &["metrics_latency"]),
    (NodeKind::Core, aggregate::OF_ADDRESS.name, &["aggregate_latency"]),
    (NodeKind::Core, storage::RAW.name, &["file_download_latency"]),
    (NodeKind::Compute, LOGIN.name, &["base_latency", "base_latency_ipv4"]),
    (NodeKind::Compute, STATUS_CHECK.name, &["full_check_latency"]),
];

/// Reads the metrics of a node of which one endpoint at a time returns 500: no record may have its duration. Reads those of a core
/// node that returns 500 everywhere: no record may have a duration; and those of a compute node whose diagnostic machine fails: no
/// record may have `diagnostic_vm_latency`.
#[shows(rows::FAILED_STATUS, needs(Clock, Actions, Faults), after = RECORDS)]
async fn failed_test_leaves_no_field(probe: &Probe<'_>, place: Place) -> Checked {
    let kind = NodeKind::at(place);
    let [site, _] = nodes(kind);
    for (_, endpoint, fields) in ALONE.iter().filter(|(of, ..)| *of == kind) {
        let one = json!({ "site": site, "endpoint": endpoint });
        expect_absent(probe, &failing(probe, kind, &one).await?, fields)?;
    }
    if kind == NodeKind::Core {
        let whole = json!({ "site": site });
        return expect_absent(probe, &failing(probe, kind, &whole).await?, &CORE_LATENCIES);
    }
    let records = changed(probe, kind, json!({ "machine": false })).await?;
    expect_absent(probe, &records, &[HEALTHY])
}

/// As [`compared`], while some requests to the first node return 500.
async fn failing<'p>(
    probe: &'p Probe<'_>,
    kind: NodeKind,
    requests: &Value,
) -> Result<(List<'p>, List<'p>), Stop> {
    probe.faults(json!([{ "fault": "network.internal", "where": requests }])).await?;
    let records = compared(probe, kind).await?;
    probe.faults(json!([])).await?;
    Ok(records)
}

/// Reads the metrics of a node of each kind that answers five seconds late. Every duration that is present must be between
/// five seconds and a minute, except that of the ping, which no server answers.
#[shows(
    rows::SECONDS,
    needs(Clock, Actions),
    after(rows::CORE, rows::COMPUTE, rows::MEASURED_AT, rows::CORE_LATENCIES, rows::COMPUTE_LATENCIES)
)]
async fn durations_are_in_seconds(probe: &Probe<'_>, place: Place) -> Checked {
    let kind = NodeKind::at(place);
    let fields: Vec<&str> = match kind {
        NodeKind::Core => CORE_LATENCIES.to_vec(),
        NodeKind::Compute => COMPUTE_LATENCIES.into_iter().filter(|name| !name.contains("ping")).collect(),
    };
    let (slow, _) = changed(probe, kind, json!({ "slow_ms": 5_000 })).await?;
    let found = slow.items.iter().any(|record| fields.iter().any(|name| present(record, name).is_some()));
    probe.given(found, format!("no record has {}", fields.join(", ")))?;
    let is_late = |value: &Value| value.as_f64().is_some_and(|seconds| (5.0..60.0).contains(&seconds));
    slow.expect_each(&format!("{} between 5 and 60", fields.join(", ")), |record| {
        fields.iter().all(|name| present(record, name).is_none_or(is_late))
    })
}

/// Reads the metrics of a compute node without IPv6. No record may have `diagnostic_vm_ping_latency`.
#[shows(rows::NO_IPV6, needs(Clock, Actions))]
async fn node_without_ipv6_has_no_ping_latency(probe: &Probe<'_>) -> Checked {
    let records = changed(probe, NodeKind::Compute, json!({ "ipv6": false })).await?;
    expect_absent(probe, &records, &["diagnostic_vm_ping_latency"])
}

/// Lets a controlled target measure its nodes twice and reads their metrics two weeks and a millisecond after the first
/// record: it must be gone. Of nodes that the profile names no record may be older than two weeks and a tenth.
#[shows(rows::RETENTION)]
async fn no_record_is_older_than_two_weeks(probe: &Probe<'_>) -> Checked {
    let given = &probe.settings.network().given;
    if given.core_node.is_none() && given.compute_node.is_none() {
        for Aged { kind, id, at, label } in first_records(probe).await? {
            reach(probe, at + METRICS_RETENTION.outside).await?;
            let records = list(probe, kind, &id).await?;
            let is_gone = records.items.iter().all(|record| record["measured_at"] != label);
            let age = Unit::Millisecond.amount(METRICS_RETENTION.outside);
            let want = format!("no record of {age}: the limit is {}", METRICS_RETENTION.words());
            records.answer.expect(is_gone, "records", want, format!("the one measured at {label}"))?;
        }
        return Ok(());
    }
    let nodes = measured(probe).await?;
    let oldest = (now(probe).await?.0 - METRICS_RETENTION.edges(false).outside) as f64 / 1000.0;
    for (kind, id) in KINDS.into_iter().filter_map(|kind| Some((kind, nodes.hash(kind).ok()?))) {
        let records = some(probe, kind, id).await?;
        let are_dated = records.items.iter().all(|record| is_epoch(&record["measured_at"]));
        probe.given(are_dated, "a record's measured_at is not a number of seconds")?;
        records.expect_each(&format!("measured_at {oldest} or later"), |record| {
            record["measured_at"].as_f64().is_some_and(|at| at >= oldest)
        })?;
    }
    Ok(())
}

/// Lets nodes be measured twice and reads their metrics a millisecond before the first records are two weeks old. They must still be
/// there.
#[shows(rows::RETAINED, needs(Clock, Actions))]
async fn records_are_served_for_two_weeks(probe: &Probe<'_>) -> Checked {
    for Aged { kind, id, at, label } in first_records(probe).await? {
        reach(probe, at + METRICS_RETENTION.inside).await?;
        let records = list(probe, kind, &id).await?;
        let is_there = records.items.iter().any(|record| record["measured_at"] == label);
        let age = Unit::Millisecond.amount(METRICS_RETENTION.inside);
        let want =
            format!("the record measured at {label}, {age} old: the limit is {}", METRICS_RETENTION.words());
        records.answer.expect(is_there, "records", want, format!("{} others", records.items.len()))?;
    }
    Ok(())
}

/// A node's first record.
struct Aged {
    kind: NodeKind,
    id: String,
    at: Instant,
    /// `measured_at` as it is returned.
    label: Value,
}

/// Lets nodes be measured twice. Returns the first record of one node of each kind, the oldest first.
async fn first_records(probe: &Probe<'_>) -> Result<Vec<Aged>, Stop> {
    let Measured { nodes, .. } = measurement::measured(probe, 1).await?;
    let mut first = Vec::new();
    for kind in KINDS {
        let node = nodes.iter().find(|node| node["kind"] == kind.name());
        let id = node.and_then(|node| node["node_id"].as_str()).unwrap_or_default().to_owned();
        let label = some(probe, kind, &id).await?.items[0]["measured_at"].clone();
        probe.given(is_epoch(&label), "a record's measured_at is not a number of seconds")?;
        let at = Instant((label.as_f64().unwrap_or_default() * 1000.0).round() as i64);
        first.push(Aged { kind, id, at, label });
    }
    // The newest record is not the first.
    measurement::measured(probe, 1).await?;
    probe.perform("network.measure", json!({ "on": false })).await?;
    first.sort_by_key(|aged| aged.at);
    Ok(first)
}

/// Moves the clock to a moment.
async fn reach(probe: &Probe<'_>, moment: Instant) -> Result<(), Stop> {
    let left = moment - now(probe).await?;
    if left > 0 { probe.advance(ms(left)).await } else { Ok(()) }
}
