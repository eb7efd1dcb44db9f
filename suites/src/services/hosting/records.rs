//! Rules for records of every kind.

use assay_spec::hosting::requirements::records as rows;
use serde_json::Value;

use super::found::{Found, found};
use super::judge::{each, is, is_address, some};
use super::message::{Message, MessageKind};
use super::scene::expect_signed;
use crate::harness::check::{Checked, shows};
use crate::harness::probe::Probe;

/// Every record of the owner.
fn all(found: &Found) -> impl Iterator<Item = &Message> {
    found.messages.iter().filter(|one| one.kind != MessageKind::Other)
}

/// Reads every record of the owner. `channel` must be the records channel.
#[shows(rows::CHANNEL, after = rests!())]
async fn records_are_on_their_channel(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let channel = &probe.settings.dialect.records_channel;
    each(probe, &found, "record", all(&found).map(|one| one.at("/channel")), channel, is(channel))
}

/// Reads every record of the owner but claims, which have a check of their own, and FORGETs, whose signed bytes are not
/// shown. `signature` must be the sender's signature over the canonical JSON. Messages that do not count for the owner, such as those of strangers, are noted.
#[shows(rows::SIGNATURE, after = rests!(rows::ADDRESS))]
async fn records_are_signed_by_their_senders(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    found.notes.iter().for_each(|note| probe.note(note));
    let signed: Vec<&Message> =
        all(&found).filter(|one| !matches!(one.kind, MessageKind::Claim | MessageKind::Forget)).collect();
    some(&found, signed.len(), "record")?;
    for message in signed {
        expect_signed(probe, &found, message)?;
    }
    Ok(())
}

/// Reads every record of the owner. `content.address` must be `0x` and 40 hexadecimal digits.
#[shows(rows::ADDRESS, after = rests!())]
async fn records_name_an_address(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    let seen = all(&found).map(|one| one.at("/content/address"));
    each(probe, &found, "record", seen, "0x and 40 hexadecimal digits", is_address)
}

/// Reads every record of the owner. `content.time` must be an integer of seconds.
#[shows(rows::TIME, after = rests!())]
async fn records_name_a_time_in_seconds(probe: &Probe<'_>) -> Checked {
    let found = found(probe).await?;
    // A time in milliseconds would be ten thousand years ahead.
    let is_seconds = |value: Option<&Value>| {
        value.and_then(Value::as_i64).is_some_and(|time| (0..100_000_000_000).contains(&time))
    };
    let seen = all(&found).map(|one| one.at("/content/time"));
    each(probe, &found, "record", seen, "an integer of seconds", is_seconds)
}
