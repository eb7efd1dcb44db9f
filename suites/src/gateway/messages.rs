//! Checks of the messages endpoint. Every request has the version header: the document does not show whether it is
//! required.

use assay_spec::gateway::messages;
use assay_spec::gateway::requirements::messages as rows;
use serde_json::{Value, json};

use super::auth;
use super::bodies::{self, QUESTION, without};
use super::chat::expect_reply;
use super::given::{Skill, model, unknown_model};
use super::malformed::{malformed, only_an_object_is_accepted, refused};
use super::refusals;
use super::wire::Call;
use crate::check::{Check, Checked, Stop};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::MESSAGE_OBJECT, message_is_a_json_object).costs(2, 0, 0).after(auth::WITH_KEY),
    refuses!(rows::UNKNOWN_MODEL, unknown_model_returns_404, refusals::UNKNOWN_MODEL).costs(2, 0, 0),
    refuses!(rows::BODY, body_that_is_not_an_object_is_rejected, refusals::VALIDATION).costs(5, 0, 0),
    refuses!(rows::MODEL, model_must_be_a_string, refusals::VALIDATION).costs(4, 0, 0),
    refuses!(rows::MAX_TOKENS, max_tokens_must_be_an_integer, refusals::VALIDATION).costs(5, 0, 0),
    refuses!(rows::MESSAGES, messages_must_be_an_array, refusals::VALIDATION).costs(3, 0, 0),
    refuses!(rows::MESSAGE, message_must_be_an_object, refusals::VALIDATION).costs(3, 0, 0),
    refuses!(rows::ROLE, role_must_be_a_string, refusals::VALIDATION).costs(3, 0, 0),
    refuses!(rows::CONTENT, content_must_be_a_string, refusals::VALIDATION).costs(3, 0, 0),
];

/// A valid body.
async fn good(probe: &Probe<'_>) -> Result<Value, Stop> {
    Ok(bodies::messages(&model(probe, Skill::Chat).await?))
}

/// Sends a messages request. It must return 200 with a JSON object; an unknown model does not.
async fn message_is_a_json_object(probe: &Probe<'_>) -> Checked {
    expect_reply(probe, &messages::ENDPOINT, good(probe).await?).await
}

/// Sends a messages request with an unknown model. It must return 404.
async fn unknown_model_returns_404(probe: &Probe<'_>) -> Checked {
    Call::post(&messages::ENDPOINT, &good(probe).await?).accepted(probe).await?.counterpart_status(&[200])?;
    let bad = bodies::messages(&unknown_model(probe));
    Call::post(&messages::ENDPOINT, &bad).send(probe).await?.expect_refused()
}

/// Sends an array, a string and invalid JSON as the body. JSON values must return 422, invalid JSON 422 or 400.
async fn body_that_is_not_an_object_is_rejected(probe: &Probe<'_>) -> Checked {
    only_an_object_is_accepted(probe, &messages::ENDPOINT, &good(probe).await?).await
}

/// Expects that each of these values at a pointer of a valid body is rejected.
async fn refuses_malformed<const N: usize>(probe: &Probe<'_>, pointer: &str, values: [Value; N]) -> Checked {
    let good = good(probe).await?;
    refused(probe, &messages::ENDPOINT, &good, malformed(&good, pointer, values)).await
}

/// Like [`refuses_malformed`], and also without the member.
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

/// Sends `model` as an object, as an array and not at all. Each must return 422.
async fn model_must_be_a_string(probe: &Probe<'_>) -> Checked {
    let id = model(probe, Skill::Chat).await?;
    refuses_malformed_or_missing(probe, "/model", [json!({ "id": id }), json!([id])]).await
}

/// Sends `max_tokens` as an object, an array, a string and not at all. Each must return 422.
async fn max_tokens_must_be_an_integer(probe: &Probe<'_>) -> Checked {
    refuses_malformed_or_missing(probe, "/max_tokens", [json!({ "most": 64 }), json!([64]), json!("many")])
        .await
}

/// Sends `messages` as an object and not at all. Each must return 422.
async fn messages_must_be_an_array(probe: &Probe<'_>) -> Checked {
    refuses_malformed_or_missing(probe, "/messages", [json!({ "role": "user", "content": QUESTION })]).await
}

/// Sends a message that is a number and one that is an array. Each must return 422.
async fn message_must_be_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0", [json!(7), json!([QUESTION])]).await
}

/// Sends `role` as an object and as an array. Each must return 422.
async fn role_must_be_a_string(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0/role", [json!({ "name": "user" }), json!(["user"])]).await
}

/// Sends `content` as an object and as a boolean. Each must return 422. An array is not sent, since the document
/// leaves it open.
async fn content_must_be_a_string(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0/content", [json!({ "words": QUESTION }), json!(true)]).await
}
