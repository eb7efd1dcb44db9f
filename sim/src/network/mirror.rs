//! The mirror: the state of the primary a delay ago. The nodes behind the public address, which may lag as well.

use super::state::{Carried, Replica, State, Timer, set};
use super::{faults, sites};
use crate::core::Core;
use crate::exchange::Site;
use crate::seam::steps;

/// The nodes behind the public address.
const NODES: i64 = 3;

steps! {
    Seen(state: &State, site: Site) -> Replica = seen;
}

/// The state that the node at `site` shows.
pub(super) fn seen(core: &mut Core, state: &State, site: Site) -> Replica {
    let view = if site == sites::MIRROR {
        state.mirror.view.as_deref()
    } else {
        let lag_ms = core.limits(&state.limits).node_lag_ms;
        // The load balancer chooses a node for each second.
        let second = core.now().seconds().unsigned_abs();
        let node = i64::from(core.rng.draw("network.node", b"", second)[0]) % NODES;
        let is_behind = lag_ms > 0 && site == sites::PRIMARY;
        is_behind.then(|| state.past.at(core.now() - lag_ms * node / (NODES - 1))).flatten()
    };
    view.unwrap_or(&state.primary).clone()
}

impl State {
    /// The state that the node at `site` shows.
    pub(super) fn seen(&self, core: &mut Core, site: Site) -> Replica {
        Seen::run(core, self, site)
    }

    /// Call before the primary may change: copies it if the mirror will need the copy.
    pub(super) fn before_change(&self, core: &mut Core) -> Option<Box<Replica>> {
        let limits = core.limits(&self.limits);
        let needed = limits.lag_ms > 0 || limits.node_lag_ms > 0 || self.mirror.lags() || deaf(core);
        needed.then(|| Box::new(self.primary.clone()))
    }

    /// Call after the primary may have changed: sends the new state to the mirror.
    pub(super) fn after_change(&mut self, core: &mut Core, before: Option<Box<Replica>>) {
        let Some(before) = before else { return };
        if before.store.version() == self.primary.store.version() {
            return;
        }
        let lag_ms = core.limits(&self.limits).node_lag_ms;
        if lag_ms > 0 {
            let now = core.now();
            self.past.keep(now, Replica::clone(&before), now - lag_ms);
        }
        self.mirror.view.get_or_insert(before);
        if deaf(core) {
            self.mirror.missed = true;
        } else {
            self.send_to_mirror(core);
        }
    }

    /// Sends the mirror what it missed, once the fault is unset.
    pub(super) fn wake_mirror(&mut self, core: &mut Core) {
        if self.mirror.missed && !deaf(core) {
            self.mirror.missed = false;
            self.send_to_mirror(core);
        }
    }

    fn send_to_mirror(&mut self, core: &mut Core) {
        let lag_ms = self.limits.lag_ms.max(0);
        if lag_ms == 0 {
            self.mirror.view = None;
        } else {
            set(core, core.now() + lag_ms, Timer::Carry(Carried(Box::new(self.primary.clone()))));
        }
    }

    /// A state of the primary arrives at the mirror.
    pub(super) fn carry(&mut self, core: &Core, carried: Box<Replica>) {
        let newer = |view: &Replica| carried.store.version() > view.store.version();
        if !self.mirror.view.as_deref().is_some_and(newer) {
            return;
        }
        if deaf(core) {
            self.mirror.missed = true;
        } else if carried.store.version() == self.primary.store.version() {
            self.mirror.view = None;
        } else {
            self.mirror.view = Some(carried);
        }
    }
}

fn deaf(core: &Core) -> bool {
    faults::in_force(core, faults::LAGGING)
}
