//! What the control API can ask of the application. An action answers before anything has left: `records` tells later
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

pub(super) use users::person;

/// The actions, and what each takes.
pub(super) const ACTIONS: &[(&str, &str)] = &[
    (
        "wallet",
        "{wallet_key?}: a new user, or the one of this key (0x and 64 digits); answers owner, wallet_key, session, \
         session_key, encryption_pubkey and delegate; actions that name no owner are about the latest user",
    ),
    (
        "project",
        "{owner?, target?, framework?, name?, signer?}: writes a new project, after `security` where it is the \
         first; target is ipfs or instance, signer wallet or session; answers owner and project",
    ),
    ("deploy", "{project}: writes a creation, queued; answers project and deployment"),
    (
        "finish",
        "{deployment, outcome, artifact?}: live stores the artifact, a text, and writes the terminal record; failed \
         writes it at once; answers deployment",
    ),
    ("edit", "{project, name?, framework?, signer?}: writes the map with the project changed"),
    (
        "delete",
        "{project, signer?}: writes the tombstone, then looks up every artifact of the project and has all that can \
         be forgotten forgotten by one FORGET",
    ),
    (
        "boot",
        "{project}: a virtual machine for bundles: its INSTANCE and its claim; answers project and machine",
    ),
    ("replace", "{project}: another machine with another key takes the place of the one that runs"),
    ("rival", "{project}: another machine claims the instance of the one that runs, later than that one"),
    (
        "legacy",
        "{project, schema?, envelope?, cid?}: a deployment of an earlier schema, 0 to 3, half a year old, in an \
         envelope of version 1 or 2; answers project and deployment",
    ),
    (
        "seed-history",
        "{wallet_key?}: a whole history in the past hours, for a new user: three projects, one of them on machines \
         and one deleted, deployments live and failed, an edit by the session key, claims, records of earlier \
         schemas; answers owner, wallet_key, projects and deployments; written once where it is given no key, and the same \
         answer from then on",
    ),
    (
        "history",
        "{deployments, wallet_key?}: so many deployments of a new user, every tenth of an earlier schema; the \
         artifacts of the others are found processed, removing, removed, forgotten and absent in turn; answers owner, \
         wallet_key and how many of each",
    ),
    (
        "records",
        "{owner?}: what was written for a user: hashes in their order, each record, projects, deployments, machines, \
         failures, jobs under way",
    ),
];

/// Carries out an action.
pub(super) fn perform(
    state: &mut State,
    core: &mut Core,
    action: &str,
    arguments: &Value,
) -> Result<Value, String> {
    match action {
        "wallet" => {
            let owner = users::new_owner(state, core, read(action, arguments)?)?;
            Ok(users::person(state, core, &owner))
        }
        "project" => projects::create(state, core, read(action, arguments)?),
        "deploy" => deployments::create(state, core, &read(action, arguments)?),
        "finish" => deployments::finish(state, core, read(action, arguments)?),
        "edit" => projects::edit(state, core, read(action, arguments)?),
        "delete" => projects::delete(state, core, &read(action, arguments)?),
        "boot" => machines::boot(state, core, &read(action, arguments)?, false),
        "replace" => machines::boot(state, core, &read(action, arguments)?, true),
        "rival" => machines::rival(state, core, &read(action, arguments)?),
        "legacy" => deployments::legacy(state, core, &read(action, arguments)?),
        "seed-history" => users::seed_history(state, core, read(action, arguments)?),
        "history" => users::history(state, core, read(action, arguments)?),
        "records" => {
            let OfOwner { owner } = read(action, arguments)?;
            let owner = users::owner_of(state, owner.as_deref())?;
            Ok(view::records(state, core, &owner))
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

/// The longest text of an argument, in bytes.
const TEXT_BYTES: usize = 64 * 1024;

fn read<T: DeserializeOwned>(action: &str, arguments: &Value) -> Result<T, String> {
    serde_json::from_value(arguments.clone()).map_err(|e| format!("{action}: {e}"))
}

fn text(given: Option<String>, default: &str) -> Result<String, String> {
    let given = given.unwrap_or_else(|| default.to_owned());
    if given.len() > TEXT_BYTES {
        return Err(format!("a text is longer than {TEXT_BYTES} bytes"));
    }
    Ok(given)
}

fn signer(given: Option<&str>) -> Result<Signer, String> {
    match given {
        None | Some("wallet") => Ok(Signer::Wallet),
        Some("session") => Ok(Signer::Session),
        Some(other) => Err(format!("signer is wallet or session, not {other:.40?}")),
    }
}
