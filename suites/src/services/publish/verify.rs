//! Verification of a published record: fetches the transaction from the chain and checks what it proves.

use std::sync::Arc;
use std::time::Duration;

use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::message::Message;
use assay_spec::publish::record::Record;
use assay_spec::publish::verify::{Confirmed, memo_of, verify_transaction};
use assay_spec::{Dialect, Strict};
use serde_json::{Value, json};

use crate::harness::pace::{LONGEST_WAIT, Retry};
use crate::harness::sender::Sender;
use crate::http::client::Limits;
use crate::http::exchange::Request;
use crate::http::sockets::Tcp;

/// The service returns after confirmation, so the chain is asked for what is confirmed.
pub(super) const COMMITMENT: &str = "confirmed";

/// What a transaction proves.
#[derive(Debug)]
pub enum Verified {
    /// The key wrote this record.
    Record(Record),
    /// The chain does not know the transaction (yet).
    Absent,
    /// The transaction does not prove it, for this reason.
    Unproven(String),
}

/// Fetches the transaction `signature` from the chain's interface at `chain` and verifies that `key` (base58) wrote
/// the record in it. An error means that the chain could not be asked.
pub async fn verify_publish(
    dialect: &Dialect,
    chain: &str,
    signature: &str,
    key: &str,
) -> Result<Verified, String> {
    let found = call(chain, "getTransaction", transaction_params(signature, "base64")).await?;
    if found.is_null() {
        return Ok(Verified::Absent);
    }
    Ok(judge(dialect, &found, signature, key).map_or_else(Verified::Unproven, Verified::Record))
}

/// The parameters of `getTransaction` for a transaction in this encoding.
pub(super) fn transaction_params(signature: &str, encoding: &str) -> Value {
    let config =
        json!({ "encoding": encoding, "commitment": COMMITMENT, "maxSupportedTransactionVersion": 0 });
    json!([signature, config])
}

/// The bytes of the transaction that `getTransaction` returned.
pub(super) fn transaction_bytes(found: &Value) -> Option<Vec<u8>> {
    found["transaction"][0].as_str().and_then(text::parse_base64)
}

fn judge(dialect: &Dialect, found: &Value, signature: &str, key: &str) -> Result<Record, String> {
    let wire = transaction_bytes(found).ok_or("getTransaction returned no base64 transaction")?;
    let (signatures, message) = split(&wire).ok_or("the transaction cannot be decoded")?;
    if signatures.first().map(|first| bs58::encode(first).into_string()).as_deref() != Some(signature) {
        return Err("the chain returned a different transaction".to_owned());
    }
    let decoded = Message::decode(message, &mut Strict).map_err(|refused| refused.why)?;
    if signatures.len() != usize::from(decoded.header[0]) {
        return Err(format!(
            "the transaction has {} signatures, its message requires {}",
            signatures.len(),
            decoded.header[0]
        ));
    }
    for (signature, account) in signatures.iter().zip(&decoded.accounts) {
        if !ed25519::verifies(account, message, signature) {
            return Err(format!("the signature of {} does not verify", bs58::encode(account).into_string()));
        }
    }
    let memo = memo_of(dialect, message).ok_or("the transaction does not contain exactly one memo")?;
    let logs: Vec<String> = found["meta"]["logMessages"]
        .as_array()
        .ok_or("getTransaction returned no log of the transaction")?
        .iter()
        .filter_map(|line| line.as_str().map(str::to_owned))
        .collect();
    let confirmed = Confirmed { message, failed: !found["meta"]["err"].is_null(), logs: &logs };
    verify_transaction(dialect, &confirmed, key, &memo, &mut Strict)
        .map_err(|refused| refused.to_string())?;
    Record::parse(dialect, &memo, &mut Strict).map_err(|refused| refused.to_string())
}

/// Splits a transaction into signatures and message. A transaction of this exchange has fewer than 128 signatures.
pub(super) fn split(wire: &[u8]) -> Option<(Vec<[u8; 64]>, &[u8])> {
    let (&count, rest) = wire.split_first()?;
    let (signatures, message) = rest.split_at_checked(usize::from(count) * 64)?;
    let signatures = signatures.chunks_exact(64).map(|bytes| bytes.try_into().ok()).collect::<Option<_>>()?;
    (count < 0x80).then_some((signatures, message))
}

/// When a call is sent again: the chain's interface only reads.
const RETRY: Retry = Retry {
    tries: 3,
    waits: 3,
    pause: Some(Duration::from_secs(1)),
    longest: LONGEST_WAIT,
    is_temporary: |result| result.as_ref().is_ok_and(|response| response.status >= 500),
};

/// Calls the chain's JSON-RPC interface and returns `result`.
pub async fn call(chain: &str, method: &str, params: Value) -> Result<Value, String> {
    let failed = |why: String| format!("{chain}: {method}: {why}");
    let sender = Sender::new(Arc::new(Tcp), chain)?;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let request = || {
        Request::new("POST", &sender.target(""))
            .header("Content-Type", "application/json")
            .body(body.as_str())
    };
    let answer = sender.send(&RETRY, Limits::default(), request).await.map_err(|e| failed(e.to_string()))?;
    let answer = answer.json().map_err(|e| failed(format!("status {}, {e}", answer.status)))?;
    answer.get("result").cloned().ok_or_else(|| failed(answer["error"]["message"].to_string()))
}
