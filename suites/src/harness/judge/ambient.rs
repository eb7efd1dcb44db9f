//! Ambient judgement: every response of every check is judged by the declarations of its endpoint and status, whichever
//! check sent the request. A part that is not as declared fails the row that owns it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::OnceLock;

use assay_spec::endpoint::Endpoint;
use assay_spec::field::{CONTENT_TYPE, Part};
use assay_spec::reply::{BodyPath, Expected, Header, Met, judge as judge_value};
use assay_spec::shape::{Field, Reply, ShapeKind};
use assay_spec::sse;
use assay_spec::{Dialect, Id, catalogue};
use rayon::prelude::*;
use serde_json::Value;

use crate::documents::endpoints::{endpoint_at, endpoint_of};
use crate::harness::coverage::Shown;
use crate::harness::data::{At, Failure, Outcome, Reason, RestsOn, Verdict, Why, Worlds};
use crate::harness::judge::relations::{self, Facts, Written};
use crate::harness::suite::Suites;
use crate::http::exchange::{Exchange, Response};

/// A declared part of a response.
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
    /// An object, with the members that are declared of it.
    pub(crate) object: Option<(&'static [Field], &'a Value)>,
}

impl Judged<'_> {
    /// What the names of its fields begin with.
    fn before_fields(&self) -> String {
        let (part, name) = (self.part.prefix(), self.name.to_string());
        if name.is_empty() { part.to_owned() } else { format!("{part}{name}.") }
    }
}

/// The name of a part, as it is declared.
pub(crate) enum Name<'a> {
    /// A field.
    Field(&'a BodyPath<'a>),
    /// A header, or empty for a whole body.
    Plain(&'static str),
}

impl Name<'_> {
    /// Where it was found.
    pub(crate) fn pointer(&self) -> String {
        match self {
            Name::Field(place) => place.to_string(),
            Name::Plain(name) => (*name).to_owned(),
        }
    }
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
///
/// Returns the optional fields that the responses had.
pub(crate) fn apply(outcomes: &mut Vec<Outcome>, dialect: &Dialect, suites: Suites, worlds: Worlds) -> Shown {
    outcomes.sort_by_key(|outcome| outcome.requirement.key);
    let All { answers, broken, shown } = All::new(outcomes, dialect, suites, worlds);
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
    shown
}

/// Judges exchanges of clients that are not checks: an outcome for each row that a response shows something of. It passed if no
/// response breaks it.
pub fn of_traffic(exchanges: Vec<Exchange>, dialect: &Dialect, suites: Suites) -> Vec<Outcome> {
    // What a check that sends odd values makes a server create is not judged.
    let Some(first) = suites.checks().into_iter().find(|check| !check.rejects) else { return Vec::new() };
    let carrier =
        Outcome { exchanges, ..Outcome::new(first.requirement, first.fact, Verdict::Pass, String::new()) };
    let All { answers, mut broken, .. } = All::new(&[carrier], dialect, suites, Worlds::Shared);
    let rows: BTreeSet<Id> = answers.keys().chain(broken.keys()).copied().collect();
    let outcome = |row: Id| {
        let check = suites.check(row)?;
        let mut outcome = Outcome::new(row, check.fact, Verdict::Pass, String::new());
        outcome.answers = answers.get(row).copied().unwrap_or_default();
        if let Some((_, exchanges, failure)) = broken.remove(row) {
            outcome.reason = Reason::kind(Why::Ambient);
            outcome.verdict = Verdict::failed(row);
            outcome.failure = Some(Failure { exchange: Some(exchanges.len() - 1), ..failure });
            outcome.exchanges = exchanges;
        }
        Some(outcome)
    };
    rows.into_iter().filter_map(outcome).collect()
}

/// What the responses of all outcomes show.
struct All {
    /// How many responses each row was judged by.
    answers: BTreeMap<Id, usize>,
    /// What breaks each row first: the row of the check, the exchanges that show it, and the failure.
    broken: BTreeMap<Id, (Id, Vec<Exchange>, Failure)>,
    /// The optional fields that the responses had.
    shown: Shown,
}

impl All {
    fn new(outcomes: &[Outcome], dialect: &Dialect, suites: Suites, worlds: Worlds) -> All {
        let (mut answers, mut broken) = (BTreeMap::<Id, usize>::new(), BTreeMap::new());
        let sent = OnceLock::new();
        let is_echo = |response: &Response, place: &BodyPath<'_>| {
            sent.get_or_init(|| Sent::new(outcomes)).has(response, &place.to_string())
        };
        let rejects = |row: Id| suites.check(row).is_some_and(|check| check.rejects);
        let written = &Written::new(outcomes, worlds, dialect, rejects);
        let numbered = outcomes.par_iter().enumerate();
        let seen: Vec<(Seen, Vec<relations::Fact>)> = numbered
            .map(|(number, outcome)| {
                let mut facts = Facts::new(written, worlds, number);
                let seen = Seen::new(outcome, dialect, &mut facts, &is_echo);
                (seen, facts.found)
            })
            .collect();
        let (mut seen, facts): (Vec<Seen>, Vec<_>) = seen.into_iter().unzip();
        for (row, number, breach) in relations::contradictions(&facts, worlds) {
            seen[number].broken.entry(row).or_insert(breach);
        }
        let mut all_shown = Shown::default();
        for (outcome, Seen { answers: more, broken: found, shown }) in outcomes.iter().zip(seen) {
            all_shown.merge(shown);
            for (row, count) in more {
                *answers.entry(row).or_default() += count;
            }
            for (row, Breach { exchange, failure, earlier }) in found {
                broken.entry(row).or_insert_with(|| {
                    let earlier = earlier.map(|at| outcomes[at.outcome].exchanges[at.exchange].clone());
                    let exchanges =
                        earlier.into_iter().chain([outcome.exchanges[exchange].clone()]).collect();
                    (outcome.requirement, exchanges, failure)
                });
            }
        }
        All { answers, broken, shown: all_shown }
    }
}

/// What the responses of one outcome show.
#[derive(Default)]
struct Seen {
    /// How many responses each row was judged by.
    answers: BTreeMap<Id, usize>,
    /// The first breach of each row.
    broken: BTreeMap<Id, Breach>,
    /// The optional fields that they had.
    shown: Shown,
}

/// A part of a response that is not as it must be.
pub(super) struct Breach {
    /// The number of the exchange in its check.
    pub(super) exchange: usize,
    /// What is not as it must be.
    pub(super) failure: Failure,
    /// The exchange that it contradicts.
    pub(super) earlier: Option<Seat>,
}

/// An exchange of a run: the number of its check, and its number in the check.
#[derive(Clone, Copy)]
pub(super) struct Seat {
    pub(super) outcome: usize,
    pub(super) exchange: usize,
}

impl Seen {
    /// A part that only repeats what a request of the run holds is not judged: `is_echo` tells.
    fn new(
        outcome: &Outcome,
        dialect: &Dialect,
        facts: &mut Facts<'_>,
        is_echo: &(dyn Fn(&Response, &BodyPath<'_>) -> bool + Sync),
    ) -> Seen {
        let mut seen = Seen::default();
        let keeps_bodies = !outcome.is_cut;
        for (number, exchange) in outcome.exchanges[..outcome.own_exchanges()].iter().enumerate() {
            let mut rows: BTreeSet<Id> = BTreeSet::new();
            each_part(exchange, dialect, facts.worlds, keeps_bodies, &mut |judged| {
                rows.insert(judged.row);
                if let Some((fields, object)) = judged.object {
                    let place = || judged.before_fields();
                    seen.shown.add((judged.endpoint, judged.status), place, fields, object);
                }
                for (row, breach) in facts.add(number, exchange, &judged) {
                    seen.broken.entry(row).or_insert(breach);
                }
                let Some(failure) = judged.failure else { return };
                let Entry::Vacant(row) = seen.broken.entry(judged.row) else { return };
                let is_own = match (judged.name, &exchange.response) {
                    (Name::Field(place), Ok(response)) => is_echo(response, place),
                    _ => false,
                };
                if !is_own {
                    row.insert(Breach { exchange: number, failure, earlier: None });
                }
            });
            for row in rows {
                *seen.answers.entry(row).or_default() += 1;
            }
        }
        seen
    }
}

/// The JSON bodies that a run has sent. Checks send odd values on purpose, and a server may show what it has taken.
struct Sent {
    bodies: Vec<Value>,
    /// The bodies that hold a string, by the string. Short ones tell nothing apart.
    by_text: BTreeMap<String, BTreeSet<usize>>,
    /// The names of members.
    names: BTreeSet<String>,
}

/// The shortest string that shows where a record comes from: a signature, a hash, a drawn label.
const TELLING: usize = 16;

impl Sent {
    fn new(outcomes: &[Outcome]) -> Sent {
        let mut sent = Sent { bodies: Vec::new(), by_text: BTreeMap::new(), names: BTreeSet::new() };
        for exchange in outcomes.iter().flat_map(|outcome| &outcome.exchanges) {
            let Ok(body @ Value::Object(_)) = serde_json::from_slice(&exchange.request.body) else {
                continue;
            };
            let number = sent.bodies.len();
            each_value(&body, &mut |value| {
                if let Some(text) = value.as_str().filter(|text| text.len() >= TELLING) {
                    sent.by_text.entry(text.to_owned()).or_default().insert(number);
                }
                let names = value.as_object().into_iter().flat_map(|members| members.keys());
                sent.names
                    .extend(names.filter(|name| !sent.names.contains(*name)).cloned().collect::<Vec<_>>());
            });
            sent.bodies.push(body);
        }
        sent
    }

    /// Whether the value at a place of a response is that of a request: an object around it has a long string of the request,
    /// and a member of the same name has the same value there. What is missing in the object itself may be missing there, too.
    fn has(&self, response: &Response, pointer: &str) -> bool {
        let Ok(body) = response.json() else { return false };
        let Some((mut around, name)) = pointer.rsplit_once('/') else { return false };
        let shown = body.pointer(pointer);
        // What no request ever holds is not missing because of one.
        if shown.is_none() && !self.names.contains(name) {
            return false;
        }
        loop {
            let members = body.pointer(around).and_then(Value::as_object);
            let texts = members.into_iter().flat_map(|members| members.values()).filter_map(Value::as_str);
            let origins: BTreeSet<usize> =
                texts.filter_map(|text| self.by_text.get(text)).flatten().copied().collect();
            if origins.into_iter().any(|number| is_shown(&self.bodies[number], name, shown)) {
                return true;
            }
            let Some((outer, _)) = around.rsplit_once('/').filter(|_| shown.is_some()) else { return false };
            around = outer;
        }
    }
}

/// Whether a member of this name has this value in a request, or is missing in it.
fn is_shown(sent: &Value, name: &str, shown: Option<&Value>) -> bool {
    let mut values = Vec::new();
    each_value(sent, &mut |value| values.extend(value.get(name)));
    match shown {
        Some(shown) => values.contains(&shown),
        None => values.is_empty(),
    }
}

/// Calls `met` for a value and each value inside it.
pub(crate) fn each_value<'v>(value: &'v Value, met: &mut dyn FnMut(&'v Value)) {
    met(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| each_value(item, met)),
        Value::Object(members) => members.values().for_each(|member| each_value(member, met)),
        _ => {}
    }
}

/// Fails a row for a response to the check of another, unless it has failed by itself, or would have but for a failed
/// prerequisite.
fn fail(own: &mut Outcome, (by, exchanges, failure): (Id, Vec<Exchange>, Failure)) {
    let has_failed =
        matches!(own.verdict, Verdict::Fail | Verdict::Warn | Verdict::Error | Verdict::KnownFailure);
    if has_failed || matches!(own.rests_on, Some(RestsOn::Prerequisite(_))) {
        return;
    }
    own.reason = Reason::kind(Why::Ambient);
    own.verdict = Verdict::failed(own.requirement);
    own.seen_by = Some(by);
    own.seen_in = exchanges.len();
    own.exchanges.extend(exchanges);
    own.failure = Some(Failure { exchange: Some(own.exchanges.len() - 1), ..failure });
}

/// How many declared parts a response has, and those that are not as declared, with the rows that own them.
pub fn breaches(exchange: &Exchange, dialect: &Dialect, worlds: Worlds) -> (usize, Vec<(Id, Failure)>) {
    let (mut count, mut broken) = (0, Vec::new());
    each_part(exchange, dialect, worlds, true, &mut |judged| {
        count += 1;
        broken.extend(judged.failure.map(|failure| (judged.row, failure)));
    });
    (count, broken)
}

/// Calls `met` for each declared part of a response. Without bodies, only for its headers.
pub(crate) fn each_part(
    exchange: &Exchange,
    dialect: &Dialect,
    worlds: Worlds,
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
                let asked = asks_for_stream(&exchange.request.body);
                each_of_body(endpoint, &expected, (response, asked), worlds, met);
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
        let failure = (!rule.holds(value))
            .then(|| Failure::new(At::header(name), rule.want(), value.unwrap_or("none"), None));
        let (part, name, status) = (Part::Header, Name::Plain(name), response.status);
        met(Judged { endpoint, status, part, name, row, failure, object: None });
    }
}

/// The body by its form: a plain text, a page, events, or JSON.
fn each_of_body(
    endpoint: &'static Endpoint,
    expected: &Expected,
    (response, asked): (&Response, Option<bool>),
    worlds: Worlds,
    met: &mut dyn FnMut(Judged<'_>),
) {
    let Some(row) = expected.row else { return };
    let mut body = Body { endpoint, status: response.status, row, worlds, met };
    match expected.body {
        Reply::Open(_) | Reply::Bytes => {}
        Reply::Text(text) => {
            let got = response.text();
            let is_right = got.strip_suffix('\n').unwrap_or(&got) == *text;
            body.whole(is_right, &format!("the plain text {text:?}"), || shown(&got));
        }
        Reply::Html => {
            let is_html = response.media_type() == "text/html" && response.json().is_err();
            body.whole(is_html, "an HTML document", || shown(&response.text()));
        }
        Reply::JsonOrEvents(_, event) if response.media_type() == EVENT_STREAM => {
            if asked == Some(false) {
                body.unasked(response);
            } else {
                body.events(event, response);
            }
        }
        Reply::Json(kind) => body.json(kind, expected, response),
        Reply::JsonOrEvents(kind, _) => {
            // Events with another media type are whole events, and so are lines of JSON; the media type has its own row.
            let may_be_events = asked == Some(true) || !sse::events(&response.body).is_empty();
            if response.json().is_ok() || !may_be_events {
                body.json(kind, expected, response);
            }
        }
    }
}

/// The media type of event streams.
const EVENT_STREAM: &str = "text/event-stream";

/// Whether a request asks for a stream. A body that cannot be read, or an odd value, tells nothing.
fn asks_for_stream(body: &[u8]) -> Option<bool> {
    match serde_json::from_slice::<Value>(body).ok()?["stream"] {
        Value::Null => Some(false),
        Value::Bool(asks) => Some(asks),
        _ => None,
    }
}

/// The row that owns the events: that of their first field which has one.
fn owner(event: &'static ShapeKind) -> Option<Id> {
    let ShapeKind::Object(fields) = event else { return None };
    fields.iter().find_map(|field| field.row)
}

/// The parts of a body that is held to its declaration.
struct Body<'met> {
    endpoint: &'static Endpoint,
    status: u16,
    row: Id,
    worlds: Worlds,
    met: &'met mut dyn FnMut(Judged<'_>),
}

impl Body<'_> {
    /// The body as a whole.
    fn whole(&mut self, is_right: bool, want: &str, got: impl FnOnce() -> String) {
        let failure = (!is_right).then(|| Failure::new("body", want, got(), None));
        let Body { endpoint, status, row, .. } = *self;
        let (part, name) = (Part::Bytes, Name::Plain(""));
        (self.met)(Judged { endpoint, status, part, name, row, failure, object: None });
    }

    /// A stream that the request did not ask for.
    fn unasked(&mut self, response: &Response) {
        let Body { endpoint, status, row, .. } = *self;
        let Some(row) = endpoint.shape.unasked.or(endpoint.json_type(row)) else { return };
        let want = "a JSON media type: the request asks for no stream";
        let failure = Some(Failure::new(At::header(CONTENT_TYPE), want, response.media_type(), None));
        let (part, name) = (Part::Header, Name::Plain(CONTENT_TYPE));
        (self.met)(Judged { endpoint, status, part, name, row, failure, object: None });
    }

    /// The bytes of a stream, and each event whose data is a JSON object.
    fn events(&mut self, event: &'static ShapeKind, response: &Response) {
        let Body { endpoint, status, row, .. } = *self;
        if let (Some(row), Err(wrong)) = (owner(event), str::from_utf8(&response.body)) {
            let got = format!("a byte that is not UTF-8 at offset {}", wrong.valid_up_to());
            let failure = Some(Failure::new("body", "UTF-8", got, None));
            let (part, name) = (Part::Bytes, Name::Plain(""));
            (self.met)(Judged { endpoint, status, part, name, row, failure, object: None });
        }
        for (n, event_of) in sse::events(&response.body).into_iter().enumerate() {
            let data = serde_json::from_str::<Value>(&event_of.data).ok().filter(Value::is_object);
            let Some(data) = data else { continue };
            judge_value(event, &data, row, &BodyPath::BODY, &mut |found| {
                (self.met)(judged(endpoint, status, Part::Event, &format!("event {n} "), found));
            });
        }
    }

    /// The media type of a JSON body.
    fn media_type(&mut self, response: &Response) {
        let Body { endpoint, status, row, .. } = *self;
        let Some(row) = endpoint.json_type(row) else { return };
        let found = response.media_type();
        // Whether it may be one of a stream belongs to the rows of streams.
        if found == EVENT_STREAM {
            return;
        }
        let failure = (!response.has_json_type())
            .then(|| Failure::new(At::header(CONTENT_TYPE), "a JSON media type", found.clone(), None));
        let (part, name) = (Part::Header, Name::Plain(CONTENT_TYPE));
        (self.met)(Judged { endpoint, status, part, name, row, failure, object: None });
    }

    /// A JSON body. A proxy of a shared target fails in its own words, so there a 5xx that is not JSON is not judged.
    fn json(&mut self, kind: &'static ShapeKind, expected: &Expected, response: &Response) {
        let Body { endpoint, status, row, .. } = *self;
        let Ok(body) = response.json() else {
            if (status < 500 || self.worlds == Worlds::Own) && !expected.may_be_foreign {
                self.whole(false, "JSON", || not_json(&response.body));
            }
            return;
        };
        if expected.is_foreign(&body) {
            return;
        }
        self.whole(true, "JSON", String::new);
        self.media_type(response);
        judge_value(kind, &body, row, &BodyPath::BODY, &mut |found| {
            (self.met)(judged(endpoint, status, Part::Body, "", found));
        });
        for rule in expected.whole {
            let failure = (rule.breaks)(&body).map(|got| Failure::new("body", rule.want, got, None));
            let (part, name) = (Part::Body, Name::Plain(""));
            (self.met)(Judged { endpoint, status, part, name, row: rule.row, failure, object: None });
        }
    }
}

/// What a body that is not JSON fails on: the first byte that cannot be part of a value, and what is found there.
fn not_json(body: &[u8]) -> String {
    let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(body) else { return shown("") };
    if body.trim_ascii().is_empty() {
        return "nothing".to_owned();
    }
    // The parser counts lines, and bytes in the line; it has read the byte that it rejects.
    let lines = body.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
    let at = lines.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1);
    let length = body.len();
    if error.is_eof() || at >= length {
        return format!(
            "{length} bytes that end too early, with {}",
            quoted(&body[length.saturating_sub(FOUND)..])
        );
    }
    format!(
        "{} at byte {at} of {length}, after {}",
        quoted(&body[at..]),
        quoted(&body[at.saturating_sub(FOUND)..at])
    )
}

/// How many bytes are shown around the place where a body is not JSON.
const FOUND: usize = 24;

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes[..bytes.len().min(FOUND)].escape_ascii())
}

fn judged<'a>(
    endpoint: &'static Endpoint,
    status: u16,
    part: Part,
    before: &str,
    found: Met<'a>,
) -> Judged<'a> {
    let Met { place, row, kind, value, want } = found;
    let members = value.map(|value| (kind.members(value), value));
    let object = members.filter(|(members, _)| !members.is_empty());
    let failure = want.map(|want| {
        let pointer = place.to_string();
        let at = if pointer.is_empty() { "body".to_owned() } else { format!("{before}{pointer}") };
        let got = value.map_or_else(|| "nothing".to_owned(), |value| shown(&value.to_string()));
        Failure::new(&at, want, got, None)
    });
    Judged { endpoint, status, part, name: Name::Field(place), row, failure, object }
}

/// The most characters of a value that a failure shows.
const SHOWN: usize = 200;

fn shown(text: &str) -> String {
    let cut: String = text.chars().take(SHOWN).collect();
    if cut.len() < text.len() { format!("{cut} \u{2026}") } else { cut }
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
        let headers = [("content-type", Some("application/json")), ("retry-after", after)];
        let header =
            |(name, value): (&str, Option<&str>)| Some((name.to_owned(), value?.as_bytes().to_vec()));
        Exchange {
            site: site.to_owned(),
            base: "http://a".to_owned(),
            request: Request::new(method, target),
            cut: None,
            slot: None,
            response: Ok(Response {
                status,
                headers: headers.into_iter().filter_map(header).collect(),
                body: body.to_owned().into(),
            }),
        }
    }

    #[test]
    fn what_a_body_fails_on_is_named() {
        let long = format!("{{\"a\":\"{}\",\"b\":NaN}}", "x".repeat(500));
        for (body, found) in [
            (r#"{"a":NaN}"#, r#""NaN}" at byte 5 of 9, after "{\"a\":""#),
            ("{\n\"a\": 1}}", r#""}" at byte 9 of 10, after "{\n\"a\": 1}""#),
            (r#"{"a":"#, r#"5 bytes that end too early, with "{\"a\":""#),
            ("  ", "nothing"),
            ("<html>", r#""<html>" at byte 0 of 6, after """#),
            (&long, r#""NaN}" at byte 512 of 516, after "xxxxxxxxxxxxxxxxxx\",\"b\":""#),
        ] {
            assert_eq!(not_json(body.as_bytes()), found);
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
            apply(&mut outcomes, &Dialect::default(), SUITES, Worlds::Own);
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
            let (count, broken) = breaches(&exchange, &Dialect::default(), Worlds::Shared);
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
