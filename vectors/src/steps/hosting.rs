//! The intermediate values between keys and plaintexts of the stored records.

use assay_spec::Strict;
use assay_spec::crypto::base64::decode_lossy;
use assay_spec::crypto::ecies::{NonceLength, derive_key, key_material, shared_point, split};
use assay_spec::crypto::eip191;
use assay_spec::crypto::secp256k1::{PublicKey, SigningKey, key_from_secret};
use assay_spec::crypto::text::{hex, parse_prefixed_hex, sha256_hex};
use assay_spec::hosting::key_e::digest;
use serde_json::Value;

use super::text;
use crate::case::Step;
use crate::edit::content;

pub(crate) fn base64(input: &Value, ok: &Value) -> Vec<Step> {
    let read = input["text"].as_str().unwrap_or_default();
    let digits = read.trim_end_matches('=').len();
    let length = content(&ok["bytes"]).unwrap_or_default().len();
    vec![
        text("characters of the alphabet", &digits.to_string()),
        text("characters of padding", &(read.len() - digits).to_string()),
        text("bits that hold nothing", &(digits * 6 - length * 8).to_string()),
    ]
}

pub(crate) fn derive(input: &Value, ok: &Value) -> Vec<Step> {
    let message = input["derivation_text"].as_str().unwrap_or_default();
    let prefix = format!("{}{}", eip191::PREFIX, message.len());
    let signature = content(&ok["signature"]).unwrap_or_default();
    vec![
        text("characters of the text", &message.chars().count().to_string()),
        text("length of the text", &message.len().to_string()),
        bytes("prefix", prefix.as_bytes()),
        bytes("digest that is signed", &digest(message, &mut Strict)),
        bytes("r", &signature[..32]),
        bytes("s", &signature[32..64]),
        bytes("v", &signature[64..]),
    ]
}

pub(crate) fn encrypt(input: &Value, ok: &Value) -> Vec<Step> {
    let wrapped = content(&ok["ciphertext"]).unwrap_or_default();
    sent(&input["public_key"], input, &wrapped, "")
}

pub(crate) fn decrypt(input: &Value) -> Vec<Step> {
    let layout = if input["nonce_length"] == 12 { NonceLength::Twelve } else { NonceLength::Sixteen };
    received(input, &content(&input["ciphertext"]).unwrap_or_default(), layout, "")
}

pub(crate) fn seal(input: &Value, sealed: &Value) -> Vec<Step> {
    let mut steps = cipher(sealed);
    for (name, recipient) in input["deks"].as_object().into_iter().flatten() {
        let wrapped = base64_member(&sealed["deks"][name]);
        steps.extend(sent(&recipient["public_key"], recipient, &wrapped, &format!("deks.{name}: ")));
    }
    steps
}

pub(crate) fn open(input: &Value, envelope: &Value) -> Vec<Step> {
    let name = input["dek"].as_str().unwrap_or_default();
    let wrapped = base64_member(&envelope["deks"][name]);
    let layout = NonceLength::of_length(wrapped.len(), 32);
    let mut steps = vec![text("version", &envelope["v"].to_string())];
    steps.extend(received(input, &wrapped, layout, &format!("deks.{name}: ")));
    steps.extend(unwrapped(input, &wrapped, layout));
    [steps, cipher(envelope)].concat()
}

pub(crate) fn open_bundle(input: &Value, ok: &Value) -> Vec<Step> {
    let file = content(&input["bundle"]).unwrap_or_default();
    let envelope: Value = serde_json::from_slice(&file).unwrap_or_default();
    let tarball = content(&ok["tarball"]).unwrap_or_default();
    let hashes = vec![
        text("SHA-256 of the file", &sha256_hex(&file)),
        text("SHA-256 of ct, which is not compared", &sha256_hex(&base64_member(&envelope["ct"]))),
        text("SHA-256 of the tarball, which is not compared", &sha256_hex(&tarball)),
    ];
    [hashes, open(input, &envelope)].concat()
}

/// For every amend, its time and the message it amends.
pub(crate) fn chain(input: &Value) -> Vec<Step> {
    let brief = |hash: &Value| hash.as_str().unwrap_or_default().chars().take(8).collect::<String>();
    let mut steps = vec![text("creation", &brief(&input["creation"]))];
    for message in input["messages"].as_array().into_iter().flatten() {
        let content = &message["content"];
        if !content["ref"].is_null() {
            let name = format!("{} at {}", brief(&message["item_hash"]), content["time"]);
            steps.push(text(&name, &format!("amends {}", brief(&content["ref"]))));
        }
    }
    steps
}

/// The chain of amends, and the lookups that each node receives.
pub(crate) fn history(input: &Value, ok: &Value) -> Vec<Step> {
    let brief = |hash: &Value| hash.as_str().unwrap_or_default().chars().take(8).collect::<String>();
    let mut steps: Vec<Step> = chain(input).split_off(1);
    for asked in ok["asked"].as_array().into_iter().flatten() {
        steps.push(text(&format!("asked of node {}", asked["node"]), &brief(&asked["hash"])));
    }
    let messages = input["messages"].as_array().map_or(0, Vec::len);
    steps.push(text("messages", &messages.to_string()));
    steps
}

/// For every claim, its time and its machine.
pub(crate) fn claims(input: &Value) -> Vec<Step> {
    let text_of = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let claims = input["claims"].as_array().into_iter().flatten();
    claims
        .map(|claim| {
            let (content, instance) = (&claim["content"], &claim["content"]["content"]["instanceHash"]);
            text(&text_of(&claim["item_hash"]), &format!("at {} for {}", content["time"], text_of(instance)))
        })
        .collect()
}

pub(crate) fn act(input: &Value) -> Vec<Step> {
    let (signer, listed) = (&input["act"]["signer"], &input["security"]["authorizations"]);
    let same = |entry: &&Value| {
        let address = |value: &Value| value.as_str().map(str::to_lowercase);
        address(&entry["address"]) == address(signer)
    };
    let own = listed.as_array().into_iter().flatten().find(same);
    vec![
        text("the owner signs", if *signer == input["owner"] { "yes" } else { "no" }),
        text("authorization", &own.map_or_else(|| "none".to_owned(), Value::to_string)),
    ]
}

pub(crate) fn record(input: &Value) -> Vec<Step> {
    let value = &input["value"];
    if let Some(identifier) = value.as_str() {
        return vec![text("characters", &identifier.chars().count().to_string())];
    }
    if !value["content"].is_null() {
        return vec![
            text("type", &value["type"].to_string()),
            text("content", &value["content"].to_string()),
        ];
    }
    vec![
        text("schemaVersion", &value["schemaVersion"].to_string()),
        text("public", &value["public"].to_string()),
    ]
}

/// The cipher's members.
fn cipher(envelope: &Value) -> Vec<Step> {
    ["iv", "tag", "ct"].map(|name| bytes(name, &base64_member(&envelope[name]))).to_vec()
}

/// The key agreement from the sender's side.
fn sent(recipient: &Value, own: &Value, wrapped: &[u8], place: &str) -> Vec<Step> {
    let nonce = content(&own["nonce"]).unwrap_or_default().len();
    let layout = if nonce == 12 { NonceLength::Twelve } else { NonceLength::Sixteen };
    let public = recipient.as_str().and_then(parse_prefixed_hex).unwrap_or_default();
    let shared = secret(&own["ephemeral_private_key"])
        .and_then(|key| shared_point(&key, &public.try_into().ok()?))
        .map(|point| *point);
    agreement(shared, wrapped, layout, place)
}

/// The key agreement from the recipient's side.
fn received(input: &Value, wrapped: &[u8], layout: NonceLength, place: &str) -> Vec<Step> {
    let parts = split(wrapped, layout);
    let shared = secret(&input["private_key"]).and_then(|key| shared_point(&key, parts?.ephemeral));
    agreement(shared.map(|point| *point), wrapped, layout, place)
}

fn agreement(shared: Option<PublicKey>, wrapped: &[u8], layout: NonceLength, place: &str) -> Vec<Step> {
    let (Some(shared), Some(parts)) = (shared, split(wrapped, layout)) else { return Vec::new() };
    let material = key_material(parts.ephemeral, &shared);
    let named = |name: &str, value: &[u8]| bytes(&format!("{place}{name}"), value);
    vec![
        named("ephemeral public key", parts.ephemeral),
        named("shared point", &shared),
        named("input of the derivation", &material),
        named("derived key", &*derive_key(&material)),
        named("nonce", parts.nonce.as_bytes()),
        named("tag", parts.tag),
        named("ciphertext", parts.ciphertext),
    ]
}

fn unwrapped(input: &Value, wrapped: &[u8], layout: NonceLength) -> Option<Step> {
    let key = secret(&input["private_key"])?;
    let dek = assay_spec::crypto::ecies::decrypt(&key, wrapped, layout).ok()?;
    Some(bytes("unwrapped key", &dek))
}

fn secret(member: &Value) -> Option<SigningKey> {
    content(member).ok().and_then(|bytes| key_from_secret(&bytes.try_into().ok()?))
}

fn base64_member(member: &Value) -> Vec<u8> {
    decode_lossy(member.as_str().unwrap_or_default())
}

fn bytes(name: &str, bytes: &[u8]) -> Step {
    Step::Hex { name: name.to_owned(), hex: hex(bytes) }
}
