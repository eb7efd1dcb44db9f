//! The drop's limits. Defaults are the document's, or the simulator's own where the document has none.

use assay_spec::drop::limits as document;

use crate::limits::limits;

limits! {
    /// The limits in force.
    pub struct Limits {
        /// The maximum size of a zip, in bytes.
        pub zip_bytes: usize = document::ZIP.usize(),
        /// The maximum total size of the files in a zip, in bytes.
        pub extracted_bytes: u64 = document::EXTRACTED.u64(),
        /// The maximum number of files in a zip.
        pub files: usize = document::FILES.usize(),
        /// How long a drop can be claimed.
        pub claim_window_ms: i64 = document::CLAIM_WINDOW.value,
        /// How long it takes until the site of a drop is live.
        pub live_after_ms: i64 = 0,
        /// Drops per address in the hour.
        pub drops_per_hour: u32 = document::DROPS_PER_HOUR.u32(),
        /// The length of the hour.
        pub hour_ms: i64 = document::DROP_HOUR.value,
        /// Drops per address in the day.
        pub drops_per_day: u32 = document::DROPS_PER_DAY.u32(),
        /// The length of the day.
        pub day_ms: i64 = document::DROP_DAY.value,
        /// Uploads in progress per address.
        pub uploads_per_address: usize = document::UPLOADS.usize(),
        /// The prefix by which IPv6 addresses are counted, in bits.
        pub ipv6_prefix_bits: u32 = document::IPV6_PREFIX.u32(),
        /// Uploads in progress of all addresses; at this limit the service is too busy.
        pub uploads: usize = 64,
        /// Drops of all addresses in the day; at this limit the day's budget is used up.
        pub daily_budget: usize = 100_000,
        /// The total size of all live sites, in bytes; part of the budget.
        pub stored_bytes: u64 = 2_000_000_000,
    }
}
