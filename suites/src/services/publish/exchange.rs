//! Rules of both endpoints: error bodies, body size, limits, and the roles of the answering node.

use std::net::IpAddr;
use std::time::Duration;

use assay_spec::Place;
use assay_spec::limit::Unit;
use assay_spec::publish::limits::{BODY, PUBLISH_WINDOW, PUBLISHES, REQUEST_WINDOW, REQUESTS};
use assay_spec::publish::places::{FIRST, PUB};
use assay_spec::publish::rejections;
use assay_spec::publish::requirements::{exchange as rows, prepare as prepares, submit as submits};
use assay_spec::reply::HeaderRule;
use assay_spec::value::ValueKind;
use serde_json::{Value, json};

use super::scene::{Knock, Scene};
use super::wire::Draft;
use super::{
    Caller, NO_ID, PREPARE, STANDBY, SUBMIT, caller, each_value_alone, knock, next_minute, patient, prepare,
    prepared, publish_body, read_prepared, submit, submit_body,
};
use crate::harness::boundary::{
    Edges, Quota, Start, begin, edges, expect_beyond, expect_inside, expect_open_after,
};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::At;
use crate::harness::probe::{Answer, Probe};
use crate::services::drop::benchmark_address;
use crate::support::spelling::spelled_as;

fn expect_json_error(answer: &Answer<'_>) -> Checked {
    answer.expect_json("/error", "a string", Value::is_string).map(drop)
}

/// Provokes errors: at a prepare a 400 and a 409, at a submit a 410 (or a 400) and a 400. Each must be JSON with a
/// string in `error`.
#[rejects(rows::ERROR_JSON)]
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

/// Provokes an error. It should have a JSON media type, like each other JSON response.
#[shows(rows::MEDIA_TYPE)]
async fn json_has_its_media_type(probe: &Probe<'_>, place: Place) -> Checked {
    let knock = Knock::at(probe, place).await?;
    let answer = knock.send(probe, |_| {}).await?;
    answer.given_status(knock.statuses)?;
    answer.expect_json_type()
}

/// Sends bodies of 65,535 and 65,536 bytes, which must not return 413, and ones of 65,537 bytes, of ASCII and of other
/// characters. These must return 413, with the plain text `Payload Too Large`.
#[rejects(rows::BODY_LIMIT)]
async fn body_over_64_kib_is_rejected_in_plain_text(probe: &Probe<'_>, place: Place) -> Checked {
    let knock = Knock::at(probe, place.op(PUB)).await?;
    let is_prepare = knock.path == PREPARE;
    knock.counterpart(probe).await?;
    // A prepare that fits succeeds.
    let scene = if is_prepare { Scene::at(probe, place).await? } else { knock.scene.clone() };
    let whole = if is_prepare { scene.body.to_string() } else { knock.body.clone() };
    let accepted: &[u16] = if is_prepare { &[200] } else { knock.statuses };
    // Whitespace after the JSON changes nothing but the size.
    let send = async |scene: &Scene, body: &str, size: i64| {
        let padded = format!("{body}{}", " ".repeat(size as usize - body.len()));
        Draft::new(probe, &scene.caller, knock.path, padded).await?.send(probe).await
    };
    let large = send(&knock.scene, &knock.body, BODY.outside).await?;
    expect_beyond(&large, &BODY, &body_of(BODY.outside), rejections::TOO_LARGE.statuses)?;
    // As many bytes, but fewer characters.
    let spare = (BODY.outside as usize - knock.body.len()) / "\u{e9}".len();
    let wide = knock.body.replacen('"', &format!("\"{}", "\u{e9}".repeat(spare + 1)), 1);
    let wide = Draft::new(probe, &knock.scene.caller, knock.path, wide).await?.send(probe).await?;
    expect_beyond(&wide, &BODY, "a body of two-byte characters", rejections::TOO_LARGE.statuses)?;
    let text = large.response.text();
    large.expect(text.trim_end() == "Payload Too Large", "body", "Payload Too Large", text)?;
    let below = (&knock.scene, &knock.body, BODY.inside - 1, knock.statuses);
    for (scene, body, size, statuses) in [below, (&scene, &whole, BODY.inside, accepted)] {
        let fits = send(scene, body, size).await?;
        expect_inside(&fits, &BODY, &body_of(size), rejections::TOO_LARGE.statuses)?;
        fits.given_status(statuses)?;
    }
    Ok(())
}

/// Sends prepares and submits whose body has its members in another order, white space, and escapes that need not be: all at once,
/// and in a world of its own each alone. Each must return 200.
#[shows(rows::SPELLING, uses_up, after(prepares::BODY_JSON, submits::LANDS))]
async fn other_spellings_of_a_body_are_accepted(probe: &Probe<'_>, place: Place) -> Checked {
    for (n, spelling) in probe.uncommon_values().enumerate() {
        next_minute(probe, n).await?;
        let answer = spelled(probe, place, Some(spelling)).await?;
        if answer.is_malformed() {
            spelled(probe, place, None).await?.given_status(&[200])?;
        }
        if n == 0 && answer.is_malformed() {
            each_value_alone(probe, async |spelling| {
                spelled(probe, place, Some(spelling)).await?.expect_not_malformed("the spelling", spelling)
            })
            .await?;
        }
        answer.expect_not_malformed("the spelling", spelling)?;
        answer.given_status(&[200])?;
    }
    Ok(())
}

/// Sends a prepare, or the submit of one, with this spelling of its body.
async fn spelled<'p>(
    probe: &'p Probe<'_>,
    place: Place,
    spelling: Option<&ValueKind>,
) -> Result<Answer<'p>, Stop> {
    let caller = caller(probe).await?;
    let mut body = publish_body(&caller);
    let path = if FIRST.contains(&place) { PREPARE } else { SUBMIT };
    if path == SUBMIT {
        body = submit_body(&prepared(probe, &caller, &body).await?, &caller);
    }
    let body = spelling.map_or_else(|| body.to_string(), |spelling| spelled_as(&body, spelling, ""));
    Draft::new(probe, &caller, path, body).await?.send(probe).await
}

fn body_of(size: i64) -> String {
    format!("a body of {}", Unit::Byte.amount(size))
}

/// Publishes once and lets 20 seconds pass, so that the limit of requests is not reached. Returns the response to the
/// prepare.
async fn publish<'p>(probe: &'p Probe<'_>, caller: &Caller) -> Result<Answer<'p>, Stop> {
    let answer = prepare(probe, caller, &publish_body(caller)).await?;
    if answer.status() == 200 {
        let submission = submit_body(&read_prepared(probe, &answer.json())?, caller);
        submit(probe, caller, &submission).await?.given_status(&[200])?;
    }
    probe.advance(Duration::from_secs(20)).await?;
    Ok(answer)
}

/// Publishes 30 times for one domain, which must succeed. The next prepare must return 429; a prepare for another domain
/// must return 200.
#[rejects(
    rows::DAILY_LIMIT,
    needs(Clock, Isolation),
    after(submits::LANDS, submits::LOCK_FREED, prepares::PREPARE_ID)
)]
async fn publish_31_of_a_day_is_rejected(probe: &Probe<'_>) -> Checked {
    let (caller, other) = (caller(probe).await?, caller(probe).await?);
    let quota = Quota::new(&PUBLISHES, &[200], async |_| publish(probe, &caller).await);
    quota.fill().await?;
    quota.overflow(PUBLISH_WINDOW.value).await?;
    let separate = prepare(probe, &other, &publish_body(&other)).await?;
    expect_inside(&separate, &PUBLISHES, "the first prepare for another domain", &[429])?;
    separate.given_status(&[200])
}

/// Publishes once and 12 hours later until a prepare returns 429. The next must return 429 until 24 hours after the first,
/// and then 200. The window is rolling, so the prepare after that must return 429 again.
#[rejects(rows::DAILY_WINDOW, needs(Clock, Isolation), after(prepares::PREPARE_ID, prepares::LOCKS_NOTHING))]
async fn daily_limit_ends_after_24_hours(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let quota = Quota::new(&PUBLISHES, &[200], async |_| publish(probe, &caller).await);
    let start = Start::now(probe).await?;
    publish(probe, &caller).await?.counterpart_status(&[200])?;
    start.until(probe, PUBLISH_WINDOW.value / 2).await?;
    // Another check judges how many are accepted.
    quota.exhaust().await?;
    let Edges { inside, outside } = edges(probe, &PUBLISH_WINDOW);
    start.until(probe, inside).await?;
    let full = prepare(probe, &caller, &publish_body(&caller)).await?;
    let what = |after: i64| {
        format!("a prepare beyond the limit {} after the first", Unit::Millisecond.amount(after))
    };
    expect_beyond(&full, &PUBLISHES, &what(inside), &[429])?;
    start.until(probe, outside).await?;
    quota.again(outside).await?;
    let full = publish(probe, &caller).await?;
    expect_beyond(&full, &PUBLISHES, &what(outside), &[429])
}

/// Sends prepares that are rejected: one without a content identifier, and one while another is in flight. Then 30 publishes
/// of the same domain must be accepted.
#[shows(rows::DAILY_REJECTED, needs(Clock, Isolation), after(rows::DAILY_LIMIT))]
async fn rejected_prepares_do_not_count(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let body = publish_body(&caller);
    let incomplete = json!({ "domain": caller.domain });
    prepare(probe, &caller, &incomplete).await?.given_status(&[400])?;
    let prepared = prepared(probe, &caller, &body).await?;
    prepare(probe, &caller, &body).await?.given_status(&[409])?;
    submit(probe, &caller, &submit_body(&prepared, &caller)).await?.given_status(&[200])?;
    let quota = Quota::new(&PUBLISHES, &[200], async |_| publish(probe, &caller).await);
    quota.accept(2..=PUBLISHES.inside).await
}

/// Sends 30 requests in one minute, in turn a prepare and a submit for two domains. None may return 429. The next submit and
/// the next prepare must return 429 with `Retry-After` (seconds or a date); after a minute requests must be accepted again. Over
/// nine minutes no more than 300 may be accepted, whatever the window is. At last a prepare must not return 429 a second after
/// the seconds of its `Retry-After`.
#[rejects(rows::RATE_PER_IP, needs(Clock, Isolation))]
async fn too_many_requests_per_minute_are_rejected(probe: &Probe<'_>) -> Checked {
    let (one, other) = (caller(probe).await?, caller(probe).await?);
    let request = async |n: i64| match n % 2 {
        0 => prepare(probe, &one, &json!({})).await,
        _ => knock(probe, &other, |_| {}).await,
    };
    let quota = Quota::new(&REQUESTS, &[400, 410], &request);
    let start = begin(probe, REQUEST_WINDOW.value).await?;
    quota.fill().await?;
    let submitted = quota.overflow(REQUEST_WINDOW.value).await?;
    let prepared = request(REQUESTS.outside + 1).await?;
    let what = quota.nth(REQUESTS.outside + 1, REQUEST_WINDOW.value);
    expect_beyond(&prepared, &REQUESTS, &what, &[429])?;
    for rejected in [&submitted, &prepared] {
        let after = rejected.response.header("retry-after").unwrap_or("none").to_owned();
        let is_when = HeaderRule::When.holds(Some(&after));
        rejected.expect(is_when, At::header("retry-after"), HeaderRule::When.want(), after)?;
    }
    start.until(probe, REQUEST_WINDOW.outside).await?;
    quota.again(REQUEST_WINDOW.outside).await?;
    quota.expect_rate(probe).await?;
    quota.exhaust().await?;
    let rejected = request(0).await?;
    expect_open_after(probe, &rejected, REQUEST_WINDOW.value, async || request(0).await).await
}

/// Sends requests to one endpoint, of which the first must not be limited, until one returns 429. `Retry-After` should not be longer than the minute of the limit.
#[shows(rows::RETRY_AFTER_WINDOW, needs(Clock, Isolation), after(rows::RATE_PER_IP))]
async fn retry_after_ends_within_the_minute(probe: &Probe<'_>, place: Place) -> Checked {
    begin(probe, REQUEST_WINDOW.value).await?;
    let knock = Knock::at(probe, place.op(PUB)).await?;
    knock.counterpart(probe).await?;
    let quota = Quota::new(&REQUESTS, knock.statuses, async |_| knock.send(probe, |_| {}).await);
    let refused = quota.exhaust().await?;
    let after = refused.response.header("retry-after").unwrap_or("none");
    let most = HeaderRule::AtMost(REQUEST_WINDOW.value / 1_000);
    refused.expect(most.holds(Some(after)), At::header("retry-after"), most.want(), after)
}

/// Sends a body of 70,000 bytes. The 413 should have the media type of plain text, if it has one.
#[shows(rows::PLAIN_TYPE, after(rows::BODY_LIMIT))]
async fn plain_text_has_its_media_type(probe: &Probe<'_>, place: Place) -> Checked {
    let knock = Knock::at(probe, place.op(PUB)).await?;
    let body = format!("{}{}", knock.body, " ".repeat(70_000));
    let answer = Draft::new(probe, &knock.scene.caller, knock.path, body).await?.send(probe).await?;
    answer.given_status(&[413])?;
    let plain = HeaderRule::MediaType("text/plain");
    let found = answer.response.header("content-type");
    answer.expect(plain.holds(found), At::header("content-type"), plain.want(), found.unwrap_or("none"))
}

/// Sends requests to one endpoint from one address until one returns 429. A request from another address must be accepted.
#[shows(rows::PER_ADDRESS, needs(Clock, Isolation, Addresses))]
async fn requests_of_one_address_do_not_count_for_another(probe: &Probe<'_>, place: Place) -> Checked {
    begin(probe, REQUEST_WINDOW.value).await?;
    let knock = Knock::at(probe, place.op(PUB)).await?;
    let [one, other] = ["one", "other"].map(|name| benchmark_address(probe.draw(name)));
    let send = async |from: IpAddr| {
        let request = knock.draft(probe).await?.request();
        probe.send_with("publish", request, Some(from), patient(probe)).await
    };
    Quota::new(&REQUESTS, knock.statuses, async |_| send(one).await).exhaust().await?;
    let separate = send(other).await?;
    expect_inside(&separate, &REQUESTS, "the first request of another address", &[429])?;
    separate.given_status(knock.statuses)
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

/// Makes the node a standby, or takes the profile's standby node, and sends a request. It must return 503 with `error` =
/// `not-primary` and a string `reason`.
#[rejects(
    rows::STANDBY,
    needs(Faults),
    or_given("[publish] standby_url", |settings| settings.publish().has_standby),
)]
async fn standby_returns_not_primary(probe: &Probe<'_>, place: Place) -> Checked {
    let judge = |answer: &Answer<'_>| {
        answer.expect_json("/error", "\"not-primary\"", |value| value == "not-primary")?;
        answer.expect_json("/reason", "a string", Value::is_string).map(drop)
    };
    if !probe.settings.publish().has_standby {
        return unavailable(probe, place, "publish.standby", judge).await;
    }
    let knock = Knock::at(probe, place.op(PUB)).await?;
    knock.counterpart(probe).await?;
    let request = knock.draft(probe).await?.request();
    let answer = probe.send_with(STANDBY, request, None, patient(probe)).await?;
    answer.expect_refused()?;
    judge(&answer)
}

/// Makes the backend passive and sends a request. It must return 503 with `error` = `backend is passive`.
#[rejects(rows::PASSIVE, needs(Faults))]
async fn passive_backend_returns_its_error(probe: &Probe<'_>, place: Place) -> Checked {
    unavailable(probe, place, "publish.passive", |answer| {
        answer
            .expect_json("/error", "\"backend is passive\"", |value| value == "backend is passive")
            .map(drop)
    })
    .await
}
