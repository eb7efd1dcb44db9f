//! Checks of the prepare endpoint: the response fields and the rules of the request.

use std::collections::BTreeSet;
use std::time::Duration;

use assay_spec::crypto::text;
use assay_spec::publish::requirements::{exchange, prepare as rows, record, submit};
use serde_json::{Value, json};

use super::refusals;
use super::wire::{Draft, read_message, read_record};
use super::{
    CID, Caller, PREPARE, PREPARED, bound, caller, fresh_key, prepare, prepared, publish_body, read_prepared,
    submit_body, transfer_body,
};
use crate::check::{Check, Checked, Need};
use crate::probe::Probe;
use crate::{refuses, shows};

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::PREPARE_ID, prepare_ids_are_uuids_and_differ)
        .costs(3, 2, 1)
        .writes(3)
        .after(const { &[&submit::LANDS, &submit::LOCK_FREED] }),
    shows!(rows::MESSAGE, message_is_standard_base64).costs(1, 1, 1).writes(1),
    shows!(rows::FEE_PAYER, fee_payer_is_account_0).costs(1, 1, 1).writes(1),
    shows!(rows::LAST_VALID_BLOCK_HEIGHT, last_valid_block_height_is_an_integer).costs(1, 1, 1).writes(1),
    shows!(rows::PAYLOAD, payload_is_the_record).costs(1, 1, 1).writes(1),
    shows!(rows::EXPIRES_AT, expires_at_is_60_seconds_ahead_in_milliseconds).costs(1, 1, 1).writes(1),
    shows!(rows::TXT_OBSERVED, txt_observed_is_null_or_well_formed).costs(1, 1, 1).writes(1),
    refuses!(rows::BODY_JSON, body_that_is_not_an_object_is_rejected, refusals::FIELD)
        .costs(4, 1, 1)
        .writes(4),
    refuses!(rows::DOMAIN_REQUIRED, missing_domain_is_rejected, refusals::FIELD).costs(3, 1, 1).writes(3),
    refuses!(rows::DOMAIN_MATCH, different_domain_in_the_body_is_rejected, refusals::UNAUTHENTICATED)
        .costs(2, 1, 1)
        .writes(2),
    shows!(rows::DOMAIN_TRIMMED, whitespace_around_the_domain_is_trimmed).costs(1, 1, 1).writes(1),
    refuses!(rows::CID_REQUIRED, missing_cid_is_rejected, refusals::FIELD).costs(4, 1, 2).writes(4),
    shows!(rows::CID_NOT_VALIDATED, cid_is_not_validated)
        .costs(1, 1, 1)
        .writes(1)
        .after(const { &[&rows::DOMAIN_TRIMMED] }),
    shows!(rows::VERSION_DEFAULT, missing_version_becomes_0).costs(2, 2, 2).writes(2),
    refuses!(rows::VERSION_STRING, version_that_is_not_a_string_is_rejected, refusals::FIELD)
        .costs(3, 1, 2)
        .writes(3),
    shows!(rows::OP_DEFAULT, missing_op_publishes)
        .costs(2, 2, 2)
        .writes(2)
        .after(const { &[&record::KIND, &rows::DOMAIN_TRIMMED, &rows::LOCK_PER_DOMAIN] }),
    refuses!(rows::OP_KNOWN, unknown_op_is_rejected, refusals::FIELD).costs(3, 1, 1).writes(3),
    refuses!(rows::NEW_AUTHORITY, invalid_new_authority_is_rejected, refusals::NEW_AUTHORITY)
        .costs(4, 1, 1)
        .writes(4),
    refuses!(rows::NEW_AUTHORITY_DIFFERS, transfer_to_the_bound_key_is_rejected, refusals::FIELD)
        .costs(2, 1, 1)
        .writes(2),
    refuses!(rows::ONE_IN_FLIGHT, second_prepare_is_rejected, refusals::CONFLICT).costs(2, 2, 1).writes(2),
    shows!(rows::LOCK_PER_DOMAIN, other_domain_is_not_locked).costs(2, 3, 2).elsewhere(3).writes(2),
    refuses!(rows::REPLAY, replayed_prepare_is_rejected_by_the_lock, refusals::REPLAYED)
        .costs(2, 2, 1)
        .writes(2)
        .after(const { &[&rows::ONE_IN_FLIGHT] }),
    shows!(rows::LOCK_EXPIRES, domain_is_free_after_expiry)
        .costs(2, 3, 1)
        .elsewhere(3)
        .writes(2)
        .waits(65)
        .needs(&[Need::Clock]),
    refuses!(rows::PUBLISHABLE, binding_that_is_not_publishable_is_rejected, refusals::CONFLICT)
        .costs(2, 2, 2)
        .writes(2)
        .needs(&[Need::Actions]),
    refuses!(rows::RECORD_FITS, record_that_is_too_large_is_rejected_and_locks_nothing, refusals::FIELD)
        .costs(2, 2, 1)
        .writes(2)
        .after(const { &[&exchange::BODY_LIMIT] }),
];

/// Sends two prepares. Each `prepareId` must be a UUID, and they must differ.
async fn prepare_ids_are_uuids_and_differ(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let mut seen = BTreeSet::new();
    for round in 0..2 {
        let answer = prepare(probe, &caller, &publish_body(&caller)).await?;
        answer.given_status(&[200])?;
        let is_uuid = |value: &Value| value.as_str().is_some_and(is_uuid);
        let id = answer.expect_json("/prepareId", "a UUID", is_uuid)?.to_string();
        answer.expect(seen.insert(id.clone()), "/prepareId", "a new id for each prepare", id)?;
        if round == 0 {
            // Once the first has landed, the domain accepts the second.
            let prepared = read_prepared(probe, &answer.json())?;
            super::submit(probe, &caller, &submit_body(&prepared, &caller)).await?.given_status(&[200])?;
        }
    }
    Ok(())
}

/// 8-4-4-4-12 hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.concat().chars().all(|c| c.is_ascii_hexdigit())
}

/// Sends a prepare. `message` must be padded standard base64.
async fn message_is_standard_base64(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let answer = prepare(probe, &caller, &publish_body(&caller)).await?;
    answer.given_status(&[200])?;
    let strict = |value: &Value| value.as_str().and_then(text::parse_base64).is_some();
    answer.expect_json("/message", "padded standard base64", strict).map(drop)
}

/// Sends a prepare. `feePayer` must be the base58 address of account 0 of the message.
async fn fee_payer_is_account_0(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let answer = prepare(probe, &caller, &publish_body(&caller)).await?;
    answer.given_status(&[200])?;
    let prepared = read_prepared(probe, &answer.json())?;
    let account = read_message(&prepared.message).and_then(|message| message.accounts.first().copied());
    probe.given(account.is_some(), "the message cannot be decoded")?;
    let address = account.map(|account| bs58::encode(account).into_string()).unwrap_or_default();
    answer.expect_json("/feePayer", &address, |value| *value == address).map(drop)
}

/// Sends a prepare. `lastValidBlockHeight` must be a non-negative integer.
async fn last_valid_block_height_is_an_integer(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let answer = prepare(probe, &caller, &publish_body(&caller)).await?;
    answer.given_status(&[200])?;
    answer.expect_json("/lastValidBlockHeight", "a non-negative integer", Value::is_u64).map(drop)
}

/// Sends a prepare. `payload` must equal the record in the message.
async fn payload_is_the_record(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let answer = prepare(probe, &caller, &publish_body(&caller)).await?;
    answer.given_status(&[200])?;
    let prepared = read_prepared(probe, &answer.json())?;
    let record = read_message(&prepared.message).and_then(|message| message.instructions.into_iter().next());
    let record = record.and_then(|(_, _, data)| String::from_utf8(data).ok());
    probe.given(record.is_some(), "the message carries no UTF-8 record")?;
    let record = record.unwrap_or_default();
    answer.expect_json("/payload", &record, |value| *value == record).map(drop)
}

/// Sends a prepare. `expiresAt` must be 60 seconds after now, in milliseconds, with 15 seconds of tolerance.
async fn expires_at_is_60_seconds_ahead_in_milliseconds(probe: &Probe<'_>) -> Checked {
    const SLACK: i64 = 15_000;
    let caller = caller(probe).await?;
    let (before, skew_ms) = (probe.now().await?, probe.skew_ms());
    let answer = prepare(probe, &caller, &publish_body(&caller)).await?;
    answer.given_status(&[200])?;
    // The answer may be the first that shows the target's clock.
    let before = before + (probe.skew_ms() - skew_ms);
    let range = before.0 + 60_000 - SLACK..=probe.now().await?.0 + 60_000 + SLACK;
    let want = format!("milliseconds, 60 s after now: {} to {}", range.start(), range.end());
    answer
        .expect_json("/expiresAt", &want, |value| value.as_i64().is_some_and(|at| range.contains(&at)))
        .map(drop)
}

/// A condition on a member of an object.
type Member<'a> = &'a dyn Fn(&Value) -> bool;

/// Sends a prepare. `txtObserved` must be null or absent, or an object whose members have the documented types.
async fn txt_observed_is_null_or_well_formed(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let answer = prepare(probe, &caller, &publish_body(&caller)).await?;
    answer.given_status(&[200])?;
    let body = answer.json();
    answer.given_accepted(&[200], PREPARED)?;
    let Some(observed) = body.get("txtObserved").filter(|observed| !observed.is_null()) else {
        probe.note("txtObserved is null or absent");
        return answer.expect(body.is_object(), "body", "a JSON object", body.to_string());
    };
    let integer = |value: &Value| value.is_i64() || value.is_u64();
    let members: [(&str, &str, Member<'_>); 5] = [
        ("vault", "a string", &Value::is_string),
        ("agreeing", "an integer", &integer),
        ("required", "an integer", &integer),
        ("reason", "a string", &Value::is_string),
        ("at", "milliseconds since the epoch", &|value| {
            value.as_i64().is_some_and(|at| at > 1_000_000_000_000)
        }),
    ];
    answer.expect(observed.is_object(), "/txtObserved", "null or an object", observed.to_string())?;
    for (name, want, holds) in members {
        answer.expect_json(&format!("/txtObserved/{name}"), want, holds)?;
    }
    Ok(())
}

/// Sends each of `bodies`, which must return one of `statuses`, and then `good` as their valid counterpart.
///
/// The counterpart comes last because it takes the domain's lock. The statuses are judged after it: a domain that
/// cannot publish at all proves nothing. An accepted body fails at once.
async fn each_is_rejected(
    probe: &Probe<'_>,
    caller: &Caller,
    statuses: &[u16],
    bodies: Vec<String>,
    good: &Value,
) -> Checked {
    let mut refused = Vec::new();
    for body in bodies {
        let answer = Draft::new(probe, caller, PREPARE, body).await?.send(probe).await?;
        if answer.status() == 200 {
            answer.expect_status(statuses)?;
        }
        refused.push(answer);
    }
    prepare(probe, caller, good).await?.counterpart_status(&[200])?;
    refused.iter().try_for_each(|answer| answer.expect_status(statuses))
}

/// Sends malformed variants of an ordinary publish. Each must return 400.
async fn each_is_malformed(probe: &Probe<'_>, bodies: impl FnOnce(Value) -> Vec<String>) -> Checked {
    let caller = caller(probe).await?;
    let good = publish_body(&caller);
    each_is_rejected(probe, &caller, &[400], bodies(good.clone()), &good).await
}

/// `body` with a member replaced, or removed if `value` is null.
fn with(body: &Value, member: &str, value: Value) -> String {
    let mut body = body.clone();
    match (body.as_object_mut(), value) {
        (Some(members), Value::Null) => drop(members.shift_remove(member)),
        (Some(members), value) => drop(members.insert(member.to_owned(), value)),
        (None, _) => {}
    }
    body.to_string()
}

/// Sends prepares with truncated JSON, an array and a control character as the body. Each must return 400.
async fn body_that_is_not_an_object_is_rejected(probe: &Probe<'_>) -> Checked {
    let malformed = |good: Value| {
        let cut = good.to_string();
        vec![cut[..cut.len() - 1].to_owned(), format!("[{good}]"), "\u{1}".to_owned()]
    };
    each_is_malformed(probe, malformed).await
}

/// Sends a prepare with a number as `domain` and one without `domain`. The first must return 400, or 404 as a domain that
/// differs from the envelope's; the second must return 400.
async fn missing_domain_is_rejected(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let number = with(&publish_body(&caller), "domain", json!(7));
    let answer = Draft::new(probe, &caller, PREPARE, number).await?.send(probe).await?;
    answer.expect_status(&[400, 404])?;
    let good = publish_body(&caller);
    let missing = with(&good, "domain", Value::Null);
    each_is_rejected(probe, &caller, &[400], vec![missing], &good).await
}

/// Sends a prepare whose body names a different domain than the envelope. It must return 404 (or 400 where the
/// profile allows it).
async fn different_domain_in_the_body_is_rejected(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let mut body = publish_body(&caller);
    body["domain"] = json!("another.example");
    let lenient = probe.settings.publish.lenient_rule7;
    let wanted: &[u16] = if lenient { &[404, 400] } else { &[404] };
    each_is_rejected(probe, &caller, wanted, vec![body.to_string()], &publish_body(&caller)).await
}

/// Sends a prepare with whitespace around `domain`. It must return 200.
async fn whitespace_around_the_domain_is_trimmed(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let mut body = publish_body(&caller);
    body["domain"] = json!(format!("  {}\t\n", caller.domain));
    prepare(probe, &caller, &body).await?.expect_accepted(&[200], PREPARED)
}

/// Sends prepares with `cid` missing, empty and a number. Each must return 400; the number may be read as a string, which
/// the record must then contain.
async fn missing_cid_is_rejected(probe: &Probe<'_>) -> Checked {
    let values = [Value::Null, json!("")];
    each_is_malformed(probe, |good| values.iter().map(|value| with(&good, "cid", value.clone())).collect())
        .await?;
    number_is_rejected_or_read(probe, "cid", "c").await
}

/// Sends a prepare of another domain with a number as `member`. It must return 400, or a record whose `key` is the number
/// as a string.
async fn number_is_rejected_or_read(probe: &Probe<'_>, member: &str, key: &str) -> Checked {
    let caller = caller(probe).await?;
    let body = with(&publish_body(&caller), member, json!(7));
    let answer = Draft::new(probe, &caller, PREPARE, body).await?.send(probe).await?;
    if answer.status() != 200 {
        return answer.expect_refused();
    }
    let prepared = read_prepared(probe, &answer.json())?;
    let record = read_record(&prepared.message);
    let found = record.and_then(|record| record.members.get(key).cloned()).unwrap_or_default();
    let want = format!("400, or \"7\" in the record's `{key}`");
    answer.expect(found == "7", &format!("record /{key}"), want, found.to_string())
}

/// Sends a prepare whose `cid` is not a content identifier. It must return 200, since the server does not validate
/// it.
async fn cid_is_not_validated(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let mut body = publish_body(&caller);
    body["cid"] = json!("not a CID at all");
    prepare(probe, &caller, &body).await?.expect_accepted(&[200], PREPARED)
}

/// Sends a prepare without `version` and one with an empty `version`. The record's `v` must be `0`.
async fn missing_version_becomes_0(probe: &Probe<'_>) -> Checked {
    for version in [None, Some("")] {
        let caller = caller(probe).await?;
        let mut body = publish_body(&caller);
        if let Some(version) = version {
            body["version"] = json!(version);
        }
        let prepared = prepared(probe, &caller, &body).await?;
        let record = read_record(&prepared.message);
        probe.given(record.is_some(), "the record cannot be parsed")?;
        let v = record.and_then(|record| record.members.get("v").cloned()).unwrap_or_default();
        // Other requirements judge the record's other values. Only the default matters here.
        let default = v.as_str().is_some_and(|v| v == "0" || v.starts_with("0."));
        probe.expect(default, "record /v", "\"0\"", v.to_string())?;
    }
    Ok(())
}

/// Sends prepares with an array and with a number as `version`. Each must return 400; the number may be read as a string,
/// which the record must then contain.
async fn version_that_is_not_a_string_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_malformed(probe, |good| vec![with(&good, "version", json!(["3"]))]).await?;
    number_is_rejected_or_read(probe, "version", "v").await
}

/// Sends a prepare without `op` and one with `op` = `pub`. Both must return 200 with a `pub` record.
async fn missing_op_publishes(probe: &Probe<'_>) -> Checked {
    for op in [None, Some("pub")] {
        let caller = caller(probe).await?;
        let body = with(&publish_body(&caller), "op", json!(op));
        let body: Value = serde_json::from_str(&body).unwrap_or_default();
        let answer = prepare(probe, &caller, &body).await?;
        answer.expect_status(&[200])?;
        let prepared = read_prepared(probe, &answer.json())?;
        let before = read_record(&prepared.message).map(|record| record.before).unwrap_or_default();
        answer.expect(before.ends_with(":pub:"), "kind of the record", "pub", before)?;
    }
    Ok(())
}

/// Sends prepares with an unknown `op` and with a number as `op`. Each must return 400.
async fn unknown_op_is_rejected(probe: &Probe<'_>) -> Checked {
    each_is_malformed(probe, |good| vec![with(&good, "op", json!("burn")), with(&good, "op", json!(1))]).await
}

/// Sends transfers whose `newAuthority` is missing, has no key scheme, or is truncated. Each must return 400.
async fn invalid_new_authority_is_rejected(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let good = transfer_body(probe, &caller, &fresh_key(probe));
    let key = good["newAuthority"].as_str().unwrap_or_default().to_owned();
    let bare = key.trim_start_matches(probe.settings.dialect.key_scheme.as_str()).to_owned();
    let values = [Value::Null, json!(bare), json!(&key[..key.len() - 9])];
    let bodies = values.map(|value| with(&good, "newAuthority", value)).to_vec();
    each_is_rejected(probe, &caller, &[400], bodies, &good).await
}

/// Sends a transfer whose `newAuthority` is the bound key. It must return 400.
async fn transfer_to_the_bound_key_is_rejected(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let same = transfer_body(probe, &caller, &caller.key);
    let other = transfer_body(probe, &caller, &fresh_key(probe));
    each_is_rejected(probe, &caller, &[400], vec![same.to_string()], &other).await
}

/// Sends two prepares for one domain. The second must return 409.
async fn second_prepare_is_rejected(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    prepare(probe, &caller, &publish_body(&caller)).await?.counterpart_status(&[200])?;
    let mut other = publish_body(&caller);
    other["version"] = json!("2");
    prepare(probe, &caller, &other).await?.expect_refused()
}

/// Sends prepares for two domains. The second must return 200, since the lock is per domain.
async fn other_domain_is_not_locked(probe: &Probe<'_>) -> Checked {
    let (first, second) = (caller(probe).await?, caller(probe).await?);
    prepare(probe, &first, &publish_body(&first)).await?.given_accepted(&[200], PREPARED)?;
    prepare(probe, &second, &publish_body(&second)).await?.expect_accepted(&[200], PREPARED)
}

/// Sends the same prepare twice, byte for byte. The second must return 409.
async fn replayed_prepare_is_rejected_by_the_lock(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let draft = Draft::new(probe, &caller, PREPARE, publish_body(&caller).to_string()).await?;
    draft.send(probe).await?.counterpart_status(&[200])?;
    draft.send(probe).await?.expect_refused()
}

/// Sends a prepare, moves the clock 65 seconds and sends another. The second must return 200.
async fn domain_is_free_after_expiry(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    prepare(probe, &caller, &publish_body(&caller)).await?.given_accepted(&[200], PREPARED)?;
    probe.advance(Duration::from_secs(65)).await?;
    prepare(probe, &caller, &publish_body(&caller)).await?.expect_accepted(&[200], PREPARED)
}

/// Sends a prepare for a domain whose binding is not publishable. It must return 409.
async fn binding_that_is_not_publishable_is_rejected(probe: &Probe<'_>) -> Checked {
    let good = caller(probe).await?;
    prepare(probe, &good, &publish_body(&good)).await?.counterpart_status(&[200])?;
    let bad = bound(probe, json!({ "publishable": false })).await?;
    prepare(probe, &bad, &publish_body(&bad)).await?.expect_refused()
}

/// Sends a prepare whose record is too large for one transaction. It must return 400, and a smaller one must then
/// return 200.
async fn record_that_is_too_large_is_rejected_and_locks_nothing(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let sized = |length: usize| {
        let mut body = publish_body(&caller);
        body["cid"] = json!(CID.repeat(length / CID.len() + 1)[..length]);
        body
    };
    each_is_rejected(probe, &caller, &[400], vec![sized(2000).to_string()], &sized(300)).await
}
