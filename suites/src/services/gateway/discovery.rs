//! Checks of discovery: its form, its servers, that it agrees with the model list, and that it stays current.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use assay_spec::gateway::requirements::{discovery as rows, errors};
use assay_spec::gateway::{chat, discovery};
use serde_json::{Value, json};
use url::Url;

use super::wire::Call;
use super::{bodies, models};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::data::At;
use crate::harness::probe::{Answer, CONTENT, Probe};
use crate::support::draw::drawn;

/// How many models are requested at most.
const MODELS: usize = 16;
/// How often discovery is queried for a change, and how much time passes between queries.
const LOOKS: u32 = 6;
const PAUSE: Duration = Duration::from_mins(1);

async fn discovered<'p>(probe: &'p Probe<'_>) -> Result<Answer<'p>, Stop> {
    Call::get(&discovery::ENDPOINT).shared().send(probe).await
}

/// Queries discovery. It must return 200 with a JSON object; an empty one shows nothing.
#[shows(rows::OBJECT)]
async fn discovery_is_a_json_object(probe: &Probe<'_>) -> Checked {
    let answer = discovered(probe).await?;
    super::chat::expect_object(&answer)?;
    answer.given_accepted(&[200], CONTENT)
}

/// Queries discovery. If it is not an object, the check is inconclusive.
async fn given_object<'p>(probe: &'p Probe<'_>) -> Result<(Answer<'p>, BTreeMap<String, Value>), Stop> {
    object_in(probe, discovered(probe).await?)
}

fn object_in<'p>(
    probe: &Probe<'_>,
    answer: Answer<'p>,
) -> Result<(Answer<'p>, BTreeMap<String, Value>), Stop> {
    answer.given_status(&[200])?;
    let models = answer.json().as_object().cloned();
    answer.given(models.is_some(), "discovery is not a JSON object")?;
    let models = models.unwrap_or_default();
    probe.found(!models.is_empty(), "discovery lists no model")?;
    Ok((answer, models.into_iter().collect()))
}

/// Queries discovery. Each model's `servers` must be an array of strings.
#[shows(rows::SERVERS)]
async fn every_model_has_an_array_of_servers(probe: &Probe<'_>) -> Checked {
    let (answer, models) = given_object(probe).await?;
    for (id, entry) in models {
        let servers = entry["servers"].as_array();
        let holds = servers.is_some_and(|servers| servers.iter().all(Value::is_string));
        answer.expect(holds, &format!("/{id}/servers"), "an array of strings", entry.to_string())?;
    }
    Ok(())
}

/// The servers of each model.
pub(super) type Entries = BTreeMap<String, Vec<String>>;

/// The servers of each model. If one has no array of strings, the check is inconclusive.
pub(super) async fn given_entries<'p>(probe: &'p Probe<'_>) -> Result<(Answer<'p>, Entries), Stop> {
    entries_in(given_object(probe).await?)
}

/// The servers of each model as they are now.
pub(super) async fn entries_anew<'p>(probe: &'p Probe<'_>) -> Result<(Answer<'p>, Entries), Stop> {
    entries_in(object_in(probe, Call::get(&discovery::ENDPOINT).send(probe).await?)?)
}

fn entries_in(
    (answer, models): (Answer<'_>, BTreeMap<String, Value>),
) -> Result<(Answer<'_>, Entries), Stop> {
    let strings = |entry: &Value| -> Option<Vec<String>> {
        entry["servers"].as_array()?.iter().map(|server| server.as_str().map(str::to_owned)).collect()
    };
    let entries = models.iter().map(|(id, entry)| Some((id.clone(), strings(entry)?))).collect();
    let entries: Option<Entries> = entries;
    answer.given(entries.is_some(), "a model has no array of servers; another check judges this")?;
    Ok((answer, entries.unwrap_or_default()))
}

/// Whether an entry is a server URL in the target's reading.
pub(super) fn is_url(probe: &Probe<'_>, entry: &str) -> bool {
    let url = Url::parse(entry).ok().filter(Url::has_host);
    let allows_http = probe.settings.gateway().readings.allow_http_servers;
    url.is_some_and(|url| url.scheme() == "https" || (allows_http && url.scheme() == "http"))
}

/// Queries discovery. Each server must be an https URL or `tee://<item_hash>`. Where a control API lists the servers of a model,
/// discovery must list no others for it.
#[shows(rows::ENTRY)]
async fn server_is_a_url_or_an_item_hash(probe: &Probe<'_>) -> Checked {
    let (answer, entries) = given_entries(probe).await?;
    probe.found(entries.values().any(|servers| !servers.is_empty()), "discovery lists no server")?;
    let scheme = &probe.settings.dialect.confidential_scheme;
    let own = known_servers(probe).await;
    for (id, servers) in entries {
        for entry in servers {
            let is_hash = entry.strip_prefix(scheme.as_str()).is_some_and(|hash| !hash.is_empty());
            let want = format!("an https URL, or {scheme}<item_hash>");
            answer.expect(is_hash || is_url(probe, &entry), &format!("/{id}/servers"), want, &entry)?;
            if let Some(own) = own.get(&id) {
                let want = format!("one of {}", own.join(", "));
                answer.expect(
                    own.iter().any(|own| own == entry.trim_end_matches('/')),
                    &format!("/{id}/servers"),
                    want,
                    entry,
                )?;
            }
        }
    }
    Ok(())
}

/// The entries of the servers of each model that a control API lists.
async fn known_servers(probe: &Probe<'_>) -> BTreeMap<String, Vec<String>> {
    let view = probe.view("gateway").await;
    let sites = view["servers"].as_array().into_iter().flatten();
    let urls =
        sites.filter_map(|server| Some((server["site"].as_str()?, server["url"].as_str()?.to_owned())));
    let urls: BTreeMap<&str, String> = urls.collect();
    let hash = view["enclave"]["item_hash"].as_str();
    let hidden = hash.map(|hash| format!("{}{hash}", probe.settings.dialect.confidential_scheme));
    let entries = |model: &Value| {
        let sites = model["servers"].as_array()?.iter().filter_map(Value::as_str);
        let hidden = hidden.as_ref().filter(|_| model["confidential"] == true);
        // A model with a server of unknown entry is left out.
        let own = sites.map(|site| urls.get(site).or(hidden).cloned()).collect::<Option<_>>()?;
        Some((model["id"].as_str()?.to_owned(), own))
    };
    view["models"].as_array().into_iter().flatten().filter_map(entries).collect()
}

/// Queries the model list and discovery. Discovery must contain every model of the list. Both change over time, so they are
/// read again if a model is missing.
#[shows(rows::COVERS, after(rows::OBJECT))]
async fn discovery_covers_the_model_list(probe: &Probe<'_>) -> Checked {
    let (_, ids) = models::ids(probe).await?;
    let (answer, models) = given_object(probe).await?;
    let mut missing: Vec<String> = ids.into_iter().filter(|id| !models.contains_key(id)).collect();
    if !missing.is_empty() {
        let ids = models::ids_anew(probe).await?;
        let (_, models) = object_in(probe, Call::get(&discovery::ENDPOINT).send(probe).await?)?;
        missing.retain(|id| ids.contains(id) && !models.contains_key(id));
    }
    let want = "every model of /v1/models";
    answer.expect(missing.is_empty(), "members", want, format!("{} missing", missing.join(", ")))
}

/// Sends a chat to each discovered model with a server; of many, to those that the seed draws. None must return 404.
#[shows(rows::USABLE, after(rows::OBJECT, rows::SERVERS, errors::UNKNOWN_MODEL))]
async fn discovered_model_is_known(probe: &Probe<'_>) -> Checked {
    let (_, entries) = given_entries(probe).await?;
    let served: Vec<&String> =
        entries.iter().filter(|(_, servers)| !servers.is_empty()).map(|(id, _)| id).collect();
    let count = served.len();
    if count > MODELS {
        probe.note(format!("{MODELS} of {count} models were asked; the seed draws them"));
    }
    let mut accepted = 0;
    for id in drawn(probe.settings.seed, served, MODELS, |id| (*id).clone()) {
        let answer = Call::post(&chat::ENDPOINT, &bodies::chat(id)).send(probe).await?;
        let status = answer.status();
        let want = format!("not 404 for {id}");
        if status == 404 {
            // The list changes over time.
            let (_, now) = object_in(probe, Call::get(&discovery::ENDPOINT).send(probe).await?)?;
            if !now.contains_key(id) {
                probe.note(format!("{id} is not listed any longer"));
                continue;
            }
        }
        answer.expect(status != 404, At::status(), want, status.to_string())?;
        // An error does not show that the gateway knows the model.
        accepted += usize::from(status == 200);
    }
    probe.conclusive(accepted > 0, "no model with a server accepts a chat")
}

/// Every server that discovery lists.
async fn listed(probe: &Probe<'_>) -> Result<BTreeSet<String>, Stop> {
    Ok(given_entries(probe).await?.1.into_values().flatten().collect())
}

/// Queries discovery for some minutes until `is_so` holds.
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

/// Removes a server and adds it again. Discovery must drop it and list it again within some minutes.
#[shows(rows::CURRENT, needs(Actions, Clock))]
async fn discovery_follows_the_servers(probe: &Probe<'_>) -> Checked {
    let view = probe.view("gateway").await;
    let needs = "needs a control API that adds and removes servers";
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
