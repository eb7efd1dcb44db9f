//! The exchange's limits (document 3, "Limits").

use crate::Service::Publish;
use crate::instant::{DAY, MINUTE, SECOND};
use crate::limit::{Limit, Stated, Unit, Window};
use crate::publish::requirements::{check, domain, envelope, exchange, prepare, submit};

/// The largest request body.
pub static BODY: Limit = Limit::count(
    Publish,
    "body_bytes",
    64 * 1024,
    Unit::Byte,
    "the bytes of a request's body",
    &exchange::BODY_LIMIT,
);
/// How far an envelope's time may be in the past.
pub static ENVELOPE_PAST: Limit = Limit::time(
    Publish,
    "envelope_past_ms",
    10 * MINUTE,
    "from the envelope's time to the server's clock",
    true,
    &envelope::TIME_WINDOW,
)
// The reading: 9:30 and 10:30 minutes.
.slack(30 * SECOND);
/// How far an envelope's time may be in the future.
pub static ENVELOPE_FUTURE: Limit = Limit::time(
    Publish,
    "envelope_future_ms",
    10 * MINUTE,
    "from the server's clock to the envelope's time",
    true,
    &envelope::TIME_WINDOW,
)
.slack(30 * SECOND);
/// How far a record's time may be from the client's clock, either way.
pub static RECORD_SKEW: Limit = Limit::unseen(
    Publish,
    "record_skew_ms",
    10 * MINUTE,
    Unit::Millisecond,
    "between the record's time and the client's clock",
    &check::TIME,
    "a client applies it; vectors have both sides",
);
/// How long a prepare can be submitted.
pub static PREPARE_LIFETIME: Limit = Limit::time(
    Publish,
    "prepare_lifetime_ms",
    60 * SECOND,
    "from a prepare to its first submit",
    false,
    &submit::EXPIRED,
)
// The blockhash of a prepare expires at about the same time, so a late submit returns 410 in any case.
.rows(Some(&submit::EXPIRED), Some(&prepare::LOCK_EXPIRES))
.read(59 * SECOND, 60 * SECOND + 1, "the blockhash of a prepare may expire up to a second earlier")
// The reading: 55 and 65 seconds.
.slack(5 * SECOND);
/// How long a confirmed submit can be repeated.
pub static REPEAT_WINDOW: Limit = Limit::time(
    Publish,
    "repeat_window_ms",
    60 * SECOND,
    "from the response to a submit to its repetition",
    false,
    &submit::REPEAT,
)
.rows(Some(&submit::REPEAT), None)
.read(
    60 * SECOND - 1,
    10 * MINUTE + 1,
    "a replayed submit returns its signature, and no sentence says that a later repetition is rejected",
);
/// How long a submit waits for confirmation.
pub static CONFIRMATION_WAIT: Limit = Limit::unseen(
    Publish,
    "confirmation_wait_ms",
    3 * MINUTE,
    Unit::Millisecond,
    "from a submit to the response that names the safety ceiling",
    &submit::SAFETY_CEILING,
    "the document says up to about three minutes: a server may wait less, and no sentence says how much more",
)
.stated(Stated::About);
/// The day over which publishes are counted.
pub static PUBLISH_WINDOW: Limit = Limit::time(
    Publish,
    "publish_window_ms",
    DAY,
    "from a prepare to the last moment at which it counts",
    false,
    &exchange::DAILY_WINDOW,
);
/// Publishes per domain.
pub static PUBLISHES: Limit = Limit::count(
    Publish,
    "publishes_per_window",
    30,
    Unit::Prepare,
    "the accepted prepares of a domain, whatever their operation",
    &exchange::DAILY_LIMIT,
)
.within(&PUBLISH_WINDOW, Window::Rolling);
/// The minute over which requests are counted.
pub static REQUEST_WINDOW: Limit = Limit::time(
    Publish,
    "request_window_ms",
    MINUTE,
    "from a request to the last moment at which it counts",
    false,
    &exchange::RATE_PER_IP,
)
.read(
    54 * SECOND,
    MINUTE + 1,
    "the kind of the window is left open, so only the rate over several windows is judged",
);
/// Requests per IP address.
pub static REQUESTS: Limit = Limit::count(
    Publish,
    "requests_per_window",
    30,
    Unit::Request,
    "the requests of an IP address to both endpoints",
    &exchange::RATE_PER_IP,
)
.within(&REQUEST_WINDOW, Window::Open);
/// The longest record that fits one transaction: a packet of 1232 bytes minus two signatures and the fixed parts of
/// the message.
pub static RECORD: Limit =
    Limit::count(Publish, "record_bytes", 965, Unit::Byte, "the bytes of a record", &prepare::RECORD_FITS)
        .stated(Stated::Implied)
        .read(
            360,
            1100,
            "the document gives no number, and the chain's memo program may take less than a packet holds",
        );
/// The longest label of a domain.
pub static DOMAIN_LABEL: Limit = Limit::unseen(
    Publish,
    "domain_label_characters",
    63,
    Unit::Character,
    "the characters of a label",
    &domain::LABEL_LENGTH,
    "a longer domain has no binding; vectors have both sides",
);
/// The longest domain.
pub static DOMAIN: Limit = Limit::unseen(
    Publish,
    "domain_characters",
    253,
    Unit::Character,
    "the characters of a domain",
    &domain::TOTAL_LENGTH,
    "a longer domain has no binding; vectors have both sides",
);

/// Every limit of the exchange.
pub static LIMITS: &[&Limit] = &[
    &BODY,
    &ENVELOPE_PAST,
    &ENVELOPE_FUTURE,
    &RECORD_SKEW,
    &PREPARE_LIFETIME,
    &REPEAT_WINDOW,
    &CONFIRMATION_WAIT,
    &PUBLISHES,
    &PUBLISH_WINDOW,
    &REQUESTS,
    &REQUEST_WINDOW,
    &RECORD,
    &DOMAIN_LABEL,
    &DOMAIN,
];
