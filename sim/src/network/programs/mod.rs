//! Programs and their runs.

pub(super) mod run;
