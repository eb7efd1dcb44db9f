//! Checks of the submit endpoint: what lands, what is rejected, and the state after a rejection.

use std::time::Duration;

use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::requirements::{message, submit as rows};
use serde_json::{Value, json};

use super::refusals;
use super::wire::{Draft, read_message};
use super::{
    Caller, NO_ID, PREPARED, Prepared, SUBMIT, caller, chain_call, fresh_key, landed, prepare, prepared,
    publish_body, submit, submit_body,
};
use crate::check::{Check, Checked, Need, Stop};
use crate::probe::{Answer, Probe};
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::LANDS, valid_signature_lands_the_record).costs(3, 1, 1).writes(2),
    shows!(rows::SIGNATURE, signature_is_the_fee_payers)
        .costs(2, 1, 1)
        .writes(2)
        .after(const { &[&message::FEE_PAYER] }),
    refuses!(rows::FIELDS, missing_field_is_rejected, refusals::FIELD).costs(4, 1, 1).writes(4),
    refuses!(rows::SIGNATURE_FORM, signature_that_is_not_64_bytes_of_base64_is_rejected, refusals::FIELD)
        .costs(5, 1, 1)
        .writes(5)
        .after(const { &[&rows::STAYS_PREPARED] }),
    refuses!(rows::SIGNATURE_VERIFIES, signature_over_other_bytes_is_rejected, refusals::FIELD)
        .costs(5, 1, 1)
        .writes(5)
        .after(const { &[&rows::STAYS_PREPARED] }),
    shows!(rows::STAYS_PREPARED, valid_signature_is_accepted_after_a_rejected_one).costs(3, 1, 1).writes(3),
    refuses!(rows::EXPIRY_UNCHANGED, rejected_signature_does_not_extend_the_prepare, refusals::GONE)
        .costs(5, 2, 2)
        .writes(5)
        .waits(65)
        .needs(&[Need::Clock])
        .after(const { &[&rows::EXPIRED, &rows::SIGNATURE_VERIFIES, &rows::STAYS_PREPARED] }),
    refuses!(rows::UNKNOWN, unknown_prepare_id_returns_410, refusals::GONE).costs(3, 1, 1).writes(3),
    refuses!(rows::EXPIRED, submit_after_60_seconds_returns_410, refusals::GONE)
        .costs(4, 2, 2)
        .writes(4)
        .waits(120)
        .needs(&[Need::Clock]),
    refuses!(rows::FOREIGN, prepare_of_another_domain_is_rejected, refusals::FOREIGN)
        .costs(3, 1, 2)
        .writes(3),
    shows!(rows::REPEAT, repeated_submit_returns_the_same_signature)
        .costs(3, 1, 1)
        .writes(3)
        .after(const { &[&rows::LANDS] }),
    shows!(rows::NO_SECOND_RECORD, repeated_submit_writes_no_second_record)
        .costs(5, 1, 1)
        .writes(3)
        .needs(&[Need::Chain])
        .after(const { &[&rows::REPEAT] }),
    refuses!(rows::IN_FLIGHT, submit_in_flight_is_not_submitted_again, refusals::CONFLICT)
        .costs(3, 1, 1)
        .writes(3)
        .needs(&[Need::Clock, Need::Faults]),
    shows!(rows::LOCK_FREED, domain_is_free_after_a_confirmed_publish)
        .costs(3, 2, 1)
        .writes(3)
        .after(const { &[&rows::LANDS] }),
    refuses!(rows::BLOCKHASH_EXPIRED, expired_blockhash_returns_410, refusals::GONE)
        .costs(4, 2, 2)
        .writes(4)
        .needs(&[Need::Clock, Need::Faults])
        .after(const { &[&rows::LANDS] }),
    refuses!(rows::REJECTED, rejected_transaction_returns_502, refusals::CHAIN)
        .costs(4, 2, 2)
        .writes(4)
        .needs(&[Need::Clock, Need::Faults])
        .after(const { &[&rows::LANDS] }),
    refuses!(rows::SAFETY_CEILING, safety_ceiling_is_named, refusals::GONE)
        .costs(6, 3, 3)
        .writes(6)
        .needs(&[Need::Clock, Need::Faults])
        .after(const { &[&rows::LANDS] }),
];

/// Sends a valid submit. It must return 200 with a base58 signature of 64 bytes, and the chain (where a URL is set)
/// must show the transaction as confirmed.
async fn valid_signature_lands_the_record(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let prepared = prepared(probe, &caller, &publish_body(&caller)).await?;
    let answer = submit(probe, &caller, &submit_body(&prepared, &caller)).await?;
    answer.expect_status(&[200])?;
    let long = |value: &Value| {
        value.as_str().is_some_and(|text| bs58::decode(text).into_vec().is_ok_and(|bytes| bytes.len() == 64))
    };
    let signature = answer.expect_json("/signature", "base58 of 64 bytes", long)?;
    if probe.sees("chain") {
        let found = chain_call(probe, "getSignatureStatuses", json!([[signature]])).await?;
        let level = found["value"][0]["confirmationStatus"].clone();
        let confirmed = level == "confirmed" || level == "finalized";
        // The chain may list it under another signature; another check judges that.
        let known = !found["value"][0].is_null() || !named_elsewhere(probe, &caller).await?;
        return probe.expect(confirmed || !known, "getSignatureStatuses", "confirmed", level.to_string());
    }
    Ok(())
}

/// Whether the chain lists any transaction of this caller.
async fn named_elsewhere(probe: &Probe<'_>, caller: &Caller) -> Result<bool, Stop> {
    let address = ed25519::address(&caller.key);
    let found = chain_call(probe, "getSignaturesForAddress", json!([address, { "limit": 1 }])).await?;
    Ok(found.as_array().is_some_and(|found| !found.is_empty()))
}

/// Sends a valid submit. The returned signature must be the fee payer's signature over the message.
async fn signature_is_the_fee_payers(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let (prepared, signature) = landed(probe, &caller, &publish_body(&caller)).await?;
    let payer = read_message(&prepared.message).and_then(|message| message.accounts.first().copied());
    let bytes: Option<[u8; 64]> =
        bs58::decode(&signature).into_vec().ok().and_then(|bytes| bytes.try_into().ok());
    let good =
        payer.zip(bytes).is_some_and(|(payer, bytes)| ed25519::verifies(&payer, &prepared.message, &bytes));
    probe.expect(good, "/signature", "the fee payer's signature over the message", signature)
}

/// Sends each body, which must return 400, and then a valid submit as the counterpart.
async fn each_is_malformed(
    probe: &Probe<'_>,
    bodies: impl FnOnce(&Caller, &Prepared) -> Vec<Value>,
) -> Checked {
    let caller = caller(probe).await?;
    let prepared = prepared(probe, &caller, &publish_body(&caller)).await?;
    let mut refused = Vec::new();
    for body in bodies(&caller, &prepared) {
        let answer = submit(probe, &caller, &body).await?;
        if answer.status() == 200 {
            answer.expect_status(&[400])?;
        }
        refused.push(answer);
    }
    let good = submit(probe, &caller, &submit_body(&prepared, &caller)).await?;
    // Another check judges whether the prepare survives a rejection. A 410 is also past this rule.
    good.counterpart_status(&[200, 410, 502])?;
    refused.iter().try_for_each(|answer| answer.expect_status(&[400]))
}

fn with(body: &Value, member: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[member] = value;
    body
}

/// Sends a submit without `prepareId` and one without `signature`. Each must return 400.
async fn missing_field_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_malformed(probe, |caller, prepared| {
        let good = submit_body(prepared, caller);
        vec![json!({ "signature": good["signature"] }), json!({ "prepareId": good["prepareId"] })]
    })
    .await
}

/// Sends submits with signatures of 63 and 65 bytes and one that is not base64. Each must return 400.
async fn signature_that_is_not_64_bytes_of_base64_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_malformed(probe, |caller, prepared| {
        let good = submit_body(prepared, caller);
        let signature = ed25519::sign(&caller.key, &prepared.message);
        let longer = [&signature[..], &[0]].concat();
        vec![
            with(&good, "signature", json!(text::base64(&signature[..63]))),
            with(&good, "signature", json!(text::base64(&longer))),
            with(&good, "signature", json!("not base64!")),
        ]
    })
    .await
}

/// Sends submits signed by another key, over the base64 string, and over a truncated message. Each must return 400.
async fn signature_over_other_bytes_is_rejected(probe: &Probe<'_>) -> Checked {
    let stranger = fresh_key(probe);
    each_is_malformed(probe, |caller, prepared| {
        let good = submit_body(prepared, caller);
        let over =
            |key, bytes: &[u8]| with(&good, "signature", json!(text::base64(&ed25519::sign(key, bytes))));
        vec![
            over(&stranger, &prepared.message),
            // The base64 string instead of the bytes it decodes to.
            over(&caller.key, text::base64(&prepared.message).as_bytes()),
            over(&caller.key, prepared.message.get(1..).unwrap_or_default()),
        ]
    })
    .await
}

/// Sends a submit with a well-formed signature that does not verify.
async fn bad_submit(probe: &Probe<'_>, caller: &Caller, prepared: &Prepared) -> Checked {
    let bad = with(&submit_body(prepared, caller), "signature", json!(text::base64(&[1; 64])));
    submit(probe, caller, &bad).await?.given_status(&[400])
}

/// Sends an invalid signature, then a valid one for the same prepare. The second must not return 404 or 410; any
/// other status than 200 leaves the check inconclusive.
async fn valid_signature_is_accepted_after_a_rejected_one(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let prepared = prepared(probe, &caller, &publish_body(&caller)).await?;
    bad_submit(probe, &caller, &prepared).await?;
    let good = submit(probe, &caller, &submit_body(&prepared, &caller)).await?;
    good.expect(good.status() != 410 && good.status() != 404, "status", "200", good.status().to_string())?;
    good.given_status(&[200])
}

/// Sends an invalid signature, moves the clock 65 seconds and sends a valid one. It must return 410.
async fn rejected_signature_does_not_extend_the_prepare(probe: &Probe<'_>) -> Checked {
    let counterpart = caller(probe).await?;
    let early = prepared(probe, &counterpart, &publish_body(&counterpart)).await?;
    submit(probe, &counterpart, &submit_body(&early, &counterpart)).await?.counterpart_status(&[200, 502])?;
    let caller = caller(probe).await?;
    let prepared = prepared(probe, &caller, &publish_body(&caller)).await?;
    bad_submit(probe, &caller, &prepared).await?;
    probe.advance(Duration::from_secs(65)).await?;
    submit(probe, &caller, &submit_body(&prepared, &caller)).await?.expect_refused()
}

/// Sends a submit with an unknown `prepareId`. It must return 410.
async fn unknown_prepare_id_returns_410(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let prepared = prepared(probe, &caller, &publish_body(&caller)).await?;
    let good = submit_body(&prepared, &caller);
    submit(probe, &caller, &with(&good, "prepareId", json!(NO_ID))).await?.expect_refused()?;
    submit(probe, &caller, &good).await?.counterpart_status(&[200, 502])
}

/// Sends a submit 65 seconds after its prepare. It must return 410; a submit after 55 seconds must not.
async fn submit_after_60_seconds_returns_410(probe: &Probe<'_>) -> Checked {
    let in_time = caller(probe).await?;
    let first = prepared(probe, &in_time, &publish_body(&in_time)).await?;
    probe.advance(Duration::from_secs(55)).await?;
    let answer = submit(probe, &in_time, &submit_body(&first, &in_time)).await?;
    answer.counterpart_status(&[200, 410, 502])?;
    answer.expect(answer.status() != 410, "status after 55 s", "not 410", "410")?;

    let late = caller(probe).await?;
    let second = prepared(probe, &late, &publish_body(&late)).await?;
    probe.advance(Duration::from_secs(65)).await?;
    submit(probe, &late, &submit_body(&second, &late)).await?.expect_refused()
}

/// Sends a submit with the `prepareId` of another domain. It must return 410, 404 or 400.
async fn prepare_of_another_domain_is_rejected(probe: &Probe<'_>) -> Checked {
    let owner = caller(probe).await?;
    let stranger = caller(probe).await?;
    let prepared = prepared(probe, &owner, &publish_body(&owner)).await?;
    // Signed by the owner, but in the envelope of another domain.
    let body = submit_body(&prepared, &owner);
    let answer = Draft::new(probe, &stranger, SUBMIT, body.to_string()).await?.send(probe).await?;
    answer.expect_refused()?;
    let status = answer.status();
    probe.note(format!("a prepareId of another domain returns {status}"));
    submit(probe, &owner, &body).await?.counterpart_status(&[200])
}

/// Sends the same submit twice. The second must return 200 with the same transaction signature.
async fn repeated_submit_returns_the_same_signature(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let (prepared, signature) = landed(probe, &caller, &publish_body(&caller)).await?;
    let again = submit(probe, &caller, &submit_body(&prepared, &caller)).await?;
    again.expect_status(&[200])?;
    again.expect_json("/signature", &signature, |value| *value == signature).map(drop)
}

/// Sends the same submit twice and lists the chain's transactions. The domain must have exactly one record.
async fn repeated_submit_writes_no_second_record(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let count = async || -> Result<usize, Stop> {
        let address = ed25519::address(&caller.key);
        let found = chain_call(probe, "getSignaturesForAddress", json!([address, { "limit": 100 }])).await?;
        let mine = |one: &&Value| one["memo"].as_str().is_some_and(|memo| memo.contains(&caller.domain));
        Ok(found.as_array().map_or(0, |found| found.iter().filter(mine).count()))
    };
    let (prepared, _) = landed(probe, &caller, &publish_body(&caller)).await?;
    let before = count().await?;
    probe.found(before == 1, format!("the chain shows {before} records of the domain instead of 1"))?;
    submit(probe, &caller, &submit_body(&prepared, &caller)).await?.given_status(&[200, 410])?;
    let after = count().await?;
    probe.expect(after == 1, "records of the domain on the chain", "1", after.to_string())
}

/// Holds a submit and sends the same submit again meanwhile. The second must return 409.
async fn submit_in_flight_is_not_submitted_again(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let prepared = prepared(probe, &caller, &publish_body(&caller)).await?;
    let body = submit_body(&prepared, &caller);
    probe.faults(json!([{ "fault": "hold" }])).await?;
    let second = async {
        probe.until_waiting(1).await?;
        let second = submit(probe, &caller, &body).await;
        probe.faults(json!([])).await?;
        second
    };
    let (first, second) = futures_util::future::join(submit(probe, &caller, &body), second).await;
    first?.counterpart_status(&[200])?;
    second?.expect_refused()
}

/// Publishes, then sends another prepare for the domain. It must return 200.
async fn domain_is_free_after_a_confirmed_publish(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    landed(probe, &caller, &publish_body(&caller)).await?;
    prepare(probe, &caller, &publish_body(&caller)).await?.expect_accepted(&[200], PREPARED)
}

/// Publishes without faults: the valid counterpart.
async fn lands_without_fault(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let prepared = prepared(probe, &caller, &publish_body(&caller)).await?;
    submit(probe, &caller, &submit_body(&prepared, &caller)).await?.counterpart_status(&[200])
}

/// Sends a submit while these chain faults are set for its domain.
async fn under_faults<'p>(probe: &'p Probe<'_>, faults: &[&str]) -> Result<Answer<'p>, Stop> {
    let caller = caller(probe).await?;
    let prepared = prepared(probe, &caller, &publish_body(&caller)).await?;
    let fault = |name: &&str| json!({ "fault": name, "where": { "domain": caller.domain } });
    probe.faults(faults.iter().map(fault).collect()).await?;
    submit(probe, &caller, &submit_body(&prepared, &caller)).await
}

/// Makes the chain lose the transaction, so that its blockhash expires, and sends a submit. It must return 410.
async fn expired_blockhash_returns_410(probe: &Probe<'_>) -> Checked {
    lands_without_fault(probe).await?;
    under_faults(probe, &["publish.transaction-lost"]).await?.expect_refused()
}

/// Makes the chain reject the transaction and sends a submit. It must return 502.
async fn rejected_transaction_returns_502(probe: &Probe<'_>) -> Checked {
    lands_without_fault(probe).await?;
    under_faults(probe, &["publish.transaction-rejected"]).await?.expect_refused()
}

/// Makes the chain slow and sends a submit. It must return 410 with `safety ceiling` in `error`.
async fn safety_ceiling_is_named(probe: &Probe<'_>) -> Checked {
    lands_without_fault(probe).await?;
    let named =
        |value: &Value| value.as_str().is_some_and(|text| text.to_lowercase().contains("safety ceiling"));
    // The transaction's later fate is not asserted: in the first case it lands, in the second its blockhash expires.
    for faults in [&["publish.chain-slow"][..], &["publish.chain-slow", "publish.transaction-lost"]] {
        let answer = under_faults(probe, faults).await?;
        answer.expect_refused()?;
        answer.expect_json("/error", "a string that contains \"safety ceiling\"", named)?;
        probe.advance(Duration::from_mins(15)).await?;
    }
    Ok(())
}
