//! The node API's limits (document 2, "Limits"), and the bounds that the document leaves open.

use crate::Service::Network;
use crate::endpoint::{Auth, Endpoint};
use crate::instant::{DAY, HOUR, MINUTE, SECOND};
use crate::limit::{Limit, Stated, Unit, Window, tenth};
use crate::network::requirements::{limits, measurement, metrics, paging, probes, store};

/// Elements per page without `limit`.
pub static PAGE_DEFAULT: Limit = Limit::count(
    Network,
    "page_default",
    20,
    Unit::Element,
    "the elements of a page without `limit`",
    &paging::DEFAULT_LIMIT,
);
/// Maximum number of elements per page.
pub static PAGE_MAXIMUM: Limit = Limit::count(
    Network,
    "page_maximum",
    100,
    Unit::Element,
    "the elements of a page with `limit`",
    &paging::MAXIMUM,
);
/// The window in which requests are counted.
pub static RATE_WINDOW: Limit = Limit::time(
    Network,
    "rate_window_ms",
    MINUTE,
    "from a request to the last moment at which it counts",
    false,
    &limits::MINUTE_PASSES,
)
.read(
    54 * SECOND,
    MINUTE + 1,
    "the kind of the window is left open, so only the rate over several windows is judged",
);
/// Requests to general endpoints.
pub static GENERAL: Limit = Limit::count(
    Network,
    "general_per_window",
    100,
    Unit::Request,
    "the requests of an IP address to general endpoints",
    &limits::GENERAL,
)
.within(&RATE_WINDOW, Window::Open);
/// Requests to endpoints that require authentication.
pub static AUTHENTICATED: Limit = Limit::count(
    Network,
    "authenticated_per_window",
    300,
    Unit::Request,
    "the requests of an IP address to endpoints that require authentication",
    &limits::AUTHENTICATED,
)
.within(&RATE_WINDOW, Window::Open);
/// Program runs.
pub static HEAVY: Limit = Limit::count(
    Network,
    "heavy_per_window",
    10,
    Unit::Run,
    "the program runs of an IP address",
    &limits::HEAVY,
)
.within(&RATE_WINDOW, Window::Open);
/// How long node metrics are returned.
pub static METRICS_RETENTION: Limit = Limit::time(
    Network,
    "metrics_retention_ms",
    14 * DAY,
    "from `measured_at` of a record to its last response",
    true,
    &metrics::RETAINED,
)
.rows(Some(&metrics::RETAINED), Some(&metrics::RETENTION));
/// The interval at which the measurement program publishes.
pub static MEASUREMENT: Limit = Limit::time(
    Network,
    "measurement_ms",
    HOUR,
    "from one measurement message to the next",
    true,
    &measurement::HOURLY,
)
.stated(Stated::About)
.read(
    54 * MINUTE - 999,
    66 * MINUTE + SECOND,
    "the document says hourly, the nodes of an hour are probed in a random plan, and timestamps are whole seconds",
);
/// The earliest time after which forgotten bytes are gone.
pub static BYTES_LEAVE_EARLIEST: Limit = Limit::unseen(
    Network,
    "bytes_leave_earliest_ms",
    24 * HOUR,
    Unit::Millisecond,
    "from a FORGET until a node drops the bytes",
    &store::FORGOTTEN_BYTES,
    "no sentence says that the bytes stay so long",
)
.stated(Stated::Range);
/// The latest time after which forgotten bytes are gone.
pub static BYTES_LEAVE_LATEST: Limit = Limit::unseen(
    Network,
    "bytes_leave_latest_ms",
    48 * HOUR,
    Unit::Millisecond,
    "from a FORGET until every node has dropped the bytes",
    &store::FORGOTTEN_BYTES,
    "",
)
.stated(Stated::Range)
.read(
    48 * HOUR,
    48 * HOUR + tenth(48 * HOUR),
    "the document says about 24 to 48 hours, and a node draws its own time, so no amount above is always seen",
);
/// `limit` of the measurement program's aggregate probe.
pub static AGGREGATE_PROBE: Limit = Limit::unseen(
    Network,
    "aggregate_probe_elements",
    50,
    Unit::Element,
    "`limit` of the measurement program's aggregate probe",
    &probes::METRICS,
    "only the probed node sees the request",
);
/// Size of the file that the measurement program downloads.
pub static FILE_PROBE: Limit = Limit::unseen(
    Network,
    "file_probe_bytes",
    6_700,
    Unit::Byte,
    "the bytes of the file that the measurement program downloads",
    &probes::METRICS,
    "only the probed node sees the request",
)
.stated(Stated::About);

/// The largest body of a create call.
pub static MESSAGE: Limit =
    Limit::own(Network, "message_bytes", 1024 * 1024, Unit::Byte, "the bytes of a create call's body");
/// The largest file.
pub static FILE: Limit =
    Limit::own(Network, "file_bytes", 100 * 1024 * 1024, Unit::Byte, "the bytes of a file");
/// How far a message's timestamp may be before the server's clock.
pub static TIMESTAMP_PAST: Limit = Limit::own(
    Network,
    "timestamp_past_ms",
    366 * DAY,
    Unit::Millisecond,
    "from a message's timestamp to the server's clock",
);
/// How far a message's timestamp may be after the server's clock.
pub static TIMESTAMP_FUTURE: Limit = Limit::own(
    Network,
    "timestamp_future_ms",
    DAY,
    Unit::Millisecond,
    "from the server's clock to a message's timestamp",
);
/// Maximum number of values of one filter, such as the hashes of a request.
pub static FILTER_VALUES: Limit =
    Limit::own(Network, "filter_values", 1_000, Unit::Element, "the values of one filter");
/// How often a FORGET whose targets are not valid is retried.
pub static FORGET_RETRIES: Limit =
    Limit::own(Network, "forget_retries", 5, Unit::Request, "the retries of a FORGET");
/// How long a FORGET waits before a retry.
pub static FORGET_RETRY: Limit = Limit::own(
    Network,
    "forget_retry_ms",
    10 * MINUTE,
    Unit::Millisecond,
    "from one attempt of a FORGET to the next",
);
/// How long a message whose payer ran out of balance stays `removing`.
pub static REMOVING_GRACE: Limit =
    Limit::own(Network, "removing_grace_ms", 24 * HOUR, Unit::Millisecond, "from `removing` to `removed`");
/// The longest output of a program.
pub static PROGRAM_OUTPUT: Limit =
    Limit::own(Network, "program_output_bytes", 64 * 1024, Unit::Byte, "the bytes of a program's output");
/// Maximum number of values drawn for one seed.
pub static VRF_VALUES: Limit =
    Limit::own(Network, "vrf_values", 1_000, Unit::Element, "the values that are drawn for one seed");

/// Every limit of the node API.
pub static LIMITS: &[&Limit] = &[
    &PAGE_DEFAULT,
    &PAGE_MAXIMUM,
    &GENERAL,
    &AUTHENTICATED,
    &HEAVY,
    &RATE_WINDOW,
    &METRICS_RETENTION,
    &MEASUREMENT,
    &BYTES_LEAVE_EARLIEST,
    &BYTES_LEAVE_LATEST,
    &AGGREGATE_PROBE,
    &FILE_PROBE,
    &MESSAGE,
    &FILE,
    &TIMESTAMP_PAST,
    &TIMESTAMP_FUTURE,
    &FILTER_VALUES,
    &FORGET_RETRIES,
    &FORGET_RETRY,
    &REMOVING_GRACE,
    &PROGRAM_OUTPUT,
    &VRF_VALUES,
];

/// The class in which an endpoint's requests are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rate {
    /// All other endpoints.
    General,
    /// Endpoints that require authentication.
    Authenticated,
    /// Program execution.
    Heavy,
}

impl Rate {
    /// The classes, in the document's order.
    pub const ALL: [Rate; 3] = [Rate::General, Rate::Authenticated, Rate::Heavy];

    /// The class of an endpoint. Which endpoints require authentication is not shown; here it is those that take a
    /// signature.
    pub fn for_endpoint(endpoint: &Endpoint) -> Rate {
        match endpoint.auth {
            _ if endpoint.name == super::program::RUN.name => Rate::Heavy,
            Auth::None => Rate::General,
            _ => Rate::Authenticated,
        }
    }

    /// The limit of the class.
    pub fn limit(self) -> &'static Limit {
        match self {
            Rate::General => &GENERAL,
            Rate::Authenticated => &AUTHENTICATED,
            Rate::Heavy => &HEAVY,
        }
    }
}
