//! What a target tells when it is asked politely: a few GETs that change nothing, within short limits.
//!
//! Whatever an answer holds was written by a stranger: it is bounded, stripped of control characters, and never trusted
//! to be what it says.

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

/// What connecting may take, and all of a question to a control API.
const PATIENCE: Duration = Duration::from_secs(8);
/// The longest head and body of an answer that are read.
const HEAD_BYTES: usize = 32 * 1024;
const BODY_BYTES: usize = 2 * 1024 * 1024;
/// The longest text of a target that is shown.
const SHOWN: usize = 100;
/// The longest reason why nothing came, in which a URL stands beside a target's words.
const REASON: usize = 400;

/// Who asks, and with what.
pub struct Survey<'s> {
    /// How the target is reached.
    pub connector: Arc<dyn Connect>,
    /// The target's words.
    pub dialect: &'s Dialect,
    /// A key of the gateway.
    pub gateway_key: Option<&'s str>,
    /// What no output may show, should a target send it back.
    pub hidden: Hidden,
}

/// What was found at one service's URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The service.
    pub service: Service,
    /// Its base URL.
    pub url: String,
    /// What it told, or why nothing answered.
    pub found: Result<Found, String>,
}

/// What a service told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// In words, for people: a line each.
    pub notes: Vec<String>,
    /// What a profile can say of it: TOML values by key, such as `gateway.models.chat`.
    pub values: BTreeMap<&'static str, String>,
    /// The status of the answer that counts.
    pub status: u16,
    /// Answers looked like this service's.
    pub is_recognised: bool,
    /// The key that was sent was refused.
    pub is_key_refused: bool,
    /// How far the target's clock is ahead of this machine's, in milliseconds, to within two seconds.
    pub skew_ms: Option<i64>,
}

/// What a control API told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// The level of time that it offers, such as `T2`.
    pub time: String,
    /// How many faults can be set, and how many actions can be asked for.
    pub faults: usize,
    /// See `faults`.
    pub actions: usize,
    /// It forks worlds.
    pub forks: bool,
    /// The base URLs of its sites, by name.
    pub sites: BTreeMap<String, String>,
    /// Sites whose URLs are of no use, and why.
    pub useless: Vec<String>,
}

impl Survey<'_> {
    /// Asks every service at its URL, all at once; answers in the order given.
    pub async fn ask(&self, services: &[(Service, String)]) -> Vec<Asked> {
        join_all(services.iter().map(|(service, url)| async move {
            let found = services::survey(self, *service, url).await;
            Asked { service: *service, url: url.clone(), found: found.map(|found| self.cleaned(found)) }
        }))
        .await
    }

    /// Whether somebody listens at a base URL.
    pub async fn listens(&self, base: &str) -> Result<(), String> {
        let http = self.connector.transport().http;
        let connecting = tokio::time::timeout(PATIENCE, self.connector.dial(Dial::to(base), http));
        match connecting.await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(why)) => Err(self.reason(base, &why.to_string())),
            Err(_) => Err(slow(base, PATIENCE)),
        }
    }

    /// Asks as a run does: over the same HTTP, with the same headers, and as patiently.
    async fn get(&self, base: &str, path: &str, key: Option<&str>) -> Result<Response, String> {
        let url = url::Url::parse(base).map_err(|e| format!("{base}: {e}"))?;
        let mut request = Request::new("GET", &format!("{}{path}", url.path().trim_end_matches('/')));
        if let Some(key) = key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let transport = self.connector.transport();
        // `hidden` knows these values already.
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

    /// Why nothing came, with the URL: not every failure names it.
    fn reason(&self, base: &str, why: &str) -> String {
        let why = if why.contains(base) { why.to_owned() } else { format!("{base}: {why}") };
        bounded(&self.hidden, &why, REASON)
    }

    /// Without what no output may show, should a target have sent it back.
    fn cleaned(&self, mut found: Found) -> Found {
        found.notes.iter_mut().for_each(|note| self.hidden.redact_text(note));
        found.values.retain(|_, value| is_clean(&self.hidden, value));
        found
    }
}

/// Asks a control API what it offers. An error says why that is not known.
pub async fn level(control: &Control, hidden: &Hidden) -> Result<Level, String> {
    let asking = tokio::time::timeout(PATIENCE, control.call("GET", "info", None));
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
        match url.ok_or_else(|| "no text that can be used".to_owned()).and_then(|url| parse_base_url(&url)) {
            Ok(url) => {
                level.sites.insert(name, url);
            }
            Err(why) => level.useless.push(format!("{name}: {}", shown(hidden, &why))),
        }
    }
    Ok(level)
}

impl Found {
    /// Notes the clock that an answer shows.
    fn sees_clock(&mut self, response: &Response) {
        let date = response.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
        if let Some(since) = date.and_then(|date| date.duration_since(std::time::UNIX_EPOCH).ok()) {
            let skew = i64::try_from(since.as_millis()).unwrap_or(i64::MAX).saturating_sub(wall_clock().0);
            self.skew_ms = Some(if skew.abs() < 2000 { 0 } else { skew });
        }
    }
}

fn slow(base: &str, patience: Duration) -> String {
    format!("{base}: no answer within {} s", patience.as_secs())
}

/// A text of a target as a line may show it: without secrets and control characters, and bounded.
fn shown(hidden: &Hidden, text: &str) -> String {
    bounded(hidden, text, SHOWN)
}

fn bounded(hidden: &Hidden, text: &str, most: usize) -> String {
    // First of all, since what is cut off in its middle is not found any more.
    let mut text = text.to_owned();
    hidden.redact_text(&mut text);
    let clean = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let cut: String = clean.clone().take(most).collect();
    if clean.count() > most { format!("{cut} \u{2026}") } else { cut }
}

/// A text of a target that a profile may hold: short, nothing but visible characters, and no secret.
fn usable(hidden: &Hidden, text: &str) -> Option<String> {
    let is_plain = !text.is_empty() && text.chars().count() <= SHOWN && !text.chars().any(char::is_control);
    (is_plain && is_clean(hidden, text)).then(|| text.to_owned())
}

/// Whether nothing in a text has to be hidden.
fn is_clean(hidden: &Hidden, text: &str) -> bool {
    let mut redacted = text.to_owned();
    hidden.redact_text(&mut redacted);
    redacted == text
}

/// A text as TOML writes it.
fn literal(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Names of members, for a note.
fn members(hidden: &Hidden, value: &Value) -> String {
    let names = value.as_object().into_iter().flatten().map(|(name, _)| shown(hidden, name));
    let names: Vec<String> = names.collect();
    match names.len() {
        0 => "no members".to_owned(),
        1..=8 => names.join(", "),
        more => format!("{} and {} more", names[..8].join(", "), more - 8),
    }
}
