//! Conditions that the document foresees.

use assay_spec::publish::{prepare, submit};

use crate::fault::{FaultKind, Key};

const ENDPOINT: Key = Key::one_of("endpoint", || vec![prepare::ENDPOINT.name, submit::ENDPOINT.name]);
/// The conditions of a prepare: `{"endpoint": "prepare", "domain": "a.example"}`.
const PREPARE: &[Key] = &[Key::one_of("endpoint", || vec![prepare::ENDPOINT.name]), Key::any("domain")];
/// The conditions of a submit.
const SUBMIT: &[Key] = &[Key::one_of("endpoint", || vec![submit::ENDPOINT.name]), Key::any("domain")];

/// The node is a standby.
pub const STANDBY: FaultKind =
    FaultKind { name: "publish.standby", about: "the node is a standby: 503 not-primary", keys: &[ENDPOINT] };
/// The backend is passive.
pub const PASSIVE: FaultKind =
    FaultKind { name: "publish.passive", about: "the backend is passive: 503", keys: &[ENDPOINT] };
/// No one has observed the TXT record.
pub const TXT_MISSING: FaultKind =
    FaultKind { name: "publish.txt-missing", about: "the TXT record has never been observed", keys: PREPARE };
/// The TXT record names another key.
pub const TXT_DISAGREES: FaultKind =
    FaultKind { name: "publish.txt-disagrees", about: "the TXT record names another vault", keys: PREPARE };
/// The chain is slow.
pub const CHAIN_SLOW: FaultKind = FaultKind {
    name: "publish.chain-slow",
    about: "slots take ten times as long; the transaction lands after the safety ceiling, while its blockhash is valid",
    keys: SUBMIT,
};
/// The transaction is lost.
pub const TRANSACTION_LOST: FaultKind = FaultKind {
    name: "publish.transaction-lost",
    about: "the transaction never lands; its blockhash expires",
    keys: SUBMIT,
};
/// The chain rejects the transaction.
pub const TRANSACTION_REJECTED: FaultKind = FaultKind {
    name: "publish.transaction-rejected",
    about: "the chain rejects the transaction: 502",
    keys: SUBMIT,
};
/// Long records exceed the compute budget.
pub const COMPUTE_BUDGET: FaultKind = FaultKind {
    name: "publish.compute-budget",
    about: "the chain rejects records that exceed the memo program's default compute budget",
    keys: SUBMIT,
};
/// The transaction's log is truncated.
pub const LOG_TRUNCATED: FaultKind = FaultKind {
    name: "publish.log-truncated",
    about: "the transaction's log ends in `Log truncated`",
    keys: SUBMIT,
};

/// Every fault of the exchange.
pub const ALL: &[FaultKind] = &[
    STANDBY,
    PASSIVE,
    TXT_MISSING,
    TXT_DISAGREES,
    CHAIN_SLOW,
    TRANSACTION_LOST,
    TRANSACTION_REJECTED,
    COMPUTE_BUDGET,
    LOG_TRUNCATED,
];
