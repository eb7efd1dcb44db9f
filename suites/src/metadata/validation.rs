//! Checks of invalid token ids and of the 422 body.

use assay_spec::metadata::requirements::validation as rows;
use serde_json::Value;

use super::refusals;
use super::wire::{Form, NAMED, Way, fetch, with_tokens};
use crate::check::{Check, Checked, Stop};
use crate::probe::{Answer, Probe};
use crate::profile::MetadataContract;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::INTEGER, token_id_that_is_not_an_integer_is_rejected, refusals::INVALID).costs(16, 0, 0),
    shows!(rows::DETAIL, detail_is_an_array_of_objects).costs(2, 0, 0),
    shows!(rows::LOC, loc_is_an_array_of_strings_and_integers).costs(2, 0, 0),
    shows!(rows::MSG, msg_is_a_string).costs(2, 0, 0),
    shows!(rows::TYPE, type_is_a_string).costs(2, 0, 0),
];

/// The first contract with a token, and how it is addressed.
async fn any(probe: &Probe<'_>) -> Result<(MetadataContract, Way), Stop> {
    let mut why = Stop::NotTestable("needs a contract ([[metadata.contracts]])".to_owned());
    for way in Way::BOTH {
        match with_tokens(probe, way).await {
            Ok(contracts) => {
                if let Some(contract) = contracts.into_iter().next() {
                    return Ok((contract, way));
                }
            }
            Err(stop) => why = stop,
        }
    }
    Err(why)
}

/// Fetches token ids that are not integers, in every path form. Each must return 422.
async fn token_id_that_is_not_an_integer_is_rejected(probe: &Probe<'_>) -> Checked {
    any(probe).await?;
    for way in Way::BOTH {
        let contracts = with_tokens(probe, way).await.unwrap_or_default();
        let Some(contract) = contracts.first() else { continue };
        for form in Form::ALL {
            let id = contract.token().unwrap_or_default();
            fetch(probe, contract.token_path(way, id, form)).await?.counterpart_status(&[200])?;
            let bad: &[&str] = if form == Form::Bare { &["abc", "1x", "7.txt"] } else { &["abc"] };
            for id in bad {
                fetch(probe, contract.token_path(way, id, form)).await?.expect_refused()?;
            }
        }
    }
    Ok(())
}

/// The 422 for a token id that is not an integer, after the document of a token. Without both the check is inconclusive.
async fn refusal<'p>(probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
    let (contract, way) = any(probe).await?;
    let id = contract.token().unwrap_or_default();
    fetch(probe, contract.token_path(way, id, Form::Bare)).await?.given_accepted(&[200], NAMED)?;
    let answer = fetch(probe, contract.token_path(way, "abc", Form::Bare)).await?;
    answer.given_status(&[422])?;
    Ok(answer)
}

/// Fetches a token id that is not an integer. `detail` in the 422 must be an array of objects.
async fn detail_is_an_array_of_objects(probe: &Probe<'_>) -> Checked {
    let is_list = |detail: &Value| detail.as_array().is_some_and(|list| list.iter().all(Value::is_object));
    refusal(probe).await?.expect_json("/detail", "an array of objects", is_list).map(drop)
}

async fn expect_each(probe: &Probe<'_>, member: &str, want: &str, holds: impl Fn(&Value) -> bool) -> Checked {
    let answer = refusal(probe).await?;
    let body = answer.json();
    let details: Vec<&Value> =
        body["detail"].as_array().into_iter().flatten().filter(|one| one.is_object()).collect();
    probe.given(!details.is_empty(), "the 422 has no details; another check judges that")?;
    let odd = details.iter().position(|detail| !holds(&detail[member]));
    let place = format!("/detail/{}/{member}", odd.unwrap_or_default());
    let got = odd.map_or_else(String::new, |at| details[at].to_string());
    answer.expect(odd.is_none(), &place, want, got)
}

/// Fetches a token id that is not an integer. `loc` in each detail must be an array of strings and integers.
async fn loc_is_an_array_of_strings_and_integers(probe: &Probe<'_>) -> Checked {
    let is_place = |value: &Value| value.is_string() || value.is_i64() || value.is_u64();
    expect_each(probe, "loc", "an array of strings and integers", |loc| {
        loc.as_array().is_some_and(|places| places.iter().all(is_place))
    })
    .await
}

/// Fetches a token id that is not an integer. `msg` in each detail must be a string.
async fn msg_is_a_string(probe: &Probe<'_>) -> Checked {
    expect_each(probe, "msg", "a string", Value::is_string).await
}

/// Fetches a token id that is not an integer. `type` in each detail must be a string.
async fn type_is_a_string(probe: &Probe<'_>) -> Checked {
    expect_each(probe, "type", "a string", Value::is_string).await
}
