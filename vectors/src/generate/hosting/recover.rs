//! `hosting.recover`: small histories, read with the owner's wallet alone or by the application's backend.

use assay_spec::hosting::requirements::{authority, records};
use assay_spec::{Id, Strict};
use serde_json::{Value, json};

use super::envelope::input as sealing;
use super::record::{BEGIN, CHANNEL, DEPLOYMENT, address, body, hash, post, resigned};
use super::world::{E, public, secret};
use crate::case::Case;
use crate::generate::group::Group;
use crate::op::{Answer, answer};

static SHOWN: &[Id] = &[&records::FORM, &authority::LISTED];
const PROJECT: &str = "proj_AZaz09-_abcd";
const MOMENT: &str = "2026-03-04T05:06:07.089Z";
const CID: &str = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";

pub(in crate::generate) fn cases() -> Vec<Case> {
    let source = "src/generate/hosting/recover.rs";
    let mut g = Group::new("hosting/recover", "hosting.recover", source, SHOWN);
    histories(&mut g);
    stores(&mut g);
    legacy(&mut g);
    envelopes(&mut g);
    strangers(&mut g);
    g.cases
}

fn envelope(draw: &str, plaintext: &Value) -> Value {
    match answer("envelope.seal", &sealing(draw, &plaintext.to_string()), &mut Strict) {
        Answer::Ok(ok) => ok["envelope"].clone(),
        other => panic!("the envelope is not sealed: {other:?}"),
    }
}

/// The same envelope in an older version, wrapped only for the wallet among the readers here.
fn older(draw: &str, version: i64, plaintext: &Value) -> Value {
    let mut old = envelope(draw, plaintext);
    old["v"] = version.into();
    old["deks"] = json!({"user": old["deks"]["user"]});
    old
}

fn project_text() -> Value {
    json!({
        "name": "site", "source": "codehost", "repo": "owner/site", "branch": "main", "installationId": 7,
        "buildCommand": "npm run build", "outputDir": "dist",
    })
}

fn commit_text() -> Value {
    json!({
        "commit": "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "commitMessage": "First words", "branch": "main",
        "actionsRunUrl": null, "error": null,
    })
}

fn aggregate(name: &str, sender: &str, owner: &str, key: &str, content: &Value, after: i64) -> Value {
    let content = json!({"address": address(owner), "key": key, "content": content, "time": BEGIN + after});
    let record = json!({
        "item_hash": hash(name), "type": "AGGREGATE", "channel": CHANNEL, "sender": address(sender),
        "signature": "", "content": content,
    });
    resigned(record, sender)
}

fn security() -> Value {
    let listed = json!({
        "authorizations": [{
            "address": address("delegate"), "types": ["POST", "FORGET", "STORE"], "channels": [CHANNEL],
            "aggregate_keys": [], "post_types": [DEPLOYMENT, "amend"],
        }],
        "encryptionKey": {"pubkey": public(E), "scheme": "wallet-sig-v1", "registeredAt": MOMENT},
    });
    aggregate("security", "wallet", "wallet", "security", &listed, 0)
}

fn entry(deleted: bool, encrypted: &Value) -> Value {
    json!({
        "id": PROJECT, "schemaVersion": 1,
        "public": {
            "framework": "static", "deployTarget": "ipfs", "createdAt": MOMENT, "updatedAt": MOMENT,
            "deleted": deleted,
        },
        "encrypted": encrypted,
    })
}

fn project(name: &str, entry: &Value, after: i64) -> Value {
    aggregate(name, "wallet", "wallet", "projects", &json!({PROJECT: entry}), after)
}

fn creation(state: &Value) -> Value {
    stated("creation", json!({"type": DEPLOYMENT, "content": state, "time": BEGIN + 20}))
}

fn amend(name: &str, target: &str, after: i64, state: &Value) -> Value {
    stated(name, json!({"type": "amend", "ref": hash(target), "content": state, "time": BEGIN + after}))
}

fn stated(name: &str, mut content: Value) -> Value {
    content["address"] = address("wallet").into();
    post(name, "delegate", content)
}

/// The content of a deployment message with its own private part.
fn state(draw: &str, status: &str, store: Option<&str>) -> Value {
    let mut state = body(status, store.map(hash).as_deref());
    state["encrypted"] = envelope(draw, &commit_text());
    state
}

/// A security aggregate, a project, and a deployment that went live.
fn live() -> Vec<Value> {
    vec![
        security(),
        project("project", &entry(false, &envelope("project", &project_text())), 10),
        creation(&state("queued", "queued", None)),
        amend("terminal", "creation", 30, &state("live", "live", Some("store"))),
    ]
}

/// A node's response about a STORE.
fn said(node: u16, status: &str) -> Value {
    lookup_answer("store", node, status)
}

fn lookup_answer(store: &str, node: u16, status: &str) -> Value {
    let hash = hash(store);
    let (code, body) = match status {
        "absent" => (404, json!({"error": "not here", "status": "error", "code": "NOT_FOUND"})),
        "removed" => (
            410,
            json!({"status": "removed", "item_hash": hash, "removed_at": BEGIN, "size": 5, "reason": "balance"}),
        ),
        "forgotten" => (
            200,
            json!({"status": status, "item_hash": hash, "message": {"item_hash": hash, "type": "STORE", "content": null}}),
        ),
        _ => (
            200,
            json!({
                "status": status, "item_hash": hash,
                "message": {
                    "item_hash": hash, "type": "STORE",
                    "content": {"address": address("delegate"), "item_type": "ipfs", "item_hash": CID, "time": BEGIN},
                },
            }),
        ),
    };
    json!({"node": node, "hash": hash, "status": code, "body": body})
}

/// A recovery with only the wallet's key, and two nodes to query.
fn alone(messages: &[Value], answers: &[Value]) -> Value {
    json!({
        "owner": address("wallet"), "role": "recovery", "wallet_key": secret("wallet"), "encryption_key": null,
        "nodes": 2, "messages": messages, "answers": answers,
    })
}

/// The same messages, read by the backend with E.
fn backend(messages: &[Value], answers: &[Value]) -> Value {
    let mut input = alone(messages, answers);
    (input["role"], input["wallet_key"], input["encryption_key"]) =
        ("backend".into(), Value::Null, secret(E));
    input
}

fn histories(g: &mut Group) {
    let found = [said(0, "processed")];
    g.accept("live", alone(&live(), &found), "The deployment's last record refers to its artifact.");
    let mut turned = live();
    turned.reverse();
    g.accept("reversed", alone(&turned, &found), "The order in which messages arrive does not matter.");
    let queued = &live()[..3];
    g.accept("queued", alone(queued, &[]), "A queued deployment has no artifact, so no node is queried.");
    let mut failed = queued.to_vec();
    failed.push(amend("terminal", "creation", 30, &state("failed", "failed", None)));
    g.accept("failed", alone(&failed, &[]), "A failed deployment has no artifact, so no node is queried.");
    let mut longer = live();
    longer.push(amend("later", "terminal", 40, &state("later", "live", Some("another store"))));
    let later = [said(0, "removed"), lookup_answer("another store", 0, "processed")];
    g.accept(
        "later-amend",
        alone(&longer, &later),
        "The artifact is the one of the last record in the chain.",
    );
    let mut more = project_text();
    more["pendingWorkflowPrUrl"] = Value::Null;
    let mut edited = live();
    edited.push(project("edit", &entry(false, &envelope("edit", &more)), 50));
    g.accept(
        "edited",
        alone(&edited, &found),
        "The last version of the project counts. It has an additional member.",
    );
    let mut machine = entry(false, &envelope("project", &project_text()));
    machine["public"]["deployTarget"] = "instance".into();
    let mut bundle = state("live", "live", Some("store"));
    bundle["public"]["bundleHash"] = hash("pinned file").into();
    let mut instance = queued.to_vec();
    instance[1] = project("project", &machine, 10);
    instance.push(amend("terminal", "creation", 30, &bundle));
    g.accept("instance", alone(&instance, &found), "A machine's bundle is found like other artifacts.");
    let mut deleted = live();
    let empty =
        json!({"v": "", "alg": "", "ct": "", "iv": "", "tag": "", "deks": {"user": "", "encryption": ""}});
    deleted.push(project("deletion", &entry(true, &empty), 60));
    g.accept(
        "deleted",
        alone(&deleted, &[said(0, "forgotten")]),
        "The project is deleted and its artifact forgotten.",
    )
    .read_as("A-042/deleted-decides");
}

fn stores(g: &mut Group) {
    let answers = |first: &str, second: &str| [said(0, first), said(1, second)];
    for (name, first, second, why) in [
        ("absent-live", "absent", "processed", "The first node lacks the STORE, the second has it."),
        ("absent-absent", "absent", "absent", "A STORE is absent if every node lacks it."),
        (
            "absent-forgotten",
            "absent",
            "forgotten",
            "The first node lacks the STORE, the second reports it as forgotten.",
        ),
        (
            "removing",
            "removing",
            "absent",
            "A scheduled removal has no effect yet, so the second node is not queried.",
        ),
        ("removed", "removed", "processed", "The first node that has the STORE decides."),
    ] {
        g.accept(name, alone(&live(), &answers(first, second)), why);
    }
    g.accept("pending", alone(&live(), &answers("pending", "pending")), "A pending STORE gives no warning.")
        .read_as("A-060/other-statuses");
    let why = "A node that does not respond is skipped.";
    g.accept("silent", alone(&live(), &[said(1, "processed")]), why).read_as("A-060/other-statuses");
}

fn legacy(g: &mut Group) {
    let old = json!({
        "deploymentId": "deploy_AZaz09-_abcd", "projectId": PROJECT, "schemaVersion": 3,
        "public": {"status": "live", "createdAt": "2025-03-04T05:06:07.089Z", "cid": CID},
        "encrypted": older("legacy", 2, &commit_text()),
    });
    let mut messages = live()[..2].to_vec();
    messages.push(creation(&old));
    let why = "A record that contains its content identifier needs no query.";
    g.accept("legacy", alone(&messages, &[]), why).read_as("A-056/cid-without-store-ref");
    let why = "The backend skips the old envelope and reads the rest.";
    g.accept("legacy-backend", backend(&messages, &[]), why).read_as("A-056/cid-without-store-ref");
}

fn envelopes(g: &mut Group) {
    let found = [said(0, "processed")];
    g.accept("backend", backend(&live(), &found), "The backend reads with E.");
    for version in [1, 2] {
        let mut old = live();
        let draw = format!("version {version}");
        old[1] = project("project", &entry(false, &older(&draw, version, &project_text())), 10);
        let why = format!("A project whose envelope has version {version} is read with the wallet's key.");
        g.accept(&format!("version-{version}"), alone(&old, &found), &why);
        let why = "The backend skips the project's old envelope with a warning and reads the deployment.";
        g.accept(&format!("version-{version}-backend"), backend(&old, &found), why);
    }
    let mut input = alone(&live(), &found);
    input["wallet_key"] = Value::Null;
    g.accept("no-key", input, "Without a key the public parts are still reported.");
}

/// Records of unauthorized senders change nothing.
fn strangers(g: &mut Group) {
    let found = [said(0, "processed")];
    let mut messages = live();
    let mut plaintext = project_text();
    plaintext["name"] = "another".into();
    let entry = entry(false, &envelope("forgery", &plaintext));
    let forged = json!({PROJECT: entry});
    messages.push(aggregate("forged project", "stranger", "bystander", "projects", &forged, 70));
    g.accept(
        "stranger-project",
        alone(&messages, &found),
        "Another key writes a project entry for another owner.",
    );
    let mut messages = live();
    let state = state("forgery", "live", Some("another store"));
    let mut forged = amend("forged amend", "terminal", 70, &state);
    forged["sender"] = address("stranger").into();
    forged["content"]["address"] = address("bystander").into();
    messages.push(resigned(forged, "stranger"));
    g.accept(
        "stranger-amend",
        alone(&messages, &found),
        "An unauthorized key writes a later amend of the owner's deployment.",
    );
}
