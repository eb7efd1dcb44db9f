//! An application has no page that the document promises, so nothing identifies it. Its owner is a fixture: the node
//! must have messages of that address.

use crate::harness::survey::{Asked, Found, Survey, WrongFixture, shown};
use crate::services::network::path_with;

pub(crate) async fn recognise(at: Asked<'_>) -> Result<Found, String> {
    let mut found = Found::default();
    let answer = at.get("/").await?;
    found.saw(&answer, false);
    let kind =
        answer.header("content-type").map(|kind| format!(" {}", shown(&at.survey.settings.secrets, kind)));
    found.notes.push(format!("GET / returned {}{}", answer.status, kind.unwrap_or_default()));
    Ok(found)
}

/// There is nothing to find.
#[expect(clippy::unused_async, reason = "services have one form")]
pub(crate) async fn discover(_: Asked<'_>, _: &mut Found, _: &[String]) {}

pub(crate) async fn wrong_fixtures(survey: &Survey<'_>, _: usize) -> Vec<WrongFixture> {
    let (Some(at), Some(owner)) = (survey.at("network"), survey.settings.hosting().owner) else {
        return Vec::new();
    };
    let owner = owner.to_string();
    let path = path_with("/api/v0/messages", &[("addresses", owner.as_str()), ("limit", "1")]);
    let aggregates = format!("/api/v0/aggregates/{owner}.json");
    let (Ok(listed), Ok(kept)) = (at.get(&path).await, at.get(&aggregates).await) else { return Vec::new() };
    let messages = listed.json().unwrap_or_default()["messages"].take();
    if listed.status != 200 || !messages.as_array().is_some_and(Vec::is_empty) || kept.status != 404 {
        return Vec::new();
    }
    let what = format!("GET {path} returned no message, and GET {aggregates} returned 404");
    vec![WrongFixture::new(OWNER, what, "name the owner of records on this node")]
}

/// The key of the owner: its own, or the wallet's.
pub(super) const OWNER: &str = "hosting.owner";
