//! Causes: the outcomes of a run that did not pass, grouped by what they have in common.
//!
//! A cause is found from the first exchange that deviates: the target's own reason for it, a connection that gave no
//! response, a documented 503, a response that several endpoints repeat, the status with the error in the body, or the
//! place of the difference. An outcome that rests on another row belongs to the cause of that row.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::requirement::{Level, Subject};
use assay_spec::{Id, catalogue};

use crate::documents::endpoints;
use crate::harness::ambient;
use crate::harness::verdict::{Failure, Outcome, Run, Verdict};
use crate::http::exchange::{Exchange, Response};
use crate::support::prose::or_nothing;

/// What several outcomes have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// One sentence: the endpoint, what it returned, and why.
    pub title: String,
    /// The most severe verdict of its outcomes.
    pub verdict: Verdict,
    /// The row that it breaks: the one that the target names if it demands anything, otherwise the row of the first outcome.
    pub row: Id,
    /// Index of the outcome that shows it best, among the outcomes of the run.
    pub first: usize,
    /// Index of the deviating exchange, among the exchanges of that outcome.
    pub exchange: Option<usize>,
    /// Indexes of all its outcomes, in order.
    pub outcomes: Vec<usize>,
}

impl Cause {
    /// The outcome that shows it best.
    pub fn outcome<'run>(&self, run: &'run Run) -> &'run Outcome {
        &run.outcomes[self.first]
    }

    /// The deviating exchange.
    pub fn exchange<'run>(&self, run: &'run Run) -> Option<&'run Exchange> {
        self.exchange.and_then(|at| self.outcome(run).exchanges.get(at))
    }
}

/// The maximum length of a value in a title, in characters.
const VALUE: usize = 60;
/// A response that deviates at this many endpoints in the same bytes is one cause.
const REPEATED: usize = 3;

/// The start of the reason of a client whose counterpart failed.
pub(crate) const COUNTERPART: &str = "its conforming counterpart failed: ";

/// How one outcome deviates.
struct Deviation {
    /// Equal for outcomes of one cause.
    key: String,
    /// Method and path of the deviating exchange.
    place: Option<String>,
    /// What happened there, or the reason.
    said: String,
    /// The row that the target's own reason names.
    row: Option<Id>,
}

/// The causes of every outcome that is neither a pass nor untested: the most severe first, then the largest.
pub fn causes(run: &Run) -> Vec<Cause> {
    let repeated = repeated(run);
    let shown = run.outcomes.iter().enumerate().filter(|(_, one)| one.verdict.needs_attention());
    let found: BTreeMap<usize, Deviation> = shown.map(|(n, one)| (n, deviation(one, &repeated))).collect();
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &n in found.keys() {
        groups.entry(&found[&root(run, &found, n)].key).or_default().push(n);
    }
    let mut causes: Vec<Cause> =
        groups.into_iter().map(|(key, outcomes)| cause(run, &found, key, outcomes)).collect();
    causes.sort_by_key(|one| (one.verdict.severity(), usize::MAX - one.outcomes.len(), one.first));
    causes
}

fn cause(run: &Run, found: &BTreeMap<usize, Deviation>, key: &str, outcomes: Vec<usize>) -> Cause {
    // Outcomes that rest on another row do not show the cause themselves.
    let showing = || outcomes.iter().copied().filter(|n| found[n].key == key);
    let severity = |n: &usize| (run.outcomes[*n].verdict.severity(), *n);
    let first = showing().min_by_key(severity).expect("a key comes from one of its outcomes");
    let Deviation { place, said, row, .. } = &found[&first];
    let places: BTreeSet<&String> = showing().filter_map(|n| found[&n].place.as_ref()).collect();
    let others = match places.len() {
        0 | 1 => String::new(),
        2 => " and 1 other endpoint".to_owned(),
        n => format!(" and {} other endpoints", n - 1),
    };
    let title = match place {
        Some(place) => format!("{place}{others} {said}"),
        None => said.clone(),
    };
    let verdicts = outcomes.iter().map(|&n| run.outcomes[n].verdict);
    Cause {
        title,
        verdict: verdicts.min_by_key(|verdict| verdict.severity()).expect("a cause has outcomes"),
        row: row.filter(|row| row.level != Level::May).unwrap_or(run.outcomes[first].requirement),
        first,
        exchange: at(&run.outcomes[first]),
        outcomes,
    }
}

/// The outcome that an outcome rests on, over any number of steps.
fn root(run: &Run, found: &BTreeMap<usize, Deviation>, n: usize) -> usize {
    let (mut at, mut seen) = (n, BTreeSet::new());
    while seen.insert(at) {
        let owner = owner(&run.outcomes[at]);
        let next = owner.and_then(|row| found.keys().find(|&&one| run.outcomes[one].requirement == row));
        let Some(&next) = next else { break };
        at = next;
    }
    at
}

/// The row that an inconclusive outcome rests on: a prerequisite, or the row that its reason names.
fn owner(outcome: &Outcome) -> Option<Id> {
    if outcome.verdict != Verdict::Inconclusive {
        return None;
    }
    let named = |mark: &str| {
        let rest = outcome.reason.split(mark).nth(1)?;
        catalogue::requirement(rest.split([',', ';', ' ']).next().unwrap_or_default())
    };
    let named = named("prerequisite ").or_else(|| named("rests on "));
    named.filter(|row| *row != outcome.requirement)
}

/// The deviating exchange: that of the failed expectation, otherwise the last one of an outcome without a result.
fn at(outcome: &Outcome) -> Option<usize> {
    match &outcome.failure {
        Some(failure) => failure.exchange,
        None if outcome.verdict == Verdict::Inconclusive => outcome.exchanges.len().checked_sub(1),
        None => None,
    }
}

fn deviating(outcome: &Outcome) -> Option<&Exchange> {
    at(outcome).and_then(|at| outcome.exchanges.get(at))
}

/// The responses that deviate in the same bytes at several endpoints.
fn repeated(run: &Run) -> BTreeSet<(u16, &[u8])> {
    let mut places: BTreeMap<(u16, &[u8]), BTreeSet<String>> = BTreeMap::new();
    for exchange in run.outcomes.iter().filter(|one| one.verdict.needs_attention()).filter_map(deviating) {
        if let Ok(Response { status, body, .. }) = &exchange.response
            && !body.is_empty()
        {
            places.entry((*status, body)).or_default().insert(endpoints::name(exchange));
        }
    }
    places.into_iter().filter(|(_, places)| places.len() >= REPEATED).map(|(key, _)| key).collect()
}

fn deviation(outcome: &Outcome, repeated: &BTreeSet<(u16, &[u8])>) -> Deviation {
    let with = |key: String, place, said| Deviation { key, place, said, row: None };
    // A client is judged by what it sends.
    let is_client = outcome.requirement.subject == Subject::Client;
    let is_about_response = outcome.verdict != Verdict::UnexpectedPass && !is_client;
    let Some(exchange) = deviating(outcome).filter(|_| is_about_response) else {
        return without_exchange(outcome);
    };
    let (site, place) = (&exchange.site, endpoints::name(exchange));
    let response = match &exchange.response {
        Ok(response) => response,
        Err(broken) => {
            let said = format!("got no response: {broken}");
            return with(format!("{site} {}", shape(&said)), Some(place), said);
        }
    };
    let status = response.status;
    let returned = format!("returned {status}{}", error(response));
    if let Some((row, why)) = refusal(outcome, response) {
        let said = format!("{returned}: {}", short(why));
        return Deviation { row: Some(row), ..with(format!("{site} {row} {status}"), Some(place), said) };
    }
    if let Some(why) = ambient::unavailable(exchange) {
        let why = why.split(" (").next().unwrap_or(why);
        return with(format!("{site} {why}"), Some(place), format!("{returned}: {why}"));
    }
    if repeated.contains(&(status, &response.body)) {
        let key = format!("{site} {returned} {:?}", response.body);
        return with(key, Some(place), format!("{returned}, always in the same bytes"));
    }
    let Some(failure) = &outcome.failure else {
        let (key, said) = if status >= 400 {
            (format!("{site} {place} {}", shape(&returned)), returned)
        } else {
            (
                format!("{site} {place} {}", shape(&outcome.reason)),
                format!("{returned}: {}", short(&outcome.reason)),
            )
        };
        return with(key, Some(place), said);
    };
    let (want, got) = (short(&failure.want), short(or_nothing(&failure.got)));
    if !failure.place.starts_with("status") {
        // Some values name their place.
        let place_of =
            if got.contains(&failure.place) { String::new() } else { format!(" at {}", failure.place) };
        // A status can be wrong for where the request is in relation to a limit.
        let said = if failure.got == status.to_string() {
            format!("{returned}, wanted {want}: {}", failure.place)
        } else {
            format!("returned {got}{place_of}, wanted {want}")
        };
        // A wrong header is often the same at every endpoint.
        let scope = if failure.place.starts_with("header ") { "" } else { place.as_str() };
        return with(format!("{site} {scope} {}", shape(&failure.place)), Some(place), said);
    }
    let wanted: Option<u16> = failure.want.parse().ok();
    let said = format!("{returned}, wanted {want}");
    let key = match wanted {
        // The rejection has another status than it should have.
        Some(400..) if matches!(status, 400..=499) => format!("{site} {place} {status} for {want}"),
        // Access is not checked.
        Some(401..=403) => format!("{site} {status} for {want}"),
        // Each rule that is not applied is a cause of its own.
        _ if status < 400 => format!("{site} {}", outcome.requirement),
        _ => format!("{site} {place} {}", shape(&returned)),
    };
    with(key, Some(place), said)
}

fn without_exchange(outcome: &Outcome) -> Deviation {
    let (key, said) = match (&outcome.failure, outcome.verdict) {
        (_, Verdict::UnexpectedPass) => {
            let said = "the check passes, but the baseline lists it as a known failure";
            (said.to_owned(), said.to_owned())
        }
        (Some(Failure { place, want, got, .. }), _) => {
            let said = format!("{place}: wanted {}, got {}", short(want), short(or_nothing(got)));
            // A client is one cause where it does the same, whatever it should do.
            let client = outcome.requirement.subject == Subject::Client;
            let key = format!("{place} {got}");
            (if client { shape(&key) } else { format!("{} {}", outcome.requirement, shape(place)) }, said)
        }
        (None, _) => {
            // The counterpart ended in the same way as the world of its own.
            let said = outcome.reason.split(COUNTERPART).last().unwrap_or_default();
            (shape(said), short(said))
        }
    };
    Deviation { key, place: None, said, row: None }
}

/// The target's own reason for the deviating rejection: `exchange 3: ID: why`. Its numbers count other exchanges, too, so
/// reasons and rejections are counted from the end.
fn refusal<'one>(outcome: &'one Outcome, response: &Response) -> Option<(Id, &'one str)> {
    let is_rejected = |one: &&Exchange| one.response.as_ref().is_ok_and(|response| response.status >= 400);
    let later = outcome.exchanges.get(at(outcome)? + 1..)?.iter().filter(is_rejected).count();
    // Where a header or the body deviates, the rejection itself may be right.
    let is_about_status = outcome.failure.as_ref().is_none_or(|failure| failure.place.contains("status"));
    // The simulator also logs what it accepts under a deviation.
    let mut lines = outcome.why.iter().rev().filter(|line| !line.contains(": switched off, so accepted"));
    let line = lines.nth(later).filter(|_| is_about_status && response.status >= 400)?;
    let mut parts = line.splitn(3, ": ");
    parts.next().filter(|part| part.starts_with("exchange "))?;
    let row = catalogue::requirement(parts.next()?)?;
    Some((row, parts.next()?))
}

/// The error that a body names, or else its media type; empty for a success.
fn error(response: &Response) -> String {
    if response.status < 400 {
        return String::new();
    }
    let body = response.json().unwrap_or_default();
    let members = ["error", "detail", "message", "code"].map(|name| &body[name]);
    let member = members.into_iter().chain([&body["error"]["message"]]).find_map(|value| value.as_str());
    let media =
        || response.header("content-type").map(|value| value.split(';').next().unwrap_or(value).trim());
    match member.or_else(|| body.is_null().then(media).flatten()) {
        Some(text) if !text.is_empty() => format!(" {}", short(text)),
        _ => String::new(),
    }
}

/// The first line of a value, bounded.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(VALUE) {
        Some((at, _)) => format!("{}\u{2026}", &line[..at]),
        None if line.len() < text.trim_end().len() => format!("{line}\u{2026}"),
        None => line.to_owned(),
    }
}

/// The text without its values: a word with a digit or of more than 24 characters is a value.
fn shape(text: &str) -> String {
    let words =
        text.split(|c: char| c.is_whitespace() || "/:,;\"'()[]".contains(c)).filter(|word| !word.is_empty());
    let plain = words.map(|word| {
        let is_value = word.len() > 24 || word.bytes().any(|byte| byte.is_ascii_digit());
        if is_value { "#" } else { word }
    });
    plain.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::check::Check;
    use crate::http::exchange::{Broken, Request};
    use crate::services;
    use crate::services::SUITES;

    const STANDBY: &str = r#"{"error":"not-primary","reason":"another node"}"#;

    fn to(site: &str, method: &str, target: &str, response: Result<(u16, &str), Broken>) -> Exchange {
        let response = response.map(|(status, body)| {
            let headers = vec![("content-type".to_owned(), b"application/json".to_vec())];
            Response { status, headers, body: body.to_owned().into() }
        });
        let (base, request) = ("http://a".to_owned(), Request::new(method, target));
        Exchange { site: site.to_owned(), base, request, cut: None, slot: None, response }
    }

    fn failed(check: &Check, exchange: Exchange, place: &str, want: &str, got: &str) -> Outcome {
        let (place, want, got) = (place.to_owned(), want.to_owned(), got.to_owned());
        Outcome {
            failure: Some(Failure { place, want, got, exchange: Some(0) }),
            exchanges: vec![exchange],
            ..Outcome::new(check.requirement, check.fact, Verdict::Fail, "it failed".to_owned())
        }
    }

    fn status(check: &Check, exchange: Exchange, want: &str) -> Outcome {
        let got = exchange
            .response
            .as_ref()
            .map_or_else(ToString::to_string, |response| response.status.to_string());
        failed(check, exchange, "status", want, &got)
    }

    /// Title, verdict, and the number of the outcomes of each cause.
    fn found(outcomes: Vec<Outcome>) -> Vec<(String, Verdict, usize)> {
        let run = Run { outcomes, ..Run::new(SUITES) };
        causes(&run).into_iter().map(|one| (one.title, one.verdict, one.outcomes.len())).collect()
    }

    #[test]
    fn a_standby_is_one_cause() {
        let all = services::checks();
        let prepare = || to("publish", "POST", crate::services::publish::PREPARE, Ok((503, STANDBY)));
        let submit = || to("publish", "POST", crate::services::publish::SUBMIT, Ok((503, STANDBY)));
        let excused = "the node is a standby (503 not-primary): status: wanted 200, got 503";
        let inconclusive = Outcome {
            verdict: Verdict::Inconclusive,
            reason: excused.to_owned(),
            ..status(all[1], submit(), "200")
        };
        let rests = |row: Id| Outcome {
            exchanges: vec![to("publish", "GET", "/else", Ok((200, "{}")))],
            ..Outcome::new(
                all[2].requirement,
                all[2].fact,
                Verdict::Inconclusive,
                format!("a precondition; rests on {row}, which failed"),
            )
        };
        let title = format!(
            "POST {} and 1 other endpoint returned 503 not-primary: the node is a standby",
            crate::services::publish::PREPARE
        );
        let outcomes = vec![status(all[0], prepare(), "200"), inconclusive, rests(all[0].requirement)];
        assert_eq!(found(outcomes.clone()), [(title, Verdict::Fail, 3)]);
        // The target's own reason names the row.
        let standby = catalogue::requirement("publish.exchange.standby").expect("a row");
        let mut explained = outcomes;
        for one in &mut explained {
            one.why = vec![format!("exchange 7: {standby}: another node: is the primary")];
        }
        let run = Run { outcomes: explained, ..Run::new(SUITES) };
        let [cause] = &causes(&run)[..] else { panic!("one cause") };
        assert_eq!(
            (cause.row, cause.first, cause.exchange, &cause.outcomes[..]),
            (standby, 0, Some(0), &[0, 1, 2][..])
        );
        assert!(
            cause.title.ends_with("returned 503 not-primary: another node: is the primary"),
            "{}",
            cause.title
        );
    }

    #[test]
    fn different_deviations_are_different_causes() {
        let all = services::checks();
        let at = |target: &str, status, body: &str| to("drop", "POST", target, Ok((status, body)));
        let causes = found(vec![
            // Two rules that are not applied at one endpoint.
            status(all[0], at("/api/drop", 200, "{}"), "409"),
            status(all[1], at("/api/drop", 200, "{}"), "400"),
            // A limit that is too low.
            failed(all[14], at("/api/drop", 429, "{}"), "a body of 9 bytes was rejected", "not 429", "429"),
            // One wrong status of rejections, whatever the text.
            status(all[2], at("/api/drop", 422, r#"{"error":"a"}"#), "400"),
            status(all[3], at("/api/drop", 422, r#"{"error":"b"}"#), "400"),
            // One member with a wrong value.
            failed(all[4], at("/api/drop", 200, "{}"), "/list/0/at", "ms", "1"),
            failed(all[5], at("/api/drop", 200, "{}"), "/list/7/at", "ms", "2"),
            // Access that is not checked.
            status(all[6], at("/a", 200, "1"), "401"),
            status(all[7], at("/b", 200, "2"), "401"),
            // Errors of the server.
            status(all[8], at("/c", 500, r#"{"error":"code 12 at line 8"}"#), "200"),
            status(all[9], at("/c", 500, r#"{"error":"code 13 at line 9"}"#), "400"),
            // Connections without a response.
            status(all[10], to("drop", "GET", "/d", Err(Broken::TimedOut(15))), "200"),
            status(all[11], to("drop", "GET", "/e", Err(Broken::TimedOut(15))), "200"),
            Outcome::new(all[12].requirement, all[12].fact, Verdict::Pass, String::new()),
            Outcome::new(all[13].requirement, all[13].fact, Verdict::Warn, "it is slow".to_owned()),
        ]);
        let titles: Vec<(&str, usize)> =
            causes.iter().map(|(title, _, count)| (title.as_str(), *count)).collect();
        assert_eq!(
            titles,
            [
                ("POST /api/drop returned 422 a, wanted 400", 2),
                ("POST /api/drop returned 1 at /list/0/at, wanted ms", 2),
                ("POST /a and 1 other endpoint returned 200, wanted 401", 2),
                ("POST /c returned 500 code 12 at line 8, wanted 200", 2),
                ("GET /d and 1 other endpoint got no response: no complete response within 15 s", 2),
                ("POST /api/drop returned 200, wanted 409", 1),
                ("POST /api/drop returned 200, wanted 400", 1),
                ("POST /api/drop returned 429, wanted not 429: a body of 9 bytes was rejected", 1),
                ("it is slow", 1),
            ]
        );
    }

    #[test]
    fn the_targets_reason_is_the_cause_of_a_wrong_status_only() {
        let all = services::checks();
        let row = catalogue::requirement("publish.prepare.cid-required").expect("a row");
        let rejected = || to("publish", "POST", "/prepare", Ok((400, "Bad Request")));
        let why = vec![format!("exchange 1: {row}: cid is missing")];
        let status = Outcome { why: why.clone(), ..status(all[0], rejected(), "200") };
        let header = failed(all[1], rejected(), "header content-type", "JSON", "");
        let titles: Vec<String> =
            found(vec![status, Outcome { why, ..header }]).into_iter().map(|(title, ..)| title).collect();
        let of_status = "POST /prepare returned 400 application/json: cid is missing";
        assert_eq!(titles, [of_status, "POST /prepare returned nothing at header content-type, wanted JSON"]);
    }

    #[test]
    fn the_same_bytes_at_three_endpoints_are_one_cause() {
        let all = services::checks();
        let page =
            |n: usize| status(all[n], to("drop", "GET", &format!("/{n}x"), Ok((200, "<html>"))), "404");
        assert_eq!(found((0..2).map(page).collect()).len(), 2);
        let title = "GET /0x and 2 other endpoints returned 200, always in the same bytes".to_owned();
        assert_eq!(found((0..3).map(page).collect()), [(title, Verdict::Fail, 3)]);
    }

    #[test]
    fn outcomes_that_rest_on_each_other_end() {
        let all = services::checks();
        let rests = |n: usize, other: usize| {
            let reason = format!("its prerequisite {} failed; then x", all[other].requirement);
            Outcome::new(all[n].requirement, all[n].fact, Verdict::Inconclusive, reason)
        };
        let all_in: usize = found(vec![rests(0, 1), rests(1, 0)]).iter().map(|(_, _, count)| count).sum();
        assert_eq!(all_in, 2);
    }
}
