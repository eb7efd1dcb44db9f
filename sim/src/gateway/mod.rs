//! The inference gateway and its backing servers (document 1).

use assay_spec::Service;
use serde_json::{Value, json};

use crate::core::Core;
use crate::deviation::Deviation;
use crate::fault;
use crate::liberty::Liberty;
use crate::world::{ExchangeId, Floor, Reply, Request, Site};

/// The gateway.
pub const GATEWAY: Site = Site { service: Service::Gateway, name: "gateway", tls: false };
/// The backing servers, which speak https.
pub const SERVERS: [Site; 3] = [server("server-a"), server("server-b"), server("server-c")];
/// The confidential deployment: https, at a fresh port with a fresh certificate after every boot.
pub const ENCLAVE: Site = server("enclave");

const fn server(name: &'static str) -> Site {
    Site { service: Service::Gateway, name, tls: true }
}

/// The state of the service.
#[derive(Clone, Debug)]
pub struct State {}

impl Floor for State {
    type Timer = std::convert::Infallible;
    type Errand = std::convert::Infallible;

    const SITES: &'static [Site] = &[GATEWAY, SERVERS[0], SERVERS[1], SERVERS[2], ENCLAVE];
    const FAULTS: &'static [fault::Kind] = &[];
    const LIBERTIES: &'static [Liberty] = &[];
    const DEVIATIONS: &'static [Deviation] = &[];
    const ACTS: &'static [(&'static str, &'static str)] = &[];

    fn new(_: &Core) -> State {
        State {}
    }

    fn body_limit(&self, _: Site) -> usize {
        1024 * 1024
    }

    fn handle(&mut self, core: &mut Core, _: ExchangeId, _: &Request) -> Option<Reply> {
        Some(core.json(404, json!({ "detail": "not found" })))
    }

    fn fire(&mut self, _: &mut Core, timer: Self::Timer) {
        match timer {}
    }

    fn act(&mut self, _: &mut Core, act: &str, _: &Value) -> Result<Value, String> {
        Err(format!("{act:?} is no act"))
    }

    fn view(&self, _: &Core) -> Value {
        json!({})
    }

    fn limits(&self) -> Value {
        json!({})
    }

    fn set_limits(&mut self, _: &Value) -> Result<(), String> {
        Ok(())
    }
}
