//! Messages: created, validated, removed and forgotten; read one by one and in lists.

pub(super) mod authority;
pub(super) mod create;
pub(super) mod effects;
pub(super) mod fill;
pub(super) mod flat;
pub(super) mod forget;
pub(super) mod listing;
pub(super) mod payment;
pub(super) mod record;
pub(super) mod removal;
pub(super) mod reply;
pub(super) mod single;
pub(super) mod typed;
pub(super) mod validation;
