//! A reverse proxy: requests and responses pass as they come, and are collected beside.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use assay_spec::Instant;
use bytes::Bytes;
use http::header::{HOST, HeaderMap, HeaderName, HeaderValue};
use http::{Request as HttpRequest, Response as HttpResponse, StatusCode, Uri, Version};
use http_body_util::{Either, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::{BODY_BYTES, Observed, Passed, Times};
use crate::harness::probe::wall_clock;
use crate::http::client::Limits;
use crate::http::client::coding::decoded;
use crate::http::connect::{Connect, path_of};
use crate::http::curl::authority;
use crate::http::exchange::{Broken, Exchange, Request, Response};
use crate::http::sockets::Sockets;

/// How long accepting pauses after a failed accept.
const FULL: Duration = Duration::from_millis(50);
/// The most idle connections to one server.
const IDLE: usize = 32;
/// Headers of one connection (RFC 9110, section 7.6.1): they do not pass.
const HOP_BY_HOP: [&str; 8] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The media type of event streams.
const EVENT_STREAM: &str = "text/event-stream";

/// What receives the exchanges.
pub type Seen = Arc<dyn Fn(Passed) + Send + Sync>;

/// A server that is watched.
#[derive(Clone)]
pub struct Server {
    /// The name of its site, such as `gateway`.
    pub site: String,
    /// Its base URL.
    pub base: String,
    /// How it is reached.
    pub sockets: Sockets,
}

/// A proxy in front of one server. It ends when it is dropped; requests in progress end with it.
pub struct Proxy {
    /// Where it listens.
    pub address: SocketAddr,
    _accepting: JoinSet<()>,
}

impl Proxy {
    /// Listens at `address`. `seen` gets each exchange when it has ended.
    pub async fn open(address: SocketAddr, server: Server, seen: Seen) -> std::io::Result<Proxy> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let path = path_of(&server.base).unwrap_or_default();
        let host = HeaderValue::from_str(authority(&server.base)).map_err(std::io::Error::other)?;
        let way = Arc::new(Way { server, path, host, idle: Mutex::default(), seen });
        let mut accepting = JoinSet::new();
        accepting.spawn(async move {
            // Connections end with the proxy.
            let mut connections = JoinSet::new();
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    // No room for another connection; the next one may find some.
                    tokio::time::sleep(FULL).await;
                    continue;
                };
                connections.spawn(serve(stream, way.clone()));
                while connections.try_join_next().is_some() {}
            }
        });
        Ok(Proxy { address, _accepting: accepting })
    }
}

/// The way of requests to one server.
struct Way {
    server: Server,
    /// The path of its base URL.
    path: String,
    host: HeaderValue,
    idle: Mutex<Vec<SendRequest<Passing>>>,
    seen: Seen,
}

async fn serve(stream: TcpStream, way: Arc<Way>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let way = way.clone();
        async move { Ok::<_, std::convert::Infallible>(pass(&way, request).await) }
    });
    // A connection that breaks ends alone.
    let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

/// The response of the server, or one that says why there is none.
async fn pass(way: &Arc<Way>, request: HttpRequest<Incoming>) -> HttpResponse<Either<Passing, Full<Bytes>>> {
    let (mut parts, body) = request.into_parts();
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    let target = format!("{}{target}", way.path);
    let method = parts.method.to_string();
    let request = Request { method, target, headers: lines(&parts.headers), body: Bytes::new() };
    let sent = Copied::default();
    strip(&mut parts.headers);
    parts.headers.insert(HOST, way.host.clone());
    parts.version = Version::HTTP_11;
    let uri = request.target.parse::<Uri>();
    let began = wall_clock();
    let ending =
        Ending { way: way.clone(), request, began, sent: sent.clone(), sender: None, received: None };
    // A client that leaves drops this future.
    let mut waiting = Waiting(Some(ending));
    let answer = match uri {
        Ok(uri) => {
            parts.uri = uri;
            let body = Passing { body, copied: sent, end: None };
            way.send(HttpRequest::from_parts(parts, body)).await
        }
        Err(e) => Err(Broken::Inexpressible(e.to_string())),
    };
    match answer {
        Ok((response, sender)) => {
            let (mut parts, body) = response.into_parts();
            let headers = lines(&parts.headers);
            let received = Response { status: parts.status.as_u16(), headers, body: Bytes::new() };
            let end = waiting
                .0
                .take()
                .map(|ending| Box::new(Ending { sender: Some(sender), received: Some(received), ..ending }));
            strip(&mut parts.headers);
            parts.version = Version::HTTP_11;
            let mut passing = Passing { body, copied: Copied::default(), end };
            if passing.body.is_end_stream() {
                passing.ended(How::Whole);
            }
            HttpResponse::from_parts(parts, Either::Left(passing))
        }
        Err(broken) => {
            let said = format!("assay watch: {broken}\n");
            if let Some(ending) = waiting.0.take() {
                ending.without_response(broken, false);
            }
            let mut response = HttpResponse::new(Either::Right(Full::from(said)));
            *response.status_mut() = StatusCode::BAD_GATEWAY;
            response
        }
    }
}

/// What the server returned, and the connection that it came over.
type Answer = (HttpResponse<Incoming>, SendRequest<Passing>);

impl Way {
    /// Sends a request over an idle connection, or over a new one. A request that an idle connection did not take is sent again.
    async fn send(&self, mut request: HttpRequest<Passing>) -> Result<Answer, Broken> {
        while let Some(mut sender) = self.take() {
            if sender.ready().await.is_err() {
                continue;
            }
            match sender.try_send_request(request).await {
                Ok(response) => return Ok((response, sender)),
                Err(mut failed) => match failed.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(Broken::Closed(failed.into_error().to_string())),
                },
            }
        }
        let stream = self.server.sockets.connect(&self.server.base, None).await?;
        let closed = |e: hyper::Error| Broken::Closed(e.to_string());
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await.map_err(closed)?;
        tokio::spawn(connection);
        let response = sender.send_request(request).await.map_err(closed)?;
        Ok((response, sender))
    }

    fn take(&self) -> Option<SendRequest<Passing>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn keep(&self, sender: SendRequest<Passing>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if !sender.is_closed() && idle.len() < IDLE {
            idle.push(sender);
        }
    }
}

/// A copy of the bytes that pass; `None` once they are too many.
#[derive(Clone)]
struct Copied(Arc<Mutex<Option<Vec<u8>>>>);

impl Default for Copied {
    fn default() -> Copied {
        Copied(Arc::new(Mutex::new(Some(Vec::new()))))
    }
}

impl Copied {
    fn add(&self, bytes: &[u8]) {
        let mut copied = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = &mut *copied {
            if kept.len() + bytes.len() > BODY_BYTES {
                *copied = None;
            } else {
                kept.extend_from_slice(bytes);
            }
        }
    }

    fn take(&self) -> Option<Bytes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().map(Bytes::from)
    }
}

/// A body that passes.
struct Passing {
    body: Incoming,
    copied: Copied,
    /// What happens at its end.
    end: Option<Box<Ending>>,
}

impl Passing {
    fn ended(&mut self, how: How) {
        if let Some(ending) = self.end.take() {
            ending.done(&self.copied, how);
        }
    }
}

/// How a body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// After its last byte.
    Whole,
    /// The server closed the connection before.
    Cut,
    /// The client left before.
    Left,
}

impl Body for Passing {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                frame.data_ref().into_iter().for_each(|bytes| self.copied.add(bytes));
                // A body of known length is not polled after its last byte.
                if self.body.is_end_stream() {
                    self.ended(How::Whole);
                }
            }
            Poll::Ready(Some(Err(_))) => self.ended(How::Cut),
            Poll::Ready(None) => self.ended(How::Whole),
            Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        self.ended(How::Left);
    }
}

/// An exchange whose response has not begun.
struct Waiting(Option<Ending>);

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(ending) = self.0.take() {
            ending.without_response(Broken::Closed("because the client left".to_owned()), true);
        }
    }
}

/// What is known of an exchange before its end.
struct Ending {
    way: Arc<Way>,
    request: Request,
    began: Instant,
    sent: Copied,
    sender: Option<SendRequest<Passing>>,
    received: Option<Response>,
}

impl Ending {
    /// There is no whole response.
    fn without_response(self, why: Broken, left: bool) {
        self.observed(Some(Err(why)), left);
    }

    /// The body of the response has ended.
    fn done(mut self, body: &Copied, how: How) {
        let received = self.received.take();
        let (Some(body), Some(received)) = (body.take(), received) else { return self.observed(None, false) };
        match how {
            How::Whole => {
                if let Some(sender) = self.sender.take() {
                    self.way.keep(sender);
                }
                let limits = Limits { body_bytes: BODY_BYTES, ..Limits::default() };
                let response = decoded(Response { body, ..received }, limits);
                self.observed(Some(response), false);
            }
            How::Cut | How::Left if is_readable_in_part(&received) => {
                let response = Response { body: whole_lines(&body), ..received };
                self.observed(Some(Ok(response)), false);
            }
            How::Cut => {
                let why = format!("after {} bytes of the body", body.len());
                self.without_response(Broken::Closed(why), false);
            }
            How::Left => {
                self.without_response(Broken::Closed("because the client left".to_owned()), true);
            }
        }
    }

    /// Passes the exchange on; it has no response if that is too long.
    fn observed(self, response: Option<Result<Response, Broken>>, left: bool) {
        let Server { site, base, .. } = self.way.server.clone();
        let passed = match (self.sent.take(), response) {
            (Some(body), Some(response)) => {
                let request = Request { body, ..self.request };
                let exchange = Exchange { site, base, request, cut: None, slot: None, response };
                let times = Some(Times { began: self.began, ended: wall_clock() });
                Passed::Whole(Box::new(Observed { exchange, times, left }))
            }
            _ => Passed::Without(site, "had a body that was too long to be judged"),
        };
        (self.way.seen)(passed);
    }
}

/// Whether the events that have come can be judged without the rest: many clients leave a stream at its end mark.
fn is_readable_in_part(received: &Response) -> bool {
    received.media_type() == EVENT_STREAM && received.header("content-encoding").is_none()
}

/// The lines that have ended, so that no character is cut. Readers of events leave out one that has not ended.
fn whole_lines(body: &Bytes) -> Bytes {
    let end = body.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
    body.slice(..end)
}

/// The header lines.
fn lines(headers: &HeaderMap) -> Vec<(String, Vec<u8>)> {
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect()
}

/// Removes the headers of one connection.
fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all("connection")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}
