//! Byte recipes: how the protocol writes bytes in JSON.

use assay_spec::crypto::text::parse_base64;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The longest result of a recipe.
pub const LIMIT: usize = 1 << 30;

/// Reads the bytes of the member `name`: `{"hex"}`, `{"utf8"}`, `{"b64"}`, `{"repeat": [hex, n]}` or
/// `{"prng": [seed, n]}`. The error says what is wrong with the member.
pub fn read(name: &str, value: &Value) -> Result<Vec<u8>, String> {
    let wrong = |what: &str| format!("{name}: {what}");
    let members = value.as_object().filter(|members| members.len() == 1);
    let (form, content) = members
        .and_then(|members| members.iter().next())
        .ok_or_else(|| wrong("bytes are an object of one of hex, utf8, b64, repeat, prng"))?;
    match (form.as_str(), content) {
        ("hex", Value::String(text)) => parse_hex(text).ok_or_else(|| wrong("not hex")),
        ("utf8", Value::String(text)) => Ok(text.clone().into_bytes()),
        ("b64", Value::String(text)) => parse_base64(text).ok_or_else(|| wrong("not padded standard base64")),
        ("repeat", content) => {
            let (unit, count) = pair(content).ok_or_else(|| wrong("repeat is [hex, count]"))?;
            let unit = parse_hex(unit).ok_or_else(|| wrong("not hex"))?;
            let fits = unit.len().checked_mul(count).is_some_and(|length| length <= LIMIT);
            if fits { Ok(unit.repeat(count)) } else { Err(wrong("longer than 1 GiB")) }
        }
        ("prng", content) => {
            let (seed, count) = pair(content).ok_or_else(|| wrong("prng is [seed, count]"))?;
            if count <= LIMIT { Ok(prng(seed, count)) } else { Err(wrong("longer than 1 GiB")) }
        }
        _ => Err(wrong("bytes are one of hex, utf8, b64 (texts), repeat, prng (pairs)")),
    }
}

/// Bytes as answers write them.
pub fn hex(bytes: &[u8]) -> Value {
    json!({"hex": assay_spec::crypto::text::hex(bytes)})
}

/// Hex of either case, without prefix.
pub fn parse_hex(text: &str) -> Option<Vec<u8>> {
    base16ct::mixed::decode_vec(text).ok()
}

/// The SHA-256 counter stream of `seed`.
pub fn prng(seed: &str, count: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(count.next_multiple_of(32));
    for counter in 0u64.. {
        if out.len() >= count {
            break;
        }
        let block = Sha256::new().chain_update(seed).chain_update(counter.to_be_bytes()).finalize();
        out.extend_from_slice(&block);
    }
    out.truncate(count);
    out
}

fn pair(value: &Value) -> Option<(&str, usize)> {
    let [text, count] = value.as_array()?.as_slice() else { return None };
    Some((text.as_str()?, usize::try_from(count.as_u64()?).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe() {
        for (recipe, bytes) in [
            (json!({"hex": "00fF"}), vec![0, 255]),
            (json!({"utf8": "\u{e9}"}), vec![0xc3, 0xa9]),
            (json!({"b64": "AP8="}), vec![0, 255]),
            (json!({"repeat": ["0102", 2]}), vec![1, 2, 1, 2]),
            (json!({"prng": ["s", 0]}), vec![]),
        ] {
            assert_eq!(read("m", &recipe), Ok(bytes), "{recipe}");
        }
        assert_eq!(prng("s", 40)[..32], Sha256::digest(b"s\0\0\0\0\0\0\0\0")[..]);
        assert_eq!(prng("s", 40)[32..], Sha256::digest(b"s\0\0\0\0\0\0\0\x01")[..8]);
    }

    #[test]
    fn wrong_recipes_name_the_member() {
        for recipe in [
            json!("00"),
            json!({}),
            json!({"hex": "0"}),
            json!({"hex": "0x00"}),
            json!({"hex": 1}),
            json!({"b64": "AP8"}),
            json!({"hex": "00", "utf8": "a"}),
            json!({"repeat": ["00", -1]}),
            json!({"repeat": ["0000", LIMIT]}),
            json!({"prng": ["s", LIMIT + 1]}),
            json!({"prng": ["s"]}),
            json!({"zip": "a"}),
        ] {
            let error = read("member", &recipe).expect_err("wrong");
            assert!(error.starts_with("member: "), "{error}");
        }
    }
}
