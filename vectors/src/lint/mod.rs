//! What keeps the data honest: form, provenance, coverage, and that every reject is refused by its rule alone.

mod confirmed;
mod coverage;
mod form;
mod minimality;
mod replay;

use std::fmt;

use crate::Case;

/// Something that is wrong with the data.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The case, file or requirement.
    pub place: String,
    /// What is wrong.
    pub what: String,
}

/// Everything that is wrong with the data; nothing, as long as it is released.
pub fn lint() -> Vec<Finding> {
    let cases = crate::cases();
    [form::lint(&cases), confirmed::lint(&cases), lint_cases(&cases)].concat()
}

/// What is wrong with these cases, whatever files they stand in.
pub fn lint_cases(cases: &[Case]) -> Vec<Finding> {
    [replay::lint(cases), coverage::lint(cases), minimality::lint(cases)].concat()
}

impl Finding {
    fn new(place: impl fmt::Display, what: impl Into<String>) -> Finding {
        Finding { place: place.to_string(), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Expect;

    /// What the lint says of one service after one thing was bent in one case; whole files take it too long.
    fn bent(id: &str, bend: impl FnOnce(&mut Case)) -> Vec<String> {
        bent_of("publish", id, bend)
    }

    /// The same of one operation or service.
    fn bent_of(place: &str, id: &str, bend: impl FnOnce(&mut Case)) -> Vec<String> {
        let service = place.split('/').next().unwrap_or_default();
        let mut cases = crate::cases();
        cases.retain(|case| case.id.starts_with(place));
        bend(cases.iter_mut().find(|case| case.id == id).expect("it stands"));
        let findings = lint_cases(&cases);
        let own = findings.iter().filter(|finding| finding.place.starts_with(service));
        own.map(ToString::to_string).collect()
    }

    #[test]
    fn a_row_that_refuses_nothing_is_shown_by_the_accepts_that_need_it() {
        const LINKS: &str = "drop.cid.symlinks";
        let lint = |id: &str, bend: fn(&mut Case)| bent_of("drop/cid-directory/", id, bend).join("\n");
        let unneeded = lint("drop/cid-directory/one-file", |case| case.requirements.push(LINKS.into()));
        assert!(unneeded.contains("one-file: without drop.cid.symlinks the reference still"), "{unneeded}");
        let unlisted =
            lint("drop/cid-directory/link-to-file", |case| case.requirements.retain(|row| row != LINKS));
        assert!(unlisted.contains("which the case is not about"), "{unlisted}");
        // The files stand elsewhere, so their rows have no case here, and need no reject.
        assert!(unlisted.contains("drop.cid.balanced: no accept shows it"), "{unlisted}");
        assert!(!unlisted.contains("no reject names it"), "{unlisted}");
    }

    #[test]
    fn each_part_of_the_lint_can_fail() {
        let id = "publish/domain/label-64";
        let lint = |bend: fn(&mut Case)| bent(id, bend);
        assert_eq!(bent(id, |_| ()), Vec::<String>::new());
        for (findings, word) in [
            (lint(|case| case.why.clear()), "why is no sentence"),
            (lint(|case| case.base = None), "a reject has a base"),
            (lint(|case| case.base = Some("publish/domain/upper-case".into())), "no accept of its operation"),
            (lint(|case| case.reseal.push("/in/message".into())), "stale"),
            (lint(|case| case.edit[0].new = "b".into()), "is not its base with its edit"),
            (lint(|case| case.edit[0].old = "z".into()), "does not stand at"),
            (lint(|case| case.input["domain"] = "a.b".into()), "the reference answers"),
            (lint(|case| case.requirements[0] = "publish.domain.alphabet".into()), "refused by"),
            (lint(|case| case.requirements[0] = "publish.domain.colour".into()), "is no requirement"),
            (lint(|case| set_rule(case, "domain.colour")), "is no rule"),
            (lint(|case| case.reading = Some("whim".into())), "a reading is"),
            (bent("publish/domain/total-254", |case| case.requirements.clear()), "no reject names it"),
            // Two faults at once: the case outlives the rule that it names.
            (lint(|case| case.input["domain"] = format!("{}.A", "a".repeat(64)).into()), "without publish"),
        ] {
            assert!(findings.iter().any(|finding| finding.contains(word)), "{word}: {findings:?}");
        }
    }

    fn set_rule(case: &mut Case, name: &str) {
        if let Expect::Reject { rule, .. } = &mut case.expect {
            name.clone_into(rule);
        }
    }
}
