//! The world's own requests: those that it answers itself, and those that leave it over TCP.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use crate::common::drop::get;
use crate::common::net::{Wallet, message, post};
use crate::common::{Driver, body_of, bound, wire};
use assay_sim::control::{Hub, PREFIX, router};
use assay_sim::network::sites::PRIMARY;
use assay_sim::outgoing::{ANSWER_BYTES, AT_ONCE, Failure};
use assay_sim::serve::{ClockMode, Handle, open_sites};
use assay_sim::{Input, Reply};
use assay_spec::Service;
use assay_spec::network::webhook::sign;
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;

const WEBHOOKS: &str = "/api/v0/webhooks";
const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

fn register(driver: &mut Driver, url: &str, events: &[&str]) {
    let content = json!({ "url": url, "events": events, "secret": "geheim" });
    let envelope = Wallet::new(9).envelope(&message(driver, "WEBHOOK", &content));
    assert_eq!(driver.net(&post(WEBHOOKS, &envelope)).status, 200);
}

/// A call that stores a message and triggers webhooks.
fn note(driver: &Driver, n: i64) -> crate::common::Call {
    Wallet::new(1).create(&message(driver, "POST", &json!({ "n": n })))
}

/// Stores a program: returns the path at which it runs.
fn stored_program(driver: &mut Driver) -> String {
    let program = json!({ "code": "x", "runtime": "r", "memory": 1, "timeout": 1 });
    let envelope = Wallet::new(1).envelope(&message(driver, "PROGRAM", &program));
    let body = body_of(&driver.net(&post("/api/v0/programs", &envelope)));
    format!("/api/v0/run/{}", body["item_hash"].as_str().expect("a hash"))
}

fn tries(driver: &mut Driver) -> Value {
    let (inbox, _) = driver.world.perform("network.webhook-inbox", &json!({})).expect("a known action");
    inbox[0]["tries"].clone()
}

/// The heads in the journal, as `site address method target`.
fn heads(driver: &Driver) -> Vec<String> {
    let entries = driver.world.core.journal.entries().map(|(_, entry)| json!(entry));
    entries.filter_map(|entry| entry["event"]["head"].as_str().map(str::to_owned)).collect()
}

#[test]
fn own_sites_answer_at_the_same_time() {
    for url in [
        "http://compute-1.sim/about/login?x",
        "HTTP://COMPUTE-1.sim:80/about/login?x",
        "http://127.0.0.1:7/about/login?x",
    ] {
        let mut driver = Driver::unhurried(1);
        driver.world.set_site_urls([("compute-1", "http://127.0.0.1:7")].into_iter());
        register(&mut driver, url, &["message.new"]);
        let call = note(&driver, 1);
        assert_eq!(driver.net(&call).status, 200);
        assert!(driver.left.is_empty(), "{url}");
        assert_eq!(tries(&mut driver), json!([{ "at": driver.now(), "status": 404 }]));
        assert_eq!(heads(&driver).pop().as_deref(), Some("compute-1 192.0.2.1 POST /about/login?x"));
        assert_eq!((driver.world.waiting(), driver.world.receiving()), (0, 0));
    }
}

#[test]
fn own_site_has_ten_seconds_to_answer() {
    for (slow_ms, outcome) in [(9_999, "status"), (10_001, "failure")] {
        let mut driver = Driver::unhurried(1);
        register(&mut driver, "http://network-alt.sim/x", &["message.new"]);
        driver.perform("network.node", &json!({ "site": "network-alt", "slow_ms": slow_ms }));
        let call = note(&driver, 1);
        driver.net(&call);
        assert_eq!((driver.world.waiting(), tries(&mut driver)), (0, json!([])), "it waits only for itself");
        // A copy made in the meantime continues separately.
        let mut copy = driver.clone();
        assert!(copy.world.abandon().is_empty());
        for driver in [&mut driver, &mut copy] {
            driver.advance(10_001);
            assert!(tries(driver)[0].get(outcome).is_some(), "{slow_ms}: {}", tries(driver));
        }
        assert_eq!(tries(&mut driver), tries(&mut copy));
    }
}

#[test]
fn requests_that_cause_each_other_end() {
    let mut driver = Driver::unhurried(1);
    // A service that echoes everything it receives notifies itself of every run.
    driver.deviate("network.programs.variables");
    let path = stored_program(&mut driver);
    for _ in 0..3 {
        driver.advance(1_000);
        register(&mut driver, &format!("http://network.sim{path}"), &["program.executed"]);
    }
    assert_eq!(driver.net(&post(&path, &json!({}))).status, 200);
    let (inbox, _) = driver.world.perform("network.webhook-inbox", &json!({})).expect("a known action");
    let count = |outcome: &str| inbox.to_string().matches(outcome).count();
    assert_eq!((count("\"status\":200"), count("\"failure\":\"depth\"")), (3 + 9, 27));
}

#[test]
fn copy_of_a_world_has_no_connections() {
    let mut driver = Driver::unhurried(1);
    register(&mut driver, "http://127.0.0.1:9/", &["message.new"]);
    let call = note(&driver, 1);
    driver.net(&call);
    assert_eq!((driver.left.len(), driver.world.abroad()), (1, 1));
    let mut copy = driver.clone();
    assert!(copy.world.abandon().is_empty());
    assert_eq!(copy.world.abroad(), 0);
    assert_eq!(tries(&mut copy)[0]["failure"], "abandoned");
    copy.advance(10_000);
    assert_eq!(copy.left.len(), 2, "and tries again");
    // In the first world it is still in progress.
    driver.input(Input::Incoming(1, Ok(Reply::new(200, "text/plain", vec![b'x'; ANSWER_BYTES + 1]))));
    let journal = json!(driver.world.core.journal.entries().last().map(|(_, entry)| entry));
    assert_eq!(tries(&mut driver)[0]["status"], 200);
    assert_eq!(journal["event"]["body"].as_str().map(str::len), Some(ANSWER_BYTES));
}

#[test]
fn outgoing_requests_and_outcomes_are_part_of_the_fingerprint() {
    let run = |body: i64, outcome: Result<Reply, Failure>| {
        let mut driver = Driver::unhurried(1);
        register(&mut driver, "http://127.0.0.1:9/", &["message.new"]);
        let call = note(&driver, body);
        driver.net(&call);
        let before = driver.world.core.journal.fingerprint();
        driver.input(Input::Incoming(1, outcome));
        (before, driver.world.core.journal.fingerprint())
    };
    let good = || Ok(Reply::new(200, "text/plain", "a"));
    assert_eq!(run(1, good()), run(1, good()));
    let others = [
        run(2, good()),
        run(1, Ok(Reply::new(200, "text/plain", "b"))),
        run(1, Err(Failure::Broken)),
        run(1, Err(Failure::Timeout)),
    ];
    for other in &others {
        assert_ne!(run(1, good()).1, other.1);
    }
    assert_ne!(run(1, good()).0, others[0].0);
}

/// A receiver: reads one request, answers it, and returns what it read.
async fn receive(listener: &TcpListener, answer: &str) -> (String, Vec<u8>) {
    let (mut io, _) = listener.accept().await.expect("a connection");
    let request = read_request(&mut io).await;
    io.write_all(answer.as_bytes()).await.expect("the sender reads");
    request
}

async fn read_request(io: &mut TcpStream) -> (String, Vec<u8>) {
    let mut said = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let n = io.read(&mut buffer).await.expect("bytes");
        assert!(n > 0, "the whole request comes first");
        said.extend_from_slice(&buffer[..n]);
        let Some(end) = said.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8(said[..end].to_vec()).expect("a head in UTF-8");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
        if said.len() >= end + 4 + length.parse::<usize>().expect("a number") {
            return (head, said.split_off(end + 4));
        }
    }
}

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/hook?x=%20y", listener.local_addr().expect("an address"));
    (listener, url)
}

async fn status_of(handle: &Handle, call: &crate::common::Call) -> u16 {
    let mut io = wire::connect_to(handle, PRIMARY);
    io.write_all(&wire::bytes(call)).await.expect("the server reads");
    wire::status(&wire::read(io).await)
}

/// Every attempt of every delivery.
fn all_tries(handle: &Handle) -> Vec<Value> {
    let inbox =
        handle.change(|world| world.perform("network.webhook-inbox", &json!({})).expect("a known action"));
    inbox.as_array().into_iter().flatten().map(|one| one["tries"].clone()).collect()
}

#[tokio::test]
async fn webhook_arrives_over_tcp() {
    let (listener, url) = listener().await;
    let mut driver = Driver::unhurried(1);
    register(&mut driver, &url, &["message.new"]);
    let call = note(&driver, 1);
    let handle = Handle::new(driver.world, ClockMode::Manual);
    let ((head, body), status) = tokio::join!(receive(&listener, OK), status_of(&handle, &call));
    assert_eq!(status, 200);
    let host = listener.local_addr().expect("an address");
    assert!(head.starts_with("POST /hook?x=%20y HTTP/1.1\r\n"), "{head}");
    for line in [
        format!("host: {host}"),
        "user-agent: assay-sim".to_owned(),
        "content-type: application/json".to_owned(),
        format!("webhook-signature: {}", sign("geheim", &body)),
    ] {
        assert!(head.lines().any(|one| one == line), "{line} in {head}");
    }
    let payload: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(payload["event"], "message.new");
    handle.settled().await;
    assert_eq!(all_tries(&handle)[0][0]["status"], 200);
    assert_eq!(handle.read(|world| world.view(Service::Network))["webhooks"]["delivered"], 1);
}

#[tokio::test]
async fn advance_waits_for_every_attempt() {
    let (listener, url) = listener().await;
    let mut driver = Driver::unhurried(1);
    register(&mut driver, &url, &["message.new"]);
    let call = note(&driver, 1);
    let handle = Handle::new(driver.world, ClockMode::Manual);
    let receiver = async {
        for answer in ["HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n", "nonsense\r\n\r\n", OK] {
            receive(&listener, answer).await;
        }
    };
    let sender = async {
        status_of(&handle, &call).await;
        handle.advance_settled(60_000).await.expect("few timers")
    };
    let ((), fired) = tokio::join!(receiver, sender);
    assert_eq!(
        all_tries(&handle),
        [json!([
            { "at": driver_epoch(), "status": 500 },
            { "at": driver_epoch() + 10_000, "failure": "broken" },
            { "at": driver_epoch() + 30_000, "status": 200 },
        ])]
    );
    assert!(fired >= 2);
    assert_eq!(handle.read(|world| world.core.now()).0, driver_epoch() + 60_000);
}

fn driver_epoch() -> i64 {
    assay_sim::clock::EPOCH.0
}

#[tokio::test]
async fn time_does_not_jump_while_a_request_is_in_progress() {
    let (listener, url) = listener().await;
    let (mut driver, alice) = bound();
    register(&mut driver, &url, &["message.new"]);
    let prepared = driver.prepare(&alice);
    let submit = alice.submit(&prepared, None, driver.now());
    let call = note(&driver, 1);
    let handle = Handle::new(driver.world, ClockMode::Auto);
    assert_eq!(status_of(&handle, &call).await, 200);
    let (mut io, _) = listener.accept().await.expect("a connection");
    let mut waits = wire::send(&handle, &wire::bytes(&submit)).await;
    wire::until_waiting(&handle, 1, &mut waits).await;
    assert_eq!(handle.read(|world| world.core.now()).0, driver_epoch());
    read_request(&mut io).await;
    io.write_all(OK.as_bytes()).await.expect("the sender reads");
    assert_eq!(wire::status(&wire::read(waits).await), 200);
    assert_eq!(handle.read(|world| world.core.now()).0, driver_epoch() + 800);
}

#[tokio::test]
async fn delivery_is_retried_in_real_time_without_further_input() {
    let (listener, url) = listener().await;
    let mut driver = Driver::unhurried(1);
    driver.set_network_limits(&json!({ "webhook_retry_ms": 1 }));
    register(&mut driver, &url, &["message.new"]);
    let call = note(&driver, 1);
    let handle = Handle::new(driver.world, ClockMode::Real);
    assert_eq!(status_of(&handle, &call).await, 200);
    receive(&listener, "HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n").await;
    receive(&listener, OK).await;
    handle.settled().await;
    assert_eq!(all_tries(&handle)[0].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn only_this_machine_is_reached() {
    let (listener, url) = listener().await;
    let port = listener.local_addr().expect("an address").port();
    let mut driver = Driver::unhurried(1);
    let urls = [
        "http://198.51.100.1/".to_owned(),
        "http://[2001:db8::1]/".to_owned(),
        "http://0.0.0.0:1/".to_owned(),
        "http://example.invalid/".to_owned(),
        "http://localhost.example.invalid/".to_owned(),
        "http://2130706433/".to_owned(),
        format!("http://localhost:{port}/"),
        url.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
    ];
    // Not subscribed to new messages: each registration is one.
    for url in &urls {
        register(&mut driver, url, &["program.executed"]);
    }
    let call = post(&stored_program(&mut driver), &json!({}));
    let handle = Handle::new(driver.world, ClockMode::Manual);
    let receiver = async {
        receive(&listener, OK).await;
        receive(&listener, OK).await;
    };
    let ((), status) = tokio::join!(receiver, status_of(&handle, &call));
    assert_eq!(status, 200);
    handle.settled().await;
    let outcome = |tries: &Value| tries[0].get("failure").or(tries[0].get("status")).cloned();
    let outcomes: Vec<Option<Value>> = all_tries(&handle).iter().map(outcome).collect();
    let expected = [vec![Some(json!("forbidden")); 6], vec![Some(json!(200)); 2]].concat();
    assert_eq!(outcomes, expected);
}

#[tokio::test]
async fn served_world_does_not_call_itself_over_sockets() {
    let mut driver = Driver::unhurried(1);
    let at_hook = |base: &str| format!("{base}/api/v0/info/public.json");
    let handle = Handle::new(driver.world.clone(), ClockMode::Manual);
    let (_listeners, bases) =
        open_sites(&handle, SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("ports");
    register(&mut driver, &at_hook(&bases["network"]), &["message.new"]);
    let call = note(&driver, 1);
    for fork in [false, true] {
        let handle = if fork { handle.fork(ClockMode::Manual) } else { handle.clone() };
        handle.restore(driver.world.clone());
        assert_eq!(status_of(&handle, &call).await, 200);
        let under_way = handle.read(assay_sim::World::abroad);
        assert_eq!(under_way, usize::from(fork), "a fork has other URLs");
        if !fork {
            assert_eq!(all_tries(&handle)[0][0]["status"], 404, "there is no POST");
        }
    }
}

#[tokio::test]
async fn a_world_answers_its_own_requests_to_its_public_host() {
    let mut driver = Driver::unhurried(1);
    driver.world.set_public_host(Some("public.example".parse().expect("a host")));
    let handle = Handle::new(driver.world.clone(), ClockMode::Manual);
    let (_listeners, bases) =
        open_sites(&handle, SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("ports");
    let public = bases["network"].clone();
    assert!(public.starts_with("http://public.example:"), "{public}");
    for base in [public.clone(), public.replace("public.example", "127.0.0.1")] {
        let mut driver = driver.clone();
        register(&mut driver, &format!("{base}/api/v0/info/public.json"), &["message.new"]);
        let call = note(&driver, 1);
        handle.restore(driver.world.clone());
        assert_eq!(status_of(&handle, &call).await, 200);
        assert_eq!(all_tries(&handle)[0][0]["status"], 404, "{base}: it answered, and has no POST there");
    }
}

#[tokio::test]
async fn outcomes_of_requests_from_before_a_restore_are_dropped() {
    let (listener, url) = listener().await;
    let mut driver = Driver::unhurried(1);
    register(&mut driver, &url, &["message.new"]);
    let call = note(&driver, 1);
    let handle = Handle::new(driver.world, ClockMode::Manual);
    let before = handle.snapshot();
    assert_eq!(status_of(&handle, &call).await, 200);
    let (mut io, _) = listener.accept().await.expect("a connection");
    let during = handle.snapshot();
    handle.restore(before);
    assert_eq!(handle.read(assay_sim::World::abroad), 0);
    read_request(&mut io).await;
    io.write_all(OK.as_bytes()).await.expect("the sender reads");
    assert_eq!(all_tries(&handle), [json!(null); 0]);
    // In a copy made meanwhile, the attempt has failed and is repeated.
    handle.restore(during);
    assert_eq!(all_tries(&handle)[0][0]["failure"], "abandoned");
    let (_, fired) = tokio::join!(receive(&listener, OK), handle.advance_settled(10_000));
    let fired = fired.expect("few timers");
    assert!(fired >= 1);
    assert_eq!(all_tries(&handle)[0][1]["status"], 200);
}

#[tokio::test]
async fn responses_are_cut_and_at_most_sixteen_requests_leave_at_once() {
    let (listener, url) = listener().await;
    let mut driver = Driver::unhurried(1);
    let sent = AT_ONCE + 5;
    register(&mut driver, &url, &["message.new"]);
    let calls: Vec<_> = (0..sent as i64).map(|n| note(&driver, n)).collect();
    let handle = Handle::new(driver.world, ClockMode::Manual);
    for call in &calls {
        status_of(&handle, call).await;
    }
    assert_eq!(handle.read(assay_sim::World::abroad), AT_ONCE);
    let endless = format!("HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\n{}", "x".repeat(ANSWER_BYTES));
    for _ in 0..sent {
        let (mut io, _) = listener.accept().await.expect("a connection");
        read_request(&mut io).await;
        io.write_all(endless.as_bytes()).await.expect("the sender reads");
    }
    handle.settled().await;
    assert!(all_tries(&handle).iter().all(|tries| tries[0]["status"] == 200));
    assert_eq!(handle.read(assay_sim::World::abroad), 0);
}

#[test]
fn without_a_runtime_requests_fail_and_nothing_panics() {
    let mut driver = Driver::unhurried(1);
    register(&mut driver, "http://127.0.0.1:9/", &["message.new"]);
    let envelope = Wallet::new(1).envelope(&message(&driver, "POST", &json!({})));
    let handle = Handle::new(driver.world, ClockMode::Manual);
    handle.change(|world| {
        let mut driver = Driver::new(1);
        driver.world = world.clone();
        driver.net(&post(crate::common::net::MESSAGES, &envelope));
        *world = driver.world;
        ((), Vec::new())
    });
    handle.advance(10_000);
    assert_eq!(handle.read(assay_sim::World::abroad), 1, "the first attempt left by another way");
    let copy = handle.snapshot();
    handle.restore(copy);
    handle.advance(10_000);
    let tries = all_tries(&handle);
    assert_eq!(tries[0][0]["failure"], "abandoned");
    assert_eq!(tries[0][1]["failure"], "unreachable");
}

#[tokio::test]
async fn own_requests_cannot_use_the_control_api() {
    let handle = Handle::new(Driver::unhurried(1).world, ClockMode::Manual);
    let hub = Arc::new(Hub::new(handle, BTreeMap::new()));
    for (agent, expected) in [("assay-sim", 403), ("curl", 200)] {
        let request = Request::get(format!("{PREFIX}/info"))
            .header("host", "localhost")
            .header("user-agent", agent)
            .body(Body::empty())
            .expect("a request");
        let response = router(hub.clone()).oneshot(request).await.expect("infallible");
        assert_eq!(response.status(), expected);
        response.into_body().collect().await.expect("a body");
    }
}

#[tokio::test]
async fn control_api_clock_waits_for_deliveries() {
    let (listener, url) = listener().await;
    let mut driver = Driver::unhurried(1);
    register(&mut driver, &url, &["message.new"]);
    let call = note(&driver, 1);
    let handle = Handle::new(driver.world, ClockMode::Manual);
    let hub = Arc::new(Hub::new(handle.clone(), BTreeMap::new()));
    status_of(&handle, &call).await;
    let request = Request::post(format!("{PREFIX}/clock"))
        .header("host", "localhost")
        .header("content-type", "application/json")
        .body(Body::from(r#"{"advance_ms":60000}"#))
        .expect("a request");
    let no = "HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n";
    let receiver = async {
        for answer in [no, no, OK] {
            receive(&listener, answer).await;
        }
    };
    let ((), response) = tokio::join!(receiver, router(hub).oneshot(request));
    assert_eq!(response.expect("infallible").status(), 200);
    assert_eq!(all_tries(&handle)[0].as_array().map(Vec::len), Some(3));
    assert_eq!(status_of(&handle, &get("/api/v0/info/public.json")).await, 200);
}
