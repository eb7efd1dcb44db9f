//! The drop's limits (document 3, "Limits"). A megabyte is 1,000,000 bytes here, the stricter reading for clients.

use crate::instant::{DAY, HOUR};

/// The maximum size of a zip, in bytes.
pub const ZIP_BYTES: usize = 10_000_000;
/// The maximum total size of the files in a zip, in bytes.
pub const EXTRACTED_BYTES: u64 = 40_000_000;
/// The maximum number of files in a zip.
pub const FILES: usize = 1000;
/// How long a drop can be claimed.
pub const CLAIM_WINDOW_MS: i64 = 4 * HOUR;
/// Drops per IP address in an hour.
pub const DROPS_PER_HOUR: u32 = 10;
/// The hour over which drops are counted.
pub const HOUR_MS: i64 = HOUR;
/// Drops per IP address in a day.
pub const DROPS_PER_DAY: u32 = 20;
/// The day over which drops are counted.
pub const DAY_MS: i64 = DAY;
/// The maximum length of `source`, in characters.
pub const SOURCE_CHARACTERS: usize = 64;
/// The prefix length, in bits, by which IPv6 addresses are counted.
pub const IPV6_PREFIX_BITS: u32 = 64;
/// Characters of a drop's id after its prefix (document 2 shows 22; document 3 only the prefix).
pub const DROP_ID_CHARACTERS: usize = 22;
