//! What the document leaves open, varied. Each entry has its code at one seam.

use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::key_from_secret;
use assay_spec::crypto::text::sha256_hex;
use assay_spec::network::aggregate::Aggregate;
use assay_spec::network::envelope::{self, Envelope, message_text};
use assay_spec::network::error::ErrorBody;
use assay_spec::network::indexer::{EVENTS, TRANSACTIONS};
use assay_spec::network::instance::Instance;
use assay_spec::network::limits::Rate;
use assay_spec::network::machines::StoreState;
use assay_spec::network::message::{Message, MessageType};
use assay_spec::network::params::Params;
use assay_spec::network::query;
use assay_spec::network::requirements::envelope::{ADDRESS, TYPE_OF_ENDPOINT};
use assay_spec::network::requirements::indexer::INTEGERS;
use assay_spec::network::requirements::instances::{CONTROL_UNKNOWN, CREATED, UPDATE_UNKNOWN};
use assay_spec::network::requirements::vrf::OTHER_PROOF;
use assay_spec::network::requirements::webhooks::REGISTERED;
use assay_spec::network::requirements::{aggregates as documents, errors, paging as pages, pins as rows};
use assay_spec::network::requirements::{signing as signatures, storage};
use assay_spec::network::signing::{self, sign_record};
use assay_spec::network::store::Status;
use assay_spec::shape::ShapeKind;
use assay_spec::{Id, Strict};
use serde_json::{Value, json};

use super::aggregates::calls::{self as aggregates, FindAggregate, FindOfAddress, OfAddress};
use super::aggregates::kept::Kept;
use super::aggregates::writes::{self, WriteAggregate};
use super::call::Call;
use super::hash::{Hash, HashText};
use super::indexer::chain::Chain;
use super::indexer::lists::{self as indexer, FindChain, IndexerQuery};
use super::instances::changes::Controlled;
use super::instances::machines::InstanceId;
use super::limits::Limits;
use super::long_deviations::{Lenient, unwritten};
use super::measure::metrics::{self, FindRecords, NodeRecords};
use super::measure::publish::Hourly;
use super::messages::create::{self, ByOthers, Created, Known, Take};
use super::messages::flat::FlatQuery;
use super::messages::listing::{ListQuery, Shown};
use super::messages::record::Blocks;
use super::messages::reply::Accepted;
use super::messages::single::{Reclaimed, Standing, Wrapped};
use super::messages::typed::{self, Sent};
use super::messages::validation::{self, Processing};
use super::neighbours::answer::Named;
use super::nodes::info::Information;
use super::paging::{self, Arrange, Listed, Order, Positions, ReadPage};
use super::programs::run::Ran;
use super::rates::Counting;
use super::refusal::Rejected;
use super::routing::CheckQuery;
use super::sites;
use super::state::State;
use super::storage::files::{FileName, Names};
use super::storage::pins::{self, FindContent};
use super::store::Number;
use super::vrf::calls::{self as vrf, DrawKey, IsValid, Random};
use super::webhooks::deliveries::DeliveryBody;
use crate::core::Core;
use crate::refusal::Refusal;
use crate::seam::{Answer, Body};
use crate::variation::{Variation, variations};
use crate::window::Window;

/// Every variation of the network.
pub(super) const ALL: &[Variation] = variations! {
    "network.status-201" => "a create call returns 201", reply |r: &mut Answer<Accepted>| r.status = 201;
    "network.status-202" => "a create call returns 202", reply |r: &mut Answer<Accepted>| r.status = 202;
    "network.hash-base58" => "message hashes are base58 multihashes",
        step |h: &mut HashText| h.text = h.hash.base58();
    "network.file-hash-hex" => "a file's hash is its SHA-256 in hex",
        step |s: &mut FileName| s.0 = |_, file| Ok(sha256_hex(file));
    "network.files-by-content" => "files are found only by the hash of their content",
        step |n: &mut Names| n.by_message = false;
    "network.files-by-message" => "files are found only by the hash of their message",
        step |n: &mut Names| n.by_content = false;
    "network.codes" => "error bodies have other values of `code`",
        reply |r: &mut Answer<Rejected>| r["code"] = json!(format!("E{}", r.status));
    "network.signature-400" => "a missing or wrong signature returns 400", reply |r: &mut Answer<Rejected>| {
        r.change(&[&errors::UNAUTHORIZED], 400);
        r.change(FORBIDDEN, 400);
    };
    "network.signature-401" => "a wrong signature returns 401",
        reply |r: &mut Answer<Rejected>| r.change(FORBIDDEN, 401);
    "network.confirmed" => "messages are confirmed at once, by two blocks", step |blocks: &mut Blocks| blocks.0 = 2;
    "network.unconfirmed" => "messages are never confirmed", step |blocks: &mut Blocks| blocks.0 = 0;
    "network.limit-400" => "a `limit` above 100 returns 400", step |s: &mut ReadPage| {
        s.0 = |core, limits, params| {
            let limit = params.text("limit").and_then(|limit| limit.parse::<u64>().ok());
            if limit.is_some_and(|limit| limit > core.limits(&limits.page_sizes()).maximum) {
                return Err(Refusal::new(&pages::MAXIMUM, "`limit` is above the maximum"));
            }
            paging::read(core, limits, params)
        };
    };
    "network.odd-pages" => "an invalid `page` or `limit` returns the first page", step |s: &mut ReadPage| {
        s.0 = |core, limits, params| match paging::read(core, limits, params) {
            Err(refusal) if refusal.refused.rule == &pages::ODD_VALUES => {
                paging::read(core, limits, &Params::default())
            }
            page => page,
        };
    };
    "network.past-end-404" => "a page after the last returns 404", step |s: &mut Positions| {
        s.0 = |core, page, total| {
            if total > 0 && page.skip() >= total {
                let why = format!("page {} of {total} elements", page.number);
                return Err(Refusal::new(&pages::PAST_END, why));
            }
            paging::positions(core, page, total)
        };
    };
    "network.empty-page" => "`total_pages` of an empty list is 1", reply |r: &mut Answer<Listed>| {
        if r["pagination"]["total"] == 0 {
            r.paginate("total_pages", |_, _| json!(1));
        }
    };
    "network.ascending" => "lists start with the oldest element",
        step |order: &mut Order| *order = Order::OldestFirst;
    "network.flat-array" => "the flat list is a bare array", reply |r: &mut Answer<Listed>| {
        if r.about.is_of(&query::FLAT) {
            r.body = Body::Json(r["messages"].take());
        }
    };
    "network.flat-data" => "the flat list is the member `data` of an object", reply |r: &mut Answer<Listed>| {
        if r.about.is_of(&query::FLAT) {
            r.body = Body::Json(json!({ "data": r["messages"].take() }));
        }
    };
    "network.flat-unpaged" => "the flat list is an object with one array and no pagination", reply |r: &mut Answer<Listed>| {
        if r.about.is_of(&query::FLAT) {
            r.body = Body::Json(json!({ "messages": r["messages"].take() }));
        }
    };
    "network.lists-live" => "lists show only messages that are `processed` or `removing`",
        step |s: &mut Shown| s.0 = &[Status::Processed, Status::Removing];
    "network.filters-passed-over" => "the filters `tags` and `content.keys` are ignored",
        step |q: &mut ListQuery| (q.filter.tags, q.filter.content_key) = (None, None);
    "network.edges" => "a message at `endDate` is listed; a message at `startDate` is not", step |q: &mut FlatQuery| {
        for date in [&mut q.filter.start, &mut q.filter.end].into_iter().flatten() {
            *date = date.saturating_add(1);
        }
    };
    "network.gone" => "a removed STORE returns 410", reply |r: &mut Answer<Reclaimed>| {
        (r.status, r.body) = (410, Body::Json(json!(ErrorBody::new(410, "removed"))));
    };
    "network.removed-nested" => "`removed_at`, `size` and `reason` of a removed STORE are in its message; the time is a string",
        reply |r: &mut Answer<Reclaimed>| {
            if let (200, Body::Json(body)) = (r.status, &mut r.body) {
                let Reclaimed { removed_at, size } = &r.about;
                *body = json!({
                    "status": body["status"],
                    "item_hash": body["item_hash"],
                    "message": {
                        "type": MessageType::Store, "removed_at": removed_at.to_string(), "size": size,
                        "reason": "balance",
                    },
                });
            }
        };
    "network.stripped-empty" => "the content of a forgotten STORE is an empty object",
        reply |r: &mut Answer<Wrapped>| {
            if r.about.status == Status::Forgotten {
                r["message"]["content"] = json!({});
            }
        };
    "network.rates-shared" => "general and authenticated requests are counted together, each class against its own limit",
        step |c: &mut Counting| {
            if c.class == Rate::Authenticated {
                c.class = Rate::General;
            }
        };
    "network.rates-fixed" => "rates are counted by the minute of the clock",
        step |c: &mut Counting| c.window = Window::Fixed;
    "network.rates-bucket" => "rates are limited by a bucket that is refilled steadily",
        step |c: &mut Counting| c.window = Window::Bucket;
    "network.rates-insistent" => "a request that is rejected for the limit of its class counts against it",
        step |c: &mut Counting| c.window = Window::Insistent;
    "network.info-list" => "a node's information is a list of names and values", reply |r: &mut Answer<Information>| {
        if let Body::Json(Value::Object(members)) = &r.body {
            let parts = members.iter().map(|(name, value)| json!({ "name": name, "value": value }));
            r.body = Body::Json(parts.collect());
        }
    };
    "network.metrics-object" => "the records of a node are the member `metrics` of an object",
        reply |r: &mut Answer<NodeRecords>| {
            if let Body::Json(records) = &mut r.body {
                *records = json!({ "metrics": records.take() });
            }
        };
    "network.metrics-unknown-empty" => "an unknown node returns an empty list instead of 404",
        step |s: &mut FindRecords| {
            s.0 = |core, state, kind, id| metrics::records(core, state, kind, id).or_else(|_| Ok(Vec::new()));
        };
    "network.metrics-newest-first" => "the records of a node start with the newest",
        reply |r: &mut Answer<NodeRecords>| {
            if let Body::Json(Value::Array(records)) = &mut r.body {
                records.reverse();
            }
        };
    "network.scoring-as-metrics" => "measurements are published under the content type that queries use",
        step |h: &mut Hourly| h.set("type", &json!(h.dialect.metrics_type));
    "network.scoring-exact" => "measurements are found only by the content type that they have",
        step |q: &mut FlatQuery| q.filter.content_types = q.params.list("content_types");
    "network.results-flat" => "the results of an hour are one array", step |h: &mut Hourly| {
        let records: Vec<Value> = h.results.iter().map(|measured| measured.record.written()).collect();
        h.set("content", &json!({ "results": records }));
    };
    "network.neighbours-bare" => "the lists of scheduler, status and credit API are bare arrays",
        reply |r: &mut Answer<Named>| {
            let name = r.about.0;
            r.body = Body::Json(r[name].take());
        };
    "network.aggregate-replaced" => "a write replaces the whole aggregate instead of single members",
        step |s: &mut WriteAggregate| {
            s.0 = |core, before, writing, write| {
                let Some(kept) = before else { return writes::written(core, None, writing, write) };
                let record = kept.aggregate.record();
                if (record.time, record.item_hash.as_str()) > (writing.time, &**writing.item_hash) {
                    return kept;
                }
                let aggregate = Aggregate::new(writing.owner, &write.key);
                writes::written(core, Some(Kept { aggregate, bytes: 0, ..kept }), writing, write)
            };
        };
    "network.aggregate-empty" => "an aggregate that was never written is returned as empty",
        step |s: &mut FindAggregate| {
            s.0 = |core, aggregates, address, key| {
                let found = aggregates::find(core, aggregates, address, key);
                found.or_else(|_| Ok(unwritten(core, address, key, &json!({}))))
            };
        };
    "network.aggregates-empty" => "an address that wrote nothing returns no aggregates instead of 404",
        step |s: &mut FindOfAddress| {
            s.0 = |core, aggregates, query| {
                aggregates::find_of_address(core, aggregates, query).or_else(|_| Ok(Vec::new()))
            };
        };
    "network.aggregates-list" => "the aggregates of an address are a list of records instead of an object by key",
        reply |r: &mut Answer<OfAddress>| {
            r.body = Body::Json(json!({ "aggregates": r.about.0 }));
        };
    "network.run-json" => "the result of a program is a member of a JSON object instead of the body",
        reply |r: &mut Answer<Ran>| {
            r.body = Body::Json(json!({ "result": r.about.0, "exit_code": 0 }));
        };
    "network.instance-statuses" => "the status of a running instance is `provisioning`",
        step |instance: &mut Instance| {
            if instance.status == "running" {
                instance.status = "provisioning";
            }
        };
    "network.ipv6-prefix" => "the address of an instance has a prefix length",
        step |instance: &mut Instance| instance.ipv6 = format!("{}/64", instance.ipv6);
    "network.instance-inert" => "control actions do not change the status",
        step |s: &mut Controlled| s.0 = |_, _, _| ();
    "network.instance-id-hash" => "the identifier of an instance is the hash of its message",
        step |id: &mut InstanceId| id.id.clone_from(&id.item_hash);
    "network.instance-unknown-400" => "an update of an unknown instance and an action on it return 400",
        reply |r: &mut Answer<Rejected>| r.change(UNKNOWN_INSTANCE, 400);
    "network.pinned-alone" => "only pinned content is served under /ipfs", step |s: &mut FindContent| {
        s.0 = |core, replica, hash, site| {
            if !replica.derived.pins.contains(hash) {
                return Err(Refusal::new(&rows::UNKNOWN, format!("{hash:.80} is not pinned")));
            }
            pins::find(core, replica, hash, site)
        };
    };
    "network.indexer-empty" => "a network that is not indexed returns empty lists", step |s: &mut FindChain| {
        s.0 = |core, state, network| indexer::chain(core, state, network).or_else(|_| Ok(Chain::default()));
    };
    "network.indexer-lower" => "addresses in indexed data are in lower case", reply |r: &mut Answer<Listed>| {
        r.each(&EVENTS, |event| lower(event, &["contract"]));
        r.each(&TRANSACTIONS, |transaction| lower(transaction, &["from", "to"]));
    };
    "network.vrf-refused" => "a verification that fails returns 400 instead of `valid` false",
        step |s: &mut IsValid| {
            s.0 = |core, state, claim| {
                let valid = Some(vrf::valid(core, state, claim)?).filter(|valid| *valid);
                valid.ok_or_else(|| Refusal::new(&OTHER_PROOF, "the proof does not match seed and value"))
            };
        };
    "network.vrf-fresh" => "a seed gives a new value each time", step |k: &mut DrawKey| k.key = k.drawn + 1;
    "network.vrf-status" => "the status of random numbers is `ok`",
        reply |r: &mut Answer<Random>| r["status"] = json!("ok");
    "network.webhook-item-hash" => "the response to a registration also contains `item_hash`",
        reply |r: &mut Answer<Accepted>| {
            let item_hash = json!(r.about.item_hash);
            r.change(&REGISTERED, "item_hash", item_hash);
        };
    "network.webhook-payload" => "webhook deliveries have another form", step |d: &mut DeliveryBody| {
        d.body = json!({ "type": d.payload.event, "payload": d.payload.data });
    };
    "network.again" => "the same message sent again is another message, with its own hash", step |s: &mut Known| {
        s.0 = |core, state, message, _| {
            let count = state.primary.store.len();
            let item_hash = sha256_hex(format!("{} {count}", message.item_hash).as_bytes()).into();
            create::add(core, state, &Message { item_hash, ..message.clone() })
        };
    };
    "network.shuffled" => "the elements of a page change their order", step |s: &mut Arrange| {
        s.0 = |core, items| {
            let mut items = paging::arrange(core, items);
            let draw = core.rng.draw("network.unstable", b"", core.current);
            for at in (1..items.len()).rev() {
                items.swap(at, draw[at % draw.len()] as usize % (at + 1));
            }
            items
        };
    };
    "network.types-later" => "a message with a value of a wrong type or without an address, or of another type than its endpoint's, is accepted, and rejected afterwards",
        step |s: &mut Take| {
            s.0 = |core, state, call, expected, admit| match create::take(core, state, call, expected, admit) {
                Err(refusal) if is_later(refusal.refused.rule) => {
                    reject_later(core, state, call, expected).ok_or(refusal)
                }
                taken => taken,
            };
        };
    "network.types-422" => "a value of a wrong type returns 422",
        reply |r: &mut Answer<Rejected>| r.change(typed::RULES, 422);
    "network.types-read" => "numbers are read as strings, and digits and fractions as integers",
        step |sent: &mut Sent| {
            for field in sent.fields {
                if let Some(value) = sent.members.get_mut(field.name) {
                    *value = as_type(field.kind, value.take());
                }
            }
        };
    "network.bounds-ignored" => "a bound of indexed data that is not an integer is ignored",
        step |q: &mut IndexerQuery| {
            let mut odd = vec!["from_block", "to_block", "from_timestamp", "to_timestamp"];
            odd.retain(|name| q.0.text(name).is_some_and(|bound| bound.parse::<i64>().is_err()));
            q.0 = std::mem::take(&mut q.0).without(&odd);
        };
    "network.instance-unknown-403" => "an update of an unknown instance and an action on it return 403",
        reply |r: &mut Answer<Rejected>| r.change(UNKNOWN_INSTANCE, 403);
    "network.ipv6-later" => "the response to a creation has a null `ipv6`; the instance has it",
        reply |r: &mut Answer<Accepted>| r.change(&CREATED, "ipv6", Value::Null);
    "network.open-422" => "a type of another endpoint, and a bound of indexed data that is not an integer, return 422",
        reply |r: &mut Answer<Rejected>| r.change(OPEN, 422);
    "network.aggregates-array" => "the aggregates of an address are a bare array of records",
        reply |r: &mut Answer<OfAddress>| r.body = Body::Json(json!(r.about.0));
    "network.processed-later" => "a message is validated 0.1 to 5 seconds after it was accepted",
        step |p: &mut Processing| p.ms = 100 + i64::from(p.draw) % 4_901;
    "network.node-lag" => "the nodes behind the public address lag by up to two seconds: a client may not read what it has written",
        limits |l: &mut Limits| l.node_lag_ms = 2_000;
    "network.strangers" => "a stranger posts the same document after each POST, with a later time",
        step |s: &mut ByOthers| s.0 = stranger;
    "network.removed-here" => "the public address shows every other STORE of the application as removed; its mirrors have it",
        step |s: &mut Standing| {
            let is_records = s.message.kind == MessageType::Store && s.is_on_records_channel;
            if s.site == sites::PRIMARY && is_records && s.status == Status::Processed && s.number % 2 == 0 {
                s.status = Status::Removed;
            }
        };
    "network.args-numbers" => "arguments of events contain numbers up to 2^53, with and without a fraction",
        reply |r: &mut Answer<Listed>| {
            r.each(&EVENTS, |event| {
                event["args"]["count"] = json!(9_007_199_254_740_992_u64);
                event["args"]["share"] = json!(0.25);
            });
        };
    "network.queries-ignored" => "a query that is not UTF-8 is ignored instead of rejected",
        step |s: &mut CheckQuery| s.0 = |_, _| Ok(());
};

/// The rules that reject with 403: the document names no cause for it.
const FORBIDDEN: &[Id] = &[&errors::FORBIDDEN, &documents::OWNER, &signatures::VERIFIED, &storage::SIGNATURE];
/// The rules about instances that do not exist.
const UNKNOWN_INSTANCE: &[Id] = &[&UPDATE_UNKNOWN, &CONTROL_UNKNOWN];

/// The rules about values that no sentence demands to be rejected with a certain status.
const OPEN: &[Id] = &[&TYPE_OF_ENDPOINT, &INTEGERS];

/// A stranger posts the document of another sender.
fn stranger(core: &mut Core, state: &mut State, number: Number) {
    let original = state.primary.store.message(number);
    if original.kind != MessageType::Post {
        return;
    }
    let seed = core.rng.draw("network.stranger", b"", u64::from(number) % 3);
    let Some(key) = key_from_secret(&seed) else { return };
    let mut content = Value::Object(original.members());
    if let Some(time) = content["time"].as_i64() {
        content["time"] = json!(time + 1);
    }
    let kind = original.kind.name();
    let text =
        message_text(&original.chain, Some(&original.channel), kind, original.timestamp, &content, None);
    let Ok(signature) = sign_record(&key, &text, &mut Strict) else { return };
    let body = envelope::body(&text, &signature, &Address::from_key(&key).to_string());
    let (dialect, now) = (core.dialect.clone(), core.now());
    let Ok(envelope) = Envelope::parse(&dialect, body.as_bytes(), None, now, &mut Lenient) else { return };
    let added = state.primary.store.add(&envelope.message(), now);
    validation::accept(core, state, added);
}

/// Whether a message that breaks a rule may be accepted, and rejected afterwards.
fn is_later(rule: Id) -> bool {
    typed::RULES.contains(&rule) || [&TYPE_OF_ENDPOINT, &ADDRESS].contains(&rule)
}

/// Stores a message that breaks a rule as rejected, if its signature is valid.
fn reject_later(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
    expected: Option<MessageType>,
) -> Option<Created> {
    let (dialect, now) = (core.dialect.clone(), core.now());
    let envelope = Envelope::parse(&dialect, call.body(), expected, now, &mut Lenient).ok()?;
    signing::check(&envelope, core).ok()?;
    let message = envelope.message();
    let known = Hash::parse(&message.item_hash).and_then(|hash| state.primary.store.find(hash));
    let number = known.unwrap_or_else(|| {
        let number = state.primary.store.add(&message, core.now());
        state.primary.store.set_state(number, StoreState::Rejected);
        number
    });
    Some(Created::find(state, number))
}

/// A value as the type that a table gives.
fn as_type(kind: ShapeKind, value: Value) -> Value {
    match (kind, value) {
        (ShapeKind::Text, Value::Number(number)) => json!(number.to_string()),
        (ShapeKind::Integer, Value::String(text)) => {
            text.parse::<i64>().map_or(json!(text), |number| json!(number))
        }
        (ShapeKind::Integer, Value::Number(number)) => {
            number.as_f64().filter(|_| number.is_f64()).map_or(json!(number), |number| json!(number as i64))
        }
        (ShapeKind::Array(inner), Value::Array(items)) => {
            items.into_iter().map(|item| as_type(*inner, item)).collect()
        }
        (ShapeKind::Map(inner), Value::Object(members)) => {
            Value::Object(members.into_iter().map(|(name, value)| (name, as_type(*inner, value))).collect())
        }
        (ShapeKind::Object(fields), Value::Object(mut members)) => {
            for field in fields {
                if let Some(value) = members.get_mut(field.name) {
                    *value = as_type(field.kind, value.take());
                }
            }
            Value::Object(members)
        }
        (_, value) => value,
    }
}

/// Sets members to lower case.
fn lower(shown: &mut Value, names: &[&str]) {
    for name in names {
        shown[*name] = json!(shown[*name].as_str().unwrap_or_default().to_lowercase());
    }
}
