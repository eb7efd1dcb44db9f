//! What keeps the data consistent: form, provenance, coverage, and that every reject is refused by its rule alone.

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

use crate::collection::Collection;
use sheet::Sheet;

pub use canon::canonical_input;

/// What is looked at; each can fail alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lint {
    /// A file is JSON in its canonical text.
    Text,
    /// The one closed schema, and the reader that says the same.
    Schema,
    /// The manifest knows every file by its hash, and counts the cases.
    Manifest,
    /// An id stands once, and at its place.
    Id,
    /// An input stands once.
    Input,
    /// One input has one expectation.
    Contradiction,
    /// What people read is filled in.
    Words,
    /// A reject is its base with its edit, made anew where it must be, and nothing else.
    Replay,
    /// The reference answers as expected.
    Answer,
    /// Requirements and rules exist, and belong together.
    Rule,
    /// Every row whose evidence is vectors is shown from both sides.
    Coverage,
    /// With one rule switched off, exactly its cases flip.
    Minimality,
    /// Two witnesses confirmed every case as it stands.
    Witness,
    /// Where a library differs, it is known and has a reason.
    Divergence,
}

/// Something that is wrong with a collection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// What found it.
    pub lint: Lint,
    /// The case, file or requirement.
    pub place: String,
    /// What is wrong.
    pub what: String,
}

/// Everything that is wrong with a collection; nothing, as long as it is released.
pub fn lint(collection: &Collection) -> Vec<Finding> {
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
    /// All of them.
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

    /// Its name.
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
