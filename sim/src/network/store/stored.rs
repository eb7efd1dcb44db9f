//! One message as the store keeps it: hashes and wallet signatures as bytes, shared texts as numbers.

use std::sync::Arc;

use assay_spec::Instant;
use assay_spec::crypto::text::{hex, parse_prefixed_hex};
use assay_spec::network::machines::StoreState;
use assay_spec::network::message::{Message, MessageType};

use super::names::{Name, Names};
use crate::network::hash::Hash;

/// A message. Of its kind there may be a million.
#[derive(Clone, Debug)]
pub(in crate::network) struct Stored {
    /// Its hash.
    pub(in crate::network) hash: Hash,
    signature: Signature,
    /// Its content, compact.
    pub(in crate::network) content: Arc<str>,
    /// Seconds since the epoch, as sent.
    pub(in crate::network) timestamp: i64,
    /// When it came.
    pub(in crate::network) received: Instant,
    chain: Name,
    /// The sender's address as sent, and in lower case.
    pub(super) sender: Name,
    pub(super) sender_folded: Name,
    pub(super) channel: Name,
    pub(super) content_type: Option<Name>,
    /// Its type.
    pub(in crate::network) kind: MessageType,
    /// What has become of it. Messages of every type have one of these; only a STORE makes all the moves.
    pub(in crate::network) state: StoreState,
}

/// A signature: of the usual form in its 65 bytes, any other as text.
#[derive(Clone, Debug)]
enum Signature {
    Wallet([u8; 65]),
    Text(Arc<str>),
}

impl Signature {
    fn of(text: &Arc<str>) -> Signature {
        let bytes = parse_prefixed_hex(text).and_then(|bytes| bytes.try_into().ok());
        // Only what prints back to the same text.
        bytes
            .map(Signature::Wallet)
            .filter(|short| *short.text() == **text)
            .unwrap_or(Signature::Text(text.clone()))
    }

    fn text(&self) -> Arc<str> {
        match self {
            Signature::Wallet(bytes) => format!("0x{}", hex(bytes)).into(),
            Signature::Text(text) => text.clone(),
        }
    }
}

impl Stored {
    /// `message` as it is kept; its texts go to `names`.
    pub(super) fn new(message: &Message, hash: Hash, received: Instant, names: &mut Names) -> Stored {
        Stored {
            hash,
            signature: Signature::of(&message.signature),
            content: message.content.clone(),
            timestamp: message.timestamp,
            received,
            chain: names.intern(&message.chain),
            sender: names.intern(&message.sender),
            sender_folded: names.intern(&message.sender.to_ascii_lowercase()),
            channel: names.intern(&message.channel),
            content_type: message.content_type().map(|kind| names.intern(&kind)),
            kind: message.kind,
            state: StoreState::Pending,
        }
    }

    /// The message as the documents describe it, without confirmations.
    pub(in crate::network) fn message(&self, names: &Names) -> Message {
        Message {
            item_hash: self.hash.hex().into(),
            chain: names.text(self.chain),
            sender: names.text(self.sender),
            kind: self.kind,
            channel: names.text(self.channel),
            timestamp: self.timestamp,
            content: self.content.clone(),
            signature: self.signature.text(),
            confirmations: Arc::default(),
        }
    }
}
