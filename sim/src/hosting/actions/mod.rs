//! The control actions of the hosting application. An action returns before any request is sent; `records` shows later
//! what was written.

mod deployments;
mod machines;
mod projects;
mod users;

use serde_json::Value;

use super::{State, view};
use crate::core::Core;
use crate::shape::{Action, arguments as read, record};

/// The actions and their arguments.
pub(super) const ACTIONS: &[Action] = &[
    Action::taking::<users::Wallet>(
        "wallet",
        "adds a new user, or selects the user of this key; returns owner, wallet_key, session, session_key, \
         encryption_pubkey and delegate; actions without an owner use the latest",
    ),
    Action::taking::<projects::NewProject>(
        "project",
        "writes a new project, after `security` if it is the user's first; returns owner and project",
    ),
    Action::taking::<OfProject>(
        "deploy",
        "writes a creation with status queued; returns project and deployment",
    ),
    Action::taking::<deployments::Finished>(
        "finish",
        "outcome live stores the artifact and writes the terminal record; failed writes it at once; returns deployment",
    ),
    Action::taking::<projects::Edited>("edit", "changes the project and writes the map"),
    Action::taking::<projects::Deleted>(
        "delete",
        "writes the tombstone, then looks up every artifact of the project and forgets all that can be forgotten with one \
         FORGET",
    ),
    Action::taking::<OfProject>(
        "boot",
        "starts a machine for bundles: writes its INSTANCE and its claim; returns project and machine",
    ),
    Action::taking::<OfProject>("replace", "replaces the running machine by a new one with another key"),
    Action::taking::<OfProject>(
        "rival",
        "makes another machine claim the instance of the running one, at a later time",
    ),
    Action::taking::<deployments::Earlier>(
        "legacy",
        "writes a deployment of an earlier schema, half a year old; returns project and deployment",
    ),
    Action::taking::<users::Wallet>(
        "seed-history",
        "writes a complete history over the past hours for a new user: three projects (one on machines, one deleted), \
         deployments live and failed, an edit by the session key, claims, records of earlier schemas; returns owner, \
         wallet_key, projects and deployments; without a key it is written once and later calls return the same",
    ),
    Action::taking::<users::Long>(
        "history",
        "writes this many deployments for a new user, every tenth of an earlier schema; the artifacts of the others are \
         processed, removing, removed, forgotten and absent in turn; returns owner, wallet_key and the number of each",
    ),
    Action::taking::<OfOwner>(
        "records",
        "returns what was written for a user: hashes in order, each record, projects, deployments, machines, failures, \
         running jobs",
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
            let owner = users::new_owner(core, state, read(arguments)?)?;
            Ok(view::user_keys(core, state, &owner))
        }
        "project" => projects::create(core, state, read(arguments)?),
        "deploy" => deployments::create(core, state, &read(arguments)?),
        "finish" => deployments::finish(core, state, read(arguments)?),
        "edit" => projects::edit(core, state, read(arguments)?),
        "delete" => projects::delete(core, state, &read(arguments)?),
        "boot" => machines::boot(core, state, &read(arguments)?, false),
        "replace" => machines::boot(core, state, &read(arguments)?, true),
        "rival" => machines::rival(core, state, &read(arguments)?),
        "legacy" => deployments::legacy(core, state, &read(arguments)?),
        "seed-history" => users::seed_history(core, state, read(arguments)?),
        "history" => users::history(core, state, read(arguments)?),
        "records" => {
            let OfOwner { owner } = read(arguments)?;
            let owner = users::owner_of(state, owner.as_deref())?;
            Ok(view::records(core, state, &owner))
        }
        _ => Err(format!("hosting has no action {action:?}")),
    }
}

record! {
    struct OfOwner {
        /// The address of the user; the latest without it.
        owner: Option<String>,
    }
}

record! {
    struct OfProject {
        /// The id of the project.
        project: String,
    }
}

/// The longest string in an argument, in bytes.
const TEXT_BYTES: usize = 64 * 1024;

fn text(given: Option<String>, default: &str) -> Result<String, String> {
    let given = given.unwrap_or_else(|| default.to_owned());
    if given.len() > TEXT_BYTES {
        return Err(format!("a string is longer than {TEXT_BYTES} bytes"));
    }
    Ok(given)
}
