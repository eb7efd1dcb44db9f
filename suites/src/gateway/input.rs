//! Bad input: an error of the client's kind or an answer, and never an internal error. What it is and where the limits
//! deviation is not shown, so that is all.

use assay_spec::gateway::requirements::{chat as chats, input as rows};
use assay_spec::gateway::{chat, messages, models};
use serde_json::json;

use super::bodies::{self, QUESTION, image, text, with};
use super::chat::{good, seen};
use super::given::{Skill, model};
use super::wire::Call;
use crate::check::{Check, Checked};
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::NOT_UTF8, what_is_no_utf8_is_refused).costs(2, 0, 0).after(const { &[&chats::BODY] }),
    shows!(rows::DEEP, a_deep_body_does_no_harm).costs(3, 0, 0).sends(1_101_000),
    shows!(rows::LARGE, a_large_body_does_no_harm).costs(2, 0, 0).sends(22_001_000),
    shows!(rows::UNKNOWN_ROLE, an_unknown_role_is_refused_or_answered).costs(1, 0, 0),
    shows!(rows::IMAGE_DATA, an_image_that_is_none_does_no_harm).costs(4, 0, 0),
    shows!(rows::HUGE_NUMBER, a_huge_number_does_no_harm).costs(3, 0, 0),
    shows!(rows::ODD_PATH, an_odd_path_does_no_harm).costs(PATHS.len() as u32, 0, 0),
];

/// Paths that lead nowhere, however they are read.
const PATHS: &[&str] = &[
    "/%00",
    "/v1/models%00.json",
    "/v1%2fassay%2fnone",
    "/svc%2F..%2F..%2Fetc%2Fpasswd",
    "/v1/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/v1/../../assay/none",
    "/v1//assay//none",
    "/v1/assay-none/%ff%fe",
    "/v1/%",
    "/v1/%zz",
];

/// Expects no internal error.
fn expect_no_harm(probe: &Probe<'_>, answer: &Answer<'_>, what: &str) -> Checked {
    let status = answer.status();
    probe.note(format!("{what} is answered by {status}"));
    answer.expect((200..500).contains(&status), "status", format!("below 500 for {what}"), status.to_string())
}

async fn what_is_no_utf8_is_refused(probe: &Probe<'_>) -> Checked {
    let good = good(probe).await?;
    Call::post(&chat::ENDPOINT, &good).accepted(probe).await?.counterpart_status(&[200])?;
    let marked = with(good, "/messages/0/content", json!("caf@ au lait"));
    let bytes: Vec<u8> = marked.to_string().bytes().map(|b| if b == b'@' { 0xe9 } else { b }).collect();
    Call::raw(&chat::ENDPOINT, bytes).send(probe).await?.expect_status(&[422, 400])
}

async fn a_deep_body_does_no_harm(probe: &Probe<'_>) -> Checked {
    const DEPTH: usize = 100_000;
    let id = model(probe, Skill::Chat).await?;
    let (open, close) = ("[".repeat(DEPTH), "]".repeat(DEPTH));
    let (begin, end) = (r#"{"a":"#.repeat(DEPTH), "}".repeat(DEPTH));
    let name = json!(id);
    for (what, body) in [
        ("a deep body", format!("{open}{close}")),
        ("a deep member", format!(r#"{{"model":{name},"messages":{open}{close}}}"#)),
        ("a deep object", format!(r#"{{"model":{name},"messages":[],"metadata":{begin}1{end}}}"#)),
    ] {
        let answer = Call::raw(&chat::ENDPOINT, body).send(probe).await?;
        expect_no_harm(probe, &answer, what)?;
    }
    Ok(())
}

async fn a_large_body_does_no_harm(probe: &Probe<'_>) -> Checked {
    const BYTES: usize = 10_000_000;
    let good = good(probe).await?;
    // Blanks cost nobody a token.
    let padded = good.to_string().replacen('{', &format!("{{{}", " ".repeat(BYTES)), 1);
    let answer = Call::raw(&chat::ENDPOINT, padded).send(probe).await?;
    expect_no_harm(probe, &answer, "a body of 10 MB of blanks")?;
    if probe.owns_time() {
        let sentence = format!("{QUESTION} ").repeat(BYTES / (QUESTION.len() + 1));
        let body = with(good, "/messages/0/content", json!(sentence));
        let answer = Call::post(&chat::ENDPOINT, &body).send(probe).await?;
        expect_no_harm(probe, &answer, "10 MB of words")?;
    }
    Ok(())
}

async fn an_unknown_role_is_refused_or_answered(probe: &Probe<'_>) -> Checked {
    let body = with(good(probe).await?, "/messages/0/role", json!("assay-no-such-role"));
    let answer = Call::post(&chat::ENDPOINT, &body).send(probe).await?;
    probe.note(format!("an unknown role is answered by {}", answer.status()));
    answer.expect_status(&[422, 200])
}

async fn an_image_that_is_none_does_no_harm(probe: &Probe<'_>) -> Checked {
    let good = seen(probe).await?;
    for url in ["data:image/png;base64,@@@@", "data:image/png;base64,", "data:,", "no URL"] {
        let body = with(good.clone(), "/messages/0/content", json!([text(QUESTION), image(url)]));
        let answer = Call::post(&chat::ENDPOINT, &body).send(probe).await?;
        expect_no_harm(probe, &answer, url)?;
    }
    Ok(())
}

async fn a_huge_number_does_no_harm(probe: &Probe<'_>) -> Checked {
    let id = model(probe, Skill::Chat).await?;
    let body = bodies::messages(&id).to_string();
    for number in ["9".repeat(400), "18446744073709551616".to_owned(), "1e999".to_owned()] {
        let body = body.replacen("\"max_tokens\":64", &format!("\"max_tokens\":{number}"), 1);
        let answer = Call::raw(&messages::ENDPOINT, body).send(probe).await?;
        let what: String = number.chars().take(24).collect();
        expect_no_harm(probe, &answer, &what)?;
    }
    Ok(())
}

async fn an_odd_path_does_no_harm(probe: &Probe<'_>) -> Checked {
    for path in PATHS {
        let answer = Call::get(&models::LIST).path(path).send(probe).await?;
        expect_no_harm(probe, &answer, path)?;
    }
    Ok(())
}
