//! The `projects` record: an entry for each project, and the map of all entries.

use std::sync::Arc;

use assay_spec::hosting::machines::{ProjectEvent, ProjectState};
use serde_json::{Map, Value, json};

use super::document::{Document, DocumentKind, put};
use super::{iso, seal};
use crate::core::Core;
use crate::hosting::accounts::{Accounts, Owner, Project};
use crate::seam::steps;

/// The times of an entry, in seconds.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct EntryTimes {
    /// When the project was created.
    pub(in crate::hosting) created_s: i64,
    /// When it was changed.
    pub(in crate::hosting) updated_s: i64,
    /// The time of this record.
    pub(in crate::hosting) now_s: i64,
    /// The record changes an existing project.
    pub(in crate::hosting) is_edit: bool,
}

/// The encrypted part of a deleted project.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct Emptied {
    /// As it was.
    pub(in crate::hosting) before: Value,
    /// As it is now.
    pub(in crate::hosting) after: Value,
}

/// The map of projects, before it is written.
#[derive(Clone, PartialEq)]
pub(in crate::hosting) struct ProjectsMap {
    /// What happens to the project that changes.
    pub(in crate::hosting) event: ProjectEvent,
    /// The project that changes.
    pub(in crate::hosting) changed: Arc<str>,
    /// Projects with their entries.
    pub(in crate::hosting) entries: Vec<(Project, Value)>,
}

/// The entry of an active project.
pub(super) fn living(
    core: &mut Core,
    accounts: &mut Accounts,
    owner: &Owner,
    project: &Project,
    time_s: i64,
) -> Value {
    let plaintext = plaintext(core, project);
    let encrypted = SealEntry::run(core, accounts, owner, project, &plaintext);
    let is_edit = project.state != ProjectState::None;
    let created_s = if is_edit { project.created_s } else { time_s };
    let times = EntryTimes { created_s, updated_s: time_s, now_s: time_s, is_edit };
    let EntryTimes { created_s, updated_s, .. } = core.step(times);
    let entry = json!({
        "id": &*project.id,
        "schemaVersion": 1,
        "public": {
            "framework": project.framework, "deployTarget": project.target.name(),
            "createdAt": iso(core, created_s), "updatedAt": iso(core, updated_s), "deleted": false,
        },
        "encrypted": encrypted,
    });
    core.step(Document::new(DocumentKind::Entry, entry)).value
}

steps! {
    /// Encrypts the private part of a project's entry.
    SealEntry(accounts: &mut Accounts, owner: &Owner, project: &Project, plaintext: &Value) -> Value = seal;
}

/// Encrypts the private part of an entry.
pub(in crate::hosting) fn seal(
    core: &mut Core,
    accounts: &mut Accounts,
    owner: &Owner,
    _: &Project,
    plaintext: &Value,
) -> Value {
    seal::envelope(core, accounts, owner, plaintext)
}

/// The entry of a deleted project: its encrypted members are emptied.
pub(super) fn tombstone(core: &mut Core, project: &Project, time_s: i64) -> Value {
    let mut entry = project.living.clone();
    let created_s = project.created_s;
    let times = core.step(EntryTimes { created_s, updated_s: time_s, now_s: time_s, is_edit: true });
    put(&mut entry, "/public/createdAt", json!(iso(core, times.created_s)));
    put(&mut entry, "/public/updatedAt", json!(iso(core, times.updated_s)));
    put(&mut entry, "/public/deleted", json!(true));
    let deks = json!({ "user": "", "encryption": "" });
    let after = json!({ "v": "", "alg": "", "ct": "", "iv": "", "tag": "", "deks": deks });
    let Emptied { after, .. } = core.step(Emptied { before: entry["encrypted"].take(), after });
    put(&mut entry, "/encrypted", after);
    core.step(Document::new(DocumentKind::Tombstone, entry)).value
}

/// The whole map, with one new entry.
pub(super) fn map(
    core: &mut Core,
    accounts: &Accounts,
    owner: &Owner,
    (changed, event): (&Project, ProjectEvent),
    entry: &Value,
) -> Value {
    let projects = owner.projects.iter().filter_map(|id| accounts.project(id));
    let written = projects.filter(|one| one.id == changed.id || one.state != ProjectState::None);
    let current = |one: &Project| if one.id == changed.id { entry.clone() } else { one.entry.clone() };
    let entries = written.map(|one| (one.clone(), current(one))).collect();
    let map = core.step(ProjectsMap { event, changed: changed.id.clone(), entries });
    let entries = map.entries.into_iter().map(|(project, entry)| (project.id.to_string(), entry));
    Value::Object(entries.collect::<Map<_, _>>())
}

fn plaintext(core: &mut Core, project: &Project) -> Value {
    let plaintext = json!({
        "name": project.name,
        "source": core.dialect.hosted_source,
        "repo": format!("owner/{}", project.framework),
        "branch": "main",
        "installationId": 4711,
        "buildCommand": "npm run build",
        "outputDir": "dist",
    });
    core.step(Document::new(DocumentKind::Project, plaintext)).value
}
