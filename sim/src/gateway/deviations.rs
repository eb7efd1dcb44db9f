//! The deviations of the gateway: each entry breaks one requirement, with its code, at one seam.

use std::collections::BTreeMap;

use assay_spec::gateway::places::{CHAT_STREAM, CHAT_WHOLE, MESSAGES};
use assay_spec::gateway::requirements::{
    auth, chat, completions, direct, discovery, errors, input, messages, models, payment, pool, responses,
    stream, tools,
};
use assay_spec::{Id, Refused};
use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use super::SERVERS;
use super::call::Family;
use super::discovery::{self as discover, Discovered, ListedServers, ModelList};
use super::infer::{Expose, UseModel};
use super::model::{Role, Usage};
use super::payment::CheckUsage;
use super::pool::{CONFIDENTIAL, MODELS};
use super::refusal::Rejected;
use super::route::{Session, TryModel, Untried};
use super::servers::{self, Events, IsStreamed, RunModel, Whole};
use super::stream::{EVENT_STREAM, Frames, LastWords, MediaType};
use super::wire::Data;
use crate::deviation::{Deviation, deviations};
use crate::seam::{Answer, Body};

/// The models that some lists lack: one of images, and one of text.
const DRAWS: &str = "assay-draw";
const WRITES: &str = "assay-text";

/// Every deviation of the gateway.
pub(super) const ALL: &[Deviation] = deviations! {
    auth::KEY_CHECK => "the check rejects a valid key", guard;
    auth::KEY_CHECK_INVALID => "the check accepts any key", guard;
    auth::KEY_CHECK_MISSING => "the check accepts a missing key", guard;
    auth::KEY_CHECK_REVOKED => "the check accepts a revoked key", guard;
    auth::KEY_CHECK_FREE => "the check is billed like an inference request",
        step |s: &mut CheckUsage| s.0 = Usage { prompt: 1, completion: 1 };
    auth::INVALID_KEY_CHAT => "chat completions accept any key", guard;
    auth::INVALID_KEY_COMPLETIONS => "completions accept any key", guard;
    auth::INVALID_KEY_NATIVE => "native completions accept any key", guard;
    auth::INVALID_KEY_RESPONSES => "responses accept any key", guard;
    auth::INVALID_KEY_MESSAGES => "messages accept any key", guard;
    auth::MISSING_KEY => "inference requires no key", guard;
    auth::REVOKED_KEY => "inference accepts a revoked key", guard;

    chat::ANSWERED => "the completion is wrapped in an array", reply |r: &mut Answer<Whole>| wrap(r.chat());
    chat::ORDINARY => "a chat with options is rejected", guard;
    chat::CHOICES => "`choices` is empty", reply |r: &mut Answer<Whole>| set(r.chat(), "/choices", json!([]));
    chat::CHOICES, "message" => "a choice's message is a string",
        reply |r: &mut Answer<Whole>| set(r.chat(), "/choices/0/message", json!("hello"));
    chat::ANSWER_TEXT => "the answer's text is empty", reply |r: &mut Answer<Whole>| {
            let content = r.chat().and_then(|body| body.pointer_mut("/choices/0/message/content"));
            if let Some(content) = content.filter(|content| content.is_string()) {
                *content = json!("");
            }
        };
    chat::PARTS => "text parts are rejected", guard;
    chat::IMAGE => "image data is rejected", guard;
    chat::BODY => "a body that is not a JSON object is accepted", guard;
    chat::MODEL => "a model that is not a string is accepted", guard;
    chat::MESSAGES => "messages that are not an array are accepted", guard;
    chat::MESSAGE => "a message that is not an object is accepted", guard;
    chat::ROLE => "a role that is not a string is accepted", guard;
    chat::CONTENT => "content of a wrong type is accepted", guard;
    chat::PART => "a part that is not an object is accepted", guard;
    chat::PART_TYPE => "a part of an unknown type is accepted", guard;
    chat::PART_TEXT => "a text part without a string is accepted", guard;
    chat::PART_IMAGE => "an image part without an object is accepted", guard;
    chat::PART_IMAGE_URL => "an image URL that is not a string is accepted", guard;
    chat::TOOL_CALL_ID => "an id that is not a string is accepted", guard;
    chat::STREAM => "a `stream` that is not a boolean is accepted", guard;

    stream::EVENT_STREAM => "a streamed request returns a whole reply",
        step |s: &mut IsStreamed| s.0 = |_, call| call.stream && call.family != Family::Chat;
    stream::EVENT_STREAM, "type" => "the media type of the stream is JSON",
        step |s: &mut MediaType| s.name = if s.direct { s.name } else { "application/json" };
    stream::CHUNKS => "a chunk is a JSON string",
        step |s: &mut Events| s.chat().nth(1).into_iter().for_each(|chunk| *chunk = json!("chunk"));
    stream::CHUNKS, "choices" => "a chunk has no choices", step |s: &mut Events| {
        if let Some(Value::Object(chunk)) = s.chat().nth(1) {
            chunk.shift_remove("choices");
        }
    };
    stream::CHUNKS, "end" => "the end mark comes before the last increment", step |s: &mut Frames| {
        let has_text = |frame: &Bytes| {
            let content = b"\"content\":\"";
            let at = frame.windows(content.len()).position(|part| part == content);
            at.is_some_and(|at| frame.get(at + content.len()).is_some_and(|next| *next != b'"'))
        };
        if let Some(last) = s.0.iter().rposition(has_text)
            && let Some(end) = s.0.pop_back()
        {
            s.0.insert(last, end);
        }
    };
    stream::CHUNKS, "utf-8" => "a string of a chunk has a byte that is not UTF-8", step |s: &mut Frames| {
        let content = |frame: &Bytes| frame.windows(10).position(|part| part == b"\"content\":");
        if let Some((frame, at)) = s.0.iter_mut().find_map(|frame| content(frame).map(|at| (frame, at + 11))) {
            let (before, after) = frame.split_at(at);
            *frame = [before, b"\xc3", after].concat().into();
        }
    };
    stream::DELTA => "`delta.content` is an array",
        step |s: &mut Events| s.pieces().for_each(|content| *content = json!([content.take()]));
    stream::TEXT => "every `delta.content` is empty",
        step |s: &mut Events| s.pieces().for_each(|content| *content = json!(""));
    stream::TEXT, "whole" => "every `delta.content` is the whole text so far", step |s: &mut Events| {
        let mut text = String::new();
        for content in s.pieces() {
            text += content.as_str().unwrap_or_default();
            *content = json!(text);
        }
    };
    stream::NOT_ASKED_FOR => "a request that is not streamed returns a stream", step |s: &mut IsStreamed| {
        s.0 = |_, call| call.stream || call.family == Family::Chat && call.body["stream"] == false;
    };
    stream::NOT_ASKED_FOR, "type" => "a whole reply has the media type of event streams", reply |r: &mut Answer<Whole>| {
        if r.about.family == Family::Chat {
            r.headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
        }
    };
    stream::NOT_ASKED_FOR, "refused" => "`stream` false is rejected", step |s: &mut UseModel| {
        s.0 = |_, call, _, _| {
            let says_no = call.family == Family::Chat && call.body["stream"] == false;
            reject_if(says_no, &stream::NOT_ASKED_FOR, || "stream is not supported".to_owned())
        };
    };
    stream::ERROR_BEFORE => "an error before the stream returns 200 and an error event",
        reply |r: &mut Answer<Rejected>| {
            if r.about.streamed {
                let Body::Json(error) = &r.body else { return };
                let body = format!("data: {error}\n\n");
                (r.status, r.body) = (200, Body::Typed(EVENT_STREAM, body.into()));
            }
        };
    stream::ERROR_BEFORE, "type" => "an error before the stream has the media type of event streams",
        reply |r: &mut Answer<Rejected>| {
            if r.about.streamed {
                r.headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
            }
        };
    stream::ERROR_EVENT => "a stream that fails ends as if it were complete",
        step |s: &mut LastWords| s.0 = Bytes::from_static(b"data: [DONE]\n\n");
    stream::ERROR_EVENT, "silent" => "a stream that fails ends without an error event",
        step |s: &mut LastWords| s.0 = Bytes::new();

    tools::TAKEN => "tools are rejected", guard;
    tools::TAKEN, "third" => "a third tool is rejected", step |s: &mut UseModel| s.0 = |_, call, _, _| {
        let tools = call.body["tools"].as_array().map_or(0, Vec::len);
        reject_if(tools > 2, &tools::TAKEN, || "too many tools".to_owned())
    };
    tools::TAKEN, "empty" => "a streamed chat with tools has no events" at CHAT_STREAM, step |s: &mut Events| {
        if s.has_tools {
            s.list.clear();
        }
    };
    tools::CALL_NAME => "the name of a called function is null",
        reply |r: &mut Answer<Whole>| set(r.call(), "/function/name", Value::Null);
    tools::CALL_NAME, "object" => "`tool_calls` is an object", reply |r: &mut Answer<Whole>| {
        if let Some(calls) = r.calls().filter(|calls| calls.is_array()) {
            *calls = calls[0].take();
        }
    };
    tools::ARGUMENTS_FIT, "case" => "the name of the called tool is in lower case", reply |r: &mut Answer<Whole>| {
        let name = r.call().and_then(|call| call["function"]["name"].as_str()).map(str::to_lowercase);
        set(r.call(), "/function/name", json!(name));
    };
    tools::CALL_ARGUMENTS => "the arguments of a call are an object",
        reply |r: &mut Answer<Whole>| set(r.call(), "/function/arguments", json!({}));
    tools::CALL_ID => "a call has an empty id", reply |r: &mut Answer<Whole>| set(r.call(), "/id", json!(""));
    tools::CALL_IDS => "every call has the same id", reply |r: &mut Answer<Whole>| {
        let calls = r.calls().and_then(Value::as_array_mut);
        calls.into_iter().flatten().for_each(|call| call["id"] = json!("call_0"));
    };
    tools::CALL_IDS, "numbered" => "ids are numbered within a reply", reply |r: &mut Answer<Whole>| {
        let calls = r.calls().and_then(Value::as_array_mut).into_iter().flatten().enumerate();
        calls.for_each(|(n, call)| call["id"] = json!(format!("call_{n}")));
    };
    tools::STREAMED => "a streamed call has no id", step |s: &mut Events| s.calls(|call| remove(call, "id"));
    tools::STREAMED, "name" => "a streamed call has no name",
        step |s: &mut Events| s.calls(|call| remove(&mut call["function"], "name"));
    tools::STREAMED, "arguments" => "a streamed call has no arguments",
        step |s: &mut Events| s.calls(|call| remove(&mut call["function"], "arguments"));
    tools::STREAMED, "object" => "the arguments of a streamed call are an object",
        step |s: &mut Events| s.calls(|call| call["function"]["arguments"] = json!({}));
    tools::STREAMED, "json" => "the arguments of a streamed call are cut off",
        step |s: &mut Events| s.calls(|call| if call["id"].is_null() { remove(&mut call["function"], "arguments") });
    tools::STREAMED, "index" => "all streamed calls have one index",
        step |s: &mut Events| s.calls(|call| call["index"] = json!(0));
    tools::STREAMED, "ids" => "each piece of a streamed call has another id",
        step |s: &mut Events| s.calls(|call| if call["id"].is_null() { call["id"] = json!("call_of_a_piece") });
    tools::STREAMED, "same" => "all streamed calls have one id",
        step |s: &mut Events| s.calls(|call| if call["id"].is_string() { call["id"] = json!("call_0") });
    tools::STREAMED, "list" => "`tool_calls` of a delta is an object", step |s: &mut Events| {
        let calls = s.chat().filter_map(|chunk| chunk.pointer_mut("/choices/0/delta/tool_calls"));
        calls.filter(|calls| calls.is_array()).for_each(|calls| *calls = calls[0].take());
    };
    tools::STREAMED, "first" => "a stream has the first of its calls only", step |s: &mut Events| {
        let calls = s.chat().filter_map(|chunk| chunk.pointer_mut("/choices/0/delta/tool_calls"));
        calls.filter_map(Value::as_array_mut).for_each(|calls| calls.retain(|call| call["index"] == 0));
    };
    tools::STREAMED_FIT => "the arguments of a streamed call lack a required member",
        step |s: &mut Events| s.arguments(|_| json!({}));
    tools::STREAMED_FIT, "type" => "every member of the arguments of a streamed call is an array", step |s: &mut Events| {
        s.arguments(|mut arguments| {
            let members = arguments.as_object_mut().into_iter().flatten();
            members.for_each(|(_, value)| *value = json!([value.take()]));
            arguments
        });
    };
    tools::STREAMED_FIT, "enum" => "strings of the arguments of a streamed call are not those of the schema", step |s: &mut Events| {
        s.arguments(|mut arguments| {
            arguments.as_object_mut().into_iter().flatten().for_each(|(_, value)| *value = json!("none"));
            arguments
        });
    };
    tools::STREAMED, "dropped" => "a stream has no calls",
        step |s: &mut Events| for chunk in s.chat() {
            if let Some(delta) = chunk.pointer_mut("/choices/0/delta") {
                remove(delta, "tool_calls");
            }
        };
    tools::ROUND_TRIP => "a tool's message is rejected", guard;
    tools::ROUND_TRIP, "two" => "the results of two tools are rejected unless a stream is asked for" at CHAT_WHOLE,
        step |s: &mut UseModel| s.0 = |_, call, _, _| {
            let messages = call.body["messages"].as_array().into_iter().flatten();
            let results = messages.filter(|message| message["role"] == "tool").count();
            let is_met = results > 1 && call.body["stream"] != true;
            reject_if(is_met, &tools::ROUND_TRIP, || "more than one result".to_owned())
        };
    tools::ARGUMENTS_FIT => "the arguments are not JSON",
        reply |r: &mut Answer<Whole>| set(r.call(), "/function/arguments", json!("place=Oslo"));
    tools::ARGUMENTS_FIT, "required" => "the arguments lack a required member",
        reply |r: &mut Answer<Whole>| set(r.call(), "/function/arguments", json!("{}"));
    tools::ARGUMENTS_FIT, "type" => "every member of the arguments is an array",
        reply |r: &mut Answer<Whole>| r.change_arguments(|value| *value = json!([value.take()]));
    tools::ARGUMENTS_FIT, "enum" => "strings of the arguments are not those of the schema",
        reply |r: &mut Answer<Whole>| r.change_arguments(|value| *value = json!("none"));
    tools::ARGUMENTS_FIT, "name" => "the called tool is not declared",
        reply |r: &mut Answer<Whole>| set(r.call(), "/function/name", json!("no_such_tool"));
    tools::RESULT_USED => "models ignore the results of tools", step |s: &mut RunModel| {
        s.0 = |core, model, prompt, given| {
            let mut prompt = prompt.clone();
            let turns = prompt.conversations.iter_mut().flatten();
            turns.filter(|turn| turn.role == Role::Tool).for_each(|turn| turn.text.clear());
            servers::run_model(core, model, &prompt, given)
        };
    };
    tools::TOOLS => "tools that are not an array are accepted", guard;
    tools::TOOL => "a tool that is not an object is accepted", guard;
    tools::TYPE => "a tool of another type is accepted", guard;
    tools::FUNCTION => "a function that is not an object is accepted", guard;
    tools::NAME => "a function without a name is accepted", guard;
    tools::DESCRIPTION => "a description that is not a string is accepted", guard;
    tools::PARAMETERS => "parameters that are not an object are accepted", guard;

    completions::COMPLETION => "a completion is a string",
        reply |r: &mut Answer<Whole>| r.say_done(Family::Completions);
    completions::NATIVE => "the native path returns 404", guard;
    completions::UNKNOWN_MODEL => "an unknown model is replaced by another", guard;
    responses::RESPONSE => "a response is a string",
        reply |r: &mut Answer<Whole>| r.say_done(Family::Responses);
    responses::UNKNOWN_MODEL => "an unknown model is replaced by another", guard;

    messages::MESSAGE_OBJECT => "a message is a string",
        reply |r: &mut Answer<Whole>| r.say_done(Family::Messages);
    messages::ORDINARY => "a messages request for one token is rejected", guard;
    messages::UNKNOWN_MODEL => "an unknown model is replaced by another", guard;
    messages::BODY => "a body that is not a JSON object is accepted", guard;
    messages::MODEL => "a model that is not a string is accepted", guard;
    messages::MAX_TOKENS => "a missing or invalid `max_tokens` is accepted", guard;
    messages::MESSAGES => "messages that are not an array are accepted", guard;
    messages::MESSAGE => "a message that is not an object is accepted", guard;
    messages::ROLE => "a role that is not a string is accepted", guard;
    messages::CONTENT => "content of a wrong type is accepted", guard;

    models::LIST => "the model list is a string", reply |r: &mut Answer<ModelList>| {
        r.body = Body::Text("assay-chat, assay-text, assay-draw, assay-sealed".to_owned());
    };
    models::IDS => "model ids are numbers", reply |r: &mut Answer<ModelList>| {
        let models = r["data"].as_array_mut().into_iter().flatten().enumerate();
        models.for_each(|(n, model)| model["id"] = json!(n));
    };
    models::COVERS_DISCOVERY => "the model list lacks a text model", reply |r: &mut Answer<ModelList>| {
        r["data"].as_array_mut().into_iter().for_each(|data| data.retain(|model| model["id"] != WRITES));
    };

    discovery::OBJECT => "discovery is an array", reply |r: &mut Answer<Discovered>| wrap(r.names());
    discovery::SERVERS => "`servers` is one string", reply |r: &mut Answer<Discovered>| {
        r.models().for_each(|model| *model = json!({ "servers": "server-a" }));
    };
    discovery::SERVERS, "missing" => "an entry has no `servers`",
        reply |r: &mut Answer<Discovered>| r.models().for_each(|model| *model = json!({}));
    discovery::ENTRY => "server URLs have no scheme", reply |r: &mut Answer<Discovered>| {
        r.entries(false).for_each(|entry| *entry = entry.replacen("https://", "", 1));
    };
    discovery::ENTRY, "http" => "servers have http URLs", reply |r: &mut Answer<Discovered>| {
        r.entries(false).for_each(|entry| *entry = entry.replacen("https:", "http:", 1));
    };
    discovery::ENTRY, "hash" => "an item hash is empty", reply |r: &mut Answer<Discovered>| {
        let scheme = r.about.confidential_scheme.clone();
        r.entries(true).for_each(|entry| entry.clone_from(&scheme));
    };
    discovery::ENTRY, "item" => "the item hash is that of another deployment",
        reply |r: &mut Answer<Discovered>| r.entries(true).for_each(|entry| entry.push('0'));
    discovery::ENTRY, "servers" => "each model has the servers of the first", step |s: &mut ListedServers| {
        s.0 = |_, state, model| {
            let is_sealed = model.servers.contains(&CONFIDENTIAL);
            state.pool.listed(if is_sealed { model } else { &MODELS[0] })
        };
    };
    discovery::COVERS => "discovery lacks a model", reply |r: &mut Answer<Discovered>| {
        r.names().and_then(Value::as_object_mut).map(|models| models.shift_remove(DRAWS));
    };
    discovery::USABLE => "requests for a discovered model return 404", step |s: &mut UseModel| {
        s.0 = |_, call, at, model| {
            let is_met = at.is_none() && call.family == Family::Chat && model.traits.image;
            reject_if(is_met, &discovery::USABLE, || "a discovered model".to_owned())
        };
    };
    discovery::CURRENT => "servers that have left are still listed",
        step |s: &mut ListedServers| s.0 = |_, _, model| model.servers.clone();
    discovery::CURRENT, "joined" => "servers that come back are not listed", step |s: &mut ListedServers| {
        s.0 = |core, state, model| {
            let mut servers = discover::listed_servers(core, state, model);
            servers.retain(|number| state.pool.at(*number).left == 0);
            servers
        };
    };

    errors::DETAIL_401 => "the detail of a 401 is an array",
        reply |r: &mut Answer<Rejected>| r.replace(401, json!({ "detail": ["no"] }));
    errors::DETAIL_401, "missing" => "a 401 has no detail",
        reply |r: &mut Answer<Rejected>| r.replace(401, json!({ "error": "no" }));
    errors::DETAIL_404 => "the detail of a 404 is an array",
        reply |r: &mut Answer<Rejected>| r.replace(404, json!({ "detail": ["no"] }));
    errors::DETAIL_404, "missing" => "a 404 has no detail",
        reply |r: &mut Answer<Rejected>| r.replace(404, json!({ "error": "no" }));
    errors::DETAIL_422 => "the detail of a 422 is an array",
        reply |r: &mut Answer<Rejected>| r.replace(422, json!({ "detail": ["no"] }));
    errors::DETAIL_422, "missing" => "a 422 has no detail",
        reply |r: &mut Answer<Rejected>| r.replace(422, json!({ "error": "no" }));
    errors::DETAIL_422, "body" => "the detail of a 422 for a body that is not JSON is an array" at CHAT_WHOLE,
        reply |r: &mut Answer<Rejected>| if r.about.rule == Some(&chat::BODY) {
            r.replace(422, json!({ "detail": ["no"] }));
        };
    errors::DETAIL_503 => "the detail of a 503 is an array",
        reply |r: &mut Answer<Rejected>| r.replace(503, json!({ "detail": ["no"] }));
    errors::DETAIL_503, "missing" => "a 503 has no detail",
        reply |r: &mut Answer<Rejected>| r.replace(503, json!({ "error": "no" }));
    errors::UNKNOWN_MODEL => "an unknown model is replaced by another", guard;

    payment::REQUIRED => "a request without a key returns 401 while the payment flow is on",
        reply |r: &mut Answer<Rejected>| r.change(&payment::REQUIRED, 401);
    payment::REQUIRED, "free" => "a request without a key is free while the payment flow is on", guard;
    payment::DETAIL => "the detail of a 402 is an array",
        reply |r: &mut Answer<Rejected>| r.replace(402, json!({ "detail": ["no"] }));
    payment::DETAIL, "missing" => "a 402 has no detail",
        reply |r: &mut Answer<Rejected>| r.replace(402, json!({ "error": "no" }));
    payment::INVALID => "any payment pays, whether it was issued or not", guard;
    payment::INVALID, "empty" => "an empty payment pays", guard;
    payment::PAID => "a payment returns another 402", guard;
    payment::USED_AGAIN => "a payment that was used returns 500",
        reply |r: &mut Answer<Rejected>| r.change(&payment::USED_AGAIN, 500);
    payment::INVALID_KEY => "any key is accepted while the payment flow is on", guard;
    payment::VALID_KEY => "a valid key returns 402 while the payment flow is on", guard;

    pool::FAILOVER => "no other server is tried", step |s: &mut Untried| s.left.clear();
    pool::FAILOVER, "sticky" => "a request with a cookie is sent to one server only",
        step |s: &mut Untried| s.left.retain(|_| !s.is_sticky);
    pool::FAILOVER, "last" => "the last server is never tried", step |s: &mut Untried| {
        if s.left.len() == 1 {
            s.left.clear();
        }
    };
    pool::ALL_FAILED => "a request whose servers have all failed returns 500",
        reply |r: &mut Answer<Rejected>| r.change(&pool::ALL_FAILED, 500);
    pool::PER_MODEL => "all models fail once the servers of one model have failed", step |s: &mut TryModel| {
        s.0 = |_, state, model| {
            let others = state.failed.keys().any(|failed| *failed != model.id);
            reject_if(others, &pool::PER_MODEL, || "the servers of another model have failed".to_owned())
        };
    };
    pool::RECOVERS => "a model whose servers have failed never recovers", step |s: &mut TryModel| {
        s.0 = |_, state, model| {
            let before = state.failed(model) > 0;
            reject_if(before, &pool::RECOVERS, || format!("the servers of {} had failed before", model.id))
        };
    };
    pool::COOKIES => "a request with a cookie is rejected", guard;
    pool::ROUTING => "a cookie does not keep a session on its server", step |s: &mut Session| s.sticky = None;

    direct::CHAT => "servers have no chat completions endpoint", guard;
    direct::CHAT, "stream" => "a streamed chat at a server has the media type of JSON",
        step |s: &mut MediaType| s.name = if s.direct { "application/json" } else { s.name };
    direct::COMPLETIONS => "servers have no completions endpoint", guard;
    direct::MESSAGES => "servers have no messages endpoint", guard;
    direct::EVERY_SERVER => "one server does not know the key", guard;
    direct::EVERY_SERVER, "endpoint" => "one server lacks an endpoint that the others have" at MESSAGES, step |s: &mut Expose| {
        s.0 = |_, family, at| {
            let is_missing = at == Some(SERVERS.len() - 1) && family == Family::Messages;
            reject_if(is_missing, &errors::OTHER_PATHS, || "another path".to_owned())
        };
    };
    direct::INVALID_KEY => "a server accepts any key", guard;
    direct::MISSING_KEY => "a server requires no key", guard;
    direct::REVOKED_KEY => "a server accepts a revoked key", guard;
    direct::UNKNOWN_MODEL => "a server replaces an unknown model by another", guard;

    input::SPELLING => "a body with white space is rejected", guard;
    input::NOT_UTF8 => "invalid UTF-8 returns an internal error", guard;
    input::EMPTY => "a body without content returns an internal error", guard;
    input::SURROGATE => "half of a surrogate pair returns an internal error", guard;
    input::DEEP => "deep nesting returns an internal error", guard;
    input::LARGE => "a large body returns an internal error", guard;
    input::UNKNOWN_ROLE => "an unknown role returns an internal error", guard;
    input::IMAGE_DATA => "an invalid image returns an internal error", guard;
    input::HUGE_NUMBER => "a huge number returns an internal error", guard;
    input::ODD_PATH => "an odd path returns an internal error", guard;
};

fn reject_if(is_met: bool, rule: Id, why: impl FnOnce() -> String) -> Result<(), Refused> {
    if is_met { Err(Refused { rule, why: why() }) } else { Ok(()) }
}

impl Answer<Whole> {
    /// The body of a chat completion.
    fn chat(&mut self) -> Option<&mut Value> {
        match &mut self.body {
            Body::Json(body) if self.about.family == Family::Chat => Some(body),
            _ => None,
        }
    }

    /// The tool calls of a chat completion.
    fn calls(&mut self) -> Option<&mut Value> {
        self.chat()?.pointer_mut("/choices/0/message/tool_calls")
    }

    /// The first tool call of a chat completion.
    fn call(&mut self) -> Option<&mut Value> {
        self.calls()?.get_mut(0)
    }

    /// Changes each argument of the first tool call.
    fn change_arguments(&mut self, change: fn(&mut Value)) {
        let Some(Value::String(text)) = self.call().and_then(|call| call.pointer_mut("/function/arguments"))
        else {
            return;
        };
        let mut arguments: Value = serde_json::from_str(text).unwrap_or_default();
        arguments.as_object_mut().into_iter().flatten().for_each(|(_, value)| change(value));
        *text = arguments.to_string();
    }

    /// Replaces the reply to one kind of request by plain text.
    fn say_done(&mut self, family: Family) {
        if self.about.family == family {
            self.body = Body::Text("done".to_owned());
        }
    }
}

/// Removes a member of an object.
fn remove(object: &mut Value, name: &str) {
    if let Some(members) = object.as_object_mut() {
        members.shift_remove(name);
    }
}

impl Events {
    /// The JSON data of the events of a chat.
    fn chat(&mut self) -> impl Iterator<Item = &mut Value> {
        let is_chat = self.family == Family::Chat;
        let events = self.list.iter_mut().filter(move |_| is_chat);
        events.filter_map(|event| match &mut event.data {
            Data::Json(chunk) => Some(chunk),
            Data::Done => None,
        })
    }

    /// Changes each piece of a call.
    fn calls(&mut self, change: fn(&mut Value)) {
        let calls = self.chat().filter_map(|chunk| chunk.pointer_mut("/choices/0/delta/tool_calls"));
        calls.filter_map(Value::as_array_mut).flatten().for_each(change);
    }

    /// Changes the arguments of each call, which are then in its first piece.
    fn arguments(&mut self, change: fn(Value) -> Value) {
        let mut whole: BTreeMap<u64, String> = BTreeMap::new();
        self.each_call(|index, call| {
            whole
                .entry(index)
                .or_default()
                .push_str(call["function"]["arguments"].as_str().unwrap_or_default());
        });
        self.each_call(|index, call| {
            let text = whole
                .remove(&index)
                .map(|text| change(serde_json::from_str(&text).unwrap_or_default()).to_string());
            call["function"]["arguments"] = json!(text.unwrap_or_default());
        });
    }

    /// Calls `met` for each piece of a call, with its index.
    fn each_call(&mut self, mut met: impl FnMut(u64, &mut Value)) {
        let calls = self.chat().filter_map(|chunk| chunk.pointer_mut("/choices/0/delta/tool_calls"));
        for call in calls.filter_map(Value::as_array_mut).flatten() {
            met(call["index"].as_u64().unwrap_or_default(), call);
        }
    }

    /// The pieces of the answer's text.
    fn pieces(&mut self) -> impl Iterator<Item = &mut Value> {
        let contents = self.chat().filter_map(|chunk| chunk.pointer_mut("/choices/0/delta/content"));
        contents.filter(|content| content.is_string())
    }
}

impl Answer<Discovered> {
    /// The object.
    fn names(&mut self) -> Option<&mut Value> {
        match &mut self.body {
            Body::Names(object) => Some(object),
            _ => None,
        }
    }

    /// The entries of the models.
    fn models(&mut self) -> impl Iterator<Item = &mut Value> {
        self.names().and_then(Value::as_object_mut).into_iter().flat_map(|models| models.values_mut())
    }
}

/// Sets a member that exists.
fn set(body: Option<&mut Value>, pointer: &str, value: Value) {
    if let Some(member) = body.and_then(|body| body.pointer_mut(pointer)) {
        *member = value;
    }
}

/// Puts a body into an array.
fn wrap(body: Option<&mut Value>) {
    if let Some(body) = body {
        *body = json!([body.take()]);
    }
}
