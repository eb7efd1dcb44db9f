//! What nodes make of messages, and what stands beside them: aggregates, programs, instances, pins, indexed chains,
//! random numbers and webhooks.

#[path = "families/aggregates.rs"]
mod aggregates;
#[allow(dead_code, reason = "each test file takes what it needs of the driver")]
mod common;
#[path = "families/deviations.rs"]
mod deviations;
#[path = "families/hostile.rs"]
mod hostile;
#[path = "families/indexer.rs"]
mod indexer;
#[path = "families/instances.rs"]
mod instances;
#[path = "families/pins.rs"]
mod pins;
#[path = "families/programs.rs"]
mod programs;
#[path = "families/vrf.rs"]
mod vrf;
#[path = "families/webhooks.rs"]
mod webhooks;

use assay_sim::Reply;
use serde_json::Value;

use common::net::{Wallet, message, post};
use common::{Call, Driver, body_of, show};

const AGGREGATES: &str = "/api/v0/aggregates";
const PROGRAMS: &str = "/api/v0/programs";
const INSTANCES: &str = "/api/v0/instances";
const PIN: &str = "/api/v0/ipfs/pin";
const WEBHOOKS: &str = "/api/v0/webhooks";

/// Sends a message to an endpoint of its own.
fn send(driver: &mut Driver, wallet: &Wallet, path: &str, kind: &str, content: &Value) -> Reply {
    let envelope = wallet.envelope(&message(driver, kind, content));
    driver.net(&post(path, &envelope))
}

/// The answer to a message that must be taken.
fn take(driver: &mut Driver, wallet: &Wallet, path: &str, kind: &str, content: &Value) -> Value {
    let reply = send(driver, wallet, path, kind, content);
    assert_eq!(reply.status, 200, "{}", show(&reply));
    let body = body_of(&reply);
    assert_eq!(body["status"], "success");
    body
}

/// The same call as a PUT.
fn put(path: &str, body: &Value) -> Call {
    Call { method: "PUT".to_owned(), ..post(path, body) }
}
