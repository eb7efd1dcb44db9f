//! Forgetting a project's artifacts.

use std::collections::BTreeSet;

use assay_spec::hosting::requirements::{deployments, forget as rows, records};
use serde_json::Value;

use super::found::Found;
use super::judge::{each, every, expect, is, is_address_of, some, with};
use super::message::{Message, MessageKind};
use super::scene::{LOOKED_UP, artifacts, deleted, hashes, is_deleted, is_hash, project_of};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::{Answer, Probe};

/// The projects of which any entry says that they are deleted.
pub(super) fn ever_deleted(found: &Found) -> BTreeSet<&str> {
    let entries = found.of_kind(MessageKind::Projects).into_iter().flat_map(Message::entries);
    entries.filter(|(_, entry)| is_deleted(entry)).map(|(id, _)| id).collect()
}

/// Reads every message that names `hashes` to forget. `type` must be `FORGET`.
#[shows(rows::TYPE, after = rests!())]
async fn artifacts_end_by_a_forget(probe: &Probe<'_>) -> Checked {
    every(probe, MessageKind::Forget, "/type", "FORGET", is("FORGET")).await
}

/// Reads every FORGET. `sender` must be a delegate that the owner's `security` lists.
#[shows(rows::DELEGATE, after = super::deployments::DELEGATE)]
async fn artifacts_are_forgotten_by_a_delegate(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Forget).await?;
    let listed = super::security::delegates(&found)?;
    let seen = found.of_kind(MessageKind::Forget).into_iter().map(|one| one.at("/sender"));
    each(probe, &found, "FORGET", seen, "a delegate that the owner's `security` lists", |sender| {
        let sender = sender.and_then(Value::as_str).and_then(assay_spec::crypto::address::Address::parse);
        sender.is_some_and(|sender| listed.contains(&sender))
    })
}

/// Reads every FORGET. `content.address` must be the owner's.
#[shows(rows::ADDRESS, after = rests!(records::ADDRESS))]
async fn a_forget_names_the_owner(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Forget).await?;
    let want = format!("the owner's address, {}", found.owner);
    let seen = found.of_kind(MessageKind::Forget).into_iter().map(|one| one.at("/content/address"));
    each(probe, &found, "FORGET", seen, &want, is_address_of(found.owner))
}

/// Looks up the targets of the latest FORGETs and judges each by its hash, status and body, if that can be done.
async fn targets(
    probe: &Probe<'_>,
    found: &Found,
    judge: impl Fn(&str, u16, &Value) -> Option<Result<(), String>>,
    want: &str,
) -> Checked {
    let mut count = 0;
    for forget in found.of_kind(MessageKind::Forget).into_iter().rev().take(LOOKED_UP) {
        for hash in hashes(forget).into_iter().filter(|hash| is_hash(hash)).take(LOOKED_UP) {
            let answer = known(probe, found, hash).await?;
            let Some(judged) = judge(hash, answer.status(), &answer.json()) else { continue };
            count += 1;
            let got = judged.as_ref().err().cloned().unwrap_or_default();
            answer.expect(judged.is_ok(), &format!("a hash of {}", forget.hash()), want, got)?;
        }
    }
    some(found, count, &format!("target of a FORGET that shows whether it is {want}"))
}

/// Looks up a message, on each node until one has it. An answer that says neither what it is nor that it is gone makes the check inconclusive.
async fn known<'p>(probe: &'p Probe<'_>, found: &Found, hash: &str) -> Result<Answer<'p>, Stop> {
    let answer = found.lookup_anywhere(probe, hash).await?;
    answer.given_status(&[200, 404, 410])?;
    Ok(answer)
}

/// Looks up the targets of the latest FORGETs. Each must be a STORE message; one that is gone or unknown cannot be
/// judged.
#[shows(rows::STORES, after = rests!())]
async fn a_forget_names_store_messages(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Forget).await?;
    let judge = |hash: &str, _: u16, body: &Value| match body["message"]["type"].as_str() {
        None => None,
        Some("STORE") => Some(Ok(())),
        Some(kind) => Some(Err(format!("{hash} is a {kind}"))),
    };
    targets(probe, &found, judge, "a STORE message").await
}

/// Looks up the targets of the latest FORGETs. None may be unknown, pending, rejected or removed: a FORGET forgets all
/// its targets or none.
#[shows(rows::CLASSIFIED, after = rests!(rows::STORES))]
async fn forget_names_only_forgettable_messages(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Forget).await?;
    let judge = |hash: &str, status: u16, body: &Value| {
        let state = body["status"].as_str().unwrap_or_default();
        if status == 404 && !found.is_whole {
            return None;
        }
        let is_gone = matches!(state, "removed" | "rejected" | "pending")
            || (matches!(status, 404 | 410) && state != "forgotten");
        Some(if is_gone { Err(format!("{hash}: {status} {state}")) } else { Ok(()) })
    };
    targets(probe, &found, judge, "a message that can be forgotten").await
}

const DAY_SECONDS: i64 = 24 * 60 * 60;

/// Looks up the artifacts of projects that no FORGET names, and that were deleted more than a day ago. None may still be `processed` or `removing`.
#[shows(rows::EVERY, after = rests!(deployments::LIVE_STORE_REF))]
async fn every_artifact_of_a_deleted_project_is_forgotten(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Forget).await?;
    let forgotten: BTreeSet<&str> = found.of_kind(MessageKind::Forget).into_iter().flat_map(hashes).collect();
    let artifacts = artifacts(&found);
    let (mut count, mut asked) = (0, 0);
    // No sentence says how soon the FORGET follows.
    let settled = if found.is_whole { i64::MAX } else { probe.now().await?.seconds() - DAY_SECONDS };
    let projects = found.projects();
    let is_settled = |id: &&str| projects.get(id).and_then(|(write, _)| write.time()) <= Some(settled);
    for id in deleted(&found).into_iter().filter(is_settled) {
        for hash in artifacts.get(id).into_iter().flatten() {
            count += 1;
            if forgotten.contains(hash) || !is_hash(hash) {
                continue;
            }
            asked += 1;
            if asked > LOOKED_UP {
                return Err(Stop::Inconclusive(
                    "too many artifacts are in no FORGET to look all of them up".to_owned(),
                ));
            }
            let answer = known(probe, &found, hash).await?;
            let state = answer.json()["status"].as_str().unwrap_or_default().to_owned();
            let is_there = answer.status() == 200 && matches!(state.as_str(), "processed" | "removing");
            let place = format!("artifact {hash} of {id}");
            answer.expect(
                !is_there,
                &place,
                "a FORGET that names it",
                format!("none, and its status is {state}"),
            )?;
        }
    }
    some(&found, count, "artifact of a deleted project")?;
    probe.expect(true, "artifacts of deleted projects", "forgotten", "")
}

/// Compares the hashes of every FORGET with the artifacts of all projects. It must name the artifacts of one project
/// only.
#[shows(rows::OWN, after = rests!())]
async fn no_artifact_of_another_project_is_forgotten(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Forget).await?;
    let artifacts = artifacts(&found);
    let mut count = 0;
    for forget in found.of_kind(MessageKind::Forget) {
        let Some(own) = project_of(&found, forget) else { continue };
        count += 1;
        for hash in hashes(forget) {
            let others = artifacts.iter().filter(|(id, of)| **id != own && of.contains(hash));
            let other = others.map(|(id, _)| *id).next();
            let is_shared = artifacts.get(own).is_some_and(|of| of.contains(hash));
            let got = other.map(|id| format!("{hash}, an artifact of {id}")).unwrap_or_default();
            let want = format!("artifacts of {own} only");
            expect(probe, &found, forget, other.is_none() || is_shared, "/content/hashes", &want, &got)?;
        }
    }
    some(&found, count, "FORGET of a project's artifacts")
}

/// Counts the FORGETs that name artifacts of each deleted project. No more than one of them may be processed: another one may
/// follow a FORGET that was rejected.
#[shows(rows::ONE, after = rests!())]
async fn a_deleted_project_has_one_forget(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Forget).await?;
    let artifacts = artifacts(&found);
    let mut count = 0;
    for id in deleted(&found) {
        let Some(own) = artifacts.get(id) else { continue };
        let names_one = |forget: &&Message| hashes(forget).iter().any(|hash| own.contains(hash));
        let mut forgets: Vec<&Message> =
            found.of_kind(MessageKind::Forget).into_iter().filter(names_one).collect();
        let Some(last) = forgets.last().copied() else { continue };
        count += 1;
        if forgets.len() > 1 {
            let mut processed = Vec::new();
            for forget in forgets {
                let answer = found.lookup(probe, forget.hash()).await?;
                if answer.json()["status"] == "processed" {
                    processed.push(forget);
                }
            }
            forgets = processed;
        }
        let got = format!("{} for {id}", forgets.len());
        let want = "no more than one for each deleted project";
        expect(probe, &found, last, forgets.len() <= 1, "processed FORGET messages", want, &got)?;
    }
    some(&found, count, "deleted project whose artifacts were forgotten")
}
