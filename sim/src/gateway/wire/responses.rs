//! The response object, and its named and numbered events.

use serde_json::{Value, json};

use super::{Event, Of, pieces, read};
use crate::gateway::model::{Call, Choice, Choose, Finish, Prompt, Role, Turn};

/// The prompt of a responses request.
pub(crate) fn prompt(body: &Value) -> Prompt {
    let mut turns: Vec<Turn> =
        body.get("instructions").map(|rules| read::turn(Role::System, Some(rules))).into_iter().collect();
    match body.get("input") {
        Some(Value::Array(items)) => turns.extend(items.iter().filter_map(turn)),
        input => turns.push(read::turn(Role::User, input)),
    }
    let functions = read::list(body, "tools").iter().filter(|tool| read::text(tool, "type") == "function");
    Prompt {
        key: read::key(body),
        conversations: vec![turns],
        n: 1,
        tools: functions.filter_map(|tool| read::tool(tool, "parameters")).collect(),
        choose: choose(body.get("tool_choice")),
        parallel: body.get("parallel_tool_calls") != Some(&Value::Bool(false)),
        max_tokens: read::tokens(body, &["max_output_tokens"]),
        stops: Vec::new(),
        schema: schema(body.pointer("/text/format")),
    }
}

/// The turn of an item; calls count as the model's own words.
fn turn(item: &Value) -> Option<Turn> {
    match read::text(item, "type") {
        "function_call" => Some(Turn { role: Role::Assistant, text: String::new(), images: Vec::new() }),
        "function_call_output" => Some(read::turn(Role::Tool, item.get("output"))),
        "message" | "" => Some(read::turn(read::role(read::text(item, "role")), item.get("content"))),
        _ => None,
    }
}

fn choose(choice: Option<&Value>) -> Choose {
    let Some(choice) = choice else { return Choose::Freely };
    match (choice.as_str(), choice.get("name").and_then(Value::as_str)) {
        (Some("none"), _) => Choose::Nothing,
        (Some("required"), _) => Choose::Something,
        (_, Some(name)) => Choose::Named(name.to_owned()),
        _ => Choose::Freely,
    }
}

fn schema(format: Option<&Value>) -> Option<Value> {
    let format = format?;
    match read::text(format, "type") {
        "json_object" => Some(read::any_object()),
        "json_schema" => format.get("schema").cloned(),
        _ => None,
    }
}

/// The response object.
pub(crate) fn reply(of: &Of<'_>) -> Value {
    let choice = only(of);
    response(of, status(choice), &items(of, choice, status(choice)))
}

/// The events: response start, output items one after the other in pieces, and response completion.
pub(crate) fn events(of: &Of<'_>) -> Vec<Event> {
    let choice = only(of);
    let begun = json!({ "response": response(of, "in_progress", &[]) });
    let mut events =
        vec![Event::named("response.created", begun.clone()), Event::named("response.in_progress", begun)];
    for (at, item) in items(of, choice, status(choice)).into_iter().enumerate() {
        let mut opened = item.clone();
        opened["status"] = "in_progress".into();
        let is_call = !choice.calls.is_empty();
        if is_call {
            opened["arguments"] = "".into();
        } else {
            opened["content"] = json!([]);
        }
        events
            .push(Event::named("response.output_item.added", json!({ "output_index": at, "item": opened })));
        events.extend(if is_call { called(at, &item, &choice.calls[at]) } else { said(at, &item, choice) });
        events.push(Event::named("response.output_item.done", json!({ "output_index": at, "item": item })));
    }
    let name = if choice.finish == Finish::Length { "response.incomplete" } else { "response.completed" };
    events.push(Event::named(name, json!({ "response": reply(of) })));
    for (n, event) in events.iter_mut().enumerate() {
        if let super::Data::Json(data) = &mut event.data {
            data["sequence_number"] = n.into();
        }
    }
    events
}

/// The event of a stream that fails after `sent` events.
pub(crate) fn broken(text: &str, sent: usize) -> Event {
    let error = json!({ "code": "server_error", "message": text, "param": null, "sequence_number": sent });
    Event::named("error", error)
}

fn said(at: usize, item: &Value, choice: &Choice) -> Vec<Event> {
    let event = |name: &'static str, mut data: Value| {
        data["item_id"] = item["id"].clone();
        data["output_index"] = at.into();
        data["content_index"] = 0.into();
        Event::named(name, data)
    };
    let mut events = vec![event("response.content_part.added", json!({ "part": part("") }))];
    let delta =
        |piece: &String| event("response.output_text.delta", json!({ "delta": piece, "logprobs": [] }));
    events.extend(choice.pieces.iter().map(delta));
    let text = choice.text();
    events.push(event("response.output_text.done", json!({ "text": text, "logprobs": [] })));
    events.push(event("response.content_part.done", json!({ "part": part(&text) })));
    events
}

fn called(at: usize, item: &Value, call: &Call) -> Vec<Event> {
    let event = |name: &'static str, mut data: Value| {
        data["item_id"] = item["id"].clone();
        data["output_index"] = at.into();
        Event::named(name, data)
    };
    let delta = |piece: String| event("response.function_call_arguments.delta", json!({ "delta": piece }));
    let mut events: Vec<Event> = pieces(&call.arguments).into_iter().map(delta).collect();
    let done = json!({ "name": call.name, "arguments": call.arguments.to_string() });
    events.push(event("response.function_call_arguments.done", done));
    events
}

fn only<'a>(of: &Of<'a>) -> &'a Choice {
    of.answer.choices.first().expect("an answer has a choice")
}

fn status(choice: &Choice) -> &'static str {
    if choice.finish == Finish::Length { "incomplete" } else { "completed" }
}

fn items(of: &Of<'_>, choice: &Choice, status: &str) -> Vec<Value> {
    if choice.calls.is_empty() {
        let content = [part(&choice.text())];
        let id = of.id("msg_", 0);
        return vec![
            json!({ "id": id, "type": "message", "status": status, "role": "assistant", "content": content }),
        ];
    }
    let call = |(n, call): (usize, &Call)| {
        json!({
            "id": of.id("fc_", n),
            "type": "function_call",
            "status": "completed",
            "call_id": of.id("call_", n),
            "name": call.name,
            "arguments": call.arguments.to_string(),
        })
    };
    choice.calls.iter().enumerate().map(call).collect()
}

fn part(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}

fn response(of: &Of<'_>, status: &str, output: &[Value]) -> Value {
    let is_over = status != "in_progress";
    let usage = of.answer.usage;
    let usage = json!({
        "input_tokens": usage.prompt,
        "input_tokens_details": { "cached_tokens": 0, "cache_write_tokens": 0 },
        "output_tokens": usage.completion,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": usage.prompt + usage.completion,
    });
    let incomplete = json!({ "reason": "max_output_tokens" });
    json!({
        "id": of.id("resp_", 0),
        "object": "response",
        "created_at": of.created_s,
        "status": status,
        "error": null,
        "incomplete_details": if status == "incomplete" { incomplete } else { Value::Null },
        "instructions": of.given("instructions", Value::Null),
        "max_output_tokens": of.given("max_output_tokens", Value::Null),
        "model": of.model,
        "output": output,
        "parallel_tool_calls": of.given("parallel_tool_calls", true.into()),
        "previous_response_id": of.given("previous_response_id", Value::Null),
        "reasoning": { "effort": null, "summary": null },
        "store": false,
        "temperature": of.given("temperature", json!(1.0)),
        "text": of.given("text", json!({ "format": { "type": "text" } })),
        "tool_choice": of.given("tool_choice", "auto".into()),
        "tools": of.given("tools", json!([])),
        "top_p": of.given("top_p", json!(1.0)),
        "truncation": "disabled",
        "usage": if is_over { usage } else { Value::Null },
        "metadata": of.given("metadata", json!({})),
    })
}
