//! The verdict for how one check ended.

use std::time::Duration;

use assay_spec::requirement::Level;

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
    let (why, by) = if decided.failure.is_some() && traces.held > MAX_HELD {
        (Why::Held, format!("for {} s", traces.held.as_secs()))
    } else if let Some((why, by)) = excuse {
        (why, by.to_owned())
    } else {
        return decided;
    };
    // The failure stays visible, and its reason says why it shows nothing.
    Decided { verdict: Verdict::Inconclusive, reason: Reason::new(why, by), ..decided }
}

/// The verdict for how a check ended by itself. A pass needs an expectation, and a rejection its valid counterpart.
pub(crate) fn decided(check: &Check, checked: Checked, expected: usize, counterparts: usize) -> Decided {
    match checked {
        Ok(()) if expected == 0 => Decided::new(Verdict::Inconclusive, Reason::of(Why::NoExpectation)),
        Ok(()) if check.refusal.is_some() && counterparts == 0 => {
            Decided::new(Verdict::Inconclusive, Reason::of(Why::NoCounterpart))
        }
        Ok(()) => Decided::default(),
        Err(Stop::Fail(failure)) => {
            let verdict =
                if check.requirement.level == Level::Should { Verdict::Warn } else { Verdict::Fail };
            Decided { failure: Some(failure), ..Decided::new(verdict, Reason::of(Why::Failure)) }
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

/// Why a failure on a shared target shows nothing: this run has reached the declared limit, or the server is unavailable
/// in a documented way.
fn excuse(checked: &Checked, traces: &Traces) -> Option<(Why, &'static str)> {
    let Err(Stop::Fail(failure) | Stop::Unmet(_, failure)) = checked else { return None };
    let at = failure.exchange.filter(|_| !traces.environment.own)?;
    let exchange = traces.exchanges.get(at)?;
    let status = exchange.response.as_ref().ok()?.status;
    match status {
        _ if traces.wanted.contains(&status) => None,
        429 => traces.at_limit.contains(&at).then_some((Why::AtLimit, "")),
        503 => ambient::unavailable(exchange).map(|why| (Why::Unavailable, why)),
        _ => None,
    }
}

/// If pacing or a `Retry-After` delayed a check for longer than this, its locks and tokens may have expired.
const MAX_HELD: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::harness::data::{At, Want};
    use crate::harness::environment::Environment;
    use crate::harness::pace::Pace;
    use crate::harness::probe::Probe;
    use crate::harness::recording::Recorder;
    use crate::services;

    #[test]
    fn a_delayed_check_that_fails_is_inconclusive() {
        let check = services::checks()[0];
        let settings = services::settings();
        let judged = |held: Duration, checked: Checked| {
            let environment = Environment {
                connector: std::sync::Arc::new(crate::rerun::judge::Nowhere),
                sites: BTreeMap::new(),
                control: None,
                own: false,
                forwarding: BTreeMap::new(),
                recorder: Recorder::default(),
            };
            let pace = Pace::default();
            let traces = Traces {
                held,
                expected: 1,
                counterparts: 1,
                ..Probe::new(check, &settings, environment, &pace).finish()
            };
            decide(check, checked, &traces).verdict
        };
        let failed = || Err(Stop::Fail(Failure::new(At::status(), Want::one_of(&[409]), "200", None)));
        assert_eq!(judged(MAX_HELD, failed()), Verdict::Fail);
        let longer = MAX_HELD + Duration::from_millis(1);
        assert_eq!(judged(longer, failed()), Verdict::Inconclusive);
        assert_eq!(judged(longer, Ok(())), Verdict::Pass);
    }
}
