//! What a prepare takes and gives, for descriptions.

use crate::shape::{Field, Kind, may, must};

/// The members of a prepare's body, for descriptions. What is required depends on `op`.
pub(super) const PREPARE: &[Field] = &[
    must("domain", Kind::Text),
    may("cid", Kind::Text),
    may("version", Kind::Text),
    may("op", Kind::OneOf(&["pub", "transfer", "accept"])),
    may("newAuthority", Kind::Text),
];
const REPLY: &[Field] = &[
    must("prepareId", Kind::Text),
    must("message", Kind::Text),
    must("feePayer", Kind::Text),
    must("lastValidBlockHeight", Kind::Integer),
    must("payload", Kind::Text),
    must("expiresAt", Kind::Integer),
    must("txtObserved", Kind::Either(&[Kind::Object(TXT_OBSERVED), Kind::Null])),
];
const TXT_OBSERVED: &[Field] = &[
    must("vault", Kind::Text),
    must("agreeing", Kind::Integer),
    must("required", Kind::Integer),
    must("reason", Kind::Text),
    must("at", Kind::Integer),
];

/// What a prepare gives.
pub(super) const PREPARED: Kind = Kind::Object(REPLY);
