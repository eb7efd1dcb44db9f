//! Outgoing requests that leave the process: plain HTTP/1.1 over TCP, one connection per request.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use http::header::{CONTENT_LENGTH, HOST, USER_AGENT};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Request};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpStream, lookup_host};

use crate::exchange::Reply;
use crate::outgoing::{ANSWER_BYTES, Failure, LIMIT_MS, Outcome, Outgoing, parse_url};

/// The user agent of every such request.
pub const AGENT: &str = "assay-sim";
/// The maximum size of a response head, in bytes.
const HEAD_BYTES: usize = 64 * 1024;

/// Which hosts the world's own requests may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Servers on this machine, by a loopback address or as `localhost`.
    #[default]
    Loopback,
    /// Any host. Then anyone who may register a webhook can make this machine call other hosts.
    Anywhere,
}

/// Sends a request. The outcome arrives within [`LIMIT_MS`] of real time; redirects are not followed.
pub async fn fetch(request: &Outgoing, reach: Reach) -> Outcome {
    within(Duration::from_millis(LIMIT_MS.unsigned_abs()), request, reach).await
}

async fn within(limit: Duration, request: &Outgoing, reach: Reach) -> Outcome {
    tokio::time::timeout(limit, exchange(request, reach)).await.unwrap_or(Err(Failure::Timeout))
}

async fn exchange(request: &Outgoing, reach: Reach) -> Outcome {
    let (authority, target) = parse_url(&request.url())?;
    let addresses = addresses(&authority, reach).await?;
    let stream = TcpStream::connect(&addresses[..]).await.map_err(|_| Failure::Unreachable)?;
    let _ = stream.set_nodelay(true);
    let message = message(request, &authority, &target)?;
    let mut client = hyper::client::conn::http1::Builder::new();
    client.max_buf_size(HEAD_BYTES);
    let (mut sender, connection) =
        client.handshake(TokioIo::new(stream)).await.map_err(|_| Failure::Broken)?;
    let asked = async move {
        let response = sender.send_request(message).await.map_err(|_| Failure::Broken)?;
        let (parts, body) = response.into_parts();
        let body = read(body).await?;
        Ok(Reply { status: parts.status.as_u16(), headers: parts.headers, body: body.into() })
    };
    // The connection makes progress only while it is polled; after the response it is not needed.
    tokio::pin!(connection, asked);
    tokio::select! {
        outcome = &mut asked => outcome,
        _ = &mut connection => asked.await,
    }
}

fn message(
    request: &Outgoing,
    authority: &Authority,
    target: &str,
) -> Result<Request<Full<bytes::Bytes>>, Failure> {
    let mut headers: HeaderMap = request.headers.clone();
    headers.insert(HOST, HeaderValue::try_from(authority.as_str()).map_err(|_| Failure::Url)?);
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    headers.insert(CONTENT_LENGTH, request.body.len().into());
    let mut message = Request::new(Full::new(request.body.clone()));
    *message.method_mut() = request.method.clone();
    *message.uri_mut() = target.parse().map_err(|_| Failure::Url)?;
    *message.headers_mut() = headers;
    Ok(message)
}

/// The beginning of a body. It does not wait for the rest of a longer body.
async fn read(mut body: impl Body<Data = bytes::Bytes> + Unpin) -> Result<Vec<u8>, Failure> {
    let mut kept = Vec::new();
    while kept.len() < ANSWER_BYTES
        && let Some(frame) = body.frame().await
    {
        if let Ok(bytes) = frame.map_err(|_| Failure::Broken)?.into_data() {
            kept.extend_from_slice(&bytes[..bytes.len().min(ANSWER_BYTES - kept.len())]);
        }
    }
    Ok(kept)
}

/// The allowed addresses of a host.
async fn addresses(authority: &Authority, reach: Reach) -> Result<Vec<SocketAddr>, Failure> {
    let port = authority.port_u16().unwrap_or(80);
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let loopback = || [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let found: Vec<IpAddr> = match (host.parse::<IpAddr>(), reach) {
        (Ok(address), _) => vec![address],
        // Without the resolver: it might return another address.
        (Err(_), _) if host.eq_ignore_ascii_case("localhost") => loopback().to_vec(),
        (Err(_), Reach::Loopback) => return Err(Failure::Forbidden),
        (Err(_), Reach::Anywhere) => {
            let found = lookup_host((host, port)).await.map_err(|_| Failure::Unreachable)?;
            found.map(|address| address.ip()).collect()
        }
    };
    let may = |address: &IpAddr| reach == Reach::Anywhere || address.to_canonical().is_loopback();
    if !found.iter().all(may) {
        return Err(Failure::Forbidden);
    }
    if found.is_empty() {
        return Err(Failure::Unreachable);
    }
    Ok(found.into_iter().map(|address| SocketAddr::new(address, port)).collect())
}

#[cfg(test)]
mod tests {
    use http::Method;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// The outcome of a request whose receiver sends these bytes and then, if `holds`, keeps the connection open.
    async fn said(answer: &[u8], holds: bool) -> Result<(u16, usize), Failure> {
        said_within(Duration::from_secs(10), answer, holds).await
    }

    async fn said_within(limit: Duration, answer: &[u8], holds: bool) -> Result<(u16, usize), Failure> {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/", listener.local_addr().expect("an address"));
        let receiver = async {
            let (mut io, _) = listener.accept().await.expect("a connection");
            let mut request = [0; 1024];
            let heard = io.read(&mut request).await.expect("bytes");
            // A sender with a short timeout may be gone before it has sent anything.
            assert!(heard > 0 || holds, "a request");
            // The sender may close the connection once it has enough.
            let _ = io.write_all(answer).await;
            if holds { Some(io) } else { None }
        };
        let request = Outgoing::to_url(url, Method::POST);
        let (_io, outcome) = tokio::join!(receiver, within(limit, &request, Reach::Loopback));
        outcome.map(|reply| (reply.status, reply.body.len()))
    }

    #[tokio::test]
    async fn every_kind_of_receiver_leads_to_an_outcome() {
        assert_eq!(said(b"HTTP/1.1 204 No Content\r\n\r\n", false).await, Ok((204, 0)));
        assert_eq!(said(b"HTTP/1.1 200 OK\r\n\r\nuntil the end", false).await, Ok((200, 13)));
        let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        assert_eq!(said(chunked, false).await, Ok((200, 3)));
        assert_eq!(
            said(b"HTTP/1.1 301 Away\r\nlocation: /\r\ncontent-length: 0\r\n\r\n", true).await,
            Ok((301, 0))
        );
        let long = [&b"HTTP/1.1 200 OK\r\n\r\n"[..], &vec![b'x'; 3 * ANSWER_BYTES]].concat();
        assert_eq!(said(&long, true).await, Ok((200, ANSWER_BYTES)));
        assert_eq!(said(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx", false).await, Err(Failure::Broken));
        for nonsense in [&b""[..], b"\0\0", b"HTTP/1.1 999999\r\n\r\n", b"SSH-2.0-x\r\n"] {
            assert_eq!(said(nonsense, false).await, Err(Failure::Broken));
        }
        let heads = [&b"HTTP/1.1 200 OK\r\n"[..], &b"x: y\r\n".repeat(50_000)].concat();
        assert_eq!(said(&heads, false).await, Err(Failure::Broken));
        for slow in [&b""[..], b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nx"] {
            let limit = Duration::from_millis(20);
            assert_eq!(said_within(limit, slow, true).await, Err(Failure::Timeout));
        }
    }

    #[tokio::test]
    async fn closed_port_is_unreachable() {
        let outcome = fetch(&Outgoing::to_url("http://127.0.0.1:1/", Method::POST), Reach::Loopback).await;
        assert_eq!(outcome.map(|reply| reply.status), Err(Failure::Unreachable));
    }
}
