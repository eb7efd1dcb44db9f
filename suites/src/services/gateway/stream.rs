//! Checks of streams: their events, their content, and how they fail.

use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::chat;
use assay_spec::gateway::requirements::{chat as chats, errors, stream as rows};
use assay_spec::gateway::stream::{chunk, has_error, increments, is_end, says_error};
use assay_spec::sse::{Event, events};
use serde_json::{Value, json};

use super::auth;
use super::bodies::{self, with, without};
use super::chat::{COMPLETION, good};
use super::given;
use super::wire::Call;
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::{At, Reason, Why};
use crate::harness::probe::{Answer, CONTENT, Probe};
use crate::http::exchange::Broken;
use crate::support::prose::count;

/// A valid chat with `stream` true.
async fn streamed(probe: &Probe<'_>) -> Result<Value, Stop> {
    Ok(with(good(probe).await?, "/stream", json!(true)))
}

/// Whether a response has the media type of an event stream.
pub(super) fn is_stream(answer: &Answer<'_>) -> bool {
    answer.response.media_type() == "text/event-stream"
}

/// Sends a chat with `stream` true. It must return 200 with `text/event-stream`.
#[shows(rows::EVENT_STREAM, after = auth::WITH_KEY)]
async fn stream_is_an_event_stream(probe: &Probe<'_>) -> Checked {
    let answer = Call::post(&chat::ENDPOINT, &streamed(probe).await?).accepted(probe).await?;
    answer.expect_status(&[200])?;
    expect_stream(&answer)
}

/// Expects the media type of an event stream.
pub(super) fn expect_stream(answer: &Answer<'_>) -> Checked {
    answer.expect(
        is_stream(answer),
        At::header("content-type"),
        "text/event-stream",
        answer.response.media_type(),
    )
}

/// Sends a streamed chat. Without events the check is inconclusive.
async fn stream<'p>(probe: &'p Probe<'_>) -> Result<(Answer<'p>, Vec<Event>), Stop> {
    stream_of(probe, &streamed(probe).await?).await
}

/// Sends this streamed chat. Without events the check is inconclusive.
pub(super) async fn stream_of<'p>(
    probe: &'p Probe<'_>,
    body: &Value,
) -> Result<(Answer<'p>, Vec<Event>), Stop> {
    let answer = Call::post(&chat::ENDPOINT, body).accepted(probe).await?;
    answer.given_status(&[200])?;
    let events = events(&answer.response.body);
    probe.given(!events.is_empty(), "the response has no events")?;
    Ok((answer, events))
}

/// Whether a response has a chunk.
pub(super) fn has_chunk(answer: &Answer<'_>) -> bool {
    events(&answer.response.body).iter().any(|event| chunk(event).is_some())
}

/// Whether the request of a response asks for a stream.
fn is_asked_for(answer: &Answer<'_>) -> bool {
    serde_json::from_slice::<Value>(&answer.exchange().request.body).is_ok_and(|body| body["stream"] == true)
}

/// Expects that an inference request is accepted: a chat with a completion or chunks, others with any content.
pub(super) fn expect_inference(
    probe: &Probe<'_>,
    endpoint: &'static Endpoint,
    answer: &Answer<'_>,
) -> Checked {
    if endpoint.name != chat::ENDPOINT.name {
        return answer.expect_accepted(&[200], CONTENT);
    }
    if !is_stream(answer) || !is_asked_for(answer) {
        return answer.expect_accepted(&[200], COMPLETION);
    }
    answer.expect_status(&[200])?;
    answer.expect(!events(&answer.response.body).is_empty(), "events", "at least one", "an empty stream")?;
    probe.given(has_chunk(answer), "the stream has no chunk")
}

/// Expects that a chat for a stream is accepted, and answered with one.
pub(super) fn expect_streamed(probe: &Probe<'_>, answer: &Answer<'_>) -> Checked {
    expect_inference(probe, &chat::ENDPOINT, answer)?;
    expect_stream(answer)
}

/// Expects that a request for a stream is rejected with one of `statuses`. An error event after a 200 is judged by another
/// check.
pub(super) fn expect_rejected(probe: &Probe<'_>, answer: &Answer<'_>, statuses: &[u16]) -> Checked {
    let is_event = answer.status() == 200 && is_stream(answer) && !has_chunk(answer);
    probe.given(!is_event, "the response is 200 and a stream without a chunk")?;
    answer.expect_status(statuses)
}

/// Sends a streamed chat. The stream must be UTF-8, and each event before the end mark `[DONE]` must be JSON with an array `choices`; the end mark may be
/// missing, and events without an increment may follow it.
#[shows(rows::CHUNKS)]
async fn every_event_is_a_chunk(probe: &Probe<'_>) -> Checked {
    let answer = Call::post(&chat::ENDPOINT, &streamed(probe).await?).accepted(probe).await?;
    answer.given_status(&[200])?;
    answer.given(is_stream(&answer), "the response is not an event stream")?;
    let events = events(&answer.response.body);
    answer.expect(!events.is_empty(), "events", "at least one", "an empty stream")?;
    if let Err(wrong) = str::from_utf8(&answer.response.body) {
        let got = format!("a byte that is not UTF-8 at offset {}", wrong.valid_up_to());
        answer.expect(false, "body", "UTF-8", got)?;
    }
    let end = events.iter().position(is_end);
    for (n, event) in events.iter().enumerate().take(end.unwrap_or(events.len())) {
        answer.given(!says_error(event), "the stream has an error event")?;
        let want = "JSON with an array `choices`";
        answer.expect(chunk(event).is_some(), &format!("data of event {n}"), want, event.data.as_str())?;
    }
    for (n, event) in events.iter().enumerate().skip(end.map_or(events.len(), |end| end + 1)) {
        let increments = increments(std::slice::from_ref(event));
        let has_text =
            increments.iter().any(|(_, content)| content.as_str().is_some_and(|text| !text.is_empty()));
        let want = "no increment after the end mark";
        answer.expect(!has_text, &format!("data of event {n}"), want, event.data.as_str())?;
    }
    let met = match end {
        None => "absent".to_owned(),
        Some(end) if end + 1 == events.len() => "present".to_owned(),
        Some(end) => format!("followed by {}", count(events.len() - end - 1, "event")),
    };
    probe.note(format!("the end mark is {met}"));
    let chunks = events.iter().filter(|event| chunk(event).is_some()).count();
    answer.expect(chunks > 0, "events", "at least one chunk", "only the end mark")
}

/// Sends a streamed chat. Each `delta.content` that is present must be a string.
#[shows(rows::DELTA)]
async fn delta_content_is_a_string(probe: &Probe<'_>) -> Checked {
    let (answer, events) = stream(probe).await?;
    let increments = increments(&events);
    probe.given(!increments.is_empty(), "no chunk has delta.content")?;
    for (n, content) in increments {
        let place = format!("delta.content of event {n}");
        answer.expect(content.is_string(), &place, "a string", content.to_string())?;
    }
    Ok(())
}

/// How many increments that each begin with the one before cannot be chance.
const REPEATED: usize = 4;

/// Sends a streamed chat. All `delta.content` together must be a non-empty string. They must not each be the whole text so far.
#[shows(rows::TEXT)]
async fn stream_has_content(probe: &Probe<'_>) -> Checked {
    let (answer, events) = stream(probe).await?;
    probe.given(events.iter().any(|event| chunk(event).is_some()), "the stream has no chunk")?;
    let increments = increments(&events);
    let are_strings = increments.iter().all(|(_, content)| content.is_string());
    probe.given(are_strings, "a delta.content is not a string; another check judges this")?;
    let text: String = increments.iter().filter_map(|(_, content)| content.as_str()).collect();
    // `delta.content` may be absent: the reply may be in other members.
    let has_content = !increments.is_empty() || probe.settings.gateway().readings.wire_compat;
    probe.conclusive(has_content, "no chunk has delta.content (readings.wire_compat in [gateway])")?;
    answer.expect(!text.is_empty(), "all delta.content together", "a non-empty string", "an empty string")?;
    let texts: Vec<&str> = increments.iter().filter_map(|(_, content)| content.as_str()).collect();
    let texts: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    let repeats = |pair: &[&str]| pair[1].len() > pair[0].len() && pair[1].starts_with(pair[0]);
    let is_whole = texts.len() >= REPEATED && texts.windows(2).all(repeats);
    let got = format!("{} that each begin with the one before: {text:?}", count(texts.len(), "increment"));
    answer.expect(!is_whole, "delta.content", "the text that follows that of the chunks before", got)
}

/// Sends a chat with `stream` false. It must return 200 and one JSON object, not an event stream.
#[shows(rows::NOT_ASKED_FOR, after(chats::ANSWERED))]
async fn stream_false_returns_one_object(probe: &Probe<'_>) -> Checked {
    let body = with(good(probe).await?, "/stream", json!(false));
    let answer = Call::post(&chat::ENDPOINT, &body).accepted(probe).await?;
    answer.expect_status(&[200])?;
    answer.expect(
        !is_stream(&answer),
        At::header("content-type"),
        "not text/event-stream",
        answer.response.media_type(),
    )?;
    answer.expect(answer.json().is_object(), "body", "one JSON object", answer.response.text())?;
    answer.given_accepted(&[200], COMPLETION)
}

/// Sends invalid streamed chats. Each must return a 4xx with a JSON object, not an event stream.
#[rejects(rows::ERROR_BEFORE, after(errors::UNKNOWN_MODEL, chats::MESSAGES))]
async fn error_before_the_stream_is_json(probe: &Probe<'_>) -> Checked {
    let body = streamed(probe).await?;
    let whole = Call::post(&chat::ENDPOINT, &body).accepted(probe).await?;
    whole.counterpart_status(&[200])?;
    let unknown = with(body.clone(), "/model", json!(given::unknown_model(probe)));
    for wrong in [unknown, without(body, "/messages")] {
        let answer = Call::post(&chat::ENDPOINT, &wrong).send(probe).await?;
        let status = answer.status();
        answer.expect((400..500).contains(&status), At::status(), "a 4xx status", status.to_string())?;
        answer.expect(
            !is_stream(&answer),
            At::header("content-type"),
            "not text/event-stream",
            answer.response.media_type(),
        )?;
        answer.expect(answer.json().is_object(), "body", "a JSON object", answer.response.text())?;
    }
    Ok(())
}

/// Makes the server fail during a stream, or takes the profile's model whose streams fail. A stream that ends complete must
/// contain an event that is neither an ordinary chunk nor the end mark. A connection that ends early shows nothing.
#[shows(
    rows::ERROR_EVENT,
    needs(Faults),
    or_given(
        "[gateway.models] fails_midway", |settings| { settings.gateway().models.fails_midway.is_some() },
    ),
)]
async fn failure_midway_is_an_event(probe: &Probe<'_>) -> Checked {
    let (_, whole) = stream(probe).await?;
    probe.given(!has_error(&whole), "a stream without faults also has events that are not chunks")?;
    let given = given::in_state(probe, "fails_midway", |models| &models.fails_midway)?;
    let broken = if let Some(id) = given {
        stream_of(probe, &bodies::streamed(bodies::chat(&id))).await
    } else {
        probe.faults(json!([{ "fault": "gateway.server-dies" }])).await?;
        stream(probe).await
    };
    let is_cut = broken.is_err() && matches!(probe.broken(), Some(Broken::Closed(_)));
    if is_cut {
        let said = "the connection ended during the stream, so no event is seen to be missing";
        return Err(Stop::Undecided(Reason::new(Why::Open, said)));
    }
    let (answer, broken) = broken?;
    probe.given(
        broken.iter().any(|event| chunk(event).is_some()),
        "the stream failed before the first chunk",
    )?;
    let kind = |event: &Event| match chunk(event) {
        _ if is_end(event) => "the end mark",
        Some(_) => "an ordinary chunk",
        None => "another event",
    };
    let shown: Vec<&str> = broken.iter().rev().take(2).map(kind).collect();
    let want = "an event that is neither an ordinary chunk nor the end mark";
    answer.expect(has_error(&broken), "events", want, format!("last events: {}", shown.join(", before it ")))
}
