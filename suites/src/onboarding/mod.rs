//! The way to a first profile: drafts, and the findings of `assay doctor`.
//!
//! Imports `report` and what is below it. Entry points: [`draft::Draft`], [`doctor::diagnose`].

pub mod doctor;
pub mod draft;
