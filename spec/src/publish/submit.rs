//! `POST /api/vf-cli/publish/submit` (document 3).

use serde_json::{Map, Value};

use crate::crypto::text::parse_base64;
use crate::endpoint::endpoint;
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
    let [id, signature] = ["prepareId", "signature"].map(|key| body.get(key).and_then(Value::as_str));
    let given = id.is_some_and(|id| !id.is_empty()) && signature.is_some();
    rules.require(&FIELDS, given, || "prepareId or signature is missing".to_owned())?;
    Ok((id.unwrap_or_default(), signature.unwrap_or_default()))
}

/// The bytes of `signature`.
pub fn signature(text: &str, rules: &mut dyn Rules) -> Result<[u8; 64], Refused> {
    rules.parse(
        &SIGNATURE_FORM,
        || {
            parse_base64(text)
                .and_then(|bytes| bytes.try_into().ok())
                .ok_or_else(|| "not standard base64 of 64 bytes".to_owned())
        },
        || {
            // Lenient: accepts the other alphabet and missing padding, and truncates what is too long.
            let text: String = text.trim_end_matches('=').replace('-', "+").replace('_', "/");
            let padding = "=".repeat((4 - text.len() % 4) % 4);
            parse_base64(&format!("{text}{padding}"))
                .and_then(|bytes| bytes.get(..64)?.try_into().ok())
                .ok_or_else(|| "not base64 of 64 bytes or more".to_owned())
        },
    )
}
