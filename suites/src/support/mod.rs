//! What every folder may use: files with limits, and prose.
//!
//! Imports nothing of this package.

pub mod disk;
pub mod files;
pub mod prose;
