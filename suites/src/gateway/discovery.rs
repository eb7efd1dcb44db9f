//! Discovery: its form, its servers, that it agrees with the list of models, and that it follows what happens.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use assay_spec::gateway::requirements::{discovery as rows, errors};
use assay_spec::gateway::{chat, discovery};
use serde_json::{Value, json};
use url::Url;

use super::wire::Call;
use super::{bodies, models};
use crate::check::{Check, Checked, Need, Stop};
use crate::probe::{Answer, Probe};
use crate::shows;

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::OBJECT, discovery_is_an_object).costs(1, 0, 0),
    shows!(rows::SERVERS, every_model_has_a_list_of_servers).costs(1, 0, 0),
    shows!(rows::ENTRY, a_server_is_a_url_or_an_item_hash).costs(1, 0, 0),
    shows!(rows::COVERS, discovery_has_every_model_of_the_list)
        .costs(2, 0, 0)
        .after(const { &[&rows::OBJECT] }),
    shows!(rows::USABLE, a_discovered_id_can_be_asked_for)
        .costs(5, 0, 0)
        .elsewhere(1 + MODELS as u32)
        .after(const { &[&rows::OBJECT, &rows::SERVERS, &errors::UNKNOWN_MODEL] }),
    shows!(rows::CURRENT, discovery_follows_the_servers)
        .costs(3, 0, 0)
        .elsewhere(1 + 2 * LOOKS)
        .needs(&[Need::Actions, Need::Clock]),
];

/// How many models are asked at most.
const MODELS: usize = 6;
/// How often discovery is looked at for a change, and how much time passes between.
const LOOKS: u32 = 6;
const PAUSE: Duration = Duration::from_mins(1);

async fn discovered<'p>(probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
    Call::get(&discovery::ENDPOINT).send(probe).await
}

async fn discovery_is_an_object(probe: &Probe<'_>) -> Checked {
    super::chat::expect_object(&discovered(probe).await?)
}

/// Discovery, which must be an object for a check to say anything.
async fn given_object<'p>(probe: &'p Probe<'_>) -> Result<(Answer<'p>, BTreeMap<String, Value>), Stop> {
    let answer = discovered(probe).await?;
    answer.given_status(&[200])?;
    let models = answer.json().as_object().cloned();
    let models = models.ok_or_else(|| Stop::Inconclusive("discovery is no object".to_owned()))?;
    probe.given(!models.is_empty(), "discovery lists no model")?;
    Ok((answer, models.into_iter().collect()))
}

async fn every_model_has_a_list_of_servers(probe: &Probe<'_>) -> Checked {
    let (answer, models) = given_object(probe).await?;
    for (id, entry) in models {
        let servers = entry["servers"].as_array();
        let holds = servers.is_some_and(|servers| servers.iter().all(Value::is_string));
        answer.expect(holds, &format!("/{id}/servers"), "an array of texts", entry.to_string())?;
    }
    Ok(())
}

/// The servers of each model.
pub(super) type Entries = BTreeMap<String, Vec<String>>;

/// The servers of each model; where one has no list of texts, the check says nothing.
pub(super) async fn given_entries<'p>(probe: &'p Probe<'_>) -> Result<(Answer<'p>, Entries), Stop> {
    let (answer, models) = given_object(probe).await?;
    let texts = |entry: &Value| -> Option<Vec<String>> {
        entry["servers"].as_array()?.iter().map(|server| server.as_str().map(str::to_owned)).collect()
    };
    let entries = models.iter().map(|(id, entry)| Some((id.clone(), texts(entry)?))).collect();
    let what = "a model has no list of servers, which is judged elsewhere";
    Ok((answer, Option::<Entries>::ok_or_else(entries, || Stop::Inconclusive(what.to_owned()))?))
}

/// Whether a text is a URL of a server, by the target's reading.
pub(super) fn is_url(probe: &Probe<'_>, entry: &str) -> bool {
    let url = Url::parse(entry).ok().filter(Url::has_host);
    let allows_http = probe.settings.gateway.allow_http_servers;
    url.is_some_and(|url| url.scheme() == "https" || (allows_http && url.scheme() == "http"))
}

async fn a_server_is_a_url_or_an_item_hash(probe: &Probe<'_>) -> Checked {
    let (answer, entries) = given_entries(probe).await?;
    probe.given(entries.values().any(|servers| !servers.is_empty()), "discovery lists no server")?;
    let scheme = &probe.settings.dialect.confidential_scheme;
    for (id, servers) in entries {
        for entry in servers {
            let is_hash = entry.strip_prefix(scheme.as_str()).is_some_and(|hash| !hash.is_empty());
            let want = format!("an https URL, or {scheme} and an item hash");
            answer.expect(is_hash || is_url(probe, &entry), &format!("/{id}/servers"), want, entry)?;
        }
    }
    Ok(())
}

async fn discovery_has_every_model_of_the_list(probe: &Probe<'_>) -> Checked {
    let (_, ids) = models::ids(probe).await?;
    let (answer, models) = given_object(probe).await?;
    let missing: Vec<String> = ids.into_iter().filter(|id| !models.contains_key(id)).collect();
    let want = "every model of the list";
    answer.expect(missing.is_empty(), "members", want, format!("{} missing", missing.join(", ")))
}

async fn a_discovered_id_can_be_asked_for(probe: &Probe<'_>) -> Checked {
    let (_, entries) = given_entries(probe).await?;
    let served = entries.iter().filter(|(_, servers)| !servers.is_empty()).map(|(id, _)| id);
    let mut asked = 0;
    for id in served.take(MODELS) {
        let answer = Call::post(&chat::ENDPOINT, &bodies::chat(id)).send(probe).await?;
        let status = answer.status();
        let want = format!("another status than 404 for {id}");
        answer.expect(status != 404, "status", want, status.to_string())?;
        asked += 1;
    }
    probe.given(asked > 0, "discovery lists no model with a server")
}

/// Every server that discovery lists.
async fn listed(probe: &Probe<'_>) -> Result<BTreeSet<String>, Stop> {
    Ok(given_entries(probe).await?.1.into_values().flatten().collect())
}

/// Looks at discovery until it is as wanted, for some minutes.
async fn until(
    probe: &Probe<'_>,
    is_so: impl Fn(&BTreeSet<String>) -> bool,
) -> Result<BTreeSet<String>, Stop> {
    let mut looks = LOOKS;
    loop {
        let found = listed(probe).await?;
        looks -= 1;
        if looks == 0 || is_so(&found) {
            return Ok(found);
        }
        probe.advance(PAUSE).await?;
    }
}

async fn discovery_follows_the_servers(probe: &Probe<'_>) -> Checked {
    let view = probe.view("gateway").await;
    let needs = "needs a control API whose servers leave and join";
    let server = &view["servers"][0];
    let site = server["site"].as_str().ok_or_else(|| Stop::NotTestable(needs.to_owned()))?;
    let before = listed(probe).await?;
    let shown = |urls: &BTreeSet<String>| urls.iter().cloned().collect::<Vec<_>>().join(", ");
    probe.perform("gateway.server", json!({ "site": site, "listed": false })).await?;
    let left = until(probe, |now| now.len() < before.len()).await?;
    let is_less = left.len() < before.len() && left.is_subset(&before);
    probe.expect(is_less, "servers", format!("{} without {site}", shown(&before)), shown(&left))?;
    probe.perform("gateway.server", json!({ "site": site, "listed": true })).await?;
    let joined = until(probe, |now| *now == before).await?;
    probe.expect(joined == before, "servers", shown(&before), shown(&joined))
}
