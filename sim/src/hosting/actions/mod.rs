//! The control actions of the hosting application. An action returns before any request is sent; `records` shows later
//! what was written.

mod deployments;
mod machines;
mod projects;
mod users;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::step::Signer;
use super::{State, view};
use crate::core::Core;

/// The actions and their arguments.
pub(super) const ACTIONS: &[(&str, &str)] = &[
    (
        "wallet",
        "{wallet_key?}: adds a new user, or selects the user of this key (0x and 64 digits); returns owner, \
         wallet_key, session, session_key, encryption_pubkey and delegate; actions without an owner use the latest",
    ),
    (
        "project",
        "{owner?, target?, framework?, name?, signer?}: writes a new project, after `security` if it is the user's \
         first; target is ipfs or instance, signer is wallet or session; returns owner and project",
    ),
    ("deploy", "{project}: writes a creation with status queued; returns project and deployment"),
    (
        "finish",
        "{deployment, outcome, artifact?}: outcome live stores the artifact (a string) and writes the terminal \
         record; failed writes it at once; returns deployment",
    ),
    ("edit", "{project, name?, framework?, signer?}: changes the project and writes the map"),
    (
        "delete",
        "{project, signer?}: writes the tombstone, then looks up every artifact of the project and forgets all that \
         can be forgotten with one FORGET",
    ),
    (
        "boot",
        "{project}: starts a machine for bundles: writes its INSTANCE and its claim; returns project and machine",
    ),
    ("replace", "{project}: replaces the running machine by a new one with another key"),
    ("rival", "{project}: makes another machine claim the instance of the running one, at a later time"),
    (
        "legacy",
        "{project, schema?, envelope?, cid?}: writes a deployment of an earlier schema, 0 to 3, half a year old, in an \
         envelope of version 1 or 2; returns project and deployment",
    ),
    (
        "seed-history",
        "{wallet_key?}: writes a complete history over the past hours for a new user: three projects (one on machines, \
         one deleted), deployments live and failed, an edit by the session key, claims, records of earlier schemas; \
         returns owner, wallet_key, projects and deployments; without a key it is written once and later calls return \
         the same",
    ),
    (
        "history",
        "{deployments, wallet_key?}: writes this many deployments for a new user, every tenth of an earlier schema; \
         the artifacts of the others are processed, removing, removed, forgotten and absent in turn; returns owner, \
         wallet_key and the number of each",
    ),
    (
        "records",
        "{owner?}: returns what was written for a user: hashes in order, each record, projects, deployments, machines, \
         failures, running jobs",
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
        "wallet" => {
            let owner = users::new_owner(core, state, read(action, arguments)?)?;
            Ok(view::user_keys(core, state, &owner))
        }
        "project" => projects::create(core, state, read(action, arguments)?),
        "deploy" => deployments::create(core, state, &read(action, arguments)?),
        "finish" => deployments::finish(core, state, read(action, arguments)?),
        "edit" => projects::edit(core, state, read(action, arguments)?),
        "delete" => projects::delete(core, state, &read(action, arguments)?),
        "boot" => machines::boot(core, state, &read(action, arguments)?, false),
        "replace" => machines::boot(core, state, &read(action, arguments)?, true),
        "rival" => machines::rival(core, state, &read(action, arguments)?),
        "legacy" => deployments::legacy(core, state, &read(action, arguments)?),
        "seed-history" => users::seed_history(core, state, read(action, arguments)?),
        "history" => users::history(core, state, read(action, arguments)?),
        "records" => {
            let OfOwner { owner } = read(action, arguments)?;
            let owner = users::owner_of(state, owner.as_deref())?;
            Ok(view::records(core, state, &owner))
        }
        _ => {
            let known: Vec<&str> = ACTIONS.iter().map(|(name, _)| *name).collect();
            Err(format!("hosting has no action {action:?}; known: {known:?}"))
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfOwner {
    owner: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfProject {
    project: String,
}

/// The longest string in an argument, in bytes.
const TEXT_BYTES: usize = 64 * 1024;

fn read<T: DeserializeOwned>(action: &str, arguments: &Value) -> Result<T, String> {
    serde_json::from_value(arguments.clone()).map_err(|e| format!("{action}: {e}"))
}

fn text(given: Option<String>, default: &str) -> Result<String, String> {
    let given = given.unwrap_or_else(|| default.to_owned());
    if given.len() > TEXT_BYTES {
        return Err(format!("a string is longer than {TEXT_BYTES} bytes"));
    }
    Ok(given)
}

fn signer(given: Option<&str>) -> Result<Signer, String> {
    match given {
        None | Some("wallet") => Ok(Signer::Wallet),
        Some("session") => Ok(Signer::Session),
        Some(other) => Err(format!("signer must be wallet or session, not {other:.40?}")),
    }
}
