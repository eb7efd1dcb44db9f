//! Sentences of document 2 about stored records without a row in this service, each with the reason.

use crate::requirement::{Anchor, Exemption};

/// The exempted sentences.
pub static EXEMPTIONS: &[Exemption] = &[
    exemption("Stored records written by the hosting application", 0x7e11_485f, LABEL),
    exemption("Stored records written by the hosting application", 0x0239_9f46, LABEL),
    exemption("Stored records written by the hosting application", 0x9a3f_4a73, LABEL),
];

const LABEL: &str = "names the record that the next sentences describe";

const fn exemption(heading: &'static str, hash: u32, reason: &'static str) -> Exemption {
    Exemption { document: 2, anchor: Anchor { heading, hash }, reason }
}
