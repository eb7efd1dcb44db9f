//! Deviations of the nodes: their metrics, the measurement program, and what it probes.

use assay_spec::network::message::MessageType;
use assay_spec::network::metrics::{COMPUTE_LATENCIES, CORE_COUNTS, CORE_LATENCIES, seconds};
use assay_spec::network::places::CORE_METRICS;
use assay_spec::network::requirements::{measurement, metrics, probes};
use serde_json::{Value, json};

use super::limits::Retention;
use super::long_deviations::{as_text, in_milliseconds, negative, of_first, records_of_another};
use super::measure::metrics::{self as records, FindRecords, ShownRecord};
use super::measure::probers::is_prober;
use super::measure::publish::Hourly;
use super::measure::record::Failed;
use super::nodes::node::NodeKind;
use super::nodes::probes::{self as probe, LogIn};
use crate::deviation::{Deviation, deviations};

/// The deviations.
pub(super) const ALL: &[Deviation] = deviations! {
    metrics::CORE => "a core node returns the metrics of another", step |s: &mut FindRecords| {
        s.0 = |core, state, kind, id| records_of_another(core, state, kind, id, NodeKind::Core);
    };
    metrics::COMPUTE => "a compute node returns the metrics of another", step |s: &mut FindRecords| {
        s.0 = |core, state, kind, id| records_of_another(core, state, kind, id, NodeKind::Compute);
    };
    metrics::ALTERNATIVE => "the alternative address has no metrics", guard;
    metrics::MEASURED_AT => "`measured_at` is in milliseconds",
        step |r: &mut ShownRecord| r.edit(&["measured_at"], |at| json!(at.as_f64().unwrap_or_default() * 1000.0));
    metrics::MEASURED_AT, "text" => "`measured_at` is a string",
        step |r: &mut ShownRecord| r.edit(&["measured_at"], as_text);
    metrics::NODE_ID => "`node_id` has a prefix before its digits", step |r: &mut ShownRecord| {
        r.edit(&["node_id"], |id| json!(format!("node-{}", id.as_str().unwrap_or_default())));
    };
    metrics::URL => "`url` is null", step |r: &mut ShownRecord| r.edit(&["url"], |_| Value::Null);
    metrics::ASN => "`asn` is a string", step |r: &mut ShownRecord| r.edit(&["asn"], |asn| json!(format!("AS{asn}")));
    metrics::AS_NAME => "`as_name` is an array",
        step |r: &mut ShownRecord| r.edit(&["as_name"], |name| json!([name]));
    metrics::VERSION => "`version` is an object",
        step |r: &mut ShownRecord| r.edit(&["version"], |version| json!({ "name": version }));
    metrics::CORE_LATENCIES => "durations of core nodes are strings",
        step |r: &mut ShownRecord| r.edit_of(NodeKind::Core, &CORE_LATENCIES, as_text);
    metrics::CORE_LATENCIES, "negative" => "durations of core nodes are negative",
        step |r: &mut ShownRecord| r.edit_of(NodeKind::Core, &CORE_LATENCIES, negative);
    metrics::CORE_COUNTS => "counts of core nodes are strings",
        step |r: &mut ShownRecord| r.edit_of(NodeKind::Core, &CORE_COUNTS, as_text);
    metrics::CORE_COUNTS, "fraction" => "counts of core nodes are fractions", step |r: &mut ShownRecord| {
        r.edit_of(NodeKind::Core, &CORE_COUNTS, |count| json!(count.as_f64().unwrap_or_default() + 0.5));
    };
    metrics::COMPUTE_LATENCIES => "durations of compute nodes are strings",
        step |r: &mut ShownRecord| r.edit_of(NodeKind::Compute, &COMPUTE_LATENCIES, as_text);
    metrics::COMPUTE_LATENCIES, "negative" => "durations of compute nodes are negative",
        step |r: &mut ShownRecord| r.edit_of(NodeKind::Compute, &COMPUTE_LATENCIES, negative);
    metrics::FEATURES => "`features` is a string",
        step |r: &mut ShownRecord| r.edit(&["features"], |_| json!("sev,sev_es"));
    metrics::SECONDS => "durations are in milliseconds", step |r: &mut ShownRecord| {
        r.edit(&CORE_LATENCIES, in_milliseconds);
        r.edit(&COMPUTE_LATENCIES[1..], in_milliseconds);
    };
    metrics::EXPECTED_STATUS => "the expected 401 counts as a failure", step |r: &mut ShownRecord| {
        if let (NodeKind::Compute, Some(members)) = (r.measured.record.kind(), r.record.as_object_mut()) {
            members.retain(|name, _| !["base_latency", "base_latency_ipv4"].contains(&name.as_str()));
        }
    };
    metrics::COMPLETE => "records have no field of a test but one", step |r: &mut ShownRecord| {
        let tests = [&CORE_LATENCIES[..], &CORE_COUNTS, &COMPUTE_LATENCIES].concat();
        if let Some(members) = r.record.as_object_mut() {
            members.retain(|name, _| name == "base_latency" || !tests.contains(&name.as_str()));
        }
    };
    metrics::COMPLETE, "count" => "a core node's record has no `pending_messages`" at CORE_METRICS, step |r: &mut ShownRecord| {
        r.record.as_object_mut().map(|members| members.shift_remove("pending_messages"));
    };
    metrics::FAILED_ABSENT => "the field of a test without a response is null",
        step |r: &mut ShownRecord| r.fail(|failed| (failed == Failed::Unanswered).then_some(Value::Null));
    metrics::FAILED_STATUS => "the duration of a failed test is recorded",
        step |r: &mut ShownRecord| r.fail(|failed| match failed {
            Failed::Status(after_ms) => Some(json!(seconds(after_ms))),
            _ => None,
        });
    metrics::FAILED_STATUS, "alone" => "the duration of a test that fails alone is recorded",
        step |r: &mut ShownRecord| if r.measured.failed.len() == 1 {
            r.fail(|failed| match failed {
                Failed::Status(after_ms) => Some(json!(seconds(after_ms))),
                _ => None,
            });
        };
    metrics::NO_IPV6 => "a machine without IPv6 has a ping latency",
        step |r: &mut ShownRecord| r.fail(|failed| (failed == Failed::NoIpv6).then(|| json!(IMAGINED_PING_S)));
    metrics::RETENTION => "records of any age are served", limits |r: &mut Retention| r.0 *= 1000;
    metrics::RETAINED => "records are served for one week only", limits |r: &mut Retention| r.0 /= 2;
    metrics::RETAINED, "newest" => "only the newest record of a node is served", step |s: &mut FindRecords| {
        s.0 = |core, state, kind, id| {
            let found = records::records(core, state, kind, id)?;
            Ok(found.into_iter().next_back().into_iter().collect())
        };
    };
    metrics::UNKNOWN => "an unknown node returns the records of another", step |s: &mut FindRecords| {
        s.0 = |core, state, kind, id| match records::records(core, state, kind, id) {
            Err(_) => Ok(of_first(core, state, kind, None)),
            found => found,
        };
    };

    measurement::HOURLY => "every second hour has no message", step |h: &mut Hourly| {
        if h.number.is_multiple_of(2) {
            h.contents.clear();
        }
    };
    measurement::HOURLY, "twice" => "every hour has two messages", step |h: &mut Hourly| {
        h.contents.extend_from_within(..);
        if let Some(again) = h.contents.last_mut() {
            again["time"] = json!(again["time"].as_i64().unwrap_or_default() - 1);
        }
    };
    measurement::PUBLISHED => "measurements are published as AGGREGATE", step |h: &mut Hourly| {
        h.kind = MessageType::Aggregate;
        h.set("key", &json!("hour"));
    };
    measurement::CONTENT_TYPE => "measurements have another content type",
        step |h: &mut Hourly| h.set("type", &json!("measurements"));
    measurement::RESULTS => "the results of an hour are a string",
        step |h: &mut Hourly| h.set("content", &json!("all is well"));

    measurement::AS_SERVED => "the results of an hour are empty",
        step |h: &mut Hourly| h.set("content", &json!({ "metrics": { "ccn": [], "crn": [] } }));
    measurement::AS_SERVED, "differs" => "the latencies of an hour's results are a second longer", step |h: &mut Hourly| {
        for content in &mut h.contents {
            let each = content["content"]["metrics"].as_object_mut().into_iter().flatten();
            for latency in each.flat_map(|(_, records)| records.as_array_mut().into_iter().flatten()) {
                if let Some(seconds) = latency["base_latency"].as_f64() {
                    latency["base_latency"] = json!(seconds + 1.0);
                }
            }
        }
    };
    probes::LOGIN => "a login without credentials succeeds", step |s: &mut LogIn| {
        s.0 = |core, call| {
            if is_prober(call.peer) {
                return probe::log_in(core, call);
            }
            core.json(200, json!({ "logged_in": true }))
        };
    };
    probes::VM => "the diagnostic machine is not found", guard;
    probes::STATUS_CHECK => "the status check is not found", guard;
    probes::METRICS => "a core node has no `/metrics.json`", guard;
};

/// The ping latency of a machine that answers no ping, in seconds.
const IMAGINED_PING_S: f64 = 0.021;
