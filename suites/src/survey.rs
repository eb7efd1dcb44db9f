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

use crate::client::{Limits, exchange};
use crate::control::Control;
use crate::exchange::{Request, Response};
use crate::probe::wall_clock;
use crate::redact::Hidden;
use crate::target::Connect;

/// What one question may take, connecting included.
const PATIENCE: Duration = Duration::from_secs(8);
const LIMITS: Limits =
    Limits { timeout: Duration::from_secs(5), head_bytes: 32 * 1024, body_bytes: 2 * 1024 * 1024 };
/// The longest text of a target that is shown.
const SHOWN: usize = 100;

/// Who asks, and with what.
pub struct Survey<'s> {
    /// How the target is reached.
    pub connector: Arc<dyn Connect>,
    /// The target's words.
    pub dialect: &'s Dialect,
    /// A key of the gateway.
    pub gateway_key: Option<&'s str>,
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
    /// How many faults can be set, and how many acts can be asked for.
    pub faults: usize,
    /// See `faults`.
    pub acts: usize,
    /// It forks worlds.
    pub forks: bool,
    /// The base URLs of its sites, by name.
    pub sites: BTreeMap<String, String>,
}

impl Survey<'_> {
    /// Asks every service at its URL, all at once; answers in the order given.
    pub async fn ask(&self, services: &[(Service, String)]) -> Vec<Asked> {
        join_all(services.iter().map(|(service, url)| async move {
            let found = services::ask(self, *service, url).await;
            Asked { service: *service, url: url.clone(), found: found.map(|found| self.cleaned(found)) }
        }))
        .await
    }

    /// Whether somebody listens at a base URL.
    pub async fn listens(&self, base: &str) -> Result<(), String> {
        let connecting = tokio::time::timeout(PATIENCE, self.connector.connect(base, None));
        match connecting.await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(why)) => Err(why.to_string()),
            Err(_) => Err(slow(base)),
        }
    }

    async fn get(&self, base: &str, path: &str, key: Option<&str>) -> Result<Response, String> {
        let url = url::Url::parse(base).map_err(|e| format!("{base}: {e}"))?;
        let mut request = Request::new("GET", &format!("{}{path}", url.path().trim_end_matches('/')));
        if let Some(key) = key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let asking = async {
            let stream = self.connector.connect(base, None).await?;
            exchange(stream, &request, url.authority(), LIMITS).await
        };
        match tokio::time::timeout(PATIENCE, asking).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(why)) => Err(self.safe(&why.to_string())),
            Err(_) => Err(slow(base)),
        }
    }

    /// Without what no output may show, should a target have sent it back.
    fn cleaned(&self, mut found: Found) -> Found {
        found.notes.iter_mut().for_each(|note| *note = self.safe(note));
        found.values.retain(|_, value| self.gateway_key.is_none_or(|key| !value.contains(key)));
        found
    }

    fn safe(&self, text: &str) -> String {
        let mut hidden = Hidden::default();
        self.gateway_key.into_iter().for_each(|key| hidden.add("key", key));
        let mut text = text.to_owned();
        hidden.redact_text(&mut text);
        text
    }
}

/// Asks a control API what it offers. An error says why that is not known.
pub async fn level(control: &Control) -> Result<Level, String> {
    let asking = tokio::time::timeout(PATIENCE, control.call("GET", "info", None));
    let info = asking.await.map_err(|_| slow(control.base()))??;
    let count = |member: &str| info[member].as_object().map_or(0, serde_json::Map::len);
    let sites = info["sites"].as_object().into_iter().flatten();
    let sites = sites.filter_map(|(name, url)| Some((shown(name), usable(url.as_str()?)?)));
    Ok(Level {
        time: info["time"].as_str().map_or_else(|| "T0".to_owned(), shown),
        faults: count("faults"),
        acts: count("acts"),
        forks: info["forks"].as_bool().unwrap_or(false),
        sites: sites.collect(),
    })
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

fn slow(base: &str) -> String {
    format!("{base}: no answer within {} s", PATIENCE.as_secs())
}

/// A text of a target as a line may show it: without control characters, and bounded.
fn shown(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let cut: String = clean.clone().take(SHOWN).collect();
    if clean.count() > SHOWN { format!("{cut} \u{2026}") } else { cut }
}

/// A text of a target that a profile may hold: short, and nothing but visible characters.
fn usable(text: &str) -> Option<String> {
    let is_plain = !text.is_empty() && text.chars().count() <= SHOWN && !text.chars().any(char::is_control);
    is_plain.then(|| text.to_owned())
}

/// A text as TOML writes it.
fn literal(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// Names of members, for a note.
fn members(value: &Value) -> String {
    let names: Vec<String> = value.as_object().into_iter().flatten().map(|(name, _)| shown(name)).collect();
    match names.len() {
        0 => "no members".to_owned(),
        1..=8 => names.join(", "),
        more => format!("{} and {} more", names[..8].join(", "), more - 8),
    }
}
