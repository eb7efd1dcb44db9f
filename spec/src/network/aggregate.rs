//! Aggregates: keyed documents of an address (document 2, "Aggregate" and "Endpoints").
//!
//! Reading: a write replaces the members that it names and keeps the others. Of two writes of one member the later
//! `time` wins; at the same time, the greater hash. So the result does not depend on the order of arrival.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::json;
use crate::network::endpoint;
use crate::network::members::{filled, read_member};
use crate::network::message::MessageType;
use crate::network::mistakes::aggregates::{CREATE_ADDRESS, CREATE_CONTENT, CREATE_KEY};
use crate::network::params::Params;
use crate::network::requirements::aggregates as rows;
use crate::network::requirements::paging::ODD_VALUES;
use crate::network::shapes::{ACCEPTED, ERRORS, LIMIT, PAGE, PAGED, PAGINATION};
use crate::shape::{Body, Field, Reply, ShapeKind, may, must, object};
use crate::{Refused, Rules};

/// The content of a write.
const WRITE: &[Field] =
    &[must("key", ShapeKind::Text), may("address", ShapeKind::Text), must("content", ShapeKind::Object(&[]))];
/// The parameters of a list.
const LIST_QUERY: &[Field] = &[
    may("address", ShapeKind::Text).selects(&rows::BY_ADDRESS),
    may("key", ShapeKind::Text).selects(&rows::BY_KEY),
    may("keys", ShapeKind::Commas).selects(&rows::BY_KEYS).owned(&rows::BY_KEYS),
    may("content.fields", ShapeKind::Commas),
    PAGE,
    LIMIT,
];
/// Its response.
const LIST_REPLY: &[Field] = &[must("aggregates", ShapeKind::Array(&Record::SHAPE)), PAGINATION];
/// The parameters for reading the aggregates of an address.
const OF_ADDRESS_QUERY: &[Field] = &[
    may("keys", ShapeKind::Commas).selects(&rows::JSON_KEYS).owned(&rows::JSON_KEYS),
    LIMIT.selects(&rows::JSON_LIMIT),
];

endpoint! {
    /// Reads an aggregate.
    READ "aggregate" "GET" "/api/v0/aggregates/{address}/{key}" None [200, 400, 404, 429, 500]
    group: "Aggregates",
    reply: Reply::Json(Record::SHAPE),
    row: Some(&rows::CONTENT),
    errors: ERRORS,
}
endpoint! {
    /// Lists aggregates in pages.
    LIST "aggregates" "GET" "/api/v0/aggregates" None [200, 400, 429, 500]
    group: "Aggregates",
    query: LIST_QUERY,
    reply: Reply::Json(ShapeKind::Object(LIST_REPLY)),
    row: Some(&rows::LISTED),
    whole: PAGED,
    errors: ERRORS,
}
endpoint! {
    /// Reads the aggregates of an address.
    OF_ADDRESS "aggregates-of" "GET" "/api/v0/aggregates/{address}.json" None [200, 400, 404, 429, 500]
    group: "Aggregates",
    query: OF_ADDRESS_QUERY,
    reply: Reply::Json(ShapeKind::Open("neither its container nor the form of its elements is shown")),
    row: Some(&rows::JSON),
    errors: ERRORS,
}
endpoint! {
    /// Writes to an aggregate.
    CREATE "create-aggregate" "POST" "/api/v0/aggregates" Envelope [200, 400, 401, 403, 429, 500]
    group: "Aggregates",
    body: Body::Envelope { kind: Some(MessageType::Aggregate.name()), content: WRITE },
    reply: ACCEPTED,
    row: Some(&rows::CREATED),
    errors: ERRORS,
}

/// A write.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The key.
    pub key: String,
    /// The owner, if the content names one.
    pub address: Option<String>,
    /// The members that are written.
    pub content: Map<String, Value>,
    /// Seconds since the epoch, if the content says so; otherwise the message's timestamp is used.
    pub time: Option<i64>,
}

impl Write {
    /// Reads an AGGREGATE's content.
    pub fn parse<'a>(content: &'a Map<String, Value>, rules: &mut dyn Rules) -> Result<Write, Refused> {
        let members = |sent: Option<&Value>| sent?.as_object().cloned();
        let owner = |sent: Option<&'a Value>| match sent {
            None => Some(None),
            sent => filled(sent).map(Some),
        };
        Ok(Write {
            key: read_member(&CREATE_KEY, "key", content, filled, rules)?.to_owned(),
            address: read_member(&CREATE_ADDRESS, "address", content, owner, rules)?.map(str::to_owned),
            content: read_member(&CREATE_CONTENT, "content", content, members, rules)?,
            time: content.get("time").and_then(json::integer),
        })
    }
}

/// When a member was written: the time, the message's hash, the member's position in the write.
type Written = (i64, Arc<str>, usize);

/// The current state of an aggregate.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// The owner.
    pub address: Arc<str>,
    /// The key.
    pub key: Arc<str>,
    members: BTreeMap<String, (Written, Value)>,
    last: (i64, Arc<str>),
}

object! {
    /// An aggregate's record, members in the document's order.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Record {
        /// The key.
        key: String = must("key", ShapeKind::Text).owned(&rows::KEY).derived("the last write"),
        /// The owner.
        address: String = must("address", ShapeKind::Text).owned(&rows::ADDRESS).derived("the sender of the writes"),
        /// The members.
        content: Map<String, Value> = must("content", ShapeKind::Object(&[])).owned(&rows::CONTENT).derived("the writes"),
        /// Seconds of the last write.
        time: i64 = must("time", ShapeKind::Seconds).owned(&rows::TIME).moment(),
        /// The message of the last write.
        item_hash: String = must("item_hash", ShapeKind::Text).owned(&rows::ITEM_HASH)
            .free("which message it names is not shown"),
    }
}

impl Aggregate {
    /// An empty aggregate, before its first write.
    pub fn new(address: &str, key: &str) -> Aggregate {
        Aggregate {
            address: address.into(),
            key: key.into(),
            members: BTreeMap::new(),
            last: (i64::MIN, "".into()),
        }
    }

    /// Merges the write of the message `item_hash` at `time`.
    pub fn merge(&mut self, content: &Map<String, Value>, time: i64, item_hash: &Arc<str>) {
        for (place, (name, value)) in content.iter().enumerate() {
            let written = (time, item_hash.clone(), place);
            let is_outdated = self.members.get(name).is_some_and(|(current, _)| *current >= written);
            if !is_outdated {
                self.members.insert(name.clone(), (written, value.clone()));
            }
        }
        self.last = self.last.clone().max((time, item_hash.clone()));
    }

    /// The record: members in the order of their last write.
    pub fn record(&self) -> Record {
        let mut members: Vec<_> = self.members.iter().collect();
        members.sort_by(|(_, (a, _)), (_, (b, _))| a.cmp(b));
        Record {
            key: self.key.to_string(),
            address: self.address.to_string(),
            content: members.into_iter().map(|(name, (_, value))| (name.clone(), value.clone())).collect(),
            time: self.last.0,
            item_hash: self.last.1.to_string(),
        }
    }
}

impl Record {
    /// Keeps only the content members that `fields` names.
    #[must_use]
    pub fn with_fields(mut self, fields: Option<&Vec<String>>) -> Record {
        if let Some(fields) = fields {
            self.content.retain(|name, _| fields.contains(name));
        }
        self
    }
}

/// A filter over aggregates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AggregateFilter {
    /// The owner is this.
    pub address: Option<String>,
    /// The key is one of these.
    pub keys: Option<Vec<String>>,
    /// Only these members of the content are returned.
    pub fields: Option<Vec<String>>,
}

impl AggregateFilter {
    /// The filters of `GET /aggregates`. With `key` and `keys`, both must match.
    pub fn of_list(params: &Params) -> AggregateFilter {
        let keys = match (params.text("key"), params.list("keys")) {
            (None, keys) => keys,
            (Some(key), None) => Some(vec![key.to_owned()]),
            (Some(key), Some(keys)) => Some(keys.into_iter().filter(|other| other == key).collect()),
        };
        AggregateFilter {
            address: params.text("address").map(str::to_owned),
            keys,
            fields: params.list("content.fields"),
        }
    }

    /// The filters and the limit of `GET /aggregates/{address}.json`.
    pub fn of_address(address: &str, params: &Params) -> Result<(AggregateFilter, Option<u64>), Refused> {
        let limit = params.text("limit").map(str::parse::<u64>).transpose().map_err(|_| Refused {
            rule: &ODD_VALUES,
            why: format!("limit is {:?}", params.text("limit")),
        })?;
        let filter =
            AggregateFilter { address: Some(address.to_owned()), keys: params.list("keys"), fields: None };
        Ok((filter, limit))
    }

    /// Whether the filter matches an aggregate.
    pub fn matches(&self, address: &str, key: &str) -> bool {
        self.address.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(address))
            && self.keys.as_ref().is_none_or(|keys| keys.iter().any(|wanted| wanted == key))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{Id, Strict, Without};

    fn members(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn merged(writes: &[(Value, i64, &str)]) -> Record {
        let mut aggregate = Aggregate::new("0x1", "k");
        for (content, time, hash) in writes {
            aggregate.merge(&members(content), *time, &(*hash).into());
        }
        aggregate.record()
    }

    #[test]
    fn later_write_replaces_its_members_and_keeps_the_others() {
        let record =
            merged(&[(json!({"a": {"x": 1}, "b": 1}), 1, "h1"), (json!({"a": {"y": 2}, "c": 3}), 2, "h2")]);
        assert_eq!(
            serde_json::to_string(&record).unwrap(),
            r#"{"key":"k","address":"0x1","content":{"b":1,"a":{"y":2},"c":3},"time":2,"item_hash":"h2"}"#
        );
        let late = merged(&[(json!({"a": 2}), 2, "h2"), (json!({"a": 1, "b": 1}), 1, "h1")]);
        assert_eq!(
            (late.content, late.time, late.item_hash.as_str()),
            (members(&json!({"b": 1, "a": 2})), 2, "h2")
        );
    }

    #[test]
    fn malformed_writes_are_rejected() {
        let good = json!({"key": "k", "address": "0x1", "content": {"a": 1}, "time": 5});
        assert_eq!(Write::parse(&members(&good), &mut Strict).unwrap().time, Some(5));
        let cases: [(Id, &str, Value); 6] = [
            (&CREATE_KEY, "key", json!(1)),
            (&CREATE_KEY, "key", json!("")),
            (&CREATE_KEY, "key", json!(null)),
            (&CREATE_ADDRESS, "address", json!(1)),
            (&CREATE_CONTENT, "content", json!([])),
            (&CREATE_CONTENT, "content", json!("{}")),
        ];
        for (rule, name, value) in cases {
            let mut bad = members(&good);
            bad.insert(name.to_owned(), value);
            assert_eq!(Write::parse(&bad, &mut Strict).unwrap_err().rule, rule);
            assert!(Write::parse(&bad, &mut Without(rule)).is_ok());
        }
    }

    #[test]
    fn filters_select_by_owner_and_keys() {
        let of = |query: &str| AggregateFilter::of_list(&Params::parse(query));
        for (query, expected) in [
            ("", true),
            ("address=0xAB", true),
            ("address=0x2", false),
            ("key=k", true),
            ("key=l", false),
            ("keys=l,k", true),
            ("keys=l", false),
            ("key=k&keys=l", false),
        ] {
            assert_eq!(of(query).matches("0xab", "k"), expected, "{query}");
        }
        let (filter, limit) = AggregateFilter::of_address("0xab", &Params::parse("keys=k&limit=50")).unwrap();
        assert!(filter.matches("0xAB", "k") && !filter.matches("0xab", "l"));
        assert_eq!(limit, Some(50));
        for odd in ["limit=-1", "limit=x"] {
            assert!(AggregateFilter::of_address("a", &Params::parse(odd)).is_err(), "{odd}");
        }
    }

    proptest! {
        #[test]
        fn order_of_arrival_does_not_matter(
            writes in proptest::collection::vec((proptest::collection::btree_map("[a-d]", 0..9_i64, 0..4), 0..4_i64, "[a-c]"), 0..7),
        ) {
            let writes: Vec<(Value, i64, &str)> =
                writes.iter().map(|(content, time, hash)| (json!(content), *time, hash.as_str())).collect();
            // Two contents with the same hash and time are one message: keep the first.
            let mut distinct: Vec<(Value, i64, &str)> = Vec::new();
            for write in writes {
                if !distinct.iter().any(|(_, time, hash)| (*time, *hash) == (write.1, write.2)) {
                    distinct.push(write);
                }
            }
            let forward = merged(&distinct);
            distinct.reverse();
            let backward = merged(&distinct);
            prop_assert_eq!(serde_json::to_string(&forward).unwrap(), serde_json::to_string(&backward).unwrap());
        }
    }
}
