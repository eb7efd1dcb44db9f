//! Sentences of document 1 about token metadata that have no row, and why.

use crate::requirement::{Anchor, Exemption};

/// The exempted sentences, by reason.
pub static EXEMPTIONS: &[Exemption] =
    &[not_shown("Authentication", 0x2ca4_d492), not_shown("Errors", 0x1974_fcf4)];

const fn not_shown(heading: &'static str, hash: u32) -> Exemption {
    let reason = "the document says that this is not shown; nothing may be asserted";
    Exemption { document: 1, anchor: Anchor { heading, hash }, reason }
}
