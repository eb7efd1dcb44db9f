//! Tools: their declaration, the call, and the round trip. Whether a model calls is its own decision; where it does
//! not, the checks of calls say nothing.

use assay_spec::gateway::chat;
use assay_spec::gateway::requirements::tools as rows;
use serde_json::{Value, json};

use super::bodies::{self, without};
use super::chat::{given_choices, wire_compat};
use super::given::{Skill, model};
use super::malformed::{malformed, refused};
use super::wire::Call;
use crate::check::{Check, Checked, Stop};
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::TAKEN, declared_tools_are_taken).costs(1, 0, 0),
    shows!(rows::CALL_NAME, a_call_names_its_function).costs(1, 0, 0),
    shows!(rows::CALL_ARGUMENTS, the_arguments_of_a_call_are_a_text).costs(1, 0, 0),
    shows!(rows::CALL_ID, a_call_has_an_id).costs(1, 0, 0),
    shows!(rows::ROUND_TRIP, the_answer_of_a_tool_is_taken)
        .costs(2, 0, 0)
        .after(const { &[&rows::CALL_NAME, &rows::CALL_ARGUMENTS, &rows::CALL_ID] }),
    refuses!(rows::TOOLS, tools_are_a_list).costs(2, 0, 0),
    refuses!(rows::TOOL, a_tool_is_an_object).costs(3, 0, 0),
    refuses!(rows::TYPE, the_type_of_a_tool_is_function).costs(3, 0, 0),
    refuses!(rows::FUNCTION, a_function_is_an_object).costs(3, 0, 0),
    refuses!(rows::NAME, a_function_has_a_name).costs(4, 0, 0),
    refuses!(rows::DESCRIPTION, a_description_is_a_text).costs(3, 0, 0),
    refuses!(rows::PARAMETERS, parameters_are_an_object).costs(3, 0, 0),
];

/// A chat that declares a tool and is fine.
async fn good(probe: &Probe<'_>) -> Result<Value, Stop> {
    Ok(bodies::chat_with_tool(&model(probe, Skill::Tools).await?))
}

async fn declared_tools_are_taken(probe: &Probe<'_>) -> Checked {
    Call::post(&chat::ENDPOINT, &good(probe).await?).accepted(probe).await?.expect_status(&[200])
}

/// A conversation in which the model has called a tool.
pub(super) struct Called<'p> {
    answer: Answer<'p>,
    body: Value,
    /// The message that holds the calls.
    message: Value,
    /// Where that message stands in the answer.
    pointer: String,
}

impl Called<'_> {
    /// The calls: where each stands in the answer.
    fn pointers(&self) -> Vec<String> {
        let calls = self.message["tool_calls"].as_array().map_or(0, Vec::len);
        (0..calls).map(|n| format!("{}/tool_calls/{n}", self.pointer)).collect()
    }

    /// The conversation with the assistant's turn as it came, and an answer to each of its calls.
    pub(super) fn answered(&self, probe: &Probe<'_>) -> Result<Value, Stop> {
        let mut body = self.body.clone();
        let mut turns = vec![self.message.clone()];
        for call in self.message["tool_calls"].as_array().into_iter().flatten() {
            probe.given(call["id"].is_string(), "the call has no id by which it could be answered")?;
            turns.push(json!({ "role": "tool", "tool_call_id": call["id"], "content": "-3.5" }));
        }
        body["messages"].as_array_mut().into_iter().for_each(|messages| messages.append(&mut turns));
        Ok(body)
    }
}

/// A conversation in which the model has called a tool; where it has not, the check says nothing.
pub(super) async fn called<'p>(probe: &'p Probe<'_>) -> Result<Called<'p>, Stop> {
    let body = good(probe).await?;
    let answer = Call::post(&chat::ENDPOINT, &body).accepted(probe).await?;
    let choices = given_choices(probe, &answer)?;
    let calls =
        |choice: &Value| choice["message"]["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
    let Some(n) = choices.iter().position(calls) else {
        return Err(Stop::Inconclusive("the model chose to call no tool".to_owned()));
    };
    let message = choices[n]["message"].clone();
    Ok(Called { answer, body, message, pointer: format!("/choices/{n}/message") })
}

async fn a_call_names_its_function(probe: &Probe<'_>) -> Checked {
    let called = called(probe).await?;
    for call in called.pointers() {
        let name = called.answer.expect_json(&format!("{call}/function/name"), "a text", Value::is_string)?;
        probe.note(format!("the model calls {name}"));
    }
    Ok(())
}

async fn the_arguments_of_a_call_are_a_text(probe: &Probe<'_>) -> Checked {
    let called = called(probe).await?;
    for call in called.pointers() {
        called.answer.expect_json(&format!("{call}/function/arguments"), "a text", Value::is_string)?;
    }
    Ok(())
}

async fn a_call_has_an_id(probe: &Probe<'_>) -> Checked {
    wire_compat(probe)?;
    let called = called(probe).await?;
    for call in called.pointers() {
        let is_text = |id: &Value| id.as_str().is_some_and(|id| !id.is_empty());
        called.answer.expect_json(&format!("{call}/id"), "a text that is not empty", is_text)?;
    }
    Ok(())
}

async fn the_answer_of_a_tool_is_taken(probe: &Probe<'_>) -> Checked {
    let body = called(probe).await?.answered(probe)?;
    Call::post(&chat::ENDPOINT, &body).accepted(probe).await?.expect_status(&[200])
}

/// Expects each of these values at a pointer of a good chat with a tool to be refused.
async fn refuses_malformed<const N: usize>(probe: &Probe<'_>, pointer: &str, values: [Value; N]) -> Checked {
    let good = good(probe).await?;
    refused(probe, &chat::ENDPOINT, &good, malformed(&good, pointer, values)).await
}

async fn tools_are_a_list(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools", [json!({ bodies::TOOL: bodies::tool() })]).await
}

async fn a_tool_is_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0", [json!(7), json!([bodies::tool()])]).await
}

async fn the_type_of_a_tool_is_function(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/type", [json!("assay-no-such-tool"), json!({ "name": "function" })])
        .await
}

async fn a_function_is_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/function", [json!(7), json!([bodies::TOOL])]).await
}

async fn a_function_has_a_name(probe: &Probe<'_>) -> Checked {
    let good = good(probe).await?;
    let values = [json!({ "is": bodies::TOOL }), json!([bodies::TOOL])];
    let mut bad = malformed(&good, "/tools/0/function/name", values);
    bad.push(without(good.clone(), "/tools/0/function/name"));
    refused(probe, &chat::ENDPOINT, &good, bad).await
}

async fn a_description_is_a_text(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/function/description", [json!({ "words": "reads" }), json!(["reads"])])
        .await
}

async fn parameters_are_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/function/parameters", [json!(7), json!(["place"])]).await
}
