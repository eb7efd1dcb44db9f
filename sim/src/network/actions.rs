//! The control actions of the network.

use assay_spec::network::machines::StoreState;
use serde_json::{Value, json};

use super::measure::run;
use super::messages::{fill, payment, record, removal};
use super::neighbours::credit;
use super::nodes::change;
use super::state::State;
use super::storage::pins;
use super::webhooks::inbox::Wanted as Inbox;
use crate::core::Core;
use crate::shape::{Action, Millis, Nothing, Whole, arguments as read, record};

/// The actions and their arguments.
pub(super) const ACTIONS: &[Action] = &[
    Action::taking::<Balance>(
        "balance",
        "sets the credits of an owner; each file costs one per hour; null is unlimited; files of an owner who cannot pay \
         become `removing` when the hour ends; enough credits for an hour bring them back",
    ),
    Action::taking::<Nothing>(
        "bill",
        "ends the hour now: owners with a balance pay, or their files become `removing`",
    ),
    Action::taking::<Reclaimed>(
        "reclaim",
        "the payer of this STORE has no credits left: it becomes `removing`, and `removed` after the grace period or at once",
    ),
    Action::taking::<Lag>("lag", "sets how far the mirror lags behind the primary"),
    Action::taking::<fill::Fill>(
        "fill",
        "stores this many POSTs from this many senders, with random signatures; returns the first and the last sender and hash",
    ),
    Action::taking::<Message>(
        "message",
        "returns what the primary knows about a message: number, type, status, file",
    ),
    Action::taking::<change::Change>("node", "changes a node; returns it"),
    Action::taking::<run::Switch>(
        "measure",
        "switches the hourly measurement program on or off; returns the publisher and the nodes",
    ),
    Action::taking::<credit::Wanted>(
        "purchase",
        "buys credits; if the owner has a balance, it grows by that amount",
    ),
    Action::taking::<pins::Content>(
        "content",
        "offers content that the network can fetch once it is pinned; returns its hash",
    ),
    Action::taking::<Inbox>(
        "webhook-inbox",
        "returns the deliveries to webhooks, sent or under way: body, signature, attempts",
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
        "balance" => Ok(balance(core, state, read(arguments)?)),
        "bill" => {
            let Nothing {} = read(arguments)?;
            payment::bill(core, state);
            Ok(json!({}))
        }
        "reclaim" => reclaim(core, state, &read(arguments)?),
        "lag" => Ok(lag(state, read(arguments)?)),
        "fill" => fill::perform(core, state, read(arguments)?),
        "message" => message(core, state, &read(arguments)?),
        "content" => pins::put_elsewhere(core, state, read(arguments)?),
        "webhook-inbox" => Ok(state.webhooks.inbox(&read(arguments)?)),
        "node" => change::perform(state, read(arguments)?),
        "measure" => run::perform(core, state, read(arguments)?),
        "purchase" => Ok(credit::perform(core, state, read(arguments)?)),
        _ => Err(format!("network has no action {action:?}")),
    }
}

record! {
    struct Balance {
        /// The owner's address.
        address: String,
        /// The credits; without a number, unlimited.
        credits: Option<Whole<0, { i64::MAX as u64 }>>,
    }
}

record! {
    struct Message {
        /// The hash of the message.
        hash: String,
    }
}

record! {
    struct Reclaimed {
        /// The hash of the STORE.
        hash: String,
        /// Whether the grace period is skipped.
        at_once: bool = false,
    }
}

record! {
    struct Lag {
        /// How far it lags.
        ms: Millis,
    }
}

fn balance(core: &mut Core, state: &mut State, Balance { address, credits }: Balance) -> Value {
    let credits = credits.map(|Whole(credits)| credits as i64);
    let owner = address.to_ascii_lowercase();
    payment::set_balance(core, state, &owner, credits);
    json!({ "address": owner, "credits": credits })
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

fn lag(state: &mut State, Lag { ms: Millis(ms) }: Lag) -> Value {
    state.limits.lag_ms = ms;
    json!({ "ms": ms })
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
