//! The filters of the two message lists (document 2, "Endpoints").
//!
//! Readings: a message must match all filters; the values of one filter are alternatives; addresses are compared
//! without regard to case; `startDate` is inclusive and `endDate` is exclusive; tags are looked up in the content;
//! `content.keys` is a path of member names that must exist.

use serde_json::Value;

use crate::network::endpoint;
use crate::network::message::Message;
use crate::network::params::Params;
use crate::network::requirements::{flat, listing};
use crate::network::shapes::{ERRORS, LIMIT, LISTED, PAGE, PAGED, PAGINATION};
use crate::shape::{Field, Reply, ShapeKind, may, must, present, related};
use crate::{Dialect, Refused};

/// The parameters of `GET /messages`, for the API description.
const LIST_QUERY: &[Field] = &[
    may("hashes", ShapeKind::Commas).owned(&listing::ANY_OF).selects(&listing::HASHES),
    may("addresses", ShapeKind::Commas).owned(&listing::ANY_OF).selects(&listing::ADDRESSES),
    may("channels", ShapeKind::Commas).owned(&listing::ANY_OF).selects(&listing::CHANNELS),
    may("tags", ShapeKind::Commas),
    may("types", ShapeKind::Commas).owned(&listing::ANY_OF).selects(&listing::TYPES),
    may("content.keys", ShapeKind::Text),
    PAGE,
    LIMIT,
];
/// Its response.
const LIST_REPLY: &[Field] = &[must("messages", ShapeKind::Array(&LIST_ITEM)), PAGINATION];
const LIST_ITEM: ShapeKind = ShapeKind::Object(&LIST_RECORD);
const LIST_RECORD: [Field; 9] =
    related(present(LISTED, &listing::LISTED), &listing::AS_SENT, &listing::FINDS);
const FLAT_ITEM: ShapeKind = ShapeKind::Object(&FLAT_RECORD);
const FLAT_RECORD: [Field; 9] = related(present(LISTED, &flat::FLAT), &flat::AS_SENT, &flat::FINDS);
/// The parameters of `GET /messages.json`.
const FLAT_QUERY: &[Field] = &[
    may("addresses", ShapeKind::Commas).selects(&flat::ADDRESSES),
    may("channels", ShapeKind::Commas).selects(&flat::CHANNELS),
    may("content_types", ShapeKind::Commas).selects(&flat::CONTENT_TYPES),
    may("startDate", ShapeKind::Integer).selects(&flat::START_DATE),
    may("endDate", ShapeKind::Integer).selects(&flat::END_DATE),
];

endpoint! {
    /// Lists messages in pages.
    LIST "messages" "GET" "/api/v0/messages" None [200, 400, 429, 500]
    group: "Messages",
    query: LIST_QUERY,
    reply: Reply::Json(ShapeKind::Object(LIST_REPLY)),
    row: Some(&listing::LISTED),
    whole: PAGED,
    errors: ERRORS,
}
endpoint! {
    /// Lists messages in a flat array.
    FLAT "messages-flat" "GET" "/api/v0/messages.json" None [200, 400, 429, 500]
    group: "Messages",
    query: FLAT_QUERY,
    reply: Reply::Json(ShapeKind::Listed(&FLAT_ITEM)),
    row: Some(&flat::FLAT),
    errors: ERRORS,
}

/// The filters of `GET /messages`.
pub const FILTERS: [&str; 6] = ["hashes", "addresses", "channels", "tags", "types", "content.keys"];

/// A filter over messages. An absent member matches every message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageFilter {
    /// The hash is one of these.
    pub hashes: Option<Vec<String>>,
    /// The sender is one of these.
    pub addresses: Option<Vec<String>>,
    /// The channel is one of these.
    pub channels: Option<Vec<String>>,
    /// One of the message's tags is one of these.
    pub tags: Option<Vec<String>>,
    /// The type is one of these.
    pub types: Option<Vec<String>>,
    /// The content's type is one of these.
    pub content_types: Option<Vec<String>>,
    /// The content has a value at this path.
    pub content_key: Option<String>,
    /// The timestamp is at or after this.
    pub start: Option<i64>,
    /// The timestamp is before this.
    pub end: Option<i64>,
}

impl MessageFilter {
    /// The filters of `GET /messages`.
    pub fn of_list(params: &Params) -> MessageFilter {
        MessageFilter {
            hashes: params.list("hashes"),
            addresses: params.list("addresses"),
            channels: params.list("channels"),
            tags: params.list("tags"),
            types: params.list("types"),
            content_key: params.text("content.keys").map(str::to_owned),
            ..MessageFilter::default()
        }
    }

    /// The filters of `GET /messages.json`. The two names of the measurements' content type are aliases.
    pub fn of_flat(dialect: &Dialect, params: &Params) -> Result<MessageFilter, Refused> {
        Ok(MessageFilter {
            addresses: params.list("addresses"),
            channels: params.list("channels"),
            content_types: params.list("content_types").map(|types| with_aliases(dialect, types)),
            start: params.integer("startDate", &flat::START_DATE)?,
            end: params.integer("endDate", &flat::END_DATE)?,
            ..MessageFilter::default()
        })
    }

    /// Whether the filter matches `message`.
    pub fn matches(&self, message: &Message) -> bool {
        self.start.is_none_or(|start| start <= message.timestamp)
            && self.end.is_none_or(|end| message.timestamp < end)
            && any_of(self.hashes.as_ref(), |hash| *hash == *message.item_hash)
            && any_of(self.addresses.as_ref(), |address| address.eq_ignore_ascii_case(&message.sender))
            && any_of(self.channels.as_ref(), |channel| *channel == *message.channel)
            && any_of(self.types.as_ref(), |kind| kind == message.kind.name())
            && self
                .content_types
                .as_ref()
                .is_none_or(|types| message.content_type().is_some_and(|kind| types.contains(&kind)))
            && self.tags.as_ref().is_none_or(|tags| message.tags().iter().any(|tag| tags.contains(tag)))
            && self.content_key.as_ref().is_none_or(|path| leads(&Value::Object(message.members()), path))
    }
}

fn any_of(values: Option<&Vec<String>>, same: impl Fn(&String) -> bool) -> bool {
    values.is_none_or(|values| values.iter().any(same))
}

fn with_aliases(dialect: &Dialect, mut types: Vec<String>) -> Vec<String> {
    let names = [&dialect.scoring_type, &dialect.metrics_type];
    if names.iter().any(|name| types.contains(name)) {
        types.extend(names.map(String::clone));
    }
    types
}

/// Whether a dotted path, with or without a leading `$.`, leads to a value.
fn leads(value: &Value, path: &str) -> bool {
    let path = path.strip_prefix("$.").unwrap_or(path);
    path.split('.').try_fold(value, |value, name| value.get(name)).is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::network::message::{Draft, MessageType};

    fn message(sender: &str, kind: MessageType, timestamp: i64) -> Message {
        let content = r#"{"type":"t","tags":["x"],"a":{"b":null}}"#;
        Draft { chain: "ETH", sender, kind, channel: "C", timestamp, content }.signed("s")
    }

    fn list(query: &str) -> MessageFilter {
        MessageFilter::of_list(&Params::parse(query))
    }

    fn flat(query: &str) -> Result<MessageFilter, Refused> {
        MessageFilter::of_flat(&Dialect::default(), &Params::parse(query))
    }

    #[test]
    fn each_filter_selects() {
        let one = message("0xAa", MessageType::Post, 10);
        for yes in [
            "",
            "addresses=0xaA",
            "addresses=0x1,0xAA",
            "types=STORE,POST",
            "channels=C",
            "tags=y,x",
            "content.keys=a.b",
            "content.keys=$.a",
            "unknown=1",
            &format!("hashes={}", one.item_hash),
        ] {
            assert!(list(yes).matches(&one), "{yes}");
        }
        for no in [
            "addresses=0xab",
            "types=post",
            "channels=c",
            "tags=y",
            "content.keys=a.c",
            "content.keys=a.b.c",
            "hashes=0",
            "types=POST&addresses=0x1",
        ] {
            assert!(!list(no).matches(&one), "{no}");
        }
    }

    #[test]
    fn start_date_is_inclusive_and_end_date_is_exclusive() {
        let one = message("0xaa", MessageType::Post, 10);
        for (query, expected) in [
            ("startDate=10", true),
            ("startDate=11", false),
            ("endDate=11", true),
            ("endDate=10", false),
            ("content_types=u,t", true),
            ("content_types=u", false),
        ] {
            assert_eq!(flat(query).unwrap().matches(&one), expected, "{query}");
        }
        assert_eq!(flat("startDate=x").unwrap_err().rule, &flat::START_DATE);
        assert_eq!(flat("endDate=1e3").unwrap_err().rule, &flat::END_DATE);
    }

    #[test]
    fn the_two_content_types_of_measurements_are_aliases() {
        let dialect = Dialect::default();
        for name in [&dialect.scoring_type, &dialect.metrics_type] {
            let types = flat(&format!("content_types={name}")).unwrap().content_types.unwrap();
            assert!(types.contains(&dialect.scoring_type) && types.contains(&dialect.metrics_type));
        }
        assert_eq!(flat("content_types=other").unwrap().content_types.unwrap(), ["other"]);
    }

    proptest! {
        #[test]
        fn additional_filters_never_match_more(
            sender in 0..4_u8, kind in 0..10_usize, timestamp in 0..20_i64,
            wanted in 0..4_u8, types in 0..10_usize, start in 0..20_i64,
        ) {
            let one = message(&format!("0x{sender}"), MessageType::ALL[kind], timestamp);
            let by_address = list(&format!("addresses=0x{wanted}"));
            let both = list(&format!("addresses=0x{wanted}&types={}", MessageType::ALL[types].name()));
            prop_assert_eq!(by_address.matches(&one), sender == wanted);
            prop_assert_eq!(both.matches(&one), sender == wanted && kind == types);
            prop_assert_eq!(flat(&format!("startDate={start}")).unwrap().matches(&one), start <= timestamp);
        }
    }
}
