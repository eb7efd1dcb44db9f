//! The signed publishing exchange.

mod admission;
mod boundaries;
mod concurrency;
mod faults;
mod hostile;
mod places;
mod walk;
