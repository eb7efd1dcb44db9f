//! The messages format. Its version header always goes out; what becomes of a request without it is not shown.

use assay_spec::gateway::messages;
use assay_spec::gateway::requirements::messages as rows;
use serde_json::{Value, json};

use super::bodies::{self, QUESTION, without};
use super::chat::expect_object;
use super::given::{Skill, model, unknown_model};
use super::malformed::{malformed, no_object_is_taken, refused};
use super::wire::Call;
use crate::check::{Check, Checked, Stop};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::MESSAGE_OBJECT, a_message_is_json).costs(1, 0, 0),
    refuses!(rows::UNKNOWN_MODEL, an_unknown_model_writes_no_message).costs(2, 0, 0),
    refuses!(rows::BODY, a_body_is_an_object).costs(5, 0, 0),
    refuses!(rows::MODEL, a_model_is_named).costs(4, 0, 0),
    refuses!(rows::MAX_TOKENS, max_tokens_is_an_integer).costs(5, 0, 0),
    refuses!(rows::MESSAGES, messages_are_a_list).costs(3, 0, 0),
    refuses!(rows::MESSAGE, a_message_is_an_object).costs(3, 0, 0),
    refuses!(rows::ROLE, a_role_is_a_text).costs(3, 0, 0),
    refuses!(rows::CONTENT, content_is_a_text).costs(3, 0, 0),
];

/// A body that is fine.
async fn good(probe: &Probe<'_>) -> Result<Value, Stop> {
    Ok(bodies::messages(&model(probe, Skill::Chat).await?))
}

async fn a_message_is_json(probe: &Probe<'_>) -> Checked {
    expect_object(&Call::post(&messages::ENDPOINT, &good(probe).await?).accepted(probe).await?)
}

async fn an_unknown_model_writes_no_message(probe: &Probe<'_>) -> Checked {
    Call::post(&messages::ENDPOINT, &good(probe).await?).accepted(probe).await?.counterpart_status(&[200])?;
    let bad = bodies::messages(&unknown_model(probe));
    Call::post(&messages::ENDPOINT, &bad).send(probe).await?.expect_status(&[404])
}

async fn a_body_is_an_object(probe: &Probe<'_>) -> Checked {
    no_object_is_taken(probe, &messages::ENDPOINT, &good(probe).await?).await
}

/// Expects each of these values at a pointer of a good body to be refused.
async fn refuses_malformed<const N: usize>(probe: &Probe<'_>, pointer: &str, values: [Value; N]) -> Checked {
    let good = good(probe).await?;
    refused(probe, &messages::ENDPOINT, &good, malformed(&good, pointer, values)).await
}

/// As [`refuses_malformed`], and that the member is missing.
async fn refuses_malformed_or_missing<const N: usize>(
    probe: &Probe<'_>,
    pointer: &str,
    values: [Value; N],
) -> Checked {
    let good = good(probe).await?;
    let mut bad = malformed(&good, pointer, values);
    bad.push(without(good.clone(), pointer));
    refused(probe, &messages::ENDPOINT, &good, bad).await
}

async fn a_model_is_named(probe: &Probe<'_>) -> Checked {
    let id = model(probe, Skill::Chat).await?;
    refuses_malformed_or_missing(probe, "/model", [json!({ "id": id }), json!([id])]).await
}

async fn max_tokens_is_an_integer(probe: &Probe<'_>) -> Checked {
    refuses_malformed_or_missing(probe, "/max_tokens", [json!({ "most": 64 }), json!([64]), json!("many")])
        .await
}

async fn messages_are_a_list(probe: &Probe<'_>) -> Checked {
    refuses_malformed_or_missing(probe, "/messages", [json!({ "role": "user", "content": QUESTION })]).await
}

async fn a_message_is_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0", [json!(7), json!([QUESTION])]).await
}

async fn a_role_is_a_text(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0/role", [json!({ "name": "user" }), json!(["user"])]).await
}

/// That it may be more than a text is left open, so no list is sent.
async fn content_is_a_text(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0/content", [json!({ "words": QUESTION }), json!(true)]).await
}
