//! Checks of both completions endpoints. The document does not show their bodies and replies.

use assay_spec::gateway::completions;
use assay_spec::gateway::requirements::completions as rows;

use super::auth;
use super::chat::expect_reply;
use super::given::{Skill, model, unknown_model};
use super::refusals;
use super::wire::Call;
use super::{bodies, offered};
use crate::check::{Check, Checked};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::COMPLETION, completion_is_a_json_object).costs(2, 0, 0).after(auth::WITH_KEY),
    shows!(rows::NATIVE, native_completion_is_a_json_object).costs(2, 0, 0).after(auth::WITH_KEY),
    refuses!(rows::UNKNOWN_MODEL, unknown_model_returns_404, refusals::UNKNOWN_MODEL).costs(4, 0, 0),
];

/// Sends a completion request. It must return 200 with a JSON object; an unknown model does
/// not.
async fn completion_is_a_json_object(probe: &Probe<'_>) -> Checked {
    let body = bodies::completions(&model(probe, Skill::Chat).await?);
    expect_reply(probe, &completions::ENDPOINT, body).await
}

/// Sends a native-style completion request. It must return 200 with a JSON object; an unknown model does
/// not.
async fn native_completion_is_a_json_object(probe: &Probe<'_>) -> Checked {
    let body = bodies::completions(&model(probe, Skill::Chat).await?);
    expect_reply(probe, &completions::NATIVE, body).await
}

/// Sends completion requests with an unknown model to both endpoints. Each must return 404.
async fn unknown_model_returns_404(probe: &Probe<'_>) -> Checked {
    let good = bodies::completions(&model(probe, Skill::Chat).await?);
    let bad = bodies::completions(&unknown_model(probe));
    for (endpoint, ()) in offered(probe, [(&completions::ENDPOINT, ()), (&completions::NATIVE, ())]) {
        Call::post(endpoint, &good).accepted(probe).await?.counterpart_status(&[200])?;
        Call::post(endpoint, &bad).send(probe).await?.expect_refused()?;
    }
    Ok(())
}
