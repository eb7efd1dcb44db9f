//! The records as messages: sender, channel and address.

use std::sync::Arc;

use assay_spec::crypto::text::sha256_hex;
use assay_spec::hosting::machines::ProjectEvent;
use assay_spec::network::message::MessageType;
use serde_json::{Value, json};

use super::artifacts::pinner;
use super::security::DelegateEdits;
use super::sign::{Draft, Record, send, signed};
use super::{Amend, Amends, Edit, Sent, deployments, machines, projects, security};
use crate::core::Core;
use crate::hosting::accounts::Owner;
use crate::hosting::keys::{self, Secret};
use crate::hosting::step::{Authorship, Signer};
use crate::hosting::{State, faults};
use crate::seam::steps;

/// The key of the map of projects.
pub(super) const PROJECTS: &str = "projects";

steps! {
    /// Writes `security`.
    Secure(owner: &Owner, by: Authorship, time_s: i64) -> Option<Sent> = secure;
    /// Who signs an edit of the projects.
    Editor(owner: &Owner, edit: &Edit, signer: Signer) -> Secret = editor;
    /// Who signs the records of deployments.
    Deployer() -> Secret = deployer;
    /// Writes a terminal record.
    WriteAmend(state: &mut State, owner: &Owner, terminal: &Amend, time_s: i64) -> Option<Sent> = amend;
}

/// The `security` record.
#[expect(clippy::unnecessary_wraps, reason = "what replaces this step may write nothing")]
pub(in crate::hosting) fn secure(
    core: &mut Core,
    owner: &Owner,
    by: Authorship,
    time_s: i64,
) -> Option<Sent> {
    let content = security::body(core, owner, time_s);
    // A network accepts the aggregate only from its owner; anyone may send it as a POST.
    let kind = if by == Authorship::Own { MessageType::Aggregate } else { MessageType::Post };
    let (sender, address) = match by {
        Authorship::Own => (owner.wallet.clone(), owner.address.to_string()),
        Authorship::ByDelegate => (keys::delegate(core), owner.address.to_string()),
        Authorship::Elsewhere => (owner.wallet.clone(), owner.session.address()),
    };
    let content = json!({ "address": address, "key": "security", "content": content, "time": time_s });
    let draft = Draft { kind, ..Draft::new(core, Record::Security, content, sender, time_s) };
    let draft = core.step(draft);
    let admits_session = security::admits(&draft, &owner.session);
    Some(Sent { entry: Some(json!(admits_session)), ..send(core, &draft) })
}

/// The `projects` record.
pub(super) fn map(
    core: &mut Core,
    state: &mut State,
    owner: &Owner,
    edit: Edit,
    signer: Signer,
    time_s: i64,
) -> Option<Sent> {
    let project = state.accounts.project(&edit.project)?.clone();
    let edit = core.step(edit);
    let entry = match edit.event {
        ProjectEvent::Tombstone => projects::tombstone(core, &project, time_s),
        _ => projects::living(core, &mut state.accounts, owner, &project, time_s),
    };
    let content = projects::map(core, &state.accounts, owner, (&project, edit.event), &entry);
    let sender = Editor::run(core, owner, &edit, signer);
    let record = Record::Projects { session: owner.session.clone() };
    let content = json!({ "address": &*owner.address, "key": edit.key, "content": content, "time": time_s });
    let draft = Draft::new(core, record, content, sender, time_s);
    Some(Sent { entry: Some(entry), ..signed(core, draft) })
}

/// Who signs an edit: the session key, if `security` admits it, or the wallet.
pub(in crate::hosting) fn editor(core: &mut Core, owner: &Owner, edit: &Edit, signer: Signer) -> Secret {
    let DelegateEdits(delegated) = core.step(DelegateEdits(false));
    if delegated {
        return keys::delegate(core);
    }
    let may = owner.admits_session && edit.key == PROJECTS;
    if may && signer == Signer::Session { owner.session.clone() } else { owner.wallet.clone() }
}

/// A creation.
pub(super) fn create(
    core: &mut Core,
    state: &mut State,
    owner: &Owner,
    deployment: &str,
    time_s: i64,
) -> Option<Sent> {
    let deployment = state.accounts.deployment(deployment)?.clone();
    let body = deployments::creation(core, &mut state.accounts, owner, &deployment, time_s);
    let sender = Deployer::run(core);
    let draft = post(core, Record::Creation, owner, &body, time_s, sender);
    Some(signed(core, draft))
}

/// Who signs the records of deployments: the delegate.
pub(in crate::hosting) fn deployer(core: &mut Core) -> Secret {
    keys::delegate(core)
}

/// A terminal record.
pub(in crate::hosting) fn amend(
    core: &mut Core,
    state: &mut State,
    owner: &Owner,
    amend: &Amend,
    time_s: i64,
) -> Option<Sent> {
    let one = state.accounts.deployment(&amend.deployment)?.clone();
    let body = deployments::terminal(core, &mut state.accounts, owner, &one, amend.outcome, time_s);
    let amended = match amend.amends {
        Amends::Creation | Amends::CreationAgain => &one.creation,
        Amends::Terminal => &one.terminal,
    };
    let content = json!({
        "address": &*owner.address, "type": "amend", "ref": amended.as_deref().unwrap_or_default(),
        "content": body, "time": time_s,
    });
    let record = Record::Terminal { deployment: one.id.clone(), created_s: one.created_s };
    let sender = Deployer::run(core);
    let draft = Draft::new(core, record, content, sender, time_s);
    Some(signed(core, draft))
}

/// A POST with the content type of deployments.
pub(super) fn post(
    core: &Core,
    record: Record,
    owner: &Owner,
    body: &Value,
    time_s: i64,
    sender: Secret,
) -> Draft {
    let kind = &core.dialect.deployment_type;
    let content = json!({ "address": &*owner.address, "type": kind, "content": body, "time": time_s });
    Draft::new(core, record, content, sender, time_s)
}

/// The hashes of a FORGET, and others that it does not name.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct Targets {
    /// The hashes.
    pub(in crate::hosting) hashes: Vec<String>,
    /// Every artifact of the project.
    pub(in crate::hosting) artifacts: Vec<String>,
    /// A creation of the project.
    pub(in crate::hosting) creation: Option<String>,
    /// An artifact of another project.
    pub(in crate::hosting) foreign: Option<String>,
}

/// A FORGET of these hashes.
pub(super) fn forgets(
    core: &mut Core,
    state: &mut State,
    owner: &Owner,
    project: &str,
    hashes: &[Arc<str>],
    time_s: i64,
) -> Option<Sent> {
    let of_project = |id: &str| {
        let deployments = state.accounts.project(id).map(|project| project.deployments.clone());
        deployments.into_iter().flatten().filter_map(|id| state.accounts.deployment(&id))
    };
    let artifacts = |id: &str| of_project(id).filter_map(|one| one.store_ref.as_deref().map(str::to_owned));
    let others = owner.projects.iter().filter(|id| ***id != *project);
    let mut targets = Targets {
        hashes: hashes.iter().map(ToString::to_string).collect(),
        artifacts: artifacts(project).collect(),
        creation: of_project(project).find_map(|one| one.creation.as_deref().map(str::to_owned)),
        foreign: others.flat_map(|id| artifacts(id)).next(),
    };
    if core.fault(faults::UNKNOWN_TARGET, &[("project", project)]) {
        targets.hashes.push(sha256_hex(project.as_bytes()));
    }
    let Targets { hashes, .. } = core.step(targets);
    if hashes.is_empty() {
        return None;
    }
    let sender = pinner(core, owner);
    let content = json!({ "address": &*owner.address, "hashes": hashes, "time": time_s });
    let draft = Draft::new(core, Record::Forget, content, sender, time_s);
    Some(signed(core, draft))
}

/// A claim of a machine's key.
pub(super) fn claim(
    core: &mut Core,
    state: &mut State,
    owner: &Owner,
    machine: &str,
    time_s: i64,
) -> Option<Sent> {
    let machine = state.accounts.machine(machine)?.clone();
    let other = state.written.iter().find(|one| one.owner == owner.address);
    let other = other.map_or(deployments::NO_HASH, |one| &*one.hash).to_owned();
    let body = machines::claim(core, &machine, other, time_s);
    let kind = &core.dialect.vm_claim_type;
    let content = json!({ "address": &*machine.address, "type": kind, "content": body, "time": time_s });
    let record = Record::Claim { owner: owner.address.clone() };
    let draft = Draft::new(core, record, content, machine.key.clone(), time_s);
    Some(signed(core, draft))
}
