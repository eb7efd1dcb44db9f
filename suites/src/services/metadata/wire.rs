//! Fixtures, and requests whose paths are sent byte for byte.

use assay_spec::Place;
use serde_json::{Map, Value};

use super::Fixtures;
use crate::harness::check::Stop;
use crate::harness::data::At;
use crate::harness::probe::{Answer, Evidence, Probe};
use crate::http::client::Limits;
use crate::http::exchange::Request;
use crate::profile::MetadataContract;
use crate::support::draw::drawn;

/// How many contracts a check tests at most.
pub(super) const MOST_CONTRACTS: usize = 4;

/// How many tokens of a contract a run reads at most, at a target that others use too.
pub(super) const MOST_TOKENS: usize = 5;

const SITE: &str = "metadata";

/// How a contract is addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By the content identifier of its metadata.
    Cid,
    /// By its URI.
    Uri,
}

/// The end of a path after the token id.
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
    const fn end(self) -> &'static str {
        match self {
            Form::Bare => "",
            Form::Json => ".json",
            Form::Overrides => "/overrides",
        }
    }
}

/// What a place of the service names: how the contract is addressed, and for a token the end of its path.
pub(super) fn parts(place: Place) -> (Way, Option<Form>) {
    let way = if place.endpoint.contains("by-uri") { Way::Uri } else { Way::Cid };
    let form = match place.endpoint {
        name if name.starts_with("contract") => None,
        name if name.starts_with("overrides") => Some(Form::Overrides),
        name if name.ends_with("json") => Some(Form::Json),
        _ => Some(Form::Bare),
    };
    (way, form)
}

/// The contracts that a check can use at a place.
pub(super) async fn contracts_at(probe: &Probe<'_>, place: Place) -> Result<Vec<MetadataContract>, Stop> {
    match parts(place) {
        (way, None) => contracts(probe, way).await,
        (way, Some(_)) => with_tokens(probe, way).await,
    }
}

impl MetadataContract {
    /// The path at a place, for this token if it has one.
    pub(super) fn path_at(&self, place: Place, id: &str) -> Option<String> {
        match parts(place) {
            (way, None) => self.path(way),
            (way, Some(form)) => self.token_path(way, id, form),
        }
    }

    /// The path of the contract's document.
    pub(super) fn path(&self, way: Way) -> Option<String> {
        match way {
            Way::Cid => self.cid.as_ref().map(|cid| format!("/{cid}")),
            Way::Uri => self.uri_path.as_ref().map(|uri| format!("/{uri}//")),
        }
    }

    /// The path of a token; `id` may be any string.
    pub(super) fn token_path(&self, way: Way, id: &str, form: Form) -> Option<String> {
        let separator = if way == Way::Cid { "/" } else { "" };
        Some(format!("{}{separator}{id}{}", self.path(way)?, form.end()))
    }

    /// How the contract is addressed: by content identifier if it has one.
    pub(super) fn way(&self) -> Way {
        if self.cid.is_some() { Way::Cid } else { Way::Uri }
    }

    /// A token of the contract, preferably one with overrides.
    pub(super) fn token(&self) -> Option<&str> {
        self.overridden.as_deref().or(self.tokens.first().map(String::as_str))
    }

    /// The tokens that a check reads: in a world of its own two, elsewhere as many as a run reads.
    pub(super) fn tokens_of(&self, probe: &Probe<'_>) -> Vec<&str> {
        let most = if probe.owns_time() { 0 } else { MOST_TOKENS };
        self.some_tokens(probe.settings.seed, most)
    }

    /// The contract's first token and the one with overrides; of the others the seed draws, up to `most` in all.
    pub(super) fn some_tokens(&self, seed: u64, most: usize) -> Vec<&str> {
        let first = self.tokens.first().map(String::as_str);
        let other = self.overridden.as_deref().filter(|other| Some(*other) != first);
        let mut tokens: Vec<&str> = first.into_iter().chain(other).collect();
        let others: Vec<&str> =
            self.tokens.iter().map(String::as_str).filter(|id| !tokens.contains(id)).collect();
        tokens.extend(drawn(seed, others, most.saturating_sub(tokens.len()), |id| (*id).to_owned()));
        tokens
    }

    /// How many tokens the profile names.
    pub(super) fn token_count(&self) -> usize {
        let is_another = |id: &&String| !self.tokens.contains(*id);
        self.tokens.len() + self.overridden.iter().filter(is_another).count()
    }
}

/// The fixtures: from the profile, otherwise from the control API.
pub(super) async fn fixtures(probe: &Probe<'_>) -> Fixtures {
    let named = probe.settings.metadata();
    if !named.contracts.is_empty() {
        return named.clone();
    }
    let state = &probe.view("metadata").await;
    let string = |value: &Value| value.as_str().map(str::to_owned);
    Fixtures {
        contracts: MetadataContract::from_state(state),
        unknown_token: named.unknown_token.clone().or_else(|| string(&state["unknown_token"])),
        interface_path: named.interface_path.clone().or_else(|| string(&state["interface_path"])),
    }
}

/// How many of the profile's contracts and tokens a run reads, where it does not read all.
pub(super) fn remarks(fixtures: &Fixtures) -> Vec<String> {
    let of_way = |way| {
        let all = fixtures.contracts.iter().filter(|one| one.path(way).is_some()).count();
        (all > MOST_CONTRACTS).then(|| {
            let by = if way == Way::Cid { "cid" } else { "uri_path" };
            format!(
                "metadata: {MOST_CONTRACTS} of {all} contracts with `{by}` were read; the seed draws them"
            )
        })
    };
    let of_contract = |contract: &MetadataContract| {
        let all = contract.token_count();
        let path = contract.path(contract.way()).unwrap_or_default();
        (all > MOST_TOKENS).then(|| {
            format!("metadata: {MOST_TOKENS} of {all} tokens of {path} were read; the seed draws them")
        })
    };
    let contracts = Way::BOTH.into_iter().filter_map(of_way);
    contracts.chain(fixtures.contracts.iter().filter_map(of_contract)).collect()
}

/// The contracts that can be addressed this way. Without any, the check is not testable.
pub(super) async fn contracts(probe: &Probe<'_>, way: Way) -> Result<Vec<MetadataContract>, Stop> {
    let contracts = fixtures(probe).await.contracts;
    let mut reached: Vec<_> = contracts.into_iter().filter(|one| one.path(way).is_some()).collect();
    if probe.owns_time() {
        reached.truncate(MOST_CONTRACTS);
    }
    let name = |one: &MetadataContract| one.path(way).unwrap_or_default();
    let reached = drawn(probe.settings.seed, reached, MOST_CONTRACTS, name);
    if reached.is_empty() {
        probe.rest_on("metadata.contracts")?;
        let member = if way == Way::Cid { "cid" } else { "uri_path" };
        return Err(Stop::NotTestable(format!("needs a contract with `{member}` ([[metadata.contracts]])")));
    }
    Ok(reached)
}

/// The contracts that can be addressed this way and have a token. Without any, the check is not testable.
pub(super) async fn with_tokens(probe: &Probe<'_>, way: Way) -> Result<Vec<MetadataContract>, Stop> {
    let mut contracts = contracts(probe, way).await?;
    contracts.retain(|one| one.token().is_some());
    if contracts.is_empty() {
        return Err(Stop::NotTestable("needs a contract with `tokens` ([[metadata.contracts]])".to_owned()));
    }
    Ok(contracts)
}

/// Fetches a path below the base URL, once for all checks of a run; the path is sent unchanged.
pub(super) async fn get<'p>(probe: &'p Probe<'_>, path: &str) -> Result<Answer<'p>, Stop> {
    let request = Request::new("GET", &format!("{}{path}", probe.prefix(SITE)));
    probe.send_shared(SITE, request, Limits::default()).await
}

/// Fetches the path of a fixture.
pub(super) async fn fetch<'p>(probe: &'p Probe<'_>, path: Option<String>) -> Result<Answer<'p>, Stop> {
    match path {
        Some(path) => get(probe, &path).await,
        None => Err(Stop::Error("a check asked for a fixture path that does not exist".to_owned())),
    }
}

/// Fetches a document. If it is not there, the check is inconclusive.
pub(super) async fn document<'p>(probe: &'p Probe<'_>, path: Option<String>) -> Result<Answer<'p>, Stop> {
    let answer = fetch(probe, path).await?;
    answer.given_status(&[200])?;
    probe.given(answer.json().is_object(), "the body is not a JSON object")?;
    Ok(answer)
}

/// A document: every contract and token has a name.
pub(super) const NAMED: Evidence =
    Evidence { what: "a string `name`", shows: |body| body["name"].is_string() };

/// Expects 200 and a JSON object. Without a name the check is inconclusive; another check judges that.
pub(super) fn expect_document(answer: &Answer<'_>) -> Result<(), Stop> {
    answer.expect_status(&[200])?;
    answer.expect(answer.json().is_object(), "body", "a JSON object", answer.response.text())?;
    answer.given_accepted(&[200], NAMED)
}

/// Expects the members that tell a document from others.
pub(super) fn expect_own(answer: &Answer<'_>, members: &Map<String, Value>) -> Result<(), Stop> {
    for (name, value) in members {
        answer.expect_json(&format!("/{name}"), &format!("{value}"), |shown| shown == value)?;
    }
    Ok(())
}

/// Notes which documents are alike, where no member is known that tells them apart.
pub(super) fn note_alike(probe: &Probe<'_>, read: &[(String, Value)]) {
    for (at, (path, document)) in read.iter().enumerate() {
        if let Some((other, _)) = read[..at].iter().find(|(_, earlier)| earlier == document) {
            probe.note(format!(
                "{other} and {path} have equal documents; `document` and `token_documents` of \
                 [[metadata.contracts]] can name a member that tells them apart"
            ));
        }
    }
}

/// Expects a 4xx, or a 502 or 504: the service may have to fetch the document.
pub(super) fn expect_unknown(answer: &Answer<'_>) -> Result<(), Stop> {
    let status = answer.status();
    let is_rejected = matches!(status, 400..=499 | 502 | 504);
    answer.expect(is_rejected, At::status(), "400 to 499, 502 or 504", status.to_string())
}

/// A different string of the same length. The last character of a content identifier has spare bits, so that `a` and `b` may
/// be read as the same one.
pub(super) fn another(text: &str) -> String {
    let mut another = text.to_owned();
    let last = another.pop();
    another.push(if last == Some('a') { 'e' } else { 'a' });
    another
}
