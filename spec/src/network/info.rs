//! A node's own information (document 2, "Endpoints" and "What the service does"). Its body is not shown.

use crate::network::endpoint;
use crate::network::requirements::info::PUBLIC as PUBLIC_ROW;
use crate::network::shapes::ERRORS;
use crate::shape::{Reply, ShapeKind};

endpoint! {
    /// Reads a node's public information. It is also the reachability check.
    PUBLIC "info" "GET" "/api/v0/info/public.json" None [200, 400, 429, 500]
    group: "Nodes",
    reply: Reply::Json(ShapeKind::Open("which members the information has is not shown")),
    row: Some(&PUBLIC_ROW),
    errors: ERRORS,
}

/// The prefix of every API path.
pub const PREFIX: &str = "/api/v0";
