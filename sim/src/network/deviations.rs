//! The network's deviations: what is done when a requirement is switched off. The guards' lenient ways stand beside
//! the guards, those of forms in the spec; here stand the falsified answers.

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
use assay_spec::{Id, Rules};
use serde_json::{Value, json};

use crate::core::Core;
use crate::deviation::{Deviation, deviations};

/// Every deviation of the network.
pub(super) const ALL: &[Deviation] = deviations! {
    messages::TYPE_FREE => "only POSTs are taken where any type may come";
    messages::FOUND => "a POST is not found by its hash";
    messages::WRAPPER => "the record is not wrapped";
    messages::WRAPPER_HASH => "the wrapper holds another hash";
    messages::ITEM_HASH => "the record holds another hash";
    messages::CHAIN => "the chain is in lower case";
    messages::SENDER => "the sender is nobody";
    messages::TYPE => "the type is in lower case";
    messages::CHANNEL => "the channel is in lower case";
    messages::CHANNEL_DEFAULT => "the default channel is in lower case";
    messages::TIMESTAMP => "the timestamp is in milliseconds";
    messages::CONTENT => "the last member of the content is missing";
    messages::SIGNATURE => "the signature is cut";
    messages::CONFIRMATIONS => "confirmations are an object";
    messages::CONFIRMATIONS, "height" => "the height of a confirmation is text";
    messages::SAME_TWICE => "the same message again is another message";
    messages::SAME_TWICE, "listed" => "the same message again stands in the lists again";
    messages::UNKNOWN => "an unknown message is said to be pending";

    envelope::BODY => "a body that is no object makes an empty message";
    envelope::MESSAGE => "an envelope without a message makes an empty one";
    envelope::SIGNATURE => "a signature that is no text is passed over";
    envelope::ADDRESS => "a message without an address is taken";
    envelope::CHAIN => "a message without a chain is taken";
    envelope::CHANNEL => "a channel that is no text is passed over";
    envelope::TYPE => "a message without a type is a POST";
    envelope::TYPE_KNOWN => "an unknown type is a POST";
    envelope::TYPE_OF_ENDPOINT => "an endpoint takes any type";
    envelope::TIMESTAMP => "a message without a timestamp gets one";
    envelope::CONTENT => "a message without content is taken";
    envelope::REPLY_HASH => "the answer's hash is empty";
    envelope::REPLY_STATUS => "the answer's status is `ok`";

    listing::LISTED => "the array is named `items`";
    listing::FINDS => "the only message of an address is not in its list";
    listing::HASHES => "hashes do not select";
    listing::ADDRESSES => "addresses do not select";
    listing::CHANNELS => "channels do not select";
    listing::TYPES => "types do not select";
    listing::ANY_OF => "only the first of several values counts";
    listing::ALL_OF => "only the first of several filters counts";
    listing::TAGS => "tags are refused";
    listing::CONTENT_KEYS => "content.keys is refused";

    flat::FLAT => "elements of the flat list are wrapped";
    flat::FINDS => "the only message of an address is not in its flat list";
    flat::ADDRESSES => "addresses do not select";
    flat::CHANNELS => "channels do not select";
    flat::CONTENT_TYPES => "content types do not select";
    flat::START_DATE => "the start does not select";
    flat::END_DATE => "the end does not select";

    paging::NAMED => "the pagination has another name";
    paging::INTEGERS => "`total_pages` is text";
    paging::DEFAULT_LIMIT, "early" => "a page holds 10 elements by default";
    paging::DEFAULT_LIMIT, "late" => "a page holds 40 elements by default";
    paging::LIMIT => "a page holds one element more than asked for";
    paging::MAXIMUM => "any limit is granted";
    paging::PER_PAGE => "`per_page` is one less than the page holds";
    paging::PAGE => "`page` counts from 0";
    paging::TOTAL => "`total` counts the elements of the page";
    paging::TOTAL_PAGES => "`total_pages` counts one more";
    paging::FIRST_PAGE => "without `page` the second page is returned";
    paging::PAGES => "pages overlap";
    paging::STABLE => "elements of a page change their places";
    paging::PAST_END => "behind the last page the last elements are shown again";
    paging::ODD_VALUES => "the node falls over an odd page";

    storage::STORED => "an upload's status is `stored`";
    storage::CONTENT => "a file has a byte more";
    storage::CONTENT_TYPE => "files have a content type of the node's own";
    storage::RAW => "a raw file has a byte more";
    storage::ADDRESS => "uploads are sent by nobody";
    storage::CHANNEL => "an upload's channel is passed over";
    storage::CHANNEL_DEFAULT => "an upload's default channel is in lower case";
    storage::TAGS => "an upload with tags is refused";
    storage::MULTIPART => "any body is a file";
    storage::FILE_REQUIRED => "without a file an empty one is stored";
    storage::ADDRESS_REQUIRED => "an upload without an address is taken";
    storage::SIGNATURE => "an upload's signature is not looked at";
    storage::UNKNOWN => "an unknown file is empty";
    storage::UNKNOWN_RAW => "an unknown raw file is empty";

    info::PUBLIC => "public information is a page";
    aggregates::CREATED => "the status of a write is `accepted`";
    aggregates::CREATED, "hash" => "the hash of a write is empty";
    aggregates::CREATE_KEY => "a write without a key is taken";
    aggregates::CREATE_ADDRESS => "an owner that is no text is passed over";
    aggregates::CREATE_CONTENT => "a write without content is taken";
    aggregates::KEY => "an aggregate has another key";
    aggregates::ADDRESS => "an aggregate has another owner";
    aggregates::CONTENT => "the last member of a nested object is missing";
    aggregates::TIME => "the time of an aggregate is text";
    aggregates::ITEM_HASH => "an aggregate holds a hash that no message has";
    aggregates::PER_ADDRESS => "a key is one aggregate for all addresses";
    aggregates::REWRITTEN => "an object that is written again whole stays as it was";
    aggregates::PARTIAL => "a write of some members is passed over";
    aggregates::UNKNOWN => "an aggregate that nobody wrote has a content";
    aggregates::LISTED => "the array is named `items`";
    aggregates::BY_ADDRESS => "the address does not select";
    aggregates::BY_KEY => "the key does not select";
    aggregates::BY_KEYS => "keys do not select";
    aggregates::FIELDS => "content.fields is refused";
    aggregates::JSON => "the aggregates of an address are empty";
    aggregates::JSON_KEYS => "keys do not select among the aggregates of an address";
    aggregates::JSON_LIMIT => "the aggregates of an address have no limit";
    aggregates::JSON_UNKNOWN => "an address that wrote nothing has an aggregate";

    programs::CREATED => "the status of a program is `accepted`";
    programs::CREATED, "hash" => "the hash of a program is empty";
    programs::RUNTIME => "a program without a runtime is taken";
    programs::MEMORY => "a program whose memory is no integer is taken";
    programs::TIMEOUT => "a program whose timeout is no integer is taken";
    programs::RUN => "a program that was taken is not found";
    programs::VARIABLES => "variables that are no texts are passed over";
    programs::UNKNOWN => "a program that nobody stored returns nothing";

    instances::CREATED => "the status of a creation is `accepted`";
    instances::CREATED, "hash" => "the hash of a creation is empty";
    instances::CREATED_ID => "the identifier is that of no instance";
    instances::CREATED_ID, "type" => "the identifier is a number";
    instances::CREATED_IPV6 => "the address is one of IPv4";
    instances::CREATE_NUMBERS => "numbers that are no integers are taken";
    instances::CREATE_TEXTS => "texts that are none are taken";
    instances::CREATE_FIREWALL => "ports that are no integers are taken";
    instances::ID => "an instance has another identifier";
    instances::OWNER => "an instance has another owner";
    instances::NAME => "an instance has another name";
    instances::DESCRIPTION => "an instance has another description";
    instances::CPU => "an instance has a processor more";
    instances::MEMORY => "an instance has more memory";
    instances::DISK => "an instance has more disk";
    instances::IMAGE => "an instance has another image";
    instances::IPV6 => "an instance has another address";
    instances::STATUS => "the status is a number";
    instances::CREATED_AT => "the creation is in milliseconds";
    instances::UPDATED_AT => "the update was before the creation";
    instances::UNKNOWN => "an instance that nobody created is stopped";
    instances::LISTED => "the array is named `items`";
    instances::BY_ADDRESS => "the address does not select";
    instances::BY_STATUS => "the status does not select";
    instances::UPDATED => "the status of an update is `accepted`";
    instances::UPDATED, "hash" => "the hash of an update is empty";
    instances::UPDATE_APPLIES => "an update changes nothing";
    instances::UPDATE_APPLIES, "description" => "an update leaves the description as it was";
    instances::UPDATE_UNKNOWN => "an update of an unknown instance is taken";
    instances::CONTROLLED => "the status of an action is `accepted`";
    instances::CONTROLLED, "hash" => "the hash of an action is empty";
    instances::CONTROLLED, "start" => "`start` is refused";
    instances::CONTROLLED, "stop" => "`stop` is refused";
    instances::CONTROLLED, "restart" => "`restart` is refused";
    instances::ACTION => "an unknown action is taken";
    instances::CONTROL_UNKNOWN => "an action on an unknown instance is taken";

    pins::PINNED => "the status of a pin is `accepted`";
    pins::PINNED, "hash" => "the hash of a pin is empty";
    pins::HASH_REQUIRED => "a pin of nothing is taken";
    pins::CONTENT => "pinned content has a byte more";
    pins::CONTENT_TYPE => "pinned content has a content type of the node's own";
    pins::UNKNOWN => "unknown content is empty";

    indexer::EVENTS => "the array is named `logs`";
    indexer::EVENT => "the block of an event is text";
    indexer::EVENT, "name" => "an event has no name";
    indexer::ARGS => "large numbers are numbers";
    indexer::ARGS, "text" => "the arguments are text";
    indexer::CONTRACT => "the contract does not select";
    indexer::EVENT_NAME => "the name does not select";
    indexer::EVENT_BLOCKS => "blocks do not select among events";
    indexer::EVENT_BLOCKS, "from" => "from_block does not select among events";
    indexer::EVENT_BLOCKS, "to" => "to_block does not select among events";
    indexer::EVENT_TIMES => "times do not select among events";
    indexer::EVENT_TIMES, "from" => "from_timestamp does not select among events";
    indexer::EVENT_TIMES, "to" => "to_timestamp does not select among events";
    indexer::TRANSACTIONS => "the array is named `txs`";
    indexer::TRANSACTION => "the gas of a transaction is text";
    indexer::TRANSACTION, "hash" => "a transaction has no hash";
    indexer::AMOUNTS => "the value of a transaction is a number";
    indexer::AMOUNTS, "price" => "the price of gas is a number";
    indexer::ADDRESS => "the address does not select";
    indexer::SENT_OR_RECEIVED => "the address selects senders alone";
    indexer::FROM => "the sender does not select";
    indexer::TO => "the receiver does not select";
    indexer::TRANSACTION_BLOCKS => "blocks do not select among transactions";
    indexer::TRANSACTION_BLOCKS, "from" => "from_block does not select among transactions";
    indexer::TRANSACTION_BLOCKS, "to" => "to_block does not select among transactions";
    indexer::TRANSACTION_TIMES => "times do not select among transactions";
    indexer::TRANSACTION_TIMES, "from" => "from_timestamp does not select among transactions";
    indexer::TRANSACTION_TIMES, "to" => "to_timestamp does not select among transactions";
    indexer::INTEGERS => "a bound that is no integer is passed over";
    indexer::UNKNOWN_NETWORK => "a network that nobody indexes has another's events";

    vrf::SEED => "the seed is another";
    vrf::VALUE => "the value is text";
    vrf::RANGE => "the value is above its range";
    vrf::RANGE, "low" => "the value is below its range";
    vrf::PROOF => "the proof is empty";
    vrf::GENERATE_STATUS => "the status of a generation is true";
    vrf::COUNT => "several values are an array";
    vrf::GENERATE_FIELDS => "what is missing or malformed is made up";
    vrf::VERIFIES => "what fits is not valid";
    vrf::VALID => "`valid` is text";
    vrf::VERIFY_STATUS => "the status of a verification is true";
    vrf::VERIFY_FIELDS => "a malformed verification is answered";
    vrf::OTHER_SEED => "the seed is not looked at";
    vrf::OTHER_VALUE => "the value is not looked at";
    vrf::OTHER_PROOF => "the proof is not looked at";

    webhooks::REGISTERED => "the status of a registration is `registered`";
    webhooks::REGISTERED, "id" => "the identifier of a webhook is a number";
    webhooks::EVENT_NAMES => "`program.executed` is refused";
    webhooks::EVENT_NAMES, "message" => "`message.new` is refused";
    webhooks::URL => "a registration without a URL is taken";
    webhooks::EVENTS => "a registration without events is taken";
    webhooks::SECRET => "a registration without a secret is taken";

    info::PREFIX => "the API stands below another version";
    info::MIRRORS => "the other addresses show nothing";

    metrics::CORE => "a core node's metrics are another's";
    metrics::COMPUTE => "a compute node's metrics are another's";
    metrics::ALTERNATIVE => "the alternative address has no metrics";
    metrics::MEASURED_AT => "`measured_at` is in milliseconds";
    metrics::MEASURED_AT, "text" => "`measured_at` is a text";
    metrics::NODE_ID => "`node_id` has a word before its digits";
    metrics::URL => "`url` is null";
    metrics::ASN => "`asn` is a text";
    metrics::AS_NAME => "`as_name` is an array";
    metrics::VERSION => "`version` is an object";
    metrics::CORE_LATENCIES => "durations of core nodes are texts";
    metrics::CORE_LATENCIES, "negative" => "durations of core nodes are negative";
    metrics::CORE_COUNTS => "counts of core nodes are texts";
    metrics::CORE_COUNTS, "fraction" => "counts of core nodes are fractions";
    metrics::COMPUTE_LATENCIES => "durations of compute nodes are texts";
    metrics::COMPUTE_LATENCIES, "negative" => "durations of compute nodes are negative";
    metrics::FEATURES => "`features` is a text";
    metrics::EXPECTED_STATUS => "a 401 is no success";
    metrics::FAILED_ABSENT => "the field of a test without an answer is null";
    metrics::FAILED_STATUS => "a failure's duration counts";
    metrics::NO_IPV6 => "a machine without IPv6 has answered a ping";
    metrics::RETENTION => "records of any age are served";
    metrics::RETAINED => "records are served for a week";
    metrics::UNKNOWN => "an unknown node has the records of another";

    measurement::HOURLY => "every second hour has no message";
    measurement::HOURLY, "twice" => "every hour has two messages";
    measurement::PUBLISHED => "measurements are AGGREGATEs";
    measurement::CONTENT_TYPE => "measurements have a content type that nobody asks for";
    measurement::RESULTS => "the results of an hour are a text";

    probes::LOGIN => "a login without credentials is let in";
    probes::VM => "the diagnostic machine is not found";
    probes::STATUS_CHECK => "the status check is not found";
    probes::METRICS => "a core node has no measurements of its own";

    store::STATUS => "a processed STORE is `stored`";
    store::PROCESSED => "a processed STORE names its file by another member";
    store::TYPE => "the message of an upload is a FILE";
    store::FORGOTTEN => "a forgotten STORE is not found";
    store::STRIPPED => "a forgotten STORE keeps its content";
    store::FORGOTTEN_BYTES => "forgotten files stay";
    store::REMOVING => "a STORE is removed as soon as its payer runs out";
    store::REMOVING, "incomplete" => "a STORE that is being removed has lost its content";
    store::REMOVING, "bytes" => "a STORE that is being removed has lost its file";
    store::REMOVED => "a removed STORE is not found";
    store::REMOVED_BYTES => "files of removed STOREs stay";
    store::LAGGING => "a node that lacks a message says that it is pending";

    forget::APPLIES => "only the first target is forgotten";
    forget::ALL_OR_NOTHING => "known targets are forgotten beside unknown ones";
    forget::REMOVING_TARGET => "a STORE that is being removed spoils a batch";
    forget::REMOVED_FAILS => "known targets are forgotten beside removed ones";
    forget::PENDING_FAILS => "known targets are forgotten beside pending ones";
    forget::REJECTED_FAILS => "known targets are forgotten beside rejected ones";
    forget::RETRIED => "a FORGET that failed is not looked at again";
    forget::FINALLY_REJECTED => "a FORGET is tried again without end";
    forget::HASHES => "a FORGET without hashes is taken";
    forget::POSTS_REMAIN => "a POST goes with the STORE that it names";

    signing::GENERAL_TAKEN => "a general signature is refused";
    signing::RECORD_TAKEN => "a record's signature is refused";
    signing::VERIFIED => "signatures are not looked at";

    errors::BODY => "refusals are plain text";
    errors::BODY, "status" => "the status of a refusal is `failed`";
    errors::BODY, "code" => "the code of a refusal is a number";
    errors::BAD_REQUEST => "a date that is no number is answered by 422";
    errors::NO_INTERNAL => "the node falls over a hash of odd characters";
    errors::NOTHING_STORED => "a refused message is stored all the same";

    limits::GENERAL, "early" => "a fifth of the general requests is refused";
    limits::GENERAL, "late" => "any number of general requests is granted";
    limits::AUTHENTICATED, "early" => "a fifth of the authenticated requests is refused";
    limits::AUTHENTICATED, "late" => "any number of authenticated requests is granted";
    limits::HEAVY, "early" => "a fifth of the runs is refused";
    limits::HEAVY, "late" => "any number of runs is granted";
    limits::RETRY_AFTER => "a refusal does not say when to come back";
    limits::MINUTE_PASSES => "the minute lasts ten";
    limits::PER_ADDRESS => "all addresses count as one";
};

/// A sender that nobody is.
pub(super) const NOBODY: &str = "0x0000000000000000000000000000000000000000";

/// The answer for one message, whose record stands inside. Deviations about any message are shown on others than STOREs,
/// which have deviations of their own.
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
    change(core, &SENDER, &mut record["sender"], |_, _| json!(NOBODY));
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
    change(core, &storage::ADDRESS, &mut answer["message"]["sender"], |_, _| json!(NOBODY));
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

/// A part of an answer: as it is, or, where its rule is violated, as the deviation has it.
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
