//! Conforming and hostile zips for `inspect`.

mod bombs;
mod contents;
mod corpus;
mod limits;
mod links;
mod names;
mod random;
mod rules;
mod structure;
mod wide;

use assay_spec::drop::zip::{Extracted, Limits, inspect};
use assay_spec::{Id, Refused, Strict, Without};

/// The result of `inspect` for a zip, with the document's limits.
fn judge(zip: &[u8]) -> Result<Extracted, Refused> {
    inspect(zip, &Limits::default(), &mut Strict)
}

#[track_caller]
fn accepted(zip: &[u8]) -> Extracted {
    judge(zip).unwrap_or_else(|refused| panic!("rejected: {refused}"))
}

/// Asserts that this rule rejects the zip, for a reason that contains `words`, and that no other rule does: without the
/// rule, it is accepted. Returns what is then extracted.
#[track_caller]
fn refused(rule: Id, words: &str, zip: &[u8]) -> Extracted {
    refused_within(&Limits::default(), rule, words, zip)
}

#[track_caller]
fn refused_within(limits: &Limits, rule: Id, words: &str, zip: &[u8]) -> Extracted {
    match inspect(zip, limits, &mut Strict) {
        Err(refused) => {
            assert_eq!(refused.rule, rule, "{refused}");
            assert!(refused.why.contains(words), "{:?} instead of {words:?}", refused.why);
        }
        Ok(extracted) => panic!("accepted, with {:?}", extracted.files.keys()),
    }
    let violated = inspect(zip, limits, &mut Without(rule));
    violated.unwrap_or_else(|refused| panic!("also rejected by {refused}"))
}

/// The paths of the files.
fn paths(extracted: &Extracted) -> Vec<&str> {
    extracted.files.keys().map(String::as_str).collect()
}

/// A file's content.
#[track_caller]
fn content<'a>(extracted: &'a Extracted, path: &str) -> &'a [u8] {
    extracted.files.get(path).unwrap_or_else(|| panic!("no {path:?} in {:?}", paths(extracted)))
}
