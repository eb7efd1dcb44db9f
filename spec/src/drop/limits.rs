//! The drop's limits (document 3, "Limits"). A megabyte is 1,000,000 bytes here, the stricter reading for clients.

use crate::Service::Drop;
use crate::drop::requirements::{limits, site, upload, zip};
use crate::instant::{DAY, HOUR, MINUTE};
use crate::limit::{Limit, Unit, Window};

/// The largest zip.
pub static ZIP: Limit =
    Limit::count(Drop, "zip_bytes", 10_000_000, Unit::Byte, "the bytes of a zip", &zip::SIZE).read(
        9_500_000,
        11 << 20,
        "a megabyte may be 1,000,000 or 1,048,576 bytes, and the parts of the form around the zip may count",
    );
/// The largest total size of the files in a zip.
pub static EXTRACTED: Limit = Limit::count(
    Drop,
    "extracted_bytes",
    40_000_000,
    Unit::Byte,
    "the bytes of all files in a zip",
    &zip::EXTRACTED_SIZE,
)
.read(40_000_000, 43_000_000, "a megabyte may be 1,000,000 or 1,048,576 bytes");
/// The maximum number of files in a zip.
pub static FILES: Limit =
    Limit::count(Drop, "files", 1000, Unit::File, "the files in a zip, without directories", &zip::FILES);
/// How long a drop can be claimed.
pub static CLAIM_WINDOW: Limit = Limit::time(
    Drop,
    "claim_window_ms",
    4 * HOUR,
    "from an upload to the removal of its site",
    false,
    &site::REMOVED,
)
.read(4 * HOUR - 1, 4 * HOUR + 10 * MINUTE, "the site may be removed some minutes after its deadline")
.slack(10 * MINUTE);
/// The hour over which drops are counted.
pub static DROP_HOUR: Limit = Limit::time(
    Drop,
    "hour_ms",
    HOUR,
    "from a drop to the last moment at which it counts",
    false,
    &limits::HOURLY,
)
.rows(Some(&limits::HOURLY), Some(&limits::HOUR_PASSES));
/// Drops per IP address in an hour.
pub static DROPS_PER_HOUR: Limit = Limit::count(
    Drop,
    "drops_per_hour",
    10,
    Unit::Drop,
    "the published drops of an IPv4 address or an IPv6 prefix",
    &limits::HOURLY,
)
.within(&DROP_HOUR, Window::RollingOrCalendar);
/// The day over which drops are counted.
pub static DROP_DAY: Limit = Limit::time(
    Drop,
    "day_ms",
    DAY,
    "from a drop to the last moment at which it counts",
    false,
    &limits::DAILY,
);
/// Drops per IP address in a day.
pub static DROPS_PER_DAY: Limit = Limit::count(
    Drop,
    "drops_per_day",
    20,
    Unit::Drop,
    "the published drops of an IPv4 address or an IPv6 prefix",
    &limits::DAILY,
)
.within(&DROP_DAY, Window::RollingOrCalendar);
/// Uploads in progress per IP address.
pub static UPLOADS: Limit = Limit::count(
    Drop,
    "uploads_per_address",
    1,
    Unit::Upload,
    "the uploads of an IPv4 address or an IPv6 prefix that are not complete",
    &limits::ONE_UPLOAD,
);
/// The prefix by which IPv6 addresses are counted.
pub static IPV6_PREFIX: Limit = Limit::count(
    Drop,
    "ipv6_prefix_bits",
    64,
    Unit::Bit,
    "the leading bits of an IPv6 address that identify a caller",
    &limits::IPV6_PREFIX,
);
/// The longest `source`.
pub static SOURCE: Limit = Limit::unseen(
    Drop,
    "source_characters",
    64,
    Unit::Character,
    "the characters of `source`",
    &upload::SOURCE_TAKEN,
    "no response shows whether a `source` was ignored",
);

/// Characters of a drop's id after its prefix (document 2 shows 22; document 3 only the prefix).
pub const DROP_ID_CHARACTERS: usize = 22;

/// Every limit of the drop.
pub static LIMITS: &[&Limit] = &[
    &ZIP,
    &EXTRACTED,
    &FILES,
    &CLAIM_WINDOW,
    &DROPS_PER_HOUR,
    &DROP_HOUR,
    &DROPS_PER_DAY,
    &DROP_DAY,
    &UPLOADS,
    &IPV6_PREFIX,
    &SOURCE,
];
