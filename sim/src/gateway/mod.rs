//! The inference gateway and its backing servers (document 1).
//!
//! A request is checked in this order: its key, its body, its model, its payment. Then it goes into the pool.

mod actions;
mod call;
mod deviations;
mod discovery;
mod enclave;
mod endpoints;
pub mod faults;
mod health;
mod infer;
mod keys;
mod limits;
mod model;
mod payment;
mod place;
mod pool;
mod refusal;
mod route;
mod script;
mod servers;
mod stream;
mod variations;
mod wire;

use std::sync::Arc;

use assay_spec::gateway::chat;
use assay_spec::gateway::machines::{RequestEvent, RequestState};
use assay_spec::gateway::mistakes::input::ODD_PATH;
use assay_spec::gateway::requirements::errors;
use assay_spec::{Instant, Place, Service};
use http::HeaderValue;
use imbl::OrdMap;
use serde_json::{Value, json};

use crate::core::Core;
use crate::deviation::Deviation;
use crate::exchange::{ExchangeId, Reply, Request, RequestHead, Site};
use crate::fault;
use crate::limits::Limit;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body};
use crate::services::{Occasion, SimService};
use crate::shape::Action;
use crate::variation::Variation;

pub use limits::Limits;

use discovery::AdmitToLists;
use enclave::Enclave;
use endpoints::{Endpoint, Found};
use keys::{KeyState, Keys};
use payment::Payments;
use pool::{CONFIDENTIAL, Model, Pool};
use route::Pending;
use script::Script;
use stream::Stream;

/// The gateway.
pub const GATEWAY: Site = Site { service: Service::Gateway, name: "gateway", port: 1, tls: false };
/// The backing servers, which use HTTPS.
pub const SERVERS: [Site; 3] = [server("server-a", 2), server("server-b", 3), server("server-c", 4)];
/// The confidential deployment: HTTPS, with a new port and a new certificate after every boot.
pub const ENCLAVE: Site = server("enclave", 5);

const fn server(name: &'static str, port: u16) -> Site {
    Site { service: Service::Gateway, name, port, tls: true }
}

/// The state of the service.
#[derive(Clone, Debug)]
pub struct State {
    /// The limits in force.
    pub limits: Limits,
    keys: Keys,
    payments: Payments,
    pool: Pool,
    script: Script,
    enclave: Enclave,
    /// Requests that wait for a server's first byte.
    pending: OrdMap<ExchangeId, Pending>,
    streams: OrdMap<ExchangeId, Stream>,
    /// The number of answered requests: the key of their draws.
    answered: u64,
    /// The numbers of requests that no server has answered, by model.
    failed: OrdMap<Arc<str>, u64>,
    /// The number of health checks left, and whether the next one is scheduled.
    health_left: u32,
    health_armed: bool,
}

/// A timer.
#[derive(Clone, Debug)]
pub enum Timer {
    /// The first byte of an answer.
    FirstByte(ExchangeId),
    /// The next frame of a stream.
    Frame(ExchangeId),
    /// A health check.
    Health,
}

impl SimService for State {
    type Timer = Timer;
    type OutgoingContext = std::convert::Infallible;

    const SITES: &'static [Site] = &[GATEWAY, SERVERS[0], SERVERS[1], SERVERS[2], ENCLAVE];
    const FAULTS: &'static [fault::FaultKind] = faults::ALL;
    const VARIATIONS: &'static [Variation] = variations::ALL;
    const DEVIATIONS: &'static [Deviation] = deviations::ALL;
    const ACTIONS: &'static [Action] = actions::ACTIONS;
    const LIMITS: &'static [Limit] = Limits::ALL;

    fn new(core: &Core) -> State {
        let limits = Limits::default();
        State {
            keys: Keys::new(core, &limits),
            payments: Payments::default(),
            pool: Pool::new(),
            script: Script::default(),
            enclave: Enclave::new(core),
            pending: OrdMap::new(),
            streams: OrdMap::new(),
            answered: 0,
            failed: OrdMap::new(),
            health_left: 0,
            health_armed: false,
            limits,
        }
    }

    fn body_limit(&self, _: Site) -> usize {
        self.limits.body_bytes
    }

    fn place(&self, core: &Core, occasion: &Occasion<'_, Timer>) -> Place {
        place::find(core, self, occasion)
    }

    /// The site of a server that does not run accepts no connection.
    fn begin(&mut self, core: &mut Core, exchange: ExchangeId, head: &RequestHead) -> Option<Reply> {
        let number = self.pool.number(head.site)?;
        let is_past = number == CONFIDENTIAL && self.enclave.is_past(&head.headers);
        if !self.pool.at(number).up || is_past {
            core.cut(exchange);
        }
        None
    }

    fn abort(&mut self, _: &mut Core, exchange: ExchangeId, _: Site) {
        stream::leave(self, exchange);
        route::leave(self, exchange);
    }

    fn handle(&mut self, core: &mut Core, exchange: ExchangeId, request: &Request) -> Option<Reply> {
        self.answer(core, exchange, request).unwrap_or_else(|refusal| {
            core.refuse(&refusal.refused);
            let streamed = request.path() == chat::ENDPOINT.path && wants_stream(request);
            Some(refusal::answer(core, &refusal, streamed))
        })
    }

    fn fire(&mut self, core: &mut Core, timer: Timer) {
        match timer {
            Timer::FirstByte(exchange) => route::first_byte(core, self, exchange),
            Timer::Frame(exchange) => stream::step(core, self, exchange),
            Timer::Health => health::check(core, self),
        }
    }

    fn perform(&mut self, core: &mut Core, action: &str, arguments: &Value) -> Result<Value, String> {
        actions::perform(core, self, action, arguments)
    }

    /// With its keys: a world's keys open nothing outside of it.
    fn view(&self, core: &Core) -> Value {
        let key = |state| self.keys.any(state);
        let model = |model: &Arc<Model>| {
            let mut view = model.view(self.failed(model));
            if let Some(given) = self.script.view(model) {
                view["answers"] = given;
            }
            view
        };
        json!({
            "keys": {
                "valid": key(KeyState::Valid),
                "revoked": key(KeyState::Revoked),
                "exhausted": key(KeyState::Exhausted),
            },
            "accounts": self.keys.view(),
            "spent": self.keys.spent(),
            "models": self.script.models().iter().map(model).collect::<Vec<_>>(),
            "servers": self.pool.view(core),
            "enclave": self.enclave.view(core),
            "payment_flow": self.limits.payment_flow > 0,
            "streams": self.streams.len(),
            "waiting": self.pending.len(),
        })
    }

    fn boots(&self) -> impl Iterator<Item = (Site, u64)> {
        std::iter::once((ENCLAVE, self.enclave.boot))
    }

    /// The ids of the models that were added.
    fn own_values(&self, key: &str) -> Vec<String> {
        if key == "model" {
            self.script.models().iter().map(|model| model.id.to_string()).collect()
        } else {
            Vec::new()
        }
    }

    fn limits(&self) -> Value {
        json!(self.limits)
    }

    fn set_limits(&mut self, limits: &Value) -> Result<(), String> {
        crate::limits::change(&mut self.limits, Limits::ALL, limits)
    }
}

impl State {
    /// The number of requests for a model that no server has answered.
    fn failed(&self, model: &Model) -> u64 {
        self.failed.get(&model.id).copied().unwrap_or_default()
    }

    fn answer(
        &mut self,
        core: &mut Core,
        exchange: ExchangeId,
        request: &Request,
    ) -> Result<Option<Reply>, Refusal> {
        let at = self.pool.number(request.head.site);
        let endpoint = match endpoints::find(core, at, &request.head.method, request.path()) {
            Found::Endpoint(endpoint) => endpoint,
            Found::OtherMethod(allowed) => {
                let reply = refusal::error(core, 405, "method not allowed");
                return Ok(Some(reply.header("allow", HeaderValue::from_static(allowed))));
            }
            Found::Nothing => return Err(nothing(core, request.path())),
        };
        if at.is_none() {
            health::wake(core, self);
        }
        let headers = &request.head.headers;
        match endpoint {
            Endpoint::Infer(family) => infer::begin(core, self, exchange, request, family, at),
            Endpoint::Models | Endpoint::Discovery => {
                AdmitToLists::run(core, self, request)?;
                Ok(Some(match endpoint {
                    Endpoint::Discovery => discovery::discovery(core, self),
                    _ => discovery::list(core, self, at),
                }))
            }
            Endpoint::KeyCheck => {
                payment::check(core, self, headers)?;
                let body = Body::Json(json!({ "valid": true }));
                Ok(Some(core.reply(Answer::new(payment::Checked, 200, body))))
            }
            Endpoint::Resolve(item_hash) => enclave::resolve(core, self, item_hash).map(Some),
            Endpoint::Attestation => {
                let query = request.head.target.split_once('?').map_or("", |(_, query)| query);
                Ok(Some(enclave::attest(core, self, query)))
            }
        }
    }
}

/// Rejects an unknown path.
fn nothing(core: &mut Core, path: &str) -> Refusal {
    match core.accept(&ODD_PATH, path) {
        Err(refused) => refused.into(),
        Ok(()) => Refusal::new(&errors::OTHER_PATHS, format!("no endpoint at {path:.200}")),
    }
}

/// Whether a request asked for a stream.
fn wants_stream(request: &Request) -> bool {
    serde_json::from_slice::<Value>(&request.body).is_ok_and(|body| body["stream"] == true)
}

/// Moves a request along its table.
fn moves(core: &mut Core, from: RequestState, event: RequestEvent) {
    let (_, row) = from.on(event).expect("a request moves along its table");
    core.fired(row);
}

fn set(core: &mut Core, due: Instant, timer: Timer) {
    core.clock.set(due, crate::services::Timer::Gateway(timer));
}
