//! Checks of chat completions: the response, and the validation of the body.

use assay_spec::Place;
use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::chat;
use assay_spec::gateway::places::STREAM;
use assay_spec::gateway::requirements::{auth as auths, chat as rows, stream, tools as called_tools};
use assay_spec::gateway::values::{png_part, text_part};
use assay_spec::value::ValueKind;
use serde_json::{Value, json};

use super::auth;
use super::bodies::{self, QUESTION, streamed, with, with_members};
use super::given::{Skill, model, unknown_model};
use super::malformed::{only_an_object_is_accepted, refused};
use super::stream::{expect_inference, expect_streamed};
use super::tools::called;
use super::wire::Call;
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::At;
use crate::harness::probe::{Answer, Evidence, Probe};

/// A valid chat.
pub(super) async fn good(probe: &Probe<'_>) -> Result<Value, Stop> {
    Ok(bodies::chat(&model(probe, Skill::Chat).await?))
}

/// Sends a valid chat.
async fn answered<'p>(probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
    Call::post(&chat::ENDPOINT, &good(probe).await?).accepted(probe).await
}

/// The reply to a chat.
pub(super) const COMPLETION: Evidence = Evidence {
    what: "a `message` in `choices`",
    shows: |body| body.pointer("/choices/0/message").is_some_and(Value::is_object),
};

/// Sends a valid chat as the counterpart of hostile input: without its reply nothing is shown.
pub(super) async fn given_chat(probe: &Probe<'_>, body: &Value) -> Checked {
    Call::post(&chat::ENDPOINT, body).accepted(probe).await?.given_accepted(&[200], COMPLETION)
}

/// Sends a valid body, which must return 200 with a JSON object, and the same for an unknown model. The document does
/// not show the object, so a server that also replies for an unknown model has shown nothing.
pub(super) async fn expect_reply(probe: &Probe<'_>, endpoint: &'static Endpoint, body: Value) -> Checked {
    expect_object(&Call::post(endpoint, &body).accepted(probe).await?)?;
    let unknown = with(body, "/model", json!(unknown_model(probe)));
    Call::post(endpoint, &unknown).send(probe).await?.given_status(&[404])
}

/// Expects 200 and a JSON object.
pub(super) fn expect_object(answer: &Answer<'_>) -> Checked {
    answer.expect_status(&[200])?;
    answer.expect(answer.json().is_object(), "body", "a JSON object", answer.response.text())
}

/// Sends a chat. It must return 200 with a JSON object. A chat with a reply of the model in it must return a status below 500.
#[shows(rows::ANSWERED, after = auth::WITH_KEY)]
async fn chat_returns_a_json_object(probe: &Probe<'_>) -> Checked {
    let answer = answered(probe).await?;
    expect_object(&answer)?;
    answer.given_accepted(&[200], COMPLETION)?;
    let mut body = good(probe).await?;
    let turns = json!([
        { "role": "user", "content": "What is your name?" },
        { "role": "assistant", "content": "I am Ada." },
        { "role": "user", "content": "Say it once more." },
    ]);
    body["messages"] = turns;
    let second = Call::post(&chat::ENDPOINT, &body).accepted(probe).await?;
    second.expect(second.status() < 500, At::status(), "a status below 500", second.status().to_string())
}

/// The choices of a response. Without them the check is inconclusive.
pub(super) fn given_choices(probe: &Probe<'_>, answer: &Answer<'_>) -> Result<Vec<Value>, Stop> {
    answer.given_status(&[200])?;
    let choices = answer.json()["choices"].as_array().cloned().unwrap_or_default();
    probe.given(!choices.is_empty(), "the response has no choices")?;
    Ok(choices)
}

/// Sends a chat. `choices` must be a non-empty array, and each choice must have a `message` object.
#[shows(rows::CHOICES, after(rows::ANSWERED))]
async fn reply_has_choices_with_a_message(probe: &Probe<'_>) -> Checked {
    let answer = answered(probe).await?;
    answer.given_status(&[200])?;
    let is_non_empty = |choices: &Value| choices.as_array().is_some_and(|choices| !choices.is_empty());
    let choices = answer.expect_json("/choices", "a non-empty array", is_non_empty)?;
    for n in 0..choices.as_array().map_or(0, Vec::len) {
        answer.expect_json(&format!("/choices/{n}/message"), "an object", Value::is_object)?;
    }
    Ok(())
}

/// For checks of fields that common client libraries read but the document does not list.
pub(super) fn wire_compat(probe: &Probe<'_>) -> Checked {
    let why = "the document does not list this field, and the profile does not set wire_compat";
    if probe.settings.gateway().readings.wire_compat {
        Ok(())
    } else {
        Err(Stop::NotApplicable(why.to_owned()))
    }
}

/// Sends a chat. Each choice's `message.content` must be a non-empty string.
#[shows(rows::ANSWER_TEXT, after(rows::CHOICES))]
async fn reply_has_content(probe: &Probe<'_>) -> Checked {
    wire_compat(probe)?;
    let answer = answered(probe).await?;
    for n in 0..given_choices(probe, &answer)?.len() {
        let is_filled = |content: &Value| content.as_str().is_some_and(|text| !text.is_empty());
        answer.expect_json(&format!("/choices/{n}/message/content"), "a non-empty string", is_filled)?;
    }
    Ok(())
}

/// Sends a chat as it is, and as a request for a stream. Each must be accepted: with a completion, or with chunks.
pub(super) async fn expect_chats(probe: &Probe<'_>, body: Value) -> Checked {
    Call::post(&chat::ENDPOINT, &body).accepted(probe).await?.expect_accepted(&[200], COMPLETION)?;
    let answer = Call::post(&chat::ENDPOINT, &streamed(body)).accepted(probe).await?;
    expect_inference(probe, &chat::ENDPOINT, &answer)
}

/// Sends each value that the check's row accepts: `with` makes a chat of it. Each must be accepted.
async fn expect_each_value(probe: &Probe<'_>, with: impl Fn(&Value) -> Value, place: Place) -> Checked {
    let send = async |value: &ValueKind| {
        let body = with(&value.instead_of(&Value::Null).unwrap_or_default());
        let body = if place.op == STREAM { streamed(body) } else { body };
        Call::post(&chat::ENDPOINT, &body).accepted(probe).await
    };
    let judge = |answer: &Answer<'_>| {
        let is_streamed = place.op == STREAM;
        if is_streamed { expect_streamed(probe, answer) } else { answer.expect_accepted(&[200], COMPLETION) }
    };
    probe.each_value(send, |answer, _| judge(answer)).await
}

/// Sends chats with what common client libraries send: options, a long prompt, letters beyond ASCII, several turns. Each must be accepted.
#[shows(
    rows::ORDINARY,
    uses_up,
    after(auths::KEY_CHECK, rows::ANSWERED, stream::EVENT_STREAM, stream::CHUNKS, rows::PARTS)
)]
async fn what_client_libraries_send_is_accepted(probe: &Probe<'_>, place: Place) -> Checked {
    let plain = good(probe).await?;
    expect_each_value(probe, |value| with_members(plain.clone(), value), place).await
}

/// Sends a message whose content is one `text` part, and one of two parts with letters beyond ASCII, also for a stream. Each must
/// return 200.
#[shows(rows::PARTS, after(auths::KEY_CHECK, stream::EVENT_STREAM, stream::CHUNKS))]
async fn text_parts_are_accepted(probe: &Probe<'_>, place: Place) -> Checked {
    let id = model(probe, Skill::Chat).await?;
    expect_each_value(probe, |value| bodies::chat_content(&id, value), place).await
}

/// A valid chat about an image.
pub(super) async fn seen(probe: &Probe<'_>) -> Result<Value, Stop> {
    let id = model(probe, Skill::Vision).await?;
    Ok(bodies::chat_content(&id, &json!([text_part("Which colour is this?"), png_part()])))
}

/// Sends messages with an image as a data URL, also for a stream: a PNG after text, a PNG alone, a JPEG before text, two images. Each must
/// return 200.
#[shows(rows::IMAGE, after(auths::KEY_CHECK, stream::EVENT_STREAM, stream::CHUNKS))]
async fn image_is_accepted(probe: &Probe<'_>, place: Place) -> Checked {
    let id = model(probe, Skill::Vision).await?;
    expect_each_value(probe, |value| bodies::chat_content(&id, value), place).await
}

/// Sends an array, a string and invalid JSON as the body. JSON values must return 422, invalid JSON 422 or 400.
#[rejects(rows::BODY)]
async fn body_that_is_not_an_object_is_rejected(probe: &Probe<'_>) -> Checked {
    only_an_object_is_accepted(probe, &chat::ENDPOINT, &good(probe).await?).await
}

/// Expects that each wrong value of a member of a valid chat is rejected.
async fn refuses_malformed(probe: &Probe<'_>, pointer: &str) -> Checked {
    refused(probe, &chat::ENDPOINT, &good(probe).await?, pointer).await
}

/// Sends `model` of other types and not at all. Each must return 422.
#[rejects(rows::MODEL)]
async fn model_must_be_a_string(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/model").await
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

/// Sends `content` as an object. It must return 422.
#[rejects(rows::CONTENT)]
async fn content_must_be_a_string_or_an_array(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0/content").await
}

/// Expects that each wrong value of a member of a valid chat with content parts is rejected.
async fn refuses_malformed_part(probe: &Probe<'_>, pointer: &str) -> Checked {
    let good = with(good(probe).await?, "/messages/0/content", json!([text_part(QUESTION)]));
    refused(probe, &chat::ENDPOINT, &good, pointer).await
}

/// Sends content parts of other types. Each must return 422.
#[rejects(rows::PART)]
async fn part_must_be_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed_part(probe, "/messages/0/content/0").await
}

/// Sends content parts whose `type` is of another type. Each must return 422. Which types exist besides the two documented
/// ones is left open.
#[rejects(rows::PART_TYPE)]
async fn part_type_must_be_known(probe: &Probe<'_>) -> Checked {
    refuses_malformed_part(probe, "/messages/0/content/0/type").await
}

/// Sends `text` parts whose `text` is of another type. Each must return 422.
#[rejects(rows::PART_TEXT)]
async fn text_of_a_part_must_be_a_string(probe: &Probe<'_>) -> Checked {
    refuses_malformed_part(probe, "/messages/0/content/0/text").await
}

/// Expects that each wrong value of a member of a valid chat about an image is rejected.
async fn refuses_malformed_image(probe: &Probe<'_>, pointer: &str) -> Checked {
    refused(probe, &chat::ENDPOINT, &seen(probe).await?, pointer).await
}

/// Sends `image_url` parts whose `image_url` is of another type. Each must return 422.
#[rejects(rows::PART_IMAGE)]
async fn image_url_of_a_part_must_be_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed_image(probe, "/messages/0/content/1/image_url").await
}

/// Sends an `image_url` whose `url` is of another type. Each must return 422.
#[rejects(rows::PART_IMAGE_URL)]
async fn url_of_an_image_must_be_a_string(probe: &Probe<'_>) -> Checked {
    refuses_malformed_image(probe, "/messages/0/content/1/image_url/url").await
}

/// Sends a `tool` message whose `tool_call_id` is of another type. Each must return 422.
#[rejects(rows::TOOL_CALL_ID, after(called_tools::CALL_NAME, called_tools::CALL_ID))]
async fn tool_call_id_must_be_a_string(probe: &Probe<'_>) -> Checked {
    let called = called(probe).await?;
    let good = called.answered(probe)?;
    let last = good["messages"].as_array().map_or(0, |messages| messages.len() - 1);
    refused(probe, &chat::ENDPOINT, &good, &format!("/messages/{last}/tool_call_id")).await
}

/// Sends `stream` of other types. Each must return 422.
#[rejects(rows::STREAM)]
async fn stream_must_be_a_boolean(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/stream").await
}
