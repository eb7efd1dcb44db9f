//! What several endpoints take or give, for descriptions.

use crate::network::limits::{PAGE_DEFAULT, PAGE_MAXIMUM};
use crate::shape::{Field, Kind, Reply, may, must};

/// The number of a page.
pub(super) const PAGE: Field = may("page", Kind::Within { least: 1, most: None, otherwise: None });
/// Elements of a page. More than the maximum is cut to it.
pub(super) const LIMIT: Field =
    may("limit", Kind::Within { least: 1, most: Some(PAGE_MAXIMUM), otherwise: Some(PAGE_DEFAULT) });
/// The object beside the array of a list.
pub(super) const PAGINATION: Field = must("pagination", Kind::Object(PAGES));
const PAGES: &[Field] = &[
    must("total", Kind::Integer),
    must("page", Kind::Integer),
    must("per_page", Kind::Integer),
    must("total_pages", Kind::Integer),
];

/// The answer to a creating call; some add members.
pub(super) const CREATED: Reply = Reply::Json(Kind::Object(&[ITEM_HASH, STATUS]));
const ITEM_HASH: Field = must("item_hash", Kind::Text);
const STATUS: Field = must("status", Kind::OneOf(&["success"]));

/// A message as lists show it.
pub(super) const MESSAGE: Kind = Kind::Object(RECORD);
const RECORD: &[Field] = &[
    must("item_hash", Kind::Text),
    must("chain", Kind::Text),
    must("sender", Kind::Text),
    must("type", Kind::Text),
    must("channel", Kind::Text),
    must("timestamp", Kind::Integer),
    must("content", Kind::Object(&[])),
    must("signature", Kind::Text),
    must("confirmations", Kind::Array(&Kind::Object(CONFIRMATION))),
];
const CONFIRMATION: &[Field] =
    &[must("chain", Kind::Text), must("height", Kind::Integer), must("hash", Kind::Text)];

/// A message that is read alone. Of one that was removed or forgotten, parts may be gone.
pub(super) const WRAPPED: &[Field] =
    &[must("status", Kind::Text), must("item_hash", Kind::Text), may("message", Kind::Object(&[]))];
