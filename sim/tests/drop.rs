//! The anonymous drop: its limits to the byte and the millisecond, its sites and claims, and whoever means it ill.

#[path = "drop/boundaries.rs"]
mod boundaries;
#[path = "drop/callers.rs"]
mod callers;
#[path = "drop/claims.rs"]
mod claims;
#[allow(dead_code, reason = "each test file takes what it needs of the driver")]
mod common;
#[path = "drop/determinism.rs"]
mod determinism;
#[path = "drop/hostile.rs"]
mod hostile;
#[path = "drop/order.rs"]
mod order;
#[path = "drop/pauses.rs"]
mod pauses;
#[path = "drop/site.rs"]
mod site;
#[path = "drop/wires.rs"]
mod wires;
