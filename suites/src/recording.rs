//! What a check was told beside its exchanges, kept so that the check can be judged again without its target: answers
//! of the control API, readings of this machine's clock, and what it got of things that the checks of a run share.
//!
//! A recorder records while a check runs, or plays what an earlier run has recorded: then no request leaves the machine.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assay_spec::Instant;
use serde_json::Value;

use crate::exchange::{Broken, Exchange, Request, Response};

/// One thing that a check was told.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// How many exchanges had begun before it.
    pub after: usize,
    /// What was asked.
    pub asked: Asked,
    /// What came: the control API's answer, or an error in words.
    pub answer: Result<Value, String>,
}

/// What a check asks beside its exchanges.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// A call of the control API; the path begins behind the API's base.
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
    /// Something that the checks of a run share, such as `publish.domain`; an error where nothing of it was there.
    Share(String),
}

/// What a check did in an earlier run.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Its exchanges, in the order in which they began.
    pub exchanges: Vec<Exchange>,
    /// Its calls, in the order in which they were answered.
    pub calls: Vec<Call>,
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
    /// Exchanges of other checks, for what a run had shared among them.
    shared: Arc<Vec<Exchange>>,
    missed: Option<String>,
}

impl Recorder {
    /// A recorder that plays `own`, and where that has no answer, what other checks of the run were answered.
    pub fn playing(own: Recording, shared: Arc<Vec<Exchange>>) -> Recorder {
        let used_exchanges = vec![false; own.exchanges.len()];
        let used_calls = vec![false; own.calls.len()];
        let playing = Playing { own, used_exchanges, used_calls, shared, missed: None };
        Recorder(Arc::new(Mutex::new(RecorderState { playing: Some(playing), ..RecorderState::default() })))
    }

    /// Whether answers come from it.
    pub(crate) fn plays(&self) -> bool {
        self.lock().playing.is_some()
    }

    /// Notes that an exchange begins.
    pub(crate) fn begin(&self) {
        self.lock().begun += 1;
    }

    /// The recorded answer to a request; nothing where the recorder records.
    pub(crate) fn response(&self, base: &str, request: &Request) -> Option<Result<Response, Broken>> {
        Some(self.lock().playing.as_mut()?.response(base, request))
    }

    /// The recorded answer to a call; nothing where the recorder records.
    pub(crate) fn answer(&self, asked: &Asked) -> Option<Result<Value, String>> {
        Some(self.lock().playing.as_mut()?.answer(asked))
    }

    /// Keeps what was told.
    pub(crate) fn keep(&self, asked: Asked, answer: &Result<Value, String>) {
        let mut state = self.lock();
        let after = state.begun;
        state.recorded.push(Call { after, asked, answer: answer.clone() });
    }

    /// This machine's time, or what it was.
    pub(crate) fn clock(&self, now: impl FnOnce() -> Instant) -> Instant {
        if let Some(answer) = self.answer(&Asked::Clock) {
            return Instant(answer.ok().and_then(|ms| ms.as_i64()).unwrap_or_default());
        }
        let now = now();
        self.keep(Asked::Clock, &Ok(now.0.into()));
        now
    }

    /// What the check got of something that the checks of a run share, or what it was.
    pub(crate) fn share(
        &self,
        what: &str,
        get: impl FnOnce() -> Result<Value, String>,
    ) -> Result<Value, String> {
        let asked = Asked::Share(what.to_owned());
        self.answer(&asked).unwrap_or_else(|| {
            let answer = get();
            self.keep(asked, &answer);
            answer
        })
    }

    /// What was recorded.
    pub(crate) fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.lock().recorded)
    }

    /// What a player was asked for and does not hold.
    pub(crate) fn missed(&self) -> Option<String> {
        self.lock().playing.as_mut().and_then(|playing| playing.missed.take())
    }

    fn lock(&self) -> MutexGuard<'_, RecorderState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Playing {
    /// Requests are told apart by what names them: signatures and times in them may differ from the recorded ones, and
    /// equal names are answered in the order in which they were asked.
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
        Err(Broken::Harness(format!("the report holds no answer to {what}")))
    }

    fn answer(&mut self, asked: &Asked) -> Result<Value, String> {
        let free = |holds: &dyn Fn(&Asked) -> bool, used: &[bool]| {
            self.own.calls.iter().zip(used).position(|(known, used)| !used && holds(&known.asked))
        };
        let is_alike = |known: &Asked| match (known, asked) {
            (Asked::Clock, Asked::Clock) => true,
            (Asked::Control { method, path, .. }, Asked::Control { method: m, path: p, .. }) => {
                method == m && path == p
            }
            _ => false,
        };
        let at =
            free(&|known| known == asked, &self.used_calls).or_else(|| free(&is_alike, &self.used_calls));
        if let Some(at) = at {
            self.used_calls[at] = true;
            return self.own.calls[at].answer.clone();
        }
        let what = match asked {
            Asked::Clock => "the clock".to_owned(),
            Asked::Control { method, path, .. } => format!("control {method} {path}"),
            Asked::Share(what) => what.clone(),
        };
        self.missed.get_or_insert(what.clone());
        Err(format!("the report holds no answer of {what}"))
    }
}
