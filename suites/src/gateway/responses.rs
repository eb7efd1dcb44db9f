//! Responses. Neither their bodies nor their answers are shown.

use assay_spec::gateway::requirements::responses as rows;
use assay_spec::gateway::responses;

use super::bodies;
use super::chat::expect_object;
use super::given::{Skill, model, unknown_model};
use super::wire::Call;
use crate::check::{Check, Checked};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::RESPONSE, a_response_is_json).costs(1, 0, 0),
    refuses!(rows::UNKNOWN_MODEL, an_unknown_model_responds_nothing).costs(2, 0, 0),
];

async fn a_response_is_json(probe: &Probe<'_>) -> Checked {
    let body = bodies::responses(&model(probe, Skill::Chat).await?);
    expect_object(&Call::post(&responses::ENDPOINT, &body).accepted(probe).await?)
}

async fn an_unknown_model_responds_nothing(probe: &Probe<'_>) -> Checked {
    let good = bodies::responses(&model(probe, Skill::Chat).await?);
    Call::post(&responses::ENDPOINT, &good).accepted(probe).await?.counterpart_status(&[200])?;
    let bad = bodies::responses(&unknown_model(probe));
    Call::post(&responses::ENDPOINT, &bad).send(probe).await?.expect_status(&[404])
}
