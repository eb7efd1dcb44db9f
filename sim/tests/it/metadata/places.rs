//! Where the rows of token metadata apply.

use assay_spec::Service;
use assay_spec::metadata::places::{EVERY, ROOT};

use super::{fixture, get};
use crate::common::places::edits_act_where_declared;
use crate::common::{Driver, show};

/// Paths of every form, valid ones and others.
fn paths(driver: &Driver) -> Vec<String> {
    let mut paths = vec!["/".to_owned(), "/openapi.json".to_owned()];
    let (cid, uri) = (fixture(driver, 0, "cid"), fixture(driver, 0, "path"));
    let (plain, other) = (fixture(driver, 1, "cid"), fixture(driver, 3, "path"));
    let of_cid = [cid.as_str(), plain.as_str(), "unknown", ""].map(|cid| (format!("/{cid}"), "/"));
    let of_uri = [uri.as_str(), other.as_str(), "unknown", ""].map(|uri| (format!("/{uri}//"), ""));
    for (contract, slash) in of_cid.into_iter().chain(of_uri) {
        for id in ["1", "3", "-1", "999999999999", "x", ""] {
            paths.extend(["", ".json", "/overrides"].map(|end| format!("{contract}{slash}{id}{end}")));
        }
        paths.push(contract);
    }
    paths
}

/// What a client meets on every path.
fn day(deviations: &[String]) -> Vec<String> {
    let mut driver = Driver::new(1);
    driver.world.set_deviations(deviations).expect("known deviations");
    let paths = paths(&driver);
    paths.iter().map(|path| format!("{path}: {}", show(&get(&mut driver, path)))).collect()
}

#[test]
fn edits_act_where_their_rows_declare_it() {
    edits_act_where_declared(Service::Metadata, &[ROOT, EVERY].concat(), day);
}

#[test]
fn rows_decide_where_they_declare_it() {
    let mut driver = Driver::new(1);
    driver.world.core.watch_places();
    for path in paths(&driver) {
        get(&mut driver, &path);
    }
    driver.rows_are_at_their_places().expect("declared places");
    assert!(driver.world.core.visits().count() > 20);
}
