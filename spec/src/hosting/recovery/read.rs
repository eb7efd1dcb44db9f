//! The reader: its input so far, and the lookups that it still needs.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde_json::Value;

use super::answers::{Answers, Lookup};
use super::fold::{self, Folded, Held};
use super::tell::{self, Known};
use super::{Note, Recovery};
use crate::crypto::address::Address;
use crate::hosting::envelope::{Keys, Role};
use crate::hosting::mistakes::recovery::ASK_OTHERS;
use crate::hosting::record::{Record, name_of};
use crate::hosting::{deployment, project, security};
use crate::network::store::classify;
use crate::{Dialect, Refused, Rules, Strict};

/// The most messages that are read together.
const TOGETHER: usize = 1024;

/// A record's hash and its signed part. Nodes may return different records for one hash, and the order of arrival must not
/// matter.
type Key = (String, String);

/// Collects an owner's records and the responses about STORE messages.
#[derive(Clone, Debug)]
pub struct Reader {
    owner: Address,
    dialect: Dialect,
    role: Role,
    nodes: usize,
    /// Messages that are read together, on all cores.
    unread: Vec<String>,
    held: BTreeMap<Key, Held>,
    malformed: BTreeSet<Note>,
    answers: Answers,
    folded: Option<Folded>,
}

impl Reader {
    /// A reader that can query `nodes` nodes about STORE messages; at least one.
    pub fn new(owner: Address, dialect: Dialect, role: Role, nodes: usize) -> Reader {
        Reader {
            owner,
            dialect,
            role,
            nodes: nodes.max(1),
            unread: Vec::new(),
            held: BTreeMap::new(),
            malformed: BTreeSet::new(),
            answers: Answers::default(),
            folded: None,
        }
    }

    /// Adds a message's record as received. Other kinds of messages are ignored; a hosting record that cannot be read
    /// is noted.
    pub fn message(&mut self, text: &str, rules: &mut dyn Rules) {
        self.folded = None;
        if rules.are_strict() {
            self.unread.push(text.to_owned());
            if self.unread.len() == TOGETHER {
                self.read_together();
            }
        } else if let Some(read) = read(text, &self.dialect, rules) {
            self.keep(read);
        }
    }

    fn read_together(&mut self) {
        let dialect = &self.dialect;
        let all: Vec<_> =
            self.unread.par_drain(..).filter_map(|text| read(&text, dialect, &mut Strict)).collect();
        for read in all {
            self.keep(read);
        }
    }

    fn keep(&mut self, read: Result<(Key, Record), Note>) {
        match read {
            Ok((key, record)) => {
                self.held.entry(key).or_insert(Held { record, signed: None });
            }
            Err(note) => drop(self.malformed.insert(note)),
        }
    }

    /// The addresses whose messages make up the history: the owner's, and those that the known security lists.
    pub fn signers(&mut self, rules: &mut dyn Rules) -> Vec<Address> {
        let owner = self.owner;
        let listed = &self.fold(rules).security.authorizations;
        let mut signers = vec![owner];
        for entry in listed {
            if !signers.contains(&entry.address) {
                signers.push(entry.address);
            }
        }
        signers
    }

    /// The STORE messages to look up now. If empty, nothing is left. Called again without an answer, it returns the
    /// same.
    pub fn needs(&mut self, rules: &mut dyn Rules) -> Vec<Lookup> {
        let nodes = rules.keep(&ASK_OTHERS, self.nodes);
        let refs = self.fold(rules).store_refs.clone();
        refs.into_iter()
            .filter_map(|hash| {
                let node = self.answers.next(&hash, nodes)?;
                Some(Lookup { node, hash })
            })
            .collect()
    }

    /// Adds a node's response to a lookup: its status (0 if there was none) and its body, if that is JSON. Responses
    /// that were not requested are ignored.
    pub fn answer(&mut self, lookup: &Lookup, http_status: u16, body: Option<&Value>, rules: &mut dyn Rules) {
        self.answers.add(lookup, || classify(http_status, body, rules));
    }

    /// Returns the history, with the plaintexts that `keys` decrypt.
    pub fn finish(&mut self, keys: &Keys, rules: &mut dyn Rules) -> Recovery {
        self.fold(rules);
        let folded = self.folded.take().unwrap_or_default();
        let Reader { owner, dialect, role, malformed, answers, .. } = self;
        let known = Known { owner: *owner, dialect, role: *role, malformed, answers };
        let recovery = tell::tell(known, &folded, keys, rules);
        self.folded = Some(folded);
        recovery
    }

    fn fold(&mut self, rules: &mut dyn Rules) -> &Folded {
        if self.folded.is_none() {
            self.read_together();
            self.held.par_iter_mut().for_each(|(_, held)| {
                held.signed.get_or_insert_with(|| held.record.signed());
            });
            let held: Vec<&Held> = self.held.values().collect();
            self.folded = Some(fold::fold(self.owner, &self.dialect, &held, rules));
        }
        self.folded.get_or_insert_default()
    }
}

/// A message that may be a hosting record: the record with its key, or why it cannot be read.
fn read(text: &str, dialect: &Dialect, rules: &mut dyn Rules) -> Option<Result<(Key, Record), Note>> {
    let malformed = |refused: Refused| Note {
        item_hash: name_of(text),
        note: "malformed-record",
        rule: refused.rule.to_string(),
        why: refused.why,
    };
    let keyed = |record: Record| ((record.item_hash.clone(), signed_part(&record)), record);
    is_ours(text, dialect).then(|| Record::parse(text, rules).map(keyed).map_err(malformed))
}

/// Whether a message may be a hosting record. A message that cannot be classified may be one.
fn is_ours(text: &str, dialect: &Dialect) -> bool {
    let Ok(message) = serde_json::from_str::<Value>(text) else { return true };
    let content = &message["content"];
    match message["type"].as_str() {
        Some("AGGREGATE") => {
            content["key"].as_str().is_none_or(|key| [project::KEY, security::KEY].contains(&key))
        }
        Some("POST") => content["type"].as_str().is_none_or(|kind| {
            kind == deployment::AMEND || kind == dialect.deployment_type || kind == dialect.vm_claim_type
        }),
        Some(_) => false,
        None => true,
    }
}

/// The part that distinguishes two records with one hash: confirmations and white space do not.
fn signed_part(record: &Record) -> String {
    let content = serde_json::to_string(&record.content).unwrap_or_default();
    [&record.sender.to_string(), &record.kind, &record.channel, &record.signature, &content]
        .map(String::as_str)
        .join("\n")
}
