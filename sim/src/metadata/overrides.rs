//! A token's overrides: the members that replace those of the template, oldest first.

use assay_spec::metadata::requirements::overrides::{BY_CID, BY_URI};
use assay_spec::metadata::route::Address;
use assay_spec::metadata::token::TokenId;
use serde_json::{Value, json};

use super::collections::Collection;
use super::{deviations, token, variations};
use crate::core::Core;
use crate::refusal::Refusal;
use crate::world::Reply;

/// The overrides of a token.
pub(super) fn list(core: &mut Core, of: &Collection, at: &Address, id: &TokenId) -> Result<Reply, Refusal> {
    let overrides = token::known(core, of, id)?;
    let elements: Vec<Value> = if core.varies(variations::OVERRIDES_EMPTY) {
        Vec::new()
    } else if core.varies(variations::OVERRIDES_NAMED) {
        let named = |member: (&String, &Value)| json!({ "field": member.0, "value": member.1 });
        overrides.iter().flatten().map(named).collect()
    } else {
        overrides.into_iter().map(Value::Object).collect()
    };
    let row = if at.is_uri() { &BY_URI } else { &BY_CID };
    let list = deviations::overrides(core, row, elements)?;
    Ok(core.json(200, list))
}
