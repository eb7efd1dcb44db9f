//! Checks of inference errors: their body, and the unknown model.

use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::chat;
use assay_spec::gateway::rejections;
use assay_spec::gateway::requirements::errors as rows;
use assay_spec::value::ValueKind;
use serde_json::{Value, json};

use super::auth::inference;
use super::bodies::{self, with};
use super::chat::good;
use super::given::{self, Skill, model, unknown_model, unknown_models};
use super::malformed::expect_refused_as;
use super::stream::expect_rejected;
use super::wire::{Call, expect_detail};
use super::{offered, pool};
use crate::harness::check::{Checked, rejects};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Answer, Probe};

/// A valid chat as the counterpart of rejected ones.
async fn counterpart(probe: &Probe<'_>) -> Checked {
    Call::post(&chat::ENDPOINT, &good(probe).await?).accepted(probe).await?.counterpart_status(&[200])
}

/// Sends an invalid key to every inference endpoint. Each 401 must have a `detail` string.
#[rejects(rows::DETAIL_401)]
async fn error_401_has_a_detail_string(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let wrong = given::wrong_key(probe).await?;
    let id = model(probe, Skill::Chat).await?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        let answer = Call::post(endpoint, &body).bearer(&wrong).send(probe).await?;
        answer.given_status(&[401])?;
        expect_detail(&answer)?;
    }
    Ok(())
}

/// Asks every inference endpoint for an unknown model. Each 404 must have a `detail` string.
#[rejects(rows::DETAIL_404)]
async fn error_404_has_a_detail_string(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    for (endpoint, body) in offered(probe, inference(&unknown_model(probe))) {
        let answer = Call::post(endpoint, &body).send(probe).await?;
        answer.given_status(&[404])?;
        expect_detail(&answer)?;
    }
    Ok(())
}

/// Sends invalid chats, one of them not JSON, and a `model` that is an array to the other inference endpoints, whose bodies the
/// document does not show. Each 422 must have a `detail` in the form that the profile names.
#[rejects(rows::DETAIL_422)]
async fn error_422_has_a_detail(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let form = probe.settings.gateway().readings.gateway_422_detail;
    let good = good(probe).await?;
    let bad = [with(good.clone(), "/messages", json!({})), bodies::without(good, "/model")];
    for bad in bad.clone().into_iter().chain(bad.map(bodies::streamed)) {
        let answer = Call::post(&chat::ENDPOINT, &bad).send(probe).await?;
        answer.given_status(&[422])?;
        answer.expect_json("/detail", form.words(), |detail| form.holds(detail))?;
    }
    let id = model(probe, Skill::Chat).await?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        let call = if endpoint.name == chat::ENDPOINT.name {
            Call::raw(endpoint, "no JSON".to_owned())
        } else {
            Call::post(endpoint, &with(body, "/model", json!([id])))
        };
        let answer = call.send(probe).await?;
        if answer.status() == 422 {
            answer.expect_json("/detail", form.words(), |detail| form.holds(detail))?;
        }
    }
    Ok(())
}

/// Makes every server fail, or takes the profile's model whose servers have failed, and sends a valid body to every inference endpoint. Each 503 must have a `detail` string.
#[rejects(rows::DETAIL_503, needs(Faults), or_given("[gateway.models] down", pool::IS_DOWN))]
async fn error_503_has_a_detail_string(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let id = pool::down(probe).await?;
    for (endpoint, body) in offered(probe, inference(&id)) {
        let answer = Call::post(endpoint, &body).send(probe).await?;
        answer.given_status(&[503])?;
        expect_detail(&answer)?;
    }
    Ok(())
}

/// Sends a chat with models that do not exist, also for a stream. It must return 404.
#[rejects(rows::UNKNOWN_MODEL)]
async fn unknown_model_returns_404(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    for (kind, unknown) in unknown_models(probe, &model(probe, Skill::Chat).await?).await? {
        let body = bodies::chat(&unknown);
        expect_unknown(&Call::post(&chat::ENDPOINT, &body).send(probe).await?, kind)?;
        let answer = Call::post(&chat::ENDPOINT, &bodies::streamed(body)).send(probe).await?;
        if kind.is_none_or(|kind| kind.may_be_accepted.is_empty()) {
            expect_rejected(probe, &answer, rejections::UNKNOWN_MODEL.statuses)?;
        }
    }
    Ok(())
}

/// Expects the rejection of a model that does not exist, where another was accepted: a 503 says that all servers of a model
/// failed, and this one has none.
pub(super) fn expect_unknown(answer: &Answer<'_>, kind: Option<&ValueKind>) -> Checked {
    let want = Want::none_of(&[503]).said("404, since a model without servers cannot have failed");
    answer.expect(answer.status() != 503, At::status(), want, answer.status().to_string())?;
    expect_refused_as(answer, "model", kind)
}

/// Expects 404 from each of these endpoints for each model that does not exist, and that it accepts the valid body.
pub(super) async fn rejects_unknown_models(
    probe: &Probe<'_>,
    endpoints: impl IntoIterator<Item = &'static Endpoint>,
    good: Value,
) -> Checked {
    let unknown = unknown_models(probe, good["model"].as_str().unwrap_or_default()).await?;
    for endpoint in endpoints {
        Call::post(endpoint, &good).accepted(probe).await?.counterpart_status(&[200])?;
        for (kind, unknown) in &unknown {
            let body = with(good.clone(), "/model", json!(unknown));
            expect_unknown(&Call::post(endpoint, &body).send(probe).await?, *kind)?;
        }
    }
    Ok(())
}
