//! Virtual time and its timers.

use assay_spec::Instant;
use imbl::OrdMap;

/// When a world begins by default: 2026-01-01T00:00:00Z.
pub const EPOCH: Instant = Instant(1_767_225_600_000);

/// The clock of a world: the current time and its timers. Timers with equal times fire in the order they were set.
#[derive(Clone, Debug)]
pub struct Clock<T: Clone> {
    now: Instant,
    timers: OrdMap<(Instant, u64), T>,
    set: u64,
}

impl<T: Clone> Clock<T> {
    /// A clock at `now`, with no timers.
    pub fn new(now: Instant) -> Self {
        Self { now, timers: OrdMap::new(), set: 0 }
    }

    /// The current time.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Sets a timer.
    pub fn set(&mut self, due: Instant, timer: T) {
        self.timers.insert((due, self.set), timer);
        self.set += 1;
    }

    /// When the next timer is due.
    pub fn next_due(&self) -> Option<Instant> {
        self.timers.get_min().map(|((due, _), _)| *due)
    }

    /// Removes and returns the next timer due at or before `until`, and moves the clock to it. Without such a timer,
    /// moves the clock to `until`. The clock never goes back.
    pub fn next_until(&mut self, until: Instant) -> Option<T> {
        let key = self.timers.get_min().map(|(key, _)| *key).filter(|(due, _)| *due <= until);
        let Some(key) = key else {
            self.now = self.now.max(until);
            return None;
        };
        self.now = self.now.max(key.0);
        self.timers.remove(&key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_fire_in_order_and_the_clock_stops_at_each() {
        let mut clock = Clock::new(Instant(0));
        for (due, name) in [(20, "b"), (10, "a"), (20, "c"), (31, "d")] {
            clock.set(Instant(due), name);
        }
        let mut fired = Vec::new();
        while let Some(name) = clock.next_until(Instant(30)) {
            fired.push((clock.now().0, name));
        }
        assert_eq!(fired, [(10, "a"), (20, "b"), (20, "c")]);
        assert_eq!((clock.now(), clock.next_due()), (Instant(30), Some(Instant(31))));
        assert_eq!(clock.next_until(Instant(5)), None);
        assert_eq!(clock.now(), Instant(30));
    }
}
