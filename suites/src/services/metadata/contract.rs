//! Checks of contracts, by content identifier and by URI.

use assay_spec::Place;
use assay_spec::metadata::requirements::contract as rows;
use assay_spec::metadata::requirements::paths;

use super::wire::{
    Form, NAMED, Way, another, contracts, contracts_at, document, expect_document, expect_own,
    expect_unknown, fetch, note_alike, parts,
};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::probe::Probe;
use crate::profile::MetadataContract;

async fn found(probe: &Probe<'_>, way: Way) -> Checked {
    let mut unknown = Vec::new();
    for contract in contracts(probe, way).await? {
        let answer = fetch(probe, contract.path(way)).await?;
        expect_document(&answer)?;
        // A contract with both addresses has one document: another row.
        if way == contract.way() {
            expect_own(&answer, &contract.document)?;
        }
        if contract.document.is_empty() {
            unknown.push((contract.path(way).unwrap_or_default(), answer.json()));
        }
    }
    note_alike(probe, &unknown);
    Ok(())
}

/// Fetches each contract by its content identifier. It must return 200 with a JSON object, with the members that are known of
/// its document. Equal documents of two contracts are noted if nothing is known of them.
#[shows(rows::BY_CID)]
async fn contract_is_found_by_cid(probe: &Probe<'_>) -> Checked {
    found(probe, Way::Cid).await
}

/// Fetches each contract by its URI. It must return 200 with a JSON object, with the members that are known of its document.
#[shows(rows::BY_URI, after(paths::DOUBLE_SLASH))]
async fn contract_is_found_by_uri(probe: &Probe<'_>) -> Checked {
    found(probe, Way::Uri).await
}

/// Fetches each path form of an unknown content identifier or URI. It must return a 4xx, 502 or 504; overrides may also be
/// an empty array.
#[rejects(rows::UNKNOWN)]
async fn unknown_contract_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let contracts = contracts_at(probe, place).await?;
    let Some(contract) = contracts.first() else { return Ok(()) };
    let id = contract.token().unwrap_or_default();
    fetch(probe, contract.path_at(place, id)).await?.counterpart_status(&[200])?;
    let unknown = MetadataContract {
        cid: contract.cid.as_deref().map(another),
        uri_path: contract.uri_path.as_ref().map(|uri| format!("{uri}-assay")),
        ..contract.clone()
    };
    let answer = fetch(probe, unknown.path_at(place, id)).await?;
    if parts(place).1 == Some(Form::Overrides) && answer.status() == 200 {
        let is_empty = answer.json().as_array().is_some_and(Vec::is_empty);
        return answer.expect(is_empty, "body", "an empty array", answer.response.text());
    }
    expect_unknown(&answer)
}

/// Fetches each path form of a document by content identifier and by URI. Both bodies must be equal as JSON values, in any
/// member order.
#[shows(rows::SAME)]
async fn cid_and_uri_return_the_same_contract(probe: &Probe<'_>, place: Place) -> Checked {
    let mut both = contracts_at(probe, place).await?;
    both.retain(|contract| contract.cid.is_some());
    if both.is_empty() {
        let why = "needs a contract with both `cid` and `uri_path` ([[metadata.contracts]])";
        return Err(Stop::NotTestable(why.to_owned()));
    }
    for contract in both {
        let id = contract.token().unwrap_or_default();
        let by_cid = match parts(place).1 {
            Some(form) => contract.token_path(Way::Cid, id, form),
            None => contract.path(Way::Cid),
        };
        let wanted = document(probe, by_cid).await?.json();
        let answer = document(probe, contract.path_at(place, id)).await?;
        answer.given_accepted(&[200], NAMED)?;
        let got = answer.json();
        answer.expect(got == wanted, "body", wanted.to_string(), got.to_string())?;
    }
    Ok(())
}
