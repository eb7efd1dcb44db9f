//! The trace of a client: its requests and their answers, from the world's journal, and how it ended.

use std::collections::BTreeMap;
use std::time::Duration;

use assay_sim::ExchangeId;
use assay_sim::journal::{Entry, Event};
use assay_spec::Instant;
use axum::http::HeaderMap;
use bytes::{Bytes, BytesMut};
use serde_json::Value;

use crate::harness::check::{Checked, Stop};
use crate::harness::data::Account;
use crate::harness::data::Failure;
use crate::http::exchange::{Broken, Exchange, Request, Response};

/// The most exchanges in a report.
const SHOWN: usize = 12;

/// A request that reached the world, and its answer.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The position of its head in the journal.
    pub(super) at: usize,
    /// When its head arrived.
    pub(super) time: Instant,
    /// The site that received it.
    pub(super) site: String,
    /// Its source address.
    pub(super) peer: String,
    /// The request.
    pub(super) request: Request,
    /// The answer, as far as it was sent.
    pub(super) response: Option<Response>,
    /// When the answer was complete.
    pub(super) answered: Option<Instant>,
    /// The client disconnected before.
    pub(super) aborted: bool,
}

/// How a client's process ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ended {
    /// It exited by itself, with this code if no signal ended it.
    Itself(Option<i32>),
    /// It was stopped after this time.
    Stopped(Duration),
    /// It was not started by the suite.
    Unknown,
}

/// What the reports of every suite show of a world, apart from its requests.
pub(super) struct Around {
    /// How the client ended.
    pub(super) ended: Ended,
    /// Base URLs by site.
    pub(super) bases: BTreeMap<&'static str, String>,
    /// The server's log of rejected requests.
    pub(super) refusals: Vec<String>,
    /// The first and the last lines of the client's standard error.
    pub(super) stderr: Vec<String>,
}

impl Call {
    /// The path of the request, without a query.
    pub(super) fn path(&self) -> &str {
        self.request.target.split('?').next().unwrap_or_default()
    }

    /// The status of the answer; 0 where there is none.
    pub(super) fn status(&self) -> u16 {
        self.response.as_ref().map_or(0, |response| response.status)
    }

    /// Whether the answer was sent to its end.
    pub(super) fn is_whole(&self) -> bool {
        self.answered.is_some()
    }

    /// The answer's JSON, or null.
    pub(super) fn answer(&self) -> Value {
        self.response.as_ref().and_then(|response| response.json().ok()).unwrap_or_default()
    }

    /// The request's JSON, or null.
    pub(super) fn body(&self) -> Value {
        serde_json::from_slice(&self.request.body).unwrap_or_default()
    }

    /// A value of a header of the request.
    pub(super) fn header(&self, name: &str) -> Option<String> {
        let header = self.request.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name));
        header.map(|(_, value)| String::from_utf8_lossy(value).into_owned())
    }

    /// The call as reports show it. The worlds' keys are worth nothing elsewhere, so they are not hidden.
    fn exchange(&self, base: &str) -> Exchange {
        let response = match &self.response {
            Some(response) if self.is_whole() => Ok(response.clone()),
            Some(response) => Err(format!("after {} bytes of the body", response.body.len())),
            None if self.aborted => Err("because the client went away".to_owned()),
            None => Err("without an answer".to_owned()),
        };
        Exchange {
            site: self.site.clone(),
            base: base.to_owned(),
            request: self.request.clone(),
            cut: None,
            slot: None,
            response: response.map_err(Broken::Closed),
        }
    }
}

impl Around {
    /// Expects the client to have exited, unless it may still wait for something.
    pub(super) fn has_ended(&self, may_wait: bool) -> Checked {
        match self.ended {
            Ended::Stopped(after) if !may_wait => Err(Stop::Fail(Failure::new(
                "the client",
                "to exit",
                format!("it hangs: stopped after {} s", after.as_secs()),
                None,
            ))),
            _ => Ok(()),
        }
    }

    /// Explains a verdict: the server's log, what the suite adds, and the client's standard error.
    pub(super) fn account(&self, more: impl Iterator<Item = String>) -> Vec<Account> {
        let said = self.stderr.iter().map(|line| format!("the client says: {line}"));
        let words = self.refusals.iter().cloned().chain(more).chain(said);
        words.map(|words| Account { words, ..Account::default() }).collect()
    }

    /// These calls as reports show them.
    pub(super) fn exchanges(&self, calls: &[Call]) -> Vec<Exchange> {
        let base = |call: &Call| self.bases.get(call.site.as_str()).map_or("", String::as_str);
        calls.iter().take(SHOWN).map(|call| call.exchange(base(call))).collect()
    }
}

/// The calls of a journal, in the order in which their heads arrived.
pub(super) fn calls(entries: &[Entry]) -> Vec<Call> {
    let mut calls: BTreeMap<ExchangeId, Call> = BTreeMap::new();
    for (at, Entry { at: time, exchange, event, .. }) in entries.iter().enumerate() {
        if let Event::Head(line, headers) = event {
            calls.extend(head(line, headers, at, *time).map(|call| (*exchange, call)));
        }
        let Some(call) = calls.get_mut(exchange) else { continue };
        match event {
            Event::Body(bytes) => append(&mut call.request.body, bytes),
            Event::Abort => call.aborted = true,
            Event::ReplyHead(status, headers) => {
                let headers =
                    headers.iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
                call.response =
                    Some(Response { status: *status, headers: headers.collect(), body: Bytes::new() });
            }
            Event::Frame(bytes) => {
                if let Some(response) = &mut call.response {
                    append(&mut response.body, bytes);
                }
            }
            Event::ReplyEnd => call.answered = Some(*time),
            Event::Head(..) | Event::End | Event::Cut | Event::Tick | Event::Control(_) => {}
            Event::Outgoing(..) | Event::Incoming(..) => {}
        }
    }
    let mut calls: Vec<Call> = calls.into_values().collect();
    calls.sort_by_key(|call| call.at);
    calls
}

/// Adds a part of a body. Without other users of the body, it is not copied.
fn append(body: &mut Bytes, part: &[u8]) {
    let whole = std::mem::take(body).try_into_mut();
    let mut whole = whole.unwrap_or_else(|shared| BytesMut::from(&shared[..]));
    whole.extend_from_slice(part);
    *body = whole.freeze();
}

/// A new call, from the line `site address method target`.
fn head(line: &str, headers: &HeaderMap, at: usize, time: Instant) -> Option<Call> {
    let mut words = line.splitn(4, ' ');
    let (site, peer, method, target) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let mut request = Request::new(method, target);
    for (name, value) in headers {
        request = request.header(name.as_str(), value.as_bytes());
    }
    let (site, peer) = (site.to_owned(), peer.to_owned());
    Some(Call { at, time, site, peer, request, response: None, answered: None, aborted: false })
}
