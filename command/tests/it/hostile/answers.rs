//! Servers with valid HTTP and hostile responses.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_spec::drop::requirements::response as rows;
use assay_suites::harness::data::{Outcome, Run, Verdict};
use assay_suites::harness::pace::Pace;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::harness::target::Remote;
use assay_suites::report::words::reason;
use assay_suites::services;
use assay_suites::services::publish::{Fixtures, Pool};
use serde_json::json;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::DEAD_URL;
use crate::hostile::room::{Hear, Server, say};

/// Runs two checks: one that begins with a prepare, one that begins with a submit.
async fn run(url: &str) -> Run {
    run_some(url, &["publish.envelope.query", "publish.prepare.domain-trimmed"]).await
}

async fn run_some(url: &str, filters: &[&str]) -> Run {
    let sites = ["publish", "drop"].map(|name| (name.to_owned(), url.to_owned()));
    let sites: BTreeMap<String, String> = sites.into();
    let target = Remote::new(sites, None).await.expect("no control to ask");
    let pool = Arc::new(Pool::new((0..9).map(|n| format!("d{n}.example"))));
    let fixtures = Fixtures { key: Some([7; 32]), pool, ..Fixtures::default() };
    let settings = services::settings().with(fixtures);
    let pace = Pace::default();
    let runner = Runner { target: &target, settings: &settings, pace: &pace, jobs: 1 };
    let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
    runner.run(&plan(&target, &select(services::checks(), &[], &filters)), |_| {}).await
}

/// A service that accepts every upload with this response; its pages redirect to themselves.
async fn taker(answer: serde_json::Value) -> MockServer {
    let server = MockServer::start().await;
    let text = answer.to_string().replace("$BASE", &server.uri());
    let taken = ResponseTemplate::new(200).set_body_raw(text, "application/json");
    Mock::given(method("POST")).and(path("/api/drop")).respond_with(taken).mount(&server).await;
    let round = ResponseTemplate::new(302).insert_header("location", "/round");
    Mock::given(method("GET")).and(path("/round")).respond_with(round).mount(&server).await;
    let nowhere = ResponseTemplate::new(301).insert_header("location", "http://[::1");
    Mock::given(method("GET")).and(path("/nowhere")).respond_with(nowhere).mount(&server).await;
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_of_live_urls_are_followed_within_bounds() {
    for (url, verdict, words, requests) in [
        ("$BASE/round", Verdict::Fail, "got 302", 7),
        ("$BASE/nowhere", Verdict::Fail, "got 301", 2),
        ("/live/a/", Verdict::Inconclusive, "not an absolute URL", 1),
        ("", Verdict::Inconclusive, "not an absolute URL", 1),
        ("https://127.0.0.1:1/", Verdict::Error, "cannot connect", 2),
        ("data:text/html,x", Verdict::Inconclusive, "not an absolute URL", 1),
        ("file:///etc/hostname", Verdict::Inconclusive, "not an absolute URL", 1),
        ("http://127.0.0.1:1/", Verdict::Error, "cannot connect", 2),
    ] {
        let server = taker(json!({ "url": url })).await;
        let run = run_some(&server.uri(), &["drop.site.live"]).await;
        let live = |outcome: &&Outcome| outcome.requirement.to_string() == "drop.site.live";
        let outcome = run.outcomes.iter().find(live).expect("the check ran");
        assert_eq!(outcome.verdict, verdict, "{url}: {}", reason(outcome));
        assert!(reason(outcome).contains(words), "{url}: {}", reason(outcome));
        assert_eq!(outcome.exchanges.len(), requests, "{url}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_without_remaining_drops_is_not_judged() {
    for (status, words) in [(429, "429"), (503, "has paused drops")] {
        let server = MockServer::start().await;
        Mock::given(method("POST")).respond_with(ResponseTemplate::new(status)).mount(&server).await;
        let run = run_some(&server.uri(), &["drop."]).await;
        let are_open =
            |outcome: &Outcome| matches!(outcome.verdict, Verdict::NotTestable | Verdict::Inconclusive);
        assert!(run.outcomes.iter().all(are_open), "{:?}", run.outcomes);
        assert_eq!(run.exit_code(), 1, "nothing was checked");
        let said = run.outcomes.iter().filter(|outcome| reason(outcome).contains(words)).count();
        assert!(said > 20, "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_of_other_shapes_lead_to_verdicts() {
    for answer in [
        json!({ "dropId": 1, "claimToken": [], "url": {}, "cid": -1, "expiresAt": "x", "claimUrl": null }),
        json!({ "dropId": "drop_", "claimToken": "", "url": "http://", "cid": "b", "expiresAt": -1.5, "claimUrl": "#" }),
        json!({ "dropId": "drop_a/../b\0", "url": "http://\u{1}/..", "cid": "Qm", "expiresAt": 1e300, "claimUrl": "%#%&=%ff" }),
        json!([]),
        json!(null),
        json!("drop_"),
    ] {
        let server = taker(answer.clone()).await;
        let run = run_some(&server.uri(), &["drop.response", "drop.cid", "drop.site"]).await;
        assert_eq!(run.exit_code(), 1);
        // The media type is right, whatever the body is.
        let judges_body = |outcome: &&Outcome| outcome.requirement != &rows::MEDIA_TYPE;
        for outcome in run.outcomes.iter().filter(judges_body) {
            assert!(
                matches!(outcome.verdict, Verdict::Fail | Verdict::Inconclusive | Verdict::NotTestable),
                "{answer}: {} {:?} {}",
                outcome.requirement,
                outcome.verdict,
                reason(outcome)
            );
        }
        let failed = run.outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Fail).count();
        assert!(failed >= 5, "{answer}: {failed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_that_are_not_json_lead_to_verdicts() {
    let server = Server::start(vec![Hear, say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<p>hi")]).await;
    let run = run(&server.url("http")).await;
    assert!(run.outcomes.iter().all(|outcome| outcome.verdict != Verdict::Error), "{:?}", run.outcomes);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_target_is_an_error() {
    let sites: BTreeMap<String, String> = [("publish".to_owned(), DEAD_URL.to_owned())].into();
    let unreachable =
        Remote::new(sites, None).await.expect("no control").reach().await.expect_err("no server listens");
    assert!(unreachable.contains(DEAD_URL.trim_start_matches("http://")), "{unreachable}");
    let run = run(DEAD_URL).await;
    assert_eq!(run.exit_code(), 4);
}
