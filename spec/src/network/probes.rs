//! What the measurement program probes besides the API (document 2, "Node metrics records" and "Endpoints").

use crate::network::endpoint;
use crate::shape::{Reply, ShapeKind};

/// What no document shows of a compute node, and any server does: a request that is malformed, and a failure.
const FAILS: &[u16] = &[400, 500];

endpoint! {
    /// A core node's own measurements.
    METRICS "node-metrics" "GET" "/metrics.json" None [200, 400, 429, 500]
    group: "Nodes",
    reply: Reply::Json(ShapeKind::Any),
}
endpoint! {
    /// A compute node's login; without credentials it refuses, and that is what a probe expects.
    LOGIN "login" "GET" "/about/login" None [200, 401]
    group: "Compute node",
    note: "A probe without credentials expects 401.",
    open: FAILS,
}
endpoint! {
    /// A machine on a compute node.
    VM "vm" "GET" "/vm/{hash}" None [200, 404]
    group: "Compute node",
    open: &[400, 500, 503],
}
endpoint! {
    /// A check of a compute node's own.
    STATUS_CHECK "status-check" "GET" "/status/check/{check_name}" None [200, 404]
    group: "Compute node",
    open: FAILS,
}
