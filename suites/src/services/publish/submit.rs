//! Checks of the submit endpoint: what lands, what is rejected, and the state after a rejection.

use std::time::Duration;

use assay_spec::Place;
use assay_spec::crypto::{ed25519, text};
use assay_spec::limit::Unit;
use assay_spec::publish::limits::{PREPARE_LIFETIME, REPEAT_WINDOW};
use assay_spec::publish::places::{ACCEPT, PUB, SUBMITS, TRANSFER};
use assay_spec::publish::rejections;
use assay_spec::publish::requirements::{message, prepare as prepares, submit as rows, transfer};
use assay_spec::value::{MISSING, NULL, ValueKind};
use serde_json::{Value, json};

use super::chain::shown;
use super::scene::{Scene, published};
use super::verify::COMMITMENT;
use super::wire::{Draft, read_message};
use super::{
    Caller, NO_ID, PREPARE, PREPARED, Prepared, SUBMIT, accept_body, chain_call, declared, expire, fresh_key,
    landed, prepare, prepared, publish_body, signature_in, submit, submit_body, transfer_body, trip,
};
use crate::harness::boundary::{Edges, Start, edges, expect_beyond, expect_inside, ms};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Answer, Probe};

/// Sends a valid submit. It must return 200 with a base58 signature of 64 bytes, and the chain (where a URL is set)
/// must show the transaction as confirmed.
#[shows(rows::LANDS, after(transfer::FREEZES_ONCE_CONFIRMED, prepares::MESSAGE))]
async fn valid_signature_lands_the_record(probe: &Probe<'_>, place: Place) -> Checked {
    let (caller, _, answer) = published(probe, place).await?;
    answer.expect_status(&[200])?;
    let long = |value: &Value| {
        value.as_str().is_some_and(|text| bs58::decode(text).into_vec().is_ok_and(|bytes| bytes.len() == 64))
    };
    let signature = answer.expect_json("/signature", "base58 of 64 bytes", long)?;
    if probe.sees("chain") {
        let read = async || chain_call(probe, "getSignatureStatuses", json!([[signature]])).await;
        let is_confirmed = |found: &Value| {
            matches!(found["value"][0]["confirmationStatus"].as_str(), Some("confirmed" | "finalized"))
        };
        let found = shown(probe, read, is_confirmed).await?;
        let (level, confirmed) = (found["value"][0]["confirmationStatus"].clone(), is_confirmed(&found));
        // The chain may list it under another signature; another check judges that.
        let known = !found["value"][0].is_null() || !named_elsewhere(probe, &caller).await?;
        return probe.expect(confirmed || !known, "getSignatureStatuses", "confirmed", level.to_string());
    }
    Ok(())
}

/// Whether the chain lists any transaction of this caller.
async fn named_elsewhere(probe: &Probe<'_>, caller: &Caller) -> Result<bool, Stop> {
    let address = ed25519::address(&caller.key);
    let found = chain_call(
        probe,
        "getSignaturesForAddress",
        json!([address, { "limit": 1, "commitment": COMMITMENT }]),
    )
    .await?;
    Ok(found.as_array().is_some_and(|found| !found.is_empty()))
}

/// Sends a valid submit. The returned signature must be the fee payer's signature over the message.
#[shows(rows::SIGNATURE, after(message::FEE_PAYER))]
async fn signature_is_the_fee_payers(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, prepared, submitted) = published(probe, place).await?;
    submitted.given_status(&[200])?;
    let signature = submitted.json()["signature"].as_str().unwrap_or_default().to_owned();
    submitted.given(!signature.is_empty(), "the submit returned no `signature`")?;
    let payer = read_message(&prepared.message).and_then(|message| message.accounts.first().copied());
    let bytes: Option<[u8; 64]> =
        bs58::decode(&signature).into_vec().ok().and_then(|bytes| bytes.try_into().ok());
    let good =
        payer.zip(bytes).is_some_and(|(payer, bytes)| ed25519::verifies(&payer, &prepared.message, &bytes));
    probe.expect(good, "/signature", "the fee payer's signature over the message", signature)
}

/// A wrong value, and a body with it.
type Wronged = (ValueKind, Value);

/// Sends each body, which must return 400, and then a valid submit as the counterpart. What a server may accept too is sent
/// behind it, when it is a repetition: another signature of the prepare cannot land any longer.
async fn each_is_malformed(
    probe: &Probe<'_>,
    place: Place,
    bodies: impl FnOnce(&Scene, &Prepared) -> Vec<(&'static str, Wronged)>,
) -> Checked {
    // All are sent within the lifetime of one prepare, so what was sent before must not count with them.
    if probe.owns_time() {
        expire(probe).await?;
    }
    let scene = Scene::at(probe, place).await?;
    let prepared = scene.prepared(probe).await?;
    let mut refused = Vec::new();
    let bodies = bodies(&scene, &prepared).into_iter();
    let (open, bodies): (Vec<_>, Vec<_>) =
        bodies.partition(|(_, (wrong, _))| !wrong.may_be_accepted.is_empty());
    for (member, (wrong, body)) in bodies {
        let answer = scene.submit(probe, &body).await?;
        if answer.status() == 200 {
            answer.expect_one_of(&[400], member, &wrong)?;
        }
        refused.push((member, wrong, answer));
    }
    let good = scene.submit(probe, &scene.submission(&prepared)).await?;
    let is_ended = probe.has_control() && good.status() == 410;
    let at = At::status_named("status of a valid submit after the rejected ones");
    let want = Want::one_of(&[200]).said("200, since the prepare stays as it was");
    good.expect(!is_ended, at, want, "410")?;
    // On a shared target the prepare may have expired meanwhile. A 410 is also past this rule.
    good.counterpart_status(&[200, 410, 502])?;
    for (member, (wrong, body)) in open {
        refused.push((member, wrong, scene.submit(probe, &body).await?));
    }
    refused.iter().try_for_each(|(member, wrong, answer)| answer.expect_one_of(&[400], member, wrong))
}

/// `body` with a wrong value of a member.
fn wronged(body: &Value, member: &'static str, wrong: &ValueKind) -> (&'static str, Wronged) {
    let mut body = body.clone();
    match wrong.instead_of(&body[member]) {
        Some(value) => body[member] = value,
        None => drop(body.as_object_mut().and_then(|members| members.shift_remove(member))),
    }
    (member, (*wrong, body))
}

fn with(body: &Value, member: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[member] = value;
    body
}

/// Sends submits without `prepareId` and with null for it, and submits whose `signature` is missing, null, empty or of
/// another type. Each must return 400.
#[rejects(rows::FIELDS)]
async fn missing_field_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_is_malformed(probe, place, |scene, prepared| {
        let good = scene.submission(prepared);
        let ids = [MISSING, NULL].map(|wrong| wronged(&good, "prepareId", &wrong));
        let signatures = probe.wrong_values().map(|wrong| wronged(&good, "signature", wrong));
        ids.into_iter().chain(signatures).collect()
    })
    .await
}

/// Sends submits with signatures of 63, 65 and 128 bytes, in hex and in quotes, and one that is not base64. Each must return 400.
/// Other spellings of the right 64 bytes are only noted.
#[rejects(rows::SIGNATURE_FORM, after(rows::STAYS_PREPARED))]
async fn signature_that_is_not_64_bytes_of_base64_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    each_is_malformed(probe, place, |scene, prepared| {
        let good = scene.submission(prepared);
        let signature = ed25519::sign(&scene.caller.key, &prepared.message);
        let unreadable = [("63 bytes", text::base64(&signature[..63])), ("words", "not base64!".to_owned())];
        let unreadable = unreadable.map(|(name, value)| {
            ("signature", (ValueKind::near(name, |_| None), with(&good, "signature", json!(value))))
        });
        let spelled = probe.wrong_values().map(|wrong| wronged(&good, "signature", wrong));
        spelled.chain(unreadable).collect()
    })
    .await
}

/// Sends submits signed by another key, over the base64 string, and over a truncated message. Each must return 400.
#[rejects(rows::SIGNATURE_VERIFIES, after(rows::STAYS_PREPARED))]
async fn signature_over_other_bytes_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let stranger = fresh_key(probe);
    each_is_malformed(probe, place, |scene, prepared| {
        let good = scene.submission(prepared);
        let over = |what, key, bytes: &[u8]| {
            let body = with(&good, "signature", json!(text::base64(&ed25519::sign(key, bytes))));
            ("signature", (ValueKind::near(what, |_| None), body))
        };
        let own = &scene.caller.key;
        vec![
            over("another key's", &stranger, &prepared.message),
            over("that of the base64 string", own, text::base64(&prepared.message).as_bytes()),
            over("that of a truncated message", own, prepared.message.get(1..).unwrap_or_default()),
        ]
    })
    .await
}

/// Sends a submit with a well-formed signature that does not verify.
async fn bad_submit(probe: &Probe<'_>, scene: &Scene, prepared: &Prepared) -> Checked {
    let bad = with(&scene.submission(prepared), "signature", json!(text::base64(&[1; 64])));
    scene.submit(probe, &bad).await?.given_status(&[400])
}

/// Sends an invalid signature, then a valid one for the same prepare. The second must not return 404 or 410; any
/// other status than 200 leaves the check inconclusive. Another prepare between them must return 409.
#[shows(rows::STAYS_PREPARED, after(prepares::ONE_IN_FLIGHT))]
async fn valid_signature_is_accepted_after_a_rejected_one(probe: &Probe<'_>, place: Place) -> Checked {
    let scene = Scene::at(probe, place).await?;
    let prepared = scene.prepared(probe).await?;
    bad_submit(probe, &scene, &prepared).await?;
    // Not the same bytes: that would be a replay.
    let body = format!("{} ", scene.body);
    let other = Draft::new(probe, &scene.caller, PREPARE, body).await?.send(probe).await?;
    let at = At::status_named("status of another prepare after the rejected submit");
    let want = Want::one_of(&[409]).said("409, since the first is still prepared");
    other.expect(other.status() != 200, at, want, "200")?;
    let good = scene.submit(probe, &scene.submission(&prepared)).await?;
    good.expect(
        good.status() != 410 && good.status() != 404,
        At::status(),
        Want::one_of(&[200]),
        good.status().to_string(),
    )?;
    good.given_status(&[200])
}

/// Sends an invalid signature, moves the clock 65 seconds and sends a valid one. It must return 410.
#[rejects(
    rows::EXPIRY_UNCHANGED,
    waits(195),
    needs(Clock),
    after(rows::EXPIRED, rows::SIGNATURE_VERIFIES, rows::STAYS_PREPARED)
)]
async fn rejected_signature_does_not_extend_the_prepare(probe: &Probe<'_>, place: Place) -> Checked {
    let counterpart = Scene::at(probe, place).await?;
    let early = counterpart.prepared(probe).await?;
    counterpart.submit(probe, &counterpart.submission(&early)).await?.counterpart_status(&[200, 502])?;
    let scene = Scene::at(probe, place).await?;
    let prepared = scene.prepared(probe).await?;
    bad_submit(probe, &scene, &prepared).await?;
    expire(probe).await?;
    scene.submit(probe, &scene.submission(&prepared)).await?.expect_refused()
}

/// Sends a submit with an unknown `prepareId`. It must return 410.
#[rejects(rows::UNKNOWN)]
async fn unknown_prepare_id_returns_410(probe: &Probe<'_>, place: Place) -> Checked {
    let scene = Scene::at(probe, place).await?;
    let prepared = scene.prepared(probe).await?;
    let good = scene.submission(&prepared);
    scene.submit(probe, &with(&good, "prepareId", json!(NO_ID))).await?.expect_refused()?;
    scene.submit(probe, &good).await?.counterpart_status(&[200, 502])
}

/// Sends a submit before 60 seconds have passed since its prepare, which must not return 410, and one after. It must return
/// 410. In a world of its own a millisecond before and after, elsewhere five seconds.
#[rejects(rows::EXPIRED, waits(360), needs(Clock))]
async fn submit_after_60_seconds_returns_410(probe: &Probe<'_>, place: Place) -> Checked {
    let Edges { inside, outside } = edges(probe, &PREPARE_LIFETIME);
    let what = |after: i64| format!("a submit {} after its prepare", Unit::Millisecond.amount(after));
    // What is prepared is also submitted.
    let place = SUBMITS.iter().find(|submit| submit.op == place.op).copied().unwrap_or(place);
    let in_time = Scene::at(probe, place).await?;
    let first = in_time.prepared(probe).await?;
    let start = Start::now(probe).await?;
    probe.advance(ms(inside)).await?;
    let answer = in_time.submit(probe, &in_time.submission(&first)).await?;
    if answer.status() == 410 && start.elapsed_ms(probe).await? > PREPARE_LIFETIME.value {
        // The chain was so slow that the blockhash may have expired before the confirmation.
        probe.note(format!("{} returned 410 after the lifetime of the prepare", what(inside)));
        let other = Scene::at(probe, place).await?;
        let prepared = other.prepared(probe).await?;
        other.submit(probe, &other.submission(&prepared)).await?.counterpart_status(&[200])?;
    } else {
        answer.counterpart_status(&[200, 410, 502])?;
        expect_inside(&answer, &PREPARE_LIFETIME, &what(inside), rejections::GONE.statuses)?;
    }

    let late = Scene::at(probe, place).await?;
    let second = late.prepared(probe).await?;
    probe.advance(ms(outside)).await?;
    let answer = late.submit(probe, &late.submission(&second)).await?;
    expect_beyond(&answer, &PREPARE_LIFETIME, &what(outside), rejections::GONE.statuses)
}

/// Sends a submit with the `prepareId` of another domain. It must return 410, 404 or 400.
#[rejects(rows::FOREIGN)]
async fn prepare_of_another_domain_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let [owner, stranger] = Scene::pair(probe, [place, place]).await?;
    let prepared = owner.prepared(probe).await?;
    // Signed by the owner, but in the envelope of another domain.
    let body = owner.submission(&prepared);
    let answer = stranger.submit(probe, &body).await?;
    answer.expect_refused()?;
    let status = answer.status();
    probe.note(format!("a prepareId of another domain returns {status} ({place})"));
    owner.submit(probe, &body).await?.counterpart_status(&[200])
}

/// Sends the same submit again at once, byte for byte and with a new envelope, and in a world of its own also just before 60
/// seconds have passed. It must return 200 with the same transaction signature; that of a transfer or accept may return 409. With
/// another signature it is not the same submit, and must not return 200.
#[shows(rows::REPEAT, after(rows::LANDS, rows::UNKNOWN, prepares::PREPARE_ID))]
async fn repeated_submit_returns_the_same_signature(probe: &Probe<'_>, place: Place) -> Checked {
    if let Some((_, again)) = trip::AGAIN.iter().find(|(op, _)| *op == place.op && trip::is_given(probe)) {
        let landed = trip::step(probe, place.op, true).await?.submitted(probe).await?.2;
        return expect_repeated(probe, place, &trip::answer(probe, again).await?, &signature_in(&landed)?);
    }
    let scene = Scene::at(probe, place).await?;
    let submission = scene.submission(&scene.prepared(probe).await?);
    let draft = Draft::new(probe, &scene.caller, SUBMIT, submission.to_string()).await?;
    let signature = signature_in(&draft.send(probe).await?)?;
    let start = Start::now(probe).await?;
    expect_repeated(probe, place, &draft.send(probe).await?, &signature)?;
    let repeat = async || scene.submit(probe, &submission).await;
    let again = repeat().await?;
    expect_repeated(probe, place, &again, &signature)?;
    let other = with(&submission, "signature", json!(text::base64(&[1; 64])));
    let got = scene.submit(probe, &other).await?;
    got.expect(
        got.status() != 200,
        At::status_named("status with another signature"),
        Want::none_of(&[200]),
        "200",
    )?;
    if again.status() == 409 || !probe.owns_time() {
        return Ok(());
    }
    if place.op == PUB {
        // Another prepare of the domain does not make the server forget the first.
        scene.prepare(probe).await?.given_accepted(&[200], PREPARED)?;
        expect_repeated(probe, place, &repeat().await?, &signature)?;
    }
    let what =
        |after: i64| format!("a submit repeated {} after its response", Unit::Millisecond.amount(after));
    start.until(probe, REPEAT_WINDOW.inside).await?;
    let in_time = repeat().await?;
    expect_inside(&in_time, &REPEAT_WINDOW, &what(REPEAT_WINDOW.inside), &[404, 409, 410])?;
    in_time.given_status(&[200])?;
    in_time.expect_json("/signature", &signature, |value| *value == signature).map(drop)
}

/// Expects a repeated submit to return the same signature.
fn expect_repeated(probe: &Probe<'_>, place: Place, again: &Answer<'_>, signature: &str) -> Checked {
    // After a transfer or accept, the state of the binding may come first.
    if again.status() == 409 && place.op != PUB {
        probe.note(format!("a repeated submit returns 409 ({place})"));
        return again.expect(true, At::status(), Want::one_of(&[200, 409]), "409");
    }
    again.expect_status(&[200])?;
    again.expect_json("/signature", signature, |value| value == signature).map(drop)
}

/// Sends the same submit twice and lists the chain's transactions before, between and after. The domain must have exactly
/// one new record.
#[shows(rows::NO_SECOND_RECORD, needs(Chain), after(rows::REPEAT))]
async fn repeated_submit_writes_no_second_record(probe: &Probe<'_>, place: Place) -> Checked {
    let scene = Scene::at(probe, place).await?;
    let records = async || -> Result<Vec<String>, Stop> {
        let address = ed25519::address(&scene.caller.key);
        let config = json!({ "limit": 100, "commitment": COMMITMENT });
        let found = chain_call(probe, "getSignaturesForAddress", json!([address, config])).await?;
        let text = |one: &Value, member: &str| one[member].as_str().unwrap_or_default().to_owned();
        let mine = |one: &&Value| text(one, "memo").contains(&scene.caller.domain);
        Ok(found.as_array().into_iter().flatten().filter(mine).map(|one| text(one, "signature")).collect())
    };
    let before = records().await?;
    let (prepared, _) = scene.landed(probe).await?;
    let new = |now: &[String]| now.iter().filter(|signature| !before.contains(signature)).count();
    let once = new(&shown(probe, records, |now| new(now) > 0).await?);
    probe.conclusive(once == 1, format!("the chain shows {once} new records of the domain instead of 1"))?;
    scene.submit(probe, &scene.submission(&prepared)).await?.given_status(&[200, 409, 410])?;
    let twice = new(&records().await?);
    probe.expect(twice == 1, "new records of the domain on the chain", "1", twice.to_string())
}

/// Holds a submit and sends the same submit again meanwhile. The second must return 409.
#[rejects(rows::IN_FLIGHT, needs(Clock, Faults))]
async fn submit_in_flight_is_not_submitted_again(probe: &Probe<'_>, place: Place) -> Checked {
    let scene = Scene::at(probe, place).await?;
    let prepared = scene.prepared(probe).await?;
    let body = scene.submission(&prepared);
    probe.faults(json!([{ "fault": "hold" }])).await?;
    let second = async {
        probe.until_waiting(1).await?;
        let second = scene.submit(probe, &body).await;
        probe.faults(json!([])).await?;
        second
    };
    let (first, second) = futures_util::future::join(scene.submit(probe, &body), second).await;
    first?.counterpart_status(&[200])?;
    second?.expect_refused()
}

/// Publishes, transfers or accepts, then sends another prepare for the domain: after a transfer an accept, after an accept
/// that an operator has confirmed a publish, or a transfer back. It must return 200; the accept and the transfer back must not
/// return 409.
#[shows(rows::LOCK_FREED, after(rows::LANDS))]
async fn domain_is_free_after_a_confirmed_publish(probe: &Probe<'_>, place: Place) -> Checked {
    if place.op != PUB && trip::is_given(probe) {
        signature_in(&trip::step(probe, place.op, true).await?.submitted(probe).await?.2)?;
        let next = if place.op == TRANSFER { ACCEPT } else { trip::BACK };
        return expect_free(&trip::answer(probe, next).await?);
    }
    let scene = Scene::at(probe, place).await?;
    let (next, body) = match place.op {
        "transfer" => {
            let new = scene.caller.with_key(fresh_key(probe));
            let body = accept_body(&new);
            landed(probe, &scene.caller, &transfer_body(probe, &scene.caller, &new.key)).await?;
            (new, body)
        }
        op => {
            scene.landed(probe).await?;
            if op == "accept" {
                probe.perform("publish.confirm-transfer", json!({ "domain": scene.caller.domain })).await?;
            }
            (scene.caller.clone(), publish_body(&scene.caller))
        }
    };
    let answer = prepare(probe, &next, &body).await?;
    // What a key may do after an operator confirmed its transfer is not shown.
    if place.op == TRANSFER || place.op == "accept" {
        return expect_free(&answer);
    }
    answer.expect_accepted(&[200], PREPARED)
}

/// Expects that the next prepare is not rejected because the domain is locked. Another check judges whether it is admitted.
fn expect_free(answer: &Answer<'_>) -> Checked {
    answer.expect(
        answer.status() != 409,
        At::status(),
        Want::none_of(&[409]),
        answer.status().to_string(),
    )?;
    answer.given_accepted(&[200], PREPARED)
}

/// Publishes without faults: the valid counterpart.
async fn lands_without_fault(probe: &Probe<'_>, place: Place) -> Checked {
    let scene = Scene::at(probe, place).await?;
    let prepared = scene.prepared(probe).await?;
    scene.submit(probe, &scene.submission(&prepared)).await?.counterpart_status(&[200])
}

/// Sends a submit while these chain faults are set for its domain.
async fn under_faults<'p>(probe: &'p Probe<'_>, place: Place, faults: &[&str]) -> Result<Answer<'p>, Stop> {
    let scene = Scene::at(probe, place).await?;
    let prepared = scene.prepared(probe).await?;
    let fault = |name: &&str| json!({ "fault": name, "where": { "domain": scene.caller.domain } });
    probe.faults(faults.iter().map(fault).collect()).await?;
    let answer = scene.submit(probe, &scene.submission(&prepared)).await;
    probe.faults(json!([])).await?;
    answer
}

/// Makes the chain lose the transaction, so that its blockhash expires, and sends a submit. It must return 410.
#[rejects(rows::BLOCKHASH_EXPIRED, needs(Clock, Faults), after(rows::LANDS))]
async fn expired_blockhash_returns_410(probe: &Probe<'_>, place: Place) -> Checked {
    lands_without_fault(probe, place).await?;
    under_faults(probe, place, &["publish.transaction-lost"]).await?.expect_refused()
}

/// Makes the chain reject the transaction, or takes the profile's domain, and sends a submit. It must return 502.
#[rejects(
    rows::REJECTED,
    needs(Clock, Faults),
    or_given("[publish] chain_rejects", |settings| settings.publish().chain_rejects.is_some()),
    after(rows::LANDS),
)]
async fn rejected_transaction_returns_502(probe: &Probe<'_>, place: Place) -> Checked {
    lands_without_fault(probe, place).await?;
    if !probe.has_control() {
        let caller = declared(probe, "chain_rejects", |fixtures| &fixtures.chain_rejects)?;
        let prepared = prepared(probe, &caller, &publish_body(&caller)).await?;
        let answer = submit(probe, &caller, &submit_body(&prepared, &caller)).await?;
        // The chain has accepted or lost it, so the service has nothing to report.
        let why = format!(
            "the chain does not reject the transaction of {} ([publish] chain_rejects)",
            caller.domain
        );
        probe.found(!matches!(answer.status(), 200 | 410), why)?;
        return answer.expect_refused();
    }
    under_faults(probe, place, &["publish.transaction-rejected"]).await?.expect_refused()
}

/// Makes the chain slow and sends a submit. It must return 410 with `safety ceiling` in `error`; the 410 for a prepare that expired
/// must not say so.
#[rejects(rows::SAFETY_CEILING, needs(Clock, Faults), after(rows::LANDS))]
async fn safety_ceiling_is_named(probe: &Probe<'_>, place: Place) -> Checked {
    lands_without_fault(probe, place).await?;
    let named =
        |value: &Value| value.as_str().is_some_and(|text| text.to_lowercase().contains("safety ceiling"));
    // What was not broadcast cannot land.
    let scene = Scene::at(probe, place).await?;
    let submission = scene.submission(&scene.prepared(probe).await?);
    expire(probe).await?;
    let expired = scene.submit(probe, &submission).await?;
    if expired.status() == 410 {
        expired.expect_json("/error", "a string without \"safety ceiling\"", |text| !named(text))?;
    }
    // The transaction's later fate is not asserted: in the first case it lands, in the second its blockhash expires.
    for faults in [&["publish.chain-slow"][..], &["publish.chain-slow", "publish.transaction-lost"]] {
        let answer = under_faults(probe, place, faults).await?;
        answer.expect_refused()?;
        answer.expect_json("/error", "a string that contains \"safety ceiling\"", named)?;
        probe.advance(Duration::from_mins(15)).await?;
    }
    Ok(())
}
