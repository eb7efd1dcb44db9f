//! The chain's JSON-RPC interface for public clients.

use assay_spec::Without;
use assay_spec::crypto::text::base64;
use assay_spec::json;
use assay_spec::publish::message::Message;
use assay_spec::publish::requirements::message::LEGACY;
use serde_json::{Value, json};

use super::State;
use super::chain::Confirmed;
use crate::core::Core;
use crate::exchange::{Reply, Request};
use crate::seam::steps;

/// The version that the interface reports.
const VERSION: &str = "2.3.0";
/// The maximum number of calls in a batch.
const BATCH: usize = 100;

/// Handles one POST: a call or a batch of calls.
pub(super) fn handle(core: &mut Core, state: &State, request: &Request) -> Reply {
    if request.head.method == http::Method::GET && request.path() == "/health" {
        return core.text(200, "ok");
    }
    if request.head.method != http::Method::POST {
        return core.text(405, "Used HTTP Method is not allowed. POST is required");
    }
    if request.too_large {
        return core.text(413, "Payload Too Large");
    }
    let answer = match json::parse(&request.body) {
        Err(_) => error(&Value::Null, -32700, "Parse error"),
        Ok(Value::Array(calls)) if calls.is_empty() || calls.len() > BATCH => {
            error(&Value::Null, -32600, "Invalid request")
        }
        Ok(Value::Array(calls)) => calls.iter().map(|one| call(core, state, one)).collect(),
        Ok(one) => call(core, state, &one),
    };
    core.json(200, answer)
}

fn call(core: &mut Core, state: &State, call: &Value) -> Value {
    let id = &call["id"];
    let (Some(method), Some("2.0")) = (call["method"].as_str(), call["jsonrpc"].as_str()) else {
        return error(id, -32600, "Invalid request");
    };
    let none = Vec::new();
    let params = call["params"].as_array().unwrap_or(&none);
    match result(core, state, method, params) {
        Ok(result) => json!({ "jsonrpc": "2.0", "result": result, "id": id }),
        Err((number, message)) => error(id, number, &message),
    }
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message }, "id": id })
}

type Failure = (i64, String);

fn result(core: &mut Core, state: &State, method: &str, params: &[Value]) -> Result<Value, Failure> {
    let (chain, now) = (&state.chain, core.now());
    let slot = chain.slot(now);
    let context =
        |value: Value| json!({ "context": { "apiVersion": VERSION, "slot": slot }, "value": value });
    match method {
        "getHealth" => Ok(json!("ok")),
        "getVersion" => Ok(json!({ "solana-core": VERSION, "feature-set": 1 })),
        "getGenesisHash" => Ok(json!(bs58::encode(chain.genesis()).into_string())),
        "getSlot" => Ok(json!(slot)),
        "getBlockHeight" => Ok(json!(chain.height(now))),
        "getLatestBlockhash" => Ok(context(json!({
            "blockhash": bs58::encode(chain.blockhash_at(slot)).into_string(),
            "lastValidBlockHeight": chain.last_valid_block_height(now),
        }))),
        "isBlockhashValid" => {
            let text = text(params, 0)?;
            let hash = bs58::decode(text).into_vec().map_err(|_| invalid("Invalid blockhash"))?;
            Ok(context(json!(chain.is_valid(&hash, now))))
        }
        "getSignatureStatuses" => {
            let signatures =
                params.first().and_then(Value::as_array).ok_or_else(|| invalid("Invalid params"))?;
            if signatures.len() > 256 {
                return Err(invalid("Too many inputs provided; max 256"));
            }
            let statuses: Result<Vec<Value>, Failure> = signatures
                .iter()
                .map(|one| signature(one.as_str().unwrap_or_default()))
                .map(|one| Ok(chain.transaction(&one?).map_or(Value::Null, |found| status(found, slot))))
                .collect();
            Ok(context(json!(statuses?)))
        }
        "getSignaturesForAddress" => signatures_for(core, state, params),
        "getTransaction" => {
            let signature = signature(text(params, 0)?)?;
            let found = core.step(chain.transaction(&signature).cloned());
            let shows = shows(core, params.get(1), slot);
            let found = found.filter(|found| shows(found.slot));
            let (encoding, version) = encoding(params.get(1))?;
            found.map_or(Ok(Value::Null), |found| Ok(transaction(core, &found, encoding, version)))
        }
        _ => Err((-32601, "Method not found".to_owned())),
    }
}

fn invalid(message: &str) -> Failure {
    (-32602, message.to_owned())
}

fn text(params: &[Value], at: usize) -> Result<&str, Failure> {
    params.get(at).and_then(Value::as_str).ok_or_else(|| invalid("Invalid params"))
}

fn signature(text: &str) -> Result<[u8; 64], Failure> {
    let bytes = if text.len() <= 88 { bs58::decode(text).into_vec().ok() } else { None };
    bytes.and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| invalid("Invalid param: Invalid"))
}

/// The requested encoding, and whether versioned transactions are allowed.
fn encoding(config: Option<&Value>) -> Result<(&'static str, bool), Failure> {
    let (name, version) = match config {
        Some(Value::String(name)) => (name.as_str(), false),
        Some(config) => (
            config["encoding"].as_str().unwrap_or("json"),
            !config["maxSupportedTransactionVersion"].is_null(),
        ),
        None => ("json", false),
    };
    ["json", "base64", "base58"]
        .into_iter()
        .find(|known| *known == name)
        .map(|known| (known, version))
        .ok_or_else(|| invalid("Invalid params: this chain encodes transactions as json, base58 and base64"))
}

fn status(found: &Confirmed, slot: u64) -> Value {
    let depth = slot.saturating_sub(found.slot);
    let finalized = depth >= 32;
    json!({
        "slot": found.slot,
        "confirmations": if finalized { Value::Null } else { json!(depth) },
        "err": null,
        "status": { "Ok": null },
        "confirmationStatus": if finalized { "finalized" } else { "confirmed" },
    })
}

/// How many slots after its own the chain shows a transaction to a client that does not ask for confirmed ones.
#[derive(Clone, PartialEq)]
pub(super) struct Finality(pub(super) u64);

/// Whether a call with this configuration is shown a transaction of a slot.
fn shows(core: &mut Core, config: Option<&Value>, slot: u64) -> impl Fn(u64) -> bool + use<> {
    let Finality(depth) = core.step(Finality(0));
    let asks = config.and_then(|config| config["commitment"].as_str());
    let is_early = matches!(asks, Some("confirmed" | "processed"));
    move |of| is_early || slot.saturating_sub(of) >= depth
}

fn signatures_for(core: &mut Core, state: &State, params: &[Value]) -> Result<Value, Failure> {
    let address = text(params, 0)?;
    let limit = params.get(1).and_then(|config| config["limit"].as_u64()).unwrap_or(1000).min(1000) as usize;
    let shows = shows(core, params.get(1), state.chain.slot(core.now()));
    let found = state.chain.latest().filter(|found| found.transaction.signer == address && shows(found.slot));
    let found = found.take(limit);
    Ok(found
        .map(|found| {
            let record = String::from_utf8_lossy(&found.transaction.record);
            json!({
                "signature": bs58::encode(found.transaction.signatures[0]).into_string(),
                "slot": found.slot,
                "err": null,
                "memo": format!("[{}] {record}", record.len()),
                "blockTime": found.at.seconds(),
                "confirmationStatus": "confirmed",
            })
        })
        .collect())
}

fn transaction(core: &mut Core, found: &Confirmed, encoding: &str, version: bool) -> Value {
    let message = &found.transaction.message;
    let signatures = found.transaction.signatures;
    let body = if encoding == "json" {
        json!({
            "signatures": signatures.map(|signature| bs58::encode(signature).into_string()),
            "message": message_json(message),
        })
    } else {
        let wire = [&[2][..], &signatures[0], &signatures[1], message].concat();
        let text = if encoding == "base64" { base64(&wire) } else { bs58::encode(&wire).into_string() };
        json!([text, encoding])
    };
    let logs = MemoLog::run(core, found);
    let mut answer = json!({
        "slot": found.slot,
        "blockTime": found.at.seconds(),
        "meta": {
            "err": null,
            "status": { "Ok": null },
            "fee": 10_000,
            "preBalances": [1_000_000_000u64, 0, 521_498_880],
            "postBalances": [999_990_000u64, 0, 521_498_880],
            "innerInstructions": [],
            "logMessages": logs,
            "preTokenBalances": [],
            "postTokenBalances": [],
            "rewards": [],
            "loadedAddresses": { "writable": [], "readonly": [] },
            "computeUnitsConsumed": units(found),
        },
        "transaction": body,
    });
    if version {
        answer["version"] = json!("legacy");
    }
    core.step(Found(answer)).0
}

/// A transaction as a reply shows it.
#[derive(Clone, PartialEq)]
pub(super) struct Found(pub(super) Value);

fn message_json(bytes: &[u8]) -> Value {
    // A violated rule may have put a message on the chain that is not valid in strict decoding.
    let Ok(message) = Message::decode(bytes, &mut Without(&LEGACY)) else { return Value::Null };
    let address = |bytes: &[u8; 32]| bs58::encode(bytes).into_string();
    let instructions: Vec<Value> = message
        .instructions
        .iter()
        .map(|one| {
            json!({
                "programIdIndex": one.program,
                "accounts": one.accounts,
                "data": bs58::encode(&one.data).into_string(),
                "stackHeight": null,
            })
        })
        .collect();
    let [signatures, signers, others] = message.header;
    json!({
        "header": {
            "numRequiredSignatures": signatures,
            "numReadonlySignedAccounts": signers,
            "numReadonlyUnsignedAccounts": others,
        },
        "accountKeys": message.accounts.iter().map(address).collect::<Vec<_>>(),
        "recentBlockhash": address(&message.blockhash),
        "instructions": instructions,
    })
}

steps! {
    MemoLog(found: &Confirmed) -> Vec<String> = memo_log;
}

/// The chain's log lines for a memo.
pub(super) fn memo_log(core: &mut Core, found: &Confirmed) -> Vec<String> {
    let memo = &core.dialect.memo_program;
    let record = String::from_utf8_lossy(&found.transaction.record);
    let mut lines = vec![
        format!("Program {memo} invoke [1]"),
        format!("Program log: Signed by {}", found.transaction.signer),
        format!("Program log: Memo (len {}): {record}", record.len()),
        format!("Program {memo} success"),
    ];
    if found.transaction.truncated {
        lines.truncate(2);
        lines.push("Log truncated".to_owned());
    }
    lines
}

/// The compute units that the memo program uses.
pub(super) fn units(found: &Confirmed) -> usize {
    10_000 + 350 * found.transaction.record.len()
}
