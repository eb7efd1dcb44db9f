//! Rejections: the sentence that demands one, its statuses, and what a server may do instead.

use assay_spec::Id;
use assay_spec::rejection::Rejection;
use assay_spec::requirement::Anchor;
use serde_json::{Value, json};

use crate::harness::check::Check;
use crate::support::prose;

/// The checks that expect a rejection, each with the sentence that demands it, its statuses, and why no other is legal.
fn demanded(checks: &[&'static Check]) -> impl Iterator<Item = (Id, &'static Rejection, String)> {
    checks.iter().filter_map(|check| {
        let (row, rejection) = (check.requirement, check.rejection()?);
        let sentence = rejection.sentence(row);
        let sentence = sentence.map(|Anchor { heading, hash }| {
            format!("document {}, {heading} 0x{hash:08x}", row.service.document())
        });
        Some((row, rejection, sentence.unwrap_or_default()))
    })
}

/// The rejections that checks expect, as text.
pub fn table(checks: &[&'static Check]) -> String {
    let mut text = String::new();
    for (row, rejection, sentence) in demanded(checks) {
        let (level, allowed) = (row.level.name(), rejection.allowed());
        text.push_str(&format!("{row}  {level}\n    {allowed}\n    {sentence}\n    {}\n", rejection.why));
    }
    text + &format!("{}\n", prose::count(demanded(checks).count(), "rejection"))
}

/// The rejections that checks expect, as JSON.
pub fn json(checks: &[&'static Check]) -> Value {
    let entry = |(row, rejection, sentence): (Id, &Rejection, String)| {
        json!({
            "id": row.to_string(),
            "level": row.level.name(),
            "sentence": sentence,
            "statuses": rejection.statuses,
            "instead": Some(rejection.instead).filter(|instead| !instead.is_empty()),
            "why": rejection.why,
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
            check.rejection().is_some_and(|rejection| {
                rejection.sentence(check.requirement).is_none() || rejection.statuses.is_empty()
            })
        };
        let without: Vec<String> =
            services::checks().into_iter().filter(lacks).map(|check| check.requirement.to_string()).collect();
        assert!(without.is_empty(), "rejections that no sentence of their row demands: {without:#?}");
    }
}
