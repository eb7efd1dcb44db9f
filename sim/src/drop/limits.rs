//! The drop's limits as values; the defaults are the document's, and the simulator's own where it names none.

use assay_spec::drop::limits as document;
use serde::{Deserialize, Serialize};

/// The limits in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The largest zip, in bytes.
    pub zip_bytes: usize,
    /// The most that the files of a zip have together, in bytes.
    pub extracted_bytes: u64,
    /// The most files of a zip.
    pub files: usize,
    /// How long a drop waits for its claim.
    pub claim_window_ms: i64,
    /// Drops of an address in the hour.
    pub drops_per_hour: u32,
    /// The hour.
    pub hour_ms: i64,
    /// Drops of an address in the day.
    pub drops_per_day: u32,
    /// The day.
    pub day_ms: i64,
    /// Uploads in flight, of all addresses; with more, the service is too busy.
    pub uploads: usize,
    /// Drops of all addresses in the day; with more, the day's budget is spent.
    pub daily_budget: usize,
    /// What all sites that stand may have together, in bytes; a part of the budget.
    pub stored_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            zip_bytes: document::ZIP_BYTES,
            extracted_bytes: document::EXTRACTED_BYTES,
            files: document::FILES,
            claim_window_ms: document::CLAIM_WINDOW_MS,
            drops_per_hour: document::DROPS_PER_HOUR,
            hour_ms: document::HOUR_MS,
            drops_per_day: document::DROPS_PER_DAY,
            day_ms: document::DAY_MS,
            uploads: 64,
            daily_budget: 100_000,
            stored_bytes: 2_000_000_000,
        }
    }
}
