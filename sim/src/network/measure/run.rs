//! The measurement program. Every hour it probes each node once, in a seeded random order and over HTTP, and
//! publishes the results as one message. It runs on virtual time, and only after it is switched on.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use assay_spec::network::machines::{MeasurementEvent, MeasurementState};
use assay_spec::network::places::MEASUREMENT;
use imbl::{OrdMap, Vector};
use serde::Deserialize;
use serde_json::{Value, json};

use super::publish;
use super::record::Measured;
use super::visit::{self, Probe, Visit};
use crate::core::Core;
use crate::network::actions;
use crate::network::nodes::node::Node;
use crate::network::state::{State, Timer, set};

/// The measurement program and its records. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Measure {
    pub(super) on: bool,
    /// The number of hours so far: the key of their random draws.
    pub(super) hours: u64,
    /// The current hour.
    pub(super) hour: Option<Hour>,
    /// What the program reads from core nodes, once it has been written.
    pub(super) fixtures: Option<publish::Fixtures>,
    /// The served records by node number, oldest first.
    pub(super) records: OrdMap<usize, Vector<Arc<Measured>>>,
}

/// An hour in which nodes are probed.
#[derive(Clone, Debug)]
pub(super) struct Hour {
    pub(super) number: u64,
    pub(super) state: MeasurementState,
    /// The nodes that are being probed, by number.
    pub(super) visits: OrdMap<usize, Visit>,
    /// The results so far.
    pub(super) results: Vector<Arc<Measured>>,
}

/// A due event. Every hour has its own number; an event of another hour than the current one is ignored.
#[derive(Clone, Copy, Debug)]
pub enum Due {
    /// The probe of a node starts.
    Visit(u64, usize),
    /// A response from a node arrives.
    Back(Probe),
    /// The hour ends.
    Close(u64),
    /// The records of an hour are two weeks old: they are shown no longer.
    Age,
    /// They are kept no longer.
    Drop,
}

/// The servers of the program, on several continents. The addresses are reserved for documentation (RFC 5737,
/// RFC 3849).
const PROBERS: [(Ipv4Addr, Ipv6Addr); 3] = [
    (Ipv4Addr::new(198, 51, 100, 1), Ipv6Addr::new(0x2001, 0xdb8, 1, 0, 0, 0, 0, 1)),
    (Ipv4Addr::new(198, 51, 100, 2), Ipv6Addr::new(0x2001, 0xdb8, 2, 0, 0, 0, 0, 1)),
    (Ipv4Addr::new(203, 0, 113, 3), Ipv6Addr::new(0x2001, 0xdb8, 3, 0, 0, 0, 0, 1)),
];

/// Whether a request comes from the measurement program.
pub(in crate::network) fn is_prober(peer: IpAddr) -> bool {
    PROBERS.iter().any(|(v4, v6)| peer == IpAddr::V4(*v4) || peer == IpAddr::V6(*v6))
}

impl Measure {
    /// The records of the node with that number, oldest first.
    pub(in crate::network) fn records(&self, node: usize) -> impl Iterator<Item = &Arc<Measured>> {
        self.records.get(&node).into_iter().flatten()
    }

    pub(super) fn hour(&mut self, number: u64) -> Option<&mut Hour> {
        self.hour.as_mut().filter(|hour| hour.number == number)
    }

    pub(super) fn visit(&mut self, hour: u64, node: usize) -> Option<&mut Visit> {
        self.hour(hour)?.visits.get_mut(&node)
    }
}

/// The program, as the control API shows it.
pub(in crate::network) fn view(state: &State, core: &Core) -> Value {
    let measure = &state.measure;
    json!({
        "on": measure.on,
        "publisher": publish::address(core),
        "hours": measure.hours,
        "records": measure.records.values().map(Vector::len).sum::<usize>(),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Switch {
    on: bool,
}

/// Switches the program on or off. An hour that is open when it is switched off is never published.
pub(in crate::network) fn perform(
    state: &mut State,
    core: &mut Core,
    arguments: &Value,
) -> Result<Value, String> {
    let Switch { on } = actions::read("measure", arguments)?;
    if on && !state.measure.on {
        publish::prepare(state, core)?;
        open(state, core);
    }
    if !on {
        state.measure.hour = None;
    }
    state.measure.on = on;
    let mut answer = view(state, core);
    answer["nodes"] = state.nodes.iter().map(Node::view).collect();
    Ok(answer)
}

/// Handles a due event.
pub(in crate::network) fn fire(state: &mut State, core: &mut Core, due: Due) {
    match due {
        Due::Visit(hour, node) => visit::begin(state, core, hour, node),
        Due::Back(probe) => visit::back(state, core, probe),
        Due::Close(hour) => close(state, core, hour),
        Due::Age => {
            moves(core, MeasurementState::Published, MeasurementEvent::Age);
        }
        Due::Drop => drop_old(state, core),
    }
}

/// Starts an hour: each node is probed at its own time.
fn open(state: &mut State, core: &mut Core) {
    state.measure.hours += 1;
    let (number, now) = (state.measure.hours, core.now());
    let nodes = state.nodes.len();
    let hour_ms = state.limits.measurement_ms.max(nodes as i64);
    let turn_ms = hour_ms / nodes as i64;
    for (turn, node) in order(core, number, nodes).into_iter().enumerate() {
        // In the first half of its slot, so that there is time for all tests.
        let late_ms = number_of(core, "network.turn", number, node) % (turn_ms / 2).max(1);
        set(core, now + turn as i64 * turn_ms + late_ms, Timer::Measure(Due::Visit(number, node)));
    }
    set(core, now + hour_ms, Timer::Measure(Due::Close(number)));
    let state_now = moves(core, MeasurementState::None, MeasurementEvent::Open);
    state.measure.hour =
        Some(Hour { number, state: state_now, visits: OrdMap::new(), results: Vector::new() });
}

/// The order in which the nodes of an hour are probed.
fn order(core: &Core, hour: u64, nodes: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..nodes).collect();
    order.sort_by_key(|node| core.rng.draw("network.measurement-order", &(*node as u64).to_be_bytes(), hour));
    order
}

/// Ends an hour: publishes and serves the results, and starts the next hour.
fn close(state: &mut State, core: &mut Core, number: u64) {
    if state.measure.hour(number).is_none() {
        return;
    }
    visit::end_all(state, core, number);
    let Some(hour) = state.measure.hour.take() else { return };
    moves(core, hour.state, MeasurementEvent::Close);
    core.within(MEASUREMENT[0], |core| publish::hour(state, core, number, &hour.results));
    for measured in hour.results {
        state.measure.records.entry(measured.node).or_default().push_back(measured);
    }
    let shown = state.limits.metrics_retention_ms;
    set(core, core.now() + shown, Timer::Measure(Due::Age));
    set(core, core.now() + kept_ms(state), Timer::Measure(Due::Drop));
    open(state, core);
}

/// How long a record is kept: twice as long as it is shown, since a request decides what it shows.
fn kept_ms(state: &State) -> i64 {
    state.limits.metrics_retention_ms.saturating_mul(2)
}

/// Drops the records that are kept no longer.
fn drop_old(state: &mut State, core: &Core) {
    let begin = core.now() - kept_ms(state);
    for node in 0..state.nodes.len() {
        let Some(records) = state.measure.records.get_mut(&node) else { continue };
        while records.front().is_some_and(|first| first.at < begin) {
            records.pop_front();
        }
    }
}

/// Makes a transition of the program's table. Returns the new state.
pub(super) fn moves(core: &mut Core, from: MeasurementState, event: MeasurementEvent) -> MeasurementState {
    let (to, row) = from.on(event).expect("the transition is in the measurement table");
    core.fired(row);
    to
}

/// A random number for a node in an hour; not negative.
pub(super) fn number_of(core: &Core, stream: &str, hour: u64, node: usize) -> i64 {
    let draw = core.rng.draw(stream, &(node as u64).to_be_bytes(), hour);
    let eight: [u8; 8] = std::array::from_fn(|n| draw[n]);
    (u64::from_be_bytes(eight) >> 1) as i64
}

/// The addresses that the program probes from.
pub(super) fn prober(core: &Core, hour: u64, node: usize) -> (IpAddr, IpAddr) {
    let at = number_of(core, "network.prober", hour, node) as usize % PROBERS.len();
    (IpAddr::V4(PROBERS[at].0), IpAddr::V6(PROBERS[at].1))
}
