//! What the control API can ask of the gateway: servers come and go, the enclave boots, keys change.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::keys::KeyState;
use super::payment::PAYMENT;
use super::pool::CONFIDENTIAL;
use super::{State, health, stream};
use crate::core::Core;

/// The actions, and what each takes.
pub(super) const ACTIONS: &[(&str, &str)] = &[
    (
        "server",
        "{site, listed?, up?}: a server joins or leaves the pool, goes down or comes up; answers both; one that has \
         left still answers at its own site",
    ),
    ("reboot", "{}: the enclave boots, at a fresh address and with a fresh certificate; answers it"),
    (
        "key",
        "{state, key?}: a new key in a state (valid, revoked, exhausted), or a key put into it; answers the key",
    ),
    ("payments", "{on}: switches the payment-required flow; answers a payment that it takes"),
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

/// Carries out an action. Nothing changes where something of it cannot be.
pub(super) fn perform(
    state: &mut State,
    core: &mut Core,
    action: &str,
    arguments: &Value,
) -> Result<Value, String> {
    match action {
        "server" => server(state, core, &read(action, arguments)?),
        "reboot" => {
            let none = json!({});
            let Nothing {} = read(action, if arguments.is_null() { &none } else { arguments })?;
            state.enclave.reboot();
            stream::server_gone(state, core, CONFIDENTIAL);
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
            Ok(json!({ "on": on, "payment": PAYMENT }))
        }
        _ => {
            let known: Vec<&str> = ACTIONS.iter().map(|(name, _)| *name).collect();
            Err(format!("the gateway has no action {action:.60?}; known: {known:?}"))
        }
    }
}

fn server(state: &mut State, core: &mut Core, change: &Change) -> Result<Value, String> {
    let number =
        state.pool.named(&change.site).ok_or_else(|| format!("no server is at {:.60?}", change.site))?;
    let server = state.pool.at_mut(number);
    if let Some(listed) = change.listed {
        server.left += u32::from(!listed);
        server.joined = listed;
    }
    let was_up = server.up;
    server.up = change.up.unwrap_or(was_up);
    let answer = json!({ "site": server.site.name, "listed": server.joined, "up": server.up });
    if was_up && !server.up {
        stream::server_gone(state, core, number);
    }
    health::wake(state, core);
    Ok(answer)
}

fn read<T: DeserializeOwned>(action: &str, arguments: &Value) -> Result<T, String> {
    serde_json::from_value(arguments.clone()).map_err(|e| format!("{action}: {e}"))
}
