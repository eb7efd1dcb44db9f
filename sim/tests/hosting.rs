//! The hosting application: what it writes, how it goes on when something fails, and how it deviates.

#[path = "hosting/actions.rs"]
mod actions;
#[path = "hosting/actor.rs"]
mod actor;
#[allow(dead_code, reason = "each test file takes what it needs of the driver")]
mod common;
#[path = "hosting/deviations.rs"]
mod deviations;
#[path = "hosting/faults.rs"]
mod faults;
#[path = "hosting/history.rs"]
mod history;
#[path = "hosting/seed_history.rs"]
mod seed_history;
#[path = "hosting/walk.rs"]
mod walk;
