//! A client of a target's control API (HTTP and JSON).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::data::ControlError;
use crate::harness::pace::{LONGEST_WAIT, Retry, Tried};
use crate::harness::recording::{Input, Recorder};
use crate::http::client::Limits;
use crate::http::connect::{Connect, Dial};
use crate::http::exchange::{Broken, Request, Response};
use crate::http::hiding::Hidden;
use crate::http::keep::Keeping;
use crate::http::transport::{self, CONFIRMATION, Http};
use crate::support::prose::one_line;

/// The maximum length of a reason.
const REASON_CHARS: usize = 400;

/// A control API at a base URL, such as `http://127.0.0.1:4100/_sim/v1`.
#[derive(Clone)]
pub struct Control {
    connector: Arc<dyn Connect>,
    base: String,
    token: Option<String>,
    recorder: Option<Recorder>,
    /// Shared by all worlds.
    health: Arc<Health>,
}

/// A call may take as many times the minimum response timeout.
const CALL: u32 = 2;
/// After this many times in a row without an answer, a call is not sent again.
const GIVEN_UP: u32 = 2;
/// The call that may wait for something that does not happen.
const WAITING: &str = "waiting";

/// Whether the API answers.
#[derive(Debug, Default)]
struct Health {
    has_answered: AtomicBool,
    /// Why it gets no more calls: it stopped answering.
    stopped: OnceLock<String>,
    /// The calls that got no answer, although others did: how often in a row, and why.
    unanswered: Mutex<BTreeMap<String, (u32, String)>>,
}

impl Health {
    /// Why a call is not sent.
    fn stopped(&self, call: &str) -> Option<String> {
        let known = self.unanswered().get(call).filter(|(times, _)| *times >= GIVEN_UP).cloned();
        self.stopped.get().cloned().or_else(|| known.map(|(_, cause)| cause))
    }

    fn answered(&self, call: &str) {
        self.has_answered.store(true, Ordering::Relaxed);
        self.unanswered().remove(call);
    }

    /// Notes that a call got no answer, and why.
    fn missed(&self, call: &str, cause: String) {
        self.unanswered().entry(call.to_owned()).or_insert((0, cause)).0 += 1;
    }

    fn unanswered(&self) -> MutexGuard<'_, BTreeMap<String, (u32, String)>> {
        self.unanswered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a call does, in whatever world: its method, its path, and the action.
fn name_of_call(method: &str, path: &str, body: Option<&Value>) -> String {
    let action = body.and_then(|body| body["action"].as_str()).unwrap_or_default();
    format!("{method} {path} {action}")
}

/// What a target's control API offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Time can be moved.
    pub clock: bool,
    /// Names of the faults.
    pub faults: Vec<String>,
    /// Names of the actions.
    pub actions: Vec<String>,
    /// Worlds can be forked.
    pub forks: bool,
    /// A check can choose its source address.
    pub addresses: bool,
}

impl Offer {
    /// What the response to `GET info` says.
    pub(crate) fn read(info: &Value) -> Offer {
        let names = |member: &str| -> Vec<String> {
            info[member].as_object().map(|named| named.keys().cloned().collect()).unwrap_or_default()
        };
        let clock = matches!(info["time"].as_str(), Some("T2" | "T3"));
        let forks = info["forks"].as_bool().unwrap_or(false);
        Offer { clock, faults: names("faults"), actions: names("actions"), forks, addresses: false }
    }
}

impl Control {
    /// The control API at `base`, reached through `connector`.
    pub fn new(connector: Arc<dyn Connect>, base: &str, token: Option<String>) -> Control {
        let base = base.trim_end_matches('/').to_owned();
        Control { connector, base, token, recorder: None, health: Arc::default() }
    }

    /// The same API for a forked world.
    #[must_use]
    pub fn world(&self, path: &str) -> Control {
        Control { base: format!("{}/{path}", self.base), ..self.clone() }
    }

    /// The same API, with its responses recorded or replayed.
    #[must_use]
    pub(crate) fn recorded(&self, recorder: Recorder) -> Control {
        Control { recorder: Some(recorder), ..self.clone() }
    }

    /// The same API, reached over connections that are kept between calls.
    #[must_use]
    pub(crate) fn keeping(&self) -> Control {
        self.reached_by(Arc::new(Keeping::new(self.connector.clone())))
    }

    /// The same API, reached through `connector`.
    #[must_use]
    pub fn reached_by(&self, connector: Arc<dyn Connect>) -> Control {
        Control { connector, ..self.clone() }
    }

    /// The base URL.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// What the API says about itself: a JSON object.
    pub async fn info(&self) -> Result<Value, ControlError> {
        let info = self.call("GET", "info", None).await.map_err(|error| match error {
            ControlError::Status(404, why) => {
                let why =
                    format!("{why}; the simulator's control API is at /_sim/v1: give its URL with that path");
                ControlError::Status(404, why)
            }
            other => other,
        })?;
        if info.is_object() {
            return Ok(info);
        }
        let got = self.readable(info.to_string());
        Err(format!("control GET {}/info: wanted a JSON object, got {got}", self.base).into())
    }

    /// Calls the API. A rejection or an invalid response is an error.
    pub async fn call(&self, method: &str, path: &str, body: Option<Value>) -> Result<Value, ControlError> {
        let Some(recorder) = &self.recorder else { return self.send(method, path, body).await };
        let asked = Input::Control { method: method.into(), path: path.into(), body: body.clone() };
        if let Some(answer) = recorder.answer(&asked) {
            return answer;
        }
        let answer = self.send(method, path, body).await;
        recorder.keep(asked, &answer);
        answer
    }

    /// Polls `path` for some seconds until `is` holds, and returns the last response. Only that one is recorded,
    /// because the number of polls depends on this machine.
    pub async fn poll(&self, path: &str, is: impl Fn(&Value) -> bool) -> Result<Value, ControlError> {
        const STEP: Duration = Duration::from_millis(10);
        const SOME_SECONDS: Duration = Duration::from_secs(5);
        let asked = Input::Control { method: "GET".into(), path: path.into(), body: None };
        if let Some(answer) = self.recorder.as_ref().and_then(|recorder| recorder.answer(&asked)) {
            return answer;
        }
        // Where time does not pass, each step takes its time at once.
        let began = tokio::time::Instant::now();
        let mut answer = self.send("GET", path, None).await;
        while !answer.as_ref().map_or(true, &is) && began.elapsed() < SOME_SECONDS {
            tokio::time::sleep(STEP).await;
            answer = self.send("GET", path, None).await;
        }
        if let Some(recorder) = &self.recorder {
            recorder.keep(asked, &answer);
        }
        answer
    }

    async fn send(&self, method: &str, path: &str, body: Option<Value>) -> Result<Value, ControlError> {
        let call = name_of_call(method, path, body.as_ref());
        if let Some(cause) = self.health.stopped(&call) {
            return Err(ControlError::Silent(cause));
        }
        let url = url::Url::parse(&self.base).map_err(|e| format!("{}: {e}", self.base))?;
        let slash = if path.is_empty() { "" } else { "/" };
        let mut request = Request::new(method, &format!("{}{slash}{path}", url.path().trim_end_matches('/')));
        if let Some(body) = body {
            request = request.header("Content-Type", "application/json").body(body.to_string());
        }
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let failed =
            |why: String| format!("control {method} {}{slash}{path}: {}", self.base, self.readable(why));
        let timeout = self.connector.transport().min_timeout * CALL;
        let response = match Box::pin(self.exchange(&request, timeout)).await {
            Ok(response) => response,
            Err(broken) => {
                let why = failed(broken.to_string());
                if self.has_stopped(&broken, url.path()).await {
                    let cause = format!("{why}; a second request got no answer either");
                    return Err(ControlError::Silent(self.health.stopped.get_or_init(|| cause).clone()));
                }
                let has_answered = self.health.has_answered.load(Ordering::Relaxed);
                if has_answered && broken.is_silence() && !path.starts_with(WAITING) {
                    self.health.missed(&call, why.clone());
                    return Err(ControlError::Silent(why));
                }
                return Err(ControlError::Failed(why));
            }
        };
        self.health.answered(&call);
        let status = response.status;
        let refused = |what: String| ControlError::Status(status, failed(format!("status {status}{what}")));
        let value = response.json().map_err(|e| refused(format!(", {e}")))?;
        if status == 200 {
            return Ok(value);
        }
        Err(refused(format!(": {}", value["error"].as_str().unwrap_or("no reason"))))
    }

    /// Sends a request, always over HTTP/1.1 and without the headers of a profile, which are for the target's sites.
    async fn exchange(&self, request: &Request, timeout: Duration) -> Result<Response, Broken> {
        let mut tried = Tried::default();
        loop {
            let limits = Limits { timeout, ..Limits::default() };
            let to = Dial { alone: false, ..Dial::to(&self.base) };
            let sent = transport::send_over(&*self.connector, Http::One, to, request, limits);
            let result = Box::pin(sent).await.response;
            let Some(wait) = Retry::named(LONGEST_WAIT).again(&mut tried, &result) else { return result };
            tokio::time::sleep(wait).await;
        }
    }

    /// Whether an API that answered before sends nothing at all after a broken exchange.
    async fn has_stopped(&self, broken: &Broken, path: &str) -> bool {
        let is_silent = |broken: &Broken| broken.is_silence() || matches!(broken, Broken::Unreachable(_));
        if !(is_silent(broken) && self.health.has_answered.load(Ordering::Relaxed)) {
            return false;
        }
        let again = Box::pin(self.exchange(&Request::new("GET", path), CONFIRMATION)).await;
        again.is_err_and(|broken| is_silent(&broken))
    }

    /// A reason for display, without the token, which the API may have returned.
    fn readable(&self, mut why: String) -> String {
        if let Some(token) = &self.token {
            let mut hidden = Hidden::default();
            hidden.add_secret("control_token", token);
            hidden.redact_text(&mut why);
        }
        let cut = why.char_indices().nth(REASON_CHARS).map(|(at, _)| at);
        match cut {
            Some(at) => format!("{}\u{2026}", one_line(&why.as_bytes()[..at])),
            None => one_line(why.as_bytes()),
        }
    }

    /// The command that opens a closed world.
    pub fn opening(&self) -> String {
        let token =
            if self.token.is_some() { " -H \"Authorization: Bearer $ASSAY_CONTROL_TOKEN\"" } else { "" };
        format!(
            "curl -sS -X POST{token} {}/open  # opens the world of this check and prints its sites",
            self.base
        )
    }

    /// The world's time in milliseconds.
    pub async fn now(&self) -> Result<i64, ControlError> {
        let clock = self.call("GET", "clock", None).await?;
        clock["now"].as_i64().ok_or_else(|| "control GET clock: no `now`".to_owned().into())
    }

    /// Moves time forward.
    pub async fn advance(&self, ms: i64) -> Result<(), ControlError> {
        self.call("POST", "clock", Some(json!({ "advance_ms": ms }))).await.map(drop)
    }

    /// Sets exactly these faults.
    pub async fn faults(&self, faults: Value) -> Result<(), ControlError> {
        self.call("PUT", "faults", Some(faults)).await.map(drop)
    }

    /// Performs an operator action.
    pub async fn perform(&self, action: &str, arguments: Value) -> Result<Value, ControlError> {
        self.call("POST", "actions", Some(json!({ "action": action, "arguments": arguments }))).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::sockets::Sockets;

    #[test]
    fn reasons_are_redacted_escaped_and_short() {
        let token = Some("supersecrettoken99".to_owned());
        let control = Control::new(Arc::new(Sockets::default()), "http://a", token);
        let said = control.readable("bad token Bearer supersecrettoken99\u{1b}[2J\0\nmore".to_owned());
        assert_eq!(said, "bad token Bearer [redacted control_token]\\u{1b}[2J\\0\\nmore");
        // The cut comes after the redaction, so that no part of a token is left.
        let long = format!("{}supersecrettoken99{}", "x".repeat(REASON_CHARS - 5), "y".repeat(9000));
        let said = control.readable(long);
        assert!(!said.contains("super") && said.chars().count() == REASON_CHARS + 1, "{said}");
    }
}
