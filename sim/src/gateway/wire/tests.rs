//! A stream contains the same as the whole reply, piece by piece.

use serde_json::json;

use super::*;
use crate::gateway::model::{self, Prompt, Traits};
use crate::rng::Rng;

const ABLE: Traits = Traits { tools: true, vision: true, image: false };
const PICTURE: &str = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/// One of the formats.
struct Format {
    name: &'static str,
    prompt: fn(&Value) -> Prompt,
    reply: fn(&Of<'_>) -> Value,
    events: fn(&Of<'_>) -> Vec<Event>,
}

macro_rules! of {
    ($name:ident, $asked:ident) => {
        Format { name: stringify!($name), prompt: $asked::prompt, reply: $name::reply, events: $name::events }
    };
}

const FORMATS: [Format; 5] = [
    of!(chat, chat),
    of!(completions, completions),
    of!(native, completions),
    of!(responses, responses),
    of!(messages, messages),
];

impl Format {
    fn answer(&self, body: &Value) -> (Value, Vec<Event>) {
        let answer = model::run(Rng::new(1), "m", ABLE, &(self.prompt)(body), &[]);
        let of = Of { draw: [1; 32], created_s: 1_767_225_600, model: "m", answer: &answer, body };
        ((self.reply)(&of), (self.events)(&of))
    }

    /// A request with this question, in this format.
    fn asks(&self, text: &str) -> Value {
        let tool = json!({ "name": "weather", "description": "Tells the weather", "parameters": CITY() });
        let messages = json!([{ "role": "user", "content": text }]);
        match self.name {
            "chat" => json!({ "messages": messages, "tools": [{ "type": "function", "function": tool }] }),
            "responses" => {
                json!({ "input": text, "tools": [{ "type": "function", "name": "weather", "parameters": CITY() }] })
            }
            "messages" => {
                json!({ "max_tokens": 500, "messages": messages, "tools": [{ "name": "weather", "input_schema": CITY() }] })
            }
            _ => json!({ "prompt": text }),
        }
    }
}

#[expect(non_snake_case, reason = "it would be a constant if JSON could be one")]
fn CITY() -> Value {
    json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] })
}

fn without_tools(mut body: Value) -> Value {
    body.as_object_mut().unwrap().shift_remove("tools");
    body
}

fn json_of(event: &Event) -> &Value {
    match &event.data {
        Data::Json(data) => data,
        Data::Done => &Value::Null,
    }
}

fn joined<'a>(events: &'a [Event], pointer: &'a str) -> String {
    events.iter().filter_map(|event| json_of(event).pointer(pointer)?.as_str()).collect()
}

/// The position of the text in a reply, and of the pieces in its events.
fn places(name: &str) -> (&'static str, &'static str) {
    match name {
        "chat" => ("/choices/0/message/content", "/choices/0/delta/content"),
        "responses" => ("/output/0/content/0/text", "/delta"),
        "messages" => ("/content/0/text", "/delta/text"),
        _ => ("/choices/0/text", "/choices/0/text"),
    }
}

#[test]
fn stream_pieces_concatenate_to_the_answer() {
    for format in FORMATS {
        let (reply, events) = format.answer(&without_tools(format.asks("Tell me about lighthouses")));
        let (whole, piece) = places(format.name);
        let text = reply.pointer(whole).and_then(Value::as_str).unwrap_or_default();
        assert!(text.contains("lighthouses"), "{}: {reply}", format.name);
        assert_eq!(joined(&events, piece), text, "{}", format.name);
        assert!(events.len() > 10, "{}", format.name);
    }
}

#[test]
fn call_pieces_concatenate_to_the_arguments() {
    for format in FORMATS.iter().filter(|format| !["completions", "native"].contains(&format.name)) {
        let (reply, events) = format.answer(&format.asks("How is the weather in Lisbon?"));
        let (call, id, piece) = match format.name {
            "chat" => {
                ("/choices/0/message/tool_calls/0", "/id", "/choices/0/delta/tool_calls/0/function/arguments")
            }
            "responses" => ("/output/0", "/call_id", "/delta"),
            _ => ("/content/0", "/id", "/delta/partial_json"),
        };
        let call = reply.pointer(call).unwrap();
        let arguments: Value = serde_json::from_str(&joined(&events, piece)).unwrap();
        assert_eq!(arguments, json!({ "city": "Lisbon" }), "{}", format.name);
        assert!(call.to_string().contains("Lisbon"), "{call}");
        let id = call.pointer(id).unwrap().to_string();
        let naming = events.iter().filter(|event| json_of(event).to_string().contains(&id)).count();
        assert!(naming >= 1, "{}: {id} is missing", format.name);
    }
}

#[test]
fn streaming_does_not_change_the_answer() {
    for format in FORMATS {
        let body = format.asks("Tell me about lighthouses");
        let mut streamed = body.clone();
        streamed["stream"] = true.into();
        streamed["stream_options"] = json!({ "include_usage": true });
        assert_eq!((format.prompt)(&body).key, (format.prompt)(&streamed).key);
        let mut other = body.clone();
        other["temperature"] = 1.into();
        assert_ne!((format.prompt)(&body).key, (format.prompt)(&other).key);
    }
}

#[test]
fn chat_streams_report_usage_on_request() {
    let mut body = FORMATS[0].asks("Hello there");
    let (_, silent) = FORMATS[0].answer(&body);
    assert!(silent.iter().all(|event| json_of(event).get("usage").is_none()));
    body["stream_options"] = json!({ "include_usage": true });
    let (reply, events) = FORMATS[0].answer(&body);
    let [.., last, done] = events.as_slice() else { panic!("too short") };
    assert_eq!((&done.data, &json_of(last)["usage"]), (&Data::Done, &reply["usage"]));
    assert_eq!(json_of(last)["choices"], json!([]));
    assert!(events[..events.len() - 2].iter().all(|event| json_of(event)["usage"].is_null()));
}

#[test]
fn cut_answer_says_so_in_every_format() {
    let cases = [
        ("chat", "max_tokens", "/choices/0/finish_reason", "length"),
        ("completions", "max_tokens", "/choices/0/finish_reason", "length"),
        ("native", "n_predict", "/choices/0/finish_reason", "length"),
        ("responses", "max_output_tokens", "/incomplete_details/reason", "max_output_tokens"),
        ("messages", "max_tokens", "/stop_reason", "max_tokens"),
    ];
    for (format, (name, member, pointer, reason)) in FORMATS.iter().zip(cases) {
        assert_eq!(format.name, name);
        let mut body = without_tools(format.asks("Tell me about lighthouses"));
        body[member] = 3.into();
        let (reply, events) = format.answer(&body);
        assert_eq!(reply.pointer(pointer), Some(&reason.into()), "{name}");
        assert!(events.iter().any(|event| json_of(event).to_string().contains(reason)), "{name}");
    }
}

#[test]
fn events_of_messages_and_responses_have_their_names_in_order() {
    let names = |format: &Format, text: &str| {
        let mut body = format.asks(text);
        body["tool_choice"] = if text == "call" { Value::Null } else { json!("none") };
        if text != "call" {
            body = without_tools(body);
        }
        let mut names: Vec<&str> = format.answer(&body).1.iter().filter_map(|event| event.name).collect();
        names.dedup();
        names.join(" ")
    };
    let [_, _, _, responses, messages] = &FORMATS;
    assert_eq!(
        names(messages, "talk"),
        "message_start content_block_start ping content_block_delta content_block_stop message_delta message_stop"
    );
    assert_eq!(names(messages, "talk"), names(messages, "call"));
    let r =
        |names: &str| names.split(' ').map(|name| format!("response.{name}")).collect::<Vec<_>>().join(" ");
    assert_eq!(
        names(responses, "talk"),
        r("created in_progress output_item.added content_part.added output_text.delta output_text.done \
           content_part.done output_item.done completed")
    );
    assert_eq!(
        names(responses, "call"),
        r(
            "created in_progress output_item.added function_call_arguments.delta function_call_arguments.done \
           output_item.done completed"
        )
    );
    let (_, events) = responses.answer(&responses.asks("talk"));
    assert!(events.iter().enumerate().all(|(n, event)| json_of(event)["sequence_number"] == json!(n)));
}

#[test]
fn tool_results_are_answered_in_every_format() {
    let conversations = [
        (
            "chat",
            json!({ "messages": [
            { "role": "user", "content": "How is the weather?" },
            { "role": "assistant", "content": null, "tool_calls": [] },
            { "role": "tool", "tool_call_id": "x", "content": "18 degrees" },
        ] }),
        ),
        (
            "responses",
            json!({ "input": [
            { "role": "user", "content": "How is the weather?" },
            { "type": "function_call", "call_id": "x", "name": "weather", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "x", "output": "18 degrees" },
        ] }),
        ),
        (
            "messages",
            json!({ "messages": [
            { "role": "user", "content": "How is the weather?" },
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "x", "name": "weather", "input": {} }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "x", "content": "18 degrees" }] },
        ] }),
        ),
    ];
    for (name, mut body) in conversations {
        let format = FORMATS.iter().find(|format| format.name == name).unwrap();
        body["tools"] = format.asks("")["tools"].clone();
        let (reply, _) = format.answer(&body);
        assert!(reply.to_string().contains("18 degrees"), "{reply}");
    }
}

#[test]
fn images_are_seen_in_every_format_that_has_them() {
    let (_, data) = PICTURE.split_once(',').unwrap();
    let source = json!({ "type": "base64", "media_type": "image/gif", "data": data });
    let parts = [
        (&FORMATS[0], "messages", json!({ "type": "image_url", "image_url": { "url": PICTURE } })),
        (&FORMATS[3], "input", json!({ "type": "input_image", "image_url": PICTURE })),
        (&FORMATS[4], "messages", json!({ "type": "image", "source": source })),
    ];
    for (format, member, part) in parts {
        let content = json!([{ "type": "text", "text": "What is this?" }, part]);
        let (reply, _) = format.answer(&json!({ member: [{ "role": "user", "content": content }] }));
        assert!(reply.to_string().contains("image/gif, 42 bytes long, 1 by 1 pixels"), "{reply}");
    }
}

#[test]
fn several_answers_take_turns_and_keep_their_order() {
    let mut body = without_tools(FORMATS[0].asks("Tell me about lighthouses"));
    body["n"] = 3.into();
    let (reply, events) = FORMATS[0].answer(&body);
    for n in 0..3 {
        let of = |event: &&Event| json_of(event).pointer("/choices/0/index") == Some(&json!(n));
        let own: Vec<Event> = events.iter().filter(of).cloned().collect();
        assert_eq!(
            joined(&own, "/choices/0/delta/content"),
            reply["choices"][n]["message"]["content"].as_str().unwrap()
        );
    }
    let body = json!({ "prompt": ["Lighthouses", "Mountains"], "n": 2 });
    let (reply, _) = FORMATS[1].answer(&body);
    assert_eq!(reply["choices"].as_array().unwrap().len(), 4);
    assert!(reply["choices"][2]["text"].as_str().unwrap().contains("Mountains"));
}

#[test]
fn json_is_returned_on_request() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    let bodies = [
        (
            0,
            "/choices/0/message/content",
            json!({ "response_format": { "type": "json_schema", "json_schema": { "name": "a", "schema": schema } } }),
        ),
        (
            3,
            "/output/0/content/0/text",
            json!({ "text": { "format": { "type": "json_schema", "name": "a", "schema": schema } } }),
        ),
        (
            4,
            "/content/0/text",
            json!({ "output_config": { "format": { "type": "json_schema", "schema": schema } } }),
        ),
    ];
    for (n, pointer, body) in bodies {
        let (reply, _) = FORMATS[n].answer(&body);
        let answer: Value =
            serde_json::from_str(reply.pointer(pointer).and_then(Value::as_str).unwrap()).unwrap();
        assert!(answer["n"].is_i64(), "{answer}");
    }
}

/// Validation comes first, but a rule that is switched off lets anything through.
#[test]
fn every_odd_body_is_answered() {
    let odd = [json!(null), json!([]), json!(5), json!("text")];
    let members = [
        "messages",
        "input",
        "prompt",
        "tools",
        "tool_choice",
        "stop",
        "n",
        "max_tokens",
        "system",
        "text",
        "response_format",
        "instructions",
        "stop_sequences",
        "stream_options",
        "output_config",
    ];
    let inner = [
        json!(null),
        json!(5),
        json!([5, null, [1], {}]),
        json!({ "a": 1 }),
        json!([{ "content": [5, { "text": 5 }], "role": 7 }]),
        json!([{ "function": { "name": "f", "parameters": 5 }, "name": "g", "input_schema": [], "type": "function" }]),
    ];
    for format in FORMATS {
        for body in odd
            .iter()
            .cloned()
            .chain(members.iter().flat_map(|name| inner.iter().map(move |value| json!({ *name: value }))))
        {
            let (reply, events) = format.answer(&body);
            assert!(reply.is_object() && !events.is_empty(), "{}: {body}", format.name);
        }
    }
}

#[test]
fn model_list_has_what_both_client_libraries_read() {
    let list = models(["a", "b"].into_iter(), 1_767_225_600);
    assert_eq!(
        (&list["object"], &list["has_more"], &list["last_id"]),
        (&json!("list"), &json!(false), &json!("b"))
    );
    assert_eq!(list["data"][0]["created_at"], "2026-01-01T00:00:00.000Z");
    assert_eq!(models([].into_iter(), 0)["first_id"], Value::Null);
}
