//! Instances: created, read, listed, updated, and controlled along their table.

use std::net::Ipv6Addr;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{INSTANCES, put, send, take};
use crate::common::drop::get;
use crate::common::net::{Wallet, message, post, refused};
use crate::common::{Driver, body_of, show};

fn wanted(name: &str) -> Value {
    json!({
        "name": name, "description": "d", "cpu": 2, "memory": 2048, "disk": 20, "image": "debian",
        "ssh_key": "ssh-ed25519 AAAA", "firewall": { "allowedPorts": [22, 443] },
    })
}

/// Creates an instance; returns its identifier.
fn create(driver: &mut Driver, wallet: &Wallet, name: &str) -> String {
    let body = take(driver, wallet, INSTANCES, "INSTANCE", &wanted(name));
    assert!(body["ipv6"].as_str().expect("an address").parse::<Ipv6Addr>().is_ok());
    body["instance_id"].as_str().expect("an identifier").to_owned()
}

fn control(driver: &mut Driver, wallet: &Wallet, id: &str, action: &str) -> u16 {
    let content = json!({ "instance_id": id, "action": action });
    // Two actions in the same second would be one message.
    driver.advance(1_000);
    send(driver, wallet, &format!("{INSTANCES}/{id}/control"), "INSTANCE_CONTROL", &content).status
}

fn update(driver: &mut Driver, wallet: &Wallet, path_id: &str, content: &Value) -> u16 {
    let envelope = wallet.envelope(&message(driver, "INSTANCE_UPDATE", content));
    driver.net(&put(&format!("{INSTANCES}/{path_id}"), &envelope)).status
}

fn read(driver: &mut Driver, id: &str) -> Value {
    driver.read(&format!("{INSTANCES}/{id}"))
}

#[test]
fn an_instance_has_the_requested_values() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let reply = send(&mut driver, &wallet, INSTANCES, "INSTANCE", &wanted("one"));
    let created = body_of(&reply);
    let id = created["instance_id"].as_str().expect("an identifier");
    let now = driver.now().seconds();
    assert_eq!(
        read(&mut driver, id),
        json!({
            "instance_id": id, "owner": wallet.address, "name": "one", "description": "d", "cpu": 2, "memory": 2048,
            "disk": 20, "image": "debian", "ipv6": created["ipv6"], "status": "running", "created_at": now,
            "updated_at": now,
        })
    );
    // The same message sent again creates nothing.
    let again = body_of(&send(&mut driver, &wallet, INSTANCES, "INSTANCE", &wanted("one")));
    assert_eq!(again, created);
    assert_eq!(driver.read(INSTANCES)["pagination"]["total"], 1);
    assert_eq!(refused(&driver.net(&get(&format!("{INSTANCES}/nobody")))), 404);
}

#[test]
fn updates_change_only_the_given_members() {
    let (mut driver, wallet, other) = (Driver::unhurried(1), Wallet::new(1), Wallet::new(2));
    let id = create(&mut driver, &wallet, "one");
    driver.advance(5_000);
    assert_eq!(update(&mut driver, &wallet, &id, &json!({ "instance_id": id, "name": "two" })), 200);
    let after = read(&mut driver, &id);
    assert_eq!((&after["name"], &after["description"]), (&json!("two"), &json!("d")));
    assert_eq!(after["updated_at"].as_i64(), Some(driver.now().seconds()));
    assert_eq!(after["created_at"].as_i64(), Some(driver.now().seconds() - 5));
    let all =
        json!({ "instance_id": id, "name": "3", "description": "4", "firewall": { "allowedPorts": [] } });
    assert_eq!(update(&mut driver, &wallet, &id, &all), 200);
    assert_eq!(read(&mut driver, &id)["description"], "4");
    assert_eq!(update(&mut driver, &wallet, "inst-0", &json!({ "instance_id": "inst-0", "name": "x" })), 404);
    assert_eq!(
        update(&mut driver, &wallet, "inst-0", &json!({ "instance_id": id, "name": "x" })),
        400,
        "path and content differ"
    );
    assert_eq!(
        update(&mut driver, &other, &id, &json!({ "instance_id": id, "name": "x" })),
        403,
        "not its owner"
    );
    assert_eq!(read(&mut driver, &id)["name"], "3");
}

#[test]
fn control_follows_the_table() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let id = create(&mut driver, &wallet, "one");
    let steps = [
        ("start", "running"),
        ("restart", "running"),
        ("stop", "stopped"),
        ("stop", "stopped"),
        ("restart", "running"),
        ("stop", "stopped"),
        ("start", "running"),
    ];
    for (action, status) in steps {
        assert_eq!(control(&mut driver, &wallet, &id, action), 200, "{action}");
        assert_eq!(read(&mut driver, &id)["status"], status, "{action}");
    }
    let machine = &assay_spec::network::machines::INSTANCE;
    let fired: Vec<_> = driver.world.core.transitions().collect();
    for row in machine.transitions {
        assert!(fired.contains(&row), "{row}");
    }
    for action in ["Start", "erase", "", "\0"] {
        assert_eq!(control(&mut driver, &wallet, &id, action), 400, "{action:?}");
    }
    assert_eq!(control(&mut driver, &wallet, "inst-0", "stop"), 404);
    assert_eq!(control(&mut driver, &Wallet::new(2), &id, "stop"), 403);
    assert_eq!(read(&mut driver, &id)["status"], "running");
}

#[test]
fn lists_filter_by_owner_and_status() {
    let mut driver = Driver::unhurried(1);
    let mut ids = Vec::new();
    for n in 0..6 {
        let wallet = Wallet::new(1 + n % 2);
        ids.push(create(&mut driver, &wallet, &format!("i{n}")));
        if n % 3 == 0 {
            assert_eq!(control(&mut driver, &wallet, &ids[usize::from(n)], "stop"), 200);
        }
    }
    let mut names = |query: &str| {
        let list = driver.read(&format!("{INSTANCES}?{query}"));
        list["instances"]
            .as_array()
            .expect("an array")
            .iter()
            .map(|one| one["name"].clone())
            .collect::<Value>()
    };
    let address = Wallet::new(1).address.to_uppercase().replace("0X", "0x");
    assert_eq!(names(""), json!(["i5", "i4", "i3", "i2", "i1", "i0"]));
    assert_eq!(names(&format!("address={address}")), json!(["i4", "i2", "i0"]));
    assert_eq!(names("status=stopped"), json!(["i3", "i0"]));
    assert_eq!(names(&format!("status=stopped&address={address}")), json!(["i0"]));
    assert_eq!(names("status=paused"), json!([]));
    assert_eq!(names("limit=2&page=2"), json!(["i3", "i2"]));
}

#[test]
fn variations_change_instances() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    driver.apply_variations(&[
        "network.instance-statuses",
        "network.instance-inert",
        "network.instance-id-hash",
        "network.instance-unknown-400",
    ]);
    let body = take(&mut driver, &wallet, INSTANCES, "INSTANCE", &wanted("one"));
    assert_eq!(body["instance_id"], body["item_hash"]);
    let id = body["instance_id"].as_str().expect("an identifier").to_owned();
    assert_eq!(control(&mut driver, &wallet, &id, "stop"), 200);
    assert_eq!(read(&mut driver, &id)["status"], "provisioning");
    assert_eq!(driver.read(&format!("{INSTANCES}?status=provisioning"))["pagination"]["total"], 1);
    assert_eq!(control(&mut driver, &wallet, "inst-0", "stop"), 400);
    assert_eq!(refused(&driver.net(&get(&format!("{INSTANCES}/inst-0")))), 404);
}

#[test]
fn an_instance_message_sent_to_any_endpoint_applies() {
    let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
    let sent = message(&driver, "INSTANCE", &wanted("one"));
    driver.take_message(&wallet, &sent);
    let list = driver.read(INSTANCES);
    let id = list["instances"][0]["instance_id"].as_str().expect("an identifier").to_owned();
    // An action sent to the endpoint for any type also applies.
    driver.advance(1_000);
    let stop = message(&driver, "INSTANCE_CONTROL", &json!({ "instance_id": id, "action": "stop" }));
    let reply = driver.net(&post(crate::common::net::MESSAGES, &wallet.envelope(&stop)));
    assert_eq!(reply.status, 200, "{}", show(&reply));
    assert_eq!(read(&mut driver, &id)["status"], "stopped");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_last_action_decides_the_status(actions in proptest::collection::vec(0..3_usize, 1..12)) {
        let (mut driver, wallet) = (Driver::unhurried(1), Wallet::new(1));
        let id = create(&mut driver, &wallet, "one");
        for action in &actions {
            prop_assert_eq!(control(&mut driver, &wallet, &id, ["start", "stop", "restart"][*action]), 200);
        }
        let expected = if actions.last() == Some(&1) { "stopped" } else { "running" };
        prop_assert_eq!(&read(&mut driver, &id)["status"], expected);
    }
}
