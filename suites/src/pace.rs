//! Pacing: no more requests and drops than the target's limits allow, and `Retry-After` is honoured.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::exchange::Response;

/// The requests of a run to places that are not its own.
#[derive(Debug)]
pub struct Pace {
    per_minute: BTreeMap<String, u32>,
    counted_as: BTreeMap<String, String>,
    sites: Mutex<BTreeMap<String, Site>>,
    drops_per_hour: Option<u32>,
    dropped: Mutex<VecDeque<Instant>>,
    longest_wait: Duration,
}

#[derive(Debug, Default)]
struct Site {
    sent: VecDeque<Instant>,
    not_before: Option<Instant>,
    /// How often in a row it has asked for more than the longest wait.
    turned_away: u32,
}

/// A site asks for longer than anybody waits, and did so again after each wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it asks again and again to be left alone for more than {} s", .0.as_secs())]
pub struct TurnedAway(Duration);

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            per_minute: BTreeMap::new(),
            counted_as: BTreeMap::new(),
            sites: Mutex::default(),
            drops_per_hour: None,
            dropped: Mutex::default(),
            longest_wait: LONGEST_WAIT,
        }
    }
}

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
/// No `Retry-After` is waited for longer than this, unless it is said otherwise.
const LONGEST_WAIT: Duration = Duration::from_mins(2);
/// A site that asks for more than that so often in a row is asked no more.
const TURNED_AWAY: u32 = 3;

impl Pace {
    /// A pace of so many requests a minute for each site named.
    pub fn new(per_minute: BTreeMap<String, u32>) -> Pace {
        Pace { per_minute, ..Pace::default() }
    }

    /// The same pace, where the requests to some sites count as those to another: one server behind several names.
    #[must_use]
    pub fn counting_as(mut self, sites: BTreeMap<String, String>) -> Pace {
        self.counted_as = sites;
        self
    }

    /// The same pace, with at most so many drops an hour.
    #[must_use]
    pub fn with_drops(mut self, per_hour: u32) -> Pace {
        self.drops_per_hour = Some(per_hour);
        self
    }

    /// The same pace, where no `Retry-After` is waited for longer than this.
    #[must_use]
    pub fn waiting_at_most(mut self, longest: Duration) -> Pace {
        self.longest_wait = longest;
        self
    }

    /// How many requests a minute may go to `site`, where that is known.
    pub fn per_minute(&self, site: &str) -> Option<u32> {
        self.per_minute.get(self.counted(site)).copied()
    }

    /// How many drops an hour there may be, where that is known.
    pub const fn drops_per_hour(&self) -> Option<u32> {
        self.drops_per_hour
    }

    /// Counts one more drop; `false` where the hour has none left, or only so many as `reserved`. Nobody waits an hour
    /// for the next.
    pub fn drop_one(&self, reserved: usize) -> bool {
        let Some(limit) = self.drops_per_hour else { return true };
        let mut dropped = self.dropped.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let now = Instant::now();
        while dropped.front().is_some_and(|first| now.duration_since(*first) > HOUR) {
            dropped.pop_front();
        }
        let has_room = dropped.len() + reserved < limit as usize;
        if has_room {
            dropped.push_back(now);
        }
        has_room
    }

    /// Waits until one more request may go to `site`, with room for `room` in this minute, itself among them, or an empty
    /// minute where that is more than there is room for; an error where none may.
    pub async fn wait(&self, site: &str, room: u32) -> Result<(), TurnedAway> {
        while let Some(until) = self.next(site, room)? {
            tokio::time::sleep_until(until).await;
        }
        Ok(())
    }

    /// Notes an answer: a 429 or a 503 that says when to come back holds the next request back.
    pub fn answered(&self, site: &str, response: &Response) {
        let wait = response.header("retry-after").and_then(|text| retry_after(text.trim(), response));
        let wait = wait.filter(|_| matches!(response.status, 429 | 503));
        let mut sites = self.lock();
        let state = sites.entry(self.counted(site).to_owned()).or_default();
        let is_too_long = wait.is_some_and(|wait| wait >= self.longest_wait);
        state.turned_away = if is_too_long { state.turned_away + 1 } else { 0 };
        if let Some(wait) = wait {
            state.not_before = Some(Instant::now() + wait.min(self.longest_wait));
        }
    }

    /// When to look again; `None` when a request may go, which is then counted.
    fn next(&self, site: &str, room: u32) -> Result<Option<Instant>, TurnedAway> {
        let site = self.counted(site);
        let mut sites = self.lock();
        let state = sites.entry(site.to_owned()).or_default();
        let now = Instant::now();
        if state.turned_away >= TURNED_AWAY {
            return Err(TurnedAway(self.longest_wait));
        }
        if let Some(until) = state.not_before.filter(|until| *until > now) {
            return Ok(Some(until));
        }
        let Some(limit) = self.per_minute.get(site) else { return Ok(None) };
        let limit = (*limit).max(1) as usize;
        while state.sent.front().is_some_and(|first| now.duration_since(*first) > MINUTE) {
            state.sent.pop_front();
        }
        let over = (state.sent.len() + (room as usize).clamp(1, limit)).saturating_sub(limit);
        if let Some(last) = over.checked_sub(1) {
            return Ok(state.sent.get(last).map(|last| *last + MINUTE + Duration::from_millis(50)));
        }
        state.sent.push_back(now);
        Ok(None)
    }

    /// The site as which a site counts.
    fn counted<'a>(&'a self, site: &'a str) -> &'a str {
        self.counted_as.get(site).map_or(site, String::as_str)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Site>> {
        self.sites.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// How long a `Retry-After` asks to wait: seconds, or a date by the clock of the answer that holds it.
fn retry_after(text: &str, response: &Response) -> Option<Duration> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More seconds than fit are more than anybody waits.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    let date = response.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
    Some(until.duration_since(date.unwrap_or_else(std::time::SystemTime::now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, headers: &[(&str, &str)]) -> Response {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
        Response { status, headers: headers.collect(), body: Vec::new() }
    }

    #[test]
    fn a_retry_after_is_seconds_or_a_date_of_the_targets_clock_and_waited_for_in_bounds() {
        type Headers<'h> = &'h [(&'h str, &'h str)];
        let date = ("date", "Thu, 01 Jan 2026 00:00:00 GMT");
        let cases: [(u16, Headers, Option<u64>); 9] = [
            (429, &[("retry-after", "7")], Some(7)),
            (503, &[("retry-after", "7")], Some(7)),
            (500, &[("retry-after", "7")], None),
            (429, &[("retry-after", "Thu, 01 Jan 2026 00:00:09 GMT"), date], Some(9)),
            (503, &[("retry-after", "Thu, 01 Jan 2026 00:00:09 GMT"), date], Some(9)),
            (429, &[("retry-after", "Wed, 31 Dec 2025 00:00:00 GMT"), date], Some(0)),
            (429, &[("retry-after", "Fri, 01 Jan 2027 00:00:00 GMT"), date], Some(120)),
            (429, &[("retry-after", "99999999999999999999999")], Some(120)),
            (429, &[("retry-after", "soon")], None),
        ];
        for (status, headers, seconds) in cases {
            let (pace, before) = (Pace::default(), Instant::now());
            pace.answered("a", &refused(status, headers));
            let until = pace.lock().get("a").and_then(|site| site.not_before);
            let Some(seconds) = seconds else {
                assert!(until.is_none(), "{status} {headers:?}");
                continue;
            };
            let waits = until.expect("it is waited for").duration_since(before);
            let wanted = Duration::from_secs(seconds);
            assert!(waits >= wanted && waits < wanted + Duration::from_secs(5), "{headers:?}: {waits:?}");
        }
    }

    #[test]
    fn a_site_that_turns_everybody_away_is_asked_no_more() {
        let pace = Pace::default().waiting_at_most(Duration::ZERO);
        let later = refused(429, &[("retry-after", "3600")]);
        for before in [later.clone(), refused(200, &[]), later.clone(), later.clone()] {
            pace.answered("a", &before);
            assert!(pace.next("a", 1).is_ok(), "an answer in between, or too few of these");
        }
        pace.answered("a", &later);
        assert_eq!(pace.next("a", 1), Err(TurnedAway(Duration::ZERO)));
        assert!(pace.next("b", 1).is_ok(), "others are asked");
    }

    #[test]
    fn a_check_begins_where_its_minute_has_room_for_all_of_it() {
        let pace = Pace::new([("a".to_owned(), 4)].into());
        let goes = |room: u32| pace.next("a", room).expect("it may be asked").is_none();
        assert!(goes(3), "an empty minute");
        assert!(!goes(4) && goes(2), "three are left");
        assert!(!goes(3) && goes(0), "two are left, and one is wanted at least");
        assert!(goes(1) && !goes(1), "none is left");
        let all = |sent: &[u64]| {
            let pace = Pace::new([("a".to_owned(), 2)].into());
            let began = Instant::now();
            let sent = sent.iter().map(|seconds| began + Duration::from_secs(*seconds)).collect();
            pace.lock().insert("a".to_owned(), Site { sent, ..Site::default() });
            let wait = pace.next("a", 9).expect("it may be asked").map(|until| until.duration_since(began));
            wait.map(|wait| wait.as_secs())
        };
        assert_eq!(all(&[]), None, "more than a minute has room for begins with an empty one");
        assert_eq!(all(&[0]), Some(60));
        assert_eq!(all(&[0, 7]), Some(67), "the last of those that are in the way");
    }

    #[test]
    fn drops_are_counted_and_some_can_be_reserved() {
        let pace = Pace::default().with_drops(3);
        let asked = [2, 2, 1, 1, 0, 0].map(|reserved| pace.drop_one(reserved));
        assert_eq!(asked, [true, false, true, false, true, false]);
        assert!((0..100).all(|_| Pace::default().drop_one(9)), "no limit is known");
    }
}
