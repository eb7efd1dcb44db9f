//! The messages and files of the network, with an index for every filter. A clone is cheap and shares
//! everything.
//!
//! Messages have numbers in the order of arrival and are never removed. Every index list is sorted by time
//! and then by arrival; pages are read from its end.

mod digests;
mod files;
mod index;
mod names;
mod ranked;
mod select;
mod stored;

use std::sync::Arc;

use assay_spec::Instant;
use assay_spec::network::machines::StoreState;
use assay_spec::network::message::Message;
use imbl::{OrdMap, Vector};

use crate::network::hash::Hash;

pub(super) use files::{Files, NODES};
pub(super) use select::Selection;
pub(super) use stored::{Number, Stored};

use digests::Digests;
use index::{Dim, Index};
use names::Names;

/// The store.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    messages: Vector<Stored>,
    by_hash: Digests,
    names: Names,
    index: Index,
    lives: OrdMap<Number, Arc<Life>>,
    by_owner: OrdMap<Arc<str>, Vector<Number>>,
    /// The files.
    pub(super) files: Files,
    /// The size of all contents, in bytes.
    bytes: u64,
    /// Counts every change.
    version: u64,
}

/// The lifecycle data of a STORE message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Life {
    /// Its payer, in lower case.
    pub(super) owner: Arc<str>,
    /// The file's identifier, if the network has had the file.
    pub(super) cid: Option<Arc<str>>,
    /// The file's size in bytes.
    pub(super) size: u64,
    /// The file's content type, as uploaded.
    pub(super) content_type: Option<Arc<str>>,
    /// When its removal was scheduled.
    pub(super) removing_at: Option<Instant>,
    /// When it was removed.
    pub(super) removed_at: Option<Instant>,
    /// The FORGET that was applied to it.
    pub(super) forgotten_by: Option<Hash>,
}

impl Store {
    /// The number of messages.
    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

    /// The size of contents and files, in bytes.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes + self.files.bytes()
    }

    /// Counts every change: two states of one store with the same version are equal.
    pub(super) const fn version(&self) -> u64 {
        self.version
    }

    /// Marks a change of the store, or of what depends on it.
    pub(super) fn touch(&mut self) {
        self.version += 1;
    }

    /// Adds a message in state pending. Its hash must be new.
    pub(super) fn add(&mut self, message: &Message, received: Instant) -> Number {
        let number = self.messages.len() as Number;
        let hash = Hash::parse(&message.item_hash).expect("the spec writes hashes as 64 hex digits");
        let stored = Stored::new(message, hash, received, &mut self.names);
        self.bytes += message.content.len() as u64;
        self.by_hash.insert(hash, number);
        self.messages.push_back(stored.clone());
        for (dim, name) in index::entries(&stored, message, &mut self.names) {
            self.enter(dim, name, number);
        }
        self.touch();
        number
    }

    /// Enters a listed message into the lists once more.
    pub(super) fn list_again(&mut self, number: Number) {
        let message = self.message(number);
        let stored = self.stored(number).clone();
        for (dim, name) in index::entries(&stored, &message, &mut self.names) {
            self.enter(dim, name, number);
        }
        self.touch();
    }

    fn enter(&mut self, dim: Dim, name: names::Name, number: Number) {
        let mut list = self.index.take(dim, name);
        let key = self.order(number);
        let rank = list.rank_of(|other| self.order(other) <= key);
        list.insert(rank, number);
        self.index.put(dim, name, list);
    }

    /// The sort key of a message in every list.
    fn order(&self, number: Number) -> (i64, Number) {
        (self.stored(number).timestamp(), number)
    }

    /// The number of the message with that hash.
    pub(super) fn find(&self, hash: Hash) -> Option<Number> {
        self.by_hash.find(hash, |number| self.stored(number).hash() == hash)
    }

    /// The number of the message with that hash, in either string form.
    pub(super) fn find_text(&self, text: &str) -> Option<Number> {
        self.find(Hash::parse(text)?)
    }

    /// A message as stored.
    pub(super) fn stored(&self, number: Number) -> &Stored {
        self.messages.get(number as usize).expect("numbers come from this store")
    }

    /// A message as the document describes it, without confirmations.
    pub(super) fn message(&self, number: Number) -> Message {
        self.stored(number).message(&self.names)
    }

    /// The sender's address in lower case.
    pub(super) fn sender(&self, number: Number) -> Arc<str> {
        self.names.text(self.stored(number).sender_folded())
    }

    /// The channel of a message.
    pub(super) fn channel(&self, number: Number) -> Arc<str> {
        self.names.text(self.stored(number).channel())
    }

    /// The state of a message.
    pub(super) fn state(&self, number: Number) -> StoreState {
        self.stored(number).state()
    }

    /// Changes the state of a message.
    pub(super) fn set_state(&mut self, number: Number, state: StoreState) {
        let stored = self.messages.get_mut(number as usize).expect("numbers come from this store");
        stored.set_state(state);
        self.touch();
    }

    /// The lifecycle data of a STORE message.
    pub(super) fn life(&self, number: Number) -> Option<&Arc<Life>> {
        self.lives.get(&number)
    }

    /// Sets the lifecycle data of a STORE message.
    pub(super) fn begin_life(&mut self, number: Number, life: Life) {
        self.by_owner.entry(life.owner.clone()).or_default().push_back(number);
        self.lives.insert(number, Arc::new(life));
        self.touch();
    }

    /// Changes the lifecycle data of a STORE message, if it has one.
    pub(super) fn change_life(&mut self, number: Number, change: impl FnOnce(&mut Life)) {
        if let Some(life) = self.lives.get_mut(&number) {
            change(Arc::make_mut(life));
        }
        self.touch();
    }

    /// The STORE messages that an owner pays for, oldest first.
    pub(super) fn owned_by<'a>(&'a self, owner: &str) -> impl Iterator<Item = Number> + use<'a> {
        self.by_owner.get(owner).into_iter().flatten().copied()
    }

    /// The owners of STORE messages.
    pub(super) fn owners(&self) -> impl Iterator<Item = &Arc<str>> {
        self.by_owner.keys()
    }
}
