//! The list of models. Its shape is not shown: where the ids stand is the profile's to say.

use assay_spec::gateway::models;
use assay_spec::gateway::requirements::{discovery as discoveries, models as rows};
use serde_json::Value;

use super::discovery::{Entries, given_entries};
use super::wire::Call;
use crate::check::{Check, Checked, Stop};
use crate::probe::{Answer, Probe};
use crate::shows;

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::LIST, the_list_is_json).costs(1, 0, 0),
    shows!(rows::IDS, ids_are_texts).costs(1, 0, 0),
    shows!(rows::COVERS_DISCOVERY, the_list_has_every_model_of_discovery)
        .costs(2, 0, 0)
        .after(const { &[&discoveries::OBJECT, &discoveries::SERVERS] }),
];

async fn the_list_is_json(probe: &Probe<'_>) -> Checked {
    let answer = Call::get(&models::LIST).send(probe).await?;
    answer.expect_status(&[200])?;
    let is_json = answer.response.json().is_ok();
    answer.expect(is_json, "body", "JSON", answer.response.text())
}

/// The list of models and what stands where the profile looks for ids.
async fn found<'p>(probe: &'p Probe<'_>) -> Result<(Answer<'p>, Vec<Value>), Stop> {
    let path = &probe.settings.gateway.models_id_path;
    let answer = Call::get(&models::LIST).send(probe).await?;
    answer.given_status(&[200])?;
    let list = answer.json();
    let found = path.resolve(&list).map(|found| found.into_iter().cloned().collect());
    let found = found.ok_or_else(|| Stop::NotApplicable(format!("the list has no ids at {path}")))?;
    Ok((answer, found))
}

async fn ids_are_texts(probe: &Probe<'_>) -> Checked {
    let (answer, found) = found(probe).await?;
    probe.given(!found.is_empty(), "the list is empty")?;
    let odd = found.iter().find(|id| id.as_str().is_none_or(str::is_empty));
    let got = odd.map(Value::to_string).unwrap_or_default();
    answer.expect(odd.is_none(), "ids", "texts that are not empty", got)
}

/// The ids of the list, without which a check says nothing.
pub(super) async fn ids<'p>(probe: &'p Probe<'_>) -> Result<(Answer<'p>, Vec<String>), Stop> {
    let (answer, found) = found(probe).await?;
    let ids: Option<Vec<String>> = found.iter().map(|id| id.as_str().map(str::to_owned)).collect();
    let what = "an id of the list is no text, which is judged elsewhere";
    Ok((answer, ids.ok_or_else(|| Stop::Inconclusive(what.to_owned()))?))
}

async fn the_list_has_every_model_of_discovery(probe: &Probe<'_>) -> Checked {
    let (_, entries) = given_entries(probe).await?;
    let (answer, ids) = ids(probe).await?;
    let served = |entries: &Entries| -> Vec<String> {
        entries.iter().filter(|(_, servers)| !servers.is_empty()).map(|(id, _)| id.clone()).collect()
    };
    let missing: Vec<String> = served(&entries).into_iter().filter(|id| !ids.contains(id)).collect();
    let want = "every model that has a server in discovery";
    answer.expect(missing.is_empty(), "ids", want, format!("{} missing", missing.join(", ")))
}
