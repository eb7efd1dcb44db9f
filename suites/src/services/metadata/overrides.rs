//! Checks of overrides: an array of objects. The document shows nothing more, so an empty array passes.

use assay_spec::metadata::requirements::{overrides as rows, paths};
use serde_json::Value;

use super::wire::{Form, NAMED, Way, fetch, with_tokens};
use crate::harness::check::{Checked, shows};
use crate::harness::probe::Probe;

async fn expect_lists(probe: &Probe<'_>, way: Way) -> Checked {
    let mut elements = 0;
    for contract in with_tokens(probe, way).await? {
        for id in contract.tokens_of(probe) {
            // Overrides may be empty, so the token itself shows that the server knows it.
            fetch(probe, contract.token_path(way, id, Form::Bare)).await?.given_accepted(&[200], NAMED)?;
            let answer = fetch(probe, contract.token_path(way, id, Form::Overrides)).await?;
            answer.expect_status(&[200])?;
            let body = answer.json();
            let list = body.as_array();
            let is_list = list.is_some_and(|list| list.iter().all(Value::is_object));
            answer.expect(is_list, "body", "a JSON array of objects", answer.response.text())?;
            elements += list.map_or(0, Vec::len);
            if probe.owns_time() {
                let again = fetch(probe, contract.token_path(way, id, Form::Overrides)).await?.json();
                answer.expect(
                    again == body,
                    "body of a second request",
                    body.to_string(),
                    again.to_string(),
                )?;
            }
            if way == Way::Uri && contract.cid.is_some() {
                let path = contract.token_path(Way::Cid, id, Form::Overrides);
                let by_cid = fetch(probe, path).await?;
                by_cid.given_status(&[200])?;
                let wanted = by_cid.json();
                let is_list = wanted.as_array().is_some_and(|list| list.iter().all(Value::is_object));
                probe.given(is_list, "the overrides by content identifier are not an array of objects")?;
                answer.expect(body == wanted, "body", wanted.to_string(), body.to_string())?;
            }
        }
    }
    if elements == 0 {
        probe.note("no token has overrides");
    }
    Ok(())
}

/// Fetches the overrides of tokens by content identifier. Each must return 200 with an array of objects, in a world of its own twice with
/// the same.
#[shows(rows::BY_CID)]
async fn overrides_by_cid_are_an_array_of_objects(probe: &Probe<'_>) -> Checked {
    expect_lists(probe, Way::Cid).await
}

/// Fetches the overrides of tokens by URI. Each must return 200 with an array of objects, the one that is found by content
/// identifier if the contract has one, in a world of its own twice with the same.
#[shows(rows::BY_URI, after(paths::DOUBLE_SLASH))]
async fn overrides_by_uri_are_an_array_of_objects(probe: &Probe<'_>) -> Checked {
    expect_lists(probe, Way::Uri).await
}
