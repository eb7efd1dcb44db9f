//! What can be asked for, and requests whose paths go out byte for byte.

use serde_json::Value;

use super::Fixtures;
use crate::check::Stop;
use crate::exchange::Request;
use crate::probe::{Answer, Probe};
use crate::profile::MetadataContract;

/// How many contracts a check looks at.
pub(super) const MOST_CONTRACTS: usize = 4;

const SITE: &str = "metadata";

/// How a contract is addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By the content identifier of its metadata.
    Cid,
    /// By its URI.
    Uri,
}

/// What stands behind a token's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Bare,
    Json,
    Overrides,
}

impl Way {
    pub(super) const BOTH: [Way; 2] = [Way::Cid, Way::Uri];
}

impl Form {
    pub(super) const ALL: [Form; 3] = [Form::Bare, Form::Json, Form::Overrides];

    const fn end(self) -> &'static str {
        match self {
            Form::Bare => "",
            Form::Json => ".json",
            Form::Overrides => "/overrides",
        }
    }
}

impl MetadataContract {
    /// The path of its document.
    pub(super) fn path(&self, way: Way) -> Option<String> {
        match way {
            Way::Cid => self.cid.as_ref().map(|cid| format!("/{cid}")),
            Way::Uri => self.uri_path.as_ref().map(|uri| format!("/{uri}//")),
        }
    }

    /// The path of a token, whatever stands in the place of its id.
    pub(super) fn token_path(&self, way: Way, id: &str, form: Form) -> Option<String> {
        let separator = if way == Way::Cid { "/" } else { "" };
        Some(format!("{}{separator}{id}{}", self.path(way)?, form.end()))
    }

    /// The way in which it is reached, by its content identifier where it has one.
    pub(super) fn way(&self) -> Way {
        if self.cid.is_some() { Way::Cid } else { Way::Uri }
    }

    /// A token of it, one with overrides where one is named.
    pub(super) fn token(&self) -> Option<&str> {
        self.overridden.as_deref().or(self.tokens.first().map(String::as_str))
    }

    /// Its first token, and the one with overrides.
    pub(super) fn some_tokens(&self) -> Vec<&str> {
        let first = self.tokens.first().map(String::as_str);
        let other = self.overridden.as_deref().filter(|other| Some(*other) != first);
        first.into_iter().chain(other).collect()
    }
}

/// What is at the target: what the profile names, else what a control API tells of.
pub(super) async fn fixtures(probe: &Probe<'_>) -> Fixtures {
    let named = &probe.settings.metadata;
    if !named.contracts.is_empty() {
        return named.clone();
    }
    let state = &probe.view("metadata").await;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Fixtures {
        contracts: MetadataContract::from_state(state),
        unknown_token: named.unknown_token.clone().or_else(|| text(&state["unknown_token"])),
        interface_path: named.interface_path.clone().or_else(|| text(&state["interface_path"])),
    }
}

/// The contracts that are addressed in a way, without which nothing can be said.
pub(super) async fn contracts(probe: &Probe<'_>, way: Way) -> Result<Vec<MetadataContract>, Stop> {
    let contracts = fixtures(probe).await.contracts;
    let reached: Vec<_> =
        contracts.into_iter().filter(|one| one.path(way).is_some()).take(MOST_CONTRACTS).collect();
    if reached.is_empty() {
        let member = if way == Way::Cid { "cid" } else { "uri_path" };
        return Err(Stop::NotTestable(format!("needs a contract with `{member}` ([[metadata.contracts]])")));
    }
    Ok(reached)
}

/// Contracts that are addressed in a way and have a token, without which nothing can be said.
pub(super) async fn with_tokens(probe: &Probe<'_>, way: Way) -> Result<Vec<MetadataContract>, Stop> {
    let mut contracts = contracts(probe, way).await?;
    contracts.retain(|one| one.token().is_some());
    if contracts.is_empty() {
        return Err(Stop::NotTestable("needs a contract with `tokens` ([[metadata.contracts]])".to_owned()));
    }
    Ok(contracts)
}

/// Asks for a path below the base URL; it goes out as it stands.
pub(super) async fn get<'p>(probe: &'p Probe<'_>, path: &str) -> Result<Answer<'p>, Stop> {
    probe.send(SITE, Request::new("GET", &format!("{}{path}", probe.prefix(SITE)))).await
}

/// Asks for the path of a fixture, which has one.
pub(super) async fn fetch<'p>(probe: &'p Probe<'_>, path: Option<String>) -> Result<Answer<'p>, Stop> {
    match path {
        Some(path) => get(probe, &path).await,
        None => Err(Stop::Error("a fixture is asked for in a way that it lacks".to_owned())),
    }
}

/// A document that must be there for the check to say anything.
pub(super) async fn document<'p>(probe: &'p Probe<'_>, path: Option<String>) -> Result<Answer<'p>, Stop> {
    let answer = fetch(probe, path).await?;
    answer.given_status(&[200])?;
    probe.given(answer.json().is_object(), "the answer is no JSON object")?;
    Ok(answer)
}

/// Expects 200 and a JSON object.
pub(super) fn expect_document(answer: &Answer<'_>) -> Result<(), Stop> {
    answer.expect_status(&[200])?;
    answer.expect(answer.json().is_object(), "body", "a JSON object", answer.response.text())
}

/// Expects a refusal: any that blames the request, or that says that something could not be fetched.
pub(super) fn expect_unknown(answer: &Answer<'_>) -> Result<(), Stop> {
    let status = answer.status();
    let is_refused = matches!(status, 400..=499 | 502 | 504);
    answer.expect(is_refused, "status", "400 to 499, 502 or 504", status.to_string())
}

/// Another text of the same length.
pub(super) fn another(text: &str) -> String {
    let mut another = text.to_owned();
    let last = another.pop();
    another.push(if last == Some('a') { 'b' } else { 'a' });
    another
}
