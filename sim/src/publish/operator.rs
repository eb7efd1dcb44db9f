//! Operator actions: the document shows no endpoint for them, so the control API offers them.

use assay_spec::crypto::ed25519;
use assay_spec::publish::domain;
use assay_spec::publish::machines::{BindingEvent, BindingState};
use assay_spec::publish::prepare::TxtObserved;
use serde_json::{Value, json};

use super::{Binding, Pending, State};
use crate::core::Core;
use crate::shape::{Action, arguments as parse, record};

/// The actions with their arguments.
pub(super) const ACTIONS: &[Action] = &[
    Action::taking::<Bind>("bind", "binds a domain to a key, with a pending transfer"),
    Action::taking::<Domain>("unbind", "removes a binding"),
    Action::taking::<Domain>("confirm-transfer", "an operator confirms the pending transfer"),
];

record! {
    struct Bind {
        /// The canonical domain.
        domain: String,
        /// The public key, in base58.
        key: String,
        /// Whether the domain can be published; true without it.
        publishable: bool = true,
        /// Whether the feature is on for the domain; true without it.
        feature: bool = true,
        /// A pending transfer.
        pending: Option<Incoming>,
    }
}

record! {
    /// A pending transfer.
    struct Incoming {
        /// The incoming key.
        key: String,
        /// The signature of the transfer's transaction.
        transfer: String,
    }
}

record! {
    struct Domain {
        /// The bound domain.
        domain: String,
    }
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
        _ => Err(format!("publish has no action {action:?}")),
    }
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
