//! The text completion, and its chunks.

use serde_json::{Value, json};

use super::chat::{in_turns, usage, wants_usage};
use super::{Data, Event, Of, failure, read};
use crate::gateway::model::{Choice, Choose, Finish, Prompt, Role, Turn};

/// The prompt of a completions request: one string, several, or arrays of tokens.
pub(crate) fn prompt(body: &Value) -> Prompt {
    let turn = |text: String| vec![Turn { role: Role::User, text, images: Vec::new() }];
    let conversations = match body.get("prompt") {
        Some(Value::String(text)) => vec![turn(text.clone())],
        Some(Value::Array(items)) if items.iter().all(Value::is_number) => vec![turn(numbers(items))],
        Some(Value::Array(items)) => {
            let text = |item: &Value| match item {
                Value::String(text) => text.clone(),
                Value::Array(items) => numbers(items),
                _ => String::new(),
            };
            items.iter().map(|item| turn(text(item))).collect()
        }
        _ => Vec::new(),
    };
    Prompt {
        key: read::key(body),
        conversations,
        n: read::n(body),
        tools: Vec::new(),
        choose: Choose::Nothing,
        parallel: false,
        max_tokens: read::tokens(body, &["max_tokens", "n_predict"]),
        stops: read::texts(body, "stop"),
        schema: None,
    }
}

/// Tokens counted by a client are treated like words.
fn numbers(items: &[Value]) -> String {
    items.iter().map(Value::to_string).collect::<Vec<_>>().join(" ")
}

/// The completion object.
pub(crate) fn reply(of: &Of<'_>) -> Value {
    let choice =
        |(index, choice): (usize, &Choice)| said(index, &choice.text(), Some(reason(&choice.finish)));
    let choices: Vec<Value> = of.answer.choices.iter().enumerate().map(choice).collect();
    let mut reply = object(of, &of.id("cmpl-", 0), &Value::from(choices));
    reply["usage"] = usage(of);
    reply
}

/// The chunks; several completions alternate.
pub(crate) fn events(of: &Of<'_>) -> Vec<Event> {
    let (id, with_usage) = (of.id("cmpl-", 0), wants_usage(of));
    let chunk = |choices: Value, usage: Option<Value>| {
        let mut chunk = object(of, &id, &choices);
        if with_usage {
            chunk["usage"] = usage.unwrap_or_default();
        }
        Event::plain(chunk)
    };
    let lane = |(index, choice): (usize, &Choice)| {
        let pieces = choice.pieces.iter().map(|piece| said(index, piece, None));
        pieces.chain([said(index, "", Some(reason(&choice.finish)))]).collect()
    };
    let lanes = of.answer.choices.iter().enumerate().map(lane).collect();
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

fn object(of: &Of<'_>, id: &str, choices: &Value) -> Value {
    json!({
        "id": id,
        "object": "text_completion",
        "created": of.created_s,
        "model": of.model,
        "choices": choices,
    })
}

fn said(index: usize, text: &str, reason: Option<&str>) -> Value {
    json!({ "text": text, "index": index, "logprobs": null, "finish_reason": reason })
}

fn reason(finish: &Finish) -> &'static str {
    if *finish == Finish::Length { "length" } else { "stop" }
}
