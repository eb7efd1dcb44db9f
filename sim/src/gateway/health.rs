//! Health checks: every so often the gateway asks each server whether it runs.

use super::pool::Number;
use super::{State, Timer, faults, set};
use crate::core::Core;

/// Something happens, so that health is worth checking for a while.
pub(super) fn wake(state: &mut State, core: &mut Core) {
    state.health_left = state.limits.health_checks;
    if !state.health_armed && state.health_left > 0 {
        state.health_armed = true;
        set(core, core.now() + state.limits.health_ms.max(1), Timer::Health);
    }
}

/// A health check is due.
pub(super) fn check(state: &mut State, core: &mut Core) {
    for number in 0..state.pool.len() {
        let runs = state.pool.at(number).up && !is_down(state, core, number);
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

/// Whether a fault holds a server down altogether. A check is no occasion: faults count requests alone, and those of
/// one model, one endpoint or one occasion do not make a server ill for all.
fn is_down(state: &State, core: &Core, number: Number) -> bool {
    let (name, now) = (state.pool.at(number).site.name, core.now());
    core.faults.list().iter().any(|fault| {
        fault.fault == faults::SERVER_DOWN.name
            && fault.place.iter().all(|(key, value)| key == "server" && value == name)
            && fault.nth.is_none()
            && fault.times.is_none()
            && fault.from.is_none_or(|from| now >= from)
            && fault.until.is_none_or(|until| now < until)
    })
}
