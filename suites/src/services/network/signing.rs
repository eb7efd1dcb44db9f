//! Which signatures the node accepts.

use assay_spec::Place;
use assay_spec::network::aggregate::CREATE;
use assay_spec::network::requirements::{info, instances, messages, signing as rows, store, webhooks};
use serde_json::json;

use super::caller::{Procedure, caller};
use super::creations::Creation;
use super::scene::aggregate;
use super::{ACCEPTED, CREATED};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::probe::Probe;
use crate::profile::SigningScheme;

/// Stops unless the profile declares this signing scheme.
fn declared(probe: &Probe<'_>, wanted: SigningScheme) -> Checked {
    let declared = probe.settings.network().signing_scheme;
    if [Some(wanted), Some(SigningScheme::Either)].contains(&declared) {
        return Ok(());
    }
    let why = "the target's profile does not declare this signing_scheme ([network.readings])";
    Err(Stop::NotApplicable(why.to_owned()))
}

/// Sends a message that is signed over its string. It must be accepted. Runs where the profile's `signing_scheme` allows
/// it.
#[shows(
    rows::GENERAL_TAKEN,
    after(info::PREFIX, instances::CONTROLLED, webhooks::EVENT_NAMES, store::PROCESSED)
)]
async fn message_signed_as_a_string_is_accepted(probe: &Probe<'_>, place: Place) -> Checked {
    declared(probe, SigningScheme::General)?;
    let nonce = assay_spec::crypto::text::hex(&probe.draw("nonce")[..16]);
    let creation = Creation::at(probe, place).await?;
    let mut draft = creation.draft(probe).await?.with("nonce", Some(json!(nonce)));
    draft.procedure = Procedure::General;
    draft.send(probe).await?.expect_accepted(ACCEPTED, creation.evidence())
}

/// Sends an AGGREGATE that is signed over the digest of its canonical JSON. It must be accepted. Runs where the
/// profile's `signing_scheme` allows it.
#[shows(rows::RECORD_TAKEN, after(messages::TYPE_FREE))]
async fn aggregate_signed_over_its_canonical_json_is_accepted(probe: &Probe<'_>, place: Place) -> Checked {
    declared(probe, SigningScheme::CanonicalRecord)?;
    let mut draft = aggregate(probe, &caller(probe)).await?.to(&CREATE, "POST", "/aggregates").at(place);
    draft.procedure = Procedure::Record;
    draft.send(probe).await?.expect_accepted(ACCEPTED, CREATED)
}

/// Sends to each endpoint that creates or changes something a valid message, which must be accepted, and valid messages
/// signed by another key, with the signature of another message, and with the signature `0x00`. Each of these must return
/// 400, 401 or 403. A message without a signature is sent too; whether it may be missing is left open. Runs where the
/// profile sets `verifies_signatures`.
#[rejects(rows::VERIFIED)]
async fn message_signed_by_another_key_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    verified(probe)?;
    let creation = Creation::rejected(probe, place).await?;
    creation.counterpart(probe).await?;
    let good = creation.draft(probe).await?;
    let mut forged = good.clone();
    forged.caller = good.caller.with_key_of(&caller(probe));
    forged.attempt(probe).await?.expect_refused()?;
    // The right key, but the signature of another message.
    let signature = good.signature();
    let other = good.clone().with("channel", Some(json!("ANOTHER")));
    other.outside("signature", Some(json!(signature))).attempt(probe).await?.expect_refused()?;
    let nonsense = good.clone().outside("signature", Some(json!("0x00")));
    nonsense.attempt(probe).await?.expect_refused()?;
    good.outside("signature", None).attempt(probe).await.map(drop)
}

/// Stops unless the profile declares that the target verifies signatures.
pub(super) fn verified(probe: &Probe<'_>) -> Checked {
    if probe.settings.network().verifies_signatures {
        return Ok(());
    }
    let why = "the target's profile does not set verifies_signatures ([network.readings])";
    Err(Stop::NotApplicable(why.to_owned()))
}
