//! Operator actions: the document shows no endpoint for them, so the control API offers them.

use assay_spec::crypto::ed25519;
use assay_spec::publish::domain;
use assay_spec::publish::machines::{BindingEvent, BindingState};
use assay_spec::publish::prepare::TxtObserved;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Binding, Pending, State};
use crate::core::Core;

/// The actions with their arguments.
pub(super) const ACTIONS: &[(&str, &str)] = &[
    (
        "bind",
        "{domain, key, publishable = true, feature = true, pending?: {key, transfer}}: binds a domain to a key, with a pending transfer",
    ),
    ("unbind", "{domain}: removes a binding"),
    ("confirm-transfer", "{domain}: an operator confirms the pending transfer"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bind {
    domain: String,
    key: String,
    #[serde(default = "yes")]
    publishable: bool,
    #[serde(default = "yes")]
    feature: bool,
    pending: Option<Incoming>,
}

/// A pending transfer: the incoming key, and the signature of the transfer's transaction.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Incoming {
    key: String,
    transfer: String,
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Domain {
    domain: String,
}

/// Performs an action.
pub(super) fn perform(
    core: &mut Core,
    state: &mut State,
    action: &str,
    arguments: &Value,
) -> Result<Value, String> {
    match action {
        "bind" => bind(core, state, parse(arguments)?),
        "unbind" => {
            let Domain { domain } = parse(arguments)?;
            let gone = state.bindings.remove(&domain).ok_or_else(|| format!("{domain} is not bound"))?;
            state.unbound.insert(domain, gone);
            Ok(json!({}))
        }
        "confirm-transfer" => {
            let Domain { domain } = parse(arguments)?;
            confirm(core, state, &domain)
        }
        _ => {
            let known: Vec<&str> = ACTIONS.iter().map(|(name, _)| *name).collect();
            Err(format!("unknown action {action:?} of publish; known: {known:?}"))
        }
    }
}

fn parse<T: for<'de> Deserialize<'de>>(arguments: &Value) -> Result<T, String> {
    T::deserialize(arguments).map_err(|e| e.to_string())
}

fn bind(core: &mut Core, state: &mut State, wanted: Bind) -> Result<Value, String> {
    let Bind { domain, key, publishable, feature, pending } = wanted;
    if !domain::is_canonical(&domain) {
        return Err(format!("{domain:?} is not a canonical domain"));
    }
    for key in std::iter::once(&key).chain(pending.as_ref().map(|pending| &pending.key)) {
        if ed25519::parse_address(key).is_none() {
            return Err(format!("{key:?} is not a base58 public key"));
        }
    }
    let txt = TxtObserved {
        vault: key.clone(),
        agreeing: 3,
        required: 2,
        reason: "agrees with the binding".to_owned(),
        at: core.now() - 90_000,
    };
    let fresh = Binding {
        key,
        state: if pending.is_some() { BindingState::Pending } else { BindingState::Bound },
        publishable,
        feature,
        pending: pending.map(|Incoming { key, transfer }| Pending { incoming_key: key, transfer }),
        txt: Some(txt),
        lock: None,
        publishes: std::collections::VecDeque::new(),
        prepared: 0,
    };
    // The domain's state outlives its binding: a new key must not free the lock or the day's count.
    let open = |id: &String| {
        use assay_spec::publish::machines::PrepareState::{InFlight, Prepared, Unresolved};
        state
            .prepares
            .get(id)
            .is_some_and(|prepare| matches!(prepare.state, Prepared | InFlight | Unresolved))
    };
    let binding = match state.bindings.get(&domain).or_else(|| state.unbound.get(&domain)) {
        Some(old) => Binding {
            lock: old.lock.clone().filter(open),
            publishes: old.publishes.clone(),
            prepared: old.prepared,
            ..fresh
        },
        None => fresh,
    };
    let view = view(&binding);
    state.unbound.remove(&domain);
    state.bindings.insert(domain, binding);
    Ok(view)
}

/// The document does not say what follows; here the incoming key becomes the bound key.
fn confirm(core: &mut Core, state: &mut State, domain: &str) -> Result<Value, String> {
    let binding = state.bindings.get_mut(domain).ok_or_else(|| format!("{domain} is not bound"))?;
    let (next, row) = binding
        .state
        .on(BindingEvent::Operator)
        .ok_or_else(|| format!("{domain} has no pending transfer"))?;
    if let Some(pending) = binding.pending.take() {
        binding.key = pending.incoming_key;
    }
    binding.state = next;
    core.fired(row);
    Ok(view(binding))
}

/// A binding, for display.
pub(super) fn view(binding: &Binding) -> Value {
    json!({
        "key": binding.key,
        "state": binding.state,
        "publishable": binding.publishable,
        "feature": binding.feature,
        "pending": binding.pending.as_ref().map(|pending| {
            json!({ "incoming_key": pending.incoming_key, "transfer": pending.transfer })
        }),
        "locked_by": binding.lock,
        "publishes_today": binding.publishes.len(),
    })
}
