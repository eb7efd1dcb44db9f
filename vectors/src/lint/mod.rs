//! What keeps the data honest: form, provenance, coverage, and that every reject is refused by its rule alone.

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
    [form::lint(&cases), lint_cases(&cases)].concat()
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
