//! The same exchange over HTTP/2: one request, one connection, and the same bounds on what comes back.
//!
//! HTTP/2 cannot express every HTTP/1.1 request: a target that is not a path, an invalid header line, explicit framing.
//! Such a request is rejected here, and the caller decides what to do.

use std::error::Error as _;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{HeaderName, HeaderValue, Method, Uri};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::{HEADERS, Limits, Progress, coding, timed_out, too_long, too_many_headers};
use crate::http::exchange::{Broken, Request, Response};

/// The maximum head size of the HTTP/2 library, which ends the stream beyond it.
const DECODED_BYTES: u32 = 1 << 20;
/// The bytes of a header line besides name and value: colon, space, line end.
const LINE_BYTES: usize = 4;
/// Connection headers, which HTTP/2 forbids; they are dropped silently.
const OF_THE_CONNECTION: [&str; 4] = ["connection", "keep-alive", "proxy-connection", "upgrade"];

/// A request that HTTP/2 can express.
#[derive(Debug)]
pub struct Message {
    head: http::Request<()>,
    body: Bytes,
}

impl Message {
    /// The request for a server at `host` with this URL scheme. An error names what HTTP/2 cannot express.
    pub fn new(request: &Request, scheme: &str, host: &str) -> Result<Message, String> {
        let cut = |text: &str| text.chars().take(40).collect::<String>();
        let method = Method::from_bytes(request.method.as_bytes()).ok().filter(|m| *m != Method::CONNECT);
        let method = method.ok_or_else(|| format!("the method {:?}", cut(&request.method)))?;
        let no_target = || format!("the target {:?}", cut(&request.target));
        let target: PathAndQuery = request.target.parse().map_err(|_| no_target())?;
        // The parser removes a fragment and adds a missing slash.
        if target.as_str() != request.target || !request.target.starts_with('/') {
            return Err(no_target());
        }
        let mut head = http::Request::new(());
        *head.method_mut() = method;
        let (mut authority, mut hosts) = (host.to_owned(), 0);
        for (name, value) in &request.headers {
            let shown = || format!("the header {:?}", cut(name));
            match name.to_ascii_lowercase().as_str() {
                "host" => {
                    hosts += 1;
                    authority = String::from_utf8(value.clone()).map_err(|_| shown())?;
                }
                "content-length" if *value == request.body.len().to_string().into_bytes() => {}
                "content-length" | "transfer-encoding" => return Err(format!("{} (framing)", shown())),
                "te" if value != b"trailers" => return Err(shown()),
                name if OF_THE_CONNECTION.contains(&name) => {}
                lower => {
                    let lower = HeaderName::from_bytes(lower.as_bytes()).map_err(|_| shown())?;
                    let value = HeaderValue::from_bytes(value).map_err(|_| shown())?;
                    head.headers_mut().try_append(lower, value).map_err(|_| "so many headers".to_owned())?;
                }
            }
        }
        if hosts > 1 {
            return Err("more than one host".to_owned());
        }
        let uri = Uri::builder().scheme(scheme).authority(authority.as_str()).path_and_query(target);
        *head.uri_mut() = uri.build().map_err(|_| format!("the host {:?}", cut(&authority)))?;
        Ok(Message { head, body: request.body.clone() })
    }
}

/// A request whose stream is open.
pub struct Open {
    rest: Option<(oneshot::Sender<Bytes>, Bytes)>,
    answer: Pin<Box<dyn Future<Output = hyper::Result<hyper::Response<Incoming>>> + Send>>,
    driver: JoinSet<hyper::Result<()>>,
    limits: Limits,
}

/// Sends the head and, with `body_bytes`, only that much of the body; the rest is sent at the end.
pub async fn open<S>(
    stream: S,
    message: Message,
    body_bytes: Option<usize>,
    limits: Limits,
) -> Result<Open, Broken>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let opening = async {
        let mut client = http2::Builder::new(TokioExecutor::new());
        client.max_header_list_size(DECODED_BYTES);
        let (mut sender, connection) =
            client.handshake(TokioIo::new(stream)).await.map_err(|e| broken(&e, "before the head"))?;
        let mut driver = JoinSet::new();
        driver.spawn(connection);
        let Message { head, mut body } = message;
        let whole = body.len() as u64;
        let kept = body.split_off(body_bytes.unwrap_or(body.len()).min(body.len()));
        let (rest, coming) = if kept.is_empty() {
            (None, None)
        } else {
            let (sender, receiver) = oneshot::channel();
            (Some((sender, kept)), Some(receiver))
        };
        let upload = Upload { first: Some(body).filter(|first| !first.is_empty()), coming, left: whole };
        let _ = sender.ready().await;
        let answer = sender.send_request(head.map(|()| upload));
        // The connection ends when its sender is dropped, but not before the request has its response.
        Ok(Open { rest, answer: Box::pin(answer), driver, limits })
    };
    tokio::time::timeout(limits.timeout, opening).await.unwrap_or_else(|_| Err(timed_out(limits)))
}

/// Sends a request and reads its response.
pub async fn exchange<S>(stream: S, message: Message, limits: Limits) -> Result<Response, Broken>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    open(stream, message, None, limits).await?.finish().await
}

impl Open {
    /// Sends the rest and reads the response.
    pub async fn finish(self) -> Result<Response, Broken> {
        let Open { rest, answer, mut driver, limits } = self;
        if let Some((sender, bytes)) = rest {
            // A server that has already responded accepts no more.
            let _ = sender.send(bytes);
        }
        let progress = Progress::default();
        let receiving = async {
            match answer.await {
                Ok(response) => receive(response, limits, &progress).await,
                Err(e) if h2_error(&e).is_some() => Err(broken(&e, "before the head")),
                // The connection's own error is more precise.
                Err(e) => match driver.join_next().await {
                    Some(Ok(Err(why))) => Err(broken(&why, "before the head")),
                    _ => Err(broken(&e, "before the head")),
                },
            }
        };
        let received = tokio::time::timeout(limits.timeout, receiving).await;
        received.unwrap_or_else(|_| Err(progress.timed_out(limits)))
    }
}

async fn receive(
    response: hyper::Response<Incoming>,
    limits: Limits,
    progress: &Progress,
) -> Result<Response, Broken> {
    let (parts, mut incoming) = response.into_parts();
    progress.begins(parts.status.as_u16());
    if parts.headers.len() > HEADERS {
        return Err(too_many_headers());
    }
    let lines = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + LINE_BYTES);
    if lines.sum::<usize>() > limits.head_bytes {
        return Err(too_long("a head", limits.head_bytes));
    }
    let headers = parts.headers.iter();
    let headers =
        headers.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect();
    let mut body: Vec<u8> = Vec::new();
    while let Some(frame) = incoming.frame().await {
        let frame = frame.map_err(|e| broken(&e, &format!("after {} bytes of the body", body.len())))?;
        let Ok(bytes) = frame.into_data() else { continue };
        if body.len() + bytes.len() > limits.body_bytes {
            return Err(too_long("a body", limits.body_bytes));
        }
        progress.comes(bytes.len());
        body.extend_from_slice(&bytes);
    }
    coding::decoded(Response { status: parts.status.as_u16(), headers, body: body.into() }, limits)
}

/// A body whose last part may be sent later.
struct Upload {
    first: Option<Bytes>,
    coming: Option<oneshot::Receiver<Bytes>>,
    left: u64,
}

/// The sender of the rest was dropped.
#[derive(Debug, thiserror::Error)]
#[error("the rest of the body is not sent")]
struct NotSent;

impl Body for Upload {
    type Data = Bytes;
    type Error = NotSent;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, NotSent>>> {
        let next = match (self.first.take(), &mut self.coming) {
            (Some(first), _) => Ok(first),
            (None, Some(coming)) => {
                let rest = ready!(pin!(coming).poll(context));
                self.coming = None;
                rest.map_err(|_| NotSent)
            }
            (None, None) => return Poll::Ready(None),
        };
        let next = next.inspect(|bytes| self.left -= bytes.len() as u64);
        Poll::Ready(Some(next.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.coming.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// Why a stream ended, with the messages of HTTP/1.1 exchanges.
fn broken(error: &hyper::Error, place: &str) -> Broken {
    let Some(inner) = h2_error(error) else {
        let is_io = error.source().is_some_and(<dyn std::error::Error>::is::<std::io::Error>);
        return Broken::Closed(if is_io { place.to_owned() } else { format!("{place} ({error})") });
    };
    let reason = inner.reason().map_or_else(String::new, |reason| reason.description().to_owned());
    if inner.is_io() {
        Broken::Closed(place.to_owned())
    } else if inner.is_remote() && inner.is_go_away() {
        Broken::Closed(format!("{place}, by the server's GOAWAY: {reason}"))
    } else if inner.is_remote() && inner.is_reset() {
        Broken::Closed(format!("{place}, by a reset of the stream: {reason}"))
    } else {
        Broken::Nonsense(format!("invalid HTTP/2 {place}: {inner}"))
    }
}

fn h2_error(error: &hyper::Error) -> Option<&h2::Error> {
    let mut source = error.source();
    while let Some(inner) = source {
        if let Some(found) = inner.downcast_ref() {
            return Some(found);
        }
        source = inner.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(request: &Request) -> Result<String, String> {
        Message::new(request, "http", "a.example:1").map(|message| message.head.uri().to_string())
    }

    #[test]
    fn requests_that_http2_can_express() {
        let get = |target: &str| Request::new("GET", target);
        for target in ["/", "//token//1", "/a?b=%2f&c", "/a%00", "/\u{e9}"] {
            assert_eq!(said(&get(target)), Ok(format!("http://a.example:1{target}")), "{target}");
        }
        let post = get("/x").body("abc").header("Content-Length", "3").header("Connection", "close");
        assert_eq!(said(&post.header("Host", "other")), Ok("http://other/x".to_owned()));
        for (request, what) in [
            (get("*"), "the target"),
            (get("/a#b"), "the target"),
            (get("/a b"), "the target"),
            (get("http://b/"), "the target"),
            (get(""), "the target"),
            (Request::new("A b", "/"), "the method"),
            (Request::new("CONNECT", "/"), "the method"),
            (get("/").header("Content-Length", "7"), "the header \"Content-Length\" (framing)"),
            (get("/").header("Transfer-Encoding", "chunked"), "the header \"Transfer-Encoding\" (framing)"),
            (get("/").header("X y", "1"), "the header \"X y\""),
            (get("/").header("X", "a\nb"), "the header \"X\""),
            (get("/").header("Host", "a").header("Host", "b"), "more than one host"),
            (get("/").header("Host", "a b"), "the host"),
        ] {
            let why = said(&request).expect_err(what);
            assert!(why.starts_with(what), "{why}");
        }
    }
}
