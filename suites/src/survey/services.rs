//! The survey requests of each service.

use assay_spec::gateway::{auth, discovery, models};
use assay_spec::network::{info, query};
use assay_spec::{Service, drop, publish};
use serde_json::Value;

use super::{Found, Survey, literal, members, shown, usable};
use crate::exchange::Response;
use crate::profile::IdPath;
use crate::redact::Hidden;

/// Known paths of ids in a list of models, the documented one first.
const ID_PATHS: [&str; 5] = ["data[].id", "models[].id", "[].id", "models[]", "[]"];
/// Known paths of interface descriptions.
const INTERFACE_PATHS: [&str; 2] = ["/openapi.json", "/api/openapi.json"];
/// The maximum number of models named in a note.
const NAMED: usize = 12;

pub(super) async fn survey(survey: &Survey<'_>, service: Service, base: &str) -> Result<Found, String> {
    match service {
        Service::Gateway => gateway(survey, base).await,
        Service::Metadata => metadata(survey, base).await,
        Service::Network => network(survey, base).await,
        // None of these has an endpoint to read. A drop answers a GET with 405. An exchange returns 404, and an
        // application may have no page, so no response identifies these two.
        Service::Hosting => page(survey, base, "/", |_| false).await,
        Service::Publish => page(survey, base, publish::prepare::ENDPOINT.path, |_| false).await,
        Service::Drop => page(survey, base, drop::upload::ENDPOINT.path, takes_post).await,
    }
}

async fn gateway(survey: &Survey<'_>, base: &str) -> Result<Found, String> {
    let key = survey.gateway_key;
    let mut found = Found::default();
    let mut answer = survey.get(base, discovery::ENDPOINT.path, None).await?;
    found.sees_clock(&answer);
    let mut with = "without a key";
    if matches!(answer.status, 401 | 403) && key.is_some() {
        answer = survey.get(base, discovery::ENDPOINT.path, key).await?;
        with = "with the key";
    }
    found.status = answer.status;
    // A returned key must not get into the profile.
    let listed = entries(&survey.hidden, &answer);
    let name = discovery::ENDPOINT.path;
    // Any server may reject an unknown client, so a rejection alone identifies nothing.
    found.is_recognised = listed.is_some();
    found.notes.push(match &listed {
        Some(listed) => format!("GET {name} {with} returned {} models", listed.len()),
        None => format!("GET {name} {with} returned {} without a list of models", answer.status),
    });
    let listed = listed.unwrap_or_default();
    let scheme = survey.dialect.confidential_scheme.as_str();
    let is_plain = |servers: &[String]| servers.iter().any(|server| !server.starts_with(scheme));
    if let Some((id, _)) = listed.iter().find(|(_, servers)| is_plain(servers)) {
        found.values.insert("gateway.models.chat", literal(id));
    }
    let names: Vec<String> = listed.iter().take(NAMED).map(|(id, _)| shown(&survey.hidden, id)).collect();
    if !names.is_empty() {
        let more = listed.len().checked_sub(NAMED).filter(|more| *more > 0);
        let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
        found.notes.push(format!("models: {}{more}", names.join(", ")));
    }
    if listed.iter().flat_map(|(_, servers)| servers).any(|server| server.starts_with("http://")) {
        let note =
            "discovery lists servers without TLS; their check fails unless allow_http_servers is declared";
        found.notes.push(note.to_owned());
    }
    // The remaining requests only add detail.
    if let Ok(list) = survey.get(base, models::LIST.path, key).await {
        id_path(&list, &mut found);
    }
    if let Some(key) = key
        && let Ok(checked) = survey.get(base, auth::CHECK.path, Some(key)).await
    {
        found.is_recognised |= checked.status == 200 && checked.json().is_ok();
        found.is_key_refused = matches!(checked.status, 401 | 403);
        found.notes.push(format!("GET {} with the key returned {}", auth::CHECK.path, checked.status));
    }
    Ok(found)
}

/// The models of discovery whose names a profile may contain, with their servers.
fn entries(hidden: &Hidden, answer: &Response) -> Option<Vec<(String, Vec<String>)>> {
    let body = answer.json().ok().filter(|_| answer.status == 200)?;
    let entry = |(id, value): (&String, &Value)| {
        let servers = value["servers"].as_array().into_iter().flatten();
        let servers = servers.filter_map(|server| server.as_str().map(str::to_owned)).collect();
        Some((usable(hidden, id)?, servers))
    };
    Some(body.as_object()?.iter().filter_map(entry).collect())
}

fn id_path(list: &Response, found: &mut Found) {
    let Some(body) = list.json().ok().filter(|_| list.status == 200) else { return };
    let leads = |path: &&&str| {
        let ids = IdPath::parse(path).and_then(|path| {
            path.resolve(&body).map(|ids| !ids.is_empty() && ids.iter().all(|id| id.is_string()))
        });
        ids == Some(true)
    };
    match ID_PATHS.iter().find(leads) {
        Some(&path) => {
            found.is_recognised = true;
            found.notes.push(format!("GET {}: ids at {path}", models::LIST.path));
            if path != ID_PATHS[0] {
                found.values.insert("gateway.readings.models_id_path", literal(path));
            }
        }
        None => found.notes.push(format!("GET {}: no ids found", models::LIST.path)),
    }
}

async fn metadata(survey: &Survey<'_>, base: &str) -> Result<Found, String> {
    // A page alone does not identify the service.
    let mut found = page(survey, base, "/", |_| false).await?;
    for path in INTERFACE_PATHS {
        let Ok(answer) = survey.get(base, path, None).await else { continue };
        let body = answer.json().unwrap_or_default();
        if let (200, Some(version)) = (answer.status, body["info"]["version"].as_str()) {
            found.is_recognised = true;
            found.notes.push(format!("GET {path}: interface version {}", shown(&survey.hidden, version)));
            found.values.insert("metadata.readings.interface_path", literal(path));
            break;
        }
    }
    Ok(found)
}

async fn network(survey: &Survey<'_>, base: &str) -> Result<Found, String> {
    let path = info::PUBLIC.path;
    let answer = survey.get(base, path, None).await?;
    let mut found = Found { status: answer.status, ..Found::default() };
    found.sees_clock(&answer);
    let body = answer.json().unwrap_or_default();
    found.is_recognised = answer.status == 200 && (body.is_object() || body.is_array());
    found.notes.push(match answer.status {
        200 => format!("GET {path} returned {}", members(&survey.hidden, &body)),
        status => format!("GET {path} returned {status}"),
    });
    for member in ["version", "name", "node_version"] {
        if let Some(text) = body[member].as_str() {
            found.notes.push(format!("{member}: {}", shown(&survey.hidden, text)));
        }
    }
    let list = query::LIST.path;
    if let Ok(answer) = survey.get(base, &format!("{list}?limit=1"), None).await {
        let body = answer.json().unwrap_or_default();
        let page = body["pagination"]["page"].as_u64();
        found.is_recognised |= answer.status == 200 && body["messages"].is_array();
        let first = page.map(|page| format!(", first page {page}")).unwrap_or_default();
        found.notes.push(format!("GET {list} returned {}{first}", answer.status));
        if page == Some(0) {
            found.values.insert("network.readings.first_page", "0".to_owned());
        }
    }
    Ok(found)
}

/// Requests one path. Any response means that a server is there; `is` decides whether it is this service.
async fn page(
    survey: &Survey<'_>,
    base: &str,
    path: &str,
    is: impl Fn(&Response) -> bool,
) -> Result<Found, String> {
    let answer = survey.get(base, path, None).await?;
    let mut found = Found { status: answer.status, is_recognised: is(&answer), ..Found::default() };
    found.sees_clock(&answer);
    let kind = answer.header("content-type").map(|kind| format!(" {}", shown(&survey.hidden, kind)));
    let seen = if found.is_recognised { ", POST is allowed" } else { "" };
    found.notes.push(format!("GET {path} returned {}{}{seen}", answer.status, kind.unwrap_or_default()));
    Ok(found)
}

/// Whether a response to GET shows that the path exists and accepts POST.
fn takes_post(answer: &Response) -> bool {
    let names_post = |methods: &str| methods.split(',').any(|method| method.trim() == "POST");
    answer.status == 405 && answer.header("allow").is_none_or(names_post)
}
