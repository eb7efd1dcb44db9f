//! The subcommands that have their own file.

pub(crate) mod chat;
pub(crate) mod cid;
#[cfg(feature = "embedded")]
pub(crate) mod client;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod help;
pub(crate) mod init;
pub(crate) mod interrupt;
pub(crate) mod openapi;
pub(crate) mod outputs;
pub(crate) mod readings;
pub(crate) mod recover;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod selection;
pub(crate) mod target;
pub(crate) mod vectors;
mod watch;
