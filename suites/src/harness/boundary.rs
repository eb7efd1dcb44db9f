//! Checks at the boundary of a limit: how much is inside, how much is beyond, and when the window ends. The amounts come
//! from the limit's declaration.

use std::ops::RangeInclusive;
use std::time::Duration;

use assay_spec::Instant;
use assay_spec::instant::DAY;
pub(crate) use assay_spec::limit::Edges;
use assay_spec::limit::{Limit, Unit};

use crate::harness::data::{At, Checked, Stop, Want};
use crate::harness::probe::{Answer, Probe};
use crate::http::exchange::Response;
use crate::support::prose::ordinal;

/// What a check tests: the edges of a limit, and elsewhere than in a world of the check's own more than them.
pub(crate) fn edges(probe: &Probe<'_>, limit: &Limit) -> Edges {
    limit.edges(probe.owns_time())
}

/// How far a time in a response may be from the one that a limit gives.
pub(crate) fn slack_ms(probe: &Probe<'_>, limit: &Limit) -> i64 {
    if probe.owns_time() { 0 } else { limit.slack_ms() }
}

/// Milliseconds as a duration.
pub(crate) const fn ms(ms: i64) -> Duration {
    Duration::from_millis(ms.unsigned_abs())
}

/// Expects that something is inside a limit: its status is none of `rejected`. `what` is such as `a body of 9 bytes`.
pub(crate) fn expect_inside(answer: &Answer<'_>, limit: &Limit, what: &str, rejected: &[u16]) -> Checked {
    let is_accepted = !rejected.contains(&answer.status());
    expect(answer, is_accepted, limit, what, "rejected", Want::none_of(rejected))
}

/// Expects that something is beyond a limit: its status is one of `rejected`.
pub(crate) fn expect_beyond(answer: &Answer<'_>, limit: &Limit, what: &str, rejected: &[u16]) -> Checked {
    expect(answer, rejected.contains(&answer.status()), limit, what, "accepted", Want::one_of(rejected))
}

/// Expects that something is on its side of a limit. `else_was` is what it was if not, such as `accepted`.
pub(crate) fn expect(
    answer: &Answer<'_>,
    holds: bool,
    limit: &Limit,
    what: &str,
    else_was: &str,
    want: Want,
) -> Checked {
    let sentence = format!("{what} was {else_was}; the limit is {}", limit.words());
    // A limit that is wrong is a deviation of its own, whatever else has the same status.
    let at = if holds { At::status() } else { At::from(&sentence) };
    answer.expect(holds, at, want, answer.status().to_string())
}

/// The longest `Retry-After` that is waited for.
const LONGEST_WAIT_S: i64 = 180;

/// The seconds of a `Retry-After`, or those from the response's `Date` to its date.
fn wait_of(response: &Response) -> Option<i64> {
    let after = response.header("retry-after")?.trim();
    let date = |text| httpdate::parse_http_date(text).ok();
    after.parse().ok().or_else(|| {
        let wait = date(after)?.duration_since(date(response.header("date")?)?).unwrap_or_default();
        i64::try_from(wait.as_secs()).ok()
    })
}

/// Waits for the seconds of a rejection's `Retry-After` and one more, and expects that a request is not rejected again. A value
/// above the window is noted.
pub(crate) async fn expect_open_after<'p>(
    probe: &'p Probe<'_>,
    rejected: &Answer<'_>,
    window_ms: i64,
    send: impl AsyncFnOnce() -> Result<Answer<'p>, Stop>,
) -> Checked {
    let Some(seconds) = wait_of(&rejected.response) else { return Ok(()) };
    if seconds.saturating_mul(1_000) > window_ms {
        probe
            .note(format!("Retry-After is {seconds}; the window is {}", Unit::Millisecond.amount(window_ms)));
    }
    if seconds > LONGEST_WAIT_S {
        return Ok(());
    }
    probe.advance(ms((seconds + 1) * 1_000)).await?;
    let answer = send().await?;
    let got = format!("{} {} s after Retry-After: {seconds}", answer.status(), seconds + 1);
    answer.expect(!FULL.contains(&answer.status()), At::status(), Want::none_of(FULL), got)
}

/// The status of a request beyond a limit that is counted.
const FULL: &[u16] = &[429];

/// A limit that is counted within a window, and one use of it.
pub(crate) struct Quota<U> {
    limit: &'static Limit,
    /// The window.
    length: &'static Limit,
    /// The statuses of a use that is inside the limit.
    accepted: &'static [u16],
    /// Uses one, the `n`th.
    use_one: U,
}

impl<'p, U: AsyncFn(i64) -> Result<Answer<'p>, Stop>> Quota<U> {
    /// A limit, the statuses of a use inside it, and a way to use one.
    ///
    /// # Panics
    /// If the limit has no window.
    pub(crate) fn new(limit: &'static Limit, accepted: &'static [u16], use_one: U) -> Quota<U> {
        let (length, _) = limit.window.expect("what is counted has a window");
        Quota { limit, length, accepted, use_one }
    }

    /// Uses as many as the limit allows. Each must be accepted; the first is the valid counterpart.
    pub(crate) async fn fill(&self) -> Checked {
        (self.use_one)(1).await?.counterpart_status(self.accepted)?;
        self.accept(2..=self.limit.inside).await
    }

    /// Uses these, which must be accepted.
    pub(crate) async fn accept(&self, numbers: RangeInclusive<i64>) -> Checked {
        for n in numbers {
            let answer = (self.use_one)(n).await?;
            expect_inside(&answer, self.limit, &self.nth(n, self.length.value), FULL)?;
            answer.given_status(self.accepted)?;
        }
        Ok(())
    }

    /// Uses one more than the limit allows, which must be rejected: after this time since the first.
    pub(crate) async fn overflow(&self, after_ms: i64) -> Result<Answer<'p>, Stop> {
        let n = self.limit.outside;
        let answer = (self.use_one)(n).await?;
        expect_beyond(&answer, self.limit, &self.nth(n, after_ms), FULL)?;
        Ok(answer)
    }

    /// Uses one that must be accepted again, since this time has passed.
    pub(crate) async fn again(&self, after_ms: i64) -> Result<Answer<'p>, Stop> {
        let answer = (self.use_one)(1).await?;
        let what = format!("a {} after {}", self.limit.unit.noun(), Unit::Millisecond.amount(after_ms));
        expect_inside(&answer, self.limit, &what, FULL)?;
        answer.given_status(self.accepted)?;
        Ok(answer)
    }

    /// Uses one until a 429. Without one after twice the limit the check is inconclusive: another one judges the limit.
    pub(crate) async fn exhaust(&self) -> Result<Answer<'p>, Stop> {
        for n in 1..=2 * self.limit.value {
            let answer = (self.use_one)(n).await?;
            if answer.status() == FULL[0] {
                return Ok(answer);
            }
            if n == 1 {
                answer.counterpart_status(self.accepted)?;
            }
            answer.given_status(self.accepted)?;
        }
        let what = format!(
            "{} were accepted: the limit does not hold",
            self.limit.unit.amount(2 * self.limit.value)
        );
        Err(Stop::Inconclusive(what))
    }

    /// Uses as many as are accepted over several windows. Whatever the kind of the window is, there must not be more than
    /// the first accepts in as many windows and one. Other checks judge how many the first accepts.
    pub(crate) async fn expect_rate(&self, probe: &Probe<'_>) -> Checked {
        let Limit { value: length_ms, inside: step_ms, .. } = *self.length;
        let steps = length_ms / (length_ms - step_ms).max(1);
        let start = begin(probe, length_ms).await?;
        let (mut count, mut most) = (0, 2 * self.limit.value);
        for step in 0..=steps {
            start.until(probe, step * step_ms).await?;
            loop {
                let answer = (self.use_one)(count + 1).await?;
                if answer.status() == FULL[0] {
                    break;
                }
                answer.given_status(self.accepted)?;
                count += 1;
                let what = self.nth(count, step * step_ms);
                expect(&answer, count <= most, self.limit, &what, "accepted", Want::one_of(&[429]))?;
            }
            if step == 0 {
                most = count * (steps * step_ms / length_ms + 1);
            }
        }
        Ok(())
    }

    /// `the 31st prepare within 24 h`
    pub(crate) fn nth(&self, n: i64, within_ms: i64) -> String {
        format!(
            "the {} {} within {}",
            ordinal(n),
            self.limit.unit.noun(),
            Unit::Millisecond.amount(within_ms)
        )
    }
}

/// When the uses of a limit begin.
pub(crate) struct Start(Instant);

impl Start {
    /// This moment.
    pub(crate) async fn now(probe: &Probe<'_>) -> Result<Start, Stop> {
        probe.now().await.map(Start)
    }

    /// The time since then.
    pub(crate) async fn elapsed_ms(&self, probe: &Probe<'_>) -> Result<i64, Stop> {
        Ok(probe.now().await? - self.0)
    }

    /// Moves the clock to this time after it.
    pub(crate) async fn until(&self, probe: &Probe<'_>, after_ms: i64) -> Result<(), Stop> {
        let left = after_ms - self.elapsed_ms(probe).await?;
        if left > 0 { probe.advance(ms(left)).await } else { Ok(()) }
    }
}

/// Moves the clock to the beginning of a minute, hour or day in which nothing has counted yet: windows that roll and those
/// of the clock or the calendar then end together.
pub(crate) async fn begin(probe: &Probe<'_>, window_ms: i64) -> Result<Start, Stop> {
    // A day, so that it is also the beginning of longer windows.
    let window_ms = if window_ms < DAY { window_ms } else { DAY };
    let now = probe.now().await?;
    probe.advance(ms(2 * window_ms - now.0.rem_euclid(window_ms))).await?;
    Start::now(probe).await
}
