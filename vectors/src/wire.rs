//! A case's input in the protocol's form: recipes that only case files may use are expanded.
//!
//! Case files have two recipes that the protocol does not have: concatenated bytes, `{"concat": [bytes, …]}`, and
//! entries that differ only in a number, `{"numbered": [text, n], "content": bytes}`, which means n entries whose
//! paths are the text followed by 0, 1, … n-1.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::bytes;

/// The maximum number of entries in one numbered entry.
const NUMBERED_LIMIT: u64 = 100_000;

/// The input with the protocol's own recipes unchanged and all others expanded.
pub fn spell_out(input: &Value) -> Value {
    match input {
        Value::Object(members) if members.len() == 1 && members.contains_key("concat") => {
            bytes::read("concat", input)
                .map_or_else(|_| input.clone(), |bytes| json!({"b64": STANDARD.encode(bytes)}))
        }
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), spell_out(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(values) => values.iter().flat_map(entries).map(|value| spell_out(&value)).collect(),
        other => other.clone(),
    }
}

/// The entries that one entry represents.
fn entries(entry: &Value) -> Vec<Value> {
    let Some(paths) = numbered(entry) else { return vec![entry.clone()] };
    let rest = entry.as_object().into_iter().flatten().filter(|(name, _)| *name != "numbered");
    let rest: Vec<_> = rest.map(|(name, value)| (name.clone(), value.clone())).collect();
    let whole = |path: String| [("path".to_owned(), path.into())].into_iter().chain(rest.clone());
    paths.map(|path| whole(path).collect::<Map<_, _>>().into()).collect()
}

/// The paths that the entry represents, if it is a numbered one.
pub(crate) fn numbered(entry: &Value) -> Option<impl Iterator<Item = String>> {
    let [text, count] = entry.get("numbered")?.as_array()?.as_slice() else { return None };
    let (text, count) = (text.as_str()?, count.as_u64().filter(|count| *count <= NUMBERED_LIMIT)?);
    Some((0..count).map(move |n| format!("{text}{n}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_only_recipes_are_expanded() {
        let input = json!({
            "zip": {"concat": [{"hex": "00"}, {"repeat": ["ff", 2]}]},
            "entries": [{"path": "a", "content": {"utf8": "x"}}, {"numbered": ["b/", 2], "content": {"hex": ""}}],
        });
        let wire = json!({
            "zip": {"b64": "AP//"},
            "entries": [
                {"path": "a", "content": {"utf8": "x"}},
                {"path": "b/0", "content": {"hex": ""}},
                {"path": "b/1", "content": {"hex": ""}},
            ],
        });
        assert_eq!(spell_out(&input), wire);
        assert_eq!(spell_out(&wire), wire);
    }

    #[test]
    fn invalid_recipes_are_left_for_the_operation_to_reject() {
        for wrong in [
            json!({"concat": [{"hex": "0"}]}),
            json!([{"numbered": ["b", -1]}]),
            json!([{"numbered": ["b", NUMBERED_LIMIT + 1]}]),
            json!([{"numbered": "b"}]),
        ] {
            assert_eq!(spell_out(&wrong), wrong);
        }
    }
}
