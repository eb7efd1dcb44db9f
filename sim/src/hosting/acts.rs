//! What the control API can ask of the application. An act answers before anything has left: `records` tells later
//! what was written.

use std::sync::Arc;

use assay_spec::crypto::text::parse_prefixed_hex;
use assay_spec::hosting::machines::{DeploymentEvent, ProjectEvent, ProjectState};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::keys::{self, Secret};
use super::people::Target;
use super::steps::{Signer, Step, begin};
use super::write::Outcome;
use super::{State, history, plan, story, view};
use crate::core::Core;

/// The acts, and what each takes.
pub(super) const ACTS: &[(&str, &str)] = &[
    (
        "wallet",
        "{wallet_key?}: a new user, or the one of this key (0x and 64 digits); answers owner, wallet_key, session, \
         session_key, encryption_pubkey and delegate; acts that name no owner are about the latest user",
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
        "story",
        "{wallet_key?}: a whole history in the past hours, for a new user: three projects, one of them on machines \
         and one deleted, deployments live and failed, an edit by the session key, claims, records of earlier \
         schemas; answers owner, wallet_key, projects and deployments; told once where it is given no key, and the same \
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

/// Carries out an act.
pub(super) fn act(state: &mut State, core: &mut Core, act: &str, arguments: &Value) -> Result<Value, String> {
    match act {
        "wallet" => {
            let owner = new_owner(state, core, read(act, arguments)?)?;
            Ok(person(state, core, &owner))
        }
        "project" => project(state, core, read(act, arguments)?),
        "deploy" => deploy(state, core, &read(act, arguments)?),
        "finish" => finish(state, core, read(act, arguments)?),
        "edit" => edit(state, core, read(act, arguments)?),
        "delete" => delete(state, core, &read(act, arguments)?),
        "boot" => boot(state, core, &read(act, arguments)?, false),
        "replace" => boot(state, core, &read(act, arguments)?, true),
        "rival" => rival(state, core, &read(act, arguments)?),
        "legacy" => legacy(state, core, &read(act, arguments)?),
        "story" => the_story(state, core, read(act, arguments)?),
        "history" => long_history(state, core, read(act, arguments)?),
        "records" => {
            let OfOwner { owner } = read(act, arguments)?;
            let owner = owner_of(state, owner.as_deref())?;
            Ok(view::records(state, core, &owner))
        }
        _ => {
            let known: Vec<&str> = ACTS.iter().map(|(name, _)| *name).collect();
            Err(format!("hosting has no act {act:?}; known: {known:?}"))
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wallet {
    wallet_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfOwner {
    owner: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewProject {
    owner: Option<String>,
    target: Option<String>,
    framework: Option<String>,
    name: Option<String>,
    signer: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfProject {
    project: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Deleted {
    project: String,
    signer: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Finished {
    deployment: String,
    outcome: String,
    artifact: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edited {
    project: String,
    name: Option<String>,
    framework: Option<String>,
    signer: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Earlier {
    project: String,
    schema: Option<u8>,
    envelope: Option<u8>,
    cid: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Long {
    deployments: u32,
    wallet_key: Option<String>,
}

/// The longest text of an argument, in bytes.
const TEXT_BYTES: usize = 64 * 1024;
/// Deployments of one history at most.
const HISTORY: u32 = 20_000;

fn read<T: DeserializeOwned>(act: &str, arguments: &Value) -> Result<T, String> {
    serde_json::from_value(arguments.clone()).map_err(|e| format!("{act}: {e}"))
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

/// What everybody may know of a user, and what only their own check needs: this world's wallets hold nothing.
pub(super) fn person(state: &State, core: &Core, owner: &str) -> Value {
    let Some(owner) = state.people.owner(owner) else { return Value::Null };
    json!({
        "owner": &*owner.address, "wallet_key": owner.wallet.reveal(),
        "session": owner.session.address(), "session_key": owner.session.reveal(),
        "encryption_pubkey": owner.encryption.public_text(), "delegate": keys::delegate(core).address(),
    })
}

fn new_owner(state: &mut State, core: &Core, Wallet { wallet_key }: Wallet) -> Result<Arc<str>, String> {
    let wallet = match wallet_key {
        None => None,
        Some(text) => {
            let bytes = parse_prefixed_hex(&text).and_then(|bytes| bytes.try_into().ok());
            Some(bytes.and_then(Secret::of).ok_or("wallet_key is 0x and 64 digits, a key of the curve")?)
        }
    };
    let known = wallet.as_ref().is_some_and(|wallet| state.people.owner(&wallet.address()).is_some());
    if state.people.owners.len() >= state.limits.owners && !known {
        return Err(format!("there are {} users already", state.limits.owners));
    }
    state.people.add_owner(core, wallet)
}

/// A user of whom nothing was written yet.
fn fresh_owner(state: &mut State, core: &Core, wallet: Wallet) -> Result<Arc<str>, String> {
    let owner = new_owner(state, core, wallet)?;
    let begun = state.people.owner(&owner).is_some_and(|owner| owner.last_s != i64::MIN);
    if begun { Err(format!("{owner} has a history already")) } else { Ok(owner) }
}

fn owner_of(state: &State, named: Option<&str>) -> Result<Arc<str>, String> {
    match named {
        None => state.people.latest.clone().ok_or_else(|| "there is no user yet".to_owned()),
        Some(address) => {
            let mut known = state.people.owners.keys();
            let found = known.find(|known| known.eq_ignore_ascii_case(address));
            found.cloned().ok_or_else(|| format!("no user {address:.80?}"))
        }
    }
}

/// The project's id and owner, where an event can happen to it now.
fn movable(state: &State, id: &str, event: ProjectEvent) -> Result<(Arc<str>, Arc<str>), String> {
    let project = state.people.project(id).ok_or_else(|| format!("no project {id:.80?}"))?;
    if project.state.on(event).is_none() {
        return Err(format!("the project is {}", project.state.name()));
    }
    if state.maps(&project.owner) {
        return Err("a map of projects is under way".to_owned());
    }
    Ok((project.id.clone(), project.owner.clone()))
}

/// The project's id and owner, where it stands.
fn active(state: &State, id: &str) -> Result<(Arc<str>, Arc<str>), String> {
    let project = state.people.project(id).ok_or_else(|| format!("no project {id:.80?}"))?;
    if project.state != ProjectState::Active {
        return Err(format!("the project is {}", project.state.name()));
    }
    if state.maps(&project.owner) {
        return Err("a map of projects is under way".to_owned());
    }
    Ok((project.id.clone(), project.owner.clone()))
}

fn project(state: &mut State, core: &mut Core, asked: NewProject) -> Result<Value, String> {
    let owner = owner_of(state, asked.owner.as_deref())?;
    let target = asked.target.as_deref().unwrap_or("ipfs");
    let target =
        Target::named(target).ok_or_else(|| format!("target is ipfs or instance, not {target:.40?}"))?;
    let signer = signer(asked.signer.as_deref())?;
    let (framework, name) = (text(asked.framework, "astro")?, text(asked.name, "My project")?);
    let known = state.people.owner(&owner).ok_or("there is no user yet")?;
    if state.maps(&owner) {
        return Err("a map of projects is under way".to_owned());
    }
    if known.projects.len() >= state.limits.projects {
        return Err(format!("the user has {} projects already", state.limits.projects));
    }
    let id = state.people.add_project(core, &owner, target, &framework, &name);
    let steps = plan::create_project(state, core, &owner, &id, signer);
    begin(state, core, owner.clone(), steps);
    Ok(json!({ "owner": &*owner, "project": &*id }))
}

fn deploy(state: &mut State, core: &mut Core, asked: &OfProject) -> Result<Value, String> {
    let (project, owner) = active(state, &asked.project)?;
    full(state)?;
    let id = state.people.add_deployment(core, &project, false);
    let steps = plan::deploy(&id);
    begin(state, core, owner, steps);
    Ok(json!({ "project": &*project, "deployment": &*id }))
}

fn full(state: &State) -> Result<(), String> {
    let full = state.people.deployments.len() >= state.limits.deployments;
    if full { Err(format!("there are {} deployments already", state.limits.deployments)) } else { Ok(()) }
}

fn finish(state: &mut State, core: &mut Core, asked: Finished) -> Result<Value, String> {
    let (outcome, event) = match asked.outcome.as_str() {
        "live" => (Outcome::Live, DeploymentEvent::Pinned),
        "failed" => (Outcome::Failed, DeploymentEvent::Fail),
        other => return Err(format!("outcome is live or failed, not {other:.40?}")),
    };
    let artifact = text(asked.artifact, "an artifact")?;
    let one = state.people.deployment(&asked.deployment);
    let one = one.ok_or_else(|| format!("no deployment {:.80?}", asked.deployment))?;
    if state.deploys(&one.id) {
        return Err("a record of the deployment is under way".to_owned());
    }
    if one.legacy || one.state.on(event).is_none() {
        return Err(format!("the deployment is {}", if one.legacy { "legacy" } else { one.state.name() }));
    }
    let id = one.id.clone();
    let (project, owner) = active(state, &one.project)?;
    let known = state.people.project(&project).ok_or("the project is gone")?;
    let machine = known.machine.as_deref().and_then(|machine| state.people.machine(machine));
    let claimed = machine.is_some_and(|machine| machine.claim.is_some());
    if outcome == Outcome::Live && known.target == Target::Machine && !claimed {
        return Err("no machine has claimed its key yet".to_owned());
    }
    let steps = plan::finish(&id, outcome, &artifact);
    begin(state, core, owner, steps);
    Ok(json!({ "deployment": &*id }))
}

fn edit(state: &mut State, core: &mut Core, asked: Edited) -> Result<Value, String> {
    let signer = signer(asked.signer.as_deref())?;
    let (id, owner) = movable(state, &asked.project, ProjectEvent::Edit)?;
    let (name, framework) = (text(asked.name, "")?, text(asked.framework, "")?);
    let steps = plan::edit(state, &id, (&name, &framework), signer);
    begin(state, core, owner, steps);
    Ok(json!({ "project": &*id }))
}

fn delete(state: &mut State, core: &mut Core, asked: &Deleted) -> Result<Value, String> {
    let signer = signer(asked.signer.as_deref())?;
    let (id, owner) = movable(state, &asked.project, ProjectEvent::Tombstone)?;
    let mut deployments =
        state.people.project(&id).into_iter().flat_map(|project| project.deployments.iter());
    if deployments.any(|id| state.deploys(id)) {
        return Err("a record of one of its deployments is under way".to_owned());
    }
    let steps = plan::delete(core, &id, signer);
    begin(state, core, owner, steps);
    Ok(json!({ "project": &*id }))
}

fn boot(state: &mut State, core: &mut Core, asked: &OfProject, replaces: bool) -> Result<Value, String> {
    let (project, owner) = active(state, &asked.project)?;
    let known = state.people.project(&project).ok_or("the project is gone")?;
    if known.target != Target::Machine {
        return Err("the project is no machine's".to_owned());
    }
    if known.machine.is_some() != replaces {
        return Err(if replaces { "no machine runs yet" } else { "a machine runs already" }.to_owned());
    }
    let machine = state.people.add_machine(core, &project);
    let steps = plan::boot(state, &project, &machine);
    begin(state, core, owner, steps);
    Ok(json!({ "project": &*project, "machine": &*machine }))
}

fn rival(state: &mut State, core: &mut Core, asked: &OfProject) -> Result<Value, String> {
    let (project, owner) = active(state, &asked.project)?;
    let known = state.people.project(&project).and_then(|one| one.machine.clone());
    let runs = known.as_deref().and_then(|machine| state.people.machine(machine));
    let instance = runs.filter(|runs| runs.claim.is_some()).and_then(|runs| runs.instance.clone());
    let instance = instance.ok_or("no machine has claimed its key yet")?;
    let machine = state.people.add_machine(core, &project);
    if let Some(machine) = state.people.machine_mut(&machine) {
        machine.instance = Some(instance);
    }
    begin(state, core, owner, [Step::Claim { machine: machine.clone() }]);
    Ok(json!({ "project": &*project, "machine": &*machine }))
}

fn legacy(state: &mut State, core: &mut Core, asked: &Earlier) -> Result<Value, String> {
    let (schema, envelope) = (asked.schema.unwrap_or(3), asked.envelope.unwrap_or(2));
    if schema > 3 || !(1..=2).contains(&envelope) {
        return Err("schema is 0 to 3, and envelope 1 or 2".to_owned());
    }
    let cid = asked.cid.clone().map(|cid| text(Some(cid), "")).transpose()?;
    let (project, owner) = active(state, &asked.project)?;
    full(state)?;
    let (id, step) = plan::legacy(state, core, &project, (schema, envelope), cid.as_deref());
    begin(state, core, owner, [step]);
    Ok(json!({ "project": &*project, "deployment": &*id }))
}

fn the_story(state: &mut State, core: &mut Core, wallet: Wallet) -> Result<Value, String> {
    let once = wallet.wallet_key.is_none();
    if let Some(told) = state.told.as_ref().filter(|_| once) {
        return Ok(Value::clone(told));
    }
    let owner = fresh_owner(state, core, wallet)?;
    let answer = story::tell(state, core, &owner);
    if once {
        state.told = Some(Arc::new(answer.clone()));
    }
    Ok(answer)
}

fn long_history(state: &mut State, core: &mut Core, asked: Long) -> Result<Value, String> {
    let Long { deployments, wallet_key } = asked;
    let room = state.limits.deployments.saturating_sub(state.people.deployments.len());
    if !(1..=HISTORY).contains(&deployments) || deployments as usize > room {
        return Err(format!("deployments are 1 to {}", room.min(HISTORY as usize)));
    }
    let owner = fresh_owner(state, core, Wallet { wallet_key })?;
    Ok(history::write(state, core, &owner, deployments))
}
