//! Checks of contracts, by content identifier and by URI.

use assay_spec::metadata::requirements::contract as rows;
use assay_spec::metadata::requirements::paths;

use super::refusals;
use super::wire::{
    Form, NAMED, Way, another, contracts, document, expect_document, expect_unknown, fetch, get,
};
use crate::check::{Check, Checked, Stop};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::BY_CID, contract_is_found_by_cid).costs(2, 0, 0).elsewhere(4),
    shows!(rows::BY_URI, contract_is_found_by_uri)
        .costs(3, 0, 0)
        .elsewhere(4)
        .after(const { &[&paths::DOUBLE_SLASH] }),
    refuses!(rows::UNKNOWN, unknown_contract_is_rejected, refusals::UNKNOWN).costs(4, 0, 0),
    shows!(rows::SAME, cid_and_uri_return_the_same_contract).costs(4, 0, 0).elsewhere(16),
];

async fn found(probe: &Probe<'_>, way: Way) -> Checked {
    for contract in contracts(probe, way).await? {
        expect_document(&fetch(probe, contract.path(way)).await?)?;
    }
    Ok(())
}

/// Fetches each contract by its content identifier. It must return 200 with a JSON object.
async fn contract_is_found_by_cid(probe: &Probe<'_>) -> Checked {
    found(probe, Way::Cid).await
}

/// Fetches each contract by its URI. It must return 200 with a JSON object.
async fn contract_is_found_by_uri(probe: &Probe<'_>) -> Checked {
    found(probe, Way::Uri).await
}

/// Fetches an unknown content identifier and an unknown URI. Each must return a 4xx, 502 or 504.
async fn unknown_contract_is_rejected(probe: &Probe<'_>) -> Checked {
    let (cids, uris) = (contracts(probe, Way::Cid).await, contracts(probe, Way::Uri).await);
    if let (Err(why), Err(_)) = (&cids, &uris) {
        return Err(why.clone());
    }
    if let Some(contract) = cids.ok().and_then(|all| all.into_iter().next()) {
        fetch(probe, contract.path(Way::Cid)).await?.counterpart_status(&[200])?;
        let unknown = another(contract.cid.as_deref().unwrap_or_default());
        expect_unknown(&get(probe, &format!("/{unknown}")).await?)?;
    }
    if let Some(contract) = uris.ok().and_then(|all| all.into_iter().next()) {
        fetch(probe, contract.path(Way::Uri)).await?.counterpart_status(&[200])?;
        let unknown = format!("{}-assay", contract.uri_path.as_deref().unwrap_or_default());
        expect_unknown(&get(probe, &format!("/{unknown}//")).await?)?;
    }
    Ok(())
}

/// Fetches contracts and tokens by content identifier and by URI. Both bodies must be equal as JSON values, in any
/// member order.
async fn cid_and_uri_return_the_same_contract(probe: &Probe<'_>) -> Checked {
    let mut both = contracts(probe, Way::Cid).await?;
    both.retain(|contract| contract.uri_path.is_some());
    if both.is_empty() {
        let why = "needs a contract with both `cid` and `uri_path` ([[metadata.contracts]])";
        return Err(Stop::NotTestable(why.to_owned()));
    }
    for contract in both {
        let paths = |way| {
            let token = contract.token().and_then(|id| contract.token_path(way, id, Form::Bare));
            [contract.path(way), token]
        };
        for (by_cid, by_uri) in paths(Way::Cid).into_iter().zip(paths(Way::Uri)) {
            if by_cid.is_none() {
                continue;
            }
            let wanted = document(probe, by_cid).await?.json();
            let answer = document(probe, by_uri).await?;
            answer.given_accepted(&[200], NAMED)?;
            let got = answer.json();
            answer.expect(got == wanted, "body", wanted.to_string(), got.to_string())?;
        }
    }
    Ok(())
}
