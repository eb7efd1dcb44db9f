//! The tests of a node, in order: the field that each fills, its request, and the expected status.

use assay_spec::network::limits::AGGREGATE_PROBE;
use assay_spec::network::metrics::Expected;
use assay_spec::network::{aggregate, info, probes, storage};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::program::Fixtures;
use crate::core::Core;
use crate::network::nodes::node::{CHECKS, Node, NodeKind};
use crate::network::storage::files::Names;

/// One test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    /// The field that it fills.
    pub(super) field: &'static str,
    /// How it is made.
    pub(super) way: Way,
}

/// The way of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Over HTTP.
    Http {
        /// The resource that it requests.
        asks: Asks,
        /// Over IPv6 instead of IPv4.
        ipv6: bool,
        /// What counts as success.
        expected: Expected,
    },
    /// A ping to the diagnostic machine. The world itself knows whether it is answered; no HTTP is involved.
    Ping,
}

/// The resource that an HTTP test requests.
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

/// The tests of a core node. The document does not name the IP version; this simulator uses IPv4.
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

/// The tests for a kind of node.
pub(super) fn for_kind(kind: NodeKind) -> &'static [Test] {
    match kind {
        NodeKind::Core => &CORE,
        NodeKind::Compute => &COMPUTE,
    }
}

/// The path and query of a test's request to `node`.
pub(super) fn target(core: &mut Core, asks: Asks, node: &Node, fixtures: &Fixtures) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    match asks {
        Asks::Info => info::PUBLIC.path.to_owned(),
        Asks::Metrics => probes::METRICS.path.to_owned(),
        Asks::Aggregate => {
            let path = aggregate::OF_ADDRESS.path.replace("{address}", &fixtures.address);
            format!("{path}?keys={}&limit={AGGREGATE_PROBE}", encoded(fixtures.key))
        }
        Asks::File => {
            let Names { by_content, .. } = core.step(Names { by_content: true, by_message: true });
            let hash = if by_content { &fixtures.file } else { &fixtures.message };
            storage::RAW.path.replace("{hash}", &encoded(hash))
        }
        Asks::Login => probes::LOGIN.path.to_owned(),
        Asks::Machine => probes::VM.path.replace("{hash}", &node.machine_id),
        Asks::Check => probes::STATUS_CHECK.path.replace("{check_name}", CHECKS[0]),
    }
}
