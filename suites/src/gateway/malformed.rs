//! Malformed bodies with one fault each, and their valid counterpart.

use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::chat;
use serde_json::Value;

use super::bodies::{streamed, with};
use super::stream::expect_rejected;
use super::wire::Call;
use crate::check::Checked;
use crate::probe::Probe;

/// Expects 422 for each of `bad`, and that `good` is accepted. A chat is sent as it is, and as a request for a stream.
pub(super) async fn refused(
    probe: &Probe<'_>,
    endpoint: &'static Endpoint,
    good: &Value,
    bad: Vec<Value>,
) -> Checked {
    Call::post(endpoint, good).accepted(probe).await?.counterpart_status(&[200])?;
    let is_chat = endpoint.name == chat::ENDPOINT.name;
    for body in bad {
        Call::post(endpoint, &body).send(probe).await?.expect_status(&[422])?;
        if is_chat && body.is_object() && body.get("stream").is_none() {
            let answer = Call::post(endpoint, &streamed(body)).send(probe).await?;
            expect_rejected(probe, &answer, &[422])?;
        }
    }
    Ok(())
}

/// One body for each of these values at a pointer.
pub(super) fn malformed<const N: usize>(good: &Value, pointer: &str, values: [Value; N]) -> Vec<Value> {
    values.into_iter().map(|value| with(good.clone(), pointer, value)).collect()
}

/// Expects that a body that is not a JSON object is rejected, and that `good` is accepted. Invalid JSON may also return
/// 400, since it can be rejected before the validation.
pub(super) async fn only_an_object_is_accepted(
    probe: &Probe<'_>,
    endpoint: &'static Endpoint,
    good: &Value,
) -> Checked {
    refused(probe, endpoint, good, vec![Value::Array(vec![good.clone()]), "a string".into()]).await?;
    let cut = good.to_string();
    for text in [&cut[..cut.len() - 1], "no JSON"] {
        let answer = Call::raw(endpoint, text).send(probe).await?;
        answer.expect_status(&[422, 400])?;
        probe.note(format!("a body that is not JSON returns {}", answer.status()));
    }
    Ok(())
}
