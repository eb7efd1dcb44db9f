//! What the measurement program probes besides the API (document 2, "Node metrics records" and "Endpoints").

use crate::network::endpoint;

endpoint! {
    /// A core node's own measurements.
    METRICS "node-metrics" "GET" "/metrics.json" None [200]
}
endpoint! {
    /// A compute node's login; without credentials it refuses, and that is what a probe expects.
    LOGIN "login" "GET" "/about/login" None [200, 401]
}
endpoint! {
    /// A machine on a compute node.
    VM "vm" "GET" "/vm/{hash}" None [200, 404]
}
endpoint! {
    /// A check of a compute node's own.
    STATUS_CHECK "status-check" "GET" "/status/check/{check_name}" None [200, 404]
}
