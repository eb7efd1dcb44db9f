//! The measurement program. Every hour it probes each node once, in a seeded random order and over HTTP, and
//! publishes the results as one message. It runs on virtual time, and only after it is switched on.

use assay_spec::network::machines::{MeasurementEvent, MeasurementState};
use assay_spec::network::places::MEASUREMENT;
use imbl::{OrdMap, Vector};
use serde_json::{Value, json};

use super::probers::number_of;
use super::program::{Due, Hour, moves};
use super::{publish, visit};
use crate::core::Core;
use crate::network::nodes::node::Node;
use crate::network::state::{State, Timer, set};
use crate::shape::record;

/// The program, as the control API shows it.
pub(in crate::network) fn view(core: &Core, state: &State) -> Value {
    let measure = &state.measure;
    json!({
        "on": measure.on,
        "publisher": publish::address(core),
        "hours": measure.hours,
        "records": measure.records.values().map(Vector::len).sum::<usize>(),
    })
}

record! {
    /// The arguments of the action.
    pub(in crate::network) struct Switch {
        /// Whether the program runs.
        on: bool,
    }
}

/// Switches the program on or off. An hour that is open when it is switched off is never published.
pub(in crate::network) fn perform(
    core: &mut Core,
    state: &mut State,
    Switch { on }: Switch,
) -> Result<Value, String> {
    if on && !state.measure.on {
        publish::prepare(core, state)?;
        open(core, state);
    }
    if !on {
        state.measure.hour = None;
    }
    state.measure.on = on;
    let mut answer = view(core, state);
    answer["nodes"] = state.nodes.iter().map(Node::view).collect();
    Ok(answer)
}

/// Handles a due event.
pub(in crate::network) fn fire(core: &mut Core, state: &mut State, due: Due) {
    match due {
        Due::Visit(hour, node) => visit::begin(core, state, hour, node),
        Due::Back(probe) => visit::back(core, state, probe),
        Due::Close(hour) => close(core, state, hour),
        Due::Age => {
            moves(core, MeasurementState::Published, MeasurementEvent::Age);
        }
        Due::Drop => drop_old(core, state),
    }
}

/// Starts an hour: each node is probed at its own time.
fn open(core: &mut Core, state: &mut State) {
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
fn close(core: &mut Core, state: &mut State, number: u64) {
    if state.measure.hour(number).is_none() {
        return;
    }
    visit::end_all(core, state, number);
    let Some(hour) = state.measure.hour.take() else { return };
    moves(core, hour.state, MeasurementEvent::Close);
    core.within(MEASUREMENT[0], |core| publish::hour(core, state, number, &hour.results));
    for measured in hour.results {
        state.measure.records.entry(measured.node).or_default().push_back(measured);
    }
    let shown = state.limits.metrics_retention_ms;
    set(core, core.now() + shown, Timer::Measure(Due::Age));
    set(core, core.now() + kept_ms(state), Timer::Measure(Due::Drop));
    open(core, state);
}

/// How long a record is kept: twice as long as it is shown, since a request decides what it shows.
fn kept_ms(state: &State) -> i64 {
    state.limits.metrics_retention_ms.saturating_mul(2)
}

/// Drops the records that are kept no longer.
fn drop_old(core: &Core, state: &mut State) {
    let begin = core.now() - kept_ms(state);
    for node in 0..state.nodes.len() {
        let Some(records) = state.measure.records.get_mut(&node) else { continue };
        while records.front().is_some_and(|first| first.at < begin) {
            records.pop_front();
        }
    }
}
