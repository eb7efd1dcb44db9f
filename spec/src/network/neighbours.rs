//! The services beside the network (document 2, "What the service does"): their paths are named, and no more is shown.

use crate::endpoint::Endpoint;
use crate::network::endpoint;
use crate::shape::{Reply, ShapeKind};

/// Every endpoint of a neighbour.
pub static ALL: &[&Endpoint] = &[&PLAN, &ALLOCATION, &NODES, &SERVICES, &PAYMENT, &TOKEN_TO_CREDIT];

/// What the document leaves open of a neighbour: requests and replies.
const NOT_SHOWN: &str = "Request and reply are not shown.";
/// A request that is malformed, and a failure.
const FAILS: &[u16] = &[400, 500];

endpoint! {
    /// What the scheduler plans.
    PLAN "plan" "GET" "/api/v0/plan" None [200]
    group: "Scheduler",
    reply: Reply::Json(ShapeKind::Any),
    note: NOT_SHOWN,
    open: FAILS,
}
endpoint! {
    /// Where the scheduler has placed a machine.
    ALLOCATION "allocation" "GET" "/api/v0/allocation/{vm_hash}" None [200, 404]
    group: "Scheduler",
    reply: Reply::Json(ShapeKind::Any),
    note: NOT_SHOWN,
    open: FAILS,
}
endpoint! {
    /// The nodes that the scheduler knows.
    NODES "nodes" "GET" "/api/v0/nodes" None [200]
    group: "Scheduler",
    reply: Reply::Json(ShapeKind::Any),
    note: NOT_SHOWN,
    open: FAILS,
}
endpoint! {
    /// The health of the services.
    SERVICES "services" "GET" "/api/services" None [200]
    group: "Status",
    reply: Reply::Json(ShapeKind::Any),
    note: NOT_SHOWN,
    open: FAILS,
}
endpoint! {
    /// Purchases of credits, in pages.
    PAYMENT "payment" "GET" "/api/v0/payment" None [200, 400]
    group: "Credit",
    reply: Reply::Json(ShapeKind::Any),
    note: NOT_SHOWN,
    open: &[500],
}
endpoint! {
    /// What tokens are worth in credits.
    TOKEN_TO_CREDIT "token-to-credit" "GET" "/api/v0/estimation/token-to-credit" None [200, 400]
    group: "Credit",
    reply: Reply::Json(ShapeKind::Any),
    note: NOT_SHOWN,
    open: &[500],
}
