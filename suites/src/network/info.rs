//! The node itself: its public information, the prefix of its API, and its other addresses.

use assay_spec::network::info::PUBLIC;
use assay_spec::network::requirements::info as rows;
use assay_spec::network::{message, query};

use super::caller::caller;
use super::replies::{found, until};
use super::wire::{ALTERNATIVE, Call, MIRROR, PRIMARY};
use super::{look, posted};
use crate::check::{Check, Checked, Stop};
use crate::probe::{CONTENT, Evidence, Probe};
use crate::shows;

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::PUBLIC, public_information_is_json).costs(1, 0, 0),
    shows!(rows::PREFIX, api_is_under_its_prefix).costs(3, 0, 0).elsewhere(6),
    shows!(rows::MIRRORS, what_was_written_at_one_address_is_read_at_the_others).costs(4, 0, 0).writes(1),
];

fn public() -> Call {
    Call::get(&PUBLIC, "/info/public.json")
}

/// Reads `/info/public.json`. The body must be a JSON object or array; an empty one shows nothing.
async fn public_information_is_json(probe: &Probe<'_>) -> Checked {
    let answer = found(probe, public()).await?;
    let body = answer.json();
    let is_json = body.is_object() || body.is_array();
    answer.expect(is_json, "body", "a JSON object or array", answer.response.text())?;
    answer.given_accepted(&[200], CONTENT)
}

fn first_page(site: &str) -> Call {
    Call::get(&query::LIST, "/messages?limit=1").to(site)
}

/// A page of messages.
pub(super) const PAGE: Evidence =
    Evidence { what: "an array `messages`", shows: |body| body["messages"].is_array() };

/// Reads the public information, and where that is missing a page of messages, below `/api/v0` at each known address.
/// One of the two must return 200: which endpoints a node offers is left open.
async fn api_is_under_its_prefix(probe: &Probe<'_>) -> Checked {
    if !probe.sees(PRIMARY) {
        return Err(Stop::NotTestable(format!("needs the URL of {PRIMARY}")));
    }
    for site in [PRIMARY, ALTERNATIVE, MIRROR].into_iter().filter(|site| probe.sees(site)) {
        let info = public().to(site).attempt(probe).await?;
        if info.status() == 200 {
            info.expect_accepted(&[200], CONTENT)?;
        } else {
            first_page(site).attempt(probe).await?.expect_accepted(&[200], PAGE)?;
        }
    }
    Ok(())
}

/// Sends a POST to the primary address and reads it at the alternative address and the mirror. Each must return 200.
async fn what_was_written_at_one_address_is_read_at_the_others(probe: &Probe<'_>) -> Checked {
    let others: Vec<&str> = [ALTERNATIVE, MIRROR].into_iter().filter(|site| probe.sees(site)).collect();
    if others.is_empty() {
        let why = "needs another address of the API (alt_url or mirror_url in [network])";
        return Err(Stop::NotTestable(why.to_owned()));
    }
    let hash = posted(probe, &caller(probe)).await?.hash;
    look(probe, &hash).await?.given_status(&[200])?;
    for site in others {
        let call = Call::get(&message::READ, &format!("/messages/{hash}")).to(site);
        let answer = until(probe, call, |answer| answer.status() == 200).await?;
        let status = answer.status();
        answer.expect(status == 200, &format!("status at {site}"), "200", status.to_string())?;
        answer.given_accepted(&[200], CONTENT)?;
    }
    Ok(())
}
