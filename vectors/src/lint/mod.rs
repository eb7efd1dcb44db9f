//! Checks that the data is consistent: form, provenance, coverage, and that every reject is rejected by its rule
//! alone.

mod canon;
mod confirmed;
mod coverage;
mod divergences;
mod form;
mod manifest;
mod minimality;
mod replay;
mod schema;
mod sheet;

use std::fmt;

use crate::bytes::Streams;
use crate::collection::Collection;
use sheet::Sheet;

pub use canon::canonical_input;

/// The lints; each can fail alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lint {
    /// A file is JSON in its canonical text form.
    Text,
    /// The cases match the closed schema, and the reader accepts them.
    Schema,
    /// The manifest has the hash of every file, and the case counts.
    Manifest,
    /// An id is unique and in the right file.
    Id,
    /// An input is unique.
    Input,
    /// One input has one expectation.
    Contradiction,
    /// Explanations are filled in.
    Words,
    /// A reject is its base with its edit, recomputed where necessary, and nothing else.
    Replay,
    /// The reference returns the expected result.
    Answer,
    /// Requirements and rules exist and belong together.
    Rule,
    /// Every row with vectors as evidence has accepted and rejected cases.
    Coverage,
    /// With one rule switched off, exactly its cases change.
    Minimality,
    /// Two witnesses confirmed the current state of every case.
    Witness,
    /// A library's divergence is recorded with a reason.
    Divergence,
}

/// A fault in a collection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The lint that found it.
    pub lint: Lint,
    /// The case, file or requirement.
    pub place: String,
    /// The description.
    pub what: String,
}

/// All faults of a collection; empty for a released one.
pub fn lint(collection: &Collection) -> Vec<Finding> {
    let _streams = Streams::keep();
    let (sheet, mut findings) = Sheet::read(collection);
    let lints: &[fn(&Sheet) -> Vec<Finding>] = &[
        schema::lint,
        form::lint,
        manifest::lint,
        replay::lint,
        coverage::lint,
        minimality::lint,
        confirmed::lint,
        divergences::lint,
    ];
    findings.extend(lints.iter().flat_map(|lint| lint(&sheet)));
    findings
}

impl Lint {
    /// All lints.
    pub const ALL: [Lint; 14] = [
        Lint::Text,
        Lint::Schema,
        Lint::Manifest,
        Lint::Id,
        Lint::Input,
        Lint::Contradiction,
        Lint::Words,
        Lint::Replay,
        Lint::Answer,
        Lint::Rule,
        Lint::Coverage,
        Lint::Minimality,
        Lint::Witness,
        Lint::Divergence,
    ];

    /// The lint's name.
    pub const fn name(self) -> &'static str {
        match self {
            Lint::Text => "text",
            Lint::Schema => "schema",
            Lint::Manifest => "manifest",
            Lint::Id => "id",
            Lint::Input => "input",
            Lint::Contradiction => "contradiction",
            Lint::Words => "words",
            Lint::Replay => "replay",
            Lint::Answer => "answer",
            Lint::Rule => "rule",
            Lint::Coverage => "coverage",
            Lint::Minimality => "minimality",
            Lint::Witness => "witness",
            Lint::Divergence => "divergence",
        }
    }

    fn at(self, place: impl fmt::Display, what: impl Into<String>) -> Finding {
        Finding { lint: self, place: place.to_string(), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.place, self.what, self.lint.name())
    }
}
