//! Keep-alive connections, and requests on them.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use assay_sim::World;
use assay_sim::drop::SITE;
use assay_sim::serve::{ClockMode, Handle, Listener, listen};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::common::{Call, Driver, wire};

pub(crate) trait Io: AsyncRead + AsyncWrite + Unpin {}

impl<T: AsyncRead + AsyncWrite + Unpin> Io for T {}

pub(crate) fn served() -> Handle {
    Handle::new(Driver::new(1).world, ClockMode::Manual)
}

pub(crate) async fn listening(handle: &Handle) -> (SocketAddr, Listener) {
    let (handle, any) = (handle.clone(), SocketAddr::from(([127, 0, 0, 1], 0)));
    let listener = listen(any, move |peer: IpAddr| handle.site(SITE, peer)).await.expect("a port");
    (listener.address, listener)
}

pub(crate) async fn socket(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("the server listens")
}

/// A call as HTTP/1.1 on a keep-alive connection; `more` are extra headers.
pub(crate) fn request(call: &Call, more: &str) -> Vec<u8> {
    let bytes = wire::bytes(call);
    let line_end = bytes.iter().position(|byte| *byte == b'\n').expect("a request line") + 1;
    let (line, rest) = bytes.split_at(line_end);
    let rest = rest.strip_prefix(b"host: sim\r\nconnection: close\r\n").expect("the headers of every call");
    [line, b"host: sim\r\n", more.as_bytes(), rest].concat()
}

/// Sends a call on a separate connection and reads its answer.
pub(crate) async fn exchange(handle: &Handle, call: &Call) -> String {
    let mut io = wire::connect_to(handle, SITE);
    io.write_all(&wire::bytes(call)).await.expect("the server reads");
    wire::read(io).await
}

/// The next answer on a keep-alive connection: its head, and as much of a body as the head announces. A missing
/// answer is an error, not a hang.
pub(crate) async fn answer_on(io: &mut (impl AsyncRead + Unpin)) -> String {
    let read = async {
        let mut said = Vec::new();
        while !said.ends_with(b"\r\n\r\n") {
            said.push(io.read_u8().await.expect("an answer"));
        }
        let head = String::from_utf8_lossy(&said).into_owned();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length = length.map_or(0, |length| length.parse().expect("a length"));
        let mut body = vec![0; length];
        io.read_exact(&mut body).await.expect("the body that was announced");
        head + &String::from_utf8_lossy(&body)
    };
    tokio::time::timeout(Duration::from_secs(20), read).await.expect("an answer while the body is open")
}

/// Waits until the server has seen what was sent.
pub(crate) async fn until(handle: &Handle, seen: impl Fn(&World) -> bool) {
    let wait = async {
        while !handle.read(&seen) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wait).await.expect("the server sees what was sent");
}
