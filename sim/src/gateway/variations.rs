//! What the document leaves open, varied. Each entry has its code at one seam.

use std::collections::VecDeque;
use std::sync::Arc;

use assay_spec::gateway::requirements::{discovery, errors, messages, payment};
use bytes::Bytes;
use http::HeaderValue;
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::{Value, json};

use super::call::{Family, Lenient};
use super::discovery::{AdmitToLists, Discovered, Listing, ModelList};
use super::infer::CheckVersion;
use super::keys::{self, KeyState, Presented};
use super::limits::Limits;
use super::payment::{Checked, TakePayment};
use super::pool::{Cookie, IDLE, MODELS, Models};
use super::refusal::Rejected;
use super::servers::{self, Asked, Document, Events, RunModel, SetCookie, send_cookie};
use super::stream::{ErrorEvent, EventLines, Frames, LastWords, MediaType};
use super::wire::{Data, Event};
use crate::refusal::Refusal;
use crate::rng::Rng;
use crate::seam::{Answer, Body};
use crate::variation::{Variation, variations};

/// Every variation of the gateway.
pub(super) const ALL: &[Variation] = variations! {
    "gateway.cookie-name" => "the sticky cookie has another name and attributes",
        step |s: &mut Cookie| (s.name, s.attributes) = ("route", "Max-Age=600; SameSite=Strict; Path=/");
    "gateway.no-cookie" => "no sticky cookie is set", step |s: &mut SetCookie| s.0 = |_, _, _, _| ();
    "gateway.cookie-always" => "the sticky cookie is set with every response",
        step |s: &mut SetCookie| s.0 = |core, server, _, headers| send_cookie(core, server, headers);
    "gateway.id-shapes" => "ids of replies have another form", step |s: &mut Document| {
        if let Some(id) = s.0.get_mut("id") {
            *id = json!("00000000-0000-4000-8000-000000000001");
        }
    };
    "gateway.bare-replies" => "replies and chunks lack id, object, created and usage",
        step |s: &mut Document| {
            for name in ["id", "object", "created", "created_at", "usage"] {
                s.0.as_object_mut().map(|members| members.shift_remove(name));
            }
        };
    "gateway.finish-reason" => "finish reasons are null", step |s: &mut Document| {
        let choices = s.0.get_mut("choices").and_then(Value::as_array_mut).into_iter().flatten();
        choices.filter_map(Value::as_object_mut).for_each(|choice| {
            choice.insert("finish_reason".to_owned(), Value::Null);
        });
    };
    "gateway.no-sentinel" => "a stream ends without a sentinel",
        step |s: &mut Events| s.list.retain(|event| event.data != Data::Done);
    "gateway.sentinel-twice" => "the sentinel comes twice, and an event without choices after it", step |s: &mut Events| {
        if s.list.last().is_some_and(|event| event.data == Data::Done) {
            let after = Data::Json(json!({ "usage": { "total_tokens": 7 } }));
            s.list.extend([Data::Done, after].map(|data| Event { name: None, data }));
        }
    };
    "gateway.stream-charset" => "the media type of streams has a charset",
        step |s: &mut MediaType| s.name = "text/event-stream; charset=utf-8";
    "gateway.stream-crlf" => "lines of a stream end in CR LF", step |s: &mut EventLines| s.end = "\r\n";
    "gateway.stream-comments" => "a stream has comments between its events",
        step |s: &mut EventLines| s.lines.insert(0, ("", "keep-alive".to_owned()));
    "gateway.stream-fields" => "events of a stream have ids, retry times and unknown fields",
        step |s: &mut EventLines| {
            let fields = [("id", s.n.to_string()), ("retry", "3000".to_owned()), ("trace", "none".to_owned())];
            let named = s.lines.iter().position(|(name, _)| !name.is_empty()).unwrap_or_default();
            s.lines.splice(named..named, fields);
        };
    "gateway.stream-no-blank" => "no space follows the colons of a stream",
        step |s: &mut EventLines| s.blank = "";
    "gateway.stream-one-frame" => "all events of a stream arrive at once",
        step |s: &mut Frames| s.0 = VecDeque::from([s.bytes()]);
    "gateway.stream-split" => "frames end in the middle of events", step |s: &mut Frames| {
        let all = s.bytes();
        s.0 = (0..all.len()).step_by(97).map(|at| all.slice(at..all.len().min(at + 97))).collect();
    };
    "gateway.stream-usage" => "a last chunk without choices contains the usage", step |s: &mut Asked| {
        if s.0.is_object() {
            Arc::make_mut(&mut s.0)["stream_options"] = json!({ "include_usage": true });
        }
    };
    "gateway.stream-empty-deltas" => "there are chunks without content between the others",
        step |s: &mut Events| {
            if s.family == Family::Chat {
                let events = s.list.drain(..).flat_map(|event| [empty_delta(&event), Some(event)]);
                s.list = events.flatten().collect();
            }
        };
    "gateway.stream-slow" => "the frames of a stream are seconds apart",
        limits |l: &mut Limits| l.frame_ms += 2_000;
    "gateway.error-event" => "the error event of a stream has a name and another form",
        step |s: &mut ErrorEvent| {
            let data = json!({ "detail": "the server failed", "status": 503 });
            s.0 = Event { name: Some("error"), data: Data::Json(data) };
        };
    "gateway.error-chunk" => "the error event of a stream has choices beside the error", step |s: &mut ErrorEvent| {
        let choices = json!([{ "index": 0, "delta": { "content": "" }, "finish_reason": "error" }]);
        let data = json!({ "choices": choices, "error": { "code": 502, "message": "the server failed" } });
        s.0 = Event { name: None, data: Data::Json(data) };
    };
    "gateway.error-then-end" => "the sentinel follows the error event of a stream",
        step |s: &mut LastWords| s.0 = [&s.0[..], b"data: [DONE]\n\n"].concat().into();
    "gateway.other-words" => "models reply with other words", step |s: &mut RunModel| {
        s.0 = |core, model, prompt, given| servers::write(Rng::new(!core.rng.seed()), model, prompt, given);
    };
    "gateway.answer-late" => "responses take half a second", limits |l: &mut Limits| l.first_byte_ms += 500;
    "gateway.list-order" => "models and servers are listed in another order", step |s: &mut Listing| {
        s.0.reverse();
        s.0.iter_mut().for_each(|(_, servers)| servers.reverse());
    };
    "gateway.list-bare" => "the model list has only ids", reply |r: &mut Answer<ModelList>| {
        let models = r["data"].as_array().into_iter().flatten();
        let bare: Vec<Value> = models.map(|model| json!({ "id": model["id"] })).collect();
        r.body = Body::Json(json!({ "data": bare }));
    };
    "gateway.list-text-only" => "the model list has no image models", reply |r: &mut Answer<ModelList>| {
        let is_of_text = |model: &Value| {
            let known = MODELS.iter().find(|known| model["id"] == *known.id);
            known.is_none_or(|known| !known.traits.image)
        };
        r["data"].as_array_mut().into_iter().for_each(|data| data.retain(is_of_text));
    };
    "gateway.payments-reusable" => "a payment pays for any number of requests",
        step |s: &mut TakePayment| s.0 = |_, _, _| true;
    "gateway.payment-400" => "an invalid payment returns 400", reply |r: &mut Answer<Rejected>| {
        r.change(&payment::INVALID, 400);
    };
    "gateway.terms" => "a 402 describes the terms of a payment", reply |r: &mut Answer<Rejected>| {
        if r.status == 402 {
            r["accepts"] = json!([{ "scheme": "exact", "network": "assay" }]);
            r["x402Version"] = json!(1);
        }
    };
    "gateway.lists-need-key" => "the model list and discovery require a key", step |s: &mut AdmitToLists| {
        s.0 = |_, state, request| match keys::presented(&request.head.headers) {
            Presented::Key(key)
                if state.keys.find(key).is_some_and(|key| key.state != KeyState::Revoked) =>
            {
                Ok(())
            }
            _ => Err(Refusal::new(&discovery::PUBLIC, "no valid key")),
        };
    };
    "gateway.servers-twice" => "discovery lists servers twice",
        step |s: &mut Listing| s.0.iter_mut().for_each(|(_, servers)| servers.extend_from_within(..));
    "gateway.servers-slash" => "URLs in discovery end in a slash",
        reply |r: &mut Answer<Discovered>| r.entries(false).for_each(|entry| entry.push('/'));
    "gateway.discovery-extra-model" => "discovery and the model list have a model that no server runs",
        step |s: &mut Models| s.0.push(IDLE.clone());
    "gateway.lenient" => "accepts what the simulator rejects by choice: unknown roles, empty conversations",
        step |s: &mut Lenient| s.0 = true;
    "gateway.version-required" => "the messages endpoint requires its version header",
        step |s: &mut CheckVersion| {
            s.0 = |core, request| match request.head.headers.get(core.dialect.version_header.as_str()) {
                Some(_) => Ok(()),
                None => Err(Refusal::new(&messages::VERSION_HEADER, "no version header")),
            };
        };
    "gateway.other-paths" => "unknown paths and methods return 400", reply |r: &mut Answer<Rejected>| {
        if r.status == 405 || r.about.rule == Some(&errors::OTHER_PATHS) {
            r.status = 400;
        }
    };
    "gateway.validation-prose" => "a 422 does not name the field", reply |r: &mut Answer<Rejected>| {
        if r.about.rule.is_some() {
            r.replace(422, json!({ "detail": "validation error" }));
        }
    };
    "gateway.retry-after" => "402 and 503 have a Retry-After header", reply |r: &mut Answer<Rejected>| {
        if matches!(r.status, 402 | 503) {
            r.headers.insert(RETRY_AFTER, 1.into());
        }
    };
    "gateway.challenge" => "a 401 has a WWW-Authenticate header", reply |r: &mut Answer<Rejected>| {
        if r.status == 401 {
            r.headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
    };
    "gateway.check-body" => "the key check returns a JSON string",
        reply |r: &mut Answer<Checked>| r.body = Body::Json(json!("valid"));
};

impl Frames {
    /// All frames as one.
    fn bytes(&self) -> Bytes {
        self.0.iter().flatten().copied().collect::<Vec<u8>>().into()
    }
}

/// A chunk like this one, without content.
fn empty_delta(event: &Event) -> Option<Event> {
    let Data::Json(chunk) = &event.data else { return None };
    let mut empty = chunk.clone();
    empty["choices"] = json!([{ "index": 0, "delta": {}, "finish_reason": null }]);
    Some(Event { name: event.name, data: Data::Json(empty) })
}
