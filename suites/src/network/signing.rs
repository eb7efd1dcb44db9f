//! Which signatures the node accepts.

use assay_spec::network::requirements::{info, messages, signing as rows};
use serde_json::json;

use super::caller::{Caller, Procedure, caller};
use super::envelope::{CREATING, created_at};
use super::messages::aggregate;
use super::refusals;
use super::wire::Draft;
use super::{ACCEPTED, CREATED, counterpart, instances, post_draft};
use crate::check::{Check, Checked, Stop};
use crate::probe::Probe;
use crate::profile::SigningScheme;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::GENERAL_TAKEN, message_signed_as_a_string_is_accepted)
        .costs(1, 0, 0)
        .writes(1)
        .after(const { &[&info::PREFIX] }),
    shows!(rows::RECORD_TAKEN, aggregate_signed_over_its_canonical_json_is_accepted)
        .costs(1, 0, 0)
        .writes(1)
        .after(const { &[&messages::TYPE_FREE] }),
    refuses!(rows::VERIFIED, message_signed_by_another_key_is_rejected, refusals::UNSIGNED)
        .costs(29, 0, 0)
        .writes(27),
];

/// Stops unless the profile declares this signing scheme.
fn declared(probe: &Probe<'_>, wanted: SigningScheme) -> Checked {
    let declared = probe.settings.network.signing_scheme;
    if [Some(wanted), Some(SigningScheme::Either)].contains(&declared) {
        return Ok(());
    }
    let why = "the target's profile does not declare this signing_scheme ([network.readings])";
    Err(Stop::NotApplicable(why.to_owned()))
}

/// Sends a POST that is signed over the string of its message. It must be accepted. Runs where the profile's
/// `signing_scheme` allows it.
async fn message_signed_as_a_string_is_accepted(probe: &Probe<'_>) -> Checked {
    declared(probe, SigningScheme::General)?;
    let nonce = assay_spec::crypto::text::hex(&probe.draw("nonce")[..16]);
    let mut draft = post_draft(probe, &caller(probe)).await?.with("nonce", Some(json!(nonce)));
    draft.procedure = Procedure::General;
    draft.send(probe).await?.expect_accepted(ACCEPTED, CREATED)
}

/// Sends an AGGREGATE that is signed over the digest of its canonical JSON. It must be accepted. Runs where the
/// profile's `signing_scheme` allows it.
async fn aggregate_signed_over_its_canonical_json_is_accepted(probe: &Probe<'_>) -> Checked {
    declared(probe, SigningScheme::CanonicalRecord)?;
    let mut draft = aggregate(probe, &caller(probe)).await?;
    draft.procedure = Procedure::Record;
    draft.send(probe).await?.expect_accepted(ACCEPTED, CREATED)
}

/// Sends POSTs signed by another key, with the signature of another message, and with the signature `0x00`, and to each
/// endpoint that creates or changes something a valid message signed by another key. Each must return 400, 401 or 403;
/// what is signed by its own key is accepted. The same messages without a signature are sent too; whether it may be
/// missing is left open. Runs where the profile sets `verifies_signatures`.
async fn message_signed_by_another_key_is_rejected(probe: &Probe<'_>) -> Checked {
    verified(probe)?;
    counterpart(probe).await?;
    let (owner, other) = (caller(probe), caller(probe));
    let forged = post_draft(probe, &owner.with_key_of(&other)).await?;
    forged.attempt(probe).await?.expect_refused()?;
    // The right key, but the signature of another message.
    let mut draft = post_draft(probe, &owner).await?;
    let signature = draft.signature();
    draft = draft.with("channel", Some(json!("ANOTHER"))).outside("signature", Some(json!(signature)));
    draft.attempt(probe).await?.expect_refused()?;
    let post = post_draft(probe, &owner).await?;
    let nonsense = post.clone().outside("signature", Some(json!("0x00")));
    nonsense.attempt(probe).await?.expect_refused()?;
    post.outside("signature", None).attempt(probe).await?;
    for creating in CREATING {
        let Some((good, answer)) = created_at(probe, &owner, creating).await? else { continue };
        is_verified(probe, &good, &other).await?;
        let Some(id) = answer.json()["instance_id"].as_str().map(str::to_owned) else { continue };
        for change in instances::changes(probe, &owner, &id).await? {
            change.send(probe).await?.counterpart_status(ACCEPTED)?;
            is_verified(probe, &change, &other).await?;
        }
    }
    Ok(())
}

/// Expects that a message is rejected if another sender has signed it, and sends it without a signature.
async fn is_verified(probe: &Probe<'_>, good: &Draft, other: &Caller) -> Checked {
    let mut forged = good.clone();
    forged.caller = good.caller.with_key_of(other);
    forged.attempt(probe).await?.expect_refused()?;
    good.clone().outside("signature", None).attempt(probe).await.map(drop)
}

/// Stops unless the profile declares that the target verifies signatures.
pub(super) fn verified(probe: &Probe<'_>) -> Checked {
    if probe.settings.network.verifies_signatures {
        return Ok(());
    }
    let why = "the target's profile does not set verifies_signatures ([network.readings])";
    Err(Stop::NotApplicable(why.to_owned()))
}
