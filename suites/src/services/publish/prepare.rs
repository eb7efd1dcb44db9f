//! Checks of the prepare endpoint: the response fields and the rules of the request.

use assay_spec::Place;
use assay_spec::crypto::{ed25519, text};
use assay_spec::json::is_integer;
use assay_spec::limit::Unit;
use assay_spec::publish::limits::{PREPARE_LIFETIME, RECORD};
use assay_spec::publish::places::{BY_INCOMING, PREPARE_PUB, PREPARE_TRANSFER};
use assay_spec::publish::record::Record;
use assay_spec::publish::rejections;
use assay_spec::publish::requirements::{exchange, prepare as rows, record, submit, transfer};
use assay_spec::value::{ARRAY, BOOLEAN, EMPTY, NULL, NUMBER, OBJECT, ValueKind};
use serde_json::{Value, json};

use super::pool::Talk;
use super::scene::{Knock, Scene, answered, expect_unlocked};
use super::wire::{Draft, read_message, read_record};
use super::{
    CID, PREPARE, PREPARED, Prepared, caller, declared, each_value_alone, each_value_is_prepared, expire,
    next_minute, prepare, publish_body, read_prepared, transfer_body,
};
use crate::harness::boundary::{Edges, edges, expect_beyond, expect_inside, ms, slack_ms};
use crate::harness::check::{Checked, Stop, rejects, shows};
use crate::harness::data::{At, Want};
use crate::harness::probe::{Answer, Probe};

/// A `domain` that is not one: the server may also say that it differs from the envelope's.
const DOMAIN: &[ValueKind] = &[BOOLEAN, ARRAY, OBJECT, NULL, EMPTY, NUMBER];

/// Sends two prepares, the second after the first has landed or expired. Each `prepareId` must be a UUID, and they must
/// differ. Without a clock, a domain that is transferred has only one.
#[shows(rows::PREPARE_ID, after(submit::LANDS, submit::LOCK_FREED))]
async fn prepare_ids_are_uuids_and_differ(probe: &Probe<'_>, place: Place) -> Checked {
    let (mut scene, first) = answered(probe, place).await?;
    let id = expect_uuid(&first.answer)?;
    if !rows::CID_REQUIRED.places.contains(&place) {
        if !probe.owns_time() {
            return Ok(());
        }
        expire(probe).await?;
    } else if probe.has_control() {
        let prepared = first.prepared(probe)?;
        scene.submit(probe, &scene.submission(&prepared)).await?.given_status(&[200])?;
    } else {
        // The first has landed.
        scene = Scene::at(probe, place).await?;
    }
    let second = scene.prepare(probe).await?;
    let again = expect_uuid(&second)?;
    second.expect(again != id, "/prepareId", "a new id for each prepare", again)
}

/// Expects that `prepareId` is a UUID, and returns it.
fn expect_uuid(answer: &Answer<'_>) -> Result<String, Stop> {
    answer.given_status(&[200])?;
    let is_uuid = |value: &Value| value.as_str().is_some_and(is_uuid);
    answer.expect_json("/prepareId", "a UUID", is_uuid).map(|id| id.to_string())
}

/// 8-4-4-4-12 hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.concat().chars().all(|c| c.is_ascii_hexdigit())
}

/// Sends a prepare. `message` must be padded standard base64.
#[shows(rows::MESSAGE)]
async fn message_is_standard_base64(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, Talk { answer, .. }) = answered(probe, place).await?;
    answer.given_status(&[200])?;
    // A message of this length is not hexadecimal by chance.
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let strict = |value: &Value| {
        value.as_str().is_some_and(|text| !is_hex(text) && text::parse_base64(text).is_some())
    };
    answer.expect_json("/message", "padded standard base64", strict).map(drop)
}

/// Sends a prepare. `feePayer` must be the base58 address of account 0 of the message.
#[shows(rows::FEE_PAYER)]
async fn fee_payer_is_account_0(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, Talk { answer, .. }) = answered(probe, place).await?;
    answer.given_status(&[200])?;
    let prepared = read_prepared(probe, &answer.json())?;
    let account = read_message(&prepared.message).and_then(|message| message.accounts.first().copied());
    probe.given(account.is_some(), "the message cannot be decoded")?;
    let address = account.map(|account| bs58::encode(account).into_string()).unwrap_or_default();
    answer.expect_json("/feePayer", &address, |value| *value == address).map(drop)
}

/// Sends a prepare. `lastValidBlockHeight` must be a non-negative integer.
#[shows(rows::LAST_VALID_BLOCK_HEIGHT)]
async fn last_valid_block_height_is_an_integer(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, Talk { answer, .. }) = answered(probe, place).await?;
    answer.given_status(&[200])?;
    answer.expect_json("/lastValidBlockHeight", "a non-negative integer", Value::is_u64).map(drop)
}

/// Sends a prepare. `payload` must equal the record in the message.
#[shows(rows::PAYLOAD)]
async fn payload_is_the_record(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, Talk { answer, .. }) = answered(probe, place).await?;
    answer.given_status(&[200])?;
    let prepared = read_prepared(probe, &answer.json())?;
    let record = read_message(&prepared.message).and_then(|message| message.instructions.into_iter().next());
    let record = record.and_then(|(_, _, data)| String::from_utf8(data).ok());
    probe.given(record.is_some(), "the message carries no UTF-8 record")?;
    let record = record.unwrap_or_default();
    answer.expect_json("/payload", &record, |value| *value == record).map(drop)
}

/// Sends a prepare. `expiresAt` must be 60 seconds after now, in milliseconds: exactly in a world of its own, elsewhere with
/// five seconds of tolerance. In a world of its own a prepare for another domain follows half a minute later.
#[shows(rows::EXPIRES_AT)]
async fn expires_at_is_60_seconds_ahead_in_milliseconds(probe: &Probe<'_>, place: Place) -> Checked {
    expect_lifetime(probe, place).await?;
    if !probe.owns_time() {
        return Ok(());
    }
    probe.advance(ms(PREPARE_LIFETIME.value / 2)).await?;
    expect_lifetime(probe, place).await
}

/// Sends a prepare, and expects it to expire 60 seconds after now.
async fn expect_lifetime(probe: &Probe<'_>, place: Place) -> Checked {
    let slack = slack_ms(probe, &PREPARE_LIFETIME);
    let (_, Talk { answer, sent: [before, after], .. }) = answered(probe, place).await?;
    answer.given_status(&[200])?;
    let lifetime = PREPARE_LIFETIME.value;
    let range = before.0 + lifetime - slack..=after.0 + lifetime + slack;
    let want = format!("milliseconds, 60 s after now: {} to {}", range.start(), range.end());
    answer
        .expect_json("/expiresAt", &want, |value| value.as_i64().is_some_and(|at| range.contains(&at)))
        .map(drop)
}

/// An integer that is not negative.
fn is_count(value: &Value) -> bool {
    is_integer(value) && value.as_f64().is_some_and(|count| count >= 0.0)
}

/// A condition on a member of an object.
type Member<'a> = &'a dyn Fn(&Value) -> bool;

/// Sends a prepare. `txtObserved` must be null or absent, or an object whose members have the documented types. The counts
/// must not be negative, and the observation was made before the answer.
#[shows(rows::TXT_OBSERVED)]
async fn txt_observed_is_null_or_well_formed(probe: &Probe<'_>, place: Place) -> Checked {
    let slack = slack_ms(probe, &PREPARE_LIFETIME);
    let (_, Talk { answer, sent: [_, after], .. }) = answered(probe, place).await?;
    answer.given_status(&[200])?;
    let body = answer.json();
    answer.given_accepted(&[200], PREPARED)?;
    let Some(observed) = body.get("txtObserved").filter(|observed| !observed.is_null()) else {
        probe.note("txtObserved is null or absent");
        return answer.expect(body.is_object(), "body", "a JSON object", body.to_string());
    };
    let members: [(&str, &str, Member<'_>); 5] = [
        ("vault", "a string", &Value::is_string),
        ("agreeing", "an integer, not negative", &is_count),
        ("required", "an integer, not negative", &is_count),
        ("reason", "a string", &Value::is_string),
        ("at", "milliseconds since the epoch, not after the answer", &|value| {
            value.as_i64().is_some_and(|at| at > 1_000_000_000_000 && at <= after.0 + slack)
        }),
    ];
    answer.expect(observed.is_object(), "/txtObserved", "null or an object", observed.to_string())?;
    for (name, want, holds) in members {
        answer.expect_json(&format!("/txtObserved/{name}"), want, holds)?;
    }
    Ok(())
}

/// Prepares for domains without an observed TXT record, and with one that names another vault. `txtObserved` must be null or absent,
/// and have another `vault` than the client's key.
#[shows(rows::TXT_LAST, needs(Faults))]
async fn txt_observed_is_the_last_observation(probe: &Probe<'_>, place: Place) -> Checked {
    let prepared_under = async |fault: &str| {
        let scene = Scene::at(probe, place).await?;
        probe.faults(json!([{ "fault": fault }])).await?;
        let answer = scene.prepare(probe).await?;
        probe.faults(json!([])).await?;
        answer.given_accepted(&[200], PREPARED)?;
        Ok::<_, Stop>((scene.caller, answer))
    };
    let (_, answer) = prepared_under("publish.txt-missing").await?;
    let observed = answer.json()["txtObserved"].clone();
    let want = "null or absent: nothing was observed";
    answer.expect(observed.is_null(), "/txtObserved", want, observed.to_string())?;

    let (caller, answer) = prepared_under("publish.txt-disagrees").await?;
    let address = ed25519::address(&caller.key);
    let want = format!("another vault than the client's key {address}");
    let is_other = |vault: &Value| vault.as_str().is_some_and(|vault| !vault.ends_with(&address));
    answer.expect_json("/txtObserved/vault", &want, is_other).map(drop)
}

/// Sends each of `bodies`, which must return one of `statuses`, and then the scene's prepare as their valid counterpart.
///
/// The counterpart comes last because it takes the domain's lock; one that checks share comes first. The statuses are
/// judged after it: a domain that cannot publish at all proves nothing. An accepted body fails at once.
async fn each_is_rejected(
    probe: &Probe<'_>,
    scene: &Scene,
    statuses: &[u16],
    what: &str,
    bodies: Vec<(ValueKind, String)>,
) -> Checked {
    let is_first = !probe.has_control() && !BY_INCOMING.contains(&scene.place);
    if is_first {
        scene.counterpart(probe).await?;
    }
    let mut refused = Vec::new();
    for (n, (wrong, body)) in bodies.into_iter().enumerate() {
        next_minute(probe, n).await?;
        let answer = Draft::new(probe, &scene.caller, PREPARE, body).await?.send(probe).await?;
        if answer.status() == 200 {
            answer.expect_one_of(statuses, what, &wrong)?;
        }
        refused.push((wrong, answer));
    }
    if !is_first {
        scene.counterpart(probe).await?;
    }
    refused.iter().try_for_each(|(wrong, answer)| answer.expect_one_of(statuses, what, wrong))
}

/// A body that is wrong in one way.
fn alone(name: &'static str, body: String) -> Vec<(ValueKind, String)> {
    vec![(ValueKind::near(name, |_| None), body)]
}

/// Sends a valid body of the place with each wrong value of a member that must be rejected. Each must return 400.
async fn each_value_is_malformed(
    probe: &Probe<'_>,
    place: Place,
    member: &str,
    good: impl FnOnce(Value) -> Value,
) -> Checked {
    let scene = Scene::rejected(probe, place).await?;
    let good = good(scene.body.clone());
    // What may be accepted would take the lock of the domain.
    let rejected = probe.wrong_values().filter(|wrong| wrong.may_be_accepted.is_empty());
    let bodies =
        rejected.map(|wrong| (*wrong, put(&good, member, wrong.instead_of(&good[member])))).collect();
    each_is_rejected(probe, &scene, &[400], member, bodies).await
}

/// `body` with a member replaced, or removed.
fn put(body: &Value, member: &str, value: Option<Value>) -> String {
    let mut body = body.clone();
    match (body.as_object_mut(), value) {
        (Some(members), None) => drop(members.shift_remove(member)),
        (Some(members), Some(value)) => drop(members.insert(member.to_owned(), value)),
        (None, _) => {}
    }
    body.to_string()
}

/// Sends truncated JSON, an array and a control character as the body. Each must return 400; the array, which names no domain,
/// 400 or 404.
#[rejects(rows::BODY_JSON)]
async fn body_that_is_not_an_object_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let knock = Knock::at(probe, place).await?;
    let reject = async |knock: &Knock| {
        knock.counterpart(probe).await?;
        let good = knock.scene.body.to_string();
        for body in [good[..good.len() - 1].to_owned(), format!("[{good}]"), "\u{1}".to_owned()] {
            let statuses: &[u16] =
                if body.starts_with('[') { &[400, 404] } else { probe.rejection().statuses };
            let knock = Knock { scene: knock.scene.clone(), body, ..*knock };
            knock.send(probe, |_| {}).await?.expect_status(statuses)?;
        }
        Ok(())
    };
    reject(&knock).await?;
    knock.locks_nothing(probe, reject).await
}

/// Sends prepares whose `domain` is of another type or empty, and one without `domain`. The first must return 400, or 404 as
/// a domain that differs from the envelope's; the last must return 400.
#[rejects(rows::DOMAIN_REQUIRED, after(rows::DOMAIN_MATCH))]
async fn missing_domain_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let scene = Scene::rejected(probe, place).await?;
    for wrong in DOMAIN {
        let body = put(&scene.body, "domain", wrong.instead_of(&scene.body["domain"]));
        let answer = Draft::new(probe, &scene.caller, PREPARE, body).await?.send(probe).await?;
        answer.expect_one_of(&[400, 404], "domain", wrong)?;
    }
    let missing = put(&scene.body, "domain", None);
    each_is_rejected(probe, &scene, &[400], "domain", alone("missing", missing)).await
}

/// Sends a prepare whose body names a different domain than the envelope. It must return 404 (or 400 where the
/// profile allows it).
#[rejects(rows::DOMAIN_MATCH)]
async fn different_domain_in_the_body_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let scene = Scene::rejected(probe, place).await?;
    let other = put(&scene.body, "domain", Some(json!("another.example")));
    let lenient = probe.settings.publish().lenient_rule7;
    let wanted: &[u16] = if lenient { &[404, 400] } else { &[404] };
    each_is_rejected(probe, &scene, wanted, "domain", alone("another", other)).await
}

/// Sends prepares with whitespace around `domain`. Each must return 200.
#[shows(rows::DOMAIN_TRIMMED, uses_up, after(transfer::ACCEPT_ADMITTED))]
async fn whitespace_around_the_domain_is_trimmed(probe: &Probe<'_>, place: Place) -> Checked {
    // On a shared target, what is not a publish locks its domain for a minute.
    let is_sent =
        |padding: &&ValueKind| probe.owns_time() || PREPARE_PUB.contains(&place) || !padding.is_beyond_quick;
    let send = async |padding: &ValueKind| {
        let scene = Scene::at(probe, place).await?;
        let body = put(&scene.body, "domain", padding.instead_of(&scene.body["domain"]));
        Draft::new(probe, &scene.caller, PREPARE, body).await?.send(probe).await
    };
    for (n, padding) in probe.uncommon_values().filter(is_sent).enumerate() {
        let answer = send(padding).await?;
        if n == 0 && answer.is_malformed() {
            each_value_alone(probe, async |padding| {
                send(padding).await?.expect_not_malformed("domain", padding)
            })
            .await?;
        }
        answer.expect_not_malformed("domain", padding)?;
        answer.given_accepted(&[200], PREPARED)?;
    }
    Ok(())
}

/// Sends prepares with `cid` missing, null, empty, of another type and a number. Each must return 400; the number may be
/// read as a string, which the record must then contain.
#[rejects(rows::CID_REQUIRED)]
async fn missing_cid_is_rejected(probe: &Probe<'_>) -> Checked {
    each_value_is_malformed(probe, PREPARE_PUB[0], "cid", |good| good).await?;
    number_is_rejected_or_read(probe, "cid", "c").await
}

/// Sends a prepare of another domain with a number as `member`. It must return 400, or a record whose `key` is the number
/// as a string.
async fn number_is_rejected_or_read(probe: &Probe<'_>, member: &str, key: &str) -> Checked {
    let caller = caller(probe).await?;
    let body = put(&publish_body(&caller), member, Some(json!(7)));
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

/// Sends prepares whose `cid` is not a content identifier, or one in another form. Each must return 200, since the server does
/// not validate it.
#[shows(rows::CID_NOT_VALIDATED, uses_up, after(rows::DOMAIN_TRIMMED))]
async fn cid_is_not_validated(probe: &Probe<'_>) -> Checked {
    each_value_is_prepared(probe, "cid", |_, _| Ok(())).await
}

/// Sends a prepare without `version` and ones with a blank `version`. The record's `v` must be `0`.
#[shows(rows::VERSION_DEFAULT, after(record::VERSION))]
async fn missing_version_becomes_0(probe: &Probe<'_>) -> Checked {
    let is_default = |name: &str, prepared: &Prepared| {
        let record = read_record(&prepared.message);
        probe.given(record.is_some(), "the record cannot be parsed")?;
        let v = record.and_then(|record| record.members.get("v").cloned()).unwrap_or_default();
        probe.expect(v == "0", &format!("record /v for a version that is {name}"), "\"0\"", v.to_string())
    };
    is_default("missing", &answered(probe, PREPARE_PUB[0]).await?.1.prepared(probe)?)?;
    each_value_is_prepared(probe, "version", |blank, prepared| is_default(blank.name, prepared)).await
}

/// Sends prepares with a `version` of another type, and with a number. Each must return 400; the number may be read as a
/// string, which the record must then contain.
#[rejects(rows::VERSION_STRING)]
async fn version_that_is_not_a_string_is_rejected(probe: &Probe<'_>) -> Checked {
    let versioned = |mut good: Value| {
        good["version"] = json!("1");
        good
    };
    each_value_is_malformed(probe, PREPARE_PUB[0], "version", versioned).await?;
    number_is_rejected_or_read(probe, "version", "v").await
}

/// Sends a prepare without `op` and one with `op` = `pub`. Both must return 200 with a `pub` record.
#[shows(rows::OP_DEFAULT, after(record::KIND, rows::DOMAIN_TRIMMED, rows::LOCK_PER_DOMAIN))]
async fn missing_op_publishes(probe: &Probe<'_>) -> Checked {
    let (_, Talk { answer: with, .. }) = answered(probe, PREPARE_PUB[0]).await?;
    let caller = caller(probe).await?;
    let body = put(&publish_body(&caller), "op", None);
    let without = Draft::new(probe, &caller, PREPARE, body).await?.send(probe).await?;
    for answer in [with, without] {
        answer.expect_status(&[200])?;
        let prepared = read_prepared(probe, &answer.json())?;
        let record = probe.given_some(read_record(&prepared.message), "the record cannot be parsed")?;
        let before = record.before;
        answer.expect(before.ends_with(":pub:"), "kind of the record", "pub", before)?;
    }
    Ok(())
}

/// Sends prepares whose `op` is another word, in another spelling, or of another type. Each must return 400.
#[rejects(rows::OP_KNOWN)]
async fn unknown_op_is_rejected(probe: &Probe<'_>) -> Checked {
    each_value_is_malformed(probe, PREPARE_PUB[0], "op", |good| good).await
}

/// Sends transfers whose `newAuthority` is missing, empty, of another type, without or with another key scheme, in another
/// spelling, or not the base58 string of 32 bytes. Each must return 400. In a world of its own, a key whose first byte is zero
/// must be accepted.
#[rejects(rows::NEW_AUTHORITY)]
async fn invalid_new_authority_is_rejected(probe: &Probe<'_>) -> Checked {
    each_value_is_malformed(probe, PREPARE_TRANSFER[0], "newAuthority", |good| good).await?;
    // Elsewhere another accepted prepare would lock another domain.
    if !probe.owns_time() {
        return Ok(());
    }
    let mut short = Scene::at(probe, PREPARE_TRANSFER[0]).await?;
    short.body["newAuthority"] = json!(format!("{}{}", probe.settings.dialect.key_scheme, short_address()));
    let answer = short.prepare(probe).await?;
    answer.given(answer.status() != 409, "the domain is locked; another check judges this")?;
    answer.expect_accepted(&[200], PREPARED)
}

/// The address of a key with a leading zero byte. Base58 writes such bytes in another way than the rest: the address has 42
/// characters, and most have 43 or 44.
fn short_address() -> String {
    // Found by trying the numbers from 0 as seeds.
    const SEED: u64 = 123_120;
    let mut seed = [0; 32];
    seed[24..].copy_from_slice(&SEED.to_be_bytes());
    ed25519::address(&ed25519::key_from_seed(seed))
}

/// Sends a transfer whose `newAuthority` is the bound key. It must return 400.
#[rejects(rows::NEW_AUTHORITY_DIFFERS)]
async fn transfer_to_the_bound_key_is_rejected(probe: &Probe<'_>) -> Checked {
    let scene = Scene::rejected(probe, PREPARE_TRANSFER[0]).await?;
    let same = transfer_body(probe, &scene.caller, &scene.caller.key);
    let bodies = alone("the bound key", same.to_string());
    each_is_rejected(probe, &scene, &[400], "newAuthority", bodies).await
}

/// Sends two prepares for one domain at one moment, and a third. One of the two must return 409, and
/// so must the third.
#[rejects(rows::ONE_IN_FLIGHT, after(exchange::SPELLING))]
async fn second_prepare_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let scene = Scene::at(probe, place).await?;
    // Not the same bytes: that would be a replay.
    let draft = async |blanks: &str| {
        Draft::new(probe, &scene.caller, PREPARE, format!("{}{blanks}", scene.body)).await
    };
    let [one, other, third] = [draft("").await?, draft(" ").await?, draft("  ").await?];
    let (one, other) = futures_util::future::join(one.send(probe), other.send(probe)).await;
    let (one, other) = (one?, other?);
    let (accepted, rejected) = if one.status() == 200 { (one, other) } else { (other, one) };
    accepted.counterpart_status(&[200])?;
    rejected.expect_refused()?;
    let cause = rejected.json()["cause"].clone();
    let want = "another cause than transfer-frozen, at which clients stop: no transfer is pending";
    let is_frozen = cause == "transfer-frozen" && place == PREPARE_PUB[0];
    rejected.expect(!is_frozen, "/cause", want, cause.to_string())?;
    third.send(probe).await?.expect_refused()?;
    // The lock is one of the domain, whatever is prepared.
    let op = if place == PREPARE_PUB[0] { PREPARE_TRANSFER[0] } else { PREPARE_PUB[0] };
    if BY_INCOMING.contains(&place) || !probe.owns_time() {
        return Ok(());
    }
    Scene::bound(probe, op, scene.caller.clone()).prepare(probe).await?.expect_refused()
}

/// Sends prepares for two domains, in a world of its own for one below the other. The second must return 200, since the lock is per
/// domain.
#[shows(rows::LOCK_PER_DOMAIN, after(transfer::ACCEPT_ADMITTED))]
async fn other_domain_is_not_locked(probe: &Probe<'_>, place: Place) -> Checked {
    let [first, other] = if probe.has_control() {
        let other = Scene::at(probe, place).await?;
        let below = json!({ "domain": format!("www.{}", other.caller.domain) });
        [Scene::with(probe, PREPARE_PUB[0], &below).await?, other]
    } else {
        Scene::pair(probe, [PREPARE_PUB[0], place]).await?
    };
    first.prepare(probe).await?.given_accepted(&[200], PREPARED)?;
    other.prepare(probe).await?.expect_accepted(&[200], PREPARED)
}

/// Sends the same prepare twice, byte for byte. The second must return 409.
#[rejects(rows::REPLAY, after(rows::ONE_IN_FLIGHT))]
async fn replayed_prepare_is_rejected_by_the_lock(probe: &Probe<'_>, place: Place) -> Checked {
    let scene = Scene::at(probe, place).await?;
    let draft = Draft::new(probe, &scene.caller, PREPARE, scene.body.to_string()).await?;
    draft.send(probe).await?.counterpart_status(&[200])?;
    draft.send(probe).await?.expect_refused()
}

/// Sends a prepare and another after 60 seconds. The second must return 200. In a world of its own a millisecond after,
/// elsewhere five seconds.
#[shows(rows::LOCK_EXPIRES, waits(195), needs(Clock))]
async fn domain_is_free_after_expiry(probe: &Probe<'_>, place: Place) -> Checked {
    let Edges { outside, .. } = edges(probe, &PREPARE_LIFETIME);
    let scene = Scene::at(probe, place).await?;
    scene.prepare(probe).await?.given_accepted(&[200], PREPARED)?;
    probe.advance(ms(outside)).await?;
    let again = scene.prepare(probe).await?;
    again.given(again.json()["cause"].is_null(), "the key is frozen")?;
    let what = format!("a prepare {} after an unused one", Unit::Millisecond.amount(outside));
    expect_inside(&again, &PREPARE_LIFETIME, &what, rejections::CONFLICT.statuses)?;
    again.expect_accepted(&[200], PREPARED)
}

/// Sends a prepare for a domain whose binding is not publishable. It must return 409.
#[rejects(
    rows::PUBLISHABLE,
    needs(Actions),
    or_given("[publish] not_publishable", |settings| settings.publish().not_publishable.is_some()),
)]
async fn binding_that_is_not_publishable_is_rejected(probe: &Probe<'_>, place: Place) -> Checked {
    let bad = if probe.has_control() {
        Scene::at(probe, place).await?.prepare(probe).await?.counterpart_status(&[200])?;
        Scene::with(probe, place, &json!({ "publishable": false })).await?
    } else {
        let caller = declared(probe, "not_publishable", |fixtures| &fixtures.not_publishable)?;
        probe.found(
            !BY_INCOMING.contains(&place),
            "needs a pending transfer that is not publishable (a control API)",
        )?;
        let bad = Scene::bound(probe, place, caller);
        bad.counterpart(probe).await?;
        bad
    };
    bad.prepare(probe).await?.expect_refused()
}

/// Sends a prepare whose record has 1100 bytes, too many for one transaction. It must return 400, and one of 360 bytes must
/// then return 200.
#[rejects(rows::RECORD_FITS, after(exchange::BODY_LIMIT, rows::LOCKS_NOTHING))]
async fn record_that_is_too_large_is_rejected_and_locks_nothing(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    // All of the record but the content identifier.
    let record = Record::publish(&caller.domain, "", "0", probe.now().await?);
    let rest = record.encode(&probe.settings.dialect).len();
    let send = async |size: i64| {
        let mut body = publish_body(&caller);
        let length = size as usize - rest;
        body["cid"] = json!(CID.repeat(length / CID.len() + 1)[..length]);
        prepare(probe, &caller, &body).await
    };
    let what = |size: i64| format!("a record of {}", Unit::Byte.amount(size));
    let large = send(RECORD.outside).await?;
    if large.status() == 200 {
        return expect_beyond(&large, &RECORD, &what(RECORD.outside), rejections::FIELD.statuses);
    }
    let small = send(RECORD.inside).await?;
    let at = At::status_named("status of a valid prepare after the rejected one");
    let want = Want::one_of(&[200]).said("200, since what is rejected locks nothing");
    small.expect(small.status() != 409, at, want, "409")?;
    expect_inside(&small, &RECORD, &what(RECORD.inside), rejections::FIELD.statuses)?;
    small.counterpart_status(&[200])?;
    expect_beyond(&large, &RECORD, &what(RECORD.outside), rejections::FIELD.statuses)
}

/// Sends a prepare without a field that it needs, which must return 400, and then a valid one for the same domain. It must not
/// return 409.
#[shows(rows::LOCKS_NOTHING, after(rows::CID_REQUIRED, rows::NEW_AUTHORITY, rows::DOMAIN_REQUIRED))]
async fn rejected_prepare_locks_nothing(probe: &Probe<'_>, place: Place) -> Checked {
    let scene = Scene::at(probe, place).await?;
    Knock::malformed(scene.clone(), PREPARE).counterpart(probe).await?;
    expect_unlocked(&scene.prepare(probe).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_address_is_a_key_with_a_leading_zero() {
        let bytes = bs58::decode(short_address()).into_vec().expect("base58");
        assert_eq!((short_address().len(), bytes.len(), bytes[0]), (42, 32, 0));
    }
}
