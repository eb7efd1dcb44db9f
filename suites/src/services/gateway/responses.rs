//! Checks of the responses endpoint. The document does not show its bodies and replies.

use assay_spec::gateway::requirements::responses as rows;
use assay_spec::gateway::responses;

use super::auth;
use super::bodies;
use super::chat::expect_reply;
use super::errors::rejects_unknown_models;
use super::given::{Skill, model};
use crate::harness::check::{Checked, rejects, shows};
use crate::harness::probe::Probe;

/// Sends a responses request. It must return 200 with a JSON object; an unknown model does not.
#[shows(rows::RESPONSE, after = auth::WITH_KEY)]
async fn response_is_a_json_object(probe: &Probe<'_>) -> Checked {
    let body = bodies::responses(&model(probe, Skill::Chat).await?);
    expect_reply(probe, &responses::ENDPOINT, body).await
}

/// Sends a responses request with models that do not exist. It must return 404.
#[rejects(rows::UNKNOWN_MODEL)]
async fn unknown_model_returns_404(probe: &Probe<'_>) -> Checked {
    let good = bodies::responses(&model(probe, Skill::Chat).await?);
    rejects_unknown_models(probe, [&responses::ENDPOINT], good).await
}
