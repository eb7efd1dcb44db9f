//! The model list and discovery, and how they follow the servers' states.

use serde_json::{Value, json};

use crate::common::{Driver, body_of};
use crate::gateway::model::get;

fn discovered(driver: &mut Driver) -> Value {
    let reply = driver.request(&get("/svc/models", None));
    assert_eq!(reply.status, 200);
    body_of(&reply)
}

fn servers(driver: &mut Driver, model: &str) -> Vec<String> {
    let discovered = discovered(driver);
    let servers = discovered[model]["servers"].as_array().expect("an array").clone();
    servers.iter().map(|server| server.as_str().expect("a string").to_owned()).collect()
}

#[test]
fn discovery_lists_every_model_of_the_list_with_its_servers() {
    let mut driver = Driver::new(1);
    let listed = body_of(&driver.request(&get("/v1/models", None)));
    let ids: Vec<&str> =
        listed["data"].as_array().expect("data").iter().filter_map(|m| m["id"].as_str()).collect();
    let discovered = discovered(&mut driver);
    let keys: Vec<&String> = discovered.as_object().expect("an object").keys().collect();
    assert_eq!(ids, keys);
    assert_eq!(
        servers(&mut driver, "assay-chat"),
        ["https://server-a.sim", "https://server-b.sim", "https://server-c.sim"]
    );
    let sealed = servers(&mut driver, "assay-sealed");
    let hash = driver.gateway()["enclave"]["item_hash"].as_str().expect("a hash").to_owned();
    assert_eq!(sealed, [format!("tee://{hash}")]);
}

#[test]
fn discovery_follows_servers_that_leave_and_join() {
    let mut driver = Driver::new(1);
    driver.perform("gateway.server", &json!({ "site": "server-b", "listed": false }));
    assert_eq!(servers(&mut driver, "assay-chat"), ["https://server-a.sim", "https://server-c.sim"]);
    assert_eq!(
        driver.stream(assay_sim::gateway::SERVERS[1], "assay-chat"),
        2,
        "it still answers at its own site"
    );
    driver.perform("gateway.server", &json!({ "site": "server-b", "listed": true }));
    assert_eq!(servers(&mut driver, "assay-chat").len(), 3);
    driver.perform("gateway.server", &json!({ "site": "server-c", "listed": false }));
    assert!(servers(&mut driver, "assay-draw").is_empty(), "the model is listed without servers");
    assert_eq!(driver.chat("assay-draw").status, 503);
}

#[test]
fn server_that_is_down_is_listed_until_noticed_and_again_once_healthy() {
    let mut driver = Driver::new(1);
    driver.perform("gateway.server", &json!({ "site": "server-a", "up": false }));
    assert_eq!(servers(&mut driver, "assay-text").len(), 2);
    driver.advance(4_999);
    assert_eq!(servers(&mut driver, "assay-text").len(), 2);
    driver.advance(1);
    assert_eq!(servers(&mut driver, "assay-text"), ["https://server-b.sim"]);
    driver.perform("gateway.server", &json!({ "site": "server-a", "up": true }));
    driver.advance(5_000);
    assert_eq!(servers(&mut driver, "assay-text").len(), 2);
}

#[test]
fn discovery_lists_the_urls_of_served_sites() {
    let mut driver = Driver::new(1);
    let site_urls = [("server-a", "https://127.0.0.1:4102/"), ("enclave", "https://127.0.0.1:4900")];
    driver.world.set_site_urls(site_urls.into_iter());
    assert_eq!(servers(&mut driver, "assay-text"), ["https://127.0.0.1:4102", "https://server-b.sim"]);
    assert_eq!(driver.gateway()["enclave"]["url"], "https://127.0.0.1:4900");
}

#[test]
fn lists_need_a_key_under_that_variation() {
    let mut driver = Driver::new(1);
    driver.set_variations(&["gateway.lists-need-key"]);
    let key = driver.key("valid");
    for path in ["/v1/models", "/svc/models"] {
        assert_eq!(driver.request(&get(path, None)).status, 401);
        assert_eq!(driver.request(&get(path, Some(&key))).status, 200);
    }
}
