//! The recovery of random histories, compared with a model that is updated while they are written.

use std::collections::BTreeMap;

use assay_spec::hosting::deployment::Deployment;
use assay_spec::hosting::project::Tombstone;
use assay_spec::hosting::recovery::Recovery;
use assay_spec::{Id, Rules};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::app::{
    App, DELEGATE, ENCRYPTION, SESSION, STRANGER, WALLET, address, recover, recover_by, signed,
};

/// Rules of which all are enforced, and which could note what is consulted.
struct Noting;

impl Rules for Noting {
    fn violated(&mut self, _: Id) -> Option<&'static str> {
        None
    }
}

/// A deployment in the model.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    status: &'static str,
    store_ref: Option<String>,
    cid: Option<String>,
    warnings: Vec<&'static str>,
}

/// A node's response about a STORE: its kind, its status and the expected warning.
const ANSWERS: [(&str, u16, Option<&str>); 6] = [
    ("processed", 200, None),
    ("removing", 200, None),
    ("forgotten", 200, Some("STORE_FORGOTTEN")),
    ("removed", 410, Some("STORE_REMOVED")),
    ("absent", 404, Some("STORE_ABSENT")),
    ("pending", 200, None),
];

fn answered(kind: &str) -> (u16, Value) {
    let status = ANSWERS.iter().find(|answer| answer.0 == kind).map_or(404, |answer| answer.1);
    let content = json!({"item_hash": format!("cid-{kind}")});
    let body = match kind {
        "processed" | "removing" | "pending" => {
            json!({"status": kind, "message": {"type": "STORE", "content": content}})
        }
        "forgotten" => json!({"status": kind, "message": {"type": "STORE", "content": null}}),
        "removed" => json!({"status": kind, "removed_at": 1, "size": 1, "reason": "balance"}),
        _ => json!({"error": "not found", "status": "error", "code": "not_found"}),
    };
    (status, body)
}

#[derive(Default)]
struct Model {
    /// The name, or `None` if it was deleted.
    projects: BTreeMap<String, Option<String>>,
    deployments: BTreeMap<String, Known>,
}

fn write(steps: &[(u8, u8, u8)]) -> (App, Model) {
    let mut app = App::new();
    let mut model = Model::default();
    let mut open: Vec<(String, Deployment)> = Vec::new();
    for (n, (step, pick, detail)) in steps.iter().enumerate() {
        let ids: Vec<String> =
            model.projects.iter().filter(|(_, name)| name.is_some()).map(|(id, _)| id.clone()).collect();
        let chosen = (!ids.is_empty()).then(|| ids[usize::from(*pick) % ids.len()].clone());
        let signer = if detail % 2 == 0 { WALLET } else { SESSION };
        match (step % 7, chosen) {
            (0, _) | (_, None) => {
                let name = format!("project {n}");
                model.projects.insert(app.project(signer, &name), Some(name));
            }
            (1, Some(id)) => {
                let name = format!("edited {n}");
                app.edit(signer, &id, &name);
                model.projects.insert(id, Some(name));
            }
            (2, Some(id)) => {
                let forms = [Tombstone::Literal, Tombstone::FlatDeks, Tombstone::KeepVersion];
                app.delete(&id, forms[usize::from(*detail) % 3]);
                model.projects.insert(id, None);
            }
            (3 | 4, Some(id)) => {
                let (hash, created) = app.deploy(&id);
                let known = Known { status: "queued", store_ref: None, cid: None, warnings: Vec::new() };
                model.deployments.insert(created.deployment_id.clone(), known);
                open.push((hash, created));
            }
            (5, _) if !open.is_empty() => {
                let (hash, created) = open.swap_remove(usize::from(*pick) % open.len());
                app.time += 1;
                let time = app.time;
                let known = model.deployments.get_mut(&created.deployment_id).unwrap();
                if detail % 4 == 0 {
                    app.finish((&hash, &created), None, time);
                    known.status = "failed";
                } else {
                    let (kind, _, warning) = ANSWERS[usize::from(*detail) % ANSWERS.len()];
                    let store_ref = format!("{kind}-{n}");
                    // An earlier amend of the same creation, and what follows it, are superseded.
                    let lost = app.finish((&hash, &created), None, time - 1);
                    app.finish((&lost, &created), None, time + 1000);
                    app.finish((&hash, &created), Some(&store_ref), time);
                    let live = matches!(kind, "processed" | "removing");
                    *known = Known {
                        status: "live",
                        store_ref: Some(store_ref),
                        cid: live.then(|| format!("cid-{kind}")),
                        warnings: warning.into_iter().collect(),
                    };
                }
            }
            (_, Some(id)) => {
                let before = app.messages.len();
                app.legacy(&id, "bafy");
                let text: Value = serde_json::from_str(&app.messages[before]).unwrap();
                let deployment = text["content"]["content"]["deploymentId"].as_str().unwrap().to_owned();
                let known = Known {
                    status: "live",
                    store_ref: None,
                    cid: Some("bafy".into()),
                    warnings: vec!["LEGACY_SCHEMA"],
                };
                model.deployments.insert(deployment, known);
            }
        }
    }
    (app, model)
}

/// The recovered data in the model's form.
fn seen(recovery: &Recovery) -> Model {
    let projects = recovery.projects.iter().map(|project| {
        let name = project.plaintext.as_ref().map(|plaintext| plaintext["name"].as_str().unwrap().to_owned());
        assert_eq!(project.deleted, name.is_none());
        (project.id.clone(), name)
    });
    let deployments = recovery.deployments.iter().map(|deployment| {
        let warned =
            |warning: &&assay_spec::hosting::recovery::Warning| warning.subject == deployment.deployment_id;
        let known = Known {
            status: deployment.status.name(),
            store_ref: deployment.store_ref.clone(),
            cid: deployment.cid.clone(),
            warnings: recovery.warnings.iter().filter(warned).map(|warning| warning.warning).collect(),
        };
        (deployment.deployment_id.clone(), known)
    });
    Model { projects: projects.collect(), deployments: deployments.collect() }
}

fn answer(hash: &str, _: usize) -> (u16, Value) {
    answered(hash.split('-').next().unwrap_or_default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn random_history_is_recovered_as_written(
        steps in proptest::collection::vec(any::<(u8, u8, u8)>(), 0..24),
        turn in any::<prop::sample::Index>(),
    ) {
        let (mut app, model) = write(&steps);
        let recovery = recover(&app.messages, 2, answer);
        let seen = seen(&recovery);
        prop_assert_eq!(&seen.projects, &model.projects);
        prop_assert_eq!(&seen.deployments, &model.deployments);
        prop_assert!(recovery.ignored.is_empty(), "{:?}", recovery.ignored);
        // Another order of arrival, and duplicates, change nothing.
        let middle = turn.index(app.messages.len());
        app.messages.rotate_left(middle);
        app.messages.reverse();
        let again: Vec<&String> = app.messages.iter().chain(&app.messages).collect();
        prop_assert_eq!(recover(again.iter().copied(), 2, answer), recovery.clone());
        // One thread finds what all threads find together.
        prop_assert_eq!(recover_by(again, 2, &mut Noting, answer), recovery);
    }

    #[test]
    fn strangers_change_no_result(steps in proptest::collection::vec(any::<(u8, u8, u8)>(), 1..16), forged in 0_usize..8) {
        let (app, _) = write(&steps);
        let conforming = recover(&app.messages, 2, answer);
        let mut messages = app.messages.clone();
        for (n, text) in app.messages.iter().enumerate() {
            let message: Value = serde_json::from_str(text).unwrap();
            let kind = message["type"].as_str().unwrap();
            let mut content = message["content"].clone();
            content["time"] = (app.time + 5000 + n as i64).into();
            let signer = [STRANGER, ENCRYPTION][n % 2];
            messages.push(signed(signer, kind, &content));
            if n == forged {
                // Claims to be from the delegate, but is signed by a stranger.
                let forged = signed(STRANGER, kind, &content);
                messages.push(forged.replace(&address(STRANGER), &address(DELEGATE)));
            }
            if content["key"] == "security" {
                messages.push(signed(SESSION, kind, &content));
            }
        }
        let mut spoilt = recover(&messages, 2, answer);
        prop_assert_eq!(&recover_by(&messages, 2, &mut Noting, answer), &spoilt);
        prop_assert!(spoilt.ignored.len() >= app.messages.len());
        spoilt.ignored.clear();
        prop_assert_eq!(spoilt, conforming);
    }
}

#[test]
fn absence_is_reported_only_after_every_node_was_asked() {
    let mut app = App::new();
    let id = app.project(WALLET, "p");
    let (hash, created) = app.deploy(&id);
    let time = app.time + 1;
    app.finish((&hash, &created), Some("s"), time);
    let mut asked = Vec::new();
    let lagging = |kinds: &'static [&'static str], asked: &mut Vec<usize>| {
        recover(&app.messages, kinds.len(), |_, node| {
            asked.push(node);
            answered(kinds[node])
        })
    };
    let found = lagging(&["absent", "processed", "absent"], &mut asked);
    assert_eq!((found.deployments[0].cid.as_deref(), found.warnings.len()), (Some("cid-processed"), 0));
    assert_eq!(asked, [0, 1]);
    let lost = lagging(&["absent", "absent", "absent"], &mut asked);
    assert_eq!(lost.warnings.iter().map(|warning| warning.warning).collect::<Vec<_>>(), ["STORE_ABSENT"]);
    let unknown = lagging(&["absent", "pending"], &mut asked);
    assert!(unknown.warnings.is_empty());
    assert_eq!(unknown.notes.iter().map(|note| note.note).collect::<Vec<_>>(), ["store-unknown"]);
    let alone = lagging(&["absent"], &mut asked);
    assert_eq!(alone.notes.iter().map(|note| note.note).collect::<Vec<_>>(), ["only-one-node-asked"]);
}

#[test]
fn legacy_record_is_not_looked_up() {
    let mut app = App::new();
    let id = app.project(WALLET, "p");
    app.legacy(&id, "bafy");
    let recovery = recover(&app.messages, 2, |hash, _| panic!("asked for {hash}"));
    assert_eq!(recovery.deployments[0].cid.as_deref(), Some("bafy"));
    assert_eq!(recovery.warnings[0].warning, "LEGACY_SCHEMA");
}
