//! A message as it was received, and the kind of record that its shape shows.
//!
//! Several members decide the kind, so that one wrong member does not hide a record from the check of that member.

use assay_spec::Dialect;
use assay_spec::crypto::address::Address;
use assay_spec::json;
use serde_json::{Map, Value};

/// A kind of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageKind {
    /// A write to the aggregate `projects`.
    Projects,
    /// A write to the aggregate `security`.
    Security,
    /// The creation of a deployment.
    Creation,
    /// The terminal record of a deployment.
    Amend,
    /// A record of a deployment from before schema 4, valid by earlier rules.
    Legacy,
    /// The claim of a machine's key.
    Claim,
    /// A FORGET of stored artifacts.
    Forget,
    /// Not a record of the application.
    Other,
}

/// A message.
#[derive(Clone, Debug)]
pub(super) struct Message {
    /// The message, with its members in the order received.
    pub(super) value: Value,
    /// Its JSON, as received.
    pub(super) text: String,
    /// Its kind.
    pub(super) kind: MessageKind,
    /// The index of the exchange that returned it.
    pub(super) exchange: usize,
}

/// The prefix of every project's identifier.
const PROJECT: &str = "proj_";

impl Message {
    /// Parses a message; `None` if it is not an object.
    pub(super) fn read(text: &str, dialect: &Dialect, exchange: usize) -> Option<Message> {
        let value = json::parse(text.as_bytes()).ok()?;
        value.is_object().then(|| Message {
            kind: kind(&value, dialect),
            text: text.to_owned(),
            value,
            exchange,
        })
    }

    /// The hash, as the node returns it.
    pub(super) fn hash(&self) -> &str {
        self.value["item_hash"].as_str().unwrap_or_default()
    }

    /// The sender, where it is an address.
    pub(super) fn sender(&self) -> Option<Address> {
        self.value["sender"].as_str().and_then(Address::parse)
    }

    /// `content.address`, where it is an address.
    pub(super) fn address(&self) -> Option<Address> {
        self.value["content"]["address"].as_str().and_then(Address::parse)
    }

    /// `content.time`, where it is an integer.
    pub(super) fn time(&self) -> Option<i64> {
        self.value["content"]["time"].as_i64()
    }

    /// `content.content`.
    pub(super) fn body(&self) -> &Value {
        &self.value["content"]["content"]
    }

    /// `content.ref`; empty where it is not a string.
    pub(super) fn target(&self) -> &str {
        self.value["content"]["ref"].as_str().unwrap_or_default()
    }

    /// A string member of the body; empty where it is missing.
    pub(super) fn id(&self, member: &str) -> &str {
        self.body()[member].as_str().unwrap_or_default()
    }

    /// `public.storeRef` of a deployment's record; empty where it is not a string.
    pub(super) fn store_ref(&self) -> &str {
        self.body()["public"]["storeRef"].as_str().unwrap_or_default()
    }

    /// Whether a terminal record says that its deployment is live. Without a valid status, it is live if it names an
    /// artifact.
    pub(super) fn is_live(&self) -> bool {
        match self.body()["public"]["status"].as_str() {
            Some("live") => true,
            Some("failed" | "queued") => false,
            _ => !self.store_ref().is_empty(),
        }
    }

    /// The entries of a write to `projects` that are objects, by their keys.
    pub(super) fn entries(&self) -> Vec<(&str, &Map<String, Value>)> {
        let entries = self.body().as_object().into_iter().flatten();
        entries.filter_map(|(id, entry)| Some((id.as_str(), entry.as_object()?))).collect()
    }
}

/// The kind of a message, by its shape.
fn kind(message: &Value, dialect: &Dialect) -> MessageKind {
    let content = &message["content"];
    let body = &content["content"];
    let of_type = |name: &str| content["type"] == name;
    let has = |members: &[&str]| members.iter().any(|member| body.get(member).is_some());
    let is_key = |name: &str| content["key"] == name;
    let is_legacy = body["public"].get("cid").is_some() && body["public"].get("storeRef").is_none();
    let is_map = body.as_object().is_some_and(|body| {
        body.iter().any(|(id, entry)| id.starts_with(PROJECT) || entry["public"]["deployTarget"].is_string())
    });
    // An owner may use the network for something else. What is on another channel counts by a name of the application alone.
    let is_foreign = message["channel"].as_str().is_some_and(|channel| {
        ![&dialect.records_channel, &dialect.retired_channel].contains(&&channel.to_owned())
    });
    let is_named = is_key("security")
        || is_key("projects")
        || has(&["deploymentId"])
        || [&dialect.deployment_type, &dialect.vm_claim_type].iter().any(|name| of_type(name));
    if is_foreign && !is_named {
        MessageKind::Other
    } else if message["type"] == "FORGET" || content.get("hashes").is_some() {
        MessageKind::Forget
    } else if is_key("security") || has(&["encryptionKey", "authorizations"]) {
        MessageKind::Security
    } else if is_key("projects") || is_map {
        MessageKind::Projects
    } else if of_type(&dialect.vm_claim_type) || has(&["instanceHash"]) {
        MessageKind::Claim
    } else if is_legacy {
        MessageKind::Legacy
    } else if of_type("amend")
        || (content.get("ref").is_some() && has(&["deploymentId", "projectId", "public"]))
    {
        MessageKind::Amend
    } else if of_type(&dialect.deployment_type) || has(&["deploymentId", "projectId"]) {
        MessageKind::Creation
    } else {
        MessageKind::Other
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind_of(value: &Value) -> MessageKind {
        Message::read(&value.to_string(), &Dialect::default(), 0).expect("an object").kind
    }

    fn sent(kind: &str, content: &Value) -> Value {
        json!({ "item_hash": "h", "type": kind, "content": content })
    }

    #[test]
    fn kind_follows_from_the_shape() {
        for (kind, content, wanted) in [
            ("AGGREGATE", json!({ "key": "projects", "content": {} }), MessageKind::Projects),
            ("POST", json!({ "key": "project", "content": { "proj_a": {} } }), MessageKind::Projects),
            (
                "AGGREGATE",
                json!({ "key": "x", "content": { "a": { "public": { "deployTarget": "ipfs" } } } }),
                MessageKind::Projects,
            ),
            ("AGGREGATE", json!({ "key": "security", "content": [] }), MessageKind::Security),
            ("POST", json!({ "content": { "authorizations": [] } }), MessageKind::Security),
            ("POST", json!({ "type": "svc-cloud-deployment", "content": [] }), MessageKind::Creation),
            (
                "AGGREGATE",
                json!({ "type": "other", "content": { "deploymentId": "d" } }),
                MessageKind::Creation,
            ),
            ("POST", json!({ "type": "amend", "content": [] }), MessageKind::Amend),
            ("POST", json!({ "type": "other", "ref": "h", "content": { "public": {} } }), MessageKind::Amend),
            (
                "POST",
                json!({ "type": "svc-cloud-deployment", "content": { "public": { "cid": "b" } } }),
                MessageKind::Legacy,
            ),
            ("POST", json!({ "type": "svc-vm-pubkey", "content": 1 }), MessageKind::Claim),
            ("POST", json!({ "type": "other", "content": { "instanceHash": "h" } }), MessageKind::Claim),
            ("FORGET", json!({ "hashes": [] }), MessageKind::Forget),
            ("POST", json!({ "hashes": ["h"] }), MessageKind::Forget),
            ("STORE", json!({ "item_hash": "c" }), MessageKind::Other),
            ("POST", json!({ "type": "blog", "ref": "h", "content": {} }), MessageKind::Other),
        ] {
            assert_eq!(kind_of(&sent(kind, &content)), wanted, "{kind} {content}");
        }
    }

    #[test]
    fn only_objects_are_messages() {
        for text in ["", "[]", "1", "{"] {
            assert!(Message::read(text, &Dialect::default(), 0).is_none(), "{text}");
        }
        let bare = Message::read("{}", &Dialect::default(), 0).expect("an object");
        assert_eq!(
            (bare.kind, bare.hash(), bare.time(), bare.entries().len()),
            (MessageKind::Other, "", None, 0)
        );
    }
}
