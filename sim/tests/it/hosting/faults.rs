//! Faults, and how the application handles them.

use assay_spec::instant::{DAY, MINUTE};
use serde_json::{Value, json};

use crate::common::drop::get;
use crate::hosting::actor::{Actor, path_of, text};
use assay_sim::network::sites::MIRROR;

#[test]
fn a_slow_delegate_finishes_a_deployment_later() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    let id = actor.deploy(&project);
    actor
        .driver
        .set_faults(&json!([{ "fault": "hosting.delegate-slow", "where": { "record": "terminal" } }]));
    actor.perform("finish", &json!({ "deployment": id, "outcome": "live" }));
    let under_way = actor.try_perform("finish", &json!({ "deployment": id, "outcome": "failed" }));
    assert_eq!(under_way.expect_err("one at a time"), "a record of the deployment is still being written");
    assert!(actor.try_perform("delete", &json!({ "project": project })).is_err());
    actor.perform("edit", &json!({ "project": project }));
    actor.driver.advance(10 * MINUTE - 1);
    assert_eq!(actor.held("deployments", &id)["state"], "queued");
    assert_eq!(actor.shown("store").len(), 1, "the artifact is pinned");
    assert!(actor.shown("terminal").is_empty());
    actor.driver.advance(1);
    assert_eq!(actor.held("deployments", &id)["state"], "live");
    actor.assert_settled();
}

#[test]
fn an_unknown_target_fails_the_whole_forget() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    let ids = [actor.live(&project), actor.live(&project)];
    actor.driver.set_faults(&json!([{ "fault": "hosting.forget-unknown" }]));
    actor.perform("delete", &json!({ "project": project }));
    let forget = text(&actor.shown("forget")[0]["item_hash"]);
    assert_eq!(actor.driver.status_of(&forget), "pending");
    actor.driver.advance(2 * DAY);
    assert_eq!(actor.driver.status_of(&forget), "rejected");
    for id in ids {
        let hash = text(&actor.held("deployments", &id)["store_ref"]);
        assert_eq!(actor.driver.status_of(&hash), "processed");
    }
    assert_eq!(actor.held("projects", &project)["state"], "deleted");
}

#[test]
fn an_artifact_that_is_not_paid_for_is_reclaimed() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    actor.driver.set_faults(&json!([{ "fault": "hosting.artifact-reclaimed", "times": 1 }]));
    let [lost, kept] = std::array::from_fn(|_| actor.live(&project));
    let hashes = [&lost, &kept].map(|id| text(&actor.held("deployments", id)["store_ref"]));
    assert_eq!(actor.driver.status_of(&hashes[0]), "removing");
    assert_eq!(actor.driver.status_of(&hashes[1]), "processed");
    let mut early = actor.clone();
    early.perform("delete", &json!({ "project": project }));
    assert_eq!(
        early.shown("forget")[0]["content"]["hashes"],
        json!(hashes),
        "a STORE in `removing` is a valid target"
    );
    actor.driver.advance(2 * DAY);
    assert_eq!(actor.driver.status_of(&hashes[0]), "removed");
    actor.perform("delete", &json!({ "project": project }));
    assert_eq!(actor.shown("forget")[0]["content"]["hashes"], json!([hashes[1]]));
    assert_eq!(actor.driver.status_of(&hashes[1]), "forgotten");
}

#[test]
fn two_backends_fork_a_deployment() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    actor.driver.set_faults(&json!([{ "fault": "hosting.fork", "times": 1 }]));
    let id = actor.live(&project);
    let terminal = actor.shown("terminal");
    let [first, second] = &terminal[..] else { panic!("two amends: {terminal:?}") };
    assert_eq!(first["content"]["ref"], second["content"]["ref"]);
    let status = |one: &Value| text(&one["content"]["content"]["public"]["status"]);
    assert_eq!((status(first).as_str(), status(second).as_str()), ("live", "failed"));
    assert!(first["content"]["time"].as_i64() < second["content"]["time"].as_i64());
    assert_eq!(actor.held("deployments", &id)["state"], "live", "the first backend does not know the second");
}

#[test]
fn what_a_lagging_node_lacks_is_looked_up_at_the_primary() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    actor.driver.perform("network.lag", &json!({ "ms": 60 * MINUTE }));
    actor.driver.set_faults(&json!([{ "fault": "hosting.lagging-node" }]));
    let id = actor.live(&project);
    let hash = text(&actor.held("deployments", &id)["store_ref"]);
    assert_eq!(actor.driver.net_at(MIRROR, &get(&path_of(&hash))).status, 404);
    let before = actor.view()["requests"].as_u64();
    actor.perform("delete", &json!({ "project": project }));
    assert_eq!(
        actor.view()["requests"].as_u64(),
        before.map(|before| before + 4),
        "map, mirror, primary, FORGET"
    );
    assert_eq!(actor.shown("forget")[0]["content"]["hashes"], json!([hash]));
    assert_eq!(actor.driver.status_of(&hash), "forgotten");
}

#[test]
fn failed_requests_are_retried_and_stored_once() {
    let mut actor = Actor::with_user(1);
    actor.driver.set_faults(&json!([{ "fault": "network.internal", "times": 3 }]));
    let project = actor.project("ipfs");
    assert_eq!(actor.view()["jobs"][0]["next"], "security");
    assert!(actor.try_perform("project", &json!({})).is_err(), "one map at a time");
    assert!(actor.try_perform("deploy", &json!({ "project": project })).is_err(), "it is not written yet");
    actor.driver.advance(10 * MINUTE);
    actor.assert_settled();
    assert_eq!(actor.held("projects", &project)["state"], "active");
    let owner = actor.owner();
    let listed = actor.driver.hashes_of(&format!("/api/v0/messages?addresses={owner}"), 20);
    assert_eq!(listed.len(), 2, "security and the map");
}

#[test]
fn a_job_that_keeps_failing_is_given_up_and_reported() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    let id = actor.deploy(&project);
    actor.driver.set_faults(&json!([{ "fault": "network.internal" }]));
    actor.perform("finish", &json!({ "deployment": id, "outcome": "live" }));
    actor.driver.advance(10 * MINUTE);
    let view = actor.view();
    assert_eq!(view["jobs"], json!([]));
    assert_eq!(view["failures"][0]["step"], "store");
    assert_eq!(view["failures"][0]["left_out"], 1);
    assert_eq!(view["requests"], 3 + 1 + 4, "one attempt and four retries");
    assert_eq!(actor.held("deployments", &id)["state"], "queued");
    actor.driver.set_faults(&json!([]));
    actor.perform("finish", &json!({ "deployment": id, "outcome": "live" }));
    assert_eq!(actor.held("deployments", &id)["state"], "live");
}

#[test]
fn an_artifact_is_pinned_only_once_the_network_has_accepted_it() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    let id = actor.deploy(&project);
    actor.driver.set_network_limits(&json!({ "processing_ms": 30_000 }));
    actor.perform("finish", &json!({ "deployment": id, "outcome": "live" }));
    assert_eq!(actor.view()["jobs"][0]["next"], "lookup");
    actor.driver.advance(39_999);
    assert!(actor.shown("terminal").is_empty());
    actor.driver.advance(1);
    assert_eq!(actor.held("deployments", &id)["state"], "live");
}

#[test]
fn a_copy_made_during_a_delete_continues_like_the_original() {
    let mut actor = Actor::with_user(1);
    let project = actor.project("ipfs");
    actor.live(&project);
    actor.live(&project);
    actor.driver.set_faults(&json!([{ "fault": "hosting.delegate-slow", "where": { "record": "forget" } }]));
    actor.perform("delete", &json!({ "project": project }));
    assert_eq!(actor.held("projects", &project)["state"], "deleted");
    assert!(actor.shown("forget").is_empty());
    let mut copy = actor.clone();
    let mut abandoned = actor.clone();
    drop(abandoned.driver.world.abandon());
    for one in [&mut copy, &mut abandoned, &mut actor] {
        one.driver.advance(10 * MINUTE);
        one.assert_settled();
    }
    let [here, there, left] = [&mut actor, &mut copy, &mut abandoned].map(Actor::records);
    assert_eq!(here, there);
    assert_eq!(here, left);
    assert_eq!(actor.shown("forget").len(), 1);
}
