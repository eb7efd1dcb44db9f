//! Rejections: their body and status, and that no part of a rejected message is stored.

use assay_spec::Place;
use assay_spec::crypto::text::hex;
use assay_spec::network::places::{MESSAGE, MESSAGE_CREATION, METRICS};
use assay_spec::network::requirements::{envelope, errors as rows, listing};
use assay_spec::network::{info, message, program, query, storage};
use serde_json::json;

use super::caller::caller;
use super::creations::Creation;
use super::every::every;
use super::scene::{counterpart, list_of, look, post_draft, posted};
use super::wire::{ALTERNATIVE, Call, expect_error_body, path_with};
use super::{ACCEPTED, REJECTED};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::{At, Want};
use crate::harness::probe::{CONTENT, Probe};

/// A query that is not UTF-8, and a page that is not a number.
const ODD: &str = "?page=x&%ff=%fe";

/// Sends a valid message, and invalid requests to each endpoint: unknown names, queries that are not UTF-8 and pages that
/// are not numbers, or bodies that are empty objects or not JSON. Each error must have the strings `error` and `code`, and
/// `status` `error`. An endpoint that rejects none of them is not judged.
#[rejects(rows::BODY)]
async fn rejection_has_the_documented_body(probe: &Probe<'_>, place: Place) -> Checked {
    counterpart(probe).await?;
    if MESSAGE.contains(&place) {
        look(probe, &posted(probe, &caller(probe)).await?.hash).await?.given_status(&[200])?;
    }
    // Another 404 without the documented body may mean that the target lacks the endpoint.
    let is_offered = probe.owns_time() || MESSAGE.contains(&place) || MESSAGE_CREATION.contains(&place);
    let mut judged = 0;
    for (endpoint, plain) in every(probe, |endpoint| endpoint.name == place.endpoint) {
        let mut odd = plain.clone();
        if endpoint.method == "GET" {
            odd.request.target.push_str(ODD);
        } else {
            odd = odd.json("no JSON");
        }
        for call in [plain.shared(), odd.shared()] {
            let answer = if is_offered { call.attempt(probe).await? } else { call.send(probe).await? };
            if answer.status() >= 400 {
                expect_error_body(&answer)?;
                judged += 1;
            }
        }
    }
    if judged == 0 {
        return Err(Stop::NotApplicable("the endpoint rejects no request of the check".to_owned()));
    }
    Ok(())
}

/// Reads the public information, and a message that does not exist. JSON in the two answers should have a JSON media type.
#[shows(rows::MEDIA_TYPE)]
async fn json_has_its_media_type(probe: &Probe<'_>) -> Checked {
    let info = Call::get(&info::PUBLIC, "/info/public.json").send(probe).await?;
    info.given_status(&[200])?;
    let unknown =
        Call::get(&message::READ, &format!("/messages/{}", hex(&probe.draw("unknown")))).send(probe).await?;
    unknown.given_status(&[404])?;
    info.expect_json_type()?;
    unknown.expect_json_type()
}

/// Sends a message whose `timestamp` is a string, and a body that is not JSON where that is taken to be rejected later. The answer
/// must be 400. Dates that are not dates in `startDate` and `endDate` may return 200 or 400.
#[rejects(rows::BAD_REQUEST)]
async fn malformed_message_returns_400(probe: &Probe<'_>) -> Checked {
    counterpart(probe).await?;
    let sender = caller(probe);
    let draft = post_draft(probe, &sender).await?.with("timestamp", Some(json!("now")));
    let mut answer = draft.attempt(probe).await?;
    if ACCEPTED.contains(&answer.status()) {
        answer = draft.attempt_body(probe, "no JSON").await?;
    }
    answer.expect_refused()?;
    if !probe.settings.network().offers(&query::FLAT) {
        return Ok(());
    }
    for name in ["startDate", "endDate"] {
        let path = path_with("/messages.json", &[(name, "yesterday"), ("addresses", &sender.address)]);
        let answer = Call::get(&query::FLAT, &path).send(probe).await?;
        // A date that cannot be parsed may be ignored.
        answer.expect_status(&[400, 200])?;
        probe.note(format!("{name}=yesterday returns {}", answer.status()));
    }
    Ok(())
}

/// Sends a request to every endpoint of the API while the node fails, and reads its information without the fault. The
/// last answer must be 200, all others 500.
#[rejects(rows::INTERNAL, needs(Faults))]
async fn failure_of_the_node_returns_500(probe: &Probe<'_>) -> Checked {
    let read = || Call::get(&info::PUBLIC, "/info/public.json");
    probe.faults(json!([{ "fault": "network.internal" }])).await?;
    let mut failed = Vec::new();
    for (endpoint, call) in every(probe, |_| true) {
        let mut answer = call.clone().attempt(probe).await?;
        // The document names two addresses for the metrics of nodes.
        let is_metrics = METRICS.iter().any(|place| place.endpoint == endpoint.name);
        if answer.status() == 404 && is_metrics && probe.sees(ALTERNATIVE) {
            answer = call.to(ALTERNATIVE).attempt(probe).await?;
        }
        failed.push((endpoint, answer));
    }
    probe.faults(json!([])).await?;
    read().attempt(probe).await?.counterpart_accepted(&[200], CONTENT)?;
    for (endpoint, answer) in failed {
        let (statuses, status) = (probe.rejection().statuses, answer.status());
        let at = At::status_named(format!("status of {} {}", endpoint.method, endpoint.path));
        answer.expect(
            statuses.contains(&status),
            at,
            Want::rejected(probe.rejection()),
            status.to_string(),
        )?;
    }
    Ok(())
}

/// Strings instead of a hash that leave the path, end too early or are too long.
fn odd_hashes() -> Vec<String> {
    let short = [
        "..%2f..%2f..%2fetc%2fpasswd",
        "%2e%2e",
        "%00",
        "a%00b",
        "%ff%fe",
        "%",
        "%zz",
        "'",
        "*",
        "%0d%0aX:1",
    ];
    let long = ["a".repeat(4096), "0".repeat(64), "%F0%9F%A6%80".to_owned()];
    short.into_iter().map(str::to_owned).chain(long).collect()
}

/// Forms that end too early, are empty, or have too many or too long parts.
fn odd_forms() -> Vec<Call> {
    let part = "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n";
    let bodies = [
        String::new(),
        "--b--\r\n".to_owned(),
        "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nhalf of it".to_owned(),
        "--b\r\n\r\nno head\r\n--b--\r\n".to_owned(),
        format!("{}--b--\r\n", part.repeat(5_000)),
        format!(
            "--b\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n1\r\n--b--\r\n",
            "n".repeat(9_000)
        ),
    ];
    let form = |body: String| {
        let mut call = Call::new(&storage::STORE, "POST", "/storage/store");
        call.request = call.request.header("Content-Type", "multipart/form-data; boundary=b").body(body);
        call
    };
    bodies.map(form).to_vec()
}

/// Sends hashes, queries, bodies, forms and messages that are malformed in many ways, and to every endpoint but that of
/// runs a query that is not UTF-8 or an empty object. Every answer must be below 500.
#[shows(rows::NO_INTERNAL)]
async fn malformed_input_causes_no_internal_error(probe: &Probe<'_>) -> Checked {
    let sender = caller(probe);
    posted(probe, &sender).await?;
    let mut calls = Vec::new();
    for hash in odd_hashes() {
        calls.push(Call::get(&message::READ, &format!("/messages/{hash}")));
    }
    for hash in ["..%2f..%2fetc%2fpasswd", "%00", "%ff", "bafy"] {
        calls.push(Call::get(&storage::FILE, &format!("/storage/{hash}")));
        calls.push(Call::get(&storage::RAW, &format!("/storage/raw/{hash}")));
    }
    for query in ["hashes=%00,,%2c", "types=%ff&types=", "channels=%F0%9F%A6%80&addresses=,", "%&=&&=x&tags"]
    {
        calls.push(Call::get(&query::LIST, &format!("/messages?{query}")));
    }
    let (open, close) = ("[".repeat(2_000), "]".repeat(2_000));
    let deep = format!(r#"{{"message":{open}{close},"signature":"0x","address":"0x1"}}"#);
    let twice = post_draft(probe, &sender).await?.body().replacen('{', r#"{"address":"0x1","#, 1);
    for body in [deep, twice, "\u{feff}{}".to_owned(), "{\"message\":{\"content\":{\"a\":1e999}}}".to_owned()]
    {
        calls.push(Call::post(&message::CREATE, "/messages", body));
    }
    calls.push(Call::post(&message::CREATE, "/messages", vec![0xff; 64]));
    calls.extend(odd_forms());
    for (endpoint, mut call) in every(probe, |endpoint| endpoint.name != program::RUN.name) {
        if endpoint.method == "GET" {
            call.request.target.push_str(ODD);
        }
        calls.push(call.shared());
    }
    for call in probe.some_at(Place::ANY, calls) {
        let answer = match call.attempt(probe).await {
            Err(Stop::NotApplicable(_)) => continue,
            answer => answer?,
        };
        let status = answer.status();
        answer.expect(status < 500, At::status(), "a status below 500", status.to_string())?;
    }
    for (member, value) in [
        ("timestamp", json!(-1)),
        ("timestamp", json!(i64::MAX)),
        ("timestamp", json!(u64::MAX)),
        ("timestamp", json!(4e15)),
        ("channel", json!("\u{0}")),
        ("content", json!({ "": null, "\u{0}": "\u{202e}" })),
    ] {
        let answer = post_draft(probe, &sender).await?.with(member, Some(value)).attempt(probe).await?;
        let status = answer.status();
        answer.expect(status < 500, At::status(), "a status below 500", status.to_string())?;
    }
    Ok(())
}

/// Sends three invalid messages and a valid one of the same sender to each endpoint that takes messages. The sender's list
/// must contain only the valid one, and the instance that it changes.
#[rejects(
    rows::NOTHING_STORED,
    after(envelope::TYPE, envelope::TIMESTAMP, envelope::CONTENT, listing::ADDRESSES)
)]
async fn rejected_message_is_not_stored(probe: &Probe<'_>, place: Place) -> Checked {
    let creation = Creation::at(probe, place).await?;
    let good = creation.draft(probe).await?;
    let wrong = [("type", json!(1)), ("timestamp", json!("now")), ("content", json!(1))];
    for (member, value) in probe.some_at(place, wrong) {
        let answer = good.clone().with(member, Some(value)).attempt(probe).await?;
        if ACCEPTED.contains(&answer.status()) {
            // It may be stored until it is rejected.
            let why = format!("the target accepts a wrong {member}, and may reject it later");
            return Err(Stop::NotApplicable(why));
        }
        answer.given_status(REJECTED)?;
    }
    // A valid one, which must be listed where the others are not.
    let answer = good.send(probe).await?;
    answer.counterpart_accepted(ACCEPTED, creation.evidence())?;
    let hash = answer.json()["item_hash"].as_str().map(str::to_owned);
    let hash: Vec<&str> = hash.iter().map(String::as_str).collect();
    let listed = list_of(probe, &good.caller, &hash).await?;
    let (found, most) = (listed.strings("item_hash"), creation.before() + 1);
    let want = format!("the valid message only: {most}");
    listed.answer.expect(found.len() <= most, "/messages", want, found.join(", "))
}
