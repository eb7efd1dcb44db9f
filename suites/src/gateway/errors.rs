//! Errors of inference: their form, and the unknown model.

use assay_spec::gateway::chat;
use assay_spec::gateway::requirements::errors as rows;
use serde_json::json;

use super::auth::inference;
use super::bodies::{self, with};
use super::chat::good;
use super::given::{self, Skill, model, unknown_model};
use super::wire::{Call, expect_detail};
use super::{offered, pool};
use crate::check::{Check, Checked, Need};
use crate::probe::Probe;
use crate::refuses;

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::DETAIL_401, an_invalid_key_is_refused_in_words).costs(6, 0, 0),
    refuses!(rows::DETAIL_404, an_unknown_model_is_refused_in_words).costs(6, 0, 0),
    refuses!(rows::DETAIL_422, what_is_not_valid_is_refused_in_words).costs(3, 0, 0),
    refuses!(rows::DETAIL_503, that_every_server_failed_is_said_in_words)
        .costs(2, 0, 0)
        .needs(&[Need::Faults]),
    refuses!(rows::UNKNOWN_MODEL, an_unknown_model_is_not_found).costs(2, 0, 0),
];

/// A chat that is granted, beside which refusals stand.
async fn counterpart(probe: &Probe<'_>) -> Checked {
    Call::post(&chat::ENDPOINT, &good(probe).await?).accepted(probe).await?.counterpart_status(&[200])
}

async fn an_invalid_key_is_refused_in_words(probe: &Probe<'_>) -> Checked {
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

async fn an_unknown_model_is_refused_in_words(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    for (endpoint, body) in offered(probe, inference(&unknown_model(probe))) {
        let answer = Call::post(endpoint, &body).send(probe).await?;
        answer.given_status(&[404])?;
        expect_detail(&answer)?;
    }
    Ok(())
}

async fn what_is_not_valid_is_refused_in_words(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let form = probe.settings.gateway.detail_422;
    let good = good(probe).await?;
    for bad in [with(good.clone(), "/messages", json!({})), bodies::without(good, "/model")] {
        let answer = Call::post(&chat::ENDPOINT, &bad).send(probe).await?;
        answer.given_status(&[422])?;
        answer.expect_json("/detail", form.words(), |detail| form.holds(detail))?;
    }
    Ok(())
}

async fn that_every_server_failed_is_said_in_words(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    probe.faults(pool::all_down()).await?;
    let answer = Call::post(&chat::ENDPOINT, &good(probe).await?).send(probe).await?;
    answer.given_status(&[503])?;
    expect_detail(&answer)
}

async fn an_unknown_model_is_not_found(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let body = bodies::chat(&unknown_model(probe));
    Call::post(&chat::ENDPOINT, &body).send(probe).await?.expect_status(&[404])
}
