//! Sentences of document 2 about stored records without a row in this service, each with the reason.

use crate::requirement::{Anchor, Excuse};

/// The excused sentences.
pub static EXCUSES: &[Excuse] = &[
    excuse("Stored records written by the hosting application", 0x7e11_485f, LABEL),
    excuse("Stored records written by the hosting application", 0x0239_9f46, LABEL),
    excuse("Stored records written by the hosting application", 0x9a3f_4a73, LABEL),
];

const LABEL: &str = "names the record that the next sentences describe";

const fn excuse(heading: &'static str, hash: u32, reason: &'static str) -> Excuse {
    Excuse { document: 2, anchor: Anchor { heading, hash }, reason }
}
