//! A token's overrides: the members that replace those of the template, oldest first.

use assay_spec::Id;
use assay_spec::metadata::mistakes::overrides::{BY_CID, BY_URI};
use assay_spec::metadata::route::Address;
use assay_spec::metadata::token::TokenId;
use serde_json::Value;

use super::collections::Collection;
use super::token::Known;
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body};

/// Overrides, as their reply knows them.
#[derive(Clone)]
pub(super) struct Overrides {
    /// The row by which they were found.
    pub(super) row: Id,
}

/// The overrides of a token.
pub(super) fn list(core: &mut Core, of: &Collection, at: &Address, id: &TokenId) -> Result<Reply, Refusal> {
    let elements = Known::run(core, of, id)?.into_iter().map(Value::Object).collect();
    let row = if at.is_uri() { &BY_URI } else { &BY_CID };
    core.accept(row, ())?;
    Ok(core.reply(Answer::new(Overrides { row: row.rule }, 200, Body::Json(Value::Array(elements)))))
}
