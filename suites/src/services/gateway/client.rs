//! A small conforming client of the gateway, of its servers, and of confidential deployments.
//!
//! The document does not show how an item hash is resolved and an enclave attested. For that the client uses the
//! simulator's stand-ins ([`assay_spec::gateway::stand_in`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_spec::Dialect;
use assay_spec::crypto::text;
use assay_spec::gateway::stand_in::{self, Statement};
use assay_spec::gateway::stream as grammar;
use assay_spec::sse;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::harness::pace::{LONGEST_WAIT, Retry, Tried};
use crate::harness::sender::Sender;
use crate::http::client::{Limits, exchange};
use crate::http::connect::{Connect, Stream, path_of};
use crate::http::curl::KEY_VARIABLE;
use crate::http::exchange::{Broken, Request, Response};
use crate::http::sockets::{Sockets, open};
use crate::http::tls::{Manner, Trust, certificate};

/// When a request is sent again: after a 429. A prompt is sent once more after all servers failed.
const RETRY: Retry = Retry {
    tries: 2,
    waits: 3,
    pause: Some(Duration::from_secs(1)),
    longest: LONGEST_WAIT,
    is_temporary: |_| false,
};
/// How many times in a row a model may call tools.
const ROUNDS: usize = 8;
/// How often an enclave is resolved again, since it may reboot meanwhile.
const BOOTS: usize = 2;

/// Where the client sends requests, and with which credentials.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The product names in identifiers.
    pub dialect: Dialect,
    /// Base URL of the gateway.
    pub url: String,
    /// The key; without one the client pays for requests.
    pub key: Option<String>,
    /// The certificates that connections trust.
    pub trust: Trust,
    /// Servers are called directly, not through the gateway.
    pub direct: bool,
    /// How long the server list is used before the client queries discovery again.
    pub refresh: Duration,
    /// The attestation authority's public key; without it the client sends nothing to confidential models.
    pub authority: Option<[u8; 32]>,
    /// The value of `X-PAYMENT` after a 402.
    pub payment: Option<String>,
    /// The limits of one exchange.
    pub limits: Limits,
}

/// A client with its caches.
pub struct Client {
    settings: Settings,
    connector: Arc<dyn Connect>,
    servers: Option<(Instant, BTreeMap<String, Vec<String>>)>,
    /// Cookies by base URL and name.
    cookies: BTreeMap<(String, String), String>,
    /// Verified enclaves by item hash.
    pins: BTreeMap<String, Pin>,
}

/// A verified enclave.
#[derive(Clone, Debug)]
struct Pin {
    address: String,
    certificate: [u8; 32],
}

/// A prompt, and the tools that the model may call to answer it.
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    /// The model's id.
    pub model: String,
    /// The text.
    pub text: String,
    /// The answer is streamed.
    pub stream: bool,
    /// Declarations of tools, as `tools` of a request lists them.
    pub tools: Vec<Value>,
    /// What the tools return, by their names.
    pub results: BTreeMap<String, String>,
}

/// The reply of a model.
enum Reply {
    /// Its words.
    Words(String),
    /// A message with tool calls.
    Calls(Value),
}

/// Why a request failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// The service rejects the request: a retry does not help.
    #[error("{0}")]
    Refused(String),
    /// A server failed: a retry, or another server, may succeed.
    #[error("{0}")]
    Failed(String),
    /// An enclave could not be verified, so the request was not sent.
    #[error("enclave not verified, request not sent: {0}")]
    Unverified(String),
}

impl Client {
    /// A client with empty caches.
    pub fn new(settings: Settings) -> Client {
        let connector = Arc::new(Sockets { trust: settings.trust.clone(), ..Sockets::default() });
        Client { settings, connector, servers: None, cookies: BTreeMap::new(), pins: BTreeMap::new() }
    }

    /// Sends a prompt to a model and returns its words. A stream is read to its end; a stream that fails midway is an
    /// error. If the model calls tools, their results are appended to the conversation and the model is called again.
    pub async fn send_prompt(&mut self, prompt: &Prompt) -> Result<String, Failure> {
        let mut messages = vec![json!({ "role": "user", "content": prompt.text })];
        for _ in 0..ROUNDS {
            let mut body = json!({ "model": prompt.model, "messages": messages, "stream": prompt.stream });
            if !prompt.tools.is_empty() {
                body["tools"] = json!(prompt.tools);
            }
            match self.send_body(&prompt.model, &body).await? {
                Reply::Words(words) => return Ok(words),
                Reply::Calls(message) => {
                    let results = results(&message, &prompt.results)?;
                    messages.push(message);
                    messages.extend(results);
                }
            }
        }
        Err(Failure::Refused(format!("the model called tools {ROUNDS} times and did not answer")))
    }

    /// Sends a request for a completion, and once more after all servers failed.
    async fn send_body(&mut self, model: &str, body: &Value) -> Result<Reply, Failure> {
        let mut tried = Tried::default();
        loop {
            let asked = if self.settings.direct {
                self.ask_servers(model, body).await
            } else {
                let url = self.settings.url.clone();
                self.complete(&url, body).await
            };
            let Err(Failure::Failed(_)) = asked else { return asked };
            let Some(wait) = RETRY.again_after_failure(&mut tried) else { return asked };
            tokio::time::sleep(wait).await;
        }
    }

    /// Tries the servers that discovery lists for the model, one after the other.
    async fn ask_servers(&mut self, model: &str, body: &Value) -> Result<Reply, Failure> {
        let (mut tried, mut last) = (BTreeSet::new(), None);
        loop {
            let servers = self.servers(model).await?;
            let fresh: Vec<String> = servers.into_iter().filter(|server| !tried.contains(server)).collect();
            if fresh.is_empty() {
                let none = || Failure::Failed(format!("discovery lists no server for {model}"));
                return Err(last.unwrap_or_else(none));
            }
            for server in fresh {
                let scheme = &self.settings.dialect.confidential_scheme;
                let asked = match server.strip_prefix(scheme.as_str()).map(str::to_owned) {
                    Some(hash) => self.ask_enclave(&hash, body).await,
                    None => self.complete(&server, body).await,
                };
                match asked {
                    Err(failure @ (Failure::Failed(_) | Failure::Unverified(_))) => last = Some(failure),
                    asked => return asked,
                }
                tried.insert(server);
            }
            // Discovery may list other servers by now.
            self.servers = None;
        }
    }

    /// The servers of a model, from discovery or from the cached list.
    async fn servers(&mut self, model: &str) -> Result<Vec<String>, Failure> {
        let is_stale = |(seen, _): &(Instant, _)| seen.elapsed() >= self.settings.refresh;
        if self.servers.as_ref().is_none_or(is_stale) {
            let target = format!("{}/models", self.settings.dialect.discovery_prefix);
            let (url, seen) = (self.settings.url.clone(), Instant::now());
            let response = self.send(&url, Request::new("GET", &target)).await?;
            let listed = response.json().map_err(|e| Failure::Failed(format!("discovery: {e}")))?;
            let servers = listed.as_object().into_iter().flatten().map(|(model, entry)| {
                let servers = entry["servers"].as_array().into_iter().flatten();
                (model.clone(), servers.filter_map(|server| Some(server.as_str()?.to_owned())).collect())
            });
            self.servers = Some((seen, servers.collect()));
        }
        let servers = self.servers.as_ref().and_then(|(_, servers)| servers.get(model));
        servers.cloned().ok_or_else(|| Failure::Refused(format!("discovery does not list {model}")))
    }

    /// Sends the request to a confidential deployment, only over a connection whose certificate was attested.
    async fn ask_enclave(&mut self, item_hash: &str, body: &Value) -> Result<Reply, Failure> {
        for _ in 0..BOOTS {
            let pin = match self.pins.get(item_hash) {
                Some(pin) => pin.clone(),
                None => self.verify(item_hash).await?,
            };
            self.pins.insert(item_hash.to_owned(), pin.clone());
            let Ok((stream, shown)) = self.connect(&pin.address).await else {
                self.pins.remove(item_hash);
                continue;
            };
            if shown != Some(pin.certificate) {
                self.pins.remove(item_hash);
                continue;
            }
            let request = self.with_cookies(&pin.address, self.completion(&pin.address, body));
            let response = exchange(stream, &request, host(&pin.address), self.settings.limits).await;
            let response = response.map_err(|e| failed(&e))?;
            self.keep_cookies(&pin.address, &response);
            return read(&response, body["stream"] == true);
        }
        Err(Failure::Unverified(format!("{item_hash} has a different certificate on each connection")))
    }

    /// Resolves an item hash and attests the enclave at its address.
    async fn verify(&mut self, item_hash: &str) -> Result<Pin, Failure> {
        let unverified = |why: String| Failure::Unverified(format!("{item_hash}: {why}"));
        let authority = self
            .settings
            .authority
            .ok_or_else(|| unverified("no attestation authority is set".to_owned()))?;
        let gateway = self.settings.url.clone();
        let resolving = Request::new("GET", &format!("{}{item_hash}", stand_in::RESOLVE));
        let resolved = self.send(&gateway, resolving).await?;
        let resolved = resolved.json().map_err(&unverified)?;
        let address =
            resolved["address"].as_str().ok_or_else(|| unverified("it resolves to no address".to_owned()))?;
        let (stream, shown) = self.connect(address).await?;
        let shown = shown.ok_or_else(|| unverified(format!("{address} presented no certificate")))?;
        let nonce = text::hex(&nonce()?);
        let attesting = Request::new("GET", &format!("{}?nonce={nonce}", stand_in::ATTESTATION));
        // Send no key and no cookie here: the server is not verified yet.
        let attested = exchange(stream, &attesting, host(address), self.settings.limits).await;
        let attested = attested.map_err(|e| unverified(e.to_string()))?;
        let attestation = attested.json().map_err(&unverified)?;
        let expected = Statement { item_hash: item_hash.to_owned(), nonce, certificate_sha256: shown };
        expected.verify(&attestation, &authority).map_err(|e| unverified(e.to_string()))?;
        Ok(Pin { address: address.to_owned(), certificate: shown })
    }

    /// Requests a completion at a base URL; pays after a 402.
    async fn complete(&mut self, base: &str, body: &Value) -> Result<Reply, Failure> {
        let mut request = self.completion(base, body);
        let mut response = self.exchange(base, request.clone()).await?;
        if let (402, Some(payment)) = (response.status, &self.settings.payment) {
            request.headers.retain(|(name, _)| name != "Authorization");
            request = request.header("X-PAYMENT", payment.as_str());
            response = self.exchange(base, request).await?;
        }
        if response.status == 401 && self.settings.key.is_none() {
            let why = format!("{}: no key was sent; {KEY_VARIABLE} is not set", refusal(&response));
            return Err(Failure::Refused(why));
        }
        read(&response, body["stream"] == true)
    }

    fn completion(&self, base: &str, body: &Value) -> Request {
        let request = Request::new("POST", &format!("{}/v1/chat/completions", prefix(base)))
            .header("Content-Type", "application/json")
            .body(body.to_string());
        match &self.settings.key {
            Some(key) => request.header("Authorization", format!("Bearer {key}")),
            None => request,
        }
    }

    /// Sends any other request with the key. A status other than 200 is an error.
    async fn send(&mut self, base: &str, mut request: Request) -> Result<Response, Failure> {
        request.target = format!("{}{}", prefix(base), request.target);
        if let Some(key) = &self.settings.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let response = self.exchange(base, request).await?;
        if response.status == 200 { Ok(response) } else { Err(refusal(&response)) }
    }

    /// Sends a request, with the cookies of that base URL.
    async fn exchange(&mut self, base: &str, request: Request) -> Result<Response, Failure> {
        let sender = Sender::new(self.connector.clone(), base).map_err(Failure::Failed)?;
        let request = self.with_cookies(base, request);
        let response = sender.send(&RETRY, self.settings.limits, || request.clone()).await;
        let response = response.map_err(|e| failed(&e))?;
        self.keep_cookies(base, &response);
        Ok(response)
    }

    fn with_cookies(&self, base: &str, request: Request) -> Request {
        let own = self.cookies.iter().filter(|((of, _), _)| of == base);
        let cookies: Vec<String> = own.map(|((_, name), value)| format!("{name}={value}")).collect();
        if cookies.is_empty() { request } else { request.header("Cookie", cookies.join("; ")) }
    }

    fn keep_cookies(&mut self, base: &str, response: &Response) {
        for (_, set) in response.headers.iter().filter(|(name, _)| name == "set-cookie") {
            let set = String::from_utf8_lossy(set);
            if let Some((name, value)) = set.split(';').next().and_then(|pair| pair.split_once('=')) {
                let place = (base.to_owned(), name.trim().to_owned());
                self.cookies.insert(place, value.trim().to_owned());
            }
        }
    }

    /// Connects. Also returns the SHA-256 of the server's certificate.
    async fn connect(&self, base: &str) -> Result<(Box<dyn Stream>, Option<[u8; 32]>), Failure> {
        let (url, stream) = open(base, None).await.map_err(|e| failed(&e))?;
        if url.scheme() != "https" {
            return Ok((Box::new(stream), None));
        }
        let stream =
            self.settings.trust.handshake(&url, stream, Manner::default()).await.map_err(|e| failed(&e))?;
        let shown = Sha256::digest(certificate(&stream)).into();
        Ok((Box::new(stream), Some(shown)))
    }
}

/// The reply in a response.
fn read(response: &Response, stream: bool) -> Result<Reply, Failure> {
    if response.status != 200 {
        return Err(refusal(response));
    }
    if stream {
        return reply_of_stream(&response.body);
    }
    let mut answer = response.json().map_err(|e| Failure::Failed(format!("invalid response: {e}")))?;
    let message = answer["choices"][0]["message"].take();
    if calls(&message).next().is_some() {
        return Ok(Reply::Calls(message));
    }
    let words = message["content"].as_str().map(str::to_owned);
    let none = || Failure::Failed("the response has no choices[0].message.content".to_owned());
    words.map(Reply::Words).ok_or_else(none)
}

/// The tool calls of an assistant's message.
pub(crate) fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    message["tool_calls"].as_array().into_iter().flatten()
}

/// A `tool` message for each call of a message, with the result of its tool.
fn results(message: &Value, results: &BTreeMap<String, String>) -> Result<Vec<Value>, Failure> {
    let result = |call: &Value| {
        let name = call["function"]["name"].as_str().unwrap_or_default();
        let result = results.get(name);
        let result = result.ok_or_else(|| {
            Failure::Refused(format!("the model called {name:?}, and `results` has no result of it"))
        })?;
        Ok(json!({ "role": "tool", "tool_call_id": call["id"], "content": result }))
    };
    calls(message).map(result).collect()
}

/// The text in a whole stream. An event that is not a chunk, such as an error, is a failure.
pub fn words_of_stream(body: &[u8]) -> Result<String, Failure> {
    let events = events_of_stream(body)?;
    let words = grammar::words(&events);
    if words.is_empty() { Err(Failure::Failed("the stream has no content".to_owned())) } else { Ok(words) }
}

/// The reply in a whole stream: calls that are put together from their pieces, or a text.
fn reply_of_stream(body: &[u8]) -> Result<Reply, Failure> {
    let events = events_of_stream(body)?;
    let calls = grammar::calls(&events)
        .map_err(|misfit| Failure::Failed(format!("{}: {}, not {}", misfit.at, misfit.got, misfit.want)))?;
    let first = calls.iter().filter(|((choice, _), _)| *choice == 0);
    let calls: Vec<Value> = first.map(|(_, call)| call.whole()).collect();
    if calls.is_empty() {
        return words_of_stream(body).map(Reply::Words);
    }
    Ok(Reply::Calls(json!({ "role": "assistant", "content": grammar::words(&events), "tool_calls": calls })))
}

/// The chunks of a stream.
fn events_of_stream(body: &[u8]) -> Result<Vec<sse::Event>, Failure> {
    let events = sse::events(body);
    let chunks = grammar::before_end(&events);
    match chunks.iter().find(|event| grammar::chunk(event).is_none()) {
        Some(event) => Err(Failure::Failed(format!("the stream failed midway: {}", event.data))),
        None => Ok(chunks.to_vec()),
    }
}

/// The failure for a status other than 200. Only a 5xx is worth a retry.
fn refusal(response: &Response) -> Failure {
    let detail = response.json().ok().and_then(|body| Some(body["detail"].as_str()?.to_owned()));
    let text = format!("{} {}", response.status, detail.unwrap_or_default());
    if response.status >= 500 { Failure::Failed(text) } else { Failure::Refused(text) }
}

fn failed(broken: &Broken) -> Failure {
    Failure::Failed(broken.to_string())
}

/// 32 unpredictable bytes.
fn nonce() -> Result<[u8; 32], Failure> {
    let mut nonce = [0; 32];
    let provider = rustls::crypto::ring::default_provider();
    let filled = provider.secure_random.fill(&mut nonce);
    filled.map_err(|_| Failure::Unverified("this machine has no random numbers".to_owned()))?;
    Ok(nonce)
}

/// The path prefix of a base URL, without a trailing slash.
fn prefix(base: &str) -> String {
    path_of(base).unwrap_or_default()
}

/// Host and port as the `Host` header names them.
fn host(base: &str) -> &str {
    crate::http::curl::authority(base)
}
