//! The completion at the address without a version: the same object, which also says its text and whether it is at
//! its end in a word each, as servers' own formats do. It is asked and breaks off as that object's.

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
