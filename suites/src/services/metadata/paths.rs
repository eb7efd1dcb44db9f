//! Checks of raw paths: double slashes and missing parameters.

use assay_spec::Place;
use assay_spec::metadata::requirements::paths as rows;

use super::wire::{Form, NAMED, Way, contracts, contracts_at, fetch};
use crate::harness::check::{Checked, rejects, shows};
use crate::harness::data::{At, Want};
use crate::harness::probe::Probe;
use crate::profile::MetadataContract;

/// Fetches the paths with a double slash after the URI until one returns 200. At least one must; other checks judge
/// each path.
#[shows(rows::DOUBLE_SLASH)]
async fn double_slash_after_a_uri_is_part_of_the_path(probe: &Probe<'_>) -> Checked {
    let contracts = contracts(probe, Way::Uri).await?;
    let Some(contract) = contracts.first() else { return Ok(()) };
    let id = contract.token();
    let of_token = |form| id.and_then(|id| contract.token_path(Way::Uri, id, form));
    let mut paths: Vec<Option<String>> = [Form::Bare, Form::Json].map(of_token).to_vec();
    paths.insert(0, contract.path(Way::Uri));
    paths.retain(Option::is_some);
    let last = paths.len() - 1;
    for (n, path) in paths.into_iter().enumerate() {
        let answer = fetch(probe, path).await?;
        if answer.status() == 200 || n == last {
            return answer.expect_accepted(&[200], NAMED);
        }
    }
    Ok(())
}

/// Fetches each path form with an empty content identifier or URI. None must return 200.
#[rejects(rows::REQUIRED)]
async fn path_with_an_empty_contract_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let contracts = contracts_at(probe, place).await?;
    let Some(contract) = contracts.first() else { return Ok(()) };
    let id = contract.token().unwrap_or_default();
    fetch(probe, contract.path_at(place, id)).await?.counterpart_status(&[200])?;
    let (cid, uri_path) = (Some(String::new()), Some(String::new()));
    let empty = MetadataContract { cid, uri_path, ..contract.clone() };
    let answer = fetch(probe, empty.path_at(place, id)).await?;
    answer.expect(
        answer.status() != 200,
        At::status(),
        Want::none_of(&[200]),
        answer.status().to_string(),
    )?;
    // As for an unknown contract, whose document has to be fetched.
    let is_settled = answer.status() < 500 || [502, 504].contains(&answer.status());
    answer.given(is_settled, format!("status {}, which may be temporary", answer.status()))
}
