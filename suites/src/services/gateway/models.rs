//! Checks of the model list. The document does not show its shape, so the profile names the path of the ids.

use assay_spec::gateway::requirements::{discovery as discoveries, models as rows};
use assay_spec::gateway::{chat, models};
use serde_json::Value;

use super::bodies;
use super::chat::COMPLETION;
use super::discovery::{Entries, entries_anew, given_entries};
use super::given::TRIES;
use super::wire::Call;
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::{Answer, CONTENT, Probe};

/// Requests the model list. It must return 200 with JSON; an empty value shows nothing.
#[shows(rows::LIST)]
async fn model_list_is_json(probe: &Probe<'_>) -> Checked {
    let answer = Call::get(&models::LIST).shared().send(probe).await?;
    answer.expect_status(&[200])?;
    let is_json = answer.response.json().is_ok();
    answer.expect(is_json, "body", "JSON", answer.response.text())?;
    answer.given_accepted(&[200], CONTENT)
}

/// The model list and the values at the profile's path of the ids.
async fn found<'p>(probe: &'p Probe<'_>) -> Result<(Answer<'p>, Vec<Value>), Stop> {
    found_in(probe, Call::get(&models::LIST).shared().send(probe).await?)
}

fn found_in<'p>(probe: &Probe<'_>, answer: Answer<'p>) -> Result<(Answer<'p>, Vec<Value>), Stop> {
    let path = &probe.settings.gateway().readings.models_id_path;
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
#[shows(rows::IDS)]
async fn model_ids_are_strings(probe: &Probe<'_>) -> Checked {
    let (answer, found) = found(probe).await?;
    probe.found(!found.is_empty(), "the model list is empty")?;
    let odd = found.iter().find(|id| id.as_str().is_none_or(str::is_empty));
    let got = odd.map(Value::to_string).unwrap_or_default();
    answer.expect(odd.is_none(), "ids", "non-empty strings", got)
}

/// The ids of the list. Without them the check is inconclusive.
pub(super) async fn ids<'p>(probe: &'p Probe<'_>) -> Result<(Answer<'p>, Vec<String>), Stop> {
    ids_in(found(probe).await?)
}

/// The ids of the list as it is now.
pub(super) async fn ids_anew(probe: &Probe<'_>) -> Result<Vec<String>, Stop> {
    Ok(ids_in(found_in(probe, Call::get(&models::LIST).send(probe).await?)?)?.1)
}

fn ids_in((answer, found): (Answer<'_>, Vec<Value>)) -> Result<(Answer<'_>, Vec<String>), Stop> {
    let ids: Option<Vec<String>> = found.iter().map(|id| id.as_str().map(str::to_owned)).collect();
    answer.given(ids.is_some(), "an id in the model list is not a string; another check judges this")?;
    Ok((answer, ids.unwrap_or_default()))
}

/// Requests discovery and the model list. The list must contain every text model that has a server. Both change over time, so
/// they are read again if a model is missing; one that answers no chat is only noted.
#[shows(rows::COVERS_DISCOVERY, after(discoveries::OBJECT, discoveries::SERVERS))]
async fn model_list_covers_discovery(probe: &Probe<'_>) -> Checked {
    let (_, entries) = given_entries(probe).await?;
    let (answer, ids) = ids(probe).await?;
    let served = |entries: &Entries, ids: &[String]| -> Vec<String> {
        let served = entries.iter().filter(|(id, servers)| !servers.is_empty() && !ids.contains(id));
        served.map(|(id, _)| id.clone()).collect()
    };
    let mut missing = served(&entries, &ids);
    if !missing.is_empty() {
        let (_, entries) = entries_anew(probe).await?;
        let again = served(&entries, &ids_anew(probe).await?);
        missing.retain(|id| again.contains(id));
    }
    let view = if missing.is_empty() { Value::Null } else { probe.view("gateway").await };
    let models = || view["models"].as_array().into_iter().flatten();
    let mut writing = Vec::new();
    for id in missing {
        let is_image = models().any(|model| model["id"] == id.as_str() && model["kind"] == "image");
        let is_tried = !is_image && writing.len() < TRIES;
        if is_tried && is_text(&Call::post(&chat::ENDPOINT, &bodies::chat(&id)).send(probe).await?) {
            writing.push(id);
        } else {
            probe.note(format!("{id} is in discovery alone"));
        }
    }
    let want = "every text model that has a server in discovery";
    answer.expect(writing.is_empty(), "ids", want, format!("{} missing", writing.join(", ")))
}

/// Whether a chat was answered with words, and not with a link to an image.
fn is_text(answer: &Answer<'_>) -> bool {
    let body = answer.json();
    let content = body.pointer("/choices/0/message/content").and_then(Value::as_str).unwrap_or_default();
    let is_link = ["](", "http://", "https://", "data:"].iter().any(|mark| content.contains(mark));
    answer.shows(200, COMPLETION) && !content.is_empty() && !is_link
}
