//! Rules of both endpoints: error bodies, body size, limits, and the roles of the answering node.

use std::time::Duration;

use assay_spec::Place;
use assay_spec::publish::places::PUB;
use assay_spec::publish::requirements::{exchange as rows, prepare as prepares, submit as submits};
use serde_json::{Value, json};

use super::refusals;
use super::scene::{Knock, Scene};
use super::wire::Draft;
use super::{NO_ID, PREPARE, PREPARED, SUBMIT, caller, knock, prepare, publish_body};
use crate::check::{Check, Checked, Need};
use crate::probe::{Answer, Probe};
use crate::refuses;

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::ERROR_JSON, each errors_are_json_with_a_string, refusals::ERRORS).posts(16, 4, 4),
    refuses!(rows::BODY_LIMIT, each body_over_64_kib_is_rejected_in_plain_text, refusals::TOO_LARGE)
        .posts(6, 1, 2)
        .sends(288_000),
    refuses!(rows::DAILY_LIMIT, publish_31_of_a_day_is_rejected, refusals::LIMITED)
        .costs(61, 31, 1)
        .elsewhere(62)
        .writes(61)
        .needs(&[Need::Clock, Need::Isolation])
        .after(const { &[&submits::LANDS, &submits::LOCK_FREED, &prepares::PREPARE_ID] }),
    refuses!(rows::DAILY_WINDOW, daily_limit_ends_after_24_hours, refusals::DAY)
        .costs(32, 33, 1)
        .elsewhere(33)
        .writes(32)
        .needs(&[Need::Clock, Need::Isolation])
        .after(const { &[&rows::DAILY_LIMIT, &prepares::PREPARE_ID] }),
    refuses!(rows::RATE_PER_IP, too_many_requests_per_minute_are_rejected, refusals::LIMITED)
        .costs(32, 0, 1)
        .elsewhere(64)
        .writes(32)
        .needs(&[Need::Clock, Need::Isolation]),
    refuses!(rows::STANDBY, each standby_returns_not_primary, refusals::NO_WRITES)
        .posts(4, 0, 2)
        .needs(&[Need::Faults]),
    refuses!(rows::PASSIVE, each passive_backend_returns_its_error, refusals::NO_WRITES)
        .posts(4, 0, 2)
        .needs(&[Need::Faults]),
];

/// Whether a media type is JSON: `application/json`, or one that ends in `+json`. Letter case and parameters are ignored.
fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json")
}

fn expect_json_error(answer: &Answer<'_>) -> Checked {
    let kind = answer.response.header("content-type").unwrap_or("none").to_owned();
    answer.expect(
        is_json(&kind),
        "header content-type",
        "application/json, or another media type of JSON",
        kind,
    )?;
    let non_empty = |value: &Value| value.as_str().is_some_and(|error| !error.is_empty());
    answer.expect_json("/error", "a non-empty string", non_empty).map(drop)
}

/// Provokes errors: at a prepare a 400 and a 409, at a submit a 410 (or a 400) and a 400. Each must be JSON with a non-empty
/// string in `error`; its media type is `application/json` or ends in `+json`.
async fn errors_are_json_with_a_string(probe: &Probe<'_>, place: Place) -> Checked {
    let knock = Knock::at(probe, place).await?;
    let first = knock.send(probe, |_| {}).await?;
    first.counterpart_status(knock.statuses)?;
    expect_json_error(&first)?;
    if knock.path == SUBMIT {
        let body = knock.scene.said(json!({ "prepareId": NO_ID })).to_string();
        let malformed = Knock { body, ..knock }.send(probe, |_| {}).await?;
        malformed.given_status(&[400])?;
        return expect_json_error(&malformed);
    }
    let scene = Scene::at(probe, place).await?;
    scene.prepare(probe).await?.given_status(&[200])?;
    let locked = scene.prepare(probe).await?;
    locked.given_status(&[409])?;
    expect_json_error(&locked)
}

/// Sends a body of 66 KiB. It must return 413 with the plain text `Payload Too Large`; a body of 60 KiB must not return
/// 413.
async fn body_over_64_kib_is_rejected_in_plain_text(probe: &Probe<'_>, place: Place) -> Checked {
    let knock = Knock::at(probe, place.op(PUB)).await?;
    let is_prepare = knock.path == PREPARE;
    knock.counterpart(probe).await?;
    // A prepare that fits succeeds.
    let scene = if is_prepare { Scene::at(probe, place).await? } else { knock.scene.clone() };
    let body = if is_prepare { scene.body.to_string() } else { knock.body.clone() };
    let (path, statuses): (_, &[u16]) = (knock.path, if is_prepare { &[200] } else { knock.statuses });
    // Whitespace after the JSON changes nothing but the size.
    let sized = async |size: usize| {
        let padded = format!("{body}{}", " ".repeat(size - body.len()));
        Draft::new(probe, &scene.caller, path, padded).await?.send(probe).await
    };
    let large = sized(66 * 1024).await?;
    large.expect_refused()?;
    let text = large.response.text();
    large.expect(text.trim_end() == "Payload Too Large", "body", "Payload Too Large", text)?;
    let fits = sized(60 * 1024).await?;
    fits.expect(fits.status() != 413, "status of 60 KiB", "not 413", "413")?;
    fits.given_status(statuses)
}

/// Publishes 30 times for one domain, which must succeed. The next prepare must return 429.
async fn publish_31_of_a_day_is_rejected(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    for n in 0..30 {
        if n == 1 {
            probe.counterpart(true, "the first publish was rejected")?;
        }
        let prepared = prepare(probe, &caller, &publish_body(&caller)).await?;
        if n < 2 {
            prepared.given_status(&[200])?;
        }
        prepared.expect(
            prepared.status() == 200,
            &format!("status of publish {}", n + 1),
            "200",
            prepared.status().to_string(),
        )?;
        let prepared = super::read_prepared(probe, &prepared.json())?;
        let submission = super::submit_body(&prepared, &caller);
        super::submit(probe, &caller, &submission).await?.given_status(&[200])?;
        // Stay below the request limit.
        probe.advance(Duration::from_secs(20)).await?;
    }
    prepare(probe, &caller, &publish_body(&caller)).await?.expect_refused()
}

/// Sends prepares until the daily limit returns 429, then moves the clock 24 hours. The next prepare must return
/// 200.
async fn daily_limit_ends_after_24_hours(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let mut rejected = false;
    for _ in 0..32 {
        let answer = prepare(probe, &caller, &publish_body(&caller)).await?;
        if answer.status() == 429 {
            rejected = true;
            break;
        }
        // No prepare is submitted, so each expires before the next.
        probe.advance(Duration::from_secs(65)).await?;
    }
    probe.counterpart(rejected, "no prepare reached the daily limit (429)")?;
    probe.advance(Duration::from_hours(24)).await?;
    prepare(probe, &caller, &publish_body(&caller)).await?.expect_accepted(&[200], PREPARED)
}

/// Sends 25 requests in one minute, which must not return 429, and then up to 37 more. One of them must return 429
/// with `Retry-After` in seconds; after 65 seconds requests must be accepted again.
async fn too_many_requests_per_minute_are_rejected(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    // Earlier requests no longer count.
    probe.advance(Duration::from_secs(65)).await?;
    for n in 0..25 {
        let answer = knock(probe, &caller, |_| {}).await?;
        if n == 0 {
            answer.counterpart_status(&[410])?;
        }
        answer.expect(answer.status() != 429, &format!("status of request {}", n + 1), "not 429", "429")?;
        answer.given_status(&[410])?;
    }
    // Twice the documented limit: by then a request must have been rejected.
    for _ in 25..62 {
        let answer = knock(probe, &caller, |_| {}).await?;
        if answer.status() == 429 {
            let after = answer.response.header("retry-after").unwrap_or("none").to_owned();
            answer.expect(after.parse::<u32>().is_ok(), "header retry-after", "seconds", after)?;
            probe.advance(Duration::from_secs(65)).await?;
            let later = knock(probe, &caller, |_| {}).await?;
            later.expect(later.status() != 429, "status after a minute", "not 429", "429")?;
            return later.given_status(&[410]);
        }
    }
    probe.expect(false, "status of 62 requests in one minute", "429 at least once", "never 429")
}

/// Sends a request while `fault` is set. It must return 503 with the body that `judge` accepts.
async fn unavailable(
    probe: &Probe<'_>,
    place: Place,
    fault: &str,
    judge: fn(&Answer<'_>) -> Checked,
) -> Checked {
    let knock = Knock::at(probe, place.op(PUB)).await?;
    probe.faults(json!([])).await?;
    knock.counterpart(probe).await?;
    probe.faults(json!([{ "fault": fault }])).await?;
    let answer = knock.send(probe, |_| {}).await?;
    probe.faults(json!([])).await?;
    answer.expect_refused()?;
    judge(&answer)
}

/// Makes the node a standby and sends a request. It must return 503 with `error` = `not-primary` and a string `reason`.
async fn standby_returns_not_primary(probe: &Probe<'_>, place: Place) -> Checked {
    unavailable(probe, place, "publish.standby", |answer| {
        answer.expect_json("/error", "\"not-primary\"", |value| value == "not-primary")?;
        answer.expect_json("/reason", "a string", Value::is_string).map(drop)
    })
    .await
}

/// Makes the backend passive and sends a request. It must return 503 with `error` = `backend is passive`.
async fn passive_backend_returns_its_error(probe: &Probe<'_>, place: Place) -> Checked {
    unavailable(probe, place, "publish.passive", |answer| {
        answer
            .expect_json("/error", "\"backend is passive\"", |value| value == "backend is passive")
            .map(drop)
    })
    .await
}
