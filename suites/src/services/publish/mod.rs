//! Checks of the signed publishing exchange (document 3).

mod chain;
pub mod client;
mod envelope;
mod exchange;
mod explore;
mod message;
mod pool;
mod prepare;
mod readings;
mod record;
mod scene;
mod simulated;
mod submit;
mod suite;
pub(crate) mod survey;
mod transfer;
mod trip;
pub mod verify;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use assay_spec::crypto::ed25519;
use assay_spec::publish::limits::PREPARE_LIFETIME;
use assay_spec::value::ValueKind;
use ed25519_dalek::SigningKey;
use serde_json::{Value, json};

use crate::harness::boundary::{edges, ms};
pub use suite::SUITE;

use crate::harness::check::{Checked, Core, Cost, Stop};
use crate::harness::data::Sums;
use crate::harness::pace::Pace;
use crate::harness::probe::{Answer, Evidence, Probe};
use crate::http::client::Limits;
use crate::http::exchange::Request;
use crate::profile::{EscapeProfile, MemoLogForm};

pub use pool::Pool;
use pool::{Lease, Purpose, draw};
pub(crate) use wire::Draft;

/// Whether checks may run beside each other at a shared target. An address has one quota, and what is in flight for a domain locks it.
pub(crate) const PARALLEL: bool = false;

/// What the service must have shown.
pub const CORE: Core = {
    use assay_spec::publish::requirements::prepare as rows;
    Core::new(
        "a prepare is accepted",
        const { &[&rows::PREPARE_ID, &rows::MESSAGE, &rows::PAYLOAD, &rows::EXPIRES_AT] },
    )
};

/// The path of the prepare endpoint.
pub(crate) const PREPARE: &str = "/api/vf-cli/publish/prepare";
/// The path of the submit endpoint.
pub(crate) const SUBMIT: &str = "/api/vf-cli/publish/submit";
/// The site of a standby node.
pub const STANDBY: &str = "publish-standby";
/// A well-formed content identifier without any content.
pub(crate) const CID: &str = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
/// A prepare id that no service has issued.
pub(crate) const NO_ID: &str = "5f0f1b5e-0000-4000-8000-00000badf00d";

/// What a profile configures for this service.
#[derive(Clone, Default)]
pub struct Fixtures {
    /// The bound domains, by state.
    pub pool: Arc<Pool>,
    /// How far the target's clock is ahead of this machine's, in milliseconds, if that was seen before the checks.
    pub ahead_ms: Option<i64>,
    /// The domains of the profile that are bound to the key, in its order.
    pub declared: Arc<[String]>,
    /// The seed of this key.
    pub key: Option<[u8; 32]>,
    /// The domains of the profile that are bound to the second key.
    pub second_domains: Arc<[String]>,
    /// The domain with a pending transfer.
    pub pending: Arc<Pool>,
    /// The seed of the incoming key of transfers.
    pub second_key: Option<[u8; 32]>,
    /// The transaction signature of that transfer.
    pub pending_transfer: Option<String>,
    /// The domain that a run may transfer to the incoming key and back, if the profile names both.
    pub transferable: Option<Arc<Pool>>,
    /// A bound domain that is not publishable.
    pub not_publishable: Option<String>,
    /// A bound domain whose account does not have the feature.
    pub feature_off: Option<String>,
    /// A bound domain whose transactions the chain rejects.
    pub chain_rejects: Option<String>,
    /// A transfer must carry a `cid`.
    pub transfer_needs_cid: bool,
    /// A different domain in the body may return 400.
    pub lenient_rule7: bool,
    /// How strings of a record are written.
    pub escape_profile: EscapeProfile,
    /// How the chain's log shows a memo, if the profile declares it.
    pub memo_log_form: Option<MemoLogForm>,
    /// The profile names a standby node.
    pub has_standby: bool,
    /// How long a node of the chain may take until it shows what was confirmed, and an operator until an accept is confirmed, in
    /// seconds.
    pub shown_seconds: u32,
}

impl Fixtures {
    /// The fixtures of a profile; the keys are the secrets that it names (64 hex digits). An error names the wrong one.
    pub fn new(
        profile: &crate::profile::Publish,
        key: Option<&str>,
        second_key: Option<&str>,
    ) -> Result<Fixtures, (&'static str, String)> {
        let read =
            |name: &'static str, key: Option<&str>| key.map(seed).transpose().map_err(|why| (name, why));
        let transferable = profile.transferable.clone().filter(|_| second_key.is_some());
        let second_domains = second_key.map_or(&[][..], |_| &profile.second_domains);
        Ok(Fixtures {
            pool: Arc::new(Pool::new(profile.domains.iter().chain(second_domains).cloned())),
            ahead_ms: None,
            declared: profile.domains.clone().into(),
            key: read("publish.key", key)?,
            second_domains: second_domains.into(),
            pending: Arc::new(Pool::new(profile.pending.clone())),
            second_key: read("publish.second_key", second_key)?,
            pending_transfer: profile.pending_transfer.clone(),
            transferable: transferable.map(|domain| Arc::new(Pool::new([domain]))),
            not_publishable: profile.not_publishable.clone(),
            feature_off: profile.feature_off.clone(),
            chain_rejects: profile.chain_rejects.clone(),
            transfer_needs_cid: profile.readings.transfer_needs_cid,
            lenient_rule7: profile.readings.lenient_rule7,
            escape_profile: profile.readings.escape_profile,
            memo_log_form: profile.readings.memo_log_form,
            has_standby: profile.standby_url.is_some(),
            shown_seconds: profile.limits.shown_seconds,
        })
    }

    /// Every pool of domains.
    fn pools(&self) -> impl Iterator<Item = &Arc<Pool>> {
        [&self.pool, &self.pending].into_iter().chain(&self.transferable)
    }

    /// Forgets the responses that checks share.
    pub fn forget(&self) {
        self.pools().for_each(|pool| pool.forget());
    }

    /// The entry of a domain in the profile, and the seed of its key.
    pub(crate) fn entry(&self, domain: &str) -> Option<(String, [u8; 32])> {
        let lists = [
            ("domains", &self.declared, self.key),
            ("second_domains", &self.second_domains, self.second_key),
        ];
        lists.into_iter().find_map(|(list, domains, key)| {
            let n = domains.iter().position(|declared| declared == domain)?;
            Some((format!("publish.{list}[{n}]"), key?))
        })
    }
}

/// With how many domains a run publishes at most: it asks whether each is free before it uses it.
pub(crate) const MOST_DOMAINS: usize = 10;

/// The round trip of a domain that may be transferred, and the domains that checks use.
fn opening(pace: &Pace) -> Sums {
    let domains = pace.domains().min(MOST_DOMAINS) as u64;
    let (requests, publishes) = pace.trip().map_or((0, 0), trip::cost);
    let bytes = requests * u64::from(Cost::REQUEST_BYTES);
    Sums { requests, writes: requests, bytes, publishes, domains, ..Sums::default() }
}

/// The signing key for a seed of 64 hex digits.
pub fn signing_key(text: &str) -> Result<SigningKey, String> {
    seed(text).map(ed25519::key_from_seed)
}

/// Parses a seed of 64 hex digits. The string is a secret, so no error message contains it.
fn seed(text: &str) -> Result<[u8; 32], String> {
    let mut seed = [0; 32];
    let read = base16ct::mixed::decode(text.trim(), &mut seed).map(<[u8]>::len);
    if read == Ok(32) { Ok(seed) } else { Err("the key is not 64 hex digits".to_owned()) }
}

/// Prints no key.
impl std::fmt::Debug for Fixtures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fixtures")
    }
}

/// A publisher: a domain and the key bound to it.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) domain: String,
    pub(crate) key: SigningKey,
    /// Keeps the domain from other checks.
    _lease: Option<Arc<Lease>>,
}

impl Caller {
    /// The same domain with another key.
    pub(crate) fn with_key(&self, key: SigningKey) -> Caller {
        Caller { key, ..self.clone() }
    }
}

/// A bound domain that is free: created through the control API, otherwise one of the profile's.
pub(crate) async fn caller(probe: &Probe<'_>) -> Result<Caller, Stop> {
    bound(probe, json!({})).await
}

/// As [`caller`], with such a binding, for example `{"publishable": false}` or a domain, if there is a control API.
pub(crate) async fn bound(probe: &Probe<'_>, kind: Value) -> Result<Caller, Stop> {
    if !probe.has_control() {
        return drawn(probe, Purpose::Publish).await;
    }
    let key = fresh_key(probe);
    let label = assay_spec::crypto::text::hex(&probe.draw("domain")[..6]);
    let domain = format!("site-{label}.example");
    let domain = kind["domain"].as_str().map_or(domain, str::to_owned);
    let mut arguments = json!({ "domain": domain, "key": ed25519::address(&key) });
    for (name, value) in kind.as_object().into_iter().flatten() {
        arguments[name] = value.clone();
    }
    probe.perform("publish.bind", arguments).await?;
    Ok(Caller { domain, key, _lease: None })
}

/// One of the profile's domains in the state that the purpose needs.
pub(crate) async fn drawn(probe: &Probe<'_>, purpose: Purpose) -> Result<Caller, Stop> {
    draw(probe, &[purpose]).await.map(|(mut callers, _)| callers.remove(0))
}

/// A client of a domain that the profile declares to be in a state, by its key in the profile.
pub(crate) fn declared(
    probe: &Probe<'_>,
    name: &str,
    of: fn(&Fixtures) -> &Option<String>,
) -> Result<Caller, Stop> {
    let fixtures = confirmed(probe)?;
    probe.rest_on(&format!("publish.{name}"))?;
    match (of(fixtures), fixtures.key) {
        (Some(domain), Some(seed)) => {
            Ok(Caller { domain: domain.clone(), key: ed25519::key_from_seed(seed), _lease: None })
        }
        _ => Err(Stop::NotTestable(format!(
            "needs a domain in this state ([publish] {name}), or a control API"
        ))),
    }
}

/// The fixtures of the profile, if the target has confirmed the key. The check then knows the target's clock.
fn confirmed<'p>(probe: &'p Probe<'_>) -> Result<&'p Fixtures, Stop> {
    let fixtures = probe.settings.publish();
    probe.rest_on("publish.key")?;
    // Until it has seen a response, a check does not know the clock that its envelope is compared with.
    let ahead = || fixtures.ahead_ms.map(Value::from).ok_or_else(|| "not seen".to_owned());
    if let Some(ahead_ms) = probe.share("publish.clock", ahead).ok().and_then(|ahead| ahead.as_i64()) {
        probe.set_skew(ahead_ms);
    }
    Ok(fixtures)
}

/// A key that was not used before.
pub(crate) fn fresh_key(probe: &Probe<'_>) -> SigningKey {
    ed25519::key_from_seed(probe.draw("key"))
}

/// The body of an ordinary publish.
pub(crate) fn publish_body(caller: &Caller) -> Value {
    json!({ "domain": caller.domain, "cid": CID, "op": "pub" })
}

/// The body of a transfer to `key`.
pub(crate) fn transfer_body(probe: &Probe<'_>, caller: &Caller, key: &SigningKey) -> Value {
    let authority = format!("{}{}", probe.settings.dialect.key_scheme, ed25519::address(key));
    let mut body = json!({ "domain": caller.domain, "op": "transfer", "newAuthority": authority });
    if probe.settings.publish().transfer_needs_cid {
        body["cid"] = json!(CID);
    }
    body
}

/// The body of an accept.
pub(crate) fn accept_body(caller: &Caller) -> Value {
    json!({ "domain": caller.domain, "op": "accept" })
}

/// Sends a correctly signed prepare of `body`.
pub(crate) async fn prepare<'p>(
    probe: &'p Probe<'_>,
    caller: &Caller,
    body: &Value,
) -> Result<Answer<'p>, Stop> {
    Draft::new(probe, caller, PREPARE, body.to_string()).await?.send(probe).await
}

/// Sends a submit with an unknown prepare id. If the server accepts the envelope, it returns 410.
pub(crate) async fn knock<'p>(
    probe: &'p Probe<'_>,
    caller: &Caller,
    edit: impl FnOnce(&mut Draft),
) -> Result<Answer<'p>, Stop> {
    let mut draft = Draft::new(probe, caller, SUBMIT, knock_body()).await?;
    edit(&mut draft);
    draft.send(probe).await
}

/// The body of [`knock`].
pub(crate) fn knock_body() -> String {
    let signature = assay_spec::crypto::text::base64(&[0; 64]);
    json!({ "prepareId": NO_ID, "signature": signature }).to_string()
}

/// What an accepted prepare returned.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(crate) id: String,
    pub(crate) message: Vec<u8>,
}

/// The reply to an accepted prepare.
pub(crate) const PREPARED: Evidence = Evidence {
    what: "the strings `prepareId` and `message`",
    shows: |body| {
        let is_string = |member: &str| body[member].as_str().is_some_and(|text| !text.is_empty());
        is_string("prepareId") && is_string("message")
    },
};

/// Sends a prepare that must succeed; otherwise the check is inconclusive.
pub(crate) async fn prepared(probe: &Probe<'_>, caller: &Caller, body: &Value) -> Result<Prepared, Stop> {
    let answer = prepare(probe, caller, body).await?;
    answer.given_accepted(&[200], PREPARED)?;
    read_prepared(probe, &answer.json())
}

/// Prepares a publish with each uncommon valid value of a member, each for a domain of its own. Each must return 200; `judge`
/// looks at what was prepared. The first value has all properties that can be together; if it is rejected, the others tell which one
/// is, as far as there are domains.
async fn each_value_is_prepared(
    probe: &Probe<'_>,
    member: &str,
    judge: impl Fn(&ValueKind, &Prepared) -> Checked,
) -> Checked {
    for (n, value) in probe.uncommon_values().enumerate() {
        next_minute(probe, n).await?;
        let answer = prepare_with(probe, member, value).await?;
        if n == 0 && answer.is_malformed() {
            each_value_alone(probe, async |value| {
                prepare_with(probe, member, value).await?.expect_not_malformed(member, value)
            })
            .await?;
        }
        answer.expect_not_malformed(member, value)?;
        answer.given_accepted(&[200], PREPARED)?;
        judge(value, &read_prepared(probe, &answer.json())?)?;
    }
    Ok(())
}

/// Sends a prepare with this value of a member.
async fn prepare_with<'p>(probe: &'p Probe<'_>, member: &str, value: &ValueKind) -> Result<Answer<'p>, Stop> {
    let caller = caller(probe).await?;
    let mut body = publish_body(&caller);
    body[member] = value.instead_of(&body[member]).unwrap_or_default();
    prepare(probe, &caller, &body).await
}

/// After the value with all properties was rejected, sends those with one each. Ends with the failure of the first that is rejected,
/// and without one if something else prevents it, such as a domain that is used up.
async fn each_value_alone(probe: &Probe<'_>, send: impl AsyncFn(&ValueKind) -> Checked) -> Checked {
    for (n, value) in probe.single_values().enumerate() {
        let sent = match next_minute(probe, n + 1).await {
            Ok(()) => send(value).await,
            ended => ended,
        };
        match sent {
            Ok(()) => {}
            Err(Stop::Fail(failure)) => return Err(Stop::Fail(failure)),
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

/// Lets a prepare expire.
async fn expire(probe: &Probe<'_>) -> Checked {
    probe.advance(ms(edges(probe, &PREPARE_LIFETIME).outside)).await
}

/// How many wrong values a check sends within a minute of its own world: far fewer than the limit of an address.
const A_MINUTE: usize = 6;

/// Before the `n`th wrong value, from 0: lets the minute pass in a world of its own that has had enough of them.
async fn next_minute(probe: &Probe<'_>, n: usize) -> Checked {
    if n == 0 || !n.is_multiple_of(A_MINUTE) || !probe.owns_time() {
        return Ok(());
    }
    expire(probe).await
}

/// Reads a prepare response leniently.
pub(crate) fn read_prepared(probe: &Probe<'_>, body: &Value) -> Result<Prepared, Stop> {
    let string = |member: &str| body[member].as_str().unwrap_or_default().to_owned();
    let message = wire::any_base64(&string("message")).filter(|message| !message.is_empty());
    probe.given(message.is_some(), "the `message` of the prepare response is empty or not base64")?;
    Ok(Prepared { id: string("prepareId"), message: message.unwrap_or_default() })
}

/// The body of a submit.
pub(crate) fn submit_body(prepared: &Prepared, caller: &Caller) -> Value {
    let signature = ed25519::sign(&caller.key, &prepared.message);
    json!({ "prepareId": prepared.id, "signature": assay_spec::crypto::text::base64(&signature) })
}

/// Sends a correctly signed submit of `body`.
pub(crate) async fn submit<'p>(
    probe: &'p Probe<'_>,
    caller: &Caller,
    body: &Value,
) -> Result<Answer<'p>, Stop> {
    Draft::new(probe, caller, SUBMIT, body.to_string()).await?.send(probe).await
}

/// Publishes, and returns the transaction's signature. If the publish fails, the check is inconclusive.
pub(crate) async fn landed(
    probe: &Probe<'_>,
    caller: &Caller,
    body: &Value,
) -> Result<(Prepared, String), Stop> {
    let prepared = prepared(probe, caller, body).await?;
    let mut submission = submit_body(&prepared, caller);
    if body["op"] == "accept" {
        submission["op"] = json!("accept");
    }
    let answer = submit(probe, caller, &submission).await?;
    Ok((prepared, signature_in(&answer)?))
}

/// The transaction's signature in the response to a submit. If there is none, the check is inconclusive.
fn signature_in(answer: &Answer<'_>) -> Result<String, Stop> {
    answer.given_status(&[200])?;
    let signature = answer.json()["signature"].as_str().unwrap_or_default().to_owned();
    answer.given(!signature.is_empty(), "the submit returned no `signature`")?;
    Ok(signature)
}

/// Client limits for a submit, which can take about three minutes unless the check owns the clock.
pub(crate) fn patient(probe: &Probe<'_>) -> Limits {
    let seconds = if probe.owns_time() { 15 } else { 240 };
    Limits { timeout: Duration::from_secs(seconds), ..Limits::default() }
}

/// Calls the chain's public JSON-RPC interface and returns `result`.
pub(crate) async fn chain_call(probe: &Probe<'_>, method: &str, params: Value) -> Result<Value, Stop> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let prefix = probe.prefix("chain");
    let target = if prefix.is_empty() { "/".to_owned() } else { prefix };
    let request =
        Request::new("POST", &target).header("Content-Type", "application/json").body(body.to_string());
    let answer = probe.send("chain", request).await?;
    answer.given_status(&[200])?;
    let body = answer.json();
    probe
        .conclusive(body.get("result").is_some(), format!("the chain rejects {method}: {}", body["error"]))?;
    Ok(body["result"].clone())
}
