//! The harness and the `assay` command, tested from outside: one program, a module for each subject.

mod ambient;
mod causes;
#[cfg(unix)]
mod cid;
mod command;
mod control;
#[cfg(unix)]
mod endings;
mod endpoints;
mod entry;
#[cfg(unix)]
mod events;
mod exchanges;
mod explore;
#[cfg(unix)]
mod files;
mod fixtures;
mod fuzz;
mod gateway;
mod gateway_exchanges;
mod gateway_hostile;
#[cfg(unix)]
mod history;
mod hostile;
mod hosting;
mod jobs;
mod limits;
mod mcp;
mod messages;
mod network;
mod openapi;
mod pace;
mod packaging;
#[cfg(unix)]
mod pages;
mod plan;
mod profiles;
mod prove;
mod recover;
mod reference;
mod report;
mod reports_hold;
mod results;
mod secrets;
mod selection;
mod sim_options;
mod simulator;
mod sockets;
mod structure;
mod tls;
mod transport;
mod trouble;
#[cfg(unix)]
#[path = "../../../spec/tests/it/unpack/mod.rs"]
mod unpack;
mod vectors;
mod verify;
mod watch;

/// A URL where no server listens. A port that a test has released may belong to another test a moment later.
const DEAD_URL: &str = "http://127.0.0.1:1";

/// This profile with limits that no run reaches, so that no request waits for its turn.
fn unpaced(profile: &str) -> String {
    let named = ["gateway", "metadata", "network", "publish"].iter();
    let named = named.filter(|service| profile.contains(&format!("[{service}]\n")));
    let limits = named.map(|service| format!("[{service}.limits]\nrequests_per_minute = 60000\n"));
    format!("{profile}{}", limits.collect::<String>())
}
