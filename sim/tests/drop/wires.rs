//! Over connections: early answers while a body is open, clients that leave, copies of worlds, and whose address counts.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use assay_sim::World;
use assay_sim::drop::SITE;
use assay_sim::serve::{ClockMode, Handle, IN_MEMORY, listen};
use assay_spec::Service;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request};
use http_body_util::Full;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tower::ServiceExt;

use crate::common::drop::{DROP, FORM, get, page, upload};
use crate::common::{Call, Driver, wire};

#[tokio::test]
async fn a_second_upload_is_answered_while_both_bodies_are_open() {
    let handle = served();
    both_open(&handle, wire::connect_to(&handle, SITE), wire::connect_to(&handle, SITE)).await;
}

#[tokio::test]
async fn a_second_upload_is_answered_while_both_bodies_are_open_over_sockets() {
    let handle = served();
    let (address, _listener) = listening(&handle).await;
    both_open(&handle, socket(address).await, socket(address).await).await;
}

/// One upload stays open while another one asks and is told at once; then the first one ends well.
async fn both_open(handle: &Handle, mut first: impl Io, mut second: impl Io) {
    let call = upload(&page("first"));
    let bytes = request(&call, "");
    let (begun, rest) = bytes.split_at(bytes.len() - 20);
    first.write_all(begun).await.expect("the server reads");
    until(handle, |world| world.receiving() == 1).await;

    // Of the second body, not a byte is ever sent.
    let head = &bytes[..bytes.len() - call.body.len()];
    second.write_all(head).await.expect("the server reads");
    let answer = answer_on(&mut second).await;
    assert_eq!(wire::status(&answer), 429, "{answer}");
    assert_eq!(handle.read(|world| world.view(Service::Drop)["uploads"].clone()), 1, "the first goes on");

    first.write_all(rest).await.expect("the server reads");
    let answer = answer_on(&mut first).await;
    assert_eq!(wire::status(&answer), 200, "{answer}");
}

#[tokio::test]
async fn a_body_that_is_too_large_is_answered_before_its_end() {
    let handle = served();
    too_large(wire::connect_to(&handle, SITE)).await;
    assert_eq!(handle.read(World::receiving), 0);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_answered_before_its_end_over_sockets() {
    let handle = served();
    let (address, _listener) = listening(&handle).await;
    too_large(socket(address).await).await;
    assert_eq!(handle.read(World::receiving), 0);
}

/// Of a gigabyte that is announced, 24 megabytes are sent; then the client listens.
async fn too_large(mut io: impl Io) {
    let head = format!(
        "POST {DROP} HTTP/1.1\r\nhost: sim\r\ncontent-type: {FORM}\r\ncontent-length: 1000000000\r\n\r\n"
    );
    io.write_all(head.as_bytes()).await.expect("the server reads");
    let frame = vec![b'x'; 1 << 20];
    for _ in 0..24 {
        io.write_all(&frame).await.expect("the server reads on, so that its answer can be read");
    }
    let answer = answer_on(&mut io).await;
    assert_eq!(wire::status(&answer), 413, "{answer}");
}

#[tokio::test]
async fn a_hundred_megabytes_are_not_read_to_their_end() {
    let handle = served();
    let mut io = wire::connect_to(&handle, SITE);
    let head = format!(
        "POST {DROP} HTTP/1.1\r\nhost: sim\r\ncontent-type: {FORM}\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    io.write_all(head.as_bytes()).await.expect("the server reads");
    let frame = [format!("{:x}\r\n", 1 << 20).as_bytes(), &vec![b'x'; 1 << 20], b"\r\n"].concat();
    let mut sent = 0;
    while sent < 100 && io.write_all(&frame).await.is_ok() {
        sent += 1;
    }
    assert!((20..60).contains(&sent), "the server ended the connection after {sent} MiB");
    let answer = answer_on(&mut io).await;
    assert_eq!(wire::status(&answer), 413, "{answer}");
    assert_eq!(wire::status(&ask(&handle, &upload(&page(""))).await), 200);
}

#[tokio::test]
async fn a_refused_upload_that_was_sent_whole_leaves_its_connection_usable() {
    let handle = served();
    let mut held = wire::connect_to(&handle, SITE);
    let bytes = request(&upload(&page("")), "");
    held.write_all(&bytes[..bytes.len() - 1]).await.expect("the server reads");
    until(&handle, |world| world.receiving() == 1).await;
    let mut io = wire::connect_to(&handle, SITE);
    for (call, status) in [
        (upload(&page("")), 429),
        (upload(&vec![b'x'; 1_000_000]), 429),
        (get("/live/x/y"), 404),
        (get(DROP), 405),
    ] {
        io.write_all(&request(&call, "")).await.expect("the connection stands");
        let answer = answer_on(&mut io).await;
        assert_eq!(wire::status(&answer), status, "{answer}");
    }
}

#[tokio::test]
async fn a_client_that_waits_for_leave_to_send_is_told_at_once() {
    let handle = served();
    let call = upload(&page(""));
    let bytes = request(&call, "expect: 100-continue\r\n");
    let head = &bytes[..bytes.len() - call.body.len()];
    let mut first = wire::connect_to(&handle, SITE);
    first.write_all(head).await.expect("the server reads");
    assert_eq!(answer_on(&mut first).await, "HTTP/1.1 100 Continue\r\n\r\n");

    let mut second = wire::connect_to(&handle, SITE);
    second.write_all(head).await.expect("the server reads");
    assert_eq!(wire::status(&answer_on(&mut second).await), 429, "without leave to send");

    first.write_all(&call.body).await.expect("the server reads");
    assert_eq!(wire::status(&answer_on(&mut first).await), 200);
}

#[tokio::test]
async fn a_client_that_leaves_frees_its_slot() {
    let handle = served();
    let bytes = request(&upload(&page("")), "");
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a head") + 4;
    for sent in [head, head + 1, bytes.len() - 1] {
        let mut io = wire::connect_to(&handle, SITE);
        io.write_all(&bytes[..sent]).await.expect("the server reads");
        until(&handle, |world| world.receiving() == 1).await;
        drop(io);
        until(&handle, |world| world.receiving() == 0).await;
        assert_eq!(
            handle.read(|world| world.view(Service::Drop)["uploads"].clone()),
            0,
            "after {sent} bytes"
        );
    }
    assert_eq!(wire::status(&ask(&handle, &upload(&page(""))).await), 200);
}

#[tokio::test]
async fn a_chunk_that_is_none_ends_the_upload() {
    let handle = served();
    let mut io = wire::connect_to(&handle, SITE);
    let head = format!(
        "POST {DROP} HTTP/1.1\r\nhost: sim\r\ncontent-type: {FORM}\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"
    );
    io.write_all(head.as_bytes()).await.expect("the server reads");
    until(&handle, |world| world.next_exchange() == 2 && world.receiving() == 0).await;
    assert_eq!(wire::status(&ask(&handle, &upload(&page(""))).await), 200);
}

#[tokio::test]
async fn a_fork_in_the_middle_of_an_upload_is_free_and_the_upload_completes() {
    let handle = served();
    let mut io = wire::connect_to(&handle, SITE);
    let bytes = request(&upload(&page("original")), "");
    io.write_all(&bytes[..bytes.len() - 1]).await.expect("the server reads");
    until(&handle, |world| world.receiving() == 1).await;
    let fork = handle.fork(ClockMode::Manual);
    assert_eq!(fork.read(|world| world.view(Service::Drop)["uploads"].clone()), 0);
    assert_eq!(wire::status(&ask(&fork, &upload(&page("fork"))).await), 200);
    assert_eq!(wire::status(&ask(&handle, &upload(&page(""))).await), 429);
    io.write_all(&bytes[bytes.len() - 1..]).await.expect("the server reads");
    assert_eq!(wire::status(&answer_on(&mut io).await), 200);
    let drops = |handle: &Handle| {
        handle.read(|world| world.view(Service::Drop)["drops"].as_object().map(serde_json::Map::len))
    };
    assert_eq!((drops(&handle), drops(&fork)), (Some(1), Some(1)));
}

#[tokio::test]
async fn a_world_that_is_put_back_forgets_the_uploads_since_and_those_of_its_own() {
    let handle = served();
    let bytes = request(&upload(&page("")), "");
    let mut io = wire::connect_to(&handle, SITE);
    io.write_all(&bytes[..bytes.len() - 1]).await.expect("the server reads");
    until(&handle, |world| world.receiving() == 1).await;
    // The copy is taken in the middle of the upload, and put back in it.
    handle.restore(handle.snapshot());
    assert_eq!(
        handle.read(|world| (world.receiving(), world.view(Service::Drop)["uploads"].clone())),
        (0, 0.into())
    );
    assert_eq!(wire::status(&ask(&handle, &upload(&page(""))).await), 200);
    io.write_all(&bytes[bytes.len() - 1..]).await.expect("the server reads");
    assert_eq!(wire::status(&answer_on(&mut io).await), 503, "of the world before");
    let drops = handle.read(|world| world.view(Service::Drop)["drops"].as_object().map(serde_json::Map::len));
    assert_eq!(drops, Some(1));
}

#[tokio::test]
async fn a_head_has_the_length_of_the_page_and_no_page() {
    let mut driver = Driver::new(1);
    let dropped = driver.drop_zip(&page("0123456789"));
    let handle = Handle::new(driver.world, ClockMode::Manual);
    let answer = ask(&handle, &Call { method: "HEAD".to_owned(), ..get(dropped.path()) }).await;
    assert_eq!(wire::status(&answer), 200);
    assert!(answer.contains("\r\ncontent-length: 10\r\n") && answer.ends_with("\r\n\r\n"), "{answer}");
    let answer = ask(&handle, &get(dropped.path())).await;
    assert!(
        answer.contains("\r\ncontent-length: 10\r\n") && answer.ends_with("\r\n\r\n0123456789"),
        "{answer}"
    );
}

/// Whether the header is switched on, its values, and whether the caller then counts as 10.0.0.9.
const FORWARDED: &[(bool, &[&str], bool)] = &[
    (true, &["10.0.0.9"], true),
    (false, &["10.0.0.9"], false),
    (true, &[], false),
    (true, &["10.0.0.9, 10.0.0.1"], false),
    (true, &["10.0.0.1, 10.0.0.9"], true),
    (true, &["10.0.0.1,10.0.0.2,\t10.0.0.9  "], true),
    (true, &["10.0.0.1", "10.0.0.9"], true),
    (true, &["10.0.0.9", "10.0.0.1"], false),
    (true, &["::ffff:10.0.0.9"], true),
    (true, &["10.0.0.9:80"], false),
    (true, &["\"10.0.0.9\""], false),
    (true, &["010.0.0.9"], false),
    (true, &["10.0.0.9,"], false),
    (true, &["10.0.0.9, unknown"], false),
    (true, &["10.0.0.9", ""], false),
    (true, &["for=10.0.0.9"], false),
    (true, &["10.0.0.9", "caf\u{e9}"], false),
];

#[tokio::test]
async fn a_forwarding_header_is_believed_only_where_it_is_switched_on() {
    let name = HeaderName::from_static("x-forwarded-for");
    for (on, values, is_it) in FORWARDED {
        // An upload of 10.0.0.9 is on its way: whoever counts as that address is refused.
        let mut driver = Driver::new(1);
        driver.at("10.0.0.9").open(&upload(b""));
        let handle = Handle::new(driver.world, ClockMode::Manual).forwarded_by(on.then(|| name.clone()));
        let call = upload(&page(""));
        let mut request =
            Request::post(DROP).header("content-type", FORM).header("forwarded", "for=10.0.0.9");
        request = request.header("x-real-ip", "10.0.0.9");
        for value in *values {
            request = request.header(&name, HeaderValue::from_bytes(value.as_bytes()).expect("a value"));
        }
        let request = request.body(Full::new(Bytes::from(call.body))).expect("a request");
        for handle in [handle.clone(), handle.fork(ClockMode::Manual)] {
            let forked = handle.read(World::receiving) == 0;
            let reply = handle.site(SITE, IN_MEMORY).oneshot(request.clone()).await.expect("infallible");
            let expected = if *is_it && !forked { 429 } else { 200 };
            assert_eq!(reply.status(), expected, "{on} {values:?}, forked: {forked}");
        }
    }
}

#[tokio::test]
async fn a_fork_believes_the_header_that_its_original_believes() {
    let handle = served().forwarded_by(Some(HeaderName::from_static("x-forwarded-for")));
    for handle in [handle.fork(ClockMode::Manual), handle] {
        for (address, status) in [("10.0.0.1", 200), ("10.0.0.1", 429), ("10.0.0.2", 200)] {
            let limits = serde_json::json!({ "drops_per_hour": 1 });
            handle.change(|world| {
                (world.set_limits(Service::Drop, &limits).expect("a known limit"), Vec::new())
            });
            let request = Request::post(DROP).header("content-type", FORM).header("x-forwarded-for", address);
            let request = request.body(Full::new(Bytes::from(upload(&page("")).body))).expect("a request");
            let reply = handle.site(SITE, IN_MEMORY).oneshot(request).await.expect("infallible");
            assert_eq!(reply.status(), status, "{address}");
        }
    }
}

#[tokio::test]
async fn over_sockets_the_address_is_that_of_the_connection() {
    let handle = served();
    let (address, _listener) = listening(&handle).await;
    let mut call = upload(&page(""));
    call.headers.push(("x-forwarded-for", b"10.0.0.9".to_vec()));
    let mut io = socket(address).await;
    io.write_all(&request(&call, "")).await.expect("the server reads");
    assert_eq!(wire::status(&answer_on(&mut io).await), 200);
    let line = handle.read(|world| format!("{:?}", world.core.journal.entries().next()));
    assert!(line.contains("drop 127.0.0.1 POST /api/drop"), "{line}");
}

trait Io: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> Io for T {}

fn served() -> Handle {
    Handle::new(Driver::new(1).world, ClockMode::Manual)
}

async fn listening(handle: &Handle) -> (SocketAddr, assay_sim::serve::Listener) {
    let (handle, any) = (handle.clone(), SocketAddr::from(([127, 0, 0, 1], 0)));
    let listener = listen(any, move |peer: IpAddr| handle.site(SITE, peer)).await.expect("a port");
    (listener.address, listener)
}

async fn socket(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("somebody listens")
}

/// A call as HTTP/1.1 on a connection that stays; `more` are headers besides its own.
fn request(call: &Call, more: &str) -> Vec<u8> {
    let bytes = wire::bytes(call);
    let line_end = bytes.iter().position(|byte| *byte == b'\n').expect("a request line") + 1;
    let (line, rest) = bytes.split_at(line_end);
    let rest = rest.strip_prefix(b"host: sim\r\nconnection: close\r\n").expect("the headers of every call");
    [line, b"host: sim\r\n", more.as_bytes(), rest].concat()
}

/// Sends a call on a connection of its own and reads its answer.
async fn ask(handle: &Handle, call: &Call) -> String {
    let mut io = wire::connect_to(handle, SITE);
    io.write_all(&wire::bytes(call)).await.expect("the server reads");
    wire::read(io).await
}

/// The next answer on a connection that stays: its head, and as much of a body as the head announces. One that does
/// not come is an error, not a hang.
async fn answer_on(io: &mut (impl AsyncRead + Unpin)) -> String {
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

/// Lets the server go on until it has seen what was sent.
async fn until(handle: &Handle, seen: impl Fn(&World) -> bool) {
    let wait = async {
        while !handle.read(&seen) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wait).await.expect("the server sees what was sent");
}
