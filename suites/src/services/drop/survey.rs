//! What the document promises of any drop, and one question for the instance that has paused drops.

use assay_spec::drop::upload;

use super::PAUSED;
use crate::harness::survey::{Asked, Found, Likeness, Survey, WrongFixture, shown};
use crate::http::exchange::Response;

/// Reads the path of uploads, which accepts only POST; if that is not found, posts nothing to it, which returns 400.
pub(crate) async fn recognise(at: Asked<'_>) -> Result<Found, String> {
    let mut found = Found::default();
    let path = upload::ENDPOINT.path;
    let answer = at.get(path).await?;
    let takes_post = takes_post(&answer);
    found.saw(&answer, takes_post);
    let kind =
        answer.header("content-type").map(|kind| format!(" {}", shown(&at.survey.settings.secrets, kind)));
    let seen = if takes_post { ", POST is allowed" } else { "" };
    found.notes.push(format!("GET {path} returned {}{}{seen}", answer.status, kind.unwrap_or_default()));
    if answer.status == 404
        && let Ok(answer) = at.post(path, "").await
    {
        found.saw(&answer, answer.status == 400);
        found.notes.push(format!("POST {path} without an artifact returned {}", answer.status));
    }
    Ok(found)
}

/// There is nothing to find.
#[expect(clippy::unused_async, reason = "services have one form")]
pub(crate) async fn discover(_: Asked<'_>, _: &mut Found, _: &[String]) {}

/// Whether the paused instance is a drop. Only an upload shows whether it is paused.
pub(crate) async fn wrong_fixtures(survey: &Survey<'_>, _: usize) -> Vec<WrongFixture> {
    let Some(at) = survey.at(PAUSED) else { return Vec::new() };
    let seen = recognise(at).await;
    let what = match seen {
        Ok(found) if found.likeness > Likeness::Unlike => return Vec::new(),
        Ok(found) => found.notes.join(", "),
        Err(why) => why,
    };
    vec![WrongFixture::new("drop.paused_url", what, "correct the URL, or remove the key")]
}

/// Whether a response to GET shows that the path exists and accepts POST.
fn takes_post(answer: &Response) -> bool {
    let names_post = |methods: &str| methods.split(',').any(|method| method.trim() == "POST");
    answer.status == 405 && answer.header("allow").is_none_or(names_post)
}
