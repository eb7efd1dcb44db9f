//! Pinned content: what a pin needs, and that content can be downloaded by its hash.

use assay_spec::network::pin::{PIN, READ};
use assay_spec::network::requirements::pins as rows;
use serde_json::{Value, json};

use super::ACCEPTED;
use super::caller::{Caller, caller};
use super::replies::{expect_created, expect_creation, expect_unprocessed, found, until};
use super::upload::{Stored, Upload, unknown, uploaded};
use super::wire::{Call, Draft};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::At;
use crate::harness::probe::Probe;

/// Uploads a file and returns it with the name of its content. If it has no name, the check is inconclusive.
async fn content(probe: &Probe<'_>, owner: &Caller) -> Result<(Stored, String), Stop> {
    content_of(probe, Upload::new(probe, owner)).await
}

/// As [`content`], of this upload.
async fn content_of(probe: &Probe<'_>, upload: Upload) -> Result<(Stored, String), Stop> {
    let stored = uploaded(probe, upload).await?;
    let name = stored.name(probe).await?;
    probe.given(!name.is_empty(), "the message of an upload has no content.item_hash")?;
    Ok((stored, name))
}

async fn pin(probe: &Probe<'_>, owner: &Caller, content: Value) -> Result<Draft, Stop> {
    Ok(Draft::new(probe, owner, "IPFS_PIN", content).await?.to(&PIN, "POST", "/ipfs/pin"))
}

/// Uploads and pins a file. Returns it with the name of its content.
pub(super) async fn pinned(probe: &Probe<'_>) -> Result<(Stored, String), Stop> {
    pinned_of(probe, Upload::new(probe, &caller(probe))).await
}

/// As [`pinned`], of this upload.
async fn pinned_of(probe: &Probe<'_>, upload: Upload) -> Result<(Stored, String), Stop> {
    let owner = upload.caller.clone();
    let (stored, name) = content_of(probe, upload).await?;
    pin(probe, &owner, json!({ "hash": name })).await?.send(probe).await?.given_status(ACCEPTED)?;
    Ok((stored, name))
}

pub(super) fn at(name: &str) -> Call {
    Call::get(&READ, &format!("/ipfs/{name}"))
}

/// Pins the content of an uploaded file, then once more for another address. Each answer must have the `item_hash` of its message,
/// and `status` `success`.
#[shows(rows::PINNED)]
async fn pin_returns_its_hash(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let (_, name) = content(probe, &owner).await?;
    expect_created(probe, &pin(probe, &owner, json!({ "hash": name })).await?).await?;
    let again = pin(probe, &caller(probe), json!({ "hash": name })).await?;
    let answer = again.send(probe).await?;
    answer.expect_status(ACCEPTED)?;
    expect_creation(probe, &answer, &again).await
}

/// Sends pins whose `hash` is missing or of another type. None may be processed: it is rejected at once or later. A
/// number may be read as a string. A valid pin is accepted.
#[rejects(rows::HASH_REQUIRED)]
async fn pin_without_a_hash_is_rejected(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe);
    let (_, name) = content(probe, &owner).await?;
    let good = pin(probe, &owner, json!({ "hash": name })).await?;
    good.counterpart(probe).await?;
    for wrong in probe.wrong_values() {
        let bad = pin(probe, &caller(probe), json!({ "hash": name }))
            .await?
            .inside("hash", wrong.instead_of(&json!(name)));
        expect_unprocessed(probe, &good, &bad, "hash", wrong).await?;
    }
    Ok(())
}

/// Uploads and pins a picture of several chunks and downloads it from `/ipfs/{hash}`. The bytes must be the same.
#[shows(rows::CONTENT)]
async fn pinned_content_comes_back_as_it_was(probe: &Probe<'_>) -> Checked {
    let (stored, name) = pinned_of(probe, Upload::picture(probe, &caller(probe))).await?;
    let answer = found(probe, at(&name)).await?;
    let (sent, came) = (&stored.upload.bytes, &answer.response.body);
    let want = format!("the {} bytes that were uploaded", sent.len());
    answer.expect(sent == came, "body", want, format!("{} bytes, not the same", came.len()))
}

/// Uploads and pins a file and downloads it from `/ipfs/{hash}`. Its content type must be the one of the upload;
/// parameters are ignored.
#[shows(rows::CONTENT_TYPE)]
async fn pinned_content_comes_back_with_its_content_type(probe: &Probe<'_>) -> Checked {
    let (stored, name) = pinned(probe).await?;
    let answer = found(probe, at(&name)).await?;
    let sent = stored.upload.content_type.as_str();
    let came = answer.response.header("content-type").unwrap_or("none");
    // Parameters may follow.
    let essence = came.split(';').next().unwrap_or_default().trim();
    answer.expect(essence.eq_ignore_ascii_case(sent), At::header("content-type"), sent, came)
}

/// Downloads pinned content (200), then an unknown hash of the same form. The second answer must be 404.
#[rejects(rows::UNKNOWN)]
async fn unknown_content_is_not_found(probe: &Probe<'_>) -> Checked {
    let (_, name) = pinned(probe).await?;
    until(probe, at(&name), |answer| answer.status() == 200).await?.counterpart_status(&[200])?;
    at(&unknown(probe, &name)?).attempt(probe).await?.expect_refused()
}
