//! Requests that overlap, over in-memory connections: one succeeds, the others are rejected.

use crate::common::{Client, Driver, bound, wire};
use assay_sim::World;
use assay_sim::clock::EPOCH;
use assay_sim::serve::{ClockMode, Handle};
use assay_spec::Service;
use serde_json::{Value, json};

#[tokio::test]
async fn second_of_two_concurrent_submits_conflicts() {
    let (mut driver, alice) = bound();
    let prepared = driver.prepare(&alice);
    let submit = alice.submit(&prepared, None, driver.now());
    let handle = held(driver);
    let mut first = wire::send(&handle, &wire::bytes(&submit)).await;
    wire::until_waiting(&handle, 1, &mut first).await;
    let again = alice.submit_signed(&prepared.id, "AA==", None, EPOCH);
    for second in [&submit, &again] {
        let answer = wire::exchange(&handle, second).await;
        assert_eq!(wire::status(&answer), 409, "{answer}");
    }
    assert_eq!((landed(&handle), handle.read(|world| world.core.now())), (0, EPOCH), "time is held");
    release(&handle);
    let answer = wire::read(first).await;
    assert_eq!(wire::status(&answer), 200, "{answer}");
    assert_eq!(landed(&handle), 1);
}

#[tokio::test]
async fn without_a_hold_time_jumps_to_the_confirmation() {
    let (mut driver, alice) = bound();
    let prepared = driver.prepare(&alice);
    let submit = alice.submit(&prepared, None, driver.now());
    let handle = Handle::new(driver.world, ClockMode::Auto);
    let answers = tokio::join!(wire::exchange(&handle, &submit), wire::exchange(&handle, &submit));
    assert_eq!([&answers.0, &answers.1].map(|answer| wire::status(answer)), [200, 200]);
    assert_eq!((landed(&handle), handle.read(|world| world.core.now())), (1, EPOCH + 800));
}

#[tokio::test]
async fn one_of_many_concurrent_prepares_gets_the_lock() {
    let (driver, alice) = bound();
    let handle = Handle::new(driver.world, ClockMode::Auto);
    let calls: Vec<_> = (0..10).map(|n| alice.publish(EPOCH + n)).collect();
    let asked: Vec<_> = calls
        .into_iter()
        .map(|call| {
            let handle = handle.clone();
            tokio::spawn(async move { wire::status(&wire::exchange(&handle, &call).await) })
        })
        .collect();
    let mut statuses = Vec::new();
    for one in asked {
        statuses.push(one.await.expect("an answer"));
    }
    statuses.sort_unstable();
    assert_eq!(statuses[..2], [200, 409]);
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 9);
}

#[tokio::test]
async fn domains_do_not_wait_for_each_other() {
    let (mut driver, alice) = bound();
    let bob = Client::new(2, "b.example");
    driver.bind(&bob);
    let calls = [&alice, &bob].map(|client| {
        let prepared = driver.prepare(client);
        client.submit(&prepared, None, EPOCH)
    });
    let handle = held(driver);
    let mut first = wire::send(&handle, &wire::bytes(&calls[0])).await;
    wire::until_waiting(&handle, 1, &mut first).await;
    let mut second = wire::send(&handle, &wire::bytes(&calls[1])).await;
    wire::until_waiting(&handle, 2, &mut second).await;
    release(&handle);
    for io in [second, first] {
        assert_eq!(wire::status(&wire::read(io).await), 200);
    }
    assert_eq!(landed(&handle), 2);
}

#[tokio::test]
async fn restore_leaves_no_request_waiting() {
    let (mut driver, alice) = bound();
    let before = driver.world.clone();
    let prepared = driver.prepare(&alice);
    let submit = alice.submit(&prepared, None, driver.now());
    let handle = held(driver);
    let mut first = wire::send(&handle, &wire::bytes(&submit)).await;
    wire::until_waiting(&handle, 1, &mut first).await;
    handle.restore(before);
    assert_eq!(wire::status(&wire::read(first).await), 503);
    assert_eq!(wire::status(&wire::exchange(&handle, &submit).await), 410, "the prepare does not exist");
}

#[tokio::test]
async fn submit_of_a_client_that_disconnects_still_publishes_once() {
    let (mut driver, alice) = bound();
    let prepared = driver.prepare(&alice);
    let submit = alice.submit(&prepared, None, driver.now());
    let handle = Handle::new(driver.world, ClockMode::Manual);
    let mut io = wire::send(&handle, &wire::bytes(&submit)).await;
    wire::until_waiting(&handle, 1, &mut io).await;
    drop(io);
    handle.advance(1_000);
    let view = handle.read(|world| world.view(Service::Publish));
    assert_eq!(view["chain"]["transactions"], 1);
    assert_eq!(view["bindings"]["a.example"]["locked_by"], Value::Null);
    assert_eq!(handle.read(World::waiting), 0);
    let repeated = wire::exchange(&handle, &submit).await;
    assert_eq!(wire::status(&repeated), 200);
    assert_eq!(handle.read(|world| world.view(Service::Publish)), view);
}

#[test]
fn lock_of_a_domain_outlives_its_binding() {
    let (mut driver, alice) = bound();
    let first = driver.prepare(&alice);
    for unbind in [false, true] {
        if unbind {
            driver.perform("publish.unbind", &json!({ "domain": "a.example" }));
            assert_eq!(driver.send(&alice.publish(driver.now())).status, 404);
        }
        driver.bind(&alice);
        assert_eq!(driver.send(&alice.publish(driver.now())).status, 409);
        assert_eq!(driver.view()["bindings"]["a.example"]["publishes_today"], 1);
    }
    driver.perform("publish.unbind", &json!({ "domain": "a.example" }));
    driver.advance(60_000);
    driver.bind(&alice);
    let second = driver.prepare(&alice);
    assert_ne!(first.id, second.id, "a prepareId never comes back");
    assert_eq!(driver.submit(&alice, &first, None).status, 410);
    assert_eq!(driver.submit(&alice, &second, None).status, 200);
}

fn held(mut driver: Driver) -> Handle {
    driver.set_faults(&json!([{ "fault": "hold" }]));
    Handle::new(driver.world, ClockMode::Auto)
}

fn release(handle: &Handle) {
    handle.change(|world| (world.set_faults(Vec::new()).expect("no faults"), Vec::new()));
}

fn landed(handle: &Handle) -> u64 {
    handle.read(|world| world.view(Service::Publish))["chain"]["transactions"].as_u64().expect("a count")
}
