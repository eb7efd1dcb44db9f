//! The network's deviations. Guards have their deviation next to the guard, and parse rules in the spec; this
//! file has the changed responses.

use assay_spec::Id;
use assay_spec::network::message::MessageType;
use assay_spec::network::query::MessageFilter;
use assay_spec::network::requirements::messages::{
    CHAIN, CHANNEL, CONFIRMATIONS, CONTENT, ITEM_HASH, SENDER, SIGNATURE, TIMESTAMP, TYPE, WRAPPER_HASH,
};
use assay_spec::network::requirements::store::{PROCESSED, REMOVING, STATUS};
use assay_spec::network::requirements::{
    aggregates, envelope, errors, flat, forget, indexer, info, instances, limits, listing, measurement,
    messages, metrics, paging, pins, probes, programs, signing, storage, store, vrf, webhooks,
};
use serde_json::{Value, json};

use crate::core::Core;
use crate::deviation::{Deviation, deviations};

/// Every deviation of the network.
pub(super) const ALL: &[Deviation] = deviations! {
    messages::TYPE_FREE => "an endpoint that accepts any type accepts only POST";
    messages::FOUND => "a POST is not found by its hash";
    messages::WRAPPER => "the record is not wrapped";
    messages::WRAPPER_HASH => "the wrapper has another hash";
    messages::ITEM_HASH => "the record has another hash";
    messages::CHAIN => "the chain is in lower case";
    messages::SENDER => "the sender is the zero address";
    messages::TYPE => "the type is in lower case";
    messages::CHANNEL => "the channel is in lower case";
    messages::CHANNEL_DEFAULT => "the default channel is in lower case";
    messages::TIMESTAMP => "the timestamp is in milliseconds";
    messages::CONTENT => "the last member of the content is missing";
    messages::SIGNATURE => "the signature is truncated";
    messages::CONFIRMATIONS => "`confirmations` is an object";
    messages::CONFIRMATIONS, "height" => "the height of a confirmation is a string";
    messages::SAME_TWICE => "the same message sent again is listed twice";
    messages::UNKNOWN => "an unknown message is reported as pending";

    envelope::BODY => "a body that is not an object makes an empty message";
    envelope::MESSAGE => "an envelope without a message makes an empty one";
    envelope::SIGNATURE => "a signature that is not a string is ignored";
    envelope::ADDRESS => "a message without an address is accepted";
    envelope::CHAIN => "a message without a chain is accepted";
    envelope::CHANNEL => "a channel that is not a string is ignored";
    envelope::TYPE => "a message without a type is a POST";
    envelope::TYPE_KNOWN => "an unknown type is a POST";
    envelope::TYPE_OF_ENDPOINT => "an endpoint accepts any type";
    envelope::TIMESTAMP => "a message without a timestamp gets one";
    envelope::CONTENT => "a message without content is accepted";
    envelope::REPLY_HASH => "the hash in the response is empty";
    envelope::REPLY_STATUS => "the status in the response is `ok`";

    listing::LISTED => "the array is named `items`";
    listing::FINDS => "the only message of an address is not in its list";
    listing::HASHES => "the filter `hashes` is ignored";
    listing::ADDRESSES => "the filter `addresses` is ignored";
    listing::CHANNELS => "the filter `channels` is ignored";
    listing::TYPES => "the filter `types` is ignored";
    listing::ANY_OF => "only the first of several values counts";
    listing::ALL_OF => "only the first of several filters counts";
    listing::TAGS => "the filter `tags` is rejected";
    listing::CONTENT_KEYS => "the filter `content.keys` is rejected";

    flat::FLAT => "elements of the flat list are wrapped";
    flat::FINDS => "the only message of an address is not in its flat list";
    flat::ADDRESSES => "the filter `addresses` is ignored";
    flat::CHANNELS => "the filter `channels` is ignored";
    flat::CONTENT_TYPES => "the filter `content_types` is ignored";
    flat::START_DATE => "`startDate` is ignored";
    flat::END_DATE => "`endDate` is ignored";

    paging::NAMED => "the pagination object has another name";
    paging::INTEGERS => "`total_pages` is a string";
    paging::DEFAULT_LIMIT, "early" => "a page holds 10 elements by default";
    paging::DEFAULT_LIMIT, "late" => "a page holds 40 elements by default";
    paging::LIMIT => "a page holds one element more than requested";
    paging::MAXIMUM => "any `limit` is accepted";
    paging::PER_PAGE => "`per_page` is one less than the page holds";
    paging::PAGE => "`page` counts from 0";
    paging::TOTAL => "`total` counts only the elements of the page";
    paging::TOTAL_PAGES => "`total_pages` is one too many";
    paging::FIRST_PAGE => "without `page` the second page is returned";
    paging::PAGES => "pages overlap";
    paging::PAST_END => "a page after the last shows the last elements again";
    paging::ODD_VALUES => "an invalid page makes the server fail";

    storage::STORED => "an upload's status is `stored`";
    storage::CONTENT => "a file has one byte more";
    storage::CONTENT_TYPE => "the server sets its own content type on files";
    storage::RAW => "a raw file has one byte more";
    storage::ADDRESS => "the sender of an upload is the zero address";
    storage::CHANNEL => "the channel of an upload is ignored";
    storage::CHANNEL_DEFAULT => "the default channel of an upload is in lower case";
    storage::TAGS => "an upload with tags is rejected";
    storage::MULTIPART => "any body is accepted as a file";
    storage::FILE_REQUIRED => "an upload without a file stores an empty file";
    storage::ADDRESS_REQUIRED => "an upload without an address is accepted";
    storage::SIGNATURE => "the signature of an upload is not checked";
    storage::UNKNOWN => "an unknown file is returned as an empty file";
    storage::UNKNOWN_RAW => "an unknown raw file is returned as an empty file";

    info::PUBLIC => "the public information is an HTML page";
    aggregates::OWNER => "a stranger writes for another address";
    aggregates::CREATED => "the status of a write is `accepted`";
    aggregates::CREATED, "hash" => "the hash of a write is empty";
    aggregates::CREATE_KEY => "a write without a key is accepted";
    aggregates::CREATE_ADDRESS => "an owner that is not a string is ignored";
    aggregates::CREATE_CONTENT => "a write without content is accepted";
    aggregates::KEY => "an aggregate has another key";
    aggregates::ADDRESS => "an aggregate has another owner";
    aggregates::CONTENT => "the last member of a nested object is missing";
    aggregates::TIME => "the time of an aggregate is a string";
    aggregates::ITEM_HASH => "the hash of an aggregate is empty";
    aggregates::PER_ADDRESS => "all addresses share one aggregate per key";
    aggregates::REWRITTEN => "a second write of a whole object changes nothing";
    aggregates::PARTIAL => "a write of some members is ignored";
    aggregates::UNKNOWN => "an aggregate that was never written has content";
    aggregates::LISTED => "the array is named `items`";
    aggregates::BY_ADDRESS => "the filter `address` is ignored";
    aggregates::BY_KEY => "the filter `key` is ignored";
    aggregates::BY_KEYS => "the filter `keys` is ignored";
    aggregates::FIELDS => "the filter `content.fields` is rejected";
    aggregates::JSON => "the aggregates of an address are empty";
    aggregates::JSON_KEYS => "`keys` is ignored for the aggregates of an address";
    aggregates::JSON_LIMIT => "`limit` is ignored for the aggregates of an address";
    aggregates::JSON_UNKNOWN => "an address that wrote nothing has an aggregate";

    programs::CREATED => "the status of a program is `accepted`";
    programs::CREATED, "hash" => "the hash of a program is empty";
    programs::RUNTIME => "a program without a runtime is accepted";
    programs::MEMORY => "a program whose memory is not an integer is accepted";
    programs::TIMEOUT => "a program whose timeout is not an integer is accepted";
    programs::RUN => "a program that was accepted is not found";
    programs::VARIABLES => "variables that are not strings are ignored";
    programs::UNKNOWN => "a program that was never stored returns an empty result";

    instances::CREATED => "the status of a creation is `accepted`";
    instances::CREATED, "hash" => "the hash of a creation is empty";
    instances::CREATED_ID => "the returned identifier belongs to no instance";
    instances::CREATED_ID, "type" => "the identifier is a number";
    instances::CREATED_IPV6 => "the address is an IPv4 address";
    instances::CREATE_NUMBERS => "numbers that are not integers are accepted";
    instances::CREATE_TEXTS => "values that are not strings are accepted as strings";
    instances::CREATE_FIREWALL => "ports that are not integers are accepted";
    instances::ID => "an instance has another identifier";
    instances::OWNER => "an instance has another owner";
    instances::NAME => "an instance has another name";
    instances::DESCRIPTION => "an instance has another description";
    instances::CPU => "an instance has one CPU more";
    instances::MEMORY => "an instance has more memory";
    instances::DISK => "an instance has more disk";
    instances::IMAGE => "an instance has another image";
    instances::IPV6 => "an instance has another address";
    instances::STATUS => "the status is a number";
    instances::CREATED_AT => "`created_at` is in milliseconds";
    instances::UPDATED_AT => "`updated_at` is before the creation";
    instances::UNKNOWN => "an unknown instance is returned as stopped";
    instances::LISTED => "the array is named `items`";
    instances::BY_ADDRESS => "the filter `address` is ignored";
    instances::BY_STATUS => "the filter `status` is ignored";
    instances::UPDATED => "the status of an update is `accepted`";
    instances::UPDATED, "hash" => "the hash of an update is empty";
    instances::UPDATE_APPLIES => "an update changes nothing";
    instances::UPDATE_APPLIES, "description" => "an update does not change the description";
    instances::UPDATE_UNKNOWN => "an update of an unknown instance is accepted";
    instances::CONTROLLED => "the status of an action is `accepted`";
    instances::CONTROLLED, "hash" => "the hash of an action is empty";
    instances::CONTROLLED, "start" => "`start` is rejected";
    instances::CONTROLLED, "stop" => "`stop` is rejected";
    instances::CONTROLLED, "restart" => "`restart` is rejected";
    instances::ACTION => "an unknown action is accepted";
    instances::CONTROL_UNKNOWN => "an action on an unknown instance is accepted";

    pins::PINNED => "the status of a pin is `accepted`";
    pins::PINNED, "hash" => "the hash of a pin is empty";
    pins::HASH_REQUIRED => "a pin without a hash is accepted";
    pins::CONTENT => "pinned content has one byte more";
    pins::CONTENT_TYPE => "the server sets its own content type on pinned content";
    pins::UNKNOWN => "unknown content is returned as empty content";

    indexer::EVENTS => "the array is named `logs`";
    indexer::EVENT => "the block number of an event is a string";
    indexer::EVENT, "name" => "an event has no name";
    indexer::ARGS => "large numbers are JSON numbers";
    indexer::ARGS, "text" => "the arguments are a string";
    indexer::CONTRACT => "the filter `contract` is ignored";
    indexer::EVENT_NAME => "the filter `event_name` is ignored";
    indexer::EVENT_BLOCKS => "`from_block` and `to_block` are ignored for events";
    indexer::EVENT_BLOCKS, "from" => "`from_block` is ignored for events";
    indexer::EVENT_BLOCKS, "to" => "`to_block` is ignored for events";
    indexer::EVENT_TIMES => "`from_timestamp` and `to_timestamp` are ignored for events";
    indexer::EVENT_TIMES, "from" => "`from_timestamp` is ignored for events";
    indexer::EVENT_TIMES, "to" => "`to_timestamp` is ignored for events";
    indexer::TRANSACTIONS => "the array is named `txs`";
    indexer::TRANSACTION => "the gas of a transaction is a string";
    indexer::TRANSACTION, "hash" => "a transaction has no hash";
    indexer::AMOUNTS => "the value of a transaction is a JSON number";
    indexer::AMOUNTS, "price" => "the gas price is a JSON number";
    indexer::ADDRESS => "the filter `address` is ignored";
    indexer::SENT_OR_RECEIVED => "`address` selects only by sender";
    indexer::FROM => "the filter `from` is ignored";
    indexer::TO => "the filter `to` is ignored";
    indexer::TRANSACTION_BLOCKS => "`from_block` and `to_block` are ignored for transactions";
    indexer::TRANSACTION_BLOCKS, "from" => "`from_block` is ignored for transactions";
    indexer::TRANSACTION_BLOCKS, "to" => "`to_block` is ignored for transactions";
    indexer::TRANSACTION_TIMES => "`from_timestamp` and `to_timestamp` are ignored for transactions";
    indexer::TRANSACTION_TIMES, "from" => "`from_timestamp` is ignored for transactions";
    indexer::TRANSACTION_TIMES, "to" => "`to_timestamp` is ignored for transactions";
    indexer::INTEGERS => "a bound that is not an integer makes the server fail";
    indexer::UNKNOWN_NETWORK => "a network that is not indexed returns the events of another";

    vrf::SEED => "the returned seed is another";
    vrf::VALUE => "the value is a string";
    vrf::RANGE => "the value is above its range";
    vrf::RANGE, "low" => "the value is below its range";
    vrf::PROOF => "the proof is empty";
    vrf::GENERATE_STATUS => "the status of a generation is `true`";
    vrf::COUNT => "several values are returned as an array";
    vrf::GENERATE_FIELDS => "missing or malformed members are replaced by defaults";
    vrf::VERIFIES => "a matching proof is reported as not valid";
    vrf::VALID => "`valid` is a string";
    vrf::VERIFY_STATUS => "the status of a verification is `true`";
    vrf::VERIFY_FIELDS => "a verification reads values inside arrays";
    vrf::OTHER_SEED => "the seed is not checked";
    vrf::OTHER_VALUE => "the value is not checked";
    vrf::OTHER_PROOF => "the proof is not checked";

    webhooks::REGISTERED => "the status of a registration is `registered`";
    webhooks::REGISTERED, "id" => "the identifier of a webhook is a number";
    webhooks::EVENT_NAMES => "`program.executed` is rejected";
    webhooks::EVENT_NAMES, "message" => "`message.new` is rejected";
    webhooks::URL => "a registration without a URL is accepted";
    webhooks::EVENTS => "a registration without events is accepted";
    webhooks::SECRET => "a registration without a secret is accepted";

    info::PREFIX => "the API has another version in its path";
    info::MIRRORS => "the other API addresses return nothing";

    metrics::CORE => "a core node returns the metrics of another";
    metrics::COMPUTE => "a compute node returns the metrics of another";
    metrics::ALTERNATIVE => "the alternative address has no metrics";
    metrics::MEASURED_AT => "`measured_at` is in milliseconds";
    metrics::MEASURED_AT, "text" => "`measured_at` is a string";
    metrics::NODE_ID => "`node_id` has a prefix before its digits";
    metrics::URL => "`url` is null";
    metrics::ASN => "`asn` is a string";
    metrics::AS_NAME => "`as_name` is an array";
    metrics::VERSION => "`version` is an object";
    metrics::CORE_LATENCIES => "durations of core nodes are strings";
    metrics::CORE_LATENCIES, "negative" => "durations of core nodes are negative";
    metrics::CORE_COUNTS => "counts of core nodes are strings";
    metrics::CORE_COUNTS, "fraction" => "counts of core nodes are fractions";
    metrics::COMPUTE_LATENCIES => "durations of compute nodes are strings";
    metrics::COMPUTE_LATENCIES, "negative" => "durations of compute nodes are negative";
    metrics::FEATURES => "`features` is a string";
    metrics::EXPECTED_STATUS => "the expected 401 counts as a failure";
    metrics::FAILED_ABSENT => "the field of a test without a response is null";
    metrics::FAILED_STATUS => "the duration of a failed test is recorded";
    metrics::NO_IPV6 => "a machine without IPv6 has a ping latency";
    metrics::RETENTION => "records of any age are served";
    metrics::RETAINED => "records are served for one week only";
    metrics::UNKNOWN => "an unknown node returns the records of another";

    measurement::HOURLY => "every second hour has no message";
    measurement::HOURLY, "twice" => "every hour has two messages";
    measurement::PUBLISHED => "measurements are published as AGGREGATE";
    measurement::CONTENT_TYPE => "measurements have another content type";
    measurement::RESULTS => "the results of an hour are a string";

    probes::LOGIN => "a login without credentials succeeds";
    probes::VM => "the diagnostic machine is not found";
    probes::STATUS_CHECK => "the status check is not found";
    probes::METRICS => "a core node has no `/metrics.json`";

    store::STATUS => "the status of a processed STORE is `stored`";
    store::PROCESSED => "a processed STORE names its file in another member";
    store::TYPE => "the message of an upload is a FILE";
    store::FORGOTTEN => "a forgotten STORE is not found";
    store::STRIPPED => "a forgotten STORE keeps its content";
    store::FORGOTTEN_BYTES => "forgotten files are still served";
    store::REMOVING => "a STORE is removed as soon as its payer has no credits left";
    store::REMOVING, "incomplete" => "a STORE in `removing` has lost its content";
    store::REMOVING, "bytes" => "a STORE in `removing` has lost its file";
    store::REMOVED => "a removed STORE is not found";
    store::REMOVED_BYTES => "files of removed STOREs are still served";
    store::LAGGING => "a node that lacks a message reports it as pending";

    forget::APPLIES => "only the first target is forgotten";
    forget::ALL_OR_NOTHING => "known targets are forgotten although another is unknown";
    forget::REMOVING_TARGET => "a STORE in `removing` makes a batch fail";
    forget::REMOVED_FAILS => "known targets are forgotten although another is removed";
    forget::PENDING_FAILS => "known targets are forgotten although another is pending";
    forget::REJECTED_FAILS => "known targets are forgotten although another is rejected";
    forget::RETRIED => "a FORGET that failed is not retried";
    forget::FINALLY_REJECTED => "a FORGET is retried forever";
    forget::HASHES => "a FORGET without hashes is accepted";
    forget::POSTS_REMAIN => "a POST is removed with the STORE that it names";

    signing::GENERAL_TAKEN => "a general signature is rejected";
    signing::RECORD_TAKEN => "the signature of a record is rejected";
    signing::VERIFIED => "signatures are not checked";

    errors::INTERNAL => "a failure of the node returns 400";
    errors::BODY => "error bodies are plain text";
    errors::BODY, "status" => "the status in an error body is `failed`";
    errors::BODY, "code" => "the code in an error body is a number";
    errors::BAD_REQUEST => "a date that is not a number returns 422";
    errors::NO_INTERNAL => "a hash with invalid characters makes the server fail";
    errors::NOTHING_STORED => "a rejected message is stored anyway";

    limits::GENERAL, "early" => "the limit for general requests is a fifth lower";
    limits::GENERAL, "late" => "general requests have no limit";
    limits::AUTHENTICATED, "early" => "the limit for authenticated requests is a fifth lower";
    limits::AUTHENTICATED, "late" => "authenticated requests have no limit";
    limits::HEAVY, "early" => "the limit for program runs is a fifth lower";
    limits::HEAVY, "late" => "program runs have no limit";
    limits::RETRY_AFTER => "a 429 has no `Retry-After`";
    limits::MINUTE_PASSES => "the rate window lasts ten minutes";
    limits::PER_ADDRESS => "all client addresses share one limit";
};

/// The zero address: no key has it.
pub(super) const ZERO_ADDRESS: &str = "0x0000000000000000000000000000000000000000";

/// The response for one message, with its record inside. Deviations about any message apply to types other
/// than STORE; STORE has its own.
pub(super) fn answer(core: &mut Core, kind: MessageType, mut answer: Value) -> Value {
    let other = assay_spec::crypto::text::hex(&core.rng.draw("network.other-hash", b"", 0));
    if kind == MessageType::Store {
        stored(core, &mut answer);
        return answer;
    }
    change(core, &WRAPPER_HASH, &mut answer["item_hash"], |_, _| json!(other));
    let record = &mut answer["message"];
    change(core, &ITEM_HASH, &mut record["item_hash"], |_, _| json!(other));
    change(core, &CHAIN, &mut record["chain"], |chain, _| lower(&chain));
    change(core, &SENDER, &mut record["sender"], |_, _| json!(ZERO_ADDRESS));
    change(core, &TYPE, &mut record["type"], |kind, _| lower(&kind));
    change(core, &CHANNEL, &mut record["channel"], |channel, _| lower(&channel));
    change(core, &TIMESTAMP, &mut record["timestamp"], |time, _| json!(time.as_i64().unwrap_or(0) * 1000));
    change(core, &CONTENT, &mut record["content"], |content, _| without_last(content));
    change(core, &SIGNATURE, &mut record["signature"], |signature, _| {
        let text = signature.as_str().unwrap_or_default();
        json!(text.chars().take(text.len().saturating_sub(2)).collect::<String>())
    });
    change(core, &CONFIRMATIONS, &mut record["confirmations"], |mut blocks, variant| {
        if variant != "height" {
            return json!({ "blocks": blocks });
        }
        for block in blocks.as_array_mut().into_iter().flatten() {
            block["height"] = json!(block["height"].to_string());
        }
        blocks
    });
    answer
}

fn stored(core: &mut Core, answer: &mut Value) {
    let processed = answer["status"] == "processed";
    change(core, &store::TYPE, &mut answer["message"]["type"], |_, _| json!("FILE"));
    change(core, &storage::ADDRESS, &mut answer["message"]["sender"], |_, _| json!(ZERO_ADDRESS));
    if processed {
        change(core, &PROCESSED, &mut answer["message"]["content"], |content, _| renamed(content));
        change(core, &STATUS, &mut answer["status"], |_, _| json!("stored"));
    } else if answer["status"] == "removing" {
        change(core, &REMOVING, &mut answer["message"]["content"], |content, variant| {
            if variant == "incomplete" { json!({}) } else { content }
        });
    }
}

/// How many messages a list finds; the deviation hides the only one of an address.
pub(super) fn finds(core: &mut Core, rule: Id, filter: &MessageFilter, total: u64) -> u64 {
    let of_one = filter.addresses.as_ref().is_some_and(|addresses| addresses.len() == 1);
    if of_one { core.effect(rule, total, |total, _| if total == 1 { 0 } else { total }) } else { total }
}

/// A part of a response: unchanged, or, where its rule is violated, changed by the deviation.
pub(super) fn change(
    core: &mut Core,
    rule: Id,
    value: &mut Value,
    wrong: impl FnOnce(Value, &'static str) -> Value,
) {
    let conforming = value.take();
    *value = core.effect(rule, conforming, wrong);
}

fn lower(text: &Value) -> Value {
    json!(text.as_str().unwrap_or_default().to_lowercase())
}

/// An object without its last member.
pub(super) fn without_last(mut content: Value) -> Value {
    if let Value::Object(members) = &mut content {
        let last = members.keys().next_back().cloned();
        last.and_then(|last| members.shift_remove(&last));
    }
    content
}

fn renamed(content: Value) -> Value {
    match content {
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (if name == "item_hash" { "cid".to_owned() } else { name }, value))
            .collect(),
        other => other,
    }
}
