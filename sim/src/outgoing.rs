//! Requests that a world sends: webhooks, probes. Their outcomes are inputs like any other.
//!
//! The world itself answers a request to one of its own sites, when it is sent or when the site answers, by the same
//! path as any client's request. Time and outcome of such a request are deterministic. A request to an outside server
//! leaves as an output, and its outcome comes back as an input. The world does not control that outcome or its time,
//! so a run is repeatable only if the same outcomes arrive at the same times.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use bytes::Bytes;
use http::uri::{Authority, Uri};
use http::{HeaderMap, HeaderValue, Method};
use imbl::{OrdMap, Vector};
use serde::Serialize;

use crate::exchange::{ExchangeId, Reply, Site};
use crate::host::PublicHost;

/// The number of an outgoing request in its world, from 1.
pub type OutgoingId = u64;

/// How many requests are in progress at once; the others wait in a queue.
pub const AT_ONCE: usize = 16;
/// How many requests may wait in the queue.
pub const QUEUED: usize = 1024;
/// How much of a response body is kept, in bytes; a longer body is cut.
pub const ANSWER_BYTES: usize = 64 * 1024;
/// The timeout of a response: virtual time for the world's own sites, real time for others.
pub const LIMIT_MS: i64 = 10_000;
/// The maximum length of a chain of requests that cause each other, including the first.
pub const DEPTH: u8 = 2;
/// The default source address of outgoing requests; not assigned to any real host.
pub const HOME: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
/// The suffix of a site's name in the URL by which the world itself knows it, as in `http://network.sim`.
pub const SUFFIX: &str = ".sim";

/// A request that the world sends.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Where it goes.
    pub to: Target,
    /// The address it comes from, as the world's own sites see it.
    pub from: IpAddr,
    /// The method.
    pub method: Method,
    /// Headers besides `Host` and those of framing.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// The destination of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To a site of the same world.
    Site {
        /// The site.
        site: Site,
        /// Path and query, as sent.
        target: String,
    },
    /// A URL, which may also be one of the world's own sites.
    Url(String),
}

/// The outcome of a request.
pub type Outcome = Result<Reply, Failure>;

/// Why there is no response. The messages are only hashed: they are part of the journal's fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// The string is not a plain HTTP URL.
    #[error("no URL of plain HTTP")]
    Url,
    /// The host is not allowed.
    #[error("no host that may be reached")]
    Forbidden,
    /// The connection failed.
    #[error("no connection")]
    Unreachable,
    /// What arrived is not an HTTP response.
    #[error("no HTTP response")]
    Broken,
    /// The response did not arrive in time.
    #[error("no answer in time")]
    Timeout,
    /// Too many requests are waiting already.
    #[error("too many requests wait")]
    Busy,
    /// Requests cause each other in a loop.
    #[error("requests that cause each other")]
    Depth,
    /// The world was copied or restored while the request was in progress.
    #[error("abandoned")]
    Abandoned,
}

impl Outgoing {
    /// A request to a site of the same world.
    pub fn to_site(site: Site, method: Method, target: impl Into<String>) -> Outgoing {
        Outgoing::new(Target::Site { site, target: target.into() }, method)
    }

    /// A request to a URL.
    pub fn to_url(url: impl Into<String>, method: Method) -> Outgoing {
        Outgoing::new(Target::Url(url.into()), method)
    }

    fn new(to: Target, method: Method) -> Outgoing {
        Outgoing { to, from: HOME, method, headers: HeaderMap::new(), body: Bytes::new() }
    }

    /// With a body of that content type.
    #[must_use]
    pub fn body(mut self, content_type: &'static str, body: impl Into<Bytes>) -> Outgoing {
        self.body = body.into();
        self.header(http::header::CONTENT_TYPE.as_str(), HeaderValue::from_static(content_type))
    }

    /// With a header; the name is lower-case.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: HeaderValue) -> Outgoing {
        self.headers.insert(name, value);
        self
    }

    /// The URL, for display.
    pub fn url(&self) -> String {
        match &self.to {
            Target::Site { site, target } => format!("http://{}{SUFFIX}{target}", site.name),
            Target::Url(url) => url.clone(),
        }
    }
}

/// The host with its port, and the request target, of a plain HTTP URL.
pub fn parse_url(url: &str) -> Result<(Authority, String), Failure> {
    let uri: Uri = url.parse().map_err(|_| Failure::Url)?;
    let authority = uri.authority().filter(|_| uri.scheme_str() == Some("http")).ok_or(Failure::Url)?;
    // User information before the host is either a mistake or an attack.
    let port = authority.as_str().strip_prefix(authority.host());
    let port = port.filter(|port| port.is_empty() || authority.port_u16().is_some_and(|number| number > 0));
    if authority.host().is_empty() || port.is_none() {
        return Err(Failure::Url);
    }
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    // `http://host?x` has a query and no path.
    let slash = if target.starts_with('/') { "" } else { "/" };
    Ok((authority.clone(), format!("{slash}{target}")))
}

/// The same URL without TLS.
fn plain(url: &str) -> String {
    url.strip_prefix("https://").map_or_else(|| url.to_owned(), |rest| format!("http://{rest}"))
}

/// A response as a service receives it: cut to [`ANSWER_BYTES`].
pub(crate) fn cut(mut reply: Reply) -> Reply {
    reply.body.truncate(ANSWER_BYTES);
    reply
}

/// The requests without an outcome so far. `C` is what a service keeps with each of them.
#[derive(Clone, Debug)]
pub(crate) struct Outbound<C: Clone> {
    last: OutgoingId,
    /// Requests that can be handled at once: those to own sites, and those that failed before they left.
    ready: Vector<(OutgoingId, Leaving<C>)>,
    /// Requests to outside servers that wait in the queue.
    queue: Vector<(OutgoingId, Leaving<C>)>,
    under_way: OrdMap<OutgoingId, UnderWay<C>>,
    abroad: usize,
    /// The world's sites.
    sites: Arc<[Site]>,
    /// The same, by host and port.
    sites_by_authority: Arc<BTreeMap<String, Site>>,
    /// Their base URLs.
    urls: Arc<BTreeMap<Site, String>>,
    /// The host of these URLs, if it is not the address of the sites.
    pub(crate) public_host: Option<PublicHost>,
    /// How many requests led to what is being handled.
    pub(crate) depth: u8,
}

/// A request about to leave.
#[derive(Clone, Debug)]
pub(crate) struct Leaving<C> {
    pub(crate) request: Arc<Outgoing>,
    pub(crate) context: C,
    pub(crate) depth: u8,
    pub(crate) way: Way,
}

/// The route of a request.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// To a site of the same world: site, host, target.
    Home(Site, String, String),
    /// To an outside server.
    Abroad,
    /// Nowhere: it has failed already.
    Nowhere(Failure),
}

/// A request in progress.
#[derive(Clone, Debug)]
pub(crate) struct UnderWay<C> {
    pub(crate) context: C,
    /// How many requests led to it.
    pub(crate) depth: u8,
    /// The exchange of a request to an own site.
    pub(crate) exchange: Option<ExchangeId>,
}

impl<C: Clone> Outbound<C> {
    /// No requests, in a world with these sites.
    pub(crate) fn new(sites: Arc<[Site]>) -> Outbound<C> {
        Outbound {
            last: 0,
            ready: Vector::new(),
            queue: Vector::new(),
            under_way: OrdMap::new(),
            abroad: 0,
            sites,
            sites_by_authority: Arc::default(),
            urls: Arc::default(),
            public_host: None,
            depth: 0,
        }
    }

    /// Sets the base URLs of the world's sites, besides those by which the world itself knows them.
    pub(crate) fn set_site_urls<'a>(&mut self, urls: impl Iterator<Item = (Site, &'a str)>) {
        let listening: BTreeMap<Site, String> = urls.map(|(site, url)| (site, url.to_owned())).collect();
        let public = |(site, url): (&Site, &String)| {
            let host = self.public_host.as_ref();
            (*site, host.map_or_else(|| url.clone(), |host| host.in_url(url)))
        };
        let urls: BTreeMap<Site, String> = listening.iter().map(public).collect();
        let place = |(site, url): (&Site, &String)| {
            Some((parse_url(&plain(url)).ok()?.0.as_str().to_lowercase(), *site))
        };
        self.sites_by_authority = Arc::new(listening.iter().chain(&urls).filter_map(place).collect());
        self.urls = Arc::new(urls);
    }

    /// The base URL of a site.
    pub(crate) fn site_url(&self, site: Site) -> Option<&str> {
        self.urls.get(&site).map(String::as_str)
    }

    /// Queues a request.
    pub(crate) fn send(&mut self, request: Outgoing, context: C) -> OutgoingId {
        self.last += 1;
        let way = self.way(&request);
        let line = if matches!(way, Way::Abroad) { &mut self.queue } else { &mut self.ready };
        line.push_back((self.last, Leaving { request: Arc::new(request), context, depth: self.depth, way }));
        self.last
    }

    fn way(&self, request: &Outgoing) -> Way {
        if self.depth >= DEPTH {
            return Way::Nowhere(Failure::Depth);
        }
        if self.queue.len().max(self.ready.len()).max(self.under_way.len()) >= QUEUED {
            return Way::Nowhere(Failure::Busy);
        }
        match &request.to {
            Target::Site { site, target } => {
                Way::Home(*site, format!("{}{SUFFIX}", site.name), target.clone())
            }
            Target::Url(url) => match parse_url(url) {
                Err(failure) => match parse_url(&plain(url)) {
                    // Outside servers are never called over TLS. An own site may be, since the world itself answers.
                    Ok((authority, target)) if let Some(site) = self.site_at(authority.as_str()) => {
                        Way::Home(site, authority.to_string(), target)
                    }
                    _ => Way::Nowhere(failure),
                },
                Ok((authority, target)) => match self.site_at(authority.as_str()) {
                    Some(site) => Way::Home(site, authority.to_string(), target),
                    None => Way::Abroad,
                },
            },
        }
    }

    /// The own site with that host.
    fn site_at(&self, authority: &str) -> Option<Site> {
        let place = authority.to_lowercase();
        let name = place.strip_suffix(":80").unwrap_or(&place).strip_suffix(SUFFIX);
        let named = name.and_then(|name| self.sites.iter().copied().find(|site| site.name == name));
        named.or_else(|| self.sites_by_authority.get(&place).copied())
    }

    /// The next request to send.
    pub(crate) fn next(&mut self) -> Option<(OutgoingId, Leaving<C>)> {
        self.ready.pop_front().or_else(|| if self.abroad < AT_ONCE { self.queue.pop_front() } else { None })
    }

    /// Marks a request as in progress.
    pub(crate) fn leave(&mut self, id: OutgoingId, under_way: UnderWay<C>) {
        self.abroad += usize::from(under_way.exchange.is_none());
        self.under_way.insert(id, under_way);
    }

    /// Ends a request; it has an outcome.
    pub(crate) fn settle(&mut self, id: OutgoingId) -> Option<UnderWay<C>> {
        let settled = self.under_way.remove(&id)?;
        self.abroad -= usize::from(settled.exchange.is_none());
        Some(settled)
    }

    /// The exchange of a request in progress to an own site.
    pub(crate) fn exchange(&self, id: OutgoingId) -> Option<ExchangeId> {
        self.under_way.get(&id)?.exchange
    }

    /// The number of requests in progress to outside servers.
    pub(crate) fn count_abroad(&self) -> usize {
        self.abroad
    }

    /// Requests in progress to outside servers, in order.
    pub(crate) fn abroad(&self) -> Vec<OutgoingId> {
        self.under_way.iter().filter(|(_, one)| one.exchange.is_none()).map(|(id, _)| *id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_plain_http_have_a_host_and_a_target() {
        let parsed = |url| parse_url(url).map(|(authority, target)| (authority.to_string(), target));
        let ok = |authority: &str, target: &str| Ok((authority.to_owned(), target.to_owned()));
        assert_eq!(parsed("http://a.sim"), ok("a.sim", "/"));
        assert_eq!(parsed("HTTP://A.sim:80/x//%2F?y=/z#f"), ok("A.sim:80", "/x//%2F?y=/z"));
        assert_eq!(parsed("http://a?x"), ok("a", "/?x"));
        assert_eq!(parsed("http://[::1]:9/x"), ok("[::1]:9", "/x"));
        let bad = [
            "",
            "/x",
            "a.sim",
            "a.sim/x",
            "https://a",
            "ftp://a",
            "http://",
            "http:///x",
            "http://u@a/",
            "http://:9/",
        ];
        for bad in bad {
            assert_eq!(parsed(bad), Err(Failure::Url), "{bad}");
        }
        for bad in [
            "http://a b/",
            "http://\u{e9}.sim",
            "http://a/\n",
            "http://a:99999999/",
            "*",
            &"h".repeat(100_000),
        ] {
            assert_eq!(parsed(bad), Err(Failure::Url), "{bad:.20}");
        }
    }
}
