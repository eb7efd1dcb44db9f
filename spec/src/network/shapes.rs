//! Request and response parts that several endpoints share, for the API description.

use crate::network::limits::{PAGE_DEFAULT, PAGE_MAXIMUM};
use crate::shape::{Field, Reply, ShapeKind, may, must};

/// The page number.
pub(super) const PAGE: Field = may("page", ShapeKind::Within { least: 1, most: None, otherwise: None });
/// Elements per page. A value above the maximum is reduced to the maximum.
pub(super) const LIMIT: Field =
    may("limit", ShapeKind::Within { least: 1, most: Some(PAGE_MAXIMUM), otherwise: Some(PAGE_DEFAULT) });
/// The object beside the array of a list.
pub(super) const PAGINATION: Field = must("pagination", ShapeKind::Object(PAGES));
const PAGES: &[Field] = &[
    must("total", ShapeKind::Integer),
    must("page", ShapeKind::Integer),
    must("per_page", ShapeKind::Integer),
    must("total_pages", ShapeKind::Integer),
];

/// The response of a create call; some add members.
pub(super) const CREATED: Reply = Reply::Json(ShapeKind::Object(&[ITEM_HASH, STATUS]));
const ITEM_HASH: Field = must("item_hash", ShapeKind::Text);
const STATUS: Field = must("status", ShapeKind::OneOf(&["success"]));

/// A message as lists show it.
pub(super) const MESSAGE: ShapeKind = ShapeKind::Object(RECORD);
const RECORD: &[Field] = &[
    must("item_hash", ShapeKind::Text),
    must("chain", ShapeKind::Text),
    must("sender", ShapeKind::Text),
    must("type", ShapeKind::Text),
    must("channel", ShapeKind::Text),
    must("timestamp", ShapeKind::Integer),
    must("content", ShapeKind::Object(&[])),
    must("signature", ShapeKind::Text),
    must("confirmations", ShapeKind::Array(&ShapeKind::Object(CONFIRMATION))),
];
const CONFIRMATION: &[Field] =
    &[must("chain", ShapeKind::Text), must("height", ShapeKind::Integer), must("hash", ShapeKind::Text)];

/// A message read by its hash. Parts may be missing after it was removed or forgotten.
pub(super) const WRAPPED: &[Field] = &[
    must("status", ShapeKind::Text),
    must("item_hash", ShapeKind::Text),
    may("message", ShapeKind::Object(&[])),
];
