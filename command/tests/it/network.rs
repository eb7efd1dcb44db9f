//! Nodes that are broken or offer little: each check ends in a verdict that says what it saw or what is missing.

use std::collections::BTreeMap;

use assay_suites::harness::data::{Outcome, Verdict};
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::harness::target::Remote;
use assay_suites::profile::Profile;
use assay_suites::report::words::reason;
use assay_suites::services;
use assay_suites::services::network::Fixtures;
use serde_json::{Value, json};
use wiremock::matchers::{any, path_regex};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A node that returns the same answer to every request.
async fn node(status: u16, body: &str, content_type: &str) -> MockServer {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(status).set_body_raw(body.to_owned(), content_type);
    Mock::given(any()).respond_with(answer.insert_header("retry-after", "0")).mount(&server).await;
    server
}

/// Runs checks against a node; `more` are lines of the profile's table.
async fn run(url: &str, more: &str, filters: &[&str]) -> Vec<Outcome> {
    let text = format!("[network]\nurl = \"{url}\"\nmirror_url = \"{url}\"\n{more}");
    let network = Profile::parse(&text, "p.toml").expect("a profile").network.expect("the table");
    let sites: BTreeMap<String, String> = network.sites();
    let target = Remote::new(sites, None).await.expect("no control API");
    let settings = Settings { seed: 5, ..services::settings() }.with(Fixtures::new(&network));
    let pace = Pace::default();
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 1 };
    let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
    let checks = select(services::checks(), &[], &filters);
    assert!(!checks.is_empty(), "{filters:?}");
    runner.run(&plan(&target, &checks), |_| {}).await.outcomes
}

/// Groups whose checks begin with a request.
const GROUPS: [&str; 6] = [
    "network.messages.",
    "network.envelope.",
    "network.listing.",
    "network.flat.",
    "network.paging.",
    "network.storage.",
];

fn expect(outcomes: &[Outcome], verdict: Verdict, words: &str) {
    for outcome in outcomes {
        let id = outcome.requirement;
        assert_eq!(outcome.verdict, verdict, "{id}: {}", reason(outcome));
        assert!(reason(outcome).contains(words), "{id}: {}", reason(outcome));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_endpoints_are_failures_only_in_a_strict_profile() {
    let server = node(404, "404: Not Found", "text/plain").await;
    let outcomes = run(&server.uri(), "readings = { verifies_signatures = true }", &GROUPS).await;
    expect(&outcomes, Verdict::NotApplicable, "the target does not offer");
    for outcome in run(&server.uri(), "strict = true", &GROUPS[..2]).await {
        let bad = matches!(outcome.verdict, Verdict::Fail | Verdict::Inconclusive);
        assert!(bad, "{}: {:?}", outcome.requirement, outcome.verdict);
    }
}

/// A node that takes messages, returns them, and has no other endpoint.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_lacks_endpoints_returns_no_wrong_errors() {
    let server = MockServer::start().await;
    let body = json!({ "item_hash": "ab", "status": "success", "message": {} });
    let taken = ResponseTemplate::new(200).set_body_json(body);
    Mock::given(path_regex("^/api/v0/messages")).respond_with(taken).mount(&server).await;
    let absent = ResponseTemplate::new(404).set_body_raw("404: Not Found", "text/plain");
    Mock::given(any()).respond_with(absent).mount(&server).await;
    let outcomes = run(&server.uri(), "", &["network.errors.body"]).await;
    let own: Vec<Outcome> =
        outcomes.into_iter().filter(|one| one.requirement.to_string() == "network.errors.body").collect();
    expect(&own, Verdict::NotApplicable, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_404_with_an_error_body_is_not_a_missing_endpoint() {
    let body = json!({ "error": "no", "status": "error", "code": "x" }).to_string();
    let server = node(404, &body, "application/json").await;
    let outcomes = run(&server.uri(), "", &["network.messages.found", "network.storage.stored"]).await;
    expect(&outcomes[1..], Verdict::Fail, "status");
    expect(&outcomes[..1], Verdict::Inconclusive, "404");
}

#[tokio::test(flavor = "multi_thread")]
async fn disabled_endpoints_get_no_request() {
    let server = node(200, "{}", "application/json").await;
    let off = "endpoints = { create_message = false, store_file = false, messages = false }";
    let outcomes =
        run(&server.uri(), off, &["network.messages.found", "network.messages.w", "network.listing."]).await;
    expect(&outcomes, Verdict::NotApplicable, "it has no `create_message`");
    // Endpoints with their own type still get requests.
    run(&server.uri(), off, &["network.envelope.type-of-endpoint"]).await;
    let asked = server.received_requests().await.expect("requests are recorded");
    let is_off = |path: &str| path.starts_with("/api/v0/messages") || path == "/api/v0/storage/store";
    assert!(
        !asked.is_empty() && asked.iter().all(|request| !is_off(request.url.path())),
        "a disabled endpoint got a request"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn undeclared_readings_are_not_tested() {
    let server = node(200, "{}", "application/json").await;
    let filters = ["network.signing.", "network.storage.signature"];
    let outcomes = run(&server.uri(), "", &filters).await;
    expect(&outcomes, Verdict::NotApplicable, "the target's profile");
    assert!(server.received_requests().await.expect("requests are recorded").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_stop_at_a_node_that_returns_429() {
    let body = json!({ "error": "no", "status": "error", "code": "x" }).to_string();
    let server = node(429, &body, "application/json").await;
    let outcomes =
        run(&server.uri(), "", &["network.envelope.reply", "network.flat.edges", "network.flat.flat"]).await;
    expect(&outcomes, Verdict::Inconclusive, "the target returned 429, although");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_a_wrong_shape_end_in_verdicts() {
    let record =
        json!({ "item_hash": 7, "sender": [], "type": null, "channel": {}, "content": [], "timestamp": "x" });
    for answer in [
        Value::Null,
        json!([]),
        json!("text"),
        json!({}),
        json!({ "item_hash": "", "status": 1 }),
        json!({ "item_hash": "h", "status": [], "message": {}, "messages": [record], "pagination": [] }),
        json!({ "item_hash": "h", "status": "success", "message": record, "messages": [null, 1], "pagination": { "total": -1 } }),
    ] {
        let server = node(200, &answer.to_string(), "application/json").await;
        let filters = [
            "network.envelope.",
            "network.messages.c",
            "network.messages.w",
            "network.flat.a",
            "network.storage.r",
        ];
        let outcomes = run(&server.uri(), "", &filters).await;
        for outcome in &outcomes {
            let (id, verdict) = (outcome.requirement, outcome.verdict);
            // A check of a hash alone can pass by chance.
            let by_chance = ["envelope.reply-hash", "envelope.reply-status", "messages.wrapper-hash"];
            let may_pass = by_chance.iter().any(|row| id.to_string().ends_with(row));
            let ended = matches!(verdict, Verdict::Fail | Verdict::Warn | Verdict::Inconclusive);
            let is_good = ended || (may_pass && verdict == Verdict::Pass);
            assert!(is_good, "{answer}: {id} {verdict:?} {}", reason(outcome));
        }
        // The node accepts everything, so the rejection of what is not an envelope at all is missing.
        let missed = outcomes.iter().filter(|outcome| reason(outcome).contains("wanted 400")).count();
        assert!(missed >= 1, "{answer}: {missed}");
    }
}

/// Every node has public information: unlike other endpoints it may not be missing.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_without_public_information_fails() {
    let server = MockServer::start().await;
    let page =
        json!({ "messages": [], "pagination_page": 1, "pagination_total": 0, "pagination_per_page": 1 });
    let listed = ResponseTemplate::new(200).set_body_json(page);
    Mock::given(path_regex("^/api/v0/messages")).respond_with(listed).mount(&server).await;
    let absent = ResponseTemplate::new(404).set_body_raw("404: Not Found", "text/plain");
    Mock::given(any()).respond_with(absent).mount(&server).await;
    for outcome in run(&server.uri(), "", &["network.info.public"]).await {
        assert_eq!(outcome.verdict, Verdict::Fail, "{}: {}", outcome.requirement, reason(&outcome));
    }
}
