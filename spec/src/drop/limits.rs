//! The drop's limits (document 3, "Limits"). A megabyte is read as 1,000,000 bytes, the strict side for callers.

use crate::instant::{DAY, HOUR};

/// The largest zip, in bytes.
pub const ZIP_BYTES: usize = 10_000_000;
/// The most that the files of a zip may have together, in bytes.
pub const EXTRACTED_BYTES: u64 = 40_000_000;
/// The most files of a zip.
pub const FILES: usize = 1000;
/// How long a drop waits for its claim.
pub const CLAIM_WINDOW_MS: i64 = 4 * HOUR;
/// Drops of an address in an hour.
pub const DROPS_PER_HOUR: u32 = 10;
/// The hour over which drops are counted.
pub const HOUR_MS: i64 = HOUR;
/// Drops of an address in a day.
pub const DROPS_PER_DAY: u32 = 20;
/// The day over which drops are counted.
pub const DAY_MS: i64 = DAY;
/// The longest `source`, in characters.
pub const SOURCE_CHARACTERS: usize = 64;
/// The bits of an IPv6 address that count as one caller.
pub const IPV6_PREFIX_BITS: u32 = 64;
/// Characters of a drop's id behind its prefix (document 2 shows 22; document 3 the prefix alone).
pub const DROP_ID_CHARACTERS: usize = 22;
