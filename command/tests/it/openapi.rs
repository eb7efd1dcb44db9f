//! The `OpenAPI` documents: every endpoint is in its service's document as declared, and the document lists every
//! status that a run sees.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::endpoint::{Endpoint, OF_HTTP};
use assay_spec::{Dialect, Service, catalogue, metadata, network};
use assay_suites::documents::openapi::{describe, sites, statuses};
use assay_suites::embedded::{Embedded, site_urls::site_urls};
use assay_suites::harness::data::Run;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::services;
use assay_suites::services::SUITES;
use serde_json::{Map, Value, json};

fn declared(service: Service) -> Vec<&'static Endpoint> {
    catalogue::endpoints().filter(|endpoint| endpoint.service == service).collect()
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("an object")
}

/// Every operation of a document, with its path and method.
fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let of_path = |(path, item)| object(item).iter().map(move |(method, found)| (path, method, found));
    let all = object(&document["paths"]).iter().flat_map(of_path);
    all.map(|(path, method, found): (&String, &String, &Value)| (path.as_str(), method.as_str(), found))
        .collect()
}

#[test]
fn every_endpoint_is_listed_once_with_its_statuses_and_parameters() {
    for service in Service::ALL {
        let document = describe(*service, &SUITES.get(*service).openapi, &site_urls());
        let found = operations(&document);
        assert_eq!(found.len(), declared(*service).len(), "{service}");
        for endpoint in declared(*service) {
            let place = format!("{} {}", endpoint.method, endpoint.path);
            let is_it = |(path, method, _): &&(&str, &str, &Value)| {
                *path == endpoint.path && method.eq_ignore_ascii_case(endpoint.method)
            };
            let (_, _, operation) = found.iter().find(is_it).expect(&place);
            assert_eq!(operation["operationId"], endpoint.name, "{place}");
            assert_eq!(operation["x-source"], endpoint.source, "{place}");
            let shown: BTreeSet<&str> = object(&operation["responses"]).keys().map(String::as_str).collect();
            let listed = endpoint.statuses.iter().chain(endpoint.shape.open);
            for status in listed {
                assert!(shown.contains(status.to_string().as_str()), "{place}: {status}");
            }
            // And nothing else but the statuses of HTTP itself.
            let known = |status: &&str| {
                statuses(endpoint).iter().any(|one| one == status)
                    || OF_HTTP.iter().any(|one| one.to_string() == **status)
            };
            assert!(shown.iter().all(known), "{place}: {shown:?}");
            assert!(!shown.contains("default") && !shown.contains("5XX"), "{place}: {shown:?}");
            let in_path: BTreeSet<&str> = operation["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|parameter| parameter["in"] == "path" && parameter["required"] == true)
                .filter_map(|parameter| parameter["name"].as_str())
                .collect();
            assert_eq!(in_path, endpoint.captures().collect(), "{place}");
        }
    }
}

#[test]
fn document_is_complete() {
    for service in Service::ALL {
        let document = describe(*service, &SUITES.get(*service).openapi, &site_urls());
        assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
        let tags: Vec<&Value> =
            document["tags"].as_array().expect("tags").iter().map(|tag| &tag["name"]).collect();
        let schemes = &document["components"]["securitySchemes"];
        let mut ids = BTreeSet::new();
        for (path, method, operation) in operations(&document) {
            assert!(ids.insert(operation["operationId"].to_string()), "{path}: duplicate operation id");
            assert!(tags.contains(&&operation["tags"][0]), "{path}");
            for wanted in operation["security"].as_array().into_iter().flatten() {
                assert!(object(wanted).keys().all(|name| schemes[name].is_object()), "{path}: {wanted}");
            }
            for (status, response) in object(&operation["responses"]) {
                let reference = response["$ref"].as_str().map(|pointer| pointer.trim_start_matches('#'));
                let response = reference.map_or(Some(response), |pointer| document.pointer(pointer));
                let description = response.and_then(|response| response["description"].as_str());
                assert!(description.is_some_and(|text| !text.is_empty()), "{method} {path} {status}");
            }
        }
    }
}

#[test]
fn servers_are_listed_for_their_endpoints() {
    let urls = BTreeMap::from([
        ("network".to_owned(), "https://node.example/below".to_owned()),
        ("scheduler".to_owned(), "http://plan.example".to_owned()),
    ]);
    let document = describe(Service::Network, &SUITES.get(Service::Network).openapi, &urls);
    assert_eq!(document["servers"], json!([{ "url": "https://node.example/below" }]));
    assert_eq!(
        document["paths"]["/api/v0/plan"]["get"]["servers"],
        json!([{ "url": "http://plan.example" }])
    );
    let unknown = &document["paths"]["/api/services"]["get"]["servers"][0];
    assert_eq!(
        (&unknown["url"], &unknown["variables"]["base"]["default"]),
        (&json!("{base}"), &json!("https://status.example"))
    );
    assert!(document["paths"]["/api/v0/messages"]["get"]["servers"].is_null());
    assert_eq!(sites(Service::Network), ["network", "compute-1", "scheduler", "status", "credit"]);
    assert_eq!(
        describe(Service::Drop, &SUITES.get(Service::Drop).openapi, &BTreeMap::new())["servers"],
        json!([{ "url": "/" }])
    );
    let simulated = site_urls();
    assert!(Service::ALL.iter().flat_map(|service| sites(*service)).all(|site| simulated.contains_key(site)));
    assert_eq!(simulated["gateway"], "http://127.0.0.1:4101");
}

#[test]
fn path_with_a_double_slash_keeps_it_and_describes_it() {
    let document = describe(Service::Metadata, &SUITES.get(Service::Metadata).openapi, &site_urls());
    let operation = &document["paths"]["/{contract_uri}//{token_id}/overrides"]["get"];
    assert!(operation["description"].as_str().expect("a description").contains("last double slash"));
    assert_eq!(operation["parameters"][1]["schema"]["type"], "integer");
}

async fn run() -> Run {
    let target = Embedded::new(1, Dialect::default());
    let (settings, pace) = (Settings { seed: 1, ..services::settings() }, Pace::default());
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 4 };
    let checks = select(services::checks(), &[], &[]);
    runner.run(&plan(&target, &checks), |_| {}).await
}

/// The endpoint of a request at a site of the service.
fn routed(service: Service, method: &str, path: &str) -> Option<&'static Endpoint> {
    if service == Service::Metadata {
        return metadata::route::endpoint(path.as_bytes()).filter(|_| method == "GET");
    }
    network::route::route(declared(service), method, path).ok().map(|found| found.endpoint)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_status_that_a_run_sees_is_declared() {
    let run = run().await;
    assert_eq!(run.exit_code(), 0);
    let mut seen: BTreeMap<(&str, &str), BTreeSet<u16>> = BTreeMap::new();
    let mut unforeseen = BTreeSet::new();
    for outcome in &run.outcomes {
        let service = outcome.requirement.service;
        for exchange in &outcome.exchanges {
            let Ok(response) = &exchange.response else { continue };
            let (method, target) = (&exchange.request.method, &exchange.request.target);
            let path = target.split('?').next().unwrap_or_default();
            // A hosting application's records are read from nodes of the network.
            let services = [service, Service::Network];
            let Some(endpoint) = services.iter().find_map(|service| routed(*service, method, path)) else {
                continue;
            };
            seen.entry((endpoint.service.name(), endpoint.name)).or_default().insert(response.status);
            if !endpoint.foresees(response.status) {
                unforeseen.insert(format!(
                    "{}: {} of {method} {}",
                    outcome.requirement, response.status, endpoint.path
                ));
            }
        }
    }
    assert!(unforeseen.is_empty(), "{unforeseen:#?}");
    // Conversely: for well-tested endpoints a run sees every listed status.
    for (service, name, statuses) in [
        ("gateway", "chat", &[200, 401, 402, 404, 422, 503][..]),
        ("metadata", "token-by-uri", &[200, 404, 422]),
        ("publish", "submit", &[200, 400, 404, 409, 410, 413, 429, 502, 503]),
        ("drop", "drop", &[200, 400, 413, 429, 500, 503]),
    ] {
        let found = seen.get(&(service, name)).expect(name);
        assert!(statuses.iter().all(|status| found.contains(status)), "{service} {name}: {found:?}");
    }
}
