//! A node's own information (document 2, "Endpoints" and "What the service does"). Its body is not shown.

use crate::network::endpoint;
use crate::shape::{Reply, ShapeKind};

endpoint! {
    /// A node's public information; also the way to see whether a node is there.
    PUBLIC "info" "GET" "/api/v0/info/public.json" None [200, 400, 429, 500]
    group: "Nodes",
    reply: Reply::Json(ShapeKind::Any),
}

/// What every path of the API begins with.
pub const PREFIX: &str = "/api/v0";
