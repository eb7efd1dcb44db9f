//! Token metadata: documents at their raw paths, unknown paths, and hostile input.

mod documents;
mod hostile;
mod paths;
mod places;

use assay_sim::Reply;
use assay_sim::metadata::SITE;
use assay_spec::Service;
use serde_json::Value;

use crate::common::{Call, Driver, body_of};

/// Sends a GET.
fn get(driver: &mut Driver, target: &str) -> Reply {
    let exchange = driver.start_at(SITE, &Call::new("GET", target, Vec::new(), Vec::new()));
    driver.reply(exchange).expect("an answer at once")
}

/// A document that must exist.
fn document(driver: &mut Driver, target: &str) -> Value {
    let reply = get(driver, target);
    assert_eq!(reply.status, 200, "{target}");
    body_of(&reply)
}

/// A member of a contract of the world's view.
fn fixture(driver: &Driver, contract: usize, member: &str) -> String {
    let view = driver.world.view(Service::Metadata);
    view["contracts"][contract][member].as_str().expect("a string").to_owned()
}
