//! Surveys a target with a few GET requests that change nothing, within short limits.
//!
//! Responses are untrusted: their content is bounded, stripped of control characters and never taken at its word.

mod services;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use assay_spec::{Dialect, Service};
use futures_util::future::join_all;
use serde_json::Value;

use crate::client::Limits;
use crate::control::Control;
use crate::exchange::{Request, Response};
use crate::probe::wall_clock;
use crate::profile::parse_base_url;
use crate::redact::Hidden;
use crate::target::{Connect, Dial};
use crate::transport;

/// Timeout for connecting, and for one call of a control API.
const PATIENCE: Duration = Duration::from_secs(8);
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
    /// The target's dialect.
    pub dialect: &'s Dialect,
    /// A key of the gateway.
    pub gateway_key: Option<&'s str>,
    /// Secrets that no output may show, even if the target returns them.
    pub hidden: Hidden,
}

/// The result for one service's URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurveyResult {
    /// The service.
    pub service: Service,
    /// Its base URL.
    pub url: String,
    /// What was found, or why there was no response.
    pub found: Result<Found, String>,
}

/// What was found about a service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Notes for readers, one line each.
    pub notes: Vec<String>,
    /// Values for a profile: TOML by key, such as `gateway.models.chat`.
    pub values: BTreeMap<&'static str, String>,
    /// The status of the deciding response.
    pub status: u16,
    /// The responses look like this service's.
    pub is_recognised: bool,
    /// The server rejected the key.
    pub is_key_refused: bool,
    /// How far the target's clock is ahead of this machine's, in milliseconds, within two seconds.
    pub skew_ms: Option<i64>,
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
    /// Surveys every service concurrently; the results are in the given order.
    pub async fn run(&self, services: &[(Service, String)]) -> Vec<SurveyResult> {
        join_all(services.iter().map(|(service, url)| async move {
            let found = services::survey(self, *service, url).await;
            SurveyResult {
                service: *service,
                url: url.clone(),
                found: found.map(|found| self.cleaned(found)),
            }
        }))
        .await
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

    /// Sends a GET as a run does: same HTTP version, headers and timeouts.
    async fn get(&self, base: &str, path: &str, key: Option<&str>) -> Result<Response, String> {
        let url = url::Url::parse(base).map_err(|e| format!("{base}: {e}"))?;
        let mut request = Request::new("GET", &format!("{}{path}", url.path().trim_end_matches('/')));
        if let Some(key) = key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let transport = self.connector.transport();
        // `hidden` already contains these values.
        let request = transport.dress(request, &mut Hidden::default());
        let limits = Limits { head_bytes: HEAD_BYTES, body_bytes: BODY_BYTES, ..Limits::default() };
        let limits = transport.within(base, limits);
        let patience = PATIENCE + limits.timeout;
        let asking = transport::send(&*self.connector, Dial::to(base), &request, limits);
        match tokio::time::timeout(patience, asking).await {
            Ok(attempt) => attempt.response.map_err(|why| self.reason(base, &why.to_string())),
            Err(_) => Err(slow(base, patience)),
        }
    }

    /// The reason for a missing response, with the URL.
    fn reason(&self, base: &str, why: &str) -> String {
        let why = if why.contains(base) { why.to_owned() } else { format!("{base}: {why}") };
        bounded(&self.hidden, &why, REASON)
    }

    /// Removes secrets that the target may have returned.
    fn cleaned(&self, mut found: Found) -> Found {
        found.notes.iter_mut().for_each(|note| self.hidden.redact_text(note));
        found.values.retain(|_, value| is_clean(&self.hidden, value));
        found
    }
}

/// Asks a control API what it offers. An error says why that is unknown.
pub async fn level(control: &Control, hidden: &Hidden) -> Result<Level, String> {
    let asking = tokio::time::timeout(PATIENCE, control.info());
    let info = asking.await.map_err(|_| slow(control.base(), PATIENCE))?;
    let info = info.map_err(|why| bounded(hidden, &why, REASON))?;
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
    /// Notes the clock of a response's Date header.
    fn sees_clock(&mut self, response: &Response) {
        let date = response.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
        if let Some(since) = date.and_then(|date| date.duration_since(std::time::UNIX_EPOCH).ok()) {
            let skew = i64::try_from(since.as_millis()).unwrap_or(i64::MAX).saturating_sub(wall_clock().0);
            self.skew_ms = Some(if skew.abs() < 2000 { 0 } else { skew });
        }
    }
}

fn slow(base: &str, patience: Duration) -> String {
    format!("{base}: no response within {} s", patience.as_secs())
}

/// A string of a target for display: without secrets and control characters, and bounded.
fn shown(hidden: &Hidden, text: &str) -> String {
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
fn usable(hidden: &Hidden, text: &str) -> Option<String> {
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
fn literal(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// The names of an object's members, for a note.
fn members(hidden: &Hidden, value: &Value) -> String {
    let names = value.as_object().into_iter().flatten().map(|(name, _)| shown(hidden, name));
    let names: Vec<String> = names.collect();
    match names.len() {
        0 => "no members".to_owned(),
        1..=8 => names.join(", "),
        more => format!("{} and {} more", names[..8].join(", "), more - 8),
    }
}
