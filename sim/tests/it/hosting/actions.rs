//! The actions one by one: what each writes, and what each rejects.

use assay_spec::hosting::machines::{DEPLOYMENT, PROJECT};
use serde_json::{Value, json};

use crate::common::{Call, body_of};
use crate::hosting::actor::{Actor, text};

#[test]
fn security_is_written_once_and_before_the_first_project() {
    let mut actor = Actor::with_user(1);
    let first = actor.project("ipfs");
    actor.project("ipfs");
    actor.assert_settled();
    let kinds: Vec<String> = actor.statuses().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["security", "projects", "projects"]);
    let owner = actor.owner();
    let security = actor.aggregate(&owner, "security");
    let [session, delegate] = &security["authorizations"].as_array().expect("two")[..] else {
        panic!("two authorizations")
    };
    assert_eq!(session["types"], json!(["POST", "AGGREGATE"]));
    assert_eq!(session["aggregate_keys"], json!(["projects", "deployments"]));
    assert!(delegate.get("pubkey").is_none());
    assert_eq!(actor.held("projects", &first)["state"], "active");
}

#[test]
fn a_deployment_is_queued_then_live_with_its_artifact() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    let id = actor.deploy(&project);
    assert_eq!(actor.held("deployments", &id)["state"], "queued");
    actor.perform("finish", &json!({ "deployment": id, "outcome": "live", "artifact": "words" }));
    let held = actor.held("deployments", &id);
    assert_eq!(held["state"], "live");
    let [creation, terminal] = ["creation", "terminal"].map(|kind| actor.shown(kind).remove(0));
    assert_eq!(creation["content"]["content"]["public"]["status"], "queued");
    assert_eq!(creation["content"]["content"]["public"]["storeRef"], Value::Null);
    assert_eq!(terminal["content"]["type"], "amend");
    assert_eq!(terminal["content"]["ref"], creation["item_hash"]);
    assert_eq!(terminal["content"]["content"]["public"]["storeRef"], held["store_ref"]);
    let store = actor.driver.wrapper(&text(&held["store_ref"]));
    assert_eq!(store["message"]["content"]["item_hash"], held["cid"]);
    let file = actor.driver.file_status(assay_sim::network::sites::PRIMARY, &text(&held["cid"]));
    assert_eq!(file, 200);
}

#[test]
fn a_failed_deployment_stores_nothing() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    let id = actor.deploy(&project);
    actor.perform("finish", &json!({ "deployment": id, "outcome": "failed" }));
    assert_eq!(actor.held("deployments", &id)["state"], "failed");
    assert!(actor.shown("store").is_empty());
    assert_eq!(actor.shown("terminal")[0]["content"]["content"]["public"]["storeRef"], Value::Null);
    for outcome in ["live", "failed"] {
        let again = actor.try_perform("finish", &json!({ "deployment": id, "outcome": outcome }));
        assert_eq!(again.expect_err("it is finished"), "the deployment is failed");
    }
}

#[test]
fn an_edit_keeps_the_other_entries_and_the_first_time() {
    let mut actor = Actor::with_user(1);
    let [first, second] = [actor.project("ipfs"), actor.project("ipfs")];
    let owner = actor.owner();
    let before = actor.aggregate(&owner, "projects");
    actor.driver.advance(60_000);
    actor.perform("edit", &json!({ "project": first, "framework": "vite", "signer": "session" }));
    let after = actor.aggregate(&owner, "projects");
    assert_eq!(after[&second], before[&second]);
    assert_eq!(after[&first]["public"]["framework"], "vite");
    assert_eq!(after[&first]["public"]["createdAt"], before[&first]["public"]["createdAt"]);
    assert_ne!(after[&first]["public"]["updatedAt"], before[&first]["public"]["updatedAt"]);
    let last = actor.shown("projects").pop().expect("a map");
    assert_eq!(last["content"]["content"].as_object().map(serde_json::Map::len), Some(2));
    assert_ne!(last["sender"], last["content"]["address"]);
}

#[test]
fn a_delete_forgets_only_what_can_be_forgotten() {
    let mut actor = Actor::with_user(1);
    let [gone, stays] = [actor.project("ipfs"), actor.project("ipfs")];
    let other = actor.live(&stays);
    let [one, two, three] = std::array::from_fn(|_| actor.live(&gone));
    let reclaimed = text(&actor.held("deployments", &three)["store_ref"]);
    actor.driver.perform("network.reclaim", &json!({ "hash": reclaimed, "at_once": true }));
    actor.perform("delete", &json!({ "project": gone }));
    actor.assert_settled();
    let forgets = actor.shown("forget");
    let hashes: Vec<Value> =
        [&one, &two].map(|id| actor.held("deployments", id)["store_ref"].clone()).to_vec();
    assert_eq!(forgets.len(), 1);
    assert_eq!(forgets[0]["content"]["hashes"], json!(hashes));
    assert_eq!(forgets[0]["content"]["address"], json!(actor.owner()));
    for hash in &hashes {
        assert_eq!(actor.driver.status_of(&text(hash)), "forgotten");
    }
    assert_eq!(actor.driver.status_of(&reclaimed), "removed");
    let kept = text(&actor.held("deployments", &other)["store_ref"]);
    assert_eq!(actor.driver.status_of(&kept), "processed");
    assert_eq!(actor.shown("creation").len(), 4, "POSTs stay readable");
    for action in ["edit", "delete", "deploy", "legacy"] {
        let refused = actor.try_perform(action, &json!({ "project": gone }));
        assert_eq!(refused.expect_err("it is deleted"), "the project is deleted");
    }
}

#[test]
fn a_project_without_artifacts_is_deleted_without_a_forget() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    let id = actor.deploy(&project);
    actor.perform("finish", &json!({ "deployment": id, "outcome": "failed" }));
    actor.perform("legacy", &json!({ "project": project, "cid": "bafyearlier" }));
    actor.perform("delete", &json!({ "project": project }));
    actor.assert_settled();
    assert!(actor.shown("forget").is_empty());
}

#[test]
fn a_machine_is_booted_claimed_and_replaced() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("instance");
    let id = actor.deploy(&project);
    let live = json!({ "deployment": id, "outcome": "live" });
    assert!(actor.try_perform("finish", &live).is_err(), "no machine has been booted");
    assert!(actor.try_perform("replace", &json!({ "project": project })).is_err());
    assert!(actor.try_perform("rival", &json!({ "project": project })).is_err());
    let first = actor.perform("boot", &json!({ "project": project }));
    assert!(actor.try_perform("boot", &json!({ "project": project })).is_err());
    let rival = actor.perform("rival", &json!({ "project": project }));
    let second = actor.perform("replace", &json!({ "project": project }));
    actor.perform("finish", &live);
    actor.assert_settled();
    let claims = actor.shown("claim");
    let body = |n: usize| &claims[n]["content"]["content"];
    assert_eq!(
        claims.iter().map(|one| &one["sender"]).collect::<Vec<_>>(),
        [&first["machine"], &rival["machine"], &second["machine"]]
    );
    assert_eq!(body(0)["instanceHash"], body(1)["instanceHash"]);
    assert_ne!(body(0)["instanceHash"], body(2)["instanceHash"]);
    assert!(claims[0]["content"]["time"].as_i64() < claims[1]["content"]["time"].as_i64());
    assert_eq!(actor.held("projects", &project)["machine"], second["machine"]);
    let site = actor.project("ipfs");
    assert!(actor.try_perform("boot", &json!({ "project": site })).is_err(), "a static site has no machine");
}

#[test]
fn a_legacy_record_contains_its_cid() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    for schema in 0..4 {
        actor.perform("legacy", &json!({ "project": project, "schema": schema, "envelope": 1 + schema % 2 }));
    }
    for (schema, one) in actor.shown("legacy").iter().enumerate() {
        let body = &one["content"]["content"];
        assert_eq!(body["schemaVersion"].as_u64().unwrap_or(0), schema as u64);
        assert!(body["public"]["cid"].is_string() && body["public"].get("storeRef").is_none());
        assert_eq!(body["encrypted"]["v"], 1 + schema % 2);
    }
}

#[test]
fn states_follow_the_tables() {
    let mut actor = Actor::new(1);
    actor.perform("seed-history", &json!({}));
    let made =
        |machine: &str| actor.driver.world.core.transitions().filter(|row| row.machine == machine).count();
    assert_eq!(made(DEPLOYMENT.name), DEPLOYMENT.transitions.len());
    assert_eq!(made(PROJECT.name), PROJECT.transitions.len());
}

#[test]
fn times_of_a_users_records_grow_independent_of_the_clock() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    for n in 0..5 {
        actor.perform("edit", &json!({ "project": project, "name": format!("name {n}") }));
    }
    let maps = actor.shown("projects");
    let times: Vec<i64> = maps.iter().filter_map(|one| one["content"]["time"].as_i64()).collect();
    assert!(times.len() == 6 && times.is_sorted_by(|a, b| a < b), "{times:?}");
    let now_s = actor.driver.now().seconds();
    actor.driver.advance(3_600_000);
    actor.perform("edit", &json!({ "project": project }));
    let last = actor.shown("projects").pop().expect("a map")["content"]["time"].as_i64();
    assert_eq!(last, Some(now_s + 3_600));
}

#[test]
fn hostile_arguments_are_rejected_with_a_reason() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    let id = actor.deploy(&project);
    let long = "x".repeat(70_000);
    let bad = [
        ("wallet", json!({ "wallet_key": "0x00" })),
        ("wallet", json!({ "wallet_key": format!("0x{}", "00".repeat(32)) })),
        ("wallet", json!({ "wallet_key": format!("0x{}", "ff".repeat(32)) })),
        ("wallet", json!({ "wallet_key": 7 })),
        ("wallet", json!({ "key": "x" })),
        ("project", json!({ "target": "moon" })),
        ("project", json!({ "owner": "0x01" })),
        ("project", json!({ "signer": "delegate" })),
        ("project", json!({ "name": long })),
        ("project", json!([])),
        ("deploy", json!({})),
        ("deploy", json!({ "project": "proj_unknown00000" })),
        ("deploy", json!({ "project": 7 })),
        ("finish", json!({ "deployment": id })),
        ("finish", json!({ "deployment": id, "outcome": "queued" })),
        ("finish", json!({ "deployment": "deploy_x", "outcome": "live" })),
        ("finish", json!({ "deployment": id, "outcome": "live", "artifact": long })),
        ("edit", json!({ "project": "" })),
        ("edit", json!({ "project": project, "framework": long })),
        ("delete", json!({ "project": project, "signer": "nobody" })),
        ("boot", json!({ "project": project })),
        ("legacy", json!({ "project": project, "schema": 4 })),
        ("legacy", json!({ "project": project, "envelope": 3 })),
        ("legacy", json!({ "project": project, "schema": -1 })),
        ("seed-history", json!({ "wallet_key": "abc" })),
        ("history", json!({ "deployments": 0 })),
        ("history", json!({ "deployments": 1_000_000 })),
        ("history", json!({ "deployments": -1 })),
        ("records", json!({ "owner": "unknown" })),
        ("unknown", json!({})),
        ("wallet", json!([])),
    ];
    let before = actor.view();
    for (action, arguments) in bad {
        let why = actor.try_perform(action, &arguments).expect_err(action);
        assert!(!why.is_empty() && why.len() < 1_000, "{action}: {why}");
    }
    assert_eq!(actor.view(), before, "nothing has changed");
}

#[test]
fn limits_are_enforced() {
    let mut actor = Actor::with_user(1);
    actor.limit(&json!({ "owners": 1, "projects": 1, "deployments": 1 }));
    assert!(actor.try_perform("wallet", &json!({})).is_err());
    let project = actor.project("ipfs");
    assert!(actor.try_perform("project", &json!({})).is_err());
    actor.deploy(&project);
    assert!(actor.try_perform("deploy", &json!({ "project": project })).is_err());
    assert!(actor.try_perform("legacy", &json!({ "project": project })).is_err());
    assert!(actor.try_perform("history", &json!({ "deployments": 1 })).is_err());
}

#[test]
fn no_secret_is_in_the_view_or_in_debug_output() {
    let mut actor = Actor::new(1);
    let own = format!("0x{}", "1f".repeat(32));
    actor.perform("wallet", &json!({ "wallet_key": own }));
    let user = actor.perform("seed-history", &json!({}));
    let records = actor.records();
    let shown = format!("{} {:?}", actor.view(), actor.driver.world);
    let machine = text(&records["machines"][0]["key"]);
    for secret in [text(&user["wallet_key"]), text(&user["session_key"]), machine, own] {
        assert!(!shown.contains(secret.trim_start_matches("0x")));
    }
}

fn rehydrate(actor: &mut Actor, method: &str, path: &str, body: &str) -> (u16, Value) {
    let headers = vec![("content-type", b"application/json".to_vec())];
    let call =
        Call::new(if method == "POST" { "POST" } else { "GET" }, path, headers, body.as_bytes().to_vec());
    let exchange = actor.driver.start_at(assay_sim::hosting::SITE, &call);
    let reply = actor.driver.reply(exchange).expect("an answer at once");
    (reply.status, body_of(&reply))
}

#[test]
fn rehydration_returns_the_users_projects() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    let owner = actor.owner();
    let path = "/api/projects/rehydrate";
    let (status, body) =
        rehydrate(&mut actor, "POST", path, &json!({ "address": owner.to_lowercase() }).to_string());
    assert_eq!((status, &body["projects"][0]["id"]), (200, &json!(project)));
    let (status, body) = rehydrate(&mut actor, "POST", path, "");
    assert_eq!((status, &body["projects"], &body["rehydrations"]), (200, &json!([]), &json!(2)));
    for bad in ["[]", "7", "{", "\"x\"", r#"{"address":7}"#] {
        assert_eq!(rehydrate(&mut actor, "POST", path, bad).0, 400, "{bad}");
    }
    assert_eq!(rehydrate(&mut actor, "POST", path, &"x".repeat(70_000)).0, 413);
    assert_eq!(rehydrate(&mut actor, "GET", path, "").0, 405);
    assert_eq!(rehydrate(&mut actor, "POST", "/", "{}").0, 404);
}
