//! Bodies with one fault, each beside the same body without it.

use assay_spec::endpoint::Endpoint;
use serde_json::Value;

use super::bodies::with;
use super::wire::Call;
use crate::check::Checked;
use crate::probe::Probe;

/// Expects each of `bad` to be refused as not valid, and `good` to be granted.
pub(super) async fn refused(
    probe: &Probe<'_>,
    endpoint: &'static Endpoint,
    good: &Value,
    bad: Vec<Value>,
) -> Checked {
    Call::post(endpoint, good).accepted(probe).await?.counterpart_status(&[200])?;
    for body in bad {
        Call::post(endpoint, &body).send(probe).await?.expect_status(&[422])?;
    }
    Ok(())
}

/// A body with each of these values at a pointer.
pub(super) fn malformed<const N: usize>(good: &Value, pointer: &str, values: [Value; N]) -> Vec<Value> {
    values.into_iter().map(|value| with(good.clone(), pointer, value)).collect()
}

/// Expects a body that is no JSON object to be refused, and `good` to be granted. A body that cannot be read as JSON at
/// all may be refused by what stands before the validation.
pub(super) async fn no_object_is_taken(
    probe: &Probe<'_>,
    endpoint: &'static Endpoint,
    good: &Value,
) -> Checked {
    refused(probe, endpoint, good, vec![Value::Array(vec![good.clone()]), "a text".into()]).await?;
    let cut = good.to_string();
    for text in [&cut[..cut.len() - 1], "no JSON"] {
        let answer = Call::raw(endpoint, text).send(probe).await?;
        answer.expect_status(&[422, 400])?;
        probe.note(format!("a body that is no JSON is answered by {}", answer.status()));
    }
    Ok(())
}
