//! Filters of checks and client worlds.

use assay_spec::names::did_you_mean;
use assay_spec::requirement::Evidence;
use assay_spec::{Id, catalogue};
use wildmatch::WildMatch;

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

/// Checks that each filter selects something. `what` is the name of one thing, such as `check`, and `list` the option that
/// lists all. The error suggests names, or says what else the filter names.
pub fn each_selects(
    what: &str,
    list: &str,
    texts: &[String],
    all: &(impl Iterator<Item = (Id, &'static str)> + Clone),
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
    let services = all.clone().map(|(row, _)| row.service.to_string());
    let groups = all.clone().map(|(row, _)| format!("{}.{}", row.service, row.group.replace('_', "-")));
    let facts = all.clone().map(|(_, fact)| fact.to_owned());
    let names: Vec<String> = services.chain(groups).chain(ids).chain(facts).collect();
    let near = did_you_mean(text, names.iter().map(String::as_str));
    let near = if near.is_empty() { format!("; {list} shows every {what}") } else { near };
    Err(format!("no {what} matches {text:?}{near}"))
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
            each_selects("check", "--list", &["publish".to_owned(), text.to_owned()], &names)
                .expect_err("no match")
        };
        assert!(each_selects("check", "--list", &["publish".to_owned()], &names).is_ok());
        assert!(
            error("publish.perpare").ends_with("did you mean publish.prepare?"),
            "{}",
            error("publish.perpare")
        );
        assert!(
            error("publish.prepare.one-in-fligth").contains("did you mean publish.prepare.one-in-flight?")
        );
        assert!(error("one-in-fligth").contains("publish.prepare.one-in-flight"));
        assert!(error("gatway").ends_with("did you mean gateway?"), "{}", error("gatway"));
        let nothing = "no check matches \"nothing like any name\"; --list shows every check";
        assert_eq!(error("nothing like any name"), nothing);
        assert!(error("publish.domain.alphabet").contains("the evidence of this requirement is vector"));
    }
}
