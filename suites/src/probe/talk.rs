//! Sends one request over a new connection, with the run's transport settings.

use std::net::IpAddr;

use super::Probe;
use crate::check::Stop;
use crate::client::Limits;
use crate::exchange::{Broken, Exchange, Request, Response};
use crate::run::SILENT;
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

    /// Rejects a request to a server that stopped answering.
    pub(super) async fn require_answers(&self, site: &str, base: &str) -> Result<(), Stop> {
        if !self.may_stop(site) {
            return Ok(());
        }
        let (transport, server) = (self.environment.connector.transport(), self.server(site, base));
        if transport.is_doubtful(&server) && !self.answers(site, base).await {
            transport.stop(&server, format!("{SILENT}: {site} has not answered a single request"));
        }
        transport.stopped(&server).map_or(Ok(()), |cause| Err(Stop::Inconclusive(cause)))
    }

    /// Records the end of an exchange, and whether the server answered. A server that lets a request time out, or to
    /// which no connection is possible any longer, and which then does not answer another request, has stopped
    /// answering: the first check that sees this fails, the others are inconclusive.
    pub(super) async fn end(
        &self,
        index: usize,
        mut response: Result<Response, Broken>,
    ) -> Result<Result<Response, Broken>, Stop> {
        let (site, base) = self.statistics(|statistics| {
            let Exchange { site, base, .. } = &statistics.exchanges[index];
            (site.clone(), base.clone())
        });
        let stopped =
            if self.may_stop(&site) { self.silence(&site, &base, &mut response).await } else { None };
        self.statistics(|statistics| statistics.exchanges[index].response.clone_from(&response));
        stopped.map_or(Ok(response), |cause| Err(Stop::Inconclusive(cause)))
    }

    /// Why the check ends, if another check saw first that the server stopped answering.
    async fn silence(
        &self,
        site: &str,
        base: &str,
        response: &mut Result<Response, Broken>,
    ) -> Option<String> {
        let (transport, server) = (self.environment.connector.transport(), self.server(site, base));
        let broken = match response {
            Err(broken) if broken.is_silence() => broken,
            Err(broken @ Broken::Unreachable(_)) if transport.has_answered(&server) => broken,
            Err(Broken::Unreachable(_) | Broken::Harness(_)) => return None,
            _ => {
                transport.answered(&server);
                return None;
            }
        };
        if transport.stopped(&server).is_none() && self.answers(site, base).await {
            return None;
        }
        if let Broken::Unreachable(why) = broken {
            *broken = Broken::Gone(std::mem::take(why));
        }
        let check = self.check.requirement;
        let cause = format!("{SILENT}: {site}, in {check}: {broken}; GET / got no answer either");
        if transport.stop(&server, cause) { None } else { transport.stopped(&server) }
    }

    /// Whether silence of this site is noted: not of servers that only a response named, and not of a recording.
    fn may_stop(&self, site: &str) -> bool {
        !site.is_empty() && self.environment.connector.is_remote() && !self.recorder.plays()
    }

    /// The server of a site. Every world has its own URL, but the same server.
    fn server(&self, site: &str, base: &str) -> String {
        if self.environment.own { site.to_owned() } else { base.to_owned() }
    }

    /// Whether a server sends anything at all.
    async fn answers(&self, site: &str, base: &str) -> bool {
        let connector = &*self.environment.connector;
        let request = self.dressed(base, Request::new("GET", "/"));
        let to = Dial { base, source: None, own: self.is_own(base) };
        let limits = connector.transport().confirmation(site);
        let answered = transport::send(connector, to, &request, limits).await.response;
        !answered.is_err_and(|broken| broken.is_silence() || matches!(broken, Broken::Unreachable(_)))
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
