//! What the document leaves open, varied.

use crate::variation::Variation;

/// A success is a creation.
pub(super) const STATUS_201: Variation =
    Variation { name: "network.status-201", about: "a creation answers 201" };
/// A success is a promise.
pub(super) const STATUS_202: Variation =
    Variation { name: "network.status-202", about: "a creation answers 202" };
/// Messages' hashes of another shape.
pub(super) const HASH_BASE58: Variation =
    Variation { name: "network.hash-base58", about: "hashes of messages are base58 multihashes" };
/// Files' hashes of another shape.
pub(super) const FILE_HASH_HEX: Variation =
    Variation { name: "network.file-hash-hex", about: "files are named by their SHA-256 in hex" };
/// Files under one name alone.
pub(super) const FILES_BY_CONTENT: Variation = Variation {
    name: "network.files-by-content",
    about: "files are found by the hash of their content alone",
};
/// See [`FILES_BY_CONTENT`].
pub(super) const FILES_BY_MESSAGE: Variation = Variation {
    name: "network.files-by-message",
    about: "files are found by the hash of their message alone",
};
/// Other values of `code`.
pub(super) const CODES: Variation = Variation { name: "network.codes", about: "other values of `code`" };
/// Another status for signatures.
pub(super) const SIGNATURE_400: Variation =
    Variation { name: "network.signature-400", about: "a signature that is missing or wrong answers 400" };
/// See [`SIGNATURE_400`].
pub(super) const SIGNATURE_401: Variation =
    Variation { name: "network.signature-401", about: "a wrong signature answers 401" };
/// Blocks hold messages at once.
pub(super) const CONFIRMED: Variation =
    Variation { name: "network.confirmed", about: "messages are confirmed at once, by two blocks" };
/// No block ever holds a message.
pub(super) const UNCONFIRMED: Variation =
    Variation { name: "network.unconfirmed", about: "messages are never confirmed" };
/// A limit that is too large is refused.
pub(super) const LIMIT_400: Variation =
    Variation { name: "network.limit-400", about: "a limit above 100 answers 400" };
/// Odd pages are the first one.
pub(super) const ODD_PAGES: Variation =
    Variation { name: "network.odd-pages", about: "an odd page or limit answers the first page" };
/// A page behind the last is not found.
pub(super) const PAST_END_404: Variation =
    Variation { name: "network.past-end-404", about: "a page behind the last answers 404" };
/// An empty list has a page.
pub(super) const EMPTY_PAGE: Variation =
    Variation { name: "network.empty-page", about: "`total_pages` of an empty list is 1" };
/// Lists from the oldest on.
pub(super) const ASCENDING: Variation =
    Variation { name: "network.ascending", about: "lists begin with the oldest" };
/// The flat list is a bare array.
pub(super) const FLAT_ARRAY: Variation =
    Variation { name: "network.flat-array", about: "the flat list is an array without anything around it" };
/// Lists without what does not stand.
pub(super) const LISTS_LIVE: Variation = Variation {
    name: "network.lists-live",
    about: "lists show only messages that are processed or being removed",
};
/// Filters that are not explained are passed over.
pub(super) const FILTERS_PASSED_OVER: Variation = Variation {
    name: "network.filters-passed-over",
    about: "`tags` and `content.keys` select nothing in particular",
};
/// Dates have other edges.
pub(super) const EDGES: Variation =
    Variation { name: "network.edges", about: "a message at endDate is listed and one at startDate is not" };
/// What was reclaimed is gone.
pub(super) const GONE: Variation = Variation { name: "network.gone", about: "a removed STORE answers 410" };
/// What was reclaimed is described elsewhere.
pub(super) const REMOVED_NESTED: Variation = Variation {
    name: "network.removed-nested",
    about: "`removed_at`, `size` and `reason` of a removed STORE stand in its message, the time as text",
};
/// A forgotten message without content at all.
pub(super) const STRIPPED_EMPTY: Variation = Variation {
    name: "network.stripped-empty",
    about: "the content of a forgotten STORE is an empty object",
};
/// Rates counted together.
pub(super) const RATES_SHARED: Variation = Variation {
    name: "network.rates-shared",
    about: "general and authenticated requests are counted together, each class against its own limit",
};
/// Rates counted by the minute of the clock.
pub(super) const RATES_FIXED: Variation =
    Variation { name: "network.rates-fixed", about: "rates are counted by the minute of the clock" };
/// Rates with room.
pub(super) const RATES_LOOSE: Variation =
    Variation { name: "network.rates-loose", about: "half as many requests again pass before a refusal" };

/// Node information that is no object.
pub(super) const INFO_LIST: Variation =
    Variation { name: "network.info-list", about: "a node's information is a list of names and values" };
/// Metrics in an object.
pub(super) const METRICS_OBJECT: Variation =
    Variation { name: "network.metrics-object", about: "records of a node stand in an object, as `metrics`" };
/// Nodes that nobody knows have no records.
pub(super) const METRICS_UNKNOWN_EMPTY: Variation = Variation {
    name: "network.metrics-unknown-empty",
    about: "an unknown node has no records, and is not 404",
};
/// Records with the newest first.
pub(super) const METRICS_NEWEST_FIRST: Variation =
    Variation { name: "network.metrics-newest-first", about: "records of a node begin with the newest" };
/// Messages of measurements under the other name.
pub(super) const SCORING_AS_METRICS: Variation = Variation {
    name: "network.scoring-as-metrics",
    about: "measurements are published under the content type by which others ask for them",
};
/// Either name finds what has that name alone.
pub(super) const SCORING_EXACT: Variation =
    Variation { name: "network.scoring-exact", about: "measurements are found by the type they have alone" };
/// Results in another arrangement.
pub(super) const RESULTS_FLAT: Variation =
    Variation { name: "network.results-flat", about: "the results of an hour stand in one array" };
/// Neighbours without names around their lists.
pub(super) const NEIGHBOURS_BARE: Variation = Variation {
    name: "network.neighbours-bare",
    about: "lists of scheduler, status and credit are bare arrays",
};

/// A part written to an aggregate is all of it.
pub(super) const AGGREGATE_REPLACED: Variation = Variation {
    name: "network.aggregate-replaced",
    about: "a write takes the place of the whole aggregate, not of its members",
};
/// An aggregate that nobody wrote.
pub(super) const AGGREGATE_EMPTY: Variation =
    Variation { name: "network.aggregate-empty", about: "an aggregate that nobody wrote is empty" };
/// See [`AGGREGATE_EMPTY`].
pub(super) const AGGREGATES_EMPTY: Variation = Variation {
    name: "network.aggregates-empty",
    about: "an address that wrote nothing has no aggregates, instead of not being found",
};
/// The aggregates of an address in another container.
pub(super) const AGGREGATES_LIST: Variation = Variation {
    name: "network.aggregates-list",
    about: "the aggregates of an address are a list of records, not an object by key",
};
/// What a run returns.
pub(super) const RUN_JSON: Variation = Variation {
    name: "network.run-json",
    about: "the result of a program is a member of a JSON object, not the body itself",
};
/// Statuses besides the two that are named.
pub(super) const INSTANCE_STATUSES: Variation =
    Variation { name: "network.instance-statuses", about: "an instance that runs is `provisioning`" };
/// Actions without a visible effect.
pub(super) const INSTANCE_INERT: Variation =
    Variation { name: "network.instance-inert", about: "control actions leave the status as it is" };
/// The identifier of an instance.
pub(super) const INSTANCE_ID_HASH: Variation = Variation {
    name: "network.instance-id-hash",
    about: "the identifier of an instance is the hash of its message",
};
/// An unknown target of a call whose path names it.
pub(super) const INSTANCE_UNKNOWN_400: Variation = Variation {
    name: "network.instance-unknown-400",
    about: "an update of an unknown instance, and an action on it, answers 400",
};
/// Content that nobody pinned.
pub(super) const PINNED_ALONE: Variation =
    Variation { name: "network.pinned-alone", about: "only pinned content is served below /ipfs" };
/// A network that nobody indexes.
pub(super) const INDEXER_EMPTY: Variation =
    Variation { name: "network.indexer-empty", about: "a network that nobody indexes has empty lists" };
/// Addresses without a checksum.
pub(super) const INDEXER_LOWER: Variation =
    Variation { name: "network.indexer-lower", about: "addresses of indexed data are in lower case" };
/// What does not verify is refused.
pub(super) const VRF_REFUSED: Variation = Variation {
    name: "network.vrf-refused",
    about: "a verification of what does not fit answers 400, not `valid` false",
};
/// Another value each time.
pub(super) const VRF_FRESH: Variation =
    Variation { name: "network.vrf-fresh", about: "a seed gives another value each time" };
/// Another word of success.
pub(super) const VRF_STATUS: Variation =
    Variation { name: "network.vrf-status", about: "the status of random numbers is `ok`" };
/// A registration is a message.
pub(super) const WEBHOOK_ITEM_HASH: Variation = Variation {
    name: "network.webhook-item-hash",
    about: "a registration is answered by `item_hash` as well",
};
/// What is delivered.
pub(super) const WEBHOOK_PAYLOAD: Variation =
    Variation { name: "network.webhook-payload", about: "deliveries of webhooks have another form" };

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
    RATES_LOOSE,
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
];
