//! The fields of a prepare's request and response, for OpenAPI.

use crate::shape::{Field, ShapeKind, may, must};

/// The members of a prepare's body, for OpenAPI. Which are required depends on `op`.
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

/// The response to a prepare.
pub(super) const PREPARED: ShapeKind = ShapeKind::Object(REPLY);
