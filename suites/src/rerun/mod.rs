//! Work with recorded runs: `judge`, `replay`, `merge`, and the outcomes of a run that was stopped.
//!
//! Imports `onboarding` and what is below it. Entry points: [`judge::judge`], [`replay`], [`merge::parts`].

pub mod judge;
pub mod merge;
pub mod partial;
pub mod replay;
