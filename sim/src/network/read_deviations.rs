//! Deviations of what is read again: filters beside each other, long and binary files, records after their confirmation.

use assay_spec::Refused;
use assay_spec::instant::DAY;
use assay_spec::network::aggregate::{AggregateFilter, Record};
use assay_spec::network::instance::InstanceFilter;
use assay_spec::network::message::MessageType;
use assay_spec::network::paging::Page;
use assay_spec::network::params::Params;
use assay_spec::network::places::{AGGREGATES_OF, INSTANCES, LISTED, MESSAGE, MESSAGE_CREATION, PROCESSING};
use assay_spec::network::requirements::{
    aggregates, flat, instances, listing, messages, paging as pages, pins, storage, store,
};
use assay_spec::network::storage::{FILE, RAW};
use assay_spec::network::store::Status;
use assay_spec::network::{pin, query};
use serde_json::{Map, Value, json};

use super::aggregates::calls::{self as documents, FindAggregate, FindOfAddress, OfAddress};
use super::aggregates::writes::{self, WriteAggregate, Writing};
use super::instances::calls::{self, FindInstance, SelectInstances, Shown};
use super::instances::changes::Changed;
use super::long_deviations::{each_value, first_chunk, forget_amended, replace_amended, without_null};
use super::messages::create::ByOthers;
use super::messages::flat::FlatQuery;
use super::messages::forget::{self as forgets, Forget};
use super::messages::listing::ListQuery;
use super::messages::record::Strips;
use super::messages::single::{Standing, Wrapped};
use super::paging::{self, Listed, ReadPage};
use super::storage::files::{self, Download, Parts};
use crate::deviation::{Deviation, deviations};
use crate::seam::Answer;

/// A week in milliseconds.
const WEEK: i64 = 7 * DAY;

/// The deviations.
pub(super) const ALL: &[Deviation] = deviations! {
    messages::CONTENT, "null" => "null characters of the content are left out",
        reply |r: &mut Answer<Wrapped>| r.record("content", |content| each_value(content, without_null));
    messages::WRAPPER_STATUS => "the status of each processed message but a STORE is `success`", reply |r: &mut Answer<Wrapped>| {
        if r.about.status == Status::Processed && r.about.message.kind != MessageType::Store {
            r["status"] = json!("success");
        }
    };
    messages::UNCHANGED => "an amend replaces the message that it names" at MESSAGE_CREATION,
        step |s: &mut ByOthers| s.0 = replace_amended;
    messages::UNCHANGED, "late" => "after a week a message loses its content" at MESSAGE, step |s: &mut Standing| {
        if s.age_ms > WEEK && s.status == Status::Processed {
            s.message.content = "{}".into();
        }
    };
    messages::UNCHANGED, "forgotten" => "a FORGET takes amended messages of its sender along" at PROCESSING, step |s: &mut Forget| {
        s.0 = |core, state, number, targets| {
            forgets::apply(core, state, number, targets);
            forget_amended(core, state, number);
        };
    };
    aggregates::NAMES_WRITE => "an aggregate names another message", step |s: &mut WriteAggregate| {
        s.0 = |core, before, writing, write| {
            let item_hash = &"ab".repeat(32).into();
            writes::written(core, before, &Writing { item_hash, ..*writing }, write)
        };
    };
    aggregates::TIME, "moving" => "the time of an aggregate is that of the request", step |s: &mut FindAggregate| {
        s.0 = |core, aggregates, address, key| {
            let record = documents::find(core, aggregates, address, key)?;
            Ok(Record { time: core.now().seconds(), ..record })
        };
    };
    instances::UPDATED_AT, "stale" => "`updated_at` stays the time of the creation", reply |r: &mut Answer<Shown>| {
        r["updated_at"] = r["created_at"].clone();
    };
    messages::CONTENT, "rare" => "the content of messages of rare types is empty", reply |r: &mut Answer<Wrapped>| {
        if is_rare(&r["message"]) {
            r.record("content", |_| json!({}));
        }
    };
    listing::AS_SENT, "rare" => "a list shows messages of rare types without their content",
        reply |r: &mut Answer<Listed>| r.each(&query::LIST, without_rare_content);
    flat::AS_SENT, "rare" => "the flat list shows messages of rare types without their content",
        reply |r: &mut Answer<Listed>| r.each(&query::FLAT, without_rare_content);
    listing::AS_SENT, "duplicate" => "of two messages with the same content, a list shows one",
        reply |r: &mut Answer<Listed>| r.without_duplicates(&query::LIST);
    flat::AS_SENT, "duplicate" => "of two messages with the same content, the flat list shows one",
        reply |r: &mut Answer<Listed>| r.without_duplicates(&query::FLAT);
    flat::CONTENT_TYPES, "blank" => "a content type ends at its first blank", step |q: &mut FlatQuery| {
        q.filter.content_types.iter_mut().flatten().for_each(|kind| {
            kind.truncate(kind.find(' ').unwrap_or(kind.len()));
        });
    };
    listing::AS_SENT, "sender" => "a list shows messages of rare types under another sender",
        reply |r: &mut Answer<Listed>| r.each(&query::LIST, with_another_sender);
    flat::AS_SENT, "sender" => "the flat list shows messages of rare types under another sender",
        reply |r: &mut Answer<Listed>| r.each(&query::FLAT, with_another_sender);
    messages::SIGNATURE, "confirmed" => "a confirmed message has no signature", reply |r: &mut Answer<Wrapped>| {
        if !r.about.message.confirmations.is_empty() {
            r.record("signature", |_| json!(""));
        }
    };
    store::EMPTIED => "a forgotten STORE keeps its content but for `item_hash`" at MESSAGE, reply |r: &mut Answer<Wrapped>| {
        if r.about.status == Status::Forgotten {
            let mut content = r.about.message.members();
            content.shift_remove("item_hash");
            r["message"]["content"] = Value::Object(content);
        }
    };
    pages::MAXIMUM, "zero" => "a `limit` of 0 returns all", step |s: &mut ReadPage| {
        s.0 = |core, limits, params| match params.list("limit") {
            Some(limit) if limit == ["0"] => {
                paging::read(core, limits, &Params::default()).map(|page| Page { limit: u64::MAX, ..page })
            }
            _ => paging::read(core, limits, params),
        };
    };
    listing::ANY_OF, "types" => "of several types, only POST and AGGREGATE count", step |q: &mut ListQuery| {
        if let Some(types) = q.filter.types.as_mut().filter(|types| types.len() > 1) {
            types.retain(|kind| ["POST", "AGGREGATE"].contains(&kind.as_str()));
        }
    };
    listing::TYPES, "rare" => "`types` finds no IPFS_PIN", step |q: &mut ListQuery| {
        q.filter.types.iter_mut().for_each(|types| types.retain(|kind| kind != MessageType::IpfsPin.name()));
    };
    listing::FINDS, "confirmed" => "the only message of an address leaves its list when it is confirmed",
        reply |r: &mut Answer<Listed>| r.hide_alone(&query::LIST, is_confirmed);
    flat::FINDS, "confirmed" => "the only message of an address leaves its flat list when it is confirmed",
        reply |r: &mut Answer<Listed>| r.hide_alone(&query::FLAT, is_confirmed);
    listing::AS_SENT, "confirmed" => "a list shows confirmed messages without their signature",
        reply |r: &mut Answer<Listed>| r.each(&query::LIST, without_signature);
    flat::AS_SENT, "confirmed" => "the flat list shows confirmed messages without their signature",
        reply |r: &mut Answer<Listed>| r.each(&query::FLAT, without_signature);
    listing::AS_SENT, "confirmations" => "a list shows no confirmations",
        reply |r: &mut Answer<Listed>| r.each(&query::LIST, without_confirmations);
    flat::AS_SENT, "confirmations" => "the flat list shows no confirmations",
        reply |r: &mut Answer<Listed>| r.each(&query::FLAT, without_confirmations);
    listing::ANY_OF, "plus" => "a plus sign in `channels` is read as a blank", step |q: &mut ListQuery| {
        q.filter.channels.iter_mut().flatten().for_each(|channel| *channel = channel.replace('+', " "));
    };
    flat::ALL_OF, "plus" => "a plus sign in `channels` is read as a blank", step |q: &mut FlatQuery| {
        q.filter.channels.iter_mut().flatten().for_each(|channel| *channel = channel.replace('+', " "));
    };
    storage::FORMS => "an upload whose fields come before its file is rejected", step |s: &mut Parts| {
        s.0 = |core, call| match files::parts(core, call)? {
            parts if parts.first().is_some_and(|part| part.name == "file") => Ok(parts),
            _ => Err(Refused { rule: &storage::FORMS, why: "the form does not begin with the file".to_owned() }),
        };
    };
    flat::ALL_OF, "values" => "of several values, only the first counts", step |q: &mut FlatQuery| {
        for values in [&mut q.filter.addresses, &mut q.filter.channels].into_iter().flatten() {
            values.truncate(1);
        }
    };
    store::EMPTIED, "listed" => "lists show the content of a forgotten STORE" at LISTED,
        step |s: &mut Strips| s.0 = false;
    instances::UPDATE_APPLIES, "once" => "only the first update changes anything" at PROCESSING,
        step |c: &mut Changed| if c.changes > 0 {
            c.wanted = c.before.clone();
        };
    flat::ALL_OF => "`endDate` is ignored beside `startDate`", step |q: &mut FlatQuery| {
        if q.filter.start.is_some() {
            q.filter.end = None;
        }
    };
    flat::ALL_OF, "dates" => "the dates are ignored beside `channels` and `content_types`", step |q: &mut FlatQuery| {
        if q.filter.channels.is_some() && q.filter.content_types.is_some() {
            (q.filter.start, q.filter.end) = (None, None);
        }
    };
    flat::ALL_OF, "addresses" => "`addresses` is ignored beside the dates", step |q: &mut FlatQuery| {
        if q.filter.start.is_some() || q.filter.end.is_some() {
            q.filter.addresses = None;
        }
    };
    flat::ALL_OF, "amends" => "`content_types` finds no amends beside `addresses`", step |q: &mut FlatQuery| {
        if let Some(types) = q.filter.content_types.as_mut().filter(|_| q.filter.addresses.is_some()) {
            types.retain(|kind| kind != "amend");
        }
    };
    pages::PAGES, "default" => "without `limit`, the first page is returned", step |s: &mut ReadPage| {
        s.0 = |core, limits, params| {
            let mut page = paging::read(core, limits, params)?;
            if params.text("limit").is_none() {
                page.number = 1;
            }
            Ok(page)
        };
    };
    storage::CONTENT, "cut" => "only the first chunk of a file is returned",
        step |d: &mut Download| d.change(&FILE, first_chunk);
    storage::CONTENT, "text" => "a picture is read as a string", step |d: &mut Download| {
        d.change(&FILE, |content| {
            if content.content_type.starts_with("image/png") {
                content.bytes = String::from_utf8_lossy(&content.bytes).into_owned().into_bytes().into();
            }
        });
    };
    storage::RAW, "cut" => "only the first chunk of a raw file is returned",
        step |d: &mut Download| d.change(&RAW, first_chunk);
    pins::CONTENT, "cut" => "only the first chunk of pinned content is returned",
        step |d: &mut Download| d.change(&pin::READ, first_chunk);
    aggregates::KEY, "blanks" => "an aggregate whose key has a blank is not found", step |s: &mut FindAggregate| {
        s.0 = |core, aggregates, address, key| {
            let is_found = !key.contains(' ');
            documents::find(core, aggregates, address, if is_found { key } else { "" })
        };
    };
    aggregates::JSON, "few" => "at most five aggregates of an address are returned",
        step |found: &mut OfAddress| found.0.truncate(5);
    aggregates::REWRITTEN, "of-address" => "an aggregate that was written again is empty among those of its address"
        at AGGREGATES_OF, step |s: &mut FindOfAddress| {
            s.0 = |core, aggregates, query| {
                let again: Vec<String> = aggregates
                    .select(&AggregateFilter { address: Some(query.address.clone()), ..AggregateFilter::default() })
                    .into_iter()
                    .filter(|kept| kept.is_rewritten())
                    .map(|kept| kept.aggregate.record().key)
                    .collect();
                let mut found = documents::find_of_address(core, aggregates, query)?;
                for record in found.iter_mut().filter(|record| again.contains(&record.key)) {
                    record.content = Map::new();
                }
                Ok(found)
            };
        };
    instances::IPV6, "first" => "every instance is shown with the address of the first", step |s: &mut FindInstance| {
        s.0 = |core, instances, id| {
            let mut shown = calls::find(core, instances, id)?;
            shown.instance.ipv6 = instances.first_address().map_or(shown.instance.ipv6, |address| address.to_string());
            Ok(shown)
        };
    };
    instances::BY_STATUS, "address" => "`status` is ignored beside `address`", step |f: &mut InstanceFilter| {
        if f.address.is_some() {
            f.status = None;
        }
    };
    instances::BY_STATUS, "stopped" => "`status` finds no stopped instance", step |f: &mut InstanceFilter| {
        f.status.iter_mut().filter(|status| *status == "stopped").for_each(String::clear);
    };
    instances::UPDATE_APPLIES, "listed" => "lists show instances as they were created" at INSTANCES,
        step |s: &mut SelectInstances| {
            s.0 = |core, instances, filter| {
                let mut found = calls::select(core, instances, filter);
                for instance in &mut found {
                    if let Some(created) = instances.created_as(&instance.instance_id) {
                        instance.name.clone_from(&created.name);
                        instance.description.clone_from(&created.description);
                    }
                }
                found
            };
        };
    instances::UPDATE_APPLIES, "unlisted" => "lists show no instance that was updated" at INSTANCES,
        step |s: &mut SelectInstances| {
            s.0 = |core, instances, filter| {
                let mut found = calls::select(core, instances, filter);
                found.retain(|instance| !instances.is_updated(&instance.instance_id));
                found
            };
        };
};

/// Whether a record has a confirmation.
fn is_confirmed(record: &Value) -> bool {
    record["confirmations"].as_array().is_some_and(|all| !all.is_empty())
}

fn without_confirmations(record: &mut Value) {
    record["confirmations"] = json!([]);
}

/// Whether a record is of a type with an endpoint of its own, besides programs.
fn is_rare(record: &Value) -> bool {
    let common = ["POST", "AGGREGATE", "PROGRAM", "STORE", "FORGET"];
    record["type"].as_str().is_some_and(|kind| !common.contains(&kind))
}

fn without_rare_content(record: &mut Value) {
    if is_rare(record) {
        record["content"] = json!({});
    }
}

fn with_another_sender(record: &mut Value) {
    if is_rare(record) {
        record["sender"] = json!("0x000000000000000000000000000000000000dEaD");
    }
}

fn without_signature(record: &mut Value) {
    if is_confirmed(record) {
        record["signature"] = json!("");
    }
}
