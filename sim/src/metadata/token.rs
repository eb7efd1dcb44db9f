//! A token's document: its contract's template applied to its id, with its overrides.

use assay_spec::Rules;
use assay_spec::metadata::requirements::token::{BY_CID, BY_CID_JSON, BY_URI, BY_URI_JSON, UNKNOWN};
use assay_spec::metadata::route::Address;
use assay_spec::metadata::token::TokenId;
use serde_json::{Map, Value, json};

use super::collections::Collection;
use super::{deviations, variations};
use crate::core::Core;
use crate::refusal::Refusal;
use crate::world::Reply;

/// The document of a token.
pub(super) fn document(
    core: &mut Core,
    of: &Collection,
    at: &Address,
    id: &TokenId,
    suffix: bool,
) -> Result<Reply, Refusal> {
    let overrides = known(core, of, id)?;
    let mut document = json!(of.template().of_token(id));
    for (name, value) in overrides.iter().flatten().filter(|_| !core.varies(variations::OVERRIDES_EMPTY)) {
        document[name] = value.clone();
    }
    let document = variations::token(core, document);
    let document = deviations::token(core, document);
    let document = deviations::same(core, at, document);
    let row = match (at.is_uri(), suffix) {
        (false, true) => &BY_CID_JSON,
        (false, false) => &BY_CID,
        (true, true) => &BY_URI_JSON,
        (true, false) => &BY_URI,
    };
    let document = deviations::found(core, row, document)?;
    Ok(core.json(200, document))
}

/// The overrides of an existing token.
pub(super) fn known(
    core: &mut Core,
    of: &Collection,
    id: &TokenId,
) -> Result<Vec<Map<String, Value>>, Refusal> {
    match of.tokens.get(id) {
        Some(overrides) => Ok(overrides.clone()),
        None if core.violated(&UNKNOWN).is_some() => Ok(Vec::new()),
        None if of.has_template() && core.varies(variations::BY_TEMPLATE) => Ok(Vec::new()),
        None => Err(Refusal::new(&UNKNOWN, format!("the contract has no token {id:.200}"))),
    }
}
