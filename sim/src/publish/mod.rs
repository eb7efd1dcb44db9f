//! The signed publishing exchange: bindings, prepares, the chain, and the request handlers.

mod admission;
pub mod chain;
mod deviations;
pub mod faults;
mod limits;
mod operator;
mod place;
pub mod prepare;
mod refusal;
mod rpc;
mod submit;
mod variations;

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;

use assay_spec::crypto::ed25519;
use assay_spec::instant::MINUTE;
use assay_spec::publish::machines::{BindingState, LockEvent, LockState, PrepareEvent, PrepareState};
use assay_spec::publish::prepare::{TxtObserved, Wanted};
use assay_spec::publish::requirements::exchange::{BODY_LIMIT, PASSIVE, RATE_PER_IP, STANDBY};
use assay_spec::publish::{prepare as prepare_spec, submit as submit_spec};
use assay_spec::{Instant, Place, Service};
use bytes::Bytes;
use ed25519_dalek::SigningKey;
use imbl::OrdMap;
use serde_json::{Map, Value, json};

use crate::core::Core;
use crate::deviation::Deviation;
use crate::exchange::{ExchangeId, Reply, Request, Site};
use crate::fault;
use crate::limits::Limit;
use crate::refusal::Refusal;
use crate::seam::steps;
use crate::services::{Occasion, SimService};
use crate::shape::Action;
use crate::variation::Variation;
use crate::window::{Counted, Window};

pub use limits::Limits;
pub use prepare::Caller;

use admission::{Admit, Target};
use chain::Chain;
use prepare::RunPrepare;

/// The exchange's site, and the chain's public interface.
pub const SITES: [Site; 2] = [site("publish", 16), site("chain", 17)];

const fn site(name: &'static str, port: u16) -> Site {
    Site { service: Service::Publish, name, port, tls: false }
}

/// The state of the exchange.
#[derive(Clone, Debug)]
pub struct State {
    /// The limits in force.
    pub limits: Limits,
    /// The chain.
    pub chain: Chain,
    fee_payer: Arc<FeePayer>,
    memo_program: [u8; 32],
    bindings: OrdMap<String, Binding>,
    /// Removed bindings, kept for the state of their domains.
    unbound: OrdMap<String, Binding>,
    prepares: OrdMap<String, Arc<Prepare>>,
    recent: OrdMap<IpAddr, Counted>,
}

/// The service's own key, and its public key in both forms.
#[derive(Debug)]
struct FeePayer {
    key: SigningKey,
    account: [u8; 32],
    address: String,
}

/// A domain's binding, and the domain's state.
#[derive(Clone, Debug)]
struct Binding {
    key: String,
    state: BindingState,
    publishable: bool,
    feature: bool,
    pending: Option<Pending>,
    txt: Option<TxtObserved>,
    /// The prepare that holds the one-in-flight lock.
    lock: Option<String>,
    /// When the prepares of the rolling day were made.
    publishes: VecDeque<Instant>,
    /// The number of prepares ever made: the key of their random draws.
    prepared: u64,
}

/// A transfer that waits for its accept.
#[derive(Clone, Debug)]
struct Pending {
    incoming_key: String,
    /// The transaction signature of the transfer, base58.
    transfer: String,
}

/// A prepare.
#[derive(Clone, Debug, PartialEq)]
struct Prepare {
    domain: String,
    /// The key that must sign it, base58.
    key: String,
    wanted: Wanted,
    state: PrepareState,
    /// The address of the message's account 0.
    fee_payer: String,
    message: Bytes,
    record: Bytes,
    last_valid_block_height: u64,
    expires_at: Instant,
    /// The signature in the header of the prepare call, to detect a replay.
    envelope: [u8; 64],
    submitted: Option<Submitted>,
    waiting: Vec<ExchangeId>,
}

/// A submitted signature.
#[derive(Clone, Debug, PartialEq)]
struct Submitted {
    signature: [u8; 64],
    /// The fee payer's signature: the transaction's id.
    transaction: [u8; 64],
    /// The slot whose start settles it; a transaction that lands is included in the slot before. `None`: it is lost.
    settled_in: Option<u64>,
    /// The chain rejects it.
    rejected: bool,
    /// It has slowed down the chain.
    slow: bool,
}

/// When the requests of an address count.
#[derive(Clone, PartialEq)]
struct RateWindow(Window);

/// The address for which a request counts, and the endpoint that it is sent to.
#[derive(Clone, PartialEq)]
struct Peer {
    address: IpAddr,
    endpoint: &'static str,
}

/// A timer.
#[derive(Clone, Debug, PartialEq)]
pub enum Timer {
    /// The lifetime of a prepare ends.
    Lifetime(String),
    /// The lock of an unsubmitted prepare ends.
    Lock(String),
    /// A transaction lands.
    Land(String),
    /// A transaction is rejected.
    Reject(String),
    /// The blockhash of a prepare in flight may have expired.
    Blockhash(String),
    /// A submit has waited long enough.
    Ceiling(String),
    /// The repeat window of a confirmed prepare ends, or an ended prepare is forgotten.
    Forget(String),
    /// The lock of a domain ends, if this prepare holds it.
    Unlock(String, String),
    /// Inactive addresses are forgotten.
    Sweep,
}

impl SimService for State {
    type Timer = Timer;
    type OutgoingContext = std::convert::Infallible;

    const SITES: &'static [Site] = &SITES;
    const FAULTS: &'static [fault::FaultKind] = faults::ALL;
    const VARIATIONS: &'static [Variation] = variations::ALL;
    const DEVIATIONS: &'static [Deviation] = deviations::ALL;
    const ACTIONS: &'static [Action] = operator::ACTIONS;
    const LIMITS: &'static [Limit] = Limits::ALL;

    fn new(core: &Core) -> State {
        let key = ed25519::key_from_seed(core.rng.draw("publish.fee-payer", b"", 0));
        let (account, address) = (key.verifying_key().to_bytes(), ed25519::address(&key));
        State {
            limits: Limits::default(),
            chain: Chain::new(core.now(), core.rng),
            fee_payer: Arc::new(FeePayer { key, account, address }),
            memo_program: ed25519::parse_address(&core.dialect.memo_program).unwrap_or_default(),
            bindings: OrdMap::new(),
            unbound: OrdMap::new(),
            prepares: OrdMap::new(),
            recent: OrdMap::new(),
        }
    }

    fn body_limit(&self, _: Site) -> usize {
        self.limits.body_bytes
    }

    fn place(&self, core: &Core, occasion: &Occasion<'_, Timer>) -> Place {
        place::find(core, self, occasion)
    }

    fn handle(&mut self, core: &mut Core, exchange: ExchangeId, request: &Request) -> Option<Reply> {
        if request.head.site == SITES[1] {
            return Some(rpc::handle(core, self, request));
        }
        let target = Target::run(core, request);
        let path = target.split('?').next().unwrap_or_default();
        let result = match (request.head.method.as_str(), path) {
            (method, path)
                if method == prepare_spec::ENDPOINT.method && path == prepare_spec::ENDPOINT.path =>
            {
                self.enter(core, request, "prepare").and_then(|()| {
                    let caller = Admit::run(core, self, request)?;
                    RunPrepare::run(core, self, &caller, &request.body).map(Some).map_err(Refusal::from)
                })
            }
            (method, path)
                if method == submit_spec::ENDPOINT.method && path == submit_spec::ENDPOINT.path =>
            {
                self.enter(core, request, "submit").and_then(|()| {
                    let caller = Admit::run(core, self, request)?;
                    submit::run(core, self, exchange, &caller, &request.body).map_err(Refusal::from)
                })
            }
            _ => return Some(core.text(404, "404 Not Found")),
        };
        result.unwrap_or_else(|refusal| {
            core.refuse(&refusal.refused);
            Some(refusal::answer(core, &refusal))
        })
    }

    /// A prepare locks the domain that it names, a submit ends its prepare.
    fn act(&mut self, _: &mut Core, request: &Request) {
        let body: Map<String, Value> = serde_json::from_slice(&request.body).unwrap_or_default();
        if request.path() == submit_spec::ENDPOINT.path {
            let id = body.get("prepareId").and_then(Value::as_str);
            id.and_then(|id| self.prepares.remove(id));
        } else if let Some(domain) = admission::named(self, request)
            && let Some(binding) = self.bindings.get_mut(&domain)
        {
            binding.lock.get_or_insert_with(|| "rejected".to_owned());
        }
    }

    fn fire(&mut self, core: &mut Core, timer: Timer) {
        match timer {
            Timer::Lifetime(id) => prepare::lifetime_ends(core, self, &id),
            Timer::Lock(id) => prepare::lock_ends(core, self, &id),
            Timer::Land(id) => submit::land(core, self, &id),
            Timer::Reject(id) => submit::reject(core, self, &id),
            Timer::Blockhash(id) => submit::blockhash_ends(core, self, &id),
            Timer::Ceiling(id) => submit::ceiling(core, self, &id),
            Timer::Forget(id) => submit::forget(core, self, &id),
            Timer::Unlock(domain, id) => State::unlock(core, self, &domain, &id),
            Timer::Sweep => self.sweep(core),
        }
    }

    fn perform(&mut self, core: &mut Core, action: &str, arguments: &Value) -> Result<Value, String> {
        operator::perform(core, self, action, arguments)
    }

    fn view(&self, core: &Core) -> Value {
        let bindings: serde_json::Map<String, Value> =
            self.bindings.iter().map(|(domain, binding)| (domain.clone(), operator::view(binding))).collect();
        let prepares: serde_json::Map<String, Value> = self
            .prepares
            .iter()
            .map(|(id, prepare)| (id.clone(), json!({ "domain": prepare.domain, "state": prepare.state })))
            .collect();
        json!({
            "bindings": bindings,
            "prepares": prepares,
            "chain": self.chain.view(core.now()),
            "fee_payer": self.fee_payer.address,
        })
    }

    fn limits(&self) -> Value {
        json!(self.limits)
    }

    fn set_limits(&mut self, limits: &Value) -> Result<(), String> {
        crate::limits::change(&mut self.limits, Limits::ALL, limits)
    }
}

steps! {
    FreeLock(state: &mut State, domain: &str, id: &str) = State::unlock;
}

steps! {
    FreeAfterFailure(state: &mut State, domain: &str, id: &str) = State::unlock;
}

impl State {
    /// Checks before the envelope is read: the node's role, the address's rate, the body's size.
    fn enter(&mut self, core: &mut Core, request: &Request, endpoint: &'static str) -> Result<(), Refusal> {
        let occasion = [("endpoint", endpoint)];
        let passive = core.fault(faults::PASSIVE, &occasion);
        core.require(&PASSIVE, !passive, || "the backend is passive".to_owned())?;
        let standby = core.fault(faults::STANDBY, &occasion);
        core.require(&STANDBY, !standby, || "the node is a standby".to_owned())?;
        let limits = core.limits(&self.limits);
        self.count_request(core, &limits, Peer { address: request.head.peer, endpoint })?;
        let fits = !request.too_large && request.body.len() <= limits.body_bytes;
        core.require(&BODY_LIMIT, fits, || format!("the body is larger than {} bytes", limits.body_bytes))?;
        Ok(())
    }

    fn count_request(&mut self, core: &mut Core, limits: &Limits, peer: Peer) -> Result<(), Refusal> {
        let now = core.now();
        if self.recent.is_empty() {
            core.clock.set(now + MINUTE, crate::services::Timer::Publish(Timer::Sweep));
        }
        let RateWindow(window) = core.step(RateWindow(Window::Rolling));
        let Peer { address: peer, .. } = core.step(peer);
        let (length_ms, limit) = (limits.request_window_ms, limits.requests_per_window as usize);
        let counted = self.recent.entry(peer).or_default();
        counted.admit(now, limit, length_ms, window).map_err(|full| {
            let why = format!("{} requests of {peer} within {length_ms} ms", full.count);
            Refusal::for_now(&RATE_PER_IP, why, full.wait_ms)
        })
    }

    /// Forgets addresses without a request in the window.
    fn sweep(&mut self, core: &mut Core) {
        let now = core.now();
        let begin = now - self.limits.request_window_ms + 1;
        let quiet = self.recent.iter().filter(|(_, counted)| counted.is_quiet_since(begin));
        let gone: Vec<IpAddr> = quiet.map(|(peer, _)| *peer).collect();
        for peer in gone {
            self.recent.remove(&peer);
        }
        if !self.recent.is_empty() {
            core.clock.set(now + MINUTE, crate::services::Timer::Publish(Timer::Sweep));
        }
    }

    /// Moves a prepare along its table. A move that the table lacks is our bug.
    fn step(&mut self, core: &mut Core, id: &str, event: PrepareEvent) {
        let move_on = |prepare: &mut Prepare| {
            prepare.state.on(event).map(|(state, row)| {
                prepare.state = state;
                core.fired(row);
            })
        };
        self.change(id, move_on).expect("the caller checked the state");
    }

    /// Changes a prepare that the caller has just found.
    fn change<T>(&mut self, id: &str, change: impl FnOnce(&mut Prepare) -> T) -> T {
        change(Arc::make_mut(self.prepares.get_mut(id).expect("the caller has just found this prepare")))
    }

    /// The prepare that holds the lock of the caller's domain.
    fn held_by(&self, caller: &Caller) -> Option<(String, Arc<Prepare>)> {
        let id = self.bindings[&caller.domain].lock.clone()?;
        let prepare = self.prepares.get(&id)?.clone();
        Some((id, prepare))
    }

    /// Frees the domain's lock, if this prepare holds it.
    fn unlock(core: &mut Core, state: &mut State, domain: &str, id: &str) {
        if let Some(binding) = state.bindings.get_mut(domain)
            && binding.lock.as_deref() == Some(id)
        {
            binding.lock = None;
            lock_moves(core, LockState::Held, LockEvent::End);
        }
    }
}

fn lock_moves(core: &mut Core, from: LockState, event: LockEvent) {
    let (_, row) = from.on(event).expect("the lock moves along its table");
    core.fired(row);
}

/// When a timer is due.
#[derive(Clone, Debug, PartialEq)]
struct Due {
    at: Instant,
    timer: Timer,
}

impl Due {
    /// Sets the timer.
    fn set(self, core: &mut Core) {
        let Due { at, timer } = core.step(self);
        core.clock.set(at, crate::services::Timer::Publish(timer));
    }
}

fn timer(core: &mut Core, at: Instant, timer: Timer) {
    Due { at, timer }.set(core);
}
