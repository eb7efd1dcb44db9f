//! Resolves one deployment from its messages: the amend chain, and the content of its last record.

use crate::crypto::address::Address;
use crate::hosting::amends::{Amend, Amends, Chain, End};
use crate::hosting::deployment::{AMEND, Deployment, Status};
use crate::hosting::mistakes::amends::{CONTENT, CREATION, ORDER, SENDER};
use crate::hosting::mistakes::records::{RETIRED, SIGNED};
use crate::hosting::record::Record;
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
    let is_on_channel = rules.step(&RETIRED, |(record, dialect)| record.channel == dialect.records_channel);
    let is_authorized = rules.step(&SENDER, |(record, authorized)| authorized.contains(&record.sender));
    let is_signed = rules.step(&SIGNED, |record| record.signed().is_ok());
    let counts = |record: &&Record| {
        let is_by = |listed| is_authorized((*record, listed)) && is_signed(record);
        is_on_channel((record, dialect)) && authorized.is_none_or(is_by)
    };
    let counted: Vec<&Record> = records.iter().filter(counts).collect();
    let is_creation = |record: &&&Record| {
        record.item_hash == creation
            && record.content_type.as_deref() == Some(dialect.deployment_type.as_str())
    };
    let first = counted.iter().find(is_creation).copied();
    let first = rules.read(&CREATION, (records, creation), |_| {
        first.ok_or_else(|| format!("no message {creation:.80} is a creation"))
    })?;
    let mut states: Vec<(&Record, Deployment)> = Vec::new();
    for record in counted.iter().filter(|record| record.content_type.as_deref() == Some(AMEND)) {
        if let Some(Ok(state)) = record.body().map(|body| Deployment::parse(body, rules)) {
            states.push((record, state));
        }
    }
    let time_of = rules.step(&ORDER, |(record, _arrival)| record.time);
    let links: Vec<Amend<'_>> = states
        .iter()
        .zip(0..)
        .map(|((record, _), arrival)| Amend {
            target: record.target.as_deref().unwrap_or_default(),
            time: time_of((record, arrival)),
            item_hash: &record.item_hash,
        })
        .collect();
    states.sort_by(|a, b| a.0.item_hash.cmp(&b.0.item_hash));
    let chain = Amends::new(&links).chain(&first.item_hash, rules);
    let leaf = rules.derive(&CONTENT, &chain, Chain::leaf);
    let found = states.binary_search_by(|(record, _)| record.item_hash.as_str().cmp(leaf));
    let none = serde_json::Map::new();
    let state = match found {
        Ok(place) => states[place].1.clone(),
        Err(_) => Deployment::parse(first.body().unwrap_or(&none), rules)?,
    };
    let warnings = state.warning(rules).into_iter().collect();
    Ok(Resolved {
        leaf: chain.leaf().to_owned(),
        status: state.public.status,
        store_ref: state.public.store_ref,
        warnings,
        end: chain.end,
    })
}
