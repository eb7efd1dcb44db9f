//! Every deviation changes what it is about; the conforming responses besides it do not change.

use assay_sim::world;
use assay_spec::Service;
use assay_spec::catalogue;
use assay_spec::requirement::Evidence;
use serde_json::json;

use crate::common::{Driver, body_of};
use crate::gateway::model::{chat, get, post};

#[test]
fn every_row_that_a_check_shows_can_be_switched_off() {
    let deviations = world::deviations();
    let rows = catalogue::requirements()
        .filter(|row| row.service == Service::Gateway && row.evidence == Evidence::Check);
    let missing: Vec<String> = rows
        .filter(|row| deviations.iter().all(|deviation| deviation.requirement != *row))
        .map(ToString::to_string)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn no_deviation_breaks_a_plain_request_for_another_model() {
    for deviation in
        world::deviations().iter().filter(|deviation| deviation.requirement.service == Service::Gateway)
    {
        let mut driver = Driver::new(1);
        driver.set_deviations(&[&deviation.to_string()]);
        let key = driver.key("valid");
        let body = json!({ "model": "assay-text", "prompt": "x" });
        let reply = driver.request(&post("/completions", Some(&key), &body));
        let own = ["gateway.completions.native"].contains(&deviation.requirement.to_string().as_str());
        assert_eq!(reply.status, if own { 404 } else { 200 }, "{deviation}");
    }
}

#[test]
fn failover_can_stop_early_and_nothing_else_changes() {
    for deviation in ["gateway.pool.failover", "gateway.pool.failover/last"] {
        let mut driver = Driver::new(1);
        driver.set_deviations(&[deviation]);
        assert_eq!(driver.chat("assay-chat").status, 200);
        let mut statuses = Vec::new();
        for alive in ["server-a", "server-b", "server-c"] {
            let mut driver = Driver::new(1);
            driver.set_deviations(&[deviation]);
            let down: Vec<&str> =
                ["server-a", "server-b", "server-c"].into_iter().filter(|name| *name != alive).collect();
            driver.down(&down);
            statuses.push(driver.chat("assay-chat").status);
        }
        assert!(statuses.contains(&503), "{deviation}: {statuses:?}");
    }
}

#[test]
fn discovery_can_be_stale_both_ways() {
    let listed = |deviation: &str, back: bool| {
        let mut driver = Driver::new(1);
        driver.set_deviations(&[deviation]);
        driver.perform("gateway.server", &json!({ "site": "server-b", "listed": false }));
        if back {
            driver.perform("gateway.server", &json!({ "site": "server-b", "listed": true }));
        }
        let discovered = body_of(&driver.request(&get("/svc/models", None)));
        discovered["assay-text"]["servers"].as_array().map(Vec::len)
    };
    assert_eq!(listed("gateway.discovery.current", false), Some(2));
    assert_eq!(listed("gateway.discovery.current/joined", false), Some(1));
    assert_eq!(listed("gateway.discovery.current/joined", true), Some(1));
}

#[test]
fn errors_can_lose_their_detail_in_two_ways() {
    for (variant, broken) in [("", json!(["no"])), ("/missing", json!(null))] {
        let mut driver = Driver::new(1);
        driver.set_deviations(&[&format!("gateway.errors.detail-404{variant}")]);
        let unknown = driver.chat("nobody");
        assert_eq!((unknown.status, &body_of(&unknown)["detail"]), (404, &broken));
        let keyless = driver.request(&post("/v1/chat/completions", None, &chat("assay-chat")));
        assert!(body_of(&keyless)["detail"].is_string(), "other errors have their detail");
    }
}
