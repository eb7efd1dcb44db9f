//! The cases of the signed exchange.

pub(super) mod check_message;
pub(super) mod decode;
pub(super) mod domain;
pub(super) mod encode;
pub(super) mod record;
pub(super) mod sign;
pub(super) mod verify_header;
pub(super) mod verify_transaction;
mod world;
