//! Stored records from outside: a test application writes them, the recovery reader reads them back.

#![allow(clippy::unwrap_used, reason = "what the conforming test writer makes is always valid")]
#![allow(clippy::needless_pass_by_value, reason = "contents are built where they are sent")]

mod app;
mod bad;
mod canonical;
mod history;
