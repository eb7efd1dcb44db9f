//! Deployments to virtual machines: the bundle file, and its hash in the record.

use std::sync::Arc;

use assay_spec::crypto::text::sha256_hex;
use assay_spec::hosting::requirements::{deployments, instances as rows, projects};
use serde_json::Value;

use super::deployments::{LOOKED_UP, is_hash, live};
use super::found::{Found, absent, found};
use super::judge::{each, expect, some};
use super::message::{Message, MessageKind};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::{Answer, Probe};

/// The terminal records of live deployments to machines.
fn machines(found: &Found) -> Vec<&Message> {
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

/// Reads the terminal records of live deployments to machines. `public.bundleHash` must be 64 hexadecimal digits.
#[shows(
    rows::BUNDLE_HASH,
    after = rests!(
        deployments::PUBLIC, deployments::PROJECT_ID, deployments::SAME_PROJECT, projects::DEPLOY_TARGET,
    ),
)]
async fn live_machines_name_their_bundles_hash(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let seen = machines(&found).into_iter().map(|one| one.at("/content/content/public/bundleHash"));
    let is_digest = |value: Option<&Value>| {
        let text = value.and_then(Value::as_str).unwrap_or_default();
        text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    each(probe, &found, "live deployment to a machine", seen, "64 hexadecimal digits", is_digest)
}

/// Downloads the files of live deployments to machines. `public.bundleHash` must be the SHA-256 of the file.
#[shows(
    rows::BUNDLE_HASH_VALUE,
    after = rests!(
        deployments::PUBLIC, deployments::PROJECT_ID, deployments::SAME_PROJECT, deployments::LIVE_STORE_REF,
        rows::BUNDLE_HASH,
    ),
)]
async fn hashes_are_those_of_the_pinned_files(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let mut count = 0;
    for Pinned { message, answer } in pinned(probe, &found).await? {
        let stated = message.body()["public"]["bundleHash"].as_str().unwrap_or_default().to_lowercase();
        let want = sha256_hex(&answer.response.body);
        count += 1;
        let place = "/content/content/public/bundleHash";
        expect(probe, &found, message, stated == want, place, &want, &stated)?;
    }
    some(&found, count, "bundle")
}

/// Downloads the files of live deployments to machines. Each must be JSON with `kind` or `deks`.
#[shows(
    rows::BUNDLE_WRAPPED,
    after = rests!(
        deployments::PUBLIC, deployments::PROJECT_ID, deployments::SAME_PROJECT, deployments::LIVE_STORE_REF,
    ),
)]
async fn pinned_files_are_bundle_envelopes(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    for Pinned { message, answer } in pinned(probe, &found).await? {
        let file = answer.json();
        let looks_like_one = file.get("kind").is_some() || file.get("deks").is_some();
        let got = format!("a file of {} bytes", answer.response.body.len());
        let place = format!("the file that {} names", message.hash());
        answer.expect(looks_like_one, &place, "a bundle envelope", got)?;
    }
    Ok(())
}
