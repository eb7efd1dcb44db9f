//! Checks of the servers behind the gateway: a request fails only if all servers of its model fail.

use std::collections::BTreeMap;
use std::time::Duration;

use assay_spec::Place;
use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::chat;
use assay_spec::gateway::places::STREAM;
use assay_spec::gateway::requirements::{completions, pool as rows, stream};
use serde_json::{Value, json};

use super::auth::inference;
use super::chat::good;
use super::given::{Skill, in_state, model};
use super::stream::expect_inference;
use super::wire::Call;
use super::{bodies, offered};
use crate::harness::check::{Checked, Given, Stop, rejects, shows};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Answer, Probe};

/// Whether the profile names a model whose servers have all failed.
pub(super) const IS_DOWN: Given = |settings| settings.gateway().models.down.is_some();
/// How many requests a session has.
const SESSION: u32 = 6;
/// How many servers of a model are tested as the only live one, at most.
const SERVERS: usize = 4;
/// How often a recovered server is asked, and how much time passes between requests.
const LOOKS: u32 = 6;
const PAUSE: Duration = Duration::from_mins(1);

/// A model whose servers have all failed: the profile's, otherwise every server fails from now on.
pub(super) async fn down(probe: &Probe<'_>) -> Result<String, Stop> {
    if let Some(id) = in_state(probe, "down", |models| &models.down)? {
        return Ok(id);
    }
    probe.faults(all_down()).await?;
    model(probe, Skill::Chat).await
}

/// The fault that makes every server fail before the first byte.
fn all_down() -> Value {
    json!([{ "fault": "gateway.server-down" }])
}

async fn send_good<'p>(probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
    Call::post(&chat::ENDPOINT, &good(probe).await?).send(probe).await
}

/// The endpoint of a place, and a valid body.
fn request_at(id: &str, place: Place) -> Result<(&'static Endpoint, Value), Stop> {
    let is_there = |(endpoint, body): &(&Endpoint, Value)| {
        endpoint.name == place.endpoint && (place.op == STREAM) == (body["stream"] == true)
    };
    let found = inference(id).into_iter().find(is_there);
    found.ok_or_else(|| Stop::Error(format!("no request for {place}")))
}

/// The servers of a model, from the control API.
async fn servers(probe: &Probe<'_>, id: &str) -> Result<Vec<String>, Stop> {
    let view = probe.view("gateway").await;
    let models = view["models"].as_array().into_iter().flatten();
    let servers = models.filter(|model| model["id"] == id).filter_map(|model| model["servers"].as_array());
    let names: Vec<String> = servers.flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    let needs = "needs a control API that lists at least two servers of the model";
    if names.len() < 2 { Err(Stop::NotTestable(needs.to_owned())) } else { Ok(names) }
}

/// Makes all servers of the model fail but one, and sends two requests to an inference endpoint, and one with the cookies of
/// an earlier response; repeats this for each server. Every request must return 200. Without a control API the profile may
/// name a model of which one server has failed.
#[shows(
    rows::FAILOVER,
    needs(Faults),
    or_given("[gateway.models] one_down", |settings| settings.gateway().models.one_down.is_some()),
    after(completions::NATIVE, rows::COOKIES),
)]
async fn one_live_server_is_enough(probe: &Probe<'_>, place: Place) -> Checked {
    // Once before the gateway knows that a server has failed, and once after.
    let send_two = async |endpoint, body: &Value| -> Checked {
        for _ in 0..2 {
            let answer = Call::post(endpoint, body).send(probe).await?;
            let want = Want::none_of(&[503]).said("not 503, since a server of the model is live");
            answer.expect(answer.status() != 503, At::status(), want, answer.status().to_string())?;
            expect_inference(probe, endpoint, &answer)?;
        }
        Ok(())
    };
    if let Some(id) = in_state(probe, "one_down", |models| &models.one_down)? {
        let (endpoint, body) = request_at(&id, place)?;
        return send_two(endpoint, &body).await;
    }
    let id = model(probe, Skill::Chat).await?;
    let (names, (endpoint, body)) = (servers(probe, &id).await?, request_at(&id, place)?);
    let first = Call::post(endpoint, &body).send(probe).await?;
    first.given_status(&[200])?;
    let cookies = cookies(&first);
    for alive in names.iter().take(SERVERS) {
        let others = names.iter().filter(|name| *name != alive);
        let down = others.map(|name| json!({ "fault": "gateway.server-down", "where": { "server": name } }));
        let down: Value = down.collect();
        for has_cookies in [false, true] {
            probe.faults(down.clone()).await?;
            if has_cookies {
                let answer = with_cookies(Call::post(endpoint, &body), &cookies).send(probe).await?;
                expect_inference(probe, endpoint, &answer)?;
            } else {
                send_two(endpoint, &body).await?;
            }
            // The gateway finds the others again.
            probe.faults(json!([])).await?;
            if probe.owns_time() {
                probe.advance(PAUSE).await?;
            }
        }
    }
    Ok(())
}

/// Makes all servers fail, or takes the profile's model whose servers have failed, and sends requests to every inference
/// endpoint. Each must return 503.
#[rejects(
    rows::ALL_FAILED,
    needs(Faults),
    or_given("[gateway.models] down", IS_DOWN),
    after(stream::ERROR_BEFORE, completions::NATIVE)
)]
async fn without_a_live_server_the_gateway_returns_503(probe: &Probe<'_>) -> Checked {
    send_good(probe).await?.counterpart_status(&[200])?;
    for (endpoint, body) in offered(probe, inference(&down(probe).await?)) {
        Call::post(endpoint, &body).send(probe).await?.expect_refused()?;
    }
    Ok(())
}

/// Makes all servers of one model fail. Requests to every inference endpoint with another model must return 200.
#[shows(
    rows::PER_MODEL,
    needs(Faults),
    or_given("[gateway.models] down", IS_DOWN),
    after(completions::NATIVE, stream::CHUNKS)
)]
async fn failed_servers_of_one_model_do_not_affect_another(probe: &Probe<'_>) -> Checked {
    let (one, other) = match in_state(probe, "down", |models| &models.down)? {
        Some(down) => (down, model(probe, Skill::Chat).await?),
        None => one_of_two_down(probe).await?,
    };
    Call::post(&chat::ENDPOINT, &bodies::chat(&one)).send(probe).await?.given_status(&[503])?;
    for (endpoint, body) in offered(probe, inference(&other)) {
        expect_inference(probe, endpoint, &Call::post(endpoint, &body).send(probe).await?)?;
    }
    Ok(())
}

/// Makes all servers of one model fail; returns it and another one.
async fn one_of_two_down(probe: &Probe<'_>) -> Result<(String, String), Stop> {
    let one = model(probe, Skill::Chat).await?;
    let view = probe.view("gateway").await;
    let models = view["models"].as_array().into_iter().flatten();
    let is_other = |model: &&Value| {
        model["kind"] == "text" && model["confidential"] != true && model["id"] != one.as_str()
    };
    let other = models.clone().find(is_other).and_then(|model| model["id"].as_str().map(str::to_owned));
    let needs = "needs a control API that lists two text models";
    let other = other.ok_or_else(|| Stop::NotTestable(needs.to_owned()))?;
    let down = json!([{ "fault": "gateway.server-down", "where": { "model": one } }]);
    probe.faults(down).await?;
    Ok((one, other))
}

/// Makes all servers fail and then recover. A request to an inference endpoint must return 200 again within some minutes.
#[shows(rows::RECOVERS, needs(Faults, Clock))]
async fn recovered_server_is_used_again(probe: &Probe<'_>, place: Place) -> Checked {
    let (endpoint, body) = request_at(&model(probe, Skill::Chat).await?, place)?;
    let send = async || Call::post(endpoint, &body).send(probe).await;
    send().await?.given_status(&[200])?;
    probe.faults(all_down()).await?;
    send().await?.given_status(&[503])?;
    probe.faults(json!([])).await?;
    for look in 1.. {
        let answer = send().await?;
        if answer.status() == 200 || look == LOOKS {
            return expect_inference(probe, endpoint, &answer);
        }
        probe.advance(PAUSE).await?;
    }
    Ok(())
}

/// Sends a request to every inference endpoint, then another with the cookies that all responses before set. The second must
/// return 200.
#[shows(rows::COOKIES, after(stream::CHUNKS))]
async fn request_with_the_cookies_is_accepted(probe: &Probe<'_>) -> Checked {
    let mut jar: BTreeMap<String, String> = BTreeMap::new();
    for (endpoint, body) in offered(probe, inference(&model(probe, Skill::Chat).await?)) {
        let first = Call::post(endpoint, &body).accepted(probe).await?;
        first.given_status(&[200])?;
        let set = cookies(&first);
        let pairs = set.split("; ").filter_map(|pair| pair.split_once('='));
        jar.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let all: Vec<String> = jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let again = with_cookies(Call::post(endpoint, &body), &all.join("; "));
        let met = if set.is_empty() { "no cookie is set" } else { "a cookie is set" };
        probe.note(format!("{}: {met}", endpoint.name));
        expect_inference(probe, endpoint, &again.accepted_anew(probe).await?)?;
    }
    Ok(())
}

/// Sends a chat, then six more with the cookies that the first response set. All must return 200. If a cookie is set, one of the
/// servers that the control API lists for the model must have answered all six.
#[shows(rows::ROUTING, needs(Isolation, Actions), after(rows::COOKIES))]
async fn cookie_keeps_a_session_on_one_server(probe: &Probe<'_>) -> Checked {
    let id = model(probe, Skill::Chat).await?;
    servers(probe, &id).await?;
    let first = Call::post(&chat::ENDPOINT, &bodies::chat(&id)).send(probe).await?;
    first.given_status(&[200])?;
    let cookies = cookies(&first);
    let before = answered(probe).await;
    for _ in 0..SESSION {
        let call = with_cookies(Call::post(&chat::ENDPOINT, &bodies::chat(&id)), &cookies);
        expect_inference(probe, &chat::ENDPOINT, &call.send(probe).await?)?;
    }
    if cookies.is_empty() {
        probe.note("no cookie is set");
        return Ok(());
    }
    let after = answered(probe).await;
    let more = |(site, count): (&String, &u64)| {
        let grown = count.saturating_sub(before.get(site).copied().unwrap_or_default());
        (grown > 0).then(|| format!("{site} {grown}"))
    };
    let used: Vec<String> = after.iter().filter_map(more).collect();
    probe.given(!used.is_empty(), "the control API counts no answer of a server")?;
    probe.expect(used.len() == 1, "answers by server", "all by one server", used.join(", "))
}

/// How many requests each server has answered, from the control API.
async fn answered(probe: &Probe<'_>) -> BTreeMap<String, u64> {
    let view = probe.view("gateway").await;
    let servers = view["servers"].as_array().into_iter().flatten();
    servers.filter_map(|one| Some((one["site"].as_str()?.to_owned(), one["answered"].as_u64()?))).collect()
}

/// The call with these cookies, if there are any.
fn with_cookies(call: Call, cookies: &str) -> Call {
    if cookies.is_empty() { call } else { call.header("Cookie", cookies) }
}

/// The cookies that a response sets, as a `Cookie` header.
pub(super) fn cookies(answer: &Answer<'_>) -> String {
    let set = answer.response.headers.iter().filter(|(name, _)| name == "set-cookie");
    let pairs = set.filter_map(|(_, value)| {
        let cookie = std::str::from_utf8(value).ok()?;
        Some(cookie.split(';').next()?.trim().to_owned())
    });
    pairs.collect::<Vec<_>>().join("; ")
}
