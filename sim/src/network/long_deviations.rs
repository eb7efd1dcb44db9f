//! What deviations and variations of the network edit or replace, if it takes more than a line.

use std::sync::Arc;

use assay_spec::crypto::address::Address;
use assay_spec::crypto::secp256k1::key_from_secret;
use assay_spec::endpoint::Endpoint;
use assay_spec::network::aggregate::{Record, Write};
use assay_spec::network::content::Content;
use assay_spec::network::envelope::{Envelope, body, message_text};
use assay_spec::network::forget::Targets;
use assay_spec::network::instance::{Action, Control, Instance};
use assay_spec::network::machines::StoreState;
use assay_spec::network::message::MessageType;
use assay_spec::network::query::MessageFilter;
use assay_spec::network::requirements::{envelope, instances, webhooks};
use assay_spec::network::signing::sign_file;
use assay_spec::network::storage::DEFAULT_CONTENT_TYPE;
use assay_spec::network::webhook::Registration;
use assay_spec::{Id, Refused, Rules, Without};
use bytes::Bytes;
use serde_json::{Value, json};

use super::aggregates::kept::Kept;
use super::call::Call;
use super::instances::calls;
use super::measure::metrics as records;
use super::measure::record::Measured;
use super::messages::create::{self, Admit, Created};
use super::messages::listing::Total;
use super::messages::{forget, removal, single as handlers, typed};
use super::nodes::node::NodeKind;
use super::state::State;
use super::storage::files::{self, Content as FileContent};
use super::store::{Number, Store};
use super::webhooks::deliveries as hooks;
use crate::core::Core;
use crate::exchange::Reply;
use crate::form;
use crate::refusal::Refusal;

/// The zero address: no key has it.
pub(super) const ZERO_ADDRESS: &str = "0x0000000000000000000000000000000000000000";

/// Stores a message although its envelope breaks a rule. Nothing is left that a signature could cover.
pub(super) fn accept_malformed(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
    expected: Option<MessageType>,
    admit: &Admit<'_>,
    broken: Id,
) -> Result<Created, Refusal> {
    match create::take(core, state, call, expected, admit) {
        Err(refusal) if refusal.refused.rule == broken => {}
        other => return other,
    }
    let (dialect, now) = (core.dialect.clone(), core.now());
    let has_message = broken == &envelope::SIGNATURE || broken == &envelope::ADDRESS;
    let parsed = if has_message {
        let parsed = Envelope::parse(&dialect, call.body(), expected, now, &mut Without(broken))?;
        let members = typed::read(core, parsed.kind, parsed.content.clone());
        let content = Content::parse(parsed.kind, &members, core)?;
        admit(core, &parsed, &content)?;
        parsed
    } else {
        // A message without content has no effect.
        let kind = expected.unwrap_or(MessageType::Post).name();
        let empty = body(&message_text("ETH", None, kind, now.seconds(), &json!({}), None), "", "");
        Envelope::parse(&dialect, empty.as_bytes(), expected, now, &mut Without(&envelope::ADDRESS))?
    };
    let number = create::store(core, state, &parsed.message())?;
    Ok(Created::find(state, number))
}

/// Stores a message that was just rejected, as far as it can be parsed.
pub(super) fn store_anyway(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
    expected: Option<MessageType>,
) {
    let (dialect, now) = (core.dialect.clone(), core.now());
    let parsed = Envelope::parse(&dialect, call.body(), expected, now, &mut Lenient);
    let Some(parsed) = parsed.ok().filter(|parsed| !parsed.address.is_empty()) else { return };
    let mut message = parsed.message();
    message.kind = MessageType::Post;
    // A store that is full rejects the message; then nothing is stored.
    let _ = create::store(core, state, &message);
}

/// Rules that are all violated, except the one about size.
pub(super) struct Lenient;

impl Rules for Lenient {
    fn violated(&mut self, rule: Id) -> Option<&'static str> {
        (rule != &envelope::SIZE).then_some("")
    }
}

/// Reports an unknown message as pending, where the unknown message is rejected by `rule`.
pub(super) fn pending(core: &mut Core, state: &State, hash: &str, rule: Id) -> Result<Reply, Refusal> {
    match handlers::missing(core, state, hash) {
        Err(refusal) if refusal.refused.rule == rule => {
            let body = json!({ "status": "pending", "item_hash": hash, "message": null });
            Ok(core.json(200, body))
        }
        other => other,
    }
}

/// A list does not find the only message of an address.
pub(super) fn hide_only(total: &mut Total, endpoint: &Endpoint) {
    let of_one = total.filter.addresses.as_ref().is_some_and(|addresses| addresses.len() == 1);
    if std::ptr::eq(total.endpoint, endpoint) && of_one && total.count == 1 {
        total.count = 0;
    }
}

/// The parts of an upload, completed if a part is missing or empty.
pub(super) fn parts_with(core: &mut Core, call: &Call<'_>, name: &str) -> Result<Vec<form::Part>, Refused> {
    let parts = files::parts(core, call)?;
    let is_there = |part: &form::Part| part.name == name && (name == "file" || !part.bytes.is_empty());
    Ok(if parts.iter().any(is_there) { parts } else { completed(core, parts) })
}

/// The parts of an upload, with a file, and signed by an address of the simulator's own.
pub(super) fn completed(core: &Core, mut parts: Vec<form::Part>) -> Vec<form::Part> {
    let mut draws = (0..).map(|n| core.rng.draw("network.uploader", b"", n));
    let key = draws.find_map(|secret| key_from_secret(&secret)).expect("nearly every draw is a valid key");
    parts.retain(|part| !["address", "signature"].contains(&part.name.as_str()));
    if !parts.iter().any(|part| part.name == "file") {
        parts.insert(0, part("file", "no file"));
    }
    let file = parts.iter().find(|part| part.name == "file").map(|part| part.bytes.clone());
    let signature = sign_file(&key, &file.unwrap_or_default());
    parts.push(part("address", Address::from_key(&key).to_string()));
    parts.push(part("signature", signature));
    parts
}

/// A part; a file has the usual content type.
pub(super) fn part(name: &str, bytes: impl Into<Bytes>) -> form::Part {
    let content_type = (name == "file").then(|| DEFAULT_CONTENT_TYPE.to_owned());
    form::Part { name: name.to_owned(), file_name: None, content_type, bytes: bytes.into() }
}

/// Adds a byte to a file.
pub(super) fn append_line(content: &mut FileContent) {
    content.bytes = [&content.bytes[..], b"\n"].concat().into();
}

/// Leaves the first 262144 bytes.
pub(super) fn first_chunk(content: &mut FileContent) {
    let length = content.bytes.len().min(262_144);
    content.bytes.truncate(length);
}

/// Whether a hash names a message in `removing`, or its file.
pub(super) fn is_removing(store: &Store, hash: &str) -> bool {
    let number = store.find_text(hash);
    let owned = store.owners().flat_map(|owner| store.owned_by(owner));
    let mut lives = owned.filter_map(|number| Some((number, store.life(number)?)));
    lives.any(|(other, life)| {
        store.state(other) == StoreState::Removing
            && (number == Some(other) || life.cid.as_deref() == Some(hash))
    })
}

/// Removes the POSTs that name a forgotten STORE.
pub(super) fn forget_posts(state: &mut State, number: Number, Targets(hashes): &Targets) {
    let filter = MessageFilter {
        addresses: Some(vec![state.primary.store.sender(number).to_string()]),
        types: Some(vec![MessageType::Post.name().to_owned()]),
        ..MessageFilter::default()
    };
    let selection = state.primary.store.select(&filter);
    let mut posts = selection.at(0..selection.total());
    let names_one = |post: &Number| {
        let content = state.primary.store.stored(*post).content();
        hashes.iter().any(|hash| content.contains(hash.as_str()))
    };
    posts.retain(names_one);
    for post in posts {
        state.primary.store.set_state(post, StoreState::Forgotten);
    }
}

/// The message that an amend names, unless it is a record of the hosting application.
fn amended(core: &Core, state: &State, number: Number) -> Option<Number> {
    let store = &state.primary.store;
    let content: Value = serde_json::from_str(store.stored(number).content()).unwrap_or_default();
    let named = content["ref"].as_str().filter(|_| content["type"] == "amend")?;
    store.find_text(named).filter(|amended| *store.channel(*amended) != *core.dialect.records_channel)
}

/// Removes the message that an amend names.
pub(super) fn replace_amended(core: &mut Core, state: &mut State, number: Number) {
    if let Some(amended) = amended(core, state, number) {
        state.primary.store.set_state(amended, StoreState::Forgotten);
    }
}

/// Removes the messages of the sender of a FORGET that were amended.
pub(super) fn forget_amended(core: &mut Core, state: &mut State, number: Number) {
    let sender = state.primary.store.sender(number).to_string();
    let filter = MessageFilter { addresses: Some(vec![sender]), ..MessageFilter::default() };
    let selection = state.primary.store.select(&filter);
    for one in selection.at(0..selection.total()) {
        replace_amended(core, state, one);
    }
}

/// Forgets the targets, and every STORE whose file has the bytes of one of them.
pub(super) fn forget_equal_bytes(core: &mut Core, state: &mut State, number: Number, targets: &Targets) {
    let Targets(hashes) = targets;
    let store = &state.primary.store;
    let cid = |number: &Number| store.life(*number).and_then(|life| life.cid.clone());
    let cids: Vec<Arc<str>> =
        hashes.iter().filter_map(|hash| store.find_text(hash)).filter_map(|target| cid(&target)).collect();
    let types = Some(vec![MessageType::Store.name().to_owned()]);
    let selection = store.select(&MessageFilter { types, ..MessageFilter::default() });
    let mut equal = selection.at(0..selection.total());
    equal.retain(|other| cid(other).is_some_and(|cid| cids.contains(&cid)));
    let by = store.stored(number).hash();
    forget::apply(core, state, number, targets);
    let can_be_forgotten = [StoreState::Processed, StoreState::Removing];
    for other in equal {
        if can_be_forgotten.contains(&state.primary.store.state(other)) {
            removal::forgotten(core, state, other, by);
        }
    }
}

/// Whether a write names every member of an aggregate.
pub(super) fn is_whole(kept: &Kept, write: &Write) -> bool {
    kept.aggregate.record().content.keys().all(|name| write.content.contains_key(name))
}

/// An aggregate that was never written, with this content.
pub(super) fn unwritten(core: &Core, address: &str, key: &str, content: &Value) -> Record {
    Record {
        key: key.to_owned(),
        address: address.to_owned(),
        content: content.as_object().cloned().unwrap_or_default(),
        time: core.now().seconds(),
        item_hash: String::new(),
    }
}

/// A complete instance that never existed.
pub(super) fn stopped(core: &Core, id: &str) -> Instance {
    let now = core.now().seconds();
    Instance {
        instance_id: id.to_owned(),
        owner: ZERO_ADDRESS.to_owned(),
        name: String::new(),
        description: String::new(),
        cpu: 0,
        memory: 0,
        disk: 0,
        image: String::new(),
        ipv6: "::".to_owned(),
        status: "stopped",
        created_at: now,
        updated_at: now,
    }
}

/// Admits every action but one.
pub(super) fn admit_without(
    core: &mut Core,
    call: &Call<'_>,
    control: &Control,
    action: Action,
) -> Result<(), Refusal> {
    if control.action == action {
        return Err(Refusal::new(&instances::CONTROLLED, format!("{} is rejected", action.name())));
    }
    calls::admit_control(core, call, control)
}

/// Accepts registrations for every event but one.
pub(super) fn judge_without(
    core: &mut Core,
    state: &State,
    registration: &Registration,
    event: &str,
) -> Result<(), Refusal> {
    if registration.wants(event) {
        return Err(Refusal::new(&webhooks::EVENT_NAMES, format!("{event} is unknown")));
    }
    hooks::judge(core, state, registration)
}

/// The records of another node, if the node is of this kind.
pub(super) fn records_of_another(
    core: &mut Core,
    state: &State,
    kind: NodeKind,
    id: &str,
    deviating: NodeKind,
) -> Result<Vec<Arc<Measured>>, Refusal> {
    match state.nodes.find(kind, id) {
        Some(number) if kind == deviating => Ok(of_first(core, state, kind, Some(number))),
        _ => records::records(core, state, kind, id),
    }
}

/// The records of the first node of a kind that is not this one.
pub(super) fn of_first(
    core: &mut Core,
    state: &State,
    kind: NodeKind,
    but: Option<usize>,
) -> Vec<Arc<Measured>> {
    let mut others = (0..state.nodes.len()).filter(|other| state.nodes.at(*other).kind == kind);
    let first = others.find(|other| Some(*other) != but);
    first.map_or_else(Vec::new, |number| records::of_node(core, state, number))
}

pub(super) fn lower(text: &Value) -> Value {
    json!(text.as_str().unwrap_or_default().to_lowercase())
}

pub(super) fn longer(text: &Value) -> Value {
    json!(format!("{}-", text.as_str().unwrap_or_default()))
}

pub(super) fn reversed(text: &Value) -> Value {
    json!(text.as_str().unwrap_or_default().chars().rev().collect::<String>())
}

pub(super) fn as_text(value: &Value) -> Value {
    json!(value.to_string())
}

pub(super) fn negative(number: &Value) -> Value {
    json!(-1.0 - number.as_f64().unwrap_or_default())
}

/// The JSON number in a string.
pub(super) fn number(text: &Value) -> Value {
    json!(text.as_str().and_then(|text| text.parse::<f64>().ok()))
}

/// The arguments of an event with large numbers as JSON numbers.
pub(super) fn as_numbers(args: &Value) -> Value {
    let Some(members) = args.as_object() else { return args.clone() };
    let is_large = |value: &Value| value.as_str().is_some_and(|text| text.parse::<f64>().is_ok());
    let member = |(name, value): (&String, &Value)| {
        (name.clone(), if is_large(value) { number(value) } else { value.clone() })
    };
    Value::Object(members.iter().map(member).collect())
}

/// A content in which it and all values in it are changed.
pub(super) fn each_value(content: &Value, change: fn(&mut Value)) -> Value {
    let mut content = content.clone();
    change(&mut content);
    match &mut content {
        Value::Array(items) => items.iter_mut().for_each(|item| *item = each_value(item, change)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| *member = each_value(member, change));
        }
        _ => {}
    }
    content
}

/// Sorts the members of an object.
pub(super) fn sorted(value: &mut Value) {
    value.as_object_mut().into_iter().for_each(serde_json::Map::sort_keys);
}

/// Takes blanks from both ends of a string.
pub(super) fn trimmed(value: &mut Value) {
    if let Value::String(text) = value {
        *text = text.trim().to_owned();
    }
}

/// Leaves out null characters of a string.
pub(super) fn without_null(value: &mut Value) {
    if let Value::String(text) = value {
        text.retain(|c| c != '\0');
    }
}

/// Cuts off the fraction of a number.
pub(super) fn integers(value: &mut Value) {
    if let Some(whole) = value.as_f64().filter(|number| number.fract() != 0.0).map(f64::trunc) {
        *value = json!(whole);
    }
}

/// Composes a letter with its accent.
pub(super) fn composed(value: &mut Value) {
    if let Value::String(text) = value {
        *text = text.replace("e\u{301}", "\u{e9}");
    }
}

/// Makes an empty string null.
pub(super) fn without_empty(value: &mut Value) {
    if value == "" {
        *value = Value::Null;
    }
}

/// Replaces what some stores do not take in names.
pub(super) fn renamed_members(value: &mut Value) {
    if let Value::Object(members) = value {
        let named = std::mem::take(members).into_iter();
        *members = named.map(|(name, value)| (name.replace(['.', '$'], "_"), value)).collect();
    }
}

/// Cuts a long string.
pub(super) fn cut(value: &mut Value) {
    if let Value::String(text) = value {
        *text = text.chars().take(1_000).collect();
    }
}

/// An object without its last member.
pub(super) fn without_last(content: &Value) -> Value {
    let mut content = content.clone();
    if let Value::Object(members) = &mut content {
        let last = members.keys().next_back().cloned();
        last.and_then(|last| members.shift_remove(&last));
    }
    content
}

/// The content of a STORE, with its file in another member.
pub(super) fn renamed(content: &Value) -> Value {
    let Some(members) = content.as_object() else { return content.clone() };
    let member = |(name, value): (&String, &Value)| {
        (if name == "item_hash" { "cid".to_owned() } else { name.clone() }, value.clone())
    };
    Value::Object(members.iter().map(member).collect())
}

/// A time in seconds, a second later.
pub(super) fn later(seconds: &Value) -> Value {
    json!(seconds.as_i64().unwrap_or_default() + 1)
}

/// A duration in milliseconds.
pub(super) fn in_milliseconds(seconds: &Value) -> Value {
    json!(seconds.as_f64().unwrap_or_default() * 1000.0)
}
