//! `POST /api/vf-cli/publish/submit` (document 3).

use serde_json::{Map, Value, json};

use crate::crypto::text::{parse_base64, parse_hex};
use crate::endpoint::endpoint;
use crate::json::shown;
use crate::publish::requirements::submit::{FIELDS, SIGNATURE, SIGNATURE_FORM};
use crate::publish::shapes;
use crate::shape::{Body, Field, Form, Reply, ShapeKind, may, must};
use crate::{Refused, Rules};

/// The members of the body, for OpenAPI.
const REQUEST: &[Field] = &[
    must("prepareId", ShapeKind::Text),
    must("signature", ShapeKind::Text),
    may("op", ShapeKind::OneOf(&["accept"])),
];

endpoint! {
    /// Submits the client's signature over the prepared message.
    Publish ENDPOINT "submit" "POST" "/api/vf-cli/publish/submit"
    VfKey [200, 400, 404, 409, 410, 413, 429, 502, 503]
    "document 3, POST /api/vf-cli/publish/submit";
    group: "Exchange",
    note: "Returns once the transaction is confirmed, which can take about three minutes.",
    body: Body::Json(REQUEST),
    reply: Reply::Json(ShapeKind::Object(&[must("signature", ShapeKind::Form(Form::Base58))])),
    row: Some(&SIGNATURE),
    errors: shapes::SUBMIT_ERRORS,
}

/// The words in the error of a 410 after which the transaction can still land.
pub const SAFETY_CEILING: &str = "safety ceiling";

/// `prepareId` and `signature` as strings.
pub fn fields<'a>(
    body: &'a Map<String, Value>,
    rules: &mut dyn Rules,
) -> Result<(&'a str, &'a str), Refused> {
    let mut read = |key: &str| {
        let sent = body.get(key);
        let text = sent.and_then(Value::as_str);
        let holds = text.is_some_and(|text| key == "signature" || !text.is_empty());
        rules.require_value(&FIELDS, sent, None, holds, || format!("{key} is {}", shown(sent)))?;
        // Lenient: finds the string in a list or an object.
        let inner = || sent.and_then(|sent| sent.get(0).or_else(|| sent.get("value"))?.as_str());
        Ok(text.or_else(inner).unwrap_or_default())
    };
    Ok((read("prepareId")?, read("signature")?))
}

/// The bytes of `signature`.
pub fn signature(text: &str, rules: &mut dyn Rules) -> Result<[u8; 64], Refused> {
    rules.parse_value(
        &SIGNATURE_FORM,
        &json!(text),
        None,
        || {
            parse_base64(text)
                .and_then(|bytes| bytes.try_into().ok())
                .ok_or_else(|| "not standard base64 of 64 bytes".to_owned())
        },
        || any_signature(text).ok_or_else(|| "not base64 of 64 bytes or more".to_owned()),
    )
}

/// Lenient: accepts hex, the other alphabet, missing padding, spaces and quotation marks, and truncates what is too long.
fn any_signature(text: &str) -> Option<[u8; 64]> {
    if text.len() == 128
        && let Some(bytes) = parse_hex(text)
    {
        return bytes.try_into().ok();
    }
    let text: String =
        text.trim().trim_matches('"').trim_end_matches('=').replace('-', "+").replace('_', "/");
    let padding = "=".repeat((4 - text.len() % 4) % 4);
    parse_base64(&format!("{text}{padding}"))?.get(..64)?.try_into().ok()
}
