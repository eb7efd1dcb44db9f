//! Behaviour that the document leaves open.

use crate::variation::Variation;

/// The status of create calls.
pub(super) const STATUS_201: Variation = Variation::named("network.status-201", "a create call returns 201");
/// The status of create calls.
pub(super) const STATUS_202: Variation = Variation::named("network.status-202", "a create call returns 202");
/// The form of message hashes.
pub(super) const HASH_BASE58: Variation =
    Variation::named("network.hash-base58", "message hashes are base58 multihashes");
/// The form of file hashes.
pub(super) const FILE_HASH_HEX: Variation =
    Variation::named("network.file-hash-hex", "a file's hash is its SHA-256 in hex");
/// Which hash names a file.
pub(super) const FILES_BY_CONTENT: Variation =
    Variation::named("network.files-by-content", "files are found only by the hash of their content");
/// See [`FILES_BY_CONTENT`].
pub(super) const FILES_BY_MESSAGE: Variation =
    Variation::named("network.files-by-message", "files are found only by the hash of their message");
/// Other values of `code`.
pub(super) const CODES: Variation =
    Variation::named("network.codes", "error bodies have other values of `code`");
/// The status for signatures.
pub(super) const SIGNATURE_400: Variation =
    Variation::named("network.signature-400", "a missing or wrong signature returns 400");
/// See [`SIGNATURE_400`].
pub(super) const SIGNATURE_401: Variation =
    Variation::named("network.signature-401", "a wrong signature returns 401");
/// When blocks contain messages.
pub(super) const CONFIRMED: Variation =
    Variation::named("network.confirmed", "messages are confirmed at once, by two blocks");
/// When blocks contain messages.
pub(super) const UNCONFIRMED: Variation =
    Variation::named("network.unconfirmed", "messages are never confirmed");
/// A limit above the maximum is rejected.
pub(super) const LIMIT_400: Variation =
    Variation::named("network.limit-400", "a `limit` above 100 returns 400");
/// An invalid page is the first page.
pub(super) const ODD_PAGES: Variation =
    Variation::named("network.odd-pages", "an invalid `page` or `limit` returns the first page");
/// A page after the last is not found.
pub(super) const PAST_END_404: Variation =
    Variation::named("network.past-end-404", "a page after the last returns 404");
/// An empty list has one page.
pub(super) const EMPTY_PAGE: Variation =
    Variation::named("network.empty-page", "`total_pages` of an empty list is 1");
/// The order of lists.
pub(super) const ASCENDING: Variation =
    Variation::named("network.ascending", "lists start with the oldest element");
/// The flat list is a bare array.
pub(super) const FLAT_ARRAY: Variation =
    Variation::named("network.flat-array", "the flat list is a bare array");
/// Lists without messages that are not live.
pub(super) const LISTS_LIVE: Variation =
    Variation::named("network.lists-live", "lists show only messages that are `processed` or `removing`");
/// Filters that the document does not explain.
pub(super) const FILTERS_PASSED_OVER: Variation =
    Variation::named("network.filters-passed-over", "the filters `tags` and `content.keys` are ignored");
/// Whether the bounds of dates are included.
pub(super) const EDGES: Variation =
    Variation::named("network.edges", "a message at `endDate` is listed; a message at `startDate` is not");
/// The status of a reclaimed STORE.
pub(super) const GONE: Variation = Variation::named("network.gone", "a removed STORE returns 410");
/// Where a reclaimed STORE is described.
pub(super) const REMOVED_NESTED: Variation = Variation::named(
    "network.removed-nested",
    "`removed_at`, `size` and `reason` of a removed STORE are in its message; the time is a string",
);
/// The content of a forgotten STORE.
pub(super) const STRIPPED_EMPTY: Variation =
    Variation::named("network.stripped-empty", "the content of a forgotten STORE is an empty object");
/// Which requests are counted together.
pub(super) const RATES_SHARED: Variation = Variation::named(
    "network.rates-shared",
    "general and authenticated requests are counted together, each class against its own limit",
);
/// When the rate window begins.
pub(super) const RATES_FIXED: Variation =
    Variation::named("network.rates-fixed", "rates are counted by the minute of the clock");
/// See [`RATES_FIXED`].
pub(super) const RATES_BUCKET: Variation =
    Variation::named("network.rates-bucket", "rates are limited by a bucket that is refilled steadily");

/// The form of a node's information.
pub(super) const INFO_LIST: Variation =
    Variation::named("network.info-list", "a node's information is a list of names and values");
/// The container of metrics.
pub(super) const METRICS_OBJECT: Variation =
    Variation::named("network.metrics-object", "the records of a node are the member `metrics` of an object");
/// The metrics of an unknown node.
pub(super) const METRICS_UNKNOWN_EMPTY: Variation =
    Variation::named("network.metrics-unknown-empty", "an unknown node returns an empty list instead of 404");
/// The order of metrics.
pub(super) const METRICS_NEWEST_FIRST: Variation =
    Variation::named("network.metrics-newest-first", "the records of a node start with the newest");
/// The content type of measurements.
pub(super) const SCORING_AS_METRICS: Variation = Variation::named(
    "network.scoring-as-metrics",
    "measurements are published under the content type that queries use",
);
/// How queries match the content type of measurements.
pub(super) const SCORING_EXACT: Variation = Variation::named(
    "network.scoring-exact",
    "measurements are found only by the content type that they have",
);
/// The form of the results of an hour.
pub(super) const RESULTS_FLAT: Variation =
    Variation::named("network.results-flat", "the results of an hour are one array");
/// The container of lists of scheduler, status and credit.
pub(super) const NEIGHBOURS_BARE: Variation = Variation::named(
    "network.neighbours-bare",
    "the lists of scheduler, status and credit API are bare arrays",
);

/// Whether a write replaces an aggregate.
pub(super) const AGGREGATE_REPLACED: Variation = Variation::named(
    "network.aggregate-replaced",
    "a write replaces the whole aggregate instead of single members",
);
/// The response for an aggregate that was never written.
pub(super) const AGGREGATE_EMPTY: Variation =
    Variation::named("network.aggregate-empty", "an aggregate that was never written is returned as empty");
/// See [`AGGREGATE_EMPTY`].
pub(super) const AGGREGATES_EMPTY: Variation = Variation::named(
    "network.aggregates-empty",
    "an address that wrote nothing returns no aggregates instead of 404",
);
/// The container of the aggregates of an address.
pub(super) const AGGREGATES_LIST: Variation = Variation::named(
    "network.aggregates-list",
    "the aggregates of an address are a list of records instead of an object by key",
);
/// The response of a run.
pub(super) const RUN_JSON: Variation = Variation::named(
    "network.run-json",
    "the result of a program is a member of a JSON object instead of the body",
);
/// Statuses besides the two that the document names.
pub(super) const INSTANCE_STATUSES: Variation =
    Variation::named("network.instance-statuses", "the status of a running instance is `provisioning`");
/// Actions without a visible effect.
pub(super) const INSTANCE_INERT: Variation =
    Variation::named("network.instance-inert", "control actions do not change the status");
/// The form of an instance identifier.
pub(super) const INSTANCE_ID_HASH: Variation =
    Variation::named("network.instance-id-hash", "the identifier of an instance is the hash of its message");
/// The status for an unknown instance.
pub(super) const INSTANCE_UNKNOWN_400: Variation = Variation::named(
    "network.instance-unknown-400",
    "an update of an unknown instance and an action on it return 400",
);
/// Whether content that is not pinned is served.
pub(super) const PINNED_ALONE: Variation =
    Variation::named("network.pinned-alone", "only pinned content is served under /ipfs");
/// The response for a network that is not indexed.
pub(super) const INDEXER_EMPTY: Variation =
    Variation::named("network.indexer-empty", "a network that is not indexed returns empty lists");
/// Addresses without a checksum.
pub(super) const INDEXER_LOWER: Variation =
    Variation::named("network.indexer-lower", "addresses in indexed data are in lower case");
/// The response for a verification that fails.
pub(super) const VRF_REFUSED: Variation =
    Variation::named("network.vrf-refused", "a verification that fails returns 400 instead of `valid` false");
/// Whether a seed always gives the same value.
pub(super) const VRF_FRESH: Variation =
    Variation::named("network.vrf-fresh", "a seed gives a new value each time");
/// The status of random numbers.
pub(super) const VRF_STATUS: Variation =
    Variation::named("network.vrf-status", "the status of random numbers is `ok`");
/// A registration is also a message.
pub(super) const WEBHOOK_ITEM_HASH: Variation =
    Variation::named("network.webhook-item-hash", "the response to a registration also contains `item_hash`");
/// The form of a delivery.
pub(super) const WEBHOOK_PAYLOAD: Variation =
    Variation::named("network.webhook-payload", "webhook deliveries have another form");

/// The same message sent again.
pub(super) const AGAIN: Variation =
    Variation::named("network.again", "the same message sent again is another message, with its own hash");
/// The order of a page.
pub(super) const SHUFFLED: Variation =
    Variation::named("network.shuffled", "the elements of a page change their order");
/// When a value of a wrong type is rejected.
pub(super) const TYPES_LATER: Variation = Variation::named(
    "network.types-later",
    "a message with a value of a wrong type is accepted, and rejected afterwards",
);
/// The status for a value of a wrong type.
pub(super) const TYPES_422: Variation =
    Variation::named("network.types-422", "a value of a wrong type returns 422");
/// How values are read.
pub(super) const TYPES_READ: Variation = Variation::named(
    "network.types-read",
    "numbers are read as strings, and digits and fractions as integers",
);
/// A bound that is not an integer.
pub(super) const BOUNDS_IGNORED: Variation =
    Variation::named("network.bounds-ignored", "a bound of indexed data that is not an integer is ignored");
/// See [`INSTANCE_UNKNOWN_400`].
pub(super) const INSTANCE_UNKNOWN_403: Variation = Variation::named(
    "network.instance-unknown-403",
    "an update of an unknown instance and an action on it return 403",
);
/// When an instance has its address.
pub(super) const IPV6_LATER: Variation = Variation::named(
    "network.ipv6-later",
    "the response to a creation has a null `ipv6`; the instance has it",
);
/// A query that cannot be decoded.
pub(super) const QUERIES_IGNORED: Variation =
    Variation::named("network.queries-ignored", "a query that is not UTF-8 is ignored instead of rejected");

/// Every variation of the network.
pub(super) const ALL: &[Variation] = &[
    STATUS_201,
    STATUS_202,
    HASH_BASE58,
    FILE_HASH_HEX,
    FILES_BY_CONTENT,
    FILES_BY_MESSAGE,
    CODES,
    SIGNATURE_400,
    SIGNATURE_401,
    CONFIRMED,
    UNCONFIRMED,
    LIMIT_400,
    ODD_PAGES,
    PAST_END_404,
    EMPTY_PAGE,
    ASCENDING,
    FLAT_ARRAY,
    LISTS_LIVE,
    FILTERS_PASSED_OVER,
    EDGES,
    GONE,
    REMOVED_NESTED,
    STRIPPED_EMPTY,
    RATES_SHARED,
    RATES_FIXED,
    RATES_BUCKET,
    INFO_LIST,
    METRICS_OBJECT,
    METRICS_UNKNOWN_EMPTY,
    METRICS_NEWEST_FIRST,
    SCORING_AS_METRICS,
    SCORING_EXACT,
    RESULTS_FLAT,
    NEIGHBOURS_BARE,
    AGGREGATE_REPLACED,
    AGGREGATE_EMPTY,
    AGGREGATES_EMPTY,
    AGGREGATES_LIST,
    RUN_JSON,
    INSTANCE_STATUSES,
    INSTANCE_INERT,
    INSTANCE_ID_HASH,
    INSTANCE_UNKNOWN_400,
    PINNED_ALONE,
    INDEXER_EMPTY,
    INDEXER_LOWER,
    VRF_REFUSED,
    VRF_FRESH,
    VRF_STATUS,
    WEBHOOK_ITEM_HASH,
    WEBHOOK_PAYLOAD,
    AGAIN,
    SHUFFLED,
    TYPES_LATER,
    TYPES_422,
    TYPES_READ,
    BOUNDS_IGNORED,
    INSTANCE_UNKNOWN_403,
    IPV6_LATER,
    QUERIES_IGNORED,
];
