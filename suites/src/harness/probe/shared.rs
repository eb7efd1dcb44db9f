//! Responses that several checks of a run read: the request is sent once, the other checks recall its response.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Answer, Probe};
use crate::harness::check::Stop;
use crate::http::client::Limits;
use crate::http::exchange::{Exchange, Request};

/// The response to one request, once a check has it.
type Kept = Arc<tokio::sync::Mutex<Option<Exchange>>>;

/// What the checks of a run share, by site and request.
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

    fn at(&self, site: &str, request: &Request) -> Kept {
        let lines = [site, &request.method, &request.target].map(str::as_bytes);
        let headers = request.headers.iter().flat_map(|(name, value)| [name.as_bytes(), value]);
        let parts: Vec<&[u8]> = lines.into_iter().chain(headers).chain([&request.body[..]]).collect();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(parts.join(&0)).or_default().clone()
    }
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
        if self.environment.own || self.has_control() || self.plays() {
            return self.send_with(site, request, None, limits).await;
        }
        let kept = self.settings.shared.at(site, &request);
        let mut kept = kept.lock().await;
        if let Some(exchange) = &*kept {
            return self.recall(exchange.clone());
        }
        let answer = self.send_with(site, request, None, limits).await?;
        if answer.status() < 500 && answer.status() != 429 {
            *kept = Some(answer.exchange());
        }
        Ok(answer)
    }
}
