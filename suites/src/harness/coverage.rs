//! Which documented endpoints a run has seen at its target. The documents do not say which of them a running service
//! has (document 2, "Endpoints"), so this is information, never a verdict.

use std::collections::BTreeSet;

use assay_spec::catalogue::{self, site, stores};
use assay_spec::endpoint::Endpoint;
use assay_spec::reply::{is_of_kind, want};
use assay_spec::shape::{Field, ShapeKind};
use assay_spec::{Service, field};
use serde_json::Value;

use crate::documents::endpoints::endpoint_of;
use crate::harness::pace::Pace;
use crate::harness::probe::Settings;
use crate::harness::sender::Sender;
use crate::harness::suite::Suites;
use crate::harness::{environment::Environment, target::Target};
use crate::http::client::Limits;
use crate::http::exchange::{Exchange, Request, Response};

/// What a run observed about one documented endpoint.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// The endpoint.
    pub endpoint: &'static Endpoint,
    /// The profile has not switched it off.
    pub declared: bool,
    /// What the responses say about its existence.
    pub seen: Seen,
    /// 2xx responses to checks.
    pub accepted: Answers,
    /// 4xx responses to checks.
    pub rejected: Answers,
    /// No check used it, so the run sent one extra request.
    pub is_probed: bool,
    /// What the documents declare and no response to a check had: a status (`410`), or an optional field of the responses with a
    /// status (`200 txtObserved.vault`), or one of the types of a field (`200 attributes[].value as true or false`). `None`: no check
    /// used it.
    pub unseen: Option<BTreeSet<String>>,
}

/// The optional fields that responses had, and the types of the fields that may have several: the endpoint, the status, and the
/// field as a report names it.
#[derive(Debug, Default)]
pub(crate) struct Shown(BTreeSet<(&'static str, &'static str, u16, String)>);

impl Shown {
    /// Adds those of an object in a response. `place` is what the names of its fields begin with.
    pub(crate) fn add(
        &mut self,
        (endpoint, status): (&'static Endpoint, u16),
        place: impl FnOnce() -> String,
        fields: &'static [Field],
        object: &Value,
    ) {
        let mut present = fields
            .iter()
            .filter(|field| !object[field.name].is_null() && (!field.required || !field.types().is_empty()))
            .peekable();
        if present.peek().is_none() {
            return;
        }
        let place = place();
        for field in present {
            let (name, value) = (format!("{place}{}", field.name), &object[field.name]);
            let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            let kinds = field.types().iter();
            let kinds = kinds.filter(|kind| values.iter().any(|value| is_of_kind(kind, value)));
            let names = kinds.map(|kind| of_kind(&name, kind)).chain([name.clone()]);
            self.0.extend(names.map(|name| (endpoint.method, endpoint.path, status, name)));
        }
    }

    /// Adds those of other responses.
    pub(crate) fn merge(&mut self, mut more: Shown) {
        self.0.append(&mut more.0);
    }
}

/// The name of a field that has this type.
fn of_kind(name: &str, kind: &ShapeKind) -> String {
    format!("{name} as {}", want(kind))
}

/// Responses of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Their number.
    pub count: usize,
    /// How many of them a check judged: a success by its body, a rejection by anything.
    pub judged: usize,
}

/// Whether an endpoint exists, according to the responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// No request was sent: it is switched off, the profile has no address for it, or no check needed it.
    NotAsked,
    /// The responses are inconclusive: no response, a redirect, an error of a proxy.
    Unclear,
    /// Every response was a 404, 405 or 501 that is not in the API's error form.
    Absent,
    /// The endpoint responded.
    Present,
}

impl Seen {
    /// Every value; in a merge the first one wins.
    pub const ALL: [Seen; 4] = [Seen::Present, Seen::Absent, Seen::Unclear, Seen::NotAsked];

    /// The value's name in every report.
    pub const fn name(self) -> &'static str {
        match self {
            Seen::NotAsked => "not-asked",
            Seen::Unclear => "unclear",
            Seen::Absent => "absent",
            Seen::Present => "present",
        }
    }

    /// What one response says.
    fn from_response(suites: Suites, endpoint: &Endpoint, response: &Response) -> Seen {
        match response.status {
            200..=299 => Seen::Present,
            404 | 405 | 501 if !is_own_refusal(suites, endpoint, response) => Seen::Absent,
            400..=499 => Seen::Present,
            _ if is_own_refusal(suites, endpoint, response) => Seen::Present,
            _ => Seen::Unclear,
        }
    }
}

/// An exchange of a check, and whether the check judged it; `Some(true)` means by its body.
pub type StatedExchange<'run> = (&'run Exchange, Option<bool>);

/// A row for each documented endpoint of these services, computed from the exchanges of their checks.
pub fn gather<'run>(
    services: &[Service],
    settings: &Settings,
    exchanges: impl Iterator<Item = StatedExchange<'run>>,
) -> Vec<Coverage> {
    let rows = services.iter().flat_map(|service| catalogue::endpoints_of(*service));
    let mut rows: Vec<Coverage> = rows
        .map(|endpoint| Coverage {
            endpoint,
            declared: (settings.suites.get(endpoint.service).offers)(settings, endpoint),
            seen: Seen::NotAsked,
            accepted: Answers::default(),
            rejected: Answers::default(),
            is_probed: false,
            unseen: None,
        })
        .collect();
    for (exchange, stated) in exchanges {
        let Some(endpoint) = endpoint_of(&settings.dialect, exchange) else { continue };
        let row = rows.iter_mut().find(|row| std::ptr::eq(row.endpoint, endpoint));
        if let Some(row) = row {
            row.count(settings.suites, exchange, stated);
        }
    }
    rows
}

/// Adds the optional fields that no response had, and the types that none showed of a field.
pub(crate) fn add_unseen_fields(rows: &mut [Coverage], shown: &Shown) {
    for row in rows {
        let Some(unseen) = &mut row.unseen else { continue };
        let optional = field::optional(row.endpoint).into_iter();
        let unions = field::unions(row.endpoint).into_iter().flat_map(|(status, name, field)| {
            let kinds = field.types().iter();
            kinds.map(move |kind| (status, of_kind(&name, kind))).collect::<Vec<_>>()
        });
        for (status, name) in optional.chain(unions) {
            let key = (row.endpoint.method, row.endpoint.path, status, name);
            if !shown.0.contains(&key) {
                unseen.insert(format!("{status} {}", key.3));
            }
        }
    }
}

impl Coverage {
    /// Adds what another part of the run has observed about the same endpoint.
    pub fn merge(&mut self, more: Coverage) {
        self.unseen = match (self.unseen.take(), more.unseen) {
            (Some(unseen), Some(more)) => Some(unseen.intersection(&more).cloned().collect()),
            (unseen, more) => unseen.or(more),
        };
        self.seen = self.seen.max(more.seen);
        self.is_probed |= more.is_probed;
        for (sum, more) in [(&mut self.accepted, more.accepted), (&mut self.rejected, more.rejected)] {
            sum.count += more.count;
            sum.judged += more.judged;
        }
    }

    fn count(&mut self, suites: Suites, exchange: &Exchange, stated: Option<bool>) {
        let response = exchange.response.as_ref().ok();
        let seen =
            response.map_or(Seen::Unclear, |response| Seen::from_response(suites, self.endpoint, response));
        self.seen = self.seen.max(seen);
        let statuses = || self.endpoint.statuses.iter().map(ToString::to_string).collect();
        let unseen = self.unseen.get_or_insert_with(statuses);
        if let Some(response) = response {
            unseen.remove(&response.status.to_string());
        }
        let (answers, is_judged) = match response.map(|response| response.status) {
            Some(200..=299) => (&mut self.accepted, stated == Some(true)),
            Some(400..=499) => (&mut self.rejected, stated.is_some()),
            _ => return,
        };
        answers.count += 1;
        answers.judged += usize::from(is_judged);
    }
}

/// Sends one harmless request (such as an empty object or an unknown hash) to each endpoint that is declared, has an
/// address and was not used. In a read-only run, no writing endpoint gets one.
pub async fn ask_for_the_rest(
    rows: &mut [Coverage],
    target: &dyn Target,
    pace: &Pace,
    settings: &Settings,
) -> Result<(), String> {
    let (suites, read_only) = (settings.suites, settings.read_only);
    let wanted = |row: &&mut Coverage| {
        let may_be_asked = !(read_only && stores(row.endpoint));
        row.declared && row.seen == Seen::NotAsked && may_be_asked && target.has_site(site(row.endpoint))
    };
    let mut wanted = rows.iter_mut().filter(wanted).peekable();
    let Some(service) = wanted.peek().map(|row| row.endpoint.service) else { return Ok(()) };
    let environment = target.environment(service).await.map_err(|error| error.to_string())?;
    for row in wanted {
        let name = site(row.endpoint);
        let Some(base) = environment.sites.get(name) else { continue };
        if !environment.own && pace.start(name, 1).await.is_err() {
            continue;
        }
        let response = send_harmless(&environment, base, row.endpoint).await;
        if let (Some(response), false) = (&response, environment.own) {
            pace.answered(name, response);
        }
        row.is_probed = true;
        row.seen =
            response.map_or(Seen::Unclear, |response| Seen::from_response(suites, row.endpoint, &response));
    }
    target.leave(environment, false).await;
    Ok(())
}

/// Sends one harmless request; `None` if no response came.
async fn send_harmless(environment: &Environment, base: &str, endpoint: &Endpoint) -> Option<Response> {
    let sender = Sender::new(environment.connector.clone(), base).ok()?;
    let mut request = Request::new(endpoint.method, &sender.target(&filled(endpoint.path)));
    if endpoint.method != "GET" {
        request = request.header("Content-Type", "application/json").body("{}");
    }
    sender.once(request, Limits::default()).await.ok()
}

/// A template with an unknown hash for each placeholder.
fn filled(template: &str) -> String {
    let mut path = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        path.push_str(before);
        path.push_str(&"0".repeat(64));
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    path + rest
}

/// Whether a rejection is in the service's own error form; where any server may send that form, also with a status that
/// the endpoint has.
fn is_own_refusal(suites: Suites, endpoint: &Endpoint, response: &Response) -> bool {
    let suite = suites.get(endpoint.service);
    let is_error = (suite.is_error)(&response.json().unwrap_or(Value::Null));
    is_error && (suite.has_own_errors || endpoint.statuses.contains(&response.status))
}

/// How many rows have that value.
pub fn count(rows: &[Coverage], seen: Seen) -> usize {
    rows.iter().filter(|row| row.seen == seen).count()
}

#[cfg(test)]
mod tests {
    use assay_spec::metadata::token::BY_CID;
    use assay_spec::publish::prepare::ENDPOINT;
    use assay_spec::shape::{Reply, ShapeKind};
    use serde_json::json;

    use super::*;

    /// The fields of the response with status 200, where the endpoint declares them.
    fn fields_of(endpoint: &'static Endpoint) -> &'static [Field] {
        match endpoint.expected(200).map(|expected| expected.body) {
            Some(Reply::Json(ShapeKind::Object(fields))) => fields,
            _ => panic!("its response is an object"),
        }
    }

    #[test]
    fn an_optional_field_is_unseen_until_a_response_has_it() {
        let fields = fields_of(&ENDPOINT);
        let unseen_after = |observed: Value| {
            let mut shown = Shown::default();
            let body = json!({ "txtObserved": observed });
            shown.add((&ENDPOINT, 200), String::new, fields, &body);
            let unseen = Some(BTreeSet::from(["410".to_owned()]));
            let answers = Answers::default();
            let mut rows = [Coverage {
                endpoint: &ENDPOINT,
                declared: true,
                seen: Seen::Present,
                accepted: answers,
                rejected: answers,
                is_probed: false,
                unseen,
            }];
            add_unseen_fields(&mut rows, &shown);
            let [row] = rows;
            row.unseen.into_iter().flatten().collect::<Vec<_>>()
        };
        assert_eq!(unseen_after(Value::Null), ["200 txtObserved", "409 cause", "410"]);
        assert_eq!(unseen_after(json!({})), ["409 cause", "410"]);
    }

    #[test]
    fn a_type_of_a_field_is_unseen_until_a_response_shows_it() {
        let attributes = fields_of(&BY_CID).iter().find(|field| field.name == "attributes");
        let Some(ShapeKind::Array(ShapeKind::Object(fields))) = attributes.map(|field| field.kind) else {
            panic!("an array of objects")
        };
        let unseen_after = |values: &[Value]| {
            let mut shown = Shown::default();
            for value in values {
                let place = || "attributes[].".to_owned();
                shown.add((&BY_CID, 200), place, fields, &json!({ "value": value }));
            }
            let mut rows = [Coverage {
                endpoint: &BY_CID,
                declared: true,
                seen: Seen::Present,
                accepted: Answers::default(),
                rejected: Answers::default(),
                is_probed: false,
                unseen: Some(BTreeSet::new()),
            }];
            add_unseen_fields(&mut rows, &shown);
            let [row] = rows;
            let unseen = row.unseen.into_iter().flatten();
            unseen.filter(|name| name.contains("attributes[]")).collect::<Vec<_>>()
        };
        let [text, number, flag] = ["a string", "an integer", "true or false"]
            .map(|kind| format!("200 attributes[].value as {kind}"));
        assert_eq!(unseen_after(&[]), [text.clone(), number, flag.clone()]);
        assert_eq!(unseen_after(&[json!(7)]), [text, flag.clone()]);
        assert_eq!(unseen_after(&[json!("a"), json!(7)]), [flag]);
        assert_eq!(unseen_after(&[json!(true), json!("a"), json!(7)]), [] as [&str; 0]);
    }
}
