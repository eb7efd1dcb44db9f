//! Sends one request over a new connection, with the run's transport settings.

use std::net::IpAddr;

use super::Probe;
use crate::client::Limits;
use crate::exchange::{Broken, Request, Response};
use crate::target::{Dial, is_same_origin};
use crate::transport::{self, Open};

impl Probe<'_> {
    /// The request as it is sent; the target's own sites also get the profile's headers.
    pub(super) fn dressed(&self, base: &str, request: Request) -> Request {
        if !self.is_own(base) {
            return request;
        }
        self.statistics(|statistics| {
            self.environment.connector.transport().dress(request, &mut statistics.hidden)
        })
    }

    /// Sends a request and waits for the whole response. `site` determines the timeout for distant servers.
    pub(super) async fn talk(
        &self,
        site: &str,
        base: &str,
        source: Option<IpAddr>,
        request: &Request,
        limits: Limits,
    ) -> Result<Response, Broken> {
        let connector = &*self.environment.connector;
        let limits = connector.transport().within(site, limits);
        let to = Dial { base, source, own: self.is_own(base) };
        let attempt = transport::send(connector, to, request, limits).await;
        self.tried_again(base, attempt.again);
        attempt.response
    }

    /// Sends the head of a request and the first `body_bytes` of its body, and leaves it open.
    pub(super) async fn launch(
        &self,
        site: &str,
        base: &str,
        source: Option<IpAddr>,
        request: &Request,
        body_bytes: usize,
        limits: Limits,
    ) -> Result<Open, Broken> {
        let connector = &*self.environment.connector;
        let limits = connector.transport().within(site, limits);
        let to = Dial { base, source, own: self.is_own(base) };
        let (opened, again) = transport::open(connector, to, request, Some(body_bytes), limits).await;
        self.tried_again(base, again);
        opened
    }

    /// Whether a URL is of the same origin as one of this environment's sites.
    fn is_own(&self, base: &str) -> bool {
        self.environment.sites.values().any(|site| is_same_origin(site, base))
    }

    fn tried_again(&self, base: &str, again: u32) {
        if again > 0 {
            self.note(format!("{base}: connection failed at first; connected at attempt {}", again + 1));
        }
    }
}
