//! Variations: what the documents leave open, varied. Every check must pass under each of them.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use assay_spec::json::MAX_INTEGER;
use serde_json::{Map, Value};

use crate::seam::Seam;

/// One thing that the documents leave open.
#[derive(Clone, Copy, Debug)]
pub struct Variation {
    /// Its name, such as `wire.json-order`.
    pub name: &'static str,
    /// What is done differently.
    pub about: &'static str,
    /// Where it acts, with its code.
    pub seam: Seam,
}

impl Variation {
    /// A variation of the wire format, which the core applies.
    const fn wire(name: &'static str, about: &'static str) -> Variation {
        Variation { name, about, seam: Seam::Wire }
    }
}

/// A service's table of variations: `"name" => "what is done differently", seam |value: &mut Type| code;`.
macro_rules! variations {
    ($($name:literal => $about:literal, $seam:ident |$value:ident: &mut $type:ty| $code:expr;)*) => {
        &[$(Variation { name: $name, about: $about, seam: $crate::seam::seam!($seam ($value, $type, $code)) }),*]
    };
}
pub(crate) use variations;

/// JSON objects with their members in another order.
pub const JSON_ORDER: Variation =
    Variation::wire("wire.json-order", "members of JSON objects are in reverse order");
/// JSON objects with an undocumented member.
pub const JSON_EXTRA: Variation = Variation::wire("wire.json-extra", "JSON objects have an extra member");
/// The name of the undocumented member.
const EXTRA: &str = "extra";
/// JSON whose integers have a fraction.
pub const JSON_FRACTION: Variation =
    Variation::wire("wire.json-fraction", "integers in JSON bodies are written with a fraction, as `7.0`");
/// JSON with whitespace.
pub const JSON_SPACE: Variation = Variation::wire("wire.json-space", "JSON bodies contain whitespace");
/// JSON with a charset parameter.
pub const JSON_CHARSET: Variation =
    Variation::wire("wire.json-charset", "JSON bodies have the type `application/json; charset=utf-8`");
/// Media types in another case.
pub const MEDIA_CASE: Variation =
    Variation::wire("wire.media-case", "media types are in another case, as `Application/JSON`");
/// The media type of problem details.
pub const PROBLEM_JSON: Variation =
    Variation::wire("wire.problem-json", "JSON errors have the type `application/problem+json`");
/// Plain text with a charset parameter.
pub const TEXT_CHARSET: Variation =
    Variation::wire("wire.text-charset", "plain text has the type `text/plain; charset=utf-8`");
/// Different error messages.
pub const PROSE: Variation = Variation::wire("wire.prose", "error messages are worded differently");
/// Bodies in small chunks.
pub const CHUNKS: Variation = Variation::wire("wire.chunks", "bodies are sent in chunks of seven bytes");
/// Further response headers.
pub const HEADERS: Variation = Variation::wire("wire.headers", "responses have extra headers");
/// No `Date` header.
pub const NO_DATE: Variation = Variation::wire("wire.no-date", "responses have no Date header");

/// The variations of the wire format, which all services share.
pub const WIRE: &[Variation] = &[
    JSON_ORDER,
    JSON_EXTRA,
    JSON_FRACTION,
    JSON_SPACE,
    JSON_CHARSET,
    MEDIA_CASE,
    PROBLEM_JSON,
    TEXT_CHARSET,
    PROSE,
    CHUNKS,
    HEADERS,
    NO_DATE,
];

/// The active variations, and those consulted so far.
#[derive(Clone, Debug, Default)]
pub struct Variations {
    active: BTreeMap<&'static str, Seam>,
    consulted: Consulted,
}

impl Variations {
    /// Activates exactly these.
    pub fn set(&mut self, variations: impl IntoIterator<Item = Variation>) {
        self.active = variations.into_iter().map(|variation| (variation.name, variation.seam)).collect();
    }

    /// Whether `variation` is active. The only way to query it, so that a variation never consulted has changed
    /// nothing.
    pub(crate) fn varies(&self, variation: Variation) -> bool {
        self.consulted.note(variation.name);
        !self.active.is_empty() && self.active.contains_key(variation.name)
    }

    /// Edits a value that passes a seam; `consulted` names the variations that edit its type.
    pub(crate) fn edit<T: Any>(&self, consulted: &[&'static str], value: &mut T) {
        for name in consulted {
            self.consulted.note(name);
        }
        for edit in self.active.values().filter_map(Seam::edit) {
            edit.apply(value);
        }
    }

    /// The names of the active variations.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.active.keys().copied()
    }

    /// The names of the variations consulted so far, in alphabetical order.
    pub fn consulted(&self) -> BTreeSet<&'static str> {
        self.consulted.lock().iter().copied().collect()
    }

    /// The media type of a JSON body.
    pub(crate) fn json_type(&self, status: u16) -> &'static str {
        let has_charset = self.varies(JSON_CHARSET);
        match (status >= 400 && self.varies(PROBLEM_JSON), has_charset) {
            (false, false) => "application/json",
            (false, true) => "application/json; charset=utf-8",
            (true, false) => "application/problem+json",
            (true, true) => "application/problem+json; charset=utf-8",
        }
    }

    /// The media type of plain text.
    pub(crate) fn text_type(&self) -> &'static str {
        if self.varies(TEXT_CHARSET) { "text/plain; charset=utf-8" } else { "text/plain" }
    }

    /// A media type as it is sent. Its names have no case (RFC 9110, 8.3.1); the values of its parameters may have one.
    pub(crate) fn media_type(&self, name: &str) -> Option<String> {
        let is_varied = self.varies(MEDIA_CASE);
        is_varied.then(|| {
            let (name, parameters) = name.split_at(name.find(';').unwrap_or(name.len()));
            let (first, second) = name.split_once('/').unwrap_or((name, ""));
            let (initial, rest) = first.split_at(first.len().min(1));
            format!("{}{rest}/{}{parameters}", initial.to_uppercase(), second.to_uppercase())
        })
    }

    /// The bytes of a JSON body, with the JSON variations applied.
    pub fn json(&self, value: Value) -> Vec<u8> {
        let varied = [JSON_EXTRA, JSON_ORDER, JSON_FRACTION].map(|variation| self.varies(variation));
        self.write(&if varied.contains(&true) { self.vary(value) } else { value })
    }

    /// The bytes of a JSON object whose members are names: as [`Variations::json`], without the extra member.
    pub fn json_names(&self, value: Value) -> Vec<u8> {
        self.write(&self.vary_names(value))
    }

    /// An object whose members are names, varied without the extra member.
    fn vary_names(&self, value: Value) -> Value {
        let mut value = self.vary(value);
        if let Some(members) = value.as_object_mut() {
            members.shift_remove(EXTRA);
        }
        value
    }

    fn write(&self, value: &Value) -> Vec<u8> {
        let written = if self.varies(JSON_SPACE) {
            serde_json::to_vec_pretty(value)
        } else {
            serde_json::to_vec(value)
        };
        written.expect("a JSON value is always written")
    }

    fn vary(&self, value: Value) -> Value {
        match value {
            Value::Object(members) => {
                // Content that a signature covers stays as it was signed.
                let is_signed = members.get("signature").is_some_and(Value::is_string);
                // The aggregates of an address, by name, and the content of one: what was written.
                let is_of_address = members.contains_key("address");
                let varied = |(key, value): (String, Value)| {
                    let varied = match key.as_str() {
                        "content" if is_signed => value,
                        "data" | "content" if is_of_address => self.vary_names(value),
                        _ => self.vary(value),
                    };
                    (key, varied)
                };
                let mut members: Vec<(String, Value)> = members.into_iter().map(varied).collect();
                if self.varies(JSON_EXTRA) {
                    members.push((EXTRA.to_owned(), Value::Array(vec![Value::Null, Value::from(1)])));
                }
                if self.varies(JSON_ORDER) {
                    members.reverse();
                }
                Value::Object(members.into_iter().collect::<Map<_, _>>())
            }
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.vary(item)).collect()),
            Value::Number(number) if self.varies(JSON_FRACTION) => {
                // Larger integers would be other numbers.
                let exact = number.as_i64().filter(|integer| (-MAX_INTEGER..=MAX_INTEGER).contains(integer));
                exact.map_or(Value::Number(number), |integer| Value::from(integer as f64))
            }
            other => other,
        }
    }
}

/// The variations consulted. Consulting changes nothing visible, so it needs no mutable world. A copy of a world
/// starts with the names of its origin, and each records separately. A list: it is short, is searched often, and
/// almost always has the name already.
#[derive(Debug, Default)]
struct Consulted(Mutex<Vec<&'static str>>);

impl Consulted {
    fn note(&self, name: &'static str) {
        let mut names = self.lock();
        // A name is usually one constant, so that comparing addresses suffices; equal strings elsewhere are found by
        // their bytes.
        let is_known = names.iter().any(|known| std::ptr::eq(*known, name));
        if !is_known && !names.contains(&name) {
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
    fn consulted_variations_are_recorded_active_or_not_and_a_copy_records_separately() {
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
    fn media_types_vary_by_status_and_case() {
        let mut variations = Variations::default();
        assert_eq!((variations.json_type(400), variations.text_type()), ("application/json", "text/plain"));
        assert_eq!(variations.media_type("text/html"), None);
        variations.set([JSON_CHARSET, MEDIA_CASE, PROBLEM_JSON, TEXT_CHARSET]);
        assert_eq!(variations.json_type(200), "application/json; charset=utf-8");
        assert_eq!(variations.json_type(404), "application/problem+json; charset=utf-8");
        assert_eq!(variations.text_type(), "text/plain; charset=utf-8");
        let varied = variations.media_type(variations.json_type(200));
        assert_eq!(varied.as_deref(), Some("Application/JSON; charset=utf-8"));
    }

    #[test]
    fn maps_of_names_get_no_extra_member() {
        let mut variations = Variations::default();
        variations.set([JSON_EXTRA]);
        let members = |json: Vec<u8>| -> Value { serde_json::from_slice(&json).expect("JSON") };
        let of_address = members(variations.json(serde_json::json!({ "address": "0x1", "data": {} })));
        assert_eq!(of_address["data"], serde_json::json!({}), "the aggregates of an address");
        assert!(of_address.get(EXTRA).is_some(), "{of_address}");
        let empty =
            members(variations.json(serde_json::json!({ "address": "0x1", "key": "k", "content": {} })));
        assert_eq!(empty["content"], serde_json::json!({}), "an aggregate that was never written");
        let other = members(variations.json(serde_json::json!({ "data": {} })));
        assert!(other["data"].get(EXTRA).is_some(), "{other}");
        assert_eq!(members(variations.json_names(serde_json::json!({}))), serde_json::json!({}));
    }

    #[test]
    fn json_consults_every_variation_that_would_change_it() {
        let variations = Variations::default();
        variations.json(serde_json::json!({ "a": [{}] }));
        let all = BTreeSet::from(
            [JSON_EXTRA, JSON_ORDER, JSON_FRACTION, JSON_SPACE].map(|variation| variation.name),
        );
        assert_eq!(variations.consulted(), all);
    }
}
