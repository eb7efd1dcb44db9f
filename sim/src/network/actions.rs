//! The control actions of the network.

use assay_spec::network::machines::StoreState;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::measure::run;
use super::messages::{fill, payment, record, removal};
use super::neighbours::credit;
use super::nodes::change;
use super::state::State;
use super::storage::pins;
use crate::core::Core;

/// The actions and their arguments.
pub(super) const ACTIONS: &[(&str, &str)] = &[
    (
        "balance",
        "{address, credits}: sets the credits of an owner; each file costs one per hour; null is unlimited; files of \
         an owner who cannot pay become `removing` when the hour ends; enough credits for an hour bring them back",
    ),
    ("bill", "{}: ends the hour now: owners with a balance pay, or their files become `removing`"),
    (
        "reclaim",
        "{hash, at_once?}: the payer of this STORE has no credits left: it becomes `removing`, and `removed` after \
         the grace period or at once",
    ),
    ("lag", "{ms}: sets how far the mirror lags behind the primary"),
    (
        "fill",
        "{messages, addresses?}: stores this many POSTs from this many senders, with random signatures; returns the \
         first and the last sender and hash",
    ),
    ("message", "{hash}: returns what the primary knows about a message: number, type, status, file"),
    (
        "node",
        "{site, up?, slow_ms?, ipv6?, machine?, version?, url?, asn?, as_name?, features?}: changes a node; version \
         is `current`, `old` or another string; machine says whether the diagnostic machine runs",
    ),
    (
        "measure",
        "{on}: switches the hourly measurement program on or off; returns the publisher and the nodes",
    ),
    ("purchase", "{address, tokens}: buys credits; if the owner has a balance, it grows by that amount"),
    (
        "content",
        "{text, content_type?}: offers content that the network can fetch once it is pinned; returns its hash",
    ),
    (
        "webhook-inbox",
        "{webhook_id?}: returns the deliveries to webhooks, sent or under way: body, signature, attempts",
    ),
];

/// Performs an action.
pub(super) fn perform(
    core: &mut Core,
    state: &mut State,
    action: &str,
    arguments: &Value,
) -> Result<Value, String> {
    match action {
        "balance" => balance(core, state, read(action, arguments)?),
        "bill" => {
            let Nothing {} = read(action, arguments)?;
            payment::bill(core, state);
            Ok(json!({}))
        }
        "reclaim" => reclaim(core, state, &read(action, arguments)?),
        "lag" => lag(state, read(action, arguments)?),
        "fill" => fill::perform(core, state, read(action, arguments)?),
        "message" => message(core, state, &read(action, arguments)?),
        "content" => pins::put_elsewhere(core, state, read(action, arguments)?),
        "webhook-inbox" => Ok(state.webhooks.inbox(&read(action, arguments)?)),
        "node" => change::perform(state, read(action, arguments)?),
        "measure" => run::perform(core, state, read(action, arguments)?),
        "purchase" => credit::perform(core, state, read(action, arguments)?),
        _ => {
            let known: Vec<&str> = ACTIONS.iter().map(|(name, _)| *name).collect();
            Err(format!("network has no action {action:?}; known: {known:?}"))
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Balance {
    address: String,
    credits: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    hash: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reclaimed {
    hash: String,
    #[serde(default)]
    at_once: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lag {
    ms: i64,
}

/// Parses the arguments of an action.
fn read<T: DeserializeOwned>(action: &str, arguments: &Value) -> Result<T, String> {
    serde_json::from_value(arguments.clone()).map_err(|e| format!("{action}: {e}"))
}

fn balance(
    core: &mut Core,
    state: &mut State,
    Balance { address, credits }: Balance,
) -> Result<Value, String> {
    if credits.is_some_and(|credits| credits < 0) {
        return Err("credits is negative; it must be 0 or more".to_owned());
    }
    let owner = address.to_ascii_lowercase();
    payment::set_balance(core, state, &owner, credits);
    Ok(json!({ "address": owner, "credits": credits }))
}

fn reclaim(
    core: &mut Core,
    state: &mut State,
    Reclaimed { hash, at_once }: &Reclaimed,
) -> Result<Value, String> {
    let store = &state.primary.store;
    let number = store.find_text(hash).ok_or_else(|| format!("no message {hash:?}"))?;
    if store.life(number).is_none() || store.state(number) != StoreState::Processed {
        return Err(format!("{hash:?} is not a STORE with status `processed`"));
    }
    removal::run_out(core, state, number);
    if *at_once {
        removal::end_grace(core, state, number, core.now());
    }
    Ok(json!({ "status": record::status(state.primary.store.state(number)) }))
}

fn lag(state: &mut State, Lag { ms }: Lag) -> Result<Value, String> {
    if !(0..=366 * assay_spec::instant::DAY).contains(&ms) {
        return Err("ms must be between 0 and one year".to_owned());
    }
    state.limits.lag_ms = ms;
    Ok(json!({ "ms": ms }))
}

fn message(core: &mut Core, state: &State, Message { hash }: &Message) -> Result<Value, String> {
    let store = &state.primary.store;
    let number = store.find_text(hash).ok_or_else(|| format!("no message {hash:?}"))?;
    let stored = store.stored(number);
    let life = store.life(number);
    let file = life.and_then(|life| life.cid.as_ref()).and_then(|cid| store.files.find(cid));
    Ok(json!({
        "number": number,
        "item_hash": stored.hash().text(core),
        "type": stored.kind(),
        "status": record::status(stored.state()),
        "received": stored.received(),
        "owner": life.map(|life| &*life.owner),
        "removing_at": life.and_then(|life| life.removing_at),
        "removed_at": life.and_then(|life| life.removed_at),
        "forgotten_by": life.and_then(|life| life.forgotten_by).map(|by| by.text(core)),
        "file": life.and_then(|life| life.cid.as_deref()),
        "file_leaves": file.and_then(|file| file.leaves),
    }))
}
