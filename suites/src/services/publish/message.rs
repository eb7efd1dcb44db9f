//! Checks of the transaction message, read from its raw bytes.

use assay_spec::Place;
use assay_spec::publish::requirements::{message as rows, prepare};
use serde_json::json;

use super::chain::shown;
use super::scene::{Scene, answered};
use super::wire::{Message, read_message};
use super::{Caller, chain_call};
use crate::harness::check::{Checked, Stop, shows};
use crate::harness::probe::Probe;

/// Sends an ordinary prepare and decodes its message.
async fn ordinary(probe: &Probe<'_>, place: Place) -> Result<(Caller, Message), Stop> {
    let (scene, talk) = answered(probe, place).await?;
    let prepared = talk.prepared(probe)?;
    Ok((scene.caller, probe.given_some(read_message(&prepared.message), "the message cannot be decoded")?))
}

/// Decodes the prepared message. It must be a legacy message with lengths in shortest encoding and no bytes left
/// over.
#[shows(rows::LEGACY, after(prepare::MESSAGE))]
async fn message_is_legacy_shortest_and_complete(probe: &Probe<'_>, place: Place) -> Checked {
    let prepared = answered(probe, place).await?.1.prepared(probe)?;
    let message = read_message(&prepared.message);
    probe.expect(message.is_some(), "message", "a transaction message", "bytes that do not decode")?;
    if let Some(message) = message {
        probe.expect(!message.versioned, "message, first byte", "a legacy message", "a versioned message")?;
        probe.expect(message.shortest, "message, lengths", "the shortest encoding", "a longer encoding")?;
        probe.expect(
            message.left_over == 0,
            "bytes after the message",
            "none",
            format!("{} bytes", message.left_over),
        )?;
    }
    Ok(())
}

/// Reads the header of the prepared message. It must require 2 signatures, with 1 read-only signer and 1 read-only
/// unsigned account.
#[shows(rows::HEADER)]
async fn header_is_2_1_1(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, message) = ordinary(probe, place).await?;
    probe.expect(message.header == [2, 1, 1], "message header", "[2, 1, 1]", format!("{:?}", message.header))
}

/// Account `at`, base58.
fn account(message: &Message, at: usize) -> String {
    message.accounts.get(at).map_or_else(|| "none".to_owned(), |account| bs58::encode(account).into_string())
}

/// Reads account 0 of the prepared message. It must not be the client's key.
#[shows(rows::FEE_PAYER)]
async fn account_0_is_not_the_client(probe: &Probe<'_>, place: Place) -> Checked {
    let (caller, message) = ordinary(probe, place).await?;
    let client = assay_spec::crypto::ed25519::address(&caller.key);
    let payer = account(&message, 0);
    probe.expect(
        payer != client && payer != "none",
        "account 0",
        "a key of the service, not the client's",
        payer.clone(),
    )
}

/// Reads account 1 of the prepared message. It must be the client's key.
#[shows(rows::CLIENT)]
async fn account_1_is_the_client(probe: &Probe<'_>, place: Place) -> Checked {
    let (caller, message) = ordinary(probe, place).await?;
    let client = assay_spec::crypto::ed25519::address(&caller.key);
    probe.expect(account(&message, 1) == client, "account 1", client, account(&message, 1))
}

/// Reads account 2 of the prepared message. It must be the memo program.
#[shows(rows::MEMO_PROGRAM)]
async fn account_2_is_the_memo_program(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, message) = ordinary(probe, place).await?;
    let memo = probe.settings.dialect.memo_program.clone();
    probe.expect(account(&message, 2) == memo, "account 2", memo, account(&message, 2))
}

/// Counts the accounts of the prepared message. There must be exactly three.
#[shows(rows::THREE_ACCOUNTS)]
async fn message_has_three_accounts(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, message) = ordinary(probe, place).await?;
    let count = message.accounts.len();
    probe.expect(count == 3, "accounts", "3", count.to_string())
}

/// Counts the instructions of the prepared message. There must be exactly one.
#[shows(rows::ONE_INSTRUCTION)]
async fn message_has_one_instruction(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, message) = ordinary(probe, place).await?;
    let count = message.instructions.len();
    probe.expect(count == 1, "instructions", "1", count.to_string())
}

/// Reads the program index of the first instruction. It must be account 2, the memo program.
#[shows(rows::INSTRUCTION_PROGRAM)]
async fn instruction_calls_account_2(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, message) = ordinary(probe, place).await?;
    let program = message.instructions.first().map(|(program, ..)| *program);
    probe.expect(program == Some(2), "program of the instruction", "account 2", format!("{program:?}"))
}

/// Reads the account list of the first instruction. It must be exactly `[1]`.
#[shows(rows::INSTRUCTION_ACCOUNTS)]
async fn instruction_passes_account_1(probe: &Probe<'_>, place: Place) -> Checked {
    let (_, message) = ordinary(probe, place).await?;
    let accounts = message.instructions.first().map(|(_, accounts, _)| accounts.clone()).unwrap_or_default();
    probe.expect(accounts == [1], "accounts of the instruction", "[1]", format!("{accounts:?}"))
}

/// Asks the chain (`isBlockhashValid`) about the message's blockhash. It must be valid.
#[shows(rows::BLOCKHASH, needs(Chain))]
async fn blockhash_is_valid(probe: &Probe<'_>, place: Place) -> Checked {
    // Not one that checks share: a blockhash is valid for about a minute.
    let prepared = Scene::at(probe, place).await?.prepared(probe).await?;
    let message = probe.given_some(read_message(&prepared.message), "the message cannot be decoded")?;
    let hash = bs58::encode(message.blockhash).into_string();
    // The node of the chain may be a moment behind the one that the service asks.
    let params = json!([hash, { "commitment": "processed" }]);
    let read = async || chain_call(probe, "isBlockhashValid", params.clone()).await;
    let answer = shown(probe, read, |answer| answer["value"] == true).await?;
    probe.expect(answer["value"] == true, "isBlockhashValid", "true", answer["value"].to_string())
}
