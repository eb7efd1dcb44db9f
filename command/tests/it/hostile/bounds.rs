//! Bounds on endless responses.

use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use assay_suites::http::client::{Limits, exchange};
use assay_suites::http::exchange::{Broken, Request};
use assay_suites::http::transport::Http;
use tokio::io::{AsyncRead, ReadBuf};

use crate::hostile::room::{Hear, Say, Server, run, say};

/// A connection that starts with a head and never ends; it counts the bytes read.
struct Endless {
    head: &'static [u8],
    again: &'static [u8],
    taken: Arc<AtomicUsize>,
}

impl AsyncRead for Endless {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let next = if self.head.is_empty() { self.again } else { std::mem::take(&mut self.head) };
        let next = &next[..next.len().min(buffer.remaining())];
        self.taken.fetch_add(next.len(), Ordering::Relaxed);
        buffer.put_slice(next);
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn no_more_is_read_than_the_limit_and_one_buffer() {
    const READ: usize = 16 * 1024;
    let limits = Limits { head_bytes: 10_000, body_bytes: 100_000, timeout: Duration::from_secs(10) };
    for (head, again, most) in [
        (&b"HTTP/1.1 200 OK\r\n"[..], &b"X: y\r\n"[..], 10_000),
        (b"HTTP/1.1 200 OK\r\nX: ", b"yyyyyyyyyyyyyyy", 10_000),
        (b"HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 4096], 100_000),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"4\r\nabcd\r\n", 250_000),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ", b"yyyyyyyy", 10_100),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"yyyyyyyyyyyyyy", 5_000),
    ] {
        let taken = Arc::new(AtomicUsize::new(0));
        let stream = Endless { head, again, taken: taken.clone() };
        let stream = tokio::io::join(stream, tokio::io::sink());
        let answer = exchange(stream, &Request::new("GET", "/"), "h", limits).await;
        assert!(matches!(answer, Err(Broken::Nonsense(_) | Broken::Limit(_))), "{answer:?}");
        let taken = taken.load(Ordering::Relaxed);
        assert!(taken <= most + head.len() + 2 * READ, "{}: {taken}", head.escape_ascii());
    }
}

/// Two gigabytes of zeros in two megabytes: concatenated gzip members.
fn bomb() -> Vec<u8> {
    let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    member.write_all(&vec![0; 16 << 20]).expect("memory takes it");
    let member = member.finish().expect("memory takes it");
    member.repeat(128)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gzip_bomb_is_inflated_up_to_the_limit_only() {
    let bomb = bomb();
    assert!(bomb.len() < 4 << 20, "{}", bomb.len());
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        bomb.len()
    );
    let server = Server::start(vec![Hear, say(&head), Say(bomb.clone())]).await;
    let run = run(&server.url("http"), Http::One, &["metadata.root.html", "network.info.public"]).await;
    assert!(
        !server.heard().to_ascii_lowercase().contains("accept-encoding"),
        "compression was not requested"
    );
    let broken = run.outcomes.iter().flat_map(|outcome| &outcome.exchanges);
    let broken: Vec<&Broken> = broken.filter_map(|one| one.response.as_ref().err()).collect();
    let is_limit =
        |broken: &&Broken| matches!(broken, Broken::Limit(why) if why.contains("a decoded body longer than"));
    assert!(!broken.is_empty() && broken.iter().all(is_limit), "{broken:?}");
}
