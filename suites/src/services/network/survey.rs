//! What the document promises of any node, and one question for each fixture and further site: does the target know it.

use assay_spec::network::{info, neighbours, probes, query};
use serde_json::Value;

use super::replies::elements;
use super::wire::{ALTERNATIVE, MIRROR, PRIMARY};
use super::{is_error_body, path_with};
use crate::harness::survey::{Asked, Found, Survey, WrongFixture, literal, members, shown, usable};
use crate::http::exchange::Response;

/// How many elements of a list a note names.
const NAMED: usize = 3;

/// Reads the public information and one message. Both return JSON, and what they reject has the API's error form.
pub(crate) async fn recognise(at: Asked<'_>) -> Result<Found, String> {
    let hidden = &at.survey.settings.secrets;
    let mut found = Found::default();
    let path = info::PUBLIC.path;
    let answer = at.get(path).await?;
    let body = answer.json().unwrap_or_default();
    let is_information = answer.status == 200 && (body.is_object() || body.is_array());
    found.saw(&answer, is_information || is_error_body(&body));
    found.notes.push(match answer.status {
        200 => format!("GET {path} returned {}", members(hidden, &body)),
        status => format!("GET {path} returned {status}"),
    });
    for member in ["version", "name", "node_version"] {
        if let Some(text) = body[member].as_str() {
            found.notes.push(format!("{member}: {}", shown(hidden, text)));
        }
    }
    let list = query::LIST.path;
    if let Ok(answer) = at.get(&format!("{list}?limit=1")).await {
        let body = answer.json().unwrap_or_default();
        found.saw(&answer, answer.status == 200 && body["messages"].is_array() || is_error_body(&body));
        let page = body["pagination"]["page"].as_u64();
        let first = page.map(|page| format!(", first page {page}")).unwrap_or_default();
        let total = body["pagination"]["total"].as_u64();
        let total = total.map(|total| format!(", {total} messages")).unwrap_or_default();
        found.notes.push(format!("GET {list} returned {}{total}{first}", answer.status));
        if let Some(page @ 0..=1) = page {
            found.readings.insert("network.readings.first_page", page.to_string());
        }
        if page == Some(0) {
            found.values.insert("network.readings.first_page", "0".to_owned());
        }
    }
    Ok(found)
}

/// Lists programs, aggregates and measurements. The first of each that a profile can name goes into it.
pub(crate) async fn discover(at: Asked<'_>, found: &mut Found, _: &[String]) {
    let settings = at.survey.settings;
    let hidden = &settings.secrets;
    let limit = NAMED.to_string();
    let of_type = [("types", "PROGRAM"), ("limit", limit.as_str())];
    let programs = listed(at, &path_with("/api/v0/messages", &of_type), "messages").await;
    let programs: Vec<&str> = programs.iter().filter_map(|one| one["item_hash"].as_str()).collect();
    note(found, hidden, "programs", &programs);
    if let Some(first) = programs.first().and_then(|first| usable(hidden, first)) {
        found.values.insert("network.fixtures.program", literal(&first));
    }
    let aggregates = path_with("/api/v0/aggregates", &[("limit", limit.as_str())]);
    let aggregates = listed(at, &aggregates, "aggregates").await;
    let aggregates: Vec<String> = aggregates
        .iter()
        .filter_map(|one| Some(format!("{} of {}", one["key"].as_str()?, one["address"].as_str()?)))
        .collect();
    let aggregates: Vec<&str> = aggregates.iter().map(String::as_str).collect();
    note(found, hidden, "aggregates", &aggregates);
    for kind in [&settings.dialect.scoring_type, &settings.dialect.metrics_type] {
        let path = path_with("/api/v0/messages.json", &[("content_types", kind.as_str())]);
        let measured = match at.get(&path).await {
            Ok(answer) if answer.status == 200 => {
                elements(&answer.json().unwrap_or_default()).unwrap_or_default()
            }
            _ => continue,
        };
        let sender =
            |one: &Value| one["sender"].as_str().or(one["message"]["sender"].as_str()).map(str::to_owned);
        if let Some(publisher) = measured.first().and_then(sender).and_then(|one| usable(hidden, &one)) {
            found.notes.push(format!("{publisher} publishes measurements"));
            found.values.insert("network.fixtures.publisher", literal(&publisher));
            break;
        }
    }
}

fn note(found: &mut Found, hidden: &crate::http::hiding::Hidden, what: &str, all: &[&str]) {
    if !all.is_empty() {
        let names: Vec<String> = all.iter().take(NAMED).map(|name| shown(hidden, name)).collect();
        found.notes.push(format!("{what}: {}", names.join(", ")));
    }
}

async fn listed(at: Asked<'_>, path: &str, name: &str) -> Vec<Value> {
    let Ok(answer) = at.get(path).await else { return Vec::new() };
    answer.json().unwrap_or_default()[name].as_array().cloned().unwrap_or_default()
}

pub(crate) async fn wrong_fixtures(survey: &Survey<'_>, _: usize) -> Vec<WrongFixture> {
    let mut wrong = wrong_sites(survey).await;
    let given = &survey.settings.network().given;
    let api = |path: String| format!("/api/v0{path}");
    let metrics = if survey.at(ALTERNATIVE).is_some() { ALTERNATIVE } else { PRIMARY };
    let indexed = given.indexer_network.as_deref().unwrap_or_default();
    // Each with every path under which the target must know it: one may be what is wrong with the target.
    let paths = |key: &str, value: &str| -> (&'static str, Vec<String>) {
        match key {
            "program" => (
                PRIMARY,
                vec![
                    api(format!("/messages/{value}")),
                    api(path_with("/messages", &[("hashes", value), ("types", "PROGRAM")])),
                ],
            ),
            "publisher" => (
                PRIMARY,
                vec![
                    api(path_with("/messages.json", &[("addresses", value)])),
                    api(path_with("/messages", &[("addresses", value), ("limit", "1")])),
                ],
            ),
            "core_node" => (metrics, vec![api(format!("/core/{value}/metrics"))]),
            "compute_node" => (metrics, vec![api(format!("/compute/{value}/metrics"))]),
            "indexer_network" => (
                PRIMARY,
                ["events", "transactions"]
                    .map(|name| api(path_with(&format!("/indexer/{value}/{name}"), &[("limit", "1")])))
                    .to_vec(),
            ),
            "indexer_contract" => {
                let query = [("contract", value), ("limit", "1")];
                (PRIMARY, vec![api(path_with(&format!("/indexer/{indexed}/events"), &query))])
            }
            "diagnostic_vm" => ("compute-1", vec![format!("/vm/{value}")]),
            _ => ("compute-1", vec![format!("/status/check/{value}")]),
        }
    };
    let declared = [
        ("program", &given.program),
        ("publisher", &given.publisher),
        ("core_node", &given.core_node),
        ("compute_node", &given.compute_node),
        ("indexer_network", &given.indexer_network),
        ("indexer_contract", &given.indexer_contract),
        ("diagnostic_vm", &given.diagnostic_vm),
        ("status_check", &given.status_check),
    ];
    for (key, value) in declared {
        let Some(value) = value else { continue };
        let (site, paths) = paths(key, value);
        let Some(at) = survey.at(site) else { continue };
        if let Some(what) = missing(at, &paths).await {
            let remedy = format!("name one that the target has: [network.fixtures] {key}");
            wrong.push(WrongFixture::new(format!("network.fixtures.{key}"), what, remedy));
        }
    }
    wrong.extend(wrong_stores(survey).await);
    wrong
}

/// The statuses of a message that exists.
const STATUSES: [&str; 6] = ["processed", "removing", "removed", "forgotten", "pending", "rejected"];

/// The messages that are not in the state that the profile declares, and the list that is not large.
async fn wrong_stores(survey: &Survey<'_>) -> Vec<WrongFixture> {
    let given = &survey.settings.network().given;
    let Some(at) = survey.at(PRIMARY) else { return Vec::new() };
    let mut wrong = Vec::new();
    let mut say = |key: &str, what: String, remedy: String| {
        wrong.push(WrongFixture::new(format!("network.fixtures.{key}"), what, remedy));
    };
    let states = [
        ("removing", &given.removing),
        ("removed", &given.removed),
        ("pending", &given.pending),
        ("rejected", &given.rejected),
    ];
    for (state, hash) in states {
        let Some(hash) = hash else { continue };
        let path = format!("/api/v0/messages/{hash}");
        let Ok(answer) = at.get(&path).await else { continue };
        let body = answer.json().unwrap_or_default();
        let status = body["status"].as_str().filter(|status| STATUSES.contains(status)).unwrap_or_default();
        let is_other = match answer.status {
            200 => !status.is_empty() && status != state,
            404 => true,
            410 => state != "removed",
            _ => false,
        };
        if is_other {
            let what = format!("GET {path} returned {} {status}", at.got(&answer)).trim_end().to_owned();
            say(state, what, format!("name a STORE message that is {state}"));
        }
    }
    if let (Some(hash), Some(mirror)) = (&given.mirror_lacks, survey.at(MIRROR)) {
        let path = format!("/api/v0/messages/{hash}");
        if let (Ok(here), Ok(there)) = (at.get(&path).await, mirror.get(&path).await)
            && (here.status == 404 || there.status == 200)
        {
            let (here, there) = (at.got(&here), mirror.got(&there));
            let what = format!("GET {path} returned {here}, and at the mirror {there}");
            say("mirror_lacks", what, "name a message that the mirror does not have yet".to_owned());
        }
    }
    if let Some(address) = &given.large_list {
        let query = [("addresses", address.as_str()), ("limit", "1")];
        let path = path_with("/api/v0/messages", &query);
        let total = async || at.get(&path).await.ok()?.json().ok()?["pagination"]["total"].as_u64();
        if let Some(total) = total().await.filter(|total| *total <= 100) {
            let what = format!("GET {path} counts {total} messages");
            say("large_list", what, "name an address with more than 100 messages".to_owned());
        }
    }
    wrong
}

/// What was returned, if nothing is found under any of these paths.
async fn missing(at: Asked<'_>, paths: &[String]) -> Option<String> {
    let mut seen = Vec::new();
    for path in paths {
        let answer = at.get(path).await.ok()?;
        let body = answer.json().unwrap_or_default();
        let got = match answer.status {
            404 | 410 if is_error_body(&body) => at.got(&answer),
            200 if elements(&body).is_some_and(|all| all.is_empty()) => "an empty list".to_owned(),
            _ => return None,
        };
        seen.push(format!("GET {path} returned {got}"));
    }
    Some(seen.join(", "))
}

/// The further sites that do not look like what their key says.
async fn wrong_sites(survey: &Survey<'_>) -> Vec<WrongFixture> {
    let mut wrong = Vec::new();
    for site in survey.sites.keys() {
        let endpoint = match site.as_str() {
            "network-alt" | "network-mirror" => &info::PUBLIC,
            "scheduler" => &neighbours::NODES,
            "status" => &neighbours::SERVICES,
            "credit" => &neighbours::PAYMENT,
            site if site.starts_with("compute-") => &probes::LOGIN,
            _ => continue,
        };
        let (Some(at), Some(key)) = (survey.at(site), survey.settings.suites.key_of_site(site)) else {
            continue;
        };
        let Ok(answer) = at.get(endpoint.path).await else { continue };
        if is_foreign(&answer) && !(endpoint.name == info::PUBLIC.name && is_primary_foreign(survey).await) {
            let what = format!("GET {} returned {}", endpoint.path, at.got(&answer));
            wrong.push(WrongFixture::new(key, what, "correct the URL, or remove the key"));
        }
    }
    wrong
}

/// Whether the primary address does not return public information either: the node may be what is wrong.
async fn is_primary_foreign(survey: &Survey<'_>) -> bool {
    let Some(at) = survey.at(PRIMARY) else { return false };
    at.get(info::PUBLIC.path).await.is_ok_and(|answer| is_foreign(&answer))
}

/// Whether a response is not of this API: the path is unknown, and that is not said in the API's form.
fn is_foreign(answer: &Response) -> bool {
    let body = answer.json();
    match answer.status {
        404 | 405 | 501 => !body.is_ok_and(|body| is_error_body(&body)),
        200 => body.is_err(),
        _ => false,
    }
}
