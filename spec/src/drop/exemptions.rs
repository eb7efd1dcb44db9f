//! Sentences of document 3 about the drop that have no row, and why.

use crate::requirement::{Anchor, Exemption};

/// The exempted sentences, by reason.
pub static EXEMPTIONS: &[Exemption] = &[Exemption {
    document: 3,
    anchor: Anchor { heading: "Anonymous drop", hash: 0xb4b3_05a6 },
    reason: "says what an owned project cannot do; projects are not shown",
}];
