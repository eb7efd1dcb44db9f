//! What the application writes: the records, and the requests that carry them.

mod bend;
mod deployments;
mod machines;
mod projects;
mod seal;
mod security;
mod tar;

use std::sync::Arc;

use assay_spec::cid::{self, Layout};
use assay_spec::crypto::text::{parse_hex, sha256_hex};
use assay_spec::hosting::machines::ProjectEvent;
use assay_spec::hosting::requirements::{
    claims, deployments as deployment_rules, forget, history, projects as project_rules, records, recovery,
    security as security_rules,
};
use assay_spec::network::envelope::{body, message_text};
use assay_spec::network::message::MessageType;
use assay_spec::network::signing::{sign_file, sign_record, sign_text};
use assay_spec::network::{message, storage};
use assay_spec::{Gate, Instant, Strict};
use bytes::Bytes;
use serde_json::{Value, json};

use super::State;
use super::keys::{self, Secret};
use super::liberties;
use super::people::{Owner, Target};
use super::steps::{Place, Signer, Step};
use crate::core::Core;

/// How a deployment ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Its artifact is pinned.
    Live,
    /// It failed.
    Failed,
}

/// A request that is ready to leave, as often as it must.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    /// Path and query at the network.
    pub(super) target: String,
    /// The body's type; empty where it is only read.
    pub(super) content_type: &'static str,
    /// The body.
    pub(super) body: Bytes,
    /// Seconds that the record states.
    pub(super) time_s: i64,
    /// What the step changes in memory once it is taken.
    pub(super) entry: Option<Value>,
}

/// A message before it is signed.
struct Draft<'a> {
    kind: MessageType,
    channel: &'a str,
    content: Value,
    sender: &'a Secret,
    time_s: i64,
    /// Signed as a request, not as a record.
    as_request: bool,
}

/// The boundary of the forms.
const BOUNDARY: &str = "hosting-form-boundary";

/// What a step sends; nothing where there is nothing to do.
pub(super) fn write(state: &mut State, core: &mut Core, owner: &str, step: &Step) -> Option<Sent> {
    let owner = state.people.owner(owner)?.clone();
    let now_s = core.now().seconds();
    match step {
        Step::Security { place } => {
            let time_s = state.people.next_second(&owner.address, now_s);
            secure(core, &owner, *place, time_s)
        }
        Step::Projects { project, event, signer } => {
            let time_s = state.people.next_second(&owner.address, now_s);
            map(state, core, &owner, (project, *event, *signer), time_s)
        }
        Step::Create { deployment, .. } => {
            let time_s = state.people.next_second(&owner.address, now_s);
            create(state, core, &owner, deployment, time_s)
        }
        Step::Pin { deployment, text } => pin(state, core, &owner, deployment, text),
        Step::Amend { deployment, outcome, .. } => {
            let time_s = state.people.next_second(&owner.address, now_s);
            amend(state, core, &owner, deployment, *outcome, time_s)
        }
        Step::Forget { project, hashes } => {
            let time_s = state.people.next_second(&owner.address, now_s);
            forgets(state, core, &owner, project, hashes, time_s)
        }
        Step::Boot { machine } => {
            let time_s = state.people.next_second(&owner.address, now_s);
            let content = machines::instance(&owner, state.people.machine(machine)?, time_s);
            let channel = core.dialect.records_channel.clone();
            let (kind, sender) = (MessageType::Instance, &owner.wallet);
            let draft = Draft { kind, channel: &channel, content, sender, time_s, as_request: true };
            Some(signed(core, draft))
        }
        Step::Claim { machine } => {
            let time_s = state.people.next_second(&owner.address, now_s);
            claim(state, core, &owner, machine, time_s)
        }
        Step::Legacy { deployment, schema, envelope, time_s } => {
            let one = state.people.deployment(deployment)?.clone();
            let forms = (*schema, *envelope);
            let content = deployments::legacy(core, &mut state.people, &owner, &one, forms, *time_s);
            Some(signed(core, post(core, &owner, content, *time_s, &keys::delegate(core))))
        }
        Step::Look { hash, .. } | Step::Confirm { hash, .. } => Some(Sent {
            target: message::READ.path.replace("{hash}", hash),
            content_type: "",
            body: Bytes::new(),
            time_s: now_s,
            entry: None,
        }),
        Step::Tidy { .. }
        | Step::Ask { .. }
        | Step::Settle { .. }
        | Step::Rival { .. }
        | Step::Machine { .. }
        | Step::Resume => None,
    }
}

/// A time as records write it.
fn iso(core: &Core, time_s: i64) -> String {
    let text = Instant(time_s.saturating_mul(1000)).to_string();
    if core.takes(liberties::TIMES_OFFSET) { text.replace(".000Z", "+00:00") } else { text }
}

/// A piece with a member more, where that liberty is taken.
fn more(core: &Core, mut piece: Value) -> Value {
    if core.takes(liberties::MORE_MEMBERS) {
        piece["more"] = json!({ "of": ["this", 1, null] });
    }
    piece
}

fn secure(core: &mut Core, owner: &Owner, place: Place, time_s: i64) -> Option<Sent> {
    if core.lapse(&history::SECURITY_EXISTS).is_some() {
        return None;
    }
    let mut content = security::body(core, owner, time_s);
    let kind = core.effect(&security_rules::TYPE, MessageType::Aggregate, |_, _| MessageType::Post);
    let key = core.effect(&security_rules::KEY, "security", |_, _| "safety");
    let (sender, address) = match place {
        Place::Own => (owner.wallet.clone(), owner.address.to_string()),
        Place::ByDelegate => (keys::delegate(core), owner.address.to_string()),
        Place::Opened => {
            content = json!({ "authorizations": [{ "address": &*owner.address }] });
            (owner.session.clone(), owner.session.address())
        }
        Place::Elsewhere => (owner.wallet.clone(), owner.session.address()),
    };
    let channel = core.dialect.records_channel.clone();
    let content = json!({ "address": address, "key": key, "content": content, "time": time_s });
    let draft = Draft { kind, channel: &channel, content, sender: &sender, time_s, as_request: false };
    Some(signed(core, draft))
}

fn map(
    state: &mut State,
    core: &mut Core,
    owner: &Owner,
    (project, event, signer): (&str, ProjectEvent, Signer),
    time_s: i64,
) -> Option<Sent> {
    let project = state.people.project(project)?.clone();
    let entry = match event {
        ProjectEvent::Tombstone => projects::tombstone(core, &project, time_s),
        _ => projects::living(core, &mut state.people, owner, &project, time_s),
    };
    let content = projects::map(core, &state.people, owner, (&project, event), &entry);
    let edit = event == ProjectEvent::Edit;
    let kind = core.effect(&project_rules::TYPE, MessageType::Aggregate, |kind, _| {
        if edit { MessageType::Post } else { kind }
    });
    let key = core.effect(&project_rules::KEY, "projects", |key, _| if edit { "project" } else { key });
    let by_session = signer == Signer::Session
        && !core.takes(liberties::WALLET_EDITS)
        && security::session_works(core)
        && owner.secured;
    let (mut sender, mut address) = match by_session {
        true => (owner.session.clone(), owner.address.to_string()),
        false => (owner.wallet.clone(), owner.address.to_string()),
    };
    if edit && core.lapse(&project_rules::SIGNER).is_some() {
        sender = keys::delegate(core);
    }
    if by_session && core.lapse(&project_rules::OWNER).is_some() {
        address = owner.session.address();
    }
    let channel = core.dialect.records_channel.clone();
    let content = json!({ "address": address, "key": key, "content": content, "time": time_s });
    let draft = Draft { kind, channel: &channel, content, sender: &sender, time_s, as_request: false };
    Some(Sent { entry: Some(entry), ..signed(core, draft) })
}

fn create(state: &mut State, core: &mut Core, owner: &Owner, deployment: &str, time_s: i64) -> Option<Sent> {
    let deployment = state.people.deployment(deployment)?.clone();
    let content = deployments::creation(core, &mut state.people, owner, &deployment, time_s);
    let stranger = keys::stranger(core);
    let sender = core.effect(&deployment_rules::DELEGATE, keys::delegate(core), |_, _| stranger);
    let mut draft = post(core, owner, content, time_s, &sender);
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
    if core.lapse(&deployment_rules::TYPE).is_some() {
        // Another type that the network takes: under the delegate's own address, where no leave is needed.
        draft.kind = MessageType::Aggregate;
        draft.content["key"] = json!("deployments");
        draft.content["address"] = json!(sender.address());
    }
    let draft = Draft { channel: &channel, ..draft };
    Some(signed(core, draft))
}

fn amend(
    state: &mut State,
    core: &mut Core,
    owner: &Owner,
    deployment: &str,
    outcome: Outcome,
    time_s: i64,
) -> Option<Sent> {
    let one = state.people.deployment(deployment)?.clone();
    if outcome == Outcome::Failed && core.lapse(&history::FINISHES).is_some() {
        return None;
    }
    let content = deployments::terminal(core, &mut state.people, owner, &one, outcome, time_s);
    let earlier_s = one.created_s - 1;
    let time_s = core.effect(&history::QUEUED_FIRST, time_s, |_, _| earlier_s);
    let delegate = keys::delegate(core);
    let mut draft = post(core, owner, content, time_s, &delegate);
    let creation = one.creation.as_deref().unwrap_or_default().to_owned();
    let target = core.effect(&deployment_rules::AMEND_REF, creation, |_, _| one.id.to_string());
    let kind = core.effect(&deployment_rules::AMEND_TYPE, "amend", |_, _| "amendment");
    let Draft { content, .. } = &mut draft;
    *content = json!({
        "address": content["address"], "type": kind, "ref": target, "content": content["content"],
        "time": content["time"],
    });
    Some(signed(core, draft))
}

/// A POST of the deployments' type.
fn post<'a>(core: &Core, owner: &Owner, content: Value, time_s: i64, sender: &'a Secret) -> Draft<'a> {
    let own = core.takes(liberties::DELEGATE_ADDRESS);
    let address = if own { sender.address() } else { owner.address.to_string() };
    let content = json!({ "address": address, "type": core.dialect.deployment_type, "content": content, "time": time_s });
    Draft { kind: MessageType::Post, channel: "", content, sender, time_s, as_request: false }
}

/// The upload of an artifact, by whoever will forget it.
fn pin(state: &mut State, core: &mut Core, owner: &Owner, deployment: &str, text: &str) -> Option<Sent> {
    let project = state.people.project(&state.people.deployment(deployment)?.project)?.clone();
    let file = match project.target {
        Target::Site => {
            format!("<!doctype html>\n<title>{}</title>\n<p>{deployment}</p>\n{text}\n", project.name)
                .into_bytes()
        }
        Target::Machine => {
            let machine = state.people.machine(project.machine.as_deref()?)?.clone();
            let code = format!("// {deployment}\n{text}\n");
            machines::bundle(core, &mut state.people, owner, &machine, code.as_bytes())
        }
    };
    let cid = cid::of_file(&&file[..], &Layout::default(), &cid::Discard).ok()?.cid.to_string();
    let hash = sha256_hex(&file);
    if let Some(deployment) = state.people.deployment_mut(deployment) {
        deployment.cid = Some(cid.into());
        deployment.bundle_hash = (project.target == Target::Machine).then(|| hash.into());
    }
    let time_s = core.now().seconds();
    let sender = pinner(core, owner);
    let channel = core.dialect.records_channel.clone();
    if core.lapse(&recovery::LIVE_RESOLVES).is_some() {
        let content = json!({ "address": sender.address(), "item_type": "storage", "time": time_s });
        let (kind, channel) = (MessageType::Store, &channel);
        return Some(signed(
            core,
            Draft { kind, channel, content, sender: &sender, time_s, as_request: true },
        ));
    }
    let content_type = match project.target {
        Target::Site => "text/html",
        Target::Machine => "application/json",
    };
    let mut form = Vec::new();
    for (name, value) in
        [("address", sender.address()), ("signature", sign_file(&sender.key(), &file)), ("channel", channel)]
    {
        let part =
            format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        form.extend_from_slice(part.as_bytes());
    }
    let head = format!(
        "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"artifact\"\r\ncontent-type: {content_type}\r\n\r\n"
    );
    form.extend_from_slice(head.as_bytes());
    form.extend_from_slice(&file);
    form.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    Some(Sent {
        target: storage::STORE.path.to_owned(),
        content_type: "multipart/form-data; boundary=hosting-form-boundary",
        body: form.into(),
        time_s,
        entry: None,
    })
}

/// Who stores artifacts, and forgets them: a network lets nobody else.
fn pinner(core: &mut Core, owner: &Owner) -> Secret {
    let wallet = owner.wallet.clone();
    core.effect(&forget::DELEGATE, keys::delegate(core), |_, _| wallet)
}

fn forgets(
    state: &mut State,
    core: &mut Core,
    owner: &Owner,
    project: &str,
    hashes: &[Arc<str>],
    time_s: i64,
) -> Option<Sent> {
    let mut hashes: Vec<String> = hashes.iter().map(ToString::to_string).collect();
    let of_project = |id: &str| {
        let project = state.people.project(id);
        project
            .into_iter()
            .flat_map(|project| project.deployments.iter())
            .filter_map(|id| state.people.deployment(id))
    };
    if core.lapse(&forget::EVERY).is_some() && hashes.len() > 1 {
        hashes.pop();
    }
    if core.lapse(&forget::CLASSIFIED).is_some() {
        let all = of_project(project).filter_map(|deployment| deployment.store_ref.as_deref());
        let others: Vec<String> =
            all.filter(|hash| !hashes.iter().any(|one| one == hash)).map(str::to_owned).collect();
        hashes.extend(others);
    }
    if core.lapse(&forget::STORES).is_some() {
        hashes.extend(
            of_project(project).find_map(|deployment| deployment.creation.as_deref()).map(str::to_owned),
        );
    }
    if core.lapse(&forget::OWN).is_some() {
        let others = owner.projects.iter().filter(|id| ***id != *project);
        let live =
            others.flat_map(|id| of_project(id)).find_map(|deployment| deployment.store_ref.as_deref());
        hashes.extend(live.map(str::to_owned));
    }
    if core.fault(super::faults::UNKNOWN_TARGET, &[("project", project)]) {
        hashes.push(sha256_hex(project.as_bytes()));
    }
    if hashes.is_empty() {
        return None;
    }
    if core.takes(liberties::FORGET_TWICE) {
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

fn claim(state: &mut State, core: &mut Core, owner: &Owner, machine: &str, time_s: i64) -> Option<Sent> {
    let machine = state.people.machine(machine)?.clone();
    let other = state.written.iter().find(|one| one.owner == owner.address);
    let other = other.map_or(deployments::NO_HASH, |one| &*one.hash).to_owned();
    let content = machines::claim(core, &machine, &other, time_s);
    let kind = core.effect(&claims::TYPE, MessageType::Post, |_, _| MessageType::Aggregate);
    let honest = core.dialect.vm_claim_type.clone();
    let content_type = core.effect(&claims::CONTENT_TYPE, honest, |_, _| "vm-key".to_owned());
    let address = core.effect(&claims::SENDER, machine.address.to_string(), |_, _| owner.address.to_string());
    // A time in milliseconds: still an integer, which a signature can cover.
    let stated = core.effect(&records::TIME, time_s, |time_s, _| time_s.saturating_mul(1000));
    let mut content = json!({ "address": address, "type": content_type, "content": content, "time": stated });
    if kind == MessageType::Aggregate {
        content["key"] = json!("vm");
    }
    let as_request = core.lapse(&claims::SIGNATURE).is_some();
    let channel = core.dialect.records_channel.clone();
    let draft = Draft { kind, channel: &channel, content, sender: &machine.key, time_s, as_request };
    Some(carried(core, &draft))
}

/// A record, signed as such. The lie about signatures is another scheme, which the network takes as well.
fn signed(core: &mut Core, draft: Draft<'_>) -> Sent {
    let lies = core.lapse(&records::SIGNATURE).is_some();
    carried(core, &Draft { as_request: draft.as_request || lies, ..draft })
}

fn carried(core: &Core, draft: &Draft<'_>) -> Sent {
    let Draft { kind, channel, content, sender, time_s, as_request } = draft;
    let channel = if channel.is_empty() { &core.dialect.records_channel } else { *channel };
    let text = message_text("ETH", Some(channel), kind.name(), *time_s, content, None);
    let as_record = if *as_request { None } else { sign_record(&sender.key(), &text, &mut Strict).ok() };
    let signature = as_record.unwrap_or_else(|| sign_text(&sender.key(), text.as_bytes()));
    let signature = in_other_form(core, &signature);
    Sent {
        target: message::CREATE.path.to_owned(),
        content_type: "application/json",
        body: body(&text, &signature, &sender.address()).into(),
        time_s: *time_s,
        entry: None,
    }
}

/// The same signature, in the form that the liberties want.
fn in_other_form(core: &Core, signature: &str) -> String {
    let digits = signature.trim_start_matches("0x");
    let mut bytes = parse_hex(digits).unwrap_or_default();
    if core.takes(liberties::SIGNATURE_BIT)
        && let Some(v) = bytes.last_mut()
    {
        *v -= 27;
    }
    let digits = assay_spec::crypto::text::hex(&bytes);
    if core.takes(liberties::SIGNATURE_BARE) { digits } else { format!("0x{digits}") }
}
