//! The raw HTTP/1.1 exchange: one request written exactly as given, one response read strictly.
//!
//! A target may send anything, so everything that is kept is bounded, and bytes that are not an HTTP response are a
//! finding about the target, never a panic.

pub(crate) mod coding;
pub mod http2;

use std::pin::pin;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::buf::Chain;
use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::http::exchange::{Broken, Request, Response, kept};

const HEADERS: usize = 128;
const INTERIM_RESPONSES: usize = 16;
const CHUNK_LINE_BYTES: usize = 4096;
const READ_BYTES: usize = 16 * 1024;
const SHOWN_BYTES: usize = 60;
/// Where a connection ended that ended before the first byte of a response.
pub(crate) const BEFORE_HEAD: &str = "before the head";

/// The limits of one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Timeout of the whole exchange, from the first byte sent to the last byte read.
    pub timeout: Duration,
    /// The maximum size of the response head and of the trailers, in bytes.
    pub head_bytes: usize,
    /// The maximum size of the response body without framing, in bytes.
    pub body_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(15), head_bytes: 64 * 1024, body_bytes: 16 * 1024 * 1024 }
    }
}

/// Writes `request` to a server at `host` and reads its response. A server may respond and close before it has read
/// the whole body, so a failed write is not an error if a complete response can be read.
pub async fn exchange<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    request: &Request,
    host: &str,
    limits: Limits,
) -> Result<Response, Broken> {
    begin(stream, request, host, true, limits).finish().await
}

/// A request of which nothing has been sent yet. `closes`: the connection ends with it.
pub fn begin<S>(stream: S, request: &Request, host: &str, closes: bool, limits: Limits) -> Open<S> {
    let rest = Bytes::from(request.head(host, closes)).chain(request.body.clone());
    Open { stream, rest, is_head: request.method == "HEAD", limits }
}

/// A partly sent request; its connection stays open.
pub struct Open<S> {
    stream: S,
    /// What is left of the head, and of the body.
    rest: Chain<Bytes, Bytes>,
    is_head: bool,
    limits: Limits,
}

/// Writes the head of `request` and the first `body_bytes` of its body.
pub async fn open<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    request: &Request,
    host: &str,
    body_bytes: usize,
    limits: Limits,
) -> Result<Open<S>, Broken> {
    let mut body = request.body.clone();
    let mut first = Bytes::from(request.head(host, true)).chain(body.split_to(body_bytes.min(body.len())));
    let sending = async {
        stream.write_all_buf(&mut first).await?;
        stream.flush().await
    };
    // A server may reject before it has read this; its response is read at the end.
    let _ = tokio::time::timeout(limits.timeout, sending).await.map_err(|_| timed_out(limits))?;
    Ok(Open { stream, rest: Bytes::new().chain(body), is_head: request.method == "HEAD", limits })
}

impl<S: AsyncRead + AsyncWrite + Unpin> Open<S> {
    /// Writes the rest and reads the response.
    pub async fn finish(self) -> Result<Response, Broken> {
        self.finish_and_keep().await.map(|(response, _)| response)
    }

    /// As [`Open::finish`]. Also returns the connection if another request may go over it.
    pub async fn finish_and_keep(self) -> Result<(Response, Option<S>), Broken> {
        let Open { stream, mut rest, is_head, limits } = self;
        let (mut reader, mut writer) = tokio::io::split(stream);
        let progress = Progress::default();
        let talk = async {
            let mut sending = pin!(async {
                writer.write_all_buf(&mut rest).await?;
                writer.flush().await
            });
            let mut receiving = pin!(receive(&mut reader, is_head, limits, &progress));
            let sent = tokio::select! {
                // The request is sent before a response is read.
                biased;
                sent = &mut sending => sent.is_ok(),
                received = &mut receiving => return received.map(|(response, _)| (response, false)),
            };
            receiving.await.map(|(response, stays_open)| (response, sent && stays_open))
        };
        let talked = tokio::time::timeout(limits.timeout, talk).await;
        let (response, is_kept) = talked.unwrap_or_else(|_| Err(progress.timed_out(limits)))?;
        Ok((response, is_kept.then(|| reader.unsplit(writer))))
    }
}

fn too_many_headers() -> Broken {
    Broken::Limit(format!("more than {HEADERS} header lines"))
}

fn too_long(what: &str, limit: usize) -> Broken {
    Broken::Limit(format!("{what} longer than {limit} bytes"))
}

fn timed_out(limits: Limits) -> Broken {
    Broken::TimedOut(seconds(limits))
}

/// The timeout in seconds, rounded up.
fn seconds(limits: Limits) -> u64 {
    limits.timeout.as_secs() + u64::from(limits.timeout.subsec_nanos() > 0)
}

/// How much of a response has come: what is known of one that does not end in time.
#[derive(Debug, Default)]
struct Progress {
    /// The status, or 0 before the head.
    status: AtomicU16,
    /// The bytes of the body.
    bytes: AtomicUsize,
}

impl Progress {
    /// Notes that the head came.
    fn begins(&self, status: u16) {
        self.status.store(status, Ordering::Relaxed);
    }

    /// Notes that bytes of the body came.
    fn comes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Why there is no response in time.
    fn timed_out(&self, limits: Limits) -> Broken {
        match self.status.load(Ordering::Relaxed) {
            0 => timed_out(limits),
            status => {
                let bytes = self.bytes.load(Ordering::Relaxed);
                Broken::Unfinished { status, bytes, seconds: seconds(limits) }
            }
        }
    }
}

/// A response, and whether the connection is open and at rest after it.
async fn receive<R: AsyncRead + Unpin>(
    reader: R,
    is_head: bool,
    limits: Limits,
    progress: &Progress,
) -> Result<(Response, bool), Broken> {
    let mut incoming = Incoming { reader, buffer: Vec::new(), used: 0, progress };
    for _ in 0..=INTERIM_RESPONSES {
        let (mut response, persists) = incoming.head(limits.head_bytes).await?;
        if response.status == 101 {
            return Err(Broken::Nonsense("status 101, though no upgrade was requested".into()));
        }
        if response.status < 200 {
            continue;
        }
        let framing = framing(&response, is_head)?;
        progress.begins(response.status);
        let has_end = !matches!(framing, Framing::UntilClose);
        response.body = kept(match framing {
            Framing::None => Vec::new(),
            Framing::Length(bytes) => incoming.sized(bytes, limits.body_bytes).await?,
            Framing::Chunked => incoming.chunked(limits).await?,
            Framing::UntilClose => incoming.until_close(limits.body_bytes).await?,
        });
        let is_at_rest = persists && has_end && incoming.unread().is_empty();
        return Ok((coding::decoded(response, limits)?, is_at_rest));
    }
    Err(Broken::Limit(format!("more than {INTERIM_RESPONSES} interim responses")))
}

enum Framing {
    None,
    Length(u64),
    Chunked,
    UntilClose,
}

/// How the body ends. A head with two framings is rejected even if both agree, because such heads allow response
/// smuggling.
fn framing(response: &Response, is_head: bool) -> Result<Framing, Broken> {
    let all = |name: &str| -> Vec<&[u8]> {
        response.headers.iter().filter(|(header, _)| header == name).map(|(_, value)| &value[..]).collect()
    };
    let framing = match (&all("content-length")[..], &all("transfer-encoding")[..]) {
        ([], []) => Framing::UntilClose,
        ([length], []) => Framing::Length(content_length(length)?),
        ([], [coding]) if coding.eq_ignore_ascii_case(b"chunked") => Framing::Chunked,
        ([], [coding]) => return Err(nonsense("unknown transfer-encoding", coding)),
        ([], _) => return Err(Broken::Nonsense("more than one transfer-encoding".into())),
        (_, []) => return Err(Broken::Nonsense("more than one content-length".into())),
        _ => return Err(Broken::Nonsense("both content-length and transfer-encoding".into())),
    };
    let is_bodiless = is_head || matches!(response.status, 204 | 304);
    Ok(if is_bodiless { Framing::None } else { framing })
}

fn content_length(value: &[u8]) -> Result<u64, Broken> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(nonsense("invalid content-length", value));
    }
    let digits = value.iter().map(|digit| u64::from(digit - b'0'));
    // A length that does not fit exceeds every limit.
    Ok(digits.fold(0, |sum: u64, digit| sum.saturating_mul(10).saturating_add(digit)))
}

/// Received bytes that are not consumed yet.
struct Incoming<'p, R> {
    reader: R,
    buffer: Vec<u8>,
    used: usize,
    progress: &'p Progress,
}

impl<R: AsyncRead + Unpin> Incoming<'_, R> {
    fn unread(&self) -> &[u8] {
        &self.buffer[self.used..]
    }

    /// Waits for more bytes; 0 is an orderly end of the connection, an error an abnormal one.
    async fn fill(&mut self) -> std::io::Result<usize> {
        self.buffer.drain(..self.used);
        self.used = 0;
        self.buffer.reserve(READ_BYTES);
        (&mut self.reader).take(READ_BYTES as u64).read_buf(&mut self.buffer).await
    }

    /// Waits for more bytes; `false` at the end.
    async fn more(&mut self) -> bool {
        self.fill().await.is_ok_and(|bytes| bytes > 0)
    }

    /// A response without its body, and whether the server keeps the connection after it.
    async fn head(&mut self, limit: usize) -> Result<(Response, bool), Broken> {
        // Bytes that the parser has seen. It starts over each time, so it runs only after a line end, and early on to
        // detect garbage.
        let mut seen = 0;
        loop {
            let fresh = &self.unread()[seen..];
            let is_worth_asking = !fresh.is_empty() && (seen < SHOWN_BYTES || fresh.contains(&b'\n'));
            if is_worth_asking && let Some((length, response, persists)) = parse_head(self.unread())? {
                if length > limit {
                    return Err(too_long("a head", limit));
                }
                self.used += length;
                return Ok((response, persists));
            }
            seen = self.unread().len();
            if seen > limit {
                return Err(too_long("a head", limit));
            }
            if !self.more().await {
                parse_head(self.unread())?;
                let place = if seen == 0 { BEFORE_HEAD } else { "inside the head" };
                return Err(Broken::Closed(place.into()));
            }
        }
    }

    async fn sized(&mut self, length: u64, limit: usize) -> Result<Vec<u8>, Broken> {
        let length =
            usize::try_from(length).ok().filter(|&n| n <= limit).ok_or_else(|| too_long("a body", limit))?;
        let mut body = Vec::new();
        if self.take_body(&mut body, length).await {
            Ok(body)
        } else {
            Err(Broken::Closed(format!("after {} of {length} bytes of the body", body.len())))
        }
    }

    async fn until_close(&mut self, limit: usize) -> Result<Vec<u8>, Broken> {
        let mut body = Vec::new();
        loop {
            self.progress.comes(self.unread().len());
            body.extend_from_slice(self.unread());
            self.used = self.buffer.len();
            if body.len() > limit {
                return Err(too_long("a body", limit));
            }
            match self.fill().await {
                Ok(0) => return Ok(body),
                Ok(_) => {}
                // Only an orderly end shows that such a body is complete.
                Err(_) => {
                    return Err(Broken::Closed(format!(
                        "after {} bytes of a body without a length",
                        body.len()
                    )));
                }
            }
        }
    }

    async fn chunked(&mut self, limits: Limits) -> Result<Vec<u8>, Broken> {
        let mut body = Vec::new();
        let ended = |body: &Vec<u8>| Broken::Closed(format!("after {} bytes of a chunked body", body.len()));
        loop {
            let Some(length) = self.chunk_length().await? else { return Err(ended(&body)) };
            let room = limits.body_bytes - body.len();
            let length = usize::try_from(length).ok().filter(|&n| n <= room);
            let length = length.ok_or_else(|| too_long("a body", limits.body_bytes))?;
            if length == 0 {
                return if self.trailers(limits.head_bytes).await? { Ok(body) } else { Err(ended(&body)) };
            }
            let mut line_end = Vec::new();
            if !self.take_body(&mut body, length).await || !self.take_into(&mut line_end, 2).await {
                return Err(ended(&body));
            }
            if line_end != b"\r\n" {
                return Err(nonsense("a chunk is longer than its size says", &line_end));
            }
        }
    }

    /// The next chunk's length; `None` if the connection ends first.
    async fn chunk_length(&mut self) -> Result<Option<u64>, Broken> {
        loop {
            let unread = self.unread();
            // The parser reads a line without digits as zero.
            if unread.first().is_some_and(|byte| !byte.is_ascii_hexdigit()) {
                return Err(nonsense("invalid chunk size", unread));
            }
            match httparse::parse_chunk_size(unread) {
                Ok(httparse::Status::Complete((line, length))) => {
                    self.used += line;
                    return Ok(Some(length));
                }
                Ok(httparse::Status::Partial) if unread.len() <= CHUNK_LINE_BYTES => {}
                Ok(httparse::Status::Partial) => {
                    return Err(too_long("a line with a chunk size", CHUNK_LINE_BYTES));
                }
                Err(_) => return Err(nonsense("invalid chunk size", unread)),
            }
            if !self.more().await {
                return Ok(None);
            }
        }
    }

    /// Skips the trailers and the empty line after them; `false` if the connection ends first.
    async fn trailers(&mut self, limit: usize) -> Result<bool, Broken> {
        let mut seen = 0;
        loop {
            if self.unread()[seen..].contains(&b'\n') {
                let mut headers = [httparse::EMPTY_HEADER; HEADERS];
                match httparse::parse_headers(self.unread(), &mut headers) {
                    Ok(httparse::Status::Complete((length, _))) => {
                        self.used += length;
                        return Ok(true);
                    }
                    Ok(httparse::Status::Partial) => {}
                    Err(httparse::Error::TooManyHeaders) => return Err(too_many_headers()),
                    Err(e) => return Err(nonsense(&format!("{e} in the trailers"), self.unread())),
                }
            }
            seen = self.unread().len();
            if seen > limit {
                return Err(too_long("trailers", limit));
            }
            if !self.more().await {
                return Ok(false);
            }
        }
    }

    /// As [`Incoming::take_into`], for bytes of the body, which are counted as they come.
    async fn take_body(&mut self, body: &mut Vec<u8>, length: usize) -> bool {
        let mut missing = length;
        while missing > 0 {
            let next = missing.min(self.unread().len().max(1));
            if !self.take_into(body, next).await {
                return false;
            }
            self.progress.comes(next);
            missing -= next;
        }
        true
    }

    /// Moves `length` bytes into `out`; `false` if the connection ends first.
    async fn take_into(&mut self, out: &mut Vec<u8>, length: usize) -> bool {
        let mut missing = length;
        loop {
            let taken = missing.min(self.unread().len());
            out.extend_from_slice(&self.unread()[..taken]);
            self.used += taken;
            missing -= taken;
            if missing == 0 {
                return true;
            }
            if !self.more().await {
                return false;
            }
        }
    }
}

/// The length of a head, its response without a body, and whether the server keeps the connection after it; `None` while
/// the head is incomplete.
fn parse_head(bytes: &[u8]) -> Result<Option<(usize, Response, bool)>, Broken> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut head = httparse::Response::new(&mut headers);
    let length = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(too_many_headers()),
        Err(e) => return Err(nonsense(&e.to_string(), bytes)),
    };
    let status = head.code.unwrap_or_default();
    if status < 100 {
        return Err(nonsense("invalid status", bytes));
    }
    let options = head.headers.iter().filter(|line| line.name.eq_ignore_ascii_case("connection"));
    let mut options = options.flat_map(|line| line.value.split(|byte| *byte == b','));
    let closes = options.any(|option| option.trim_ascii().eq_ignore_ascii_case(b"close"));
    let persists = head.version == Some(1) && !closes;
    let headers =
        head.headers.iter().map(|line| (line.name.to_ascii_lowercase(), line.value.to_vec())).collect();
    Ok(Some((length, Response { status, headers, body: Bytes::new() }, persists)))
}

fn nonsense(why: &str, bytes: &[u8]) -> Broken {
    let shown = &bytes[..bytes.len().min(SHOWN_BYTES)];
    Broken::Nonsense(format!("{why}: \"{}\"", shown.escape_ascii()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::DuplexStream;

    use super::*;

    /// Parses `answer` followed by the end of the connection.
    async fn read(request: &Request, answer: &[u8], limits: Limits) -> Result<Response, Broken> {
        exchange(tokio::io::join(answer, tokio::io::sink()), request, "h", limits).await
    }

    async fn answer(answer: impl AsRef<[u8]>) -> Result<Response, Broken> {
        read(&Request::new("GET", "/"), answer.as_ref(), Limits::default()).await
    }

    fn broken(kind: &str, what: &str) -> Result<Response, Broken> {
        Err(match kind {
            "closed" => Broken::Closed(what.into()),
            "limit" => Broken::Limit(what.into()),
            _ => Broken::Nonsense(what.into()),
        })
    }

    /// Reads a request head and its body of `body` bytes, and returns both.
    async fn receive_request(server: &mut DuplexStream, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        server.read_exact(&mut bytes).await.unwrap();
        bytes
    }

    #[tokio::test]
    async fn request_is_sent_as_given_and_response_is_read() {
        let (client, mut server) = tokio::io::duplex(7);
        let request = Request::new("POST", "//a b?x#y").header("X-A", *b" \xff ").body("body");
        let sent = request.bytes("host:1");
        let peer = async {
            let received = receive_request(&mut server, sent.len()).await;
            server.write_all(b"HTTP/1.1 200 OK\r\nX-B:  v \r\nContent-Length: 2\r\n\r\nok").await.unwrap();
            received
        };
        let (response, received) =
            tokio::join!(exchange(client, &request, "host:1", Limits::default()), peer);
        assert_eq!(received, sent);
        let headers = vec![("x-b".into(), b"v".to_vec()), ("content-length".into(), b"2".to_vec())];
        assert_eq!(response, Ok(Response { status: 200, headers, body: "ok".into() }));
    }

    #[tokio::test]
    async fn held_request_is_sent_in_two_parts_with_the_same_bytes() {
        let request = Request::new("POST", "/").body("first second");
        let sent = request.bytes("h");
        for first in [0, 5, 12, 99] {
            let (client, mut server) = tokio::io::duplex(1024);
            let held = open(client, &request, "h", first, Limits::default()).await.unwrap();
            let early = sent.len() - 12 + first.min(12);
            assert_eq!(receive_request(&mut server, early).await, sent[..early]);
            let peer = async {
                let rest = receive_request(&mut server, sent.len() - early).await;
                server.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await.unwrap();
                rest
            };
            let (response, rest) = tokio::join!(held.finish(), peer);
            assert_eq!(rest, sent[early..]);
            assert_eq!(response.map(|response| response.status), Ok(200));
        }
    }

    #[tokio::test]
    async fn early_response_to_a_held_request_is_read() {
        let (client, mut server) = tokio::io::duplex(1024);
        let request = Request::new("POST", "/").body("first second");
        let held = open(client, &request, "h", 5, Limits::default()).await.unwrap();
        server.write_all(b"HTTP/1.1 429 No\r\nContent-Length: 0\r\n\r\n").await.unwrap();
        drop(server);
        assert_eq!(held.finish().await.map(|response| response.status), Ok(429));
    }

    #[tokio::test]
    async fn each_framing() {
        for (wire, body) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef", "abc"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""),
            ("HTTP/1.1 200 OK\r\n\r\nuntil close", "until close"),
            ("HTTP/1.0 200 OK\r\n\r\nuntil close", "until close"),
            (
                "HTTP/1.1 200\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nab\r\n00a;x=y\r\n0123456789\r\n0\r\n\r\n",
                "ab0123456789",
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-T: 1\r\nX-U: 2\r\n\r\nmore",
                "a",
            ),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 E\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx", "x"),
        ] {
            assert_eq!(answer(wire).await.unwrap().text(), body, "{wire:?}");
        }
    }

    #[tokio::test]
    async fn answers_without_a_body() {
        for status in ["204 No Content", "304 Not Modified"] {
            let wire = format!("HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\n");
            assert_eq!(answer(wire).await.unwrap().body, "");
        }
        let (client, mut server) = tokio::io::duplex(1024);
        server.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n").await.unwrap();
        let response = exchange(client, &Request::new("HEAD", "/"), "h", Limits::default()).await.unwrap();
        assert_eq!(response.header("content-length"), Some("5"));
        assert_eq!(response.body, "");
    }

    #[tokio::test]
    async fn a_response_split_byte_by_byte() {
        let wire = b"HTTP/1.1 100 C\r\n\r\nHTTP/1.1 201 Created\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;e\r\nd\r\n0\r\nT: x\r\n\r\n";
        let (client, mut server) = tokio::io::duplex(1);
        let peer = async {
            let (mut reader, mut writer) = tokio::io::split(&mut server);
            let mut sink = tokio::io::sink();
            tokio::join!(writer.write_all(wire), tokio::io::copy(&mut reader, &mut sink)).0.unwrap();
        };
        let request = Request::new("GET", "/");
        let (response, ()) = tokio::join!(exchange(client, &request, "h", Limits::default()), peer);
        let response = response.unwrap();
        assert_eq!(
            (response.status, response.header("a"), &response.body[..]),
            (201, Some("b"), &b"abcd"[..])
        );
    }

    #[tokio::test]
    async fn an_early_answer_stops_a_big_body() {
        for then_closes in [true, false] {
            let (client, mut server) = tokio::io::duplex(1024);
            let request = Request::new("POST", "/").body(vec![7; 4 << 20]);
            let peer = async {
                receive_request(&mut server, 100).await;
                server.write_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 1\r\n\r\nx").await.unwrap();
                (!then_closes).then_some(server)
            };
            let (response, _kept) = tokio::join!(exchange(client, &request, "h", Limits::default()), peer);
            assert_eq!(response.unwrap().status, 413);
        }
    }

    #[tokio::test]
    async fn early_ends() {
        for (wire, place) in [
            ("", "before the head"),
            ("HTTP/1.1 100 Continue\r\n\r\n", "before the head"),
            ("HTTP/1.1 200 O", "inside the head"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", "inside the head"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", "after 3 of 5 bytes of the body"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "after 0 bytes of a chunked body"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
                "after 2 bytes of a chunked body",
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r",
                "after 2 bytes of a chunked body",
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n",
                "after 1 bytes of a chunked body",
            ),
        ] {
            assert_eq!(answer(wire).await, broken("closed", place), "{wire:?}");
        }
    }

    #[tokio::test]
    async fn invalid_responses_are_rejected() {
        let chunked = |rest: &str| format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{rest}");
        for (wire, why) in [
            ("SSH-2.0-x\r\n".to_owned(), "invalid HTTP version: \"SSH-2.0-x\\r\\n\""),
            ("\x16\x03\u{1}".to_owned(), "invalid HTTP version: \"\\x16\\x03\\x01\""),
            ("HTTP/1.1 099 X\r\n\r\n".to_owned(), "invalid status: \"HTTP/1.1 099 X\\r\\n\\r\\n\""),
            ("HTTP/1.1 101 S\r\n\r\n".to_owned(), "status 101, though no upgrade was requested"),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na".to_owned(),
                "more than one content-length",
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\na".to_owned(),
                "invalid content-length: \"1, 1\"",
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na".to_owned(), "invalid content-length: \"+1\""),
            ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\na".to_owned(), "invalid content-length: \"\""),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na".to_owned(),
                "both content-length and transfer-encoding",
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\na".to_owned(),
                "unknown transfer-encoding: \"gzip\"",
            ),
            (chunked("\r\n"), "invalid chunk size: \"\\r\\n\""),
            (chunked("g\r\n"), "invalid chunk size: \"g\\r\\n\""),
            (chunked("11111111111111111\r\n"), "invalid chunk size: \"11111111111111111\\r\\n\""),
            (chunked("1\r\nabc\r\n"), "a chunk is longer than its size says: \"bc\""),
            (
                chunked("0\r\nno colon\r\n\r\n"),
                "invalid header name in the trailers: \"no colon\\r\\n\\r\\n\"",
            ),
        ] {
            assert_eq!(answer(&wire).await, broken("nonsense", why), "{wire:?}");
        }
        let garbage = answer("x".repeat(1000)).await;
        assert_eq!(garbage, broken("nonsense", &format!("invalid HTTP version: \"{}\"", "x".repeat(60))));
        let endless = "HTTP/1.1 102 P\r\n\r\n".repeat(17) + "HTTP/1.1 200 OK\r\n\r\n";
        assert_eq!(answer(endless).await, broken("limit", "more than 16 interim responses"));
        let last_allowed = "HTTP/1.1 102 P\r\n\r\n".repeat(16) + "HTTP/1.1 200 OK\r\n\r\n";
        assert!(answer(last_allowed).await.is_ok());
        let headers = |n: usize| format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(n));
        assert!(answer(headers(128)).await.is_ok());
        assert!(matches!(answer(headers(129)).await, Err(Broken::Limit(_))));
    }

    #[tokio::test]
    async fn both_sides_of_every_limit() {
        let limits = Limits { head_bytes: 40, body_bytes: 3, ..Limits::default() };
        for (fits, too_large, broken) in [
            (
                format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "x".repeat(16)),
                format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "x".repeat(17)),
                too_long("a head", 40),
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc".to_owned(),
                "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd".to_owned(),
                too_long("a body", 3),
            ),
            (
                "HTTP/1.1 200 OK\r\n\r\nabc".to_owned(),
                "HTTP/1.1 200 OK\r\n\r\nabcd".to_owned(),
                too_long("a body", 3),
            ),
        ] {
            assert!(read(&Request::new("GET", "/"), fits.as_bytes(), limits).await.is_ok(), "{fits:?}");
            let response = read(&Request::new("GET", "/"), too_large.as_bytes(), limits).await;
            assert_eq!(response, Err(broken), "{too_large:?}");
        }
        let limits = Limits { head_bytes: 60, ..limits };
        for (rest, expected) in [
            ("2\r\nab\r\n1\r\nc\r\n0\r\n\r\n".to_owned(), None),
            ("2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n".to_owned(), Some(too_long("a body", 3))),
            ("ffffffffffffffff\r\n".to_owned(), Some(too_long("a body", 3))),
            (format!("0\r\nA: {}", "x".repeat(100)), Some(too_long("trailers", 60))),
        ] {
            let wire = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{rest}");
            let response = read(&Request::new("GET", "/"), wire.as_bytes(), limits).await;
            assert_eq!(response.err(), expected, "{wire:?}");
        }
        let huge = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", "9".repeat(40));
        assert_eq!(answer(huge).await, Err(too_long("a body", 16 << 20)));
    }

    #[tokio::test]
    async fn a_peer_that_never_answers() {
        let (client, _server) = tokio::io::duplex(1024);
        let limits = Limits { timeout: Duration::from_millis(20), ..Limits::default() };
        let response = exchange(client, &Request::new("GET", "/"), "h", limits).await;
        assert_eq!(response, Err(Broken::TimedOut(1)));
    }

    #[tokio::test(start_paused = true)]
    async fn response_that_begins_and_does_not_end_says_how_much_came() {
        for (sent, bytes) in
            [("Content-Length: 9\r\n\r\nok", 2), ("Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", 3)]
        {
            let (client, mut server) = tokio::io::duplex(1024);
            server.write_all(format!("HTTP/1.1 203 OK\r\n{sent}").as_bytes()).await.unwrap();
            let limits = Limits { timeout: Duration::from_secs(2), ..Limits::default() };
            let response = exchange(client, &Request::new("GET", "/"), "h", limits).await;
            let wanted = Broken::Unfinished { status: 203, bytes, seconds: 2 };
            assert_eq!(response.as_ref(), Err(&wanted));
            assert!(!wanted.is_silence(), "the server is there");
        }
    }

    fn read_blocking(wire: &[u8]) -> Result<Response, Broken> {
        let limits = Limits { head_bytes: 256, body_bytes: 256, ..Limits::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(read(&Request::new("GET", "/"), wire, limits))
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(wire in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = read_blocking(&wire);
        }

        #[test]
        fn arbitrary_pieces_of_http_stay_within_the_limits(pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 C\r\n\r\n", "HTTP/1.0 204\r\n", "Transfer-Encoding: chunked\r\n",
                "Content-Length: 7\r\n", "Content-Length: ", "A: \u{1f980}\r\n", "\r\n", "\n", "0\r\n", "3\r\nabc\r\n", "fe;x\r\n", "99", " ",
            ]),
            0..40,
        )) {
            let wire = format!("HTTP/1.1 200 OK\r\n{}", pieces.concat());
            if let Ok(response) = read_blocking(wire.as_bytes()) {
                prop_assert!(response.body.len() <= 256);
            }
        }
    }
}
