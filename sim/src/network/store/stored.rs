//! One message as stored: one run of bytes, with shared strings as numbers. There may be a million of them,
//! and listing one reads it once.

use std::sync::Arc;

use assay_spec::Instant;
use assay_spec::crypto::text::{hex, parse_prefixed_hex};
use assay_spec::network::machines::StoreState;
use assay_spec::network::message::{Message, MessageType};

use super::names::{Name, Names};
use crate::network::hash::Hash;

/// The number of a message, in order of arrival from 0.
pub(in crate::network) type Number = u32;

/// A message. Cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::network) struct Stored(Arc<[u8]>);

/// The layout. The content follows the signature, up to the end.
const HASH: usize = 0;
const TIMESTAMP: usize = 32;
const RECEIVED: usize = 40;
const CHAIN: usize = 48;
const SENDER: usize = 52;
const SENDER_FOLDED: usize = 56;
const CHANNEL: usize = 60;
const CONTENT_TYPE: usize = 64;
/// The length of a signature's string. A signature of the usual form, [`WALLET`], is stored as its 65 bytes.
const SIGNATURE_LENGTH: usize = 68;
const KIND: usize = 72;
const STATE: usize = 73;
const SIGNATURE: usize = 74;

const WALLET: u32 = u32::MAX;
const NO_NAME: Name = Name::MAX;

/// The states, by the numbers that encode them.
const STATES: [StoreState; 7] = [
    StoreState::None,
    StoreState::Pending,
    StoreState::Processed,
    StoreState::Rejected,
    StoreState::Removing,
    StoreState::Removed,
    StoreState::Forgotten,
];

impl Stored {
    /// Encodes `message` in state pending; its strings go to `names`.
    pub(super) fn new(message: &Message, hash: Hash, received: Instant, names: &mut Names) -> Stored {
        let wallet: Option<[u8; 65]> =
            parse_prefixed_hex(&message.signature).and_then(|bytes| bytes.try_into().ok());
        // Only if it decodes to the same string.
        let wallet = wallet.filter(|bytes| written(bytes) == *message.signature);
        let signature = wallet.as_ref().map_or(message.signature.as_bytes(), |bytes| &bytes[..]);
        let length = if wallet.is_some() { WALLET } else { signature.len() as u32 };
        let folded = names.intern(&message.sender.to_ascii_lowercase());
        let content_type = message.content_type().map_or(NO_NAME, |kind| names.intern(&kind));
        let numbers = [
            names.intern(&message.chain),
            names.intern(&message.sender),
            folded,
            names.intern(&message.channel),
            content_type,
            length,
        ];
        let mut bytes = Vec::with_capacity(SIGNATURE + signature.len() + message.content.len());
        bytes.extend_from_slice(&hash.0);
        bytes.extend_from_slice(&message.timestamp.to_le_bytes());
        bytes.extend_from_slice(&received.0.to_le_bytes());
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend([message.kind as u8, place(StoreState::Pending)]);
        bytes.extend_from_slice(signature);
        bytes.extend_from_slice(message.content.as_bytes());
        Stored(bytes.into())
    }

    /// Its hash.
    pub(in crate::network) fn hash(&self) -> Hash {
        Hash(self.part(HASH))
    }

    /// Seconds since the epoch, as sent.
    pub(in crate::network) fn timestamp(&self) -> i64 {
        i64::from_le_bytes(self.part(TIMESTAMP))
    }

    /// When it arrived.
    pub(in crate::network) fn received(&self) -> Instant {
        Instant(i64::from_le_bytes(self.part(RECEIVED)))
    }

    /// Its type.
    pub(in crate::network) fn kind(&self) -> MessageType {
        MessageType::ALL[self.0[KIND] as usize]
    }

    /// Its state. Messages of every type have one; only a STORE uses all of them.
    pub(in crate::network) fn state(&self) -> StoreState {
        STATES[self.0[STATE] as usize]
    }

    pub(super) fn set_state(&mut self, state: StoreState) {
        Arc::make_mut(&mut self.0)[STATE] = place(state);
    }

    /// Its content, as compact JSON.
    pub(in crate::network) fn content(&self) -> &str {
        std::str::from_utf8(&self.0[self.content_at()..])
            .expect("the content was a string when it was stored")
    }

    /// The sender's address in lower case.
    pub(super) fn sender_folded(&self) -> Name {
        self.number(SENDER_FOLDED)
    }

    pub(super) fn channel(&self) -> Name {
        self.number(CHANNEL)
    }

    pub(super) fn content_type(&self) -> Option<Name> {
        Some(self.number(CONTENT_TYPE)).filter(|name| *name != NO_NAME)
    }

    /// The message as the document describes it, without confirmations.
    pub(super) fn message(&self, names: &Names) -> Message {
        let signature = &self.0[SIGNATURE..self.content_at()];
        let signature = match self.number(SIGNATURE_LENGTH) {
            WALLET => written(signature),
            _ => String::from_utf8_lossy(signature).into_owned(),
        };
        Message {
            item_hash: self.hash().hex().into(),
            chain: names.text(self.number(CHAIN)),
            sender: names.text(self.number(SENDER)),
            kind: self.kind(),
            channel: names.text(self.channel()),
            timestamp: self.timestamp(),
            content: self.content().into(),
            signature: signature.into(),
            confirmations: Arc::default(),
        }
    }

    fn content_at(&self) -> usize {
        match self.number(SIGNATURE_LENGTH) {
            WALLET => SIGNATURE + 65,
            length => SIGNATURE + length as usize,
        }
    }

    fn number(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.part(at))
    }

    fn part<const N: usize>(&self, at: usize) -> [u8; N] {
        self.0[at..at + N].try_into().expect("the slice has this length")
    }
}

fn written(signature: &[u8]) -> String {
    format!("0x{}", hex(signature))
}

fn place(state: StoreState) -> u8 {
    STATES.iter().position(|one| *one == state).expect("every state is listed") as u8
}

#[cfg(test)]
mod tests {
    use assay_spec::network::message::Draft;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_message_is_kept_whole(
            texts in proptest::array::uniform4("\\PC{0,12}"),
            kind in 0..10_usize,
            timestamp in any::<i64>(),
            wallet in proptest::option::of(proptest::collection::vec(any::<u8>(), 63..67)),
            state in 0..7_usize,
            typed in any::<bool>(),
        ) {
            let [chain, sender, channel, text] = texts;
            let signature = wallet.map_or(text.clone(), |bytes| written(&bytes));
            let content = if typed { serde_json::json!({ "type": text }) } else { serde_json::json!({ "x": text }) };
            let content = content.to_string();
            let kind = MessageType::ALL[kind];
            let (chain, sender, channel) = (chain.as_str(), sender.as_str(), channel.as_str());
            let message = Draft { chain, sender, kind, channel, timestamp, content: &content }.signed(&signature);
            let hash = Hash::parse(&message.item_hash).expect("a hash");
            let mut names = Names::default();
            let mut stored = Stored::new(&message, hash, Instant(timestamp / 2), &mut names);
            let copy = stored.clone();
            stored.set_state(STATES[state]);
            prop_assert_eq!(stored.message(&names), message.clone());
            prop_assert_eq!((stored.hash(), stored.kind(), stored.content()), (hash, kind, content.as_str()));
            prop_assert_eq!((stored.state(), stored.received()), (STATES[state], Instant(timestamp / 2)));
            prop_assert_eq!(copy.state(), StoreState::Pending);
            let content_type = stored.content_type().map(|name| names.text(name).to_string());
            prop_assert_eq!(content_type, message.content_type());
        }
    }
}
