//! Unusual input. Other spellings of a body are accepted. With hostile input the server may return success or a 4xx, but never an internal error. The document shows no statuses
//! and no limits for it, so nothing else is asserted. Each check first sends a valid chat, which must have a reply, and after the odd
//! requests another one, which must not fail because of them.

use assay_spec::Place;
use assay_spec::endpoint::Endpoint;
use assay_spec::gateway::requirements::{chat as chats, input as rows, stream};
use assay_spec::gateway::values::{image_part, text_part};
use assay_spec::gateway::{chat, models};
use serde_json::{Value, json};

use super::auth::inference;
use super::bodies::{self, QUESTION, with};
use super::chat::{given_chat, good, seen};
use super::given::{Skill, model};
use super::offered;
use super::stream::expect_streamed;
use super::wire::Call;
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::data::At;
use crate::harness::probe::{Answer, Evidence, Probe};
use crate::support::spelling::spelled_as;

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
pub(super) const REPLY: Evidence = Evidence {
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

/// An odd body: what it is, and its bytes.
type Odd = (String, Vec<u8>);

/// Sends the odd bodies that are made of each valid one, and then a valid chat. None may return an internal error.
async fn survives(
    probe: &Probe<'_>,
    valid: Vec<(&'static Endpoint, Value)>,
    odd: impl Fn(&Value) -> Vec<Odd>,
) -> Checked {
    for (endpoint, valid) in valid {
        for (what, body) in odd(&valid) {
            let answer = Call::raw(endpoint, body).send(probe).await?;
            expect_no_internal_error(probe, &answer, &what)?;
        }
    }
    serves_the_next(probe).await
}

/// Sends a valid chat after odd requests. It must not return an internal error.
async fn serves_the_next(probe: &Probe<'_>) -> Checked {
    let answer = Call::post(&chat::ENDPOINT, &good(probe).await?).accepted_anew(probe).await?;
    expect_no_internal_error(probe, &answer, "a valid chat after them")
}

/// What a body has in place of its text, until bytes replace it.
const MARK: &str = "assay-odd";

/// A body with these bytes in the text that the model reads, and in a member that it does not read.
fn marked(valid: &Value, bytes: &[u8]) -> Vec<u8> {
    let mut body = with(valid.clone(), "/user", json!(MARK));
    for place in ["/messages/0/content", "/prompt", "/input"] {
        body.pointer_mut(place).into_iter().for_each(|text| *text = json!(MARK));
    }
    let text = body.to_string();
    text.split(MARK).map(str::as_bytes).collect::<Vec<_>>().join(bytes)
}

/// Sends a valid body to each inference endpoint in other spellings of its JSON: members in another order, white space, escapes that
/// need not be. Each must be accepted, and a chat that asks for a stream must get one.
#[shows(rows::SPELLING, uses_up, after(chats::BODY, stream::EVENT_STREAM, stream::CHUNKS))]
async fn other_spellings_of_a_body_are_accepted(probe: &Probe<'_>, place: Place) -> Checked {
    let id = model(probe, Skill::Chat).await?;
    // Of a chat, the request for a stream.
    let of_place =
        offered(probe, inference(&id)).filter(|(endpoint, _)| endpoint.name == place.endpoint).last();
    let Some((endpoint, body)) = of_place else {
        return Err(Stop::NotApplicable("the target does not offer this endpoint".to_owned()));
    };
    let send = async |spelling| {
        let answer = Call::raw(endpoint, spelled_as(&body, spelling, "")).accepted(probe).await?;
        if answer.is_malformed() {
            Call::post(endpoint, &body).accepted(probe).await?.given_status(&[200])?;
        }
        Ok(answer)
    };
    let is_streamed = body["stream"] == true;
    let judge = |answer: &Answer<'_>| {
        if is_streamed { expect_streamed(probe, answer) } else { answer.expect_accepted(&[200], REPLY) }
    };
    probe.each_value(send, |answer, _| judge(answer)).await
}

/// Sends a body with a byte that is not UTF-8 to every inference endpoint. Each must return a status below 500.
#[shows(rows::NOT_UTF8, after(chats::BODY))]
async fn body_that_is_not_utf8_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    let valid = whole(probe).await?;
    for (endpoint, body) in &valid {
        Call::post(endpoint, body).accepted(probe).await?.given_accepted(&[200], REPLY)?;
    }
    survives(probe, valid, |valid| vec![("invalid UTF-8".to_owned(), marked(valid, b"caf\xe9"))]).await
}

/// Sends bodies without content to every inference endpoint, and bodies whose conversation or prompt has none. Each must return a
/// status below 500.
#[shows(rows::EMPTY, after(chats::BODY))]
async fn empty_body_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    given_chat(probe, &good(probe).await?).await?;
    survives(probe, whole(probe).await?, |valid| {
        let mut odd: Vec<Odd> = [("a body without bytes", ""), ("an empty object", "{}"), ("null", "null")]
            .map(|(what, body)| (what.to_owned(), body.into()))
            .into();
        for (place, empty) in [
            ("/messages", json!([])),
            ("/messages/0/content", json!([])),
            ("/messages/0/content", json!("")),
            ("/prompt", json!("")),
            ("/input", json!("")),
        ] {
            if valid.pointer(place).is_some() {
                let body = with(valid.clone(), place, empty.clone());
                odd.push((format!("{empty} at {place}"), body.to_string().into()));
            }
        }
        odd
    })
    .await
}

/// Sends a string with half of a surrogate pair, and one with the character zero, to every inference endpoint. Each must return a
/// status below 500.
#[shows(rows::SURROGATE, after(chats::BODY))]
async fn half_of_a_character_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    given_chat(probe, &good(probe).await?).await?;
    survives(probe, whole(probe).await?, |valid| {
        [("half of a surrogate pair", r"\ud83d"), ("the character zero", r"\u0000")]
            .map(|(what, escape)| (what.to_owned(), marked(valid, escape.as_bytes())))
            .into()
    })
    .await
}

/// `inner` in this many pairs of `open` and `close`.
fn nested(depth: usize, [open, close]: [&str; 2], inner: &str) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

/// Sends bodies nested 100,000 levels deep to every inference endpoint, and valid bodies with a member nested 200 and 1,000
/// levels deep; to the chat also with the schema of a tool that is nested 50, 200 and 1,000 levels deep. Each must return a status
/// below 500.
#[shows(rows::DEEP)]
async fn deeply_nested_body_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    const DEPTH: usize = 100_000;
    const ARRAYS: [&str; 2] = ["[", "]"];
    const SCHEMAS: [&str; 2] = [r#"{"type":"object","properties":{"a":"#, "}}"];
    let id = model(probe, Skill::Chat).await?;
    given_chat(probe, &bodies::chat(&id)).await?;
    let (arrays, objects) = (nested(DEPTH, ARRAYS, ""), nested(DEPTH, [r#"{"a":"#, "}"], "1"));
    let name = json!(id);
    let deep = [
        ("a deeply nested body", arrays.clone()),
        ("a deeply nested member", format!(r#"{{"model":{name},"messages":{arrays}}}"#)),
        ("a deeply nested object", format!(r#"{{"model":{name},"messages":[],"metadata":{objects}}}"#)),
    ];
    survives(probe, whole(probe).await?, |valid| {
        let mut odd: Vec<Odd> =
            deep.iter().map(|(what, body)| ((*what).to_owned(), body.clone().into())).collect();
        let is_chat = valid["messages"].is_array() && valid["max_tokens"].is_null();
        // Parsers accept some of what servers cannot pass on.
        for depth in [50, 200, 1_000] {
            // A schema has two levels for each of its own.
            let schema = nested(depth / 2, SCHEMAS, "{}");
            let function = format!(r#"{{"name":"read","parameters":{schema}}}"#);
            let tools = format!(r#""tools":[{{"type":"function","function":{function}}}],"#);
            let more = if is_chat { tools } else { format!(r#""metadata":{},"#, nested(depth, ARRAYS, "")) };
            if is_chat || depth > 50 {
                let body = valid.to_string().replacen('{', &format!("{{{more}"), 1);
                odd.push((format!("a member nested {depth} levels deep"), body.into()));
            }
        }
        odd
    })
    .await
}

/// Sends a body of 10 MB to every inference endpoint; on a shared target a chat. Each must return a status below 500.
#[shows(rows::LARGE)]
async fn large_body_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    const BYTES: usize = 10_000_000;
    let good = good(probe).await?;
    given_chat(probe, &good).await?;
    let all = if probe.owns_time() { whole(probe).await? } else { vec![(&chat::ENDPOINT, good.clone())] };
    survives(probe, all, |valid| {
        // Spaces cost no tokens.
        let padded = valid.to_string().replacen('{', &format!("{{{}", " ".repeat(BYTES)), 1);
        vec![("a body with 10 MB of spaces".to_owned(), padded.into())]
    })
    .await?;
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
    answer.expect_status(&[422, 200])?;
    serves_the_next(probe).await
}

/// URLs without an image, and the beginnings of a PNG file and of a JPEG file.
const IMAGES: [&str; 6] = [
    "data:image/png;base64,@@@@",
    "data:image/png;base64,",
    "data:,",
    "no URL",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAE=",
    "data:image/jpeg;base64,/9j/4AAQSkZJRg==",
];

/// Sends chats with invalid image URLs, and with images that are cut off. Each must return a status below 500.
#[shows(rows::IMAGE_DATA)]
async fn invalid_image_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    let good = seen(probe).await?;
    given_chat(probe, &good).await?;
    survives(probe, vec![(&chat::ENDPOINT, good)], |valid| {
        let about =
            |url| with(valid.clone(), "/messages/0/content", json!([text_part(QUESTION), image_part(url)]));
        IMAGES.map(|url| (url.to_owned(), about(url).to_string().into())).into()
    })
    .await
}

/// Sends bodies with huge numbers as `max_tokens`, and with NaN, to every inference endpoint. Each must return a status below 500.
#[shows(rows::HUGE_NUMBER)]
async fn huge_number_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    let valid = whole(probe).await?.into_iter();
    let valid: Vec<_> =
        valid.map(|(endpoint, body)| (endpoint, with(body, "/max_tokens", json!(64)))).collect();
    for (endpoint, body) in &valid {
        Call::post(endpoint, body).accepted(probe).await?.given_accepted(&[200], REPLY)?;
    }
    let digits = "9".repeat(400);
    survives(probe, valid, |valid| {
        let with_number = |number: &str| {
            let what: String = number.chars().take(24).collect();
            let body =
                valid.to_string().replacen("\"max_tokens\":64", &format!("\"max_tokens\":{number}"), 1);
            (what, body.into())
        };
        [&digits, "18446744073709551616", "1e999", "NaN"].map(with_number).into()
    })
    .await
}

/// Sends requests with malformed and traversing paths. Each must return a status below 500.
#[shows(rows::ODD_PATH)]
async fn malformed_path_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    given_chat(probe, &good(probe).await?).await?;
    for path in PATHS {
        let answer = Call::get(&models::LIST).path(path).send(probe).await?;
        expect_no_internal_error(probe, &answer, path)?;
    }
    serves_the_next(probe).await
}
