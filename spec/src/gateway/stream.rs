//! The grammar of a streamed chat: chunks up to an end mark, the increments of their deltas, and calls in pieces. The checks, the
//! client and `assay chat` read streams with it.

use std::collections::BTreeMap;

use assay_spec::json;
use serde_json::{Value, json};

use crate::http::sse::Event;

/// The data of the event that may end a stream.
const END: &str = "[DONE]";

/// Whether an event is the end mark.
pub(super) fn is_end(event: &Event) -> bool {
    event.data.trim() == END
}

/// The events before the end mark.
pub(super) fn before_end(events: &[Event]) -> &[Event] {
    &events[..events.iter().position(is_end).unwrap_or(events.len())]
}

/// The ordinary chunk in an event: JSON with an array `choices`. An event named `error`, or one with a member `error`, is none.
pub(super) fn chunk(event: &Event) -> Option<Value> {
    let value = json::parse(event.data.as_bytes()).ok()?;
    (value["choices"].is_array() && !says_error(event)).then_some(value)
}

/// Whether an event says by its name or by a member that the stream has failed.
pub(super) fn says_error(event: &Event) -> bool {
    let data = json::parse(event.data.as_bytes()).unwrap_or_default();
    event.name.as_deref() == Some("error") || data.get("error").is_some_and(|error| !error.is_null())
}

/// Whether a stream has an error event: one before the end mark that is not an ordinary chunk, or one that says so anywhere.
pub(super) fn has_error(events: &[Event]) -> bool {
    before_end(events).iter().any(|event| chunk(event).is_none()) || events.iter().any(says_error)
}

/// The deltas of the chunks that have one, with the number of their event and the index of their choice.
fn deltas(events: &[Event]) -> Vec<(usize, u64, Value)> {
    let mut found = Vec::new();
    for (n, event) in events.iter().enumerate() {
        let mut chunk = chunk(event).unwrap_or_default();
        for choice in chunk["choices"].as_array_mut().into_iter().flatten() {
            let index = choice["index"].as_u64().unwrap_or_default();
            found.extend(choice.get_mut("delta").map(|delta| (n, index, delta.take())));
        }
    }
    found
}

/// The values of `delta.content` in the chunks that have it, with the number of their event.
pub(super) fn increments(events: &[Event]) -> Vec<(usize, Value)> {
    // Client libraries treat null like an absent member.
    let content = |delta: &Value| delta.get("content").filter(|content| !content.is_null()).cloned();
    deltas(events).iter().filter_map(|(n, _, delta)| Some((*n, content(delta)?))).collect()
}

/// The text of the first choice.
pub(super) fn words(events: &[Event]) -> String {
    let first = deltas(events).into_iter().filter(|(_, choice, _)| *choice == 0);
    first.filter_map(|(_, _, delta)| delta["content"].as_str().map(str::to_owned)).collect()
}

/// A call of a tool that is put together from its pieces, as client libraries do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct StreamedCall {
    /// Its id.
    pub(super) id: String,
    /// The name of its function.
    pub(super) name: String,
    /// The arguments of its function.
    pub(super) arguments: String,
}

/// Calls by the index of their choice and their own.
pub(super) type StreamedCalls = BTreeMap<(u64, u64), StreamedCall>;

impl StreamedCall {
    /// As a member of `tool_calls`.
    pub(super) fn whole(&self) -> Value {
        let function = json!({ "name": self.name, "arguments": self.arguments });
        json!({ "id": self.id, "type": "function", "function": function })
    }
}

/// A piece of a call that is not as the grammar says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    /// The number of its event.
    pub(super) event: usize,
    /// What the grammar says.
    pub(super) want: &'static str,
    /// What the event has.
    pub(super) got: String,
}

/// The calls of a stream. Each piece names its call, each part of a piece is a
/// string, and all pieces of a call that have an id have the same. A piece may repeat the name.
pub(super) fn calls(events: &[Event]) -> Result<StreamedCalls, Misfit> {
    let mut calls = StreamedCalls::new();
    for (event, choice, delta) in deltas(events) {
        let wrong = |want, got: &Value| Err(Misfit { event, want, got: got.to_string() });
        let pieces = match &delta["tool_calls"] {
            Value::Null => continue,
            Value::Array(pieces) => pieces,
            other => return wrong("an array of calls", other),
        };
        for piece in pieces {
            let Some(index) = piece["index"].as_u64() else { return wrong("an integer `index`", piece) };
            let function = &piece["function"];
            let parts = [&piece["id"], &function["name"], &function["arguments"]];
            if !parts.iter().all(|part| part.is_null() || part.is_string()) {
                return wrong("strings as id, name and arguments", piece);
            }
            let [id, name, arguments] = parts.map(|part| part.as_str().unwrap_or_default());
            let call = calls.entry((choice, index)).or_default();
            if !id.is_empty() && !call.id.is_empty() && call.id != id {
                return wrong("the id of the call with this index", piece);
            }
            if call.id.is_empty() {
                id.clone_into(&mut call.id);
            }
            if call.name != name {
                call.name += name;
            }
            call.arguments += arguments;
        }
    }
    Ok(calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(data: &str) -> Event {
        Event { name: None, data: data.to_owned() }
    }

    fn pieces(pieces: &[Value]) -> Vec<Event> {
        let chunk =
            |piece: &Value| json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [piece] } }] });
        pieces.iter().map(|piece| event(&chunk(piece).to_string())).collect()
    }

    #[test]
    fn increments_are_the_present_values() {
        let events = [
            event(r#"{"choices":[{"delta":{"role":"assistant"}}]}"#),
            event(r#"{"choices":[{"delta":{"content":"a"}},{"index":1,"delta":{"content":null}}]}"#),
            event(r#"{"choices":[]}"#),
            event("no JSON"),
            event(r#"{"choices":[{"delta":{"content":7}}]}"#),
            event(r#"{"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"c"}}]}"#),
            event("[DONE]"),
        ];
        let expected = [(1, json!("a")), (4, json!(7)), (5, json!("b")), (5, json!("c"))];
        assert_eq!(increments(&events), expected);
        assert_eq!(words(&events), "ac", "of the first choice, wherever it is in the list");
        assert_eq!(before_end(&events).len(), 6);
    }

    #[test]
    fn events_behind_the_end_mark_are_no_errors() {
        let [chunk, usage, end] = [r#"{"choices":[]}"#, r#"{"usage":{}}"#, "[DONE]"].map(event);
        let failed = event(r#"{"error":{"code":502}}"#);
        assert!(!has_error(&[chunk.clone(), end.clone(), usage.clone(), end.clone()]));
        assert!(has_error(&[chunk.clone(), usage, end.clone()]));
        assert!(has_error(&[chunk.clone(), failed.clone(), end.clone()]) && has_error(&[chunk, end, failed]));
    }

    #[test]
    fn event_that_says_error_is_no_chunk() {
        let chunk = |data: &str| chunk(&event(data)).is_some();
        assert!(chunk(r#"{"choices":[]}"#) && chunk(r#"{"choices":[],"error":null}"#));
        assert!(!chunk(r#"{"choices":[],"error":{"code":502}}"#) && !chunk(r#"{"error":{}}"#));
        let named = Event { name: Some("error".to_owned()), ..event(r#"{"choices":[]}"#) };
        assert!(super::chunk(&named).is_none());
    }

    #[test]
    fn pieces_of_calls_are_put_together_by_their_index() {
        let found = calls(&pieces(&[
            json!({ "index": 0, "id": "a", "function": { "name": "x", "arguments": "" } }),
            json!({ "index": 1, "id": "b", "function": { "name": "get_", "arguments": "{}" } }),
            json!({ "index": 0, "id": null, "function": { "name": "x", "arguments": "{\"p\":" } }),
            json!({ "index": 1, "function": { "name": "y" } }),
            json!({ "index": 0, "id": "a", "function": { "arguments": "1}" } }),
        ]));
        let call = |id: &str, name: &str, arguments: &str| StreamedCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        let expected = [((0, 0), call("a", "x", "{\"p\":1}")), ((0, 1), call("b", "get_y", "{}"))];
        assert_eq!(found, Ok(BTreeMap::from(expected)));
    }

    #[test]
    fn each_piece_that_misfits_is_named() {
        let named = |list: &[Value]| calls(&pieces(list)).map_err(|misfit| (misfit.event, misfit.want));
        let first = json!({ "index": 0, "id": "a", "function": { "name": "x" } });
        for (second, want) in [
            (json!({ "id": "a" }), "an integer `index`"),
            (json!({ "index": "0" }), "an integer `index`"),
            (json!({ "index": 0, "function": { "arguments": {} } }), "strings as id, name and arguments"),
            (json!({ "index": 0, "id": "b" }), "the id of the call with this index"),
        ] {
            assert_eq!(named(&[first.clone(), second]), Err((1, want)));
        }
        let object = event(r#"{"choices":[{"delta":{"tool_calls":{"index":0}}}]}"#);
        assert_eq!(calls(&[object]).unwrap_err().want, "an array of calls");
    }
}
