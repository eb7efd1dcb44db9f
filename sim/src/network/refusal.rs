//! Maps a refusal to its response: one table, and the documented error body.

use assay_spec::Id;
use assay_spec::network::error::{ErrorBody, code};
use assay_spec::network::requirements::{
    Rule, aggregates, envelope, errors, flat, forget, indexer, info, instances, limits, listing, messages,
    metrics, neighbours, paging, pins, probes, programs, signing, storage, store, vrf, webhooks,
};
use http::header::RETRY_AFTER;
use serde_json::json;

use crate::core::Core;
use crate::exchange::Reply;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body};

/// A refusal, as the reply to it knows it.
#[derive(Clone, Debug)]
pub(super) struct Rejected {
    /// The rule that rejected.
    pub(super) rule: Id,
}

impl Answer<Rejected> {
    /// Changes the status of the replies to some rules, with the code in the body.
    pub(super) fn change(&mut self, rules: &[Id], status: u16) {
        if rules.contains(&self.about.rule) {
            self.status = status;
            self["code"] = json!(code(status));
        }
    }

    /// Changes the error body of the API. Those of compute nodes and of the neighbours are not shown.
    pub(super) fn spoil(&mut self, edit: impl FnOnce(&mut Answer<Rejected>)) {
        if !["probes", "neighbours"].contains(&self.about.rule.group) {
            edit(self);
        }
    }

    /// Makes the reply to a rule a success with this body.
    pub(super) fn accept(&mut self, rule: Id, body: Body) {
        if self.about.rule == rule {
            (self.status, self.body) = (200, body);
        }
    }
}

/// The response to a rejected request.
pub(super) fn answer(core: &mut Core, refusal: &Refusal) -> Reply {
    let rule = refusal.refused.rule;
    let status = status(Rule::named(rule).expect("only the network's own rules reject its requests"));
    let text = match status {
        401 => "a signature is needed",
        403 => "the signature does not match the address",
        404 => "not found",
        429 => "rate limit exceeded",
        500 => "internal error",
        _ => "malformed request",
    };
    let mut answer = error(core, rule, status, text);
    if let Some(seconds) = refusal.retry_after_s {
        answer.headers.insert(RETRY_AFTER, seconds.into());
    }
    core.reply(answer)
}

/// The documented error body with a status.
pub(super) fn error(core: &Core, rule: Id, status: u16, text: &str) -> Answer<Rejected> {
    Answer::new(Rejected { rule }, status, Body::Json(json!(ErrorBody::new(status, core.prose(text)))))
}

/// The status of a rejection by each rule.
fn status(rule: Rule) -> u16 {
    let status = match rule {
        Rule::messages(row) => messages_status(row),
        Rule::envelope(row) => envelope_status(row),
        Rule::listing(row) => listing_status(row),
        Rule::flat(row) => flat_status(row),
        Rule::paging(row) => paging_status(row),
        Rule::storage(row) => storage_status(row),
        Rule::aggregates(row) => aggregates_status(row),
        Rule::programs(row) => programs_status(row),
        Rule::instances(row) => instances_status(row),
        Rule::pins(row) => pins_status(row),
        Rule::indexer(row) => indexer_status(row),
        Rule::vrf(row) => vrf_status(row),
        Rule::webhooks(row) => webhooks_status(row),
        Rule::info(row) => info_status(row),
        Rule::metrics(row) => metrics_status(row),
        Rule::probes(probes::Row::LOGIN) => Some(401),
        Rule::probes(probes::Row::VM | probes::Row::STATUS_CHECK | probes::Row::METRICS) => Some(404),
        Rule::store(row) => store_status(row),
        Rule::forget(row) => forget_status(row),
        Rule::signing(row) => signing_status(row),
        Rule::errors(row) => errors_status(row),
        Rule::limits(row) => limits_status(row),
        Rule::neighbours(row) => neighbours_status(row),
        Rule::measurement(_) => None,
    };
    status.unwrap_or_else(|| unreachable!("{rule:?} rejects no request"))
}

fn messages_status(row: messages::Row) -> Option<u16> {
    use messages::Row;
    Some(match row {
        Row::TYPE_FREE => 400,
        Row::FOUND | Row::UNKNOWN => 404,
        Row::WRAPPER
        | Row::WRAPPER_HASH
        | Row::ITEM_HASH
        | Row::CHAIN
        | Row::SENDER
        | Row::TYPE
        | Row::CHANNEL
        | Row::CHANNEL_DEFAULT
        | Row::TIMESTAMP
        | Row::CONTENT
        | Row::SIGNATURE
        | Row::CONFIRMATIONS
        | Row::SAME_TWICE => return None,
    })
}

fn envelope_status(row: envelope::Row) -> Option<u16> {
    use envelope::Row;
    Some(match row {
        Row::BODY
        | Row::MESSAGE
        | Row::SIGNATURE
        | Row::ADDRESS
        | Row::CHAIN
        | Row::CHANNEL
        | Row::TYPE
        | Row::TYPE_KNOWN
        | Row::TYPE_OF_ENDPOINT
        | Row::TIMESTAMP
        | Row::TIMESTAMP_RANGE
        | Row::CONTENT
        | Row::SIZE => 400,
        Row::REPLY_HASH | Row::REPLY_STATUS => return None,
    })
}

fn listing_status(row: listing::Row) -> Option<u16> {
    use listing::Row;
    Some(match row {
        Row::TAGS | Row::CONTENT_KEYS => 400,
        Row::LISTED
        | Row::FINDS
        | Row::HASHES
        | Row::ADDRESSES
        | Row::CHANNELS
        | Row::TYPES
        | Row::ANY_OF
        | Row::ALL_OF
        | Row::TAGS_SELECT
        | Row::CONTENT_KEYS_SELECT
        | Row::AS_SENT => return None,
    })
}

fn flat_status(row: flat::Row) -> Option<u16> {
    use flat::Row;
    Some(match row {
        Row::START_DATE | Row::END_DATE => 400,
        Row::FLAT
        | Row::FINDS
        | Row::AS_SENT
        | Row::ADDRESSES
        | Row::CHANNELS
        | Row::CONTENT_TYPES
        | Row::EDGES => {
            return None;
        }
    })
}

fn paging_status(row: paging::Row) -> Option<u16> {
    use paging::Row;
    Some(match row {
        Row::MAXIMUM | Row::ODD_VALUES => 400,
        Row::PAST_END => 404,
        Row::NAMED
        | Row::INTEGERS
        | Row::DEFAULT_LIMIT
        | Row::LIMIT
        | Row::PER_PAGE
        | Row::PAGE
        | Row::TOTAL
        | Row::TOTAL_PAGES
        | Row::FIRST_PAGE
        | Row::PAGES
        | Row::STABLE => return None,
    })
}

fn storage_status(row: storage::Row) -> Option<u16> {
    use storage::Row;
    Some(match row {
        Row::MULTIPART | Row::FILE_REQUIRED | Row::ADDRESS_REQUIRED | Row::TAGS | Row::SIZE => 400,
        Row::SIGNATURE => 403,
        Row::UNKNOWN | Row::UNKNOWN_RAW => 404,
        Row::STORED
        | Row::CONTENT
        | Row::CONTENT_TYPE
        | Row::RAW
        | Row::ADDRESS
        | Row::CHANNEL
        | Row::CHANNEL_DEFAULT
        | Row::SIGNED_TEXT => return None,
    })
}

fn aggregates_status(row: aggregates::Row) -> Option<u16> {
    use aggregates::Row;
    Some(match row {
        Row::CREATE_KEY | Row::CREATE_ADDRESS | Row::CREATE_CONTENT | Row::FIELDS => 400,
        Row::OWNER | Row::DELEGATE | Row::DELEGATE_LIMITS | Row::DELEGATE_REVOKED => 403,
        Row::UNKNOWN | Row::JSON_UNKNOWN => 404,
        Row::CREATED
        | Row::KEY
        | Row::ADDRESS
        | Row::CONTENT
        | Row::TIME
        | Row::ITEM_HASH
        | Row::PER_ADDRESS
        | Row::REWRITTEN
        | Row::PARTIAL
        | Row::LISTED
        | Row::BY_ADDRESS
        | Row::BY_KEY
        | Row::BY_KEYS
        | Row::JSON
        | Row::JSON_KEYS
        | Row::JSON_LIMIT => return None,
    })
}

fn programs_status(row: programs::Row) -> Option<u16> {
    use programs::Row;
    Some(match row {
        Row::RUNTIME | Row::MEMORY | Row::TIMEOUT | Row::VARIABLES | Row::RESULT => 400,
        Row::RUN | Row::UNKNOWN => 404,
        Row::CREATED => return None,
    })
}

fn instances_status(row: instances::Row) -> Option<u16> {
    use instances::Row;
    Some(match row {
        Row::CREATE_NUMBERS
        | Row::CREATE_TEXTS
        | Row::CREATE_FIREWALL
        | Row::CONTROLLED
        | Row::ACTION
        | Row::SAME_ID => 400,
        Row::UNKNOWN | Row::UPDATE_UNKNOWN | Row::CONTROL_UNKNOWN => 404,
        Row::CREATED
        | Row::CREATED_ID
        | Row::CREATED_IPV6
        | Row::ID
        | Row::OWNER
        | Row::NAME
        | Row::DESCRIPTION
        | Row::CPU
        | Row::MEMORY
        | Row::DISK
        | Row::IMAGE
        | Row::IPV6
        | Row::STATUS
        | Row::CREATED_AT
        | Row::UPDATED_AT
        | Row::LISTED
        | Row::BY_ADDRESS
        | Row::BY_STATUS
        | Row::UPDATED
        | Row::UPDATE_APPLIES
        | Row::STATE => return None,
    })
}

fn pins_status(row: pins::Row) -> Option<u16> {
    use pins::Row;
    Some(match row {
        Row::HASH_REQUIRED => 400,
        Row::UNKNOWN => 404,
        Row::PINNED | Row::CONTENT | Row::CONTENT_TYPE => return None,
    })
}

fn indexer_status(row: indexer::Row) -> Option<u16> {
    use indexer::Row;
    Some(match row {
        Row::INTEGERS | Row::ARGS_SELECT => 400,
        Row::UNKNOWN_NETWORK => 404,
        Row::EVENTS
        | Row::EVENT
        | Row::ARGS
        | Row::CONTRACT
        | Row::EVENT_NAME
        | Row::EVENT_BLOCKS
        | Row::EVENT_TIMES
        | Row::TRANSACTIONS
        | Row::TRANSACTION
        | Row::AMOUNTS
        | Row::ADDRESS
        | Row::SENT_OR_RECEIVED
        | Row::FROM
        | Row::TO
        | Row::TRANSACTION_BLOCKS
        | Row::TRANSACTION_TIMES
        | Row::ALL_OF => return None,
    })
}

fn vrf_status(row: vrf::Row) -> Option<u16> {
    use vrf::Row;
    Some(match row {
        Row::GENERATE_FIELDS | Row::VERIFY_FIELDS | Row::OTHER_PROOF | Row::BOUNDS => 400,
        Row::SEED
        | Row::VALUE
        | Row::RANGE
        | Row::PROOF
        | Row::GENERATE_STATUS
        | Row::COUNT
        | Row::VERIFIES
        | Row::VALID
        | Row::VERIFY_STATUS
        | Row::OTHER_SEED
        | Row::OTHER_VALUE
        | Row::REPEATABLE => return None,
    })
}

fn webhooks_status(row: webhooks::Row) -> Option<u16> {
    use webhooks::Row;
    Some(match row {
        Row::EVENT_NAMES | Row::URL | Row::EVENTS | Row::SECRET => 400,
        Row::REGISTERED | Row::DELIVERED => return None,
    })
}

fn info_status(row: info::Row) -> Option<u16> {
    use info::Row;
    Some(match row {
        Row::PUBLIC => 400,
        Row::PREFIX => 404,
        Row::MIRRORS => return None,
    })
}

fn metrics_status(row: metrics::Row) -> Option<u16> {
    use metrics::Row;
    Some(match row {
        Row::ALTERNATIVE | Row::UNKNOWN => 404,
        Row::CORE
        | Row::COMPUTE
        | Row::MEASURED_AT
        | Row::NODE_ID
        | Row::URL
        | Row::ASN
        | Row::AS_NAME
        | Row::VERSION
        | Row::CORE_LATENCIES
        | Row::CORE_COUNTS
        | Row::COMPUTE_LATENCIES
        | Row::FEATURES
        | Row::EXPECTED_STATUS
        | Row::FAILED_ABSENT
        | Row::FAILED_STATUS
        | Row::NO_IPV6
        | Row::RETENTION
        | Row::RETAINED
        | Row::PENDING_LOW
        | Row::SECONDS => return None,
    })
}

fn store_status(row: store::Row) -> Option<u16> {
    use store::Row;
    Some(match row {
        Row::FORGOTTEN | Row::REMOVED | Row::LAGGING => 404,
        Row::STATUS
        | Row::PROCESSED
        | Row::TYPE
        | Row::STRIPPED
        | Row::FORGOTTEN_BYTES
        | Row::REMOVING
        | Row::REMOVED_BYTES
        | Row::READ_LIVE
        | Row::READ_REMOVING
        | Row::READ_FORGOTTEN
        | Row::READ_REMOVED
        | Row::READ_GONE
        | Row::READ_ABSENT
        | Row::READ_NOT_STORE
        | Row::READ_UNDECIDED
        | Row::READ_STATUS_FIRST
        | Row::READ_OTHER => return None,
    })
}

fn forget_status(row: forget::Row) -> Option<u16> {
    use forget::Row;
    Some(match row {
        Row::HASHES => 400,
        Row::APPLIES
        | Row::ALL_OR_NOTHING
        | Row::REMOVING_TARGET
        | Row::REMOVED_FAILS
        | Row::PENDING_FAILS
        | Row::REJECTED_FAILS
        | Row::RETRIED
        | Row::FINALLY_REJECTED
        | Row::POSTS_REMAIN
        | Row::OWN_TARGETS => return None,
    })
}

fn signing_status(row: signing::Row) -> Option<u16> {
    use signing::Row;
    Some(match row {
        Row::GENERAL_TAKEN | Row::RECORD_TAKEN => 400,
        Row::VERIFIED => 403,
        Row::KECCAK
        | Row::PREFIX
        | Row::LENGTH
        | Row::SIGNATURE_TEXT
        | Row::SIGNATURE_LENGTH
        | Row::SIGNATURE_V
        | Row::SIGNATURE_SCALARS
        | Row::LOW_S
        | Row::SIGNER
        | Row::ADDRESS
        | Row::PUBLIC_KEY
        | Row::SECRET_KEY
        | Row::REQUEST_FORM
        | Row::REQUEST_TIMESTAMP
        | Row::REQUEST_NONCE
        | Row::REQUEST_TEXT
        | Row::RECORD_FORM
        | Row::RECORD_ORDER
        | Row::RECORD_MEMBERS
        | Row::RECORD_OPTIONAL
        | Row::RECORD_NESTED
        | Row::RECORD_COMPACT
        | Row::RECORD_DIGEST
        | Row::RECORD_DUPLICATES
        | Row::RECORD_NUMBERS => return None,
    })
}

fn errors_status(row: errors::Row) -> Option<u16> {
    use errors::Row;
    Some(match row {
        Row::BAD_REQUEST => 400,
        Row::UNAUTHORIZED => 401,
        Row::FORBIDDEN => 403,
        Row::NO_INTERNAL | Row::INTERNAL => 500,
        Row::BODY | Row::NOTHING_STORED => return None,
    })
}

fn limits_status(row: limits::Row) -> Option<u16> {
    use limits::Row;
    Some(match row {
        Row::GENERAL | Row::AUTHENTICATED | Row::HEAVY => 429,
        Row::RETRY_AFTER | Row::MINUTE_PASSES | Row::PER_ADDRESS | Row::CLASSES => return None,
    })
}

fn neighbours_status(row: neighbours::Row) -> Option<u16> {
    use neighbours::Row;
    Some(match row {
        Row::CREDIT => 400,
        Row::SCHEDULER => 404,
        Row::STATUS => return None,
    })
}
