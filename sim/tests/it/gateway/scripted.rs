//! Models of a world's own: what they answer, in every format, streamed and not.

use assay_sim::gateway::{GATEWAY, SERVERS};
use serde_json::{Value, json};

use super::model::{chat, events, families, get, post, streamed};
use crate::common::{Driver, body_of, show};

fn scripted(models: &Value) -> Driver {
    let mut driver = Driver::new(7);
    driver.perform("gateway.models", &json!({ "models": models }));
    driver
}

fn refused(driver: &mut Driver, models: &Value) -> String {
    let arguments = json!({ "models": models });
    driver.world.perform("gateway.models", &arguments).expect_err("it is wrong")
}

/// The text of a reply in any format.
fn text_of(body: &Value) -> String {
    let places = [
        "/choices/0/message/content",
        "/choices/0/text",
        "/content",
        "/output/0/content/0/text",
        "/content/0/text",
    ];
    let found = places.iter().find_map(|place| body.pointer(place).and_then(Value::as_str));
    found.unwrap_or_else(|| panic!("no text: {body}")).to_owned()
}

impl Driver {
    fn says(&mut self, path: &str, body: &Value) -> Value {
        let key = self.key("valid");
        let reply = self.request(&post(path, Some(&key), body));
        assert_eq!(reply.status, 200, "{}", show(&reply));
        body_of(&reply)
    }

    fn asks(&mut self, model: &str, prompt: &str) -> String {
        let body = json!({ "model": model, "messages": [{ "role": "user", "content": prompt }] });
        text_of(&self.says("/v1/chat/completions", &body))
    }
}

#[test]
fn a_written_text_is_the_answer_in_every_format() {
    let mut driver = scripted(&json!([{ "id": "mine", "answers": [{ "text": "It is twelve." }] }]));
    for (path, body) in families("mine") {
        let body = driver.says(path, &body);
        assert_eq!(text_of(&body), "It is twelve.", "{path}: {body}");
    }
    let key = driver.key("valid");
    let reply = driver.request(&post("/v1/chat/completions", Some(&key), &streamed("mine")));
    let events = events(&reply.body);
    assert_eq!(events.last().map(String::as_str), Some("[DONE]"));
    let parsed: Vec<Value> = events.iter().filter_map(|event| serde_json::from_str(event).ok()).collect();
    let said: String = parsed
        .iter()
        .filter_map(|event| event.pointer("/choices/0/delta/content").and_then(Value::as_str))
        .collect();
    assert_eq!(said, "It is twelve.");
    assert!(parsed.len() > 3, "it comes in pieces: {events:?}");
}

#[test]
fn the_rest_of_a_request_is_as_for_any_model() {
    let answers = json!([{ "text": "one two three four", "usage": { "prompt": 11, "completion": 22 } }]);
    let mut driver = scripted(
        &json!([{ "id": "mine", "answers": answers }, { "id": "counted", "answers": [{ "text": "one two" }] }]),
    );
    let key = driver.key("valid");
    for (key, body, status) in [
        (None, chat("mine"), 401),
        (Some(&key), json!({ "model": "mine", "messages": [{ "role": 7, "content": "a" }] }), 422),
        (Some(&key), chat("mined"), 404),
    ] {
        let reply = driver.request(&post("/v1/chat/completions", key.map(String::as_str), &body));
        assert_eq!(reply.status, status, "{}", show(&reply));
    }
    let usage = driver.says("/v1/chat/completions", &chat("mine"))["usage"].clone();
    assert_eq!((&usage["prompt_tokens"], &usage["completion_tokens"]), (&json!(11), &json!(22)));
    assert_eq!(usage["total_tokens"], 33);
    let usage = driver.says("/v1/chat/completions", &chat("counted"))["usage"].clone();
    assert!(usage["prompt_tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{usage}");
    assert_eq!(usage["completion_tokens"], 2);
    for (name, value, text, finish) in [
        ("max_tokens", json!(1), "one", "length"),
        ("stop", json!(["three"]), "one two ", "stop"),
        ("n", json!(2), "one two three four", "stop"),
    ] {
        let mut body = chat("mine");
        body[name] = value;
        let body = driver.says("/v1/chat/completions", &body);
        assert_eq!(text_of(&body), text, "{name}");
        assert_eq!(body["choices"][0]["finish_reason"], finish, "{name}");
    }
}

#[test]
fn the_first_answer_that_fits_is_given() {
    let answers = json!([
        { "prompt": "What time is it?", "text": "Noon." },
        { "contains": "river", "text": "It flows.", "times": 1 },
        { "contains": "river", "text": "It still flows." },
    ]);
    let mut driver = scripted(&json!([{ "id": "mine", "answers": answers }]));
    assert_eq!(driver.asks("mine", "What time is it?"), "Noon.");
    assert_eq!(driver.asks("mine", "A river?"), "It flows.");
    assert_eq!(driver.asks("mine", "A river?"), "It still flows.");
    assert_eq!(driver.asks("mine", "What time is it?"), "Noon.");
    let other = driver.asks("mine", "What time is it");
    assert!(!other.is_empty() && other != "Noon.", "the simulator writes one: {other}");
    let models = driver.gateway()["models"].clone();
    let mine = models.as_array().into_iter().flatten().find(|model| model["id"] == "mine");
    assert_eq!(
        mine.expect("it is listed")["answers"],
        json!([{ "given": 2 }, { "given": 1 }, { "given": 1 }])
    );
    // Several prompts of one request count as several.
    driver.perform(
        "gateway.models",
        &json!({ "models": [{ "id": "mine", "answers": [{ "text": "a", "times": 1 }, { "text": "b" }] }] }),
    );
    let body = driver.says("/v1/completions", &json!({ "model": "mine", "prompt": ["x", "y"] }));
    assert_eq!((&body["choices"][0]["text"], &body["choices"][1]["text"]), (&json!("a"), &json!("b")));
}

#[test]
fn written_calls_fit_where_the_request_lets_them_be_made() {
    let answers = json!([
        { "calls": [{ "name": "weather", "arguments": { "place": "Oslo" } }] },
        { "text": "It rains." },
    ]);
    let mut driver = scripted(&json!([{ "id": "mine", "answers": answers }]));
    let tool =
        json!({ "type": "function", "function": { "name": "weather", "parameters": { "type": "object" } } });
    let mut body = chat("mine");
    assert_eq!(text_of(&driver.says("/v1/chat/completions", &body)), "It rains.", "no tool is declared");
    body["tools"] = json!([tool]);
    let message = |body: &Value| body["choices"][0]["message"].clone();
    let called = message(&driver.says("/v1/chat/completions", &body));
    let call = &called["tool_calls"][0];
    assert_eq!(call["function"], json!({ "name": "weather", "arguments": "{\"place\":\"Oslo\"}" }));
    let mut after = body.clone();
    let messages = after["messages"].as_array_mut().expect("messages");
    messages.push(called.clone());
    messages.push(json!({ "role": "tool", "tool_call_id": call["id"], "content": "rain" }));
    assert_eq!(text_of(&driver.says("/v1/chat/completions", &after)), "It rains.", "the tool has replied");
    body["tool_choice"] = json!("none");
    assert_eq!(text_of(&driver.says("/v1/chat/completions", &body)), "It rains.");
    // Text does not answer a request that demands a call.
    driver.perform(
        "gateway.models",
        &json!({ "models": [{ "id": "mine", "answers": [{ "text": "It rains." }] }] }),
    );
    body["tool_choice"] = json!("required");
    let called = message(&driver.says("/v1/chat/completions", &body));
    assert_eq!(called["tool_calls"][0]["function"]["name"], "weather", "{called}");
}

#[test]
fn a_delay_is_the_time_until_the_first_byte() {
    let answers =
        json!([{ "contains": "long", "text": "late", "delay": "1m" }, { "text": "soon", "delay": "2s" }]);
    let mut driver = scripted(&json!([{ "id": "mine", "answers": answers }]));
    let before = driver.now();
    assert_eq!(driver.asks("mine", "a"), "soon");
    assert_eq!(driver.now() - before, 2_000);
    // The gateway waits no longer for this answer than for any other, and it was not given.
    let key = driver.key("valid");
    let body = json!({ "model": "mine", "messages": [{ "role": "user", "content": "long" }] });
    let reply = driver.request(&post("/v1/chat/completions", Some(&key), &body));
    assert_eq!(reply.status, 503, "{}", show(&reply));
    let given = driver.gateway()["models"].as_array().and_then(|all| all.last().cloned()).expect("a model");
    assert_eq!(given["answers"], json!([{ "given": 0 }, { "given": 1 }]));
    let before = driver.now();
    let reply = driver.ask_at(SERVERS[0], &post("/v1/chat/completions", Some(&key), &body));
    assert_eq!((text_of(&body_of(&reply)).as_str(), driver.now() - before), ("late", 60_000));
}

#[test]
fn own_models_are_added_and_one_with_a_listed_id_takes_its_place() {
    let ids = |driver: &mut Driver| -> Vec<String> {
        let reply = driver.request(&get("/v1/models", None));
        let models = body_of(&reply)["data"].as_array().cloned().unwrap_or_default();
        models.iter().filter_map(|model| model["id"].as_str().map(str::to_owned)).collect()
    };
    let mut driver = Driver::new(7);
    let usual = ids(&mut driver);
    let own = json!([
        { "id": "mine", "servers": ["server-b"] },
        { "id": "assay-text", "answers": [{ "text": "Mine." }] },
    ]);
    driver.perform("gateway.models", &json!({ "models": own }));
    assert_eq!(ids(&mut driver), [&usual[..], &["mine".to_owned()]].concat());
    assert_eq!(driver.asks("assay-text", "a"), "Mine.");
    assert!(!driver.asks("mine", "a").is_empty());
    let reply = driver.request(&get("/svc/models", None));
    assert_eq!(body_of(&reply)["mine"]["servers"], json!(["https://server-b.sim"]));
    // Faults can name them, and no others.
    let fault = |model: &str| json!([{ "fault": "gateway.server-down", "where": { "model": model } }]);
    driver.set_faults(&fault("mine"));
    assert_eq!(driver.chat("mine").status, 503);
    assert_eq!(driver.chat("assay-chat").status, 200);
    let unknown = serde_json::from_value(fault("mime")).expect("a fault");
    let why = driver.world.set_faults(unknown).expect_err("no such model");
    assert!(why.starts_with("faults[0].where.model: unknown value \"mime\"; did you mean mine?"), "{why}");
    driver.set_faults(&json!([]));
    driver.perform("gateway.models", &json!({ "models": [] }));
    assert_eq!(ids(&mut driver), usual);
    assert_ne!(driver.asks("assay-text", "a"), "Mine.");
    assert_eq!(driver.chat("mine").status, 404);
}

#[test]
fn what_is_wrong_with_models_is_named_and_changes_nothing() {
    let mut driver = scripted(&json!([{ "id": "mine", "answers": [{ "text": "Mine." }] }]));
    for (models, why) in [
        (
            json!([{ "id": "a" }, { "id": "a" }]),
            "arguments.models[1].id: \"a\" is the id of another model of the list; name each once",
        ),
        (
            json!([{ "id": "" }]),
            "arguments.models[0].id: an id has 1 to 200 characters of ASCII, none of them a space",
        ),
        (json!([{ "id": "a", "servers": [] }]), "arguments.models[0].servers: name at least one server"),
        (
            json!([{ "id": "a", "answers": [{}] }]),
            "arguments.models[0].answers[0]: it says nothing; write text or calls",
        ),
        (
            json!([{ "id": "a", "answers": [{ "text": "a", "calls": [{ "name": "b" }] }] }]),
            "arguments.models[0].answers[0]: it has both text and calls; write one of them",
        ),
        (
            json!([{ "id": "a", "answers": [{ "txt": "a" }] }]),
            "arguments.models[0].answers[0].txt: unknown key; did you mean text?",
        ),
        (
            json!([{ "id": "a", "answers": [{ "text": "a", "delay": "soon" }] }]),
            "arguments.models[0].answers[0].delay: \"soon\" is not a duration",
        ),
    ] {
        let said = refused(&mut driver, &models);
        assert!(said.starts_with(why), "{models}: {said}");
    }
    assert_eq!(driver.asks("mine", "a"), "Mine.");
}

#[test]
fn an_answer_of_a_server_that_fails_is_not_given() {
    let answers = json!([{ "text": "first", "times": 1 }, { "text": "second" }]);
    let mut driver = scripted(&json!([{ "id": "mine", "answers": answers }]));
    driver.down(&["server-a", "server-b", "server-c"]);
    let key = driver.key("valid");
    let call = post("/v1/chat/completions", Some(&key), &chat("mine"));
    assert_eq!(driver.ask_at(GATEWAY, &call).status, 503);
    driver.set_faults(&json!([]));
    assert_eq!(driver.asks("mine", "a"), "first");
    assert_eq!(driver.asks("mine", "a"), "second");
}
