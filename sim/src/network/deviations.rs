//! The deviations of the network: each entry breaks one requirement, with its code, at one seam.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr};
use std::ops::Range;

use assay_spec::network::aggregate::{self, Record};
use assay_spec::network::forget::{Target, Verdict};
use assay_spec::network::indexer::{Bounds, EVENTS, EventFilter, TRANSACTIONS, TransactionFilter};
use assay_spec::network::info::PREFIX;
use assay_spec::network::instance::{self, Action, InstanceFilter, Update};
use assay_spec::network::limits::Rate;
use assay_spec::network::message::MessageType;
use assay_spec::network::paging::Sizes;
use assay_spec::network::pin;
use assay_spec::network::places::{self, FILES, MESSAGE, PROCESSING, REMOVAL};
use assay_spec::network::query::{self, MessageFilter};
use assay_spec::network::requirements::{
    aggregates, envelope, errors, flat, forget, indexer, info, instances, limits, listing, messages,
    paging as pages, pins, programs, signing, storage, store, vrf, webhooks,
};
use assay_spec::network::storage::{DEFAULT_CONTENT_TYPE, FILE, RAW};
use assay_spec::network::store::Status;
use assay_spec::network::vrf::{Drawn, Wanted};
use assay_spec::network::webhook::{MESSAGE_NEW, PROGRAM_EXECUTED};
use http::header::RETRY_AFTER;
use serde_json::{Map, Value, json};

use super::aggregates::calls::{
    self as documents, AddressQuery, AggregateQuery, FindAggregate, FindOfAddress, OfAddress,
};
use super::aggregates::writes::{self, WriteAggregate};
use super::indexer::chain::NETWORKS;
use super::indexer::lists::{self as chains, FindChain};
use super::instances::calls::{self, AdmitControl, FindInstance, Shown};
use super::instances::changes::Changed;
use super::limits::{ForgetRetries, Limits};
use super::long_deviations::{
    self, ZERO_ADDRESS, accept_malformed, admit_without, append_line, as_numbers, as_text, completed,
    each_value, forget_equal_bytes, forget_posts, hide_only, is_removing, is_whole, judge_without, later,
    longer, lower, number, part, parts_with, pending, renamed, reversed, stopped, store_anyway, unwritten,
    without_last,
};
use super::messages::create::{self, Known, Take};
use super::messages::flat::FlatQuery;
use super::messages::forget::{self as forgets, Forget, Forgotten, Found, Retried};
use super::messages::listing::{ListQuery, Total};
use super::messages::removal::{self, BeginGrace, ReleaseForgotten, ReleaseRemoved};
use super::messages::reply::Accepted;
use super::messages::single::{Missing, Reclaimed, RemovedAt, Wrapped};
use super::mirror::{self, Seen};
use super::nodes::info::Information;
use super::paging::{self, Listed, Positions};
use super::rates::{Counting, Reached};
use super::refusal::Rejected;
use super::routing::ApiPath;
use super::state::Replica;
use super::storage::files::{self, Download, FindFile, Parts};
use super::vrf::calls::{self as randoms, IsValid, Random};
use super::vrf::ecvrf::values;
use super::webhooks::deliveries::JudgeWebhook;
use super::{node_deviations, read_deviations, sites};
use crate::core::Core;
use crate::deviation::{Deviation, deviations, join};
use crate::seam::{Answer, Body};

/// Every deviation of the network.
pub(super) const ALL: &[Deviation] = &join::<
    { API.len() + node_deviations::ALL.len() + read_deviations::ALL.len() },
>(&[API, node_deviations::ALL, read_deviations::ALL]);

/// Those of the API.
const API: &[Deviation] = deviations! {
    messages::TYPE_FREE => "an endpoint that accepts any type accepts only POST", guard;
    messages::FOUND => "a POST is not found by its hash", guard;
    messages::WRAPPER => "the record is not wrapped",
        reply |r: &mut Answer<Wrapped>| r.body = Body::Json(r["message"].take());
    messages::WRAPPER_HASH => "the wrapper has another hash", reply |r: &mut Answer<Wrapped>| {
        if r.about.message.kind != MessageType::Store {
            r["item_hash"] = reversed(&r["item_hash"]);
        }
    };
    messages::ITEM_HASH => "the record has another hash",
        reply |r: &mut Answer<Wrapped>| r.record("item_hash", reversed);
    messages::CHAIN => "the chain is in lower case", reply |r: &mut Answer<Wrapped>| r.record("chain", lower);
    messages::SENDER => "the sender is the zero address",
        reply |r: &mut Answer<Wrapped>| r.record("sender", |_| json!(ZERO_ADDRESS));
    messages::TYPE => "the type is in lower case", reply |r: &mut Answer<Wrapped>| r.record("type", lower);
    messages::CHANNEL => "the channel is in lower case", reply |r: &mut Answer<Wrapped>| r.record("channel", lower);
    messages::CHANNEL_DEFAULT => "the default channel is in lower case", guard;
    messages::TIMESTAMP => "the timestamp is in milliseconds",
        reply |r: &mut Answer<Wrapped>| r.record("timestamp", |time| json!(time.as_i64().unwrap_or(0) * 1000));
    messages::CONTENT => "the last member of the content is missing",
        reply |r: &mut Answer<Wrapped>| r.record("content", without_last);
    messages::CONTENT, "order" => "the members of the content are sorted",
        reply |r: &mut Answer<Wrapped>| r.record("content", |content| each_value(content, long_deviations::sorted));
    messages::CONTENT, "trimmed" => "strings of the content are trimmed",
        reply |r: &mut Answer<Wrapped>| r.record("content", |content| each_value(content, long_deviations::trimmed));
    messages::CONTENT, "integers" => "fractions of the content are cut off",
        reply |r: &mut Answer<Wrapped>| r.record("content", |content| each_value(content, long_deviations::integers));
    messages::CONTENT, "composed" => "letters of the content are composed",
        reply |r: &mut Answer<Wrapped>| r.record("content", |content| each_value(content, long_deviations::composed));
    messages::CONTENT, "empty" => "empty strings of the content are null",
        reply |r: &mut Answer<Wrapped>| r.record("content", |content| each_value(content, long_deviations::without_empty));
    messages::CONTENT, "names" => "dots and dollar signs in names of the content are replaced",
        reply |r: &mut Answer<Wrapped>| r.record("content", |content| each_value(content, long_deviations::renamed_members));
    messages::CONTENT, "long" => "strings of the content have at most 1,000 characters",
        reply |r: &mut Answer<Wrapped>| r.record("content", |content| each_value(content, long_deviations::cut));
    messages::SIGNATURE => "the signature is truncated",
        reply |r: &mut Answer<Wrapped>| r.record("signature", |signature| {
            let text = signature.as_str().unwrap_or_default();
            json!(text.chars().take(text.len().saturating_sub(2)).collect::<String>())
        });
    messages::CONFIRMATIONS => "`confirmations` is an object",
        reply |r: &mut Answer<Wrapped>| r.record("confirmations", |blocks| json!({ "blocks": blocks }));
    messages::CONFIRMATIONS, "height" => "the height of a confirmation is a string",
        reply |r: &mut Answer<Wrapped>| r.record("confirmations", |blocks| {
            let mut blocks = blocks.clone();
            for block in blocks.as_array_mut().into_iter().flatten() {
                block["height"] = as_text(&block["height"]);
            }
            blocks
        });
    messages::SAME_TWICE => "the same message sent again is listed twice", step |s: &mut Known| {
        s.0 = |_, state, _, number| {
            state.primary.store.list_again(number);
            Ok(number)
        };
    };
    messages::UNKNOWN => "an unknown message is reported as pending", step |s: &mut Missing| {
        s.0 = |core, state, hash| pending(core, state, hash, &messages::UNKNOWN);
    };

    envelope::BODY => "a body that is not an object makes an empty message", step |s: &mut Take| {
        s.0 = |core, state, call, expected, admit| {
            accept_malformed(core, state, call, expected, admit, &envelope::BODY)
        };
    };
    envelope::MESSAGE => "an envelope without a message makes an empty one", step |s: &mut Take| {
        s.0 = |core, state, call, expected, admit| {
            accept_malformed(core, state, call, expected, admit, &envelope::MESSAGE)
        };
    };
    envelope::SIGNATURE => "a signature that is not a string is ignored", step |s: &mut Take| {
        s.0 = |core, state, call, expected, admit| {
            accept_malformed(core, state, call, expected, admit, &envelope::SIGNATURE)
        };
    };
    envelope::ADDRESS => "a message without an address is accepted", step |s: &mut Take| {
        s.0 = |core, state, call, expected, admit| {
            accept_malformed(core, state, call, expected, admit, &envelope::ADDRESS)
        };
    };
    envelope::CHAIN => "a message without a chain is accepted", guard;
    envelope::CHANNEL => "a channel that is not a string is ignored", guard;
    envelope::TYPE => "a message without a type is a POST", guard;
    envelope::TYPE_KNOWN => "an unknown type is a POST", guard;
    envelope::TYPE_OF_ENDPOINT => "an endpoint accepts any type", guard;
    envelope::TIMESTAMP => "a message without a timestamp gets one", guard;
    envelope::CONTENT => "a message without content is accepted", step |s: &mut Take| {
        s.0 = |core, state, call, expected, admit| {
            accept_malformed(core, state, call, expected, admit, &envelope::CONTENT)
        };
    };
    envelope::REPLY_HASH => "the hash in the response is empty",
        reply |r: &mut Answer<Accepted>| r.change(&envelope::REPLY_HASH, "item_hash", json!(""));
    envelope::REPLY_STATUS => "the status in the response is `ok`",
        reply |r: &mut Answer<Accepted>| r.change(&envelope::REPLY_HASH, "status", json!("ok"));

    listing::LISTED => "the array is named `items`",
        reply |r: &mut Answer<Listed>| r.rename_array(&query::LIST, "items");
    listing::FINDS => "the only message of an address is not in its list",
        step |t: &mut Total| hide_only(t, &query::LIST);
    listing::HASHES => "the filter `hashes` is ignored", step |q: &mut ListQuery| q.filter.hashes = None;
    listing::ADDRESSES => "the filter `addresses` is ignored", step |q: &mut ListQuery| q.filter.addresses = None;
    listing::CHANNELS => "the filter `channels` is ignored", step |q: &mut ListQuery| q.filter.channels = None;
    listing::TYPES => "the filter `types` is ignored", step |q: &mut ListQuery| q.filter.types = None;
    listing::ANY_OF => "only the first of several values counts", step |q: &mut ListQuery| {
        let MessageFilter { hashes, addresses, channels, tags, types, .. } = &mut q.filter;
        for values in [hashes, addresses, channels, tags, types].into_iter().flatten() {
            values.truncate(1);
        }
    };
    listing::ALL_OF => "only the first of several filters counts", step |q: &mut ListQuery| {
        let mut filters = query::FILTERS.to_vec();
        let first = q.params.names().find(|name| filters.contains(name)).map(str::to_owned);
        filters.retain(|name| Some(*name) != first.as_deref());
        q.filter = MessageFilter::of_list(&q.params.clone().without(&filters));
    };
    listing::ALL_OF, "hashes" => "beside `hashes` no other filter counts", step |q: &mut ListQuery| {
        if let Some(hashes) = q.filter.hashes.take() {
            q.filter = MessageFilter { hashes: Some(hashes), ..MessageFilter::default() };
        }
    };
    listing::ALL_OF, "types" => "`types` is ignored beside `channels`", step |q: &mut ListQuery| {
        if q.filter.channels.is_some() {
            q.filter.types = None;
        }
    };
    listing::AS_SENT => "a list shows the time of a message a second late",
        reply |r: &mut Answer<Listed>| r.each(&query::LIST, |record| record["timestamp"] = later(&record["timestamp"]));
    listing::AS_SENT, "chain" => "a list shows every message on one chain",
        reply |r: &mut Answer<Listed>| r.each(&query::LIST, |record| record["chain"] = json!("SOL"));
    listing::AS_SENT, "content" => "a list shows fractions of the content cut off",
        reply |r: &mut Answer<Listed>| r.each(&query::LIST, |record| record["content"] = each_value(&record["content"], long_deviations::integers));
    listing::TAGS => "the filter `tags` is rejected", guard;
    listing::CONTENT_KEYS => "the filter `content.keys` is rejected", guard;

    flat::FLAT => "elements of the flat list are wrapped",
        reply |r: &mut Answer<Listed>| r.each(&query::FLAT, |record| {
            *record = json!({ "status": "processed", "item_hash": record["item_hash"], "message": record });
        });
    flat::AS_SENT => "the flat list shows the time of a message a second late",
        reply |r: &mut Answer<Listed>| r.each(&query::FLAT, |record| record["timestamp"] = later(&record["timestamp"]));
    flat::AS_SENT, "chain" => "the flat list shows every message on one chain",
        reply |r: &mut Answer<Listed>| r.each(&query::FLAT, |record| record["chain"] = json!("SOL"));
    flat::AS_SENT, "content" => "the flat list shows fractions of the content cut off",
        reply |r: &mut Answer<Listed>| r.each(&query::FLAT, |record| record["content"] = each_value(&record["content"], long_deviations::integers));
    flat::FINDS => "the only message of an address is not in its flat list",
        step |t: &mut Total| hide_only(t, &query::FLAT);
    flat::ADDRESSES => "the filter `addresses` is ignored", step |q: &mut FlatQuery| q.filter.addresses = None;
    flat::CHANNELS => "the filter `channels` is ignored", step |q: &mut FlatQuery| q.filter.channels = None;
    flat::CONTENT_TYPES => "the filter `content_types` is ignored",
        step |q: &mut FlatQuery| q.filter.content_types = None;
    flat::START_DATE => "`startDate` is ignored", step |q: &mut FlatQuery| q.filter.start = None;
    flat::END_DATE => "`endDate` is ignored", step |q: &mut FlatQuery| q.filter.end = None;

    pages::NAMED => "the pagination object has another name",
        reply |r: &mut Answer<Listed>| r.rename("pagination", "page_info");
    pages::INTEGERS => "`total_pages` is a string",
        reply |r: &mut Answer<Listed>| r.paginate("total_pages", |pages, _| as_text(pages));
    pages::DEFAULT_LIMIT, "early" => "a page holds 10 elements by default",
        limits |s: &mut Sizes| s.default /= 2;
    pages::DEFAULT_LIMIT, "late" => "a page holds 40 elements by default",
        limits |s: &mut Sizes| s.default *= 2;
    pages::LIMIT => "a page holds one element more than requested", guard;
    pages::MAXIMUM => "any `limit` is accepted", limits |s: &mut Sizes| s.maximum = u64::MAX;
    pages::PER_PAGE => "`per_page` is one less than the page holds",
        reply |r: &mut Answer<Listed>| r.paginate("per_page", |_, listed| json!(listed.returned.saturating_sub(1)));
    pages::PAGE => "`page` counts from 0",
        reply |r: &mut Answer<Listed>| r.paginate("page", |_, listed| json!(listed.page.number - 1));
    pages::TOTAL => "`total` counts only the elements of the page",
        reply |r: &mut Answer<Listed>| r.paginate("total", |_, listed| json!(listed.returned));
    pages::TOTAL_PAGES => "`total_pages` is one too many",
        reply |r: &mut Answer<Listed>| r.paginate("total_pages", |pages, _| json!(pages.as_u64().unwrap_or(0) + 1));
    pages::FIRST_PAGE => "without `page` the second page is returned", guard;
    pages::PAGES => "pages overlap", step |s: &mut Positions| {
        s.0 = |core, page, total| {
            let Range { start, end } = paging::positions(core, page, total)?;
            let is_inner = page.number > 1 && start < end;
            Ok(if is_inner { start.saturating_sub(1)..end.saturating_sub(1).max(start) } else { start..end })
        };
    };
    pages::PAST_END => "a page after the last shows the last elements again", step |s: &mut Positions| {
        s.0 = |core, page, total| match paging::positions(core, page, total)? {
            behind if behind.is_empty() => Ok(total.saturating_sub(page.limit)..total),
            range => Ok(range),
        };
    };
    pages::ODD_VALUES => "an invalid page makes the server fail",
        reply |r: &mut Answer<Rejected>| r.change(&[&pages::ODD_VALUES], 500);

    storage::STORED => "an upload's status is `stored`",
        reply |r: &mut Answer<Accepted>| r.change(&storage::STORED, "status", json!("stored"));
    storage::CONTENT => "a file has one byte more", step |d: &mut Download| d.change(&FILE, append_line);
    storage::CONTENT_TYPE => "the server sets its own content type on files", step |d: &mut Download| {
        d.change(&FILE, |content| "application/x-file".clone_into(&mut content.content_type));
    };
    storage::RAW => "a raw file has one byte more", step |d: &mut Download| d.change(&RAW, append_line);
    storage::RAW, "end" => "a raw file lacks the blanks at its end",
        step |d: &mut Download| d.change(&RAW, |content| content.bytes.truncate(content.bytes.trim_ascii_end().len()));
    storage::ADDRESS => "the sender of an upload is the zero address", reply |r: &mut Answer<Wrapped>| {
        if r.about.message.kind == MessageType::Store {
            r["message"]["sender"] = json!(ZERO_ADDRESS);
        }
    };
    storage::CHANNEL => "the channel of an upload is ignored", guard;
    storage::CHANNEL_DEFAULT => "the default channel of an upload is in lower case", guard;
    storage::TAGS => "an upload with tags is rejected", guard;
    storage::MULTIPART => "any body is accepted as a file", step |s: &mut Parts| {
        s.0 = |core, call| {
            let instead = |core: &Core| completed(core, vec![part("file", call.body().clone())]);
            Ok(files::parts(core, call).unwrap_or_else(|_| instead(core)))
        };
    };
    storage::FILE_REQUIRED => "an upload without a file stores a file of its own",
        step |s: &mut Parts| s.0 = |core, call| parts_with(core, call, "file");
    storage::ADDRESS_REQUIRED => "an upload without an address is accepted",
        step |s: &mut Parts| s.0 = |core, call| parts_with(core, call, "address");
    storage::SIGNATURE => "the signature of an upload is not checked", guard;
    storage::UNKNOWN => "an unknown file is returned as an empty file",
        reply |r: &mut Answer<Rejected>| r.accept(&storage::UNKNOWN, NOTHING);
    storage::UNKNOWN_RAW => "an unknown raw file is returned as an empty file",
        reply |r: &mut Answer<Rejected>| r.accept(&storage::UNKNOWN_RAW, NOTHING);

    info::PUBLIC => "the public information is an HTML page", reply |r: &mut Answer<Information>| {
        r.body = Body::Typed("text/html", format!("<p>{}</p>", r.about.version).into());
    };
    aggregates::OWNER => "a stranger writes for another address", guard;
    aggregates::DELEGATE => "only the owner writes, whatever `security` lists", guard;
    aggregates::DELEGATE_LIMITS => "a listed signer writes anything", guard;
    aggregates::DELEGATE_REVOKED => "a signer keeps the authority that `security` no longer gives", guard;
    aggregates::CREATED => "the status of a write is `accepted`",
        reply |r: &mut Answer<Accepted>| r.change(&aggregates::CREATED, "status", json!("accepted"));
    aggregates::CREATED, "hash" => "the hash of a write is empty",
        reply |r: &mut Answer<Accepted>| r.change(&aggregates::CREATED, "item_hash", json!(""));
    aggregates::CREATE_KEY => "a write without a key is accepted", guard;
    aggregates::CREATE_ADDRESS => "an owner that is not a string is ignored", guard;
    aggregates::CREATE_CONTENT => "a write without content is accepted", guard;
    aggregates::KEY => "an aggregate has another key", reply |r: &mut Answer<Record>| r["key"] = longer(&r["key"]);
    aggregates::ADDRESS => "an aggregate has another owner",
        reply |r: &mut Answer<Record>| r["address"] = json!(ZERO_ADDRESS);
    aggregates::CONTENT => "the last member of a nested object is missing", reply |r: &mut Answer<Record>| {
        let mut members = r["content"].as_object_mut().into_iter().flat_map(Map::values_mut);
        if let Some(nested) = members.find(|value| value.is_object()) {
            *nested = without_last(nested);
        }
    };
    aggregates::TIME => "the time of an aggregate is a string",
        reply |r: &mut Answer<Record>| r["time"] = as_text(&r["time"]);
    aggregates::TIME, "constant" => "the time of an aggregate is always the same",
        reply |r: &mut Answer<Record>| r["time"] = json!(1_700_000_000);
    aggregates::ITEM_HASH => "the hash of an aggregate is empty",
        reply |r: &mut Answer<Record>| r["item_hash"] = json!("");
    aggregates::PER_ADDRESS => "all addresses share one aggregate per key", step |s: &mut FindAggregate| {
        s.0 = |core, aggregates, address, key| match aggregates.latest_of(key) {
            Some(latest) => Ok(Record { address: address.to_owned(), ..latest.aggregate.record() }),
            None => documents::find(core, aggregates, address, key),
        };
    };
    aggregates::REWRITTEN => "a second write of a whole object changes nothing" at PROCESSING, step |s: &mut WriteAggregate| {
        s.0 = |core, before, writing, write| match before {
            Some(kept) if is_whole(&kept, write) => kept,
            before => writes::written(core, before, writing, write),
        };
    };
    aggregates::PARTIAL => "a write of some members is ignored", step |s: &mut WriteAggregate| {
        s.0 = |core, before, writing, write| match before {
            Some(kept) if !is_whole(&kept, write) => kept,
            before => writes::written(core, before, writing, write),
        };
    };
    aggregates::UNKNOWN => "an aggregate that was never written has content", step |s: &mut FindAggregate| {
        s.0 = |core, aggregates, address, key| {
            let found = documents::find(core, aggregates, address, key);
            found.or_else(|_| Ok(unwritten(core, address, key, &json!({ "default": true }))))
        };
    };
    aggregates::LISTED => "the array is named `items`",
        reply |r: &mut Answer<Listed>| r.rename_array(&aggregate::LIST, "items");
    aggregates::BY_ADDRESS => "the filter `address` is ignored",
        step |q: &mut AggregateQuery| q.filter.address = None;
    aggregates::BY_KEY => "the filter `key` is ignored",
        step |q: &mut AggregateQuery| q.filter.keys = q.params.list("keys");
    aggregates::BY_KEYS => "the filter `keys` is ignored", step |q: &mut AggregateQuery| {
        q.filter.keys = q.params.text("key").map(|key| vec![key.to_owned()]);
    };
    aggregates::FIELDS => "the filter `content.fields` is rejected", guard;
    aggregates::JSON => "the aggregates of an address are empty", step |found: &mut OfAddress| {
        found.0.iter_mut().for_each(|record| record.content = Map::new());
    };
    aggregates::JSON_KEYS => "`keys` is ignored for the aggregates of an address",
        step |q: &mut AddressQuery| q.filter.keys = None;
    aggregates::JSON_LIMIT => "`limit` is ignored for the aggregates of an address",
        step |q: &mut AddressQuery| q.limit = None;
    aggregates::JSON_UNKNOWN => "an address that wrote nothing has an aggregate", step |s: &mut FindOfAddress| {
        s.0 = |core, aggregates, query| {
            let found = documents::find_of_address(core, aggregates, query);
            let instead = |core: &Core| unwritten(core, &query.address, "default", &json!({ "default": true }));
            found.or_else(|_| Ok(vec![instead(core)]))
        };
    };

    programs::CREATED => "the status of a program is `accepted`",
        reply |r: &mut Answer<Accepted>| r.change(&programs::CREATED, "status", json!("accepted"));
    programs::CREATED, "hash" => "the hash of a program is empty",
        reply |r: &mut Answer<Accepted>| r.change(&programs::CREATED, "item_hash", json!(""));
    programs::RUNTIME => "a program without a runtime is accepted", guard;
    programs::MEMORY => "a program whose memory is not an integer is accepted", guard;
    programs::TIMEOUT => "a program whose timeout is not an integer is accepted", guard;
    envelope::SPELLING => "a body with white space is rejected", guard;
    programs::RUN => "a program that was accepted is not found", guard;
    programs::VARIABLES => "variables that are not strings are ignored", guard;
    programs::UNKNOWN => "a program that was never stored returns an empty result",
        reply |r: &mut Answer<Rejected>| r.accept(&programs::UNKNOWN, Body::Text(String::new()));

    instances::CREATED => "the status of a creation is `accepted`",
        reply |r: &mut Answer<Accepted>| r.change(&instances::CREATED, "status", json!("accepted"));
    instances::CREATED, "hash" => "the hash of a creation is empty",
        reply |r: &mut Answer<Accepted>| r.change(&instances::CREATED, "item_hash", json!(""));
    instances::CREATED_ID => "the returned identifier belongs to no instance", reply |r: &mut Answer<Accepted>| {
        let id = format!("{}-0", r["instance_id"].as_str().unwrap_or_default());
        r.change(&instances::CREATED, "instance_id", json!(id));
    };
    instances::CREATED_ID, "type" => "the identifier is a number",
        reply |r: &mut Answer<Accepted>| r.change(&instances::CREATED, "instance_id", json!(7));
    instances::CREATED_IPV6 => "the address is an IPv4 address",
        reply |r: &mut Answer<Accepted>| r.change(&instances::CREATED, "ipv6", json!("203.0.113.7"));
    instances::CREATE_NUMBERS => "numbers that are not integers are accepted", guard;
    instances::CREATE_TEXTS => "values that are not strings are accepted as strings", guard;
    instances::CREATE_FIREWALL => "ports that are not integers are accepted", guard;
    instances::ID => "an instance has another identifier",
        reply |r: &mut Answer<Shown>| r["instance_id"] = longer(&r["instance_id"]);
    instances::OWNER => "an instance has another owner",
        reply |r: &mut Answer<Shown>| r["owner"] = json!(ZERO_ADDRESS);
    instances::NAME => "an instance has another name", reply |r: &mut Answer<Shown>| {
        // What an update sets is the subject of another row.
        if r.about.changes == 0 {
            r["name"] = longer(&r["name"]);
        }
    };
    instances::DESCRIPTION => "an instance has another description", reply |r: &mut Answer<Shown>| {
        // What an update sets is the subject of another row.
        if r.about.changes == 0 {
            r["description"] = longer(&r["description"]);
        }
    };
    instances::CPU => "an instance has one CPU more",
        reply |r: &mut Answer<Shown>| r["cpu"] = json!(r.about.instance.cpu + 1);
    instances::MEMORY => "an instance has more memory",
        reply |r: &mut Answer<Shown>| r["memory"] = json!(r.about.instance.memory + 1);
    instances::DISK => "an instance has more disk",
        reply |r: &mut Answer<Shown>| r["disk"] = json!(r.about.instance.disk + 1);
    instances::IMAGE => "an instance has another image",
        reply |r: &mut Answer<Shown>| r["image"] = longer(&r["image"]);
    instances::IPV6 => "an instance has another address",
        reply |r: &mut Answer<Shown>| r["ipv6"] = json!("2001:db8::7");
    instances::STATUS => "the status is a number", reply |r: &mut Answer<Shown>| r["status"] = json!(1);
    instances::CREATED_AT => "`created_at` is in milliseconds",
        reply |r: &mut Answer<Shown>| r["created_at"] = json!(r.about.instance.created_at * 1000);
    instances::CREATED_AT, "constant" => "`created_at` is always the same time",
        reply |r: &mut Answer<Shown>| r["created_at"] = json!(1_700_000_000);
    instances::UPDATED_AT, "constant" => "`updated_at` is always the same time",
        reply |r: &mut Answer<Shown>| r["updated_at"] = json!(4_000_000_000_u32);
    instances::UPDATED_AT => "`updated_at` is before the creation",
        reply |r: &mut Answer<Shown>| r["updated_at"] = json!(r.about.instance.created_at - 60);
    instances::UNKNOWN => "an unknown instance is returned as stopped", step |s: &mut FindInstance| {
        s.0 = |core, instances, id| {
            let found = calls::find(core, instances, id);
            found.or_else(|_| Ok(Shown { instance: stopped(core, id), changes: 0 }))
        };
    };
    instances::LISTED => "the array is named `items`",
        reply |r: &mut Answer<Listed>| r.rename_array(&instance::LIST, "items");
    instances::BY_ADDRESS => "the filter `address` is ignored", step |f: &mut InstanceFilter| f.address = None;
    instances::BY_STATUS => "the filter `status` is ignored", step |f: &mut InstanceFilter| f.status = None;
    instances::UPDATED => "the status of an update is `accepted`",
        reply |r: &mut Answer<Accepted>| r.change(&instances::UPDATED, "status", json!("accepted"));
    instances::UPDATED, "hash" => "the hash of an update is empty",
        reply |r: &mut Answer<Accepted>| r.change(&instances::UPDATED, "item_hash", json!(""));
    instances::UPDATE_APPLIES => "an update changes nothing" at PROCESSING,
        step |u: &mut Update| (u.name, u.description) = (None, None);
    instances::UPDATE_APPLIES, "description" => "an update does not change the description" at PROCESSING,
        step |u: &mut Update| u.description = None;
    instances::UPDATE_APPLIES, "others" => "an update also changes the memory" at PROCESSING,
        step |c: &mut Changed| c.wanted.memory += 1;
    instances::UPDATE_UNKNOWN => "an update of an unknown instance is accepted", guard;
    instances::CONTROLLED => "the status of an action is `accepted`",
        reply |r: &mut Answer<Accepted>| r.change(&instances::CONTROLLED, "status", json!("accepted"));
    instances::CONTROLLED, "hash" => "the hash of an action is empty",
        reply |r: &mut Answer<Accepted>| r.change(&instances::CONTROLLED, "item_hash", json!(""));
    instances::CONTROLLED, "start" => "`start` is rejected", step |s: &mut AdmitControl| {
        s.0 = |core, call, control| admit_without(core, call, control, Action::Start);
    };
    instances::CONTROLLED, "stop" => "`stop` is rejected", step |s: &mut AdmitControl| {
        s.0 = |core, call, control| admit_without(core, call, control, Action::Stop);
    };
    instances::CONTROLLED, "restart" => "`restart` is rejected", step |s: &mut AdmitControl| {
        s.0 = |core, call, control| admit_without(core, call, control, Action::Restart);
    };
    instances::ACTION => "an unknown action is accepted", guard;
    instances::CONTROL_UNKNOWN => "an action on an unknown instance is accepted", guard;

    pins::PINNED => "the status of a pin is `accepted`",
        reply |r: &mut Answer<Accepted>| r.change(&pins::PINNED, "status", json!("accepted"));
    pins::PINNED, "hash" => "the hash of a pin is empty",
        reply |r: &mut Answer<Accepted>| r.change(&pins::PINNED, "item_hash", json!(""));
    pins::HASH_REQUIRED => "a pin without a hash is accepted", guard;
    pins::CONTENT => "pinned content has one byte more", step |d: &mut Download| d.change(&pin::READ, append_line);
    pins::CONTENT_TYPE => "the server sets its own content type on pinned content", step |d: &mut Download| {
        d.change(&pin::READ, |content| "application/x-content".clone_into(&mut content.content_type));
    };
    pins::UNKNOWN => "unknown content is returned as empty content",
        reply |r: &mut Answer<Rejected>| r.accept(&pins::UNKNOWN, NOTHING);

    indexer::EVENTS => "the array is named `logs`", reply |r: &mut Answer<Listed>| r.rename_array(&EVENTS, "logs");
    indexer::EVENT => "the block number of an event is a string",
        reply |r: &mut Answer<Listed>| {
            r.each(&EVENTS, |event| event["block_number"] = as_text(&event["block_number"]));
        };
    indexer::EVENT, "name" => "an event has no name",
        reply |r: &mut Answer<Listed>| r.each(&EVENTS, |event| event["event_name"] = Value::Null);
    indexer::ARGS => "large numbers are JSON numbers",
        reply |r: &mut Answer<Listed>| r.each(&EVENTS, |event| event["args"] = as_numbers(&event["args"]));
    indexer::ARGS, "text" => "the arguments are a string",
        reply |r: &mut Answer<Listed>| r.each(&EVENTS, |event| event["args"] = as_text(&event["args"]));
    indexer::CONTRACT => "the filter `contract` is ignored", step |f: &mut EventFilter| f.contract = None;
    indexer::EVENT_NAME => "the filter `event_name` is ignored", step |f: &mut EventFilter| f.event_name = None;
    indexer::EVENT_BLOCKS => "`from_block` and `to_block` are ignored for events",
        step |f: &mut EventFilter| f.blocks = Bounds::default();
    indexer::EVENT_BLOCKS, "from" => "`from_block` is ignored for events",
        step |f: &mut EventFilter| f.blocks.from = None;
    indexer::EVENT_BLOCKS, "to" => "`to_block` is ignored for events", step |f: &mut EventFilter| f.blocks.to = None;
    indexer::EVENT_TIMES => "`from_timestamp` and `to_timestamp` are ignored for events",
        step |f: &mut EventFilter| f.times = Bounds::default();
    indexer::EVENT_TIMES, "from" => "`from_timestamp` is ignored for events",
        step |f: &mut EventFilter| f.times.from = None;
    indexer::EVENT_TIMES, "to" => "`to_timestamp` is ignored for events",
        step |f: &mut EventFilter| f.times.to = None;
    indexer::TRANSACTIONS => "the array is named `txs`",
        reply |r: &mut Answer<Listed>| r.rename_array(&TRANSACTIONS, "txs");
    indexer::TRANSACTION => "the gas of a transaction is a string",
        reply |r: &mut Answer<Listed>| r.each(&TRANSACTIONS, |one| one["gas"] = as_text(&one["gas"]));
    indexer::TRANSACTION, "hash" => "a transaction has no hash",
        reply |r: &mut Answer<Listed>| r.each(&TRANSACTIONS, |one| one["hash"] = Value::Null);
    indexer::AMOUNTS => "the value of a transaction is a JSON number",
        reply |r: &mut Answer<Listed>| r.each(&TRANSACTIONS, |one| one["value"] = number(&one["value"]));
    indexer::AMOUNTS, "price" => "the gas price is a JSON number",
        reply |r: &mut Answer<Listed>| r.each(&TRANSACTIONS, |one| one["gas_price"] = number(&one["gas_price"]));
    indexer::ADDRESS => "the filter `address` is ignored", step |f: &mut TransactionFilter| f.address = None;
    indexer::SENT_OR_RECEIVED => "`address` selects only by sender",
        step |f: &mut TransactionFilter| f.from = f.address.take().or(f.from.take());
    indexer::FROM => "the filter `from` is ignored", step |f: &mut TransactionFilter| f.from = None;
    indexer::TO => "the filter `to` is ignored", step |f: &mut TransactionFilter| f.to = None;
    indexer::TRANSACTION_BLOCKS => "`from_block` and `to_block` are ignored for transactions",
        step |f: &mut TransactionFilter| f.blocks = Bounds::default();
    indexer::TRANSACTION_BLOCKS, "from" => "`from_block` is ignored for transactions",
        step |f: &mut TransactionFilter| f.blocks.from = None;
    indexer::TRANSACTION_BLOCKS, "to" => "`to_block` is ignored for transactions",
        step |f: &mut TransactionFilter| f.blocks.to = None;
    indexer::TRANSACTION_TIMES => "`from_timestamp` and `to_timestamp` are ignored for transactions",
        step |f: &mut TransactionFilter| f.times = Bounds::default();
    indexer::TRANSACTION_TIMES, "from" => "`from_timestamp` is ignored for transactions",
        step |f: &mut TransactionFilter| f.times.from = None;
    indexer::TRANSACTION_TIMES, "to" => "`to_timestamp` is ignored for transactions",
        step |f: &mut TransactionFilter| f.times.to = None;
    indexer::ALL_OF => "`to` is ignored beside `from`" at places::TRANSACTIONS, step |f: &mut TransactionFilter| {
        if f.from.is_some() {
            f.to = None;
        }
    };
    indexer::ALL_OF, "events" => "`event_name` is ignored beside `contract`" at places::EVENTS,
        step |f: &mut EventFilter| {
            if f.contract.is_some() {
                f.event_name = None;
            }
        };
    indexer::ALL_OF, "bounds" => "`to_timestamp` is ignored beside `from_block`" at places::TRANSACTIONS,
        step |f: &mut TransactionFilter| {
            if f.blocks.from.is_some() {
                f.times.to = None;
            }
        };
    indexer::INTEGERS => "a bound that is not an integer makes the server fail",
        reply |r: &mut Answer<Rejected>| r.change(&[&indexer::INTEGERS], 500);
    indexer::UNKNOWN_NETWORK => "a network that is not indexed returns the events of another",
        step |s: &mut FindChain| {
        s.0 = |core, state, network| {
            chains::chain(core, state, network).or_else(|_| chains::chain(core, state, NETWORKS[0]))
        };
    };

    vrf::SEED => "the returned seed is another", reply |r: &mut Answer<Random>| r.generated("seed", longer);
    vrf::SEED, "case" => "the returned seed is in lower case", reply |r: &mut Answer<Random>| {
        r.generated("seed", |seed| json!(seed.as_str().unwrap_or_default().to_lowercase()));
    };
    vrf::VALUE => "the value is a string",
        reply |r: &mut Answer<Random>| r.generated("value", as_text);
    vrf::RANGE => "the value is above its range",
        step |w: &mut Wanted| (w.min, w.max) = (w.max + 1, w.max + 1 + w.max - w.min);
    vrf::RANGE, "low" => "the value is below its range",
        step |w: &mut Wanted| (w.min, w.max) = (w.min - 1 - (w.max - w.min), w.min - 1);
    vrf::DRAWN => "every value is the minimum", step |w: &mut Wanted| w.max = w.min;
    vrf::PROOF => "the proof is empty", reply |r: &mut Answer<Random>| r.generated("proof", |_| json!(""));
    vrf::GENERATE_STATUS => "the status of a generation is `true`",
        reply |r: &mut Answer<Random>| r.generated("status", |_| json!(true));
    vrf::COUNT => "several values are returned as an array", reply |r: &mut Answer<Random>| {
        let several = match &r.about {
            Random::Generated(secret, wanted) if wanted.count > 1 => values(*secret, wanted),
            _ => return,
        };
        r["value"] = json!(several);
    };
    vrf::GENERATE_FIELDS => "missing or malformed members are replaced by defaults", guard;
    vrf::VERIFIES => "a matching proof is reported as not valid", step |s: &mut IsValid| s.0 = |_, _, _| Ok(false);
    vrf::VALID => "`valid` is a string", reply |r: &mut Answer<Random>| {
        if matches!(r.about, Random::Verified) {
            r["valid"] = as_text(&r["valid"]);
        }
    };
    vrf::VERIFY_STATUS => "the status of a verification is `true`", reply |r: &mut Answer<Random>| {
        if matches!(r.about, Random::Verified) {
            r["status"] = json!(true);
        }
    };
    vrf::VERIFY_FIELDS => "a verification reads values inside arrays", guard;
    vrf::OTHER_SEED => "the seed is not checked", step |s: &mut IsValid| {
        s.0 = |core, state, claim| {
            let is_drawn = |drawn: &Drawn| drawn.value == claim.value && drawn.proof == claim.proof;
            Ok(randoms::valid(core, state, claim)? || state.draws.latest().any(is_drawn))
        };
    };
    vrf::OTHER_VALUE => "the value is not checked", step |s: &mut IsValid| {
        s.0 = |core, state, claim| {
            let is_drawn = |drawn: &Drawn| drawn.seed == claim.seed && drawn.proof == claim.proof;
            Ok(randoms::valid(core, state, claim)? || state.draws.latest().any(is_drawn))
        };
    };
    vrf::OTHER_PROOF => "the proof is not checked", step |s: &mut IsValid| {
        s.0 = |core, state, claim| {
            let is_drawn = |drawn: &Drawn| drawn.seed == claim.seed && drawn.value == claim.value;
            Ok(randoms::valid(core, state, claim)? || state.draws.latest().any(is_drawn))
        };
    };

    webhooks::REGISTERED => "the status of a registration is `registered`",
        reply |r: &mut Answer<Accepted>| r.change(&webhooks::REGISTERED, "status", json!("registered"));
    webhooks::REGISTERED, "id" => "the identifier of a webhook is a number",
        reply |r: &mut Answer<Accepted>| r.change(&webhooks::REGISTERED, "webhook_id", json!(r.about.number));
    webhooks::EVENT_NAMES => "`program.executed` is rejected", step |s: &mut JudgeWebhook| {
        s.0 = |core, state, webhook| judge_without(core, state, webhook, PROGRAM_EXECUTED);
    };
    webhooks::EVENT_NAMES, "message" => "`message.new` is rejected", step |s: &mut JudgeWebhook| {
        s.0 = |core, state, webhook| judge_without(core, state, webhook, MESSAGE_NEW);
    };
    webhooks::URL => "a registration without a URL is accepted", guard;
    webhooks::EVENTS => "a registration without events is accepted", guard;
    webhooks::SECRET => "a registration without a secret is accepted", guard;

    info::PREFIX => "the API has another version in its path", step |path: &mut ApiPath| {
        path.0 = match path.0.strip_prefix("/api/v1") {
            Some(rest) => format!("{PREFIX}{rest}"),
            None if path.0.starts_with("/api/") => String::new(),
            None => std::mem::take(&mut path.0),
        };
    };
    info::MIRRORS => "the other API addresses return nothing", step |s: &mut Seen| {
        s.0 = |core, state, site| {
            if site == sites::PRIMARY { mirror::seen(core, state, site) } else { Replica::default() }
        };
    };

    store::STATUS => "the status of a processed STORE is `stored`", reply |r: &mut Answer<Wrapped>| {
        if r.is_store(Status::Processed) {
            r["status"] = json!("stored");
        }
    };
    store::PROCESSED => "a processed STORE names its file in another member", reply |r: &mut Answer<Wrapped>| {
        if r.is_store(Status::Processed) {
            r["message"]["content"] = renamed(&r["message"]["content"]);
        }
    };
    store::TYPE => "the message of an upload is a FILE", reply |r: &mut Answer<Wrapped>| {
        if r.about.message.kind == MessageType::Store {
            r["message"]["type"] = json!("FILE");
        }
    };
    store::FORGOTTEN => "a forgotten STORE is not found", guard;
    store::STRIPPED => "a forgotten STORE keeps its content", reply |r: &mut Answer<Wrapped>| {
        if r.about.status == Status::Forgotten {
            r["message"]["content"] = Value::Object(r.about.message.members());
        }
    };
    store::FORGOTTEN_BYTES => "forgotten files are still served", step |s: &mut ReleaseForgotten| s.0 = |_, _, _| ();
    store::REMOVING => "a STORE is removed as soon as its payer has no credits left" at REMOVAL, step |s: &mut BeginGrace| {
        s.0 = |core, state, number| removal::end_grace(core, state, number, core.now());
    };
    store::REMOVING, "incomplete" => "a STORE in `removing` has lost its content" at MESSAGE, reply |r: &mut Answer<Wrapped>| {
        if r.is_store(Status::Removing) {
            r["message"]["content"] = json!({});
        }
    };
    store::REMOVING, "bytes" => "a STORE in `removing` has lost its file" at FILES, step |s: &mut FindFile| {
        s.0 = |core, replica, hash, site| {
            files::find(core, replica, hash, site).filter(|_| !is_removing(&replica.store, hash))
        };
    };
    store::REMOVED => "a removed STORE is not found", guard;
    store::REMOVED, "moving" => "`removed_at` is the time of the request", step |s: &mut RemovedAt| s.at = s.now;
    store::REMOVED, "size" => "a removed STORE has no size",
        reply |r: &mut Answer<Reclaimed>| r["size"] = Value::Null;
    store::REMOVED, "reason" => "a removed STORE has no reason",
        reply |r: &mut Answer<Reclaimed>| r["reason"] = Value::Null;
    store::REMOVED_BYTES => "files of removed STOREs are still served",
        step |s: &mut ReleaseRemoved| s.0 = |_, _, _| ();
    store::REMOVED_ALONE => "the file of a removed STORE leaves although another STORE has its bytes",
        step |s: &mut ReleaseRemoved| {
            s.0 = |core, state, number| {
                let now = core.now();
                removal::release_for_all(core, state, number, Some(now));
            };
        };
    store::LAGGING => "a node that lacks a message reports it as pending", step |s: &mut Missing| {
        s.0 = |core, state, hash| pending(core, state, hash, &store::LAGGING);
    };

    forget::APPLIES => "only the first target is forgotten", step |targets: &mut Forgotten| targets.0.truncate(1);
    forget::ALL_OR_NOTHING => "known targets are forgotten although another is unknown",
        step |found: &mut Found| found.0.retain(|target| *target != Target::Missing);
    forget::REMOVING_TARGET => "a STORE in `removing` makes a batch fail", step |found: &mut Found| {
        for target in found.0.iter_mut().filter(|target| **target == Target::Store(Status::Removing)) {
            *target = Target::Missing;
        }
    };
    forget::REMOVED_FAILS => "known targets are forgotten although another is removed",
        step |found: &mut Found| found.0.retain(|target| *target != Target::Store(Status::Removed));
    forget::PENDING_FAILS => "known targets are forgotten although another is pending",
        step |found: &mut Found| found.0.retain(|target| *target != Target::Store(Status::Pending));
    forget::REJECTED_FAILS => "known targets are forgotten although another is rejected",
        step |found: &mut Found| found.0.retain(|target| *target != Target::Store(Status::Rejected));
    forget::RETRIED => "a FORGET that failed is not retried", step |retried: &mut Retried| retried.0 = Verdict::Retry;
    forget::FINALLY_REJECTED => "a FORGET is retried forever", limits |r: &mut ForgetRetries| r.0 = u32::MAX;
    forget::HASHES => "a FORGET without hashes is accepted", guard;
    forget::POSTS_REMAIN => "a POST is removed with the STORE that it names", step |s: &mut Forget| {
        s.0 = |core, state, number, targets| {
            forgets::apply(core, state, number, targets);
            forget_posts(state, number, targets);
        };
    };
    forget::EQUAL_BYTES => "every STORE of the same bytes is forgotten", step |s: &mut Forget| s.0 = forget_equal_bytes;
    forget::EQUAL_BYTES, "file" => "a file leaves although another STORE has its bytes", step |s: &mut ReleaseForgotten| {
        s.0 = |core, state, number| removal::release_for_all(core, state, number, None);
    };

    signing::GENERAL_TAKEN => "a general signature is rejected", guard;
    signing::RECORD_TAKEN => "the signature of a record is rejected", guard;
    signing::VERIFIED => "signatures are not checked", guard;

    errors::INTERNAL => "a failure of the node returns 400",
        reply |r: &mut Answer<Rejected>| r.change(&[&errors::INTERNAL], 400);
    errors::BODY => "error bodies are plain text",
        reply |r: &mut Answer<Rejected>| {
            r.spoil(|r| r.body = Body::Text(r["error"].as_str().unwrap_or_default().to_owned()));
        };
    errors::BODY, "status" => "the status in an error body is `failed`",
        reply |r: &mut Answer<Rejected>| r.spoil(|r| r["status"] = json!("failed"));
    errors::BODY, "code" => "the code in an error body is a number",
        reply |r: &mut Answer<Rejected>| r.spoil(|r| r["code"] = json!(r.status));
    errors::MEDIA_TYPE => "error bodies have the media type of a page",
        reply |r: &mut Answer<Rejected>| r.spoil(|r| {
            if let Body::Json(body) = &r.body {
                r.body = Body::Typed("text/html", body.to_string().into());
            }
        });
    errors::BAD_REQUEST => "a date that is not a number returns 422",
        reply |r: &mut Answer<Rejected>| r.change(&[&flat::START_DATE, &flat::END_DATE], 422);
    errors::NO_INTERNAL => "a hash with invalid characters makes the server fail", guard;
    errors::NOTHING_STORED => "a rejected message is stored anyway", step |s: &mut Take| {
        s.0 = |core, state, call, expected, admit| {
            let taken = create::take(core, state, call, expected, admit);
            if taken.is_err() {
                store_anyway(core, state, call, expected);
            }
            taken
        };
    };

    limits::GENERAL, "early" => "the limit for general requests is a fifth lower",
        limits |l: &mut Limits| l.general_per_window -= l.general_per_window.div_ceil(5);
    limits::GENERAL, "late" => "general requests have no limit",
        limits |l: &mut Limits| l.general_per_window = u32::MAX;
    limits::AUTHENTICATED, "early" => "the limit for authenticated requests is a fifth lower",
        limits |l: &mut Limits| l.authenticated_per_window -= l.authenticated_per_window.div_ceil(5);
    limits::AUTHENTICATED, "late" => "authenticated requests have no limit",
        limits |l: &mut Limits| l.authenticated_per_window = u32::MAX;
    limits::HEAVY, "early" => "the limit for program runs is a fifth lower",
        limits |l: &mut Limits| l.heavy_per_window -= l.heavy_per_window.div_ceil(5);
    limits::HEAVY, "late" => "program runs have no limit", limits |l: &mut Limits| l.heavy_per_window = u32::MAX;
    limits::RETRY_AFTER => "a 429 has no `Retry-After`",
        reply |r: &mut Answer<Rejected>| drop(r.headers.remove(RETRY_AFTER));
    limits::RETRY_AFTER, "early" => "`Retry-After` is a second, whatever is left of the window" at places::INFO,
        reply |r: &mut Answer<Rejected>| {
            if let Some(after) = r.headers.get_mut(RETRY_AFTER) {
                *after = http::HeaderValue::from_static("1");
            }
        };
    limits::RETRY_AFTER_WINDOW => "`Retry-After` is a day", reply |r: &mut Answer<Rejected>| {
        if let Some(after) = r.headers.get_mut(RETRY_AFTER) {
            *after = http::HeaderValue::from_static("86400");
        }
    };
    limits::MINUTE_PASSES => "the rate window lasts ten minutes",
        limits |l: &mut Limits| l.rate_window_ms = l.rate_window_ms.saturating_mul(10);
    limits::PER_ADDRESS => "all client addresses share one limit",
        step |c: &mut Counting| c.peer = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    limits::CLASSES => "the limit of a class is also that of the next higher one", step |s: &mut Reached| {
        s.0 = |core, rates, limits, class, peer| {
            let higher = match class {
                Rate::Heavy => Rate::General,
                Rate::General => Rate::Authenticated,
                Rate::Authenticated => return,
            };
            // A limit may be larger than what is kept.
            let _ = (0..10_000).find(|_| rates.count(core, limits, higher, peer).is_err());
        };
    };
};

/// An empty file.
const NOTHING: Body = Body::Typed(DEFAULT_CONTENT_TYPE, Cow::Borrowed(""));
