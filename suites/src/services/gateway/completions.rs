//! Checks of both completions endpoints. The document does not show their bodies and replies.

use assay_spec::gateway::completions;
use assay_spec::gateway::requirements::completions as rows;

use super::auth;
use super::chat::expect_reply;
use super::errors::rejects_unknown_models;
use super::given::{Skill, model};
use super::{bodies, offered};
use crate::harness::check::{Checked, rejects, shows};
use crate::harness::probe::Probe;

/// Sends a completion request. It must return 200 with a JSON object; an unknown model does
/// not.
#[shows(rows::COMPLETION, after = auth::WITH_KEY)]
async fn completion_is_a_json_object(probe: &Probe<'_>) -> Checked {
    let body = bodies::completions(&model(probe, Skill::Chat).await?);
    expect_reply(probe, &completions::ENDPOINT, body).await
}

/// Sends a native-style completion request. It must return 200 with a JSON object; an unknown model does
/// not.
#[shows(rows::NATIVE, after = auth::WITH_KEY)]
async fn native_completion_is_a_json_object(probe: &Probe<'_>) -> Checked {
    let body = bodies::completions(&model(probe, Skill::Chat).await?);
    expect_reply(probe, &completions::NATIVE, body).await
}

/// Sends completion requests with models that do not exist to both endpoints. Each must return 404.
#[rejects(rows::UNKNOWN_MODEL)]
async fn unknown_model_returns_404(probe: &Probe<'_>) -> Checked {
    let good = bodies::completions(&model(probe, Skill::Chat).await?);
    let both = offered(probe, [(&completions::ENDPOINT, ()), (&completions::NATIVE, ())]);
    rejects_unknown_models(probe, both.map(|(endpoint, ())| endpoint), good).await
}
