//! Stored records from the outside: written by an application of the tests' own, read back by the recovery reader.

#![allow(clippy::unwrap_used, reason = "what a conforming writer of these tests makes is always good")]
#![allow(clippy::needless_pass_by_value, reason = "contents are made where they are sent")]

mod app;
mod bad;
mod canonical;
mod history;
