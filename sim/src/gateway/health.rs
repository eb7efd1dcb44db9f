//! Health checks: the gateway checks periodically whether each server runs.

use super::pool::Number;
use super::{State, Timer, faults, set};
use crate::core::Core;

/// Something has happened: health checks run for a while.
pub(super) fn wake(core: &mut Core, state: &mut State) {
    state.health_left = state.limits.health_checks;
    if !state.health_armed && state.health_left > 0 {
        state.health_armed = true;
        set(core, core.now() + state.limits.health_ms.max(1), Timer::Health);
    }
}

/// A health check is due.
pub(super) fn check(core: &mut Core, state: &mut State) {
    for number in 0..state.pool.len() {
        let runs = state.pool.at(number).up && !is_down(core, state, number);
        if state.pool.at(number).well != runs {
            state.pool.at_mut(number).well = runs;
        }
    }
    state.health_left = state.health_left.saturating_sub(1);
    state.health_armed = state.health_left > 0;
    if state.health_armed {
        set(core, core.now() + state.limits.health_ms.max(1), Timer::Health);
    }
}

/// Whether a fault keeps a server down for all requests. A health check is not an occasion: faults count only
/// requests, and a fault limited to one model, endpoint or occasion does not make a server unhealthy.
fn is_down(core: &Core, state: &State, number: Number) -> bool {
    let (name, now) = (state.pool.at(number).site.name, core.now());
    core.faults.list().iter().any(|fault| {
        fault.fault == faults::SERVER_DOWN.name
            && fault.place.iter().all(|(key, value)| key == "server" && value == name)
            && fault.nth.is_none()
            && fault.times.is_none()
            && fault.is_due(now)
    })
}
