//! Counts within a window: how many requests, runs or drops of a caller.

use std::collections::VecDeque;

use assay_spec::Instant;

/// The maximum number of times that are kept: with a very large limit the list must still stay bounded.
const REMEMBERED: usize = 10_000;

/// When a window begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Each time counts for the length of the window.
    Rolling,
    /// By the clock: each minute, hour or day of it is a window.
    Fixed,
    /// A bucket that holds the limit and is refilled steadily.
    Bucket,
    /// As rolling, but what is rejected counts too.
    Insistent,
}

impl Window {
    /// The last moment that no longer counts now.
    pub fn before(self, now: Instant, length_ms: i64) -> Instant {
        match self {
            Window::Fixed => now - now.0.rem_euclid(length_ms) - 1,
            Window::Rolling | Window::Bucket | Window::Insistent => now - length_ms,
        }
    }
}

/// What counts of one caller: the times, or when the bucket is full again.
#[derive(Clone, Debug, Default)]
pub struct Counted(VecDeque<Instant>);

/// The limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// How many count.
    pub count: usize,
    /// When the next one is accepted, in milliseconds from now.
    pub wait_ms: i64,
}

impl Counted {
    /// Counts one more, unless the limit is reached.
    pub fn admit(&mut self, now: Instant, limit: usize, length_ms: i64, window: Window) -> Result<(), Full> {
        let length_ms = length_ms.max(1);
        if window == Window::Bucket {
            let each_ms = length_ms / (limit as i64).clamp(1, length_ms);
            let full = self.0.back().copied().unwrap_or(now).max(now) + each_ms;
            let wait_ms = full - now - length_ms;
            if wait_ms > 0 {
                return Err(Full { count: limit, wait_ms });
            }
            self.0 = [full].into();
            return Ok(());
        }
        let before = window.before(now, length_ms);
        while self.0.front().is_some_and(|first| *first <= before) {
            self.0.pop_front();
        }
        let is_full = self.0.len() >= limit;
        if (!is_full || window == Window::Insistent) && self.0.len() < REMEMBERED {
            self.0.push_back(now);
        }
        if !is_full {
            return Ok(());
        }
        let count = self.0.len();
        // The next is accepted once the one that is in the way no longer counts.
        let blocking = count.checked_sub(limit).and_then(|at| self.0.get(at)).copied().unwrap_or(now);
        let from = if window == Window::Fixed { before + 1 } else { blocking };
        Err(Full { count, wait_ms: from + length_ms - now })
    }

    /// Whether nothing has counted after this moment.
    pub fn is_quiet_since(&self, begin: Instant) -> bool {
        self.0.back().is_none_or(|last| *last < begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many are accepted at each of these moments.
    fn accepted(window: Window, moments: &[i64]) -> Vec<usize> {
        let mut counted = Counted::default();
        let mut at = |now: i64| {
            (0..99).take_while(|_| counted.admit(Instant(now), 10, 60_000, window).is_ok()).count()
        };
        moments.iter().map(|now| at(*now)).collect()
    }

    #[test]
    fn windows_differ_only_in_when_they_begin() {
        let moments = [30_000, 59_999, 60_000, 89_999, 90_000, 150_000];
        assert_eq!(accepted(Window::Rolling, &moments), [10, 0, 0, 0, 10, 10]);
        assert_eq!(accepted(Window::Fixed, &moments), [10, 0, 10, 0, 0, 10]);
        assert_eq!(accepted(Window::Bucket, &moments), [10, 4, 1, 4, 1, 10]);
        // Each attempt that was rejected still counts.
        assert_eq!(accepted(Window::Insistent, &moments), [10, 0, 0, 0, 7, 10]);
    }

    #[test]
    fn the_wait_ends_when_the_next_is_accepted() {
        for window in [Window::Rolling, Window::Fixed, Window::Bucket] {
            let mut counted = Counted::default();
            let mut admit = |now: i64| counted.admit(Instant(now), 2, 60_000, window);
            assert_eq!((admit(1_000), admit(2_000)), (Ok(()), Ok(())), "{window:?}");
            let full = admit(3_000).expect_err("two are accepted");
            assert!(
                admit(3_000 + full.wait_ms - 1).is_err() && admit(3_000 + full.wait_ms).is_ok(),
                "{window:?}"
            );
        }
    }
}
