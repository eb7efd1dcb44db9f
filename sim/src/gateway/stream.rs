//! Streamed answers: frames on timers, and the ways a stream can end.

use std::collections::VecDeque;
use std::sync::Arc;

use assay_spec::gateway::machines::{RequestEvent, RequestState};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};

use super::call::Call;
use super::pool::Number;
use super::wire::{Data, Event};
use super::{State, Timer, health, moves, set};
use crate::core::Core;
use crate::exchange::ExchangeId;

/// A stream in progress.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    /// The server that sends it.
    pub(super) server: Number,
    call: Arc<Call>,
    /// Its client is connected to the server itself.
    direct: bool,
    /// The remaining frames.
    frames: VecDeque<Bytes>,
    /// The number of frames sent.
    said: usize,
    ending: Ending,
    /// The time between two frames.
    pace_ms: i64,
}

impl Stream {
    /// The request.
    pub(super) fn call(&self) -> &Call {
        &self.call
    }
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Complete.
    Whole,
    /// The server dies midway.
    Dies,
    /// The server sends an error event midway.
    ErrorEvent,
    /// The server sends nothing for a while midway, and dies.
    FallsSilent,
}

/// The media type of streams.
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// The media type of a stream.
#[derive(Clone, PartialEq)]
pub(super) struct MediaType {
    /// Its name.
    pub(super) name: &'static str,
    /// The client is connected to the server itself.
    pub(super) direct: bool,
}

/// The frames of a stream.
#[derive(Clone, PartialEq)]
pub(super) struct Frames(pub(super) VecDeque<Bytes>);

/// The event that ends a stream that fails.
#[derive(Clone, PartialEq)]
pub(super) struct ErrorEvent(pub(super) Event);

/// The last bytes of a stream that fails.
#[derive(Clone, PartialEq)]
pub(super) struct LastWords(pub(super) Bytes);

/// The lines of an event.
#[derive(Clone, PartialEq)]
pub(super) struct EventLines {
    /// The number of the event.
    pub(super) n: usize,
    /// Names and values.
    pub(super) lines: Vec<(&'static str, String)>,
    /// What follows a colon.
    pub(super) blank: &'static str,
    /// The end of a line.
    pub(super) end: &'static str,
}

/// The parameters of a new stream.
pub(super) struct Begin {
    pub(super) exchange: ExchangeId,
    pub(super) server: Number,
    pub(super) call: Arc<Call>,
    pub(super) direct: bool,
    pub(super) ending: Ending,
    pub(super) events: Vec<Event>,
    pub(super) headers: HeaderMap,
}

/// Begins a stream: its head and first frame leave at once, the others on timers.
pub(super) fn begin(core: &mut Core, state: &mut State, begin: Begin) {
    let Begin { exchange, server, call, direct, ending, events, mut headers } = begin;
    let MediaType { name: media_type, .. } = core.step(MediaType { name: EVENT_STREAM, direct });
    headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(http::header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let mut frames: VecDeque<Bytes> = write(core, events).into();
    if ending != Ending::Whole {
        frames.truncate((frames.len() / 2).max(1));
    }
    let Frames(frames) = core.step(Frames(frames));
    let pace_ms = core.limits(&state.limits).frame_ms;
    core.begin_answer(exchange, 200, headers);
    state.streams.insert(exchange, Stream { server, call, direct, frames, said: 0, ending, pace_ms });
    state.pool.at_mut(server).busy += 1;
    step(core, state, exchange);
}

/// The next frame of a stream, or its end.
pub(super) fn step(core: &mut Core, state: &mut State, exchange: ExchangeId) {
    let Some(stream) = state.streams.get_mut(&exchange) else { return };
    if let Some(frame) = stream.frames.pop_front() {
        stream.said += 1;
        core.frame(exchange, &frame);
        let due = core.now() + stream.pace_ms;
        set(core, due, Timer::Frame(exchange));
        return;
    }
    match stream.ending {
        Ending::Whole => {
            moves(core, RequestState::Streaming, RequestEvent::LastByte);
            finish(core, state, exchange);
        }
        Ending::Dies => dies(core, state, exchange),
        Ending::ErrorEvent => fails(core, state, exchange),
        Ending::FallsSilent => {
            stream.ending = Ending::Dies;
            let due = core.now() + core.limits(&state.limits).silent_ms;
            set(core, due, Timer::Frame(exchange));
        }
    }
}

/// The server of a stream is gone: its own connection breaks off; the gateway sends an error event.
fn dies(core: &mut Core, state: &mut State, exchange: ExchangeId) {
    let Some(Stream { server, direct, .. }) = state.streams.get(&exchange) else { return };
    if *direct {
        moves(core, RequestState::Streaming, RequestEvent::ServerFails);
        leave(state, exchange);
        core.cut(exchange);
        return;
    }
    state.pool.at_mut(*server).well = false;
    fails(core, state, exchange);
    health::wake(core, state);
}

/// A stream ends with an error event.
fn fails(core: &mut Core, state: &mut State, exchange: ExchangeId) {
    let Some(stream) = state.streams.get(&exchange) else { return };
    let ErrorEvent(event) = core.step(ErrorEvent(stream.call.broken("the server failed", stream.said)));
    let words = Bytes::from(write(core, vec![event]).concat());
    let LastWords(words) = core.step(LastWords(words));
    core.frame(exchange, &words);
    moves(core, RequestState::Streaming, RequestEvent::ServerFails);
    finish(core, state, exchange);
}

/// A server is gone: its streams break off.
pub(super) fn server_gone(core: &mut Core, state: &mut State, server: Number) {
    let streams = state.streams.iter().filter(|(_, stream)| stream.server == server);
    for exchange in streams.map(|(exchange, _)| *exchange).collect::<Vec<_>>() {
        dies(core, state, exchange);
    }
}

fn finish(core: &mut Core, state: &mut State, exchange: ExchangeId) {
    leave(state, exchange);
    core.finish(exchange);
}

/// A stream has ended, or its client is gone.
pub(super) fn leave(state: &mut State, exchange: ExchangeId) {
    if let Some(stream) = state.streams.remove(&exchange) {
        let server = state.pool.at_mut(stream.server);
        server.busy = server.busy.saturating_sub(1);
    }
}

/// The bytes of events, one frame each.
fn write(core: &mut Core, events: Vec<Event>) -> Vec<Bytes> {
    let events = events.into_iter().enumerate();
    events.map(|(n, event)| Bytes::from(format_event(core, n, event))).collect()
}

/// One event in the format of event streams.
fn format_event(core: &mut Core, n: usize, event: Event) -> String {
    let data = match event.data {
        Data::Json(value) => {
            String::from_utf8(core.variations.json(value)).expect("JSON is written in UTF-8")
        }
        Data::Done => "[DONE]".to_owned(),
    };
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    lines.extend(event.name.map(|name| ("event", name.to_owned())));
    lines.extend(data.split('\n').map(|part| ("data", part.to_owned())));
    let EventLines { lines, blank, end, .. } = core.step(EventLines { n, lines, blank: " ", end: "\n" });
    let mut text = String::new();
    for (name, value) in &lines {
        for part in [name, ":", blank, value, end] {
            text.push_str(part);
        }
    }
    text.push_str(end);
    text
}
