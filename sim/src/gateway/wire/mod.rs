//! A model's answer in the formats that today's client libraries parse: reply objects and stream events.

pub(crate) mod chat;
pub(crate) mod completions;
pub(crate) mod messages;
pub(crate) mod native;
mod read;
pub(crate) mod responses;

use assay_spec::Instant;
use assay_spec::crypto::text;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::model::Answer;

/// The parts of a reply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Of<'a> {
    /// The random bytes of its ids.
    pub(crate) draw: [u8; 32],
    /// Its creation time, in seconds.
    pub(crate) created_s: i64,
    /// The model's name.
    pub(crate) model: &'a str,
    /// The model's answer.
    pub(crate) answer: &'a Answer,
    /// The request as received.
    pub(crate) body: &'a Value,
}

impl Of<'_> {
    /// A unique id: this prefix and 24 digits.
    fn id(&self, prefix: &str, n: usize) -> String {
        let mut hash = Sha256::new();
        hash.update(self.draw);
        hash.update(prefix);
        hash.update((n as u64).to_be_bytes());
        format!("{prefix}{}", &text::hex(&hash.finalize())[..24])
    }

    /// The request's value under this key, or a default.
    fn given(&self, key: &str, otherwise: Value) -> Value {
        self.body.get(key).filter(|value| !value.is_null()).cloned().unwrap_or(otherwise)
    }
}

/// An event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    /// Its name, in formats with named events.
    pub(crate) name: Option<&'static str>,
    /// Its data.
    pub(crate) data: Data,
}

impl Event {
    /// An event without a name.
    fn plain(data: Value) -> Event {
        Event { name: None, data: Data::Json(data) }
    }

    /// An event with a name, which its data repeats as its type.
    fn named(name: &'static str, mut data: Value) -> Event {
        if let Some(members) = data.as_object_mut() {
            members.shift_insert(0, "type".to_owned(), name.into());
        }
        Event { name: Some(name), data: Data::Json(data) }
    }
}

/// The data of an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    /// JSON.
    Json(Value),
    /// The end marker, in formats that have one.
    Done,
}

/// The list of models, with the members that both formats' client libraries read.
pub(crate) fn models<'a>(ids: impl Iterator<Item = &'a str>, created_s: i64) -> Value {
    let created_at = Instant(created_s * 1_000).to_string();
    let model = |id: &str| {
        json!({
            "id": id,
            "object": "model",
            "type": "model",
            "display_name": id,
            "created": created_s,
            "created_at": created_at,
            "owned_by": "assay",
        })
    };
    let data: Vec<Value> = ids.map(model).collect();
    let id = |model: Option<&Value>| model.map_or(Value::Null, |model| model["id"].clone());
    json!({
        "object": "list",
        "first_id": id(data.first()),
        "last_id": id(data.last()),
        "has_more": false,
        "data": data,
    })
}

/// The data of an error event of the chat and completions formats.
fn failure(text: &str) -> Event {
    let error = json!({ "message": text, "type": "server_error", "param": null, "code": "server_error" });
    Event::plain(json!({ "error": error }))
}

/// pieces of a JSON document, as a model would write them.
fn pieces(json: &Value) -> Vec<String> {
    super::model::split(&json.to_string()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
