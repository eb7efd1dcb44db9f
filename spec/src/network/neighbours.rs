//! The other services of the network (document 2, "What the service does"): only their paths are documented.

use crate::endpoint::Endpoint;
use crate::network::endpoint;
use crate::network::shapes::NO_ERRORS;
use crate::shape::{Reply, ShapeKind};

/// Every endpoint of a neighbour.
pub static ALL: &[&Endpoint] = &[&PLAN, &ALLOCATION, &NODES, &SERVICES, &PAYMENT, &TOKEN_TO_CREDIT];

/// What the document leaves open: requests and responses.
const NOT_SHOWN: &str = "Request and response are not shown.";
/// A malformed request, and a failure.
const FAILS: &[u16] = &[400, 500];

endpoint! {
    /// Reads the scheduler's plan.
    PLAN "plan" "GET" "/api/v0/plan" None [200]
    group: "Scheduler",
    reply: Reply::Json(ShapeKind::Open("its response is not shown")),
    errors: NO_ERRORS,
    note: NOT_SHOWN,
    open: FAILS,
}
endpoint! {
    /// Reads where the scheduler placed a VM.
    ALLOCATION "allocation" "GET" "/api/v0/allocation/{vm_hash}" None [200, 404]
    group: "Scheduler",
    reply: Reply::Json(ShapeKind::Open("its response is not shown")),
    errors: NO_ERRORS,
    note: NOT_SHOWN,
    open: FAILS,
}
endpoint! {
    /// Lists the nodes that the scheduler knows.
    NODES "nodes" "GET" "/api/v0/nodes" None [200]
    group: "Scheduler",
    reply: Reply::Json(ShapeKind::Open("its response is not shown")),
    errors: NO_ERRORS,
    note: NOT_SHOWN,
    open: FAILS,
}
endpoint! {
    /// Reads the health of the services.
    SERVICES "services" "GET" "/api/services" None [200]
    group: "Status",
    reply: Reply::Json(ShapeKind::Open("its response is not shown")),
    errors: NO_ERRORS,
    note: NOT_SHOWN,
    open: FAILS,
}
endpoint! {
    /// Lists credit purchases in pages.
    PAYMENT "payment" "GET" "/api/v0/payment" None [200, 400]
    group: "Credit",
    reply: Reply::Json(ShapeKind::Open("its response is not shown")),
    errors: NO_ERRORS,
    note: NOT_SHOWN,
    open: &[500],
}
endpoint! {
    /// Estimates the credits for an amount of tokens.
    TOKEN_TO_CREDIT "token-to-credit" "GET" "/api/v0/estimation/token-to-credit" None [200, 400]
    group: "Credit",
    reply: Reply::Json(ShapeKind::Open("its response is not shown")),
    errors: NO_ERRORS,
    note: NOT_SHOWN,
    open: &[500],
}
