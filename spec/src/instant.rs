//! Timestamps in milliseconds since the Unix epoch, and their ISO 8601 forms.

use std::fmt;
use std::ops::{Add, Sub};

use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};

/// A point in time, in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Instant(pub i64);

/// One second in milliseconds.
pub const SECOND: i64 = 1000;
/// Sixty seconds.
pub const MINUTE: i64 = 60 * SECOND;
/// Sixty minutes.
pub const HOUR: i64 = 60 * MINUTE;
/// Twenty-four hours.
pub const DAY: i64 = 24 * HOUR;

/// The Unix epoch.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

impl Instant {
    /// Parses exactly `YYYY-MM-DDTHH:mm:ss.sssZ`: the parsed value must print as the same string.
    pub fn parse_exact(text: &str) -> Option<Instant> {
        let instant = Self::parse_iso(text)?;
        (instant.to_string() == text).then_some(instant)
    }

    /// Parses any ISO 8601 timestamp with an offset. Finer fractions are truncated to milliseconds.
    pub fn parse_iso(text: &str) -> Option<Instant> {
        let moment = text.parse::<Timestamp>().ok();
        moment.map(|moment| Instant(moment.as_millisecond())).or_else(|| Self::parse_last_hours(text))
    }

    /// `Timestamp` ends before the last two days of the year 9999, so that every offset fits. UTC times in those days
    /// are parsed as civil times.
    fn parse_last_hours(text: &str) -> Option<Instant> {
        let civil = text.strip_suffix('Z')?.parse::<DateTime>().ok()?;
        let instant = Instant(i64::try_from(civil.duration_since(EPOCH).as_millis()).ok()?);
        (instant.to_string() == text).then_some(instant)
    }

    /// Whole seconds since the epoch, rounded down.
    pub fn seconds(self) -> i64 {
        self.0.div_euclid(SECOND)
    }

    /// The distance to `other` in milliseconds, never negative.
    pub fn distance_ms(self, other: Instant) -> u64 {
        self.0.abs_diff(other.0)
    }
}

/// `YYYY-MM-DDTHH:mm:ss.sssZ`; outside the years 0 to 9999, the number of milliseconds.
impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_millisecond(self.0) {
            Ok(moment) => write!(f, "{moment:.3}"),
            Err(_) => match EPOCH.checked_add(SignedDuration::from_millis(self.0.max(0))) {
                Ok(civil) if self.0 > 0 => write!(f, "{civil:.3}Z"),
                _ => write!(f, "{}", self.0),
            },
        }
    }
}

impl Add<i64> for Instant {
    type Output = Instant;

    fn add(self, ms: i64) -> Instant {
        Instant(self.0.saturating_add(ms))
    }
}

impl Sub<i64> for Instant {
    type Output = Instant;

    fn sub(self, ms: i64) -> Instant {
        Instant(self.0.saturating_sub(ms))
    }
}

impl Sub for Instant {
    type Output = i64;

    fn sub(self, other: Instant) -> i64 {
        self.0.saturating_sub(other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_form_parses_exactly() {
        let exact = "2026-03-04T05:06:07.089Z";
        assert_eq!(Instant::parse_exact(exact).map(|t| t.to_string()).as_deref(), Some(exact));
        for other in [
            "2026-03-04T05:06:07Z",
            "2026-03-04T05:06:07.08Z",
            "2026-03-04T05:06:07.0890Z",
            "2026-03-04T05:06:07.089+00:00",
            "2026-03-04 05:06:07.089Z",
            "2026-03-04t05:06:07.089z",
            "2026-03-04T05:06:60.000Z",
            "2026-02-30T05:06:07.089Z",
            "+010000-01-01T00:00:00.000Z",
            " 2026-03-04T05:06:07.089Z",
            "",
        ] {
            assert_eq!(Instant::parse_exact(other), None, "{other}");
        }
    }

    #[test]
    fn offset_form_gives_the_same_instant() {
        assert_eq!(
            Instant::parse_iso("2026-03-04T07:06:07+02:00"),
            Instant::parse_iso("2026-03-04T05:06:07.000Z")
        );
        assert_eq!(Instant::parse_iso("2026-03-04T05:06:07"), None);
    }
}
