//! What the document promises of any gateway, and one question for each fixture: does the key open the service, does
//! the model answer a chat.

use std::collections::BTreeMap;
use std::time::Duration;

use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::{auth, chat, discovery, models};
use serde_json::{Value, json};

use super::chat::COMPLETION;
use super::given::{TRIES, spent_in};
use super::{bodies, wire};
use crate::harness::survey::{Asked, Found, Survey, WrongFixture, literal, shown, usable};
use crate::http::client::Limits;
use crate::http::exchange::{Request, Response};
use crate::http::hiding::Hidden;
use crate::profile::IdPath;

/// Known paths of ids in a list of models, the documented one first.
const ID_PATHS: [&str; 5] = ["data[].id", "models[].id", "[].id", "models[]", "[]"];
/// The maximum number of models named in a note.
const NAMED: usize = 12;

/// Reads discovery, the list of models and the key check. Discovery lists servers, the list has ids, and the key check
/// returns 200 or a 401 with `detail`.
pub(crate) async fn recognise(at: Asked<'_>) -> Result<Found, String> {
    let hidden = &at.survey.settings.secrets;
    let key = at.survey.settings.gateway().key();
    let mut found = Found::default();
    let mut answer = send(at, &discovery::ENDPOINT, None, None).await?;
    let mut with = "without a key";
    if matches!(answer.status, 401 | 403) && key.is_some() {
        answer = send(at, &discovery::ENDPOINT, key, None).await?;
        with = "with the key";
    }
    // A returned key must not get into the profile.
    let listed = entries(hidden, &answer);
    found.saw(&answer, listed.as_ref().is_some_and(|listed| !listed.is_empty()));
    let name = discovery::ENDPOINT.path;
    found.notes.push(match &listed {
        Some(listed) => format!("GET {name} {with} returned {} models", listed.len()),
        None => format!("GET {name} {with} returned {} without a list of models", answer.status),
    });
    let listed = listed.unwrap_or_default();
    let names: Vec<String> = listed.keys().take(NAMED).map(|id| shown(hidden, id)).collect();
    if !names.is_empty() {
        let more = listed.len().checked_sub(NAMED).filter(|more| *more > 0);
        let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
        found.notes.push(format!("models: {}{more}", names.join(", ")));
    }
    if listed.values().flatten().any(|server| server.starts_with("http://")) {
        let note =
            "discovery lists servers without TLS; their check fails unless allow_http_servers is declared";
        found.notes.push(note.to_owned());
    }
    if let Ok(list) = send(at, &models::LIST, key, None).await {
        let path = id_path(&list);
        found.saw(&list, path.is_some());
        if let Some(path) = path {
            found.notes.push(format!("GET {}: ids at {path}", models::LIST.path));
            found.readings.insert("gateway.readings.models_id_path", literal(path));
            if path != ID_PATHS[0] {
                found.values.insert("gateway.readings.models_id_path", literal(path));
            }
        }
    }
    if let Ok(checked) = send(at, &auth::CHECK, key, None).await {
        let body = checked.json().unwrap_or_default();
        let is_refusal = checked.status == 401 && body["detail"].is_string();
        found.saw(&checked, is_refusal || checked.status == 200 && body.is_object());
        let with = if key.is_some() { "with the key" } else { "without a key" };
        found.notes.push(format!("GET {} {with} returned {}", auth::CHECK.path, checked.status));
    }
    Ok(found)
}

/// Looks how the gateway reads sentences that can be read in several ways: an invalid chat, which costs nothing, with the key
/// and without one.
pub(crate) async fn readings(at: Asked<'_>, found: &mut Found) {
    let key = at.survey.settings.gateway().key();
    let invalid = || Some(json!({}));
    if let Ok(answer) = send(at, &chat::ENDPOINT, key, invalid()).await
        && answer.status == 422
        && answer.json().is_ok_and(|body| body["detail"].is_array())
    {
        found.readings.insert("gateway.readings.gateway_422_detail", literal("array"));
    }
    if let Ok(answer) = send(at, &chat::ENDPOINT, None, invalid()).await
        && answer.status == 402
    {
        found.readings.insert("gateway.readings.payment_flow", "true".to_owned());
    }
    let listed = discovered(at).await.unwrap_or_default();
    if listed.values().flatten().any(|server| server.starts_with("http://")) {
        found.readings.insert("gateway.readings.allow_http_servers", "true".to_owned());
    }
}

/// Tries the models that discovery lists; the first that answers a chat goes into the profile.
pub(crate) async fn discover(at: Asked<'_>, found: &mut Found, _: &[String]) {
    let Some(key) = at.survey.settings.gateway().key() else {
        found.notes.push("without a key no model is tried".to_owned());
        return;
    };
    match first_that_answers(at, key, None).await {
        Some(id) => {
            found.notes.push(format!("{} answers a chat", shown(&at.survey.settings.secrets, &id)));
            found.values.insert("gateway.models.chat", literal(&id));
        }
        None => found.notes.push(format!("none of the first {TRIES} models answers a chat with the key")),
    }
}

pub(crate) async fn wrong_fixtures(survey: &Survey<'_>, _: usize) -> Vec<WrongFixture> {
    let fixtures = &survey.settings.gateway();
    let (Some(at), Some(key)) = (survey.at(wire::GATEWAY), fixtures.key()) else { return Vec::new() };
    if let Some(wrong) = wrong_key(at, key).await {
        return vec![wrong];
    }
    let declared = [
        ("gateway.models.chat", &fixtures.models.chat),
        ("gateway.models.tools", &fixtures.models.tools),
        ("gateway.models.always_calls", &fixtures.models.always_calls),
        ("gateway.models.vision", &fixtures.models.vision),
    ];
    let mut wrong = wrong_states(at, key).await;
    wrong.extend(wrong_usage(at).await);
    let mut asked: BTreeMap<&str, Option<(String, String)>> = BTreeMap::new();
    for (name, id) in declared {
        let Some(id) = id else { continue };
        if !asked.contains_key(id.as_str()) {
            asked.insert(id, mute_model(at, key, id).await);
        }
        if let Some((what, remedy)) = &asked[id.as_str()] {
            wrong.push(WrongFixture::new(name, what, remedy));
        }
    }
    wrong
}

/// The models that are not in the state that the profile declares.
async fn wrong_states(at: Asked<'_>, key: &str) -> Vec<WrongFixture> {
    let models = &at.survey.settings.gateway().models;
    let mut wrong = Vec::new();
    let mut say = |state: &str, what: String, remedy: &str| {
        wrong.push(WrongFixture::new(format!("gateway.models.{state}"), what, remedy));
    };
    let path = chat::ENDPOINT.path;
    if let Some(id) = &models.down
        && let Ok(answer) = send(at, &chat::ENDPOINT, Some(key), Some(bodies::chat(id))).await
    {
        let what = format!("POST {path} with the model {id:?} returned {}", at.got(&answer));
        if answer.status == 200 {
            say("down", format!("{what}: a server of it answers"), "name a model without a live server");
        } else if is_unlisted(at, &answer, id).await {
            say("down", format!("{what}; discovery does not list it"), "name a model of discovery");
        }
    }
    // Discovery may leave the failed server out.
    if let Some(id) = &models.one_down
        && let Ok(answer) = send(at, &chat::ENDPOINT, Some(key), Some(bodies::chat(id))).await
        && is_unlisted(at, &answer, id).await
    {
        let got = at.got(&answer);
        let what = format!("POST {path} with the model {id:?} returned {got}; discovery does not list it");
        say("one_down", what, "name a model with several servers, of which one has failed");
    }
    if let Some(id) = &models.fails_midway
        && let Ok(answer) =
            send(at, &chat::ENDPOINT, Some(key), Some(bodies::streamed(bodies::chat(id)))).await
    {
        let what = format!("POST {path} for a stream of the model {id:?} returned {}", at.got(&answer));
        // How the stream ends is judged by a check.
        if answer.status != 200 {
            say("fails_midway", what, "name a model whose streams begin and then fail");
        }
    }
    wrong
}

/// Whether the gateway knows the model neither here nor in discovery.
async fn is_unlisted(at: Asked<'_>, answer: &Response, id: &str) -> bool {
    answer.status == 404 && discovered(at).await.is_some_and(|listed| !listed.contains_key(id))
}

/// Whether the gateway rejects the second key, or the profile's URL does not show the tokens that this key has spent.
async fn wrong_usage(at: Asked<'_>) -> Option<WrongFixture> {
    let fixtures = &at.survey.settings.gateway();
    let second = fixtures.second_key.as_ref().map(|second| second.0.as_str())?;
    let checked = send(at, &auth::CHECK, Some(second), None).await;
    if let Ok(answer @ Response { status: 401 | 403, .. }) = &checked {
        let what = format!("GET {} with the second key returned {}", auth::CHECK.path, at.got(answer));
        return Some(WrongFixture::new("gateway.second_key", what, "set a valid key"));
    }
    let (url, path) = fixtures.usage.as_ref()?;
    let request = Request::new("GET", "").header("Authorization", format!("Bearer {second}"));
    let got = match at.elsewhere(url).send(request, Limits::default()).await {
        Ok(answer) if answer.json().is_ok_and(|body| spent_in(&body, path).is_some()) => return None,
        Ok(answer) => format!("{url} returned {} without a whole number at {path}", answer.status),
        Err(why) => why,
    };
    Some(WrongFixture::new("gateway.usage_url", got, "correct usage_url and usage_path, or remove them"))
}

/// Whether the gateway rejects the key. The key check alone may be what is wrong with a server, so a chat must be
/// rejected, too.
async fn wrong_key(at: Asked<'_>, key: &str) -> Option<WrongFixture> {
    let is_refused = |answer: &Result<Response, String>| {
        answer.as_ref().is_ok_and(|answer| matches!(answer.status, 401 | 403))
    };
    let checked = send(at, &auth::CHECK, Some(key), None).await;
    if !is_refused(&checked) {
        return None;
    }
    let model = match &at.survey.settings.gateway().models.chat {
        Some(id) => id.clone(),
        None => plain_models(at).await.into_iter().next()?,
    };
    let chatted = send(at, &chat::ENDPOINT, Some(key), Some(bodies::chat(&model))).await;
    let what = |status: u16| {
        let (check, chat) = (auth::CHECK.path, chat::ENDPOINT.path);
        format!("the gateway rejects the key: GET {check} returned {status}, and so did POST {chat}")
    };
    let is_wrong = is_refused(&chatted);
    is_wrong.then(|| {
        WrongFixture::new("gateway.key", what(checked.map_or(401, |one| one.status)), "set a valid key")
    })
}

/// Whether a declared model answers no chat although another does, or although the gateway lists others and not it: what
/// was returned, and the remedy. If no model answers, the gateway itself may be what is wrong.
async fn mute_model(at: Asked<'_>, key: &str, id: &str) -> Option<(String, String)> {
    let answer = send(at, &chat::ENDPOINT, Some(key), Some(bodies::chat(id))).await;
    if answers(&answer) {
        return None;
    }
    let got = answer.map_or_else(|why| why, |answer| at.got(&answer));
    let what = format!("POST {} with the model {id:?} returned {got}", chat::ENDPOINT.path);
    if let Some(other) = first_that_answers(at, key, Some(id)).await {
        let other = usable(&at.survey.settings.secrets, &other)?;
        return Some((
            format!("{what}; {other:?} answers"),
            format!("name a model that answers, such as {other:?}"),
        ));
    }
    let listed = discovered(at).await?;
    let is_missing = !listed.is_empty() && !listed.contains_key(id);
    is_missing
        .then(|| (format!("{what}; discovery does not list it"), "name a model of discovery".to_owned()))
}

/// The first plain model, other than `except`, that answers a chat.
async fn first_that_answers(at: Asked<'_>, key: &str, except: Option<&str>) -> Option<String> {
    for id in plain_models(at).await.into_iter().filter(|id| Some(id.as_str()) != except).take(TRIES) {
        if answers(&send(at, &chat::ENDPOINT, Some(key), Some(bodies::chat(&id))).await) {
            return Some(id);
        }
    }
    None
}

fn answers(answer: &Result<Response, String>) -> bool {
    let is_completion = |answer: &Response| answer.json().is_ok_and(|body| (COMPLETION.shows)(&body));
    answer.as_ref().is_ok_and(|answer| answer.status == 200 && is_completion(answer))
}

/// The models that discovery lists with a server outside enclaves.
async fn plain_models(at: Asked<'_>) -> Vec<String> {
    let scheme = at.survey.settings.dialect.confidential_scheme.as_str();
    let is_plain = |servers: &[String]| servers.iter().any(|server| !server.starts_with(scheme));
    let listed = discovered(at).await.unwrap_or_default();
    listed.into_iter().filter(|(_, servers)| is_plain(servers)).map(|(id, _)| id).collect()
}

async fn discovered(at: Asked<'_>) -> Option<BTreeMap<String, Vec<String>>> {
    let answer = send(at, &discovery::ENDPOINT, at.survey.settings.gateway().key(), None).await.ok()?;
    entries(&at.survey.settings.secrets, &answer)
}

/// The models of discovery whose names a profile may contain, with their servers.
fn entries(hidden: &Hidden, answer: &Response) -> Option<BTreeMap<String, Vec<String>>> {
    let body = answer.json().ok().filter(|_| answer.status == 200)?;
    let entry = |(id, value): (&String, &Value)| {
        let servers = value["servers"].as_array()?.iter();
        let servers = servers.filter_map(|server| server.as_str().map(str::to_owned)).collect();
        Some((usable(hidden, id)?, servers))
    };
    Some(body.as_object()?.iter().filter_map(entry).collect())
}

/// The known path that leads to ids in a list of models.
fn id_path(list: &Response) -> Option<&'static str> {
    let body = list.json().ok().filter(|_| list.status == 200)?;
    let leads = |path: &&str| {
        let ids = IdPath::parse(path).and_then(|path| {
            path.resolve(&body).map(|ids| !ids.is_empty() && ids.iter().all(|id| id.is_string()))
        });
        ids == Some(true)
    };
    ID_PATHS.into_iter().find(leads)
}

async fn send(
    at: Asked<'_>,
    endpoint: &Endpoint,
    key: Option<&str>,
    body: Option<Value>,
) -> Result<Response, String> {
    let mut request = request(at, endpoint, body);
    if let Some(key) = key {
        request = request.header("Authorization", format!("Bearer {key}"));
    }
    at.send(request, limits(at, endpoint)).await
}

/// A request without a key.
fn request(at: Asked<'_>, endpoint: &Endpoint, body: Option<Value>) -> Request {
    let path = wire::spoken(&at.survey.settings.dialect, endpoint.path);
    let request = Request::new(endpoint.method, &path);
    match body {
        Some(body) => request.header("Content-Type", "application/json").body(body.to_string()),
        None => request,
    }
}

fn limits(at: Asked<'_>, endpoint: &Endpoint) -> Limits {
    let timeout = Duration::from_secs(at.survey.settings.gateway().answer_seconds.into());
    if endpoint.method == "POST" { Limits { timeout, ..Limits::default() } } else { Limits::default() }
}
