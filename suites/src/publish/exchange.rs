//! What both endpoints keep: error forms, sizes, rates, roles.

use std::time::Duration;

use assay_spec::publish::requirements::{exchange as rows, prepare as prepares, submit as submits};
use serde_json::{Value, json};

use super::wire::Draft;
use super::{PREPARE, SUBMIT, caller, knock, prepare, publish_body};
use crate::check::{Check, Checked, Need};
use crate::probe::{Answer, Probe};
use crate::refuses;

pub(super) const CHECKS: &[Check] = &[
    refuses!(rows::ERROR_JSON, refusals_are_json_with_a_text).costs(4, 2, 1).writes(4),
    refuses!(rows::BODY_LIMIT, a_body_over_64_kib_is_refused_in_plain_text)
        .costs(3, 1, 1)
        .writes(3)
        .sends(144_000),
    refuses!(rows::DAILY_LIMIT, the_thirty_first_publish_of_a_day_is_refused)
        .costs(61, 31, 1)
        .elsewhere(62)
        .writes(61)
        .needs(&[Need::Clock, Need::Isolation])
        .after(const { &[&submits::LANDS, &submits::LOCK_FREED, &prepares::PREPARE_ID] }),
    refuses!(rows::DAILY_WINDOW, the_day_rolls)
        .costs(32, 33, 1)
        .elsewhere(33)
        .writes(32)
        .needs(&[Need::Clock, Need::Isolation])
        .after(const { &[&rows::DAILY_LIMIT, &prepares::PREPARE_ID] }),
    refuses!(rows::RATE_PER_IP, too_many_requests_of_an_address_are_refused)
        .costs(32, 0, 1)
        .elsewhere(64)
        .writes(32)
        .needs(&[Need::Clock, Need::Isolation]),
    refuses!(rows::STANDBY, a_standby_says_that_it_is_not_the_primary)
        .costs(4, 0, 1)
        .writes(4)
        .needs(&[Need::Faults]),
    refuses!(rows::PASSIVE, a_passive_backend_says_so).costs(4, 0, 1).writes(4).needs(&[Need::Faults]),
];

fn error_text(answer: &Answer<'_>) -> Checked {
    let kind = answer.response.header("content-type").unwrap_or("none").to_owned();
    answer.expect(kind.starts_with("application/json"), "header content-type", "application/json", kind)?;
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    answer.expect_json("/error", "a text", text).map(drop)
}

async fn refusals_are_json_with_a_text(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let gone = knock(probe, &caller, |_| {}).await?;
    gone.given_status(&[410])?;
    error_text(&gone)?;
    let malformed = prepare(probe, &caller, &json!({ "domain": caller.domain })).await?;
    malformed.given_status(&[400])?;
    error_text(&malformed)?;
    prepare(probe, &caller, &publish_body(&caller)).await?.counterpart_status(&[200])?;
    let locked = prepare(probe, &caller, &publish_body(&caller)).await?;
    locked.given_status(&[409])?;
    error_text(&locked)
}

async fn a_body_over_64_kib_is_refused_in_plain_text(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    // White space around JSON means nothing, so that the size is the only difference.
    let padded = |size: usize| {
        let body = publish_body(&caller).to_string();
        format!("{body}{}", " ".repeat(size - body.len()))
    };
    prepare(probe, &caller, &json!({})).await?.counterpart_past(413)?;
    let large = Draft::new(probe, &caller, PREPARE, padded(66 * 1024)).await?.send(probe).await?;
    large.expect_status(&[413])?;
    let text = large.response.text();
    large.expect(text.trim_end() == "Payload Too Large", "body", "Payload Too Large", text)?;
    let fits = Draft::new(probe, &caller, PREPARE, padded(60 * 1024)).await?.send(probe).await?;
    fits.expect(fits.status() != 413, "status of 60 KiB", "not 413", "413")
}

async fn the_thirty_first_publish_of_a_day_is_refused(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    for n in 0..30 {
        if n == 1 {
            probe.counterpart(true, "the first publish was taken")?;
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
        // Not to meet the limit of requests.
        probe.advance(Duration::from_secs(20)).await?;
    }
    prepare(probe, &caller, &publish_body(&caller)).await?.expect_status(&[429])
}

async fn the_day_rolls(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let mut refused = false;
    for _ in 0..32 {
        let answer = prepare(probe, &caller, &publish_body(&caller)).await?;
        if answer.status() == 429 {
            refused = true;
            break;
        }
        // Never submitted, each expires before the next.
        probe.advance(Duration::from_secs(65)).await?;
    }
    probe.counterpart(refused, "the daily limit was not met")?;
    probe.advance(Duration::from_hours(24)).await?;
    prepare(probe, &caller, &publish_body(&caller)).await?.expect_status(&[200])
}

async fn too_many_requests_of_an_address_are_refused(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    // What was asked before no longer counts.
    probe.advance(Duration::from_secs(65)).await?;
    for n in 0..25 {
        let answer = knock(probe, &caller, |_| {}).await?;
        if n == 0 {
            answer.counterpart_past(429)?;
        }
        answer.expect(answer.status() != 429, &format!("status of request {}", n + 1), "not 429", "429")?;
    }
    // The documented limit and as many again: by then it must have struck.
    for _ in 25..62 {
        let answer = knock(probe, &caller, |_| {}).await?;
        if answer.status() == 429 {
            let after = answer.response.header("retry-after").unwrap_or("none").to_owned();
            answer.expect(after.parse::<u32>().is_ok(), "header retry-after", "seconds", after)?;
            probe.advance(Duration::from_secs(65)).await?;
            let later = knock(probe, &caller, |_| {}).await?;
            return later.expect(later.status() != 429, "status after a minute", "not 429", "429");
        }
    }
    probe.expect(false, "status within 62 requests of a minute", "429", "never")
}

/// Both endpoints under a role of the node: 503 and its words.
async fn unavailable(probe: &Probe<'_>, fault: &str, judge: fn(&Answer<'_>) -> Checked) -> Checked {
    let caller = caller(probe).await?;
    for (path, body) in [(SUBMIT, super::knock_body()), (PREPARE, json!({}).to_string())] {
        probe.faults(json!([])).await?;
        Draft::new(probe, &caller, path, body.clone()).await?.send(probe).await?.counterpart_past(503)?;
        probe.faults(json!([{ "fault": fault }])).await?;
        let answer = Draft::new(probe, &caller, path, body).await?.send(probe).await?;
        answer.expect_status(&[503])?;
        judge(&answer)?;
    }
    Ok(())
}

async fn a_standby_says_that_it_is_not_the_primary(probe: &Probe<'_>) -> Checked {
    unavailable(probe, "publish.standby", |answer| {
        answer.expect_json("/error", "\"not-primary\"", |value| value == "not-primary")?;
        answer.expect_json("/reason", "a text", Value::is_string).map(drop)
    })
    .await
}

async fn a_passive_backend_says_so(probe: &Probe<'_>) -> Checked {
    unavailable(probe, "publish.passive", |answer| {
        answer
            .expect_json("/error", "\"backend is passive\"", |value| value == "backend is passive")
            .map(drop)
    })
    .await
}
