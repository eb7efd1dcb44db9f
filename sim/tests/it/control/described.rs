//! The description of the control API: every path is declared, responses are as declared, errors name the place.

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_sim::clock::EPOCH;
use assay_sim::control::{Hub, PREFIX, openapi, paths};
use assay_sim::serve::{ClockMode, Handle};
use assay_sim::world;
use axum::http::Method;
use boon::{Compiler, Schemas};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use super::{LOOPBACK, hub, json, response};
use crate::common::bound;

const HEADERS: [(&str, &str); 2] = [("host", "localhost"), ("content-type", "application/json")];

/// Sends a body, or none, and returns status and response.
async fn call(hub: &Arc<Hub>, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let method: Method = method.parse().expect("a method");
    let response = response(hub, method, path, &HEADERS, &body).await;
    let status = response.status().as_u16();
    if response.headers()["content-type"] != "application/json" {
        return (status, Value::Null);
    }
    (status, json(response).await)
}

async fn error(hub: &Arc<Hub>, method: &str, path: &str, body: Value) -> String {
    let (status, refusal) = call(hub, method, path, &body).await;
    assert!(matches!(status, 400 | 404), "{path} {body}: {status} {refusal}");
    refusal["error"].as_str().expect("a string").to_owned()
}

/// Whether a value is as the schema with this name says.
fn check(name: &str, value: &Value) -> Result<(), String> {
    let mut compiler = Compiler::new();
    compiler.add_resource("document.json", openapi::document().clone()).expect("a document");
    let mut schemas = Schemas::new();
    let index = compiler.compile(&format!("document.json#/components/schemas/{name}"), &mut schemas);
    let index = index.unwrap_or_else(|e| panic!("{name}: {e:#}"));
    schemas.validate(value, index).map_err(|e| e.to_string())
}

#[tokio::test]
async fn the_document_is_the_declaration() {
    let hub = hub();
    let (status, served) = call(&hub, "GET", "openapi.json", &Value::Null).await;
    assert_eq!((status, &served), (200, openapi::document()));
    let described: BTreeSet<(String, String)> = served["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .flat_map(|(path, item)| {
            let methods = item.as_object().expect("methods").keys();
            methods.map(|method| (method.to_uppercase(), path.clone())).collect::<Vec<_>>()
        })
        .collect();
    let all = paths::all();
    let of_forks = all
        .iter()
        .filter(|endpoint| endpoint.is_of_world)
        .map(|endpoint| (endpoint.method.to_owned(), format!("/worlds/{{world}}/{}", endpoint.path)));
    let declared = all.iter().map(|endpoint| (endpoint.method.to_owned(), format!("/{}", endpoint.path)));
    let declared: BTreeSet<_> = declared.chain(of_forks).collect();
    assert_eq!(described, declared);
    let ids: Vec<&Value> = served["paths"]
        .as_object()
        .expect("paths")
        .values()
        .flat_map(|item| item.as_object().expect("methods").values().map(|one| &one["operationId"]))
        .collect();
    let distinct: BTreeSet<&str> = ids.iter().filter_map(|id| id.as_str()).collect();
    assert_eq!(ids.len(), distinct.len(), "{ids:?}");
}

/// Every declared method is routed, and every other method is not.
#[tokio::test]
async fn the_router_has_the_declared_methods_and_no_others() {
    let hub = hub();
    let all = paths::all();
    let (_, fork) = call(&hub, "POST", "fork", &Value::Null).await;
    let fork = fork["world"].as_str().expect("a name").to_owned();
    let mut asked: BTreeSet<String> = BTreeSet::new();
    for endpoint in &all {
        asked.insert(endpoint.path.replace("{world}", &fork));
        if endpoint.is_of_world {
            asked.insert(format!("worlds/{fork}/{}", endpoint.path));
        }
    }
    for path in asked {
        // Ended worlds and streams come last or not at all.
        let general = path.replace(&fork, "{world}");
        for method in ["GET", "PUT", "POST", "DELETE", "PATCH"] {
            let is_declared = all.iter().any(|endpoint| {
                let of_fork = format!("worlds/{{world}}/{}", endpoint.path);
                endpoint.method == method
                    && (endpoint.path == general || endpoint.is_of_world && of_fork == general)
            });
            if is_declared && (method == "DELETE" || path.ends_with("changes")) {
                continue;
            }
            let query = if path.ends_with("waiting") { "?at_least=0" } else { "" };
            let (status, said) = call(&hub, method, &format!("{path}{query}"), &Value::Null).await;
            assert_eq!(status == 405, !is_declared, "{method} {path}: {status} {said}");
            assert!(status != 404 && status < 500, "{method} {path}: {status} {said}");
        }
    }
    assert_eq!(call(&hub, "DELETE", &format!("worlds/{fork}"), &Value::Null).await, (200, json!({})));
}

#[tokio::test]
async fn responses_are_as_declared() {
    let hub = hub();
    let handle = Handle::new(bound().0.world, ClockMode::Manual);
    // Some requests, one of them rejected, and what can be set.
    let bodies = [
        ("clock", json!({ "advance": "1h30m" })),
        (
            "faults",
            json!([{ "fault": "publish.standby", "where": { "endpoint": "prepare" }, "until": "2d" }]),
        ),
        (
            "deviations",
            json!(["publish.prepare.one-in-flight", { "id": "publish.envelope.scheme", "at": { "endpoint": "prepare" } }]),
        ),
        ("variations", json!(["drop.status-201"])),
        ("limits", json!({ "drop": { "files": 7, "hour_ms": "30m" } })),
        ("actions", json!({ "action": "hosting.seed-history" })),
        ("restore", json!({ "snapshot": "s1" })),
    ];
    assert_eq!(call(&hub, "POST", "snapshot", &json!({})).await.1, json!({ "snapshot": "s1" }));
    let mut seen = BTreeSet::new();
    for endpoint in paths::all().into_iter().filter(|endpoint| endpoint.is_of_world) {
        if endpoint.path == "changes" {
            continue;
        }
        let body = bodies.iter().find(|(path, _)| *path == endpoint.path).map(|(_, body)| body);
        let body = body.filter(|_| endpoint.body.is_some()).unwrap_or(&Value::Null);
        let query = if endpoint.path == "waiting" { "?at_least=0" } else { "" };
        let (status, said) = call(&hub, endpoint.method, &format!("{}{query}", endpoint.path), body).await;
        assert_eq!(status, 200, "{} {}: {said}", endpoint.method, endpoint.path);
        let verb = match endpoint.method {
            "PUT" => "Set",
            "GET" => "Get",
            _ => "Post",
        };
        let name = format!("{verb}{}{}", endpoint.path[..1].to_uppercase(), &endpoint.path[1..]);
        if endpoint.body.is_some() && !body.is_null() {
            assert_eq!(check(&format!("{name}Body"), body), Ok(()), "{name}");
        }
        if endpoint.answer.0 == "application/json" {
            assert_eq!(check(&format!("{name}Response"), &said), Ok(()), "{name}: {said}");
        }
        seen.insert(name);
    }
    assert!(seen.contains("GetRequests") && seen.contains("PostFork"), "{seen:?}");
    // A response that is not as declared is noticed.
    assert!(check("GetClockResponse", &json!({ "now": 1, "mode": "auto" })).is_err());
    assert!(check("SetVariationsBody", &json!(["drop.status-202"])).is_err());
    drop(handle);
}

/// What the schema of a body rejects, the parser rejects, and the other way round.
#[tokio::test]
async fn schemas_and_parsers_agree() {
    let hub = hub();
    for (name, method, path, body, is_valid) in [
        ("PostClockBody", "POST", "clock", json!({}), true),
        ("PostClockBody", "POST", "clock", json!({ "advance": 5, "mode": null }), true),
        ("PostClockBody", "POST", "clock", json!({ "advance": 5.0 }), true),
        ("PostClockBody", "POST", "clock", json!({ "advance": 5.5 }), false),
        ("PostClockBody", "POST", "clock", json!({ "advance": "5" }), false),
        ("PostClockBody", "POST", "clock", json!({ "advance": "1m1h" }), false),
        ("PostClockBody", "POST", "clock", json!({ "advance": -1 }), false),
        ("PostClockBody", "POST", "clock", json!({ "advance": 31_622_400_000_i64 }), true),
        ("PostClockBody", "POST", "clock", json!({ "advance": 31_622_400_001_i64 }), false),
        ("PostClockBody", "POST", "clock", json!({ "advnce": 1 }), false),
        ("PostClockBody", "POST", "clock", json!([]), false),
        ("SetFaultsBody", "PUT", "faults", json!([{ "fault": "hold" }]), true),
        ("SetFaultsBody", "PUT", "faults", json!([{ "fault": "hold", "nth": 1 }]), false),
        ("SetFaultsBody", "PUT", "faults", json!([{ "fault": "drop.busy", "nth": null, "until": -5 }]), true),
        (
            "SetFaultsBody",
            "PUT",
            "faults",
            json!([{ "fault": "drop.busy", "where": { "site": "drop" } }]),
            false,
        ),
        (
            "SetFaultsBody",
            "PUT",
            "faults",
            json!([{ "fault": "publish.chain-slow", "where": { "endpoint": "prepare" } }]),
            false,
        ),
        (
            "SetFaultsBody",
            "PUT",
            "faults",
            json!([{ "fault": "publish.chain-slow", "where": { "domain": "any.example" } }]),
            true,
        ),
        ("SetFaultsBody", "PUT", "faults", json!([{ "where": {} }]), false),
        ("SetLimitsBody", "PUT", "limits", json!({ "gateway": { "payment_flow": 2 } }), false),
        ("SetLimitsBody", "PUT", "limits", json!({ "metadata": {} }), true),
        ("SetLimitsBody", "PUT", "limits", json!({ "metadata": { "a": 1 } }), false),
        ("SetLimitsBody", "PUT", "limits", json!({ "drop": { "files": -1 } }), false),
        ("SetLimitsBody", "PUT", "limits", json!({ "drop": { "day_ms": "1d" } }), true),
        ("SetLimitsBody", "PUT", "limits", json!({ "drop": { "files": "1d" } }), false),
        ("PostActionsBody", "POST", "actions", json!({ "action": "network.bill" }), true),
        ("PostActionsBody", "POST", "actions", json!({ "action": "network.bill", "arguments": null }), true),
        (
            "PostActionsBody",
            "POST",
            "actions",
            json!({ "action": "network.bill", "arguments": { "a": 1 } }),
            false,
        ),
        ("PostActionsBody", "POST", "actions", json!({ "action": "network.lag" }), false),
        (
            "PostActionsBody",
            "POST",
            "actions",
            json!({ "action": "network.lag", "arguments": { "ms": "2s" } }),
            true,
        ),
        ("PostActionsBody", "POST", "actions", json!({ "action": "hosting.wallet", "arguments": {} }), true),
        ("PostActionsBody", "POST", "actions", json!({ "action": "nothing.at-all" }), false),
        ("PostForkBody", "POST", "fork", json!({ "mode": "manual" }), true),
        ("PostForkBody", "POST", "fork", json!({ "mode": "Manual" }), false),
        ("PostSnapshotBody", "POST", "snapshot", json!({ "a": 1 }), false),
    ] {
        let said = check(name, &body);
        assert_eq!(said.is_ok(), is_valid, "{name} {body}: {said:?}");
        let (status, answer) = call(&hub, method, path, &body).await;
        assert_eq!(status == 200, is_valid, "{name} {body}: {status} {answer}");
    }
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one table")]
async fn errors_name_the_place_and_the_nearest_name() {
    let hub = hub();
    let fault = |fault: Value| json!([{ "fault": "hold" }, fault]);
    for (method, path, body, wanted) in [
        (
            "PUT",
            "faults",
            fault(json!({ "fault": "gateway.server-donw" })),
            "faults[1].fault: unknown fault \"gateway.server-donw\"; did you mean gateway.server-down?",
        ),
        (
            "PUT",
            "faults",
            fault(json!({ "fault": "gateway.server-down", "where": { "modle": "a" } })),
            "faults[1].where.modle: unknown key of fault gateway.server-down; did you mean model? Known: server, model, endpoint",
        ),
        (
            "PUT",
            "faults",
            fault(json!({ "fault": "gateway.server-down", "where": { "server": "server-z" } })),
            "faults[1].where.server: unknown value \"server-z\"; did you mean server-a, server-b or server-c? Known: server-a, server-b, server-c, enclave",
        ),
        (
            "PUT",
            "faults",
            fault(json!({ "fault": "drop.busy", "where": { "a": "b" } })),
            "faults[1].where.a: unknown key of fault drop.busy; it takes none",
        ),
        (
            "PUT",
            "faults",
            fault(json!({ "fault": "drop.busy", "wehre": {} })),
            "faults[1].wehre: unknown key; did you mean where? Known: fault, where, ",
        ),
        (
            "PUT",
            "faults",
            fault(json!({ "fault": "drop.busy", "nth": "2" })),
            "faults[1].nth: must be a whole number, not a string",
        ),
        ("PUT", "faults", fault(json!({})), "faults[1].fault: missing"),
        ("PUT", "faults", fault(json!(7)), "faults[1]: must be an object, not a number"),
        ("PUT", "faults", json!({}), "faults: must be a list, not an object"),
        (
            "PUT",
            "faults",
            json!([{ "fault": "hold", "times": 1 }]),
            "faults[0]: the fault \"hold\" takes no conditions",
        ),
        ("PUT", "faults", Value::Null, "the body is missing; it must be list of {fault, where?, "),
        (
            "PUT",
            "deviations",
            json!(["publish.prepare.one-in-fligt"]),
            "deviations[0]: unknown requirement \"publish.prepare.one-in-fligt\"; did you mean publish.prepare.one-in-flight?",
        ),
        (
            "PUT",
            "deviations",
            json!([{ "id": "publish.envelope.scheme", "at": { "endpiont": "prepare" } }]),
            "deviations[0].at.endpiont: unknown key; did you mean endpoint? Known: ",
        ),
        (
            "PUT",
            "deviations",
            json!([{ "id": "publish.envelope.scheme", "at": { "endpoint": "prepar" } }]),
            "deviations[0]: ",
        ),
        (
            "PUT",
            "variations",
            json!(["drop.status-201", "drop.status-202"]),
            "variations[1]: unknown variation \"drop.status-202\"; did you mean drop.status-201",
        ),
        (
            "PUT",
            "limits",
            json!({ "pulish": {} }),
            "limits.pulish: unknown service; did you mean publish? Known: ",
        ),
        (
            "PUT",
            "limits",
            json!({ "drop": { "fils": 1 } }),
            "limits.drop.fils: unknown limit; did you mean files? Known: zip_bytes, ",
        ),
        (
            "PUT",
            "limits",
            json!({ "drop": { "files": "many" } }),
            "limits.drop.files: must be a whole number, not a string",
        ),
        (
            "PUT",
            "limits",
            json!({ "drop": { "day_ms": "1 day" } }),
            "limits.drop.day_ms: \"1 day\" is not a duration; write 250ms, 90s, 1h30m or 2d",
        ),
        ("PUT", "limits", json!({ "drop": 7 }), "limits.drop: must be an object, not a number"),
        (
            "POST",
            "clock",
            json!({ "advance": "1hour" }),
            "advance: \"1hour\" is not a duration; write 250ms, 90s, 1h30m or 2d",
        ),
        (
            "POST",
            "clock",
            json!({ "advance_ms": "999999999999d" }),
            "advance_ms: \"999999999999d\" is too long a duration",
        ),
        (
            "POST",
            "clock",
            json!({ "advance": "367d" }),
            "advance: must be from 0 to 366d, in milliseconds or as a duration such as 1h30m",
        ),
        (
            "POST",
            "clock",
            json!({ "advance": 1, "advance_ms": 1 }),
            "advance: write advance or advance_ms, not both",
        ),
        (
            "POST",
            "clock",
            json!({ "mode": "atuo" }),
            "mode: unknown value \"atuo\"; did you mean auto? Known: manual, auto, real",
        ),
        ("POST", "clock", json!({ "mode": true }), "mode: must be a string, not a boolean"),
        (
            "POST",
            "actions",
            json!({ "action": "drop.clam" }),
            "action: unknown action \"drop.clam\"; did you mean drop.claim?",
        ),
        ("POST", "actions", json!({ "action": "drop.claim" }), "arguments.token: missing"),
        (
            "POST",
            "actions",
            json!({ "action": "drop.claim", "arguments": "secret-token" }),
            "arguments: must be an object, not a string",
        ),
        (
            "POST",
            "actions",
            json!({ "action": "network.node", "arguments": { "site": "compute-3" } }),
            "arguments.site: unknown node \"compute-3\"; did you mean compute-1 or compute-2? Known: network, ",
        ),
        (
            "POST",
            "actions",
            json!({ "action": "network.node", "arguments": { "site": "network", "slow": 1 } }),
            "arguments.slow: unknown key; did you mean slow_ms? Known: site, up, slow_ms, ",
        ),
        (
            "POST",
            "actions",
            json!({ "action": "gateway.key", "arguments": { "state": "revokd" } }),
            "arguments.state: unknown value \"revokd\"; did you mean revoked? Known: valid, revoked, exhausted",
        ),
        (
            "POST",
            "actions",
            json!({ "actoin": "a" }),
            "actoin: unknown key; did you mean action? Known: action, arguments",
        ),
        ("POST", "restore", json!({ "snapshot": "s9" }), "snapshot: unknown snapshot \"s9\"; known: start"),
        ("POST", "fork", json!({ "mod": "auto" }), "mod: unknown key; did you mean mode? Known: mode"),
        (
            "GET",
            "state?service=Gatewy",
            Value::Null,
            "service: unknown service \"Gatewy\"; did you mean gateway? Known: ",
        ),
        (
            "GET",
            "state?servce=drop",
            Value::Null,
            "servce: unknown query parameter; did you mean service? Known: service",
        ),
        ("GET", "state?service=drop&service=drop", Value::Null, "service: given twice"),
        ("GET", "info?service=drop", Value::Null, "service: unknown query parameter; none is known"),
        (
            "GET",
            "requests?site=networ",
            Value::Null,
            "site: unknown site \"networ\"; did you mean network, network-alt or network-mirror?",
        ),
        ("GET", "requests?status=4x", Value::Null, "status: \"4x\" is not a status; write 404 or 4xx"),
        ("GET", "journal?from=first", Value::Null, "from: must be a whole number, not \"first\""),
        ("GET", "waiting", Value::Null, "at_least: missing"),
        ("GET", "worlds/w9/clock", Value::Null, "unknown world \"w9\"; none is known"),
        ("GET", "clok", Value::Null, "no such control path; did you mean clock"),
    ] {
        let why = error(&hub, method, path, body.clone()).await;
        assert!(why.starts_with(wanted), "{method} {path} {body}:\n{why}\n{wanted}");
        assert!(!why.contains("secret-token"), "{why}");
    }
    let broken = response(&hub, Method::PUT, "faults", &HEADERS, "[{\"fault\": }]").await;
    let why = json(broken).await;
    assert_eq!(why["error"], "the body is not JSON: line 1, column 12: expected value");
}

#[tokio::test]
async fn a_wrong_limit_changes_no_other() {
    let hub = hub();
    let before = call(&hub, "GET", "limits", &Value::Null).await;
    error(&hub, "PUT", "limits", json!({ "drop": { "files": 1 }, "publish": { "no_limit": 1 } })).await;
    assert_eq!(call(&hub, "GET", "limits", &Value::Null).await, before);
}

#[tokio::test]
async fn durations_are_numbers_or_strings() {
    let hub = hub();
    let now = async || call(&hub, "GET", "clock", &Value::Null).await.1["now"].as_i64().expect("a time");
    let start = now().await;
    for (body, ms) in [
        (json!({ "advance": "1h30m" }), 5_400_000),
        (json!({ "advance_ms": "250ms" }), 5_400_250),
        (json!({ "advance_ms": 750 }), 5_401_000),
        (json!({ "advance": 1_000 }), 5_402_000),
    ] {
        assert_eq!(call(&hub, "POST", "clock", &body).await.0, 200);
        assert_eq!(now().await - start, ms, "{body}");
    }
    // A duration of a fault counts from now, and is shown as the time that it means.
    let fault = json!([{ "fault": "drop.busy", "from": "1s", "until": "1m" }]);
    let (_, set) = call(&hub, "PUT", "faults", &fault).await;
    let at = now().await;
    assert_eq!((set[0]["from"].as_i64(), set[0]["until"].as_i64()), (Some(at + 1_000), Some(at + 60_000)));
    // What is shown can be set again.
    assert_eq!(call(&hub, "PUT", "faults", &set).await, (200, set));
    let (_, limits) = call(&hub, "PUT", "limits", &json!({ "drop": { "hour_ms": "2h" } })).await;
    assert_eq!(limits["drop"]["hour_ms"], 7_200_000);
    let lag = json!({ "action": "network.lag", "arguments": { "ms": "1m" } });
    assert_eq!(call(&hub, "POST", "actions", &lag).await, (200, json!({ "ms": 60_000 })));
}

/// Each action reads the arguments that it declares, and its service knows it.
#[tokio::test]
async fn actions_read_the_arguments_that_they_declare() {
    let hub = hub();
    for (name, action) in world::actions() {
        let why = error(&hub, "POST", "actions", json!({ "action": name, "arguments": { "~": 1 } })).await;
        let declared: Vec<&str> = action.arguments.iter().map(|field| field.name).collect();
        let known = if declared.is_empty() { "; none is known".to_owned() } else { declared.join(", ") };
        assert!(why.starts_with("arguments[\"~\"]: unknown key") && why.ends_with(&known), "{name}: {why}");
    }
}

/// Every fault can be set at each value that it declares.
#[tokio::test]
async fn faults_are_accepted_at_each_declared_value() {
    let hub = hub();
    let mut values = 0;
    for kind in world::faults() {
        for key in kind.keys {
            for value in (key.values)() {
                let fault = json!([{ "fault": kind.name, "where": { key.name: value } }]);
                assert_eq!(call(&hub, "PUT", "faults", &fault).await.0, 200, "{fault}");
                assert_eq!(check("SetFaultsBody", &fault), Ok(()));
                values += 1;
            }
        }
    }
    assert!(values > 100, "{values}");
}

#[tokio::test]
async fn changes_have_the_declared_form() {
    let handle = Handle::new(bound().0.world, ClockMode::Manual);
    let hub = Arc::new(Hub::new(handle, std::collections::BTreeMap::new()).with_forks(LOOPBACK));
    let changes = response(&hub, Method::GET, "changes", &HEADERS, "").await;
    assert_eq!(changes.headers()["content-type"], "text/event-stream");
    let first = changes.into_body().frame().await.expect("an event").expect("no error");
    let first = String::from_utf8(first.into_data().expect("data").to_vec()).expect("UTF-8");
    assert!(first.starts_with("data: {\"count\":") && first.ends_with("}\n\n"), "{first}");
    assert_eq!(openapi::document()["servers"][0]["url"], PREFIX);
}

/// Limits can make timers so frequent that a year of them never ends; the request ends all the same.
#[tokio::test]
async fn an_advance_that_does_not_get_there_is_an_error() {
    let hub = hub();
    call(&hub, "PUT", "limits", &json!({ "network": { "billing_ms": 0 } })).await;
    let owner = json!({ "action": "network.balance", "arguments": { "address": "0x1", "credits": 5 } });
    assert_eq!(call(&hub, "POST", "actions", &owner).await.0, 200);
    let (status, said) = call(&hub, "POST", "clock", &json!({ "advance": "366d" })).await;
    let why = said["error"].as_str().unwrap_or_default();
    assert!(
        status == 408 && why.starts_with("advance: timers fire too often; time is only at "),
        "{status} {said}"
    );
    let (_, clock) = call(&hub, "GET", "clock", &Value::Null).await;
    assert!(clock["now"].as_i64().is_some_and(|now| now > EPOCH.0 + 50_000), "{clock}");
}
