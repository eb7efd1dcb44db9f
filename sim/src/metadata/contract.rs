//! A contract's document, by content identifier and by URI.

use assay_spec::Id;
use assay_spec::metadata::mistakes::contract::{BY_CID, BY_URI};
use assay_spec::metadata::route::Address;
use serde_json::json;

use super::collections::Collection;
use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body};

/// The member of a contract's document that contains the template of its tokens.
pub(super) const TEMPLATE: &str = "default_token_template";

/// A document, as its reply knows it.
#[derive(Clone)]
pub(super) struct Document {
    /// The row by which it was found.
    pub(super) row: Id,
    /// It was found by the URI of its contract.
    pub(super) by_uri: bool,
    /// It is a contract's document, not a token's.
    pub(super) is_contract: bool,
}

/// The collection whose document is shown.
#[derive(Clone, PartialEq)]
pub(super) struct Shown {
    /// It was found by its URI.
    pub(super) by_uri: bool,
    /// Its index.
    pub(super) index: usize,
}

/// The document of a collection's contract.
pub(super) fn document(core: &mut Core, of: &Collection, at: &Address) -> Result<Reply, Refusal> {
    let row = if at.is_uri() { &BY_URI } else { &BY_CID };
    core.accept(row, ())?;
    let document = Body::Json(json!(of.metadata));
    let about = Document { row: row.rule, by_uri: at.is_uri(), is_contract: true };
    Ok(core.reply(Answer::new(about, 200, document)))
}
