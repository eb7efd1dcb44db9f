//! `vfkey.sign` and `vfkey.verify`: the `Authorization` header.

use assay_spec::crypto::ed25519;
use assay_spec::publish::envelope::{self, Binding, Claims, Request};
use assay_spec::publish::mistakes::envelope::{SECRET_KEY, TIME};
use assay_spec::publish::requirements::envelope as rows;
use assay_spec::{Dialect, Id, Instant, Rules};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::op::{Members, OpError};

/// The header for a request, with keys in the document's order.
pub(in crate::op) fn sign(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let secret = input.bytes("secret_key")?;
    let body = input.bytes("body")?;
    let (method, path) = (input.text("method")?, input.text("path")?);
    let (domain, time) = (input.text("domain")?, input.text("time")?);

    let seed = rules
        .read(&SECRET_KEY, secret.as_slice(), |secret| {
            secret.try_into().map_err(|_| format!("a secret key of {} bytes", secret.len()))
        })
        .map_err(|refused| (refused, "parse"))?;
    let canonical = assay_spec::publish::domain::is_canonical(domain);
    rules
        .require(&rows::DOMAIN_AS_SENT, canonical, || format!("{domain:?} is not canonical"))
        .map_err(|refused| (refused, "check"))?;
    let time = rules
        .read(&TIME, time, |time| Instant::parse_exact(time).ok_or_else(|| format!("time is {time:?}")))
        .map_err(|refused| (refused, "parse"))?;
    let claims = Claims { method, path, domain, time, body: &body };
    Ok(json!({"header": envelope::sign(dialect, &ed25519::key_from_seed(seed), &claims)}))
}

/// Server rules 1 to 6.
pub(in crate::op) fn verify(
    dialect: &Dialect,
    input: &Members<'_>,
    rules: &mut dyn Rules,
) -> Result<Value, OpError> {
    let body = input.bytes("body")?;
    let request = Request {
        authorization: input.optional_text("authorization")?,
        method: input.text("method")?,
        target: input.text("path")?,
        body: &body,
        op: input.optional_text("op")?,
    };
    let bindings = input
        .list("bindings")?
        .iter()
        .map(|value| Binding::deserialize(value).map_err(|e| OpError::BadRequest(format!("bindings: {e}"))))
        .collect::<Result<Vec<_>, _>>()?;
    let now = input.clock("now")?;
    let admitted = envelope::verify(dialect, &request, now, &bindings, rules).map_err(|refused| {
        let stage = stage(refused.rule);
        (refused, stage)
    })?;
    Ok(json!({"domain": admitted.domain, "key": admitted.key, "frozen": admitted.frozen}))
}

fn stage(row: Id) -> &'static str {
    let unread = [
        &rows::SCHEME,
        &rows::TWO_PARTS,
        &rows::BASE64URL,
        &rows::SIGNATURE_LENGTH,
        &rows::PREFIX,
        &rows::SIX_KEYS,
        &rows::VERSION,
    ];
    match row {
        row if unread.contains(&row) => "parse",
        row if row == &rows::SIGNATURE => "verify",
        _ => "check",
    }
}
