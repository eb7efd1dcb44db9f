//! The records of an owner as a sequence.

use std::collections::{BTreeMap, BTreeSet};

use assay_spec::hosting::requirements::{
    bundle, deployments, envelope, forget as forget_rows, history as rows, projects, records, security,
};
use serde_json::{Map, Value};

use super::found::{Found, SEALED, found};
use super::judge::{expect, moment, some, with};
use super::message::{Message, MessageKind};
use super::scene::{artifacts, deleted, hashes, project_of};
use super::sealed::{envelopes, opened, sized};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;

/// Compares every terminal record with the creation that it names. `content.time` must not be before the creation's.
#[shows(rows::QUEUED_FIRST, after = rests!(records::TIME, deployments::AMEND_REF))]
async fn deployments_are_queued_before_they_end(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Amend).await?;
    let mut count = 0;
    for amend in found.of_kind(MessageKind::Amend) {
        let creation =
            found.of_kind(MessageKind::Creation).into_iter().find(|one| one.hash() == amend.target());
        let (Some(ended), Some(queued)) = (amend.time(), creation.and_then(Message::time)) else { continue };
        count += 1;
        let (want, got) = (format!("{queued} or later"), ended.to_string());
        expect(probe, &found, amend, ended >= queued, "/content/time", &want, &got)?;
    }
    some(&found, count, "terminal record whose creation is known")
}

/// Compares every terminal record with the creation that it names. `public.createdAt` must be the creation's.
#[shows(
    rows::QUEUED_AT_KEPT,
    after = rests!(deployments::AMEND_REF, deployments::CREATED_AT, deployments::BODY),
)]
async fn terminal_records_keep_when_deployments_were_created(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Amend).await?;
    let mut count = 0;
    for amend in found.of_kind(MessageKind::Amend) {
        let creations = found.of_kind(MessageKind::Creation);
        let Some(creation) = creations.into_iter().find(|one| one.hash() == amend.target()) else { continue };
        count += 1;
        let [want, got] = [creation, amend].map(|one| one.body()["public"]["createdAt"].to_string());
        let place = "/content/content/public/createdAt";
        expect(probe, &found, amend, got == want, place, &want, &got)?;
    }
    some(&found, count, "terminal record whose creation is known")
}

/// Reads every creation of a deployment. No `deploymentId` may appear twice.
#[shows(rows::ONE_CREATION, after = rests!(deployments::BODY, deployments::DEPLOYMENT_ID))]
async fn deployments_are_created_once(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Creation).await?;
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    let creations = found.of_kind(MessageKind::Creation);
    for creation in creations.into_iter().filter(|one| !one.id("deploymentId").is_empty()) {
        let before = seen.insert(creation.id("deploymentId"), creation.hash());
        let got = before.map(|hash| format!("another one, {hash}")).unwrap_or_default();
        let place = "creations of the deployment";
        expect(probe, &found, creation, before.is_none(), place, "one", &got)?;
    }
    some(&found, seen.len(), "creation that names its deployment")
}

/// Counts the terminal records that refer to the creation of each new deployment. There must not be more than one; an amend of
/// a terminal record is only noted.
#[shows(
    rows::ONE_AMEND,
    after = rests!(
        deployments::BODY, deployments::AMEND_REF, deployments::DEPLOYMENT_ID, deployments::SAME_DEPLOYMENT,
        rows::ONE_CREATION,
    ),
)]
async fn deployments_have_one_terminal_record(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Amend).await?;
    let mut count = 0;
    for creation in found.of_kind(MessageKind::Creation).into_iter().filter(|one| found.is_new(one.time())) {
        let mut amends = found.amends_of(creation);
        let all = amends.len();
        amends.retain(|amend| amend.target() == creation.hash());
        if all > amends.len() {
            probe.note(format!("{} has a chain of {all} amends", creation.hash()));
        }
        let Some(last) = amends.last() else { continue };
        count += 1;
        let got = format!("{} for {}", amends.len(), creation.hash());
        let place = "terminal records of the creation";
        expect(probe, &found, last, amends.len() == 1, place, "one", &got)?;
    }
    some(&found, count, "new deployment with a terminal record")
}

/// Reads every creation of a history that is complete. Each must have a terminal record. The document does not say how
/// long a deployment may take, so other histories are not judged.
#[shows(
    rows::FINISHES,
    after = rests!(
        records::TIME, deployments::BODY, deployments::AMEND_REF, deployments::AMEND_TYPE,
        deployments::DEPLOYMENT_ID, rows::ONE_CREATION,
    ),
)]
async fn deployments_come_to_an_end(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Creation).await?;
    if !found.is_whole {
        let why =
            "no document says how long a deployment may take: needs a control API with a complete history";
        return Err(Stop::NotTestable(why.to_owned()));
    }
    let creations = found.of_kind(MessageKind::Creation);
    for creation in &creations {
        // Of a deployment that was created twice, either may be amended.
        let is_same = |one: &&&Message| one.id("deploymentId") == creation.id("deploymentId");
        let has_end = creations.iter().filter(is_same).any(|one| !found.amends_of(one).is_empty());
        let place = "terminal records of the creation";
        expect(probe, &found, creation, has_end, place, "one", "none")?;
    }
    some(&found, creations.len(), "deployment that must have ended")
}

/// Reads every write to `security`. `encryptionKey` must never change; authorizations may.
#[shows(rows::SECURITY_ONCE, after = rests!(security::OWNER, security::SIGNER, security::ENCRYPTION_KEY))]
async fn the_encryption_key_is_registered_once(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let writes = found.security();
    some(&found, writes.len(), "write to `security`")?;
    let first = &writes[0].body()["encryptionKey"];
    if writes.len() > 1 {
        probe.note(format!("`security` was written {} times", writes.len()));
    }
    for write in writes {
        let key = &write.body()["encryptionKey"];
        let place = "/content/content/encryptionKey";
        expect(probe, &found, write, key == first, place, &first.to_string(), &key.to_string())?;
    }
    Ok(())
}

/// Reads the history of an owner with projects. It must contain a write to `security`.
#[shows(rows::SECURITY_EXISTS, after = rests!(records::ADDRESS, security::KEY))]
async fn owner_of_projects_has_security(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Projects).await?;
    let first = found.of_kind(MessageKind::Projects)[0];
    let holds = !found.security().is_empty();
    expect(
        probe,
        &found,
        first,
        holds,
        "`security` of the owner",
        "a write",
        "none, although this project exists",
    )
}

/// An entry of a write, and the previous entry of the same project.
struct Step<'a> {
    write: &'a Message,
    id: &'a str,
    before: &'a Map<String, Value>,
    after: &'a Map<String, Value>,
}

fn steps(found: &Found) -> Vec<Step<'_>> {
    let mut known: BTreeMap<&str, &Map<String, Value>> = BTreeMap::new();
    let mut steps = Vec::new();
    for write in found.of_kind(MessageKind::Projects) {
        for (id, after) in write.entries() {
            if let Some(before) = known.insert(id, after) {
                steps.push(Step { write, id, before, after });
            }
        }
    }
    steps
}

/// Whether a deleted project is there again; another check judges that.
fn is_restored(step: &Step<'_>) -> bool {
    let is_deleted = |entry| *public(entry, "deleted") == true;
    is_deleted(step.before) && !is_deleted(step.after)
}

fn public<'a>(entry: &'a Map<String, Value>, member: &str) -> &'a Value {
    entry.get("public").map_or(&Value::Null, |public| &public[member])
}

/// Compares every entry of a project with the one before. `public.createdAt` must stay the same.
#[shows(rows::CREATED_AT_KEPT, after = rests!(projects::ENTRY, projects::CREATED_AT))]
async fn projects_keep_when_they_were_created(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Projects).await?;
    let steps = steps(&found);
    for Step { write, id, before, after } in &steps {
        let (want, got) = (public(before, "createdAt"), public(after, "createdAt"));
        let place = format!("/content/content/{id}/public/createdAt");
        expect(probe, &found, write, got == want, &place, &want.to_string(), &got.to_string())?;
    }
    some(&found, steps.len(), "project that was written twice")
}

/// Compares every changed entry of a project with the one before. `public.updatedAt` must be later.
#[shows(
    rows::UPDATED_AT_MOVES,
    after = rests!(rows::DELETED_STAYS, rows::ENTRY_STAYS, projects::ENTRY, projects::UPDATED_AT),
)]
async fn edits_move_when_a_project_was_changed(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Projects).await?;
    let time = |entry| public(entry, "updatedAt").as_str().and_then(moment);
    let mut count = 0;
    for Step { write, id, before, after } in
        steps(&found).into_iter().filter(|step| step.before != step.after && !is_restored(step))
    {
        let (Some(was), Some(is)) = (time(before), time(after)) else { continue };
        count += 1;
        let place = format!("/content/content/{id}/public/updatedAt");
        expect(probe, &found, write, is > was, &place, &format!("later than {was}"), &is.to_string())?;
    }
    some(&found, count, "project that was edited")
}

/// Reads the projects that are deleted or whose artifacts were forgotten. Later writes of the whole map must still hold
/// their entries, and one entry must have `public.deleted` true.
#[shows(
    rows::ENTRY_STAYS,
    after = rests!(
        deployments::PROJECT_ID, deployments::SAME_PROJECT, projects::ENTRY, projects::MAP,
        projects::DELETED, forget_rows::OWN, rows::DELETED_STAYS,
    ),
)]
async fn entries_of_deleted_projects_stay(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Projects).await?;
    let entries: BTreeMap<&str, BTreeSet<bool>> = entries_by_deletion(&found);
    let forgotten: BTreeSet<&str> = found
        .of_kind(MessageKind::Forget)
        .into_iter()
        .filter_map(|forget| project_of(&found, forget))
        .collect();
    let gone: BTreeSet<&str> = forgotten.into_iter().chain(deleted(&found)).collect();
    some(&found, gone.len(), "deleted project")?;
    let writes = found.of_kind(MessageKind::Projects);
    // If writes hold the whole map, each later one must still hold the deleted projects.
    let is_partial = holds_changes_alone(&writes);
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for write in &writes {
        let held: BTreeSet<&str> = write.entries().into_iter().map(|(id, _)| id).collect();
        let lost = known.iter().find(|id| gone.contains(*id) && !held.contains(*id));
        let place = format!("/content/content/{}", lost.copied().unwrap_or_default());
        expect(
            probe,
            &found,
            write,
            is_partial || lost.is_none(),
            &place,
            "the entry of a deleted project",
            "missing",
        )?;
        known.extend(held);
    }
    let Some(last) = writes.last() else { return Ok(()) };
    for id in gone {
        let says_so = entries.get(id).is_some_and(|deleted| deleted.contains(&true));
        let place = format!("/content/content/{id}");
        let want = "an entry whose public.deleted is true";
        expect(probe, &found, last, says_so, &place, want, "no such entry")?;
    }
    Ok(())
}

/// Whether most writes hold one entry, although more projects were known: the network merges them.
fn holds_changes_alone(writes: &[&Message]) -> bool {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let (mut short, mut all) = (0, 0);
    for write in writes {
        let entries = write.entries();
        if known.len() > 1 {
            all += 1;
            short += usize::from(entries.len() <= 1);
        }
        known.extend(entries.into_iter().map(|(id, _)| id));
    }
    2 * short >= all
}

/// The values of `public.deleted` in the entries of each project.
fn entries_by_deletion(found: &Found) -> BTreeMap<&str, BTreeSet<bool>> {
    let mut said: BTreeMap<&str, BTreeSet<bool>> = BTreeMap::new();
    for (id, entry) in found.of_kind(MessageKind::Projects).into_iter().flat_map(Message::entries) {
        said.entry(id).or_default().insert(*public(entry, "deleted") == true);
    }
    said
}

/// Compares every tombstone with the entry before. `public.framework` and `public.deployTarget` must stay the same.
#[shows(
    rows::PUBLIC_KEPT,
    after = rests!(projects::ENTRY, projects::FRAMEWORK, projects::DEPLOY_TARGET, projects::DELETED),
)]
async fn tombstones_keep_framework_and_target(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Projects).await?;
    let is_deleted = |entry| *public(entry, "deleted") == true;
    let mut count = 0;
    for Step { write, id, before, after } in steps(&found) {
        if is_deleted(before) || !is_deleted(after) {
            continue;
        }
        count += 1;
        for member in ["framework", "deployTarget"] {
            let (want, got) = (public(before, member), public(after, member));
            let place = format!("/content/content/{id}/public/{member}");
            expect(probe, &found, write, got == want, &place, &want.to_string(), &got.to_string())?;
        }
    }
    some(&found, count, "deleted project that was written before")
}

/// Compares every entry of a deleted project with the one before. `public.deleted` must stay true.
#[shows(rows::DELETED_STAYS, after = rests!(projects::ENTRY, projects::DELETED))]
async fn deleted_projects_stay_deleted(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Projects).await?;
    let mut count = 0;
    for Step { write, id, before, after } in steps(&found) {
        if *public(before, "deleted") != true {
            continue;
        }
        count += 1;
        let now = public(after, "deleted");
        let place = format!("/content/content/{id}/public/deleted");
        expect(probe, &found, write, *now == true, &place, "true, as before", &now.to_string())?;
    }
    some(&found, count, "write that follows a tombstone")
}

/// Compares every FORGET of a project's artifacts with the write that deleted the project. `content.time` must not be
/// earlier.
#[shows(
    rows::TOMBSTONE_FIRST,
    after = rests!(records::TIME, projects::ENTRY, projects::DELETED, forget_rows::OWN, rows::ENTRY_STAYS),
)]
async fn artifacts_are_forgotten_after_their_project_is_deleted(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Forget).await?;
    let artifacts = artifacts(&found);
    let mut count = 0;
    for forget in found.of_kind(MessageKind::Forget) {
        let Some(id) = project_of(&found, forget) else { continue };
        let is_tombstone = |write: &&Message| {
            write.entries().iter().any(|(key, entry)| *key == id && *public(entry, "deleted") == true)
        };
        let tombstone = found.of_kind(MessageKind::Projects).into_iter().find(is_tombstone);
        let (Some(forgotten), Some(deleted)) = (forget.time(), tombstone.and_then(Message::time)) else {
            continue;
        };
        count += 1;
        let named = hashes(forget).len().min(artifacts.get(id).map_or(0, BTreeSet::len));
        let want = format!("{deleted} or later, when {id} was deleted ({named} artifacts)");
        expect(probe, &found, forget, forgotten >= deleted, "/content/time", &want, &forgotten.to_string())?;
    }
    some(&found, count, "FORGET of a deleted project's artifacts")
}

/// Reads every envelope. No two may have the same `iv`.
#[shows(rows::FRESH_IV, after = rests!(envelope::FORM, envelope::IV))]
async fn no_iv_is_used_twice(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let mut seen: BTreeMap<&str, String> = BTreeMap::new();
    for sealed in envelopes(&found, SEALED) {
        let iv = sealed.value["iv"].as_str().filter(|_| sized::<12>(&sealed.value["iv"]).is_some());
        let Some(iv) = iv else { continue };
        let before = seen.insert(iv, format!("{} of {}", sealed.place, sealed.message.hash()));
        let got = before.as_ref().map(|place| format!("the IV of {place}")).unwrap_or_default();
        let place = format!("{}/iv", sealed.place);
        expect(
            probe,
            &found,
            sealed.message,
            before.is_none(),
            &place,
            "an IV that no other envelope has",
            &got,
        )?;
    }
    some(&found, seen.len(), "envelope with an IV")
}

/// Opens every envelope. No two may have the same data key.
#[shows(rows::FRESH_KEY, after = rests!(envelope::FORM, envelope::WALLET_OPENS, bundle::FORM))]
async fn no_key_encrypts_twice(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let opened = opened(probe, &found, SEALED)?;
    let mut seen: BTreeSet<[u8; 32]> = BTreeSet::new();
    for one in &opened {
        let Some(message) = one.message(&found) else { continue };
        let is_new = seen.insert(*one.dek);
        let got = "the key of another envelope";
        expect(probe, &found, message, is_new, one.place(), "a key that no other envelope has", got)?;
    }
    Ok(())
}
