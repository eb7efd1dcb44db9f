//! Sends one request, with the run's transport settings.

use std::net::IpAddr;

use super::Probe;
use crate::documents::endpoints;
use crate::harness::data::{Reason, Stop, Why};
use crate::http::client::Limits;
use crate::http::connect::{Dial, is_same_origin};
use crate::http::exchange::{Broken, Exchange, Request, Response, Slot};
use crate::http::hiding::WINDOW;
use crate::http::transport::{self, Destination, NOWHERE, Open, Stopped, Turn};

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

    /// Rejects a request to a server or an endpoint that stopped answering. After some of them one is sent.
    pub(super) async fn require_answers(
        &self,
        site: &str,
        base: &str,
        request: &Request,
    ) -> Result<(), Stop> {
        if !self.may_stop(site) {
            return Ok(());
        }
        let (transport, place) = (
            self.environment.connector.transport(),
            self.place(site, base, &request.method, &request.target),
        );
        if transport.is_doubtful(&place)
            && let Some(path) = self.unanswered(site, base).await
        {
            let why = if path == "/" { String::new() } else { format!(": GET {path} got no answer") };
            let said = format!("{site} has not answered a single request of a check{why}");
            transport.stop(&place.whole(), Stopped { by: None, said });
        }
        match transport.turn(&place.whole()) {
            None => {}
            Some(Turn::Try(_)) if self.unanswered(site, base).await.is_none() => {}
            Some(Turn::Skip(cause) | Turn::Try(cause)) => return Err(silent(cause)),
        }
        match transport.turn(&place) {
            Some(Turn::Skip(cause)) => Err(silent(cause)),
            Some(Turn::Try(_)) | None => Ok(()),
        }
    }

    /// Records the end of an exchange, and whether the server answered. A server that lets a request time out, or to
    /// which no connection is possible any longer, and which then does not answer another request, has stopped
    /// answering. If it does answer that, only the endpoint has, unless several have in a row. The first check that sees
    /// this fails, the others are inconclusive.
    pub(super) async fn end(
        &self,
        index: usize,
        mut response: Result<Response, Broken>,
    ) -> Result<Result<Response, Broken>, Stop> {
        let (site, base, place) = self.statistics(|statistics| {
            let Exchange { site, base, request, .. } = &statistics.exchanges[index];
            (site.clone(), base.clone(), self.place(site, base, &request.method, &request.target))
        });
        let stopped =
            if self.may_stop(&site) { self.silence(&site, &base, place, &mut response).await } else { None };
        if let Ok(response) = &response {
            self.hide_cookies(response);
        }
        self.statistics(|statistics| {
            let exchange = &mut statistics.exchanges[index];
            exchange.response.clone_from(&response);
            exchange.cut();
            self.recorder.ended(exchange);
        });
        stopped.map_or(Ok(response), |cause| Err(silent(cause)))
    }

    /// Why the check ends, if another check saw first that the server or the endpoint stopped answering.
    async fn silence(
        &self,
        site: &str,
        base: &str,
        place: Destination,
        response: &mut Result<Response, Broken>,
    ) -> Option<Stopped> {
        let transport = self.environment.connector.transport();
        let broken = match response {
            Err(broken) if broken.is_silence() || broken.has_begun() => broken,
            Err(broken @ Broken::Unreachable(_)) if transport.has_answered(&place.whole()) => broken,
            Err(Broken::Unreachable(_) | Broken::Harness(_)) => return None,
            _ => {
                transport.answered(place);
                return None;
            }
        };
        let known = transport.stopped(&place);
        let other =
            if known.is_none() && !broken.has_begun() { self.unanswered(site, base).await } else { None };
        let is_gone = known.is_some() || other.is_some();
        if let Broken::Unreachable(why) = broken
            && is_gone
        {
            *broken = Broken::Gone(std::mem::take(why));
        }
        if known.is_some() {
            return known;
        }
        let begin = format!("{site}, in {}: {broken}", self.check.requirement);
        let (stopped, said) = if let Some(path) = other {
            (place.whole(), format!("{begin}; GET {path} got no answer either"))
        } else if broken.has_begun() {
            transport.does_not_end(&place);
            if transport.has_answered(&place) {
                // It may end its answers to other requests.
                return None;
            }
            let said = format!("{begin} to {}", place.endpoint);
            (place, said)
        } else if broken.is_silence() {
            let (are_many, is_again) = transport.unanswered(&place);
            let cause = format!("{begin} to {}", place.endpoint);
            if are_many {
                (place.whole(), format!("{cause}; other endpoints gave none either"))
            } else if is_again || !transport.has_answered(&place) {
                (place, cause)
            } else {
                // An endpoint that has answered may dislike one request.
                return None;
            }
        } else {
            return None;
        };
        let cause = Stopped { by: Some(self.check.requirement), said };
        if transport.stop(&stopped, cause) { None } else { transport.stopped(&stopped) }
    }

    /// Hides the values of cookies: they may name a session. Short values occur by chance.
    fn hide_cookies(&self, response: &Response) {
        let set = response.headers.iter().filter(|(name, _)| name == "set-cookie");
        for cookie in set.filter_map(|(_, value)| std::str::from_utf8(value).ok()) {
            let pair = cookie.split(';').next().unwrap_or_default();
            if let Some((_, value)) = pair.split_once('=').filter(|(_, value)| value.len() >= WINDOW) {
                self.disguise("cookie", value.trim());
            }
        }
    }

    /// Whether silence of this site is noted: not of servers that only a response named, and not of a recording.
    fn may_stop(&self, site: &str) -> bool {
        !site.is_empty() && self.environment.connector.is_remote() && !self.recorder.plays()
    }

    /// Where a request goes. Every world has its own URL, but the same server.
    fn place(&self, site: &str, base: &str, method: &str, target: &str) -> Destination {
        let server = if self.environment.own { site } else { base }.to_owned();
        let path = target.split('?').next().unwrap_or_default();
        let found = endpoints::find(&self.settings.dialect, site, base, method, target);
        Destination { server, endpoint: format!("{method} {}", found.map_or(path, |endpoint| endpoint.path)) }
    }

    /// A path that a server does not answer, one of them unknown, if it does not answer anything but `/`.
    async fn unanswered(&self, site: &str, base: &str) -> Option<String> {
        let below = format!("{}{NOWHERE}", self.prefix(site));
        for path in ["/".to_owned(), below] {
            if !self.answers(site, base, &path).await {
                return Some(path);
            }
        }
        None
    }

    /// Whether a server sends anything for a path.
    async fn answers(&self, site: &str, base: &str, path: &str) -> bool {
        let connector = &*self.environment.connector;
        let request = self.dressed(base, Request::new("GET", path));
        let to = Dial { own: self.is_own(base), ..Dial::to(base) };
        let limits = connector.transport().confirmation(site);
        let answered = transport::send(connector, to, &request, limits).await.response;
        !answered.is_err_and(|broken| broken.is_silence() || matches!(broken, Broken::Unreachable(_)))
    }

    /// Sends a request and waits for the whole response. `site` determines the timeout for distant servers. Also returns the
    /// kept connection that it went over.
    pub(super) async fn talk(
        &self,
        site: &str,
        base: &str,
        source: Option<IpAddr>,
        request: &Request,
        limits: Limits,
    ) -> (Result<Response, Broken>, Option<Slot>) {
        let connector = &*self.environment.connector;
        let mut limits = connector.transport().within(site, limits);
        if self.may_stop(site)
            && connector.transport().is_endless(&self.place(site, base, &request.method, &request.target))
        {
            limits.timeout = limits.timeout.min(connector.transport().confirmation(site).timeout);
        }
        let to = Dial { base, source, own: self.is_own(base), alone: false };
        let attempt = transport::send(connector, to, request, limits).await;
        self.tried_again(base, attempt.again);
        if attempt.is_second {
            let Request { method, target, .. } = request;
            let path = target.split('?').next().unwrap_or_default();
            self.note(format!(
                "{base}: no valid answer to {method} {path} over a kept connection; it was sent again over its own"
            ));
        }
        (attempt.response, attempt.slot)
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
        let to = Dial { base, source, own: self.is_own(base), alone: true };
        let (opened, again) = transport::open(connector, to, request, body_bytes, limits).await;
        self.tried_again(base, again);
        opened
    }

    /// Whether a URL is of the same origin as one of this environment's sites.
    fn is_own(&self, base: &str) -> bool {
        let any = |is: fn(&str, &str) -> bool| self.environment.sites.values().any(|site| is(site, base));
        // Most are the URL of a site, which needs no parsing.
        any(|site, base| site == base) || any(is_same_origin)
    }

    fn tried_again(&self, base: &str, again: u32) {
        if again > 0 {
            self.note(format!("{base}: connection failed at first; connected at attempt {}", again + 1));
        }
    }
}

/// A check does not go on because the target stopped answering.
fn silent(Stopped { by, said }: Stopped) -> Stop {
    Stop::Undecided(Reason { by, ..Reason::new(Why::Silent, said) })
}
