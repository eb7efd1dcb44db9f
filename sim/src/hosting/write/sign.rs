//! Turns a message into a signed request.

use std::sync::Arc;

use assay_spec::Strict;
use assay_spec::network::envelope::{body, message_text};
use assay_spec::network::message::{self, MessageType};
use assay_spec::network::signing::{sign_record, sign_text};
use serde_json::Value;

use super::Sent;
use crate::core::Core;
use crate::hosting::keys::Secret;

/// A kind of record, with what its message was made from.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::hosting) enum Record {
    /// `security`.
    Security,
    /// The map of projects.
    Projects {
        /// The key of the browser's session.
        session: Secret,
    },
    /// The creation of a deployment.
    Creation,
    /// The terminal record of a deployment.
    Terminal {
        /// The deployment.
        deployment: Arc<str>,
        /// The time of its creation, in seconds.
        created_s: i64,
    },
    /// A record of an earlier schema.
    Legacy,
    /// A FORGET of artifacts.
    Forget,
    /// A virtual machine.
    Instance,
    /// A claim of a machine's key.
    Claim {
        /// The owner of the machine.
        owner: Arc<str>,
    },
}

/// A message before it is signed.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct Draft {
    /// The record.
    pub(in crate::hosting) record: Record,
    /// The type.
    pub(in crate::hosting) kind: MessageType,
    /// The channel.
    pub(in crate::hosting) channel: String,
    /// The channel of messages that name none.
    pub(in crate::hosting) default_channel: String,
    /// The content.
    pub(in crate::hosting) content: Value,
    /// The signer.
    pub(in crate::hosting) sender: Secret,
    /// The message's timestamp.
    pub(in crate::hosting) time_s: i64,
    /// Whether it is signed like a request instead of a record.
    pub(in crate::hosting) as_request: bool,
}

impl Draft {
    /// Whether the key of the browser's session signs it.
    pub(in crate::hosting) fn is_by_session(&self) -> bool {
        matches!(&self.record, Record::Projects { session } if *session == self.sender)
    }

    /// The message of a record.
    pub(in crate::hosting) fn new(
        core: &Core,
        record: Record,
        content: Value,
        sender: Secret,
        time_s: i64,
    ) -> Draft {
        let kind = match record {
            Record::Security | Record::Projects { .. } => MessageType::Aggregate,
            Record::Creation | Record::Terminal { .. } | Record::Legacy | Record::Claim { .. } => {
                MessageType::Post
            }
            Record::Forget => MessageType::Forget,
            Record::Instance => MessageType::Instance,
        };
        Draft {
            as_request: matches!(record, Record::Instance),
            record,
            kind,
            channel: core.dialect.records_channel.clone(),
            default_channel: core.dialect.channel.clone(),
            content,
            sender,
            time_s,
        }
    }
}

/// The signature of a message, as a string.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct Signature(pub(in crate::hosting) String);

/// The signed request of a record.
pub(super) fn signed(core: &mut Core, draft: Draft) -> Sent {
    let draft = core.step(draft);
    send(core, &draft)
}

/// The request that carries a message.
pub(in crate::hosting) fn send(core: &mut Core, draft: &Draft) -> Sent {
    let Draft { kind, channel, content, sender, time_s, as_request, .. } = draft;
    let text = message_text("ETH", Some(channel), kind.name(), *time_s, content, None);
    let as_record = if *as_request { None } else { sign_record(&sender.key(), &text, &mut Strict).ok() };
    let signature = as_record.unwrap_or_else(|| sign_text(&sender.key(), text.as_bytes()));
    let Signature(signature) = core.step(Signature(signature));
    Sent {
        target: message::CREATE.path.to_owned(),
        content_type: "application/json",
        body: body(&text, &signature, &sender.address()).into(),
        time_s: *time_s,
        entry: None,
    }
}
