//! The trace of a client of the gateway: its requests, and its replies to prompts.

use serde_json::Value;

use super::super::trace::{Around, Call};
use super::scene::Tool;
use crate::services::gateway::client::{calls as tool_calls, words_of_stream};

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

/// What a client did in one world.
pub struct Trace {
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
    /// How it ended, and what reports show besides.
    pub(super) around: Around,
}

impl Call {
    /// Whether it is an inference request.
    pub(super) fn is_inference(&self) -> bool {
        let path = self.path().trim_end_matches('/');
        self.request.method == "POST"
            && ["/completions", "/responses", "/messages"].iter().any(|end| path.ends_with(end))
    }

    /// The model's words, if the answer is complete.
    pub(super) fn words(&self) -> Option<String> {
        let response = self.response.as_ref().filter(|response| response.status == 200 && self.is_whole())?;
        if response.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
            return words_of_stream(&response.body).ok();
        }
        response.json().ok()?["choices"][0]["message"]["content"].as_str().map(str::to_owned)
    }

    /// The conversation in the request.
    pub(super) fn messages(&self) -> Vec<Value> {
        self.body()["messages"].as_array().cloned().unwrap_or_default()
    }

    /// The tool calls in a complete answer.
    pub(super) fn tool_calls(&self) -> Vec<Value> {
        let response = self.response.as_ref().filter(|response| response.status == 200 && self.is_whole());
        let answer = response.and_then(|response| response.json().ok()).unwrap_or_default();
        tool_calls(&answer["choices"][0]["message"]).cloned().collect()
    }

    /// Whether its answer is missing, incomplete, a 5xx or not a valid answer.
    pub(super) fn has_failed(&self) -> bool {
        !self.is_whole() || self.status() >= 500 || (self.status() == 200 && self.words().is_none())
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
