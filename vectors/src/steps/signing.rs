//! The intermediate values between a message and its signature.

use assay_spec::Strict;
use assay_spec::crypto::eip191;
use assay_spec::crypto::keccak::keccak256;
use assay_spec::crypto::text::{hex, parse_prefixed_hex};
use assay_spec::network::signing::canonical;
use serde_json::Value;

use super::text;
use crate::case::Step;
use crate::edit::content;

pub(crate) fn keccak(input: &Value) -> Vec<Step> {
    let length = content(&input["data"]).unwrap_or_default().len();
    // The padding takes at least one byte.
    let blocks = length / RATE + 1;
    vec![text("length of the data", &length.to_string()), text("blocks of 136 bytes", &blocks.to_string())]
}

pub(crate) fn personal(input: &Value) -> Vec<Step> {
    of_message(&content(&input["message"]).unwrap_or_default())
}

pub(crate) fn public_key(input: &Value) -> Vec<Step> {
    let key = input["public_key"].as_str().and_then(parse_prefixed_hex).unwrap_or_default();
    let hashed = key.get(1..).unwrap_or_default();
    vec![bytes("Keccak-256 of the key without its first byte", &keccak256(hashed))]
}

pub(crate) fn record(input: &Value) -> Vec<Step> {
    let text_of = canonical(input["message_json"].as_str().unwrap_or_default(), &mut Strict);
    let canonical = text_of.unwrap_or_default();
    let digest = keccak256(canonical.as_bytes());
    let length = text("length of the canonical JSON", &canonical.len().to_string());
    let whole = [text("canonical JSON", &canonical), length, bytes("Keccak-256 of it", &digest)];
    [whole.to_vec(), of_message(&digest)].concat()
}

pub(crate) fn request(input: &Value) -> Vec<Step> {
    of_message(input["message_json"].as_str().unwrap_or_default().as_bytes())
}

pub(crate) fn response(input: &Value) -> Vec<Step> {
    let member = |pointer: &str| {
        let found = input["body"].pointer(pointer);
        text(&pointer[1..].replace('/', "."), &found.map_or_else(|| "none".to_owned(), Value::to_string))
    };
    vec![
        text("HTTP status", &input["http_status"].to_string()),
        member("/status"),
        member("/message/type"),
        member("/message/content/item_hash"),
    ]
}

/// Bytes per block of the sponge.
const RATE: usize = 136;

fn of_message(message: &[u8]) -> Vec<Step> {
    let prefix = format!("{}{}", eip191::PREFIX, message.len());
    vec![bytes("prefix", prefix.as_bytes()), bytes("digest that is signed", &eip191::digest(message))]
}

fn bytes(name: &str, bytes: &[u8]) -> Step {
    Step::Hex { name: name.to_owned(), hex: hex(bytes) }
}
