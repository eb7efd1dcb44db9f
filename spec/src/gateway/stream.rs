//! The grammar of a streamed chat (document 1, *Events*): chunks up to an end mark, the increments of their deltas, and calls in
//! pieces. The checks, the client, `assay chat` and the vectors read streams with it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::requirements::client::ERROR_EVENT;
use super::requirements::stream::{CHUNKS, DELTA};
use super::requirements::tools::STREAMED;
use crate::sse::{self, Event};
use crate::{Refused, Rules, json};

/// The data of the event that may end a stream.
const END: &str = "[DONE]";

/// Whether an event is the end mark.
pub fn is_end(event: &Event) -> bool {
    event.data.trim() == END
}

/// The events before the end mark.
pub fn before_end(events: &[Event]) -> &[Event] {
    &events[..events.iter().position(is_end).unwrap_or(events.len())]
}

/// The ordinary chunk in an event: JSON with an array `choices`. An event named `error`, or one with a member `error`, is none.
pub fn chunk(event: &Event) -> Option<Value> {
    let value = json::parse(event.data.as_bytes()).ok()?;
    (value["choices"].is_array() && !says_error(event)).then_some(value)
}

/// Whether an event says by its name or by a member that the stream has failed.
pub fn says_error(event: &Event) -> bool {
    let data = json::parse(event.data.as_bytes()).unwrap_or_default();
    event.name.as_deref() == Some("error") || data.get("error").is_some_and(|error| !error.is_null())
}

/// Whether a stream has an error event: one before the end mark that is not an ordinary chunk, or one that says so anywhere.
pub fn has_error(events: &[Event]) -> bool {
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
pub fn increments(events: &[Event]) -> Vec<(usize, Value)> {
    // Client libraries treat null like an absent member.
    let content = |delta: &Value| delta.get("content").filter(|content| !content.is_null()).cloned();
    deltas(events).iter().filter_map(|(n, _, delta)| Some((*n, content(delta)?))).collect()
}

/// The text of the first choice.
pub fn words(events: &[Event]) -> String {
    let first = deltas(events).into_iter().filter(|(_, choice, _)| *choice == 0);
    first.filter_map(|(_, _, delta)| delta["content"].as_str().map(str::to_owned)).collect()
}

/// A call of a tool that is put together from its pieces, as client libraries do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamedCall {
    /// Its id.
    pub id: String,
    /// The name of its function.
    pub name: String,
    /// The arguments of its function.
    pub arguments: String,
}

/// Calls by the index of their choice and their own.
pub type StreamedCalls = BTreeMap<(u64, u64), StreamedCall>;

impl StreamedCall {
    /// As a member of `tool_calls`.
    pub fn whole(&self) -> Value {
        let function = json!({ "name": self.name, "arguments": self.arguments });
        json!({ "id": self.id, "type": "function", "function": function })
    }
}

/// A part of a call that is not as the grammar says.
#[derive(Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Its event or its call.
    pub at: String,
    /// What the grammar says.
    pub want: &'static str,
    /// What the stream has.
    pub got: String,
}

/// The calls of a stream. The first misfit ends the reading.
pub fn calls(events: &[Event]) -> Result<StreamedCalls, Misfit> {
    read_calls(events, &mut |misfit| Err(misfit))
}

/// The calls of a stream. Each piece names its call, each part of a piece is a string, and all pieces of a call that have an
/// id have the same. A piece may repeat the name. A piece that does not fit is left out if `misfits` accepts it.
fn read_calls<E>(
    events: &[Event],
    misfits: &mut dyn FnMut(Misfit) -> Result<(), E>,
) -> Result<StreamedCalls, E> {
    let mut calls = StreamedCalls::new();
    for (event, choice, delta) in deltas(events) {
        let found = match &delta["tool_calls"] {
            Value::Null => continue,
            Value::Array(pieces) => pieces.iter().try_for_each(|piece| add(&mut calls, choice, piece)),
            other => Err(("an array of calls", other.to_string())),
        };
        if let Err((want, got)) = found {
            misfits(Misfit { at: format!("delta.tool_calls of event {event}"), want, got })?;
        }
    }
    Ok(calls)
}

/// Adds a piece to its call.
fn add(calls: &mut StreamedCalls, choice: u64, piece: &Value) -> Result<(), (&'static str, String)> {
    let wrong = |want| Err((want, piece.to_string()));
    let Some(index) = piece["index"].as_u64() else { return wrong("an integer `index`") };
    let function = &piece["function"];
    let parts = [&piece["id"], &function["name"], &function["arguments"]];
    if !parts.iter().all(|part| part.is_null() || part.is_string()) {
        return wrong("strings as id, name and arguments");
    }
    let [id, name, arguments] = parts.map(|part| part.as_str().unwrap_or_default());
    let call = calls.entry((choice, index)).or_default();
    if !id.is_empty() && !call.id.is_empty() && call.id != id {
        return wrong("the id of the call with this index");
    }
    if call.id.is_empty() {
        id.clone_into(&mut call.id);
    }
    if call.name != name {
        call.name += name;
    }
    call.arguments += arguments;
    Ok(())
}

/// Whether each call has an id that no other call of its choice has, and the name of a function.
pub fn whole(calls: &StreamedCalls) -> Result<(), Misfit> {
    for (key @ (choice, index), StreamedCall { id, name, .. }) in calls {
        let wrong = |want, got: &str| {
            Err(Misfit { at: format!("call {index} of the stream"), want, got: got.to_owned() })
        };
        if id.is_empty() {
            return wrong("an `id`", "none");
        }
        // Choices are alternatives: each has a conversation of its own.
        if calls.range((*choice, 0)..*key).any(|(_, other)| other.id == *id) {
            return wrong("an `id` that no other call has", id);
        }
        if name.is_empty() {
            return wrong("a `function.name`", "none");
        }
    }
    Ok(())
}

/// What a client has when a stream has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streamed {
    /// The text of each choice, by its index.
    pub texts: BTreeMap<u64, String>,
    /// The calls of tools.
    pub calls: StreamedCalls,
}

/// Reads the body of a streamed chat, up to its end mark.
pub fn read(body: &[u8], rules: &mut dyn Rules) -> Result<Streamed, Refused> {
    let utf8 = str::from_utf8(body);
    rules.require(&CHUNKS, utf8.is_ok(), || format!("the stream is not UTF-8: {utf8:?}"))?;
    let events = sse::events(body);
    for event in before_end(&events) {
        let is_error = says_error(event);
        rules.require(&ERROR_EVENT, !is_error, || {
            format!("an event says that the stream has failed: {}", event.data)
        })?;
        let is_chunk = is_error || chunk(event).is_some();
        rules.require(&CHUNKS, is_chunk, || {
            format!("an event is not JSON with an array `choices`: {:?}", event.data)
        })?;
    }
    let mut texts = BTreeMap::new();
    for (_, choice, delta) in deltas(before_end(&events)) {
        let text: &mut String = texts.entry(choice).or_default();
        let content = &delta["content"];
        let is_text = content.is_null() || content.is_string();
        rules.require(&DELTA, is_text, || format!("delta.content is {content}"))?;
        text.push_str(content.as_str().unwrap_or_default());
    }
    let mut streamed = |misfit: Misfit| {
        rules.require(&STREAMED, false, || format!("{}: {}, not {}", misfit.at, misfit.got, misfit.want))
    };
    let calls = read_calls(before_end(&events), &mut streamed)?;
    whole(&calls).or_else(streamed)?;
    Ok(Streamed { texts, calls })
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
        let named = |list: &[Value]| calls(&pieces(list)).map_err(|misfit| (misfit.at, misfit.want));
        let first = json!({ "index": 0, "id": "a", "function": { "name": "x" } });
        for (second, want) in [
            (json!({ "id": "a" }), "an integer `index`"),
            (json!({ "index": "0" }), "an integer `index`"),
            (json!({ "index": 0, "function": { "arguments": {} } }), "strings as id, name and arguments"),
            (json!({ "index": 0, "id": "b" }), "the id of the call with this index"),
        ] {
            assert_eq!(
                named(&[first.clone(), second]),
                Err(("delta.tool_calls of event 1".to_owned(), want))
            );
        }
        let object = event(r#"{"choices":[{"delta":{"tool_calls":{"index":0}}}]}"#);
        assert_eq!(calls(&[object]).unwrap_err().want, "an array of calls");
    }
}
