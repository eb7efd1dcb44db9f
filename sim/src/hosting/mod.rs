//! The hosting application: what it holds of its owners' projects, and the records that it writes to the network.

mod rehydrate;

use std::convert::Infallible;

use assay_spec::Service;
use assay_spec::hosting::rehydrate::ENDPOINT;
use serde_json::{Value, json};

use crate::core::Core;
use crate::deviation::Deviation;
use crate::fault;
use crate::liberty::Liberty;
use crate::world::{ExchangeId, Floor, Reply, Request, Site};

/// The application's backend.
pub const SITE: Site = Site { service: Service::Hosting, name: "hosting" };

/// The largest body that the backend reads, in bytes.
const BODY_BYTES: usize = 64 * 1024;

/// The state of the application.
#[derive(Clone, Debug)]
pub struct State {
    /// How often a browser asked for its projects after a login.
    rehydrations: u64,
}

impl Floor for State {
    type Timer = Infallible;
    type Errand = Infallible;

    const SITES: &'static [Site] = &[SITE];
    const FAULTS: &'static [fault::Kind] = &[];
    const LIBERTIES: &'static [Liberty] = &[];
    const DEVIATIONS: &'static [Deviation] = &[];
    const ACTS: &'static [(&'static str, &'static str)] = &[];

    fn new(_: &Core) -> State {
        State { rehydrations: 0 }
    }

    fn body_limit(&self, _: Site) -> usize {
        BODY_BYTES
    }

    fn handle(&mut self, core: &mut Core, _: ExchangeId, request: &Request) -> Option<Reply> {
        let reply = if request.path() != ENDPOINT.path {
            error(core, 404, "nothing stands here")
        } else if request.head.method.as_str() != ENDPOINT.method {
            let allowed = http::HeaderValue::from_static(ENDPOINT.method);
            error(core, 405, "only POST").header("allow", allowed)
        } else {
            rehydrate::handle(self, core, request)
        };
        Some(reply)
    }

    fn fire(&mut self, _: &mut Core, timer: Infallible) {
        match timer {}
    }

    fn act(&mut self, _: &mut Core, act: &str, _: &Value) -> Result<Value, String> {
        Err(format!("the hosting application has no act {act:?}"))
    }

    fn view(&self, _: &Core) -> Value {
        json!({ "rehydrations": self.rehydrations })
    }

    fn limits(&self) -> Value {
        json!({})
    }

    fn set_limits(&mut self, limits: &Value) -> Result<(), String> {
        crate::limits::change(&mut serde_json::Map::new(), limits)
    }
}

/// A refusal in the simulator's form: the document shows none.
fn error(core: &Core, status: u16, text: &str) -> Reply {
    let text = core.prose(text);
    core.json(status, json!({ "error": text }))
}
