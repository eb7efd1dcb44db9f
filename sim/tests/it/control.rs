//! Who may use the control API, closed worlds, and the limits of connections.

mod described;
mod requests;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use crate::common::{Client, PREPARE, bound, wire};
use assay_sim::clock::EPOCH;
use assay_sim::control::{Hub, PREFIX, router};
use assay_sim::network;
use assay_sim::serve::{Access, ClockMode, Ended, Handle, connection};
use assay_spec::Service;
use assay_spec::network::storage;
use axum::body::Body;
use axum::http::{Method, Request};
use axum::response::Response;
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::TcpStream;
use tower::ServiceExt;

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn hub() -> Arc<Hub> {
    let handle = Handle::new(bound().0.world, ClockMode::Manual);
    Arc::new(Hub::new(handle, BTreeMap::new()).with_forks(LOOPBACK).allowing(["Sim.Test".to_owned()]))
}

async fn response(
    hub: &Arc<Hub>,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Response {
    let mut request = Request::builder().method(method).uri(format!("{PREFIX}/{path}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(body.to_owned())).expect("a request");
    router(hub.clone()).oneshot(request).await.expect("infallible")
}

async fn json(response: Response) -> Value {
    let bytes = response.into_body().collect().await.expect("a body").to_bytes();
    serde_json::from_slice(&bytes).expect("JSON")
}

#[tokio::test]
async fn health_needs_no_token_and_no_name() {
    let handle = Handle::new(bound().0.world, ClockMode::Manual);
    let hub = Arc::new(Hub::new(handle, BTreeMap::new()).with_token(Some("secret".to_owned())));
    let request =
        Request::get("/healthz").header("host", "anything.test").body(Body::empty()).expect("a request");
    assert_eq!(router(hub).oneshot(request).await.expect("infallible").status(), 200);
}

#[tokio::test]
async fn every_exchange_is_reported_when_it_has_ended() {
    let handle = Handle::new(bound().0.world, ClockMode::Manual);
    let reported = Arc::<Mutex<Vec<Access>>>::default();
    let list = reported.clone();
    handle.watch(move |access| list.lock().expect("a list").push(access));
    let last = || {
        let mut list = reported.lock().expect("a list");
        assert_eq!(list.len(), 1, "{list:?}");
        list.remove(0)
    };
    let at = handle.read(|world| world.core.now());

    let site = |site| handle.site(site, LOOPBACK);
    let request = Request::get("/nowhere?a=b").body(Body::empty()).expect("a request");
    site(network::sites::PRIMARY).oneshot(request).await.expect("infallible");
    let access = last();
    let seen = (access.site, access.method.as_str(), access.target.as_str(), access.status, access.ended);
    assert_eq!(seen, ("network", "GET", "/nowhere?a=b", Some(404), Ended::Whole));
    assert_eq!((access.at, access.ms), (at, 0));

    // A rejection says which rule was violated.
    let request = Request::post(PREPARE).body(Body::from("{}")).expect("a request");
    site(assay_sim::publish::SITES[0]).oneshot(request).await.expect("infallible");
    let access = last();
    assert_eq!(access.status, Some(404));
    assert!(
        access.why.iter().any(|why| why.requirement.starts_with("publish.") && !why.accepted),
        "{access:?}"
    );

    // A stream ends when time has moved, or when its client leaves.
    let key = handle.read(|world| world.view(Service::Gateway))["keys"]["valid"].as_str().map(str::to_owned);
    let stream = || {
        let body = r#"{"model":"assay-chat","messages":[{"role":"user","content":"a"}],"stream":true}"#;
        let request = Request::post("/v1/chat/completions")
            .header("content-type", "application/json")
            .header("authorization", format!("Bearer {}", key.as_deref().unwrap_or_default()))
            .body(Body::from(body))
            .expect("a request");
        tokio::spawn(site(assay_sim::gateway::GATEWAY).oneshot(request))
    };
    let streaming = stream();
    handle.waiting(1).await;
    assert!(reported.lock().expect("a list").is_empty(), "it is in progress");
    handle.advance(60_000);
    let response = streaming.await.expect("no panic").expect("infallible");
    response.into_body().collect().await.expect("the whole stream");
    let access = last();
    assert_eq!((access.status, access.ended), (Some(200), Ended::Whole));
    assert!(access.ms > 0, "{access:?}");
    drop(stream().await.expect("no panic").expect("infallible"));
    assert_eq!(last().ended, Ended::Left);

    // The exchanges of a fork are its own.
    let request = Request::get("/nowhere").body(Body::empty()).expect("a request");
    handle
        .fork(ClockMode::Manual)
        .site(network::sites::PRIMARY, LOOPBACK)
        .oneshot(request)
        .await
        .expect("infallible");
    assert!(reported.lock().expect("a list").is_empty());
}

#[tokio::test]
async fn only_loopback_names_and_allowed_names_are_answered() {
    let hub = hub();
    for (host, status) in [
        ("localhost", 200),
        ("LOCALHOST:4100", 200),
        ("127.0.0.1:4100", 200),
        ("127.1.2.3", 200),
        ("[::1]:4100", 200),
        ("[::ffff:127.0.0.1]", 200),
        ("sim.test:4100", 200),
        ("SIM.test", 200),
        ("attacker.example:4100", 403),
        ("localhost.attacker.example", 403),
        ("127.0.0.1.attacker.example", 403),
        ("attacker.example:127.0.0.1", 403),
        ("10.0.0.1:4100", 403),
        ("0.0.0.0:4100", 403),
        ("", 403),
    ] {
        let response = response(&hub, Method::GET, "info", &[("host", host)], "").await;
        assert_eq!(response.status(), status, "{host:?}");
        if status == 403 {
            let why = json(response).await["error"].as_str().expect("a reason").to_owned();
            assert!(why.contains("--allow-host") && why.contains(host), "{why}");
        }
    }
}

#[tokio::test]
async fn a_host_in_the_target_is_checked_too() {
    let hub = hub();
    for (target, status) in [("http://localhost:4100", 200), ("http://attacker.example", 403)] {
        let request = Request::get(format!("{target}{PREFIX}/info")).header("host", "localhost");
        let request = request.body(Body::empty()).expect("a request");
        let response = router(hub.clone()).oneshot(request).await.expect("infallible");
        assert_eq!(response.status(), status, "{target}");
    }
}

#[tokio::test]
async fn pages_of_another_origin_are_rejected() {
    let hub = hub();
    let host = ("host", "localhost:4100");
    for (origin, status) in [
        ("http://localhost:4100", 200),
        ("http://localhost:4101", 403),
        ("http://127.0.0.1:4100", 403),
        ("https://localhost:4100", 403),
        ("http://attacker.example", 403),
        ("null", 403),
    ] {
        let response = response(&hub, Method::GET, "info", &[host, ("origin", origin)], "").await;
        assert_eq!(response.status(), status, "{origin}");
    }
}

#[tokio::test]
async fn bodies_need_their_content_type() {
    let hub = hub();
    let host = ("host", "localhost:4100");
    for (kind, status) in [
        (Some("application/json"), 200),
        (Some("Application/JSON; charset=utf-8"), 200),
        (Some("text/plain"), 415),
        (Some("application/x-www-form-urlencoded"), 415),
        (Some("text/plain; application/json"), 415),
        (None, 415),
    ] {
        let headers: Vec<_> = [host].into_iter().chain(kind.map(|kind| ("content-type", kind))).collect();
        let set = response(&hub, Method::PUT, "variations", &headers, r#"["drop.status-201"]"#).await;
        assert_eq!(set.status(), status, "{kind:?}");
        let active = json(response(&hub, Method::GET, "variations", &[host], "").await).await;
        assert_eq!(active == serde_json::json!(["drop.status-201"]), status == 200, "{kind:?}");
        response(&hub, Method::PUT, "variations", &[host, ("content-type", "application/json")], "[]").await;
    }
    assert_eq!(response(&hub, Method::POST, "snapshot", &[host], "").await.status(), 200, "no body");
}

#[tokio::test]
async fn queries_choose_a_service_and_invalid_ones_name_their_error() {
    let hub = hub();
    let ask = async |path: &str| {
        let response = response(&hub, Method::GET, path, &[("host", "localhost")], "").await;
        (response.status().as_u16(), json(response).await)
    };
    let (_, all) = ask("state").await;
    assert_eq!(all.as_object().map(serde_json::Map::len), Some(Service::ALL.len()));
    for service in Service::ALL {
        let name = service.name();
        let (status, one) = ask(&format!("state?service={name}")).await;
        assert_eq!((status, &one), (200, &serde_json::json!({ name: all[name] })));
    }
    for invalid in [
        "state?service=",
        "state?service=Gateway",
        "state?service=drop&service=drop",
        "journal?from=first",
        "waiting",
    ] {
        let (status, refusal) = ask(invalid).await;
        assert!(status == 400 && refusal["error"].is_string(), "{invalid}: {status} {refusal}");
    }
}

#[tokio::test]
async fn a_closed_world_keeps_its_state_and_opens_at_the_same_ports() {
    let hub = hub();
    let ask = async |method: Method, path: &str| {
        json(response(&hub, method, path, &[("host", "localhost")], "").await).await
    };
    let fork = ask(Method::POST, "fork").await;
    let path = fork["path"].as_str().expect("a path").to_owned();
    let url = fork["sites"]["network"].as_str().expect("a URL").to_owned();
    let address: SocketAddr = url.trim_start_matches("http://").parse().expect("an address");
    let request = format!("GET /nothing-here HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    let send = async || {
        let mut io = TcpStream::connect(address).await?;
        io.write_all(request.as_bytes()).await?;
        io.read_to_end(&mut Vec::new()).await
    };
    send().await.expect("the fork listens");
    let count = ask(Method::GET, &format!("{path}/journal")).await["count"].clone();

    ask(Method::POST, &format!("{path}/close")).await;
    // The listener is closed by its aborted task, which runs next.
    while send().await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert_eq!(ask(Method::GET, &format!("{path}/journal")).await["count"], count);

    for _ in 0..2 {
        let opened = ask(Method::POST, &format!("{path}/open")).await;
        assert_eq!(
            opened["sites"].as_object().map(serde_json::Map::len),
            Some(assay_sim::world::sites().len())
        );
        assert_eq!(opened["sites"]["network"], url, "a free port is used again");
    }
    send().await.expect("the fork listens again");
    ask(Method::DELETE, &path).await;
    assert!(ask(Method::POST, &format!("{path}/open")).await["error"].is_string());
}

#[tokio::test]
async fn a_new_world_replaces_the_oldest_closed_one() {
    let hub = hub();
    let ask = async |method: Method, path: &str| {
        json(response(&hub, method, path, &[("host", "localhost")], "").await).await
    };
    let fork = async || ask(Method::POST, "fork").await["path"].as_str().map(str::to_owned);
    let open = fork().await.expect("a world");
    let mut closed = Vec::new();
    for _ in 0..520 {
        let path = fork().await.expect("there is always room");
        ask(Method::POST, &format!("{path}/close")).await;
        closed.push(path);
    }
    let exists = async |path: &str| ask(Method::GET, &format!("{path}/clock")).await["mode"].is_string();
    assert!(exists(&open).await, "an open world stays");
    let left = futures_util::future::join_all(closed.iter().map(|path| exists(path))).await;
    assert!(left[..9].iter().all(|is_left| !is_left) && left[9..].iter().all(|is_left| *is_left));
}

#[tokio::test]
async fn a_request_names_its_host_once() {
    let (driver, alice) = bound();
    let handle = Handle::new(driver.world, ClockMode::Auto);
    let whole = String::from_utf8(wire::bytes(&alice.publish(EPOCH))).expect("text");
    for (hosts, status) in [("host: sim\r\n", 200), ("", 400), ("host: sim\r\nhost: sim\r\n", 400)] {
        let request = whole.replace("host: sim\r\n", hosts);
        let answer = wire::read(wire::send(&handle, request.as_bytes()).await).await;
        assert_eq!(wire::status(&answer), status, "{answer}");
    }
    let one = whole.replace("HTTP/1.1", "HTTP/1.0").replace("host: sim\r\n", "");
    let answer = wire::read(wire::send(&handle, one.as_bytes()).await).await;
    assert!(answer.starts_with("HTTP/1.0 4") && !answer.contains("names its host"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn idle_connections_and_slow_heads_and_bodies_are_closed() {
    let (driver, alice) = bound();
    let handle = Handle::new(driver.world, ClockMode::Auto);
    let bytes = wire::bytes(&alice.publish(EPOCH));
    for begun in [0, 10, bytes.len() - 1] {
        // Time is paused: it jumps to the server's time limit as soon as nothing else can happen.
        let said = wire::read(wire::send(&handle, &bytes[..begun]).await).await;
        assert!(said.is_empty() || wire::status(&said) == 408, "{begun}: {said}");
    }
    assert_eq!(handle.read(|world| (world.receiving(), world.waiting())), (0, 0));
    assert_eq!(wire::status(&wire::exchange(&handle, &alice.publish(EPOCH)).await), 200);
}

#[tokio::test(start_paused = true)]
async fn slow_heads_and_bodies_of_the_control_api_are_closed() {
    let hub = hub();
    let head = format!(
        "PUT {PREFIX}/faults HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n"
    );
    for begun in [0, 10, head.len(), head.len() + 3] {
        let (mut ours, theirs) = tokio::io::duplex(1024);
        tokio::spawn(connection(theirs, router(hub.clone())));
        ours.write_all(&format!("{head}[  ").as_bytes()[..begun]).await.expect("the server reads");
        let mut said = Vec::new();
        ours.read_to_end(&mut said).await.expect("the server closes the connection");
        let said = String::from_utf8_lossy(&said);
        assert!(
            if begun < head.len() { said.is_empty() } else { wire::status(&said) == 408 },
            "{begun}: {said}"
        );
    }
    // A body that comes slowly, too.
    let (mut ours, theirs) = tokio::io::duplex(1024);
    tokio::spawn(connection(theirs, router(hub.clone())));
    ours.write_all(head.as_bytes()).await.expect("the server reads");
    for _ in 0..3 {
        tokio::time::advance(std::time::Duration::from_secs(25)).await;
        let _ = ours.write_all(b" ").await;
    }
    let mut said = Vec::new();
    ours.read_to_end(&mut said).await.expect("the server closes the connection");
    assert_eq!(wire::status(&String::from_utf8_lossy(&said)), 408);
    let body = "x".repeat(3 << 20);
    let headers = [("host", "localhost"), ("content-type", "application/json")];
    assert_eq!(response(&hub, Method::PUT, "faults", &headers, &body).await.status(), 413);
}

/// Sends a part of a body of 5 MiB and waits for the answer.
async fn unfinished(mut io: DuplexStream) -> String {
    let head = format!(
        "POST {} HTTP/1.1\r\nhost: sim\r\nconnection: close\r\n\
         content-type: multipart/form-data; boundary=x\r\ncontent-length: {}\r\n\r\n",
        storage::STORE.path,
        5 << 20
    );
    io.write_all(head.as_bytes()).await.expect("the server reads");
    let part = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n";
    // The server stops reading a body for which it has no room.
    let _ = io.write_all(&[&part[..], &vec![b'x'; 4 << 20]].concat()).await;
    let mut said = Vec::new();
    let _ = io.read_to_end(&mut said).await;
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test(start_paused = true)]
async fn bodies_in_flight_share_64_mib() {
    let handle = Handle::new(bound().0.world, ClockMode::Auto);
    let connect = || wire::connect_to(&handle, network::sites::PRIMARY);
    let all = (0..30).map(|_| tokio::spawn(unfinished(connect()))).collect::<Vec<_>>();
    let mut turned_away = 0;
    for said in all {
        let said = said.await.expect("no panic");
        let has_no_room = wire::status(&said) == 503 && said.contains("64 MiB");
        assert!(has_no_room || wire::status(&said) == 408, "{said}");
        turned_away += usize::from(has_no_room);
    }
    assert!(turned_away >= 14, "there is room for the beginnings of 16 bodies, not for those of 30");
    assert_eq!(handle.read(|world| (world.receiving(), world.waiting())), (0, 0));
    // The room is free again.
    let alice = Client::new(1, "a.example");
    assert_eq!(
        wire::status(&wire::exchange(&handle, &alice.call(PREPARE, &vec![b'['; 70_000], EPOCH)).await),
        413
    );
}
