//! Completes a folded history: adds file states and decrypted plaintexts.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::answers::Answers;
use super::fold::{Folded, Resolved, Written};
use super::{Deployment, Note, Project, Recovery, Warning, each};
use crate::crypto::address::Address;
use crate::hosting::deployment as records;
use crate::hosting::envelope::{self, Keys, LEGACY_ENVELOPE_SKIPPED, Outcome, Role};
use crate::hosting::mistakes::recovery::{OWNER_ALONE, ROLE_BACKEND, ROLE_RECOVERY};
use crate::hosting::project::{self, Entry};
use crate::network::store::Class;
use crate::{Dialect, Refused, Rules};

/// What is known beside a folded history.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) owner: Address,
    pub(super) dialect: &'a Dialect,
    pub(super) role: Role,
    /// The records that cannot be read.
    pub(super) malformed: &'a BTreeSet<Note>,
    pub(super) answers: &'a Answers,
}

/// Completes a folded history with the nodes' answers about files and with the keys.
pub(super) fn tell(known: Known<'_>, folded: &Folded, keys: &Keys, rules: &mut dyn Rules) -> Recovery {
    let mut teller = Teller { known, keys, recovery: Recovery::default() };
    teller.recovery.owner = known.owner.to_string();
    teller.recovery.role = match known.role {
        Role::Backend => "backend",
        Role::RecoveryTool => "recovery-tool",
    };
    teller.recovery.encryption_key = folded.security.encryption_key.as_ref().map(|key| key.pubkey.clone());
    teller.recovery.claims.clone_from(&folded.claims);
    teller.recovery.ignored = folded.ignored.iter().cloned().collect();
    teller.recovery.notes = folded.notes.union(known.malformed).cloned().collect();
    for (id, written) in &folded.projects {
        let project = teller.project(id, written, rules);
        teller.recovery.projects.push(project);
    }
    let completed = each(&folded.deployments, rules, |resolved, rules| {
        let mut teller = Teller { known, keys, recovery: Recovery::default() };
        (teller.deployment(resolved, rules), teller.recovery)
    });
    for (deployment, Recovery { warnings, notes, .. }) in completed {
        teller.recovery.deployments.push(deployment);
        teller.recovery.warnings.extend(warnings);
        teller.recovery.notes.extend(notes);
    }
    let mut recovery = teller.recovery;
    recovery.warnings.sort();
    recovery.warnings.dedup();
    recovery.notes.sort();
    recovery.notes.dedup();
    recovery
}

struct Teller<'a> {
    known: Known<'a>,
    keys: &'a Keys,
    recovery: Recovery,
}

impl Teller<'_> {
    fn warn(&mut self, item_hash: &str, warning: &'static str, subject: &str) {
        let (item_hash, subject) = (item_hash.to_owned(), subject.to_owned());
        self.recovery.warnings.push(Warning { item_hash, warning, subject });
    }

    fn note(&mut self, item_hash: &str, note: &'static str, refused: Option<&Refused>, subject: &str) {
        let rule = refused.map(|refused| refused.rule.to_string()).unwrap_or_default();
        // The details of a plaintext error are private.
        let (item_hash, why) = (item_hash.to_owned(), subject.to_owned());
        self.recovery.notes.push(Note { item_hash, note, rule, why });
    }

    fn project(&mut self, id: &str, written: &Written, rules: &mut dyn Rules) -> Project {
        let (item_hash, signer) = (written.at.1.clone(), written.signer);
        match &written.entry {
            Entry::Deleted(public) => Project {
                id: id.to_owned(),
                deleted: true,
                schema_version: None,
                public: public.clone(),
                plaintext: None,
                item_hash,
                signer,
            },
            Entry::Live(live) => {
                let dialect = self.known.dialect;
                let plaintext = self.open(&item_hash, id, &live.encrypted, rules, |bytes, rules| {
                    project::Plaintext::parse(bytes, dialect, rules).map(|read| read.to_json(dialect))
                });
                let entry = project::entry(live);
                Project {
                    id: id.to_owned(),
                    deleted: live.public.deleted,
                    schema_version: Some(live.schema_version),
                    public: entry["public"].as_object().cloned().unwrap_or_default(),
                    plaintext,
                    item_hash,
                    signer,
                }
            }
        }
    }

    fn deployment(&mut self, resolved: &Resolved, rules: &mut dyn Rules) -> Deployment {
        let state = &resolved.state;
        let id = &state.deployment_id;
        if let Some(warning) = state.warning(rules) {
            self.warn(&resolved.leaf, warning, id);
        }
        let plaintext = state.encrypted.as_ref().and_then(|encrypted| {
            self.open(&resolved.leaf, id, encrypted, rules, |bytes, rules| {
                records::Plaintext::parse(bytes, rules).map(|read| read.to_json())
            })
        });
        let own = state.own_cid(rules).map(str::to_owned);
        let (cid, store) = match &state.public.store_ref {
            None => (own, None),
            Some(store_ref) => self.artifact(store_ref, id),
        };
        Deployment {
            deployment_id: id.clone(),
            project_id: state.project_id.clone(),
            schema_version: state.schema,
            status: state.public.status,
            store_ref: state.public.store_ref.clone(),
            cid,
            store,
            bundle_hash: state.public.bundle_hash.clone(),
            url: state.public.url.clone(),
            run_id: state.public.run_id.clone(),
            run_attempt: state.public.run_attempt.clone(),
            created_at: state.public.created_at.clone(),
            finished_at: state.public.finished_at.clone(),
            plaintext,
            creation: resolved.creation.clone(),
            leaf: resolved.leaf.clone(),
            messages: resolved.messages,
            signer: resolved.signer,
        }
    }

    fn artifact(&mut self, store_ref: &str, id: &str) -> (Option<String>, Option<Class>) {
        let (reading, asked) = self.known.answers.reading(store_ref);
        let Some(reading) = reading else {
            self.note(store_ref, "store-not-asked", None, id);
            return (None, Some(Class::Unknown));
        };
        if let Some(warning) = reading.warning {
            self.warn(store_ref, warning, id);
        }
        match reading.class {
            Class::Unknown => self.note(store_ref, "store-unknown", None, id),
            Class::Absent if asked == 1 => self.note(store_ref, "only-one-node-asked", None, id),
            _ => (),
        }
        (reading.cid, Some(reading.class))
    }

    /// How this role reads envelopes, and with which keys.
    fn reading_with(&self, rules: &mut dyn Rules) -> (envelope::Reader, Keys) {
        let keys = self.keys.clone();
        match self.known.role {
            Role::Backend => (envelope::Reader::backend(), rules.keep(&ROLE_BACKEND, keys)),
            Role::RecoveryTool => {
                let keys = rules.keep(&OWNER_ALONE, keys);
                (rules.keep(&ROLE_RECOVERY, envelope::Reader::recovery()), keys)
            }
        }
    }

    /// The JSON plaintext of an envelope; otherwise the reason is noted.
    fn open(
        &mut self,
        item_hash: &str,
        subject: &str,
        encrypted: &Map<String, Value>,
        rules: &mut dyn Rules,
        parse: impl FnOnce(&[u8], &mut dyn Rules) -> Result<Value, Refused>,
    ) -> Option<Value> {
        let (reader, keys) = self.reading_with(rules);
        let opened = match envelope::open(&Value::Object(encrypted.clone()), reader, &keys, rules) {
            Ok(Outcome::Opened(opened)) => opened,
            Ok(Outcome::Skipped { .. }) => {
                self.warn(item_hash, LEGACY_ENVELOPE_SKIPPED, subject);
                return None;
            }
            Ok(Outcome::Closed { .. }) => {
                self.note(item_hash, "no-key", None, subject);
                return None;
            }
            Err(refused) => {
                self.note(item_hash, "unreadable-envelope", Some(&refused), subject);
                return None;
            }
        };
        for note in &opened.notes {
            self.note(item_hash, note.name(), None, subject);
        }
        match parse(opened.text.as_bytes(), rules) {
            Ok(read) => Some(read),
            Err(refused) => {
                self.note(item_hash, "malformed-plaintext", Some(&refused), subject);
                None
            }
        }
    }
}
