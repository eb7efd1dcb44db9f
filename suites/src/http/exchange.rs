//! One request and its response, as raw bytes.

use assay_spec::crypto::text::sha256_hex;
use bytes::Bytes;

/// The report omits a longer body of a request, in bytes: checks make it from the seed.
const MAX_KEPT_BODY_BYTES: usize = 256 * 1024;

/// A request as it is written to the wire. Only the framing that [`Request::bytes`] shows is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method, verbatim.
    pub method: String,
    /// The request target, verbatim.
    pub target: String,
    /// Header lines in order, verbatim; `Host`, `Content-Length` and, on a connection of its own, `Connection: close` are
    /// added when they are missing.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body. Clones share it.
    pub body: Bytes,
}

/// A response as it was received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// Header lines in order; names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, framing removed. Clones share it.
    pub body: Bytes,
}

/// One request and its outcome.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The site that it was sent to, such as `publish`.
    pub site: String,
    /// The base URL it went to, without a trailing slash.
    pub base: String,
    /// The request.
    pub request: Request,
    /// Length and digest of the request's body, if the report omits it.
    pub cut: Option<Cut>,
    /// The kept connection that it went over. `None`: a connection of its own.
    pub slot: Option<Slot>,
    /// The response, or why there is none.
    pub response: Result<Response, Broken>,
}

/// The slot of a request on a connection that a check keeps. Both numbers count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("connection {connection}, request {request}")]
pub struct Slot {
    /// The number of the connection in the check.
    pub connection: u32,
    /// The number of the request on the connection.
    pub request: u32,
}

/// Bytes as they are kept: without the room for more that a growing buffer has.
pub(crate) fn kept(mut bytes: Vec<u8>) -> Bytes {
    bytes.shrink_to_fit();
    bytes.into()
}

/// A body that the report omits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Its length in bytes.
    pub bytes: usize,
    /// Its SHA-256 in hex.
    pub sha256: String,
}

impl Exchange {
    /// The length of the body that was sent.
    pub fn body_bytes(&self) -> usize {
        self.cut.as_ref().map_or(self.request.body.len(), |cut| cut.bytes)
    }

    /// The head that was sent to a server at `host`.
    pub fn head(&self, host: &str) -> Vec<u8> {
        self.request.head_before(self.body_bytes(), host, self.slot.is_none())
    }

    /// Length and digest of the request's body, if the report omits it.
    pub(crate) fn omitted(&self) -> Option<Cut> {
        let body = &self.request.body;
        let is_long = body.len() > MAX_KEPT_BODY_BYTES;
        self.cut.clone().or_else(|| is_long.then(|| Cut { bytes: body.len(), sha256: sha256_hex(body) }))
    }

    /// Whether `request` is the one that was sent.
    pub(crate) fn has_sent(&self, request: &Request) -> bool {
        let Request { method, target, headers, body } = &self.request;
        let is_body = match &self.cut {
            None => *body == request.body,
            Some(cut) => cut.bytes == request.body.len() && cut.sha256 == sha256_hex(&request.body),
        };
        is_body && *method == request.method && *target == request.target && *headers == request.headers
    }

    /// Drops the body of the request if the report omits it.
    pub(crate) fn cut(&mut self) {
        self.cut = self.omitted();
        if self.cut.is_some() {
            self.request.body = Bytes::new();
        }
    }
}

/// Why there is no response. `Unreachable` and `Harness` are failures of the connection or the harness; the others are
/// caused by the target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// The address does not resolve, or no server listens.
    #[error("cannot connect: {0}")]
    Unreachable(String),
    /// A server that answered before accepts no connection any longer.
    #[error("the server no longer accepts connections: {0}")]
    Gone(String),
    /// The harness failed.
    #[error("the harness failed: {0}")]
    Harness(String),
    /// There is no TLS connection: an untrusted certificate, or no TLS at all. Contains the URL and the reason.
    #[error("no TLS connection: {0}")]
    Tls(String),
    /// No complete response came in time.
    #[error("no complete response within {0} s")]
    TimedOut(u64),
    /// A response began and did not end in time.
    #[error(
        "a response of status {status} began and did not end within {seconds} s: {bytes} bytes of its body came"
    )]
    Unfinished {
        /// Its status.
        status: u16,
        /// The bytes of its body that came.
        bytes: usize,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The connection ended too early.
    #[error("the connection ended {0}")]
    Closed(String),
    /// Only HTTP/2 is available, and it cannot express this part of the request.
    #[error("HTTP/2 cannot express {0}, and the server does not speak HTTP/1.1")]
    Inexpressible(String),
    /// The bytes are not an HTTP response.
    #[error("not an HTTP response: {0}")]
    Nonsense(String),
    /// The check ended while the request was incomplete.
    #[error("the request was held open and never finished")]
    Held,
    /// The response exceeds a limit of Assay that no document states. It is not a finding about the target.
    #[error("the response has {0}; this is a limit of Assay, not of the documents")]
    Limit(String),
}

impl Broken {
    /// Whether a response began, so that the server is there.
    pub const fn has_begun(&self) -> bool {
        matches!(self, Broken::Unfinished { .. })
    }

    /// Whether nothing came in time: no connection, no handshake or no complete response; or the server is gone.
    pub fn is_silence(&self) -> bool {
        match self {
            Broken::TimedOut(_) | Broken::Gone(_) => true,
            Broken::Tls(why) => why.contains(crate::http::tls::NO_HANDSHAKE),
            Broken::Unreachable(why) => why.contains(crate::http::sockets::NO_CONNECTION),
            _ => false,
        }
    }
}

impl Request {
    /// A request without headers or body.
    pub fn new(method: &str, target: &str) -> Request {
        Request { method: method.into(), target: target.into(), headers: Vec::new(), body: Bytes::new() }
    }

    /// Adds a header line.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<Vec<u8>>) -> Request {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Request {
        self.body = kept(body.into());
        self
    }

    /// Whether it has a header line of that name.
    pub fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(header, _)| header.eq_ignore_ascii_case(name))
    }

    /// The head on the wire, for a server at `host`. `closes`: the connection ends with this request.
    pub fn head(&self, host: &str, closes: bool) -> Vec<u8> {
        self.head_before(self.body.len(), host, closes)
    }

    /// The head before a body of this length.
    fn head_before(&self, body_bytes: usize, host: &str, closes: bool) -> Vec<u8> {
        let has = |name: &str| self.has(name);
        let mut out = format!("{} {} HTTP/1.1\r\n", self.method, self.target).into_bytes();
        let mut line = |name: &str, value: &[u8]| {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value);
            out.extend_from_slice(b"\r\n");
        };
        if !has("host") {
            line("Host", host.as_bytes());
        }
        self.headers.iter().for_each(|(name, value)| line(name, value));
        if !has("content-length") && !has("transfer-encoding") && (self.method != "GET" || body_bytes > 0) {
            line("Content-Length", body_bytes.to_string().as_bytes());
        }
        if closes && !has("connection") {
            line("Connection", b"close");
        }
        out.extend_from_slice(b"\r\n");
        out
    }

    /// The bytes on a connection of its own, for a server at `host`.
    pub fn bytes(&self, host: &str) -> Vec<u8> {
        [&self.head(host, true), &self.body[..]].concat()
    }
}

impl Response {
    /// The first header of that name, if it is UTF-8.
    pub fn header(&self, name: &str) -> Option<&str> {
        let value = self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value)?;
        std::str::from_utf8(value).ok()
    }

    /// The media type, in lower case and without parameters.
    pub fn media_type(&self) -> String {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Whether the media type is JSON: `application/json`, or one that ends in `+json`.
    pub fn has_json_type(&self) -> bool {
        let found = self.media_type();
        found == "application/json" || found.ends_with("+json")
    }

    /// The body as a string; invalid UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON. Half a surrogate pair in an escape, which the grammar of JSON allows, is read as U+FFFD.
    pub fn json(&self) -> Result<serde_json::Value, String> {
        let parsed = assay_spec::json::parse(&self.body);
        parsed.or_else(|e| assay_spec::json::parse(&without_halves(&self.body)).map_err(|_| e.to_string()))
    }
}

/// JSON with U+FFFD in place of each escape of half a surrogate pair.
fn without_halves(json: &[u8]) -> Vec<u8> {
    let unit = |at: usize| {
        let escape = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()
    };
    let (mut mended, mut at) = (Vec::with_capacity(json.len()), 0);
    while at < json.len() {
        let length = match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                mended.extend_from_slice(b"\\ufffd");
                at += 6;
                continue;
            }
            // An escaped backslash begins no other escape.
            _ if json[at] == b'\\' => 2,
            _ => 1,
        };
        mended.extend_from_slice(&json[at..json.len().min(at + length)]);
        at += length;
    }
    mended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_surrogate_pairs_are_read() {
        let json = |body: &'static str| {
            Response { status: 200, headers: Vec::new(), body: body.as_bytes().into() }.json()
        };
        assert_eq!(json(r#""a\ud83cb""#), Ok("a\u{fffd}b".into()));
        assert_eq!(json(r#""\udf0a\ud83c\udf0a""#), Ok("\u{fffd}\u{1f30a}".into()));
        assert_eq!(json(r#""\\ud83c\ud83c""#), Ok("\\ud83c\u{fffd}".into()));
        assert!(json(r#""\ud83c"#).is_err());
        assert!(json("").is_err());
    }
}
