//! Filters of checks and client worlds, and the nearest known names.

use assay_spec::requirement::Evidence;
use assay_spec::{Id, catalogue};
use wildmatch::WildMatch;

/// The maximum number of suggested names.
const MOST: usize = 5;

/// What a filter on the command line selects.
#[derive(Clone, Debug)]
pub enum Filter {
    /// The check or the worlds of one requirement: the filter is its id.
    Row(Id),
    /// Ids or facts that match a pattern as a whole: the filter contains `*` or `?`.
    Pattern(WildMatch),
    /// Ids or facts that contain the filter.
    Part(String),
}

impl Filter {
    /// Reads a filter. An id without checks and worlds is no more than a part of other ids.
    pub fn read(text: &str) -> Filter {
        match catalogue::requirement(text) {
            Some(row) if matches!(row.evidence, Evidence::Check | Evidence::Client) => Filter::Row(row),
            _ if text.contains(['*', '?']) => Filter::Pattern(WildMatch::new(text)),
            _ => Filter::Part(text.to_owned()),
        }
    }

    /// Reads filters.
    pub fn read_all(texts: &[String]) -> Vec<Filter> {
        texts.iter().map(|text| Filter::read(text)).collect()
    }

    /// Whether it selects a check or world of `row` with this fact.
    pub fn selects(&self, row: Id, fact: &str) -> bool {
        match self {
            Filter::Row(wanted) => *wanted == row,
            Filter::Pattern(pattern) => pattern.matches(&row.to_string()) || pattern.matches(fact),
            Filter::Part(part) => row.to_string().contains(part) || fact.contains(part),
        }
    }
}

/// Checks that each filter selects something. `what` is the name of one thing, such as `check`. The error suggests
/// names, or says what else the filter names.
pub fn each_selects(
    what: &str,
    texts: &[String],
    all: impl Iterator<Item = (Id, &'static str)> + Clone,
) -> Result<(), String> {
    let selects_none = |text: &&String| {
        let filter = Filter::read(text);
        !all.clone().any(|(row, fact)| filter.selects(row, fact))
    };
    let Some(text) = texts.iter().find(selects_none) else { return Ok(()) };
    if let Some(row) = catalogue::requirement(text) {
        let evidence = row.evidence.name();
        return Err(format!(
            "no {what} matches {text:?}: the evidence of this requirement is {evidence}; see assay explain {text}"
        ));
    }
    let ids = all.clone().map(|(row, _)| row.to_string());
    let groups = all.clone().map(|(row, _)| format!("{}.{}", row.service, row.group.replace('_', "-")));
    let names: Vec<String> = groups.chain(ids).chain(all.map(|(_, fact)| fact.to_owned())).collect();
    Err(format!("no {what} matches {text:?}{}", did_you_mean(text, names.iter().map(String::as_str))))
}

/// `; did you mean a, b or c?` with the known names that are like `written`, the most similar first; empty without one.
pub fn did_you_mean<'n>(written: &str, known: impl Iterator<Item = &'n str>) -> String {
    match similar(written, known).as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [others @ .., last] => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

/// The names that contain what is written; without one, the names that are a few typing errors away.
fn similar<'n>(written: &str, known: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let written = written.trim_matches(['*', '?', '.']).to_lowercase();
    let mut names: Vec<&str> = Vec::new();
    for name in known {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let containing: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| !written.is_empty() && name.to_lowercase().contains(&written))
        .take(MOST)
        .collect();
    if !containing.is_empty() {
        return containing;
    }
    let most = 1 + written.len() / 5;
    // The last part of an id is often all that is remembered.
    let distance = |name: &str| {
        let name = name.to_lowercase();
        let last = name.rsplit(['.', '/']).next().unwrap_or(&name);
        strsim::damerau_levenshtein(&written, &name).min(strsim::damerau_levenshtein(&written, last))
    };
    let mut near: Vec<(usize, &str)> = names.into_iter().map(|name| (distance(name), name)).collect();
    near.sort_by_key(|(distance, _)| *distance);
    let best = near.first().map_or(0, |(distance, _)| *distance);
    near.retain(|(distance, _)| *distance <= most.min(best + 1));
    near.into_iter().map(|(_, name)| name).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services;

    fn selected(text: &str) -> Vec<String> {
        let filter = Filter::read(text);
        let all = services::checks().into_iter();
        let ids = all.filter(|check| filter.selects(check.requirement, check.fact));
        ids.map(|check| check.requirement.to_string()).collect()
    }

    #[test]
    fn an_id_selects_one_check_even_if_others_contain_it() {
        let others = services::checks().into_iter().filter(|check| {
            let id = check.requirement.to_string();
            id.contains("gateway.chat.part")
        });
        assert!(others.count() > 1);
        assert_eq!(selected("gateway.chat.part"), ["gateway.chat.part"]);
    }

    #[test]
    fn parts_prefixes_and_patterns_select_ids_and_facts() {
        assert!(selected("publish.prepare").len() > 5);
        assert_eq!(selected("publish.prepare"), selected("publish.prepare.*"));
        assert_eq!(selected("*.one-in-flight"), ["publish.prepare.one-in-flight"]);
        assert_eq!(selected("second_prepare_is_rejected"), ["publish.prepare.one-in-flight"]);
        assert_eq!(selected("second_prepare_is_r?jected"), ["publish.prepare.one-in-flight"]);
        assert!(selected("?ublish").is_empty(), "a pattern matches as a whole");
    }

    #[test]
    fn a_filter_without_a_match_is_an_error_with_suggestions() {
        let all = services::checks();
        let names = all.iter().map(|check| (check.requirement, check.fact));
        let error = |text: &str| {
            each_selects("check", &["publish".to_owned(), text.to_owned()], names.clone())
                .expect_err("no match")
        };
        assert!(each_selects("check", &["publish".to_owned()], names.clone()).is_ok());
        assert!(
            error("publish.perpare").ends_with("did you mean publish.prepare?"),
            "{}",
            error("publish.perpare")
        );
        assert!(
            error("publish.prepare.one-in-fligth").contains("did you mean publish.prepare.one-in-flight?")
        );
        assert!(error("one-in-fligth").contains("publish.prepare.one-in-flight"));
        assert_eq!(error("nothing like any name"), "no check matches \"nothing like any name\"");
        assert!(error("publish.domain.alphabet").contains("the evidence of this requirement is vector"));
    }
}
