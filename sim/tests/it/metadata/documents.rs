//! The contents of documents: templates, tags, overrides, both addresses of a contract, and variations.

use assay_spec::Strict;
use assay_spec::metadata::contract::ContractMetadata;
use assay_spec::metadata::token::MetadataResponse;
use serde_json::{Value, json};

use super::{document, fixture, get};
use crate::common::Driver;

#[test]
fn contract_is_the_same_at_both_addresses() {
    let mut driver = Driver::new(1);
    let (cid, uri) = (fixture(&driver, 0, "cid"), fixture(&driver, 0, "path"));
    assert!(uri.contains("://") && uri.contains(":8443/"), "{uri}");
    assert_eq!(document(&mut driver, &format!("/{cid}")), document(&mut driver, &format!("/{uri}//")));
    for id in ["0", "1", "3", "1000000000000000000000000000000"] {
        let one = document(&mut driver, &format!("/{cid}/{id}"));
        for path in [format!("/{cid}/{id}.json"), format!("/{uri}//{id}"), format!("/{uri}//{id}.json")] {
            assert_eq!(document(&mut driver, &path), one, "{path}");
        }
    }
}

#[test]
fn template_is_filled_with_the_id_and_overrides_replace_its_members() {
    let mut driver = Driver::new(1);
    let (cid, tagged) = (fixture(&driver, 0, "cid"), fixture(&driver, 2, "path"));
    let token = document(&mut driver, &format!("/{cid}/2"));
    assert!(token["name"].as_str().is_some_and(|name| name.ends_with("#2")), "{token}");
    assert_eq!(token["attributes"][0], json!({ "trait_type": "Number", "value": "2" }));
    assert!(!token.to_string().contains("{id}"), "{token}");
    let overridden = document(&mut driver, &format!("/{cid}/3"));
    assert_eq!(overridden["name"], "Renamed again", "the later override wins");
    let list = document(&mut driver, &format!("/{cid}/3/overrides"));
    assert_eq!((&list[0]["name"], &list[1]), (&json!("Renamed"), &json!({ "name": "Renamed again" })));
    assert_eq!(overridden["description"], list[0]["description"]);
    assert_eq!(document(&mut driver, &format!("/{cid}/2/overrides")), json!([]));
    assert_eq!(document(&mut driver, &format!("/{tagged}//8"))["name"], "Tagged 8");
    assert_eq!(document(&mut driver, &format!("/{tagged}//7"))["name"], "Seven");
}

#[test]
fn contract_without_a_template_has_tokens() {
    let mut driver = Driver::new(1);
    let cid = fixture(&driver, 1, "cid");
    let contract = document(&mut driver, &format!("/{cid}"));
    let members: Vec<&String> = contract.as_object().expect("an object").keys().collect();
    assert_eq!(members, ["name"]);
    let name = contract["name"].as_str().expect("a name");
    assert_eq!(document(&mut driver, &format!("/{cid}/2")), json!({ "name": format!("{name} 2") }));
}

#[test]
fn documents_parse_under_every_variation() {
    let variations = assay_sim::world::variations();
    let own = variations
        .iter()
        .filter(|variation| variation.name.starts_with("metadata.") || variation.name.starts_with("wire."));
    for variation in own {
        let mut driver = Driver::new(3);
        driver.world.set_variations(&[variation.name.to_owned()]).expect("a variation");
        let cid = fixture(&driver, 0, "cid");
        let contract = document(&mut driver, &format!("/{cid}"));
        assert!(ContractMetadata::read(&contract, &mut Strict).is_ok(), "{}: {contract}", variation.name);
        let token = document(&mut driver, &format!("/{cid}/1"));
        assert!(MetadataResponse::read(&token, &mut Strict).is_ok(), "{}: {token}", variation.name);
    }
}

#[test]
fn root_page_and_interface_description_have_their_types() {
    let mut driver = Driver::new(1);
    let page = get(&mut driver, "/");
    assert_eq!(
        (page.status, page.headers["content-type"].to_str().ok()),
        (200, Some("text/html; charset=utf-8"))
    );
    let interface = document(&mut driver, "/openapi.json");
    assert_eq!(interface["info"]["version"], "0.1.0");
    assert_eq!(interface["paths"].as_object().map(serde_json::Map::len), Some(9));
}

#[test]
fn same_seed_gives_the_same_bytes() {
    let run = |seed| {
        let mut driver = Driver::new(seed);
        for (contract, member) in [(0, "cid"), (0, "path"), (1, "cid"), (2, "path"), (3, "path")] {
            let base = fixture(&driver, contract, member);
            let slashes = if member == "path" { "//" } else { "/" };
            get(&mut driver, &format!("/{base}{slashes}1.json"));
        }
        driver.world.core.journal.fingerprint()
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
    let view = |seed| Driver::new(seed).world.view(assay_spec::Service::Metadata);
    assert_ne!(view(7), view(8));
    assert_ne!(view(7), Value::Null);
}
