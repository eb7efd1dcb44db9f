//! The verdict for how one check ended.

use std::time::Duration;

use crate::harness::check::Check;
use crate::harness::data::{Checked, Failure, Reason, Stop, Verdict, Why};
use crate::harness::judge::ambient;
use crate::harness::probe::Traces;

/// A verdict, and what it rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decided {
    /// The verdict.
    pub(crate) verdict: Verdict,
    /// Why it is not a pass.
    pub(crate) reason: Reason,
    /// The expectation or precondition that did not hold.
    pub(crate) failure: Option<Failure>,
}

impl Decided {
    fn new(verdict: Verdict, reason: impl Into<Reason>) -> Decided {
        Decided { verdict, reason: reason.into(), failure: None }
    }
}

/// The verdict for how a check ended. Reaching the declared rate limit, or a documented 503, is not a failure.
pub(crate) fn decide(check: &Check, checked: Checked, traces: &Traces) -> Decided {
    let excuse = excuse(&checked, traces);
    let decided = decided(check, checked, traces.expected, traces.counterparts);
    let late = decided.failure.as_ref().and_then(|_| outlived(traces));
    let Some((why, by)) = late.map(|by| (Why::Held, by)).or(excuse) else { return decided };
    // The failure stays visible, and its reason says why it shows nothing.
    Decided { verdict: Verdict::Inconclusive, reason: Reason::new(why, by), ..decided }
}

/// The verdict for how a check ended by itself. A pass needs an expectation, and a rejection its valid counterpart.
pub(crate) fn decided(check: &Check, checked: Checked, expected: usize, counterparts: usize) -> Decided {
    match checked {
        Ok(()) if expected == 0 => Decided::new(Verdict::Inconclusive, Reason::kind(Why::NoExpectation)),
        Ok(()) if check.rejects && counterparts == 0 => {
            Decided::new(Verdict::Inconclusive, Reason::kind(Why::NoCounterpart))
        }
        Ok(()) => Decided::default(),
        Err(Stop::Fail(failure)) => {
            let verdict = Verdict::failed(check.requirement);
            Decided { failure: Some(failure), ..Decided::new(verdict, Reason::kind(Why::Failure)) }
        }
        Err(Stop::Unmet(why, failure)) => {
            Decided { failure: Some(failure), ..Decided::new(Verdict::Inconclusive, why) }
        }
        Err(Stop::Inconclusive(why)) => Decided::new(Verdict::Inconclusive, why),
        Err(Stop::Undecided(reason)) => Decided::new(Verdict::Inconclusive, reason),
        Err(Stop::NotApplicable(why)) => Decided::new(Verdict::NotApplicable, why),
        Err(Stop::NotTestable(why)) => Decided::new(Verdict::NotTestable, why),
        Err(Stop::Error(why)) => Decided::new(Verdict::Error, why),
    }
}

/// Why a failure on a shared target shows nothing: this run has reached the declared limit, the server is unavailable in a
/// documented way, or it names a wait that is too long.
fn excuse(checked: &Checked, traces: &Traces) -> Option<(Why, String)> {
    let Err(Stop::Fail(failure) | Stop::Unmet(_, failure)) = checked else { return None };
    let at = failure.exchange.filter(|_| !traces.environment.own)?;
    let exchange = traces.exchanges.get(at)?;
    let status = exchange.response.as_ref().ok()?.status;
    match status {
        _ if traces.wanted.contains(&status) => None,
        429 if traces.at_limit.contains(&at) => Some((Why::AtLimit, String::new())),
        429 | 503 if traces.put_off.contains_key(&at) => {
            let value = &traces.put_off[&at];
            Some((Why::Unavailable, format!("Retry-After: {value} is too long to wait for")))
        }
        503 => ambient::unavailable(exchange).map(|why| (Why::Unavailable, why.to_owned())),
        _ => None,
    }
}

/// Why a delay may be what failed: what the check makes ends after some time, and without the delay it would not have.
fn outlived(traces: &Traces) -> Option<String> {
    let limit = traces.lifetime?;
    let lives = Duration::from_millis(limit.u64());
    let is_late = traces.took >= lives && traces.took.saturating_sub(traces.held) < lives;
    is_late.then(|| {
        let (name, held) = (limit.name, traces.held.as_secs());
        format!("for {held} s, and {name} is {} s", lives.as_secs())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use assay_spec::Service;
    use assay_spec::requirement::Level;

    use super::*;
    use crate::harness::data::{At, Depth, Want};
    use crate::harness::environment::Environment;
    use crate::harness::pace::Pace;
    use crate::harness::probe::Probe;
    use crate::harness::recording::Recorder;
    use crate::http::exchange::{Exchange, Request, Response};
    use crate::services;

    /// How a check was decided that failed, or passed, with these traces.
    fn judged(check: &'static Check, passes: bool, traced: impl FnOnce(&mut Traces)) -> Decided {
        let settings = services::settings();
        let environment = Environment {
            connector: std::sync::Arc::new(crate::rerun::judge::Nowhere),
            sites: BTreeMap::new(),
            control: None,
            own: false,
            forwarding: BTreeMap::new(),
            recorder: Recorder::default(),
        };
        let pace = Pace::default();
        let mut traces = Probe::new(check, &settings, environment, &pace).finish();
        (traces.expected, traces.counterparts) = (1, 1);
        traced(&mut traces);
        let exchange = traces.exchanges.len().checked_sub(1);
        let failure = Failure::new(At::status(), Want::one_of(&[409]), "200", exchange);
        decide(check, if passes { Ok(()) } else { Err(Stop::Fail(failure)) }, &traces)
    }

    #[test]
    fn a_delay_excuses_only_what_would_not_have_expired_without_it() {
        let red = |check: &Check| match check.requirement.level {
            Level::Should => Verdict::Warn,
            _ => Verdict::Fail,
        };
        let seconds = |held: u64, took: u64| {
            move |traces: &mut Traces| {
                (traces.held, traces.took) = (Duration::from_secs(held), Duration::from_secs(took));
            }
        };
        for check in services::checks() {
            let makes_a_prepare = check.costs().at(Depth::Standard, false).publishes > 0;
            assert!(!makes_a_prepare || check.requirement.service == Service::Publish, "{check:?}");
            // A delay within the 60 seconds of a prepare, a check that is as slow without it, and a delay beyond.
            assert_eq!(judged(check, false, seconds(18, 20)).verdict, red(check), "{check:?}");
            assert_eq!(judged(check, false, seconds(3, 70)).verdict, red(check), "{check:?}");
            let late = judged(check, false, seconds(59, 60));
            let wanted = if makes_a_prepare { Verdict::Inconclusive } else { red(check) };
            assert_eq!(late.verdict, wanted, "{check:?}");
            assert_eq!(late.reason.why == Why::Held, makes_a_prepare, "{check:?}");
            assert_eq!(judged(check, true, seconds(59, 60)).verdict, Verdict::Pass, "{check:?}");
        }
    }

    #[test]
    fn a_wait_that_is_too_long_is_named_and_no_failure() {
        let check = services::checks()[0];
        let answered = |status: u16, put_off: bool| {
            judged(check, false, move |traces| {
                traces.exchanges.push(Exchange {
                    site: "gateway".to_owned(),
                    base: "http://a".to_owned(),
                    request: Request::new("GET", "/"),
                    cut: None,
                    slot: None,
                    response: Ok(Response { status, ..Response::default() }),
                });
                traces.put_off.extend(put_off.then(|| (0, "3600".to_owned())));
            })
        };
        assert_eq!(answered(429, false).verdict, Verdict::Fail);
        let decided = answered(429, true);
        assert_eq!((decided.verdict, decided.reason.why), (Verdict::Inconclusive, Why::Unavailable));
        assert!(decided.reason.said.contains("Retry-After: 3600"), "{decided:?}");
        assert_eq!(answered(503, true).verdict, Verdict::Inconclusive);
        assert_eq!(answered(200, true).verdict, Verdict::Fail);
    }
}
