//! The message object of the messages format, and its named events.

use serde_json::{Value, json};

use super::{Event, Of, pieces, read};
use crate::gateway::model::{Choice, Choose, Finish, Prompt, Role, Turn};

/// The prompt of a messages request.
pub(crate) fn prompt(body: &Value) -> Prompt {
    let mut turns: Vec<Turn> =
        body.get("system").map(|system| read::turn(Role::System, Some(system))).into_iter().collect();
    turns.extend(read::list(body, "messages").iter().flat_map(said));
    let choice = body.get("tool_choice");
    let is_alone = choice.and_then(|choice| choice.get("disable_parallel_tool_use"));
    let format = body.pointer("/output_config/format").or_else(|| body.get("output_format"));
    Prompt {
        key: read::key(body),
        conversations: vec![turns],
        n: 1,
        tools: read::list(body, "tools").iter().filter_map(|tool| read::tool(tool, "input_schema")).collect(),
        choose: choose(choice),
        parallel: is_alone != Some(&Value::Bool(true)),
        max_tokens: read::tokens(body, &["max_tokens"]),
        stops: read::texts(body, "stop_sequences"),
        schema: format.and_then(|format| format.get("schema")).cloned(),
    }
}

/// The turns of a message: one for each tool result in it, then one for its own content.
fn said(message: &Value) -> Vec<Turn> {
    let role = read::role(read::text(message, "role"));
    let blocks = read::list(message, "content");
    let is_result = |block: &&Value| read::text(block, "type") == "tool_result";
    let mut turns: Vec<Turn> =
        blocks.iter().filter(is_result).map(|block| read::turn(Role::Tool, block.get("content"))).collect();
    let own = read::turn(role, message.get("content"));
    if turns.is_empty() || !own.text.is_empty() || !own.images.is_empty() {
        // Text next to tool results is a comment on them, not a new question.
        turns.insert(0, own);
    }
    turns
}

fn choose(choice: Option<&Value>) -> Choose {
    let Some(choice) = choice else { return Choose::Freely };
    match read::text(choice, "type") {
        "none" => Choose::Nothing,
        "any" => Choose::Something,
        "tool" => Choose::Named(read::text(choice, "name").to_owned()),
        _ => Choose::Freely,
    }
}

/// The message object.
pub(crate) fn reply(of: &Of<'_>) -> Value {
    let choice = only(of);
    let content: Vec<Value> = if choice.calls.is_empty() {
        vec![json!({ "type": "text", "text": choice.text() })]
    } else {
        let calls = choice.calls.iter().enumerate();
        calls.map(|(n, call)| used(of, n, &call.name, &call.arguments)).collect()
    };
    let (reason, text) = reason(&choice.finish);
    message(of, &content, (reason.into(), text), of.answer.usage.completion)
}

/// The events: message start, content blocks one after the other in pieces, and the stop reason.
pub(crate) fn events(of: &Of<'_>) -> Vec<Event> {
    let choice = only(of);
    let begun = message(of, &[], (Value::Null, Value::Null), 1);
    let mut events = vec![Event::named("message_start", json!({ "message": begun }))];
    let mut block = |index: usize, begun: Value, deltas: Vec<Value>| {
        events.push(Event::named("content_block_start", json!({ "index": index, "content_block": begun })));
        if index == 0 {
            events.push(Event::named("ping", json!({})));
        }
        let delta = |delta| Event::named("content_block_delta", json!({ "index": index, "delta": delta }));
        events.extend(deltas.into_iter().map(delta));
        events.push(Event::named("content_block_stop", json!({ "index": index })));
    };
    if choice.calls.is_empty() {
        let delta = |piece: &String| json!({ "type": "text_delta", "text": piece });
        block(0, json!({ "type": "text", "text": "" }), choice.pieces.iter().map(delta).collect());
    }
    for (n, call) in choice.calls.iter().enumerate() {
        let delta = |piece: String| json!({ "type": "input_json_delta", "partial_json": piece });
        let deltas = [String::new()].into_iter().chain(pieces(&call.arguments)).map(delta).collect();
        block(n, used(of, n, &call.name, &json!({})), deltas);
    }
    let (reason, text) = reason(&choice.finish);
    let delta = json!({ "stop_reason": reason, "stop_sequence": text });
    let usage = of.answer.usage;
    let usage = json!({ "input_tokens": usage.prompt, "output_tokens": usage.completion });
    events.push(Event::named("message_delta", json!({ "delta": delta, "usage": usage })));
    events.push(Event::named("message_stop", json!({})));
    events
}

/// The event of a stream that fails midway.
pub(crate) fn broken(text: &str, _: usize) -> Event {
    Event::named("error", json!({ "error": { "type": "api_error", "message": text } }))
}

fn only<'a>(of: &Of<'a>) -> &'a Choice {
    of.answer.choices.first().expect("an answer has a choice")
}

fn message(of: &Of<'_>, content: &[Value], end: (Value, Value), written: u64) -> Value {
    let (reason, text) = end;
    json!({
        "id": of.id("msg_", 0),
        "type": "message",
        "role": "assistant",
        "model": of.model,
        "content": content,
        "stop_reason": reason,
        "stop_sequence": text,
        "usage": { "input_tokens": of.answer.usage.prompt, "output_tokens": written },
    })
}

fn used(of: &Of<'_>, n: usize, name: &str, input: &Value) -> Value {
    json!({ "type": "tool_use", "id": of.id("toolu_", n), "name": name, "input": input })
}

/// The stop reason, and the stop string.
fn reason(finish: &Finish) -> (&'static str, Value) {
    match finish {
        Finish::Stop => ("end_turn", Value::Null),
        Finish::StopText(text) => ("stop_sequence", text.as_str().into()),
        Finish::Length => ("max_tokens", Value::Null),
        Finish::Calls => ("tool_use", Value::Null),
    }
}
