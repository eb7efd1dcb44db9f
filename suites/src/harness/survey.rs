//! Surveys a target before its checks run: what answers at each URL, and one question for each fixture of the profile.
//!
//! Nothing is changed. Responses are untrusted: their content is bounded, stripped of control characters and never
//! taken at its word. What the documents promise of a service, and the questions for its fixtures, are in the `survey`
//! file of each service.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use assay_spec::Service;
use futures_util::future::join_all;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::control::Control;
use crate::harness::data::ControlError;
use crate::harness::pace::{Pace, Tried};
use crate::harness::probe::{Settings, wall_clock};
use crate::harness::sender::Sender;
use crate::http::client::Limits;
use crate::http::connect::{Connect, Dial};
use crate::http::exchange::{Broken, Request, Response};
use crate::http::hiding::Hidden;
use crate::http::transport::{self, Http, NOWHERE};
use crate::profile::{Source, parse_base_url};

/// Timeout for connecting, and for one call of a control API.
const PATIENCE: Duration = Duration::from_secs(8);
/// The longest timeout of a response.
const LONGEST: Duration = Duration::from_mins(1);
/// Timeout of the questions whether a server speaks TLS.
const SOON: Duration = Duration::from_millis(500);
/// How a TLS alert begins.
const TLS_ALERT: [u8; 2] = [0x15, 0x03];
/// Limits for the head and body of a response.
const HEAD_BYTES: usize = 32 * 1024;
const BODY_BYTES: usize = 2 * 1024 * 1024;
/// The longest string of a target that is shown.
const SHOWN: usize = 100;
/// The longest reason for a missing response; it contains a URL and possibly the target's message.
const REASON: usize = 400;

/// What a survey needs.
pub struct Survey<'s> {
    /// How the target is reached.
    pub connector: Arc<dyn Connect>,
    /// The dialect, the fixtures, and the secrets that no output may show, even if the target returns them.
    pub settings: &'s Settings,
    /// The pace of requests; the survey's count, too.
    pub pace: &'s Pace,
    /// Base URLs by site name.
    pub sites: &'s BTreeMap<String, String>,
}

/// One URL of the target. Requests to it count for its site.
#[derive(Clone, Copy)]
pub struct Asked<'s> {
    pub(crate) survey: &'s Survey<'s>,
    site: &'s str,
    base: &'s str,
}

/// The result for one service's URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurveyResult {
    /// The service.
    pub service: Service,
    /// Something identifies a server of this kind.
    pub is_recognizable: bool,
    /// Its base URL.
    pub url: String,
    /// What was found, or why there was no response.
    pub found: Result<Found, String>,
}

impl SurveyResult {
    /// That the server is not this service, if that is certain: its name, what was seen, and what it looks like.
    pub fn stranger(&self) -> Option<String> {
        let found = self.found.as_ref().ok()?;
        let is_stranger = found.likeness == Likeness::Unlike || found.other.is_some();
        (is_stranger && self.is_recognizable).then(|| {
            let seen = found.notes.first().map(String::as_str).unwrap_or_default();
            let other = found.other.map(|other| format!(", it looks like the {other} service"));
            let (url, service) = (&self.url, self.service);
            format!("{url} is not a {service} service{}: {seen}", other.unwrap_or_default())
        })
    }
}

/// What was found about a service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Notes for readers, one line each.
    pub notes: Vec<String>,
    /// Values for a profile: TOML by key, such as `gateway.models.chat`.
    pub values: BTreeMap<&'static str, String>,
    /// Readings that the responses show: values as TOML, by keys such as `gateway.readings.payment_flow`.
    pub readings: BTreeMap<&'static str, String>,
    /// The status of the first response.
    pub status: u16,
    /// How much the responses look like this service's.
    pub likeness: Likeness,
    /// The service's path is answered as any unknown path is.
    pub is_missing: bool,
    /// Another service whose marks the responses at this URL have.
    pub other: Option<Service>,
    /// How far the target's clock is ahead of this machine's, in milliseconds, within two seconds.
    pub skew_ms: Option<i64>,
}

/// How much a server looks like a service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// No response is as the documents promise, and each shows that the path is unknown or has another meaning.
    #[default]
    Unlike,
    /// A response that any server may send: it rejects, it fails, or it is a page.
    Unclear,
    /// A response is as the documents promise.
    Like,
}

/// An entry of the profile that the target does not confirm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongFixture {
    /// Its key, such as `gateway.models.chat` or `publish.domains[1]`.
    pub key: String,
    /// What was asked, and what the target returned.
    pub what: String,
    /// How to fix it.
    pub remedy: String,
}

/// Takes out of the settings what the target does not confirm, so that no check rests on it. `wrong` has the reason of
/// each key.
pub fn leave_out(wrong: BTreeMap<String, String>, settings: &mut Settings) {
    settings.wrong = wrong;
    settings.suites.iter().for_each(|suite| (suite.fixtures.leave_out)(settings));
}

/// Why the checks that rest on these are skipped, by key.
pub fn reasons(wrong: &[WrongFixture], source: &Source) -> BTreeMap<String, String> {
    wrong.iter().map(|wrong| (wrong.key.clone(), wrong.reason(source))).collect()
}

impl WrongFixture {
    pub(crate) fn new(
        key: impl Into<String>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> WrongFixture {
        WrongFixture { key: key.into(), what: what.into(), remedy: remedy.into() }
    }

    /// Why a check that rests on it is skipped.
    pub fn reason(&self, source: &Source) -> String {
        format!("{} is wrong: {}", source.place_of(&self.key), self.what)
    }
}

/// How to fix an unreachable server.
pub(crate) fn way_to(why: &str) -> &'static str {
    let known = [
        (
            "authority is unknown",
            "set ca_file = \"\u{2026}\" to the certificate (PEM) of the server's authority",
        ),
        ("another name", "use a host name that is in the certificate, or another certificate"),
        ("has expired", "renew the server's certificate"),
        ("not valid yet", "correct the clock of this machine or of the server"),
        ("does not speak TLS", "use http:// instead of https://, or the TLS port"),
        ("refused", "is the server started? Start it, or correct the port"),
        ("lookup", "correct the host name in the URL"),
        ("resolve", "correct the host name in the URL"),
    ];
    let found = known.iter().find(|(words, _)| why.contains(words));
    found.map_or("check that the service runs and that this machine can reach it", |(_, remedy)| *remedy)
}

/// What a control API offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// Its time level, such as `T2`.
    pub time: String,
    /// The numbers of faults and actions.
    pub faults: usize,
    /// See `faults`.
    pub actions: usize,
    /// It forks worlds.
    pub forks: bool,
    /// The base URLs of its sites, by name.
    pub sites: BTreeMap<String, String>,
    /// Sites with invalid URLs, and why.
    pub useless: Vec<String>,
}

impl Survey<'_> {
    /// Looks at the URL of every service concurrently; the results are in the order of the services.
    pub async fn run(&self) -> Vec<SurveyResult> {
        let suites = self.settings.suites;
        let all =
            Service::ALL.iter().copied().filter_map(|service| Some((service, self.at(service.name())?)));
        join_all(all.map(|(service, place)| async move {
            let found =
                (suites.get(service).questions.recognise)(place).await.map(|found| self.cleaned(found));
            let is_recognizable = suites.get(service).questions.is_recognizable;
            SurveyResult { service, is_recognizable, url: place.base.to_owned(), found }
        }))
        .await
    }

    /// Names the service that a server looks like where it does not look like the one of its URL.
    pub async fn name_others(&self, all: &mut [SurveyResult]) {
        let suites = self.settings.suites;
        for SurveyResult { service, found, .. } in all {
            let (Ok(found), Some(place)) = (found, self.at(service.name())) else { continue };
            let questions = &suites.get(*service).questions;
            if found.likeness == Likeness::Like || !questions.is_recognizable {
                continue;
            }
            // One host may serve several services. Some share their documented URL: a server of the other may be beside it,
            // unless the profile names another URL for that.
            let is_beside = |other: &Service| match self.sites.get(other.name()) {
                Some(url) => url == place.base,
                None => other == service || questions.at_same_url.contains(other) && !found.is_missing,
            };
            // The pace counts each question: first the services that are easily confused.
            let all = questions
                .at_same_url
                .iter()
                .chain(Service::ALL.iter().filter(|one| !questions.at_same_url.contains(one)));
            for other in all.copied().filter(|other| !is_beside(other)) {
                let seen = (suites.get(other).questions.recognise)(place).await;
                if seen.is_ok_and(|seen| seen.likeness == Likeness::Like) {
                    found.other = Some(other);
                    break;
                }
            }
        }
    }

    /// Whether the server of a service answers nothing in time: neither the question nor a request for an unknown path.
    pub(crate) async fn is_mute(&self, asked: &SurveyResult) -> bool {
        let transport = self.connector.transport();
        if asked.found.is_ok() || !transport.is_mute(&asked.url) {
            return false;
        }
        let Ok(sender) = Sender::new(self.connector.clone(), &asked.url) else { return false };
        let request = Request::new("GET", &sender.target(NOWHERE));
        let limits = transport.confirmation(asked.service.name());
        transport::send(&*self.connector, Dial::to(&asked.url), &request, limits).await.response.is_err()
    }

    /// Whether the server of an `http` URL speaks TLS: it answers a plain request with a TLS alert, or accepts a handshake.
    pub(crate) async fn speaks_tls(&self, base: &str) -> bool {
        let Some(rest) = base.strip_prefix("http://") else { return false };
        let secure = format!("https://{rest}");
        let asking = async {
            let mut stream = self.connector.connect(base, None).await.ok()?;
            stream.write_all(b"GET / HTTP/1.1\r\nHost: assay\r\n\r\n").await.ok()?;
            let mut head = [0; TLS_ALERT.len()];
            stream.read_exact(&mut head).await.ok()?;
            Some(head == TLS_ALERT)
        };
        if let Ok(Some(true)) = tokio::time::timeout(SOON, asking).await {
            return true;
        }
        let dialing = self.connector.dial(Dial { own: false, ..Dial::to(&secure) }, Http::One);
        tokio::time::timeout(SOON, dialing).await.is_ok_and(|dialed| dialed.is_ok())
    }

    /// Adds what a first profile can hold: the models, messages and contracts that the target shows.
    pub async fn discover(&self, all: &mut [SurveyResult], examples: &[String]) {
        let suites = self.settings.suites;
        for SurveyResult { service, found, .. } in all {
            if let (Ok(found), Some(place)) = (found, self.at(service.name())) {
                (suites.get(*service).questions.discover)(place, found, examples).await;
                *found = self.cleaned(std::mem::take(found));
            }
        }
    }

    /// Asks one question for each fixture of these services, and for the first `domains` domains. Returns the fixtures
    /// that the target does not confirm.
    pub async fn wrong_fixtures(&self, services: &[Service], domains: usize) -> Vec<WrongFixture> {
        let suites = self.settings.suites;
        let asked =
            services.iter().map(|service| (suites.get(*service).questions.wrong_fixtures)(self, domains));
        let mut wrong: Vec<WrongFixture> = join_all(asked).await.into_iter().flatten().collect();
        for WrongFixture { what, .. } in &mut wrong {
            *what = bounded(&self.settings.secrets, what, REASON);
        }
        wrong
    }

    /// Checks that a server listens at a base URL.
    pub async fn listens(&self, base: &str) -> Result<(), String> {
        let http = self.connector.transport().http;
        let connecting = tokio::time::timeout(PATIENCE, self.connector.dial(Dial::to(base), http));
        match connecting.await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(why)) => Err(self.reason(base, &why.to_string())),
            Err(_) => Err(slow(base, PATIENCE)),
        }
    }

    /// The URL of a site.
    pub(crate) fn at<'s>(&'s self, site: &'s str) -> Option<Asked<'s>> {
        self.sites.get(site).map(|base| Asked { survey: self, site, base })
    }

    /// The reason for a missing response, with the URL.
    fn reason(&self, base: &str, why: &str) -> String {
        let why = if why.contains(base) { why.to_owned() } else { format!("{base}: {why}") };
        bounded(&self.settings.secrets, &why, REASON)
    }

    /// Removes secrets that the target may have returned.
    fn cleaned(&self, mut found: Found) -> Found {
        found.notes.iter_mut().for_each(|note| self.settings.secrets.redact_text(note));
        found.values.retain(|_, value| is_clean(&self.settings.secrets, value));
        found
    }
}

impl<'s> Asked<'s> {
    /// Another URL of the target, whose requests count for the same site.
    pub(crate) fn elsewhere(&self, base: &'s str) -> Asked<'s> {
        Asked { base, ..*self }
    }

    /// Sends a GET for a path below the base URL.
    pub(crate) async fn get(&self, path: &str) -> Result<Response, String> {
        self.send(Request::new("GET", path), Limits::default()).await
    }

    /// Sends a POST of JSON to a path below the base URL.
    pub(crate) async fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> Result<Response, String> {
        let request = Request::new("POST", path).header("Content-Type", "application/json");
        self.send(request.body(body), Limits::default()).await
    }

    /// Sends a request for a path below the base URL as a run does: same pace, retries, HTTP version, headers and
    /// timeouts.
    pub(crate) async fn send(&self, mut request: Request, limits: Limits) -> Result<Response, String> {
        let Asked { survey, site, base } = *self;
        let sender = Sender::new(survey.connector.clone(), base)?;
        request.target = sender.target(&request.target);
        let mut limits = survey
            .connector
            .transport()
            .within(base, Limits { head_bytes: HEAD_BYTES, body_bytes: BODY_BYTES, ..limits });
        limits.timeout = limits.timeout.min(LONGEST);
        let patience = PATIENCE + limits.timeout;
        let mut tried = Tried::default();
        loop {
            survey.pace.start(site, 1).await.map_err(|why| format!("{base}: {why}"))?;
            let sending = tokio::time::timeout(patience, sender.once(request.clone(), limits));
            let transport = survey.connector.transport();
            let Ok(result) = sending.await else {
                transport.note_mute(base);
                return Err(slow(base, patience));
            };
            if result.as_ref().is_err_and(Broken::is_silence) {
                transport.note_mute(base);
            }
            if let Ok(response) = &result
                && !(survey
                    .settings
                    .suites
                    .of_site(site)
                    .is_some_and(|suite| (suite.is_down)(survey.settings, &request)))
            {
                survey.pace.answered(site, response);
                survey.pace.limited([site], response);
            }
            if !survey.pace.sends_again(&mut tried, &result) {
                return result.map_err(|why| survey.reason(base, &why.to_string()));
            }
        }
    }

    /// The status of an answer for display, with the beginning of an error's body. Other bodies differ from run to run, and may
    /// show what is secret.
    pub(crate) fn got(&self, answer: &Response) -> String {
        if answer.status < 400 {
            return answer.status.to_string();
        }
        let body = shown(&self.survey.settings.secrets, answer.text().trim());
        format!("{} {body}", answer.status).trim_end().to_owned()
    }

    /// The request target of a path below the base URL.
    pub(crate) fn target(&self, path: &str) -> String {
        let sender = Sender::new(self.survey.connector.clone(), self.base);
        sender.map_or_else(|_| path.to_owned(), |sender| sender.target(path))
    }

    /// The path below the base URL in a URL that begins with it.
    pub(crate) fn path_of(&self, url: &str) -> Option<String> {
        let path = url.strip_prefix(self.base)?;
        path.starts_with('/').then(|| path.to_owned())
    }
}

/// Asks a control API what it offers. An error says why that is unknown.
pub async fn level(control: &Control, hidden: &Hidden) -> Result<Level, ControlError> {
    let asking = tokio::time::timeout(PATIENCE, control.info());
    let info = asking.await.map_err(|_| slow(control.base(), PATIENCE))?;
    let info = info.map_err(|mut error| {
        *error.text_mut() = bounded(hidden, error.text_mut(), REASON);
        error
    })?;
    let count = |member: &str| info[member].as_object().map_or(0, serde_json::Map::len);
    let mut level = Level {
        time: info["time"].as_str().map_or_else(|| "T0".to_owned(), |time| shown(hidden, time)),
        faults: count("faults"),
        actions: count("actions"),
        forks: info["forks"].as_bool().unwrap_or(false),
        ..Level::default()
    };
    for (name, url) in info["sites"].as_object().into_iter().flatten() {
        let name = shown(hidden, name);
        let url = url.as_str().and_then(|url| usable(hidden, url));
        match url.ok_or_else(|| "not a usable string".to_owned()).and_then(|url| parse_base_url(&url)) {
            Ok(url) => {
                level.sites.insert(name, url);
            }
            Err(why) => level.useless.push(format!("{name}: {}", shown(hidden, &why))),
        }
    }
    Ok(level)
}

impl Found {
    /// Counts a response: whether it `is_promised` by the documents, and its clock.
    pub(crate) fn saw(&mut self, response: &Response, is_promised: bool) {
        let likeness = match response.status {
            _ if is_promised => Likeness::Like,
            501 => Likeness::Unlike,
            300..=399 | 401 | 403 | 407 | 408 | 429 | 500.. => Likeness::Unclear,
            _ => Likeness::Unlike,
        };
        self.likeness = self.likeness.max(likeness);
        if self.status == 0 {
            self.status = response.status;
        }
        self.skew_ms = self.skew_ms.or_else(|| skew_ms(response));
    }
}

/// How far a response's clock is ahead of this machine's, in milliseconds. A `Date` has whole seconds; less than two
/// say nothing.
pub(crate) fn skew_ms(response: &Response) -> Option<i64> {
    let date = httpdate::parse_http_date(response.header("date")?).ok()?;
    let since = date.duration_since(std::time::UNIX_EPOCH).ok()?;
    let skew = i64::try_from(since.as_millis()).unwrap_or(i64::MAX).saturating_sub(wall_clock().0);
    Some(if skew.abs() < 2000 { 0 } else { skew })
}

fn slow(base: &str, patience: Duration) -> String {
    format!("{base}: no response within {} s", patience.as_secs())
}

/// A string of a target for display: without secrets and control characters, and bounded.
pub(crate) fn shown(hidden: &Hidden, text: &str) -> String {
    bounded(hidden, text, SHOWN)
}

fn bounded(hidden: &Hidden, text: &str, most: usize) -> String {
    // Redact before cutting: a secret that is cut in the middle would not be found.
    let mut text = text.to_owned();
    hidden.redact_text(&mut text);
    let clean = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let cut: String = clean.clone().take(most).collect();
    if clean.count() > most { format!("{cut} \u{2026}") } else { cut }
}

/// A string of a target that a profile may contain: short, only visible characters, no secret.
pub(crate) fn usable(hidden: &Hidden, text: &str) -> Option<String> {
    let is_plain = !text.is_empty() && text.chars().count() <= SHOWN && !text.chars().any(char::is_control);
    (is_plain && is_clean(hidden, text)).then(|| text.to_owned())
}

/// Whether a string contains no secret.
fn is_clean(hidden: &Hidden, text: &str) -> bool {
    let mut redacted = text.to_owned();
    hidden.redact_text(&mut redacted);
    redacted == text
}

/// A string as a TOML literal.
pub(crate) fn literal(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// The names of an object's members, for a note.
pub(crate) fn members(hidden: &Hidden, value: &Value) -> String {
    let names = value.as_object().into_iter().flatten().map(|(name, _)| shown(hidden, name));
    let names: Vec<String> = names.collect();
    match names.len() {
        0 => "no members".to_owned(),
        1..=8 => names.join(", "),
        more => format!("{} and {} more", names[..8].join(", "), more - 8),
    }
}
