//! Checks of tools: their declaration, the call, and the round trip. The model decides whether it calls a tool; if it
//! does not, the checks of calls are inconclusive. A model that the profile declares to call always must call.

use assay_spec::gateway::chat;
use assay_spec::gateway::requirements::{auth as auths, chat as chats, stream, tools as rows};
use assay_spec::gateway::stream::{self as grammar, Misfit, StreamedCall, StreamedCalls, before_end, chunk};
use assay_spec::gateway::values::text_part;
use serde_json::{Value, json};

use super::bodies::{self, TOOLS, UNITS, streamed, with};
use super::chat::{COMPLETION, expect_chats, given_choices, wire_compat};
use super::client::words_of_stream;
use super::given::{ALWAYS_CALLS, Skill, always_calls, model};
use super::malformed::refused;
use super::stream::{expect_streamed, stream_of};
use super::wire::Call;
use crate::harness::check::{Checked, Given, Stop, rejects, shows};
use crate::harness::probe::{Answer, Probe};

/// The fixture of a model that always calls.
const CALLER: &str = "[gateway.models] always_calls";
const IS_CALLER: Given = |settings| settings.gateway().models.always_calls.is_some();

/// A valid chat that declares tools.
async fn good(probe: &Probe<'_>) -> Result<Value, Stop> {
    Ok(bodies::chat_with_tools(&model(probe, Skill::Tools).await?))
}

/// Sends a chat that declares three tools, also for a stream. It must return 200.
#[shows(rows::TAKEN, after(auths::KEY_CHECK, stream::CHUNKS))]
async fn declared_tools_are_accepted(probe: &Probe<'_>) -> Checked {
    let mut body = good(probe).await?;
    body["tools"].as_array_mut().into_iter().for_each(|tools| tools.push(bodies::tool_of_lists()));
    expect_chats(probe, body).await
}

/// The result of the tools.
const RESULT: &str = "-3.5";

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
    /// The calls.
    fn calls(&self) -> &[Value] {
        self.message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// The JSON pointers of the calls in the response.
    fn pointers(&self) -> impl Iterator<Item = String> {
        (0..self.calls().len()).map(|n| format!("{}/tool_calls/{n}", self.pointer))
    }

    /// The conversation with the assistant's message unchanged and a `tool` message for each of its calls.
    pub(super) fn answered(&self, probe: &Probe<'_>) -> Result<Value, Stop> {
        self.answered_with(probe, &json!(RESULT))
    }

    /// The same, with the content of each `tool` message as an array of parts.
    fn answered_in_parts(&self, probe: &Probe<'_>) -> Result<Value, Stop> {
        self.answered_with(probe, &json!([text_part(RESULT)]))
    }

    fn answered_with(&self, probe: &Probe<'_>, result: &Value) -> Result<Value, Stop> {
        let mut body = self.body.clone();
        let mut turns = vec![self.message.clone()];
        for (n, call) in self.calls().iter().enumerate() {
            probe.given(call["id"].is_string(), "the tool call has no `id`, so it cannot be answered")?;
            // A tool may have nothing to say.
            let result = if n > 0 && result.is_string() { &json!("") } else { result };
            turns.push(json!({ "role": "tool", "tool_call_id": call["id"], "content": result }));
        }
        body["messages"].as_array_mut().into_iter().for_each(|messages| messages.append(&mut turns));
        Ok(body)
    }
}

/// A conversation in which the model has called a tool.
pub(super) async fn called<'p>(probe: &'p Probe<'_>) -> Result<Called<'p>, Stop> {
    let called = calls_in(probe, good(probe).await?).await?;
    probe.given(called.message["tool_calls"].is_array(), "`tool_calls` is not an array")?;
    Ok(called)
}

/// The conversation of a body in which the model has called a tool. If it has not, a model that always calls fails the
/// check, and another leaves it inconclusive.
async fn calls_in<'p>(probe: &'p Probe<'_>, body: Value) -> Result<Called<'p>, Stop> {
    let answer = Call::post(&chat::ENDPOINT, &body).accepted(probe).await?;
    let choices = given_choices(probe, &answer)?;
    let has_calls = |choice: &Value| match &choice["message"]["tool_calls"] {
        Value::Null => false,
        Value::Array(calls) => !calls.is_empty(),
        _ => true,
    };
    let Some(n) = choices.iter().position(has_calls) else {
        if always_calls(probe).await {
            probe.given(choices[0]["message"].is_object(), "the response has no message")?;
            let want = "a call of the tool that the prompt names: the model always calls";
            answer.expect(false, "/choices/0/message/tool_calls", want, choices[0]["message"].to_string())?;
        }
        return Err(Stop::Inconclusive("the model did not call a tool".to_owned()));
    };
    let message = choices[n]["message"].clone();
    Ok(Called { answer, body, message, pointer: format!("/choices/{n}/message") })
}

/// Asks a model to call a tool. `tool_calls` must be an array, and each call's `function.name` a string.
#[shows(rows::CALL_NAME)]
async fn call_has_a_function_name(probe: &Probe<'_>) -> Checked {
    let called = calls_in(probe, good(probe).await?).await?;
    called.answer.expect_json(&format!("{}/tool_calls", called.pointer), "an array", Value::is_array)?;
    for call in called.pointers() {
        let name =
            called.answer.expect_json(&format!("{call}/function/name"), "a string", Value::is_string)?;
        probe.note(format!("the model calls {name}"));
    }
    Ok(())
}

/// Asks a model to call a tool. Each call's `function.arguments` must be a string.
#[shows(rows::CALL_ARGUMENTS)]
async fn call_arguments_are_a_string(probe: &Probe<'_>) -> Checked {
    let called = called(probe).await?;
    for call in called.pointers() {
        called.answer.expect_json(&format!("{call}/function/arguments"), "a string", Value::is_string)?;
    }
    Ok(())
}

/// Asks a model to call a tool. Each call's `id` must be a non-empty string.
#[shows(rows::CALL_ID)]
async fn call_has_an_id(probe: &Probe<'_>) -> Checked {
    wire_compat(probe)?;
    let called = called(probe).await?;
    for call in called.pointers() {
        let is_non_empty = |id: &Value| id.as_str().is_some_and(|id| !id.is_empty());
        called.answer.expect_json(&format!("{call}/id"), "a non-empty string", is_non_empty)?;
    }
    Ok(())
}

/// A chat that asks for both tools, for a stream, and its calls. A model that always calls must call each tool.
async fn streamed_calls<'p>(
    probe: &'p Probe<'_>,
) -> Result<(Answer<'p>, Result<StreamedCalls, Misfit>), Stop> {
    let body = with(good(probe).await?, "/messages", json!([bodies::question(&TOOLS)]));
    let (answer, events) = stream_of(probe, &streamed(body)).await?;
    let events = before_end(&events);
    let are_chunks = events.iter().all(|event| chunk(event).is_some());
    answer.given(are_chunks, "an event of the stream is not a chunk; another check judges this")?;
    let calls = grammar::calls(events);
    Ok((answer, calls))
}

/// Asks a model for two tools in a stream. The pieces of each call together must have one non-empty `id` that no other call
/// has, and a `function.name`. A model that always calls must call both tools, each with a JSON object as `function.arguments`.
#[shows(rows::STREAMED, after(rows::TAKEN, rows::CALL_NAME, rows::CALL_ARGUMENTS, rows::CALL_ID))]
async fn streamed_calls_are_whole(probe: &Probe<'_>) -> Checked {
    wire_compat(probe)?;
    let (answer, calls) = streamed_calls(probe).await?;
    let calls = match calls.and_then(|calls| grammar::whole(&calls).map(|()| calls)) {
        Ok(calls) => calls,
        Err(Misfit { at, want, got }) => return answer.expect(false, &at, want, got),
    };
    let is_caller = always_calls(probe).await;
    if calls.is_empty() && !is_caller {
        return Err(Stop::Inconclusive("the model did not call a tool".to_owned()));
    }
    for ((_, index), StreamedCall { name, arguments, .. }) in &calls {
        let at = format!("call {index} of the stream");
        if is_caller {
            answer.expect(
                TOOLS.contains(&name.as_str()),
                &at,
                "the name of a declared tool",
                name.as_str(),
            )?;
            let is_object = serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object());
            let want = "a JSON object as `function.arguments`";
            answer.expect(is_object, &at, want, format!("{arguments:?}"))?;
        }
    }
    let called = |tool: &&str| calls.values().any(|call| call.name == **tool);
    let missing: Vec<&str> = TOOLS.into_iter().filter(|tool| is_caller && !called(tool)).collect();
    let want = "a call of each tool that the prompt names: the model always calls";
    answer.expect(
        missing.is_empty(),
        "delta.tool_calls",
        want,
        format!("no call of {}", missing.join(" and ")),
    )
}

/// Asks a model that always calls for two tools in a stream. The arguments of each call must be a JSON object with the members
/// of the tool's schema.
#[shows(rows::STREAMED_FIT, needs(Actions), or_given(CALLER, IS_CALLER), after(rows::STREAMED))]
async fn streamed_arguments_fit_the_schema(probe: &Probe<'_>) -> Checked {
    wire_compat(probe)?;
    given_caller(probe).await?;
    let (answer, calls) = streamed_calls(probe).await?;
    let calls = calls.unwrap_or_default();
    answer.given(!calls.is_empty(), "the stream has no call that can be put together")?;
    for ((_, index), StreamedCall { arguments, .. }) in &calls {
        let at = format!("arguments of call {index} of the stream");
        answer.expect(fit(&json!(arguments)), &at, fitting(), arguments.as_str())?;
    }
    Ok(())
}

/// Whether the arguments of a call are those of the schema that every tool of the checks has.
fn fit(arguments: &Value) -> bool {
    let arguments = arguments.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    arguments.is_some_and(|arguments| {
        arguments["place"].is_string() && UNITS.iter().any(|unit| arguments["unit"] == *unit)
    })
}

fn fitting() -> String {
    format!("JSON with a string `place` and a `unit` of {}", UNITS.join(" or "))
}

/// Answers a tool call with a `tool` message and calls the model again. Answers the calls of two tools, also for a stream, where the
/// contents of these messages are arrays of parts. Each must return 200, for the stream with an event stream.
#[shows(
    rows::ROUND_TRIP,
    after(
        chats::PARTS,
        stream::EVENT_STREAM,
        rows::TAKEN,
        rows::CALL_NAME,
        rows::CALL_ARGUMENTS,
        rows::CALL_ID
    )
)]
async fn tool_result_is_accepted(probe: &Probe<'_>) -> Checked {
    let called = called(probe).await?;
    let answer = Call::post(&chat::ENDPOINT, &called.answered(probe)?).accepted(probe).await?;
    answer.expect_accepted(&[200], COMPLETION)?;
    // Two calls have two results, one message each.
    let mut both = good(probe).await?;
    both["messages"] = json!([bodies::question(&TOOLS)]);
    let both = calls_in(probe, both).await?;
    let answer = Call::post(&chat::ENDPOINT, &both.answered(probe)?).accepted(probe).await?;
    answer.expect_accepted(&[200], COMPLETION)?;
    let body = streamed(both.answered_in_parts(probe)?);
    expect_streamed(probe, &Call::post(&chat::ENDPOINT, &body).accepted(probe).await?)
}

/// Asks a model to call a tool, answers the call, and asks for two tools. All calls must have different ids: an id alone
/// says which call a `tool` message answers.
#[shows(rows::CALL_IDS, after(rows::CALL_ID))]
async fn calls_have_different_ids(probe: &Probe<'_>) -> Checked {
    wire_compat(probe)?;
    let first = called(probe).await?;
    let mut body = first.answered(probe)?;
    body["messages"].as_array_mut().into_iter().for_each(|messages| messages.push(bodies::question(&TOOLS)));
    let second = calls_in(probe, body).await?;
    let mut seen: Vec<&Value> = first.calls().iter().map(|call| &call["id"]).collect();
    for (call, pointer) in second.calls().iter().zip(second.pointers()) {
        let id = &call["id"];
        let is_new = !seen.contains(&id);
        second.answer.expect(
            is_new,
            &format!("{pointer}/id"),
            "an id that no other call has",
            id.to_string(),
        )?;
        seen.push(id);
    }
    Ok(())
}

/// The model must be one that calls each tool that a prompt names.
async fn given_caller(probe: &Probe<'_>) -> Checked {
    let needs =
        || Stop::NotTestable(format!("needs a model that always calls ([gateway.models] {ALWAYS_CALLS})"));
    if always_calls(probe).await { Ok(()) } else { Err(needs()) }
}

/// Asks a model that always calls for a tool. Each call must name a declared tool, and its arguments must be a JSON object
/// with the members of the tool's schema.
#[shows(
    rows::ARGUMENTS_FIT,
    needs(Actions),
    or_given(CALLER, IS_CALLER),
    after(rows::CALL_NAME, rows::CALL_ARGUMENTS)
)]
async fn arguments_fit_the_schema(probe: &Probe<'_>) -> Checked {
    given_caller(probe).await?;
    let called = called(probe).await?;
    for call in called.pointers() {
        let is_declared = |name: &Value| TOOLS.iter().any(|tool| name == tool);
        called.answer.expect_json(
            &format!("{call}/function/name"),
            "the name of a declared tool",
            is_declared,
        )?;
        called.answer.expect_json(&format!("{call}/function/arguments"), &fitting(), fit)?;
    }
    Ok(())
}

/// Answers a tool call of a model that always calls, and asks for a stream. It must contain the result of the tool; so must
/// a whole response, where the profile says that it has content.
#[shows(
    rows::RESULT_USED,
    needs(Actions),
    or_given(CALLER, IS_CALLER),
    after(rows::ROUND_TRIP, chats::ANSWER_TEXT)
)]
async fn answer_contains_the_result(probe: &Probe<'_>) -> Checked {
    given_caller(probe).await?;
    let called = called(probe).await?;
    let want = format!("the result of the tool, {RESULT}");
    let body = streamed(called.answered_in_parts(probe)?);
    let answer = Call::post(&chat::ENDPOINT, &body).accepted(probe).await?;
    answer.given_status(&[200])?;
    let words = words_of_stream(&answer.response.body).unwrap_or_default();
    probe.given(!words.is_empty(), "the stream has no content")?;
    answer.expect(words.contains(RESULT), "delta.content", want.as_str(), words)?;
    if wire_compat(probe).is_err() {
        return Ok(());
    }
    let answer = Call::post(&chat::ENDPOINT, &called.answered(probe)?).accepted(probe).await?;
    answer.given_status(&[200])?;
    let has_result = |content: &Value| content.as_str().is_some_and(|text| text.contains(RESULT));
    answer.expect_json("/choices/0/message/content", &want, has_result).map(drop)
}

/// Expects that each wrong value of a member of a valid chat with tools is rejected.
async fn refuses_malformed(probe: &Probe<'_>, pointer: &str) -> Checked {
    refused(probe, &chat::ENDPOINT, &good(probe).await?, pointer).await
}

/// Sends `tools` of other types. Each must return 422.
#[rejects(rows::TOOLS)]
async fn tools_must_be_an_array(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools").await
}

/// Sends tools of other types. Each must return 422.
#[rejects(rows::TOOL)]
async fn tool_must_be_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0").await
}

/// Sends tools whose `type` is of another type. Each must return 422. Which types exist besides `function` is left open.
#[rejects(rows::TYPE)]
async fn tool_type_must_be_function(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/type").await
}

/// Sends tools whose `function` is of another type. Each must return 422.
#[rejects(rows::FUNCTION)]
async fn function_must_be_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/function").await
}

/// Sends `function.name` of other types. Each must return 422. Whether it may be missing is left open.
#[rejects(rows::NAME)]
async fn function_name_must_be_a_string(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/function/name").await
}

/// Sends `function.description` of other types. Each must return 422.
#[rejects(rows::DESCRIPTION)]
async fn description_must_be_a_string(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/function/description").await
}

/// Sends `function.parameters` of other types. Each must return 422.
#[rejects(rows::PARAMETERS)]
async fn parameters_must_be_an_object(probe: &Probe<'_>) -> Checked {
    refuses_malformed(probe, "/tools/0/function/parameters").await
}
