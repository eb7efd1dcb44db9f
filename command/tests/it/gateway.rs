//! The gateway's suite as a whole: which endpoints it covers, that reports show no key, and runs against gateways other
//! than the simulator.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::{ENDPOINTS, auth, discovery, models};
use assay_spec::{Dialect, Service};
use assay_suites::embedded::Embedded;
use assay_suites::embedded::sim::{Options, start};
use assay_suites::harness::check;
use assay_suites::harness::data::{Run, Verdict};
use assay_suites::harness::pace::Pace;
use assay_suites::harness::probe::Settings;
use assay_suites::harness::run::Runner;
use assay_suites::harness::run::plan::{plan, select};
use assay_suites::harness::target::{Remote, Target};
use assay_suites::profile::{Loaded, Profile, Secret};
use assay_suites::report::words::reason;
use assay_suites::report::{json, junit, terminal};
use assay_suites::services;
use assay_suites::services::gateway::Fixtures;
use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

async fn run(target: &dyn Target, settings: &Settings, filters: &[&str]) -> Run {
    let pace = Pace::default();
    let runner = Runner { target, settings, pace: &pace, jobs: 4 };
    let filters: Vec<String> = filters.iter().map(|&filter| filter.to_owned()).collect();
    let checks = select(services::checks(), &[Service::Gateway], &filters);
    assert!(!checks.is_empty(), "{filters:?}");
    runner.run(&plan(target, &checks), |_| {}).await
}

async fn embedded() -> Run {
    let settings = Settings { seed: 1, ..services::settings() };
    let run = run(&Embedded::new(1, Dialect::default()), &settings, &[]).await;
    assert_eq!(run.exit_code(), 0, "{}", terminal::summary(&run, false));
    run
}

/// What no check can judge at an endpoint, and why: the body of a success, the body of an error.
static EXCUSES: &[(&Endpoint, [bool; 2], &str)] = &[
    (&auth::CHECK, [true, false], "the document shows statuses but no body"),
    (&models::LIST, [false, true], "the document does not show whether the list needs a key"),
    (&discovery::ENDPOINT, [false, true], "the document does not show whether discovery needs a key"),
];

#[tokio::test(flavor = "multi_thread")]
async fn checks_see_success_and_error_of_every_endpoint() {
    let run = embedded().await;
    assert_eq!(run.endpoints.len(), ENDPOINTS.len());
    for row in &run.endpoints {
        let excuse = EXCUSES.iter().find(|(endpoint, ..)| std::ptr::eq(*endpoint, row.endpoint));
        let (missing, why) = excuse.map_or(([false; 2], "no excuse"), |(_, missing, why)| (*missing, *why));
        let found = [row.accepted.judged == 0, row.rejected.judged == 0];
        let place = format!("{} {}", row.endpoint.method, row.endpoint.path);
        assert!(row.accepted.count > 0, "no success of {place}");
        // An excuse that is not needed is an error too.
        assert_eq!(found, missing, "no judged success body, no judged error body: {place} ({why})");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_body_is_not_kept_once_it_is_sent() {
    let settings = Settings { seed: 1, ..services::settings() };
    let run = run(&Embedded::new(1, Dialect::default()), &settings, &["gateway.input.large"]).await;
    let exchanges: Vec<_> = run.outcomes.iter().flat_map(|outcome| &outcome.exchanges).collect();
    let kept: usize = exchanges.iter().map(|exchange| exchange.request.body.len()).sum();
    let sent: usize = exchanges.iter().map(|exchange| exchange.body_bytes()).sum();
    assert!(sent > 50_000_000 && kept < 1_000_000, "sent {sent} bytes, kept {kept}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_response_has_a_declared_status() {
    let run = embedded().await;
    let mut seen = BTreeMap::new();
    for outcome in &run.outcomes {
        for exchange in &outcome.exchanges {
            let (Ok(response), request) = (&exchange.response, &exchange.request) else { continue };
            let is_it =
                |endpoint: &&&Endpoint| endpoint.method == request.method && endpoint.path == request.target;
            let Some(endpoint) = ENDPOINTS.iter().find(is_it) else { continue };
            let is_declared = endpoint.statuses.contains(&response.status);
            assert!(is_declared, "{}: {} of {}", outcome.requirement, response.status, endpoint.path);
            *seen.entry((endpoint.name, response.status)).or_insert(0) += 1;
        }
    }
    for status in [200, 401, 402, 404, 422, 503] {
        assert!(seen.contains_key(&("chat", status)), "no check sees {status} of a chat: {seen:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_report_shows_a_key() {
    let deviations = ["auth.key-check", "auth.key-check-revoked", "auth.invalid-key-chat", "chat.choices"];
    let deviations = deviations.map(|deviation| format!("gateway.{deviation}"));
    let target = Embedded::new(1, Dialect::default()).with(&deviations, &[]).expect("deviations");
    let environment = target.environment(Service::Gateway).await.expect("a world");
    let state =
        environment.control.expect("a control API").call("GET", "state", None).await.expect("its state");
    let keys =
        ["valid", "revoked"].map(|kind| state["gateway"]["keys"][kind].as_str().expect("a key").to_owned());
    let profile = Profile::parse("[gateway]\nurl = \"http://a\"", "p.toml").expect("a profile");
    let [valid, revoked] = keys.clone();
    let fixtures = Fixtures::new(&profile.gateway.expect("the table"), Some(valid), Some(revoked));
    for gateway in [Fixtures::default(), fixtures] {
        let settings = Settings { seed: 1, ..services::settings() }.with(gateway);
        let run = run(&target, &settings, &["gateway.auth", "gateway.chat", "gateway.direct"]).await;
        // A check that depends on a failed one is inconclusive; its exchanges are reported too.
        assert!(run.count(Verdict::Fail) > 1, "{}", terminal::summary(&run, false));
        let reports = [
            json::write(&run),
            junit::write(&run),
            terminal::summary(&run, false),
            format!("{run:?}"),
            format!("{settings:?}"),
        ];
        for (n, text) in reports.iter().enumerate() {
            assert!(n > 0 || text.contains("/svc/auth/check"), "the exchanges are reported");
            assert!(keys.iter().all(|key| !text.contains(key.as_str())), "report {n} shows a key");
        }
    }
}

/// A gateway of another vendor: an image model and a text model, a model list of another form, errors of a common
/// framework, and no native completions. Counts the chats with the image model.
async fn foreign() -> (MockServer, Arc<AtomicUsize>) {
    let server = MockServer::start().await;
    let drawn = Arc::new(AtomicUsize::new(0));
    let answer = |status: u16, body: Value| ResponseTemplate::new(status).set_body_json(body);
    let servers = json!({ "servers": ["https://server.invalid/below/"] });
    let models = json!({ "draws": servers, "writes": servers, "sealed": { "servers": ["tee://ab"] } });
    let get =
        |at: &str, body: Value| Mock::given(method("GET")).and(path(at)).respond_with(answer(200, body));
    get("/svc/models", models).mount(&server).await;
    get("/v1/models", json!({ "models": ["draws", "writes", "sealed"] })).mount(&server).await;
    let count = drawn.clone();
    let chat = move |request: &Request| {
        let is_key = request.headers.get("authorization").is_some_and(|value| value == "Bearer sk-foreign");
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        match body["model"].as_str() {
            _ if !is_key => answer(401, json!({ "detail": "no" })),
            None => answer(422, json!({ "detail": [{ "loc": ["body", "model"], "msg": "m", "type": "t" }] })),
            Some("writes") if body["messages"].is_array() => {
                answer(200, json!({ "choices": [{ "message": { "content": "hi" } }] }))
            }
            Some("writes") => answer(422, json!({ "detail": [{ "loc": [], "msg": "m", "type": "t" }] })),
            Some("draws") => {
                count.fetch_add(1, Ordering::Relaxed);
                answer(400, json!({ "detail": "draws" }))
            }
            Some(_) => answer(404, json!({ "detail": "unknown" })),
        }
    };
    Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(chat).mount(&server).await;
    (server, drawn)
}

#[tokio::test(flavor = "multi_thread")]
async fn another_vendors_gateway_is_tested_by_its_profile() {
    let (server, drawn) = foreign().await;
    let text = format!(
        "[gateway]\nurl = \"{}\"\nendpoints = {{ native_completions = false }}\n\
         readings = {{ gateway_422_detail = \"array\", models_id_path = \"models[]\" }}",
        server.uri()
    );
    let gateway = Profile::parse(&text, "p.toml").expect("a profile").gateway.expect("the table");
    let sites = BTreeMap::from([("gateway".to_owned(), gateway.url.clone())]);
    let target = Remote::new(sites, None).await.expect("no control to ask");
    let fixtures = Fixtures::new(&gateway, Some("sk-foreign".to_owned()), None);
    let settings = Settings { seed: 5, ..services::settings() }.with(fixtures);
    let run = run(&target, &settings, &[]).await;
    let verdict = |id: &str| {
        let found =
            run.outcomes.iter().find(|outcome| outcome.requirement.to_string() == format!("gateway.{id}"));
        let outcome = found.unwrap_or_else(|| panic!("no check {id}"));
        (outcome.verdict, reason(outcome))
    };
    for (id, wanted) in [
        ("chat.answered", Verdict::Pass),
        ("chat.choices", Verdict::Pass),
        ("chat.answer-text", Verdict::NotApplicable),
        ("chat.model", Verdict::Pass),
        ("chat.messages", Verdict::Pass),
        ("chat.image", Verdict::NotTestable),
        ("tools.taken", Verdict::NotTestable),
        ("auth.invalid-key-chat", Verdict::Pass),
        ("auth.key-check", Verdict::Fail),
        ("auth.key-check-revoked", Verdict::NotTestable),
        ("completions.native", Verdict::NotApplicable),
        ("models.list", Verdict::Pass),
        ("models.ids", Verdict::Pass),
        ("models.covers-discovery", Verdict::Pass),
        ("discovery.covers", Verdict::Pass),
        ("discovery.entry", Verdict::Pass),
        ("errors.detail-422", Verdict::Pass),
        ("errors.unknown-model", Verdict::Pass),
        ("payment.required", Verdict::NotTestable),
        ("pool.failover", Verdict::NotTestable),
        ("direct.chat", Verdict::Inconclusive),
    ] {
        assert_eq!(verdict(id).0, wanted, "{id}: {}", verdict(id).1);
    }
    // Once to find the text model, and once when every discovered model is requested.
    assert_eq!(drawn.load(Ordering::Relaxed), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_judged_without_a_key() {
    let (server, _) = foreign().await;
    let sites = BTreeMap::from([("gateway".to_owned(), server.uri())]);
    let target = Remote::new(sites, None).await.expect("no control to ask");
    let profile = Profile::parse("[gateway]\nurl = \"http://a\"", "p.toml").expect("a profile");
    let gateway = Fixtures::new(&profile.gateway.expect("the table"), None, None);
    let run = run(&target, &Settings { seed: 5, ..services::settings() }.with(gateway), &[]).await;
    let judged: Vec<String> = run
        .outcomes
        .iter()
        .filter(|outcome| !matches!(outcome.verdict, Verdict::NotTestable | Verdict::NotApplicable))
        .map(|outcome| format!("{}: {:?}", outcome.requirement, outcome.verdict))
        .collect();
    assert_eq!(judged, Vec::<String>::new());
    assert_eq!(run.exit_code(), 1, "nothing was checked");
}

/// The rows about inference, by group.
const INFERENCE: [&str; 6] = ["chat", "stream", "tools", "completions", "responses", "messages"];

#[tokio::test(flavor = "multi_thread")]
async fn broken_chat_is_a_failure_of_a_row_about_inference() {
    let json = |status: u16, body: Value| ResponseTemplate::new(status).set_body_json(body);
    let choice = |message: Value| json(200, json!({ "choices": [{ "index": 0, "message": message }] }));
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    let ways = [
        ("500", json(500, json!({ "detail": "broken" }))),
        ("404", json(404, json!({ "detail": "broken" }))),
        ("401", json(401, json!({ "detail": "broken" }))),
        ("an empty object", json(200, json!({}))),
        ("no choice", json(200, json!({ "choices": [] }))),
        ("no message", json(200, json!({ "choices": [{ "index": 0 }] }))),
        ("HTML", ResponseTemplate::new(200).set_body_raw("<html></html>", "text/html")),
        ("a stream", ResponseTemplate::new(200).set_body_raw(stream, "text/event-stream")),
        ("a message that is a string", choice(json!("hello"))),
    ];
    for (way, chat) in ways {
        let server = MockServer::start().await;
        let listed = json!({ "one": { "servers": ["https://one.example"] } });
        let get =
            |at: &str, body: Value| Mock::given(method("GET")).and(path(at)).respond_with(json(200, body));
        get("/svc/models", listed).mount(&server).await;
        get("/v1/models", json!({ "data": [{ "id": "one" }] })).mount(&server).await;
        get("/svc/auth/check", json!({})).mount(&server).await;
        Mock::given(method("POST")).and(path("/v1/chat/completions")).respond_with(chat).mount(&server).await;
        let text = format!("[gateway]\nurl = \"{}\"", server.uri());
        let gateway = Profile::parse(&text, "p.toml").expect("a profile").gateway.expect("the table");
        let sites = BTreeMap::from([("gateway".to_owned(), gateway.url.clone())]);
        let target = Remote::new(sites, None).await.expect("no control to ask");
        let gateway = Fixtures::new(&gateway, Some("sk-one".to_owned()), None);
        let run = run(&target, &Settings { seed: 5, ..services::settings() }.with(gateway), &[]).await;
        assert_eq!(run.exit_code(), 1, "{way}: {}", terminal::summary(&run, false));
        let red = run.outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Fail);
        let red: Vec<_> = red.filter(|outcome| INFERENCE.contains(&outcome.requirement.group)).collect();
        let of_chat = red.iter().find(|outcome| outcome.requirement.group == "chat");
        let of_chat = of_chat.unwrap_or_else(|| panic!("{way}: {}", terminal::summary(&run, false)));
        let notes = of_chat.notes.join("\n");
        assert!(notes.contains("no model replied properly to a chat: one returned "), "{way}: {notes}");
        // Those that make ids which no model has read the list for themselves.
        let of_inference = run.outcomes.iter().filter(|outcome| {
            INFERENCE.contains(&outcome.requirement.group) && outcome.requirement.name != "UNKNOWN_MODEL"
        });
        let sent = of_inference.flat_map(|outcome| &outcome.exchanges);
        let searches = sent.filter(|exchange| exchange.request.target == "/svc/models").count();
        assert!(searches <= 1, "{way}: {searches} searches");
    }
}

/// Runs against a simulator over sockets, by its profile, with or without its control API. `servers` are site names.
async fn over_sockets(control: bool, servers: &[&str], filters: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let served = start(&Options::new(7)).await.expect("a simulator on any port");
    let path = folder.path().join("p.toml");
    served.write_profile(&path, None).expect("a profile");
    let Loaded { profile, folder: beside, .. } = Profile::load(&path).expect("the profile that was written");
    let trust = profile.trust(&beside).expect("the authority beside the profile");
    let mut gateway = profile.gateway.expect("the table");
    gateway.server_urls = servers.iter().map(|&name| served.sites[name].clone()).collect();
    let read = |secret: &Option<Secret>| secret.as_ref().map(|key| key.read(&beside).expect("a key's file"));
    let fixtures = Fixtures::new(&gateway, read(&gateway.key), read(&gateway.revoked_key));
    let sites = BTreeMap::from([("gateway".to_owned(), gateway.url.clone())]);
    let control = profile.control.filter(|_| control).map(|base| (base, None));
    let target = Remote::trusting(trust, sites, control).await.expect("the simulator listens");
    run(&target, &Settings { seed: 3, ..services::settings() }.with(fixtures), filters).await
}

fn verdicts(run: &Run) -> BTreeMap<Verdict, Vec<String>> {
    let mut all: BTreeMap<Verdict, Vec<String>> = BTreeMap::new();
    for outcome in &run.outcomes {
        let text = format!("{}: {}", outcome.requirement, reason(outcome));
        all.entry(outcome.verdict).or_default().push(text);
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn every_check_passes_over_sockets() {
    let run = over_sockets(true, &[], &[]).await;
    assert_eq!(run.count(Verdict::Pass), run.outcomes.len(), "{:#?}", verdicts(&run));
    let servers = run.outcomes.iter().flat_map(|outcome| &outcome.exchanges);
    let servers: BTreeSet<&str> = servers.map(|exchange| exchange.base.as_str()).collect();
    assert!(servers.iter().any(|base| base.starts_with("https://")), "servers speak https: {servers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn most_checks_are_testable_without_control() {
    let run = over_sockets(false, &[], &[]).await;
    let untestable: BTreeSet<String> = run
        .outcomes
        .iter()
        .filter(|outcome| outcome.verdict == Verdict::NotTestable)
        .map(|outcome| outcome.requirement.to_string())
        .collect();
    let needs = |check: &&&check::Check| !check.needs.is_empty();
    let checks = select(services::checks(), &[Service::Gateway], &[]);
    let mut wanted: BTreeSet<String> =
        checks.iter().filter(needs).map(|check| check.requirement.to_string()).collect();
    // The payment flow is disabled, and no response shows the tokens a key has spent.
    let others = ["required", "detail", "invalid", "paid", "used-again", "invalid-key", "valid-key"]
        .map(|name| format!("payment.{name}"));
    wanted.extend(others.iter().map(|name| format!("gateway.{name}")));
    wanted.insert("gateway.auth.key-check-free".to_owned());
    assert_eq!(untestable, wanted);
    assert_eq!(run.count(Verdict::Pass) + wanted.len(), run.outcomes.len(), "{:#?}", verdicts(&run));
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_the_profile_replace_those_of_discovery() {
    let run = over_sockets(false, &["server-b"], &["gateway.direct"]).await;
    let passed = run.count(Verdict::Pass);
    assert!(passed > 3 && passed == run.outcomes.len(), "{:#?}", verdicts(&run));
    let exchanges = run.outcomes.iter().flat_map(|outcome| &outcome.exchanges);
    // The list of models is read at the gateway, and one chat for a stream is sent to the gateway.
    let asked = exchanges.filter(|exchange| exchange.base.starts_with("https://"));
    let bases: BTreeSet<&str> = asked.map(|exchange| exchange.base.as_str()).collect();
    assert_eq!(bases.len(), 1, "{bases:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_waits_as_long_as_a_429_says() {
    let folder = tempfile::tempdir().expect("a folder");
    for (seconds, code, said, requests) in [("1", 0, "Fine.", 2), ("3600", 1, "429", 1)] {
        let server = MockServer::start().await;
        let full = ResponseTemplate::new(429).insert_header("retry-after", seconds);
        let fine = json!({ "choices": [{ "message": { "content": "Fine." } }] });
        Mock::given(method("POST")).respond_with(full).up_to_n_times(1).mount(&server).await;
        Mock::given(method("POST"))
            .respond_with(ResponseTemplate::new(200).set_body_json(fine))
            .mount(&server)
            .await;
        let arguments = ["chat", "--url", &server.uri(), "--model", "m", "How are you?"];
        let key = [("ASSAY_GATEWAY_KEY", "k")];
        let (ended, text) = crate::profiles::assay(folder.path(), &key, &arguments).await;
        assert!(ended == Some(code) && text.contains(said), "{seconds}: {text}");
        assert_eq!(server.received_requests().await.unwrap_or_default().len(), requests, "{seconds}: {text}");
    }
}
