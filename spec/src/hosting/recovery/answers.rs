//! What the nodes answer about STORE messages.

use std::collections::BTreeMap;

use crate::network::store::{Class, Reading};

/// A STORE message to look up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lookup {
    /// The node to query: 0 is the first.
    pub node: usize,
    /// The message's hash.
    pub hash: String,
}

/// The answers of the nodes that were queried, by the message's hash.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(BTreeMap<String, Vec<Reading>>);

impl Answers {
    /// The node to query next about a message, if more of `nodes` are needed.
    pub(super) fn next(&self, hash: &str, nodes: usize) -> Option<usize> {
        let answers = self.about(hash);
        let is_open = answers.len() < nodes && !answers.iter().any(decides);
        is_open.then_some(answers.len())
    }

    /// Adds the answer to a lookup, if it is the next one.
    pub(super) fn add(&mut self, lookup: &Lookup, answer: impl FnOnce() -> Reading) {
        let answers = self.0.entry(lookup.hash.clone()).or_default();
        if answers.len() == lookup.node {
            answers.push(answer());
        }
    }

    /// The nodes' combined answer about a message, and how many were queried. The first node that knows the message decides;
    /// it is absent only if every node said so.
    pub(super) fn reading(&self, hash: &str) -> (Option<Reading>, usize) {
        let answers = self.about(hash);
        let decisive = answers.iter().find(|reading| decides(reading));
        let unknown = answers.iter().find(|reading| reading.class == Class::Unknown);
        (decisive.or(unknown).or(answers.first()).cloned(), answers.len())
    }

    fn about(&self, hash: &str) -> &[Reading] {
        self.0.get(hash).map_or(&[], Vec::as_slice)
    }
}

/// Whether an answer needs no further query.
fn decides(reading: &Reading) -> bool {
    matches!(reading.class, Class::Live | Class::Forgotten | Class::Removed)
}
