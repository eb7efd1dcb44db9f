//! What the document promises of any exchange, and one question for each fixture: does the key sign for the domain, does
//! the chain speak JSON-RPC.

use assay_spec::Instant;
use assay_spec::crypto::ed25519;
use assay_spec::publish::envelope::{Claims, sign};
use ed25519_dalek::SigningKey;
use serde_json::json;

use super::verify::{split, transaction_bytes, transaction_params};
use super::wire::read_record;
use super::{MOST_DOMAINS, PREPARE, STANDBY, SUBMIT, knock_body};
use crate::harness::probe::wall_clock;
use crate::harness::survey::{Asked, Found, Likeness, Survey, WrongFixture, shown, skew_ms};
use crate::http::client::Limits;
use crate::http::exchange::{Request, Response};
use crate::http::transport::NOWHERE;

/// After this many domains in a row that the key does not sign for, the key is wrong.
const UNBOUND: usize = 3;

/// Posts a submit without a signature. The exchange returns its plain 404, or the error of a node that may not write.
pub(crate) async fn recognise(at: Asked<'_>) -> Result<Found, String> {
    let mut found = Found::default();
    let answer = at.post(SUBMIT, knock_body()).await?;
    let body = answer.json().unwrap_or_default();
    let may_not_write = answer.status == 503 && body["error"].is_string();
    found.saw(&answer, is_blanket(&answer) || may_not_write);
    if answer.status == 404 {
        // The body of the 404 may be what is wrong with an exchange.
        found.likeness = found.likeness.max(Likeness::Unclear);
        if !is_blanket(&answer)
            && let Ok(unknown) = at.post(NOWHERE, knock_body()).await
        {
            found.is_missing = unknown.status == 404 && unknown.body == answer.body;
        }
    }
    let kind =
        answer.header("content-type").map(|kind| format!(" {}", shown(&at.survey.settings.secrets, kind)));
    let kind = kind.unwrap_or_default();
    found.notes.push(format!("POST {SUBMIT} without a signature returned {}{kind}", answer.status));
    Ok(found)
}

/// There is nothing to find.
#[expect(clippy::unused_async, reason = "services have one form")]
pub(crate) async fn discover(_: Asked<'_>, _: &mut Found, _: &[String]) {}

pub(crate) async fn wrong_fixtures(survey: &Survey<'_>, domains: usize) -> Vec<WrongFixture> {
    let mut wrong = wrong_domains(survey, domains).await.unwrap_or_default();
    wrong.extend(wrong_states(survey).await.unwrap_or_default());
    if let Some(chain) = survey.at("chain") {
        let is_wrong = wrong_chain(chain).await;
        wrong.extend(if is_wrong.is_some() { is_wrong } else { wrong_transfer(chain).await });
    }
    if let Some(standby) = survey.at(STANDBY) {
        wrong.extend(wrong_standby(standby).await);
    }
    wrong
}

/// The domains that are not in the state that the profile declares.
async fn wrong_states(survey: &Survey<'_>) -> Option<Vec<WrongFixture>> {
    let fixtures = &survey.settings.publish();
    let (at, key) = (survey.at("publish")?, ed25519::key_from_seed(fixtures.key?));
    let (mut wrong, mut ahead_ms) = (Vec::new(), 0);
    for (name, domain) in
        [("not_publishable", &fixtures.not_publishable), ("chain_rejects", &fixtures.chain_rejects)]
    {
        if let Some(domain) = domain
            && let Some(what) = unbound(at, &key, domain, &mut ahead_ms).await
        {
            let remedy = "bind the domain to the key, or remove it";
            wrong.push(WrongFixture::new(format!("publish.{name}"), what, remedy));
        }
    }
    if let Some(domain) = &fixtures.feature_off
        && is_accepted(at, &key, domain, &mut ahead_ms).await
    {
        let what = format!("POST {SUBMIT} signed for {domain} was accepted: its account has the feature");
        let remedy = "name a domain of an account without the feature, or remove it";
        wrong.push(WrongFixture::new("publish.feature_off", what, remedy));
    }
    if let (Some(pool), Some(second)) = (&fixtures.transferable, fixtures.second_key) {
        let keys = [&key, &ed25519::key_from_seed(second)];
        for domain in pool.names() {
            wrong.extend(wrong_transferable(at, keys, &domain, &mut ahead_ms).await);
        }
    }
    if let (Some(domain), Some(second)) = (fixtures.pending.names().first(), fixtures.second_key) {
        let second = ed25519::key_from_seed(second);
        let submit = knock_body().replacen('{', "{\"op\":\"accept\",", 1);
        let attempts = [(SUBMIT, submit), (PREPARE, json!({ "op": "accept" }).to_string())];
        if is_rejected(at, &second, domain, attempts, &mut ahead_ms).await {
            let what = format!(
                "accepts of {domain} signed by second_key returned 404: no transfer to that key is pending"
            );
            let remedy = "start a transfer of the domain to second_key, or remove it";
            wrong.push(WrongFixture::new("publish.pending", what, remedy));
        }
    }
    Some(wrong)
}

/// Whether a run could not transfer the domain from one key to the other. An earlier run may have left it bound to either.
async fn wrong_transferable(
    at: Asked<'_>,
    keys: [&SigningKey; 2],
    domain: &str,
    ahead_ms: &mut i64,
) -> Option<WrongFixture> {
    let wrong = |what, remedy| Some(WrongFixture::new("publish.transferable", what, remedy));
    for key in keys {
        if unbound(at, key, domain, ahead_ms).await.is_some() {
            continue;
        }
        if !is_frozen(at, key, domain, *ahead_ms).await {
            return None;
        }
        let what = format!(
            "POST {PREPARE} signed for {domain} returned 409: a transfer is pending or not confirmed"
        );
        return wrong(what, "have the transfer accepted and confirmed, or remove the domain");
    }
    let what =
        format!("POST {SUBMIT} and POST {PREPARE} signed for {domain} by key and by second_key returned 404");
    wrong(what, "bind the domain to key, or remove it")
}

/// The domains that the key does not sign for, until it signs for `most` or for [`MOST_DOMAINS`].
async fn wrong_domains(survey: &Survey<'_>, most: usize) -> Option<Vec<WrongFixture>> {
    let fixtures = &survey.settings.publish();
    let (at, names) = (survey.at("publish")?, fixtures.pool.names());
    // The domains of the second key come after these.
    let first = names.iter().filter(|domain| fixtures.declared.contains(domain)).count();
    let (mut wrong, mut ahead_ms, mut right) = (Vec::new(), 0, 0);
    for domain in &names {
        if right == most.min(MOST_DOMAINS) {
            break;
        }
        let (entry, seed) = fixtures.entry(domain)?;
        let key = ed25519::key_from_seed(seed);
        let Some(what) = unbound(at, &key, domain, &mut ahead_ms).await else {
            if is_frozen(at, &key, domain, ahead_ms).await {
                let what =
                    format!("POST {PREPARE} signed for {domain} returned 409: a transfer has frozen its key");
                let remedy = "have the transfer accepted, or remove the domain";
                wrong.push(WrongFixture::new(entry, what, remedy));
            } else {
                right += 1;
            }
            continue;
        };
        let remedy = "bind the domain to the key, or remove it";
        wrong.push(WrongFixture::new(entry, what, remedy));
        if right == 0 && wrong.len() == UNBOUND.min(first) {
            let what = wrong.swap_remove(0).what;
            let address = ed25519::address(&key);
            let remedy = format!("use the key that the domains are bound to, or bind them to {address}");
            return Some(vec![WrongFixture::new("publish.key", what, remedy)]);
        }
    }
    Some(wrong)
}

/// What was returned, if the key does not sign for the domain. Neither request changes anything: the submit names an
/// unknown prepare, the prepare has no `cid`.
async fn unbound(at: Asked<'_>, key: &SigningKey, domain: &str, ahead_ms: &mut i64) -> Option<String> {
    let attempts = [(SUBMIT, knock_body()), (PREPARE, json!({ "domain": domain }).to_string())];
    is_rejected(at, key, domain, attempts, ahead_ms).await.then(|| {
        format!(
            "POST {SUBMIT} and POST {PREPARE} signed for {domain} returned 404: the domain is not bound to the key, or \
             publishing is not enabled for it"
        )
    })
}

/// Whether the server accepts the envelope: it rejects the submit because it does not know the prepare.
async fn is_accepted(at: Asked<'_>, key: &SigningKey, domain: &str, ahead_ms: &mut i64) -> bool {
    for _ in 0..2 {
        let time = wall_clock() + *ahead_ms;
        let Ok(answer) = signed(at, key, domain, SUBMIT, &knock_body(), time).await else { return false };
        if matches!(answer.status, 400 | 409 | 410) {
            return true;
        }
        *ahead_ms = skew_ms(&answer).unwrap_or_default();
    }
    false
}

/// Whether the key of a domain may do nothing before a transfer is confirmed. The prepare has no member that it needs.
async fn is_frozen(at: Asked<'_>, key: &SigningKey, domain: &str, ahead_ms: i64) -> bool {
    let answer = signed(at, key, domain, PREPARE, "{}", wall_clock() + ahead_ms).await;
    let is_cause = |answer: &Response| answer.json().is_ok_and(|body| body["cause"] == "transfer-frozen");
    answer.is_ok_and(|answer| answer.status == 409 && is_cause(&answer))
}

/// Whether the standby node is not an exchange.
async fn wrong_standby(at: Asked<'_>) -> Option<WrongFixture> {
    let what = match recognise(at).await {
        Ok(found) if found.likeness == Likeness::Like => return None,
        Ok(found) => found.notes.join(", "),
        Err(why) => why,
    };
    Some(WrongFixture::new("publish.standby_url", what, "correct the URL, or remove the key"))
}

/// Whether every attempt gets the plain 404, which they do only if the envelope is rejected.
async fn is_rejected(
    at: Asked<'_>,
    key: &SigningKey,
    domain: &str,
    attempts: [(&str, String); 2],
    ahead_ms: &mut i64,
) -> bool {
    for (path, body) in attempts {
        // The first answer shows the server's clock; then the request is signed once more.
        for _ in 0..2 {
            let before = *ahead_ms;
            let Ok(answer) = signed(at, key, domain, path, &body, wall_clock() + before).await else {
                return false;
            };
            if answer.status != 404 {
                return false;
            }
            *ahead_ms = skew_ms(&answer).unwrap_or_default();
            if (*ahead_ms - before).abs() < 2000 {
                break;
            }
        }
    }
    true
}

async fn signed(
    at: Asked<'_>,
    key: &SigningKey,
    domain: &str,
    path: &str,
    body: &str,
    time: Instant,
) -> Result<Response, String> {
    let target = at.target(path);
    let claims = Claims { method: "POST", path: &target, domain, time, body: body.as_bytes() };
    let request = Request::new("POST", path)
        .header("Content-Type", "application/json")
        .header("Authorization", sign(&at.survey.settings.dialect, key, &claims))
        .body(body);
    at.send(request, Limits::default()).await
}

/// Whether the chain's URL does not speak JSON-RPC.
async fn wrong_chain(at: Asked<'_>) -> Option<WrongFixture> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "getBlockHeight", "params": [] });
    let answer = at.post("", body.to_string()).await;
    let speaks = |answer: &Response| answer.json().is_ok_and(|body| body["jsonrpc"].is_string());
    let got = match answer {
        Ok(answer) if speaks(&answer) || answer.status == 429 || answer.status >= 500 => return None,
        Ok(answer) => format!("returned {}", answer.status),
        Err(why) => format!("failed: {why}"),
    };
    let what = format!("POST / with a JSON-RPC call {got}");
    Some(WrongFixture::new("publish.chain_url", what, "name a node of the chain that speaks JSON-RPC"))
}

/// Whether the chain shows that the declared transaction is not the transfer. A node may no longer have it: that shows
/// nothing.
async fn wrong_transfer(at: Asked<'_>) -> Option<WrongFixture> {
    let fixtures = at.survey.settings.publish();
    let (domain, signature) =
        (fixtures.pending.names().into_iter().next()?, fixtures.pending_transfer.as_ref()?);
    let params = transaction_params(signature, "base64");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "getTransaction", "params": params });
    let answer = at.post("", body.to_string()).await.ok()?.json().ok()?;
    let found = &answer["result"];
    let wire = transaction_bytes(found)?;
    let record = split(&wire).and_then(|(_, message)| read_record(message));
    let is_transfer = record.is_some_and(|record| {
        record.before.ends_with(":transfer:") && record.members.get("d").is_some_and(|of| *of == *domain)
    });
    if is_transfer && found["meta"]["err"].is_null() {
        return None;
    }
    let what = format!("getTransaction returned a transaction that does not transfer {domain}");
    let remedy = "name the signature of the transaction that transfers the domain, or remove it";
    Some(WrongFixture::new("publish.pending_transfer", what, remedy))
}

/// The one answer to every request whose envelope is rejected.
fn is_blanket(answer: &Response) -> bool {
    answer.status == 404 && answer.text().trim() == "404 Not Found"
}
