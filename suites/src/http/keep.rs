//! Connections that a check keeps: its next request to the same server goes over them.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};
use std::time::Duration;

use tokio::io::ReadBuf;
use tokio::time::Instant;

use super::connect::{Connect, Connecting, Connection, Dial, Dialing, Stream};
use super::exchange::Slot;
use super::transport::{Http, Protocol, Transport};

/// How long a connection is kept without a request. It is shorter than what servers allow, so that a server rarely closes
/// a connection while a request is on its way.
const IDLE: Duration = Duration::from_millis(500);
/// The most connections that are kept without a request.
const MOST: usize = 8;

/// Reaches servers as another connector does, over connections that are kept. They end with it.
pub struct Keeping {
    connector: Arc<dyn Connect>,
    pool: Arc<Pool>,
}

/// The kept connections.
#[derive(Default)]
struct Pool(Mutex<Idle>);

#[derive(Default)]
struct Idle {
    connections: Vec<Resting>,
    /// How many were made.
    made: u32,
    /// No further connection is kept.
    is_over: bool,
}

/// A connection without a request.
struct Resting {
    server: Server,
    slot: Slot,
    stream: Box<dyn Stream>,
    since: Instant,
}

/// Requests to the same server may share a connection.
#[derive(Clone, PartialEq, Eq)]
struct Server {
    base: String,
    source: Option<IpAddr>,
    own: bool,
}

/// The way back for a connection that is kept.
pub struct Kept {
    pool: Arc<Pool>,
    server: Server,
    slot: Slot,
}

impl Keeping {
    /// Keeps the connections that `connector` makes.
    pub fn new(connector: Arc<dyn Connect>) -> Keeping {
        Keeping { connector, pool: Arc::default() }
    }

    /// From now on each request has a connection of its own.
    pub fn end(&self) {
        let mut idle = self.pool.idle();
        idle.is_over = true;
        idle.connections.clear();
    }
}

impl Connect for Keeping {
    fn connect<'a>(&'a self, base: &'a str, source: Option<IpAddr>) -> Connecting<'a> {
        self.connector.connect(base, source)
    }

    fn dial<'a>(&'a self, to: Dial<'a>, http: Http) -> Dialing<'a> {
        Box::pin(async move {
            if http == Http::Two || to.alone || !self.keeps() || !self.transport().keeps(to.base) {
                return self.connector.dial(to, http).await;
            }
            let server = Server { base: to.base.to_owned(), source: to.source, own: to.own };
            if let Some((stream, slot)) = self.pool.take(&server) {
                let kept = Some(Kept { pool: self.pool.clone(), server, slot });
                return Ok(Connection { stream, protocol: Protocol::One, again: 0, via: None, kept });
            }
            let connection = self.connector.dial(to, http).await?;
            if connection.protocol == Protocol::Two || connection.via.is_some() {
                return Ok(connection);
            }
            let slot = Slot { connection: self.pool.number(), request: 1 };
            let kept = Some(Kept { pool: self.pool.clone(), server, slot });
            Ok(Connection { kept, ..connection })
        })
    }

    fn is_remote(&self) -> bool {
        self.connector.is_remote()
    }

    fn keeps(&self) -> bool {
        self.connector.keeps() && !self.pool.idle().is_over
    }

    fn transport(&self) -> &Transport {
        self.connector.transport()
    }
}

impl Pool {
    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a new connection.
    fn number(&self) -> u32 {
        let mut idle = self.idle();
        idle.made += 1;
        idle.made
    }

    /// A connection to a server that has not closed it, and the next slot on it.
    fn take(&self, server: &Server) -> Option<(Box<dyn Stream>, Slot)> {
        let mut idle = self.idle();
        idle.connections.retain(|resting| resting.since.elapsed() < IDLE);
        while let Some(at) = idle.connections.iter().position(|resting| resting.server == *server) {
            let Resting { mut stream, slot, .. } = idle.connections.swap_remove(at);
            if is_at_rest(&mut *stream) {
                return Some((stream, Slot { request: slot.request + 1, ..slot }));
            }
        }
        None
    }
}

impl Kept {
    /// The slot of the request.
    pub fn slot(&self) -> Slot {
        self.slot
    }

    /// The request has its response, and the connection is open.
    pub fn rest(self, stream: Box<dyn Stream>) {
        let Kept { pool, server, slot } = self;
        let mut idle = pool.idle();
        if !idle.is_over && idle.connections.len() < MOST {
            idle.connections.push(Resting { server, slot, stream, since: Instant::now() });
        }
    }
}

/// Whether nothing came over a connection, not even its end, since the last response.
fn is_at_rest(stream: &mut dyn Stream) -> bool {
    let mut byte = [0];
    let mut read = ReadBuf::new(&mut byte);
    Pin::new(stream).poll_read(&mut Context::from_waker(Waker::noop()), &mut read).is_pending()
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::http::client::Limits;
    use crate::http::exchange::{Broken, Request};
    use crate::http::transport::send;

    const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    const BASE: &str = "http://a.example";

    /// A server in memory. Each request gets the next answer; `false`: then the server closes the connection.
    #[derive(Default)]
    struct Scripted {
        answers: Arc<Mutex<VecDeque<(&'static str, bool)>>>,
        /// The connection of each request, and its head.
        heads: Arc<Mutex<Vec<(usize, String)>>>,
        made: Mutex<usize>,
        /// It accepts so many connections.
        most: usize,
        transport: Transport,
    }

    impl Connect for Scripted {
        fn connect<'a>(&'a self, _: &'a str, _: Option<IpAddr>) -> Connecting<'a> {
            let (ours, mut theirs) = tokio::io::duplex(1024);
            let (answers, heads) = (self.answers.clone(), self.heads.clone());
            let number = {
                let mut made = self.made.lock().unwrap();
                *made += 1;
                *made
            };
            if number > self.most {
                return Box::pin(async { Err(Broken::Unreachable("it is gone".to_owned())) });
            }
            tokio::spawn(async move {
                loop {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        let Ok(byte) = theirs.read_u8().await else { return };
                        head.push(byte);
                    }
                    heads.lock().unwrap().push((number, String::from_utf8(head).unwrap()));
                    let (answer, stays) =
                        answers.lock().unwrap().pop_front().expect("an answer for each request");
                    theirs.write_all(answer.as_bytes()).await.unwrap();
                    if !stays {
                        return;
                    }
                }
            });
            Box::pin(async move { Ok(Box::new(ours) as Box<dyn Stream>) })
        }

        fn transport(&self) -> &Transport {
            &self.transport
        }
    }

    fn scripted(answers: &[(&'static str, bool)]) -> (Arc<Scripted>, Keeping) {
        let answers = Arc::new(Mutex::new(answers.iter().copied().collect()));
        let server = Arc::new(Scripted { answers, most: usize::MAX, ..Scripted::default() });
        (server.clone(), Keeping::new(server))
    }

    /// The status of the response, and the slot of the request: connection and request.
    async fn get(keeping: &Keeping, to: Dial<'_>, request: &Request) -> (u16, Option<(u32, u32)>) {
        let attempt = send(keeping, to, request, Limits::default()).await;
        // The server gets time to close the connection.
        tokio::task::yield_now().await;
        let slot = attempt.slot.map(|slot| (slot.connection, slot.request));
        (attempt.response.expect("a response").status, slot)
    }

    async fn slot(keeping: &Keeping) -> Option<(u32, u32)> {
        let to = Dial { alone: false, ..Dial::to(BASE) };
        get(keeping, to, &Request::new("GET", "/")).await.1
    }

    fn connections(server: &Scripted) -> Vec<usize> {
        server.heads.lock().unwrap().iter().map(|(connection, _)| *connection).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn requests_share_a_connection_that_both_sides_keep() {
        let (server, keeping) = scripted(&[(OK, true); 3]);
        for request in 1..=3 {
            assert_eq!(slot(&keeping).await, Some((1, request)));
        }
        let heads = server.heads.lock().unwrap().clone();
        assert!(
            heads.iter().all(|(connection, head)| *connection == 1 && !head.contains("onnection:")),
            "{heads:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_not_kept_after_a_response_that_ends_it() {
        for (first, stays) in [
            ("HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nok", true),
            ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", true),
            ("HTTP/1.1 200 OK\r\n\r\nok", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok, and more", true),
            (OK, false),
        ] {
            let (server, keeping) = scripted(&[(first, stays), (OK, true)]);
            assert_eq!(
                (slot(&keeping).await, slot(&keeping).await),
                (Some((1, 1)), Some((2, 1))),
                "{first:?}"
            );
            assert_eq!(connections(&server), [1, 2], "{first:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_on_a_connection_that_ends_is_sent_again_alone() {
        for second in ["", "xyz\r\n"] {
            let (server, keeping) = scripted(&[(OK, true), (second, false), (OK, true), (OK, true)]);
            assert_eq!(slot(&keeping).await, Some((1, 1)), "{second:?}");
            let to = Dial { alone: false, ..Dial::to(BASE) };
            let attempt = send(&keeping, to, &Request::new("GET", "/"), Limits::default()).await;
            assert!(attempt.response.is_ok() && attempt.is_second && attempt.slot.is_none(), "{second:?}");
            assert_eq!(slot(&keeping).await, None, "{second:?}");
            assert_eq!(connections(&server), [1, 1, 2, 3], "{second:?}");
            let heads = server.heads.lock().unwrap().clone();
            assert!(heads[2].1.contains("Connection: close"), "{heads:?}");
            let remarks = keeping.transport().remarks().join("\n");
            assert!(remarks.contains(&format!("each request got its own: {BASE}")), "{remarks}");
        }
        // A new connection that ends is what the server does.
        let (_, keeping) = scripted(&[("", false)]);
        let to = Dial { alone: false, ..Dial::to(BASE) };
        let attempt = send(&keeping, to, &Request::new("GET", "/"), Limits::default()).await;
        assert!(attempt.response.is_err() && attempt.slot.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_ends_by_a_request_has_not_answered_it() {
        let answers = Arc::new(Mutex::new([(OK, true), ("", false)].into()));
        let keeping = Keeping::new(Arc::new(Scripted { answers, most: 1, ..Scripted::default() }));
        assert_eq!(slot(&keeping).await, Some((1, 1)));
        let to = Dial { alone: false, ..Dial::to(BASE) };
        let attempt = send(&keeping, to, &Request::new("GET", "/"), Limits::default()).await;
        assert_eq!(attempt.response, Err(Broken::Closed("before the head".to_owned())));
        assert_eq!(attempt.slot, Some(Slot { connection: 1, request: 2 }));
    }

    #[tokio::test(start_paused = true)]
    async fn some_requests_have_a_connection_of_their_own() {
        let (server, keeping) = scripted(&[(OK, true); 7]);
        let kept = Dial { alone: false, ..Dial::to(BASE) };
        assert_eq!(slot(&keeping).await, Some((1, 1)));
        let request = Request::new("GET", "/");
        assert_eq!(get(&keeping, Dial::to(BASE), &request).await, (200, None), "alone");
        let closing = request.clone().header("connection", "close");
        assert_eq!(get(&keeping, kept, &closing).await, (200, None), "with a header of its own");
        let elsewhere = Dial { base: "http://b.example", ..kept };
        assert_eq!(get(&keeping, elsewhere, &request).await, (200, Some((2, 1))), "another server");
        let unproven = Dial { own: false, ..kept };
        assert_eq!(get(&keeping, unproven, &request).await, (200, Some((3, 1))), "without a certificate");
        tokio::time::advance(IDLE).await;
        assert_eq!(slot(&keeping).await, Some((4, 1)), "after a pause");
        keeping.end();
        assert_eq!(slot(&keeping).await, None, "at the end");
        assert_eq!(connections(&server), [1, 2, 3, 4, 5, 6, 7]);
    }
}
