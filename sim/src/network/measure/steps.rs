//! The tests of a node, in their order: which field each fills, what it asks, and what it expects.

use assay_spec::network::limits::AGGREGATE_PROBE_LIMIT;
use assay_spec::network::metrics::Expected;
use assay_spec::network::{aggregate, info, probes, storage};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::publish::Fixtures;
use crate::core::Core;
use crate::network::nodes::{Node, NodeKind};
use crate::network::probes::CHECKS;
use crate::network::variations;

/// One test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    /// The field that it fills.
    pub(super) field: &'static str,
    /// How it asks.
    pub(super) way: Way,
}

/// How a test asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Over HTTP.
    Http {
        /// What.
        asks: Asks,
        /// Over IPv6, not IPv4.
        ipv6: bool,
        /// What counts as success.
        expected: Expected,
    },
    /// By a ping to the diagnostic machine. There is no HTTP in it: the world knows whether it is answered.
    Ping,
}

/// What a test over HTTP asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    Info,
    Metrics,
    Aggregate,
    File,
    Login,
    Machine,
    Check,
}

/// The tests of a core node. Over which of the two internet protocols they go is not said; here it is IPv4.
static CORE: [Test; 4] = [
    http("base_latency", Asks::Info, false, Expected::Success),
    http("metrics_latency", Asks::Metrics, false, Expected::Success),
    http("aggregate_latency", Asks::Aggregate, false, Expected::Success),
    http("file_download_latency", Asks::File, false, Expected::Success),
];

/// The tests of a compute node.
static COMPUTE: [Test; 5] = [
    http("base_latency", Asks::Login, true, Expected::Status(401)),
    http("base_latency_ipv4", Asks::Login, false, Expected::Status(401)),
    http("diagnostic_vm_latency", Asks::Machine, true, Expected::Success),
    http("full_check_latency", Asks::Check, true, Expected::Success),
    Test { field: "diagnostic_vm_ping_latency", way: Way::Ping },
];

const fn http(field: &'static str, asks: Asks, ipv6: bool, expected: Expected) -> Test {
    Test { field, way: Way::Http { asks, ipv6, expected } }
}

/// The tests of a kind of node.
pub(super) fn of(kind: NodeKind) -> &'static [Test] {
    match kind {
        NodeKind::Core => &CORE,
        NodeKind::Compute => &COMPUTE,
    }
}

/// Path and query that a test asks `node` for.
pub(super) fn target(core: &Core, asks: Asks, node: &Node, fixtures: &Fixtures) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    match asks {
        Asks::Info => info::PUBLIC.path.to_owned(),
        Asks::Metrics => probes::METRICS.path.to_owned(),
        Asks::Aggregate => {
            let path = aggregate::OF_ADDRESS.path.replace("{address}", &fixtures.address);
            format!("{path}?keys={}&limit={AGGREGATE_PROBE_LIMIT}", encoded(fixtures.key))
        }
        Asks::File => {
            let by_message = core.varies(variations::FILES_BY_MESSAGE);
            let hash = if by_message { &fixtures.message } else { &fixtures.file };
            storage::RAW.path.replace("{hash}", &encoded(hash))
        }
        Asks::Login => probes::LOGIN.path.to_owned(),
        Asks::Machine => probes::VM.path.replace("{hash}", &node.machine_id),
        Asks::Check => probes::STATUS_CHECK.path.replace("{check_name}", CHECKS[0]),
    }
}
