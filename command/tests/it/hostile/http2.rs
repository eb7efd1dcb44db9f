//! Servers with faulty HTTP/2: one row each, with the reason of the verdict.

use std::time::{Duration, Instant};

use assay_suites::harness::data::Verdict;
use assay_suites::http::transport::Http;
use assay_suites::report::words::reason;
use bytes::Bytes;
use h2::server::{Connection, SendResponse};
use h2::{Reason, RecvStream};
use tokio::net::{TcpListener, TcpStream};

use crate::hostile::room::{Hear, Hold, Say, Server, run, say};

#[derive(Clone, Copy, Debug)]
enum Badly {
    Refuses,
    Leaves,
    Endless,
    BreaksOff,
    ManyHeaders,
    HugeHeader,
    Silent,
    SilentInTheBody,
    WrongLength,
}

type Request = http::Request<RecvStream>;
type Io = Connection<TcpStream, Bytes>;

/// A server that responds to every stream with this fault.
async fn server(badly: Badly) -> (String, tokio::task::JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move {
        let mut open = tokio::task::JoinSet::new();
        while let Ok((io, _)) = listener.accept().await {
            open.spawn(async move {
                let Ok(mut connection) = h2::server::handshake(io).await else { return };
                let mut answering = tokio::task::JoinSet::new();
                while let Some(Ok((request, respond))) = connection.accept().await {
                    if matches!(badly, Badly::Leaves) {
                        leave(&mut connection);
                        continue;
                    }
                    answering.spawn(answer(badly, request, respond));
                }
            });
        }
    });
    (url, tasks)
}

fn leave(connection: &mut Io) {
    connection.abrupt_shutdown(Reason::ENHANCE_YOUR_CALM);
}

async fn answer(badly: Badly, request: Request, mut respond: SendResponse<Bytes>) {
    let mut head = http::Response::new(());
    match badly {
        Badly::Refuses => respond.send_reset(Reason::REFUSED_STREAM),
        Badly::Leaves => {}
        Badly::Silent => {
            // Kept, so that the stream stays open.
            std::future::pending::<()>().await;
            drop((request, respond));
        }
        Badly::ManyHeaders => {
            for n in 0..200 {
                let name = http::HeaderName::try_from(format!("x-{n}")).expect("a name");
                head.headers_mut().insert(name, http::HeaderValue::from_static("y"));
            }
            let _ = respond.send_response(head, true);
        }
        Badly::HugeHeader => {
            let value = http::HeaderValue::try_from("y".repeat(70_000)).expect("a value");
            head.headers_mut().insert("x", value);
            let _ = respond.send_response(head, true);
        }
        Badly::WrongLength => {
            head.headers_mut().insert("content-length", http::HeaderValue::from_static("9"));
            let mut body = respond.send_response(head, false).expect("a stream");
            let _ = body.send_data(Bytes::from_static(b"two"), true);
        }
        Badly::BreaksOff | Badly::SilentInTheBody | Badly::Endless => {
            let mut body = respond.send_response(head, false).expect("a stream");
            let _ = body.send_data(Bytes::from_static(b"abc"), false);
            if matches!(badly, Badly::SilentInTheBody) {
                std::future::pending::<()>().await;
            }
            loop {
                if !matches!(badly, Badly::Endless) {
                    break;
                }
                body.reserve_capacity(32 << 10);
                let ready = std::future::poll_fn(|context| body.poll_capacity(context)).await;
                let Some(Ok(room)) = ready else { return };
                if body.send_data(vec![b'x'; room].into(), false).is_err() {
                    return;
                }
            }
            // The sent data goes out before the reset.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            body.send_reset(Reason::INTERNAL_ERROR);
        }
    }
}

async fn expect(name: &str, url: &str, words: &str) {
    let began = Instant::now();
    let run = run(url, Http::Two, &["metadata.root.html"]).await;
    assert!(began.elapsed() < Duration::from_mins(1), "{name}: {:?}", began.elapsed());
    for outcome in &run.outcomes {
        // A limit of Assay is not a finding about the target.
        let is_own = reason(outcome).contains("a limit of Assay");
        let wanted = if is_own { Verdict::Inconclusive } else { Verdict::Fail };
        assert_eq!(outcome.verdict, wanted, "{name}: {}", reason(outcome));
        assert!(reason(outcome).contains(words), "{name}: {}", reason(outcome));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_leads_to_its_verdict_within_its_limit() {
    for (badly, words) in [
        (Badly::Refuses, "ended before the head, by a reset of the stream"),
        (Badly::Leaves, "ended before the head"),
        (Badly::Endless, "longer than 16777216 bytes"),
        (Badly::BreaksOff, "by a reset of the stream"),
        (Badly::ManyHeaders, "more than 128 header lines"),
        (Badly::HugeHeader, "longer than 65536 bytes"),
        (Badly::Silent, "no complete response within"),
        (Badly::SilentInTheBody, "began and did not end within"),
        (Badly::WrongLength, "not an HTTP response"),
    ] {
        let (url, _tasks) = server(badly).await;
        expect(&format!("{badly:?}"), &url, words).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_without_http2_lead_to_a_verdict() {
    for (name, steps, words) in [
        (
            "HTTP/1.1",
            vec![Hear, say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), Hold],
            "not an HTTP response",
        ),
        ("garbage", vec![Hear, Say(vec![0xff; 4096]), Hold], "not an HTTP response"),
        ("nothing", vec![Hear], "ended before the head"),
        ("silence", vec![Hold], "no complete response within"),
    ] {
        let server = Server::start(steps).await;
        expect(name, &server.url("http"), words).await;
    }
}
