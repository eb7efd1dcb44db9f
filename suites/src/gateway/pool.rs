//! The servers behind the gateway: a request fails only when all of them have.

use std::time::Duration;

use assay_spec::gateway::chat;
use assay_spec::gateway::requirements::{pool as rows, stream};
use serde_json::{Value, json};

use super::bodies;
use super::chat::good;
use super::given::{Skill, model};
use super::wire::Call;
use crate::check::{Check, Checked, Need, Stop};
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::FAILOVER, one_live_server_is_enough)
        .costs(6, 0, 0)
        .elsewhere(2 * SERVERS as u32)
        .needs(&[Need::Faults]),
    refuses!(rows::ALL_FAILED, without_a_live_server_nothing_is_answered)
        .costs(3, 0, 0)
        .needs(&[Need::Faults])
        .after(const { &[&stream::ERROR_BEFORE] }),
    shows!(rows::PER_MODEL, the_servers_of_one_model_are_no_others)
        .costs(2, 0, 0)
        .elsewhere(3)
        .needs(&[Need::Faults]),
    shows!(rows::RECOVERS, a_server_that_is_back_answers)
        .costs(3, 0, 0)
        .elsewhere(2 + LOOKS)
        .needs(&[Need::Faults, Need::Clock]),
    shows!(rows::COOKIES, what_sends_the_cookies_back_is_answered).costs(2, 0, 0),
];

/// How many servers of a model are left alone in turn, at most.
const SERVERS: usize = 4;
/// How often a server that is back is asked, and how much time passes between.
const LOOKS: u32 = 6;
const PAUSE: Duration = Duration::from_mins(1);

/// The faults by which every server fails before the first byte.
pub(super) fn all_down() -> Value {
    json!([{ "fault": "gateway.server-down" }])
}

async fn ask<'p>(probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
    Call::post(&chat::ENDPOINT, &good(probe).await?).send(probe).await
}

/// The servers of a model, as a control API names them.
async fn servers(probe: &Probe<'_>, id: &str) -> Result<Vec<String>, Stop> {
    let view = probe.view("gateway").await;
    let models = view["models"].as_array().into_iter().flatten();
    let servers = models.filter(|model| model["id"] == id).filter_map(|model| model["servers"].as_array());
    let names: Vec<String> = servers.flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    let needs = "needs a control API that tells the servers of a model, of which there are two or more";
    if names.len() < 2 { Err(Stop::NotTestable(needs.to_owned())) } else { Ok(names) }
}

async fn one_live_server_is_enough(probe: &Probe<'_>) -> Checked {
    let names = servers(probe, &model(probe, Skill::Chat).await?).await?;
    for alive in names.iter().take(SERVERS) {
        let others = names.iter().filter(|name| *name != alive);
        let down = others.map(|name| json!({ "fault": "gateway.server-down", "where": { "server": name } }));
        probe.faults(down.collect()).await?;
        // Once while their failure is news, once when it is known.
        for _ in 0..2 {
            ask(probe).await?.expect_status(&[200])?;
        }
    }
    Ok(())
}

async fn without_a_live_server_nothing_is_answered(probe: &Probe<'_>) -> Checked {
    ask(probe).await?.counterpart_status(&[200])?;
    probe.faults(all_down()).await?;
    ask(probe).await?.expect_status(&[503])?;
    let streamed = bodies::with(good(probe).await?, "/stream", json!(true));
    Call::post(&chat::ENDPOINT, &streamed).send(probe).await?.expect_status(&[503])
}

async fn the_servers_of_one_model_are_no_others(probe: &Probe<'_>) -> Checked {
    let one = model(probe, Skill::Chat).await?;
    let view = probe.view("gateway").await;
    let models = view["models"].as_array().into_iter().flatten();
    let is_other = |model: &&Value| {
        model["kind"] == "text" && model["confidential"] != true && model["id"] != one.as_str()
    };
    let other = models.clone().find(is_other).and_then(|model| model["id"].as_str());
    let needs = "needs a control API that tells of two models that write text";
    let other = other.ok_or_else(|| Stop::NotTestable(needs.to_owned()))?;
    let down = json!([{ "fault": "gateway.server-down", "where": { "model": one } }]);
    probe.faults(down).await?;
    ask(probe).await?.given_status(&[503])?;
    let answer = Call::post(&chat::ENDPOINT, &bodies::chat(other)).send(probe).await?;
    answer.expect_status(&[200])
}

async fn a_server_that_is_back_answers(probe: &Probe<'_>) -> Checked {
    ask(probe).await?.given_status(&[200])?;
    probe.faults(all_down()).await?;
    ask(probe).await?.given_status(&[503])?;
    probe.faults(json!([])).await?;
    for look in 1.. {
        let answer = ask(probe).await?;
        if answer.status() == 200 || look == LOOKS {
            return answer.expect_status(&[200]);
        }
        probe.advance(PAUSE).await?;
    }
    Ok(())
}

async fn what_sends_the_cookies_back_is_answered(probe: &Probe<'_>) -> Checked {
    let body = good(probe).await?;
    let first = Call::post(&chat::ENDPOINT, &body).accepted(probe).await?;
    first.given_status(&[200])?;
    let cookies = cookies(&first);
    let again = match cookies.as_str() {
        "" => Call::post(&chat::ENDPOINT, &body),
        cookies => Call::post(&chat::ENDPOINT, &body).header("Cookie", cookies),
    };
    let met = if cookies.is_empty() { "no cookie is set" } else { "a cookie is set" };
    probe.note(met);
    again.accepted(probe).await?.expect_status(&[200])
}

/// What an answer sets, as a client sends it back.
fn cookies(answer: &Answer<'_>) -> String {
    let set = answer.response.headers.iter().filter(|(name, _)| name == "set-cookie");
    let pairs = set.filter_map(|(_, value)| {
        let text = std::str::from_utf8(value).ok()?;
        Some(text.split(';').next()?.trim().to_owned())
    });
    pairs.collect::<Vec<_>>().join("; ")
}
