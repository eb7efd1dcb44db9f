//! Compares two inputs, independent of byte recipes and of the order of members.

use assay_spec::cid::Content;
use assay_spec::crypto::text::hex;
use multi_sha256::digests;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::bytes::Recipe;
use crate::wire::spell_out;

/// Bytes up to this length are compared by value; longer ones by their recipe.
const COMPARED: u64 = 256 << 20;
/// The size of a part of them, in bytes.
const PART_BYTES: usize = 1 << 14;
/// How many parts are hashed together.
const PARTS: usize = 16;

/// A string that is equal for two inputs if the operation treats them the same: absent and null members are equal,
/// and so are recipes of the same bytes. Inside a member, order and nulls count, because records are signed with
/// both.
pub fn canonical_input(input: &Value) -> String {
    let Value::Object(members) = spell_out(input) else { return input.to_string() };
    let mut members: Vec<(String, Value)> =
        members.into_iter().filter(|(_, value)| !value.is_null()).collect();
    members.sort_by(|(a, _), (b, _)| a.cmp(b));
    Value::Object(members.into_iter().map(|(name, value)| (name, bytes_as_hashes(value))).collect())
        .to_string()
}

fn bytes_as_hashes(value: Value) -> Value {
    match value {
        Value::Object(members) => match Recipe::read("", &Value::Object(members.clone())) {
            Ok(recipe) if recipe.size() <= COMPARED => json!({"bytes": hash(&recipe)}),
            _ => members
                .into_iter()
                .map(|(name, value)| (name, bytes_as_hashes(value)))
                .collect::<Map<_, _>>()
                .into(),
        },
        Value::Array(values) => values.into_iter().map(bytes_as_hashes).collect(),
        other => other,
    }
}

/// The hash of the digests of all parts: several parts are hashed faster than one.
fn hash(recipe: &Recipe) -> String {
    let (mut hasher, mut at, mut buffer) = (Sha256::new(), 0, vec![0; PARTS * PART_BYTES]);
    loop {
        let mut filled = 0;
        while let Ok(count @ 1..) = recipe.read_at(at, &mut buffer[filled..]) {
            filled += count;
            at += count as u64;
        }
        if filled == 0 {
            return hex(&hasher.finalize());
        }
        let parts: Vec<&[u8]> = buffer[..filled].chunks(PART_BYTES).collect();
        for digest in digests(&parts) {
            hasher.update(digest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_does_not_depend_on_where_the_parts_of_a_recipe_end() {
        let of = |recipe: Value| hash(&Recipe::read("a", &recipe).expect("a recipe"));
        let repeat = |count: u32| json!({"repeat": ["61", count]});
        let parts = json!({"concat": [repeat(1), repeat(300_000), repeat(399_999)]});
        assert_eq!(of(parts), of(repeat(700_000)));
        assert_ne!(of(repeat(699_999)), of(repeat(700_000)));
    }

    #[test]
    fn equivalent_inputs_are_equal() {
        let of = |input: Value| canonical_input(&input);
        let one = of(json!({"a": {"hex": "6161"}, "b": null, "c": "t"}));
        for same in [
            json!({"c": "t", "a": {"utf8": "aa"}}),
            json!({"a": {"repeat": ["61", 2]}, "c": "t"}),
            json!({"a": {"b64": "YWE="}, "c": "t"}),
            json!({"a": {"concat": [{"hex": "61"}, {"utf8": "a"}]}, "c": "t"}),
        ] {
            assert_eq!(of(same), one);
        }
        for other in [json!({"a": {"hex": "6162"}, "c": "t"}), json!({"a": {"hex": "6161"}, "c": "T"})] {
            assert_ne!(of(other), one);
        }
        // A record is signed with its members in their order.
        assert_ne!(of(json!({"r": {"a": 1, "b": 2}})), of(json!({"r": {"b": 2, "a": 1}})));
        assert_ne!(of(json!({"r": {"a": null}})), of(json!({"r": {}})));
    }
}
