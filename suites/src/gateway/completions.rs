//! Plain completions, in both places. Neither bodies nor answers are shown.

use assay_spec::gateway::completions;
use assay_spec::gateway::requirements::completions as rows;

use super::chat::expect_object;
use super::given::{Skill, model, unknown_model};
use super::wire::Call;
use super::{bodies, offered};
use crate::check::{Check, Checked};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::COMPLETION, a_completion_is_json).costs(1, 0, 0),
    shows!(rows::NATIVE, a_native_completion_is_json).costs(1, 0, 0),
    refuses!(rows::UNKNOWN_MODEL, nothing_is_completed_by_an_unknown_model).costs(4, 0, 0),
];

async fn a_completion_is_json(probe: &Probe<'_>) -> Checked {
    let body = bodies::completions(&model(probe, Skill::Chat).await?);
    expect_object(&Call::post(&completions::ENDPOINT, &body).accepted(probe).await?)
}

async fn a_native_completion_is_json(probe: &Probe<'_>) -> Checked {
    let body = bodies::completions(&model(probe, Skill::Chat).await?);
    expect_object(&Call::post(&completions::NATIVE, &body).accepted(probe).await?)
}

async fn nothing_is_completed_by_an_unknown_model(probe: &Probe<'_>) -> Checked {
    let good = bodies::completions(&model(probe, Skill::Chat).await?);
    let bad = bodies::completions(&unknown_model(probe));
    for (endpoint, ()) in offered(probe, [(&completions::ENDPOINT, ()), (&completions::NATIVE, ())]) {
        Call::post(endpoint, &good).accepted(probe).await?.counterpart_status(&[200])?;
        Call::post(endpoint, &bad).send(probe).await?.expect_status(&[404])?;
    }
    Ok(())
}
