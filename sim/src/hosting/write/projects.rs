//! The `projects` record: an entry for each project, and the map of all entries.

use assay_spec::Rules;
use assay_spec::hosting::machines::{ProjectEvent, ProjectState};
use assay_spec::hosting::requirements::{history, projects};
use serde_json::{Map, Value, json};

use super::deviate::{MemberDeviations, Wrong, deviate, put};
use super::{iso, more, seal};
use crate::core::Core;
use crate::hosting::accounts::{Accounts, Owner, Project};
use crate::hosting::variations;

/// Deviations of an active entry.
const LIVING: MemberDeviations = &[
    (&projects::ID, Wrong::Put("/id", "\"proj_000000000000\"")),
    (&projects::SCHEMA_VERSION, Wrong::Put("/schemaVersion", "\"1\"")),
    (&projects::FRAMEWORK, Wrong::Put("/public/framework", "7")),
    (&projects::DEPLOY_TARGET, Wrong::Put("/public/deployTarget", "\"moon\"")),
    (&projects::CREATED_AT, Wrong::Put("/public/createdAt", "\"yesterday\"")),
    (&projects::UPDATED_AT, Wrong::Put("/public/updatedAt", "\"today\"")),
    (&projects::DELETED, Wrong::Put("/public/deleted", "\"false\"")),
    (&projects::ENCRYPTED, Wrong::Put("/encrypted", "\"\"")),
    (&projects::ENTRY, Wrong::Put("/public", "[]")),
];

/// Deviations of a plaintext.
const PLAINTEXT: MemberDeviations = &[
    (&projects::PLAINTEXT_NAME, Wrong::Put("/name", "7")),
    (&projects::PLAINTEXT_SOURCE, Wrong::Put("/source", "\"elsewhere\"")),
    (&projects::PLAINTEXT_REPO, Wrong::Put("/repo", "\"repository\"")),
    (&projects::PLAINTEXT_BRANCH, Wrong::Put("/branch", "7")),
    (&projects::PLAINTEXT_INSTALLATION, Wrong::Put("/installationId", "\"7\"")),
    (&projects::PLAINTEXT_BUILD, Wrong::Put("/buildCommand", "null")),
    (&projects::PLAINTEXT_OUTPUT, Wrong::Put("/outputDir", "7")),
    (&projects::PLAINTEXT_FORM, Wrong::Put("", "[]")),
];

/// The entry of an active project.
pub(super) fn living(
    core: &mut Core,
    accounts: &mut Accounts,
    owner: &Owner,
    project: &Project,
    time_s: i64,
) -> Value {
    let plaintext = plaintext(core, project);
    let is_first = owner.projects.front().is_none_or(|first| *first == project.id);
    let encrypted = if is_first && core.varies(variations::LEGACY_ENTRY) {
        seal::earlier(core, accounts, owner, 2, &plaintext)
    } else {
        seal::envelope(core, accounts, owner, &plaintext)
    };
    let created_s = if project.state == ProjectState::None { time_s } else { project.created_s };
    let created_s = core.effect(&history::CREATED_AT_KEPT, created_s, |_, _| time_s);
    let edited = project.state != ProjectState::None;
    let stays = edited && core.violated(&history::UPDATED_AT_MOVES).is_some();
    let updated_s = if stays { project.created_s - 1 } else { time_s };
    let schema = if core.varies(variations::SCHEMA_2) { 2 } else { 1 };
    let entry = json!({
        "id": &*project.id,
        "schemaVersion": schema,
        "public": {
            "framework": project.framework, "deployTarget": project.target.name(),
            "createdAt": iso(core, created_s), "updatedAt": iso(core, updated_s), "deleted": false,
        },
        "encrypted": encrypted,
    });
    let entry = more(core, entry);
    deviate(core, entry, LIVING)
}

/// The entry of a deleted project: its encrypted members are emptied.
pub(super) fn tombstone(core: &mut Core, project: &Project, time_s: i64) -> Value {
    let living = &project.living;
    let mut entry = living.clone();
    put(&mut entry, "/public/updatedAt", json!(iso(core, time_s)));
    put(&mut entry, "/public/deleted", json!(true));
    let kept = |name: &str| {
        if core.varies(variations::TOMBSTONE_KEEPS) { living["encrypted"][name].clone() } else { json!("") }
    };
    let deks = json!({ "user": "", "encryption": "" });
    let emptied = json!({ "v": kept("v"), "alg": kept("alg"), "ct": "", "iv": "", "tag": "", "deks": deks });
    let emptied = core.effect(&projects::TOMBSTONE, emptied, |_, _| living["encrypted"].clone());
    put(&mut entry, "/encrypted", emptied);
    entry
}

/// The whole map, with one new entry.
pub(super) fn map(
    core: &mut Core,
    accounts: &Accounts,
    owner: &Owner,
    (changed, event): (&Project, ProjectEvent),
    entry: &Value,
) -> Value {
    let vanishes = event == ProjectEvent::Tombstone && core.violated(&history::ENTRY_STAYS).is_some();
    let returns = core.violated(&history::DELETED_STAYS).is_some();
    let others_change = event == ProjectEvent::Edit && core.violated(&history::MAP_KEPT).is_some();
    let mut entries: Vec<(String, Value)> = Vec::new();
    for project in owner.projects.iter().filter_map(|id| accounts.project(id)) {
        let exists = project.state != ProjectState::None;
        if project.id == changed.id {
            if !vanishes {
                entries.push((project.id.to_string(), entry.clone()));
            }
        } else if exists {
            let comes_back = returns && project.state == ProjectState::Deleted;
            let mut other = if comes_back { project.living.clone() } else { project.entry.clone() };
            if others_change && project.state == ProjectState::Active {
                put(&mut other, "/public/framework", json!(format!("{}-next", project.framework)));
            }
            entries.push((project.id.to_string(), other));
        }
    }
    if core.varies(variations::MAP_REVERSED) {
        entries.reverse();
    }
    if core.violated(&projects::MAP).is_some() {
        return json!({ "entries": entries.into_iter().map(|(_, entry)| entry).collect::<Vec<_>>() });
    }
    Value::Object(entries.into_iter().collect::<Map<_, _>>())
}

fn plaintext(core: &mut Core, project: &Project) -> Value {
    let uploaded = core.varies(variations::UPLOADED);
    let hosted = core.dialect.hosted_source.clone();
    let mut plaintext = json!({
        "name": project.name,
        "source": if uploaded { "upload" } else { &*hosted },
        "repo": if uploaded { Value::Null } else { json!(format!("owner/{}", project.framework)) },
        "branch": if uploaded { Value::Null } else { json!("main") },
        "installationId": if uploaded { Value::Null } else { json!(4711) },
        "buildCommand": "npm run build",
        "outputDir": "dist",
    });
    if core.varies(variations::PENDING_WORKFLOW) {
        plaintext["pendingWorkflowPrUrl"] = json!("https://code.example/owner/name/pull/3");
        plaintext["pendingWorkflowPrNumber"] = json!(3);
    }
    let plaintext = more(core, plaintext);
    deviate(core, plaintext, PLAINTEXT)
}
