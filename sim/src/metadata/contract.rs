//! A contract's document, by content identifier and by URI.

use assay_spec::Rules;
use assay_spec::metadata::requirements::contract::{BY_CID, BY_URI, UNKNOWN};
use assay_spec::metadata::route::Address;
use serde_json::json;

use super::collections::Collection;
use super::{deviations, variations};
use crate::core::Core;
use crate::refusal::Refusal;
use crate::world::Reply;

/// The document of a collection's contract.
pub(super) fn document(core: &mut Core, of: &Collection, at: &Address) -> Result<Reply, Refusal> {
    let document = variations::contract(core, json!(of.metadata));
    let document = deviations::contract(core, document);
    let document = deviations::same(core, at, document);
    let row = if at.is_uri() { &BY_URI } else { &BY_CID };
    let document = deviations::found(core, row, document)?;
    Ok(core.json(200, document))
}

/// The result for an unknown contract.
pub(super) fn unknown<'s>(
    core: &mut Core,
    all: &'s [Collection],
    at: &Address,
) -> Result<&'s Collection, Refusal> {
    // No contract has an empty name, except by deviation.
    let any_contract = at.text().is_empty() || core.violated(&UNKNOWN).is_some();
    let any = all.first().filter(|_| any_contract);
    any.ok_or_else(|| Refusal::new(&UNKNOWN, format!("unknown contract {:.200?}", at.text())))
}
