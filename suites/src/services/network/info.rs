//! The node itself: its public information, the prefix of its API, and its other addresses.

use assay_spec::Place;
use assay_spec::network::info::PUBLIC;
use assay_spec::network::places::{AGGREGATE, AGGREGATES_OF, FILES, INFO, MESSAGE, METRICS};
use assay_spec::network::query;
use assay_spec::network::requirements::{info as rows, messages, programs};

use super::ACCEPTED;
use super::replies::until;
use super::scene::polled;
use super::valid::{Valid, prepared, valid};
use super::wire::{ALTERNATIVE, Call, MIRROR, PRIMARY};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Answer, CONTENT, Evidence, Probe};

/// The endpoints at which a run on a shared target looks for what it has written: nothing else changes that.
const SHARED: &[Place] = &[MESSAGE[0], AGGREGATE[0], AGGREGATES_OF[0], FILES[0], FILES[1]];

fn public() -> Call {
    Call::get(&PUBLIC, "/info/public.json")
}

/// Reads `/info/public.json`. It must return 200 and a JSON object or array; an empty one shows nothing. Every node has
/// it, so a 404 fails also where the profile is not strict.
#[shows(rows::PUBLIC, after(rows::PREFIX))]
async fn public_information_is_json(probe: &Probe<'_>) -> Checked {
    let read = async || public().attempt(probe).await;
    let answer = polled(probe, read, |answer| answer.status() == 200).await?;
    answer.expect_status(&[200])?;
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

/// Sends a valid request to each endpoint below `/api/v0`. None may return 404 or 405. Reads the public information, and
/// where that is missing a page of messages, at each known address: one of the two must return 200. A controlled node must
/// have the public information.
#[shows(rows::PREFIX, elsewhere_at = INFO, after(programs::RUN, messages::FOUND))]
async fn api_is_under_its_prefix(probe: &Probe<'_>, place: Place) -> Checked {
    if !probe.sees(PRIMARY) {
        return Err(Stop::NotTestable(format!("needs the URL of {PRIMARY}")));
    }
    if place.endpoint != PUBLIC.name {
        let is_there = |answer: &Answer<'_>| ![404, 405].contains(&answer.status());
        let mut answer = until(probe, prepared(probe, place).await?.call, is_there).await?;
        // The document names two addresses for the metrics of nodes.
        if METRICS.contains(&place) && !is_there(&answer) && probe.sees(ALTERNATIVE) {
            answer = until(probe, prepared(probe, place).await?.call.to(ALTERNATIVE), is_there).await?;
        }
        answer.expect(
            is_there(&answer),
            At::status(),
            Want::none_of(&[404, 405]).said("neither 404 nor 405"),
            answer.status().to_string(),
        )?;
        return answer.given_status(ACCEPTED);
    }
    for site in [PRIMARY, ALTERNATIVE, MIRROR].into_iter().filter(|site| probe.sees(site)) {
        let info = public().to(site).attempt(probe).await?;
        if info.status() == 200 || probe.owns_time() {
            info.expect_accepted(&[200], CONTENT)?;
        } else {
            first_page(site).attempt(probe).await?.expect_accepted(&[200], PAGE)?;
        }
    }
    Ok(())
}

/// Writes what each reading endpoint shows at the primary address, and reads it there, at the alternative address and at
/// the mirror. Each must return 200 and show it with the same media type; an aggregate with the same content must have the same other members.
#[shows(rows::MIRRORS, elsewhere_at = SHARED)]
async fn what_was_written_at_one_address_is_read_at_the_others(probe: &Probe<'_>, place: Place) -> Checked {
    let others: Vec<&str> = [ALTERNATIVE, MIRROR].into_iter().filter(|site| probe.sees(site)).collect();
    if others.is_empty() {
        let why = "needs another address of the API (alt_url or mirror_url in [network])";
        return Err(Stop::NotTestable(why.to_owned()));
    }
    let Valid { call, shows } = valid(probe, place).await?;
    let is_shown = |answer: &Answer<'_>| answer.status() == 200 && answer.response.text().contains(&shows);
    let first = until(probe, call.clone(), is_shown).await?;
    first.given_status(&[200])?;
    probe.given(is_shown(&first), "the primary address does not show what was written")?;
    for site in others {
        let answer = until(probe, call.clone().to(site), is_shown).await?;
        let is_same = !shows.is_empty() || answer.response.body == first.response.body;
        let got = format!("{}: {}", answer.status(), answer.response.text());
        let want = format!("200, showing what was written ({shows})");
        answer.expect(is_shown(&answer) && is_same, &format!("answer at {site}"), want, got)?;
        let kinds = [&first, &answer].map(|answer| answer.response.media_type());
        let [want, got] = kinds.map(|kind| format!("{kind:?}"));
        answer.expect(want == got, &format!("media type at {site}"), want, got)?;
        // A node that has not processed the write may return an aggregate without members.
        if AGGREGATE.contains(&place) && first.json()["content"] == answer.json()["content"] {
            let [want, got] = [&first, &answer].map(|answer| answer.json().to_string());
            answer.expect(want == got, &format!("aggregate at {site}"), want, got)?;
        }
    }
    Ok(())
}
