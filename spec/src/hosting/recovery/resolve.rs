//! Resolves one deployment from its messages: the amend chain, and the content of its last record.

use super::LEGACY_SCHEMA;
use crate::crypto::address::Address;
use crate::hosting::amends::{Amend, Amends, End};
use crate::hosting::deployment::{AMEND, Deployment, Status};
use crate::hosting::record::Record;
use crate::hosting::requirements::amends::{AUTHORITY, CONTENT, CREATION, ORDER};
use crate::hosting::requirements::deployments::LEGACY_WARNING;
use crate::hosting::requirements::records::{RETIRED, UNSIGNED};
use crate::{Dialect, Refused, Rules};

/// A deployment after its chain is resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The hash of the latest record.
    pub leaf: String,
    /// The status.
    pub status: Status,
    /// The hash of the artifact's STORE message.
    pub store_ref: Option<String>,
    /// The documented warnings.
    pub warnings: Vec<&'static str>,
    /// How the chain ends.
    pub end: End,
}

/// Resolves the deployment that the message `creation` creates. With `authorized`, only records signed by these
/// addresses count; without it, signatures and senders are ignored. An unreadable record is ignored.
pub fn resolve(
    creation: &str,
    records: &[Record],
    authorized: Option<&[Address]>,
    dialect: &Dialect,
    rules: &mut dyn Rules,
) -> Result<Resolved, Refused> {
    let strangers = rules.violated(&AUTHORITY).is_some();
    let unsigned = rules.violated(&UNSIGNED).is_some();
    let retired = rules.violated(&RETIRED).is_some();
    let counts = |record: &&Record| {
        let own_channel = retired || record.channel == dialect.records_channel;
        let in_its_right = authorized.is_none_or(|authorized| {
            (strangers || authorized.contains(&record.sender)) && (unsigned || record.signed().is_ok())
        });
        own_channel && in_its_right
    };
    let counted: Vec<&Record> = records.iter().filter(counts).collect();
    let is_creation = |record: &&&Record| {
        record.item_hash == creation
            && record.content_type.as_deref() == Some(dialect.deployment_type.as_str())
    };
    let first = counted.iter().find(is_creation).copied();
    rules.require(&CREATION, first.is_some(), || format!("no message {creation:.80} is a creation"))?;
    // With the rule violated, the first message with that hash is the creation, whatever its type.
    let Some(first) = first.or_else(|| records.iter().find(|record| record.item_hash == creation)) else {
        return Err(Refused { rule: &CREATION, why: format!("the message {creation:.80} is missing") });
    };
    let mut states: Vec<(&Record, Deployment)> = Vec::new();
    for record in counted.iter().filter(|record| record.content_type.as_deref() == Some(AMEND)) {
        if let Some(Ok(state)) = record.body().map(|body| Deployment::parse(body, rules)) {
            states.push((record, state));
        }
    }
    // A mistake: a reader that uses the last arrival ignores times.
    let by_arrival = rules.violated(&ORDER).is_some();
    let links: Vec<Amend<'_>> = states
        .iter()
        .zip(0..)
        .map(|((record, _), arrival)| Amend {
            target: record.target.as_deref().unwrap_or_default(),
            time: if by_arrival { arrival } else { record.time },
            item_hash: &record.item_hash,
        })
        .collect();
    states.sort_by(|a, b| a.0.item_hash.cmp(&b.0.item_hash));
    let chain = Amends::new(&links).chain(&first.item_hash, rules);
    let leaf = chain.leaf();
    let found = states.binary_search_by(|(record, _)| record.item_hash.as_str().cmp(leaf)).ok();
    let found = rules.effect(&CONTENT, found, |_, _| None);
    let none = serde_json::Map::new();
    let state = match found {
        Some(place) => states[place].1.clone(),
        None => Deployment::parse(first.body().unwrap_or(&none), rules)?,
    };
    let warns = state.is_legacy() && rules.violated(&LEGACY_WARNING).is_none();
    Ok(Resolved {
        leaf: leaf.to_owned(),
        status: state.public.status,
        store_ref: state.public.store_ref,
        warnings: if warns { vec![LEGACY_SCHEMA] } else { Vec::new() },
        end: chain.end,
    })
}
