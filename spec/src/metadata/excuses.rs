//! Sentences of document 1 about token metadata that no row stands for, and why.

use crate::requirement::Excuse;

/// The excused sentences, by reason.
pub static EXCUSES: &[Excuse] = &[];
