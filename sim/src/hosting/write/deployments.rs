//! Deployments: the creation, the terminal record, and records of earlier schemas.

use assay_spec::Rules;
use assay_spec::hosting::requirements::{deployments, instances};
use serde_json::{Value, json};

use super::deviate::{MemberDeviations, Wrong, deviate};
use super::{Outcome, iso, more, seal};
use crate::core::Core;
use crate::hosting::accounts::{Accounts, Deployment, Owner, Target};
use crate::hosting::variations;

/// A hash that no message has.
pub(super) const NO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Deviations of both records.
const BOTH: MemberDeviations = &[
    (&deployments::DEPLOYMENT_ID, Wrong::Put("/deploymentId", "7")),
    (&deployments::PROJECT_ID, Wrong::Put("/projectId", "\"proj_000000000000\"")),
    (&deployments::SCHEMA, Wrong::Put("/schemaVersion", "3")),
    (&deployments::RUN_ID, Wrong::Put("/public/runId", "\"7\"")),
    (&deployments::RUN_ATTEMPT, Wrong::Put("/public/runAttempt", "\"1\"")),
    (&deployments::CREATED_AT, Wrong::Put("/public/createdAt", "\"yesterday\"")),
    (&deployments::ENCRYPTED, Wrong::Put("/encrypted", "null")),
    (&deployments::PUBLIC, Wrong::Put("/public", "[]")),
];

/// Deviations of a creation.
const CREATION: MemberDeviations = &[
    (&deployments::CREATION_QUEUED, Wrong::Put("/public/status", "\"live\"")),
    (
        &deployments::CREATION_STORE_REF,
        Wrong::Put(
            "/public/storeRef",
            "\"0000000000000000000000000000000000000000000000000000000000000000\"",
        ),
    ),
    (&deployments::CREATION_URL, Wrong::Put("/public/url", "\"https://soon.example/\"")),
    (
        &deployments::CREATION_FINISHED,
        Wrong::Do(|body| body["public"]["finishedAt"] = body["public"]["createdAt"].clone()),
    ),
];

/// Deviations of a terminal record.
const TERMINAL: MemberDeviations = &[
    (&deployments::TERMINAL_STATUS, Wrong::Put("/public/status", "\"queued\"")),
    (&deployments::URL, Wrong::Put("/public/url", "7")),
    (&deployments::FINISHED_AT, Wrong::Put("/public/finishedAt", "\"just now\"")),
    (&deployments::SAME_DEPLOYMENT, Wrong::Put("/deploymentId", "\"deploy_000000000000\"")),
];

/// Deviations of a plaintext.
const PLAINTEXT: MemberDeviations = &[
    (&deployments::PLAINTEXT_COMMIT, Wrong::Put("/commit", "7")),
    (&deployments::PLAINTEXT_MESSAGE, Wrong::Put("/commitMessage", "7")),
    (&deployments::PLAINTEXT_BRANCH, Wrong::Put("/branch", "7")),
    (&deployments::PLAINTEXT_RUN, Wrong::Put("/actionsRunUrl", "7")),
    (&deployments::PLAINTEXT_ERROR, Wrong::Put("/error", "7")),
    (&deployments::PLAINTEXT_FORM, Wrong::Put("", "[]")),
];

/// The body of a creation.
pub(super) fn creation(
    core: &mut Core,
    accounts: &mut Accounts,
    owner: &Owner,
    deployment: &Deployment,
    time_s: i64,
) -> Value {
    let plaintext = plaintext(core, deployment, None);
    let encrypted = seal::envelope(core, accounts, owner, &plaintext);
    let mut body = body(core, deployment, time_s, &encrypted);
    if machine(accounts, deployment) && core.varies(variations::HASH_QUEUED) {
        body["public"]["bundleHash"] = Value::Null;
    }
    let body = deviate(core, body, CREATION);
    let body = deviate(core, body, BOTH);
    core.effect(&deployments::BODY, body, |body, _| json!(body.to_string()))
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
    let plaintext = plaintext(core, deployment, error);
    let encrypted = seal::envelope(core, accounts, owner, &plaintext);
    let mut body = body(core, deployment, deployment.created_s, &encrypted);
    let live = outcome == Outcome::Live;
    body["public"]["status"] = json!(if live { "live" } else { "failed" });
    let store_ref = match (live, &deployment.store_ref) {
        (true, Some(store_ref)) => {
            let cid = deployment.cid.clone().unwrap_or_else(|| store_ref.clone());
            let named = core.effect(&deployments::LIVE_STORE_REF, store_ref.clone(), |_, _| cid);
            Some(named.to_string())
        }
        (true, None) => None,
        (false, _) => core.effect(&deployments::FAILED_STORE_REF, None, |_, _| Some(NO_HASH.to_owned())),
    };
    let url = store_ref.as_ref().filter(|_| live && !core.varies(variations::URL_NULL));
    body["public"]["url"] = json!(url.map(|name| format!("https://gateway.example/{name}/")));
    body["public"]["storeRef"] = json!(store_ref);
    body["public"]["finishedAt"] =
        if core.varies(variations::FINISHED_NULL) { Value::Null } else { json!(iso(core, time_s)) };
    if live && machine(accounts, deployment) {
        let conforming = deployment.bundle_hash.as_deref().unwrap_or(NO_HASH).to_owned();
        let hash = core.effect(&instances::BUNDLE_HASH_VALUE, conforming, |_, _| NO_HASH.to_owned());
        let hash = core.effect(&instances::BUNDLE_HASH, hash, |hash, _| hash[1..].to_owned());
        body["public"]["bundleHash"] = json!(hash);
    }
    if core.violated(&deployments::SAME_PROJECT).is_some() {
        let mut others = owner.projects.iter().filter(|id| **id != deployment.project);
        body["projectId"] = others.next().map_or_else(|| json!("proj_000000000000"), |id| json!(&**id));
    }
    let body = deviate(core, body, TERMINAL);
    deviate(core, body, BOTH)
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
    let plaintext = plaintext(core, deployment, None);
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

fn body(core: &Core, deployment: &Deployment, created_s: i64, encrypted: &Value) -> Value {
    let runs = !core.varies(variations::RUN_NULL);
    let body = json!({
        "deploymentId": &*deployment.id,
        "projectId": &*deployment.project,
        "schemaVersion": 4,
        "public": {
            "status": "queued", "storeRef": Value::Null, "url": Value::Null,
            "runId": runs.then_some(9_000_000 + deployment.number), "runAttempt": runs.then_some(1),
            "createdAt": iso(core, created_s), "finishedAt": Value::Null,
        },
        "encrypted": encrypted,
    });
    more(core, body)
}

fn plaintext(core: &mut Core, deployment: &Deployment, error: Option<&str>) -> Value {
    let number = deployment.number;
    let commit = core.rng.draw("hosting.commit", deployment.id.as_bytes(), 0);
    let mut plaintext = json!({
        "commit": assay_spec::crypto::text::hex(&commit[..20]),
        "commitMessage": format!("Change number {number} \u{2014} \u{e9}"),
        "branch": "main",
        "actionsRunUrl": format!("https://code.example/owner/name/actions/runs/{}", 9_000_000 + number),
        "error": error,
    });
    if core.varies(variations::PLAINTEXT_NULL) {
        plaintext
            .as_object_mut()
            .into_iter()
            .flat_map(|members| members.values_mut())
            .for_each(|value| *value = Value::Null);
    }
    let plaintext = more(core, plaintext);
    deviate(core, plaintext, PLAINTEXT)
}

/// Whether its target is a virtual machine.
fn machine(accounts: &Accounts, deployment: &Deployment) -> bool {
    accounts.project(&deployment.project).is_some_and(|project| project.target == Target::Machine)
}
