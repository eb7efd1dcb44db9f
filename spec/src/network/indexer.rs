//! Indexed chain data (document 2, "Indexer records" and "Endpoints").
//!
//! Readings: bounds are inclusive; addresses are compared without regard to case; `args` is a JSON object whose
//! members must be equal.

use serde_json::{Map, Value};

use crate::Refused;
use crate::network::endpoint;
use crate::network::params::Params;
use crate::network::requirements::indexer as rows;
use crate::network::requirements::indexer::{ARGS_SELECT, INTEGERS};
use crate::network::shapes::{ERRORS, LIMIT, PAGE, PAGED, PAGINATION};
use crate::relation::Resource;
use crate::shape::{Field, Reply, ShapeKind, may, must, object};

/// The parameters of a list of events, for the API description.
const EVENT_QUERY: &[Field] = &[
    may("contract", ShapeKind::Text).selects(&rows::CONTRACT),
    may("event_name", ShapeKind::Text).selects(&rows::EVENT_NAME),
    may("from_block", ShapeKind::Integer).selects(&rows::EVENT_BLOCKS),
    may("to_block", ShapeKind::Integer).selects(&rows::EVENT_BLOCKS),
    may("from_timestamp", ShapeKind::Integer).selects(&rows::EVENT_TIMES),
    may("to_timestamp", ShapeKind::Integer).selects(&rows::EVENT_TIMES),
    may("args", ShapeKind::Object(&[])),
    PAGE,
    LIMIT,
];
/// Its response.
const EVENTS_REPLY: &[Field] = &[must("events", ShapeKind::Array(&Event::SHAPE)), PAGINATION];
/// The parameters of a list of transactions.
const TRANSACTION_QUERY: &[Field] = &[
    may("address", ShapeKind::Text).selects(&rows::ADDRESS),
    may("from", ShapeKind::Text).selects(&rows::FROM),
    may("to", ShapeKind::Text).selects(&rows::TO),
    may("from_block", ShapeKind::Integer).selects(&rows::TRANSACTION_BLOCKS),
    may("to_block", ShapeKind::Integer).selects(&rows::TRANSACTION_BLOCKS),
    may("from_timestamp", ShapeKind::Integer).selects(&rows::TRANSACTION_TIMES),
    may("to_timestamp", ShapeKind::Integer).selects(&rows::TRANSACTION_TIMES),
    PAGE,
    LIMIT,
];
/// Its response.
const TRANSACTIONS_REPLY: &[Field] =
    &[must("transactions", ShapeKind::Array(&Transaction::SHAPE)), PAGINATION];

endpoint! {
    /// Lists a network's events in pages.
    EVENTS "events" "GET" "/api/v0/indexer/{network}/events" None [200, 400, 404, 429, 500]
    group: "Indexer",
    query: EVENT_QUERY,
    reply: Reply::Json(ShapeKind::Object(EVENTS_REPLY)),
    row: Some(&rows::EVENTS),
    whole: PAGED,
    errors: ERRORS,
}
endpoint! {
    /// Lists a network's transactions in pages.
    TRANSACTIONS "transactions" "GET" "/api/v0/indexer/{network}/transactions" None [200, 400, 404, 429, 500]
    group: "Indexer",
    query: TRANSACTION_QUERY,
    reply: Reply::Json(ShapeKind::Object(TRANSACTIONS_REPLY)),
    row: Some(&rows::TRANSACTIONS),
    whole: PAGED,
    errors: ERRORS,
}

/// An event in a block. Another block may hold the same transaction after a fork, so the block is a part of its name.
const EVENT: &Resource = &Resource { name: "event", sent: &[] };
/// A transaction in a block.
const TRANSACTION: &Resource = &Resource { name: "transaction", sent: &[] };

object! {
    /// An event of a contract.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Event {
        /// The transaction's hash.
        transaction_hash: String = must("transaction_hash", ShapeKind::Text).owned(&rows::EVENT).names(EVENT),
        /// The block.
        block_number: u64 = must("block_number", ShapeKind::Integer).owned(&rows::EVENT).names(EVENT),
        /// Its position in the block.
        log_index: u64 = must("log_index", ShapeKind::Integer).owned(&rows::EVENT).names(EVENT),
        /// The contract's address.
        contract: String = must("contract", ShapeKind::Text).owned(&rows::EVENT).same_in(EVENT),
        /// The event's name.
        event_name: String = must("event_name", ShapeKind::Text).owned(&rows::EVENT).same_in(EVENT),
        /// Its arguments; large numbers are strings.
        args: Map<String, Value> = must("args", ShapeKind::Object(&[])).owned(&rows::ARGS).same_in(EVENT),
        /// Seconds since the epoch.
        timestamp: i64 = must("timestamp", ShapeKind::Seconds).owned(&rows::EVENT).same_in(EVENT),
    }
}

object! {
    /// A transaction.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Transaction {
        /// Its hash.
        hash: String = must("hash", ShapeKind::Text).owned(&rows::TRANSACTION).names(TRANSACTION),
        /// The block.
        block_number: u64 = must("block_number", ShapeKind::Integer)
            .owned(&rows::TRANSACTION).names(TRANSACTION),
        /// The sender.
        from: String = must("from", ShapeKind::Text).owned(&rows::TRANSACTION).same_in(TRANSACTION),
        /// The receiver.
        to: String = must("to", ShapeKind::Text).owned(&rows::TRANSACTION).same_in(TRANSACTION),
        /// The amount, as a string.
        value: String = must("value", ShapeKind::Text).owned(&rows::AMOUNTS).same_in(TRANSACTION),
        /// Gas used.
        gas: u64 = must("gas", ShapeKind::Integer).owned(&rows::TRANSACTION).same_in(TRANSACTION),
        /// The gas price, as a string.
        gas_price: String = must("gas_price", ShapeKind::Text).owned(&rows::AMOUNTS).same_in(TRANSACTION),
        /// Seconds since the epoch.
        timestamp: i64 = must("timestamp", ShapeKind::Seconds).owned(&rows::TRANSACTION).same_in(TRANSACTION),
    }
}

/// A range with inclusive bounds; a missing bound is unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The lower bound.
    pub from: Option<i64>,
    /// The upper bound.
    pub to: Option<i64>,
}

impl Bounds {
    /// Whether `value` is in the range.
    pub fn hold(self, value: i64) -> bool {
        self.from.is_none_or(|from| from <= value) && self.to.is_none_or(|to| value <= to)
    }

    fn parse(params: &Params, names: [&str; 2]) -> Result<Bounds, Refused> {
        let [from, to] = names.map(|name| params.integer(name, &INTEGERS));
        Ok(Bounds { from: from?, to: to? })
    }
}

/// A filter over events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventFilter {
    /// The contract is this.
    pub contract: Option<String>,
    /// The name is this.
    pub event_name: Option<String>,
    /// The block is one of these.
    pub blocks: Bounds,
    /// The time is one of these.
    pub times: Bounds,
    /// The arguments have these members.
    pub args: Option<Map<String, Value>>,
}

impl EventFilter {
    /// Reads the parameters.
    pub fn parse(params: &Params) -> Result<EventFilter, Refused> {
        let args = params.text("args").map(serde_json::from_str).transpose();
        let text = |name| params.text(name).map(str::to_owned);
        Ok(EventFilter {
            args: args.map_err(|e| Refused { rule: &ARGS_SELECT, why: format!("args: {e}") })?,
            contract: text("contract"),
            event_name: text("event_name"),
            blocks: Bounds::parse(params, ["from_block", "to_block"])?,
            times: Bounds::parse(params, ["from_timestamp", "to_timestamp"])?,
        })
    }

    /// Whether the filter matches an event.
    pub fn matches(&self, event: &Event) -> bool {
        self.blocks.hold(event.block_number.cast_signed())
            && self.times.hold(event.timestamp)
            && self.contract.as_ref().is_none_or(|contract| contract.eq_ignore_ascii_case(&event.contract))
            && self.event_name.as_ref().is_none_or(|name| *name == event.event_name)
            && self
                .args
                .as_ref()
                .is_none_or(|args| args.iter().all(|(name, value)| event.args.get(name) == Some(value)))
    }
}

/// A filter over transactions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransactionFilter {
    /// The sender or the receiver is this.
    pub address: Option<String>,
    /// The sender is this.
    pub from: Option<String>,
    /// The receiver is this.
    pub to: Option<String>,
    /// The block is one of these.
    pub blocks: Bounds,
    /// The time is one of these.
    pub times: Bounds,
}

impl TransactionFilter {
    /// Reads the parameters.
    pub fn parse(params: &Params) -> Result<TransactionFilter, Refused> {
        let text = |name| params.text(name).map(str::to_owned);
        Ok(TransactionFilter {
            address: text("address"),
            from: text("from"),
            to: text("to"),
            blocks: Bounds::parse(params, ["from_block", "to_block"])?,
            times: Bounds::parse(params, ["from_timestamp", "to_timestamp"])?,
        })
    }

    /// Whether the filter matches a transaction.
    pub fn matches(&self, transaction: &Transaction) -> bool {
        let is = |wanted: &Option<String>, given: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(given))
        };
        self.blocks.hold(transaction.block_number.cast_signed())
            && self.times.hold(transaction.timestamp)
            && is(&self.from, &transaction.from)
            && is(&self.to, &transaction.to)
            && (is(&self.address, &transaction.from) || is(&self.address, &transaction.to))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn event() -> Event {
        let args = json!({"to": "0x2", "amount": "340282366920938463463374607431768211456"});
        Event {
            transaction_hash: "0xt".into(),
            block_number: 10,
            log_index: 0,
            contract: "0xAb".into(),
            event_name: "Transfer".into(),
            args: args.as_object().unwrap().clone(),
            timestamp: 1000,
        }
    }

    fn transaction() -> Transaction {
        Transaction {
            hash: "0xt".into(),
            block_number: 10,
            from: "0xA1".into(),
            to: "0xB2".into(),
            value: "1".into(),
            gas: 1,
            gas_price: "1".into(),
            timestamp: 1000,
        }
    }

    #[test]
    fn event_filters_select() {
        for (query, expected) in [
            ("", true),
            ("contract=0xaB&event_name=Transfer", true),
            ("contract=0xab&event_name=transfer", false),
            ("from_block=10&to_block=10", true),
            ("from_block=11", false),
            ("to_block=9", false),
            ("from_timestamp=1001", false),
            ("to_timestamp=999", false),
            ("args=%7B%22to%22%3A%220x2%22%7D", true),
            ("args=%7B%22to%22%3A%220x3%22%7D", false),
        ] {
            let filter = EventFilter::parse(&Params::parse(query)).unwrap();
            assert_eq!(filter.matches(&event()), expected, "{query}");
        }
        for (rule, query) in
            [(&INTEGERS, "from_block=x"), (&INTEGERS, "to_timestamp=1.5"), (&ARGS_SELECT, "args=x")]
        {
            assert_eq!(EventFilter::parse(&Params::parse(query)).unwrap_err().rule, rule);
        }
    }

    #[test]
    fn transaction_filters_select() {
        for (query, expected) in [
            ("", true),
            ("address=0xa1", true),
            ("address=0xb2", true),
            ("address=0xc3", false),
            ("from=0xa1&to=0xb2", true),
            ("from=0xb2", false),
            ("to=0xa1", false),
            ("address=0xb2&from=0xb2", false),
            ("from_block=9&to_block=11&from_timestamp=1000&to_timestamp=1000", true),
            ("to_block=9", false),
        ] {
            let filter = TransactionFilter::parse(&Params::parse(query)).unwrap();
            assert_eq!(filter.matches(&transaction()), expected, "{query}");
        }
    }

    #[test]
    fn record_members_are_in_documented_order() {
        let event = serde_json::to_string(&event()).unwrap();
        assert!(
            event.starts_with(r#"{"transaction_hash":"0xt","block_number":10,"log_index":0,"contract":"#),
            "{event}"
        );
        let transaction = serde_json::to_string(&transaction()).unwrap();
        assert!(
            transaction.ends_with(r#""value":"1","gas":1,"gas_price":"1","timestamp":1000}"#),
            "{transaction}"
        );
    }

    proptest! {
        #[test]
        fn bounds_match_exactly_the_values_between_them(from in proptest::option::of(-5..5_i64), to in proptest::option::of(-5..5_i64), value in -6..6_i64) {
            let expected = (from.unwrap_or(i64::MIN)..=to.unwrap_or(i64::MAX)).contains(&value);
            prop_assert_eq!(Bounds { from, to }.hold(value), expected);
        }
    }
}
