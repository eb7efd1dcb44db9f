//! Which address counts: the connection's, or the last one in a trusted header.

use assay_sim::World;
use assay_sim::drop::SITE;
use assay_sim::serve::{ClockMode, Handle, IN_MEMORY};
use assay_spec::Service;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request};
use http_body_util::Full;
use tokio::io::AsyncWriteExt;
use tower::ServiceExt;

use crate::common::drop::{DROP, FORM, page, upload};
use crate::common::{Driver, wire};
use crate::drop::line::{answer_on, listening, request, served, socket};

/// Whether the header is trusted, its values, and whether the caller then counts as 10.0.0.9.
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
async fn forwarding_header_is_trusted_only_if_enabled() {
    let name = HeaderName::from_static("x-forwarded-for");
    for (on, values, is_it) in FORWARDED {
        // An upload of 10.0.0.9 is in progress: a caller that counts as that address is rejected.
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
async fn fork_trusts_the_same_header_as_its_origin() {
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
async fn over_sockets_the_address_is_the_connections() {
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
