//! Endpoint coverage: checks see success and error of each endpoint, and missing endpoints are reported without
//! changing the verdict.

use assay_spec::Dialect;
use assay_spec::endpoint::Endpoint;
use assay_spec::network::{neighbours, probes};
use assay_suites::embedded::Embedded;
use assay_suites::harness::coverage::{Coverage, Seen, ask_for_the_rest};
use assay_suites::harness::data::Run;
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::harness::target::{Remote, Target};
use assay_suites::profile::Profile;
use assay_suites::report::{json, terminal};
use assay_suites::services;
use assay_suites::services::network::Fixtures;
use serde_json::Value;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// What no check can see at an endpoint, and why.
struct Excuse {
    endpoint: &'static Endpoint,
    /// No check sees a success.
    no_success: bool,
    /// No check judges the body of a success.
    no_body: bool,
    /// No check sees an error.
    no_refusal: bool,
    why: &'static str,
}

const fn excuse(endpoint: &'static Endpoint, missing: [bool; 3], why: &'static str) -> Excuse {
    let [no_success, no_body, no_refusal] = missing;
    Excuse { endpoint, no_success, no_body, no_refusal, why }
}

const NOT_SHOWN: &str = "the document shows only the path: nothing may be asserted";

static EXCUSES: &[Excuse] = &[
    excuse(&probes::LOGIN, [true, true, false], "the document shows no credentials: a 401 is expected"),
    excuse(
        &probes::VM,
        [false, true, true],
        "a success is judged by its status; the document shows no body and no error",
    ),
    excuse(
        &probes::STATUS_CHECK,
        [false, true, true],
        "a success is judged by its status; the document shows nothing else",
    ),
    excuse(&neighbours::PLAN, [true; 3], NOT_SHOWN),
    excuse(&neighbours::ALLOCATION, [true; 3], NOT_SHOWN),
    excuse(&neighbours::NODES, [true; 3], NOT_SHOWN),
    excuse(&neighbours::SERVICES, [true; 3], NOT_SHOWN),
    excuse(&neighbours::PAYMENT, [true; 3], NOT_SHOWN),
    excuse(&neighbours::TOKEN_TO_CREDIT, [true; 3], NOT_SHOWN),
];

async fn run(target: &dyn Target, settings: &Settings, filters: &[&str]) -> Run {
    let pace = Pace::default();
    let runner = Runner { target, settings, pace: &pace, jobs: 4 };
    let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
    let checks = select(services::checks(), &[], &filters);
    assert!(!checks.is_empty(), "{filters:?}");
    runner.run(&plan(target, &checks), |_| {}).await
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_see_success_and_error_of_every_endpoint() {
    let settings = Settings { seed: 1, ..services::settings() };
    let run = run(&Embedded::new(1, Dialect::default()), &settings, &["network."]).await;
    assert_eq!(run.exit_code(), 0, "{}", terminal::summary(&run, false));
    assert_eq!(run.endpoints.len(), assay_spec::network::ENDPOINTS.len());
    for row in &run.endpoints {
        let place = format!("{} {}", row.endpoint.method, row.endpoint.path);
        let excuse = EXCUSES.iter().find(|excuse| std::ptr::eq(excuse.endpoint, row.endpoint));
        let missing = excuse.map_or([false; 3], |e| [e.no_success, e.no_body, e.no_refusal]);
        let why = excuse.map_or("no excuse", |excuse| excuse.why);
        // An excuse that is not needed is an error too.
        let found = [row.accepted.count == 0, row.accepted.judged == 0, row.rejected.judged == 0];
        assert_eq!(
            found, missing,
            "no success, no judged success body, no judged error body: {place} ({why})"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_see_success_and_error_of_every_metadata_path() {
    let settings = Settings { seed: 1, ..services::settings() };
    let run = run(&Embedded::new(1, Dialect::default()), &settings, &["metadata."]).await;
    assert_eq!(run.exit_code(), 0, "{}", terminal::summary(&run, false));
    assert_eq!(run.endpoints.len(), assay_spec::metadata::ENDPOINTS.len());
    for row in &run.endpoints {
        let is_root = row.endpoint.path == "/";
        let found = [row.accepted.judged > 0, row.rejected.judged > 0];
        assert_eq!(found, [true, !is_root], "{}: {:?}, {:?}", row.endpoint.path, row.accepted, row.rejected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_response_has_a_declared_status() {
    let settings = Settings { seed: 1, ..services::settings() };
    let run = run(&Embedded::new(1, Dialect::default()), &settings, &["network."]).await;
    for outcome in &run.outcomes {
        for exchange in &outcome.exchanges {
            let Ok(response) = &exchange.response else { continue };
            let path = exchange.request.target.split('?').next().unwrap_or_default();
            let found = assay_spec::network::route::route(
                assay_spec::network::ENDPOINTS.iter().copied(),
                &exchange.request.method,
                path,
            );
            let Ok(found) = found else { continue };
            let (place, status) = (found.endpoint.path, response.status);
            assert!(
                found.endpoint.statuses.contains(&status),
                "{}: {status} of {place}",
                outcome.requirement
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn endpoints_without_a_check_are_probed_once() {
    let settings = Settings { seed: 1, ..services::settings() };
    let target = Embedded::new(1, Dialect::default());
    let mut run = run(&target, &settings, &["network.info.public"]).await;
    let seen = |rows: &[Coverage], seen| rows.iter().filter(|row| row.seen == seen).count();
    assert_eq!(seen(&run.endpoints, Seen::Present), 1);
    assert_eq!(seen(&run.endpoints, Seen::NotAsked), run.endpoints.len() - 1);
    ask_for_the_rest(&mut run.endpoints, &target, &Pace::default(), &services::settings())
        .await
        .expect("a place to ask at");
    let missing: Vec<_> = run.endpoints.iter().filter(|row| row.seen != Seen::Present).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(run.endpoints.iter().all(|row| row.is_probed == (row.endpoint.name != "info")));
}

/// A node with one response to everything, and the target of its profile.
async fn node(status: u16, body: &str, more: &str) -> (MockServer, Remote, Settings) {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(status).set_body_raw(body.to_owned(), "application/json");
    Mock::given(any()).respond_with(answer).mount(&server).await;
    let text = format!("[network]\nurl = \"{}/below\"\n{more}", server.uri());
    let network = Profile::parse(&text, "p.toml").expect("a profile").network.expect("the table");
    let target = Remote::new(network.sites(), None).await.expect("no control to ask");
    (server, target, Settings { seed: 5, ..services::settings() }.with(Fixtures::new(&network)))
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_endpoint_is_reported_and_is_not_a_failure() {
    let (server, target, settings) = node(404, "{}", "endpoints = { run = false }").await;
    let mut run = run(&target, &settings, &["network.info.public", "network.pins"]).await;
    let code = run.exit_code();
    ask_for_the_rest(&mut run.endpoints, &target, &Pace::default(), &services::settings())
        .await
        .expect("a place to ask at");
    assert_eq!(run.exit_code(), code);
    for row in &run.endpoints {
        let wanted = match row.endpoint {
            endpoint if endpoint.name == "run" => Seen::NotAsked,
            // The profile has no address for the others.
            endpoint if assay_spec::network::CORE.iter().any(|core| core.name == endpoint.name) => {
                Seen::Absent
            }
            _ => Seen::NotAsked,
        };
        assert_eq!(row.seen, wanted, "{}", row.endpoint.name);
    }
    let asked = server.received_requests().await.expect("requests are recorded");
    assert!(asked.iter().all(|request| request.url.path().starts_with("/below/")));
    assert!(
        asked.iter().all(|request| !request.url.path().contains("/run/")),
        "a disabled endpoint was requested"
    );
    let text = terminal::endpoints(&run);
    assert!(text.contains("! GET  /api/v0/info/public.json"), "{text}");
    assert!(terminal::summary(&run, false).contains("endpoints: 0 of 38 present, 28 absent"));
    let report: serde_json::Value = serde_json::from_str(&json::write(&run)).expect("JSON");
    let of_run = report["endpoints"].as_array().expect("rows").iter().find(|row| row["name"] == "run");
    let of_run = of_run.expect("the row");
    assert_eq!((&of_run["declared"], &of_run["seen"]), (&Value::Bool(false), &Value::from("not-asked")));
}

#[tokio::test(flavor = "multi_thread")]
async fn error_shows_that_an_endpoint_exists_and_a_failure_shows_nothing() {
    let own = r#"{"error":"no","status":"error","code":"x"}"#;
    for (status, body, wanted) in [
        (404, own, Seen::Present),
        (404, "", Seen::Absent),
        (405, r#"{"detail":"no"}"#, Seen::Absent),
        (501, "", Seen::Absent),
        (400, "", Seen::Present),
        (401, "", Seen::Present),
        (429, "", Seen::Present),
        (302, "", Seen::Unclear),
        (500, own, Seen::Present),
        (502, "<html>", Seen::Unclear),
    ] {
        let (_server, target, settings) = node(status, body, "").await;
        let mut run = run(&target, &settings, &["network.info.prefix"]).await;
        ask_for_the_rest(&mut run.endpoints, &target, &Pace::default(), &services::settings())
            .await
            .expect("a place to ask at");
        let row = run.endpoints.iter().find(|row| row.endpoint.name == "vrf-verify").expect("its row");
        assert_eq!(row.seen, wanted, "{status} {body}");
    }
}
