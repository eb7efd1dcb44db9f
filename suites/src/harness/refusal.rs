//! Rejections: the sentence that demands one, its statuses, and what a server may do instead.

use assay_spec::Id;
use assay_spec::requirement::Anchor;
use serde_json::{Value, json};

use crate::harness::check::Check;
use crate::support::prose;

use crate::harness::data::Want;

/// What the documents say about a request that a check expects to be rejected.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// The heading of the sentence that demands the rejection: the last one that the row names under it. Empty: the
    /// first sentence of the row.
    under: &'static str,
    /// The statuses of a rejection.
    pub statuses: &'static [u16],
    /// What a server may do instead, without a subject. Empty: nothing.
    pub instead: &'static str,
    /// Why no other status is legal.
    pub why: &'static str,
}

/// Why no other status is legal where a row of a table names the only one.
const NAMED: &str = "the sentence names this status for it";
/// Why no other status is legal where sentences name several.
const CHOICE: &str = "sentences name these statuses for it, and do not choose";

impl Refusal {
    /// A rejection with one of `statuses`, demanded by a sentence under the heading `under`.
    pub const fn new(under: &'static str, statuses: &'static [u16]) -> Refusal {
        Refusal { under, statuses, instead: "", why: if statuses.len() == 1 { NAMED } else { CHOICE } }
    }

    /// Instead of rejecting the request at once, a server may do this.
    #[must_use]
    pub const fn or(self, instead: &'static str) -> Refusal {
        Refusal { instead, ..self }
    }

    /// No other status is legal for this reason.
    #[must_use]
    pub const fn because(self, why: &'static str) -> Refusal {
        Refusal { why, ..self }
    }

    /// The sentence that demands it; `None` if the row names none under the heading.
    pub fn sentence(&self, row: Id) -> Option<&'static Anchor> {
        if self.under.is_empty() {
            return row.anchors.first();
        }
        row.anchors.iter().rev().find(|anchor| anchor.heading == self.under)
    }

    /// What an expectation wants: one of the statuses, or what a server may do instead.
    pub fn want(&self) -> Want {
        Want::one_of(self.statuses).said(self.allowed())
    }

    /// `404, or returns an empty list`
    pub fn allowed(&self) -> String {
        let statuses: Vec<String> = self.statuses.iter().map(u16::to_string).collect();
        let instead = (!self.instead.is_empty()).then(|| self.instead.to_owned());
        [statuses, Vec::from_iter(instead)].concat().join(", or ")
    }
}

/// The checks that expect a rejection, each with the sentence that demands it, its statuses, and why no other is legal.
fn demanded(checks: &[&'static Check]) -> impl Iterator<Item = (Id, Refusal, String)> {
    checks.iter().filter_map(|check| {
        let (row, refusal) = (check.requirement, check.refusal?);
        let sentence = refusal.sentence(row);
        let sentence = sentence.map(|Anchor { heading, hash }| {
            format!("document {}, {heading} 0x{hash:08x}", row.service.document())
        });
        Some((row, refusal, sentence.unwrap_or_default()))
    })
}

/// The rejections that checks expect, as text.
pub fn table(checks: &[&'static Check]) -> String {
    let mut text = String::new();
    for (row, refusal, sentence) in demanded(checks) {
        let (level, allowed) = (row.level.name(), refusal.allowed());
        text.push_str(&format!("{row}  {level}\n    {allowed}\n    {sentence}\n    {}\n", refusal.why));
    }
    text + &format!("{}\n", prose::count(demanded(checks).count(), "rejection"))
}

/// The rejections that checks expect, as JSON.
pub fn json(checks: &[&'static Check]) -> Value {
    let entry = |(row, refusal, sentence): (Id, Refusal, String)| {
        json!({
            "id": row.to_string(),
            "level": row.level.name(),
            "sentence": sentence,
            "statuses": refusal.statuses,
            "instead": Some(refusal.instead).filter(|instead| !instead.is_empty()),
            "why": refusal.why,
        })
    };
    demanded(checks).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use crate::harness::check;
    use crate::services;

    #[test]
    fn every_rejection_names_its_sentence_and_its_statuses() {
        let lacks = |check: &&check::Check| {
            check.refusal.is_some_and(|refusal| {
                refusal.sentence(check.requirement).is_none() || refusal.statuses.is_empty()
            })
        };
        let without: Vec<String> =
            services::checks().into_iter().filter(lacks).map(|check| check.requirement.to_string()).collect();
        assert!(without.is_empty(), "rejections that no sentence of their row demands: {without:#?}");
    }
}
