//! Variations: what the documents leave open, varied. Every check must stay green under each of them.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

/// One thing that the documents leave open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variation {
    /// Its name, such as `wire.json-order`.
    pub name: &'static str,
    /// What is done differently.
    pub about: &'static str,
}

/// JSON objects with their members in another order.
pub const JSON_ORDER: Variation =
    Variation { name: "wire.json-order", about: "members of JSON objects in reverse" };
/// JSON objects with a member besides the documented ones.
pub const JSON_EXTRA: Variation =
    Variation { name: "wire.json-extra", about: "an extra member in JSON objects" };
/// JSON with white space.
pub const JSON_SPACE: Variation = Variation { name: "wire.json-space", about: "white space in JSON bodies" };
/// JSON with a charset parameter.
pub const JSON_CHARSET: Variation =
    Variation { name: "wire.json-charset", about: "application/json; charset=utf-8" };
/// Error texts in other words.
pub const PROSE: Variation = Variation { name: "wire.prose", about: "error texts in other words" };
/// Bodies in small chunks.
pub const CHUNKS: Variation = Variation { name: "wire.chunks", about: "bodies in chunks of seven bytes" };
/// Further response headers.
pub const HEADERS: Variation =
    Variation { name: "wire.headers", about: "response headers besides the documented ones" };
/// No `Date` header.
pub const NO_DATE: Variation = Variation { name: "wire.no-date", about: "no Date header" };

/// The variations of the wire, which every service shares.
pub const WIRE: &[Variation] =
    &[JSON_ORDER, JSON_EXTRA, JSON_SPACE, JSON_CHARSET, PROSE, CHUNKS, HEADERS, NO_DATE];

/// The variations that are active, and those that somebody has asked for.
#[derive(Clone, Debug, Default)]
pub struct Variations {
    active: BTreeSet<&'static str>,
    consulted: Consulted,
}

impl Variations {
    /// Activates exactly these.
    pub fn set(&mut self, variations: impl IntoIterator<Item = Variation>) {
        self.active = variations.into_iter().map(|variation| variation.name).collect();
    }

    /// Whether `variation` is active. The only way to ask, so that what was never consulted has changed nothing.
    pub fn varies(&self, variation: Variation) -> bool {
        self.consulted.note(variation.name);
        !self.active.is_empty() && self.active.contains(variation.name)
    }

    /// The names of the active ones.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.active.iter().copied()
    }

    /// The names of those that were asked for so far, in alphabetical order.
    pub fn consulted(&self) -> BTreeSet<&'static str> {
        self.consulted.lock().iter().copied().collect()
    }

    /// The bytes of a JSON body, with the variations of JSON.
    pub fn json(&self, value: Value) -> Vec<u8> {
        let varied = self.varies(JSON_EXTRA) || self.varies(JSON_ORDER);
        let value = if varied { self.vary(value) } else { value };
        let written = if self.varies(JSON_SPACE) {
            serde_json::to_vec_pretty(&value)
        } else {
            serde_json::to_vec(&value)
        };
        written.expect("a JSON value is always written")
    }

    fn vary(&self, value: Value) -> Value {
        match value {
            Value::Object(members) => {
                // What a signature beside it covers stays as it was signed.
                let is_signed = members.get("signature").is_some_and(Value::is_string);
                let varied = |(key, value)| {
                    let stays = is_signed && key == "content";
                    (key, if stays { value } else { self.vary(value) })
                };
                let mut members: Vec<(String, Value)> = members.into_iter().map(varied).collect();
                if self.varies(JSON_EXTRA) {
                    members.push(("extra".to_owned(), Value::Array(vec![Value::Null, Value::from(1)])));
                }
                if self.varies(JSON_ORDER) {
                    members.reverse();
                }
                Value::Object(members.into_iter().collect::<Map<_, _>>())
            }
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.vary(item)).collect()),
            other => other,
        }
    }
}

/// What was asked for. Asking changes nothing that anybody can see, so it needs no world that can be changed; a copy of a
/// world goes on from what its origin has noted, and each notes for itself. A list, since it is short, asked all the time
/// and almost always has the name already.
#[derive(Debug, Default)]
struct Consulted(Mutex<Vec<&'static str>>);

impl Consulted {
    fn note(&self, name: &'static str) {
        let mut names = self.lock();
        // A name is one constant, so that its address tells most often; equal texts elsewhere are found by their bytes.
        if !names.iter().any(|known| std::ptr::eq(*known, name) || *known == name) {
            names.push(name);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<&'static str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Consulted {
    fn clone(&self) -> Self {
        Consulted(Mutex::new(self.lock().clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_is_known_whether_it_is_taken_or_not_and_a_copy_notes_for_itself() {
        let mut variations = Variations::default();
        assert!(variations.consulted().is_empty());
        assert!(!variations.varies(PROSE));
        variations.set([CHUNKS]);
        assert!(variations.varies(CHUNKS) && !variations.varies(PROSE));
        let copy = variations.clone();
        assert!(!copy.varies(NO_DATE));
        assert_eq!(variations.consulted(), BTreeSet::from([CHUNKS.name, PROSE.name]));
        assert_eq!(copy.consulted(), BTreeSet::from([CHUNKS.name, NO_DATE.name, PROSE.name]));
    }

    #[test]
    fn json_asks_for_every_variation_that_would_change_it() {
        let variations = Variations::default();
        variations.json(serde_json::json!({ "a": [{}] }));
        let all = BTreeSet::from([JSON_EXTRA.name, JSON_ORDER.name, JSON_SPACE.name]);
        assert_eq!(variations.consulted(), all);
    }
}
