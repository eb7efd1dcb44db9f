//! HTTP around a world: passes requests in and sends responses as the world produces them.

use std::convert::Infallible;
use std::io::IoSlice;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt, stream};
use http::header::{CONNECTION, EXPECT, HOST};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, Version};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Either, Full, StreamBody};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf, Take};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tower::ServiceExt;

use super::room::Occupied;
use super::{Answered, Handle, Ticket};
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
    B: Body<Data = Bytes> + Unpin + Send + 'static,
    B::Error: Send,
{
    type Response = Response<ReplyBody>;
    type Error = Infallible;
    type Future = Answering<B>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        Answering(Progress::Begun(Some((self.clone(), request))))
    }
}

/// The answer to a request. A request that has arrived as a whole and has its response at once needs no task, no channel
/// and no allocation of its own.
pub struct Answering<B>(Progress<B>);

/// The response to a request, where one of them is still arriving.
type Arriving = Pin<Box<dyn Future<Output = Response<ReplyBody>> + Send>>;

#[expect(clippy::large_enum_variant, reason = "in the usual case nothing is allocated")]
enum Progress<B> {
    /// Not polled yet.
    Begun(Option<(SiteService, Request<B>)>),
    /// The request or its response is still arriving.
    Arriving(Arriving),
}

impl<B> Future for Answering<B>
where
    B: Body<Data = Bytes> + Unpin + Send + 'static,
    B::Error: Send,
{
    type Output = Result<Response<ReplyBody>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Progress::Begun(begun) = &mut self.0 {
            let (service, request) = begun.take().expect("a future is not polled after its end");
            match answer(service, request, context) {
                Ok(response) => return Poll::Ready(Ok(response)),
                Err(arriving) => self.0 = Progress::Arriving(arriving),
            }
        }
        match &mut self.0 {
            Progress::Arriving(arriving) => arriving.as_mut().poll(context).map(Ok),
            Progress::Begun(_) => Poll::Pending,
        }
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

/// The response to a request, or the future that waits for the rest of either.
fn answer<B>(
    service: SiteService,
    request: Request<B>,
    context: &mut Context<'_>,
) -> Result<Response<ReplyBody>, Arriving>
where
    B: Body<Data = Bytes> + Unpin + Send + 'static,
    B::Error: Send,
{
    let (parts, body) = request.into_parts();
    let head = service.head(parts);
    let mut body = Receiving::new(body);
    // Reading the body tells a client that expects it that it may be sent; the world is asked first.
    let is_expected = head.headers.contains_key(EXPECT);
    let whole = if is_expected { Poll::Pending } else { body.whole(context) };
    let Poll::Ready(bytes) = whole else {
        return Err(Box::pin(receive(service, head, body)));
    };
    let Some((ticket, answered)) = service.handle.exchange(head, bytes, service.boot) else {
        // No client is left; the connection is about to close.
        return Err(Box::pin(std::future::pending()));
    };
    match answered {
        Answered::Whole(outputs) => Ok(respond_with(outputs, false)),
        Answered::Parts(outputs) => Ok(respond_with(outputs, true)),
        Answered::Later(receiver) => {
            let guard = Guard { handle: service.handle, ticket: Some(ticket) };
            Err(Box::pin(streamed(guard, receiver)))
        }
    }
}

/// Answers a request whose body is still arriving.
async fn receive<B>(service: SiteService, head: RequestHead, mut body: Receiving<B>) -> Response<ReplyBody>
where
    B: Body<Data = Bytes> + Unpin + Send + 'static,
    B::Error: Send,
{
    let SiteService { handle, boot, .. } = service;
    let mut room = handle.shared.room.enter(body.declared());
    let Some((ticket, mut settled)) = handle.begin(head, boot) else {
        // No client is left; the connection is about to close.
        return std::future::pending().await;
    };
    let mut guard = Guard { handle: handle.clone(), ticket: Some(ticket) };

    let end = Instant::now() + WHOLE;
    while settled.is_empty() {
        match body.piece(&mut room, end).await {
            Ok(None) => break,
            Ok(Some(bytes)) => settled = handle.input(ticket, |exchange| Input::Body(exchange, bytes)),
            // No one can receive a response.
            Err(Stopped::Broken) => return respond(400, HeaderMap::new(), Either::Left(Full::default())),
            Err(stopped) => return refuse(stopped.status(), &stopped.to_string()),
        }
    }
    let in_parts = if settled.is_empty() {
        match handle.end(ticket) {
            Answered::Whole(outputs) => {
                settled = outputs;
                false
            }
            Answered::Parts(outputs) => {
                settled = outputs;
                true
            }
            Answered::Later(receiver) => return streamed(guard, receiver).await,
        }
    } else {
        tokio::spawn(drain(body.body));
        false
    };
    guard.settle();
    respond_with(settled, in_parts)
}

impl SiteService {
    /// The head of a request as the world sees it.
    fn head(&self, parts: Parts) -> RequestHead {
        let Parts { method, uri, mut headers, .. } = parts;
        let target =
            uri.path_and_query().map_or_else(|| uri.to_string(), |target| target.as_str().to_owned());
        // HTTP/2 has the host elsewhere; the services expect it in one place.
        if let Some(authority) = uri.authority()
            && !headers.contains_key(HOST)
            && let Ok(host) = HeaderValue::from_str(authority.as_str())
        {
            headers.insert(HOST, host);
        }
        let peer = self.handle.forwarded(&headers).unwrap_or(self.peer);
        RequestHead { site: self.site, peer, method, target, headers }
    }
}

/// A body that is being received.
struct Receiving<B: Body> {
    body: B,
    /// What was read before the world was asked.
    first: Option<Result<Frame<Bytes>, B::Error>>,
}

impl<B: Body<Data = Bytes> + Unpin> Receiving<B> {
    fn new(body: B) -> Receiving<B> {
        Receiving { body, first: None }
    }

    /// Its length, if declared.
    fn declared(&self) -> Option<u64> {
        let first = self.first.iter().flatten().filter_map(Frame::data_ref);
        let read: u64 = first.map(|bytes| bytes.len() as u64).sum();
        self.body.size_hint().exact().map(|rest| read + rest)
    }

    /// The whole body, if it has arrived in at most one piece; `None` if it is empty.
    fn whole(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.body.is_end_stream() {
            return Poll::Ready(None);
        }
        let first = ready!(Pin::new(&mut self.body).poll_frame(context));
        self.first = first;
        match &self.first {
            None => Poll::Ready(None),
            Some(Ok(frame)) if self.body.is_end_stream() => Poll::Ready(frame.data_ref().map(copy)),
            Some(_) => Poll::Pending,
        }
    }

    /// The next piece, once there is room for it; `None` at the end.
    async fn piece(&mut self, room: &mut Occupied, end: Instant) -> Result<Option<Bytes>, Stopped> {
        loop {
            let frame = match self.first.take() {
                Some(first) => Some(first),
                None => self.frame(end).await?,
            };
            let Some(frame) = frame else { return Ok(None) };
            let Ok(bytes) = frame.map_err(|_| Stopped::Broken)?.into_data() else { continue };
            room.take(bytes.len()).await?;
            return Ok(Some(copy(&bytes)));
        }
    }

    async fn frame(&mut self, end: Instant) -> Result<Option<Result<Frame<Bytes>, B::Error>>, Stopped> {
        let idle = Instant::now() + IDLE;
        let frame = timeout_at(idle.min(end), self.body.frame()).await;
        frame.map_err(|_| if idle < end { Stopped::Idle } else { Stopped::Slow(WHOLE) })
    }
}

/// A copy of the right size: a frame is a part of the connection's buffer, and would keep all of that.
fn copy(bytes: &Bytes) -> Bytes {
    Bytes::copy_from_slice(bytes)
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

/// Reads a whole body of at most `limit` bytes, at most as long as a connection may be idle.
pub(crate) async fn collect<B: Body<Data = Bytes> + Unpin>(
    body: B,
    handle: &Handle,
    limit: usize,
) -> Result<Bytes, Stopped> {
    let (mut body, mut whole) = (Receiving::new(body), BytesMut::new());
    let mut room = handle.shared.room.enter(body.declared());
    let reading = async {
        let end = Instant::now() + WHOLE;
        while let Some(bytes) = body.piece(&mut room, end).await? {
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
async fn drain<B: Body<Data = Bytes> + Unpin>(mut body: B) {
    let mut drained = 0;
    while drained < DRAIN_BYTES
        && let Ok(Some(Ok(frame))) = timeout(IDLE, body.frame()).await
    {
        drained += frame.data_ref().map_or(0, Bytes::len);
    }
}

/// A response whose outputs are complete. If it came in parts, its length is not announced.
fn respond_with(outputs: Vec<Output>, in_parts: bool) -> Response<ReplyBody> {
    let (mut status, mut headers) = (500, HeaderMap::new());
    let (mut first, mut more, mut begun, mut cut) = (None, Vec::new(), false, false);
    for output in outputs {
        match output {
            Output::Head { status: s, headers: h, .. } => (status, headers, begun) = (s, h, true),
            Output::Frame { bytes, .. } if first.is_none() => first = Some(bytes),
            Output::Frame { bytes, .. } => more.push(bytes),
            Output::Cut { .. } => cut = true,
            Output::End { .. } | Output::Outgoing { .. } => {}
        }
    }
    let bytes = first.iter().cloned().chain(more.iter().cloned());
    if cut {
        return broken_off(status, headers, bytes.collect(), begun);
    }
    let body = if more.is_empty() && !in_parts {
        Either::Left(Full::new(first.unwrap_or_default()))
    } else {
        let frames: Vec<_> = bytes.map(|bytes| Ok(Frame::data(bytes))).collect();
        Either::Right(StreamBody::new(Box::pin(stream::iter(frames)) as Pin<Box<_>>))
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
    let requests = Arc::<Requests>::default();
    let counted = requests.clone();
    let answer = service_fn(move |request: Request<hyper::body::Incoming>| {
        let (service, open) = (service.clone(), InProgress::new(&counted));
        async move {
            if !names_one_host(&request) {
                return Ok(refuse(400, "a request names its host once").map(Either::Left));
            }
            let response = service.oneshot(request).await?;
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
        _ = server.serve_connection(TokioIo::new(InParts(io.take(READ_BYTES as u64))), answer) => {}
        () = idle(&requests) => {}
    }
}

/// A connection that is read in parts: the buffer of its reader does not grow with what the client sends.
struct InParts<I>(Take<I>);

impl<I: AsyncRead + Unpin> AsyncRead for InParts<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        self.0.set_limit(READ_BYTES as u64);
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncWrite for InParts<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(self.0.get_mut()).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(self.0.get_mut()).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(self.0.get_mut()).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(self.0.get_mut()).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.get_ref().is_write_vectored()
    }
}

/// The requests of one connection.
#[derive(Debug)]
struct Requests(Mutex<(usize, Instant)>);

impl Default for Requests {
    fn default() -> Requests {
        Requests(Mutex::new((0, Instant::now())))
    }
}

impl Requests {
    /// How many are in progress, and since when no other has ended.
    fn lock(&self) -> MutexGuard<'_, (usize, Instant)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Resolves once no request has been in progress for some time. It looks only when that time may have passed, so that a
/// request costs no more than its count.
async fn idle(requests: &Requests) {
    let mut until = Instant::now() + IDLE;
    loop {
        sleep_until(until).await;
        let (in_progress, since) = *requests.lock();
        until = if in_progress > 0 { Instant::now() + IDLE } else { since + IDLE };
        if until <= Instant::now() {
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
struct InProgress(Arc<Requests>);

impl InProgress {
    fn new(requests: &Arc<Requests>) -> InProgress {
        requests.lock().0 += 1;
        InProgress(Arc::clone(requests))
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        let mut requests = self.0.lock();
        *requests = (requests.0 - 1, Instant::now());
    }
}
