//! Responses that arrive while a body is being sent, over in-memory connections and sockets.

use assay_sim::World;
use assay_sim::drop::SITE;
use assay_sim::serve::Handle;
use assay_spec::Service;
use tokio::io::AsyncWriteExt;

use crate::common::drop::{DROP, FORM, get, page, upload};
use crate::common::wire;
use crate::drop::line::{Io, answer_on, exchange, listening, request, served, socket, until};

#[tokio::test]
async fn second_upload_is_answered_while_both_bodies_are_open() {
    let handle = served();
    both_open(&handle, wire::connect_to(&handle, SITE), wire::connect_to(&handle, SITE)).await;
}

#[tokio::test]
async fn second_upload_is_answered_while_both_bodies_are_open_over_sockets() {
    let handle = served();
    let (address, _listener) = listening(&handle).await;
    both_open(&handle, socket(address).await, socket(address).await).await;
}

/// One upload stays open while another one starts and is rejected at once; then the first one succeeds.
async fn both_open(handle: &Handle, mut first: impl Io, mut second: impl Io) {
    let call = upload(&page("first"));
    let bytes = request(&call, "");
    let (begun, rest) = bytes.split_at(bytes.len() - 20);
    first.write_all(begun).await.expect("the server reads");
    until(handle, |world| world.receiving() == 1).await;

    // Not one byte of the second body is ever sent.
    let head = &bytes[..bytes.len() - call.body.len()];
    second.write_all(head).await.expect("the server reads");
    let answer = answer_on(&mut second).await;
    assert_eq!(wire::status(&answer), 429, "{answer}");
    assert_eq!(handle.read(|world| world.view(Service::Drop)["uploads"].clone()), 1, "the first continues");

    first.write_all(rest).await.expect("the server reads");
    let answer = answer_on(&mut first).await;
    assert_eq!(wire::status(&answer), 200, "{answer}");
}

#[tokio::test]
async fn oversized_body_is_answered_before_its_end() {
    let handle = served();
    too_large(wire::connect_to(&handle, SITE)).await;
    assert_eq!(handle.read(World::receiving), 0);
}

#[tokio::test]
async fn oversized_body_is_answered_before_its_end_over_sockets() {
    let handle = served();
    let (address, _listener) = listening(&handle).await;
    too_large(socket(address).await).await;
    assert_eq!(handle.read(World::receiving), 0);
}

/// Of an announced gigabyte, 24 megabytes are sent; then the client reads.
async fn too_large(mut io: impl Io) {
    let head = format!(
        "POST {DROP} HTTP/1.1\r\nhost: sim\r\ncontent-type: {FORM}\r\ncontent-length: 1000000000\r\n\r\n"
    );
    io.write_all(head.as_bytes()).await.expect("the server reads");
    let frame = vec![b'x'; 1 << 20];
    for _ in 0..24 {
        io.write_all(&frame).await.expect("the server keeps reading, so that the client can read its answer");
    }
    let answer = answer_on(&mut io).await;
    assert_eq!(wire::status(&answer), 413, "{answer}");
}

#[tokio::test]
async fn hundred_megabytes_are_not_read_to_their_end() {
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
    assert!((20..60).contains(&sent), "the server closed the connection after {sent} MiB");
    let answer = answer_on(&mut io).await;
    assert_eq!(wire::status(&answer), 413, "{answer}");
    assert_eq!(wire::status(&exchange(&handle, &upload(&page(""))).await), 200);
}

#[tokio::test]
async fn rejected_upload_sent_completely_leaves_its_connection_usable() {
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
        io.write_all(&request(&call, "")).await.expect("the connection is open");
        let answer = answer_on(&mut io).await;
        assert_eq!(wire::status(&answer), status, "{answer}");
    }
}

#[tokio::test]
async fn client_that_expects_100_continue_is_rejected_at_once() {
    let handle = served();
    let call = upload(&page(""));
    let bytes = request(&call, "expect: 100-continue\r\n");
    let head = &bytes[..bytes.len() - call.body.len()];
    let mut first = wire::connect_to(&handle, SITE);
    first.write_all(head).await.expect("the server reads");
    assert_eq!(answer_on(&mut first).await, "HTTP/1.1 100 Continue\r\n\r\n");

    let mut second = wire::connect_to(&handle, SITE);
    second.write_all(head).await.expect("the server reads");
    assert_eq!(wire::status(&answer_on(&mut second).await), 429, "without 100 Continue");

    first.write_all(&call.body).await.expect("the server reads");
    assert_eq!(wire::status(&answer_on(&mut first).await), 200);
}
