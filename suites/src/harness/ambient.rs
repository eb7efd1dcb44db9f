//! Ambient judgement: every response of every check is judged by the declarations of its endpoint and status, whichever
//! check sent the request. A part that is not as declared fails the row that owns it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use assay_spec::endpoint::Endpoint;
use assay_spec::field::Part;
use assay_spec::reply::{Expected, Header, Met, Place, judge as judge_value};
use assay_spec::shape::Reply;
use assay_spec::{Dialect, Id, catalogue};
use rayon::prelude::*;
use serde_json::Value;

use crate::documents::endpoints::{endpoint_at, endpoint_of};
use crate::harness::run::{NOT_KEPT, PREREQUISITE};
use crate::harness::suite::Suites;
use crate::harness::verdict::{Failure, Outcome, Verdict};
use crate::http::exchange::{Exchange, Response};
use crate::http::sse;

/// A declared part of a response.
#[cfg_attr(
    not(feature = "embedded"),
    expect(dead_code, reason = "only the proof of field cells tells parts apart")
)]
pub(crate) struct Judged<'a> {
    /// The endpoint.
    pub(crate) endpoint: &'static Endpoint,
    /// The status of the response.
    pub(crate) status: u16,
    /// The part.
    pub(crate) part: Part,
    /// The field, or the header.
    pub(crate) name: Name<'a>,
    /// The row that owns it.
    pub(crate) row: Id,
    /// Why it is not as declared.
    pub(crate) failure: Option<Failure>,
}

/// The name of a part, as it is declared.
pub(crate) enum Name<'a> {
    /// A field.
    Field(&'a Place<'a>),
    /// A header, or empty for a whole body.
    Plain(&'static str),
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Field(place) => f.write_str(&place.declared()),
            Name::Plain(name) => f.write_str(name),
        }
    }
}

/// Fails the row of each declared part that a response of the run breaks, whatever the row's own check has seen, and counts
/// the responses that each row was judged by. A row whose check did not run gets an outcome if it is broken.
pub(crate) fn judge(outcomes: &mut Vec<Outcome>, dialect: &Dialect, suites: Suites) {
    outcomes.sort_by_key(|outcome| outcome.requirement.key);
    let (mut answers, mut broken) = (BTreeMap::<Id, usize>::new(), BTreeMap::new());
    let seen: Vec<Seen> = outcomes.par_iter().map(|outcome| Seen::new(outcome, dialect)).collect();
    for (outcome, Seen { answers: more, broken: found }) in outcomes.iter().zip(seen) {
        for (row, count) in more {
            *answers.entry(row).or_default() += count;
        }
        for (row, (exchange, failure)) in found {
            broken
                .entry(row)
                .or_insert_with(|| (outcome.requirement, outcome.exchanges[exchange].clone(), failure));
        }
    }
    for (row, found) in broken {
        let known = outcomes.iter().position(|outcome| outcome.requirement == row);
        let at = known.or_else(|| {
            let check = suites.check(row)?;
            outcomes.push(Outcome::new(row, check.fact, Verdict::NotTestable, String::new()));
            Some(outcomes.len() - 1)
        });
        if let Some(outcome) = at.and_then(|at| outcomes.get_mut(at)) {
            fail(outcome, found);
        }
    }
    for outcome in outcomes {
        outcome.answers = answers.get(outcome.requirement).copied().unwrap_or_default();
    }
}

/// What the responses of one outcome show.
#[derive(Default)]
struct Seen {
    /// How many responses each row was judged by.
    answers: BTreeMap<Id, usize>,
    /// The first breach of each row: the number of the exchange, and what is not as declared.
    broken: BTreeMap<Id, (usize, Failure)>,
}

impl Seen {
    fn new(outcome: &Outcome, dialect: &Dialect) -> Seen {
        let mut seen = Seen::default();
        let keeps_bodies = !outcome.notes.iter().any(|note| note == NOT_KEPT);
        let own = outcome.exchanges.len() - usize::from(outcome.is_ambient);
        for (number, exchange) in outcome.exchanges[..own].iter().enumerate() {
            let mut rows: BTreeSet<Id> = BTreeSet::new();
            each_part(exchange, dialect, keeps_bodies, &mut |judged| {
                rows.insert(judged.row);
                if let Some(failure) = judged.failure {
                    seen.broken.entry(judged.row).or_insert((number, failure));
                }
            });
            for row in rows {
                *seen.answers.entry(row).or_default() += 1;
            }
        }
        seen
    }
}

/// Fails a row for a response to the check of another, unless it has failed by itself, or would have but for a failed
/// prerequisite.
fn fail(own: &mut Outcome, (by, exchange, failure): (Id, Exchange, Failure)) {
    let has_failed = matches!(own.verdict, Verdict::Fail | Verdict::Error | Verdict::KnownFailure);
    if has_failed || own.reason.starts_with(PREREQUISITE) {
        return;
    }
    let Failure { place, want, got, .. } = &failure;
    own.reason = format!("{place}: wanted {want}, got {got}, in a response to the check of {by}");
    own.verdict = Verdict::Fail;
    own.is_ambient = true;
    own.exchanges.push(exchange);
    own.failure = Some(Failure { exchange: Some(own.exchanges.len() - 1), ..failure });
}

/// How many declared parts a response has, and those that are not as declared, with the rows that own them.
pub fn breaches(exchange: &Exchange, dialect: &Dialect) -> (usize, Vec<(Id, Failure)>) {
    let (mut count, mut broken) = (0, Vec::new());
    each_part(exchange, dialect, true, &mut |judged| {
        count += 1;
        broken.extend(judged.failure.map(|failure| (judged.row, failure)));
    });
    (count, broken)
}

/// Calls `met` for each declared part of a response. Without bodies, only for its headers.
pub(crate) fn each_part(
    exchange: &Exchange,
    dialect: &Dialect,
    keeps_bodies: bool,
    met: &mut dyn FnMut(Judged<'_>),
) {
    let Ok(response) = &exchange.response else { return };
    match exchange.request.method.as_str() {
        // Nothing but the headers of every response.
        "OPTIONS" => {
            let endpoint =
                ["GET", "POST", "PUT"].iter().find_map(|method| endpoint_at(dialect, exchange, method));
            if let Some(endpoint) = endpoint {
                each_header(endpoint, &[], response, met);
            }
        }
        "HEAD" => {
            if let Some(endpoint) = endpoint_at(dialect, exchange, "GET") {
                let expected = endpoint.expected(response.status);
                each_header(endpoint, expected.map_or(&[][..], |expected| expected.headers), response, met);
            }
        }
        _ => {
            let Some(endpoint) = endpoint_of(dialect, exchange) else { return };
            let expected = endpoint.expected(response.status);
            each_header(endpoint, expected.map_or(&[][..], |expected| expected.headers), response, met);
            if let (Some(expected), true) = (expected, keeps_bodies) {
                each_of_body(endpoint, &expected, response, met);
            }
        }
    }
}

fn each_header(
    endpoint: &'static Endpoint,
    of_status: &'static [Header],
    response: &Response,
    met: &mut dyn FnMut(Judged<'_>),
) {
    for Header { name, rule, row } in endpoint.shape.answers.iter().chain(of_status) {
        let value = response.header(name);
        let failure = (!rule.holds(value)).then(|| Failure {
            place: format!("header {name}"),
            want: rule.want(),
            got: value.unwrap_or("none").to_owned(),
            exchange: None,
        });
        let (part, name, status) = (Part::Header, Name::Plain(name), response.status);
        met(Judged { endpoint, status, part, name, row, failure });
    }
}

fn each_of_body(
    endpoint: &'static Endpoint,
    expected: &Expected,
    response: &Response,
    met: &mut dyn FnMut(Judged<'_>),
) {
    let (Some(row), status) = (expected.row, response.status) else { return };
    let mut whole = |is_right: bool, want: &str| {
        let failure = (!is_right).then(|| Failure {
            place: "body".to_owned(),
            want: want.to_owned(),
            got: shown(&response.text()),
            exchange: None,
        });
        met(Judged { endpoint, status, part: Part::Bytes, name: Name::Plain(""), row, failure });
    };
    let kind = match expected.body {
        Reply::Open(_) | Reply::Bytes => return,
        Reply::Text(text) => {
            let body = response.text();
            return whole(
                body.strip_suffix('\n').unwrap_or(&body) == *text,
                &format!("the plain text {text:?}"),
            );
        }
        Reply::Html => {
            let is_html = media_type(response) == "text/html" && response.json().is_err();
            return whole(is_html, "an HTML document");
        }
        Reply::JsonOrEvents(_, event) if media_type(response) == "text/event-stream" => {
            for (n, event_of) in sse::events(&response.body).into_iter().enumerate() {
                let data = serde_json::from_str::<Value>(&event_of.data).ok().filter(Value::is_object);
                let Some(data) = data else { continue };
                judge_value(event, &data, row, &Place::BODY, &mut |found| {
                    met(judged(endpoint, status, Part::Event, &format!("event {n} "), found));
                });
            }
            return;
        }
        Reply::Json(kind) | Reply::JsonOrEvents(kind, _) => kind,
    };
    let Ok(body) = response.json() else {
        // A proxy fails in its own words. Events with another media type are whole events; the media type has its own row.
        let are_events =
            matches!(expected.body, Reply::JsonOrEvents(..)) && !sse::events(&response.body).is_empty();
        if status < 500 && !expected.may_be_foreign && !are_events {
            whole(false, "JSON");
        }
        return;
    };
    if expected.is_foreign(&body) {
        return;
    }
    whole(true, "JSON");
    judge_value(kind, &body, row, &Place::BODY, &mut |found| {
        met(judged(endpoint, status, Part::Body, "", found));
    });
    for rule in expected.whole {
        let failure = (rule.breaks)(&body).map(|got| {
            let (place, want) = ("body".to_owned(), rule.want.to_owned());
            Failure { place, want, got, exchange: None }
        });
        let (part, name) = (Part::Body, Name::Plain(""));
        met(Judged { endpoint, status, part, name, row: rule.row, failure });
    }
}

fn judged<'a>(
    endpoint: &'static Endpoint,
    status: u16,
    part: Part,
    before: &str,
    found: Met<'a>,
) -> Judged<'a> {
    let Met { place, row, value, want } = found;
    let failure = want.map(|want| {
        let pointer = place.to_string();
        let at = if pointer.is_empty() { "body".to_owned() } else { format!("{before}{pointer}") };
        let got = value.map_or_else(|| "nothing".to_owned(), |value| shown(&value.to_string()));
        Failure { place: at, want, got, exchange: None }
    });
    Judged { endpoint, status, part, name: Name::Field(place), row, failure }
}

/// The most characters of a value that a failure shows.
const SHOWN: usize = 200;

fn shown(text: &str) -> String {
    let cut: String = text.chars().take(SHOWN).collect();
    if cut.len() < text.len() { format!("{cut} \u{2026}") } else { cut }
}

fn media_type(response: &Response) -> String {
    let value = response.header("content-type").unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Why a documented error shows nothing about the request: the server is unavailable for now.
pub(crate) fn unavailable(exchange: &Exchange) -> Option<&'static str> {
    let (response, service) = (exchange.response.as_ref().ok()?, catalogue::service_at(&exchange.site)?);
    let body = response.json().unwrap_or_default();
    let own = catalogue::endpoints().filter(|endpoint| endpoint.service == service);
    let forms = own.filter_map(|endpoint| endpoint.expected(response.status));
    let said = forms.flat_map(|expected| expected.unavailable).find(|unavailable| unavailable.says_so(&body));
    said.map(|unavailable| unavailable.why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::exchange::Request;
    use crate::services::publish;
    use crate::services::{self, SUITES};

    fn exchange(site: &str, target: &str, status: u16, after: Option<&str>, body: &str) -> Exchange {
        let method = if site == "publish" { "POST" } else { "GET" };
        let headers = after.map(|after| ("retry-after".to_owned(), after.as_bytes().to_vec()));
        Exchange {
            site: site.to_owned(),
            base: "http://a".to_owned(),
            request: Request::new(method, target),
            cut: None,
            slot: None,
            response: Ok(Response {
                status,
                headers: headers.into_iter().collect(),
                body: body.to_owned().into(),
            }),
        }
    }

    #[test]
    fn malformed_retry_after_fails_its_row_wherever_it_is_seen() {
        for (after, is_broken) in [(None, true), (Some("soon"), true), (Some("-1"), true), (Some("7"), false)]
        {
            let mut outcomes: Vec<Outcome> = services::checks()
                .into_iter()
                .map(|check| {
                    Outcome::new(check.requirement, check.fact, Verdict::NotTestable, "why".to_owned())
                })
                .collect();
            for (group, site, target) in
                [("messages", "network", "/api/v0/messages"), ("submit", "publish", publish::SUBMIT)]
            {
                let seen = outcomes.iter_mut().find(|outcome| outcome.requirement.group == group);
                let body = r#"{"error":"e","status":"error","code":"c"}"#;
                let exchange = exchange(site, target, 429, after, body);
                seen.expect("a check of the group").exchanges.push(exchange);
            }
            judge(&mut outcomes, &Dialect::default(), SUITES);
            let failed: Vec<String> = outcomes
                .iter()
                .filter(|outcome| outcome.verdict == Verdict::Fail)
                .map(|outcome| outcome.requirement.to_string())
                .collect();
            let rows = ["network.limits.retry-after", "publish.exchange.rate-per-ip"];
            assert_eq!(failed, if is_broken { rows.to_vec() } else { Vec::new() }, "{after:?}");
        }
    }

    #[test]
    fn retry_after_of_a_prepare_may_be_absent_and_must_not_be_malformed() {
        let body = r#"{"error":"e"}"#;
        for (after, is_broken) in [(None, false), (Some("soon"), true), (Some("7"), false)] {
            let exchange = exchange("publish", publish::PREPARE, 429, after, body);
            let (count, broken) = breaches(&exchange, &Dialect::default());
            assert!(count > 0, "a 429 of a prepare is judged");
            assert_eq!(!broken.is_empty(), is_broken, "{after:?}: {broken:?}");
        }
    }

    #[test]
    fn only_a_documented_503_is_an_excuse() {
        for (site, status, body, is_excuse) in [
            ("publish", 503, r#"{"error":"not-primary","reason":"r"}"#, true),
            ("publish", 503, r#"{"error":"backend is passive"}"#, true),
            ("publish", 503, r#"{"error":"tired"}"#, false),
            ("publish", 500, r#"{"error":"not-primary"}"#, false),
            ("gateway", 503, r#"{"detail":"d"}"#, true),
            ("gateway", 503, "{}", false),
            ("drop", 503, "", true),
            ("network", 503, "{}", false),
            ("metadata", 503, "{}", false),
        ] {
            let excuse = unavailable(&exchange(site, "/", status, None, body));
            assert_eq!(excuse.is_some(), is_excuse, "{site} {status} {body}");
        }
    }
}
