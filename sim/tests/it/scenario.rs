//! Scenarios: what they say, what is wrong with them and where, and when it happens.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_sim::clock::EPOCH;
use assay_sim::control::{Hub, PREFIX, router};
use assay_sim::scenario::Scenario;
use assay_sim::serve::{ClockMode, Handle};
use assay_sim::{Input, World};
use assay_spec::{Dialect, Service};
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::common::{Driver, body_of};

const ALL: &str = r#"
deviations = ["publish.prepare.one-in-flight", { id = "publish.envelope.scheme", at = { endpoint = "prepare" } }]
variations = ["drop.status-201"]

[limits.publish]
requests_per_window = 1000

[limits.gateway]
first_byte_ms = "1s"

[gateway]
models = [{ id = "support", answers = [{ contains = "refund", text = "Within 14 days." }] }]

[[fault]]
fault = "drop.busy"
from = "10s"
until = "20s"

[[fault]]
fault = "gateway.server-down"
where = { model = "support", server = "server-a" }

[[action]]
action = "gateway.payments"
arguments = { on = true }

[[action]]
at = "10s"
action = "gateway.server"
arguments = { site = "server-b", up = false }

[[action]]
at = "1h"
action = "publish.bind"
arguments = { domain = "late.example", key = "no key" }
"#;

fn begun(text: &str) -> Driver {
    let mut driver = Driver::new(7);
    let scenario = Scenario::parse("s.toml", text).unwrap_or_else(|wrong| panic!("{wrong}"));
    scenario.begin(&mut driver.world).unwrap_or_else(|wrong| panic!("{wrong}"));
    driver
}

fn is_up(world: &World, server: &str) -> bool {
    let view = world.view(Service::Gateway);
    let servers = view["servers"].as_array().cloned().unwrap_or_default();
    servers.iter().any(|one| one["site"] == server && one["up"] == true)
}

#[test]
fn a_scenario_is_the_beginning_of_a_world() {
    let mut driver = begun(ALL);
    let world = &driver.world;
    assert_eq!(world.limits(Service::Publish)["requests_per_window"], 1000);
    assert_eq!(world.limits(Service::Gateway)["first_byte_ms"], 1000);
    assert_eq!(
        json!(world.deviations()),
        json!(["publish.prepare.one-in-flight", { "id": "publish.envelope.scheme", "at": { "endpoint": "prepare" } }])
    );
    assert_eq!(world.core.variations.names().collect::<Vec<_>>(), ["drop.status-201"]);
    let faults = json!(world.core.faults.list());
    assert_eq!((&faults[0]["from"], &faults[0]["until"]), (&json!(EPOCH + 10_000), &json!(EPOCH + 20_000)));
    assert_eq!(world.view(Service::Gateway)["payment_flow"], true);
    driver.perform("gateway.payments", &json!({ "on": false }));
    let key = driver.key("valid");
    let body = json!({ "model": "support", "messages": [{ "role": "user", "content": "A refund?" }] });
    let reply = driver.request(&super::gateway::model::post("/v1/chat/completions", Some(&key), &body));
    assert_eq!(body_of(&reply)["choices"][0]["message"]["content"], "Within 14 days.");
}

#[test]
fn actions_happen_at_their_times() {
    let mut driver = begun(ALL);
    let outcomes = |driver: &Driver| -> Vec<String> {
        let all = driver.world.scheduled();
        let of = |one: &Value| format!("{} {} {}", one["action"], one["outcome"], one["at"]);
        all.as_array().into_iter().flatten().map(of).collect()
    };
    let [first, second] = [EPOCH + 10_000, EPOCH + 3_600_000].map(|at| at.0);
    driver.advance(9_999);
    assert!(is_up(&driver.world, "server-b"));
    let waiting = format!("\"publish.bind\" \"waiting\" {second}");
    assert_eq!(outcomes(&driver), [format!("\"gateway.server\" \"waiting\" {first}"), waiting.clone()]);
    driver.advance(1);
    assert!(!is_up(&driver.world, "server-b"));
    assert_eq!(outcomes(&driver), [format!("\"gateway.server\" \"performed\" {first}"), waiting]);
    // An action that fails says why, and the world goes on.
    driver.advance(3_600_000);
    let last = driver.world.scheduled()[1].clone();
    assert_eq!((&last["outcome"], &last["at"]), (&json!("failed"), &json!(second)));
    assert!(last["why"].as_str().is_some_and(|why| why.contains("key")), "{last}");
}

#[test]
fn equal_seeds_and_scenarios_give_equal_bytes() {
    let run = |seed: u64, text: &str| {
        let mut world = World::new(seed, EPOCH, Dialect::default());
        let scenario = Scenario::parse("s.toml", text).expect("a scenario");
        scenario.begin(&mut world).expect("it can begin");
        let copy = world.clone();
        world.input(Input::Tick(EPOCH + 4_000_000));
        (world.core.journal.fingerprint(), copy)
    };
    let (first, copy) = run(7, ALL);
    assert_eq!(first, run(7, ALL).0);
    assert_ne!(first, run(7, &ALL.replace("14 days", "15 days")).0);
    assert_ne!(first, run(7, &ALL.replace("\"1h\"", "\"2h\"")).0);
    // Spaces and comments do not count.
    assert_eq!(first, run(7, &format!("# A comment.\n{ALL}\n")).0);
    // A copy of the world has what is still to come.
    let mut copy = copy;
    copy.input(Input::Tick(EPOCH + 4_000_000));
    assert_eq!(first, copy.core.journal.fingerprint());
}

#[test]
fn an_error_names_the_line_the_place_and_what_is_known() {
    for (text, why) in [
        ("a = ", "s.toml:1: not TOML: "),
        ("\n\nlimts = 1", "s.toml:3: limts: unknown key; did you mean limits?"),
        ("[limits.publsh]\na = 1", "s.toml:1: limits.publsh: unknown service; did you mean publish?"),
        ("[limits]\nvariations = []", "s.toml:2: limits.variations: unknown service"),
        (
            "[[fault]]\nfault = \"drop.busy\"\n[[fault]]\nfault = 7",
            "s.toml:4: fault[1].fault: must be a string, not a number",
        ),
        ("[[fault]]\nfrom = \"1h\"", "s.toml:1: fault[0].fault: missing"),
        (
            "[[fault]]\nfault = \"drop.busy\"\nfrom = \"soon\"",
            "s.toml:3: fault[0].from: \"soon\" is not a duration",
        ),
        (
            "[[fault]]\nfault = \"drop.busy\"\nfrom = 2026-01-01",
            "s.toml:3: fault[0].from: a date is not known here",
        ),
        (
            "variations = [\n\"drop.status-201\",\n\"drop.status-202\",\n]",
            "s.toml:3: variations[1]: unknown variation \"drop.status-202\"; did you mean drop.status-201?",
        ),
        ("deviations = [\"publish.prepare.one\"]", "s.toml:1: deviations[0]: "),
        (
            "[[action]]\naction = \"gateway.modles\"",
            "s.toml:2: action[0].action: unknown action \"gateway.modles\"; did you mean gateway.models?",
        ),
        (
            "[[action]]\naction = \"gateway.server\"\nat = \"1h\"\n[action.arguments]\nsite = \"server-a\"\nlsted = false",
            "s.toml:6: action[0].arguments.lsted: unknown key; did you mean listed?",
        ),
        ("[[action]]\naction = \"gateway.server\"\n", "s.toml:1: action[0].arguments.site: missing"),
        (
            "[gateway]\nmodels = [{ id = 7 }]",
            "s.toml:2: gateway.models[0].id: must be a string, not a number",
        ),
        ("[gateway]\nmodel = []", "s.toml:2: gateway.model: unknown key; did you mean models?"),
        ("[limits.publish]\n\"a b\" = inf", "s.toml:2: limits.publish[\"a b\"]: JSON has no such number"),
    ] {
        let wrong = Scenario::parse("s.toml", text).expect_err(text).to_string();
        assert!(wrong.starts_with(why) && !wrong.contains('\n'), "{text}\n{wrong}");
    }
    // What only a world can tell.
    for (text, why) in [
        (
            "[limits.publish]\n\nrequests_per_windw = 1",
            "s.toml:3: limits.publish.requests_per_windw: unknown limit; did you mean requests_per_window?",
        ),
        ("[limits.publish]\nrequests_per_window = -1", "s.toml:2: limits.publish.requests_per_window: "),
        (
            "[[fault]]\nfault = \"drop.bussy\"",
            "s.toml:2: fault[0].fault: unknown fault \"drop.bussy\"; did you mean drop.busy?",
        ),
        (
            "[[fault]]\nfault = \"gateway.server-down\"\n[fault.where]\nmodle = \"a\"",
            "s.toml:4: fault[0].where.modle: unknown key of fault gateway.server-down; did you mean model?",
        ),
        (
            "[[gateway.models]]\nid = \"a\"\n[[gateway.models]]\nid = \"a\"",
            "s.toml:4: gateway.models[1].id: \"a\" is the id of another model",
        ),
        (
            "[[gateway.models]]\nid = \"a\"\n[[gateway.models.answers]]\ntimes = 1",
            "s.toml:3: gateway.models[0].answers[0]: it says nothing; write text or calls",
        ),
        (
            "[[action]]\naction = \"publish.bind\"\narguments = { domain = \"a.example\", key = \"x\" }",
            "s.toml:1: action[0]: ",
        ),
    ] {
        let mut world = World::new(7, EPOCH, Dialect::default());
        let scenario = Scenario::parse("s.toml", text).expect(text);
        let wrong = scenario.begin(&mut world).expect_err(text).to_string();
        assert!(wrong.starts_with(why) && !wrong.contains('\n'), "{text}\n{wrong}");
    }
}

/// Sends a request to the control API.
async fn control(hub: &Arc<Hub>, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let request =
        Request::builder().method(method).uri(format!("{PREFIX}/{path}")).header("host", "localhost");
    let request = request.header("content-type", "application/json");
    let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
    let response =
        router(hub.clone()).oneshot(request.body(body).expect("a request")).await.expect("infallible");
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.expect("a body").to_bytes();
    (status, serde_json::from_slice(&bytes).expect("JSON"))
}

#[tokio::test]
async fn a_world_that_starts_again_has_its_scenario_and_so_has_a_fork() {
    let handle = Handle::new(begun(ALL).world, ClockMode::Manual);
    let hub = Hub::new(handle.clone(), BTreeMap::new()).with_forks([127, 0, 0, 1].into());
    let hub = Arc::new(hub);
    let (_, fork) = control(&hub, "POST", "fork", &json!({ "mode": "manual" })).await;
    let fork = fork["path"].as_str().expect("a path").to_owned();
    let clear = async |path: &str| {
        control(&hub, "PUT", &format!("{path}faults"), &json!([])).await;
        let models = json!({ "action": "gateway.models", "arguments": { "models": [] } });
        control(&hub, "POST", &format!("{path}actions"), &models).await;
        control(&hub, "POST", &format!("{path}clock"), &json!({ "advance": "20s" })).await;
    };
    let shown = async |path: &str| {
        let (_, faults) = control(&hub, "GET", &format!("{path}faults"), &Value::Null).await;
        let (_, actions) = control(&hub, "GET", &format!("{path}actions"), &Value::Null).await;
        let (_, state) = control(&hub, "GET", &format!("{path}state?service=gateway"), &Value::Null).await;
        let models = state["gateway"]["models"].as_array().map(Vec::len);
        (faults.as_array().map(Vec::len), actions[0]["outcome"].as_str().map(str::to_owned), models)
    };
    let at_first = (Some(2), Some("waiting".to_owned()), Some(5));
    let cleared = (Some(0), Some("performed".to_owned()), Some(4));
    for path in [String::new(), format!("{fork}/")] {
        assert_eq!(shown(&path).await, at_first, "{path}");
        clear(&path).await;
        assert_eq!(shown(&path).await, cleared, "{path}");
        let (status, clock) =
            control(&hub, "POST", &format!("{path}restore"), &json!({ "snapshot": "start" })).await;
        assert_eq!((status, &clock["now"]), (200, &json!(EPOCH)));
        assert_eq!(shown(&path).await, at_first, "{path}");
        control(&hub, "POST", &format!("{path}clock"), &json!({ "advance": "10s" })).await;
        assert_eq!(shown(&path).await.1.as_deref(), Some("performed"), "{path}");
    }
}

#[tokio::test]
async fn an_action_of_the_control_api_may_have_a_time() {
    let handle = Handle::new(Driver::new(7).world, ClockMode::Manual);
    let hub = Arc::new(Hub::new(handle.clone(), BTreeMap::new()));
    let down = |at: Value| json!({ "action": "gateway.server", "arguments": { "site": "server-a", "up": false }, "at": at });
    let (status, set) = control(&hub, "POST", "actions", &down(json!("1h"))).await;
    assert_eq!((status, set), (200, json!({ "number": 1, "at": EPOCH + 3_600_000 })));
    assert!(handle.read(|world| is_up(world, "server-a")));
    control(&hub, "POST", "clock", &json!({ "advance": "1h" })).await;
    assert!(!handle.read(|world| is_up(world, "server-a")));
    let (_, listed) = control(&hub, "GET", "actions", &Value::Null).await;
    let one = json!({ "number": 1, "at": EPOCH + 3_600_000, "action": "gateway.server", "outcome": "performed", "why": null });
    assert_eq!(listed, json!([one]));
    // A time that is over is now.
    let (status, done) = control(&hub, "POST", "actions", &down(json!(EPOCH))).await;
    assert_eq!((status, &done["up"]), (200, &json!(false)));
    let wrong = json!({ "action": "gateway.server", "arguments": { "site": "server-d" }, "at": "1h" });
    let (status, said) = control(&hub, "POST", "actions", &wrong).await;
    assert!(
        said["error"].as_str().is_some_and(|why| why.starts_with("arguments.site: unknown server")),
        "{said}"
    );
    assert_eq!(status, 400);
    let many = (0..assay_sim::schedule::MOST).map(|_| down(json!("2h")));
    for one in many {
        assert_eq!(control(&hub, "POST", "actions", &one).await.0, 200);
    }
    let (status, said) = control(&hub, "POST", "actions", &down(json!("2h"))).await;
    assert_eq!(
        (status, said["error"].as_str()),
        (400, Some("at: 1000 actions wait for their time already; it is the maximum"))
    );
}
