//! Checks of the messages endpoint. Every request has the version header: the document does not show whether it is
//! required.

use assay_spec::gateway::messages;
use assay_spec::gateway::requirements::messages as rows;
use assay_spec::value::ValueKind;
use serde_json::Value;

use super::auth;
use super::bodies::{self, with_members};
use super::chat::expect_reply;
use super::errors::rejects_unknown_models;
use super::given::{Skill, model};
use super::input::REPLY;
use super::malformed::{only_an_object_is_accepted, refused};
use super::wire::Call;
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::probe::Probe;

/// A valid body.
async fn good(probe: &Probe<'_>) -> Result<Value, Stop> {
    Ok(bodies::messages(&model(probe, Skill::Chat).await?))
}

/// Sends a messages request. It must return 200 with a JSON object; an unknown model does not.
#[shows(rows::MESSAGE_OBJECT, after = auth::WITH_KEY)]
async fn message_is_a_json_object(probe: &Probe<'_>) -> Checked {
    expect_reply(probe, &messages::ENDPOINT, good(probe).await?).await
}

/// Sends what common client libraries send: a reply of one token, a long prompt, letters beyond ASCII, several turns. Each
/// must return 200.
#[shows(rows::ORDINARY, uses_up, after(rows::MESSAGE_OBJECT))]
async fn what_client_libraries_send_is_accepted(probe: &Probe<'_>) -> Checked {
    let plain = good(probe).await?;
    let send = async |value: &ValueKind| {
        let body = with_members(plain.clone(), &value.instead_of(&Value::Null).unwrap_or_default());
        Call::post(&messages::ENDPOINT, &body).accepted(probe).await
    };
    probe.each_value(send, |answer, _| answer.expect_accepted(&[200], REPLY)).await
}

/// Sends a messages request with models that do not exist. It must return 404.
#[rejects(rows::UNKNOWN_MODEL)]
async fn unknown_model_returns_404(probe: &Probe<'_>) -> Checked {
    rejects_unknown_models(probe, [&messages::ENDPOINT], good(probe).await?).await
}

/// Sends an array, a string and invalid JSON as the body. JSON values must return 422, invalid JSON 422 or 400.
#[rejects(rows::BODY)]
async fn body_that_is_not_an_object_is_rejected(probe: &Probe<'_>) -> Checked {
    only_an_object_is_accepted(probe, &messages::ENDPOINT, &good(probe).await?).await
}

/// Expects that each wrong value of a member of a valid body is rejected.
async fn refuses_malformed(probe: &Probe<'_>, pointer: &str) -> Checked {
    refused(probe, &messages::ENDPOINT, &good(probe).await?, pointer).await
}

/// Sends `model` of other types and not at all. Each must return 422.
#[rejects(rows::MODEL)]
async fn model_must_be_a_string(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/model").await
}

/// Sends `max_tokens` of other types and not at all. Each must return 422.
#[rejects(rows::MAX_TOKENS)]
async fn max_tokens_must_be_an_integer(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/max_tokens").await
}

/// Sends `messages` of other types and not at all. Each must return 422.
#[rejects(rows::MESSAGES)]
async fn messages_must_be_an_array(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages").await
}

/// Sends messages of other types. Each must return 422.
#[rejects(rows::MESSAGE)]
async fn message_must_be_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0").await
}

/// Sends `role` of other types. Each must return 422.
#[rejects(rows::ROLE)]
async fn role_must_be_a_string(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0/role").await
}

/// Sends `content` as an object and as a boolean. Each must return 422. An array is not sent, since the document leaves it
/// open.
#[rejects(rows::CONTENT)]
async fn content_must_be_a_string(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0/content").await
}
