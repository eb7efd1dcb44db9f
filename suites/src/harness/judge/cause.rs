//! Causes: the outcomes of a run that did not pass, grouped by what they have in common.
//!
//! A cause is one kind of deviation: the target's own reason, a connection that gave no response, a documented 503, the
//! same bytes whatever is asked, or one wanted and one received value. Endpoints and addressing forms are its places. Two
//! outcomes with different wanted or received values are never one cause, unless one rests on the other.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::{Discriminant, discriminant};

use assay_spec::Id;
use assay_spec::requirement::Level;

use crate::documents::endpoints;
use crate::harness::data::{Outcome, Part, RestsOn, Run, Statuses, Verdict, Why};
use crate::harness::judge::ambient;
use crate::http::exchange::{Broken, Exchange, Response};

/// What several outcomes have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// How they deviate.
    pub deviation: Deviation,
    /// The endpoints where they do, such as `POST /prepare`; that of the first outcome is the first.
    pub places: Vec<String>,
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

/// How an outcome deviates. What a report says besides is in the outcome: its failure, its reason, its exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// The target rejected a request and names this row, with its reason.
    Explained(Id, String),
    /// There was no response.
    NoResponse,
    /// The server says, as documented, that it is unavailable for now.
    Unavailable(&'static str),
    /// The server returned the same bytes whatever it was asked.
    Repeated,
    /// The failure of the outcome says it.
    Failure,
    /// The reason of the outcome says it.
    Reason,
}

/// A response that deviates at this many endpoints in the same bytes is one cause.
const REPEATED: usize = 3;

/// What outcomes of one cause share. An outcome has one or two; outcomes with a common one are one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    Explained(String, u32, u16),
    NoResponse(String, Discriminant<Broken>),
    /// An endpoint whose responses begin and do not end.
    Unended(String),
    Unavailable(String, &'static str),
    Repeated(u16, Vec<u8>),
    /// Site, wanted and received status, and the rest.
    Status(String, String, u16, Scope),
    /// Site, part, its name, the wanted and the received value.
    Value(String, Part, String, String, String),
    /// A rule that is not applied, or a client's fault.
    Row(u32, String),
    Reason(Why, String),
    /// Alone.
    Outcome(usize),
}

/// Where responses with a wrong status are one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Scope {
    /// The endpoint.
    Endpoint(String),
    /// The error in the body.
    Error(String),
    /// All of them.
    Everywhere,
}

/// How one outcome deviates, and what it shares with others.
struct Found {
    deviation: Deviation,
    place: Option<String>,
    keys: Vec<Key>,
}

/// The causes of every outcome that is neither a pass nor untested: the most severe first, then what ended the server, then
/// the largest.
pub fn causes(run: &Run) -> Vec<Cause> {
    let repeated = repeated(run);
    let shown: Vec<usize> =
        (0..run.outcomes.len()).filter(|n| run.outcomes[*n].verdict.needs_attention()).collect();
    let found: BTreeMap<usize, Found> =
        shown.iter().map(|n| (*n, deviation(*n, &run.outcomes[*n], &repeated))).collect();
    let mut groups = Groups(shown.iter().map(|n| (*n, *n)).collect());
    let mut known: Vec<(&Key, usize)> = Vec::new();
    let is_resting = |n: usize| owner(run, &found, n).is_some();
    // What an outcome shares with others counts only where it rests on none.
    for (n, one) in found.iter().filter(|(n, _)| !is_resting(**n)) {
        for key in &one.keys {
            match known.iter().find(|(other, _)| *other == key) {
                Some((_, other)) => groups.join(*other, *n),
                None => known.push((key, *n)),
            }
        }
    }
    let showing: BTreeSet<usize> = shown.iter().copied().filter(|n| !is_resting(*n)).collect();
    for n in &shown {
        if let Some(owner) = owner(run, &found, *n) {
            groups.join(owner, *n);
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for n in shown {
        members.entry(groups.root(n)).or_default().push(n);
    }
    let mut causes: Vec<Cause> =
        members.into_values().map(|outcomes| cause(run, &found, &showing, outcomes)).collect();
    let after = |one: &Cause| one.exchange(run).map_or(2, |exchange| after_the_end(&exchange.response));
    causes
        .sort_by_key(|one| (one.verdict.severity(), after(one), usize::MAX - one.outcomes.len(), one.first));
    causes
}

/// How far a response is from the end of the server: 0 if it ended with this request, so that others may have failed for it; 1
/// if it was gone before.
fn after_the_end(response: &Result<Response, Broken>) -> u8 {
    match response {
        Err(Broken::Closed(_)) => 0,
        Err(Broken::Gone(_)) => 1,
        _ => 2,
    }
}

/// Sets of outcomes: each element names another one of its set, the root itself.
struct Groups(BTreeMap<usize, usize>);

impl Groups {
    fn root(&self, n: usize) -> usize {
        let up = self.0[&n];
        if up == n { n } else { self.root(up) }
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0.insert(one.max(other), one.min(other));
    }
}

fn cause(
    run: &Run,
    found: &BTreeMap<usize, Found>,
    showing: &BTreeSet<usize>,
    outcomes: Vec<usize>,
) -> Cause {
    // Outcomes that rest on another row do not show the cause themselves, unless they rest on each other.
    let is_shown = outcomes.iter().any(|n| showing.contains(n));
    let showing = || outcomes.iter().copied().filter(|n| !is_shown || showing.contains(n));
    // A check that an answer ended says less than one that judges that answer.
    let is_ended = |n: usize| {
        let rests_on = run.outcomes[n].rests_on.as_ref();
        rests_on.is_some_and(|on| matches!(on, RestsOn::Nothing(_) | RestsOn::NothingAccepted(_)))
    };
    let severity = |n: &usize| (run.outcomes[*n].verdict.severity(), is_ended(*n), *n);
    let first = showing().min_by_key(severity).expect("a cause has outcomes");
    let Found { deviation, place, .. } = &found[&first];
    let mut places: Vec<String> = place.iter().cloned().collect();
    for other in showing().filter_map(|n| found[&n].place.as_ref()) {
        if !places.contains(other) {
            places.push(other.clone());
        }
    }
    let named = match deviation {
        Deviation::Explained(row, _) if row.level != Level::May => Some(*row),
        _ => None,
    };
    let verdicts = outcomes.iter().map(|&n| run.outcomes[n].verdict);
    Cause {
        deviation: deviation.clone(),
        places,
        verdict: verdicts.min_by_key(|verdict| verdict.severity()).expect("a cause has outcomes"),
        row: named.unwrap_or(run.outcomes[first].requirement),
        first,
        exchange: at(&run.outcomes[first]),
        outcomes,
    }
}

/// The outcome that an inconclusive outcome rests on; of a client, also one that fails as in the conforming world.
fn owner(run: &Run, found: &BTreeMap<usize, Found>, n: usize) -> Option<usize> {
    let outcome = &run.outcomes[n];
    let row = outcome.owner()?;
    let owner = found.keys().copied().find(|one| run.outcomes[*one].requirement == row)?;
    let may_rest = matches!(outcome.verdict, Verdict::Inconclusive | Verdict::KnownFailure)
        || matches!(outcome.rests_on, Some(RestsOn::Base(_)));
    (may_rest && owner != n).then_some(owner)
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

/// The responses with an unwanted status that are the same bytes at several endpoints.
fn repeated(run: &Run) -> BTreeSet<(u16, &[u8])> {
    let mut places: BTreeMap<(u16, &[u8]), BTreeSet<String>> = BTreeMap::new();
    let about_status =
        |one: &&Outcome| one.failure.as_ref().is_some_and(|failure| failure.part == Part::Status);
    let shown = run.outcomes.iter().filter(|one| one.verdict.needs_attention()).filter(about_status);
    for exchange in shown.filter_map(deviating) {
        if let Ok(Response { status, body, .. }) = &exchange.response
            && !body.is_empty()
        {
            places.entry((*status, body)).or_default().insert(endpoints::name(exchange));
        }
    }
    places.into_iter().filter(|(_, places)| places.len() >= REPEATED).map(|(key, _)| key).collect()
}

fn deviation(n: usize, outcome: &Outcome, repeated: &BTreeSet<(u16, &[u8])>) -> Found {
    let Some(exchange) = deviating(outcome) else { return without_exchange(n, outcome) };
    let (site, place) = (exchange.site.clone(), endpoints::name(exchange));
    let with = |deviation, keys| Found { deviation, place: Some(place.clone()), keys };
    let response = match &exchange.response {
        Ok(response) => response,
        Err(broken) => {
            // A response that begins and does not end is a fault of its endpoint.
            let key = if broken.has_begun() {
                Key::Unended(place.clone())
            } else {
                Key::NoResponse(site, discriminant(broken))
            };
            return with(Deviation::NoResponse, vec![key]);
        }
    };
    let status = response.status;
    if let Some((row, why)) = explained(outcome, response) {
        return with(Deviation::Explained(row, why.to_owned()), vec![Key::Explained(site, row.key, status)]);
    }
    if let Some(why) = ambient::unavailable(exchange) {
        return with(Deviation::Unavailable(why), vec![Key::Unavailable(site, why)]);
    }
    let Some(failure) = &outcome.failure else {
        let said = plain(outcome, &outcome.reason.said);
        return with(
            Deviation::Reason,
            vec![Key::Reason(outcome.reason.why, format!("{site} {place} {said}"))],
        );
    };
    if failure.part == Part::Status && repeated.contains(&(status, &response.body)) {
        return with(Deviation::Repeated, vec![Key::Repeated(status, response.body.to_vec())]);
    }
    if failure.part != Part::Status {
        let values = [&failure.place, &failure.want, &failure.got].map(|value| plain(outcome, value));
        let [name, want, got] = values;
        return with(Deviation::Failure, vec![Key::Value(site, failure.part, name, want, got)]);
    }
    // A rejection is missing: each rule that is not applied is a cause of its own, but access that is not checked is one.
    if status < 400 && failure.statuses.want_rejection() && !is_access(&failure.statuses) {
        return with(Deviation::Failure, vec![Key::Row(outcome.requirement.key, String::new())]);
    }
    let want = plain(outcome, &failure.want);
    let key = |scope| Key::Status(site.clone(), want.clone(), status, scope);
    let keys = match error(response) {
        _ if status < 400 => vec![key(Scope::Everywhere)],
        Some(error) => {
            vec![key(Scope::Endpoint(place.clone())), key(Scope::Error(plain(outcome, &error)))]
        }
        None => vec![key(Scope::Endpoint(place.clone()))],
    };
    with(Deviation::Failure, keys)
}

/// Whether only a rejection of access was wanted.
fn is_access(statuses: &Statuses) -> bool {
    statuses.named().iter().all(|status| matches!(status, 401..=403))
}

fn without_exchange(n: usize, outcome: &Outcome) -> Found {
    let with = |deviation, key| Found { deviation, place: None, keys: vec![key] };
    match (&outcome.failure, outcome.reason.why) {
        (_, Why::UnexpectedPass) => with(Deviation::Reason, Key::Reason(Why::UnexpectedPass, String::new())),
        (Some(failure), _) => {
            let keyed = Key::Row(outcome.requirement.key, plain(outcome, &failure.place));
            with(Deviation::Failure, keyed)
        }
        (None, Why::Holds) => with(Deviation::Reason, Key::Outcome(n)),
        (None, why) => with(Deviation::Reason, Key::Reason(why, plain(outcome, &outcome.reason.said))),
    }
}

/// The row that the target names for the deviating rejection, and its reason. Its numbers count other exchanges, too, so
/// reasons and rejections are counted from the end.
fn explained<'one>(outcome: &'one Outcome, response: &Response) -> Option<(Id, &'one str)> {
    let is_rejected = |one: &&Exchange| one.response.as_ref().is_ok_and(|response| response.status >= 400);
    let later = outcome.exchanges.get(at(outcome)? + 1..)?.iter().filter(is_rejected).count();
    // Where a header or the body deviates, the rejection itself may be right.
    let is_about_status = outcome.failure.as_ref().is_none_or(|failure| failure.part == Part::Status);
    // The simulator also logs what it accepts under a deviation.
    let mut accounts = outcome.why.iter().rev().filter(|account| !account.is_accepted);
    let account = accounts.nth(later).filter(|_| is_about_status && response.status >= 400)?;
    account.exchange?;
    Some((account.row?, &account.words))
}

/// The error that a body names, or else its media type; `None` for a success.
pub(crate) fn error(response: &Response) -> Option<String> {
    if response.status < 400 {
        return None;
    }
    let body = response.json().unwrap_or_default();
    let members = ["error", "detail", "message", "code"].map(|name| &body[name]);
    let member = members.into_iter().chain([&body["error"]["message"]]).find_map(|value| value.as_str());
    let media =
        || response.header("content-type").map(|value| value.split(';').next().unwrap_or(value).trim());
    member.or_else(|| body.is_null().then(media).flatten()).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The text with the values that the check drew replaced by their roles.
pub(crate) fn plain(outcome: &Outcome, text: &str) -> String {
    let mut plain = text.to_owned();
    for (value, role) in &outcome.roles {
        while let Some(at) = plain.find(value.as_str()) {
            // The whole word: a drawn value often has a readable start.
            let is_inside = |c: char| c.is_alphanumeric() || "-_.".contains(c);
            let start = plain[..at].rfind(|c| !is_inside(c)).map_or(0, |at| plain.ceil_char_boundary(at + 1));
            let end = plain[at..].find(|c| !is_inside(c)).map_or(plain.len(), |length| at + length);
            plain.replace_range(start..end, &format!("<{role}>"));
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::check::Check;
    use crate::harness::data::{Account, At, Failure, Reason, Want};
    use crate::http::exchange::Request;
    use crate::report::words;
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

    fn failed(
        check: &Check,
        exchange: Exchange,
        at: impl Into<At>,
        want: impl Into<Want>,
        got: &str,
    ) -> Outcome {
        Outcome {
            failure: Some(Failure::new(at, want, got, Some(0))),
            exchanges: vec![exchange],
            ..Outcome::new(check.requirement, check.fact, Verdict::Fail, Reason::kind(Why::Failure))
        }
    }

    fn status(check: &Check, exchange: Exchange, want: u16) -> Outcome {
        let got = exchange
            .response
            .as_ref()
            .map_or_else(ToString::to_string, |response| response.status.to_string());
        let at = if exchange.response.is_ok() { At::status() } else { At::connection() };
        failed(check, exchange, at, Want::one_of(&[want]), &got)
    }

    fn account(row: Id, words: &str) -> Account {
        Account { exchange: Some(1), row: Some(row), words: words.to_owned(), is_accepted: false }
    }

    /// Title, verdict, and the number of the outcomes of each cause.
    fn found(outcomes: Vec<Outcome>) -> Vec<(String, Verdict, usize)> {
        let run = Run { outcomes, ..Run::new(SUITES) };
        causes(&run).iter().map(|one| (words::title(&run, one), one.verdict, one.outcomes.len())).collect()
    }

    #[test]
    fn a_standby_is_one_cause() {
        let all = services::checks();
        let prepare = || to("publish", "POST", crate::services::publish::PREPARE, Ok((503, STANDBY)));
        let submit = || to("publish", "POST", crate::services::publish::SUBMIT, Ok((503, STANDBY)));
        let inconclusive = Outcome {
            verdict: Verdict::Inconclusive,
            reason: Reason::new(Why::Unavailable, "the node is a standby (503 not-primary)"),
            ..status(all[1], submit(), 200)
        };
        let rests = |row: Id| Outcome {
            exchanges: vec![to("publish", "GET", "/else", Ok((200, "{}")))],
            rests_on: Some(RestsOn::Prerequisite(row)),
            ..Outcome::new(all[2].requirement, all[2].fact, Verdict::Inconclusive, "a precondition")
        };
        let title = format!(
            "POST {} and 1 other endpoint returned 503: the node is a standby (503 not-primary)",
            crate::services::publish::PREPARE
        );
        let outcomes = vec![status(all[0], prepare(), 200), inconclusive, rests(all[0].requirement)];
        assert_eq!(found(outcomes.clone()), [(title, Verdict::Fail, 3)]);
        // The target's own reason names the row.
        let standby = assay_spec::catalogue::requirement("publish.exchange.standby").expect("a row");
        let mut explained = outcomes;
        for one in &mut explained {
            one.why = vec![account(standby, "another node: is the primary")];
        }
        let run = Run { outcomes: explained, ..Run::new(SUITES) };
        let [cause] = &causes(&run)[..] else { panic!("one cause") };
        assert_eq!(
            (cause.row, cause.first, cause.exchange, &cause.outcomes[..]),
            (standby, 0, Some(0), &[0, 1, 2][..])
        );
        assert!(
            words::title(&run, cause).ends_with("returned 503 not-primary: another node: is the primary"),
            "{}",
            words::title(&run, cause)
        );
    }

    #[test]
    fn different_deviations_are_different_causes() {
        let all = services::checks();
        let at = |target: &str, status, body: &str| to("drop", "POST", target, Ok((status, body)));
        let causes = found(vec![
            // Two rules that are not applied at one endpoint.
            status(all[0], at("/api/drop", 200, "{}"), 409),
            status(all[1], at("/api/drop", 200, "{}"), 400),
            // A limit that is too low.
            failed(all[14], at("/api/drop", 429, "{}"), "a body of 9 bytes was rejected", "not 429", "429"),
            // One wrong status of rejections, whatever the text.
            status(all[2], at("/api/drop", 422, r#"{"error":"a"}"#), 400),
            status(all[3], at("/api/drop", 422, r#"{"error":"b"}"#), 400),
            // Two members with different wrong values.
            failed(all[4], at("/api/drop", 200, "{}"), "/list/0/at", "ms", "1"),
            failed(all[5], at("/api/drop", 200, "{}"), "/list/7/at", "ms", "2"),
            // Access that is not checked.
            status(all[6], at("/a", 200, "1"), 401),
            status(all[7], at("/b", 200, "2"), 401),
            // Errors of the server where different responses were wanted.
            status(all[8], at("/c", 500, r#"{"error":"code 12 at line 8"}"#), 200),
            status(all[9], at("/c", 500, r#"{"error":"code 13 at line 9"}"#), 400),
            // Connections without a response.
            status(all[10], to("drop", "GET", "/d", Err(Broken::TimedOut(15))), 200),
            status(all[11], to("drop", "GET", "/e", Err(Broken::TimedOut(15))), 200),
            Outcome::new(all[12].requirement, all[12].fact, Verdict::Pass, Reason::default()),
            Outcome::new(all[13].requirement, all[13].fact, Verdict::Warn, "it is slow"),
        ]);
        let titles: Vec<(&str, usize)> =
            causes.iter().map(|(title, _, count)| (title.as_str(), *count)).collect();
        assert_eq!(
            titles,
            [
                ("POST /api/drop returned 422 a, wanted 400", 2),
                ("POST /a and 1 other endpoint returned 200, wanted 401", 2),
                ("GET /d and 1 other endpoint got no response: no complete response within 15 s", 2),
                ("POST /api/drop returned 200, wanted 409", 1),
                ("POST /api/drop returned 200, wanted 400", 1),
                ("POST /api/drop returned 429, wanted not 429: a body of 9 bytes was rejected", 1),
                ("POST /api/drop returned 1 at /list/0/at, wanted ms", 1),
                ("POST /api/drop returned 2 at /list/7/at, wanted ms", 1),
                ("POST /c returned 500 code 12 at line 8, wanted 200", 1),
                ("POST /c returned 500 code 13 at line 9, wanted 400", 1),
                ("it is slow", 1),
            ]
        );
    }

    #[test]
    fn the_targets_reason_is_the_cause_of_a_wrong_status_only() {
        let all = services::checks();
        let row = assay_spec::catalogue::requirement("publish.prepare.cid-required").expect("a row");
        let rejected = || to("publish", "POST", "/prepare", Ok((400, "Bad Request")));
        let why = vec![account(row, "cid is missing")];
        let status = Outcome { why: why.clone(), ..status(all[0], rejected(), 200) };
        let header = failed(all[1], rejected(), At::header("content-type"), "JSON", "");
        let titles: Vec<String> =
            found(vec![status, Outcome { why, ..header }]).into_iter().map(|(title, ..)| title).collect();
        let of_status = "POST /prepare returned 400 application/json: cid is missing";
        assert_eq!(titles, [of_status, "POST /prepare returned nothing at header content-type, wanted JSON"]);
    }

    #[test]
    fn the_same_bytes_at_three_endpoints_are_one_cause() {
        let all = services::checks();
        let page = |n: usize| status(all[n], to("drop", "GET", &format!("/{n}x"), Ok((200, "<html>"))), 404);
        assert_eq!(found((0..2).map(page).collect()).len(), 2);
        let title = "GET /0x and 2 other endpoints returned 200, always in the same bytes".to_owned();
        assert_eq!(found((0..3).map(page).collect()), [(title, Verdict::Fail, 3)]);
    }

    #[test]
    fn endpoints_are_places_of_one_cause_and_drawn_values_have_names() {
        let all = services::checks();
        let unknown = |n: usize, target: &str, drawn: &str| {
            let body = format!(r#"{{"detail":"no model no-such-{drawn} here"}}"#);
            let roles = [(drawn.to_owned(), "unknown model".to_owned())].into();
            Outcome { roles, ..status(all[n], to("gateway", "POST", target, Ok((400, &body))), 404) }
        };
        let outcomes = vec![
            unknown(0, "/v1/completions", "0a1b2c3d4e5f"),
            unknown(1, "/v1/chat/completions", "ffeeddccbbaa"),
            unknown(2, "/v1/responses", "001122334455"),
        ];
        let title = "POST /v1/completions and 2 other endpoints returned 400 no model <unknown model> here, wanted 404";
        assert_eq!(found(outcomes.clone()), [(title.to_owned(), Verdict::Fail, 3)]);
        let run = Run { outcomes, ..Run::new(SUITES) };
        let [cause] = &causes(&run)[..] else { panic!("one cause") };
        assert_eq!(cause.places.len(), 3);
    }

    #[test]
    fn one_member_with_two_wrong_values_is_two_causes() {
        let all = services::checks();
        let at = |n: usize, code: u16, got: &str| {
            failed(
                all[n],
                to("gateway", "POST", "/v1/responses", Ok((code, "{}"))),
                "/detail",
                "a string",
                got,
            )
        };
        assert_eq!(found(vec![at(0, 401, "nothing"), at(1, 422, "[]"), at(2, 404, "nothing")]).len(), 2);
    }

    #[test]
    fn the_request_that_ended_the_server_comes_before_larger_causes() {
        let all = services::checks();
        let wrong = |n: usize| status(all[n], to("drop", "GET", "/a", Ok((500, "{}"))), 200);
        let last = to("drop", "POST", "/b", Err(Broken::Closed("before the head".to_owned())));
        let titles: Vec<String> = found(vec![wrong(0), wrong(1), status(all[2], last, 422)])
            .into_iter()
            .map(|(title, ..)| title)
            .collect();
        assert!(titles[0].starts_with("POST /b got no response"), "{titles:?}");
    }

    #[test]
    fn the_request_that_ended_the_server_comes_before_one_that_found_it_gone() {
        let all = services::checks();
        let gone = to("drop", "POST", "/a", Err(Broken::Gone("refused".to_owned())));
        let last = to("drop", "POST", "/b", Err(Broken::Closed("before the head".to_owned())));
        let titles: Vec<String> = found(vec![status(all[0], gone, 422), status(all[1], last, 422)])
            .into_iter()
            .map(|(title, ..)| title)
            .collect();
        assert!(titles[0].starts_with("POST /b got no response"), "{titles:?}");
    }

    #[test]
    fn a_response_that_begins_and_does_not_end_is_a_cause_of_its_endpoint() {
        let all = services::checks();
        let begun = |n: usize, target: &str| {
            let broken = Broken::Unfinished { status: 200, bytes: 70, seconds: 15 };
            status(all[n], to("gateway", "POST", target, Err(broken)), 200)
        };
        let said = "got no whole response: a response of status 200 began and did not end within 15 s: 70 bytes of its \
                    body came";
        let found =
            found(vec![begun(0, "/v1/responses"), begun(1, "/v1/completions"), begun(2, "/v1/completions")]);
        let causes: Vec<(String, usize)> =
            found.into_iter().map(|(title, _, outcomes)| (title, outcomes)).collect();
        let expected = [("/v1/completions", 2), ("/v1/responses", 1)]
            .map(|(path, outcomes)| (format!("POST {path} {said}"), outcomes));
        assert_eq!(causes, expected);
    }

    #[test]
    fn outcomes_that_rest_on_each_other_end() {
        let all = services::checks();
        let rests = |n: usize, other: usize| {
            let rests_on = Some(RestsOn::Prerequisite(all[other].requirement));
            Outcome {
                rests_on,
                ..Outcome::new(
                    all[n].requirement,
                    all[n].fact,
                    Verdict::Inconclusive,
                    Reason::kind(Why::Failure),
                )
            }
        };
        let all_in: usize = found(vec![rests(0, 1), rests(1, 0)]).iter().map(|(_, _, count)| count).sum();
        assert_eq!(all_in, 2);
    }
}
