//! Node metrics records (document 2, "Node metrics records"). Durations are seconds; a field whose test failed is
//! absent.

use crate::network::endpoint;
use crate::network::requirements::metrics as rows;
use crate::network::shapes::ERRORS;
use crate::relation::Resource;
use crate::shape::{Form, Reply, ShapeKind, object};

endpoint! {
    /// Reads a core node's metrics records.
    CORE "core-metrics" "GET" "/api/v0/core/{node_hash}/metrics" None [200, 400, 404, 429, 500]
    group: "Nodes",
    reply: Reply::Json(ShapeKind::Listed(&CoreRecord::SHAPE)),
    row: Some(&rows::CORE),
    errors: ERRORS,
}
endpoint! {
    /// Reads a compute node's metrics records.
    COMPUTE "compute-metrics" "GET" "/api/v0/compute/{node_hash}/metrics" None [200, 400, 404, 429, 500]
    group: "Nodes",
    reply: Reply::Json(ShapeKind::Listed(&ComputeRecord::SHAPE)),
    row: Some(&rows::COMPUTE),
    errors: ERRORS,
}

/// The durations in a core node's record.
pub const CORE_LATENCIES: [&str; 4] =
    ["base_latency", "metrics_latency", "aggregate_latency", "file_download_latency"];
/// The counts in a core node's record.
pub const CORE_COUNTS: [&str; 3] = ["txs_total", "pending_messages", "eth_height_remaining"];
/// The durations in a compute node's record.
pub const COMPUTE_LATENCIES: [&str; 5] = [
    "base_latency",
    "base_latency_ipv4",
    "diagnostic_vm_latency",
    "full_check_latency",
    "diagnostic_vm_ping_latency",
];
/// The features of a compute node.
pub const FEATURES: [&str; 2] = ["sev", "sev_es"];

/// What was measured of a node at one time.
const MEASUREMENT: &Resource = &Resource { name: "measurement", sent: &[] };

object! {
    /// The members of every record. That a failed test leaves its field absent, not null, is the subject of another row.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Common {
        /// Seconds since the epoch.
        measured_at: f64 = must("measured_at", ShapeKind::Epoch).owned(&rows::MEASURED_AT).names(MEASUREMENT),
        /// The node, hexadecimal.
        node_id: String = must("node_id", ShapeKind::Form(Form::Hex))
            .owned(&rows::NODE_ID).names(MEASUREMENT),
        /// The node's address.
        url: String = must("url", ShapeKind::Text).owned(&rows::URL).same_in(MEASUREMENT),
        /// The autonomous system of the node.
        #[serde(skip_serializing_if = "Option::is_none")]
        asn: Option<u32> = may("asn", ShapeKind::Integer).or_null().owned(&rows::ASN).same_in(MEASUREMENT),
        /// The name of that system.
        #[serde(skip_serializing_if = "Option::is_none")]
        as_name: Option<String> = may("as_name", ShapeKind::Text)
            .or_null().owned(&rows::AS_NAME).same_in(MEASUREMENT),
        /// The software's version.
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<String> = may("version", ShapeKind::Text)
            .or_null().owned(&rows::VERSION).same_in(MEASUREMENT),
    }
}

object! {
    /// One measurement of a core node.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CoreRecord {
        ..common: Common,
        /// Probe of the public information.
        #[serde(skip_serializing_if = "Option::is_none")]
        base_latency: Option<f64> = may("base_latency", ShapeKind::Duration)
            .or_null().owned(&rows::CORE_LATENCIES).same_in(MEASUREMENT),
        /// Probe of the node's own metrics.
        #[serde(skip_serializing_if = "Option::is_none")]
        metrics_latency: Option<f64> = may("metrics_latency", ShapeKind::Duration)
            .or_null().owned(&rows::CORE_LATENCIES).same_in(MEASUREMENT),
        /// Probe of a large aggregate.
        #[serde(skip_serializing_if = "Option::is_none")]
        aggregate_latency: Option<f64> = may("aggregate_latency", ShapeKind::Duration)
            .or_null().owned(&rows::CORE_LATENCIES).same_in(MEASUREMENT),
        /// Probe of a small file.
        #[serde(skip_serializing_if = "Option::is_none")]
        file_download_latency: Option<f64> = may("file_download_latency", ShapeKind::Duration)
            .or_null().owned(&rows::CORE_LATENCIES).same_in(MEASUREMENT),
        /// Archives waiting to be fetched and processed.
        #[serde(skip_serializing_if = "Option::is_none")]
        txs_total: Option<u64> = may("txs_total", ShapeKind::Integer)
            .or_null().owned(&rows::CORE_COUNTS).same_in(MEASUREMENT),
        /// The length of the queue.
        #[serde(skip_serializing_if = "Option::is_none")]
        pending_messages: Option<u64> = may("pending_messages", ShapeKind::Integer)
            .or_null().owned(&rows::CORE_COUNTS).same_in(MEASUREMENT),
        /// Blocks newer than the newest processed archive.
        #[serde(skip_serializing_if = "Option::is_none")]
        eth_height_remaining: Option<u64> = may("eth_height_remaining", ShapeKind::Integer)
            .or_null().owned(&rows::CORE_COUNTS).same_in(MEASUREMENT),
    }
}

object! {
    /// One measurement of a compute node.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ComputeRecord {
        ..common: Common,
        /// Probe of the login, over IPv6.
        #[serde(skip_serializing_if = "Option::is_none")]
        base_latency: Option<f64> = may("base_latency", ShapeKind::Duration)
            .or_null().owned(&rows::COMPUTE_LATENCIES).same_in(MEASUREMENT),
        /// Probe of the login, over IPv4.
        #[serde(skip_serializing_if = "Option::is_none")]
        base_latency_ipv4: Option<f64> = may("base_latency_ipv4", ShapeKind::Duration)
            .or_null().owned(&rows::COMPUTE_LATENCIES).same_in(MEASUREMENT),
        /// Probe of the diagnostic VM.
        #[serde(skip_serializing_if = "Option::is_none")]
        diagnostic_vm_latency: Option<f64> = may("diagnostic_vm_latency", ShapeKind::Duration)
            .or_null().owned(&rows::COMPUTE_LATENCIES).same_in(MEASUREMENT),
        /// Probe of a status check.
        #[serde(skip_serializing_if = "Option::is_none")]
        full_check_latency: Option<f64> = may("full_check_latency", ShapeKind::Duration)
            .or_null().owned(&rows::COMPUTE_LATENCIES).same_in(MEASUREMENT),
        /// Ping to the diagnostic VM, which responds only over IPv6.
        #[serde(skip_serializing_if = "Option::is_none")]
        diagnostic_vm_ping_latency: Option<f64> = may("diagnostic_vm_ping_latency", ShapeKind::Duration)
            .or_null().owned(&rows::COMPUTE_LATENCIES).same_in(MEASUREMENT),
        /// The node's features.
        #[serde(skip_serializing_if = "Option::is_none")]
        features: Option<Vec<String>> = may("features", ShapeKind::Array(&ShapeKind::OneOf(&FEATURES)))
            .or_null().owned(&rows::FEATURES).same_in(MEASUREMENT),
    }
}

/// The status that a probe needs for its duration to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Any success status.
    Success,
    /// This status.
    Status(u16),
}

impl Expected {
    /// Whether a response counts.
    pub const fn met_by(self, http_status: u16) -> bool {
        match self {
            Expected::Success => http_status >= 200 && http_status < 300,
            Expected::Status(expected) => http_status == expected,
        }
    }
}

/// The duration of a probe in seconds, if the probe counts.
pub fn latency(expected: Expected, http_status: Option<u16>, duration_ms: i64) -> Option<f64> {
    http_status.filter(|status| expected.met_by(*status)).map(|_| seconds(duration_ms.max(0)))
}

/// Milliseconds as seconds.
pub fn seconds(ms: i64) -> f64 {
    ms as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn common() -> Common {
        let url = "http://[::1]:1/".to_owned();
        Common { measured_at: 1.5, node_id: "ab".into(), url, asn: Some(1), as_name: None, version: None }
    }

    #[test]
    fn failed_test_leaves_its_field_absent() {
        let mut record = CoreRecord {
            common: common(),
            base_latency: Some(0.25),
            metrics_latency: None,
            aggregate_latency: None,
            file_download_latency: None,
            txs_total: Some(0),
            pending_messages: None,
            eth_height_remaining: None,
        };
        assert_eq!(
            serde_json::to_string(&record).unwrap(),
            r#"{"measured_at":1.5,"node_id":"ab","url":"http://[::1]:1/","asn":1,"base_latency":0.25,"txs_total":0}"#
        );
        record.base_latency = None;
        assert_eq!(serde_json::to_value(&record).unwrap().get("base_latency"), None);
    }

    #[test]
    fn every_named_field_exists() {
        let one = Some(1.0);
        let core = CoreRecord {
            common: common(),
            base_latency: one,
            metrics_latency: one,
            aggregate_latency: one,
            file_download_latency: one,
            txs_total: Some(1),
            pending_messages: Some(1),
            eth_height_remaining: Some(1),
        };
        let compute = ComputeRecord {
            common: common(),
            base_latency: one,
            base_latency_ipv4: one,
            diagnostic_vm_latency: one,
            full_check_latency: one,
            diagnostic_vm_ping_latency: one,
            features: Some(FEATURES.map(str::to_owned).to_vec()),
        };
        let [core, compute] = [serde_json::to_value(core), serde_json::to_value(compute)].map(Result::unwrap);
        assert!(
            CORE_LATENCIES
                .iter()
                .chain(&CORE_COUNTS)
                .all(|name| core.get(name).is_some_and(Value::is_number))
        );
        assert!(COMPUTE_LATENCIES.iter().all(|name| compute[name].is_f64()));
    }

    #[test]
    fn only_the_expected_status_counts() {
        assert_eq!(latency(Expected::Success, Some(200), 250), Some(0.25));
        assert_eq!(latency(Expected::Success, Some(299), 0), Some(0.0));
        for failed in [None, Some(199), Some(300), Some(401), Some(500)] {
            assert_eq!(latency(Expected::Success, failed, 1), None);
        }
        assert_eq!(latency(Expected::Status(401), Some(401), 1), Some(0.001));
        assert_eq!(latency(Expected::Status(401), Some(200), 1), None);
    }
}
