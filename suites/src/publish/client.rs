//! A conforming client of the exchange: it checks the message before it signs, and handles each error as documented.

use std::time::Duration;

use assay_spec::crypto::{ed25519, text};
use assay_spec::publish::check::{Intent, Op, check_message};
use assay_spec::publish::envelope::{Claims, sign};
use assay_spec::publish::record::Record;
use assay_spec::publish::{prepare, submit};
use assay_spec::{Dialect, Strict};
use ed25519_dalek::SigningKey;
use serde_json::{Value, json};

use super::verify::{Verified, call, verify_publish};
use crate::client::Limits;
use crate::exchange::{Broken, Request, Response};
use crate::probe::wall_clock;
use crate::target::{Connect, Dial, Tcp};
use crate::transport::Http;

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

/// How often the client retries, and how long it waits at most each time.
const PATIENCE: u32 = 3;
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// A submit returns after confirmation, which can take about three minutes.
const SUBMIT_TIMEOUT: Duration = Duration::from_mins(4);

/// Publishes. An error says why nothing was published or why the client stopped.
pub async fn publish(wanted: &Publication) -> Result<Published, String> {
    let mut gone = false;
    loop {
        let prepared = prepared(wanted).await?;
        match submitted(wanted, &prepared).await? {
            Submitted::Landed(signature) => return Ok(verified(wanted, &prepared, signature).await),
            Submitted::Gone if gone => {
                return Err(
                    "410 twice in a row: the clock of this machine or of the service is wrong".to_owned()
                );
            }
            Submitted::Gone => gone = true,
            Submitted::Ceiling => match resolved(wanted, &prepared).await? {
                // The blockhash has expired and the chain does not know the transaction: it can no longer land.
                None => gone = true,
                Some(published) => return Ok(published),
            },
        }
    }
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
    let mut waited = 0;
    let answer = loop {
        let answer = post(wanted, prepare::ENDPOINT.path, &body, Limits::default())
            .await
            .map_err(|e| e.to_string())?;
        match answer.status {
            200 => break answer.json().map_err(|e| format!("prepare: {e}"))?,
            429 | 502 | 503 if waited < PATIENCE => {
                waited += 1;
                pause(&answer).await;
            }
            _ => return Err(refusal("prepare", &answer)),
        }
    };
    let message =
        answer["message"].as_str().and_then(text::parse_base64).ok_or("prepare: `message` is not base64")?;
    let client = wanted.key.verifying_key().to_bytes();
    // Run all checks on the message's bytes before signing. `payload` is for display only.
    let record = check_message(&wanted.dialect, &message, &client, &wanted.asked, wall_clock(), &mut Strict)
        .map_err(|refused| format!("not signed: {refused}"))?;
    let vault = &answer["txtObserved"]["vault"];
    if vault.as_str().is_some_and(|vault| vault != ed25519::address(&wanted.key)) {
        eprintln!("warning: the domain's TXT record names another key: {vault}");
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
    let mut waited = 0;
    loop {
        let answer = match post(wanted, submit::ENDPOINT.path, &prepared.body, limits).await {
            Ok(answer) => answer,
            // The response is lost, not the submit. The same body again returns the same signature.
            Err(broken) if waited < PATIENCE && !matches!(broken, Broken::Harness(_)) => {
                waited += 1;
                tokio::time::sleep(Duration::from_secs(1)).await;
                continue;
            }
            Err(broken) => return Err(format!("submit: {broken}; the transaction may have landed")),
        };
        let error = answer.json().map(|body| body["error"].to_string().to_lowercase()).unwrap_or_default();
        match answer.status {
            200 => {
                let body = answer.json().map_err(|e| format!("submit: {e}"))?;
                let signature =
                    body["signature"].as_str().ok_or("submit: the response has no `signature`")?;
                return Ok(Submitted::Landed(signature.to_owned()));
            }
            410 if error.contains(submit::SAFETY_CEILING) => return Ok(Submitted::Ceiling),
            410 => return Ok(Submitted::Gone),
            // A 409 can also be our own submit whose response was lost.
            409 | 429 | 502 | 503 if waited < PATIENCE && !error.contains("frozen") => {
                waited += 1;
                pause(&answer).await;
            }
            _ => return Err(refusal("submit", &answer)),
        }
    }
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
        let listed = call(chain, "getSignaturesForAddress", json!([address, { "limit": 20 }])).await?;
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

/// Signs and sends one body; it is serialised only once.
async fn post(wanted: &Publication, path: &str, body: &str, limits: Limits) -> Result<Response, Broken> {
    let url = url::Url::parse(&wanted.url).map_err(|e| Broken::Harness(format!("{}: {e}", wanted.url)))?;
    let target = format!("{}{path}", url.path().trim_end_matches('/'));
    let claims = Claims {
        method: "POST",
        path: &target,
        domain: &wanted.asked.domain,
        time: wall_clock(),
        body: body.as_bytes(),
    };
    let request = Request::new("POST", &target)
        .header("Content-Type", "application/json")
        .header("Authorization", sign(&wanted.dialect, &wanted.key, &claims))
        .body(body);
    let connection = Tcp.dial(Dial::to(&wanted.url), Http::One).await?;
    connection.exchange(&request, url.authority(), limits).await
}

/// Waits as long as `Retry-After` says.
async fn pause(answer: &Response) {
    let seconds = answer.header("retry-after").and_then(|text| text.parse().ok()).unwrap_or(2);
    tokio::time::sleep(Duration::from_secs(seconds).min(LONGEST_WAIT)).await;
}

fn refusal(call: &str, answer: &Response) -> String {
    let text: String = answer.text().chars().take(300).collect();
    let advice = match answer.status {
        404 => "; check domain, key and envelope",
        _ => "",
    };
    format!("{call} returned {}: {text}{advice}", answer.status)
}
