//! Limits: how much, how often or how long. Each is declared once, in the `limits` module of its service. A server's
//! limits, its checks, the pace of a run and the wrong limits of a proof are read from the declaration.
//!
//! ```
//! use assay_spec::limit::Wrong;
//! use assay_spec::publish::limits::REQUESTS;
//!
//! assert_eq!(REQUESTS.value, 30);
//! // What a check sends at the boundary: the last that must be accepted, the first that must be rejected.
//! assert_eq!((REQUESTS.inside, REQUESTS.outside), (30, 31));
//! let wrong: Wrong = "limit:publish.requests-per-window=31".parse().expect("a wrong value");
//! assert_eq!(wrong.row().to_string(), "publish.exchange.rate-per-ip");
//! // A time is a number of milliseconds, or a duration.
//! let wrong: Wrong = "limit:publish.prepare-lifetime-ms=61s".parse().expect("a wrong value");
//! assert_eq!(wrong.value, 61_000);
//! ```

mod sentence;

use std::fmt;
use std::str::FromStr;

use crate::catalogue::limits;
use crate::instant::{HOUR, MINUTE, SECOND};
use crate::names::did_you_mean;
use crate::{Id, Service, duration};

/// A limit.
#[derive(Debug)]
pub struct Limit {
    /// The service that has it.
    pub service: Service,
    /// Its name in the control API.
    pub name: &'static str,
    /// Its value, in units.
    pub value: i64,
    /// What is counted.
    pub unit: Unit,
    /// What exactly counts, and for whom.
    pub counts: &'static str,
    /// Who states it.
    pub stated: Stated,
    /// The row whose sentence gives the value. `None`: it is this project's choice.
    pub source: Option<Id>,
    /// The largest amount that is inside the limit under every reading.
    pub inside: i64,
    /// The smallest amount that is beyond the limit under every reading.
    pub outside: i64,
    /// Whether an amount that equals the limit is inside, as this project reads it.
    pub is_inclusive: bool,
    /// The row that a smaller value breaks, if any check can see it.
    pub below: Option<Id>,
    /// The row that a larger value breaks, if any check can see it.
    pub above: Option<Id>,
    /// The time within which amounts are counted, and when it begins.
    pub window: Option<(&'static Limit, Window)>,
    /// How far from the edges of a time a check stays that does not own the clock.
    pub slack: Slack,
    /// The reading that leaves a distance between `inside` and `outside`, or why no check sees a wrong value. Empty if the
    /// document is exact.
    pub why: &'static str,
}

/// Who states a limit, and how exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// The document.
    Documented,
    /// The document, with "about".
    About,
    /// The document, as one end of a range.
    Range,
    /// The document, without a number: the value follows from a format that it names.
    Implied,
    /// Nobody: it is this project's choice, and nothing asserts it.
    Own,
}

/// How far from the edges of a time a check stays that does not own the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slack {
    /// A tenth of the time.
    Tenth,
    /// This many milliseconds, which a reading names.
    Read(i64),
}

/// The amounts at the boundary of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edges {
    /// The largest amount that must be inside.
    pub inside: i64,
    /// The smallest amount that must be beyond.
    pub outside: i64,
}

/// When the window of a limit begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// With each amount: a rolling window.
    Rolling,
    /// With each amount, or with the hour or day of the calendar.
    RollingOrCalendar,
    /// As the server likes: rolling, by the clock, or as a bucket that is filled steadily.
    Open,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bits of an address.
    Bit,
    /// Bytes.
    Byte,
    /// Characters.
    Character,
    /// Uploads to the drop.
    Drop,
    /// Elements of a list.
    Element,
    /// Files.
    File,
    /// Milliseconds.
    Millisecond,
    /// Prepares.
    Prepare,
    /// Requests.
    Request,
    /// Runs of a program.
    Run,
    /// Uploads in progress.
    Upload,
}

impl Unit {
    /// One of it, in English.
    pub const fn noun(self) -> &'static str {
        match self {
            Unit::Bit => "bit",
            Unit::Byte => "byte",
            Unit::Character => "character",
            Unit::Drop => "drop",
            Unit::Element => "element",
            Unit::File => "file",
            Unit::Millisecond => "ms",
            Unit::Prepare => "prepare",
            Unit::Request => "request",
            Unit::Run => "run",
            Unit::Upload => "upload",
        }
    }

    /// An amount in English, such as `64 bytes` or `90 s`.
    pub fn amount(self, number: i64) -> String {
        match (self, number) {
            (Unit::Millisecond, ms) => time(ms),
            (_, 1) => format!("1 {}", self.noun()),
            _ => format!("{number} {}s", self.noun()),
        }
    }
}

/// Milliseconds in the largest unit of which they are a whole number; at most hours.
fn time(ms: i64) -> String {
    for (unit, name) in [(HOUR, "h"), (MINUTE, "min"), (SECOND, "s")] {
        if ms % unit == 0 && (ms >= 2 * unit || unit == SECOND || ms == HOUR) {
            return format!("{} {name}", ms / unit);
        }
    }
    if ms > SECOND { format!("{}.{:03} s", ms / SECOND, ms % SECOND) } else { format!("{ms} ms") }
}

impl Limit {
    /// A limit that this project has chosen.
    pub const fn own(
        service: Service,
        name: &'static str,
        value: i64,
        unit: Unit,
        counts: &'static str,
    ) -> Limit {
        Limit {
            service,
            name,
            value,
            unit,
            counts,
            stated: Stated::Own,
            source: None,
            inside: value,
            outside: value + 1,
            is_inclusive: true,
            below: None,
            above: None,
            window: None,
            slack: Slack::Tenth,
            why: "",
        }
    }

    /// A documented limit of sizes or numbers: as many as its value are inside. `row` breaks if the value is another one.
    pub const fn count(
        service: Service,
        name: &'static str,
        value: i64,
        unit: Unit,
        counts: &'static str,
        row: Id,
    ) -> Limit {
        let own = Limit::own(service, name, value, unit, counts);
        Limit { stated: Stated::Documented, source: Some(row), below: Some(row), above: Some(row), ..own }
    }

    /// A documented length of time. No sentence says whether its last instant is inside; `is_inclusive` is one reading.
    pub const fn time(
        service: Service,
        name: &'static str,
        value: i64,
        counts: &'static str,
        is_inclusive: bool,
        row: Id,
    ) -> Limit {
        let count = Limit::count(service, name, value, Unit::Millisecond, counts, row);
        Limit { inside: value - 1, is_inclusive, why: "the last instant is left open", ..count }
    }

    /// The same limit, counted within a window.
    #[must_use]
    pub const fn within(mut self, length: &'static Limit, window: Window) -> Limit {
        self.window = Some((length, window));
        self
    }

    /// The same limit, where a smaller and a larger value break these rows.
    #[must_use]
    pub const fn rows(mut self, below: Option<Id>, above: Option<Id>) -> Limit {
        self.below = below;
        self.above = above;
        self
    }

    /// The same limit, stated in another way.
    #[must_use]
    pub const fn stated(mut self, stated: Stated) -> Limit {
        self.stated = stated;
        self
    }

    /// The same limit with more distance between what is inside and what is beyond.
    #[must_use]
    pub const fn read(mut self, inside: i64, outside: i64, why: &'static str) -> Limit {
        (self.inside, self.outside, self.why) = (inside, outside, why);
        self
    }

    /// The same limit, from whose edges a check that does not own the clock stays this many milliseconds away: the reading
    /// names them.
    #[must_use]
    pub const fn slack(mut self, ms: i64) -> Limit {
        self.slack = Slack::Read(ms);
        self
    }

    /// A documented limit of which no check sees a wrong value, the row that states it, and why.
    pub const fn unseen(
        service: Service,
        name: &'static str,
        value: i64,
        unit: Unit,
        counts: &'static str,
        row: Id,
        why: &'static str,
    ) -> Limit {
        let own = Limit::own(service, name, value, unit, counts);
        Limit { stated: Stated::Documented, source: Some(row), why, ..own }
    }

    /// How far from its value a check stays that does not own the clock, in milliseconds. Sizes and numbers do not depend
    /// on a clock.
    pub const fn slack_ms(&self) -> i64 {
        match (self.unit, self.slack) {
            (Unit::Millisecond, Slack::Tenth) => tenth(self.value),
            (Unit::Millisecond, Slack::Read(ms)) => ms,
            _ => 0,
        }
    }

    /// What a check tests: its edges, which are further apart if the check does not own the clock.
    pub fn edges(&self, owns_clock: bool) -> Edges {
        let slack = if owns_clock { 0 } else { self.slack_ms() };
        Edges { inside: self.inside.min(self.value - slack), outside: self.outside.max(self.value + slack) }
    }

    /// Its value as a length.
    pub const fn usize(&self) -> usize {
        self.value as usize
    }

    /// Its value as a number.
    pub const fn u32(&self) -> u32 {
        self.value as u32
    }

    /// Its value as a number.
    pub const fn u64(&self) -> u64 {
        self.value as u64
    }

    /// Its value in English, such as `30 requests within 60 s`.
    pub fn words(&self) -> String {
        let amount = self.unit.amount(self.value);
        match self.window {
            Some((length, _)) => format!("{amount} within {}", length.unit.amount(length.value)),
            None => amount,
        }
    }

    /// The wrong values that a check must notice: the nearest on each side, and for times also a tenth less and more.
    pub fn wrong(&'static self) -> Vec<Wrong> {
        let (nearest, next) =
            (self.inside - i64::from(self.is_inclusive), self.outside + i64::from(!self.is_inclusive));
        let tenth = if self.unit == Unit::Millisecond { tenth(self.value) } else { 0 };
        let below = [(self.value - tenth).min(nearest), nearest];
        let above = [next, (self.value + tenth).max(next)];
        let side = |row: Option<Id>, values: [i64; 2]| values.into_iter().filter(move |_| row.is_some());
        let mut values: Vec<i64> = side(self.below, below).chain(side(self.above, above)).collect();
        // Nothing would be accepted at all.
        values.retain(|value| *value > 0);
        values.dedup();
        values.into_iter().map(|value| Wrong { limit: self, value }).collect()
    }
}

/// A tenth: the tolerance of a check for a time where it does not own the clock.
pub const fn tenth(ms: i64) -> i64 {
    ms / 10
}

/// The value alone.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// A wrong value of a limit.
#[derive(Clone, Copy, Debug)]
pub struct Wrong {
    /// The limit.
    pub limit: &'static Limit,
    /// Its value.
    pub value: i64,
}

/// The prefix of the name of every wrong limit.
pub const PREFIX: &str = "limit:";

impl Wrong {
    /// The row that it breaks.
    ///
    /// # Panics
    /// If no row breaks: neither [`Limit::wrong`] nor parsing makes such a value.
    pub fn row(&self) -> Id {
        self.broken().expect("a wrong limit breaks a row")
    }

    /// What happens instead: the wrong value, and the right one.
    pub fn about(&self) -> String {
        let Wrong { limit, value } = self;
        format!("{} instead of {}: {}", limit.unit.amount(*value), limit.words(), limit.counts)
    }

    /// Whether the limit is smaller than documented.
    pub const fn is_tighter(&self) -> bool {
        self.value < self.limit.value
    }

    fn broken(&self) -> Option<Id> {
        if self.is_tighter() { self.limit.below } else { self.limit.above }
    }
}

/// `limit:publish.requests-per-window=31`
impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { limit: Limit { service, name, .. }, value } = self;
        f.pad(&format!("{PREFIX}{service}.{}={value}", name.replace('_', "-")))
    }
}

impl FromStr for Wrong {
    type Err = String;

    fn from_str(text: &str) -> Result<Wrong, String> {
        let parts = text.strip_prefix(PREFIX).and_then(|rest| rest.split_once('='));
        let (name, value) = parts.ok_or_else(|| format!("{text:?} is not {PREFIX}SERVICE.NAME=NUMBER"))?;
        let name = name.replace('-', "_");
        let full = |limit: &Limit| format!("{}.{}", limit.service, limit.name);
        let limit = limits().find(|limit| full(limit) == name).ok_or_else(|| {
            let known: Vec<String> = limits().map(|limit| full(limit).replace('_', "-")).collect();
            let near = did_you_mean(&name.replace('_', "-"), known.iter().map(String::as_str));
            format!("{text:?}: no such limit{near}; `assay prove --cells` lists them")
        })?;
        let value = match value.parse() {
            Ok(value) => value,
            Err(_) if limit.unit == Unit::Millisecond => {
                duration::parse(value).map_err(|why| format!("{text:?}: {why}"))?
            }
            Err(_) => return Err(format!("{text:?}: {value:?} is not a number")),
        };
        let wrong = Wrong { limit, value };
        let broken = wrong.broken().filter(|_| value != limit.value && value > 0);
        broken.map(|_| wrong).ok_or_else(|| format!("{text:?}: no row says that this value is wrong"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::instant::DAY;
    use crate::requirement::Evidence;

    #[test]
    fn amounts_are_readable() {
        let times = [1, 999, SECOND, 60 * SECOND, 59_999, 60_001, 10 * MINUTE, HOUR, DAY, DAY - 1];
        let words = times.map(|ms| Unit::Millisecond.amount(ms));
        let wanted =
            ["1 ms", "999 ms", "1 s", "60 s", "59.999 s", "60.001 s", "10 min", "1 h", "24 h", "86399.999 s"];
        assert_eq!(words, wanted);
        assert_eq!([1, 30].map(|count| Unit::Prepare.amount(count)), ["1 prepare", "30 prepares"]);
    }

    #[test]
    fn every_limit_is_declared_once_and_consistently() {
        let mut names = BTreeSet::new();
        for limit in limits() {
            let name = format!("{}.{}", limit.service, limit.name);
            assert!(names.insert(name.clone()), "{name} is declared twice");
            assert!(limit.value > 0 && !limit.counts.is_empty(), "{name}");
            assert!(
                limit.inside < limit.outside && limit.inside <= limit.value && limit.value <= limit.outside,
                "{name}"
            );
            let is_exact = limit.inside == limit.value && limit.outside == limit.value + 1;
            let rows = [limit.below, limit.above];
            if limit.stated == Stated::Own {
                assert_eq!(rows, [None, None], "{name}: nothing judges a limit of our own");
                assert_eq!(limit.source, None, "{name}");
            } else {
                assert_eq!(
                    limit.why.is_empty(),
                    is_exact && rows.iter().all(Option::is_some),
                    "{name}: say why"
                );
            }
            for row in rows.into_iter().flatten() {
                assert_eq!((row.service, row.evidence), (limit.service, Evidence::Check), "{name}");
            }
        }
    }

    #[test]
    fn edges_are_further_apart_where_a_check_does_not_own_the_clock() {
        for limit in limits() {
            let [own, shared] = [true, false].map(|owns_clock| limit.edges(owns_clock));
            assert_eq!(own, Edges { inside: limit.inside, outside: limit.outside });
            let is_time = limit.unit == Unit::Millisecond;
            assert_eq!(limit.slack_ms() > 0, is_time, "{}", limit.name);
            assert!(limit.slack_ms() <= tenth(limit.value), "{}: {:?}", limit.name, limit.slack);
            assert!(shared.inside > 0 && (is_time || shared == own), "{}", limit.name);
        }
    }

    #[test]
    fn wrong_limits_have_names_and_are_wrong() {
        for wrong in limits().flat_map(Limit::wrong) {
            let again: Wrong = wrong.to_string().parse().expect("its own name");
            assert_eq!((again.value, again.row()), (wrong.value, wrong.row()));
            let Limit { inside, outside, is_inclusive, .. } = *wrong.limit;
            let holds = |amount: i64| if is_inclusive { amount <= wrong.value } else { amount < wrong.value };
            assert!(!holds(inside) || holds(outside), "{wrong} is legal");
        }
        for text in
            ["limit:publish.requests-per-window=30", "limit:publish.nothing=3", "limit:drop.files", "x=1"]
        {
            assert!(text.parse::<Wrong>().is_err(), "{text}");
        }
    }
}
