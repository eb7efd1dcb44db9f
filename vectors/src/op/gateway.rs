//! `gateway.validate`: the facts read from the body of an inference request.

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

fn staged(refused: Refused) -> OpError {
    let stage = if refused.rule.name == "BODY" { "parse" } else { "check" };
    (refused, stage).into()
}
