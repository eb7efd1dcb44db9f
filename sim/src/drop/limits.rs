//! The drop's limits. Defaults are the document's, or the simulator's own where the document has none.

use assay_spec::drop::limits as document;
use serde::{Deserialize, Serialize};

/// The limits in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// The maximum size of a zip, in bytes.
    pub zip_bytes: usize,
    /// The maximum total size of the files in a zip, in bytes.
    pub extracted_bytes: u64,
    /// The maximum number of files in a zip.
    pub files: usize,
    /// How long a drop can be claimed.
    pub claim_window_ms: i64,
    /// How long it takes until the site of a drop is live.
    pub live_after_ms: i64,
    /// Drops per address in the hour.
    pub drops_per_hour: u32,
    /// The length of the hour.
    pub hour_ms: i64,
    /// Drops per address in the day.
    pub drops_per_day: u32,
    /// The length of the day.
    pub day_ms: i64,
    /// Uploads in progress per address.
    pub uploads_per_address: usize,
    /// The prefix by which IPv6 addresses are counted, in bits.
    pub ipv6_prefix_bits: u32,
    /// Uploads in progress of all addresses; at this limit the service is too busy.
    pub uploads: usize,
    /// Drops of all addresses in the day; at this limit the day's budget is used up.
    pub daily_budget: usize,
    /// The total size of all live sites, in bytes; part of the budget.
    pub stored_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            zip_bytes: document::ZIP.usize(),
            extracted_bytes: document::EXTRACTED.u64(),
            files: document::FILES.usize(),
            claim_window_ms: document::CLAIM_WINDOW.value,
            live_after_ms: 0,
            drops_per_hour: document::DROPS_PER_HOUR.u32(),
            hour_ms: document::DROP_HOUR.value,
            drops_per_day: document::DROPS_PER_DAY.u32(),
            day_ms: document::DROP_DAY.value,
            uploads_per_address: document::UPLOADS.usize(),
            ipv6_prefix_bits: document::IPV6_PREFIX.u32(),
            uploads: 64,
            daily_budget: 100_000,
            stored_bytes: 2_000_000_000,
        }
    }
}
