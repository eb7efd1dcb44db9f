//! Deployments to virtual machines: the bundle file, and its hash in the record.

use assay_spec::crypto::text::sha256_hex;
use assay_spec::hosting::requirements::{deployments, instances as rows, projects};
use serde_json::Value;

use super::found::found;
use super::judge::{each, expect, some};
use super::scene::{Pinned, machines, pinned};
use crate::harness::check::{Checked, shows};
use crate::harness::probe::Probe;

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
