//! `POST /api/vf-cli/publish/submit` (document 3).

use serde_json::{Map, Value, json};

use crate::crypto::text::parse_base64;
use crate::endpoint::endpoint;
use crate::json::shown;
use crate::publish::mistakes::submit::{FIELDS, SIGNATURE_FORM};
use crate::publish::requirements::exchange::MEDIA_TYPE;
use crate::publish::requirements::submit::SIGNATURE;
use crate::publish::shapes;
use crate::shape::{Body, Field, Form, Reply, ShapeKind, may, must};
use crate::{Refused, Rules};

/// The members of the body, for OpenAPI.
const REQUEST: &[Field] = &[
    must("prepareId", ShapeKind::Text),
    must("signature", ShapeKind::Text),
    may("op", ShapeKind::OneOf(&["accept"])),
];

/// Its response.
const REPLY: &[Field] = &[must("signature", ShapeKind::Form(Form::Base58)).derived("the transaction")];

endpoint! {
    /// Submits the client's signature over the prepared message.
    Publish ENDPOINT "submit" "POST" "/api/vf-cli/publish/submit"
    VfKey [200, 400, 404, 409, 410, 413, 429, 502, 503]
    "document 3, POST /api/vf-cli/publish/submit";
    group: "Exchange",
    note: "Returns once the transaction is confirmed, which can take about three minutes.",
    body: Body::Json(REQUEST),
    reply: Reply::Json(ShapeKind::Object(REPLY)),
    row: Some(&SIGNATURE),
    json_type: Some(&MEDIA_TYPE),
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
        rules.read_value(
            &FIELDS,
            body.get(key),
            || (body.get(key).cloned(), None),
            |sent| {
                let text = sent.and_then(Value::as_str);
                let text = text.filter(|text| key == "signature" || !text.is_empty());
                text.ok_or_else(|| format!("{key} is {}", shown(sent)))
            },
        )
    };
    Ok((read("prepareId")?, read("signature")?))
}

/// The bytes of `signature`.
pub fn signature(text: &str, rules: &mut dyn Rules) -> Result<[u8; 64], Refused> {
    rules.read_value(
        &SIGNATURE_FORM,
        text,
        || (Some(json!(text)), None),
        |text| {
            parse_base64(text)
                .and_then(|bytes| bytes.try_into().ok())
                .ok_or_else(|| "not standard base64 of 64 bytes".to_owned())
        },
    )
}
