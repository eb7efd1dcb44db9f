//! Streams: frame by frame on timers, in order under concurrency, ended by their server, their client or their last
//! frame.

use assay_sim::gateway::{GATEWAY, SERVERS};
use assay_sim::{ExchangeId, Input};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::{Driver, body_of};
use crate::gateway::model::{chat, events, families, post, said, streamed, text_of};

#[test]
fn frames_leave_on_time_and_concatenate_to_the_whole_answer() {
    let mut driver = Driver::new(1);
    let whole = text_of(&driver.chat("assay-chat"));
    let begun = driver.now();
    let exchange = driver.stream(GATEWAY, "assay-chat");
    assert!(driver.reply(exchange).is_none(), "the stream takes time");
    assert_eq!(driver.gateway()["streams"], 1);
    let reply = driver.wait(exchange);
    let events = events(&reply.body);
    assert_eq!(driver.now() - begun, 5 * events.len() as i64, "five milliseconds between frames");
    assert_eq!(reply.headers["content-type"], "text/event-stream");
    assert_eq!(said(&reply.body), whole);
    assert_eq!(events.last().map(String::as_str), Some("[DONE]"));
    assert_eq!(driver.gateway()["streams"], 0);
}

#[test]
fn every_family_streams_in_its_own_format() {
    let mut driver = Driver::new(1);
    let key = driver.key("valid");
    for (path, mut body) in families("assay-chat") {
        body["stream"] = json!(true);
        let reply = driver.request(&post(path, Some(&key), &body));
        assert_eq!(reply.status, 200, "{path}");
        assert_eq!(reply.headers["content-type"], "text/event-stream", "{path}");
        let events = events(&reply.body);
        assert!(events.len() > 3, "{path}: {events:?}");
        for data in events.iter().filter(|data| *data != "[DONE]") {
            assert!(serde_json::from_str::<Value>(data).is_ok_and(|data| data.is_object()), "{path}: {data}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Several concurrent streams, begun and aborted at any time: each that ends is complete and in order.
    #[test]
    fn concurrent_streams_are_complete_and_in_order(
        steps in proptest::collection::vec((0..4_u8, 0..40_i64, 0..8_usize), 1..40)
    ) {
        let mut driver = Driver::new(5);
        let models = ["assay-chat", "assay-text", "assay-draw", "assay-sealed"];
        let whole = models.map(|model| text_of(&driver.chat(model)));
        let mut under_way: Vec<(ExchangeId, usize)> = Vec::new();
        for (what, pause, which) in steps {
            match what {
                0 | 1 => under_way.push((driver.stream(GATEWAY, models[which % 4]), which % 4)),
                2 if !under_way.is_empty() => {
                    let (exchange, _) = under_way.remove(which % under_way.len());
                    driver.input(Input::Abort(exchange));
                }
                _ => {}
            }
            driver.advance(pause);
        }
        for (exchange, model) in under_way {
            let reply = driver.wait(exchange);
            prop_assert_eq!(said(&reply.body), whole[model].clone());
        }
        driver.advance(60_000);
        let view = driver.gateway();
        prop_assert_eq!(&view["streams"], 0);
        let idle = view["servers"].as_array().expect("servers").iter().all(|server| server["busy"] == 0);
        prop_assert!(idle, "no server is busy after its streams end");
    }
}

#[test]
fn client_that_disconnects_frees_its_server_and_timers() {
    let mut driver = Driver::new(1);
    let exchange = driver.stream(GATEWAY, "assay-chat");
    driver.advance(12);
    let busy = |driver: &Driver| {
        let servers = driver.gateway()["servers"].as_array().expect("servers").clone();
        servers.iter().filter_map(|server| server["busy"].as_u64()).sum::<u64>()
    };
    assert_eq!((busy(&driver), driver.gateway()["streams"].clone()), (1, json!(1)));
    driver.input(Input::Abort(exchange));
    assert_eq!((busy(&driver), driver.gateway()["streams"].clone()), (0, json!(0)));
    driver.advance(1_000);
    assert!(driver.reply(exchange).is_none());

    driver.set_faults(&json!([{ "fault": "gateway.server-slow" }]));
    let key = driver.key("valid");
    let waiting = driver.start_at(GATEWAY, &post("/v1/chat/completions", Some(&key), &chat("assay-chat")));
    assert_eq!((busy(&driver), driver.gateway()["waiting"].clone()), (1, json!(1)));
    driver.input(Input::Abort(waiting));
    assert_eq!((busy(&driver), driver.gateway()["waiting"].clone()), (0, json!(0)));
    driver.advance(10_000);
    assert!(driver.reply(waiting).is_none());
}

#[test]
fn server_that_dies_midway_causes_an_error_event_and_cuts_its_own_connections() {
    for fault in ["gateway.server-dies", "gateway.stream-error-event"] {
        let mut driver = Driver::new(1);
        let whole = text_of(&driver.chat("assay-chat"));
        driver.set_faults(&json!([{ "fault": fault }]));
        let exchange = driver.stream(GATEWAY, "assay-chat");
        let reply = driver.wait(exchange);
        let received = events(&reply.body);
        let last: Value = serde_json::from_str(received.last().expect("events")).expect("JSON");
        assert_eq!(reply.status, 200, "the status was sent before the failure");
        assert!(last["error"].is_object(), "{fault}: {last}");
        let part = said(&reply.body);
        assert!(!part.is_empty() && whole.starts_with(&part) && part != whole);

        let direct = driver.stream(SERVERS[1], "assay-chat");
        driver.advance(60_000);
        assert_eq!(driver.cut.contains(&direct), fault == "gateway.server-dies");
        assert_eq!(driver.reply(direct).is_some(), fault != "gateway.server-dies");
    }
}

#[test]
fn stream_that_falls_silent_ends_after_the_silence() {
    let mut driver = Driver::new(1);
    let whole = text_of(&driver.chat("assay-chat"));
    driver.set_faults(&json!([{ "fault": "gateway.stream-silent" }]));
    let [through, direct] = [GATEWAY, SERVERS[1]].map(|site| driver.stream(site, "assay-chat"));
    driver.advance(50_000);
    assert!(driver.reply(through).is_none() && !driver.cut.contains(&direct), "they are silent");
    driver.advance(20_000);
    let reply = driver.reply(through).expect("it ends after the silence");
    let part = said(&reply.body);
    assert!(!part.is_empty() && whole.starts_with(&part) && part != whole);
    assert!(events(&reply.body).last().is_some_and(|data| data.contains("error")));
    assert!(driver.cut.contains(&direct));
}

#[test]
fn server_that_goes_down_ends_its_streams() {
    let mut driver = Driver::new(1);
    let [through, direct] = [GATEWAY, SERVERS[2]].map(|site| driver.stream(site, "assay-draw"));
    driver.advance(7);
    driver.perform("gateway.server", &json!({ "site": "server-c", "up": false }));
    let reply = driver.reply(through).expect("it ends at once");
    let received = events(&reply.body);
    assert!(received.last().is_some_and(|data| data.contains("error")), "{received:?}");
    assert!(driver.cut.contains(&direct));
    assert_eq!(driver.chat("assay-draw").status, 503);
    driver.perform("gateway.server", &json!({ "site": "server-c", "up": true }));
    assert_eq!(driver.chat("assay-draw").status, 200);
}

#[test]
fn error_before_the_stream_is_a_plain_response() {
    let mut driver = Driver::new(1);
    let key = driver.key("valid");
    let mut refused = |key: Option<&str>, body: &Value| {
        let reply = driver.request(&post("/v1/chat/completions", key, body));
        assert_eq!(reply.headers["content-type"], "application/json");
        assert!(body_of(&reply)["detail"].is_string());
        reply.status
    };
    assert_eq!(refused(None, &streamed("assay-chat")), 401);
    assert_eq!(refused(Some(&key), &streamed("nobody")), 404);
    assert_eq!(refused(Some(&key), &json!({ "model": "assay-chat", "stream": true, "messages": 1 })), 422);
}

#[test]
fn variations_change_the_form_of_a_stream_but_not_its_content() {
    let mut driver = Driver::new(1);
    let whole = text_of(&driver.chat("assay-chat"));
    for variation in [
        "gateway.no-sentinel",
        "gateway.stream-charset",
        "gateway.stream-crlf",
        "gateway.stream-comments",
        "gateway.stream-fields",
        "gateway.stream-no-blank",
        "gateway.stream-one-frame",
        "gateway.stream-split",
        "gateway.stream-usage",
        "gateway.stream-empty-deltas",
        "gateway.stream-slow",
        "gateway.bare-replies",
        "gateway.finish-reason",
        "gateway.id-shapes",
        "wire.json-space",
        "wire.json-order",
        "wire.json-extra",
        "wire.chunks",
    ] {
        driver.set_variations(&[variation]);
        let exchange = driver.stream(GATEWAY, "assay-chat");
        let reply = driver.wait(exchange);
        assert_eq!(said(&reply.body), whole, "{variation}");
        let ends = events(&reply.body).last().is_some_and(|data| data == "[DONE]");
        assert_eq!(ends, variation != "gateway.no-sentinel", "{variation}");
    }
}
