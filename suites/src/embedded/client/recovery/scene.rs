//! The world of a case.

use super::super::Ability;
use super::extra::Extra;
use super::{CLAIMS, MIRRORS};

/// An owner's history, and the nodes that have it.
#[derive(Clone, Copy)]
pub struct Scene {
    /// What the application wrote.
    pub(super) history: History,
    /// Variations of the application and of the nodes.
    pub(super) variations: &'static [&'static str],
    /// Deviations of the application: records that do not count.
    pub(super) deviations: &'static [&'static str],
    /// Faults while the history is written (JSON).
    pub(super) faults: &'static str,
    /// What is written after the history.
    pub(super) extra: &'static [Extra],
    /// The nodes that are named.
    pub(super) nodes: Nodes,
    /// It is about claims of machines.
    pub(super) claims: bool,
}

/// What the application wrote.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum History {
    /// A few projects with deployments of every kind, edits, a deletion, two machines.
    Short,
    /// This many deployments; their artifacts are processed, removing, removed, forgotten and absent in turn.
    Long(u32),
}

/// The nodes that are named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nodes {
    /// One node, which has every record.
    One,
    /// A mirror that has none of the records, then the node that has them.
    MirrorFirst,
}

/// A world in which nothing is wrong.
pub(super) const CONFORMING: Scene = Scene {
    history: History::Short,
    variations: &[],
    deviations: &[],
    faults: "[]",
    extra: &[],
    nodes: Nodes::One,
    claims: false,
};

impl Scene {
    /// The abilities that a tool needs in it.
    pub(super) fn needs(&self) -> Vec<&'static Ability> {
        let needs = [(self.claims, &CLAIMS), (self.nodes == Nodes::MirrorFirst, &MIRRORS)];
        needs.into_iter().filter(|(is_needed, _)| *is_needed).map(|(_, ability)| ability).collect()
    }
}
