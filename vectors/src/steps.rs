//! The intermediate values of an accepted case.

pub(crate) mod hosting;
pub(crate) mod signing;
pub(crate) mod unixfs;

use assay_spec::crypto::text::{hex, parse_base64url, sha256_hex};
use assay_spec::sse;
use serde_json::Value;

use crate::case::Step;
use crate::edit::{content, look};

pub(crate) use unixfs::{block_bytes, links_bytes};

pub(crate) fn body(input: &Value) -> Vec<Step> {
    let bytes = content(&input["body"]).unwrap_or_default();
    vec![
        text("length of the body", &bytes.len().to_string()),
        text("SHA-256 of the body", &sha256_hex(&bytes)),
    ]
}

pub(crate) fn events(input: &Value) -> Vec<Step> {
    let events = sse::events(&content(&input["body"]).unwrap_or_default());
    let names = events.iter().filter_map(|event| event.name.as_deref());
    vec![
        text("events", &events.len().to_string()),
        text("names of events", &names.collect::<Vec<_>>().join(" ")),
        text("data of the last event", events.last().map_or("", |event| &event.data)),
    ]
}

pub(crate) fn raw_path(input: &Value) -> Vec<Step> {
    let path = content(&input["raw_path"]).unwrap_or_default();
    let last = path.windows(2).rposition(|two| two == b"//");
    let last = last.filter(|at| *at > 0).map_or_else(|| "none".to_owned(), |at| at.to_string());
    vec![text("path", &String::from_utf8_lossy(&path)), text("place of the last two slashes", &last)]
}

pub(crate) fn members(document: &Value) -> String {
    let names: Vec<&str> =
        document.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    names.join(" ")
}

pub(crate) fn domain(domain: &Value) -> Vec<Step> {
    let domain = domain.as_str().unwrap_or_default();
    let labels: Vec<String> = domain.split('.').map(|label| label.len().to_string()).collect();
    vec![text("lengths of the labels", &labels.join(" ")), text("length", &domain.len().to_string())]
}

pub(crate) fn header(header: &Value, input: &Value) -> Vec<Step> {
    let encoded = header.as_str().and_then(|header| header.split_once(' ')).map_or("", |(_, parts)| parts);
    let (message, signature) = encoded.split_once('.').unwrap_or_default();
    let [message, signature] = [message, signature].map(|part| parse_base64url(part).unwrap_or_default());
    let body = content(&input["body"]).unwrap_or_default();
    vec![
        text("SHA-256 of the body", &sha256_hex(&body)),
        text("signed message", &String::from_utf8_lossy(&message)),
        Step::Hex { name: "signature".to_owned(), hex: hex(&signature) },
    ]
}

pub(crate) fn message(member: &Value) -> Vec<Step> {
    let bytes = content(member).unwrap_or_default();
    let part = |path: &str| {
        look(&serde_json::json!({"message": member}), &format!("/in/message/{path}")).unwrap_or_default()
    };
    let accounts = part("accounts");
    let accounts: Vec<&str> = accounts.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    vec![
        text("header", &part("header").to_string()),
        text("accounts", &accounts.join(" ")),
        text("blockhash", part("blockhash").as_str().unwrap_or_default()),
        text("length of the message", &bytes.len().to_string()),
        text("SHA-256 of the message", &sha256_hex(&bytes)),
    ]
}

pub(crate) fn utf8(name: &str, member: &Value) -> Step {
    text(name, &String::from_utf8_lossy(&content(member).unwrap_or_default()))
}

pub(crate) fn text(name: &str, text: &str) -> Step {
    Step::Text { name: name.to_owned(), text: text.to_owned() }
}
