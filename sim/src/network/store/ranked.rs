//! A list of numbers that knows its ranks: reading at a rank, inserting at a rank and cloning are all cheap.
//!
//! A tree of counted nodes. A clone shares every node; what is changed afterwards is copied along one path. Lists that
//! grow at their end, as lists by time do, fill their leaves.

use std::sync::Arc;

/// Numbers of a leaf, and children of an inner node, at most.
const LEAF: usize = 256;
const FANOUT: usize = 64;

/// The list.
#[derive(Clone, Debug, Default)]
pub(in crate::network) struct Ranked {
    root: Option<Arc<Node>>,
    len: u32,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf(Vec<u32>),
    Inner(Vec<Child>),
}

/// A node, and how many numbers stand below it.
#[derive(Clone, Debug)]
struct Child {
    count: u32,
    node: Arc<Node>,
}

impl Ranked {
    /// How many numbers there are.
    pub(in crate::network) const fn len(&self) -> u32 {
        self.len
    }

    /// The number at a rank.
    pub(in crate::network) fn at(&self, rank: u32) -> Option<u32> {
        let mut node = self.root.as_deref().filter(|_| rank < self.len)?;
        let mut rank = rank;
        loop {
            match node {
                Node::Leaf(numbers) => return numbers.get(rank as usize).copied(),
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

    /// Puts a number at a rank; those from there on stand one further.
    pub(in crate::network) fn insert(&mut self, rank: u32, number: u32) {
        let rank = rank.min(self.len);
        let root = self.root.get_or_insert_with(|| Arc::new(Node::Leaf(Vec::new())));
        let split = Arc::make_mut(root).insert(rank, number);
        self.len += 1;
        if let Some(right) = split {
            let count = right.count();
            let left = Child { count: self.len - count, node: root.clone() };
            *root = Arc::new(Node::Inner(vec![left, Child { count, node: Arc::new(right) }]));
        }
    }

    /// The first rank whose number is not `before`. Numbers that are stand in front of those that are not.
    pub(in crate::network) fn rank_of(&self, before: impl Fn(u32) -> bool) -> u32 {
        // Most numbers come to the end.
        if self.len == 0 || self.at(self.len - 1).is_some_and(&before) {
            return self.len;
        }
        let (mut low, mut high) = (0, self.len - 1);
        while low < high {
            let middle = low.midpoint(high);
            if self.at(middle).is_some_and(&before) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl Node {
    fn count(&self) -> u32 {
        match self {
            Node::Leaf(numbers) => numbers.len() as u32,
            Node::Inner(children) => children.iter().map(|child| child.count).sum(),
        }
    }

    /// Puts a number at a rank; a node that is full keeps its left part and answers its right one.
    fn insert(&mut self, rank: u32, number: u32) -> Option<Node> {
        match self {
            Node::Leaf(numbers) => {
                let at = rank as usize;
                if numbers.len() < LEAF {
                    numbers.insert(at, number);
                    return None;
                }
                if at == LEAF {
                    return Some(Node::Leaf(vec![number]));
                }
                let mut right = numbers.split_off(LEAF / 2);
                let half = if at <= LEAF / 2 { (&mut *numbers, at) } else { (&mut right, at - LEAF / 2) };
                half.0.insert(half.1, number);
                Some(Node::Leaf(right))
            }
            Node::Inner(children) => {
                let (mut at, mut rank) = (0, rank);
                while at + 1 < children.len() && rank > children[at].count {
                    rank -= children[at].count;
                    at += 1;
                }
                let child = &mut children[at];
                let split = Arc::make_mut(&mut child.node).insert(rank, number);
                child.count += 1;
                let right = split?;
                let count = right.count();
                child.count -= count;
                children.insert(at + 1, Child { count, node: Arc::new(right) });
                if children.len() <= FANOUT {
                    return None;
                }
                // At the end of the whole list the left part stays full.
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

    fn all(list: &Ranked) -> Vec<u32> {
        (0..list.len()).map(|rank| list.at(rank).expect("a rank below the length")).collect()
    }

    #[test]
    fn lists_that_grow_at_their_end_fill_their_leaves() {
        let mut list = Ranked::default();
        let many = 100_000;
        for number in 0..many {
            list.insert(number, number);
        }
        assert_eq!(all(&list), (0..many).collect::<Vec<_>>());
        assert_eq!(list.at(many), None);
        assert_eq!(list.rank_of(|number| number < 70_001), 70_001);
        fn leaves(node: &Node) -> usize {
            match node {
                Node::Leaf(_) => 1,
                Node::Inner(children) => children.iter().map(|child| leaves(&child.node)).sum(),
            }
        }
        assert_eq!(leaves(list.root.as_deref().expect("a root")), (many as usize).div_ceil(LEAF));
    }

    #[test]
    fn an_empty_list_has_no_ranks() {
        let list = Ranked::default();
        assert_eq!((list.len(), list.at(0), list.rank_of(|_| true)), (0, None, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn it_is_a_vector(places in proptest::collection::vec(any::<u32>(), 0..3000), cloned_at in 0..3000_usize) {
            let (mut list, mut model) = (Ranked::default(), Vec::new());
            let mut copy = None;
            for (number, place) in (0..).zip(places) {
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
