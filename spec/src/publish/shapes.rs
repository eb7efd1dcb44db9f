//! What a prepare takes and gives, for descriptions.

use crate::shape::{Field, ShapeKind, may, must};

/// The members of a prepare's body, for descriptions. What is required depends on `op`.
pub(super) const PREPARE: &[Field] = &[
    must("domain", ShapeKind::Text),
    may("cid", ShapeKind::Text),
    may("version", ShapeKind::Text),
    may("op", ShapeKind::OneOf(&["pub", "transfer", "accept"])),
    may("newAuthority", ShapeKind::Text),
];
const REPLY: &[Field] = &[
    must("prepareId", ShapeKind::Text),
    must("message", ShapeKind::Text),
    must("feePayer", ShapeKind::Text),
    must("lastValidBlockHeight", ShapeKind::Integer),
    must("payload", ShapeKind::Text),
    must("expiresAt", ShapeKind::Integer),
    must("txtObserved", ShapeKind::Either(&[ShapeKind::Object(TXT_OBSERVED), ShapeKind::Null])),
];
const TXT_OBSERVED: &[Field] = &[
    must("vault", ShapeKind::Text),
    must("agreeing", ShapeKind::Integer),
    must("required", ShapeKind::Integer),
    must("reason", ShapeKind::Text),
    must("at", ShapeKind::Integer),
];

/// What a prepare gives.
pub(super) const PREPARED: ShapeKind = ShapeKind::Object(REPLY);
