//! Checks of the model list. The document does not show its shape, so the profile names the path of the ids.

use assay_spec::gateway::models;
use assay_spec::gateway::requirements::{discovery as discoveries, models as rows};
use serde_json::Value;

use super::discovery::{Entries, given_entries};
use super::wire::Call;
use crate::harness::check::{Check, Checked, Stop};
use crate::harness::probe::{Answer, CONTENT, Probe};
use crate::shows;

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::LIST, model_list_is_json).requests(1),
    shows!(rows::IDS, model_ids_are_strings).requests(1),
    shows!(rows::COVERS_DISCOVERY, model_list_covers_discovery)
        .requests(2)
        .after(const { &[&discoveries::OBJECT, &discoveries::SERVERS] }),
];

/// Requests the model list. It must return 200 with JSON; an empty value shows nothing.
async fn model_list_is_json(probe: &Probe<'_>) -> Checked {
    let answer = Call::get(&models::LIST).shared().send(probe).await?;
    answer.expect_status(&[200])?;
    let is_json = answer.response.json().is_ok();
    answer.expect(is_json, "body", "JSON", answer.response.text())?;
    answer.given_accepted(&[200], CONTENT)
}

/// The model list and the values at the profile's path of the ids.
async fn found<'p>(probe: &'p Probe<'_>) -> Result<(Answer<'p>, Vec<Value>), Stop> {
    let path = &probe.settings.gateway().models_id_path;
    let answer = Call::get(&models::LIST).shared().send(probe).await?;
    answer.given_status(&[200])?;
    let list = answer.json();
    let found = path.resolve(&list).map(|found| found.into_iter().cloned().collect());
    let found = found.ok_or_else(|| {
        Stop::NotApplicable(format!(
            "the model list has no ids at {path} (readings.models_id_path in [gateway])"
        ))
    })?;
    Ok((answer, found))
}

/// Requests the model list. Each id must be a non-empty string.
async fn model_ids_are_strings(probe: &Probe<'_>) -> Checked {
    let (answer, found) = found(probe).await?;
    probe.found(!found.is_empty(), "the model list is empty")?;
    let odd = found.iter().find(|id| id.as_str().is_none_or(str::is_empty));
    let got = odd.map(Value::to_string).unwrap_or_default();
    answer.expect(odd.is_none(), "ids", "non-empty strings", got)
}

/// The ids of the list. Without them the check is inconclusive.
pub(super) async fn ids<'p>(probe: &'p Probe<'_>) -> Result<(Answer<'p>, Vec<String>), Stop> {
    let (answer, found) = found(probe).await?;
    let ids: Option<Vec<String>> = found.iter().map(|id| id.as_str().map(str::to_owned)).collect();
    answer.given(ids.is_some(), "an id in the model list is not a string; another check judges this")?;
    Ok((answer, ids.unwrap_or_default()))
}

/// Requests discovery and the model list. The list must contain every model that has a server.
async fn model_list_covers_discovery(probe: &Probe<'_>) -> Checked {
    let (_, entries) = given_entries(probe).await?;
    let (answer, ids) = ids(probe).await?;
    let served = |entries: &Entries| -> Vec<String> {
        entries.iter().filter(|(_, servers)| !servers.is_empty()).map(|(id, _)| id.clone()).collect()
    };
    let missing: Vec<String> = served(&entries).into_iter().filter(|id| !ids.contains(id)).collect();
    let want = "every model that has a server in discovery";
    answer.expect(missing.is_empty(), "ids", want, format!("{} missing", missing.join(", ")))
}
