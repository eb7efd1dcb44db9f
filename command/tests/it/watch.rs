//! `assay watch`: traffic passes as it is, and what a response breaks is found.

use std::path::Path;
use std::sync::{Arc, Mutex};

use assay_sim::gateway::GATEWAY;
use assay_sim::testing::any;
use assay_sim::{Sim, Site};
use assay_spec::field::{self, Cell, Part};
use assay_spec::{Dialect, Service};
use assay_suites::harness::data::Verdict;
use assay_suites::http::sockets::Sockets;
use assay_suites::watch::proxy::{Proxy, Server};
use assay_suites::watch::{Observed, Passed, Watched};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// A proxy before `base`, and the exchanges that it has seen.
async fn proxy(site: &str, base: &str) -> (Proxy, mpsc::UnboundedReceiver<Passed>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let server = Server { site: site.to_owned(), base: base.to_owned(), sockets: Sockets::default() };
    let seen = move |passed| drop(sender.send(passed));
    let proxy = Proxy::open(([127, 0, 0, 1], 0).into(), server, Arc::new(seen)).await.expect("a free port");
    (proxy, receiver)
}

/// The next exchange.
async fn observed(seen: &mut mpsc::UnboundedReceiver<Passed>) -> Observed {
    match seen.recv().await {
        Some(Passed::Whole(observed)) => *observed,
        other => panic!("{other:?}"),
    }
}

/// A server that reads one request on each connection, keeps it, and writes these pieces.
async fn scripted(pieces: &'static [&'static str]) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base = format!("http://{}/base", listener.local_addr().expect("an address"));
    let kept: Arc<Mutex<Vec<String>>> = Arc::default();
    let requests = kept.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = vec![0; 64 * 1024];
            let count = stream.read(&mut buffer).await.unwrap_or(0);
            requests.lock().expect("a lock").push(String::from_utf8_lossy(&buffer[..count]).into_owned());
            for piece in pieces {
                if stream.write_all(piece.as_bytes()).await.is_err() {
                    break;
                }
                let _ = stream.flush().await;
                tokio::task::yield_now().await;
            }
        }
    });
    (base, kept)
}

/// Sends bytes and reads until the connection closes.
async fn talk(address: std::net::SocketAddr, bytes: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    stream.write_all(bytes.as_bytes()).await.expect("sent");
    let mut received = Vec::new();
    let _ = stream.read_to_end(&mut received).await;
    String::from_utf8_lossy(&received).into_owned()
}

#[tokio::test]
async fn a_request_reaches_the_named_server_alone_and_comes_back_as_it_is() {
    let answer: &[&str] = &[
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-A: 1\r\nX-A: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
        "5\r\nda\r\nt\r\n",
        "3\r\na\n\n\r\n0\r\n\r\n",
    ];
    let (base, requests) = scripted(answer).await;
    let (proxy, mut seen) = proxy("gateway", &base).await;
    // The form of a request to a proxy for any server.
    let sent = "POST http://other.example/v1/x?a=%20 HTTP/1.1\r\nHost: other.example\r\nConnection: close, x-own\r\nX-Own: 1\r\nX-Kept: 2\r\nContent-Length: 2\r\n\r\n{}";
    let received = talk(proxy.address, sent).await;
    assert!(received.contains("x-a: 1\r\nx-a: 2\r\n") && received.contains("da\r\nt"), "{received}");
    let request = requests.lock().expect("a lock").join("|");
    let host = base.trim_start_matches("http://").trim_end_matches("/base");
    assert!(request.starts_with("POST /base/v1/x?a=%20 HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("host: {host}\r\n")) && request.contains("x-kept: 2"), "{request}");
    assert!(!request.contains("other.example") && !request.contains("x-own"), "{request}");
    let exchange = observed(&mut seen).await.exchange;
    let response = exchange.response.expect("a response");
    assert_eq!((&exchange.request.body[..], &response.body[..]), (&b"{}"[..], &b"da\r\nta\n\n"[..]));
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_a_502_that_says_so() {
    let closed = {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        format!("http://{}", listener.local_addr().expect("an address"))
    };
    let (base, _) = scripted(&["nonsense\r\n\r\n"]).await;
    for base in [closed, base] {
        let (proxy, mut seen) = proxy("drop", &base).await;
        let received = talk(proxy.address, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
        assert!(received.starts_with("HTTP/1.1 502 ") && received.contains("assay watch: "), "{received}");
        let exchange = observed(&mut seen).await.exchange;
        assert!(exchange.response.is_err());
    }
}

#[tokio::test]
async fn of_a_stream_that_a_client_leaves_the_whole_lines_are_judged() {
    // The last character is cut.
    let answer: &[&str] = &[
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\n",
        "data: {}\r\n\r\ndata: caf",
    ];
    let (base, _) = scripted(answer).await;
    let (proxy, mut seen) = proxy("gateway", &base).await;
    talk(proxy.address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").await;
    let exchange = observed(&mut seen).await.exchange;
    assert_eq!(&exchange.response.expect("a response").body[..], b"data: {}\r\n\r\n");
}

#[tokio::test]
async fn what_does_not_end_is_not_judged() {
    let (base, _) = scripted(&["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234"]).await;
    let (proxy, mut seen) = proxy("drop", &base).await;
    talk(proxy.address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").await;
    let Observed { exchange, left, .. } = observed(&mut seen).await;
    assert!(exchange.site == "drop" && exchange.response.is_err() && !left, "{exchange:?}");
}

#[tokio::test]
async fn a_client_that_leaves_is_seen_and_its_request_ends_at_the_server() {
    // A server that never responds: it says when the connection has ended.
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let (proxy, mut seen) = proxy("drop", &base).await;
    let mut client = TcpStream::connect(proxy.address).await.expect("it listens");
    client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("sent");
    let (mut server, _) = listener.accept().await.expect("a connection");
    let mut request = vec![0; 1024];
    assert!(server.read(&mut request).await.expect("a request") > 0);
    drop(client);
    let mut rest = Vec::new();
    server.read_to_end(&mut rest).await.expect("the connection ends");
    let Observed { exchange, left, times } = observed(&mut seen).await;
    assert!(exchange.response.is_err() && left && times.is_some_and(|times| times.began <= times.ended));
}

/// Reads one response with a known length from a connection that stays open.
async fn read_one(stream: &mut TcpStream) {
    let mut received = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&received).to_ascii_lowercase();
        let length =
            text.split_once("content-length: ").and_then(|(_, rest)| rest.split("\r\n").next()?.parse().ok());
        if let (Some((_, body)), Some(length)) = (text.split_once("\r\n\r\n"), length)
            && body.len() >= length
        {
            return assert!(text.starts_with("http/1.1 200"), "{text}");
        }
        let mut bytes = [0; 4096];
        let count = stream.read(&mut bytes).await.expect("a response");
        assert!(count > 0, "the connection closed: {text}");
        received.extend_from_slice(&bytes[..count]);
    }
}

/// The verdicts of three equal requests through a proxy, to a simulator with a deviation.
async fn watched(site: Site, request: &str, deviation: Option<&Cell>) -> Vec<(String, Verdict)> {
    let mut builder = Sim::builder().only([site.service]);
    if let Some(deviation) = deviation {
        builder = builder.deviate(deviation.to_string());
    }
    let sim = builder.start().await.expect("it starts");
    let (proxy, mut seen) = proxy(site.name, &sim.at(site).url()).await;
    let request = request.replace("KEY", &sim.gateway_key());
    // Two at a connection that stays open, one at another.
    let mut kept = TcpStream::connect(proxy.address).await.expect("it listens");
    for _ in 0..2 {
        kept.write_all(request.as_bytes()).await.expect("sent");
        read_one(&mut kept).await;
    }
    talk(proxy.address, &request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")).await;
    sim.received(&any()).expect(3);
    drop((proxy, kept));
    let mut all = Watched::new(Dialect::default());
    let mut shown = 0;
    while let Some(passed) = seen.recv().await {
        shown += all.add(passed).len();
    }
    let run = all.judge(site.name.to_owned(), Vec::new());
    assert_eq!(shown, run.count(Verdict::Fail));
    run.outcomes.iter().map(|one| (one.requirement.to_string(), one.verdict)).collect()
}

#[tokio::test]
async fn what_a_response_breaks_is_found_and_nothing_else() {
    let body = json!({ "model": "assay-chat", "max_tokens": 9, "messages": [{ "role": "user", "content": "Hello" }] });
    let body = body.to_string();
    let post = |path: &str| {
        let length = body.len();
        format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer KEY\r\nSvc-Version: 2023-06-01\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    };
    let models = "GET /svc/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer KEY\r\n\r\n".to_owned();
    let traffic = [
        (GATEWAY, post("/v1/chat/completions"), "field:POST /v1/chat/completions/200/"),
        (GATEWAY, post("/v1/messages"), "field:POST /v1/messages/200/"),
        (GATEWAY, models, "field:GET /svc/models/200/"),
    ];
    let mut found = 0;
    for (site, request, prefix) in traffic {
        let right = watched(site, &request, None).await;
        assert!(!right.is_empty() && right.iter().all(|(_, verdict)| *verdict == Verdict::Pass), "{right:?}");
        // The answer calls no tool.
        let is_shown = |cell: &&Cell| {
            let name = cell.to_string();
            name.starts_with(prefix) && cell.part == Part::Body && !name.contains("tool_calls")
        };
        for cell in field::cells().iter().filter(is_shown) {
            let wrong = watched(site, &request, Some(cell)).await;
            let failed = wrong.iter().filter(|(_, verdict)| *verdict == Verdict::Fail);
            let failed: Vec<&str> = failed.map(|(row, _)| &**row).collect();
            assert_eq!(failed, [cell.row.to_string()], "{cell}");
            found += 1;
        }
    }
    assert!(found >= 20, "{found}");
}

/// The exit code of a command, and what it prints.
async fn assay(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_assay"));
    let output = command.args(arguments).current_dir(folder).output().await.expect("it starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[tokio::test]
async fn a_program_gets_the_address_of_the_proxy_and_its_exit_code_counts() {
    let sim = Sim::builder().only([Service::Gateway]).start().await.expect("it starts");
    let folder = tempfile::tempdir().expect("a folder");
    let url = sim.gateway().url();
    let script = "test $OPENAI_BASE_URL = $ASSAY_GATEWAY_URL/v1 && test $ANTHROPIC_BASE_URL = $ASSAY_GATEWAY_URL && exit 7";
    let watch = ["watch", "--gateway-url", &url, "--listen", "127.0.0.1:0", "--"];
    let (code, text) = assay(folder.path(), &[&watch[..], &["sh", "-c", script]].concat()).await;
    assert_eq!(code, Some(7), "{text}");
    let (code, text) = assay(folder.path(), &[&watch[..], &["true"]].concat()).await;
    assert!(code == Some(1) && text.contains("nothing was checked"), "{text}");
    let (code, text) = assay(folder.path(), &[&watch[..], &["./no-such-program"]].concat()).await;
    assert!(code == Some(2) && text.contains("no-such-program"), "{text}");
    let files = ["--html", "r", "--json", "r"];
    let (code, text) = assay(folder.path(), &[&watch[..5], &files[..], &["--", "true"]].concat()).await;
    assert!(code == Some(2) && text.contains("--html"), "{text}");
    let (code, text) =
        assay(folder.path(), &[&watch[..5], &["--write-baseline", "b.toml", "--", "true"]].concat()).await;
    assert!(code == Some(2) && text.contains("--write-baseline"), "{text}");
    let (code, text) = assay(folder.path(), &["watch"]).await;
    assert!(code == Some(2) && text.contains("--gateway-url"), "{text}");
}

#[tokio::test]
async fn a_recording_is_judged_and_its_secrets_are_hidden() {
    let folder = tempfile::tempdir().expect("a folder");
    let entry = |url: &str, status: u16, body: &Value| {
        let key = [
            ("Authorization", "Bearer sk-very-secret-1"),
            ("X-API-Key", "sk-very-secret-2"),
            ("Cookie", "s=very-secret-3"),
        ];
        let key = key.map(|(name, value)| json!({ "name": name, "value": value }));
        json!({
            "request": { "method": "POST", "url": url, "headers": key, "postData": { "text": "{}" } },
            "response": {
                "status": status,
                "headers": [{ "name": "Content-Type", "value": "application/json" }],
                "content": { "size": 1, "text": body.to_string() },
            },
        })
    };
    let wrong = json!({ "choices": "sk-very-secret-2", "usage": {} });
    let entries = [
        entry("https://ai.example/v1/chat/completions", 200, &wrong),
        entry("https://cdn.example/x.js", 200, &json!({})),
        entry("https://ai.example/favicon.ico", 404, &json!({ "detail": "no" })),
    ];
    let har = json!({ "log": { "version": "1.2", "entries": entries } }).to_string();
    std::fs::write(folder.path().join("a.har"), har).expect("written");
    let flags = [
        "watch",
        "--gateway-url",
        "https://ai.example",
        "--har",
        "a.har",
        "--json",
        "r.json",
        "--html",
        "r.html",
    ];
    let (code, text) = assay(folder.path(), &flags).await;
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("POST /v1/chat/completions returned")
            && text.contains("1 exchange that went to other servers"),
        "{text}"
    );
    for file in ["r.json", "r.html"] {
        let report = std::fs::read_to_string(folder.path().join(file)).expect("a report");
        assert!(report.contains("/v1/chat/completions") && !report.contains("very-secret"), "{file}");
    }
    std::fs::write(folder.path().join("b.har"), "[]").expect("written");
    let (code, text) =
        assay(folder.path(), &["watch", "--gateway-url", "https://ai.example", "--har", "b.har"]).await;
    assert!(code == Some(2) && text.contains("b.har: not an HTTP Archive"), "{text}");
}
