//! What the document promises of any drop. A drop has no fixtures.

use assay_spec::drop::upload;

use crate::exchange::Response;
use crate::survey::{Found, Place, Survey, WrongFixture, shown};

/// Reads the path of uploads, which accepts only POST; if that is not found, posts nothing to it, which returns 400.
pub(crate) async fn recognise(at: Place<'_>) -> Result<Found, String> {
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
pub(crate) async fn discover(_: Place<'_>, _: &mut Found, _: &[String]) {}

/// There are no fixtures.
#[expect(clippy::unused_async, reason = "services have one form")]
pub(crate) async fn wrong_fixtures(_: &Survey<'_>, _: usize) -> Vec<WrongFixture> {
    Vec::new()
}

/// Whether a response to GET shows that the path exists and accepts POST.
fn takes_post(answer: &Response) -> bool {
    let names_post = |methods: &str| methods.split(',').any(|method| method.trim() == "POST");
    answer.status == 405 && answer.header("allow").is_none_or(names_post)
}
