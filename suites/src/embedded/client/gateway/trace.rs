//! The trace of a client: its requests and their answers, from the world's journal, and its replies.

use std::collections::BTreeMap;
use std::time::Duration;

use assay_sim::ExchangeId;
use assay_sim::journal::{Entry, Event};
use serde_json::Value;

use super::scene::Tool;
use crate::harness::check::{Checked, Stop};
use crate::harness::verdict::Failure;
use crate::http::exchange::{Broken, Exchange, Request, Response};
use crate::services::gateway::client::{calls as tool_calls, words_of_stream};

/// The most exchanges in a report.
const SHOWN: usize = 12;

/// A request to the gateway or to one of its servers, and its answer.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Its position in the world's journal.
    pub(super) at: usize,
    /// The site that received it.
    pub(super) site: String,
    /// Its source address.
    pub(super) peer: String,
    /// The request.
    pub(super) request: Request,
    /// The answer, as far as it was sent.
    pub(super) response: Option<Response>,
    /// The answer was complete.
    pub(super) whole: bool,
}

/// One prompt.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    /// The range of its positions in the journal; the last is excluded.
    pub(super) span: [usize; 2],
    /// The client's reply.
    pub(super) reported: ClientReport,
}

/// A client's reply to a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ClientReport {
    /// The model's words.
    Answer(String),
    /// The error that it reported.
    Error(String),
    /// No reply: the process ended or was silent.
    Nothing(&'static str),
}

/// How a client's process ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ended {
    /// It exited by itself.
    Itself,
    /// It was stopped after this time.
    Stopped(Duration),
}

/// What a client did in one world.
pub(super) struct Trace {
    /// Requests to the gateway and its servers, in order.
    pub(super) calls: Vec<Call>,
    /// The prompts, in order.
    pub(super) turns: Vec<Turn>,
    /// The positions in the journal at which the enclave rebooted.
    pub(super) boots: Vec<usize>,
    /// The tools that the prompts name.
    pub(super) tools: &'static [Tool],
    /// The server that left, and the position in the journal from which the client must not use it.
    pub(super) vanished: Option<(String, usize)>,
    /// The valid key, where it has one.
    pub(super) key: Option<String>,
    /// The item hash of the confidential deployment.
    pub(super) item_hash: String,
    /// How it ended.
    pub(super) ended: Ended,
    /// Base URLs of the sites.
    pub(super) bases: BTreeMap<&'static str, String>,
    /// The server's log of rejected requests.
    pub(super) refusals: Vec<String>,
    /// The last lines of the client's standard error.
    pub(super) stderr: Vec<String>,
}

impl Call {
    pub(super) fn path(&self) -> &str {
        self.request.target.split('?').next().unwrap_or_default()
    }

    /// Whether it is an inference request.
    pub(super) fn is_inference(&self) -> bool {
        let path = self.path().trim_end_matches('/');
        self.request.method == "POST"
            && ["/completions", "/responses", "/messages"].iter().any(|end| path.ends_with(end))
    }

    /// The status of the answer; 0 where there is none.
    pub(super) fn status(&self) -> u16 {
        self.response.as_ref().map_or(0, |response| response.status)
    }

    /// A value of a header of the request.
    pub(super) fn header(&self, name: &str) -> Option<String> {
        let header = self.request.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name));
        header.map(|(_, value)| String::from_utf8_lossy(value).into_owned())
    }

    /// The model's words, if the answer is complete.
    pub(super) fn words(&self) -> Option<String> {
        let response = self.response.as_ref().filter(|response| response.status == 200 && self.whole)?;
        if response.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
            return words_of_stream(&response.body).ok();
        }
        response.json().ok()?["choices"][0]["message"]["content"].as_str().map(str::to_owned)
    }

    /// The conversation in the request.
    pub(super) fn messages(&self) -> Vec<Value> {
        let body: Value = serde_json::from_slice(&self.request.body).unwrap_or_default();
        body["messages"].as_array().cloned().unwrap_or_default()
    }

    /// The tool calls in a complete answer.
    pub(super) fn tool_calls(&self) -> Vec<Value> {
        let response = self.response.as_ref().filter(|response| response.status == 200 && self.whole);
        let answer = response.and_then(|response| response.json().ok()).unwrap_or_default();
        tool_calls(&answer["choices"][0]["message"]).cloned().collect()
    }

    /// Whether its answer is missing, incomplete, a 5xx or not a valid answer.
    pub(super) fn has_failed(&self) -> bool {
        !self.whole || self.status() >= 500 || (self.status() == 200 && self.words().is_none())
    }
}

impl Trace {
    /// The calls of one turn.
    pub(super) fn calls_in(&self, turn: usize) -> impl Iterator<Item = (usize, &Call)> {
        let [from, until] = self.turns.get(turn).map_or([0, 0], |turn| turn.span);
        self.calls.iter().enumerate().filter(move |(_, call)| (from..until).contains(&call.at))
    }

    /// The inference requests, each with its index among the calls.
    pub(super) fn asking(&self) -> impl Iterator<Item = (usize, &Call)> {
        self.calls.iter().enumerate().filter(|(_, call)| call.is_inference())
    }

    /// The number of the enclave's boot at a position in the journal.
    pub(super) fn boot(&self, at: usize) -> usize {
        1 + self.boots.iter().filter(|boot| **boot <= at).count()
    }

    /// Expects the client to have exited after the last prompt.
    pub(super) fn has_ended(&self) -> Checked {
        match self.ended {
            Ended::Itself => Ok(()),
            Ended::Stopped(after) => Err(Stop::Fail(Failure {
                place: "the client".to_owned(),
                want: "to exit".to_owned(),
                got: format!("it hangs: stopped after {} s", after.as_secs()),
                exchange: None,
            })),
        }
    }

    /// Explains a verdict: the server's log, the client's replies and its standard error.
    pub(super) fn account(&self) -> Vec<String> {
        let reported =
            self.turns.iter().enumerate().map(|(n, turn)| format!("turn {}: {:?}", n + 1, turn.reported));
        let said = self.stderr.iter().map(|line| format!("the client says: {line}"));
        self.refusals.iter().cloned().chain(reported).chain(said).collect()
    }

    /// The calls as reports show them. The worlds' keys are worth nothing elsewhere, so they are not hidden.
    pub(super) fn exchanges(&self) -> Vec<Exchange> {
        let exchange = |call: &Call| Exchange {
            site: call.site.clone(),
            base: self.bases.get(call.site.as_str()).cloned().unwrap_or_default(),
            request: call.request.clone(),
            cut: None,
            response: match &call.response {
                Some(response) if call.whole => Ok(response.clone()),
                Some(response) => {
                    Err(Broken::Closed(format!("after {} bytes of the body", response.body.len())))
                }
                None => Err(Broken::Closed("without an answer".to_owned())),
            },
        };
        self.calls.iter().take(SHOWN).map(exchange).collect()
    }
}

/// The calls of a journal that reached one of these sites.
pub(super) fn calls(entries: &[Entry], sites: &[&'static str]) -> Vec<Call> {
    let mut calls: BTreeMap<ExchangeId, Call> = BTreeMap::new();
    for (at, Entry { exchange, event, .. }) in entries.iter().enumerate() {
        if let Event::Head(line, headers) = event {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            let [site, peer, method, target] = words[..] else { continue };
            if !sites.contains(&site) {
                continue;
            }
            let mut request = Request::new(method, target);
            for (name, value) in headers {
                request = request.header(name.as_str(), value.as_bytes());
            }
            let (site, peer) = (site.to_owned(), peer.to_owned());
            calls.insert(*exchange, Call { at, site, peer, request, response: None, whole: false });
        }
        let Some(call) = calls.get_mut(exchange) else { continue };
        match event {
            Event::Body(bytes) => call.request.body.extend_from_slice(bytes),
            Event::ReplyHead(status, headers) => {
                let headers =
                    headers.iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
                call.response =
                    Some(Response { status: *status, headers: headers.collect(), body: Vec::new() });
            }
            Event::Frame(bytes) => {
                if let Some(response) = &mut call.response {
                    response.body.extend_from_slice(bytes);
                }
            }
            Event::ReplyEnd => call.whole = true,
            _ => {}
        }
    }
    let mut calls: Vec<Call> = calls.into_values().collect();
    calls.sort_by_key(|call| call.at);
    calls
}

/// Parses a line of a client's output as the reply to a prompt; `None` if it is not one.
pub(super) fn reported(line: &str, id: usize) -> Option<ClientReport> {
    let line: Value = serde_json::from_str(line).ok()?;
    if line["id"] != id {
        return None;
    }
    let text = |name: &str| line[name].as_str().map(str::to_owned);
    text("answer").map(ClientReport::Answer).or_else(|| text("error").map(ClientReport::Error))
}
