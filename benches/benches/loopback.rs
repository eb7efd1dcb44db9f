//! The simulator's cheapest routes over loopback, compared with a minimal axum server: the same client in the
//! same run.
//!
//! Each server has its own thread, and the clients have another. Each connection sends one request after
//! another.

use std::net::SocketAddr;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use assay_benches::{CHAIN, EXCHANGE, Publisher, criterion};
use assay_sim::Site;
use assay_sim::serve::{ClockMode, Handle, listen};
use axum::routing::get;
use axum::serve::ListenerExt;
use axum::{Json, Router};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

/// The number of client connections.
const CONNECTIONS: usize = 16;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Runs a server on its own thread; returns its address.
fn serve<F: Future<Output = ()>>(
    server: impl FnOnce(mpsc::Sender<SocketAddr>) -> F + Send + 'static,
) -> SocketAddr {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || runtime().block_on(server(sender)));
    receiver.recv().expect("the server sends its address")
}

fn simulator(site: Site) -> SocketAddr {
    serve(async move |ready| {
        let handle = Handle::new(Publisher::default().world(0), ClockMode::Real);
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let listener = listen(any, move |peer| handle.site(site, peer)).await.expect("a port");
        ready.send(listener.address).expect("the bench waits for it");
        std::future::pending::<()>().await;
    })
}

fn minimal() -> SocketAddr {
    serve(async |ready| {
        let router =
            Router::new().route("/", get(async || Json(json!({ "status": "ok", "slot": 300_000_000 }))));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        ready.send(listener.local_addr().expect("an address")).expect("the bench waits for it");
        let listener = listener.tap_io(|io| drop(io.set_nodelay(true)));
        axum::serve(listener, router).await.expect("axum keeps serving");
    })
}

/// A connection that repeats one request. All responses have the length of the first.
struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Connection {
    async fn open(address: SocketAddr, request: &str) -> Connection {
        let stream = TcpStream::connect(address).await.expect("the server listens");
        stream.set_nodelay(true).expect("an option of TCP");
        let mut connection =
            Connection { stream, request: request.as_bytes().to_vec(), answer: vec![0; 4096] };
        connection.stream.write_all(&connection.request).await.expect("sent");
        // The response is small and arrives in one piece; a missing part would appear in the next one.
        let length = connection.stream.read(&mut connection.answer).await.expect("an answer");
        connection.answer.truncate(length);
        connection
    }

    async fn repeat(&mut self, times: u64) {
        for _ in 0..times {
            self.stream.write_all(&self.request).await.expect("sent");
            self.stream.read_exact(&mut self.answer).await.expect("an answer");
        }
        assert!(self.answer.starts_with(b"HTTP/1.1 "), "responses match their requests");
    }
}

fn loopback(c: &mut Criterion) {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"getHealth"}"#;
    let call = format!(
        "POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{call}",
        call.len()
    );
    let cases = [
        ("simulator_health", simulator(CHAIN), "GET /health HTTP/1.1\r\nhost: a\r\n\r\n"),
        ("simulator_unrouted", simulator(EXCHANGE), "GET / HTTP/1.1\r\nhost: a\r\n\r\n"),
        ("simulator_rpc_call", simulator(CHAIN), &call),
        ("peer_minimal_axum", minimal(), "GET / HTTP/1.1\r\nhost: a\r\n\r\n"),
    ];
    let client = runtime();
    let mut group = c.benchmark_group("loopback");
    group.throughput(Throughput::Elements(1));
    for (name, address, request) in cases {
        let mut connections: Vec<Connection> = client.block_on(async {
            let mut all = Vec::new();
            for _ in 0..CONNECTIONS {
                all.push(Connection::open(address, request).await);
            }
            all
        });
        group.bench_function(name, |b| {
            b.iter_custom(|iterations| {
                let (each, more) = (iterations / CONNECTIONS as u64, iterations % CONNECTIONS as u64);
                let start = Instant::now();
                client.block_on(async {
                    let mut clients = tokio::task::JoinSet::new();
                    for (n, mut connection) in connections.drain(..).enumerate() {
                        let times = each + u64::from((n as u64) < more);
                        clients.spawn(async move {
                            connection.repeat(times).await;
                            connection
                        });
                    }
                    connections = clients.join_all().await;
                });
                start.elapsed().max(Duration::from_nanos(1))
            });
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = loopback }
criterion_main!(benches);
