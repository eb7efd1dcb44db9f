//! Selects the messages of a filter: takes the narrowest list and tests the remaining conditions on it.

use std::collections::BinaryHeap;
use std::ops::Range;

use assay_spec::network::message::MessageType;
use assay_spec::network::query::MessageFilter;

use super::Store;
use super::index::Dim;
use super::names::Name;
use super::ranked::Ranked;
use super::stored::Number;

/// The selected messages, newest first.
pub(in crate::network) enum Selection<'a> {
    /// Parts of lists without common messages.
    Lists(&'a Store, Vec<Part<'a>>),
    /// Single messages, newest first.
    Numbers(Vec<Number>),
}

/// A part of a list, as ranks.
pub(in crate::network) type Part<'a> = (&'a Ranked, Range<u32>);

/// The lists for one condition of the filter.
struct Candidates<'a> {
    filter: Dim,
    parts: Vec<Part<'a>>,
    /// No message is in two of them.
    disjoint: bool,
    /// Every message in them satisfies the condition.
    exact: bool,
}

impl Candidates<'_> {
    fn len(&self) -> usize {
        self.parts.iter().map(|(_, ranks)| ranks.len()).sum()
    }
}

impl Store {
    /// Selects the messages of a filter.
    pub(in crate::network) fn select(&self, filter: &MessageFilter) -> Selection<'_> {
        let test = Test::new(self, filter);
        if let Some(hashes) = &filter.hashes {
            let mut numbers: Vec<Number> = hashes.iter().filter_map(|hash| self.find_text(hash)).collect();
            numbers.retain(|number| test.holds(*number, None));
            return self.newest_first(numbers, false);
        }
        let mut candidates = self.candidates(filter);
        candidates.sort_by_key(Candidates::len);
        let several = candidates.len() > 1;
        let Some(narrowest) = candidates.into_iter().next() else {
            return Selection::Lists(self, self.part(Dim::All, 0, filter).into_iter().collect());
        };
        if narrowest.disjoint && narrowest.exact && !several {
            return Selection::Lists(self, narrowest.parts);
        }
        let passed = narrowest.exact.then_some(narrowest.filter);
        let numbers =
            narrowest.parts.iter().flat_map(|(list, ranks)| ranks.clone().filter_map(|rank| list.at(rank)));
        let numbers = numbers.filter(|number| test.holds(*number, passed)).collect();
        self.newest_first(numbers, narrowest.disjoint)
    }

    fn newest_first(&self, mut numbers: Vec<Number>, listed_twice_counts: bool) -> Selection<'_> {
        numbers.sort_unstable_by_key(|number| std::cmp::Reverse(self.order(*number)));
        if !listed_twice_counts {
            numbers.dedup();
        }
        Selection::Numbers(numbers)
    }

    /// The lists for every condition that is set, except dates; dates cut all of them.
    fn candidates<'a>(&'a self, filter: &MessageFilter) -> Vec<Candidates<'a>> {
        let mut all = Vec::new();
        let mut add = |dim: Dim, names: Vec<Name>, many: Option<Dim>, disjoint: bool, exact: bool| {
            let mut parts: Vec<Part<'a>> =
                names.into_iter().filter_map(|name| self.part(dim, name, filter)).collect();
            let many = many.and_then(|many| self.part(many, 0, filter));
            let exact = exact && many.is_none();
            let disjoint = disjoint || parts.len() < 2;
            parts.extend(many);
            all.push(Candidates { filter: dim, parts, disjoint, exact });
        };
        if let Some(senders) = &filter.addresses {
            add(Dim::Sender, self.names_of(senders, true), None, true, true);
        }
        if let Some(channels) = &filter.channels {
            add(Dim::Channel, self.names_of(channels, false), None, true, true);
        }
        if let Some(types) = &filter.types {
            add(Dim::Type, kinds(types), None, true, true);
        }
        if let Some(types) = &filter.content_types {
            add(Dim::ContentType, self.names_of(types, false), None, true, true);
        }
        if let Some(tags) = &filter.tags {
            add(Dim::Tag, self.names_of(tags, false), Some(Dim::ManyTags), false, true);
        }
        if let Some(path) = &filter.content_key {
            let path = path.strip_prefix("$.").unwrap_or(path);
            let first = path.split('.').next().unwrap_or_default();
            let names = self.names_of(&[first.to_owned()], false);
            add(Dim::Key, names, Some(Dim::ManyKeys), true, first == path);
        }
        all
    }

    /// The part of a list between the filter's dates; `None` if it is empty.
    fn part<'a>(&'a self, dim: Dim, name: Name, filter: &MessageFilter) -> Option<Part<'a>> {
        let list = self.index.list(dim, name)?;
        let rank_of = |time: i64| list.rank_of(|number| self.stored(number).timestamp() < time);
        let from = filter.start.map_or(0, rank_of);
        let to = filter.end.map_or(list.len(), rank_of);
        (from < to).then_some((list, from..to))
    }

    fn names_of(&self, texts: &[String], folded: bool) -> Vec<Name> {
        let find = |text: &String| {
            if folded { self.names.find(&text.to_ascii_lowercase()) } else { self.names.find(text) }
        };
        let mut names: Vec<Name> = texts.iter().filter_map(find).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn kinds(types: &[String]) -> Vec<Name> {
    let mut kinds: Vec<Name> =
        types.iter().filter_map(|name| MessageType::named(name)).map(|kind| kind as Name).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

impl Selection<'_> {
    /// The number of selected messages.
    pub(in crate::network) fn total(&self) -> u64 {
        match self {
            Selection::Lists(_, parts) => parts.iter().map(|(_, ranks)| ranks.len() as u64).sum(),
            Selection::Numbers(numbers) => numbers.len() as u64,
        }
    }

    /// The messages at these positions, newest first.
    pub(in crate::network) fn at(&self, positions: Range<u64>) -> Vec<Number> {
        let positions = positions.start as usize..positions.end as usize;
        match self {
            Selection::Lists(_, parts) if parts.len() == 1 => {
                let (list, ranks) = &parts[0];
                positions.filter_map(|at| list.at(ranks.end.checked_sub(1 + at as u32)?)).collect()
            }
            Selection::Lists(store, parts) => {
                merged(store, parts).take(positions.end).skip(positions.start).collect()
            }
            Selection::Numbers(numbers) => numbers.get(positions).unwrap_or_default().to_vec(),
        }
    }
}

/// The messages of several lists, newest first.
fn merged<'a>(store: &'a Store, parts: &'a [Part<'a>]) -> impl Iterator<Item = Number> + use<'a> {
    let head = |at: usize, left: u32| {
        let (list, ranks) = &parts[at];
        let number =
            left.checked_sub(1).filter(|rank| *rank >= ranks.start).and_then(|rank| list.at(rank))?;
        Some((store.order(number), at, left - 1))
    };
    let mut heads: BinaryHeap<((i64, Number), usize, u32)> =
        parts.iter().enumerate().filter_map(|(at, (_, ranks))| head(at, ranks.end)).collect();
    std::iter::from_fn(move || {
        let ((_, number), at, left) = heads.pop()?;
        heads.extend(head(at, left));
        Some(number)
    })
}

/// The conditions of a filter, with names looked up once.
struct Test<'a> {
    store: &'a Store,
    filter: &'a MessageFilter,
    senders: Option<Vec<Name>>,
    channels: Option<Vec<Name>>,
    kinds: Option<Vec<Name>>,
    content_types: Option<Vec<Name>>,
    /// The conditions that need the content.
    content: MessageFilter,
}

impl<'a> Test<'a> {
    fn new(store: &'a Store, filter: &'a MessageFilter) -> Test<'a> {
        let names =
            |texts: &Option<Vec<String>>, folded| texts.as_ref().map(|texts| store.names_of(texts, folded));
        Test {
            store,
            filter,
            senders: names(&filter.addresses, true),
            channels: names(&filter.channels, false),
            kinds: filter.types.as_ref().map(|types| kinds(types)),
            content_types: names(&filter.content_types, false),
            content: MessageFilter {
                tags: filter.tags.clone(),
                content_key: filter.content_key.clone(),
                ..MessageFilter::default()
            },
        }
    }

    /// Whether a message is selected. `passed` is a condition that is known to hold.
    fn holds(&self, number: Number, passed: Option<Dim>) -> bool {
        let stored = self.store.stored(number);
        let among = |names: &Option<Vec<Name>>, name: Name| {
            names.as_ref().is_none_or(|names| names.binary_search(&name).is_ok())
        };
        let dates = self.filter.start.is_none_or(|start| start <= stored.timestamp())
            && self.filter.end.is_none_or(|end| stored.timestamp() < end);
        let cheap = dates
            && among(&self.senders, stored.sender_folded())
            && among(&self.channels, stored.channel())
            && among(&self.kinds, stored.kind() as Name)
            && self.content_types.as_ref().is_none_or(|types| {
                stored.content_type().is_some_and(|kind| types.binary_search(&kind).is_ok())
            });
        let tags = self.content.tags.is_some() && passed != Some(Dim::Tag);
        let key = self.content.content_key.is_some() && passed != Some(Dim::Key);
        cheap && (!(tags || key) || self.content.matches(&self.store.message(number)))
    }
}
