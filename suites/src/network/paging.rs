//! .

use crate::check::Check;

pub(super) const CHECKS: &[Check] = &[];

/// Messages of one sender.
#[derive(Clone, Debug)]
pub(crate) struct Corpus;
