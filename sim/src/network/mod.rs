//! The network's node API: nodes that share one message store, and the families of endpoints on top of it.
//!
//! The primary receives every message, at whichever site it arrives; the mirror shows the state of the
//! primary a delay ago. All that a node shows is in a replica, which is cheap to clone.
//!
//! Each chapter of the document has a folder. `state.rs` imports the data of the chapters, the chapters import the
//! state, and this file imports the chapters.

mod actions;
mod aggregates;
mod call;
mod deviations;
pub mod faults;
mod hash;
mod indexer;
mod instances;
mod limits;
mod long_deviations;
mod measure;
mod messages;
mod mirror;
mod neighbours;
mod node_deviations;
mod nodes;
mod paging;
mod programs;
mod rates;
mod read_deviations;
mod refusal;
mod routing;
pub mod sites;
mod state;
mod storage;
mod store;
mod variations;
mod vrf;
mod webhooks;

use assay_spec::endpoint::Endpoint;
use assay_spec::instant::MINUTE;
use assay_spec::network::limits::Rate;
use assay_spec::network::message::MessageType;
use assay_spec::network::requirements::envelope::SIZE;
use assay_spec::network::requirements::errors::INTERNAL;
use assay_spec::network::{
    aggregate as aggregate_spec, indexer as indexer_spec, info as info_spec, instance as instance_spec,
    message, metrics as metrics_spec, neighbours as neighbours_spec, pin as pin_spec, probes as probes_spec,
    program as program_spec, query, storage as storage_spec, vrf as vrf_spec, webhook as webhook_spec,
};
use imbl::{OrdMap, OrdSet};
use serde_json::{Value, json};

use crate::core::Core;
use crate::deviation::Deviation;
use crate::exchange::{ExchangeId, Reply, Request, RequestHead, Site};
use crate::fault;
use crate::limits::Limit;
use crate::outgoing::Outcome;
use crate::refusal::Refusal;
use crate::services::SimService;
use crate::shape::Action;
use crate::variation::Variation;

pub use limits::Limits;
pub use state::{OutgoingContext, State, Timer};

use call::Call;
use indexer::chain::{Chains, NETWORKS};
use measure::metrics;
use measure::program::Measure;
use messages::{flat, forget, listing, payment, removal, reply, single, validation};
use neighbours::purchases::Neighbours;
use neighbours::{credit, scheduler, status};
use nodes::node::{Node, Nodes};
use nodes::{info, probes, reach};
use rates::Rates;
use state::{Carried, Mirror, Past, Replica, set};
use storage::{files, pins};
use vrf::draws::Draws;
use webhooks::deliveries;
use webhooks::inbox::Webhooks;

/// The handler of an endpoint.
type Handler = fn(&mut Core, &mut State, &Call<'_>) -> Result<Reply, Refusal>;

/// The handler of every endpoint.
static HANDLERS: &[(&Endpoint, Handler)] = &[
    (&message::READ, single::read),
    (&query::LIST, listing::list),
    (&query::FLAT, flat::list),
    (&message::CREATE, single::create),
    (&storage_spec::STORE, files::upload),
    (&storage_spec::FILE, files::file),
    (&storage_spec::RAW, files::raw),
    (&aggregate_spec::READ, aggregates::calls::read),
    (&aggregate_spec::LIST, aggregates::calls::list),
    (&aggregate_spec::OF_ADDRESS, aggregates::calls::of_address),
    (&aggregate_spec::CREATE, |core, state, call| reply::create(core, state, call, MessageType::Aggregate)),
    (&program_spec::CREATE, |core, state, call| reply::create(core, state, call, MessageType::Program)),
    (&program_spec::RUN, programs::run::run),
    (&instance_spec::CREATE, instances::calls::create),
    (&instance_spec::READ, instances::calls::read),
    (&instance_spec::LIST, instances::calls::list),
    (&instance_spec::UPDATE, instances::calls::update),
    (&instance_spec::CONTROL, instances::calls::control),
    (&pin_spec::PIN, |core, state, call| reply::create(core, state, call, MessageType::IpfsPin)),
    (&pin_spec::READ, pins::read),
    (&indexer_spec::EVENTS, indexer::lists::events),
    (&indexer_spec::TRANSACTIONS, indexer::lists::transactions),
    (&vrf_spec::GENERATE, vrf::calls::generate),
    (&vrf_spec::VERIFY, vrf::calls::verify),
    (&webhook_spec::CREATE, webhooks::create::create),
    (&info_spec::PUBLIC, info::public),
    (&metrics_spec::CORE, metrics::core),
    (&metrics_spec::COMPUTE, metrics::compute),
    (&probes_spec::METRICS, probes::metrics),
    (&probes_spec::LOGIN, probes::login),
    (&probes_spec::VM, probes::machine),
    (&probes_spec::STATUS_CHECK, probes::check),
    (&neighbours_spec::PLAN, scheduler::plan),
    (&neighbours_spec::ALLOCATION, scheduler::allocation),
    (&neighbours_spec::NODES, scheduler::nodes),
    (&neighbours_spec::SERVICES, status::services),
    (&neighbours_spec::PAYMENT, credit::payment),
    (&neighbours_spec::TOKEN_TO_CREDIT, credit::estimation),
];

impl SimService for State {
    type Timer = Timer;
    type OutgoingContext = OutgoingContext;

    const SITES: &'static [Site] = sites::ALL;
    const FAULTS: &'static [fault::FaultKind] = faults::ALL;
    const VARIATIONS: &'static [Variation] = variations::ALL;
    const DEVIATIONS: &'static [Deviation] = deviations::ALL;
    const ACTIONS: &'static [Action] = actions::ACTIONS;
    const LIMITS: &'static [Limit] = Limits::ALL;

    fn new(core: &Core) -> State {
        State {
            limits: Limits::default(),
            primary: Replica::default(),
            mirror: Mirror::default(),
            past: Past::default(),
            rates: Rates::default(),
            held: OrdSet::new(),
            validating: 0,
            batches: OrdMap::new(),
            balances: OrdMap::new(),
            billing: false,
            chains: Chains::new(core),
            draws: Draws::default(),
            webhooks: Webhooks::default(),
            elsewhere: OrdMap::new(),
            nodes: Nodes::new(core),
            measure: Measure::default(),
            neighbours: Neighbours::default(),
        }
    }

    fn body_limit(&self, _: Site) -> usize {
        self.limits.message_bytes
    }

    /// Only an upload may be larger than a message. One byte more than the limit is enough to reject.
    fn body_limit_after(&self, head: &RequestHead) -> usize {
        let upload = storage_spec::STORE.path;
        let path = head.target.split_once('?').map_or(head.target.as_str(), |(path, _)| path);
        if path == upload { files::body_limit(&self.limits) } else { self.limits.message_bytes }
    }

    /// What the head alone decides: the rate, and a declared body length that is too large.
    fn begin(&mut self, core: &mut Core, _: ExchangeId, head: &RequestHead) -> Option<Reply> {
        if let Some(reply) = reach::refuses(core, self, head) {
            return Some(reply);
        }
        let refusal = self.admit(core, head).err()?;
        core.refuse(&refusal.refused);
        Some(refusal::answer(core, &refusal))
    }

    fn handle(&mut self, core: &mut Core, exchange: ExchangeId, request: &Request) -> Option<Reply> {
        self.changing(core, |core, state| {
            state.settle(core);
            let reply = state.route(core, request).unwrap_or_else(|refusal| {
                core.refuse(&refusal.refused);
                refusal::answer(core, &refusal)
            });
            reach::slowed(core, state, exchange, request.head.site, reply)
        })
    }

    fn fire(&mut self, core: &mut Core, timer: Timer) {
        self.changing(core, |core, state| {
            state.settle(core);
            match timer {
                Timer::Process(number) => {
                    state.validating -= 1;
                    validation::process(core, state, number);
                }
                Timer::Retry(number) => forget::retry(core, state, number),
                Timer::Billing => payment::end_hour(core, state),
                Timer::Grace(number, since) => removal::end_grace(core, state, number, since),
                Timer::Left(cid) => removal::drop_file(core, state, &cid),
                Timer::Carry(Carried(carried)) => state.carry(core, carried),
                Timer::Sweep => state.sweep(core),
                Timer::Webhook(number) => deliveries::attempt(core, state, number),
                Timer::Slow(exchange, reply) => core.answer(exchange, *reply),
                Timer::Measure(due) => measure::run::fire(core, state, due),
            }
        });
    }

    fn incoming(&mut self, core: &mut Core, context: OutgoingContext, outcome: Outcome) {
        self.changing(core, |core, state| match context {
            OutgoingContext::Webhook(number) => deliveries::settled(core, state, number, outcome),
            OutgoingContext::Probe(probe) => measure::visit::probed(core, state, probe, outcome),
        });
    }

    fn perform(&mut self, core: &mut Core, action: &str, arguments: &Value) -> Result<Value, String> {
        self.changing(core, |core, state| {
            state.settle(core);
            actions::perform(core, state, action, arguments)
        })
    }

    fn view(&self, core: &Core) -> Value {
        let store = &self.primary.store;
        json!({
            "messages": store.len(),
            "files": store.files.len(),
            "bytes": store.bytes(),
            "held": self.held.len(),
            "forgets_retrying": self.batches.len(),
            "balances": self.balances.iter().map(|(owner, credits)| (owner.to_string(), json!(credits))).collect::<serde_json::Map<_, _>>(),
            "mirror_lags": self.mirror.lags(),
            "rates": self.rates.len(),
            "aggregates": self.primary.derived.aggregates.len(),
            "instances": self.primary.derived.instances.len(),
            "pins": self.primary.derived.pins.len(),
            "webhooks": self.webhooks.view(),
            "indexed": NETWORKS,
            "nodes": self.nodes.iter().map(Node::view).collect::<Value>(),
            "measurement": measure::run::view(core, self),
        })
    }

    fn limits(&self) -> Value {
        json!(self.limits)
    }

    fn set_limits(&mut self, limits: &Value) -> Result<(), String> {
        crate::limits::change(&mut self.limits, Limits::ALL, limits)
    }
}

impl State {
    /// Counts the request and checks the declared body length.
    fn admit(&mut self, core: &mut Core, head: &RequestHead) -> Result<(), Refusal> {
        if !routing::is_api(head.site) {
            return Ok(());
        }
        let class = routing::class(core, head);
        self.count(core, class, head)?;
        let length = head.declared_length().unwrap_or(0);
        let limit = self.body_limit_after(head) as u64;
        Ok(core.require(&SIZE, length <= limit, || format!("a body of {length} bytes"))?)
    }

    fn count(&mut self, core: &mut Core, class: Rate, head: &RequestHead) -> Result<(), Refusal> {
        if self.rates.is_empty() {
            set(core, core.now() + MINUTE, Timer::Sweep);
        }
        let limits = core.limits(&self.limits);
        self.rates.count(core, &limits, class, head.peer)
    }

    /// Handles a request.
    fn route(&mut self, core: &mut Core, request: &Request) -> Result<Reply, Refusal> {
        let call = routing::read(core, request)?;
        let occasion = [("endpoint", call.endpoint.name), ("site", call.site.name)];
        if core.fault(faults::INTERNAL, &occasion) {
            return Err(Refusal::new(&INTERNAL, "the node fails"));
        }
        let too_large = request.too_large;
        core.require(&SIZE, !too_large, || format!("more than {} bytes", request.body.len()))?;
        let handler = HANDLERS.iter().find(|(endpoint, _)| std::ptr::eq(*endpoint, call.endpoint));
        let (_, handler) = handler.expect("every endpoint has a handler");
        handler(core, self, &call)
    }

    /// Runs what may change the primary, and passes the change on to the mirror.
    fn changing<T>(&mut self, core: &mut Core, change: impl FnOnce(&mut Core, &mut State) -> T) -> T {
        let before = self.before_change(core);
        let result = change(core, self);
        self.after_change(core, before);
        result
    }

    /// Resumes the messages whose fault is unset.
    fn settle(&mut self, core: &mut Core) {
        if !self.held.is_empty() && !faults::in_force(core, faults::PROCESSING_HELD) {
            for number in std::mem::take(&mut self.held) {
                validation::process(core, self, number);
            }
        }
        self.wake_mirror(core);
    }

    /// Forgets addresses without a request in the last ten windows.
    fn sweep(&mut self, core: &mut Core) {
        let window_ms = self.limits.rate_window_ms.max(MINUTE).saturating_mul(10);
        self.rates.sweep(core.now() - window_ms);
        if !self.rates.is_empty() {
            set(core, core.now() + MINUTE, Timer::Sweep);
        }
    }
}

#[cfg(test)]
mod tests {
    use assay_spec::network::ENDPOINTS;

    use super::*;

    #[test]
    fn every_endpoint_has_its_line() {
        let lines =
            |endpoint: &Endpoint| HANDLERS.iter().filter(|(one, _)| std::ptr::eq(*one, endpoint)).count();
        assert!(ENDPOINTS.iter().all(|endpoint| lines(endpoint) == 1));
    }
}
