//! The words of reports for what the harness knows as data: reasons, failures, causes, results.

use super::bounded;
use crate::harness::data::outcome::Account;
use crate::harness::data::reason::Kind;
use crate::harness::data::{Failure, Outcome, Part, Reason, RestsOn, Run, Why};
use crate::harness::judge::cause::{Cause, Deviation, error, plain};
use crate::harness::judge::conclusion::{Concluded, Conclusion, Share, Shortfall, conclude};
use crate::http::exchange::Response;
use crate::profile::FailOn;
use crate::support::prose::{count, or_nothing};

/// What a report lacks that does not keep every exchange.
pub const LEFT_OUT: &str = "leaves out the exchanges of passed checks: run again with --json-full";

/// The note of an outcome whose long bodies were dropped.
pub const BODIES_DROPPED: &str = "long response bodies were dropped, because the run has too many of them";

/// The maximum length of a value in a reason, in characters.
const VALUE: usize = 120;
/// The maximum length of a value in the title of a cause, in characters.
const SHORT: usize = 60;

/// Why the verdict of an outcome is not a pass; empty for a pass.
pub fn reason(outcome: &Outcome) -> String {
    let mut words = because(&outcome.reason, outcome.failure.as_ref());
    if let Some(by) = outcome.seen_by {
        words.push_str(&format!(", in a response to the check of {by}"));
    }
    match &outcome.rests_on {
        Some(RestsOn::Prerequisite(row)) => words = format!("its prerequisite {row} failed; then {words}"),
        Some(RestsOn::Answer(row, kind)) => {
            words.push_str(&format!("; rests on {row}, which failed with {}", of_kind(kind)));
        }
        Some(RestsOn::Base(row)) => words.push_str(&format!("; rests on {row}, which failed")),
        Some(RestsOn::Nothing(kind)) => {
            words.push_str(&format!("; no other check failed with {}", of_kind(kind)));
        }
        Some(RestsOn::NothingAccepted(Kind { method, path, .. })) => {
            words.push_str(&format!("; {method} {path} accepted no request of the run"));
        }
        Some(RestsOn::Silence(_)) | None => {}
    }
    if !outcome.reason.rounds.is_empty() {
        let times: usize = outcome.reason.rounds.values().sum();
        let rounds =
            outcome.reason.rounds.iter().map(|(verdict, count)| format!("{count} {}", verdict.name()));
        words = format!("{} of {times} times; {words}", rounds.collect::<Vec<_>>().join(", "));
    }
    if let Some(known) = &outcome.reason.known {
        words.push_str(&format!(" (known: {known})"));
    }
    words
}

/// `a 500 of GET /b`
fn of_kind(Kind { method, path, status, .. }: &Kind) -> String {
    format!("a {status} of {method} {path}")
}

/// Why a check or one of its places has its verdict, without what it rests on.
pub fn because(reason: &Reason, failure: Option<&Failure>) -> String {
    let Reason { why, said, cell, .. } = reason;
    let failed = || failure.map(expectation).unwrap_or_default();
    let at = |words: String| if cell.is_empty() { words } else { format!("{words} ({cell})") };
    match why {
        Why::Holds => String::new(),
        Why::Failure | Why::Ambient => failed(),
        Why::Said => {
            let cell = failure.map(|failure| failure.cell.as_str()).filter(|cell| !cell.is_empty());
            cell.map_or_else(|| at(said.clone()), |cell| format!("{said} ({cell})"))
        }
        Why::NoExpectation => at("the check stated no expectation".to_owned()),
        Why::NoCounterpart => at("the rejection was seen without its valid counterpart".to_owned()),
        Why::AtLimit => format!("this run has reached the declared rate limit (429): {}", failed()),
        Why::Unavailable => format!("{said}: {}", failed()),
        Why::Held => format!("pacing delayed this check {said}: {}", failed()),
        Why::Silent => at(format!("the target stopped answering: {said}")),
        Why::Unreachable => at(format!("this machine cannot reach {said}")),
        Why::Absent => at(format!("each node of the profile lacks {said}")),
        Why::Open => at(format!("no sentence decides this: {said}")),
        Why::Counterpart => format!("its conforming counterpart failed: {said}"),
        Why::UnexpectedPass => format!("the baseline expects a failure: {said}"),
    }
}

/// `status: wanted 400, got 200`
fn expectation(failure: &Failure) -> String {
    let Failure { want, got, is_precondition, part, .. } = failure;
    match (is_precondition, part) {
        (true, Part::Status) => format!("a precondition failed: status {got} instead of {want}"),
        (true, _) => got.clone(),
        (false, _) => {
            let [want, got] = [want, got].map(|value| bounded(value, VALUE));
            format!("{}: wanted {want}, got {got}", place(failure))
        }
    }
}

/// The place of a failure: `status (prepare transfer)`.
pub fn place(failure: &Failure) -> String {
    let Failure { place, cell, is_precondition, .. } = failure;
    let place = if *is_precondition { format!("precondition: {place}") } else { place.clone() };
    if cell.is_empty() { place } else { format!("{place} ({cell})") }
}

/// What a target says about a request: `exchange 3: ID: why`.
pub fn account(Account { exchange, row, words, .. }: &Account) -> String {
    let exchange = exchange.map(|number| format!("exchange {number}: ")).unwrap_or_default();
    let row = row.map(|row| format!("{row}: ")).unwrap_or_default();
    format!("{exchange}{row}{words}")
}

/// A cause in one sentence: the endpoint, what it returned, and why.
pub fn title(run: &Run, cause: &Cause) -> String {
    let (outcome, exchange) = (cause.outcome(run), cause.exchange(run));
    let others = match cause.places.len() {
        0 | 1 => String::new(),
        2 => " and 1 other endpoint".to_owned(),
        n => format!(" and {} other endpoints", n - 1),
    };
    let response = exchange.map(|exchange| exchange.response.as_ref());
    let said = match response {
        Some(Ok(response)) => returned(outcome, response, &cause.deviation),
        Some(Err(broken)) if broken.has_begun() => format!("got no whole response: {broken}"),
        Some(Err(broken)) => format!("got no response: {broken}"),
        None => without_exchange(outcome),
    };
    let said = plain(outcome, &said);
    cause.places.first().map_or(said.clone(), |place| format!("{place}{others} {said}"))
}

fn returned(outcome: &Outcome, response: &Response, deviation: &Deviation) -> String {
    let status = response.status;
    let error = error(response).map(|error| format!(" {}", short(&error))).unwrap_or_default();
    let returned = format!("returned {status}{error}");
    match deviation {
        Deviation::Explained(_, why) => return format!("{returned}: {}", short(why)),
        Deviation::Unavailable(why) => return format!("returned {status}: {why}"),
        Deviation::Repeated => return format!("{returned}, always in the same bytes"),
        Deviation::NoResponse | Deviation::Failure | Deviation::Reason => {}
    }
    let Some(failure) = &outcome.failure else {
        return if status >= 400 { returned } else { format!("{returned}: {}", short(&reason(outcome))) };
    };
    let (want, got) = (short(&failure.want), short(or_nothing(&failure.got)));
    match failure.part {
        Part::Status => format!("{returned}, wanted {want}"),
        _ if failure.is_precondition => format!("{returned}: {got}"),
        // A status can be wrong for where the request is in relation to a limit.
        _ if failure.got == status.to_string() => format!("{returned}, wanted {want}: {}", failure.place),
        _ => format!("returned {got} at {}, wanted {want}", failure.place),
    }
}

fn without_exchange(outcome: &Outcome) -> String {
    match (&outcome.failure, outcome.reason.why) {
        (_, Why::UnexpectedPass) => {
            "the check passes, but the baseline lists it as a known failure".to_owned()
        }
        (Some(Failure { place, want, got, .. }), _) => {
            format!("{place}: wanted {}, got {}", short(want), short(or_nothing(got)))
        }
        (None, Why::Counterpart) => short(&outcome.reason.said),
        (None, _) => short(&reason(outcome)),
    }
}

/// The first line of a value, bounded for a title.
fn short(text: &str) -> String {
    bounded(text, SHORT)
}

/// The result of a run in words, with what it rests on: `tested part conforms (56 %: 23 of 41), with 2 known failures`.
pub fn result(run: &Run) -> String {
    let concluded = conclude(run);
    let Concluded { conclusion, shortfalls, share, known } = &concluded;
    let Share { tested, of } = share;
    let share = match conclusion {
        Conclusion::TestedPartConforms => format!(" ({} %: {tested} of {of})", share.percent()),
        Conclusion::SelectedChecksPassed if *tested > 0 => format!(" ({tested} of {of})"),
        _ => String::new(),
    };
    let known = match (known, conclusion.exit_code()) {
        (0, _) | (_, 4) => String::new(),
        _ => format!(", with {}", count(*known, "known failure")),
    };
    let why: Vec<String> = shortfalls.iter().map(shortfall).collect();
    let why = if why.is_empty() { String::new() } else { format!(": {}", why.join("; ")) };
    format!("{}{share}{known}{why}", conclusion.name())
}

/// Why a result is not a better one.
pub fn shortfall(why: &Shortfall) -> String {
    match why {
        Shortfall::Baseline => "the baseline does not match the run".to_owned(),
        Shortfall::Partial => "not every check ran".to_owned(),
        Shortfall::EmptyShard => "no check belongs to this shard".to_owned(),
        Shortfall::Nothing => "nothing was checked".to_owned(),
        Shortfall::OnlyWrites => {
            "nothing was checked: every check writes, and the run is --read-only".to_owned()
        }
        Shortfall::Core(service, _) | Shortfall::Coverage(service, ..) => format!("{service}: {}", lack(why)),
        Shortfall::Fixture(key) => format!("the target contradicts {key} of the profile"),
        Shortfall::FailOn(FailOn::Inconclusive) => {
            "a warning or an inconclusive check fails this run (fail_on = \"inconclusive\")".to_owned()
        }
        Shortfall::FailOn(least) => format!("a warning fails this run (fail_on = {:?})", least.name()),
    }
}

/// What a service lacks, without its name.
pub fn lack(why: &Shortfall) -> String {
    match why {
        Shortfall::Core(_, shows) => format!("nothing shows that {shows}"),
        Shortfall::Coverage(_, percent, minimum) => format!("{percent} % tested, the minimum is {minimum} %"),
        other => shortfall(other),
    }
}
