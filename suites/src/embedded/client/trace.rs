//! The trace of a client: its requests and their answers, from the world's journal.

use std::collections::BTreeMap;
use std::time::Duration;

use assay_sim::ExchangeId;
use assay_sim::journal::{Entry, Event};
use assay_spec::publish::{prepare, submit};
use assay_spec::{Dialect, Instant};

use super::Suite;
use super::scene::{Scene, Script};
use crate::harness::check::{Checked, Stop};
use crate::harness::verdict::Failure;
use crate::http::exchange::{Broken, Exchange, Request, Response};
use crate::support::prose;

/// The most exchanges in a report.
const SHOWN: usize = 12;

/// A request to the exchange or the chain, and its answer.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The site that it was sent to.
    pub(super) site: String,
    /// When its head arrived.
    pub(super) at: Instant,
    /// The request.
    pub(super) request: Request,
    /// The answer, once it is complete.
    pub(super) response: Option<Response>,
    /// When the answer was complete.
    pub(super) answered: Option<Instant>,
    /// The client disconnected before.
    pub(super) aborted: bool,
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
    /// The service's names of types, channels and schemes.
    pub(super) dialect: Dialect,
    /// The client's public key.
    pub(super) key: [u8; 32],
    /// Requests to the exchange's two endpoints, in order.
    pub(super) calls: Vec<Call>,
    /// Requests to other paths of the exchange.
    pub(super) strays: Vec<String>,
    /// Requests to the chain.
    pub(super) chain: Vec<Call>,
    /// What a transfer or an accept must say in its bodies.
    pub(super) wanted: serde_json::Value,
    /// Records that landed.
    pub(super) landed: u64,
    /// How it ended.
    pub(super) ended: Ended,
    /// The base URL of the exchange.
    pub(super) base: String,
    /// The server's log of rejected requests.
    pub(super) refusals: Vec<String>,
    /// The last lines of the client's standard error.
    pub(super) stderr: Vec<String>,
}

impl Call {
    /// Whether it is a prepare.
    pub(super) fn is_prepare(&self) -> bool {
        self.path() == prepare::ENDPOINT.path
    }

    /// Whether it is a submit.
    pub(super) fn is_submit(&self) -> bool {
        self.path() == submit::ENDPOINT.path
    }

    fn path(&self) -> &str {
        self.request.target.split('?').next().unwrap_or_default()
    }

    /// The status of the answer; 0 where there is none.
    pub(super) fn status(&self) -> u16 {
        self.response.as_ref().map_or(0, |response| response.status)
    }

    /// The answer's JSON, or null.
    pub(super) fn answer(&self) -> serde_json::Value {
        self.response.as_ref().and_then(|response| response.json().ok()).unwrap_or_default()
    }

    /// The request's JSON, or null.
    pub(super) fn body(&self) -> serde_json::Value {
        serde_json::from_slice(&self.request.body).unwrap_or_default()
    }
}

impl Trace {
    /// The prepares, each with its index among the calls.
    pub(super) fn prepares(&self) -> Vec<(usize, &Call)> {
        self.calls.iter().enumerate().filter(|(_, call)| call.is_prepare()).collect()
    }

    /// The submits, each with its index among the calls.
    pub(super) fn submits(&self) -> Vec<(usize, &Call)> {
        self.calls.iter().enumerate().filter(|(_, call)| call.is_submit()).collect()
    }

    /// Expects a client that has nothing to wait for to have exited.
    pub(super) fn has_ended(&self, scene: &Scene) -> Checked {
        match self.ended {
            Ended::Stopped(after) if !scene.may_wait() => Err(Stop::Fail(Failure {
                place: "the client".to_owned(),
                want: "to exit".to_owned(),
                got: format!("it hangs: stopped after {} s", after.as_secs()),
                exchange: None,
            })),
            _ => Ok(()),
        }
    }

    /// Explains a verdict: the server's log and the client's standard error.
    pub(super) fn account(&self) -> Vec<String> {
        let said = self.stderr.iter().map(|line| format!("the client says: {line}"));
        self.refusals.iter().cloned().chain(said).collect()
    }

    /// Notes about the run.
    pub(super) fn notes(&self, suite: &Suite, scene: &Scene) -> Vec<String> {
        let mut notes = Vec::new();
        if scene.script == Script::Hold {
            notes.push(format!(
                "the submit took {} s here; the document speaks of about three minutes",
                suite.slow.as_secs()
            ));
        }
        if let Some(stray) = self.strays.first() {
            notes.push(format!(
                "{} to other paths, the first to {stray}",
                prose::count(self.strays.len(), "request")
            ));
        }
        if let Ended::Stopped(after) = self.ended {
            notes.push(format!("the client was still running and was stopped after {} s", after.as_secs()));
        }
        notes
    }

    /// The calls as reports show them.
    pub(super) fn exchanges(&self) -> Vec<Exchange> {
        let exchange = |call: &Call| Exchange {
            site: "publish".to_owned(),
            base: self.base.clone(),
            request: call.request.clone(),
            cut: None,
            response: call.response.clone().ok_or_else(|| {
                let gone = if call.aborted { "because the client went away" } else { "without an answer" };
                Broken::Closed(gone.to_owned())
            }),
        };
        self.calls.iter().take(SHOWN).map(exchange).collect()
    }
}

/// The calls of a journal, including other paths and the chain. `altered_answers` are the answers to prepares that the wire altered.
pub(super) fn calls(entries: &[Entry], altered_answers: Vec<Vec<u8>>) -> Vec<Call> {
    let mut calls: BTreeMap<ExchangeId, Call> = BTreeMap::new();
    for Entry { at, exchange, event, .. } in entries {
        if let Event::Head(line, headers) = event {
            calls.extend(head(line, headers, *at).map(|call| (*exchange, call)));
        }
        let Some(call) = calls.get_mut(exchange) else { continue };
        match event {
            Event::Body(bytes) => call.request.body.extend_from_slice(bytes),
            Event::Abort => call.aborted = true,
            Event::ReplyHead(status, headers) => {
                let headers = headers
                    .iter()
                    .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
                    .collect();
                call.response = Some(Response { status: *status, headers, body: Vec::new() });
            }
            Event::Frame(bytes) => {
                if let Some(response) = &mut call.response {
                    response.body.extend_from_slice(bytes);
                }
            }
            Event::ReplyEnd => call.answered = Some(*at),
            Event::Head(..) | Event::End | Event::Cut | Event::Tick | Event::Control(_) => {}
            Event::Outgoing(..) | Event::Incoming(..) => {}
        }
    }
    let mut calls: Vec<Call> = calls.into_values().collect();
    let prepared = calls.iter_mut().filter(|call| call.is_prepare() && call.status() == 200);
    for (call, deviation) in prepared.zip(altered_answers) {
        if let Some(response) = &mut call.response {
            response.body = deviation;
        }
    }
    calls
}

/// A new call, from the line `site address method target`.
fn head(line: &str, headers: &axum::http::HeaderMap, at: Instant) -> Option<Call> {
    let mut words = line.splitn(4, ' ');
    let (site, _, method, target) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let mut request = Request::new(method, target);
    for (name, value) in headers {
        request = request.header(name.as_str(), value.as_bytes());
    }
    Some(Call { site: site.to_owned(), at, request, response: None, answered: None, aborted: false })
}
