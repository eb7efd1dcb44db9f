//! The chat completion and its chunks.

use serde_json::{Map, Value, json};

use super::{Data, Event, Of, failure, pieces, read};
use crate::gateway::model::{Call, Choice, Choose, Finish, Prompt, Turn};

/// The prompt of a chat request.
pub(crate) fn prompt(body: &Value) -> Prompt {
    let tools =
        read::list(body, "tools").iter().filter_map(|tool| read::tool(tool.get("function")?, "parameters"));
    Prompt {
        key: read::key(body),
        conversations: vec![read::list(body, "messages").iter().map(turn).collect()],
        n: read::n(body),
        tools: tools.collect(),
        choose: choose(body.get("tool_choice")),
        parallel: body.get("parallel_tool_calls") != Some(&Value::Bool(false)),
        max_tokens: read::tokens(body, &["max_completion_tokens", "max_tokens"]),
        stops: read::texts(body, "stop"),
        schema: schema(body.get("response_format")),
    }
}

fn turn(message: &Value) -> Turn {
    read::turn(read::role(read::text(message, "role")), message.get("content"))
}

fn choose(choice: Option<&Value>) -> Choose {
    let Some(choice) = choice else { return Choose::Freely };
    match (choice.as_str(), choice.pointer("/function/name").and_then(Value::as_str)) {
        (Some("none"), _) => Choose::Nothing,
        (Some("required"), _) => Choose::Something,
        (_, Some(name)) => Choose::Named(name.to_owned()),
        _ => Choose::Freely,
    }
}

/// The schema of an answer that must be JSON.
fn schema(format: Option<&Value>) -> Option<Value> {
    let format = format?;
    match read::text(format, "type") {
        "json_object" => Some(read::any_object()),
        "json_schema" => format.pointer("/json_schema/schema").cloned(),
        _ => None,
    }
}

/// The chat completion object.
pub(crate) fn reply(of: &Of<'_>) -> Value {
    let choice = |(index, choice): (usize, &Choice)| {
        let text = if choice.calls.is_empty() { Value::from(choice.text()) } else { Value::Null };
        let mut message = json!({ "role": "assistant", "content": text, "refusal": null });
        if !choice.calls.is_empty() {
            let calls = choice.calls.iter().enumerate();
            let call = |(n, call): (usize, &Call)| {
                let function = json!({ "name": call.name, "arguments": call.arguments.to_string() });
                json!({ "id": call_id(of, index, n), "type": "function", "function": function })
            };
            message["tool_calls"] = calls.map(call).collect();
        }
        json!({ "index": index, "message": message, "logprobs": null, "finish_reason": reason(&choice.finish) })
    };
    let choices: Vec<Value> = of.answer.choices.iter().enumerate().map(choice).collect();
    json!({
        "id": of.id("chatcmpl-", 0),
        "object": "chat.completion",
        "created": of.created_s,
        "model": of.model,
        "choices": choices,
        "usage": usage(of),
    })
}

/// The chunks: role, content in pieces, finish reason; several choices alternate.
pub(crate) fn events(of: &Of<'_>) -> Vec<Event> {
    let (id, with_usage) = (of.id("chatcmpl-", 0), wants_usage(of));
    let chunk = |choices: Value, usage: Option<Value>| {
        let mut chunk = json!({
            "id": id,
            "object": "chat.completion.chunk",
            "created": of.created_s,
            "model": of.model,
            "choices": choices,
        });
        if with_usage {
            chunk["usage"] = usage.unwrap_or_default();
        }
        Event::plain(chunk)
    };
    let lanes = of.answer.choices.iter().enumerate().map(|(index, choice)| lane(of, index, choice)).collect();
    let mut events: Vec<Event> =
        in_turns(lanes).into_iter().map(|choice| chunk(json!([choice]), None)).collect();
    if with_usage {
        events.push(chunk(json!([]), Some(usage(of))));
    }
    events.push(Event { name: None, data: Data::Done });
    events
}

/// The event of a stream that fails midway.
pub(crate) fn broken(text: &str, _: usize) -> Event {
    failure(text)
}

/// The chunks of one choice.
fn lane(of: &Of<'_>, index: usize, choice: &Choice) -> Vec<Value> {
    let said =
        |delta: Value| json!({ "index": index, "delta": delta, "logprobs": null, "finish_reason": null });
    let mut lane = Vec::new();
    if choice.calls.is_empty() {
        lane.push(said(json!({ "role": "assistant", "content": "" })));
        lane.extend(choice.pieces.iter().map(|piece| said(json!({ "content": piece }))));
    } else {
        lane.push(said(json!({ "role": "assistant" })));
    }
    for (n, call) in choice.calls.iter().enumerate() {
        let function = json!({ "name": call.name, "arguments": "" });
        let begun =
            json!({ "index": n, "id": call_id(of, index, n), "type": "function", "function": function });
        lane.push(said(json!({ "tool_calls": [begun] })));
        let more =
            |piece: String| json!({ "tool_calls": [{ "index": n, "function": { "arguments": piece } }] });
        lane.extend(pieces(&call.arguments).into_iter().map(|piece| said(more(piece))));
    }
    let reason = reason(&choice.finish);
    lane.push(json!({ "index": index, "delta": {}, "logprobs": null, "finish_reason": reason }));
    lane
}

/// Takes one of each lane in turn until all are empty.
pub(super) fn in_turns(lanes: Vec<Vec<Value>>) -> Vec<Value> {
    let mut lanes: Vec<_> = lanes.into_iter().map(Vec::into_iter).collect();
    let mut all = Vec::new();
    loop {
        let round: Vec<Value> = lanes.iter_mut().filter_map(Iterator::next).collect();
        if round.is_empty() {
            return all;
        }
        all.extend(round);
    }
}

/// Whether the last chunk contains the usage.
pub(super) fn wants_usage(of: &Of<'_>) -> bool {
    of.body.pointer("/stream_options/include_usage") == Some(&Value::Bool(true))
}

/// The usage, as chat and completions report it.
pub(super) fn usage(of: &Of<'_>) -> Value {
    let usage = of.answer.usage;
    Value::Object(Map::from_iter([
        ("prompt_tokens".to_owned(), usage.prompt.into()),
        ("completion_tokens".to_owned(), usage.completion.into()),
        ("total_tokens".to_owned(), (usage.prompt + usage.completion).into()),
    ]))
}

fn reason(finish: &Finish) -> &'static str {
    match finish {
        Finish::Stop | Finish::StopText(_) => "stop",
        Finish::Length => "length",
        Finish::Calls => "tool_calls",
    }
}

fn call_id(of: &Of<'_>, choice: usize, n: usize) -> String {
    of.id("call_", choice * 1_000 + n)
}
