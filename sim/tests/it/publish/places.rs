//! Where deviations act: at the places that their rows declare, and at no other.

use crate::common::places::edits_act_where_declared;
use crate::common::{Client, Driver, show};
use assay_spec::Service;
use assay_spec::publish::places::EVERY;
use serde_json::json;

/// What a client of the exchange meets who publishes, transfers and accepts, with some mistakes, while these deviations
/// are active. The replies, and the end of the day.
fn day(deviations: &[String]) -> Vec<String> {
    let mut driver = Driver::new(1);
    driver.world.set_deviations(deviations).expect("known deviations");
    let [old, new, other] = [1, 2, 3].map(|key| Client::new(key, "a.example"));
    let unbound = Client::new(1, "b.example");
    driver.bind(&old);
    let mut seen = Vec::new();
    let mut send = |driver: &mut Driver, call| {
        let exchange = driver.start(&call);
        let reply = driver.wait(exchange);
        seen.push(format!("{} {:?}", show(&reply), reply.headers));
        reply
    };
    let third = Client::new(4, "a.example").address();
    let bodies = [
        json!({ "cid": "bafy/\u{e9}", "version": "2", "op": "pub" }),
        json!({ "op": "transfer", "newAuthority": format!("chain:{}", new.address()) }),
        json!({ "op": "accept" }),
        json!({ "op": "accept" }),
        json!({ "cid": "bafy" }),
        json!({ "op": "transfer", "newAuthority": format!("chain:{third}") }),
    ];
    for (n, body) in bodies.iter().enumerate() {
        let (signer, op) = if body["op"] == "accept" { (&new, Some("accept")) } else { (&old, None) };
        // An invalid request of each kind, then the request, twice, then the submit, wrong and right, twice.
        for client in [&other, &unbound] {
            let now = driver.now();
            send(&mut driver, client.prepare(body, now));
        }
        let mut incomplete = body.clone();
        incomplete["cid"] = json!(7);
        incomplete["newAuthority"] = json!(7);
        let now = driver.now();
        send(&mut driver, signer.call(crate::common::PREPARE, incomplete.to_string().as_bytes(), now));
        let now = driver.now();
        let reply = send(&mut driver, signer.prepare(body, now));
        let now = driver.now();
        send(&mut driver, signer.prepare(body, now));
        if reply.status == 200 && n < 3 {
            let prepared = crate::common::Prepared::read(&reply);
            let now = driver.now();
            send(&mut driver, signer.submit_signed(&prepared.id, "AA==", op, now));
            send(&mut driver, other.submit(&prepared, op, now));
            for _ in 0..2 {
                let now = driver.now();
                send(&mut driver, signer.submit(&prepared, op, now));
            }
        }
        let now = driver.now();
        send(&mut driver, signer.submit_signed("none", "AA==", op, now));
        driver.advance(61_000);
    }
    seen
}

#[test]
fn edits_act_where_their_rows_declare_it() {
    edits_act_where_declared(Service::Publish, EVERY, day);
}

#[test]
fn a_deviation_acts_at_its_place_only() {
    let statuses = |at: &str| {
        let (mut driver, alice) = crate::common::bound();
        driver.world.set_deviations(&[format!("publish.envelope.signature{at}")]).expect("a place");
        let mallory = Client::new(9, &alice.domain);
        let to = Client::new(8, &alice.domain);
        let now = driver.now();
        let calls = [mallory.publish(now), mallory.transfer(&to, now)];
        calls.map(|call| {
            driver.advance(61_000);
            driver.send(&call).status
        })
    };
    assert_eq!(statuses(""), [200, 200]);
    assert_eq!(statuses("@op=transfer"), [404, 200]);
    assert_eq!(statuses("@endpoint=prepare,op=pub"), [200, 404]);
    assert_eq!(statuses("@endpoint=submit"), [404, 404]);
    assert_eq!(statuses("@state=bound"), [200, 200]);
    assert_eq!(statuses("@state=locked"), [404, 404]);
    let unknown = Driver::new(1).world.set_deviations(&["publish.envelope.signature@op=burn".to_owned()]);
    assert!(unknown.is_err_and(|why| why.contains("known: accept, pub, transfer")));
}
