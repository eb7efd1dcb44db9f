//! Records the inputs of a check besides its exchanges, so that it can be judged again without its target: responses of
//! the control API, times of this machine's clock, and its share of resources that checks have in common.
//!
//! A recorder either records while a check runs, or replays an earlier run without sending requests. A check may also resume an
//! earlier run: its first inputs are replayed, and the others go to a target that is in the state of that moment.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assay_spec::Instant;
use serde_json::Value;

use crate::harness::data::ControlError;
use crate::http::client::Limits;
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
    pub answer: Result<Json, ControlError>,
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

/// A moment of a check at which nothing is in progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// How many exchanges have ended.
    pub exchanges: usize,
    /// How many other inputs were received.
    pub calls: usize,
}

/// How a request that is sent at once goes out.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The client's address, if the check chooses it.
    pub source: Option<IpAddr>,
    /// The limits of the exchange.
    pub limits: Limits,
}

/// What sees the moments of a check.
pub trait Watch: Send + Sync {
    /// An exchange or a call begins, and nothing else has been in progress at the same time as another so far.
    fn moment(&self, at: Moment);
    /// The check has ended. The recording, with the way of each exchange, reaches to the end, or to the last moment before
    /// several inputs were in progress. A request without a way was held open.
    fn end(&self, recording: Recording, ways: Vec<Option<Way>>);
}

/// The last input that a check resumes with.
#[derive(Clone, Debug)]
pub enum Last {
    /// The response to the last exchange.
    Response(Result<Response, Broken>),
    /// The answer to the last call.
    Answer(Result<Json, ControlError>),
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
#[derive(Clone, Default)]
pub struct Recorder(Arc<Mutex<RecorderState>>);

/// Shows no input: it may hold a secret.
impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recorder")
    }
}

#[derive(Default)]
struct RecorderState {
    /// Exchanges that have begun.
    begun: usize,
    recorded: Vec<Call>,
    source: Source,
    watched: Option<Watched>,
}

/// Where responses come from.
#[derive(Default)]
enum Source {
    #[default]
    Target,
    Recording(Playing),
    Resumed(Resumed),
}

/// A watched check.
struct Watched {
    watch: Arc<dyn Watch>,
    exchanges: Vec<Exchange>,
    ways: Vec<Option<Way>>,
    in_progress: usize,
    last: Moment,
    /// Two inputs were in progress at the same time: what follows depends on their order.
    has_overlap: bool,
}

/// The inputs of an earlier run, up to a moment.
struct Resumed {
    recording: Arc<Recording>,
    until: Moment,
    /// What the last input is instead.
    last: Option<Last>,
    next: Moment,
    /// An input was not as recorded.
    is_other: bool,
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
        Recorder::reading(Source::Recording(Playing {
            own,
            used_exchanges,
            used_calls,
            shared,
            missed: None,
        }))
    }

    /// A recorder that replays what `recording` has up to a moment, except its last input. Then the target responds.
    pub fn resuming(recording: Arc<Recording>, until: Moment, last: Option<Last>) -> Recorder {
        Recorder::reading(Source::Resumed(Resumed {
            recording,
            until,
            last,
            next: Moment::default(),
            is_other: false,
        }))
    }

    /// A recorder whose moments `watch` sees.
    pub fn watched(watch: Arc<dyn Watch>) -> Recorder {
        let watched = Watched {
            watch,
            exchanges: Vec::new(),
            ways: Vec::new(),
            in_progress: 0,
            last: Moment::default(),
            has_overlap: false,
        };
        Recorder(Arc::new(Mutex::new(RecorderState { watched: Some(watched), ..RecorderState::default() })))
    }

    fn reading(source: Source) -> Recorder {
        Recorder(Arc::new(Mutex::new(RecorderState { source, ..RecorderState::default() })))
    }

    /// Whether all responses come from a recording.
    pub(crate) fn plays(&self) -> bool {
        matches!(self.lock().source, Source::Recording(_))
    }

    /// Notes that an exchange begins. Without a way, its request is not sent at once.
    pub(crate) fn begin(&self, way: Option<Way>) {
        let mut state = self.lock();
        state.begins();
        state.begun += 1;
        if let Some(watched) = &mut state.watched {
            watched.ways.push(way);
        }
    }

    /// Notes that an exchange has ended.
    pub(crate) fn ended(&self, exchange: &Exchange) {
        let mut state = self.lock();
        if let Some(watched) = state.ends() {
            watched.exchanges.push(exchange.clone());
        }
    }

    /// The recorded response to a request; `None` if the target responds.
    pub(crate) fn response(&self, base: &str, request: &Request) -> Option<Result<Response, Broken>> {
        match &mut self.lock().source {
            Source::Target => None,
            Source::Recording(playing) => Some(playing.response(base, request)),
            Source::Resumed(resumed) => resumed.response(base, request),
        }
    }

    /// The recorded response to a call; `None` if the target responds.
    pub(crate) fn answer(&self, asked: &Input) -> Option<Result<Value, ControlError>> {
        let mut state = self.lock();
        let begun = state.begun;
        match &mut state.source {
            Source::Target => {}
            Source::Recording(playing) => return Some(playing.answer(asked)),
            Source::Resumed(resumed) => {
                if let Some(call) = resumed.call(begun, asked) {
                    let answer = call.value();
                    state.recorded.push(call);
                    return Some(answer);
                }
            }
        }
        state.begins();
        None
    }

    /// The recorded exchange that a check recalled from another at this share; `None` if the target responds, or it recalled
    /// none.
    pub(crate) fn recalled(&self, what: &str) -> Option<Exchange> {
        match &mut self.lock().source {
            Source::Recording(playing) => playing.recalled(what),
            Source::Target | Source::Resumed(_) => None,
        }
    }

    /// Records an input.
    pub(crate) fn keep(&self, asked: Input, answer: &Result<Value, ControlError>) {
        let mut state = self.lock();
        state.ends();
        let after = state.begun;
        state.recorded.push(Call {
            after,
            asked,
            answer: answer.as_ref().map(Json::from).map_err(ControlError::clone),
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
        let answer = self.answer(&asked).unwrap_or_else(|| {
            let answer = get().map_err(ControlError::Failed);
            self.keep(asked, &answer);
            answer
        });
        answer.map_err(|error| error.to_string())
    }

    /// Whether the control API was called.
    pub(crate) fn has_called(&self) -> bool {
        self.lock().recorded.iter().any(|call| matches!(call.asked, Input::Control { .. }))
    }

    /// Ends the recording. Returns the recorded inputs, and the first request or call without a recorded response.
    pub(crate) fn end(&self) -> (Vec<Call>, Option<String>) {
        let mut state = self.lock();
        let calls = std::mem::take(&mut state.recorded);
        if let Some(Watched { watch, mut exchanges, mut ways, in_progress, last, has_overlap }) =
            state.watched.take()
        {
            let mut calls = calls.clone();
            if has_overlap || in_progress > 0 {
                exchanges.truncate(last.exchanges);
                ways.truncate(last.exchanges);
                calls.truncate(last.calls);
            }
            watch.end(Recording { exchanges, calls }, ways);
        }
        let missed = match &mut state.source {
            Source::Target => None,
            Source::Recording(playing) => playing.missed.take(),
            Source::Resumed(resumed) => resumed.has_strayed().then(|| STRAYED.to_owned()),
        };
        (calls, missed)
    }

    fn lock(&self) -> MutexGuard<'_, RecorderState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RecorderState {
    /// An input begins.
    fn begins(&mut self) {
        let calls = self.recorded.len();
        let Some(watched) = &mut self.watched else { return };
        watched.has_overlap |= watched.in_progress > 0;
        watched.in_progress += 1;
        if !watched.has_overlap {
            watched.last = Moment { exchanges: self.begun, calls };
            watched.watch.moment(watched.last);
        }
    }

    /// An input has ended. Returns what watches it, unless another has been in progress at the same time.
    fn ends(&mut self) -> Option<&mut Watched> {
        let watched = self.watched.as_mut()?;
        watched.in_progress -= 1;
        (!watched.has_overlap).then_some(watched)
    }
}

impl Call {
    /// The answer as a value.
    fn value(&self) -> Result<Value, ControlError> {
        self.answer.as_ref().map(Json::value).map_err(ControlError::clone)
    }
}

/// Why a check that resumes an earlier run ends: this is a bug of Assay.
const STRAYED: &str = "it did not repeat its earlier run up to the moment at which it resumes";

impl Resumed {
    /// Whether the check did not repeat its earlier run up to the moment. It may have handled the errors itself.
    fn has_strayed(&self) -> bool {
        self.is_other || self.next != self.until
    }

    fn response(&mut self, base: &str, request: &Request) -> Option<Result<Response, Broken>> {
        if self.next == self.until {
            return None;
        }
        let known = self.recording.exchanges[..self.until.exchanges].get(self.next.exchanges);
        self.next.exchanges += 1;
        let Some(known) = known.filter(|known| known.base == base && known.has_sent(request)) else {
            self.is_other = true;
            return Some(Err(Broken::Harness(STRAYED.to_owned())));
        };
        match &self.last {
            Some(Last::Response(last)) if self.next.exchanges == self.until.exchanges => Some(last.clone()),
            _ => Some(known.response.clone()),
        }
    }

    fn call(&mut self, begun: usize, asked: &Input) -> Option<Call> {
        if self.next == self.until {
            return None;
        }
        let known = self.recording.calls[..self.until.calls].get(self.next.calls);
        self.next.calls += 1;
        let known = known.filter(|known| known.after == begun && known.asked == *asked);
        self.is_other |= known.is_none();
        let answer = match (known, &self.last) {
            (None, _) => Err(STRAYED.to_owned().into()),
            (_, Some(Last::Answer(last))) if self.next.calls == self.until.calls => last.clone(),
            (Some(known), _) => known.answer.clone(),
        };
        Some(Call { after: begun, asked: asked.clone(), answer })
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

    fn recalled(&mut self, what: &str) -> Option<Exchange> {
        let is_it = |known: &Call| matches!(&known.asked, Input::Share(share) if share == what);
        let mut calls = self.own.calls.iter().zip(&self.used_calls);
        let at = calls.position(|(known, used)| !used && is_it(known))?;
        let exchange = self.own.calls[at].after;
        self.used_calls[at] = true;
        *self.used_exchanges.get_mut(exchange)? = true;
        self.own.exchanges.get(exchange).cloned()
    }

    fn answer(&mut self, asked: &Input) -> Result<Value, ControlError> {
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
            return self.own.calls[at].value();
        }
        let what = match asked {
            Input::Clock => "the clock".to_owned(),
            Input::Control { method, path, .. } => format!("control {method} {path}"),
            Input::Share(what) => what.clone(),
        };
        self.missed.get_or_insert(what.clone());
        Err(format!("the report has no response of {what}").into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const BASE: &str = "http://a.example";

    fn exchange(target: &str) -> Exchange {
        Exchange {
            site: String::new(),
            base: BASE.to_owned(),
            request: Request::new("GET", target),
            cut: None,
            slot: None,
            response: Ok(Response { status: 200, headers: Vec::new(), body: target.to_owned().into() }),
        }
    }

    fn asked(path: &str) -> Input {
        Input::Control { method: "GET".to_owned(), path: path.to_owned(), body: None }
    }

    /// Two exchanges, and a call between them.
    fn recording() -> Arc<Recording> {
        let call = Call { after: 1, asked: asked("clock"), answer: Ok(Json::from(&json!(1))) };
        Arc::new(Recording { exchanges: vec![exchange("/one"), exchange("/two")], calls: vec![call] })
    }

    /// The body of a response, or why there is none.
    fn response(recorder: &Recorder, target: &str) -> Option<Result<String, Broken>> {
        recorder.begin(None);
        let response = recorder.response(BASE, &Request::new("GET", target))?;
        Some(response.map(|response| response.text()))
    }

    #[test]
    fn a_check_resumes_with_its_recording_and_goes_on_with_the_target() {
        let until = Moment { exchanges: 1, calls: 1 };
        for (last, clock) in [(None, json!(1)), (Some(Last::Answer(Ok(Json::from(&json!(2))))), json!(2))] {
            let recorder = Recorder::resuming(recording(), until, last);
            assert!(!recorder.plays());
            assert_eq!(response(&recorder, "/one"), Some(Ok("/one".to_owned())));
            assert_eq!(recorder.answer(&asked("clock")), Some(Ok(clock)));
            assert!(recorder.has_called());
            assert_eq!(response(&recorder, "/two"), None);
            assert_eq!(recorder.answer(&asked("clock")), None);
            assert_eq!(recorder.end().1, None);
        }
        let last = Last::Response(Err(Broken::TimedOut(15)));
        let recorder = Recorder::resuming(recording(), Moment { exchanges: 1, calls: 0 }, Some(last));
        assert_eq!(response(&recorder, "/one"), Some(Err(Broken::TimedOut(15))));
        assert_eq!(recorder.answer(&asked("clock")), None);
    }

    #[test]
    fn a_check_that_strays_from_its_recording_fails() {
        let strayed = || Some(Err(Broken::Harness(STRAYED.to_owned())));
        let resuming = |exchanges, calls| Recorder::resuming(recording(), Moment { exchanges, calls }, None);
        let missed = |recorder: &Recorder| assert_eq!(recorder.end().1.as_deref(), Some(STRAYED));
        let recorder = resuming(2, 1);
        assert_eq!(response(&recorder, "/two"), strayed(), "another request");
        missed(&recorder);
        let recorder = resuming(1, 1);
        assert!(response(&recorder, "/one").is_some_and(|response| response.is_ok()));
        assert_eq!(response(&recorder, "/two"), strayed(), "a request before a call");
        missed(&recorder);
        let recorder = resuming(1, 1);
        assert_eq!(
            recorder.answer(&asked("clock")),
            Some(Err(STRAYED.to_owned().into())),
            "a call before a request"
        );
        missed(&recorder);
        let recorder = resuming(1, 1);
        assert!(response(&recorder, "/one").is_some_and(|response| response.is_ok()));
        assert_eq!(recorder.answer(&asked("state")), Some(Err(STRAYED.to_owned().into())), "another call");
        missed(&recorder);
        let recorder = resuming(1, 1);
        assert!(response(&recorder, "/one").is_some_and(|response| response.is_ok()));
        missed(&recorder);
    }

    #[test]
    fn a_recalled_exchange_is_found_by_its_place() {
        let mut recording = (*recording()).clone();
        let asked = Input::Share("recall a post".to_owned());
        recording.calls.push(Call { after: 1, asked, answer: Ok(Json::from(&json!(true))) });
        let recorder = Recorder::playing(recording, Arc::default());
        let target = |exchange: Exchange| exchange.request.target;
        assert_eq!(recorder.recalled("recall a post").map(target).as_deref(), Some("/two"));
        assert!(recorder.recalled("recall a post").is_none(), "it recalled once");
        assert_eq!(response(&recorder, "/one"), Some(Ok("/one".to_owned())));
    }

    /// What a watch saw.
    #[derive(Default)]
    struct Seen {
        moments: Mutex<Vec<(usize, usize)>>,
        /// How many exchanges, calls and ways the recording has.
        end: Mutex<Option<(usize, usize, usize)>>,
    }

    impl Watch for Seen {
        fn moment(&self, Moment { exchanges, calls }: Moment) {
            self.moments.lock().unwrap().push((exchanges, calls));
        }

        fn end(&self, recording: Recording, ways: Vec<Option<Way>>) {
            *self.end.lock().unwrap() = Some((recording.exchanges.len(), recording.calls.len(), ways.len()));
        }
    }

    #[test]
    fn moments_end_when_two_inputs_are_in_progress() {
        for (overlap, moments, end) in [
            (false, vec![(0, 0), (1, 0), (1, 1), (2, 1)], (3, 1, 3)),
            (true, vec![(0, 0), (1, 0), (1, 1)], (1, 1, 1)),
        ] {
            let seen = Arc::new(Seen::default());
            let recorder = Recorder::watched(seen.clone());
            recorder.begin(None);
            recorder.ended(&exchange("/one"));
            assert_eq!(recorder.answer(&asked("clock")), None);
            recorder.keep(asked("clock"), &Ok(json!(1)));
            recorder.begin(None);
            if overlap {
                recorder.begin(None);
                recorder.ended(&exchange("/three"));
                recorder.ended(&exchange("/two"));
            } else {
                recorder.ended(&exchange("/two"));
                recorder.begin(None);
                recorder.ended(&exchange("/three"));
            }
            let (calls, missed) = recorder.end();
            assert_eq!((calls.len(), missed), (1, None));
            assert_eq!(*seen.moments.lock().unwrap(), moments);
            assert_eq!(*seen.end.lock().unwrap(), Some(end));
        }
    }
}
