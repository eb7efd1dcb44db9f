//! Webhooks: registrations, and deliveries that are really sent.

pub(super) mod create;
pub(super) mod deliveries;
pub(super) mod inbox;
