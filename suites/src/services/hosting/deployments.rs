//! Deployments: creations, terminal records, and the contents of their envelopes.

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_spec::hosting::requirements::{deployments as rows, envelope, security};
use serde_json::Value;

use super::found::{Found, absent, found, is_proven};
use super::judge::{
    MOMENT, MOMENT_OR_NULL, NULL, NUMBER_OR_NULL, OBJECT, TEXT, TEXT_OR_NULL, each, either, every,
    every_deployment, exactly, expect, fail, is, is_null, number, some, with,
};
use super::message::{Message, MessageKind};
use super::scene::{LOOKED_UP, is_hash, live};
use super::sealed::{self, Opened, opened};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;

members! {
    /// Reads every record of a deployment. `type` must be `POST`.
    TYPE deployments_are_posts: every_deployment("/type"), exactly("POST"), rests!();
    /// Reads every record of a deployment. `content.content` must be an object.
    BODY bodies_are_objects: every_deployment("/content/content"), OBJECT, rests!();
    /// Reads every record of a deployment. `deploymentId` must be a string.
    DEPLOYMENT_ID deployments_are_named:
        every_deployment("/content/content/deploymentId"), TEXT, rests!(rows::BODY);
    /// Reads every record of a deployment. `schemaVersion` must be 4.
    SCHEMA deployments_have_schema_4:
        every_deployment("/content/content/schemaVersion"), number(4), rests!(rows::BODY);
    /// Reads every record of a deployment. `public` must be an object.
    PUBLIC public_parts_are_objects: every_deployment("/content/content/public"), OBJECT, rests!(rows::BODY);
    /// Reads every record of a deployment. `public.runId` must be a number or null.
    RUN_ID runs_are_numbers_or_null:
        every_deployment("/content/content/public/runId"), NUMBER_OR_NULL, PUBLIC;
    /// Reads every record of a deployment. `public.runAttempt` must be a number or null.
    RUN_ATTEMPT attempts_are_numbers_or_null:
        every_deployment("/content/content/public/runAttempt"), NUMBER_OR_NULL, PUBLIC;
    /// Reads every record of a deployment. `public.createdAt` must be an ISO 8601 time.
    CREATED_AT deployments_name_when_they_were_created:
        every_deployment("/content/content/public/createdAt"), MOMENT, PUBLIC;
    /// Reads every record of a deployment. `encrypted` must be an object.
    ENCRYPTED deployments_hold_an_envelope:
        every_deployment("/content/content/encrypted"), OBJECT, rests!(rows::BODY);
    /// Reads every creation of a deployment. `public.status` must be `queued`.
    CREATION_QUEUED creations_are_queued:
        every(Creation, "/content/content/public/status"), exactly("queued"), PUBLIC;
    /// Reads every creation of a deployment. `public.storeRef` must be null.
    CREATION_STORE_REF creations_name_no_artifact:
        every(Creation, "/content/content/public/storeRef"), NULL, PUBLIC;
    /// Reads every creation of a deployment. `public.url` must be null.
    CREATION_URL creations_name_no_url: every(Creation, "/content/content/public/url"), NULL, PUBLIC;
    /// Reads every creation of a deployment. `public.finishedAt` must be null.
    CREATION_FINISHED creations_name_no_end:
        every(Creation, "/content/content/public/finishedAt"), NULL, PUBLIC;
    /// Reads every terminal record. `content.type` must be `amend`.
    AMEND_TYPE terminal_records_are_amends: every(Amend, "/content/type"), exactly("amend"), rests!();
    /// Reads every terminal record. `public.status` must be `live` or `failed`.
    TERMINAL_STATUS terminal_records_are_live_or_failed:
        every(Amend, "/content/content/public/status"), either("live", "failed"), PUBLIC;
    /// Reads every terminal record. `public.url` must be a string or null.
    URL urls_are_strings_or_null: every(Amend, "/content/content/public/url"), TEXT_OR_NULL, PUBLIC;
    /// Reads every terminal record. `public.finishedAt` must be an ISO 8601 time or null.
    FINISHED_AT ends_are_times_or_null:
        every(Amend, "/content/content/public/finishedAt"), MOMENT_OR_NULL, PUBLIC;
}

members! {
    /// Opens the envelopes of deployments. `commit` must be a string or null.
    PLAINTEXT_COMMIT commits_are_strings_or_null: inside("commit"), TEXT_OR_NULL, SEALED;
    /// Opens the envelopes of deployments. `commitMessage` must be a string or null.
    PLAINTEXT_MESSAGE commit_messages_are_strings_or_null: inside("commitMessage"), TEXT_OR_NULL, SEALED;
    /// Opens the envelopes of deployments. `branch` must be a string or null.
    PLAINTEXT_BRANCH deployed_branches_are_strings_or_null: inside("branch"), TEXT_OR_NULL, SEALED;
    /// Opens the envelopes of deployments. `actionsRunUrl` must be a string or null.
    PLAINTEXT_RUN run_urls_are_strings_or_null: inside("actionsRunUrl"), TEXT_OR_NULL, SEALED;
    /// Opens the envelopes of deployments. `error` must be a string or null.
    PLAINTEXT_ERROR errors_are_strings_or_null: inside("error"), TEXT_OR_NULL, SEALED;
}

const PUBLIC: &[assay_spec::Id] = rests!(rows::BODY, rows::PUBLIC, rows::AMEND_REF, rows::AMEND_TYPE);
pub(super) const DELEGATE: &[assay_spec::Id] = rests!(
    security::AUTHORIZATIONS,
    security::ENTRY,
    security::ENTRY_ADDRESS,
    security::SIGNER,
    assay_spec::hosting::requirements::history::SECURITY_EXISTS
);
const SEALED: &[assay_spec::Id] =
    rests!(rows::BODY, rows::ENCRYPTED, rows::PLAINTEXT_FORM, envelope::WALLET_OPENS, envelope::KEY_E_OPENS);

/// Reads every creation of a deployment. `content.type` must be the deployment type.
#[shows(rows::CONTENT_TYPE, after = rests!(rows::TYPE))]
async fn creations_have_the_type_of_deployments(probe: &Probe<'_>) -> Checked {
    let kind = &probe.settings.dialect.deployment_type;
    every(probe, MessageKind::Creation, "/content/type", kind, is(kind)).await
}

/// Reads every record of a deployment. `sender` must be a delegate that the owner's `security` lists.
#[shows(rows::DELEGATE, after = DELEGATE)]
async fn deployments_are_written_by_a_delegate(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Creation).await?;
    let listed = super::security::delegates(&found)?;
    let seen = found.deployments().into_iter().map(|one| one.at("/sender"));
    each(
        probe,
        &found,
        "record of a deployment",
        seen,
        "a delegate that the owner's `security` lists",
        |sender| {
            let sender = sender.and_then(Value::as_str).and_then(assay_spec::crypto::address::Address::parse);
            sender.is_some_and(|sender| listed.contains(&sender))
        },
    )
}

/// Reads every record of a deployment. `projectId` must be the identifier of one of the owner's projects.
#[shows(
    rows::PROJECT_ID,
    after = rests!(rows::BODY, rows::SAME_PROJECT, assay_spec::hosting::requirements::projects::MAP),
)]
async fn deployments_name_a_project_of_the_owner(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Creation).await?;
    let known: BTreeSet<&str> = found
        .of_kind(MessageKind::Projects)
        .into_iter()
        .flat_map(Message::entries)
        .map(|(id, _)| id)
        .collect();
    probe.given(!known.is_empty(), "no project of the owner was found")?;
    let seen = found.deployments().into_iter().map(|one| one.at("/content/content/projectId"));
    each(probe, &found, "deployment", seen, "the identifier of a project of the owner", |id| {
        id.and_then(Value::as_str).is_some_and(|id| known.contains(id))
    })
}

/// Reads every terminal record. `content.ref` must be the item hash of a creation; a chain of terminal records is
/// judged by its length elsewhere.
#[shows(rows::AMEND_REF, after = rests!())]
async fn terminal_records_refer_to_their_creation(probe: &Probe<'_>) -> Checked {
    let found = with(probe, MessageKind::Amend).await?;
    // A record from before schema 4 may be amended, too.
    let creations =
        [MessageKind::Creation, MessageKind::Legacy].into_iter().flat_map(|kind| found.of_kind(kind));
    let creations: BTreeSet<&str> = creations.map(Message::hash).collect();
    let amends: BTreeSet<&str> = found.of_kind(MessageKind::Amend).into_iter().map(Message::hash).collect();
    for amend in found.of_kind(MessageKind::Amend) {
        // Another check judges chains of amends by their length.
        let is_known = creations.contains(amend.target()) || amends.contains(amend.target());
        let want = "the item hash of a creation";
        expect(probe, &found, amend, is_known, "/content/ref", want, amend.target())?;
    }
    Ok(())
}

/// Expects a member of each terminal record's body to be that of its creation.
async fn same(probe: &Probe<'_>, member: &str) -> Checked {
    let found = with(probe, MessageKind::Amend).await?;
    let mut count = 0;
    for amend in found.of_kind(MessageKind::Amend) {
        let creation =
            found.of_kind(MessageKind::Creation).into_iter().find(|one| one.hash() == amend.target());
        let Some(creation) = creation else { continue };
        count += 1;
        let (got, want) = (&amend.body()[member], &creation.body()[member]);
        let place = format!("/content/content/{member}");
        expect(probe, &found, amend, got == want, &place, &want.to_string(), &got.to_string())?;
    }
    some(&found, count, "terminal record whose creation is known")
}

/// Compares every terminal record with its creation. `deploymentId` must be the same.
#[shows(rows::SAME_DEPLOYMENT, after = rests!(rows::BODY, rows::AMEND_REF))]
async fn terminal_records_name_the_same_deployment(probe: &Probe<'_>) -> Checked {
    same(probe, "deploymentId").await
}

/// Compares every terminal record with its creation. `projectId` must be the same.
#[shows(rows::SAME_PROJECT, after = rests!(rows::BODY, rows::AMEND_REF))]
async fn terminal_records_name_the_same_project(probe: &Probe<'_>) -> Checked {
    same(probe, "projectId").await
}

/// Looks up `public.storeRef` of the latest live deployments. It must be the hash of a STORE message; one that is gone
/// (410) may say no more than that. If a node lacks it, the other nodes are queried; what all of them lack is not judged,
/// except in a history that the run let the application write.
#[shows(rows::LIVE_STORE_REF, after = PUBLIC)]
async fn live_deployments_name_a_store(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let live = live(&found);
    some(&found, live.len(), "live deployment")?;
    let mut count = 0;
    let place = "/content/content/public/storeRef";
    for amend in live.into_iter().rev().take(LOOKED_UP) {
        let hash = amend.store_ref();
        let want = "the item hash of a STORE message";
        if !is_hash(hash) {
            return fail(probe, &found, amend, place, want, &amend.body()["public"]["storeRef"].to_string());
        }
        let answer = found.lookup_anywhere(probe, hash).await?;
        answer.given_status(&[200, 404, 410])?;
        let body = answer.json();
        let kind = body["message"]["type"].as_str();
        if answer.status() == 404 && !found.is_whole {
            continue;
        }
        count += 1;
        let is_store = match answer.status() {
            200 => kind.is_none_or(|kind| kind == "STORE"),
            410 => true,
            _ => false,
        };
        answer.given(
            is_store || found.is_whole || is_proven(&answer, hash),
            format!("{hash} is of another type, and its signature proves nothing"),
        )?;
        let got = format!("{hash}: {} {}", answer.status(), kind.unwrap_or_default());
        answer.expect(is_store, &format!("{place} of {}", amend.hash()), want, got)?;
    }
    if count == 0 { Err(absent("the artifacts of the live deployments")) } else { Ok(()) }
}

/// Reads the terminal records of failed deployments. `public.storeRef` must be null.
#[shows(rows::FAILED_STORE_REF, after = PUBLIC)]
async fn failed_deployments_name_no_artifact(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let is_failed = |one: &&Message| one.body()["public"]["status"] == "failed";
    let failed = found.of_kind(MessageKind::Amend).into_iter().filter(is_failed);
    let seen = failed.map(|one| one.at("/content/content/public/storeRef"));
    each(probe, &found, "failed deployment", seen, "null", is_null)
}

async fn plaintexts(probe: &Probe<'_>) -> Result<(Arc<Found>, Vec<Opened>), Stop> {
    let found = with(probe, MessageKind::Creation).await?;
    let opened = opened(probe, &found, &[MessageKind::Creation, MessageKind::Amend])?;
    Ok((found, opened))
}

async fn inside(
    probe: &Probe<'_>,
    member: &str,
    want: &str,
    holds: impl Fn(Option<&Value>) -> bool,
) -> Checked {
    let (found, opened) = plaintexts(probe).await?;
    sealed::members(probe, &found, &opened, member, want, holds)
}

/// Opens the envelopes of deployments. Each plaintext must be a JSON object.
#[shows(
    rows::PLAINTEXT_FORM,
    after = rests!(rows::BODY, rows::ENCRYPTED, envelope::WALLET_OPENS, envelope::KEY_E_OPENS),
)]
async fn deployment_envelopes_hold_an_object(probe: &Probe<'_>) -> Checked {
    let (found, opened) = plaintexts(probe).await?;
    sealed::objects(probe, &found, &opened)
}
