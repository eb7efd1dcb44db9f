//! The gateway's actions for the control API: servers come and go, the enclave boots, keys change.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::keys::KeyState;
use super::pool::CONFIDENTIAL;
use super::{State, health, stream};
use crate::core::Core;

/// The actions with their arguments.
pub(super) const ACTIONS: &[(&str, &str)] = &[
    (
        "server",
        "{site, listed?, up?}: a server joins or leaves the pool, or goes down or up; returns both states; a \
         server that has left still responds at its own site",
    ),
    ("reboot", "{}: the enclave boots with a new address and a new certificate; returns the address"),
    (
        "key",
        "{state, key?}: creates a key in a state (valid, revoked, exhausted) or changes a key's state; returns it",
    ),
    (
        "payments",
        "{on}: switches the payment-required flow on or off; returns a new payment, which pays for one request",
    ),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    site: String,
    listed: Option<bool>,
    up: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Key {
    state: KeyState,
    key: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Payments {
    on: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// Performs an action. If any part of it is impossible, nothing changes.
pub(super) fn perform(
    core: &mut Core,
    state: &mut State,
    action: &str,
    arguments: &Value,
) -> Result<Value, String> {
    match action {
        "server" => server(core, state, &read(action, arguments)?),
        "reboot" => {
            let none = json!({});
            let Nothing {} = read(action, if arguments.is_null() { &none } else { arguments })?;
            state.enclave.reboot();
            stream::server_gone(core, state, CONFIDENTIAL);
            Ok(state.enclave.view(core))
        }
        "key" => {
            let Key { state: wanted, key } = read(action, arguments)?;
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
            let Payments { on } = read(action, arguments)?;
            state.limits.payment_flow = u8::from(on);
            Ok(json!({ "on": on, "payment": state.payments.issue(core) }))
        }
        _ => {
            let known: Vec<&str> = ACTIONS.iter().map(|(name, _)| *name).collect();
            Err(format!("unknown action {action:.60?} of gateway; known: {known:?}"))
        }
    }
}

fn server(core: &mut Core, state: &mut State, change: &Change) -> Result<Value, String> {
    let number =
        state.pool.named(&change.site).ok_or_else(|| format!("unknown server {:.60?}", change.site))?;
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
    Ok(answer)
}

fn read<T: DeserializeOwned>(action: &str, arguments: &Value) -> Result<T, String> {
    serde_json::from_value(arguments.clone()).map_err(|e| format!("{action}: {e}"))
}
