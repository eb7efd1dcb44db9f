//! Byte recipes: how the protocol and the files of cases write bytes in JSON.

use assay_spec::cid::Content;
use assay_spec::crypto::text::parse_base64;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The longest result of a recipe.
pub const LIMIT: usize = 1 << 30;

/// Bytes of one block of the counter stream.
const BLOCK: usize = 32;

/// Bytes as a recipe tells them; those that a rule makes are made when they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Given(Vec<u8>),
    Repeat { unit: Vec<u8>, len: usize },
    Prng { seed: String, len: usize },
}

/// Reads the bytes of the member `name`: `{"hex"}`, `{"utf8"}`, `{"b64"}`, `{"repeat": [hex, n]}`,
/// `{"prng": [seed, n]}` or, in files of cases, `{"concat": [bytes, …]}`. The error says what is wrong with the
/// member.
pub fn read(name: &str, value: &Value) -> Result<Vec<u8>, String> {
    Recipe::read(name, value).map(|recipe| recipe.to_bytes())
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
    Recipe(vec![Part::Prng { seed: seed.to_owned(), len: count }]).to_bytes()
}

impl Recipe {
    /// Reads a member as [`read`] does, and makes no bytes yet.
    pub fn read(name: &str, value: &Value) -> Result<Recipe, String> {
        let mut parts = Vec::new();
        collect(value, &mut parts).map_err(|what| format!("{name}: {what}"))?;
        let len = parts.iter().map(Part::len).try_fold(0usize, usize::checked_add);
        if len.is_some_and(|len| len <= LIMIT) {
            Ok(Recipe(parts))
        } else {
            Err(format!("{name}: longer than 1 GiB"))
        }
    }

    /// How many bytes it makes.
    pub fn size(&self) -> u64 {
        self.0.iter().map(|part| part.len() as u64).sum()
    }

    /// All of its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        if let Some(bytes) = self.as_bytes() {
            return bytes.to_vec();
        }
        let mut bytes = vec![0; self.0.iter().map(Part::len).sum()];
        let mut at = 0;
        for part in &self.0 {
            part.fill(0, &mut bytes[at..at + part.len()]);
            at += part.len();
        }
        bytes
    }
}

impl Content for Recipe {
    fn len(&self) -> u64 {
        self.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, String> {
        let mut begin = 0;
        for part in &self.0 {
            let end = begin + part.len() as u64;
            if offset < end {
                let at = (offset - begin) as usize;
                let count = buffer.len().min(part.len() - at);
                part.fill(at, &mut buffer[..count]);
                return Ok(count);
            }
            begin = end;
        }
        Ok(0)
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        match self.0.as_slice() {
            [Part::Given(bytes)] => Some(bytes),
            _ => None,
        }
    }
}

impl Part {
    fn len(&self) -> usize {
        match self {
            Part::Given(bytes) => bytes.len(),
            Part::Repeat { len, .. } | Part::Prng { len, .. } => *len,
        }
    }

    /// Fills `buffer` with the bytes from `at` on; there are enough of them.
    fn fill(&self, at: usize, buffer: &mut [u8]) {
        match self {
            Part::Given(bytes) => buffer.copy_from_slice(&bytes[at..at + buffer.len()]),
            Part::Repeat { unit, .. } => {
                let (mut rest, mut skip) = (buffer, at % unit.len().max(1));
                while !rest.is_empty() {
                    let count = rest.len().min(unit.len() - skip);
                    rest[..count].copy_from_slice(&unit[skip..skip + count]);
                    rest = &mut rest[count..];
                    skip = 0;
                }
            }
            Part::Prng { seed, .. } => {
                let seeded = Sha256::new().chain_update(seed);
                let (mut counter, mut skip) = ((at / BLOCK) as u64, at % BLOCK);
                let mut rest = buffer;
                while !rest.is_empty() {
                    let block = seeded.clone().chain_update(counter.to_be_bytes()).finalize();
                    let count = rest.len().min(BLOCK - skip);
                    rest[..count].copy_from_slice(&block[skip..skip + count]);
                    rest = &mut rest[count..];
                    (counter, skip) = (counter + 1, 0);
                }
            }
        }
    }
}

fn collect(value: &Value, parts: &mut Vec<Part>) -> Result<(), &'static str> {
    let members = value.as_object().filter(|members| members.len() == 1);
    let (form, content) = members
        .and_then(|members| members.iter().next())
        .ok_or("bytes are an object of one of hex, utf8, b64, repeat, prng")?;
    let hex = |text: &str| parse_hex(text).ok_or("not hex");
    let part = match (form.as_str(), content) {
        ("hex", Value::String(text)) => Part::Given(hex(text)?),
        ("utf8", Value::String(text)) => Part::Given(text.clone().into_bytes()),
        ("b64", Value::String(text)) => Part::Given(parse_base64(text).ok_or("not padded standard base64")?),
        ("repeat", content) => {
            let (unit, count) = pair(content).ok_or("repeat is [hex, count]")?;
            let unit = hex(unit)?;
            let len = unit.len().checked_mul(count).ok_or("longer than 1 GiB")?;
            // A longer unit of the same bytes is copied faster.
            let unit = unit.repeat(1 + 4096 / unit.len().max(1));
            Part::Repeat { unit, len }
        }
        ("prng", content) => {
            let (seed, len) = pair(content).ok_or("prng is [seed, count]")?;
            Part::Prng { seed: seed.to_owned(), len }
        }
        ("concat", Value::Array(values)) => {
            return values.iter().try_for_each(|value| collect(value, parts));
        }
        _ => return Err("bytes are one of hex, utf8, b64 (texts), repeat, prng (pairs)"),
    };
    parts.push(part);
    Ok(())
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
            (json!({"repeat": ["", 9]}), vec![]),
            (json!({"prng": ["s", 0]}), vec![]),
            (json!({"concat": []}), vec![]),
            (json!({"concat": [{"hex": "07"}, {"concat": [{"repeat": ["08", 2]}]}]}), vec![7, 8, 8]),
        ] {
            assert_eq!(read("m", &recipe), Ok(bytes), "{recipe}");
        }
        assert_eq!(prng("s", 40)[..32], Sha256::digest(b"s\0\0\0\0\0\0\0\0")[..]);
        assert_eq!(prng("s", 40)[32..], Sha256::digest(b"s\0\0\0\0\0\0\0\x01")[..8]);
    }

    #[test]
    fn bytes_come_from_any_place_as_from_the_front() {
        let recipe = json!({"concat": [{"utf8": "front"}, {"repeat": ["010203", 50]}, {"prng": ["s", 99]}]});
        let recipe = Recipe::read("m", &recipe).expect("a recipe");
        let whole = recipe.to_bytes();
        assert_eq!((recipe.size(), whole.len()), (254, 254));
        for offset in 0..=260 {
            for size in [1, 7, 40, 300] {
                let mut buffer = vec![0; size];
                let count = recipe.read_at(offset, &mut buffer).expect("nothing fails");
                let rest = whole.get(offset as usize..).unwrap_or_default();
                assert!(count > 0 || rest.is_empty());
                assert!(rest.starts_with(&buffer[..count]), "{count} bytes at {offset}");
            }
        }
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
            json!({"concat": {"hex": "00"}}),
            json!({"concat": [{"hex": "0"}]}),
            json!({"concat": [{"prng": ["s", LIMIT]}, {"hex": "00"}]}),
            json!({"zip": "a"}),
        ] {
            let error = read("member", &recipe).expect_err("wrong");
            assert!(error.starts_with("member: "), "{error}");
        }
    }
}
