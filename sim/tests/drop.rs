//! The anonymous drop: its limits to the byte and the millisecond, its sites and claims, and whoever means it ill.

#[path = "drop/answers.rs"]
mod answers;
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
#[path = "drop/early.rs"]
mod early;
#[path = "drop/forms.rs"]
mod forms;
#[path = "drop/forwarded.rs"]
mod forwarded;
#[path = "drop/hostile.rs"]
mod hostile;
#[path = "drop/line.rs"]
mod line;
#[path = "drop/model.rs"]
mod model;
#[path = "drop/order.rs"]
mod order;
#[path = "drop/paths.rs"]
mod paths;
#[path = "drop/pauses.rs"]
mod pauses;
#[path = "drop/random.rs"]
mod random;
#[path = "drop/site.rs"]
mod site;
#[path = "drop/walk.rs"]
mod walk;
#[path = "drop/wires.rs"]
mod wires;
