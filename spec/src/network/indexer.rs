//! Indexed chain data (document 2, "Indexer records" and "Endpoints").
//!
//! Readings: bounds are inclusive; addresses are compared without regard to case; `args` is a JSON object whose
//! members must be equal.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::network::endpoint;
use crate::network::params::Params;
use crate::network::requirements::indexer as rows;
use crate::network::requirements::indexer::{
    ADDRESS, ARGS_SELECT, CONTRACT, EVENT_BLOCKS, EVENT_NAME, EVENT_TIMES, FROM, INTEGERS, SENT_OR_RECEIVED,
    TO, TRANSACTION_BLOCKS, TRANSACTION_TIMES,
};
use crate::network::shapes::{ERRORS, LIMIT, PAGE, PAGED, PAGINATION};
use crate::shape::{Field, Reply, ShapeKind, may, must};
use crate::{Id, Refused, Rules, Strict};

/// The parameters of a list of events, for the API description.
const EVENT_QUERY: &[Field] = &[
    may("contract", ShapeKind::Text),
    may("event_name", ShapeKind::Text),
    may("from_block", ShapeKind::Integer),
    may("to_block", ShapeKind::Integer),
    may("from_timestamp", ShapeKind::Integer),
    may("to_timestamp", ShapeKind::Integer),
    may("args", ShapeKind::Object(&[])),
    PAGE,
    LIMIT,
];
/// Its response.
const EVENTS_REPLY: &[Field] = &[must("events", ShapeKind::Array(&ShapeKind::Object(EVENT))), PAGINATION];
const EVENT: &[Field] = &[
    must("transaction_hash", ShapeKind::Text).owned(&rows::EVENT),
    must("block_number", ShapeKind::Integer).owned(&rows::EVENT),
    must("log_index", ShapeKind::Integer).owned(&rows::EVENT),
    must("contract", ShapeKind::Text).owned(&rows::EVENT),
    must("event_name", ShapeKind::Text).owned(&rows::EVENT),
    must("args", ShapeKind::Object(&[])).owned(&rows::ARGS),
    must("timestamp", ShapeKind::Seconds).owned(&rows::EVENT),
];
/// The parameters of a list of transactions.
const TRANSACTION_QUERY: &[Field] = &[
    may("address", ShapeKind::Text),
    may("from", ShapeKind::Text),
    may("to", ShapeKind::Text),
    may("from_block", ShapeKind::Integer),
    may("to_block", ShapeKind::Integer),
    may("from_timestamp", ShapeKind::Integer),
    may("to_timestamp", ShapeKind::Integer),
    PAGE,
    LIMIT,
];
/// Its response.
const TRANSACTIONS_REPLY: &[Field] =
    &[must("transactions", ShapeKind::Array(&ShapeKind::Object(TRANSACTION))), PAGINATION];
const TRANSACTION: &[Field] = &[
    must("hash", ShapeKind::Text).owned(&rows::TRANSACTION),
    must("block_number", ShapeKind::Integer).owned(&rows::TRANSACTION),
    must("from", ShapeKind::Text).owned(&rows::TRANSACTION),
    must("to", ShapeKind::Text).owned(&rows::TRANSACTION),
    must("value", ShapeKind::Text).owned(&rows::AMOUNTS),
    must("gas", ShapeKind::Integer).owned(&rows::TRANSACTION),
    must("gas_price", ShapeKind::Text).owned(&rows::AMOUNTS),
    must("timestamp", ShapeKind::Seconds).owned(&rows::TRANSACTION),
];

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

/// An event of a contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// The transaction's hash.
    pub transaction_hash: String,
    /// The block.
    pub block_number: u64,
    /// Its position in the block.
    pub log_index: u64,
    /// The contract's address.
    pub contract: String,
    /// The event's name.
    pub event_name: String,
    /// Its arguments; large numbers are strings.
    pub args: Map<String, Value>,
    /// Seconds since the epoch.
    pub timestamp: i64,
}

/// A transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Transaction {
    /// Its hash.
    pub hash: String,
    /// The block.
    pub block_number: u64,
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// The amount, as a string.
    pub value: String,
    /// Gas used.
    pub gas: u64,
    /// The gas price, as a string.
    pub gas_price: String,
    /// Seconds since the epoch.
    pub timestamp: i64,
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

    fn parse(params: &Params, names: [&str; 2], rule: Id, rules: &mut dyn Rules) -> Result<Bounds, Refused> {
        // The deviation of this rule fails on what it should reject.
        let _ = rules.violated(&INTEGERS);
        let [from, to] = names.map(|name| params.integer(name, &INTEGERS, &mut Strict));
        let bounds = Bounds { from: from?, to: to? };
        Ok(rules.effect(rule, bounds, |bounds, variant| match variant {
            "from" => Bounds { from: None, ..bounds },
            "to" => Bounds { to: None, ..bounds },
            _ => Bounds::default(),
        }))
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
    pub fn parse(params: &Params, rules: &mut dyn Rules) -> Result<EventFilter, Refused> {
        let args = match params.text("args") {
            None => None,
            Some(text) => rules.parse(
                &ARGS_SELECT,
                || serde_json::from_str(text).map(Some).map_err(|e| format!("args: {e}")),
                || Ok(None),
            )?,
        };
        Ok(EventFilter {
            contract: rules.effect(&CONTRACT, params.text("contract"), |_, _| None).map(str::to_owned),
            event_name: rules.effect(&EVENT_NAME, params.text("event_name"), |_, _| None).map(str::to_owned),
            blocks: Bounds::parse(params, ["from_block", "to_block"], &EVENT_BLOCKS, rules)?,
            times: Bounds::parse(params, ["from_timestamp", "to_timestamp"], &EVENT_TIMES, rules)?,
            args,
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
    /// With the rule for `address` violated, only the sender is compared.
    pub sent_only: bool,
}

impl TransactionFilter {
    /// Reads the parameters.
    pub fn parse(params: &Params, rules: &mut dyn Rules) -> Result<TransactionFilter, Refused> {
        let mut text = |name, rule| rules.effect(rule, params.text(name), |_, _| None).map(str::to_owned);
        let [address, from, to] =
            [("address", &ADDRESS), ("from", &FROM), ("to", &TO)].map(|(name, rule)| text(name, rule));
        let sent_only = address.is_some() && rules.effect(&SENT_OR_RECEIVED, false, |_, _| true);
        Ok(TransactionFilter {
            address,
            from,
            to,
            blocks: Bounds::parse(params, ["from_block", "to_block"], &TRANSACTION_BLOCKS, rules)?,
            times: Bounds::parse(params, ["from_timestamp", "to_timestamp"], &TRANSACTION_TIMES, rules)?,
            sent_only,
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
            && (is(&self.address, &transaction.from)
                || (!self.sent_only && is(&self.address, &transaction.to)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{Strict, Without};

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
            let filter = EventFilter::parse(&Params::parse(query), &mut Strict).unwrap();
            assert_eq!(filter.matches(&event()), expected, "{query}");
        }
        for (rule, query) in
            [(&INTEGERS, "from_block=x"), (&INTEGERS, "to_timestamp=1.5"), (&ARGS_SELECT, "args=x")]
        {
            assert_eq!(EventFilter::parse(&Params::parse(query), &mut Strict).unwrap_err().rule, rule);
            assert_eq!(
                EventFilter::parse(&Params::parse(query), &mut Without(rule)).is_ok(),
                rule == &ARGS_SELECT
            );
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
            let filter = TransactionFilter::parse(&Params::parse(query), &mut Strict).unwrap();
            assert_eq!(filter.matches(&transaction()), expected, "{query}");
        }
        let received = Params::parse("address=0xb2");
        let filter = TransactionFilter::parse(&received, &mut Without(&SENT_OR_RECEIVED)).unwrap();
        assert!(!filter.matches(&transaction()));
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
