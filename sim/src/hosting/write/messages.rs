//! The records as messages: sender, channel and address.

use std::sync::Arc;

use assay_spec::Rules;
use assay_spec::crypto::text::sha256_hex;
use assay_spec::hosting::machines::ProjectEvent;
use assay_spec::hosting::requirements::{
    claims, deployments as deployment_rules, forget, history, projects as project_rules, records,
    security as security_rules,
};
use assay_spec::network::message::MessageType;
use serde_json::{Value, json};

use super::artifacts::pinner;
use super::sign::{Draft, carried, signed};
use super::{Outcome, Sent, deployments, machines, projects, security};
use crate::core::Core;
use crate::hosting::accounts::Owner;
use crate::hosting::keys::{self, Secret};
use crate::hosting::step::{Place, Signer};
use crate::hosting::{State, faults, variations};

/// The `security` record.
pub(super) fn secure(core: &mut Core, owner: &Owner, place: Place, time_s: i64) -> Option<Sent> {
    if core.violated(&history::SECURITY_EXISTS).is_some() {
        return None;
    }
    let content = security::body(core, owner, time_s);
    // A network accepts the aggregate only from its owner; anyone may send it as a POST.
    let conforming = if place == Place::Own { MessageType::Aggregate } else { MessageType::Post };
    let kind = core.effect(&security_rules::TYPE, conforming, |_, _| MessageType::Post);
    let key = core.effect(&security_rules::KEY, "security", |_, _| "safety");
    let (sender, address) = match place {
        Place::Own => (owner.wallet.clone(), owner.address.to_string()),
        Place::ByDelegate => (keys::delegate(core), owner.address.to_string()),
        Place::Elsewhere => (owner.wallet.clone(), owner.session.address()),
    };
    let channel = core.dialect.records_channel.clone();
    let content = json!({ "address": address, "key": key, "content": content, "time": time_s });
    let draft = Draft { kind, channel: &channel, content, sender: &sender, time_s, as_request: false };
    Some(signed(core, draft))
}

/// The `projects` record.
pub(super) fn map(
    state: &mut State,
    core: &mut Core,
    owner: &Owner,
    (project, event, signer): (&str, ProjectEvent, Signer),
    time_s: i64,
) -> Option<Sent> {
    let project = state.accounts.project(project)?.clone();
    let entry = match event {
        ProjectEvent::Tombstone => projects::tombstone(core, &project, time_s),
        _ => projects::living(core, &mut state.accounts, owner, &project, time_s),
    };
    let content = projects::map(core, &state.accounts, owner, (&project, event), &entry);
    let edit = event == ProjectEvent::Edit;
    let kind = core.effect(&project_rules::TYPE, MessageType::Aggregate, |kind, _| {
        if edit { MessageType::Post } else { kind }
    });
    let key = core.effect(&project_rules::KEY, "projects", |key, _| if edit { "project" } else { key });
    let by_session = signer == Signer::Session
        && !core.varies(variations::WALLET_EDITS)
        && security::session_works(core)
        && owner.secured;
    let mut sender = if by_session { owner.session.clone() } else { owner.wallet.clone() };
    let mut address = owner.address.to_string();
    if edit && core.violated(&project_rules::SIGNER).is_some() {
        sender = keys::delegate(core);
    }
    if by_session && core.violated(&project_rules::OWNER).is_some() {
        address = owner.session.address();
    }
    let channel = core.dialect.records_channel.clone();
    let content = json!({ "address": address, "key": key, "content": content, "time": time_s });
    let draft = Draft { kind, channel: &channel, content, sender: &sender, time_s, as_request: false };
    Some(Sent { entry: Some(entry), ..signed(core, draft) })
}

/// A creation.
pub(super) fn create(
    state: &mut State,
    core: &mut Core,
    owner: &Owner,
    deployment: &str,
    time_s: i64,
) -> Option<Sent> {
    let deployment = state.accounts.deployment(deployment)?.clone();
    let content = deployments::creation(core, &mut state.accounts, owner, &deployment, time_s);
    let stranger = keys::stranger(core);
    let sender = core.effect(&deployment_rules::DELEGATE, keys::delegate(core), |_, _| stranger);
    let mut draft = post(core, owner, &content, time_s, &sender);
    let default = core.dialect.channel.clone();
    let channel = core.effect(&records::CHANNEL, draft.channel.to_owned(), |_, _| default);
    draft.content["type"] =
        core.effect(&deployment_rules::CONTENT_TYPE, draft.content["type"].take(), |_, _| {
            json!("deployment")
        });
    draft.content["address"] =
        core.effect(&records::ADDRESS, draft.content["address"].take(), |address, _| {
            json!(address.as_str().unwrap_or_default().trim_start_matches("0x"))
        });
    if core.violated(&deployment_rules::TYPE).is_some() {
        // An AGGREGATE that the network accepts: under the delegate's own address, which needs no
        // authorization.
        draft.kind = MessageType::Aggregate;
        draft.content["key"] = json!("deployments");
        draft.content["address"] = json!(sender.address());
    }
    let draft = Draft { channel: &channel, ..draft };
    Some(signed(core, draft))
}

/// A terminal record.
pub(super) fn amend(
    state: &mut State,
    core: &mut Core,
    owner: &Owner,
    deployment: &str,
    outcome: Outcome,
    time_s: i64,
) -> Option<Sent> {
    let one = state.accounts.deployment(deployment)?.clone();
    if outcome == Outcome::Failed && core.violated(&history::FINISHES).is_some() {
        return None;
    }
    let content = deployments::terminal(core, &mut state.accounts, owner, &one, outcome, time_s);
    let earlier_s = one.created_s - 1;
    let time_s = core.effect(&history::QUEUED_FIRST, time_s, |_, _| earlier_s);
    let delegate = keys::delegate(core);
    let mut draft = post(core, owner, &content, time_s, &delegate);
    let creation = one.creation.as_deref().unwrap_or_default().to_owned();
    let before = one.terminal.as_deref().filter(|_| core.varies(variations::AMEND_CHAIN));
    let creation = before.map_or(creation, str::to_owned);
    let target = core.effect(&deployment_rules::AMEND_REF, creation, |_, _| one.id.to_string());
    let kind = core.effect(&deployment_rules::AMEND_TYPE, "amend", |_, _| "amendment");
    let Draft { content, .. } = &mut draft;
    *content = json!({
        "address": content["address"], "type": kind, "ref": target, "content": content["content"],
        "time": content["time"],
    });
    Some(signed(core, draft))
}

/// A POST with the content type of deployments.
pub(super) fn post<'a>(
    core: &Core,
    owner: &Owner,
    body: &Value,
    time_s: i64,
    sender: &'a Secret,
) -> Draft<'a> {
    let own = core.varies(variations::DELEGATE_ADDRESS);
    let address = if own { sender.address() } else { owner.address.to_string() };
    let content =
        json!({ "address": address, "type": core.dialect.deployment_type, "content": body, "time": time_s });
    Draft { kind: MessageType::Post, channel: "", content, sender, time_s, as_request: false }
}

/// A FORGET of these hashes.
pub(super) fn forgets(
    state: &mut State,
    core: &mut Core,
    owner: &Owner,
    project: &str,
    hashes: &[Arc<str>],
    time_s: i64,
) -> Option<Sent> {
    let mut hashes: Vec<String> = hashes.iter().map(ToString::to_string).collect();
    let of_project = |id: &str| {
        let project = state.accounts.project(id);
        project
            .into_iter()
            .flat_map(|project| project.deployments.iter())
            .filter_map(|id| state.accounts.deployment(id))
    };
    if core.violated(&forget::EVERY).is_some() && hashes.len() > 1 {
        hashes.pop();
    }
    if core.violated(&forget::CLASSIFIED).is_some() {
        let all = of_project(project).filter_map(|deployment| deployment.store_ref.as_deref());
        let others: Vec<String> =
            all.filter(|hash| !hashes.iter().any(|one| one == hash)).map(str::to_owned).collect();
        hashes.extend(others);
    }
    if core.violated(&forget::STORES).is_some() {
        hashes.extend(
            of_project(project).find_map(|deployment| deployment.creation.as_deref()).map(str::to_owned),
        );
    }
    if core.violated(&forget::OWN).is_some() {
        let others = owner.projects.iter().filter(|id| ***id != *project);
        let live =
            others.flat_map(|id| of_project(id)).find_map(|deployment| deployment.store_ref.as_deref());
        hashes.extend(live.map(str::to_owned));
    }
    if core.fault(faults::UNKNOWN_TARGET, &[("project", project)]) {
        hashes.push(sha256_hex(project.as_bytes()));
    }
    if hashes.is_empty() {
        return None;
    }
    if core.varies(variations::FORGET_TWICE) {
        hashes.push(hashes[0].clone());
    }
    let sender = pinner(core, owner);
    let delegate = sender.address();
    let address = core.effect(&forget::ADDRESS, owner.address.to_string(), |_, _| delegate);
    let content = json!({ "address": address, "hashes": hashes, "time": time_s });
    let kind = core.effect(&forget::TYPE, MessageType::Forget, |_, _| MessageType::Post);
    let channel = core.dialect.records_channel.clone();
    let draft = Draft { kind, channel: &channel, content, sender: &sender, time_s, as_request: false };
    Some(signed(core, draft))
}

/// A claim of a machine's key.
pub(super) fn claim(
    state: &mut State,
    core: &mut Core,
    owner: &Owner,
    machine: &str,
    time_s: i64,
) -> Option<Sent> {
    let machine = state.accounts.machine(machine)?.clone();
    let other = state.written.iter().find(|one| one.owner == owner.address);
    let other = other.map_or(deployments::NO_HASH, |one| &*one.hash).to_owned();
    let content = machines::claim(core, &machine, &other, time_s);
    let kind = core.effect(&claims::TYPE, MessageType::Post, |_, _| MessageType::Aggregate);
    let conforming = core.dialect.vm_claim_type.clone();
    let content_type = core.effect(&claims::CONTENT_TYPE, conforming, |_, _| "vm-key".to_owned());
    let address = core.effect(&claims::SENDER, machine.address.to_string(), |_, _| owner.address.to_string());
    // In milliseconds it is still an integer, which a signature can cover.
    let stated = core.effect(&records::TIME, time_s, |time_s, _| time_s.saturating_mul(1000));
    let mut content = json!({ "address": address, "type": content_type, "content": content, "time": stated });
    if kind == MessageType::Aggregate {
        content["key"] = json!("vm");
    }
    let as_request = core.violated(&claims::SIGNATURE).is_some();
    let channel = core.dialect.records_channel.clone();
    let draft = Draft { kind, channel: &channel, content, sender: &machine.key, time_s, as_request };
    Some(carried(core, &draft))
}
