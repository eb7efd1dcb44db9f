//! What the measurement program probes in addition to the API (document 2, "Node metrics records" and "Endpoints").

use crate::network::endpoint;
use crate::network::shapes::{ERRORS, NO_ERRORS};
use crate::shape::{Reply, ShapeKind};

/// Statuses that any server has but the document does not show for a compute node: a malformed request, and a
/// failure.
const FAILS: &[u16] = &[400, 500];

endpoint! {
    /// Reads a core node's own metrics.
    METRICS "node-metrics" "GET" "/metrics.json" None [200, 400, 429, 500]
    group: "Nodes",
    reply: Reply::Json(ShapeKind::Open("only its path is shown")),
    errors: ERRORS,
}
endpoint! {
    /// Opens a compute node's login. Without credentials it returns 401, which the probe expects.
    LOGIN "login" "GET" "/about/login" None [200, 401]
    group: "Compute node",
    errors: NO_ERRORS,
    note: "A probe without credentials expects 401.",
    open: FAILS,
}
endpoint! {
    /// Requests a VM on a compute node.
    VM "vm" "GET" "/vm/{hash}" None [200, 404]
    group: "Compute node",
    errors: NO_ERRORS,
    open: &[400, 500, 503],
}
endpoint! {
    /// Requests a status check of a compute node.
    STATUS_CHECK "status-check" "GET" "/status/check/{check_name}" None [200, 404]
    group: "Compute node",
    errors: NO_ERRORS,
    open: FAILS,
}
