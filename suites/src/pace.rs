//! Pacing: keeps requests and drops within the target's limits, and obeys `Retry-After`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use assay_spec::drop::limits::DROP_HOUR;
use assay_spec::publish::limits::REQUEST_WINDOW;
use tokio::time::Instant;

use crate::exchange::Response;

/// The pace of a run's requests to shared sites.
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
    /// How often in a row its `Retry-After` exceeded the longest wait.
    turned_away: u32,
}

impl Site {
    /// The number of requests in the last minute.
    fn last_minute(&mut self, now: Instant) -> usize {
        while self.sent.front().is_some_and(|first| now.duration_since(*first) > MINUTE) {
            self.sent.pop_front();
        }
        self.sent.len()
    }
}

/// A site's `Retry-After` exceeded the longest wait several times in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Retry-After exceeded {} s three times in a row; no more requests are sent to this site", .0.as_secs())]
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

const MINUTE: Duration = Duration::from_millis(REQUEST_WINDOW.u64());
const HOUR: Duration = Duration::from_millis(DROP_HOUR.u64());
/// The default of the longest wait for a `Retry-After`.
const LONGEST_WAIT: Duration = Duration::from_mins(2);
/// After this many `Retry-After` beyond the longest wait in a row, a site gets no more requests.
const TURNED_AWAY: u32 = 3;

impl Pace {
    /// A pace with a number of requests per minute for each named site.
    pub fn new(per_minute: BTreeMap<String, u32>) -> Pace {
        Pace { per_minute, ..Pace::default() }
    }

    /// The same pace, where requests to some sites count for another: one server behind several names.
    #[must_use]
    pub fn counting_as(mut self, sites: BTreeMap<String, String>) -> Pace {
        self.counted_as = sites;
        self
    }

    /// The same pace, with at most `per_hour` drops an hour.
    #[must_use]
    pub fn with_drops(mut self, per_hour: u32) -> Pace {
        self.drops_per_hour = Some(per_hour);
        self
    }

    /// The same pace, with another longest wait for `Retry-After`.
    #[must_use]
    pub fn waiting_at_most(mut self, longest: Duration) -> Pace {
        self.longest_wait = longest;
        self
    }

    /// The requests per minute to `site`, if limited.
    pub fn per_minute(&self, site: &str) -> Option<u32> {
        self.per_minute.get(self.counted(site)).copied()
    }

    /// The drops per hour, if limited.
    pub const fn drops_per_hour(&self) -> Option<u32> {
        self.drops_per_hour
    }

    /// Counts one more drop; `false` if the hour has no more than `reserved` drops left. The run does not wait for the
    /// next hour.
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

    /// Whether this run has sent as many requests to `site` in the last minute as the limit allows.
    pub fn is_full(&self, site: &str) -> bool {
        let site = self.counted(site);
        let Some(limit) = self.per_minute.get(site) else { return false };
        let mut sites = self.lock();
        let sent = sites.entry(site.to_owned()).or_default().last_minute(Instant::now());
        sent >= *limit as usize
    }

    /// Whether this run has sent as many drops in the last hour as the limit allows.
    pub fn has_no_drop_left(&self) -> bool {
        self.drops_per_hour.is_some_and(|limit| {
            let dropped = self.dropped.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            dropped.len() >= limit as usize
        })
    }

    /// Waits until a request may go to `site` and this minute has room for `room` requests including it (or until the
    /// minute is empty, if `room` exceeds the limit). An error means that the site gets no more requests.
    pub async fn wait(&self, site: &str, room: u32) -> Result<(), TurnedAway> {
        while let Some(until) = self.next(site, room)? {
            tokio::time::sleep_until(until).await;
        }
        Ok(())
    }

    /// Notes a response: a 429 or 503 with `Retry-After` delays the next request.
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

    /// Whether a refused request is sent again: the response says when, and not later than the longest wait.
    pub fn waits_for(&self, response: &Response) -> bool {
        let wait = response.header("retry-after").and_then(|text| retry_after(text.trim(), response));
        response.status == 429 && wait.is_some_and(|wait| wait < self.longest_wait)
    }

    /// When to look again; `None` if a request may go now (it is then counted).
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
        let over = (state.last_minute(now) + (room as usize).clamp(1, limit)).saturating_sub(limit);
        if let Some(last) = over.checked_sub(1) {
            return Ok(state.sent.get(last).map(|last| *last + MINUTE + Duration::from_millis(50)));
        }
        state.sent.push_back(now);
        Ok(None)
    }

    /// The site that requests to `site` count for.
    fn counted<'a>(&'a self, site: &'a str) -> &'a str {
        self.counted_as.get(site).map_or(site, String::as_str)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Site>> {
        self.sites.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The wait of a `Retry-After`: seconds, or a date relative to the response's `Date`.
fn retry_after(text: &str, response: &Response) -> Option<Duration> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit exceeds every wait.
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
    fn retry_after_is_seconds_or_a_date_by_the_targets_clock_and_is_bounded() {
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
            let is_refused = status == 429 && seconds.is_some_and(|seconds| seconds < 120);
            assert_eq!(pace.waits_for(&refused(status, headers)), is_refused, "{status} {headers:?}");
            let until = pace.lock().get("a").and_then(|site| site.not_before);
            let Some(seconds) = seconds else {
                assert!(until.is_none(), "{status} {headers:?}");
                continue;
            };
            let waits = until.expect("a wait").duration_since(before);
            let wanted = Duration::from_secs(seconds);
            assert!(waits >= wanted && waits < wanted + Duration::from_secs(5), "{headers:?}: {waits:?}");
        }
    }

    #[test]
    fn a_site_that_always_says_retry_after_gets_no_more_requests() {
        let pace = Pace::default().waiting_at_most(Duration::ZERO);
        let later = refused(429, &[("retry-after", "3600")]);
        for before in [later.clone(), refused(200, &[]), later.clone(), later.clone()] {
            pace.answered("a", &before);
            assert!(pace.next("a", 1).is_ok(), "a response in between, or too few of these");
        }
        pace.answered("a", &later);
        assert_eq!(pace.next("a", 1), Err(TurnedAway(Duration::ZERO)));
        assert!(pace.next("b", 1).is_ok(), "other sites still get requests");
    }

    #[test]
    fn a_check_starts_when_the_minute_has_room_for_all_its_requests() {
        let pace = Pace::new([("a".to_owned(), 4)].into());
        let goes = |room: u32| pace.next("a", room).expect("the site gets requests").is_none();
        assert!(goes(3), "an empty minute");
        assert!(!goes(4) && goes(2), "three are left");
        assert!(!goes(3) && goes(0), "two are left, and at least one is needed");
        assert!(goes(1) && !goes(1), "none is left");
        let all = |sent: &[u64]| {
            let pace = Pace::new([("a".to_owned(), 2)].into());
            let began = Instant::now();
            let sent = sent.iter().map(|seconds| began + Duration::from_secs(*seconds)).collect();
            pace.lock().insert("a".to_owned(), Site { sent, ..Site::default() });
            let wait =
                pace.next("a", 9).expect("the site gets requests").map(|until| until.duration_since(began));
            wait.map(|wait| wait.as_secs())
        };
        assert_eq!(all(&[]), None, "more requests than a minute allows start in an empty minute");
        assert_eq!(all(&[0]), Some(60));
        assert_eq!(all(&[0, 7]), Some(67), "the last request that is in the way");
    }

    #[test]
    fn run_reaches_the_limit_with_its_own_requests() {
        let pace = Pace::new([("a".to_owned(), 2)].into());
        for is_full in [false, false, true] {
            assert_eq!(pace.is_full("a"), is_full);
            assert!(pace.next("a", 1).is_ok());
        }
        assert!(!pace.is_full("b"), "no limit is declared");
    }

    #[test]
    fn drops_are_counted_and_some_can_be_reserved() {
        let pace = Pace::default().with_drops(3);
        let asked = [2, 2, 1, 1, 0, 0].map(|reserved| pace.drop_one(reserved));
        assert_eq!(asked, [true, false, true, false, true, false]);
        assert!((0..100).all(|_| Pace::default().drop_one(9)), "no limit is known");
    }
}
