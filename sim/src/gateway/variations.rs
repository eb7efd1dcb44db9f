//! What the document leaves open, varied.

use serde_json::{Value, json};

use super::call::{Call, Family};
use super::wire::{Data, Event};
use crate::core::Core;
use crate::variation::Variation;

macro_rules! variations {
    ($($name:ident $word:literal $about:literal;)*) => {
        $(
            #[doc = $about]
            pub(super) const $name: Variation = Variation::named(concat!("gateway.", $word), $about);
        )*

        /// Every variation of the gateway.
        pub(super) const ALL: &[Variation] = &[$($name),*];
    };
}

variations! {
    COOKIE_NAME "cookie-name" "the sticky cookie has another name and attributes";
    NO_COOKIE "no-cookie" "no sticky cookie is set";
    COOKIE_ALWAYS "cookie-always" "the sticky cookie is set with every response";
    ID_SHAPES "id-shapes" "ids of replies have another form";
    NO_ID "bare-replies" "replies and chunks lack id, object, created and usage";
    FINISH_REASON "finish-reason" "finish reasons are null";
    SENTINEL_ABSENT "no-sentinel" "a stream ends without a sentinel";
    STREAM_CHARSET "stream-charset" "the media type of streams has a charset";
    STREAM_CRLF "stream-crlf" "lines of a stream end in CR LF";
    STREAM_COMMENTS "stream-comments" "a stream has comments between its events";
    STREAM_FIELDS "stream-fields" "events of a stream have ids, retry times and unknown fields";
    STREAM_NO_BLANK "stream-no-blank" "no space follows the colons of a stream";
    STREAM_ONE_FRAME "stream-one-frame" "all events of a stream arrive at once";
    STREAM_SPLIT "stream-split" "frames end in the middle of events";
    STREAM_USAGE "stream-usage" "a last chunk without choices contains the usage";
    STREAM_EMPTY_DELTAS "stream-empty-deltas" "there are chunks without content between the others";
    STREAM_SLOW "stream-slow" "the frames of a stream are seconds apart";
    ERROR_EVENT "error-event" "the error event of a stream has a name and another form";
    OTHER_WORDS "other-words" "models reply with other words";
    ANSWER_LATE "answer-late" "responses take half a second";
    LIST_ORDER "list-order" "models and servers are listed in another order";
    LIST_BARE "list-bare" "the model list has only ids";
    LISTS_NEED_KEY "lists-need-key" "the model list and discovery require a key";
    SERVERS_TWICE "servers-twice" "discovery lists servers twice";
    SERVERS_SLASH "servers-slash" "URLs in discovery end in a slash";
    DISCOVERY_GROWS "discovery-extra-model" "discovery and the model list have a model that no server runs at present";
    LENIENT "lenient" "accepts what the simulator otherwise rejects by choice: unknown roles, empty conversations";
    VERSION_REQUIRED "version-required" "the messages endpoint requires its version header";
    ABSENT_404 "other-paths" "unknown paths and methods return 400";
    VALIDATION_PROSE "validation-prose" "a 422 does not name the field";
    RETRY_AFTER "retry-after" "402 and 503 have a Retry-After header";
    CHALLENGE "challenge" "a 401 has a WWW-Authenticate header";
    CHECK_BODY "check-body" "the key check returns a JSON string";
}

/// A whole reply, varied where the document leaves it open.
pub(super) fn reply(core: &Core, mut body: Value) -> Value {
    vary(core, &mut body);
    body
}

/// The request's body, as the reply writer sees it.
pub(super) fn asked(core: &Core, call: &Call) -> Value {
    let mut body = (*call.body).clone();
    if core.varies(STREAM_USAGE) && body.is_object() {
        body["stream_options"] = json!({ "include_usage": true });
    }
    body
}

/// The events of a stream, varied where the document leaves it open.
pub(super) fn events(core: &Core, family: Family, events: Vec<Event>) -> Vec<Event> {
    let mut varied = Vec::new();
    for mut event in events {
        match &mut event.data {
            Data::Done if core.varies(SENTINEL_ABSENT) => continue,
            Data::Done => {}
            Data::Json(chunk) => {
                vary(core, chunk);
                if family == Family::Chat && core.varies(STREAM_EMPTY_DELTAS) {
                    let mut empty = chunk.clone();
                    empty["choices"] = json!([{ "index": 0, "delta": {}, "finish_reason": null }]);
                    varied.push(Event { name: event.name, data: Data::Json(empty) });
                }
            }
        }
        varied.push(event);
    }
    varied
}

/// The event of a stream that fails midway, varied.
pub(super) fn broken(core: &Core, event: Event) -> Event {
    if core.varies(ERROR_EVENT) {
        let data = json!({ "detail": "the server failed", "status": 503 });
        return Event { name: Some("error"), data: Data::Json(data) };
    }
    event
}

/// The name and attributes of the sticky cookie.
pub(super) fn cookie(core: &Core) -> (&'static str, &'static str) {
    if core.varies(COOKIE_NAME) {
        ("route", "Max-Age=600; SameSite=Strict; Path=/")
    } else {
        ("svc-session", "Path=/; HttpOnly")
    }
}

fn vary(core: &Core, body: &mut Value) {
    let Some(members) = body.as_object_mut() else { return };
    if core.varies(NO_ID) {
        for name in ["id", "object", "created", "created_at", "usage"] {
            members.shift_remove(name);
        }
    }
    if core.varies(ID_SHAPES) && members.contains_key("id") {
        members.insert("id".to_owned(), json!("00000000-0000-4000-8000-000000000001"));
    }
    if core.varies(FINISH_REASON)
        && let Some(choices) = members.get_mut("choices").and_then(Value::as_array_mut)
    {
        for choice in choices.iter_mut().filter_map(Value::as_object_mut) {
            choice.insert("finish_reason".to_owned(), Value::Null);
        }
    }
}
