//! Exchanges: requests as received, replies, and the sites at which they meet.

use std::fmt;
use std::net::IpAddr;

use assay_spec::Service;
use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, HeaderValue, Method};

/// The number of an exchange in its world, from 1.
pub type ExchangeId = u64;

/// Where requests arrive: each service has one or more base URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The service behind it.
    pub service: Service,
    /// Its name in profiles.
    pub name: &'static str,
    /// How far its default port is above that of the control API: 1 or more.
    pub port: u16,
    /// It uses HTTPS when it listens on sockets.
    pub tls: bool,
}

/// The head of a request, as received.
#[derive(Clone, Debug)]
pub struct RequestHead {
    /// Where it arrived.
    pub site: Site,
    /// The client's address.
    pub peer: IpAddr,
    /// The method.
    pub method: Method,
    /// The request target as sent.
    pub target: String,
    /// The headers as sent.
    pub headers: HeaderMap,
}

/// The line of a request in the journal: site, client address, method and target.
impl fmt::Display for RequestHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.site.name, self.peer, self.method, self.target)
    }
}

impl RequestHead {
    /// The length of the body in bytes, if it is declared.
    pub(crate) fn declared_length(&self) -> Option<u64> {
        self.headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
    }
}

/// A whole request.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its head.
    pub head: RequestHead,
    /// Its body; cut if `too_large`.
    pub body: Bytes,
    /// The body is longer than the service's limit.
    pub too_large: bool,
}

impl Request {
    /// The target without its query.
    pub fn path(&self) -> &str {
        self.head.target.split_once('?').map_or(self.head.target.as_str(), |(path, _)| path)
    }
}

/// A whole reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Reply {
    /// A reply with a body of this content type.
    pub fn new(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Reply {
        let mut headers = HeaderMap::new();
        headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        Reply { status, headers, body: body.into() }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<HeaderValue>) -> Reply {
        self.headers.insert(name, value.into());
        self
    }
}
