//! Folds records into a history.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Ignored, Machine, Note, each};
use crate::crypto::address::Address;
use crate::hosting::amends::{Amend, Amends, Chain, End, Fate};
use crate::hosting::authority::{Standing, judge};
use crate::hosting::claim::{self, Claim};
use crate::hosting::deployment::{self as records, AMEND, judge_amend};
use crate::hosting::mistakes::amends::AUTHORITY;
use crate::hosting::mistakes::records::UNSIGNED;
use crate::hosting::mistakes::recovery::{CONTENT, LEGACY_NO_LOOKUP, STRANGERS};
use crate::hosting::project::{self, Entry};
use crate::hosting::record::Record;
use crate::hosting::requirements::deployments::BODY;
use crate::hosting::security::{self, Security};
use crate::json;
use crate::{Dialect, Refused, Rules};

/// A record with the result of its signature check.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) record: Record,
    pub(super) signed: Option<Result<(), Refused>>,
}

/// The history without file states and without decrypted plaintexts.
#[derive(Clone, Debug, Default)]
pub(super) struct Folded {
    pub(super) security: Security,
    /// The STORE messages to look up, without duplicates, in the order of the deployments.
    pub(super) store_refs: Vec<String>,
    pub(super) projects: BTreeMap<String, Written>,
    pub(super) deployments: Vec<Resolved>,
    pub(super) claims: Vec<Machine>,
    pub(super) notes: BTreeSet<Note>,
    pub(super) ignored: BTreeSet<Ignored>,
}

/// An entry, and the record that last wrote it.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) at: (i64, String),
    pub(super) entry: Entry,
    pub(super) signer: Standing,
}

/// A deployment with its resolved chain.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) creation: String,
    pub(super) leaf: String,
    pub(super) messages: usize,
    pub(super) state: records::Deployment,
    pub(super) signer: Standing,
    time: i64,
}

/// A well-formed creation or amend.
struct Stated<'a> {
    record: &'a Record,
    state: records::Deployment,
    signer: Standing,
    target: String,
}

pub(super) fn fold(owner: Address, dialect: &Dialect, held: &[&Held], rules: &mut dyn Rules) -> Folded {
    let mut folded = Folded::default();
    let mut signed: Vec<&Record> = Vec::new();
    for held in held {
        let record = &held.record;
        let good = rules.keep(&UNSIGNED, held.signed.as_ref().unwrap_or(&Ok(())));
        let verified =
            record.require_channel(dialect, rules).and_then(|()| record.require_signed(good, rules));
        match verified {
            Ok(()) => signed.push(record),
            Err(refused) => folded.ignore(record, refused),
        }
    }
    folded.security(owner, dialect, &signed, rules);
    let mut counted: BTreeMap<&str, (&Record, Standing)> = BTreeMap::new();
    for record in signed {
        let standing = judge(owner, &folded.security, record, dialect, rules);
        let standing = rules.keep(&STRANGERS, standing);
        match if is_amend(record) { rules.keep(&AUTHORITY, standing) } else { standing } {
            Ok(standing) => {
                // The first in the order represents all records with its hash; the others are reported.
                if counted.contains_key(record.item_hash.as_str()) {
                    folded.note(record, "hash-not-unique", None);
                } else {
                    counted.insert(&record.item_hash, (record, standing));
                }
            }
            Err(refused) => folded.ignore(record, refused),
        }
    }
    let counted: Vec<(&Record, Standing)> = counted.into_values().collect();
    folded.projects(&counted, rules);
    folded.deployments(owner, dialect, &counted, rules);
    folded.claims(dialect, &counted, rules);
    folded
}

fn is_amend(record: &Record) -> bool {
    record.content_type.as_deref() == Some(AMEND)
}

impl Folded {
    fn ignore(&mut self, record: &Record, refused: Refused) {
        self.ignored.insert(Ignored {
            item_hash: record.item_hash.clone(),
            rule: refused.rule.to_string(),
            why: refused.why,
        });
    }

    fn note(&mut self, record: &Record, note: &'static str, refused: Option<Refused>) {
        let (rule, why) =
            refused.map_or_else(Default::default, |refused| (refused.rule.to_string(), refused.why));
        self.notes.insert(Note { item_hash: record.item_hash.clone(), note, rule, why });
    }

    /// Security: the latest value of each member that the owner wrote.
    fn security(&mut self, owner: Address, dialect: &Dialect, signed: &[&Record], rules: &mut dyn Rules) {
        let mut members: BTreeMap<&String, ((i64, &str), &Value)> = BTreeMap::new();
        let mut last: Option<&Record> = None;
        let no_security = Security::default();
        for record in signed.iter().filter(|record| is_aggregate(record, security::KEY)) {
            // Records of others are reported after all records are judged.
            if judge(owner, &no_security, record, dialect, rules).is_err() {
                continue;
            }
            match security::body(record, rules) {
                Ok(body) => {
                    let at = (record.time, record.item_hash.as_str());
                    for (name, value) in body {
                        if members.get(name).is_none_or(|(current, _)| *current < at) {
                            members.insert(name, (at, value));
                        }
                    }
                    let later = last.is_none_or(|last| (last.time, last.item_hash.as_str()) < at);
                    last = if later { Some(record) } else { last };
                }
                Err(refused) => self.note(record, "malformed-security", Some(refused)),
            }
        }
        if let Some(last) = last {
            let merged: Map<String, Value> =
                members.into_iter().map(|(name, (_, value))| (name.clone(), value.clone())).collect();
            let (security, faults) = Security::read(&merged, rules);
            for fault in faults {
                self.note(last, "malformed-security", Some(fault));
            }
            self.security = security;
        }
    }

    /// Projects: the latest readable value of each entry.
    fn projects(&mut self, counted: &[(&Record, Standing)], rules: &mut dyn Rules) {
        for (record, signer) in counted.iter().filter(|(record, _)| is_aggregate(record, project::KEY)) {
            let entries = match project::judge_aggregate(record, rules) {
                Ok(entries) => entries,
                Err(refused) => {
                    self.note(record, "malformed-projects", Some(refused));
                    continue;
                }
            };
            for (id, value) in entries {
                match Entry::parse(id, value, rules) {
                    Ok(entry) => {
                        let at = (record.time, record.item_hash.clone());
                        if self.projects.get(id).is_none_or(|current| current.at < at) {
                            self.projects.insert(id.clone(), Written { at, entry, signer: *signer });
                        }
                    }
                    Err(mut refused) => {
                        refused.why = format!("{id:.40}: {}", refused.why);
                        self.note(record, "malformed-entry", Some(refused));
                    }
                }
            }
        }
    }

    fn deployments(
        &mut self,
        owner: Address,
        dialect: &Dialect,
        counted: &[(&Record, Standing)],
        rules: &mut dyn Rules,
    ) {
        let (mut creations, mut amends): (BTreeMap<&str, Stated<'_>>, BTreeMap<&str, Stated<'_>>) =
            Default::default();
        let is_creation = |record: &Record| record.content_type.as_ref() == Some(&dialect.deployment_type);
        let is_stated = |record: &Record| record.kind == "POST" && (is_amend(record) || is_creation(record));
        let stated: Vec<_> = counted.iter().filter(|(record, _)| is_stated(record)).collect();
        let states = each(&stated, rules, |(record, _), rules| state(record, is_amend(record), rules));
        for ((record, signer), state) in stated.into_iter().zip(states) {
            match state {
                Ok((target, state)) => {
                    // A delegate's record with its own address belongs to the owner if it names one of the owner's
                    // projects.
                    let is_known = self.projects.contains_key(&state.project_id);
                    if record.address != owner && !is_amend(record) && !is_known {
                        self.note(record, "other-owner", None);
                        continue;
                    }
                    let stated = Stated { record, state, signer: *signer, target };
                    if is_amend(record) { &mut amends } else { &mut creations }
                        .insert(&record.item_hash, stated);
                }
                Err(refused) => self.note(record, "malformed-record", Some(refused)),
            }
        }
        self.resolve(&creations, &amends, rules);
    }

    fn resolve(
        &mut self,
        creations: &BTreeMap<&str, Stated<'_>>,
        amends: &BTreeMap<&str, Stated<'_>>,
        rules: &mut dyn Rules,
    ) {
        let links: Vec<Amend<'_>> = amends
            .values()
            .map(|stated| Amend {
                target: &stated.target,
                time: stated.record.time,
                item_hash: &stated.record.item_hash,
            })
            .collect();
        let index = Amends::new(&links);
        let chains: Vec<_> = creations.keys().map(|creation| index.chain(creation, rules)).collect();
        for (hash, fate) in index.fates(&chains) {
            let note = match fate {
                Fate::Followed => continue,
                Fate::Outvoted => "amend-outvoted",
                Fate::Dangling => "amend-dangling",
                Fate::Cycle => "amend-cycle",
            };
            self.note(amends[hash].record, note, None);
        }
        let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
        for chain in &chains {
            let created = &creations[chain.hashes[0]];
            let leaf = amends.get(rules.derive(&CONTENT, chain, Chain::leaf)).unwrap_or(created);
            if chain.end == End::Cycle {
                self.note(leaf.record, "amend-cycle", None);
            }
            let same = |state: &records::Deployment| {
                state.deployment_id == created.state.deployment_id
                    && state.project_id == created.state.project_id
            };
            if !same(&leaf.state) {
                self.note(leaf.record, "amend-of-another-deployment", None);
            }
            *ids.entry(&created.state.deployment_id).or_default() += 1;
            if ids[created.state.deployment_id.as_str()] > 1 {
                self.note(created.record, "second-creation", None);
            }
            if !self.projects.contains_key(&created.state.project_id) {
                self.note(created.record, "unknown-project", None);
            }
            self.deployments.push(Resolved {
                creation: chain.hashes[0].to_owned(),
                leaf: leaf.record.item_hash.clone(),
                messages: chain.hashes.len(),
                state: leaf.state.clone(),
                signer: leaf.signer,
                time: created.record.time,
            });
        }
        self.deployments.sort_by(|a, b| (a.time, &a.creation).cmp(&(b.time, &b.creation)));
        let mut seen = BTreeSet::new();
        for resolved in &self.deployments {
            let wanted =
                rules.derive(&LEGACY_NO_LOOKUP, &resolved.state.public, |public| public.store_ref.as_ref());
            let new = wanted.filter(|hash| !hash.is_empty() && seen.insert(hash.as_str()));
            self.store_refs.extend(new.cloned());
        }
    }

    fn claims(&mut self, dialect: &Dialect, counted: &[(&Record, Standing)], rules: &mut dyn Rules) {
        let mut claims: Vec<Claim> = Vec::new();
        for (record, _) in counted.iter().filter(|(_, standing)| *standing == Standing::Itself) {
            match Claim::parse(record, dialect, rules) {
                Ok(claim) => claims.push(claim),
                Err(refused) => self.ignore(record, refused),
            }
        }
        let machines: BTreeSet<&str> = claims.iter().map(|claim| claim.instance_hash.as_str()).collect();
        self.claims = machines
            .into_iter()
            .filter_map(|machine| claim::select(&claims, machine, rules))
            .map(|claim| Machine {
                instance_hash: claim.instance_hash.clone(),
                address: claim.address.to_string(),
                pubkey: claim.pubkey.clone(),
                item_hash: claim.item_hash.clone(),
            })
            .collect();
    }
}

/// The content of a creation or an amend. A legacy record may be either.
fn state(
    record: &Record,
    is_amend: bool,
    rules: &mut dyn Rules,
) -> Result<(String, records::Deployment), Refused> {
    if is_amend
        && record
            .body()
            .is_some_and(|body| body.get("schemaVersion").and_then(json::integer) == Some(records::SCHEMA))
    {
        return judge_amend(record, rules);
    }
    let state = records::Deployment::parse(record.body_of(&BODY, rules)?, rules)?;
    Ok((record.target.clone().unwrap_or_default(), state))
}

fn is_aggregate(record: &Record, key: &str) -> bool {
    record.kind == "AGGREGATE" && record.key.as_deref() == Some(key)
}
