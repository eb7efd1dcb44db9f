//! Pacing: keeps requests and drops within the target's limits, and obeys `Retry-After`.
//!
//! A limit that the profile declares is kept everywhere. Without one, a site at a loopback or private address has no limit
//! until its first 429, and any other site starts at ten requests a second. A 429 halves the pace.

mod retry;
mod site;

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
use site::Site;

/// The pace of a run's requests to shared sites.
#[derive(Debug)]
pub struct Pace {
    per_minute: BTreeMap<String, u32>,
    documented: BTreeMap<String, Documented>,
    /// The sites with a URL, and whether it is that of a loopback or private address.
    near: BTreeMap<String, bool>,
    counted_as: BTreeMap<String, String>,
    /// The sites that a part of the requests belongs to, by the name of the part.
    parts: BTreeMap<&'static str, &'static str>,
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
            parts: BTreeMap::new(),
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

    /// The same pace, where a part of a site's requests has a limit of its own. It counts for the site, too, where the
    /// profile declares a limit of all requests, and after a 429 that no limit explains.
    #[must_use]
    pub fn with_part(
        mut self,
        site: &'static str,
        part: &'static str,
        declared: Option<u32>,
        documented: Documented,
    ) -> Pace {
        self.parts.insert(part, site);
        self.limiting_as(part, declared, Some(documented))
    }

    /// What a request to `class`, a site or a part of its requests, counts for.
    pub fn counted_for<'a>(&'a self, class: &'a str) -> Vec<&'a str> {
        let class = self.counted(class);
        match self.parts.get(class) {
            Some(site) if self.is_one(site) => vec![site, class],
            _ => vec![class],
        }
    }

    /// Whether the requests to a site are counted together.
    pub fn is_one(&self, site: &str) -> bool {
        let site = self.counted(site);
        self.family(site).len() == 1
            || self.per_minute.contains_key(site)
            || self.lock().get(site).is_some_and(|state| state.is_one)
    }

    /// The site that a part belongs to; otherwise `site` itself.
    fn whole<'a>(&'a self, site: &'a str) -> &'a str {
        self.parts.get(site).copied().unwrap_or(site)
    }

    /// A site and its parts, by its own name or that of a part.
    fn family<'a>(&'a self, site: &'a str) -> Vec<&'a str> {
        let whole = self.whole(site);
        let parts = self.parts.iter().filter(|(_, of)| **of == whole);
        parts.map(|(part, _)| *part).chain([whole]).collect()
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
        let named = self.near.keys().chain(self.per_minute.keys()).map(String::as_str);
        let mut sites: Vec<&str> = named.chain(self.parts.keys().copied()).collect();
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

    /// Whether this run has sent as many requests to `site` in the last minute as the limit allows. A target may count all
    /// parts together.
    pub fn is_full(&self, site: &str) -> bool {
        let (site, now) = (self.counted(site), Instant::now());
        let whole = self.whole(site);
        let together = if self.is_one(whole) { vec![whole] } else { self.family(whole) };
        [(site, vec![site]), (whole, together)].into_iter().any(|(limited, counted)| {
            let documented = self.documented.get(limited).map(|known| known.per_minute);
            let limit = self.per_minute.get(limited).copied().or(documented);
            let mut sites = self.lock();
            let mut sent = |site: &str| sites.entry(site.to_owned()).or_default().sent_within(MINUTE, now);
            limit.is_some_and(|limit| counted.into_iter().map(&mut sent).sum::<usize>() >= limit as usize)
        })
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

    /// Notes a 429 to a request that counts for these sites: their pace is halved, or becomes the documented one. Where parts
    /// are counted apart, that ends first.
    pub fn limited<'a>(&self, counted: impl IntoIterator<Item = &'a str>, response: &Response) {
        if response.status != 429 {
            return;
        }
        let (now, is_put_off) = (Instant::now(), self.put_off(response).is_some());
        for site in counted {
            let site = self.counted(site);
            let (first, _) = self.first(site);
            let (documented, family) = (self.documented.get(site), self.family(site));
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
            let is_one = state.is_one;
            match state.adapted.or(first) {
                // What was sent before counts: the documented limits are those of a minute.
                None if documented.is_some() => {
                    for one in family {
                        let known = self.documented.get(one).map(|known| known.per_minute);
                        let state = sites.entry(one.to_owned()).or_default();
                        (state.adapted, state.adapted_at) = (state.adapted.or(known), Some(now));
                    }
                }
                Some(_) if family.len() > 1 && !is_one => {
                    let mut sent = Vec::new();
                    for one in family {
                        let state = sites.entry(one.to_owned()).or_default();
                        sent.extend(&state.sent);
                        (state.is_one, state.adapted_at) = (true, Some(now));
                    }
                    sent.sort_unstable();
                    sites.entry(self.whole(site).to_owned()).or_default().sent = sent.into();
                }
                limit => {
                    let least = SLOWEST.min(first.unwrap_or(SLOWEST));
                    state.adapted = Some((limit.unwrap_or(AT_FIRST) / 2).max(least));
                    state.adapted_at = Some(now);
                    // What was sent before does not count for the new pace: the target says how long it counts.
                    state.sent.clear();
                    state.spread = None;
                }
            }
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
        // A `Retry-After` is for the whole site.
        let whole = sites.entry(self.whole(site).to_owned()).or_default();
        if whole.turned_away >= TURNED_AWAY {
            return Err(TurnedAway(self.longest_wait));
        }
        if let Some(until) = whole.not_before.filter(|until| *until > now) {
            return Ok(Turn::At(until));
        }
        let state = sites.entry(site.to_owned()).or_default();
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
    fn parts_of_a_site_are_counted_apart_until_a_429_that_no_limit_explains() {
        let limit = &assay_spec::network::limits::AUTHENTICATED;
        let of = |per_minute| Documented { limit, per_minute, is_kept_nearby: false };
        let paced = |declared| {
            Pace::default()
                .limiting_as("a", declared, Some(of(3)))
                .with_part("a", "a signed", declared, of(6))
                .reaching([("a".to_owned(), false)])
        };
        let pace = paced(None);
        let sent_at = |class: &str, now: Instant| {
            let takes = |counted: &str| pace.go_on_at(counted, false, now) == Ok(Turn::Now(0));
            pace.counted_for(class).into_iter().all(takes)
        };
        assert_eq!((pace.counted_for("a signed"), pace.is_one("a")), (vec!["a signed"], false));
        let now = Instant::now();
        let turns = (0..7).filter(|_| sent_at("a signed", now)).count();
        assert_eq!((turns, sent_at("a", now)), (6, true), "each has its own limit");
        // The target may count both together.
        assert!(pace.is_full("a") && pace.is_full("a signed"));
        pace.limited(["a signed"], &refused(429, &[]));
        assert_eq!((pace.counted_for("a signed"), pace.is_one("a")), (vec!["a", "a signed"], true));
        assert_eq!((pace.per_minute("a"), pace.per_minute("a signed")), (Some(3), Some(6)), "not slower yet");
        assert!(!sent_at("a", now), "what was sent before counts");
        let later = now + SPAN;
        let turns = (0..7).filter(|_| sent_at("a signed", later)).count();
        assert_eq!((turns, sent_at("a", later)), (3, false), "the limit of all requests");
        assert!(paced(Some(100)).is_one("a"), "the profile declares a limit of all requests");
        assert!(Pace::default().is_one("a"), "it has no parts");
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
