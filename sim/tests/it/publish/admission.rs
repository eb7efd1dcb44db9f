//! Which key may do what in each state of a binding: the whole table, one prepare per cell.

use crate::common::{Client, Driver};
use serde_json::json;

/// The states of a binding that an outsider can distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unbound,
    Bound,
    Pending,
    Accepted,
}

/// Whose key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Bound,
    Incoming,
    Other,
}

/// A world whose `a.example` is in this state, and the three keys.
fn world_in(state: State) -> (Driver, [Client; 3]) {
    let mut driver = Driver::new(1);
    let [bound, incoming, other] = [1, 2, 3].map(|key| Client::new(key, "a.example"));
    if state != State::Unbound {
        driver.bind(&bound);
    }
    if matches!(state, State::Pending | State::Accepted) {
        let authority = format!("chain:{}", incoming.address());
        let prepared = driver.prepare_of(&bound, &json!({ "op": "transfer", "newAuthority": authority }));
        assert_eq!(driver.submit(&bound, &prepared, None).status, 200);
    }
    if state == State::Accepted {
        let prepared = driver.prepare_of(&incoming, &json!({ "op": "accept" }));
        assert_eq!(driver.submit(&incoming, &prepared, Some("accept")).status, 200);
    }
    (driver, [bound, incoming, other])
}

#[test]
fn every_key_in_every_state_with_every_op() {
    use Key::{Bound, Incoming, Other};
    for state in [State::Unbound, State::Bound, State::Pending, State::Accepted] {
        for op in ["pub", "transfer", "accept"] {
            for (n, key) in [Bound, Incoming, Other].into_iter().enumerate() {
                let expected = match (state, op, key) {
                    (State::Bound, "pub" | "transfer", Bound) => 200,
                    (State::Pending | State::Accepted, "pub" | "transfer", Bound) => 409,
                    (State::Pending, "accept", Incoming) => 200,
                    (State::Accepted, "accept", Incoming) => 409,
                    _ => 404,
                };
                let (mut driver, clients) = world_in(state);
                let client = &clients[n];
                let third = format!("chain:{}", Client::new(4, "a.example").address());
                let body = match op {
                    "transfer" => json!({ "op": op, "newAuthority": third }),
                    "accept" => json!({ "op": op }),
                    _ => json!({ "op": op, "cid": "bafy" }),
                };
                let before = driver.view();
                let reply = driver.send(&client.prepare(&body, driver.now()));
                assert_eq!(reply.status, expected, "{state:?}, {op} by the {key:?} key");
                if expected != 200 {
                    assert_eq!(driver.view(), before, "{state:?}, {op} by the {key:?} key changes nothing");
                }
            }
        }
    }
}

#[test]
fn operator_confirmation_completes_the_transfer() {
    for state in [State::Pending, State::Accepted] {
        let (mut driver, [old, new, _]) = world_in(state);
        driver.perform("publish.confirm-transfer", &json!({ "domain": "a.example" }));
        assert_eq!(driver.send(&old.publish(driver.now())).status, 404, "{state:?}");
        assert_eq!(driver.send(&new.publish(driver.now())).status, 200, "{state:?}");
    }
}

#[test]
fn last_of_two_ops_decides_admission() {
    let (mut driver, [bound, ..]) = world_in(State::Bound);
    let body = r#"{"domain":"a.example","cid":"bafy","op":"pub","op":"accept"}"#;
    let call = bound.call(crate::common::PREPARE, body.as_bytes(), driver.now());
    assert_eq!(driver.send(&call).status, 404, "an accept without a pending transfer");
}

#[test]
fn record_too_large_for_any_message_is_rejected_without_the_limit() {
    let (mut driver, [bound, ..]) = world_in(State::Bound);
    driver.world.set_deviations(&["limit:publish.record-bytes=65535".to_owned()]).expect("a deviation");
    let body = json!({ "cid": "x".repeat(65_480) });
    assert_eq!(driver.send(&bound.prepare(&body, driver.now())).status, 400);
}

#[test]
fn hold_takes_no_conditions() {
    let (mut driver, _) = world_in(State::Bound);
    let set = |fault: serde_json::Value| vec![serde_json::from_value(fault).expect("a fault")];
    assert!(driver.world.set_faults(set(json!({ "fault": "hold", "nth": 2 }))).is_err());
    assert!(driver.world.set_faults(set(json!({ "fault": "hold" }))).is_ok());
}
