//! `POST /api/vf-cli/publish/prepare` (document 3).

use serde_json::{Map, Value, json};

use crate::crypto::{ed25519, text};
use crate::endpoint::endpoint;
use crate::json::shown;
use crate::publish::mistakes::exchange::SPELLING;
use crate::publish::mistakes::prepare::{
    BODY_JSON, CID_REQUIRED, DOMAIN_REQUIRED, DOMAIN_TRIMMED, NEW_AUTHORITY, OP_DEFAULT, OP_KNOWN,
    VERSION_DEFAULT, VERSION_STRING,
};
use crate::publish::record::RecordKind;
use crate::publish::requirements::exchange::MEDIA_TYPE;
use crate::publish::requirements::prepare::{self as rows, CID_NOT_VALIDATED, PREPARE_ID};
use crate::publish::requirements::record;
use crate::publish::{ENVELOPE_NOTE, shapes};
use crate::relation::Fresh;
use crate::reply::Whole;
use crate::shape::{self, Body, COUNT, Form, ShapeKind, object};
use crate::{Dialect, Instant, Refused, Rules, spelling};

endpoint! {
    /// Prepares a transaction for the client to check and sign.
    Publish ENDPOINT "prepare" "POST" "/api/vf-cli/publish/prepare"
    VfKey [200, 400, 404, 409, 413, 429, 503]
    "document 3, POST /api/vf-cli/publish/prepare";
    group: "Exchange",
    note: ENVELOPE_NOTE,
    body: Body::Json(shapes::PREPARE),
    reply: shape::Reply::Json(Reply::SHAPE),
    row: Some(&PREPARE_ID),
    json_type: Some(&MEDIA_TYPE),
    whole: PAYLOAD_IS_OF_MESSAGE,
    errors: shapes::PREPARE_ERRORS,
}

/// The record that is shown is the one that is signed.
const PAYLOAD_IS_OF_MESSAGE: &[Whole] = &[Whole {
    row: &rows::PAYLOAD,
    want: "a `payload` that is in `message`",
    breaks: |body| {
        let message = text::parse_base64(body["message"].as_str()?)?;
        let payload = body["payload"].as_str()?;
        // Other rows own a message without the record of this kind.
        let (kind, _) = payload.split_once('{')?;
        let has = |text: &str| message.windows(text.len().max(1)).any(|bytes| bytes == text.as_bytes());
        (has(kind) && !has(payload)).then(|| payload.to_owned())
    },
}];

/// What a valid prepare asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Publish a content identifier under a version.
    Publish {
        /// The content identifier, as given.
        cid: String,
        /// The version, or its default.
        version: String,
    },
    /// Transfer the domain to a new key.
    Transfer {
        /// The new key, base58.
        new_key: String,
    },
    /// Accept the domain.
    Accept,
}

impl Wanted {
    /// The kind of record it produces.
    pub const fn kind(&self) -> RecordKind {
        match self {
            Wanted::Publish { .. } => RecordKind::Pub,
            Wanted::Transfer { .. } => RecordKind::Transfer,
            Wanted::Accept => RecordKind::Accept,
        }
    }
}

/// Parses the body as a JSON object.
pub fn parse_body(body: &[u8], rules: &mut dyn Rules) -> Result<Map<String, Value>, Refused> {
    let members = rules.read(&BODY_JSON, body, |body| {
        serde_json::from_slice(body).map_err(|why| format!("not a JSON object: {why}"))
    })?;
    spelling::accept(&SPELLING, body, members.keys(), rules)?;
    Ok(members)
}

/// `op` of a body that may be invalid. Authentication needs it before the fields are validated.
pub fn op_of(body: &[u8]) -> Option<String> {
    // Parsed like the whole body, so that both see the same value for a duplicate `op`.
    serde_json::from_slice::<Map<String, Value>>(body).ok()?.get("op")?.as_str().map(str::to_owned)
}

/// The body's domain, trimmed.
pub fn domain<'a>(body: &'a Map<String, Value>, rules: &mut dyn Rules) -> Result<&'a str, Refused> {
    let sent = rules.read(&DOMAIN_REQUIRED, body.get("domain"), |sent| {
        sent.and_then(Value::as_str).ok_or_else(|| format!("domain is {}", shown(sent)))
    })?;
    rules.accept_value(&DOMAIN_TRIMMED, &json!(sent), Some(&json!(sent.trim())))?;
    Ok(rules.derive(&DOMAIN_TRIMMED, sent, str::trim))
}

/// The operation that the body asks for.
pub fn wanted(
    dialect: &Dialect,
    body: &Map<String, Value>,
    rules: &mut dyn Rules,
) -> Result<Wanted, Refused> {
    match kind(body, rules)? {
        RecordKind::Pub => {
            let sent = body.get("cid");
            let cid = rules.read_value(
                &CID_REQUIRED,
                sent,
                || (sent.cloned(), None),
                |sent| {
                    let cid = sent.and_then(Value::as_str).filter(|cid| !cid.is_empty());
                    cid.ok_or_else(|| format!("cid is {}", shown(sent)))
                },
            )?;
            for row in [&CID_NOT_VALIDATED, &record::CID, &record::ESCAPING] {
                rules.accept_value(row, &json!(cid), None)?;
            }
            let cid = rules.keep_text([&record::CID, &record::ESCAPING], cid).into_owned();
            Ok(Wanted::Publish { cid, version: version(body, rules)? })
        }
        RecordKind::Transfer => {
            let sent = body.get("newAuthority");
            let new_key = rules.read_value(
                &NEW_AUTHORITY,
                (dialect, sent),
                || (sent.cloned(), None),
                |(dialect, sent)| {
                    let sent_key = sent.and_then(Value::as_str);
                    let key = sent_key.and_then(|sent| sent.strip_prefix(dialect.key_scheme.as_str()));
                    let key = key.filter(|key| ed25519::parse_address(key).is_some());
                    key.map(str::to_owned).ok_or_else(|| format!("newAuthority is {}", shown(sent)))
                },
            )?;
            Ok(Wanted::Transfer { new_key })
        }
        RecordKind::Accept => Ok(Wanted::Accept),
    }
}

fn kind(body: &Map<String, Value>, rules: &mut dyn Rules) -> Result<RecordKind, Refused> {
    let sent = body.get("op");
    if sent.is_none_or(Value::is_null) {
        rules.accept(&OP_DEFAULT, ())?;
        return Ok(RecordKind::Pub);
    }
    rules.read_value(
        &OP_KNOWN,
        sent,
        || (sent.cloned(), Some(json!(RecordKind::Pub.name()))),
        |sent| {
            let known = sent.and_then(Value::as_str).and_then(RecordKind::named);
            known.ok_or_else(|| format!("op is {}", shown(sent)))
        },
    )
}

/// Whether a version is blank: it is empty, or has only white space, of any script.
pub fn is_blank(version: &str) -> bool {
    version.trim().is_empty()
}

fn version(body: &Map<String, Value>, rules: &mut dyn Rules) -> Result<String, Refused> {
    let sent = match body.get("version") {
        None | Some(Value::Null) => "",
        Some(sent) => rules.read_value(
            &VERSION_STRING,
            sent,
            || (Some(sent.clone()), None),
            |sent| sent.as_str().ok_or_else(|| format!("version is {sent}")),
        )?,
    };
    let named = json!(body.get("version"));
    rules.accept_value(&VERSION_DEFAULT, &named, None)?;
    if is_blank(sent) {
        return Ok(rules.derive(&VERSION_DEFAULT, (), |()| "0").to_owned());
    }
    rules.accept_value(&record::VERSION, &named, None)?;
    Ok(rules.keep_text([&record::VERSION], sent).into_owned())
}

object! {
    /// The response to a prepare.
    #[derive(Clone, Debug)]
    pub struct Reply {
        /// The handle for submit.
        prepare_id: String = must("prepareId", ShapeKind::Form(Form::Uuid)).owned(&rows::PREPARE_ID).fresh(Fresh::Random),
        /// The transaction message, standard base64.
        message: String = must("message", ShapeKind::Form(Form::Base64)).owned(&rows::MESSAGE)
            .derived("what the client asked for"),
        /// The fee payer, base58.
        fee_payer: String = must("feePayer", ShapeKind::Form(Form::Base58)).owned(&rows::FEE_PAYER)
            .derived("`message`"),
        /// The height after which the transaction cannot land.
        last_valid_block_height: u64 = must("lastValidBlockHeight", COUNT).owned(&rows::LAST_VALID_BLOCK_HEIGHT)
            .free("the chain decides"),
        /// The record as a string, for display.
        payload: String = must("payload", ShapeKind::Form(Form::NotEmpty)).owned(&rows::PAYLOAD)
            .derived("`message`"),
        /// When the prepare expires, in milliseconds since the epoch.
        expires_at: Instant = must("expiresAt", ShapeKind::Milliseconds).owned(&rows::EXPIRES_AT).moment(),
        /// The last observed value of the domain's TXT record.
        txt_observed: Option<TxtObserved> = may("txtObserved", TxtObserved::SHAPE)
            .or_null().owned(&rows::TXT_OBSERVED),
    }
}

/// Why members of an observation are free.
const RESOLVERS: &str = "the resolvers of the server decide";

object! {
    /// An observation of a domain's TXT record.
    #[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
    pub struct TxtObserved {
        /// The key that the record names.
        vault: String = must("vault", ShapeKind::Text).free(RESOLVERS),
        /// How many resolvers agree.
        agreeing: u32 = must("agreeing", COUNT).free(RESOLVERS),
        /// How many must agree.
        required: u32 = must("required", COUNT).free("the server decides how many must agree"),
        /// The reason string.
        reason: String = must("reason", ShapeKind::Text).free("its words are not listed"),
        /// When it was made, in milliseconds since the epoch.
        at: Instant = must("at", ShapeKind::Milliseconds).free("the last observation may be long ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_of_another_message_is_found() {
        let shows = |payload: &str| {
            let message = text::base64(b"\x02svc-vf:1:pub:{\"v\":\"1\"}");
            (PAYLOAD_IS_OF_MESSAGE[0].breaks)(&json!({ "message": message, "payload": payload }))
        };
        assert_eq!(shows("svc-vf:1:pub:{\"v\":\"1\"}"), None);
        assert_eq!(shows("svc-vf:1:pub:{\"v\":\"0\"}").as_deref(), Some("svc-vf:1:pub:{\"v\":\"0\"}"));
    }
}
