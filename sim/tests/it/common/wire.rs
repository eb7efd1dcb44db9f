//! Raw bytes over an in-memory connection to a real HTTP server.

use assay_sim::Site;
use assay_sim::publish::SITES;
use assay_sim::serve::{Handle, IN_MEMORY, connection};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::Call;

/// The client's end of a new connection to the exchange.
pub(crate) fn connect(handle: &Handle) -> DuplexStream {
    connect_to(handle, SITES[0])
}

/// The client's end of a new connection to a site.
pub(crate) fn connect_to(handle: &Handle, site: Site) -> DuplexStream {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(connection(theirs, handle.site(site, IN_MEMORY)));
    ours
}

/// A connection on which `bytes` were sent.
pub(crate) async fn send(handle: &Handle, bytes: &[u8]) -> DuplexStream {
    let mut io = connect(handle);
    io.write_all(bytes).await.expect("the server reads");
    io
}

/// Resolves once `count` exchanges wait for an answer; an answer on `io` is an error, not a hang.
pub(crate) async fn until_waiting(handle: &Handle, count: usize, io: &mut DuplexStream) {
    tokio::select! {
        () = handle.waiting(count) => {}
        said = io.read_u8() => panic!("answered instead of waiting: {said:?}"),
    }
}

/// Everything the server sends until it closes the connection.
pub(crate) async fn read(mut io: DuplexStream) -> String {
    let mut said = Vec::new();
    io.read_to_end(&mut said).await.expect("the server closes the connection");
    String::from_utf8(said).expect("an answer in UTF-8")
}

/// Sends a call and reads its answer.
pub(crate) async fn exchange(handle: &Handle, call: &Call) -> String {
    read(send(handle, &bytes(call)).await).await
}

/// The status of an answer.
pub(crate) fn status(answer: &str) -> u16 {
    let word = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    word.and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no answer: {answer:?}"))
}

/// A call as HTTP/1.1; the connection closes after it.
pub(crate) fn bytes(call: &Call) -> Vec<u8> {
    let mut out = format!("{} {} HTTP/1.1\r\nhost: sim\r\nconnection: close\r\n", call.method, call.target)
        .into_bytes();
    for (name, value) in &call.headers {
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(format!("content-length: {}\r\n\r\n", call.body.len()).as_bytes());
    out.extend_from_slice(&call.body);
    out
}
