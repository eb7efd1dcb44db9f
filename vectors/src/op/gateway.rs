//! Facts read from the body of an inference request, and what a client has after a streamed chat.

use assay_spec::gateway::stream::{self, Streamed};
use assay_spec::gateway::{chat, messages};
use assay_spec::{Dialect, Refused, Rules};
use serde_json::{Value, json};

use super::{Members, OpError};

/// The facts of an accepted body. The document shows the bodies of these two endpoints only.
pub(super) fn validate(_: &Dialect, input: &Members<'_>, rules: &mut dyn Rules) -> Result<Value, OpError> {
    let body = input.bytes("body")?;
    match input.text("endpoint")? {
        "chat" => Ok(chat_facts(&chat::parse(&body, rules).map_err(staged)?)),
        "messages" => Ok(messages_facts(&messages::parse(&body, rules).map_err(staged)?)),
        other => Err(OpError::BadRequest(format!("endpoint: {other:?} is not chat or messages"))),
    }
}

fn chat_facts(request: &chat::Request) -> Value {
    let names: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
    json!({
        "model": request.model,
        "stream": request.stream,
        "messages": request.messages.len(),
        "images": request.messages.iter().map(chat::Message::images).sum::<usize>(),
        "tools": names,
    })
}

fn messages_facts(request: &messages::Request) -> Value {
    json!({
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": request.messages.len(),
    })
}

/// The text and the calls of each choice of a streamed chat.
pub(super) fn read_stream(_: &Dialect, input: &Members<'_>, rules: &mut dyn Rules) -> Result<Value, OpError> {
    let Streamed { texts, calls } =
        stream::read(&input.bytes("body")?, rules).map_err(|refused| (refused, "check"))?;
    let choice = |(index, text): (&u64, &String)| {
        let own = calls.range((*index, 0)..=(*index, u64::MAX));
        let calls: Vec<Value> = own.map(|(_, call)| call.whole()).collect();
        json!({ "index": index, "text": text, "tool_calls": calls })
    };
    let choices: Vec<Value> = texts.iter().map(choice).collect();
    Ok(json!({ "choices": choices }))
}

fn staged(refused: Refused) -> OpError {
    let stage = if refused.rule.name == "BODY" { "parse" } else { "check" };
    (refused, stage).into()
}
