//! Records the inputs of a check besides its exchanges, so that it can be judged again without its target: responses of
//! the control API, times of this machine's clock, and its share of resources that checks have in common.
//!
//! A recorder either records while a check runs, or replays an earlier run without sending requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assay_spec::Instant;
use serde_json::Value;

use crate::http::exchange::{Broken, Exchange, Request, Response};

/// A JSON value, kept as a string, which needs a tenth of the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json(Box<str>);

/// One recorded input.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// How many exchanges had begun before it.
    pub after: usize,
    /// The question.
    pub asked: Input,
    /// The response of the control API, or an error.
    pub answer: Result<Json, String>,
}

/// An input that is not an exchange.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A call of the control API; the path is relative to the API's base URL.
    Control {
        /// The method.
        method: String,
        /// The path and query.
        path: String,
        /// The body.
        body: Option<Value>,
    },
    /// This machine's time; the answer is in milliseconds.
    Clock,
    /// A shared resource, such as `publish.domain`; an error if none was left.
    Share(String),
}

/// What a check sent and received in an earlier run.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Its exchanges, in the order in which they began.
    pub exchanges: Vec<Exchange>,
    /// Its inputs, in the order of the responses.
    pub calls: Vec<Call>,
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Json {
        Json(value.to_string().into())
    }
}

impl Json {
    /// The value.
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.0).expect("the string was made of a value")
    }
}

/// A recorder or a player.
#[derive(Clone, Debug, Default)]
pub struct Recorder(Arc<Mutex<RecorderState>>);

#[derive(Debug, Default)]
struct RecorderState {
    /// Exchanges that have begun.
    begun: usize,
    recorded: Vec<Call>,
    playing: Option<Playing>,
}

#[derive(Debug)]
struct Playing {
    own: Recording,
    used_exchanges: Vec<bool>,
    used_calls: Vec<bool>,
    /// Exchanges of other checks, for exchanges that checks share.
    shared: Arc<Vec<Exchange>>,
    missed: Option<String>,
}

impl Recorder {
    /// A recorder that replays `own`, and if that has no response, the exchanges of other checks of the run.
    pub fn playing(own: Recording, shared: Arc<Vec<Exchange>>) -> Recorder {
        let used_exchanges = vec![false; own.exchanges.len()];
        let used_calls = vec![false; own.calls.len()];
        let playing = Playing { own, used_exchanges, used_calls, shared, missed: None };
        Recorder(Arc::new(Mutex::new(RecorderState { playing: Some(playing), ..RecorderState::default() })))
    }

    /// Whether it replays.
    pub(crate) fn plays(&self) -> bool {
        self.lock().playing.is_some()
    }

    /// Notes that an exchange begins.
    pub(crate) fn begin(&self) {
        self.lock().begun += 1;
    }

    /// The recorded response to a request; `None` if it records.
    pub(crate) fn response(&self, base: &str, request: &Request) -> Option<Result<Response, Broken>> {
        Some(self.lock().playing.as_mut()?.response(base, request))
    }

    /// The recorded response to a call; `None` if it records.
    pub(crate) fn answer(&self, asked: &Input) -> Option<Result<Value, String>> {
        Some(self.lock().playing.as_mut()?.answer(asked))
    }

    /// Records an input.
    pub(crate) fn keep(&self, asked: Input, answer: &Result<Value, String>) {
        let mut state = self.lock();
        let after = state.begun;
        state.recorded.push(Call {
            after,
            asked,
            answer: answer.as_ref().map(Json::from).map_err(String::clone),
        });
    }

    /// This machine's time, or the recorded one.
    pub(crate) fn clock(&self, now: impl FnOnce() -> Instant) -> Instant {
        if let Some(answer) = self.answer(&Input::Clock) {
            return Instant(answer.ok().and_then(|ms| ms.as_i64()).unwrap_or_default());
        }
        let now = now();
        self.keep(Input::Clock, &Ok(now.0.into()));
        now
    }

    /// The check's share of a shared resource, or the recorded one.
    pub(crate) fn share(
        &self,
        what: &str,
        get: impl FnOnce() -> Result<Value, String>,
    ) -> Result<Value, String> {
        let asked = Input::Share(what.to_owned());
        self.answer(&asked).unwrap_or_else(|| {
            let answer = get();
            self.keep(asked, &answer);
            answer
        })
    }

    /// Whether the control API was called.
    pub(crate) fn has_called(&self) -> bool {
        self.lock().recorded.iter().any(|call| matches!(call.asked, Input::Control { .. }))
    }

    /// The recorded inputs.
    pub(crate) fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.lock().recorded)
    }

    /// The first request or call without a recorded response.
    pub(crate) fn missed(&self) -> Option<String> {
        self.lock().playing.as_mut().and_then(|playing| playing.missed.take())
    }

    fn lock(&self) -> MutexGuard<'_, RecorderState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Playing {
    /// Requests are matched by their identifying parts, because signatures and times may differ from the recorded ones.
    /// Equal requests get their responses in the recorded order.
    fn response(&mut self, base: &str, request: &Request) -> Result<Response, Broken> {
        let is_same = |known: &Exchange| {
            known.base == base
                && known.request.method == request.method
                && known.request.target == request.target
        };
        let is_alike = |known: &Exchange| known.base == base && known.request.method == request.method;
        let free = |holds: &dyn Fn(&Exchange) -> bool, used: &[bool]| {
            self.own.exchanges.iter().zip(used).position(|(known, used)| !used && holds(known))
        };
        let at = free(&is_same, &self.used_exchanges).or_else(|| free(&is_alike, &self.used_exchanges));
        if let Some(at) = at {
            self.used_exchanges[at] = true;
            return self.own.exchanges[at].response.clone();
        }
        if let Some(known) = self.shared.iter().find(|known| is_same(known)) {
            return known.response.clone();
        }
        let what = format!("{} {}{}", request.method, base, request.target);
        self.missed.get_or_insert(what.clone());
        Err(Broken::Harness(format!("the report has no response to {what}")))
    }

    fn answer(&mut self, asked: &Input) -> Result<Value, String> {
        let free = |holds: &dyn Fn(&Input) -> bool, used: &[bool]| {
            self.own.calls.iter().zip(used).position(|(known, used)| !used && holds(&known.asked))
        };
        let is_alike = |known: &Input| match (known, asked) {
            (Input::Clock, Input::Clock) => true,
            (Input::Control { method, path, .. }, Input::Control { method: m, path: p, .. }) => {
                method == m && path == p
            }
            _ => false,
        };
        let at =
            free(&|known| known == asked, &self.used_calls).or_else(|| free(&is_alike, &self.used_calls));
        if let Some(at) = at {
            self.used_calls[at] = true;
            return self.own.calls[at].answer.as_ref().map(Json::value).map_err(String::clone);
        }
        let what = match asked {
            Input::Clock => "the clock".to_owned(),
            Input::Control { method, path, .. } => format!("control {method} {path}"),
            Input::Share(what) => what.clone(),
        };
        self.missed.get_or_insert(what.clone());
        Err(format!("the report has no response of {what}"))
    }
}
