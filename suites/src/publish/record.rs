//! Checks of the record in the message, one property each.

use assay_spec::publish::limits::RECORD_SKEW;
use assay_spec::publish::places::{PREPARE_ACCEPT, PREPARE_TRANSFER};
use assay_spec::publish::requirements::record as rows;
use assay_spec::publish::requirements::{submit, transfer};
use assay_spec::{Instant, Place};
use serde_json::{Value, json};

use super::pool::Talk;
use super::scene::{Scene, answered, transferred};
use super::wire::{Record, read_record};
use super::{Caller, Prepared, accept_body, caller, prepared, publish_body};
use crate::boundary::slack_ms;
use crate::check::{Check, Checked, Stop};
use crate::probe::Probe;
use crate::profile::EscapeProfile;
use crate::shows;

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::KIND, each record_starts_with_prefix_and_kind).posts(3, 3, 3).shares(0, 0),
    shows!(rows::KEYS, each record_has_its_keys_in_order).posts(3, 3, 3).shares(0, 0),
    shows!(rows::COMPACT, each record_has_no_whitespace).posts(3, 3, 3).shares(0, 0),
    shows!(rows::ESCAPING, record_uses_standard_json_escaping)
        .costs(1, 1, 1)
        .shares(2, 1)
        .writes(1)
        .after(const { &[&rows::COMPACT, &rows::CID] }),
    shows!(rows::DOMAIN, each record_names_the_domain).posts(3, 3, 3).shares(0, 0),
    shows!(rows::CID, record_contains_the_cid).costs(1, 1, 1).shares(2, 1).writes(1),
    shows!(rows::VERSION, record_contains_the_version).costs(1, 1, 1).shares(2, 1).writes(1),
    shows!(rows::TIME_FORM, each record_time_has_three_decimals).posts(3, 3, 3).shares(0, 0),
    shows!(rows::TIME_NOW, each record_time_is_now).posts(3, 3, 3).shares(0, 0),
    shows!(rows::TRANSFER, transfer_record_names_the_new_vault).costs(1, 1, 1).shares(0, 0).writes(1),
    shows!(rows::ACCEPT, accept_record_names_the_transfer)
        .costs(3, 2, 1)
        .writes(3)
        .shares(0, 0)
        .after(const { &[&transfer::ACCEPT_ADMITTED, &submit::LANDS, &submit::SIGNATURE] }),
];

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
async fn record_starts_with_prefix_and_kind(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, record, _) = ordinary(probe, place).await?;
    let want = format!("{}{}:", probe.settings.dialect.record_prefix, place.op);
    probe.expect(record.before == want, "record prefix", want, record.before)
}

/// Sends a prepare. Its record must have exactly the documented keys, in the documented order.
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
async fn record_has_no_whitespace(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, record, _) = ordinary(probe, place).await?;
    // No value of this record contains whitespace.
    let spaced = record.json.chars().any(char::is_whitespace);
    probe.expect(!spaced, "record", "no whitespace", record.json)
}

/// Sends a prepare whose `cid` contains quotes, backslashes, control characters and non-ASCII characters. The
/// record must use standard JSON escaping, in the profile's reading of it.
async fn record_uses_standard_json_escaping(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let mut body = publish_body(&caller);
    body["cid"] = json!("q\"b\\n\nx\u{1}/\u{e9}\u{1f600}");
    let record = record_of(probe, &caller, &body).await?;
    // Written by hand: quote, backslash, newline and U+0001 are escaped in every reading.
    let escaped = r#""c":"q\"b\\n\nx\u0001"#;
    let (raw, ascii) = ("/\u{e9}\u{1f600}\"", r#"/\u00e9\ud83d\ude00""#);
    let (want, holds) = match probe.settings.publish.escape_profile {
        EscapeProfile::Raw => (format!("{escaped}{raw}"), record.json.contains(&format!("{escaped}{raw}"))),
        EscapeProfile::Ascii => {
            let want = format!("{escaped}{ascii}");
            let is_same = record.json.to_ascii_lowercase().contains(&want);
            (want, is_same)
        }
        EscapeProfile::Any => {
            let is_same = record.members.get("c") == body.get("cid");
            (format!("{escaped}, then the rest in any form"), is_same && record.json.contains(escaped))
        }
    };
    probe.expect(holds, "record /c, raw", want, record.json)
}

/// Sends a prepare. The record's `d` must be the domain.
async fn record_names_the_domain(probe: &Probe<'_>, place: Place) -> Checked {
    let (Scene { caller, .. }, record, _) = ordinary(probe, place).await?;
    let found = record.members.get("d").is_some_and(|domain| *domain == caller.domain);
    probe.expect(found, "record /d", caller.domain.clone(), value(&record, "d"))
}

/// Sends a prepare whose `cid` contains spaces. The record's `c` must be exactly that string.
async fn record_contains_the_cid(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let mut body = publish_body(&caller);
    body["cid"] = json!("bafy-any text, kept as it is ");
    let record = record_of(probe, &caller, &body).await?;
    probe.expect(
        record.members.get("c") == body.get("cid"),
        "record /c",
        body["cid"].to_string(),
        value(&record, "c"),
    )
}

/// Sends a prepare with a `version`. The record's `v` must be exactly that string.
async fn record_contains_the_version(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let mut body = publish_body(&caller);
    body["version"] = json!("build 2026-01 #7");
    let record = record_of(probe, &caller, &body).await?;
    let want = body["version"].to_string();
    probe.expect(record.members.get("v") == body.get("version"), "record /v", want, value(&record, "v"))
}

/// Sends a prepare. The record's `t` must have exactly the form `YYYY-MM-DDTHH:mm:ss.sssZ`.
async fn record_time_has_three_decimals(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, record, _) = ordinary(probe, place).await?;
    let shape = |time: &str| {
        time.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).eq("0000-00-00T00:00:00.000Z".chars())
    };
    let good = record.members.get("t").and_then(Value::as_str).is_some_and(shape);
    probe.expect(good, "record /t", "YYYY-MM-DDTHH:mm:ss.sssZ", value(&record, "t"))
}

/// Sends a prepare. The record's `t` must be the time of the prepare: exactly in a world of its own, elsewhere within a
/// minute, a tenth of what a client accepts.
async fn record_time_is_now(probe: &Probe<'_>, place: Place) -> Checked {
    let slack = slack_ms(probe, &RECORD_SKEW);
    let (_, record, Talk { sent: [before, after], .. }) = ordinary(probe, place).await?;
    let time = record.members.get("t").and_then(Value::as_str).and_then(Instant::parse_iso);
    let range = before + -slack..=after + slack;
    let want = format!("{} to {}", range.start(), range.end());
    probe.expect(time.is_some_and(|time| range.contains(&time)), "record /t", want, value(&record, "t"))
}

/// Sends a transfer prepare. The record's `newVault` must equal `newAuthority`.
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

/// Sends an accept prepare with the incoming key of a pending transfer. The record's `transfer` must be the
/// transfer's transaction signature.
async fn accept_record_names_the_transfer(probe: &Probe<'_>) -> Checked {
    let (transfer, record) = if probe.has_control() {
        let (_, new, _, transfer) = transferred(probe).await?;
        (transfer, record_of(probe, &new, &accept_body(&new)).await?)
    } else {
        let is_known = probe.settings.publish.pending_transfer.is_some();
        probe.found(
            is_known,
            "needs the signature of a pending transfer ([publish] pending_transfer), or a control API",
        )?;
        let (scene, record, _) = ordinary(probe, PREPARE_ACCEPT[0]).await?;
        (scene.transfer, record)
    };
    let keys = record.members.keys().cloned().collect::<Vec<_>>().join(" ");
    probe.expect(record.before.ends_with(":accept:"), "record prefix", "accept", record.before.clone())?;
    let named = record.members.get("transfer").and_then(Value::as_str);
    probe.expect(
        named == Some(&transfer),
        "record /transfer",
        transfer.clone(),
        format!("{named:?}; keys: {keys}"),
    )
}

fn value(record: &Record, key: &str) -> String {
    record.members.get(key).map_or_else(|| "nothing".to_owned(), ToString::to_string)
}
