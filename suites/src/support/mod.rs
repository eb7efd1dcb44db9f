//! What every folder may use: files with limits, draws by a seed, and prose.
//!
//! Imports no other folder.

pub mod disk;
pub(crate) mod draw;
pub mod files;
pub mod prose;
