//! Deployments: the creation, the terminal record, and records of earlier schemas.

use serde_json::{Value, json};

use super::document::{About, Document, DocumentKind};
use super::{Outcome, iso, seal};
use crate::core::Core;
use crate::hosting::accounts::{Accounts, Deployment, Owner, Target};

/// A hash that no message has.
pub(in crate::hosting) const NO_HASH: &str =
    "0000000000000000000000000000000000000000000000000000000000000000";

/// The body of a creation.
pub(super) fn creation(
    core: &mut Core,
    accounts: &mut Accounts,
    owner: &Owner,
    deployment: &Deployment,
    time_s: i64,
) -> Value {
    let plaintext = plaintext(core, deployment, DocumentKind::Deployment, None);
    let encrypted = seal::envelope(core, accounts, owner, &plaintext);
    let value = body(core, deployment, time_s, &encrypted);
    let about = About { is_machine: machine(accounts, deployment), ..About::default() };
    core.step(Document { kind: DocumentKind::Creation, value, about }).value
}

/// The body of a terminal record.
pub(super) fn terminal(
    core: &mut Core,
    accounts: &mut Accounts,
    owner: &Owner,
    deployment: &Deployment,
    outcome: Outcome,
    time_s: i64,
) -> Value {
    let error = (outcome == Outcome::Failed).then_some("the build failed");
    let plaintext = plaintext(core, deployment, DocumentKind::Deployment, error);
    let encrypted = seal::envelope(core, accounts, owner, &plaintext);
    let mut body = body(core, deployment, deployment.created_s, &encrypted);
    let is_live = outcome == Outcome::Live;
    let store_ref = deployment.store_ref.as_deref().filter(|_| is_live);
    body["public"]["status"] = json!(if is_live { "live" } else { "failed" });
    body["public"]["url"] = json!(store_ref.map(|name| format!("https://gateway.example/{name}/")));
    body["public"]["storeRef"] = json!(store_ref);
    body["public"]["finishedAt"] = json!(iso(core, time_s));
    let is_machine = machine(accounts, deployment);
    if is_live && is_machine {
        body["public"]["bundleHash"] = json!(deployment.bundle_hash.as_deref().unwrap_or(NO_HASH));
    }
    let other_project = owner.projects.iter().find(|id| **id != deployment.project).cloned();
    let about = About { is_machine, is_live, cid: deployment.cid.clone(), other_project };
    core.step(Document { kind: DocumentKind::Terminal, value: body, about }).value
}

/// The body of a record of an earlier schema: it contains the CID itself. Schema 0 has no `schemaVersion`.
pub(super) fn legacy(
    core: &mut Core,
    accounts: &mut Accounts,
    owner: &Owner,
    deployment: &Deployment,
    (schema, version): (u8, u8),
    time_s: i64,
) -> Value {
    let plaintext = plaintext(core, deployment, DocumentKind::Earlier, None);
    let encrypted = seal::earlier(core, accounts, owner, version, &plaintext);
    let mut body = json!({ "deploymentId": &*deployment.id, "projectId": &*deployment.project });
    if schema > 0 {
        body["schemaVersion"] = json!(schema);
    }
    let time = iso(core, time_s);
    body["public"] = json!({
        "status": "live", "cid": deployment.cid.as_deref(), "url": Value::Null, "runId": Value::Null,
        "runAttempt": Value::Null, "createdAt": time, "finishedAt": time,
    });
    body["encrypted"] = encrypted;
    body
}

fn body(core: &mut Core, deployment: &Deployment, created_s: i64, encrypted: &Value) -> Value {
    json!({
        "deploymentId": &*deployment.id,
        "projectId": &*deployment.project,
        "schemaVersion": 4,
        "public": {
            "status": "queued", "storeRef": Value::Null, "url": Value::Null,
            "runId": 9_000_000 + deployment.number, "runAttempt": 1,
            "createdAt": iso(core, created_s), "finishedAt": Value::Null,
        },
        "encrypted": encrypted,
    })
}

fn plaintext(core: &mut Core, deployment: &Deployment, kind: DocumentKind, error: Option<&str>) -> Value {
    let number = deployment.number;
    let commit = core.rng.draw("hosting.commit", deployment.id.as_bytes(), 0);
    let plaintext = json!({
        "commit": assay_spec::crypto::text::hex(&commit[..20]),
        "commitMessage": format!("Change number {number} \u{2014} \u{e9}"),
        "branch": "main",
        "actionsRunUrl": format!("https://code.example/owner/name/actions/runs/{}", 9_000_000 + number),
        "error": error,
    });
    core.step(Document::new(kind, plaintext)).value
}

/// Whether its target is a virtual machine.
fn machine(accounts: &Accounts, deployment: &Deployment) -> bool {
    accounts.target(&deployment.id) == Some(Target::Machine)
}
