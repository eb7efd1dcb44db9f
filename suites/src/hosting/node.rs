//! A node of the network as a reader meets it: slow, busy, gone, or saying what is no answer.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use url::Url;

use crate::client::Limits;
use crate::exchange::{Broken, Request, Response};
use crate::redact::Hidden;
use crate::target::{Connect, Dial};
use crate::transport;

/// How often a request is sent that gets no answer, or one that asks for patience.
const TRIES: u32 = 4;
/// How often a node that answers 429 is waited for: its limit is by the minute.
const WAITS: u32 = 30;
/// The pause before a second try; it doubles.
const PAUSE: Duration = Duration::from_millis(50);
/// No `Retry-After` is waited for longer than this.
const LONGEST_WAIT: Duration = Duration::from_mins(2);
/// A node that gave no answer so often in a row is not asked again.
const PATIENCE: u32 = 3;
/// The longest answer, in bytes: a hundred aggregates that hold every project of a wallet.
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

/// What a node answered; no status where it did not.
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

    /// Notes what is wrong with it.
    pub(super) fn trouble(&self, what: String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.troubles.len() < TROUBLES {
            state.troubles.insert(what);
        }
    }

    /// What was wrong with it.
    pub(super) fn troubles(&self) -> BTreeSet<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).troubles.clone()
    }

    /// Whether it was given up.
    pub(super) fn is_dead(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).silent >= PATIENCE
    }

    /// The text of a 200; anything else is a trouble.
    pub(super) async fn text(&self, path: &str) -> Option<String> {
        let Reply { status, body } = self.get(path).await;
        match (status, String::from_utf8(body)) {
            (200, Ok(text)) => Some(text),
            (200, Err(_)) => {
                self.trouble("an answer is no UTF-8".to_owned());
                None
            }
            // Silence is a trouble already.
            (0, _) => None,
            (status, _) => {
                self.trouble(format!(
                    "{} is answered by {status}",
                    path.split('?').next().unwrap_or_default()
                ));
                None
            }
        }
    }

    /// A GET, tried again where there is no answer, or one that asks for patience.
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

    /// The last answer, and whether the node is still worth asking.
    fn settle(&self, answer: Result<Response, Broken>) -> Reply {
        match answer {
            Ok(response) => {
                if response.status >= 500 || response.status == 429 {
                    self.trouble(format!("it answers {}", response.status));
                }
                self.state.lock().unwrap_or_else(PoisonError::into_inner).silent = 0;
                Reply { status: response.status, body: response.body }
            }
            Err(broken) => {
                self.trouble(broken.to_string());
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                // Where nobody is there, asking for something else helps no more.
                state.silent += if matches!(broken, Broken::Unreachable(_)) { PATIENCE } else { 1 };
                Reply::default()
            }
        }
    }

    async fn once(&self, path: &str) -> Result<Response, Broken> {
        let request = Request::new("GET", &format!("{}{path}", self.prefix));
        let transport = self.connector.transport();
        // What is hidden stands in no report: of these exchanges only the bodies do.
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
