//! How nodes process messages, and what depends on them: aggregates, programs, instances, pins, indexed chains,
//! random numbers and webhooks.

mod aggregates;
pub(crate) mod deviations;
mod hostile;
mod indexer;
mod instances;
mod pins;
mod programs;
mod vrf;
mod webhooks;

use assay_sim::Reply;
use serde_json::Value;

use crate::common::net::{Wallet, message, post};
use crate::common::{Call, Driver, body_of, show};

const AGGREGATES: &str = "/api/v0/aggregates";
const PROGRAMS: &str = "/api/v0/programs";
const INSTANCES: &str = "/api/v0/instances";
const PIN: &str = "/api/v0/ipfs/pin";
const WEBHOOKS: &str = "/api/v0/webhooks";

/// Sends a message to its endpoint.
fn send(driver: &mut Driver, wallet: &Wallet, path: &str, kind: &str, content: &Value) -> Reply {
    let envelope = wallet.envelope(&message(driver, kind, content));
    driver.net(&post(path, &envelope))
}

/// The response to a message that must be accepted.
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
