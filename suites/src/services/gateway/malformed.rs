//! Malformed bodies with one fault each, and their valid counterpart.

use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::chat;
use assay_spec::value::ValueKind;
use serde_json::{Value, json};

use super::bodies::{streamed, with, without};
use super::stream::expect_rejected;
use super::wire::Call;
use crate::harness::check::Checked;
use crate::harness::probe::{Answer, Probe};

/// Expects the rejection of this kind of a member, or of a value that resembles no valid one.
pub(super) fn expect_refused_as(answer: &Answer<'_>, member: &str, kind: Option<&ValueKind>) -> Checked {
    kind.map_or_else(|| answer.expect_refused(), |wrong| answer.expect_refused_value(member, wrong))
}

/// Expects 422 for each wrong value of a member, and that `good` is accepted. A chat is sent as it is, and as a request for a
/// stream.
pub(super) async fn refused(
    probe: &Probe<'_>,
    endpoint: &'static Endpoint,
    good: &Value,
    pointer: &str,
) -> Checked {
    Call::post(endpoint, good).accepted(probe).await?.counterpart_status(&[200])?;
    let valid = good.pointer(pointer).cloned().unwrap_or_else(|| json!(true));
    for wrong in probe.wrong_values() {
        let body = match wrong.instead_of(&valid) {
            Some(value) => with(good.clone(), pointer, value),
            None => without(good.clone(), pointer),
        };
        Call::post(endpoint, &body).send(probe).await?.expect_one_of(&[422], pointer, wrong)?;
        if endpoint.name == chat::ENDPOINT.name && pointer != "/stream" {
            let answer = Call::post(endpoint, &streamed(body)).send(probe).await?;
            if wrong.may_be_accepted.is_empty() {
                expect_rejected(probe, &answer, &[422])?;
            }
        }
    }
    Ok(())
}

/// Expects that a body that is not a JSON object is rejected, and that `good` is accepted. Invalid JSON may also return
/// 400, since it can be rejected before the validation.
pub(super) async fn only_an_object_is_accepted(
    probe: &Probe<'_>,
    endpoint: &'static Endpoint,
    good: &Value,
) -> Checked {
    Call::post(endpoint, good).accepted(probe).await?.counterpart_status(&[200])?;
    for value in [json!([good]), json!("a string")] {
        Call::post(endpoint, &value).send(probe).await?.expect_status(&[422])?;
    }
    let cut = good.to_string();
    for text in [&cut[..cut.len() - 1], "no JSON"] {
        let answer = Call::raw(endpoint, text).send(probe).await?;
        answer.expect_status(&[422, 400])?;
        probe.note(format!("a body that is not JSON returns {}", answer.status()));
    }
    Ok(())
}
