//! Sends a check's requests and records each exchange.

use std::net::IpAddr;

use serde_json::Value;
use url::{Position, Url};

use super::answer::Rest;
use super::{Answer, Fetched, Held, Probe};
use crate::documents::endpoints;
use crate::harness::check::Stop;
use crate::harness::data::{At, Failure};
use crate::harness::pace::Tried;
use crate::harness::recording::Way;
use crate::http::client::Limits;
use crate::http::connect::host;
use crate::http::exchange::{Broken, Exchange, Request, Response};

/// How many redirects are followed.
const REDIRECTS: usize = 5;

impl Probe<'_> {
    /// Sends a request to a site and waits for the whole response. A broken exchange fails the check.
    pub async fn send(&self, site: &str, request: Request) -> Result<Answer<'_>, Stop> {
        self.send_with(site, request, None, Limits::default()).await
    }

    /// Like [`Probe::send`], from this address and with these limits. If a shared target returns 429 with `Retry-After`,
    /// the request is sent again after the wait.
    pub async fn send_with(
        &self,
        site: &str,
        request: Request,
        source: Option<IpAddr>,
        limits: Limits,
    ) -> Result<Answer<'_>, Stop> {
        let answer = self.send_once(site, request.clone(), source, limits).await?;
        if self.may_send_again(&request, &answer) {
            return self.send_once(site, request, source, limits).await;
        }
        Ok(answer)
    }

    /// Whether a refused request is sent again: the pace waits as long as the target says.
    fn may_send_again(&self, request: &Request, answer: &Answer<'_>) -> bool {
        !self.environment.own
            && !self.is_declared_down(request, &answer.response)
            && self.pace.sends_again(&mut Tried::default(), &Ok(answer.response.clone()))
    }

    /// Whether a response is the 503 of something that the profile declares down: waiting does not help.
    fn is_declared_down(&self, request: &Request, response: &Response) -> bool {
        let suite = self.settings.suites.get(self.check.requirement.service);
        response.status == 503 && (suite.is_down)(self.settings, request)
    }

    /// Like [`Probe::send_with`]; a 429 is returned as it is.
    pub async fn send_once(
        &self,
        site: &str,
        request: Request,
        source: Option<IpAddr>,
        limits: Limits,
    ) -> Result<Answer<'_>, Stop> {
        let (base, request, source) = self.addressed(site, request, source).await?;
        self.exchange(site, base, request, source, limits).await
    }

    /// Sends a request to a server whose base URL the target has named. Exactly one slash separates the base URL and
    /// the request's target. The request counts for `site`.
    pub async fn send_to(
        &self,
        site: &str,
        url: &str,
        request: Request,
        limits: Limits,
    ) -> Result<Answer<'_>, Stop> {
        let parsed = Url::parse(url).ok().filter(Url::has_host);
        let parsed = parsed.ok_or_else(|| Stop::Inconclusive(format!("not an absolute URL: {url:?}")))?;
        self.may_send(site, parsed[..Position::AfterPath].trim_end_matches('/'), &request)?;
        let base = parsed[..Position::AfterPath].trim_end_matches('/').to_owned();
        let path = parsed.path().trim_end_matches('/');
        let request = Request { target: format!("{path}{}", request.target), ..request };
        self.require_answers(site, &base, &request).await?;
        self.wait_for(site, &base, &request).await?;
        let answer = self.exchange(site, base.clone(), request.clone(), None, limits).await?;
        if self.may_send_again(&request, &answer) {
            self.wait_for(site, &base, &request).await?;
            return self.exchange(site, base, request, None, limits).await;
        }
        Ok(answer)
    }

    /// Sends the head of a request to a site and the first `body_bytes` of its body, and leaves it open.
    pub async fn open(
        &self,
        site: &str,
        request: Request,
        source: Option<IpAddr>,
        body_bytes: usize,
        limits: Limits,
    ) -> Result<Held<'_>, Stop> {
        let (base, request, source) = self.addressed(site, request, source).await?;
        let request = self.dressed(&base, request);
        let index = self.begin(site, &base, &request, None);
        if let Some(played) = self.recorder.response(&base, &request) {
            return Ok(Held { probe: self, index, rest: Rest::Played(played) });
        }
        match self.launch(site, &base, source, &request, body_bytes, limits).await {
            Ok(open) => Ok(Held { probe: self, index, rest: Rest::Open(open) }),
            Err(broken) => {
                let broken = self.end(index, Err(broken)).await?.expect_err("there is no response");
                Err(self.stop(index, &broken))
            }
        }
    }

    /// Fetches an absolute `http` or `https` URL that the target has named, on any host, and follows up to five
    /// redirects. A sixth redirect, or one without a valid location, is returned as it is.
    pub async fn fetch(&self, url: &str, limits: Limits) -> Result<Fetched<'_>, Stop> {
        let parsed = Url::parse(url).ok().filter(Url::has_host);
        let mut url = parsed.ok_or_else(|| Stop::Inconclusive(format!("not an absolute URL: {url:?}")))?;
        let mut redirects = 0;
        loop {
            if !matches!(url.scheme(), "http" | "https") {
                return Err(Stop::NotTestable(format!(
                    "needs the URL scheme {}, which is not supported",
                    url.scheme()
                )));
            }
            let base = format!("{}://{}", url.scheme(), host(&url));
            let target = &url[Position::BeforePath..Position::AfterQuery];
            let request = Request::new("GET", target);
            let answer = self.exchange("", base, request, None, limits).await?;
            let is_redirect = matches!(answer.status(), 301 | 302 | 303 | 307 | 308);
            let next = answer.response.header("location").and_then(|to| url.join(to).ok());
            match next.filter(|_| is_redirect && redirects < REDIRECTS) {
                Some(next) => (url, redirects) = (next, redirects + 1),
                None => return Ok(Fetched { answer, url }),
            }
        }
    }

    /// Records an exchange of another check of this run, and returns its response.
    pub fn recall(&self, exchange: Exchange) -> Result<Answer<'_>, Stop> {
        let response = exchange.response.clone();
        self.recorder.begin(None);
        let index = self.statistics(|statistics| {
            statistics.recalled.insert(statistics.exchanges.len());
            statistics.exchanges.push(exchange);
            statistics.exchanges.len() - 1
        });
        self.answer(index, response)
    }

    /// Sends a request and waits for the whole response. `site` is empty if the request counts for no site.
    async fn exchange(
        &self,
        site: &str,
        base: String,
        request: Request,
        source: Option<IpAddr>,
        limits: Limits,
    ) -> Result<Answer<'_>, Stop> {
        let request = self.dressed(&base, request);
        let index = self.begin(site, &base, &request, Some(Way { source, limits }));
        let response = if let Some(played) = self.recorder.response(&base, &request) {
            played
        } else {
            let (response, slot) = self.talk(site, &base, source, &request, limits).await;
            self.statistics(|statistics| statistics.exchanges[index].slot = slot);
            response
        };
        let response = self.end(index, response).await?;
        self.note_limit(index, site, &response);
        if let (Ok(response), false) =
            (&response, self.environment.own || site.is_empty() || self.recorder.plays())
        {
            self.note_pace(index, site, response);
        }
        if let Ok(response) = &response
            && let Some(value) = self.pace.put_off(response)
        {
            self.statistics(|statistics| statistics.put_off.insert(index, value));
        }
        self.answer(index, response)
    }

    /// Notes what a response says of the pace. A `Retry-After` of something that the profile declares down delays nothing.
    fn note_pace(&self, index: usize, site: &str, response: &Response) {
        let (base, request) = self.statistics(|statistics| {
            let Exchange { base, request, .. } = &statistics.exchanges[index];
            (base.clone(), request.clone())
        });
        if self.is_declared_down(&request, response) {
            return;
        }
        self.pace.answered(site, response);
        // The target counts a chosen address by itself.
        let header = self.environment.forwarding.get(site);
        if !header.is_some_and(|header| request.has(header)) {
            let class = self.class(site, &base, &request);
            self.pace.limited(self.pace.counted_for(class), response);
        }
    }

    /// Notes a 429 that this run has caused itself.
    fn note_limit(&self, index: usize, site: &str, response: &Result<Response, Broken>) {
        let is_refused = response.as_ref().is_ok_and(|response| response.status == 429);
        if !is_refused || self.environment.own || site.is_empty() {
            return;
        }
        let classes = self.statistics(|statistics| statistics.classes.clone());
        let is_full = || {
            let is_full = classes.iter().any(|class| self.pace.is_full(class));
            is_full.then_some(Value::Bool(true)).ok_or_else(|| "below the limit".to_owned())
        };
        if self.share("limit", is_full).is_ok() {
            self.statistics(|statistics| statistics.at_limit.insert(index));
        }
    }

    /// Rejects a writing request in a read-only run. This is the last guard: the plan already leaves such checks out.
    fn may_send(&self, site: &str, base: &str, request: &Request) -> Result<(), Stop> {
        if self.settings.read_only && endpoints::writes(&self.settings.dialect, site, base, request) {
            let target = request.target.split('?').next().unwrap_or_default();
            return Err(Stop::NotTestable(format!(
                "{} {target} writes, but the run is --read-only",
                request.method
            )));
        }
        Ok(())
    }

    /// The base URL, the final request and the source address of a request to `site`.
    async fn addressed(
        &self,
        site: &str,
        request: Request,
        source: Option<IpAddr>,
    ) -> Result<(String, Request, Option<IpAddr>), Stop> {
        let base = self.environment.sites.get(site).cloned();
        if let (None, Some(key)) = (&base, self.settings.suites.key_of_site(site)) {
            self.rest_on(&key)?;
        }
        let base = base.ok_or_else(|| Stop::NotTestable(format!("needs the URL of {site}")))?;
        self.may_send(site, &base, &request)?;
        // Before the pace: a server that gets no more requests needs no waiting.
        self.require_answers(site, &base, &request).await?;
        self.wait_for(site, &base, &request).await?;
        Ok(match (source, self.environment.forwarding.get(site)) {
            (Some(source), Some(header)) => (base, request.header(header, source.to_string()), None),
            _ => (base, request, source),
        })
    }

    /// Records the start of an exchange. Exchanges are in the order in which they start.
    fn begin(&self, site: &str, base: &str, request: &Request, way: Option<Way>) -> usize {
        self.recorder.begin(way);
        let (site, base, request) = (site.to_owned(), base.to_owned(), request.clone());
        self.statistics(|statistics| {
            statistics.exchanges.push(Exchange {
                site,
                base,
                request,
                cut: None,
                slot: None,
                response: Err(Broken::Held),
            });
            statistics.exchanges.len() - 1
        })
    }

    pub(super) fn answer(
        &self,
        index: usize,
        response: Result<Response, Broken>,
    ) -> Result<Answer<'_>, Stop> {
        response
            .map(|response| Answer { probe: self, index, response })
            .map_err(|broken| self.stop(index, &broken))
    }

    /// An unreachable target is an error of the harness; every other broken exchange is the target's failure.
    fn stop(&self, index: usize, broken: &Broken) -> Stop {
        if let Broken::Unreachable(_) | Broken::Harness(_) = broken {
            return Stop::Error(broken.to_string());
        }
        if let Broken::Limit(_) = broken {
            return Stop::Inconclusive(broken.to_string());
        }
        if let Broken::Inexpressible(_) = broken {
            return Stop::NotTestable(broken.to_string());
        }
        self.statistics(|statistics| statistics.expected += 1);
        Stop::Fail(Failure::new(At::connection(), "an HTTP response", broken.to_string(), Some(index)))
    }
}
