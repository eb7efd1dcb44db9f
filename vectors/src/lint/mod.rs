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

    /// What the lint says after one thing was bent in one case.
    fn bent(id: &str, bend: impl FnOnce(&mut Case)) -> Vec<String> {
        let mut cases = crate::cases();
        bend(cases.iter_mut().find(|case| case.id == id).expect("it stands"));
        lint_cases(&cases).iter().map(ToString::to_string).collect()
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
