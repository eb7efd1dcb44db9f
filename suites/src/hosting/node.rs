//! Requests to a node of the network that may be slow, busy or gone, or return nonsense.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use url::Url;

use super::lists::Page;
use crate::client::Limits;
use crate::exchange::{Broken, Request, Response};
use crate::redact::Hidden;
use crate::target::{Connect, Dial};
use crate::transport;

/// How often a request is sent that gets no answer, or a 5xx.
const TRIES: u32 = 4;
/// How often a request waits for a node that returns 429: its limit is per minute.
const WAITS: u32 = 30;
/// The pause before a second try; it doubles.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest wait for a `Retry-After`.
const LONGEST_WAIT: Duration = Duration::from_mins(2);
/// After so many requests in a row without an answer, a node is not asked again.
const PATIENCE: u32 = 3;
/// The longest answer, in bytes: a hundred aggregates, each with every project of a wallet.
const BODY_BYTES: usize = 256 * 1024 * 1024;
/// The most troubles of one node that are kept.
const TROUBLES: usize = 20;

/// A node.
pub(super) struct Node {
    connector: Arc<dyn Connect>,
    base: String,
    prefix: String,
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    silent: u32,
    troubles: BTreeSet<String>,
}

/// The answer of a node; status 0 if there was none.
#[derive(Default)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

impl Node {
    /// The node at a base URL.
    pub(super) fn new(connector: Arc<dyn Connect>, base: &str, timeout: Duration) -> Result<Node, String> {
        let url = Url::parse(base).map_err(|e| format!("{base}: {e}"))?;
        let prefix = url.path().trim_end_matches('/').to_owned();
        let limits = Limits { timeout, body_bytes: BODY_BYTES, ..Limits::default() };
        Ok(Node { connector, base: base.to_owned(), prefix, limits, state: Mutex::default() })
    }

    /// Its base URL.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// Notes a problem of this node.
    pub(super) fn trouble(&self, what: String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.troubles.len() < TROUBLES {
            state.troubles.insert(what);
        }
    }

    /// The noted problems.
    pub(super) fn troubles(&self) -> BTreeSet<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).troubles.clone()
    }

    /// Whether it is no longer asked.
    pub(super) fn is_dead(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).silent >= PATIENCE
    }

    /// A page of a list. Anything else is noted as a problem if there `must` be one.
    pub(super) async fn page(&self, path: &str, must: bool) -> Page {
        let Reply { status, body } = self.get(path).await;
        match (status, String::from_utf8(body)) {
            (200, Ok(text)) => return Page::Body(text, 0),
            (200, Err(_)) => self.trouble("an answer is not UTF-8".to_owned()),
            // A missing answer is noted already.
            (0, _) => {}
            (status, _) if must => {
                self.trouble(format!("{} returned {status}", path.split('?').next().unwrap_or_default()));
            }
            _ => {}
        }
        if matches!(status, 400..=499) { Page::Rejected } else { Page::Missing }
    }

    /// Sends a GET, and retries after no answer, a 429 or a 5xx.
    pub(super) async fn get(&self, path: &str) -> Reply {
        let (mut tries, mut waits, mut pause) = (0, 0, PAUSE);
        loop {
            if self.is_dead() {
                return Reply::default();
            }
            let answer = self.once(path).await;
            let wait = match &answer {
                Ok(response) if response.status == 429 => {
                    waits += 1;
                    (waits <= WAITS).then(|| retry_after(response).unwrap_or(pause))
                }
                Ok(response) if response.status < 500 => None,
                _ => {
                    tries += 1;
                    (tries < TRIES).then_some(pause)
                }
            };
            let Some(wait) = wait else { return self.settle(answer) };
            tokio::time::sleep(wait).await;
            pause *= 2;
        }
    }

    /// Turns the last result into a reply, and counts requests without an answer.
    fn settle(&self, answer: Result<Response, Broken>) -> Reply {
        match answer {
            Ok(response) => {
                if response.status >= 500 || response.status == 429 {
                    self.trouble(format!("it returns {}", response.status));
                }
                self.state.lock().unwrap_or_else(PoisonError::into_inner).silent = 0;
                Reply { status: response.status, body: response.body }
            }
            Err(broken) => {
                self.trouble(broken.to_string());
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                // If nothing listens there, other requests fail as well.
                state.silent += if matches!(broken, Broken::Unreachable(_)) { PATIENCE } else { 1 };
                Reply::default()
            }
        }
    }

    async fn once(&self, path: &str) -> Result<Response, Broken> {
        let request = Request::new("GET", &format!("{}{path}", self.prefix));
        let transport = self.connector.transport();
        // No report shows these requests, so nothing needs to be hidden.
        let request = transport.dress(request, &mut Hidden::default());
        let to = Dial::to(&self.base);
        transport::send(&*self.connector, to, &request, transport.within("network", self.limits))
            .await
            .response
    }
}

/// How long an answer asks to wait.
fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.header("retry-after")?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST_WAIT))
}
