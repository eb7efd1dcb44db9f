//! Over connections: clients that disconnect, and worlds that are copied or restored during an upload.

use assay_sim::drop::SITE;
use assay_sim::serve::{ClockMode, Handle};
use assay_spec::Service;
use tokio::io::AsyncWriteExt;

use crate::common::drop::{DROP, FORM, get, page, upload};
use crate::common::{Call, Driver, wire};
use crate::drop::line::{answer_on, exchange, request, served, until};

#[tokio::test]
async fn client_that_disconnects_frees_its_slot() {
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
    assert_eq!(wire::status(&exchange(&handle, &upload(&page(""))).await), 200);
}

#[tokio::test]
async fn malformed_chunk_ends_the_upload() {
    let handle = served();
    let mut io = wire::connect_to(&handle, SITE);
    let head = format!(
        "POST {DROP} HTTP/1.1\r\nhost: sim\r\ncontent-type: {FORM}\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"
    );
    io.write_all(head.as_bytes()).await.expect("the server reads");
    until(&handle, |world| world.next_exchange() == 2 && world.receiving() == 0).await;
    assert_eq!(wire::status(&exchange(&handle, &upload(&page(""))).await), 200);
}

#[tokio::test]
async fn fork_during_an_upload_has_a_free_slot_and_the_upload_completes() {
    let handle = served();
    let mut io = wire::connect_to(&handle, SITE);
    let bytes = request(&upload(&page("original")), "");
    io.write_all(&bytes[..bytes.len() - 1]).await.expect("the server reads");
    until(&handle, |world| world.receiving() == 1).await;
    let fork = handle.fork(ClockMode::Manual);
    assert_eq!(fork.read(|world| world.view(Service::Drop)["uploads"].clone()), 0);
    assert_eq!(wire::status(&exchange(&fork, &upload(&page("fork"))).await), 200);
    assert_eq!(wire::status(&exchange(&handle, &upload(&page(""))).await), 429);
    io.write_all(&bytes[bytes.len() - 1..]).await.expect("the server reads");
    assert_eq!(wire::status(&answer_on(&mut io).await), 200);
    let drops = |handle: &Handle| {
        handle.read(|world| world.view(Service::Drop)["drops"].as_object().map(serde_json::Map::len))
    };
    assert_eq!((drops(&handle), drops(&fork)), (Some(1), Some(1)));
}

#[tokio::test]
async fn restored_world_forgets_uploads_in_progress() {
    let handle = served();
    let bytes = request(&upload(&page("")), "");
    let mut io = wire::connect_to(&handle, SITE);
    io.write_all(&bytes[..bytes.len() - 1]).await.expect("the server reads");
    until(&handle, |world| world.receiving() == 1).await;
    // The copy is made and restored in the middle of the upload.
    handle.restore(handle.snapshot());
    assert_eq!(
        handle.read(|world| (world.receiving(), world.view(Service::Drop)["uploads"].clone())),
        (0, 0.into())
    );
    assert_eq!(wire::status(&exchange(&handle, &upload(&page(""))).await), 200);
    io.write_all(&bytes[bytes.len() - 1..]).await.expect("the server reads");
    assert_eq!(wire::status(&answer_on(&mut io).await), 503, "the upload belongs to the earlier world");
    let drops = handle.read(|world| world.view(Service::Drop)["drops"].as_object().map(serde_json::Map::len));
    assert_eq!(drops, Some(1));
}

#[tokio::test]
async fn head_has_the_length_of_the_page_and_no_body() {
    let mut driver = Driver::new(1);
    let dropped = driver.drop_zip(&page("0123456789"));
    let handle = Handle::new(driver.world, ClockMode::Manual);
    let answer = exchange(&handle, &Call { method: "HEAD".to_owned(), ..get(dropped.path()) }).await;
    assert_eq!(wire::status(&answer), 200);
    assert!(answer.contains("\r\ncontent-length: 10\r\n") && answer.ends_with("\r\n\r\n"), "{answer}");
    let answer = exchange(&handle, &get(dropped.path())).await;
    assert!(
        answer.contains("\r\ncontent-length: 10\r\n") && answer.ends_with("\r\n\r\n0123456789"),
        "{answer}"
    );
}
