//! Sentences of document 1 about token metadata that have no row, and why.

use crate::requirement::{Anchor, Excuse};

/// The excused sentences, by reason.
pub static EXCUSES: &[Excuse] =
    &[not_shown("Authentication", 8, 0x2ca4_d492), not_shown("Errors", 8, 0x1974_fcf4)];

const fn not_shown(heading: &'static str, ordinal: u16, hash: u32) -> Excuse {
    let reason = "the document says that this is not shown; nothing may be asserted";
    Excuse { document: 1, anchor: Anchor { heading, ordinal, hash }, reason }
}
