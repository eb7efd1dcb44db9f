//! What every folder may use: files with limits, and prose.
//!
//! Imports no other folder.

pub mod disk;
pub mod files;
pub mod prose;
