//! The aggregates of a node.

use std::sync::Arc;

use assay_spec::network::aggregate::{Aggregate, AggregateFilter};
use imbl::OrdMap;

use super::writes::size;
use crate::network::store::Number;

/// The owner, in lower case, and the key.
pub(super) type Name = (Arc<str>, Arc<str>);

/// The aggregates of a node.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Aggregates {
    pub(super) by_name: OrdMap<Name, Arc<Kept>>,
    /// Sorted by the time of the last write and the number of the first.
    by_time: OrdMap<(i64, Number), Name>,
}

/// An aggregate, as it is kept.
#[derive(Clone, Debug)]
pub(in crate::network) struct Kept {
    pub(in crate::network) aggregate: Aggregate,
    /// The first message that wrote it.
    pub(in crate::network) first: Number,
    /// The time of the last write, in seconds.
    pub(in crate::network) time: i64,
    /// The size of all writes. Replaced content is counted until the sum reaches the limit.
    pub(in crate::network) bytes: usize,
}

impl Kept {
    /// Whether it was written more than once.
    pub(in crate::network) fn is_rewritten(&self) -> bool {
        self.bytes > size(&self.aggregate.record().content)
    }
}

impl Aggregates {
    /// The number of aggregates.
    pub(in crate::network) fn len(&self) -> usize {
        self.by_name.len()
    }

    pub(super) fn find(&self, owner: &str, key: &str) -> Option<&Arc<Kept>> {
        self.by_name.get(&(owner.to_ascii_lowercase().into(), key.into()))
    }

    pub(super) fn put(&mut self, name: Name, kept: Kept) {
        if let Some(before) = self.by_name.get(&name) {
            self.by_time.remove(&(before.time, before.first));
        }
        self.by_time.insert((kept.time, kept.first), name.clone());
        self.by_name.insert(name, Arc::new(kept));
    }

    /// All aggregates, the last written first.
    pub(super) fn latest(&self) -> impl Iterator<Item = &Arc<Kept>> {
        self.by_time.values().rev().filter_map(|name| self.by_name.get(name))
    }

    /// The aggregates that a filter selects, the last written first.
    pub(in crate::network) fn select(&self, filter: &AggregateFilter) -> Vec<&Arc<Kept>> {
        let wanted = |(owner, key): &Name| filter.matches(owner, key);
        let Some(owner) = &filter.address else {
            let names = self.by_time.values().rev().filter(|name| wanted(name));
            return names.filter_map(|name| self.by_name.get(name)).collect();
        };
        let owner: Arc<str> = owner.to_ascii_lowercase().into();
        let from = (owner.clone(), "".into());
        let own = self.by_name.range(from..).take_while(|((other, _), _)| *other == owner);
        let mut found: Vec<_> = own.filter(|(name, _)| wanted(name)).map(|(_, kept)| kept).collect();
        found.sort_by_key(|kept| std::cmp::Reverse((kept.time, kept.first)));
        found
    }

    /// The last written aggregate with that key, of any owner.
    pub(in crate::network) fn latest_of(&self, key: &str) -> Option<&Arc<Kept>> {
        let name = self.by_time.values().rev().find(|(_, other)| **other == *key)?;
        self.by_name.get(name)
    }
}
