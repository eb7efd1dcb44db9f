//! Chat completions: the answer, and what a body must be.

use assay_spec::gateway::chat;
use assay_spec::gateway::requirements::chat as rows;
use serde_json::{Value, json};

use super::bodies::{self, QUESTION, image, text, with, without};
use super::given::{Skill, model};
use super::malformed::{malformed, no_object_is_taken, refused};
use super::tools::called;
use super::wire::Call;
use crate::check::{Check, Checked, Stop};
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::ANSWERED, a_question_is_answered_by_json).costs(1, 0, 0),
    shows!(rows::CHOICES, an_answer_has_choices_with_a_message)
        .costs(1, 0, 0)
        .after(const { &[&rows::ANSWERED] }),
    shows!(rows::ANSWER_TEXT, an_answer_in_words_has_its_text)
        .costs(1, 0, 0)
        .after(const { &[&rows::CHOICES] }),
    shows!(rows::PARTS, parts_of_text_are_taken).costs(1, 0, 0),
    shows!(rows::IMAGE, an_image_is_taken).costs(1, 0, 0),
    refuses!(rows::BODY, a_body_is_an_object).costs(5, 0, 0),
    refuses!(rows::MODEL, a_model_is_named).costs(4, 0, 0),
    refuses!(rows::MESSAGES, messages_are_a_list).costs(3, 0, 0),
    refuses!(rows::MESSAGE, a_message_is_an_object).costs(3, 0, 0),
    refuses!(rows::ROLE, a_role_is_a_text).costs(3, 0, 0),
    refuses!(rows::CONTENT, content_is_a_text_or_a_list).costs(2, 0, 0),
    refuses!(rows::PART, a_part_is_an_object).costs(3, 0, 0),
    refuses!(rows::PART_TYPE, a_part_has_a_known_type).costs(3, 0, 0),
    refuses!(rows::PART_TEXT, a_part_of_text_holds_a_text).costs(3, 0, 0),
    refuses!(rows::PART_IMAGE, a_part_with_an_image_holds_an_object).costs(3, 0, 0),
    refuses!(rows::PART_IMAGE_URL, the_url_of_an_image_is_a_text).costs(3, 0, 0),
    refuses!(rows::TOOL_CALL_ID, the_id_of_an_answered_call_is_a_text).costs(3, 0, 0),
    refuses!(rows::STREAM, stream_is_a_boolean).costs(3, 0, 0),
];

/// A chat that is fine.
pub(super) async fn good(probe: &Probe<'_>) -> Result<Value, Stop> {
    Ok(bodies::chat(&model(probe, Skill::Chat).await?))
}

/// The answer to a chat that is fine.
async fn answered<'p>(probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
    Call::post(&chat::ENDPOINT, &good(probe).await?).accepted(probe).await
}

/// Expects 200 and a JSON object.
pub(super) fn expect_object(answer: &Answer<'_>) -> Checked {
    answer.expect_status(&[200])?;
    answer.expect(answer.json().is_object(), "body", "a JSON object", answer.response.text())
}

async fn a_question_is_answered_by_json(probe: &Probe<'_>) -> Checked {
    expect_object(&answered(probe).await?)
}

/// The choices of an answer, without which a check says nothing.
pub(super) fn given_choices(probe: &Probe<'_>, answer: &Answer<'_>) -> Result<Vec<Value>, Stop> {
    answer.given_status(&[200])?;
    let choices = answer.json()["choices"].as_array().cloned().unwrap_or_default();
    probe.given(!choices.is_empty(), "the answer holds no choices")?;
    Ok(choices)
}

async fn an_answer_has_choices_with_a_message(probe: &Probe<'_>) -> Checked {
    let answer = answered(probe).await?;
    answer.given_status(&[200])?;
    let is_full = |choices: &Value| choices.as_array().is_some_and(|choices| !choices.is_empty());
    let choices = answer.expect_json("/choices", "an array that is not empty", is_full)?;
    for n in 0..choices.as_array().map_or(0, Vec::len) {
        answer.expect_json(&format!("/choices/{n}/message"), "an object", Value::is_object)?;
    }
    Ok(())
}

/// The check is about what the customary libraries read beyond the document.
pub(super) fn wire_compat(probe: &Probe<'_>) -> Checked {
    let why = "the target's profile does not declare wire_compat, and the document does not list it";
    if probe.settings.gateway.wire_compat { Ok(()) } else { Err(Stop::NotApplicable(why.to_owned())) }
}

async fn an_answer_in_words_has_its_text(probe: &Probe<'_>) -> Checked {
    wire_compat(probe)?;
    let answer = answered(probe).await?;
    for n in 0..given_choices(probe, &answer)?.len() {
        let is_text = |content: &Value| content.as_str().is_some_and(|text| !text.is_empty());
        answer.expect_json(&format!("/choices/{n}/message/content"), "a text that is not empty", is_text)?;
    }
    Ok(())
}

async fn parts_of_text_are_taken(probe: &Probe<'_>) -> Checked {
    let id = model(probe, Skill::Chat).await?;
    let body = bodies::chat_content(&id, &json!([text(QUESTION), text("In English, please.")]));
    Call::post(&chat::ENDPOINT, &body).accepted(probe).await?.expect_status(&[200])
}

/// A chat about an image that is fine.
pub(super) async fn seen(probe: &Probe<'_>) -> Result<Value, Stop> {
    let id = model(probe, Skill::Vision).await?;
    let content = json!([text("Which colour is this?"), image(&bodies::pixel_url())]);
    Ok(bodies::chat_content(&id, &content))
}

async fn an_image_is_taken(probe: &Probe<'_>) -> Checked {
    Call::post(&chat::ENDPOINT, &seen(probe).await?).accepted(probe).await?.expect_status(&[200])
}

async fn a_body_is_an_object(probe: &Probe<'_>) -> Checked {
    no_object_is_taken(probe, &chat::ENDPOINT, &good(probe).await?).await
}

/// Expects each of these values at a pointer of a good chat to be refused.
async fn refuses_malformed<const N: usize>(probe: &Probe<'_>, pointer: &str, values: [Value; N]) -> Checked {
    let good = good(probe).await?;
    refused(probe, &chat::ENDPOINT, &good, malformed(&good, pointer, values)).await
}

async fn a_model_is_named(probe: &Probe<'_>) -> Checked {
    let good = good(probe).await?;
    let mut bad = malformed(&good, "/model", [json!({ "id": good["model"] }), json!([good["model"]])]);
    bad.push(without(good.clone(), "/model"));
    refused(probe, &chat::ENDPOINT, &good, bad).await
}

async fn messages_are_a_list(probe: &Probe<'_>) -> Checked {
    let good = good(probe).await?;
    let mut bad = malformed(&good, "/messages", [good["messages"][0].clone()]);
    bad.push(without(good.clone(), "/messages"));
    refused(probe, &chat::ENDPOINT, &good, bad).await
}

async fn a_message_is_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0", [json!(7), json!([QUESTION])]).await
}

async fn a_role_is_a_text(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0/role", [json!({ "name": "user" }), json!(["user"])]).await
}

async fn content_is_a_text_or_a_list(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/messages/0/content", [json!({ "words": QUESTION })]).await
}

/// Expects each of these values at a pointer of a good chat in parts to be refused.
async fn refuses_malformed_part<const N: usize>(
    probe: &Probe<'_>,
    pointer: &str,
    values: [Value; N],
) -> Checked {
    let good = with(good(probe).await?, "/messages/0/content", json!([text(QUESTION)]));
    refused(probe, &chat::ENDPOINT, &good, malformed(&good, pointer, values)).await
}

async fn a_part_is_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed_part(probe, "/messages/0/content/0", [json!(7), json!([QUESTION])]).await
}

async fn a_part_has_a_known_type(probe: &Probe<'_>) -> Checked {
    let values = [json!("assay-no-such-part"), json!({ "name": "text" })];
    refuses_malformed_part(probe, "/messages/0/content/0/type", values).await
}

async fn a_part_of_text_holds_a_text(probe: &Probe<'_>) -> Checked {
    let values = [json!({ "words": QUESTION }), json!([QUESTION])];
    refuses_malformed_part(probe, "/messages/0/content/0/text", values).await
}

/// Expects each of these values at a pointer of a good chat about an image to be refused.
async fn refuses_malformed_image<const N: usize>(
    probe: &Probe<'_>,
    pointer: &str,
    values: [Value; N],
) -> Checked {
    let good = seen(probe).await?;
    refused(probe, &chat::ENDPOINT, &good, malformed(&good, pointer, values)).await
}

async fn a_part_with_an_image_holds_an_object(probe: &Probe<'_>) -> Checked {
    let values = [json!(7), json!([bodies::pixel_url()])];
    refuses_malformed_image(probe, "/messages/0/content/1/image_url", values).await
}

async fn the_url_of_an_image_is_a_text(probe: &Probe<'_>) -> Checked {
    let values = [json!({ "href": bodies::pixel_url() }), json!([bodies::pixel_url()])];
    refuses_malformed_image(probe, "/messages/0/content/1/image_url/url", values).await
}

async fn the_id_of_an_answered_call_is_a_text(probe: &Probe<'_>) -> Checked {
    let called = called(probe).await?;
    let good = called.answered(probe)?;
    let last = good["messages"].as_array().map_or(0, |messages| messages.len() - 1);
    let pointer = format!("/messages/{last}/tool_call_id");
    refused(probe, &chat::ENDPOINT, &good, malformed(&good, &pointer, [json!({ "id": "call" })])).await
}

async fn stream_is_a_boolean(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/stream", [json!({ "on": true }), json!(["true"])]).await
}
