//! Conditions that the document foresees.

use crate::fault::Kind;

/// The node is a standby.
pub const STANDBY: Kind = Kind { name: "publish.standby", about: "the node is a standby: 503 not-primary" };
/// The backend is passive.
pub const PASSIVE: Kind = Kind { name: "publish.passive", about: "the backend is passive: 503" };
/// Nobody has observed the TXT record.
pub const TXT_MISSING: Kind = Kind { name: "publish.txt-missing", about: "no observation of the TXT record" };
/// The TXT record names another key.
pub const TXT_DISAGREES: Kind =
    Kind { name: "publish.txt-disagrees", about: "the TXT record names another vault" };
/// The chain has become slow.
pub const CHAIN_SLOW: Kind = Kind {
    name: "publish.chain-slow",
    about: "slots take ten times as long; the transaction lands after the safety ceiling, while its blockhash is valid",
};
/// The transaction is lost on the way.
pub const TRANSACTION_LOST: Kind =
    Kind { name: "publish.transaction-lost", about: "the transaction never lands; its blockhash expires" };
/// The chain rejects the transaction.
pub const TRANSACTION_REJECTED: Kind =
    Kind { name: "publish.transaction-rejected", about: "the chain rejects the transaction: 502" };
/// Long records are too dear.
pub const COMPUTE_BUDGET: Kind = Kind {
    name: "publish.compute-budget",
    about: "records over the memo program's default compute budget are rejected by the chain",
};
/// The log of the transaction is cut.
pub const LOG_TRUNCATED: Kind =
    Kind { name: "publish.log-truncated", about: "the transaction's log ends in `Log truncated`" };

/// Every fault of the exchange.
pub const ALL: &[Kind] = &[
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
