//! The transaction message: each part judged alone, from the raw bytes.

use assay_spec::publish::requirements::message as rows;
use serde_json::json;

use super::wire::{Message, read_message};
use super::{Caller, caller, chain_call, prepared, publish_body};
use crate::check::{Check, Checked, Need, Stop};
use crate::probe::Probe;
use crate::shows;

pub(super) const CHECKS: &[Check] = &[
    shows!(rows::LEGACY, message_is_legacy_shortest_and_whole).costs(1, 1, 1).writes(1),
    shows!(rows::HEADER, header_counts_two_one_one).costs(1, 1, 1).writes(1),
    shows!(rows::FEE_PAYER, account_0_is_not_the_client).costs(1, 1, 1).writes(1),
    shows!(rows::CLIENT, account_1_is_the_client).costs(1, 1, 1).writes(1),
    shows!(rows::MEMO_PROGRAM, account_2_is_the_memo_program).costs(1, 1, 1).writes(1),
    shows!(rows::THREE_ACCOUNTS, there_are_three_accounts).costs(1, 1, 1).writes(1),
    shows!(rows::ONE_INSTRUCTION, there_is_one_instruction).costs(1, 1, 1).writes(1),
    shows!(rows::INSTRUCTION_PROGRAM, the_instruction_calls_account_2).costs(1, 1, 1).writes(1),
    shows!(rows::INSTRUCTION_ACCOUNTS, the_instruction_passes_account_1).costs(1, 1, 1).writes(1),
    shows!(rows::BLOCKHASH, the_blockhash_is_valid).costs(2, 1, 1).writes(1).needs(&[Need::Chain]),
];

/// The message of an ordinary publish.
async fn ordinary(probe: &Probe<'_>) -> Result<(Caller, Message), Stop> {
    let caller = caller(probe).await?;
    let prepared = prepared(probe, &caller, &publish_body(&caller)).await?;
    let message = read_message(&prepared.message)
        .ok_or_else(|| Stop::Inconclusive("the message cannot be read".to_owned()))?;
    Ok((caller, message))
}

async fn message_is_legacy_shortest_and_whole(probe: &Probe<'_>) -> Checked {
    let caller = caller(probe).await?;
    let prepared = prepared(probe, &caller, &publish_body(&caller)).await?;
    let message = read_message(&prepared.message);
    probe.expect(message.is_some(), "message", "a transaction message", "bytes that do not decode")?;
    if let Some(message) = message {
        probe.expect(!message.versioned, "message, first byte", "a legacy message", "a versioned one")?;
        probe.expect(message.shortest, "message, lengths", "shortest encoding", "a longer one")?;
        probe.expect(
            message.left_over == 0,
            "message, end",
            "nothing left over",
            format!("{} bytes", message.left_over),
        )?;
    }
    Ok(())
}

async fn header_counts_two_one_one(probe: &Probe<'_>) -> Checked {
    let (_, message) = ordinary(probe).await?;
    probe.expect(message.header == [2, 1, 1], "message header", "[2, 1, 1]", format!("{:?}", message.header))
}

/// Account `at`, base58.
fn account(message: &Message, at: usize) -> String {
    message.accounts.get(at).map_or_else(|| "none".to_owned(), |account| bs58::encode(account).into_string())
}

async fn account_0_is_not_the_client(probe: &Probe<'_>) -> Checked {
    let (caller, message) = ordinary(probe).await?;
    let client = assay_spec::crypto::ed25519::address(&caller.key);
    let payer = account(&message, 0);
    probe.expect(payer != client && payer != "none", "account 0", "a key of the service", payer.clone())
}

async fn account_1_is_the_client(probe: &Probe<'_>) -> Checked {
    let (caller, message) = ordinary(probe).await?;
    let client = assay_spec::crypto::ed25519::address(&caller.key);
    probe.expect(account(&message, 1) == client, "account 1", client, account(&message, 1))
}

async fn account_2_is_the_memo_program(probe: &Probe<'_>) -> Checked {
    let (_, message) = ordinary(probe).await?;
    let memo = probe.settings.dialect.memo_program.clone();
    probe.expect(account(&message, 2) == memo, "account 2", memo, account(&message, 2))
}

async fn there_are_three_accounts(probe: &Probe<'_>) -> Checked {
    let (_, message) = ordinary(probe).await?;
    let count = message.accounts.len();
    probe.expect(count == 3, "accounts", "3", count.to_string())
}

async fn there_is_one_instruction(probe: &Probe<'_>) -> Checked {
    let (_, message) = ordinary(probe).await?;
    let count = message.instructions.len();
    probe.expect(count == 1, "instructions", "1", count.to_string())
}

async fn the_instruction_calls_account_2(probe: &Probe<'_>) -> Checked {
    let (_, message) = ordinary(probe).await?;
    let program = message.instructions.first().map(|(program, ..)| *program);
    probe.expect(program == Some(2), "program of the instruction", "account 2", format!("{program:?}"))
}

async fn the_instruction_passes_account_1(probe: &Probe<'_>) -> Checked {
    let (_, message) = ordinary(probe).await?;
    let accounts = message.instructions.first().map(|(_, accounts, _)| accounts.clone()).unwrap_or_default();
    probe.expect(accounts == [1], "accounts of the instruction", "[1]", format!("{accounts:?}"))
}

async fn the_blockhash_is_valid(probe: &Probe<'_>) -> Checked {
    let (_, message) = ordinary(probe).await?;
    let hash = bs58::encode(message.blockhash).into_string();
    let answer = chain_call(probe, "isBlockhashValid", json!([hash, { "commitment": "processed" }])).await?;
    probe.expect(answer["value"] == true, "isBlockhashValid", "true", answer["value"].to_string())
}
