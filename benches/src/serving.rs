//! Servers and clients over loopback. Each server has its own thread; all clients share another. Each connection sends one
//! request after another.

use std::convert::Infallible;
use std::hint::black_box;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, mpsc};
use std::time::{Duration, Instant};

use assay_sim::serve::{ClockMode, Handle, listen};
use assay_sim::{Site, World};
use assay_spec::crypto::{ed25519, text};
use axum::body::Body;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response};
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use crate::Post;

/// The body that both peers return.
const STATUS: &str = r#"{"status":"ok","slot":300000000}"#;
/// A request of a page.
pub const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";
/// A request of a page that is hashed.
pub const HASHED: &[u8] = b"GET /hashed HTTP/1.1\r\nhost: a\r\n\r\n";
/// A request for the health of the chain.
pub const HEALTH: &[u8] = b"GET /health HTTP/1.1\r\nhost: a\r\n\r\n";

/// A call of the chain's interface at this path.
pub fn rpc_call(path: &str) -> Vec<u8> {
    json_post(path, r#"{"jsonrpc":"2.0","id":1,"method":"getHealth"}"#)
}

/// A POST of JSON.
pub fn json_post(path: &str, body: &str) -> Vec<u8> {
    let head = "HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length";
    format!("POST {path} {head}: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// A request as HTTP/1.1.
pub fn bytes(post: &Post) -> Vec<u8> {
    let mut bytes = format!("{} {} HTTP/1.1\r\n", post.head.method, post.head.target).into_bytes();
    for (name, value) in &post.head.headers {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend(format!("content-length: {}\r\n\r\n", post.body.len()).into_bytes());
    bytes.extend_from_slice(&post.body);
    bytes
}

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

/// Serves a site of a world.
pub fn simulator(world: World, site: Site, mode: ClockMode) -> SocketAddr {
    serve(async move |ready| {
        let handle = Handle::new(world, mode);
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let listener = listen(any, move |peer| handle.site(site, peer)).await.expect("a port");
        ready.send(listener.address).expect("the bench waits for it");
        std::future::pending::<()>().await;
    })
}

/// A minimal axum server: a page of JSON at `/`, and at `/stream` these frames. It hashes what passes at `/hashed`, `/call` and
/// `/signed`. It also parses the JSON at the last two, and verifies a signature at `/signed`.
pub fn minimal_axum(frames: Vec<Bytes>) -> SocketAddr {
    serve(async move |ready| {
        let frames = Arc::new(frames);
        let stream = move || {
            let frames = Arc::clone(&frames);
            let body = (0..frames.len()).map(move |at| Ok::<_, Infallible>(frames[at].clone()));
            let body = Body::from_stream(futures_util::stream::iter(body));
            std::future::ready(([(CONTENT_TYPE, "text/event-stream")], body))
        };
        let router = Router::new()
            .route("/", get(async || Json(json!({ "status": "ok", "slot": 300_000_000 }))))
            .route("/stream", post(stream))
            .route("/hashed", get(async || hashed(&[], &json!({ "status": "ok", "slot": 300_000_000 }))))
            .route("/call", post(call))
            .route("/signed", post(signed));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        ready.send(listener.local_addr().expect("an address")).expect("the bench waits for it");
        let listener = listener.tap_io(|io| drop(io.set_nodelay(true)));
        axum::serve(listener, router).await.expect("axum keeps serving");
    })
}

/// The least that an RPC call needs: its JSON is parsed, and what passes is hashed.
async fn call(body: Bytes) -> Response<Body> {
    let call: Value = serde_json::from_slice(&body).expect("a call is JSON");
    assert_eq!(call["method"], "getHealth");
    hashed(&body, &json!({ "jsonrpc": "2.0", "result": "ok", "id": call["id"] }))
}

/// The least that a signed request needs: also, its signature is verified.
async fn signed(body: Bytes) -> Response<Body> {
    static SIGNED: LazyLock<Signed> = LazyLock::new(Signed::default);
    let sent: Value = serde_json::from_slice(&body).expect("a signed request is JSON");
    assert!(SIGNED.verifies());
    hashed(&body, &json!({ "domain": sent["domain"], "message": text::base64(&[7; 500]) }))
}

/// A response, after what passes is hashed, as a journal that can be compared needs it.
fn hashed(request: &[u8], response: &Value) -> Response<Body> {
    /// About as many bytes as the times and heads of both have.
    const HEADS: [u8; 300] = [7; 300];
    let body = response.to_string();
    black_box(Sha256::new().chain_update(HEADS).chain_update(request).chain_update(&body).finalize());
    let mut response = Response::new(Body::from(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A message with its signature.
pub struct Signed {
    message: [u8; 250],
    public: [u8; 32],
    signature: [u8; 64],
}

impl Default for Signed {
    fn default() -> Signed {
        let key = ed25519::key_from_seed([9; 32]);
        let message = [5; 250];
        Signed { message, public: key.verifying_key().to_bytes(), signature: ed25519::sign(&key, &message) }
    }
}

impl Signed {
    /// Verifies the signature.
    pub fn verifies(&self) -> bool {
        ed25519::verifies(&self.public, &self.message, &self.signature)
    }
}

/// Hyper alone: the same page at every path.
pub fn hyper_alone() -> SocketAddr {
    serve(async |ready| {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        ready.send(listener.local_addr().expect("an address")).expect("the bench waits for it");
        loop {
            let Ok((io, _)) = listener.accept().await else { continue };
            let _ = io.set_nodelay(true);
            let answer = service_fn(|_| {
                let mut response = Response::new(Full::new(Bytes::from_static(STATUS.as_bytes())));
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(CONTENT_TYPE, json);
                std::future::ready(Ok::<_, Infallible>(response))
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(io), answer));
        }
    })
}

/// How the end of a response is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// All responses have the length of the first.
    Same,
    /// By `Content-Length`.
    Length,
    /// In chunks; the response ends with the last one.
    Chunked,
}

/// Client connections to one server, on one thread.
pub struct Clients {
    runtime: Runtime,
    connections: Vec<Connection>,
}

/// A connection that sends its requests in turn.
struct Connection {
    stream: TcpStream,
    requests: Arc<[Vec<u8>]>,
    /// The next request, and the distance to the one after it.
    next: usize,
    step: usize,
    framing: Framing,
    answer: Vec<u8>,
    /// The length of the first response.
    length: usize,
    /// Line ends received so far.
    lines: u64,
}

impl Clients {
    /// Connections that repeat one request. The first response of each has been read.
    pub fn open(address: SocketAddr, count: usize, request: &[u8], framing: Framing) -> Clients {
        let mut clients = Clients::with(address, count, vec![request.to_vec()], framing);
        clients.run(count as u64);
        clients
    }

    /// Connections that send these requests in turn: each is sent once before any is sent again.
    pub fn with(address: SocketAddr, count: usize, requests: Vec<Vec<u8>>, framing: Framing) -> Clients {
        let (runtime, requests): (_, Arc<[Vec<u8>]>) = (runtime(), requests.into());
        let connections = runtime.block_on(async {
            let mut all = Vec::new();
            for next in 0..count {
                let stream = TcpStream::connect(address).await.expect("the server listens");
                stream.set_nodelay(true).expect("an option of TCP");
                let (requests, answer) = (Arc::clone(&requests), vec![0; 64 * 1024]);
                all.push(Connection {
                    stream,
                    requests,
                    next,
                    step: count,
                    framing,
                    answer,
                    length: 0,
                    lines: 0,
                });
            }
            all
        });
        Clients { runtime, connections }
    }

    /// Sends this many requests in all; returns how long it took until the last response.
    pub fn run(&mut self, requests: u64) -> Duration {
        let count = self.connections.len() as u64;
        let (each, more) = (requests / count, requests % count);
        let start = Instant::now();
        self.on_all(|n, mut connection| async move {
            for _ in 0..each + u64::from((n as u64) < more) {
                connection.exchange().await;
            }
            connection
        });
        start.elapsed().max(Duration::from_nanos(1))
    }

    /// Sends this many requests on each connection, all connections at once; returns the time of each exchange, sorted.
    pub fn latencies(&mut self, each: usize) -> Vec<Duration> {
        let (sender, receiver) = mpsc::channel();
        self.on_all(|_, mut connection| {
            let sender = sender.clone();
            async move {
                let mut times = Vec::with_capacity(each);
                for _ in 0..each {
                    let start = Instant::now();
                    connection.exchange().await;
                    times.push(start.elapsed());
                }
                sender.send(times).expect("the receiver waits");
                connection
            }
        });
        drop(sender);
        let mut times: Vec<Duration> = receiver.into_iter().flatten().collect();
        times.sort_unstable();
        times
    }

    /// The line ends in the responses so far.
    pub fn lines(&self) -> u64 {
        self.connections.iter().map(|connection| connection.lines).sum()
    }

    fn on_all<F>(&mut self, work: impl Fn(usize, Connection) -> F)
    where
        F: Future<Output = Connection> + Send + 'static,
    {
        let connections = std::mem::take(&mut self.connections);
        self.connections = self.runtime.block_on(async {
            let mut clients = JoinSet::new();
            for (n, connection) in connections.into_iter().enumerate() {
                clients.spawn(work(n, connection));
            }
            clients.join_all().await
        });
    }
}

impl Connection {
    async fn exchange(&mut self) {
        let request = &self.requests[self.next % self.requests.len()];
        self.next += self.step;
        self.stream.write_all(request).await.expect("sent");
        let mut read = 0;
        loop {
            if read == self.answer.len() {
                self.answer.resize(2 * read, 0);
            }
            let count = self.stream.read(&mut self.answer[read..]).await.expect("an answer");
            assert!(count > 0, "the connection stays open");
            read += count;
            if self.is_whole(read) {
                break;
            }
        }
        let answer = &self.answer[..read];
        assert!(answer.starts_with(b"HTTP/1.1 "), "responses match their requests");
        if self.framing != Framing::Same {
            assert!(answer[9..].starts_with(b"200"), "{}", String::from_utf8_lossy(answer));
        }
    }

    /// Whether the first `read` bytes of the answer are all of it.
    fn is_whole(&mut self, read: usize) -> bool {
        let answer = &self.answer[..read];
        match self.framing {
            Framing::Same => {
                // The response is small: the first arrives in one piece.
                if self.length == 0 {
                    self.length = read;
                }
                read == self.length
            }
            Framing::Length => {
                let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else {
                    return false;
                };
                let head = std::str::from_utf8(&answer[..end]).expect("a head is ASCII");
                let length = head.rsplit_once("content-length: ").expect("a length").1;
                let length = length.split("\r\n").next().unwrap_or_default();
                read == end + 4 + length.parse::<usize>().expect("a number")
            }
            Framing::Chunked => {
                let is_whole = answer.ends_with(b"0\r\n\r\n");
                if is_whole {
                    self.lines += answer.split(|byte| *byte == b'\n').count() as u64 - 1;
                }
                is_whole
            }
        }
    }
}
