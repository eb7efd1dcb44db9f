//! Requests to a node of the network that may be slow, busy or gone, or return nonsense.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use super::lists::Page;
use crate::harness::pace::{LONGEST_WAIT, Retry};
use crate::harness::sender::Sender;
use crate::http::client::Limits;
use crate::http::connect::Connect;
use crate::http::exchange::{Broken, Request, Response};

/// A request is sent again if it gets no answer or a 5xx, and after a 429: a node's limit is per minute.
const RETRY: Retry = Retry {
    tries: 4,
    waits: 30,
    pause: Some(Duration::from_millis(50)),
    longest: LONGEST_WAIT,
    is_temporary: |result| match result {
        Ok(response) => response.status >= 500,
        // If nothing listens there, other requests fail as well.
        Err(broken) => !matches!(broken, Broken::Unreachable(_)),
    },
};
/// After so many requests in a row without an answer, a node is not asked again.
const PATIENCE: u32 = 3;
/// The longest answer, in bytes: a hundred aggregates, each with every project of a wallet.
const BODY_BYTES: usize = 256 * 1024 * 1024;
/// The most troubles of one node that are kept.
const TROUBLES: usize = 20;

/// A node.
pub(super) struct Node {
    sender: Sender,
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
    pub(super) body: Bytes,
}

impl Node {
    /// The node at a base URL.
    pub(super) fn new(connector: Arc<dyn Connect>, base: &str, timeout: Duration) -> Result<Node, String> {
        let sender = Sender::new(connector, base)?;
        let limits = Limits { timeout, body_bytes: BODY_BYTES, ..Limits::default() };
        Ok(Node { sender, limits, state: Mutex::default() })
    }

    /// Its base URL.
    pub(super) fn base(&self) -> &str {
        self.sender.base()
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

    /// Whether it gets no more requests, because several had no answer.
    pub(super) fn is_dead(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).silent >= PATIENCE
    }

    /// A page of a list. Anything else is noted as a problem if there `must` be one.
    pub(super) async fn page(&self, path: &str, must: bool) -> Page {
        let Reply { status, body } = self.get(path).await;
        match (status, String::from_utf8(body.into())) {
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

    /// Sends a GET, unless the node gets no more requests.
    pub(super) async fn get(&self, path: &str) -> Reply {
        if self.is_dead() {
            return Reply::default();
        }
        let target = self.sender.target(path);
        self.settle(self.sender.send(&RETRY, self.limits, || Request::new("GET", &target)).await)
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
                state.silent += if matches!(broken, Broken::Unreachable(_)) { PATIENCE } else { 1 };
                Reply::default()
            }
        }
    }
}
