//! Applies edits: makes a reject's input from its base's input.

use assay_spec::crypto::ed25519;
use assay_spec::crypto::text::parse_base64url;
use assay_spec::publish::envelope;
use assay_spec::publish::message::Message;
use assay_spec::{Dialect, Strict};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::bytes;
use crate::case::{Case, Edit, Expect};
use crate::generate::keys;
use crate::op::publish::transaction::{message_of, parts};

/// The input made from `base` by `edits`, with the members of `reseal` recomputed.
pub fn replay(base: &Case, edits: &[Edit], reseal: &[String]) -> Result<Value, String> {
    let mut case = json!({"in": base.input});
    for edit in edits {
        let path = segments(&edit.path)?;
        visit(&mut case, "", &path, &mut |member| replace(member, edit))?;
    }
    for path in reseal {
        match path.as_str() {
            SIGNATURE => sign_again(base, &mut case)?,
            // Its lengths were recomputed when the edited parts were joined.
            MESSAGE => {}
            other => return Err(format!("{other} is not a derived member")),
        }
    }
    Ok(case["in"].take())
}

/// The derived members that must be recomputed after `edits`.
pub fn stale(edits: &[Edit]) -> Vec<String> {
    let inside = |prefix: &str| edits.iter().any(|edit| edit.path.starts_with(prefix));
    let derived = [(SIGNATURE, inside("/in/authorization/message")), (MESSAGE, inside("/in/message/"))];
    derived.into_iter().filter(|(_, stale)| *stale).map(|(path, _)| path.to_owned()).collect()
}

/// The member at `path`; null if there is none.
pub fn look(input: &Value, path: &str) -> Result<Value, String> {
    let mut case = json!({"in": input});
    let mut found = Value::Null;
    visit(&mut case, "", &segments(path)?, &mut |member| {
        found = member.clone();
        Ok(())
    })?;
    Ok(found)
}

/// The bytes of a string or byte member.
pub fn content(member: &Value) -> Result<Vec<u8>, String> {
    match member {
        Value::String(text) => Ok(text.clone().into_bytes()),
        other => bytes::read("member", other),
    }
}

const SIGNATURE: &str = "/in/authorization/signature";
const MESSAGE: &str = "/in/message";

type Visit<'a> = &'a mut dyn FnMut(&mut Value) -> Result<(), String>;

fn segments(path: &str) -> Result<Vec<&str>, String> {
    let path = path.strip_prefix('/').ok_or_else(|| format!("{path:?} is not a JSON pointer"))?;
    Ok(path.split('/').collect())
}

/// Walks to a member. Header and message are split on the way in and joined on the way out.
fn visit(value: &mut Value, name: &str, path: &[&str], visitor: Visit<'_>) -> Result<(), String> {
    let Some((next, rest)) = path.split_first() else { return visitor(value) };
    if name == "authorization" && value.is_string() {
        let mut parts = open_header(value)?;
        visit(&mut parts, "", path, visitor)?;
        *value = seal_header(&parts)?;
        return Ok(());
    }
    if name == "message" && value.is_object() {
        let message = Message::decode(&content(value)?, &mut Strict).map_err(|refused| refused.why)?;
        let mut message = parts(&message);
        visit(&mut message, "", path, visitor)?;
        *value = bytes::hex(&message_of(&message)?.encode());
        return Ok(());
    }
    let child = match value {
        Value::Object(members) => members.entry((*next).to_owned()).or_insert(Value::Null),
        Value::Array(values) => next
            .parse::<usize>()
            .ok()
            .and_then(|n| values.get_mut(n))
            .ok_or_else(|| format!("element {next} does not exist"))?,
        _ => return Err(format!("{name:?} has no members")),
    };
    visit(child, next, rest, visitor)
}

fn replace(member: &mut Value, edit: &Edit) -> Result<(), String> {
    let Some(at) = edit.at else {
        if *member != edit.old {
            return Err(format!("{} is {member}, not {}", edit.path, edit.old));
        }
        member.clone_from(&edit.new);
        return Ok(());
    };
    let elsewhere = || format!("{} is not at offset {at} of {}", edit.old, edit.path);
    if let Value::Array(values) = member {
        let (Some(old), Some(new)) = (edit.old.as_array(), edit.new.as_array()) else {
            return Err(format!("{} is an array", edit.path));
        };
        let range = at..at.saturating_add(old.len());
        if values.get(range.clone()) != Some(old.as_slice()) {
            return Err(elsewhere());
        }
        values.splice(range, new.iter().cloned());
        return Ok(());
    }
    let is_text = member.is_string();
    let mut bytes = content(member)?;
    let (old, new) = (piece(&edit.old, is_text)?, piece(&edit.new, is_text)?);
    let range = at..at.saturating_add(old.len());
    if bytes.get(range.clone()) != Some(old.as_slice()) {
        return Err(elsewhere());
    }
    bytes.splice(range, new);
    if member.get("b64").is_some() {
        *member = json!({"b64": STANDARD.encode(bytes)});
        return Ok(());
    }
    *member = match String::from_utf8(bytes) {
        Ok(text) if is_text => text.into(),
        Ok(text) => bytes::hex(text.as_bytes()),
        Err(e) => bytes::hex(e.as_bytes()),
    };
    Ok(())
}

/// The bytes of a piece in an edit: the pieces of a string member are strings, those of a byte member are hex.
fn piece(value: &Value, is_text: bool) -> Result<Vec<u8>, String> {
    match value {
        Value::String(text) if is_text => Ok(text.clone().into_bytes()),
        Value::String(text) => bytes::parse_hex(text).ok_or_else(|| format!("{text:?} is not hex")),
        other => bytes::read("piece", other),
    }
}

fn open_header(header: &Value) -> Result<Value, String> {
    let read = || {
        let (message, signature) = header.as_str()?.rsplit_once(' ')?.1.split_once('.')?;
        let message = String::from_utf8(parse_base64url(message)?).ok()?;
        Some(json!({"message": message, "signature": bytes::hex(&parse_base64url(signature)?)}))
    };
    read().ok_or_else(|| format!("{header} is not an authorization header"))
}

fn seal_header(parts: &Value) -> Result<Value, String> {
    let (message, signature) = (content(&parts["message"])?, content(&parts["signature"])?);
    Ok(envelope::seal(&Dialect::default(), &message, &signature).into())
}

/// Signs the header's message again with the key of the base.
fn sign_again(base: &Case, case: &mut Value) -> Result<(), String> {
    let Expect::Accept { ok } = &base.expect else { return Err("the base is a reject".to_owned()) };
    let key = ok["key"].as_str().and_then(keys::by_address).ok_or("the base names no known key")?;
    let header = case["in"]["authorization"].as_str().unwrap_or_default();
    let encoded = header.rsplit_once(' ').and_then(|(_, parts)| parts.split_once('.'));
    let message = encoded
        .and_then(|(message, _)| parse_base64url(message))
        .ok_or("the header has no message to sign")?;
    let signature = ed25519::sign(&key, &message);
    case["in"]["authorization"] = envelope::seal(&Dialect::default(), &message, &signature).into();
    Ok(())
}
