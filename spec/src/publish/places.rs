//! Where the rows of the exchange apply: the two endpoints, and the operation that a request asks for or submits.

use crate::Place;

/// The operations: the kinds of records.
pub const OPS: [&str; 3] = [PUB, TRANSFER, ACCEPT];
/// The states of a domain. The old key is frozen while a transfer is pending, and after it was accepted.
pub const STATES: [&str; 4] = ["bound", "locked", "pending", "accepted"];

/// A publish.
pub const PUB: &str = "pub";
/// A transfer.
pub const TRANSFER: &str = "transfer";
/// The accept of a transfer.
pub const ACCEPT: &str = "accept";

const PREPARE: Place = Place::at("prepare");
const SUBMIT: Place = Place::at("submit");

/// Any request of an endpoint.
pub const ENDPOINTS: &[Place] = &[PREPARE, SUBMIT];
/// The first call.
pub const FIRST: &[Place] = &[PREPARE];
/// Each operation of both endpoints.
pub const EVERY: &[Place] = &[
    PREPARE.op(PUB),
    PREPARE.op(TRANSFER),
    PREPARE.op(ACCEPT),
    SUBMIT.op(PUB),
    SUBMIT.op(TRANSFER),
    SUBMIT.op(ACCEPT),
];
/// What only the bound key may do.
pub const BY_BOUND: &[Place] = &[PREPARE.op(PUB), PREPARE.op(TRANSFER), SUBMIT.op(PUB), SUBMIT.op(TRANSFER)];
/// What a frozen key may not do. It may have seen the `prepareId` of an accept.
pub const FROZEN: &[Place] =
    &[PREPARE.op(PUB), PREPARE.op(TRANSFER), SUBMIT.op(PUB), SUBMIT.op(TRANSFER), SUBMIT.op(ACCEPT)];
/// What only the incoming key may do.
pub const BY_INCOMING: &[Place] = &[PREPARE.op(ACCEPT), SUBMIT.op(ACCEPT)];
/// A body that cannot be read asks for a publish.
pub const UNREAD: &[Place] = &[PREPARE.op(PUB), SUBMIT.op(PUB)];
/// Each operation of a prepare.
pub const PREPARES: &[Place] = &[PREPARE.op(PUB), PREPARE.op(TRANSFER), PREPARE.op(ACCEPT)];
/// The prepare of a publish.
pub const PREPARE_PUB: &[Place] = &[PREPARE.op(PUB)];
/// The prepare of a transfer.
pub const PREPARE_TRANSFER: &[Place] = &[PREPARE.op(TRANSFER)];
/// The prepare of an accept.
pub const PREPARE_ACCEPT: &[Place] = &[PREPARE.op(ACCEPT)];
/// Each operation of a submit.
pub const SUBMITS: &[Place] = &[SUBMIT.op(PUB), SUBMIT.op(TRANSFER), SUBMIT.op(ACCEPT)];
/// The submit of a publish.
pub const SUBMIT_PUB: &[Place] = &[SUBMIT.op(PUB)];
/// A submit whose `prepareId` names no prepare is that of an accept if it says so, and otherwise of a publish.
pub const SUBMIT_UNKNOWN: &[Place] = &[SUBMIT.op(PUB), SUBMIT.op(ACCEPT)];
/// The submit of an accept.
pub const SUBMIT_ACCEPT: &[Place] = &[SUBMIT.op(ACCEPT)];
/// The chain's public interface.
pub const CHAIN: &[Place] = &[Place::at("chain")];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::{prepare, submit};

    #[test]
    fn places_have_the_names_of_endpoints() {
        assert_eq!([PREPARE.endpoint, SUBMIT.endpoint], [prepare::ENDPOINT.name, submit::ENDPOINT.name]);
    }
}
