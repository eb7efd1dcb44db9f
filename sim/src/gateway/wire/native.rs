//! The completion at the path without a version: the same object, with its text and an end flag in extra members,
//! like servers' own formats. Prompt and error event are those of completions.

use serde_json::Value;

use super::{Data, Event, Of, completions};

/// The completion object.
pub(crate) fn reply(of: &Of<'_>) -> Value {
    let mut reply = completions::reply(of);
    say(&mut reply);
    reply
}

/// The chunks.
pub(crate) fn events(of: &Of<'_>) -> Vec<Event> {
    let mut events = completions::events(of);
    for event in &mut events {
        if let Data::Json(chunk) = &mut event.data {
            say(chunk);
        }
    }
    events
}

fn say(object: &mut Value) {
    let text = object.pointer("/choices/0/text").cloned().unwrap_or_else(|| "".into());
    let is_over = object.pointer("/choices/0/finish_reason").is_none_or(|reason| !reason.is_null());
    object["content"] = text;
    object["stop"] = is_over.into();
}
