//! Checks of a confirmed publish through the chain's public interface.

use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::places::SUBMITS;
use assay_spec::publish::requirements::{chain as rows, message, submit as submits};
use serde_json::Value;

use super::scene::published;
use super::verify::transaction_params;
use super::wire::read_message;
use super::{Caller, Prepared, chain_call};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;
use crate::profile::MemoLogForm;

/// Asks the chain until it shows what was confirmed, or for as long as it may take; returns the last answer. The chain of a
/// world of its own shows it at once.
pub(super) async fn shown<T>(
    probe: &Probe<'_>,
    read: impl AsyncFn() -> Result<T, Stop>,
    is_shown: impl Fn(&T) -> bool,
) -> Result<T, Stop> {
    if probe.owns_time() {
        return read().await;
    }
    probe.polled(probe.settings.publish().shown_seconds, read, is_shown).await
}

/// Publishes, and fetches the transaction from the chain in this encoding.
async fn transaction(probe: &Probe<'_>, encoding: &str) -> Result<(Caller, Prepared, Value), Stop> {
    let (caller, prepared, submitted) = published(probe, SUBMITS[0]).await?;
    submitted.given_status(&[200])?;
    let signature = submitted.json()["signature"].as_str().unwrap_or_default().to_owned();
    submitted.given(!signature.is_empty(), "the submit returned no `signature`")?;
    let params = transaction_params(&signature, encoding);
    let read = async || chain_call(probe, "getTransaction", params.clone()).await;
    let found = shown(probe, read, Value::is_object).await?;
    Ok((caller, prepared, found))
}

/// Publishes, then calls `getTransaction`. It must return the transaction, and `meta.err` must be null.
#[shows(rows::FOUND, needs(Chain), after(submits::LANDS, submits::SIGNATURE))]
async fn transaction_is_found_without_error(probe: &Probe<'_>) -> Checked {
    let (_, _, found) = transaction(probe, "json").await?;
    probe.expect(found.is_object(), "getTransaction", "a transaction", found.to_string())?;
    let error = &found["meta"]["err"];
    probe.expect(error.is_null() && found["meta"].is_object(), "/meta/err", "null", error.to_string())
}

/// Publishes, then fetches the transaction in base64. It must contain two signatures, the exact message that was
/// signed, and both signatures must verify over it.
#[shows(
    rows::MESSAGE,
    needs(Chain),
    after(submits::LANDS, submits::SIGNATURE, message::FEE_PAYER, message::CLIENT)
)]
async fn transaction_contains_the_signed_message(probe: &Probe<'_>) -> Checked {
    let (caller, prepared, found) = transaction(probe, "base64").await?;
    let wire = found["transaction"][0].as_str().and_then(text::parse_base64);
    probe.conclusive(wire.is_some(), "getTransaction returned no base64 transaction")?;
    let wire = wire.unwrap_or_default();
    // One count byte, two signatures of 64 bytes, then the message.
    probe.expect(
        wire.first() == Some(&2),
        "signatures of the transaction",
        "2",
        format!("{:?}", wire.first()),
    )?;
    let message = wire.get(129..).unwrap_or_default();
    probe.expect(
        message == prepared.message,
        "message of the transaction",
        text::hex(&prepared.message),
        text::hex(message),
    )?;
    let payer =
        read_message(message).and_then(|message| message.accounts.first().copied()).unwrap_or_default();
    for (name, key, range) in [
        ("the fee payer's signature", payer, 1..65),
        ("the client's signature", caller.key.verifying_key().to_bytes(), 65..129),
    ] {
        let signature: [u8; 64] = wire.get(range).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; 64]);
        let good = ed25519::verifies(&key, message, &signature);
        probe.expect(good, name, "a signature over the message", text::hex(&signature))?;
    }
    Ok(())
}

/// Publishes, and fetches the log lines of the transaction.
async fn logs(probe: &Probe<'_>) -> Result<(Caller, Prepared, Vec<String>), Stop> {
    let (caller, prepared, found) = transaction(probe, "json").await?;
    probe.conclusive(
        found["meta"]["logMessages"].is_array(),
        "getTransaction returned no log of the transaction",
    )?;
    let lines = found["meta"]["logMessages"].as_array().into_iter().flatten();
    let lines = lines.filter_map(|line| line.as_str().map(str::to_owned)).collect();
    Ok((caller, prepared, lines))
}

/// Publishes, then reads the transaction's log. It must contain `Program <memo program> invoke [1]` and `Program
/// <memo program> success`.
#[shows(rows::INVOCATION, needs(Chain), after(submits::LANDS))]
async fn log_shows_the_memo_invocation(probe: &Probe<'_>) -> Checked {
    let (_, _, lines) = logs(probe).await?;
    let memo = &probe.settings.dialect.memo_program;
    for want in [format!("Program {memo} invoke [1]"), format!("Program {memo} success")] {
        probe.expect(lines.contains(&want), "log", want, lines.join("\n"))?;
    }
    Ok(())
}

/// Publishes, then reads the transaction's log. It must contain `Program log: Signed by` with the publishing key's
/// address.
#[shows(rows::SIGNED_BY, needs(Chain), after(submits::LANDS))]
async fn log_names_the_publishing_key(probe: &Probe<'_>) -> Checked {
    let (caller, _, lines) = logs(probe).await?;
    let want = format!("Program log: Signed by {}", ed25519::address(&caller.key));
    probe.expect(lines.contains(&want), "log", want, lines.join("\n"))
}

/// Publishes, then reads the transaction's log. It must contain `Program log: Memo (len <n>)` with the record and
/// its length in bytes.
#[shows(rows::MEMO_LINE, needs(Chain), after(submits::LANDS))]
async fn log_shows_the_memo_and_its_length(probe: &Probe<'_>) -> Checked {
    let (_, prepared, lines) = logs(probe).await?;
    let data = read_message(&prepared.message).and_then(|message| message.instructions.into_iter().next());
    let record = data.and_then(|(_, _, data)| String::from_utf8(data).ok());
    probe.given(record.is_some(), "the message carries no UTF-8 record")?;
    let record = record.unwrap_or_default();
    // The public memo program prints the record in quotes, with quotes and backslashes escaped. The document shows it
    // without quotes.
    let plain = format!("Program log: Memo (len {}): {record}", record.len());
    let quoted = format!("Program log: Memo (len {}): {record:?}", record.len());
    let (want, holds) = match probe.settings.publish().memo_log_form {
        None => (&plain, lines.contains(&plain) || lines.contains(&quoted)),
        Some(MemoLogForm::Plain) => (&plain, lines.contains(&plain)),
        Some(MemoLogForm::Quoted) => (&quoted, lines.contains(&quoted)),
    };
    probe.expect(holds, "log", want, lines.join("\n"))
}
