//! A small publishing client with at most one fault.

use std::time::Duration;

use assay_spec::crypto::{ed25519, text};
use assay_spec::instant::MINUTE;
use assay_spec::publish::check::{Intent, Op, check_message};
use assay_spec::publish::envelope::{Claims, message as envelope_message, seal, sign};
use assay_spec::publish::message::Message;
use assay_spec::publish::{prepare, submit};
use assay_spec::{Dialect, Instant, Strict, Without, catalogue};
use assay_suites::harness::probe::wall_clock;
use assay_suites::http::client::{Limits, exchange};
use assay_suites::http::connect::Connect;
use assay_suites::http::exchange::{Broken, Request, Response};
use assay_suites::http::sockets::Tcp;
use ed25519_dalek::SigningKey;
use serde_json::{Value, json};

/// The fault of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// None: the client conforms.
    None,
    /// It skips one of the thirteen checks before signing.
    Without(&'static str),
    /// It decodes the record leniently: invalid bytes are replaced and a byte order mark is dropped.
    LossyText,
    /// It compares the record's time with the server's clock.
    ServerClock,
    /// If it asked for no version, it accepts any.
    AnyVersion,
    /// It submits before it checks what it signed.
    SignsFirst,
    /// It checks the record in `payload`, but signs `message`.
    ChecksPayload,
    /// It rejects a `payload` that is not the record, byte for byte.
    ComparesPayload,
    /// It signs the base64 string, not the bytes.
    SignsText,
    /// It sends no content type.
    NoContentType,
    /// The time of its envelopes has no milliseconds.
    CoarseTime,
    /// It stops if the TXT record names another key.
    RefusesTxt,
    /// It stops if no TXT record was observed.
    RequiresTxt,
    /// It accepts a record's time only within a minute.
    NoSkew,
    /// It waits only one second for a submit.
    Impatient,
    /// After a lost answer it prepares again.
    PreparesAfterLoss,
    /// After a lost answer it gives up.
    GivesUpAfterLoss,
    /// After the first 410 it gives up.
    GivesUpWhenGone,
    /// After every 410 it prepares again.
    PreparesForEver,
    /// It treats the safety ceiling like any other 410.
    IgnoresCeiling,
    /// After this status it retries at once, twenty times.
    Retries(u16),
    /// With a frozen key it submits nevertheless.
    SubmitsWhenFrozen,
    /// It publishes where it is asked for a transfer.
    IgnoresTransfer,
    /// The submit of its accept does not say so.
    AcceptUnsaid,
    /// It does not look up what has landed.
    TrustsSubmit,
    /// It looks up the transaction, but does not read its log.
    ReadsNoLog,
    /// After a 502 it submits the same again at once, twenty times.
    Hammers,
    /// If the lookup fails, it publishes again.
    PublishesForLookup,
    /// No fault: it sends no version.
    SendsNoVersion,
    /// No fault: after a lost answer it looks for its record on the chain.
    LooksAfterLoss,
    /// No fault: at the safety ceiling it exits at once.
    StopsAtCeiling,
    /// No fault: it takes seconds to sign.
    SignsSlowly,
    /// No fault: it sends its submit again after a 200.
    RepeatsAfterSuccess,
    /// It publishes and never exits.
    Hangs,
    /// It does nothing.
    Idle,
}

/// The client.
struct Client {
    fault: Fault,
    dialect: Dialect,
    url: String,
    chain: String,
    key: SigningKey,
    asked: Intent,
}

/// Publishes what the environment says. Returns the program's exit code.
pub(crate) fn run(fault: Fault) -> i32 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let setting = |name: &str| std::env::var(name).unwrap_or_default();
    let client = Client {
        fault,
        dialect: Dialect::default(),
        url: setting("ASSAY_URL"),
        chain: setting("ASSAY_CHAIN_URL"),
        key: assay_suites::services::publish::signing_key(&setting("ASSAY_KEY")).expect("a key"),
        asked: Intent { domain: setting("ASSAY_DOMAIN"), op: asked(fault) },
    };
    match runtime.block_on(client.publish()) {
        Ok(()) => 0,
        Err(why) => {
            eprintln!("{why}");
            1
        }
    }
}

/// What the environment asks for.
fn asked(fault: Fault) -> Op {
    let setting = |name: &str| std::env::var(name).ok();
    match (setting("ASSAY_TRANSFER_TO"), setting("ASSAY_ACCEPT")) {
        (Some(key), _) if fault != Fault::IgnoresTransfer => {
            Op::Transfer { new_authority: format!("{}{key}", Dialect::default().key_scheme) }
        }
        (_, Some(transfer)) => Op::Accept { transfer },
        _ => {
            let cid = setting("ASSAY_CID").unwrap_or_else(|| "none".to_owned());
            let version = setting("ASSAY_VERSION").filter(|_| fault != Fault::SendsNoVersion);
            Op::Publish { cid, version }
        }
    }
}

/// The result of a submit.
enum Came {
    Landed(String),
    Gone,
    Ceiling,
    Lost,
}

impl Client {
    async fn publish(&self) -> Result<(), String> {
        if self.fault == Fault::Idle {
            return Ok(());
        }
        let mut gone = 0;
        loop {
            let (body, height) = self.prepare().await?;
            match self.submit(&body).await? {
                Came::Landed(_) if self.fault == Fault::Hangs => std::future::pending().await,
                Came::Landed(_) if self.fault == Fault::TrustsSubmit => return Ok(()),
                Came::Landed(signature) if self.fault == Fault::RepeatsAfterSuccess => {
                    self.submit(&body).await?;
                    return self.verify(&signature).await;
                }
                Came::Landed(signature) => match self.verify(&signature).await {
                    Err(_) if self.fault == Fault::PublishesForLookup => {}
                    verified => return verified,
                },
                Came::Lost if self.fault == Fault::PreparesAfterLoss => {}
                Came::Lost if self.fault == Fault::LooksAfterLoss => return self.look(height).await,
                Came::Lost => return Err("the answer is lost".to_owned()),
                Came::Gone if self.fault == Fault::GivesUpWhenGone => return Err("gone".to_owned()),
                Came::Gone if gone > 0 && self.fault != Fault::PreparesForEver => {
                    return Err("gone".to_owned());
                }
                Came::Gone => gone += 1,
                Came::Ceiling if self.fault == Fault::IgnoresCeiling => {}
                Came::Ceiling if self.fault == Fault::StopsAtCeiling => return Err("not resolved".to_owned()),
                Came::Ceiling => return self.look(height).await,
            }
        }
    }

    /// Prepares. Returns the body of a submit, and the block height after which the record cannot land.
    async fn prepare(&self) -> Result<(String, u64), String> {
        let domain = &self.asked.domain;
        let body = match &self.asked.op {
            Op::Publish { cid, version: Some(version) } => {
                json!({ "domain": domain, "cid": cid, "version": version })
            }
            Op::Publish { cid, version: None } => json!({ "domain": domain, "cid": cid }),
            Op::Transfer { new_authority } => {
                json!({ "domain": domain, "op": "transfer", "newAuthority": new_authority })
            }
            Op::Accept { .. } => json!({ "domain": domain, "op": "accept" }),
        };
        let answer = self
            .post_with_retries(prepare::ENDPOINT.path, &body.to_string())
            .await
            .map_err(|e| e.to_string())?;
        if answer.status == 409 && self.fault == Fault::SubmitsWhenFrozen {
            let body = json!({ "prepareId": "none", "signature": text::base64(&[0; 64]) });
            return Ok((body.to_string(), 0));
        }
        if answer.status != 200 {
            return Err(format!("prepare: {} {}", answer.status, answer.text()));
        }
        let date = answer.header("date").map(str::to_owned);
        let answer = answer.json()?;
        let encoded = answer["message"].as_str().unwrap_or_default();
        let message = text::parse_base64(encoded).ok_or("message is not base64")?;
        if self.fault == Fault::SignsSlowly {
            tokio::time::sleep(Duration::from_secs(3)).await;
        }
        let signed = if self.fault == Fault::SignsText { encoded.as_bytes() } else { &message };
        let signature = text::base64(&ed25519::sign(&self.key, signed));
        let mut body = json!({ "prepareId": answer["prepareId"], "signature": signature });
        if matches!(self.asked.op, Op::Accept { .. }) && self.fault != Fault::AcceptUnsaid {
            body["op"] = json!("accept");
        }
        let body = body.to_string();
        if self.fault == Fault::SignsFirst {
            self.submit(&body).await?;
        }
        self.check(&message, &answer, date.as_deref())?;
        Ok((body, answer["lastValidBlockHeight"].as_u64().unwrap_or_default()))
    }

    /// The checks before signing, apart from the faulty one.
    fn check(&self, message: &[u8], answer: &Value, date: Option<&str>) -> Result<(), String> {
        let mut asked = self.asked.clone();
        let mut now = wall_clock();
        let mut bytes = message.to_vec();
        let payload = answer["payload"].as_str().unwrap_or_default();
        let decoded = Message::decode(message, &mut Strict);
        let record = decoded.as_ref().ok().and_then(|message| message.instructions.first());
        let record = record.map(|instruction| instruction.data.clone()).unwrap_or_default();
        let shown = String::from_utf8_lossy(&record).trim_start_matches('\u{feff}').to_owned();
        let carrying = |data: &[u8]| {
            let mut message = decoded.clone().ok()?;
            message.instructions.first_mut()?.data = data.to_vec();
            Some(message.encode())
        };
        let vault = answer["txtObserved"]["vault"].as_str();
        match self.fault {
            Fault::LossyText => bytes = carrying(shown.as_bytes()).unwrap_or(bytes),
            Fault::ChecksPayload => bytes = carrying(payload.as_bytes()).unwrap_or(bytes),
            Fault::ComparesPayload if payload.as_bytes() != record => {
                return Err("payload differs".to_owned());
            }
            Fault::ServerClock => {
                let date = date.and_then(|date| httpdate::parse_http_date(date).ok());
                let since = date.and_then(|date| date.duration_since(std::time::UNIX_EPOCH).ok());
                now = since.map_or(now, |since| Instant(since.as_millis() as i64));
            }
            Fault::AnyVersion => {
                let json = shown.split_once('{').map(|(_, json)| format!("{{{json}")).unwrap_or_default();
                let record_json: Value = serde_json::from_str(&json).unwrap_or_default();
                if let Op::Publish { version: version @ None, .. } = &mut asked.op {
                    *version = record_json["v"].as_str().map(str::to_owned);
                }
            }
            Fault::RefusesTxt if vault.is_some_and(|vault| vault != ed25519::address(&self.key)) => {
                return Err("the TXT record names another key".to_owned());
            }
            Fault::RequiresTxt if vault.is_none() => return Err("no TXT record".to_owned()),
            _ => {}
        }
        let client = self.key.verifying_key().to_bytes();
        let left_out = match self.fault {
            Fault::Without(name) => catalogue::requirement(&format!("publish.{name}")),
            _ => None,
        };
        let checked = match left_out {
            Some(rule) => check_message(&self.dialect, &bytes, &client, &asked, now, &mut Without(rule)),
            None => check_message(&self.dialect, &bytes, &client, &asked, now, &mut Strict),
        };
        let record = checked.map_err(|refused| refused.to_string())?;
        let time = Instant::parse_exact(record.time()).unwrap_or(now);
        if self.fault == Fault::NoSkew && time.distance_ms(now) > MINUTE.unsigned_abs() {
            return Err("the record is not fresh".to_owned());
        }
        Ok(())
    }

    async fn submit(&self, body: &str) -> Result<Came, String> {
        let (mut lost, mut repeated) = (0, 0);
        loop {
            let answer = match self.post_with_retries(submit::ENDPOINT.path, body).await {
                Ok(answer) => answer,
                Err(_)
                    if matches!(
                        self.fault,
                        Fault::PreparesAfterLoss | Fault::GivesUpAfterLoss | Fault::LooksAfterLoss
                    ) =>
                {
                    return Ok(Came::Lost);
                }
                Err(_) if lost < 3 => {
                    lost += 1;
                    continue;
                }
                Err(broken) => return Err(broken.to_string()),
            };
            if self.fault == Fault::Hammers && answer.status != 200 && repeated < 20 {
                repeated += 1;
                continue;
            }
            return match answer.status {
                200 => {
                    let signature = answer.json()?["signature"].as_str().unwrap_or_default().to_owned();
                    Ok(Came::Landed(signature))
                }
                410 if answer.text().contains(submit::SAFETY_CEILING) => Ok(Came::Ceiling),
                410 => Ok(Came::Gone),
                status => Err(format!("submit: {status} {}", answer.text())),
            };
        }
    }

    /// Reads the chain until the record has landed or can no longer land.
    async fn look(&self, last_height: u64) -> Result<(), String> {
        loop {
            let address = ed25519::address(&self.key);
            let listed =
                self.call("getSignaturesForAddress", json!([address, { "commitment": "confirmed" }])).await?;
            if listed.as_array().is_some_and(|listed| !listed.is_empty()) {
                return Ok(());
            }
            if self.call("getBlockHeight", json!([])).await?.as_u64() > Some(last_height) {
                return Err("the record has not landed".to_owned());
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Looks up what has landed.
    async fn verify(&self, signature: &str) -> Result<(), String> {
        let config = json!({ "commitment": "confirmed", "encoding": "json" });
        let found = self.call("getTransaction", json!([signature, config])).await?;
        let log = found["meta"]["logMessages"].as_array().cloned().unwrap_or_default();
        if log.iter().any(|line| line == "Log truncated") && self.fault != Fault::ReadsNoLog {
            return Err("the log is truncated".to_owned());
        }
        if found["meta"]["err"].is_null() && found.is_object() {
            return Ok(());
        }
        Err("the chain does not show the transaction".to_owned())
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, String> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let request =
            Request::new("POST", "/").header("Content-Type", "application/json").body(body.to_string());
        let stream = Tcp.connect(&self.chain, None).await.map_err(|e| e.to_string())?;
        let answer =
            exchange(stream, &request, "chain", Limits::default()).await.map_err(|e| e.to_string())?;
        Ok(answer.json()?["result"].take())
    }

    /// Sends a request. Waits and retries after a 429 or 503; retries at once where that is the fault.
    async fn post_with_retries(&self, path: &str, body: &str) -> Result<Response, Broken> {
        let (mut blind, mut patient) = (0, 0);
        loop {
            let answer = self.post(path, body).await?;
            if self.fault == Fault::Retries(answer.status) {
                blind += 1;
                if blind == 20 {
                    return Ok(answer);
                }
            } else if matches!(answer.status, 429 | 503) && patient < 2 {
                patient += 1;
                let seconds = answer.header("retry-after").and_then(|text| text.parse().ok()).unwrap_or(1);
                tokio::time::sleep(Duration::from_secs(seconds)).await;
            } else {
                return Ok(answer);
            }
        }
    }

    async fn post(&self, path: &str, body: &str) -> Result<Response, Broken> {
        let (domain, time) = (self.asked.domain.as_str(), wall_clock());
        let claims = Claims { method: "POST", path, domain, time, body: body.as_bytes() };
        let header = if self.fault == Fault::CoarseTime {
            let exact = time.to_string();
            let coarse = format!("{}Z", &exact[..exact.len() - 5]);
            let message = envelope_message(&self.dialect, &claims).replace(&exact, &coarse);
            seal(&self.dialect, message.as_bytes(), &ed25519::sign(&self.key, message.as_bytes()))
        } else {
            sign(&self.dialect, &self.key, &claims)
        };
        let mut request = Request::new("POST", path).header("Authorization", header).body(body);
        if self.fault != Fault::NoContentType {
            request = request.header("Content-Type", "application/json");
        }
        let timeout = if self.fault == Fault::Impatient { 1 } else { 240 };
        let limits = Limits { timeout: Duration::from_secs(timeout), ..Limits::default() };
        let host = self.url.trim_start_matches("http://");
        exchange(Tcp.connect(&self.url, None).await?, &request, host, limits).await
    }
}
