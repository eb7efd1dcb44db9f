//! Where the rows of the gateway apply.

use assay_sim::Site;
use assay_sim::gateway::{GATEWAY, SERVERS};
use assay_spec::gateway::places::{DISCOVERY, INFERENCE, MODELS};
use assay_spec::{Place, Service};
use serde_json::{Value, json};

use crate::common::places::edits_act_where_declared;
use crate::common::{Call, Driver, show};
use crate::gateway::model::{chat, families, get, post, post_bytes, streamed};

/// Requests of every kind: each endpoint, valid, without a part, and with wrong members; with each key, or none.
fn calls(driver: &Driver) -> Vec<Call> {
    let mut calls = Vec::new();
    let keys = ["valid", "revoked"].map(|state| driver.key(state));
    let keys = [Some(keys[0].as_str()), Some(keys[1].as_str()), Some("unknown"), None];
    let tool = json!({ "type": "function", "function": { "name": "f", "parameters": { "type": "object" } } });
    let parts = json!([
        { "type": "text", "text": "x" },
        { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } },
    ]);
    let mut bodies: Vec<(&str, Value)> = families("assay-chat").to_vec();
    for chat in [chat("assay-chat"), streamed("assay-chat")] {
        let with = |pointer: &str, value: Value| {
            let mut body = chat.clone();
            match pointer {
                "tools" => body["tools"] = value,
                other => *body.pointer_mut(other).expect("a member") = value,
            }
            ("/v1/chat/completions", body)
        };
        bodies.extend([
            with("tools", json!([tool])),
            with("tools", json!({})),
            with("/messages/0/content", parts.clone()),
            with("/messages/0/content", json!({})),
            with("/messages/0/role", json!("wizard")),
            with("/messages", json!({})),
        ]);
        bodies.push(("/v1/chat/completions", chat));
    }
    for (path, body) in bodies {
        let mut unknown = body.clone();
        unknown["model"] = json!("nobody");
        for body in [body, unknown] {
            calls.extend(keys.map(|key| post(path, key, &body)));
        }
    }
    for (path, _) in families("assay-chat") {
        for body in [&b"no JSON"[..], b"\xff", b"[]", b"{\"a\":1e999}"] {
            calls.push(post_bytes(path, keys[0], body.to_vec()));
        }
    }
    for path in ["/v1/models", "/svc/models", "/svc/auth/check", "/v1/nothing//%00"] {
        calls.extend(keys.map(|key| get(path, key)));
    }
    calls
}

/// What a client meets with every request at a site; then while every server of a model fails, and while the payment flow is
/// on.
fn meet(driver: &mut Driver, site: Site) -> Vec<String> {
    let mut seen = Vec::new();
    let mut ask = |driver: &mut Driver| {
        for call in calls(driver) {
            let reply = driver.ask_at(site, &call);
            seen.push(format!("{} {}: {} {:?}", call.method, call.target, show(&reply), reply.headers));
        }
    };
    ask(driver);
    if site == GATEWAY {
        driver.down(&["server-a"]);
        ask(driver);
        driver.down(&["server-a", "server-b", "server-c"]);
        ask(driver);
        driver.down(&[]);
        driver.perform("gateway.payments", &json!({ "on": true }));
        ask(driver);
    }
    seen
}

#[test]
fn rows_decide_where_they_declare_it() {
    let mut driver = Driver::new(1);
    driver.world.core.watch_places();
    for site in [GATEWAY, SERVERS[0], SERVERS[2]] {
        meet(&mut driver, site);
    }
    driver.rows_are_at_their_places().expect("declared places");
    assert!(driver.world.core.visits().count() > 50);
}

#[test]
fn edits_act_where_their_rows_declare_it() {
    let places: Vec<Place> = [INFERENCE, MODELS, DISCOVERY].concat();
    edits_act_where_declared(Service::Gateway, &places, |deviations| {
        let mut driver = Driver::new(1);
        driver.world.set_deviations(deviations).expect("known deviations");
        [GATEWAY, SERVERS[0]].into_iter().flat_map(|site| meet(&mut driver, site)).collect()
    });
}
