//! What a create call changes: from an envelope to a stored message.

use assay_spec::network::content::Content;
use assay_spec::network::envelope::Envelope;
use assay_spec::network::message::{Message, MessageType};
use assay_spec::network::requirements::envelope::SIZE;
use assay_spec::network::requirements::errors::UNAUTHORIZED;
use assay_spec::network::signing;

use super::{effects, typed, validation};
use crate::core::Core;
use crate::network::call::Call;
use crate::network::hash::Hash;
use crate::network::state::State;
use crate::network::store::Number;
use crate::refusal::Refusal;
use crate::seam::steps;

/// A message that was accepted.
#[derive(Clone, Copy, Debug)]
pub(in crate::network) struct Created {
    /// Its number.
    pub(in crate::network) number: Number,
    /// Its hash.
    pub(in crate::network) hash: Hash,
}

impl Created {
    /// The message with that number.
    pub(in crate::network) fn find(state: &State, number: Number) -> Created {
        Created { number, hash: state.primary.store.stored(number).hash() }
    }
}

/// An endpoint's own conditions for a message.
pub(in crate::network) type Admit<'a> = dyn Fn(&mut Core, &Envelope, &Content) -> Result<(), Refusal> + 'a;

steps! {
    Take(state: &mut State, call: &Call<'_>, expected: Option<MessageType>, admit: &Admit<'_>) -> Result<Created, Refusal>
        = take;
}

/// Stores the message of a create call. `expected` is the type that the endpoint requires; `admit` checks the
/// endpoint's further conditions. A rejected message is not stored.
pub(in crate::network) fn take(
    core: &mut Core,
    state: &mut State,
    call: &Call<'_>,
    expected: Option<MessageType>,
    admit: &Admit<'_>,
) -> Result<Created, Refusal> {
    let (length, limit) = (call.body().len(), state.limits.message_bytes);
    core.require(&SIZE, length <= limit, || format!("{length} bytes"))?;
    let (dialect, now) = (core.dialect.clone(), core.now());
    let envelope = Envelope::parse(&dialect, call.body(), expected, now, core)?;
    let members = typed::read(core, envelope.kind, envelope.content.clone());
    let content = Content::parse(envelope.kind, &members, core)?;
    if envelope.signature.is_empty() {
        return Err(Refusal::new(&UNAUTHORIZED, "the signature is missing"));
    }
    signing::check(&envelope, core)?;
    effects::judge(core, state, &envelope, &content)?;
    admit(core, &envelope, &content)?;
    let number = store(core, state, &envelope.message())?;
    Ok(Created::find(state, number))
}

/// Stores a message unless it is already stored. Returns its number.
pub(in crate::network) fn store(
    core: &mut Core,
    state: &mut State,
    message: &Message,
) -> Result<Number, Refusal> {
    let known = Hash::parse(&message.item_hash).and_then(|hash| state.primary.store.find(hash));
    match known {
        Some(number) => Known::run(core, state, message, number),
        None => add(core, state, message),
    }
}

steps! {
    Known(state: &mut State, message: &Message, number: Number) -> Result<Number, Refusal> = known;
}

/// The number of a message that is already stored.
#[expect(clippy::unnecessary_wraps, reason = "what replaces this step may reject")]
pub(in crate::network) fn known(
    _: &mut Core,
    _: &mut State,
    _: &Message,
    number: Number,
) -> Result<Number, Refusal> {
    Ok(number)
}

/// Stores a new message.
pub(in crate::network) fn add(
    core: &mut Core,
    state: &mut State,
    message: &Message,
) -> Result<Number, Refusal> {
    let store = &state.primary.store;
    let fits = store.len() < state.limits.messages
        && store.bytes().saturating_add(message.content.len() as u64) <= state.limits.stored_bytes;
    core.require(&SIZE, fits, || "the network is full".to_owned())?;
    let number = state.primary.store.add(message, core.now());
    validation::accept(core, state, number);
    ByOthers::run(core, state, number);
    Ok(number)
}

steps! {
    ByOthers(state: &mut State, number: Number) = by_others;
}

/// By default no other client does anything when a message is stored.
fn by_others(_: &mut Core, _: &mut State, _: Number) {}
