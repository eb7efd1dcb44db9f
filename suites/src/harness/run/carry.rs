//! Runs the body of a check, once or at each place of its requirement.

use std::time::Duration;

use assay_spec::Place;

use crate::harness::check;
use crate::harness::data::{AtPlace, Checked, Failure, Reason, Stop, Verdict};
use crate::harness::judge::verdict::{Decided, decided};
use crate::harness::probe::{Places, Probe};

/// How far the clock moves between two places, in the check's own world.
const BETWEEN: Duration = Duration::from_secs(65);

/// Runs the body of a check: once, or at each place of its requirement. A matrix check ends as it does at the worst place,
/// and places where it cannot run do not count beside others.
pub(crate) async fn carry_out(probe: &Probe<'_>) -> Checked {
    let checked = at_its_places(probe).await;
    probe.leave().await;
    checked
}

async fn at_its_places(probe: &Probe<'_>) -> Checked {
    let check = probe.check;
    let run = match check.run {
        check::Run::Once(run) => return run(probe).await,
        check::Run::Each(run) => run,
    };
    let mut worst: Option<(u8, Checked)> = None;
    let places = match &probe.settings.places {
        Places::All => check.places(probe.owns_time()),
        Places::Shared => check.places(false),
        Places::Only(place) => std::slice::from_ref(place),
    };
    for (n, place) in places.iter().enumerate() {
        if n > 0 && probe.owns_time() {
            // What counts per minute counts at each place alone.
            probe.advance(BETWEEN).await?;
        }
        let (expected, counterparts) = probe.stated();
        let checked = run(probe, *place).await.map_err(|stop| named(stop, *place));
        let (then_expected, then_counterparts) = probe.stated();
        let shown = [then_expected - expected, then_counterparts - counterparts];
        let Decided { verdict, reason, failure } = decided(check, checked.clone(), shown[0], shown[1]);
        let checked = match verdict {
            Verdict::Inconclusive if checked.is_ok() => {
                Err(Stop::Undecided(reason.clone().at(place.to_string())))
            }
            _ => checked,
        };
        probe.note_cell(AtPlace { at: place.to_string(), verdict, reason, failure });
        // Of places where it cannot run, the first says why.
        let severity = verdict.severity().min(Verdict::NotTestable.severity());
        if worst.as_ref().is_none_or(|(known, _)| severity < *known) {
            worst = Some((severity, checked));
        }
    }
    worst.map_or(Ok(()), |(_, checked)| checked)
}

/// How a check ended at a place.
fn named(stop: Stop, place: Place) -> Stop {
    let cell = place.to_string();
    match stop {
        Stop::Fail(failure) => Stop::Fail(Failure { cell, ..failure }),
        Stop::Unmet(why, failure) => Stop::Unmet(why, Failure { cell, ..failure }),
        Stop::Inconclusive(why) => Stop::Undecided(Reason::from(why).at(cell)),
        Stop::Undecided(reason) => Stop::Undecided(reason.at(cell)),
        other => other,
    }
}
