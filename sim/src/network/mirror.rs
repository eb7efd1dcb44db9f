//! The mirror: the state of the primary a delay ago.

use super::{Carried, Replica, State, Timer, faults, set, sites};
use crate::core::Core;
use crate::exchange::Site;

/// What the mirror shows.
#[derive(Clone, Debug, Default)]
pub(super) struct Mirror {
    /// An older state. Without one, the mirror shows the state of the primary.
    view: Option<Box<Replica>>,
    /// A change was not passed on because of the fault.
    missed: bool,
}

impl Mirror {
    /// Whether it shows an older state than the primary.
    pub(super) fn lags(&self) -> bool {
        self.view.is_some()
    }
}

/// The state that the node at `site` shows.
pub(super) fn seen(_: &mut Core, state: &State, site: Site) -> Replica {
    let view = state.mirror.view.as_deref().filter(|_| site == sites::MIRROR);
    view.unwrap_or(&state.primary).clone()
}

impl State {
    /// Call before the primary may change: copies it if the mirror will need the copy.
    pub(super) fn before_change(&self, core: &Core) -> Option<Box<Replica>> {
        let needed = self.limits.lag_ms > 0 || self.mirror.lags() || deaf(core);
        needed.then(|| Box::new(self.primary.clone()))
    }

    /// Call after the primary may have changed: sends the new state to the mirror.
    pub(super) fn after_change(&mut self, core: &mut Core, before: Option<Box<Replica>>) {
        let Some(before) = before else { return };
        if before.store.version() == self.primary.store.version() {
            return;
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
    super::in_force(core, faults::LAGGING)
}
