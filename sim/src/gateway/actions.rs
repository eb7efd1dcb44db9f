//! The gateway's actions for the control API: servers come and go, the enclave boots, keys change.

use serde_json::{Value, json};

use super::keys::KeyState;
use super::pool::CONFIDENTIAL;
use super::script::{self, Own, ServerName};
use super::{State, health, stream};
use crate::core::Core;
use crate::shape::{Action, Name, Nothing, arguments as read, record};

/// The actions with their arguments.
pub(super) const ACTIONS: &[Action] = &[
    Action::taking::<Change>(
        "server",
        "a server joins or leaves the pool, or goes down or up; returns both states; a server that has left still responds \
         at its own site",
    ),
    Action::taking::<Nothing>(
        "reboot",
        "the enclave boots with a new address and a new certificate; returns the address",
    ),
    Action::taking::<Key>("key", "creates a key in a state, or changes a key's state; returns it"),
    Action::taking::<Payments>(
        "payments",
        "switches the payment-required flow on or off; returns a new payment, which pays for one request",
    ),
    Action::taking::<Own>(
        "models",
        "sets models of the world's own, with the answers that they give to prompts; returns the ids of all models",
    ),
];

record! {
    struct Change {
        /// The site of the server.
        site: Name<ServerName>,
        /// Whether it belongs to the pool.
        listed: Option<bool>,
        /// Whether it runs.
        up: Option<bool>,
    }
}

record! {
    struct Key {
        /// The state of the key.
        state: KeyState,
        /// An existing key; without it, a new one.
        key: Option<String>,
    }
}

record! {
    struct Payments {
        /// Whether the flow is on.
        on: bool,
    }
}

/// Performs an action. If any part of it is impossible, nothing changes.
pub(super) fn perform(
    core: &mut Core,
    state: &mut State,
    action: &str,
    arguments: &Value,
) -> Result<Value, String> {
    match action {
        "server" => Ok(server(core, state, &read(arguments)?)),
        "reboot" => {
            let Nothing {} = read(arguments)?;
            state.enclave.reboot();
            stream::server_gone(core, state, CONFIDENTIAL);
            Ok(state.enclave.view(core))
        }
        "key" => {
            let Key { state: wanted, key } = read(arguments)?;
            let limits = state.limits.clone();
            let key = match key {
                Some(key) => {
                    state.keys.change(&limits, &key, wanted)?;
                    key
                }
                None => state.keys.make(core, &limits, wanted),
            };
            Ok(json!({ "key": key, "state": wanted }))
        }
        "payments" => {
            let Payments { on } = read(arguments)?;
            state.limits.payment_flow = u8::from(on);
            Ok(json!({ "on": on, "payment": state.payments.issue(core) }))
        }
        "models" => script::set(state, read(arguments)?),
        _ => Err(format!("gateway has no action {action:?}")),
    }
}

fn server(core: &mut Core, state: &mut State, change: &Change) -> Value {
    let number = state.pool.named(change.site.0).expect("each of these sites has a server");
    let server = state.pool.at_mut(number);
    if let Some(listed) = change.listed {
        server.left += u32::from(!listed);
        server.joined = listed;
    }
    let was_up = server.up;
    server.up = change.up.unwrap_or(was_up);
    let answer = json!({ "site": server.site.name, "listed": server.joined, "up": server.up });
    if was_up && !server.up {
        stream::server_gone(core, state, number);
    }
    health::wake(core, state);
    answer
}
