//! What every folder may use: files with limits, draws by a seed, and prose.
//!
//! Imports no other folder.

use std::io::Write;

pub mod disk;
pub(crate) mod draw;
pub mod files;
pub mod prose;
pub(crate) mod spelling;

/// Writes to standard error. Without a reader (as after `2>&1 | head`) the text is lost, and nothing else happens.
pub fn tell(text: std::fmt::Arguments<'_>) {
    let _ = std::io::stderr().lock().write_fmt(text);
}
