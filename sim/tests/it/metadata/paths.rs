//! Raw paths: what they return, and the bodies of rejections.

use serde_json::json;

use super::{document, fixture, get};
use crate::common::{Call, Driver, body_of};
use assay_sim::metadata::SITE;

#[test]
fn uris_with_slashes_are_found_raw_and_encoded() {
    let mut driver = Driver::new(1);
    for (contract, id) in [(0, "1"), (2, "8"), (3, "-1")] {
        let (uri, raw) = (fixture(&driver, contract, "uri"), fixture(&driver, contract, "path"));
        let encoded = uri.replace('%', "%25").replace('/', "%2F").replace(':', "%3A");
        let one = document(&mut driver, &format!("/{raw}//{id}"));
        assert_eq!(document(&mut driver, &format!("/{encoded}//{id}")), one);
        let lower = encoded.replace("%2F", "%2f").replace("%3A", "%3a");
        assert_eq!(document(&mut driver, &format!("/{lower}//{id}")), one);
        // Encoded twice it is another URI, and with a single slash it is not found.
        assert_eq!(get(&mut driver, &format!("/{}//{id}", encoded.replace('%', "%25"))).status, 404);
        assert_eq!(get(&mut driver, &format!("/{encoded}/{id}")).status, 404);
    }
}

#[test]
fn rejected_id_is_named_in_the_body() {
    let mut driver = Driver::new(1);
    let (cid, uri) = (fixture(&driver, 0, "cid"), fixture(&driver, 0, "path"));
    for path in ["abc", "1x", "7.txt", "abc.json", ".json", "overrides", "abc/overrides", "1.0", "%31x"] {
        for base in [format!("/{cid}/"), format!("/{uri}//"), "/nobody/".to_owned()] {
            let reply = get(&mut driver, &format!("{base}{path}"));
            assert_eq!(reply.status, 422, "{base}{path}");
            let detail = json!([
                { "loc": ["path", "token_id"], "msg": "Input should be a valid integer", "type": "int_parsing" }
            ]);
            assert_eq!(body_of(&reply), json!({ "detail": detail }));
        }
    }
}

#[test]
fn unknown_paths_are_not_found() {
    let mut driver = Driver::new(1);
    let (cid, uri) = (fixture(&driver, 0, "cid"), fixture(&driver, 0, "path"));
    let upper = cid.to_uppercase();
    for path in [
        "/nobody",
        "/nobody/1",
        "/nobody//",
        "/nobody//1",
        &format!("/{upper}"),
        &format!("/{cid}/"),
        &format!("/{cid}//"),
        &format!("/{cid}/999999999999"),
        &format!("/{cid}/1/"),
        &format!("/{cid}/1/overrides/"),
        &format!("/{cid}/1/other"),
        &format!("/{cid}/999999999999/overrides"),
        &format!("/{uri}"),
        &format!("/{uri}/"),
        &format!("/{uri}///"),
        &format!("/{uri}//999999999999.json"),
        "//1",
        "///1",
        "///",
        "/..",
        "/../1",
        "/.",
    ] {
        assert_eq!(get(&mut driver, path).status, 404, "{path}");
    }
    let why: Vec<String> = driver.world.core.log.lines().map(|line| line.requirement.clone()).collect();
    assert_eq!(why.len(), 22, "each refusal names its requirement: {why:?}");
}

#[test]
fn queries_are_ignored_and_other_methods_are_rejected() {
    let mut driver = Driver::new(1);
    let cid = fixture(&driver, 0, "cid");
    let one = document(&mut driver, &format!("/{cid}/1"));
    assert_eq!(document(&mut driver, &format!("/{cid}/1?token_id=abc//7")), one);
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"] {
        let call = Call::new(method, &format!("/{cid}/1"), Vec::new(), b"{}".to_vec());
        let exchange = driver.start_at(SITE, &call);
        let reply = driver.reply(exchange).expect("an answer");
        assert_eq!(
            (reply.status, reply.headers["allow"].to_str().ok()),
            (405, Some("GET, HEAD")),
            "{method}"
        );
    }
}
