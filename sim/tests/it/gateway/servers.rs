//! Servers called directly: the same answers, without failover.

use assay_sim::gateway::{ENCLAVE, GATEWAY, SERVERS};
use serde_json::json;

use crate::common::Driver;
use crate::gateway::model::{chat, families, get, post, text_of};

#[test]
fn server_answers_like_the_gateway_except_for_cookie_and_discovery() {
    let mut driver = Driver::new(1);
    let key = driver.key("valid");
    let through = driver.chat("assay-chat");
    for site in SERVERS {
        let reply = driver.ask_at(site, &post("/v1/chat/completions", Some(&key), &chat("assay-chat")));
        assert_eq!(text_of(&reply), text_of(&through), "the model is the same everywhere");
        assert!(reply.headers.get("set-cookie").is_none());
        for (path, body) in families("assay-chat") {
            assert_eq!(driver.ask_at(site, &post(path, Some(&key), &body)).status, 200, "{path}");
        }
        assert_eq!(driver.ask_at(site, &get("/svc/models", Some(&key))).status, 404);
        assert_eq!(driver.ask_at(site, &get("/svc/auth/check", Some(&key))).status, 200);
        assert_eq!(driver.ask_at(site, &get("/v1/models", Some(&key))).status, 200);
    }
}

#[test]
fn server_knows_only_the_models_that_it_runs() {
    let mut driver = Driver::new(1);
    let key = driver.key("valid");
    let sites = [SERVERS[0], SERVERS[1], SERVERS[2], ENCLAVE];
    let runs: [(&str, [u16; 4]); 4] = [
        ("assay-chat", [200, 200, 200, 404]),
        ("assay-text", [200, 200, 404, 404]),
        ("assay-draw", [404, 404, 200, 404]),
        ("assay-sealed", [404, 404, 404, 200]),
    ];
    for (model, expected) in runs {
        let call = post("/v1/chat/completions", Some(&key), &chat(model));
        assert_eq!(sites.map(|site| driver.ask_at(site, &call).status), expected, "{model}");
    }
}

#[test]
fn failing_server_does_not_affect_others() {
    let mut driver = Driver::new(1);
    let key = driver.key("valid");
    let call = post("/v1/chat/completions", Some(&key), &chat("assay-chat"));
    for (fault, cut, status) in [
        ("gateway.server-down", true, None),
        ("gateway.server-dies", true, None),
        ("gateway.server-wrong-answer", false, Some(500)),
        ("gateway.server-slow", false, Some(200)),
    ] {
        driver.set_faults(&json!([{ "fault": fault, "where": { "server": "server-a" } }]));
        let begun = driver.now();
        let exchange = driver.start_at(SERVERS[0], &call);
        driver.advance(60_000);
        assert_eq!(driver.cut.contains(&exchange), cut, "{fault}");
        assert_eq!(driver.reply(exchange).map(|reply| reply.status), status, "{fault} since {begun}");
        assert_eq!(driver.ask_at(SERVERS[1], &call).status, 200, "the others work");
    }
    driver.set_faults(&json!([]));
    driver.perform("gateway.server", &json!({ "site": "server-a", "up": false }));
    for call in [call.clone(), get("/v1/models", None), get("/nowhere", None)] {
        let exchange = driver.start_at(SERVERS[0], &call);
        assert!(driver.cut.contains(&exchange), "the connection is not accepted");
    }
    assert_eq!(driver.ask_at(GATEWAY, &call).status, 200);
}
