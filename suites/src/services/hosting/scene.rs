//! What checks of several chapters take from a history: live deployments, their bundles, and what was forgotten.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assay_spec::network::requirements::signing::LOW_S;
use assay_spec::network::signing::verify_record;
use assay_spec::rules::Without;
use serde_json::Value;

use super::found::{Found, absent};
use super::judge::{expect, some};
use super::message::{Message, MessageKind};
use crate::harness::check::{Checked, Stop};
use crate::harness::probe::{Answer, Probe};

/// The most artifacts that one check looks up.
pub(super) const LOOKED_UP: usize = 30;

/// The terminal records of live deployments.
pub(super) fn live(found: &Found) -> Vec<&Message> {
    found.of_kind(MessageKind::Amend).into_iter().filter(|one| one.is_live()).collect()
}

/// Whether a string can be a message's hash in a path.
pub(super) fn is_hash(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 128
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// The hashes in a FORGET.
pub(super) fn hashes(forget: &Message) -> Vec<&str> {
    forget.value["content"]["hashes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The artifacts of each project, from the records of its live deployments.
pub(super) fn artifacts(found: &Found) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut artifacts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for amend in live(found) {
        if !amend.store_ref().is_empty() {
            artifacts.entry(amend.id("projectId")).or_default().insert(amend.store_ref());
        }
    }
    artifacts
}

/// Whether an entry says that its project is deleted.
pub(super) fn is_deleted(entry: &serde_json::Map<String, Value>) -> bool {
    entry.get("public").is_some_and(|public| public["deleted"] == true)
}

/// The projects whose latest entry says that they are deleted.
pub(super) fn deleted(found: &Found) -> BTreeSet<&str> {
    found.projects().into_iter().filter(|(_, (_, entry))| is_deleted(entry)).map(|(id, _)| id).collect()
}

/// The project whose artifacts a FORGET names: a deleted project first, then the one with the most of them.
pub(super) fn project_of<'a>(found: &'a Found, forget: &Message) -> Option<&'a str> {
    let hashes = hashes(forget);
    let named = |artifacts: &BTreeSet<&str>| hashes.iter().filter(|hash| artifacts.contains(*hash)).count();
    let deleted = deleted(found);
    let ranked =
        artifacts(found).into_iter().map(|(id, artifacts)| (named(&artifacts), deleted.contains(id), id));
    ranked
        .filter(|(named, _, _)| *named > 0)
        .max_by_key(|(named, deleted, _)| (*deleted, *named))
        .map(|(_, _, id)| id)
}

/// The terminal records of live deployments to machines.
pub(super) fn machines(found: &Found) -> Vec<&Message> {
    // A project may be edited from one target to another: it is a machine's if each entry says so.
    let entries: Vec<_> =
        found.of_kind(MessageKind::Projects).into_iter().flat_map(Message::entries).collect();
    let is_machine = |one: &&Message| {
        let mut targets = entries
            .iter()
            .filter(|(id, _)| *id == one.id("projectId"))
            .filter_map(|(_, entry)| entry.get("public")?.get("deployTarget"))
            .peekable();
        let is_meant = targets.peek().is_some() && targets.all(|target| target == "instance");
        is_meant || one.body()["public"].get("bundleHash").is_some()
    };
    live(found).into_iter().filter(is_machine).collect()
}

/// The pinned file of a live deployment to a machine.
pub(super) struct Pinned<'a, 'p> {
    /// The record that names it.
    pub(super) message: &'a Message,
    /// The answer with its bytes.
    pub(super) answer: Answer<'p>,
}

/// Downloads the files of live deployments to machines that can still be read.
pub(super) async fn pinned<'a, 'p>(
    probe: &'p Probe<'_>,
    found: &'a Arc<Found>,
) -> Result<Vec<Pinned<'a, 'p>>, Stop> {
    let machines = machines(found);
    some(found, machines.len(), "live deployment to a machine")?;
    let (mut pinned, mut is_gone, mut is_absent) = (Vec::new(), false, false);
    for message in machines.into_iter().rev().take(LOOKED_UP) {
        if !is_hash(message.store_ref()) {
            continue;
        }
        let answer = found.lookup_live(probe, message.store_ref()).await?;
        is_absent |= answer.status() == 404;
        let store = answer.json();
        // Those of a deleted project are forgotten; the network may remove any.
        is_gone |= ["forgotten", "removed"].contains(&store["status"].as_str().unwrap_or_default());
        let Some(name) = store["message"]["content"]["item_hash"].as_str().filter(|name| is_hash(name))
        else {
            continue;
        };
        let mut answer = found.file(probe, name).await?;
        if answer.status() != 200 {
            // The document does not show whether a file is found by its content, by its message or by both.
            answer = found.file(probe, message.store_ref()).await?;
        }
        if answer.status() == 200 {
            pinned.push(Pinned { message, answer });
        }
    }
    probe
        .found(!pinned.is_empty() || !is_gone, "each bundle of a live deployment is forgotten or removed")?;
    if pinned.is_empty() && is_absent {
        return Err(absent("the bundles of the live deployments"));
    }
    probe.given(!pinned.is_empty(), "no bundle of a live deployment can be read")?;
    Ok(pinned)
}

/// Expects a record's signature to be its sender's over the canonical JSON.
pub(super) fn expect_signed(probe: &Probe<'_>, found: &Found, message: &Message) -> Checked {
    let text = |member: &str| message.value[member].as_str().unwrap_or_default();
    // Common implementations accept both values of s.
    let verified = verify_record(&message.text, text("signature"), text("sender"), &mut Without(&LOW_S));
    let got = verified.as_ref().err().map(ToString::to_string).unwrap_or_default();
    let want = "the sender's signature over the canonical JSON";
    expect(probe, found, message, verified.is_ok(), "/signature", want, &got)
}
