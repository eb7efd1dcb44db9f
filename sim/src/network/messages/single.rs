//! One message: `POST /messages` and `GET /messages/{hash}`.

use assay_spec::network::message::{Message, MessageType};
use assay_spec::network::mistakes::errors::NO_INTERNAL;
use assay_spec::network::mistakes::messages::{FOUND, TYPE_FREE};
use assay_spec::network::mistakes::store::{FORGOTTEN, REMOVED};
use assay_spec::network::requirements::messages::{CONTENT, UNKNOWN};
use assay_spec::network::requirements::store::LAGGING;
use assay_spec::network::store::{Status, removed, stripped, wrapped};
use assay_spec::{Id, Instant};
use serde_json::Value;

use super::create::Take;
use super::record;
use crate::core::Core;
use crate::exchange::{Reply, Site};
use crate::network::call::Call;
use crate::network::state::State;
use crate::network::store::{Number, Store};
use crate::refusal::Refusal;
use crate::seam::{Answer, Body, steps};

/// One message, as the reply with its record knows it.
#[derive(Clone, Debug)]
pub(in crate::network) struct Wrapped {
    /// Its status.
    pub(in crate::network) status: Status,
    /// The message.
    pub(in crate::network) message: Message,
}

impl Answer<Wrapped> {
    /// Changes a member of the record, if the message is not a STORE.
    pub(in crate::network) fn record(&mut self, member: &str, edit: impl FnOnce(&Value) -> Value) {
        if self.about.message.kind != MessageType::Store {
            self["message"][member] = edit(&self["message"][member]);
        }
    }

    /// Whether it is a STORE with this status.
    pub(in crate::network) fn is_store(&self, status: Status) -> bool {
        self.about.message.kind == MessageType::Store && self.about.status == status
    }
}

/// How a message is at the node that a client reads from.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Standing {
    /// Its status.
    pub(in crate::network) status: Status,
    /// The site of the node.
    pub(in crate::network) site: Site,
    /// Its number.
    pub(in crate::network) number: Number,
    /// Whether it is on the channel of the hosting application's records.
    pub(in crate::network) is_on_records_channel: bool,
    /// How long the network has had it, in milliseconds.
    pub(in crate::network) age_ms: i64,
    /// The message.
    pub(in crate::network) message: Message,
}

/// When a STORE was reclaimed, as a response shows it.
#[derive(Clone, PartialEq)]
pub(in crate::network) struct RemovedAt {
    /// The shown time.
    pub(in crate::network) at: Instant,
    /// The time of the request.
    pub(in crate::network) now: Instant,
}

/// A STORE that was reclaimed, as the reply knows it.
#[derive(Clone, Debug)]
pub(in crate::network) struct Reclaimed {
    /// When.
    pub(in crate::network) removed_at: Instant,
    /// The size of its file, in bytes.
    pub(in crate::network) size: u64,
}

/// Accepts a message of any type.
pub(in crate::network) fn create(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let created =
        Take::run(core, state, call, None, &|core, envelope, _| Ok(core.accept(&TYPE_FREE, envelope.kind)?))?;
    Ok(created.reply(core, call, &[]))
}

/// Reads a message by its hash.
pub(in crate::network) fn read(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
) -> Result<Reply, Refusal> {
    let text = call.capture(0);
    core.accept(&NO_INTERNAL, text)?;
    let store = state.seen(core, call.site).store;
    let Some(number) = store.find_text(text) else { return Missing::run(core, state, text) };
    core.accept(&FOUND, (store.stored(number).kind(), text))?;
    let message = record::message(core, &state.limits, &store, number);
    let status = record::status(store.state(number));
    let is_on_records_channel = *message.channel == *core.dialect.records_channel;
    let age_ms = core.now() - store.stored(number).received();
    let standing = Standing { status, site: call.site, number, is_on_records_channel, age_ms, message };
    let Standing { status, message, .. } = core.step(standing);
    core.accept(&FORGOTTEN, (status, text))?;
    core.accept(&REMOVED, (status, text))?;
    Ok(match status {
        Status::Removed => reclaimed(core, &store, number, &message),
        Status::Forgotten => {
            let body = stripped(&message);
            core.reply(Answer::new(Wrapped { status, message }, 200, Body::Json(body)))
        }
        _ => {
            let mut body = wrapped(status, &message);
            core.keep_each(&CONTENT, &mut body["message"]["content"]);
            core.reply(Answer::new(Wrapped { status, message }, 200, Body::Json(body)))
        }
    })
}

steps! {
    Missing(state: &State, hash: &str) -> Result<Reply, Refusal> = missing;
}

/// The response when this node has no message with that hash.
pub(in crate::network) fn missing(_: &mut Core, state: &State, text: &str) -> Result<Reply, Refusal> {
    let is_elsewhere = state.primary.store.find_text(text).is_some();
    let rule: Id = if is_elsewhere { &LAGGING } else { &UNKNOWN };
    Err(Refusal::new(rule, format!("no message {text:.80}")))
}

/// The response for a STORE that was reclaimed.
fn reclaimed(core: &mut Core, store: &Store, number: Number, message: &Message) -> Reply {
    let life = store.life(number);
    let removed_at = life.and_then(|life| life.removed_at).unwrap_or(core.now());
    let removed_at = core.step(RemovedAt { at: removed_at, now: core.now() }).at;
    let size = life.map_or(0, |life| life.size);
    let body = removed(message, removed_at.seconds(), size, "balance");
    core.reply(Answer::new(Reclaimed { removed_at, size }, 200, Body::Json(body)))
}
