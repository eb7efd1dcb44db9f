//! What a run knows of one site, or of a part of its requests.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::{Observation, SOON, SPAN};

#[derive(Debug, Default)]
pub(super) struct Site {
    /// The requests per minute after a 429.
    pub(super) adapted: Option<u32>,
    /// When the pace was last made slower.
    pub(super) adapted_at: Option<Instant>,
    pub(super) observed: Option<Observation>,
    pub(super) sent: VecDeque<Instant>,
    /// How many requests running checks may still send.
    pub(super) reserved: u32,
    /// Until when the requests so far count, if they were spread evenly.
    pub(super) spread: Option<Instant>,
    pub(super) not_before: Option<Instant>,
    /// How often in a row its `Retry-After` exceeded the longest wait.
    pub(super) turned_away: u32,
    /// Its parts count for it, too: a 429 came below each limit.
    pub(super) is_one: bool,
}

impl Site {
    /// The number of requests in this time before `now`. Requests older than [`SPAN`] are forgotten.
    pub(super) fn sent_within(&mut self, time: Duration, now: Instant) -> usize {
        let age = |sent: &Instant| now.saturating_duration_since(*sent);
        while self.sent.front().is_some_and(|first| age(first) >= SPAN) {
            self.sent.pop_front();
        }
        self.sent.iter().filter(|sent| age(sent) <= time).count()
    }

    /// When to look again, if `room` more requests exceed the limit.
    pub(super) fn full(&mut self, limit: u32, room: u32, now: Instant) -> Option<Instant> {
        let used = self.sent_within(SPAN, now) + self.reserved as usize + room as usize;
        let over = used.checked_sub(limit as usize).filter(|over| *over > 0)?;
        Some(self.sent.get(over - 1).map_or(now + SOON, |sent| *sent + SPAN))
    }

    /// Counts a request.
    pub(super) fn count(&mut self, limit: u32, now: Instant) {
        self.sent.push_back(now);
        self.spread = Some(self.spread.map_or(now, |spread| spread.max(now)) + SPAN / limit);
    }

    /// Counts a request to a site without a limit.
    pub(super) fn count_unlimited(&mut self, now: Instant) {
        self.sent_within(Duration::ZERO, now);
        self.sent.push_back(now);
    }
}
