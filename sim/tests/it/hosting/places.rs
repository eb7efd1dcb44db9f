//! Where the rows of stored records apply.

use std::collections::BTreeMap;

use assay_sim::deviation::Scoped;
use assay_sim::world;
use assay_spec::hosting::places::{RECORDS, STORES};
use assay_spec::{Place, Service};
use serde_json::json;

use crate::common::places::edits_act_where_declared;
use crate::hosting::actor::{Actor, text};

/// Every message of a seed history, and what follows if a request fails.
fn history(deviations: &[String]) -> Vec<String> {
    let mut actor = Actor::new(1);
    actor.driver.world.set_deviations(deviations).expect("known deviations");
    actor.perform("seed-history", &json!({}));
    let hashes = actor.records()["hashes"].as_array().expect("a list").clone();
    let mut seen = vec![actor.view().to_string()];
    seen.extend(hashes.iter().map(|hash| actor.driver.wrapper(&text(hash)).to_string()));
    seen
}

#[test]
fn edits_act_where_their_rows_declare_it() {
    edits_act_where_declared(Service::Hosting, &[RECORDS, STORES].concat(), history);
}

/// The rules of the records are steps. These are the rules of the network for the requests of the application.
#[test]
fn rows_decide_where_they_declare_it() {
    let mut actor = Actor::new(1);
    actor.driver.world.core.watch_places();
    actor.perform("seed-history", &json!({}));
    actor.driver.rows_are_at_their_places().expect("declared places");
    assert!(actor.driver.world.core.visits().next().is_some());
}

#[test]
fn the_seed_history_has_each_place() {
    let conforming = history(&[]);
    for at in [RECORDS, STORES].concat() {
        let is_here = |places: &[Place]| places.contains(&at);
        let here = world::deviations().into_iter().filter(|one| is_here(one.requirement.places));
        let here: BTreeMap<u32, String> =
            here.map(|what| (what.requirement.key, Scoped { what, at }.to_string())).collect();
        let names: Vec<String> = here.into_values().collect();
        assert_ne!(history(&names), conforming, "{at}");
    }
}
