//! A list with ranks: reading at a rank, finding and inserting in order, and cloning are cheap.
//!
//! A tree of counted nodes. A clone shares every node; a later change copies one path. Lists that grow at
//! their end, as lists by time do, have full leaves.

use std::sync::Arc;

/// The maximum number of items in a leaf, and of children in an inner node.
const LEAF: usize = 256;
const FANOUT: usize = 64;

/// The list.
#[derive(Clone, Debug)]
pub(in crate::network) struct Ranked<T = u32> {
    root: Option<Arc<Node<T>>>,
    len: u32,
}

#[derive(Clone, Debug)]
enum Node<T> {
    Leaf(Vec<T>),
    Inner(Vec<Child<T>>),
}

/// A node, its first item, and its number of items.
#[derive(Clone, Debug)]
struct Child<T> {
    first: T,
    count: u32,
    node: Arc<Node<T>>,
}

impl<T> Default for Ranked<T> {
    fn default() -> Self {
        Ranked { root: None, len: 0 }
    }
}

impl<T: Copy> Ranked<T> {
    /// The number of items.
    pub(in crate::network) const fn len(&self) -> u32 {
        self.len
    }

    /// The item at a rank.
    pub(in crate::network) fn at(&self, rank: u32) -> Option<T> {
        let mut node = self.root.as_deref().filter(|_| rank < self.len)?;
        let mut rank = rank;
        loop {
            match node {
                Node::Leaf(items) => return items.get(rank as usize).copied(),
                Node::Inner(children) => {
                    let child = children.iter().find(|child| {
                        let here = rank < child.count;
                        if !here {
                            rank -= child.count;
                        }
                        here
                    })?;
                    node = &child.node;
                }
            }
        }
    }

    /// The first rank whose item is not `before`. Items that are `before` come first.
    pub(in crate::network) fn rank_of(&self, before: impl Fn(T) -> bool) -> u32 {
        let mut rank = 0;
        let mut node = self.root.as_deref();
        while let Some(here) = node {
            match here {
                Node::Leaf(items) => return rank + items.partition_point(|item| before(*item)) as u32,
                Node::Inner(children) => {
                    // The result is in, or directly after, the last child that begins before it.
                    let next = children.partition_point(|child| before(child.first));
                    let at = next.saturating_sub(1);
                    rank += children[..at].iter().map(|child| child.count).sum::<u32>();
                    node = Some(&children[at].node);
                }
            }
        }
        rank
    }

    /// Inserts an item at a rank; later items move up by one.
    pub(in crate::network) fn insert(&mut self, rank: u32, item: T) {
        let rank = rank.min(self.len);
        let root = self.root.get_or_insert_with(|| Arc::new(Node::Leaf(Vec::new())));
        let split = Arc::make_mut(root).insert(rank, item);
        self.len += 1;
        if let Some(right) = split {
            let right = Child::new(right);
            let left = Child { first: root.first(), count: self.len - right.count, node: root.clone() };
            *root = Arc::new(Node::Inner(vec![left, right]));
        }
    }
}

impl<T: Copy> Child<T> {
    fn new(node: Node<T>) -> Child<T> {
        let count = match &node {
            Node::Leaf(items) => items.len() as u32,
            Node::Inner(children) => children.iter().map(|child| child.count).sum(),
        };
        Child { first: node.first(), count, node: Arc::new(node) }
    }
}

impl<T: Copy> Node<T> {
    /// The first item. Only a root can be empty, and it is never asked.
    fn first(&self) -> T {
        match self {
            Node::Leaf(items) => items[0],
            Node::Inner(children) => children[0].first,
        }
    }

    /// Inserts an item at a rank. A full node keeps its left part and returns its right part.
    fn insert(&mut self, rank: u32, item: T) -> Option<Node<T>> {
        match self {
            Node::Leaf(items) => {
                let at = rank as usize;
                if items.len() < LEAF {
                    items.insert(at, item);
                    return None;
                }
                if at == LEAF {
                    return Some(Node::Leaf(vec![item]));
                }
                let mut right = items.split_off(LEAF / 2);
                match at.checked_sub(LEAF / 2) {
                    Some(at) if at > 0 => right.insert(at, item),
                    _ => items.insert(at, item),
                }
                Some(Node::Leaf(right))
            }
            Node::Inner(children) => {
                let (mut at, mut rank) = (0, rank);
                while at + 1 < children.len() && rank > children[at].count {
                    rank -= children[at].count;
                    at += 1;
                }
                let child = &mut children[at];
                let split = Arc::make_mut(&mut child.node).insert(rank, item);
                child.count += 1;
                if rank == 0 {
                    child.first = item;
                }
                let right = Child::new(split?);
                child.count -= right.count;
                children.insert(at + 1, right);
                if children.len() <= FANOUT {
                    return None;
                }
                // At the end of the list the left part stays full.
                let keep = if at + 2 == children.len() { FANOUT } else { children.len() / 2 };
                Some(Node::Inner(children.split_off(keep)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all<T: Copy>(list: &Ranked<T>) -> Vec<T> {
        (0..list.len()).map(|rank| list.at(rank).expect("a rank below the length")).collect()
    }

    fn leaves<T>(node: &Node<T>) -> usize {
        match node {
            Node::Leaf(_) => 1,
            Node::Inner(children) => children.iter().map(|child| leaves(&child.node)).sum(),
        }
    }

    #[test]
    fn lists_that_grow_at_their_end_fill_their_leaves() {
        let mut list = Ranked::default();
        let many = 100_000_u32;
        for number in 0..many {
            list.insert(number, number);
        }
        assert_eq!(all(&list), (0..many).collect::<Vec<_>>());
        assert_eq!(list.at(many), None);
        for bound in [0, 1, 255, 256, 257, 70_001, many - 1, many, many + 1] {
            assert_eq!(list.rank_of(|number| number < bound), bound.min(many));
        }
        assert_eq!(leaves(list.root.as_deref().expect("a root")), (many as usize).div_ceil(LEAF));
    }

    #[test]
    fn an_empty_list_has_no_ranks() {
        let list: Ranked = Ranked::default();
        assert_eq!((list.len(), list.at(0), list.rank_of(|_| true)), (0, None, 0));
    }

    #[test]
    fn lists_that_grow_at_their_begin_or_middle_stay_in_order() {
        let mut list = Ranked::default();
        for number in 0..30_000_u32 {
            list.insert(0, 100_000 - number);
        }
        for number in 0..30_000_u32 {
            let rank = list.rank_of(|other| other < 50_000 + number % 7);
            list.insert(rank, 50_000 + number % 7);
        }
        let items = all(&list);
        assert!(items.is_sorted());
        assert_eq!(items.len(), 60_000);
        assert_eq!(list.rank_of(|number| number < 70_001), 30_000);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn it_is_a_vector(places in proptest::collection::vec(any::<u32>(), 0..3000), cloned_at in 0..3000_usize) {
            let (mut list, mut model) = (Ranked::default(), Vec::new());
            let mut copy = None;
            for (number, place) in (0_u32..).zip(places) {
                if number as usize == cloned_at {
                    copy = Some((list.clone(), model.clone()));
                }
                let rank = place % (list.len() + 1);
                list.insert(rank, number);
                model.insert(rank as usize, number);
            }
            prop_assert_eq!(all(&list), model);
            if let Some((list, model)) = copy {
                prop_assert_eq!(all(&list), model);
            }
        }

        #[test]
        fn ranks_are_found(mut numbers in proptest::collection::vec(0..500_u32, 0..1500), wanted in 0..510_u32) {
            let mut list = Ranked::default();
            for number in &numbers {
                let rank = list.rank_of(|other| other <= *number);
                list.insert(rank, *number);
            }
            numbers.sort_unstable();
            prop_assert_eq!(list.rank_of(|number| number < wanted), numbers.partition_point(|n| *n < wanted) as u32);
            prop_assert_eq!(all(&list), numbers);
        }
    }
}
