//! Every deviation changes the records and the network accepts it; every variation changes the records and
//! they stay valid.

use std::collections::{BTreeMap, BTreeSet};

use assay_sim::world;
use assay_spec::hosting::{envelope, project};
use assay_spec::instant::DAY;
use assay_spec::requirement::{Evidence, Subject};
use assay_spec::{Id, Service, Strict, catalogue};
use serde_json::{Value, json};

use crate::hosting::actor::{Actor, is_signed, text};

fn mine() -> Vec<String> {
    let all = world::deviations().into_iter().filter(|one| one.requirement.service == Service::Hosting);
    all.map(|one| one.to_string()).collect()
}

#[test]
fn every_row_about_records_has_its_own_deviation() {
    let deviations: Vec<Id> = world::deviations().iter().map(|one| one.requirement).collect();
    let rows = catalogue::requirements()
        .filter(|row| row.service == Service::Hosting && row.subject == Subject::Record);
    let shown = |row: &Id| row.evidence == Evidence::Check;
    let bare: BTreeSet<String> =
        rows.filter(shown).filter(|row| !deviations.contains(row)).map(ToString::to_string).collect();
    assert_eq!(bare, BTreeSet::new());
    let names: BTreeSet<String> = mine().into_iter().collect();
    assert_eq!(names.len(), mine().len(), "one deviation for each row");
}

/// Every message of a seed history, by hash.
fn written_messages(actor: &mut Actor) -> BTreeMap<String, Value> {
    actor.perform("seed-history", &json!({}));
    let hashes: Vec<String> =
        actor.records()["hashes"].as_array().expect("a list").iter().map(text).collect();
    hashes.into_iter().map(|hash| (hash.clone(), actor.driver.wrapper(&hash))).collect()
}

#[test]
fn every_deviation_changes_the_records_and_is_accepted() {
    let conforming: BTreeSet<String> = written_messages(&mut Actor::new(1)).into_keys().collect();
    assert!(mine().len() > 130, "{}", mine().len());
    for name in mine() {
        let mut actor = Actor::new(1);
        actor.driver.deviate(&name);
        let deviating: BTreeSet<String> = written_messages(&mut actor).into_keys().collect();
        let view = actor.view();
        assert_eq!((&view["jobs"], &view["failures"]), (&json!([]), &json!([])), "{name}");
        // A signature is not part of a hash.
        let signs = name.ends_with(".signature");
        assert_eq!(deviating == conforming, signs, "{name} changes the written records");
        let asked: Vec<String> = actor.driver.world.core.consulted().map(ToString::to_string).collect();
        let row = name.split('/').next().unwrap_or(&name);
        assert!(asked.iter().any(|asked| asked == row), "{name} was consulted");
    }
}

#[test]
fn a_deviation_about_signatures_changes_only_the_signatures() {
    for (name, kinds) in [("hosting.records.signature", "security"), ("hosting.claims.signature", "claim")] {
        let mut actor = Actor::new(1);
        actor.driver.deviate(name);
        written_messages(&mut actor);
        for kind in ["security", "projects", "creation", "terminal", "claim", "forget"] {
            let changed = (kind == "claim") == (kinds == "claim");
            for one in actor.shown(kind) {
                assert_eq!(is_signed(&one), !changed, "{name}: {kind}");
            }
        }
    }
}

#[test]
fn a_deviation_about_a_member_violates_its_own_rule() {
    let rules = [
        "id",
        "framework",
        "deploy-target",
        "created-at",
        "updated-at",
        "deleted",
        "encrypted",
        "schema-version",
        "entry",
    ];
    for rule in rules {
        let name = format!("hosting.projects.{rule}");
        let mut actor = Actor::new(1);
        actor.driver.deviate(&name);
        written_messages(&mut actor);
        let map = actor.shown("projects").remove(0)["content"]["content"].clone();
        let (id, entry) = map.as_object().and_then(|map| map.iter().next()).expect("an entry");
        let refused = project::judge_entry(id, entry, &mut Strict).expect_err(rule);
        assert_eq!(refused.rule.to_string(), name);
    }
    // The other members are checked for base64 first, which has its own rules.
    for rule in ["form", "version", "algorithm", "iv", "tag", "no-others"] {
        let name = format!("hosting.envelope.{rule}");
        let mut actor = Actor::new(1);
        actor.driver.deviate(&name);
        written_messages(&mut actor);
        let sealed = actor.shown("creation").remove(0)["content"]["content"]["encrypted"].clone();
        let refused = envelope::check_written(&sealed, &mut Strict).expect_err(rule);
        assert_eq!(refused.rule.to_string(), name);
    }
}

#[test]
fn every_variation_changes_the_records_and_they_stay_valid() {
    let conforming = written_messages(&mut Actor::new(1));
    let variations: Vec<&str> =
        world::variations().iter().map(|one| one.name).filter(|name| name.starts_with("hosting.")).collect();
    assert!(variations.len() >= 20, "{variations:?}");
    for name in variations {
        let mut actor = Actor::new(1);
        actor.driver.apply_variations(&[name]);
        assert_ne!(written_messages(&mut actor), conforming, "{name}");
        actor.assert_settled();
        let owner = actor.owner();
        let map = actor.aggregate(&owner, "projects");
        for (id, entry) in map.as_object().expect("a map") {
            project::judge_entry(id, entry, &mut Strict).unwrap_or_else(|why| panic!("{name}: {why}"));
        }
        for kind in ["security", "projects", "creation", "terminal", "claim", "forget"] {
            for one in actor.shown(kind) {
                assert!(is_signed(&one), "{name}: {kind}");
            }
        }
    }
}

#[test]
fn the_application_works_with_all_variations_at_once() {
    let mut actor = Actor::new(1);
    let names: Vec<&str> =
        world::variations().iter().map(|one| one.name).filter(|name| name.starts_with("hosting.")).collect();
    actor.driver.apply_variations(&names);
    written_messages(&mut actor);
    actor.assert_settled();
}

#[test]
fn any_combination_of_deviations_ends() {
    let names = mine();
    let every_nth = |n: usize, step: usize| names.iter().skip(n).step_by(step).cloned().collect::<Vec<_>>();
    let mut combinations: Vec<Vec<String>> = (2..9).map(|step| every_nth(step % 3, step)).collect();
    combinations.push(names.clone());
    for names in combinations {
        let mut actor = Actor::new(1);
        actor.driver.world.set_deviations(&names).expect("known deviations");
        actor.perform("seed-history", &json!({}));
        // A record that the network rejects is given up in the end.
        actor.driver.advance(DAY);
        assert_eq!(actor.view()["jobs"], json!([]), "{names:?}");
    }
}
