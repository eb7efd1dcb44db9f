//! A token's document: its contract's template applied to its id, with its overrides.

use assay_spec::Refused;
use assay_spec::metadata::mistakes::token::{BY_CID, BY_CID_JSON, BY_URI, BY_URI_JSON};
use assay_spec::metadata::requirements::token::UNKNOWN;
use assay_spec::metadata::route::Address;
use assay_spec::metadata::token::TokenId;
use serde_json::{Map, Value, json};

use super::collections::Collection;
use super::contract::Document;
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body, steps};

/// What a token's document is made of.
#[derive(Clone, PartialEq)]
pub(super) struct Filled {
    /// Its contract has a content identifier.
    pub(super) has_cid: bool,
    /// The id.
    pub(super) id: TokenId,
    /// The path ends in `.json`.
    pub(super) suffix: bool,
    /// The overrides.
    pub(super) overrides: Vec<Map<String, Value>>,
}

/// The document of a token.
pub(super) fn document(
    core: &mut Core,
    of: &Collection,
    at: &Address,
    id: &TokenId,
    suffix: bool,
) -> Result<Reply, Refusal> {
    let overrides = Known::run(core, of, id).or_else(|refused| {
        core.require(refused.rule, false, || refused.why.clone())?;
        Ok::<_, Refused>(Vec::new())
    })?;
    let row = match (at.is_uri(), suffix) {
        (false, true) => &BY_CID_JSON,
        (false, false) => &BY_CID,
        (true, true) => &BY_URI_JSON,
        (true, false) => &BY_URI,
    };
    core.accept(row, ())?;
    let Filled { id, overrides, .. } =
        core.step(Filled { has_cid: of.cid.is_some(), id: id.clone(), suffix, overrides });
    let about = Document { row: row.rule, by_uri: at.is_uri(), is_contract: false };
    Ok(core.reply(Answer::new(about, 200, Body::Json(filled(of, &id, &overrides)))))
}

/// The template of a contract, applied to an id, with overrides.
pub(super) fn filled(of: &Collection, id: &TokenId, overrides: &[Map<String, Value>]) -> Value {
    let mut document = json!(of.template().of_token(id));
    for (name, value) in overrides.iter().flatten() {
        document[name] = value.clone();
    }
    document
}

steps! {
    Known(of: &Collection, id: &TokenId) -> Result<Vec<Map<String, Value>>, Refused> = known;
}

/// The overrides of an existing token.
pub(super) fn known(_: &mut Core, of: &Collection, id: &TokenId) -> Result<Vec<Map<String, Value>>, Refused> {
    let why = || format!("the contract has no token {id:.200}");
    of.tokens.get(id).cloned().ok_or_else(|| Refused { rule: &UNKNOWN, why: why() })
}

steps! {
    CheckId(id: &TokenId) -> Result<(), Refused> = check_id;
}

/// Checks the id of a token: the document does not limit integers.
#[expect(clippy::unnecessary_wraps, reason = "what replaces this step may reject")]
pub(super) fn check_id(_: &mut Core, _: &TokenId) -> Result<(), Refused> {
    Ok(())
}
