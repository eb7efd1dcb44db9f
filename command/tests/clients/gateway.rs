//! A small client of the gateway with at most one fault.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use assay_spec::crypto::text;
use assay_spec::gateway::stand_in::{ATTESTATION, RESOLVE, Statement};
use assay_suites::http::client::{Limits, exchange};
use assay_suites::http::connect::Stream;
use assay_suites::http::exchange::{Request, Response};
use assay_suites::http::sockets::open;
use assay_suites::http::tls::{Trust, certificate};
use assay_suites::services::gateway::client::words_of_stream;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The fault of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// None: the client conforms.
    None,
    /// It sends the key with another scheme than Bearer.
    OtherScheme,
    /// It sends the key in another header.
    OtherHeader,
    /// It sends no key to servers that it calls directly.
    NoKeyToServers,
    /// It asks discovery only once.
    DiscoversOnce,
    /// It repeats discovery, but still prefers the server that it chose first.
    FixesUrl,
    /// It gives up after the first failure.
    GivesUp,
    /// It retries only the server that failed.
    SameServer,
    /// It reports any body as the answer.
    TakesNonsense,
    /// It skips events that are not chunks.
    SkipsErrorEvents,
    /// It reports the part of a broken stream as the answer.
    TakesDeadStreams,
    /// It exits after an error event.
    DiesOfErrors,
    /// It retries a failed stream many times, at once.
    StreamStorm,
    /// It gives up after a 402.
    NeverPays,
    /// After a 402 it repeats the request without a payment.
    AsksAgainUnpaid,
    /// It sends a payment together with a key.
    PaysWithKey,
    /// It sends another request with the payment.
    PaysForAnother,
    /// It drops cookies.
    DropsCookies,
    /// It retries a rejected key many times.
    HammersRejected,
    /// It retries a gateway without servers many times, at once.
    HammersUnavailable,
    /// It reports a 401 as an answer.
    ReportsRejection,
    /// It puts the item hash into the path of a request to the gateway.
    HashAsPath,
    /// It resolves an item hash only once.
    ResolvesOnce,
    /// It sends the request before it checks the attestation.
    SendsFirst,
    /// It accepts one attestation for all boots.
    AttestsOnce,
    /// It accepts the attestation of any deployment.
    AnyMeasurement,
    /// It accepts any certificate in the attestation.
    AnyCertificate,
    /// It accepts any nonce in the attestation.
    AnyNonce,
    /// It accepts any signature of the attestation.
    AnySignature,
    /// It accepts any certificate on the connection of the request.
    NoPin,
    /// It reports tool calls as an error.
    RunsNoTool,
    /// It sends the results without the conversation before them.
    ForgetsConversation,
    /// It sends a result with the name of the tool for the id of its call.
    NamesTool,
    /// It sends results in messages of the user.
    ResultsAsUser,
    /// It sends the result of the first call only.
    FirstResultOnly,
    /// It sends the result of the first call for each.
    SameResult,
    /// It sends results in another form.
    QuotesResults,
    /// It reports what has arrived of a stream as the answer, after a second of silence.
    TakesSilence,
    /// It takes an enclave that it cannot verify.
    TakesAnyEnclave,
    /// No fault: it uses no confidential model.
    RefusesEnclaves,
    /// It never exits.
    Hangs,
    /// It does nothing.
    Idle,
}

/// What precedes a message with tool calls in a reply.
const CALLS: &str = "tool calls: ";

/// The client.
struct Client {
    fault: Fault,
    url: String,
    direct: bool,
    key: Option<String>,
    payment: Option<String>,
    refresh: Duration,
    authority: Option<[u8; 32]>,
    trust: Trust,
    listed: Option<(Instant, Value)>,
    first: Option<String>,
    cookies: BTreeMap<String, String>,
    address: Option<String>,
    pin: Option<[u8; 32]>,
    asked: u64,
}

/// Answers the prompts on standard input. Returns the program's exit code.
pub(crate) fn run(fault: Fault) -> i32 {
    if fault == Fault::Idle {
        return 0;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let setting = |name: &str| std::env::var(name).unwrap_or_default();
    let authority = text::parse_hex(&setting("ASSAY_ATTESTATION_KEY")).and_then(|key| key.try_into().ok());
    let mut client = Client {
        fault,
        url: setting("ASSAY_GATEWAY_URL"),
        direct: setting("ASSAY_MODE") == "direct",
        key: std::env::var("ASSAY_GATEWAY_KEY").ok(),
        payment: std::env::var("ASSAY_PAYMENT").ok(),
        refresh: Duration::from_secs(setting("ASSAY_REFRESH_SECONDS").parse().expect("seconds")),
        authority,
        trust: Trust::with_file(Path::new(&setting("ASSAY_CA_FILE"))).expect("certificates"),
        listed: None,
        first: None,
        cookies: BTreeMap::new(),
        address: None,
        pin: None,
        asked: 0,
    };
    for line in std::io::stdin().lines() {
        let asked: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let reply = match runtime.block_on(client.reply_to(&asked)) {
            Ok(answer) => json!({ "id": asked["id"], "answer": answer }),
            Err(why) if fault == Fault::DiesOfErrors => {
                eprintln!("{why}");
                return 1;
            }
            Err(why) => json!({ "id": asked["id"], "error": why }),
        };
        println!("{reply}");
    }
    if fault == Fault::Hangs {
        runtime.block_on(std::future::pending::<()>());
    }
    0
}

impl Client {
    async fn reply_to(&mut self, asked: &Value) -> Result<String, String> {
        let (model, stream) = (asked["model"].as_str().unwrap_or_default(), asked["stream"] == true);
        let messages = json!([{ "role": "user", "content": asked["prompt"] }]);
        let mut body = json!({ "model": model, "messages": messages, "stream": stream });
        if asked["tools"].is_array() {
            body["tools"] = asked["tools"].clone();
        }
        let reply = self.send_body(model, &body).await?;
        let Some(message) = reply.strip_prefix(CALLS).filter(|_| self.fault != Fault::RunsNoTool) else {
            return Ok(reply);
        };
        let message = serde_json::from_str(message).map_err(|e| e.to_string())?;
        self.append(&mut body, message, &asked["results"]);
        self.send_body(model, &body).await
    }

    /// Appends a message with tool calls, and the results.
    fn append(&self, body: &mut Value, message: Value, results: &Value) {
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        let named = |call: &Value| results[call["function"]["name"].as_str().unwrap_or_default()].clone();
        let mut appended = vec![message];
        for call in &calls {
            let id = &call[if self.fault == Fault::NamesTool { "function" } else { "id" }];
            let id = if self.fault == Fault::NamesTool { &id["name"] } else { id };
            let result = named(if self.fault == Fault::SameResult { &calls[0] } else { call });
            let result = if self.fault == Fault::QuotesResults { json!(result.to_string()) } else { result };
            let role = if self.fault == Fault::ResultsAsUser { "user" } else { "tool" };
            appended.push(json!({ "role": role, "tool_call_id": id, "content": result }));
        }
        if self.fault == Fault::FirstResultOnly {
            appended.truncate(2);
        }
        let messages = body["messages"].as_array_mut().expect("messages");
        if self.fault == Fault::ForgetsConversation {
            messages.clear();
        }
        messages.append(&mut appended);
    }

    async fn send_body(&mut self, model: &str, body: &Value) -> Result<String, String> {
        if !self.direct {
            let url = self.url.clone();
            return self.complete(&url, body).await;
        }
        let mut last = "no server".to_owned();
        let mut tried = BTreeSet::new();
        for _ in 0..2 {
            for server in self.servers(model).await? {
                let asked = match server.strip_prefix("tee://") {
                    Some(hash) => self.ask_enclave(hash, body).await,
                    None if !tried.insert(server.clone()) => continue,
                    None => self.complete(&server, body).await,
                };
                match asked {
                    Ok(answer) => {
                        self.first.get_or_insert(server);
                        return Ok(answer);
                    }
                    Err(why) if self.fault == Fault::GivesUp => return Err(why),
                    Err(why) if self.fault == Fault::SameServer => {
                        for _ in 0..2 {
                            if let Ok(answer) = self.complete(&server, body).await {
                                return Ok(answer);
                            }
                        }
                        return Err(why);
                    }
                    Err(why) => last = why,
                }
            }
            self.listed = None;
        }
        Err(last)
    }

    async fn servers(&mut self, model: &str) -> Result<Vec<String>, String> {
        let stale = |seen: &Instant| seen.elapsed() >= self.refresh && self.fault != Fault::DiscoversOnce;
        if self.listed.as_ref().is_none_or(|(seen, _)| stale(seen)) {
            let (url, seen) = (self.url.clone(), Instant::now());
            let listed = self.get(&url, "/svc/models").await?;
            self.listed = Some((seen, listed));
        }
        let listed = self.listed.as_ref().map(|(_, listed)| listed[model]["servers"].clone());
        let listed: Vec<String> = serde_json::from_value(listed.unwrap_or_default()).unwrap_or_default();
        let fixed = self.first.clone().filter(|_| self.fault == Fault::FixesUrl);
        Ok(fixed.into_iter().chain(listed).collect())
    }

    async fn get(&mut self, base: &str, target: &str) -> Result<Value, String> {
        let (stream, _) = self.connect(base).await?;
        let request = Request::new("GET", target);
        let answer = exchange(stream, &request, host(base), Limits::default()).await;
        let answer = answer.map_err(|e| e.to_string())?;
        if answer.status == 200 { answer.json() } else { Err(format!("{} {}", answer.status, answer.text())) }
    }

    async fn ask_enclave(&mut self, item_hash: &str, body: &Value) -> Result<String, String> {
        if self.fault == Fault::RefusesEnclaves {
            return Err("confidential models are not supported".to_owned());
        }
        if self.fault == Fault::HashAsPath {
            let url = format!("{}/{item_hash}", self.url);
            return self.complete(&url, body).await;
        }
        let fixed = self.address.clone().filter(|_| self.fault == Fault::ResolvesOnce);
        let address = if let Some(address) = fixed {
            address
        } else {
            let url = self.url.clone();
            let resolved = self.get(&url, &format!("{RESOLVE}{item_hash}")).await?;
            resolved["address"].as_str().ok_or("no address")?.to_owned()
        };
        self.address = Some(address.clone());
        if self.fault == Fault::SendsFirst {
            let answer = self.complete(&address, body).await;
            self.verify(&address, item_hash).await?;
            return answer;
        }
        if self.fault != Fault::AttestsOnce || self.pin.is_none() {
            self.pin = Some(self.verify(&address, item_hash).await?);
        }
        let (stream, shown) = self.connect(&address).await?;
        if Some(shown) != self.pin && !matches!(self.fault, Fault::NoPin | Fault::AttestsOnce) {
            return Err("another certificate".to_owned());
        }
        let request = self.completion(&address, body);
        self.read(stream, &request, &address, body).await
    }

    /// Checks the attestation. Returns the digest of the attested certificate.
    async fn verify(&mut self, address: &str, item_hash: &str) -> Result<[u8; 32], String> {
        let (stream, shown) = self.connect(address).await?;
        self.asked += 1;
        let nonce = text::hex(&Sha256::digest(format!("{} {item_hash}", self.asked)));
        let request = Request::new("GET", &format!("{ATTESTATION}?nonce={nonce}"));
        let answer = exchange(stream, &request, host(address), Limits::default()).await;
        let attested = answer.map_err(|e| e.to_string())?.json()?;
        let mut expected = Statement { item_hash: item_hash.to_owned(), nonce, certificate_sha256: shown };
        let member = |name: &str| attested[name].as_str().unwrap_or_default().to_owned();
        match self.fault {
            Fault::AnyMeasurement => expected.item_hash = member("item_hash"),
            Fault::AnyNonce => expected.nonce = member("nonce"),
            Fault::AnyCertificate => {
                let named = text::parse_hex(&member("certificate_sha256"));
                expected.certificate_sha256 =
                    named.and_then(|bytes| bytes.try_into().ok()).ok_or("no digest")?;
            }
            Fault::AnySignature => return Ok(shown),
            _ => {}
        }
        let authority = match self.authority {
            None if self.fault == Fault::TakesAnyEnclave => return Ok(shown),
            authority => authority.ok_or("no attestation authority is set")?,
        };
        expected.verify(&attested, &authority).map_err(|e| e.to_string())?;
        Ok(shown)
    }

    async fn complete(&mut self, base: &str, body: &Value) -> Result<String, String> {
        let mut again = 0;
        loop {
            let request = self.completion(base, body);
            let (stream, _) = self.connect(base).await?;
            let asked = self.read(stream, &request, base, body).await;
            let storm = match &asked {
                Err(why) => {
                    (self.fault == Fault::HammersRejected && why.starts_with("401"))
                        || (self.fault == Fault::HammersUnavailable && why.starts_with("503"))
                        || (self.fault == Fault::StreamStorm && why.contains("midway"))
                }
                Ok(_) => false,
            };
            again += 1;
            match asked {
                Err(why) if why.starts_with("402") && self.fault != Fault::NeverPays => {
                    return self.pay(base, body).await;
                }
                Err(why) if why.starts_with("401") && self.fault == Fault::ReportsRejection => {
                    return Ok(why);
                }
                Err(_) if storm && again < 20 => {}
                asked => return asked,
            }
        }
    }

    /// Sends the same request again, with a payment.
    async fn pay(&mut self, base: &str, body: &Value) -> Result<String, String> {
        let mut body = body.clone();
        if self.fault == Fault::PaysForAnother {
            body["messages"][0]["content"] = json!("Something else");
        }
        let mut request = self.completion(base, &body);
        if self.fault != Fault::AsksAgainUnpaid {
            request = request.header("X-PAYMENT", self.payment.clone().unwrap_or_default());
        }
        if self.fault == Fault::PaysWithKey {
            request = request.header("Authorization", "Bearer anonymous");
        }
        let (stream, _) = self.connect(base).await?;
        self.read(stream, &request, base, &body).await
    }

    fn completion(&self, base: &str, body: &Value) -> Request {
        let path = base.split('/').nth(3).map(|path| format!("/{path}")).unwrap_or_default();
        let request = Request::new("POST", &format!("{path}/v1/chat/completions"))
            .header("Content-Type", "application/json")
            .body(body.to_string());
        match &self.key {
            Some(key) if self.fault == Fault::OtherScheme => {
                request.header("Authorization", format!("Key {key}"))
            }
            Some(key) if self.fault == Fault::OtherHeader => request.header("X-Api-Key", key.as_str()),
            Some(_) if self.fault == Fault::NoKeyToServers && self.direct => request,
            Some(key) => request.header("Authorization", format!("Bearer {key}")),
            None => request,
        }
    }

    /// Sends a request and reads the model's words.
    async fn read(
        &mut self,
        stream: Box<dyn Stream>,
        request: &Request,
        base: &str,
        body: &Value,
    ) -> Result<String, String> {
        let mut request = request.clone();
        if let Some(cookie) = self.cookies.get(base).filter(|_| self.fault != Fault::DropsCookies) {
            request = request.header("Cookie", cookie.as_str());
        }
        let patience = match self.fault {
            Fault::TakesDeadStreams => Some(Duration::from_mins(1)),
            Fault::TakesSilence => Some(Duration::from_secs(1)),
            _ => None,
        };
        if let Some(patience) = patience.filter(|_| body["stream"] == true) {
            return take_what_comes(stream, &request, host(base), patience).await;
        }
        let answer = exchange(stream, &request, host(base), Limits::default()).await;
        let answer = answer.map_err(|e| e.to_string())?;
        if let Some(cookie) = answer.header("set-cookie") {
            let pair = cookie.split(';').next().unwrap_or_default();
            self.cookies.insert(base.to_owned(), pair.to_owned());
        }
        if self.fault == Fault::TakesNonsense && answer.status >= 500 {
            return Ok(answer.text());
        }
        if answer.status != 200 {
            return Err(format!("{} {}", answer.status, answer.text()));
        }
        if body["stream"] != true {
            let message = answer.json()?["choices"][0]["message"].take();
            if message["tool_calls"].is_array() {
                return Ok(format!("{CALLS}{message}"));
            }
            return message["content"].as_str().map(str::to_owned).ok_or_else(|| "no words".to_owned());
        }
        if self.fault == Fault::SkipsErrorEvents {
            Ok(deltas(&answer))
        } else {
            words_of_stream(&answer.body).map_err(|e| e.to_string())
        }
    }

    async fn connect(&self, base: &str) -> Result<(Box<dyn Stream>, [u8; 32]), String> {
        let (url, stream) = open(base, None).await.map_err(|e| e.to_string())?;
        if url.scheme() != "https" {
            return Ok((Box::new(stream), [0; 32]));
        }
        let stream = self
            .trust
            .handshake(&url, stream, assay_suites::http::tls::Manner::default())
            .await
            .map_err(|e| e.to_string())?;
        let shown = Sha256::digest(certificate(&stream)).into();
        Ok((Box::new(stream), shown))
    }
}

/// The increments of a stream; everything else is ignored.
fn deltas(answer: &Response) -> String {
    let text = answer.text();
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let chunks = data.filter_map(|data| serde_json::from_str::<Value>(data.trim()).ok());
    chunks.filter_map(|chunk| Some(chunk["choices"][0]["delta"]["content"].as_str()?.to_owned())).collect()
}

/// The increments of everything that arrives before the connection ends or is silent for so long.
async fn take_what_comes(
    mut stream: Box<dyn Stream>,
    request: &Request,
    host: &str,
    patience: Duration,
) -> Result<String, String> {
    let _ = stream.write_all(&request.bytes(host)).await;
    let _ = stream.flush().await;
    let mut body = Vec::new();
    while let Ok(Ok(1..)) = tokio::time::timeout(patience, stream.read_buf(&mut body)).await {}
    let words = deltas(&Response { body: body.into(), ..Response::default() });
    if words.is_empty() { Err("no words".to_owned()) } else { Ok(words) }
}

/// Host and port as the `Host` header names them.
fn host(base: &str) -> &str {
    base.split('/').nth(2).unwrap_or_default()
}
