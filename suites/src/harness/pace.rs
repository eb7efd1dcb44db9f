//! Pacing: keeps requests and drops within the target's limits, and obeys `Retry-After`.
//!
//! A limit that the profile declares is kept everywhere. Without one, a site at a loopback or private address has no limit
//! until its first 429, and any other site starts at ten requests a second. A 429 halves the pace.

mod retry;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use assay_spec::Id;
use assay_spec::drop::limits::DROP_HOUR;
use assay_spec::limit::Limit;
use assay_spec::publish::limits::REQUEST_WINDOW;
use tokio::time::Instant;

use crate::http::exchange::{Broken, Response};

use retry::named_wait;
pub use retry::{Retry, Tried};

/// The pace of a run's requests to shared sites.
#[derive(Debug)]
pub struct Pace {
    per_minute: BTreeMap<String, u32>,
    documented: BTreeMap<String, Documented>,
    /// The sites with a URL, and whether it is that of a loopback or private address.
    near: BTreeMap<String, bool>,
    counted_as: BTreeMap<String, String>,
    sites: Mutex<BTreeMap<String, Site>>,
    drops_per_hour: Option<u32>,
    domains: usize,
    has_pending: bool,
    trip: Option<u32>,
    dropped: Mutex<VecDeque<Instant>>,
    longest_wait: Duration,
}

/// A limit that the document states.
#[derive(Clone, Copy, Debug)]
pub struct Documented {
    /// The limit.
    pub limit: &'static Limit,
    /// The requests per minute that keep it.
    pub per_minute: u32,
    /// It is kept at loopback and private addresses from the start: what a wait for the next minute delays may expire.
    pub is_kept_nearby: bool,
}

/// Why a site has its pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The profile declares it.
    Declared,
    /// The document states it.
    Documented,
    /// The site is at a loopback or private address.
    Near,
    /// Nothing is known of the site's limit.
    Unknown,
    /// The site answered with 429.
    Adapted,
}

/// The first 429 of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The site.
    pub site: String,
    /// The row of the limit, if the document states one.
    pub row: Option<Id>,
    /// How many requests were sent within the minute before, with the one that was rejected.
    pub sent: usize,
    /// Its `Retry-After`.
    pub retry_after: Option<String>,
}

impl fmt::Display for Observation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Observation { site, sent, retry_after, .. } = self;
        write!(f, "{site}: the first 429 came at request {sent} within a minute")?;
        match retry_after {
            Some(value) => write!(f, ", with Retry-After: {value}"),
            None => write!(f, ", without Retry-After"),
        }
    }
}

#[derive(Debug, Default)]
struct Site {
    /// The requests per minute after a 429.
    adapted: Option<u32>,
    /// When the pace was last made slower.
    adapted_at: Option<Instant>,
    observed: Option<Observation>,
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

    /// Counts a request where there is no limit.
    fn count_unlimited(&mut self, now: Instant) {
        self.sent_within(Duration::ZERO, now);
        self.sent.push_back(now);
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
            documented: BTreeMap::new(),
            near: BTreeMap::new(),
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
pub const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The requests per minute at first to a site of which no limit is known: ten a second.
const AT_FIRST: u32 = 600;
/// The slowest pace to which 429 responses lead, in requests per minute.
const SLOWEST: u32 = 6;
/// Several 429 responses within this time make the pace slower once: the requests were on their way.
const ONCE_IN: Duration = Duration::from_secs(5);
/// After this many `Retry-After` beyond the longest wait in a row, a site gets no more requests.
const TURNED_AWAY: u32 = 3;

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

    /// The same pace: at most so many requests a minute to a site if the profile declares it, otherwise as documented.
    #[must_use]
    pub fn limiting_as(mut self, site: &str, declared: Option<u32>, documented: Option<Documented>) -> Pace {
        self.per_minute.extend(declared.map(|limit| (site.to_owned(), limit)));
        self.documented.extend(documented.map(|limit| (site.to_owned(), limit)));
        self
    }

    /// The same pace, for these sites. The value says whether a site is at a loopback or private address.
    #[must_use]
    pub fn reaching(mut self, sites: impl IntoIterator<Item = (String, bool)>) -> Pace {
        for (site, is_near) in sites {
            let counted = self.counted(&site).to_owned();
            // Several sites may count for one: all must be near.
            let known = self.near.entry(counted).or_insert(true);
            *known &= is_near;
        }
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
        let site = self.counted(site);
        let adapted = self.lock().get(site).and_then(|state| state.adapted);
        adapted.or_else(|| self.first(site).0)
    }

    /// The sites with their requests per minute, and why. Only sites with a URL or a limit have an entry.
    pub fn reasons(&self) -> Vec<(&str, Option<u32>, Why)> {
        let mut sites: Vec<&str> =
            self.near.keys().chain(self.per_minute.keys()).map(String::as_str).collect();
        sites.sort_unstable();
        sites.dedup();
        let adapted = |site: &str| self.lock().get(site).and_then(|state| state.adapted);
        let of = |site| {
            let known = adapted(site).map(|limit| (Some(limit), Why::Adapted));
            let (limit, why) = known.unwrap_or_else(|| self.first(site));
            (site, limit, why)
        };
        sites.into_iter().map(of).collect()
    }

    /// The first 429 of each site.
    pub fn observations(&self) -> Vec<Observation> {
        self.lock().values().filter_map(|site| site.observed.clone()).collect()
    }

    /// The requests per minute before any 429, and why.
    fn first(&self, site: &str) -> (Option<u32>, Why) {
        if let Some(limit) = self.per_minute.get(site) {
            return (Some(*limit), Why::Declared);
        }
        // A pace of its own, such as that of program runs, is that of a site without a URL.
        let is_near = self.near.get(site).copied().unwrap_or_else(|| self.near.values().all(|near| *near));
        match self.documented.get(site) {
            Some(known) if known.is_kept_nearby || !is_near => (Some(known.per_minute), Why::Documented),
            None if !is_near && self.near.contains_key(site) => (Some(AT_FIRST), Why::Unknown),
            _ => (None, Why::Near),
        }
    }

    /// The longest wait for a `Retry-After`.
    pub const fn longest_wait(&self) -> Duration {
        self.longest_wait
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
        let documented = self.documented.get(site).map(|known| known.per_minute);
        let Some(limit) = self.per_minute.get(site).copied().or(documented) else { return false };
        let mut sites = self.lock();
        let sent = sites.entry(site.to_owned()).or_default().sent_within(MINUTE, Instant::now());
        sent >= limit as usize
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

    /// Notes a response: a 429 or 503 with `Retry-After` delays the next request, unless the wait is longer than the
    /// longest one.
    pub fn answered(&self, site: &str, response: &Response) {
        let wait = named_wait(response);
        let is_rejected = matches!(response.status, 429 | 503);
        let mut sites = self.lock();
        let state = sites.entry(self.counted(site).to_owned()).or_default();
        match wait {
            Some(wait) if wait > self.longest_wait => state.turned_away += 1,
            Some(wait) => state.not_before = Some(Instant::now() + wait),
            None if is_rejected => {}
            None => state.turned_away = 0,
        }
    }

    /// Notes a 429 to a request that counts for these sites: their pace is halved, or becomes the documented one.
    pub fn limited<'a>(&self, counted: impl IntoIterator<Item = &'a str>, response: &Response) {
        if response.status != 429 {
            return;
        }
        let (now, is_put_off) = (Instant::now(), self.put_off(response).is_some());
        for site in counted {
            let site = self.counted(site);
            let (first, _) = self.first(site);
            let documented = self.documented.get(site);
            let mut sites = self.lock();
            let state = sites.entry(site.to_owned()).or_default();
            let sent = state.sent_within(MINUTE, now);
            state.observed.get_or_insert_with(|| Observation {
                site: site.to_owned(),
                row: documented.and_then(|known| known.limit.source.or(known.limit.above)),
                sent,
                retry_after: response.header("retry-after").map(str::to_owned),
            });
            // A wait that is too long is not about the rate.
            if is_put_off || state.adapted_at.is_some_and(|at| now < at + ONCE_IN) {
                continue;
            }
            let next = match (state.adapted.or(first), documented) {
                (None, Some(known)) => known.per_minute,
                (limit, _) => limit.unwrap_or(AT_FIRST) / 2,
            };
            let least = SLOWEST.min(first.unwrap_or(SLOWEST));
            state.adapted = Some(next.max(least));
            state.adapted_at = Some(now);
            // What was sent before does not count for the new pace: the target says how long it counts.
            state.sent.clear();
            state.spread = None;
        }
    }

    /// The wait that a response names, as it is written, if it is longer than the longest one.
    pub fn put_off(&self, response: &Response) -> Option<String> {
        let wait = named_wait(response)?;
        let value = response.header("retry-after").unwrap_or_default().trim();
        (wait > self.longest_wait).then(|| value.to_owned())
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
        let Some(limit) = state.adapted.or_else(|| self.first(site).0) else {
            state.count_unlimited(now);
            return Ok(Turn::Now(0));
        };
        Ok(take(state, limit.max(1)))
    }

    /// The site that requests to `site` count for.
    fn counted<'a>(&'a self, site: &'a str) -> &'a str {
        self.counted_as.get(site).map_or(site, String::as_str)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Site>> {
        self.sites.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
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
            (429, &[("retry-after", "Fri, 01 Jan 2027 00:00:00 GMT"), date], None),
            (429, &[("retry-after", "99999999999999999999999")], None),
            (429, &[("retry-after", "soon")], None),
        ];
        for (status, headers, seconds) in cases {
            let (pace, before) = (Pace::default(), Instant::now());
            pace.answered("a", &refused(status, headers));
            let is_refused = status == 429 && seconds.is_some();
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

    /// The pace of a site, and why, before and after a number of 429 responses.
    fn pace_of(pace: &Pace, rejections: usize) -> (Option<u32>, Why) {
        for _ in 0..rejections {
            pace.limited(["a"], &refused(429, &[]));
            // Responses to what was on its way do not count twice.
            pace.limited(["a"], &refused(429, &[]));
            pace.lock().get_mut("a").expect("it was asked").adapted_at = None;
        }
        let (_, limit, why) = pace.reasons().into_iter().find(|(site, ..)| *site == "a").expect("the site");
        assert_eq!(pace.per_minute("a"), limit);
        (limit, why)
    }

    #[test]
    fn a_pace_follows_the_profile_the_document_and_the_responses() {
        let known = |is_kept_nearby| {
            Some(Documented { limit: &assay_spec::publish::limits::REQUESTS, per_minute: 30, is_kept_nearby })
        };
        let of = |declared, documented, is_near| {
            Pace::default().limiting_as("a", declared, documented).reaching([("a".to_owned(), is_near)])
        };
        let at = |declared, documented, is_near, rejections| {
            pace_of(&of(declared, documented, is_near), rejections)
        };
        // A declared limit is kept everywhere.
        for is_near in [true, false] {
            assert_eq!(at(Some(100), known(true), is_near, 0), (Some(100), Why::Declared));
            assert_eq!(at(Some(100), None, is_near, 1), (Some(50), Why::Adapted));
            assert_eq!(at(None, known(true), is_near, 0), (Some(30), Why::Documented));
        }
        assert_eq!(at(None, None, true, 0), (None, Why::Near));
        assert_eq!(at(None, None, true, 1), (Some(300), Why::Adapted));
        assert_eq!(at(None, None, false, 0), (Some(600), Why::Unknown));
        assert_eq!(at(None, None, false, 1), (Some(300), Why::Adapted));
        assert_eq!(at(None, None, false, 20), (Some(SLOWEST), Why::Adapted));
        assert_eq!(at(Some(4), None, false, 3), (Some(4), Why::Adapted));
        assert_eq!(at(None, known(false), true, 0), (None, Why::Near));
        assert_eq!(at(None, known(false), true, 1), (Some(30), Why::Adapted));
        assert_eq!(at(None, known(false), false, 0), (Some(30), Why::Documented));
        assert_eq!(Pace::default().per_minute("a"), None, "nothing is known of the site");
        let other = of(None, None, false);
        other.limited(["a"], &refused(503, &[]));
        other.limited(["a"], &refused(429, &[("retry-after", "61")]));
        assert_eq!(pace_of(&other, 0), (Some(600), Why::Unknown));
    }

    #[test]
    fn the_first_429_of_a_site_is_observed() {
        let limit = &assay_spec::publish::limits::REQUESTS;
        let documented = Documented { limit, per_minute: 30, is_kept_nearby: false };
        let pace =
            Pace::default().limiting_as("a", None, Some(documented)).reaching([("a".to_owned(), true)]);
        for _ in 0..40 {
            assert_eq!(pace.go_on_at("a", false, Instant::now()), Ok(Turn::Now(0)), "no limit yet");
        }
        assert!(pace.is_full("a"), "more than the documented limit");
        pace.limited(["a"], &refused(429, &[("retry-after", "7")]));
        pace.limited(["a"], &refused(429, &[("retry-after", "9")]));
        let seen = pace.observations();
        assert_eq!(seen.len(), 1);
        assert_eq!((seen[0].sent, seen[0].retry_after.as_deref()), (40, Some("7")));
        assert_eq!(seen[0].row, limit.source.or(limit.above));
        assert_eq!(
            seen[0].to_string(),
            "a: the first 429 came at request 40 within a minute, with Retry-After: 7"
        );
    }

    #[test]
    fn drops_are_counted_and_some_can_be_reserved() {
        let pace = Pace::default().with_drops(3);
        let asked = [2, 2, 1, 1, 0, 0].map(|reserved| pace.drop_one(reserved));
        assert_eq!(asked, [true, false, true, false, true, false]);
        assert!((0..100).all(|_| Pace::default().drop_one(9)), "no limit is known");
    }
}
