//! The hosting application: what it writes, how it continues after failures, and how it deviates.

mod actions;
mod actor;
mod deviations;
mod faults;
mod history;
mod places;
mod seed_history;
mod walk;
