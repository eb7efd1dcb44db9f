//! The hosting application: its users' projects, and the records that it writes to the network.
//!
//! It is a client of the network: every record is a request of the world to the network's own site, sent for
//! the users, the delegate and the machines whose keys it draws. It never changes the network's state
//! directly.

mod accounts;
mod actions;
mod deviations;
mod done;
pub mod faults;
mod history;
mod keys;
mod limits;
mod lookups;
mod plan;
mod rehydrate;
mod seed_history;
mod step;
mod steps;
mod variations;
mod view;
mod write;

use std::sync::Arc;

use assay_spec::hosting::rehydrate::ENDPOINT;
use assay_spec::{Instant, Service};
use imbl::{OrdMap, Vector};
use serde_json::{Value, json};

use crate::core::Core;
use crate::deviation::Deviation;
use crate::exchange::{ExchangeId, Reply, Request, Site};
use crate::fault;
use crate::limits::Limit;
use crate::outgoing::Outcome;
use crate::services::SimService;
use crate::shape::Action;
use crate::variation::Variation;

pub use limits::Limits;

use accounts::Accounts;
use steps::Job;

/// The application's backend.
pub const SITE: Site = Site { service: Service::Hosting, name: "hosting", port: 15, tls: false };

/// The number of latest failures that are kept.
const FAILURES: usize = 100;

/// The state of the application.
#[derive(Clone, Debug)]
pub struct State {
    /// The limits in force.
    pub limits: Limits,
    accounts: Accounts,
    /// Running actions, by number.
    jobs: OrdMap<u64, Job>,
    jobs_begun: u64,
    /// The number of requests sent.
    requests: u64,
    /// What the network has accepted, in order.
    written: Vector<Written>,
    /// Steps that failed after all retries.
    failures: Vector<Failure>,
    /// The seed history for calls without a key; it is written once.
    seed_history: Option<SeedHistory>,
    /// How often a browser requested its projects after a login.
    rehydrations: u64,
}

/// A message that the network has accepted.
#[derive(Clone, Debug)]
struct Written {
    hash: Arc<str>,
    kind: &'static str,
    owner: Arc<str>,
    project: Option<Arc<str>>,
    deployment: Option<Arc<str>>,
    machine: Option<Arc<str>>,
    time_s: i64,
}

/// The result of a seed history. `Debug` does not print it, since it contains keys.
#[derive(Clone)]
struct SeedHistory(Arc<Value>);

impl std::fmt::Debug for SeedHistory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SeedHistory")
    }
}

/// A step that failed after all retries. The rest of its action is left out.
#[derive(Clone, Debug)]
struct Failure {
    at: Instant,
    owner: Arc<str>,
    step: &'static str,
    why: String,
    left_out: usize,
}

/// Continues a job, after a delay.
#[derive(Clone, Copy, Debug)]
pub struct Timer(u64);

/// The job that a request belongs to.
#[derive(Clone, Copy, Debug)]
pub struct OutgoingContext(u64);

impl SimService for State {
    type Timer = Timer;
    type OutgoingContext = OutgoingContext;

    const SITES: &'static [Site] = &[SITE];
    const FAULTS: &'static [fault::FaultKind] = faults::ALL;
    const VARIATIONS: &'static [Variation] = variations::ALL;
    const DEVIATIONS: &'static [Deviation] = deviations::ALL;
    const ACTIONS: &'static [Action] = actions::ACTIONS;
    const LIMITS: &'static [Limit] = Limits::ALL;

    fn new(_: &Core) -> State {
        State {
            limits: Limits::default(),
            accounts: Accounts::default(),
            jobs: OrdMap::new(),
            jobs_begun: 0,
            requests: 0,
            written: Vector::new(),
            failures: Vector::new(),
            seed_history: None,
            rehydrations: 0,
        }
    }

    fn body_limit(&self, _: Site) -> usize {
        self.limits.body_bytes
    }

    fn handle(&mut self, core: &mut Core, _: ExchangeId, request: &Request) -> Option<Reply> {
        let reply = if request.path() != ENDPOINT.path {
            error(core, 404, "no endpoint at this path")
        } else if request.head.method.as_str() != ENDPOINT.method {
            let allowed = http::HeaderValue::from_static(ENDPOINT.method);
            error(core, 405, "only POST is allowed").header("allow", allowed)
        } else {
            rehydrate::handle(core, self, request)
        };
        Some(reply)
    }

    fn fire(&mut self, core: &mut Core, Timer(job): Timer) {
        steps::go(core, self, job);
    }

    fn incoming(&mut self, core: &mut Core, OutgoingContext(job): OutgoingContext, outcome: Outcome) {
        steps::incoming(core, self, job, &outcome);
    }

    fn perform(&mut self, core: &mut Core, action: &str, arguments: &Value) -> Result<Value, String> {
        actions::perform(core, self, action, arguments)
    }

    fn view(&self, core: &Core) -> Value {
        view::view(core, self)
    }

    fn limits(&self) -> Value {
        serde_json::to_value(&self.limits).expect("limits are numbers")
    }

    fn set_limits(&mut self, limits: &Value) -> Result<(), String> {
        crate::limits::change(&mut self.limits, Limits::ALL, limits)
    }
}

impl State {
    fn fail(&mut self, failure: Failure) {
        if self.failures.len() == FAILURES {
            self.failures.pop_front();
        }
        self.failures.push_back(failure);
    }
}

/// An error in the simulator's own form; the document shows none.
fn error(core: &Core, status: u16, text: &str) -> Reply {
    let text = core.prose(text);
    core.json(status, json!({ "error": text }))
}
