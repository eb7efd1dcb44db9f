//! Checks of invalid token ids and of the 422 body.

use assay_spec::Place;
use assay_spec::json::is_integer;
use assay_spec::metadata::places::TOKEN_BY_CID;
use assay_spec::metadata::requirements::validation as rows;
use serde_json::Value;

use super::wire::{Form, NAMED, contracts_at, fetch, parts};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::At;
use crate::harness::probe::{Answer, Probe};
use crate::profile::MetadataContract;

/// The first contract with a token at a place.
async fn contract_at(probe: &Probe<'_>, place: Place) -> Result<MetadataContract, Stop> {
    let first = contracts_at(probe, place).await?.into_iter().next();
    first.ok_or_else(|| Stop::NotTestable("needs a contract ([[metadata.contracts]])".to_owned()))
}

/// Fetches token ids that are not integers, in every path form. Each must return 422.
// At the two paths without an end, an extension makes one more.
#[rejects(rows::INTEGER)]
async fn token_id_that_is_not_an_integer_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let contract = contract_at(probe, place).await?;
    let id = contract.token().unwrap_or_default();
    fetch(probe, contract.path_at(place, id)).await?.counterpart_status(&[200])?;
    for wrong in probe.wrong_values() {
        let id = wrong.instead_of(&Value::Null).unwrap_or_default();
        let path = contract.path_at(place, id.as_str().unwrap_or_default());
        fetch(probe, path).await?.expect_refused_value("the token id", wrong)?;
    }
    if parts(place).1 != Some(Form::Bare) {
        return Ok(());
    }
    fetch(probe, contract.path_at(place, "7.txt")).await?.expect_refused()
}

/// Fetches token ids that are not UTF-8, that have a zero byte, and that have 5,000 digits. Each must return a status below 500, or
/// 502 or 504 as for a token that cannot be fetched. The document of a token must return 200 before and after them.
#[shows(rows::ODD_ID, elsewhere_at = TOKEN_BY_CID)]
async fn odd_token_id_causes_no_internal_error(probe: &Probe<'_>, place: Place) -> Checked {
    let contract = contract_at(probe, place).await?;
    let token = contract.token_path(parts(place).0, contract.token().unwrap_or_default(), Form::Bare);
    fetch(probe, token.clone()).await?.given_accepted(&[200], NAMED)?;
    let digits = "7".repeat(5_000);
    for (what, odd) in
        [("a byte that is not UTF-8", "%ff"), ("a zero byte", "%00"), ("5,000 digits", digits.as_str())]
    {
        let answer = fetch(probe, contract.path_at(place, odd)).await?;
        let status = answer.status();
        let is_handled = (200..500).contains(&status) || [502, 504].contains(&status);
        let want = format!("200 to 499, 502 or 504 for {what}");
        answer.expect(is_handled, At::status(), want, status.to_string())?;
    }
    fetch(probe, token).await?.expect_accepted(&[200], NAMED)
}

/// The 422 for a token id that is not an integer, after the document of a token. Without both the check is inconclusive.
async fn refusal<'p>(probe: &'p Probe<'_>, place: Place) -> Result<Answer<'p>, Stop> {
    let contract = contract_at(probe, place).await?;
    let id = contract.token().unwrap_or_default();
    fetch(probe, contract.token_path(parts(place).0, id, Form::Bare)).await?.given_accepted(&[200], NAMED)?;
    let answer = fetch(probe, contract.path_at(place, "abc")).await?;
    answer.given_status(&[422])?;
    Ok(answer)
}

/// Fetches a token id that is not an integer, in every path form. `detail` in the 422 must be an array of objects.
#[shows(rows::DETAIL)]
async fn detail_is_an_array_of_objects(probe: &Probe<'_>, place: Place) -> Checked {
    let is_list = |detail: &Value| detail.as_array().is_some_and(|list| list.iter().all(Value::is_object));
    refusal(probe, place).await?.expect_json("/detail", "an array of objects", is_list).map(drop)
}

async fn expect_each(
    probe: &Probe<'_>,
    place: Place,
    member: &str,
    want: &str,
    holds: impl Fn(&Value) -> bool,
) -> Checked {
    let answer = refusal(probe, place).await?;
    let body = answer.json();
    if body["detail"].as_array().is_some_and(Vec::is_empty) {
        return Err(Stop::NotTestable("the 422 has an empty list of details".to_owned()));
    }
    let details: Vec<&Value> =
        body["detail"].as_array().into_iter().flatten().filter(|one| one.is_object()).collect();
    probe.given(!details.is_empty(), "the 422 has no details; another check judges that")?;
    let odd = details.iter().position(|detail| !holds(&detail[member]));
    let pointer = format!("/detail/{}/{member}", odd.unwrap_or_default());
    let got = odd.map_or_else(String::new, |at| details[at].to_string());
    answer.expect(odd.is_none(), &pointer, want, got)
}

/// Fetches a token id that is not an integer, in every path form. `loc` in each detail must be an array of strings and integers.
#[shows(rows::LOC)]
async fn loc_is_an_array_of_strings_and_integers(probe: &Probe<'_>, place: Place) -> Checked {
    let is_place = |value: &Value| value.is_string() || is_integer(value);
    expect_each(probe, place, "loc", "an array of strings and integers", |loc| {
        loc.as_array().is_some_and(|places| places.iter().all(is_place))
    })
    .await
}

/// Fetches a token id that is not an integer, in every path form. `msg` in each detail must be a string.
#[shows(rows::MSG)]
async fn msg_is_a_string(probe: &Probe<'_>, place: Place) -> Checked {
    expect_each(probe, place, "msg", "a string", Value::is_string).await
}

/// Fetches a token id that is not an integer, in every path form. `type` in each detail must be a string.
#[shows(rows::TYPE)]
async fn type_is_a_string(probe: &Probe<'_>, place: Place) -> Checked {
    expect_each(probe, place, "type", "a string", Value::is_string).await
}
