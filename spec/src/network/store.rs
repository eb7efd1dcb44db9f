//! Reads the STORE message (document 2, "Reading the STORE message"): the statuses, and what a response says about
//! the bytes.

use std::convert::identity;

use serde::Serialize;
use serde_json::{Value, json};

use crate::network::machines::StoreState;
use crate::network::message::Message;
use crate::network::mistakes::store::{
    READ_ABSENT, READ_FORGOTTEN, READ_GONE, READ_LIVE, READ_NOT_STORE, READ_OTHER, READ_REMOVED,
    READ_REMOVING, READ_STATUS_FIRST, READ_UNDECIDED,
};
use crate::rules::Mistake;
use crate::{Rules, Strict};

/// A message's status, as readers see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The message is stored.
    Processed,
    /// Its removal is scheduled; it is still complete.
    Removing,
    /// It was reclaimed.
    Removed,
    /// It was forgotten.
    Forgotten,
    /// It is not validated yet.
    Pending,
    /// It was rejected as invalid.
    Rejected,
}

impl Status {
    /// The six statuses, in the document's order.
    pub const ALL: [Status; 6] = [
        Status::Processed,
        Status::Removing,
        Status::Removed,
        Status::Forgotten,
        Status::Pending,
        Status::Rejected,
    ];

    /// The status' name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Processed => "processed",
            Status::Removing => "removing",
            Status::Removed => "removed",
            Status::Forgotten => "forgotten",
            Status::Pending => "pending",
            Status::Rejected => "rejected",
        }
    }

    /// The status with exactly this name.
    pub fn named(name: &str) -> Option<Status> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// The status of a message in that state; none before the message was accepted.
    pub fn from_state(state: StoreState) -> Option<Status> {
        Self::named(state.name())
    }

    /// Whether the message is complete and its file can be read.
    pub const fn is_live(self) -> bool {
        matches!(self, Status::Processed | Status::Removing)
    }
}

/// The response for one message that is live, pending or rejected.
pub fn wrapped(status: Status, message: &Message) -> Value {
    json!({"status": status.name(), "item_hash": &*message.item_hash, "message": message.record()})
}

/// The response for a forgotten message: the record without its content.
pub fn stripped(message: &Message) -> Value {
    let mut answer = wrapped(Status::Forgotten, message);
    answer["message"]["content"] = Value::Null;
    answer
}

/// The response for a message that was reclaimed.
pub fn removed(message: &Message, removed_at: i64, size: u64, reason: &str) -> Value {
    json!({
        "status": Status::Removed.name(), "item_hash": &*message.item_hash,
        "removed_at": removed_at, "size": size, "reason": reason,
    })
}

/// What a response says about a STORE's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// They are available.
    Live,
    /// They were forgotten.
    Forgotten,
    /// They were reclaimed.
    Removed,
    /// This node lacks the message; another may have it.
    Absent,
    /// The response says nothing about them.
    Unknown,
}

/// The result of reading a response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reading {
    /// What it says about the bytes.
    pub class: Class,
    /// The content identifier.
    pub cid: Option<String>,
    /// The documented warning.
    pub warning: Option<&'static str>,
    /// Whether the message is a valid target of a FORGET.
    pub forget_target: bool,
}

impl Reading {
    pub(super) fn for_class(class: Class) -> Reading {
        let warning = match class {
            Class::Live | Class::Unknown => None,
            Class::Forgotten => Some("STORE_FORGOTTEN"),
            Class::Removed => Some("STORE_REMOVED"),
            Class::Absent => Some("STORE_ABSENT"),
        };
        Reading { class, cid: None, warning, forget_target: false }
    }
}

/// Classifies a response. `body` is its JSON, or none. Every input has a result.
pub fn classify(http_status: u16, body: Option<&Value>, rules: &mut dyn Rules) -> Reading {
    match http_status {
        200 | 410 => {}
        404 => return class(&READ_ABSENT, Class::Absent, rules),
        _ => return class(&READ_OTHER, Class::Unknown, rules),
    }
    let cid = complete(body);
    let status = body.and_then(|body| body.get("status")).and_then(Value::as_str).and_then(Status::named);
    let status = rules.derive(&READ_STATUS_FIRST, (status, http_status, cid), |(status, ..)| status);
    match (status, cid) {
        (Some(Status::Forgotten), _) => class(&READ_FORGOTTEN, Class::Forgotten, rules),
        (Some(Status::Pending | Status::Rejected), _) => class(&READ_UNDECIDED, Class::Unknown, rules),
        _ if http_status == 410 => class(&READ_GONE, Class::Removed, rules),
        (Some(Status::Removed), _) => class(&READ_REMOVED, Class::Removed, rules),
        (Some(Status::Processed), Some(cid)) => live(cid, body, rules),
        (Some(Status::Removing), Some(cid)) => {
            let live = live(cid, body, rules);
            rules.derive(&READ_REMOVING, live, identity)
        }
        _ => class(&READ_NOT_STORE, Class::Absent, rules),
    }
}

/// Classifies a response with all rules on.
pub fn read(http_status: u16, body: Option<&Value>) -> Reading {
    classify(http_status, body, &mut Strict)
}

fn class(rule: &Mistake<fn(Class) -> Class>, documented: Class, rules: &mut dyn Rules) -> Reading {
    Reading::for_class(rules.derive(rule, documented, identity))
}

fn live(cid: &str, body: Option<&Value>, rules: &mut dyn Rules) -> Reading {
    let cid = rules.derive(&READ_LIVE, body, |_| cid);
    Reading { cid: Some(cid.to_owned()), forget_target: true, ..Reading::for_class(Class::Live) }
}

/// `message.content.item_hash` of a complete STORE.
fn complete(body: Option<&Value>) -> Option<&str> {
    let message = body?.get("message")?;
    let is_store = message.get("type").and_then(Value::as_str) == Some("STORE");
    let cid = message.pointer("/content/item_hash").and_then(Value::as_str);
    cid.filter(|cid| is_store && !cid.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::network::message::{Draft, MessageType};
    use crate::{Id, Without};

    fn store(status: &str) -> Value {
        json!({"status": status, "item_hash": "m", "message": {"type": "STORE", "content": {"item_hash": "cid"}}})
    }

    fn class(http_status: u16, body: &Value) -> (Class, Option<String>) {
        let reading = read(http_status, Some(body));
        (reading.class, reading.cid)
    }

    #[test]
    fn every_row_of_the_documents_table_is_classified() {
        let live = (Class::Live, Some("cid".to_owned()));
        assert_eq!(class(200, &store("processed")), live);
        assert_eq!(class(200, &store("removing")), live);
        assert_eq!(
            class(200, &json!({"status": "forgotten", "message": {"type": "STORE", "content": null}})).0,
            Class::Forgotten
        );
        assert_eq!(
            class(200, &json!({"status": "removed", "removed_at": 1, "size": 2, "reason": "r"})).0,
            Class::Removed
        );
        assert_eq!(class(410, &Value::Null).0, Class::Removed);
        assert_eq!(class(404, &json!({"error": "e", "status": "error", "code": "c"})).0, Class::Absent);
        assert_eq!(
            class(
                200,
                &json!({"status": "processed", "message": {"type": "POST", "content": {"item_hash": "x"}}})
            )
            .0,
            Class::Absent
        );
        assert_eq!(
            class(200, &json!({"status": "processed", "message": {"type": "STORE", "content": {}}})).0,
            Class::Absent
        );
        for status in ["pending", "rejected"] {
            for http_status in [200, 410] {
                let reading = read(http_status, Some(&store(status)));
                assert_eq!(
                    (reading.class, reading.warning, reading.forget_target),
                    (Class::Unknown, None, false)
                );
            }
        }
        assert_eq!(class(410, &store("forgotten")).0, Class::Forgotten);
        assert_eq!(class(200, &store("removed")).0, Class::Removed);
        assert_eq!(class(410, &store("processed")).0, Class::Removed);
        for other in [0, 301, 400, 429, 500, 503] {
            assert_eq!(class(other, &store("processed")).0, Class::Unknown, "{other}");
        }
        assert_eq!(read(200, None).warning, Some("STORE_ABSENT"));
    }

    #[test]
    fn each_violated_rule_changes_its_own_row() {
        let cases: [(Id, u16, Value); 11] = [
            (&READ_LIVE, 200, store("processed")),
            (&READ_REMOVING, 200, store("removing")),
            (&READ_FORGOTTEN, 200, json!({"status": "forgotten"})),
            (&READ_REMOVED, 200, json!({"status": "removed"})),
            (&READ_GONE, 410, Value::Null),
            (&READ_ABSENT, 404, Value::Null),
            (&READ_NOT_STORE, 200, json!({"status": "processed"})),
            (&READ_UNDECIDED, 200, json!({"status": "pending"})),
            (&READ_OTHER, 503, Value::Null),
            (&READ_STATUS_FIRST, 410, json!({"status": "forgotten"})),
            (&READ_STATUS_FIRST, 200, store("removed")),
        ];
        for (rule, http_status, body) in cases {
            let conforming = read(http_status, Some(&body));
            assert_ne!(classify(http_status, Some(&body), &mut Without(rule)), conforming, "{rule}");
        }
    }

    #[test]
    fn responses_of_a_node_are_classified_as_written() {
        let draft = Draft {
            chain: "ETH",
            sender: "0x1",
            kind: MessageType::Store,
            channel: "C",
            timestamp: 1,
            content: r#"{"item_hash":"cid"}"#,
        };
        let message = draft.signed("s");
        for status in [Status::Processed, Status::Removing] {
            assert_eq!(read(200, Some(&wrapped(status, &message))).cid.as_deref(), Some("cid"));
        }
        assert_eq!(read(200, Some(&stripped(&message))).class, Class::Forgotten);
        assert_eq!(read(200, Some(&removed(&message, 1, 2, "balance"))).class, Class::Removed);
    }

    proptest! {
        #[test]
        fn every_response_has_one_result(
            http_status in prop_oneof![Just(200_u16), Just(404), Just(410), any::<u16>()],
            status in prop_oneof![Just(json!("processed")), Just(json!("removed")), Just(json!("other")), Just(json!(1)), Just(Value::Null)],
            message in prop_oneof![Just(json!(null)), Just(json!([])), Just(json!({"type": "STORE", "content": {"item_hash": "c"}})), Just(json!({"type": 1}))],
        ) {
            let reading = read(http_status, Some(&json!({"status": status, "message": message})));
            prop_assert_eq!(reading.cid.is_some(), reading.class == Class::Live);
            prop_assert_eq!(reading.forget_target, reading.class == Class::Live);
            prop_assert_eq!(reading.warning.is_none(), matches!(reading.class, Class::Live | Class::Unknown));
        }
    }
}
