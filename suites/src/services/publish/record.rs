//! Checks of the record in the message, one property each.

use std::time::Duration;

use assay_spec::publish::limits::{ENVELOPE_PAST, RECORD_SKEW};
use assay_spec::publish::places::{PREPARE_ACCEPT, PREPARE_TRANSFER};
use assay_spec::publish::requirements::record as rows;
use assay_spec::publish::requirements::{prepare, submit as submits, transfer};
use assay_spec::{Instant, Place};
use serde_json::{Value, json};

use super::pool::Talk;
use super::scene::{Scene, answered, transferred};
use super::wire::{Draft, Record, read_record};
use super::{
    Caller, PREPARE, PREPARED, Prepared, accept_body, caller, each_value_is_prepared, fresh_key, landed,
    prepared, publish_body, read_prepared, signature_in, submit, submit_body, transfer_body, trip,
};
use crate::harness::boundary::slack_ms;
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;
use crate::profile::EscapeProfile;

/// Reads the record of a prepare.
fn record_in(probe: &Probe<'_>, prepared: &Prepared) -> Result<Record, Stop> {
    probe.given_some(read_record(&prepared.message), "the message carries no readable record")
}

/// Sends a prepare of `body` and reads its record.
async fn record_of(probe: &Probe<'_>, caller: &Caller, body: &Value) -> Result<Record, Stop> {
    record_in(probe, &prepared(probe, caller, body).await?)
}

/// The record of an ordinary prepare, who sent it, and its request and response.
async fn ordinary<'p>(probe: &'p Probe<'_>, place: Place) -> Result<(Scene, Record, Talk<'p>), Stop> {
    let (scene, talk) = answered(probe, place).await?;
    let record = record_in(probe, &talk.prepared(probe)?)?;
    Ok((scene, record, talk))
}

/// Sends a prepare. Its record must begin with the record prefix, the kind and a colon.
#[shows(rows::KIND)]
async fn record_starts_with_prefix_and_kind(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, record, _) = ordinary(probe, place).await?;
    let want = format!("{}{}:", probe.settings.dialect.record_prefix, place.op);
    probe.expect(record.before == want, "record prefix", want, record.before)
}

/// Sends a prepare. Its record must have exactly the documented keys, in the documented order.
#[shows(rows::KEYS)]
async fn record_has_its_keys_in_order(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, record, _) = ordinary(probe, place).await?;
    let keys = record.members.keys().cloned().collect::<Vec<_>>().join(" ");
    let want = match place.op {
        "transfer" => "d newVault t",
        "accept" => "d transfer t",
        _ => "d c v t",
    };
    probe.expect(keys == want, &format!("keys of a {} record", place.op), want, keys.clone())
}

/// Sends a prepare. The record's JSON must contain no whitespace.
#[shows(rows::COMPACT)]
async fn record_has_no_whitespace(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, record, _) = ordinary(probe, place).await?;
    // No value of this record contains whitespace.
    let spaced = record.json.chars().any(char::is_whitespace);
    probe.expect(!spaced, "record", "no whitespace", record.json)
}

/// Sends prepares whose `cid` contains quotes, backslashes, control characters and characters that need no escape. The record
/// must be JSON and contain exactly these strings, each quote, backslash and control character in its one form. If the profile
/// declares how it writes what JSON need not escape, it must write that so.
#[shows(rows::ESCAPING, uses_up, after(rows::COMPACT, rows::CID, prepare::CID_NOT_VALIDATED))]
async fn record_uses_standard_json_escaping(probe: &Probe<'_>) -> Checked {
    each_value_is_prepared(probe, "cid", |value, prepared| {
        let record = record_in(probe, prepared)?;
        let form = ESCAPED.iter().find(|(name, ..)| *name == value.name);
        let (_, raw, ascii) = form.ok_or_else(|| Stop::Error(format!("no form of {}", value.name)))?;
        let written = |form: &str| format!("\"c\":\"{form}\",");
        let (want, holds) = match probe.settings.publish().escape_profile {
            EscapeProfile::Raw => (written(raw), record.json.contains(&written(raw))),
            EscapeProfile::Ascii => {
                (written(ascii), record.json.to_ascii_lowercase().contains(&written(ascii)))
            }
            EscapeProfile::Any if ONE_FORM.contains(&value.name) => {
                (written(raw), record.json.contains(&written(raw)))
            }
            EscapeProfile::Any => {
                let is_same = record.members.get("c") == value.instead_of(&Value::Null).as_ref();
                let is_mixed = value.name == MIXED;
                let is_alike = !is_mixed || record.json.contains(&format!("\"c\":\"{MIXED_ALIKE}"));
                let rest = if is_mixed { "the same rest" } else { "the same string" };
                (format!("{}, or {rest} in another form", written(raw)), is_same && is_alike)
            }
        };
        probe.expect(holds, &format!("record /c, raw, for {}", value.name), want, record.json)
    })
    .await
}

/// The uncommon strings that every record writes alike, control characters in lower-case hexadecimal.
const ONE_FORM: [&str; 6] = ["quote", "backslash", "newline", "carriage-return", "tab", "control"];

/// The string with all characters, and how every record writes its start.
const MIXED: &str = "mixed";
const MIXED_ALIKE: &str = "q\\\"b\\\\n\\nr\\rt\\tc\\u001f";

/// The uncommon strings as a record writes them, by hand: with nothing escaped that need not be, and in ASCII.
const ESCAPED: &[(&str, &str, &str)] = &[
    (
        MIXED,
        "q\\\"b\\\\n\\nr\\rt\\tc\\u001fs/m<a>&'d\u{7f}l\u{2028}e\u{e9}j\u{1f600}",
        "q\\\"b\\\\n\\nr\\rt\\tc\\u001fs/m<a>&'d\u{7f}l\\u2028e\\u00e9j\\ud83d\\ude00",
    ),
    ("quote", "a\\\"b", "a\\\"b"),
    ("backslash", "a\\\\b", "a\\\\b"),
    ("newline", "a\\nb", "a\\nb"),
    ("carriage-return", "a\\rb", "a\\rb"),
    ("tab", "a\\tb", "a\\tb"),
    ("control", "a\\u001fb", "a\\u001fb"),
    ("slash", "a/b", "a/b"),
    ("markup", "<a>&'b", "<a>&'b"),
    ("delete", "a\u{7f}b", "a\u{7f}b"),
    ("line-separator", "a\u{2028}b", "a\\u2028b"),
    ("non-ascii", "a\u{e9}b", "a\\u00e9b"),
    ("emoji", "a\u{1f600}b", "a\\ud83d\\ude00b"),
];

/// Sends a prepare. The record's `d` must be the domain.
#[shows(rows::DOMAIN)]
async fn record_names_the_domain(probe: &Probe<'_>, place: Place) -> Checked {
    let (Scene { caller, .. }, record, _) = ordinary(probe, place).await?;
    let found = record.members.get("d").is_some_and(|domain| *domain == caller.domain);
    probe.expect(found, "record /d", caller.domain.clone(), value(&record, "d"))
}

/// Sends prepares with uncommon content identifiers. The record's `c` must be exactly the string.
#[shows(rows::CID, uses_up, after(prepare::CID_NOT_VALIDATED))]
async fn record_contains_the_cid(probe: &Probe<'_>) -> Checked {
    each_value_is_written(probe, "cid", "c").await
}

/// Sends prepares with uncommon versions. The record's `v` must be exactly the string.
#[shows(rows::VERSION, uses_up)]
async fn record_contains_the_version(probe: &Probe<'_>) -> Checked {
    each_value_is_written(probe, "version", "v").await
}

/// Sends prepares with each uncommon value of `member`, and in a world of its own a second publish of one domain with another value.
/// The record's `key` must be exactly the string.
async fn each_value_is_written(probe: &Probe<'_>, member: &str, key: &str) -> Checked {
    if probe.owns_time() {
        let caller = caller(probe).await?;
        let mut body = publish_body(&caller);
        landed(probe, &caller, &body).await?;
        body[member] = json!("another");
        let record = record_in(probe, &prepared(probe, &caller, &body).await?)?;
        let found = record.members.get(key) == Some(&body[member]);
        let place = format!("record /{key} of a second publish");
        probe.expect(found, &place, body[member].to_string(), value(&record, key))?;
    }
    each_value_is_prepared(probe, member, |value, prepared| {
        let (record, sent) =
            (record_in(probe, prepared)?, value.instead_of(&Value::Null).unwrap_or_default());
        let place = format!("record /{key} for {}", value.name);
        let got = record.members.get(key).map_or_else(|| "nothing".to_owned(), ToString::to_string);
        probe.expect(record.members.get(key) == Some(&sent), &place, sent.to_string(), got)
    })
    .await
}

/// Sends a prepare, in a world of its own also at a whole second. The record's `t` must have exactly the form
/// `YYYY-MM-DDTHH:mm:ss.sssZ`.
#[shows(rows::TIME_FORM)]
async fn record_time_has_three_decimals(probe: &Probe<'_>, place: Place) -> Checked {
    let shape = |time: &str| {
        time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).eq("0000-00-00T00:00:00.000Z".chars())
    };
    let judge = async || -> Checked {
        let (_, record, _) = ordinary(probe, place).await?;
        let good = record.members.get("t").and_then(Value::as_str).is_some_and(shape);
        probe.expect(good, "record /t", "YYYY-MM-DDTHH:mm:ss.sssZ", value(&record, "t"))
    };
    judge().await?;
    if !probe.owns_time() {
        return Ok(());
    }
    let into_second = probe.now().await?.0.rem_euclid(1_000).unsigned_abs();
    probe.advance(Duration::from_millis(1_000 - into_second)).await?;
    judge().await
}

/// Sends a prepare, in a world of its own with another time in its envelope. The record's `t` must be the time of the prepare:
/// exactly in a world of its own, elsewhere within a minute, a tenth of what a client accepts.
#[shows(rows::TIME_NOW)]
async fn record_time_is_now(probe: &Probe<'_>, place: Place) -> Checked {
    let slack = slack_ms(probe, &RECORD_SKEW);
    let (record, before, after) = if probe.owns_time() {
        // The envelope names another time, which the server must accept.
        let scene = Scene::at(probe, place).await?;
        let before = probe.now().await?;
        let signed = before + -(ENVELOPE_PAST.inside / 3);
        let draft = Draft::at(probe, &scene.caller, PREPARE, scene.body.to_string(), signed);
        let answer = draft.send(probe).await?;
        answer.given_accepted(&[200], PREPARED)?;
        (record_in(probe, &read_prepared(probe, &answer.json())?)?, before, probe.now().await?)
    } else {
        let (_, record, Talk { sent: [before, after], .. }) = ordinary(probe, place).await?;
        (record, before, after)
    };
    let time = record.members.get("t").and_then(Value::as_str).and_then(Instant::parse_iso);
    let range = before + -slack..=after + slack;
    let want = format!("{} to {}", range.start(), range.end());
    probe.expect(time.is_some_and(|time| range.contains(&time)), "record /t", want, value(&record, "t"))
}

/// Sends a transfer prepare. The record's `newVault` must equal `newAuthority`.
#[shows(rows::TRANSFER)]
async fn transfer_record_names_the_new_vault(probe: &Probe<'_>) -> Checked {
    let (_, record, Talk { body, .. }) = ordinary(probe, PREPARE_TRANSFER[0]).await?;
    let want = body["newAuthority"].to_string();
    probe.expect(
        record.members.get("newVault") == body.get("newAuthority"),
        "record /newVault",
        want,
        value(&record, "newVault"),
    )
}

/// Sends an accept prepare with the incoming key of a pending transfer, where there is a control API after a publish of another
/// domain. The record's `transfer` must be the transfer's transaction signature, also for a second transfer if the first can be
/// confirmed.
#[shows(rows::ACCEPT, after(transfer::ACCEPT_ADMITTED, submits::LANDS, submits::SIGNATURE))]
async fn accept_record_names_the_transfer(probe: &Probe<'_>) -> Checked {
    if probe.has_control() {
        let (_, new, _, transfer) = transferred(probe).await?;
        // The pending transfer is not the latest transaction.
        let other = caller(probe).await?;
        landed(probe, &other, &publish_body(&other)).await?;
        let accept = prepared(probe, &new, &accept_body(&new)).await?;
        expect_named(probe, &record_in(probe, &accept)?, &transfer)?;

        let mut body = submit_body(&accept, &new);
        body["op"] = json!("accept");
        submit(probe, &new, &body).await?.given_status(&[200])?;
        match probe.perform("publish.confirm-transfer", json!({ "domain": new.domain })).await {
            // A control API that cannot do this.
            Err(Stop::Error(_)) => return Ok(()),
            confirmed => confirmed?,
        };
        let third = new.with_key(fresh_key(probe));
        let (_, second) = landed(probe, &new, &transfer_body(probe, &new, &third.key)).await?;
        return expect_named(probe, &record_of(probe, &third, &accept_body(&third)).await?, &second);
    }
    if trip::is_given(probe) {
        let (.., transfer) = transferred(probe).await?;
        expect_named(probe, &ordinary(probe, PREPARE_ACCEPT[0]).await?.1, &transfer)?;
        let Ok(accept) = trip::step(probe, trip::ACCEPT_BACK, false).await else { return Ok(()) };
        let second = signature_in(&trip::step(probe, trip::BACK, true).await?.submitted(probe).await?.2)?;
        return expect_named(probe, &record_in(probe, &accept.prepared(probe)?)?, &second);
    }
    probe.rest_on("publish.pending_transfer")?;
    let is_known = probe.settings.publish().pending_transfer.is_some();
    if !is_known {
        probe.rest_on("publish.transferable")?;
    }
    probe.found(
        is_known,
        "needs the signature of a pending transfer ([publish] pending_transfer, or transferable), or a control API",
    )?;
    let (scene, record, _) = ordinary(probe, PREPARE_ACCEPT[0]).await?;
    expect_named(probe, &record, &scene.transfer)
}

/// Expects the record of an accept that names this transfer.
fn expect_named(probe: &Probe<'_>, record: &Record, transfer: &str) -> Checked {
    let keys = record.members.keys().cloned().collect::<Vec<_>>().join(" ");
    probe.expect(record.before.ends_with(":accept:"), "record prefix", "accept", record.before.clone())?;
    let named = record.members.get("transfer").and_then(Value::as_str);
    let got = format!("{named:?}; keys: {keys}");
    probe.expect(named == Some(transfer), "record /transfer", transfer, got)
}

fn value(record: &Record, key: &str) -> String {
    record.members.get(key).map_or_else(|| "nothing".to_owned(), ToString::to_string)
}
