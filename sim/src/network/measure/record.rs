//! The results of one probe of a node.

use assay_spec::Instant;
use assay_spec::network::metrics::{Common, ComputeRecord, CoreRecord, seconds};
use serde_json::{Value, json};

use crate::network::nodes::node::{Node, NodeKind};

/// One probe of one node.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Measured {
    /// When the probe started.
    pub(in crate::network) at: Instant,
    /// The number of the node.
    pub(in crate::network) node: usize,
    /// The results.
    pub(in crate::network) record: Record,
    /// The fields of failed tests, and why they failed.
    pub(in crate::network) failed: Vec<(&'static str, Failed)>,
}

/// A record of either kind of node.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) enum Record {
    /// Of a core node.
    Core(CoreRecord),
    /// Of a compute node.
    Compute(ComputeRecord),
}

/// Why a test failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::network) enum Failed {
    /// No response, or not in time.
    Unanswered,
    /// Another status than expected, after this many milliseconds.
    Status(i64),
    /// The machine runs but has no IPv6, and pings use IPv6.
    NoIpv6,
}

impl Record {
    /// An empty record of a node.
    pub(super) fn new(node: &Node, at: Instant) -> Record {
        let common = Common {
            measured_at: seconds(at.0),
            node_id: node.id.to_string(),
            url: node.url.to_string(),
            asn: Some(node.asn),
            as_name: Some(node.as_name.to_string()),
            version: None,
        };
        match node.kind {
            NodeKind::Core => Record::Core(CoreRecord {
                common,
                base_latency: None,
                metrics_latency: None,
                aggregate_latency: None,
                file_download_latency: None,
                txs_total: None,
                pending_messages: None,
                eth_height_remaining: None,
            }),
            NodeKind::Compute => Record::Compute(ComputeRecord {
                common,
                base_latency: None,
                base_latency_ipv4: None,
                diagnostic_vm_latency: None,
                full_check_latency: None,
                diagnostic_vm_ping_latency: None,
                features: None,
            }),
        }
    }

    /// The kind of the node.
    pub(in crate::network) fn kind(&self) -> NodeKind {
        match self {
            Record::Core(_) => NodeKind::Core,
            Record::Compute(_) => NodeKind::Compute,
        }
    }

    /// The record as published.
    pub(in crate::network) fn written(&self) -> Value {
        match self {
            Record::Core(record) => json!(record),
            Record::Compute(record) => json!(record),
        }
    }

    /// The software's version.
    pub(super) fn set_version(&mut self, version: String) {
        let (Record::Core(CoreRecord { common, .. }) | Record::Compute(ComputeRecord { common, .. })) = self;
        common.version = Some(version);
    }

    /// The duration of the test of a field.
    pub(super) fn set_latency(&mut self, field: &str, ms: i64) {
        let place = match self {
            Record::Core(record) => match field {
                "base_latency" => &mut record.base_latency,
                "metrics_latency" => &mut record.metrics_latency,
                "aggregate_latency" => &mut record.aggregate_latency,
                _ => &mut record.file_download_latency,
            },
            Record::Compute(record) => match field {
                "base_latency" => &mut record.base_latency,
                "base_latency_ipv4" => &mut record.base_latency_ipv4,
                "diagnostic_vm_latency" => &mut record.diagnostic_vm_latency,
                "full_check_latency" => &mut record.full_check_latency,
                _ => &mut record.diagnostic_vm_ping_latency,
            },
        };
        *place = Some(seconds(ms));
    }

    /// The counts that a core node reports.
    pub(super) fn set_counts(&mut self, body: &Value) {
        if let Record::Core(record) = self {
            record.txs_total = body["txs_total"].as_u64();
            record.pending_messages = body["pending_messages"].as_u64();
            record.eth_height_remaining = body["eth_height_remaining"].as_u64();
        }
    }

    /// The features that a compute node reports.
    pub(super) fn set_features(&mut self, features: Option<Vec<String>>) {
        if let Record::Compute(record) = self {
            record.features = features;
        }
    }
}
