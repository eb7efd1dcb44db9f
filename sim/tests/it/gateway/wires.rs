//! Streams over real connections: frames as they arrive, and connections that break off.

use assay_sim::gateway::{GATEWAY, SERVERS};
use assay_sim::serve::{ClockMode, Handle};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::common::{Driver, wire};
use crate::gateway::model::{chat, post, streamed};

fn served(mode: ClockMode) -> (Handle, String) {
    let driver = Driver::new(1);
    let key = driver.key("valid");
    (Handle::new(driver.world, mode), key)
}

/// Everything until the connection closes, and whether it closes cleanly.
async fn read(mut io: impl AsyncReadExt + Unpin) -> String {
    let mut said = Vec::new();
    // In both cases the bytes that arrived are checked.
    let _ = io.read_to_end(&mut said).await;
    String::from_utf8(said).expect("UTF-8")
}

#[tokio::test]
async fn frames_reach_the_client_while_time_does_not_move() {
    let (handle, key) = served(ClockMode::Manual);
    let mut io = wire::connect_to(&handle, GATEWAY);
    let call = post("/v1/chat/completions", Some(&key), &streamed("assay-chat"));
    io.write_all(&wire::bytes(&call)).await.expect("the server reads");
    let mut seen = String::new();
    while !seen.contains("data: ") {
        seen.push(char::from(io.read_u8().await.expect("the first frame comes at once")));
    }
    assert!(!seen.contains("[DONE]"));
    handle.advance(60_000);
    let rest = read(io).await;
    assert!(rest.contains("[DONE]") && rest.ends_with("0\r\n\r\n"), "{rest}");
}

#[tokio::test]
async fn server_that_dies_cuts_its_connection_after_the_sent_frames() {
    for mode in [ClockMode::Auto, ClockMode::Manual] {
        let (handle, key) = served(mode);
        let fault = json!([{ "fault": "gateway.server-dies" }]);
        let faults = serde_json::from_value(fault).expect("faults");
        handle.change(|world| (world.set_faults(faults).expect("known"), Vec::new()));
        let mut io = wire::connect_to(&handle, SERVERS[0]);
        let call = post("/v1/chat/completions", Some(&key), &streamed("assay-chat"));
        io.write_all(&wire::bytes(&call)).await.expect("the server reads");
        if mode == ClockMode::Manual {
            handle.waiting(1).await;
            handle.advance(60_000);
        }
        let said = read(io).await;
        assert!(said.starts_with("HTTP/1.1 200 OK\r\n"), "{mode:?}: {said}");
        assert!(said.contains("data: {") && !said.contains("[DONE]"), "{mode:?}: {said}");
        assert!(!said.ends_with("0\r\n\r\n"), "{mode:?}: the body does not end");
        assert_eq!(handle.read(assay_sim::World::waiting), 0);
    }
}

#[tokio::test]
async fn server_that_is_down_sends_nothing() {
    let (handle, key) = served(ClockMode::Auto);
    handle.change(|world| {
        let action = world.perform("gateway.server", &json!({ "site": "server-a", "up": false }));
        ((), action.expect("a known action").1)
    });
    let call = post("/v1/chat/completions", Some(&key), &chat("assay-chat"));
    let mut io = wire::connect_to(&handle, SERVERS[0]);
    io.write_all(&wire::bytes(&call)).await.expect("the server reads");
    assert_eq!(read(io).await, "");
    let through = {
        let mut io = wire::connect_to(&handle, GATEWAY);
        io.write_all(&wire::bytes(&call)).await.expect("the server reads");
        read(io).await
    };
    assert_eq!(wire::status(&through), 200);
}

#[tokio::test]
async fn client_that_disconnects_frees_its_stream() {
    let (handle, key) = served(ClockMode::Manual);
    let mut io = wire::connect_to(&handle, GATEWAY);
    let call = post("/v1/chat/completions", Some(&key), &streamed("assay-chat"));
    io.write_all(&wire::bytes(&call)).await.expect("the server reads");
    io.read_u8().await.expect("it begins");
    assert_eq!(handle.read(assay_sim::World::waiting), 1);
    drop(io);
    for _ in 0..1_000 {
        if handle.read(assay_sim::World::waiting) == 0 {
            return;
        }
        tokio::task::yield_now().await;
        handle.advance(1);
    }
    panic!("the stream is still there");
}

/// Time moves by itself unless a request is arriving. The end of that request lets it move again, also when its answer
/// needs no time.
#[tokio::test]
async fn request_that_ends_at_once_lets_time_move_for_the_others() {
    let (handle, key) = served(ClockMode::Auto);
    let mut late = wire::connect_to(&handle, GATEWAY);
    let unknown = wire::bytes(&post("/v1/chat/completions", Some(&key), &chat("none")));
    let (begun, rest) = unknown.split_at(unknown.len() - 1);
    late.write_all(begun).await.expect("the server reads");
    while handle.read(assay_sim::World::receiving) == 0 {
        tokio::task::yield_now().await;
    }
    let mut early = wire::connect_to(&handle, GATEWAY);
    let stream = wire::bytes(&post("/v1/chat/completions", Some(&key), &streamed("assay-chat")));
    early.write_all(&stream).await.expect("the server reads");
    handle.waiting(1).await;
    late.write_all(rest).await.expect("the server reads");
    assert_eq!(wire::status(&read(late).await), 404);
    assert!(read(early).await.contains("[DONE]"));
}
