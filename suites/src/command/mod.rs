//! Commands that are long enough for a file of their own.

pub(crate) mod vectors;
