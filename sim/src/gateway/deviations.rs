//! The deviations of the gateway: which requirements can be switched off, and the falsified output.
//!
//! A guard only needs its name here. Each function below takes the conforming answer and changes one thing.

use assay_spec::gateway::chat::ROLES;
use assay_spec::gateway::requirements::{
    auth, chat, completions, direct, discovery, errors, input, messages, models, payment, pool, responses,
    stream, tools,
};
use assay_spec::{Id, Rules};
use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use super::call::{Call, Family};
use super::wire::{Data, Event};
use crate::core::Core;
use crate::deviation::{Deviation, deviations};
use crate::exchange::Reply;
use crate::refusal::Refusal;

/// Every deviation of the gateway.
pub(super) const ALL: &[Deviation] = deviations! {
    auth::KEY_CHECK => "the check rejects a valid key";
    auth::KEY_CHECK_INVALID => "the check accepts any key";
    auth::KEY_CHECK_MISSING => "the check accepts a missing key";
    auth::KEY_CHECK_REVOKED => "the check accepts a revoked key";
    auth::KEY_CHECK_FREE => "the check is billed like an inference request";
    auth::INVALID_KEY_CHAT => "chat completions accept any key";
    auth::INVALID_KEY_COMPLETIONS => "completions accept any key";
    auth::INVALID_KEY_NATIVE => "native completions accept any key";
    auth::INVALID_KEY_RESPONSES => "responses accept any key";
    auth::INVALID_KEY_MESSAGES => "messages accept any key";
    auth::MISSING_KEY => "inference requires no key";
    auth::REVOKED_KEY => "inference accepts a revoked key";

    chat::ANSWERED => "the completion is wrapped in an array";
    chat::CHOICES => "`choices` is empty";
    chat::CHOICES, "message" => "a choice's message is a string";
    chat::ANSWER_TEXT => "the answer's text is empty";
    chat::PARTS => "text parts are rejected";
    chat::IMAGE => "image data is rejected";
    chat::BODY => "a body that is not a JSON object is accepted";
    chat::MODEL => "a model that is not a string is accepted";
    chat::MESSAGES => "messages that are not an array are accepted";
    chat::MESSAGE => "a message that is not an object is accepted";
    chat::ROLE => "a role that is not a string is accepted";
    chat::CONTENT => "content of a wrong type is accepted";
    chat::PART => "a part that is not an object is accepted";
    chat::PART_TYPE => "a part of an unknown type is accepted";
    chat::PART_TEXT => "a text part without a string is accepted";
    chat::PART_IMAGE => "an image part without an object is accepted";
    chat::PART_IMAGE_URL => "an image URL that is not a string is accepted";
    chat::TOOL_CALL_ID => "an id that is not a string is accepted";
    chat::STREAM => "a `stream` that is not a boolean is accepted";

    stream::EVENT_STREAM => "a streamed request returns a whole reply";
    stream::EVENT_STREAM, "type" => "the media type of the stream is JSON";
    stream::CHUNKS => "a chunk is a JSON string";
    stream::CHUNKS, "choices" => "a chunk has no choices";
    stream::DELTA => "`delta.content` is an array";
    stream::TEXT => "every `delta.content` is empty";
    stream::NOT_ASKED_FOR => "a request that is not streamed returns a stream";
    stream::ERROR_BEFORE => "an error before the stream returns 200 and an error event";
    stream::ERROR_BEFORE, "type" => "an error before the stream has the media type of event streams";
    stream::ERROR_EVENT => "a stream that fails ends as if it were complete";
    stream::ERROR_EVENT, "silent" => "a stream that fails ends without an error event";

    tools::TAKEN => "tools are rejected";
    tools::CALL_NAME => "the name of a called function is null";
    tools::CALL_ARGUMENTS => "the arguments of a call are an object";
    tools::CALL_ID => "a call has an empty id";
    tools::ROUND_TRIP => "a tool's message is rejected";
    tools::TOOLS => "tools that are not an array are accepted";
    tools::TOOL => "a tool that is not an object is accepted";
    tools::TYPE => "a tool of another type is accepted";
    tools::FUNCTION => "a function that is not an object is accepted";
    tools::NAME => "a function without a name is accepted";
    tools::DESCRIPTION => "a description that is not a string is accepted";
    tools::PARAMETERS => "parameters that are not an object are accepted";

    completions::COMPLETION => "a completion is a string";
    completions::NATIVE => "the native path returns 404";
    completions::UNKNOWN_MODEL => "an unknown model is replaced by another";
    responses::RESPONSE => "a response is a string";
    responses::UNKNOWN_MODEL => "an unknown model is replaced by another";

    messages::MESSAGE_OBJECT => "a message is a string";
    messages::UNKNOWN_MODEL => "an unknown model is replaced by another";
    messages::BODY => "a body that is not a JSON object is accepted";
    messages::MODEL => "a model that is not a string is accepted";
    messages::MAX_TOKENS => "a missing or invalid `max_tokens` is accepted";
    messages::MESSAGES => "messages that are not an array are accepted";
    messages::MESSAGE => "a message that is not an object is accepted";
    messages::ROLE => "a role that is not a string is accepted";
    messages::CONTENT => "content of a wrong type is accepted";

    models::LIST => "the model list is a string";
    models::IDS => "model ids are numbers";
    models::COVERS_DISCOVERY => "the model list lacks a model";

    discovery::OBJECT => "discovery is an array";
    discovery::SERVERS => "`servers` is one string";
    discovery::SERVERS, "missing" => "an entry has no `servers`";
    discovery::ENTRY => "server URLs have no scheme";
    discovery::ENTRY, "http" => "servers have http URLs";
    discovery::ENTRY, "hash" => "an item hash is empty";
    discovery::COVERS => "discovery lacks a model";
    discovery::USABLE => "requests for a discovered model return 404";
    discovery::CURRENT => "servers that have left are still listed";
    discovery::CURRENT, "joined" => "servers that come back are not listed";

    errors::DETAIL_401 => "the detail of a 401 is an array";
    errors::DETAIL_401, "missing" => "a 401 has no detail";
    errors::DETAIL_404 => "the detail of a 404 is an array";
    errors::DETAIL_404, "missing" => "a 404 has no detail";
    errors::DETAIL_422 => "the detail of a 422 is an array";
    errors::DETAIL_422, "missing" => "a 422 has no detail";
    errors::DETAIL_503 => "the detail of a 503 is an array";
    errors::DETAIL_503, "missing" => "a 503 has no detail";
    errors::UNKNOWN_MODEL => "an unknown model is replaced by another";

    payment::REQUIRED => "a request without a key returns 401 while the payment flow is on";
    payment::REQUIRED, "free" => "a request without a key is free while the payment flow is on";
    payment::DETAIL => "the detail of a 402 is an array";
    payment::DETAIL, "missing" => "a 402 has no detail";
    payment::PAID => "a payment returns another 402";
    payment::INVALID_KEY => "any key is accepted while the payment flow is on";
    payment::VALID_KEY => "a valid key returns 402 while the payment flow is on";

    pool::FAILOVER => "no other server is tried";
    pool::FAILOVER, "last" => "the last server is never tried";
    pool::ALL_FAILED => "a request whose servers have all failed returns 500";
    pool::PER_MODEL => "all models fail once the servers of one model have failed";
    pool::RECOVERS => "a model whose servers have failed never recovers";
    pool::COOKIES => "a request with a cookie is rejected";

    direct::CHAT => "servers have no chat completions endpoint";
    direct::COMPLETIONS => "servers have no completions endpoint";
    direct::MESSAGES => "servers have no messages endpoint";
    direct::EVERY_SERVER => "one server does not know the key";
    direct::INVALID_KEY => "a server accepts any key";
    direct::MISSING_KEY => "a server requires no key";

    input::NOT_UTF8 => "invalid UTF-8 returns an internal error";
    input::DEEP => "deep nesting returns an internal error";
    input::LARGE => "a large body returns an internal error";
    input::UNKNOWN_ROLE => "an unknown role returns an internal error";
    input::IMAGE_DATA => "an invalid image returns an internal error";
    input::HUGE_NUMBER => "a huge number returns an internal error";
    input::ODD_PATH => "an odd path returns an internal error";
};

/// Rejects a valid request, if that deviation is active.
pub(super) fn refuse(core: &mut Core, call: &Call) -> Result<(), Refusal> {
    if call.family != Family::Chat {
        return Ok(());
    }
    let messages = call.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let parts = || messages.iter().filter_map(|message| message["content"].as_array()).flatten();
    let met: [(Id, bool); 4] = [
        (&chat::PARTS, parts().next().is_some() && parts().all(|part| part["type"] == "text")),
        (&chat::IMAGE, parts().any(|part| part["type"] == "image_url")),
        (&tools::ROUND_TRIP, messages.iter().any(|message| message["role"] == ROLES[1])),
        (&tools::TAKEN, call.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())),
    ];
    for (rule, met) in met {
        if met && core.violated(rule).is_some() {
            return Err(Refusal::new(rule, "switched off: a valid request is rejected"));
        }
    }
    Ok(())
}

/// Whether the answer is streamed.
pub(super) fn streams(core: &mut Core, call: &Call) -> bool {
    if call.family != Family::Chat {
        return call.stream;
    }
    if call.stream {
        return core.effect(&stream::EVENT_STREAM, true, |_, variant| variant == "type");
    }
    call.body["stream"] == false && core.effect(&stream::NOT_ASKED_FOR, false, |_, _| true)
}

/// The media type of a stream.
pub(super) fn media_type(core: &mut Core, conforming: &'static str) -> &'static str {
    core.effect(&stream::EVENT_STREAM, conforming, |conforming, variant| {
        if variant == "type" { "application/json" } else { conforming }
    })
}

/// The events of a stream.
pub(super) fn events(core: &mut Core, family: Family, mut events: Vec<Event>) -> Vec<Event> {
    if family != Family::Chat {
        return events;
    }
    let deviations =
        [core.violated(&stream::CHUNKS), core.violated(&stream::DELTA), core.violated(&stream::TEXT)];
    let [chunks, delta, text] = deviations;
    for (n, event) in events.iter_mut().enumerate() {
        let Data::Json(chunk) = &mut event.data else { continue };
        let content = chunk.pointer_mut("/choices/0/delta/content").filter(|content| content.is_string());
        if let Some(content) = content {
            if delta.is_some() {
                *content = json!([content.clone()]);
            }
            if text.is_some() {
                *content = json!("");
            }
        }
        match chunks {
            Some("choices") if n == 1 => {
                if let Some(members) = chunk.as_object_mut() {
                    members.shift_remove("choices");
                }
            }
            Some("") if n == 1 => *chunk = json!("chunk"),
            _ => {}
        }
    }
    events
}

/// The last bytes of a stream that fails midway.
pub(super) fn last_words(core: &mut Core, conforming: Bytes) -> Bytes {
    core.effect(&stream::ERROR_EVENT, conforming, |_, variant| {
        if variant == "silent" { Bytes::new() } else { Bytes::from_static(b"data: [DONE]\n\n") }
    })
}

/// A whole reply.
pub(super) fn reply(core: &mut Core, family: Family, body: Value) -> Reply {
    let plain: Id = match family {
        Family::Chat => return completion(core, body),
        Family::Completions => &completions::COMPLETION,
        Family::Native => return core.json(200, body),
        Family::Responses => &responses::RESPONSE,
        Family::Messages => &messages::MESSAGE_OBJECT,
    };
    if core.violated(plain).is_some() { core.text(200, "done") } else { core.json(200, body) }
}

/// A whole chat completion.
fn completion(core: &mut Core, mut body: Value) -> Reply {
    if let Some(variant) = core.violated(&chat::CHOICES) {
        if variant == "message" {
            body["choices"][0]["message"] = json!("hello");
        } else {
            body["choices"] = json!([]);
        }
    }
    if let Some(content) =
        body.pointer_mut("/choices/0/message/content").filter(|content| content.is_string())
        && core.violated(&chat::ANSWER_TEXT).is_some()
    {
        *content = json!("");
    }
    if let Some(call) = body.pointer_mut("/choices/0/message/tool_calls/0") {
        if core.violated(&tools::CALL_NAME).is_some() {
            call["function"]["name"] = Value::Null;
        }
        if core.violated(&tools::CALL_ARGUMENTS).is_some() {
            call["function"]["arguments"] = json!({});
        }
        if core.violated(&tools::CALL_ID).is_some() {
            call["id"] = json!("");
        }
    }
    let body = core.effect(&chat::ANSWERED, body, |body, _| json!([body]));
    core.json(200, body)
}

/// The status of a refusal.
pub(super) fn status(core: &mut Core, rule: Id, conforming: u16) -> u16 {
    if rule == &pool::ALL_FAILED { core.effect(rule, conforming, |_, _| 500) } else { conforming }
}

/// The `detail` of an error.
pub(super) fn detail(core: &mut Core, mut reply: Reply) -> Reply {
    let rule: Id = match reply.status {
        401 => &errors::DETAIL_401,
        402 => &payment::DETAIL,
        404 => &errors::DETAIL_404,
        422 => &errors::DETAIL_422,
        503 => &errors::DETAIL_503,
        _ => return reply,
    };
    if let Some(variant) = core.violated(rule) {
        let body = if variant == "missing" { json!({ "error": "no" }) } else { json!({ "detail": ["no"] }) };
        reply.body = core.variations.json(body).into();
    }
    reply
}

/// An error of a request for a stream.
pub(super) fn before_stream(core: &mut Core, mut reply: Reply, streamed: impl FnOnce() -> bool) -> Reply {
    if !streamed() {
        return reply;
    }
    if let Some(variant) = core.violated(&stream::ERROR_BEFORE) {
        if variant.is_empty() {
            let body = String::from_utf8_lossy(&reply.body).replace('\n', "");
            reply.status = 200;
            reply.body = format!("data: {body}\n\n").into();
        }
        reply.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    }
    reply
}

/// The list of models.
pub(super) fn list(core: &mut Core, mut body: Value) -> Reply {
    if let Some(data) = body["data"].as_array_mut() {
        if core.violated(&models::COVERS_DISCOVERY).is_some() {
            data.retain(|model| model["id"] != "assay-draw");
        }
        if core.violated(&models::IDS).is_some() {
            for (n, model) in data.iter_mut().enumerate() {
                model["id"] = json!(n);
            }
        }
    }
    if core.violated(&models::LIST).is_some() {
        return core.text(200, "assay-chat, assay-text, assay-draw, assay-sealed");
    }
    core.json(200, body)
}

/// The discovery object.
pub(super) fn discovery(core: &mut Core, mut body: Value) -> Value {
    if let Some(models) = body.as_object_mut() {
        if core.violated(&discovery::COVERS).is_some() {
            models.shift_remove("assay-draw");
        }
        if let Some(variant) = core.violated(&discovery::SERVERS) {
            for model in models.values_mut() {
                *model = if variant == "missing" { json!({}) } else { json!({ "servers": "server-a" }) };
            }
        }
        if let Some(variant) = core.violated(&discovery::ENTRY) {
            let scheme = core.dialect.confidential_scheme.clone();
            for servers in models.values_mut().filter_map(|model| model["servers"].as_array_mut()) {
                for server in servers {
                    let text = server.as_str().unwrap_or_default();
                    let sealed = text.starts_with(scheme.as_str());
                    let deviation = match variant {
                        "hash" if sealed => scheme.clone(),
                        "http" if !sealed => text.replacen("https:", "http:", 1),
                        "" if !sealed => text.replacen("https://", "", 1),
                        _ => text.to_owned(),
                    };
                    *server = json!(deviation);
                }
            }
        }
    }
    core.effect(&discovery::OBJECT, body, |body, _| json!([body]))
}

/// An odd body that the documents do not describe: answered as usual, unless the deviation is active.
pub(super) fn falls_over(core: &mut Core, oddities: &[Id]) -> Option<Reply> {
    let fallen = oddities.iter().any(|rule| core.violated(rule).is_some());
    fallen.then(|| core.text(500, "Internal Server Error"))
}
