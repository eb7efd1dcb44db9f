//! Responses that several checks of a run read: the request is sent once, the other checks recall its response.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Answer, Probe};
use crate::harness::check::Stop;
use crate::http::client::Limits;
use crate::http::exchange::{Exchange, Request};

/// One response, once a check has it.
type Kept = Arc<tokio::sync::Mutex<Option<Exchange>>>;

/// What the checks of a run share, by site and request or by name.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<BTreeMap<Vec<u8>, Kept>>>);

/// Shows no request: it may hold a secret.
impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shared")
    }
}

impl Shared {
    /// Forgets all responses.
    pub fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn at(&self, key: Vec<u8>) -> Kept {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone()
    }
}

/// What identifies a request.
fn key(site: &str, request: &Request) -> Vec<u8> {
    let lines = [site, &request.method, &request.target].map(str::as_bytes);
    let headers = request.headers.iter().flat_map(|(name, value)| [name.as_bytes(), value]);
    let parts: Vec<&[u8]> = lines.into_iter().chain(headers).chain([&request.body[..]]).collect();
    parts.join(&0)
}

impl Probe<'_> {
    /// As [`Probe::send_with`] for a request that changes nothing. At a target without a control API the checks of a run
    /// that send the same request share its response, unless that may be temporary (429, 5xx).
    pub async fn send_shared(
        &self,
        site: &str,
        request: Request,
        limits: Limits,
    ) -> Result<Answer<'_>, Stop> {
        self.recalled(key(site, &request), None, async || self.send_with(site, request, None, limits).await)
            .await
    }

    /// Sends a request that each check makes anew, such as a valid message that is a counterpart. At a target without a control
    /// API only the first check with this name sends it, and the others recall its response, unless that may be temporary.
    pub(crate) async fn once<'p>(
        &'p self,
        name: &str,
        send: impl AsyncFnOnce() -> Result<Answer<'p>, Stop>,
    ) -> Result<Answer<'p>, Stop> {
        // What the request is made of, such as the time, was asked by the check that sent it. A report tells which exchange it was.
        let what = format!("recall {name}");
        if let Some(exchange) = self.recorder.recalled(&what) {
            return self.recall(exchange);
        }
        self.recalled(name.into(), Some(&what), send).await
    }

    async fn recalled<'p>(
        &'p self,
        key: Vec<u8>,
        noted: Option<&str>,
        send: impl AsyncFnOnce() -> Result<Answer<'p>, Stop>,
    ) -> Result<Answer<'p>, Stop> {
        if self.environment.own || self.has_control() || self.plays() {
            return send().await;
        }
        let kept = self.settings.shared.at(key);
        let mut kept = kept.lock().await;
        if let Some(exchange) = &*kept {
            if let Some(what) = noted {
                self.share(what, || Ok(true.into())).map_err(Stop::Error)?;
            }
            return self.recall(exchange.clone());
        }
        let answer = send().await?;
        if answer.status() < 500 && answer.status() != 429 {
            *kept = Some(answer.exchange());
        }
        Ok(answer)
    }
}
