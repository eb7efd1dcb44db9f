//! Checks of tools: their declaration, the call, and the round trip. The model decides whether it calls a tool; if it
//! does not, the checks of calls are inconclusive.

use assay_spec::gateway::chat;
use assay_spec::gateway::requirements::tools as rows;
use assay_spec::gateway::values;
use serde_json::{Value, json};

use super::auth;
use super::bodies;
use super::chat::{expect_chats, given_choices, wire_compat};
use super::given::{Skill, model};
use super::malformed::{doubled, refused};
use super::refusals;
use super::wire::Call;
use crate::check::{Check, Checked, Stop};
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::TAKEN, declared_tools_are_accepted).costs(2, 0, 0).after(auth::WITH_KEY),
    shows!(rows::CALL_NAME, call_has_a_function_name).costs(1, 0, 0),
    shows!(rows::CALL_ARGUMENTS, call_arguments_are_a_string).costs(1, 0, 0),
    shows!(rows::CALL_ID, call_has_an_id).costs(1, 0, 0),
    shows!(rows::ROUND_TRIP, tool_result_is_accepted)
        .costs(3, 0, 0)
        .after(const { &[&rows::CALL_NAME, &rows::CALL_ARGUMENTS, &rows::CALL_ID] }),
    doubled(refuses!(rows::TOOLS, tools_must_be_an_array, refusals::VALIDATION), values::LIST, 0),
    doubled(refuses!(rows::TOOL, tool_must_be_an_object, refusals::VALIDATION), values::OBJECTS, 0),
    doubled(refuses!(rows::TYPE, tool_type_must_be_function, refusals::VALIDATION), values::TEXT, 0),
    doubled(refuses!(rows::FUNCTION, function_must_be_an_object, refusals::VALIDATION), values::OBJECTS, 0),
    doubled(refuses!(rows::NAME, function_name_must_be_a_string, refusals::VALIDATION), values::TEXT, 0),
    doubled(refuses!(rows::DESCRIPTION, description_must_be_a_string, refusals::VALIDATION), values::TEXT, 0),
    doubled(
        refuses!(rows::PARAMETERS, parameters_must_be_an_object, refusals::VALIDATION),
        values::OBJECTS,
        0,
    ),
];

/// A valid chat that declares a tool.
async fn good(probe: &Probe<'_>) -> Result<Value, Stop> {
    Ok(bodies::chat_with_tool(&model(probe, Skill::Tools).await?))
}

/// Sends a chat that declares a tool, also for a stream. It must return 200.
async fn declared_tools_are_accepted(probe: &Probe<'_>) -> Checked {
    expect_chats(probe, good(probe).await?).await
}

/// A conversation in which the model has called a tool.
pub(super) struct Called<'p> {
    answer: Answer<'p>,
    body: Value,
    /// The message with the calls.
    message: Value,
    /// The JSON pointer of that message in the response.
    pointer: String,
}

impl Called<'_> {
    /// The JSON pointers of the calls in the response.
    fn pointers(&self) -> Vec<String> {
        let calls = self.message["tool_calls"].as_array().map_or(0, Vec::len);
        (0..calls).map(|n| format!("{}/tool_calls/{n}", self.pointer)).collect()
    }

    /// The conversation with the assistant's message unchanged and a `tool` message for each of its calls.
    pub(super) fn answered(&self, probe: &Probe<'_>) -> Result<Value, Stop> {
        let mut body = self.body.clone();
        let mut turns = vec![self.message.clone()];
        for call in self.message["tool_calls"].as_array().into_iter().flatten() {
            probe.given(call["id"].is_string(), "the tool call has no `id`, so it cannot be answered")?;
            turns.push(json!({ "role": "tool", "tool_call_id": call["id"], "content": "-3.5" }));
        }
        body["messages"].as_array_mut().into_iter().for_each(|messages| messages.append(&mut turns));
        Ok(body)
    }
}

/// A conversation in which the model has called a tool. If it has not, the check is inconclusive.
pub(super) async fn called<'p>(probe: &'p Probe<'_>) -> Result<Called<'p>, Stop> {
    let body = good(probe).await?;
    let answer = Call::post(&chat::ENDPOINT, &body).accepted(probe).await?;
    let choices = given_choices(probe, &answer)?;
    let calls =
        |choice: &Value| choice["message"]["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
    let Some(n) = choices.iter().position(calls) else {
        return Err(Stop::Inconclusive("the model did not call a tool".to_owned()));
    };
    let message = choices[n]["message"].clone();
    Ok(Called { answer, body, message, pointer: format!("/choices/{n}/message") })
}

/// Asks a model to call a tool. Each call's `function.name` must be a string.
async fn call_has_a_function_name(probe: &Probe<'_>) -> Checked {
    let called = called(probe).await?;
    for call in called.pointers() {
        let name =
            called.answer.expect_json(&format!("{call}/function/name"), "a string", Value::is_string)?;
        probe.note(format!("the model calls {name}"));
    }
    Ok(())
}

/// Asks a model to call a tool. Each call's `function.arguments` must be a string.
async fn call_arguments_are_a_string(probe: &Probe<'_>) -> Checked {
    let called = called(probe).await?;
    for call in called.pointers() {
        called.answer.expect_json(&format!("{call}/function/arguments"), "a string", Value::is_string)?;
    }
    Ok(())
}

/// Asks a model to call a tool. Each call's `id` must be a non-empty string.
async fn call_has_an_id(probe: &Probe<'_>) -> Checked {
    wire_compat(probe)?;
    let called = called(probe).await?;
    for call in called.pointers() {
        let is_non_empty = |id: &Value| id.as_str().is_some_and(|id| !id.is_empty());
        called.answer.expect_json(&format!("{call}/id"), "a non-empty string", is_non_empty)?;
    }
    Ok(())
}

/// Answers a tool call with a `tool` message and calls the model again, also for a stream. It must return 200.
async fn tool_result_is_accepted(probe: &Probe<'_>) -> Checked {
    let body = called(probe).await?.answered(probe)?;
    expect_chats(probe, body).await
}

/// Expects that each wrong value of a member of a valid chat with a tool is rejected.
async fn refuses_malformed(probe: &Probe<'_>, pointer: &str) -> Checked {
    refused(probe, &chat::ENDPOINT, &good(probe).await?, pointer).await
}

/// Sends `tools` of other types. Each must return 422.
async fn tools_must_be_an_array(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools").await
}

/// Sends tools of other types. Each must return 422.
async fn tool_must_be_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0").await
}

/// Sends tools whose `type` is of another type. Each must return 422. Which types exist besides `function` is left open.
async fn tool_type_must_be_function(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/type").await
}

/// Sends tools whose `function` is of another type. Each must return 422.
async fn function_must_be_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/function").await
}

/// Sends `function.name` of other types. Each must return 422. Whether it may be missing is left open.
async fn function_name_must_be_a_string(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/function/name").await
}

/// Sends `function.description` of other types. Each must return 422.
async fn description_must_be_a_string(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/function/description").await
}

/// Sends `function.parameters` of other types. Each must return 422.
async fn parameters_must_be_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/function/parameters").await
}
