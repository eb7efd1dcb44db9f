//! Pacing: keeps requests and drops within the target's limits, and obeys `Retry-After`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use assay_spec::drop::limits::DROP_HOUR;
use assay_spec::publish::limits::REQUEST_WINDOW;
use tokio::time::Instant;

use crate::http::exchange::{Broken, Response};

/// The pace of a run's requests to shared sites.
#[derive(Debug)]
pub struct Pace {
    per_minute: BTreeMap<String, u32>,
    counted_as: BTreeMap<String, String>,
    sites: Mutex<BTreeMap<String, Site>>,
    drops_per_hour: Option<u32>,
    domains: usize,
    has_pending: bool,
    trip: Option<u32>,
    dropped: Mutex<VecDeque<Instant>>,
    longest_wait: Duration,
}

#[derive(Debug, Default)]
struct Site {
    sent: VecDeque<Instant>,
    /// How many requests running checks may still send.
    reserved: u32,
    /// Until when the requests so far count, if they were spread evenly.
    spread: Option<Instant>,
    not_before: Option<Instant>,
    /// How often in a row its `Retry-After` exceeded the longest wait.
    turned_away: u32,
}

impl Site {
    /// The number of requests in this time before `now`. Requests older than [`SPAN`] are forgotten.
    fn sent_within(&mut self, time: Duration, now: Instant) -> usize {
        let age = |sent: &Instant| now.saturating_duration_since(*sent);
        while self.sent.front().is_some_and(|first| age(first) >= SPAN) {
            self.sent.pop_front();
        }
        self.sent.iter().filter(|sent| age(sent) <= time).count()
    }

    /// When to look again, if there is no room for `room` more requests.
    fn full(&mut self, limit: u32, room: u32, now: Instant) -> Option<Instant> {
        let used = self.sent_within(SPAN, now) + self.reserved as usize + room as usize;
        let over = used.checked_sub(limit as usize).filter(|over| *over > 0)?;
        Some(self.sent.get(over - 1).map_or(now + SOON, |sent| *sent + SPAN))
    }

    /// Counts a request.
    fn count(&mut self, limit: u32, now: Instant) {
        self.sent.push_back(now);
        self.spread = Some(self.spread.map_or(now, |spread| spread.max(now)) + SPAN / limit);
    }
}

/// When a request may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// It may go, and so many more are reserved.
    Now(u32),
    /// When to look again.
    At(Instant),
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
            domains: 0,
            has_pending: false,
            trip: None,
            dropped: Mutex::default(),
            longest_wait: LONGEST_WAIT,
        }
    }
}

const MINUTE: Duration = Duration::from_millis(REQUEST_WINDOW.u64());
/// The time in which a run sends what a site allows in a minute: 5 % below the limit, because answers are delayed by
/// different times.
const SPAN: Duration = Duration::from_millis(60_000 * 100 / 95);
/// Checks start evenly over the minute, except that the quota of this time may be used at once.
const AT_ONCE: Duration = Duration::from_secs(10);
/// How soon to look again where another check holds what is left of a quota.
const SOON: Duration = Duration::from_millis(100);
const HOUR: Duration = Duration::from_millis(DROP_HOUR.u64());
/// The default of the longest wait for a `Retry-After`.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_mins(2);
/// After this many `Retry-After` beyond the longest wait in a row, a site gets no more requests.
const TURNED_AWAY: u32 = 3;

/// When a request is sent again: one policy for checks, for surveys and for the clients of the commands.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// How often a request is sent at most if its server gives no answer, or fails.
    pub tries: u32,
    /// How often it is sent again after a 429.
    pub waits: u32,
    /// The pause where the server names no time; it doubles. Without one, the request is sent again only where the
    /// server names a time.
    pub pause: Option<Duration>,
    /// A server that names a time which is not shorter does not get the request again.
    pub longest: Duration,
    /// Whether a result other than a 429 may be better next time.
    pub is_temporary: fn(&Result<Response, Broken>) -> bool,
}

/// How often a request has failed, and how often it was rejected with a 429.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tried {
    failed: u32,
    rejected: u32,
}

impl Retry {
    /// Only after a 429 that names a time, and only once.
    pub(crate) const fn named(longest: Duration) -> Retry {
        Retry { tries: 1, waits: 1, pause: None, longest, is_temporary: |_| false }
    }

    /// After how long a request with this result is sent again; `None` if it is not.
    pub fn again(&self, tried: &mut Tried, result: &Result<Response, Broken>) -> Option<Duration> {
        let named = result.as_ref().ok().and_then(named_wait);
        let pause = if result.as_ref().is_ok_and(|response| response.status == 429) {
            let pause = self.pause_after(*tried);
            tried.rejected += 1;
            (tried.rejected <= self.waits).then_some(pause)
        } else if (self.is_temporary)(result) {
            self.again_after_failure(tried).map(Some)
        } else {
            None
        }?;
        match named {
            Some(named) => Some(named).filter(|named| *named < self.longest),
            None => pause,
        }
    }

    /// As [`Retry::again`], after a failure that is worth another try.
    pub fn again_after_failure(&self, tried: &mut Tried) -> Option<Duration> {
        let pause = self.pause_after(*tried);
        tried.failed += 1;
        pause.filter(|_| tried.failed < self.tries)
    }

    fn pause_after(&self, tried: Tried) -> Option<Duration> {
        let factor = 2_u32.saturating_pow(tried.failed + tried.rejected);
        self.pause.map(|pause| pause.saturating_mul(factor).min(self.longest))
    }
}

impl Pace {
    /// A pace with a number of requests per minute for each named site.
    pub fn new(per_minute: BTreeMap<String, u32>) -> Pace {
        Pace { per_minute, ..Pace::default() }
    }

    /// The same pace, with at most so many requests a minute to a site.
    #[must_use]
    pub fn limiting(mut self, site: &str, per_minute: u32) -> Pace {
        self.per_minute.insert(site.to_owned(), per_minute);
        self
    }

    /// The same pace, where requests to some sites count for another: one server behind several names.
    #[must_use]
    pub fn counting_as(mut self, sites: BTreeMap<String, String>) -> Pace {
        self.counted_as.extend(sites);
        self
    }

    /// The same pace, with at most `per_hour` drops an hour.
    #[must_use]
    pub fn with_drops(mut self, per_hour: u32) -> Pace {
        self.drops_per_hour = Some(per_hour);
        self
    }

    /// The same pace, for a run that may publish with so many domains, and may knock at one with a pending transfer.
    #[must_use]
    pub fn with_domains(self, domains: usize, has_pending: bool) -> Pace {
        Pace { domains, has_pending, ..self }
    }

    /// With how many domains the run may publish.
    pub const fn domains(&self) -> usize {
        self.domains
    }

    /// Whether the run has a domain with a pending transfer.
    pub const fn has_pending(&self) -> bool {
        self.has_pending
    }

    /// The same pace, for a run that may transfer a domain and back, and asks so often whether an accept is confirmed.
    #[must_use]
    pub fn with_trip(self, asks: Option<u32>) -> Pace {
        Pace { trip: asks, ..self }
    }

    /// How often the run asks whether an accept is confirmed, if it may transfer a domain.
    pub const fn trip(&self) -> Option<u32> {
        self.trip
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
        let sent = sites.entry(site.to_owned()).or_default().sent_within(MINUTE, Instant::now());
        sent >= *limit as usize
    }

    /// Whether this run has sent as many drops in the last hour as the limit allows.
    pub fn has_no_drop_left(&self) -> bool {
        self.drops_per_hour.is_some_and(|limit| {
            let dropped = self.dropped.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            dropped.len() >= limit as usize
        })
    }

    /// Waits until the first of `room` requests may go to `site`. The others are reserved, so that no other check sends
    /// them; the number is returned. If `room` exceeds the limit, waits for an empty minute. An error means that the
    /// site gets no more requests.
    pub async fn start(&self, site: &str, room: u32) -> Result<u32, TurnedAway> {
        loop {
            match self.start_at(site, room, Instant::now())? {
                Turn::Now(reserved) => return Ok(reserved),
                Turn::At(until) => tokio::time::sleep_until(until).await,
            }
        }
    }

    /// Waits until one more request of a running check may go to `site`; at once if it is reserved.
    pub async fn go_on(&self, site: &str, is_reserved: bool) -> Result<(), TurnedAway> {
        while let Turn::At(until) = self.go_on_at(site, is_reserved, Instant::now())? {
            tokio::time::sleep_until(until).await;
        }
        Ok(())
    }

    /// Gives back what a check has reserved and not sent.
    pub fn release(&self, site: &str, reserved: u32) {
        let mut sites = self.lock();
        let state = sites.entry(self.counted(site).to_owned()).or_default();
        state.reserved = state.reserved.saturating_sub(reserved);
    }

    /// How long that many requests to `site` take, in seconds, if it has a limit.
    pub fn seconds(&self, site: &str, requests: u64) -> Option<u64> {
        let limit = u64::from(self.per_minute(site)?.max(1));
        let millis = requests.saturating_mul(SPAN.as_millis() as u64) / limit;
        Some(millis.saturating_sub(AT_ONCE.as_millis() as u64) / 1000)
    }

    /// Notes a response: a 429 or 503 with `Retry-After` delays the next request.
    pub fn answered(&self, site: &str, response: &Response) {
        let wait = named_wait(response);
        let mut sites = self.lock();
        let state = sites.entry(self.counted(site).to_owned()).or_default();
        let is_too_long = wait.is_some_and(|wait| wait >= self.longest_wait);
        state.turned_away = if is_too_long { state.turned_away + 1 } else { 0 };
        if let Some(wait) = wait {
            state.not_before = Some(Instant::now() + wait.min(self.longest_wait));
        }
    }

    /// Whether a request with this result is sent again, after the wait that [`Pace::answered`] has noted.
    pub fn sends_again(&self, tried: &mut Tried, result: &Result<Response, Broken>) -> bool {
        Retry::named(self.longest_wait).again(tried, result).is_some()
    }

    /// Whether the first of `room` requests may go at `now`; it is then counted.
    fn start_at(&self, site: &str, room: u32, now: Instant) -> Result<Turn, TurnedAway> {
        self.turn(site, now, |state, limit| {
            let room = room.clamp(1, limit);
            if let Some(spread) = state.spread.filter(|spread| *spread > now + AT_ONCE) {
                return Turn::At(spread - AT_ONCE);
            }
            if let Some(until) = state.full(limit, room, now) {
                return Turn::At(until);
            }
            state.count(limit, now);
            state.reserved += room - 1;
            Turn::Now(room - 1)
        })
    }

    /// Whether one more request of a running check may go at `now`; it is then counted.
    fn go_on_at(&self, site: &str, is_reserved: bool, now: Instant) -> Result<Turn, TurnedAway> {
        self.turn(site, now, |state, limit| {
            if is_reserved {
                state.reserved = state.reserved.saturating_sub(1);
            } else if let Some(until) = state.full(limit, 1, now) {
                return Turn::At(until);
            }
            state.count(limit, now);
            Turn::Now(0)
        })
    }

    fn turn(
        &self,
        site: &str,
        now: Instant,
        take: impl FnOnce(&mut Site, u32) -> Turn,
    ) -> Result<Turn, TurnedAway> {
        let site = self.counted(site);
        let mut sites = self.lock();
        let state = sites.entry(site.to_owned()).or_default();
        if state.turned_away >= TURNED_AWAY {
            return Err(TurnedAway(self.longest_wait));
        }
        if let Some(until) = state.not_before.filter(|until| *until > now) {
            return Ok(Turn::At(until));
        }
        let limit = self.per_minute.get(site);
        Ok(limit.map_or(Turn::Now(0), |limit| take(state, (*limit).max(1))))
    }

    /// The site that requests to `site` count for.
    fn counted<'a>(&'a self, site: &'a str) -> &'a str {
        self.counted_as.get(site).map_or(site, String::as_str)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Site>> {
        self.sites.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The wait in the `Retry-After` of a 429 or 503: seconds, or a date relative to the response's `Date`.
fn named_wait(response: &Response) -> Option<Duration> {
    let text = response.header("retry-after").filter(|_| matches!(response.status, 429 | 503))?.trim();
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
        Response { status, headers: headers.collect(), body: Vec::new().into() }
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
            let again = pace.sends_again(&mut Tried::default(), &Ok(refused(status, headers)));
            assert_eq!(again, is_refused, "{status} {headers:?}");
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
    fn retries_end_and_wait_as_long_as_the_server_says() {
        let is_temporary = |result: &Result<Response, Broken>| {
            result.as_ref().map_or(true, |response| response.status >= 500)
        };
        let (pause, longest) = (Some(Duration::from_secs(1)), Duration::from_mins(1));
        let retry = Retry { tries: 3, waits: 2, pause, longest, is_temporary };
        let waits = |result: Result<Response, Broken>| -> Vec<u64> {
            let mut tried = Tried::default();
            std::iter::from_fn(|| retry.again(&mut tried, &result)).map(|wait| wait.as_secs()).collect()
        };
        assert!(waits(Ok(refused(200, &[]))).is_empty());
        assert_eq!(waits(Ok(refused(500, &[]))), [1, 2]);
        assert_eq!(waits(Err(Broken::Closed("mid-way".to_owned()))), [1, 2]);
        assert_eq!(waits(Ok(refused(429, &[]))), [1, 2]);
        assert_eq!(waits(Ok(refused(429, &[("retry-after", "7")]))), [7, 7]);
        assert_eq!(waits(Ok(refused(503, &[("retry-after", "7")]))), [7, 7]);
        assert_eq!(waits(Ok(refused(500, &[("retry-after", "7")]))), [1, 2]);
        assert!(waits(Ok(refused(429, &[("retry-after", "60")]))).is_empty());
        let mut tried = Tried::default();
        let once = Retry::named(longest);
        assert_eq!(once.again(&mut tried, &Ok(refused(429, &[]))), None);
        let named = refused(429, &[("retry-after", "7")]);
        assert_eq!(once.again(&mut Tried::default(), &Ok(named)), Some(Duration::from_secs(7)));
        assert_eq!(once.again(&mut Tried::default(), &Ok(refused(500, &[]))), None);
    }

    #[test]
    fn a_site_that_always_says_retry_after_gets_no_more_requests() {
        let pace = Pace::default().waiting_at_most(Duration::ZERO);
        let later = refused(429, &[("retry-after", "3600")]);
        for before in [later.clone(), refused(200, &[]), later.clone(), later.clone()] {
            pace.answered("a", &before);
            assert!(
                pace.start_at("a", 1, Instant::now()).is_ok(),
                "a response in between, or too few of these"
            );
        }
        pace.answered("a", &later);
        assert_eq!(pace.start_at("a", 1, Instant::now()), Err(TurnedAway(Duration::ZERO)));
        assert!(pace.start_at("b", 1, Instant::now()).is_ok(), "other sites still get requests");
    }

    /// When each of these checks, which send so many requests at once, starts, in seconds.
    fn starts(limit: u32, checks: &[u32]) -> Vec<f64> {
        let pace = Pace::new([("a".to_owned(), limit)].into());
        let began = Instant::now();
        let mut now = began;
        let mut starts = Vec::new();
        for room in checks {
            let reserved = loop {
                match pace.start_at("a", *room, now).expect("the site gets requests") {
                    Turn::Now(reserved) => break reserved,
                    Turn::At(until) => now = until,
                }
            };
            for _ in 0..reserved {
                assert_eq!(pace.go_on_at("a", true, now), Ok(Turn::Now(0)), "what is reserved goes at once");
            }
            starts.push(now.duration_since(began).as_secs_f64());
        }
        starts
    }

    #[test]
    fn checks_start_evenly_and_below_the_limit() {
        let started = starts(30, &[2; 45]);
        let in_minute = |from: f64| started.iter().filter(|at| (from..from + 60.0).contains(*at)).count() * 2;
        let most = started.iter().map(|at| in_minute(*at)).max();
        assert!(most.is_some_and(|most| (26..=30).contains(&most)), "{most:?} of 30 requests in a minute");
        // A pause makes up for what went at once before.
        let pauses = started.windows(2).map(|pair| pair[1] - pair[0]);
        let longest = pauses.fold(0.0, f64::max);
        assert!(longest < AT_ONCE.as_secs_f64() + 5.0, "a pause of {longest} s: {started:?}");
        let expected = Pace::new([("a".to_owned(), 30)].into()).seconds("a", 90).expect("a limit");
        let last = started.last().copied().unwrap_or_default();
        assert!((last - expected as f64).abs() < 5.0, "the last starts at {last}, not at {expected}");
    }

    #[test]
    fn a_check_larger_than_the_limit_waits_for_an_empty_minute() {
        assert!((starts(4, &[9, 9])[1] - SPAN.as_secs_f64()).abs() < 0.001);
    }

    #[test]
    fn what_a_check_reserves_no_other_check_sends() {
        let pace = Pace::new([("a".to_owned(), 4)].into());
        let now = Instant::now();
        assert_eq!(pace.start_at("a", 4, now), Ok(Turn::Now(3)));
        let is_later = |turn: Result<Turn, TurnedAway>| matches!(turn, Ok(Turn::At(until)) if until > now);
        assert!(is_later(pace.start_at("a", 1, now)) && is_later(pace.go_on_at("a", false, now)));
        pace.release("a", 3);
        assert_eq!(pace.go_on_at("a", false, now), Ok(Turn::Now(0)));
    }

    #[test]
    fn run_reaches_the_limit_with_its_own_requests() {
        let pace = Pace::new([("a".to_owned(), 2)].into());
        for is_full in [false, false, true] {
            assert_eq!(pace.is_full("a"), is_full);
            assert!(pace.go_on_at("a", false, Instant::now()).is_ok());
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
