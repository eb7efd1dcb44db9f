//! What the network's state holds. This file imports the data of the chapters, and none of their handlers.

use std::collections::VecDeque;
use std::sync::Arc;

use assay_spec::Instant;
use assay_spec::network::forget::Targets;
use assay_spec::network::machines::ForgetState;
use bytes::Bytes;
use imbl::{OrdMap, OrdSet};

use super::aggregates::kept::Aggregates;
use super::indexer::chain::Chains;
use super::instances::machines::Instances;
use super::limits::Limits;
use super::measure::program::{Due, Measure, Probe};
use super::neighbours::purchases::Neighbours;
use super::nodes::node::Nodes;
use super::rates::Rates;
use super::store::{Number, Store};
use super::vrf::draws::Draws;
use super::webhooks::inbox::Webhooks;
use crate::core::Core;
use crate::exchange::{ExchangeId, Reply};

/// The state of the network.
#[derive(Clone, Debug)]
pub struct State {
    /// The limits in force.
    pub limits: Limits,
    /// The state that the primary shows.
    pub(super) primary: Replica,
    pub(super) mirror: Mirror,
    pub(super) past: Past,
    pub(super) rates: Rates,
    /// Messages whose validation is held, oldest first.
    pub(super) held: OrdSet<Number>,
    /// The number of other messages that wait for validation.
    pub(super) validating: usize,
    /// FORGETs that wait for a retry, by message.
    pub(super) batches: OrdMap<Number, Batch>,
    /// The credits of the owners that have a balance, in lower case.
    pub(super) balances: OrdMap<Arc<str>, i64>,
    /// Whether the timer for the next hour is set.
    pub(super) billing: bool,
    /// The indexed chains.
    pub(super) chains: Chains,
    /// The random numbers drawn so far.
    pub(super) draws: Draws,
    pub(super) webhooks: Webhooks,
    /// Content that the network can fetch once it is pinned.
    pub(super) elsewhere: Elsewhere,
    pub(super) nodes: Nodes,
    pub(super) measure: Measure,
    pub(super) neighbours: Neighbours,
}

/// All that a node shows. Every change increments the store's version.
#[derive(Clone, Debug, Default)]
pub(super) struct Replica {
    /// Messages and files.
    pub(super) store: Store,
    /// What is derived from the messages.
    pub(super) derived: Derived,
}

/// What a node derives from its messages.
#[derive(Clone, Debug, Default)]
pub(super) struct Derived {
    /// Keyed documents.
    pub(super) aggregates: Aggregates,
    /// Virtual machines.
    pub(super) instances: Instances,
    /// The hashes of pinned content.
    pub(super) pins: OrdSet<Arc<str>>,
}

/// What the mirror shows.
#[derive(Clone, Debug, Default)]
pub(super) struct Mirror {
    /// An older state. Without one, the mirror shows the state of the primary.
    pub(super) view: Option<Box<Replica>>,
    /// A change was not passed on because of the fault.
    pub(super) missed: bool,
}

impl Mirror {
    /// Whether it shows an older state than the primary.
    pub(super) fn lags(&self) -> bool {
        self.view.is_some()
    }
}

/// The states that the primary had lately, oldest first, each with the time when it ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Past(VecDeque<(Instant, Replica)>);

impl Past {
    /// The state at a time, if it was not the present one.
    pub(super) fn at(&self, time: Instant) -> Option<&Replica> {
        self.0.iter().find(|(end, _)| *end > time).map(|(_, state)| state)
    }

    /// Keeps a state that ends now, and forgets those that ended before `oldest`.
    pub(super) fn keep(&mut self, now: Instant, state: Replica, oldest: Instant) {
        while self.0.front().is_some_and(|(end, _)| *end <= oldest) {
            self.0.pop_front();
        }
        self.0.push_back((now, state));
    }
}

/// A FORGET that waits for a retry.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) targets: Targets,
    pub(super) state: ForgetState,
    /// The number of retries so far.
    pub(super) retries: u32,
}

/// Content outside the network, by hash: its bytes and its content type.
pub(super) type Elsewhere = OrdMap<Arc<str>, (Bytes, Arc<str>)>;

/// A timer of the network.
#[derive(Clone, Debug)]
pub enum Timer {
    /// Validates a message.
    Process(u32),
    /// Retries a FORGET.
    Retry(u32),
    /// Makes owners with a balance pay.
    Billing,
    /// Ends the grace period of a message that has been `removing` since then.
    Grace(u32, Instant),
    /// Drops a file that has left every node.
    Left(Arc<str>),
    /// Delivers a state of the primary to the mirror.
    Carry(Carried),
    /// Forgets addresses without a request in the last minute.
    Sweep,
    /// Retries a delivery of a webhook.
    Webhook(u64),
    /// Sends the response of a slow node.
    Slow(ExchangeId, Box<Reply>),
    /// An event of the measurement program.
    Measure(Due),
}

/// A state of the primary on its way to the mirror.
#[derive(Clone, Debug)]
pub struct Carried(pub(super) Box<Replica>);

/// The purpose of an outgoing request.
#[derive(Clone, Debug)]
pub enum OutgoingContext {
    /// A delivery of a webhook.
    Webhook(u64),
    /// A test of the measurement program.
    Probe(Probe),
}

/// Sets a timer.
pub(super) fn set(core: &mut Core, due: Instant, timer: Timer) {
    core.clock.set(due, crate::services::Timer::Network(timer));
}
