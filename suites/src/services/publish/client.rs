//! A conforming client of the exchange: it checks the message before it signs, and handles each error as documented.

use std::sync::Arc;
use std::time::Duration;

use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::check::{Intent, Op, check_message};
use assay_spec::publish::envelope::{Claims, sign};
use assay_spec::publish::record::Record;
use assay_spec::publish::{prepare, submit};
use assay_spec::{Dialect, Strict};
use ed25519_dalek::SigningKey;
use serde_json::{Value, json};

use super::verify::{COMMITMENT, Verified, call, verify_publish};
use crate::harness::pace::{LONGEST_WAIT, Retry};
use crate::harness::probe::wall_clock;
use crate::harness::sender::Sender;
use crate::http::client::Limits;
use crate::http::exchange::{Broken, Request, Response};
use crate::http::sockets::Tcp;
use crate::support::tell;

/// What to publish, where and with which key.
pub struct Publication {
    /// The product names in identifiers.
    pub dialect: Dialect,
    /// Base URL of the exchange.
    pub url: String,
    /// Base URL of the chain's interface, for verification.
    pub chain_url: Option<String>,
    /// The publishing key; for an accept the incoming key.
    pub key: SigningKey,
    /// The requested operation.
    pub asked: Intent,
}

/// How a publication ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Published {
    /// It landed with this transaction signature; verified on the chain if `chain_url` is set.
    Landed(String),
    /// It landed with this transaction signature, but the chain does not prove it, for this reason.
    Unverified(String, String),
    /// The transaction can still land: look for it before you publish again.
    Unresolved(String),
}

/// When a prepare is sent again: the document says to wait or to retry later.
const PREPARING: Retry = Retry {
    tries: 4,
    waits: 3,
    pause: Some(Duration::from_secs(1)),
    longest: LONGEST_WAIT,
    is_temporary: |result| result.as_ref().is_ok_and(|response| matches!(response.status, 502 | 503)),
};
/// When a submit is sent again. If the response is lost, the submit is not: the same body again returns the same
/// signature. A 409 can be our own submit whose response was lost. After a 502 the transaction may have been sent.
const SUBMITTING: Retry = Retry {
    is_temporary: |result| match result {
        Ok(response) if response.status == 409 => !error_in(response).contains("frozen"),
        Ok(response) => response.status == 503,
        Err(broken) => !matches!(broken, Broken::Harness(_)),
    },
    ..PREPARING
};
/// A submit returns after confirmation, which can take about three minutes.
const SUBMIT_TIMEOUT: Duration = Duration::from_mins(4);

/// Publishes: after a 410 it prepares once more. An error says why nothing was published or why the client stopped.
pub async fn publish(wanted: &Publication) -> Result<Published, String> {
    let mut why = "";
    for _ in 0..2 {
        let prepared = prepared(wanted).await?;
        match submitted(wanted, &prepared).await? {
            Submitted::Landed(signature) => return Ok(verified(wanted, &prepared, signature).await),
            Submitted::Gone => {
                why = "the clock of this machine or of the service is wrong, or the chain is slow";
            }
            Submitted::Ceiling => match resolved(wanted, &prepared).await? {
                // The blockhash has expired and the chain does not know the transaction: it can no longer land.
                None => why = "the chain did not include the transaction in time",
                Some(published) => return Ok(published),
            },
        }
    }
    Err(format!("410 twice in a row: {why}"))
}

struct Prepared {
    body: String,
    /// The record in the message.
    record: Record,
    last_valid_block_height: u64,
}

enum Submitted {
    Landed(String),
    Gone,
    Ceiling,
}

async fn prepared(wanted: &Publication) -> Result<Prepared, String> {
    let body = prepare_body(wanted).to_string();
    let answer = post(wanted, prepare::ENDPOINT.path, &body, &PREPARING, Limits::default())
        .await
        .map_err(|e| e.to_string())?;
    if answer.status != 200 {
        return Err(refusal("prepare", &answer));
    }
    let answer = answer.json().map_err(|e| format!("prepare: {e}"))?;
    let message =
        answer["message"].as_str().and_then(text::parse_base64).ok_or("prepare: `message` is not base64")?;
    let client = wanted.key.verifying_key().to_bytes();
    // Run all checks on the message's bytes before signing. `payload` is for display only.
    let record = check_message(&wanted.dialect, &message, &client, &wanted.asked, wall_clock(), &mut Strict)
        .map_err(|refused| format!("not signed: {refused}"))?;
    let vault = &answer["txtObserved"]["vault"];
    if vault.as_str().is_some_and(|vault| vault != ed25519::address(&wanted.key)) {
        tell(format_args!("warning: the domain's TXT record names another key: {vault}\n"));
    }
    let mut submission = json!({
        "prepareId": answer["prepareId"],
        "signature": text::base64(&ed25519::sign(&wanted.key, &message)),
    });
    if matches!(wanted.asked.op, Op::Accept { .. }) {
        submission["op"] = json!("accept");
    }
    let last_valid_block_height = answer["lastValidBlockHeight"].as_u64().unwrap_or_default();
    Ok(Prepared { body: submission.to_string(), record, last_valid_block_height })
}

async fn submitted(wanted: &Publication, prepared: &Prepared) -> Result<Submitted, String> {
    let limits = Limits { timeout: SUBMIT_TIMEOUT, ..Limits::default() };
    let answer = post(wanted, submit::ENDPOINT.path, &prepared.body, &SUBMITTING, limits)
        .await
        .map_err(|broken| format!("submit: {broken}; the transaction may have landed"))?;
    match answer.status {
        200 => {
            let body = answer.json().map_err(|e| format!("submit: {e}"))?;
            let signature = body["signature"].as_str().ok_or("submit: the response has no `signature`")?;
            Ok(Submitted::Landed(signature.to_owned()))
        }
        410 if error_in(&answer).contains(submit::SAFETY_CEILING) => Ok(Submitted::Ceiling),
        410 => Ok(Submitted::Gone),
        502 => Err(format!(
            "{}; the path to the chain failed: look for the record before you publish again",
            refusal("submit", &answer)
        )),
        _ => Err(refusal("submit", &answer)),
    }
}

/// The `error` of a response, in lower case.
fn error_in(answer: &Response) -> String {
    answer.json().map(|body| body["error"].to_string().to_lowercase()).unwrap_or_default()
}

/// Polls the chain until the transaction is found or can no longer land.
async fn resolved(wanted: &Publication, prepared: &Prepared) -> Result<Option<Published>, String> {
    let Some(chain) = &wanted.chain_url else {
        let why = "the service stopped waiting for confirmation, and no chain URL is set: look for the record before you \
             publish again";
        return Ok(Some(Published::Unresolved(why.to_owned())));
    };
    let address = ed25519::address(&wanted.key);
    for _ in 0..600 {
        let height = call(chain, "getBlockHeight", json!([])).await?.as_u64().unwrap_or_default();
        let listed = call(
            chain,
            "getSignaturesForAddress",
            json!([address, { "limit": 20, "commitment": COMMITMENT }]),
        )
        .await?;
        for one in listed.as_array().into_iter().flatten() {
            let signature = one["signature"].as_str().unwrap_or_default();
            let found = verify_publish(&wanted.dialect, chain, signature, &address).await?;
            if matches!(found, Verified::Record(record) if record == prepared.record) {
                return Ok(Some(Published::Landed(signature.to_owned())));
            }
        }
        if height > prepared.last_valid_block_height {
            return Ok(None);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(Some(Published::Unresolved("the chain neither shows the transaction nor rules it out".to_owned())))
}

async fn verified(wanted: &Publication, prepared: &Prepared, signature: String) -> Published {
    let Some(chain) = &wanted.chain_url else { return Published::Landed(signature) };
    let address = ed25519::address(&wanted.key);
    match verify_publish(&wanted.dialect, chain, &signature, &address).await {
        Ok(Verified::Record(record)) if record == prepared.record => Published::Landed(signature),
        Ok(Verified::Record(_)) => {
            Published::Unverified(signature, "it contains a different record".to_owned())
        }
        Ok(Verified::Absent) => Published::Unverified(signature, "the chain does not know it".to_owned()),
        Ok(Verified::Unproven(why)) | Err(why) => Published::Unverified(signature, why),
    }
}

fn prepare_body(wanted: &Publication) -> Value {
    let mut body = json!({ "domain": wanted.asked.domain });
    match &wanted.asked.op {
        Op::Publish { cid, version } => {
            body["cid"] = json!(cid);
            if let Some(version) = version {
                body["version"] = json!(version);
            }
        }
        Op::Transfer { new_authority } => {
            body["op"] = json!("transfer");
            body["newAuthority"] = json!(new_authority);
        }
        Op::Accept { .. } => body["op"] = json!("accept"),
    }
    body
}

/// Signs and sends one body; it is serialised only once, and signed each time it is sent.
async fn post(
    wanted: &Publication,
    path: &str,
    body: &str,
    retry: &Retry,
    limits: Limits,
) -> Result<Response, Broken> {
    let sender = Sender::new(Arc::new(Tcp), &wanted.url).map_err(Broken::Harness)?;
    let target = sender.target(path);
    let request = || {
        let claims = Claims {
            method: "POST",
            path: &target,
            domain: &wanted.asked.domain,
            time: wall_clock(),
            body: body.as_bytes(),
        };
        Request::new("POST", &target)
            .header("Content-Type", "application/json")
            .header("Authorization", sign(&wanted.dialect, &wanted.key, &claims))
            .body(body)
    };
    sender.send(retry, limits, request).await
}

fn refusal(call: &str, answer: &Response) -> String {
    let text: String = answer.text().chars().take(300).collect();
    let advice = match answer.status {
        404 => "; check domain, key and envelope",
        _ => "",
    };
    format!("{call} returned {}: {text}{advice}", answer.status)
}
