//! What the document promises of any token metadata service, and one question for each contract: does its document
//! exist.

use serde_json::Value;

use super::wire::{Form, MOST_TOKENS, Way};
use crate::harness::survey::{Asked, Found, Likeness, Survey, WrongFixture, literal, shown};
use crate::http::exchange::Response;
use crate::profile::MetadataContract;

/// A token id that is not an integer: the service returns 422 with `detail`.
const NOT_AN_INTEGER: &str = "/assay/not-an-integer";
/// How many documents that the profile names are asked for.
const MOST_NAMED: usize = 4;
/// Known paths of interface descriptions.
const INTERFACE_PATHS: [&str; 2] = ["/openapi.json", "/api/openapi.json"];

/// Reads the root, which is HTML at many servers, and a token whose id is not an integer.
pub(crate) async fn recognise(at: Asked<'_>) -> Result<Found, String> {
    let hidden = &at.survey.settings.secrets;
    let mut found = Found::default();
    let answer = at.get("/").await?;
    found.saw(&answer, false);
    let kind = answer.header("content-type").unwrap_or_default();
    if answer.status == 200 && kind.starts_with("text/html") {
        found.likeness = Likeness::Unclear;
    }
    found
        .notes
        .push(format!("GET / returned {} {}", answer.status, shown(hidden, kind)).trim_end().to_owned());
    let mut other = None;
    if let Ok(answer) = at.get(NOT_AN_INTEGER).await {
        let body = answer.json().unwrap_or_default();
        let is_error = |one: &Value| one["loc"].is_array() && one["msg"].is_string();
        let is_promised = body["detail"].as_array().is_some_and(|all| all.first().is_some_and(is_error));
        found.saw(&answer, answer.status == 422 && is_promised);
        found.notes.push(format!("GET {NOT_AN_INTEGER} returned {}", answer.status));
        other = Some(answer.body);
    }
    // Both answers may be what is wrong with the service.
    if found.likeness != Likeness::Like
        && let Some((path, answer)) = named_document(at).await
        // A server may return the same to every request.
        && other.as_ref() != Some(&answer.body)
    {
        found.saw(&answer, true);
        found.notes.push(format!("GET {} returned a document", shown(hidden, &path)));
    }
    Ok(found)
}

/// The first document that the profile names and the server has, and its path.
async fn named_document(at: Asked<'_>) -> Option<(String, Response)> {
    let contracts = at.survey.settings.metadata().contracts.iter();
    let paths = |contract: &MetadataContract| Way::BOTH.map(|way| contract.path(way));
    for path in contracts.flat_map(paths).flatten().take(MOST_NAMED) {
        match at.get(&path).await {
            Ok(answer) if answer.status == 200 && answer.json().is_ok_and(|body| body.is_object()) => {
                return Some((path, answer));
            }
            _ => {}
        }
    }
    None
}

/// Looks for an interface description, and for the contracts and tokens in the example URLs.
pub(crate) async fn discover(at: Asked<'_>, found: &mut Found, examples: &[String]) {
    for path in INTERFACE_PATHS {
        let Ok(answer) = at.get(path).await else { continue };
        let body = answer.json().unwrap_or_default();
        if let (200, Some(version)) = (answer.status, body["info"]["version"].as_str()) {
            let version = shown(&at.survey.settings.secrets, version);
            found.notes.push(format!("GET {path}: interface version {version}"));
            found.values.insert("metadata.readings.interface_path", literal(path));
            break;
        }
    }
    let mut contracts: Vec<toml::Value> = Vec::new();
    for path in examples.iter().filter_map(|example| at.path_of(example)) {
        let Some(contract) = example(&path) else { continue };
        let name = contract.path(contract.way()).unwrap_or_default();
        if exists(at, &contract).await {
            found.notes.push(format!("contract {name} exists"));
            contracts.extend(toml::Value::try_from(&contract).ok());
        } else {
            found.notes.push(format!("contract {name} was not found; it is not in the profile"));
        }
    }
    if !contracts.is_empty() {
        found.values.insert("metadata.contracts", toml::Value::Array(contracts).to_string());
    }
}

pub(crate) async fn wrong_fixtures(survey: &Survey<'_>, _: usize) -> Vec<WrongFixture> {
    let Some(at) = survey.at("metadata") else { return Vec::new() };
    let contracts = &survey.settings.metadata().contracts;
    let mut wrong = Vec::new();
    for (n, contract) in contracts.iter().enumerate() {
        let key = format!("metadata.contracts[{n}]");
        let Some(what) = missing(at, contract).await else {
            for (at, what) in absent_tokens(at, contract).await {
                let remedy = "name a token that the service knows: assay init --example URL";
                wrong.push((Way::Cid, WrongFixture::new(format!("{key}{at}"), what, remedy)));
            }
            if let Some(what) = without_overrides(at, contract).await {
                let remedy = "name a token with overrides, or leave the key out";
                wrong.push((Way::Cid, WrongFixture::new(format!("{key}.overridden"), what, remedy)));
            }
            continue;
        };
        let remedy = "name a contract that the service knows: assay init --example URL";
        wrong.push((contract.way(), WrongFixture::new(key, what, remedy)));
    }
    // If no URI leads to a document, the double slash may be what is wrong with a server.
    let mut finds_uris = false;
    if wrong.iter().any(|(way, _)| *way == Way::Uri) {
        for contract in contracts {
            let by_uri = MetadataContract { cid: None, ..contract.clone() };
            finds_uris |= by_uri.uri_path.is_some() && exists(at, &by_uri).await;
        }
    }
    let is_certain = |way: Way| way == Way::Cid || finds_uris;
    wrong.into_iter().filter(|(way, _)| is_certain(*way)).map(|(_, wrong)| wrong).collect()
}

/// Whether the service has a document of the contract, or of one of its tokens.
async fn exists(at: Asked<'_>, contract: &MetadataContract) -> bool {
    missing(at, contract).await.is_none()
}

/// What was returned, if the service has no document of the contract, nor of one of its tokens: one missing document may be
/// what is wrong with a server.
async fn missing(at: Asked<'_>, contract: &MetadataContract) -> Option<String> {
    let tokens = |way| {
        let token = contract.token()?;
        contract.token_path(way, token, Form::Bare)
    };
    let paths = Way::BOTH.map(|way| [contract.path(way), tokens(way)]);
    missing_at(at, paths.into_iter().flatten().flatten()).await
}

/// The tokens that checks use and that the service does not know, although it knows another or the contract: where the
/// profile names each, and what was returned.
async fn absent_tokens(at: Asked<'_>, contract: &MetadataContract) -> Vec<(String, String)> {
    let mut absent = Vec::new();
    for id in contract.some_tokens(at.survey.settings.seed, MOST_TOKENS) {
        let paths =
            Way::BOTH.map(|way| [Form::Bare, Form::Json].map(|form| contract.token_path(way, id, form)));
        let Some(what) = missing_at(at, paths.into_iter().flatten().flatten()).await else { continue };
        let listed = contract.tokens.iter().enumerate().filter(|(_, token)| *token == id);
        let listed = listed.map(|(n, _)| format!(".tokens[{n}]"));
        let overridden = contract.overridden.iter().filter(|token| *token == id);
        let keys = listed.chain(overridden.map(|_| ".overridden".to_owned()));
        absent.extend(keys.map(|key| (key, what.clone())));
    }
    absent
}

/// What was returned, if the token that has overrides according to the profile has an empty list of them.
async fn without_overrides(at: Asked<'_>, contract: &MetadataContract) -> Option<String> {
    let id = contract.overridden.as_deref()?;
    let path = contract.token_path(contract.way(), id, Form::Overrides)?;
    let answer = at.get(&path).await.ok().filter(|answer| answer.status == 200)?;
    let is_empty = answer.json().is_ok_and(|body| body.as_array().is_some_and(Vec::is_empty));
    is_empty.then(|| format!("GET {path} returned {}", at.got(&answer)))
}

/// What was returned at these paths, if the service has a document at none of them.
async fn missing_at(at: Asked<'_>, paths: impl Iterator<Item = String>) -> Option<String> {
    let mut seen = Vec::new();
    for path in paths {
        // A server that fails, limits or guards shows nothing.
        let is_missing = |answer: &Response| matches!(answer.status, 400 | 404 | 410 | 422);
        let answer = at.get(&path).await.ok().filter(is_missing)?;
        seen.push(format!("GET {path} returned {}", at.got(&answer)));
    }
    Some(seen.join("; "))
}

/// The contract and the token in a path such as `/CID/7.json` or `/URI//7`.
fn example(path: &str) -> Option<MetadataContract> {
    let path = path.split(['?', '#']).next()?.trim_start_matches('/');
    let id_of = |rest: &str| {
        let id = rest.trim_end_matches("/overrides").trim_end_matches(".json");
        (!id.is_empty() && id.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| id.to_owned())
    };
    // The scheme of a URI has a double slash, too; the last one separates the token.
    let scheme = path.find("://").map_or(0, |at| at + 3);
    if let Some(at) = path[scheme..].rfind("//").map(|at| at + scheme) {
        let tokens = id_of(&path[at + 2..]).into_iter().collect();
        return Some(MetadataContract {
            uri_path: Some(path[..at].to_owned()),
            tokens,
            ..MetadataContract::default()
        });
    }
    let (cid, rest) = path.split_once('/').unwrap_or((path, ""));
    let tokens = id_of(rest).into_iter().collect();
    (!cid.is_empty()).then(|| MetadataContract {
        cid: Some(cid.to_owned()),
        tokens,
        ..MetadataContract::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_url_names_a_contract_and_a_token() {
        let of = |path: &str| {
            let found = example(path)?;
            Some((found.cid.unwrap_or_default(), found.uri_path.unwrap_or_default(), found.tokens.concat()))
        };
        let cases = [
            ("/bafk", Some(("bafk", "", ""))),
            ("/bafk/7", Some(("bafk", "", "7"))),
            ("/bafk/7.json", Some(("bafk", "", "7"))),
            ("/bafk/-7/overrides", Some(("bafk", "", "-7"))),
            ("/bafk/x", Some(("bafk", "", ""))),
            ("/https://a.example/c//", Some(("", "https://a.example/c", ""))),
            ("/https://a.example/c//7.json", Some(("", "https://a.example/c", "7"))),
            ("/https%3A%2F%2Fa.example//7", Some(("", "https%3A%2F%2Fa.example", "7"))),
            ("/chain:1:0xab//7/overrides", Some(("", "chain:1:0xab", "7"))),
            ("/", None),
        ];
        for (path, wanted) in cases {
            let wanted = wanted.map(|(cid, uri, token)| (cid.to_owned(), uri.to_owned(), token.to_owned()));
            assert_eq!(of(path), wanted, "{path}");
        }
    }
}
