//! The anonymous drop: its limits to the byte and the millisecond, its sites and claims, and hostile input.

mod answers;
mod boundaries;
mod callers;
mod claims;
mod determinism;
mod early;
mod forms;
mod forwarded;
mod hostile;
mod line;
mod model;
mod order;
mod paths;
mod pauses;
mod random;
mod site;
mod walk;
mod wires;
