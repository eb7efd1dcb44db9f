//! HTTP around a world: passes requests in and sends responses as the world produces them.

use std::convert::Infallible;
use std::io::IoSlice;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};
use http::header::{CONNECTION, HOST};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, Version};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Either, Full, StreamBody};
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout, timeout_at};

use super::room::Occupied;
use super::{Handle, Ticket};
use crate::exchange::{RequestHead, Site};
use crate::io::{Input, Output};

/// The maximum size of a request head, in bytes: a header of one megabyte still gets the documented response.
const HEAD_BYTES: usize = 2 * 1024 * 1024;
/// How much is read from a connection at a time, in bytes. The buffer of a connection grows to twice as much, and an
/// HTTP/2 client sends no more than this of all its bodies before they are read.
const READ_BYTES: usize = 64 * 1024;
/// How much of a body is read and dropped after the response is settled, so that the client gets to read the response.
const DRAIN_BYTES: usize = 16 * 1024 * 1024;

/// How long a connection may be idle, a head or the next part of a body may take.
const IDLE: std::time::Duration = std::time::Duration::from_mins(1);
/// How long a whole body may take: it occupies room that others need.
const WHOLE: std::time::Duration = std::time::Duration::from_mins(10);

/// One site of a served world, as seen by clients of one address.
#[derive(Clone)]
pub struct SiteService {
    pub(super) handle: Handle,
    pub(super) site: Site,
    pub(super) peer: IpAddr,
    /// The boot of the site in which the connection was made, if known.
    pub(super) boot: Option<u64>,
}

type Streamed = StreamBody<Pin<Box<dyn stream::Stream<Item = Result<Frame<Bytes>, BrokenOff>> + Send>>>;

/// A reply breaks off: the connection closes before the body ends.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the reply breaks off")]
pub struct BrokenOff;

/// A reply's body: complete, or as it arrives.
pub type ReplyBody = Either<Full<Bytes>, Streamed>;

impl<B> tower::Service<Request<B>> for SiteService
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Send,
{
    type Response = Response<ReplyBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(answer(service, request).await) })
    }
}

/// Notifies the world when a client disconnects before its answer is complete.
struct Guard {
    handle: Handle,
    ticket: Option<Ticket>,
}

impl Guard {
    /// The answer is complete, or there will be none.
    fn settle(&mut self) {
        self.ticket = None;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.handle.input(ticket, Input::Abort);
        }
    }
}

async fn answer<B>(service: SiteService, request: Request<B>) -> Response<ReplyBody>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Send,
{
    let SiteService { handle, site, peer, boot } = service;
    let (parts, body) = request.into_parts();
    let target = parts.uri.path_and_query().map_or_else(|| parts.uri.to_string(), ToString::to_string);
    let mut parts = parts;
    // HTTP/2 has the host elsewhere; the services expect it in one place.
    if let (false, Some(authority)) = (parts.headers.contains_key(HOST), parts.uri.authority())
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        parts.headers.insert(HOST, host);
    }
    let peer = handle.forwarded(&parts.headers).unwrap_or(peer);
    let mut room = handle.shared.room.enter(http_body::Body::size_hint(&body).exact());
    let head = RequestHead { site, peer, method: parts.method, target, headers: parts.headers };
    let Some((ticket, mut settled)) = handle.begin(head, boot) else {
        // No client is left; the connection is about to close.
        return std::future::pending().await;
    };
    let mut guard = Guard { handle: handle.clone(), ticket: Some(ticket) };

    let mut body = Box::pin(body);
    let end = Instant::now() + WHOLE;
    while settled.is_empty() {
        match piece(&mut body, &mut room, end).await {
            Ok(None) => break,
            Ok(Some(bytes)) => settled = handle.input(ticket, |exchange| Input::Body(exchange, bytes)),
            // No one can receive a response.
            Err(Stopped::Broken) => return respond(400, HeaderMap::new(), Either::Left(Full::default())),
            Err(stopped) => return refuse(stopped.status(), &stopped.to_string()),
        }
    }
    if settled.is_empty() {
        match handle.end(ticket) {
            Ok(outputs) => settled = outputs,
            Err(receiver) => return streamed(guard, receiver).await,
        }
    } else {
        tokio::spawn(drain(body));
    }
    guard.settle();
    whole(settled)
}

/// Why the rest of a body is not read.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(crate) enum Stopped {
    /// The client disconnected, or its framing broke.
    #[error("the body breaks off")]
    Broken,
    /// Nothing came for some time.
    #[error("the body stopped for {} s", IDLE.as_secs())]
    Idle,
    /// The body took too long.
    #[error("the body took longer than {} s", .0.as_secs())]
    Slow(std::time::Duration),
    /// Other bodies take all the room.
    #[error(transparent)]
    Full(#[from] super::room::Full),
    /// The body is longer than this many bytes.
    #[error("the body is longer than {0} bytes")]
    TooLong(usize),
}

impl Stopped {
    /// The status of the response.
    pub(crate) const fn status(self) -> u16 {
        match self {
            Stopped::Broken => 400,
            Stopped::Idle | Stopped::Slow(_) => 408,
            Stopped::Full(_) => 503,
            Stopped::TooLong(_) => 413,
        }
    }
}

/// The next piece of a body, once there is room for it; `None` at the end.
async fn piece<B: Body<Data = Bytes>>(
    body: &mut Pin<Box<B>>,
    room: &mut Occupied,
    end: Instant,
) -> Result<Option<Bytes>, Stopped> {
    loop {
        let idle = Instant::now() + IDLE;
        let frame = match timeout_at(idle.min(end), body.frame()).await {
            Ok(None) => return Ok(None),
            Ok(Some(frame)) => frame.map_err(|_| Stopped::Broken)?,
            Err(_) => return Err(if idle < end { Stopped::Idle } else { Stopped::Slow(WHOLE) }),
        };
        let Ok(bytes) = frame.into_data() else { continue };
        room.take(bytes.len()).await?;
        // A copy of the right size: a frame is a part of the connection's buffer, and would keep all of that.
        return Ok(Some(Bytes::copy_from_slice(&bytes)));
    }
}

/// Reads a whole body of at most `limit` bytes, at most as long as a connection may be idle.
pub(crate) async fn collect<B: Body<Data = Bytes>>(
    body: B,
    handle: &Handle,
    limit: usize,
) -> Result<Bytes, Stopped> {
    let mut room = handle.shared.room.enter(body.size_hint().exact());
    let (mut body, mut whole) = (Box::pin(body), BytesMut::new());
    let reading = async {
        let end = Instant::now() + WHOLE;
        while let Some(bytes) = piece(&mut body, &mut room, end).await? {
            if whole.len() + bytes.len() > limit {
                return Err(Stopped::TooLong(limit));
            }
            whole.extend_from_slice(&bytes);
        }
        Ok(whole.freeze())
    };
    timeout(IDLE, reading).await.unwrap_or(Err(Stopped::Slow(IDLE)))
}

/// Reads what arrives after the response is settled, so that the client gets to read the response.
async fn drain<B: Body<Data = Bytes>>(mut body: Pin<Box<B>>) {
    let mut drained = 0;
    while drained < DRAIN_BYTES
        && let Ok(Some(Ok(frame))) = timeout(IDLE, body.frame()).await
    {
        drained += frame.data_ref().map_or(0, Bytes::len);
    }
}

/// A response whose outputs are complete.
fn whole(outputs: Vec<Output>) -> Response<ReplyBody> {
    let frames = outputs.iter().filter(|output| matches!(output, Output::Frame { .. })).count();
    let (mut status, mut headers) = (500, HeaderMap::new());
    let (mut bytes, mut begun, mut cut) = (Vec::new(), false, false);
    for output in outputs {
        match output {
            Output::Head { status: s, headers: h, .. } => (status, headers, begun) = (s, h, true),
            Output::Frame { bytes: frame, .. } => bytes.push(frame),
            Output::Cut { .. } => cut = true,
            Output::End { .. } | Output::Outgoing { .. } => {}
        }
    }
    if cut {
        return broken_off(status, headers, bytes, begun);
    }
    let body = if frames > 1 {
        let frames = bytes.into_iter().map(|bytes| Ok(Frame::data(bytes)));
        Either::Right(StreamBody::new(Box::pin(stream::iter(frames)) as Pin<Box<_>>))
    } else {
        Either::Left(Full::new(bytes.pop().unwrap_or_default()))
    };
    respond(status, headers, body)
}

/// A response that breaks off after these bytes, or before its head if it has not begun.
fn broken_off(status: u16, headers: HeaderMap, bytes: Vec<Bytes>, begun: bool) -> Response<ReplyBody> {
    let frames = stream::iter(bytes.into_iter().map(|bytes| Ok(Frame::data(bytes))));
    let end = stream::once(async move {
        // A head whose body breaks off at once is never sent.
        if begun {
            let_out().await;
        }
        Err(BrokenOff)
    });
    respond(status, headers, Either::Right(StreamBody::new(Box::pin(frames.chain(end)) as Pin<Box<_>>)))
}

/// Lets the connection send what it has before more of the body is requested.
async fn let_out() {
    for _ in 0..4 {
        tokio::task::yield_now().await;
    }
}

/// A response whose outputs follow as the world produces them.
async fn streamed(mut guard: Guard, mut receiver: mpsc::UnboundedReceiver<Output>) -> Response<ReplyBody> {
    let (status, headers) = match receiver.recv().await {
        Some(Output::Head { status, headers, .. }) => (status, headers),
        Some(_) => {
            guard.settle();
            return broken_off(200, HeaderMap::new(), Vec::new(), false);
        }
        None => {
            // The world was restored while the request waited: its connection closes without a response.
            guard.settle();
            return respond(503, HeaderMap::new(), Either::Left(Full::default()));
        }
    };
    let frames = stream::unfold(Some((guard, receiver)), |state| async move {
        let (mut guard, mut receiver) = state?;
        match receiver.recv().await {
            Some(Output::Frame { bytes, .. }) => Some((Ok(Frame::data(bytes)), Some((guard, receiver)))),
            Some(Output::Cut { .. }) => {
                guard.settle();
                let_out().await;
                Some((Err(BrokenOff), None))
            }
            _ => {
                guard.settle();
                None
            }
        }
    });
    respond(status, headers, Either::Right(StreamBody::new(Box::pin(frames) as Pin<Box<_>>)))
}

fn respond(status: u16, headers: HeaderMap, body: ReplyBody) -> Response<ReplyBody> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.headers_mut() = headers;
    response
}

/// A response of the server itself, which no document describes; the connection closes after it.
fn refuse(status: u16, why: &str) -> Response<ReplyBody> {
    let mut headers = HeaderMap::new();
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    respond(status, headers, Either::Left(Full::from(format!("{why}\n"))))
}

/// Whether a request names its host exactly once, as HTTP/1.1 demands. HTTP/2 has another place for it.
fn names_one_host<B>(request: &Request<B>) -> bool {
    request.version() != Version::HTTP_11 || request.headers().get_all(HOST).iter().count() == 1
}

/// Serves HTTP/1.1 or HTTP/2, as the client chooses, on one connection until it closes, or until no request is in
/// progress and no head has arrived for some time.
pub async fn connection<I, S, B>(io: I, service: S)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: tower::Service<Request<hyper::body::Incoming>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
    B: Body<Data = Bytes> + Unpin + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let requests = watch::Sender::new(Requests::default());
    let counted = requests.clone();
    let answer = service_fn(move |request: Request<hyper::body::Incoming>| {
        let (service, open) = (service.clone(), InProgress::new(&counted));
        async move {
            if !names_one_host(&request) {
                return Ok(refuse(400, "a request names its host once").map(Either::Left));
            }
            let response = TowerToHyperService::new(service).call(request).await?;
            Ok::<_, Infallible>(response.map(|body| Either::Right(Counted { body, _open: open })))
        }
    });
    let mut server = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
    server.http1().auto_date_header(false).half_close(true).max_buf_size(HEAD_BYTES);
    let window = READ_BYTES as u32;
    server.http2().initial_connection_window_size(window).initial_stream_window_size(window);
    server.http2().auto_date_header(false).max_header_list_size(HEAD_BYTES as u32);
    // How a client closes its connection does not matter.
    tokio::select! {
        _ = server.serve_connection(TokioIo::new(InParts(io)), answer) => {}
        () = idle(requests.subscribe()) => {}
    }
}

/// A connection that is read in parts: the buffer of its reader does not grow with what the client sends.
struct InParts<I>(I);

impl<I: AsyncRead + Unpin> AsyncRead for InParts<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let length = buffer.remaining().min(READ_BYTES);
        let mut part = ReadBuf::new(buffer.initialize_unfilled_to(length));
        let polled = Pin::new(&mut self.0).poll_read(context, &mut part);
        let length = part.filled().len();
        buffer.advance(length);
        polled
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for InParts<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }
}

/// The requests of one connection.
#[derive(Debug, Default)]
struct Requests {
    begun: u64,
    in_progress: usize,
}

/// Resolves once no request has been in progress for some time.
async fn idle(mut requests: watch::Receiver<Requests>) {
    loop {
        let Ok(begun) = requests.wait_for(|now| now.in_progress == 0).await.map(|now| now.begun) else {
            return;
        };
        if timeout(IDLE, requests.wait_for(|now| now.begun > begun)).await.is_err() {
            return;
        }
    }
}

/// A body that counts as in progress until it is dropped.
struct Counted<B> {
    body: B,
    _open: InProgress,
}

impl<B: Body + Unpin> Body for Counted<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

/// Counts a request until its response is complete.
struct InProgress(watch::Sender<Requests>);

impl InProgress {
    fn new(requests: &watch::Sender<Requests>) -> InProgress {
        requests.send_modify(|now| {
            now.begun += 1;
            now.in_progress += 1;
        });
        InProgress(requests.clone())
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.0.send_modify(|now| now.in_progress -= 1);
    }
}
