//! How the documents let a server reject what a row rejects: the statuses, and the sentence that demands them.

use crate::requirement::{Anchor, Requirement};

/// What a server may answer where a row rejects. The rows name it: `rejects NAME`, a constant of the service's
/// `rejections.rs`.
#[derive(Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The heading of the sentence that demands the rejection: the last one that the row names under it. Empty: the
    /// first sentence of the row.
    under: &'static str,
    /// The statuses of a rejection.
    pub statuses: &'static [u16],
    /// The status that the reference returns: one of `statuses`, or one that `instead` allows.
    pub usual: u16,
    /// What a server may do instead, without a subject. Empty: nothing.
    pub instead: &'static str,
    /// Why no other status is legal.
    pub why: &'static str,
}

/// Why no other status is legal where a row of a table names the only one.
const NAMED: &str = "the sentence names this status for it";
/// Why no other status is legal where sentences name several.
const CHOICE: &str = "sentences name these statuses for it, and do not choose";

/// The first of no or one rejections.
pub const fn first(named: &[&'static Rejection]) -> Option<&'static Rejection> {
    if named.is_empty() { None } else { Some(named[0]) }
}

impl Rejection {
    /// A rejection with one of `statuses`, demanded by a sentence under the heading `under`. The reference returns the first.
    pub const fn new(under: &'static str, statuses: &'static [u16]) -> Rejection {
        let why = if statuses.len() == 1 { NAMED } else { CHOICE };
        Rejection { under, statuses, usual: statuses[0], instead: "", why }
    }

    /// Instead of rejecting the request at once, a server may do this.
    #[must_use]
    pub const fn or(self, instead: &'static str) -> Rejection {
        Rejection { instead, ..self }
    }

    /// No other status is legal for this reason.
    #[must_use]
    pub const fn because(self, why: &'static str) -> Rejection {
        Rejection { why, ..self }
    }

    /// The reference returns this status.
    #[must_use]
    pub const fn usually(self, usual: u16) -> Rejection {
        Rejection { usual, ..self }
    }

    /// The sentence that demands it; `None` if the row names none under the heading.
    pub fn sentence(&self, row: &Requirement) -> Option<&'static Anchor> {
        if self.under.is_empty() {
            return row.anchors.first();
        }
        row.anchors.iter().rev().find(|anchor| anchor.heading == self.under)
    }

    /// `404, or returns an empty list`
    pub fn allowed(&self) -> String {
        let statuses: Vec<String> = self.statuses.iter().map(u16::to_string).collect();
        let instead = (!self.instead.is_empty()).then(|| self.instead.to_owned());
        [statuses, Vec::from_iter(instead)].concat().join(", or ")
    }
}
