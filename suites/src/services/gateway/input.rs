//! Hostile input: the server may return success or a 4xx, but never an internal error. The document shows no statuses
//! and no limits for it, so nothing else is asserted. Each check first sends a valid chat, which must have a reply.

use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::requirements::{chat as chats, input as rows};
use assay_spec::gateway::{chat, models};
use serde_json::{Value, json};

use super::auth::inference;
use super::bodies::{self, QUESTION, image, text, with};
use super::chat::{given_chat, good, seen};
use super::given::{Skill, model};
use super::offered;
use super::wire::Call;
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::data::At;
use crate::harness::probe::{Answer, Evidence, Probe};

/// Paths that match no endpoint in any reading.
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

/// The reply of an inference endpoint. The document does not show all of them.
const REPLY: Evidence = Evidence {
    what: "a JSON object other than the request",
    shows: |body| {
        body.as_object().is_some_and(|members| !members.is_empty() && !members.contains_key("messages"))
    },
};

/// Expects a status from 200 to 499.
fn expect_no_internal_error(probe: &Probe<'_>, answer: &Answer<'_>, what: &str) -> Checked {
    let status = answer.status();
    probe.note(format!("{what} returns {status}"));
    answer.expect(
        (200..500).contains(&status),
        At::status(),
        format!("200 to 499 for {what}"),
        status.to_string(),
    )
}

/// Each inference endpoint with a valid body that asks for a whole response.
async fn whole(probe: &Probe<'_>) -> Result<Vec<(&'static Endpoint, Value)>, Stop> {
    let all = inference(&model(probe, Skill::Chat).await?);
    Ok(offered(probe, all).filter(|(_, body)| body["stream"] != true).collect())
}

/// Sends a body with a byte that is not UTF-8 to every inference endpoint. Each must return a status below 500.
#[shows(rows::NOT_UTF8, after(chats::BODY))]
async fn body_that_is_not_utf8_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    for (endpoint, good) in whole(probe).await? {
        Call::post(endpoint, &good).accepted(probe).await?.given_accepted(&[200], REPLY)?;
        let marked = with(good, "/user", json!("caf@ au lait"));
        let bytes: Vec<u8> = marked.to_string().bytes().map(|b| if b == b'@' { 0xe9 } else { b }).collect();
        expect_no_internal_error(probe, &Call::raw(endpoint, bytes).send(probe).await?, "invalid UTF-8")?;
    }
    Ok(())
}

/// Sends bodies without content to every inference endpoint. Each must return a status below 500.
#[shows(rows::EMPTY, after(chats::BODY))]
async fn empty_body_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    given_chat(probe, &good(probe).await?).await?;
    for (endpoint, _) in whole(probe).await? {
        for (what, body) in [("a body without bytes", ""), ("an empty object", "{}"), ("null", "null")] {
            expect_no_internal_error(probe, &Call::raw(endpoint, body).send(probe).await?, what)?;
        }
    }
    Ok(())
}

/// Sends a string with half of a surrogate pair to every inference endpoint. Each must return a status below 500.
#[shows(rows::SURROGATE, after(chats::BODY))]
async fn half_of_a_character_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    given_chat(probe, &good(probe).await?).await?;
    for (endpoint, good) in whole(probe).await? {
        let half = with(good, "/user", json!("@")).to_string().replacen("\"@\"", r#""\ud83d""#, 1);
        let answer = Call::raw(endpoint, half).send(probe).await?;
        expect_no_internal_error(probe, &answer, "half of a surrogate pair")?;
    }
    Ok(())
}

/// Sends bodies nested 100,000 levels deep to every inference endpoint, and valid bodies with a member nested 200 and 1,000
/// levels deep. Each must return a status below 500.
#[shows(rows::DEEP)]
async fn deeply_nested_body_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    const DEPTH: usize = 100_000;
    let id = model(probe, Skill::Chat).await?;
    given_chat(probe, &bodies::chat(&id)).await?;
    let (open, close) = ("[".repeat(DEPTH), "]".repeat(DEPTH));
    let (begin, end) = (r#"{"a":"#.repeat(DEPTH), "}".repeat(DEPTH));
    let name = json!(id);
    for (what, body) in [
        ("a deeply nested body", format!("{open}{close}")),
        ("a deeply nested member", format!(r#"{{"model":{name},"messages":{open}{close}}}"#)),
        ("a deeply nested object", format!(r#"{{"model":{name},"messages":[],"metadata":{begin}1{end}}}"#)),
    ] {
        for (endpoint, _) in whole(probe).await? {
            let answer = Call::raw(endpoint, body.clone()).send(probe).await?;
            expect_no_internal_error(probe, &answer, what)?;
        }
    }
    // Parsers accept some of what servers cannot pass on.
    for depth in [200, 1_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        for (endpoint, good) in whole(probe).await? {
            let body = good.to_string().replacen('{', &format!(r#"{{"metadata":{open}{close},"#), 1);
            let answer = Call::raw(endpoint, body).send(probe).await?;
            expect_no_internal_error(probe, &answer, &format!("a member nested {depth} levels deep"))?;
        }
    }
    Ok(())
}

/// Sends a body of 10 MB to every inference endpoint; on a shared target a chat. Each must return a status below 500.
#[shows(rows::LARGE)]
async fn large_body_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    const BYTES: usize = 10_000_000;
    let good = good(probe).await?;
    given_chat(probe, &good).await?;
    let mut all = vec![(&chat::ENDPOINT, good.clone())];
    if probe.owns_time() {
        all = whole(probe).await?;
    }
    for (endpoint, body) in all {
        // Spaces cost no tokens.
        let padded = body.to_string().replacen('{', &format!("{{{}", " ".repeat(BYTES)), 1);
        let answer = Call::raw(endpoint, padded).send(probe).await?;
        expect_no_internal_error(probe, &answer, "a body with 10 MB of spaces")?;
    }
    if probe.owns_time() {
        let sentence = format!("{QUESTION} ").repeat(BYTES / (QUESTION.len() + 1));
        let call = Call::post(&chat::ENDPOINT, &with(good, "/messages/0/content", sentence.into()));
        expect_no_internal_error(probe, &call.send(probe).await?, "10 MB of words")?;
    }
    Ok(())
}

/// Sends a chat with an unknown `role`. It must return 422 or 200.
#[shows(rows::UNKNOWN_ROLE)]
async fn unknown_role_is_rejected_or_accepted(probe: &Probe<'_>) -> Checked {
    let good = good(probe).await?;
    given_chat(probe, &good).await?;
    let body = with(good, "/messages/0/role", json!("assay-no-such-role"));
    let answer = Call::post(&chat::ENDPOINT, &body).send(probe).await?;
    probe.note(format!("an unknown role returns {}", answer.status()));
    answer.expect_status(&[422, 200])
}

/// The beginning of a PNG file and of a JPEG file.
const CUT_IMAGES: [&str; 2] =
    ["data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAE=", "data:image/jpeg;base64,/9j/4AAQSkZJRg=="];

/// Sends chats with invalid image URLs, and with images that are cut off. Each must return a status below 500.
#[shows(rows::IMAGE_DATA)]
async fn invalid_image_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    let good = seen(probe).await?;
    given_chat(probe, &good).await?;
    for url in ["data:image/png;base64,@@@@", "data:image/png;base64,", "data:,", "no URL"]
        .into_iter()
        .chain(CUT_IMAGES)
    {
        let body = with(good.clone(), "/messages/0/content", json!([text(QUESTION), image(url)]));
        let answer = Call::post(&chat::ENDPOINT, &body).send(probe).await?;
        expect_no_internal_error(probe, &answer, url)?;
    }
    Ok(())
}

/// Sends bodies with huge numbers as `max_tokens` to every inference endpoint. Each must return a status below 500.
#[shows(rows::HUGE_NUMBER)]
async fn huge_number_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    for (endpoint, body) in whole(probe).await? {
        let body = with(body, "/max_tokens", json!(64)).to_string();
        let good = Call::raw(endpoint, body.clone()).accepted(probe).await?;
        good.given_accepted(&[200], REPLY)?;
        for number in ["9".repeat(400), "18446744073709551616".to_owned(), "1e999".to_owned()] {
            let body = body.replacen("\"max_tokens\":64", &format!("\"max_tokens\":{number}"), 1);
            let answer = Call::raw(endpoint, body).send(probe).await?;
            let what: String = number.chars().take(24).collect();
            expect_no_internal_error(probe, &answer, &what)?;
        }
    }
    Ok(())
}

/// Sends requests with malformed and traversing paths. Each must return a status below 500.
#[shows(rows::ODD_PATH)]
async fn malformed_path_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    given_chat(probe, &good(probe).await?).await?;
    for path in PATHS {
        let answer = Call::get(&models::LIST).path(path).send(probe).await?;
        expect_no_internal_error(probe, &answer, path)?;
    }
    Ok(())
}
