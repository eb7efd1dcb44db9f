//! Raw paths: two slashes in a row, and parameters that are not there.

use assay_spec::metadata::requirements::paths as rows;

use super::wire::{Form, Way, contracts, fetch, get, with_tokens};
use crate::check::{Check, Checked};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::DOUBLE_SLASH, two_slashes_behind_a_uri_are_part_of_the_path).costs(1, 0, 0).elsewhere(4),
    refuses!(rows::REQUIRED, a_path_without_its_uri_has_no_document).costs(4, 0, 0),
];

/// One of the paths that have two slashes is enough: which of them is served is for other checks.
async fn two_slashes_behind_a_uri_are_part_of_the_path(probe: &Probe<'_>) -> Checked {
    let contracts = contracts(probe, Way::Uri).await?;
    let Some(contract) = contracts.first() else { return Ok(()) };
    let id = contract.token();
    let of_token = |form| id.and_then(|id| contract.token_path(Way::Uri, id, form));
    let mut paths: Vec<Option<String>> = Form::ALL.map(of_token).to_vec();
    paths.insert(0, contract.path(Way::Uri));
    paths.retain(Option::is_some);
    let last = paths.len() - 1;
    for (n, path) in paths.into_iter().enumerate() {
        let answer = fetch(probe, path).await?;
        if answer.status() == 200 || n == last {
            return answer.expect_status(&[200]);
        }
    }
    Ok(())
}

async fn a_path_without_its_uri_has_no_document(probe: &Probe<'_>) -> Checked {
    let contracts = with_tokens(probe, Way::Uri).await?;
    let Some(contract) = contracts.first() else { return Ok(()) };
    let id = contract.token().unwrap_or_default();
    fetch(probe, contract.token_path(Way::Uri, id, Form::Bare)).await?.counterpart_status(&[200])?;
    for path in [format!("///{id}"), format!("///{id}.json"), format!("///{id}/overrides")] {
        let answer = get(probe, &path).await?;
        answer.expect(answer.status() != 200, "status", "any but 200", answer.status().to_string())?;
    }
    Ok(())
}
