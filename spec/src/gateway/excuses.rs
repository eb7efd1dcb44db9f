//! Sentences of document 1 about the gateway that no row stands for, and why.

use crate::requirement::Excuse;

/// The excused sentences, by reason.
pub static EXCUSES: &[Excuse] = &[];
