//! Conditions that the document foresees: servers that fail, streams that break, enclaves that do not verify.
//!
//! The server `enclave` is the confidential deployment.

use super::ENCLAVE;
use super::call::Family;
use super::enclave::WRONG;
use super::pool::{ids, site_names};
use crate::fault::{FaultKind, Key};

const SERVER: Key = Key::one_of("server", site_names);
const MODEL: Key = Key::some_of("model", ids);
const ENDPOINT: Key = Key::one_of("endpoint", || Family::ALL.map(Family::name).to_vec());

/// The conditions of one attempt at a server: `{"server": "server-a", "model": "assay-chat", "endpoint": "chat"}`.
const ATTEMPT: &[Key] = &[SERVER, MODEL, ENDPOINT];

/// A server does not respond at all.
pub const SERVER_DOWN: FaultKind = FaultKind {
    name: "gateway.server-down",
    about: "a server accepts no connection; the gateway tries the next",
    keys: ATTEMPT,
};
/// A server responds late.
pub const SERVER_SLOW: FaultKind =
    FaultKind { name: "gateway.server-slow", about: "a server responds `slow_ms` late", keys: ATTEMPT };
/// A server dies while it answers.
pub const SERVER_DIES: FaultKind = FaultKind {
    name: "gateway.server-dies",
    about: "a server dies midway: its own connection breaks off, the gateway's stream gets an error event",
    keys: ATTEMPT,
};
/// A stream fails midway.
pub const STREAM_ERROR_EVENT: FaultKind = FaultKind {
    name: "gateway.stream-error-event",
    about: "a stream ends midway with an error event",
    keys: ATTEMPT,
};
/// A stream falls silent.
pub const STREAM_SILENT: FaultKind = FaultKind {
    name: "gateway.stream-silent",
    about: "a stream stays silent midway for `silent_ms`, then its server dies",
    keys: ATTEMPT,
};
/// A server returns an invalid response.
pub const SERVER_WRONG_ANSWER: FaultKind = FaultKind {
    name: "gateway.server-wrong-answer",
    about: "a server returns 500 without JSON",
    keys: ATTEMPT,
};
/// An enclave's attestation does not verify.
pub const ENCLAVE_UNVERIFIABLE: FaultKind = FaultKind {
    name: "gateway.enclave-unverifiable",
    about: "the attestation is wrong in `what`: measurement, certificate, nonce or signature",
    keys: &[Key::one_of("server", || vec![ENCLAVE.name]), Key::one_of("what", || WRONG.to_vec())],
};
/// The subscription is used up.
pub const SUBSCRIPTION_USED_UP: FaultKind = FaultKind {
    name: "gateway.subscription-used-up",
    about: "the key's subscription is used up: its usage is billed from its credits",
    keys: &[MODEL, ENDPOINT],
};

/// Every fault of the gateway.
pub const ALL: &[FaultKind] = &[
    SERVER_DOWN,
    SERVER_SLOW,
    SERVER_DIES,
    STREAM_ERROR_EVENT,
    STREAM_SILENT,
    SERVER_WRONG_ANSWER,
    ENCLAVE_UNVERIFIABLE,
    SUBSCRIPTION_USED_UP,
];
